//! Views and their copies: pure index mapping, nothing is computed or moved here.

use crate::base::StableSort;
use crate::ir::{Graph, Value};
use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::meta::rules::{dimension_order, split_parts, squeezed_dims};
use crate::meta::{Infer, MetaError};
use crate::ops::{Class, OpId};
use crate::types::{SymInt, TensorMeta, reshape_index, slice_range, unflatten_index};

type Results = Result<Vec<Lazy>, LowerError>;

/// The one result whose element at its variables is `self` at `index` of them.
pub(super) fn remapped(
    cx: &mut Lower<'_>,
    args: &Args<'_>,
    index: impl FnOnce(&mut Lower<'_>, &[SymInt]) -> Result<Vec<SymInt>, LowerError>,
) -> Results {
    let source = args.lazy(cx, source_name(args))?;
    let sizes = args.result(0).shape.clone();
    let vars = cx.vars(&sizes);
    let index = index(cx, &vars)?;
    let expr = cx.at(&source, &index);
    Ok(vec![Lazy { sizes, expr }])
}

/// The name of the argument that a view shows; the `linalg` operators call it `A`.
fn source_name(args: &Args<'_>) -> &'static str {
    if args.node.op.schema().arg("A").is_some() { "A" } else { "self" }
}

/// The inferring view of a node, for facts that its meta rule found.
pub(super) fn infer_of<'a>(args: &Args<'a>) -> Infer<'a> {
    Infer { graph: args.graph, op: args.node.op, args: &args.node.args, guards: Vec::new() }
}

pub(super) fn from_meta(error: MetaError) -> LowerError {
    let error = error.into_fields();
    LowerError::new(error.status, error.op, error.message, error.origins)
}

/// A dimension argument, counted from the start.
pub(super) fn dim_arg(args: &Args<'_>, name: &str, rank: usize) -> Result<usize, LowerError> {
    infer_of(args).dim(args.known_int(name)?, rank).map_err(from_meta)
}

/// `self` itself.
pub fn alias(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    remapped(cx, args, |_, vars| Ok(vars.to_vec()))
}

/// A complex tensor as its parts, or the other way round: at the boundary of a graph, where complex numbers are held as parts.
pub fn parts(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    Ok(vec![args.lazy(cx, "self")?])
}

/// A value in another shape, in row-major order.
pub(super) fn reshape_lazy(cx: &mut Lower<'_>, source: &Lazy, sizes: &[SymInt]) -> Lazy {
    let vars = cx.vars(sizes);
    let index = reshape_index(cx.syms(), &source.sizes, sizes, &vars);
    let expr = cx.at(source, &index);
    Lazy { sizes: sizes.to_vec(), expr }
}

/// `view`, `reshape`, `flatten`, `unflatten` and their kin.
pub fn reshape(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    Ok(vec![reshape_lazy(cx, &source, &args.result(0).shape)])
}

/// `permute`, `transpose`, `movedim`, `t` and their kin.
pub fn permute(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let order = dimension_order(&infer_of(args)).map_err(from_meta)?;
    remapped(cx, args, |cx, vars| {
        let mut index = vec![cx.syms().constant(0); vars.len()];
        for (var, k) in vars.iter().zip(order) {
            index[k] = *var;
        }
        Ok(index)
    })
}

/// Repeats sizes of 1 and missing leading dimensions.
pub fn expand(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let sizes = args.result(0).shape.clone();
    let expr = cx.broadcast(&source, &sizes);
    Ok(vec![Lazy { sizes, expr }])
}

/// All tensors in their common shape.
pub fn broadcast_tensors(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let mut results = Vec::new();
    for (k, value) in args.values("tensors").into_iter().flatten().enumerate() {
        let source = cx.value(value);
        let sizes = args.result(k).shape.clone();
        let expr = cx.broadcast(&source, &sizes);
        results.push(Lazy { sizes, expr });
    }
    Ok(results)
}

/// A new dimension of size 1.
pub fn unsqueeze(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let dim = dim_arg(args, "dim", args.result(0).rank())?;
    remapped(cx, args, |_, vars| {
        let mut index = vars.to_vec();
        index.remove(dim);
        Ok(index)
    })
}

/// Dimensions of size 1 left out.
pub fn squeeze(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let dropped = squeezed_dims(&mut infer_of(args)).map_err(from_meta)?;
    let rank = args.meta("self")?.rank();
    remapped(cx, args, |cx, vars| {
        let zero = cx.syms().constant(0);
        let mut rest = vars.iter().copied();
        let next = |k| if dropped.contains(&k) { zero } else { rest.next().unwrap_or(zero) };
        Ok((0..rank).map(next).collect())
    })
}

