//! Windows, weights in two parts, and numbers rounded to a grid.

use super::contraction::made;
use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::types::{Dtype, SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// A window function's values.
pub fn window(cx: &mut Infer<'_>) -> Metas {
    let length = cx.int("window_length")?;
    let dtype = cx.dtype("dtype").unwrap_or(Dtype::Float32);
    if !dtype.is_float() {
        return Err(cx.error(Status::Dtype, format!("windows are floats, not {dtype}")));
    }
    let none = cx.syms().constant(0);
    cx.require(cx.syms().le(none, length), "`window_length` must not be negative")?;
    Ok(vec![made(cx, dtype, vec![length])])
}

/// The shape of the norms over all dimensions but one.
fn norms(cx: &Infer<'_>, v: &TensorMeta) -> Result<Vec<SymInt>, MetaError> {
    let dim = cx.known_int("dim")?;
    if dim == -1 {
        return Ok(Vec::new());
    }
    let dim = cx.dim(dim, v.rank())?;
    let one = cx.syms().constant(1);
    Ok(v.shape.iter().enumerate().map(|(k, s)| if k == dim { *s } else { one }).collect())
}

pub fn norm_except_dim(cx: &mut Infer<'_>) -> Metas {
    let v = cx.meta("v")?.clone();
    float(cx, &v)?;
    let shape = norms(cx, &v)?;
    Ok(vec![made(cx, v.dtype, shape)])
}

/// A tensor whose slices have norms of their own.
pub fn weight_norm(cx: &mut Infer<'_>) -> Metas {
    let (v, g) = (cx.meta("v")?.clone(), cx.meta("g")?.clone());
    float(cx, &v)?;
    if g.dtype != v.dtype {
        return Err(cx.error(Status::Dtype, format!("`v` is {}, `g` is {}", v.dtype, g.dtype)));
    }
    let shape = norms(cx, &v)?;
    let found = super::broadcast(cx, &[&v.shape, &g.shape])?;
    if found.len() != v.rank() {
        return Err(cx.shape_error("`g` has more dimensions than `v`"));
    }
    let mut metas = vec![made(cx, v.dtype, v.shape.clone())];
    if cx.op.schema().returns.len() == 2 {
        metas.push(made(cx, v.dtype, shape));
    }
    Ok(metas)
}

fn float(cx: &Infer<'_>, meta: &TensorMeta) -> Result<(), MetaError> {
    if meta.dtype.is_float() {
        return Ok(());
    }
    Err(cx.error(Status::Dtype, format!("it needs floats, not {}", meta.dtype)))
}

/// Like `self`, rounded to a grid of integers times a scale.
pub fn fake_quantize(cx: &mut Infer<'_>) -> Metas {
    let x = cx.meta("self")?.clone();
    float(cx, &x)?;
    if cx.op.schema().arg("axis").is_some() {
        let axis = cx.dim(cx.known_int("axis")?, x.rank())?;
        for name in ["scale", "zero_point"] {
            let meta = cx.meta(name)?.clone();
            let wrong = format!("`{name}` must have one number for each slice along the axis");
            if meta.rank() != 1 || x.rank() == 0 {
                return Err(cx.shape_error(wrong));
            }
            cx.require(cx.syms().eq(meta.shape[0], x.shape[axis]), wrong)?;
        }
    }
    Ok(vec![x])
}
