//! Splits reductions with few results and many elements in two, so that all cores take part. The target decides the number of chunks.

use crate::base::HashMap;
use crate::loops::access::{flatten, offset_of, unflatten};
use crate::loops::{BinaryOp, Expr, ExprId, LoopNode, NodeKind, Program, ReductionOp};
use crate::target::{LEAST_ELEMENTS, Target};
use crate::types::{Dtype, Scalar, SymInt};

/// Rewrites each such reduction as one over chunks, and one over the chunks' results.
pub fn run(program: &mut Program, target: &Target) {
    let nodes = std::mem::take(&mut program.nodes);
    for node in nodes {
        match split(program, target, &node) {
            Some(parts) => program.nodes.extend(parts),
            None => program.nodes.push(node),
        }
    }
}

fn split(program: &mut Program, target: &Target, node: &LoopNode) -> Option<Vec<LoopNode>> {
    let NodeKind::Reduction { sizes, reduced, op, value, outs } = &node.kind else { return None };
    let syms = std::sync::Arc::clone(&program.syms);
    let (rows, elements) = (syms.as_const(syms.product(sizes))?, syms.as_const(syms.product(reduced))?);
    if rows.saturating_mul(elements) < LEAST_ELEMENTS {
        return None;
    }
    let columns = target.reduces_columns() && runs_along_rows(program, sizes, *value);
    let chunk_count = target.reduction_chunks(rows, elements, columns)?;
    let (chunks, length) = (syms.constant(chunk_count), syms.constant(elements / chunk_count));
    // Chunks are the slowest dimension where the rows are the fastest of memory.
    let first = u32::from(columns);
    let mut partial_sizes = sizes.clone();
    partial_sizes.insert(if columns { 0 } else { sizes.len() }, chunks);
    let n = sizes.len() as u32;
    let chunk = syms.index_var(if columns { 0 } else { n }, chunks);
    // Positions within a chunk, and of the chunk among all, where they are asked for.
    let placed = matches!(op, ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex);
    // A chunk is whole slices of the slowest dimension where it can be, so that places need no division.
    let slices =
        syms.as_const(reduced[0]).map_or(0, |n| if n % chunk_count == 0 { n / chunk_count } else { 0 });
    let (inner, index) = if slices > 0 && reduced.len() > 1 && !placed {
        let mut inner = reduced.clone();
        inner[0] = syms.constant(slices);
        let mut index: Vec<SymInt> =
            inner.iter().enumerate().map(|(k, size)| syms.index_var(n + 1 + k as u32, *size)).collect();
        index[0] = flatten(&syms, &[chunk, index[0]], &[chunks, inner[0]]);
        (inner, index)
    } else {
        let within = syms.index_var(n + 1, length);
        let position = flatten(&syms, &[chunk, within], &[chunks, length]);
        (vec![length], unflatten(&syms, position, reduced))
    };
    let mut map = HashMap::default();
    for (k, to) in index.into_iter().enumerate() {
        if let Some(symbol) = syms.as_symbol(syms.index_var(n + k as u32, reduced[k])) {
            map.insert(symbol, to);
        }
    }
    for (k, size) in sizes.iter().enumerate() {
        if let Some(symbol) = syms.as_symbol(syms.index_var(k as u32, *size)) {
            map.insert(symbol, syms.index_var(k as u32 + first, *size));
        }
    }
    let value = program.exprs.substitute(&syms, *value, &map);
    let dtype = program.exprs.dtype(value);
    let between = program.temporary(dtype, &partial_sizes);
    let mut places = |sizes: &[SymInt]| placed.then(|| program.temporary(Dtype::Int64, sizes));
    let (within, which) = (places(&partial_sizes), places(sizes));
    let partial = NodeKind::Reduction {
        sizes: partial_sizes.clone(),
        reduced: inner,
        op: *op,
        value,
        outs: std::iter::once(between).chain(within).collect(),
    };
    // The second reduction's variables: the rows', then the chunk's.
    let mut vars: Vec<_> = program.vars(sizes);
    vars.insert(if columns { 0 } else { sizes.len() }, syms.index_var(n, chunks));
    let loaded = program.exprs.load(between, dtype, vars, Vec::new());
    let last = NodeKind::Reduction {
        sizes: sizes.clone(),
        reduced: vec![chunks],
        op: *op,
        value: loaded,
        outs: std::iter::once(outs[0]).chain(which.or(outs.get(1).copied())).collect(),
    };
    let mut kinds = vec![partial, last];
    if let (Some(within), Some(which)) = (within, which) {
        let rows: Vec<_> = program.vars(sizes);
        let chunk = program.exprs.load(which, Dtype::Int64, rows.clone(), Vec::new());
        let mut index = rows;
        index.insert(if columns { 0 } else { sizes.len() }, syms.data_var(0));
        let within = program.exprs.load(within, Dtype::Int64, index, vec![chunk]);
        let length = program.exprs.constant(Scalar::Int(elements / chunk_count), Dtype::Int64);
        let before = program.exprs.binary(BinaryOp::Mul, chunk, length);
        let value = program.exprs.binary(BinaryOp::Add, before, within);
        kinds.push(NodeKind::Pointwise { sizes: sizes.clone(), value, out: outs[1] });
    }
    let operators = &node.operators;
    Some(kinds.into_iter().map(|kind| LoopNode { kind, operators: operators.clone() }).collect())
}

/// True when neighbouring rows are neighbours in memory in most of what is read.
fn runs_along_rows(program: &Program, sizes: &[SymInt], value: ExprId) -> bool {
    let syms = &program.syms;
    let Some(last) = sizes.len().checked_sub(1) else { return false };
    let Some(symbol) = syms.as_symbol(syms.index_var(last as u32, sizes[last])) else { return false };
    let (mut along, mut all) = (0, 0);
    for load in program.exprs.loads(&[value]) {
        let Expr::Load { buffer, index, .. } = &program.exprs[load] else { continue };
        all += 1;
        let offset = offset_of(syms, index, &program.buffers[*buffer].strides);
        let step = syms.linear_in(offset, symbol).and_then(|(step, _)| syms.as_const(step));
        along += i64::from(step == Some(1));
    }
    2 * along > all
}
