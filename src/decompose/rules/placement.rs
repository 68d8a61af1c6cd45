//! Operators that move elements about, made of simpler ones.

use crate::base::Status;
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

fn zeros(cx: &mut Decompose<'_>, shape: Vec<SymInt>, dtype: Dtype) -> Built {
    cx.call_with("aten.zeros.default", vec![Arg::Ints(shape)], vec![("dtype", Arg::Dtype(dtype))])
}

/// `0, 1, .., count - 1`
fn counted(cx: &mut Decompose<'_>, count: SymInt, dtype: Dtype) -> Built {
    cx.call_with("aten.arange.default", vec![Arg::Int(count)], vec![("dtype", Arg::Dtype(dtype))])
}

/// Every value at its place among the flat spatial dimensions of a larger tensor of zeros.
pub fn max_unpool(cx: &mut Decompose<'_>) -> Results {
    let (x, indices) = (cx.value("self")?, cx.value("indices")?);
    let (shape, dtype) = (cx.shape(x), cx.dtype_of(x));
    let size = cx.ints("output_size").unwrap_or(&[]).to_vec();
    let lead = shape.len() - size.len();
    let flat = |cx: &Decompose<'_>, sizes: &[SymInt]| {
        let mut all = shape[..lead].to_vec();
        all.push(cx.syms().product(sizes));
        all
    };
    let (from, to) = (flat(cx, &shape[lead..]), flat(cx, &size));
    let (x, indices) = (cx.reshape(x, &from)?, cx.reshape(indices, &from)?);
    let none = zeros(cx, to, dtype)?;
    let last = cx.int_arg(-1);
    let args = vec![Arg::Value(none), last, Arg::Value(indices), Arg::Value(x)];
    let made = cx.call("aten.scatter.src", args)?;
    let mut all = shape[..lead].to_vec();
    all.extend(&size);
    Ok(vec![cx.reshape(made, &all)?])
}

/// Each tensor cut into as many chunks along a dimension (the last ones filled up with zeros), those of all tensors
/// side by side.
pub fn chunk_cat(cx: &mut Decompose<'_>) -> Results {
    let tensors = cx.values("tensors");
    let count = cx.known_int("num_chunks")?;
    let dim = cx.dim(cx.known_int("dim")?, cx.rank(tensors[0]))?;
    let mut parts = Vec::new();
    for tensor in tensors {
        let shape = cx.shape(tensor);
        let chunks = cx.constant(count);
        let each = cx.syms().ceildiv(shape[dim], chunks);
        let missing = cx.syms().sub(cx.syms().mul(each, chunks), shape[dim]);
        let mut pad = vec![cx.constant(0); 2 * (shape.len() - dim)];
        if let Some(last) = pad.last_mut() {
            *last = missing;
        }
        let zero = cx.int_arg(0);
        let padded =
            cx.call("aten.constant_pad_nd.default", vec![Arg::Value(tensor), Arg::Ints(pad), zero])?;
        let mut flat = shape[..dim].to_vec();
        let rest = cx.syms().product(&shape[dim + 1..]);
        flat.extend([chunks, cx.syms().mul(each, rest)]);
        parts.push(cx.reshape(padded, &flat)?);
    }
    Ok(vec![cx.cat(parts, -1)?])
}

/// Powers of every number, from 0 on.
pub fn vander(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("x")?;
    let one = cx.constant(1);
    let x = if cx.rank(x) == 0 { cx.reshape(x, &[one])? } else { x };
    let mut shape = cx.shape(x);
    let count = match cx.int("N") {
        Some(count) => count,
        None => shape.last().copied().unwrap_or(one),
    };
    let own = cx.dtype_of(x);
    let dtype = if own.is_integral() { Dtype::Int64 } else { own };
    let x = cx.cast(x, dtype)?;
    let x = cx.unsqueeze(x, -1)?;
    shape.push(one);
    let ones = cx.call_with(
        "aten.ones.default",
        vec![Arg::Ints(shape.clone())],
        vec![("dtype", Arg::Dtype(dtype))],
    )?;
    if let Some(last) = shape.last_mut() {
        *last = cx.syms().add_const(count, -1);
    }
    let all = cx.call("aten.expand.default", vec![Arg::Value(x), Arg::Ints(shape)])?;
    let last = cx.int_arg(-1);
    let powers = cx.call("aten.cumprod.default", vec![Arg::Value(all), last])?;
    Ok(vec![cx.cat(vec![ones, powers], -1)?])
}

