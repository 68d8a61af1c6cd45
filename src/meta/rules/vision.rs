//! torchvision's regions and deformable convolutions.

use super::contraction::made;
use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::types::{SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// Requires tensors to have the dtype of `input`.
fn same_dtype(cx: &Infer<'_>, names: &[&str]) -> Result<(), MetaError> {
    let want = cx.meta("input")?.dtype;
    for name in names {
        let have = cx.meta(name)?.dtype;
        if have != want {
            return Err(cx.error(Status::Dtype, format!("`{name}` is {have}, `input` is {want}")));
        }
    }
    Ok(())
}

fn image(cx: &Infer<'_>) -> Result<TensorMeta, MetaError> {
    let input = cx.meta("input")?.clone();
    match input.rank() {
        4 => Ok(input),
        rank => Err(cx.shape_error(format!("`input` must have 4 dimensions, not {rank}"))),
    }
}

/// A number that must be at least `least`.
fn at_least(cx: &mut Infer<'_>, name: &str, least: i64) -> Result<SymInt, MetaError> {
    let value = cx.int(name)?;
    let bound = cx.syms().constant(least);
    cx.require(cx.syms().le(bound, value), format!("`{name}` must be at least {least}"))?;
    Ok(value)
}

/// `[regions, channels, pooled_height, pooled_width]`.
pub fn roi_align(cx: &mut Infer<'_>) -> Metas {
    let (input, rois) = (image(cx)?, cx.meta("rois")?.clone());
    same_dtype(cx, &["rois"])?;
    let five = cx.syms().constant(5);
    let message = "`rois` must be [regions, 5]: the image's number and two corners";
    if rois.rank() != 2 {
        return Err(cx.shape_error(message));
    }
    cx.require(cx.syms().eq(rois.shape[1], five), message)?;
    let (rows, columns) = (at_least(cx, "pooled_height", 1)?, at_least(cx, "pooled_width", 1)?);
    Ok(vec![made(cx, input.dtype, vec![rois.shape[0], input.shape[1], rows, columns])])
}

/// `[batch, out channels, height, width]`, whose last two are those of a convolution.
pub fn deform_conv2d(cx: &mut Infer<'_>) -> Metas {
    let (input, weight) = (image(cx)?, cx.meta("weight")?.clone());
    same_dtype(cx, &["weight", "offset", "bias"])?;
    if weight.rank() != 4 {
        return Err(cx.shape_error("`weight` must have 4 dimensions"));
    }
    let (groups, parts) = (at_least(cx, "groups", 1)?, at_least(cx, "offset_groups", 1)?);
    let syms = cx.syms();
    let zero = syms.constant(0);
    let divides = |a: SymInt, b: SymInt| syms.eq(syms.modulo(b, a), zero);
    let fits = [
        (
            syms.eq(input.shape[1], syms.mul(groups, weight.shape[1])),
            "`input` must have `groups` times the channels of `weight`",
        ),
        (divides(groups, weight.shape[0]), "`groups` must divide the output channels"),
        (divides(parts, input.shape[1]), "`offset_groups` must divide the input channels"),
    ];
    for (condition, message) in fits {
        cx.require(condition, message)?;
    }
    let mut places = Vec::new();
    for (k, side) in ["h", "w"].into_iter().enumerate() {
        let (stride, dilation) =
            (at_least(cx, &format!("stride_{side}"), 1)?, at_least(cx, &format!("dilation_{side}"), 1)?);
        let pad = at_least(cx, &format!("pad_{side}"), 0)?;
        let syms = cx.syms();
        let reach = syms.mul(dilation, syms.add_const(weight.shape[2 + k], -1));
        let room = syms.add_const(syms.sub(syms.add(input.shape[2 + k], syms.mul_const(pad, 2)), reach), -1);
        cx.require(syms.le(zero, room), "the kernel is larger than the padded input")?;
        places.push(syms.add_const(syms.floordiv(room, stride), 1));
    }
    let elements = syms.mul(parts, syms.mul(weight.shape[2], weight.shape[3]));
    let moved = [input.shape[0], syms.mul_const(elements, 2), places[0], places[1]];
    let offset = cx.meta("offset")?.shape.clone();
    cx.require_sizes(
        &offset,
        &moved,
        None,
        "`offset` must be [batch, 2 * offset_groups * kernel elements, height, width] of the result",
    )?;
    if cx.bool("use_mask") {
        same_dtype(cx, &["mask"])?;
        let mask = cx.meta("mask")?.shape.clone();
        let want = [moved[0], elements, moved[2], moved[3]];
        cx.require_sizes(
            &mask,
            &want,
            None,
            "`mask` must be [batch, offset_groups * kernel elements, height, width] of the result",
        )?;
    }
    let bias = cx.meta("bias")?.shape.clone();
    cx.require_sizes(&bias, &weight.shape[..1], None, "`bias` must have a number for each output channel")?;
    Ok(vec![made(cx, input.dtype, vec![input.shape[0], weight.shape[0], places[0], places[1]])])
}
