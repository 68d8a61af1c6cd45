//! Norms and distances. A norm is computed in float32 (float64) and rounded once; what comes before and after it is
//! rounded to the operands' dtype, as PyTorch's steps are.

use super::loss::{clamp_min, operands};
use crate::base::StableSort;
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

/// The `p`-norm over some dimensions (all where none is named), by the operator whose derivative rule knows the slope at zero.
fn norm_over(cx: &mut Decompose<'_>, x: Value, p: f64, dims: &[i64], keep: bool) -> Built {
    let dims = match dims {
        [] => Arg::None,
        list => cx.ints_arg(list),
    };
    cx.call("aten.linalg_vector_norm.default", vec![Arg::Value(x), Arg::Float(p), dims, Arg::Bool(keep)])
}

/// The `p`-norm over some dimensions (all where none is named), in the tensor's dtype.
fn expanded_norm(cx: &mut Decompose<'_>, x: Value, p: f64, dims: &[i64], keep: bool) -> Built {
    let dtype = cx.dtype_of(x);
    let (rank, one) = (cx.rank(x), cx.constant(1));
    let over =
        |k: usize| dims.is_empty() || dims.iter().any(|d| d.rem_euclid(rank.max(1) as i64) as usize == k);
    let shape = cx.shape(x);
    if p != 0.0 && (0..rank).all(|k| !over(k) || shape[k] == one) {
        // The norm of one number is its size, also where its power would be beyond the dtype.
        let kept: Vec<SymInt> = (0..rank).filter(|k| keep || !over(*k)).map(|k| shape[k]).collect();
        let absolute = cx.unary("abs", x)?;
        return cx.reshape(absolute, &kept);
    }
    let wide = cx.compute(x)?;
    let norm = wide_norm(cx, wide, p, dims, keep)?;
    cx.cast(norm, dtype)
}

fn wide_norm(cx: &mut Decompose<'_>, x: Value, p: f64, dims: &[i64], keep: bool) -> Built {
    if p == 2.0 {
        let square = cx.unary("square", x)?;
        let sum = cx.sum(square, dims, keep)?;
        return cx.unary("sqrt", sum);
    }
    if p == 0.0 {
        let dtype = cx.dtype_of(x);
        let counted = cx.compare("ne", x, 0.0)?;
        let counted = cx.cast(counted, dtype)?;
        return cx.sum(counted, dims, keep);
    }
    let absolute = cx.unary("abs", x)?;
    if p.is_infinite() {
        let name = if p > 0.0 { "aten.amax.default" } else { "aten.amin.default" };
        let dims = cx.ints_arg(dims);
        return cx.call(name, vec![Arg::Value(absolute), dims, Arg::Bool(keep)]);
    }
    if p == 1.0 {
        return cx.sum(absolute, dims, keep);
    }
    let power = cx.power(absolute, p)?;
    let sum = cx.sum(power, dims, keep)?;
    cx.power(sum, 1.0 / p)
}

/// The dimensions named by the argument `dim`, none for all.
fn named_dims(cx: &Decompose<'_>) -> Result<Vec<i64>, DecomposeError> {
    match cx.op.schema().arg("dim") {
        Some(_) if cx.ints("dim").is_some() => cx.known_ints("dim"),
        _ => Ok(Vec::new()),
    }
}

fn keep_dims(cx: &Decompose<'_>) -> bool {
    cx.op.schema().arg("keepdim").is_some() && cx.bool("keepdim")
}

/// `self`, converted first where a dtype is asked for; and the result's dtype.
fn norm_input(cx: &mut Decompose<'_>) -> Result<(Value, Dtype), DecomposeError> {
    let x = cx.value("self")?;
    let asked = cx.op.schema().arg("dtype").and_then(|_| cx.dtype("dtype"));
    let dtype = asked.unwrap_or(cx.dtype_of(x));
    Ok((cx.cast(x, dtype)?, dtype))
}

fn finish(cx: &mut Decompose<'_>, value: Value, dtype: Dtype) -> Results {
    Ok(vec![cx.cast(value, dtype)?])
}

pub fn vector_norm(cx: &mut Decompose<'_>) -> Results {
    let (x, dtype) = norm_input(cx)?;
    let dims = named_dims(cx)?;
    let norm = expanded_norm(cx, x, cx.float("ord").unwrap_or(2.0), &dims, keep_dims(cx))?;
    finish(cx, norm, dtype)
}

