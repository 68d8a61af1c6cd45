//! How many threads and blocks share a row, and the occupancy that a kernel asks for.

use crate::loops::{Expr, ExprId, Program};
use crate::schedule::{Group, Item, Loops, Stage};
use crate::target::{CudaTarget, ROW_OF_A_BLOCK};
use crate::types::SymInt;

/// Elements of a row that a thread keeps in registers, at most.
pub(super) const KEPT: i64 = ROW_OF_A_BLOCK / 1024;
/// Elements of a row that a thread handles, about.
const SHARE: i64 = 32;
/// Threads that walk along a row which is too wide for that.
const WALKERS: i64 = 256;
/// Elements of a row whose maximum and exponentials are found in one walk, at least: more than a few vectors of each thread.
pub(super) const WALKED_SOFTMAX: i64 = 8192;

/// Blocks that are to share a row: several where it is too wide for one to keep, is read more than once, and everything that
/// one stage leaves for another is the threads' own.
pub(super) fn blocks_of_row(
    program: &Program,
    group: &Group,
    loops: &Loops,
    target: &CudaTarget,
    width: i64,
) -> i64 {
    let syms = &program.syms;
    let whole = |elements: SymInt| syms.as_const(elements) == Some(width);
    let stages = || loops.stages.iter().filter(|s| !s.inner.is_empty());
    let looks_at_a_row = |s: &Stage| {
        let values: Vec<ExprId> = s.items.iter().map(Item::value).collect();
        program.exprs.loads(&values).into_iter().any(|l| match &program.exprs[l] {
            Expr::Load { buffer, .. } => loops.row_buffers.contains_key(buffer),
            _ => false,
        })
    };
    let plain = group.last.is_empty()
        && stages().count() > 1
        && stages().all(|s| matches!(s.inner[..], [only] if whole(only)))
        && loops.row_buffers.values().all(|r| whole(r.elements))
        && !loops.stages.iter().any(|s| s.inner.is_empty() && looks_at_a_row(s));
    if plain { target.blocks_of_row(width) } else { 1 }
}

/// Threads that share a row of this width, of so many rows, those of all blocks that share it.
pub(super) fn threads_of_row(
    [width, rows]: [i64; 2],
    blocks: i64,
    lanes: i64,
    walked: bool,
    target: &CudaTarget,
) -> i64 {
    match blocks {
        1 => threads_in_a_block([width, rows], lanes, walked, target),
        blocks if width <= blocks * 512 * SHARE => 512 * blocks,
        blocks => 1024 * blocks,
    }
}

/// Registers that a thread needs beside the arrays that it holds, about.
const REGISTERS: i64 = 16;

/// Blocks that a multiprocessor can hold at a time, where threads hold arrays of so many registers: told to the compiler,
/// which otherwise takes more, and leaves too few threads to wait for memory. 0: nothing to tell.
pub(super) fn blocks_at_once(held: i64, threads: i64) -> i64 {
    if held == 0 {
        return 0;
    }
    let each = (held + REGISTERS + 7) / 8 * 8;
    ((64 << 10) / (each * threads)).min(2048 / threads)
}

/// A power of two: enough threads that each has about `SHARE` elements; more where there are few rows.
fn threads_in_a_block([width, rows]: [i64; 2], lanes: i64, walked: bool, target: &CudaTarget) -> i64 {
    let power = |n: i64| (n.max(1) as u64).next_power_of_two() as i64;
    let vectors = (width + lanes - 1) / lanes;
    let most = power(vectors).min(1024);
    // Rows that no block keeps in registers are walked: many small blocks wait for one another less.
    let walked = walked || width > 1024 * KEPT;
    let start = if walked { WALKERS } else { power((width + SHARE - 1) / SHARE) };
    let mut threads = start.max(most.min(32)).min(most);
    while threads < most && rows * threads < target.multiprocessors as i64 * 1024 {
        threads *= 2;
    }
    threads
}
