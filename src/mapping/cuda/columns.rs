//! Groups whose reductions run across memory. Neighbouring threads take neighbouring rows (columns of the matrix in memory), threads of
//! different warps divide the reduced loop, and shared memory combines their partial results.

use super::column_walk::Walk;
use super::split_reduction_finish::Grid;
use super::writer::{Writer, vector_elements};
use crate::kernels::{Builtin, IndexOp, Kernel, LocalId, Over, Scope, Statement, Type, ValueId, accumulator};
use crate::loops::{BufferId, Expr, Program};
use crate::schedule::{Group, Item, Last, Loops, Stage, lane_axis};
use crate::target::CudaTarget;
use crate::types::SymInt;

/// Threads beside one another.
pub const ACROSS: i64 = lane_axis::COLUMNS;
/// The most threads above one another. With more blocks than multiprocessors a block has half as many: two share a multiprocessor, and one
/// loads while the other adds up.
const HIGHEST: i64 = 32;
/// Places that a thread loads from at a time.
const UNROLLED: i64 = 8;

/// The threads of a block: a thread's place beside and above others, and what they work in.
#[derive(Clone, Copy)]
pub struct Block {
    pub across: ValueId,
    pub above: ValueId,
    /// Threads above one another.
    pub height: i64,
    pub shared: LocalId,
}

/// The kernel of such a group.
pub fn kernel(program: &Program, group: &Group, loops: &Loops, target: &CudaTarget) -> Kernel {
    let syms = &program.syms;
    let (last, rest) = loops.outer.split_last().expect("lanes over rows have rows");
    let var = syms.index_var(loops.outer.len() as u32 - 1, *last);
    let mut lanes = vector_elements(program, group, loops, |_| Some(var), &[*last]);
    let blocks_of =
        |lanes: i64| syms.mul(syms.product(rest), syms.ceildiv(*last, syms.constant(ACROSS * lanes)));
    // Vectors beyond the last column would be computed for nothing.
    let idle = |lanes: i64| ACROSS * lanes / 2 >= syms.hint(*last);
    while lanes > 1 && (idle(lanes) || syms.hint(blocks_of(lanes)) < target.multiprocessors as i64) {
        lanes /= 2;
    }
    let reduced = loops.stages.iter().map(|s| syms.hint(syms.product(&s.inner))).max().unwrap_or(1).max(1);
    let many = syms.hint(blocks_of(lanes)) > target.multiprocessors as i64;
    let highest = if many { HIGHEST / 2 } else { HIGHEST };
    let height = ((reduced / 2).max(1) as u64).next_power_of_two().min(highest as u64) as i64;
    let space = syms.product(&loops.outer);
    let mut w = Writer::new(program, group, loops, lanes, syms.mul_const(space, 2));
    w.repeats();
    let [across, above] = w.beside_and_above(ACROSS);
    let bytes = shared_bytes(&w, loops.stages.iter(), height);
    let block = Block { across, above, height, shared: w.shared(bytes) };
    w.emitter.open();
    let strips = syms.ceildiv(*last, syms.constant(ACROSS * lanes));
    let place = w.emitter.builtin(Builtin::BlockIndex);
    columns_of(&mut w, place, strips, block);
    w.emitter.close_scope();
    super::split_reduction_finish::write(&mut w, &Grid::Columns { blocks: strips, strips: 1, block });
    w.finish(blocks_of(lanes), ACROSS * height, syms.constant(0))
}

/// Where the threads above one another put what they have: bytes for the widest accumulator, of last stages too.
pub fn shared_bytes<'s>(w: &Writer<'s>, stages: impl Iterator<Item = &'s Stage>, above: i64) -> i64 {
    let last = w.group.last.iter().flat_map(|l| &l.loops.stages);
    let bytes = |i: &Item| accumulator(w.program.exprs.dtype(i.value())).compute().size().max(4) as i64;
    let widest = stages.chain(last).flat_map(|s| &s.items).map(bytes).max().unwrap_or(4);
    ACROSS * above * w.lanes * widest
}

