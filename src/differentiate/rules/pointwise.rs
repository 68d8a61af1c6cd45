//! Pointwise operators: a formula for each argument.

use super::super::Outcome;
use super::super::context::Derivative;
use crate::ir::Arg;

/// Rules from formulas: `name { argument: formula; … }`.
macro_rules! formulas {
    ($($name:ident { $($arg:tt : $formula:expr;)* })*) => {
        $(pub fn $name(d: &mut Derivative<'_>) -> Outcome {
            d.formulas(&[$((stringify!($arg), stringify!($formula)),)*])
        })*

        /// Every formula, by rule and argument.
        #[cfg(test)]
        pub const FORMULAS: &[(&str, &str, &str)] =
            &[$($((stringify!($name), stringify!($arg), stringify!($formula)),)*)*];
    };
}

/// No gradient flows through, not even a zero: `detach`, and what depends on sizes alone.
pub fn nothing(_: &mut Derivative<'_>) -> Outcome {
    Ok(())
}

/// Steps: the slope is zero wherever there is one.
pub fn zero(d: &mut Derivative<'_>) -> Outcome {
    for value in d.args.iter().flat_map(Arg::values) {
        if d.needs_value(value) {
            let zeros = d.zeros_like(value)?;
            d.give_value(value, zeros)?;
        }
    }
    Ok(())
}

