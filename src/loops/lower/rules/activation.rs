//! Activation functions as formulas. Where PyTorch branches, a choice is made here too, so that infinities and NaN
//! come out as they do there.

use super::pointwise::{In, Results, elementwise, finish, formula_rules, operands};
use crate::loops::lower::{Args, Lazy, Lower, X, wrap};
use crate::types::{Dtype, Scalar};
use std::f64::consts::FRAC_1_SQRT_2;

formula_rules! {
    silu ["self"] Result |x| x * x.sigmoid();
    mish ["self"] Result |x| x * x.exp().log1p().tanh();
    /// `relu6(x + 3) / 6`
    hardsigmoid ["self"] Result |x| (x + 3.0).maximum(0.0).minimum(6.0) / 6.0;
    hardswish ["self"] Result |x| x * (x + 3.0).maximum(0.0).minimum(6.0) / 6.0;
    relu6 ["self"] Result |x| x.maximum(0).minimum(6);
    leaky_relu ["self", "negative_slope"] Result |x, slope| x.gt(0).select(x, x * slope);
    elu ["self", "alpha", "scale", "input_scale"] Result |x, alpha, scale, input_scale| {
        x.gt(0.0).select(x * scale, (x * input_scale).expm1() * alpha * scale)
    };
    celu ["self", "alpha"] Result |x, alpha| x.gt(0.0).select(x, (x / alpha).expm1() * alpha);
    selu ["self"] Result |x| {
        let (alpha, scale) = (1.673_263_242_354_377_2, 1.050_700_987_355_480_5);
        x.gt(0.0).select(x * scale, x.expm1() * (alpha * scale))
    };
    /// Linear where `beta * x` passes the threshold, which keeps the exponential from overflowing.
    softplus ["self", "beta", "threshold"] Result |x, beta, threshold| {
        let scaled = x * beta;
        scaled.gt(threshold).select(x, scaled.exp().log1p() / beta)
    };
    threshold ["self", "threshold", "value"] Result |x, threshold, value| x.le(threshold).select(value, x);
    hardshrink ["self", "lambd"] Result |x, lambda| {
        x.ge(-lambda).and(x.le(lambda)).select(x.float(0.0), x)
    };
    softshrink ["self", "lambd"] Result |x, lambda| {
        let inside = x.is_nan().select(x, x * 0.0);
        x.gt(lambda).select(x - lambda, x.lt(-lambda).select(x + lambda, inside))
    };
    log_sigmoid ["self"] Result |x| x.minimum(0.0) - (-x.abs()).exp().log1p();
    sinc ["self"] Result |x| {
        let scaled = x * std::f64::consts::PI;
        x.eq(0.0).select(x.float(1.0), scaled.sin() / scaled)
    };
    entr ["self"] Result |x| {
        let positive = x.gt(0.0).select(-x * x.log(), x.float(f64::NEG_INFINITY));
        x.is_nan().select(x, x.eq(0.0).select(x.float(0.0), positive))
    };
    /// The normal distribution's.
    ndtr ["self"] Result |x| (-x * FRAC_1_SQRT_2).erfc() * 0.5;
}

/// Exact, or with tanh.
pub fn gelu(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    match args.string("approximate") {
        Some("none") | None => {
            elementwise(cx, args, ["self"], In::Result, |[x]| x * 0.5 * ((x * FRAC_1_SQRT_2).erf() + 1.0))
        }
        Some("tanh") => elementwise(cx, args, ["self"], In::Result, |[x]| x.gelu_tanh()),
        Some(other) => Err(cx.unsupported(format!("approximate {other:?}"))),
    }
}

/// `weight`, one number or one per channel (dimension 1), as the slope of negative elements.
pub fn prelu(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let ids = operands(cx, args, &["self"], In::Result)?;
    let x = ids[0].ok_or_else(|| cx.unsupported("argument `self` must be a tensor"))?;
    let weight = args.lazy(cx, "weight")?;
    let out = args.result(0);
    let (one, zero) = (cx.syms().constant(1), cx.syms().constant(0));
    let index: Vec<_> = match (weight.sizes.len(), out.rank()) {
        (0, _) => Vec::new(),
        (_, rank) if weight.sizes[0] == one || rank < 2 => vec![zero],
        _ => vec![cx.vars(&out.shape)[1]],
    };
    let slope = cx.at(&weight, &index);
    let slope = cx.program.exprs.cast(slope, out.dtype.compute());
    let expr = cx.formula(|of| negative_sloped(of(x), of(slope)));
    Ok(vec![finish(cx, args, 0, expr)])
}

