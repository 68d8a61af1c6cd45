//! Operators that put tensors together, repeat, reorder or pad them.

use super::super::Outcome;
use super::super::context::Derivative;
use super::view::{added_at, flat, positions};
use crate::ir::{Arg, Value};
use crate::types::SymInt;

/// The part of `grad` from `start` to `end` along a dimension.
fn part(d: &mut Derivative<'_>, grad: Value, dim: usize, start: SymInt, end: SymInt) -> Outcome<Value> {
    let dim = d.int_arg(dim as i64);
    d.call("aten.slice.Tensor", vec![Arg::Value(grad), dim, Arg::Int(start), Arg::Int(end)])
}

/// Tensors beside one another along `dim`. Old empty tensors of one dimension take no part.
fn joined(d: &mut Derivative<'_>, dim: usize) -> Outcome {
    let grad = d.grad()?;
    let rank = d.rank(grad);
    let (joined, old): (Vec<Value>, Vec<Value>) =
        d.values("tensors").into_iter().partition(|value| d.rank(*value) == rank);
    for value in old {
        let zeros = d.zeros_like(value)?;
        d.give_value(value, zeros)?;
    }
    let lengths: Vec<SymInt> = joined.iter().map(|value| d.shape(*value)[dim]).collect();
    let mut start = d.constant(0);
    for (value, end) in joined.into_iter().zip(d.syms().ends(&lengths)) {
        if d.needs_value(value) {
            let own = part(d, grad, dim, start, end)?;
            d.give_value(value, own)?;
        }
        start = end;
    }
    Ok(())
}

pub fn cat(d: &mut Derivative<'_>) -> Outcome {
    let given = d.known_int("dim")?;
    let grad = d.grad()?;
    let dim = d.dim(given, d.rank(grad))?;
    joined(d, dim)
}

pub fn stack(d: &mut Derivative<'_>) -> Outcome {
    let given = d.known_int("dim")?;
    let grad = d.grad()?;
    let dim = d.dim(given, d.rank(grad))?;
    for (k, value) in d.values("tensors").into_iter().enumerate() {
        if d.needs_value(value) {
            let own = d.select_index(grad, dim as i64, k as i64)?;
            d.give_value(value, own)?;
        }
    }
    Ok(())
}

