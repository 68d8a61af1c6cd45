//! Of functions of elements: activations, and dropout with its mask.

use super::{Built, Results, given, or_zero};
use crate::decompose::{Decompose, DecomposeError, Operand};
use crate::ir::{Arg, Value};
use crate::types::Dtype;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, SQRT_2};

/// The incoming gradient, the point at which the derivative is taken, and the dtype of the result.
struct At {
    gradient: Value,
    x: Value,
    dtype: Dtype,
}

fn at(cx: &mut Decompose<'_>, name: &str) -> Result<At, DecomposeError> {
    let (gradient, x) = (given(cx)?, cx.value(name)?);
    let dtype = super::super::loss::promoted(cx, &[gradient, x])?;
    let (gradient, x) = (cx.cast(gradient, dtype)?, cx.cast(x, dtype)?);
    Ok(At { gradient: cx.compute(gradient)?, x: cx.compute(x)?, dtype })
}

fn number(cx: &Decompose<'_>, name: &str) -> Result<f64, DecomposeError> {
    cx.float(name).ok_or_else(|| cx.unsupported(format!("`{name}` must be a known number")))
}

fn both(cx: &mut Decompose<'_>, a: Value, b: Value) -> Built {
    cx.call("aten.logical_and.default", vec![Arg::Value(a), Arg::Value(b)])
}

/// `1 - a`
fn rest(cx: &mut Decompose<'_>, a: Value) -> Built {
    cx.call("aten.rsub.Scalar", vec![Arg::Value(a), Arg::Float(1.0)])
}

/// The gradient where `x` is above the threshold, or NaN.
pub fn threshold_backward(cx: &mut Decompose<'_>) -> Results {
    let (gradient, x) = (given(cx)?, cx.value("self")?);
    let dtype = super::super::loss::promoted(cx, &[gradient, x])?;
    let (gradient, x) = (cx.cast(gradient, dtype)?, cx.cast(x, dtype)?);
    let threshold = cx.arg("threshold").clone();
    let below = cx.call("aten.le.Scalar", vec![Arg::Value(x), threshold])?;
    let zero = if dtype.is_float() { Arg::Float(0.0) } else { cx.int_arg(0) };
    let args = vec![Arg::Value(below), zero, Arg::Value(gradient)];
    Ok(vec![cx.call("aten.where.ScalarSelf", args)?])
}

/// `g * (1 - y) * y`
pub fn sigmoid_backward(cx: &mut Decompose<'_>) -> Results {
    let At { gradient, x: y, dtype } = at(cx, "output")?;
    let less = rest(cx, y)?;
    let product = cx.mul(gradient, less)?;
    let product = cx.mul(product, y)?;
    Ok(vec![cx.cast(product, dtype)?])
}

/// `g * (1 - y²)`
pub fn tanh_backward(cx: &mut Decompose<'_>) -> Results {
    let At { gradient, x: y, dtype } = at(cx, "output")?;
    let square = cx.mul(y, y)?;
    let less = rest(cx, square)?;
    let product = cx.mul(gradient, less)?;
    Ok(vec![cx.cast(product, dtype)?])
}

pub fn gelu_backward(cx: &mut Decompose<'_>) -> Results {
    let At { gradient, x, dtype } = at(cx, "self")?;
    let slope = match cx.string("approximate") {
        Some("tanh") => {
            let (beta, kappa) = (SQRT_2 * FRAC_2_SQRT_PI * 0.5, 0.044715);
            let square = cx.mul(x, x)?;
            let cube = cx.mul(square, x)?;
            let scaled = cx.mul(cube, kappa)?;
            let inner = cx.add(x, scaled)?;
            let inner = cx.mul(inner, beta)?;
            let tanh = cx.unary("tanh", inner)?;
            let half = cx.mul(x, 0.5)?;
            let right = cx.add(tanh, 1.0)?;
            let left = cx.mul(right, 0.5)?;
            let tanh_square = cx.mul(tanh, tanh)?;
            let of_tanh = rest(cx, tanh_square)?;
            let of_inner = cx.mul(square, 3.0 * kappa)?;
            let of_inner = cx.add(of_inner, 1.0)?;
            let of_inner = cx.mul(of_inner, beta)?;
            let other = cx.mul(half, of_tanh)?;
            let other = cx.mul(other, of_inner)?;
            cx.add(left, other)?
        }
        _ => {
            let scaled = cx.mul(x, FRAC_1_SQRT_2)?;
            let erf = cx.unary("erf", scaled)?;
            let below = cx.add(erf, 1.0)?;
            let below = cx.mul(below, 0.5)?;
            let square = cx.mul(x, x)?;
            let exponent = cx.mul(square, -0.5)?;
            let density = cx.unary("exp", exponent)?;
            let density = cx.mul(density, FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * 0.5)?;
            let other = cx.mul(x, density)?;
            cx.add(below, other)?
        }
    };
    let product = cx.mul(gradient, slope)?;
    Ok(vec![cx.cast(product, dtype)?])
}

