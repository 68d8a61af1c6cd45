//! Losses. Their steps are rounded to the operands' dtype where PyTorch's are, so that results agree for narrow floats.

use crate::base::Status;
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::meta::result_type;
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

/// The arguments of these names in the dtype that they promote to, and the dtype of the result: integers give the
/// default float.
pub(super) fn operands(
    cx: &mut Decompose<'_>,
    names: &[&str],
) -> Result<(Vec<Value>, Dtype), DecomposeError> {
    let mut values = Vec::new();
    for name in names {
        values.push(cx.value(name)?);
    }
    let dtype = promoted(cx, &values)?;
    for value in &mut values {
        *value = cx.cast(*value, dtype)?;
    }
    Ok((values, if dtype.is_float() { dtype } else { Dtype::Float32 }))
}

/// The dtype that tensors promote to.
pub(super) fn promoted(cx: &Decompose<'_>, values: &[Value]) -> Result<Dtype, DecomposeError> {
    let args: Vec<Arg> = values.iter().map(|v| Arg::Value(*v)).collect();
    result_type(cx.graph, &args).map_err(|e| cx.error(Status::Dtype, e))
}

/// The elements, their mean or their sum, as the argument `reduction` says, in the result's dtype.
fn reduced(cx: &mut Decompose<'_>, loss: Value, dtype: Dtype) -> Results {
    let loss = match cx.known_int("reduction")? {
        1 => cx.mean(loss, &[], false)?,
        2 => cx.sum(loss, &[], false)?,
        _ => loss,
    };
    Ok(vec![cx.cast(loss, dtype)?])
}

pub(super) fn clamp_min(cx: &mut Decompose<'_>, a: Value, min: f64) -> Built {
    cx.call("aten.clamp_min.default", vec![Arg::Value(a), Arg::Float(min)])
}

/// `a` where the condition holds, the number elsewhere.
pub(super) fn where_number(cx: &mut Decompose<'_>, condition: Value, a: Value, other: f64) -> Built {
    cx.call("aten.where.ScalarOther", vec![Arg::Value(condition), Arg::Value(a), Arg::Float(other)])
}

/// A number as a dtype holds it.
pub(super) fn rounded(number: f64, dtype: Dtype) -> f64 {
    match dtype {
        Dtype::Bfloat16 => half::bf16::from_f32(number as f32).to_f64(),
        Dtype::Float16 => half::f16::from_f32(number as f32).to_f64(),
        _ => number,
    }
}

/// `number - a`; PyTorch gives the number the dtype of `a` first.
fn minus_from(cx: &mut Decompose<'_>, number: f64, a: Value) -> Built {
    let number = rounded(number, cx.dtype_of(a));
    cx.call("aten.rsub.Scalar", vec![Arg::Value(a), Arg::Float(number)])
}

pub fn mse_loss(cx: &mut Decompose<'_>) -> Results {
    let (v, dtype) = operands(cx, &["self", "target"])?;
    let difference = cx.sub(v[0], v[1])?;
    let loss = cx.unary("square", difference)?;
    reduced(cx, loss, dtype)
}

/// Integers too, whose sum is int64.
pub fn l1_loss(cx: &mut Decompose<'_>) -> Results {
    let difference = cx.sub(cx.value("self")?, cx.value("target")?)?;
    let loss = cx.unary("abs", difference)?;
    let dtype = match (cx.known_int("reduction")?, cx.dtype_of(loss)) {
        (2, own) if !own.is_float() && !own.is_complex() => Dtype::Int64,
        (_, own) => own,
    };
    reduced(cx, loss, dtype)
}

