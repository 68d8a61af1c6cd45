//! Each distribution as a formula of uniform or normal numbers. Numbers of float16 and bfloat16 are computed in float32 and
//! rounded once.

use super::draw::{Draw, Float};
use super::{choices, dropout};
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::meta::MetaError;
use crate::ops::OpId;
use crate::types::{Calculation, Dtype, SymInt};
use std::f64::consts::{FRAC_1_SQRT_2, PI};

type Built = Result<Value, MetaError>;

/// Ranges of integers up to this are drawn by a product, larger ones by a remainder.
const LARGEST_FACTOR: i64 = 1 << 31;

/// The results of the node.
pub(super) fn results(cx: &mut Draw<'_>) -> Result<Vec<Value>, MetaError> {
    use OpId::*;
    let one = match cx.op {
        Rand | RandGenerator | RandLike | RandLikeGenerator => {
            let (shape, dtype) = target(cx)?;
            by_parts(cx, &shape, dtype, |cx, shape, dtype| cx.uniform(shape, dtype))?
        }
        Randn | RandnGenerator | RandnLike | RandnLikeGenerator => {
            let (shape, dtype) = target(cx)?;
            by_parts(cx, &shape, dtype, |cx, shape, part| {
                let normal = cx.normal(shape, part.compute())?;
                let normal = cx.cast(normal, part)?;
                if dtype.is_complex() { cx.by("mul", normal, Arg::Float(FRAC_1_SQRT_2)) } else { Ok(normal) }
            })?
        }
        Randint
        | RandintGenerator
        | RandintLow
        | RandintLowGenerator
        | RandintLike
        | RandintLikeGenerator
        | RandintLikeLow
        | RandintLikeLowGenerator
        | RandintLikeTensor
        | RandintLikeTensorGenerator => randint(cx)?,
        RandomFrom | RandomTo | Random => random(cx)?,
        Bernoulli | BernoulliTensor => {
            let p = cx.value(if cx.op == Bernoulli { "self" } else { "p" })?;
            let (own, message) = (cx.value("self")?, "a probability is not from 0 to 1");
            let p = cx.unary("detach", p)?;
            let fits = cx.within(p, 0.0, 1.0)?;
            let p = cx.checked(p, fits, message)?;
            let (shape, dtype) = (cx.shape(own), cx.dtype(own));
            let p = cx.cast(p, Dtype::Float64)?;
            let hit = hits(cx, &shape, |cx, words| cx.binary("lt", words, p))?;
            cx.cast(hit, dtype)?
        }
        BernoulliP => {
            let (own, p) = (cx.value("self")?, cx.float("p")?);
            let (shape, dtype) = (cx.shape(own), cx.dtype(own));
            let hit = bernoulli(cx, &shape, p)?;
            cx.cast(hit, dtype)?
        }
        Uniform => {
            let own = cx.value("self")?;
            let (from, to) = (cx.float("from")?, cx.float("to")?);
            let (shape, dtype) = (cx.shape(own), cx.dtype(own));
            uniform_between(cx, &shape, dtype, from, to)?
        }
        NormalFunctional => {
            let own = cx.value("self")?;
            let shape = cx.shape(own);
            normal(cx, &shape, own)?
        }
        NormalTensorFloat | NormalFloatTensor | NormalTensorTensor | NormalFloatFloat => normal_of(cx)?,
        LogNormal => {
            let own = cx.value("self")?;
            let (shape, dtype) = (cx.shape(own), cx.dtype(own));
            let z = cx.normal(&shape, dtype.compute())?;
            let scaled = moved(cx, z, "mean", "std")?;
            let result = cx.unary("exp", scaled)?;
            cx.cast(result, dtype)?
        }
        Cauchy => {
            let own = cx.value("self")?;
            let (shape, dtype) = (cx.shape(own), cx.dtype(own));
            let u = cx.open(&shape, dtype.compute())?;
            let middle = cx.by("sub", u, Arg::Float(0.5))?;
            let angle = cx.by("mul", middle, Arg::Float(PI))?;
            let tangent = cx.unary("tan", angle)?;
            let result = moved(cx, tangent, "median", "sigma")?;
            cx.cast(result, dtype)?
        }
        Exponential => {
            let own = cx.value("self")?;
            let (shape, dtype) = (cx.shape(own), cx.dtype(own));
            let waited = exponential(cx, &shape, dtype.compute())?;
            let rate = cx.float("lambd")?.arg();
            let result = cx.by("div", waited, rate)?;
            cx.cast(result, dtype)?
        }
        Geometric => geometric(cx)?,
        Randperm | RandpermGenerator => choices::randperm(cx)?,
        Multinomial => choices::multinomial(cx)?,
        _ => return dropout::results(cx),
    };
    Ok(vec![one])
}

