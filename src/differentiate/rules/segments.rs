//! Elements that are reduced by the place that data give them: `scatter_reduce`, `index_reduce`, segments and bags.
//!
//! `scatter_reduce` and `index_reduce` have one rule, with a place for each element. Segments and bags are built of gathers and
//! of such reductions, which are differentiated in their stead.

use super::super::Outcome;
use super::super::context::Derivative;
use super::indexing::give_part;
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::meta::Infer;
use crate::meta::rules::{BagMode, bag_padding};
use crate::types::Dtype;

/// A reduction of `source` into `own` along `dim`, at a place for each element.
struct Reduced {
    own: Value,
    dim: Arg,
    places: Value,
    /// As many elements as there are places.
    source: Value,
    include_self: bool,
}

impl Reduced {
    /// The same reduction of other tensors.
    fn again(&self, d: &mut Derivative<'_>, own: Value, source: Value, by: &str) -> Outcome<Value> {
        let args = vec![
            Arg::Value(own),
            self.dim.clone(),
            Arg::Value(self.places),
            Arg::Value(source),
            Arg::Str(by.to_string()),
        ];
        d.call_with("aten.scatter_reduce.two", args, vec![("include_self", Arg::Bool(self.include_self))])
    }
    /// The elements of a tensor at the places.
    fn read(&self, d: &mut Derivative<'_>, from: Value) -> Outcome<Value> {
        d.call("aten.gather.default", vec![Arg::Value(from), self.dim.clone(), Arg::Value(self.places)])
    }

    fn cotangents(&self, d: &mut Derivative<'_>, by: &str) -> Outcome<[Value; 2]> {
        let (grad, result) = (d.grad()?, d.results[0]);
        let (grad, result) = (d.compute(grad)?, d.compute(result)?);
        let (own, source) = (d.compute(self.own)?, d.compute(self.source)?);
        let dtype = d.dtype_of(grad);
        let [of_own, of_source] = match by {
            "sum" => [grad, self.read(d, grad)?],
            "mean" => {
                let ones = d.call("aten.ones_like.default", vec![Arg::Value(own)])?;
                let each = d.call("aten.ones_like.default", vec![Arg::Value(source)])?;
                let count = self.again(d, ones, each, "sum")?;
                let share = d.div(grad, count)?;
                [share, self.read(d, share)?]
            }
            "amax" | "amin" => {
                // Equal ones share the gradient.
                let at_places = self.read(d, result)?;
                let (a, b) = (d.compare("eq", own, result)?, d.compare("eq", source, at_places)?);
                let (a, b) = (d.cast(a, dtype)?, d.cast(b, dtype)?);
                let count = self.again(d, a, b, "sum")?;
                // NaN equals nothing, not even itself.
                let share = d.ratio(grad, count)?;
                let there = self.read(d, share)?;
                [d.mul(share, a)?, d.mul(there, b)?]
            }
            "prod" => {
                // The slope by a factor is the product of all others. A factor that is not 0 divides the result, which keeps the slope by
                // another factor that is 0. The only zero has the product of the rest, and one of two zeros the other zero times the rest.
                let (own_is_zero, source_is_zero) =
                    (d.compare("eq", own, 0.0)?, d.compare("eq", source, 0.0)?);
                let one = d.scalar(1.0, dtype)?;
                let nothing = d.scalar(0.0, dtype)?;
                let (a, b) =
                    (d.select(own_is_zero, own, nothing)?, d.select(source_is_zero, source, nothing)?);
                let both = self.again(d, a, b, "sum")?;
                let (own, source) =
                    (d.select(own_is_zero, one, own)?, d.select(source_is_zero, one, source)?);
                let product = self.again(d, own, source, "prod")?;
                let zero_of = [a, b];
                let (a, b) = (d.cast(own_is_zero, dtype)?, d.cast(source_is_zero, dtype)?);
                let zeros = self.again(d, a, b, "sum")?;
                let others = |d: &mut Derivative<'_>, x: Value, [is_zero, zero]: [Value; 2], at: bool| {
                    let read = |d: &mut Derivative<'_>, v: Value| if at { self.read(d, v) } else { Ok(v) };
                    let (count, grad) = (read(d, zeros)?, read(d, grad)?);
                    let (whole, rest) = (read(d, result)?, read(d, product)?);
                    let quotient = d.div(whole, x)?;
                    let all = read(d, both)?;
                    let other = d.sub(all, zero)?;
                    let (are_two, none) = (d.compare("eq", count, 2.0)?, d.zeros_like(rest)?);
                    let by_other = d.mul(other, rest)?;
                    let by_other = d.select(are_two, by_other, none)?;
                    let is_alone = d.compare("eq", count, 1.0)?;
                    let rest = d.select(is_alone, rest, by_other)?;
                    let slope = d.select(is_zero, rest, quotient)?;
                    d.mul(grad, slope)
                };
                [
                    others(d, own, [own_is_zero, zero_of[0]], false)?,
                    others(d, source, [source_is_zero, zero_of[1]], true)?,
                ]
            }
            _ => return Err(d.unsupported(format!("the derivative of a reduction by `{by}`"))),
        };
        let of_own = if self.include_self {
            of_own
        } else {
            // What was reduced to has no part where anything was reduced.
            let args = vec![Arg::Value(of_own), self.dim.clone(), Arg::Value(self.places), Arg::Float(0.0)];
            d.call("aten.scatter.value", args)?
        };
        Ok([of_own, of_source])
    }
}

