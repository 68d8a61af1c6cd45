//! Pointwise groups: every thread computes one vector of the innermost loop.

use super::super::Kernel;
use super::writer::{Writer, last_inner, vector_elements};
use crate::loops::Program;
use crate::schedule::{Group, INNER, Item, Loops};

/// The kernel of a group without reductions and with one stage.
pub fn kernel(program: &Program, group: &Group, loops: &Loops) -> Kernel {
    let syms = &program.syms;
    let stage = &loops.stages[0];
    let last = stage.inner.last().copied().unwrap_or_else(|| syms.constant(1));
    let lanes = vector_elements(program, group, loops, |s| last_inner(program, s), &[last]);
    let before = &stage.inner[..stage.inner.len().saturating_sub(1)];
    let rows = syms.mul(syms.product(&loops.outer), syms.product(before));
    let (mut w, [threads, vectors]) = Writer::of_threads(program, group, loops, lanes, [rows, last]);
    let mut row = "thread".to_string();
    if let Some(var) = last_inner(program, stage) {
        w.name_row(vectors, ["row", "j"]);
        row = "row".into();
        if !before.is_empty() {
            let ty = w.emitter.index_name();
            let inner = w.emitter.divisor_text(syms.product(before));
            w.emitter.line(&format!("const {ty} outer = row / {inner}, within = row - outer * {inner};"));
            w.emitter.bind_space(INNER, before, "within");
            row = "outer".into();
        }
        w.emitter.bind_point(&loops.outer, &row);
        w.enter_lanes(var, "j");
    } else {
        w.emitter.bind_point(&loops.outer, &row);
    }
    for item in &stage.items {
        if let Item::Store { buffer, offset, value, .. } = item
            && group.writes.contains(buffer)
        {
            w.store(*buffer, *offset, *value);
        }
    }
    w.leave_lanes();
    w.finish_threads("points", threads)
}
