//! What singular values and eigenvalues give: the decompositions themselves, ranks, pseudo-inverses, condition numbers, polar
//! decompositions, square roots and nuclear norms.

use super::linalg::{first_operand_batch, operand, rows_and_columns, turned};
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

/// `U`, the values and the transposed `V`.
fn singular(cx: &mut Decompose<'_>, matrix: Value, full: bool, vectors: bool) -> Results {
    let args = vec![Arg::Value(matrix), Arg::Bool(full), Arg::Bool(vectors)];
    cx.call_all("aten._linalg_svd.default", args, Vec::new())
}

pub fn linalg_svd(cx: &mut Decompose<'_>) -> Results {
    let (matrix, full) = (cx.value("A")?, cx.bool("full_matrices"));
    singular(cx, matrix, full, true)
}

pub fn svdvals(cx: &mut Decompose<'_>) -> Results {
    let matrix = cx.value("A")?;
    Ok(vec![singular_values(cx, matrix)?])
}

pub(super) fn singular_values(cx: &mut Decompose<'_>, matrix: Value) -> Built {
    Ok(singular(cx, matrix, false, false)?[1])
}

/// The older form: `V` is not transposed, and vectors that are not asked for are zeros.
pub fn svd(cx: &mut Decompose<'_>) -> Results {
    let matrix = cx.value("self")?;
    if cx.bool("compute_uv") {
        let parts = singular(cx, matrix, !cx.bool("some"), true)?;
        return Ok(vec![parts[0], parts[1], turned(cx, parts[2])?]);
    }
    let values = singular_values(cx, matrix)?;
    let [rows, columns] = rows_and_columns(cx, matrix);
    Ok(vec![squares_of_zeros(cx, matrix, rows)?, values, squares_of_zeros(cx, matrix, columns)?])
}

fn squares_of_zeros(cx: &mut Decompose<'_>, like: Value, n: SymInt) -> Built {
    let mut shape = first_operand_batch(cx, like);
    shape.extend([n, n]);
    let dtype = vec![("dtype", Arg::Dtype(cx.dtype_of(like)))];
    cx.call_with("aten.zeros.default", vec![Arg::Ints(shape)], dtype)
}

/// The values and vectors of the triangle that `UPLO` names.
fn symmetric(cx: &mut Decompose<'_>, matrix: Value, triangle: &str, vectors: bool) -> Results {
    let args = vec![Arg::Value(matrix), Arg::Str(triangle.into()), Arg::Bool(vectors)];
    cx.call_all("aten._linalg_eigh.default", args, Vec::new())
}

pub fn linalg_eigh(cx: &mut Decompose<'_>) -> Results {
    let matrix = cx.value("self")?;
    symmetric(cx, matrix, cx.string("UPLO").unwrap_or("L"), true)
}

/// PyTorch computes vectors, too, where gradients are wanted; the values are the same.
pub fn eigvalsh(cx: &mut Decompose<'_>) -> Results {
    let matrix = cx.value("self")?;
    Ok(vec![symmetric(cx, matrix, cx.string("UPLO").unwrap_or("L"), false)?[0]])
}

/// Absolute and relative tolerance as tensors that broadcast with the batch. Without any, the relative one is the dtype's precision
/// times the larger size; with an absolute one alone that is above zero, the relative one is zero.
fn tolerances(cx: &mut Decompose<'_>, matrix: Value, names: [&str; 2]) -> Result<[Value; 2], DecomposeError> {
    let dtype = cx.dtype_of(matrix).part();
    let [rows, columns] = rows_and_columns(cx, matrix);
    let larger = cx.syms().max(rows, columns);
    let epsilon = if dtype == Dtype::Float64 { f64::EPSILON } else { f32::EPSILON.into() };
    let schema = cx.op.schema();
    let given = |cx: &mut Decompose<'_>, name: &str| -> Result<Option<Value>, DecomposeError> {
        if schema.arg(name).is_none() {
            return Ok(None);
        }
        if let Some(value) = cx.optional_value(name) {
            return Ok(Some(cx.cast(value, dtype)?));
        }
        cx.float(name).map(|number| cx.scalar(number, dtype)).transpose()
    };
    let absolute = given(cx, names[0])?;
    let relative = given(cx, names[1])?;
    let zero = cx.scalar(0.0, dtype)?;
    let relative = match relative {
        Some(value) => value,
        None => {
            let size = cx.call("aten.scalar_tensor.default", vec![Arg::Int(larger)])?;
            let size = cx.cast(size, dtype)?;
            let usual = cx.mul(size, epsilon)?;
            match absolute {
                None => usual,
                Some(absolute) => {
                    let positive = cx.compare("gt", absolute, 0.0)?;
                    cx.select(positive, zero, usual)?
                }
            }
        }
    };
    Ok([absolute.unwrap_or(zero), relative])
}