/// `d²/2/beta` below `beta`, `|d| - beta/2` from it on.
pub fn smooth_l1_loss(cx: &mut Decompose<'_>) -> Results {
    let beta = cx.float("beta").unwrap_or(1.0);
    if beta == 0.0 {
        return l1_loss(cx);
    }
    let (v, dtype) = operands(cx, &["self", "target"])?;
    let (a, b) = (cx.compute(v[0])?, cx.compute(v[1])?);
    let difference = cx.sub(a, b)?;
    let distance = cx.unary("abs", difference)?;
    let square = cx.unary("square", difference)?;
    let near = cx.mul(square, 0.5 / beta)?;
    let far = cx.sub(distance, 0.5 * beta)?;
    let is_near = cx.compare("lt", distance, beta)?;
    let loss = cx.select(is_near, near, far)?;
    let loss = cx.cast(loss, dtype)?;
    reduced(cx, loss, dtype)
}

/// `d²/2` up to `delta`, `delta * (|d| - delta/2)` beyond.
pub fn huber_loss(cx: &mut Decompose<'_>) -> Results {
    let (mut v, dtype) = operands(cx, &["self", "target"])?;
    let mut delta = cx.float("delta").unwrap_or(1.0);
    if dtype == Dtype::Float16 {
        // PyTorch rounds the loss of these alone, but each step of bfloat16.
        v = vec![cx.compute(v[0])?, cx.compute(v[1])?];
    } else {
        delta = rounded(delta, dtype);
    }
    let difference = cx.sub(v[0], v[1])?;
    let distance = cx.unary("abs", difference)?;
    let square = cx.unary("square", difference)?;
    let near = cx.mul(square, 0.5)?;
    let beyond = cx.sub(distance, 0.5 * delta)?;
    let far = cx.mul(beyond, delta)?;
    let is_near = cx.compare("le", distance, delta)?;
    let loss = cx.select(is_near, near, far)?;
    // Written to a tensor of the input's dtype.
    let own = cx.dtype_of(cx.value("self")?);
    let loss = cx.cast(loss, own)?;
    reduced(cx, loss, own)
}

pub fn ctc_loss(cx: &mut Decompose<'_>) -> Results {
    cx.call_all("litz.ctc_loss.default", cx.args[..5].to_vec(), Vec::new())
}

fn weighted(cx: &mut Decompose<'_>, loss: Value) -> Built {
    match cx.optional_value("weight") {
        None => Ok(loss),
        Some(weight) => {
            let dtype = cx.dtype_of(loss);
            let weight = cx.cast(weight, dtype)?;
            cx.mul(loss, weight)
        }
    }
}

/// `-(t * log x + (1 - t) * log(1 - x))`, the logarithms no lower than -100.
pub fn binary_cross_entropy(cx: &mut Decompose<'_>) -> Results {
    let (v, dtype) = operands(cx, &["self", "target"])?;
    let (x, target) = (v[0], v[1]);
    let log = cx.unary("log", x)?;
    let log = clamp_min(cx, log, -100.0)?;
    let negative = cx.unary("neg", x)?;
    let log_rest = cx.unary("log1p", negative)?;
    let log_rest = clamp_min(cx, log_rest, -100.0)?;
    let hit = cx.mul(target, log)?;
    let less = cx.sub(target, 1.0)?;
    let miss = cx.mul(less, log_rest)?;
    let loss = cx.sub(miss, hit)?;
    let loss = weighted(cx, loss)?;
    reduced(cx, loss, dtype)
}

/// `(1 - t) * x - (1 + (pos_weight - 1) * t) * log_sigmoid(x)`
pub fn binary_cross_entropy_with_logits(cx: &mut Decompose<'_>) -> Results {
    let (v, dtype) = operands(cx, &["self", "target"])?;
    let (x, target) = (v[0], v[1]);
    let written = cx.dtype_of(cx.value("target")?);
    let rest = minus_from(cx, 1.0, target)?;
    let linear = cx.mul(rest, x)?;
    let mut log = cx.unary("log_sigmoid", x)?;
    if let Some(weight) = cx.optional_value("pos_weight") {
        let weight = cx.cast(weight, dtype)?;
        let more = cx.sub(weight, 1.0)?;
        let more = cx.mul(more, target)?;
        let factor = cx.add(more, 1.0)?;
        log = cx.mul(factor, log)?;
    }
    let loss = cx.sub(linear, log)?;
    let loss = weighted(cx, loss)?;
    reduced(cx, loss, written)
}

