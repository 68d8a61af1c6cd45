//! Reductions: which dimensions go, and what dtype remains.

use super::pointwise::{Out, elementwise};
use crate::base::{StableSort, Status};
use crate::ir::{Arg, Graph};
use crate::meta::{Infer, MetaError};
use crate::ops::OpId;
use crate::types::{Dtype, SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// The dimensions that a reduction's `dim` argument names (all of them where it names none), in ascending order;
/// `None` where a number is out of range, not constant or given twice.
pub fn reduced_dims(graph: &Graph, op: OpId, args: &[Arg], rank: usize) -> Option<Vec<usize>> {
    let given = match op.schema().arg("dim").map(|k| &args[k]) {
        Some(Arg::Int(d)) => vec![graph.syms.as_const(*d)?],
        Some(Arg::Ints(list)) => {
            let list = graph.syms.as_consts(list)?;
            // `any` and `all` take an empty list at its word.
            if list.is_empty() && matches!(op.name(), "aten.any.dims" | "aten.all.dims") {
                return Some(Vec::new());
            }
            list
        }
        _ => Vec::new(),
    };
    if given.is_empty() {
        return Some((0..rank).collect());
    }
    let limit = rank.max(1) as i64;
    let mut dims = Vec::new();
    for d in given {
        if d < -limit || d >= limit {
            return None;
        }
        let d = (if d < 0 { d + limit } else { d }) as usize;
        if dims.contains(&d) {
            return None;
        }
        dims.push(d);
    }
    dims.stable_sort();
    // A 0-d tensor has a dimension to name, but none to reduce.
    dims.retain(|d| *d < rank);
    Some(dims)
}

/// The result of reducing `self` over its `dim` argument, in a dtype that follows from `self`'s.
fn reduce(cx: &mut Infer<'_>, out: Out) -> Result<TensorMeta, MetaError> {
    let element = elementwise(cx, &["self"], out)?;
    let dims = dims(cx, element.rank())?;
    let keep = cx.op.schema().arg("keepdim").is_some() && cx.bool("keepdim");
    let one = cx.syms().constant(1);
    let mut shape: Vec<SymInt> = Vec::new();
    for (k, size) in element.shape.iter().enumerate() {
        match dims.contains(&k) {
            true if keep => shape.push(one),
            true => {}
            false => shape.push(*size),
        }
    }
    Ok(TensorMeta::contiguous(cx.syms(), element.dtype, shape))
}

fn dims(cx: &Infer<'_>, rank: usize) -> Result<Vec<usize>, MetaError> {
    reduced_dims(cx.graph, cx.op, cx.args, rank).ok_or_else(|| {
        let message = format!("the dimensions to reduce must be distinct constants within a rank of {rank}");
        cx.error(Status::InvalidArgument, message)
    })
}

/// A reduction without an identity: no reduced dimension may be empty.
fn require_elements(cx: &mut Infer<'_>) -> Result<(), MetaError> {
    let own = cx.meta("self")?;
    for k in dims(cx, own.rank())? {
        let message = format!("dimension {k} of size 0 has no largest or smallest element");
        cx.require(cx.syms().lt(cx.syms().constant(0), own.shape[k]), message)?;
    }
    Ok(())
}

/// Sums and products: integers and bools give int64, unless `dtype` says otherwise.
pub fn sum(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?.dtype;
    let dtype = cx.dtype("dtype").unwrap_or(if own.is_integral() { Dtype::Int64 } else { own });
    computable(cx, dtype)?;
    Ok(vec![reduce(cx, Out::Is(dtype))?])
}

/// Means are of floats.
pub fn mean(cx: &mut Infer<'_>) -> Metas {
    let dtype = cx.dtype("dtype").unwrap_or(cx.meta("self")?.dtype);
    if dtype.is_integral() {
        return Err(cx.error(Status::Dtype, format!("a mean is a float, not {dtype}; give a dtype")));
    }
    computable(cx, dtype)?;
    Ok(vec![reduce(cx, Out::Is(dtype))?])
}

fn computable(cx: &Infer<'_>, dtype: Dtype) -> Result<(), MetaError> {
    if dtype.is_arithmetic() {
        return Ok(());
    }
    Err(cx.error(Status::Unsupported, format!("a result of dtype {dtype}")))
}

/// The only mode is 0. Without elements a dimension must be named, and have some.
pub fn hash_tensor(cx: &mut Infer<'_>) -> Metas {
    let mode = cx.known_int("mode")?;
    if mode != 0 {
        return Err(cx.error(Status::InvalidArgument, format!("there is no mode {mode}")));
    }
    require_elements(cx)?;
    Ok(vec![reduce(cx, Out::Is(Dtype::Uint64))?])
}

/// Largest or smallest elements.
pub fn extremum(cx: &mut Infer<'_>) -> Metas {
    require_elements(cx)?;
    Ok(vec![reduce(cx, Out::Common)?])
}

/// Both.
pub fn aminmax(cx: &mut Infer<'_>) -> Metas {
    let one = extremum(cx)?.remove(0);
    Ok(vec![one.clone(), one])
}

/// Largest or smallest elements, and where they are.
pub fn extremum_dim(cx: &mut Infer<'_>) -> Metas {
    require_elements(cx)?;
    Ok(vec![reduce(cx, Out::Common)?, reduce(cx, Out::Is(Dtype::Int64))?])
}

/// Positions of largest or smallest elements.
pub fn arg_extremum(cx: &mut Infer<'_>) -> Metas {
    if cx.meta("self")?.dtype == Dtype::Bool {
        return Err(cx.error(Status::Unsupported, "positions of bools"));
    }
    require_elements(cx)?;
    Ok(vec![reduce(cx, Out::Is(Dtype::Int64))?])
}

/// `any` and `all`: bool, but uint8 of uint8.
pub fn any(cx: &mut Infer<'_>) -> Metas {
    let out = if cx.meta("self")?.dtype == Dtype::Uint8 { Out::Common } else { Out::Bool };
    Ok(vec![reduce(cx, out)?])
}

pub fn count_nonzero(cx: &mut Infer<'_>) -> Metas {
    Ok(vec![reduce(cx, Out::Is(Dtype::Int64))?])
}

/// Variances and standard deviations.
pub fn variance(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?.dtype;
    if own.is_integral() {
        return Err(cx.error(Status::Dtype, format!("a variance is of floats, not {own}")));
    }
    Ok(vec![reduce(cx, Out::Common)?])
}
pub fn variance_mean(cx: &mut Infer<'_>) -> Metas {
    let one = variance(cx)?.remove(0);
    Ok(vec![one.clone(), one])
}

pub fn logsumexp(cx: &mut Infer<'_>) -> Metas {
    if cx.ints("dim")?.is_empty() && cx.meta("self")?.rank() > 0 && !cx.bool("keepdim") {
        return Err(cx.error(Status::InvalidArgument, "`dim` must name the dimensions"));
    }
    Ok(vec![reduce(cx, Out::Float)?])
}

/// `isin`: a bool for each of the elements.
pub fn isin(cx: &mut Infer<'_>) -> Metas {
    for operand in &cx.args[..2] {
        let dtype = crate::meta::result_type(cx.graph, [operand]).map_err(|m| cx.error(Status::Dtype, m))?;
        if dtype == Dtype::Bool {
            return Err(cx.error(Status::Dtype, "bools are not looked up"));
        }
    }
    let name = if cx.op.schema().arg("elements").is_some() { "elements" } else { "element" };
    Ok(vec![elementwise(cx, &[name], Out::Bool)?])
}

/// `sum_to_size`: the sum over the dimensions that broadcasting to `self`'s shape would have repeated.
pub fn sum_to_size(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?;
    computable(cx, own.dtype)?;
    let (size, syms) = (cx.ints("size")?.to_vec(), cx.syms());
    if size.len() > own.rank() {
        return Err(cx.shape_error(format!("{} sizes for a tensor of rank {}", size.len(), own.rank())));
    }
    let skip = own.rank() - size.len();
    let one = syms.constant(1);
    for (have, want) in own.shape.iter().skip(skip).zip(&size) {
        if *want != one {
            let message = format!("size {} cannot be summed to {}", syms.display(*have), syms.display(*want));
            cx.require(syms.eq(*have, *want), message)?;
        }
    }
    // Integers keep their dtype if nothing is summed, so the dtype may depend on a size. A guard then asks that something is summed.
    let shrunk: Vec<SymInt> = own.shape[skip..]
        .iter()
        .zip(&size)
        .filter(|(h, w)| **w == one && **h != one)
        .map(|(h, _)| *h)
        .collect();
    let summed = size.is_empty() || skip > 0 || !shrunk.is_empty();
    if !size.is_empty() && skip == 0 && summed && own.dtype.is_integral() && own.dtype != Dtype::Int64 {
        let sums = shrunk.iter().fold(syms.constant(0), |any, have| syms.or(any, syms.ne(*have, one)));
        cx.require(sums, "the dtype is int64 where something is summed up, and needs a size other than 1")?;
    }
    let dtype = if summed && own.dtype.is_integral() { Dtype::Int64 } else { own.dtype };
    if !summed {
        return Ok(vec![TensorMeta { dtype, shape: size, ..own.clone() }]);
    }
    Ok(vec![TensorMeta::contiguous(syms, dtype, size)])
}

/// `trapezoid`: the integral over `dim` of floats; of no places it is zero, in `y`'s dtype.
pub fn trapezoid(cx: &mut Infer<'_>) -> Metas {
    let (dim, between, dtype) = quadrature(cx)?;
    let y = cx.meta("y")?;
    let (syms, zero) = (cx.syms(), cx.syms().constant(0));
    if syms.as_const(y.shape[dim]) == Some(0) {
        let mut shape = y.shape.clone();
        shape.remove(dim);
        return Ok(vec![TensorMeta::contiguous(syms, y.dtype, shape)]);
    }
    cx.require(syms.lt(zero, y.shape[dim]), "there is nothing to integrate over")?;
    let mut shape = between;
    shape.remove(dim);
    Ok(vec![TensorMeta::contiguous(syms, dtype, shape)])
}

/// `cumulative_trapezoid`: one element less along `dim`.
pub fn cumulative_trapezoid(cx: &mut Infer<'_>) -> Metas {
    let (_, between, dtype) = quadrature(cx)?;
    Ok(vec![TensorMeta::contiguous(cx.syms(), dtype, between)])
}

/// The dimension, the shape of what lies between neighbouring places, and the integral's dtype.
fn quadrature(cx: &mut Infer<'_>) -> Result<(usize, Vec<SymInt>, Dtype), MetaError> {
    let y = cx.meta("y")?;
    if y.rank() == 0 {
        return Err(cx.shape_error("a 0-d tensor has no dimension to integrate over"));
    }
    let dim = cx.dim(cx.known_int("dim")?, y.rank())?;
    let syms = cx.syms();
    let between = |shape: &[SymInt]| {
        let mut shape = shape.to_vec();
        shape[dim] = syms.max(syms.add_const(shape[dim], -1), syms.constant(0));
        shape
    };
    let mut shape = between(&y.shape);
    let places = if cx.op.schema().arg("x").is_some() { "x" } else { "dx" };
    if y.dtype == Dtype::Bool || matches!(cx.arg(places), Arg::Bool(_)) {
        return Err(cx.error(Status::Dtype, "bools are not integrated"));
    }
    if places == "x" {
        let x = cx.meta("x")?;
        if x.dtype == Dtype::Bool {
            return Err(cx.error(Status::Dtype, "bools are no places"));
        }
        let x = places_of(cx, x, y, dim)?;
        shape = super::broadcast(cx, &[&shape, &between(&x)])?;
    }
    let dtype = crate::meta::result_type(cx.graph, [cx.arg("y"), cx.arg(places)])
        .map_err(|m| cx.error(Status::Dtype, m))?;
    let dtype = if dtype.is_integral() { Dtype::Float32 } else { dtype };
    computable(cx, dtype)?;
    Ok((dim, shape, dtype))
}

/// The shape of the places beside `y`'s: a vector stands along `dim`, others line up at the end.
fn places_of(
    cx: &mut Infer<'_>,
    x: &TensorMeta,
    y: &TensorMeta,
    dim: usize,
) -> Result<Vec<SymInt>, MetaError> {
    let one = cx.syms().constant(1);
    let mut shape = vec![one; y.rank().saturating_sub(x.rank())];
    if let [count] = x.shape[..] {
        let wrong = "there must be one place for each sample";
        cx.require(cx.syms().eq(count, y.shape[dim]), wrong)?;
        shape = vec![one; y.rank()];
        shape[dim] = count;
        return Ok(shape);
    }
    shape.extend(&x.shape);
    Ok(shape)
}

/// `quantile`: of `self`'s dtype, with the fractions' dimension first where they are a list.
pub fn quantile(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?.dtype;
    if !matches!(own, Dtype::Float32 | Dtype::Float64) {
        return Err(cx.error(Status::Dtype, format!("takes float32 or float64, not {own}")));
    }
    if matches!(cx.arg("q"), Arg::Float(q) if !(0.0..=1.0).contains(q)) {
        return Err(cx.error(Status::InvalidArgument, "`q` must be within 0 and 1"));
    }
    let some = cx.syms().lt(cx.syms().constant(0), cx.meta("self")?.numel(cx.syms()));
    cx.require(some, "there are no quantiles of nothing")?;
    let mut meta = reduce(cx, Out::Common)?;
    if let Some(q) = cx.optional_meta("q") {
        if q.dtype != own || q.rank() > 1 {
            let message = format!("the fractions must be a number or a list of {own}");
            return Err(cx.error(Status::Dtype, message));
        }
        if let [count] = q.shape[..] {
            meta.shape.insert(0, count);
            // The quantiles of one row lie side by side.
            let order: Vec<usize> = std::iter::once(0).chain((1..meta.rank()).rev()).collect();
            let strides = crate::meta::dense_strides(cx.syms(), &meta.shape, &order);
            return Ok(vec![TensorMeta { strides, ..meta }]);
        }
    }
    Ok(vec![TensorMeta::contiguous(cx.syms(), meta.dtype, meta.shape)])
}

/// `frexp`: mantissas, and exponents of int32.
pub fn frexp(cx: &mut Infer<'_>) -> Metas {
    let mantissa = super::pointwise::unary_of_float(cx)?.remove(0);
    let exponent = TensorMeta { dtype: Dtype::Int32, ..mantissa.clone() };
    Ok(vec![mantissa, exponent])
}
