//! Operators that become others when they are built, since what they are depends on sizes: `resize`, which is a view
//! where the storage is large enough and the shape another, and `tensor_split` by numbers in a tensor.
//!
//! Deliberately absent: storages that grow under views of them; they are refused.

use super::{Builder, MetaError, memory_format_strides};
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::ops::{Class, OpId};
use crate::types::{Dtype, MemoryFormat, Range, SymArena, SymInt, TensorMeta, lies_channels_last};

type Results = Result<Vec<Value>, MetaError>;

/// The storage in another shape, contiguous: as a view, or, for the form that gives a new tensor, as a copy. What a
/// tensor grows by is zero here; PyTorch leaves it open.
pub(super) fn resize(b: &mut Builder<'_>, op: OpId, args: &[Arg]) -> Results {
    let error = |status, message: &str| Err(MetaError::new(status, op.name(), message));
    let Some(Arg::Value(own)) = args.first() else {
        return error(Status::InvalidArgument, "argument `self` must be a tensor");
    };
    let shape: Vec<SymInt> = match args.get(1) {
        Some(Arg::Ints(list)) => list.clone(),
        Some(Arg::Value(template)) => b.graph.meta(*template).shape.clone(),
        _ => return error(Status::InvalidArgument, "a shape is needed"),
    };
    let syms = std::sync::Arc::clone(&b.graph.syms);
    if shape.iter().any(|size| syms.range(*size).max < 0) {
        return error(Status::Shape, "a size is negative");
    }
    let (own, meta) = (*own, b.graph.meta(*own).clone());
    let same = |(a, b): (&SymInt, &SymInt)| syms.decide(syms.eq(*a, *b)) == Some(true);
    let stays = shape.len() == meta.rank() && shape.iter().zip(&meta.shape).all(same);
    if stays && matches!(args.get(2), None | Some(Arg::None)) {
        // PyTorch does nothing: the elements keep their places and strides.
        return Ok(vec![b.op("aten.alias.default", vec![Arg::Value(own)])?]);
    }
    let format = match args.get(2) {
        Some(Arg::MemoryFormat(MemoryFormat::Preserve)) => match args.get(1) {
            Some(Arg::Value(template)) => suggested_format(&syms, b.graph.meta(*template)),
            _ => return error(Status::Unsupported, "a memory format that is kept"),
        },
        Some(Arg::MemoryFormat(format)) => *format,
        _ => MemoryFormat::Contiguous,
    };
    let Some(strides) = memory_format_strides(&syms, &shape, format) else {
        return error(Status::Shape, "the memory format is for another number of dimensions");
    };
    let (have, want) = (meta.numel(&syms), syms.product(&shape));
    match syms.decide(syms.le(want, have)) {
        Some(true) => {
            let args = vec![Arg::Value(own), Arg::Ints(shape), Arg::Ints(strides)];
            Ok(vec![b.op("aten.as_strided.default", args)?])
        }
        Some(false) => {
            let is_view = b.graph.producer(own).is_some_and(|node| node.op.class() == Class::View);
            if is_view || !meta.is_contiguous(&syms) {
                return error(Status::Unsupported, "a view that grows");
            }
            let rest = Arg::Ints(vec![syms.sub(want, have)]);
            let flat = b.op("aten.reshape.default", vec![Arg::Value(own), Arg::Ints(vec![have])])?;
            let more = b.op("aten.new_zeros.default", vec![Arg::Value(own), rest])?;
            let all = b.op("aten.cat.default", vec![Arg::Values(vec![Some(flat), Some(more)])])?;
            Ok(vec![b.op(
                "aten.as_strided.default",
                vec![Arg::Value(all), Arg::Ints(shape), Arg::Ints(strides)],
            )?])
        }
        None => error(Status::Unsupported, "whether it grows depends on sizes that only a run knows"),
    }
}

/// The memory format that a tensor lies in, as `suggest_memory_format` finds it.
fn suggested_format(syms: &SymArena, meta: &TensorMeta) -> MemoryFormat {
    match meta.rank() {
        4 if lies_channels_last(syms, &meta.shape, &meta.strides) => MemoryFormat::ChannelsLast,
        5 if lies_channels_last(syms, &meta.shape, &meta.strides) => MemoryFormat::ChannelsLast3d,
        _ => MemoryFormat::Contiguous,
    }
}

/// The form that gives a tensor of its own.
pub(super) fn resized_copy(b: &mut Builder<'_>, op: OpId, args: &[Arg]) -> Results {
    let view = resize(b, op, args)?;
    Ok(vec![b.op("aten.clone.default", vec![Arg::Value(view[0])])?])
}

/// Cut before each of the numbers in a vector.
pub(super) fn split_by_tensor(b: &mut Builder<'_>, op: OpId, args: &[Arg]) -> Results {
    let error = |status, message: &str| Err(MetaError::new(status, op.name(), message));
    let (Some(Arg::Value(own)), Some(Arg::Value(places))) = (args.first(), args.get(1)) else {
        return error(Status::InvalidArgument, "two tensors are needed");
    };
    let meta = b.graph.meta(*places).clone();
    let syms = std::sync::Arc::clone(&b.graph.syms);
    if meta.dtype != Dtype::Int64 || meta.rank() > 1 {
        return error(
            Status::InvalidArgument,
            "`tensor_indices_or_sections` must be int64 with at most one dimension",
        );
    }
    let count = meta.shape.first().and_then(|size| syms.as_const(*size));
    let Some(count) = count.filter(|count| *count <= MOST_PLACES) else {
        return error(Status::Unsupported, "the number of results depends on data, or is large");
    };
    let mut indices = Vec::new();
    for k in 0..count {
        let at = |n: i64| Arg::Int(syms.constant(n));
        let number = b.op("aten.select.int", vec![Arg::Value(*places), at(0), at(k)])?;
        let symbol = b.data_symbol(Range::new(i64::MIN, i64::MAX));
        b.read_number(number, symbol)?;
        indices.push(symbol);
    }
    let dim = args.get(2).cloned().unwrap_or_else(|| Arg::Int(syms.constant(0)));
    b.call_named("aten.tensor_split.indices", vec![Arg::Value(*own), Arg::Ints(indices), dim], Vec::new())
}

const MOST_PLACES: i64 = 1 << 10;