/// How many numbers lie in each of `bins` equal pieces of a range; of all numbers' where it is empty.
pub fn histc(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("self")?;
    let dtype = cx.dtype_of(x);
    let bins = cx.known_int("bins")?;
    let count = cx.syms().product(&cx.shape(x));
    // Every step in the numbers' own dtype: rounding decides which bin one falls into.
    let flat = cx.reshape(x, &[count])?;
    let wide = dtype;
    let (low, high) = (cx.float("min").unwrap_or(0.0), cx.float("max").unwrap_or(0.0));
    let (low, high) = if low == high && cx.syms().as_const(count) != Some(0) {
        let (least, most) = (cx.unary("min", flat)?, cx.unary("max", flat)?);
        // A range around numbers that are all the same.
        let same = cx.compare("eq", least, most)?;
        let room = cx.cast(same, wide)?;
        (cx.sub(least, room)?, cx.add(most, room)?)
    } else {
        (cx.scalar(low, wide)?, cx.scalar(high, wide)?)
    };
    let reach = cx.sub(high, low)?;
    let from = cx.sub(flat, low)?;
    let scaled = cx.mul(from, bins as f64)?;
    let place = cx.div(scaled, reach)?;
    let (above, below) = (cx.compare("ge", flat, low)?, cx.compare("le", flat, high)?);
    let inside = cx.call("aten.logical_and.default", vec![Arg::Value(above), Arg::Value(below)])?;
    let zero = cx.scalar(0.0, wide)?;
    let place = cx.select(inside, place, zero)?;
    let place = cx.cast(place, Dtype::Int64)?;
    let (first, last) = (cx.int_arg(0), cx.int_arg(bins - 1));
    let place = cx.call("aten.clamp.default", vec![Arg::Value(place), first.clone(), last])?;
    let ones = cx.cast(inside, wide)?;
    let length = cx.constant(bins);
    let none = zeros(cx, vec![length], wide)?;
    let args = vec![Arg::Value(none), first, Arg::Value(place), Arg::Value(ones)];
    let counts = cx.call("aten.scatter_add.default", args)?;
    Ok(vec![cx.cast(counts, dtype)?])
}

/// Every place of an image, from -1 to 1 in each dimension, mapped.
pub fn affine_grid(cx: &mut Decompose<'_>) -> Results {
    let theta = cx.value("theta")?;
    let dtype = cx.dtype_of(theta);
    let size = cx.ints("size").unwrap_or(&[]).to_vec();
    let align = cx.bool("align_corners");
    let (batch, spatial) = (size[0], &size[2..]);
    let wide = dtype.compute();
    let mut columns = Vec::new();
    // The innermost dimension's places come first.
    for k in (0..spatial.len()).rev() {
        let places = counted(cx, spatial[k], Dtype::Int64)?;
        let places = cx.cast(places, wide)?;
        let doubled = cx.mul(places, 2.0)?;
        let length = spatial[k];
        let one = cx.constant(1);
        let line = if align {
            let last = cx.syms().max(cx.syms().add_const(length, -1), one);
            let part = cx.div(doubled, last)?;
            // One place alone lies in the middle.
            let single = cx.syms().eq(length, one);
            let start = cx.syms().sub(one, single);
            cx.sub(part, start)?
        } else {
            let end = cx.syms().add_const(length, -1);
            let shifted = cx.sub(doubled, end)?;
            cx.div(shifted, length)?
        };
        let mut shape = vec![one; spatial.len()];
        shape[k] = length;
        let line = cx.reshape(line, &shape)?;
        columns.push(cx.call("aten.expand.default", vec![Arg::Value(line), Arg::Ints(spatial.to_vec())])?);
    }
    let ones = cx.call_with(
        "aten.ones.default",
        vec![Arg::Ints(spatial.to_vec())],
        vec![("dtype", Arg::Dtype(wide))],
    )?;
    columns.push(ones);
    let last = cx.int_arg(-1);
    let columns = Arg::Values(columns.into_iter().map(Some).collect());
    let base = cx.call("aten.stack.default", vec![columns, last])?;
    let places = cx.syms().product(spatial);
    let width = cx.constant(spatial.len() as i64 + 1);
    let base = cx.reshape(base, &[places, width])?;
    let theta = cx.cast(theta, wide)?;
    let map = cx.transpose(theta, 1, 2)?;
    let grid = cx.matmul(base, map)?;
    let grid = cx.cast(grid, dtype)?;
    let mut shape = vec![batch];
    shape.extend(spatial);
    shape.push(cx.constant(spatial.len() as i64));
    Ok(vec![cx.reshape(grid, &shape)?])
}

