//! Which values a forward keeps for its backward: the least bytes, by a minimum cut.
//!
//! A joint graph computes a program's outputs, and from their cotangents its gradients. A value that depends on no cotangent
//! is either kept by the forward, or computed again in the backward. The network has an edge for each such value, with its
//! bytes as capacity. Edges of unlimited capacity lead to it from its operands. The source feeds inputs and constants, and each
//! node that is dear to run again by an edge whose capacity is the price of that: an edge in the cut is paid once, as a kept value
//! or as a second run. The values that the backward reads flow into the sink. Several cuts may have the least
//! capacity: the one nearest to the sink is taken, since it recomputes least.
//!
//! Invariants: the backward reads only kept values and cotangents; a node with an effect runs once; a lower price for work never
//! keeps more bytes.
//!
//! Deliberately absent: which price fits a budget (see `session::division`).

use super::max_flow::{Network, UNLIMITED};
use super::work::{bytes, work};
use crate::base::{HashMap, HashSet, SideMap, StableSort};
use crate::ir::{Arg, Definition, Graph, NodeId, OriginId, OutputValue, Value, ValueData};
use crate::ops::Class;

/// What a user says of the results of one node of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The forward keeps them, at no cost to the choice of others.
    Keep,
    /// The forward keeps nothing of what the node became.
    Recompute,
}

