//! Splits attention's gradients into two nodes: of queries, and of keys and values. A kernel of a GPU gives each block its own rows of a
//! gradient, so that sums have one order: one kernel walks over the keys of its queries, the other over the queries of its keys.

use crate::loops::{AttentionBackward, LoopNode, NodeKind, Program};

pub(super) fn run(program: &mut Program) {
    let nodes = std::mem::take(&mut program.nodes);
    for node in nodes {
        match &node.kind {
            NodeKind::AttentionBackward(a) if a.grad_query.is_some() && a.results().count() > 1 => {
                let of_query = AttentionBackward { grad_key: None, grad_value: None, ..(**a).clone() };
                let of_keys = AttentionBackward { grad_query: None, ..(**a).clone() };
                for part in [of_query, of_keys] {
                    let kind = NodeKind::AttentionBackward(Box::new(part));
                    program.nodes.push(LoopNode { kind, operators: node.operators.clone() });
                }
            }
            _ => program.nodes.push(node),
        }
    }
}
