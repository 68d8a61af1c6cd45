//! Which values a forward keeps for its backward: the least bytes, by a minimum cut.
//!
//! A joint graph computes a program's outputs, and from their cotangents its gradients. A value that depends on no cotangent
//! is either kept by the forward, or computed again in the backward. The network has an edge for each such value, with its
//! bytes as capacity. Edges of unlimited capacity lead to it from its operands. The source feeds inputs, constants, and values
//! that must not be computed twice. The values that the backward reads flow into the sink. Several cuts may have the least
//! capacity: the one nearest to the sink is taken, since it recomputes least.
//!
//! Invariants: every value of the backward is kept, or computed from what is kept and from cotangents; nothing that the
//! forward computes by a product, a scan, by control flow or by chance is computed again.
//!
//! Deliberately absent: what recomputation costs in time beyond those classes.

use super::max_flow::{Network, UNLIMITED};
use crate::base::SideMap;
use crate::ir::{Arg, Definition, Graph, NodeId, OutputValue, Value, ValueData};
use crate::ops::Class;
use rustc_hash::FxHashSet;

/// A joint graph: its first outputs are the program's, the others are gradients; its last inputs are cotangents.
#[derive(Debug)]
pub struct Joint {
    pub graph: Graph,
    /// How many outputs, and how many inputs, are the program's own.
    pub outputs: usize,
    pub inputs: usize,
}

/// How a joint graph is divided.
#[derive(Clone, Debug, Default)]
pub struct Partition {
    /// Nodes of the forward and of the backward, in order; some are in both.
    pub forward: Vec<NodeId>,
    pub backward: Vec<NodeId>,
    /// What the backward is given of the forward, in order: results of nodes, inputs and constants.
    pub kept: Vec<Value>,
}

impl Joint {
    /// The values of outputs in a range that are tensors.
    fn tensors(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = Value> + '_ {
        self.graph.outputs[range].iter().filter_map(|o| match o.value {
            OutputValue::Tensor(value) => Some(value),
            OutputValue::Number(_) => None,
        })
    }

    /// Divides the graph.
    pub fn partition(&self) -> Partition {
        let graph = &self.graph;
        let none = FxHashSet::default();
        let gradients: Vec<Value> = self.tensors(self.outputs..graph.outputs.len()).collect();
        let own = self.needed(self.forward_roots(), &none);
        let wanted = self.needed(gradients.clone(), &none);
        let kept = self.cut(&self.dependents(), &own, &wanted);
        let backward = self.needed(gradients, &kept.iter().copied().collect());
        let mut roots = self.forward_roots();
        roots.extend(kept.iter().copied());
        let mut forward = self.needed(roots, &none);
        // No root needs what runs for its effect.
        forward.extend(self.effects());
        let listed =
            |set: &FxHashSet<NodeId>| graph.order.iter().copied().filter(|id| set.contains(id)).collect();
        Partition { forward: listed(&forward), backward: listed(&backward), kept }
    }

    /// Values that depend on cotangents.
    fn dependents(&self) -> SideMap<ValueData, ()> {
        let mut late = SideMap::new();
        for input in &self.graph.inputs[self.inputs..] {
            late.insert(input.value, ());
        }
        for node in self.graph.order.iter().map(|id| &self.graph.nodes[*id]) {
            if node.args.iter().flat_map(Arg::values).any(|v| late.get(v).is_some()) {
                for output in &node.outputs {
                    late.insert(*output, ());
                }
            }
        }
        late
    }

    /// What the forward computes in any case: outputs, what is written back, and what runs for its effect.
    fn forward_roots(&self) -> Vec<Value> {
        let mut roots: Vec<Value> = self.tensors(0..self.outputs).collect();
        roots.extend(self.graph.writes.iter().map(|w| w.value));
        for id in self.effects() {
            roots.extend(self.graph.nodes[id].args.iter().flat_map(Arg::values));
        }
        roots
    }

