//! Graphs by handles: making one, its inputs, constants and outputs, and descriptions of its values.

use super::edit::Change;
use super::error::{give_text, litz_error, litz_string};
use super::guard::{self, Failure, Opaque, Outcome, invalid, wall};
use super::handles::{Entry, GraphState, edit, hand_over};
use super::options::litz_options;
use super::tensor::{dtype_number, is_gpus, read_host, read_spec};
use super::types::*;
use crate::base::{Bytes, Origin, Status};
use crate::frontend;
use crate::ir::{self, ConstantData, ConstantKind, Graph, Number, OutputValue};
use crate::types::{Dtype, Range, Scalar, SymInt, TensorMeta};
use std::ffi::c_char;
use std::sync::Arc;

/// A tensor program that is being built or was loaded. One thread at a time.
pub struct litz_graph {
    _opaque: [u8; 0],
}

impl Opaque for litz_graph {
    type State = GraphState;
    const MAGIC: u64 = u64::from_le_bytes(*b"LitzGrf\x01");
    const NAME: &'static str = "litz_graph";
}

/// Makes an empty graph. `o` is nullable. The caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_new(
    name: *const c_char,
    o: *const litz_options,
    out: *mut *mut litz_graph,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let name = unsafe { guard::text(name, "name") }?;
        // SAFETY: the header asks for NULL or live options.
        let operators = unsafe { super::options::read(o) }?.operators();
        let out = guard::out(out, "out")?;
        hand_over(Graph { operators, ..Graph::new(name) }, out);
        Ok(())
    })
}

/// Copies a graph; constants' data is shared. Values of the original are not values of the copy: find them by name.
/// A failed graph gives its failure. The caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_clone(
    g: *const litz_graph,
    out: *mut *mut litz_graph,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let graph = unsafe { guard::get(g, "g") }?.sound()?.clone();
        let out = guard::out(out, "out")?;
        hand_over(graph, out);
        Ok(())
    })
}

/// Declares a size that is known at run time only, from `min` to `max` (below 0: no bound). `hint` is a typical value
/// (below 0: none). Give the value as `symbols` of an input's spec, or wherever an operator takes an integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_symbol(
    g: *mut litz_graph,
    name: *const c_char,
    min: i64,
    max: i64,
    hint: i64,
    out: *mut litz_value,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers.
    unsafe {
        edit(g, Change::Signature, err, |state| {
            let name = guard::text(name, "name")?;
            let out = guard::out(out, "out")?;
            if name.is_empty() {
                return Err(invalid("`name` is empty"));
            }
            let syms = &state.graph.syms;
            let named = |s: &SymInt| syms.as_symbol(*s).is_some_and(|id| syms.symbol_name(id) == name);
            if state.graph.symbols.iter().any(named) {
                return Err(invalid(format!("the name `{name}` is taken by a symbol of this graph")));
            }
            if min < 0 {
                return Err(invalid(format!("symbol `{name}`: min is {min}; a size is not negative")));
            }
            let range = bounds(name, min, max)?;
            let hint = (hint >= 0).then_some(hint);
            if hint.is_some_and(|h| !range.contains(h)) {
                return Err(invalid(format!("symbol `{name}`: the hint is outside of its range")));
            }
            let symbol = syms.symbol(name, range, hint);
            state.graph.symbols.push(symbol);
            out.write(state.give_number(frontend::Number::Int(symbol)));
            Ok(())
        })
    }
}

fn bounds(name: &str, min: i64, max: i64) -> Outcome<Range> {
    let max = if max < 0 { i64::MAX } else { max };
    if min > max {
        return Err(invalid(format!("`{name}`: min {min} is above max {max}")));
    }
    Ok(Range::new(min, max))
}

