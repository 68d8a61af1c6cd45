//! The gradient of attention as products of matrices, for targets without a kernel for it, and to be differentiated again.

use super::Results;
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::meta::default_attention_scale;
use crate::types::{Dtype, SymInt};

type Built = Result<Value, DecomposeError>;

/// An attention whose gradients are asked for. Heads of keys that several of the queries' share are told by their number.
pub struct AttentionGradient {
    pub query: Value,
    pub key: Value,
    pub value: Value,
    pub mask: Option<Value>,
    pub causal: bool,
    pub scale: f64,
    pub grouped: bool,
    /// The attention's result, and its cotangent.
    pub out: Value,
    pub grad: Value,
}

/// Which gradients are wanted, or those.
#[derive(Clone, Copy, Default)]
pub struct AttentionGradients<T> {
    pub query: T,
    pub key: T,
    pub value: T,
    pub mask: T,
}

impl AttentionGradient {
    /// The gradients that are wanted; of what was broadcast they are not summed up. The weights are computed again from queries
    /// and keys. Scores, weights and their cotangents are float32 where the operands are halves, and are rounded as operands of the
    /// products behind: the cotangent of a score is a difference of numbers that almost cancel in a query's first keys.
    pub fn build(
        &self,
        d: &mut Decompose<'_>,
        wanted: AttentionGradients<bool>,
    ) -> Result<AttentionGradients<Option<Value>>, DecomposeError> {
        let AttentionGradient { query, key, value, grad, grouped, .. } = *self;
        let (keys, values) =
            if grouped { (shared(d, query, key)?, shared(d, query, value)?) } else { (key, value) };
        let dtype = d.dtype_of(query);
        let [wide_values, wide_grad] = [d.compute(values)?, d.compute(grad)?];
        let scores = self.scores(d, keys)?;
        let last = d.int_arg(-1);
        let weights = d.call("aten._safe_softmax.default", vec![Arg::Value(scores), last])?;
        let weights = d.cast(weights, dtype)?;
        let mut found = AttentionGradients::default();
        if wanted.value {
            let other = turned(d, weights)?;
            let own = d.matmul(other, grad)?;
            found.value = Some(if grouped { summed_heads(d, own, value)? } else { own });
        }
        if !(wanted.query || wanted.key || wanted.mask) {
            return Ok(found);
        }
        // Before the product, which then takes all that follows as its epilogue.
        let out = d.compute(self.out)?;
        let seen = d.mul(wide_grad, out)?;
        let mean = d.sum(seen, &[-1], true)?;
        let other = turned(d, wide_values)?;
        let by_weight = d.matmul(wide_grad, other)?;
        let away = d.sub(by_weight, mean)?;
        let weights = d.compute(weights)?;
        let by_score = d.mul(weights, away)?;
        found.mask = wanted.mask.then_some(by_score);
        let by_score = d.mul(by_score, self.scale)?;
        let by_score = d.cast(by_score, dtype)?;
        if wanted.query {
            found.query = Some(d.matmul(by_score, keys)?);
        }
        if wanted.key {
            let other = turned(d, by_score)?;
            let own = d.matmul(other, query)?;
            found.key = Some(if grouped { summed_heads(d, own, key)? } else { own });
        }
        Ok(found)
    }

    /// What the softmax is taken of, in float32 for halves.
    fn scores(&self, d: &mut Decompose<'_>, keys: Value) -> Built {
        let [wide_query, wide_keys] = [d.compute(self.query)?, d.compute(keys)?];
        let across = turned(d, wide_keys)?;
        let scores = d.matmul(wide_query, across)?;
        let mut scores = d.mul(scores, self.scale)?;
        if self.causal {
            let shape = d.shape(scores);
            let named = vec![("dtype", Arg::Dtype(Dtype::Bool))];
            let square =
                d.call_with("aten.ones.default", vec![Arg::Ints(shape[shape.len() - 2..].to_vec())], named)?;
            let seen = d.call("aten.tril.default", vec![Arg::Value(square)])?;
            scores = masked(d, scores, seen)?;
        }
        match self.mask {
            Some(mask) if d.dtype_of(mask) == Dtype::Bool => masked(d, scores, mask),
            Some(mask) => d.add(scores, mask),
            None => Ok(scores),
        }
    }
}

/// The scale that an attention's node states, or the usual one.
pub fn attention_scale(d: &Decompose<'_>) -> Result<f64, DecomposeError> {
    if let Some(scale) = d.float("scale") {
        return Ok(scale);
    }
    let width = d.shape(d.value("query")?).last().and_then(|width| d.syms().as_const(*width));
    let width = width.ok_or_else(|| d.unsupported("a head width known only at run time"))?;
    Ok(default_attention_scale(width))
}

