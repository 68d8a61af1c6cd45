//! Factorisations and what is solved by them: nodes for the routines of Litz's second library. Operands are put into
//! contiguous buffers with the broadcast batch; a matrix that stands on the right of an unknown is turned into one on its left.

use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::routine::layout;
use crate::loops::{NodeKind, Routine};
use crate::plan::external as by;
use crate::plan::external::Attributes;
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Lazy>, LowerError>;

/// The results of a routine. The first operand has the batch in its leading dimensions.
fn call(cx: &mut Lower<'_>, attributes: Attributes<SymInt>, reads: &[Lazy]) -> Vec<Lazy> {
    let mut operands: Vec<_> = reads.iter().map(|lazy| cx.realize(lazy)).collect();
    let own = layout(cx.syms(), &attributes).expect("these routines are of Litz's own library").operands;
    let batch = &reads[0].sizes[..reads[0].sizes.len() - own[0].1.len()];
    let results = own[reads.len()..].iter();
    let outs: Vec<_> =
        results.map(|(dtype, sizes)| cx.program.temporary(*dtype, &with(batch, sizes))).collect();
    operands.extend(&outs);
    cx.push(NodeKind::Library(Box::new(Routine::pure(attributes, operands))));
    outs.into_iter().map(|out| cx.load_all(out)).collect()
}

/// The batch of matrices.
fn batch_of(lazy: &Lazy) -> &[SymInt] {
    &lazy.sizes[..lazy.sizes.len() - 2]
}

fn rows_and_columns(lazy: &Lazy) -> [SymInt; 2] {
    let n = lazy.sizes.len();
    [lazy.sizes[n - 2], lazy.sizes[n - 1]]
}

fn with(batch: &[SymInt], sizes: &[SymInt]) -> Vec<SymInt> {
    batch.iter().chain(sizes).copied().collect()
}

/// The matrix with its last dimensions exchanged.
fn turned(cx: &mut Lower<'_>, lazy: &Lazy) -> Lazy {
    let mut sizes = lazy.sizes.clone();
    let n = sizes.len();
    sizes.swap(n - 2, n - 1);
    let mut index = cx.vars(&sizes);
    index.swap(n - 2, n - 1);
    Lazy { expr: cx.at(lazy, &index), sizes }
}

/// The value over more batches.
fn spread(cx: &mut Lower<'_>, lazy: &Lazy, sizes: Vec<SymInt>) -> Lazy {
    if lazy.sizes == sizes {
        return lazy.clone();
    }
    Lazy { expr: cx.broadcast(lazy, &sizes), sizes }
}

/// Attributes that all routines have: the batch and the dtype of the values.
fn common(cx: &Lower<'_>, lazy: &Lazy, batch: &[SymInt]) -> (SymInt, SymInt, Dtype) {
    let dtype = cx.program.exprs.dtype(lazy.expr);
    (cx.syms().product(batch), cx.syms().constant(dtype.number().into()), dtype)
}

fn flag(cx: &Lower<'_>, on: bool) -> SymInt {
    cx.syms().constant(on.into())
}

/// Fails the run where an element of `info` is not 0.
fn check(cx: &mut Lower<'_>, info: &Lazy, message: &str) {
    let assertion = cx.assertion(message.to_string());
    let fine = cx.formula(|of| of(info.expr).eq(0));
    let value = cx.program.exprs.int(1, Dtype::Bool);
    let value = cx.program.exprs.check(fine, value, assertion);
    let out = cx.program.temporary(Dtype::Bool, &info.sizes);
    cx.push(NodeKind::Pointwise { sizes: info.sizes.clone(), value, out });
    // Nobody reads it, but it must be computed.
    cx.program.pinned.insert(out);
}

const NOT_POSITIVE: &str =
    "the factorization could not be completed because the input is not positive-definite";
const SINGULAR_LDL: &str = "a diagonal element of D is zero, and using it to solve would divide by zero";
const SINGULAR_LU: &str = "a diagonal element of U is zero, and using it to solve would divide by zero";

