//! What keeping a value takes, and what running a node again costs.
//!
//! Sizes that a run decides count as typical. Work is counted in operations that take about as long as moving a byte.
//!
//! Deliberately absent: how fast a machine is. Only ratios matter here.

use crate::base::StableSort;
use crate::ir::{Graph, NodeId, Value};
use crate::ops::Class;

/// Elements of a value.
fn elements(graph: &Graph, value: Value) -> u64 {
    graph.syms.hint(graph.syms.product(&graph.meta(value).shape)).max(1) as u64
}

/// Bytes of a value.
pub(super) fn bytes(graph: &Graph, value: Value) -> u64 {
    elements(graph, value).saturating_mul(graph.meta(value).dtype.size() as u64)
}

/// What running a node again costs: nothing where its result is computed about as fast as it is read.
pub(super) fn work(graph: &Graph, id: NodeId, cheap_reductions: bool) -> u64 {
    let node = &graph.nodes[id];
    let moved = || {
        let all = node.uses().chain(node.outputs.iter().copied());
        all.fold(1u64, |sum, v| sum.saturating_add(bytes(graph, v)))
    };
    match node.op.class() {
        Class::Contraction => contracted(graph, id).max(moved()),
        Class::Scan if !cheap_reductions => moved().saturating_mul(SCAN),
        Class::Control => {
            let inside = node.subgraphs().flat_map(|g| g.order.iter().map(move |id| work(g, *id, false)));
            inside.fold(moved(), u64::saturating_add)
        }
        Class::Effect => 1,
        Class::View | Class::Scan => 0,
        // A reduction to far fewer elements than it reads.
        _ if !cheap_reductions => {
            let most = node.uses().map(|v| elements(graph, v)).max().unwrap_or(1);
            let left = node.outputs.iter().map(|v| elements(graph, *v)).max().unwrap_or(1);
            if left.saturating_mul(4) <= most { moved() } else { 0 }
        }
        _ => 0,
    }
}

/// How much longer an ordered pass takes than moving its bytes.
const SCAN: u64 = 8;

/// Multiplications of a contraction, about: of a product of matrices, the root of the product of its three sizes.
fn contracted(graph: &Graph, id: NodeId) -> u64 {
    let node = &graph.nodes[id];
    let mut sizes: Vec<u64> = node.uses().map(|v| elements(graph, v)).collect();
    sizes.stable_sort_by(|a, b| b.cmp(a));
    let result = node.outputs.iter().map(|v| elements(graph, *v)).max().unwrap_or(1);
    let product: f64 = sizes.iter().take(2).map(|n| *n as f64).product();
    (product * result as f64).sqrt().min(1e18) as u64
}
