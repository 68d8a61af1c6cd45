//! Of normalisations: sums over what was normalized, and over the rest for parameters.

use super::{Results, dims, given, zeros};
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

fn computed(cx: &mut Decompose<'_>, value: Value) -> Result<Value, DecomposeError> {
    cx.compute(value)
}

fn parameter(cx: &mut Decompose<'_>, name: &str) -> Result<Option<Value>, DecomposeError> {
    match cx.optional_value(name) {
        Some(value) => computed(cx, value).map(Some),
        None => Ok(None),
    }
}

/// The dtype of parameters' gradients.
fn parameter_dtype(cx: &Decompose<'_>, own: Dtype) -> Dtype {
    cx.optional_value("weight").map_or(own, |weight| cx.dtype_of(weight))
}

/// The sum over the first `outer` dimensions, in this shape.
fn summed(
    cx: &mut Decompose<'_>,
    value: Value,
    outer: usize,
    shape: &[SymInt],
) -> Result<Value, DecomposeError> {
    let sum = if outer == 0 { value } else { cx.sum(value, &dims(0, outer), false)? };
    cx.reshape(sum, shape)
}

/// The statistics with a size of 1 in each normalized dimension.
fn statistics(cx: &mut Decompose<'_>, name: &str, x: Value, outer: usize) -> Result<Value, DecomposeError> {
    let value = cx.value(name)?;
    let value = computed(cx, value)?;
    let one = cx.constant(1);
    let mut shape = cx.shape(x);
    shape[outer..].fill(one);
    cx.reshape(value, &shape)
}

/// `rstd * (h - mean(h) - n * mean(h * n))` with `h` the weighted gradient and `n` the normalized input
pub fn layer_norm_backward(cx: &mut Decompose<'_>) -> Results {
    let (gradient, x) = (given(cx)?, cx.value("input")?);
    let (own, of_parameters) = (cx.dtype_of(x), parameter_dtype(cx, cx.dtype_of(x)));
    let (gradient, x) = (computed(cx, gradient)?, computed(cx, x)?);
    let shape = cx.ints("normalized_shape").unwrap_or(&[]).to_vec();
    let (rank, outer) = (cx.rank(x), cx.rank(x) - shape.len());
    let inner = dims(outer, rank);
    let (mean, rstd) = (statistics(cx, "mean", x, outer)?, statistics(cx, "rstd", x, outer)?);
    let centred = cx.sub(x, mean)?;
    let normalized = cx.mul(centred, rstd)?;
    let weighted = match parameter(cx, "weight")? {
        Some(weight) => cx.mul(gradient, weight)?,
        None => gradient,
    };
    let first = cx.mean(weighted, &inner, true)?;
    let product = cx.mul(weighted, normalized)?;
    let second = cx.mean(product, &inner, true)?;
    let along = cx.mul(normalized, second)?;
    let left = cx.sub(weighted, first)?;
    let left = cx.sub(left, along)?;
    let of_input = cx.mul(left, rstd)?;
    let product = cx.mul(gradient, normalized)?;
    let of_weight = summed(cx, product, outer, &shape)?;
    let of_bias = summed(cx, gradient, outer, &shape)?;
    Ok(vec![cx.cast(of_input, own)?, cx.cast(of_weight, of_parameters)?, cx.cast(of_bias, of_parameters)?])
}

/// As of a layer norm whose mean is zero.
pub fn rms_norm_backward(cx: &mut Decompose<'_>) -> Results {
    let (gradient, x) = (given(cx)?, cx.value("input")?);
    let (own, of_parameters) = (cx.dtype_of(x), parameter_dtype(cx, cx.dtype_of(x)));
    let (gradient, x) = (computed(cx, gradient)?, computed(cx, x)?);
    let shape = cx.ints("normalized_shape").unwrap_or(&[]).to_vec();
    let (rank, outer) = (cx.rank(x), cx.rank(x) - shape.len());
    let rstd = statistics(cx, "rstd", x, outer)?;
    let normalized = cx.mul(x, rstd)?;
    let weighted = match parameter(cx, "weight")? {
        Some(weight) => cx.mul(gradient, weight)?,
        None => gradient,
    };
    let product = cx.mul(weighted, normalized)?;
    let mean = cx.mean(product, &dims(outer, rank), true)?;
    let along = cx.mul(normalized, mean)?;
    let left = cx.sub(weighted, along)?;
    let of_input = cx.mul(left, rstd)?;
    let product = cx.mul(gradient, normalized)?;
    let of_weight = summed(cx, product, outer, &shape)?;
    Ok(vec![cx.cast(of_input, own)?, cx.cast(of_weight, of_parameters)?])
}