/// Slopes that broadcast.
pub fn prelu_kernel(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    elementwise(cx, args, ["self", "weight"], In::Result, |[x, slope]| negative_sloped(x, slope))
}

fn negative_sloped<'c>(x: X<'c>, slope: X<'c>) -> X<'c> {
    x.gt(0.0).select(x, x * slope)
}

/// `log(x / (1 - x))`, `x` first clamped to `[eps, 1 - eps]` where that is given.
pub fn logit(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    // The bounds are numbers of the result's dtype.
    let dtype = args.result(0).dtype;
    let held = |number: f64| wrap(Scalar::Float(number), dtype).as_f64();
    let bounds = args.float("eps").map(|eps| (held(eps), held(1.0 - held(eps))));
    elementwise(cx, args, ["self"], In::Result, |[x]| {
        let x = match bounds {
            Some((low, high)) => x.lt(low).select(x.float(low), x.gt(high).select(x.float(high), x)),
            None => x,
        };
        (x / (1.0 - x)).log()
    })
}

/// The second result only serves PyTorch's derivative on the CPU: `exp(-|x|)`.
pub fn log_sigmoid_forward(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let mut results = log_sigmoid(cx, args)?;
    let own = args.lazy(cx, "self")?;
    let x = cx.compute(own.expr);
    let expr = cx.formula(|of| (-of(x).abs()).exp());
    let expr = cx.program.exprs.cast(expr, args.result(1).dtype);
    results.push(Lazy { sizes: own.sizes, expr });
    Ok(results)
}

/// The first half along `dim`, gated by the second.
pub fn glu(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let own = args.lazy(cx, "self")?;
    let out = args.result(0);
    let dim = args.known_int("dim")?;
    let dim = if dim < 0 { dim + own.sizes.len() as i64 } else { dim } as usize;
    let mut index = cx.vars(&out.shape);
    let first = cx.at(&own, &index);
    index[dim] = cx.syms().add(index[dim], out.shape[dim]);
    let second = cx.at(&own, &index);
    let (first, second) = (cx.compute(first), cx.compute(second));
    let expr = cx.formula(|of| of(first) * of(second).sigmoid());
    Ok(vec![finish(cx, args, 0, expr)])
}

/// `x` where the lower (upper) triangle over the last two dimensions is, zero elsewhere.
fn triangle(cx: &mut Lower<'_>, args: &Args<'_>, lower: bool) -> Results {
    let own = args.lazy(cx, "self")?;
    let rank = own.sizes.len();
    let vars = cx.vars(&own.sizes);
    let diagonal = args.int("diagonal").unwrap_or_else(|| cx.syms().constant(0));
    let distance = cx.syms().sub(vars[rank - 1], vars[rank - 2]);
    let expr = cx.formula(|of| {
        let x: X<'_> = of(own.expr);
        let (distance, diagonal) = (x.index(distance), x.index(diagonal));
        let inside = if lower { distance.le(diagonal) } else { distance.ge(diagonal) };
        inside.select(x, x.int(0))
    });
    Ok(vec![finish(cx, args, 0, expr)])
}
pub fn tril(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    triangle(cx, args, true)
}
pub fn triu(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    triangle(cx, args, false)
}

/// `|x|` of a real number's angle: 0, pi for negative numbers, NaN for NaN.
pub fn angle(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    elementwise(cx, args, ["self"], In::Result, |[x]| {
        let angle = x.lt(0.0).select(x.float(std::f64::consts::PI), x.float(0.0));
        x.is_nan().select(x, angle)
    })
}

/// Elements that differ by at most `atol + rtol * |other|`.
pub fn isclose(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (rtol, atol) = (args.float("rtol").unwrap_or(1e-5), args.float("atol").unwrap_or(1e-8));
    let equal_nan = args.bool("equal_nan");
    elementwise(cx, args, ["self", "other"], In::Common, |[a, b]| {
        let same = a.eq(b);
        let same = if equal_nan { same.or(a.is_nan().and(b.is_nan())) } else { same };
        if rtol == 0.0 && atol == 0.0 {
            return same;
        }
        let (a, b) = if a.is_float() { (a, b) } else { (a.cast(Dtype::Float32), b.cast(Dtype::Float32)) };
        let allowed = (b * rtol).abs() + atol;
        let difference = (a - b).abs();
        let finite = difference.is_nan().or(difference.is_inf()).logical_not();
        same.or(finite.and(difference.le(allowed)))
    })
}
