//! Linear algebra by factorisations. Matrices lie in the last two dimensions, and those before are a batch.

use super::broadcast;
use super::contraction::{made, require_dtype, same_dtype, same_size};
use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::types::{Dtype, SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// The dtype of operands that must have the same one, which the library computes in.
pub(super) fn float_dtype(cx: &Infer<'_>, names: &[&str]) -> Result<Dtype, MetaError> {
    let dtype = same_dtype(cx, names)?;
    match dtype {
        Dtype::Float32 | Dtype::Float64 => Ok(dtype),
        // Where the operator takes complex numbers.
        Dtype::Complex64 | Dtype::Complex128 => Ok(dtype),
        d if d.is_reduced_float() => Err(cx.error(
            Status::Dtype,
            format!("low precision dtypes are not supported, and `{}` is {d}", names[0]),
        )),
        d => Err(cx.error(Status::Dtype, format!("`{}` must be a tensor of floats, not of {d}", names[0]))),
    }
}

/// The batch, the rows and the columns of an operand.
pub(super) fn matrix(cx: &Infer<'_>, name: &str) -> Result<(Vec<SymInt>, SymInt, SymInt), MetaError> {
    let shape = &cx.meta(name)?.shape;
    let [batch @ .., rows, columns] = &shape[..] else {
        let message = format!(
            "`{name}` must have at least 2 dimensions, for a matrix or a batch of them, not {}",
            shape.len()
        );
        return Err(cx.shape_error(message));
    };
    Ok((batch.to_vec(), *rows, *columns))
}

pub(super) fn square_matrix(cx: &mut Infer<'_>, name: &str) -> Result<(Vec<SymInt>, SymInt), MetaError> {
    let (batch, rows, columns) = matrix(cx, name)?;
    same_size(cx, &format!("`{name}` must be made of square matrices, whose sizes"), rows, columns)?;
    Ok((batch, rows))
}

pub(super) fn with(batch: &[SymInt], sizes: &[SymInt]) -> Vec<SymInt> {
    batch.iter().chain(sizes).copied().collect()
}

/// A new matrix, or a batch, whose columns lie side by side: LAPACK's order, in which PyTorch gives what it factorises.
pub(super) fn by_columns(cx: &Infer<'_>, dtype: Dtype, shape: Vec<SymInt>) -> TensorMeta {
    let mut order: Vec<usize> = (0..shape.len()).rev().collect();
    if order.len() >= 2 {
        order.swap(0, 1);
    }
    let strides = crate::meta::dense_strides(cx.syms(), &shape, &order);
    TensorMeta { strides, ..made(cx, dtype, shape) }
}

pub fn cholesky_ex(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["self"])?;
    let (batch, n) = square_matrix(cx, "self")?;
    Ok(vec![by_columns(cx, dtype, with(&batch, &[n, n])), made(cx, Dtype::Int32, batch)])
}

/// Both operands' batches, broadcast.
fn common_batch(cx: &mut Infer<'_>, a: &[SymInt], b: &[SymInt]) -> Result<Vec<SymInt>, MetaError> {
    broadcast(cx, &[a, b])
}

/// That the right-hand sides have as many rows as the matrix, or columns where they stand on the left.
pub(super) fn same_equations(
    cx: &mut Infer<'_>,
    left: bool,
    n: SymInt,
    right: [SymInt; 2],
) -> Result<(), MetaError> {
    same_size(cx, "the matrix and the right-hand sides do not fit: their sizes", n, right[usize::from(!left)])
}

pub fn solve_triangular(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["self", "B"])?;
    let (batch, n) = square_matrix(cx, "self")?;
    let (others, rows, columns) = matrix(cx, "B")?;
    same_equations(cx, cx.bool("left"), n, [rows, columns])?;
    let batch = common_batch(cx, &batch, &others)?;
    Ok(vec![by_columns(cx, dtype, with(&batch, &[rows, columns]))])
}

pub fn lu_factor_ex(cx: &mut Infer<'_>) -> Metas {
    lu_factors(cx, "A")
}

pub(super) fn lu_factors(cx: &Infer<'_>, name: &str) -> Metas {
    let dtype = float_dtype(cx, &[name])?;
    let (batch, rows, columns) = matrix(cx, name)?;
    let few = cx.syms().min(rows, columns);
    Ok(vec![
        by_columns(cx, dtype, with(&batch, &[rows, columns])),
        made(cx, Dtype::Int32, with(&batch, &[few])),
        made(cx, Dtype::Int32, batch),
    ])
}

