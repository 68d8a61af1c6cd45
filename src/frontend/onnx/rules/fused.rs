//! Operators of `com.microsoft` that are one of ONNX's own with something behind it, and quantised ones that are computed on what
//! their numbers stand for.

use super::super::super::error::Result;
use super::super::call::{Cx, Results};
use super::convolution::convolved;
use super::matrix::gemm;
use super::microsoft::{attended_from, counts, first, normalized, takes};
use super::pooling::averaged;
use super::quantized::{by_scale, centred, quantized, quantized_dynamically, requantized};
use crate::ir::{Arg, Value};
use crate::types::Dtype;

/// A function of each element, by the name that fusions know it by.
fn activated(cx: &mut Cx<'_, '_>, x: Value, name: &str, numbers: &[f64]) -> Result<Value> {
    let number = |k: usize, default: f64| Arg::Float(numbers.get(k).copied().unwrap_or(default));
    match name {
        "" => Ok(x),
        "Relu" => cx.of("relu($0)", &[x]),
        "Tanh" => cx.of("tanh($0)", &[x]),
        "Sigmoid" => cx.of("sigmoid($0)", &[x]),
        "LeakyRelu" => cx.call("leaky_relu($0, $1)", &[Arg::Value(x), number(0, 0.01)]),
        "Clip" => {
            let args = [Arg::Value(x), number(0, f64::NEG_INFINITY), number(1, f64::INFINITY)];
            cx.call("clamp($0, $1, $2)", &args)
        }
        "HardSigmoid" => {
            let args = [Arg::Value(x), number(0, 0.2), number(1, 0.5)];
            cx.call("clamp(add(mul($0, $1), $2), 0.0, 1.0)", &args)
        }
        other => Err(cx.refuse(format!("with the activation `{other}`"))),
    }
}

/// A convolution, something added, and an activation.
pub fn convolution(cx: &mut Cx<'_, '_>) -> Results {
    const WINDOWS: &[&str] = &["auto_pad", "kernel_shape", "strides", "dilations", "pads", "group"];
    takes(cx, 4, &[WINDOWS, &["activation", "activation_params"]].concat())?;
    let (x, weight) = (cx.value(0)?, cx.value(1)?);
    let bias = cx.optional(2)?;
    let mut value = convolved(cx, x, weight, bias)?;
    if let Some(more) = cx.optional(3)? {
        value = cx.of("add($0, $1)", &[value, more])?;
    }
    let numbers =
        cx.attribute("activation_params").map_or(vec![], |a| a.floats.iter().map(|v| *v as f64).collect());
    let name = cx.string("activation", "")?;
    let value = activated(cx, value, &name, &numbers)?;
    cx.one(value)
}

pub fn product(cx: &mut Cx<'_, '_>) -> Results {
    let own = ["alpha", "beta", "transA", "transB", "activation", "activation_alpha", "activation_beta"];
    takes(cx, 3, &own)?;
    let results = gemm(cx)?;
    let value = first(cx, &results)?;
    let numbers = ["activation_alpha", "activation_beta"].map(|name| cx.attribute(name).map(|a| a.f as f64));
    let numbers: Vec<f64> = numbers.into_iter().flatten().collect();
    let name = cx.string("activation", "")?;
    let value = activated(cx, value, &name, &numbers)?;
    cx.one(value)
}

pub fn expand_dims(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 2, &["axis"])?;
    let x = cx.value(0)?;
    let axes = cx.ints(1, "axis")?.unwrap_or_default();
    let [axis] = axes[..] else { return Err(cx.wrong("its axis is not one number")) };
    let value = cx.call("unsqueeze($0, $1)", &[Arg::Value(x), cx.int(axis)])?;
    cx.one(value)
}

/// What a quantised product stands for: its whole numbers by both scales, and a bias.
fn meant(cx: &mut Cx<'_, '_>, sum: Value, scales: [Value; 2], bias: Option<Value>) -> Result<Value> {
    let sum = cx.cast(sum, Dtype::Float32)?;
    let scale = cx.of("mul($0, $1)", &scales)?;
    let value = cx.of("mul($0, $1)", &[sum, scale])?;
    match bias {
        Some(bias) => cx.of("add($0, $1)", &[value, bias]),
        None => Ok(value),
    }
}

