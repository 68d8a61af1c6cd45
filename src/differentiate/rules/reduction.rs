//! Reductions: their gradients are spread over what was reduced.

use super::super::Outcome;
use super::super::context::Derivative;
use super::view::flat;
use crate::ir::{Arg, Value};

/// The argument's dimensions that a reduction goes over. A reduction of all has no argument for them.
fn dims_of(d: &Derivative<'_>, input: Value) -> Outcome<Vec<usize>> {
    let rank = d.rank(input);
    match ["dim", "dims"].into_iter().find(|n| d.op.schema().arg(n).is_some()) {
        Some(name) => d.reduced_dims(name, rank),
        None => Ok((0..rank).collect()),
    }
}

/// The cotangent of a result and the result, with the reduced dimensions as sizes of 1.
fn kept(d: &mut Derivative<'_>, input: Value, dims: &[usize], result: usize) -> Outcome<(Value, Value)> {
    let (grad, rank, found) = (d.grad_of(result)?, d.rank(input), d.results[result]);
    Ok((d.kept(grad, dims, rank)?, d.kept(found, dims, rank)?))
}

/// The argument as numbers that a sum is made of: wide enough.
fn wide(d: &mut Derivative<'_>, value: Value) -> Outcome<Value> {
    d.compute(value)
}

pub fn sum(d: &mut Derivative<'_>) -> Outcome {
    let input = d.value("self")?;
    let dims = dims_of(d, input)?;
    let (grad, _) = kept(d, input, &dims, 0)?;
    let cotangent = d.expanded(grad, input)?;
    d.give("self", cotangent)
}

pub fn nansum(d: &mut Derivative<'_>) -> Outcome {
    let input = d.value("self")?;
    let dims = dims_of(d, input)?;
    let (grad, _) = kept(d, input, &dims, 0)?;
    let (spread, zero) = (d.expanded(grad, input)?, d.zeros_like(input)?);
    let missing = d.unary("isnan", input)?;
    let cotangent = d.select(missing, zero, spread)?;
    d.give("self", cotangent)
}

pub fn mean(d: &mut Derivative<'_>) -> Outcome {
    let input = d.value("self")?;
    let dims = dims_of(d, input)?;
    let (grad, _) = kept(d, input, &dims, 0)?;
    let each = d.shared(grad, input, &dims)?;
    let cotangent = d.expanded(each, input)?;
    d.give("self", cotangent)
}

pub fn nanmean(d: &mut Derivative<'_>) -> Outcome {
    let input = d.value("self")?;
    let dims = dims_of(d, input)?;
    let (grad, _) = kept(d, input, &dims, 0)?;
    let missing = d.unary("isnan", input)?;
    let there = d.unary("logical_not", missing)?;
    let dtype = d.dtype_of(grad);
    let ones = d.cast(there, dtype)?;
    let list: Vec<i64> = dims.iter().map(|k| *k as i64).collect();
    let count = d.sum(ones, &list, true)?;
    let each = d.div(grad, count)?;
    let cotangent = d.mul(ones, each)?;
    d.give("self", cotangent)
}

pub fn sum_to_size(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad) = (d.value("self")?, d.grad()?);
    let cotangent = d.expanded(grad, input)?;
    d.give("self", cotangent)
}

/// Extremes: equal ones share the gradient.
pub fn extreme(d: &mut Derivative<'_>) -> Outcome {
    let input = d.value("self")?;
    let dims = dims_of(d, input)?;
    extreme_of(d, input, &dims, 0)
}

fn extreme_of(d: &mut Derivative<'_>, input: Value, dims: &[usize], result: usize) -> Outcome {
    if d.cotangent(result).is_none() {
        return Ok(());
    }
    let (grad, found) = kept(d, input, dims, result)?;
    let equal = d.compare("eq", input, found)?;
    let dtype = d.dtype_of(grad);
    let ones = d.cast(equal, dtype)?;
    let list: Vec<i64> = dims.iter().map(|k| *k as i64).collect();
    let count = if list.is_empty() { ones } else { d.sum(ones, &list, true)? };
    let each = d.div(grad, count)?;
    let cotangent = d.mul(ones, each)?;
    d.give("self", cotangent)
}