/// The stages of the columns of one strip, whose number among all is `place`; `strips`: those of a row of columns.
fn columns_of(w: &mut Writer<'_>, place: ValueId, strips: SymInt, block: Block) {
    let syms = std::sync::Arc::clone(&w.program.syms);
    let loops = w.loops;
    let (last, rest) = loops.outer.split_last().expect("columns have rows");
    let var = syms.index_var(loops.outer.len() as u32 - 1, *last);
    let (e, lanes) = (&mut w.emitter, w.lanes);
    let (columns, strips) = (e.index(*last), e.divisor(strips));
    let whole = e.quotient_of(place, strips);
    let whole = e.spare("whole", Type::Index, whole);
    // Columns beyond the last are computed again, with the same result: every thread meets every barrier.
    let before = e.times(whole, strips);
    let strip = e.minus(place, before);
    let (width, lanes) = (e.integer(ACROSS * lanes), e.integer(lanes));
    let first = e.times(strip, width);
    let own = e.times(block.across, lanes);
    let own = e.plus(first, own);
    let most = e.minus(columns, lanes);
    let column = e.lesser(own, most);
    let column = e.named("column", Type::Index, column);
    w.emitter.bind_point(rest, whole);
    for (k, stage) in loops.stages.iter().enumerate() {
        if k > 0 && w.reads_back(stage, &[]) {
            w.emitter.push(Statement::Barrier(Scope::Block));
        }
        build_stage(w, stage, var, column, block);
    }
}

/// A part of a last stage: the columns of one strip, by all threads of a block. The writer's loops are the last stage's.
pub fn part(w: &mut Writer<'_>, place: ValueId, strips: SymInt, block: Block) {
    w.emitter.row_level = w.emitter.depth();
    columns_of(w, place, strips, block);
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
pub fn part_alone(w: &mut Writer<'_>, place: ValueId, width: i64, strips: SymInt) {
    let syms = std::sync::Arc::clone(&w.program.syms);
    let loops = w.loops;
    let (last, rest) = loops.outer.split_last().expect("columns have rows");
    let var = syms.index_var(loops.outer.len() as u32 - 1, *last);
    let (e, lanes) = (&mut w.emitter, w.lanes);
    let (columns, strips) = (e.index(*last), e.divisor(strips));
    w.lanes = 1;
    let width = e.integer(width);
    let strip = e.quotient_of(place, width);
    let whole = e.quotient_of(strip, strips);
    let whole = e.spare("whole", Type::Index, whole);
    let before = e.times(whole, strips);
    let before = e.times(before, width);
    let column = e.minus(place, before);
    let column = e.named("column", Type::Index, column);
    let there = e.index_op(IndexOp::Less, &[column, columns]);
    e.open();
    e.row_level = e.depth();
    e.bind_point(rest, whole);
    let walk = Walk::alone(w, var, column, ALONE);
    for stage in &loops.stages {
        walk.stage(w, stage);
    }
    w.emitter.close_if(there);
    w.lanes = lanes;
}

fn build_stage(w: &mut Writer<'_>, stage: &Stage, var: SymInt, column: ValueId, block: Block) {
    // The threads above one another share the reduced loop; the first of them stores.
    let (zero, by) = (w.emitter.integer(0), block.height);
    let stores = Some(w.emitter.index_op(IndexOp::Equal, &[block.above, zero]));
    let walk = Walk { var, column, first: block.above, by, unrolled: UNROLLED, stores };
    if stage.inner.is_empty() {
        return walk.points(w, stage);
    }
    let partials = walk.accumulate(w, stage);
    for (item, partial) in stage.items.iter().zip(&partials) {
        let Some(partial) = partial else { continue };
        let over = Over::Above { across: ACROSS, above: block.height };
        if let Some((result, _)) = w.put_together(item, partial, over, Some(block.shared)) {
            walk.given(w, item, result);
        }
    }
}
