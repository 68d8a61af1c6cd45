//! Factorisations and what is solved by them: nodes for the routines of Litz's second library. Operands are put into
//! contiguous buffers with the broadcast batch; a matrix that stands on the right of an unknown is turned into one on its left.
//! Complex numbers are pairs in a last dimension of 2, which a matrix's sizes do not count.

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

/// A matrix, or a batch of them.
#[derive(Clone)]
struct Matrix {
    lazy: Lazy,
    dtype: Dtype,
}

impl Matrix {
    fn of(cx: &mut Lower<'_>, args: &Args<'_>, name: &str) -> Result<Matrix, LowerError> {
        Ok(Matrix { lazy: args.lazy(cx, name)?, dtype: args.meta(name)?.dtype })
    }
    fn rank(&self) -> usize {
        self.lazy.sizes.len() - usize::from(self.dtype.is_complex())
    }
    fn batch(&self) -> &[SymInt] {
        &self.lazy.sizes[..self.rank() - 2]
    }
    fn rows_and_columns(&self) -> [SymInt; 2] {
        let n = self.rank();
        [self.lazy.sizes[n - 2], self.lazy.sizes[n - 1]]
    }
    /// The sizes of a number: none, or a pair's.
    fn tail(&self) -> &[SymInt] {
        &self.lazy.sizes[self.rank()..]
    }
    /// The matrix with its last dimensions exchanged.
    fn turned(&self, cx: &mut Lower<'_>) -> Matrix {
        let (mut sizes, n) = (self.lazy.sizes.clone(), self.rank());
        sizes.swap(n - 2, n - 1);
        let mut index = cx.vars(&sizes);
        index.swap(n - 2, n - 1);
        Matrix { lazy: Lazy { expr: cx.at(&self.lazy, &index), sizes }, dtype: self.dtype }
    }
    /// The matrix over more batches.
    fn spread(&self, cx: &mut Lower<'_>, sizes: &[SymInt]) -> Matrix {
        Matrix { lazy: spread(cx, &self.lazy, with(sizes, self.tail())), dtype: self.dtype }
    }
    /// Attributes that all routines have: the batch and the dtype of the values.
    fn common(&self, cx: &Lower<'_>) -> (SymInt, SymInt) {
        (cx.syms().product(self.batch()), cx.syms().constant(self.dtype.number().into()))
    }
}

fn with(batch: &[SymInt], sizes: &[SymInt]) -> Vec<SymInt> {
    batch.iter().chain(sizes).copied().collect()
}

/// The value over more batches.
fn spread(cx: &mut Lower<'_>, lazy: &Lazy, sizes: Vec<SymInt>) -> Lazy {
    if lazy.sizes == sizes {
        return lazy.clone();
    }
    Lazy { expr: cx.broadcast(lazy, &sizes), sizes }
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
    let matrix = Matrix::of(cx, args, "self")?;
    let ((batch, dtype), [n, _]) = (matrix.common(cx), matrix.rows_and_columns());
    let upper = flag(cx, args.bool("upper"));
    let attributes = Attributes::Cholesky(by::Cholesky { batch, dtype, n, upper });
    let results = call(cx, attributes, &[matrix.lazy]);
    if args.bool("check_errors") {
        check(cx, &results[1], &format!("linalg.cholesky_ex: {NOT_POSITIVE}"));
    }
    Ok(results)
}

pub fn solve_triangular(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (matrix, right) = (Matrix::of(cx, args, "self")?, Matrix::of(cx, args, "B")?);
    let (matrix, right, left) = on_the_left(cx, args, matrix, right);
    let ((batch, dtype), [n, columns]) = (matrix.common(cx), right.rows_and_columns());
    let attributes = Attributes::TriangularSolve(by::TriangularSolve {
        batch,
        dtype,
        n,
        columns,
        upper: flag(cx, args.bool("upper")),
        transposed: flag(cx, !left),
        unit: flag(cx, args.bool("unitriangular")),
    });
    Ok(as_asked(cx, left, right.dtype, attributes, &[matrix.lazy, right.lazy]))
}

/// A matrix and right-hand sides with one batch. Where the matrix stands on the right of the unknown, the right-hand sides are
/// turned, and the transposed matrix is meant.
fn on_the_left(cx: &mut Lower<'_>, args: &Args<'_>, matrix: Matrix, right: Matrix) -> (Matrix, Matrix, bool) {
    let (left, shape) = (args.bool("left"), args.result(0).shape.clone());
    let own = with(&shape[..shape.len() - 2], &matrix.rows_and_columns());
    let matrix = matrix.spread(cx, &own);
    let mut right = right.spread(cx, &shape);
    if !left {
        right = right.turned(cx);
    }
    (matrix, right, left)
}

/// The one result of a routine, turned back where its right-hand sides were turned.
fn as_asked(
    cx: &mut Lower<'_>,
    left: bool,
    dtype: Dtype,
    attributes: Attributes<SymInt>,
    reads: &[Lazy],
) -> Vec<Lazy> {
    let lazy = call(cx, attributes, reads).remove(0);
    vec![if left { lazy } else { Matrix { lazy, dtype }.turned(cx).lazy }]
}

