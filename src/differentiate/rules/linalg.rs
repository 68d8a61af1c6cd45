//! Factorisations by elimination and reflections, systems of equations, determinants and the exponential.

use super::super::context::Derivative;
use super::super::{DerivativeError, Outcome};
use super::matrices::{
    diagonal, identity, negative, on_the_diagonal, part, plus, rows_and_columns, triangle, turned,
};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

/// `op(A)⁻¹ · right` for a triangular `A`.
fn triangular(
    d: &mut Derivative<'_>,
    matrix: Value,
    right: Value,
    named: [(&str, bool); 3],
) -> Outcome<Value> {
    let named = named.into_iter().map(|(n, on)| (n, Arg::Bool(on))).collect();
    d.call_with("aten.linalg_solve_triangular.default", vec![Arg::Value(matrix), Arg::Value(right)], named)
}

fn system(upper: bool, left: bool, unit: bool) -> [(&'static str, bool); 3] {
    [("upper", upper), ("left", left), ("unitriangular", unit)]
}

fn by_factors(
    d: &mut Derivative<'_>,
    [factors, pivots, right]: [Value; 3],
    left: bool,
    adjoint: bool,
) -> Outcome<Value> {
    let args = [factors, pivots, right].map(Arg::Value).to_vec();
    let named = vec![("left", Arg::Bool(left)), ("adjoint", Arg::Bool(adjoint))];
    d.call_with("aten.linalg_lu_solve.default", args, named)
}

/// `L⁻ᵀ · tril(Lᵀ · gL) · L⁻¹` with half of the diagonal, made symmetric.
pub fn cholesky(d: &mut Derivative<'_>) -> Outcome {
    let (mut factor, mut grad) = (d.results[0], d.grad()?);
    if d.bool("upper") {
        (factor, grad) = (turned(d, factor)?, turned(d, grad)?);
    }
    let other = turned(d, factor)?;
    let product = d.matmul(other, grad)?;
    let lower = triangle(d, product, false, 0)?;
    let strict = triangle(d, product, false, -1)?;
    let sum = d.add(lower, strict)?;
    let half = d.mul(sum, 0.5)?;
    let inner = triangular(d, other, half, system(true, true, false))?;
    let own = triangular(d, factor, inner, system(false, false, false))?;
    let mirrored = turned(d, own)?;
    let both = d.add(own, mirrored)?;
    let own = d.mul(both, 0.5)?;
    d.give("self", own)
}

/// `gB = A⁻¹ · grad` and, with the symmetric `C = gB · Xᵀ + X · gBᵀ`, `gL = -C · L`, or `gU = -U · C`. As in PyTorch, the triangle
/// that is not read has a gradient, too: the factor counts as a whole matrix.
pub fn cholesky_solve(d: &mut Derivative<'_>) -> Outcome {
    let (factor, grad, upper) = (d.value("input2")?, d.grad()?, d.bool("upper"));
    let args = [grad, factor].map(Arg::Value).to_vec();
    let own = d.call_with("aten.cholesky_solve.default", args, vec![("upper", Arg::Bool(upper))])?;
    if d.needs("input2") {
        let across = turned(d, d.results[0])?;
        let product = d.matmul(own, across)?;
        let by_factor = through_factor(d, product, factor, upper)?;
        d.give("input2", by_factor)?;
    }
    d.give("self", own)
}

/// The same with `C = X · (grad + gradᵀ) · X`.
pub fn cholesky_inverse(d: &mut Derivative<'_>) -> Outcome {
    let (factor, inverse, grad, upper) = (d.value("self")?, d.results[0], d.grad()?, d.bool("upper"));
    let left = d.matmul(inverse, grad)?;
    let product = d.matmul(left, inverse)?;
    let own = through_factor(d, product, factor, upper)?;
    d.give("self", own)
}

/// The gradient of a factor of `A` where that of `A` is `-product`.
fn through_factor(d: &mut Derivative<'_>, product: Value, factor: Value, upper: bool) -> Outcome<Value> {
    let other = turned(d, product)?;
    let both = d.add(product, other)?;
    let factor = triangle(d, factor, upper, 0)?;
    let own = if upper { d.matmul(factor, both)? } else { d.matmul(both, factor)? };
    negative(d, own)
}

/// The first columns of a product of reflections: applied to an identity.
pub fn householder_product(d: &mut Derivative<'_>) -> Outcome {
    let (factors, tau, grad) = (d.value("input")?, d.value("tau")?, d.grad()?);
    let [rows, columns] = rows_and_columns(d, factors);
    let named = vec![("dtype", Arg::Dtype(d.dtype_of(factors)))];
    let eye = d.call_with("aten.eye.m", vec![Arg::Int(rows), Arg::Int(columns)], named)?;
    let eye = d.expanded(eye, factors)?;
    let own = reflected(d, [factors, tau, eye, grad], false)?;
    d.give("input", own[0])?;
    d.give("tau", own[1])
}

fn reflected(d: &mut Derivative<'_>, of: [Value; 4], transposed: bool) -> Outcome<Vec<Value>> {
    if d.dtype_of(of[0]).is_complex() {
        return Err(d.unsupported("the derivative by reflections of complex numbers"));
    }
    let mut args = of.map(Arg::Value).to_vec();
    args.push(Arg::Bool(transposed));
    d.call_all("litz.reflect_gradient.default", args, Vec::new())
}

/// `x - tau v (vᵀ x)`, and the row `vᵀ x`.
fn mirrored(d: &mut Derivative<'_>, [vector, tau, x]: [Value; 3]) -> Outcome<[Value; 2]> {
    let across = turned(d, vector)?;
    let row = d.matmul(across, x)?;
    let column = d.matmul(vector, row)?;
    let step = d.mul(tau, column)?;
    Ok([d.sub(x, step)?, row])
}

/// The gradients of `<grad, H_0 .. H_(k-1) other>` by the vectors and factors of the reflections. It goes through the reflections
/// one by one with operators that have derivatives, where the library has one routine.
pub fn reflect_gradient(d: &mut Derivative<'_>) -> Outcome {
    let (factors, tau) = (d.value("self")?, d.value("tau")?);
    let (mut x, mut grad) = (d.value("other")?, d.value("grad")?);
    if d.bool("transposed") {
        (x, grad) = (grad, x);
    }
    let [rows, columns] = rows_and_columns(d, factors);
    let count = d.shape(tau).last().copied().and_then(|n| d.syms().as_const(n));
    let Some(count) = count else {
        return Err(
            d.unsupported("the second derivative of a number of reflections that is known only at run time")
        );
    };
    let zeros = d.zeros_like(factors)?;
    if count == 0 {
        let none = d.zeros_like(tau)?;
        d.through(vec![zeros, none]);
        return Ok(());
    }
    let column = |d: &mut Derivative<'_>, of: Value, k: i64| {
        let (last, k, one) = (d.int_arg(-1), d.int_arg(k), d.int_arg(1));
        d.call("aten.narrow.default", vec![Arg::Value(of), last, k, one])
    };
    let named = vec![("dtype", Arg::Dtype(d.dtype_of(factors)))];
    let eye = d.call_with("aten.eye.m", vec![Arg::Int(rows), Arg::Int(columns)], named)?;
    let below = triangle(d, factors, false, -1)?;
    let vectors = d.add(below, eye)?;
    let mut reflections = Vec::new();
    for k in 0..count {
        let (vector, factor) = (column(d, vectors, k)?, column(d, tau, k)?);
        reflections.push((vector, d.unsqueeze(factor, -1)?));
    }
    let mut given = Vec::new();
    for (vector, factor) in reflections.iter().rev() {
        given.push(x);
        [x, _] = mirrored(d, [*vector, *factor, x])?;
    }
    let (mut by_vectors, mut by_tau) = (Vec::new(), Vec::new());
    for (k, (vector, factor)) in reflections.into_iter().enumerate() {
        let x = given[given.len() - 1 - k];
        let [_, row] = mirrored(d, [vector, factor, x])?;
        let [next, back] = mirrored(d, [vector, factor, grad])?;
        let product = d.mul(row, back)?;
        let product = d.sum(product, &[-1], false)?;
        by_tau.push(negative(d, product)?);
        let (row, back) = (turned(d, row)?, turned(d, back)?);
        let (one, other) = (d.matmul(grad, row)?, d.matmul(x, back)?);
        let both = d.add(one, other)?;
        let both = d.mul(factor, both)?;
        by_vectors.push(negative(d, both)?);
        grad = next;
    }
    // Columns behind the last reflection have no part.
    let (last, from, to) = (d.int_arg(-1), d.int_arg(count), Arg::Int(columns));
    by_vectors.push(d.call("aten.slice.Tensor", vec![Arg::Value(zeros), last, from, to])?);
    let by_vectors = d.cat(by_vectors, -1)?;
    let parts = vec![triangle(d, by_vectors, false, -1)?, d.cat(by_tau, -1)?];
    d.through(parts);
    Ok(())
}

