//! Rows that lie beside one another in memory, of which a thread has a vector: what `columns` and `windows` share.
//!
//! The lane variable is bound to `column`, the first of the thread's rows. Every value of a stage that has no inner space
//! gets a name in the kernel's own scope, so that later stages find it in registers.

use super::super::cpp;
use super::super::emit::{Operand, Storage};
use super::writer::{Partial, Writer};
use crate::kernels;
use crate::loops::BufferId;
use crate::schedule::{INNER, Item, Stage};
use crate::types::{Dtype, SymInt};

/// How a thread goes through a stage's inner space, and which threads store what comes of it.
pub struct Walk<'t> {
    pub var: SymInt,
    /// Its first place and the distance to the next.
    pub places: (&'t str, i64),
    pub unrolled: i64,
    /// A condition; `None`: every thread stores, since no other has the same rows.
    pub stores: Option<&'t str>,
}

impl Walk<'_> {
    /// A stage without reductions.
    pub fn points(&self, w: &mut Writer<'_>, stage: &Stage) {
        w.enter_lanes(self.var, "column");
        for item in &stage.items {
            if let Item::Store { buffer, offset, value, .. } = item {
                let dtype = w.program.exprs.dtype(*value);
                let operand = w.emitter.value(*value);
                let text =
                    if w.lanes > 1 { w.emitter.vector_text(operand) } else { w.emitter.text(operand.value) };
                let operand = named(w, dtype, &text);
                self.give(w, *buffer, *offset, operand);
            }
        }
        w.leave_lanes();
    }

    /// The thread's part of a stage's reductions.
    pub fn accumulate(&self, w: &mut Writer<'_>, stage: &Stage) -> Vec<Option<Partial>> {
        let (ty, vector) = (w.emitter.index_name(), w.lanes > 1);
        let partials: Vec<Option<Partial>> = stage.items.iter().map(|i| w.partial(i, vector)).collect();
        let total = w.program.syms.product(&stage.inner);
        let (total, p) = (w.emitter.index_text(total), w.emitter.fresh("p"));
        w.emitter.open();
        w.emitter.bind_space(INNER, &stage.inner, &p);
        w.enter_lanes(self.var, "column");
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
        let unroll = format!("_Pragma(\"unroll {}\")", self.unrolled);
        w.emitter.line_at(w.emitter.depth() - 1, &unroll);
        let (from, by) = self.places;
        w.emitter.close(&format!("for ({ty} {p} = {from}; {p} < {total}; {p} += {by})"));
        partials
    }

    /// A reduction's result, which `text` is, in the accumulator's type.
    pub fn result(&self, w: &mut Writer<'_>, item: &Item, text: &str) {
        let Item::Reduce { value, outs, offset, .. } = item else { return };
        let own = w.program.exprs.dtype(*value);
        let operand = if kernels::accumulator(own) == own {
            named(w, own, text)
        } else {
            named(w, own, &format!("{}({text})", cpp::cast(own)))
        };
        w.enter_lanes(self.var, "column");
        self.give(w, outs[0], *offset, operand);
        w.leave_lanes();
    }

    /// Stores a value, if anyone reads it in memory, and makes it known to later stages.
    fn give(&self, w: &mut Writer<'_>, buffer: BufferId, offset: SymInt, operand: Operand) {
        if w.group.writes.contains(&buffer) {
            let pointer = w.pointer(buffer);
            if let Some(stores) = self.stores {
                // What the offset needs is named outside of the condition, for later stages too.
                w.emitter.index_text(offset);
                w.emitter.open();
                w.emitter.store_value(&pointer, offset, operand);
                w.emitter.close(&format!("if ({stores})"));
            } else {
                w.emitter.store_value(&pointer, offset, operand);
            }
        }
        w.emitter.storage.insert(buffer, Storage::Row(operand));
    }
}

/// A value under a name in the kernel's own scope.
fn named(w: &mut Writer<'_>, dtype: Dtype, text: &str) -> Operand {
    let vector = w.lanes > 1;
    let ty = if vector { cpp::vector_type(dtype) } else { cpp::scalar_type(dtype) };
    let name = w.emitter.fresh("v");
    w.emitter.line(&format!("const {ty} {name} = {text}; (void){name};"));
    if vector { w.emitter.varying(&name) } else { w.emitter.uniform(&name) }
}
