//! Elements read from or written to places that data say.

use super::super::Outcome;
use super::super::context::Derivative;
use super::reduction::scatter_added;
use super::view::flat;
use crate::ir::{Arg, Value};

/// The dimension that an operator works along. A 0-d tensor counts as one of one element.
fn dim_of(d: &Derivative<'_>, input: Value) -> Outcome<Arg> {
    let dim = d.known_int("dim")?;
    Ok(d.int_arg(d.dim(dim, d.rank(input))? as i64))
}

pub fn embedding(d: &mut Derivative<'_>) -> Outcome {
    let (weight, indices, grad) = (d.value("weight")?, d.value("indices")?, d.grad()?);
    let rows = Arg::Int(d.shape(weight)[0]);
    let [padding, by_frequency] = ["padding_idx", "scale_grad_by_freq"].map(|name| d.arg(name).clone());
    let args = vec![Arg::Value(grad), Arg::Value(indices), rows, padding, by_frequency];
    let cotangent = d.call("aten.embedding_dense_backward.default", args)?;
    d.give("weight", cotangent)
}

/// Advanced indexing: each element goes back to where it was read.
pub fn index(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad) = (d.value("self")?, d.grad()?);
    let (zeros, indices) = (d.zeros_like(input)?, d.arg("indices").clone());
    let args = vec![Arg::Value(zeros), indices, Arg::Value(grad), Arg::Bool(true)];
    let cotangent = d.call("aten.index_put.default", args)?;
    d.give("self", cotangent)
}

pub fn index_put(d: &mut Derivative<'_>) -> Outcome {
    let (grad, indices) = (d.grad()?, d.arg("indices").clone());
    if d.needs("values") {
        let own = d.call("aten.index.Tensor", vec![Arg::Value(grad), indices.clone()])?;
        d.give("values", own)?;
    }
    if d.bool("accumulate") {
        return d.give("self", grad);
    }
    if d.needs("self") {
        let dtype = d.dtype_of(grad);
        let zero = d.scalar(0.0, dtype)?;
        let own = d.call("aten.index_put.default", vec![Arg::Value(grad), indices, Arg::Value(zero)])?;
        d.give("self", own)?;
    }
    Ok(())
}

pub fn gather(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad, places) = (d.value("self")?, d.grad()?, d.value("index")?);
    let dim = d.known_int("dim")?;
    let dim = d.dim(dim, d.rank(input))?;
    let cotangent = scatter_added(d, input, dim, places, grad)?;
    d.give("self", cotangent)
}

pub fn take_along_dim(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad, places) = (d.value("self")?, d.grad()?, d.value("indices")?);
    if *d.arg("dim") == Arg::None {
        let (row, places, grad) = (flat(d, input)?, flat(d, places)?, flat(d, grad)?);
        let sums = scatter_added(d, row, 0, places, grad)?;
        let shape = d.shape(input);
        let cotangent = d.reshape(sums, &shape)?;
        return d.give("self", cotangent);
    }
    let dim = d.known_int("dim")?;
    let dim = d.dim(dim, d.rank(input))?;
    // What is broadcast is written out, and summed up by `give`.
    let mut shape = d.shape(grad);
    let places = d.expanded(places, grad)?;
    shape[dim] = d.shape(input)[dim];
    // It counts negative places from the end, which adding does not.
    let zero = d.int_arg(0);
    let is_negative = d.call("aten.lt.Scalar", vec![Arg::Value(places), zero])?;
    let moved = d.call("aten.add.Scalar", vec![Arg::Value(places), Arg::Int(shape[dim])])?;
    let places = d.call("aten.where.self", [is_negative, moved, places].map(Arg::Value).to_vec())?;
    let like = d.zeros(&shape, d.dtype_of(input))?;
    let cotangent = scatter_added(d, like, dim, places, grad)?;
    d.give("self", cotangent)
}

