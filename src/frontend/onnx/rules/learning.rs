//! Losses, updates of optimizers, random numbers, and what detectors do with boxes.

use super::super::super::error::Result;
use super::super::call::{Cx, Results};
use super::super::data;
use super::super::entry::Entry;
use super::super::proto;
use super::super::reader::file;
use crate::ir::{Arg, Value};
use crate::meta::suppression;
use crate::types::Dtype;

/// Of log-probabilities: `NegativeLogLikelihoodLoss`.
pub fn likelihood(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let value = lost(cx, x)?;
    cx.one(value)
}

/// Of scores; the log-probabilities are the second result.
pub fn cross_entropy(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let logarithms = cx.of("log_softmax.int($0, 1)", &[x])?;
    let value = lost(cx, logarithms)?;
    Ok(vec![cx.entry(value), cx.entry(logarithms)])
}

fn lost(cx: &mut Cx<'_, '_>, x: Value) -> Result<Value> {
    let target = cx.value(1)?;
    let target = cx.cast(target, Dtype::Int64)?;
    let weight = cx.optional_arg(2)?;
    let reduction = match &cx.string("reduction", "mean")?[..] {
        "none" => 0,
        "mean" => 1,
        "sum" => 2,
        other => return Err(cx.wrong(format!("the reduction `{other}`"))),
    };
    let classes = cx.shape(x).get(1).copied().ok_or_else(|| cx.wrong("its input has no classes"))?;
    // Without one, no class is passed over: one that there is not.
    let ignored = match cx.attr("ignore_index") {
        Some(index) => cx.int(index),
        None => Arg::Int(classes),
    };
    let args = [Arg::Value(x), Arg::Value(target), weight, cx.int(reduction), ignored];
    cx.call("nll_loss_nd($0, $1, $2, $3, $4)", &args)
}

/// The operators of optimizers: a rate, a step, and then tensors, gradients and states in groups.
pub fn optimizer(cx: &mut Cx<'_, '_>) -> Results {
    let values = cx.values()?;
    let per = if cx.node.op_type == "Adam" { 4 } else { 3 };
    let Some((&[rate, step], rest)) = values.split_first_chunk::<2>() else {
        return Err(cx.wrong("it has no rate and step"));
    };
    let count = rest.len() / per;
    if count == 0 || rest.len() != count * per {
        return Err(cx.wrong("its tensors and states differ in number"));
    }
    let mut results: Vec<Vec<Value>> = vec![Vec::new(); per - 1];
    for k in 0..count {
        let group: Vec<Value> = (0..per).map(|j| rest[j * count + k]).collect();
        let updated = match &cx.node.op_type[..] {
            "Adagrad" => adagrad(cx, rate, step, &group)?,
            "Adam" => adam(cx, rate, step, &group)?,
            _ => momentum(cx, rate, step, &group)?,
        };
        results.iter_mut().zip(updated).for_each(|(list, v)| list.push(v));
    }
    Ok(results.into_iter().flatten().map(|v| cx.entry(v)).collect())
}

/// The gradient with that of the squared norm.
fn regular(cx: &mut Cx<'_, '_>, x: Value, gradient: Value) -> Result<Value> {
    let args = [Arg::Value(x), Arg::Value(gradient), Arg::Float(cx.float("norm_coefficient", 0.0))];
    cx.call("add(mul($0, $2), $1)", &args)
}

fn adagrad(cx: &mut Cx<'_, '_>, rate: Value, step: Value, group: &[Value]) -> Result<Vec<Value>> {
    let g = regular(cx, group[0], group[1])?;
    let h = cx.of("add($0, mul($1, $1))", &[group[2], g])?;
    let args = [
        Arg::Value(group[0]),
        Arg::Value(g),
        Arg::Value(h),
        Arg::Value(rate),
        Arg::Value(step),
        Arg::Float(cx.float("decay_factor", 0.0)),
        Arg::Float(cx.float("epsilon", 1e-6)),
    ];
    let x = cx.call("sub($0, div(mul(div($3, add(mul($4, $5), 1)), $1), add(sqrt($2), $6)))", &args)?;
    Ok(vec![x, h])
}