/// As `cat`, of tensors that are given `rank` dimensions first.
fn joined_as(
    d: &mut Derivative<'_>,
    dim: usize,
    along: fn(&mut Derivative<'_>, Value) -> Outcome<SymInt>,
) -> Outcome {
    let grad = d.grad()?;
    let values = d.values("tensors");
    let lengths = values.iter().map(|value| along(d, *value)).collect::<Outcome<Vec<SymInt>>>()?;
    let mut start = d.constant(0);
    for (value, end) in values.into_iter().zip(d.syms().ends(&lengths)) {
        if d.needs_value(value) {
            let (own, shape) = (part(d, grad, dim, start, end)?, d.shape(value));
            let own = d.reshape(own, &shape)?;
            d.give_value(value, own)?;
        }
        start = end;
    }
    Ok(())
}

pub fn hstack(d: &mut Derivative<'_>) -> Outcome {
    let grad = d.grad()?;
    if d.rank(grad) == 1 {
        return joined_as(d, 0, |d, v| Ok(d.syms().product(&d.shape(v))));
    }
    joined_as(d, 1, |d, v| Ok(d.shape(v)[1]))
}
pub fn vstack(d: &mut Derivative<'_>) -> Outcome {
    joined_as(d, 0, |d, v| Ok(if d.rank(v) < 2 { d.constant(1) } else { d.shape(v)[0] }))
}
pub fn dstack(d: &mut Derivative<'_>) -> Outcome {
    joined_as(d, 2, |d, v| Ok(if d.rank(v) < 3 { d.constant(1) } else { d.shape(v)[2] }))
}
pub fn column_stack(d: &mut Derivative<'_>) -> Outcome {
    joined_as(d, 1, |d, v| Ok(if d.rank(v) < 2 { d.constant(1) } else { d.shape(v)[1] }))
}

/// Blocks along the diagonal of a matrix.
pub fn block_diag(d: &mut Derivative<'_>) -> Outcome {
    let grad = d.grad()?;
    let (mut row, mut column) = (d.constant(0), d.constant(0));
    for value in d.values("tensors") {
        let shape = d.shape(value);
        let one = d.constant(1);
        let (rows, columns) = match shape[..] {
            [] => (one, one),
            [n] => (one, n),
            _ => (shape[0], shape[1]),
        };
        let ends = (d.syms().add(row, rows), d.syms().add(column, columns));
        if d.needs_value(value) {
            let own = part(d, grad, 0, row, ends.0)?;
            let own = part(d, own, 1, column, ends.1)?;
            let own = d.reshape(own, &shape)?;
            d.give_value(value, own)?;
        }
        (row, column) = ends;
    }
    Ok(())
}

/// Each result repeats one tensor along the dimensions of the others.
pub fn meshgrid(d: &mut Derivative<'_>) -> Outcome {
    let swapped = d.op.schema().arg("indexing").is_some() && d.string("indexing") == Some("xy");
    for (k, value) in d.values("tensors").into_iter().enumerate() {
        let Some(grad) = d.cotangent(k) else { continue };
        if !d.needs_value(value) {
            continue;
        }
        let own = match k {
            0 | 1 if swapped && d.rank(grad) > 1 => 1 - k,
            _ => k,
        };
        let dims: Vec<i64> = (0..d.rank(grad)).filter(|j| *j != own).map(|j| j as i64).collect();
        let summed = if dims.is_empty() { grad } else { d.sum(grad, &dims, false)? };
        let shape = d.shape(value);
        let cotangent = d.reshape(summed, &shape)?;
        d.give_value(value, cotangent)?;
    }
    Ok(())
}

/// An operator that undoes itself when it is called with the same arguments again.
pub fn again(d: &mut Derivative<'_>) -> Outcome {
    let grad = d.grad()?;
    let args = std::iter::once(Arg::Value(grad)).chain(d.args[1..].to_vec()).collect();
    let name = d.op.name();
    let cotangent = d.call(name, args)?;
    d.give("self", cotangent)
}

pub fn roll(d: &mut Derivative<'_>) -> Outcome {
    let grad = d.grad()?;
    let shifts = d.ints("shifts").unwrap_or_default().to_vec();
    let back = shifts.into_iter().map(|s| d.syms().neg(s)).collect();
    let dims = d.arg("dims").clone();
    let cotangent = d.call("aten.roll.default", vec![Arg::Value(grad), Arg::Ints(back), dims])?;
    d.give("self", cotangent)
}

pub fn fftshift(d: &mut Derivative<'_>) -> Outcome {
    let grad = d.grad()?;
    let inverse = match d.op.name() {
        "aten.fft_fftshift.default" => "aten.fft_ifftshift.default",
        _ => "aten.fft_fftshift.default",
    };
    let dim = d.arg("dim").clone();
    let cotangent = d.call(inverse, vec![Arg::Value(grad), dim])?;
    d.give("self", cotangent)
}

/// The whole tensor so many times along each dimension.
pub fn repeat(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad) = (d.value("self")?, d.grad()?);
    let name = if d.op.schema().arg("repeats").is_some() { "repeats" } else { "dims" };
    let repeats = d.ints(name).unwrap_or_default().to_vec();
    let own = d.shape(input);
    let rank = d.rank(grad);
    let one = d.constant(1);
    let at = |list: &[SymInt], k: usize| (k + list.len()).checked_sub(rank).map_or(one, |k| list[k]);
    let mut shape = Vec::with_capacity(2 * rank);
    for k in 0..rank {
        shape.extend([at(&repeats, k), at(&own, k)]);
    }
    let dims: Vec<i64> = (0..rank as i64).map(|k| 2 * k).collect();
    let parts = d.reshape(grad, &shape)?;
    let summed = if dims.is_empty() { parts } else { d.sum(parts, &dims, false)? };
    let cotangent = d.reshape(summed, &own)?;
    d.give("self", cotangent)
}

/// Each element so many times.
pub fn repeat_interleave(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad) = (d.value("self")?, d.grad()?);
    let repeats = d.int("repeats").ok_or_else(|| d.unsupported("`repeats` must be an integer"))?;
    let own = d.shape(input);
    let mut shape = own.clone();
    let dim = match d.arg("dim") {
        Arg::None => {
            shape = vec![d.syms().product(&own)];
            0
        }
        _ => {
            let given = d.known_int("dim")?;
            d.dim(given, own.len())?
        }
    };
    if shape.is_empty() {
        shape = vec![d.constant(1)];
    }
    shape.insert(dim + 1, repeats);
    let parts = d.reshape(grad, &shape)?;
    let summed = d.sum(parts, &[dim as i64 + 1], false)?;
    let cotangent = d.reshape(summed, &own)?;
    d.give("self", cotangent)
}

pub fn constant_pad(d: &mut Derivative<'_>) -> Outcome {
    let grad = d.grad()?;
    let pad = d.ints("pad").unwrap_or_default().to_vec();
    let back = pad.into_iter().map(|p| d.syms().neg(p)).collect();
    let cotangent = d.call("aten.constant_pad_nd.default", vec![Arg::Value(grad), Arg::Ints(back)])?;
    d.give("self", cotangent)
}

