//! Singular values, eigenvalues of symmetric matrices, and functions of matrices by them. The formulas of vectors hold where the values
//! differ, as PyTorch's do; those of functions hold everywhere.

use super::super::Outcome;
use super::super::context::Derivative;
use super::matrices::{
    between, diagonal, identity, on_the_diagonal, part, plus, rows_and_columns, triangle, turned,
};
use crate::ir::{Arg, Value};

/// Zeros off the diagonal are what divides: differences of the squares, or of the values themselves, and ones on it.
pub(super) fn differences(d: &mut Derivative<'_>, values: Value) -> Outcome<Value> {
    let (row, column) = (d.unsqueeze(values, -2)?, d.unsqueeze(values, -1)?);
    let difference = d.sub(row, column)?;
    let shape = d.shape(values);
    let eye = identity(d, shape[shape.len() - 1], d.dtype_of(values))?;
    d.add(difference, eye)
}

/// `X - Xᵀ`
fn skew(d: &mut Derivative<'_>, matrix: Value) -> Outcome<Value> {
    let other = turned(d, matrix)?;
    d.sub(matrix, other)
}

pub fn svd(d: &mut Derivative<'_>) -> Outcome {
    let matrix = d.value("A")?;
    let [rows, columns] = rows_and_columns(d, matrix);
    let few = d.syms().min(rows, columns);
    let zero = d.constant(0);
    let (u, s, vh) = if d.bool("compute_uv") && !d.bool("full_matrices") {
        (d.results[0], d.results[1], d.results[2])
    } else if d.bool("compute_uv") {
        let (u, vh) = (d.results[0], d.results[2]);
        (part(d, u, -1, zero, few)?, d.results[1], part(d, vh, -2, zero, few)?)
    } else {
        let args = vec![Arg::Value(matrix), Arg::Bool(false), Arg::Bool(true)];
        let parts = d.call_all("aten._linalg_svd.default", args, Vec::new())?;
        (parts[0], parts[1], parts[2])
    };
    let mut inner = match d.cotangent(1) {
        Some(gs) => Some(on_the_diagonal(d, gs)?),
        None => None,
    };
    let mut outer = None;
    let squares = d.unary("square", s)?;
    let (row, column) = (d.unsqueeze(s, -2)?, d.unsqueeze(s, -1)?);
    if let Some(gu) = d.cotangent(0).filter(|_| d.bool("compute_uv")) {
        let gu = part(d, gu, -1, zero, few)?;
        let ut = turned(d, u)?;
        let product = d.matmul(ut, gu)?;
        let (top, below) = (skew(d, product)?, differences(d, squares)?);
        let (mut ratio, is_complex) = (d.div(top, below)?, d.dtype_of(u).is_complex());
        if is_complex {
            ratio = off_the_diagonal(d, ratio)?;
        }
        let term = d.mul(ratio, row)?;
        inner = Some(plus(d, inner, term)?);
        if is_complex && d.cotangent(2).is_some() {
            let term = turn(d, top, s)?;
            inner = Some(plus(d, inner, term)?);
        }
        if d.syms().decide(d.syms().le(rows, columns)) != Some(true) {
            let inside = d.matmul(u, product)?;
            let rest = d.sub(gu, inside)?;
            let rest = d.div(rest, row)?;
            outer = Some(d.matmul(rest, vh)?);
        }
    }
    if let Some(gvh) = d.cotangent(2).filter(|_| d.bool("compute_uv")) {
        let gvh = part(d, gvh, -2, zero, few)?;
        let (v, gv) = (turned(d, vh)?, turned(d, gvh)?);
        let product = d.matmul(vh, gv)?;
        let (top, below) = (skew(d, product)?, differences(d, squares)?);
        let mut ratio = d.div(top, below)?;
        if d.dtype_of(u).is_complex() {
            ratio = off_the_diagonal(d, ratio)?;
        }
        let term = d.mul(ratio, column)?;
        inner = Some(plus(d, inner, term)?);
        if d.syms().decide(d.syms().le(columns, rows)) != Some(true) {
            let product = d.matmul(gvh, v)?;
            let inside = d.matmul(product, vh)?;
            let rest = d.sub(gvh, inside)?;
            let rest = d.div(rest, column)?;
            let term = d.matmul(u, rest)?;
            outer = Some(plus(d, outer, term)?);
        }
    }
    let Some(inner) = inner else { return Ok(()) };
    let own = between(d, u, inner, vh)?;
    let own = plus(d, outer, own)?;
    d.give("A", own)
}

/// The matrix without its diagonal.
fn off_the_diagonal(d: &mut Derivative<'_>, matrix: Value) -> Outcome<Value> {
    let (above, below) = (triangle(d, matrix, true, 1)?, triangle(d, matrix, false, -1)?);
    d.add(above, below)
}

