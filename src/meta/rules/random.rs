//! Operators that draw random numbers: what their results are like, and the parameters that a distribution has.

use super::conversion::like;
use super::creation::{new_like, of_size, sized};
use super::pointwise::{Out, elementwise};
use crate::base::Status;
use crate::meta::{Infer, MetaError, ScalarArg};
use crate::types::{Dtype, SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

fn invalid(cx: &Infer<'_>, message: impl Into<String>) -> MetaError {
    cx.error(Status::InvalidArgument, message)
}

fn is_float(cx: &Infer<'_>, dtype: Dtype) -> Result<(), MetaError> {
    match dtype.is_float() || matches!(dtype, Dtype::Complex64 | Dtype::Complex128) {
        true => Ok(()),
        false => Err(cx.error(Status::Dtype, format!("draws floating-point numbers, not {dtype}"))),
    }
}

/// A float that is known now.
fn known(cx: &Infer<'_>, name: &str) -> Option<f64> {
    match cx.scalar(name) {
        Some(ScalarArg::Known(value)) => Some(value.as_f64()),
        _ => None,
    }
}

/// Requires a known parameter to fulfil a condition, which no NaN does.
fn parameter(cx: &Infer<'_>, name: &str, want: &str, holds: fn(f64) -> bool) -> Result<(), MetaError> {
    match known(cx, name) {
        Some(value) if !holds(value) => Err(invalid(cx, format!("`{name}` must be {want}, but is {value}"))),
        _ => Ok(()),
    }
}

/// `rand` and `randn`.
pub fn random_of_size(cx: &mut Infer<'_>) -> Metas {
    is_float(cx, cx.dtype("dtype").unwrap_or(Dtype::Float32))?;
    of_size(cx)
}

/// `rand_like` and `randn_like`.
pub fn random_like(cx: &mut Infer<'_>) -> Metas {
    let metas = new_like(cx)?;
    is_float(cx, metas[0].dtype)?;
    Ok(metas)
}

/// The integers that a dtype holds; floats hold those up to their precision and more.
fn holds(dtype: Dtype, value: i64) -> bool {
    match (dtype, dtype.integer_range()) {
        (Dtype::Bool, _) => (0..=1).contains(&value),
        (_, Some((least, most))) => (least..=most).contains(&value),
        (_, None) => (value as f64).abs() <= dtype.largest_float(),
    }
}

/// Integers from `low` to before `high`, of which there must be one, and which the dtype must hold.
fn integers(cx: &mut Infer<'_>, dtype: Dtype, low: SymInt, high: SymInt) -> Result<(), MetaError> {
    let syms = cx.syms();
    let message = format!(
        "draws integers from {} to before {}, but there are none",
        syms.display(low),
        syms.display(high)
    );
    match syms.decide(syms.lt(low, high)) {
        Some(false) => return Err(invalid(cx, message)),
        _ => cx.require(syms.lt(low, high), message)?,
    }
    for (what, value) in
        [("first", syms.as_const(low)), ("last", syms.as_const(high).map(|h| h.saturating_sub(1)))]
    {
        if let Some(value) = value.filter(|v| !holds(dtype, *v)) {
            return Err(invalid(
                cx,
                format!("{dtype} cannot hold {value}, the {what} of the integers to draw"),
            ));
        }
    }
    Ok(())
}

/// `randint`: `low` is 0 where it is not given.
pub fn randint(cx: &mut Infer<'_>) -> Metas {
    let dtype = cx.dtype("dtype").unwrap_or(Dtype::Int64);
    let (low, high) = (low(cx)?, cx.int("high")?);
    integers(cx, dtype, low, high)?;
    let shape = cx.ints("size")?.to_vec();
    sized(cx, dtype, shape)
}

fn low(cx: &Infer<'_>) -> Result<SymInt, MetaError> {
    if cx.op.schema().arg("low").is_some() { cx.int("low") } else { Ok(cx.syms().constant(0)) }
}

/// `randint_like`; an upper bound that is a tensor is seen at run time.
pub fn randint_like(cx: &mut Infer<'_>) -> Metas {
    let metas = new_like(cx)?;
    match cx.optional_meta("high") {
        Some(high) if high.dtype.is_float() || high.dtype == Dtype::Bool => {
            return Err(cx.error(Status::Dtype, format!("`high` must be an integer, not {}", high.dtype)));
        }
        Some(high) if high.rank() > 0 => {
            return Err(invalid(
                cx,
                format!("`high` must be a scalar, not a tensor of rank {}", high.rank()),
            ));
        }
        Some(_) => {}
        None => {
            let (low, high) = (low(cx)?, cx.int("high")?);
            integers(cx, metas[0].dtype, low, high)?;
        }
    }
    Ok(metas)
}

/// `randperm`: the numbers below `n`, each once.
pub fn randperm(cx: &mut Infer<'_>) -> Metas {
    let dtype = cx.dtype("dtype").unwrap_or(Dtype::Int64);
    if dtype == Dtype::Bool {
        return Err(cx.error(Status::Dtype, "a permutation of bools"));
    }
    let n = cx.int("n")?;
    let syms = cx.syms();
    // A float's integers are exact up to twice its precision.
    let most = match dtype.integer_range() {
        Some((_, most)) => most.saturating_add(1),
        None => 1 << significant_bits(dtype),
    };
    if let Some(n) = syms.as_const(n) {
        if n < 0 {
            return Err(invalid(cx, format!("`n` must not be negative, but is {n}")));
        }
        if n > most {
            return Err(invalid(cx, format!("{dtype} cannot hold all numbers below {n} exactly")));
        }
    }
    let fits = syms.and(syms.le(syms.constant(0), n), syms.le(n, syms.constant(most)));
    cx.require(fits, format!("{dtype} must hold all numbers below `n`, which must not be negative"))?;
    sized(cx, dtype, vec![n])
}

/// How many bits of an integer a float keeps.
fn significant_bits(dtype: Dtype) -> u32 {
    match dtype {
        Dtype::Bfloat16 => 8,
        Dtype::Float16 => 11,
        Dtype::Float32 => 24,
        _ => 53,
    }
}

/// `bernoulli`: the tensor gives the probabilities.
pub fn bernoulli(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?;
    is_float(cx, own.dtype)?;
    Ok(vec![TensorMeta::contiguous(cx.syms(), own.dtype, own.shape.clone())])
}

pub(super) fn probability(cx: &Infer<'_>) -> Result<(), MetaError> {
    let name = ["p", "dropout_p", "dropout"].into_iter().find(|name| cx.op.schema().arg(name).is_some());
    parameter(cx, name.unwrap_or("p"), "a probability, from 0 to 1", |p| (0.0..=1.0).contains(&p))
}

pub fn bernoulli_p(cx: &mut Infer<'_>) -> Metas {
    probability(cx)?;
    let own = cx.meta("self")?;
    Ok(vec![like(cx, own, own.dtype)?])
}

/// The probabilities are expanded to the tensor's shape.
pub fn bernoulli_tensor(cx: &mut Infer<'_>) -> Metas {
    let (own, p) = (cx.meta("self")?, cx.meta("p")?);
    is_float(cx, p.dtype)?;
    let both = elementwise(cx, &["self", "p"], Out::Is(own.dtype))?;
    cx.require_sizes(&both.shape, &own.shape, None, "`p` does not expand to the shape of `self`")?;
    Ok(vec![like(cx, own, own.dtype)?])
}

/// `uniform`, `normal_functional`, `log_normal`, `cauchy`, `exponential`, `geometric`: like `self`, whose elements do not
/// count.
pub fn distribution(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?;
    let positive: fn(f64) -> bool = |v| v > 0.0;
    for (name, want, holds) in [
        ("lambd", "above 0", positive),
        ("sigma", "above 0", positive),
        ("p", "between 0 and 1", |p: f64| p > 0.0 && p < 1.0),
    ] {
        if cx.op.schema().arg(name).is_some() {
            parameter(cx, name, want, holds)?;
        }
    }
    if cx.op.schema().arg("std").is_some() {
        match cx.op.name().contains("log_normal") {
            true => parameter(cx, "std", "above 0", positive)?,
            false => deviation(cx)?,
        }
    }
    if cx.op.schema().arg("to").is_some()
        && let (Some(from), Some(to)) = (known(cx, "from"), known(cx, "to"))
    {
        let most = own.dtype.largest_float();
        if from > to || from.is_nan() || to.is_nan() {
            return Err(invalid(cx, format!("`from` must not be above `to`, but they are {from} and {to}")));
        }
        if from.abs() > most || to.abs() > most || to - from > most {
            return Err(invalid(
                cx,
                format!("{dtype} cannot hold the interval from {from} to {to}", dtype = own.dtype),
            ));
        }
    }
    Ok(vec![like(cx, own, own.dtype)?])
}

fn deviation(cx: &Infer<'_>) -> Result<(), MetaError> {
    parameter(cx, "std", "0 or more", |v| v >= 0.0)
}

/// `normal` with tensors of means or deviations, or of a size.
pub fn normal(cx: &mut Infer<'_>) -> Metas {
    deviation(cx)?;
    if cx.op.schema().arg("size").is_some() {
        return random_of_size(cx);
    }
    let tensors: Vec<&str> = ["mean", "std"].into_iter().filter(|n| cx.optional_value(n).is_some()).collect();
    for name in &tensors {
        is_float(cx, cx.meta(name)?.dtype)?;
    }
    let dtype = cx.meta(tensors[0])?.dtype;
    let shape = elementwise(cx, &tensors, Out::Is(dtype))?.shape;
    Ok(vec![TensorMeta::contiguous(cx.syms(), dtype, shape)])
}

/// `random`: integers of any dtype, all that it has where no bounds are given.
pub fn random_integers(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?;
    let syms = cx.syms();
    let has = |name: &str| cx.op.schema().arg(name).is_some();
    let from = if has("from") { cx.int("from")? } else { syms.constant(0) };
    if has("to")
        && let Some(to) = cx.optional_int("to")
    {
        integers(cx, own.dtype, from, to)?;
    } else if let Some(from) = syms.as_const(from).filter(|v| !holds(own.dtype, *v)) {
        return Err(invalid(
            cx,
            format!("{} cannot hold {from}, the first of the integers to draw", own.dtype),
        ));
    }
    Ok(vec![like(cx, own, own.dtype)?])
}

/// `multinomial`: positions along the last dimension.
pub fn multinomial(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?;
    is_float(cx, own.dtype)?;
    if own.rank() == 0 || own.rank() > 2 {
        return Err(cx.shape_error(format!("weights must have 1 or 2 dimensions, not {}", own.rank())));
    }
    let (syms, count) = (cx.syms(), cx.int("num_samples")?);
    let categories = own.shape[own.rank() - 1];
    if syms.as_const(count).is_some_and(|n| n <= 0) {
        return Err(invalid(cx, format!("`num_samples` must be above 0, but is {}", syms.display(count))));
    }
    cx.require(syms.lt(syms.constant(0), count), "`num_samples` must be above 0")?;
    if !cx.bool("replacement") {
        let enough = syms.le(count, categories);
        let message = format!(
            "cannot draw {} of {} categories without replacement",
            syms.display(count),
            syms.display(categories)
        );
        if syms.decide(enough) == Some(false) {
            return Err(invalid(cx, message));
        }
        cx.require(enough, message)?;
    }
    let shape = [&own.shape[..own.rank() - 1], &[count]].concat();
    Ok(vec![TensorMeta::contiguous(syms, Dtype::Int64, shape)])
}

/// `rrelu_with_noise`: the result, and the noise where that is a result.
pub fn rrelu_with_noise(cx: &mut Infer<'_>) -> Metas {
    let (own, noise) = (cx.meta("self")?, cx.meta("noise")?.clone());
    if noise.dtype != own.dtype {
        return Err(cx.error(Status::Dtype, format!("`self` is {}, `noise` is {}", own.dtype, noise.dtype)));
    }
    let own = own.shape.clone();
    cx.require_sizes(&noise.shape, &own, None, "`noise` must have the shape of `self`")?;
    let mut metas = super::rrelu(cx)?;
    if cx.op.schema().returns.len() == 2 {
        metas.push(noise);
    }
    Ok(metas)
}

/// `litz.random_bits`: int64.
pub fn random_bits(cx: &mut Infer<'_>) -> Metas {
    if !matches!(cx.known_int("bits")?, 32 | 64) {
        return Err(invalid(cx, "`bits` must be 32 or 64"));
    }
    drawn(cx, Dtype::Int64)
}

/// `litz.random_uniform` and `litz.random_normal`.
pub fn random_floats(cx: &mut Infer<'_>) -> Metas {
    let dtype = cx.dtype("dtype").unwrap_or(Dtype::Float32);
    is_float(cx, dtype)?;
    drawn(cx, dtype)
}

fn drawn(cx: &mut Infer<'_>, dtype: Dtype) -> Metas {
    if let Some(state) = cx.optional_meta("state")
        && (state.dtype != Dtype::Int64 || state.rank() != 0)
    {
        return Err(cx.error(Status::Dtype, "`state` must be a 0-d tensor of int64"));
    }
    let shape = cx.ints("size")?.to_vec();
    sized(cx, dtype, shape)
}

pub fn random_next(_: &mut Infer<'_>) -> Metas {
    Ok(Vec::new())
}

/// `litz.checked`: the tensor itself, where the condition holds everywhere.
pub fn checked(cx: &mut Infer<'_>) -> Metas {
    if cx.meta("condition")?.dtype != Dtype::Bool {
        return Err(cx.error(Status::Dtype, "`condition` must be a bool"));
    }
    let own = cx.meta("self")?;
    Ok(vec![elementwise(cx, &["self", "condition"], Out::Is(own.dtype))?])
}
