//! Normalisations, softmax, dropout.
//!
//! Layer norm's second and third result, mean and deviation, are not differentiated, as in PyTorch. Those of group norm and batch norm are:
//! batch norm's gradient reads them, and it can be differentiated again.

use super::super::Outcome;
use super::super::context::Derivative;
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

/// The gradient of a softmax, or of its logarithm, by the operator of this name.
fn softmax_by(d: &mut Derivative<'_>, operator: &str) -> Outcome {
    let (grad, found, input) = (d.grad()?, d.results[0], d.value("self")?);
    let (dim, dtype) = (d.arg("dim").clone(), Arg::Dtype(d.dtype_of(input)));
    let cotangent = d.call(operator, vec![Arg::Value(grad), Arg::Value(found), dim, dtype])?;
    d.give("self", cotangent)
}

pub fn softmax(d: &mut Derivative<'_>) -> Outcome {
    softmax_by(d, "aten._softmax_backward_data.default")
}

pub fn log_softmax(d: &mut Derivative<'_>) -> Outcome {
    softmax_by(d, "aten._log_softmax_backward_data.default")
}

/// How a normalisation's gradient is made: the dimensions over which mean and variance were taken, the argument as it was
/// normalised, and the factor that each element was multiplied by.
struct Normalized {
    dims: Vec<i64>,
    centered: Value,
    /// The inverse of the standard deviation, or of the root of the mean square.
    scale: Value,
    /// The mean was taken away.
    is_centered: bool,
}

impl Normalized {
    /// From the argument, over these dimensions.
    fn new(
        d: &mut Derivative<'_>,
        input: Value,
        dims: Vec<i64>,
        eps: f64,
        is_centered: bool,
    ) -> Outcome<Self> {
        let own = d.compute(input)?;
        let (centered, square) = if is_centered {
            let mean = d.mean(own, &dims, true)?;
            let centered = d.sub(own, mean)?;
            (centered, d.mul(centered, centered)?)
        } else {
            (own, d.mul(own, own)?)
        };
        let variance = d.mean(square, &dims, true)?;
        let safe = d.add(variance, eps)?;
        let scale = d.unary("rsqrt", safe)?;
        Ok(Normalized { dims, centered, scale, is_centered })
    }

    /// The argument, normalised.
    fn value(&self, d: &mut Derivative<'_>) -> Outcome<Value> {
        d.mul(self.centered, self.scale)
    }

    /// The argument's gradient from that of the normalised argument.
    fn back(&self, d: &mut Derivative<'_>, grad: Value) -> Outcome<Value> {
        let own = self.value(d)?;
        let along = d.mul(grad, own)?;
        let along = d.mean(along, &self.dims, true)?;
        let along = d.mul(own, along)?;
        let mut rest = d.sub(grad, along)?;
        if self.is_centered {
            let mean = d.mean(grad, &self.dims, true)?;
            rest = d.sub(rest, mean)?;
        }
        d.mul(rest, self.scale)
    }
}

/// Weight and bias over the last dimensions, which are normalised.
fn over_last(d: &mut Derivative<'_>, eps: f64, is_centered: bool) -> Outcome {
    let Some(grad) = d.cotangent(0) else { return Ok(()) };
    let input = d.value("input")?;
    let count = d.ints("normalized_shape").map_or(1, <[SymInt]>::len);
    let dims: Vec<i64> = (1..=count as i64).map(|k| -k).rev().collect();
    let normalized = Normalized::new(d, input, dims, eps, is_centered)?;
    let grad = d.compute(grad)?;
    if d.op.schema().arg("bias").is_some() && d.needs("bias") {
        d.give("bias", grad)?;
    }
    if d.needs("weight") {
        let own = normalized.value(d)?;
        let product = d.mul(grad, own)?;
        d.give("weight", product)?;
    }
    if d.needs("input") {
        let weighted = match d.optional_value("weight") {
            Some(weight) => d.mul(grad, weight)?,
            None => grad,
        };
        let own = normalized.back(d, weighted)?;
        d.give("input", own)?;
    }
    Ok(())
}

pub fn layer_norm(d: &mut Derivative<'_>) -> Outcome {
    let eps = d.float("eps").unwrap_or(1e-5);
    over_last(d, eps, true)
}

pub fn rms_norm(d: &mut Derivative<'_>) -> Outcome {
    let input = d.value("input")?;
    let usual = if d.dtype_of(input) == Dtype::Float64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let eps = d.float("eps").unwrap_or(usual);
    over_last(d, eps, false)
}

/// The dimension of channels: the second, or the only one.
fn channel_dim(rank: usize) -> usize {
    rank.saturating_sub(1).min(1)
}

/// A value for each channel, shaped to stand along dimension 1.
fn along_channels(d: &mut Derivative<'_>, value: Value, rank: usize) -> Outcome<Value> {
    let mut shape = vec![d.constant(1); rank];
    shape[channel_dim(rank)] = d.shape(value)[0];
    d.reshape(value, &shape)
}

