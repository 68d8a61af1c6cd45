//! Views of a part of `self`: slices, single indices, splits, diagonals and windows.

use super::view::reordered;
use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::types::{SymInt, TensorMeta, slice_range};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// Elements `start, start + step, …` before `end` of one dimension.
pub fn slice(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    if meta.rank() == 0 {
        return Err(cx.error(Status::InvalidArgument, "a 0-d tensor cannot be sliced"));
    }
    let dim = cx.dim(cx.known_int("dim")?, meta.rank())?;
    let syms = cx.syms();
    let step = cx.int("step")?;
    cx.require(syms.lt(syms.constant(0), step), "slice step must be positive")?;
    let (start, length) =
        slice_range(syms, meta.shape[dim], cx.optional_int("start"), cx.optional_int("end"), step);
    cx.require(syms.le(syms.constant(0), length), "the step goes beyond 64 bits")?;
    let mut result = sliced(cx, meta, dim, start, length, step);
    // A step beyond the elements leaves one of them, or none. PyTorch's stride wraps around then and may not be negative.
    if let (Some(stride), Some(step)) = (syms.as_const(meta.strides[dim]), syms.as_const(step))
        && stride.checked_mul(step).is_none()
    {
        let stride = stride.wrapping_mul(step);
        if stride < 0 {
            return Err(cx.error(Status::InvalidArgument, "the step goes beyond 64 bits"));
        }
        result.strides[dim] = syms.constant(stride);
    }
    Ok(vec![result])
}

/// `length` elements of a dimension from `start` on.
fn sliced(
    cx: &Infer<'_>,
    meta: &TensorMeta,
    dim: usize,
    start: SymInt,
    length: SymInt,
    step: SymInt,
) -> TensorMeta {
    let syms = cx.syms();
    let mut result = meta.clone();
    result.offset = syms.add(meta.offset, syms.mul(start, meta.strides[dim]));
    result.shape[dim] = length;
    result.strides[dim] = syms.mul(meta.strides[dim], step);
    result
}

/// `length` elements of a dimension from `start` on.
pub fn narrow(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    if meta.rank() == 0 {
        return Err(cx.error(Status::InvalidArgument, "a 0-d tensor cannot be narrowed"));
    }
    let dim = cx.dim(cx.known_int("dim")?, meta.rank())?;
    let syms = cx.syms();
    let (start, length) = (cx.int("start")?, cx.int("length")?);
    let size = meta.shape[dim];
    let zero = syms.constant(0);
    let wrong = format!(
        "{} elements from {} on are not within size {}",
        syms.display(length),
        syms.display(start),
        syms.display(size)
    );
    cx.require(syms.and(syms.le(zero, length), syms.le(syms.neg(size), start)), wrong.clone())?;
    let start = syms.select(syms.lt(start, zero), syms.add(start, size), start);
    cx.require(syms.le(syms.add(start, length), size), wrong)?;
    Ok(vec![sliced(cx, meta, dim, start, length, syms.constant(1))])
}

/// One index of a dimension, which goes.
pub fn select(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    if meta.rank() == 0 {
        return Err(cx.error(Status::InvalidArgument, "there is nothing to select in a 0-d tensor"));
    }
    let dim = cx.dim(cx.known_int("dim")?, meta.rank())?;
    let syms = cx.syms();
    let (index, size) = (cx.int("index")?, meta.shape[dim]);
    let wrong = format!(
        "index {} is out of bounds for dimension {dim} with size {}",
        syms.display(index),
        syms.display(size)
    );
    cx.require(syms.and(syms.le(syms.neg(size), index), syms.lt(index, size)), wrong)?;
    let index = syms.select(syms.lt(index, syms.constant(0)), syms.add(index, size), index);
    Ok(vec![selected(cx, meta, dim, index)])
}

fn selected(cx: &Infer<'_>, meta: &TensorMeta, dim: usize, index: SymInt) -> TensorMeta {
    let syms = cx.syms();
    let mut result = meta.clone();
    result.offset = syms.add(meta.offset, syms.mul(index, meta.strides[dim]));
    result.shape.remove(dim);
    result.strides.remove(dim);
    result
}

/// Every index of a dimension on its own.
pub fn unbind(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    if meta.rank() == 0 {
        return Err(cx.error(Status::InvalidArgument, "a 0-d tensor cannot be unbound"));
    }
    let dim = cx.dim(cx.known_int("dim")?, meta.rank())?;
    let syms = cx.syms();
    let count = known_count(cx, meta.shape[dim])?;
    few(cx, count)?;
    Ok((0..count).map(|k| selected(cx, meta, dim, syms.constant(k))).collect())
}

/// A size that decides how many results there are.
fn known_count(cx: &Infer<'_>, size: SymInt) -> Result<i64, MetaError> {
    cx.syms().as_const(size).ok_or_else(|| {
        let text = cx.syms().display(size);
        cx.error(Status::Unsupported, format!("the number of results depends on the size {text}"))
    })
}

