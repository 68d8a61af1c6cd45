//! Reductions over a few places each, such as windows of an image. Each thread has a vector of results and walks their windows alone; only the
//! first-level cache shares loads between threads. An extreme with its place is found for one result at a time.

use super::column_walk::Walk;
use super::writer::{Writer, vector_elements};
use crate::kernels::Kernel;
use crate::loops::Program;
use crate::schedule::{Group, Loops, Stage, small_windows};
use crate::target::CudaTarget;

/// True for such a group, but for a window of one dimension whose elements are neighbours, and the results' are not: it is
/// better read by neighbouring threads.
pub fn fits(program: &Program, group: &Group, loops: &Loops, target: &CudaTarget) -> bool {
    let one = program.syms.constant(1);
    let wide = |s: &Stage| s.inner.iter().filter(|n| **n != one).count() > 1;
    let mut reductions = loops.stages.iter().filter(|s| !s.inner.is_empty());
    group.last.is_empty()
        && small_windows(program, loops, target)
        && (reductions.all(wide) || crate::schedule::lane_axis::rows_are_as_good(program, loops, 8))
}

/// The kernel of such a group.
pub fn kernel(program: &Program, group: &Group, loops: &Loops) -> Kernel {
    let syms = &program.syms;
    let (last, rest) = loops.outer.split_last().expect("windows have results");
    let var = syms.index_var(loops.outer.len() as u32 - 1, *last);
    let lanes = vector_elements(program, group, loops, |_| Some(var), &[*last]);
    let (mut w, threads) = Writer::of_threads(program, group, loops, lanes, [syms.product(rest), *last]);
    let [whole, column] = w.name_row(threads);
    w.emitter.bind_point(rest, whole);
    for stage in &loops.stages {
        let few = syms.as_const(syms.product(&stage.inner)).is_some_and(|n| n <= 16);
        let walk = Walk::alone(&mut w, var, column, if few { 16 } else { 4 });
        walk.stage(&mut w, stage);
    }
    w.finish_threads(threads)
}
