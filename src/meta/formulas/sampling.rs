//! Random numbers of distributions that have no simple inverse: a loop draws for all elements, until each has accepted a number.
//!
//! Computed in float64, since the tests of acceptance subtract large logarithms. The parameters are looked at without their derivatives.
//!
//! Deliberately absent: the order of PyTorch's draws.

use super::repeat::{Turns, repeat};
use super::{Built, Cx, MetaError, Results, v};
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::types::Dtype;

/// Until all elements are done, or 1000 turns have passed.
const GOES_ON: &str = "logical_and(lt.Scalar($0, 1000), logical_not(all($1)))";

/// A parameter in float64, without its derivative.
fn wide(cx: &mut Cx<'_, '_>, value: Value) -> Result<(Value, Dtype), MetaError> {
    let own = cx.dtype(value);
    if !own.is_float() {
        return Err(cx.error(Status::Dtype, format!("needs floats, not {own}")));
    }
    Ok((cx.call("detach(to.dtype($0, $1))", &[v(value), Arg::Dtype(Dtype::Float64)])?, own))
}

/// A parameter, checked by a run: the formula holds for all its elements.
pub(super) fn checked(cx: &mut Cx<'_, '_>, value: Value, condition: &str, message: &str) -> Built {
    let condition = cx.of(condition, &[value])?;
    checked_by(cx, value, condition, message)
}

/// A value where a condition holds throughout.
pub(super) fn checked_by(cx: &mut Cx<'_, '_>, value: Value, condition: Value, message: &str) -> Built {
    let args = [v(value), v(condition), Arg::Str(format!("{}: {message}", cx.name))];
    cx.call("litz.checked.default($0, $1, $2)", &args)
}

/// Draws until all elements are done. In the steps, `$1` marks the elements that are done, `$2` holds the accepted numbers, and `$3` is
/// carried if it has a `start`; the parameters follow. The last steps give the next values of the carried ones.
fn drawn(cx: &mut Cx<'_, '_>, start: Option<&str>, parameters: &[Value], steps: &[&str]) -> Built {
    let mut carried = vec![
        cx.of("zeros_like($0, dtype=12)", &parameters[..1])?,
        cx.of("zeros_like($0)", &parameters[..1])?,
    ];
    if let Some(start) = start {
        carried.push(cx.of(start, &parameters[..1])?);
    }
    let given: Vec<Arg> = parameters.iter().map(|value| v(*value)).collect();
    Ok(repeat(cx, Turns { carried: &carried, given: &given, goes_on: GOES_ON, steps })?[1])
}

/// How many events there are at a mean rate. A small one counts how many uniform numbers have a product above `exp(-rate)`; others are
/// the transformed rejection PTRS (Hörmann, 1993).
pub fn poisson(cx: &mut Cx<'_, '_>) -> Results {
    let (rate, own) = wide(cx, cx.value(0)?)?;
    let rate = checked(cx, rate, "ge.Scalar($0, 0)", "a rate is negative")?;
    // The method's `b` and `a`.
    let width = cx.of("add.Scalar(mul.Scalar(sqrt($0), 2.53), 0.931)", &[rate])?;
    let lean = cx.of("sub.Scalar(mul.Scalar($0, 0.02483), 0.059)", &[width])?;
    let steps = [
        // 7, 8: uniform numbers, around 0 and from 0 on; 9: the distance from the edge.
        "sub.Scalar(rand_like($4), 0.5)",
        "rand_like($4)",
        "rsub.Scalar(abs($7), 0.5)",
        // 10: a proposal; 11: whether it lies where all are accepted; 12: whether it lies below the density.
        "floor(add.Scalar(add(mul(add(div(mul.Scalar($6, 2), $9), $5), $7), $4), 0.43))",
        "logical_and(ge.Scalar($9, 0.07), le($8, rsub.Scalar(mul.Scalar(reciprocal(sub.Scalar($5, 2)), 3.6224), 0.9277)))",
        "le(log(div(mul($8, add.Scalar(mul.Scalar(reciprocal(sub.Scalar($5, 3.4)), 1.1328), 1.1239)), add(div($6, mul($9, $9)), $5))), sub(sub(mul($10, log($4)), $4), lgamma(add.Scalar($10, 1))))",
        "logical_or($11, logical_and(logical_and(ge.Scalar($10, 0), $12), logical_not(logical_and(lt.Scalar($9, 0.013), gt($8, $9)))))",
        // 14: the product; 15: whether it ends a small rate's count; 16: whether the rate is small.
        "mul($3, add.Scalar($7, 0.5))",
        "le($14, exp(neg($4)))",
        "lt.Scalar($4, 10)",
        "where.self($16, add($2, logical_not($15)), where.self($13, $10, $2))",
        "logical_or($1, where.self($16, $15, $13))",
        "where.self($1, $2, $17)",
        "clone($14)",
    ];
    let counted = drawn(cx, Some("ones_like($0)"), &[rate, width, lean], &steps)?;
    Ok(vec![cx.cast(counted, own)?])
}