/// What `draw` gives. Both parts of complex numbers are drawn as a last dimension of two.
fn by_parts(
    cx: &mut Draw<'_>,
    shape: &[SymInt],
    dtype: Dtype,
    draw: impl FnOnce(&mut Draw<'_>, &[SymInt], Dtype) -> Built,
) -> Built {
    if !dtype.is_complex() {
        return draw(cx, shape, dtype);
    }
    let two = cx.syms().constant(2);
    let drawn = draw(cx, &[shape, &[two]].concat(), dtype.part())?;
    cx.call("aten.view_as_complex.default", vec![Arg::Value(drawn)])
}

/// The shape and dtype that are asked for: by `size`, or as `self` has them.
pub(super) fn target(cx: &Draw<'_>) -> Result<(Vec<SymInt>, Dtype), MetaError> {
    let own = cx.optional("self");
    let shape = match (cx.arg("size"), own) {
        (Arg::Ints(size), _) => size,
        (_, Some(own)) => cx.shape(own),
        _ => return Err(cx.error(Status::Internal, "has no size")),
    };
    let default = match own {
        Some(own) => cx.dtype(own),
        None => Dtype::Float32,
    };
    Ok((shape, cx.arg("dtype").dtype().unwrap_or(default)))
}

/// Where words, as float64 in `[0, 1)`, fulfil a condition.
fn hits(cx: &mut Draw<'_>, shape: &[SymInt], condition: impl FnOnce(&mut Draw<'_>, Value) -> Built) -> Built {
    let words = cx.bits(shape, 32)?;
    let words = cx.cast(words, Dtype::Float64)?;
    let words = cx.by("mul", words, Arg::Float(2f64.powi(-32)))?;
    condition(cx, words)
}

/// True with this probability: a word below `p * 2^32`.
pub(super) fn bernoulli(cx: &mut Draw<'_>, shape: &[SymInt], p: Float) -> Built {
    match p {
        Float::Known(p) => {
            let words = cx.bits(shape, 32)?;
            let limit = (p * 2f64.powi(32)).ceil() as i64;
            let limit = cx.constant(limit);
            cx.by("lt", words, limit)
        }
        Float::Bits(_) => hits(cx, shape, |cx, words| cx.by("lt", words, p.arg())),
    }
}

/// Which elements are kept, and the factor of each: one over the probability, or 0.
pub(super) fn factors(
    cx: &mut Draw<'_>,
    shape: &[SymInt],
    dtype: Dtype,
    kept: Float,
) -> Result<(Value, Value), MetaError> {
    let mask = bernoulli(cx, shape, kept)?;
    let none = cx.full(&[], Arg::Float(0.0), dtype)?;
    // Where nothing is kept the factor would be infinite.
    let scale = match kept {
        Float::Known(0.0) => Float::Known(0.0),
        kept => cx.calculate(Calculation::Div, Float::Known(1.0), kept),
    };
    let scale = cx.full(&[], scale.arg(), dtype)?;
    let factor = cx.select(mask, scale, none)?;
    Ok((mask, factor))
}

/// In `[from, to)`; what rounding brings to `to` is `from`.
pub(super) fn uniform_between(
    cx: &mut Draw<'_>,
    shape: &[SymInt],
    dtype: Dtype,
    from: Float,
    to: Float,
) -> Built {
    let u = cx.uniform(shape, dtype)?;
    if (from, to) == (Float::Known(0.0), Float::Known(1.0)) {
        return Ok(u);
    }
    let u = cx.cast(u, dtype.compute())?;
    let span = cx.calculate(Calculation::Sub, to, from);
    let scaled = cx.by("mul", u, span.arg())?;
    let moved = cx.by("add", scaled, from.arg())?;
    let moved = cx.cast(moved, dtype)?;
    let first = cx.full(shape, from.arg(), dtype)?;
    let last = cx.full(shape, to.arg(), dtype)?;
    let over = cx.binary("ge", moved, last)?;
    cx.select(over, first, moved)
}

/// `number * scale + shift`, by the names of two arguments.
fn moved(cx: &mut Draw<'_>, value: Value, shift: &str, scale: &str) -> Built {
    let (shift, scale) = (cx.float(shift)?, cx.float(scale)?);
    let scaled = if scale == Float::Known(1.0) { value } else { cx.by("mul", value, scale.arg())? };
    if shift == Float::Known(0.0) { Ok(scaled) } else { cx.by("add", scaled, shift.arg()) }
}

