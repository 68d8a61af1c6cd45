//! Collapses neighbouring loops that every access walks as one: fewer loops, longer vectors.

use super::{INNER, Item, Loops, Stage};
use crate::base::{HashMap, StableSort};
use crate::loops::access::{flat_accesses, replacing, unflatten};
use crate::loops::{BufferId, Expr, Program};
use crate::types::{SymInt, SymbolId};
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

/// Neighbouring loops over rows that all stages walk as one become one, so that vectors across rows are longer.
pub fn collapse_rows(program: &mut Program, loops: &mut Loops) {
    let syms = Arc::clone(&program.syms);
    let mut k = loops.outer.len().saturating_sub(1);
    while k > 0 {
        k -= 1;
        let (outer, vars) = (loops.outer.clone(), program.vars(&loops.outer));
        if !loops.stages.iter().all(|s| mergeable(program, &s.items, &vars, &outer, k)) {
            continue;
        }
        let map = merge(program, loops, k);
        for row in loops.row_buffers.values_mut() {
            row.offset = syms.substitute(row.offset, &map);
        }
    }
}

/// Makes one loop of the outer loops `k` and `k + 1`; gives what has been put in place of each variable.
fn merge(program: &mut Program, loops: &mut Loops, k: usize) -> HashMap<SymbolId, SymInt> {
    let syms = Arc::clone(&program.syms);
    let (outer, vars) = (loops.outer.clone(), program.vars(&loops.outer));
    loops.outer.splice(k..k + 2, [syms.mul(outer[k], outer[k + 1])]);
    let own = program.vars(&loops.outer);
    let mut to = own[..k].to_vec();
    to.extend(unflatten(&syms, own[k], &outer[k..k + 2]));
    to.extend(&own[k + 1..]);
    let map = replacing(&syms, &vars, &to);
    for stage in &mut loops.stages {
        rename(program, &mut stage.items, &map);
    }
    map
}

/// Loops in the order of memory; those that all accesses walk as one become one, and the innermost is the inner loop of
/// the only stage.
fn split_innermost(program: &mut Program, loops: &mut Loops) {
    let syms = Arc::clone(&program.syms);
    order_by_memory(program, loops);
    let mut k = loops.outer.len() - 1;
    while k > 0 {
        k -= 1;
        let (outer, vars) = (loops.outer.clone(), program.vars(&loops.outer));
        if !mergeable(program, &loops.stages[0].items, &vars, &outer, k) {
            continue;
        }
        merge(program, loops, k);
    }
    let Some(total) = loops.outer.pop() else { return };
    let from = syms.index_var(loops.outer.len() as u32, total);
    let map = replacing(&syms, &[from], &[syms.index_var(INNER, total)]);
    rename(program, &mut loops.stages[0].items, &map);
    loops.stages[0].inner = vec![total];
}

/// Dimensions from the slowest to the fastest of an access that is contiguous along the dimension where most bytes are;
/// left as they are where the last dimension is as good as any.
fn order_by_memory(program: &mut Program, loops: &mut Loops) {
    let syms = Arc::clone(&program.syms);
    let (outer, vars) = (loops.outer.clone(), program.vars(&loops.outer));
    // The offsets, stores first, each with its bytes: what does not depend on a variable is loaded once for all its values.
    let items = &loops.stages[0].items;
    let bytes = |buffer: BufferId, offset: SymInt| {
        let depends = |v: &SymInt| syms.as_symbol(*v).is_some_and(|s| syms.depends_on(offset, s));
        let elements = vars.iter().zip(&outer).filter(|(v, _)| depends(v)).map(|(_, n)| syms.hint(*n).max(1));
        let size = program.buffers[buffer].dtype.size() as i64;
        (offset, elements.fold(size, i64::saturating_mul))
    };
    let mut offsets: Vec<(SymInt, i64)> = Vec::new();
    for item in items {
        offsets.extend(item.outs().iter().map(|b| bytes(*b, item.offset())));
    }
    for item in items {
        let loads = flat_accesses(program, item.value()).into_iter().filter(|l| !l.2);
        offsets.extend(loads.map(|(b, offset, _)| bytes(b, offset)));
    }
    offsets.dedup();
    let step = |offset: SymInt, var: SymInt| Some(syms.linear_in(offset, syms.as_symbol(var)?)?.0);
    let along = |var: SymInt| -> i64 {
        offsets.iter().filter(|o| step(o.0, var).and_then(|s| syms.as_const(s)) == Some(1)).map(|o| o.1).sum()
    };
    let last = vars.len() - 1;
    let best =
        (0..vars.len()).rev().fold(last, |best, k| if along(vars[k]) > along(vars[best]) { k } else { best });
    if best == last {
        return;
    }
    let leads = |o: &&(SymInt, i64)| step(o.0, vars[best]).and_then(|s| syms.as_const(s)) == Some(1);
    let Some((leader, _)) = offsets.iter().find(leads) else { return };
    let steps: Option<Vec<i64>> = vars
        .iter()
        .map(|v| {
            if syms.as_symbol(*v).is_none() {
                Some(i64::MAX)
            } else {
                step(*leader, *v).map(|s| syms.hint(s))
            }
        })
        .collect();
    let Some(steps) = steps else { return };
    let mut order: Vec<usize> = (0..vars.len()).collect();
    // What the leader does not depend on is slowest.
    order.stable_sort_by_key(|k| std::cmp::Reverse(if steps[*k] == 0 { i64::MAX } else { steps[*k] }));
    loops.outer = order.iter().map(|k| outer[*k]).collect();
    let own = program.vars(&loops.outer);
    let mut to = vars.clone();
    for (place, k) in order.iter().enumerate() {
        to[*k] = own[place];
    }
    let map = replacing(&syms, &vars, &to);
    rename(program, &mut loops.stages[0].items, &map);
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

fn rename(program: &mut Program, items: &mut [Item], map: &HashMap<SymbolId, SymInt>) {
    let syms = Arc::clone(&program.syms);
    for item in items {
        let (Item::Store { value, offset, .. } | Item::Reduce { value, offset, .. }) = item;
        *value = program.exprs.substitute(&syms, *value, map);
        *offset = syms.substitute(*offset, map);
    }
}