/// Reflection, replication, wrapping around: along each padded dimension, elements are read from places that padding the
/// positions gives.
pub fn pad(d: &mut Derivative<'_>) -> Outcome {
    let input = d.value("self")?;
    let mode = match d.op.name() {
        name if name.starts_with("aten.reflection") => "reflect",
        name if name.starts_with("aten.replication") => "replicate",
        _ => d.string("mode").unwrap_or("constant"),
    };
    if mode == "constant" {
        return constant_pad(d);
    }
    let name = if d.op.schema().arg("padding").is_some() { "padding" } else { "pad" };
    let padding = d.ints(name).unwrap_or_default().to_vec();
    let shape = d.shape(input);
    let mut cotangent = d.grad()?;
    for (k, pair) in padding.chunks(2).enumerate() {
        let dim = shape.len() - 1 - k;
        let whole = positions(d, shape[dim])?;
        let row = d.unsqueeze(whole, 0)?;
        let args = vec![Arg::Value(row), Arg::Ints(pair.to_vec()), Arg::Str(mode.to_string())];
        let places = d.call("aten.pad.default", args)?;
        let places = d.squeeze(places, 0)?;
        let mut sizes = d.shape(cotangent);
        sizes[dim] = shape[dim];
        let dtype = d.dtype_of(cotangent);
        let like = d.zeros(&sizes, dtype)?;
        cotangent = added_at(d, like, dim as i64, places, cotangent)?;
    }
    d.give("self", cotangent)
}

/// Each result has the sizes of all together.
pub fn broadcast_tensors(d: &mut Derivative<'_>) -> Outcome {
    for (k, value) in d.values("tensors").into_iter().enumerate() {
        if let Some(grad) = d.cotangent(k) {
            d.give_value(value, grad)?;
        }
    }
    Ok(())
}

/// Each result has the elements of one tensor, in another shape.
pub fn reshape_each(d: &mut Derivative<'_>) -> Outcome {
    for (k, value) in d.values("tensors").into_iter().enumerate() {
        if let Some(grad) = d.cotangent(k) {
            let shape = d.shape(value);
            let own = d.reshape(grad, &shape)?;
            d.give_value(value, own)?;
        }
    }
    Ok(())
}

pub fn rot90(d: &mut Derivative<'_>) -> Outcome {
    let (grad, turns, dims) = (d.grad()?, d.known_int("k")?, d.arg("dims").clone());
    let back = d.int_arg(-turns.rem_euclid(4));
    let cotangent = d.call("aten.rot90.default", vec![Arg::Value(grad), back, dims])?;
    d.give("self", cotangent)
}

/// Differences of neighbours, `n` times over, of what is put before and behind as well.
pub fn diff(d: &mut Derivative<'_>) -> Outcome {
    let (input, mut grad) = (d.value("self")?, d.grad()?);
    let rank = d.rank(input);
    let given = d.known_int("dim")?;
    let dim = d.dim(given, rank)?;
    let times = d.known_int("n")?;
    // No difference is taken, and nothing put before or behind.
    if times == 0 {
        return d.give("self", grad);
    }
    let elements = d.syms().product(&d.shape(grad));
    if d.syms().as_const(elements) == Some(0) {
        for name in ["prepend", "self", "append"] {
            if let Some(value) = d.optional_value(name) {
                let zeros = d.zeros_like(value)?;
                d.give(name, zeros)?;
            }
        }
        return Ok(());
    }
    let beside = |d: &Derivative<'_>, pair: [i64; 2]| {
        let mut pads = vec![d.constant(0); 2 * (rank - 1 - dim)];
        pads.extend(pair.map(|p| d.constant(p)));
        Arg::Ints(pads)
    };
    for _ in 0..times {
        let (before, behind) = (beside(d, [1, 0]), beside(d, [0, 1]));
        let plus = d.call("aten.constant_pad_nd.default", vec![Arg::Value(grad), before])?;
        let minus = d.call("aten.constant_pad_nd.default", vec![Arg::Value(grad), behind])?;
        grad = d.sub(plus, minus)?;
    }
    let mut start = d.constant(0);
    for name in ["prepend", "self", "append"] {
        let Some(value) = d.optional_value(name) else { continue };
        let end = d.syms().add(start, d.shape(value)[dim]);
        let own = part(d, grad, dim, start, end)?;
        d.give(name, own)?;
        start = end;
    }
    Ok(())
}

/// All pairs, triples, … with one element of each tensor.
pub fn cartesian_prod(d: &mut Derivative<'_>) -> Outcome {
    let (tensors, grad) = (d.values("tensors"), d.grad()?);
    if let [only] = tensors[..] {
        return d.give_value(only, grad);
    }
    let sizes: Vec<SymInt> = tensors.iter().map(|v| d.syms().product(&d.shape(*v))).collect();
    for (k, value) in tensors.iter().enumerate() {
        if !d.needs_value(*value) {
            continue;
        }
        let column = d.select_index(grad, 1, k as i64)?;
        let grid = d.reshape(column, &sizes)?;
        let others: Vec<i64> = (0..sizes.len()).filter(|j| *j != k).map(|j| j as i64).collect();
        let own = d.sum(grid, &others, false)?;
        d.give_value(*value, own)?;
    }
    Ok(())
}

