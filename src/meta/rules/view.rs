//! Views: results that share the storage of `self`, with PyTorch's strides and offsets.

use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::types::{SymInt, TensorMeta, contiguous_strides, slice_range, view_strides};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// `self` itself.
pub fn alias(cx: &mut Infer<'_>) -> Metas {
    Ok(vec![cx.meta("self")?.clone()])
}

/// `self` in another shape; `-1` stands for what is left.
pub fn view(cx: &mut Infer<'_>) -> Metas {
    let asked = cx.ints(if cx.op.schema().arg("size").is_some() { "size" } else { "shape" })?;
    let shape = resolve_shape(cx, &cx.meta("self")?.shape, asked)?;
    reshaped(cx, shape)
}

/// `self` in the shape of `other`.
pub fn view_as(cx: &mut Infer<'_>) -> Metas {
    let shape = cx.meta("other")?.shape.clone();
    let shape = resolve_shape(cx, &cx.meta("self")?.shape, &shape)?;
    reshaped(cx, shape)
}

/// Dimensions `start_dim..=end_dim` joined.
pub fn flatten(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let rank = meta.rank();
    let (start, end) = (cx.dim(cx.known_int("start_dim")?, rank)?, cx.dim(cx.known_int("end_dim")?, rank)?);
    if start > end {
        return Err(cx.error(Status::InvalidArgument, "start_dim comes after end_dim"));
    }
    if rank == 0 {
        return reshaped(cx, vec![cx.syms().constant(1)]);
    }
    let mut shape = meta.shape[..start].to_vec();
    shape.push(cx.syms().product(&meta.shape[start..=end]));
    shape.extend(&meta.shape[end + 1..]);
    reshaped(cx, shape)
}

/// All dimensions joined.
pub fn ravel(cx: &mut Infer<'_>) -> Metas {
    let numel = cx.meta("self")?.numel(cx.syms());
    reshaped(cx, vec![numel])
}

/// Dimension `dim` split into `sizes`.
pub fn unflatten(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let dim = cx.dim(cx.known_int("dim")?, meta.rank())?;
    let sizes = resolve_shape(cx, &meta.shape[dim..=dim], cx.ints("sizes")?)?;
    let mut shape = meta.shape[..dim].to_vec();
    shape.extend(sizes);
    shape.extend(&meta.shape[dim + 1..]);
    reshaped(cx, shape)
}

/// The shape that `asked` means for a tensor of shape `from`: `-1` resolved, element counts required to agree.
pub fn resolve_shape(
    cx: &mut Infer<'_>,
    from: &[SymInt],
    asked: &[SymInt],
) -> Result<Vec<SymInt>, MetaError> {
    let syms = cx.syms();
    let numel = syms.product(from);
    let mut shape = asked.to_vec();
    let open: Vec<usize> = (0..shape.len()).filter(|k| syms.as_const(shape[*k]) == Some(-1)).collect();
    let wrong = format!("shape {} is not possible for {}", syms.display_list(asked), syms.display_list(from));
    if open.len() > 1 {
        return Err(cx.shape_error("only one dimension can be inferred"));
    }
    if let Some(k) = open.first() {
        let known: Vec<SymInt> = shape.iter().enumerate().filter(|(j, _)| j != k).map(|(_, s)| *s).collect();
        let known = syms.product(&known);
        if syms.as_const(known) == Some(0) {
            return Err(cx.shape_error(format!("{wrong}: the open size could be any number")));
        }
        shape[*k] = match syms.divide_exact(numel, known) {
            Some(size) => size,
            None => {
                cx.require(syms.lt(syms.constant(0), known), wrong.clone())?;
                syms.floordiv(numel, known)
            }
        };
    }
    for size in &shape {
        cx.require(syms.le(syms.constant(0), *size), wrong.clone())?;
    }
    let product = syms.product(&shape);
    if product != numel {
        cx.require(syms.eq(product, numel), wrong)?;
    }
    Ok(shape)
}

fn reshaped(cx: &mut Infer<'_>, shape: Vec<SymInt>) -> Metas {
    let meta = cx.meta("self")?;
    let syms = cx.syms();
    Ok(vec![match view_strides(syms, &meta.shape, &meta.strides, &shape) {
        Some(strides) => TensorMeta { dtype: meta.dtype, shape, strides, offset: meta.offset },
        // A copy, for those that may copy; `view` on such strides does not come out of PyTorch.
        None => TensorMeta::contiguous(syms, meta.dtype, shape),
    }])
}

