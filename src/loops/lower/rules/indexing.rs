//! Reading at indices that are data, and what is built from it. Every index is checked before it is used; a run with
//! one that is out of bounds fails with a message that names the operator.

use super::view::{dim_arg, from_meta, infer_of, reshape_lazy};
use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{BinaryOp, ExprId, NodeKind, ReductionOp};
use crate::meta::rules::{advanced_index, search_sequence, take_along_shape};
use crate::ops::OpId;
use crate::types::{Dtype, SymInt, flatten_index, promote, unflatten_index};

type Results = Result<Vec<Lazy>, LowerError>;

/// An index as int64 within `[0, size)`: checked, and with negative ones counted from the end where `wrap` says so.
pub(super) fn checked(
    cx: &mut Lower<'_>,
    index: ExprId,
    size: SymInt,
    wrap: bool,
    message: String,
) -> ExprId {
    let assertion = cx.assertion(message);
    let e = &mut cx.program.exprs;
    let value = e.cast(index, Dtype::Int64);
    let (zero, size) = (e.int(0, Dtype::Int64), e.index_value(size, Dtype::Int64));
    let value = if wrap {
        let negative = e.binary(BinaryOp::Lt, value, zero);
        let moved = e.binary(BinaryOp::Add, value, size);
        e.select(negative, moved, value)
    } else {
        value
    };
    let (low, high) = (e.binary(BinaryOp::Le, zero, value), e.binary(BinaryOp::Lt, value, size));
    let inside = e.binary(BinaryOp::LogicalAnd, low, high);
    e.check(inside, value, assertion)
}

/// PyTorch's words; which index it was is not known here.
pub(super) fn out_of_bounds(cx: &Lower<'_>, args: &Args<'_>, dim: usize, size: SymInt) -> String {
    let (op, size) = (args.node.op.name(), cx.syms().display(size));
    format!("{op}: index is out of bounds for dimension {dim} with size {size}")
}

fn out_of_range(args: &Args<'_>) -> String {
    format!("{}: index out of range in self", args.node.op.name())
}

/// A tensor without dimensions as a vector of one element.
pub(super) fn at_least_1d(cx: &mut Lower<'_>, lazy: Lazy) -> Lazy {
    if lazy.sizes.is_empty() {
        let one = cx.syms().constant(1);
        return reshape_lazy(cx, &lazy, &[one]);
    }
    lazy
}

/// Rows of a table.
pub fn embedding(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (weight, indices) = (args.lazy(cx, "weight")?, args.lazy(cx, "indices")?);
    let sizes = args.result(0).shape.clone();
    let vars = cx.vars(&sizes);
    let (column, place) = (vars[vars.len() - 1], &vars[..vars.len() - 1]);
    let index = cx.at(&indices, place);
    let row = checked(cx, index, weight.sizes[0], false, out_of_range(args));
    let index = vec![cx.syms().data_var(0), column];
    let expr = cx.at_data(&weight, index, vec![row]);
    Ok(vec![Lazy { sizes, expr }])
}

/// The index into `self` and its data at the point `vars` of an advanced index's result.
pub(super) fn advanced_place(
    cx: &mut Lower<'_>,
    args: &Args<'_>,
    sizes: &[SymInt],
    vars: &[SymInt],
    check: bool,
) -> Result<(Vec<SymInt>, Vec<ExprId>), LowerError> {
    let advanced = advanced_index(&mut infer_of(args)).map_err(from_meta)?;
    let list = args.values("indices");
    let (start, end) = (advanced.at, advanced.at + advanced.shape.len());
    let mut kept = vars[..start].iter().chain(&vars[end..]).copied();
    let zero = cx.syms().constant(0);
    let (mut index, mut data) = (Vec::new(), Vec::new());
    for (k, size) in sizes.iter().enumerate() {
        match advanced.dims.iter().find(|d| d.0 == k).and_then(|d| list[d.1]) {
            None => index.push(kept.next().unwrap_or(zero)),
            Some(value) => {
                let source = cx.value(value);
                let expr = cx.broadcast(&source, &advanced.shape);
                let spread = Lazy { sizes: advanced.shape.clone(), expr };
                let expr = cx.at(&spread, &vars[start..end]);
                index.push(cx.syms().data_var(data.len() as u32));
                data.push(if check {
                    let message = out_of_bounds(cx, args, k, *size);
                    checked(cx, expr, *size, true, message)
                } else {
                    let expr = cx.program.exprs.cast(expr, Dtype::Int64);
                    wrapped_and_clamped(cx, expr, *size)
                });
            }
        }
    }
    Ok((index, data))
}