/// The slopes of a function given at points, dimension by dimension: second-order accurate inside, and at the ends as
/// `edge_order` asks for.
pub fn gradient(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("self")?;
    let rank = cx.rank(x);
    let dims: Vec<usize> = match cx.arg("dim") {
        Arg::Int(_) => vec![cx.dim(cx.known_int("dim")?, rank)?],
        Arg::Ints(_) => {
            let given = cx.known_ints("dim")?;
            given.into_iter().map(|d| cx.dim(d, rank)).collect::<Result<_, _>>()?
        }
        _ => (0..rank).collect(),
    };
    let order = cx.known_int("edge_order")?;
    if !(1..=2).contains(&order) {
        return Err(cx.error(Status::InvalidArgument, format!("an `edge_order` of {order}")));
    }
    let spacing = cx.op.schema().arg("spacing").map(|_| cx.arg("spacing").clone());
    let mut results = Vec::new();
    for (k, dim) in dims.into_iter().enumerate() {
        let step = match &spacing {
            Some(Arg::Values(list)) => {
                let points = list.get(k).copied().flatten();
                let points =
                    points.ok_or_else(|| cx.unsupported("points must be given for each dimension"))?;
                results.push(slope_at_points(cx, x, dim, points, order)?);
                continue;
            }
            Some(Arg::Ints(list)) => cx.syms().as_const(list[k]).map(|v| v as f64),
            Some(Arg::Floats(list)) => list.get(k).copied(),
            Some(Arg::Int(_) | Arg::Float(_)) => cx.float("spacing"),
            _ => Some(1.0),
        };
        let step = step.ok_or_else(|| cx.unsupported("`spacing` must be known numbers"))?;
        results.push(slope(cx, x, dim, step, order)?);
    }
    Ok(results)
}

/// `length` slices from `start` on.
fn part(cx: &mut Decompose<'_>, x: Value, dim: usize, start: i64, length: SymInt) -> Built {
    let (dim, start) = (cx.int_arg(dim as i64), cx.int_arg(start));
    cx.call("aten.narrow.default", vec![Arg::Value(x), dim, start, Arg::Int(length)])
}

fn slope(cx: &mut Decompose<'_>, x: Value, dim: usize, step: f64, order: i64) -> Built {
    let length = cx.shape(x)[dim];
    let one = cx.constant(1);
    let inner = cx.syms().add_const(length, -2);
    let (ahead, behind) = (part(cx, x, dim, 2, inner)?, part(cx, x, dim, 0, inner)?);
    let difference = cx.sub(ahead, behind)?;
    let middle = cx.div(difference, 2.0 * step)?;
    let known = cx.syms().as_const(length).ok_or_else(|| cx.unsupported("a symbolic size"))?;
    let at = |cx: &mut Decompose<'_>, place: i64| part(cx, x, dim, place, one);
    let mut edges = Vec::new();
    for (a, b, c, sign) in [(0, 1, 2, 1.0), (known - 1, known - 2, known - 3, -1.0)] {
        let (first, second) = (at(cx, a)?, at(cx, b)?);
        edges.push(if order == 1 {
            let difference = cx.sub(second, first)?;
            cx.div(difference, step * sign)?
        } else {
            let third = at(cx, c)?;
            let (first, second) = (cx.mul(first, -1.5)?, cx.mul(second, 2.0)?);
            let third = cx.mul(third, -0.5)?;
            let sum = cx.add(first, second)?;
            let sum = cx.add(sum, third)?;
            cx.div(sum, step * sign)?
        });
    }
    cx.cat(vec![edges[0], middle, edges[1]], dim as i64)
}

