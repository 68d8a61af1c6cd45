//! Linear algebra made of factorisations: each becomes the few operators that a library computes, products and elements.

use crate::base::Status;
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

/// The last two sizes.
pub(super) fn rows_and_columns(cx: &Decompose<'_>, matrix: Value) -> [SymInt; 2] {
    let shape = cx.shape(matrix);
    [shape[shape.len() - 2], shape[shape.len() - 1]]
}

pub(super) fn first_operand_batch(cx: &Decompose<'_>, matrix: Value) -> Vec<SymInt> {
    let shape = cx.shape(matrix);
    shape[..shape.len() - 2].to_vec()
}

/// The transposed matrix, of complex numbers the adjoint one.
pub(super) fn turned(cx: &mut Decompose<'_>, matrix: Value) -> Built {
    let other = cx.transpose(matrix, -2, -1)?;
    if cx.dtype_of(matrix).is_complex() { cx.unary("conj", other) } else { Ok(other) }
}

/// The first `count` places of a dimension counted from the end.
fn first(cx: &mut Decompose<'_>, value: Value, dim: i64, count: SymInt) -> Built {
    let (dim, zero) = (cx.int_arg(dim), cx.int_arg(0));
    cx.call("aten.slice.Tensor", vec![Arg::Value(value), dim, zero, Arg::Int(count)])
}

fn identity(cx: &mut Decompose<'_>, rows: SymInt, columns: SymInt, dtype: Dtype) -> Built {
    cx.call_with("aten.eye.m", vec![Arg::Int(rows), Arg::Int(columns)], vec![("dtype", Arg::Dtype(dtype))])
}

/// An identity for each matrix of a batch.
fn identities(cx: &mut Decompose<'_>, like: Value, rows: SymInt, columns: SymInt) -> Built {
    let eye = identity(cx, rows, columns, cx.dtype_of(like))?;
    let mut shape = first_operand_batch(cx, like);
    shape.extend([rows, columns]);
    cx.call("aten.expand.default", vec![Arg::Value(eye), Arg::Ints(shape)])
}

fn diagonal(cx: &mut Decompose<'_>, matrix: Value) -> Built {
    let [zero, last_but_one, last] = [0, -2, -1].map(|k| cx.int_arg(k));
    cx.call("aten.diagonal.default", vec![Arg::Value(matrix), zero, last_but_one, last])
}

fn triangle(cx: &mut Decompose<'_>, matrix: Value, upper: bool, offset: i64) -> Built {
    let offset = cx.int_arg(offset);
    let name = if upper { "aten.triu.default" } else { "aten.tril.default" };
    cx.call(name, vec![Arg::Value(matrix), offset])
}

fn empty(cx: &mut Decompose<'_>, dtype: Dtype) -> Built {
    let size = cx.ints_arg(&[0]);
    cx.call_with("aten.zeros.default", vec![size], vec![("dtype", Arg::Dtype(dtype))])
}

/// Fails the run where an element of `info` is not 0, with the words for this name.
fn checked(cx: &mut Decompose<'_>, info: Value, name: &str, matrix: Value) -> Result<(), DecomposeError> {
    let is_matrix = Arg::Bool(cx.rank(matrix) == 2);
    let args = vec![Arg::Value(info), Arg::Str(name.into())];
    cx.call_all("aten._linalg_check_errors.default", args, vec![("is_matrix", is_matrix)])?;
    Ok(())
}

fn lu(cx: &mut Decompose<'_>, matrix: Value) -> Results {
    let mut named = Vec::new();
    if cx.op.schema().arg("pivot").is_some() {
        named.push(("pivot", Arg::Bool(cx.bool("pivot"))));
    }
    cx.call_all("aten.linalg_lu_factor_ex.default", vec![Arg::Value(matrix)], named)
}

/// Refuses what PyTorch has on GPUs alone.
pub fn no_lu_without_pivots(cx: &mut Decompose<'_>) -> Results {
    Err(cx.unsupported("LU without pivoting is not implemented on a CPU"))
}

pub(super) fn solve_triangular(cx: &mut Decompose<'_>, a: Value, b: Value, upper: bool) -> Built {
    let args = vec![Arg::Value(a), Arg::Value(b)];
    cx.call_with("aten.linalg_solve_triangular.default", args, vec![("upper", Arg::Bool(upper))])
}

