//! Reductions over a few places each, such as windows of an image: a thread has a vector of results, and goes through
//! their windows by itself. Nothing is shared between threads but what the first-level cache holds.

use super::super::emit::{Operand, Storage};
use super::super::{Kernel, cpp};
use super::BLOCK;
use super::writer::{Partial, Writer, vector_elements};
use crate::loops::{Program, ReductionOp};
use crate::schedule::{Group, INNER, Item, Loops, Stage};
use crate::target::CudaTarget;
use crate::types::SymInt;

/// The most places of a window.
const MOST: i64 = 64;

/// True for such a group: every reduction small, and results enough for the machine's threads. A window of one dimension
/// whose elements are neighbours is better read by neighbouring threads.
pub fn fits(program: &Program, loops: &Loops, target: &CudaTarget) -> bool {
    let syms = &program.syms;
    let one = syms.constant(1);
    let small = |s: &Stage| {
        let reduces = |i: &Item| match i {
            Item::Reduce { op, .. } => !matches!(op, ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex),
            Item::Store { .. } => false,
        };
        syms.as_const(syms.product(&s.inner)).is_some_and(|n| n <= MOST) && s.items.iter().all(reduces)
    };
    let wide = |s: &Stage| s.inner.iter().filter(|n| **n != one).count() > 1;
    let mut reductions = loops.stages.iter().filter(|s| !s.inner.is_empty());
    let across = reductions.clone().all(wide) || super::super::loops::rows_are_better(program, loops, 8);
    let threads = target.multiprocessors as i64 * 1024;
    loops.row_buffers.is_empty()
        && !loops.outer.is_empty()
        && across
        && reductions.all(small)
        && syms.hint(syms.product(&loops.outer)) >= threads
}

/// The kernel of such a group.
pub fn kernel(program: &Program, group: &Group, loops: &Loops) -> Kernel {
    let syms = &program.syms;
    let (last, rest) = loops.outer.split_last().expect("windows have results");
    let var = syms.index_var(loops.outer.len() as u32 - 1, *last);
    let lanes = vector_elements(program, group, loops, |_| Some(var), &[*last]);
    let vectors = syms.floordiv(*last, syms.constant(lanes));
    let threads = syms.mul(syms.product(rest), vectors);
    let mut w = Writer::new(program, group, loops, lanes, syms.mul_const(threads, lanes));
    let ty = w.emitter.index_type;
    w.emitter.line(&format!("const {ty} thread = ({ty})blockIdx.x * {BLOCK} + (int)threadIdx.x;"));
    let total = w.emitter.index(threads);
    w.emitter.line(&format!("if (thread >= {total}) return;"));
    w.emitter.open();
    let width = w.emitter.divisor(vectors);
    w.emitter.line(&format!(
        "const {ty} whole = thread / {width}, column = (thread - whole * {width}) * {lanes}; (void)whole; (void)column;"
    ));
    w.emitter.bind_point(rest, "whole");
    for stage in &loops.stages {
        write_stage(&mut w, stage, var);
    }
    w.emitter.close("");
    let blocks = syms.ceildiv(threads, syms.constant(BLOCK));
    w.finish("windows", blocks, BLOCK, syms.constant(0))
}

fn write_stage(w: &mut Writer<'_>, stage: &Stage, var: SymInt) {
    let syms = std::sync::Arc::clone(&w.program.syms);
    let vector = w.lanes > 1;
    let ty = w.emitter.index_type;
    if stage.inner.is_empty() {
        w.enter_lanes(var, "column");
        for item in &stage.items {
            if let Item::Store { buffer, offset, value, .. } = item {
                let dtype = w.program.exprs.dtype(*value);
                let operand = w.emitter.value(*value);
                let text = if vector { w.emitter.vector(operand) } else { operand.text };
                let ty = if vector { cpp::vector_type(dtype) } else { cpp::scalar_type(dtype) };
                let operand = named(w, ty, &text);
                if w.group.writes.contains(buffer) {
                    let pointer = w.pointer(*buffer);
                    w.emitter.store_text(&pointer, *offset, operand.clone());
                }
                w.emitter.storage.insert(*buffer, Storage::Row(operand));
            }
        }
        w.leave_lanes();
        return;
    }
    let partials: Vec<Option<Partial>> = stage.items.iter().map(|i| w.partial(i, vector)).collect();
    let total = syms.product(&stage.inner);
    let (total, p) = (w.emitter.index(total), w.emitter.fresh("p"));
    w.emitter.open();
    w.emitter.bind_space(INNER, &stage.inner, &p);
    w.enter_lanes(var, "column");
    for (item, partial) in stage.items.iter().zip(&partials) {
        if let Some(partial) = partial {
            w.accumulate(item, partial, stage);
        }
    }
    w.leave_lanes();
    let times = if syms.as_const(syms.product(&stage.inner)).is_some_and(|n| n <= 16) { "16" } else { "4" };
    w.emitter.line_at(w.emitter.depth() - 1, &format!("_Pragma(\"unroll {times}\")"));
    w.emitter.close(&format!("for ({ty} {p} = 0; {p} < {total}; {p}++)"));
    for (item, partial) in stage.items.iter().zip(&partials) {
        let (Item::Reduce { value, outs, offset, .. }, Some(partial)) = (item, partial) else { continue };
        let own = w.program.exprs.dtype(*value);
        let text = match cpp::accumulator(own) {
            dtype if dtype == own => partial.value.clone(),
            _ => format!("{}({})", cpp::cast(own), partial.value),
        };
        let ty = if vector { cpp::vector_type(own) } else { cpp::scalar_type(own) };
        let operand = named(w, ty, &text);
        if w.group.writes.contains(&outs[0]) {
            w.enter_lanes(var, "column");
            let pointer = w.pointer(outs[0]);
            w.emitter.store_text(&pointer, *offset, operand.clone());
            w.leave_lanes();
        }
        w.emitter.storage.insert(outs[0], Storage::Row(operand));
    }
}

/// A value under a name of its own in the kernel's scope.
fn named(w: &mut Writer<'_>, ty: &str, text: &str) -> Operand {
    let name = w.emitter.fresh("v");
    w.emitter.line(&format!("const {ty} {name} = {text}; (void){name};"));
    if w.lanes > 1 { Operand::varying(name) } else { Operand::uniform(name) }
}
