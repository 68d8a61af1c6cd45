//! Graphs by handles: making one, its inputs, constants and outputs, and what is known of its values.

use super::edit::{Change, Editing};
use super::error::{litz_error, litz_string, new_string};
use super::guard::{self, Failure, Opaque, Outcome, caught, invalid, wall};
use super::nodes::Described;
use super::options::litz_options;
use super::tensor::{dtype_number, read_host, read_spec};
use super::types::*;
use crate::base::{Bytes, Origin, Status, memory};
use crate::frontend;
use crate::ir::{self, ConstantData, ConstantKind, Graph, Number, OutputValue, Value};
use crate::types::{Dtype, Range, Scalar, SymInt, TensorMeta};
use rustc_hash::FxHashMap;
use std::ffi::c_char;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A tensor program that is being built or was loaded. One thread at a time.
pub struct litz_graph {
    _opaque: [u8; 0],
}

impl Opaque for litz_graph {
    type State = GraphState;
    const MAGIC: u64 = u64::from_le_bytes(*b"LitzGrf\x01");
    const NAME: &'static str = "litz_graph";
}

/// A graph and the values that were handed out for it.
pub(super) struct GraphState {
    /// The upper half of this graph's `litz_value`s, so that another graph's are told apart.
    tag: u32,
    pub graph: Graph,
    entries: Vec<Entry>,
    of_tensor: FxHashMap<Value, litz_value>,
    of_symbol: FxHashMap<SymInt, litz_value>,
    /// What may be done to it, and where calls put nodes.
    pub editing: Editing,
    /// The nodes that callers asked about.
    pub described: FxHashMap<ir::NodeId, Box<Described>>,
    /// Graphs that calls were given.
    pub imported: std::cell::RefCell<crate::meta::text::Imported>,
    /// The first failure that nobody was told of.
    failed: Option<Failure>,
}

/// The bit that tells the lower half of a `litz_node` from that of a `litz_value`.
const NODE: u32 = 1 << 31;

/// What a `litz_value` stands for. A number given at run time is both: a 0-d tensor and a symbol.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub tensor: Option<Value>,
    pub number: Option<frontend::Number>,
}

impl GraphState {
    pub fn new(graph: Graph) -> GraphState {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let tag = loop {
            match NEXT.fetch_add(1, Ordering::Relaxed) {
                0 => continue,
                tag => break tag,
            }
        };
        GraphState {
            tag,
            graph,
            entries: Vec::new(),
            of_tensor: FxHashMap::default(),
            of_symbol: FxHashMap::default(),
            editing: Editing::default(),
            described: FxHashMap::default(),
            imported: Default::default(),
            failed: None,
        }
    }

