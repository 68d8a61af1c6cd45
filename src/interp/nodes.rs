//! What each kind of node does with the values of its expressions.

use super::InterpError;
use super::attention::{self, Operands};
use super::compile::{Code, Compiler, Reads};
use super::contract;
use super::eval::{Column, Machine};
use super::lines::{Lanes, scan, sort};
use super::recurrence;
use super::reduce::reduce;
use super::scatter::scatter;
use super::storage::{Dense, Slot, store};
use crate::base::{HashSet, Status};
use crate::loops::{
    Attention, AttentionBackward, Band, BufferId, Cell, Convolution, ExprId, NodeKind, Program, Recurrence,
    ReductionOp, Routine, ScanOp, ScatterMode,
};
use crate::plan::{Attributes, HostCall};
use crate::runtime::{RuntimeError, call_host, call_routine};
use crate::types::{Dtype, SymInt, SymbolId, SymbolKind, contiguous_strides};

/// A node, ready to run for any values of its symbols.
pub(super) struct NodeCode {
    kind: Kind,
    pub reads: Vec<BufferId>,
    pub outs: Vec<BufferId>,
    pub symbols: Vec<SymbolId>,
}

// There is one for each node of a program, so the largest variant's size costs nothing.
#[allow(clippy::large_enum_variant)]
enum Kind {
    Pointwise(Code),
    Reduction { code: Code, outer: usize, op: ReductionOp, dtype: Dtype },
    Scan { code: Code, axis: usize, op: ScanOp, dtype: Dtype },
    Sort { code: Code, axis: usize, descending: bool, kept: SymInt, dtype: Dtype },
    Scatter { initial: Code, code: Code, mode: ScatterMode },
    Gemm { a: Code, b: Code },
    Convolution { input: Code, weight: Code, node: Box<Convolution> },
    Attention { query: Code, key: Code, value: Code, mask: Option<(Code, Dtype)>, node: Box<Attention> },
    AttentionBackward { operands: [Code; 6], mask: Option<(Code, Dtype)>, node: Box<AttentionBackward> },
    Recurrence { operands: [Option<Code>; 6], node: Box<Recurrence> },
    Library(Box<Routine>),
}

/// The values of symbols in one run.
pub(super) type Symbols<'a> = &'a dyn Fn(SymbolId) -> Option<i64>;

