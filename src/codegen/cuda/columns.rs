//! Groups whose reductions run across memory: neighbouring threads take neighbouring rows (columns of the matrix in
//! memory), the threads above one another share the reduced loop, and shared memory adds up what they have.

use super::super::{Kernel, cpp};
use super::beside::Walk;
use super::last::Grid;
use super::writer::{Partial, Writer, vector_elements};
use crate::kernels;
use crate::loops::{BufferId, Expr, Program};
use crate::print::words::functor;
use crate::schedule::{Group, Item, Last, Loops, Stage};
use crate::target::CudaTarget;
use crate::types::SymInt;

/// Threads beside one another.
pub const ACROSS: i64 = 32;

/// The kernel of such a group.
pub fn kernel(program: &Program, group: &Group, loops: &Loops, target: &CudaTarget) -> Kernel {
    let syms = &program.syms;
    let (last, rest) = loops.outer.split_last().expect("lanes over rows have rows");
    let var = syms.index_var(loops.outer.len() as u32 - 1, *last);
    let mut lanes = vector_elements(program, group, loops, |_| Some(var), &[*last]);
    let blocks_of =
        |lanes: i64| syms.mul(syms.product(rest), syms.ceildiv(*last, syms.constant(ACROSS * lanes)));
    while lanes > 1 && syms.hint(blocks_of(lanes)) < target.multiprocessors as i64 {
        lanes /= 2;
    }
    let reduced = loops.stages.iter().map(|s| syms.hint(syms.product(&s.inner))).max().unwrap_or(1).max(1);
    let above = ((reduced / 2).max(1) as u64).next_power_of_two().min(32) as i64;
    let space = syms.product(&loops.outer);
    let mut w = Writer::new(program, group, loops, lanes, syms.mul_const(space, 2));
    let ty = w.emitter.index_name();
    w.emitter.line(&format!(
        "const int across = threadIdx.x % {ACROSS}, above = threadIdx.x / {ACROSS}; (void)above;"
    ));
    w.emitter.line(&shared_memory(&w, loops.stages.iter(), above));
    w.emitter.open();
    let width = ACROSS * lanes;
    let (columns, blocks) = (w.emitter.index_text(*last), syms.ceildiv(*last, syms.constant(width)));
    let blocks = w.emitter.divisor_text(blocks);
    w.emitter.line(&format!("const {ty} whole = ({ty})blockIdx.x / {blocks}; (void)whole;"));
    // Columns beyond the last are computed again, with the same result: every thread meets every barrier.
    w.emitter.line(&format!(
        "const {ty} column = litz_lesser((({ty})blockIdx.x - whole * {blocks}) * {width} + across * {lanes}, {columns} - {lanes});"
    ));
    w.emitter.bind_point(rest, "whole");
    stages(&mut w, var, above);
    w.emitter.close("");
    let strips = syms.ceildiv(*last, syms.constant(width));
    super::last::write(&mut w, &Grid::Columns { blocks: strips, strips: 1, above });
    w.finish("columns", blocks_of(lanes), ACROSS * above, syms.constant(0))
}

/// Where the threads above one another put what they have: room for the widest accumulator, of last stages too.
pub fn shared_memory<'s>(w: &Writer<'s>, stages: impl Iterator<Item = &'s Stage>, above: i64) -> String {
    let last = w.group.last.iter().flat_map(|l| &l.loops.stages);
    let bytes =
        |i: &Item| kernels::accumulator(w.program.exprs.dtype(i.value())).compute().size().max(4) as i64;
    let widest = stages.chain(last).flat_map(|s| &s.items).map(bytes).max().unwrap_or(4);
    format!("__shared__ __align__(16) char shared[{}];", ACROSS * above * w.lanes * widest)
}

/// A part of a last stage: the columns of one strip, whose number among all is the variable `place`; `strips`: those of a
/// row of columns. The writer's loops are the last stage's.
pub fn part(w: &mut Writer<'_>, place: &str, strips: SymInt, above: i64) {
    let syms = std::sync::Arc::clone(&w.program.syms);
    let loops = w.loops;
    let (last, rest) = loops.outer.split_last().expect("columns have rows");
    let var = syms.index_var(loops.outer.len() as u32 - 1, *last);
    let (ty, lanes) = (w.emitter.index_name(), w.lanes);
    let (columns, blocks, width) =
        (w.emitter.index_text(*last), w.emitter.divisor_text(strips), ACROSS * lanes);
    w.emitter.line(&format!("const {ty} whole = {place} / {blocks}; (void)whole;"));
    w.emitter.line(&format!(
        "const {ty} column = litz_lesser(({place} - whole * {blocks}) * {width} + across * {lanes}, {columns} - {lanes});"
    ));
    w.emitter.row_level = w.emitter.depth();
    w.emitter.bind_point(rest, "whole");
    stages(w, var, above);
}

