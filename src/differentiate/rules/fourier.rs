//! Fourier transforms: linear, and each is the transposed of another.

use super::super::Outcome;
use super::super::context::Derivative;
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

/// The dimension and the normalization of a transform, which its transposed has as well.
fn same(d: &Derivative<'_>) -> (Arg, Arg) {
    (d.arg("dim").clone(), d.arg("normalization").clone())
}

/// The transposed transform of pairs turns the other way.
pub fn fourier(d: &mut Derivative<'_>) -> Outcome {
    let (grad, forward, (dim, norm)) = (d.grad()?, d.bool("forward"), same(d));
    let args = vec![Arg::Value(grad), dim, norm, Arg::Bool(!forward)];
    let cotangent = d.call("litz.fourier.default", args)?;
    d.give("self", cotangent)
}

/// Multiplies half of a spectrum: by `ends` at the numbers that stand for themselves, which are the first and, of an even count, the last;
/// by `others` at those that stand for two.
fn weighed(d: &mut Derivative<'_>, pairs: Value, count: SymInt, ends: f64, others: f64) -> Outcome<Value> {
    let (dtype, rank, dim) = (d.dtype_of(pairs), d.rank(pairs), d.known_int("dim")? as usize);
    let size = d.shape(pairs)[dim];
    let named = vec![("dtype", Arg::Dtype(Dtype::Int64))];
    let places = d.call_with("aten.arange.default", vec![Arg::Int(size)], named)?;
    let first = d.compare("eq", places, 0.0)?;
    let double = d.mul(places, 2.0)?;
    let last = d.compare("eq", double, count)?;
    let alone = d.call("aten.logical_or.default", vec![Arg::Value(first), Arg::Value(last)])?;
    let (ends, others) = (d.scalar(ends, dtype)?, d.scalar(others, dtype)?);
    let weights = d.select(alone, ends, others)?;
    let one = d.constant(1);
    let mut shape = vec![one; rank];
    shape[dim] = size;
    let weights = d.reshape(weights, &shape)?;
    d.mul(pairs, weights)
}

pub fn fourier_real(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad, (dim, norm)) = (d.value("self")?, d.grad()?, same(d));
    let count = d.shape(input)[d.known_int("dim")? as usize];
    let pairs = weighed(d, grad, count, 1.0, 0.5)?;
    let args = vec![Arg::Value(pairs), dim, Arg::Int(count), norm];
    let cotangent = d.call("litz.fourier_back.default", args)?;
    d.give("self", cotangent)
}

pub fn fourier_back(d: &mut Derivative<'_>) -> Outcome {
    let (grad, (dim, norm)) = (d.grad()?, same(d));
    let count = d.shape(grad)[d.known_int("dim")? as usize];
    let pairs = d.call("litz.fourier_real.default", vec![Arg::Value(grad), dim, norm])?;
    let cotangent = weighed(d, pairs, count, 1.0, 2.0)?;
    d.give("self", cotangent)
}