pub fn linalg_cholesky(cx: &mut Decompose<'_>) -> Results {
    let matrix = cx.value("self")?;
    let upper = vec![("upper", Arg::Bool(cx.bool("upper")))];
    let results = cx.call_all("aten.linalg_cholesky_ex.default", vec![Arg::Value(matrix)], upper)?;
    checked(cx, results[1], "linalg.cholesky", matrix)?;
    Ok(vec![results[0]])
}

/// `B` with the factor's triangle as both factors: two triangular systems.
pub fn cholesky_solve(cx: &mut Decompose<'_>) -> Results {
    let (right, factor, upper) = (cx.value("self")?, cx.value("input2")?, cx.bool("upper"));
    Ok(vec![by_cholesky(cx, right, factor, upper)?])
}

fn by_cholesky(cx: &mut Decompose<'_>, right: Value, factor: Value, upper: bool) -> Built {
    let other = turned(cx, factor)?;
    let (first, second) = if upper { (other, factor) } else { (factor, other) };
    let half = solve_triangular(cx, first, right, false)?;
    solve_triangular(cx, second, half, true)
}

pub fn cholesky_inverse(cx: &mut Decompose<'_>) -> Results {
    let (factor, upper) = (cx.value("self")?, cx.bool("upper"));
    let [n, _] = rows_and_columns(cx, factor);
    let eye = identities(cx, factor, n, n)?;
    Ok(vec![by_cholesky(cx, eye, factor, upper)?])
}

pub fn lu_factor(cx: &mut Decompose<'_>) -> Results {
    let matrix = cx.value("A")?;
    let mut results = lu(cx, matrix)?;
    checked(cx, results[2], "torch.linalg.lu_factor", matrix)?;
    results.truncate(2);
    Ok(results)
}

pub fn ldl_factor(cx: &mut Decompose<'_>) -> Results {
    let matrix = cx.value("self")?;
    let mut results =
        cx.call_all("aten.linalg_ldl_factor_ex.default", vec![Arg::Value(matrix)], Vec::new())?;
    checked(cx, results[2], "torch.linalg.ldl_factor", matrix)?;
    results.truncate(2);
    Ok(results)
}

pub fn lu_with_info(cx: &mut Decompose<'_>) -> Results {
    let matrix = cx.value("self")?;
    let results = lu(cx, matrix)?;
    if cx.bool("check_errors") {
        checked(cx, results[2], "torch.linalg.lu_factor_ex", matrix)?;
    }
    Ok(results)
}

pub fn linalg_lu(cx: &mut Decompose<'_>) -> Results {
    let matrix = cx.value("A")?;
    let factors = lu(cx, matrix)?;
    unpacked(cx, factors[0], factors[1], true, cx.bool("pivot"))
}

pub fn lu_unpack(cx: &mut Decompose<'_>) -> Results {
    let (factors, pivots) = (cx.value("LU_data")?, cx.value("LU_pivots")?);
    let (data, orders) = (cx.bool("unpack_data"), cx.bool("unpack_pivots"));
    unpacked(cx, factors, pivots, data, orders)
}

/// `P`, `L` and `U`; empty ones where they are not asked for.
fn unpacked(cx: &mut Decompose<'_>, factors: Value, pivots: Value, data: bool, orders: bool) -> Results {
    let dtype = cx.dtype_of(factors);
    let [rows, columns] = rows_and_columns(cx, factors);
    let few = cx.syms().min(rows, columns);
    let permutation = if orders {
        let args = vec![Arg::Value(pivots), Arg::Int(rows)];
        let order = cx.call("litz.lu_permutation.default", args)?;
        let place = cx.call("aten.arange.default", vec![Arg::Int(rows)])?;
        let (order, place) = (cx.unsqueeze(order, -2)?, cx.unsqueeze(place, -1)?);
        let here = cx.compare("eq", order, place)?;
        cx.cast(here, dtype)?
    } else {
        empty(cx, dtype)?
    };
    if !data {
        return Ok(vec![permutation, empty(cx, dtype)?, empty(cx, dtype)?]);
    }
    let lower = first(cx, factors, -1, few)?;
    let lower = triangle(cx, lower, false, -1)?;
    let ones = identity(cx, rows, few, dtype)?;
    let lower = cx.add(lower, ones)?;
    let upper = first(cx, factors, -2, few)?;
    Ok(vec![permutation, lower, triangle(cx, upper, true, 0)?])
}

