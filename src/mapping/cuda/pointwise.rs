//! Pointwise groups: every thread computes one vector of the innermost loop.

use super::writer::{Writer, last_inner, vector_elements};
use crate::kernels::{Kernel, Type};
use crate::loops::Program;
use crate::schedule::{Group, INNER, Item, Loops};

/// The elements of a thread's vector in such a kernel.
pub fn lanes(program: &Program, group: &Group, loops: &Loops) -> i64 {
    let last = loops.stages[0].inner.last().copied().unwrap_or_else(|| program.syms.constant(1));
    vector_elements(program, group, loops, |s| last_inner(program, s), &[last])
}

/// The kernel of a group without reductions and with one stage, in vectors of [`lanes`] elements or of a power of two below.
pub fn kernel(program: &Program, group: &Group, loops: &Loops, lanes: i64) -> Kernel {
    let syms = &program.syms;
    let stage = &loops.stages[0];
    let last = stage.inner.last().copied().unwrap_or_else(|| syms.constant(1));
    let before = &stage.inner[..stage.inner.len().saturating_sub(1)];
    let rows = syms.mul(syms.product(&loops.outer), syms.product(before));
    let (mut w, threads) = Writer::of_threads(program, group, loops, lanes, [rows, last]);
    if let Some(var) = last_inner(program, stage) {
        let [mut row, first] = w.name_row(threads);
        if !before.is_empty() {
            let e = &mut w.emitter;
            let inner = e.divisor(syms.product(before));
            let outer = e.quotient_of(row, inner);
            let outer = e.named("outer", Type::Index, outer);
            let covered = e.times(outer, inner);
            let within = e.minus(row, covered);
            let within = e.named("within", Type::Index, within);
            e.bind_space(INNER, before, within);
            row = outer;
        }
        w.emitter.bind_point(&loops.outer, row);
        w.enter_lanes(var, first);
    } else {
        w.emitter.bind_point(&loops.outer, threads.own);
    }
    for item in &stage.items {
        if let Item::Store { buffer, offset, value, .. } = item
            && group.writes.contains(buffer)
        {
            w.store(*buffer, *offset, *value);
        }
    }
    w.leave_lanes();
    w.finish_threads(threads)
}
