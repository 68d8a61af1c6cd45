//! Quantised tensors: numbers as integers by a scale and a zero point, of all elements, of a channel, or of a block.

use super::super::super::error::Result;
use super::super::call::{Cx, Results};
use super::super::data::{self, Narrow};
use super::cast::{decode, encode};
use super::convolution;
use super::microsoft::takes;
use crate::ir::{Arg, Value};
use crate::types::Dtype;

/// The least and the greatest number of a type of integers.
fn range(narrow: Option<Narrow>, dtype: Dtype) -> Option<(i64, i64)> {
    match narrow {
        Some(Narrow::Int { bits, signed: true }) => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        Some(Narrow::Int { bits, signed: false }) => Some((0, (1 << bits) - 1)),
        Some(Narrow::Float(_)) => None,
        None => dtype.integer_range(),
    }
}

/// A scale or zero point, as wide as the tensor: of each element of the axis, or of each block along it.
fn spread(cx: &mut Cx<'_, '_>, list: Value, x: Value) -> Result<Value> {
    let (shape, given) = (cx.shape(x), cx.shape(list));
    let syms = cx.syms.clone();
    let block = cx.attr_or("block_size", 0);
    if given.is_empty() || given.len() == 1 && syms.as_const(given[0]) == Some(1) {
        return cx.reshape(list, &[]);
    }
    let axis = cx.dim(cx.attr_or("axis", 1), shape.len())?;
    if block > 0 {
        let args = [Arg::Value(list), cx.int(block), cx.int(axis as i64), Arg::Int(shape[axis])];
        return cx.call("slice.Tensor(repeat_interleave.self_int($0, $1, $2), $2, 0, $3)", &args);
    }
    if given.len() != 1 {
        return Err(cx.wrong(format!("a scale of rank {}", given.len())));
    }
    let mut sizes = vec![syms.constant(1); shape.len()];
    sizes[axis] = given[0];
    cx.reshape(list, &sizes)
}

pub fn quantize(cx: &mut Cx<'_, '_>) -> Results {
    let (x, scale) = (cx.value(0)?, cx.value(1)?);
    let (dtype, narrow) = match (cx.has(2), cx.attr_or("output_dtype", 0)) {
        (true, _) => {
            let zero = cx.raw(2)?;
            (cx.dtype(zero), cx.narrow(2))
        }
        (false, 0) => (Dtype::Uint8, None),
        (false, number) => data::attribute(number)?,
    };
    let scale = spread(cx, scale, x)?;
    let wide = match cx.attr_or("precision", 0) {
        0 if cx.dtype(x).is_float() => cx.dtype(x),
        0 => Dtype::Float32,
        number => data::dtype(number)?,
    };
    let (x, scale) = (cx.cast(x, wide)?, cx.cast(scale, wide)?);
    let quotient = cx.of("div($0, $1)", &[x, scale])?;
    let Some((low, high)) = range(narrow, dtype) else {
        let saturate = cx.attr_or("saturate", 1) != 0;
        let Some(narrow) = narrow else { return Err(cx.refuse(format!("to {dtype}"))) };
        let value = encode(cx, quotient, narrow, saturate, "up")?;
        return Ok(vec![cx.narrowed(value, Some(narrow))]);
    };
    let mut value = cx.of("round($0)", &[quotient])?;
    if cx.has(2) {
        let zero = cx.raw(2)?;
        let zero = spread(cx, zero, x)?;
        let zero = cx.cast(zero, Dtype::Float32)?;
        value = cx.cast(value, Dtype::Float32)?;
        value = cx.of("add($0, $1)", &[value, zero])?;
    }
    let args = [Arg::Value(value), cx.int(low), cx.int(high)];
    let value = cx.call("clamp($0, $1, $2)", &args)?;
    let value = cx.cast(value, dtype)?;
    Ok(vec![cx.narrowed(value, narrow)])
}

/// `(x - zero) * scale`
pub fn dequantize(cx: &mut Cx<'_, '_>) -> Results {
    let (x, scale) = (cx.raw(0)?, cx.value(1)?);
    let out = match cx.attr_or("output_dtype", 0) {
        0 => cx.dtype(scale),
        number => data::dtype(number)?,
    };
    let narrow = cx.narrow(0);
    let is_float = matches!(narrow, Some(Narrow::Float(_)));
    let mut value = decode(cx, x, narrow)?;
    if cx.has(2) && !is_float {
        let zero = cx.raw(2)?;
        let zero = spread(cx, zero, x)?;
        let (own, zero) = (cx.cast(value, Dtype::Int32)?, cx.cast(zero, Dtype::Int32)?);
        value = cx.of("sub($0, $1)", &[own, zero])?;
    }
    let scale = spread(cx, scale, x)?;
    let scale = cx.cast(scale, Dtype::Float32)?;
    let value = cx.cast(value, Dtype::Float32)?;
    let value = cx.of("mul($0, $1)", &[value, scale])?;
    let value = cx.cast(value, out)?;
    cx.one(value)
}