fn adam(cx: &mut Cx<'_, '_>, rate: Value, step: Value, group: &[Value]) -> Result<Vec<Value>> {
    let g = regular(cx, group[0], group[1])?;
    let (alpha, beta) = (cx.float("alpha", 0.9), cx.float("beta", 0.999));
    let args = [Arg::Value(group[2]), Arg::Value(g), Arg::Float(alpha), Arg::Float(1.0 - alpha)];
    let v = cx.call("add(mul($0, $2), mul($1, $3))", &args)?;
    let args = [Arg::Value(group[3]), Arg::Value(g), Arg::Float(beta), Arg::Float(1.0 - beta)];
    let h = cx.call("add(mul($0, $2), mul(mul($1, $1), $3))", &args)?;
    let args = [Arg::Value(rate), Arg::Value(step), Arg::Float(alpha), Arg::Float(beta)];
    // Before the first step there is no bias to correct.
    let text = "where.self(gt($1, 0), div(mul($0, sqrt(rsub.Scalar(pow.Scalar($3, $1), 1))), rsub.Scalar(pow.Scalar($2, $1), 1)), $0)";
    let adjusted = cx.call(text, &args)?;
    let args = [
        Arg::Value(group[0]),
        Arg::Value(adjusted),
        Arg::Value(v),
        Arg::Value(h),
        Arg::Float(cx.float("epsilon", 1e-6)),
        Arg::Float(1.0 - cx.float("norm_coefficient_post", 0.0)),
    ];
    let x = cx.call("mul(sub($0, mul($1, div($2, add(sqrt($3), $4)))), $5)", &args)?;
    let dtype = cx.dtype(group[0]);
    Ok(vec![cx.cast(x, dtype)?, v, h])
}

fn momentum(cx: &mut Cx<'_, '_>, rate: Value, step: Value, group: &[Value]) -> Result<Vec<Value>> {
    let g = regular(cx, group[0], group[1])?;
    let alpha = cx.float("alpha", 0.9);
    let args = [
        Arg::Value(group[2]),
        Arg::Value(g),
        Arg::Value(step),
        Arg::Float(alpha),
        Arg::Float(cx.float("beta", 0.999)),
    ];
    // The first gradient counts whole.
    let v = cx.call("add(mul($0, $3), where.self(gt($2, 0), mul($1, $4), $1))", &args)?;
    let args = [Arg::Value(group[0]), Arg::Value(rate), Arg::Value(v), Arg::Value(g), Arg::Float(alpha)];
    let text = match &cx.string("mode", "standard")?[..] {
        "standard" => "sub($0, mul($2, $1))",
        "nesterov" => "sub($0, mul(add($3, mul($2, $4)), $1))",
        other => return Err(cx.refuse(format!("the mode `{other}`"))),
    };
    let x = cx.call(text, &args)?;
    Ok(vec![x, v])
}

/// Random numbers. The run's seed decides them, whatever the node's attribute `seed` says: other generators give others
/// from the same seed in any case.
pub fn random(cx: &mut Cx<'_, '_>) -> Results {
    let name = cx.node.op_type.clone();
    if name == "Bernoulli" {
        let x = cx.value(0)?;
        let dtype = match cx.attr("dtype") {
            Some(number) => data::dtype(number)?,
            None => cx.dtype(x),
        };
        let value = cx.of("bernoulli($0)", &[x])?;
        let value = cx.cast(value, dtype)?;
        return cx.one(value);
    }
    let (sizes, like) = match name.ends_with("Like") {
        true => {
            let x = cx.value(0)?;
            (cx.shape(x), Some(cx.dtype(x)))
        }
        false => {
            let list = cx.list("shape").ok_or_else(|| cx.wrong("the attribute `shape` is missing"))?;
            (list.iter().map(|n| cx.syms.constant(*n)).collect(), None)
        }
    };
    let dtype = match (cx.attr("dtype"), like) {
        (Some(number), _) => data::dtype(number)?,
        (None, Some(dtype)) => dtype,
        (None, None) => Dtype::Float32,
    };
    let (first, second, text) = match name.starts_with("RandomUniform") {
        true => {
            let (low, high) = (cx.float("low", 0.0), cx.float("high", 1.0));
            (high - low, low, "add(mul(rand($0, dtype=$1), $2), $3)")
        }
        false => (cx.float("scale", 1.0), cx.float("mean", 0.0), "add(mul(randn($0, dtype=$1), $2), $3)"),
    };
    let args = [Arg::Ints(sizes), Arg::Dtype(dtype), Arg::Float(first), Arg::Float(second)];
    let value = cx.call(text, &args)?;
    cx.one(value)
}