impl NodeCode {
    pub fn new(program: &Program, node: usize) -> Result<NodeCode, InterpError> {
        let node = program
            .nodes
            .get(node)
            .ok_or_else(|| InterpError::internal(format!("there is no loop node {node}")))?;
        check_dtypes(program, &node.kind)?;
        let mut reads = Reads::default();
        let mut code = |space: &[(u32, SymInt)], root: ExprId| -> Result<Code, InterpError> {
            let mut compiler = Compiler::new(program, &mut reads, space);
            compiler.result(root)?;
            Ok(compiler.finish())
        };
        let plain = |sizes: &[SymInt]| -> Vec<(u32, SymInt)> {
            sizes.iter().enumerate().map(|(k, s)| (k as u32, *s)).collect()
        };
        let dtype_of = |e: ExprId| program.exprs.dtype(e);
        let kind = match &node.kind {
            NodeKind::Pointwise { sizes, value, .. } => {
                let bits = program.exprs.stored_bits(*value);
                Kind::Pointwise(code(&plain(sizes), bits.unwrap_or(*value))?)
            }
            NodeKind::Reduction { sizes, reduced, op, value, .. } => {
                let all: Vec<SymInt> = sizes.iter().chain(reduced).copied().collect();
                let code = code(&plain(&all), *value)?;
                Kind::Reduction { code, outer: sizes.len(), op: *op, dtype: dtype_of(*value) }
            }
            NodeKind::Scan { sizes, axis, op, value, .. } => {
                let code = code(&plain(sizes), *value)?;
                Kind::Scan { code, axis: *axis, op: *op, dtype: dtype_of(*value) }
            }
            NodeKind::Sort { sizes, axis, descending, kept, value, .. } => {
                let (code, dtype) = (code(&plain(sizes), *value)?, dtype_of(*value));
                Kind::Sort { code, axis: *axis, descending: *descending, kept: *kept, dtype }
            }
            NodeKind::Scatter { sizes, index, data, value, mode, initial, out } => {
                let out_sizes = program.buffers[*out].sizes.clone();
                let initial = code(&plain(&out_sizes), *initial)?;
                let space = plain(sizes);
                let mut compiler = Compiler::new(program, &mut reads, &space);
                compiler.result(*value)?;
                // The data come first in the results after the value, so that each is computed once.
                let data =
                    data.iter().map(|d| compiler.result(*d)).collect::<Result<Vec<_>, InterpError>>()?;
                for i in index {
                    compiler.result_index(*i, &data)?;
                }
                Kind::Scatter { initial, code: compiler.finish(), mode: *mode }
            }
            NodeKind::Library(r) => Kind::Library(r.clone()),
            NodeKind::Control(_) => return Err(InterpError::internal("a control node computes nothing")),
            NodeKind::Gemm { batch, m, n, k, a, b, .. } => {
                let rank = batch.len() as u32;
                let mut left = plain(batch);
                let mut right = left.clone();
                left.extend([(rank, *m), (rank + 2, *k)]);
                right.extend([(rank + 1, *n), (rank + 2, *k)]);
                Kind::Gemm { a: code(&left, *a)?, b: code(&right, *b)? }
            }
            NodeKind::Convolution(c) => Kind::Convolution {
                input: code(&plain(&c.input_sizes), c.input)?,
                weight: code(&plain(&c.weight_sizes), c.weight)?,
                node: c.clone(),
            },
            NodeKind::Attention(a) if a.score.is_some() || a.empty_is_nan => {
                return Err(InterpError::internal(
                    "an attention was recognised, but the interpreter fuses nothing",
                ));
            }
            NodeKind::Attention(a) => Kind::Attention {
                query: code(&plain(&[a.batch, a.heads, a.queries, a.head_size]), a.query)?,
                key: code(&plain(&[a.batch, a.kv_heads, a.keys, a.head_size]), a.key)?,
                value: code(&plain(&[a.batch, a.kv_heads, a.keys, a.value_size]), a.value)?,
                mask: match a.mask {
                    Some(m) => Some((code(&plain(&[a.batch, a.heads, a.queries, a.keys]), m)?, dtype_of(m))),
                    None => None,
                },
                node: a.clone(),
            },
            NodeKind::AttentionBackward(a) => {
                if a.band != Band::default() && a.band != Band::causal(&program.syms) {
                    return Err(InterpError::internal(
                        "a band was recognised, but the interpreter fuses nothing",
                    ));
                }
                let [q, k, v, grad, log_sum, mean] = a.operands().map(|(e, sizes)| code(&plain(&sizes), e));
                let scores = plain(&[a.batch, a.heads, a.queries, a.keys]);
                Kind::AttentionBackward {
                    operands: [q?, k?, v?, grad?, log_sum?, mean?],
                    mask: a
                        .mask
                        .map(|m| Ok::<_, InterpError>((code(&scores, m)?, dtype_of(m))))
                        .transpose()?,
                    node: a.clone(),
                }
            }
            NodeKind::Recurrence(r) => {
                let mut operands = [const { None }; 6];
                for (operand, given) in operands.iter_mut().zip(r.operands(&program.syms)) {
                    *operand = given.map(|(e, sizes)| code(&plain(&sizes), e)).transpose()?;
                }
                Kind::Recurrence { operands, node: r.clone() }
            }
        };
        if let NodeKind::Library(routine) = &node.kind {
            routine.reads().for_each(|b| reads.add(b));
        }
        let mut this = NodeCode { kind, reads: reads.list, outs: node.outs(), symbols: Vec::new() };
        this.symbols = this.free_symbols(program);
        Ok(this)
    }

    fn codes(&self) -> Vec<&Code> {
        match &self.kind {
            Kind::Pointwise(c)
            | Kind::Reduction { code: c, .. }
            | Kind::Scan { code: c, .. }
            | Kind::Sort { code: c, .. } => vec![c],
            Kind::Scatter { initial, code, .. } => vec![initial, code],
            Kind::Gemm { a, b } => vec![a, b],
            Kind::Convolution { input, weight, .. } => vec![input, weight],
            Kind::Attention { query, key, value, mask, .. } => {
                [query, key, value].into_iter().chain(mask.as_ref().map(|m| &m.0)).collect()
            }
            Kind::AttentionBackward { operands, mask, .. } => {
                operands.iter().chain(mask.as_ref().map(|m| &m.0)).collect()
            }
            Kind::Recurrence { operands, .. } => operands.iter().flatten().collect(),
            Kind::Library(_) => Vec::new(),
        }
    }

