//! Attention as ONNX and exporters write it, and what goes with it: rotary embeddings, linear attention, states.

use super::super::super::error::Result;
use super::super::call::{Cx, Results};
use super::super::data::dtype;
use super::super::entry::Entry;
use crate::ir::{Arg, Value};
use crate::meta::default_attention_scale;
use crate::types::{Dtype, SymInt};

/// `[batch, length, heads * size]` as `[batch, heads, length, size]`.
pub fn heads(cx: &mut Cx<'_, '_>, x: Value, count: i64) -> Result<Value> {
    let shape = cx.shape(x);
    let [batch, length, width] = shape[..] else {
        return Err(cx.wrong(format!("a tensor of rank {} where one of 3 is asked", shape.len())));
    };
    if count < 1 {
        return Err(cx.wrong("its number of heads is missing"));
    }
    let size = cx.syms.floordiv(width, cx.syms.constant(count));
    let x = cx.reshape(x, &[batch, length, cx.syms.constant(count), size])?;
    cx.permute(x, &[0, 2, 1, 3])
}

/// The cached keys and values, inputs `k` and the one after it: both or none.
pub fn cache(cx: &mut Cx<'_, '_>, k: usize) -> Result<Option<(Value, Value)>> {
    match (cx.optional(k)?, cx.optional(k + 1)?) {
        (None, None) => Ok(None),
        (Some(keys), Some(values)) => Ok(Some((keys, values))),
        _ => Err(cx.wrong("it has a cache of keys or of values alone")),
    }
}

/// The reverse of [`heads`].
pub fn joined(cx: &mut Cx<'_, '_>, x: Value) -> Result<Value> {
    let x = cx.permute(x, &[0, 2, 1, 3])?;
    let shape = cx.shape(x);
    let width = cx.syms.mul(shape[2], shape[3]);
    cx.reshape(x, &[shape[0], shape[1], width])
}

/// Heads of keys and values as often as queries share them.
fn shared(cx: &mut Cx<'_, '_>, x: Value, query: Value) -> Result<Value> {
    let (own, asked) = (cx.size(x, 1)?, cx.size(query, 1)?);
    if cx.syms.known_eq(own, asked) {
        return Ok(x);
    }
    let times = cx.syms.floordiv(asked, own);
    cx.call("repeat_interleave.self_int($0, $1, 1)", &[Arg::Value(x), Arg::Int(times)])
}

/// Whether key `j` comes no later (or no earlier) than query `i` by more than a distance, as bools; `offset` keys precede the
/// queries: a number, or one of each batch.
fn reach(
    cx: &mut Cx<'_, '_>,
    q: SymInt,
    k: SymInt,
    offset: &Offset,
    text: &str,
    distance: i64,
) -> Result<Value> {
    let rows = match offset {
        Offset::Number(n) => cx.call("add(unsqueeze(arange($0), 1), $1)", &[Arg::Int(q), Arg::Int(*n)])?,
        Offset::Each(n) => {
            let args = [Arg::Int(q), Arg::Value(*n)];
            cx.call("add(unsqueeze(arange($0), 1), reshape($1, [-1, 1, 1, 1]))", &args)?
        }
    };
    let args = [Arg::Int(k), Arg::Value(rows), cx.int(distance)];
    cx.call(text, &args)
}

enum Offset {
    Number(SymInt),
    Each(Value),
}

/// Masks of bools, combined to one, and a mask that is added to scores.
struct Masks {
    allowed: Option<Value>,
    added: Option<Value>,
}

impl Masks {
    fn allow(&mut self, cx: &mut Cx<'_, '_>, more: Value) -> Result<()> {
        self.allowed = Some(match self.allowed {
            None => more,
            Some(before) => cx.of("logical_and($0, $1)", &[before, more])?,
        });
        Ok(())
    }
}