fn normal(cx: &mut Draw<'_>, shape: &[SymInt], like: Value) -> Built {
    let dtype = cx.dtype(like);
    by_parts(cx, shape, dtype, |cx, shape, part| {
        let mut z = cx.normal(shape, part.compute())?;
        if dtype.is_complex() {
            z = cx.by("mul", z, Arg::Float(FRAC_1_SQRT_2))?;
        }
        let result = moved(cx, z, "mean", "std")?;
        cx.cast(result, part)
    })
}

/// `normal`, of means and deviations that are tensors, or of a size.
fn normal_of(cx: &mut Draw<'_>) -> Built {
    // PyTorch gives parameters no gradient.
    let mut apart = |name: &str| cx.optional(name).map(|value| cx.unary("detach", value)).transpose();
    let (mean, std) = (apart("mean")?, apart("std")?);
    let (shape, dtype) = match (mean, std) {
        (Some(mean), Some(std)) => {
            let both = cx.binary("add", mean, std)?;
            (cx.shape(both), cx.dtype(mean))
        }
        (Some(one), None) | (None, Some(one)) => (cx.shape(one), cx.dtype(one)),
        (None, None) => target(cx)?,
    };
    let compute = dtype.compute();
    let z = cx.normal(&shape, compute)?;
    let scaled = match std {
        Some(std) => {
            let fits = cx.by("ge", std, Arg::Float(0.0))?;
            let std = cx.checked(std, fits, "a standard deviation is below 0")?;
            let std = cx.cast(std, compute)?;
            cx.binary("mul", z, std)?
        }
        None => {
            let std = cx.float("std")?.arg();
            cx.by("mul", z, std)?
        }
    };
    let moved = match mean {
        Some(mean) => {
            let mean = cx.cast(mean, compute)?;
            cx.binary("add", scaled, mean)?
        }
        None => {
            let mean = cx.float("mean")?.arg();
            cx.by("add", scaled, mean)?
        }
    };
    cx.cast(moved, dtype)
}

/// `-log u`, never 0.
pub(super) fn exponential(cx: &mut Draw<'_>, shape: &[SymInt], dtype: Dtype) -> Built {
    let u = cx.open(shape, dtype)?;
    let log = cx.unary("log", u)?;
    cx.unary("neg", log)
}

/// The number of the first trial that succeeds: `ceil(log u / log(1 - p))`, in float64 where integers are asked for.
fn geometric(cx: &mut Draw<'_>) -> Built {
    let (own, p) = (cx.value("self")?, cx.float("p")?);
    let (shape, dtype) = (cx.shape(own), cx.dtype(own));
    let compute = if dtype.is_float() { dtype.compute() } else { Dtype::Float64 };
    let u = cx.open(&shape, compute)?;
    let log = cx.unary("log", u)?;
    let rate = match p {
        Float::Known(p) => Float::Known((-p).ln_1p()),
        Float::Bits(_) => {
            let rest = cx.calculate(Calculation::Sub, Float::Known(1.0), p);
            match rest {
                Float::Bits(bits) => Float::Bits(cx.syms().calculate(Calculation::Log, &[bits])),
                known => known,
            }
        }
    };
    let trials = cx.by("div", log, rate.arg())?;
    let trials = cx.unary("ceil", trials)?;
    cx.cast(trials, dtype)
}

/// `randint` and `randint_like`.
fn randint(cx: &mut Draw<'_>) -> Built {
    let (shape, mut dtype) = target(cx)?;
    if cx.optional("self").is_none() {
        dtype = cx.arg("dtype").dtype().unwrap_or(Dtype::Int64);
    }
    let low = if cx.has("low") { cx.int("low") } else { None };
    let low = low.unwrap_or_else(|| cx.syms().constant(0));
    let drawn = match cx.optional("high") {
        Some(high) => {
            let high = cx.cast(high, Dtype::Int64)?;
            let high = cx.call("aten.reshape.default", vec![Arg::Value(high), Arg::Ints(Vec::new())])?;
            let fits = cx.by("gt", high, Arg::Int(low))?;
            let count = cx.checked(high, fits, "`high` leaves no integer to draw")?;
            below_tensor(cx, &shape, count)?
        }
        None => {
            let high = cx.int("high").ok_or_else(|| cx.error(Status::Internal, "has no upper bound"))?;
            let count = cx.syms().sub(high, low);
            below(cx, &shape, count)?
        }
    };
    let drawn = if cx.syms().as_const(low) == Some(0) { drawn } else { cx.by("add", drawn, Arg::Int(low))? };
    cx.cast(drawn, dtype)
}