    fn free_symbols(&self, program: &Program) -> Vec<SymbolId> {
        let (mut list, mut seen) = (Vec::new(), HashSet::default());
        let mut add = |id: SymbolId| {
            if program.syms.symbol_kind(id) == SymbolKind::Free && seen.insert(id) {
                list.push(id);
            }
        };
        for code in self.codes() {
            code.symbols.iter().for_each(|s| add(s.0));
            code.sizes.iter().flat_map(|s| program.syms.symbols(*s)).for_each(&mut add);
        }
        if let Kind::Sort { kept, .. } = &self.kind {
            program.syms.symbols(*kept).into_iter().for_each(&mut add);
        }
        if let Kind::Library(routine) = &self.kind {
            let values = routine.attributes.values().into_iter();
            values.flat_map(|v| program.syms.symbols(*v)).for_each(&mut add);
        }
        for buffer in self.reads.iter().chain(&self.outs) {
            let data = &program.buffers[*buffer];
            data.sizes.iter().chain(&data.strides).flat_map(|s| program.syms.symbols(*s)).for_each(&mut add);
        }
        list
    }

    /// Computes the node: `reads` and `outs` are the memory of the buffers of those names.
    pub fn run(
        &self,
        program: &Program,
        symbols: Symbols<'_>,
        reads: &[&[u8]],
        outs: &mut [&mut [u8]],
    ) -> Result<(), InterpError> {
        let slots = self
            .reads
            .iter()
            .zip(reads)
            .map(|(buffer, bytes)| slot(program, symbols, *buffer, bytes))
            .collect::<Result<Vec<_>, _>>()?;
        let mut dtypes = Vec::new();
        for (buffer, bytes) in self.outs.iter().zip(outs.iter()) {
            check_out(program, symbols, *buffer, bytes)?;
            dtypes.push(program.buffers[*buffer].dtype);
        }
        let machine = |code| machine(program, symbols, code, &slots);
        let dense = |code, dtype| dense_of(&mut machine(code)?, dtype);
        let float = |code| {
            let mut m = machine(code)?;
            Ok::<_, InterpError>((dense_any(&mut m)?.to_f64(), m.sizes))
        };
        match &self.kind {
            Kind::Pointwise(code) => machine(code)?.run(&mut |start, n, m| {
                store(outs[0], dtypes[0], start, m.result(0, n));
                Ok(())
            }),
            Kind::Reduction { code, outer, op, dtype } => {
                reduce(&mut machine(code)?, *outer, *op, *dtype, &dtypes, outs)
            }
            Kind::Scan { code, axis, op, dtype } => {
                let mut m = machine(code)?;
                let lanes = Lanes::new(&m.sizes, *axis)?;
                let values = dense_of(&mut m, *dtype)?;
                scan(values, lanes, *op, *dtype, &dtypes, outs)
            }
            Kind::Sort { code, axis, descending, kept, dtype } => {
                let mut m = machine(code)?;
                let lanes = Lanes::new(&m.sizes, *axis)?;
                let values = dense_of(&mut m, *dtype)?;
                let kept = size_values(program, symbols, &[*kept])?[0];
                sort(values, lanes, (*descending, kept), *dtype, &dtypes, outs)
            }
            Kind::Scatter { initial, code, mode } => {
                let out = slot_sizes(program, symbols, self.outs[0])?;
                let mut values = dense(initial, dtypes[0])?;
                scatter(&mut machine(code)?, &mut values, &out, *mode)?;
                store(outs[0], dtypes[0], 0, values.column());
                Ok(())
            }
            Kind::Gemm { a, b } => {
                let (ma, mb) = (machine(a)?, machine(b)?);
                let (sa, sb) = (ma.sizes.clone(), mb.sizes.clone());
                let (va, vb) = (dense(a, dtypes[0])?, dense(b, dtypes[0])?);
                let batch: usize = sa[..sa.len() - 2].iter().product();
                let (m, n, k) = (sa[sa.len() - 2], sb[sb.len() - 2], sb[sb.len() - 1]);
                let result = contract::gemm(dtypes[0], [batch, m, n, k], &va, &vb)?;
                store(outs[0], dtypes[0], 0, result.column());
                Ok(())
            }
            Kind::Convolution { input, weight, node } => {
                let out = slot_sizes(program, symbols, self.outs[0])?;
                let (mi, mw) = (machine(input)?, machine(weight)?);
                let (si, sw) = (mi.sizes.clone(), mw.sizes.clone());
                let (vi, vw) = (dense(input, dtypes[0])?, dense(weight, dtypes[0])?);
                let result = contract::convolution(node, dtypes[0], (&vi, &si), (&vw, &sw), &out.sizes)?;
                store(outs[0], dtypes[0], 0, result.column());
                Ok(())
            }
            Kind::Attention { query, key, value, mask, node } => {
                let [q, k, v] = [float(query)?, float(key)?, float(value)?];
                let operands = Operands {
                    values: [&q.0, &k.0, &v.0],
                    mask: mask.as_ref().map(|m| Ok((float(&m.0)?.0, m.1 == Dtype::Bool))).transpose()?,
                    query_sizes: &q.1,
                    key_sizes: &k.1,
                    value_sizes: &v.1,
                };
                let results = attention::attention(node, dtypes[0], &operands)?;
                for ((out, dtype), result) in outs.iter_mut().zip(&dtypes).zip(&results) {
                    store(out, *dtype, 0, super::storage::from_f64(*dtype, result).column());
                }
                Ok(())
            }
            Kind::AttentionBackward { operands: [query, key, value, grad, log_sum, mean], mask, node } => {
                let [q, k, v] = [float(query)?, float(key)?, float(value)?];
                let operands = Operands {
                    values: [&q.0, &k.0, &v.0],
                    mask: mask.as_ref().map(|m| Ok((float(&m.0)?.0, m.1 == Dtype::Bool))).transpose()?,
                    query_sizes: &q.1,
                    key_sizes: &k.1,
                    value_sizes: &v.1,
                };
                let rest = [float(grad)?.0, float(log_sum)?.0, float(mean)?.0];
                let rest = rest.each_ref().map(Vec::as_slice);
                let results = attention::attention_backward(node, dtypes[0], &operands, rest)?;
                let there = [node.grad_query, node.grad_key, node.grad_value].into_iter().zip(&results);
                let there = there.filter_map(|(buffer, result)| buffer.map(|_| result));
                for ((out, dtype), result) in outs.iter_mut().zip(&dtypes).zip(there) {
                    store(out, *dtype, 0, super::storage::from_f64(*dtype, result).column());
                }
                Ok(())
            }
            Kind::Library(routine) => self.call(program, symbols, routine, reads, outs),
            Kind::Recurrence { operands, node } => {
                let mut values = [const { None }; 6];
                let mut sizes = Vec::new();
                for (value, code) in values.iter_mut().zip(operands) {
                    let Some(code) = code else { continue };
                    let mut m = machine(code)?;
                    sizes.push(m.sizes.clone());
                    *value = Some(dense_any(&mut m)?.to_f64());
                }
                // Gates, weight and first values are always there.
                let (rows, projected) = (&sizes[0], sizes[1][0]);
                let hidden = rows[2] / node.cell.gates() as usize;
                let [steps, batch] = if node.batch_first { [rows[1], rows[0]] } else { [rows[0], rows[1]] };
                let sizes = [steps, batch, hidden, projected];
                let results = recurrence::recurrence(node, dtypes[0], &values, sizes)?;
                for (k, (out, result)) in outs.iter_mut().zip(&results).enumerate() {
                    store(out, dtypes[k], 0, result.column());
                }
                Ok(())
            }
        }
    }

