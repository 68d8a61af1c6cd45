//! Groups whose reductions are over a few places each, such as the windows of an image. On a GPU each thread walks the windows of its own
//! results.
//!
//! Invariant: such a group has no last stage, which needs blocks that share a reduction.
//!
//! Deliberately absent: the division of results among threads.

use super::{Item, Loops, Stage};
use crate::loops::Program;
use crate::target::CudaTarget;

/// The most places of a window.
const MOST: i64 = 64;
/// Results for each multiprocessor, at least: with fewer, several threads for each are faster.
const LEAST_RESULTS: i64 = 64;

/// True where every reduction is small, and results are enough for the machine.
pub fn small_windows(program: &Program, loops: &Loops, target: &CudaTarget) -> bool {
    let syms = &program.syms;
    let small = |s: &Stage| {
        let reduces = |i: &Item| matches!(i, Item::Reduce { .. });
        syms.as_const(syms.product(&s.inner)).is_some_and(|n| n <= MOST) && s.items.iter().all(reduces)
    };
    loops.row_buffers.is_empty()
        && !loops.outer.is_empty()
        && loops.stages.iter().filter(|s| !s.inner.is_empty()).all(small)
        && syms.hint(syms.product(&loops.outer)) >= target.multiprocessors as i64 * LEAST_RESULTS
}
