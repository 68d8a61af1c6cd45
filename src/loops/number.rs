//! One number of any dtype, and what operations make of it: [`arithmetic`](super::arithmetic) behind one type.
//!
//! Invariant: reduced floats are float32 with one of their values; integers and bools are int64, cut to their width.

use super::arithmetic as f;
use super::{BinaryOp, UnaryOp};
use crate::types::{Dtype, Scalar};

#[derive(Clone, Copy, Debug)]
pub enum Number {
    Float32(f32),
    Float64(f64),
    Integer(i64),
}

impl PartialEq for Number {
    /// Bitwise, so that NaN equals itself.
    fn eq(&self, other: &Number) -> bool {
        match (*self, *other) {
            (Number::Float32(a), Number::Float32(b)) => a.to_bits() == b.to_bits(),
            (Number::Float64(a), Number::Float64(b)) => a.to_bits() == b.to_bits(),
            (Number::Integer(a), Number::Integer(b)) => a == b,
            _ => false,
        }
    }
}

impl Number {
    pub fn constant(value: Scalar, dtype: Dtype) -> Number {
        match (value, dtype) {
            (value, Dtype::Float64) => Number::Float64(value.as_f64()),
            // Straight from an integer where it is one: going through float64 would round twice.
            (Scalar::Int(v), d) if d.is_float() => Number::Float32(f::round_reduced(d, v as f32)),
            (value, d) if d.is_float() => Number::Float32(f::round_reduced(d, value.as_f64() as f32)),
            (value, d) => Number::Integer(f::wrap(d, value.as_i64())),
        }
    }
    pub fn zero(dtype: Dtype) -> Number {
        Number::constant(Scalar::Int(0), dtype)
    }
    pub fn bool(value: bool) -> Number {
        Number::Integer(i64::from(value))
    }
    pub fn is_true(self) -> bool {
        self.as_i64() != 0
    }
    /// Of an integer.
    pub fn as_i64(self) -> i64 {
        match self {
            Number::Integer(v) => v,
            Number::Float32(v) => v as i64,
            Number::Float64(v) => v as i64,
        }
    }
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Integer(v) => v as f64,
            Number::Float32(v) => f64::from(v),
            Number::Float64(v) => v,
        }
    }
    pub fn is_nan(self) -> bool {
        !matches!(self, Number::Integer(_)) && self.as_f64().is_nan()
    }

    /// `dtype` is the operand's.
    pub fn unary(self, op: UnaryOp, dtype: Dtype) -> Number {
        let predicate = |x: f64| match op {
            UnaryOp::IsNan => x.is_nan(),
            UnaryOp::IsInf => x.is_infinite(),
            UnaryOp::Signbit => x.is_sign_negative(),
            _ => x == 0.0,
        };
        match self {
            Number::Integer(x) if op == UnaryOp::FromBits => match op.result(dtype) {
                Dtype::Float32 => Number::Float32(f32::from_bits(x as u32)),
                _ => Number::Float64(f64::from_bits(x as u64)),
            },
            Number::Float32(x) if op == UnaryOp::ToBits => Number::Integer(i64::from(x.to_bits() as i32)),
            Number::Float64(x) if op == UnaryOp::ToBits => Number::Integer(x.to_bits() as i64),
            Number::Integer(x) => {
                let result = if op.is_predicate() { Dtype::Bool } else { dtype };
                Number::Integer(f::wrap(result, f::int_unary(op, dtype, x)))
            }
            x if op.is_predicate() => Number::bool(predicate(x.as_f64())),
            Number::Float32(x) => Number::Float32(f::float_unary(op, f64::from(x)) as f32),
            Number::Float64(x) => Number::Float64(f::float_unary(op, x)),
        }
    }

    /// Both have this dtype.
    pub fn binary(op: BinaryOp, dtype: Dtype, a: Number, b: Number) -> Number {
        match (a, b) {
            (Number::Integer(a), Number::Integer(b)) => {
                let result = if op.is_predicate() { Dtype::Bool } else { dtype };
                Number::Integer(f::wrap(result, f::int_binary(op, dtype, a, b)))
            }
            (a, b) if op.is_predicate() => Number::bool(f::float_compare(op, a.as_f64(), b.as_f64())),
            (Number::Float32(a), Number::Float32(b)) => Number::Float32(f::float32_binary(op, a, b)),
            (a, b) => Number::Float64(f::float64_binary(op, a.as_f64(), b.as_f64())),
        }
    }

    pub fn cast(self, from: Dtype, to: Dtype) -> Number {
        match (self, to) {
            (Number::Integer(x), Dtype::Float64) => Number::Float64(f::int_to_f64(from, x)),
            (Number::Integer(x), to) if to.is_float() => {
                Number::Float32(f::round_reduced(to, f::int_to_f32(from, x)))
            }
            (Number::Integer(x), to) => Number::Integer(f::wrap(to, x)),
            (x, Dtype::Float64) => Number::Float64(x.as_f64()),
            (Number::Float32(x), to) if to.is_float() => Number::Float32(f::round_reduced(to, x)),
            (x, to) if to.is_float() => Number::Float32(f::round_reduced(to, x.as_f64() as f32)),
            (x, to) => Number::Integer(f::float_to_int(to, x.as_f64())),
        }
    }

    /// Of as many bytes as the dtype has.
    pub fn read(bytes: &[u8], dtype: Dtype) -> Number {
        let mut wide = [0u8; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(wide);
        match dtype {
            Dtype::Float64 => Number::Float64(f64::from_bits(bits)),
            Dtype::Float16 => Number::Float32(half::f16::from_bits(bits as u16).to_f32()),
            Dtype::Bfloat16 => Number::Float32(half::bf16::from_bits(bits as u16).to_f32()),
            d if d.is_float() => Number::Float32(f32::from_bits(bits as u32)),
            d => Number::Integer(f::wrap(d, bits as i64)),
        }
    }
    pub fn write(self, bytes: &mut [u8], dtype: Dtype) {
        let bits = match (self, dtype) {
            (Number::Float64(x), _) => x.to_bits(),
            (Number::Float32(x), Dtype::Float16) => u64::from(half::f16::from_f32(x).to_bits()),
            (Number::Float32(x), Dtype::Bfloat16) => u64::from(half::bf16::from_f32(x).to_bits()),
            (Number::Float32(x), _) => u64::from(x.to_bits()),
            (Number::Integer(x), _) => x as u64,
        };
        bytes.copy_from_slice(&bits.to_le_bytes()[..bytes.len()]);
    }
}