/// How many of `count` trials succeed. A small mean adds up the trials from one success to the next; others are the transformed
/// rejection BTRS (Hörmann, 1993), with the density from logarithms of factorials.
pub fn binomial(cx: &mut Cx<'_, '_>) -> Results {
    let ((count, own), (given, other)) = (wide(cx, cx.value(0)?)?, wide(cx, cx.value(1)?)?);
    if own != other {
        return Err(cx.error(
            Status::Dtype,
            format!("counts are {own}, probabilities {other}; both must be of one dtype"),
        ));
    }
    // As in PyTorch, a negative count is none, and a probability outside of 0 to 1 the nearer end. Of one that is NaN the result is NaN.
    let count = cx.of("clamp_min(nan_to_num($0), 0)", &[count])?;
    let share = cx.of("clamp(nan_to_num($0), 0, 1)", &[given])?;
    let count = cx.of("add($0, zeros_like($1))", &[count, share])?;
    let likelier = cx.of("gt.Scalar($0, 0.5)", &[share])?;
    let share =
        cx.of("add(where.self($1, rsub.Scalar($0, 1), $0), zeros_like($2))", &[share, likelier, count])?;
    let spread = cx.of("sqrt(mul(mul($0, $1), rsub.Scalar($1, 1)))", &[count, share])?;
    let width = cx.of("add.Scalar(mul.Scalar($0, 2.53), 1.15)", &[spread])?;
    let mode = cx.of("floor(mul(add.Scalar($0, 1), $1))", &[count, share])?;
    let steps = [
        // 9, 10: uniform numbers, around 0 and from 0 on; 11: the distance from the edge; 12: the method's `a`.
        "sub.Scalar(rand_like($4), 0.5)",
        "rand_like($4)",
        "rsub.Scalar(abs($9), 0.5)",
        "add(sub.Scalar(mul.Scalar($7, 0.0248), 0.0873), mul.Scalar($5, 0.01))",
        // 13: a proposal; 14: whether it lies where all are accepted; 15: whether it lies below the density.
        "floor(add.Scalar(add(mul(add(div(mul.Scalar($12, 2), $11), $7), $9), mul($4, $5)), 0.5))",
        "logical_and(ge.Scalar($11, 0.07), le($10, rsub.Scalar(mul.Scalar(reciprocal($7), 4.2), 0.92)))",
        "le(log(div(mul($10, mul(add.Scalar(mul.Scalar(reciprocal($7), 5.1), 2.83), $6)), add(div($12, mul($11, $11)), $7))), add(mul(sub($13, $8), log(div($5, rsub.Scalar($5, 1)))), sub(add(lgamma(add.Scalar($8, 1)), lgamma(add.Scalar(sub($4, $8), 1))), add(lgamma(add.Scalar($13, 1)), lgamma(add.Scalar(sub($4, $13), 1))))))",
        "logical_and(logical_and(ge.Scalar($13, 0), le($13, $4)), logical_or($14, $15))",
        // 17: the trials so far; 18: whether they are all; 19: whether the mean is small.
        "add($3, ceil(div(log(add.Scalar($9, 0.5)), log1p(neg($5)))))",
        "gt($17, $4)",
        "lt.Scalar(mul($4, $5), 10)",
        "where.self($19, add($2, logical_not($18)), where.self($16, $13, $2))",
        "logical_or($1, where.self($19, $18, $16))",
        "where.self($1, $2, $20)",
        "clone($17)",
    ];
    let parameters = [count, share, spread, width, mode];
    let counted = drawn(cx, Some("zeros_like($0)"), &parameters, &steps)?;
    let counted = cx.of("where.self($0, sub($1, $2), $2)", &[likelier, count, counted])?;
    let is_none = cx.of("logical_and(isnan($0), gt.Scalar($1, 0))", &[given, count])?;
    let args = [v(counted), v(is_none), Arg::Float(f64::NAN)];
    let counted = cx.call("masked_fill.Scalar($0, $1, $2)", &args)?;
    Ok(vec![cx.cast(counted, own)?])
}