/// `g * s * (1 + x * (1 - s))` with the sigmoid `s`
pub fn silu_backward(cx: &mut Decompose<'_>) -> Results {
    let At { gradient, x, dtype } = at(cx, "self")?;
    let sigmoid = cx.unary("sigmoid", x)?;
    let less = rest(cx, sigmoid)?;
    let more = cx.mul(x, less)?;
    let more = cx.add(more, 1.0)?;
    let product = cx.mul(gradient, sigmoid)?;
    let product = cx.mul(product, more)?;
    Ok(vec![cx.cast(product, dtype)?])
}

/// `g * (t + x * s * (1 - t²))` with the sigmoid `s` and `t = tanh(softplus(x))`
pub fn mish_backward(cx: &mut Decompose<'_>) -> Results {
    let At { gradient, x, .. } = at(cx, "self")?;
    let sigmoid = cx.unary("sigmoid", x)?;
    let soft = cx.unary("softplus", x)?;
    let tanh = cx.unary("tanh", soft)?;
    let square = cx.mul(tanh, tanh)?;
    let less = rest(cx, square)?;
    let other = cx.mul(x, sigmoid)?;
    let other = cx.mul(other, less)?;
    let slope = cx.add(tanh, other)?;
    let product = cx.mul(gradient, slope)?;
    let own = cx.dtype_of(cx.value("self")?);
    Ok(vec![cx.cast(product, own)?])
}

pub fn leaky_relu_backward(cx: &mut Decompose<'_>) -> Results {
    let At { gradient, x, dtype } = at(cx, "self")?;
    let slope = number(cx, "negative_slope")?;
    let positive = cx.compare("gt", x, 0.0)?;
    let less = cx.mul(gradient, slope)?;
    let chosen = cx.select(positive, gradient, less)?;
    Ok(vec![cx.cast(chosen, dtype)?])
}

pub fn elu_backward(cx: &mut Decompose<'_>) -> Results {
    let At { gradient, x, dtype } = at(cx, "self_or_result")?;
    let (alpha, scale, inner) = (number(cx, "alpha")?, number(cx, "scale")?, number(cx, "input_scale")?);
    let negative = cx.compare("le", x, 0.0)?;
    let below = if cx.bool("is_result") {
        let shifted = cx.add(x, alpha * scale)?;
        let own = cx.mul(gradient, inner)?;
        cx.mul(own, shifted)?
    } else {
        let scaled = cx.mul(x, inner)?;
        let exp = cx.unary("exp", scaled)?;
        let own = cx.mul(gradient, inner * alpha * scale)?;
        cx.mul(own, exp)?
    };
    let above = cx.mul(gradient, scale)?;
    let chosen = cx.select(negative, below, above)?;
    Ok(vec![cx.cast(chosen, dtype)?])
}

/// Nothing at and beyond the bounds.
pub fn hardtanh_backward(cx: &mut Decompose<'_>) -> Results {
    let At { gradient, x, dtype } = at(cx, "self")?;
    let (low, high) = (number(cx, "min_val")?, number(cx, "max_val")?);
    let (below, above) = (cx.compare("le", x, low)?, cx.compare("ge", x, high)?);
    let outside = cx.call("aten.logical_or.default", vec![Arg::Value(below), Arg::Value(above)])?;
    let inside = cx.unary("logical_not", outside)?;
    let passed = or_zero(cx, inside, gradient)?;
    Ok(vec![cx.cast(passed, dtype)?])
}

pub fn hardsigmoid_backward(cx: &mut Decompose<'_>) -> Results {
    let At { gradient, x, dtype } = at(cx, "self")?;
    let (above, below) = (cx.compare("gt", x, -3.0)?, cx.compare("lt", x, 3.0)?);
    let inside = both(cx, above, below)?;
    let part = cx.mul(gradient, 1.0 / 6.0)?;
    let passed = or_zero(cx, inside, part)?;
    Ok(vec![cx.cast(passed, dtype)?])
}

pub fn hardswish_backward(cx: &mut Decompose<'_>) -> Results {
    let At { gradient, x, dtype } = at(cx, "self")?;
    let third = cx.div(x, 3.0)?;
    let slope = cx.add(third, 0.5)?;
    let middle = cx.mul(gradient, slope)?;
    let (low, high) = (cx.compare("le", x, -3.0)?, cx.compare("lt", x, 3.0)?);
    let above = cx.select(high, middle, gradient)?;
    let not_low = cx.unary("logical_not", low)?;
    let passed = or_zero(cx, not_low, above)?;
    Ok(vec![cx.cast(passed, dtype)?])
}