pub fn ormqr(d: &mut Derivative<'_>) -> Outcome {
    let (factors, tau, mut other) = (d.value("self")?, d.value("input2")?, d.value("input3")?);
    let (left, mut transposed, mut grad) = (d.bool("left"), d.bool("transpose"), d.grad()?);
    let mut args = [factors, tau, grad].map(Arg::Value).to_vec();
    args.extend([Arg::Bool(left), Arg::Bool(!transposed)]);
    let back = d.call("aten.ormqr.default", args)?;
    d.give("input3", back)?;
    if d.needs("self") || d.needs("input2") {
        if !left {
            (other, grad, transposed) = (turned(d, other)?, turned(d, grad)?, !transposed);
        }
        let own = reflected(d, [factors, tau, other, grad], transposed)?;
        d.give("self", own[0])?;
        d.give("input2", own[1])?;
    }
    Ok(())
}

/// The power 0 is the identity; others are products.
pub fn matrix_power(d: &mut Derivative<'_>) -> Outcome {
    if d.known_int("n")? == 0 {
        return super::zero(d);
    }
    d.by_parts();
    Ok(())
}

pub fn solve_triangular(d: &mut Derivative<'_>) -> Outcome {
    let (matrix, grad, solution) = (d.value("self")?, d.grad()?, d.results[0]);
    let (upper, left, unit) = (d.bool("upper"), d.bool("left"), d.bool("unitriangular"));
    let other = turned(d, matrix)?;
    let right = triangular(d, other, grad, system(!upper, left, unit))?;
    if d.needs("self") {
        let across = turned(d, solution)?;
        let product = if left { d.matmul(right, across)? } else { d.matmul(across, right)? };
        let offset = if unit { 1 } else { 0 };
        let own = triangle(d, product, upper, if upper { offset } else { -offset })?;
        let own = negative(d, own)?;
        d.give("self", own)?;
    }
    d.give("B", right)
}

