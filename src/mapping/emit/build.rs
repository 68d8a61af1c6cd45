//! Builds values and locals.

use super::{Conversion, Emitter, Operand};
use crate::kernels::{Builtin, IndexOp, Local, LocalId, Statement, Type, Value, ValueId, Word};
use crate::types::{Dtype, Scalar};

impl Emitter<'_> {
    pub fn add(&mut self, value: Value) -> ValueId {
        self.body.values.push(value)
    }
    pub fn integer(&mut self, value: i64) -> ValueId {
        self.add(Value::Integer(value))
    }
    pub fn builtin(&mut self, builtin: Builtin) -> ValueId {
        self.add(Value::Builtin(builtin))
    }
    pub fn index_op(&mut self, op: IndexOp, operands: &[ValueId]) -> ValueId {
        self.add(Value::Index(op, operands.into()))
    }
    pub fn plus(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.index_op(IndexOp::Add, &[a, b])
    }
    pub fn minus(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.index_op(IndexOp::Subtract, &[a, b])
    }
    pub fn times(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.index_op(IndexOp::Multiply, &[a, b])
    }
    /// Of values that are not negative.
    pub fn quotient_of(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.index_op(IndexOp::Divide, &[a, b])
    }
    pub fn rest_of(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.index_op(IndexOp::Remainder, &[a, b])
    }
    pub fn lesser(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.index_op(IndexOp::Min, &[a, b])
    }
    pub fn bool(&mut self, value: bool) -> ValueId {
        self.add(Value::Constant(Scalar::Bool(value), Dtype::Bool))
    }
    pub fn word(&mut self, word: Word, operands: &[ValueId]) -> ValueId {
        self.add(Value::Word(word, operands.into()))
    }
    pub fn splat(&mut self, value: ValueId) -> ValueId {
        self.add(Value::Splat(value))
    }

    /// A local of this name, with a number of its own.
    pub fn local(&mut self, name: &'static str, ty: Type) -> LocalId {
        self.counter += 1;
        let number = Some(self.counter);
        self.body.locals.push(Local { name: name.into(), number, ty, may_be_unused: false })
    }
    /// The same, where some kernels of the form do not use it.
    pub fn spare_local(&mut self, name: &'static str, ty: Type) -> LocalId {
        let local = self.local(name, ty);
        self.body.locals[local].may_be_unused = true;
        local
    }
    pub fn local_value(&mut self, local: LocalId) -> ValueId {
        self.add(Value::Local(local))
    }

    /// Names a value in the scope of this level.
    pub fn name_at(&mut self, level: usize, name: &'static str, ty: Type, value: ValueId) -> ValueId {
        let local = self.local(name, ty);
        self.push_at(level, Statement::Let { local, value });
        self.local_value(local)
    }
    /// Names a value in the innermost scope.
    pub fn named(&mut self, name: &'static str, ty: Type, value: ValueId) -> ValueId {
        let top = self.depth();
        self.name_at(top, name, ty, value)
    }
    /// [`Self::named`] for what some kernels of the form do not use.
    pub fn spare(&mut self, name: &'static str, ty: Type, value: ValueId) -> ValueId {
        let local = self.spare_local(name, ty);
        self.push(Statement::Let { local, value });
        self.local_value(local)
    }

    /// The operand as a vector.
    pub fn vector(&mut self, operand: Operand) -> ValueId {
        if operand.varying { operand.value } else { self.splat(operand.value) }
    }

    /// An operation on operands: on vectors, where any of them is one.
    pub fn apply<const N: usize>(
        &mut self,
        operands: [Operand; N],
        make: impl FnOnce([ValueId; N]) -> Value,
    ) -> Operand {
        let varying = operands.iter().any(|o| o.varying);
        let level = operands.iter().map(|o| o.level).max().unwrap_or(0);
        let values = operands.map(|o| if varying { self.vector(o) } else { o.value });
        Operand { value: self.add(make(values)), varying, level }
    }

    /// The operand in another register type.
    pub fn convert(&mut self, operand: Operand, to: Dtype) -> Operand {
        self.apply([operand], |[a]| Value::Cast(to, a))
    }
    /// As a template's sums become values.
    pub(super) fn converted(&mut self, operand: Operand, convert: Option<Conversion>) -> Operand {
        match convert {
            Some(Conversion::Cast(to)) => self.convert(operand, to),
            Some(Conversion::Round(to)) => self.apply([operand], |[a]| Value::Round(to, a)),
            None => operand,
        }
    }
}

/// Ends of scopes.
impl Emitter<'_> {
    /// Closes the innermost scope as what is done where the condition holds.
    pub fn close_if(&mut self, condition: ValueId) {
        let then = self.close_block();
        self.push(Statement::If { condition, then, otherwise: Vec::new() });
    }
    /// Closes the innermost scope as a plain block.
    pub fn close_scope(&mut self) {
        let block = self.close_block();
        self.push(Statement::Block(block));
    }
}
