//! Quadrature, quantiles, and looking up among many elements.

use crate::base::Status;
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::meta::result_type;
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

/// `isin` by binary search: each element is compared with the test element at its place in sorted order.
pub fn sorted_isin(cx: &mut Decompose<'_>) -> Results {
    let dtype = result_type(cx.graph, &cx.args[..2]).map_err(|m| cx.error(Status::Dtype, m))?;
    let (elements, tests) = (cx.value("elements")?, cx.value("test_elements")?);
    let (elements, tests) = (cx.cast(elements, dtype)?, cx.cast(tests, dtype)?);
    let shape = cx.shape(tests);
    let count = cx.syms().product(&shape);
    let flat = cx.reshape(tests, &[count])?;
    let sorted = cx.call_all("aten.sort.default", vec![Arg::Value(flat)], Vec::new())?[0];
    // NaN sorts behind all numbers, and a comparison with it sends the search the wrong way. The search sees the largest number instead.
    let mut order = sorted;
    if dtype.is_float() {
        let nothing = cx.unary("isnan", sorted)?;
        let lowest = cx.scalar(f64::NEG_INFINITY, dtype)?;
        let numbers = cx.select(nothing, lowest, sorted)?;
        let largest = cx.call("aten.amax.default", vec![Arg::Value(numbers)])?;
        order = cx.select(nothing, largest, sorted)?;
    }
    let place = cx.call("aten.searchsorted.Tensor", vec![Arg::Value(order), Arg::Value(elements)])?;
    let last = cx.syms().add_const(count, -1);
    let place = cx.call("aten.clamp_max.default", vec![Arg::Value(place), Arg::Int(last)])?;
    let found = cx.call("aten.take.default", vec![Arg::Value(sorted), Arg::Value(place)])?;
    Ok(vec![cx.compare(if cx.bool("invert") { "ne" } else { "eq" }, found, elements)?])
}

/// `x[begin .. size - end]` along a dimension.
fn inner(cx: &mut Decompose<'_>, x: Value, dim: usize, begin: i64, end: i64) -> Built {
    let size = cx.shape(x)[dim];
    let stop = cx.syms().add_const(size, -end);
    let (dim, begin) = (cx.int_arg(dim as i64), cx.int_arg(begin));
    cx.call("aten.slice.Tensor", vec![Arg::Value(x), dim, begin, Arg::Int(stop)])
}

/// The sums of neighbours along `dim`, times the distances of their places, which are not all alike.
fn weighed(cx: &mut Decompose<'_>, y: Value, x: Value, dim: usize) -> Built {
    let (rank, own) = (cx.rank(y), cx.rank(x));
    let one = cx.constant(1);
    // A vector of places stands along `dim`, others line up at the end.
    let mut shape = vec![one; rank.saturating_sub(own)];
    shape.extend(cx.shape(x));
    if own == 1 {
        shape = vec![one; rank];
        shape[dim] = cx.shape(x)[0];
    }
    let x = cx.reshape(x, &shape)?;
    let (left, right) = (inner(cx, x, dim, 0, 1)?, inner(cx, x, dim, 1, 0)?);
    let distances = cx.sub(right, left)?;
    let sums = neighbours(cx, y, dim)?;
    cx.mul(sums, distances)
}

fn neighbours(cx: &mut Decompose<'_>, y: Value, dim: usize) -> Built {
    let (left, right) = (inner(cx, y, dim, 0, 1)?, inner(cx, y, dim, 1, 0)?);
    cx.add(left, right)
}

fn integrated(cx: &Decompose<'_>) -> Result<(Value, usize), DecomposeError> {
    let y = cx.value("y")?;
    let dim = cx.dim(cx.known_int("dim")?, cx.rank(y))?;
    Ok((y, dim))
}

/// The integral over `dim` by trapezoids. Between places that are `dx` apart it is the sum without half of both ends.
pub fn trapezoid(cx: &mut Decompose<'_>) -> Results {
    let (y, dim) = integrated(cx)?;
    let size = cx.shape(y)[dim];
    if cx.syms().as_const(size) == Some(0) {
        let mut shape = cx.shape(y);
        shape.remove(dim);
        let dtype = cx.dtype_of(y);
        let named = vec![("dtype", Arg::Dtype(dtype))];
        return Ok(vec![cx.call_with("aten.zeros.default", vec![Arg::Ints(shape)], named)?]);
    }
    if cx.op.schema().arg("x").is_some() {
        let x = cx.value("x")?;
        let weighed = weighed(cx, y, x, dim)?;
        let sum = cx.sum(weighed, &[dim as i64], false)?;
        return Ok(vec![cx.div(sum, 2.0)?]);
    }
    let dx = cx.float("dx").unwrap_or(1.0);
    let all = cx.sum(y, &[dim as i64], false)?;
    let (first, last) = (cx.select_index(y, dim as i64, 0)?, cx.select_index(y, dim as i64, -1)?);
    let ends = cx.add(first, last)?;
    let ends = cx.mul(ends, 0.5)?;
    let rest = cx.sub(all, ends)?;
    Ok(vec![cx.mul(rest, dx)?])
}

/// The integral up to every place but the first.
pub fn cumulative_trapezoid(cx: &mut Decompose<'_>) -> Results {
    let (y, dim) = integrated(cx)?;
    let (areas, halve) = if cx.op.schema().arg("x").is_some() {
        let x = cx.value("x")?;
        (weighed(cx, y, x, dim)?, true)
    } else {
        let half = cx.float("dx").unwrap_or(1.0) / 2.0;
        let sums = neighbours(cx, y, dim)?;
        (cx.mul(sums, half)?, false)
    };
    let dim = cx.int_arg(dim as i64);
    let sum = cx.call("aten.cumsum.default", vec![Arg::Value(areas), dim])?;
    Ok(vec![if halve { cx.div(sum, 2.0)? } else { sum }])
}

