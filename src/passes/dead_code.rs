//! Nodes that nothing uses go; so do assertions that were decided when the graph was inferred.

use super::rewrite::results;
use crate::base::SideMap;
use crate::ir::{Graph, NodeId, ValueData};
use crate::meta::MetaError;
use crate::ops::{Class, OpId};

pub(super) fn run(graph: &mut Graph) -> Result<bool, MetaError> {
    let mut live: SideMap<ValueData, ()> = SideMap::new();
    for value in results(graph).collect::<Vec<_>>() {
        live.insert(value, ());
    }
    let before = graph.order.len();
    let nodes: Vec<NodeId> = graph.order.iter().rev().copied().collect();
    for id in nodes {
        let node = &graph.nodes[id];
        let runs = node.op.class() == Class::Effect && !is_settled(node.op);
        if runs || node.outputs.iter().any(|v| live.contains(*v)) {
            for value in node.uses() {
                live.insert(value, ());
            }
        } else {
            graph.order.remove(id);
        }
    }
    Ok(graph.order.len() != before)
}

/// Their conditions are over sizes, dtypes and symbols: inference has decided them, or left a guard of the graph.
fn is_settled(op: OpId) -> bool {
    matches!(op, OpId::AssertTensorMetadata | OpId::AssertScalar)
}
