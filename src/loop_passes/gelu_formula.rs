//! Replaces GELU by tanh with its formula, except where a library may apply it to a product that it does: in the value that a node stores,
//! of the product's result.
//!
//! Invariant: a value is GELU only where an operator said so; a formula that a graph spells out is computed as it stands.

use crate::loops::{BufferId, Expr, ExprId, NodeKind, Program, UnaryOp};
use crate::target::Target;
use rustc_hash::FxHashSet;

/// Leaves it where the target's library may take it.
pub fn run(program: &mut Program, target: &Target) {
    if !program.exprs.has_gelu_tanh() {
        return;
    }
    let product = |n: &NodeKind| match n {
        NodeKind::Gemm { out, .. } => Some(*out),
        _ => None,
    };
    let products: FxHashSet<BufferId> = match target.library_applies_gelu() {
        true => program.nodes.iter().filter_map(|n| product(&n.kind)).collect(),
        false => FxHashSet::default(),
    };
    let mut nodes = std::mem::take(&mut program.nodes);
    for node in &mut nodes {
        let stores = matches!(node.kind, NodeKind::Pointwise { .. });
        node.for_each_expr(&mut |root| {
            if !(stores && is_applied(program, *root, &products)) {
                *root = program.exprs.expanded(*root);
            }
        });
    }
    program.nodes = nodes;
}

/// Whether the value is GELU of something that a product gives, and nothing else in it is GELU.
fn is_applied(program: &Program, mut value: ExprId, products: &FxHashSet<BufferId>) -> bool {
    let exprs = &program.exprs;
    while let Expr::Cast(_, inner) = exprs[value] {
        value = inner;
    }
    let Expr::Unary(UnaryOp::GeluTanh, x) = exprs[value] else { return false };
    let inner = exprs.postorder(&[x]);
    inner.iter().any(|e| matches!(&exprs[*e], Expr::Load { buffer, .. } if products.contains(buffer)))
        && !inner.iter().any(|e| matches!(exprs[*e], Expr::Unary(UnaryOp::GeluTanh, _)))
}