/// An index that may be anything where it is not used: wrapped, then moved into `[0, size)`.
fn wrapped_and_clamped(cx: &mut Lower<'_>, index: ExprId, size: SymInt) -> ExprId {
    let e = &mut cx.program.exprs;
    let (zero, all) = (e.int(0, Dtype::Int64), e.index_value(size, Dtype::Int64));
    let negative = e.binary(BinaryOp::Lt, index, zero);
    let moved = e.binary(BinaryOp::Add, index, all);
    let index = e.select(negative, moved, index);
    cx.clamped(index, size)
}

/// `self[indices]`
pub fn index(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let sizes = args.result(0).shape.clone();
    let vars = cx.vars(&sizes);
    let (index, data) = advanced_place(cx, args, &source.sizes, &vars, true)?;
    let expr = if data.is_empty() { cx.at(&source, &index) } else { cx.at_data(&source, index, data) };
    Ok(vec![Lazy { sizes, expr }])
}

/// `self[indices]` where the mask holds; indices elsewhere may be anything.
pub fn masked_index(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (source, mask) = (args.lazy(cx, "self")?, args.lazy(cx, "mask")?);
    let result = args.result(0);
    let sizes = result.shape.clone();
    let advanced = advanced_index(&mut infer_of(args)).map_err(from_meta)?;
    if advanced.result.len() != sizes.len() {
        return Err(cx.unsupported("a mask of more dimensions than the indexed tensor"));
    }
    let vars = cx.vars(&sizes);
    let (index, data) = advanced_place(cx, args, &source.sizes, &vars, false)?;
    let value = if data.is_empty() { cx.at(&source, &index) } else { cx.at_data(&source, index, data) };
    let condition = cx.broadcast(&mask, &sizes);
    let condition = cx.program.exprs.cast(condition, Dtype::Bool);
    let fill = args.number(cx, "fill", result.dtype);
    let fill = fill.unwrap_or_else(|| cx.program.exprs.int(0, result.dtype));
    let expr = cx.program.exprs.masked(condition, value, fill);
    Ok(vec![Lazy { sizes, expr }])
}

/// `self` at `index` along a dimension.
pub fn gather(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (source, index) = (args.lazy(cx, "self")?, args.lazy(cx, "index")?);
    let sizes = args.result(0).shape.clone();
    let dim = dim_arg(args, "dim", source.sizes.len())?;
    Ok(vec![gathered(cx, args, source, index, dim, &sizes)])
}

/// `take_along_dim` counts negative indices from the end of its dimension. Without one it takes none, and `gather` never does.
fn gathered(
    cx: &mut Lower<'_>,
    args: &Args<'_>,
    source: Lazy,
    index: Lazy,
    dim: usize,
    sizes: &[SymInt],
) -> Lazy {
    let (source, index) = (at_least_1d(cx, source), at_least_1d(cx, index));
    if index.sizes.len() != source.sizes.len() {
        // Only an index without elements may have other dimensions than `self`.
        let expr = cx.program.exprs.int(0, args.result(0).dtype);
        return Lazy { sizes: sizes.to_vec(), expr };
    }
    let size = source.sizes[dim];
    let message = out_of_bounds(cx, args, dim, size);
    let wraps = args.node.op == OpId::TakeAlongDim && args.int("dim").is_some();
    let row = checked(cx, index.expr, size, wraps, message);
    let mut place = cx.vars(&index.sizes);
    place[dim] = cx.syms().data_var(0);
    let expr = cx.at_data(&source, place, vec![row]);
    let result = Lazy { sizes: index.sizes.clone(), expr };
    if index.sizes.len() == sizes.len() { result } else { reshape_lazy(cx, &result, sizes) }
}

/// `gather` with broadcasting.
pub fn take_along_dim(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (source, index) = (args.lazy(cx, "self")?, args.lazy(cx, "indices")?);
    let sizes = args.result(0).shape.clone();
    if args.int("dim").is_none() {
        let numel = cx.syms().product(&source.sizes);
        let (source, index) = (reshape_lazy(cx, &source, &[numel]), reshape_lazy(cx, &index, &sizes));
        return Ok(vec![gathered(cx, args, source, index, 0, &sizes)]);
    }
    let dim = dim_arg(args, "dim", source.sizes.len())?;
    let shape = take_along_shape(&mut infer_of(args)).map_err(from_meta)?;
    let expr = cx.broadcast(&index, &shape);
    let index = Lazy { sizes: shape.clone(), expr };
    let mut spread = shape;
    if let Some(size) = spread.get_mut(dim) {
        *size = source.sizes[dim];
    }
    let expr = cx.broadcast(&source, &spread);
    let source = Lazy { sizes: spread, expr };
    Ok(vec![gathered(cx, args, source, index, dim, &sizes)])
}