/// `t * (log t - x)`, nothing where t is zero; with `log_target`, `exp(t) * (t - x)`.
pub fn kl_div(cx: &mut Decompose<'_>) -> Results {
    // Each step promotes its operands alone, as in PyTorch.
    let (x, target) = (cx.value("self")?, cx.value("target")?);
    let loss = if cx.bool("log_target") {
        let probability = cx.unary("exp", target)?;
        let difference = cx.sub(target, x)?;
        cx.mul(probability, difference)?
    } else {
        let entropy = cx.call("aten.xlogy.Tensor", vec![Arg::Value(target), Arg::Value(target)])?;
        let cross = cx.mul(target, x)?;
        cx.sub(entropy, cross)?
    };
    let dtype = cx.dtype_of(loss);
    reduced(cx, loss, dtype)
}

/// `max(0, margin - target * (input1 - input2))`
pub fn margin_ranking_loss(cx: &mut Decompose<'_>) -> Results {
    // Each step promotes its operands alone: unsigned integers wrap in their own dtypes, beside floats too.
    let difference = cx.sub(cx.value("input1")?, cx.value("input2")?)?;
    let negative = cx.unary("neg", cx.value("target")?)?;
    let signed = cx.mul(negative, difference)?;
    let loss = cx.add(signed, cx.float("margin").unwrap_or(0.0))?;
    let loss = clamp_min(cx, loss, 0.0)?;
    let dtype = cx.dtype_of(loss);
    reduced(cx, loss, dtype)
}

/// `x` where the target is 1, `max(0, margin - x)` where it is -1; both of them for any other target. All of it is computed in
/// the dtype of `x`, integers too, for which the margin is cut to an integer.
pub fn hinge_embedding_loss(cx: &mut Decompose<'_>) -> Results {
    let (x, target) = (cx.value("self")?, cx.value("target")?);
    let own = cx.dtype_of(x);
    let margin = cx.float("margin").unwrap_or(1.0);
    let least = cx.scalar(0.0, own)?;
    let margin = match own.is_float() {
        true => minus_from(cx, margin, x)?,
        false => {
            let margin = cx.scalar(margin.trunc(), own)?;
            cx.sub(margin, x)?
        }
    };
    let zero = cx.int_arg(0);
    let margin = cx.call("aten.clamp_min.default", vec![Arg::Value(margin), zero])?;
    let not_one = cx.compare("ne", target, 1.0)?;
    let margin = cx.select(not_one, margin, least)?;
    let not_minus_one = cx.compare("ne", target, -1.0)?;
    let kept = cx.select(not_minus_one, x, least)?;
    let loss = cx.add(margin, kept)?;
    let dtype = match (cx.known_int("reduction")?, own.is_float()) {
        (2, false) => Dtype::Int64,
        _ => own,
    };
    reduced(cx, loss, dtype)
}

/// `log(1 + exp(-t * x))`
pub fn soft_margin_loss(cx: &mut Decompose<'_>) -> Results {
    let (v, _) = operands(cx, &["self", "target"])?;
    let product = cx.mul(v[1], v[0])?;
    let negative = cx.unary("neg", product)?;
    let exp = cx.unary("exp", negative)?;
    let loss = cx.unary("log1p", exp)?;
    let written = cx.dtype_of(cx.value("self")?);
    reduced(cx, loss, written)
}

