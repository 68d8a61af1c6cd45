//! Permutations and draws from categories.

use super::distributions::exponential;
use super::draw::Draw;
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::meta::MetaError;
use crate::types::Dtype;

type Built = Result<Value, MetaError>;

/// The order that sorts as many keys of 64 bits; of equal keys the first comes first.
pub(super) fn randperm(cx: &mut Draw<'_>) -> Built {
    let n = cx.int("n").ok_or_else(|| cx.error(Status::Internal, "has no size"))?;
    let dtype = cx.arg("dtype").dtype().unwrap_or(Dtype::Int64);
    let keys = cx.bits(&[n], 64)?;
    let minus_one = cx.constant(-1);
    let order = cx.call("aten.argsort.default", vec![Arg::Value(keys), minus_one, Arg::Bool(false)])?;
    cx.cast(order, dtype)
}

/// With replacement: the first category whose cumulative weight is above a uniform part of the sum. Without: the categories
/// with the smallest waiting times, each exponential with the weight as its rate.
pub(super) fn multinomial(cx: &mut Draw<'_>) -> Built {
    let own = cx.value("self")?;
    let count =
        cx.int("num_samples").ok_or_else(|| cx.error(Status::Internal, "has no number of samples"))?;
    let (shape, dtype) = (cx.shape(own), cx.dtype(own).compute());
    let own = cx.unary("detach", own)?;
    let weights = cx.cast(own, dtype)?;
    let fits = cx.by("ge", weights, Arg::Float(0.0))?;
    let finite = cx.by("lt", weights, Arg::Float(f64::INFINITY))?;
    let fits = cx.call("aten.logical_and.default", vec![Arg::Value(fits), Arg::Value(finite)])?;
    let weights = cx.checked(weights, fits, "a weight is negative, infinite or NaN")?;
    let last = cx.constant(-1);
    let list = Arg::Ints(vec![cx.syms().constant(-1)]);
    let sum = cx.call("aten.sum.dim_IntList", vec![Arg::Value(weights), list, Arg::Bool(true)])?;
    let some = cx.by("gt", sum, Arg::Float(0.0))?;
    let sum = cx.checked(sum, some, "the weights of a row have no sum above 0")?;
    if cx.flag("replacement") {
        let total = cx.call("aten.cumsum.default", vec![Arg::Value(weights), last.clone()])?;
        let parts = cx.binary("div", total, sum)?;
        let mut wanted = shape.clone();
        if let Some(size) = wanted.last_mut() {
            *size = count;
        }
        let u = cx.uniform(&wanted, dtype)?;
        let found = cx.call_with(
            "aten.searchsorted.Tensor",
            vec![Arg::Value(parts), Arg::Value(u)],
            vec![("right", Arg::Bool(true))],
        )?;
        // Rounding may leave the last part below 1: then the last category that has a weight is meant.
        let index = cx.call_with(
            "aten.arange.default",
            vec![Arg::Int(shape[shape.len() - 1])],
            vec![("dtype", Arg::Dtype(Dtype::Int64))],
        )?;
        let has_weight = cx.by("gt", weights, Arg::Float(0.0))?;
        let none = cx.full(&[], cx.constant(0), Dtype::Int64)?;
        let places = cx.select(has_weight, index, none)?;
        let most = cx.call(
            "aten.amax.default",
            vec![Arg::Value(places), Arg::Ints(vec![cx.syms().constant(-1)]), Arg::Bool(true)],
        )?;
        return cx.call("aten.minimum.default", vec![Arg::Value(found), Arg::Value(most)]);
    }
    let waited = exponential(cx, &shape, dtype)?;
    let times = cx.binary("div", waited, weights)?;
    // A category without weight never comes, not even after one that is infinitely late.
    let scaled = cx.binary("mul", times, sum)?;
    let args = vec![Arg::Value(scaled), Arg::Int(count), last, Arg::Bool(false), Arg::Bool(true)];
    Ok(cx.call_all("aten.topk.default", args)?[1])
}
