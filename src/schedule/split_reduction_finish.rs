//! The last stage of a split reduction runs in the launch that computes its operands, in whichever block finishes last. That
//! saves a second launch, and no block waits for another.
//!
//! Blocks count in a semaphore, which is zero before and after a run. The partial results are combined in a fixed order, so
//! that a result does not depend on which block was last.
//!
//! Invariants: all operands of a last stage that its launch computes are in memory before its semaphore is full. A kernel
//! in which a thread may stop early (an assertion) has no last stage. Neither has a kernel that may have no blocks, since a
//! reduction over nothing still has a result to write.
//!
//! Deliberately absent: how blocks are numbered. `mapping` finds the blocks that a part of the last stage waits for, and lets it
//! wait for all of them where it cannot tell.

use super::lane_axis::goes_by_columns;
use super::stages::inner_position;
use super::{Group, GroupKind, Item, Last, Loops, Waits, small_windows};
use crate::loops::access::{flat_accesses, flatten};
use crate::loops::{BufferId, Expr, Program};
use crate::target::{CudaTarget, LEAST_COLUMN_CHUNK, LEAST_ROW_CHUNK};
use crate::types::{Dtype, SymInt};

/// Elements that the last block may combine alone, and the results that they give, one after another.
const ALONE: i64 = 1 << 14;
const ROWS_ALONE: i64 = 4;
/// Elements that one part of a last stage combines for each of its results, at most.
const DEEP: i64 = 1 << 12;

/// Moves last stages into the groups that make what they read.
pub fn attach(program: &mut Program, gpu: &CudaTarget, groups: &mut Vec<Group>) {
    let mut k = 0;
    while k < groups.len() {
        let Some((to, waits)) = place(program, gpu, groups, k) else {
            k += 1;
            continue;
        };
        let group = groups.remove(k);
        let GroupKind::Loops(loops) = group.kind else { unreachable!("only loops are last stages") };
        let parts = program.syms.product(&loops.outer);
        let parts = if waits == Waits::All { program.syms.constant(1) } else { parts };
        let rows = |l: &Loops| program.syms.product(&l.outer);
        let shared = groups[to].last.iter().find(|l| l.waits == waits && rows(&l.loops) == rows(&loops));
        let semaphores = match shared.map(|l| l.semaphores) {
            Some(semaphores) => semaphores,
            None => program.temporary(Dtype::Int32, &[parts]),
        };
        let into = &mut groups[to];
        let new: Vec<BufferId> =
            group.reads.into_iter().filter(|b| !into.writes.contains(b) && !into.reads.contains(b)).collect();
        into.reads.extend(new);
        into.writes.extend(group.writes);
        into.operators.add(&group.operators);
        match into.last.iter_mut().find(|l| l.waits == waits && alike(&l.loops, &loops)) {
            Some(last) => {
                for (stage, more) in last.loops.stages.iter_mut().zip(loops.stages) {
                    stage.items.extend(more.items);
                }
            }
            None => into.last.push(Last { loops, waits, semaphores }),
        }
    }
}

/// True for loops that can be walked together.
fn alike(a: &Loops, b: &Loops) -> bool {
    let shapes = |l: &Loops| l.stages.iter().map(|s| s.inner.clone()).collect::<Vec<_>>();
    a.outer == b.outer && shapes(a) == shapes(b)
}

