//! Of losses, and of the logarithm of softmax.

use super::{Built, Results, counted, given, or_zero};
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::Dtype;

/// Gradient, input and target as they are computed with, and the dtype of the result.
struct Loss {
    gradient: Value,
    x: Value,
    target: Value,
    dtype: Dtype,
}

fn loss(cx: &mut Decompose<'_>) -> Result<Loss, DecomposeError> {
    let mut values = [given(cx)?, cx.value("self")?, cx.value("target")?];
    let dtype = super::super::loss::promoted(cx, &values)?;
    for value in &mut values {
        let same = cx.cast(*value, dtype)?;
        *value = cx.compute(same)?;
    }
    let [gradient, x, target] = values;
    Ok(Loss { gradient, x, target, dtype })
}

/// Divides by how many elements there are where the loss was their mean.
fn meant(cx: &mut Decompose<'_>, value: Value, x: Value) -> Built {
    if cx.known_int("reduction")? != 1 {
        return Ok(value);
    }
    let count = cx.syms().product(&cx.shape(x));
    cx.div(value, count)
}

fn finished(cx: &mut Decompose<'_>, value: Value, loss: &Loss) -> Results {
    let value = meant(cx, value, loss.x)?;
    Ok(vec![cx.cast(value, loss.dtype)?])
}

/// `2 * (x - t) * g`
pub fn mse_loss_backward(cx: &mut Decompose<'_>) -> Results {
    let all = loss(cx)?;
    let difference = cx.sub(all.x, all.target)?;
    let twice = cx.mul(difference, 2.0)?;
    let product = cx.mul(twice, all.gradient)?;
    finished(cx, product, &all)
}

/// `g * d / bound` between the bounds, `g` or `-g` from them on, times `far`.
fn bounded(cx: &mut Decompose<'_>, all: &Loss, bound: f64, near: f64, far: f64) -> Built {
    let difference = cx.sub(all.x, all.target)?;
    let inner = cx.mul(difference, near)?;
    let inner = cx.mul(inner, all.gradient)?;
    let above = cx.mul(all.gradient, far)?;
    let below = cx.mul(all.gradient, -far)?;
    let (is_below, is_above) = (cx.compare("le", difference, -bound)?, cx.compare("ge", difference, bound)?);
    let upper = cx.select(is_above, above, inner)?;
    cx.select(is_below, below, upper)
}

pub fn smooth_l1_loss_backward(cx: &mut Decompose<'_>) -> Results {
    let beta = cx.float("beta").unwrap_or(1.0);
    let all = loss(cx)?;
    let product = if beta == 0.0 {
        // Of |d|: nothing where it has its corner.
        let difference = cx.sub(all.x, all.target)?;
        let sign = cx.unary("sign", difference)?;
        cx.mul(sign, all.gradient)?
    } else {
        bounded(cx, &all, beta, 1.0 / beta, 1.0)?
    };
    finished(cx, product, &all)
}

pub fn huber_loss_backward(cx: &mut Decompose<'_>) -> Results {
    let delta = cx.float("delta").unwrap_or(1.0);
    let all = loss(cx)?;
    let product = bounded(cx, &all, delta, 1.0, delta)?;
    finished(cx, product, &all)
}

/// `-t * z / (1 + z) * g` with `z = exp(-t * x)`
pub fn soft_margin_loss_backward(cx: &mut Decompose<'_>) -> Results {
    let all = loss(cx)?;
    let product = cx.mul(all.target, all.x)?;
    let negative = cx.unary("neg", product)?;
    let part = cx.unary("sigmoid", negative)?;
    let part = cx.mul(part, all.target)?;
    let part = cx.mul(part, all.gradient)?;
    let part = cx.unary("neg", part)?;
    let value = meant(cx, part, all.x)?;
    let own = cx.dtype_of(cx.value("self")?);
    Ok(vec![cx.cast(value, own)?])
}