pub fn lu_solve_old(cx: &mut Decompose<'_>) -> Results {
    let names = ["LU_data", "LU_pivots", "self"];
    let args =
        names.into_iter().map(|n| Ok(Arg::Value(cx.value(n)?))).collect::<Result<_, DecomposeError>>()?;
    Ok(vec![cx.call("aten.linalg_lu_solve.default", args)?])
}

/// The solution, the factors, the pivots and `info`. A vector is solved for as one column.
pub fn solve_parts(cx: &mut Decompose<'_>) -> Results {
    let results = solved(cx)?;
    if cx.bool("check_errors") {
        let matrix = cx.value("A")?;
        checked(cx, results[3], "torch.linalg.solve_ex", matrix)?;
    }
    Ok(results)
}

fn solved(cx: &mut Decompose<'_>) -> Results {
    let (matrix, right) = (cx.value("A")?, cx.value("B")?);
    let is_vector = crate::meta::rules::is_vector_side(cx.syms(), &cx.shape(matrix), &cx.shape(right));
    let factors = lu(cx, matrix)?;
    let right = if is_vector { cx.unsqueeze(right, -1)? } else { right };
    let left = vec![("left", Arg::Bool(cx.bool("left")))];
    let args = vec![Arg::Value(factors[0]), Arg::Value(factors[1]), Arg::Value(right)];
    let mut result = cx.call_with("aten.linalg_lu_solve.default", args, left)?;
    if is_vector {
        result = cx.squeeze(result, -1)?;
    }
    Ok(vec![result, factors[0], factors[1], factors[2]])
}

fn solve_by_parts(cx: &mut Decompose<'_>) -> Results {
    let args = vec![Arg::Value(cx.value("A")?), Arg::Value(cx.value("B")?)];
    let left = vec![("left", Arg::Bool(cx.bool("left")))];
    cx.call_all("aten._linalg_solve_ex.default", args, left)
}

pub fn solve_ex(cx: &mut Decompose<'_>) -> Results {
    let results = solve_by_parts(cx)?;
    if cx.bool("check_errors") {
        let matrix = cx.value("A")?;
        checked(cx, results[3], "torch.linalg.solve_ex", matrix)?;
    }
    Ok(vec![results[0], results[3]])
}

pub fn linalg_solve(cx: &mut Decompose<'_>) -> Results {
    let results = solve_by_parts(cx)?;
    let matrix = cx.value("A")?;
    checked(cx, results[3], "torch.linalg.solve", matrix)?;
    Ok(vec![results[0]])
}

/// `A`, or its transposed, with the solution of the triangular system and what was solved by, both with one batch.
pub fn triangular_solve(cx: &mut Decompose<'_>) -> Results {
    let (right, given) = (cx.value("self")?, cx.value("A")?);
    let (mut upper, unit) = (cx.bool("upper"), cx.bool("unitriangular"));
    let mut matrix = given;
    if cx.bool("transpose") {
        matrix = cx.transpose(matrix, -2, -1)?;
        upper = !upper;
    }
    let named = vec![("upper", Arg::Bool(upper)), ("unitriangular", Arg::Bool(unit))];
    let args = vec![Arg::Value(matrix), Arg::Value(right)];
    let solution = cx.call_with("aten.linalg_solve_triangular.default", args, named)?;
    let mut shape = first_operand_batch(cx, solution);
    shape.extend(rows_and_columns(cx, given));
    let all = cx.call("aten.expand.default", vec![Arg::Value(given), Arg::Ints(shape)])?;
    Ok(vec![solution, cx.call("aten.clone.default", vec![Arg::Value(all)])?])
}

/// The inverse and `info`.
fn inverted(cx: &mut Decompose<'_>, matrix: Value) -> Results {
    let [n, _] = rows_and_columns(cx, matrix);
    let eye = identities(cx, matrix, n, n)?;
    let args = vec![Arg::Value(matrix), Arg::Value(eye)];
    let results = cx.call_all("aten._linalg_solve_ex.default", args, Vec::new())?;
    Ok(vec![results[0], results[3]])
}

