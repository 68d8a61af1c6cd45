//! The table of operators: what each becomes, by domain, name and the opset that a model imports.

use super::super::FrontendError;
use super::super::error::Result;
use super::call::{Cx, Results};
use super::rows;
use crate::base::shortened;

/// An operator from one opset on, up to the next row of its name.
pub struct Row {
    pub domain: &'static str,
    pub name: &'static str,
    /// The first opset that this row is right for.
    pub since: i64,
    pub rule: Rule,
}

#[derive(Clone, Copy)]
pub enum Rule {
    /// Of the node's inputs; see [`super::formula`].
    Formula(&'static str),
    Call(fn(&mut Cx<'_, '_>) -> Results),
}

/// The newest opset of ONNX's own operators that the rows were written for.
const NEWEST: i64 = 28;

/// The row for a node.
pub fn find(domain: &str, name: &str, opset: i64) -> Result<&'static Row> {
    if domain.is_empty() && opset > NEWEST {
        return Err(FrontendError::unsupported(format!(
            "opset {opset} is newer than the newest that is supported, {NEWEST}"
        )));
    }
    let named =
        || rows::ALL.iter().flat_map(|rows| rows.iter()).filter(|r| r.name == name && r.domain == domain);
    if let Some(row) = named().filter(|r| r.since <= opset).max_by_key(|r| r.since) {
        return Ok(row);
    }
    let domain = if domain.is_empty() { "ai.onnx" } else { domain };
    let name = format!("the operator `{}` of the domain `{}`", shortened(name), shortened(domain));
    Err(FrontendError::unsupported(match named().map(|r| r.since).min() {
        Some(since) => format!("{name} is supported from opset {since} on, and the model has {opset}"),
        None => format!("{name} (opset {opset}) is not supported"),
    }))
}
