//! Nodes that nothing uses, taken out of a graph.
//!
//! Deliberately absent: which nodes run though nothing uses them. The caller says it.

use super::{Arg, Graph, Node, NodeId, Value, ValueData};
use crate::base::{HashSet, SideMap};
use crate::ops::OpId;
use crate::types::{SymInt, SymbolId};

impl Graph {
    /// Takes out the nodes behind `last` (all nodes without one) that lead neither to a value of `live` nor to a node that `runs`.
    /// A node also depends on another through a symbol: the other reads it from a tensor, and the node's sizes or arguments mention it.
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
        let binds = nodes.iter().any(|id| self.nodes[*id].op == OpId::Bind);
        let mut mentioned: HashSet<SymbolId> = HashSet::default();
        for id in nodes.into_iter().rev() {
            let node = &self.nodes[id];
            let symbol = || self.syms.as_symbol(node.arg("symbol")?.int()?);
            let is_read = binds && node.op == OpId::Bind && symbol().is_some_and(|s| mentioned.contains(&s));
            if is_read || runs(node) || node.outputs.iter().any(|v| used.contains(*v)) {
                node.uses().for_each(|value| {
                    used.insert(value, ());
                });
                if binds {
                    mentioned.extend(self.sizes_of(node).flat_map(|s| self.syms.sources(s)));
                    mentioned.extend(node.subgraphs().flat_map(super::text::mentioned));
                }
            } else {
                self.order.remove(id);
            }
        }
    }

    /// The symbolic integers of a node's arguments, and of its results' sizes.
    fn sizes_of(&self, node: &Node) -> impl Iterator<Item = SymInt> {
        let args = node.args.iter().flat_map(|arg| match arg {
            Arg::Int(size) | Arg::SymFloat(size) => std::slice::from_ref(size),
            Arg::Ints(sizes) => sizes,
            _ => &[],
        });
        args.copied().chain(node.outputs.iter().flat_map(|v| self.meta(*v).shape.iter().copied()))
    }
}
