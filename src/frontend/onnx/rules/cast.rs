//! Conversions between element types. Types without a dtype of their own are held in bytes ([`Narrow`]): what they mean is
//! decoded by a table of all codes, and encoded by rounding to the nearest code, ties to even, as the standard says.

use super::super::super::FrontendError;
use super::super::super::error::Result;
use super::super::call::{Cx, Results};
use super::super::data::{self, Data, Narrow, SmallFloat, Special, bits};
use super::super::entry::Entry;
use super::super::reader::file;
use crate::ir::{Arg, ConstantData, ConstantKind, Value};
use crate::types::Dtype;
use std::sync::Arc;

pub fn cast(cx: &mut Cx<'_, '_>) -> Results {
    let to = data::attribute(cx.attr_or("to", 0))?;
    convert(cx, to)
}

pub fn cast_like(cx: &mut Cx<'_, '_>) -> Results {
    let like = cx.raw(1)?;
    let to = (cx.dtype(like), cx.narrow(1));
    convert(cx, to)
}

fn convert(cx: &mut Cx<'_, '_>, to: (Dtype, Option<Narrow>)) -> Results {
    let (x, from) = (cx.raw(0)?, cx.narrow(0));
    if (cx.dtype(x), from) == to {
        return Ok(vec![cx.inputs[0].clone()]);
    }
    let plain = decode(cx, x, from)?;
    let saturate = cx.attr_or("saturate", 1) != 0;
    let rounding = cx.string("round_mode", "up")?;
    let value = match to.1 {
        None => cx.cast(plain, to.0)?,
        Some(narrow) => encode(cx, plain, narrow, saturate, &rounding)?,
    };
    Ok(vec![cx.narrowed(value, to.1)])
}

/// The bits of the elements as another type of as many bits.
pub fn bit_cast(cx: &mut Cx<'_, '_>) -> Results {
    let (x, from) = (cx.raw(0)?, cx.narrow(0));
    let (to, narrow) = data::attribute(cx.attr_or("to", 0))?;
    let own = cx.dtype(x);
    if bits(own, from) != bits(to, narrow) {
        return Err(cx.wrong("the two element types have different numbers of bits"));
    }
    if bits(own, from) < 8 {
        return Err(cx.refuse("of elements of less than 8 bits"));
    }
    if to == Dtype::Bool && own != to {
        return Err(cx.refuse("to bools"));
    }
    // A bool's bits are those of 0 or 1.
    let (x, own) = match own {
        Dtype::Bool if to != own => (cx.cast(x, Dtype::Uint8)?, Dtype::Uint8),
        own => (x, own),
    };
    let value = if own == to { x } else { cx.call("view.dtype($0, $1)", &[Arg::Value(x), Arg::Dtype(to)])? };
    Ok(vec![cx.narrowed(value, narrow)])
}

/// Elements as numbers of a dtype: itself, or float32 for small floats.
pub fn decode(cx: &mut Cx<'_, '_>, value: Value, narrow: Option<Narrow>) -> Result<Value> {
    let Some(Narrow::Float(float)) = narrow else { return Ok(value) };
    let table: Vec<u8> = (0..=255u8).flat_map(|code| float.value(code).to_le_bytes()).collect();
    let data = Data {
        name: "codes".to_string(),
        kind: ConstantKind::Constant,
        dtype: Dtype::Float32,
        narrow: None,
        shape: vec![256],
        bytes: Arc::new(ConstantData::Owned(table)),
    };
    let Entry::Tensor(table) = file(data) else {
        return Err(FrontendError::parse("a table that is no tensor"));
    };
    let table = cx.reader.value(&table)?;
    let index = cx.cast(value, Dtype::Int64)?;
    cx.of("index.Tensor($0, [$1])", &[table, index])
}

/// Numbers in the bytes of a narrow type.
pub fn encode(
    cx: &mut Cx<'_, '_>,
    value: Value,
    narrow: Narrow,
    saturate: bool,
    rounding: &str,
) -> Result<Value> {
    match narrow {
        Narrow::Int { bits, signed } => {
            let whole = cx.cast(value, Dtype::Int32)?;
            let (mask, half) = ((1i64 << bits) - 1, 1i64 << (bits - 1));
            let low = cx.call("bitwise_and.Scalar($0, $1)", &[Arg::Value(whole), cx.int(mask)])?;
            if !signed {
                return cx.cast(low, Dtype::Uint8);
            }
            let args = [Arg::Value(low), cx.int(half)];
            let moved = cx.call("sub(bitwise_xor.Scalar($0, $1), $1)", &args)?;
            cx.cast(moved, Dtype::Int8)
        }
        Narrow::Float(float) => encode_float(cx, value, float, saturate, rounding),
    }
}

