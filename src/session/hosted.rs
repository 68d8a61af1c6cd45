//! A host's backend: it is given the functional graph and returns a callable, which is the one kernel of the plan.
//!
//! Binding, sizes, guards, copies of strided inputs and what is written back are the executor's, as for every program.
//!
//! Results with data-dependent sizes lie in memory of this module until the callable returns. The plan then reads the symbols
//! that they give, as any number in a tensor, allocates the outputs, and a second kernel copies the results there.

use super::SessionError;
use super::decided::{Decided, Results};
use super::link::{Call, Linked, link};
use super::registry::HostError;
use crate::base::{HashMap, Status};
use crate::ir::{Definition, Graph, Number, OutputValue, Value};
use crate::loop_passes;
use crate::loops::{
    BufferData, BufferId, BufferKind, Control, LoopNode, NodeKind, Operators, Program, lower,
};
use crate::runtime::{Code, HostKernel, KernelCall, KernelFailure, RuntimeError};
use crate::schedule::{Opaque, Schedule, opaque_kernels};
use crate::types::dlpack::{DLDataType, DLDevice, DLTensor};
use crate::types::{Dtype, Scalar, SymArena, SymInt, SymbolId};
use std::cell::Cell;
use std::sync::{Arc, Mutex, MutexGuard};

/// Gives an output, by its number, its sizes and memory.
pub type Resize<'a> = dyn Fn(usize, &[i64]) -> Result<(), HostError> + 'a;

/// One run of a host's callable. Tensors are contiguous and on the CPU.
pub struct HostCall<'a> {
    pub inputs: &'a [DLTensor],
    pub constants: &'a [DLTensor],
    /// The graph's outputs, then what is written back. Without data: those whose sizes the callable decides.
    pub outputs: &'a [Cell<DLTensor>],
    /// Gives an output sizes and memory.
    pub resize: &'a Resize<'a>,
}