    /// What a library does. An operand that is read twice is one among the reads.
    fn call(
        &self,
        program: &Program,
        symbols: Symbols<'_>,
        routine: &Routine,
        reads: &[&[u8]],
        outs: &mut [&mut [u8]],
    ) -> Result<(), InterpError> {
        let attributes = routine
            .attributes
            .try_map(|v| program.syms.eval(*v, symbols).map_err(|e| InterpError::internal(e.to_string())))?;
        let memory = |b: &BufferId| match self.reads.iter().position(|r| r == b) {
            Some(k) => reads[k].to_vec(),
            None => self.outs.iter().position(|o| o == b).map_or_else(Vec::new, |k| outs[k].to_vec()),
        };
        let mut operands: Vec<Vec<u8>> = routine.operands.iter().map(memory).collect();
        let called = match &attributes {
            Attributes::Host(call) => call_of_host(program, call, &mut operands),
            _ => call_routine(&attributes, &mut operands),
        };
        called.map_err(|e| InterpError::Library { status: e.status, message: e.into_fields().message })?;
        let written = routine.attributes.written();
        written.iter().zip(outs).for_each(|(k, out)| out.copy_from_slice(&operands[*k]));
        Ok(())
    }

    /// Bytes that each read and written buffer must have, in the order of `reads` and then `outs`.
    pub fn byte_lengths(&self, program: &Program, symbols: Symbols<'_>) -> Result<Vec<usize>, InterpError> {
        let all = self.reads.iter().chain(&self.outs);
        all.map(|b| Ok(slot_sizes(program, symbols, *b)?.needed()? * program.buffers[*b].dtype.size()))
            .collect()
    }
}