/// The `norm` overloads: `p` not given is 2.
pub fn norm(cx: &mut Decompose<'_>) -> Results {
    let (x, dtype) = norm_input(cx)?;
    let dims = named_dims(cx)?;
    let norm = expanded_norm(cx, x, cx.float("p").unwrap_or(2.0), &dims, keep_dims(cx))?;
    finish(cx, norm, dtype)
}

pub fn frobenius_norm(cx: &mut Decompose<'_>) -> Results {
    let (x, dtype) = norm_input(cx)?;
    let dims = named_dims(cx)?;
    let norm = norm_over(cx, x, 2.0, &dims, keep_dims(cx))?;
    finish(cx, norm, dtype)
}

/// A matrix norm over two dimensions: `fro`, or an order of ±1 or ±inf: the largest (smallest) sum of a column or
/// a row.
fn matrix_norm(
    cx: &mut Decompose<'_>,
    x: Value,
    order: MatrixOrder<'_>,
    dims: [i64; 2],
    keep: bool,
) -> Built {
    let order = match order {
        MatrixOrder::Named("fro") => return norm_over(cx, x, 2.0, &dims, keep),
        MatrixOrder::Named("nuc") => None,
        MatrixOrder::Named(name) => {
            return Err(cx.unsupported(format!("there is no norm \"{name}\" of matrices")));
        }
        MatrixOrder::Number(p) => Some(p),
    };
    let rank = cx.rank(x);
    let (rows, columns) = (cx.dim(dims[0], rank)?, cx.dim(dims[1], rank)?);
    let order = match order {
        None => return spectral_norm(cx, x, None, [rows, columns], keep),
        Some(p) if p.abs() == 2.0 => return spectral_norm(cx, x, Some(p), [rows, columns], keep),
        Some(p) => p,
    };
    let (summed, extreme) = if order.abs() == 1.0 {
        (rows, columns)
    } else if order.is_infinite() {
        (columns, rows)
    } else {
        return Err(cx.unsupported(format!("there is no matrix norm of order {order}")));
    };
    let absolute = cx.unary("abs", x)?;
    let sum = cx.sum(absolute, &[summed as i64], keep)?;
    let size = cx.shape(x)[extreme];
    let extreme = if !keep && extreme > summed { extreme - 1 } else { extreme };
    if cx.syms().as_const(size) == Some(0) {
        // No sums: their largest is zero.
        return cx.sum(sum, &[extreme as i64], keep);
    }
    let name = if order > 0.0 { "aten.amax.default" } else { "aten.amin.default" };
    let dims = cx.ints_arg(&[extreme as i64]);
    cx.call(name, vec![Arg::Value(sum), dims, Arg::Bool(keep)])
}

/// The sum of the singular values, or the largest or smallest for orders of ±2. A dtype that has no factorisation is computed in
/// float32.
fn spectral_norm(
    cx: &mut Decompose<'_>,
    x: Value,
    order: Option<f64>,
    dims: [usize; 2],
    keep: bool,
) -> Built {
    let rank = cx.rank(x);
    let shape = cx.shape(x);
    if order.is_none_or(|p| p > 0.0) && dims.iter().any(|d| cx.syms().as_const(shape[*d]) == Some(0)) {
        // Without singular values each of these norms is zero.
        return cx.sum(x, &dims.map(|d| d as i64), keep);
    }
    let others = (0..rank).filter(|d| !dims.contains(d));
    let order_of_dims: Vec<usize> = others.chain(dims).collect();
    let matrix = cx.permute(x, &order_of_dims)?;
    let values = super::singular_values::singular_values(cx, matrix)?;
    let last = cx.ints_arg(&[-1]);
    let mut norm = match order {
        None => cx.sum(values, &[-1], false)?,
        Some(p) => {
            let name = if p > 0.0 { "aten.amax.default" } else { "aten.amin.default" };
            cx.call(name, vec![Arg::Value(values), last, Arg::Bool(false)])?
        }
    };
    if keep {
        let mut back = dims;
        back.stable_sort();
        for d in back {
            norm = cx.unsqueeze(norm, d as i64)?;
        }
    }
    Ok(norm)
}

enum MatrixOrder<'a> {
    Named(&'a str),
    Number(f64),
}

fn order_of<'g>(cx: &Decompose<'g>) -> Option<MatrixOrder<'g>> {
    if let Some(name) = cx.string("ord") {
        return Some(MatrixOrder::Named(name));
    }
    cx.float("ord").map(MatrixOrder::Number)
}

