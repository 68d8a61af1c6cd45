//! Nodes whose elements depend on their order: scans, sorts and scatters, each a kernel of its own.
//!
//! Plain and right before fast: a thread scans a row; a sort counts for each element how many come before it; a scatter
//! whose result starts as something else than what lies there is one block's, which fills it first.

use super::super::emit::{Emitter, Operand, Storage};
use super::super::{CodegenError, Kernel, cpp};
use super::writer::function;
use crate::loops::{BufferId, Expr, ExprId, NodeKind, Program, ScanOp, ScatterMode};
use crate::schedule::Group;
use crate::types::SymInt;

/// Threads of a block that scans rows, or scatters in place.
const THREADS: i64 = 128;
/// Threads that sort a row, and of a block that fills and scatters alone.
const WIDE: i64 = 1024;

/// The kernel of a node that is computed by itself.
pub fn kernel(program: &Program, group: &Group, node: usize) -> Result<Kernel, CodegenError> {
    let buffers: Vec<BufferId> = group.reads.iter().chain(&group.writes).copied().collect();
    let mut emitter = Emitter::new(program);
    for (k, buffer) in buffers.iter().enumerate() {
        emitter.storage.insert(*buffer, Storage::Memory(format!("b{k}")));
    }
    let mut writer = Order { emitter, program, group, buffers };
    let (kind, blocks, threads) = match program.nodes[node].kind.clone() {
        NodeKind::Scan { sizes, axis, op, value, outs } => {
            let rows = writer.scan(&sizes, axis, op, value, &outs);
            ("scan", program.syms.ceildiv(rows, program.syms.constant(THREADS)), THREADS)
        }
        NodeKind::Sort { sizes, axis, descending, value, values, positions, .. } => {
            ("sort", writer.sort(&sizes, axis, descending, value, [values, positions]), WIDE)
        }
        NodeKind::Scatter { sizes, index, data, value, mode, initial, out } => {
            let (blocks, threads) = writer.scatter(&sizes, (&index, &data), value, mode, initial, out);
            ("scatter", blocks, threads)
        }
        _ => {
            let message = "the CUDA backend has no kernel for it yet; the backend cpu has".into();
            return Err(CodegenError { operators: group.operators.join(", "), message });
        }
    };
    let Order { emitter, buffers, .. } = writer;
    let (lines, symbols, functions) = emitter.finish();
    let body = function(program, group, &buffers, 0, symbols.len(), threads, &lines);
    Ok(Kernel {
        kind,
        body,
        functions,
        headers: Vec::new(),
        buffers,
        symbols,
        tasks: blocks,
        grain: program.syms.constant(threads),
        scratch: program.syms.constant(0),
        lanes: 1,
        maps: Vec::new(),
    })
}

struct Order<'p> {
    emitter: Emitter<'p>,
    program: &'p Program,
    group: &'p Group,
    buffers: Vec<BufferId>,
}