/// `self` at every index of a vector along a dimension.
pub fn index_select(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (source, index) = (args.lazy(cx, "self")?, args.lazy(cx, "index")?);
    let sizes = args.result(0).shape.clone();
    let (source, index) = (at_least_1d(cx, source), at_least_1d(cx, index));
    let dim = dim_arg(args, "dim", source.sizes.len())?;
    let mut place = cx.vars(&sizes);
    let zero = cx.syms().constant(0);
    let var = place.get(dim).copied().unwrap_or(zero);
    let row = cx.at(&index, &[var]);
    let row = checked(cx, row, source.sizes[dim], false, out_of_range(args));
    let data = cx.syms().data_var(0);
    match place.get_mut(dim) {
        Some(p) => *p = data,
        None => place.push(data),
    }
    let expr = cx.at_data(&source, place, vec![row]);
    Ok(vec![Lazy { sizes, expr }])
}

/// Elements of the flat tensor.
pub fn take(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (source, index) = (args.lazy(cx, "self")?, args.lazy(cx, "index")?);
    let numel = cx.syms().product(&source.sizes);
    let message = out_of_bounds(cx, args, 0, numel);
    let flat = checked(cx, index.expr, numel, true, message);
    let data = cx.syms().data_var(0);
    let place = unflatten_index(cx.syms(), &source.sizes, data);
    let expr = cx.at_data(&source, place, vec![flat]);
    Ok(vec![Lazy { sizes: index.sizes, expr }])
}

/// How many of the flat mask's elements up to and with each one are set, as int64.
pub(super) fn running_count(cx: &mut Lower<'_>, mask: &Lazy) -> Lazy {
    let numel = cx.syms().product(&mask.sizes);
    let flat = reshape_lazy(cx, mask, &[numel]);
    let flag = cx.program.exprs.cast(flat.expr, Dtype::Bool);
    let value = cx.program.exprs.cast(flag, Dtype::Int64);
    let ones = Lazy { sizes: flat.sizes, expr: value };
    super::scan::scanned(cx, &ones, 0, crate::loops::ScanOp::Sum).remove(0)
}

/// `self` with elements of `source` in order wherever the mask holds.
pub fn masked_scatter(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (target, mask) = (args.lazy(cx, "self")?, args.lazy(cx, "mask")?);
    let source = args.lazy(cx, "source")?;
    let sizes = args.result(0).shape.clone();
    let expr = cx.broadcast(&mask, &sizes);
    let mask = Lazy { sizes: sizes.clone(), expr };
    let counts = running_count(cx, &mask);
    let vars = cx.vars(&sizes);
    let flat = flatten_index(cx.syms(), &sizes, &vars);
    let count = cx.at(&counts, &[flat]);
    let one = cx.program.exprs.int(1, Dtype::Int64);
    let place = cx.program.exprs.binary(BinaryOp::Sub, count, one);
    let numel = cx.syms().product(&source.sizes);
    let message = format!("{}: `source` has fewer elements than the mask chooses", args.node.op.name());
    let place = checked(cx, place, numel, false, message);
    let data = cx.syms().data_var(0);
    let index = unflatten_index(cx.syms(), &source.sizes, data);
    let value = cx.at_data(&source, index, vec![place]);
    let otherwise = cx.broadcast(&target, &sizes);
    let expr = cx.program.exprs.masked(mask.expr, value, otherwise);
    Ok(vec![Lazy { sizes, expr }])
}

/// Numbers as unit vectors.
pub fn one_hot(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let sizes = args.result(0).shape.clone();
    let vars = cx.vars(&sizes);
    let last = sizes.len() - 1;
    let class = cx.at(&source, &vars[..last]);
    let message = format!("{}: class values must be from 0 to below num_classes", args.node.op.name());
    let class = checked(cx, class, sizes[last], false, message);
    let e = &mut cx.program.exprs;
    let own = e.index_value(vars[last], Dtype::Int64);
    let same = e.binary(BinaryOp::Eq, class, own);
    let expr = e.cast(same, Dtype::Int64);
    Ok(vec![Lazy { sizes, expr }])
}

/// A place in a sequence.
enum Place {
    Variable(SymInt),
    Value(ExprId),
}

