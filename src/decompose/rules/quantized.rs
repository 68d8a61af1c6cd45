//! Quantised tensors: numbers as integers by a scale and a zero point, of a tensor, a channel, a token or a group.
//!
//! Each rule rounds where PyTorch's own definition does, in the dtypes that its operands promote to there.

use crate::base::Status;
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::meta::rules::SCALED_BLOCK;
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

/// A scale or a zero point, spread over the tensor. One number of a tensor counts as PyTorch's number does: in float64.
fn parameter(cx: &mut Decompose<'_>, name: &str, x: Value) -> Built {
    let whole = cx.op.schema().arg("scale").is_some();
    match cx.optional_value(name) {
        Some(value) if whole => {
            let value = cx.cast(value, Dtype::Float64)?;
            cx.reshape(value, &[])
        }
        Some(value) if cx.op.schema().arg("axis").is_some() => {
            let rank = cx.rank(x);
            let axis = cx.dim(cx.known_int("axis")?, rank)?;
            let mut shape = vec![cx.constant(1); rank];
            shape[axis] = cx.shape(x)[axis];
            cx.reshape(value, &shape)
        }
        Some(value) if cx.op.schema().arg("group_size").is_some() => {
            let shape = [cx.shape(x)[0], cx.constant(1)];
            cx.reshape(value, &shape)
        }
        // Of tokens: they broadcast as they are.
        Some(value) => Ok(value),
        None => {
            let number = cx.float(name).unwrap_or(0.0);
            cx.scalar(number, Dtype::Float64)
        }
    }
}

/// The elements in groups, one to a row.
fn grouped(cx: &mut Decompose<'_>, x: Value) -> Built {
    if cx.op.schema().arg("group_size").is_none() {
        return Ok(x);
    }
    let (shape, scales) = (cx.shape(x), cx.value("scales")?);
    let count = cx.meta(scales).numel(cx.syms());
    let elements = cx.syms().floordiv(cx.syms().product(&shape), count);
    cx.reshape(x, &[count, elements])
}

fn clamped(cx: &mut Decompose<'_>, x: Value, shape: &[SymInt]) -> Built {
    let bound = |cx: &mut Decompose<'_>, name: &str| match cx.optional_value(name) {
        Some(value) => {
            let value = cx.cast(value, Dtype::Float32)?;
            cx.reshape(value, &[])
        }
        None => {
            let dtype = cx.dtype_of(x);
            let number = cx.known_int(name)? as f64;
            cx.scalar(number, dtype)
        }
    };
    let (low, high) = (bound(cx, "quant_min")?, bound(cx, "quant_max")?);
    let args = vec![Arg::Value(x), Arg::Value(low), Arg::Value(high)];
    let value = cx.call("aten.clamp.Tensor", args)?;
    let value = cx.reshape(value, shape)?;
    let dtype = cx.dtype("dtype").unwrap_or(Dtype::Int8);
    cx.cast(value, dtype)
}

/// `clamp(round(x / scale) + zero)`
pub fn quantize(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("input")?;
    let shape = cx.shape(x);
    let x = cx.cast(x, Dtype::Float32)?;
    let many = cx.op.schema().arg("scales").is_some();
    let (scale, zero) = if many { ("scales", "zero_points") } else { ("scale", "zero_point") };
    let scale = parameter(cx, scale, x)?;
    let inverse = cx.unary("reciprocal", scale)?;
    let scaled = cx.mul(x, inverse)?;
    let whole = cx.unary("round", scaled)?;
    let zero = parameter(cx, zero, x)?;
    let moved = cx.add(whole, zero)?;
    Ok(vec![clamped(cx, moved, &shape)?])
}

/// `clamp(round(x / scale + zero))`, of tokens and groups.
pub fn quantize_by_parts(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("input")?;
    let shape = cx.shape(x);
    let x = grouped(cx, x)?;
    let scale = parameter(cx, "scales", x)?;
    let inverse = cx.unary("reciprocal", scale)?;
    let scaled = cx.mul(x, inverse)?;
    let zero = parameter(cx, "zero_points", x)?;
    let moved = cx.add(scaled, zero)?;
    let whole = cx.unary("round", moved)?;
    Ok(vec![clamped(cx, whole, &shape)?])
}

