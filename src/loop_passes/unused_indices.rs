//! Replaces a maximum or minimum with its index by one without an index if no node reads the index, such as a max pooling with indices of
//! which a program uses the image alone. Kernels compute a maximum in vectors, and an index for one result at a time.

use crate::base::HashSet;
use crate::loops::uses::{lies_in_memory, reads_of};
use crate::loops::{BufferId, NodeKind, Program, ReductionOp};

pub fn run(program: &mut Program) {
    let mut unread: HashSet<BufferId> = program.nodes.iter().filter_map(|n| index_of(&n.kind)).collect();
    unread.retain(|index| !lies_in_memory(program, *index));
    if unread.is_empty() {
        return;
    }
    for node in 0..program.nodes.len() {
        for read in reads_of(program, node) {
            unread.remove(&read);
        }
    }
    for node in &mut program.nodes {
        if index_of(&node.kind).is_some_and(|index| unread.contains(&index))
            && let NodeKind::Reduction { op, outs, .. } = &mut node.kind
        {
            *op = if *op == ReductionOp::MaxWithIndex { ReductionOp::Max } else { ReductionOp::Min };
            outs.truncate(1);
        }
    }
}

/// The buffer of the indices that a node computes.
fn index_of(kind: &NodeKind) -> Option<BufferId> {
    match kind {
        NodeKind::Reduction { op: ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex, outs, .. } => {
            outs.get(1).copied()
        }
        _ => None,
    }
}
