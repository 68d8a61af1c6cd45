//! Whole programs, and single nodes as kernels of a backend.

use super::nodes::NodeCode;
use super::{InterpError, Memory};
use crate::base::HashMap;
use crate::loops::{BufferId, Control, NodeKind, Program};
use crate::types::SymbolId;
use std::sync::Arc;

/// Runs a compiled node on a memory. Results are computed aside and copied, so that a memory need not lend its
/// buffers apart.
pub(super) fn run_code(
    program: &Program,
    code: &NodeCode,
    memory: &mut dyn Memory,
    symbols: &dyn Fn(SymbolId) -> Option<i64>,
) -> Result<(), InterpError> {
    let missing = |b: BufferId| InterpError::internal(format!("buffer {b} has no memory"));
    let lengths = code.byte_lengths(program, symbols)?;
    let mut results: Vec<Vec<u8>> = lengths[code.reads.len()..].iter().map(|n| vec![0; *n]).collect();
    {
        let reads = code
            .reads
            .iter()
            .map(|b| memory.read(*b).ok_or_else(|| missing(*b)))
            .collect::<Result<Vec<_>, _>>()?;
        let mut outs: Vec<&mut [u8]> = results.iter_mut().map(Vec::as_mut_slice).collect();
        code.run(program, symbols, &reads, &mut outs)?;
    }
    for (buffer, bytes) in code.outs.iter().zip(results) {
        let to = memory.write(*buffer).ok_or_else(|| missing(*buffer))?;
        let to = to
            .get_mut(..bytes.len())
            .ok_or_else(|| InterpError::internal(format!("buffer {buffer} is too small for its sizes")))?;
        to.copy_from_slice(&bytes);
    }
    Ok(())
}

/// The compiled nodes of a program.
pub struct Interpreter {
    kernels: Vec<Option<NodeKernel>>,
}

impl Interpreter {
    pub fn new(program: Arc<Program>) -> Result<Interpreter, InterpError> {
        let kernels = (0..program.nodes.len())
            .map(|k| match program.nodes[k].kind {
                NodeKind::Control(_) => Ok(None),
                _ => {
                    Ok(Some(NodeKernel { code: NodeCode::new(&program, k)?, program: Arc::clone(&program) }))
                }
            })
            .collect::<Result<_, InterpError>>()?;
        Ok(Interpreter { kernels })
    }
    /// One kernel for each node, in order; none for control nodes.
    pub fn kernels(&self) -> &[Option<NodeKernel>] {
        &self.kernels
    }
    pub fn into_kernels(self) -> Vec<Option<NodeKernel>> {
        self.kernels
    }
}

/// One node as a kernel: what the executor calls, but for the pointers. It is one task.
pub struct NodeKernel {
    program: Arc<Program>,
    code: NodeCode,
}

