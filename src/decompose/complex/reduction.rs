//! Reductions and scans of complex numbers that are more than those of their parts.

use super::context::{Built, BuiltPair, Held, Pair, Split};
use super::functions::{argument, turned_by};
use super::pointwise::truth;
use super::{DecomposeError, Results};
use crate::ir::{Arg, Value};

/// The operator on a real value in place of `self`, with the other arguments as they are; dtypes are those of parts.
fn again(cx: &mut Split<'_, '_>, value: Value) -> Result<Vec<Value>, DecomposeError> {
    let part = |a: &Arg| match a {
        Arg::Dtype(dtype) => Arg::Dtype(dtype.part()),
        other => other.clone(),
    };
    let rest: Vec<Arg> = cx.args[1..].iter().map(part).collect();
    let (name, args) = (cx.op.name(), [vec![Arg::Value(value)], rest].concat());
    cx.call_all(name, args, Vec::new())
}

pub fn of_truth(cx: &mut Split<'_, '_>) -> Results {
    let truth = truth(cx, "self")?;
    Ok(vec![Held::Whole(again(cx, truth)?[0])])
}

/// The norm of the absolute values.
pub fn norm(cx: &mut Split<'_, '_>) -> Results {
    let pair = cx.pair("self")?;
    let size = cx.magnitude(pair)?;
    Ok(vec![Held::Whole(again(cx, size)?[0])])
}

/// Norms of vectors, and those of matrices that absolute values decide: singular values are not among them.
pub fn norm_of_magnitudes(cx: &mut Split<'_, '_>) -> Results {
    let of_matrix = match cx.has("dim").then(|| cx.given("dim")) {
        Some(Arg::Ints(list)) => list.len() == 2,
        _ => cx.old.meta(cx.given_value("self")?).rank() == 2,
    };
    let spectral = cx.has("ord")
        && match cx.given("ord") {
            Arg::Str(name) => name == "nuc",
            Arg::None => false,
            Arg::Int(order) => cx.syms().as_const(*order).is_none_or(|n| n.abs() == 2),
            Arg::Float(order) => order.abs() == 2.0,
            _ => true,
        };
    if of_matrix && spectral {
        return Err(cx.unsupported("the singular values of complex matrices"));
    }
    norm(cx)
}

/// The norm of a difference.
pub fn dist(cx: &mut Split<'_, '_>) -> Results {
    let (a, b) = (cx.pair("self")?, cx.pair("other")?);
    let way = cx.minus(a, b)?;
    let size = cx.magnitude(way)?;
    let args = vec![Arg::Value(size), cx.arg("p").clone()];
    Ok(vec![Held::Whole(cx.call("aten.linalg_vector_norm.default", args)?)])
}

/// Variances of real and imaginary parts add up.
fn spread(cx: &mut Split<'_, '_>, mean: bool) -> Results {
    let pair = cx.pair("self")?;
    let is_std = cx.op.name().starts_with("aten.std");
    let name = cx.op.name().replace("aten.std", "aten.var");
    let args = |value: Value, cx: &Split<'_, '_>| [vec![Arg::Value(value)], cx.args[1..].to_vec()].concat();
    let (of_re, of_im) = (args(pair.re, cx), args(pair.im, cx));
    let (re, im) = (cx.call_all(&name, of_re, Vec::new())?, cx.call_all(&name, of_im, Vec::new())?);
    let mut sum = cx.add(re[0], im[0])?;
    if is_std {
        sum = cx.unary("sqrt", sum)?;
    }
    let mut results = vec![Held::Whole(sum)];
    if mean {
        results.push(Pair { re: re[1], im: im[1] }.into());
    }
    Ok(results)
}

pub fn variance(cx: &mut Split<'_, '_>) -> Results {
    spread(cx, false)
}

pub fn variance_mean(cx: &mut Split<'_, '_>) -> Results {
    spread(cx, true)
}

/// With what is not a number left out.
pub fn nansum(cx: &mut Split<'_, '_>) -> Results {
    let pair = cx.pair("self")?;
    let (re, im) = (cx.unary("isnan", pair.re)?, cx.unary("isnan", pair.im)?);
    let missing = cx.two("logical_or", re, im)?;
    let none = Pair { re: cx.number(0.0)?, im: cx.number(0.0)? };
    let pair = cx.chosen(missing, none, pair)?;
    Ok(vec![Pair { re: again(cx, pair.re)?[0], im: again(cx, pair.im)?[0] }.into()])
}