pub fn lu_solve_linalg(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["LU", "B"])?;
    require_dtype(cx, "pivots", Dtype::Int32)?;
    let (batch, n) = square_matrix(cx, "LU")?;
    pivots_fit(cx, "LU", "pivots", n)?;
    let (others, rows, columns) = matrix(cx, "B")?;
    same_equations(cx, cx.bool("left"), n, [rows, columns])?;
    let shape = with(&common_batch(cx, &batch, &others)?, &[rows, columns]);
    Ok(vec![if cx.bool("left") { by_columns(cx, dtype, shape) } else { made(cx, dtype, shape) }])
}

/// That there is a list of so many pivots for each matrix of factors.
pub(super) fn pivots_fit(
    cx: &mut Infer<'_>,
    factors: &str,
    pivots: &str,
    count: SymInt,
) -> Result<(), MetaError> {
    let (factors, pivots) = (cx.meta(factors)?.shape.clone(), cx.meta(pivots)?.shape.clone());
    let wanted = with(&factors[..factors.len() - 2], &[count]);
    if wanted.len() != pivots.len() {
        return Err(cx.shape_error("there must be as many lists of pivots as matrices of factors"));
    }
    wanted.iter().zip(&pivots).try_for_each(|(a, b)| {
        same_size(cx, "there must be a list of pivots for each matrix of factors: the sizes", *a, *b)
    })
}

/// The row of the matrix that each row of the product of its factors is.
pub fn lu_permutation(cx: &mut Infer<'_>) -> Metas {
    require_dtype(cx, "pivots", Dtype::Int32)?;
    let shape = &cx.meta("pivots")?.shape;
    let batch = shape[..shape.len() - 1].to_vec();
    Ok(vec![made(cx, Dtype::Int64, with(&batch, &[cx.int("rows")?]))])
}

pub fn geqrf(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["self"])?;
    let (batch, rows, columns) = matrix(cx, "self")?;
    let few = cx.syms().min(rows, columns);
    Ok(vec![by_columns(cx, dtype, with(&batch, &[rows, columns])), made(cx, dtype, with(&batch, &[few]))])
}

/// That there are reflections for the first columns of a matrix with at least as many rows.
fn reflections_fit(cx: &mut Infer<'_>, input: &str, tau: &str) -> Result<(), MetaError> {
    let (batch, rows, columns) = matrix(cx, input)?;
    let shape = cx.meta(tau)?.shape.clone();
    let Some((count, others)) = shape.split_last() else {
        return Err(cx.shape_error(format!("`{tau}` must have at least 1 dimension")));
    };
    if others.len() != batch.len() {
        return Err(cx.shape_error(format!("`{tau}` must have one dimension less than `{input}`")));
    }
    for (a, b) in batch.iter().zip(others) {
        same_size(cx, "the batches", *a, *b)?;
    }
    let fits = cx.syms().le(*count, columns);
    cx.require(fits, format!("`{input}` must have at least as many columns as `{tau}` has numbers"))?;
    let tall = cx.syms().le(*count, rows);
    cx.require(tall, format!("`{input}` must have at least as many rows as `{tau}` has numbers"))
}

pub fn householder_product(cx: &mut Infer<'_>) -> Metas {
    householder_shape(cx, "input", "tau")
}

pub(super) fn householder_shape(cx: &mut Infer<'_>, input: &str, tau: &str) -> Metas {
    let dtype = float_dtype(cx, &[input, tau])?;
    let (batch, rows, columns) = matrix(cx, input)?;
    let tall = cx.syms().le(columns, rows);
    cx.require(tall, format!("`{input}` must have at least as many rows as columns"))?;
    reflections_fit(cx, input, tau)?;
    Ok(vec![by_columns(cx, dtype, with(&batch, &[rows, columns]))])
}

pub fn ormqr(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["self", "input2", "input3"])?;
    let (batch, n, _) = matrix(cx, "self")?;
    reflections_fit(cx, "self", "input2")?;
    let (others, rows, columns) = matrix(cx, "input3")?;
    if others.len() != batch.len() {
        return Err(cx.shape_error("`self` and `input3` must have as many dimensions"));
    }
    for (a, b) in batch.iter().zip(&others) {
        same_size(cx, "the batches", *a, *b)?;
    }
    same_equations(cx, cx.bool("left"), n, [rows, columns])?;
    Ok(vec![by_columns(cx, dtype, with(&batch, &[rows, columns]))])
}

pub fn reflect_gradient(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["self", "tau", "other", "grad"])?;
    reflections_fit(cx, "self", "tau")?;
    let (factors, tau) = (cx.meta("self")?.shape.clone(), cx.meta("tau")?.shape.clone());
    Ok(vec![made(cx, dtype, factors), made(cx, dtype, tau)])
}

pub fn ldl_factor_ex(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["self"])?;
    let (batch, n) = square_matrix(cx, "self")?;
    let (int, pivots) = (Dtype::Int32, with(&batch, &[n]));
    Ok(vec![by_columns(cx, dtype, with(&batch, &[n, n])), made(cx, int, pivots), made(cx, int, batch)])
}

