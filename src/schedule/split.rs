//! Reductions with few results and much to read are split in two, so that all cores take part.

use super::access::{flatten, unflatten};
use crate::loops::{LoopNode, NodeKind, Program, ReductionOp};
use crate::target::Target;
use rustc_hash::FxHashMap;

/// Below this many elements a reduction is not worth a second kernel.
const LEAST_ELEMENTS: i64 = 1 << 16;

/// Rewrites each such reduction as one over chunks, and one over the chunks' results.
pub fn split_reductions(program: &mut Program, target: &Target) {
    if target.workers() < 2 {
        return;
    }
    let nodes = std::mem::take(&mut program.nodes);
    for node in nodes {
        match split(program, &node) {
            Some([partial, last]) => program.nodes.extend([partial, last]),
            None => program.nodes.push(node),
        }
    }
}

fn split(program: &mut Program, node: &LoopNode) -> Option<[LoopNode; 2]> {
    let NodeKind::Reduction { sizes, reduced, op, value, outs } = &node.kind else { return None };
    // Positions within a chunk are not positions within the whole.
    if matches!(op, ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex) {
        return None;
    }
    let syms = std::sync::Arc::clone(&program.syms);
    let (rows, elements) = (syms.as_const(syms.product(sizes))?, syms.as_const(syms.product(reduced))?);
    if !(1..8).contains(&rows) || elements < LEAST_ELEMENTS {
        return None;
    }
    let chunks = (16..=256).rev().find(|c| elements % c == 0 && (elements / c) % 16 == 0)?;
    let (chunks, length) = (syms.constant(chunks), syms.constant(elements / chunks));
    let mut partial_sizes = sizes.clone();
    partial_sizes.push(chunks);
    let n = sizes.len() as u32;
    let (chunk, within) = (syms.index_var(n, chunks), syms.index_var(n + 1, length));
    let position = flatten(&syms, &[chunk, within], &[chunks, length]);
    let index = unflatten(&syms, position, reduced);
    let mut map = FxHashMap::default();
    for (k, to) in index.into_iter().enumerate() {
        if let Some(symbol) = syms.as_symbol(syms.index_var(n + k as u32, reduced[k])) {
            map.insert(symbol, to);
        }
    }
    let value = program.exprs.substitute(&syms, *value, &map);
    let dtype = program.exprs.dtype(value);
    let between = program.temporary(dtype, &partial_sizes);
    let partial = NodeKind::Reduction {
        sizes: partial_sizes.clone(),
        reduced: vec![length],
        op: *op,
        value,
        outs: vec![between],
    };
    let vars = program.vars(&partial_sizes);
    let loaded = program.exprs.load(between, dtype, vars, Vec::new());
    let last = NodeKind::Reduction {
        sizes: sizes.clone(),
        reduced: vec![chunks],
        op: *op,
        value: loaded,
        outs: outs.clone(),
    };
    let operators = node.operators.clone();
    Some([LoopNode { kind: partial, operators: operators.clone() }, LoopNode { kind: last, operators }])
}
