//! What keeping a value takes, and what running a node again costs.
//!
//! Sizes that a run decides count as typical. Work is counted in units that take about as long as moving a byte.
//!
//! Deliberately absent: how fast the machine at hand is. Only ratios matter here, and one ratio serves all machines.

use crate::base::StableSort;
use crate::ir::{Graph, NodeId, Value};
use crate::ops::{Class, OpId};

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
    use OpId::{Embedding, Gather, IndexSelect, IndexTensor, Take, UnsafeIndexTensor};
    let node = &graph.nodes[id];
    let moved = || {
        let all = node.uses().chain(node.outputs.iter().copied());
        all.fold(1u64, |sum, v| sum.saturating_add(bytes(graph, v)))
    };
    match node.op.class() {
        Class::Contraction if is_product(node.op) => (multiplications(graph, id) / PER_BYTE).max(moved()),
        Class::Contraction => contracted(graph, id).max(moved()),
        Class::Scan if !cheap_reductions => moved().saturating_mul(SCAN),
        Class::Control => {
            let inside = node.subgraphs().flat_map(|g| g.order.iter().map(move |id| work(g, *id, false)));
            inside.fold(moved(), u64::saturating_add)
        }
        Class::Effect => 1,
        Class::View | Class::Scan => 0,
        // As many elements as they give, of however large a table.
        _ if matches!(node.op, Embedding | IndexTensor | UnsafeIndexTensor | Gather | IndexSelect | Take) => {
            0
        }
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

/// How many multiplications of a product take as long as moving a byte, on a core of a CPU. Tensor cores do more, for which this is a
/// cautious figure.
const PER_BYTE: u64 = 20;

/// Products of matrices, convolutions and attention, which run at about the speed of their multiplications.
pub(super) fn is_product(op: OpId) -> bool {
    use OpId::*;
    match op {
        Linear | Addmm | Mm | Bmm | Matmul | LinalgMatmul | Baddbmm => true,
        Conv1d | Conv2d | Conv3d | Convolution => true,
        op => is_attention(op),
    }
}
fn is_attention(op: OpId) -> bool {
    matches!(op, OpId::ScaledDotProductAttention | OpId::FlashAttentionForCpu | OpId::EfficientAttention)
}

/// Multiplications of a product, about: a strided convolution does fewer.
fn multiplications(graph: &Graph, id: NodeId) -> u64 {
    let node = &graph.nodes[id];
    let size = |value: Value, dim: usize| graph.syms.hint(graph.meta(value).shape[dim]).max(1) as f64;
    let operands: Vec<Value> = node.uses().collect();
    let rank = |value: &Value| graph.meta(*value).rank();
    if is_attention(node.op)
        && let [query, key, ..] = operands[..]
    {
        return (2.0 * elements(graph, query) as f64 * size(key, rank(&key) - 2)).min(1e18) as u64;
    }
    use OpId::*;
    let factor = match (node.op, &operands[..]) {
        // The window of a convolution is in one of three sizes, and is to count twice.
        (Conv1d | Conv2d | Conv3d | Convolution, [_, weight, ..]) => {
            (2..rank(weight)).map(|dim| size(*weight, dim)).product()
        }
        // A batch is in all three sizes, and is to count twice, too.
        (_, [.., a, b]) if rank(a) == rank(b) => {
            1.0 / (0..rank(a).saturating_sub(2)).map(|dim| size(*a, dim)).product::<f64>()
        }
        _ => 1.0,
    };
    (contracted(graph, id) as f64 * factor.sqrt()).min(1e18) as u64
}

/// Multiplications of a contraction, about: of a product of matrices, the root of the product of its three sizes.
fn contracted(graph: &Graph, id: NodeId) -> u64 {
    let node = &graph.nodes[id];
    let mut sizes: Vec<u64> = node.uses().map(|v| elements(graph, v)).collect();
    sizes.stable_sort_by(|a, b| b.cmp(a));
    let result = node.outputs.iter().map(|v| elements(graph, *v)).max().unwrap_or(1);
    let product: f64 = sizes.iter().take(2).map(|n| *n as f64).product();
    (product * result as f64).sqrt().min(1e18) as u64
}