/// Dimensions in another order.
fn reordered(meta: &TensorMeta, order: &[usize]) -> TensorMeta {
    TensorMeta {
        dtype: meta.dtype,
        shape: order.iter().map(|k| meta.shape[*k]).collect(),
        strides: order.iter().map(|k| meta.strides[*k]).collect(),
        offset: meta.offset,
    }
}

/// The order of dimensions that a permuting operator gives: result dimension `k` is `order[k]` of `self`.
pub fn dimension_order(cx: &Infer<'_>) -> Result<Vec<usize>, MetaError> {
    let rank = cx.meta("self")?.rank();
    let name = cx.op.name();
    let mut order: Vec<usize> = (0..rank).collect();
    let last_two = |order: &mut Vec<usize>| {
        if rank < 2 {
            return Err(cx.error(Status::InvalidArgument, format!("needs two dimensions, not {rank}")));
        }
        order.swap(rank - 2, rank - 1);
        Ok(())
    };
    if cx.op.schema().arg("dims").is_some() {
        let dims = cx.known_ints("dims")?;
        order = dims.iter().map(|d| cx.dim(*d, rank)).collect::<Result<_, _>>()?;
        let mut sorted = order.clone();
        sorted.sort();
        if !sorted.iter().copied().eq(0..rank) {
            return Err(
                cx.error(Status::InvalidArgument, format!("{dims:?} is no order of the {rank} dimensions"))
            );
        }
    } else if let Some((a, b)) =
        [("dim0", "dim1"), ("axis0", "axis1")].into_iter().find(|(a, _)| cx.op.schema().arg(a).is_some())
    {
        let (a, b) = (cx.dim(cx.known_int(a)?, rank)?, cx.dim(cx.known_int(b)?, rank)?);
        if rank > 0 {
            order.swap(a, b);
        }
    } else if cx.op.schema().arg("source").is_some() {
        let list = |name: &str| match cx.op.schema().arg(name).map(|k| cx.op.schema().args[k].ty.list) {
            Some(true) => cx.known_ints(name),
            _ => Ok(vec![cx.known_int(name)?]),
        };
        let (source, destination) = (list("source")?, list("destination")?);
        if source.len() != destination.len() {
            return Err(cx.error(Status::InvalidArgument, "as many sources as destinations are needed"));
        }
        let mut places = vec![None; rank];
        let mut moved = Vec::new();
        for (s, d) in source.iter().zip(&destination) {
            let (s, d) = (cx.dim(*s, rank)?, cx.dim(*d, rank)?);
            if rank == 0 {
                continue;
            }
            if moved.contains(&s) || places[d].replace(s).is_some() {
                return Err(cx.error(Status::InvalidArgument, "a dimension is moved twice"));
            }
            moved.push(s);
        }
        let mut rest = (0..rank).filter(|k| !moved.contains(k));
        order = places.into_iter().filter_map(|p| p.or_else(|| rest.next())).collect();
    } else if name.contains(".numpy_T.") {
        order.reverse();
    } else if name.contains(".t.") || name.contains(".t_copy.") || name.contains(".matrix_H.") {
        if rank > 2 || (rank == 1 && name.contains(".matrix_H.")) {
            return Err(
                cx.error(Status::InvalidArgument, format!("needs at most two dimensions, not {rank}"))
            );
        }
        order.reverse();
    } else {
        last_two(&mut order)?;
    }
    Ok(order)
}

/// `permute`, `transpose`, `movedim`, `t` and their kin.
pub fn permute(cx: &mut Infer<'_>) -> Metas {
    Ok(vec![reordered(cx.meta("self")?, &dimension_order(cx)?)])
}

/// Sizes of 1 and missing leading dimensions repeated with stride 0; `-1` keeps a size.
pub fn expand(cx: &mut Infer<'_>) -> Metas {
    let asked = match cx.op.schema().arg("size") {
        Some(_) => cx.ints("size")?.to_vec(),
        None => cx.meta("other")?.shape.clone(),
    };
    Ok(vec![expanded(cx, cx.meta("self")?, &asked)?])
}

