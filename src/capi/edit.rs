//! Editing a graph: where calls put nodes, replacing and erasing, and the changes that a lent graph allows.
//!
//! Deliberately absent: the effects of an edit on the rest of the graph (see `meta::edit`).

use super::error::litz_error;
use super::graph::litz_graph;
use super::guard::{self, Outcome, invalid, wall};
use super::handles::{GraphState, edit};
use super::types::{litz_node, litz_status, litz_value};
use crate::ir::text::SymbolNames;
use crate::ir::{NodeId, Uses};
use crate::meta::edit::{self as graph_edit, End};

/// The kind of change that a call makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Adds nodes.
    Nodes,
    /// Replaces or erases nodes.
    Rewrite,
    Constants,
    /// Inputs, outputs, symbols.
    Signature,
}

/// The owner of a graph, which decides the changes that it allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Lent {
    /// The caller's.
    #[default]
    No,
    /// A compilation's, for a pass to rewrite.
    ToPass,
    /// As `ToPass`; a node of another graph runs it.
    ToPassInside,
    /// A compilation's, for a decomposition to add to.
    ToRule,
    /// The library's, to be read.
    ToRead,
}

/// The changes that a graph allows, and whether there were some.
#[derive(Default)]
pub(super) struct Editing {
    pub lent: Lent,
    /// Calls put nodes in front of this one; `None`: at the end.
    before: Option<NodeId>,
    pub uses: Uses,
    pub names: SymbolNames,
    /// Something was changed.
    pub changed: bool,
}

impl Editing {
    pub fn lent(lent: Lent) -> Editing {
        Editing { lent, ..Editing::default() }
    }
    pub fn note(&mut self) {
        self.changed = true;
    }
    pub fn allow(&self, change: Change) -> Outcome {
        use Change::*;
        let why = match (self.lent, change) {
            (Lent::No, _)
            | (Lent::ToPass, Nodes | Rewrite | Constants)
            | (Lent::ToPassInside, Nodes | Rewrite)
            | (Lent::ToRule, Nodes) => return Ok(()),
            (Lent::ToPass | Lent::ToPassInside, Signature) => {
                "a pass keeps the inputs, outputs and symbols of a graph"
            }
            (Lent::ToPassInside, Constants) => "a graph that a node runs has no constants; give it operands",
            (Lent::ToRule, _) => "a decomposition adds nodes and changes nothing else",
            (Lent::ToRead, _) => "the graph is lent to be read; edit a copy",
        };
        Err(guard::Failure::new(crate::base::Status::State, why))
    }
}

impl GraphState {
    /// Moves the nodes that were built since `end` to where the caller wants them.
    pub fn put(&mut self, end: End) -> Outcome {
        if let Some(before) = self.editing.before {
            graph_edit::move_before(&mut self.graph, end, before)?;
        }
        Ok(())
    }
}

/// Lets calls put their nodes in front of the node that `place` gives; `None`: at the end.
///
/// # Safety
/// As [`edit`].
unsafe fn build_before(
    g: *mut litz_graph,
    err: *mut *mut litz_error,
    place: impl FnOnce(&GraphState) -> Outcome<Option<NodeId>>,
) -> litz_status {
    // SAFETY: as the caller vouches.
    unsafe {
        edit(g, Change::Rewrite, err, |state| {
            state.editing.before = place(state)?;
            Ok(())
        })
    }
}

/// Calls from now on put their nodes in front of node `n`, in the order of the calls; `n` 0: at the end of the graph, as it is
/// at first. A call that uses a value made behind that place fails. One thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_insert_before(
    g: *mut litz_graph,
    n: litz_node,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers.
    unsafe { build_before(g, err, |state| (n != 0).then(|| state.node(n)).transpose()) }
}

/// Calls from now on put their nodes behind node `n`, in the order of the calls; `n` 0: at the start of the graph. One thread
/// at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_insert_after(
    g: *mut litz_graph,
    n: litz_node,
    err: *mut *mut litz_error,
) -> litz_status {
    let behind = |state: &GraphState| match n {
        0 => Ok(state.graph.order.first()),
        n => Ok(state.graph.order.after(state.node(n)?)),
    };
    // SAFETY: the header asks for live pointers.
    unsafe { build_before(g, err, behind) }
}

/// Replaces every use of the tensor `old_value` by `new_value`: in nodes, outputs and write-backs. Nodes that `new_value`
/// itself is computed from keep `old_value`. Where dtype or sizes differ, the results that depend on them are inferred again;
/// if an operator does not take the new ones, the call fails and changes nothing. `new_value` must be defined before the first
/// node that uses `old_value`: see `litz_graph_insert_after`. One thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_replace(
    g: *mut litz_graph,
    old_value: litz_value,
    new_value: litz_value,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers.
    unsafe {
        edit(g, Change::Rewrite, err, |state| {
            let old = state.tensor(old_value).map_err(|f| f.within("`old_value`"))?;
            let new = state.tensor(new_value).map_err(|f| f.within("`new_value`"))?;
            Ok(graph_edit::replace(&mut state.graph, &mut state.editing.uses, old, new)?)
        })
    }
}

/// Takes a node out of the graph. Its results must have no users. The handles of the node and its results
/// are invalid afterwards. If it was the place of insertion, the next node takes its place. One thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_erase(
    g: *mut litz_graph,
    n: litz_node,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers.
    unsafe {
        edit(g, Change::Rewrite, err, |state| {
            let node = state.node(n)?;
            let next = state.graph.order.after(node);
            graph_edit::erase(&mut state.graph, &mut state.editing.uses, node)?;
            if state.editing.before == Some(node) {
                state.editing.before = next;
            }
            Ok(())
        })
    }
}

/// Marks nodes to run unfused, one operator at a time: no kernel computes a marked node together with another node. Results may
/// differ from those of the fused program by rounding. The mark extends to the nodes of graphs that a marked node runs, to its
/// decomposition and to its gradient. Views have no kernel. The graph's text keeps the mark. Nothing is marked where one of the
/// nodes is wrong; `nodes` may be NULL when `n_nodes` is 0. One thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_disable_fusion(
    g: *mut litz_graph,
    nodes: *const litz_node,
    n_nodes: usize,
    err: *mut *mut litz_error,
) -> litz_status {
    // SAFETY: the header asks for live pointers.
    unsafe {
        edit(g, Change::Rewrite, err, |state| {
            let list = guard::list(nodes, n_nodes, "nodes")?;
            let list: Vec<NodeId> = list.iter().map(|n| state.node(*n)).collect::<Outcome<_>>()?;
            list.into_iter().for_each(|node| state.graph.unfuse(node));
            Ok(())
        })
    }
}

/// Checks a graph: every value is made before it is used, arguments fit their operators' schemas, and dtypes and sizes are
/// those that the operators give. The message names the first node that is wrong. One thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_graph_lint(g: *const litz_graph, err: *mut *mut litz_error) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let state = unsafe { guard::get(g, "g") }?;
        graph_edit::lint(state.sound()?).map_err(|e| invalid(e.to_string()))
    })
}
