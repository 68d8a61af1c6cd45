//! `GroupQueryAttention` of `com.microsoft`: heads of keys and values that several heads of queries share, with a cache of them.
//!
//! Deliberately absent: caches that are quantised or hold a window alone, norms of queries and keys, scores as a result.

use super::super::super::error::Result;
use super::super::call::{Cx, Results};
use super::attention::{cache, heads, joined, rotated};
use super::microsoft::{Heads, attended, least, scale, takes};
use crate::ir::{Arg, Value};
use crate::meta::default_attention_scale;
use crate::types::{Dtype, SymInt};

/// `past`: the keys of each item before this call, `[batch]`. `last`: the index of its last key after it.
struct Lengths {
    past: Value,
    last: Value,
}

pub fn attention(cx: &mut Cx<'_, '_>) -> Results {
    const KNOWN: &[&str] = &[
        "num_heads",
        "kv_num_heads",
        "scale",
        "local_window_size",
        "softcap",
        "do_rotary",
        "rotary_interleaved",
        "causal",
        "smooth_softmax",
    ];
    // A window of -1, and types of a cache that is not quantised, are what tools write for something that is off.
    let off = |name: &str| cx.attribute(name).is_none_or(|a| a.s.is_empty() || &a.s[..] == b"NONE");
    let mut known = KNOWN.to_vec();
    known.extend(["k_quant_type", "v_quant_type"].into_iter().filter(|name| off(name)));
    takes(cx, 12, &known)?;
    let (own, shared) = (cx.attr_or("num_heads", 0), cx.attr_or("kv_num_heads", 0));
    if own < 1 || shared < 1 || own % shared != 0 {
        return Err(cx.wrong(format!("{own} heads of queries share {shared} of keys")));
    }
    let (mut q, mut k, v) = sides(cx, own, shared)?;
    let length = cx.size(q, 2)?;
    let last = cx.value(5)?;
    let last =
        cx.call("reshape(_to_copy($0, dtype=$1), [-1])", &[Arg::Value(last), Arg::Dtype(Dtype::Int64)])?;
    // A prompt's shorter items are filled up at their ends.
    let args = [Arg::Value(last), Arg::Int(cx.syms.sub(cx.syms.constant(1), length))];
    let past = cx.call("clamp_min(add($0, $1), 0)", &args)?;
    let lengths = Lengths { past, last };
    if cx.flag("do_rotary") {
        let (cos, sin) = (cx.value(7)?, cx.value(8)?);
        let places = match cx.optional(9)? {
            Some(places) => places,
            None => {
                cx.call("add(unsqueeze($0, 1), arange($1))", &[Arg::Value(lengths.past), Arg::Int(length)])?
            }
        };
        q = rotated(cx, q, cos, sin, Some(places), own)?;
        k = rotated(cx, k, cos, sin, Some(places), shared)?;
    }
    let (k, v) = match cache(cx, 3)? {
        Some((keys, values)) => {
            let old = cx.size(keys, 2)?;
            let total = cx.sizes(6)?.unwrap_or_default();
            let &[total] = &total[..] else { return Err(cx.wrong("its total length is not one number")) };
            let count = cx.syms.max(old, total);
            (kept(cx, keys, k, &lengths, count)?, kept(cx, values, v, &lengths, count)?)
        }
        None => (k, v),
    };
    let allowed = seen(cx, k, length, &lengths)?;
    let times = own / shared;
    let spread = |cx: &mut Cx<'_, '_>, x: Value| {
        cx.call("repeat_interleave.self_int($0, $1, 1)", &[Arg::Value(x), cx.int(times)])
    };
    let (keys, values) = (spread(cx, k)?, spread(cx, v)?);
    let added = cx.optional(10)?;
    let given =
        Heads { q, k: keys, v: values, allowed: Some(allowed), added, causal: false, scale: scale(cx) };
    let sink = match (cx.optional(11)?, cx.attr_or("smooth_softmax", 0) > 0) {
        (Some(sinks), _) => Some(sinks),
        (None, true) => Some(cx.call("zeros([1])", &[])?),
        (None, false) => None,
    };
    let y = match (cx.float("softcap", 0.0), sink) {
        (0.0, None) => attended(cx, given)?,
        (cap, sink) => limited(cx, given, cap, sink)?,
    };
    let y = joined(cx, y)?;
    Ok(vec![cx.entry(y), cx.entry(k), cx.entry(v)])
}

/// Queries, keys and values as heads; all three may be one tensor.
fn sides(cx: &mut Cx<'_, '_>, own: i64, shared: i64) -> Result<(Value, Value, Value)> {
    let query = cx.value(0)?;
    let (query, key, value) = match (cx.optional(1)?, cx.optional(2)?) {
        (Some(key), Some(value)) => (query, key, value),
        (None, None) if cx.rank(query) == 3 => {
            let all = shared.checked_mul(2).and_then(|n| n.checked_add(own));
            let all = all.ok_or_else(|| cx.wrong("its heads are too many"))?;
            let size = cx.syms.floordiv(cx.size(query, 2)?, cx.syms.constant(all));
            let sizes = [own, shared, shared].map(|n| cx.syms.mul_const(size, n)).to_vec();
            let parts = cx.calls("split_with_sizes($0, $1, 2)", &[Arg::Value(query), Arg::Ints(sizes)])?;
            (parts[0], parts[1], parts[2])
        }
        _ => return Err(cx.wrong("it has keys without values, or queries that are not of rank 3")),
    };
    Ok((heads(cx, query, own)?, heads(cx, key, shared)?, heads(cx, value, shared)?))
}