/// Quantiles of sorted rows; a row with NaN gives NaN.
pub fn quantile(cx: &mut Decompose<'_>) -> Results {
    quantile_of(cx, false)
}
/// Quantiles of what is not NaN.
pub fn nanquantile(cx: &mut Decompose<'_>) -> Results {
    quantile_of(cx, true)
}

fn quantile_of(cx: &mut Decompose<'_>, ignore_nan: bool) -> Results {
    let x = cx.value("self")?;
    let (dtype, rank) = (cx.dtype_of(x), cx.rank(x));
    let keep = cx.bool("keepdim");
    let dim = match cx.int("dim") {
        Some(_) => Some(cx.dim(cx.known_int("dim")?, rank)?),
        None => None,
    };
    // Rows last, and the fractions as a list of their own dimension.
    let rows = match dim {
        Some(dim) if rank > 0 => moved(cx, x, dim as i64, -1)?,
        _ => {
            let all = cx.meta(x).numel(cx.syms());
            cx.reshape(x, &[all])?
        }
    };
    let (q, listed) = match cx.arg("q") {
        Arg::Value(q) => {
            let listed = cx.rank(*q) > 0;
            (if listed { *q } else { cx.unsqueeze(*q, 0)? }, listed)
        }
        _ => {
            let number = cx.float("q").ok_or_else(|| cx.unsupported("a fraction that is no number"))?;
            let q = cx.scalar(number, Dtype::Float64)?;
            (cx.unsqueeze(q, 0)?, false)
        }
    };
    let q = cx.cast(q, Dtype::Float64)?;
    let sorted = cx.call_all("aten.sort.default", vec![Arg::Value(rows)], Vec::new())?[0];
    let size = *cx.shape(rows).last().unwrap_or(&cx.constant(1));
    let missing = cx.unary("isnan", rows)?;
    let ranks = if ignore_nan {
        let present = cx.unary("logical_not", missing)?;
        let present = cx.sum(present, &[-1], true)?;
        let last = cx.sub(present, cx.constant(1))?;
        let zero = cx.int_arg(0);
        let last = cx.call("aten.clamp_min.default", vec![Arg::Value(last), zero])?;
        cx.mul(q, last)?
    } else {
        let last = cx.syms().add_const(size, -1);
        let ranks = cx.mul(q, last)?;
        // NaN sorts last: its rows are asked for their last element.
        let (minus_one, keep_one) = (cx.int_arg(-1), Arg::Bool(true));
        let any = cx.call("aten.any.dim", vec![Arg::Value(missing), minus_one, keep_one])?;
        let last = cx.syms().add_const(size, -1);
        let number = cx.scalar(0.0, Dtype::Float64)?;
        let last = cx.add(number, last)?;
        cx.select(any, last, ranks)?
    };
    let mut wanted: Vec<SymInt> = cx.shape(rows);
    let count = cx.shape(q)[0];
    wanted.pop();
    wanted.push(count);
    let ranks = cx.call("aten.expand.default", vec![Arg::Value(ranks), Arg::Ints(wanted)])?;
    let pick = |cx: &mut Decompose<'_>, places: Value| -> Built {
        let places = cx.cast(places, Dtype::Int64)?;
        let minus_one = cx.int_arg(-1);
        cx.call("aten.gather.default", vec![Arg::Value(sorted), minus_one, Arg::Value(places)])
    };
    let below = cx.unary("floor", ranks)?;
    let picked = match cx.string("interpolation") {
        Some("lower") => pick(cx, below)?,
        Some("higher") => {
            let above = cx.unary("ceil", ranks)?;
            pick(cx, above)?
        }
        Some("nearest") => {
            let nearest = cx.unary("round", ranks)?;
            pick(cx, nearest)?
        }
        Some(which @ ("linear" | "midpoint")) => {
            let above = cx.unary("ceil", ranks)?;
            let (low, high) = (pick(cx, below)?, pick(cx, above)?);
            let weight = if which == "linear" {
                cx.sub(ranks, below)?
            } else {
                let half = cx.scalar(0.5, Dtype::Float64)?;
                let shape = cx.shape(ranks);
                cx.call("aten.expand.default", vec![Arg::Value(half), Arg::Ints(shape)])?
            };
            let weight = cx.cast(weight, dtype)?;
            cx.call("aten.lerp.Tensor", vec![Arg::Value(low), Arg::Value(high), Arg::Value(weight)])?
        }
        other => {
            let message = format!("interpolation {} is not known", other.unwrap_or("none"));
            return Err(cx.error(Status::InvalidArgument, message));
        }
    };
    // The fractions' dimension goes to the front, or away.
    let mut result = moved(cx, picked, -1, 0)?;
    match dim {
        Some(dim) if keep && rank > 0 => result = cx.unsqueeze(result, dim as i64 + 1)?,
        None if keep => {
            for _ in 0..rank {
                result = cx.unsqueeze(result, -1)?;
            }
        }
        _ => {}
    }
    if !listed {
        result = cx.select_index(result, 0, 0)?;
    }
    Ok(vec![result])
}

fn moved(cx: &mut Decompose<'_>, x: Value, from: i64, to: i64) -> Built {
    let (from, to) = (cx.int_arg(from), cx.int_arg(to));
    cx.call("aten.movedim.int", vec![Arg::Value(x), from, to])
}