/// How a joint graph is to be divided.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The backward computes nothing again that the forward computed.
    pub keeps_all: bool,
    /// Bytes that running a unit of work again may save at least; `None`: what is dear is never run again.
    pub price: Option<f64>,
    /// Reductions and scans count as cheap.
    pub cheap_reductions: bool,
    pub marks: HashMap<OriginId, Mark>,
    /// Nodes that run once, whatever the price.
    pub once: HashSet<NodeId>,
}

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

    /// Whether a value is the caller's until the backward has run: a large input that the program does not write to. Copying a smaller
    /// one costs less than a mistake of its caller, who is about to fill the memory with the next batch.
    pub fn is_lent(&self, value: Value) -> bool {
        let graph = &self.graph;
        let definition = graph.values[value].definition;
        matches!(definition, Definition::Input(k) if k < self.inputs)
            && bytes(graph, value) > MOST_COPIED
            && !graph.writes.iter().any(|w| w.target == definition)
    }

    /// Divides the graph.
    pub fn partition(&self, choice: &Choice) -> Partition {
        let graph = &self.graph;
        let none = HashSet::default();
        let gradients: Vec<Value> = self.tensors(self.outputs..graph.outputs.len()).collect();
        let own = self.needed(self.forward_roots(), &none);
        let wanted = self.needed(gradients.clone(), &none);
        let late = self.dependents();
        let kept = match choice.keeps_all {
            true => self.read_behind(&late, &own, &wanted),
            false => self.cut(choice, &late, &own, &wanted),
        };
        let backward = self.needed(gradients, &kept.iter().copied().collect());
        let mut roots = self.forward_roots();
        roots.extend(kept.iter().copied());
        let mut forward = self.needed(roots, &none);
        // No root needs what runs for its effect.
        forward.extend(self.effects());
        let listed =
            |set: &HashSet<NodeId>| graph.order.iter().copied().filter(|id| set.contains(id)).collect();
        let backward = self.just_in_time(listed(&backward), &late);
        Partition { forward: listed(&forward), backward, kept }
    }

    /// Orders the backward's nodes. A recomputed node comes right before its first reader, which keeps its result's lifetime in
    /// memory short.
    fn just_in_time(&self, nodes: Vec<NodeId>, late: &SideMap<ValueData, ()>) -> Vec<NodeId> {
        let graph = &self.graph;
        let mut missing: HashSet<NodeId> = nodes.iter().copied().collect();
        let mut order = Vec::with_capacity(nodes.len());
        let is_late = |id: &NodeId| graph.nodes[*id].outputs.iter().any(|v| late.get(*v).is_some());
        let first = nodes.iter().filter(|id| is_late(id));
        for root in first.chain(&nodes) {
            let mut open = vec![*root];
            while let Some(id) = open.last().copied() {
                if !missing.contains(&id) {
                    open.pop();
                    continue;
                }
                let before = open.len();
                open.extend(graph.nodes[id].uses().filter_map(|v| match graph.values[v].definition {
                    Definition::Node { node, .. } if missing.contains(&node) => Some(node),
                    _ => None,
                }));
                if open.len() == before {
                    missing.remove(&id);
                    order.push(id);
                    open.pop();
                }
            }
        }
        order
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
    fn needed(&self, roots: Vec<Value>, stops: &HashSet<Value>) -> HashSet<NodeId> {
        let mut found = HashSet::default();
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

    /// What nodes that only the backward needs read of the forward, and of what is given.
    fn read_behind(
        &self,
        late: &SideMap<ValueData, ()>,
        own: &HashSet<NodeId>,
        wanted: &HashSet<NodeId>,
    ) -> Vec<Value> {
        let graph = &self.graph;
        let of_forward = |value: &Value| match graph.values[*value].definition {
            Definition::Node { node, .. } => own.contains(&node),
            _ => late.get(*value).is_none(),
        };
        let behind = graph.order.iter().filter(|id| wanted.contains(*id) && !own.contains(*id));
        let read = behind.flat_map(|id| graph.nodes[*id].uses()).filter(of_forward);
        let gradients = self.tensors(self.outputs..graph.outputs.len()).filter(of_forward);
        let mut kept: Vec<Value> = read.chain(gradients).collect();
        kept.stable_sort_by_key(|v| v.index());
        kept.dedup();
        kept
    }

    /// What was said of a node: that nothing is kept, if that was said of all that it comes from; or that its results are, if they are
    /// the last of what the user's node became.
    fn mark(&self, choice: &Choice, id: NodeId, own: &HashSet<NodeId>, uses: &Uses) -> Option<Mark> {
        if choice.marks.is_empty() {
            return None;
        }
        let origins = &self.graph.nodes[id].origins;
        let said = |o: &OriginId, mark| choice.marks.get(o) == Some(&mark);
        if !origins.is_empty() && origins.iter().all(|o| said(o, Mark::Recompute)) {
            return Some(Mark::Recompute);
        }
        let is_last = |o: &OriginId| {
            let readers = self.graph.nodes[id].outputs.iter().filter_map(|v| uses.get(*v)).flatten();
            let mut inside = readers.filter(|r| own.contains(r));
            !inside.any(|r| self.graph.nodes[*r].origins.contains(o))
        };
        origins.iter().any(|o| said(o, Mark::Keep) && is_last(o)).then_some(Mark::Keep)
    }

    /// The kept values, in the order of their definition.
    fn cut(
        &self,
        choice: &Choice,
        late: &SideMap<ValueData, ()>,
        own: &HashSet<NodeId>,
        wanted: &HashSet<NodeId>,
    ) -> Vec<Value> {
        let graph = &self.graph;
        let uses = if choice.marks.is_empty() { Uses::new() } else { readers(graph) };
        let mut network = Network::new();
        let (source, sink) = (network.node(), network.node());
        let mut places: SideMap<ValueData, [usize; 2]> = SideMap::new();
        let mut values = Vec::new();
        let mut place = |network: &mut Network, value: Value| -> [usize; 2] {
            if let Some(pair) = places.get(value) {
                return *pair;
            }
            let pair = [network.node(), network.node()];
            let (cost, again) = match graph.values[value].definition {
                Definition::Node { node, .. } => match self.mark(choice, node, own, &uses) {
                    Some(Mark::Keep) => (1, UNLIMITED),
                    Some(Mark::Recompute) if !is_effect(graph, node) => (UNLIMITED, 0),
                    _ => (self.cost(value), self.price(choice, node, own)),
                },
                _ => (self.cost(value), UNLIMITED),
            };
            network.edge(pair[0], pair[1], cost);
            if again > 0 {
                network.edge(source, pair[0], again);
            }
            places.insert(value, pair);
            values.push((value, pair));
            pair
        };
        for id in graph.order.iter().filter(|id| wanted.contains(*id)) {
            let node = &graph.nodes[*id];
            let is_late = node.outputs.iter().any(|v| late.get(*v).is_some());
            let operands: Vec<Value> = node.uses().collect();
            if is_late {
                for operand in operands.into_iter().filter(|v| late.get(*v).is_none()) {
                    let pair = place(&mut network, operand);
                    network.edge(pair[1], sink, UNLIMITED);
                }
                continue;
            }
            for output in &node.outputs {
                let pair = place(&mut network, *output);
                for operand in &operands {
                    let from = place(&mut network, *operand);
                    network.edge(from[1], pair[0], UNLIMITED);
                }
            }
        }
        for value in self.tensors(self.outputs..graph.outputs.len()).filter(|v| late.get(*v).is_none()) {
            let pair = place(&mut network, value);
            network.edge(pair[1], sink, UNLIMITED);
        }
        let behind = network.sides(source, sink);
        let mut kept: Vec<Value> = values
            .into_iter()
            .filter(|(_, pair)| !behind[pair[0]] && behind[pair[1]])
            .map(|(value, _)| value)
            .collect();
        kept.stable_sort_by_key(|v| v.index());
        kept
    }

    /// Bytes that keeping a value takes. What is held anyway costs next to nothing; a view costs a little more than what it shows,
    /// so that this is kept.
    fn cost(&self, value: Value) -> u64 {
        let graph = &self.graph;
        let bytes = bytes(graph, value).saturating_mul(SCALE);
        match graph.values[value].definition {
            Definition::Constant(_) => 1,
            Definition::Input(_) if self.is_lent(value) => 1,
            Definition::Node { node, .. } if graph.nodes[node].op.class() == Class::View => bytes + 1,
            _ => bytes,
        }
        .min(UNLIMITED / 4)
    }

    /// What running a node again costs, in the same unit. What the forward does not need is the backward's own work.
    fn price(&self, choice: &Choice, id: NodeId, own: &HashSet<NodeId>) -> u64 {
        if !own.contains(&id) {
            return 0;
        }
        let work = work(&self.graph, id, choice.cheap_reductions);
        match choice.price {
            _ if work == 0 => 0,
            _ if is_effect(&self.graph, id) || choice.once.contains(&id) => UNLIMITED,
            None => UNLIMITED,
            Some(price) => ((price * work as f64 * SCALE as f64) as u64).min(UNLIMITED / 4),
        }
    }

    /// The nodes that make what a division keeps and that are dear to run again, in order.
    pub fn dear_kept(&self, partition: &Partition) -> Vec<NodeId> {
        let graph = &self.graph;
        let producers = partition.kept.iter().filter_map(|v| match graph.values[*v].definition {
            Definition::Node { node, .. } => Some(node),
            _ => None,
        });
        let found: HashSet<NodeId> = producers.filter(|id| work(graph, *id, false) > 0).collect();
        graph.order.iter().copied().filter(|id| found.contains(id)).collect()
    }

    /// The nodes of the forward that are dear to run again, in order, and what running each again would be.
    pub fn dear(&self) -> Vec<(NodeId, u64)> {
        let own = self.needed(self.forward_roots(), &HashSet::default());
        let all = self.graph.order.iter().filter(|id| own.contains(*id));
        all.map(|id| (*id, work(&self.graph, *id, false))).filter(|(_, work)| *work > 0).collect()
    }
}

/// Bytes of an input that the forward copies for its backward.
const MOST_COPIED: u64 = 1 << 20;
/// Capacity of a byte: room for what makes one of two equal values the better one to keep.
const SCALE: u64 = 4;

type Uses = SideMap<ValueData, Vec<NodeId>>;

/// The nodes that read each value.
fn readers(graph: &Graph) -> Uses {
    let mut uses: Uses = SideMap::new();
    for id in graph.order.iter() {
        for value in graph.nodes[*id].uses() {
            match uses.get_mut(value) {
                Some(list) => list.push(*id),
                None => drop(uses.insert(value, vec![*id])),
            }
        }
    }
    uses
}

fn is_effect(graph: &Graph, id: NodeId) -> bool {
    graph.nodes[id].op.class() == Class::Effect
}
