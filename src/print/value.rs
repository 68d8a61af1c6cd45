//! Spells values and accesses.

use super::{Dialect, Speller, words};
use crate::base::is_planted;
use crate::kernels::{Access, Base, Builtin, IndexOp, LocalId, Pointer, Shape, Value, ValueId};
use crate::loops::BinaryOp;
use std::fmt::Write;

impl Speller<'_> {
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }
    pub(super) fn number(&mut self, number: impl std::fmt::Display) {
        // Writing to a string does not fail.
        let _ = write!(self.text, "{number}");
    }

    pub(super) fn local(&mut self, local: LocalId) {
        let local = &self.body.locals[local];
        self.text.push_str(&local.name);
        if let Some(number) = local.number {
            self.push("_");
            self.number(number);
        }
    }

    pub(super) fn value(&mut self, value: ValueId) {
        let body = self.body;
        let index = words::index_type(body.index);
        match &body.values[value] {
            Value::Constant(value, dtype) => self.push(&words::literal(*value, *dtype)),
            Value::Integer(i64::MIN) => self.push("((i64)1 << 63)"),
            Value::Integer(value) => {
                self.cast_to(index);
                self.number(value);
            }
            Value::Parameter(place) => {
                if index != "i64" {
                    self.cast_to(index);
                }
                self.parameter(*place);
            }
            Value::Builtin(builtin) => self.builtin(*builtin),
            Value::Local(local) => self.local(*local),
            Value::Element(array, place) => {
                self.local(*array);
                self.push("[");
                self.value(*place);
                self.push("]");
            }
            Value::Index(op, operands) => self.index(*op, operands),
            Value::ToIndex(value) => {
                self.cast_to(index);
                self.value(*value);
            }
            Value::ToWide(value) => {
                self.cast_to("i64");
                match &body.values[*value] {
                    Value::Integer(number) if *number != i64::MIN => self.number(number),
                    Value::Parameter(place) => self.parameter(*place),
                    _ => self.value(*value),
                }
            }
            Value::Not(value) => {
                self.push("!");
                self.value(*value);
            }
            Value::Unary(op, a) => self.call(words::unary(*op).0, &[*a]),
            Value::Binary(BinaryOp::Mul, a, b) if is_planted("wrong source") => {
                self.call("no_word", &[*a, *b])
            }
            Value::Binary(op, a, b) => self.call(words::binary(*op).0, &[*a, *b]),
            Value::Cast(to, a) => self.call(words::cast(*to), &[*a]),
            Value::Round(to, a) => self.call(words::rounding(*to).unwrap_or(""), &[*a]),
            Value::Select(c, a, b) => self.call("select", &[*c, *a, *b]),
            Value::Splat(a) => self.call("splat", &[*a]),
            Value::Fold(op, dtype, a) => match self.dialect {
                Dialect::Cxx => self.call(words::reduction(*op, *dtype).1, &[*a]),
                Dialect::Cuda => {
                    self.push("litz_fold(");
                    self.push(words::functor(*op));
                    self.push("(), ");
                    self.value(*a);
                    self.push(")");
                }
            },
            Value::Word(word, operands) => self.call(words::word(*word).0, operands),
            Value::Load(access) => self.load(access),
        }
    }

    fn parameter(&mut self, place: usize) {
        self.push("S[");
        self.number(place);
        self.push("]");
    }
    fn cast_to(&mut self, ty: &str) {
        self.push("(");
        self.push(ty);
        self.push(")");
    }

    fn builtin(&mut self, builtin: Builtin) {
        let index = words::index_type(self.body.index);
        match builtin {
            Builtin::Begin => self.push("begin"),
            Builtin::End => self.push("end"),
            Builtin::Lanes => self.push("LITZ_LANES"),
            Builtin::BlockIndex => {
                self.cast_to(index);
                self.push("blockIdx.x");
            }
            Builtin::Blocks => self.push("(int)gridDim.x"),
            Builtin::ThreadIndex => self.push("(int)threadIdx.x"),
            Builtin::ClusterRank => self.push("(int)litz_cluster_rank()"),
        }
    }

    /// A condition inside parentheses of its own: a second pair around a comparison is what compilers warn about.
    pub(super) fn condition(&mut self, value: ValueId) {
        match &self.body.values[value] {
            Value::Index(op, operands) if infix(*op).is_some() => {
                self.list(operands, infix(*op).unwrap_or_default());
            }
            _ => self.value(value),
        }
    }

    fn index(&mut self, op: IndexOp, operands: &[ValueId]) {
        if let (IndexOp::Divide | IndexOp::Remainder, [thread, by]) = (op, operands)
            && let (Value::Builtin(Builtin::ThreadIndex), Value::Integer(by)) =
                (&self.body.values[*thread], &self.body.values[*by])
        {
            // Not negative, which a compiler does not see of the signed number.
            self.push("(int)(threadIdx.x");
            self.push(infix(op).unwrap_or_default());
            self.number(by);
            return self.push(")");
        }
        if let Some(between) = infix(op) {
            self.push("(");
            self.list(operands, between);
            return self.push(")");
        }
        match op {
            IndexOp::FloorDivide => self.call("litz_floor_divide", operands),
            IndexOp::FloorRemainder => self.call("litz_modulo", operands),
            IndexOp::Min => self.call("litz_lesser", operands),
            IndexOp::Max => self.call("litz_greater", operands),
            IndexOp::Negate => {
                self.push("-");
                self.value(operands[0]);
            }
            _ => {
                self.push("(");
                self.value(operands[0]);
                self.push(" ? ");
                self.value(operands[1]);
                self.push(" : ");
                self.value(operands[2]);
                self.push(")");
            }
        }
    }

    fn list(&mut self, values: &[ValueId], between: &str) {
        for (k, value) in values.iter().enumerate() {
            if k > 0 {
                self.push(between);
            }
            self.value(*value);
        }
    }

    fn call(&mut self, name: &str, operands: &[ValueId]) {
        self.push(name);
        self.push("(");
        self.list(operands, ", ");
        self.push(")");
    }

    pub(super) fn pointer(&mut self, pointer: &Pointer, loads: bool) {
        if pointer.origin.is_some() {
            self.push("(");
        }
        if let Some(dtype) = pointer.bits {
            let constant = if loads { "const " } else { "" };
            self.push(&format!("(({constant}{} *)", words::memory_type(dtype)));
        }
        match &pointer.base {
            Base::Buffer(place) => {
                self.push("b");
                self.number(place);
            }
            Base::Local(local) => self.local(*local),
        }
        if pointer.bits.is_some() {
            self.push(")");
        }
        if let Some(origin) = pointer.origin {
            self.push(" - ");
            self.value(origin);
            self.push(")");
        }
    }

    pub(super) fn place(&mut self, access: &Access, loads: bool) {
        self.pointer(&access.pointer, loads);
        self.push(" + ");
        self.value(access.at);
    }

    /// The count of a strided access.
    pub(super) fn count(&mut self, count: Option<ValueId>) {
        match count {
            Some(count) => self.value(count),
            None => self.push("LITZ_LANES"),
        }
    }

    fn load(&mut self, access: &Access) {
        let (name, more): (&str, &[ValueId]) = match &access.shape {
            Shape::Element => ("load_scalar", &[]),
            Shape::Vector { aligned: true } => ("load", &[]),
            // A CPU's vectors may lie anywhere.
            Shape::Vector { aligned: false } if self.dialect == Dialect::Cxx => ("load", &[]),
            Shape::Vector { aligned: false } => ("load_apart", &[]),
            Shape::Tail { count } => ("load_tail", std::slice::from_ref(count)),
            Shape::Where { mask } => ("load_where", std::slice::from_ref(mask)),
            Shape::ElementWhere { mask } => {
                self.push("(any(");
                self.value(*mask);
                self.push(") ? load_scalar(");
                self.place(access, true);
                self.push(") : decltype(load_scalar(");
                self.place(access, true);
                return self.push("))())");
            }
            Shape::Strided { step, count } => {
                self.push("load_strided(");
                self.place(access, true);
                self.push(", ");
                self.value(*step);
                self.push(", ");
                self.count(*count);
                return self.push(")");
            }
            Shape::Each { mask } => {
                self.push("load_gather(");
                self.pointer(&access.pointer, true);
                self.push(", ");
                self.list(&[access.at, *mask], ", ");
                return self.push(")");
            }
        };
        self.push(name);
        self.push("(");
        self.place(access, true);
        for value in more {
            self.push(", ");
            self.value(*value);
        }
        self.push(")");
    }
}

/// What stands between the operands.
fn infix(op: IndexOp) -> Option<&'static str> {
    use IndexOp::*;
    Some(match op {
        Add => " + ",
        Subtract => " - ",
        Multiply => " * ",
        Divide => " / ",
        Remainder => " % ",
        Equal => " == ",
        NotEqual => " != ",
        Less => " < ",
        LessEqual => " <= ",
        Greater => " > ",
        GreaterEqual => " >= ",
        And => " && ",
        Or => " || ",
        FloorDivide | FloorRemainder | Min | Max | Negate | Choose => return None,
    })
}