/// More results than this no program has a use for; a size that a mistake made large must not take all memory.
pub const MOST_RESULTS: i64 = 1 << 16;

fn few(cx: &Infer<'_>, count: i64) -> Result<(), MetaError> {
    if count <= MOST_RESULTS {
        return Ok(());
    }
    let message = format!("it would have {count} results; Litz takes up to {MOST_RESULTS}");
    Err(cx.error(Status::Unsupported, message))
}

/// The parts of a splitting operator as `(dimension, [(start, length)])`.
pub fn split_parts(cx: &mut Infer<'_>) -> Result<(usize, Vec<(SymInt, SymInt)>), MetaError> {
    let meta = cx.meta("self")?;
    let rank = meta.rank();
    let name = cx.op.name();
    let syms = cx.syms();
    if rank == 0 {
        return Err(cx.error(Status::InvalidArgument, "a 0-d tensor cannot be split"));
    }
    let dim = match cx.op.schema().arg("dim") {
        Some(_) => cx.dim(cx.known_int("dim")?, rank)?,
        None if name.contains("hsplit") => (rank > 1) as usize,
        None if name.contains("vsplit") => 0,
        None => 2,
    };
    let needed = if name.contains("vsplit") {
        2
    } else if name.contains("dsplit") {
        3
    } else {
        1
    };
    if rank < needed {
        return Err(cx.error(Status::InvalidArgument, format!("needs {needed} dimensions, not {rank}")));
    }
    let size = meta.shape[dim];
    let has = |arg: &str| cx.op.schema().arg(arg).is_some();
    let zero = syms.constant(0);
    let by_sizes = |sizes: &[SymInt]| {
        let ends = syms.ends(sizes);
        let starts = [zero].into_iter().chain(ends.iter().copied());
        let parts: Vec<(SymInt, SymInt)> = starts.zip(sizes.iter().copied()).collect();
        (parts, ends.last().copied().unwrap_or(zero))
    };
    if has("split_sizes") || (has("split_size") && cx.optional_ints("split_size").is_some()) {
        let sizes = cx.ints(if has("split_sizes") { "split_sizes" } else { "split_size" })?.to_vec();
        let (parts, sum) = by_sizes(&sizes);
        for s in &sizes {
            cx.require(syms.le(zero, *s), format!("split size {} is negative", syms.display(*s)))?;
        }
        let wrong = format!(
            "sizes {} do not add up to {} (dimension {dim})",
            syms.display_list(&sizes),
            syms.display(size)
        );
        cx.require(syms.eq(sum, size), wrong)?;
        return Ok((dim, parts));
    }
    if has("indices") {
        let mut parts = Vec::new();
        let mut last = None;
        for index in cx.ints("indices")? {
            parts.push(slice_range(syms, size, last, Some(*index), syms.constant(1)));
            last = Some(*index);
        }
        parts.push(slice_range(syms, size, last, None, syms.constant(1)));
        return Ok((dim, parts));
    }
    if has("sections") {
        let sections = cx.known_int("sections")?;
        let text = syms.display(size);
        let message = format!("size {text} of dimension {dim} cannot be split into {sections} parts");
        let (each, over) = match sections > 0 {
            true => {
                let parts = syms.constant(sections);
                (syms.floordiv(size, parts), syms.modulo(size, parts))
            }
            false => return Err(cx.error(Status::InvalidArgument, message)),
        };
        few(cx, sections)?;
        if !name.contains("tensor_split") {
            match syms.as_const(over) {
                Some(0) => {}
                Some(_) => return Err(cx.error(Status::InvalidArgument, message)),
                None => cx.require(syms.eq(over, zero), message)?,
            }
            let parts = (0..sections).map(|k| (syms.mul_const(each, k), each)).collect();
            return Ok((dim, parts));
        }
        // The first parts are one longer, as many as are left over.
        let part = |k: i64| {
            let k = syms.constant(k);
            let start = syms.add(syms.mul(each, k), syms.min(k, over));
            (start, syms.add(each, syms.lt(k, over)))
        };
        return Ok((dim, (0..sections).map(part).collect()));
    }
    let count = known_count(cx, size);
    let sizes: Vec<i64> = {
        let (chunks, each) = if has("chunks") {
            let chunks = cx.known_int("chunks")?;
            if chunks <= 0 {
                return Err(cx.error(Status::InvalidArgument, "chunk needs a number of chunks above 0"));
            }
            match count {
                Ok(count) => (Some(chunks), count / chunks + (count % chunks != 0) as i64),
                // The same number of equal parts, when the size is divisible for all values.
                Err(_) if few(cx, chunks).is_err() => return few(cx, chunks).map(|()| (dim, Vec::new())),
                Err(error) => return even_parts(cx, dim, size, chunks).ok_or(error),
            }
        } else {
            let each = cx.int("split_size")?;
            if let (Some(each), Err(_)) = (syms.as_const(each), &count)
                && syms.range(size).max <= each
            {
                return Ok((dim, vec![(zero, size)]));
            }
            match (syms.as_const(each), syms.divide_exact(size, each).and_then(|n| syms.as_const(n))) {
                (None, Some(n)) if n > 0 => {
                    return even_parts(cx, dim, size, n).ok_or_else(|| cx.shape_error("uneven split"));
                }
                _ => (None, cx.known_int("split_size")?),
            }
        };
        let count = count?;
        if each < 0 || (each == 0 && count != 0) {
            return Err(cx.error(Status::InvalidArgument, format!("a part cannot have {each} elements")));
        }
        few(cx, if each == 0 { chunks.unwrap_or(1) } else { count / each })?;
        match (each, chunks) {
            // An empty dimension in chunks: as many empty ones.
            (0, Some(n)) => vec![0; n as usize],
            (0, None) => vec![0],
            _ if count == 0 => vec![0],
            _ => (0..count / each + (count % each != 0) as i64).map(|k| each.min(count - k * each)).collect(),
        }
    };
    let sizes: Vec<SymInt> = sizes.into_iter().map(|s| syms.constant(s)).collect();
    Ok((dim, by_sizes(&sizes).0))
}