/// Adds an input that is a number given at run time as a 0-d host tensor: int64, bool or float64. Integers and bools
/// may stand wherever a symbol may; `min` and `max` bound integers (`max` below 0: no bound).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_scalar_input(
    g: *mut litz_graph,
    name: *const c_char,
    dtype: i32,
    min: i64,
    max: i64,
    out: *mut litz_value,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers.
    unsafe {
        edit(g, Change::Signature, err, |state| {
            let name = guard::text(name, "name")?;
            let out = guard::out(out, "out")?;
            state.check_new_name(name)?;
            let tensor = match dtype_number(i64::from(dtype), "dtype")? {
                Dtype::Float64 => {
                    let meta = TensorMeta::contiguous(&state.graph.syms, Dtype::Float64, Vec::new());
                    state.graph.add_input(name, meta)
                }
                dtype @ (Dtype::Int64 | Dtype::Bool) => {
                    let range = if dtype == Dtype::Bool { Range::new(0, 1) } else { bounds(name, min, max)? };
                    let symbol = state.graph.syms.symbol(name, range, None);
                    state.graph.symbols.push(symbol);
                    state.graph.add_number_input(name, dtype, symbol)
                }
                other => {
                    let message = format!(
                        "`{name}`: a number given at run time is int64, float64 or bool, not {other}"
                    );
                    return Err(Failure::new(Status::Dtype, message));
                }
            };
            out.write(state.give_tensor(tensor));
            Ok(())
        })
    }
}

/// Adds a tensor input. Inputs are given to a run in the order they were added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_input(
    g: *mut litz_graph,
    name: *const c_char,
    spec: *const litz_tensor_spec,
    out: *mut litz_value,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers.
    unsafe {
        edit(g, Change::Signature, err, |state| {
            let name = guard::text(name, "name")?;
            let out = guard::out(out, "out")?;
            state.check_new_name(name)?;
            let meta = read_spec(state, spec).map_err(|f| f.within(&format!("input `{name}`")))?;
            // The specification was read.
            if is_gpus((*spec).device) {
                state.graph.made_on_gpu = true;
            }
            let tensor = state.graph.add_input(name, meta);
            out.write(state.give_tensor(tensor));
            Ok(())
        })
    }
}

/// Host memory that the caller keeps alive.
struct Borrowed {
    start: *const u8,
    bytes: usize,
}
// SAFETY: the caller keeps the memory alive and unchanged; it is only read.
unsafe impl Send for Borrowed {}
// SAFETY: as above.
unsafe impl Sync for Borrowed {}
impl AsRef<[u8]> for Borrowed {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the caller of `litz_graph_constant` vouches for the memory by its flag.
        unsafe { std::slice::from_raw_parts(self.start, self.bytes) }
    }
}

impl Bytes for Borrowed {
    fn origin(&self) -> Origin {
        Origin::Borrowed
    }
}

/// Adds a parameter, buffer or constant (`kind`: `LITZ_CONSTANT_…`) with its data, which lies in host memory. The
/// data is copied, unless `flags` has `LITZ_CONSTANT_BORROW`: then it must be contiguous, and stay alive and unchanged
/// until the graph and every executable made from it are released. The strides of `data` decide how results are laid out, as
/// in PyTorch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_constant(
    g: *mut litz_graph,
    name: *const c_char,
    kind: i32,
    flags: i32,
    data: *const DLTensor,
    out: *mut litz_value,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers.
    unsafe {
        edit(g, Change::Constants, err, |state| {
            let name = guard::text(name, "name")?;
            let out = guard::out(out, "out")?;
            state.check_new_name(name)?;
            let kind = constant_kind(kind, name)?;
            if flags & !LITZ_CONSTANT_BORROW != 0 {
                return Err(invalid(format!("constant `{name}`: flags {flags:#x} are not all known")));
            }
            let tensor = read_host(data, "data").map_err(|f| f.within(&format!("constant `{name}`")))?;
            let bytes = if flags & LITZ_CONSTANT_BORROW == 0 {
                ConstantData::Owned(tensor.copy()?)
            } else if !tensor.is_contiguous() {
                return Err(invalid(format!("constant `{name}`: borrowed data must be contiguous")));
            } else if tensor.bytes == 0 {
                ConstantData::Owned(Vec::new())
            } else {
                let owner = Arc::new(Borrowed { start: tensor.start(), bytes: tensor.bytes });
                ConstantData::Shared { owner, range: 0..tensor.bytes }
            };
            let syms = &state.graph.syms;
            let shape = tensor.shape.iter().map(|s| syms.constant(*s)).collect();
            let mut meta = TensorMeta::contiguous(syms, tensor.dtype, shape);
            if let Some(strides) = tensor.strides() {
                meta.strides = strides.iter().map(|s| syms.constant(*s)).collect();
            }
            let value = state.graph.add_constant(name, kind, meta, Arc::new(bytes));
            out.write(state.give_tensor(value));
            Ok(())
        })
    }
}