/// The diagonal of a skew matrix of complex numbers, which is imaginary, divided by twice the values: vectors turn in the complex plane.
fn turn(d: &mut Derivative<'_>, skew: Value, values: Value) -> Outcome<Value> {
    let own = diagonal(d, skew)?;
    let twice = d.mul(values, 2.0)?;
    let own = d.div(own, twice)?;
    on_the_diagonal(d, own)
}

/// `V · (diag(gL) + Vᵀ·gV / E) · Vᵀ`, with `E` the differences of the values.
pub fn eigh(d: &mut Derivative<'_>) -> Outcome {
    let (values, vectors) = if d.bool("compute_v") {
        (d.results[0], d.results[1])
    } else {
        let args = vec![d.arg("A").clone(), d.arg("UPLO").clone(), Arg::Bool(true)];
        let parts = d.call_all("aten._linalg_eigh.default", args, Vec::new())?;
        (parts[0], parts[1])
    };
    let mut inner = match d.cotangent(0) {
        Some(grad) => Some(on_the_diagonal(d, grad)?),
        None => None,
    };
    let back = turned(d, vectors)?;
    if let Some(grad) = d.cotangent(1).filter(|_| d.bool("compute_v")) {
        let product = d.matmul(back, grad)?;
        // A vector of length 1 does not grow along itself.
        let product = off_the_diagonal(d, product)?;
        let apart = differences(d, values)?;
        let ratio = d.div(product, apart)?;
        inner = Some(plus(d, inner, ratio)?);
    }
    let Some(inner) = inner else { return Ok(()) };
    let own = between(d, vectors, inner, back)?;
    // One triangle stands for both, so that both share the gradient, as PyTorch has it.
    let other = turned(d, own)?;
    let both = d.add(own, other)?;
    let half = d.mul(both, 0.5)?;
    d.give("A", half)
}

/// The sums of all pairs of the numbers.
fn sums(d: &mut Derivative<'_>, numbers: Value) -> Outcome<Value> {
    let (row, column) = (d.unsqueeze(numbers, -2)?, d.unsqueeze(numbers, -1)?);
    d.add(row, column)
}

/// The solution `G` of `R · G + G · R = (grad + gradᵀ) / 2` with the root `R`, in the basis of its vectors.
pub fn matrix_sqrth(d: &mut Derivative<'_>) -> Outcome {
    let (matrix, grad) = (d.value("self")?, d.grad()?);
    let parts = d.call_all("aten._linalg_eigh.default", vec![Arg::Value(matrix)], Vec::new())?;
    let (values, vectors) = (parts[0], parts[1]);
    let other = turned(d, grad)?;
    let both = d.add(grad, other)?;
    let half = d.mul(both, 0.5)?;
    let back = turned(d, vectors)?;
    let inner = between(d, back, half, vectors)?;
    let roots = d.unary("sqrt", values)?;
    let sums = sums(d, roots)?;
    let inner = d.div(inner, sums)?;
    let own = between(d, vectors, inner, back)?;
    d.give("self", own)
}

/// With `A = P · S · Qᵀ`, `W = Pᵀ · gU · Q` and `K = Qᵀ · gH · Q`: `P · X · Qᵀ + (I - P · Pᵀ) · gU · Q · S⁻¹ · Qᵀ`, where
/// `X[i, j] = (W[i, j] - W[j, i] + s[i] · (K[i, j] + K[j, i])) / (s[i] + s[j])`.
pub fn polar(d: &mut Derivative<'_>) -> Outcome {
    let matrix = d.value("A")?;
    let [rows, columns] = rows_and_columns(d, matrix);
    let parts = d.call_all("aten._linalg_svd.default", vec![Arg::Value(matrix)], Vec::new())?;
    let (p, s, qt) = (parts[0], parts[1], parts[2]);
    let (pt, q) = (turned(d, p)?, turned(d, qt)?);
    let mut inner = None;
    if d.cotangent(1).is_some() {
        let grad = d.grad_of(1)?;
        let seen = between(d, qt, grad, q)?;
        let mirrored = turned(d, seen)?;
        let both = d.add(seen, mirrored)?;
        let column = d.unsqueeze(s, -1)?;
        inner = Some(d.mul(both, column)?);
    }
    let mut outer = None;
    if d.cotangent(0).is_some() {
        let grad = d.grad_of(0)?;
        let across = d.matmul(grad, q)?;
        let seen = d.matmul(pt, across)?;
        let term = skew(d, seen)?;
        inner = Some(plus(d, inner, term)?);
        if d.syms().decide(d.syms().le(rows, columns)) != Some(true) {
            let within = d.matmul(p, seen)?;
            let rest = d.sub(across, within)?;
            let row = d.unsqueeze(s, -2)?;
            let rest = d.div(rest, row)?;
            outer = Some(d.matmul(rest, qt)?);
        }
    }
    let Some(inner) = inner else { return Ok(()) };
    let sums = sums(d, s)?;
    let inner = d.div(inner, sums)?;
    let mut own = between(d, p, inner, qt)?;
    if let Some(outer) = outer {
        own = d.add(own, outer)?;
    }
    d.give("A", own)
}