/// Gamma-distributed numbers in float64 (Marsaglia and Tsang, 2000). Of a concentration that is not finite they are itself.
fn gamma_wide(cx: &mut Cx<'_, '_>, shape: Value) -> Built {
    let is_finite = cx.of("isfinite($0)", &[shape])?;
    let usual = cx.of("where.self($0, $1, ones_like($1))", &[is_finite, shape])?;
    let is_small = cx.of("lt.Scalar($0, 1)", &[usual])?;
    let center = cx.of("sub.Scalar(add($0, $1), 0.3333333333333333)", &[usual, is_small])?;
    let steps = [
        "randn_like($3)",
        "add.Scalar(div($4, sqrt(mul.Scalar($3, 9))), 1)",
        "mul($5, mul($5, $5))",
        "logical_and(gt.Scalar($5, 0), lt(log(rand_like($3)), add(mul.Scalar(mul($4, $4), 0.5), mul($3, add.Scalar(sub(log($6), $6), 1)))))",
        "logical_or($1, $7)",
        "where.self(logical_or($1, logical_not($7)), $2, mul($3, $6))",
    ];
    let drawn = drawn(cx, None, &[center], &steps)?;
    let text =
        "where.self($3, where.self($1, mul($0, pow.Tensor_Tensor(rand_like($2), reciprocal($2))), $0), $4)";
    cx.of(text, &[drawn, is_small, usual, is_finite, shape])
}

/// The least positive number of full precision.
fn least(dtype: Dtype) -> Arg {
    Arg::Float(match dtype {
        Dtype::Float64 => f64::MIN_POSITIVE,
        Dtype::Float16 => half::f16::MIN_POSITIVE.to_f64(),
        _ => f32::MIN_POSITIVE.into(),
    })
}

/// Gamma-distributed numbers, whose slope by the concentration is that of the distribution's quantile.
pub fn gamma(cx: &mut Cx<'_, '_>) -> Results {
    let given = cx.value(0)?;
    let (shape, own) = wide(cx, given)?;
    let drawn = gamma_wide(cx, shape)?;
    let drawn = cx.call("clamp_min($0, $1)", &[v(drawn), least(own)])?;
    let drawn = cx.cast(drawn, own)?;
    Ok(vec![cx.of("litz.gamma_sample.default($0, $1)", &[drawn, given])?])
}

/// Shares of a whole: gamma-distributed numbers in float64, divided by their sum.
pub fn dirichlet(cx: &mut Cx<'_, '_>) -> Results {
    let (shape, own) = wide(cx, cx.value(0)?)?;
    let drawn = gamma_wide(cx, shape)?;
    let drawn = cx.call("clamp_min($0, $1)", &[v(drawn), least(Dtype::Float64)])?;
    let shares = cx.of("div($0, sum.dim_IntList($0, [-1], true))", &[drawn])?;
    let shares = cx.call("clamp($0, $1, 1)", &[v(shares), least(own)])?;
    Ok(vec![cx.cast(shares, own)?])
}

