//! Histograms of numbers, or of points with several coordinates: how many lie in each cell between edges, which are given or equally
//! spaced.

use crate::base::Status;
use crate::decompose::{Decompose, DecomposeError, Operand};
use crate::ir::{Arg, Value};
use crate::types::SymInt;

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

/// The weighted counts of points in each cell. `coordinates` and `edges` have a vector for each dimension. A bin holds its lower edge;
/// the last one holds its upper edge, too.
fn binned(cx: &mut Decompose<'_>, coordinates: &[Value], edges: &[Value]) -> Built {
    let (dtype, count) = (cx.dtype_of(coordinates[0]), cx.shape(coordinates[0])[0]);
    let first = cx.int_arg(0);
    let mut bins = Vec::new();
    let mut found: Option<(Value, Value)> = None;
    for (x, edges) in coordinates.iter().zip(edges) {
        let size = cx.syms().add_const(cx.shape(*edges)[0], -1);
        let named = vec![("right", Arg::Bool(true))];
        let args = vec![Arg::Value(*edges), Arg::Value(*x)];
        let place = cx.call_with("aten.searchsorted.Tensor", args, named)?;
        let one = Operand::Int(cx.constant(1));
        let place = cx.sub(place, one)?;
        let (low, high) = (cx.select_index(*edges, 0, 0)?, cx.select_index(*edges, 0, -1)?);
        let (above, below) = (cx.compare("ge", *x, low)?, cx.compare("le", *x, high)?);
        let inside = cx.call("aten.logical_and.default", vec![Arg::Value(above), Arg::Value(below)])?;
        let last = Arg::Int(cx.syms().add_const(size, -1));
        let place = cx.call("aten.clamp.default", vec![Arg::Value(place), first.clone(), last])?;
        found = Some(match found {
            None => (place, inside),
            Some((outer, others)) => {
                let outer = cx.mul(outer, Operand::Int(size))?;
                let both = vec![Arg::Value(others), Arg::Value(inside)];
                (cx.add(outer, place)?, cx.call("aten.logical_and.default", both)?)
            }
        });
        bins.push(size);
    }
    let (place, inside) = found.ok_or_else(|| cx.error(Status::Internal, "no dimensions"))?;
    let mut weights = cx.cast(inside, dtype)?;
    if let Some(weight) = cx.optional_value("weight") {
        let weight = cx.reshape(weight, &[count])?;
        weights = super::loss::where_number(cx, inside, weight, 0.0)?;
    }
    let cells = Arg::Ints(vec![cx.syms().product(&bins)]);
    let none = cx.call_with("aten.zeros.default", vec![cells], vec![("dtype", Arg::Dtype(dtype))])?;
    let args = vec![Arg::Value(none), first, Arg::Value(place), Arg::Value(weights)];
    let counts = cx.call("aten.scatter_add.default", args)?;
    let counts = if bins.len() == 1 { counts } else { cx.reshape(counts, &bins)? };
    if cx.bool("density") { share(cx, counts, edges, &bins) } else { Ok(counts) }
}

/// The counts divided by their sum and by the sizes of their cells.
fn share(cx: &mut Decompose<'_>, counts: Value, edges: &[Value], bins: &[SymInt]) -> Built {
    let total = cx.sum(counts, &[], false)?;
    let mut share = cx.div(counts, total)?;
    for (k, edges) in edges.iter().enumerate() {
        let mut part = |start: i64| {
            let args = vec![Arg::Value(*edges), cx.int_arg(0), cx.int_arg(start), Arg::Int(bins[k])];
            cx.call("aten.narrow.default", args)
        };
        let (lower, upper) = (part(0)?, part(1)?);
        let mut width = cx.sub(upper, lower)?;
        if bins.len() > 1 {
            let mut shape = vec![cx.constant(1); bins.len()];
            shape[k] = bins[k];
            width = cx.reshape(width, &shape)?;
        }
        share = cx.div(share, width)?;
    }
    Ok(share)
}

/// Edges of `bins` bins of equal width between two bounds, or between the least and the largest number.
fn equal_edges(cx: &mut Decompose<'_>, x: Value, bins: i64, bounds: Option<[f64; 2]>) -> Built {
    let (dtype, count) = (cx.dtype_of(x), cx.syms().product(&cx.shape(x)));
    let bounds = match bounds {
        None if cx.syms().as_const(count) == Some(0) => Some([0.0, 1.0]),
        given => given,
    };
    let (low, high) = match bounds {
        Some([low, high]) => (cx.scalar(low, dtype)?, cx.scalar(high, dtype)?),
        None => {
            let (low, high) = (cx.unary("min", x)?, cx.unary("max", x)?);
            finite(cx, low, high)?;
            (low, high)
        }
    };
    // Without a width, the range becomes 1 around its number.
    let same = cx.compare("eq", low, high)?;
    let room = cx.cast(same, dtype)?;
    let room = cx.mul(room, 0.5)?;
    let (low, high) = (cx.sub(low, room)?, cx.add(high, room)?);
    let steps = Arg::Int(cx.syms().add_const(cx.constant(bins), 1));
    let args = vec![Arg::Value(low), Arg::Value(high), steps];
    cx.call_with("aten.linspace.Tensor_Tensor", args, vec![("dtype", Arg::Dtype(dtype))])
}

