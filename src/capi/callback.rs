//! Calling a host's functions: lending graphs to them, and translating their statuses and errors.
//!
//! Invariants: a lent graph belongs to the library again when the callback returns, whatever the callback did with it; a
//! callback's mistake is an error of the call that it was made for, never an internal one.

use super::edit::{Editing, Lent};
use super::error::{litz_error, message_of};
use super::graph::litz_graph;
use super::guard::{self, Failure, Outcome, invalid};
use super::handles::GraphState;
use super::types::litz_status;
use crate::base::{Status, memory};
use crate::ir::Graph;

/// The outcome that a callback reported; takes over its error. `who` names the callback in messages.
///
/// # Safety
/// `error` is NULL or an error that is the caller's.
pub(super) unsafe fn outcome(who: &str, status: litz_status, error: *mut litz_error) -> Outcome {
    // SAFETY: as the caller vouches.
    let message = unsafe { message_of(error) }.filter(|text| !text.is_empty());
    // SAFETY: as the caller vouches.
    unsafe { guard::release(error) };
    match (Status::from_code(status), message) {
        (Status::Ok, None) => Ok(()),
        (Status::Ok, Some(text)) => Err(invalid(format!("{who} gave an error and reported success: {text}"))),
        (known, message) => {
            let text = message.unwrap_or_else(|| format!("{who} failed with status {status} and no message"));
            match known {
                // For mistakes inside the library alone.
                Status::Internal => Err(invalid(format!("{who} gave the status {status}: {text}"))),
                known => Err(Failure::new(known, text)),
            }
        }
    }
}

/// Lends a graph to a callback. Says whether the callback changed it.
pub(super) fn lend<T>(
    graph: &mut Graph,
    kind: Lent,
    who: &str,
    call: impl FnOnce(*mut litz_graph) -> Outcome<T>,
) -> Outcome<(T, bool)> {
    // Every call of the library begins by forgetting an earlier shortage of memory.
    memory::checkpoint();
    let empty = graph.new_subgraph("");
    let mut state = GraphState::new(std::mem::replace(graph, empty));
    state.editing = Editing::lent(kind);
    let handle = guard::lend::<litz_graph>(state);
    let result = call(handle);
    // SAFETY: the handle was made above, and the loan ends here.
    let (state, kept) = unsafe { guard::take_back(handle) };
    let (changed, unheard) = (state.editing.changed, state.sound().err());
    *graph = state.graph;
    if !kept {
        return Err(invalid(format!("{who} released the graph that it was lent")));
    }
    match (result, unheard) {
        (Err(failure), _) | (Ok(_), Some(failure)) => Err(failure),
        (Ok(result), None) => Ok((result, changed)),
    }
}
