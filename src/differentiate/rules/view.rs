//! Views and the operators that move elements without changing them: their gradients move back.

use super::super::Outcome;
use super::super::context::Derivative;
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::types::SymInt;

/// Another shape over the same elements in the same order.
pub fn reshape(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad) = (d.value("self")?, d.grad()?);
    let shape = d.shape(input);
    let cotangent = d.reshape(grad, &shape)?;
    d.give("self", cotangent)
}

/// Repeated along new or unit dimensions; [`Derivative::give`] sums over them.
pub fn expand(d: &mut Derivative<'_>) -> Outcome {
    let grad = d.grad()?;
    d.give("self", grad)
}

/// The operator that swaps two dimensions undoes itself.
pub fn transpose(d: &mut Derivative<'_>) -> Outcome {
    let grad = d.grad()?;
    let (name, rest) = (d.op.name(), d.args[1..].to_vec());
    let args = std::iter::once(Arg::Value(grad)).chain(rest).collect();
    let cotangent = d.call(name, args)?;
    d.give("self", cotangent)
}

pub fn permute(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad) = (d.value("self")?, d.grad()?);
    let rank = d.rank(input);
    let mut inverse = vec![0; rank];
    for (to, from) in d.known_ints("dims")?.into_iter().enumerate() {
        inverse[d.dim(from, rank)?] = to;
    }
    let cotangent = d.permute(grad, &inverse)?;
    d.give("self", cotangent)
}

pub fn movedim(d: &mut Derivative<'_>) -> Outcome {
    let (grad, name) = (d.grad()?, d.op.name());
    let (source, destination) = (d.arg("source").clone(), d.arg("destination").clone());
    let cotangent = d.call(name, vec![Arg::Value(grad), destination, source])?;
    d.give("self", cotangent)
}

/// What writes a gradient to where a view reads, over zeros: the view's `_scatter`, given the view's own arguments.
fn scattered(d: &mut Derivative<'_>, scatter: &str, rest: Vec<Arg>) -> Outcome {
    let (input, grad) = (d.first()?, d.grad()?);
    let zeros = d.zeros_like(input)?;
    let args = [Arg::Value(zeros), Arg::Value(grad)].into_iter().chain(rest).collect();
    let cotangent = d.call(scatter, args)?;
    d.give_value(input, cotangent)
}

pub fn slice(d: &mut Derivative<'_>) -> Outcome {
    scattered(d, "aten.slice_scatter.default", d.args[1..].to_vec())
}

pub fn select(d: &mut Derivative<'_>) -> Outcome {
    scattered(d, "aten.select_scatter.default", d.args[1..].to_vec())
}

pub fn diagonal(d: &mut Derivative<'_>) -> Outcome {
    scattered(d, "aten.diagonal_scatter.default", d.args[1..].to_vec())
}

pub fn narrow(d: &mut Derivative<'_>) -> Outcome {
    let input = d.value("self")?;
    let dim = d.known_int("dim")?;
    let size = d.shape(input)[d.dim(dim, d.rank(input))?];
    let missing = || d.unsupported("`start` and `length` must be integers");
    let (start, length) = (d.int("start").ok_or_else(missing)?, d.int("length").ok_or_else(missing)?);
    let start = if d.syms().range(start).max < 0 { d.syms().add(start, size) } else { start };
    let end = d.syms().add(start, length);
    let dim = d.int_arg(dim);
    scattered(d, "aten.slice_scatter.default", vec![dim, Arg::Int(start), Arg::Int(end)])
}

/// The gradients of all results, zeros for those that nothing depends on.
fn all_grads(d: &mut Derivative<'_>) -> Outcome<Vec<Value>> {
    (0..d.results.len()).map(|k| d.grad_of(k)).collect()
}

pub fn unbind(d: &mut Derivative<'_>) -> Outcome {
    let grads = all_grads(d)?;
    let dim = d.arg("dim").clone();
    let list = Arg::Values(grads.into_iter().map(Some).collect());
    let cotangent = d.call("aten.stack.default", vec![list, dim])?;
    d.give("self", cotangent)
}

