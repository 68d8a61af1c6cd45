//! Shape rules of conversions and of tensors like another one: dtypes, memory formats, and whether the result is the operand itself.
//!
//! Deliberately absent: views; see `functionalize::views` for results that share memory.

use crate::base::Status;
use crate::ir::{Arg, Graph, Node};
use crate::meta::{Infer, MetaError, elementwise_strides};
use crate::ops::OpId;
use crate::types::{Dtype, MemoryFormat, SymInt, TensorMeta, lies_channels_last};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// A conversion: the dtype of argument `dtype`, of `other`, or `self`'s own; layout by `memory_format`.
pub fn convert(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta(&cx.op.schema().args[0].name)?;
    let has = |name: &str| cx.op.schema().arg(name).is_some();
    let other = if has("other") { cx.optional_meta("other").map(|m| m.dtype) } else { None };
    let given = if has("dtype") { cx.dtype("dtype") } else { None };
    let dtype = given.or(other).unwrap_or(own.dtype);
    for d in [own.dtype, dtype] {
        if !d.is_arithmetic() && !d.is_float8() {
            return Err(cx.error(Status::Unsupported, format!("conversion of {} to {dtype}", own.dtype)));
        }
    }
    if gives_itself(cx, own, dtype) {
        return Ok(vec![own.clone()]);
    }
    Ok(vec![like(cx, own, dtype)?])
}

/// Whether this node is a conversion that gives its argument itself.
pub fn converts_nothing(graph: &Graph, node: &Node) -> bool {
    let (Some(Arg::Value(own)), Some(result)) = (node.args.first(), node.outputs.first()) else {
        return false;
    };
    let cx = Infer { graph, op: node.op, args: &node.args, guards: Vec::new() };
    gives_itself(&cx, graph.meta(*own), graph.meta(*result).dtype)
}

/// Whether a conversion returns its argument, because the argument has the requested dtype and layout already. `to` compares the memory
/// format that PyTorch suggests for the tensor; `contiguous` compares strides.
fn gives_itself(cx: &Infer<'_>, own: &TensorMeta, dtype: Dtype) -> bool {
    let syms = cx.syms();
    let copies = cx.op.schema().arg("copy").is_some() && cx.bool("copy");
    let format = match cx.op.schema().arg("memory_format").map(|k| &cx.args[k]) {
        Some(Arg::MemoryFormat(MemoryFormat::Preserve)) | None => None,
        Some(Arg::MemoryFormat(format)) => Some(*format),
        Some(_) => None,
    };
    match cx.op {
        OpId::Contiguous => match format.unwrap_or(MemoryFormat::Contiguous) {
            MemoryFormat::Contiguous => own.is_contiguous(syms),
            MemoryFormat::Preserve => true,
            format => {
                let strides = crate::meta::memory_format_strides(syms, &own.shape, format);
                strides.is_some_and(|strides| strides == own.strides)
            }
        },
        OpId::ToDtype | OpId::ToDevice | OpId::ToDtypeLayout | OpId::ToOther | OpId::TypeAs => {
            let suggested = match (lies_channels_last(syms, &own.shape, &own.strides), own.rank()) {
                (true, 4) => MemoryFormat::ChannelsLast,
                (true, _) => MemoryFormat::ChannelsLast3d,
                (false, _) => MemoryFormat::Contiguous,
            };
            own.dtype == dtype && !copies && format.is_none_or(|format| format == suggested)
        }
        _ => false,
    }
}

/// A new tensor of this one's shape; its layout by argument `memory_format`, `preserve` without one.
pub fn like(cx: &Infer<'_>, own: &TensorMeta, dtype: Dtype) -> Result<TensorMeta, MetaError> {
    let format = match cx.op.schema().arg("memory_format").map(|k| &cx.args[k]) {
        Some(Arg::MemoryFormat(f)) => *f,
        _ => MemoryFormat::Preserve,
    };
    let syms = cx.syms();
    let strides = match format {
        MemoryFormat::Preserve => elementwise_strides(syms, &own.shape, &[own]),
        format => format_strides(cx, &own.shape, format)?,
    };
    Ok(TensorMeta { dtype, shape: own.shape.clone(), strides, offset: syms.constant(0) })
}

/// Dense strides in a memory format.
pub fn format_strides(
    cx: &Infer<'_>,
    shape: &[SymInt],
    format: MemoryFormat,
) -> Result<Vec<SymInt>, MetaError> {
    crate::meta::memory_format_strides(cx.syms(), shape, format).ok_or_else(|| {
        cx.shape_error(format!(
            "memory format {} does not fit a tensor of rank {}",
            format.name(),
            shape.len()
        ))
    })
}