/// `tensors` or `self` with at least one, two or three dimensions.
pub fn atleast(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let sources = match args.node.op.schema().arg("tensors") {
        Some(_) => args.values("tensors").into_iter().flatten().collect(),
        None => vec![args.value("self")?],
    };
    Ok(sources
        .into_iter()
        .enumerate()
        .map(|(k, value)| {
            let source = cx.value(value);
            reshape_lazy(cx, &source, &args.result(k).shape)
        })
        .collect())
}

/// `self` with `start + step * i` in one dimension.
fn strided(
    cx: &mut Lower<'_>,
    source: &Lazy,
    sizes: &[SymInt],
    dim: usize,
    start: SymInt,
    step: SymInt,
) -> Lazy {
    let mut index = cx.vars(sizes);
    index[dim] = cx.syms().add(cx.syms().mul(index[dim], step), start);
    let expr = cx.at(source, &index);
    Lazy { sizes: sizes.to_vec(), expr }
}

/// Elements `start, start + step, …` before `end` of one dimension.
pub fn slice(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let dim = dim_arg(args, "dim", source.sizes.len())?;
    let step = args.int("step").unwrap_or(cx.syms().constant(1));
    let size = args.meta("self")?.shape[dim];
    let (start, _) = slice_range(cx.syms(), size, args.int("start"), args.int("end"), step);
    Ok(vec![strided(cx, &source, &args.result(0).shape, dim, start, step)])
}

/// An index argument, counted from the start of a dimension.
pub(super) fn wrapped(cx: &Lower<'_>, index: SymInt, size: SymInt) -> SymInt {
    let syms = cx.syms();
    syms.select(syms.lt(index, syms.constant(0)), syms.add(index, size), index)
}

/// `length` elements of a dimension from `start` on.
pub fn narrow(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let dim = dim_arg(args, "dim", source.sizes.len())?;
    let start = args.int("start").ok_or_else(|| cx.unsupported("`start` must be an integer"))?;
    let start = wrapped(cx, start, source.sizes[dim]);
    let one = cx.syms().constant(1);
    Ok(vec![strided(cx, &source, &args.result(0).shape, dim, start, one)])
}

/// `split`, `chunk`, `tensor_split` and their kin.
pub fn split(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (dim, parts) = split_parts(&mut infer_of(args)).map_err(from_meta)?;
    let source = args.lazy(cx, "self")?;
    let one = cx.syms().constant(1);
    Ok(parts
        .into_iter()
        .enumerate()
        .map(|(k, (start, _))| strided(cx, &source, &args.result(k).shape, dim, start, one))
        .collect())
}

fn selected(cx: &mut Lower<'_>, source: &Lazy, sizes: &[SymInt], dim: usize, at: SymInt) -> Lazy {
    let mut index = cx.vars(sizes);
    index.insert(dim, at);
    let expr = cx.at(source, &index);
    Lazy { sizes: sizes.to_vec(), expr }
}

/// One index of a dimension, which goes.
pub fn select(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let dim = dim_arg(args, "dim", source.sizes.len())?;
    let index = args.int("index").ok_or_else(|| cx.unsupported("`index` must be an integer"))?;
    let index = wrapped(cx, index, source.sizes[dim]);
    Ok(vec![selected(cx, &source, &args.result(0).shape, dim, index)])
}

/// Every index of a dimension on its own.
pub fn unbind(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let dim = dim_arg(args, "dim", source.sizes.len())?;
    Ok((0..args.node.outputs.len())
        .map(|k| {
            let at = cx.syms().constant(k as i64);
            selected(cx, &source, &args.result(k).shape, dim, at)
        })
        .collect())
}

/// The diagonal of two dimensions as the last one.
pub fn diagonal(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let rank = args.meta(source_name(args))?.rank();
    let (a, b) = (dim_arg(args, "dim1", rank)?, dim_arg(args, "dim2", rank)?);
    let offset = args.known_int("offset")?;
    remapped(cx, args, |cx, vars| {
        let (rest, last) = vars.split_at(vars.len() - 1);
        let mut rest = rest.iter().copied();
        let syms = cx.syms();
        let row = syms.add_const(last[0], offset.min(0).saturating_neg());
        let column = syms.add_const(last[0], offset.max(0));
        let zero = syms.constant(0);
        let at = |k| match k {
            _ if k == a => row,
            _ if k == b => column,
            _ => rest.next().unwrap_or(zero),
        };
        Ok((0..rank).map(at).collect())
    })
}

