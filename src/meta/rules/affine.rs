//! torchao's quantisation by blocks.

use super::contraction::{made, same_size};
use super::conversion::like;
use super::quantized::quantized_range;
use crate::base::Status;
use crate::meta::{Infer, MetaError, ScalarArg};
use crate::types::{Dtype, SymArena, SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// How a tensor is made of blocks that have a scale each.
pub struct Blocks {
    /// The tensor's shape with each dimension of several blocks divided in two: blocks, and elements of a block.
    pub parts: Vec<SymInt>,
    /// The dimensions of `parts` that are within blocks.
    pub reduced: Vec<usize>,
    /// `parts` with size 1 within blocks: the parameters' shape that broadcasts.
    pub of_parameters: Vec<SymInt>,
    /// `parts` without the dimensions within blocks.
    pub kept: Vec<SymInt>,
    /// How many blocks each dimension has.
    pub counts: Vec<SymInt>,
}

/// A block of 1 is an element. A dimension of one block is not divided.
pub fn blocks(syms: &SymArena, shape: &[SymInt], sizes: &[SymInt]) -> Result<Blocks, String> {
    if shape.len() != sizes.len() {
        return Err(format!(
            "`block_size` has {} numbers, and the tensor {} dimensions",
            sizes.len(),
            shape.len()
        ));
    }
    let one = syms.constant(1);
    let mut parts = Vec::new();
    let mut reduced = Vec::new();
    let mut counts = Vec::new();
    for (n, block) in shape.iter().zip(sizes) {
        if *block == one {
            parts.push(*n);
            counts.push(*n);
        } else {
            let count = syms.floordiv(*n, *block);
            if n != block {
                parts.push(count);
            }
            counts.push(count);
            reduced.push(parts.len());
            parts.push(*block);
        }
    }
    let within = |k: &usize| reduced.contains(k);
    let of_parameters = parts.iter().enumerate().map(|(k, n)| if within(&k) { one } else { *n }).collect();
    let kept = parts.iter().enumerate().filter(|(k, _)| !within(k)).map(|(_, n)| *n).collect();
    Ok(Blocks { parts, reduced, of_parameters, kept, counts })
}

/// The blocks of `input`, each dimension a whole number of them.
fn checked(cx: &mut Infer<'_>, own: &TensorMeta) -> Result<Blocks, MetaError> {
    let sizes = cx.ints("block_size")?.to_vec();
    let found = blocks(cx.syms(), &own.shape, &sizes).map_err(|m| cx.shape_error(m))?;
    for (n, block) in own.shape.iter().zip(sizes) {
        let syms = cx.syms();
        let positive = syms.le(syms.constant(1), block);
        let whole = syms.eq(syms.modulo(*n, block), syms.constant(0));
        cx.require(positive, "a block has at least one element")?;
        cx.require(whole, "the tensor is not made of whole blocks")?;
    }
    Ok(found)
}

/// `scale` and `zero_point` have an element for each block.
fn fit(cx: &mut Infer<'_>, blocks: &Blocks) -> Result<(), MetaError> {
    let count = cx.syms().product(&blocks.counts);
    for name in ["scale", "zero_point"] {
        if let Some(n) = cx.optional_meta(name).map(|m| m.numel(cx.syms())) {
            same_size(
                cx,
                &format!("the number of elements of `{name}` and the number of blocks,"),
                n,
                count,
            )?;
        }
    }
    Ok(())
}

fn is_given(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::Float16 | Dtype::Bfloat16 | Dtype::Float32)
}

/// The bounds are within what the dtype holds.
fn within(cx: &Infer<'_>, name: &str) -> Result<Dtype, MetaError> {
    let dtype =
        cx.dtype(name).ok_or_else(|| cx.error(Status::InvalidArgument, format!("`{name}` must be given")))?;
    let Some((least, most)) = quantized_range(dtype) else {
        return Err(cx.error(Status::Unsupported, format!("quantised numbers of dtype {dtype}")));
    };
    for name in ["quant_min", "quant_max"] {
        let given = match cx.scalar(name) {
            None => continue,
            Some(ScalarArg::Known(given)) => Some(given.as_f64()),
            Some(_) => None,
        };
        match given {
            Some(v) if v >= least as f64 && v <= most as f64 => {}
            Some(v) => {
                let message = format!("`{name}` is {v}, which is not within {dtype}'s {least} and {most}");
                return Err(cx.error(Status::InvalidArgument, message));
            }
            None => {
                return Err(cx.error(Status::Unsupported, format!("argument `{name}` must be a constant")));
            }
        }
    }
    Ok(dtype)
}

pub fn quantized_by_blocks(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("input")?.clone();
    let dtype = within(cx, "output_dtype")?;
    if !is_given(own.dtype) {
        return Err(cx.error(Status::Dtype, format!("`input` is {}, not float32 or a half", own.dtype)));
    }
    cx.meta("zero_point")?;
    let blocks = checked(cx, &own)?;
    fit(cx, &blocks)?;
    Ok(vec![like(cx, &own, dtype)?])
}

pub fn dequantized_by_blocks(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("input")?.clone();
    let dtype = within(cx, "input_dtype")?;
    if own.dtype != dtype {
        return Err(
            cx.error(Status::Dtype, format!("`input` is {}, but `input_dtype` is {dtype}", own.dtype))
        );
    }
    let out = cx.dtype("output_dtype").unwrap_or(Dtype::Float32);
    if !is_given(out) {
        return Err(cx.error(Status::Dtype, format!("a result of dtype {out}")));
    }
    let blocks = checked(cx, &own)?;
    fit(cx, &blocks)?;
    Ok(vec![like(cx, &own, out)?])
}

/// A scale and a zero point for each block.
pub fn chosen_by_blocks(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("input")?.clone();
    if !is_given(own.dtype) {
        return Err(cx.error(Status::Dtype, format!("`input` is {}, not float32 or a half", own.dtype)));
    }
    within(cx, "target_dtype")?;
    let asymmetric = match cx.string("mapping_type") {
        Some("ASYMMETRIC") => true,
        Some("SYMMETRIC" | "SYMMETRIC_NO_CLIPPING_ERR") => false,
        other => {
            let message = format!(
                "`mapping_type` is {:?}, not SYMMETRIC, SYMMETRIC_NO_CLIPPING_ERR or ASYMMETRIC",
                other.unwrap_or_default()
            );
            return Err(cx.error(Status::InvalidArgument, message));
        }
    };
    let blocks = checked(cx, &own)?;
    if blocks.reduced.is_empty() {
        return Err(cx.error(Status::Unsupported, "parameters of blocks of one element each"));
    }
    let some = cx.syms().lt(cx.syms().constant(0), own.numel(cx.syms()));
    cx.require(some, "a tensor without elements has no least and greatest one")?;
    let shape = if cx.bool("keepdim") { blocks.counts } else { blocks.kept };
    let otherwise = if asymmetric { Dtype::Int32 } else { own.dtype };
    let scale = made(cx, cx.dtype("scale_dtype").unwrap_or(own.dtype), shape.clone());
    let zero = made(cx, cx.dtype("zero_point_dtype").unwrap_or(otherwise), shape);
    Ok(vec![scale, zero])
}
