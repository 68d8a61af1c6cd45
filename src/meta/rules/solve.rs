//! Linear algebra that is made of factorisations: solutions, inverses, determinants, ranks.

use super::broadcast;
use super::contraction::{made, require_dtype, same_size};
use super::linalg::{
    by_columns, float_dtype, lu_factors, matrix, pivots_fit, same_equations, square_matrix, with,
};
use super::linalg::{householder_shape, named_triangle};
use crate::base::Status;
use crate::ir::Arg;
use crate::meta::{Infer, MetaError};
use crate::types::{Dtype, SymArena, SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// The name of the first argument.
fn operand(cx: &Infer<'_>) -> &'static str {
    ["self", "A", "input"].into_iter().find(|n| cx.op.schema().arg(n).is_some()).unwrap_or("self")
}

/// One square matrix as large as the operand.
pub fn square_of_floats(cx: &mut Infer<'_>) -> Metas {
    let name = operand(cx);
    let dtype = float_dtype(cx, &[name])?;
    let (batch, n) = square_matrix(cx, name)?;
    Ok(vec![by_columns(cx, dtype, with(&batch, &[n, n]))])
}

/// Contiguous, since it is a product of matrices.
pub fn matrix_sqrth(cx: &mut Infer<'_>) -> Metas {
    let root = square_of_floats(cx)?.remove(0);
    Ok(vec![made(cx, root.dtype, root.shape)])
}

pub fn cholesky_solve(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["self", "input2"])?;
    let (batch, n) = square_matrix(cx, "input2")?;
    let (others, rows, columns) = matrix(cx, "self")?;
    same_equations(cx, true, n, [rows, columns])?;
    let batch = broadcast(cx, &[&batch, &others])?;
    Ok(vec![by_columns(cx, dtype, with(&batch, &[rows, columns]))])
}

pub fn lu_factor(cx: &mut Infer<'_>) -> Metas {
    let mut metas = lu_factors(cx, "A")?;
    metas.truncate(2);
    Ok(metas)
}

pub fn lu_with_info(cx: &mut Infer<'_>) -> Metas {
    lu_factors(cx, "self")
}

pub fn linalg_lu(cx: &mut Infer<'_>) -> Metas {
    let metas = lu_factors(cx, "A")?;
    Ok(unpacked(cx, &metas[0], true, cx.bool("pivot")))
}

pub fn lu_unpack(cx: &mut Infer<'_>) -> Metas {
    float_dtype(cx, &["LU_data"])?;
    let (_, rows, columns) = matrix(cx, "LU_data")?;
    let (data, orders) = (cx.bool("unpack_data"), cx.bool("unpack_pivots"));
    if orders {
        require_dtype(cx, "LU_pivots", Dtype::Int32)?;
        let few = cx.syms().min(rows, columns);
        pivots_fit(cx, "LU_data", "LU_pivots", few)?;
    }
    let factors = cx.meta("LU_data")?.clone();
    Ok(unpacked(cx, &factors, data, orders))
}

fn unpacked(cx: &Infer<'_>, factors: &TensorMeta, data: bool, orders: bool) -> Vec<TensorMeta> {
    let (batch, sizes) = factors.shape.split_at(factors.rank() - 2);
    let few = cx.syms().min(sizes[0], sizes[1]);
    let empty = || vec![cx.syms().constant(0)];
    let of = |there: bool, own: [SymInt; 2]| {
        made(cx, factors.dtype, if there { with(batch, &own) } else { empty() })
    };
    vec![of(orders, [sizes[0], sizes[0]]), of(data, [sizes[0], few]), of(data, [few, sizes[1]])]
}

pub fn lu_solve_old(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["LU_data", "self"])?;
    require_dtype(cx, "LU_pivots", Dtype::Int32)?;
    let (batch, n) = square_matrix(cx, "LU_data")?;
    pivots_fit(cx, "LU_data", "LU_pivots", n)?;
    let (others, rows, columns) = matrix(cx, "self")?;
    same_equations(cx, true, n, [rows, columns])?;
    let batch = broadcast(cx, &[&batch, &others])?;
    Ok(vec![by_columns(cx, dtype, with(&batch, &[rows, columns]))])
}

