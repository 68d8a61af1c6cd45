//! Fractional max pooling, and histograms.

use crate::base::Status;
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

fn counted(cx: &mut Decompose<'_>, count: SymInt, dtype: Dtype) -> Built {
    cx.call_with("aten.arange.default", vec![Arg::Int(count)], vec![("dtype", Arg::Dtype(dtype))])
}

/// Where the windows of a dimension begin: window `i` at `int((i + u) * alpha) - int(u * alpha)` with the plane's random
/// number `u` and `alpha = (size - kernel) / (windows - 1)`, in the dtype of `u`; the last one ends with the dimension.
fn begins(cx: &mut Decompose<'_>, u: Value, size: i64, kernel: i64, windows: i64) -> Built {
    let dtype = cx.dtype_of(u);
    let last = cx.constant(windows - 1);
    let numbers = counted(cx, last, dtype)?;
    let alpha = cx.scalar((size - kernel) as f64, dtype)?;
    let steps = cx.scalar((windows - 1).max(1) as f64, dtype)?;
    let alpha = cx.div(alpha, steps)?;
    let sum = cx.add(u, numbers)?;
    let at = cx.mul(sum, alpha)?;
    let at = cx.cast(at, Dtype::Int64)?;
    let first = cx.mul(u, alpha)?;
    let first = cx.cast(first, Dtype::Int64)?;
    let places = cx.sub(at, first)?;
    let mut shape = cx.shape(u);
    let end = shape.len() - 1;
    shape[end] = cx.constant(1);
    let number = cx.int_arg(size - kernel);
    let args = vec![Arg::Ints(shape), number];
    let tail = cx.call_with("aten.full.default", args, vec![("dtype", Arg::Dtype(Dtype::Int64))])?;
    cx.cat(vec![places, tail], -1)
}

/// The largest element of each window, and its place among the flat spatial dimensions.
pub fn fractional_max_pool(cx: &mut Decompose<'_>) -> Results {
    let (mut x, samples) = (cx.value("self")?, cx.value("random_samples")?);
    let count = if cx.op.name().contains("3d") { 3 } else { 2 };
    let single = cx.rank(x) == count + 1;
    if single {
        x = cx.unsqueeze(x, 0)?;
    }
    let whole = cx.shape(x);
    let (kernel, windows) = (cx.known_ints("kernel_size")?, cx.known_ints("output_size")?);
    let Some(sizes) = cx.syms().as_consts(&whole[2..]) else {
        return Err(cx.unsupported("an input whose sizes are not constant"));
    };
    let samples = cx.reshape(samples, &[whole[0], whole[1], cx.constant(count as i64)])?;
    let one = cx.constant(1);
    // Over [batch, channels, windows.., elements of a window..].
    let mut place: Option<Value> = None;
    for k in 0..count {
        // In two dimensions the random numbers stand the other way round.
        let number = if count == 2 { 1 - k } else { k };
        let u = cx.select_index(samples, 2, number as i64)?;
        let u = cx.unsqueeze(u, 2)?;
        let begin = begins(cx, u, sizes[k], kernel[k], windows[k])?;
        let mut shape = vec![one; 2 + 2 * count];
        (shape[0], shape[1]) = (whole[0], whole[1]);
        shape[2 + k] = cx.constant(windows[k]);
        let begin = cx.reshape(begin, &shape)?;
        let elements = cx.constant(kernel[k]);
        let within = counted(cx, elements, Dtype::Int64)?;
        let mut line = vec![one; 2 + 2 * count];
        line[2 + count + k] = elements;
        let within = cx.reshape(within, &line)?;
        let at = cx.add(begin, within)?;
        place = Some(match place {
            None => at,
            Some(outer) => {
                let rows = cx.mul(outer, whole[2 + k])?;
                cx.add(rows, at)?
            }
        });
    }
    let place = place.ok_or_else(|| cx.error(Status::Internal, "no dimensions"))?;
    let spatial: Vec<SymInt> = windows.iter().map(|w| cx.constant(*w)).collect();
    let area = cx.constant(kernel.iter().product());
    let shape = [&whole[..2], &spatial[..], &[area]].concat();
    let place = cx.reshape(place, &shape)?;
    let all = cx.syms().product(&shape[2..]);
    let flat = cx.reshape(place, &[whole[0], whole[1], all])?;
    let places = cx.syms().product(&whole[2..]);
    let x = cx.reshape(x, &[whole[0], whole[1], places])?;
    let dim = cx.int_arg(2);
    let values = cx.call("aten.gather.default", vec![Arg::Value(x), dim, Arg::Value(flat)])?;
    let values = cx.reshape(values, &shape)?;
    let last = cx.int_arg(-1);
    let found =
        cx.call_all("aten.max.dim", vec![Arg::Value(values), last.clone(), Arg::Bool(true)], Vec::new())?;
    let chosen = cx.call("aten.gather.default", vec![Arg::Value(place), last, Arg::Value(found[1])])?;
    let mut results = vec![found[0], chosen];
    for result in &mut results {
        *result = cx.squeeze(*result, -1)?;
        if single {
            *result = cx.squeeze(*result, 0)?;
        }
    }
    Ok(results)
}

