//! Float8 numbers and the bytes that hold them: a sign, 4 or 5 bits of exponent, 3 or 2 of mantissa.

use super::pointwise::{In, Results, elementwise};
use crate::base::Status;
use crate::loops::UnaryOp;
use crate::loops::lower::{Args, Lower, LowerError};
use crate::types::Dtype;

/// Bits of the mantissa, the exponent's bias, and whether the format has one zero, one NaN and no infinities ("fnuz").
fn format(cx: &Lower<'_>, args: &Args<'_>) -> Result<(Dtype, i64, i64, bool), LowerError> {
    Ok(match args.dtype("dtype") {
        Some(own @ Dtype::Float8E4m3fn) => (own, 3, 7, false),
        Some(own @ Dtype::Float8E5m2) => (own, 2, 15, false),
        Some(own @ Dtype::Float8E4m3fnuz) => (own, 3, 8, true),
        Some(own @ Dtype::Float8E5m2fnuz) => (own, 2, 16, true),
        _ => return Err(cx.error(Status::Internal, "`dtype` is no float8")),
    })
}

/// The numbers that bytes hold, in float32.
pub fn float8_value(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (dtype, mantissa, bias, one_zero) = format(cx, args)?;
    elementwise(cx, args, ["self"], In::Own, |[byte]| {
        let size = byte.cast(Dtype::Int32).bitwise_and(0x7f);
        // Of the least exponent, steps of one size; elsewhere the same bits at float32's places.
        let small = size.cast(Dtype::Float32) * 2f64.powi((1 - bias - mantissa) as i32);
        let normal = (size.shift_left(23 - mantissa) + ((127 - bias) << 23)).unary(UnaryOp::FromBits);
        let value = size.lt(1 << mantissa).select(small, normal);
        let signed = byte.lt(0).select(value.unary(UnaryOp::Neg), value);
        let quiet = byte.cast(Dtype::Int32).bitwise_and(i64::from(i32::MIN)).bitwise_or(0x7fc0_0000);
        let nan = quiet.unary(UnaryOp::FromBits);
        match dtype {
            Dtype::Float8E4m3fn => size.eq(0x7f).select(nan, signed),
            Dtype::Float8E5m2 => {
                let infinite = value.float(f64::INFINITY);
                let infinite = byte.lt(0).select(infinite.unary(UnaryOp::Neg), infinite);
                size.gt(0x7c).select(nan, size.eq(0x7c).select(infinite, signed))
            }
            _ if one_zero => byte.eq(-128).select(value.float(f64::NAN), signed),
            _ => signed,
        }
    })
}

/// The bytes that hold float32 numbers, rounded to nearest, ties to even. What is too large becomes the largest number in e4m3fn,
/// infinite in e5m2, and NaN in the others, as in PyTorch.
pub fn float8_bits(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (dtype, mantissa, bias, one_zero) = format(cx, args)?;
    elementwise(cx, args, ["self"], In::Own, |[x]| {
        let bits = x.unary(UnaryOp::ToBits);
        let size = bits.bitwise_and(0x7fff_ffff);
        let below = 23 - mantissa;
        let odd = size.shift_right(below).bitwise_and(1);
        let rounded = size + ((1 << (below - 1)) - 1) + odd;
        let normal = rounded.shift_right(below) - ((127 - bias) << mantissa);
        let is_small = size.lt((128 - bias) << 23);
        let magnitude = x.abs();
        let inside = is_small.select(magnitude, magnitude.float(0.0));
        let steps = (inside * 2f64.powi((bias + mantissa - 1) as i32)).round().cast(Dtype::Int32);
        let found = is_small.select(steps, normal);
        let number = size.lt(0x7f80_0000);
        let found = match dtype {
            Dtype::Float8E5m2 => {
                let most = found.minimum(0x7c);
                let large = size.eq(0x7f80_0000).select(size.int(0x7c), size.int(0x7f));
                number.select(most, large)
            }
            Dtype::Float8E4m3fn => {
                let most = number.select(found.minimum(0x7e), size.int(0x7e));
                size.le(0x7f80_0000).select(most, size.int(0x7f))
            }
            _ => number.select(found.minimum(0x80), size.int(0x80)),
        };
        let negative = found.bitwise_or(0x80);
        let keeps = if one_zero { bits.lt(0).and(found.ne(0)) } else { bits.lt(0) };
        keeps.select(negative, found).cast(Dtype::Int8)
    })
}