/// `exp(x) - t * x` or `x - t * log(x + eps)`; `full` adds Stirling's `t log t - t + log(2πt)/2` for t over 1.
pub fn poisson_nll_loss(cx: &mut Decompose<'_>) -> Results {
    // Each step promotes its operands alone, as in PyTorch.
    let (x, target) = (cx.value("input")?, cx.value("target")?);
    let mut loss = if cx.bool("log_input") {
        let exp = cx.unary("exp", x)?;
        let product = cx.mul(target, x)?;
        cx.sub(exp, product)?
    } else {
        let shifted = cx.add(x, cx.float("eps").unwrap_or(1e-8))?;
        let log = cx.unary("log", shifted)?;
        let product = cx.mul(target, log)?;
        cx.sub(x, product)?
    };
    let dtype = cx.dtype_of(loss);
    if cx.bool("full") {
        let log = cx.unary("log", target)?;
        let product = cx.mul(target, log)?;
        let term = cx.sub(product, target)?;
        let circle = cx.mul(target, 2.0 * std::f64::consts::PI)?;
        let log = cx.unary("log", circle)?;
        let half = cx.mul(log, 0.5)?;
        let term = cx.add(term, half)?;
        let large = cx.compare("gt", target, 1.0)?;
        let term = where_number(cx, large, term, 0.0)?;
        loss = cx.add(loss, term)?;
    }
    reduced(cx, loss, dtype)
}

/// `max(0, margin + d(anchor, positive) - d(anchor, negative))`; with `swap` the nearer of anchor and positive
/// stands against the negative.
pub fn triplet_margin_loss(cx: &mut Decompose<'_>) -> Results {
    let (v, dtype) = operands(cx, &["anchor", "positive", "negative"])?;
    let (p, eps) = (cx.float("p").unwrap_or(2.0), cx.float("eps").unwrap_or(1e-6));
    let distance = |cx: &mut Decompose<'_>, a: Value, b: Value| {
        let args = vec![Arg::Value(a), Arg::Value(b), Arg::Float(p), Arg::Float(eps)];
        cx.call("aten.pairwise_distance.default", args)
    };
    let positive = distance(cx, v[0], v[1])?;
    let mut negative = distance(cx, v[0], v[2])?;
    if cx.bool("swap") {
        let swapped = distance(cx, v[1], v[2])?;
        negative = cx.call("aten.minimum.default", vec![Arg::Value(negative), Arg::Value(swapped)])?;
    }
    let difference = cx.sub(positive, negative)?;
    let loss = cx.add(difference, cx.float("margin").unwrap_or(1.0))?;
    let loss = clamp_min(cx, loss, 0.0)?;
    reduced(cx, loss, dtype)
}

/// `1 - cos` where the target is 1, `max(0, cos - margin)` where it is -1.
pub fn cosine_embedding_loss(cx: &mut Decompose<'_>) -> Results {
    let (v, dtype) = operands(cx, &["input1", "input2"])?;
    let target = cx.value("target")?;
    let dot = |cx: &mut Decompose<'_>, a: Value, b: Value| -> Built {
        let product = cx.mul(a, b)?;
        cx.sum(product, &[-1], false)
    };
    let product = dot(cx, v[0], v[1])?;
    let (first, second) = (dot(cx, v[0], v[0])?, dot(cx, v[1], v[1])?);
    let (first, second) = (cx.add(first, 1e-12)?, cx.add(second, 1e-12)?);
    let magnitude = cx.mul(first, second)?;
    let magnitude = cx.unary("sqrt", magnitude)?;
    let cosine = cx.div(product, magnitude)?;
    let near = minus_from(cx, 1.0, cosine)?;
    let far = cx.sub(cosine, cx.float("margin").unwrap_or(0.0))?;
    let far = clamp_min(cx, far, 0.0)?;
    let number = |cx: &Decompose<'_>, v: i64| crate::decompose::Operand::Int(cx.constant(v));
    let is_one = cx.compare("eq", target, number(cx, 1))?;
    let is_minus_one = cx.compare("eq", target, number(cx, -1))?;
    let near = where_number(cx, is_one, near, 0.0)?;
    let far = where_number(cx, is_minus_one, far, 0.0)?;
    let loss = cx.add(near, far)?;
    reduced(cx, loss, dtype)
}

/// The numbers `0..size` along the last dimension.
fn places(cx: &mut Decompose<'_>, size: SymInt) -> Built {
    cx.call_with("aten.arange.default", vec![Arg::Int(size)], vec![("dtype", Arg::Dtype(Dtype::Int64))])
}

fn gather(cx: &mut Decompose<'_>, a: Value, dim: i64, index: Value) -> Built {
    let dim = cx.int_arg(dim);
    cx.call("aten.gather.default", vec![Arg::Value(a), dim, Arg::Value(index)])
}