/// The counts, weighted, of the numbers between each two of the edges; the last bin holds its upper edge, too.
fn binned(cx: &mut Decompose<'_>, x: Value, edges: Value) -> Built {
    let dtype = cx.dtype_of(x);
    let count = cx.syms().product(&cx.shape(x));
    let flat = cx.reshape(x, &[count])?;
    let bins = cx.syms().add_const(cx.shape(edges)[0], -1);
    let named = vec![("right", Arg::Bool(true))];
    let place = cx.call_with("aten.searchsorted.Tensor", vec![Arg::Value(edges), Arg::Value(flat)], named)?;
    let one = crate::decompose::Operand::Int(cx.constant(1));
    let place = cx.sub(place, one)?;
    let (low, high) = (cx.select_index(edges, 0, 0)?, cx.select_index(edges, 0, -1)?);
    let (above, below) = (cx.compare("ge", flat, low)?, cx.compare("le", flat, high)?);
    let inside = cx.call("aten.logical_and.default", vec![Arg::Value(above), Arg::Value(below)])?;
    let last = Arg::Int(cx.syms().add_const(bins, -1));
    let first = cx.int_arg(0);
    let place = cx.call("aten.clamp.default", vec![Arg::Value(place), first.clone(), last])?;
    let mut weights = cx.cast(inside, dtype)?;
    if let Some(weight) = cx.optional_value("weight") {
        let weight = cx.reshape(weight, &[count])?;
        weights = super::loss::where_number(cx, inside, weight, 0.0)?;
    }
    let none =
        cx.call_with("aten.zeros.default", vec![Arg::Ints(vec![bins])], vec![("dtype", Arg::Dtype(dtype))])?;
    let args = vec![Arg::Value(none), first, Arg::Value(place), Arg::Value(weights)];
    let counts = cx.call("aten.scatter_add.default", args)?;
    if !cx.bool("density") {
        return Ok(counts);
    }
    let total = cx.sum(counts, &[], false)?;
    let zero = cx.constant(0);
    let (dim, start) = (cx.int_arg(0), cx.int_arg(1));
    let upper =
        cx.call("aten.narrow.default", vec![Arg::Value(edges), dim.clone(), start, Arg::Int(bins)])?;
    let lower =
        cx.call("aten.narrow.default", vec![Arg::Value(edges), dim, Arg::Int(zero), Arg::Int(bins)])?;
    let width = cx.sub(upper, lower)?;
    let share = cx.div(counts, total)?;
    cx.div(share, width)
}

/// Edges that are given.
pub fn histogram_of_edges(cx: &mut Decompose<'_>) -> Results {
    let (x, edges) = (cx.value("self")?, cx.value("bins")?);
    let counts = binned(cx, x, edges)?;
    let edges = cx.call("aten.clone.default", vec![Arg::Value(edges)])?;
    Ok(vec![counts, edges])
}

/// Bins of one width between the bounds, or between the least and the largest number.
pub fn histogram(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("self")?;
    let (dtype, bins) = (cx.dtype_of(x), cx.known_int("bins")?);
    let count = cx.syms().product(&cx.shape(x));
    let known = match cx.arg("range") {
        Arg::Floats(list) => Some(list.clone()),
        Arg::Ints(list) => {
            let list = cx.syms().as_consts(list);
            list.map(|list| list.into_iter().map(|v| v as f64).collect())
        }
        _ if cx.syms().as_const(count) == Some(0) => Some(vec![0.0, 1.0]),
        _ => None,
    };
    let (low, high) = match known.as_deref() {
        Some([low, high]) => (cx.scalar(*low, dtype)?, cx.scalar(*high, dtype)?),
        Some(_) => return Err(cx.error(Status::InvalidArgument, "`range` must be two numbers")),
        None => (cx.unary("min", x)?, cx.unary("max", x)?),
    };
    // A range around one number.
    let same = cx.compare("eq", low, high)?;
    let room = cx.cast(same, dtype)?;
    let room = cx.mul(room, 0.5)?;
    let (low, high) = (cx.sub(low, room)?, cx.add(high, room)?);
    let steps = Arg::Int(cx.syms().add_const(cx.constant(bins), 1));
    let args = vec![Arg::Value(low), Arg::Value(high), steps];
    let named = vec![("dtype", Arg::Dtype(dtype))];
    let edges = cx.call_with("aten.linspace.Tensor_Tensor", args, named)?;
    let counts = binned(cx, x, edges)?;
    Ok(vec![counts, edges])
}