/// Whether the right-hand side of a system is a vector, or a batch of them: as PyTorch decides it.
pub fn is_vector_side(syms: &SymArena, matrix: &[SymInt], right: &[SymInt]) -> bool {
    let equal = |(a, b): (&SymInt, &SymInt)| syms.decide(syms.eq(*a, *b)) == Some(true);
    right.len() == 1 || right.len() + 1 == matrix.len() && right.iter().zip(matrix).all(equal)
}

/// The solution, the factors, the pivots and `info`.
pub fn solve_parts(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["A", "B"])?;
    let (own, n) = square_matrix(cx, "A")?;
    let mut right = cx.meta("B")?.shape.clone();
    let is_vector = is_vector_side(cx.syms(), &cx.meta("A")?.shape, &right);
    if is_vector {
        if !cx.bool("left") {
            return Err(
                cx.shape_error("a vector cannot stand on the right of the unknown: `left` must be true")
            );
        }
        right.push(cx.syms().constant(1));
    }
    let [others @ .., rows, columns] = &right[..] else {
        return Err(cx.shape_error("`B` must have at least 1 dimension"));
    };
    same_equations(cx, cx.bool("left"), n, [*rows, *columns])?;
    let batch = broadcast(cx, &[&own, others])?;
    let shape = with(&batch, &[*rows, *columns]);
    let mut solution = if cx.bool("left") { by_columns(cx, dtype, shape) } else { made(cx, dtype, shape) };
    if is_vector {
        solution.shape.pop();
        solution.strides.pop();
    }
    Ok(vec![
        solution,
        by_columns(cx, dtype, with(&own, &[n, n])),
        made(cx, Dtype::Int32, with(&own, &[n])),
        made(cx, Dtype::Int32, own),
    ])
}

pub fn solve_ex(cx: &mut Infer<'_>) -> Metas {
    let metas = solve_parts(cx)?;
    Ok(vec![metas[0].clone(), metas[3].clone()])
}

pub fn linalg_solve(cx: &mut Infer<'_>) -> Metas {
    let mut metas = solve_parts(cx)?;
    metas.truncate(1);
    Ok(metas)
}

pub fn triangular_solve(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["self", "A"])?;
    let (own, n) = square_matrix(cx, "A")?;
    let (others, rows, columns) = matrix(cx, "self")?;
    same_equations(cx, true, n, [rows, columns])?;
    let batch = broadcast(cx, &[&own, &others])?;
    Ok(vec![
        by_columns(cx, dtype, with(&batch, &[rows, columns])),
        by_columns(cx, dtype, with(&batch, &[n, n])),
    ])
}

pub fn inv_ex(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["A"])?;
    let (batch, n) = square_matrix(cx, "A")?;
    Ok(vec![by_columns(cx, dtype, with(&batch, &[n, n])), made(cx, Dtype::Int32, batch)])
}

/// Numbers, and the factors and pivots that they are made of.
fn determinants(cx: &mut Infer<'_>, numbers: usize) -> Metas {
    let name = operand(cx);
    let dtype = float_dtype(cx, &[name])?;
    let (batch, n) = square_matrix(cx, name)?;
    let mut metas = vec![made(cx, dtype, batch.clone()); numbers];
    // The logarithm of a size is real.
    metas[1..].iter_mut().for_each(|meta| meta.dtype = dtype.part());
    metas.push(by_columns(cx, dtype, with(&batch, &[n, n])));
    metas.push(made(cx, Dtype::Int32, with(&batch, &[n])));
    Ok(metas)
}