pub fn index_select(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad, places) = (d.value("self")?, d.grad()?, d.value("index")?);
    let (dim, zeros) = (dim_of(d, input)?, d.zeros_like(input)?);
    let args = vec![Arg::Value(zeros), dim, Arg::Value(places), Arg::Value(grad)];
    let cotangent = d.call("aten.index_add.default", args)?;
    d.give("self", cotangent)
}

/// The elements of a gradient at places along a dimension.
fn read_at(d: &mut Derivative<'_>, grad: Value, places: Value) -> Outcome<Value> {
    let dim = dim_of(d, grad)?;
    d.call("aten.gather.default", vec![Arg::Value(grad), dim, Arg::Value(places)])
}

pub fn scatter(d: &mut Derivative<'_>) -> Outcome {
    let (grad, places) = (d.grad()?, d.value("index")?);
    if d.needs("self") {
        let (dim, zero) = (dim_of(d, grad)?, Arg::Float(0.0));
        let own = d.call("aten.scatter.value", vec![Arg::Value(grad), dim, Arg::Value(places), zero])?;
        d.give("self", own)?;
    }
    if d.op.schema().arg("src").is_some() && d.needs("src") {
        let own = read_at(d, grad, places)?;
        give_part(d, "src", own)?;
    }
    Ok(())
}

pub fn scatter_add(d: &mut Derivative<'_>) -> Outcome {
    let (grad, places) = (d.grad()?, d.value("index")?);
    d.give("self", grad)?;
    if d.needs("src") {
        let own = read_at(d, grad, places)?;
        give_part(d, "src", own)?;
    }
    Ok(())
}

/// Gives an argument of which only the first elements along each dimension were read.
pub(super) fn give_part(d: &mut Derivative<'_>, name: &str, own: Value) -> Outcome {
    let all = d.value(name)?;
    let (want, have) = (d.shape(all), d.shape(own));
    let mut pads = Vec::with_capacity(2 * want.len());
    for (a, b) in want.iter().zip(&have).rev() {
        pads.extend([d.constant(0), d.syms().sub(*a, *b)]);
    }
    if pads.iter().all(|p| d.syms().as_const(*p) == Some(0)) {
        return d.give(name, own);
    }
    let padded = d.call("aten.constant_pad_nd.default", vec![Arg::Value(own), Arg::Ints(pads)])?;
    d.give(name, padded)
}

pub fn index_copy(d: &mut Derivative<'_>) -> Outcome {
    let (grad, places) = (d.grad()?, d.value("index")?);
    let dim = dim_of(d, grad)?;
    if d.needs("self") {
        let zero = Arg::Float(0.0);
        let args = vec![Arg::Value(grad), dim.clone(), Arg::Value(places), zero];
        let own = d.call("aten.index_fill.int_Scalar", args)?;
        d.give("self", own)?;
    }
    if d.needs("source") {
        let own = d.call("aten.index_select.default", vec![Arg::Value(grad), dim, Arg::Value(places)])?;
        let shape = d.shape(d.value("source")?);
        let own = d.call("aten.reshape.default", vec![Arg::Value(own), Arg::Ints(shape)])?;
        d.give("source", own)?;
    }
    Ok(())
}

pub fn index_add(d: &mut Derivative<'_>) -> Outcome {
    let (grad, places) = (d.grad()?, d.value("index")?);
    d.give("self", grad)?;
    if d.needs("source") {
        let dim = dim_of(d, grad)?;
        let own = d.call("aten.index_select.default", vec![Arg::Value(grad), dim, Arg::Value(places)])?;
        let by = d.float("alpha").unwrap_or(1.0);
        let own = if by == 1.0 { own } else { d.mul(own, by)? };
        let shape = d.shape(d.value("source")?);
        let own = d.reshape(own, &shape)?;
        d.give("source", own)?;
    }
    Ok(())
}

