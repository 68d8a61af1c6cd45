//! Reading a graph: its values and nodes, one by one.
//!
//! Invariant: memory that a caller gets pointers to lies in the graph's state, and stays until the caller asks about the same
//! node again.

use super::error::{give_text, litz_error, litz_string};
use super::graph::litz_graph;
use super::guard::{self, Failure, Outcome, invalid, wall};
use super::handles::GraphState;
use super::types::*;
use crate::base::Status;
use crate::frontend::Number;
use crate::ir::{self, Arg, Definition, NodeId, OutputValue, Value};
use crate::ops::Schema;
use crate::types::SymInt;
use std::ffi::{CString, c_char};

/// A node as `litz_node_info` points at it.
#[derive(Default)]
pub(super) struct Described {
    op: CString,
    args: Arguments,
    results: Vec<litz_value>,
}

/// Arguments for C, with the memory that they point to.
#[derive(Default)]
pub(super) struct Arguments {
    pub list: Vec<litz_arg>,
    texts: Vec<CString>,
    ints: Vec<Vec<i64>>,
    values: Vec<Vec<litz_value>>,
    floats: Vec<Vec<f64>>,
    graphs: Vec<*mut litz_graph>,
}

impl Drop for Arguments {
    fn drop(&mut self) {
        // SAFETY: made by `graph` below, and nobody else's.
        self.graphs.iter().for_each(|g| unsafe { guard::release(*g) });
    }
}

pub(super) fn zero_argument() -> litz_arg {
    litz_arg {
        name: std::ptr::null(),
        kind: LITZ_ARG_NONE,
        reserved0: 0,
        value: 0,
        i: 0,
        f: 0.0,
        f_imag: 0.0,
        ints: std::ptr::null(),
        values: std::ptr::null(),
        floats: std::ptr::null(),
        n: 0,
        s: std::ptr::null(),
        subgraph: std::ptr::null(),
        subgraphs: std::ptr::null(),
        reserved: [0; 3],
    }
}

impl Arguments {
    /// A node's arguments, each with its name in the schema. The memory that they point to lives as long as the result.
    pub fn of(state: &mut GraphState, schema: &Schema, args: &[Arg]) -> Arguments {
        let mut made = Arguments::default();
        for (arg, named) in args.iter().zip(&schema.args) {
            let mut c = zero_argument();
            c.name = made.text(&named.name);
            made.fill(state, &mut c, arg);
            made.list.push(c);
        }
        made
    }

    fn text(&mut self, text: &str) -> *const c_char {
        self.texts.push(CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default());
        self.texts[self.texts.len() - 1].as_ptr()
    }
    fn hold_ints(&mut self, ints: Vec<i64>) -> *const i64 {
        self.ints.push(ints);
        self.ints[self.ints.len() - 1].as_ptr()
    }
    fn hold_values(&mut self, values: Vec<litz_value>) -> *const litz_value {
        self.values.push(values);
        self.values[self.values.len() - 1].as_ptr()
    }
    fn graph(&mut self, graph: &ir::Graph) -> *const litz_graph {
        let handle = guard::wrap(GraphState::new(graph.clone()));
        self.graphs.push(handle);
        handle
    }