/// The operator of ONNX's own domain, opset 23 on.
pub fn attention(cx: &mut Cx<'_, '_>) -> Results {
    let (mut q, mut k, mut v) = (cx.value(0)?, cx.value(1)?, cx.value(2)?);
    let flat = cx.rank(q) == 3;
    if flat {
        let (own, others) = (cx.attr_or("q_num_heads", 0), cx.attr_or("kv_num_heads", 0));
        (q, k, v) = (heads(cx, q, own)?, heads(cx, k, others)?, heads(cx, v, others)?);
    }
    let mut past = cx.syms.constant(0);
    if let Some((keys, values)) = cache(cx, 4)? {
        past = cx.size(keys, 2)?;
        k = cx.of("cat([$0, $1], 2)", &[keys, k])?;
        v = cx.of("cat([$0, $1], 2)", &[values, v])?;
    }
    let (present_keys, present_values) = (k, v);
    let (length, count) = (cx.size(q, 2)?, cx.size(k, 2)?);
    let filled = cx.optional(6)?;
    let offset = match filled {
        Some(filled) if !cx.has(4) => {
            Offset::Each(cx.call("sub($0, $1)", &[Arg::Value(filled), Arg::Int(length)])?)
        }
        _ => Offset::Number(past),
    };
    let dtype = cx.dtype(q);
    let mut masks = Masks { allowed: None, added: None };
    if let Some(mut mask) = cx.optional(3)? {
        let is_bool = cx.dtype(mask) == Dtype::Bool;
        // Keys that the mask does not reach are left out.
        let width = *cx.shape(mask).last().ok_or_else(|| cx.wrong("its mask is a scalar"))?;
        if !cx.syms.known_eq(width, count) {
            let outside = if is_bool { Arg::Bool(false) } else { Arg::Float(f64::NEG_INFINITY) };
            let pads = Arg::Ints(vec![cx.syms.constant(0), cx.syms.sub(count, width)]);
            mask = cx.call("constant_pad_nd($0, $1, $2)", &[Arg::Value(mask), pads, outside])?;
        }
        if is_bool { masks.allowed = Some(mask) } else { masks.added = Some(mask) }
    }
    if cx.flag("is_causal") {
        let near = reach(cx, length, count, &offset, "le(arange($0), $1)", 0)?;
        masks.allow(cx, near)?;
    }
    let (left, right) = (cx.attr_or("left_window_size", -1), cx.attr_or("right_window_size", -1));
    if left >= 0 {
        let near = reach(cx, length, count, &offset, "ge(arange($0), sub($1, $2))", left)?;
        masks.allow(cx, near)?;
    }
    if right >= 0 {
        let near = reach(cx, length, count, &offset, "le(arange($0), add($1, $2))", right)?;
        masks.allow(cx, near)?;
    }
    if let Some(filled) = filled {
        let args = [Arg::Int(count), Arg::Value(filled)];
        let inside = cx.call("lt(arange($0), reshape($1, [-1, 1, 1, 1]))", &args)?;
        masks.allow(cx, inside)?;
    }
    let softcap = cx.float("softcap", 0.0);
    let (k, v) = (shared(cx, k, q)?, shared(cx, v, q)?);
    let precision = match cx.attr("softmax_precision") {
        Some(number) => Some(self::dtype(number)?),
        None => None,
    };
    let scale = cx.attribute("scale").map(|a| a.f as f64);
    let shown = cx.gives(3).then(|| cx.attr_or("qk_matmul_output_mode", 0));
    let given = Given { q, k, v, scale, softcap, masks, precision, dtype };
    let (mut y, scores) = scored(cx, given, shown)?;
    if flat {
        y = joined(cx, y)?;
    }
    let mut results: Vec<Entry> = [y, present_keys, present_values].map(|v| cx.entry(v)).to_vec();
    if let Some(scores) = scores {
        results.push(cx.entry(scores));
    }
    Ok(results)
}

struct Given {
    q: Value,
    k: Value,
    v: Value,
    scale: Option<f64>,
    softcap: f64,
    masks: Masks,
    precision: Option<Dtype>,
    dtype: Dtype,
}