/// `searchsorted` and `bucketize`: how many of the sorted numbers come before each one.
pub fn search(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let sequence_name = search_sequence(&infer_of(args));
    let sequence = args.lazy(cx, sequence_name)?;
    let result = args.result(0);
    let schema = args.node.op.schema();
    let side = schema.arg("side").and_then(|_| args.string("side"));
    let right = args.bool("right") || side == Some("right");
    let inner = sequence.sizes[sequence.sizes.len() - 1];
    let mut space = result.shape.clone();
    space.push(inner);
    let vars = cx.vars(&space);
    let (rank, own) = (result.rank(), &vars[..result.rank()]);
    let head = if sequence.sizes.len() == 1 { Vec::new() } else { own[..rank - 1].to_vec() };
    let sorter = schema.arg("sorter").and_then(|_| args.optional_lazy(cx, "sorter"));
    let message = format!("{}: `sorter` is out of bounds", args.node.op.name());
    // The element at a place in order: a loop variable, or an expression.
    let element = |cx: &mut Lower<'_>, place: Place| {
        let mut index = head.clone();
        index.push(if let Place::Variable(var) = place { var } else { cx.syms().data_var(0) });
        let data = if let Place::Value(value) = place { vec![value] } else { Vec::new() };
        let Some(sorter) = &sorter else {
            return if data.is_empty() {
                cx.at(&sequence, &index)
            } else {
                cx.at_data(&sequence, index, data)
            };
        };
        let order =
            if data.is_empty() { cx.at(sorter, &index) } else { cx.at_data(sorter, index.clone(), data) };
        let order = checked(cx, order, inner, false, message.clone());
        if let Some(last) = index.last_mut() {
            *last = cx.syms().data_var(0);
        }
        cx.at_data(&sequence, index, vec![order])
    };
    let dtype = cx.program.exprs.dtype(sequence.expr);
    let number = match args.optional_lazy(cx, "self") {
        Some(numbers) => cx.at(&numbers, own),
        None => {
            // A fraction among integers compares as one, and a whole number among bools.
            let wide = match args.get("self") {
                crate::ir::Arg::Float(_) if !dtype.is_float() => Dtype::Float32,
                crate::ir::Arg::Int(_) if dtype == Dtype::Bool => Dtype::Int64,
                _ => dtype,
            };
            let number = args.number(cx, "self", wide);
            number.ok_or_else(|| cx.unsupported("`self` must be a number"))?
        }
    };
    let other = cx.program.exprs.dtype(number);
    let common = promote(dtype, other)
        .ok_or_else(|| cx.unsupported(format!("{dtype} and {other} cannot be compared")))?
        .compute();
    let common = if common == Dtype::Bool { Dtype::Uint8 } else { common };
    let number = cx.cast(number, common);
    // "Not above" rather than "below", so that NaN comes behind all numbers, as it is sorted.
    let op = if right { BinaryOp::Gt } else { BinaryOp::Ge };
    use crate::loops::UnaryOp::LogicalNot;
    let comes_before = |cx: &mut Lower<'_>, place: Place| {
        let element = element(cx, place);
        let element = cx.cast(element, common);
        let after = cx.bin(op, element, number);
        cx.un(LogicalNot, after)
    };
    if let Some(count) = cx.syms().as_const(inner).filter(|n| *n > 0) {
        // The very steps that PyTorch takes, so that a sequence that is not in order gives the same.
        let int = |cx: &mut Lower<'_>, v: i64| cx.program.exprs.int(v, Dtype::Int64);
        let one = int(cx, 1);
        let (mut place, mut end) = (int(cx, 0), int(cx, count));
        for _ in 0..64 - count.leading_zeros() {
            let open = cx.bin(BinaryOp::Lt, place, end);
            let room = cx.bin(BinaryOp::Sub, end, place);
            let half = cx.bin(BinaryOp::ShiftRight, room, one);
            let middle = cx.bin(BinaryOp::Add, place, half);
            // Once the place is found it may lie behind the last element, which then is looked at for nothing.
            let at = cx.clamped(middle, inner);
            let before = comes_before(cx, Place::Value(at));
            let (next, after) = (cx.bin(BinaryOp::Add, middle, one), cx.un(LogicalNot, before));
            let (up, down) =
                (cx.bin(BinaryOp::LogicalAnd, open, before), cx.bin(BinaryOp::LogicalAnd, open, after));
            place = cx.program.exprs.select(up, next, place);
            end = cx.program.exprs.select(down, middle, end);
        }
        let expr = cx.cast(place, result.dtype);
        return Ok(vec![Lazy { sizes: result.shape.clone(), expr }]);
    }
    let before = comes_before(cx, Place::Variable(vars[rank]));
    let value = cx.cast(before, Dtype::Int64);
    let out = cx.program.temporary(Dtype::Int64, &result.shape);
    cx.push(NodeKind::Reduction {
        sizes: result.shape.clone(),
        reduced: vec![inner],
        op: ReductionOp::Sum,
        value,
        outs: vec![out],
    });
    let mut counts = cx.load_all(out);
    counts.expr = cx.program.exprs.cast(counts.expr, result.dtype);
    Ok(vec![counts])
}
