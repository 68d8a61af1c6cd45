//! Operators of `com.microsoft`: what optimisers put together from ONNX's own.

use super::super::super::error::Result;
use super::super::call::{Cx, Results};
use super::super::entry::Entry;
use super::attention::{cache, heads, joined, rotated};
use super::normalization::{inverse_size, layered, scaled_by_size};
use crate::base::shortened;
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

/// Refuses an input or attribute that a rule does not read: tools add some from release to release. An integer of 0 is what
/// they write for something that is off; a rule names the attributes whose 0 is not their default.
pub fn takes(cx: &Cx<'_, '_>, inputs: usize, attributes: &[&str]) -> Result<()> {
    if let Some(k) = (inputs..cx.inputs.len()).find(|k| cx.has(*k)) {
        return Err(cx.refuse(format!("with an input {k}")));
    }
    const INT: i32 = 2;
    let off = |name: &str| cx.attribute(name).is_none_or(|a| a.kind == INT && a.i == 0);
    let given = cx.node.attributes.iter().map(|a| &a.name[..]);
    match given.filter(|name| !attributes.contains(name)).find(|name| !off(name)) {
        None => Ok(()),
        Some(name) => Err(cx.refuse(format!("with the attribute `{}`", shortened(name)))),
    }
}

pub fn simplified_layer_normalization(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 2, &["axis", "epsilon", "stash_type"])?;
    let (x, scale) = (cx.value(0)?, cx.value(1)?);
    let epsilon = cx.float("epsilon", 1e-5);
    let value = scaled_by_size(cx, x, Some(scale), epsilon)?;
    let mut results = vec![cx.entry(value)];
    if cx.gives(1) {
        let inverse = inverse_size(cx, x, epsilon)?;
        results.push(cx.entry(inverse));
    }
    Ok(results)
}

/// The norm of a sum, and as fourth result the sum.
pub fn skip_layer_normalization(cx: &mut Cx<'_, '_>) -> Results {
    let simplified = cx.node.op_type.starts_with("SkipSimplified");
    takes(cx, if simplified { 4 } else { 5 }, &["epsilon"])?;
    let (x, skip, gamma) = (cx.value(0)?, cx.value(1)?, cx.value(2)?);
    if cx.gives(1) || cx.gives(2) {
        return Err(cx.refuse("with mean and deviation as results"));
    }
    let (beta, bias) = match simplified {
        true => (None, cx.optional(3)?),
        false => (cx.optional(3)?, cx.optional(4)?),
    };
    let mut sum = cx.of("add($0, $1)", &[x, skip])?;
    if let Some(bias) = bias {
        sum = cx.of("add($0, $1)", &[sum, bias])?;
    }
    let value = match simplified {
        true => {
            let epsilon = cx.float("epsilon", 1e-5);
            scaled_by_size(cx, sum, Some(gamma), epsilon)?
        }
        false => normalized(cx, sum, gamma, beta)?,
    };
    Ok(vec![cx.entry(value), Entry::Nothing, Entry::Nothing, cx.entry(sum)])
}

/// The first result of another rule as a value.
pub fn first(cx: &mut Cx<'_, '_>, results: &[Entry]) -> Result<Value> {
    match results.first() {
        Some(Entry::Tensor(tensor)) => cx.reader.value(tensor),
        _ => Err(cx.wrong("a result that is no tensor")),
    }
}

pub fn normalized(cx: &mut Cx<'_, '_>, x: Value, gamma: Value, beta: Option<Value>) -> Result<Value> {
    let epsilon = cx.float("epsilon", 1e-12);
    let results = layered(cx, x, Some(gamma), beta, epsilon)?;
    first(cx, &results)
}

