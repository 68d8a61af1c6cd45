//! A sum in which only one element counts becomes that element: the gradient of a lookup, summed along the dimension that was looked up, as in
//! the gradient of cross-entropy.
//!
//! `Sum over i of Select(i == x, v, 0)` is `v` where `x` is an index of the dimension, and zero elsewhere, if neither `x` nor `v` depends on
//! `i`.

use crate::base::HashMap;
use crate::loops::access::replacing;
use crate::loops::{BinaryOp, BufferId, BufferKind, Expr, ExprId, NodeKind, Program, ReductionOp};
use crate::types::{Dtype, Scalar, SymInt, SymbolId};
use std::sync::Arc;

/// Nodes looked through to find what is summed.
const DEPTH: usize = 4;

pub fn run(program: &mut Program) {
    let mut made: HashMap<BufferId, usize> = HashMap::default();
    for node in 0..program.nodes.len() {
        if let Some(kind) = element(program, &made, node) {
            program.nodes[node].kind = kind;
        }
        match program.nodes[node].kind {
            NodeKind::Pointwise { out, .. } if program.buffers[out].kind == BufferKind::Temporary => {
                made.insert(out, node);
            }
            // What a node before it read may have changed since.
            NodeKind::Control(_) => made.clear(),
            _ => {}
        }
    }
}

/// The element that the sum is.
fn element(program: &mut Program, made: &HashMap<BufferId, usize>, node: usize) -> Option<NodeKind> {
    let NodeKind::Reduction { sizes, reduced, op: ReductionOp::Sum, value, outs } =
        program.nodes[node].kind.clone()
    else {
        return None;
    };
    let ([size], [out]) = (&reduced[..], &outs[..]) else { return None };
    let syms = Arc::clone(&program.syms);
    let place = syms.index_var(sizes.len() as u32, *size);
    let symbol = syms.as_symbol(place)?;
    let summed = (0..DEPTH).try_fold(value, |value, _| match looked_through(program, made, value) {
        Some(inner) => Ok(inner),
        None => Err(value),
    });
    let summed = summed.unwrap_or_else(|value| value);
    let Expr::Select(condition, chosen, other) = program.exprs[summed] else { return None };
    let Expr::Binary(BinaryOp::Eq, a, b) = program.exprs[condition] else { return None };
    let is_place = |e: ExprId| matches!(program.exprs[e], Expr::Index(i, Dtype::Int64) if i == place);
    let index = match (is_place(a), is_place(b)) {
        (true, false) => b,
        (false, true) => a,
        _ => return None,
    };
    let nothing = matches!(program.exprs[other], Expr::Constant(Scalar::Float(0.0) | Scalar::Int(0), _));
    if !nothing || depends(program, index, symbol) || depends(program, chosen, symbol) {
        return None;
    }
    let dtype = program.exprs.dtype(chosen);
    let exprs = &mut program.exprs;
    let (first, end) = (exprs.int(0, Dtype::Int64), exprs.index_value(*size, Dtype::Int64));
    let after = exprs.binary(BinaryOp::Le, first, index);
    let before = exprs.binary(BinaryOp::Lt, index, end);
    let within = exprs.binary(BinaryOp::LogicalAnd, after, before);
    let element = exprs.select(within, chosen, other);
    // A sum of zeros of either sign is a positive one.
    let value = if dtype.is_float() { exprs.binary(BinaryOp::Add, element, other) } else { element };
    Some(NodeKind::Pointwise { sizes, value, out: *out })
}

/// The expression of a load, if an earlier node computes the loaded buffer point by point.
fn looked_through(program: &mut Program, made: &HashMap<BufferId, usize>, value: ExprId) -> Option<ExprId> {
    let Expr::Load { buffer, index, data } = program.exprs[value].clone() else { return None };
    let NodeKind::Pointwise { sizes, value, .. } = program.nodes[*made.get(&buffer)?].kind.clone() else {
        return None;
    };
    let syms = Arc::clone(&program.syms);
    let map = replacing(&syms, &program.vars(&sizes), &index);
    data.is_empty().then(|| program.exprs.substitute(&syms, value, &map))
}

/// Whether a value changes with a variable.
fn depends(program: &Program, value: ExprId, symbol: SymbolId) -> bool {
    let changes = |i: &SymInt| program.syms.depends_on(*i, symbol);
    program.exprs.postorder(&[value]).into_iter().any(|e| match &program.exprs[e] {
        Expr::Index(index, _) => changes(index),
        Expr::Load { index, .. } => index.iter().any(changes),
        _ => false,
    })
}