formulas! {
    // Arithmetic.
    add { self: grad; other: grad * alpha; }
    sub { self: grad; other: -(grad * alpha); }
    rsub { self: -(grad * alpha); other: grad; }
    mul { self: grad * other; other: grad * self; }
    div { self: grad / other; other: -grad * (self / other / other); }
    remainder { self: grad; other: -grad * floor(self / other); }
    fmod { self: grad; other: -grad * trunc(self / other); }
    neg { self: -grad; }
    identity { self: grad; a: grad; input: grad; }
    copy { self: zeros_like(grad); src: grad; }
    fill { self: zeros_like(grad); value: grad; }
    abs { self: grad * sign(self); }
    square { self: grad * 2 * self; }
    reciprocal { self: -grad * result * result; }
    sqrt { self: grad / (2 * result); }
    rsqrt { self: -0.5 * grad * result * result * result; }
    addcmul { self: grad; tensor1: grad * tensor2 * value; tensor2: grad * tensor1 * value; }
    addcdiv {
        self: grad;
        tensor1: grad * value / tensor2;
        tensor2: -grad * value * tensor1 / (tensor2 * tensor2);
    }
    lerp { self: grad * (1 - weight); end: grad * weight; weight: grad * (end - self); }
    ldexp { self: grad * exp2(other); other: grad * result * 0.6931471805599453; }
    hypot { self: grad * (self / result); other: grad * (other / result); }
    deg2rad { self: grad * 0.017453292519943295; }
    rad2deg { self: grad * 57.29577951308232; }
    nan_to_num { self: choose(isfinite(self), grad, 0); }

    // Exponentials and logarithms.
    exp { self: grad * result; }
    exp2 { self: grad * result * 0.6931471805599453; }
    expm1 { self: grad * (result + 1); }
    log { self: grad / self; }
    log2 { self: grad / (self * 0.6931471805599453); }
    log10 { self: grad / (self * 2.302585092994046); }
    log1p { self: grad / (self + 1); }
    logaddexp { self: grad / (1 + exp(other - self)); other: grad / (1 + exp(self - other)); }
    logaddexp2 { self: grad / (1 + exp2(other - self)); other: grad / (1 + exp2(self - other)); }
    xlogy {
        self: choose(self == 0 && other <= 0, 0, xlogy(grad, other));
        other: grad * self / other;
    }
    xlog1py {
        self: choose(self == 0 && other <= -1, 0, special_xlog1py(grad, other));
        other: grad * self / (other + 1);
    }
    entr { self: -grad * (1 + log(self)); }

    // Trigonometry.
    sin { self: grad * cos(self); }
    cos { self: -grad * sin(self); }
    tan { self: grad * (1 + result * result); }
    asin { self: grad * rsqrt(1 - self * self); }
    acos { self: -grad * rsqrt(1 - self * self); }
    atan { self: grad / (self * self + 1); }
    sinh { self: grad * cosh(self); }
    cosh { self: grad * sinh(self); }
    asinh { self: grad * rsqrt(self * self + 1); }
    acosh { self: grad * rsqrt(self * self - 1); }
    atanh { self: grad / (1 - self * self); }
    atan2 {
        self: grad * choose(self == 0 && other == 0, 0,
            other / choose(self == 0 && other == 0, 1, self * self + other * other));
        other: -grad * choose(self == 0 && other == 0, 0,
            self / choose(self == 0 && other == 0, 1, self * self + other * other));
    }
    sinc {
        self: grad * choose(self == 0, -3.289868133696453 * self,
            (cos(3.141592653589793 * self) - result) / choose(self == 0, 1, self));
    }

    // Special functions.
    erf { self: grad * 1.1283791670955126 * exp(-(self * self)); }
    erfc { self: -grad * 1.1283791670955126 * exp(-(self * self)); }
    erfinv { self: grad * 0.886226925452758 * exp(result * result); }
    erfcx { self: grad * (2 * self * result - 1.1283791670955126); }
    ndtr { self: grad * 0.3989422804014327 * exp(-0.5 * self * self); }
    ndtri { self: grad * 2.5066282746310002 * exp(0.5 * result * result); }
    log_ndtr { self: grad * 0.7978845608028654 / special_erfcx(-0.7071067811865476 * self); }
    lgamma { self: grad * digamma(self); }
    nextafter { self: choose(self == other, 0, grad); other: zeros_like(grad); }
    bessel_j0 { self: -grad * special_bessel_j1(self); }
    bessel_j1 {
        self: grad * choose(self == 0, 0.5, special_bessel_j0(self) - result / choose(self == 0, 1, self));
    }
    bessel_y0 { self: -grad * special_bessel_y1(self); }
    bessel_y1 { self: grad * choose(self == 0, special_bessel_j0(self) / self, special_bessel_y0(self) - result / self); }
    modified_bessel_k0 { self: -grad * special_modified_bessel_k1(self); }
    modified_bessel_k1 { self: grad * (-special_modified_bessel_k0(self) - result / self); }
    i0 { self: grad * special_i1(self); }
    i0e { self: grad * (special_i1e(self) - sign(self) * result); }
    i1 { self: grad * choose(self == 0, 0.5, special_i0(self) - result / choose(self == 0, 1, self)); }
    i1e {
        self: grad * choose(self == 0, 0.5,
            special_i0e(self) - result * (sign(self) + 1 / choose(self == 0, 1, self)));
    }

    // Choices.
    maximum {
        self: choose(self == other, grad / 2, choose(self < other, 0, grad));
        other: choose(self == other, grad / 2, choose(self > other, 0, grad));
    }
    minimum {
        self: choose(self == other, grad / 2, choose(self > other, 0, grad));
        other: choose(self == other, grad / 2, choose(self < other, 0, grad));
    }
    fmax {
        self: choose(self == other, grad / 2, choose(self > other || isnan(other), grad, 0));
        other: choose(self == other, grad / 2, choose(self > other || isnan(other), 0, grad));
    }
    fmin {
        self: choose(self == other, grad / 2, choose(self < other || isnan(other), grad, 0));
        other: choose(self == other, grad / 2, choose(self < other || isnan(other), 0, grad));
    }
    choose { self: choose(condition, grad, 0); other: choose(condition, 0, grad); }
    masked_fill { self: choose(mask, 0, grad); value: choose(mask, grad, 0); }
    // Between two tensors.
    clamp_between {
        self: choose(self < min || self > max, 0,
            choose(min < max && (self == min || self == max), grad / 2, grad));
        min: choose(self < min && min <= max, grad, choose(self == min && min < max, grad / 2, 0));
        max: choose(min > max || self > max && min <= max, grad, choose(self == max && min < max, grad / 2, 0));
    }
    at_least {
        self: choose(self == min, grad / 2, choose(self < min, 0, grad));
        min: choose(self == min, grad / 2, choose(self > min, 0, grad));
    }
    at_most {
        self: choose(self == max, grad / 2, choose(self > max, 0, grad));
        max: choose(self == max, grad / 2, choose(self < max, 0, grad));
    }
    copysign { self: choose(self == 0, 0, choose(signbit(self) == signbit(result), grad, -grad)); other: grad * 0; }

    // Activations: their gradients are operators of their own.
    relu { self: threshold_backward(grad, result, 0); }
    relu6 { self: hardtanh_backward(grad, self, 0, 6); }
    hardtanh { self: hardtanh_backward(grad, self, min_val, max_val); }
    hardsigmoid { self: hardsigmoid_backward(grad, self); }
    hardswish { self: hardswish_backward(grad, self); }
    leaky_relu { self: leaky_relu_backward(grad, self, negative_slope, false); }
    threshold { self: threshold_backward(grad, self, threshold); }
    hardshrink { self: hardshrink_backward(grad, self, lambd); }
    softshrink { self: softshrink_backward(grad, self, lambd); }
    elu { self: elu_backward(grad, alpha, scale, input_scale, false, self); }
    celu { self: elu_backward(grad, alpha, 1, 1 / alpha, false, self); }
    selu { self: elu_backward(grad, 1.6732632423543772, 1.0507009873554805, 1, false, self); }
    softplus { self: softplus_backward(grad, self, beta, threshold); }
    sigmoid { self: sigmoid_backward(grad, result); }
    silu { self: silu_backward(grad, self); }
    log_sigmoid { self: grad * sigmoid(-self); }
    mish { self: mish_backward(grad, self); }
    prelu_kernel { self: choose(self > 0, grad, weight * grad); weight: choose(self > 0, 0, self * grad); }
    logit { self: logit_backward(grad, self, eps); }
    tanh { self: tanh_backward(grad, result); }
}