/// What a host's backend made of a graph.
pub type HostProgram = Box<dyn Fn(&HostCall<'_>) -> Result<(), HostError> + Send + Sync>;

/// Compiles a functional graph.
pub type HostCompiler = Box<dyn Fn(&Graph) -> Result<HostProgram, HostError> + Send + Sync>;

/// A backend that a host registered.
pub struct HostBackend {
    pub name: String,
    pub tags: Vec<String>,
    /// Its graphs have no composite operators.
    pub decomposed: bool,
    /// Its callables give the same results at every run.
    pub deterministic: bool,
    pub compile: HostCompiler,
}

/// A tensor of the call, whose sizes the run's symbols give.
struct Place {
    dtype: Dtype,
    sizes: Vec<SymInt>,
}

/// The plan of a graph whose kernel is the host's callable.
pub(super) fn build(
    graph: &Graph,
    backend: &Arc<HostBackend>,
) -> Result<(Program, Linked, Schedule, Code), SessionError> {
    let refuse = |message: String| SessionError::Option { status: Status::Unsupported, message };
    let decided = Decided::of(graph)
        .map_err(|why| refuse(format!("backend `{}` cannot compile this graph: {why}", backend.name)))?;
    let run = (backend.compile)(graph).map_err(|e| e.within(&format!("backend `{}`", backend.name)))?;
    let mut program = lower::interface(graph);
    let nodes = graph.order.iter().map(|id| &graph.nodes[*id]);
    let computed: Vec<Operators> = nodes.map(|n| Operators::new(n.name(), &n.origins)).collect();
    let operators = Operators::of(&computed);
    let given: Vec<BufferId> = program.inputs.iter().chain(&program.constants).copied().collect();
    let made: Vec<BufferId> =
        program.outputs.iter().copied().chain(program.writes.iter().map(|w| w.1)).collect();
    let is_decided = |k: usize| decided.as_ref().is_some_and(|d| d.is_tensor(k));
    let late: Vec<usize> = (0..program.outputs.len()).filter(|k| is_decided(*k)).collect();
    let cells = match &decided {
        Some(decided) => cells_for(&mut program, decided, &operators),
        None => Vec::new(),
    };
    let ready = made.iter().enumerate().filter(|(k, _)| !is_decided(*k)).map(|(_, b)| *b);
    let written: Vec<BufferId> = ready.chain(cells.iter().copied()).collect();
    let mut kernels =
        vec![Opaque { reads: given.clone(), writes: written.clone(), operators: operators.clone() }];
    let copied: Vec<BufferId> = late.iter().map(|k| made[*k]).collect();
    if let Some(ticket) = cells.first() {
        kernels.push(Opaque { reads: vec![*ticket], writes: copied.clone(), operators });
    }
    let schedule = opaque_kernels(&program, kernels);
    let buffers: Vec<BufferId> = given.iter().chain(&made).copied().collect();
    // As the graph has them: its complex numbers are pairs in the program.
    let place = |(buffer, value): (&BufferId, Option<Value>)| match value.map(|v| graph.meta(v)) {
        Some(meta) if meta.dtype.is_complex() => Place { dtype: meta.dtype, sizes: meta.shape.clone() },
        _ => {
            let data = &program.buffers[*buffer];
            Place { dtype: data.dtype, sizes: data.sizes.clone() }
        }
    };
    let places: Vec<Place> = buffers.iter().zip(values_of(graph)).map(place).collect();
    // The callable fills each result in the order of its sizes, and what it filled is turned.
    let orders: Vec<Option<Vec<usize>>> =
        (0..program.outputs.len()).map(|k| loop_passes::order_of_result(&program, k)).collect();
    for (k, order) in orders.iter().enumerate().filter_map(|(k, order)| Some((k, order.as_ref()?))) {
        loop_passes::lay_out_result(&mut program, k, order);
    }
    let syms = Arc::clone(&graph.syms);
    let first = program.inputs.len() + program.constants.len();
    let numbers = graph.outputs.iter().enumerate().filter_map(|(k, o)| match o.value {
        // The callable fills in those that it decides.
        OutputValue::Number(number) => {
            (!decided.as_ref().is_some_and(|d| d.is_number(k))).then_some((first + k, number))
        }
        OutputValue::Tensor(_) => None,
    });
    let numbers: Vec<(usize, Number)> = numbers.collect();
    let mut symbols: Vec<SymbolId> = Vec::new();
    let sizes = places.iter().flat_map(|p| p.sizes.iter().copied());
    let sizes = sizes.chain(numbers.iter().filter_map(|(_, number)| size_of(*number)));
    let sizes = sizes.chain(decided.iter().flat_map(Decided::expressions));
    for symbol in sizes.flat_map(|s| syms.sources(s)) {
        if !symbols.contains(&symbol) && !program.unbacked.contains(&symbol) {
            symbols.push(symbol);
        }
    }
    let one = syms.constant(1);
    let call = |symbol: String, buffers: Vec<BufferId>, symbols: Vec<SymbolId>| Call {
        symbol,
        buffers,
        symbols,
        tasks: one,
        grain: one,
        scratch: syms.constant(0),
        maps: Vec::new(),
        routine: None,
    };
    let now: Vec<BufferId> = given.iter().chain(&written).copied().collect();
    let mut calls = vec![call(backend.name.clone(), now.clone(), symbols.clone())];
    if let Some(ticket) = cells.first() {
        let buffers = std::iter::once(*ticket).chain(copied).collect();
        calls.push(call(format!("{}.results", backend.name), buffers, Vec::new()));
    }
    let linked = link(graph, &program, &schedule, &[], &calls)?;
    let (n_inputs, n_constants) = (program.inputs.len(), program.constants.len());
    // Where each tensor of the call is among the kernel's buffers; nowhere before its sizes are decided.
    let of_call: Vec<Option<usize>> = buffers.iter().map(|b| now.iter().position(|n| n == b)).collect();
    let cells: Vec<usize> = cells.iter().filter_map(|b| now.iter().position(|n| n == b)).collect();
    let held = Arc::clone(backend);
    let waiting: Arc<Waiting> = Arc::default();
    let results_of = Arc::clone(&waiting);
    let kernel: HostKernel = Box::new(move |call: &KernelCall<'_>| {
        let fail = |e: HostError| {
            let message = format!("backend `{}`: {}", held.name, e.message);
            KernelFailure::Failed(RuntimeError::new(e.status, message))
        };
        let value = |id: SymbolId| symbols.iter().position(|s| *s == id).map(|k| call.scalars[k]);
        let memory: Vec<Option<&[Cell<u8>]>> = of_call.iter().map(|k| k.map(|k| call.buffers[k])).collect();
        let tensors = Tensors::of(&syms, &places, &value, &memory)?;
        let fill = |cells: &[Cell<u8>], bytes: &[u8]| {
            cells.iter().zip(bytes).for_each(|(cell, byte)| cell.set(*byte));
        };
        for (place, number) in &numbers {
            let bytes = bytes_of(&syms, *number, &value)?;
            fill(memory[*place].unwrap_or_default(), &bytes);
        }
        let mut all = tensors.list();
        let outputs: Vec<Cell<DLTensor>> = all.drain(first..).map(Cell::new).collect();
        let (inputs, constants) = all.split_at(n_inputs);
        debug_assert_eq!(constants.len(), n_constants);
        let results = Results::default();
        let resize = |output: usize, shape: &[i64]| match (&decided, outputs.get(output)) {
            (Some(decided), Some(tensor)) => decided.resize(&results, output, shape, tensor),
            _ => Err(HostError::given_already(output)),
        };
        run(&HostCall { inputs, constants, outputs: &outputs, resize: &resize }).map_err(fail)?;
        for (k, order) in orders.iter().enumerate().filter_map(|(k, order)| Some((k, order.as_ref()?))) {
            if let Some(cells) = memory[first + k] {
                let bytes: Vec<u8> = cells.iter().map(Cell::get).collect();
                fill(cells, &turned(&bytes, &tensors.shapes[first + k], order));
            }
        }
        let Some(decided) = &decided else { return Ok(()) };
        let bytes = |output: usize| {
            memory[first + output].unwrap_or_default().iter().map(Cell::get).collect::<Vec<u8>>()
        };
        let values = decided.bind(&results, &value, &bytes).map_err(fail)?;
        let (ticket, numbers) = cells.split_first().expect("there is a cell for the ticket");
        for (cell, symbol) in numbers.iter().zip(decided.symbols()) {
            fill(call.buffers[*cell], &values[&symbol].to_ne_bytes());
        }
        let laid = |k: usize, sizes: &[i64], bytes: Vec<u8>| match &orders[k] {
            Some(order) => turned(&bytes, sizes, order),
            None => bytes,
        };
        waiting.put(call.buffers[*ticket], results.into_bytes(laid));
        Ok(())
    });
    let copy: HostKernel = Box::new(move |call: &KernelCall<'_>| {
        let mut results = results_of.take(call.buffers[0]);
        for (output, target) in late.iter().zip(&call.buffers[1..]) {
            let bytes = results.remove(output).unwrap_or_default();
            target.iter().zip(&bytes).for_each(|(cell, byte)| cell.set(*byte));
        }
        Ok(())
    });
    let kernels = if calls.len() == 1 { vec![kernel] } else { vec![kernel, copy] };
    Ok((program, linked, schedule, Code::Host(kernels)))
}

