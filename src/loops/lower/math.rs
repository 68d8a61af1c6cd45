//! Scalar expressions in ordinary notation, so that a pointwise rule reads as its formula.
//!
//! An [`X`] is one expression of an arena with `+ - * /`, comparisons and functions; numbers take the dtype of the
//! expression they meet. Bool adds as "or" and multiplies as "and", as PyTorch's kernels do.

use crate::loops::{BinaryOp, Expr, ExprArena, ExprId, UnaryOp};
use crate::types::{Dtype, Scalar, SymInt};
use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// One expression, with the arena that it lives in.
#[derive(Clone, Copy)]
pub struct X<'c> {
    arena: &'c RefCell<ExprArena>,
    pub id: ExprId,
}

macro_rules! unary_methods {
    ($($name:ident $op:ident,)*) => {
        $(pub fn $name(self) -> Self {
            self.unary(UnaryOp::$op)
        })*
    };
}

macro_rules! binary_methods {
    ($($name:ident $op:ident,)*) => {
        $(pub fn $name(self, other: impl Operand<'c>) -> Self {
            let other = other.like(self);
            self.binary(BinaryOp::$op, other)
        })*
    };
}

impl<'c> X<'c> {
    pub fn new(arena: &'c RefCell<ExprArena>, id: ExprId) -> Self {
        X { arena, id }
    }
    /// Another expression of the same arena.
    pub fn of(self, id: ExprId) -> Self {
        X { arena: self.arena, id }
    }
    pub fn dtype(self) -> Dtype {
        self.arena.borrow().dtype(self.id)
    }
    pub fn unary(self, op: UnaryOp) -> Self {
        self.of(self.arena.borrow_mut().unary(op, self.id))
    }
    pub fn binary(self, op: BinaryOp, other: Self) -> Self {
        self.of(self.arena.borrow_mut().binary(op, self.id, other.id))
    }
    /// A number in this expression's dtype, wrapped into it as a C conversion does.
    pub fn number(self, value: Scalar) -> Self {
        let dtype = self.dtype();
        self.of(self.arena.borrow_mut().constant(wrap(value, dtype), dtype))
    }
    pub fn float(self, value: f64) -> Self {
        self.number(Scalar::Float(value))
    }
    pub fn int(self, value: i64) -> Self {
        self.number(Scalar::Int(value))
    }
    /// An index expression as an int64 value.
    pub fn index(self, index: SymInt) -> Self {
        self.of(self.arena.borrow_mut().index_value(index, Dtype::Int64))
    }
    pub fn cast(self, dtype: Dtype) -> Self {
        self.of(self.arena.borrow_mut().cast(self.id, dtype))
    }
    /// This condition chooses between two values.
    pub fn select(self, then: Self, otherwise: Self) -> Self {
        self.of(self.arena.borrow_mut().select(self.id, then.id, otherwise.id))
    }
    /// This value, once the condition is seen to hold.
    pub fn checked(self, condition: Self, assertion: u32) -> Self {
        self.of(self.arena.borrow_mut().check(condition.id, self.id, assertion))
    }
    /// The literal that this expression is.
    pub fn known(self) -> Option<Scalar> {
        match self.arena.borrow()[self.id] {
            Expr::Constant(value, _) => Some(value),
            _ => None,
        }
    }
    pub fn is_float(self) -> bool {
        self.dtype().is_float()
    }
    fn is_one(self) -> bool {
        match self.known() {
            Some(Scalar::Float(v)) => v == 1.0,
            Some(Scalar::Int(v)) => v == 1,
            Some(Scalar::Bool(v)) => v,
            None => false,
        }
    }
    /// `self * self`
    pub fn square(self) -> Self {
        self * self
    }
    /// The polynomial with these coefficients, the highest power's first.
    pub fn polynomial(self, coefficients: &[f64]) -> Self {
        coefficients.iter().skip(1).fold(self.float(coefficients[0]), |sum, c| sum * self + *c)
    }

    unary_methods! {
        abs Abs, sign Sign, exp Exp, exp2 Exp2, expm1 Expm1, log Log, log2 Log2, log10 Log10, log1p Log1p,
        sin Sin, cos Cos, tan Tan, asin Asin, acos Acos, atan Atan, sinh Sinh, cosh Cosh, tanh Tanh,
        asinh Asinh, acosh Acosh, atanh Atanh, erf Erf, erfc Erfc, erfinv Erfinv, sqrt Sqrt, rsqrt Rsqrt,
        reciprocal Reciprocal, sigmoid Sigmoid, gelu_tanh GeluTanh, floor Floor, ceil Ceil, trunc Trunc, round Round,
        lgamma Lgamma, digamma Digamma, logical_not LogicalNot, bitwise_not BitwiseNot, signbit Signbit,
    }

