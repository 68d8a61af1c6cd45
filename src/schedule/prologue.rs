//! Prologues: a pointwise node that only one template reads is computed where the template reads it, such as a scale before a projection, or
//! an activation before a convolution of one by one. The value is computed while the operand is copied for the tiles, and never lies in memory.
//!
//! Only a node that became no epilogue is considered, that is, a kernel that would write what one other kernel reads. The value must be
//! cheap, since each block of the product's other side computes it again, and its loads must be contiguous along the operand.
//!
//! Deliberately absent: right operands of products, which are packed once or read where they lie; larger windows of
//! convolutions, which would compute each value once for each of their taps.

use super::Item;
use super::fuse::{Draft, DraftKind};
use crate::base::HashSet;
use crate::loops::access::{flat_accesses, replacing, unflatten};
use crate::loops::uses::{Readers, lies_in_memory};
use crate::loops::{BinaryOp, BufferId, Convolution, Expr, ExprId, NodeKind, Operators, Program, UnaryOp};
use crate::types::{SymInt, SymbolId};
use std::sync::Arc;

/// A value of more expressions is worth a kernel.
const MOST_EXPRS: usize = 24;

/// Inlines such drafts into the operands of their readers, and removes them. `readers` covers the whole program, since drafts of
/// other lists may read the same buffers.
pub(super) fn sink(program: &mut Program, drafts: Vec<Draft>, readers: &Readers) -> Vec<Draft> {
    let template = |d: &Draft| match d.kind {
        DraftKind::Template { node, .. } => Some(node),
        _ => None,
    };
    let templates: HashSet<usize> = drafts.iter().filter_map(template).collect();
    let mut kept: Vec<Option<Draft>> = drafts.into_iter().map(Some).collect();
    for place in &mut kept {
        let Some(Draft { kind: DraftKind::Pointwise { outer }, members }) = place else { continue };
        let [member] = &members[..] else { continue };
        let Item::Store { buffer, value, node, .. } = member.item else { continue };
        let Some([reader]) = readers.get(&buffer).map(|r| &r[..]) else { continue };
        if !templates.contains(reader)
            || lies_in_memory(program, buffer)
            || !reads_on_the_left(program, *reader, buffer)
        {
            continue;
        }
        let outer = outer.clone();
        if inline(program, *reader, buffer, value, &outer) {
            let both = [&program.nodes[node].operators, &program.nodes[*reader].operators];
            program.nodes[*reader].operators = Operators::of(both);
            *place = None;
        }
    }
    kept.into_iter().flatten().collect()
}

/// True for a product that reads the buffer through its left operand alone.
fn reads_on_the_left(program: &Program, node: usize, buffer: BufferId) -> bool {
    let beside = match &program.nodes[node].kind {
        NodeKind::Gemm { b, .. } => *b,
        NodeKind::Convolution(c) if is_product(program, c) => c.weight,
        _ => return false,
    };
    !flat_accesses(program, beside).iter().any(|a| a.0 == buffer)
}

/// A convolution that is a product of matrices as its image lies.
fn is_product(program: &Program, c: &Convolution) -> bool {
    let depthwise = c.weight_sizes[1] == program.syms.constant(1) && c.groups > 1;
    c.is_pointwise(program) && !depthwise
}

/// Puts the value in place of the operand's loads of the buffer, where that is cheap.
fn inline(program: &mut Program, node: usize, buffer: BufferId, value: ExprId, outer: &[SymInt]) -> bool {
    let syms = Arc::clone(&program.syms);
    let mut kind = program.nodes[node].kind.clone();
    let (operand, lane) = match &mut kind {
        NodeKind::Gemm { batch, k, a, .. } => {
            let lane = syms.index_var(batch.len() as u32 + 2, *k);
            (a, lane)
        }
        NodeKind::Convolution(c) => {
            // The template runs over positions of the image.
            let [images, channels, height, width] = c.input_sizes;
            let positions = syms.mul(height, width);
            let position = syms.index_var(3, positions);
            let own = program.vars(&c.input_sizes);
            let point = unflatten(&syms, position, &[height, width]);
            let map = replacing(&syms, &own[2..], &point);
            c.input = program.exprs.substitute(&syms, c.input, &map);
            c.input_sizes = [images, channels, syms.constant(1), positions];
            (&mut c.input, position)
        }
        _ => return false,
    };
    let Some(lane) = syms.as_symbol(lane) else { return false };
    let vars = program.vars(outer);
    let mut failed = false;
    let loads: Vec<ExprId> = program.exprs.loads(&[*operand]);
    let mut replaced: Vec<(ExprId, ExprId)> = Vec::new();
    for load in loads {
        let Expr::Load { buffer: b, index, data } = program.exprs[load].clone() else { continue };
        if b == buffer {
            failed |= !data.is_empty();
            let map = replacing(&syms, &vars, &unflatten(&syms, index[0], outer));
            replaced.push((load, program.exprs.substitute(&syms, value, &map)));
        }
    }
    let result = program.exprs.rewrite(*operand, &mut |_, id| {
        replaced.iter().find(|(load, _)| *load == id).map_or(id, |(_, value)| *value)
    });
    if failed || replaced.is_empty() || !is_cheap(program, result, lane) {
        return false;
    }
    *operand = result;
    program.nodes[node].kind = kind;
    true
}

/// Few and quick operations along the lanes, loads of neighbours, something else than a copy.
fn is_cheap(program: &Program, root: ExprId, lane: SymbolId) -> bool {
    let syms = &program.syms;
    let order = program.exprs.postorder(&[root]);
    let runs_along = |index: SymInt| match syms.linear_in(index, lane) {
        Some((step, _)) => matches!(syms.as_const(step), Some(0 | 1)),
        None => false,
    };
    let varies = |id: ExprId| {
        program.exprs.postorder(&[id]).into_iter().any(|e| match &program.exprs[e] {
            Expr::Load { index, .. } => syms.depends_on(index[0], lane),
            Expr::Index(index, _) => syms.depends_on(*index, lane),
            _ => false,
        })
    };
    let fits = |e: &ExprId| match &program.exprs[*e] {
        Expr::Load { index, data, .. } => data.is_empty() && runs_along(index[0]),
        Expr::Unary(op, a) => matches!(op, UnaryOp::Neg | UnaryOp::Abs) || !varies(*a),
        Expr::Binary(op, a, b) => {
            use BinaryOp::*;
            matches!(op, Add | Sub | Mul | Maximum | Minimum | Eq | Ne | Lt | Le | Gt | Ge)
                || !(varies(*a) || varies(*b))
        }
        Expr::Index(index, _) => runs_along(*index),
        Expr::Check { .. } | Expr::Masked { .. } => false,
        Expr::Constant(..) | Expr::Select(..) | Expr::Cast(..) => true,
    };
    let computes =
        |e: &ExprId| matches!(program.exprs[*e], Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..));
    order.len() <= MOST_EXPRS && order.iter().any(computes) && order.iter().all(fits)
}