/// Over `[batch, groups, channels of a group, places]`.
pub fn group_norm_backward(cx: &mut Decompose<'_>) -> Results {
    let (gradient, x) = (given(cx)?, cx.value("input")?);
    let (own, of_parameters) = (cx.dtype_of(x), parameter_dtype(cx, cx.dtype_of(x)));
    let whole = cx.shape(x);
    let groups = cx.known_int("group")?;
    let (batch, channels) = (whole[0], whole[1]);
    let (one, count) = (cx.constant(1), cx.constant(groups));
    let each = cx.syms().floordiv(channels, count);
    let places = cx.syms().product(&whole[2..]);
    let parts = [batch, count, each, places];
    let (gradient, x) = (computed(cx, gradient)?, computed(cx, x)?);
    let (gradient, x) = (cx.reshape(gradient, &parts)?, cx.reshape(x, &parts)?);
    let (mean, rstd) = (cx.value("mean")?, cx.value("rstd")?);
    let (mean, rstd) = (computed(cx, mean)?, computed(cx, rstd)?);
    let line = [batch, count, one, one];
    let (mean, rstd) = (cx.reshape(mean, &line)?, cx.reshape(rstd, &line)?);
    let centred = cx.sub(x, mean)?;
    let normalized = cx.mul(centred, rstd)?;
    let weighted = match parameter(cx, "weight")? {
        Some(weight) => {
            let weight = cx.reshape(weight, &[one, count, each, one])?;
            cx.mul(gradient, weight)?
        }
        None => gradient,
    };
    let first = cx.mean(weighted, &[2, 3], true)?;
    let product = cx.mul(weighted, normalized)?;
    let second = cx.mean(product, &[2, 3], true)?;
    let along = cx.mul(normalized, second)?;
    let left = cx.sub(weighted, first)?;
    let left = cx.sub(left, along)?;
    let of_input = cx.mul(left, rstd)?;
    let of_input = cx.reshape(of_input, &whole)?;
    let product = cx.mul(gradient, normalized)?;
    let of_weight = cx.sum(product, &[0, 3], false)?;
    let of_weight = cx.reshape(of_weight, &[channels])?;
    let of_bias = cx.sum(gradient, &[0, 3], false)?;
    let of_bias = cx.reshape(of_bias, &[channels])?;
    Ok(vec![cx.cast(of_input, own)?, cx.cast(of_weight, of_parameters)?, cx.cast(of_bias, of_parameters)?])
}