pub fn scatter_reduce(d: &mut Derivative<'_>) -> Outcome {
    let (own, places, source) = (d.value("self")?, d.value("index")?, d.value("src")?);
    let dim = d.known_int("dim")?;
    let dim = d.int_arg(d.dim(dim, d.rank(own))? as i64);
    let shape = d.shape(places);
    let mut read = source;
    for (k, (want, have)) in shape.iter().zip(d.shape(source)).enumerate() {
        if *want != have {
            let (at, zero) = (d.int_arg(k as i64), d.int_arg(0));
            read = d.call("aten.slice.Tensor", vec![Arg::Value(read), at, zero, Arg::Int(*want)])?;
        }
    }
    let reduced = Reduced { own, dim, places, source: read, include_self: d.bool("include_self") };
    let by = d.string("reduce").unwrap_or_default();
    let [of_own, of_source] = reduced.cotangents(d, by)?;
    d.give("self", of_own)?;
    if d.needs("src") { give_part(d, "src", of_source) } else { Ok(()) }
}

/// A number for each slice along a dimension, as a number for each element of a tensor.
fn spread(d: &mut Derivative<'_>, numbers: Value, dim: usize, over: Value) -> Outcome<Value> {
    let one = d.constant(1);
    let mut shape = vec![one; d.rank(over)];
    if let Some(size) = shape.get_mut(dim) {
        *size = d.shape(over)[dim];
    }
    let column = d.reshape(numbers, &shape)?;
    d.expanded(column, over)
}

pub fn index_reduce(d: &mut Derivative<'_>) -> Outcome {
    let (own, numbers, source) = (d.value("self")?, d.value("index")?, d.value("source")?);
    let dim = d.known_int("dim")?;
    let dim = d.dim(dim, d.rank(own))?;
    let places = spread(d, numbers, dim, source)?;
    let places = d.cast(places, Dtype::Int64)?;
    let include_self = d.bool("include_self");
    let reduced = Reduced { own, dim: d.int_arg(dim as i64), places, source, include_self };
    let by = d.string("reduce").unwrap_or_default();
    let [of_own, of_source] = reduced.cotangents(d, by)?;
    d.give("self", of_own)?;
    d.give("source", of_source)
}

/// How many of the sorted `bounds` (the last dimension) are at most the place of each of `count` elements.
fn bounds_before(d: &mut Derivative<'_>, bounds: Value, count: Value, dim: usize) -> Outcome<Value> {
    let mut shape = d.shape(bounds);
    let last = shape.len() - 1;
    shape[last] = d.shape(count)[dim];
    let named = vec![("dtype", Arg::Dtype(Dtype::Int64))];
    let places = d.call_with("aten.arange.default", vec![Arg::Int(shape[last])], named)?;
    let places = d.call("aten.expand.default", vec![Arg::Value(places), Arg::Ints(shape)])?;
    let bounds = d.cast(bounds, Dtype::Int64)?;
    let named = vec![("right", Arg::Bool(true))];
    d.call_with("aten.searchsorted.Tensor", vec![Arg::Value(bounds), Arg::Value(places)], named)
}

/// A part of the last dimension.
fn slice_last(d: &mut Derivative<'_>, value: Value, from: i64, to: i64) -> Outcome<Value> {
    let (last, from, to) = (d.int_arg(-1), d.int_arg(from), d.int_arg(to));
    d.call("aten.slice.Tensor", vec![Arg::Value(value), last, from, to])
}