/// `(x - zero) * scale` in the result's dtype.
pub fn dequantize(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("input")?;
    let out = cx.dtype("out_dtype").unwrap_or(Dtype::Float32);
    let x = cx.cast(x, out)?;
    let zero = parameter(cx, "zero_point", x)?;
    let moved = cx.sub(x, zero)?;
    let scale = parameter(cx, "scale", x)?;
    Ok(vec![cx.mul(moved, scale)?])
}

/// `(x - zero) * scale` in the dtypes that these promote to.
pub fn dequantize_by_parts(cx: &mut Decompose<'_>) -> Results {
    let schema = cx.op.schema();
    let given = cx.value("input")?;
    let name = if schema.arg("output_dtype").is_some() { "output_dtype" } else { "out_dtype" };
    let out = cx.dtype(name).unwrap_or(Dtype::Float32);
    let shape = cx.shape(given);
    let mut x = grouped(cx, given)?;
    if cx.optional_value("zero_points").is_some() {
        let zero = parameter(cx, "zero_points", x)?;
        x = cx.sub(x, zero)?;
    } else if schema.arg("group_size").is_some() {
        x = cx.cast(x, Dtype::Int32)?;
    }
    let scale = parameter(cx, "scales", x)?;
    let x = cx.mul(x, scale)?;
    let x = cx.reshape(x, &shape)?;
    Ok(vec![cx.cast(x, out)?])
}

fn clamp_min(cx: &mut Decompose<'_>, x: Value, least: f64) -> Built {
    cx.call("aten.clamp_min.default", vec![Arg::Value(x), Arg::Float(least)])
}

/// The least element or 0, and the greatest or 0.
fn extent(cx: &mut Decompose<'_>, x: Value, dim: Option<i64>) -> Result<(Value, Value), DecomposeError> {
    let dims = cx.ints_arg(dim.as_slice());
    let keep = Arg::Bool(dim.is_some());
    let least = cx.call("aten.amin.default", vec![Arg::Value(x), dims.clone(), keep.clone()])?;
    let most = cx.call("aten.amax.default", vec![Arg::Value(x), dims, keep])?;
    let least = cx.call("aten.clamp_max.default", vec![Arg::Value(least), Arg::Float(0.0)])?;
    Ok((least, clamp_min(cx, most, 0.0)?))
}

pub fn choose_parameters(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("input")?;
    let (low, high) = (cx.known_int("quant_min")?, cx.known_int("quant_max")?);
    // Of 64-bit numbers the difference may have one bit more.
    let levels = (i128::from(high) - i128::from(low)) as f64;
    let eps = cx.float("eps").ok_or_else(|| cx.error(Status::InvalidArgument, "`eps` must be given"))?;
    let (least, most) = extent(cx, x, None)?;
    let symmetric = cx.op.name().contains("symmetric");
    let (scale, zero) = if symmetric {
        let other = cx.unary("neg", least)?;
        let most = cx.call("aten.maximum.default", vec![Arg::Value(other), Arg::Value(most)])?;
        let scale = cx.div(most, levels / 2.0)?;
        let zero = if cx.dtype("dtype") == Some(Dtype::Uint8) { 128.0 } else { 0.0 };
        (scale, cx.scalar(zero, Dtype::Int64)?)
    } else {
        let extent = cx.sub(most, least)?;
        (cx.div(extent, levels)?, least)
    };
    // PyTorch keeps `eps` in a float32 tensor.
    let eps = cx.scalar(eps, Dtype::Float32)?;
    let scale = cx.cast(scale, Dtype::Float32)?;
    let scale = cx.call("aten.maximum.default", vec![Arg::Value(scale), Arg::Value(eps)])?;
    let zero = if symmetric {
        zero
    } else {
        let steps = cx.div(zero, scale)?;
        let steps = cx.unary("round", steps)?;
        let steps = cx.cast(steps, Dtype::Int32)?;
        let low_arg = cx.int_arg(low);
        let zero = cx.call("aten.rsub.Scalar", vec![Arg::Value(steps), low_arg.clone()])?;
        let high = cx.int_arg(high);
        cx.call("aten.clamp.default", vec![Arg::Value(zero), low_arg, high])?
    };
    let one = [cx.constant(1)];
    let (scale, zero) = (cx.reshape(scale, &one)?, cx.reshape(zero, &one)?);
    Ok(vec![cx.cast(scale, Dtype::Float64)?, cx.cast(zero, Dtype::Int64)?])
}