/// The dimensions other than that of channels.
fn other_dims(rank: usize) -> Vec<i64> {
    (0..rank).filter(|k| *k != channel_dim(rank)).map(|k| k as i64).collect()
}

/// A value times the weight of its channel, where there are weights.
fn weighted(d: &mut Derivative<'_>, value: Value) -> Outcome<Value> {
    let Some(weight) = d.optional_value("weight") else { return Ok(value) };
    let weight = along_channels(d, weight, d.rank(value))?;
    d.mul(value, weight)
}

/// The cotangents of weight and bias, one for each channel of `input`'s shape.
fn channel_parameters(d: &mut Derivative<'_>, grad: Value, own: Value) -> Outcome {
    let rank = d.rank(grad);
    let others = other_dims(rank);
    let summed = |d: &mut Derivative<'_>, value: Value| {
        if others.is_empty() { Ok(value) } else { d.sum(value, &others, false) }
    };
    if d.needs("bias") {
        let sums = summed(d, grad)?;
        d.give("bias", sums)?;
    }
    if d.needs("weight") {
        let product = d.mul(grad, own)?;
        let sums = summed(d, product)?;
        d.give("weight", sums)?;
    }
    Ok(())
}

fn grouped(d: &mut Derivative<'_>, groups: SymInt, eps: f64) -> Outcome {
    let (input, grad) = (d.value("input")?, d.grad()?);
    let (shape, grad) = (d.shape(input), d.compute(grad)?);
    let rest = {
        let syms = d.syms();
        syms.floordiv(syms.product(&shape[1..]), groups)
    };
    let parts = d.reshape(input, &[shape[0], groups, rest])?;
    let normalized = Normalized::new(d, parts, vec![2], eps, true)?;
    let own = normalized.value(d)?;
    let own = d.reshape(own, &shape)?;
    channel_parameters(d, grad, own)?;
    if d.needs("input") {
        let weighted = weighted(d, grad)?;
        let weighted = d.reshape(weighted, &[shape[0], groups, rest])?;
        let mut back = normalized.back(d, weighted)?;
        let placed = |d: &mut Derivative<'_>, grad: Value| d.unsqueeze(grad, 2);
        if let Some(of_statistics) = statistics(d, &normalized, rest, placed)? {
            back = d.add(back, of_statistics)?;
        }
        let back = d.reshape(back, &shape)?;
        d.give("input", back)?;
    }
    Ok(())
}

/// The argument's gradient from the cotangents of means and inverse deviations: `grad / count`, and `-grad centered scale^3 / count`.
/// `placed` reshapes a cotangent so that it broadcasts with the argument.
fn statistics(
    d: &mut Derivative<'_>,
    normalized: &Normalized,
    count: SymInt,
    placed: impl Fn(&mut Derivative<'_>, Value) -> Outcome<Value>,
) -> Outcome<Option<Value>> {
    let mut total = None;
    for result in [1, 2] {
        let Some(grad) = d.cotangent(result) else { continue };
        let grad = d.compute(grad)?;
        let grad = placed(d, grad)?;
        let mut part = d.div(grad, count)?;
        if result == 1 {
            let ones = d.call("aten.ones_like.default", vec![Arg::Value(normalized.centered)])?;
            part = d.mul(part, ones)?;
        } else {
            let cube = d.power(normalized.scale, 3.0)?;
            let slope = d.mul(normalized.centered, cube)?;
            part = d.mul(part, slope)?;
            part = d.unary("neg", part)?;
        }
        total = Some(match total {
            None => part,
            Some(before) => d.add(before, part)?,
        });
    }
    Ok(total)
}

pub fn group_norm(d: &mut Derivative<'_>) -> Outcome {
    let name = if d.op.schema().arg("num_groups").is_some() { "num_groups" } else { "group" };
    let groups = d.int(name).ok_or_else(|| d.unsupported("the number of groups must be an integer"))?;
    let eps = d.float("eps").unwrap_or(1e-5);
    grouped(d, groups, eps)
}

/// Batch norm: over all dimensions but the channels', by the batch's own statistics or by running ones.
pub fn batch_norm(d: &mut Derivative<'_>) -> Outcome {
    let schema = d.op.schema();
    let trains = match schema.arg("training") {
        Some(_) => d.bool("training"),
        None => !d.op.name().contains("no_training"),
    };
    by_statistics(d, trains)
}

/// Instance norm: each channel of each image by itself, or by running statistics.
pub fn instance_norm(d: &mut Derivative<'_>) -> Outcome {
    let eps = d.float("eps").unwrap_or(1e-5);
    if d.bool("use_input_stats") {
        let input = d.value("input")?;
        let channels = d.shape(input)[1];
        return grouped(d, channels, eps);
    }
    by_statistics(d, false)
}

/// Batch norm with the batch's statistics. With `m` for the mean over a channel, and `own` for the normalised argument, the argument's
/// gradient is `(grad - m(grad) - own m(grad own)) scale weight`. The sums in these means are the gradients of bias and weight.
fn by_own_statistics(d: &mut Derivative<'_>) -> Outcome {
    let (input, eps) = (d.value("input")?, d.float("eps").unwrap_or(1e-5));
    let (shape, rank) = (d.shape(input), d.rank(input));
    let others = other_dims(rank);
    let count = {
        let sizes: Vec<SymInt> = others.iter().map(|k| shape[*k as usize]).collect();
        d.syms().product(&sizes)
    };
    let normalized = match kept_statistics(d, input)? {
        Some([mean, scale]) => {
            let own = d.compute(input)?;
            let centered = d.sub(own, mean)?;
            Normalized { dims: others.clone(), centered, scale, is_centered: true }
        }
        None => Normalized::new(d, input, others.clone(), eps, true)?,
    };
    let mut back = None;
    if let Some(grad) = d.cotangent(0) {
        let (grad, own) = (d.compute(grad)?, normalized.value(d)?);
        let product = d.mul(grad, own)?;
        let [of_bias, of_weight] = [d.sum(grad, &others, false)?, d.sum(product, &others, false)?];
        for (name, sum) in [("bias", of_bias), ("weight", of_weight)] {
            if d.needs(name) {
                d.give(name, sum)?;
            }
        }
        let mean = |d: &mut Derivative<'_>, sum: Value| -> Outcome<Value> {
            let sum = along_channels(d, sum, rank)?;
            d.div(sum, count)
        };
        let [first, second] = [mean(d, of_bias)?, mean(d, of_weight)?];
        let along = d.mul(own, second)?;
        let rest = d.sub(grad, first)?;
        let rest = d.sub(rest, along)?;
        let factor = weighted(d, normalized.scale)?;
        back = Some(d.mul(rest, factor)?);
    }
    let placed = |d: &mut Derivative<'_>, grad: Value| along_channels(d, grad, rank);
    let of_statistics = statistics(d, &normalized, count, placed)?;
    let back = match (back, of_statistics) {
        (Some(back), Some(more)) => d.add(back, more)?,
        (Some(back), None) | (None, Some(back)) => back,
        (None, None) => return Ok(()),
    };
    if d.needs("input") { d.give("input", back) } else { Ok(()) }
}