/// A tensor expanded to `asked`.
pub fn expanded(cx: &mut Infer<'_>, meta: &TensorMeta, asked: &[SymInt]) -> Result<TensorMeta, MetaError> {
    let syms = cx.syms();
    let wrong = || {
        let (a, b) = (syms.display_list(&meta.shape), syms.display_list(asked));
        format!("{a} cannot be expanded to {b}")
    };
    if asked.len() < meta.rank() {
        return Err(cx.shape_error(wrong()));
    }
    let skip = asked.len() - meta.rank();
    let (zero, one) = (syms.constant(0), syms.constant(1));
    let (mut shape, mut strides) = (asked.to_vec(), vec![zero; asked.len()]);
    for k in (0..asked.len()).rev() {
        let own = k.checked_sub(skip);
        let size = own.map_or(one, |o| meta.shape[o]);
        let stride = match own {
            Some(o) => meta.strides[o],
            None if k + 1 < asked.len() => syms.mul(shape[k + 1], strides[k + 1]),
            None => one,
        };
        if syms.as_const(asked[k]) == Some(-1) {
            if own.is_none() {
                return Err(cx.shape_error(format!("{}: -1 for a new dimension", wrong())));
            }
            shape[k] = size;
        }
        if shape[k] == size {
            strides[k] = stride;
        } else if size != one {
            cx.require(syms.eq(shape[k], size), wrong())?;
            strides[k] = stride;
        }
    }
    Ok(TensorMeta { dtype: meta.dtype, shape, strides, offset: meta.offset })
}

/// All tensors broadcast to their common shape.
pub fn broadcast_tensors(cx: &mut Infer<'_>) -> Metas {
    let metas = cx.metas("tensors")?;
    let shapes: Vec<&[SymInt]> = metas.iter().map(|m| &m.shape[..]).collect();
    let shape = super::broadcast(cx, &shapes)?;
    metas.into_iter().map(|m| expanded(cx, m, &shape)).collect()
}

/// A dimension of size 1 before `dim`.
pub fn unsqueeze(cx: &mut Infer<'_>) -> Metas {
    let mut meta = cx.meta("self")?.clone();
    let dim = cx.dim(cx.known_int("dim")?, meta.rank() + 1)?;
    insert_one(cx, &mut meta, dim);
    Ok(vec![meta])
}

fn insert_one(cx: &Infer<'_>, meta: &mut TensorMeta, dim: usize) {
    let syms = cx.syms();
    let one = syms.constant(1);
    let stride = if dim < meta.rank() { syms.mul(meta.shape[dim], meta.strides[dim]) } else { one };
    meta.shape.insert(dim, one);
    meta.strides.insert(dim, stride);
}

/// The dimensions that a squeezing operator drops: those asked for whose size is 1.
pub fn squeezed_dims(cx: &mut Infer<'_>) -> Result<Vec<usize>, MetaError> {
    let meta = cx.meta("self")?;
    let rank = meta.rank();
    let one_dim = |arg: &str| cx.known_int(arg).and_then(|d| cx.dim(d, rank));
    let asked: Vec<usize> = match cx.op.schema().arg("dim").map(|k| cx.op.schema().args[k].ty.list) {
        None => (0..rank).collect(),
        Some(false) => vec![one_dim("dim")?],
        Some(true) => cx.known_ints("dim")?.into_iter().map(|d| cx.dim(d, rank)).collect::<Result<_, _>>()?,
    };
    let syms = cx.syms();
    let mut dropped = Vec::new();
    for k in asked.into_iter().filter(|k| *k < rank) {
        let size = meta.shape[k];
        if syms.as_const(size) == Some(1) {
            dropped.push(k);
        } else if syms.range(size).contains(1) {
            // PyTorch specialises on "is not 1" as well.
            let text = syms.display(size);
            let message = format!("dimension {k} of size {text} was taken to be other than 1");
            cx.require(syms.ne(size, syms.constant(1)), message)?;
        }
    }
    Ok(dropped)
}

/// Dimensions of size 1 left out.
pub fn squeeze(cx: &mut Infer<'_>) -> Metas {
    let dropped = squeezed_dims(cx)?;
    let meta = cx.meta("self")?;
    let kept: Vec<usize> = (0..meta.rank()).filter(|k| !dropped.contains(k)).collect();
    Ok(vec![reordered(meta, &kept)])
}

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
    Ok(vec![sliced(cx, meta, dim, start, length, step)])
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
    Ok((0..count).map(|k| selected(cx, meta, dim, syms.constant(k))).collect())
}