/// Fails the run where the numbers' range is not finite, as PyTorch does.
fn finite(cx: &mut Decompose<'_>, low: Value, high: Value) -> Result<(), DecomposeError> {
    let (low, high) = (cx.unary("isfinite", low)?, cx.unary("isfinite", high)?);
    let both = cx.call("aten.logical_and.default", vec![Arg::Value(low), Arg::Value(high)])?;
    let name = cx.op.name().trim_start_matches("aten.").split('.').next().unwrap_or_default();
    let words = format!("{name}: the range of the numbers is not finite");
    cx.call_all("aten._assert_async.msg", vec![Arg::Value(both), Arg::Str(words)], Vec::new())?;
    Ok(())
}

/// The bounds that `range` names for each dimension.
fn bounds(cx: &Decompose<'_>) -> Option<Vec<[f64; 2]>> {
    let list = match cx.arg("range") {
        Arg::Floats(list) => list.clone(),
        Arg::Ints(list) => cx.syms().as_consts(list)?.into_iter().map(|v| v as f64).collect(),
        _ => return None,
    };
    Some(list.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
}

fn flat(cx: &mut Decompose<'_>, x: Value) -> Built {
    let count = cx.syms().product(&cx.shape(x));
    cx.reshape(x, &[count])
}

/// With edges that are given.
pub fn histogram_of_edges(cx: &mut Decompose<'_>) -> Results {
    let (x, edges) = (cx.value("self")?, cx.value("bins")?);
    let x = flat(cx, x)?;
    let counts = binned(cx, &[x], &[edges])?;
    let edges = cx.call("aten.clone.default", vec![Arg::Value(edges)])?;
    Ok(vec![counts, edges])
}

pub fn histogram(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("self")?;
    let bins = cx.known_int("bins")?;
    let bounds = bounds(cx).and_then(|all| all.first().copied());
    let edges = equal_edges(cx, x, bins, bounds)?;
    let x = flat(cx, x)?;
    let counts = binned(cx, &[x], &[edges])?;
    Ok(vec![counts, edges])
}

/// A vector of numbers for each coordinate of the points.
fn coordinates(cx: &mut Decompose<'_>) -> Results {
    let x = cx.value("self")?;
    let last = cx.shape(x).last().and_then(|size| cx.syms().as_const(*size));
    let dims = last.ok_or_else(|| cx.unsupported("the number of coordinates must be known"))?;
    let mut all = Vec::new();
    for k in 0..dims {
        let one = cx.select_index(x, -1, k)?;
        all.push(flat(cx, one)?);
    }
    Ok(all)
}

fn edges_of(cx: &mut Decompose<'_>, coordinates: &[Value]) -> Results {
    let bins = match cx.arg("bins") {
        Arg::Int(_) => vec![cx.known_int("bins")?; coordinates.len()],
        _ => cx.known_ints("bins")?,
    };
    let bounds = bounds(cx);
    let one = |(k, x): (usize, &Value)| {
        let own = bounds.as_ref().and_then(|all| all.get(k).copied());
        equal_edges(cx, *x, bins[k], own)
    };
    coordinates.iter().enumerate().map(one).collect()
}

fn cells(cx: &mut Decompose<'_>, coordinates: &[Value], edges: &[Value]) -> Built {
    if coordinates.is_empty() {
        // PyTorch counts no points without coordinates.
        let dtype = cx.value("self").map(|x| cx.dtype_of(x))?;
        return cx.scalar(0.0, dtype);
    }
    binned(cx, coordinates, edges)
}

pub fn histogramdd_bin_edges(cx: &mut Decompose<'_>) -> Results {
    let coordinates = coordinates(cx)?;
    edges_of(cx, &coordinates)
}

pub fn histogramdd_from_bin_cts(cx: &mut Decompose<'_>) -> Results {
    Ok(vec![histogramdd(cx)?[0]])
}

pub fn histogramdd(cx: &mut Decompose<'_>) -> Results {
    let coordinates = coordinates(cx)?;
    let edges = edges_of(cx, &coordinates)?;
    let counts = cells(cx, &coordinates, &edges)?;
    Ok([counts].into_iter().chain(edges).collect())
}

pub fn histogramdd_from_bin_tensors(cx: &mut Decompose<'_>) -> Results {
    let (coordinates, edges) = (coordinates(cx)?, cx.values("bins"));
    Ok(vec![cells(cx, &coordinates, &edges)?])
}

pub fn histogramdd_of_edges(cx: &mut Decompose<'_>) -> Results {
    let mut results = histogramdd_from_bin_tensors(cx)?;
    for edges in cx.values("bins") {
        results.push(cx.call("aten.clone.default", vec![Arg::Value(edges)])?);
    }
    Ok(results)
}
