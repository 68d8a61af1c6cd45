//! Products of groups, each with its own matrix.

use super::contraction::{check_rank, made, same_dtype, same_size};
use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::types::{Dtype, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// The groups' ends: one integer for each group.
fn ends(cx: &mut Infer<'_>, groups: Option<crate::types::SymInt>) -> Result<TensorMeta, MetaError> {
    check_rank(cx, "offs", &[1])?;
    let ends = cx.meta("offs")?.clone();
    if !matches!(ends.dtype, Dtype::Int32 | Dtype::Int64) {
        return Err(cx.error(Status::Dtype, format!("`offs` is {}, not int32 or int64", ends.dtype)));
    }
    let some = cx.syms().le(cx.syms().constant(1), ends.shape[0]);
    cx.require(some, "there must be a group")?;
    if let Some(groups) = groups {
        same_size(cx, "the groups of `offs` and of matrices,", ends.shape[0], groups)?;
    }
    Ok(ends)
}

/// Rows `[m, k]` in groups times `[groups, k, n]` give `[m, n]`; so do `[groups, m, k]` and columns `[k, n]` in groups. Inner elements in
/// groups, of `[m, k]` and `[k, n]`, give `[groups, m, n]`; without `offs` it is a product of batches.
pub fn grouped_mm(cx: &mut Infer<'_>) -> Metas {
    let aten = cx.op.schema().arg("mat2").is_some();
    let (first, second) = if aten { ("self", "mat2") } else { ("input", "weight") };
    let dtype = same_dtype(cx, &[first, second])?;
    if !dtype.is_float() || dtype.is_float8() {
        return Err(cx.error(Status::Dtype, format!("products of groups of dtype {dtype}")));
    }
    if aten {
        if cx.optional_meta("bias").is_some() {
            return Err(cx.error(Status::Unsupported, "a `bias`, which PyTorch refuses, too"));
        }
        if let Some(out) = cx.dtype("out_dtype").filter(|out| *out != dtype) {
            return Err(
                cx.error(Status::Unsupported, format!("`out_dtype` is {out}, and the operands are {dtype}"))
            );
        }
        check_rank(cx, first, &[2, 3])?;
        check_rank(cx, second, &[2, 3])?;
    } else {
        check_rank(cx, first, &[2])?;
        check_rank(cx, second, &[3])?;
    }
    let (a, b) = (cx.meta(first)?.clone(), cx.meta(second)?.clone());
    let (k, n) = (b.shape[b.rank() - 2], b.shape[b.rank() - 1]);
    same_size(cx, "the inner sizes", a.shape[a.rank() - 1], k)?;
    let m = a.shape[a.rank() - 2];
    let given = cx.optional_meta("offs").is_some();
    let shape = match (a.rank(), b.rank()) {
        (3, 3) if !given => {
            same_size(cx, "the batch sizes", a.shape[0], b.shape[0])?;
            vec![a.shape[0], m, n]
        }
        (3, 3) => return Err(cx.shape_error("products of batches have no `offs`")),
        _ if !given => return Err(cx.error(Status::InvalidArgument, "`offs` must be given")),
        (2, 3) => {
            ends(cx, Some(b.shape[0]))?;
            vec![m, n]
        }
        (3, _) => {
            ends(cx, Some(a.shape[0]))?;
            vec![m, n]
        }
        _ => vec![ends(cx, None)?.shape[0], m, n],
    };
    Ok(vec![made(cx, dtype, shape)])
}
