//! An extreme whose place nobody reads is an extreme alone, of which kernels have a vector at a time: a max pooling with indices,
//! in a program that needs the pooled image only.

use crate::loops::uses::{lies_in_memory, reads_of};
use crate::loops::{BufferId, NodeKind, Program, ReductionOp};
use rustc_hash::FxHashSet;

pub fn run(program: &mut Program) {
    let mut unread: FxHashSet<BufferId> = program.nodes.iter().filter_map(|n| place_of(&n.kind)).collect();
    unread.retain(|place| !lies_in_memory(program, *place));
    if unread.is_empty() {
        return;
    }
    for node in 0..program.nodes.len() {
        for read in reads_of(program, node) {
            unread.remove(&read);
        }
    }
    for node in &mut program.nodes {
        if place_of(&node.kind).is_some_and(|place| unread.contains(&place))
            && let NodeKind::Reduction { op, outs, .. } = &mut node.kind
        {
            *op = if *op == ReductionOp::MaxWithIndex { ReductionOp::Max } else { ReductionOp::Min };
            outs.truncate(1);
        }
    }
}

/// The buffer that the places of a node's extremes go to.
fn place_of(kind: &NodeKind) -> Option<BufferId> {
    match kind {
        NodeKind::Reduction { op: ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex, outs, .. } => {
            outs.get(1).copied()
        }
        _ => None,
    }
}