pub fn det_parts(cx: &mut Infer<'_>) -> Metas {
    determinants(cx, 1)
}
pub fn slogdet_parts(cx: &mut Infer<'_>) -> Metas {
    determinants(cx, 2)
}
pub fn det(cx: &mut Infer<'_>) -> Metas {
    let mut metas = determinants(cx, 1)?;
    metas.truncate(1);
    Ok(metas)
}
pub fn slogdet(cx: &mut Infer<'_>) -> Metas {
    let mut metas = determinants(cx, 2)?;
    metas.truncate(2);
    Ok(metas)
}

pub fn linalg_qr(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["A"])?;
    let (batch, rows, columns) = matrix(cx, "A")?;
    let few = cx.syms().min(rows, columns);
    let empty = vec![cx.syms().constant(0)];
    let (left, right) = match cx.string("mode") {
        Some("reduced") => (with(&batch, &[rows, few]), few),
        Some("complete") => (with(&batch, &[rows, rows]), rows),
        Some("r") => (empty, few),
        _ => {
            let message = "`mode` must be \"reduced\", \"complete\" or \"r\"";
            return Err(cx.error(Status::InvalidArgument, message));
        }
    };
    Ok(vec![by_columns(cx, dtype, left), by_columns(cx, dtype, with(&batch, &[right, columns]))])
}

/// The older form: a flag asks for the complete `Q`.
pub fn qr(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["self"])?;
    let (batch, rows, columns) = matrix(cx, "self")?;
    let few = if cx.bool("some") { cx.syms().min(rows, columns) } else { rows };
    Ok(vec![
        by_columns(cx, dtype, with(&batch, &[rows, few])),
        by_columns(cx, dtype, with(&batch, &[few, columns])),
    ])
}

pub fn orgqr(cx: &mut Infer<'_>) -> Metas {
    householder_shape(cx, "self", "input2")
}

/// `U`, the values and `V`; `Vᵀ` in the newer form.
fn singular(cx: &mut Infer<'_>, name: &str, full: bool, transposed: bool) -> Metas {
    let dtype = float_dtype(cx, &[name])?;
    let (batch, rows, columns) = matrix(cx, name)?;
    let few = cx.syms().min(rows, columns);
    let (lefts, rights) = if full { (rows, columns) } else { (few, few) };
    let last = if transposed { [rights, columns] } else { [columns, rights] };
    Ok(vec![
        by_columns(cx, dtype, with(&batch, &[rows, lefts])),
        made(cx, dtype.part(), with(&batch, &[few])),
        // The older operator gives a view of the other's result.
        if transposed {
            by_columns(cx, dtype, with(&batch, &last))
        } else {
            made(cx, dtype, with(&batch, &last))
        },
    ])
}

fn no_driver(cx: &Infer<'_>) -> Result<(), MetaError> {
    match cx.string("driver") {
        None => Ok(()),
        Some(_) => Err(cx.error(Status::InvalidArgument, "`driver` is only supported on a GPU")),
    }
}

pub fn linalg_svd(cx: &mut Infer<'_>) -> Metas {
    no_driver(cx)?;
    singular(cx, "A", cx.bool("full_matrices"), true)
}
pub fn svdvals(cx: &mut Infer<'_>) -> Metas {
    no_driver(cx)?;
    Ok(vec![singular(cx, "A", false, true)?.remove(1)])
}
pub fn svd(cx: &mut Infer<'_>) -> Metas {
    // Without vectors, all of them are given as zeros.
    let full = !cx.bool("some") || !cx.bool("compute_uv");
    singular(cx, "self", full, false)
}

pub fn linalg_eigh(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["self"])?;
    let (batch, n) = square_matrix(cx, "self")?;
    named_triangle(cx)?;
    let values = made(cx, dtype.part(), with(&batch, &[n]));
    Ok(vec![values, by_columns(cx, dtype, with(&batch, &[n, n]))])
}
pub fn eigvalsh(cx: &mut Infer<'_>) -> Metas {
    Ok(vec![linalg_eigh(cx)?.remove(0)])
}

