//! Padding: images and other tensors with a border of constants, or of their own elements.
//!
//! Deliberately absent: where a border's elements come from, which is the lowering's.

use super::rearrange::suggested;
use crate::base::Status;
use crate::ir::Arg;
use crate::meta::{Infer, MetaError};
use crate::types::{Dtype, TensorMeta};

/// Padding of the last dimensions, from the last one back: `[left, right, top, bottom, …]`.
pub fn pad(cx: &mut Infer<'_>) -> Result<Vec<TensorMeta>, MetaError> {
    let meta = cx.meta("self")?;
    let pads = cx.ints(if cx.op.schema().arg("pad").is_some() { "pad" } else { "padding" })?;
    let syms = cx.syms();
    if pads.len() % 2 != 0 || pads.len() / 2 > meta.rank() {
        let message = format!("{} paddings for {} dimensions", pads.len(), meta.rank());
        return Err(cx.error(Status::InvalidArgument, message));
    }
    let mode = padding_mode(cx)?;
    if mode != "constant" {
        let filled =
            cx.op.schema().arg("mode").is_some() && matches!(cx.arg("value"), Arg::Float(v) if *v != 0.0);
        if filled {
            return Err(cx.error(Status::InvalidArgument, format!("mode {mode} takes no `value`")));
        }
        padded_image(cx, meta, pads.len(), mode)?;
    }
    let (zero, mut shape) = (syms.constant(0), meta.shape.clone());
    for (k, pair) in pads.chunks(2).enumerate() {
        let dim = meta.rank() - 1 - k;
        let (size, text) = (shape[dim], syms.display_list(pair));
        shape[dim] = syms.add(size, syms.add(pair[0], pair[1]));
        let wrong = format!("padding {text} of dimension {dim} with size {}", syms.display(size));
        cx.require(syms.le(zero, shape[dim]), format!("{wrong} leaves less than nothing"))?;
        let most = match mode {
            "constant" => {
                // What is cut off is there before anything is added.
                let cut = syms.add(syms.min(pair[0], zero), syms.min(pair[1], zero));
                cx.require(
                    syms.le(zero, syms.add(size, cut)),
                    format!("{wrong} cuts off more than there is"),
                )?;
                continue;
            }
            "reflect" => syms.add_const(size, -1),
            "circular" => size,
            _ => {
                cx.require(syms.lt(zero, shape[dim]), format!("{wrong} leaves nothing"))?;
                continue;
            }
        };
        if mode == "reflect" {
            cx.require(syms.lt(zero, shape[dim]), format!("{wrong} leaves nothing"))?;
        }
        for p in pair {
            cx.require(syms.le(*p, most), format!("{wrong} is too large"))?;
        }
    }
    match mode {
        "circular" => Ok(vec![TensorMeta::contiguous(cx.syms(), meta.dtype, shape)]),
        _ => Ok(vec![suggested(cx, meta, meta.dtype, shape)]),
    }
}

/// Padding that repeats elements is of images: one, two or three spatial dimensions, each padded on both sides, after
/// channels and maybe a batch, of which the batch alone may be empty.
fn padded_image(cx: &mut Infer<'_>, meta: &TensorMeta, pads: usize, mode: &str) -> Result<(), MetaError> {
    let name = cx.op.name();
    let count = match name.find("_pad") {
        Some(at) if name.as_bytes().get(at + 5) == Some(&b'd') => (name.as_bytes()[at + 4] - b'0') as usize,
        _ => pads / 2,
    };
    if pads != 2 * count {
        return Err(cx.shape_error(format!("{} paddings are needed, not {pads}", 2 * count)));
    }
    if !(1..=3).contains(&count) || !(count + 1..=count + 2).contains(&meta.rank()) {
        return Err(cx.shape_error(format!("{pads} paddings do not go with a rank of {}", meta.rank())));
    }
    if meta.dtype == Dtype::Bool && mode != "circular" {
        return Err(cx.error(Status::Dtype, "takes numbers, not bool"));
    }
    let zero = cx.syms().constant(0);
    for size in &meta.shape[meta.rank() - count - 1..] {
        cx.require(cx.syms().lt(zero, *size), "only the batch may be empty")?;
    }
    Ok(())
}

/// `constant`, `reflect`, `replicate` or `circular`.
pub fn padding_mode(cx: &Infer<'_>) -> Result<&'static str, MetaError> {
    let name = cx.op.name();
    if name.contains(".reflection_pad") {
        return Ok("reflect");
    }
    if name.contains(".replication_pad") {
        return Ok("replicate");
    }
    if name.contains("circular") {
        return Ok("circular");
    }
    if cx.op.schema().arg("mode").is_none() {
        return Ok("constant");
    }
    let asked = cx.string("mode").unwrap_or("constant");
    ["constant", "reflect", "replicate", "circular"]
        .into_iter()
        .find(|m| *m == asked)
        .ok_or_else(|| cx.error(Status::InvalidArgument, format!("unknown padding mode `{asked}`")))
}