/// Results between the callable and the kernel that copies them, keyed by the address of a buffer of the run. A run that ends in
/// between leaves its results here; the next run with that address replaces them, and the program's end frees them.
#[derive(Default)]
struct Waiting(Mutex<HashMap<usize, HashMap<usize, Vec<u8>>>>);

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, HashMap<usize, HashMap<usize, Vec<u8>>>> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }
    fn put(&self, ticket: &[Cell<u8>], results: Vec<(usize, Vec<u8>)>) {
        self.lock().insert(ticket.as_ptr() as usize, results.into_iter().collect());
    }
    fn take(&self, ticket: &[Cell<u8>]) -> HashMap<usize, Vec<u8>> {
        self.lock().remove(&(ticket.as_ptr() as usize)).unwrap_or_default()
    }
}

/// The values of a call's tensors, in their order; none for numbers.
fn values_of(graph: &Graph) -> impl Iterator<Item = Option<Value>> + '_ {
    let given = graph.inputs.iter().map(|i| i.value).chain(graph.constants.iter().map(|c| c.value));
    let made = graph.outputs.iter().map(|o| match o.value {
        OutputValue::Tensor(value) => Some(value),
        OutputValue::Number(_) => None,
    });
    let targets = graph.writes.iter().filter(|w| !matches!(w.target, Definition::Node { .. }));
    given.map(Some).chain(made).chain(targets.map(|w| Some(w.value)))
}

/// The elements of a contiguous tensor with its dimensions in another order in memory, outermost first. The parts of a complex number
/// may be a last dimension of the order alone.
fn turned(bytes: &[u8], sizes: &[i64], order: &[usize]) -> Vec<u8> {
    let order: Vec<usize> = order.iter().copied().filter(|dim| *dim < sizes.len()).collect();
    let mut strides = vec![1usize; sizes.len()];
    for k in (1..sizes.len()).rev() {
        strides[k - 1] = strides[k] * sizes[k] as usize;
    }
    let count: usize = sizes.iter().map(|n| *n as usize).product();
    let item = bytes.len().checked_div(count).unwrap_or(0);
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = vec![0i64; order.len()];
    for _ in 0..count {
        let at: usize = order.iter().zip(&index).map(|(dim, i)| strides[*dim] * *i as usize).sum();
        out.extend_from_slice(&bytes[at * item..(at + 1) * item]);
        for place in (0..order.len()).rev() {
            index[place] += 1;
            if index[place] < sizes[order[place]] {
                break;
            }
            index[place] = 0;
        }
    }
    out
}