    fn fill(&mut self, state: &mut GraphState, c: &mut litz_arg, arg: &Arg) {
        match arg {
            Arg::None => c.kind = LITZ_ARG_NONE,
            Arg::Value(value) => (c.kind, c.value) = (LITZ_ARG_VALUE, state.give_tensor(*value)),
            Arg::Values(list) => {
                let values: Vec<litz_value> =
                    list.iter().map(|v| v.map_or(0, |v| state.give_tensor(v))).collect();
                (c.kind, c.n, c.values) = (LITZ_ARG_VALUES, values.len(), self.hold_values(values));
            }
            Arg::Int(size) => match state.graph.syms.as_const(*size) {
                Some(known) => (c.kind, c.i) = (LITZ_ARG_INT, known),
                None => (c.kind, c.value) = (LITZ_ARG_SYMBOL, state.give_number(Number::Int(*size))),
            },
            Arg::SymFloat(bits) => {
                (c.kind, c.value) = (LITZ_ARG_SYMBOL, state.give_number(Number::Bits(*bits)));
            }
            Arg::Ints(list) => {
                let known = |s: &SymInt| state.graph.syms.as_const(*s);
                let ints: Vec<i64> = list.iter().map(|s| known(s).unwrap_or(0)).collect();
                if list.iter().any(|s| known(s).is_none()) {
                    let values = list.iter().map(|s| match state.graph.syms.as_const(*s) {
                        Some(_) => 0,
                        None => state.give_number(Number::Int(*s)),
                    });
                    let values = values.collect();
                    c.values = self.hold_values(values);
                }
                (c.kind, c.n, c.ints) = (LITZ_ARG_INTS, ints.len(), self.hold_ints(ints));
            }
            Arg::Float(v) => (c.kind, c.f) = (LITZ_ARG_FLOAT, *v),
            Arg::Complex([re, im]) => (c.kind, c.f, c.f_imag) = (LITZ_ARG_COMPLEX, *re, *im),
            Arg::Floats(list) => {
                self.floats.push(list.clone());
                let held = &self.floats[self.floats.len() - 1];
                (c.kind, c.n, c.floats) = (LITZ_ARG_FLOATS, held.len(), held.as_ptr());
            }
            Arg::Bool(v) => (c.kind, c.i) = (LITZ_ARG_BOOL, i64::from(*v)),
            Arg::Bools(list) => {
                let ints: Vec<i64> = list.iter().map(|b| i64::from(*b)).collect();
                (c.kind, c.n, c.ints) = (LITZ_ARG_BOOLS, ints.len(), self.hold_ints(ints));
            }
            Arg::Str(text) => (c.kind, c.s) = (LITZ_ARG_STRING, self.text(text)),
            Arg::Dtype(dtype) => (c.kind, c.i) = (LITZ_ARG_DTYPE, dtype.number().into()),
            Arg::Layout(layout) => (c.kind, c.i) = (LITZ_ARG_LAYOUT, *layout as i64),
            Arg::Device(device) => {
                let number = (device.kind as i64) << 32 | i64::from(device.index as u32);
                (c.kind, c.i) = (LITZ_ARG_DEVICE, number);
            }
            Arg::MemoryFormat(format) => (c.kind, c.i) = (LITZ_ARG_MEMORY_FORMAT, *format as i64),
            Arg::Graph(inner) => (c.kind, c.subgraph) = (LITZ_ARG_SUBGRAPH, self.graph(&inner.0)),
            // A call is described by its operator's schema. No node holds a list of graphs: `switch` expands when it is added.
            Arg::Call(_) | Arg::Graphs(_) => {}
        }
    }
}

/// A caller's memory for a list of handles, and where its length goes.
pub(super) struct Room {
    items: *mut u64,
    capacity: usize,
    count: *mut usize,
}

impl Room {
    /// Checks the pointers, each given with its argument's name. `items` may be NULL where `capacity` is 0.
    ///
    /// # Safety
    /// `items` has room for `capacity` handles.
    pub unsafe fn new(items: (*mut u64, &str), capacity: usize, count: (*mut usize, &str)) -> Outcome<Room> {
        let count = guard::out(count.0, count.1)?;
        let items = if capacity == 0 { items.0 } else { guard::out(items.0, items.1)? };
        Ok(Room { items, capacity, count })
    }
    /// Tells the caller how many there are, and fails where that is more than there is room for; `are` says it in words.
    pub fn reserve(&self, count: usize, are: impl FnOnce() -> String) -> Outcome {
        // SAFETY: checked when this was made.
        unsafe { self.count.write(count) };
        if count <= self.capacity {
            return Ok(());
        }
        let message = format!("{}, and there is room for {}", are(), self.capacity);
        Err(Failure::new(Status::Capacity, message).with("needed", count))
    }
    /// Writes the list, where there is room for it.
    pub fn fill(&self, list: &[u64], are: impl FnOnce() -> String) -> Outcome {
        self.reserve(list.len(), are)?;
        // SAFETY: whoever made this vouched for the room.
        list.iter().enumerate().for_each(|(k, item)| unsafe { self.items.add(k).write(*item) });
        Ok(())
    }
}

/// The graph's nodes, in the order in which they run. Where they are more than `capacity`, `*n_nodes` is the count needed and
/// the call gives `LITZ_ERROR_CAPACITY`. `nodes` may be NULL when `capacity` is 0. One thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_nodes(
    g: *const litz_graph,
    nodes: *mut litz_node,
    capacity: usize,
    n_nodes: *mut usize,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe {
            let state = guard::get(g, "g")?;
            let room = Room::new((nodes, "nodes"), capacity, (n_nodes, "n_nodes"))?;
            let list: Vec<litz_node> = state.graph.order.iter().map(|id| state.give_node(*id)).collect();
            room.fill(&list, || format!("there are {} nodes", list.len()))
        }
    })
}