pub(super) fn constant_kind(kind: i32, name: &str) -> Outcome<ConstantKind> {
    match kind {
        LITZ_CONSTANT_PARAMETER => Ok(ConstantKind::Parameter),
        LITZ_CONSTANT_BUFFER => Ok(ConstantKind::Buffer),
        LITZ_CONSTANT_CONSTANT => Ok(ConstantKind::Constant),
        other => Err(invalid(format!("constant `{name}`: kind {other} is none of 0, 1, 2"))),
    }
}

/// Adds an output; outputs are given by a run in the order they were added. A symbol becomes a 0-d int64 tensor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_output(
    g: *mut litz_graph,
    name: *const c_char,
    v: litz_value,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers.
    unsafe {
        edit(g, Change::Signature, err, |state| {
            let name = guard::text(name, "name")?;
            if name.is_empty() {
                return Err(invalid("`name` is empty"));
            }
            if state.graph.outputs.iter().any(|o| o.name == name) {
                return Err(invalid(format!("the name `{name}` is taken by an output of this graph")));
            }
            let value = match state.entry(v).map_err(|f| f.within(&format!("output `{name}`")))? {
                Entry { tensor: Some(value), .. } => OutputValue::Tensor(value),
                Entry { number: Some(number), .. } => OutputValue::Number(output_number(state, number)),
                Entry { .. } => {
                    return Err(invalid(format!("output `{name}` is neither a tensor nor a symbol")));
                }
            };
            state.graph.add_output(name, value);
            Ok(())
        })
    }
}

fn output_number(state: &GraphState, number: frontend::Number) -> Number {
    let syms = &state.graph.syms;
    match number {
        frontend::Number::Int(s) => match syms.as_const(s) {
            Some(known) => Number::Scalar(Scalar::Int(known)),
            None => Number::Symbolic(s),
        },
        frontend::Number::Bool(s) => match syms.as_const(s) {
            Some(known) => Number::Scalar(Scalar::Bool(known == 1)),
            None => Number::Truth(s),
        },
        frontend::Number::Float(known) => Number::Scalar(Scalar::Float(known)),
        frontend::Number::Quotient(..) | frontend::Number::Bits(_) => {
            Number::Float(frontend::float_bits(syms, number))
        }
    }
}

/// The first failure of a call that was made with `err` NULL; such a failure makes every later call on the graph fail
/// with it. `LITZ_OK` when there was none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_status(g: *const litz_graph, err: *mut *mut litz_error) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe { guard::get(g, "g") }?.sound()?;
        Ok(())
    })
}

/// A named view of a storage that several constants share: the result of the node that makes it.
fn view_of_storage(graph: &ir::Graph, name: &str) -> Option<ir::Value> {
    let (storage, view) = graph
        .constants
        .iter()
        .flat_map(|c| c.views.iter().map(move |v| (c.value, v)))
        .find(|(_, v)| v.name == name || v.aliases.iter().any(|a| a == name))?;
    let made = graph.order.iter().map(|id| &graph.nodes[*id]).filter(|n| n.uses().any(|v| v == storage));
    made.flat_map(|n| n.outputs.iter().copied()).find(|v| graph.values[*v].name.as_ref() == Some(&view.name))
}

