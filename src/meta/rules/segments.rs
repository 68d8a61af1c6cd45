//! Runs of consecutive elements reduced each to one: bags of embeddings, segments.

use super::contraction::made;
use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::ops::OpId;
use crate::types::{Dtype, SymInt, TensorMeta, promote};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// What a bag's rows become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BagMode {
    Sum,
    Mean,
    Max,
}

impl BagMode {
    pub fn from_number(number: i64) -> Option<BagMode> {
        [BagMode::Sum, BagMode::Mean, BagMode::Max].get(usize::try_from(number).ok()?).copied()
    }
}

/// The bags' values; the bag of each index; how many rows each bag has; of maxima, the rows they come from. What
/// PyTorch leaves without elements has none here.
pub fn embedding_bag(cx: &mut Infer<'_>) -> Metas {
    let (weight, indices, offsets) =
        (cx.meta("weight")?.clone(), cx.meta("indices")?.clone(), cx.meta("offsets")?.clone());
    let mode = cx.known_int("mode")?;
    let mode = BagMode::from_number(mode)
        .ok_or_else(|| cx.error(Status::InvalidArgument, format!("there is no mode {mode}")))?;
    if weight.rank() != 2 || indices.rank() != 1 || offsets.rank() != 1 {
        return Err(cx.shape_error("a table, a vector of indices and a vector of offsets are needed"));
    }
    if !weight.dtype.is_float() {
        return Err(cx.error(Status::Dtype, format!("the table must be floats, not {}", weight.dtype)));
    }
    for meta in [&indices, &offsets] {
        if !matches!(meta.dtype, Dtype::Int32 | Dtype::Int64) {
            let message = format!("indices and offsets must be int64 or int32, not {}", meta.dtype);
            return Err(cx.error(Status::Dtype, message));
        }
    }
    let syms = cx.syms();
    let one = syms.constant(1);
    let weights = cx.optional_meta("per_sample_weights").cloned();
    if let Some(weights) = &weights {
        if mode != BagMode::Sum {
            return Err(cx.error(Status::InvalidArgument, "`per_sample_weights` are for sums only"));
        }
        if weights.dtype != weight.dtype {
            return Err(cx.error(Status::Dtype, "`per_sample_weights` must have the table's dtype"));
        }
        let wrong = "`per_sample_weights` must have the shape of `indices`";
        if weights.rank() != 1 {
            return Err(cx.shape_error(wrong));
        }
        cx.require(syms.eq(weights.shape[0], indices.shape[0]), wrong)?;
    }
    let last = cx.bool("include_last_offset");
    let padding = bag_padding(cx, &weight)?;
    if syms.as_const(offsets.shape[0]) != Some(0) || last {
        cx.require(syms.le(one, offsets.shape[0]), "`offsets` must not be empty")?;
    }
    let bags = if last { syms.add_const(offsets.shape[0], -1) } else { offsets.shape[0] };
    let index = promote(indices.dtype, offsets.dtype).unwrap_or(Dtype::Int64);
    let fast = weight.dtype != Dtype::Float64
        && syms.known_eq(weight.strides[1], one)
        && weights.is_none_or(|w| syms.known_eq(w.strides[0], one))
        && padding.is_none();
    let zero = syms.constant(0);
    let of_index = if mode == BagMode::Sum && fast { zero } else { indices.shape[0] };
    // Sums fill neither sizes nor maxima, and without a derivative there is one for each offset.
    let counted = match mode {
        BagMode::Sum if cx.op != OpId::UnderscoreEmbeddingBag => offsets.shape[0],
        _ => bags,
    };
    let maxima = if mode == BagMode::Max { vec![bags, weight.shape[1]] } else { vec![counted] };
    Ok(vec![
        made(cx, weight.dtype, vec![bags, weight.shape[1]]),
        made(cx, index, vec![of_index]),
        made(cx, index, vec![counted]),
        made(cx, index, maxima),
    ])
}

/// The row that does not count; negative ones are counted from the end where it is optional, and mean none where it
/// is not.
pub fn bag_padding(cx: &Infer<'_>, weight: &TensorMeta) -> Result<Option<SymInt>, MetaError> {
    let schema = cx.op.schema();
    if schema.arg("padding_idx").is_none() || cx.optional_int("padding_idx").is_none() {
        return Ok(None);
    }
    let given = cx.known_int("padding_idx")?;
    let optional = cx.op.name().ends_with(".padding_idx");
    if given < 0 && !optional {
        return Ok(None);
    }
    let rows = weight.shape[0];
    Ok(Some(if given < 0 { cx.syms().add_const(rows, given) } else { cx.syms().constant(given) }))
}

/// `data` with the elements of each segment along `axis` reduced to one.
pub fn segment_reduce(cx: &mut Infer<'_>) -> Metas {
    let data = cx.meta("data")?.clone();
    if !data.dtype.is_float() {
        return Err(cx.error(Status::Dtype, format!("`data` must be floats, not {}", data.dtype)));
    }
    if cx.optional_value("indices").is_some() {
        return Err(cx.error(Status::Unsupported, "segments given by `indices`"));
    }
    let (given, ends) = match (cx.optional_meta("lengths"), cx.optional_meta("offsets")) {
        (Some(lengths), _) => (lengths.clone(), 0),
        (None, Some(offsets)) => (offsets.clone(), 1),
        (None, None) => {
            return Err(cx.error(Status::InvalidArgument, "`lengths` or `offsets` must be given"));
        }
    };
    if !matches!(given.dtype, Dtype::Int32 | Dtype::Int64) {
        return Err(cx.error(Status::Dtype, "segments must be int64 or int32"));
    }
    let reduce = cx.string("reduce").unwrap_or("");
    if !["sum", "mean", "max", "min", "prod"].contains(&reduce) {
        return Err(cx.error(Status::InvalidArgument, format!("there is no reduction `{reduce}`")));
    }
    let axis = cx.dim(cx.known_int("axis")?, data.rank())?;
    let syms = cx.syms();
    let wrong = "the segments' leading sizes must be those of `data` before `axis`";
    if given.rank() != axis + 1 || data.rank() <= axis {
        return Err(cx.shape_error(wrong));
    }
    for (a, b) in given.shape[..axis].iter().zip(&data.shape) {
        cx.require(syms.eq(*a, *b), wrong)?;
    }
    cx.require(syms.le(syms.constant(ends), given.shape[axis]), "`offsets` must not be empty")?;
    let mut shape = data.shape.clone();
    shape[axis] = syms.add_const(given.shape[axis], -ends);
    Ok(vec![made(cx, data.dtype, shape)])
}

/// The table, with rows that are looked up made shorter.
pub fn embedding_renorm(cx: &mut Infer<'_>) -> Metas {
    let (table, indices) = (cx.meta("self")?.clone(), cx.meta("indices")?);
    if table.rank() != 2 || !table.dtype.is_float() {
        return Err(cx.shape_error("`self` must be a table of floats"));
    }
    if !matches!(indices.dtype, Dtype::Int32 | Dtype::Int64) {
        return Err(
            cx.error(Status::Dtype, format!("`indices` must be int64 or int32, not {}", indices.dtype))
        );
    }
    Ok(vec![table])
}
