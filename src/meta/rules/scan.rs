//! Cumulative operators, sorts, and what is chosen by rank.

use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::types::{Dtype, SymInt, TensorMeta, preserved_strides};

type Metas = Result<Vec<TensorMeta>, MetaError>;

fn dense_like(cx: &Infer<'_>, meta: &TensorMeta, dtype: Dtype) -> TensorMeta {
    let strides = preserved_strides(cx.syms(), &meta.shape, &meta.strides);
    TensorMeta { dtype, shape: meta.shape.clone(), strides, offset: cx.syms().constant(0) }
}

/// Checks `dim` and gives it.
fn dim(cx: &Infer<'_>) -> Result<usize, MetaError> {
    cx.dim(cx.known_int("dim")?, cx.meta("self")?.rank())
}

/// Cumulative sums and products: integers become int64 unless a dtype is asked for.
pub fn cumulative(cx: &mut Infer<'_>) -> Metas {
    dim(cx)?;
    let meta = cx.meta("self")?;
    let own = if meta.dtype.is_integral() { Dtype::Int64 } else { meta.dtype };
    if cx.dtype("dtype") == Some(Dtype::Bool) {
        return Err(cx.error(Status::Dtype, "bools have no running sums or products"));
    }
    let dtype = cx.dtype("dtype").unwrap_or(own);
    Ok(vec![TensorMeta::contiguous(cx.syms(), dtype, meta.shape.clone())])
}

/// Cumulative operators that keep the dtype.
pub fn cumulative_same(cx: &mut Infer<'_>) -> Metas {
    dim(cx)?;
    let meta = cx.meta("self")?;
    if !meta.dtype.is_float() {
        return Err(cx.error(Status::Dtype, format!("needs a float tensor, not {}", meta.dtype)));
    }
    Ok(vec![TensorMeta::contiguous(cx.syms(), meta.dtype, meta.shape.clone())])
}

/// Running extrema, and their positions along `dim`.
pub fn cumulative_extremum(cx: &mut Infer<'_>) -> Metas {
    dim(cx)?;
    let meta = cx.meta("self")?;
    let made = |dtype| TensorMeta::contiguous(cx.syms(), dtype, meta.shape.clone());
    Ok(vec![made(meta.dtype), made(Dtype::Int64)])
}

/// Values like `self` and their positions along `dim`.
pub fn with_positions(cx: &mut Infer<'_>) -> Metas {
    dim(cx)?;
    let meta = cx.meta("self")?;
    Ok(vec![dense_like(cx, meta, meta.dtype), dense_like(cx, meta, Dtype::Int64)])
}

/// The positions that sort `self`.
pub fn argsort(cx: &mut Infer<'_>) -> Metas {
    dim(cx)?;
    Ok(vec![dense_like(cx, cx.meta("self")?, Dtype::Int64)])
}

/// `self` sorted along its first dimension.
pub fn msort(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    Ok(vec![dense_like(cx, meta, meta.dtype)])
}

fn pair(cx: &Infer<'_>, dtype: Dtype, shape: Vec<SymInt>) -> Metas {
    let values = TensorMeta::contiguous(cx.syms(), dtype, shape);
    let positions = TensorMeta { dtype: Dtype::Int64, ..values.clone() };
    Ok(vec![values, positions])
}

/// The `k` largest or smallest along `dim`.
pub fn topk(cx: &mut Infer<'_>) -> Metas {
    let dim = dim(cx)?;
    let (meta, k, syms) = (cx.meta("self")?, cx.int("k")?, cx.syms());
    let have = meta.shape.get(dim).copied().unwrap_or(syms.constant(1));
    let wrong = format!("k = {} is not within size {}", syms.display(k), syms.display(have));
    cx.require(syms.and(syms.le(syms.constant(0), k), syms.le(k, have)), wrong)?;
    let mut shape = meta.shape.clone();
    if let Some(size) = shape.get_mut(dim) {
        *size = k;
    }
    pair(cx, meta.dtype, shape)
}

/// One value of each row along `dim`, and its position.
pub fn chosen(cx: &mut Infer<'_>) -> Metas {
    let dim = dim(cx)?;
    let (meta, syms) = (cx.meta("self")?, cx.syms());
    let one = syms.constant(1);
    let have = meta.shape.get(dim).copied().unwrap_or(one);
    let least = match cx.op.schema().arg("k") {
        Some(_) => cx.int("k")?,
        None => one,
    };
    let wrong = format!("row of {} elements has no element {}", syms.display(have), syms.display(least));
    cx.require(syms.and(syms.le(one, least), syms.le(least, have)), wrong)?;
    let mut shape = meta.shape.clone();
    if dim < shape.len() {
        if cx.bool("keepdim") {
            shape[dim] = one;
        } else {
            shape.remove(dim);
        }
    }
    pair(cx, meta.dtype, shape)
}

/// One value of the whole tensor.
pub fn chosen_of_all(cx: &mut Infer<'_>) -> Metas {
    Ok(vec![TensorMeta::contiguous(cx.syms(), cx.meta("self")?.dtype, Vec::new())])
}

/// Differences are taken one after the other, each by operators of its own.
const MOST_DIFFERENCES: i64 = 256;

/// Differences of neighbours, `n` times over.
pub fn diff(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    if meta.rank() == 0 {
        return Err(cx.error(Status::InvalidArgument, "needs at least one dimension"));
    }
    let (dim, n) = (dim(cx)?, cx.known_int("n")?);
    if n < 0 {
        return Err(cx.error(Status::InvalidArgument, "`n` must not be negative"));
    }
    let syms = cx.syms();
    let mut shape = meta.shape.clone();
    for name in ["prepend", "append"] {
        if let Some(other) = cx.optional_meta(name) {
            let wrong = format!(
                "`{name}` of shape {} must have the sizes of `self`, {}, in all dimensions but {dim}",
                syms.display_list(&other.shape),
                syms.display_list(&meta.shape)
            );
            cx.require_sizes(&other.shape, &meta.shape, Some(dim), &wrong)?;
            if n > 0 {
                shape[dim] = syms.add(shape[dim], other.shape[dim]);
            }
        }
    }
    shape[dim] = syms.max(syms.add_const(shape[dim], n.saturating_neg()), syms.constant(0));
    if n > MOST_DIFFERENCES && syms.as_const(shape[dim]) != Some(0) {
        let message = format!("differences taken {n} times over, more than {MOST_DIFFERENCES}");
        return Err(cx.error(Status::Unsupported, message));
    }
    // Differences of slices, which lie as what they are cut from; joined ones are contiguous.
    let joined = n > 0 && ["prepend", "append"].iter().any(|name| cx.optional_meta(name).is_some());
    let all: Vec<&TensorMeta> =
        ["prepend", "append"].into_iter().filter_map(|name| cx.optional_meta(name)).chain([meta]).collect();
    let dtype = if n == 0 { meta.dtype } else { super::promote_tensors(cx, &all)? };
    let result = TensorMeta::contiguous(syms, dtype, shape);
    if joined {
        return Ok(vec![result]);
    }
    let sliced = TensorMeta { strides: meta.strides.clone(), ..result.clone() };
    let strides = crate::meta::elementwise_strides(syms, &sliced.shape, &[&sliced]);
    Ok(vec![TensorMeta { strides, ..result }])
}