/// What a call that asks for it says where `info` is not 0, as PyTorch finds it: by words in the name.
pub fn linalg_check_errors(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let name = args.string("api_name").unwrap_or_default().to_string();
    let has = |word: &str| name.contains(word);
    let what = if has("inv") {
        "the inversion could not be completed because the input matrix is singular"
    } else if has("solve") {
        "the solver failed because the input matrix is singular"
    } else if has("cholesky") {
        NOT_POSITIVE
    } else if has("eig") || has("syevd") {
        "the algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated eigenvalues"
    } else if has("lu") {
        SINGULAR_LU
    } else if has("ldl") {
        SINGULAR_LDL
    } else {
        "the input matrix is singular or ill-conditioned"
    };
    let info = args.lazy(cx, "info")?;
    check(cx, &info, &format!("{name}: {what}"));
    Ok(Vec::new())
}

pub fn cholesky_ex(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let matrix = args.lazy(cx, "self")?;
    let (batch, dtype, _) = common(cx, &matrix, batch_of(&matrix));
    let [n, _] = rows_and_columns(&matrix);
    let upper = flag(cx, args.bool("upper"));
    let attributes = Attributes::Cholesky(by::Cholesky { batch, dtype, n, upper });
    let results = call(cx, attributes, &[matrix]);
    if args.bool("check_errors") {
        check(cx, &results[1], &format!("linalg.cholesky_ex: {NOT_POSITIVE}"));
    }
    Ok(results)
}

pub fn solve_triangular(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (matrix, right) = (args.lazy(cx, "self")?, args.lazy(cx, "B")?);
    let shape = args.result(0).shape.clone();
    let (matrix, right, left) = on_the_left(cx, args, matrix, right, &shape);
    let (batch, dtype, _) = common(cx, &matrix, batch_of(&matrix));
    let [n, columns] = rows_and_columns(&right);
    let attributes = Attributes::TriangularSolve(by::TriangularSolve {
        batch,
        dtype,
        n,
        columns,
        upper: flag(cx, args.bool("upper")),
        transposed: flag(cx, !left),
        unit: flag(cx, args.bool("unitriangular")),
    });
    let mut results = call(cx, attributes, &[matrix, right]);
    if !left {
        results = vec![turned(cx, &results[0])];
    }
    Ok(results)
}

/// A matrix and right-hand sides with one batch. Where the matrix stands on the right of the unknown, the right-hand sides are
/// turned, and the transposed matrix is meant.
fn on_the_left(
    cx: &mut Lower<'_>,
    args: &Args<'_>,
    matrix: Lazy,
    right: Lazy,
    shape: &[SymInt],
) -> (Lazy, Lazy, bool) {
    let left = args.bool("left");
    let batch = &shape[..shape.len() - 2];
    let own = rows_and_columns(&matrix);
    let matrix = spread(cx, &matrix, with(batch, &own));
    let mut right = spread(cx, &right, shape.to_vec());
    if !left {
        right = turned(cx, &right);
    }
    (matrix, right, left)
}

pub fn lu_factor_ex(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let matrix = args.lazy(cx, "A")?;
    let (batch, dtype, _) = common(cx, &matrix, batch_of(&matrix));
    let [rows, columns] = rows_and_columns(&matrix);
    let pivoting = flag(cx, args.bool("pivot"));
    let attributes = Attributes::Lu(by::Lu { batch, dtype, rows, columns, pivoting });
    let results = call(cx, attributes, &[matrix]);
    if args.bool("check_errors") {
        check(cx, &results[2], &format!("linalg.lu_factor_ex: {SINGULAR_LU}"));
    }
    Ok(results)
}

pub fn lu_solve(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (factors, pivots, right) = (args.lazy(cx, "LU")?, args.lazy(cx, "pivots")?, args.lazy(cx, "B")?);
    let shape = args.result(0).shape.clone();
    let (factors, right, left) = on_the_left(cx, args, factors, right, &shape);
    let [n, columns] = rows_and_columns(&right);
    let pivots = spread(cx, &pivots, with(batch_of(&right), &[n]));
    let (batch, dtype, _) = common(cx, &factors, batch_of(&factors));
    let transposed = flag(cx, args.bool("adjoint") == left);
    let attributes = Attributes::LuSolve(by::LuSolve { batch, dtype, n, columns, transposed });
    let mut results = call(cx, attributes, &[factors, pivots, right]);
    if !left {
        results = vec![turned(cx, &results[0])];
    }
    Ok(results)
}

