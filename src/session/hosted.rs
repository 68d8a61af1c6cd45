//! A host's backend: it is given the functional graph and returns a callable, which is the one kernel of the plan.
//!
//! Binding, sizes, guards, copies of strided inputs and what is written back are the executor's, as for every program.
//!
//! Deliberately absent: graphs that give symbols in the middle of a run, since the callable is told all sizes beforehand.

use super::SessionError;
use super::link::{Call, Linked, link};
use super::registry::HostError;
use crate::base::Status;
use crate::ir::{Graph, Number, OutputValue, gives_symbols};
use crate::loops::{Operators, Program, lower};
use crate::runtime::{Code, HostKernel, KernelCall, KernelFailure, RuntimeError};
use crate::schedule::{Schedule, one_kernel};
use crate::types::dlpack::{DLDataType, DLDevice, DLTensor};
use crate::types::{Dtype, Scalar, SymArena, SymInt, SymbolId};
use std::sync::Arc;

/// One run of a host's callable. Tensors are contiguous and on the CPU.
pub struct HostCall<'a> {
    pub inputs: &'a [DLTensor],
    pub constants: &'a [DLTensor],
    /// The graph's outputs, then what is written back.
    pub outputs: &'a [DLTensor],
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
    if gives_symbols(graph) {
        return Err(refuse(format!(
            "backend `{}` cannot compile this graph: sizes in it depend on what a run computes",
            backend.name
        )));
    }
    let run = (backend.compile)(graph).map_err(|e| e.within(&format!("backend `{}`", backend.name)))?;
    let program = lower::interface(graph);
    let nodes = graph.order.iter().map(|id| &graph.nodes[*id]);
    let computed: Vec<Operators> = nodes.map(|n| Operators::new(n.op.name(), &n.origins)).collect();
    let operators = Operators::of(&computed);
    let given = program.inputs.iter().chain(&program.constants).copied();
    let made = program.outputs.iter().copied().chain(program.writes.iter().map(|w| w.1));
    let schedule = one_kernel(&program, given.clone().collect(), made.clone().collect(), operators);
    let buffers: Vec<_> = given.chain(made).collect();
    let places: Vec<Place> = buffers
        .iter()
        .map(|b| &program.buffers[*b])
        .map(|data| Place { dtype: data.dtype, sizes: data.sizes.clone() })
        .collect();
    let syms = Arc::clone(&graph.syms);
    let first = program.inputs.len() + program.constants.len();
    let numbers = graph.outputs.iter().enumerate().filter_map(|(k, o)| match o.value {
        OutputValue::Number(number) => Some((first + k, number)),
        OutputValue::Tensor(_) => None,
    });
    let numbers: Vec<(usize, Number)> = numbers.collect();
    let mut symbols: Vec<SymbolId> = Vec::new();
    let sizes = places.iter().flat_map(|p| p.sizes.iter().copied());
    let sizes = sizes.chain(numbers.iter().filter_map(|(_, number)| size_of(*number)));
    for symbol in sizes.flat_map(|s| syms.symbols(s)) {
        if !symbols.contains(&symbol) {
            symbols.push(symbol);
        }
    }
    let one = syms.constant(1);
    let call = Call {
        symbol: backend.name.clone(),
        buffers,
        symbols: symbols.clone(),
        tasks: one,
        grain: one,
        scratch: syms.constant(0),
        maps: Vec::new(),
        routine: None,
    };
    let linked = link(graph, &program, &schedule, &[], &[call])?;
    let (n_inputs, n_constants) = (program.inputs.len(), program.constants.len());
    let held = Arc::clone(backend);
    let kernel: HostKernel = Box::new(move |call: &KernelCall<'_>| {
        let value = |id: SymbolId| symbols.iter().position(|s| *s == id).map(|k| call.scalars[k]);
        let tensors = Tensors::of(&syms, &places, &value, call)?;
        for (place, number) in &numbers {
            let bytes = bytes_of(&syms, *number, &value)?;
            call.buffers[*place].iter().zip(bytes).for_each(|(cell, byte)| cell.set(byte));
        }
        let all = tensors.list();
        let (inputs, rest) = all.split_at(n_inputs);
        let (constants, outputs) = rest.split_at(n_constants);
        run(&HostCall { inputs, constants, outputs }).map_err(|e| {
            let message = format!("backend `{}`: {}", held.name, e.message);
            KernelFailure::Failed(RuntimeError::new(e.status, message))
        })
    });
    Ok((program, linked, schedule, Code::Host(vec![kernel])))
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
        call: &KernelCall<'_>,
    ) -> Result<Tensors, KernelFailure> {
        let mut made =
            Tensors { data: Vec::new(), dtypes: Vec::new(), shapes: Vec::new(), strides: Vec::new() };
        for (place, buffer) in places.iter().zip(call.buffers) {
            let sizes: Vec<i64> =
                place.sizes.iter().map(|s| evaluated(syms, *s, value)).collect::<Result<_, _>>()?;
            let mut strides = vec![1i64; sizes.len()];
            for k in (1..sizes.len()).rev() {
                strides[k - 1] = strides[k].saturating_mul(sizes[k].max(1));
            }
            made.data.push(buffer.as_ptr().cast_mut().cast());
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