pub fn inv_ex(cx: &mut Decompose<'_>) -> Results {
    let matrix = cx.value("A")?;
    let results = inverted(cx, matrix)?;
    if cx.bool("check_errors") {
        checked(cx, results[1], "linalg.inv_ex", matrix)?;
    }
    Ok(results)
}

pub fn inverse(cx: &mut Decompose<'_>) -> Results {
    let matrix = operand(cx)?;
    Ok(vec![checked_inverse(cx, matrix)?])
}

pub(super) fn checked_inverse(cx: &mut Decompose<'_>, matrix: Value) -> Built {
    let results = inverted(cx, matrix)?;
    checked(cx, results[1], "linalg.inv", matrix)?;
    Ok(results[0])
}

/// -1 for each row that was exchanged with another.
fn signs_of_pivots(cx: &mut Decompose<'_>, pivots: Value, dtype: Dtype) -> Built {
    let shape = cx.shape(pivots);
    let [one, end] = [cx.constant(1), cx.syms().add_const(shape[shape.len() - 1], 1)];
    let dtypes = vec![("dtype", Arg::Dtype(Dtype::Int32))];
    let own = cx.call_with("aten.arange.start", vec![Arg::Int(one), Arg::Int(end)], dtypes)?;
    let moved = cx.compare("ne", pivots, own)?;
    let moved = cx.cast(moved, dtype)?;
    let signs = cx.mul(moved, -2.0)?;
    cx.add(signs, 1.0)
}

fn product_of_last(cx: &mut Decompose<'_>, value: Value) -> Built {
    let dim = cx.int_arg(-1);
    cx.call("aten.prod.dim_int", vec![Arg::Value(value), dim])
}

/// The determinant, the factors and the pivots.
pub fn det_parts(cx: &mut Decompose<'_>) -> Results {
    let matrix = cx.value("A")?;
    let factors = lu(cx, matrix)?;
    let own = diagonal(cx, factors[0])?;
    let product = product_of_last(cx, own)?;
    let signs = signs_of_pivots(cx, factors[1], cx.dtype_of(matrix).part())?;
    let sign = product_of_last(cx, signs)?;
    Ok(vec![cx.mul(product, sign)?, factors[0], factors[1]])
}

/// The first argument.
pub(super) fn operand(cx: &Decompose<'_>) -> Built {
    let first = cx.args.first().and_then(Arg::value);
    first.ok_or_else(|| cx.error(Status::InvalidArgument, "the first argument must be a tensor"))
}

pub fn det(cx: &mut Decompose<'_>) -> Results {
    let matrix = operand(cx)?;
    Ok(vec![cx.call("aten._linalg_det.default", vec![Arg::Value(matrix)])?])
}

/// The sign, the logarithm of the size, the factors and the pivots.
pub fn slogdet_parts(cx: &mut Decompose<'_>) -> Results {
    let matrix = cx.value("A")?;
    let factors = lu(cx, matrix)?;
    let own = diagonal(cx, factors[0])?;
    let signs = signs_of_pivots(cx, factors[1], cx.dtype_of(matrix).part())?;
    let exchanged = product_of_last(cx, signs)?;
    let signs = cx.unary("sgn", own)?;
    let signs = product_of_last(cx, signs)?;
    let sign = cx.mul(signs, exchanged)?;
    let size = cx.unary("abs", own)?;
    let logs = cx.unary("log", size)?;
    Ok(vec![sign, cx.sum(logs, &[-1], false)?, factors[0], factors[1]])
}

pub fn slogdet(cx: &mut Decompose<'_>) -> Results {
    let matrix = operand(cx)?;
    let mut results = cx.call_all("aten._linalg_slogdet.default", vec![Arg::Value(matrix)], Vec::new())?;
    results.truncate(2);
    Ok(results)
}