/// Of both shrinking functions: nothing from `-lambd` to `lambd`.
pub fn shrink_backward(cx: &mut Decompose<'_>) -> Results {
    let At { gradient, x, dtype } = at(cx, "self")?;
    let bound = number(cx, "lambd")?;
    let (above, below) = (cx.compare("ge", x, -bound)?, cx.compare("le", x, bound)?);
    let inside = both(cx, above, below)?;
    let outside = cx.unary("logical_not", inside)?;
    let passed = or_zero(cx, outside, gradient)?;
    Ok(vec![cx.cast(passed, dtype)?])
}

pub fn softplus_backward(cx: &mut Decompose<'_>) -> Results {
    let At { gradient, x, dtype } = at(cx, "self")?;
    let (beta, threshold) = (number(cx, "beta")?, number(cx, "threshold")?);
    let scaled = cx.mul(x, beta)?;
    let exp = cx.unary("exp", scaled)?;
    let more = cx.add(exp, 1.0)?;
    let part = cx.mul(gradient, exp)?;
    let part = cx.div(part, more)?;
    let linear = cx.compare("gt", scaled, threshold)?;
    let chosen = cx.select(linear, gradient, part)?;
    Ok(vec![cx.cast(chosen, dtype)?])
}

/// `g / (1 + exp(x))`, without overflow.
pub fn log_sigmoid_backward(cx: &mut Decompose<'_>) -> Results {
    let At { gradient, x, dtype } = at(cx, "self")?;
    let negative = cx.unary("neg", x)?;
    let slope = cx.unary("sigmoid", negative)?;
    let product = cx.mul(gradient, slope)?;
    Ok(vec![cx.cast(product, dtype)?])
}

pub fn logit_backward(cx: &mut Decompose<'_>) -> Results {
    let At { gradient, x, dtype } = at(cx, "self")?;
    let eps = cx.float("eps").filter(|eps| *eps >= 0.0);
    let (low, high) = (eps.unwrap_or(0.0), 1.0 - eps.unwrap_or(0.0));
    let less = rest(cx, x)?;
    let product = cx.mul(x, less)?;
    // A NaN is on neither side, and stays.
    let (below, above) = (cx.compare("lt", x, low)?, cx.compare("gt", x, high)?);
    let (below, above) = (cx.unary("logical_not", below)?, cx.unary("logical_not", above)?);
    let inside = both(cx, below, above)?;
    // No division by zero outside, which derivatives would show.
    let product = super::super::loss::where_number(cx, inside, product, 1.0)?;
    let slope = cx.div(gradient, product)?;
    let outside = if eps.is_some() { 0.0 } else { f64::NAN };
    let chosen = super::super::loss::where_number(cx, inside, slope, outside)?;
    Ok(vec![cx.cast(chosen, dtype)?])
}

pub fn glu_backward(cx: &mut Decompose<'_>) -> Results {
    let At { gradient, x, dtype } = at(cx, "self")?;
    let dim = cx.dim(cx.known_int("dim")?, cx.rank(x))?;
    let half = cx.shape(gradient)[dim];
    let (zero, half) = (cx.constant(0), half);
    let a = super::narrow(cx, x, dim, zero, half)?;
    let b = super::narrow(cx, x, dim, half, half)?;
    let sigmoid = cx.unary("sigmoid", b)?;
    let first = cx.mul(sigmoid, gradient)?;
    let less = rest(cx, sigmoid)?;
    let second = cx.mul(less, first)?;
    let second = cx.mul(second, a)?;
    let all = cx.cat(vec![first, second], dim as i64)?;
    Ok(vec![cx.cast(all, dtype)?])
}

pub fn prelu_kernel_backward(cx: &mut Decompose<'_>) -> Results {
    let At { gradient, x, dtype } = at(cx, "self")?;
    let weight = cx.value("weight")?;
    let weight = cx.compute(weight)?;
    let positive = cx.compare("gt", x, 0.0)?;
    let scaled = cx.mul(weight, gradient)?;
    let own = cx.select(positive, gradient, scaled)?;
    let product = cx.mul(x, gradient)?;
    let negative = cx.unary("logical_not", positive)?;
    let of_weight = or_zero(cx, negative, product)?;
    let shape = cx.shape(own);
    let of_weight = cx.call("aten.expand.default", vec![Arg::Value(of_weight), Arg::Ints(shape)])?;
    Ok(vec![cx.cast(own, dtype)?, cx.cast(of_weight, dtype)?])
}

pub fn native_dropout_backward(cx: &mut Decompose<'_>) -> Results {
    let (gradient, mask) = (given(cx)?, cx.value("mask")?);
    let dtype = super::super::loss::promoted(cx, &[gradient, mask])?;
    let dtype = if dtype.is_float() { dtype } else { Dtype::Float32 };
    let scale = number(cx, "scale")?;
    let kept = cx.mul(gradient, mask)?;
    let scaled = cx.mul(kept, Operand::Float(scale))?;
    Ok(vec![cx.cast(scaled, dtype)?])
}