/// The cache of `count` places with the new rows behind each item's own old ones.
fn kept(cx: &mut Cx<'_, '_>, old: Value, new: Value, lengths: &Lengths, count: SymInt) -> Result<Value> {
    let (before, more) = (cx.size(old, 2)?, cx.size(new, 2)?);
    let end = cx.syms.add_const(cx.syms.add(before, more), -1);
    let args = [Arg::Value(lengths.past), Arg::Int(count), Arg::Int(more), Arg::Int(before), Arg::Int(end)];
    // The index of the new row for each place of the cache; outside of `0..more` where an old row stays.
    let place = cx.call("sub(unsqueeze(arange($1), 0), unsqueeze($0, 1))", &args)?;
    let args = [&args[..], &[Arg::Value(place)]].concat();
    let is_new = cx.call("logical_and(ge($5, 0), lt($5, $2))", &args)?;
    let args = [&args[..], &[Arg::Value(is_new)]].concat();
    let row = cx.call("clamp(where.self($6, add($5, $3), unsqueeze(arange($1), 0)), 0, $4)", &args)?;
    let all = cx.of("cat([$0, $1], 2)", &[old, new])?;
    let shape = cx.shape(all);
    let sizes = vec![shape[0], shape[1], count, shape[3]];
    let args = [Arg::Value(all), Arg::Value(row), Arg::Ints(sizes)];
    cx.call("gather($0, 2, expand(unsqueeze(unsqueeze($1, 1), -1), $2))", &args)
}

/// Attention whose scores stay within `cap`, where it is not 0, before `added` is. `sink` is a score of each head, or of all, that
/// takes a share of the softmax and has no value.
fn limited(cx: &mut Cx<'_, '_>, given: Heads, cap: f64, sink: Option<Value>) -> Result<Value> {
    let Heads { q, k, v, allowed, added, scale, .. } = given;
    let dtype = cx.dtype(q);
    let wide = if dtype.is_reduced_float() { Dtype::Float32 } else { dtype };
    let size = cx.syms.as_const(cx.size(q, 3)?);
    let scale = match (scale, size) {
        (Some(scale), _) => scale,
        (None, Some(size)) if size > 0 => default_attention_scale(size),
        _ => return Err(cx.refuse("heads whose size is not known, without a scale")),
    };
    let (q, k, v) = (cx.cast(q, wide)?, cx.cast(k, wide)?, cx.cast(v, wide)?);
    let args = [Arg::Value(q), Arg::Value(k), Arg::Float(scale)];
    let mut scores = cx.call("mul(matmul($0, transpose.int($1, -1, -2)), $2)", &args)?;
    if cap != 0.0 {
        scores = cx.call("mul(tanh(div($0, $1)), $1)", &[Arg::Value(scores), Arg::Float(cap)])?;
    }
    if let Some(added) = added {
        let added = cx.cast(added, wide)?;
        scores = cx.of("add($0, $1)", &[scores, added])?;
    }
    if let Some(allowed) = allowed {
        let args = [Arg::Value(scores), Arg::Value(allowed), Arg::Float(least(wide))];
        scores = cx.call("masked_fill.Scalar($0, logical_not($1), $2)", &args)?;
    }
    let weights = match sink {
        None => cx.of("softmax.int($0, -1)", &[scores])?,
        Some(sink) => {
            let sink = cx.cast(sink, wide)?;
            let sink = cx.of("reshape($0, [1, -1, 1, 1])", &[sink])?;
            let top = cx.of("maximum(amax($0, [-1], true), $1)", &[scores, sink])?;
            let shares = cx.of("exp(sub($0, $1))", &[scores, top])?;
            let args = [shares, sink, top];
            cx.of("div($0, add(sum.dim_IntList($0, [-1], true), exp(sub($1, $2))))", &args)?
        }
    };
    let y = cx.of("matmul($0, $1)", &[weights, v])?;
    cx.cast(y, dtype)
}

/// True where a query may see a key, `[batch, 1, queries, keys]`: keys that count and, where it is causal, none behind its own place
/// and no further back than the window.
fn seen(cx: &mut Cx<'_, '_>, k: Value, length: SymInt, lengths: &Lengths) -> Result<Value> {
    let keys = cx.size(k, 2)?;
    let window = cx.attr_or("local_window_size", -1);
    let counted =
        cx.call("le(arange($1), reshape($0, [-1, 1, 1]))", &[Arg::Value(lengths.last), Arg::Int(keys)])?;
    if cx.attr_or("causal", 1) == 0 {
        if window > 0 {
            return Err(cx.wrong("it has a window and is not causal"));
        }
        return cx.of("unsqueeze($0, 1)", &[counted]);
    }
    let args = [Arg::Value(lengths.past), Arg::Int(length)];
    let own = cx.call("unsqueeze(add(unsqueeze($0, 1), arange($1)), -1)", &args)?;
    let args = [Arg::Value(counted), Arg::Int(keys), Arg::Value(own)];
    let mut allowed = cx.call("logical_and(le(arange($1), $2), $0)", &args)?;
    if window > 0 {
        let args = [Arg::Value(allowed), Arg::Int(keys), Arg::Value(own), cx.int(-window)];
        allowed = cx.call("logical_and($0, gt(arange($1), add($2, $3)))", &args)?;
    }
    cx.of("unsqueeze($0, 1)", &[allowed])
}