pub fn index_fill(d: &mut Derivative<'_>) -> Outcome {
    let (grad, places) = (d.grad()?, d.value("index")?);
    let dim = dim_of(d, grad)?;
    if d.needs("self") {
        let args = vec![Arg::Value(grad), dim.clone(), Arg::Value(places), Arg::Float(0.0)];
        let own = d.call("aten.index_fill.int_Scalar", args)?;
        d.give("self", own)?;
    }
    if d.needs("value") {
        // Each place once, however often it is named: what is left of the gradient where nothing else is.
        let zeros = d.zeros_like(grad)?;
        let args = vec![Arg::Value(zeros), dim, Arg::Value(places), Arg::Float(1.0)];
        let filled = d.call("aten.index_fill.int_Scalar", args)?;
        let product = d.mul(filled, grad)?;
        let own = d.sum(product, &[], false)?;
        d.give("value", own)?;
    }
    Ok(())
}

pub fn take(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad, places) = (d.value("self")?, d.grad()?, d.value("index")?);
    let zeros = d.zeros_like(input)?;
    let args = vec![Arg::Value(zeros), Arg::Value(places), Arg::Value(grad), Arg::Bool(true)];
    let cotangent = d.call("aten.put.default", args)?;
    d.give("self", cotangent)
}

pub fn put(d: &mut Derivative<'_>) -> Outcome {
    let (grad, places) = (d.grad()?, d.value("index")?);
    if d.needs("source") {
        let own = d.call("aten.take.default", vec![Arg::Value(grad), Arg::Value(places)])?;
        let shape = d.shape(d.value("source")?);
        let own = d.reshape(own, &shape)?;
        d.give("source", own)?;
    }
    if d.bool("accumulate") {
        return d.give("self", grad);
    }
    if d.needs("self") {
        let source = d.value("source")?;
        let zeros = d.zeros_like(source)?;
        let args = vec![Arg::Value(grad), Arg::Value(places), Arg::Value(zeros)];
        let own = d.call("aten.put.default", args)?;
        d.give("self", own)?;
    }
    Ok(())
}

/// The elements of `source` in order, written to where the mask is on.
pub fn masked_scatter(d: &mut Derivative<'_>) -> Outcome {
    let (grad, mask) = (d.grad()?, d.value("mask")?);
    if d.needs("self") {
        let none = d.zeros_like(grad)?;
        let own = d.select(mask, none, grad)?;
        d.give("self", own)?;
    }
    if d.needs("source") {
        let source = d.value("source")?;
        let mask = d.expanded(mask, grad)?;
        let (on, row) = (flat(d, mask)?, flat(d, grad)?);
        let ones = d.cast(on, crate::types::Dtype::Int64)?;
        let dim = d.int_arg(0);
        let count = d.call("aten.cumsum.default", vec![Arg::Value(ones), dim.clone()])?;
        let one = d.constant(1);
        let places = d.sub(count, one)?;
        let (nowhere, none) = (d.zeros_like(places)?, d.zeros_like(row)?);
        let (places, row) = (d.select(on, places, nowhere)?, d.select(on, row, none)?);
        let like = flat(d, source)?;
        let zeros = d.zeros_like(like)?;
        let args = vec![Arg::Value(zeros), dim, Arg::Value(places), Arg::Value(row)];
        let sums = d.call("aten.index_add.default", args)?;
        let shape = d.shape(source);
        let own = d.reshape(sums, &shape)?;
        d.give("source", own)?;
    }
    Ok(())
}

/// Advanced indexing where a mask is on; elsewhere a number.
pub fn masked_index(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad) = (d.value("self")?, d.grad()?);
    let (zeros, mask, indices) = (d.zeros_like(input)?, d.arg("mask").clone(), d.arg("indices").clone());
    let args = vec![Arg::Value(zeros), mask, indices, Arg::Value(grad)];
    let cotangent = d.call("aten._unsafe_masked_index_put_accumulate.default", args)?;
    d.give("self", cotangent)
}

pub fn masked_index_put(d: &mut Derivative<'_>) -> Outcome {
    let grad = d.grad()?;
    if d.needs("values") {
        let (mask, indices) = (d.arg("mask").clone(), d.arg("indices").clone());
        let args = vec![Arg::Value(grad), mask, indices, Arg::Float(0.0)];
        let own = d.call("aten._unsafe_masked_index.default", args)?;
        d.give("values", own)?;
    }
    d.give("self", grad)
}