pub fn lu_permutation(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let pivots = args.lazy(cx, "pivots")?;
    let shape = &args.result(0).shape;
    let rows = shape[shape.len() - 1];
    let last = pivots.sizes.len() - 1;
    let (count, batch) = (pivots.sizes[last], pivots.sizes[..last].to_vec());
    // The routine reads and writes integers alone; its dtype is any that it has.
    let attributes = Attributes::Permutation(by::Permutation {
        batch: cx.syms().product(&batch),
        dtype: cx.syms().constant(Dtype::Float64.number().into()),
        rows,
        pivots: count,
    });
    Ok(call(cx, attributes, &[pivots]))
}

pub fn geqrf(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let matrix = args.lazy(cx, "self")?;
    let (batch, dtype, _) = common(cx, &matrix, batch_of(&matrix));
    let [rows, columns] = rows_and_columns(&matrix);
    let attributes = Attributes::Qr(by::Qr { batch, dtype, rows, columns });
    Ok(call(cx, attributes, &[matrix]))
}

pub fn householder_product(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let factors = args.lazy(cx, "input")?;
    let tau = args.lazy(cx, "tau")?;
    let dtype = cx.program.exprs.dtype(factors.expr);
    let sizes = factors.sizes.clone();
    let vars = cx.vars(&sizes);
    let n = vars.len();
    let row = cx.program.exprs.index_value(vars[n - 2], Dtype::Int64);
    let same = cx.formula(|of| of(row).eq(of(row).index(vars[n - 1])));
    let expr = cx.program.exprs.cast(same, dtype);
    reflect(cx, factors, tau, Lazy { sizes, expr }, false)
}

pub fn ormqr(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (factors, tau) = (args.lazy(cx, "self")?, args.lazy(cx, "input2")?);
    let other = args.lazy(cx, "input3")?;
    let transpose = args.bool("transpose");
    if args.bool("left") {
        return reflect(cx, factors, tau, other, transpose);
    }
    let other = turned(cx, &other);
    let result = reflect(cx, factors, tau, other, !transpose)?;
    Ok(vec![turned(cx, &result[0])])
}

fn reflect(cx: &mut Lower<'_>, factors: Lazy, tau: Lazy, other: Lazy, transposed: bool) -> Results {
    let (batch, dtype, _) = common(cx, &factors, batch_of(&factors));
    let [rows, stored] = rows_and_columns(&factors);
    let [_, columns] = rows_and_columns(&other);
    let reflections = tau.sizes[tau.sizes.len() - 1];
    let transposed = flag(cx, transposed);
    let attributes = by::Reflect { batch, dtype, rows, stored, reflections, columns, transposed };
    Ok(call(cx, Attributes::Reflect(attributes), &[factors, tau, other]))
}

/// An empty result, where vectors were not asked for.
fn nothing(cx: &mut Lower<'_>, dtype: Dtype) -> Lazy {
    let zero = cx.syms().constant(0);
    Lazy { sizes: vec![zero], expr: cx.program.exprs.float(0.0, dtype) }
}

pub fn linalg_svd(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let matrix = args.lazy(cx, "A")?;
    let (batch, dtype, own) = common(cx, &matrix, batch_of(&matrix));
    let [rows, columns] = rows_and_columns(&matrix);
    if !args.bool("compute_uv") {
        let attributes = Attributes::SingularValues(by::SingularValues { batch, dtype, rows, columns });
        let values = call(cx, attributes, &[matrix]).remove(0);
        return Ok(vec![nothing(cx, own), values, nothing(cx, own)]);
    }
    let full = flag(cx, args.bool("full_matrices"));
    let attributes = Attributes::Svd(by::Svd { batch, dtype, rows, columns, full });
    Ok(call(cx, attributes, &[matrix]))
}