/// How a matrix is meant: transposed, and conjugated.
fn meant(cx: &Lower<'_>, transposed: bool, conjugated: bool) -> SymInt {
    cx.syms().constant(i64::from(transposed) + 2 * i64::from(conjugated))
}

pub fn lu_factor_ex(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let matrix = Matrix::of(cx, args, "A")?;
    let ((batch, dtype), [rows, columns]) = (matrix.common(cx), matrix.rows_and_columns());
    let pivoting = flag(cx, args.bool("pivot"));
    let attributes = Attributes::Lu(by::Lu { batch, dtype, rows, columns, pivoting });
    let results = call(cx, attributes, &[matrix.lazy]);
    if args.bool("check_errors") {
        check(cx, &results[2], &format!("linalg.lu_factor_ex: {SINGULAR_LU}"));
    }
    Ok(results)
}

pub fn lu_solve(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (factors, pivots) = (Matrix::of(cx, args, "LU")?, args.lazy(cx, "pivots")?);
    let right = Matrix::of(cx, args, "B")?;
    let (factors, right, left) = on_the_left(cx, args, factors, right);
    let [n, columns] = right.rows_and_columns();
    let pivots = spread(cx, &pivots, with(right.batch(), &[n]));
    let (batch, dtype) = factors.common(cx);
    let adjoint = args.bool("adjoint");
    let transposed = meant(cx, adjoint == left, adjoint && factors.dtype.is_complex());
    let attributes = Attributes::LuSolve(by::LuSolve { batch, dtype, n, columns, transposed });
    Ok(as_asked(cx, left, right.dtype, attributes, &[factors.lazy, pivots, right.lazy]))
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
    let matrix = Matrix::of(cx, args, "self")?;
    let ((batch, dtype), [rows, columns]) = (matrix.common(cx), matrix.rows_and_columns());
    let attributes = Attributes::Qr(by::Qr { batch, dtype, rows, columns });
    Ok(call(cx, attributes, &[matrix.lazy]))
}

pub fn householder_product(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let factors = Matrix::of(cx, args, "input")?;
    let tau = args.lazy(cx, "tau")?;
    let part = cx.program.exprs.dtype(factors.lazy.expr);
    let (vars, n) = (cx.vars(&factors.lazy.sizes), factors.rank());
    let row = cx.program.exprs.index_value(vars[n - 2], Dtype::Int64);
    let mut same = cx.formula(|of| of(row).eq(of(row).index(vars[n - 1])));
    if let Some(place) = vars.get(n) {
        let place = cx.program.exprs.index_value(*place, Dtype::Int64);
        same = cx.formula(|of| of(same).select(of(place).eq(0), of(same)));
    }
    let expr = cx.program.exprs.cast(same, part);
    let eye = Matrix { lazy: Lazy { sizes: factors.lazy.sizes.clone(), expr }, dtype: factors.dtype };
    let transposed = meant(cx, false, false);
    Ok(reflect(cx, factors, tau, eye, transposed))
}

pub fn ormqr(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (factors, tau) = (Matrix::of(cx, args, "self")?, args.lazy(cx, "input2")?);
    let other = Matrix::of(cx, args, "input3")?;
    let transpose = args.bool("transpose");
    if args.bool("left") {
        let transposed = meant(cx, transpose, false);
        return Ok(reflect(cx, factors, tau, other, transposed));
    }
    let (dtype, other) = (other.dtype, other.turned(cx));
    let transposed = meant(cx, !transpose, dtype.is_complex());
    let lazy = reflect(cx, factors, tau, other, transposed).remove(0);
    Ok(vec![Matrix { lazy, dtype }.turned(cx).lazy])
}

fn reflect(cx: &mut Lower<'_>, factors: Matrix, tau: Lazy, other: Matrix, transposed: SymInt) -> Vec<Lazy> {
    let ((batch, dtype), [rows, stored]) = (factors.common(cx), factors.rows_and_columns());
    let [_, columns] = other.rows_and_columns();
    let reflections = tau.sizes[tau.sizes.len() - 1 - factors.tail().len()];
    let attributes = by::Reflect { batch, dtype, rows, stored, reflections, columns, transposed };
    call(cx, Attributes::Reflect(attributes), &[factors.lazy, tau, other.lazy])
}

/// An empty result, where vectors were not asked for.
fn nothing(cx: &mut Lower<'_>, dtype: Dtype, tail: &[SymInt]) -> Lazy {
    let zero = cx.syms().constant(0);
    Lazy { sizes: with(&[zero], tail), expr: cx.program.exprs.float(0.0, dtype.part()) }
}