/// The first result is the least, the second the greatest.
pub fn aminmax(d: &mut Derivative<'_>) -> Outcome {
    let input = d.value("self")?;
    let dims = dims_of(d, input)?;
    extreme_of(d, input, &dims, 0)?;
    extreme_of(d, input, &dims, 1)
}

/// Values chosen along a dimension with the places they were chosen from: extremes, medians, sorts.
pub fn chosen(d: &mut Derivative<'_>) -> Outcome {
    let Some(grad) = d.cotangent(0) else { return Ok(()) };
    let (input, places) = (d.value("self")?, d.results[1]);
    let rank = d.rank(input);
    if rank == 0 {
        return d.give("self", grad);
    }
    let dim = d.op.schema().arg("dim").map_or(Ok(0), |_| d.known_int("dim"))?;
    let dim = d.dim(dim, rank)?;
    let (mut grad, mut places) = (grad, places);
    if d.rank(places) != rank {
        (grad, places) = (d.unsqueeze(grad, dim as i64)?, d.unsqueeze(places, dim as i64)?);
    }
    let cotangent = scatter_added(d, input, dim, places, grad)?;
    d.give("self", cotangent)
}

/// Adds elements to zeros at places along a dimension. Where each line has one place, nothing meets, and every element can tell by
/// itself whether it is the one.
pub fn scatter_added(
    d: &mut Derivative<'_>,
    like: Value,
    dim: usize,
    places: Value,
    grad: Value,
) -> Outcome<Value> {
    let (mut line, one) = (d.shape(like), d.constant(1));
    if let Some(size) = line.get_mut(dim).map(|size| std::mem::replace(size, one))
        && d.shape(places) == line
        && d.shape(grad) == line
    {
        line.fill(one);
        line[dim] = size;
        let dtype = d.dtype_of(places);
        let numbers =
            d.call_with("aten.arange.default", vec![Arg::Int(size)], vec![("dtype", Arg::Dtype(dtype))])?;
        let numbers = d.reshape(numbers, &line)?;
        let hit = d.compare("eq", numbers, places)?;
        let dtype = d.dtype_of(grad);
        let zero = d.scalar(0.0, dtype)?;
        return d.select(hit, grad, zero);
    }
    let (zeros, dim) = (d.zeros_like(like)?, d.int_arg(dim as i64));
    let args = vec![Arg::Value(zeros), dim, Arg::Value(places), Arg::Value(grad)];
    d.call("aten.scatter_add.default", args)
}

/// The median of all elements: all that equal it share the gradient.
pub fn median(d: &mut Derivative<'_>) -> Outcome {
    let input = d.value("self")?;
    let result = d.results[0];
    let missing = d.unary("isnan", result)?;
    let (equal, none) = (d.compare("eq", input, result)?, d.unary("isnan", input)?);
    let both = d.call("aten.logical_and.default", vec![Arg::Value(missing), Arg::Value(none)])?;
    let found = d.call("aten.logical_or.default", vec![Arg::Value(equal), Arg::Value(both)])?;
    let grad = d.grad()?;
    let dtype = d.dtype_of(grad);
    let ones = d.cast(found, dtype)?;
    let count = d.sum(ones, &[], false)?;
    let each = d.div(grad, count)?;
    let cotangent = d.mul(ones, each)?;
    d.give("self", cotangent)
}

