//! From `litz_arg` to the graph's arguments.

use super::graph::litz_graph;
use super::guard::{self, Failure, Outcome, invalid};
use super::handles::{Entry, GraphState};
use super::tensor::dtype_number;
use super::types::*;
use crate::base::Status;
use crate::frontend::{Number, float_bits};
use crate::ir::{Arg, Subgraph, Value};
use crate::meta::text::import;
use crate::types::{Device, DeviceKind, Layout, MemoryFormat, SymArena, SymInt};

/// The arguments of a call, split as the caller gave them.
#[derive(Default)]
pub(super) struct Args {
    pub positional: Vec<Arg>,
    pub named: Vec<(String, Arg)>,
}

/// Reads a call's arguments.
///
/// # Safety
/// `args` is NULL or points at `n` arguments whose pointers are NULL or readable for their counts.
pub(super) unsafe fn read(state: &GraphState, args: *const litz_arg, n: usize) -> Outcome<Args> {
    let mut read = Args::default();
    // SAFETY: as the caller vouches.
    for (k, arg) in unsafe { guard::list(args, n, "args") }?.iter().enumerate() {
        let name = if arg.name.is_null() {
            None
        } else {
            // SAFETY: as the caller vouches.
            Some(unsafe { guard::text(arg.name, &format!("args[{k}].name")) }?)
        };
        let place = match name {
            Some(name) => format!("args[{k}] (`{name}`)"),
            None => format!("args[{k}]"),
        };
        // SAFETY: as the caller vouches.
        let value = unsafe { convert(state, arg) }.map_err(|f| f.within(&place).with("argument", k))?;
        match name {
            Some(name) => read.named.push((name.to_string(), value)),
            None if !read.named.is_empty() => {
                return Err(invalid(format!("{place}: a positional argument stands behind a named one")));
            }
            None => read.positional.push(value),
        }
    }
    Ok(read)
}

/// # Safety
/// The argument's pointers are NULL or readable for its counts.
unsafe fn convert(state: &GraphState, arg: &litz_arg) -> Outcome<Arg> {
    if arg.reserved0 != 0 || arg.reserved != [0; 3] {
        return Err(invalid("its reserved members must be zero: zero the struct before filling it"));
    }
    let syms = &state.graph.syms;
    Ok(match arg.kind {
        LITZ_ARG_NONE => Arg::None,
        LITZ_ARG_VALUE => match state.entry(arg.value)? {
            Entry { tensor: Some(value), .. } => Arg::Value(value),
            Entry { number: Some(number), .. } => from_number(syms, number)?,
            Entry { .. } => return Err(invalid("the value is neither a tensor nor a symbol")),
        },
        LITZ_ARG_SYMBOL => match state.entry(arg.value)? {
            Entry { number: Some(number), .. } => from_number(syms, number)?,
            // The message names the tensor.
            Entry { .. } => Arg::Int(state.symbol(arg.value)?),
        },
        LITZ_ARG_INT => Arg::Int(syms.constant(arg.i)),
        LITZ_ARG_FLOAT => Arg::Float(arg.f),
        LITZ_ARG_BOOL => Arg::Bool(arg.i != 0),
        // SAFETY: as the caller vouches.
        LITZ_ARG_INTS => Arg::Ints(unsafe { ints(state, arg) }?),
        LITZ_ARG_BOOLS => {
            // SAFETY: as the caller vouches.
            Arg::Bools(unsafe { guard::list(arg.ints, arg.n, "ints") }?.iter().map(|i| *i != 0).collect())
        }
        LITZ_ARG_VALUES => {
            // SAFETY: as the caller vouches.
            let list = unsafe { guard::list(arg.values, arg.n, "values") }?;
            let of = |(k, v): (usize, &litz_value)| -> Outcome<Option<Value>> {
                let place = || format!("values[{k}]");
                if *v == 0 { Ok(None) } else { state.tensor(*v).map(Some).map_err(|f| f.within(&place())) }
            };
            Arg::Values(list.iter().enumerate().map(of).collect::<Outcome<_>>()?)
        }
        // SAFETY: as the caller vouches.
        LITZ_ARG_FLOATS => Arg::Floats(unsafe { guard::list(arg.floats, arg.n, "floats") }?.to_vec()),
        // SAFETY: as the caller vouches.
        LITZ_ARG_STRING => Arg::Str(unsafe { guard::text(arg.s, "s") }?.to_string()),
        LITZ_ARG_DTYPE => Arg::Dtype(dtype_number(arg.i, "i")?),
        LITZ_ARG_DEVICE => Arg::Device(device(arg.i)?),
        LITZ_ARG_MEMORY_FORMAT => Arg::MemoryFormat(
            MemoryFormat::from_number(arg.i)
                .ok_or_else(|| invalid(format!("{} is no LITZ_MEMORY_FORMAT_…", arg.i)))?,
        ),
        LITZ_ARG_LAYOUT if arg.i == i64::from(LITZ_LAYOUT_STRIDED) => Arg::Layout(Layout::Strided),
        LITZ_ARG_LAYOUT => return Err(unsupported(format!("layout {}: only strided tensors", arg.i))),
        LITZ_ARG_COMPLEX => Arg::Complex([arg.f, arg.f_imag]),
        LITZ_ARG_SUBGRAPH => {
            // SAFETY: as the caller vouches.
            Arg::Graph(unsafe { subgraph(arg.subgraph, "subgraph", state) }?)
        }
        LITZ_ARG_SUBGRAPHS => {
            // SAFETY: as the caller vouches.
            let list = unsafe { guard::list(arg.subgraphs, arg.n, "subgraphs") }?;
            // SAFETY: as the caller vouches.
            let one = |(k, g): (usize, &*const litz_graph)| unsafe {
                subgraph(*g, &format!("subgraphs[{k}]"), state)
            };
            Arg::Graphs(list.iter().enumerate().map(one).collect::<Outcome<_>>()?)
        }
        other => return Err(invalid(format!("{other} is no LITZ_ARG_…"))),
    })
}

