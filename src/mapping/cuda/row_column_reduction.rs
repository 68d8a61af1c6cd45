//! Reductions of one matrix along rows and along columns in one read. A block takes 512 columns of some rows, in strips. Each warp takes
//! other rows. A thread accumulates its columns in registers, and the partial results of a warp's rows are folded a few at a time.

use super::column_walk::Walk;
use super::columns::{self, ACROSS, Block};
use super::split_reduction_finish::Grid;
use super::writer::{Partial, Writer};
use crate::kernels::{
    Access, Axis, Builtin, IndexOp, Kernel, Length, LocalId, Loop, Over, ReduceStrips, Shape, Space,
    Statement, Step, Type, Unroll, Value, ValueId, accumulator, combination,
};
use crate::loops::Program;
use crate::schedule::{Group, INNER, Item, PANEL, RowColumnReduction};
use crate::types::{Dtype, SymInt};

/// Elements of a thread's vector, and how many vectors of a row a thread has.
const LANES: i64 = 8;
const STRIPS: i64 = PANEL / (ACROSS * LANES);
/// Warps above one another, and rows that each of them has on their way at a time.
const ABOVE: i64 = 16;
const ROWS: i64 = 4;

/// The kernel of such a group.
pub fn kernel(program: &Program, group: &Group, panels: &RowColumnReduction) -> Kernel {
    let syms = &program.syms;
    let (loops, stage) = (&panels.columns, panels.stage());
    let (outer, length) = (&loops.outer, stage.inner[0]);
    let (var, down) = (syms.index_var(1, outer[1]), syms.index_var(INNER, length));
    let pieces = syms.floordiv(outer[1], syms.constant(PANEL));
    let blocks = syms.mul(outer[0], pieces);
    let mut w = Writer::new(program, group, loops, LANES, syms.mul(syms.product(outer), length));
    w.resident = 2048 / 2 / (ACROSS * ABOVE);
    let [across, above] = w.beside_and_above(ACROSS);
    let bytes = columns::shared_bytes(&w, [stage].into_iter(), ABOVE);
    let block = Block { across, above, height: ABOVE, shared: w.shared(bytes) };
    let e = &mut w.emitter;
    e.open();
    let (beside, rows) = (e.divisor(pieces), e.index(syms.mul(outer[0], length)));
    let own = e.builtin(Builtin::BlockIndex);
    let panel = e.quotient_of(own, beside);
    let panel = e.named("panel", Type::Index, panel);
    let before = e.times(panel, beside);
    let piece = e.minus(own, before);
    let piece = e.named("piece", Type::Index, piece);
    e.bind_point(&outer[..1], panel);
    let strips: Vec<Option<LocalId>> = stage.items.iter().map(|i| partials(&mut w, i, true)).collect();
    // Rows, and in each its strips.
    let variable = w.emitter.local("p", Type::Index);
    w.emitter.open();
    let place = w.emitter.local_value(variable);
    let folded: Vec<Option<LocalId>> = panels.rows.iter().map(|i| partials(&mut w, i, false)).collect();
    let e = &mut w.emitter;
    let turn = e.local("u", Type::Scalar(Dtype::Int32));
    let counted = e.local_value(turn);
    e.open();
    let row = e.plus(place, counted);
    let row = e.named("r", Type::Index, row);
    let level = e.depth();
    e.bind(down, row, level);
    let strip = open_strip(&mut w, var, piece, across);
    let at = w.emitter.local_value(strip);
    for (item, array) in stage.items.iter().zip(&strips) {
        if let Some(array) = array {
            let value = w.emitter.add(Value::Element(*array, at));
            w.accumulate(item, &Partial { value, extreme: None, vector: true }, stage);
        }
    }
    for (item, array) in panels.rows.iter().zip(&folded) {
        let (Item::Reduce { op, value, .. }, Some(array)) = (item, array) else { continue };
        let dtype = accumulator(program.exprs.dtype(*value));
        let operand = w.reduced(*value);
        let e = &mut w.emitter;
        let place = e.add(Value::Element(*array, counted));
        let vector = e.vector(operand);
        let folded = e.add(Value::Fold(*op, dtype, vector));
        let value = e.add(Value::Binary(combination(*op), place, folded));
        e.push(Statement::Assign { place, value });
    }
    w.leave_lanes();
    w.emitter.close_counted(strip, STRIPS, Axis::Unrolled, Unroll::Whole);
    w.emitter.close_counted(turn, ROWS, Axis::Unrolled, Unroll::Whole);
    let bound = w.emitter.index(length);
    for (item, array) in panels.rows.iter().zip(&folded) {
        let (Item::Reduce { op, value, outs, .. }, Some(array)) = (item, array) else { continue };
        let (array, dtype) = (*array, accumulator(program.exprs.dtype(*value)));
        w.emitter.push(Statement::FoldRows { op: *op, dtype, array });
        // A few neighbours of a warp have a row's sum; the first of them stores it.
        let e = &mut w.emitter;
        let (zero, each) = (e.integer(0), e.integer(ACROSS / ROWS));
        let result = e.add(Value::Element(array, zero));
        let result = w.own_type(item, result, false);
        let e = &mut w.emitter;
        let rest = e.rest_of(across, each);
        let first = e.index_op(IndexOp::Equal, &[rest, zero]);
        let (own, of_piece, of_panel) =
            (e.quotient_of(across, each), e.times(piece, rows), e.times(panel, bound));
        let at = e.index_op(IndexOp::Add, &[of_piece, of_panel, place, own]);
        let access = Access { pointer: w.pointer(outs[0]), at, shape: Shape::Element };
        let then = vec![Statement::Store { access, value: result }];
        w.emitter.push(Statement::If { condition: first, then, otherwise: Vec::new() });
    }
    let e = &mut w.emitter;
    let body = e.close_block();
    let each = e.integer(ROWS);
    let (first, step, unroll) = (Some(e.times(above, each)), Step::By(ABOVE * ROWS), Unroll::Free);
    let axis = Axis::Thread;
    e.push(Statement::Loop(Box::new(Loop { axis, variable, first, bound, step, unroll, body })));
    for (item, array) in stage.items.iter().zip(&strips) {
        if let Some(array) = array {
            combined(&mut w, item, *array, (var, piece), block);
        }
    }
    w.emitter.close_scope();
    super::split_reduction_finish::write(&mut w, &Grid::Columns { blocks: pieces, strips: STRIPS, block });
    w.finish(blocks, ACROSS * ABOVE, syms.constant(0))
}