/// An element of a vector for each class number.
fn take(cx: &mut Decompose<'_>, vector: Value, index: Value) -> Built {
    cx.call("aten.index.Tensor", vec![Arg::Value(vector), Arg::Values(vec![Some(index)])])
}

/// The mean over the classes j that are not the target y of `max(0, margin - x[y] + x[j]) ^ p * weight[y]`.
pub fn multi_margin_loss(cx: &mut Decompose<'_>) -> Results {
    let p = cx.float("p").unwrap_or(1.0);
    if p != 1.0 && p != 2.0 {
        return Err(cx.unsupported(format!("`p` must be 1 or 2, not {p}")));
    }
    let (v, dtype) = operands(cx, &["self"])?;
    let (mut x, mut target) = (v[0], cx.value("target")?);
    let single = cx.rank(x) < 2;
    if single {
        let one = cx.constant(1);
        let classes = cx.shape(x).first().copied().unwrap_or(one);
        x = cx.reshape(x, &[one, classes])?;
        target = cx.reshape(target, &[one])?;
    }
    let at = cx.unsqueeze(target, 1)?;
    let own = gather(cx, x, 1, at)?;
    let difference = cx.sub(x, own)?;
    let loss = cx.add(difference, cx.float("margin").unwrap_or(1.0))?;
    let mut loss = clamp_min(cx, loss, 0.0)?;
    if p == 2.0 {
        loss = cx.unary("square", loss)?;
    }
    if let Some(weight) = cx.optional_value("weight") {
        let weight = cx.cast(weight, dtype)?;
        let weight = take(cx, weight, at)?;
        loss = cx.mul(loss, weight)?;
    }
    let classes = cx.shape(x)[1];
    let numbers = places(cx, classes)?;
    let other = cx.compare("ne", numbers, at)?;
    let loss = where_number(cx, other, loss, 0.0)?;
    let mut loss = cx.mean(loss, &[1], false)?;
    if single {
        loss = cx.squeeze(loss, 0)?;
    }
    reduced(cx, loss, dtype)
}

/// The mean over the classes of the sum, over targets t before the first negative one and classes j that are no
/// target, of `max(0, 1 - (x[t] - x[j]))`.
pub fn multilabel_margin_loss(cx: &mut Decompose<'_>) -> Results {
    let (v, dtype) = operands(cx, &["self"])?;
    let (mut x, mut target) = (v[0], cx.value("target")?);
    let single = cx.rank(x) < 2;
    if single {
        let one = cx.constant(1);
        let classes = cx.shape(x).first().copied().unwrap_or(one);
        x = cx.reshape(x, &[one, classes])?;
        target = cx.reshape(target, &[one, classes])?;
    }
    let classes = cx.shape(x)[1];
    let zero = crate::decompose::Operand::Int(cx.constant(0));
    let negative = cx.compare("lt", target, zero)?;
    let negative = cx.cast(negative, Dtype::Int64)?;
    let dim = cx.int_arg(1);
    let ended = cx.call("aten.cumsum.default", vec![Arg::Value(negative), dim])?;
    let valid = cx.compare("eq", ended, zero)?;
    let none = cx.int_arg(0);
    let safe = cx.call("aten.where.ScalarOther", vec![Arg::Value(valid), Arg::Value(target), none])?;
    let chosen = gather(cx, x, 1, safe)?;
    let numbers = places(cx, classes)?;
    let safe = cx.unsqueeze(safe, 2)?;
    let valid = cx.unsqueeze(valid, 2)?;
    let same = cx.compare("eq", safe, numbers)?;
    let same = cx.call("aten.logical_and.default", vec![Arg::Value(same), Arg::Value(valid)])?;
    let (dim, keep) = (cx.int_arg(1), Arg::Bool(true));
    let is_target = cx.call("aten.any.dim", vec![Arg::Value(same), dim, keep])?;
    let other = cx.unary("logical_not", is_target)?;
    let counted = cx.call("aten.logical_and.default", vec![Arg::Value(valid), Arg::Value(other)])?;
    let (chosen, each) = (cx.unsqueeze(chosen, 2)?, cx.unsqueeze(x, 1)?);
    let difference = cx.sub(each, chosen)?;
    let loss = cx.add(difference, 1.0)?;
    let loss = clamp_min(cx, loss, 0.0)?;
    let loss = where_number(cx, counted, loss, 0.0)?;
    let loss = cx.sum(loss, &[1, 2], false)?;
    let mut loss = cx.div(loss, classes)?;
    if single {
        loss = cx.squeeze(loss, 0)?;
    }
    reduced(cx, loss, dtype)
}