/// `g * (x - t) / max((1 - x) * x, 1e-12)`
pub fn binary_cross_entropy_backward(cx: &mut Decompose<'_>) -> Results {
    let all = loss(cx)?;
    let difference = cx.sub(all.x, all.target)?;
    let less = cx.call("aten.rsub.Scalar", vec![Arg::Value(all.x), Arg::Float(1.0)])?;
    let product = cx.mul(less, all.x)?;
    // In float16 the number is zero.
    let least = super::super::loss::rounded(1e-12, all.dtype);
    let product = super::super::loss::clamp_min(cx, product, least)?;
    let scaled = cx.mul(all.gradient, difference)?;
    let mut result = cx.div(scaled, product)?;
    if let Some(weight) = cx.optional_value("weight") {
        let weight = cx.compute(weight)?;
        result = cx.mul(result, weight)?;
    }
    finished(cx, result, &all)
}

/// `-w[t] * g` at each target, divided by the sum of the weights where the loss was a mean.
pub fn nll_loss_backward(cx: &mut Decompose<'_>) -> Results {
    let (x, target) = (cx.value("self")?, cx.value("target")?);
    let (dtype, rank) = (cx.dtype_of(x), cx.rank(x));
    let classes = usize::from(rank > 1);
    let Some(ignore) = cx.int("ignore_index") else {
        return Err(cx.unsupported("`ignore_index` must be an integer"));
    };
    let one = cx.constant(1);
    let mut shape = cx.shape(x);
    shape[classes] = one;
    let target = cx.cast(target, Dtype::Int64)?;
    let target = cx.reshape(target, &shape)?;
    let mut gradient = given(cx)?;
    gradient = cx.compute(gradient)?;
    match cx.known_int("reduction")? {
        0 => gradient = cx.reshape(gradient, &shape)?,
        1 => {
            let total = cx.value("total_weight")?;
            let total = cx.compute(total)?;
            gradient = cx.div(gradient, total)?;
        }
        _ => {}
    }
    let count = cx.shape(x)[classes];
    let mut line = vec![one; rank];
    line[classes] = count;
    let numbers = counted(cx, count)?;
    let valid = cx.compare("ne", target, ignore)?;
    let zero = cx.int_arg(0);
    let safe =
        cx.call("aten.where.ScalarOther", vec![Arg::Value(valid), Arg::Value(target), zero.clone()])?;
    // A lookup, so that a run refuses a class that there is not.
    let all = cx.syms().product(&shape);
    let flat = cx.reshape(safe, &[all])?;
    let found = cx.call("aten.gather.default", vec![Arg::Value(numbers), zero, Arg::Value(flat)])?;
    let found = cx.reshape(found, &shape)?;
    let numbers = cx.reshape(numbers, &line)?;
    let hit = cx.compare("eq", numbers, found)?;
    let hit = cx.call("aten.logical_and.default", vec![Arg::Value(hit), Arg::Value(valid)])?;
    let mut value = cx.unary("neg", gradient)?;
    if let Some(weight) = cx.optional_value("weight") {
        let weight = cx.compute(weight)?;
        let weight = cx.reshape(weight, &line)?;
        value = cx.mul(value, weight)?;
    }
    let value = or_zero(cx, hit, value)?;
    Ok(vec![cx.cast(value, dtype)?])
}

/// `g - exp(y) * sum(g)`
pub fn log_softmax_backward(cx: &mut Decompose<'_>) -> Results {
    let (gradient, result) = (cx.value("grad_output")?, cx.value("output")?);
    // A widened softmax of float16 goes back to it.
    let dtype = match (cx.dtype_of(gradient), cx.dtype("input_dtype")) {
        (Dtype::Float32, Some(Dtype::Float16)) => Dtype::Float16,
        (own, _) => own,
    };
    let dim = cx.known_int("dim")?;
    let (gradient, result) = (cx.compute(gradient)?, cx.compute(result)?);
    let sum = if cx.rank(gradient) == 0 { gradient } else { cx.sum(gradient, &[dim], true)? };
    let exp = cx.unary("exp", result)?;
    let scaled = cx.mul(exp, sum)?;
    let passed = cx.sub(gradient, scaled)?;
    Ok(vec![cx.cast(passed, dtype)?])
}