/// Parts beside one another.
pub fn split(d: &mut Derivative<'_>) -> Outcome {
    let dim = d.known_int("dim")?;
    let grads = all_grads(d)?;
    let cotangent = d.cat(grads, dim)?;
    d.give("self", cotangent)
}

/// The splits whose dimension their name says.
fn split_along(d: &mut Derivative<'_>, dim: i64) -> Outcome {
    let grads = all_grads(d)?;
    let cotangent = d.cat(grads, dim)?;
    d.give("self", cotangent)
}
pub fn hsplit(d: &mut Derivative<'_>) -> Outcome {
    let input = d.value("self")?;
    let dim = i64::from(d.rank(input) > 1);
    split_along(d, dim)
}
pub fn vsplit(d: &mut Derivative<'_>) -> Outcome {
    split_along(d, 0)
}
pub fn dsplit(d: &mut Derivative<'_>) -> Outcome {
    split_along(d, 2)
}

/// Positions `first + k step` for `k` in `0..count`, as a tensor.
pub fn positions(d: &mut Derivative<'_>, count: SymInt) -> Outcome<Value> {
    d.call("aten.arange.default", vec![Arg::Int(count)])
}

/// Adds the rows of `grad` along `dim` to zeros at these places.
pub fn added_at(d: &mut Derivative<'_>, like: Value, dim: i64, places: Value, grad: Value) -> Outcome<Value> {
    let (zeros, dim) = (d.zeros_like(like)?, d.int_arg(dim));
    d.call("aten.index_add.default", vec![Arg::Value(zeros), dim, Arg::Value(places), Arg::Value(grad)])
}

/// Windows along a dimension, which may overlap.
pub fn unfold(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad) = (d.value("self")?, d.grad()?);
    let shape = Arg::Ints(d.shape(input));
    let [dim, size, step] = ["dimension", "size", "step"].map(|name| d.arg(name).clone());
    let cotangent = d.call("aten.unfold_backward.default", vec![Arg::Value(grad), shape, dim, size, step])?;
    d.give("self", cotangent)
}

/// A view of the storage: each of its elements adds to the place that it was read from.
pub fn as_strided(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad) = (d.value("self")?, d.grad()?);
    let meta = d.meta(input);
    let contiguous = crate::types::contiguous_strides(d.syms(), &meta.shape);
    if meta.strides != contiguous || meta.offset != d.constant(0) {
        return Err(d.error(
            Status::Unsupported,
            "the derivative of as_strided is known for contiguous tensors alone",
        ));
    }
    let count = d.syms().product(&meta.shape);
    let whole = positions(d, count)?;
    let args = std::iter::once(Arg::Value(whole)).chain(d.args[1..].to_vec()).collect();
    let places = d.call("aten.as_strided.default", args)?;
    let places = flat(d, places)?;
    let rows = flat(d, grad)?;
    let like = d.reshape(input, &[count])?;
    let sums = added_at(d, like, 0, places, rows)?;
    let cotangent = d.reshape(sums, &meta.shape)?;
    d.give("self", cotangent)
}

/// All elements along one dimension.
pub fn flat(d: &mut Derivative<'_>, value: Value) -> Outcome<Value> {
    let shape = d.shape(value);
    let count = d.syms().product(&shape);
    d.reshape(value, &[count])
}

/// Complex numbers as their parts: the parts' gradients are the parts of their gradient.
pub fn view_as_real(d: &mut Derivative<'_>) -> Outcome {
    let grad = d.grad()?;
    let grad = d.call("aten.contiguous.default", vec![Arg::Value(grad)])?;
    let cotangent = d.call("aten.view_as_complex.default", vec![Arg::Value(grad)])?;
    d.give("self", cotangent)
}

/// The other way round.
pub fn view_as_complex(d: &mut Derivative<'_>) -> Outcome {
    let grad = d.grad()?;
    let cotangent = d.call("aten.view_as_real.default", vec![Arg::Value(grad)])?;
    d.give("self", cotangent)
}