/// The sum over `self` of `grad` times what `exp(self - result)` is.
pub fn logsumexp(d: &mut Derivative<'_>) -> Outcome {
    let input = d.value("self")?;
    let dims = dims_of(d, input)?;
    let (grad, found) = kept(d, input, &dims, 0)?;
    let away = d.sub(input, found)?;
    let share = d.unary("exp", away)?;
    // Where all is -inf the difference is NaN, and nothing has a share.
    let (nowhere, zero) = (d.compare("eq", found, f64::NEG_INFINITY)?, d.zeros_like(share)?);
    let share = d.select(nowhere, zero, share)?;
    let cotangent = d.mul(grad, share)?;
    d.give("self", cotangent)
}

/// How much less than the count a variance divides by.
fn correction(d: &Derivative<'_>) -> f64 {
    if d.op.schema().arg("unbiased").is_some() {
        return if d.bool("unbiased") { 1.0 } else { 0.0 };
    }
    d.float("correction").unwrap_or(1.0)
}

/// `2 (self - mean) / (count - correction)` times the gradient of the variance.
fn var_of(d: &mut Derivative<'_>, input: Value, dims: &[usize], grad: Value) -> Outcome<Value> {
    let list: Vec<i64> = dims.iter().map(|k| *k as i64).collect();
    let own = wide(d, input)?;
    let mean = if list.is_empty() { own } else { d.mean(own, &list, true)? };
    let away = d.sub(own, mean)?;
    let count = d.count(input, dims);
    let less = correction(d);
    let dtype = d.dtype_of(own);
    let grad = d.cast(grad, dtype)?;
    let twice = d.mul(grad, 2.0)?;
    let each = match d.syms().as_const(count) {
        Some(n) => d.div(twice, n as f64 - less)?,
        None if less.fract() == 0.0 => {
            let left = d.syms().add_const(count, -(less as i64));
            d.div(twice, left)?
        }
        None => return Err(d.unsupported("a correction with a fraction over a size known only at run time")),
    };
    d.mul(each, away)
}

fn var_like(d: &mut Derivative<'_>, is_root: bool, result: usize) -> Outcome {
    if d.cotangent(result).is_none() {
        return Ok(());
    }
    let input = d.value("self")?;
    let dims = dims_of(d, input)?;
    let (mut grad, found) = kept(d, input, &dims, result)?;
    if is_root {
        let (found, own) = (wide(d, found)?, wide(d, grad)?);
        let twice = d.mul(found, 2.0)?;
        grad = d.ratio(own, twice)?;
    }
    let cotangent = var_of(d, input, &dims, grad)?;
    d.give("self", cotangent)
}

pub fn var(d: &mut Derivative<'_>) -> Outcome {
    var_like(d, false, 0)
}
pub fn std(d: &mut Derivative<'_>) -> Outcome {
    var_like(d, true, 0)
}

fn with_mean(d: &mut Derivative<'_>, is_root: bool) -> Outcome {
    var_like(d, is_root, 0)?;
    if d.cotangent(1).is_none() {
        return Ok(());
    }
    let input = d.value("self")?;
    let dims = dims_of(d, input)?;
    let (grad, _) = kept(d, input, &dims, 1)?;
    let each = d.shared(grad, input, &dims)?;
    let cotangent = d.expanded(each, input)?;
    d.give("self", cotangent)
}
pub fn var_mean(d: &mut Derivative<'_>) -> Outcome {
    with_mean(d, false)
}
pub fn std_mean(d: &mut Derivative<'_>) -> Outcome {
    with_mean(d, true)
}

/// The product of all other elements along a dimension, without a division, so that zeros do no harm.
pub fn others(d: &mut Derivative<'_>, value: Value, dim: i64) -> Outcome<Value> {
    let backwards = Arg::Ints(vec![d.constant(dim)]);
    let before = exclusive(d, value, dim)?;
    let turned = d.call("aten.flip.default", vec![Arg::Value(value), backwards.clone()])?;
    let after = exclusive(d, turned, dim)?;
    let after = d.call("aten.flip.default", vec![Arg::Value(after), backwards])?;
    d.mul(before, after)
}