/// `L` of factors that are square, with its ones, as solvers read it: as it lies.
struct Factors {
    both: Value,
    turned: Value,
}

impl Factors {
    fn of(d: &mut Derivative<'_>, both: Value) -> Outcome<Factors> {
        Ok(Factors { both, turned: turned(d, both)? })
    }
    /// `L⁻ᵀ · inner · U⁻ᵀ`
    fn around(&self, d: &mut Derivative<'_>, inner: Value) -> Outcome<Value> {
        let inner = triangular(d, self.turned, inner, system(true, true, true))?;
        triangular(d, self.turned, inner, system(false, false, false))
    }
    /// `L` with its ones.
    fn lower(&self, d: &mut Derivative<'_>) -> Outcome<Value> {
        let [n, _] = rows_and_columns(d, self.both);
        let eye = identity(d, n, d.dtype_of(self.both))?;
        let strict = triangle(d, self.both, false, -1)?;
        d.add(strict, eye)
    }
    fn upper(&self, d: &mut Derivative<'_>) -> Outcome<Value> {
        triangle(d, self.both, true, 0)
    }
    /// The gradient of the product of both, from those of `L` and `U`.
    fn product(&self, d: &mut Derivative<'_>, lower: Value, upper: Value) -> Outcome<Value> {
        let (l, u) = (self.lower(d)?, self.upper(d)?);
        let (lt, ut) = (turned(d, l)?, turned(d, u)?);
        let left = d.matmul(lt, lower)?;
        let left = triangle(d, left, false, -1)?;
        let right = d.matmul(upper, ut)?;
        let right = triangle(d, right, true, 0)?;
        let inner = d.add(left, right)?;
        self.around(d, inner)
    }
}