/// The product of queries and keys, capped, masked, a softmax, and the product with values. A row that may see nothing is
/// zero. `shown` asks for the scores: 0 as they are, 1 capped, 2 masked, 3 after the softmax.
fn scored(cx: &mut Cx<'_, '_>, given: Given, shown: Option<i64>) -> Result<(Value, Option<Value>)> {
    let Given { q, k, v, scale, softcap, masks, precision, dtype } = given;
    let size = cx.size(q, 3)?;
    let scale = match (scale, cx.syms.as_const(size)) {
        (Some(scale), _) => scale,
        (None, Some(size)) if size > 0 => 1.0 / (size as f64).sqrt(),
        _ => return Err(cx.refuse("heads whose size is not known, without a scale")),
    };
    // Both sides are scaled by its root, so that products stay in range.
    let root = [Arg::Value(q), Arg::Value(k), Arg::Float(scale.sqrt())];
    let mut scores = cx.call("matmul(mul($0, $2), mul(transpose.int($1, -1, -2), $2))", &root)?;
    let mut result = (shown == Some(0)).then_some(scores);
    if softcap != 0.0 {
        scores = cx.call("mul(tanh(div($0, $1)), $1)", &[Arg::Value(scores), Arg::Float(softcap)])?;
    }
    if shown == Some(1) {
        result = Some(scores);
    }
    let mut bias = masks.added;
    if let Some(allowed) = masks.allowed {
        let none = [Arg::Value(allowed), Arg::Dtype(dtype), Arg::Float(f64::NEG_INFINITY)];
        let hidden = cx.call("where.self($0, zeros([], dtype=$1), full([], $2, dtype=$1))", &none)?;
        bias = Some(match bias {
            None => hidden,
            Some(added) => cx.of("add($0, $1)", &[added, hidden])?,
        });
    }
    if let Some(bias) = bias {
        scores = cx.of("add($0, $1)", &[scores, bias])?;
    }
    if shown == Some(2) {
        result = Some(scores);
    }
    let wide = match precision {
        Some(precision) => cx.cast(scores, precision)?,
        None => scores,
    };
    let mut weights = cx.of("softmax.int($0, -1)", &[wide])?;
    if let Some(bias) = bias {
        let blind = cx.of("isneginf(amax($0, [-1], true))", &[bias])?;
        weights = cx.of("masked_fill.Scalar($1, $0, 0)", &[blind, weights])?;
    }
    let weights = cx.cast(weights, dtype)?;
    if shown == Some(3) {
        result = Some(weights);
    }
    let v = cx.cast(v, dtype)?;
    let y = cx.of("matmul($0, $1)", &[weights, v])?;
    Ok((y, result))
}

/// Scores and weights changed by graphs of the node.
pub fn flex(cx: &mut Cx<'_, '_>) -> Results {
    let (q, k, v) = (cx.value(0)?, cx.value(1)?, cx.value(2)?);
    let dtype = cx.dtype(q);
    let (k, v) = (shared(cx, k, q)?, shared(cx, v, q)?);
    let size = cx.syms.as_const(cx.size(q, 3)?).ok_or_else(|| cx.refuse("heads whose size is not known"))?;
    let scale = cx.float("scale", default_attention_scale(size));
    let args = [Arg::Value(q), Arg::Value(k), Arg::Float((scale as f32).sqrt() as f64)];
    let scores = cx.call("matmul(mul($0, $2), mul(transpose.int($1, -1, -2), $2))", &args)?;
    let wide = match cx.attr("softmax_precision") {
        Some(number) => self::dtype(number)?,
        None if dtype.is_reduced_float() => Dtype::Float32,
        None => dtype,
    };
    let scores = cx.cast(scores, wide)?;
    let scores = changed(cx, "score_mod", scores)?;
    let weights = cx.of("softmax.int($0, -1)", &[scores])?;
    let weights = changed(cx, "prob_mod", weights)?;
    let v = cx.cast(v, wide)?;
    let y = cx.of("matmul($0, $1)", &[weights, v])?;
    let y = cx.cast(y, dtype)?;
    cx.one(y)
}

/// What a graph of the node makes of a tensor; without one, the tensor.
fn changed(cx: &mut Cx<'_, '_>, name: &str, x: Value) -> Result<Value> {
    let body = cx.node.attributes.iter().find(|a| a.name == name).and_then(|a| a.graph.as_ref());
    let Some(body) = body else { return Ok(x) };
    let given = vec![cx.entry(x)];
    match &cx.reader.inline(body, given)?[..] {
        [Entry::Tensor(tensor)] => cx.reader.value(tensor),
        _ => Err(cx.wrong(format!("the graph `{name}` gives something else than one tensor"))),
    }
}

/// Pairs of elements turned by the angle of their position.
pub fn rotary(cx: &mut Cx<'_, '_>) -> Results {
    let (x, cos, sin) = (cx.value(0)?, cx.value(1)?, cx.value(2)?);
    let places = cx.optional(3)?;
    let value = rotated(cx, x, cos, sin, places, cx.attr_or("num_heads", 0))?;
    cx.one(value)
}

