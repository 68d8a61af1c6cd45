//! Views: results that share the storage of `self`, with PyTorch's strides and offsets. Those that leave elements out
//! stand in `part`.

use super::part::{diagonal, narrow, select, slice, split, unbind, unfold};
use crate::base::{StableSort, Status};
use crate::meta::{Infer, MetaError};
use crate::types::{Dtype, SymInt, TensorMeta, contiguous_strides, view_strides};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// `self` itself.
pub fn alias(cx: &mut Infer<'_>) -> Metas {
    Ok(vec![cx.meta("self")?.clone()])
}

/// `self` with its sign turned.
pub fn negative_alias(cx: &mut Infer<'_>) -> Metas {
    if cx.meta("self")?.dtype == Dtype::Bool {
        return Err(cx.error(Status::Dtype, "a bool tensor has no such operation"));
    }
    alias(cx)
}

/// `self` in another shape; `-1` stands for what is left.
pub fn view(cx: &mut Infer<'_>) -> Metas {
    let asked = cx.ints(if cx.op.schema().arg("size").is_some() { "size" } else { "shape" })?;
    let shape = resolve_shape(cx, &cx.meta("self")?.shape, asked)?;
    reshaped(cx, shape)
}

/// The bits of `self` as another dtype, in place; elements of another size change the last dimension.
pub fn view_dtype(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let Some(dtype) = cx.dtype("dtype") else {
        return Err(cx.error(Status::InvalidArgument, "a dtype is needed"));
    };
    let (from, to) = (meta.dtype.size() as i64, dtype.size() as i64);
    let mut result = TensorMeta { dtype, ..meta.clone() };
    if from == to {
        return Ok(vec![result]);
    }
    let syms = cx.syms();
    let change = format!("from {} to {dtype}", meta.dtype);
    let Some(last) = meta.rank().checked_sub(1) else {
        return Err(cx.shape_error(format!("a 0-d tensor has no dimension that could change size {change}")));
    };
    let next = syms.eq(meta.strides[last], syms.constant(1));
    cx.require(next, format!("the stride of the last dimension must be 1 to view it {change}"))?;
    let scaled = |value: SymInt| match from > to {
        true => Some(syms.mul_const(value, from / to)),
        false => syms.divide_exact(value, syms.constant(to / from)),
    };
    let whole = |cx: &mut Infer<'_>, what: String, value: SymInt| match scaled(value) {
        Some(scaled) => Ok(scaled),
        None => {
            let parts = syms.constant(to / from);
            let condition = syms.eq(syms.modulo(value, parts), syms.constant(0));
            let message = format!("{what}, {}, must be divisible by {}", syms.display(value), to / from);
            cx.require(condition, format!("{message} to view it {change}"))?;
            Ok(syms.floordiv(value, parts))
        }
    };
    result.shape[last] = whole(cx, "the size of the last dimension".to_string(), meta.shape[last])?;
    result.offset = whole(cx, "the offset".to_string(), meta.offset)?;
    for k in 0..last {
        result.strides[k] = whole(cx, format!("the stride of dimension {k}"), meta.strides[k])?;
    }
    Ok(vec![result])
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
/// A view of a contiguous tensor, and a copy of any other, even where a view would do.
pub fn ravel(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?;
    let numel = own.numel(cx.syms());
    if !own.is_contiguous(cx.syms()) {
        return Ok(vec![TensorMeta::contiguous(cx.syms(), own.dtype, vec![numel])]);
    }
    reshaped(cx, vec![numel])
}

/// Dimension `dim` split into `sizes`.
pub fn unflatten(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let dim = cx.dim(cx.known_int("dim")?, meta.rank())?;
    if meta.rank() == 0 || cx.ints("sizes")?.is_empty() {
        return Err(cx.error(Status::InvalidArgument, "a dimension and one or more sizes are needed"));
    }
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
        cx.require(syms.lt(syms.constant(0), known), wrong.clone())?;
        shape[*k] = syms.divide_exact(numel, known).unwrap_or_else(|| syms.floordiv(numel, known));
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
pub(super) fn reordered(meta: &TensorMeta, order: &[usize]) -> TensorMeta {
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
        if rank == 1 {
            return Err(cx.error(Status::InvalidArgument, "a vector has no two dimensions to swap"));
        }
        // PyTorch passes a 0-d tensor on.
        if rank == 0 {
            return Ok(());
        }
        order.swap(rank - 2, rank - 1);
        Ok(())
    };
    if cx.op.schema().arg("dims").is_some() {
        let dims = cx.known_ints("dims")?;
        order = dims.iter().map(|d| cx.dim(*d, rank)).collect::<Result<_, _>>()?;
        let mut sorted = order.clone();
        sorted.stable_sort();
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
    if (1..asked.len()).any(|k| asked[..k].contains(&asked[k])) {
        return Err(cx.error(Status::InvalidArgument, "a dimension is named twice"));
    }
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

/// Storage of `self` looked at with other sizes, strides and offset.
pub fn as_strided(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    let (shape, strides) = (cx.ints("size")?.to_vec(), cx.ints("stride")?.to_vec());
    if shape.len() != strides.len() {
        return Err(cx.error(Status::InvalidArgument, "as many strides as sizes are needed"));
    }
    let offset = cx.optional_int("storage_offset").unwrap_or(meta.offset);
    let (syms, zero) = (cx.syms(), cx.syms().constant(0));
    for (what, list) in [("size", &shape[..]), ("stride", &strides), ("storage offset", &[offset])] {
        for number in list {
            let message = format!("{what} {} is negative", syms.display(*number));
            cx.require(syms.le(zero, *number), message)?;
        }
    }
    Ok(vec![TensorMeta { dtype: meta.dtype, shape, strides, offset }])
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
    negative_alias_copy = negative_alias;
    /// `view`, copied.
    view_copy = view;
    /// `view` as another dtype, copied.
    view_dtype_copy = view_dtype;
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