/// Words, positions and segments looked up, added and normed; the second result counts the words of each item.
pub fn embed_layer_normalization(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 9, &["epsilon"])?;
    let ids = cx.value(0)?;
    let ids = cx.cast(ids, Dtype::Int64)?;
    let (words, positions) = (cx.value(2)?, cx.value(3)?);
    let (gamma, beta) = (cx.value(5)?, cx.value(6)?);
    let shape = cx.shape(ids);
    let [batch, length] = shape[..] else { return Err(cx.wrong("its words are not of rank 2")) };
    let mut sum = cx.of("embedding($0, $1)", &[words, ids])?;
    let places = match cx.optional(8)? {
        Some(places) => cx.cast(places, Dtype::Int64)?,
        None => cx.call("unsqueeze(arange($0), 0)", &[Arg::Int(length)])?,
    };
    sum = cx.of("add($0, embedding($1, $2))", &[sum, positions, places])?;
    if let (Some(segments), Some(table)) = (cx.optional(1)?, cx.optional(4)?) {
        let segments = cx.cast(segments, Dtype::Int64)?;
        sum = cx.of("add($0, embedding($1, $2))", &[sum, table, segments])?;
    }
    let value = normalized(cx, sum, gamma, Some(beta))?;
    let counts = counts(cx, 7, batch)?;
    Ok(vec![cx.entry(value), cx.entry(counts), cx.entry(sum)])
}

/// How many words the mask, input `k`, lets through in each item of the batch; none without a mask.
pub fn counts(cx: &mut Cx<'_, '_>, k: usize, batch: SymInt) -> Result<Value> {
    match cx.optional(k)? {
        Some(mask) => {
            let mask = cx.cast(mask, Dtype::Int32)?;
            cx.call("sum.dim_IntList($0, [1], dtype=$1)", &[Arg::Value(mask), Arg::Dtype(Dtype::Int32)])
        }
        None => {
            let args = [Arg::Ints(vec![batch]), Arg::Dtype(Dtype::Int32)];
            cx.call("zeros($0, dtype=$1)", &args)
        }
    }
}

/// `alpha * a @ b`, either of them transposed first.
pub fn fused_matmul(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 2, &["alpha", "transA", "transB"])?;
    let (mut a, mut b) = (cx.value(0)?, cx.value(1)?);
    if cx.flag("transA") {
        a = cx.of("transpose.int($0, -1, -2)", &[a])?;
    }
    if cx.flag("transB") {
        b = cx.of("transpose.int($0, -1, -2)", &[b])?;
    }
    let mut value = cx.of("matmul($0, $1)", &[a, b])?;
    let alpha = cx.float("alpha", 1.0);
    if alpha != 1.0 {
        value = cx.call("mul($0, $1)", &[Arg::Value(value), Arg::Float(alpha)])?;
    }
    cx.one(value)
}

/// Unlike ONNX's, positions come before the tables, and a single number is the position of the first element.
pub fn rotary(cx: &mut Cx<'_, '_>) -> Results {
    let (x, places, cos, sin) = (cx.value(0)?, cx.value(1)?, cx.value(2)?, cx.value(3)?);
    takes(cx, 4, &["interleaved", "num_heads", "rotary_embedding_dim", "scale"])?;
    if cx.float("scale", 1.0) != 1.0 {
        return Err(cx.refuse("scaled"));
    }
    let rank = cx.rank(x);
    let length = if rank == 3 { cx.size(x, 1)? } else { cx.size(x, 2)? };
    let mut places = cx.cast(places, Dtype::Int64)?;
    if cx.rank(places) == 1 {
        places = cx.call("unsqueeze(add(arange($1), $0), 0)", &[Arg::Value(places), Arg::Int(length)])?;
    }
    let count = match (cx.attr_or("num_heads", 0), rank) {
        (0, 3) => {
            // Heads as wide as the tables turn.
            let (all, half) = (cx.size(x, 2)?, cx.size(cos, 1)?);
            let width = cx.syms.mul_const(half, 2);
            cx.syms
                .as_const(cx.syms.floordiv(all, width))
                .ok_or_else(|| cx.refuse("a number of heads that is not known"))?
        }
        (count, _) => count,
    };
    let value = rotated(cx, x, cos, sin, Some(places), count)?;
    cx.one(value)
}

/// Queries, keys and values as heads, and what scores are changed by.
pub struct Heads {
    pub q: Value,
    pub k: Value,
    pub v: Value,
    /// True where a key may be seen.
    pub allowed: Option<Value>,
    pub added: Option<Value>,
    pub causal: bool,
    pub scale: Option<f64>,
}

