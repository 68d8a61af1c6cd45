//! Complex numbers and their parts. A part is a view of the storage in elements of half the size.

use super::pointwise::{Out, elementwise};
use super::view::copied;
use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::types::{Dtype, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// A complex tensor as elements of its parts: strides and offset count twice as many.
fn halved(cx: &Infer<'_>, meta: &TensorMeta) -> TensorMeta {
    let syms = cx.syms();
    let double = |s: &crate::types::SymInt| syms.mul_const(*s, 2);
    TensorMeta {
        dtype: meta.dtype.part(),
        shape: meta.shape.clone(),
        strides: meta.strides.iter().map(double).collect(),
        offset: double(&meta.offset),
    }
}

fn complex_self<'a>(cx: &Infer<'a>) -> Result<&'a TensorMeta, MetaError> {
    let meta = cx.meta("self")?;
    if meta.dtype.is_complex() {
        return Ok(meta);
    }
    Err(cx.error(Status::Dtype, format!("takes complex numbers, not {}", meta.dtype)))
}

/// Real and imaginary part as a last dimension of size 2.
pub fn view_as_real(cx: &mut Infer<'_>) -> Metas {
    let mut meta = halved(cx, complex_self(cx)?);
    meta.shape.push(cx.syms().constant(2));
    meta.strides.push(cx.syms().constant(1));
    Ok(vec![meta])
}

/// The last dimension, of size 2, as the parts of complex numbers.
pub fn view_as_complex(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?.clone();
    if !matches!(meta.dtype, Dtype::Float32 | Dtype::Float64) {
        return Err(cx.error(Status::Dtype, format!("takes float32 and float64, not {}", meta.dtype)));
    }
    let (Some((size, shape)), Some((last, strides))) = (meta.shape.split_last(), meta.strides.split_last())
    else {
        return Err(cx.shape_error("a 0-d tensor has no dimension of parts"));
    };
    let syms = cx.syms();
    cx.require(syms.eq(*size, syms.constant(2)), "the last dimension must be of size 2")?;
    cx.require(syms.eq(*last, syms.constant(1)), "the last dimension must have stride 1")?;
    let half = |cx: &mut Infer<'_>, what: &str, value| {
        let two = syms.constant(2);
        match syms.divide_exact(value, two) {
            Some(half) => Ok(half),
            None => {
                let even = syms.eq(syms.modulo(value, two), syms.constant(0));
                cx.require(even, format!("{what}, {}, must be divisible by 2", syms.display(value)))?;
                Ok(syms.floordiv(value, two))
            }
        }
    };
    let mut halves = Vec::new();
    for (k, stride) in strides.iter().enumerate() {
        // The stride of a dimension of one element means nothing.
        let one = syms.as_const(shape[k]) == Some(1);
        let known = syms.as_const(*stride);
        halves.push(match known {
            Some(odd) if one && odd % 2 != 0 => syms.constant(odd / 2 + 1),
            _ => half(cx, &format!("the stride of dimension {k}"), *stride)?,
        });
    }
    let offset = half(cx, "the offset", meta.offset)?;
    Ok(vec![TensorMeta { dtype: meta.dtype.complex(), shape: shape.to_vec(), strides: halves, offset }])
}

/// The real part; a real tensor itself.
pub fn real(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    Ok(vec![if meta.dtype.is_complex() { halved(cx, meta) } else { meta.clone() }])
}

/// The imaginary part, which real tensors have not.
pub fn imag(cx: &mut Infer<'_>) -> Metas {
    let mut meta = halved(cx, complex_self(cx)?);
    meta.offset = cx.syms().add_const(meta.offset, 1);
    Ok(vec![meta])
}

/// `view_as_real`, copied.
pub fn view_as_real_copy(cx: &mut Infer<'_>) -> Metas {
    let metas = view_as_real(cx);
    copied(metas, cx)
}

/// `view_as_complex`, copied.
pub fn view_as_complex_copy(cx: &mut Infer<'_>) -> Metas {
    let metas = view_as_complex(cx);
    copied(metas, cx)
}

/// From two tensors of one dtype.
fn made_of(cx: &mut Infer<'_>, names: [&str; 2]) -> Metas {
    let (a, b) = (cx.meta(names[0])?.dtype, cx.meta(names[1])?.dtype);
    if a != b {
        return Err(cx.error(Status::Dtype, format!("`{}` is {a}, `{}` is {b}", names[0], names[1])));
    }
    Ok(vec![elementwise(cx, &names, Out::Is(a.complex()))?])
}

pub fn complex(cx: &mut Infer<'_>) -> Metas {
    made_of(cx, ["real", "imag"])
}

pub fn polar(cx: &mut Infer<'_>) -> Metas {
    made_of(cx, ["abs", "angle"])
}