/// The logarithm of the sum, which is given, is not looked at: weights that are computed again depend on queries and keys, so that
/// this can be differentiated.
pub fn flash_attention_backward(cx: &mut Decompose<'_>) -> Results {
    if cx.float("dropout_p").is_none_or(|p| p != 0.0) {
        return Err(cx.unsupported("dropout in this operator"));
    }
    let (query, key) = (cx.value("query")?, cx.value("key")?);
    let same = cx.syms().eq(cx.shape(query)[1], cx.shape(key)[1]);
    let attention = AttentionGradient {
        query,
        key,
        value: cx.value("value")?,
        mask: cx.optional_value("attn_mask"),
        causal: cx.bool("is_causal"),
        scale: attention_scale(cx)?,
        grouped: cx.syms().decide(same) != Some(true),
        out: cx.value("out")?,
        grad: cx.value("grad_out")?,
    };
    let wanted = AttentionGradients { query: true, key: true, value: true, mask: false };
    let found = attention.build(cx, wanted)?;
    Ok([found.query, found.key, found.value].into_iter().flatten().collect())
}

pub fn without_dropout(cx: &Decompose<'_>) -> Result<(), DecomposeError> {
    match cx.float("dropout_p") {
        Some(0.0) => Ok(()),
        _ => Err(cx.unsupported("dropout in this operator, whose random numbers are a GPU's")),
    }
}

/// The gradient of PyTorch's memory-efficient attention. The bias's needs the scores, which no kernel gives.
pub fn efficient_attention_backward(cx: &mut Decompose<'_>) -> Results {
    without_dropout(cx)?;
    let Arg::Bools(wanted) = cx.arg("grad_input_mask").clone() else {
        return Err(cx.unsupported("a `grad_input_mask` that is not four bools"));
    };
    let (query, key, value) = (cx.value("query")?, cx.value("key")?, cx.value("value")?);
    let (out, grad, bias) = (cx.value("out")?, cx.value("grad_out_")?, cx.optional_value("attn_bias"));
    let gradient_of_bias = wanted[3] && bias.is_some();
    let found: [Option<Value>; 4] = if !gradient_of_bias && cx.shape(key)[3] == cx.shape(value)[3] {
        let (zero, end) = (cx.constant(0), cx.shape(query)[2]);
        let sums = vec![Arg::Value(cx.value("logsumexp")?), cx.int_arg(2), Arg::Int(zero), Arg::Int(end)];
        let sums = cx.call("aten.slice.Tensor", sums)?;
        let args = [grad, query, key, value, out, sums].map(Arg::Value).into_iter();
        let args = args.chain([Arg::Float(0.0), Arg::Bool(cx.bool("is_causal"))]).collect();
        let named = vec![("attn_mask", cx.arg("attn_bias").clone()), ("scale", cx.arg("scale").clone())];
        let name = "aten._scaled_dot_product_flash_attention_for_cpu_backward.default";
        let results = cx.call_all(name, args, named)?;
        [Some(results[0]), Some(results[1]), Some(results[2]), None]
    } else {
        let (causal, scale) = (cx.bool("is_causal"), attention_scale(cx)?);
        let attention =
            AttentionGradient { query, key, value, mask: bias, causal, scale, grouped: false, out, grad };
        let all =
            AttentionGradients { query: wanted[0], key: wanted[1], value: wanted[2], mask: gradient_of_bias };
        let found = attention.build(cx, all)?;
        [found.query, found.key, found.value, found.mask]
    };
    let dtype = cx.dtype_of(query);
    let mut results = Vec::with_capacity(4);
    for (found, wanted) in found.into_iter().zip(wanted) {
        results.push(match found.filter(|_| wanted) {
            Some(found) => cx.cast(found, dtype)?,
            None => {
                let named = vec![("dtype", Arg::Dtype(dtype))];
                cx.call_with("aten.zeros.default", vec![cx.ints_arg(&[0])], named)?
            }
        });
    }
    Ok(results)
}

/// The last two dimensions swapped.
fn turned(d: &mut Decompose<'_>, value: Value) -> Built {
    d.transpose(value, -2, -1)
}

fn masked(d: &mut Decompose<'_>, scores: Value, seen: Value) -> Built {
    let dtype = d.dtype_of(scores);
    let nothing = d.scalar(f64::NEG_INFINITY, dtype)?;
    d.select(seen, scores, nothing)
}

/// Heads that several queries share, once for each of these.
fn shared(d: &mut Decompose<'_>, query: Value, heads: Value) -> Built {
    let (all, own) = (d.shape(query), d.shape(heads));
    let times: SymInt = d.syms().floordiv(all[all.len() - 3], own[own.len() - 3]);
    let dim = d.int_arg(-3);
    d.call("aten.repeat_interleave.self_int", vec![Arg::Value(heads), Arg::Int(times), dim])
}

fn summed_heads(d: &mut Decompose<'_>, grad: Value, heads: Value) -> Built {
    let (mut shape, own) = (d.shape(grad), d.shape(heads));
    let at = shape.len() - 3;
    let each = d.syms().floordiv(shape[at], own[own.len() - 3]);
    shape[at] = own[own.len() - 3];
    shape.insert(at + 1, each);
    let parts = d.reshape(grad, &shape)?;
    d.sum(parts, &[at as i64 + 1], false)
}