/// `log(sum(exp(self - most))) + most`, where `most` is the largest real part.
pub fn logsumexp(cx: &mut Split<'_, '_>) -> Results {
    let pair = cx.pair("self")?;
    let dims = cx.arg("dim").clone();
    let keep = cx.bool("keepdim");
    let shape = cx.shape(pair.re);
    // No elements have no largest one.
    let empty = cx.syms().as_const(cx.syms().product(&shape)) == Some(0);
    let mut most = cx.number(0.0)?;
    if !empty {
        let args = vec![Arg::Value(pair.re), dims.clone(), Arg::Bool(true)];
        let largest = cx.call("aten.amax.default", args)?;
        let finite = cx.unary("isfinite", largest)?;
        let largest = cx.select(finite, largest, most)?;
        most = cx.unary("detach", largest)?;
    }
    let moved = cx.sub(pair.re, most)?;
    let size = cx.unary("exp", moved)?;
    let (cos, sin) = (cx.unary("cos", pair.im)?, cx.unary("sin", pair.im)?);
    let (re, im) = (cx.mul(size, cos)?, cx.mul(size, sin)?);
    let mut sum = |value: Value| -> Built {
        cx.call("aten.sum.dim_IntList", vec![Arg::Value(value), dims.clone(), Arg::Bool(keep)])
    };
    let (re, im) = (sum(re)?, sum(im)?);
    if !empty {
        let shape = cx.shape(re);
        most = cx.reshape(most, &shape)?;
    }
    let size = cx.two("hypot", re, im)?;
    let log = cx.unary("log", size)?;
    Ok(vec![Pair { re: cx.add(log, most)?, im: cx.two("atan2", im, re)? }.into()])
}

/// Numbers along a dimension, two and two multiplied until one is left, where there is a known number of them.
pub fn prod(cx: &mut Split<'_, '_>) -> Results {
    let mut pair = cx.pair("self")?;
    let shape = cx.shape(pair.re);
    let (dim, keep) = if cx.has("dim") {
        (cx.dim(cx.known_int("dim")?, shape.len())?, cx.bool("keepdim"))
    } else {
        let flat = [cx.syms().product(&shape)];
        pair = Pair { re: cx.reshape(pair.re, &flat)?, im: cx.reshape(pair.im, &flat)? };
        (0, false)
    };
    if cx.rank(pair.re) == 0 {
        return Ok(vec![pair.into()]);
    }
    let count = cx.shape(pair.re)[dim];
    let Some(count) = cx.syms().as_const(count) else {
        // The product of the sizes, and the sum of the angles.
        let (size, angle) = (cx.magnitude(pair)?, argument(cx, pair)?);
        let args = vec![Arg::Value(size), cx.int_arg(dim as i64), Arg::Bool(keep)];
        let size = cx.call("aten.prod.dim_int", args)?;
        let angle = cx.sum(angle, &[dim as i64], keep)?;
        return Ok(vec![turned_by(cx, size, angle)?.into()]);
    };
    if count == 0 {
        let mut shape = cx.shape(pair.re);
        shape.remove(dim);
        if keep {
            shape.insert(dim, cx.constant(1));
        }
        let mut filled = |value: f64| -> Built {
            let named = vec![("dtype", Arg::Dtype(cx.part))];
            cx.call_with("aten.full.default", vec![Arg::Ints(shape.clone()), Arg::Float(value)], named)
        };
        return Ok(vec![Pair { re: filled(1.0)?, im: filled(0.0)? }.into()]);
    }
    let mut left = count;
    while left > 1 {
        let half = left / 2;
        let (first, second) = (part(cx, pair, dim, 0, half)?, part(cx, pair, dim, half, 2 * half)?);
        let mut product = cx.times(first, second)?;
        if left % 2 == 1 {
            let last = part(cx, pair, dim, left - 1, left)?;
            product = Pair {
                re: cx.cat(vec![product.re, last.re], dim as i64)?,
                im: cx.cat(vec![product.im, last.im], dim as i64)?,
            };
        }
        (pair, left) = (product, half + left % 2);
    }
    if !keep {
        pair = Pair { re: cx.squeeze(pair.re, dim as i64)?, im: cx.squeeze(pair.im, dim as i64)? };
    }
    Ok(vec![pair.into()])
}

/// Products of all numbers up to each, by doubling how far they reach.
pub fn cumprod(cx: &mut Split<'_, '_>) -> Results {
    let mut pair = cx.pair("self")?;
    let shape = cx.shape(pair.re);
    let dim = cx.dim(cx.known_int("dim")?, shape.len())?;
    if shape.is_empty() {
        return Ok(vec![pair.into()]);
    }
    let count = cx.syms().as_const(shape[dim]);
    let count = count.ok_or_else(|| cx.unsupported("products along a dimension of symbolic size"))?;
    let mut reach = 1;
    while reach < count {
        let (head, tail) = (part(cx, pair, dim, 0, reach)?, part(cx, pair, dim, reach, count)?);
        let before = part(cx, pair, dim, 0, count - reach)?;
        let next = cx.times(before, tail)?;
        pair = Pair {
            re: cx.cat(vec![head.re, next.re], dim as i64)?,
            im: cx.cat(vec![head.im, next.im], dim as i64)?,
        };
        reach *= 2;
    }
    Ok(vec![pair.into()])
}

fn part(cx: &mut Split<'_, '_>, pair: Pair, dim: usize, from: i64, to: i64) -> BuiltPair {
    let mut one = |value: Value| -> Built {
        let range = [dim as i64, from, to].map(|v| cx.int_arg(v));
        cx.call("aten.slice.Tensor", [vec![Arg::Value(value)], range.to_vec()].concat())
    };
    Ok(Pair { re: one(pair.re)?, im: one(pair.im)? })
}