pub fn linalg_eigh(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let matrix = args.lazy(cx, "A")?;
    let (batch, dtype, own) = common(cx, &matrix, batch_of(&matrix));
    let [n, _] = rows_and_columns(&matrix);
    let upper = flag(cx, matches!(args.string("UPLO"), Some("U" | "u")));
    if !args.bool("compute_v") {
        let attributes = Attributes::Eigenvalues(by::Eigenvalues { batch, dtype, n, upper });
        let values = call(cx, attributes, &[matrix]).remove(0);
        return Ok(vec![values, nothing(cx, own)]);
    }
    let attributes = Attributes::Eigh(by::Eigh { batch, dtype, n, upper });
    Ok(call(cx, attributes, &[matrix]))
}

pub fn eig(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let matrix = args.lazy(cx, "self")?;
    let rank = matrix.sizes.len() - 2 - usize::from(args.bool("pairs"));
    let (n, pairs) = (matrix.sizes[rank], flag(cx, args.bool("pairs")));
    let (batch, dtype, own) = common(cx, &matrix, &matrix.sizes[..rank]);
    if !args.bool("compute_v") {
        let attributes = Attributes::GeneralEigenvalues(by::GeneralEigenvalues { batch, dtype, n, pairs });
        let values = call(cx, attributes, &[matrix]).remove(0);
        return Ok(vec![values, nothing(cx, own)]);
    }
    Ok(call(cx, Attributes::Eig(by::Eig { batch, dtype, n, pairs }), &[matrix]))
}

pub fn matrix_exp(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let mut matrix = args.lazy(cx, "self")?;
    let given = cx.program.exprs.dtype(matrix.expr);
    if given.is_reduced_float() {
        matrix.expr = cx.program.exprs.cast(matrix.expr, Dtype::Float32);
    }
    let (batch, dtype, _) = common(cx, &matrix, batch_of(&matrix));
    let [n, _] = rows_and_columns(&matrix);
    let attributes = Attributes::Exponential(by::Exponential { batch, dtype, n });
    let mut results = call(cx, attributes, &[matrix]);
    results[0].expr = cx.program.exprs.cast(results[0].expr, given);
    Ok(results)
}

pub fn reflect_gradient(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (factors, tau) = (args.lazy(cx, "self")?, args.lazy(cx, "tau")?);
    let (other, grad) = (args.lazy(cx, "other")?, args.lazy(cx, "grad")?);
    let (batch, dtype, _) = common(cx, &factors, batch_of(&factors));
    let [rows, stored] = rows_and_columns(&factors);
    let [_, columns] = rows_and_columns(&other);
    let reflections = tau.sizes[tau.sizes.len() - 1];
    let transposed = flag(cx, args.bool("transposed"));
    let attributes = by::ReflectGradient { batch, dtype, rows, stored, reflections, columns, transposed };
    Ok(call(cx, Attributes::ReflectGradient(attributes), &[factors, tau, other, grad]))
}

pub fn ldl_factor_ex(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let matrix = args.lazy(cx, "self")?;
    let (batch, dtype, _) = common(cx, &matrix, batch_of(&matrix));
    let [n, _] = rows_and_columns(&matrix);
    let results = call(cx, Attributes::Ldl(by::Ldl { batch, dtype, n }), &[matrix]);
    if args.bool("check_errors") {
        check(cx, &results[2], &format!("linalg.ldl_factor_ex: {SINGULAR_LDL}"));
    }
    Ok(results)
}

pub fn ldl_solve(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (factors, pivots, right) = (args.lazy(cx, "LD")?, args.lazy(cx, "pivots")?, args.lazy(cx, "B")?);
    let right = spread(cx, &right, args.result(0).shape.clone());
    let [n, columns] = rows_and_columns(&right);
    let factors = spread(cx, &factors, with(batch_of(&right), &[n, n]));
    let pivots = spread(cx, &pivots, with(batch_of(&right), &[n]));
    let (batch, dtype, _) = common(cx, &factors, batch_of(&factors));
    let attributes = Attributes::LdlSolve(by::LdlSolve { batch, dtype, n, columns });
    Ok(call(cx, attributes, &[factors, pivots, right]))
}