/// What picking the target classes gives: the negated, weighted scores (zero where ignored), and the weights.
struct Picked {
    loss: Value,
    weights: Value,
    /// True where the target is not the ignored class.
    valid: Value,
}

/// `scores[n, c, ..]` or `[c]`.
fn pick(cx: &mut Decompose<'_>, scores: Value) -> Result<Picked, DecomposeError> {
    let target = cx.value("target")?;
    let mut target = cx.cast(target, Dtype::Int64)?;
    let classes = i64::from(cx.rank(scores) > 1);
    let dtype = cx.dtype_of(scores);
    if classes == 0 {
        // One example: its class may have a dimension.
        target = cx.reshape(target, &[])?;
    }
    let Some(ignore) = cx.int("ignore_index") else {
        return Err(cx.unsupported("`ignore_index` must be an integer"));
    };
    let valid = cx.compare("ne", target, ignore)?;
    let zero = cx.int_arg(0);
    let safe = cx.call("aten.where.ScalarOther", vec![Arg::Value(valid), Arg::Value(target), zero])?;
    let at = cx.unsqueeze(safe, classes)?;
    let picked = gather(cx, scores, classes, at)?;
    let picked = cx.squeeze(picked, classes)?;
    let mut loss = cx.unary("neg", picked)?;
    let weights = match cx.optional_value("weight") {
        None => cx.cast(valid, dtype)?,
        Some(weight) => {
            let weight = cx.cast(weight, dtype)?;
            let each = take(cx, weight, safe)?;
            loss = cx.mul(loss, each)?;
            where_number(cx, valid, each, 0.0)?
        }
    };
    let loss = where_number(cx, valid, loss, 0.0)?;
    Ok(Picked { loss, weights, valid })
}

pub fn nll_loss(cx: &mut Decompose<'_>) -> Results {
    Ok(vec![nll_parts(cx)?[0]])
}

/// The loss, and the sum of the weights (zero where nothing is reduced).
pub fn nll_loss_forward(cx: &mut Decompose<'_>) -> Results {
    nll_parts(cx)
}

fn nll_parts(cx: &mut Decompose<'_>) -> Results {
    let (v, dtype) = operands(cx, &["self"])?;
    let picked = pick(cx, v[0])?;
    let reduction = cx.known_int("reduction")?;
    if reduction == 0 {
        // The kernel for one example counts its weight.
        let total = if cx.rank(v[0]) == 1 { cx.cast(picked.weights, dtype)? } else { cx.scalar(0.0, dtype)? };
        return Ok(vec![cx.cast(picked.loss, dtype)?, total]);
    }
    let total = cx.sum(picked.weights, &[], false)?;
    let mut loss = cx.sum(picked.loss, &[], false)?;
    if reduction == 1 {
        loss = cx.div(loss, total)?;
    }
    Ok(vec![cx.cast(loss, dtype)?, cx.cast(total, dtype)?])
}

/// The logarithms of the scores' softmax over the classes, and which dimension the classes are.
fn log_probabilities(cx: &mut Decompose<'_>, scores: Value) -> Result<(Value, i64), DecomposeError> {
    let classes = i64::from(cx.rank(scores) > 1);
    let dim = cx.int_arg(classes);
    Ok((cx.call("aten.log_softmax.int", vec![Arg::Value(scores), dim])?, classes))
}