/// Windows along a dimension, as a new last dimension.
pub fn unfold(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let rank = args.meta("self")?.rank();
    let dim = dim_arg(args, "dimension", rank)?;
    let step = args.known_int("step")?;
    remapped(cx, args, |cx, vars| {
        let (rest, last) = vars.split_at(vars.len() - 1);
        let mut index = rest.to_vec();
        if rank > 0 {
            let syms = cx.syms();
            index[dim] = syms.add(syms.mul_const(index[dim], step), last[0]);
        }
        Ok(index)
    })
}

/// The value that owns the storage which `value` shows: views of a functional graph are looked through.
pub(super) fn storage_of(graph: &Graph, value: Value) -> Value {
    let mut value = value;
    while let Some(node) = graph.producer(value)
        && node.op.class() == Class::View
        // What shows other dtypes counts in other elements.
        && !matches!(node.op, OpId::ViewDtype | OpId::ViewAsReal | OpId::ViewAsComplex)
        && let Some(source) = node.uses().next()
        // A reshape that had to copy owns its storage.
        && (graph.meta(source).offset != graph.meta(value).offset
            || !graph.meta(value).is_contiguous(&graph.syms)
            || graph.meta(source).is_contiguous(&graph.syms))
    {
        value = source;
    }
    value
}

/// The index of storage position `position` (in elements) in a tensor that is dense in its storage.
pub(super) fn storage_index(cx: &Lower<'_>, meta: &TensorMeta, position: SymInt) -> Option<Vec<SymInt>> {
    let syms = cx.syms();
    let position = syms.sub(position, meta.offset);
    if meta.is_contiguous(syms) {
        return Some(unflatten_index(syms, &meta.shape, position));
    }
    let (sizes, strides) = (syms.as_consts(&meta.shape)?, syms.as_consts(&meta.strides)?);
    let mut order: Vec<usize> = (0..sizes.len()).filter(|k| sizes[*k] != 1).collect();
    order.stable_sort_by_key(|k| std::cmp::Reverse(strides[*k]));
    let mut step = 1;
    for k in order.iter().rev() {
        if strides[*k] != step {
            return None;
        }
        step *= sizes[*k];
    }
    let ordered: Vec<SymInt> = order.iter().map(|k| meta.shape[*k]).collect();
    let mut index = vec![syms.constant(0); sizes.len()];
    for (k, i) in order.into_iter().zip(unflatten_index(syms, &ordered, position)) {
        index[k] = i;
    }
    Some(index)
}

/// Storage looked at with other sizes and strides. The storage must be that of a dense tensor.
pub fn as_strided(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let owner = storage_of(args.graph, args.value("self")?);
    let meta = args.graph.meta(owner);
    let sizes = args.result(0).shape.clone();
    let vars = cx.vars(&sizes);
    let strides = args.ints("stride").unwrap_or(&[]).to_vec();
    let offset = args.int("storage_offset").unwrap_or(args.meta("self")?.offset);
    let position = strided_position(cx, &vars, &strides, offset);
    let index = storage_index(cx, meta, position)
        .ok_or_else(|| cx.unsupported("the storage of `self` is not that of a dense tensor"))?;
    require_within(cx, meta, &sizes, &strides, offset)?;
    let source = cx.value(owner);
    let expr = cx.at(&source, &index);
    Ok(vec![Lazy { sizes, expr }])
}

/// `offset + sum of index * stride`
pub(super) fn strided_position(
    cx: &Lower<'_>,
    index: &[SymInt],
    strides: &[SymInt],
    offset: SymInt,
) -> SymInt {
    let syms = cx.syms();
    index.iter().zip(strides).fold(offset, |sum, (i, s)| syms.add(sum, syms.mul(*i, *s)))
}

/// Refuses a strided view that reaches beyond the storage of a dense tensor whatever its sizes are. Where symbols decide,
/// `loops::bounds` has a run check it.
pub(super) fn require_within(
    cx: &Lower<'_>,
    meta: &TensorMeta,
    sizes: &[SymInt],
    strides: &[SymInt],
    offset: SymInt,
) -> Result<(), LowerError> {
    let syms = cx.syms();
    if syms.as_const(syms.product(sizes)) == Some(0) {
        return Ok(());
    }
    let last: Vec<SymInt> = sizes.iter().map(|s| syms.add_const(*s, -1)).collect();
    let last = strided_position(cx, &last, strides, offset);
    let end = syms.add(meta.offset, meta.numel(syms));
    let may_be_empty = sizes.iter().any(|s| syms.range(*s).min < 1);
    let outside = syms.known_lt(offset, meta.offset) || syms.known_le(end, last);
    if may_be_empty || !outside {
        return Ok(());
    }
    let text = format!(
        "positions {} to {} do not lie within the {} elements of the storage",
        syms.display(offset),
        syms.display(last),
        syms.display(meta.numel(syms))
    );
    Err(cx.unsupported(text))
}