/// Choices of some elements: those of the positions say which.
pub fn combinations(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad) = (d.value("self")?, d.grad()?);
    let whole = positions(d, d.shape(input)[0])?;
    let rest = d.args[1..].to_vec();
    let args = std::iter::once(Arg::Value(whole)).chain(rest).collect();
    let places = d.call("aten.combinations.default", args)?;
    let (places, rows) = (flat(d, places)?, flat(d, grad)?);
    let cotangent = added_at(d, input, 0, places, rows)?;
    d.give("self", cotangent)
}

/// A diagonal taken from a matrix, or put into one, by the dimensions of what is given.
pub fn diag(d: &mut Derivative<'_>) -> Outcome {
    let input = d.value("self")?;
    let offset = d.arg("diagonal").clone();
    let grad = d.grad()?;
    let cotangent = if d.rank(input) == 1 {
        d.call("aten.diagonal.default", vec![Arg::Value(grad), offset])?
    } else {
        let zeros = d.zeros_like(input)?;
        d.call("aten.diagonal_scatter.default", vec![Arg::Value(zeros), Arg::Value(grad), offset])?
    };
    d.give("self", cotangent)
}

pub fn diag_embed(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad) = (d.value("self")?, d.grad()?);
    let rest = d.args[1..].to_vec();
    let args = std::iter::once(Arg::Value(grad)).chain(rest).collect();
    let taken = d.call("aten.diagonal.default", args)?;
    let shape = d.shape(input);
    let cotangent = d.reshape(taken, &shape)?;
    d.give("self", cotangent)
}

pub fn pixel_shuffle(d: &mut Derivative<'_>) -> Outcome {
    let (grad, factor) = (d.grad()?, d.args[1].clone());
    let inverse = match d.op.name() {
        "aten.pixel_shuffle.default" => "aten.pixel_unshuffle.default",
        _ => "aten.pixel_shuffle.default",
    };
    let cotangent = d.call(inverse, vec![Arg::Value(grad), factor])?;
    d.give("self", cotangent)
}

pub fn channel_shuffle(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad) = (d.value("self")?, d.grad()?);
    let groups = d.int("groups").ok_or_else(|| d.unsupported("`groups` must be an integer"))?;
    let each = d.syms().floordiv(d.shape(input)[1], groups);
    let cotangent = d.call("aten.channel_shuffle.default", vec![Arg::Value(grad), Arg::Int(each)])?;
    d.give("self", cotangent)
}

/// `src` written over what a view of `self` shows: that part of the gradient is `src`'s, the rest is `self`'s.
fn written_over(d: &mut Derivative<'_>, view: &str) -> Outcome {
    let (grad, rest) = (d.grad()?, d.args[2..].to_vec());
    if d.needs("src") {
        let args = std::iter::once(Arg::Value(grad)).chain(rest.clone()).collect();
        let own = d.call(view, args)?;
        d.give("src", own)?;
    }
    if d.needs("self") {
        let src = d.value("src")?;
        let zeros = d.zeros_like(src)?;
        let args = [Arg::Value(grad), Arg::Value(zeros)].into_iter().chain(rest).collect();
        let name = d.op.name();
        let own = d.call(name, args)?;
        d.give("self", own)?;
    }
    Ok(())
}
pub fn slice_scatter(d: &mut Derivative<'_>) -> Outcome {
    written_over(d, "aten.slice.Tensor")
}
pub fn select_scatter(d: &mut Derivative<'_>) -> Outcome {
    written_over(d, "aten.select.int")
}
pub fn diagonal_scatter(d: &mut Derivative<'_>) -> Outcome {
    written_over(d, "aten.diagonal.default")
}
pub fn as_strided_scatter(d: &mut Derivative<'_>) -> Outcome {
    let grad = d.grad()?;
    let contiguous = d.call("aten.contiguous.default", vec![Arg::Value(grad)])?;
    let rest = d.args[2..].to_vec();
    if d.needs("src") {
        let args = std::iter::once(Arg::Value(contiguous)).chain(rest.clone()).collect();
        let own = d.call("aten.as_strided.default", args)?;
        d.give("src", own)?;
    }
    if d.needs("self") {
        let src = d.value("src")?;
        let zeros = d.zeros_like(src)?;
        let args = [Arg::Value(contiguous), Arg::Value(zeros)].into_iter().chain(rest).collect();
        let own = d.call("aten.as_strided_scatter.default", args)?;
        d.give("self", own)?;
    }
    Ok(())
}