fn even_parts(
    cx: &Infer<'_>,
    dim: usize,
    size: SymInt,
    parts: i64,
) -> Option<(usize, Vec<(SymInt, SymInt)>)> {
    let syms = cx.syms();
    let each = syms.divide_exact(size, syms.constant(parts))?;
    // An empty size would be one empty part only for `split`, but never where the size is at least one.
    if syms.range(size).min < 1 {
        return None;
    }
    Some((dim, (0..parts).map(|k| (syms.mul_const(each, k), each)).collect()))
}

/// `split`, `chunk`, `tensor_split` and their kin.
pub fn split(cx: &mut Infer<'_>) -> Metas {
    let (dim, parts) = split_parts(cx)?;
    let meta = cx.meta("self")?;
    let one = cx.syms().constant(1);
    Ok(parts.into_iter().map(|(start, length)| sliced(cx, meta, dim, start, length, one)).collect())
}

/// The diagonal of two dimensions as the last one.
pub fn diagonal(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta(if cx.op.schema().arg("A").is_some() { "A" } else { "self" })?;
    let rank = meta.rank();
    let (a, b) = (cx.dim(cx.known_int("dim1")?, rank)?, cx.dim(cx.known_int("dim2")?, rank)?);
    if a == b {
        return Err(cx.error(Status::InvalidArgument, "the two dimensions of a diagonal must differ"));
    }
    let syms = cx.syms();
    let offset = cx.known_int("offset")?;
    let length = diagonal_length(cx, meta.shape[a], meta.shape[b], offset);
    let rest: Vec<usize> = (0..rank).filter(|k| *k != a && *k != b).collect();
    let mut result = reordered(meta, &rest);
    result.shape.push(length);
    result.strides.push(syms.add(meta.strides[a], meta.strides[b]));
    if syms.as_const(length) != Some(0) {
        let step = if offset >= 0 { meta.strides[b] } else { meta.strides[a] };
        result.offset = syms.add(meta.offset, syms.mul_const(step, offset.saturating_abs()));
    }
    Ok(vec![result])
}

/// How many elements the diagonal `offset` of a matrix has.
pub fn diagonal_length(cx: &Infer<'_>, rows: SymInt, columns: SymInt, offset: i64) -> SymInt {
    let syms = cx.syms();
    let (rows, columns) = if offset >= 0 {
        (rows, syms.add_const(columns, offset.saturating_neg()))
    } else {
        (syms.add_const(rows, offset), columns)
    };
    syms.max(syms.min(rows, columns), syms.constant(0))
}

/// Windows of `size` elements every `step` along a dimension, as a new last dimension.
pub fn unfold(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let syms = cx.syms();
    let dim = cx.dim(cx.known_int("dimension")?, meta.rank())?;
    let (size, step) = (cx.known_int("size")?, cx.known_int("step")?);
    let one = syms.constant(1);
    let (have, stride) = if meta.rank() == 0 { (one, one) } else { (meta.shape[dim], meta.strides[dim]) };
    if size < 0 || step <= 0 {
        return Err(
            cx.error(Status::InvalidArgument, format!("size {size} and step {step} are not possible"))
        );
    }
    let wrong = format!("window of {size} is larger than size {}", syms.display(have));
    cx.require(syms.le(syms.constant(size), have), wrong)?;
    let mut result = meta.clone();
    if meta.rank() > 0 {
        let windows = syms.floordiv(syms.add_const(have, -size), syms.constant(step));
        result.shape[dim] = syms.add_const(windows, 1);
        result.strides[dim] = syms.mul_const(stride, step);
    }
    result.shape.push(syms.constant(size));
    result.strides.push(stride);
    Ok(vec![result])
}