pub fn choose_by_token(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("input")?;
    if !cx.op.name().contains("asymmetric") {
        let size = cx.unary("abs", x)?;
        let dims = cx.ints_arg(&[-1]);
        let mut scale = cx.call("aten.amax.default", vec![Arg::Value(size), dims, Arg::Bool(true)])?;
        if cx.dtype_of(scale) == Dtype::Float16 {
            scale = cx.cast(scale, Dtype::Float32)?;
        }
        let scale = clamp_min(cx, scale, 1e-5)?;
        let scale = cx.div(scale, 127.0)?;
        return Ok(vec![scale, cx.call("aten.zeros_like.default", vec![Arg::Value(scale)])?]);
    }
    let (low, high) = (-128.0, 127.0);
    let (least, most) = extent(cx, x, Some(-1))?;
    let scale = cx.sub(most, least)?;
    let scale = cx.div(scale, high - low)?;
    let scale = clamp_min(cx, scale, f64::from(f32::EPSILON))?;
    let (below, above) = (cx.div(least, scale)?, cx.div(most, scale)?);
    let (from_low, from_high) = (cx.add(below, low)?, cx.add(above, high)?);
    let error = cx.add(from_low, from_high)?;
    let nearer = cx.compare("gt", error, 0.0)?;
    let by_low = cx.call("aten.rsub.Scalar", vec![Arg::Value(below), Arg::Float(low)])?;
    let by_high = cx.call("aten.rsub.Scalar", vec![Arg::Value(above), Arg::Float(high)])?;
    let zero = cx.select(nearer, by_low, by_high)?;
    let zero = cx.call("aten.clamp.default", vec![Arg::Value(zero), Arg::Float(low), Arg::Float(high)])?;
    let zero = cx.unary("round", zero)?;
    Ok(vec![cx.cast(scale, Dtype::Float64)?, cx.cast(zero, Dtype::Int64)?])
}

/// The conversions are the product's prologue.
pub fn int_mm(cx: &mut Decompose<'_>) -> Results {
    let (a, b) = (cx.value("self")?, cx.value("mat2")?);
    let (a, b) = (cx.cast(a, Dtype::Int32)?, cx.cast(b, Dtype::Int32)?);
    Ok(vec![cx.matmul(a, b)?])
}

/// The product is scaled in float32, and rounded once.
pub fn int8_weight_mm(cx: &mut Decompose<'_>) -> Results {
    let (x, weight, scales) = (cx.value("self")?, cx.value("mat2")?, cx.value("scales")?);
    let dtype = cx.dtype_of(x);
    let x = cx.cast(x, Dtype::Float32)?;
    let weight = cx.cast(weight, Dtype::Float32)?;
    let product = cx.call("aten.linear.default", vec![Arg::Value(x), Arg::Value(weight)])?;
    let scales = cx.cast(scales, Dtype::Float32)?;
    let scaled = cx.mul(product, scales)?;
    Ok(vec![cx.cast(scaled, dtype)?])
}

