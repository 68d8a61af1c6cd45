//! Distances between vectors, and norms.

use super::contraction::{check_rank, made, same_size};
use super::loss::{need_float, no_bools, with_margin};
use super::{broadcast, promote_tensors};
use crate::base::Status;
use crate::ir::Arg;
use crate::meta::{Infer, MetaError, ScalarArg};
use crate::types::{SymInt, TensorMeta, promote};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// A shape with some dimensions gone, or of size 1.
fn over(cx: &Infer<'_>, shape: &[SymInt], dims: &[usize], keep: bool) -> Vec<SymInt> {
    let one = cx.syms().constant(1);
    let each = shape.iter().enumerate();
    each.filter_map(|(d, s)| match dims.contains(&d) {
        false => Some(*s),
        true => keep.then_some(one),
    })
    .collect()
}

/// The dimensions that an argument names; all of them where it names none.
fn named_dims(cx: &Infer<'_>, name: &str, rank: usize) -> Result<Vec<usize>, MetaError> {
    let given = match cx.op.schema().arg(name) {
        Some(_) if cx.optional_ints(name).is_some() => cx.known_ints(name)?,
        _ => Vec::new(),
    };
    if given.is_empty() {
        return Ok((0..rank).collect());
    }
    let mut dims = Vec::new();
    for dim in given {
        let dim = cx.dim(dim, rank)?;
        if dims.contains(&dim) {
            return Err(cx.error(Status::InvalidArgument, format!("dimension {dim} is named twice")));
        }
        dims.push(dim);
    }
    Ok(dims)
}

pub fn cosine_similarity(cx: &mut Infer<'_>) -> Metas {
    let (a, b) = (cx.meta("x1")?, cx.meta("x2")?);
    if matches!(cx.arg("eps"), Arg::Float(eps) if *eps < 0.0) {
        return Err(cx.error(Status::InvalidArgument, "`eps` must not be negative"));
    }
    let dtype = need_float(cx, promote_tensors(cx, &[a, b])?)?;
    let shape = broadcast(cx, &[&a.shape, &b.shape])?;
    let dim = cx.dim(cx.known_int("dim")?, shape.len())?;
    let shape = over(cx, &shape, &[dim], false);
    Ok(vec![made(cx, dtype, shape)])
}

pub fn pairwise_distance(cx: &mut Infer<'_>) -> Metas {
    let (a, b) = (cx.meta("x1")?, cx.meta("x2")?);
    no_bools(cx, &[a, b])?;
    let dtype = with_margin(promote_tensors(cx, &[a, b])?);
    let shape = broadcast(cx, &[&a.shape, &b.shape])?;
    let last: Vec<usize> = shape.len().checked_sub(1).into_iter().collect();
    let shape = over(cx, &shape, &last, cx.bool("keepdim"));
    Ok(vec![made(cx, dtype, shape)])
}

/// `x1[.., p, m]` and `x2[.., r, m]` give `[.., p, r]`.
pub fn cdist(cx: &mut Infer<'_>) -> Metas {
    if matches!(cx.arg("p"), Arg::Float(p) if *p < 0.0) {
        return Err(cx.error(Status::InvalidArgument, "`p` must not be negative"));
    }
    if let Some(mode) = cx.optional_int("compute_mode")
        && !matches!(cx.syms().as_const(mode), Some(0..=2))
    {
        return Err(cx.error(Status::InvalidArgument, "`compute_mode` must be 0, 1 or 2"));
    }
    let (a, b) = (cx.meta("x1")?, cx.meta("x2")?);
    if [a, b].iter().any(|m| !m.dtype.is_float() || m.dtype.is_reduced_float()) {
        return Err(cx.error(Status::Dtype, "takes float32 and float64"));
    }
    let dtype = promote_tensors(cx, &[a, b])?;
    let (i, j) = (a.rank(), b.rank());
    if i < 2 || j < 2 {
        return Err(cx.shape_error("both tensors must have at least two dimensions"));
    }
    same_size(cx, "the sizes of the vectors", a.shape[i - 1], b.shape[j - 1])?;
    let mut shape = broadcast(cx, &[&a.shape[..i - 2], &b.shape[..j - 2]])?;
    shape.extend([a.shape[i - 2], b.shape[j - 2]]);
    Ok(vec![made(cx, dtype, shape)])
}

pub fn pdist(cx: &mut Infer<'_>) -> Metas {
    check_rank(cx, "self", &[2])?;
    let input = cx.meta("self")?;
    let dtype = need_float(cx, input.dtype)?;
    if matches!(cx.arg("p"), Arg::Float(p) if *p < 0.0) {
        return Err(cx.error(Status::InvalidArgument, "`p` must not be negative"));
    }
    let syms = cx.syms();
    let n = input.shape[0];
    let pairs = syms.mul(n, syms.add_const(n, -1));
    let count = syms.floordiv(pairs, syms.constant(2));
    Ok(vec![made(cx, dtype, vec![count])])
}