/// The matrix with a one where each row went.
fn permutation(d: &mut Derivative<'_>, pivots: Value, rows: SymInt, dtype: Dtype) -> Outcome<Value> {
    let order = d.call("litz.lu_permutation.default", vec![Arg::Value(pivots), Arg::Int(rows)])?;
    let place = d.call("aten.arange.default", vec![Arg::Int(rows)])?;
    let (order, place) = (d.unsqueeze(order, -2)?, d.unsqueeze(place, -1)?);
    let here = d.compare("eq", order, place)?;
    d.cast(here, dtype)
}

/// By the square part of the factors. What is beyond it is `L₂ = A₂ · U⁻¹` or `U₂ = L⁻¹ · A₂`.
pub fn lu_factor(d: &mut Derivative<'_>) -> Outcome {
    let (matrix, grad) = (d.first()?, d.grad()?);
    let own = through_factors(d, d.results[0], d.results[1], grad)?;
    d.give_value(matrix, own)
}

/// The gradient of a matrix by that of its factors.
fn through_factors(d: &mut Derivative<'_>, all: Value, pivots: Value, grad: Value) -> Outcome<Value> {
    let [rows, columns] = rows_and_columns(d, all);
    let syms = d.syms();
    let few = syms.min(rows, columns);
    let (tall, wide) = (
        syms.decide(syms.le(rows, columns)) != Some(true),
        syms.decide(syms.le(columns, rows)) != Some(true),
    );
    let zero = d.constant(0);
    let mut corner = part(d, all, -1, zero, few)?;
    corner = part(d, corner, -2, zero, few)?;
    let mut own = part(d, grad, -1, zero, few)?;
    own = part(d, own, -2, zero, few)?;
    let factors = Factors::of(d, corner)?;
    let (mut lower, mut upper) = (triangle(d, own, false, -1)?, triangle(d, own, true, 0)?);
    let mut beyond = None;
    if tall {
        let (l2, g2) = (part(d, all, -2, few, rows)?, part(d, grad, -2, few, rows)?);
        let a2 = triangular(d, factors.turned, g2, system(false, false, false))?;
        let across = turned(d, l2)?;
        let less = d.matmul(across, a2)?;
        upper = d.sub(upper, less)?;
        beyond = Some((a2, -2));
    } else if wide {
        let (u2, g2) = (part(d, all, -1, few, columns)?, part(d, grad, -1, few, columns)?);
        let a2 = triangular(d, factors.turned, g2, system(true, true, true))?;
        let across = turned(d, u2)?;
        let less = d.matmul(a2, across)?;
        lower = d.sub(lower, less)?;
        beyond = Some((a2, -1));
    }
    let mut own = factors.product(d, lower, upper)?;
    if let Some((beyond, dim)) = beyond {
        own = d.cat(vec![own, beyond], dim)?;
    }
    let order = permutation(d, pivots, rows, d.dtype_of(all))?;
    d.matmul(order, own)
}