/// The same at points that need not lie evenly.
fn slope_at_points(cx: &mut Decompose<'_>, x: Value, dim: usize, points: Value, order: i64) -> Built {
    let (length, rank) = (cx.shape(x)[dim], cx.rank(x));
    let one = cx.constant(1);
    let known = cx.syms().as_const(length).ok_or_else(|| cx.unsupported("a symbolic size"))?;
    let mut shape = vec![one; rank];
    shape[dim] = length;
    let points = cx.reshape(points, &shape)?;
    let (less, inner) = (cx.syms().add_const(length, -1), cx.syms().add_const(length, -2));
    let (next, own) = (part(cx, points, dim, 1, less)?, part(cx, points, dim, 0, less)?);
    let steps = cx.sub(next, own)?;
    let weighted = |cx: &mut Decompose<'_>, parts: [(Value, Value); 3]| -> Built {
        let mut sum = None;
        for (value, weight) in parts {
            let product = cx.mul(value, weight)?;
            sum = Some(match sum {
                None => product,
                Some(sum) => cx.add(sum, product)?,
            });
        }
        Ok(sum.unwrap_or(parts[0].0))
    };
    // With steps h before and g after a point: -g / (h (h + g)), (g - h) / (g h), h / (g (h + g)).
    let (h, g) = (part(cx, steps, dim, 0, inner)?, part(cx, steps, dim, 1, inner)?);
    let both = cx.add(h, g)?;
    let (hs, gs, hg) = (cx.mul(h, both)?, cx.mul(g, both)?, cx.mul(h, g)?);
    let a = cx.div(g, hs)?;
    let a = cx.unary("neg", a)?;
    let difference = cx.sub(g, h)?;
    let (b, c) = (cx.div(difference, hg)?, cx.div(h, gs)?);
    let (before, at, after) =
        (part(cx, x, dim, 0, inner)?, part(cx, x, dim, 1, inner)?, part(cx, x, dim, 2, inner)?);
    let middle = weighted(cx, [(before, a), (at, b), (after, c)])?;
    let mut edges = Vec::new();
    for (places, near, far, sign) in
        [([0, 1, 2], 0, 1, 1.0), ([known - 1, known - 2, known - 3], known - 2, known - 3, -1.0)]
    {
        let near = part(cx, steps, dim, near, one)?;
        let (first, second) = (part(cx, x, dim, places[0], one)?, part(cx, x, dim, places[1], one)?);
        edges.push(if order == 1 {
            let difference = cx.sub(second, first)?;
            let slope = cx.div(difference, near)?;
            cx.mul(slope, sign)?
        } else {
            // With steps h and g away from the end: -(2h + g) / (h (h + g)), (h + g) / (h g), -h / (g (h + g)).
            let far = part(cx, steps, dim, far, one)?;
            let third = part(cx, x, dim, places[2], one)?;
            let both = cx.add(near, far)?;
            let (wide, hs) = (cx.add(near, both)?, cx.mul(near, both)?);
            let (hg, gs) = (cx.mul(near, far)?, cx.mul(far, both)?);
            let (a, b, c) = (cx.div(wide, hs)?, cx.div(both, hg)?, cx.div(near, gs)?);
            let (a, c) = (cx.unary("neg", a)?, cx.unary("neg", c)?);
            let slope = weighted(cx, [(first, a), (second, b), (third, c)])?;
            cx.mul(slope, sign)?
        });
    }
    cx.cat(vec![edges[0], middle, edges[1]], dim as i64)
}

/// What a softmax's result passes back.
pub fn softmax_backward(cx: &mut Decompose<'_>) -> Results {
    let (gradient, result) = (cx.value("grad_output")?, cx.value("output")?);
    // A widened softmax of float16 goes back to it.
    let dtype = match (cx.dtype_of(gradient), cx.dtype("input_dtype")) {
        (Dtype::Float32, Some(Dtype::Float16)) => Dtype::Float16,
        (own, _) => own,
    };
    let dim = cx.known_int("dim")?;
    let (gradient, result) = (cx.compute(gradient)?, cx.compute(result)?);
    let product = cx.mul(gradient, result)?;
    let sum = if cx.rank(product) == 0 { product } else { cx.sum(product, &[dim], true)? };
    let scaled = cx.mul(result, sum)?;
    let passed = cx.sub(product, scaled)?;
    Ok(vec![cx.cast(passed, dtype)?])
}