/// The tensors that the graph takes, gives or writes, in order; `what` is `LITZ_INFO_INPUT`, `…_OUTPUT` (0 for an
/// output that is a number), `…_CONSTANT`, or `…_WRITE`: the new contents of inputs and constants, in the order of `writes`
/// in `litz_graph_describe`. Where they are more than `capacity`, `*n_values` is the count needed and the call gives
/// `LITZ_ERROR_CAPACITY`. `values` may be NULL when `capacity` is 0. One thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_values(
    g: *const litz_graph,
    what: i32,
    values: *mut litz_value,
    capacity: usize,
    n_values: *mut usize,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers; graphs are used by one thread at a time, so that the table of given
        // values may grow here.
        unsafe {
            let state = guard::get_mut(g.cast_mut(), "g")?;
            let room = Room::new((values, "values"), capacity, (n_values, "n_values"))?;
            let graph = &state.graph;
            let (name, list): (&str, Vec<Option<Value>>) = match what {
                LITZ_INFO_INPUT => ("inputs", graph.inputs.iter().map(|i| Some(i.value)).collect()),
                LITZ_INFO_OUTPUT => {
                    let tensor = |o: &ir::Output| match o.value {
                        OutputValue::Tensor(v) => Some(v),
                        OutputValue::Number(_) => None,
                    };
                    ("outputs", graph.outputs.iter().map(tensor).collect())
                }
                LITZ_INFO_CONSTANT => ("constants", graph.constants.iter().map(|c| Some(c.value)).collect()),
                LITZ_INFO_WRITE => ("writes", graph.writes.iter().map(|w| Some(w.value)).collect()),
                other => return Err(invalid(format!("`what` is {other}, which is no LITZ_INFO_…"))),
            };
            let list: Vec<litz_value> =
                list.into_iter().map(|v| v.map_or(0, |v| state.give_tensor(v))).collect();
            room.fill(&list, || format!("there are {} {name}", list.len()))
        }
    })
}

/// Describes a node: its operator, arguments and results. Set `out->struct_size` first. The pointers written belong to the
/// graph: see `litz_node_info`. Graphs among the arguments are those that the node runs; `litz_graph_clone` copies one to
/// edit it. One thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_node_info(
    g: *const litz_graph,
    n: litz_node,
    out: *mut litz_node_info,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers; graphs are used by one thread at a time.
        unsafe {
            let state = guard::get_mut(g.cast_mut(), "g")?;
            let out = guard::out(out, "out")?;
            guard::struct_size(&raw const (*out).struct_size, size_of::<litz_node_info>(), "out")?;
            let id = state.node(n)?;
            let described = describe(state, id);
            (*out).op = described.op.as_ptr();
            (*out).args = described.args.list.as_ptr();
            (*out).n_args = described.args.list.len();
            (*out).results = described.results.as_ptr();
            (*out).n_results = described.results.len();
            state.described.insert(id, Box::new(described));
        }
        Ok(())
    })
}

fn describe(state: &mut GraphState, id: NodeId) -> Described {
    let node = state.graph.nodes[id].clone();
    let (_, schema, args) = node.called();
    Described {
        op: CString::new(node.called_name()).unwrap_or_default(),
        args: Arguments::of(state, schema, args),
        results: node.outputs.iter().map(|v| state.give_tensor(*v)).collect(),
    }
}

/// Describes a node as JSON: `operator`, `arguments` (`name`, `value` as in the graph's text), `results` (`value`, `dtype`,
/// `shape`, `strides`, and `users`: the nodes, and the outputs by name, that use it). The caller owns `*json`. One thread at
/// a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_node_describe(
    g: *const litz_graph,
    n: litz_node,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || {
        // SAFETY: the header asks for live pointers; graphs are used by one thread at a time, so that the table of uses may
        // grow here.
        let state = unsafe { guard::get_mut(g.cast_mut(), "g") }?;
        let node = state.node(n)?;
        let editing = &mut state.editing;
        Ok(ir::describe::node(&state.graph, &mut editing.uses, &mut editing.names, node).to_string())
    })
}

/// The node that makes a tensor, and which of its results that is; `*out` is 0, and `*result` the place among inputs or
/// constants, where no node does. One thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_producer(
    g: *const litz_graph,
    v: litz_value,
    out: *mut litz_node,
    result: *mut usize,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let state = unsafe { guard::get(g, "g") }?;
        let (out, result) = (guard::out(out, "out")?, guard::out(result, "result")?);
        let (node, place) = match state.graph.values[state.tensor(v)?].definition {
            Definition::Node { node, index } => (state.give_node(node), index),
            Definition::Input(k) | Definition::Constant(k) => (0, k),
        };
        // SAFETY: checked above.
        unsafe {
            out.write(node);
            result.write(place);
        }
        Ok(())
    })
}

/// The nodes that use a tensor, each once and in the order in which they run. Where they are more than `capacity`,
/// `*n_nodes` is the count needed and the call gives `LITZ_ERROR_CAPACITY`. `nodes` may be NULL when `capacity` is 0. One
/// thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_users(
    g: *const litz_graph,
    v: litz_value,
    nodes: *mut litz_node,
    capacity: usize,
    n_nodes: *mut usize,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe {
            let state = guard::get_mut(g.cast_mut(), "g")?;
            let room = Room::new((nodes, "nodes"), capacity, (n_nodes, "n_nodes"))?;
            let value = state.tensor(v)?;
            let users = state.editing.uses.of(&state.graph, value);
            let list: Vec<litz_node> = users.into_iter().map(|id| state.give_node(id)).collect();
            room.fill(&list, || format!("there are {} users", list.len()))
        }
    })
}