/// Gives `own` to the matrix, and what comes in by its factors and pivots, which are the results from `at` on: a gradient's gradient
/// comes that way.
fn give_with_factors(d: &mut Derivative<'_>, own: Option<Value>, at: usize) -> Outcome {
    let mut sum = own;
    if let Some(grad) = d.cotangent(at) {
        let more = through_factors(d, d.results[at], d.results[at + 1], grad)?;
        sum = Some(plus(d, sum, more)?);
    }
    match sum {
        Some(sum) => d.give("A", sum),
        None => Ok(()),
    }
}

/// `A · X = B` by the factors of `A`; a matrix on the right of the unknown is turned into one on its left.
pub fn lu_solve(d: &mut Derivative<'_>) -> Outcome {
    let (factors, pivots) = (d.value("LU")?, d.value("pivots")?);
    let (left, adjoint) = (d.bool("left"), d.bool("adjoint"));
    let grad = d.grad()?;
    if d.needs("B") {
        let own = by_factors(d, [factors, pivots, grad], left, !adjoint)?;
        d.give("B", own)?;
    }
    if !d.needs("LU") {
        return Ok(());
    }
    let (mut x, mut gx) = (d.results[0], grad);
    if !left {
        (x, gx) = (turned(d, x)?, turned(d, gx)?);
    }
    let f = Factors::of(d, factors)?;
    let (l, u) = (f.lower(d)?, f.upper(d)?);
    let (lower, upper) = if adjoint == left {
        let [n, _] = rows_and_columns(d, factors);
        let order = permutation(d, pivots, n, d.dtype_of(factors))?;
        let back = turned(d, order)?;
        let (w, gw) = (d.matmul(back, x)?, d.matmul(back, gx)?);
        let gv = triangular(d, factors, gw, system(false, true, true))?;
        let gb = triangular(d, factors, gv, system(true, true, false))?;
        let lt = turned(d, l)?;
        let v = d.matmul(lt, w)?;
        let (gvt, gbt) = (turned(d, gv)?, turned(d, gb)?);
        (d.matmul(w, gvt)?, d.matmul(v, gbt)?)
    } else {
        let r = triangular(d, f.turned, gx, system(false, true, false))?;
        let z = triangular(d, f.turned, r, system(true, true, true))?;
        let y = d.matmul(u, x)?;
        let (xt, yt) = (turned(d, x)?, turned(d, y)?);
        (d.matmul(z, yt)?, d.matmul(r, xt)?)
    };
    let (lower, upper) = (triangle(d, lower, false, -1)?, triangle(d, upper, true, 0)?);
    let sum = d.add(lower, upper)?;
    let own = negative(d, sum)?;
    d.give("LU", own)
}

pub fn solve(d: &mut Derivative<'_>) -> Outcome {
    let (matrix, right) = (d.value("A")?, d.value("B")?);
    let left = d.bool("left");
    let (mut x, mut grad) = (d.results[0], d.grad()?);
    let is_vector = crate::meta::rules::is_vector_side(d.syms(), &d.shape(matrix), &d.shape(right));
    if is_vector {
        (x, grad) = (d.unsqueeze(x, -1)?, d.unsqueeze(grad, -1)?);
    }
    let own = by_factors(d, [d.results[1], d.results[2], grad], left, true)?;
    if d.needs("A") {
        let across = turned(d, x)?;
        let product = if left { d.matmul(own, across)? } else { d.matmul(across, own)? };
        let product = negative(d, product)?;
        give_with_factors(d, Some(product), 1)?;
    }
    let own = if is_vector { d.squeeze(own, -1)? } else { own };
    d.give("B", own)
}