pub fn cross_entropy_loss(cx: &mut Decompose<'_>) -> Results {
    let target = cx.value("target")?;
    if cx.dtype_of(target).is_float() {
        return cross_entropy_with_probabilities(cx);
    }
    let (v, dtype) = operands(cx, &["self"])?;
    let (scores, classes) = log_probabilities(cx, v[0])?;
    let picked = pick(cx, scores)?;
    let reduction = cx.known_int("reduction")?;
    let smoothing = cx.float("label_smoothing").unwrap_or(0.0);
    let reduce = |cx: &mut Decompose<'_>, loss: Value| -> Built {
        if reduction == 0 {
            return Ok(loss);
        }
        let sum = cx.sum(loss, &[], false)?;
        if reduction == 2 {
            return Ok(sum);
        }
        let total = cx.sum(picked.weights, &[], false)?;
        cx.div(sum, total)
    };
    let mut loss = reduce(cx, picked.loss)?;
    if smoothing > 0.0 {
        let all = class_weighted(cx, scores, classes)?;
        let all = cx.sum(all, &[classes], false)?;
        let all = cx.unary("neg", all)?;
        let smooth = where_number(cx, picked.valid, all, 0.0)?;
        let smooth = reduce(cx, smooth)?;
        let count = cx.shape(scores)[classes as usize];
        let smooth = cx.div(smooth, count)?;
        let smooth = cx.mul(smooth, smoothing)?;
        loss = cx.mul(loss, 1.0 - smoothing)?;
        loss = cx.add(loss, smooth)?;
    }
    Ok(vec![cx.cast(loss, dtype)?])
}

/// The scores times their classes' weights, where there are weights.
fn class_weighted(cx: &mut Decompose<'_>, scores: Value, classes: i64) -> Built {
    let Some(weight) = cx.optional_value("weight") else { return Ok(scores) };
    let dtype = cx.dtype_of(scores);
    let weight = cx.cast(weight, dtype)?;
    let weight = class_weights(cx, scores, classes, weight)?;
    cx.mul(scores, weight)
}

/// The weights along the dimension of classes.
fn class_weights(cx: &mut Decompose<'_>, scores: Value, classes: i64, mut weight: Value) -> Built {
    for _ in classes as usize + 1..cx.rank(scores) {
        weight = cx.unsqueeze(weight, -1)?;
    }
    Ok(weight)
}

fn cross_entropy_with_probabilities(cx: &mut Decompose<'_>) -> Results {
    // Each step promotes its operands alone, as in PyTorch: a target or weights may be of another dtype than the scores.
    let (v, _) = operands(cx, &["self"])?;
    let (scores, classes) = log_probabilities(cx, v[0])?;
    let mut target = cx.value("target")?;
    let smoothing = cx.float("label_smoothing").unwrap_or(0.0);
    let shape = cx.shape(scores);
    if smoothing > 0.0 {
        let count = cx.syms().as_const(shape[classes as usize]);
        let count =
            count.ok_or_else(|| cx.unsupported("label smoothing needs a constant count of classes"))?;
        let scaled = cx.mul(target, 1.0 - smoothing)?;
        target = cx.add(scaled, smoothing / count as f64)?;
    }
    let mut product = cx.mul(scores, target)?;
    if let Some(weight) = cx.optional_value("weight") {
        let weight = class_weights(cx, scores, classes, weight)?;
        product = cx.mul(product, weight)?;
    }
    let dtype = cx.dtype_of(product);
    let reduction = cx.known_int("reduction")?;
    let dims = if reduction == 0 { vec![classes] } else { Vec::new() };
    let sum = cx.sum(product, &dims, false)?;
    let mut loss = cx.unary("neg", sum)?;
    if reduction == 1 {
        // The mean is over samples, weighted or not.
        let samples: Vec<SymInt> =
            shape.iter().enumerate().filter(|(d, _)| *d as i64 != classes).map(|(_, s)| *s).collect();
        let count = cx.syms().product(&samples);
        loss = cx.div(loss, count)?;
    }
    Ok(vec![cx.cast(loss, dtype)?])
}