/// The batch with those of tolerances that are tensors. PyTorch does not look at the tolerances of matrices without elements.
fn with_tolerances(
    cx: &mut Infer<'_>,
    batch: Vec<SymInt>,
    [rows, columns]: [SymInt; 2],
) -> Result<Vec<SymInt>, MetaError> {
    let mut shape = batch;
    if shape.iter().chain([&rows, &columns]).any(|&size| cx.syms().as_const(size) == Some(0)) {
        return Ok(shape);
    }
    for name in ["atol", "rtol", "tol", "rcond"] {
        let is_tensor = cx.op.schema().arg(name).is_some() && matches!(cx.arg(name), Arg::Value(_));
        if is_tensor {
            let own = cx.meta(name)?.shape.clone();
            shape = broadcast(cx, &[&shape, &own])?;
        }
    }
    Ok(shape)
}

pub fn matrix_rank(cx: &mut Infer<'_>) -> Metas {
    let name = operand(cx);
    float_dtype(cx, &[name])?;
    if cx.bool("hermitian") {
        square_matrix(cx, name)?;
    }
    let (batch, rows, columns) = matrix(cx, name)?;
    let shape = with_tolerances(cx, batch, [rows, columns])?;
    Ok(vec![made(cx, Dtype::Int64, shape)])
}

pub fn pinv(cx: &mut Infer<'_>) -> Metas {
    let name = operand(cx);
    let dtype = float_dtype(cx, &[name])?;
    let (batch, rows, columns) = matrix(cx, name)?;
    if cx.op.schema().arg("hermitian").is_some() && cx.bool("hermitian") {
        square_matrix(cx, name)?;
    }
    let batch = with_tolerances(cx, batch, [rows, columns])?;
    Ok(vec![made(cx, dtype, with(&batch, &[columns, rows]))])
}

pub fn condition(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["self"])?;
    let (batch, rows, columns) = matrix(cx, "self")?;
    let zero = cx.syms().constant(0);
    for size in [rows, columns] {
        let some = cx.syms().lt(zero, size);
        cx.require(some, "the condition of a matrix without elements is not defined")?;
    }
    let number = cx.scalar("p").and_then(|p| match p {
        crate::meta::ScalarArg::Known(number) => Some(number.as_f64()),
        _ => None,
    });
    let by_values = cx.string("p").is_none() && number.is_none_or(|p| p.abs() == 2.0);
    if !by_values {
        square_matrix(cx, "self")?;
    }
    Ok(vec![made(cx, dtype.part(), batch)])
}

pub fn tensorinv(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["self"])?;
    let shape = cx.meta("self")?.shape.clone();
    let ind = cx.known_int("ind")?;
    if ind <= 0 {
        return Err(cx.error(Status::InvalidArgument, "`ind` must be at least 1"));
    }
    let Some((first, last)) = shape.split_at_checked(ind as usize) else {
        let said = format!("`ind` is {ind}, but `self` has only {} dimensions", shape.len());
        return Err(cx.error(Status::InvalidArgument, said));
    };
    let (rows, columns) = (cx.syms().product(first), cx.syms().product(last));
    same_size(cx, "the first `ind` dimensions and the others must have as many elements:", rows, columns)?;
    // The inverse matrix lies in columns.
    let shape = with(last, first);
    let order: Vec<usize> = (0..last.len()).rev().chain((last.len()..shape.len()).rev()).collect();
    let strides = crate::meta::dense_strides(cx.syms(), &shape, &order);
    Ok(vec![TensorMeta { strides, ..made(cx, dtype, shape) }])
}

