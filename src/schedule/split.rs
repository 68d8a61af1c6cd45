//! Reductions with few results and much to read are split in two, so that all cores take part.

use super::access::{flatten, unflatten};
use crate::loops::{Expr, ExprId, LoopNode, NodeKind, Program, ReductionOp};

use crate::target::Target;
use crate::types::SymInt;
use rustc_hash::FxHashMap;

/// Below this many elements to read a reduction is not worth a second kernel.
const LEAST_ELEMENTS: i64 = 1 << 16;

/// Rewrites each such reduction as one over chunks, and one over the chunks' results.
pub fn split_reductions(program: &mut Program, target: &Target) {
    if target.workers() < 2 {
        return;
    }
    let nodes = std::mem::take(&mut program.nodes);
    for node in nodes {
        match split(program, target, &node) {
            Some([partial, last]) => program.nodes.extend([partial, last]),
            None => program.nodes.push(node),
        }
    }
}

fn split(program: &mut Program, target: &Target, node: &LoopNode) -> Option<[LoopNode; 2]> {
    let NodeKind::Reduction { sizes, reduced, op, value, outs } = &node.kind else { return None };
    // Positions within a chunk are not positions within the whole.
    if matches!(op, ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex) {
        return None;
    }
    let syms = std::sync::Arc::clone(&program.syms);
    let (rows, elements) = (syms.as_const(syms.product(sizes))?, syms.as_const(syms.product(reduced))?);
    if rows.saturating_mul(elements) < LEAST_ELEMENTS {
        return None;
    }
    let columns = matches!(target, Target::Cuda(_)) && runs_along_rows(program, sizes, *value);
    let chunks = chunks(target, rows, elements, columns)?;
    let (chunks, length) = (syms.constant(chunks), syms.constant(elements / chunks));
    // Chunks are the slowest dimension where the rows are the fastest of memory.
    let first = u32::from(columns);
    let mut partial_sizes = sizes.clone();
    partial_sizes.insert(if columns { 0 } else { sizes.len() }, chunks);
    let n = sizes.len() as u32;
    let chunk = syms.index_var(if columns { 0 } else { n }, chunks);
    let within = syms.index_var(n + 1, length);
    let position = flatten(&syms, &[chunk, within], &[chunks, length]);
    let index = unflatten(&syms, position, reduced);
    let mut map = FxHashMap::default();
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
    let partial = NodeKind::Reduction {
        sizes: partial_sizes.clone(),
        reduced: vec![length],
        op: *op,
        value,
        outs: vec![between],
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
        outs: outs.clone(),
    };
    let operators = node.operators.clone();
    Some([LoopNode { kind: partial, operators: operators.clone() }, LoopNode { kind: last, operators }])
}

/// Into how many equal chunks each reduction is split, so that the machine has work; `None`: it has enough.
fn chunks(target: &Target, rows: i64, elements: i64, columns: bool) -> Option<i64> {
    match target {
        Target::Cpu(_) if !(1..8).contains(&rows) || elements < LEAST_ELEMENTS => None,
        Target::Cpu(_) => (16..=256).rev().find(|c| elements % c == 0 && (elements / c) % 16 == 0),
        Target::Cuda(gpu) => {
            // What a block takes: a row, or as many columns as its threads side by side.
            let blocks = if columns { rows / GPU_COLUMNS } else { rows }.max(1);
            let (busy, least) = (gpu.multiprocessors as i64, if columns { 128 } else { 4096 });
            if blocks >= busy {
                return None;
            }
            let wanted = (4 * busy + blocks - 1) / blocks;
            let good =
                |c: &i64| elements % c == 0 && elements / c >= least && (columns || (elements / c) % 16 == 0);
            (wanted..=2 * wanted).find(good).or_else(|| (2..wanted).rev().find(good))
        }
    }
}

/// Columns that one block of a GPU's column kernel takes.
const GPU_COLUMNS: i64 = 256;

/// True when neighbouring rows are neighbours in memory in most of what is read.
fn runs_along_rows(program: &Program, sizes: &[SymInt], value: ExprId) -> bool {
    let syms = &program.syms;
    let Some(last) = sizes.len().checked_sub(1) else { return false };
    let Some(symbol) = syms.as_symbol(syms.index_var(last as u32, sizes[last])) else { return false };
    let (mut along, mut all) = (0, 0);
    for load in program.exprs.loads(&[value]) {
        let Expr::Load { buffer, index, .. } = &program.exprs[load] else { continue };
        all += 1;
        let strides = &program.buffers[*buffer].strides;
        let steps = index.iter().zip(strides).filter_map(|(i, s)| Some((syms.linear_in(*i, symbol)?.0, s)));
        let step = steps.fold(syms.constant(0), |sum, (c, s)| syms.add(sum, syms.mul(c, *s)));
        along += i64::from(syms.as_const(step) == Some(1));
    }
    2 * along > all
}