/// A graph that a node runs, in the arena of the graph that it is for.
///
/// # Safety
/// The pointer is NULL or a graph's.
unsafe fn subgraph(graph: *const litz_graph, name: &str, state: &GraphState) -> Outcome<Subgraph> {
    // SAFETY: as the caller vouches.
    let graph = unsafe { guard::get(graph, name) }?.sound()?;
    if !graph.constants.is_empty() {
        return Err(unsupported("a subgraph with constants of its own; give them as operands"));
    }
    let inner = import(&state.graph, graph, &mut state.imported.borrow_mut());
    inner.map_err(|e| invalid(format!("the subgraph: {}", e.message)))
}

fn from_number(syms: &SymArena, number: Number) -> Outcome<Arg> {
    match number {
        Number::Int(s) | Number::Bool(s) => Ok(Arg::Int(s)),
        Number::Float(v) => Ok(Arg::Float(v)),
        Number::Quotient(..) | Number::Bits(_) => Ok(Arg::SymFloat(float_bits(syms, number))),
    }
}

fn unsupported(what: impl std::fmt::Display) -> Failure {
    Failure::new(Status::Unsupported, format!("not supported: {what}"))
}

/// # Safety
/// The argument's `ints` and `values` are NULL or have `n` items.
unsafe fn ints(state: &GraphState, arg: &litz_arg) -> Outcome<Vec<SymInt>> {
    // SAFETY: as the caller vouches.
    let list = unsafe { guard::list(arg.ints, arg.n, "ints") }?;
    let mut result: Vec<SymInt> = list.iter().map(|i| state.graph.syms.constant(*i)).collect();
    if !arg.values.is_null() {
        // SAFETY: as the caller vouches.
        for (k, value) in unsafe { guard::list(arg.values, arg.n, "values") }?.iter().enumerate() {
            if *value != 0 {
                result[k] = state.symbol(*value).map_err(|f| f.within(&format!("values[{k}]")))?;
            }
        }
    }
    Ok(result)
}

fn device(number: i64) -> Outcome<Device> {
    let index = number as u32 as i32;
    let kind = match number >> 32 {
        1 => DeviceKind::Cpu,
        2 => DeviceKind::Cuda,
        other => {
            return Err(Failure::new(
                Status::Device,
                format!("device type {other}: 1 is the CPU, 2 is CUDA"),
            ));
        }
    };
    Ok(Device { kind, index })
}