/// Boxes from the best score down, those left out that a taken one covers by more than a threshold.
pub fn non_max_suppression(cx: &mut Cx<'_, '_>) -> Results {
    let (boxes, scores) = (cx.value(0)?, cx.value(1)?);
    let limit = match cx.optional(2)? {
        Some(limit) => cx.of("reshape($0, [])", &[limit])?,
        None => cx.call("zeros([], dtype=$0)", &[Arg::Dtype(Dtype::Int64)])?,
    };
    let args = [Arg::Value(scores)];
    let sorted = cx.calls("sort.stable($0, stable=true, dim=2, descending=true)", &args)?;
    let (best, order) = (sorted[0], sorted[1]);
    // The corners, whichever way they are given: `[batch, boxes]` each.
    let mut lines = Vec::new();
    for (a, b) in [(0, 2), (1, 3)] {
        let args = [Arg::Value(boxes), cx.int(a), cx.int(b)];
        if cx.flag("center_point_box") {
            // x, y, width, height
            let text = [
                "sub(select.int($0, 2, $1), div(select.int($0, 2, $2), 2))",
                "add(select.int($0, 2, $1), div(select.int($0, 2, $2), 2))",
            ];
            lines.push((cx.call(text[0], &args)?, cx.call(text[1], &args)?));
        } else {
            let text = [
                "minimum(select.int($0, 2, $1), select.int($0, 2, $2))",
                "maximum(select.int($0, 2, $1), select.int($0, 2, $2))",
            ];
            lines.push((cx.call(text[0], &args)?, cx.call(text[1], &args)?));
        }
    }
    let list = [lines[0].0, lines[0].1, lines[1].0, lines[1].1];
    let area = cx.of("mul(sub($1, $0), sub($3, $2))", &list)?;
    let overlap = |low: &str, high: &str| {
        format!(
            "clamp_min(sub(minimum(unsqueeze({high}, 2), unsqueeze({high}, 1)), maximum(unsqueeze({low}, 2), unsqueeze({low}, 1))), 0)"
        )
    };
    let both = cx.of(&format!("mul({}, {})", overlap("$0", "$1"), overlap("$2", "$3")), &list)?;
    let ratio = cx.of("div($0, sub(add(unsqueeze($1, 2), unsqueeze($1, 1)), $0))", &[both, area])?;
    let threshold = match cx.optional(3)? {
        Some(threshold) => cx.of("reshape($0, [])", &[threshold])?,
        None => cx.call("zeros([], dtype=$0)", &[Arg::Dtype(Dtype::Float32)])?,
    };
    let covers = cx.of("gt($0, $1)", &[ratio, threshold])?;
    // In the order of each class: `[batch, classes, boxes, boxes]`.
    let rows = [covers, order];
    let text = "index.Tensor($0, [reshape($2, [-1, 1, 1, 1]), unsqueeze($1, 3), unsqueeze($1, 2)])";
    let batch = cx.call("arange($0)", &[Arg::Int(cx.size(boxes, 0)?)])?;
    let covers = cx.of(text, &[rows[0], rows[1], batch])?;
    let allowed = match cx.optional(4)? {
        Some(least) => cx.of("gt($0, reshape($1, []))", &[best, least])?,
        None => cx.call("ones_like($0, dtype=$1)", &[Arg::Value(best), Arg::Dtype(Dtype::Bool)])?,
    };
    let covers = cx.of("triu($0, 1)", &[covers])?;
    let kept = suppression::settled(&mut cx.reader.builder(), covers, allowed)?;
    let kept = cx.of("logical_and($0, le(cumsum($0, 2), $1))", &[kept, limit])?;
    let found = cx.of("nonzero($0)", &[kept])?;
    let column = |cx: &mut Cx<'_, '_>, k: i64| {
        let k = cx.int(k);
        cx.call("select.int($0, 1, $1)", &[Arg::Value(found), k])
    };
    let (item, class, place) = (column(cx, 0)?, column(cx, 1)?, column(cx, 2)?);
    let value = cx.of("stack([$1, $2, index.Tensor($0, [$1, $2, $3])], 1)", &[order, item, class, place])?;
    cx.one(value)
}

/// A tensor whose numbers stand in the node's attributes.
fn stated(cx: &mut Cx<'_, '_>, tensor: proto::Tensor) -> Result<Value> {
    match file(cx.reader.store.tensor(&tensor)?) {
        Entry::Tensor(tensor) => cx.reader.value(&tensor),
        _ => Err(cx.wrong("an attribute that is no tensor")),
    }
}

