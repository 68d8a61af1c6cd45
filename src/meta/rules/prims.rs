//! Operators of PyTorch's `prims`: no promotion, no broadcasting, and dimensions that are always listed.

use super::contraction::made;
use super::pointwise::{Out, elementwise};
use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::types::{SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// `start, start + step, …`: so many numbers.
pub fn iota(cx: &mut Infer<'_>) -> Metas {
    let length = cx.int("length")?;
    let syms = cx.syms();
    cx.require(syms.le(syms.constant(0), length), "the length must not be negative")?;
    let Some(dtype) = cx.dtype("dtype") else {
        return Err(cx.error(Status::InvalidArgument, "a dtype is needed"));
    };
    if !dtype.is_integer() {
        return Err(cx.error(Status::Dtype, format!("it counts in integers, not in {dtype}")));
    }
    Ok(vec![made(cx, dtype, vec![length])])
}

/// Tensors of one dtype and shape, where one of no dimensions stands for a number.
pub fn prims_binary(cx: &mut Infer<'_>) -> Metas {
    let (a, b) = (cx.meta("self")?, cx.meta("other")?);
    if a.dtype != b.dtype {
        return Err(cx.error(Status::Dtype, format!("`self` is {}, `other` is {}", a.dtype, b.dtype)));
    }
    if a.rank() != 0 && b.rank() != 0 {
        cx.require_sizes(&a.shape, &b.shape, None, "`self` and `other` differ in shape")?;
    }
    Ok(vec![elementwise(cx, &["self", "other"], Out::Common)?])
}

/// Dimension `k` of `a` becomes dimension `broadcast_dimensions[k]`, repeated where it has one element.
pub fn broadcast_in_dim(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("a")?.clone();
    let shape = cx.ints("shape")?.to_vec();
    let dims = cx.known_ints("broadcast_dimensions")?;
    let rising = dims.windows(2).all(|pair| pair[0] < pair[1]);
    let within = dims.iter().all(|d| (0..shape.len() as i64).contains(d));
    if dims.len() != own.rank() || !rising || !within {
        let message = format!("{dims:?} are not {} dimensions of {}, in order", own.rank(), shape.len());
        return Err(cx.error(Status::InvalidArgument, message));
    }
    let syms = cx.syms();
    for size in &shape {
        cx.require(syms.le(syms.constant(0), *size), "a negative size")?;
    }
    for (size, dim) in own.shape.iter().zip(dims) {
        let fits = syms.or(syms.eq(*size, syms.constant(1)), syms.eq(*size, shape[dim as usize]));
        cx.require(fits, "a dimension has neither one element nor as many as it is broadcast to")?;
    }
    Ok(vec![made(cx, own.dtype, shape)])
}

/// Over the listed dimensions, which go; over all where no list is given.
pub fn prims_reduction(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("inp")?.clone();
    let reduced: Vec<usize> = match cx.optional_ints("dims") {
        None => (0..own.rank()).collect(),
        Some(_) => {
            let mut dims = Vec::new();
            for dim in cx.known_ints("dims")? {
                let dim = cx.dim(dim, own.rank())?;
                if dims.contains(&dim) {
                    return Err(cx.error(Status::InvalidArgument, format!("dimension {dim} is named twice")));
                }
                dims.push(dim);
            }
            dims
        }
    };
    let kept: Vec<SymInt> = (0..own.rank()).filter(|k| !reduced.contains(k)).map(|k| own.shape[k]).collect();
    let dtype = cx.dtype("output_dtype").unwrap_or(own.dtype);
    Ok(vec![made(cx, dtype, kept)])
}