/// To uint8, by the least and the greatest element.
pub fn dynamic(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let [value, scale, zero] = quantized_dynamically(cx, x)?;
    Ok(vec![cx.entry(value), cx.entry(scale), cx.entry(zero)])
}

/// A tensor as uint8, its scale and its zero point.
pub fn quantized_dynamically(cx: &mut Cx<'_, '_>, x: Value) -> Result<[Value; 3]> {
    let least = cx.of("clamp_max(amin($0), 0)", &[x])?;
    let scale = cx.of("div(sub(clamp_min(amax($0), 0), $1), 255.0)", &[x, least])?;
    let zero = cx.of("clamp(round(div(neg($0), $1)), 0, 255)", &[least, scale])?;
    let value = cx.of("clamp(add(round(div($0, $1)), $2), 0, 255)", &[x, scale, zero])?;
    Ok([cx.cast(value, Dtype::Uint8)?, scale, cx.cast(zero, Dtype::Uint8)?])
}

/// An input without its zero point, as int32; the point's last dimension, where it has one, is `axis` of the input.
pub fn centred(cx: &mut Cx<'_, '_>, k: usize, zero: usize, axis: Option<i64>) -> Result<Value> {
    let x = cx.value(k)?;
    let x = cx.cast(x, Dtype::Int32)?;
    let Some(zero) = cx.optional(zero)? else { return Ok(x) };
    let mut zero = cx.cast(zero, Dtype::Int32)?;
    if let (1, Some(axis)) = (cx.rank(zero), axis) {
        let rank = cx.rank(x);
        let mut sizes = vec![cx.syms.constant(1); rank];
        let dim = cx.dim(axis, rank)?;
        sizes[dim] = cx.size(zero, 0)?;
        zero = cx.reshape(zero, &sizes)?;
    } else if axis.is_none() {
        zero = cx.of("reshape($0, [])", &[zero])?;
    }
    cx.of("sub($0, $1)", &[x, zero])
}

pub fn matmul_integer(cx: &mut Cx<'_, '_>) -> Results {
    let (a, b) = (centred(cx, 0, 2, Some(-2))?, centred(cx, 1, 3, Some(-1))?);
    let value = cx.of("matmul($0, $1)", &[a, b])?;
    cx.one(value)
}

/// float64 holds these int32 sums exactly.
fn convolved(cx: &mut Cx<'_, '_>, x: Value, weight: Value) -> Result<Value> {
    let (x, weight) = (cx.cast(x, Dtype::Float64)?, cx.cast(weight, Dtype::Float64)?);
    let value = convolution::convolved(cx, x, weight, None)?;
    cx.cast(value, Dtype::Int32)
}

pub fn convolution_integer(cx: &mut Cx<'_, '_>) -> Results {
    let (x, weight) = (centred(cx, 0, 2, None)?, centred(cx, 1, 3, Some(0))?);
    let value = convolved(cx, x, weight)?;
    cx.one(value)
}

/// An int32 sum by the scales of both sides and of the result.
pub fn requantized(cx: &mut Cx<'_, '_>, sum: Value, scales: Value, scale: usize, zero: usize) -> Results {
    let scale = cx.value(scale)?;
    let wide = cx.cast(sum, Dtype::Float64)?;
    let scale = cx.cast(scale, Dtype::Float32)?;
    let scales = cx.cast(scales, Dtype::Float32)?;
    let factor = cx.of("div($0, reshape($1, []))", &[scales, scale])?;
    let factor = cx.cast(factor, Dtype::Float64)?;
    let value = cx.of("round(mul($0, $1))", &[wide, factor])?;
    placed(cx, value, zero)
}

/// Whole numbers at the zero point of the result, in its type; without a zero point it is 0, of the first input's type.
fn placed(cx: &mut Cx<'_, '_>, whole: Value, zero: usize) -> Results {
    let zero = match cx.optional(zero)? {
        Some(zero) => zero,
        None => {
            let own = cx.value(0)?;
            cx.call("zeros([], dtype=$0)", &[Arg::Dtype(cx.dtype(own))])?
        }
    };
    let dtype = cx.dtype(zero);
    let Some((low, high)) = dtype.integer_range() else { return Err(cx.refuse(format!("to {dtype}"))) };
    let (whole, zero) = (cx.cast(whole, Dtype::Float64)?, cx.cast(zero, Dtype::Float64)?);
    let value = cx.of("add($0, reshape($1, []))", &[whole, zero])?;
    let value = cx.call("clamp($0, $1, $2)", &[Arg::Value(value), cx.int(low), cx.int(high)])?;
    let value = cx.cast(value, dtype)?;
    cx.one(value)
}