pub fn segment_reduce(d: &mut Derivative<'_>) -> Outcome {
    let data = d.value("data")?;
    let axis = d.known_int("axis")?;
    let axis = d.dim(axis, d.rank(data))?;
    // Elements before the first offset or behind the last segment belong to no segment.
    let (bounds, before) = match (d.optional_value("lengths"), d.optional_value("offsets")) {
        (Some(lengths), _) => {
            let last = d.int_arg(-1);
            (d.call("aten.cumsum.default", vec![Arg::Value(lengths), last])?, 0)
        }
        (None, Some(offsets)) => (offsets, 1),
        (None, None) => return Err(d.error(Status::InvalidArgument, "it needs `lengths` or `offsets`")),
    };
    let mut places = bounds_before(d, bounds, data, axis)?;
    // Elements of no segment are reduced to places of their own, which are dropped.
    let mut shape = d.shape(data);
    shape[axis] = d.syms().add_const(d.shape(bounds)[d.rank(bounds) - 1], 1);
    while d.rank(places) < d.rank(data) {
        places = d.unsqueeze(places, -1)?;
    }
    let places = d.expanded(places, data)?;
    let (by, identity) = match d.string("reduce").unwrap_or_default() {
        "max" => ("amax", f64::NEG_INFINITY),
        "min" => ("amin", f64::INFINITY),
        "prod" => ("prod", 1.0),
        by => (by, 0.0),
    };
    let start = d.float("initial").unwrap_or(identity);
    let own = d.compute(data)?;
    let named = vec![("dtype", Arg::Dtype(d.dtype_of(own)))];
    let base = d.call_with("aten.full.default", vec![Arg::Ints(shape), Arg::Float(start)], named)?;
    let axis = d.int_arg(axis as i64);
    let include = *d.arg("initial") != Arg::None && by != "mean";
    let args =
        vec![Arg::Value(base), axis.clone(), Arg::Value(places), Arg::Value(own), Arg::Str(by.to_string())];
    let reduced = d.call_with("aten.scatter_reduce.two", args, vec![("include_self", Arg::Bool(include))])?;
    let (from, end) = (d.int_arg(before), d.int_arg(-1));
    let reduced = d.call("aten.slice.Tensor", vec![Arg::Value(reduced), axis, from, end])?;
    let dtype = d.dtype_of(data);
    let reduced = d.cast(reduced, dtype)?;
    d.through(vec![reduced]);
    Ok(())
}

pub fn embedding_bag(d: &mut Derivative<'_>) -> Outcome {
    let (weight, indices, offsets) = (d.value("weight")?, d.value("indices")?, d.value("offsets")?);
    let infer = Infer { graph: &*d.graph, op: d.op, args: d.args, guards: Vec::new() };
    let padding = bag_padding(&infer, &d.meta(weight))?;
    let mode = BagMode::from_number(d.known_int("mode")?);
    let flag = |d: &Derivative<'_>, name| Arg::Bool(d.bool(name));
    let none = d.constant(-1);
    let args = vec![
        Arg::Value(weight),
        Arg::Value(indices),
        Arg::Int(padding.unwrap_or(none)),
        flag(d, "scale_grad_by_freq"),
    ];
    let read = d.call("aten.embedding.default", args)?;
    let read = d.compute(read)?;
    let dtype = d.dtype_of(read);
    let starts = if d.bool("include_last_offset") { slice_last(d, offsets, 0, -1)? } else { offsets };
    let bags = bounds_before(d, starts, indices, 0)?;
    let one = d.constant(1);
    let bags = d.sub(bags, one)?;
    let there = match padding {
        Some(padding) => d.call("aten.ne.Scalar", vec![Arg::Value(indices), Arg::Int(padding)])?,
        None => d.call_with(
            "aten.ones_like.default",
            vec![Arg::Value(indices)],
            vec![("dtype", Arg::Dtype(Dtype::Bool))],
        )?,
    };
    let column = d.unsqueeze(there, 1)?;
    let (shape, zero) = (d.shape(d.results[0]), d.int_arg(0));
    let result = if mode == Some(BagMode::Max) {
        let least = d.scalar(f64::NEG_INFINITY, dtype)?;
        let read = d.select(column, read, least)?;
        let places = spread(d, bags, 0, read)?;
        let base = d.zeros(&shape, dtype)?;
        let args =
            vec![Arg::Value(base), zero, Arg::Value(places), Arg::Value(read), Arg::Str("amax".to_string())];
        d.call_with("aten.scatter_reduce.two", args, vec![("include_self", Arg::Bool(false))])?
    } else {
        let mut weights = d.cast(there, dtype)?;
        if let Some(own) = d.optional_value("per_sample_weights") {
            let own = d.compute(own)?;
            weights = d.mul(weights, own)?;
        }
        let weights = d.unsqueeze(weights, 1)?;
        let weighted = d.mul(read, weights)?;
        let add = |d: &mut Derivative<'_>, shape: &[_], terms: Value| {
            let base = d.zeros(shape, dtype)?;
            let args = vec![Arg::Value(base), d.int_arg(0), Arg::Value(bags), Arg::Value(terms)];
            d.call("aten.index_add.default", args)
        };
        let sums = add(d, &shape, weighted)?;
        if mode == Some(BagMode::Mean) {
            let ones = d.cast(column, dtype)?;
            let count = add(d, &[shape[0], one], ones)?;
            let one = d.scalar(1.0, dtype)?;
            let count = d.call("aten.maximum.default", vec![Arg::Value(count), Arg::Value(one)])?;
            d.div(sums, count)?
        } else {
            sums
        }
    };
    let own = d.dtype_of(d.results[0]);
    let result = d.cast(result, own)?;
    d.through(vec![result]);
    Ok(())
}