/// Of a batch norm, with the batch's statistics or the running ones.
pub fn batch_norm_backward(cx: &mut Decompose<'_>) -> Results {
    let (gradient, x) = (given(cx)?, cx.value("input")?);
    let (own, of_parameters) = (cx.dtype_of(x), parameter_dtype(cx, cx.dtype_of(x)));
    let has = |name: &str| cx.op.schema().arg(name).is_some();
    let train = match (has("train"), has("update")) {
        (true, _) => cx.bool("train"),
        (_, true) => cx.bool("update"),
        _ => true,
    };
    let eps = cx.float(if has("eps") { "eps" } else { "epsilon" }).unwrap_or(1e-5);
    let inverse = if has("save_invstd") { "save_invstd" } else { "save_var" };
    let whole = cx.shape(x);
    let one = cx.constant(1);
    let mut line = vec![one; whole.len()];
    line[1] = whole[1];
    let (gradient, x) = (computed(cx, gradient)?, computed(cx, x)?);
    let (mean, rstd) = if train {
        let (mean, rstd) = (cx.value("save_mean")?, cx.value(inverse)?);
        (computed(cx, mean)?, computed(cx, rstd)?)
    } else {
        let (mean, var) = (cx.value("running_mean")?, cx.value("running_var")?);
        let (mean, var) = (computed(cx, mean)?, computed(cx, var)?);
        let var = cx.add(var, eps)?;
        (mean, cx.unary("rsqrt", var)?)
    };
    let (mean, rstd) = (cx.reshape(mean, &line)?, cx.reshape(rstd, &line)?);
    let centred = cx.sub(x, mean)?;
    let normalized = cx.mul(centred, rstd)?;
    let others: Vec<i64> = dims(0, whole.len()).into_iter().filter(|d| *d != 1).collect();
    let product = cx.mul(gradient, normalized)?;
    let of_weight = cx.sum(product, &others, false)?;
    let of_bias = cx.sum(gradient, &others, false)?;
    let scale = match parameter(cx, "weight")? {
        Some(weight) => {
            let weight = cx.reshape(weight, &line)?;
            cx.mul(rstd, weight)?
        }
        None => rstd,
    };
    let left = if train {
        // One reduction gives a parameter's gradient and a mean.
        let sizes: Vec<SymInt> = others.iter().map(|d| whole[*d as usize]).collect();
        let numel = cx.syms().product(&sizes);
        let mut mean = |sum: Value| {
            let sum = cx.reshape(sum, &line)?;
            cx.call("aten.div.Scalar", vec![Arg::Value(sum), Arg::Int(numel)])
        };
        let (first, second) = (mean(of_bias)?, mean(of_weight)?);
        let along = cx.mul(normalized, second)?;
        let left = cx.sub(gradient, first)?;
        cx.sub(left, along)?
    } else {
        gradient
    };
    let of_input = cx.mul(left, scale)?;
    Ok(vec![cx.cast(of_input, own)?, cx.cast(of_weight, of_parameters)?, cx.cast(of_bias, of_parameters)?])
}

pub fn cudnn_batch_norm(cx: &mut Decompose<'_>) -> Results {
    let list = ["input", "weight", "bias", "running_mean", "running_var", "training"];
    let mut args: Vec<Arg> = list.map(|name| cx.arg(name).clone()).to_vec();
    args.extend(["exponential_average_factor", "epsilon"].map(|name| cx.arg(name).clone()));
    let mut results = cx.call_all("aten.native_batch_norm.default", args, Vec::new())?;
    let none = cx.constant(0);
    results.push(zeros(cx, vec![none], Dtype::Uint8)?);
    Ok(results)
}

/// Of `v * g / |v|`, where the length is over all dimensions but one.
pub fn weight_norm_backward(cx: &mut Decompose<'_>) -> Results {
    let (gradient, v) = (given(cx)?, cx.value("saved_v")?);
    let (g, norms) = (cx.value("saved_g")?, cx.value("saved_norms")?);
    let (of_v, of_g) = (cx.dtype_of(v), cx.dtype_of(g));
    let rank = cx.rank(v);
    let dim = cx.dim(cx.known_int("dim")?, rank)?;
    let (gradient, v) = (computed(cx, gradient)?, computed(cx, v)?);
    let (shape, one) = (cx.shape(g), cx.constant(1));
    let mut line = vec![one; rank];
    line[dim] = cx.shape(v)[dim];
    let (g, norms) = (computed(cx, g)?, computed(cx, norms)?);
    let (g, norms) = (cx.reshape(g, &line)?, cx.reshape(norms, &line)?);
    let others: Vec<i64> = dims(0, rank).into_iter().filter(|d| *d != dim as i64).collect();
    let product = cx.mul(gradient, v)?;
    let sums = if others.is_empty() { product } else { cx.sum(product, &others, true)? };
    let by_norm = cx.div(sums, norms)?;
    let along = cx.div(by_norm, norms)?;
    let along = cx.mul(v, along)?;
    let left = cx.sub(gradient, along)?;
    let scale = cx.div(g, norms)?;
    let own = cx.mul(left, scale)?;
    let by_norm = cx.reshape(by_norm, &shape)?;
    Ok(vec![cx.cast(own, of_v)?, cx.cast(by_norm, of_g)?])
}
