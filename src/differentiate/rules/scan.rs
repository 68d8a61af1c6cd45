//! Cumulative operators.

use super::super::Outcome;
use super::super::context::Derivative;
use super::reduction::{exclusive, scatter_added};
use crate::ir::{Arg, Value};

/// The sum of all from each element on.
fn sum_from(d: &mut Derivative<'_>, value: Value, dim: i64) -> Outcome<Value> {
    let (at, turned) = (d.int_arg(dim), Arg::Ints(vec![d.constant(dim)]));
    let back = d.call("aten.flip.default", vec![Arg::Value(value), turned.clone()])?;
    let sums = d.call("aten.cumsum.default", vec![Arg::Value(back), at])?;
    d.call("aten.flip.default", vec![Arg::Value(sums), turned])
}

/// The dimension that a scan goes along; none of a 0-d tensor.
fn dim_of(d: &Derivative<'_>, input: Value) -> Outcome<Option<i64>> {
    let rank = d.rank(input);
    let dim = d.known_int("dim")?;
    Ok(if rank == 0 { None } else { Some(d.dim(dim, rank)? as i64) })
}

pub fn cumsum(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad) = (d.value("self")?, d.grad()?);
    let cotangent = match dim_of(d, input)? {
        Some(dim) => sum_from(d, grad, dim)?,
        None => grad,
    };
    d.give("self", cotangent)
}

/// Extremes so far, with the places they stand at.
pub fn cumulative_extremum(d: &mut Derivative<'_>) -> Outcome {
    let Some(grad) = d.cotangent(0) else { return Ok(()) };
    let input = d.value("self")?;
    let cotangent = match dim_of(d, input)? {
        Some(dim) => scatter_added(d, input, dim as usize, d.results[1], grad)?,
        None => grad,
    };
    d.give("self", cotangent)
}

/// `result_j` depends on `x_i` for `i <= j` by `exp(x_i - result_j)`. The sum is taken of positive and of negative gradients apart, in
/// logarithms, so that nothing overflows.
pub fn logcumsumexp(d: &mut Derivative<'_>) -> Outcome {
    let input = d.value("self")?;
    let Some(dim) = dim_of(d, input)? else {
        let grad = d.grad()?;
        return d.give("self", grad);
    };
    let grad = d.grad()?;
    let found = d.results[0];
    let (grad, own, found) = (d.compute(grad)?, d.compute(input)?, d.compute(found)?);
    let mut total = None;
    for (which, sign) in [("gt", 1.0), ("lt", -1.0)] {
        let size = d.mul(grad, sign)?;
        let logarithm = d.unary("log", size)?;
        let lowest =
            d.call("aten.full_like.default", vec![Arg::Value(logarithm), Arg::Float(f64::NEG_INFINITY)])?;
        let on = d.compare(which, grad, 0.0)?;
        // Chosen last: what is -inf on both sides has no difference.
        let term = d.sub(logarithm, found)?;
        let term = d.select(on, term, lowest)?;
        let (at, turned) = (d.int_arg(dim), Arg::Ints(vec![d.constant(dim)]));
        let back = d.call("aten.flip.default", vec![Arg::Value(term), turned.clone()])?;
        let sums = d.call("aten.logcumsumexp.default", vec![Arg::Value(back), at])?;
        let sums = d.call("aten.flip.default", vec![Arg::Value(sums), turned])?;
        let share = d.add(sums, own)?;
        let share = d.unary("exp", share)?;
        total = Some(match total {
            None => share,
            Some(before) => d.sub(before, share)?,
        });
    }
    match total {
        Some(cotangent) => d.give("self", cotangent),
        None => Ok(()),
    }
}

/// `s_i = grad_i + x_(i+1) s_(i+1)`, from the end on. Each round takes in as many elements as all before it.
fn recurrence(d: &mut Derivative<'_>, own: Value, grad: Value, dim: i64, size: i64) -> Outcome<Value> {
    let part = |d: &mut Derivative<'_>, value: Value, from: i64, to: i64| {
        let (at, from, to) = (d.int_arg(dim), d.int_arg(from), d.int_arg(to));
        d.call("aten.slice.Tensor", vec![Arg::Value(value), at, from, to])
    };
    // One element for each sum that another one is added to.
    let (mut factor, mut sum) = (part(d, own, 1, size)?, grad);
    let mut by = 1;
    while by < size {
        let (first, last) = (part(d, sum, 0, size - by)?, part(d, sum, size - by, size)?);
        let behind = part(d, sum, by, size)?;
        let more = d.mul(factor, behind)?;
        let first = d.add(first, more)?;
        sum = d.cat(vec![first, last], dim)?;
        if 2 * by < size {
            let (own, next) = (part(d, factor, 0, size - 2 * by)?, part(d, factor, by, size - by)?);
            factor = d.mul(own, next)?;
        }
        by *= 2;
    }
    Ok(sum)
}

/// `x_i` is a factor of `result_j` for `i <= j`: the product of those before it, times a sum over those behind it. Nothing is
/// divided, so that zeros have their slopes, and the slopes of these. How many rounds that takes is known with the size alone.
pub fn cumprod(d: &mut Derivative<'_>) -> Outcome {
    let input = d.value("self")?;
    let grad = d.grad()?;
    let Some(dim) = dim_of(d, input)? else { return d.give("self", grad) };
    let dtype = d.dtype_of(grad).compute();
    let (grad, own) = (d.cast(grad, dtype)?, d.cast(input, dtype)?);
    let size = d.shape(own)[dim as usize];
    let cotangent = match d.syms().as_const(size) {
        Some(size) => {
            let before = exclusive(d, own, dim)?;
            let behind = recurrence(d, own, grad, dim, size)?;
            d.mul(before, behind)?
        }
        None => {
            let found = d.results[0];
            let found = d.cast(found, dtype)?;
            let at = d.int_arg(dim);
            let args = vec![Arg::Value(grad), Arg::Value(own), at, Arg::Value(found)];
            d.call("aten.cumprod_backward.default", args)?
        }
    };
    d.give("self", cotangent)
}

/// A sort along the first dimension that does not say where its elements came from.
pub fn msort(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad) = (d.value("self")?, d.grad()?);
    if d.rank(input) == 0 {
        return d.give("self", grad);
    }
    let first = d.int_arg(0);
    let places = d.call_all("aten.sort.default", vec![Arg::Value(input), first], Vec::new())?[1];
    let cotangent = scatter_added(d, input, 0, places, grad)?;
    d.give("self", cotangent)
}