pub fn qlinear_matmul(cx: &mut Cx<'_, '_>) -> Results {
    let (a, b) = (centred(cx, 0, 2, Some(-2))?, centred(cx, 3, 5, Some(-1))?);
    let sum = cx.of("matmul($0, $1)", &[a, b])?;
    let (own, other) = (cx.value(1)?, cx.value(4)?);
    let own = if cx.rank(own) == 1 { cx.of("unsqueeze($0, 1)", &[own])? } else { own };
    let scales = cx.of("mul($0, $1)", &[own, other])?;
    let one = cx.syms.as_const(cx.meta(scales).numel(&cx.syms)) == Some(1);
    let scales = if one { cx.reshape(scales, &[])? } else { scales };
    requantized(cx, sum, scales, 6, 7)
}

pub fn qlinear_convolution(cx: &mut Cx<'_, '_>) -> Results {
    let (x, weight) = (centred(cx, 0, 2, None)?, centred(cx, 3, 5, Some(0))?);
    let mut sum = convolved(cx, x, weight)?;
    let rank = cx.rank(sum);
    let by_channel = |cx: &mut Cx<'_, '_>, v: Value| {
        if cx.rank(v) == 0 {
            return Ok(v);
        }
        let mut sizes = vec![cx.syms.constant(1); rank];
        sizes[1] = cx.size(v, 0)?;
        cx.reshape(v, &sizes)
    };
    if let Some(bias) = cx.optional(8)? {
        let bias = by_channel(cx, bias)?;
        sum = cx.of("add($0, $1)", &[sum, bias])?;
    }
    let (own, other) = (cx.value(1)?, cx.value(4)?);
    let other = by_channel(cx, other)?;
    let own = cx.reshape(own, &[])?;
    let scales = cx.of("mul($0, $1)", &[own, other])?;
    requantized(cx, sum, scales, 6, 7)
}

/// `QLinearAdd` and `QLinearMul`: integers without their zero points, by ratios of scales, which ONNX Runtime computes first in float32.
pub fn qlinear_pair(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 8, &[])?;
    let (a, b) = (centred(cx, 0, 2, None)?, centred(cx, 3, 5, None)?);
    let (own, other, scale) = (cx.value(1)?, cx.value(4)?, cx.value(6)?);
    if cx.node.op_type == "QLinearMul" {
        let product = cx.of("mul($0, $1)", &[a, b])?;
        let scales = cx.of("mul(reshape($0, []), reshape($1, []))", &[own, other])?;
        return requantized(cx, product, scales, 6, 7);
    }
    let mut sides = Vec::new();
    for (whole, scale_of) in [(a, own), (b, other)] {
        let ratio = cx.of("div(reshape($0, []), reshape($1, []))", &[scale_of, scale])?;
        let whole = cx.cast(whole, Dtype::Float32)?;
        sides.push(cx.of("mul($0, $1)", &[whole, ratio])?);
    }
    let value = cx.of("round(add($0, $1))", &sides)?;
    placed(cx, value, 7)
}

/// One quantised tensor through a function of floats.
pub fn qlinear_function(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 5, &["alpha", "channels_last"])?;
    let x = by_scale(cx, 0)?;
    let value = match &cx.node.op_type[..] {
        "QLinearSigmoid" => cx.of("sigmoid($0)", &[x])?,
        "QLinearLeakyRelu" => {
            let slope = Arg::Float(cx.float("alpha", 0.01));
            cx.call("leaky_relu($0, $1)", &[Arg::Value(x), slope])?
        }
        _ => {
            if cx.flag("channels_last") {
                return Err(cx.refuse("with channels last"));
            }
            let dims: Vec<i64> = (2..cx.rank(x) as i64).collect();
            let dims = cx.int_list(&dims);
            cx.call("mean.dim($0, $1, true)", &[Arg::Value(x), dims])?
        }
    };
    quantized(cx, value, 3, 4)
}

/// What input `k` stands for; its scale and zero point are the inputs behind it.
pub fn by_scale(cx: &mut Cx<'_, '_>, k: usize) -> Result<Value> {
    let whole = centred(cx, k, k + 2, None)?;
    let scale = cx.value(k + 1)?;
    let whole = cx.cast(whole, Dtype::Float32)?;
    cx.of("mul($0, reshape($1, []))", &[whole, scale])
}

/// A float by the scale and the zero point of the result.
pub fn quantized(cx: &mut Cx<'_, '_>, value: Value, scale: usize, zero: usize) -> Results {
    let scale = cx.value(scale)?;
    // Divided in float32, as QuantizeLinear divides: another rounding would be another integer at ties.
    let value = cx.of("round(div($0, reshape($1, [])))", &[value, scale])?;
    placed(cx, value, zero)
}
