//! Windows of an image as columns, and columns added up to an image.

use super::rearrange::one_result;
use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::types::{SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// What the two window operators need: sizes of two, all constants.
pub struct Windows {
    pub kernel: [i64; 2],
    pub dilation: [i64; 2],
    pub padding: [i64; 2],
    pub stride: [i64; 2],
}

impl Windows {
    pub fn of(cx: &Infer<'_>) -> Result<Windows, MetaError> {
        let two = |name: &str, least: i64| -> Result<[i64; 2], MetaError> {
            let list = cx.known_ints(name)?;
            let pair = match list[..] {
                [a, b] => [a, b],
                _ => return Err(cx.error(Status::InvalidArgument, format!("`{name}` must have two entries"))),
            };
            if pair.iter().any(|v| *v < least) {
                return Err(cx.error(Status::InvalidArgument, format!("`{name}` must be at least {least}")));
            }
            Ok(pair)
        };
        Ok(Windows {
            kernel: two("kernel_size", 1)?,
            dilation: two("dilation", 1)?,
            padding: two("padding", 0)?,
            stride: two("stride", 1)?,
        })
    }
    /// How many windows fit in dimension `k` (0 height, 1 width) of this size.
    pub fn count(&self, cx: &Infer<'_>, k: usize, size: SymInt) -> SymInt {
        let syms = cx.syms();
        let padded = syms.add(size, syms.mul_const(syms.constant(self.padding[k]), 2));
        let span = syms.mul_const(syms.constant(self.kernel[k] - 1), self.dilation[k]);
        let free = syms.add_const(syms.sub(padded, span), -1);
        syms.add_const(syms.floordiv(free, syms.constant(self.stride[k])), 1)
    }
    /// The elements of a window.
    pub fn area(&self, cx: &Infer<'_>) -> SymInt {
        cx.syms().mul_const(cx.syms().constant(self.kernel[0]), self.kernel[1])
    }
}

/// Windows of an image as columns.
pub fn im2col(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let windows = Windows::of(cx)?;
    let syms = cx.syms();
    if !(3..=4).contains(&meta.rank()) {
        return Err(cx.error(Status::InvalidArgument, "needs three or four dimensions"));
    }
    let at = meta.rank() - 3;
    let counts = [0, 1].map(|k| windows.count(cx, k, meta.shape[at + 1 + k]));
    for count in counts {
        cx.require(syms.lt(syms.constant(0), count), "the window is larger than the image")?;
    }
    let meta = meta.clone();
    super::pooling::only_batch_empty(cx, &meta.shape[at..])?;
    let mut shape = meta.shape[..at].to_vec();
    shape.push(syms.mul(meta.shape[at], windows.area(cx)));
    shape.push(syms.mul(counts[0], counts[1]));
    one_result(cx, meta.dtype, shape)
}

/// Columns added up to an image.
pub fn col2im(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let windows = Windows::of(cx)?;
    let size = cx.ints("output_size")?;
    let syms = cx.syms();
    if !(2..=3).contains(&meta.rank()) || size.len() != 2 {
        return Err(cx.error(Status::InvalidArgument, "needs two or three dimensions and two output sizes"));
    }
    let at = meta.rank() - 2;
    let area = windows.area(cx);
    let wrong = format!("columns of shape {} do not fit the image", syms.display_list(&meta.shape));
    cx.require(syms.eq(syms.modulo(meta.shape[at], area), syms.constant(0)), wrong.clone())?;
    let counts = [0, 1].map(|k| windows.count(cx, k, size[k]));
    cx.require(syms.eq(meta.shape[at + 1], syms.mul(counts[0], counts[1])), wrong)?;
    let meta = meta.clone();
    super::pooling::only_batch_empty(cx, &meta.shape[at..])?;
    let mut shape = meta.shape[..at].to_vec();
    shape.push(syms.floordiv(meta.shape[at], area));
    shape.extend(size);
    one_result(cx, meta.dtype, shape)
}