/// The memory of one buffer in one call.
pub enum RawBuffer<'a> {
    Read(&'a [u8]),
    Write(&'a mut [u8]),
}

impl NodeKernel {
    /// The buffers that the kernel reads.
    pub fn reads(&self) -> &[BufferId] {
        &self.code.reads
    }
    /// The buffers that the kernel writes.
    pub fn writes(&self) -> &[BufferId] {
        &self.code.outs
    }
    /// The buffers that a call expects, in order: those read, then those written.
    pub fn buffers(&self) -> Vec<BufferId> {
        self.code.reads.iter().chain(&self.code.outs).copied().collect()
    }
    /// The symbols whose values a call expects as scalars, in order.
    pub fn symbols(&self) -> &[SymbolId] {
        &self.code.symbols
    }

    /// Bytes of each of [`Self::buffers`] for these values of symbols.
    pub fn byte_lengths(&self, scalars: &[i64]) -> Result<Vec<usize>, InterpError> {
        self.code.byte_lengths(&self.program, &|s| self.value(scalars, s))
    }

    /// Computes the node. 0, or 1 + the number of the assertion that does not hold, or -1 for a mistake of Litz.
    pub fn run(&self, buffers: &mut [RawBuffer<'_>], scalars: &[i64]) -> i32 {
        match self.try_run(buffers, scalars) {
            Ok(()) => 0,
            Err(InterpError::Assertion(number)) => number as i32 + 1,
            Err(error) => {
                tracing::error!("{error}");
                -1
            }
        }
    }
    /// [`Self::run`] with the error told.
    pub fn try_run(&self, buffers: &mut [RawBuffer<'_>], scalars: &[i64]) -> Result<(), InterpError> {
        let (mut reads, mut writes): (Vec<&[u8]>, Vec<&mut [u8]>) = (Vec::new(), Vec::new());
        for buffer in buffers.iter_mut() {
            match buffer {
                RawBuffer::Read(bytes) => reads.push(bytes),
                RawBuffer::Write(bytes) => writes.push(bytes),
            }
        }
        if reads.len() != self.code.reads.len() || writes.len() != self.code.outs.len() {
            return Err(InterpError::internal("a kernel is called with a wrong number of buffers"));
        }
        self.code.run(&self.program, &|s| self.value(scalars, s), &reads, &mut writes)
    }

    fn value(&self, scalars: &[i64], symbol: SymbolId) -> Option<i64> {
        let place = self.code.symbols.iter().position(|s| *s == symbol)?;
        scalars.get(place).copied()
    }
}

struct Owned {
    buffers: Vec<Vec<u8>>,
}

impl Memory for Owned {
    fn read(&self, buffer: BufferId) -> Option<&[u8]> {
        self.buffers.get(buffer.index()).map(Vec::as_slice)
    }
    fn write(&mut self, buffer: BufferId) -> Option<&mut [u8]> {
        self.buffers.get_mut(buffer.index()).map(Vec::as_mut_slice)
    }
}

/// Does what a control node says: gives the node that is next, and the value of the symbol that it gives. `returns` are the
/// nodes that follow once the functions that run end.
fn steer(
    program: &Program,
    node: usize,
    control: &Control,
    memory: &mut Owned,
    symbols: &dyn Fn(SymbolId) -> Option<i64>,
    returns: &mut Vec<usize>,
) -> Result<(usize, Option<i64>), InterpError> {
    let eval = |e| program.syms.eval(e, symbols).map_err(|e| InterpError::internal(e.to_string()));
    let bytes = |b: BufferId| memory.buffers[b.index()].as_slice();
    let holds = |b: BufferId| bytes(b).first().is_some_and(|byte| *byte != 0);
    let next = node + 1;
    Ok(match control {
        Control::Read { buffer, .. } => {
            let number = match bytes(*buffer) {
                [truth] => i64::from(*truth != 0),
                [a, b, c, d, e, f, g, h, ..] => i64::from_ne_bytes([*a, *b, *c, *d, *e, *f, *g, *h]),
                _ => return Err(InterpError::internal("there is no number to read")),
            };
            (next, Some(number))
        }
        Control::Set { value, .. } => (next, Some(eval(*value)?)),
        Control::Check { condition, .. } if eval(*condition)? != 0 => (next, None),
        Control::Check { assertion, .. } => return Err(InterpError::Assertion(*assertion)),
        // The run that this stands beside prints.
        Control::Print { .. } | Control::Fence => (next, None),
        Control::Copy { destination, source } => {
            memory.buffers[destination.index()] = memory.buffers[source.index()].clone();
            (next, None)
        }
        Control::Place { destination, source, start } => {
            let begin = usize::try_from(eval(program.bytes_before(*destination, *start))?);
            let slice = memory.buffers[source.index()].clone();
            let whole = &mut memory.buffers[destination.index()];
            let range = begin.ok().and_then(|begin| whole.get_mut(begin..begin.checked_add(slice.len())?));
            let range = range.ok_or_else(|| InterpError::internal("a slice lies outside of its tensor"))?;
            range.copy_from_slice(&slice);
            (next, None)
        }
        Control::If { predicate } if holds(*predicate) => (next, None),
        Control::If { .. } => (matching(program, node, &|c| *c == Control::Else, true) + 1, None),
        Control::Else => (matching(program, node, &|c| *c == Control::EndIf, true) + 1, None),
        Control::Do { predicate } if holds(*predicate) => (next, None),
        Control::Do { .. } => (matching(program, node, &|c| *c == Control::EndWhile, true) + 1, None),
        Control::EndWhile => (matching(program, node, &|c| *c == Control::While, false), None),
        Control::EndIf | Control::While => (next, None),
        Control::Function { .. } => {
            returns.push(next_of_block(program, node));
            (next, None)
        }
        Control::EndFunction => (returns.pop().unwrap_or(next), None),
        Control::Again { function } => {
            let number = *function;
            let is_it =
                |n: &crate::loops::LoopNode| n.kind == NodeKind::Control(Control::Function { number });
            let begin = program.nodes[..node].iter().position(is_it);
            let begin = begin.ok_or_else(|| InterpError::internal("there is no such function"))?;
            returns.push(next);
            (begin + 1, None)
        }
    })
}

/// The node behind the function that begins at `node`.
fn next_of_block(program: &Program, node: usize) -> usize {
    let mut depth = 0;
    for (k, n) in program.nodes.iter().enumerate().skip(node) {
        match n.kind {
            NodeKind::Control(Control::Function { .. }) => depth += 1,
            NodeKind::Control(Control::EndFunction) => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return k + 1;
        }
    }
    program.nodes.len()
}

/// The mark that belongs to the one at `node`: forwards, or backwards to where the block begins.
fn matching(program: &Program, node: usize, wanted: &dyn Fn(&Control) -> bool, forwards: bool) -> usize {
    let mut depth = 0;
    let mut at = node;
    loop {
        at = if forwards { at + 1 } else { at - 1 };
        let NodeKind::Control(control) = &program.nodes[at].kind else { continue };
        if depth == 0 && wanted(control) {
            return at;
        }
        let opens = matches!(control, Control::If { .. } | Control::While);
        let closes = matches!(control, Control::EndIf | Control::EndWhile);
        depth += i32::from(if forwards { opens } else { closes });
        depth -= i32::from(if forwards { closes } else { opens });
    }
}

/// The outputs of a run, and what it writes back.
pub type Results = (Vec<Vec<u8>>, Vec<Vec<u8>>);

/// Runs all nodes of a program on contiguous inputs and constants. Gives the outputs, and then what
/// `Program::writes` copies back, in order.
pub fn run_program(
    program: &Program,
    inputs: &[&[u8]],
    constants: &[&[u8]],
    symbols: &dyn Fn(SymbolId) -> Option<i64>,
) -> Result<Results, InterpError> {
    if inputs.len() != program.inputs.len() || constants.len() != program.constants.len() {
        return Err(InterpError::internal("a wrong number of inputs or constants is given"));
    }
    let mut memory = Owned { buffers: vec![Vec::new(); program.buffers.len()] };
    let given = program.inputs.iter().zip(inputs).chain(program.constants.iter().zip(constants));
    for (buffer, bytes) in given {
        memory.buffers[buffer.index()] = bytes.to_vec();
    }
    let mut late: HashMap<SymbolId, i64> = HashMap::default();
    let (mut node, mut returns) = (0, Vec::new());
    while node < program.nodes.len() {
        let value = |s: SymbolId| late.get(&s).copied().or_else(|| symbols(s));
        if let NodeKind::Control(control) = &program.nodes[node].kind {
            let given = control.gives();
            let (next, number) = steer(program, node, control, &mut memory, &value, &mut returns)?;
            if let (Some(symbol), Some(number)) = (given, number) {
                late.insert(symbol, number);
            }
            node = next;
            continue;
        }
        let code = NodeCode::new(program, node)?;
        let lengths = code.byte_lengths(program, &value)?;
        for (buffer, length) in code.outs.iter().zip(&lengths[code.reads.len()..]) {
            memory.buffers[buffer.index()] = vec![0; *length];
        }
        run_code(program, &code, &mut memory, &value)?;
        node += 1;
    }
    let take = |b: &BufferId| memory.buffers[b.index()].clone();
    Ok((program.outputs.iter().map(take).collect(), program.writes.iter().map(|w| take(&w.1)).collect()))
}
