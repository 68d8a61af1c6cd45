//! The nodes that use each value, kept beside a graph while somebody edits it.
//!
//! Invariant: arguments of nodes that were in the graph before change through [`Uses::replace`] alone. Nodes that are added
//! are noticed by themselves, and nodes that were taken out are left out.

use super::{Graph, NodeId, Value, ValueData};
use crate::base::{HashSet, SideMap, StableSort};

/// Who uses what.
#[derive(Default)]
pub struct Uses {
    nodes: SideMap<ValueData, Vec<NodeId>>,
    /// How many of the arena's nodes were looked at.
    seen: usize,
}

impl Uses {
    fn add(&mut self, value: Value, node: NodeId) {
        match self.nodes.get_mut(value) {
            Some(list) if list.last() == Some(&node) => {}
            Some(list) => list.push(node),
            None => {
                self.nodes.insert(value, vec![node]);
            }
        }
    }
    fn take_in(&mut self, graph: &Graph) {
        for k in self.seen..graph.nodes.len() {
            let node = NodeId::new(k);
            graph.nodes[node].uses().for_each(|value| self.add(value, node));
        }
        self.seen = graph.nodes.len();
    }
    /// The nodes that use a value, in the order in which they run, each once.
    pub fn of(&mut self, graph: &Graph, value: Value) -> Vec<NodeId> {
        self.take_in(graph);
        let Some(list) = self.nodes.get_mut(value) else { return Vec::new() };
        list.retain(|id| graph.order.contains(*id));
        list.stable_sort_by_key(|id| graph.order.label(*id));
        list.dedup();
        list.clone()
    }
    /// These users of `old` use `new` from now on.
    pub fn replace(&mut self, old: Value, new: Value, users: &[NodeId]) {
        let moved: HashSet<NodeId> = users.iter().copied().collect();
        if let Some(list) = self.nodes.get_mut(old) {
            list.retain(|id| !moved.contains(id));
        }
        users.iter().for_each(|id| self.add(new, *id));
    }
}
