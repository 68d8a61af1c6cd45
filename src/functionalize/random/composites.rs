//! Operators with a dropout inside them, as others around that dropout.

use super::distributions::factors;
use super::draw::{Draw, Float};
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::meta::MetaError;
use crate::types::{Calculation, Dtype, SymInt};

type Built = Result<Value, MetaError>;

/// Attention whose weights are dropped, in float32 for halves: a row without keys gives zeros.
pub(super) fn attention(cx: &mut Draw<'_>) -> Built {
    let (query, key, value) = (cx.value("query")?, cx.value("key")?, cx.value("value")?);
    let dtype = cx.dtype(query);
    let compute = dtype.compute();
    let shape = cx.shape(query);
    let rank = shape.len();
    let [query, mut key, mut value] =
        [cx.cast(query, compute)?, cx.cast(key, compute)?, cx.cast(value, compute)?];
    if cx.flag("enable_gqa") {
        let (heads, own) = (shape[rank - 3], cx.shape(key)[rank - 3]);
        let times = cx.syms().floordiv(heads, own);
        for operand in [&mut key, &mut value] {
            let args = vec![Arg::Value(*operand), Arg::Int(times), cx.constant(-3)];
            *operand = cx.call("aten.repeat_interleave.self_int", args)?;
        }
    }
    let scale = match cx.arg("scale") {
        Arg::None => {
            let size = cx.syms().calculate(Calculation::Float, &[shape[rank - 1]]);
            let root = match cx.syms().as_const(size) {
                Some(bits) => Float::Known(f64::from_bits(bits as u64).sqrt()),
                None => Float::Bits(cx.syms().calculate(Calculation::Sqrt, &[size])),
            };
            cx.calculate(Calculation::Div, Float::Known(1.0), root)
        }
        _ => cx.float("scale")?,
    };
    let query = cx.by("mul", query, scale.arg())?;
    let swapped = vec![Arg::Value(key), cx.constant(-2), cx.constant(-1)];
    let swapped = cx.call("aten.transpose.int", swapped)?;
    let mut scores = cx.call("aten.matmul.default", vec![Arg::Value(query), Arg::Value(swapped)])?;
    let none = cx.full(&[], Arg::Float(f64::NEG_INFINITY), compute)?;
    let mut mask = cx.optional("attn_mask");
    if cx.flag("is_causal") {
        let all = cx.shape(scores);
        let ones = cx.full(&all[rank - 2..], Arg::Bool(true), Dtype::Bool)?;
        mask = Some(cx.call("aten.tril.default", vec![Arg::Value(ones), cx.constant(0)])?);
    }
    if let Some(mask) = mask {
        scores = if cx.dtype(mask) == Dtype::Bool {
            cx.select(mask, scores, none)?
        } else {
            let mask = cx.cast(mask, compute)?;
            cx.binary("add", scores, mask)?
        };
    }
    let weights = cx.call("aten._safe_softmax.default", vec![Arg::Value(scores), cx.constant(-1)])?;
    let weights = dropped(cx, weights, "dropout_p")?;
    let result = cx.call("aten.matmul.default", vec![Arg::Value(weights), Arg::Value(value)])?;
    cx.cast(result, dtype)
}

fn dropped(cx: &mut Draw<'_>, value: Value, p: &str) -> Built {
    let kept = cx.calculate(Calculation::Sub, Float::Known(1.0), cx.float(p)?);
    let (shape, dtype) = (cx.shape(value), cx.dtype(value));
    let (_, noise) = factors(cx, &shape, dtype, kept)?;
    cx.binary("mul", value, noise)
}

/// A recurrent network of several layers: one call for each, and a dropout between two.
pub(super) fn layers(cx: &mut Draw<'_>) -> Result<Vec<Value>, MetaError> {
    let syms = |cx: &Draw<'_>, v: i64| cx.syms().constant(v);
    let known = |cx: &Draw<'_>, name: &str| {
        let value = cx.int(name).and_then(|v| cx.syms().as_const(v));
        value.ok_or_else(|| {
            cx.error(Status::Unsupported, format!("argument `{name}` must be a constant integer"))
        })
    };
    let (count, directions) = (known(cx, "num_layers")?, if cx.flag("bidirectional") { 2 } else { 1 });
    let (params, states) = (cx.values("params"), cx.values("hx"));
    // Of a network with one state it is a tensor, not a list.
    let states = if states.is_empty() { vec![cx.value("hx")?] } else { states };
    let each = params.len() / count.max(1) as usize;
    let mut x = cx.value("input")?;
    let mut last: Vec<Vec<Value>> = vec![Vec::new(); states.len()];
    let name = cx.op.name();
    for layer in 0..count {
        let mut own = Vec::new();
        for state in &states {
            let (from, to) = (layer * directions, (layer + 1) * directions);
            let ends = [0, from, to, 1].map(|v| Arg::Int(syms(cx, v)));
            own.push(cx.call("aten.slice.Tensor", [vec![Arg::Value(*state)], ends.to_vec()].concat())?);
        }
        let chunk = params[layer as usize * each..][..each].iter().map(|v| Some(*v)).collect();
        let hx = match cx.arg("hx") {
            Arg::Values(_) => Arg::Values(own.into_iter().map(Some).collect()),
            _ => Arg::Value(own[0]),
        };
        let args = vec![
            Arg::Value(x),
            hx,
            Arg::Values(chunk),
            cx.arg("has_biases"),
            cx.constant(1),
            Arg::Float(0.0),
            Arg::Bool(false),
            cx.arg("bidirectional"),
            cx.arg("batch_first"),
        ];
        let results = cx.call_all(name, args)?;
        x = results[0];
        for (list, state) in last.iter_mut().zip(&results[1..]) {
            list.push(*state);
        }
        if layer + 1 < count {
            x = dropped(cx, x, "dropout")?;
        }
    }
    let mut results = vec![x];
    for list in last {
        let list = list.into_iter().map(Some).collect();
        let zero: SymInt = syms(cx, 0);
        results.push(cx.call("aten.cat.default", vec![Arg::Values(list), Arg::Int(zero)])?);
    }
    Ok(results)
}