/// Parts of a column's result that one thread puts together by itself, at most: it asks for all of them at once.
const ALONE: i64 = 32;

/// Whether a last stage's columns are a thread's each, which meets no barrier then.
pub fn alone(w: &Writer<'_>, last: &Last) -> bool {
    let syms = &w.program.syms;
    let stored: Vec<BufferId> =
        last.loops.stages.iter().flat_map(|s| &s.items).flat_map(Item::outs).collect();
    let reads = |s: &Stage| {
        let roots: Vec<_> = s.items.iter().map(Item::value).collect();
        w.program.exprs.loads(&roots).into_iter().any(|l| match &w.program.exprs[l] {
            Expr::Load { buffer, .. } => stored.contains(buffer),
            _ => false,
        })
    };
    last.loops.stages.iter().all(|s| syms.as_const(syms.product(&s.inner)).is_some_and(|n| n <= ALONE))
        && !last.loops.stages.iter().any(|s| !s.inner.is_empty() && reads(s))
}

/// A column of a last stage, by one thread: `place` is its number among those of all strips, which are `width` wide each.
pub fn part_alone(w: &mut Writer<'_>, place: &str, width: i64, strips: SymInt) {
    let syms = std::sync::Arc::clone(&w.program.syms);
    let loops = w.loops;
    let (last, rest) = loops.outer.split_last().expect("columns have rows");
    let var = syms.index_var(loops.outer.len() as u32 - 1, *last);
    let (ty, lanes) = (w.emitter.index_name(), w.lanes);
    let (columns, blocks) = (w.emitter.index_text(*last), w.emitter.divisor_text(strips));
    w.lanes = 1;
    w.emitter.line(&format!("const {ty} whole = {place} / {width} / {blocks}; (void)whole;"));
    w.emitter.line(&format!("const {ty} column = {place} - whole * {blocks} * {width};"));
    w.emitter.line(&format!("if (column >= {columns}) continue;"));
    w.emitter.row_level = w.emitter.depth();
    w.emitter.bind_point(rest, "whole");
    let walk = Walk { var, places: ("0", 1), unrolled: ALONE, stores: None };
    for stage in &loops.stages {
        if stage.inner.is_empty() {
            walk.points(w, stage);
            continue;
        }
        let partials = walk.accumulate(w, stage);
        for (item, partial) in stage.items.iter().zip(&partials) {
            if let Some(partial) = partial {
                walk.result(w, item, &partial.value);
            }
        }
    }
    w.lanes = lanes;
}

fn stages(w: &mut Writer<'_>, var: SymInt, above: i64) {
    let loops = w.loops;
    for (k, stage) in loops.stages.iter().enumerate() {
        if k > 0 && w.reads_back(stage, &[]) {
            w.emitter.line("__syncthreads();");
        }
        write_stage(w, stage, var, above);
    }
}

fn write_stage(w: &mut Writer<'_>, stage: &Stage, var: SymInt, above: i64) {
    let walk = walk(var, above);
    if stage.inner.is_empty() {
        return walk.points(w, stage);
    }
    let partials = walk.accumulate(w, stage);
    combine(w, stage, &partials, var, above);
}

/// The threads above one another share the reduced loop; the first of them stores.
fn walk(var: SymInt, above: i64) -> Walk<'static> {
    Walk { var, places: ("above", above), unrolled: 4, stores: Some("above == 0") }
}

/// What the threads above one another have of a stage's reductions, put together and stored.
fn combine(w: &mut Writer<'_>, stage: &Stage, partials: &[Option<Partial>], var: SymInt, above: i64) {
    for (item, partial) in stage.items.iter().zip(partials) {
        let (Item::Reduce { op, value, .. }, Some(partial)) = (item, partial) else { continue };
        let dtype = kernels::accumulator(w.program.exprs.dtype(*value));
        let register = if w.lanes > 1 { cpp::vector_type(dtype) } else { cpp::scalar_type(dtype) };
        let (name, function, combined) = (&partial.value, functor(*op), w.emitter.fresh("v"));
        w.emitter.line(&format!(
            "const {register} {combined} = reduce_above<{ACROSS}, {above}>({name}, {function}(), shared);"
        ));
        walk(var, above).result(w, item, &combined);
    }
}
