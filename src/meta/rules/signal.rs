//! Windows, weights in two parts, and numbers rounded to a grid.

use super::contraction::made;
use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::types::{Dtype, SymInt, TensorMeta, preserved_strides};

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
    if v.rank() == 0 {
        return Err(cx.shape_error("a 0-d tensor has no slices"));
    }
    let dim = cx.dim(dim, v.rank())?;
    let one = cx.syms().constant(1);
    Ok(v.shape.iter().enumerate().map(|(k, s)| if k == dim { *s } else { one }).collect())
}

pub fn norm_except_dim(cx: &mut Infer<'_>) -> Metas {
    let v = cx.meta("v")?.clone();
    float(cx, &v)?;
    let shape = norms(cx, &v)?;
    for size in &shape {
        cx.require(cx.syms().le(cx.syms().constant(1), *size), "there are no slices")?;
    }
    Ok(vec![made(cx, v.dtype, shape)])
}

/// A tensor whose slices have norms of their own. Along the first or last dimension there is one number of `g` for each
/// slice, in whatever shape; elsewhere it broadcasts.
pub fn weight_norm(cx: &mut Infer<'_>) -> Metas {
    let (v, g) = (cx.meta("v")?.clone(), cx.meta("g")?.clone());
    float(cx, &v)?;
    if g.dtype != v.dtype {
        return Err(cx.error(Status::Dtype, format!("`v` is {}, `g` is {}", v.dtype, g.dtype)));
    }
    let (dim, both) = (cx.known_int("dim")?, cx.op.schema().returns.len() == 2);
    if takes_slices_in_order(&v, dim) {
        let (dim, syms) = (cx.dim(dim, v.rank())?, cx.syms());
        let wrong = "`g` must have one number for each slice of `v`";
        cx.require(syms.eq(g.numel(syms), v.shape[dim]), wrong)?;
        let mut metas = vec![made(cx, v.dtype, v.shape)];
        if both {
            let dtype =
                if matches!(g.dtype, Dtype::Float16 | Dtype::Bfloat16) { Dtype::Float32 } else { g.dtype };
            metas.push(made(cx, dtype, g.shape));
        }
        return Ok(metas);
    }
    if both {
        return Err(cx.error(Status::InvalidArgument, "`dim` must be the first or last dimension"));
    }
    let norms = norms(cx, &v)?;
    let factor = super::broadcast(cx, &[&g.shape, &norms])?;
    let shape = super::broadcast(cx, &[&v.shape, &factor])?;
    Ok(vec![made(cx, v.dtype, shape)])
}

/// True where PyTorch's kernel takes one number of `g` for each slice, by their order: along the first or last
/// dimension.
pub fn takes_slices_in_order(v: &TensorMeta, dim: i64) -> bool {
    v.rank() > 0 && (dim == 0 || dim == v.rank() as i64 - 1)
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
    let (least, most) = (cx.known_int("quant_min")?, cx.known_int("quant_max")?);
    let zero = cx.op.schema().arg("zero_point").and_then(|_| cx.optional_int("zero_point"));
    if let Some(zero) = zero.and_then(|z| cx.syms().as_const(z))
        && !(least..=most).contains(&zero)
    {
        return Err(
            cx.error(Status::InvalidArgument, format!("`zero_point` is not within {least} and {most}"))
        );
    }
    if cx.op.schema().arg("axis").is_some() {
        let axis = cx.known_int("axis")?;
        if axis < 0 {
            return Err(cx.error(Status::InvalidArgument, "`axis` must not be negative"));
        }
        let axis = cx.dim(axis, x.rank())?;
        let scales = [Dtype::Float32, Dtype::Bfloat16];
        let points = [Dtype::Int32, Dtype::Float32, Dtype::Float16];
        for (name, dtypes) in [("scale", &scales[..]), ("zero_point", &points)] {
            let meta = cx.meta(name)?.clone();
            if !dtypes.contains(&meta.dtype) {
                return Err(cx.error(Status::Dtype, format!("`{name}` is {}", meta.dtype)));
            }
            let wrong = format!("`{name}` must have one number for each slice along the axis");
            if meta.rank() != 1 || x.rank() == 0 {
                return Err(cx.shape_error(wrong));
            }
            cx.require(cx.syms().eq(meta.shape[0], x.shape[axis]), wrong)?;
        }
    }
    let strides = preserved_strides(cx.syms(), &x.shape, &x.strides);
    Ok(vec![TensorMeta { strides, offset: cx.syms().constant(0), ..x }])
}