pub fn attended(cx: &mut Cx<'_, '_>, given: Heads) -> Result<Value> {
    let Heads { q, k, v, allowed, added, causal, scale } = given;
    let dtype = cx.dtype(q);
    let (length, count) = (cx.size(q, 2)?, cx.size(k, 2)?);
    let mut allowed = allowed;
    if causal {
        // The last query sees all keys.
        let args = [Arg::Int(count), Arg::Int(length), Arg::Int(cx.syms.sub(count, length))];
        let near = cx.call("le(arange($0), unsqueeze(add(arange($1), $2), 1))", &args)?;
        allowed = Some(match allowed {
            None => near,
            Some(other) => cx.of("logical_and($0, $1)", &[other, near])?,
        });
    }
    let mask = match (added, allowed) {
        (None, None) => Arg::None,
        (Some(added), None) => Arg::Value(added),
        (None, Some(allowed)) => Arg::Value(allowed),
        (Some(added), Some(allowed)) => {
            let args = [Arg::Value(added), Arg::Value(allowed), Arg::Float(least(dtype))];
            Arg::Value(cx.call("masked_fill.Scalar($0, logical_not($1), $2)", &args)?)
        }
    };
    let scale = scale.map_or(Arg::None, Arg::Float);
    let args = [Arg::Value(q), Arg::Value(k), Arg::Value(v), mask, scale];
    cx.call("scaled_dot_product_attention($0, $1, $2, $3, 0.0, false, scale=$4)", &args)
}

/// The number that stands for minus infinity in scores, so that a row without any key stays finite.
pub fn least(dtype: Dtype) -> f64 {
    -dtype.largest_float()
}

/// A mask of bools from one of numbers: of keys `[batch, keys]`, lengths `[batch]`, or `[batch, queries, keys]`.
fn key_mask(cx: &mut Cx<'_, '_>, mask: Value, keys: SymInt, batch: SymInt) -> Result<Value> {
    let shape = cx.shape(mask);
    match shape.len() {
        1 if !cx.syms.known_eq(shape[0], batch) => Err(cx.refuse("a mask of starts and ends")),
        1 => {
            let args = [Arg::Int(keys), Arg::Value(mask)];
            cx.call("lt(arange($0), reshape($1, [-1, 1, 1, 1]))", &args)
        }
        2 => cx.of("unsqueeze(unsqueeze(ne($0, 0), 1), 1)", &[mask]),
        3 => cx.of("unsqueeze(ne($0, 0), 1)", &[mask]),
        4 => cx.of("ne($0, 0)", &[mask]),
        rank => Err(cx.refuse(format!("a mask of rank {rank}"))),
    }
}

/// What is added to scores: `mask_filter_value` where a mask leaves a key out, so that a query that may see none sees all alike.
fn filtered(
    cx: &mut Cx<'_, '_>,
    mask: Value,
    [keys, batch]: [SymInt; 2],
    dtype: Dtype,
    added: Option<Value>,
) -> Result<Value> {
    let allowed = key_mask(cx, mask, keys, batch)?;
    let filter = cx.float("mask_filter_value", -10000.0);
    let args = [Arg::Value(allowed), Arg::Dtype(dtype), Arg::Float(filter)];
    let own = cx.call("mul(_to_copy(logical_not($0), dtype=$1), $2)", &args)?;
    match added {
        Some(added) => cx.of("add($0, $1)", &[added, own]),
        None => Ok(own),
    }
}

pub fn scale(cx: &Cx<'_, '_>) -> Option<f64> {
    cx.attribute("scale").map(|a| a.f as f64).filter(|s| *s != 0.0)
}

/// One product gives queries, keys and values.
pub fn attention(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 6, &["num_heads", "unidirectional", "qkv_hidden_sizes", "mask_filter_value", "scale"])?;
    let (x, weight) = (cx.value(0)?, cx.value(1)?);
    let bias = cx.optional(2)?;
    let mut all = cx.of("matmul($0, $1)", &[x, weight])?;
    if let Some(bias) = bias {
        all = cx.of("add($0, $1)", &[all, bias])?;
    }
    let (mask, past, added) = (cx.optional(3)?, cx.optional(4)?, cx.optional(5)?);
    attended_from(cx, all, mask, past, added)
}