pub fn gelu(d: &mut Derivative<'_>) -> Outcome {
    let (grad, input, form) = (d.grad()?, d.value("self")?, d.arg("approximate").clone());
    let args = vec![Arg::Value(grad), Arg::Value(input)];
    let cotangent = d.call_with("aten.gelu_backward.default", args, vec![("approximate", form)])?;
    d.give("self", cotangent)
}

pub fn div_mode(d: &mut Derivative<'_>) -> Outcome {
    if d.string("rounding_mode").is_some() { zero(d) } else { div(d) }
}

/// As in PyTorch: an element that equals a bound of a tensor shares the gradient with it, and one that equals a number has none.
pub fn clamp(d: &mut Derivative<'_>) -> Outcome {
    let bound = |name: &str| {
        let arg = d.op.schema().arg(name).map(|_| d.arg(name));
        arg.filter(|arg| **arg != Arg::None).map(|arg| arg.value().is_some())
    };
    match (bound("min"), bound("max")) {
        (Some(true), Some(_)) => clamp_between(d),
        (Some(true), None) => at_least(d),
        (None, Some(true)) => at_most(d),
        (Some(false), Some(_)) => d.formulas(&[("self", "choose(self > min && self < max, grad, 0)")]),
        (Some(false), None) => d.formulas(&[("self", "choose(self > min, grad, 0)")]),
        (None, Some(false)) => d.formulas(&[("self", "choose(self < max, grad, 0)")]),
        (None, None) => d.formulas(&[("self", "grad")]),
    }
}

pub fn pow(d: &mut Derivative<'_>) -> Outcome {
    match (d.arg("self"), d.arg("exponent")) {
        (Arg::Value(_), Arg::Value(_)) => d.formulas(&[
            ("self", "grad * choose(exponent == 0, 0, exponent * pow(self, exponent - 1))"),
            (
                "exponent",
                "grad * choose(self == 0 && exponent >= 0, 0, result * log(choose(self == 0 && exponent >= 0, 1, self)))",
            ),
        ]),
        (Arg::Value(_), _) => match d.float("exponent") {
            Some(0.0) => d.formulas(&[("self", "zeros_like(grad)")]),
            _ => d.formulas(&[("self", "grad * exponent * pow(self, exponent - 1)")]),
        },
        _ => match d.float("self") {
            Some(0.0) => d.formulas(&[("exponent", "grad * choose(exponent >= 0, 0, log(self))")]),
            _ => d.formulas(&[("exponent", "grad * result * log(self)")]),
        },
    }
}

/// A power in float64: what stands in the formulas is, too.
pub fn float_power(d: &mut Derivative<'_>) -> Outcome {
    pow(d)
}