/// NaN where a real determinant is negative.
pub fn logdet(cx: &mut Decompose<'_>) -> Results {
    let matrix = operand(cx)?;
    let parts = cx.call_all("aten._linalg_slogdet.default", vec![Arg::Value(matrix)], Vec::new())?;
    if cx.dtype_of(matrix).is_complex() {
        let angle = cx.unary("log", parts[0])?;
        return Ok(vec![cx.add(angle, parts[1])?]);
    }
    let negative = cx.compare("eq", parts[0], -1.0)?;
    let nan = cx.scalar(f64::NAN, cx.dtype_of(matrix))?;
    Ok(vec![cx.select(negative, nan, parts[1])?])
}

/// The older form of `linalg_qr`: a flag in place of the mode.
pub fn qr(cx: &mut Decompose<'_>) -> Results {
    let (matrix, mode) = (cx.value("self")?, if cx.bool("some") { "reduced" } else { "complete" });
    cx.call_all("aten.linalg_qr.default", vec![Arg::Value(matrix), Arg::Str(mode.into())], Vec::new())
}

/// `mode`: `reduced`, `complete`, or `r` for `R` alone.
pub fn linalg_qr(cx: &mut Decompose<'_>) -> Results {
    let matrix = cx.value("A")?;
    let [rows, columns] = rows_and_columns(cx, matrix);
    let few = cx.syms().min(rows, columns);
    let factors = cx.call_all("aten.geqrf.default", vec![Arg::Value(matrix)], Vec::new())?;
    let mode = cx.string("mode").unwrap_or("reduced");
    let top = if mode == "complete" { factors[0] } else { first(cx, factors[0], -2, few)? };
    let right = triangle(cx, top, true, 0)?;
    let left = match mode {
        "r" => empty(cx, cx.dtype_of(matrix))?,
        "complete" => {
            let eye = identities(cx, matrix, rows, rows)?;
            let args = vec![Arg::Value(factors[0]), Arg::Value(factors[1]), Arg::Value(eye)];
            cx.call("aten.ormqr.default", args)?
        }
        _ => {
            let vectors = first(cx, factors[0], -1, few)?;
            let args = vec![Arg::Value(vectors), Arg::Value(factors[1])];
            cx.call("aten.linalg_householder_product.default", args)?
        }
    };
    Ok(vec![left, right])
}

pub fn orgqr(cx: &mut Decompose<'_>) -> Results {
    let args = vec![Arg::Value(cx.value("self")?), Arg::Value(cx.value("input2")?)];
    Ok(vec![cx.call("aten.linalg_householder_product.default", args)?])
}

pub fn matrix_exp(cx: &mut Decompose<'_>) -> Results {
    let matrix = cx.value("self")?;
    Ok(vec![cx.call("aten.linalg_matrix_exp.default", vec![Arg::Value(matrix)])?])
}

/// The first `ind` dimensions are the rows.
pub fn tensorinv(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("self")?;
    let ind = cx.known_int("ind")? as usize;
    let shape = cx.shape(x);
    let (rows, columns) = (cx.syms().product(&shape[..ind]), cx.syms().product(&shape[ind..]));
    let matrix = cx.reshape(x, &[rows, columns])?;
    let inverse = checked_inverse(cx, matrix)?;
    let shape: Vec<SymInt> = shape[ind..].iter().chain(&shape[..ind]).copied().collect();
    Ok(vec![cx.reshape(inverse, &shape)?])
}

/// Solves `tensordot(self, x, x.ndim) = other`.
pub fn tensorsolve(cx: &mut Decompose<'_>) -> Results {
    let (mut x, other) = (cx.value("self")?, cx.value("other")?);
    let rank = cx.rank(x);
    if cx.ints("dims").is_some() {
        let mut moved = Vec::new();
        for d in cx.known_ints("dims")? {
            moved.push(cx.dim(d, rank)?);
        }
        let order: Vec<usize> =
            (0..rank).filter(|d| !moved.contains(d)).chain(moved.iter().copied()).collect();
        x = cx.permute(x, &order)?;
    }
    let shape = cx.shape(x)[cx.rank(other)..].to_vec();
    let size = cx.syms().product(&shape);
    let (matrix, right) = (cx.reshape(x, &[size, size])?, cx.reshape(other, &[size])?);
    let args = vec![Arg::Value(matrix), Arg::Value(right)];
    let solution = cx.call("aten.linalg_solve.default", args)?;
    Ok(vec![cx.reshape(solution, &shape)?])
}
