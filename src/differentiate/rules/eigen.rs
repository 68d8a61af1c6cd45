//! Eigenvalues of matrices that need not be symmetric, with complex numbers as pairs in the last dimension. As in PyTorch, the gradient
//! through the vectors holds only if the values differ and the loss does not depend on the vectors' complex phases.

use super::super::Outcome;
use super::super::context::Derivative;
use super::matrices::{diagonal, negative, on_the_diagonal, part, triangle, turned};
use super::spectral::differences;
use crate::ir::{Arg, Value};

/// Matrices or vectors of complex numbers.
#[derive(Clone, Copy)]
struct Pair {
    re: Value,
    im: Value,
}

impl Pair {
    fn of(d: &mut Derivative<'_>, joined: Value) -> Outcome<Pair> {
        Ok(Pair { re: d.select_index(joined, -1, 0)?, im: d.select_index(joined, -1, 1)? })
    }
    fn joined(self, d: &mut Derivative<'_>) -> Outcome<Value> {
        let parts = Arg::Values(vec![Some(self.re), Some(self.im)]);
        let last = d.int_arg(-1);
        d.call("aten.stack.default", vec![parts, last])
    }
    fn each(
        self,
        d: &mut Derivative<'_>,
        mut f: impl FnMut(&mut Derivative<'_>, Value) -> Outcome<Value>,
    ) -> Outcome<Pair> {
        Ok(Pair { re: f(d, self.re)?, im: f(d, self.im)? })
    }
    /// The conjugated and transposed matrix.
    fn adjoint(self, d: &mut Derivative<'_>) -> Outcome<Pair> {
        let im = negative(d, self.im)?;
        Pair { im, ..self }.each(d, turned)
    }
    fn plus(self, d: &mut Derivative<'_>, other: Pair) -> Outcome<Pair> {
        Ok(Pair { re: d.add(self.re, other.re)?, im: d.add(self.im, other.im)? })
    }
    fn minus(self, d: &mut Derivative<'_>, other: Pair) -> Outcome<Pair> {
        Ok(Pair { re: d.sub(self.re, other.re)?, im: d.sub(self.im, other.im)? })
    }
    fn product(self, d: &mut Derivative<'_>, other: Pair) -> Outcome<Pair> {
        let (rr, ii) = (d.matmul(self.re, other.re)?, d.matmul(self.im, other.im)?);
        let (ri, ir) = (d.matmul(self.re, other.im)?, d.matmul(self.im, other.re)?);
        Ok(Pair { re: d.sub(rr, ii)?, im: d.add(ri, ir)? })
    }
    /// The quotients of the numbers and those of `other`.
    fn over(self, d: &mut Derivative<'_>, other: Pair) -> Outcome<Pair> {
        let (rr, ii) = (d.mul(self.re, other.re)?, d.mul(self.im, other.im)?);
        let (ir, ri) = (d.mul(self.im, other.re)?, d.mul(self.re, other.im)?);
        let (re, im) = (d.add(rr, ii)?, d.sub(ir, ri)?);
        let (x, y) = (d.unary("square", other.re)?, d.unary("square", other.im)?);
        let norm = d.add(x, y)?;
        Pair { re, im }.each(d, |d, v| d.div(v, norm))
    }
}

/// The solution of `matrix · X = right`, by a system of real numbers of twice the size.
fn solution(d: &mut Derivative<'_>, matrix: Pair, right: Pair) -> Outcome<Pair> {
    let other = negative(d, matrix.im)?;
    let (top, below) = (d.cat(vec![matrix.re, other], -1)?, d.cat(vec![matrix.im, matrix.re], -1)?);
    let (left, right) = (d.cat(vec![top, below], -2)?, d.cat(vec![right.re, right.im], -2)?);
    let both = d.call("aten.linalg_solve.default", vec![Arg::Value(left), Arg::Value(right)])?;
    let (zero, n) = (d.constant(0), d.shape(matrix.re)[d.rank(matrix.re) - 1]);
    let twice = d.syms().mul_const(n, 2);
    Ok(Pair { re: part(d, both, -2, zero, n)?, im: part(d, both, -2, n, twice)? })
}

/// `V⁻ᴴ · (diag(gL) + (VᴴgV - VᴴV · diag(Re(VᴴgV))) / E) · Vᴴ`, with `E` the conjugated differences of the values.
pub fn eig(d: &mut Derivative<'_>) -> Outcome {
    let (values, vectors) = if d.bool("compute_v") {
        (d.results[0], d.results[1])
    } else {
        let args = vec![d.arg("self").clone(), d.arg("pairs").clone(), Arg::Bool(true)];
        let parts = d.call_all("litz.eig.default", args, Vec::new())?;
        (parts[0], parts[1])
    };
    let vectors = Pair::of(d, vectors)?;
    let back = vectors.adjoint(d)?;
    let mut inner = match d.cotangent(0) {
        Some(grad) => Some(Pair::of(d, grad)?.each(d, on_the_diagonal)?),
        None => None,
    };
    if let Some(grad) = d.cotangent(1).filter(|_| d.bool("compute_v")) {
        let grad = Pair::of(d, grad)?;
        let product = back.product(d, grad)?;
        // A vector keeps its length 1.
        let along = diagonal(d, product.re)?;
        let along = d.unsqueeze(along, -2)?;
        let kept = vectors.each(d, |d, v| d.mul(v, along))?;
        let kept = back.product(d, kept)?;
        let top = product.minus(d, kept)?;
        let values = Pair::of(d, values)?;
        let (row, column) = (d.unsqueeze(values.im, -2)?, d.unsqueeze(values.im, -1)?);
        let apart = Pair { re: differences(d, values.re)?, im: d.sub(column, row)? };
        let ratio = top.over(d, apart)?;
        let ratio = ratio.each(d, |d, v| {
            let (above, below) = (triangle(d, v, true, 1)?, triangle(d, v, false, -1)?);
            d.add(above, below)
        })?;
        inner = Some(match inner {
            Some(inner) => inner.plus(d, ratio)?,
            None => ratio,
        });
    }
    let Some(inner) = inner else { return Ok(()) };
    let right = inner.product(d, back)?;
    let own = solution(d, back, right)?;
    // A real matrix takes the real part of the gradient.
    let own = if d.bool("pairs") { own.joined(d)? } else { own.re };
    d.give("self", own)
}