/// Attention of what one product gave; heads, causality and scale are attributes. The second result is keys and values.
pub fn attended_from(
    cx: &mut Cx<'_, '_>,
    all: Value,
    mask: Option<Value>,
    past: Option<Value>,
    added: Option<Value>,
) -> Results {
    let count = cx.attr_or("num_heads", 0);
    let width = cx.size(all, 2)?;
    let sizes = match cx.list("qkv_hidden_sizes") {
        Some(list) if list.len() == 3 => list.iter().map(|n| cx.syms.constant(*n)).collect(),
        _ => vec![cx.syms.floordiv(width, cx.syms.constant(3)); 3],
    };
    let parts = cx.calls("split_with_sizes($0, $1, 2)", &[Arg::Value(all), Arg::Ints(sizes)])?;
    let (q, mut k, mut v) =
        (heads(cx, parts[0], count)?, heads(cx, parts[1], count)?, heads(cx, parts[2], count)?);
    if let Some(past) = past {
        k = cx.of("cat([select.int($0, 0, 0), $1], 2)", &[past, k])?;
        v = cx.of("cat([select.int($0, 0, 1), $1], 2)", &[past, v])?;
    }
    let (keys, batch) = (cx.size(k, 2)?, cx.size(q, 0)?);
    let added = match mask {
        Some(mask) => Some(filtered(cx, mask, [keys, batch], cx.dtype(q), added)?),
        None => added,
    };
    let given = Heads { q, k, v, allowed: None, added, causal: cx.flag("unidirectional"), scale: scale(cx) };
    let y = attended(cx, given)?;
    let y = joined(cx, y)?;
    let mut results = vec![cx.entry(y)];
    // Values of another width than keys have no such result.
    if cx.gives(1) {
        let present = cx.of("stack([$0, $1], 0)", &[k, v])?;
        results.push(cx.entry(present));
    }
    Ok(results)
}

pub fn multi_head_attention(cx: &mut Cx<'_, '_>) -> Results {
    takes(cx, 8, &["num_heads", "unidirectional", "mask_filter_value", "scale"])?;
    let count = cx.attr_or("num_heads", 0);
    let query = cx.value(0)?;
    let (Some(key), Some(value)) = (cx.optional(1)?, cx.optional(2)?) else {
        return Err(cx.refuse("with queries, keys and values packed in one tensor"));
    };
    if cx.rank(query) != 3 || cx.rank(key) != 3 && cx.rank(key) != 4 {
        return Err(cx.refuse("with queries, keys and values packed in one tensor"));
    }
    let mut sides = [query, key, value];
    if let Some(bias) = cx.optional(3)? {
        // One list for all three.
        let mut start = cx.syms.constant(0);
        for side in &mut sides {
            if cx.rank(*side) != 3 {
                return Err(cx.refuse("a bias beside keys and values that are heads already"));
            }
            let width = cx.size(*side, 2)?;
            let args = [Arg::Value(*side), Arg::Value(bias), Arg::Int(start), Arg::Int(width)];
            *side = cx.call("add($0, narrow($1, 0, $2, $3))", &args)?;
            start = cx.syms.add(start, width);
        }
    }
    let mut list = Vec::new();
    for side in sides {
        list.push(if cx.rank(side) == 3 { heads(cx, side, count)? } else { side });
    }
    let (q, mut k, mut v) = (list[0], list[1], list[2]);
    if let Some((keys, values)) = cache(cx, 6)? {
        k = cx.of("cat([$0, $1], 2)", &[keys, k])?;
        v = cx.of("cat([$0, $1], 2)", &[values, v])?;
    }
    let (keys, batch) = (cx.size(k, 2)?, cx.size(q, 0)?);
    let mut added = cx.optional(5)?;
    if let Some(mask) = cx.optional(4)? {
        added = Some(filtered(cx, mask, [keys, batch], cx.dtype(q), added)?);
    }
    let given = Heads { q, k, v, allowed: None, added, causal: cx.flag("unidirectional"), scale: scale(cx) };
    let y = attended(cx, given)?;
    let y = joined(cx, y)?;
    Ok(vec![cx.entry(y), cx.entry(k), cx.entry(v)])
}