pub fn dist(cx: &mut Infer<'_>) -> Metas {
    let (a, b) = (cx.meta("self")?, cx.meta("other")?);
    no_bools(cx, &[a, b])?;
    let dtype = need_float(cx, promote_tensors(cx, &[a, b])?)?;
    broadcast(cx, &[&a.shape, &b.shape])?;
    Ok(vec![made(cx, dtype, Vec::new())])
}

fn norm_meta(cx: &mut Infer<'_>) -> Metas {
    let input = cx.meta("self")?.clone();
    let given = cx.op.schema().arg("dtype").and_then(|_| cx.dtype("dtype"));
    let dtype = need_float(cx, given.unwrap_or(input.dtype))?;
    need_float(cx, input.dtype)?;
    if input.dtype.is_complex() != dtype.is_complex() {
        let message = format!("a norm of {} is not computed in {dtype}", input.dtype);
        return Err(cx.error(Status::Dtype, message));
    }
    if promote(input.dtype, dtype) != Some(dtype) {
        let message = format!("{} is not converted to the narrower {dtype}", input.dtype);
        return Err(cx.error(Status::Dtype, message));
    }
    let dims = named_dims(cx, "dim", input.rank())?;
    let keep = cx.op.schema().arg("keepdim").is_some() && cx.bool("keepdim");
    let shape = over(cx, &input.shape, &dims, keep);
    Ok(vec![made(cx, dtype, shape)])
}

/// An infinite or negative order has no value for no elements.
fn check_extremum(cx: &mut Infer<'_>, order: &str) -> Result<(), MetaError> {
    match cx.scalar(order) {
        Some(ScalarArg::Known(v)) if v.as_f64().is_infinite() || v.as_f64() < 0.0 => {}
        _ => return Ok(()),
    }
    let input = cx.meta("self")?.clone();
    for dim in named_dims(cx, "dim", input.rank())? {
        // A 0-d tensor has a dimension 0 of one element.
        let Some(size) = input.shape.get(dim) else { continue };
        let some = cx.syms().le(cx.syms().constant(1), *size);
        cx.require(some, "this norm of no elements has no value")?;
    }
    Ok(())
}

pub fn vector_norm(cx: &mut Infer<'_>) -> Metas {
    check_extremum(cx, "ord")?;
    norm_meta(cx)
}

pub fn norm(cx: &mut Infer<'_>) -> Metas {
    check_extremum(cx, "p")?;
    norm_meta(cx)
}

/// Norms of matrices, or of vectors where one dimension is named.
pub fn linalg_norm(cx: &mut Infer<'_>) -> Metas {
    let least = usize::from(!cx.op.name().contains("frobenius"));
    if cx.optional_ints("dim").is_some_and(|dims| !(least..=2).contains(&dims.len())) {
        return Err(cx.error(Status::InvalidArgument, "`dim` must name one or two dimensions"));
    }
    let rank = cx.meta("self")?.rank();
    let ordered = cx.op.schema().arg("ord").is_some() && *cx.arg("ord") != Arg::None;
    if ordered && cx.optional_ints("dim").is_none() && !(1..=2).contains(&rank) {
        return Err(
            cx.shape_error(format!("a norm of an order is of a vector or matrix, not of rank {rank}"))
        );
    }
    norm_meta(cx)
}

/// Over two dimensions, which are the last where none are named.
pub fn nuclear_norm(cx: &mut Infer<'_>) -> Metas {
    let input = cx.meta("self")?.clone();
    let (dtype, rank) = (need_float(cx, input.dtype)?, input.rank());
    if rank < 2 {
        return Err(cx.shape_error("`self` must have at least two dimensions"));
    }
    let dims = match cx.op.schema().arg("dim") {
        Some(_) if cx.ints("dim")?.len() != 2 => {
            return Err(cx.error(Status::InvalidArgument, "`dim` must name two dimensions"));
        }
        Some(_) => named_dims(cx, "dim", rank)?,
        None => vec![rank - 2, rank - 1],
    };
    let shape = over(cx, &input.shape, &dims, cx.bool("keepdim"));
    Ok(vec![made(cx, dtype, shape)])
}

pub fn renorm(cx: &mut Infer<'_>) -> Metas {
    let input = cx.meta("self")?.clone();
    need_float(cx, input.dtype)?;
    if input.rank() < 2 {
        return Err(cx.shape_error("`self` must have at least two dimensions"));
    }
    cx.dim(cx.known_int("dim")?, input.rank())?;
    for (name, least) in [("p", f64::MIN_POSITIVE), ("maxnorm", 0.0)] {
        if let Some(ScalarArg::Known(number)) = cx.scalar(name)
            && number.as_f64() < least
        {
            let message = format!("`{name}` is {}, which is too small", number.as_f64());
            return Err(cx.error(Status::InvalidArgument, message));
        }
    }
    Ok(vec![made(cx, input.dtype, input.shape)])
}