/// The number below which values count as zero, with one more dimension: the larger of `absolute` and `relative * largest`.
fn threshold(cx: &mut Decompose<'_>, [absolute, relative]: [Value; 2], largest: Value) -> Built {
    let scaled = {
        let relative = cx.unsqueeze(relative, -1)?;
        cx.mul(largest, relative)?
    };
    let absolute = cx.unsqueeze(absolute, -1)?;
    let args = vec![Arg::Value(absolute), Arg::Value(scaled)];
    cx.call("aten.maximum.default", args)
}

/// The largest of the last dimension, which stays.
fn largest(cx: &mut Decompose<'_>, values: Value) -> Built {
    let dims = cx.ints_arg(&[-1]);
    cx.call("aten.amax.default", vec![Arg::Value(values), dims, Arg::Bool(true)])
}

/// Whether a size is known to be zero. The tolerances are not looked at then, as in PyTorch.
fn has_no_elements(cx: &Decompose<'_>, matrix: Value) -> bool {
    cx.shape(matrix).into_iter().any(|size| cx.syms().as_const(size) == Some(0))
}

/// The rank of each matrix: how many of its singular values, or sizes of eigenvalues, are above the tolerance.
pub fn matrix_rank(cx: &mut Decompose<'_>) -> Results {
    let matrix = operand(cx)?;
    let values = if cx.bool("hermitian") {
        let values = symmetric(cx, matrix, "L", false)?[0];
        cx.unary("abs", values)?
    } else {
        singular_values(cx, matrix)?
    };
    if has_no_elements(cx, matrix) {
        let count = cx.call("aten.zeros_like.default", vec![Arg::Value(values)])?;
        let count = cx.cast(count, Dtype::Int64)?;
        return Ok(vec![cx.sum(count, &[-1], false)?]);
    }
    let names = if cx.op.schema().arg("tol").is_some() { ["tol", "rtol"] } else { ["atol", "rtol"] };
    let mut both = tolerances(cx, matrix, names)?;
    if names[0] == "tol" {
        // The older form's tolerance is absolute, and there is no other.
        both[1] = cx.scalar(0.0, cx.dtype_of(matrix).part())?;
    }
    let most = largest(cx, values)?;
    let least = threshold(cx, both, most)?;
    let counted = cx.compare("gt", values, least)?;
    Ok(vec![cx.sum(counted, &[-1], false)?])
}

/// `V · diag(1 / values) · Uᵀ`, without the values up to the tolerance.
pub fn pinv(cx: &mut Decompose<'_>) -> Results {
    let matrix = operand(cx)?;
    if has_no_elements(cx, matrix) {
        let other = turned(cx, matrix)?;
        return Ok(vec![cx.call("aten.clone.default", vec![Arg::Value(other)])?]);
    }
    let schema = cx.op.schema();
    let has = |name: &str| schema.arg(name).is_some();
    let names = if has("rcond") { ["atol", "rcond"] } else { ["atol", "rtol"] };
    let both = tolerances(cx, matrix, names)?;
    let hermitian = has("hermitian") && cx.bool("hermitian");
    let (left, values, right) = if hermitian {
        let parts = symmetric(cx, matrix, "L", true)?;
        (parts[1], parts[0], turned(cx, parts[1])?)
    } else {
        let parts = singular(cx, matrix, false, true)?;
        (parts[0], parts[1], parts[2])
    };
    let sizes = if hermitian { cx.unary("abs", values)? } else { values };
    let most = largest(cx, sizes)?;
    let least = threshold(cx, both, most)?;
    let kept = cx.compare("gt", sizes, least)?;
    let inverse = cx.unary("reciprocal", values)?;
    let zero = cx.scalar(0.0, cx.dtype_of(matrix).part())?;
    let inverse = cx.select(kept, inverse, zero)?;
    let (back, other) = (turned(cx, right)?, turned(cx, left)?);
    let row = cx.unsqueeze(inverse, -2)?;
    let scaled = cx.mul(back, row)?;
    Ok(vec![cx.matmul(scaled, other)?])
}

