//! The state behind a graph's handle: the graph, the handles of its values and nodes, and the first failure that nobody was
//! told of.
//!
//! Invariant: a handle of another graph, or of a node that was erased, is an error.

use super::edit::{Change, Editing};
use super::error::litz_error;
use super::graph::litz_graph;
use super::guard::{self, Failure, Outcome, caught, invalid, wall};
use super::nodes::Described;
use super::types::*;
use crate::base::{HashMap, SideMap, Status, memory};
use crate::frontend;
use crate::ir::{self, Definition, Graph, Value};
use crate::types::{Dtype, SymInt};
use std::sync::atomic::{AtomicU32, Ordering};

/// A graph and the values that were handed out for it.
pub(super) struct GraphState {
    /// The upper half of this graph's `litz_value`s, so that another graph's are told apart.
    tag: u32,
    pub graph: Graph,
    entries: Vec<Entry>,
    of_tensor: HashMap<Value, litz_value>,
    of_symbol: HashMap<SymInt, litz_value>,
    /// The changes that it allows, and where calls put nodes.
    pub editing: Editing,
    /// The nodes that callers asked about.
    pub described: HashMap<ir::NodeId, Box<Described>>,
    /// Graphs that calls were given.
    pub imported: std::cell::RefCell<crate::meta::text::Imported>,
    /// The first failure that nobody was told of.
    failed: Option<Failure>,
}

/// The bit that tells the lower half of a `litz_node` from that of a `litz_value`.
const NODE: u32 = 1 << 31;

/// The object that a `litz_value` names. A number given at run time is both: a 0-d tensor and a symbol.
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
            of_tensor: HashMap::default(),
            of_symbol: HashMap::default(),
            editing: Editing::default(),
            described: HashMap::default(),
            imported: Default::default(),
            failed: None,
        }
    }

    /// The tensor or number that a caller's handle names.
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
            Some(ir::Definition::Node { node, .. }) if !self.graph.order.contains(node) => {
                Err(invalid("the value's node was erased"))
            }
            _ => Ok(()),
        }
    }
    /// The handle for a node.
    pub fn give_node(&self, node: ir::NodeId) -> litz_node {
        (u64::from(self.tag) << 32) | u64::from(NODE) | node.index() as u64
    }
    /// The node that a caller's handle names.
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
            Some(node) if self.graph.order.contains(node) => Ok(node),
            Some(_) => Err(invalid("the node was erased")),
            None => Err(invalid(format!("the node {given:#x} is none that this graph gave"))),
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
    /// Puts another graph in the place of this one. What was handed out of the old goes on to name what `places` says.
    pub fn replace(&mut self, graph: Graph, places: &SideMap<ir::ValueData, Value>) {
        self.graph = graph;
        for entry in &mut self.entries {
            entry.tensor = entry.tensor.and_then(|v| places.get(v).copied());
        }
        self.of_tensor.clear();
        for (k, entry) in self.entries.iter().enumerate() {
            if let Some(tensor) = entry.tensor {
                self.of_tensor.entry(tensor).or_insert((u64::from(self.tag) << 32) | (k as u64 + 1));
            }
        }
        self.described.clear();
        self.editing = Editing::lent(self.editing.lent);
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

    pub fn check_new_name(&mut self, name: &str) -> Outcome {
        if name.is_empty() {
            return Err(invalid("`name` is empty"));
        }
        let taken = match self.graph.named(name).map(|n| n.definition) {
            None => return Ok(()),
            Some(Definition::Input(_)) => "an input",
            Some(_) => "a constant",
        };
        Err(invalid(format!("the name `{name}` is taken by {taken} of this graph")))
    }
}

/// Runs a call that changes a graph, where that may be changed so. A failure with nobody to tell (`err` NULL) leaves the
/// graph failed: later calls give the first failure again and do nothing. Asking for the room that is needed is no failure
/// of the graph.
///
/// # Safety
/// As [`guard::get_mut`].
pub(super) unsafe fn edit(
    g: *mut litz_graph,
    change: Change,
    err: *mut *mut litz_error,
    body: impl FnOnce(&mut GraphState) -> Outcome,
) -> litz_status {
    let mut body = Some(body);
    let mut once = |state: &mut GraphState| body.take().map_or(Ok(()), |body| body(state));
    // SAFETY: as the caller vouches.
    unsafe { edit_by(g, change, err, &mut once) }
}

/// One function serves every export.
unsafe fn edit_by(
    g: *mut litz_graph,
    change: Change,
    err: *mut *mut litz_error,
    body: &mut dyn FnMut(&mut GraphState) -> Outcome,
) -> litz_status {
    wall(err, || {
        // SAFETY: as the caller vouches.
        let state = unsafe { guard::get_mut(g, "g") }?;
        state.sound()?;
        let result = caught(|| {
            state.editing.allow(change)?;
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