    binary_methods! {
        floor_div FloorDiv, trunc_div TruncDiv, remainder Remainder, fmod Fmod, pow Pow, maximum Maximum,
        minimum Minimum, fmax Fmax, fmin Fmin, atan2 Atan2, copysign Copysign, nextafter Nextafter, hypot Hypot,
        igamma Igamma, igammac Igammac,
        eq Eq, ne Ne, lt Lt, le Le, gt Gt, ge Ge, and LogicalAnd, or LogicalOr, xor LogicalXor,
        bitwise_and BitwiseAnd, bitwise_or BitwiseOr, bitwise_xor BitwiseXor, shift_left ShiftLeft,
        shift_right ShiftRight,
    }

    /// True for NaN; integers have none.
    pub fn is_nan(self) -> Self {
        if self.is_float() { self.unary(UnaryOp::IsNan) } else { self.bool(false) }
    }
    /// True for both infinities; integers have none.
    pub fn is_inf(self) -> Self {
        if self.is_float() { self.unary(UnaryOp::IsInf) } else { self.bool(false) }
    }
    /// A bool literal.
    pub fn bool(self, value: bool) -> Self {
        self.of(self.arena.borrow_mut().constant(Scalar::Bool(value), Dtype::Bool))
    }
}

/// A number as a literal of this dtype holds it: integers wrapped, reduced floats rounded.
pub fn wrap(value: Scalar, dtype: Dtype) -> Scalar {
    let wide = value.as_i64();
    match dtype {
        Dtype::Uint8 => Scalar::Int(wide as u8 as i64),
        Dtype::Int8 => Scalar::Int(wide as i8 as i64),
        Dtype::Int16 => Scalar::Int(wide as i16 as i64),
        Dtype::Int32 => Scalar::Int(wide as i32 as i64),
        Dtype::Uint16 => Scalar::Int(wide as u16 as i64),
        Dtype::Uint32 => Scalar::Int(wide as u32 as i64),
        Dtype::Int64 | Dtype::Uint64 => Scalar::Int(wide),
        Dtype::Bool => Scalar::Bool(value.as_bool()),
        Dtype::Float16 => Scalar::Float(half::f16::from_f32(value.as_f64() as f32).to_f64()),
        Dtype::Bfloat16 => Scalar::Float(half::bf16::from_f32(value.as_f64() as f32).to_f64()),
        Dtype::Float32 => Scalar::Float(value.as_f64() as f32 as f64),
        _ => Scalar::Float(value.as_f64()),
    }
}

/// What may stand beside an expression: another one, or a number.
pub trait Operand<'c> {
    fn like(self, x: X<'c>) -> X<'c>;
}
impl<'c> Operand<'c> for X<'c> {
    fn like(self, _: X<'c>) -> X<'c> {
        self
    }
}
impl<'c> Operand<'c> for f64 {
    fn like(self, x: X<'c>) -> X<'c> {
        x.float(self)
    }
}
impl<'c> Operand<'c> for i64 {
    fn like(self, x: X<'c>) -> X<'c> {
        x.int(self)
    }
}

impl<'c, O: Operand<'c>> Add<O> for X<'c> {
    type Output = X<'c>;
    fn add(self, other: O) -> X<'c> {
        let op = if self.dtype() == Dtype::Bool { BinaryOp::LogicalOr } else { BinaryOp::Add };
        self.binary(op, other.like(self))
    }
}
impl<'c, O: Operand<'c>> Sub<O> for X<'c> {
    type Output = X<'c>;
    fn sub(self, other: O) -> X<'c> {
        self.binary(BinaryOp::Sub, other.like(self))
    }
}
impl<'c, O: Operand<'c>> Mul<O> for X<'c> {
    type Output = X<'c>;
    fn mul(self, other: O) -> X<'c> {
        let other = other.like(self);
        if other.is_one() {
            return self;
        }
        if self.is_one() {
            return other;
        }
        let op = if self.dtype() == Dtype::Bool { BinaryOp::LogicalAnd } else { BinaryOp::Mul };
        self.binary(op, other)
    }
}
impl<'c, O: Operand<'c>> Div<O> for X<'c> {
    type Output = X<'c>;
    fn div(self, other: O) -> X<'c> {
        let other = other.like(self);
        if other.is_one() { self } else { self.binary(BinaryOp::Div, other) }
    }
}
impl<'c> Neg for X<'c> {
    type Output = X<'c>;
    fn neg(self) -> X<'c> {
        self.unary(UnaryOp::Neg)
    }
}

macro_rules! number_first {
    ($($trait:ident $method:ident,)*) => {
        $(impl<'c> $trait<X<'c>> for f64 {
            type Output = X<'c>;
            fn $method(self, x: X<'c>) -> X<'c> {
                x.float(self).$method(x)
            }
        })*
    };
}
number_first! { Add add, Sub sub, Mul mul, Div div, }