/// `-(dP/da) / (dP/dx)` of the distribution function `P(a, x) = x^a exp(-x) sum(x^k / gamma(a + k + 1))`: the sum over `k` of
/// `x^(k + 1) gamma(a) / gamma(a + k + 1) (digamma(a + k + 1) - log(x))`.
pub fn gamma_slope(cx: &mut Cx<'_, '_>) -> Results {
    let ((shape, own), (value, _)) = (wide(cx, cx.value(0)?)?, wide(cx, cx.value(1)?)?);
    let logarithm = cx.of("log($0)", &[value])?;
    let term = cx.of("div($0, $1)", &[value, shape])?;
    let digamma = cx.of("digamma(add.Scalar($0, 1))", &[shape])?;
    let sum = cx.of("mul($0, sub($1, $2))", &[term, digamma, logarithm])?;
    let turns = Turns {
        carried: &[term, digamma, sum],
        given: &[v(shape), v(logarithm), v(value)],
        goes_on: "logical_and(lt.Scalar($0, 100000), any(gt($1, mul.Scalar(abs($3), 1e-15))))",
        steps: &[
            "add($4, add.Scalar($0, 1))",
            "mul($1, div($6, $7))",
            "add($2, reciprocal($7))",
            "add($3, mul($8, sub($9, $5)))",
        ],
    };
    let slope = repeat(cx, turns)?[2];
    // The series cancels far above the mean: there, the difference of the upper part's logarithms, times that part by the density.
    let step = cx.of("mul.Scalar($0, 1e-5)", &[shape])?;
    let text = "div(sub(log(igammac(add($0, $2), $1)), log(igammac(sub($0, $2), $1))), mul.Scalar($2, 2))";
    let change = cx.of(text, &[shape, value, step])?;
    let text = "mul($3, mul(igammac($0, $1), exp(add(sub($1, mul(sub.Scalar($0, 1), $2)), lgamma($0)))))";
    let upper = cx.of(text, &[shape, value, logarithm, change])?;
    let text = "where.self(gt($1, add.Scalar(mul.Scalar(add($0, sqrt($0)), 1.5), 3)), $2, $3)";
    let slope = cx.of(text, &[shape, value, upper, slope])?;
    let slope = cx.of("where.self(eq.Scalar($0, 0), zeros_like($1), $1)", &[value, slope])?;
    Ok(vec![cx.cast(slope, own)?])
}

/// The slope of a share `x` by its concentration `a`, divided by `1 - x`; the share has a beta distribution, whose other parameter is
/// `b = total - a`. With the distribution function `I(x)` and the density `f(x)` it is `-(dI/da) / (f(x) (1 - x))`. Up to the mean
/// `a / (a + b)` that is the sum over `k` of
/// `x^(k + 1) (a + b)_k / (a)_(k + 1) (digamma(a + k + 1) - digamma(a + b + k) - log(x))`, where no term is negative. Above it
/// `I(x) = 1 - J(1 - x)`, with `J` of exchanged parameters, gives the sum of
/// `x (1 - x)^k (a + b)_k / (b)_(k + 1) (digamma(a + b + k) - digamma(a) + log(x))`.
pub fn dirichlet_slope(cx: &mut Cx<'_, '_>) -> Results {
    let (x, own) = wide(cx, cx.value(0)?)?;
    let ((a, _), (total, _)) = (wide(cx, cx.value(1)?)?, wide(cx, cx.value(2)?)?);
    let all = [x, a, total].map(Some).to_vec();
    let all = cx.calls("broadcast_tensors($0)", &[Arg::Values(all)])?;
    let [x, a, total] = [all[0], all[1], all[2]];
    // The second sum also where the first has many terms and the second loses no digits.
    let text = "logical_or(gt(mul($0, $2), $1), logical_and(lt.Scalar(mul(rsub.Scalar($0, 1), $1), 1), gt.Scalar($0, 0.9)))";
    let is_upper = cx.of(text, &[x, a, total])?;
    let base = cx.of("where.self($1, rsub.Scalar($0, 1), $0)", &[x, is_upper])?;
    let first = cx.of("where.self($2, sub($1, $0), $0)", &[a, total, is_upper])?;
    let term = cx.of("reciprocal($0)", &[first])?;
    let text = "where.self($3, add(sub(digamma($2), digamma($1)), log($0)), sub(sub(digamma(add.Scalar($1, 1)), digamma($2)), log($0)))";
    let slope = cx.of(text, &[x, a, total, is_upper])?;
    let sum = cx.of("mul($0, $1)", &[term, slope])?;
    let turns = Turns {
        carried: &[term, slope, sum],
        given: &[v(base), v(first), v(total), v(is_upper)],
        goes_on: "logical_and(lt.Scalar($0, 100000), any(gt($1, mul.Scalar(abs($3), 1e-17))))",
        steps: &[
            // 8, 9: the steps of digamma(a + b) and of digamma(first parameter).
            "reciprocal(add($6, $0))",
            "reciprocal(add.Scalar(add($5, $0), 1))",
            "mul($1, mul($4, div($9, $8)))",
            "add($2, where.self($7, $8, sub($9, $8)))",
            "add($3, mul($10, $11))",
        ],
    };
    let sum = repeat(cx, turns)?[2];
    let text = "where.self(eq.Scalar($0, 0), zeros_like($0), mul($0, $1))";
    let slope = cx.of(text, &[x, sum])?;
    Ok(vec![cx.cast(slope, own)?])
}
