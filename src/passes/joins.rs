//! A `cat` of a `cat` along the same dimension is one `cat` of all their tensors: a tensor that grows step by step is joined once, and
//! the places of its parts are found by halving instead of one behind the other.
//!
//! Only where nothing else reads the inner result, and where joining step by step changes no number: a tensor that the inner `cat`
//! converts may lose what the outer dtype holds.

use super::rewrite::count_uses;
use crate::base::{HashSet, SideMap};
use crate::ir::{Arg, Definition, Graph, Node, NodeId, OriginId, Value};
use crate::meta::MetaError;
use crate::ops::OpId;

pub(super) fn run(graph: &mut Graph) -> Result<bool, MetaError> {
    let joins: Vec<NodeId> =
        graph.order.iter().copied().filter(|id| graph.nodes[*id].op == OpId::Cat).collect();
    if joins.len() < 2 {
        return Ok(false);
    }
    let uses = count_uses(graph);
    let mut taken: SideMap<Node, ()> = SideMap::new();
    for id in &joins {
        let Some(outer) = Join::of(graph, *id) else { continue };
        for value in parts(&graph.nodes[*id]) {
            let Definition::Node { node, .. } = graph.values[value].definition else { continue };
            // A tensor that is joined twice has two uses.
            if uses.get(&value) == Some(&1)
                && Join::of(graph, node).is_some_and(|inner| inner.goes_into(&outer))
            {
                taken.insert(node, ());
            }
        }
    }
    let mut changed = false;
    for id in joins {
        // Those that are taken are reached from the join around them, each once.
        if !taken.contains(id) {
            changed |= flatten(graph, id, &taken);
        }
    }
    Ok(changed)
}

/// Gives a join all parts of the joins that it takes.
fn flatten(graph: &mut Graph, id: NodeId, taken: &SideMap<Node, ()>) -> bool {
    let (mut all, mut changed) = (Vec::new(), false);
    let (mut origins, mut known): (Vec<OriginId>, HashSet<OriginId>) = Default::default();
    let mut add_origins = |node: &Node| origins.extend(node.origins.iter().filter(|o| known.insert(**o)));
    add_origins(&graph.nodes[id]);
    let mut stack: Vec<Value> = parts(&graph.nodes[id]);
    stack.reverse();
    while let Some(value) = stack.pop() {
        match graph.values[value].definition {
            Definition::Node { node, .. } if taken.contains(node) => {
                changed = true;
                add_origins(&graph.nodes[node]);
                stack.extend(parts(&graph.nodes[node]).into_iter().rev());
            }
            _ => all.push(Some(value)),
        }
    }
    if changed {
        let node = &mut graph.nodes[id];
        node.origins = origins;
        if let Some(Arg::Values(list)) = node.args.first_mut() {
            *list = all;
        }
    }
    changed
}

/// A `cat` whose tensors all have its result's rank. A vector without elements, which may be joined to tensors of any rank, counts for
/// no dimension.
struct Join {
    rank: usize,
    dim: i64,
    /// It converts nothing.
    is_plain: bool,
}

impl Join {
    fn of(graph: &Graph, id: NodeId) -> Option<Join> {
        let node = &graph.nodes[id];
        if node.op != OpId::Cat || !graph.origins.unfused(&node.origins).is_empty() {
            return None;
        }
        let (result, parts) = (graph.meta(node.outputs[0]), parts(node));
        let rank = result.rank();
        let dim = match node.arg("dim") {
            Some(Arg::Int(dim)) => graph.syms.as_const(*dim)?,
            _ => 0,
        };
        let alike = parts.iter().all(|v| graph.meta(*v).rank() == rank);
        let is_plain = parts.iter().all(|v| graph.meta(*v).dtype == result.dtype);
        alike.then_some(Join { rank, dim: if dim < 0 { dim + rank as i64 } else { dim }, is_plain })
    }

    fn goes_into(&self, outer: &Join) -> bool {
        self.is_plain && (self.rank, self.dim) == (outer.rank, outer.dim)
    }
}

fn parts(node: &Node) -> Vec<Value> {
    match node.args.first() {
        Some(Arg::Values(list)) => list.iter().flatten().copied().collect(),
        _ => Vec::new(),
    }
}
