//! Nodes that nothing uses, taken out of a graph.
//!
//! Deliberately absent: which nodes run though nothing uses them. The caller says it.

use super::{Graph, Node, NodeId, Value, ValueData};
use crate::base::SideMap;

impl Graph {
    /// Takes out the nodes behind `last` (all nodes without one) that lead neither to a value of `live` nor to a node that `runs`.
    pub fn remove_unused(
        &mut self,
        last: Option<NodeId>,
        live: impl IntoIterator<Item = Value>,
        runs: impl Fn(&Node) -> bool,
    ) {
        let mut used: SideMap<ValueData, ()> = SideMap::new();
        live.into_iter().for_each(|value| {
            used.insert(value, ());
        });
        let nodes: Vec<NodeId> = self.order.iter_after(last).collect();
        for id in nodes.into_iter().rev() {
            let node = &self.nodes[id];
            if runs(node) || node.outputs.iter().any(|v| used.contains(*v)) {
                node.uses().for_each(|value| {
                    used.insert(value, ());
                });
            } else {
                self.order.remove(id);
            }
        }
    }
}