    /// What a value of the caller's stands for.
    pub fn entry(&self, value: litz_value) -> Outcome<Entry> {
        let (tag, place) = ((value >> 32) as u32, value as u32);
        if value == 0 {
            return Err(invalid("the value is 0: the call that should have made it failed"));
        }
        if tag != self.tag {
            return Err(invalid(format!("the value {value:#x} belongs to another graph, or to none")));
        }
        if place & NODE != 0 {
            return Err(invalid(format!("{value:#x} is a node where a value is asked")));
        }
        let entry = (place as usize)
            .checked_sub(1)
            .and_then(|k| self.entries.get(k).copied())
            .ok_or_else(|| invalid(format!("the value {value:#x} is none that this graph gave")))?;
        self.check_not_erased(entry)?;
        Ok(entry)
    }
    fn check_not_erased(&self, entry: Entry) -> Outcome {
        let definition = entry.tensor.map(|v| self.graph.values[v].definition);
        match definition {
            Some(ir::Definition::Node { node, .. }) if self.editing.is_erased(node) => {
                Err(invalid("the value's node was erased"))
            }
            _ => Ok(()),
        }
    }
    /// The handle for a node.
    pub fn give_node(&self, node: ir::NodeId) -> litz_node {
        (u64::from(self.tag) << 32) | u64::from(NODE) | node.index() as u64
    }
    /// What a node of the caller's stands for.
    pub fn node(&self, given: litz_node) -> Outcome<ir::NodeId> {
        let (tag, place) = ((given >> 32) as u32, given as u32);
        if given == 0 {
            return Err(invalid("the node is 0, which is none"));
        }
        if tag != self.tag {
            return Err(invalid(format!("the node {given:#x} belongs to another graph, or to none")));
        }
        if place & NODE == 0 {
            return Err(invalid(format!("{given:#x} is a value where a node is asked")));
        }
        let index = (place & !NODE) as usize;
        let node = (index < self.graph.nodes.len()).then(|| ir::NodeId::new(index));
        match node {
            Some(node) if self.editing.is_erased(node) => Err(invalid("the node was erased")),
            Some(node) if self.graph.order.contains(&node) => Ok(node),
            _ => Err(invalid(format!("the node {given:#x} is none that this graph gave"))),
        }
    }
    pub fn tensor(&self, value: litz_value) -> Outcome<Value> {
        self.entry(value)?.tensor.ok_or_else(|| invalid("the value is a symbol where a tensor is asked"))
    }
    pub fn symbol(&self, value: litz_value) -> Outcome<SymInt> {
        match self.entry(value)? {
            Entry { number: Some(frontend::Number::Int(s) | frontend::Number::Bool(s)), .. } => Ok(s),
            Entry { tensor: Some(tensor), .. } => {
                let name = self.graph.describe_value(tensor);
                Err(invalid(format!("the value is a tensor ({name}) where a symbol is asked")))
            }
            Entry { .. } => Err(invalid("the value is a float where a symbol is asked")),
        }
    }

    /// The handle for a tensor, always the same one.
    pub fn give_tensor(&mut self, tensor: Value) -> litz_value {
        if let Some(value) = self.of_tensor.get(&tensor) {
            return *value;
        }
        let number = match self.graph.values[tensor].definition {
            ir::Definition::Input(k) => {
                self.graph.inputs[k].symbol.map(|symbol| match self.graph.meta(tensor).dtype {
                    Dtype::Bool => frontend::Number::Bool(symbol),
                    Dtype::Float64 => frontend::Number::Bits(symbol),
                    _ => frontend::Number::Int(symbol),
                })
            }
            _ => None,
        };
        let value = self.push(Entry { tensor: Some(tensor), number });
        self.of_tensor.insert(tensor, value);
        value
    }
    /// The handle for a symbol or an expression of symbols; for an integer always the same one.
    pub fn give_number(&mut self, number: frontend::Number) -> litz_value {
        let frontend::Number::Int(symbol) = number else {
            return self.push(Entry { tensor: None, number: Some(number) });
        };
        if let Some(value) = self.of_symbol.get(&symbol) {
            return *value;
        }
        let value = self.push(Entry { tensor: None, number: Some(number) });
        self.of_symbol.insert(symbol, value);
        value
    }
    fn push(&mut self, entry: Entry) -> litz_value {
        self.entries.push(entry);
        (u64::from(self.tag) << 32) | self.entries.len() as u64
    }

    /// The graph, if nothing failed on it unheard.
    pub fn sound(&self) -> Outcome<&Graph> {
        match &self.failed {
            Some(first) => Err(first.clone()),
            None => Ok(&self.graph),
        }
    }

    fn check_new_name(&self, name: &str) -> Outcome {
        if name.is_empty() {
            return Err(invalid("`name` is empty"));
        }
        let taken = if self.graph.inputs.iter().any(|i| i.name == name) {
            "an input"
        } else if self.graph.constants.iter().any(|c| c.name == name || c.aliases.iter().any(|a| a == name)) {
            "a constant"
        } else {
            return Ok(());
        };
        Err(invalid(format!("the name `{name}` is taken by {taken} of this graph")))
    }
}