/// Opens a loop over a thread's vectors, with the lanes bound; gives its variable.
fn open_strip(w: &mut Writer<'_>, var: SymInt, piece: ValueId, across: ValueId) -> LocalId {
    let e = &mut w.emitter;
    let strip = e.local("v", Type::Scalar(Dtype::Int32));
    let counted = e.local_value(strip);
    e.open();
    let (wide, width, lanes) = (e.integer(PANEL), e.integer(ACROSS * LANES), e.integer(LANES));
    let (first, of_strip, own) = (e.times(piece, wide), e.times(counted, width), e.times(across, lanes));
    let column = e.index_op(IndexOp::Add, &[first, of_strip, own]);
    let column = e.spare("column", Type::Index, column);
    w.enter_lanes(var, column);
    strip
}

/// Combines the partial results that the warps hold for a block's columns. One thread stores each column.
fn combined(w: &mut Writer<'_>, item: &Item, array: LocalId, (var, piece): (SymInt, ValueId), block: Block) {
    let Item::Reduce { op, value, .. } = item else { return };
    let dtype = accumulator(w.program.exprs.dtype(*value));
    let e = &mut w.emitter;
    let place = e.local("c", Type::Scalar(Dtype::Int32));
    let result = e.local("x", Type::Scalar(dtype));
    e.open();
    let (wide, own) = (e.integer(PANEL), e.local_value(place));
    let first = e.times(piece, wide);
    let column = e.plus(first, own);
    let column = e.named("column", Type::Index, column);
    let x = e.local_value(result);
    w.lanes = 1;
    Walk::alone(w, var, column, 1).result(w, item, x);
    w.lanes = LANES;
    let body = w.emitter.close_block();
    let over = Over::Above { across: ACROSS, above: block.height };
    let reduction =
        ReduceStrips { op: *op, dtype, over, array, workspace: block.shared, place, result, body };
    w.emitter.push(Statement::ReduceStrips(Box::new(reduction)));
}

/// What a thread keeps of a reduction: a vector for each strip of its columns, or a value for each of some rows.
fn partials(w: &mut Writer<'_>, item: &Item, strips: bool) -> Option<LocalId> {
    let Item::Reduce { op, value, .. } = item else { return None };
    let dtype = accumulator(w.program.exprs.dtype(*value));
    let start = w.start(*op, dtype);
    let fill = if strips { w.emitter.splat(start) } else { start };
    let (length, space) = (Length::Known(if strips { STRIPS } else { ROWS }), Space::Registers);
    let local = w.emitter.local("r", Type::Array { dtype, vectors: strips, length, space });
    w.emitter.push(Statement::Array { local, fill: Some(fill) });
    Some(local)
}