/// A scale of rows stands beside them.
fn of_rows(cx: &mut Cx<'_, '_>, scale: Value) -> Result<Value> {
    match cx.syms.as_const(cx.meta(scale).numel(&cx.syms)) {
        Some(1) => cx.reshape(scale, &[]),
        _ if cx.rank(scale) == 1 => cx.of("unsqueeze($0, 1)", &[scale]),
        _ => Ok(scale),
    }
}

pub fn integers_to_floats(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 7, &[])?;
    let (a, b) = (centred(cx, 0, 4, Some(-2))?, centred(cx, 1, 5, Some(-1))?);
    let (own, other) = (cx.value(2)?, cx.value(3)?);
    let own = of_rows(cx, own)?;
    let sum = cx.of("matmul($0, $1)", &[a, b])?;
    let bias = cx.optional(6)?;
    let value = meant(cx, sum, [own, other], bias)?;
    cx.one(value)
}

pub fn dynamic_product(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 5, &[])?;
    let x = cx.value(0)?;
    let [a, scale, zero] = quantized_dynamically(cx, x)?;
    let (a, zero) = (cx.cast(a, Dtype::Int32)?, cx.cast(zero, Dtype::Int32)?);
    let a = cx.of("sub($0, $1)", &[a, zero])?;
    let b = centred(cx, 1, 3, Some(-1))?;
    let sum = cx.of("matmul($0, $1)", &[a, b])?;
    let other = cx.value(2)?;
    let bias = cx.optional(4)?;
    let value = meant(cx, sum, [scale, other], bias)?;
    cx.one(value)
}

/// `alpha * a @ b + c` of quantised tensors; `c` has the scale of the product.
pub fn quantized_product(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 9, &["alpha", "transA", "transB"])?;
    let turned = |cx: &mut Cx<'_, '_>, x: Value, name: &str| match cx.flag(name) {
        true => cx.of("t($0)", &[x]),
        false => Ok(x),
    };
    let a = centred(cx, 0, 2, None)?;
    // Columns of the product, which are rows of the weight where it is transposed.
    let b = centred(cx, 3, 5, Some(if cx.flag("transB") { 0 } else { 1 }))?;
    let (a, b) = (turned(cx, a, "transA")?, turned(cx, b, "transB")?);
    let mut sum = cx.of("mm($0, $1)", &[a, b])?;
    if let Some(c) = cx.optional(6)? {
        sum = cx.of("add($0, $1)", &[sum, c])?;
    }
    let (own, other) = (cx.value(1)?, cx.value(4)?);
    let own = cx.call("mul($0, $1)", &[Arg::Value(own), Arg::Float(cx.float("alpha", 1.0))])?;
    if cx.has(7) {
        let scales = cx.of("mul($0, $1)", &[own, other])?;
        return requantized(cx, sum, scales, 7, 8);
    }
    let value = meant(cx, sum, [own, other], None)?;
    cx.one(value)
}

