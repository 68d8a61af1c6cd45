//! Operators that move elements about and are made of simpler ones.

use super::contraction::made;
use crate::base::Status;
use crate::ir::Arg;
use crate::meta::rules::promote_tensors;
use crate::meta::{Infer, MetaError, ScalarArg};
use crate::types::{Dtype, SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// Values put back at the places that a maximum pooling found them at.
pub fn max_unpool(cx: &mut Infer<'_>) -> Metas {
    let (x, indices) = (cx.meta("self")?.clone(), cx.meta("indices")?.clone());
    let size = cx.ints("output_size")?.to_vec();
    let count = if cx.op.name().contains("3d") { 3 } else { 2 };
    if size.len() != count || !(count + 1..=count + 2).contains(&x.rank()) || indices.rank() != x.rank() {
        return Err(
            cx.shape_error(format!("{count} sizes and tensors of as many spatial dimensions are needed"))
        );
    }
    for name in ["stride", "padding"] {
        if cx.op.schema().arg(name).is_none() {
            continue;
        }
        let list = cx.known_ints(name)?;
        if list.len() != count || name == "stride" && list.iter().any(|s| *s <= 0) {
            let message = format!("`{name}` must be {count} numbers, and those of `stride` positive");
            return Err(cx.error(Status::InvalidArgument, message));
        }
    }
    if indices.dtype != Dtype::Int64 {
        return Err(cx.error(Status::Dtype, format!("`indices` must be int64, not {}", indices.dtype)));
    }
    let syms = cx.syms();
    for (a, b) in x.shape.iter().zip(&indices.shape) {
        cx.require(syms.eq(*a, *b), "`indices` must have the shape of `self`")?;
    }
    super::pooling::only_batch_empty(cx, &x.shape[1..])?;
    let mut shape = x.shape[..x.rank() - count].to_vec();
    shape.extend(size);
    match count {
        2 => Ok(vec![super::rearrange::suggested(cx, &x, x.dtype, shape)]),
        _ => Ok(vec![made(cx, x.dtype, shape)]),
    }
}

/// Chunks of all tensors side by side.
pub fn chunk_cat(cx: &mut Infer<'_>) -> Metas {
    let tensors: Vec<TensorMeta> = cx.metas("tensors")?.into_iter().cloned().collect();
    let Some(first) = tensors.first() else {
        return Err(cx.error(Status::InvalidArgument, "no tensors given"));
    };
    let count = cx.known_int("num_chunks")?;
    if count < 1 {
        return Err(cx.error(Status::InvalidArgument, "`num_chunks` must be positive"));
    }
    let given = cx.known_int("dim")?;
    if given < 0 && tensors.iter().any(|t| t.rank() != first.rank()) {
        return Err(cx.error(Status::InvalidArgument, "`dim` counts from the front of different tensors"));
    }
    let dim = cx.dim(given, first.rank())?;
    let syms = cx.syms();
    let chunks = syms.constant(count);
    let mut width = syms.constant(0);
    for tensor in &tensors {
        if tensor.dtype != first.dtype {
            return Err(cx.error(Status::Dtype, "the tensors must have one dtype"));
        }
        if tensor.rank() <= dim {
            return Err(cx.shape_error("every tensor must have the dimension that is cut"));
        }
        let some = syms.lt(syms.constant(0), tensor.numel(syms));
        cx.require(some, "every tensor must have elements")?;
        for (a, b) in tensor.shape[..dim].iter().zip(&first.shape) {
            cx.require(syms.eq(*a, *b), "the sizes before the dimension must agree")?;
        }
        let rest = syms.product(&tensor.shape[dim + 1..]);
        width = syms.add(width, syms.mul(syms.ceildiv(tensor.shape[dim], chunks), rest));
    }
    let mut shape = first.shape[..dim].to_vec();
    shape.extend([chunks, width]);
    Ok(vec![made(cx, first.dtype, shape)])
}

/// Powers of numbers, side by side.
pub fn vander(cx: &mut Infer<'_>) -> Metas {
    let x = cx.meta("x")?.clone();
    if matches!(x.dtype, Dtype::Bool | Dtype::Float16 | Dtype::Bfloat16) {
        return Err(cx.error(Status::Dtype, format!("takes integers, float32 and float64, not {}", x.dtype)));
    }
    let syms = cx.syms();
    let one = syms.constant(1);
    let count = match cx.optional_int("N") {
        Some(count) => count,
        None if x.rank() > 0 => x.shape[x.rank() - 1],
        None => one,
    };
    cx.require(syms.lt(one, count), "`N` must be greater than 1")?;
    let dtype = if x.dtype.is_integral() { Dtype::Int64 } else { x.dtype };
    let mut shape = if x.shape.is_empty() { vec![one] } else { x.shape };
    shape.push(count);
    Ok(vec![made(cx, dtype, shape)])
}

/// One number for each of as many bins.
pub fn histc(cx: &mut Infer<'_>) -> Metas {
    let dtype = cx.meta("self")?.dtype;
    let bins = cx.known_int("bins")?;
    if !dtype.is_float() {
        return Err(cx.error(Status::Unsupported, format!("numbers of dtype {dtype} are not counted")));
    }
    if bins < 1 {
        return Err(cx.error(Status::InvalidArgument, "`bins` must be positive"));
    }
    if let (Some(ScalarArg::Known(min)), Some(ScalarArg::Known(max))) = (cx.scalar("min"), cx.scalar("max"))
        && min.as_f64() > max.as_f64()
    {
        return Err(cx.error(Status::InvalidArgument, "`max` must not be smaller than `min`"));
    }
    Ok(vec![made(cx, dtype, vec![cx.syms().constant(bins)])])
}

/// A slope along each of some dimensions, all of them where none is named.
pub fn gradient(cx: &mut Infer<'_>) -> Metas {
    let x = cx.meta("self")?.clone();
    if matches!(x.dtype, Dtype::Uint8 | Dtype::Bool) {
        return Err(cx.error(Status::Dtype, format!("there is no slope of {}", x.dtype)));
    }
    let count = match cx.arg("dim") {
        Arg::Int(_) => 1,
        Arg::Ints(list) => list.len(),
        _ => x.rank(),
    };
    let given = cx.op.schema().arg("spacing").map(|_| cx.arg("spacing"));
    let spaced = match given {
        Some(Arg::Values(list)) => list.len(),
        Some(Arg::Ints(list)) => list.len(),
        Some(Arg::Floats(list)) => list.len(),
        _ => count,
    };
    if spaced != count {
        let message = format!("{spaced} spacings for {count} dimensions");
        return Err(cx.error(Status::InvalidArgument, message));
    }
    let order = cx.known_int("edge_order")?;
    let dims = match cx.arg("dim") {
        Arg::Int(_) => vec![cx.known_int("dim")?],
        Arg::Ints(_) => cx.known_ints("dim")?,
        _ => (0..x.rank() as i64).collect(),
    };
    let mut named = Vec::new();
    for dim in dims {
        let dim = cx.dim(dim, x.rank())?;
        if named.contains(&dim) {
            return Err(cx.error(Status::InvalidArgument, format!("dimension {dim} is named twice")));
        }
        named.push(dim);
        let Some(size) = x.shape.get(dim) else {
            return Err(cx.shape_error("a 0-d tensor has no slope"));
        };
        let enough = cx.syms().lt(cx.syms().constant(order), *size);
        cx.require(enough, "a dimension with slopes needs at least edge_order + 1 points")?;
    }
    let mut results = Vec::new();
    for k in 0..count {
        let points = match given {
            Some(Arg::Values(list)) => list.get(k).copied().flatten().map(|v| cx.graph.meta(v).clone()),
            _ => None,
        };
        // Quotients of integers are float32.
        let points = points.map(|points| match points.dtype.is_integral() {
            true => TensorMeta { dtype: Dtype::Float32, ..points },
            false => points,
        });
        let common = promote_tensors(cx, &[&x].into_iter().chain(&points).collect::<Vec<_>>())?;
        let dtype = if common.is_integral() { Dtype::Float32 } else { common };
        results.push(made(cx, dtype, x.shape.clone()));
    }
    Ok(results)
}

/// What a softmax's result passes back, in the dtype of what the softmax was given.
pub fn softmax_backward(cx: &mut Infer<'_>) -> Metas {
    let (gradient, result) = (cx.meta("grad_output")?.clone(), cx.meta("output")?.clone());
    if gradient.rank() != result.rank() {
        return Err(cx.shape_error("`grad_output` must have the shape of `output`"));
    }
    if gradient.dtype != result.dtype {
        let message = format!("`grad_output` is {}, `output` is {}", gradient.dtype, result.dtype);
        return Err(cx.error(Status::Dtype, message));
    }
    let syms = cx.syms();
    for (a, b) in gradient.shape.iter().zip(&result.shape) {
        cx.require(syms.eq(*a, *b), "`grad_output` must have the shape of `output`")?;
    }
    // A widened softmax of float16 goes back to it.
    let narrows = gradient.dtype == Dtype::Float32 && cx.dtype("input_dtype") == Some(Dtype::Float16);
    let dtype = if narrows { Dtype::Float16 } else { gradient.dtype };
    cx.dim(cx.known_int("dim")?, result.rank())?;
    let shape: Vec<SymInt> = result.shape;
    Ok(vec![made(cx, dtype, shape)])
}
