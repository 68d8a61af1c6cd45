//! Attention: its gradient is one operator where it can be, and otherwise products of matrices.

use super::super::Outcome;
use super::super::context::Derivative;
use crate::decompose::{AttentionGradient, AttentionGradients, attention_scale, flash_attention_backward};
use crate::ir::{Arg, Value};
use crate::ops::OpId;

/// `softmax(scale query key^T + mask) value`. The logarithm of the sum, which one form gives, is not differentiated, as in PyTorch.
pub fn attention(d: &mut Derivative<'_>) -> Outcome {
    if d.float("dropout_p").is_none_or(|p| p != 0.0) {
        return Err(d.unsupported("the derivative of attention with dropout"));
    }
    let Some(grad) = d.cotangent(0) else { return Ok(()) };
    let scale = attention_scale(d)?;
    if !d.needs("attn_mask") && is_fused(d)? {
        return fused(d, grad);
    }
    let (query, key) = (d.value("query")?, d.value("key")?);
    let grouped = match d.op.schema().arg("enable_gqa") {
        Some(_) => d.bool("enable_gqa"),
        None => !shares_no_heads(d, query, key),
    };
    let attention = AttentionGradient {
        query,
        key,
        value: d.value("value")?,
        mask: d.optional_value("attn_mask"),
        causal: d.bool("is_causal"),
        scale,
        grouped,
        out: d.results[0],
        grad,
    };
    let wanted = AttentionGradients {
        query: d.needs("query"),
        key: d.needs("key"),
        value: d.needs("value"),
        mask: d.needs("attn_mask"),
    };
    let found = attention.build(d, wanted)?;
    let named =
        [("query", found.query), ("key", found.key), ("value", found.value), ("attn_mask", found.mask)];
    named.into_iter().try_for_each(|(name, own)| own.map_or(Ok(()), |own| d.give(name, own)))
}

/// Whether the fused form computes the same: four dimensions, heads of keys that may be fewer, and heads and values of one size.
fn is_fused(d: &Derivative<'_>) -> Outcome<bool> {
    if d.op == OpId::FlashAttentionForCpu {
        return Ok(true);
    }
    let [query, key, value] = [d.value("query")?, d.value("key")?, d.value("value")?].map(|v| d.meta(v));
    if [&query, &key, &value].iter().any(|m| m.rank() != 4) {
        return Ok(false);
    }
    let syms = d.syms();
    let same = |a, b| syms.decide(syms.eq(a, b)) == Some(true);
    let [q, k, v] = [&query.shape, &key.shape, &value.shape];
    let alike = same(q[0], k[0]) && same(k[0], v[0]) && same(k[1], v[1]) && same(k[3], v[3]);
    let heads = d.bool("enable_gqa") || same(q[1], k[1]) || syms.as_const(k[1]) == Some(1);
    Ok(alike && heads)
}

fn shares_no_heads(d: &Derivative<'_>, query: Value, key: Value) -> bool {
    let same = d.syms().eq(d.shape(query)[1], d.shape(key)[1]);
    d.syms().decide(same) == Some(true)
}

/// By the operator that gives all three gradients, from the logarithms of the queries' sums. These are results of the fused form, which
/// is built here where the attention is not one; compiling makes one node of both.
fn fused(d: &mut Derivative<'_>, grad: Value) -> Outcome {
    let [query, key, value] = [d.value("query")?, d.value("key")?, d.value("value")?];
    let rest = [d.arg("attn_mask").clone(), d.arg("scale").clone()];
    let named = || ["attn_mask", "scale"].into_iter().zip(rest.clone()).collect();
    let (none, causal) = (Arg::Float(0.0), d.arg("is_causal").clone());
    let sums = match d.results.get(1) {
        Some(sums) => *sums,
        None => {
            let mut args = [query, key, value].map(Arg::Value).to_vec();
            args.extend([none.clone(), causal.clone()]);
            d.call_all("aten._scaled_dot_product_flash_attention_for_cpu.default", args, named())?[1]
        }
    };
    let mut args = [grad, query, key, value, d.results[0], sums].map(Arg::Value).to_vec();
    args.extend([none, causal]);
    let name = "aten._scaled_dot_product_flash_attention_for_cpu_backward.default";
    let found = d.call_all(name, args, named())?;
    ["query", "key", "value"].into_iter().zip(found).try_for_each(|(name, own)| d.give(name, own))
}

/// The derivative of the gradients, by their products of matrices.
pub fn flash_attention_gradient(d: &mut Derivative<'_>) -> Outcome {
    let parts = flash_attention_backward(d)?;
    d.through(parts);
    Ok(())
}