/// `TfIdfVectorizer`: how often each n-gram of a pool stands in a row, its elements next to each other or with as many skipped
/// between all of them as the node allows.
pub fn count_ngrams(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    if cx.attribute("pool_strings").is_some_and(|a| !a.strings.is_empty()) {
        return Err(cx.refuse("of strings"));
    }
    let lists = ["pool_int64s", "ngram_counts", "ngram_indexes"].map(|name| cx.list(name));
    let [Some(pool), Some(begins), Some(columns)] = lists else {
        return Err(cx.wrong("`pool_int64s`, `ngram_counts` or `ngram_indexes` is missing"));
    };
    let (least, most) = (cx.attr_or("min_gram_length", 1), cx.attr_or("max_gram_length", 1));
    let skips = cx.attr_or("max_skip_count", 0);
    if least < 1 || most < least || skips < 0 || columns.iter().any(|c| !(0..1 << 31).contains(c)) {
        return Err(cx.wrong("a length of n-grams, a number of skips or a place that no result has"));
    }
    if most > 64 || skips > 64 {
        return Err(
            cx.refuse(format!("of n-grams of {most} elements with {skips} skipped; 64 each are the most"))
        );
    }
    let Some(length) = cx.shape(x).last().copied() else { return Err(cx.wrong("its input has no rows")) };
    let x = cx.cast(x, Dtype::Int64)?;
    let (mut number, mut found, mut places) = (0, Vec::new(), Vec::new());
    let weights = cx.attribute("weights").map(|a| a.floats.clone());
    let mut scales = Vec::new();
    for (n, begin) in (1..).zip(&begins) {
        let end = begins.get(n).copied().unwrap_or(pool.len() as i64);
        let bounds = usize::try_from(*begin).ok().zip(usize::try_from(end).ok());
        let Some(grams) = bounds.and_then(|(a, b)| pool.get(a..b)).filter(|g| g.len() % n == 0) else {
            return Err(cx.wrong(format!("`ngram_counts` divides the pool into no n-grams of {n} elements")));
        };
        let own = number..number + grams.len() / n;
        number = own.end;
        let Some(targets) = columns.get(own.clone()) else {
            return Err(cx.wrong("`ngram_indexes` has fewer numbers than the pool has n-grams"));
        };
        if own.is_empty() || !(least..=most).contains(&(n as i64)) {
            continue;
        }
        let dims = vec![own.len() as i64, n as i64];
        let grams =
            stated(cx, proto::Tensor { dims, data_type: 7, longs: grams.to_vec(), ..Default::default() })?;
        let mut total: Option<Value> = None;
        for stride in 1..=if n == 1 { 1 } else { skips + 1 } {
            let zero = cx.syms.constant(0);
            let starts = cx.syms.max(zero, cx.syms.add_const(length, -(n as i64 - 1) * stride));
            let mut stands: Option<Value> = None;
            for k in 0..n as i64 {
                let end = Arg::Int(cx.syms.add_const(starts, k * stride));
                let args = [Arg::Value(x), cx.int(k * stride), end, Arg::Value(grams), cx.int(k)];
                let text = "eq.Tensor(unsqueeze(slice.Tensor($0, -1, $1, $2), -1), select.int($3, 1, $4))";
                let same = cx.call(text, &args)?;
                stands = Some(match stands {
                    None => same,
                    Some(before) => cx.of("logical_and($0, $1)", &[before, same])?,
                });
            }
            let Some(stands) = stands else { continue };
            let count = cx.of("sum.dim_IntList($0, [-2])", &[stands])?;
            total = Some(match total {
                None => count,
                Some(before) => cx.of("add($0, $1)", &[before, count])?,
            });
        }
        found.push(total);
        places.extend(targets);
        let given = weights.as_ref().map(|w| w.get(own.clone()).map(<[f32]>::to_vec));
        match given {
            None => scales.resize(places.len(), 1.0),
            Some(Some(own)) => scales.extend(own),
            Some(None) => return Err(cx.wrong("`weights` has fewer numbers than the pool has n-grams")),
        }
    }
    let width = columns.iter().max().map_or(0, |c| c + 1);
    let mut shape = cx.shape(x);
    if let Some(last) = shape.last_mut() {
        *last = cx.syms.constant(width);
    }
    let wide = Arg::Dtype(Dtype::Float32);
    let whole = cx.call("full($0, 0.0, dtype=$1)", &[Arg::Ints(shape), wide.clone()])?;
    if found.is_empty() {
        return cx.one(whole);
    }
    let counts = cx.call("_to_copy(cat($0, -1), dtype=$1)", &[Arg::Values(found), wide.clone()])?;
    let dims = vec![places.len() as i64];
    let scales =
        stated(cx, proto::Tensor { dims: dims.clone(), data_type: 1, floats: scales, ..Default::default() })?;
    let places = stated(cx, proto::Tensor { dims, data_type: 7, longs: places, ..Default::default() })?;
    let text = match &cx.string("mode", "")?[..] {
        "TF" => "$0",
        "IDF" => "mul(gt($0, 0), $1)",
        "TFIDF" => "mul($0, $1)",
        other => return Err(cx.wrong(format!("the mode `{other}`"))),
    };
    let counts = cx.of(text, &[counts, scales])?;
    let value = cx.of("index_add($0, -1, $1, $2)", &[whole, places, counts])?;
    cx.one(value)
}