pub fn linalg_matrix_norm(cx: &mut Decompose<'_>) -> Results {
    let (x, dtype) = norm_input(cx)?;
    let dims = named_dims(cx)?;
    let &[a, b] = dims.as_slice() else {
        return Err(cx.unsupported("a matrix norm is over two dimensions"));
    };
    let order = order_of(cx).unwrap_or(MatrixOrder::Named("fro"));
    let norm = matrix_norm(cx, x, order, [a, b], keep_dims(cx))?;
    finish(cx, norm, dtype)
}

/// A vector norm over one dimension, a matrix norm over two; without an order the 2-norm of all elements.
pub fn linalg_norm(cx: &mut Decompose<'_>) -> Results {
    let (x, dtype) = norm_input(cx)?;
    let dims = named_dims(cx)?;
    let keep = keep_dims(cx);
    let rank = cx.rank(x);
    let norm = match (order_of(cx), dims.as_slice()) {
        (None, _) => norm_over(cx, x, 2.0, &dims, keep)?,
        (Some(order), &[a, b]) => matrix_norm(cx, x, order, [a, b], keep)?,
        (Some(order), []) if rank == 2 => matrix_norm(cx, x, order, [0, 1], keep)?,
        (Some(MatrixOrder::Number(p)), list) if list.len() == 1 || (list.is_empty() && rank <= 1) => {
            norm_over(cx, x, p, list, keep)?
        }
        _ => return Err(cx.unsupported("this order goes with one or two dimensions")),
    };
    finish(cx, norm, dtype)
}

pub fn dist(cx: &mut Decompose<'_>) -> Results {
    let (v, dtype) = operands(cx, &["self", "other"])?;
    let difference = cx.sub(v[0], v[1])?;
    let norm = norm_over(cx, difference, cx.float("p").unwrap_or(2.0), &[], false)?;
    finish(cx, norm, dtype)
}

/// The norm of `x1 - x2 + eps` along the last dimension.
pub fn pairwise_distance(cx: &mut Decompose<'_>) -> Results {
    let (v, dtype) = operands(cx, &["x1", "x2"])?;
    let difference = cx.sub(v[0], v[1])?;
    let difference = cx.add(difference, cx.float("eps").unwrap_or(1e-6))?;
    let dims: &[i64] = if cx.rank(difference) == 0 { &[] } else { &[-1] };
    let norm = norm_over(cx, difference, cx.float("p").unwrap_or(2.0), dims, keep_dims(cx))?;
    finish(cx, norm, dtype)
}

/// `[.., p, r]` from `x1[.., p, m]` and `x2[.., r, m]`.
pub fn cdist(cx: &mut Decompose<'_>) -> Results {
    let (v, dtype) = operands(cx, &["x1", "x2"])?;
    let (a, b) = (cx.unsqueeze(v[0], -2)?, cx.unsqueeze(v[1], -3)?);
    let difference = cx.sub(a, b)?;
    let norm = norm_over(cx, difference, cx.float("p").unwrap_or(2.0), &[-1], false)?;
    finish(cx, norm, dtype)
}

/// The distances of all pairs of rows i < j, in the order of i and then j.
pub fn pdist(cx: &mut Decompose<'_>) -> Results {
    let (v, dtype) = operands(cx, &["self"])?;
    let rows = cx.shape(v[0])[0];
    let offset = cx.int_arg(1);
    let pairs = cx.call("aten.triu_indices.default", vec![Arg::Int(rows), Arg::Int(rows), offset])?;
    let row = |cx: &mut Decompose<'_>, k: i64| -> Built {
        let index = cx.select_index(pairs, 0, k)?;
        let dim = cx.int_arg(0);
        cx.call("aten.index_select.default", vec![Arg::Value(v[0]), dim, Arg::Value(index)])
    };
    let (a, b) = (row(cx, 0)?, row(cx, 1)?);
    let difference = cx.sub(a, b)?;
    let norm = norm_over(cx, difference, cx.float("p").unwrap_or(2.0), &[-1], false)?;
    finish(cx, norm, dtype)
}