pub fn ldl_factor(cx: &mut Infer<'_>) -> Metas {
    let mut metas = ldl_factor_ex(cx)?;
    metas.truncate(2);
    Ok(metas)
}

pub fn ldl_solve(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["LD", "B"])?;
    require_dtype(cx, "pivots", Dtype::Int32)?;
    let (batch, n) = square_matrix(cx, "LD")?;
    pivots_fit(cx, "LD", "pivots", n)?;
    let (others, rows, columns) = matrix(cx, "B")?;
    same_equations(cx, true, n, [rows, columns])?;
    let batch = common_batch(cx, &batch, &others)?;
    Ok(vec![by_columns(cx, dtype, with(&batch, &[rows, columns]))])
}

pub fn linalg_svd_parts(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["A"])?;
    let (batch, rows, columns) = matrix(cx, "A")?;
    if cx.string("driver").is_some() {
        return Err(cx.error(Status::InvalidArgument, "`driver` is only supported on a GPU"));
    }
    let few = cx.syms().min(rows, columns);
    let values = made(cx, dtype.part(), with(&batch, &[few]));
    if !cx.bool("compute_uv") {
        let nothing = made(cx, dtype, vec![cx.syms().constant(0)]);
        return Ok(vec![nothing.clone(), values, nothing]);
    }
    let full = cx.bool("full_matrices");
    let (lefts, rights) = if full { (rows, columns) } else { (few, few) };
    Ok(vec![
        by_columns(cx, dtype, with(&batch, &[rows, lefts])),
        values,
        by_columns(cx, dtype, with(&batch, &[rights, columns])),
    ])
}

pub fn linalg_eigh_parts(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["A"])?;
    let (batch, n) = square_matrix(cx, "A")?;
    named_triangle(cx)?;
    let values = made(cx, dtype.part(), with(&batch, &[n]));
    let vectors = if cx.bool("compute_v") { with(&batch, &[n, n]) } else { vec![cx.syms().constant(0)] };
    Ok(vec![values, by_columns(cx, dtype, vectors)])
}

/// The dtype of the matrix's numbers, or of their parts if they are complex.
fn part_dtype(cx: &Infer<'_>) -> Result<Dtype, MetaError> {
    match cx.meta("self")?.dtype {
        d if d.is_complex() => Ok(d.part()),
        _ => float_dtype(cx, &["self"]),
    }
}

/// Values and vectors are complex, even those of real matrices.
pub fn linalg_eig(cx: &mut Infer<'_>) -> Metas {
    let dtype = part_dtype(cx)?.complex();
    let (batch, n) = square_matrix(cx, "self")?;
    Ok(vec![made(cx, dtype, with(&batch, &[n])), by_columns(cx, dtype, with(&batch, &[n, n]))])
}

pub fn eigvals(cx: &mut Infer<'_>) -> Metas {
    Ok(vec![linalg_eig(cx)?.remove(0)])
}

/// The same with complex numbers as pairs in a last dimension. `pairs`: the matrix has that dimension, too.
pub fn eig_parts(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["self"])?;
    let (mut shape, two) = (cx.meta("self")?.shape.clone(), cx.syms().constant(2));
    if cx.bool("pairs") && shape.pop() != Some(two) {
        return Err(cx.shape_error("the last dimension must hold pairs"));
    }
    let [batch @ .., rows, columns] = &shape[..] else {
        return Err(cx.shape_error("`self` must have at least 2 dimensions, for a matrix or a batch of them"));
    };
    same_size(cx, "`self` must be made of square matrices, whose sizes", *rows, *columns)?;
    let vectors = match cx.bool("compute_v") {
        true => with(batch, &[*rows, *rows, two]),
        false => vec![cx.syms().constant(0)],
    };
    Ok(vec![made(cx, dtype, with(batch, &[*rows, two])), made(cx, dtype, vectors)])
}

/// That `UPLO` names a triangle.
pub(super) fn named_triangle(cx: &Infer<'_>) -> Result<(), MetaError> {
    match cx.string("UPLO") {
        Some("L" | "l" | "U" | "u") => Ok(()),
        _ => Err(cx.error(Status::InvalidArgument, "`UPLO` must be \"L\" or \"U\"")),
    }
}

/// Half-precision matrices are taken, too, and computed in float32.
pub fn matrix_exp(cx: &mut Infer<'_>) -> Metas {
    let dtype = match cx.meta("self")?.dtype {
        d if d.is_reduced_float() => d,
        _ => float_dtype(cx, &["self"])?,
    };
    let (batch, n) = square_matrix(cx, "self")?;
    Ok(vec![made(cx, dtype, with(&batch, &[n, n]))])
}

pub fn check_errors(cx: &mut Infer<'_>) -> Metas {
    require_dtype(cx, "info", Dtype::Int32)?;
    Ok(Vec::new())
}
