//! Pointwise operators: broadcasting and type promotion.

use crate::meta::{Infer, MetaError};
use crate::types::{Dtype, SymInt, TensorMeta, contiguous_strides, promote};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// Same shape and dtype as `self`.
pub fn unary(cx: &mut Infer<'_>) -> Metas {
    Ok(vec![cx.meta("self")?.clone()])
}

/// `self` and `other` broadcast together and promoted.
pub fn binary(cx: &mut Infer<'_>) -> Metas {
    let (a, b) = (cx.meta("self")?, cx.meta("other")?);
    let dtype = promote_tensors(cx, &[a, b])?;
    let shape = broadcast(cx, &[&a.shape, &b.shape])?;
    let strides = contiguous_strides(cx.syms(), &shape);
    Ok(vec![TensorMeta { dtype, shape, strides, offset: cx.syms().constant(0) }])
}

/// PyTorch's result dtype: tensors with dimensions outrank 0-d tensors of the same or a lower category.
pub fn promote_tensors(cx: &Infer<'_>, tensors: &[&TensorMeta]) -> Result<Dtype, MetaError> {
    let join = |list: Vec<Dtype>| -> Result<Option<Dtype>, MetaError> {
        let mut all = list.into_iter();
        let Some(first) = all.next() else { return Ok(None) };
        all.try_fold(first, |a, b| {
            promote(a, b)
                .ok_or_else(|| cx.error(crate::base::Status::Dtype, format!("{a} and {b} do not promote")))
        })
        .map(Some)
    };
    let dims = join(tensors.iter().filter(|t| t.rank() > 0).map(|t| t.dtype).collect())?;
    let zero = join(tensors.iter().filter(|t| t.rank() == 0).map(|t| t.dtype).collect())?;
    Ok(match (dims, zero) {
        (Some(d), Some(z)) if z.category() > d.category() => promote(d, z)
            .ok_or_else(|| cx.error(crate::base::Status::Dtype, format!("{d} and {z} do not promote")))?,
        (Some(d), _) => d,
        (None, Some(z)) => z,
        (None, None) => Dtype::Float32,
    })
}

/// NumPy's broadcasting; sizes that only run time knows to be equal are guarded.
pub fn broadcast(cx: &mut Infer<'_>, shapes: &[&[SymInt]]) -> Result<Vec<SymInt>, MetaError> {
    let syms = cx.syms();
    let rank = shapes.iter().map(|s| s.len()).max().unwrap_or(0);
    let one = syms.constant(1);
    let mut result = vec![one; rank];
    for shape in shapes {
        for (k, size) in shape.iter().enumerate() {
            let place = rank - shape.len() + k;
            let have = result[place];
            if have == one {
                result[place] = *size;
            } else if *size != one && *size != have {
                let message = format!(
                    "sizes {} and {} of dimension {place} do not broadcast",
                    syms.display(have),
                    syms.display(*size)
                );
                cx.require(syms.eq(have, *size), message)?;
                if syms.as_const(*size).is_some() {
                    result[place] = *size;
                }
            }
        }
    }
    Ok(result)
}