/// `x @ w.T` where `w` is packed: blocks along its rows, each with a scale and a zero point.
pub fn blocks(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 6, &["K", "N", "bits", "block_size", "accuracy_level"])?;
    let (columns, rows, block) = (cx.attr_or("K", 0), cx.attr_or("N", 0), cx.attr_or("block_size", 0));
    let bits = cx.attr_or("bits", 4);
    if ![2, 4, 8].contains(&bits) {
        return Err(cx.refuse(format!("of {bits} bits")));
    }
    if columns < 1 || rows < 1 || block < 1 {
        return Err(cx.wrong(format!("blocks of {block} in {rows} rows of {columns}")));
    }
    if cx.has(4) {
        return Err(cx.refuse("with an order of its columns"));
    }
    let (x, packed, scales) = (cx.value(0)?, cx.raw(1)?, cx.value(2)?);
    let (dtype, count) = (cx.dtype(x), columns.div_euclid(block) + i64::from(columns % block != 0));
    let whole = unpacked(cx, packed, bits)?;
    let args = [Arg::Value(whole), cx.int_list(&[rows, count, block])];
    let whole = cx.call("reshape($0, $1)", &args)?;
    let zero = match cx.has(3) {
        false => {
            cx.call("full([], $0, dtype=$1)", &[Arg::Float((1 << (bits - 1)) as f64), Arg::Dtype(dtype)])?
        }
        true => {
            let zero = cx.raw(3)?;
            let zero = match cx.dtype(zero).is_float() {
                true => cx.call("reshape($0, $1)", &[Arg::Value(zero), cx.int_list(&[rows, count, 1])])?,
                false => {
                    let flat = unpacked(cx, zero, bits)?;
                    // Each row of them ends with a whole byte.
                    let args = [Arg::Value(flat), cx.int_list(&[rows, -1]), cx.int(count)];
                    cx.call("unsqueeze(slice.Tensor(reshape($0, $1), 1, 0, $2), -1)", &args)?
                }
            };
            cx.cast(zero, dtype)?
        }
    };
    let whole = cx.cast(whole, dtype)?;
    let padded = count.checked_mul(block).ok_or_else(|| cx.wrong("its blocks are too many"))?;
    let scales = cx.call("reshape($0, $1)", &[Arg::Value(scales), cx.int_list(&[rows, count, 1])])?;
    let weight = cx.of("mul(sub($0, $1), $2)", &[whole, zero, scales])?;
    let args = [Arg::Value(weight), cx.int_list(&[rows, padded]), cx.int(columns)];
    let weight = cx.call("slice.Tensor(reshape($0, $1), 1, 0, $2)", &args)?;
    let bias = cx.optional_arg(5)?;
    let value = cx.call("linear($0, $1, $2)", &[Arg::Value(x), Arg::Value(weight), bias])?;
    cx.one(value)
}

/// The numbers of bytes that hold several each, the lowest bits first, flat.
fn unpacked(cx: &mut Cx<'_, '_>, bytes: Value, bits: i64) -> Result<Value> {
    let flat = cx.of("reshape($0, [-1, 1])", &[bytes])?;
    if bits == 8 {
        return Ok(flat);
    }
    let shifts: Vec<i64> = (0..8 / bits).map(|k| k * bits).collect();
    let shifted: Result<Vec<_>> = shifts
        .into_iter()
        .map(|shift| {
            let args = [Arg::Value(flat), cx.int(shift), cx.int((1 << bits) - 1)];
            cx.call("bitwise_and.Scalar(__rshift__.Scalar($0, $1), $2)", &args).map(Some)
        })
        .collect();
    cx.call("reshape(cat($0, 1), [-1])", &[Arg::Values(shifted?)])
}

/// Quantised tensors side by side; each has a scale and a zero point of its own.
pub fn quantized_concat(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, cx.inputs.len(), &["axis"])?;
    let axis = cx.attr("axis").ok_or_else(|| cx.wrong("the attribute `axis` is missing"))?;
    let mut parts = Vec::new();
    for k in (2..cx.inputs.len()).step_by(3) {
        parts.push(Some(by_scale(cx, k)?));
    }
    let value = cx.call("cat($0, $1)", &[Arg::Values(parts), cx.int(axis)])?;
    quantized(cx, value, 0, 1)
}

pub fn quantized_where(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 9, &[])?;
    let condition = cx.value(0)?;
    let (yes, no) = (by_scale(cx, 1)?, by_scale(cx, 4)?);
    let value = cx.of("where.self($0, $1, $2)", &[condition, yes, no])?;
    quantized(cx, value, 7, 8)
}