impl Order<'_> {
    fn pointer(&self, buffer: BufferId) -> String {
        let k = self.buffers.iter().position(|b| *b == buffer).expect("the buffer is a parameter");
        format!("b{k}")
    }

    /// Names all variables but that of `axis` for the row at `position`.
    fn bind_row(&mut self, sizes: &[SymInt], axis: usize, position: &str) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let level = self.emitter.depth();
        let left = self.emitter.fresh("left");
        self.emitter.line(&format!("i64 {left} = {position}; (void){left};"));
        for k in (0..sizes.len()).rev().filter(|k| *k != axis) {
            let (name, size) = (self.emitter.fresh("i"), self.emitter.divisor(sizes[k]));
            self.emitter
                .line(&format!("const i64 {name} = {left} % {size}; {left} /= {size}; (void){name};"));
            self.emitter.bind(syms.index_var(k as u32, sizes[k]), &name, level);
        }
    }

    fn rows(&self, sizes: &[SymInt], axis: usize) -> SymInt {
        let others: Vec<SymInt> = (0..sizes.len()).filter(|k| *k != axis).map(|k| sizes[k]).collect();
        self.program.syms.product(&others)
    }

    /// The offset of an element of a buffer of the node's own sizes.
    fn offset(&self, buffer: BufferId, index: &[SymInt]) -> SymInt {
        let syms = &self.program.syms;
        let strides = &self.program.buffers[buffer].strides;
        let terms: Vec<SymInt> = index.iter().zip(strides).map(|(i, s)| syms.mul(*i, *s)).collect();
        syms.sum(&terms)
    }

    fn store_at(&mut self, buffer: BufferId, vars: &[SymInt], text: &str) {
        if self.group.writes.contains(&buffer) {
            let (offset, pointer) = (self.offset(buffer, vars), self.pointer(buffer));
            self.emitter.store_text(&pointer, offset, Operand::uniform(text));
        }
    }

    fn scan(
        &mut self,
        sizes: &[SymInt],
        axis: usize,
        op: ScanOp,
        value: ExprId,
        outs: &[BufferId],
    ) -> SymInt {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let dtype = self.program.exprs.dtype(value);
        let ty = cpp::scalar_type(dtype);
        let vars = self.program.vars(sizes);
        let rows = self.rows(sizes, axis);
        let total = self.emitter.index(rows);
        self.emitter.line(&format!("const i64 row = blockIdx.x * (i64){THREADS} + threadIdx.x;"));
        self.emitter.line(&format!("if (row >= {total}) return;"));
        self.emitter.open();
        self.bind_row(sizes, axis, "row");
        self.emitter.line(&format!("{ty} total = {ty}(); i64 place = 0; (void)place;"));
        let count = self.emitter.index(sizes[axis]);
        self.emitter.open();
        let level = self.emitter.depth();
        self.emitter.bind(syms.index_var(axis as u32, sizes[axis]), "step", level);
        let v = self.emitter.value(value).text;
        match op {
            ScanOp::Sum => self.emitter.line(&format!("total = step == 0 ? {v} : add(total, {v});")),
            ScanOp::Product => self.emitter.line(&format!("total = step == 0 ? {v} : mul(total, {v});")),
            ScanOp::LogSumExp => {
                self.emitter.line(&format!("if (step == 0 || {v} != {v}) total = {v};"));
                self.emitter.line(&format!(
                    "else if (total == total && !(l_isinf(total) && total == {v})) {{ const {ty} most = l_maximum(total, {v}), least = l_minimum(total, {v}); total = add(most, l_log1p(l_exp(sub(least, most)))); }}"
                ));
            }
            ScanOp::MaxWithIndex | ScanOp::MinWithIndex => {
                let better = if op == ScanOp::MaxWithIndex { ">=" } else { "<=" };
                let beats = if dtype.is_float() {
                    format!("{v} != {v} || (total == total && {v} {better} total)")
                } else {
                    format!("{v} {better} total")
                };
                self.emitter.line(&format!("if (step == 0 || {beats}) {{ total = {v}; place = step; }}"));
            }
        }
        self.store_at(outs[0], &vars, "total");
        if let Some(places) = outs.get(1) {
            self.store_at(*places, &vars, "place");
        }
        self.emitter.close(&format!("for (i64 step = 0; step < {count}; step++)"));
        self.emitter.close("");
        rows
    }

    /// A block for each row. Equal elements keep their order.
    fn sort(
        &mut self,
        sizes: &[SymInt],
        axis: usize,
        descending: bool,
        value: ExprId,
        [values, positions]: [BufferId; 2],
    ) -> SymInt {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let ty = cpp::scalar_type(self.program.exprs.dtype(value));
        let variable = syms.index_var(axis as u32, sizes[axis]);
        self.emitter.open();
        self.bind_row(sizes, axis, "blockIdx.x");
        let count = self.emitter.index(sizes[axis]);
        self.emitter.open();
        let level = self.emitter.depth();
        self.emitter.bind(variable, "step", level);
        let v = self.emitter.value(value).text;
        self.emitter.line(&format!("return {v};"));
        self.emitter.close(&format!("const auto value_at = [&](i64 step) -> {ty}"));
        self.emitter.line(";");
        self.emitter.open();
        // NaN is the largest.
        let before = if descending { "a > b || (a != a && b == b)" } else { "a < b || (b != b && a == a)" };
        self.emitter.line(&format!("const {ty} b = value_at(step); i64 rank = 0;"));
        self.emitter.line(&format!(
            "for (i64 other = 0; other < {count}; other++) {{ const {ty} a = value_at(other); const bool first = {before}, after = [](const {ty} b, const {ty} a) {{ return {before}; }}(a, b); rank += first || (!after && other < step); }}"
        ));
        let level = self.emitter.depth();
        self.emitter.bind(variable, "rank", level);
        let vars = self.program.vars(sizes);
        self.store_at(values, &vars, "b");
        self.store_at(positions, &vars, "step");
        self.emitter.close(&format!("for (i64 step = threadIdx.x; step < {count}; step += {WIDE})"));
        self.emitter.close("");
        self.rows(sizes, axis)
    }

    /// Gives blocks, and threads of a block.
    fn scatter(
        &mut self,
        sizes: &[SymInt],
        (index, data): (&[SymInt], &[ExprId]),
        value: ExprId,
        mode: ScatterMode,
        initial: ExprId,
        out: BufferId,
    ) -> (SymInt, i64) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let pointer = self.pointer(out);
        let out_sizes = self.program.buffers[out].sizes.clone();
        let out_vars = self.program.vars(&out_sizes);
        let own = self.offset(out, &out_vars);
        let there = matches!(&self.program.exprs[initial], Expr::Load { buffer, index, .. }
            if *buffer == out && index[..] == [own]);
        let points = syms.product(sizes);
        let threads = if there { THREADS } else { WIDE };
        if !there {
            let elements = syms.product(&out_sizes);
            let elements = self.emitter.index(elements);
            self.emitter.open();
            self.emitter.bind_point(&out_sizes, "element");
            self.emitter.store(&pointer, own, initial);
            self.emitter
                .close(&format!("for (i64 element = threadIdx.x; element < {elements}; element += {WIDE})"));
            self.emitter.line("__syncthreads();");
        }
        let count = self.emitter.index(points);
        self.emitter.open();
        self.emitter.bind_point(sizes, "point");
        let offset = self.offset(out, index);
        let v = self.emitter.value(value).text;
        let place = self.emitter.index_of_data(offset, data);
        let at = format!("{pointer} + {place}");
        match mode {
            ScatterMode::Set => self.emitter.line(&format!("store({at}, {v});")),
            ScatterMode::Add => self.emitter.line(&format!("litz_atomic({at}, {v}, litz_add());")),
            ScatterMode::Multiply => self.emitter.line(&format!("litz_atomic({at}, {v}, litz_mul());")),
            ScatterMode::Max => self.emitter.line(&format!("litz_atomic({at}, {v}, litz_max());")),
            ScatterMode::Min => self.emitter.line(&format!("litz_atomic({at}, {v}, litz_min());")),
        }
        self.emitter.close(&format!(
            "for (i64 point = blockIdx.x * (i64){threads} + threadIdx.x; point < {count}; point += gridDim.x * (i64){threads})"
        ));
        let blocks = if there { syms.ceildiv(points, syms.constant(threads)) } else { syms.constant(1) };
        (blocks, threads)
    }
}