pub fn rotated(
    cx: &mut Cx<'_, '_>,
    x: Value,
    cos: Value,
    sin: Value,
    places: Option<Value>,
    count: i64,
) -> Result<Value> {
    let flat = cx.rank(x) == 3;
    let x = if flat { heads(cx, x, count)? } else { x };
    let [_, _, _, size] = cx.shape(x)[..] else {
        return Err(cx.wrong(format!("a tensor of rank {} where one of 3 or 4 is asked", cx.rank(x))));
    };
    // Each entry of a table rotates a pair of elements: the rotated width is twice the width of the table.
    let table = cx.shape(cos).last().and_then(|n| cx.syms.as_const(*n));
    let turned = match (cx.attr_or("rotary_embedding_dim", 0), table) {
        (0, Some(half)) => cx.syms.mul_const(cx.syms.constant(half), 2),
        (0, None) => size,
        (n, _) => cx.syms.constant(n),
    };
    let interleaved = cx.flag("interleaved") || cx.flag("rotary_interleaved");
    let half = cx.syms.floordiv(turned, cx.syms.constant(2));
    let mut angles = Vec::new();
    for table in [cos, sin] {
        let mut table = table;
        if let Some(places) = places {
            let places = cx.cast(places, Dtype::Int64)?;
            table = cx.of("index.Tensor($0, [$1])", &[table, places])?;
        }
        // `[batch, length, half]`, for all heads.
        angles.push(cx.of("unsqueeze($0, 1)", &[table])?);
    }
    let args = [
        Arg::Value(x),
        Arg::Value(angles[0]),
        Arg::Value(angles[1]),
        Arg::Int(turned),
        Arg::Int(half),
        Arg::Int(size),
    ];
    let (first, second) = match interleaved {
        true => ("slice.Tensor($0, 3, 0, $3, 2)", "slice.Tensor($0, 3, 1, $3, 2)"),
        false => ("slice.Tensor($0, 3, 0, $4)", "slice.Tensor($0, 3, $4, $3)"),
    };
    let (first, second) = (cx.call(first, &args)?, cx.call(second, &args)?);
    let pair = [first, second, angles[0], angles[1]];
    let real = cx.of("sub(mul($2, $0), mul($3, $1))", &pair)?;
    let imaginary = cx.of("add(mul($3, $0), mul($2, $1))", &pair)?;
    let mut value = match interleaved {
        true => cx.of("flatten.using_ints(stack([$0, $1], -1), -2)", &[real, imaginary])?,
        false => cx.of("cat([$0, $1], -1)", &[real, imaginary])?,
    };
    if !cx.syms.known_eq(turned, size) {
        let rest = cx.call("slice.Tensor($0, 3, $3, $5)", &args)?;
        value = cx.of("cat([$0, $1], -1)", &[value, rest])?;
    }
    if flat { joined(cx, value) } else { Ok(value) }
}