/// By singular values, or by the norms of the matrix and its inverse.
pub fn condition(cx: &mut Decompose<'_>) -> Results {
    let matrix = cx.value("self")?;
    let name = cx.string("p").map(str::to_owned);
    let number = cx.float("p");
    if name.is_none() && number.is_none_or(|p| p.abs() == 2.0) {
        let values = singular_values(cx, matrix)?;
        let (first, last) = (cx.select_index(values, -1, 0)?, cx.select_index(values, -1, -1)?);
        let (above, below) = if number == Some(-2.0) { (last, first) } else { (first, last) };
        return Ok(vec![cx.div(above, below)?]);
    }
    let order = match (&name, number) {
        (Some(name), _) => Arg::Str(name.as_str().into()),
        (None, number) => Arg::Float(number.unwrap_or(2.0)),
    };
    let target =
        if name.is_some() { "aten.linalg_matrix_norm.str_ord" } else { "aten.linalg_matrix_norm.default" };
    let args = vec![Arg::Value(matrix)];
    let inverse = cx.call_all("aten.linalg_inv_ex.default", args, Vec::new())?;
    let own = cx.call(target, vec![Arg::Value(matrix), order.clone()])?;
    let other = cx.call(target, vec![Arg::Value(inverse[0]), order])?;
    let product = cx.mul(own, other)?;
    // A singular matrix has no inverse: its condition is infinite.
    let singular = cx.compare("ne", inverse[1], 0.0)?;
    let infinite = cx.scalar(f64::INFINITY, cx.dtype_of(matrix).part())?;
    Ok(vec![cx.select(singular, infinite, product)?])
}

/// `A = U · H` with orthonormal `U` and symmetric `H`, from the singular values.
pub fn linalg_polar(cx: &mut Decompose<'_>) -> Results {
    let matrix = cx.value("A")?;
    let parts = singular(cx, matrix, false, true)?;
    let unitary = cx.matmul(parts[0], parts[2])?;
    let back = turned(cx, parts[2])?;
    let row = cx.unsqueeze(parts[1], -2)?;
    let scaled = cx.mul(back, row)?;
    Ok(vec![unitary, cx.matmul(scaled, parts[2])?])
}

/// The symmetric square root of a positive semidefinite matrix.
pub fn matrix_sqrth(cx: &mut Decompose<'_>) -> Results {
    let matrix = cx.value("self")?;
    let parts = symmetric(cx, matrix, "L", true)?;
    // As PyTorch, which takes a matrix to be positive semi-definite.
    let values = cx.call("aten.clamp_min.default", vec![Arg::Value(parts[0]), Arg::Float(0.0)])?;
    let roots = cx.unary("sqrt", values)?;
    let row = cx.unsqueeze(roots, -2)?;
    let scaled = cx.mul(parts[1], row)?;
    let back = turned(cx, parts[1])?;
    Ok(vec![cx.matmul(scaled, back)?])
}

/// The sum of singular values.
pub fn nuclear_norm(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("self")?;
    let dims = match cx.op.schema().arg("dim") {
        Some(_) => cx.known_ints("dim")?,
        None => vec![-2, -1],
    };
    let dims = cx.ints_arg(&dims);
    let args = vec![Arg::Value(x), Arg::Str("nuc".into()), dims, Arg::Bool(cx.bool("keepdim"))];
    Ok(vec![cx.call("aten.linalg_matrix_norm.str_ord", args)?])
}
