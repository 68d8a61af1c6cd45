//! Building blocks that rules of contractions, normalisations and windows share: reductions into a buffer,
//! arithmetic on expressions, and conditions on loop variables.

use super::{Lazy, Lower};
use crate::loops::{BinaryOp, ExprId, NodeKind, ReductionOp, UnaryOp};
use crate::types::{Dtype, SymInt};

impl Lower<'_> {
    pub fn bin(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.program.exprs.binary(op, a, b)
    }
    pub fn un(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        self.program.exprs.unary(op, a)
    }
    pub fn cast(&mut self, a: ExprId, dtype: Dtype) -> ExprId {
        self.program.exprs.cast(a, dtype)
    }
    /// An integer expression as a number of a dtype.
    pub fn size_as(&mut self, size: SymInt, dtype: Dtype) -> ExprId {
        if let Some(known) = self.syms().as_const(size) {
            return self.program.exprs.int(known, dtype);
        }
        let index = self.program.exprs.index_value(size, Dtype::Int64);
        self.cast(index, dtype)
    }
    /// An int64 index moved into `[0, size)`: where it is known to lie there by reasons that no bound states, or where the
    /// element that it names is not used.
    pub fn clamped(&mut self, index: ExprId, size: SymInt) -> ExprId {
        let last = self.syms().add_const(size, -1);
        let e = &mut self.program.exprs;
        let (zero, last) = (e.int(0, Dtype::Int64), e.index_value(last, Dtype::Int64));
        let low = e.binary(BinaryOp::Maximum, index, zero);
        e.binary(BinaryOp::Minimum, low, last)
    }
    /// `index` brought into `0..=size`, where `size` leaves a point of a scatter out.
    pub fn clamped_or_left_out(&mut self, index: ExprId, size: SymInt) -> ExprId {
        let end = self.syms().add_const(size, 1);
        self.clamped(index, end)
    }
    /// A condition on loop variables and symbols as a bool.
    pub fn condition(&mut self, condition: SymInt) -> ExprId {
        match self.syms().decide(condition) {
            Some(known) => self.program.exprs.int(known as i64, Dtype::Bool),
            None => self.program.exprs.index_value(condition, Dtype::Bool),
        }
    }
    /// `value` where a condition on loop variables holds, `otherwise` elsewhere; `value` is not evaluated there.
    pub fn where_index(&mut self, condition: SymInt, value: ExprId, otherwise: ExprId) -> ExprId {
        match self.syms().decide(condition) {
            Some(true) => value,
            Some(false) => otherwise,
            None => {
                let condition = self.program.exprs.index_value(condition, Dtype::Bool);
                self.program.exprs.masked(condition, value, otherwise)
            }
        }
    }
    /// Appends a reduction and gives its results, one load per buffer: the first has the value's dtype, a second
    /// one (of the operations with an index) is int64. `value` is over the variables of `sizes` and then `reduced`.
    pub fn reduce_all(
        &mut self,
        op: ReductionOp,
        sizes: &[SymInt],
        reduced: &[SymInt],
        value: ExprId,
    ) -> Vec<Lazy> {
        let dtype = self.program.exprs.dtype(value);
        let mut outs = vec![self.program.temporary(dtype, sizes)];
        if matches!(op, ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex) {
            outs.push(self.program.temporary(Dtype::Int64, sizes));
        }
        let results = outs.iter().map(|o| self.load_all(*o)).collect();
        self.push(NodeKind::Reduction { sizes: sizes.to_vec(), reduced: reduced.to_vec(), op, value, outs });
        results
    }
    pub fn reduce(&mut self, op: ReductionOp, sizes: &[SymInt], reduced: &[SymInt], value: ExprId) -> Lazy {
        self.reduce_all(op, sizes, reduced, value).swap_remove(0)
    }
    /// The element of an operand in its compute dtype; the operand must be over the index's dimensions.
    pub fn compute_at(&mut self, lazy: &Lazy, index: &[SymInt]) -> ExprId {
        let expr = self.at(lazy, index);
        self.compute(expr)
    }
}