/// Calls an operator of the host's. What it writes is written in a copy.
fn call_of_host(
    program: &Program,
    call: &HostCall<i64>,
    operands: &mut [Vec<u8>],
) -> Result<(), RuntimeError> {
    let name = call.name().unwrap_or_default();
    let operator = program.operators.find(&name);
    let function = operator.as_ref().and_then(|o| o.functions.cpu.as_ref()).ok_or_else(|| {
        let message = format!("the host's operator `{name}` has no function for the CPU");
        RuntimeError::new(Status::Unsupported, message)
    })?;
    for (from, to) in call.copies() {
        operands[to] = operands[from].clone();
    }
    call_host(function, call, operands)
}

/// Results are stored as they are computed, so a node's values must have the dtypes of its buffers; scans and sorts may round
/// theirs.
fn check_dtypes(program: &Program, kind: &NodeKind) -> Result<(), InterpError> {
    use NodeKind as K;
    let expr = |e: &ExprId| program.exprs.dtype(*e);
    let buffer = |b: &BufferId| program.buffers[*b].dtype;
    let two = |indexed: bool, outs: &[BufferId]| outs.len() == 1 + indexed as usize;
    let positions = |outs: &[BufferId]| outs.iter().skip(1).all(|b| buffer(b) == Dtype::Int64);
    let fits = match kind {
        NodeKind::Control(_) => false,
        K::Library(routine) => routine.operands.len() == routine.attributes.operand_count(),
        K::Pointwise { value, out, .. } => expr(value) == buffer(out),
        K::Reduction { op, value, outs, .. } => {
            let indexed = matches!(op, ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex);
            two(indexed, outs) && expr(value) == buffer(&outs[0]) && positions(outs)
        }
        K::Scan { op, value, outs, .. } => {
            let indexed = op.has_places();
            two(indexed, outs) && expr(value) == buffer(&outs[0]).compute() && positions(outs)
        }
        K::Sort { value, values, positions, .. } => {
            expr(value) == buffer(values).compute() && buffer(positions) == Dtype::Int64
        }
        K::Scatter { index, data, value, initial, out, .. } => {
            expr(value) == buffer(out)
                && expr(initial) == buffer(out)
                && data.iter().all(|d| expr(d) == Dtype::Int64)
                && index.len() == program.buffers[*out].sizes.len()
        }
        K::Gemm { a, b, out, .. } => expr(a) == buffer(out) && expr(b) == buffer(out),
        K::Convolution(c) => {
            let out = buffer(&c.out);
            expr(&c.input) == out
                && expr(&c.weight) == out
                && out.is_float()
                && program.buffers[c.out].sizes.len() == 4
                && c.stride.iter().chain(&c.dilation).all(|s| *s > 0)
        }
        K::Attention(a) => {
            let out = buffer(&a.out);
            out.is_float() && a.log_sum.is_none_or(|b| buffer(&b) == out.compute())
        }
        K::AttentionBackward(a) => {
            let dtypes: Vec<Dtype> = a.results().map(|r| buffer(&r.0)).collect();
            let all = a.operands().map(|o| expr(&o.0));
            dtypes.first().is_some_and(|first| {
                first.is_float()
                    && dtypes.iter().all(|d| d == first)
                    && all.iter().all(|d| *d == first.compute())
            })
        }
        K::Recurrence(r) => {
            let out = buffer(&r.out);
            matches!(out, Dtype::Float32 | Dtype::Float64)
                && r.operands(&program.syms).iter().flatten().all(|o| expr(&o.0) == out)
                && [Some(r.last), r.last_cell].iter().flatten().all(|b| buffer(b) == out)
                && (r.cell == Cell::Lstm) == (r.first_cell.is_some() && r.last_cell.is_some())
        }
    };
    if fits { Ok(()) } else { Err(InterpError::internal("a loop node's values do not fit its buffers")) }
}