/// The earlier group that the group `k` can be a last stage of.
fn place(program: &Program, gpu: &CudaTarget, groups: &[Group], k: usize) -> Option<(usize, Waits)> {
    let last = &groups[k];
    let GroupKind::Loops(loops) = &last.kind else { return None };
    let reduces =
        |l: &Loops| l.stages.iter().flat_map(|s| &s.items).any(|i| matches!(i, Item::Reduce { .. }));
    if !reduces(loops) {
        return None;
    }
    let makes = |g: &Group| last.reads.iter().any(|b| g.writes.contains(b));
    let to = (0..k).rev().find(|j| makes(&groups[*j]))?;
    let (main, others) = match &groups[to].kind {
        GroupKind::Loops(main) => (main, &[][..]),
        GroupKind::RowColumnReduction(panels) => (&panels.columns, &panels.rows[..]),
        _ => return None,
    };
    // What other last stages make is not there yet.
    let made_last = |b: &BufferId| {
        groups[to]
            .last
            .iter()
            .flat_map(|l| &l.loops.stages)
            .any(|s| s.items.iter().any(|i| i.outs().contains(b)))
    };
    if !reduces(main)
        || small_windows(program, main, gpu)
        || !last.last.is_empty()
        || !loops.row_buffers.is_empty()
        || last.reads.iter().any(made_last)
        || program.syms.range(program.syms.product(&main.outer)).min < 1
        || stops(program, main, others)
        || stops(program, loops, &[])
    {
        return None;
    }
    let waits = waits(program, main, loops, &groups[to].writes);
    let elements = |l: &Loops| -> i64 { l.stages.iter().map(|s| elements_of(program, &s.inner)).sum() };
    // Chunks of fewer elements than a split makes are dealt out several to a block, or one to a thread: no blocks are a
    // part's own, and the last of all computes everything.
    let chunk = main.stages.iter().map(|s| elements_of(program, &s.inner)).max().unwrap_or(1);
    let fits = match waits {
        Waits::Neighbours(_) if chunk >= LEAST_ROW_CHUNK => elements(loops) <= DEEP,
        Waits::Apart(_) if chunk >= LEAST_COLUMN_CHUNK && goes_by_columns(program, main) => {
            elements(loops) <= DEEP
        }
        Waits::Panel => elements(loops) <= DEEP,
        _ => {
            let rows = elements_of(program, &loops.outer);
            rows <= ROWS_ALONE && rows.saturating_mul(elements(loops)) <= ALONE
        }
    };
    fits.then_some((to, waits))
}

/// A number where it is known; what is not is too many.
fn elements_of(program: &Program, sizes: &[SymInt]) -> i64 {
    program.syms.as_const(program.syms.product(sizes)).unwrap_or(i64::MAX >> 8)
}

/// True where a thread may return before the end.
pub(super) fn stops(program: &Program, loops: &Loops, others: &[Item]) -> bool {
    let roots: Vec<_> = loops.stages.iter().flat_map(|s| &s.items).chain(others).map(Item::value).collect();
    program.exprs.postorder(&roots).into_iter().any(|e| matches!(program.exprs[e], Expr::Check { .. }))
}

/// Which rows of the group each row of its last stage reads.
fn waits(program: &Program, main: &Loops, last: &Loops, made: &[BufferId]) -> Waits {
    let syms = &program.syms;
    let (all, rows) = (syms.product(&main.outer), syms.product(&last.outer));
    let Some(chunks) = last.stages.iter().find(|s| !s.inner.is_empty()).map(|s| syms.product(&s.inner))
    else {
        return Waits::All;
    };
    if syms.mul(rows, chunks) != all || syms.as_const(rows).is_none() {
        return Waits::All;
    }
    let place = flatten(syms, &program.vars(&main.outer), &main.outer);
    let made_here = |b: BufferId| made.contains(&b);
    let in_order = main.stages.iter().flat_map(|s| &s.items).all(|item| match item {
        Item::Reduce { outs, offset, .. } => !outs.iter().any(|b| made_here(*b)) || *offset == place,
        Item::Store { .. } => true,
    });
    let row = flatten(syms, &program.vars(&last.outer), &last.outer);
    let (mut neighbours, mut apart) = (in_order, in_order);
    for stage in &last.stages {
        let chunk = inner_position(program, &stage.inner);
        for item in &stage.items {
            for (_, offset, data) in
                flat_accesses(program, item.value()).into_iter().filter(|a| made_here(a.0))
            {
                neighbours &= !data && offset == syms.add(syms.mul(row, chunks), chunk);
                apart &= !data && offset == syms.add(syms.mul(chunk, rows), row);
            }
        }
    }
    match (neighbours, apart) {
        (true, _) => Waits::Neighbours(chunks),
        (_, true) => Waits::Apart(chunks),
        _ => Waits::All,
    }
}