/// Finds an input, a parameter, a buffer, an output or a symbol by its name, looked for in this order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_find(
    g: *const litz_graph,
    name: *const c_char,
    out: *mut litz_value,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers; graphs are used by one thread at a time, so that the table of
        // given values may grow here.
        let (state, name) = unsafe { (guard::get_mut(g.cast_mut(), "g")?, guard::text(name, "name")?) };
        let out = guard::out(out, "out")?;
        let graph = &state.graph;
        let tensor = graph
            .inputs
            .iter()
            .find(|i| i.name == name)
            .map(|i| i.value)
            .or_else(|| {
                let named = |c: &&ir::Constant| c.name == name || c.aliases.iter().any(|a| a == name);
                graph.constants.iter().find(named).map(|c| c.value).or_else(|| view_of_storage(graph, name))
            })
            .map(OutputValue::Tensor)
            .or_else(|| graph.outputs.iter().find(|o| o.name == name).map(|o| o.value))
            .or_else(|| {
                let named = |s: &&SymInt| {
                    graph.syms.as_symbol(**s).is_some_and(|id| graph.syms.symbol_name(id) == name)
                };
                graph.symbols.iter().find(named).map(|s| OutputValue::Number(Number::Symbolic(*s)))
            });
        let value = match tensor {
            Some(OutputValue::Tensor(value)) => state.give_tensor(value),
            Some(OutputValue::Number(number)) => {
                let constant = |v| graph.syms.constant(v);
                let number = match number {
                    Number::Symbolic(symbol) => frontend::Number::Int(symbol),
                    Number::Truth(symbol) => frontend::Number::Bool(symbol),
                    Number::Float(bits) => frontend::Number::Bits(bits),
                    Number::Scalar(Scalar::Int(v)) => frontend::Number::Int(constant(v)),
                    Number::Scalar(Scalar::Bool(v)) => frontend::Number::Bool(constant(i64::from(v))),
                    Number::Scalar(Scalar::Float(v)) => frontend::Number::Float(v),
                };
                state.give_number(number)
            }
            None => {
                return Err(invalid(format!("this graph has no input, constant, output or symbol `{name}`")));
            }
        };
        // SAFETY: checked above.
        unsafe { out.write(value) };
        Ok(())
    })
}

/// Describes a value as JSON: for a tensor `dtype`, `shape`, `strides` and `producer`; for a symbol `symbol`,
/// `min`, `max`. Sizes are numbers where known, otherwise expressions as strings. The caller owns `*json`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_value_describe(
    g: *const litz_graph,
    v: litz_value,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || {
        // SAFETY: the header asks for live pointers.
        let state = unsafe { guard::get(g, "g") }?;
        let text = match state.entry(v)? {
            Entry { tensor: Some(value), .. } => ir::describe::value(&state.graph, value),
            Entry { number: Some(frontend::Number::Int(s) | frontend::Number::Bool(s)), .. } => {
                ir::describe::symbol(&state.graph, s)
            }
            Entry { number: Some(number), .. } => {
                crate::base::json!({"number": frontend::number_text(&state.graph.syms, number)})
            }
            Entry { .. } => return Err(invalid("the value is neither a tensor nor a symbol")),
        };
        Ok(text.to_string())
    })
}

/// Describes a graph as a JSON object: `name`; `inputs`, `outputs` and `constants`, each with name, dtype and shape; `symbols`
/// with their ranges; `operators`, the count of each by name; `gradients`, the tensors that a backward graph gives; `writes`,
/// the inputs and constants that a run changes; and `signature`, an object of `inputs` and `outputs`, each a list with the
/// path, name, kind and value of every argument or result. Sizes are numbers, or strings where they depend on symbols. The
/// caller owns `*json`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_describe(
    g: *const litz_graph,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || {
        // SAFETY: the header asks for live pointers.
        let state = unsafe { guard::get(g, "g") }?;
        Ok(ir::describe::graph(&state.graph).to_string())
    })
}

/// Frees a graph; NULL is accepted. Executables made from it live on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_release(g: *mut litz_graph) {
    // SAFETY: the header asks for NULL or a live graph that is the caller's.
    unsafe { guard::release(g) }
}