/// The code of `a` is `round(a / quantum) + (e - least) * 2^mantissa`, where `e` is its exponent, at least that of the
/// smallest normal number, and the quantum the distance of numbers there. That holds for subnormal numbers, and where
/// rounding reaches the next exponent.
fn encode_float(
    cx: &mut Cx<'_, '_>,
    value: Value,
    float: SmallFloat,
    saturate: bool,
    rounding: &str,
) -> Result<Value> {
    let x = cx.cast(value, Dtype::Float32)?;
    let bits = cx.call("view.dtype($0, $1)", &[Arg::Value(x), Arg::Dtype(Dtype::Int32)])?;
    let exponent = cx.of("bitwise_and.Scalar(bitwise_right_shift.Tensor_Scalar($0, 23), 255)", &[bits])?;
    if float.mantissa == 0 {
        return encode_exponent(cx, x, bits, exponent, rounding);
    }
    let least = 1 - float.bias;
    let mantissa = float.mantissa as i64;
    let e = cx.call("clamp_min($0, $1)", &[Arg::Value(exponent), cx.int(127 + least as i64)])?;
    // The quantum's reciprocal, from its exponent: 127 - (e - 127 - mantissa).
    let args = [Arg::Value(e), cx.int(254 + mantissa), Arg::Dtype(Dtype::Float32)];
    let scale =
        cx.call("view.dtype(bitwise_left_shift.Tensor_Scalar(rsub.Scalar($0, $1), 23), $2)", &args)?;
    let steps = cx.of("round(mul(abs($0), $1))", &[x, scale])?;
    let steps = cx.cast(steps, Dtype::Int32)?;
    let args = [Arg::Value(steps), Arg::Value(e), cx.int(127 + least as i64), cx.int(1 << mantissa)];
    let code = cx.call("add($0, mul(sub($1, $2), $3))", &args)?;
    let (greatest, infinity, nan) = float.codes();
    let is_nan = cx.of("isnan($0)", &[x])?;
    let beyond = if saturate || float.special == Special::Never { greatest } else { infinity };
    // An infinity has no steps; it lies beyond, too.
    let args = [Arg::Value(code), Arg::Value(x), cx.int(greatest), cx.int(beyond)];
    let code = cx.call("where.ScalarSelf(logical_or(gt($0, $2), isinf($1)), $3, $0)", &args)?;
    let sign = 1i64 << (float.exponent + float.mantissa);
    let negative = cx.of("signbit($0)", &[x])?;
    let args = [Arg::Value(code), Arg::Value(negative), cx.int(sign)];
    let with_sign = cx.call("where.self($1, bitwise_or.Scalar($0, $2), $0)", &args)?;
    let code = match float.special {
        // Minus zero is zero, and minus what is no number is the one NaN.
        Special::NegativeZero => {
            let args = [Arg::Value(code), Arg::Value(with_sign), cx.int(nan)];
            cx.call("where.self(logical_or(eq($0, 0), eq($0, $2)), $0, $1)", &args)?
        }
        _ => with_sign,
    };
    let args = [Arg::Value(is_nan), cx.int(nan), Arg::Value(code)];
    let code = cx.call("where.ScalarSelf($0, $1, $2)", &args)?;
    cx.cast(code, Dtype::Uint8)
}

/// A power of two.
fn encode_exponent(
    cx: &mut Cx<'_, '_>,
    x: Value,
    bits: Value,
    exponent: Value,
    rounding: &str,
) -> Result<Value> {
    let rest = cx.call("bitwise_and.Scalar($0, $1)", &[Arg::Value(bits), cx.int((1 << 23) - 1)])?;
    let more = match rounding {
        "up" => Some(0),
        "nearest" => Some((1 << 22) - 1),
        "down" => None,
        other => return Err(cx.wrong(format!("the rounding `{other}` is none of up, down and nearest"))),
    };
    let code = match more {
        Some(above) => {
            let args = [Arg::Value(exponent), Arg::Value(rest), cx.int(above)];
            cx.call("add($0, gt($1, $2))", &args)?
        }
        None => exponent,
    };
    let args = [Arg::Value(code), Arg::Value(x), cx.int(255)];
    let code = cx.call("where.ScalarSelf(isnan($1), $2, clamp_max($0, 254))", &args)?;
    cx.cast(code, Dtype::Uint8)
}

impl SmallFloat {
    /// The greatest finite code, infinity's (or NaN's where there is none), and NaN's.
    fn codes(self) -> (i64, i64, i64) {
        let bits = self.exponent + self.mantissa;
        let all = (1i64 << bits) - 1;
        match self.special {
            Special::Ieee => {
                let infinity = all ^ ((1 << self.mantissa) - 1);
                (infinity - 1, infinity, infinity + 1)
            }
            Special::AllOnes => (all - 1, all, all),
            Special::NegativeZero => (all, 1 << bits, 1 << bits),
            // What is no number becomes minus zero.
            Special::Never => (all, all, 1 << bits),
        }
    }

    /// The number of a code.
    pub fn value(self, code: u8) -> f32 {
        let bits = self.exponent + self.mantissa;
        if self.mantissa == 0 {
            return if code == 255 { f32::NAN } else { 2f64.powi(code as i32 - self.bias) as f32 };
        }
        let magnitude = code as i64 & ((1 << bits) - 1);
        let negative = code as i64 >> bits & 1 == 1;
        let (greatest, infinity, _) = self.codes();
        let is_nan = match self.special {
            Special::NegativeZero => negative && magnitude == 0,
            Special::Ieee => magnitude > infinity,
            _ => magnitude > greatest,
        };
        if is_nan {
            return f32::NAN;
        }
        let size = if self.special == Special::Ieee && magnitude == infinity {
            f64::INFINITY
        } else {
            let (exponent, fraction) = (magnitude >> self.mantissa, magnitude & ((1 << self.mantissa) - 1));
            let whole = if exponent > 0 { fraction + (1 << self.mantissa) } else { fraction };
            whole as f64 * 2f64.powi(exponent.max(1) as i32 - self.bias - self.mantissa as i32)
        };
        (if negative { -size } else { size }) as f32
    }
}