/// A buffer whose address names the run, and one for each symbol that results give, which a control node reads.
fn cells_for(program: &mut Program, decided: &Decided, operators: &Operators) -> Vec<BufferId> {
    let cell = |program: &mut Program| {
        let (kind, dtype) = (BufferKind::Temporary, Dtype::Int64);
        let buffer = program.buffers.push(BufferData { kind, dtype, sizes: Vec::new(), strides: Vec::new() });
        program.pinned.insert(buffer);
        buffer
    };
    let mut cells = vec![cell(program)];
    for symbol in decided.symbols() {
        let buffer = cell(program);
        let kind = NodeKind::Control(Control::Read { symbol, buffer });
        program.nodes.push(LoopNode { kind, operators: operators.clone() });
        program.unbacked.insert(symbol);
        cells.push(buffer);
    }
    cells
}

/// The expression of a number that a run decides.
fn size_of(number: Number) -> Option<SymInt> {
    match number {
        Number::Symbolic(s) | Number::Truth(s) | Number::Float(s) => Some(s),
        Number::Scalar(_) => None,
    }
}

fn evaluated(
    syms: &SymArena,
    size: SymInt,
    value: &dyn Fn(SymbolId) -> Option<i64>,
) -> Result<i64, KernelFailure> {
    let failed = |e| KernelFailure::Failed(RuntimeError::new(Status::Shape, format!("a size: {e}")));
    syms.eval(size, value).map_err(failed)
}

/// An output that is a number, as its tensor holds it.
fn bytes_of(
    syms: &SymArena,
    number: Number,
    value: &dyn Fn(SymbolId) -> Option<i64>,
) -> Result<Vec<u8>, KernelFailure> {
    Ok(match number {
        Number::Symbolic(s) | Number::Float(s) => evaluated(syms, s, value)?.to_ne_bytes().to_vec(),
        Number::Truth(s) => vec![u8::from(evaluated(syms, s, value)? != 0)],
        Number::Scalar(Scalar::Int(v)) => v.to_ne_bytes().to_vec(),
        Number::Scalar(Scalar::Float(v)) => v.to_ne_bytes().to_vec(),
        Number::Scalar(Scalar::Bool(v)) => vec![u8::from(v)],
    })
}

/// Tensors over a call's buffers, and their sizes.
struct Tensors {
    data: Vec<*mut std::ffi::c_void>,
    dtypes: Vec<Dtype>,
    shapes: Vec<Vec<i64>>,
    strides: Vec<Vec<i64>>,
}

impl Tensors {
    fn of(
        syms: &SymArena,
        places: &[Place],
        value: &dyn Fn(SymbolId) -> Option<i64>,
        memory: &[Option<&[Cell<u8>]>],
    ) -> Result<Tensors, KernelFailure> {
        let mut made =
            Tensors { data: Vec::new(), dtypes: Vec::new(), shapes: Vec::new(), strides: Vec::new() };
        for (place, buffer) in places.iter().zip(memory) {
            // Sizes that are to be decided are -1 until then.
            let size = |s: &SymInt| match buffer {
                None if syms.sources(*s).into_iter().any(|id| value(id).is_none()) => Ok(-1),
                _ => evaluated(syms, *s, value),
            };
            let sizes: Vec<i64> = place.sizes.iter().map(size).collect::<Result<_, _>>()?;
            let mut strides = vec![1i64; sizes.len()];
            for k in (1..sizes.len()).rev() {
                strides[k - 1] = strides[k].saturating_mul(sizes[k].max(1));
            }
            made.data.push(buffer.map_or(std::ptr::null_mut(), |b| b.as_ptr().cast_mut().cast()));
            made.dtypes.push(place.dtype);
            made.shapes.push(sizes);
            made.strides.push(strides);
        }
        Ok(made)
    }

    /// They point into this value.
    fn list(&self) -> Vec<DLTensor> {
        (0..self.data.len())
            .map(|k| DLTensor {
                data: self.data[k],
                device: DLDevice::CPU,
                ndim: self.shapes[k].len() as i32,
                dtype: DLDataType::from(self.dtypes[k]),
                shape: self.shapes[k].as_ptr().cast_mut(),
                strides: self.strides[k].as_ptr().cast_mut(),
                byte_offset: 0,
            })
            .collect()
    }
}