/// The product of both vectors, each divided by its length, or by `eps` where that is larger.
pub fn cosine_similarity(cx: &mut Decompose<'_>) -> Results {
    let (v, dtype) = operands(cx, &["x1", "x2"])?;
    let rank = cx.rank(v[0]).max(cx.rank(v[1]));
    let dim = cx.dim(cx.known_int("dim")?, rank)? as i64;
    let eps = cx.float("eps").unwrap_or(1e-8);
    // Broadcast first: the dimension counts in the common shape.
    let shape = {
        let shapes = [cx.shape(v[0]), cx.shape(v[1])];
        common_shape(cx, &shapes)
    };
    let unit = |cx: &mut Decompose<'_>, x: Value| -> Built {
        let x = cx.call("aten.expand.default", vec![Arg::Value(x), Arg::Ints(shape.clone())])?;
        let length = norm_over(cx, x, 2.0, &[dim], true)?;
        let length = clamp_min(cx, length, eps)?;
        cx.div(x, length)
    };
    let (a, b) = (unit(cx, v[0])?, unit(cx, v[1])?);
    let product = cx.mul(a, b)?;
    let sum = cx.sum(product, &[dim], false)?;
    finish(cx, sum, dtype)
}

/// The shape that two broadcastable shapes have in common; meta has seen that they are.
pub(super) fn common_shape(cx: &Decompose<'_>, shapes: &[Vec<SymInt>; 2]) -> Vec<SymInt> {
    let one = cx.constant(1);
    let rank = shapes[0].len().max(shapes[1].len());
    let size = |s: &[SymInt], d: usize| (d + s.len()).checked_sub(rank).map_or(one, |k| s[k]);
    (0..rank)
        .map(|d| {
            let (a, b) = (size(&shapes[0], d), size(&shapes[1], d));
            if a == one { b } else { a }
        })
        .collect()
}

/// The table with the rows that are looked up made shorter where their norm is above a limit.
pub fn embedding_renorm(cx: &mut Decompose<'_>) -> Results {
    let (table, indices) = (cx.value("self")?, cx.value("indices")?);
    let dtype = cx.dtype_of(table);
    let p = cx.float("norm_type").unwrap_or(2.0);
    let limit = cx.float("max_norm").ok_or_else(|| cx.unsupported("`max_norm` must be a known number"))?;
    let shape = cx.shape(table);
    let one = cx.constant(1);
    let row = Arg::Ints(vec![shape[0], one]);
    let none = cx.call_with("aten.zeros.default", vec![row], vec![("dtype", Arg::Dtype(Dtype::Bool))])?;
    let count = cx.syms().product(&cx.shape(indices));
    let flat = cx.reshape(indices, &[count])?;
    let zero = cx.int_arg(0);
    let args = vec![Arg::Value(none), zero, Arg::Value(flat), Arg::Bool(true)];
    let looked_up = cx.call("aten.index_fill.int_Scalar", args)?;
    let norm = norm_over(cx, table, p, &[1], true)?;
    let norm = cx.compute(norm)?;
    let large = cx.compare("gt", norm, limit)?;
    let shorter = cx.call("aten.logical_and.default", vec![Arg::Value(looked_up), Arg::Value(large)])?;
    let safe = cx.add(norm, 1e-7)?;
    let inverse = cx.unary("reciprocal", safe)?;
    let factor = cx.mul(inverse, limit)?;
    let wide = cx.compute(table)?;
    let scaled = cx.mul(wide, factor)?;
    let scaled = cx.cast(scaled, dtype)?;
    Ok(vec![cx.select(shorter, scaled, table)?])
}

/// Slices along `dim` scaled down to the norm `maxnorm` where theirs is larger.
pub fn renorm(cx: &mut Decompose<'_>) -> Results {
    let (v, dtype) = operands(cx, &["self"])?;
    let rank = cx.rank(v[0]);
    let dim = cx.dim(cx.known_int("dim")?, rank)?;
    let dims: Vec<i64> = (0..rank).filter(|d| *d != dim).map(|d| d as i64).collect();
    let p = cx.float("p").unwrap_or(2.0);
    let limit = cx.float("maxnorm").ok_or_else(|| cx.unsupported("`maxnorm` must be a known number"))?;
    let wide = cx.compute(v[0])?;
    let norm = norm_over(cx, wide, p, &dims, true)?;
    let large = cx.compare("gt", norm, limit)?;
    let safe = cx.add(norm, 1e-7)?;
    let inverse = cx.unary("reciprocal", safe)?;
    let factor = cx.mul(inverse, limit)?;
    let factor = super::loss::where_number(cx, large, factor, 1.0)?;
    let factor = cx.cast(factor, dtype)?;
    let scaled = cx.mul(v[0], factor)?;
    finish(cx, scaled, dtype)
}