/// The batch's mean and inverse deviation if they are results of the operator, in the dtype in which they were computed. They broadcast
/// with the argument.
fn kept_statistics(d: &mut Derivative<'_>, input: Value) -> Outcome<Option<[Value; 2]>> {
    let &[_, mean, scale, ..] = d.results else { return Ok(None) };
    let wide = d.dtype_of(input).compute();
    if [mean, scale].iter().any(|v| d.dtype_of(*v) != wide) {
        return Ok(None);
    }
    let rank = d.rank(input);
    Ok(Some([along_channels(d, mean, rank)?, along_channels(d, scale, rank)?]))
}

fn by_statistics(d: &mut Derivative<'_>, trains: bool) -> Outcome {
    if trains {
        return by_own_statistics(d);
    }
    let Some(grad) = d.cotangent(0) else { return Ok(()) };
    let (input, eps) = (d.value("input")?, d.float("eps").unwrap_or(1e-5));
    let (rank, grad) = (d.rank(input), d.compute(grad)?);
    let (mean, variance) = (d.value("running_mean")?, d.value("running_var")?);
    let (mean, variance) = (along_channels(d, mean, rank)?, along_channels(d, variance, rank)?);
    let safe = d.add(variance, eps)?;
    let scale = d.unary("rsqrt", safe)?;
    let centered = d.sub(input, mean)?;
    let own = d.mul(centered, scale)?;
    channel_parameters(d, grad, own)?;
    if d.needs("input") {
        let weighted = weighted(d, grad)?;
        let back = d.mul(weighted, scale)?;
        d.give("input", back)?;
    }
    Ok(())
}

/// Where nothing is dropped the argument is given as it is.
pub fn dropout(d: &mut Derivative<'_>) -> Outcome {
    let dropping = d.float("p").is_none_or(|p| p != 0.0);
    if d.bool("train") && dropping {
        return Err(d.unsupported("the derivative of a dropout that does not give its mask"));
    }
    let grad = d.grad()?;
    d.give("input", grad)
}

/// The mask is the second result.
pub fn native_dropout(d: &mut Derivative<'_>) -> Outcome {
    let Some(grad) = d.cotangent(0) else { return Ok(()) };
    let p = d.float("p").ok_or_else(|| d.unsupported("`p` must be a number"))?;
    let trains = *d.arg("train") == Arg::None || d.bool("train");
    if !trains {
        return d.give("input", grad);
    }
    let (mask, scale) = (d.results[1], if p == 1.0 { 0.0 } else { 1.0 / (1.0 - p) });
    let dtype = d.dtype_of(grad);
    let kept = d.cast(mask, dtype)?;
    let scaled = d.mul(grad, scale)?;
    let cotangent = d.mul(scaled, kept)?;
    d.give("input", cotangent)
}
