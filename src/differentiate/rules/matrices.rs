//! Matrices in the last two dimensions: what derivative rules of linear algebra build with.

use super::super::Outcome;
use super::super::context::Derivative;
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

/// The transposed matrix, of complex numbers the adjoint one.
pub fn turned(d: &mut Derivative<'_>, value: Value) -> Outcome<Value> {
    let other = d.transpose(value, -2, -1)?;
    if d.dtype_of(value).is_complex() { d.unary("conj", other) } else { Ok(other) }
}

pub fn rows_and_columns(d: &Derivative<'_>, matrix: Value) -> [SymInt; 2] {
    let shape = d.shape(matrix);
    [shape[shape.len() - 2], shape[shape.len() - 1]]
}

pub fn triangle(d: &mut Derivative<'_>, matrix: Value, upper: bool, offset: i64) -> Outcome<Value> {
    let offset = d.int_arg(offset);
    let name = if upper { "aten.triu.default" } else { "aten.tril.default" };
    d.call(name, vec![Arg::Value(matrix), offset])
}

pub fn negative(d: &mut Derivative<'_>, value: Value) -> Outcome<Value> {
    d.unary("neg", value)
}

/// The places from `begin` on, up to `end`, of a dimension counted from the end.
pub fn part(d: &mut Derivative<'_>, value: Value, dim: i64, begin: SymInt, end: SymInt) -> Outcome<Value> {
    let dim = d.int_arg(dim);
    d.call("aten.slice.Tensor", vec![Arg::Value(value), dim, Arg::Int(begin), Arg::Int(end)])
}

pub fn identity(d: &mut Derivative<'_>, n: SymInt, dtype: Dtype) -> Outcome<Value> {
    d.call_with("aten.eye.default", vec![Arg::Int(n)], vec![("dtype", Arg::Dtype(dtype))])
}

pub fn diagonal(d: &mut Derivative<'_>, matrix: Value) -> Outcome<Value> {
    let [zero, last_but_one, last] = [0, -2, -1].map(|k| d.int_arg(k));
    d.call("aten.diagonal.default", vec![Arg::Value(matrix), zero, last_but_one, last])
}

/// A matrix for each vector of numbers, which stand on its diagonal.
pub fn on_the_diagonal(d: &mut Derivative<'_>, numbers: Value) -> Outcome<Value> {
    let shape = d.shape(numbers);
    let eye = identity(d, shape[shape.len() - 1], d.dtype_of(numbers))?;
    let column = d.unsqueeze(numbers, -1)?;
    d.mul(column, eye)
}

/// `left · inner · right`; the inner one may be real where the others are complex.
pub fn between(d: &mut Derivative<'_>, left: Value, inner: Value, right: Value) -> Outcome<Value> {
    let dtype = d.dtype_of(left);
    let inner = d.cast(inner, dtype)?;
    let product = d.matmul(left, inner)?;
    d.matmul(product, right)
}

/// A sum with one term more.
pub fn plus(d: &mut Derivative<'_>, sum: Option<Value>, term: Value) -> Outcome<Value> {
    match sum {
        Some(sum) => d.add(sum, term),
        None => Ok(term),
    }
}
