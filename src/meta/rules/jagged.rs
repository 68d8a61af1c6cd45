//! Jagged tensors, given by the rows of all parts and by where each part begins, and dense tensors with a part in each row.

use super::contraction::made;
use crate::base::Status;
use crate::ir::Arg;
use crate::meta::{Infer, MetaError};
use crate::types::{SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// The number of parts, from `offsets`, which has one more.
fn parts(cx: &mut Infer<'_>) -> Result<SymInt, MetaError> {
    let place = cx.op.schema().arg("offsets").unwrap_or_default();
    let [Some(offsets)] = (match &cx.args[place] {
        Arg::Values(list) => &list[..],
        _ => &[],
    }) else {
        return Err(cx.error(
            Status::Unsupported,
            "one ragged dimension is supported, so `offsets` must be one tensor",
        ));
    };
    let meta = cx.graph.meta(*offsets).clone();
    if meta.rank() != 1 || !meta.dtype.is_integer() {
        return Err(cx.error(Status::InvalidArgument, "`offsets` must be integers in one dimension"));
    }
    let some = cx.syms().lt(cx.syms().constant(0), meta.shape[0]);
    cx.require(some, "`offsets` must have an element, where the last part ends")?;
    Ok(cx.syms().add_const(meta.shape[0], -1))
}

/// `[rows, …]` as `[parts, max_lengths, …]`.
pub fn jagged_to_padded(cx: &mut Infer<'_>) -> Metas {
    let parts = parts(cx)?;
    let values = cx.meta("values")?.clone();
    if values.rank() == 0 {
        return Err(cx.shape_error("`values` must have a dimension of rows"));
    }
    let [length] = cx.ints("max_lengths")?.to_vec()[..] else {
        return Err(cx.error(Status::InvalidArgument, "`max_lengths` must be one number"));
    };
    let shape = [parts, length].into_iter().chain(values.shape[1..].iter().copied()).collect();
    Ok(vec![made(cx, values.dtype, shape)])
}

/// `[parts, length, …]` as `[total_L, …]`.
pub fn padded_to_jagged(cx: &mut Infer<'_>) -> Metas {
    let parts = parts(cx)?;
    let dense = cx.meta("dense")?.clone();
    if dense.rank() < 2 {
        return Err(cx.shape_error("`dense` must have dimensions of parts and of rows"));
    }
    let same = cx.syms().eq(parts, dense.shape[0]);
    cx.require(same, "`dense` must have as many parts as `offsets`")?;
    let total = cx.int("total_L")?;
    let shape = std::iter::once(total).chain(dense.shape[2..].iter().copied()).collect();
    Ok(vec![made(cx, dense.dtype, shape)])
}
