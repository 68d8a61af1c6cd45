//! Histograms of numbers, and of points whose coordinates are the last dimension.

use crate::base::Status;
use crate::ir::Arg;
use crate::meta::{Infer, MOST_DIMENSIONS, MetaError};
use crate::ops::OpId;
use crate::types::{SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// That weights, if given, have the input's dtype and `shape`.
fn check_weight(cx: &mut Infer<'_>, shape: &[SymInt], which: &str) -> Result<(), MetaError> {
    let dtype = cx.meta("self")?.dtype;
    let Some(weight) = cx.optional_meta("weight").cloned() else { return Ok(()) };
    if weight.dtype != dtype {
        return Err(cx.error(Status::Dtype, "`weight` must have the input's dtype"));
    }
    cx.require_sizes(&weight.shape, shape, None, &format!("`weight` must have the {which}"))
}

/// That `range` is a lower and an upper bound for each dimension.
fn check_range(cx: &Infer<'_>, dims: usize) -> Result<(), MetaError> {
    let list: Vec<f64> = match cx.arg("range") {
        Arg::Floats(list) => list.clone(),
        Arg::Ints(_) => cx.known_ints("range")?.into_iter().map(|v| v as f64).collect(),
        _ => return Ok(()),
    };
    if list.len() != 2 * dims {
        let message = format!("`range` has {} numbers, not 2 for each of {dims} dimensions", list.len());
        return Err(cx.error(Status::InvalidArgument, message));
    }
    match list
        .chunks_exact(2)
        .find(|pair| !(pair[0].is_finite() && pair[1].is_finite() && pair[0] <= pair[1]))
    {
        None => Ok(()),
        Some(pair) => {
            let message = format!("`range` must be finite and ascending, and has {} to {}", pair[0], pair[1]);
            Err(cx.error(Status::InvalidArgument, message))
        }
    }
}

/// The number of edges that a tensor of them has.
fn given_edges(cx: &Infer<'_>, edges: &TensorMeta) -> Result<SymInt, MetaError> {
    if edges.rank() != 1 || edges.dtype != cx.meta("self")?.dtype {
        return Err(cx.error(Status::InvalidArgument, "`bins` must be a vector of the input's dtype"));
    }
    Ok(edges.shape[0])
}

fn some_bins(cx: &mut Infer<'_>, edges: SymInt) -> Result<(), MetaError> {
    let some = cx.syms().le(cx.syms().constant(2), edges);
    cx.require(some, "at least one bin is needed")
}

/// The counts, and the edges of the bins.
pub fn histogram(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?.clone();
    let edges = if cx.op.schema().arg("range").is_none() {
        given_edges(cx, cx.meta("bins")?)?
    } else {
        check_range(cx, 1)?;
        cx.syms().constant(cx.known_int("bins")?.saturating_add(1))
    };
    some_bins(cx, edges)?;
    check_weight(cx, &own.shape, "input's shape")?;
    let syms = cx.syms();
    let counts = syms.add_const(edges, -1);
    let made = |size| TensorMeta::contiguous(syms, own.dtype, vec![size]);
    Ok(vec![made(counts), made(edges)])
}

/// The counts of cells, then the edges of each dimension. Two operators give the counts alone, and one the edges alone.
pub fn histogramdd(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?.clone();
    let [points @ .., last] = &own.shape[..] else {
        return Err(cx.shape_error("the input must have at least 2 dimensions, not 0"));
    };
    if points.is_empty() {
        return Err(cx.shape_error("the input must have at least 2 dimensions, not 1"));
    }
    let is_tensors = matches!(cx.arg("bins"), Arg::Values(_));
    let edges: Vec<SymInt> = match cx.arg("bins") {
        Arg::Values(_) => {
            let edges = cx.metas("bins")?;
            edges.into_iter().map(|edges| given_edges(cx, edges)).collect::<Result<_, _>>()?
        }
        Arg::Int(_) => {
            let bins = cx.syms().constant(cx.known_int("bins")?.saturating_add(1));
            match cx.syms().as_const(*last).and_then(|n| usize::try_from(n).ok()) {
                Some(dims) if dims <= MOST_DIMENSIONS => vec![bins; dims],
                Some(dims) => {
                    let message = format!("points have {dims} coordinates, more than {MOST_DIMENSIONS}");
                    return Err(cx.error(Status::Unsupported, message));
                }
                None => {
                    return Err(cx.error(Status::Unsupported, "the number of coordinates must be known"));
                }
            }
        }
        _ => {
            let bins = cx.known_ints("bins")?;
            bins.into_iter().map(|n| cx.syms().constant(n.saturating_add(1))).collect()
        }
    };
    let dims = cx.syms().constant(edges.len() as i64);
    let fits = cx.syms().eq(*last, dims);
    let message =
        format!("`bins` has {} dimensions, and points have another number of coordinates", edges.len());
    cx.require(fits, message)?;
    for edges in &edges {
        some_bins(cx, *edges)?;
    }
    if !is_tensors {
        check_range(cx, edges.len())?;
    }
    check_weight(cx, points, "input's shape without its last dimension")?;
    let syms = cx.syms();
    let made = |shape| TensorMeta::contiguous(syms, own.dtype, shape);
    let counts = made(edges.iter().map(|edges| syms.add_const(*edges, -1)).collect());
    let edges = edges.iter().map(|edges| made(vec![*edges]));
    Ok(match cx.op {
        OpId::HistogramddBinEdges => edges.collect(),
        OpId::HistogramddFromBinCts | OpId::HistogramddFromBinTensors => vec![counts],
        _ => [counts].into_iter().chain(edges).collect(),
    })
}
