//! Nodes that nothing uses go; so do assertions that were decided when the graph was inferred.

use super::rewrite::results;
use crate::ir::Graph;
use crate::meta::MetaError;
use crate::ops::{Class, OpId};

pub(super) fn run(graph: &mut Graph) -> Result<bool, MetaError> {
    let before = graph.order.len();
    let live: Vec<_> = results(graph).collect();
    graph.remove_unused(None, live, |node| node.op.class() == Class::Effect && !is_settled(node.op));
    Ok(graph.order.len() != before)
}

/// Their conditions are over sizes, dtypes and symbols: inference has decided them, or left a guard of the graph.
fn is_settled(op: OpId) -> bool {
    matches!(op, OpId::AssertTensorMetadata | OpId::AssertScalar)
}