fn size_values(program: &Program, symbols: Symbols<'_>, list: &[SymInt]) -> Result<Vec<i64>, InterpError> {
    list.iter()
        .map(|s| program.syms.eval(*s, symbols).map_err(|e| InterpError::internal(e.to_string())))
        .collect()
}

fn slot_sizes<'a>(
    program: &Program,
    symbols: Symbols<'_>,
    buffer: BufferId,
) -> Result<Slot<'a>, InterpError> {
    let data = &program.buffers[buffer];
    let sizes = size_values(program, symbols, &data.sizes)?;
    let strides = size_values(program, symbols, &data.strides)?;
    if sizes.iter().any(|s| *s < 0) {
        return Err(InterpError::internal(format!("buffer {buffer} has a negative size")));
    }
    Ok(Slot { buffer, dtype: data.dtype, sizes, strides, bytes: &[] })
}

fn slot<'a>(
    program: &Program,
    symbols: Symbols<'_>,
    buffer: BufferId,
    bytes: &'a [u8],
) -> Result<Slot<'a>, InterpError> {
    let mut slot = slot_sizes(program, symbols, buffer)?;
    if slot.needed()?.saturating_mul(slot.dtype.size()) > bytes.len() {
        return Err(InterpError::internal(format!("buffer {buffer} is too small for its sizes")));
    }
    slot.bytes = bytes;
    Ok(slot)
}

impl Slot<'_> {
    /// Elements from the start to behind the last one.
    fn needed(&self) -> Result<usize, InterpError> {
        if self.sizes.contains(&0) {
            return Ok(0);
        }
        let mut last = 0i64;
        for (size, stride) in self.sizes.iter().zip(&self.strides) {
            last = (size - 1)
                .checked_mul(*stride)
                .filter(|_| *stride >= 0)
                .and_then(|x| x.checked_add(last))
                .ok_or_else(|| InterpError::internal(format!("buffer {} has bad strides", self.buffer)))?;
        }
        Ok(last as usize + 1)
    }
}

/// Results are written consecutively, so their buffers must be contiguous.
fn check_out(
    program: &Program,
    symbols: Symbols<'_>,
    buffer: BufferId,
    bytes: &[u8],
) -> Result<(), InterpError> {
    let slot = slot(program, symbols, buffer, bytes)?;
    let data = &program.buffers[buffer];
    let want = size_values(program, symbols, &contiguous_strides(&program.syms, &data.sizes))?;
    let differs = (0..want.len()).any(|k| slot.sizes[k] > 1 && slot.strides[k] != want[k]);
    if differs && !slot.sizes.contains(&0) {
        return Err(InterpError::internal(format!("the written buffer {buffer} is not contiguous")));
    }
    Ok(())
}

fn machine<'a>(
    program: &Program,
    symbols: Symbols<'_>,
    code: &'a Code,
    slots: &'a [Slot<'a>],
) -> Result<Machine<'a>, InterpError> {
    let sizes = size_values(program, symbols, &code.sizes)?
        .into_iter()
        .map(|s| usize::try_from(s).map_err(|_| InterpError::internal("a negative size")))
        .collect::<Result<_, _>>()?;
    Machine::new(code, slots, sizes, symbols)
}

/// All values of a code's first result, which has this dtype.
fn dense_of(m: &mut Machine<'_>, dtype: Dtype) -> Result<Dense, InterpError> {
    let mut all = Dense::zeros(dtype, m.count());
    m.run(&mut |start, n, m| {
        all.set(start, m.result(0, n));
        Ok(())
    })?;
    Ok(all)
}

fn dense_any(m: &mut Machine<'_>) -> Result<Dense, InterpError> {
    let dtype = match m.result(0, 0) {
        Column::Float32(_) => Dtype::Float32,
        Column::Float64(_) => Dtype::Float64,
        Column::Integer(_) => Dtype::Int64,
    };
    dense_of(m, dtype)
}