pub fn prelu(d: &mut Derivative<'_>) -> Outcome {
    let (input, weight) = (d.value("self")?, d.value("weight")?);
    let (rank, n) = (d.rank(input), d.shape(weight).first().copied());
    let mut shaped = weight;
    if let Some(n) = n
        && rank >= 2
    {
        // One slope for each channel, which is the second dimension.
        let mut shape = vec![d.constant(1); rank];
        shape[1] = n;
        shaped = d.reshape(weight, &shape)?;
    }
    let grad = d.grad()?;
    let positive = d.compare("gt", input, 0.0)?;
    if d.needs("self") {
        let scaled = d.mul(grad, shaped)?;
        let cotangent = d.select(positive, grad, scaled)?;
        d.give("self", cotangent)?;
    }
    if d.needs("weight") {
        let (product, zero) = (d.mul(grad, input)?, d.zeros_like(grad)?);
        let all = d.select(positive, zero, product)?;
        let dims: Vec<i64> = (0..rank as i64).filter(|k| rank < 2 || n.is_none() || *k != 1).collect();
        let one = n.is_none() || n.and_then(|n| d.syms().as_const(n)) == Some(1);
        let summed = if one { d.sum(all, &[], false)? } else { d.sum(all, &dims, false)? };
        let shape = d.shape(weight);
        let cotangent = d.reshape(summed, &shape)?;
        d.give("weight", cotangent)?;
    }
    Ok(())
}

pub fn glu(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad, dim) = (d.value("self")?, d.grad()?, d.arg("dim").clone());
    let cotangent = d.call("aten.glu_backward.default", vec![Arg::Value(grad), Arg::Value(input), dim])?;
    d.give("self", cotangent)
}

pub fn polygamma(d: &mut Derivative<'_>) -> Outcome {
    let order = d.known_int("n")?;
    let (input, grad, next) = (d.value("self")?, d.grad()?, d.int_arg(order.saturating_add(1)));
    let slope = d.call("aten.polygamma.default", vec![next, Arg::Value(input)])?;
    let cotangent = d.mul(grad, slope)?;
    d.give("self", cotangent)
}

/// By the parameter there is no formula.
fn of_bound(d: &mut Derivative<'_>, formula: &str) -> Outcome {
    if d.needs("self") {
        return Err(d.unsupported("it has no derivative by its parameter `self`, only by `other`"));
    }
    d.formulas(&[("other", formula)])
}
pub fn igamma(d: &mut Derivative<'_>) -> Outcome {
    of_bound(d, "grad * exp((self - 1) * log(other) - other - lgamma(self))")
}
pub fn igammac(d: &mut Derivative<'_>) -> Outcome {
    of_bound(d, "-grad * exp((self - 1) * log(other) - other - lgamma(self))")
}

pub fn digamma_slope(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad, one) = (d.value("self")?, d.grad()?, d.int_arg(1));
    let slope = d.call("aten.polygamma.default", vec![one, Arg::Value(input)])?;
    let cotangent = d.mul(grad, slope)?;
    d.give("self", cotangent)
}

/// The logarithm of the multivariate gamma function is a sum of `lgamma(self - k / 2)`.
pub fn mvlgamma(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad, terms) = (d.value("self")?, d.grad()?, d.known_int("p")?);
    let mut slope = d.unary("digamma", input)?;
    for k in 1..terms {
        let shifted = d.sub(input, k as f64 / 2.0)?;
        let term = d.unary("digamma", shifted)?;
        slope = d.add(slope, term)?;
    }
    let cotangent = d.mul(grad, slope)?;
    d.give("self", cotangent)
}

/// The mantissa of a number, `self / 2^exponent`.
pub fn frexp(d: &mut Derivative<'_>) -> Outcome {
    let Some(grad) = d.cotangent(0) else { return Ok(()) };
    let exponent = d.results[1];
    let negated = d.unary("neg", exponent)?;
    let cotangent = d.call("aten.ldexp.Tensor", vec![Arg::Value(grad), Arg::Value(negated)])?;
    d.give("self", cotangent)
}

/// The slope of the distribution's quantile at the number that was drawn.
pub fn gamma_sample(d: &mut Derivative<'_>) -> Outcome {
    let args = vec![d.arg("concentration").clone(), Arg::Value(d.results[0])];
    let slope = d.call("aten._standard_gamma_grad.default", args)?;
    let grad = d.grad()?;
    let own = d.mul(grad, slope)?;
    d.give("concentration", own)
}