    /// Nodes that run for their effect, such as assertions; gradients have none.
    fn effects(&self) -> impl Iterator<Item = NodeId> + '_ {
        let graph = &self.graph;
        graph.order.iter().copied().filter(|id| graph.nodes[*id].op.class() == Class::Effect)
    }

    /// The nodes that values are computed by, down to `stops`.
    fn needed(&self, roots: Vec<Value>, stops: &FxHashSet<Value>) -> FxHashSet<NodeId> {
        let mut found = FxHashSet::default();
        let mut open = roots;
        while let Some(value) = open.pop() {
            if stops.contains(&value) {
                continue;
            }
            if let Definition::Node { node, .. } = self.graph.values[value].definition
                && found.insert(node)
            {
                open.extend(self.graph.nodes[node].args.iter().flat_map(Arg::values));
            }
        }
        found
    }

    /// The kept values, in the order of their definition.
    fn cut(
        &self,
        late: &SideMap<ValueData, ()>,
        own: &FxHashSet<NodeId>,
        wanted: &FxHashSet<NodeId>,
    ) -> Vec<Value> {
        let graph = &self.graph;
        let mut network = Network::new();
        let (source, sink) = (network.node(), network.node());
        let mut places: SideMap<ValueData, [usize; 2]> = SideMap::new();
        let mut values = Vec::new();
        let mut place = |network: &mut Network, value: Value, is_source: bool| -> [usize; 2] {
            if let Some(pair) = places.get(value) {
                return *pair;
            }
            let pair = [network.node(), network.node()];
            network.edge(pair[0], pair[1], self.cost(value));
            if is_source {
                network.edge(source, pair[0], UNLIMITED);
            }
            places.insert(value, pair);
            values.push((value, pair));
            pair
        };
        let given = |value: Value| !matches!(graph.values[value].definition, Definition::Node { .. });
        for id in graph.order.iter().filter(|id| wanted.contains(*id)) {
            let node = &graph.nodes[*id];
            let is_late = node.outputs.iter().any(|v| late.get(*v).is_some());
            let operands: Vec<Value> = node.args.iter().flat_map(Arg::values).collect();
            if is_late {
                for operand in operands.into_iter().filter(|v| late.get(*v).is_none()) {
                    let pair = place(&mut network, operand, given(operand));
                    network.edge(pair[1], sink, UNLIMITED);
                }
                continue;
            }
            // What the forward does not need is the backward's own work.
            let once = own.contains(id) && is_costly(graph, *id);
            for output in &node.outputs {
                let pair = place(&mut network, *output, once);
                for operand in &operands {
                    let from = place(&mut network, *operand, given(*operand));
                    network.edge(from[1], pair[0], UNLIMITED);
                }
            }
        }
        for value in self.tensors(self.outputs..graph.outputs.len()).filter(|v| late.get(*v).is_none()) {
            let pair = place(&mut network, value, given(value));
            network.edge(pair[1], sink, UNLIMITED);
        }
        let behind = network.sides(source, sink);
        let mut kept: Vec<Value> = values
            .into_iter()
            .filter(|(_, pair)| !behind[pair[0]] && behind[pair[1]])
            .map(|(value, _)| value)
            .collect();
        kept.sort_by_key(|v| v.index());
        kept
    }

    /// Bytes that keeping a value takes. What is held anyway costs next to nothing; a view costs a little more than what it shows,
    /// so that this is kept.
    fn cost(&self, value: Value) -> u64 {
        let (graph, meta) = (&self.graph, self.graph.meta(value));
        let elements = graph.syms.hint(graph.syms.product(&meta.shape)).max(1) as u64;
        let bytes = elements.saturating_mul(meta.dtype.size() as u64).saturating_mul(4);
        match graph.values[value].definition {
            Definition::Constant(_) => 1,
            Definition::Node { node, .. } if graph.nodes[node].op.class() == Class::View => bytes + 1,
            _ => bytes,
        }
        .min(UNLIMITED / 4)
    }
}

/// Work that is done once: what costs more than reading its result again, and what is not the same twice.
fn is_costly(graph: &Graph, id: NodeId) -> bool {
    let node = &graph.nodes[id];
    if matches!(node.op.class(), Class::Contraction | Class::Scan | Class::Control | Class::Effect) {
        return true;
    }
    // A reduction to far fewer elements than it reads.
    let elements = |value: Value| graph.syms.hint(graph.syms.product(&graph.meta(value).shape)).max(1);
    let most = node.args.iter().flat_map(Arg::values).map(elements).max().unwrap_or(1);
    let least = node.outputs.iter().map(|v| elements(*v)).max().unwrap_or(1);
    node.op.class() != Class::View && least.saturating_mul(4) <= most
}
