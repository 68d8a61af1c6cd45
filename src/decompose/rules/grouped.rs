//! Products of groups of rows, columns or inner elements, each with its own matrix: what layers of experts are made of.
//!
//! Deliberately absent: a product of its own for each group. A row's matrix is gathered inside of the sum, so that groups may have
//! any size that data give.

use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

/// The number of the group that each of `count` places is in, by the groups' ends; the number of groups for places after the last.
fn groups_of(cx: &mut Decompose<'_>, ends: Value, count: SymInt) -> Built {
    let dtype = cx.dtype_of(ends);
    let places =
        cx.call_with("aten.arange.default", vec![Arg::Int(count)], vec![("dtype", Arg::Dtype(dtype))])?;
    let args = vec![Arg::Value(ends), Arg::Value(places)];
    cx.call_with("aten.searchsorted.Tensor", args, vec![("right", Arg::Bool(true))])
}

/// `matrices[group, ..]` for the group of each place, along a dimension, and zeros after the last group.
fn gathered(cx: &mut Decompose<'_>, matrices: Value, groups: Value, dim: usize) -> Built {
    let shape = cx.shape(matrices);
    let n = shape[dim];
    let inside = cx.compare("lt", groups, n)?;
    let last = Arg::Int(cx.syms().add_const(n, -1));
    let first = cx.int_arg(0);
    let group = cx.call("aten.clamp.default", vec![Arg::Value(groups), first, last])?;
    let mut places = vec![None; dim];
    places.push(Some(group));
    let found = cx.call("aten.index.Tensor", vec![Arg::Value(matrices), Arg::Values(places)])?;
    let mut spread = vec![cx.constant(1); shape.len()];
    spread[dim] = cx.shape(groups)[0];
    let inside = cx.reshape(inside, &spread)?;
    let zero = cx.scalar(0.0, cx.dtype_of(found))?;
    cx.select(inside, found, zero)
}

/// `sum(a * b)` over a dimension.
fn contracted(cx: &mut Decompose<'_>, a: Value, b: Value, dim: i64) -> Built {
    let product = cx.mul(a, b)?;
    cx.sum(product, &[dim], false)
}

/// Rows of `a` in groups, `[m, k]`, times each group's `[k, n]`.
fn by_rows(cx: &mut Decompose<'_>, a: Value, matrices: Value, ends: Value) -> Built {
    let rows = cx.shape(a)[0];
    let groups = groups_of(cx, ends, rows)?;
    let matrices = gathered(cx, matrices, groups, 0)?;
    let a = cx.unsqueeze(a, 2)?;
    contracted(cx, a, matrices, 1)
}

/// Each group's `[m, k]` times the columns of `b` in groups, `[k, n]`.
fn by_columns(cx: &mut Decompose<'_>, matrices: Value, b: Value, ends: Value) -> Built {
    let columns = cx.shape(b)[1];
    let groups = groups_of(cx, ends, columns)?;
    let matrices = cx.permute(matrices, &[1, 0, 2])?;
    let matrices = gathered(cx, matrices, groups, 1)?;
    let b = cx.permute(b, &[1, 0])?;
    let b = cx.unsqueeze(b, 0)?;
    contracted(cx, matrices, b, 2)
}

/// The inner elements of `[m, k]` and `[k, n]` in groups: a product for each.
fn by_elements(cx: &mut Decompose<'_>, a: Value, b: Value, ends: Value) -> Built {
    let (elements, n) = (cx.shape(b)[0], cx.shape(ends)[0]);
    let groups = groups_of(cx, ends, elements)?;
    let numbers = cx.call("aten.arange.default", vec![Arg::Int(n)])?;
    let numbers = cx.unsqueeze(numbers, 1)?;
    // `[groups, k]`
    let own = cx.compare("eq", numbers, groups)?;
    let mut parts = Vec::new();
    for (matrix, dim) in [(a, 1), (b, 2)] {
        let own = cx.unsqueeze(own, dim)?;
        let zero = cx.scalar(0.0, cx.dtype_of(matrix))?;
        parts.push(cx.select(own, matrix, zero)?);
    }
    cx.matmul(parts[0], parts[1])
}

/// In float32 where the operands are halves; rounded once.
pub fn grouped_mm(cx: &mut Decompose<'_>) -> Results {
    let aten = cx.op.schema().arg("mat2").is_some();
    let (first, second) = if aten { ("self", "mat2") } else { ("input", "weight") };
    let (a, b, ends) = (cx.value(first)?, cx.value(second)?, cx.optional_value("offs"));
    let dtype = cx.dtype_of(a);
    let wide = if dtype == Dtype::Float64 { dtype } else { Dtype::Float32 };
    let (a, b) = (cx.cast(a, wide)?, cx.cast(b, wide)?);
    let value = match (ends, cx.rank(a), cx.rank(b)) {
        (None, ..) => cx.matmul(a, b)?,
        (Some(ends), 2, 3) => by_rows(cx, a, b, ends)?,
        (Some(ends), 3, _) => by_columns(cx, a, b, ends)?,
        (Some(ends), ..) => by_elements(cx, a, b, ends)?,
    };
    Ok(vec![cx.cast(value, dtype)?])
}
