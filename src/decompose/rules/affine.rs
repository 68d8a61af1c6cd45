//! torchao's quantisation by blocks: a scale and a zero point for each block of a tensor.
//!
//! Each rule rounds where torchao's own definition does.

use crate::base::Status;
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::meta::rules::{Blocks, blocks, quantized_range};
use crate::types::Dtype;

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

fn blocks_of(cx: &Decompose<'_>, x: Value) -> Result<Blocks, DecomposeError> {
    let sizes = cx.ints("block_size").unwrap_or_default();
    blocks(cx.syms(), &cx.shape(x), sizes).map_err(|message| cx.error(Status::Shape, message))
}

/// The least and the greatest quantised number.
fn bounds(cx: &Decompose<'_>, dtype: &str) -> Result<(f64, f64), DecomposeError> {
    let dtype = cx.dtype(dtype).unwrap_or(Dtype::Int8);
    let (low, high) = quantized_range(dtype)
        .ok_or_else(|| cx.unsupported(format!("quantised numbers of dtype {dtype}")))?;
    Ok((cx.float("quant_min").unwrap_or(low as f64), cx.float("quant_max").unwrap_or(high as f64)))
}

fn clamp(cx: &mut Decompose<'_>, x: Value, low: f64, high: f64) -> Built {
    cx.call("aten.clamp.default", vec![Arg::Value(x), Arg::Float(low), Arg::Float(high)])
}

/// `clamp(round(x * (1 / scale)) + zero)`
pub fn quantize_by_blocks(cx: &mut Decompose<'_>) -> Results {
    let (x, scale, zero) = (cx.value("input")?, cx.value("scale")?, cx.value("zero_point")?);
    let (shape, blocks) = (cx.shape(x), blocks_of(cx, x)?);
    let (low, high) = bounds(cx, "output_dtype")?;
    let x = cx.reshape(x, &blocks.parts)?;
    let scale = cx.reshape(scale, &blocks.of_parameters)?;
    let zero = cx.reshape(zero, &blocks.of_parameters)?;
    let inverse = cx.unary("reciprocal", scale)?;
    let scaled = cx.mul(x, inverse)?;
    let whole = cx.unary("round", scaled)?;
    let moved = cx.add(whole, zero)?;
    let value = clamp(cx, moved, low, high)?;
    let value = cx.reshape(value, &shape)?;
    Ok(vec![cx.cast(value, cx.dtype("output_dtype").unwrap_or(Dtype::Int8))?])
}

/// `(x - zero) * scale`, the difference in the result's dtype.
pub fn dequantize_by_blocks(cx: &mut Decompose<'_>) -> Results {
    let (x, scale) = (cx.value("input")?, cx.value("scale")?);
    let (shape, blocks) = (cx.shape(x), blocks_of(cx, x)?);
    let dtype = cx.dtype("output_dtype").unwrap_or(Dtype::Float32);
    let x = cx.reshape(x, &blocks.parts)?;
    let mut value = cx.cast(x, dtype)?;
    if let Some(zero) = cx.optional_value("zero_point") {
        let zero = cx.reshape(zero, &blocks.of_parameters)?;
        let zero = cx.cast(zero, dtype)?;
        value = cx.sub(value, zero)?;
    }
    let scale = cx.reshape(scale, &blocks.of_parameters)?;
    let value = cx.mul(value, scale)?;
    let value = cx.reshape(value, &shape)?;
    Ok(vec![cx.cast(value, dtype)?])
}

/// A scale and a zero point for each block, by its least and greatest elements and 0.
pub fn choose_by_blocks(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("input")?;
    let (dtype, blocks) = (cx.dtype_of(x), blocks_of(cx, x)?);
    let (low, high) = bounds(cx, "target_dtype")?;
    let mapping = cx.string("mapping_type").unwrap_or_default();
    let x = cx.reshape(x, &blocks.parts)?;
    let dims: Vec<i64> = blocks.reduced.iter().map(|d| *d as i64).collect();
    let mut ends = Vec::new();
    for (name, limit) in
        [("aten.amin.default", "aten.clamp_max.default"), ("aten.amax.default", "aten.clamp_min.default")]
    {
        let end = cx.call(name, vec![Arg::Value(x), cx.ints_arg(&dims), Arg::Bool(true)])?;
        ends.push(cx.call(limit, vec![Arg::Value(end), Arg::Float(0.0)])?);
    }
    let (least, most) = (ends[0], ends[1]);
    let (scale, chosen) = match mapping {
        "SYMMETRIC" => {
            let other = cx.unary("neg", least)?;
            let most = cx.call("aten.maximum.default", vec![Arg::Value(other), Arg::Value(most)])?;
            (cx.div(most, (high - low) / 2.0)?, None)
        }
        "SYMMETRIC_NO_CLIPPING_ERR" => {
            let (below, above) = (cx.div(least, low)?, cx.div(most, high)?);
            let more = cx.compare("gt", below, above)?;
            (cx.select(more, below, above)?, None)
        }
        _ => {
            let extent = cx.sub(most, least)?;
            (cx.div(extent, high - low)?, Some(least))
        }
    };
    let smallest = match dtype {
        Dtype::Float16 => 2f64.powi(-14),
        _ => f64::from(f32::MIN_POSITIVE),
    };
    let eps = cx.float("eps").unwrap_or(smallest);
    let scale = cx.call("aten.clamp_min.default", vec![Arg::Value(scale), Arg::Float(eps)])?;
    let zero = match chosen {
        Some(least) => {
            let steps = cx.div(least, scale)?;
            let steps = cx.unary("round", steps)?;
            let zero = cx.call("aten.rsub.Scalar", vec![Arg::Value(steps), Arg::Float(low)])?;
            clamp(cx, zero, low, high)?
        }
        None => {
            let middle = ((high + low + 1.0) / 2.0).trunc();
            cx.call("aten.full_like.default", vec![Arg::Value(scale), Arg::Float(middle)])?
        }
    };
    let shape = if cx.bool("keepdim") { &blocks.counts } else { &blocks.kept };
    let (scale, zero) = (cx.reshape(scale, shape)?, cx.reshape(zero, shape)?);
    let otherwise = if chosen.is_some() { Dtype::Int32 } else { dtype };
    let scale = cx.cast(scale, cx.dtype("scale_dtype").unwrap_or(dtype))?;
    Ok(vec![scale, cx.cast(zero, cx.dtype("zero_point_dtype").unwrap_or(otherwise))?])
}
