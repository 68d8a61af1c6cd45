//! Replaces GELU by tanh with its formula, except where a library may apply it to a product that it does: in the value that a node stores,
//! of the product's result, with pointwise nodes in between.
//!
//! Invariant: a value is GELU only where an operator said so; a formula that a graph spells out is computed as it stands.

use crate::base::HashSet;
use crate::loops::{BufferId, Expr, ExprId, NodeKind, Program, UnaryOp};
use crate::target::Target;

/// Leaves it where the target's library may take it.
pub fn run(program: &mut Program, target: &Target) {
    if !program.exprs.has_gelu_tanh() {
        return;
    }
    let products = if target.library_applies_gelu() { made_of_products(program) } else { HashSet::default() };
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

/// The results of products, and what pointwise nodes make of them.
fn made_of_products(program: &Program) -> HashSet<BufferId> {
    let mut made = HashSet::default();
    for node in &program.nodes {
        match &node.kind {
            NodeKind::Gemm { out, .. } => _ = made.insert(*out),
            NodeKind::Pointwise { value, out, .. } if reads(program, *value, &made) => _ = made.insert(*out),
            _ => {}
        }
    }
    made
}

fn reads(program: &Program, value: ExprId, buffers: &HashSet<BufferId>) -> bool {
    let inner = program.exprs.postorder(&[value]);
    inner.iter().any(|e| matches!(&program.exprs[*e], Expr::Load { buffer, .. } if buffers.contains(buffer)))
}

/// Whether the value is GELU of something that is made of a product, and nothing else in it is GELU.
fn is_applied(program: &Program, mut value: ExprId, products: &HashSet<BufferId>) -> bool {
    let exprs = &program.exprs;
    while let Expr::Cast(_, inner) = exprs[value] {
        value = inner;
    }
    let Expr::Unary(UnaryOp::GeluTanh, x) = exprs[value] else { return false };
    let is_gelu = |e: &ExprId| matches!(exprs[*e], Expr::Unary(UnaryOp::GeluTanh, _));
    reads(program, x, products) && !exprs.postorder(&[x]).iter().any(is_gelu)
}