pub fn quantized_softmax(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 5, &["axis", "opset"])?;
    let x = by_scale(cx, 0)?;
    let (rank, shape) = (cx.rank(x), cx.shape(x));
    let flat = cx.attr_or("opset", 13) < 13;
    let axis = cx.dim(cx.attr_or("axis", if flat { 1 } else { -1 }), rank)?;
    let value = match flat {
        false => cx.call("softmax.int($0, $1)", &[Arg::Value(x), cx.int(axis as i64)])?,
        true => {
            let sizes = vec![cx.syms.product(&shape[..axis]), cx.syms.product(&shape[axis..])];
            let args = [Arg::Value(x), Arg::Ints(sizes), Arg::Ints(shape)];
            cx.call("reshape(softmax.int(reshape($0, $1), 1), $2)", &args)?
        }
    };
    quantized(cx, value, 3, 4)
}

pub fn quantized_mean(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 5, &["axes", "keepdims"])?;
    let x = by_scale(cx, 0)?;
    let axes = cx.list("axes").unwrap_or_default();
    let args = [Arg::Value(x), cx.int_list(&axes), Arg::Bool(cx.attr_or("keepdims", 1) != 0)];
    let value = cx.call("mean.dim($0, $1, $2)", &args)?;
    quantized(cx, value, 3, 4)
}

pub fn quantized_average(cx: &mut Cx<'_, '_>) -> Results {
    takes(
        cx,
        5,
        &[
            "auto_pad",
            "ceil_mode",
            "channels_last",
            "count_include_pad",
            "dilations",
            "kernel_shape",
            "pads",
            "strides",
        ],
    )?;
    if cx.flag("channels_last") {
        return Err(cx.refuse("with channels last"));
    }
    let x = by_scale(cx, 0)?;
    let value = averaged(cx, x)?;
    quantized(cx, value, 3, 4)
}

/// Attention whose one product is quantised.
pub fn quantized_attention(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 9, &["num_heads", "unidirectional", "mask_filter_value", "scale"])?;
    let (x, weight) = (centred(cx, 0, 6, None)?, centred(cx, 1, 7, Some(-1))?);
    let sum = cx.of("matmul($0, $1)", &[x, weight])?;
    let (own, other, bias) = (cx.value(3)?, cx.value(4)?, cx.value(2)?);
    let all = meant(cx, sum, [own, other], Some(bias))?;
    let (mask, past) = (cx.optional(5)?, cx.optional(8)?);
    attended_from(cx, all, mask, past, None)
}

/// `EmbedLayerNormalization` of quantised tables.
pub fn quantized_embedding(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 18, &["epsilon"])?;
    // Where a table or list, its scale and its zero point stand.
    let part = |cx: &mut Cx<'_, '_>, k: usize, scale: usize, ids: Option<Value>| {
        let mut value = cx.value(k)?;
        if let Some(ids) = ids {
            value = cx.of("embedding($0, $1)", &[value, ids])?;
        }
        let (value, zero) = (cx.cast(value, Dtype::Float32)?, cx.value(scale + 5)?);
        let (zero, scale) = (cx.cast(zero, Dtype::Float32)?, cx.value(scale)?);
        cx.of("mul(sub($0, reshape($1, [])), reshape($2, []))", &[value, zero, scale])
    };
    let ids = cx.value(0)?;
    let ids = cx.cast(ids, Dtype::Int64)?;
    let [_, length] = cx.shape(ids)[..] else { return Err(cx.wrong("its words are not of rank 2")) };
    let places = cx.call("unsqueeze(arange($0), 0)", &[Arg::Int(length)])?;
    let (words, positions) = (part(cx, 2, 8, Some(ids))?, part(cx, 3, 9, Some(places))?);
    let mut sum = cx.of("add($0, $1)", &[words, positions])?;
    if let (Some(segments), true) = (cx.optional(1)?, cx.has(4)) {
        let segments = cx.cast(segments, Dtype::Int64)?;
        let more = part(cx, 4, 10, Some(segments))?;
        sum = cx.of("add($0, $1)", &[sum, more])?;
    }
    let (gamma, beta) = (part(cx, 5, 11, None)?, part(cx, 6, 12, None)?);
    let value = normalized(cx, sum, gamma, Some(beta))?;
    let batch = cx.size(value, 0)?;
    let counts = counts(cx, 7, batch)?;
    Ok(vec![cx.entry(value), cx.entry(counts)])
}
