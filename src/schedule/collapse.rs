//! Neighbouring loops that every access walks as one become one: fewer loops, longer vectors.

use super::access::{replacing, unflatten};
use super::{INNER, Item, Loops, Stage};
use crate::loops::{Expr, Program};
use crate::types::{SymInt, SymbolId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Collapses a group's loops, and gives a purely pointwise group its inner loop.
pub fn collapse(program: &mut Program, loops: &mut Loops) {
    let pointwise = loops.stages.len() == 1
        && loops.stages[0].inner.is_empty()
        && loops.stages[0].items.iter().all(|i| matches!(i, Item::Store { .. }));
    if pointwise && !loops.outer.is_empty() {
        split_innermost(program, loops);
    } else {
        for s in 0..loops.stages.len() {
            collapse_stage(program, &mut loops.stages[s]);
        }
    }
}

/// The fastest dimensions that all accesses visit as one become the inner loop of the only stage.
fn split_innermost(program: &mut Program, loops: &mut Loops) {
    let syms = Arc::clone(&program.syms);
    let outer = loops.outer.clone();
    let vars = program.vars(&outer);
    let mut first = outer.len() - 1;
    while first > 0 && mergeable(program, &loops.stages[0].items, &vars, &outer, first - 1) {
        first -= 1;
    }
    let total = syms.product(&outer[first..]);
    let to = unflatten(&syms, syms.index_var(INNER, total), &outer[first..]);
    let map = replacing(&syms, &vars[first..], &to);
    rename(program, &mut loops.stages[0].items, &map);
    loops.outer.truncate(first);
    loops.stages[0].inner = vec![total];
}

fn collapse_stage(program: &mut Program, stage: &mut Stage) {
    let syms = Arc::clone(&program.syms);
    loop {
        let vars: Vec<SymInt> =
            stage.inner.iter().enumerate().map(|(k, s)| syms.index_var(INNER + k as u32, *s)).collect();
        let Some(k) = (0..stage.inner.len().saturating_sub(1))
            .find(|k| mergeable(program, &stage.items, &vars, &stage.inner, *k))
        else {
            return;
        };
        let pair = [stage.inner[k], stage.inner[k + 1]];
        let mut inner = stage.inner.clone();
        inner.splice(k..k + 2, [syms.mul(pair[0], pair[1])]);
        // Later loops move one place forward.
        let mut to: Vec<SymInt> = Vec::with_capacity(vars.len());
        let own = |j: usize| syms.index_var(INNER + j as u32, inner[j]);
        to.extend((0..k).map(own));
        to.extend(unflatten(&syms, own(k), &pair));
        to.extend((k + 1..inner.len()).map(own));
        let map = replacing(&syms, &vars, &to);
        rename(program, &mut stage.items, &map);
        stage.inner = inner;
    }
}

/// True when loops `k` and `k + 1` can be one: every offset and index is linear in both, and a step of the slower
/// equals a whole round of the faster.
fn mergeable(program: &Program, items: &[Item], vars: &[SymInt], sizes: &[SymInt], k: usize) -> bool {
    let syms = &program.syms;
    let (Some(slow), Some(fast)) = (syms.as_symbol(vars[k]), syms.as_symbol(vars[k + 1])) else {
        // A loop over one value merges with anything.
        return true;
    };
    let walks = |index: SymInt| walks_as_one(program, index, slow, fast, sizes[k + 1]);
    items.iter().all(|item| {
        walks(item.offset())
            && program.exprs.postorder(&[item.value()]).into_iter().all(|e| match &program.exprs[e] {
                Expr::Index(index, _) => walks(*index),
                Expr::Load { index, .. } => index.iter().all(|i| walks(*i)),
                _ => true,
            })
    })
}

fn walks_as_one(program: &Program, index: SymInt, slow: SymbolId, fast: SymbolId, size: SymInt) -> bool {
    let syms = &program.syms;
    let Some((cs, rest)) = syms.linear_in(index, slow) else { return false };
    let Some((cf, _)) = syms.linear_in(rest, fast) else { return false };
    !syms.depends_on(cs, fast) && cs == syms.mul(cf, size)
}

fn rename(program: &mut Program, items: &mut [Item], map: &FxHashMap<SymbolId, SymInt>) {
    let syms = Arc::clone(&program.syms);
    for item in items {
        let (Item::Store { value, offset, .. } | Item::Reduce { value, offset, .. }) = item;
        *value = program.exprs.substitute(&syms, *value, map);
        *offset = syms.substitute(*offset, map);
    }
}
