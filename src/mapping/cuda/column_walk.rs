//! Rows that are neighbours in memory, with a vector of them for each thread. Shared by `columns` and `windows`.
//!
//! The lane variable is bound to the first of the thread's rows. Every value of a stage without an inner space gets a name
//! in the kernel's own scope, so that later stages find it in registers.

use super::writer::{Partial, Writer};
use crate::kernels::{Axis, Loop, Statement, Step, Type, Unroll, ValueId};
use crate::loops::BufferId;
use crate::mapping::emit::{Operand, Storage};
use crate::schedule::{INNER, Item, Stage};
use crate::types::{Dtype, SymInt};

/// How a thread goes through a stage's inner space, and which threads store what comes of it.
#[derive(Clone, Copy)]
pub struct Walk {
    pub var: SymInt,
    /// The first of the thread's rows.
    pub column: ValueId,
    /// Its first place and the distance to the next.
    pub first: ValueId,
    pub by: i64,
    pub unrolled: i64,
    /// A condition; `None`: every thread stores, since no other has the same rows.
    pub stores: Option<ValueId>,
}

impl Walk {
    /// A thread that goes through all of the space by itself.
    pub fn alone(w: &mut Writer<'_>, var: SymInt, column: ValueId, unrolled: i64) -> Walk {
        Walk { var, column, first: w.emitter.integer(0), by: 1, unrolled, stores: None }
    }

    /// A stage of a thread that goes through all of the space by itself.
    pub fn stage(&self, w: &mut Writer<'_>, stage: &Stage) {
        if stage.inner.is_empty() {
            return self.points(w, stage);
        }
        let partials = self.accumulate(w, stage);
        for (item, partial) in stage.items.iter().zip(&partials) {
            if let Some(partial) = partial {
                self.result(w, item, partial.value);
                self.place_of_extreme(w, item, partial);
            }
        }
    }

    /// A stage without reductions.
    pub fn points(&self, w: &mut Writer<'_>, stage: &Stage) {
        w.enter_lanes(self.var, self.column);
        for item in &stage.items {
            if let Item::Store { buffer, offset, value, .. } = item {
                let dtype = w.program.exprs.dtype(*value);
                let operand = w.emitter.value(*value);
                let value = w.as_wide(operand);
                let operand = named(w, dtype, value);
                self.give(w, *buffer, *offset, operand);
            }
        }
        w.leave_lanes();
    }

    /// The thread's part of a stage's reductions.
    pub fn accumulate(&self, w: &mut Writer<'_>, stage: &Stage) -> Vec<Option<Partial>> {
        let vector = w.lanes > 1;
        let partials: Vec<Option<Partial>> = stage.items.iter().map(|i| w.partial(i, vector)).collect();
        let total = w.program.syms.product(&stage.inner);
        let bound = w.emitter.index(total);
        let variable = w.emitter.local("p", Type::Index);
        w.emitter.open();
        let place = w.emitter.local_value(variable);
        w.emitter.bind_space(INNER, &stage.inner, place);
        w.enter_lanes(self.var, self.column);
        for (item, partial) in stage.items.iter().zip(&partials) {
            match (item, partial) {
                (Item::Reduce { .. }, Some(partial)) => w.accumulate(item, partial, stage),
                (Item::Store { buffer, offset, value, .. }, _) if w.group.writes.contains(buffer) => {
                    w.store(*buffer, *offset, *value);
                }
                _ => {}
            }
        }
        w.leave_lanes();
        let body = w.emitter.close_block();
        let (axis, step) =
            if self.by == 1 { (Axis::Serial, Step::One) } else { (Axis::Thread, Step::By(self.by)) };
        let (first, unroll) = (Some(self.first), Unroll::Times(self.unrolled));
        w.emitter.push(Statement::Loop(Box::new(Loop { axis, variable, first, bound, step, unroll, body })));
        partials
    }

    /// A reduction's result, in the accumulator's type.
    pub fn result(&self, w: &mut Writer<'_>, item: &Item, result: ValueId) {
        let Item::Reduce { value, outs, offset, .. } = item else { return };
        let vector = w.lanes > 1;
        let own = w.program.exprs.dtype(*value);
        let cast = w.own_type(item, result, vector);
        let operand = if cast == result { named(w, own, result) } else { w.wide(cast) };
        self.give_result(w, outs[0], *offset, operand);
    }

    /// Where an extreme stands, as the reduction's second result. Such a thread has one row, not a vector of them.
    fn place_of_extreme(&self, w: &mut Writer<'_>, item: &Item, partial: &Partial) {
        if let (Item::Reduce { outs, offset, .. }, Some([_, place])) = (item, partial.extreme) {
            let place = w.emitter.local_value(place);
            let operand = named(w, Dtype::Int64, place);
            self.give_result(w, outs[1], *offset, operand);
        }
    }

    /// A reduction's result, named and in its own type.
    pub fn given(&self, w: &mut Writer<'_>, item: &Item, result: ValueId) {
        let Item::Reduce { outs, offset, .. } = item else { return };
        let operand = w.wide(result);
        self.give_result(w, outs[0], *offset, operand);
    }

    fn give_result(&self, w: &mut Writer<'_>, buffer: BufferId, offset: SymInt, operand: Operand) {
        w.enter_lanes(self.var, self.column);
        self.give(w, buffer, offset, operand);
        w.leave_lanes();
    }

    /// Stores a value, if anyone reads it in memory, and makes it known to later stages.
    fn give(&self, w: &mut Writer<'_>, buffer: BufferId, offset: SymInt, operand: Operand) {
        if w.group.writes.contains(&buffer) {
            let pointer = w.pointer(buffer);
            if let Some(stores) = self.stores {
                // What the offset needs is named outside of the condition, for later stages too.
                w.emitter.index(offset);
                w.emitter.open();
                w.emitter.store_value(pointer, offset, operand);
                w.emitter.close_if(stores);
            } else {
                w.emitter.store_value(pointer, offset, operand);
            }
        }
        w.emitter.storage.insert(buffer, Storage::Row(operand));
    }
}

/// A value under a name in the kernel's own scope.
fn named(w: &mut Writer<'_>, dtype: Dtype, value: ValueId) -> Operand {
    let value = w.emitter.spare("v", Type::of(dtype, w.lanes > 1), value);
    w.wide(value)
}