/// With one scale for all of an operand, or one for each row, column or block.
pub fn scaled_mm_v2(cx: &mut Decompose<'_>) -> Results {
    let (a, b) = (cx.value("self")?, cx.value("mat2")?);
    let mut args = vec![Arg::Value(a), Arg::Value(b)];
    for (name, recipe) in [("scale_a", "recipe_a"), ("scale_b", "recipe_b")] {
        for scale in cx.values(name) {
            let recipe = cx.known_ints(recipe)?.first().copied();
            args.push(Arg::Value(in_operands_order(cx, a, scale, name == "scale_a", recipe)?));
        }
    }
    args.push(cx.arg("bias").clone());
    let named = vec![("out_dtype", cx.arg("out_dtype").clone())];
    Ok(vec![cx.call_with("aten._scaled_mm.default", args, named)?])
}

/// The scales of blocks, in the order of the operand's dimensions and without padding.
fn in_operands_order(
    cx: &mut Decompose<'_>,
    a: Value,
    scale: Value,
    left: bool,
    recipe: Option<i64>,
) -> Result<Value, DecomposeError> {
    match (recipe, left) {
        (Some(4), false) => cx.transpose(scale, 0, 1),
        (Some(5), left) => {
            let inner = cx.syms().ceildiv(cx.shape(a)[1], cx.constant(SCALED_BLOCK));
            let args = vec![Arg::Value(scale), cx.int_arg(0), cx.int_arg(0), Arg::Int(inner)];
            let scale = cx.call("aten.narrow.default", args)?;
            if left { cx.transpose(scale, 0, 1) } else { Ok(scale) }
        }
        _ => Ok(scale),
    }
}

/// Expands the scales of blocks to a scale for each element.
fn spread(cx: &mut Decompose<'_>, scale: Value, sizes: &[SymInt]) -> Result<Value, DecomposeError> {
    let mut scale = scale;
    for (dim, size) in sizes.iter().enumerate() {
        if cx.syms().known_eq(cx.shape(scale)[dim], *size) {
            continue;
        }
        let dim = cx.int_arg(dim as i64);
        let args = vec![Arg::Value(scale), cx.int_arg(SCALED_BLOCK), dim.clone()];
        let repeated = cx.call("aten.repeat_interleave.self_int", args)?;
        let args = vec![Arg::Value(repeated), dim, cx.int_arg(0), Arg::Int(*size)];
        scale = cx.call("aten.narrow.default", args)?;
    }
    Ok(scale)
}

/// The product of the numbers that the bytes hold, in float32: each product of two is exact. Scales of rows and columns multiply the
/// result, those of blocks the operands.
pub fn scaled_mm(cx: &mut Decompose<'_>) -> Results {
    let (a, b) = (cx.value("self")?, cx.value("mat2")?);
    let out = cx.dtype("out_dtype").unwrap_or(cx.dtype_of(a));
    let mut operands = [cx.cast(a, Dtype::Float32)?, cx.cast(b, Dtype::Float32)?];
    let mut outer = Vec::new();
    for (k, name) in ["scale_a", "scale_b"].into_iter().enumerate() {
        let scale = cx.value(name)?;
        let one = cx.syms().as_const(cx.meta(scale).numel(cx.syms())) == Some(1);
        let of_lines = !one && cx.syms().as_const(cx.shape(scale)[1 - k]) == Some(1);
        if one {
            outer.push(cx.reshape(scale, &[])?);
        } else if of_lines && cx.syms().known_eq(cx.shape(scale)[k], cx.shape(operands[k])[k]) {
            outer.push(scale);
        } else {
            let sizes = cx.shape(operands[k]);
            let scale = spread(cx, scale, &sizes)?;
            operands[k] = cx.mul(operands[k], scale)?;
        }
    }
    let mut value = cx.matmul(operands[0], operands[1])?;
    for scale in outer {
        value = cx.mul(value, scale)?;
    }
    if let Some(bias) = cx.optional_value("bias") {
        let bias = cx.cast(bias, Dtype::Float32)?;
        value = cx.add(value, bias)?;
    }
    if let (Some(scale), true) = (cx.optional_value("scale_result"), out.is_float8()) {
        let scale = cx.reshape(scale, &[])?;
        value = cx.mul(value, scale)?;
    }
    Ok(vec![cx.cast(value, out)?])
}
