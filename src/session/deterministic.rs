//! Option `deterministic` and what a host computes: its functions, sources and backends may take part where it declared that they
//! give the same bits at every run and number of threads. An expression does by what it is.
//!
//! Deliberately absent: Litz's own kernels (`backends`, `acting`, `cuda`).

use super::hosted::HostBackend;
use super::{Options, SessionError};
use crate::base::Status;
use crate::ir::host::HostCall;
use crate::ir::{Arg, Graph, HostOperator, HostOperators, each_graph};
use crate::ops::OpId;
use serde_json::Value;

/// Refuses, by name, a graph with a call whose results nobody promises to be the same.
pub(super) fn check_graph(graph: &Graph) -> Result<(), SessionError> {
    let inner = each_graph(graph).into_iter().map(|(inner, _)| inner);
    for graph in std::iter::once(graph).chain(inner) {
        for node in graph.order.iter().map(|id| &graph.nodes[*id]) {
            if !matches!(node.op, OpId::HostCall | OpId::HostEffect) || node.outputs.is_empty() {
                continue;
            }
            if let [Arg::Call(call)] = &node.args[..] {
                check_call(call)?;
            }
        }
    }
    Ok(())
}

fn check_call(call: &HostCall) -> Result<(), SessionError> {
    if call.operator.functions.deterministic { Ok(()) } else { Err(undeclared(&call.operator)) }
}

fn undeclared(operator: &HostOperator) -> SessionError {
    refused(format!("operator `{}`", operator.name), "LITZ_OPERATOR_DETERMINISTIC")
}

/// Refuses a backend that does not promise it.
pub(super) fn check_backend(backend: &HostBackend) -> Result<(), SessionError> {
    match backend.deterministic {
        true => Ok(()),
        false => Err(refused(format!("backend `{}`", backend.name), "LITZ_BACKEND_DETERMINISTIC")),
    }
}

fn refused(what: String, flag: &str) -> SessionError {
    SessionError::Option {
        status: Status::Unsupported,
        message: format!(
            "option `deterministic` is true, and the host's {what} does not promise the same results at every run \
             and number of threads; if it gives them, register it with the flag {flag}"
        ),
    }
}

/// An artifact that was compiled so keeps its promise with the functions of whoever opens it.
pub(super) fn check_opened(
    metadata: &str,
    called: &[String],
    operators: &HostOperators,
) -> Result<(), SessionError> {
    if called.is_empty() {
        return Ok(());
    }
    let about: Value = serde_json::from_str(metadata).unwrap_or_default();
    if about["options"]["deterministic"] != "true" {
        return Ok(());
    }
    let found = called.iter().filter_map(|name| operators.find(name));
    match found.into_iter().find(|operator| gives(operator) && !operator.functions.deterministic) {
        Some(operator) => Err(undeclared(&operator)),
        None => Ok(()),
    }
}

/// Whether calls have results, or write.
fn gives(operator: &HostOperator) -> bool {
    !operator.schema.returns.is_empty() || operator.writes()
}

impl Options {
    /// The option's check of what a backend takes.
    pub(super) fn check_deterministic(
        &self,
        graph: &Graph,
        backend: Option<&HostBackend>,
    ) -> Result<(), SessionError> {
        match backend {
            _ if !self.deterministic => Ok(()),
            Some(backend) => check_backend(backend),
            None => check_graph(graph),
        }
    }
}
