//! Blocks of rows: each lane has a row of its own.
//!
//! A block at the edge has fewer rows. Loads and stores of the lanes beyond the last row are masked.

use super::loops::{Kept, Writer};
use crate::kernels::{Axis, Builtin, IndexOp, LocalId, Statement, Type, Unroll, Value, ValueId, accumulator};
use crate::loops::{BufferId, Expr, ExprId};
use crate::mapping::emit::{Lanes, Operand, Storage};
use crate::schedule::{Item, Stage, inner_position};
use crate::types::{Dtype, SymInt};

/// Vectors that a window's innermost loop has at most where it is unrolled.
const WINDOW: i64 = 16;
/// Operations on vectors that an unrolled loop has at most where its window has no edges.
const FEW_STEPS: i64 = 32;

/// What a stage has left of a buffer: an array of vectors of a block's rows.
pub(super) struct KeptRows {
    buffer: BufferId,
    array: LocalId,
    /// The dtype of its values; the array's is the accumulator's where they were reduced.
    dtype: Dtype,
    reduced: bool,
}

impl Writer<'_> {
    /// The vectors of a block.
    fn vectors_of_block(&self) -> i64 {
        self.dealing.rows() / self.lanes
    }

    pub(super) fn stage_over_rows(&mut self, stage: &Stage) {
        let vectors = self.vectors_of_block();
        self.place_kept_rows(stage);
        let mut kept: Vec<Option<LocalId>> = Vec::new();
        for item in &stage.items {
            kept.push(match item {
                Item::Reduce { op, value, .. } => Some(self.partial_vectors(*op, *value, vectors)),
                Item::Store { .. } => None,
            });
        }
        // Values of the row that later stages read.
        for (item, kept) in stage.items.iter().zip(&mut kept) {
            if let Item::Store { value, .. } = item
                && stage.inner.is_empty()
            {
                *kept = Some(self.vectors(self.program.exprs.dtype(*value), vectors, None));
            }
        }
        let rows = self.loops.outer.last().and_then(|n| self.program.syms.as_const(*n));
        let block = vectors * self.lanes;
        if rows.is_none_or(|n| n >= block) {
            self.block_version(stage, &kept, true);
        }
        if rows.is_none_or(|n| n % block != 0) {
            self.block_version(stage, &kept, false);
        }
        for (item, kept) in stage.items.iter().zip(kept) {
            let Some(array) = kept else { continue };
            let dtype = self.program.exprs.dtype(item.value());
            match item {
                Item::Reduce { outs, offset, .. } => {
                    self.kept_rows.push(KeptRows { buffer: outs[0], array, dtype, reduced: true });
                    if self.group.writes.contains(&outs[0]) {
                        self.store_block(outs[0], *offset);
                    }
                }
                Item::Store { buffer, .. } => {
                    self.kept_rows.push(KeptRows { buffer: *buffer, array, dtype, reduced: false });
                }
            }
        }
    }

    /// What is kept of a block's rows lies by the position within the stage, then by row.
    fn place_kept_rows(&mut self, stage: &Stage) {
        let (syms, outer) = (&self.program.syms, &self.loops.outer);
        let row = syms.index_var(outer.len() as u32 - 1, outer[outer.len() - 1]);
        let within = inner_position(self.program, &stage.inner);
        let position = syms.add(syms.mul_const(within, self.dealing.rows()), row);
        let (base, _) = self.rows();
        for buffer in self.loops.row_buffers.keys() {
            let pointer = self.pointers[buffer].clone().from_origin(base);
            self.emitter.storage.insert(*buffer, Storage::Local { pointer, position });
        }
    }

    /// The loops of a stage for a whole block, or for one at the edge.
    fn block_version(&mut self, stage: &Stage, kept: &[Option<LocalId>], whole: bool) {
        self.emitter.open();
        let loops: Vec<(LocalId, ValueId)> =
            stage.inner.iter().enumerate().map(|(k, size)| self.open_loop(k, *size)).collect();
        let turn = self.open_lanes(whole);
        let counted = self.emitter.local_value(turn);
        for (item, kept) in stage.items.iter().zip(kept) {
            match (item, *kept) {
                (Item::Reduce { op, value, .. }, Some(array)) => {
                    self.accumulate(*op, *value, Kept::Partial(array), Some(counted), stage);
                }
                (Item::Reduce { .. }, None) => unreachable!("a reduction keeps something"),
                (Item::Store { buffer, offset, value, .. }, kept) => {
                    if let Some(array) = kept {
                        let operand = self.emitter.value(*value);
                        let value = self.emitter.vector(operand);
                        let place = self.emitter.add(Value::Element(array, counted));
                        self.emitter.push(Statement::Assign { place, value });
                    }
                    if self.group.writes.contains(buffer) || self.loops.row_buffers.contains_key(buffer) {
                        self.store(*buffer, *offset, *value);
                    }
                }
            }
        }
        self.close_lanes(turn, whole);
        let mut unroll = self.unrolled_window(stage);
        for (variable, bound) in loops.into_iter().rev() {
            let unroll = std::mem::replace(&mut unroll, Unroll::Free);
            self.emitter.close_loop(variable, bound, Axis::Serial, unroll);
        }
        let then = self.emitter.close_block();
        let (_, wide) = self.rows();
        let block = self.emitter.integer(self.dealing.rows());
        let op = if whole { IndexOp::Equal } else { IndexOp::NotEqual };
        let condition = self.emitter.index_op(op, &[wide, block]);
        self.emitter.push(Statement::If { condition, then, otherwise: Vec::new() });
    }

    /// The vectors that the rows fill, where one block has all of them.
    fn only_vectors(&self) -> Option<i64> {
        let rows = self.loops.outer.last().and_then(|n| self.program.syms.as_const(*n))?;
        let fits = (1..=self.dealing.rows()).contains(&rows);
        fits.then_some((rows + self.lanes - 1) / self.lanes)
    }

    /// How often the innermost loop of a stage is unrolled. Where one block has all rows, unrolling a short window tells the compiler
    /// which lanes of each turn are inside the edges. Without edges, only loops of few operations are unrolled.
    fn unrolled_window(&self, stage: &Stage) -> Unroll {
        let size = stage.inner.last().and_then(|n| self.program.syms.as_const(*n));
        let values: Vec<ExprId> = stage.items.iter().map(Item::value).collect();
        let worth = |vectors: i64| {
            let exprs = &self.program.exprs;
            let steps = exprs.postorder(&values);
            let edges = steps.iter().any(|step| matches!(exprs[*step], Expr::Masked { .. }));
            edges || steps.len() as i64 * vectors <= FEW_STEPS
        };
        match (self.only_vectors(), size) {
            (Some(vectors), Some(n)) if (2..=WINDOW / vectors).contains(&n) && worth(n * vectors) => {
                Unroll::Times(n)
            }
            _ => Unroll::Free,
        }
    }

    /// The first row of a block, and how many there are.
    pub(super) fn rows(&self) -> (ValueId, ValueId) {
        self.rows.expect("a block has rows")
    }

    /// Opens a loop over the vectors of a block; gives its variable.
    fn open_lanes(&mut self, whole: bool) -> LocalId {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let outer = &self.loops.outer;
        let var = syms.index_var(outer.len() as u32 - 1, outer[outer.len() - 1]);
        let symbol = syms.as_symbol(var).expect("lanes over rows have a row variable");
        let (base, wide) = self.rows();
        let e = &mut self.emitter;
        let turn = e.local("u", Type::Index);
        e.open();
        let (level, counted) = (e.depth(), e.local_value(turn));
        let first = e.lanes_behind(base, counted);
        let first = e.spare("c", Type::Index, first);
        e.bind(var, first, level);
        let count = (!whole).then(|| {
            let lanes = e.builtin(Builtin::Lanes);
            let before = e.times(counted, lanes);
            let left = e.minus(wide, before);
            let count = e.lesser(lanes, left);
            e.open_tail(count)
        });
        e.lanes = Some(Lanes { symbol, count, multiple: Some(self.lanes) });
        for KeptRows { buffer, array, dtype, reduced } in &self.kept_rows {
            let mut value = e.add(Value::Element(*array, counted));
            if *reduced && accumulator(*dtype) != *dtype {
                value = e.add(Value::Cast(*dtype, value));
            }
            e.storage.insert(*buffer, Storage::Row(Operand::varying(value)));
        }
        turn
    }

    fn close_lanes(&mut self, turn: LocalId, whole: bool) {
        self.emitter.lanes = None;
        self.emitter.set_tail_mask(None);
        if whole {
            // Unrolled, so that the block's vectors stay in registers.
            let vectors = self.vectors_of_block();
            return self.emitter.close_counted(turn, vectors, Axis::Unrolled, Unroll::Times(8));
        }
        let (_, wide) = self.rows();
        if let Some(vectors) = self.only_vectors() {
            return self.emitter.close_counted(turn, vectors, Axis::Unrolled, Unroll::Times(8));
        }
        let e = &mut self.emitter;
        let (lanes, one) = (e.builtin(Builtin::Lanes), e.integer(1));
        let end = e.plus(wide, lanes);
        let end = e.minus(end, one);
        let vectors = e.quotient_of(end, lanes);
        e.close_loop(turn, vectors, Axis::Serial, Unroll::Free);
    }

    /// Stores what a block's rows have of a buffer.
    fn store_block(&mut self, buffer: BufferId, offset: SymInt) {
        let turn = self.open_lanes(false);
        if let Some(Storage::Row(value)) = self.emitter.storage.get(&buffer) {
            let (value, pointer) = (*value, self.pointers[&buffer].clone());
            self.emitter.store_value(pointer, offset, value);
        }
        self.close_lanes(turn, false);
    }
}