/// A size that decides how many results there are.
fn known_count(cx: &Infer<'_>, size: SymInt) -> Result<i64, MetaError> {
    cx.syms().as_const(size).ok_or_else(|| {
        let text = cx.syms().display(size);
        cx.error(Status::Unsupported, format!("the number of results depends on the size {text}"))
    })
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
        let mut start = zero;
        let mut parts = Vec::with_capacity(sizes.len());
        for s in sizes {
            parts.push((start, *s));
            start = syms.add(start, *s);
        }
        (parts, start)
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
    let count = known_count(cx, size);
    let sizes: Vec<i64> = if has("sections") {
        let (sections, count) = (cx.known_int("sections")?, count?);
        let even = !name.contains("tensor_split");
        if sections <= 0 || (even && count % sections != 0) {
            let message = format!("size {count} of dimension {dim} cannot be split into {sections} parts");
            return Err(cx.error(Status::InvalidArgument, message));
        }
        (0..sections).map(|k| count / sections + (k < count % sections) as i64).collect()
    } else {
        let (chunks, each) = if has("chunks") {
            let chunks = cx.known_int("chunks")?;
            if chunks <= 0 {
                return Err(cx.error(Status::InvalidArgument, "chunk needs a number of chunks above 0"));
            }
            match count {
                Ok(count) => (Some(chunks), (count + chunks - 1) / chunks),
                // The same number of equal parts, when the size is divisible for all values.
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
        match (each, chunks) {
            // An empty dimension in chunks: as many empty ones.
            (0, Some(n)) => vec![0; n as usize],
            (0, None) => vec![0],
            _ if count == 0 => vec![0],
            _ => (0..(count + each - 1) / each).map(|k| each.min(count - k * each)).collect(),
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

/// Storage of `self` looked at with other sizes, strides and offset.
pub fn as_strided(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let (shape, strides) = (cx.ints("size")?.to_vec(), cx.ints("stride")?.to_vec());
    if shape.len() != strides.len() {
        return Err(cx.error(Status::InvalidArgument, "as many strides as sizes are needed"));
    }
    let offset = cx.optional_int("storage_offset").unwrap_or(meta.offset);
    Ok(vec![TensorMeta { dtype: meta.dtype, shape, strides, offset }])
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

/// At least one, two or three dimensions; `tensors` give one result each.
pub fn atleast(cx: &mut Infer<'_>) -> Metas {
    let metas = match cx.op.schema().arg("tensors") {
        Some(_) => cx.metas("tensors")?,
        None => vec![cx.meta("self")?],
    };
    let least = if cx.op.name().contains("1d") {
        1
    } else if cx.op.name().contains("2d") {
        2
    } else {
        3
    };
    let grow = |meta: &TensorMeta| {
        let mut result = meta.clone();
        if least == 3 && meta.rank() == 2 {
            insert_one(cx, &mut result, 2);
            return result;
        }
        while result.rank() < least {
            // `atleast_3d` puts a vector in the middle.
            let dim = if least == 3 && result.rank() == 2 { 2 } else { 0 };
            insert_one(cx, &mut result, dim);
        }
        result
    };
    Ok(metas.into_iter().map(grow).collect())
}

/// A copy of what the view of the same name shows: the same shape, contiguous.
pub fn copied(metas: Metas, cx: &Infer<'_>) -> Metas {
    let contiguous = |m: TensorMeta| {
        let strides = contiguous_strides(cx.syms(), &m.shape);
        TensorMeta { strides, offset: cx.syms().constant(0), ..m }
    };
    Ok(metas?.into_iter().map(contiguous).collect())
}

macro_rules! copies {
    ($($(#[$doc:meta])* $name:ident = $view:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(cx: &mut Infer<'_>) -> Metas {
            let metas = $view(cx);
            copied(metas, cx)
        }
    )*};
}

copies! {
    /// `alias`, copied.
    alias_copy = alias;
    /// `view`, copied.
    view_copy = view;
    /// `permute` and its kin, copied.
    permute_copy = permute;
    /// `expand`, copied.
    expand_copy = expand;
    /// `unsqueeze`, copied.
    unsqueeze_copy = unsqueeze;
    /// `squeeze`, copied.
    squeeze_copy = squeeze;
    /// `slice`, copied.
    slice_copy = slice;
    /// `narrow`, copied.
    narrow_copy = narrow;
    /// `select`, copied.
    select_copy = select;
    /// `split` and its kin, copied.
    split_copy = split;
    /// `unbind`, copied.
    unbind_copy = unbind;
    /// `diagonal`, copied.
    diagonal_copy = diagonal;
    /// `as_strided`, copied.
    as_strided_copy = as_strided;
    /// `unfold`, copied.
    unfold_copy = unfold;
}
