//! Types of values, and of what is loaded and stored.

use super::{CONDITION, Checked, Checker, MASK, condition, expect, register, registers};
use crate::kernels::verify::Wrong;
use crate::kernels::{Access, Base, IndexOp, Shape, Type, Value, ValueId, Word};
use crate::loops::BinaryOp;
use crate::types::Dtype;

impl Checker<'_> {
    pub(super) fn value(&self, value: ValueId) -> Checked<Type> {
        Ok(match &self.kernel.body.values[value] {
            Value::Constant(_, dtype) => Type::Scalar(register(*dtype)),
            Value::Integer(_) | Value::Builtin(_) => Type::Index,
            Value::Parameter(place) => match self.kernel.symbols.get(*place) {
                Some(_) => Type::Index,
                None => return Err(Wrong::Missing { what: "parameter", place: *place }),
            },
            Value::Local(local) => registers(self.used(*local)?),
            Value::Element(array, at) => {
                expect("the place in the array", self.value(*at)?, Type::Index)?;
                match self.used(*array)? {
                    Type::Array { dtype, vectors, .. } => Type::of(register(dtype), vectors),
                    found => return Err(self.other("what has elements", found, "an array")),
                }
            }
            Value::Index(op, operands) => self.index(*op, operands)?,
            Value::ToIndex(a) => match self.value(*a)? {
                Type::Index => Type::Index,
                Type::Scalar(dtype) if !dtype.is_float() => Type::Index,
                found => return Err(self.other("the operand", found, "an integer")),
            },
            Value::ToWide(a) => {
                expect("the operand", self.value(*a)?, Type::Index)?;
                Type::Scalar(Dtype::Int64)
            }
            Value::Not(a) => {
                condition(self.value(*a)?)?;
                CONDITION
            }
            Value::Unary(op, a) => {
                let ty = self.element(*a)?;
                with(ty, register(op.result(dtype_of(ty))))
            }
            Value::Binary(op, a, b) => {
                let (first, second) = (self.element(*a)?, self.value(*b)?);
                // One seed serves a vector of numbers.
                let seeded = *op == BinaryOp::Philox && second == Type::Vector(dtype_of(first));
                let ty = if seeded { second } else { first };
                expect("the second operand", second, ty)?;
                if op.is_predicate() { with(ty, Dtype::Bool) } else { ty }
            }
            Value::Cast(to, a) => with(self.element(*a)?, register(*to)),
            Value::Round(_, a) => {
                let ty = self.element(*a)?;
                expect("the operand", ty, with(ty, Dtype::Float32))?;
                ty
            }
            Value::Select(c, a, b) => {
                let ty = self.value(*a)?;
                expect("the third operand", self.value(*b)?, ty)?;
                let condition = self.value(*c)?;
                if condition != CONDITION {
                    expect("the condition", condition, MASK)?;
                    expect("the second operand", ty, with(MASK, dtype_of(ty)))?;
                }
                ty
            }
            Value::Splat(a) => match self.value(*a)? {
                Type::Index => Type::Vector(Dtype::Int64),
                Type::Scalar(dtype) => Type::Vector(dtype),
                found => return Err(self.other("the operand", found, "a scalar")),
            },
            Value::Fold(_, dtype, a) => {
                expect("the operand", self.value(*a)?, Type::Vector(*dtype))?;
                Type::Scalar(register(*dtype))
            }
            Value::Word(word, operands) => self.word(*word, operands)?,
            Value::Load(access) => self.access(access)?,
        })
    }

    /// The type of an operand that is a scalar or a vector.
    fn element(&self, value: ValueId) -> Checked<Type> {
        match self.value(value)? {
            ty @ (Type::Scalar(_) | Type::Vector(_)) => Ok(ty),
            Type::Index => Ok(Type::Scalar(Dtype::Int64)),
            found => Err(self.other("the operand", found, "an element")),
        }
    }

    fn index(&self, op: IndexOp, operands: &[ValueId]) -> Checked<Type> {
        use IndexOp::*;
        let types = operands.iter().map(|o| self.value(*o)).collect::<Checked<Vec<Type>>>()?;
        let all = |ty: Type, types: &[Type]| types.iter().try_for_each(|t| expect("an operand", *t, ty));
        match op {
            And | Or => types.iter().try_for_each(|t| condition(*t)).map(|()| CONDITION),
            Choose => {
                condition(types[0])?;
                expect("the third operand", types[2], types[1])?;
                Ok(types[1])
            }
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => {
                let elements = matches!(types[0], Type::Scalar(_));
                all(if elements { types[0] } else { Type::Index }, &types).map(|()| CONDITION)
            }
            _ => all(Type::Index, &types).map(|()| Type::Index),
        }
    }

    fn word(&self, word: Word, operands: &[ValueId]) -> Checked<Type> {
        let types = operands.iter().map(|o| self.value(*o)).collect::<Checked<Vec<Type>>>()?;
        let wanted = match word {
            Word::LaneIndex => 0,
            Word::DivideBy | Word::QuotientBy | Word::RestBy | Word::SigmoidScaled | Word::Nibble => 2,
            _ => 1,
        };
        if types.len() != wanted {
            let (found, expected) = (types.len().to_string(), wanted.to_string());
            return Err(Wrong::Type { what: "the number of operands", found, expected });
        }
        match word {
            Word::LaneIndex => Ok(Type::Vector(Dtype::Int64)),
            Word::FirstLanes | Word::TailMask => {
                expect("the number of lanes", types[0], Type::Index)?;
                Ok(MASK)
            }
            Word::Any => {
                expect("the operand", types[0], MASK)?;
                Ok(CONDITION)
            }
            Word::BitsOfHalf | Word::BitsOfBfloat => {
                expect("the operand", types[0], with(types[0], Dtype::Float32))?;
                Ok(with(types[0], Dtype::Int16))
            }
            Word::Nibble => {
                expect("the operand", types[0], with(types[0], Dtype::Int32))?;
                expect("what is taken off", types[1], Type::Scalar(Dtype::Float32))?;
                Ok(with(types[0], Dtype::Float32))
            }
            _ => Ok(types[0]),
        }
    }

    /// The type of what is loaded or stored.
    pub(super) fn access(&self, access: &Access) -> Checked<Type> {
        let dtype = match access.pointer.base {
            Base::Buffer(place) => match self.kernel.buffers.get(place) {
                Some(parameter) => parameter.dtype,
                None => return Err(Wrong::Missing { what: "buffer", place }),
            },
            Base::Local(local) => match self.used(local)? {
                Type::Array { dtype, vectors: false, .. } | Type::Pointer { dtype, .. } => dtype,
                found => return Err(self.other("the memory", found, "an array of scalars or a pointer")),
            },
        };
        let dtype = match access.pointer.bits {
            Some(bits) if bits.size() != dtype.size() => {
                let (found, expected) = (bits.to_string(), format!("of {} bytes", dtype.size()));
                return Err(Wrong::Type { what: "the dtype that bits are taken as", found, expected });
            }
            Some(bits) => bits,
            None => dtype,
        };
        if let Some(origin) = access.pointer.origin {
            expect("the origin", self.value(origin)?, Type::Index)?;
        }
        let mask = |mask: ValueId| expect("the mask", self.value(mask)?, MASK);
        let at = self.value(access.at)?;
        match access.shape {
            Shape::Each { mask: on } => {
                mask(on)?;
                if !matches!(at, Type::Vector(d) if !d.is_float() && d != Dtype::Bool) {
                    return Err(self.other("the offsets", at, "a vector of integers"));
                }
                return Ok(Type::Vector(register(dtype)));
            }
            Shape::Where { mask: on } | Shape::ElementWhere { mask: on } => mask(on)?,
            Shape::Tail { count } => expect("the count", self.value(count)?, Type::Index)?,
            Shape::Strided { step, count } => {
                expect("the step", self.value(step)?, Type::Index)?;
                if let Some(count) = count {
                    expect("the count", self.value(count)?, Type::Index)?;
                }
            }
            Shape::Element | Shape::Vector { .. } => {}
        }
        expect("the offset", at, Type::Index)?;
        let one = matches!(access.shape, Shape::Element | Shape::ElementWhere { .. });
        Ok(Type::of(register(dtype), !one))
    }
}

fn with(ty: Type, dtype: Dtype) -> Type {
    Type::of(dtype, matches!(ty, Type::Vector(_)))
}
fn dtype_of(ty: Type) -> Dtype {
    match ty {
        Type::Scalar(dtype) | Type::Vector(dtype) => dtype,
        _ => Dtype::Int64,
    }
}