/// `weight · A⁻ᵀ` for each matrix, by its factors.
fn inverse_by_factors(
    d: &mut Derivative<'_>,
    weight: Value,
    factors: Value,
    pivots: Value,
) -> Outcome<Value> {
    let [n, _] = rows_and_columns(d, factors);
    let eye = identity(d, n, d.dtype_of(factors))?;
    let weight = d.unsqueeze(weight, -1)?;
    let weight = d.unsqueeze(weight, -1)?;
    let right = d.mul(eye, weight)?;
    by_factors(d, [factors, pivots, right], true, true)
}

/// `g · det(A) · A⁻ᵀ`. A pivot of zero is taken as the smallest number that tells 1 from its neighbour, so that the product of both
/// is the limit at a singular matrix.
pub fn det(d: &mut Derivative<'_>) -> Outcome {
    if d.cotangent(0).is_none() {
        return give_with_factors(d, None, 1);
    }
    let (factors, pivots, grad) = (d.results[1], d.results[2], d.grad()?);
    let dtype = d.dtype_of(factors);
    let least = if dtype == Dtype::Float64 { f64::EPSILON } else { f32::EPSILON.into() };
    let own = diagonal(d, factors)?;
    let none = d.compare("eq", own, 0.0)?;
    let (zero, least) = (d.scalar(0.0, dtype)?, d.scalar(least, dtype)?);
    let more = d.select(none, least, zero)?;
    let moved = d.add(own, more)?;
    let more = on_the_diagonal(d, more)?;
    let factors = d.add(factors, more)?;
    let dim = d.int_arg(-1);
    let product = d.call("aten.prod.dim_int", vec![Arg::Value(moved), dim.clone()])?;
    let [n, _] = rows_and_columns(d, factors);
    let (one, end) = (d.constant(1), d.syms().add_const(n, 1));
    let ints = vec![("dtype", Arg::Dtype(Dtype::Int32))];
    let places = d.call_with("aten.arange.start", vec![Arg::Int(one), Arg::Int(end)], ints)?;
    let exchanged = d.compare("ne", pivots, places)?;
    let exchanged = d.cast(exchanged, dtype)?;
    let signs = d.mul(exchanged, -2.0)?;
    let signs = d.add(signs, 1.0)?;
    let sign = d.call("aten.prod.dim_int", vec![Arg::Value(signs), dim])?;
    let product = d.mul(product, sign)?;
    let weight = d.mul(grad, product)?;
    let own = inverse_by_factors(d, weight, factors, pivots)?;
    give_with_factors(d, Some(own), 1)
}

pub fn slogdet(d: &mut Derivative<'_>) -> Outcome {
    let own = match d.cotangent(1) {
        Some(grad) => Some(inverse_by_factors(d, grad, d.results[2], d.results[3])?),
        None => None,
    };
    give_with_factors(d, own, 2)
}