/// Integers below `count`: the upper half of 64 bits times `count`, or the rest of 63 bits by it.
pub(super) fn below(cx: &mut Draw<'_>, shape: &[SymInt], count: SymInt) -> Built {
    let words = cx.bits(shape, 64)?;
    let is_small = cx.syms().le(count, cx.syms().constant(LARGEST_FACTOR));
    match cx.syms().decide(is_small) {
        Some(true) => by_product(cx, words, |cx, v| cx.by("mul", v, Arg::Int(count))),
        Some(false) => by_rest(cx, words, |cx, v| cx.by("remainder", v, Arg::Int(count))),
        None => {
            let count = cx.call_with(
                "aten.scalar_tensor.default",
                vec![Arg::Int(count)],
                vec![("dtype", Arg::Dtype(Dtype::Int64))],
            )?;
            chosen(cx, words, count)
        }
    }
}

fn below_tensor(cx: &mut Draw<'_>, shape: &[SymInt], count: Value) -> Built {
    let words = cx.bits(shape, 64)?;
    chosen(cx, words, count)
}

/// As [`below`], by a number that only a run knows.
fn chosen(cx: &mut Draw<'_>, words: Value, count: Value) -> Built {
    let most = cx.constant(LARGEST_FACTOR);
    let is_small = cx.by("le", count, most)?;
    let product = by_product(cx, words, |cx, v| cx.binary("mul", v, count))?;
    let rest = by_rest(cx, words, |cx, v| cx.binary("remainder", v, count))?;
    cx.select(is_small, product, rest)
}

fn by_product(cx: &mut Draw<'_>, words: Value, times: impl Fn(&mut Draw<'_>, Value) -> Built) -> Built {
    let half = cx.constant(32);
    let lower = cx.constant((1 << 32) - 1);
    let high = shifted(cx, words, half.clone())?;
    let high = cx.by("bitwise_and", high, lower.clone())?;
    let low = cx.by("bitwise_and", words, lower)?;
    let (high, low) = (times(cx, high)?, times(cx, low)?);
    let carried = shifted(cx, low, half.clone())?;
    let sum = cx.binary("add", high, carried)?;
    shifted(cx, sum, half)
}

fn shifted(cx: &mut Draw<'_>, value: Value, by: Arg) -> Built {
    cx.call("aten.bitwise_right_shift.Tensor_Scalar", vec![Arg::Value(value), by])
}

fn by_rest(cx: &mut Draw<'_>, words: Value, rest: impl Fn(&mut Draw<'_>, Value) -> Built) -> Built {
    let positive = cx.constant(i64::MAX);
    let words = cx.by("bitwise_and", words, positive)?;
    rest(cx, words)
}

/// `random`: from `from` to before `to`, or all integers of the dtype from there on; of floats those up to twice the
/// precision's.
fn random(cx: &mut Draw<'_>) -> Built {
    let own = cx.value("self")?;
    let (shape, dtype) = (cx.shape(own), cx.dtype(own));
    let zero = cx.syms().constant(0);
    let from = if cx.has("from") { cx.int("from").unwrap_or(zero) } else { zero };
    let to = if cx.has("to") { cx.int("to") } else { None };
    let last = match (dtype, dtype.integer_range()) {
        (Dtype::Bool, _) => 1,
        (_, Some((_, most))) => most,
        (Dtype::Bfloat16, _) => 1 << 8,
        (Dtype::Float16, _) => 1 << 11,
        (Dtype::Float32, _) => 1 << 24,
        _ => 1 << 53,
    };
    let syms = cx.syms();
    let (known_from, known_to) = (syms.as_const(from), to.and_then(|to| syms.as_const(to)));
    // How many there are; `None`: 2^63 or more.
    let count = match (known_from, to, known_to) {
        (Some(from), None, _) => {
            last.checked_sub(from).and_then(|n| n.checked_add(1)).map(|n| syms.constant(n))
        }
        (Some(from), Some(_), Some(to)) => to.checked_sub(from).map(|n| syms.constant(n)),
        (_, Some(to), _) => Some(syms.sub(to, from)),
        (None, None, _) => Some(syms.sub(syms.constant(last), syms.add_const(from, -1))),
    };
    let drawn = match count {
        Some(count) => {
            let drawn = below(cx, &shape, count)?;
            if known_from == Some(0) { drawn } else { cx.by("add", drawn, Arg::Int(from))? }
        }
        // All 63 bits from 0 on, or all 64.
        None if known_from == Some(0) => {
            let words = cx.bits(&shape, 64)?;
            let positive = cx.constant(i64::MAX);
            cx.by("bitwise_and", words, positive)?
        }
        None if known_from == Some(i64::MIN) && to.is_none() => cx.bits(&shape, 64)?,
        None => {
            return Err(
                cx.error(Status::Unsupported, "more than 2^63 integers to draw from, but not all of int64")
            );
        }
    };
    cx.cast(drawn, dtype)
}