/// The product of the elements before each one.
pub(super) fn exclusive(d: &mut Derivative<'_>, value: Value, dim: i64) -> Outcome<Value> {
    let at = d.int_arg(dim);
    let (zero, one, end) = (d.constant(0), d.constant(1), d.int_arg(-1));
    let first =
        d.call("aten.slice.Tensor", vec![Arg::Value(value), at.clone(), Arg::Int(zero), Arg::Int(one)])?;
    let ones = d.call("aten.ones_like.default", vec![Arg::Value(first)])?;
    let rest = d.call("aten.slice.Tensor", vec![Arg::Value(value), at.clone(), Arg::Int(zero), end])?;
    let shifted = d.cat(vec![ones, rest], dim)?;
    d.call("aten.cumprod.default", vec![Arg::Value(shifted), at])
}

pub fn prod(d: &mut Derivative<'_>) -> Outcome {
    let input = d.value("self")?;
    let dims = dims_of(d, input)?;
    if d.rank(input) == 0 {
        let grad = d.grad()?;
        return d.give("self", grad);
    }
    let (grad, _) = kept(d, input, &dims, 0)?;
    let dtype = d.dtype_of(grad);
    let own = d.cast(input, dtype)?;
    let own = wide(d, own)?;
    let rest = match dims[..] {
        [dim] => others(d, own, dim as i64)?,
        _ => {
            let row = flat(d, own)?;
            let rest = others(d, row, 0)?;
            let shape = d.shape(input);
            d.reshape(rest, &shape)?
        }
    };
    let cotangent = d.mul(grad, rest)?;
    d.give("self", cotangent)
}

/// `|x|^p` summed, and the root of it.
pub fn vector_norm(d: &mut Derivative<'_>) -> Outcome {
    let input = d.value("self")?;
    let dims = dims_of(d, input)?;
    let name = if d.op.schema().arg("ord").is_some() { "ord" } else { "p" };
    let order = if *d.arg(name) == Arg::None { 2.0 } else { d.float(name).unwrap_or(2.0) };
    let (grad, found) = kept(d, input, &dims, 0)?;
    let (own, found, grad) = (wide(d, input)?, wide(d, found)?, wide(d, grad)?);
    let sign = d.unary("sign", own)?;
    let cotangent = if order == 0.0 {
        d.zeros_like(own)?
    } else if order == 1.0 {
        d.mul(sign, grad)?
    } else if order.is_infinite() {
        let size = d.unary("abs", own)?;
        let equal = d.compare("eq", size, found)?;
        let dtype = d.dtype_of(grad);
        let ones = d.cast(equal, dtype)?;
        let list: Vec<i64> = dims.iter().map(|k| *k as i64).collect();
        let count = if list.is_empty() { ones } else { d.sum(ones, &list, true)? };
        let each = d.div(grad, count)?;
        let signed = d.mul(sign, ones)?;
        d.mul(signed, each)?
    } else {
        // The slope at 0 is taken as 0.
        if order == 2.0 {
            let ratio = d.ratio(grad, found)?;
            d.mul(own, ratio)?
        } else {
            let (at_zero, none) = (d.compare("eq", own, 0.0)?, d.zeros_like(own)?);
            let (size, one) =
                (d.unary("abs", own)?, d.call("aten.ones_like.default", vec![Arg::Value(own)])?);
            let size = d.select(at_zero, one, size)?;
            let power = d.power(size, order - 1.0)?;
            let (zero, one) =
                (d.zeros_like(found)?, d.call("aten.ones_like.default", vec![Arg::Value(found)])?);
            let nothing = d.compare("eq", found, 0.0)?;
            let whole = d.select(nothing, one, found)?;
            let whole = d.power(whole, order - 1.0)?;
            let ratio = d.div(grad, whole)?;
            let ratio = d.select(nothing, zero, ratio)?;
            let signed = d.mul(sign, power)?;
            let slope = d.mul(signed, ratio)?;
            d.select(at_zero, none, slope)?
        }
    };
    d.give("self", cotangent)
}
