//! The range of an integer expression.

use crate::base::HashMap;
use crate::loops::{BinaryOp, Expr, ExprId, Program};
use crate::types::{Dtype, Scalar};

/// Bounds further away than this are none.
const MOST: i64 = 1 << 40;

/// The least and the greatest value of an expression that is always an integer, whatever its dtype; none where they are not known.
pub fn range(program: &Program, e: ExprId) -> Option<(i64, i64)> {
    let mut known = HashMap::default();
    for below in program.exprs.postorder(&[e]) {
        if let Some(range) = one(program, below, &known) {
            known.insert(below, range);
        }
    }
    known.get(&e).copied()
}

/// The same of an expression whose operands are known.
fn one(program: &Program, e: ExprId, known: &HashMap<ExprId, (i64, i64)>) -> Option<(i64, i64)> {
    let exprs = &program.exprs;
    let of = |e: ExprId| known.get(&e).copied();
    let (low, high) = match exprs[e] {
        Expr::Constant(value, _) => {
            let number = match value {
                Scalar::Float(value) if value.fract() != 0.0 || value.abs() > MOST as f64 => return None,
                // No integer is -0.
                Scalar::Float(value) if value == 0.0 && value.is_sign_negative() => return None,
                value => value.as_i64(),
            };
            (number, number)
        }
        Expr::Load { .. } => match exprs.dtype(e) {
            Dtype::Uint8 => (0, 255),
            Dtype::Int8 => (-128, 127),
            Dtype::Bool => (0, 1),
            _ => return None,
        },
        Expr::Cast(to, a) => {
            let (low, high) = of(a)?;
            let (least, most) = exactly(to)?;
            (least <= low && high <= most).then_some((low, high))?
        }
        Expr::Select(_, a, b) | Expr::Masked { value: a, otherwise: b, .. } => {
            let ((low, high), (other, most)) = (of(a)?, of(b)?);
            (low.min(other), high.max(most))
        }
        Expr::Binary(BinaryOp::BitwiseAnd, a, b) => {
            let mask = |e: ExprId| of(e).filter(|(low, _)| *low >= 0).map(|r| r.1);
            let most = match (mask(a), mask(b)) {
                (Some(a), Some(b)) => a.min(b),
                (a, b) => a.or(b)?,
            };
            (0, most)
        }
        Expr::Binary(BinaryOp::BitwiseOr | BinaryOp::BitwiseXor, a, b) => {
            let ((low, high), (other, most)) = (of(a)?, of(b)?);
            if low < 0 || other < 0 {
                return None;
            }
            // All bits below the highest.
            (0, (high.max(most) as u64 + 1).next_power_of_two() as i64 - 1)
        }
        Expr::Binary(op @ (BinaryOp::ShiftLeft | BinaryOp::ShiftRight), a, b) => {
            let ((low, high), (by, most)) = (of(a)?, of(b)?);
            if low < 0 || by != most || !(0..32).contains(&by) {
                return None;
            }
            match op {
                BinaryOp::ShiftLeft => (low << by, high.checked_mul(1 << by)?),
                _ => (low >> by, high >> by),
            }
        }
        Expr::Binary(BinaryOp::Add, a, b) => {
            let ((low, high), (other, most)) = (of(a)?, of(b)?);
            (low + other, high + most)
        }
        Expr::Binary(BinaryOp::Sub, a, b) => {
            let ((low, high), (other, most)) = (of(a)?, of(b)?);
            (low - most, high - other)
        }
        _ => return None,
    };
    let (least, most) = exactly(exprs.dtype(e))?;
    (least <= low && high <= most).then_some((low, high))
}

/// The integers that a dtype has all of.
fn exactly(dtype: Dtype) -> Option<(i64, i64)> {
    let around = |bits: u32| Some((-(1i64 << bits), 1i64 << bits));
    match dtype {
        Dtype::Bool => Some((0, 1)),
        Dtype::Uint8 => Some((0, 255)),
        Dtype::Bfloat16 => around(8),
        Dtype::Float16 => around(11),
        Dtype::Float32 => around(24),
        Dtype::Float64 | Dtype::Int64 => around(40),
        Dtype::Int8 => Some((i8::MIN.into(), i8::MAX.into())),
        Dtype::Int16 => Some((i16::MIN.into(), i16::MAX.into())),
        Dtype::Int32 => Some((i32::MIN.into(), i32::MAX.into())),
        _ => None,
    }
}