/// Runs a call that changes a graph. A failure with nobody to tell (`err` NULL) leaves the graph failed: later calls
/// give the first failure again and do nothing. Asking for the room that is needed is no failure of the graph.
///
/// # Safety
/// As [`guard::get_mut`].
pub(super) unsafe fn edit(
    g: *mut litz_graph,
    err: *mut *mut litz_error,
    body: impl FnOnce(&mut GraphState) -> Outcome,
) -> litz_status {
    wall(err, || {
        // SAFETY: as the caller vouches.
        let state = unsafe { guard::get_mut(g, "g") }?;
        state.sound()?;
        let result = caught(|| {
            body(state)?;
            state.editing.note();
            // What was added may stand in the reserve: a graph that is built without memory fails.
            if memory::is_short() { Err(guard::out_of_memory()) } else { Ok(()) }
        });
        if let Err(failure) = &result {
            let unheard = err.is_null() && failure.status != Status::Capacity;
            // After a panic, and where memory ran out, the graph may be half changed.
            if unheard || matches!(failure.status, Status::Internal | Status::OutOfMemory) {
                state.failed = Some(failure.clone());
            }
        }
        result
    })
}

/// Hands a new graph to the caller.
pub(super) fn hand_over(graph: Graph, out: *mut *mut litz_graph) {
    let handle = guard::wrap(GraphState::new(graph));
    // SAFETY: `out` was checked before the graph was made.
    unsafe { out.write(handle) };
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
        super::options::check(o)?;
        let out = guard::out(out, "out")?;
        hand_over(Graph::new(name), out);
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
        edit(g, err, |state| {
            state.editing.allow(Change::Signature)?;
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
        edit(g, err, |state| {
            state.editing.allow(Change::Signature)?;
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
        edit(g, err, |state| {
            state.editing.allow(Change::Signature)?;
            let name = guard::text(name, "name")?;
            let out = guard::out(out, "out")?;
            state.check_new_name(name)?;
            let meta = read_spec(state, spec).map_err(|f| f.within(&format!("input `{name}`")))?;
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
/// until the graph and every executable made from it are released.
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
        edit(g, err, |state| {
            state.editing.allow(Change::Constants)?;
            let name = guard::text(name, "name")?;
            let out = guard::out(out, "out")?;
            state.check_new_name(name)?;
            let kind = match kind {
                LITZ_CONSTANT_PARAMETER => ConstantKind::Parameter,
                LITZ_CONSTANT_BUFFER => ConstantKind::Buffer,
                LITZ_CONSTANT_CONSTANT => ConstantKind::Constant,
                other => return Err(invalid(format!("constant `{name}`: kind {other} is none of 0, 1, 2"))),
            };
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
            let meta = TensorMeta::contiguous(syms, tensor.dtype, shape);
            let value = state.graph.add_constant(name, kind, meta, Arc::new(bytes));
            out.write(state.give_tensor(value));
            Ok(())
        })
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
        edit(g, err, |state| {
            state.editing.allow(Change::Signature)?;
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

/// What the node gives that makes a named view of a storage that several constants share.
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

/// What is known of a value, as JSON: for a tensor `dtype`, `shape`, `strides` and `producer`; for a symbol `symbol`,
/// `min`, `max`. Sizes are numbers where known, otherwise expressions as strings. The caller owns `*json`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_value_describe(
    g: *const litz_graph,
    v: litz_value,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let state = unsafe { guard::get(g, "g") }?;
        let json = guard::out(json, "json")?;
        let text = match state.entry(v)? {
            Entry { tensor: Some(value), .. } => ir::describe::value(&state.graph, value),
            Entry { number: Some(frontend::Number::Int(s) | frontend::Number::Bool(s)), .. } => {
                ir::describe::symbol(&state.graph, s)
            }
            Entry { number: Some(number), .. } => {
                serde_json::json!({"number": frontend::number_text(&state.graph.syms, number)})
            }
            Entry { .. } => return Err(invalid("the value is neither a tensor nor a symbol")),
        };
        // SAFETY: checked above.
        unsafe { json.write(new_string(&text.to_string())) };
        Ok(())
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
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let state = unsafe { guard::get(g, "g") }?;
        let json = guard::out(json, "json")?;
        let text = ir::describe::graph(&state.graph).to_string();
        // SAFETY: checked above.
        unsafe { json.write(new_string(&text)) };
        Ok(())
    })
}

/// Frees a graph; NULL is accepted. Executables made from it live on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_release(g: *mut litz_graph) {
    // SAFETY: the header asks for NULL or a live graph that is the caller's.
    unsafe { guard::release(g) }
}