pub fn tensorsolve(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["self", "other"])?;
    let (shape, other) = (cx.meta("self")?.shape.clone(), cx.meta("other")?.shape.clone());
    let mut moved = Vec::new();
    if cx.optional_ints("dims").is_some() {
        for d in cx.known_ints("dims")? {
            moved.push(cx.dim(d, shape.len())?);
        }
    }
    let order = (0..shape.len()).filter(|d| !moved.contains(d)).chain(moved.iter().copied());
    let shape: Vec<SymInt> = order.map(|d| shape[d]).collect();
    if shape.len() < other.len() {
        return Err(cx.shape_error("`self` must have at least as many dimensions as `other`"));
    }
    let (rows, columns) = shape.split_at(other.len());
    let (rows, unknowns, equations) =
        (cx.syms().product(rows), cx.syms().product(columns), cx.syms().product(&other));
    same_size(cx, "there must be as many equations as unknowns:", rows, unknowns)?;
    same_size(cx, "`other` must have as many elements as there are equations:", rows, equations)?;
    Ok(vec![made(cx, dtype, columns.to_vec())])
}

pub fn linalg_polar(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["A"])?;
    let (batch, rows, columns) = matrix(cx, "A")?;
    cx.require(
        cx.syms().le(columns, rows),
        "matrices with more columns than rows have no polar decomposition",
    )?;
    Ok(vec![
        made(cx, dtype, with(&batch, &[rows, columns])),
        made(cx, dtype, with(&batch, &[columns, columns])),
    ])
}

/// Residuals where there are more equations than unknowns and the driver finds them; a rank and singular values of drivers that do.
pub fn lstsq(cx: &mut Infer<'_>) -> Metas {
    let dtype = float_dtype(cx, &["self", "b"])?;
    let driver = cx.string("driver").unwrap_or("gelsy").to_string();
    if !["gels", "gelsy", "gelsd", "gelss"].contains(&driver.as_str()) {
        let message = "`driver` must be \"gels\", \"gelsy\", \"gelsd\" or \"gelss\"";
        return Err(cx.error(Status::InvalidArgument, message));
    }
    let (own, m, n) = matrix(cx, "self")?;
    let mut right = cx.meta("b")?.shape.clone();
    if right.len() > own.len() + 2 || right.len() <= own.len() {
        return Err(cx.shape_error("`b` must have as many dimensions as `self`, or one less"));
    }
    let is_vector = is_vector_side(cx.syms(), &cx.meta("self")?.shape, &right);
    if is_vector {
        right.push(cx.syms().constant(1));
    }
    let [others @ .., rows, columns] = &right[..] else {
        return Err(cx.shape_error("`b` must have at least 1 dimension"));
    };
    same_equations(cx, true, m, [*rows, *columns])?;
    let batch = broadcast(cx, &[&own, others])?;
    let tall = cx.syms().decide(cx.syms().lt(n, m));
    let needs_order = driver != "gelsy" && tall.is_none();
    if needs_order {
        let message = "whether there are more equations than unknowns must be known, or `driver` \"gelsy\"";
        return Err(cx.error(Status::Unsupported, message));
    }
    let empty = vec![cx.syms().constant(0)];
    let of = |there: bool, shape: Vec<SymInt>| if there { shape } else { empty.clone() };
    // Solutions are the first rows of what the equations' right sides lay in, in columns.
    let syms = cx.syms();
    let mut solution = made(cx, dtype, with(&batch, &[syms.max(m, n), *columns]));
    let rank = batch.len() + 2;
    let order: Vec<usize> = [rank - 2, rank - 1].into_iter().chain((0..rank - 2).rev()).collect();
    solution.strides = crate::meta::dense_strides(syms, &solution.shape, &order);
    solution.shape[rank - 2] = n;
    if is_vector {
        solution.shape.pop();
        solution.strides.pop();
    }
    let has_residuals = driver != "gelsy" && tall == Some(true);
    let few = cx.syms().min(m, n);
    Ok(vec![
        solution,
        made(cx, dtype, of(has_residuals, with(&batch, &[*columns]))),
        made(cx, Dtype::Int64, of(driver != "gels", own.clone())),
        made(cx, dtype, of(matches!(&*driver, "gelsd" | "gelss"), with(&own, &[few]))),
    ])
}
