//! The maximum of a wide row, and the sum of exponentials relative to it, in one pass over the row.
//!
//! When the maximum grows, each thread scales its sum by the exponential of the difference, so that a row that does not fit in registers is
//! read once. A row whose maximum is minus infinity gets NaN for its sum, as the subtraction of infinities gives.
//!
//! Deliberately absent: rows that later stages read again, which stay in registers.

use super::rows::Rows;
use super::writer::Partial;
use crate::kernels::{Statement, Type, Value, ValueId};
use crate::loops::{BinaryOp, BufferId, Expr, Program, ReductionOp, UnaryOp};
use crate::mapping::emit::{Emitter, Operand, Storage};
use crate::schedule::{Item, Loops, Stage};
use crate::types::{Dtype, Scalar};

/// The place of the stage that finds the maximum, where the next one sums exponentials of what elements are below it and no other stage walks
/// along the row.
pub(super) fn pair(program: &Program, loops: &Loops) -> Option<usize> {
    let walks: Vec<usize> = (0..loops.stages.len()).filter(|k| !loops.stages[*k].inner.is_empty()).collect();
    let [first, second] = walks[..] else { return None };
    let (most, sum) = (&loops.stages[first], &loops.stages[second]);
    let (
        [Item::Reduce { op: ReductionOp::Max, value, outs, offset, .. }],
        [Item::Reduce { op: ReductionOp::Sum, value: power, .. }],
    ) = (&most.items[..], &sum.items[..])
    else {
        return None;
    };
    let Expr::Unary(UnaryOp::Exp, below) = program.exprs[*power] else { return None };
    let Expr::Binary(BinaryOp::Sub, element, largest) = program.exprs[below] else { return None };
    let is_largest = match &program.exprs[largest] {
        Expr::Load { buffer, index, data } => {
            [*buffer] == outs[..] && data.is_empty() && index[..] == [*offset]
        }
        _ => false,
    };
    let same_row = second == first + 1 && most.inner == sum.inner && most.inner.len() == 1;
    let wide = matches!(program.exprs.dtype(*value), Dtype::Float32 | Dtype::Float64);
    (is_largest && element == *value && same_row && wide).then_some(first)
}

impl Rows<'_, '_> {
    /// Both stages.
    pub(super) fn softmax_sums(&mut self, most: &Stage, sum: &Stage) {
        let (most_item, sum_item) = (&most.items[0], &sum.items[0]);
        let dtype = self.w.program.exprs.dtype(most_item.value());
        let [Some(largest), Some(total)] = [most_item, sum_item].map(|item| self.w.partial(item, false))
        else {
            unreachable!("both items reduce")
        };
        self.over_row(most, &mut |this| {
            let element = this.w.reduced(most_item.value());
            let e = &mut this.w.emitter;
            let lanes = e.lanes.is_some();
            let folded = |e: &mut Emitter<'_>, op, operand: Operand| {
                if !lanes {
                    return operand.value;
                }
                let vector = e.vector(operand);
                e.add(Value::Fold(op, dtype, vector))
            };
            let own = folded(e, ReductionOp::Max, element);
            let next = e.add(Value::Binary(BinaryOp::Maximum, largest.value, own));
            let next = e.spare("v", Type::of(dtype, false), next);
            let base = this.base(next, dtype);
            let grown = this.power(largest.value, base);
            let e = &mut this.w.emitter;
            let below =
                e.apply([element, Operand::uniform(base)], |[a, b]| Value::Binary(BinaryOp::Sub, a, b));
            let powers = e.apply([below], |[a]| Value::Unary(UnaryOp::Exp, a));
            let own = folded(e, ReductionOp::Sum, powers);
            let before = e.add(Value::Binary(BinaryOp::Mul, total.value, grown));
            let value = e.add(Value::Binary(BinaryOp::Add, before, own));
            e.push(Statement::Assign { place: total.value, value });
            e.push(Statement::Assign { place: largest.value, value: next });
        });
        self.finish_reduction(most_item, &largest);
        let Item::Reduce { outs, .. } = most_item else { unreachable!("the item reduces") };
        let of_row = self.row_result(outs[0]);
        self.rescale(&largest, &total, of_row, dtype);
        self.finish_reduction(sum_item, &total);
    }

    /// A thread's sum below the row's maximum; NaN where that is minus infinity.
    fn rescale(&mut self, largest: &Partial, total: &Partial, of_row: ValueId, dtype: Dtype) {
        let base = self.base(of_row, dtype);
        let part = self.power(largest.value, base);
        let e = &mut self.w.emitter;
        let value = e.add(Value::Binary(BinaryOp::Mul, total.value, part));
        let lowest = e.add(Value::Constant(Scalar::Float(f64::NEG_INFINITY), dtype));
        let none = e.add(Value::Binary(BinaryOp::Eq, of_row, lowest));
        let nan = e.add(Value::Constant(Scalar::Float(f64::NAN), dtype));
        let value = e.add(Value::Select(none, nan, value));
        e.push(Statement::Assign { place: total.value, value });
    }

    /// What is subtracted from elements: their maximum, or zero where that is minus infinity.
    fn base(&mut self, most: ValueId, dtype: Dtype) -> ValueId {
        let e = &mut self.w.emitter;
        let [lowest, zero] =
            [f64::NEG_INFINITY, 0.0].map(|x| e.add(Value::Constant(Scalar::Float(x), dtype)));
        let none = e.add(Value::Binary(BinaryOp::Eq, most, lowest));
        let base = e.add(Value::Select(none, zero, most));
        e.spare("v", Type::of(dtype, false), base)
    }

    fn power(&mut self, element: ValueId, base: ValueId) -> ValueId {
        let e = &mut self.w.emitter;
        let below = e.add(Value::Binary(BinaryOp::Sub, element, base));
        e.add(Value::Unary(UnaryOp::Exp, below))
    }

    /// A reduction's result in this row.
    fn row_result(&self, buffer: BufferId) -> ValueId {
        match self.w.emitter.storage.get(&buffer) {
            Some(Storage::Row(operand)) => operand.value,
            other => unreachable!("a row's value is {other:?}"),
        }
    }
}