/// A state of keys by values that each step decays, corrects and reads; computed in float32.
pub fn linear_attention(cx: &mut Cx<'_, '_>) -> Results {
    let rule = cx.string("update_rule", "gated_delta")?;
    let (gated, corrected) = match &rule[..] {
        "linear" => (false, false),
        "gated" => (true, false),
        "delta" => (false, true),
        "gated_delta" => (true, true),
        other => return Err(cx.refuse(format!("the update rule `{other}`"))),
    };
    let (own, others) = (cx.attr_or("q_num_heads", 0), cx.attr_or("kv_num_heads", 0));
    let query = cx.value(0)?;
    let dtype = cx.dtype(query);
    let mut inputs = Vec::new();
    for (k, count) in [(0, own), (1, others), (2, others)] {
        let x = cx.value(k)?;
        let x = heads(cx, x, count)?;
        inputs.push(cx.cast(x, Dtype::Float32)?);
    }
    let (q, k, v) = (inputs[0], inputs[1], inputs[2]);
    let (shape, depth) = (cx.shape(k), cx.size(v, 3)?);
    let steps = cx.syms.as_const(shape[2]).filter(|n| *n <= 256);
    let Some(steps) = steps else {
        return Err(cx.refuse("of more than 256 steps, or of a number that is not known"));
    };
    let decay = match cx.optional(4)?.filter(|_| gated) {
        Some(decay) => {
            let decay = cx.cast(decay, Dtype::Float32)?;
            Some(heads(cx, decay, others)?)
        }
        None if gated => return Err(cx.wrong("it has no decay")),
        None => None,
    };
    let beta = match cx.optional(5)?.filter(|_| corrected) {
        Some(beta) => {
            let beta = cx.cast(beta, Dtype::Float32)?;
            Some(cx.of("unsqueeze(permute($0, [0, 2, 1]), -1)", &[beta])?)
        }
        None if corrected => return Err(cx.wrong("it has no beta")),
        None => None,
    };
    let (mut state, kept) = match cx.optional(3)? {
        Some(state) => (cx.cast(state, Dtype::Float32)?, cx.dtype(state)),
        None => {
            let sizes = vec![shape[0], shape[1], shape[3], depth];
            let args = [Arg::Ints(sizes), Arg::Dtype(Dtype::Float32)];
            (cx.call("zeros($0, dtype=$1)", &args)?, dtype)
        }
    };
    let scale = match (cx.float("scale", 0.0), cx.syms.as_const(shape[3])) {
        (scale, _) if scale != 0.0 => scale,
        (_, Some(size)) if size > 0 => 1.0 / (size as f64).sqrt(),
        _ => return Err(cx.refuse("heads whose size is not known, without a scale")),
    };
    let mut outputs = Vec::new();
    for step in 0..steps {
        let at = |cx: &mut Cx<'_, '_>, x: Value| {
            let step = cx.int(step);
            cx.call("select.int($0, 2, $1)", &[Arg::Value(x), step])
        };
        let (q, k, mut v) = (at(cx, q)?, at(cx, k)?, at(cx, v)?);
        if let Some(decay) = decay {
            let decay = at(cx, decay)?;
            state = cx.of("mul($0, unsqueeze(exp($1), -1))", &[state, decay])?;
        }
        if let Some(beta) = beta {
            let beta = at(cx, beta)?;
            let args = [state, k, v, beta];
            v = cx.of("mul($3, sub($2, squeeze.dim(matmul(unsqueeze($1, 2), $0), 2)))", &args)?;
        }
        state = cx.of("add($0, mul(unsqueeze($1, -1), unsqueeze($2, -2)))", &[state, k, v])?;
        let read = shared(cx, state, q)?;
        let args = [Arg::Value(q), Arg::Value(read), Arg::Float(scale)];
        outputs.push(Some(cx.call("mul(squeeze.dim(matmul(unsqueeze($0, 2), $1), 2), $2)", &args)?));
    }
    let y = cx.call("stack($0, 2)", &[Arg::Values(outputs)])?;
    let y = joined(cx, y)?;
    let (y, state) = (cx.cast(y, dtype)?, cx.cast(state, kept)?);
    Ok(vec![cx.entry(y), cx.entry(state)])
}

/// A convolution over each channel that sees what came before, and its last inputs as the next state.
pub fn causal_convolution(cx: &mut Cx<'_, '_>) -> Results {
    let (x, weight) = (cx.value(0)?, cx.value(1)?);
    let bias = cx.optional_arg(2)?;
    let dtype = cx.dtype(x);
    let (shape, kernel) = (cx.shape(x), cx.shape(weight).get(2).copied());
    let (Some(kernel), 3) = (kernel, shape.len()) else {
        return Err(cx.wrong("its inputs are not of rank 3"));
    };
    let before = cx.syms.add_const(kernel, -1);
    let past = match cx.optional(3)? {
        Some(past) => past,
        None => {
            let args = [Arg::Ints(vec![shape[0], shape[1], before]), Arg::Dtype(dtype)];
            cx.call("zeros($0, dtype=$1)", &args)?
        }
    };
    let padded = cx.of("cat([$0, $1], 2)", &[past, x])?;
    let args = [Arg::Value(padded), Arg::Value(weight), bias, Arg::Int(shape[1])];
    let mut y = cx.call("conv1d($0, $1, $2, [1], [0], [1], $3)", &args)?;
    match &cx.string("activation", "none")?[..] {
        "none" => {}
        "silu" | "swish" => y = cx.of("silu($0)", &[y])?,
        other => return Err(cx.refuse(format!("the activation `{other}`"))),
    }
    let args = [Arg::Value(padded), Arg::Int(shape[2]), Arg::Int(before)];
    let state = cx.call("narrow($0, 2, $1, $2)", &args)?;
    Ok(vec![cx.entry(y), cx.entry(state)])
}