pub fn linalg_svd(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let matrix = Matrix::of(cx, args, "A")?;
    let ((batch, dtype), [rows, columns]) = (matrix.common(cx), matrix.rows_and_columns());
    if !args.bool("compute_uv") {
        let attributes = Attributes::SingularValues(by::SingularValues { batch, dtype, rows, columns });
        let nothing = nothing(cx, matrix.dtype, matrix.tail());
        let values = call(cx, attributes, &[matrix.lazy]).remove(0);
        return Ok(vec![nothing.clone(), values, nothing]);
    }
    let full = flag(cx, args.bool("full_matrices"));
    let attributes = Attributes::Svd(by::Svd { batch, dtype, rows, columns, full });
    Ok(call(cx, attributes, &[matrix.lazy]))
}

pub fn linalg_eigh(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let matrix = Matrix::of(cx, args, "A")?;
    let ((batch, dtype), [n, _]) = (matrix.common(cx), matrix.rows_and_columns());
    let upper = flag(cx, matches!(args.string("UPLO"), Some("U" | "u")));
    if !args.bool("compute_v") {
        let attributes = Attributes::Eigenvalues(by::Eigenvalues { batch, dtype, n, upper });
        let nothing = nothing(cx, matrix.dtype, matrix.tail());
        let values = call(cx, attributes, &[matrix.lazy]).remove(0);
        return Ok(vec![values, nothing]);
    }
    let attributes = Attributes::Eigh(by::Eigh { batch, dtype, n, upper });
    Ok(call(cx, attributes, &[matrix.lazy]))
}

pub fn eig(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let matrix = args.lazy(cx, "self")?;
    let rank = matrix.sizes.len() - 2 - usize::from(args.bool("pairs"));
    let (n, pairs) = (matrix.sizes[rank], flag(cx, args.bool("pairs")));
    let own = cx.program.exprs.dtype(matrix.expr);
    let (batch, dtype) = (cx.syms().product(&matrix.sizes[..rank]), cx.syms().constant(own.number().into()));
    if !args.bool("compute_v") {
        let attributes = Attributes::GeneralEigenvalues(by::GeneralEigenvalues { batch, dtype, n, pairs });
        let values = call(cx, attributes, &[matrix]).remove(0);
        return Ok(vec![values, nothing(cx, own, &[])]);
    }
    Ok(call(cx, Attributes::Eig(by::Eig { batch, dtype, n, pairs }), &[matrix]))
}

pub fn matrix_exp(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let mut matrix = Matrix::of(cx, args, "self")?;
    let given = matrix.dtype;
    if given.is_reduced_float() {
        let expr = cx.program.exprs.cast(matrix.lazy.expr, Dtype::Float32);
        matrix = Matrix { lazy: Lazy { expr, ..matrix.lazy }, dtype: Dtype::Float32 };
    }
    let ((batch, dtype), [n, _]) = (matrix.common(cx), matrix.rows_and_columns());
    let attributes = Attributes::Exponential(by::Exponential { batch, dtype, n });
    let mut results = call(cx, attributes, &[matrix.lazy]);
    results[0].expr = cx.program.exprs.cast(results[0].expr, given);
    Ok(results)
}

pub fn reflect_gradient(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (factors, tau) = (Matrix::of(cx, args, "self")?, args.lazy(cx, "tau")?);
    let (other, grad) = (Matrix::of(cx, args, "other")?, args.lazy(cx, "grad")?);
    let ((batch, dtype), [rows, stored]) = (factors.common(cx), factors.rows_and_columns());
    let [_, columns] = other.rows_and_columns();
    let reflections = tau.sizes[tau.sizes.len() - 1];
    let transposed = flag(cx, args.bool("transposed"));
    let attributes = by::ReflectGradient { batch, dtype, rows, stored, reflections, columns, transposed };
    Ok(call(cx, Attributes::ReflectGradient(attributes), &[factors.lazy, tau, other.lazy, grad]))
}

pub fn ldl_factor_ex(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let matrix = Matrix::of(cx, args, "self")?;
    let ((batch, dtype), [n, _]) = (matrix.common(cx), matrix.rows_and_columns());
    let results = call(cx, Attributes::Ldl(by::Ldl { batch, dtype, n }), &[matrix.lazy]);
    if args.bool("check_errors") {
        check(cx, &results[2], &format!("linalg.ldl_factor_ex: {SINGULAR_LDL}"));
    }
    Ok(results)
}

pub fn ldl_solve(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (factors, pivots) = (Matrix::of(cx, args, "LD")?, args.lazy(cx, "pivots")?);
    let right = Matrix::of(cx, args, "B")?.spread(cx, &args.result(0).shape);
    let [n, columns] = right.rows_and_columns();
    let factors = factors.spread(cx, &with(right.batch(), &[n, n]));
    let pivots = spread(cx, &pivots, with(right.batch(), &[n]));
    let (batch, dtype) = factors.common(cx);
    let attributes = Attributes::LdlSolve(by::LdlSolve { batch, dtype, n, columns });
    Ok(call(cx, attributes, &[factors.lazy, pivots, right.lazy]))
}