/// The square or tall part is `Q · U`; columns beyond the rows are `Q · W`.
pub fn qr(d: &mut Derivative<'_>) -> Outcome {
    let mode = d.string("mode").unwrap_or("reduced").to_string();
    let matrix = d.value("A")?;
    let [rows, columns] = rows_and_columns(d, matrix);
    let is_tall = d.syms().decide(d.syms().le(rows, columns)) != Some(true);
    if mode == "r" {
        return Err(d.unsupported("the derivative of QR where `mode` is \"r\", which gives no `Q`"));
    }
    if mode == "complete" && is_tall {
        return Err(d.unsupported(
            "the derivative of QR where `mode` is \"complete\" and there are more rows than columns",
        ));
    }
    let (q, r) = (d.results[0], d.results[1]);
    let (mut gq, mut gr) = (d.grad_of(0)?, d.grad_of(1)?);
    let mut u = r;
    let mut beyond = None;
    if d.syms().decide(d.syms().le(columns, rows)) != Some(true) {
        let zero = d.constant(0);
        let gw = part(d, gr, -1, rows, columns)?;
        let y = part(d, matrix, -1, rows, columns)?;
        (u, gr) = (part(d, r, -1, zero, rows)?, part(d, gr, -1, zero, rows)?);
        let across = turned(d, gw)?;
        let more = d.matmul(y, across)?;
        gq = d.add(gq, more)?;
        beyond = Some(d.matmul(q, gw)?);
    }
    let (ut, qt) = (turned(d, u)?, turned(d, q)?);
    let (a, b) = (d.matmul(gr, ut)?, d.matmul(qt, gq)?);
    let difference = d.sub(a, b)?;
    let mut upper = triangle(d, difference, true, 0)?;
    let mut strict = triangle(d, difference, true, 1)?;
    if d.dtype_of(r).is_complex() {
        // Half of the diagonal on both sides, so that its imaginary part is gone: that of `R` stays real.
        let both = d.add(upper, strict)?;
        upper = d.mul(both, 0.5)?;
        strict = upper;
    }
    let mirrored = turned(d, strict)?;
    let symmetric = d.add(upper, mirrored)?;
    let inner = d.matmul(q, symmetric)?;
    let inner = d.add(gq, inner)?;
    let mut own = triangular(d, ut, inner, system(false, false, false))?;
    if let Some(beyond) = beyond {
        own = d.cat(vec![own, beyond], -1)?;
    }
    d.give("A", own)
}

/// A block of the exponential of `[[Aᵀ, G], [0, Aᵀ]]`.
pub fn matrix_exp(d: &mut Derivative<'_>) -> Outcome {
    let (matrix, grad) = (d.value("self")?, d.grad()?);
    let [n, _] = rows_and_columns(d, matrix);
    let other = turned(d, matrix)?;
    let nothing = d.zeros_like(other)?;
    let (above, below) = (d.cat(vec![other, grad], -1)?, d.cat(vec![nothing, other], -1)?);
    let both = d.cat(vec![above, below], -2)?;
    let made = d.call("aten.linalg_matrix_exp.default", vec![Arg::Value(both)])?;
    let (zero, twice) = (d.constant(0), d.syms().mul_const(n, 2));
    let top = part(d, made, -2, zero, n)?;
    let own = part(d, top, -1, n, twice)?;
    d.give("self", own)
}

/// Golub and Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems, 1973: exact where the rank stays.
pub fn pinv(d: &mut Derivative<'_>) -> Outcome {
    let (a, p, grad) = (d.first()?, d.results[0], d.grad()?);
    let [rows, columns] = rows_and_columns(d, a);
    let is_wide = d.syms().decide(d.syms().le(rows, columns)) == Some(true);
    let (pt, gt) = (turned(d, p)?, turned(d, grad)?);
    let terms: Result<[Value; 3], DerivativeError> = if is_wide {
        let k = d.matmul(gt, p)?;
        let inside = d.matmul(p, k)?;
        let first = turned(d, inside)?;
        let kp = d.matmul(k, pt)?;
        let ap = d.matmul(a, p)?;
        let seen = d.matmul(ap, kp)?;
        let second = d.sub(kp, seen)?;
        let ka = d.matmul(k, a)?;
        let rest = d.sub(gt, ka)?;
        let square = d.matmul(pt, p)?;
        Ok([first, second, d.matmul(square, rest)?])
    } else {
        let k = d.matmul(p, gt)?;
        let inside = d.matmul(k, p)?;
        let first = turned(d, inside)?;
        let pk = d.matmul(pt, k)?;
        let seen = d.matmul(pk, p)?;
        let seen = d.matmul(seen, a)?;
        let second = d.sub(pk, seen)?;
        let ak = d.matmul(a, k)?;
        let rest = d.sub(gt, ak)?;
        let rest = d.matmul(rest, p)?;
        Ok([first, second, d.matmul(rest, pt)?])
    };
    let [first, second, third] = terms?;
    let own = d.add(second, third)?;
    let own = d.sub(own, first)?;
    d.give_value(a, own)
}
