//! Decomposes the operators that PyTorch's `MultiheadAttention` and `TransformerEncoderLayer` call in inference.
//!
//! A mask excludes the scores where it is true, or not 0. If it excludes a whole row, the row is NaN, as in PyTorch.
//!
//! Deliberately absent: nested tensors, and queries, keys and values of different shapes, which these operators refuse as well.

use crate::base::Status;
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

/// Attention with its projections: the result, and the weights where they are asked for.
pub fn native_multi_head_attention(cx: &mut Decompose<'_>) -> Results {
    let operands = [cx.value("query")?, cx.value("key")?, cx.value("value")?];
    let heads = cx.known_int("num_head")?;
    let (out, weights) = attention(cx, operands, heads)?;
    let weights = match (cx.bool("need_weights"), cx.bool("average_attn_weights")) {
        (false, _) => {
            let (none, dtype) = (cx.constant(0), cx.dtype_of(weights));
            cx.call_with(
                "aten.zeros.default",
                vec![Arg::Ints(vec![none])],
                vec![("dtype", Arg::Dtype(dtype))],
            )?
        }
        (true, true) => cx.mean(weights, &[1], false)?,
        (true, false) => weights,
    };
    Ok(vec![out, weights])
}

/// One layer of an encoder: attention, then two linear layers. A norm stands before each of the two parts, or behind its residual sum.
pub fn transformer_encoder_layer(cx: &mut Decompose<'_>) -> Results {
    let (source, before) = (cx.value("src")?, cx.bool("norm_first"));
    let heads = cx.known_int("num_heads")?;
    let x = if before { norm(cx, source, "1")? } else { source };
    let (attended, _) = attention(cx, [x; 3], heads)?;
    let mut x = cx.add(attended, source)?;
    if !before {
        x = norm(cx, x, "1")?;
    }
    let beside = x;
    if before {
        x = norm(cx, x, "2")?;
    }
    let hidden = linear(cx, x, "ffn_weight_1", "ffn_bias_1")?;
    let hidden = cx.unary(if cx.bool("use_gelu") { "gelu" } else { "relu" }, hidden)?;
    let x = linear(cx, hidden, "ffn_weight_2", "ffn_bias_2")?;
    let mut x = cx.add(x, beside)?;
    if !before {
        x = norm(cx, x, "2")?;
    }
    Ok(vec![x])
}

fn linear(cx: &mut Decompose<'_>, x: Value, weight: &str, bias: &str) -> Built {
    let args = [x, cx.value(weight)?, cx.value(bias)?].map(Arg::Value).to_vec();
    cx.call("aten.linear.default", args)
}

fn norm(cx: &mut Decompose<'_>, x: Value, which: &str) -> Built {
    let [weight, bias] =
        [cx.value(&format!("norm_weight_{which}"))?, cx.value(&format!("norm_bias_{which}"))?];
    let last = cx.shape(x).last().copied().into_iter().collect();
    let eps = cx.float("eps").unwrap_or(1e-5);
    let args = vec![Arg::Value(x), Arg::Ints(last), Arg::Value(weight), Arg::Value(bias), Arg::Float(eps)];
    cx.call("aten.layer_norm.default", args)
}

/// The projected result, `[batch, length, width]`, and the weights, `[batch, heads, length, length]`.
fn attention(
    cx: &mut Decompose<'_>,
    operands: [Value; 3],
    heads: i64,
) -> Result<(Value, Value), DecomposeError> {
    let shape = cx.shape(operands[0]);
    let [batch, length, width] = shape[..] else {
        return Err(cx.error(Status::Shape, "the operands of this attention have three dimensions"));
    };
    let each = cx.known_int("embed_dim")? / heads;
    let (heads, size) = (cx.constant(heads), cx.constant(each));
    let [q, k, v] = projected(cx, operands, width)?;
    let mut split = |x: Value| {
        let x = cx.reshape(x, &[batch, length, heads, size])?;
        cx.transpose(x, 1, 2)
    };
    let [q, k, v] = [split(q)?, split(k)?, split(v)?];
    let q = cx.mul(q, 1.0 / (each as f64).sqrt())?;
    let k = cx.transpose(k, 2, 3)?;
    let mut scores = cx.matmul(q, k)?;
    if let Some(mask) = mask(cx, batch, length)? {
        let dtype = cx.dtype_of(scores);
        let nothing = cx.scalar(f64::NEG_INFINITY, dtype)?;
        scores = cx.select(mask, nothing, scores)?;
    }
    let last = cx.int_arg(3);
    let weights = cx.call("aten.softmax.int", vec![Arg::Value(scores), last])?;
    let out = cx.matmul(weights, v)?;
    let out = cx.transpose(out, 1, 2)?;
    let out = cx.reshape(out, &[batch, length, width])?;
    Ok((linear(cx, out, "proj_weight", "proj_bias")?, weights))
}

/// Projects the operands by the three parts of one weight, in one product if the operands are one tensor.
fn projected(
    cx: &mut Decompose<'_>,
    operands: [Value; 3],
    width: SymInt,
) -> Result<[Value; 3], DecomposeError> {
    let part = |cx: &mut Decompose<'_>, x: Value, dim: i64, k: i64| {
        let (dim, from) = (cx.int_arg(dim), cx.syms().mul_const(width, k));
        cx.call("aten.narrow.default", vec![Arg::Value(x), dim, Arg::Int(from), Arg::Int(width)])
    };
    if operands.iter().all(|x| *x == operands[0]) {
        let all = linear(cx, operands[0], "qkv_weight", "qkv_bias")?;
        return Ok([part(cx, all, 2, 0)?, part(cx, all, 2, 1)?, part(cx, all, 2, 2)?]);
    }
    let (weight, bias) = (cx.value("qkv_weight")?, cx.value("qkv_bias")?);
    let mut of = |k: usize| {
        let (weight, bias) = (part(cx, weight, 0, k as i64)?, part(cx, bias, 0, k as i64)?);
        cx.call("aten.linear.default", [operands[k], weight, bias].map(Arg::Value).to_vec())
    };
    Ok([of(0)?, of(1)?, of(2)?])
}

/// The mask as a bool that broadcasts with the scores. A mask of kind 0 has an element for each pair of places, of kind 1 for each key of
/// a batch, and of kind 2 for each score.
fn mask(cx: &mut Decompose<'_>, batch: SymInt, length: SymInt) -> Result<Option<Value>, DecomposeError> {
    let Some(mask) = cx.optional_value("mask") else { return Ok(None) };
    let mask = cx.cast(mask, Dtype::Bool)?;
    let (one, kind) = (cx.constant(1), cx.known_int("mask_type")?);
    match kind {
        0 => Ok(Some(cx.reshape(mask, &[one, one, length, length])?)),
        1 => Ok(Some(cx.reshape(mask, &[batch, one, one, length])?)),
        2 => Ok(Some(mask)),
        _ => Err(cx.unsupported("`mask_type` must be 0, 1 or 2")),
    }
}
