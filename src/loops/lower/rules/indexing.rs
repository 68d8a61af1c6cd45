//! Reading and writing at indices that are data. Every index is checked before it is used; a run with one that is
//! out of bounds fails with a message that names the operator.

use super::view::{dim_arg, from_meta, infer_of, reshape_lazy};
use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{BinaryOp, ExprId, NodeKind, ReductionOp, ScatterMode};
use crate::meta::rules::{advanced_index, mask_of, search_sequence, take_along_shape};
use crate::types::{Dtype, Scalar, SymInt, flatten_index, promote, unflatten_index};

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
fn out_of_bounds(cx: &Lower<'_>, args: &Args<'_>, dim: usize, size: SymInt) -> String {
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
fn advanced_place(
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
                    clamped(cx, expr, *size)
                });
            }
        }
    }
    Ok((index, data))
}

/// An index that may be anything where it is not used: wrapped, then moved into `[0, size)`.
fn clamped(cx: &mut Lower<'_>, index: ExprId, size: SymInt) -> ExprId {
    let e = &mut cx.program.exprs;
    let (zero, one) = (e.int(0, Dtype::Int64), e.int(1, Dtype::Int64));
    let size = e.index_value(size, Dtype::Int64);
    let negative = e.binary(BinaryOp::Lt, index, zero);
    let moved = e.binary(BinaryOp::Add, index, size);
    let index = e.select(negative, moved, index);
    let last = e.binary(BinaryOp::Sub, size, one);
    let low = e.binary(BinaryOp::Maximum, index, zero);
    e.binary(BinaryOp::Minimum, low, last)
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

/// Writes to a copy of `target` at every point of `sizes`; arithmetic modes work in the compute dtype.
fn scatter_into(
    cx: &mut Lower<'_>,
    target: &Lazy,
    sizes: &[SymInt],
    index: Vec<SymInt>,
    data: Vec<ExprId>,
    value: ExprId,
    mode: ScatterMode,
) -> Lazy {
    let dtype = cx.program.exprs.dtype(target.expr);
    let (stored, mode) = match (mode, dtype) {
        (ScatterMode::Set, _) => (dtype, mode),
        // Sums of bools are "any", products "all".
        (ScatterMode::Add, Dtype::Bool) => (Dtype::Uint8, ScatterMode::Max),
        (ScatterMode::Multiply, Dtype::Bool) => (Dtype::Uint8, ScatterMode::Min),
        (_, Dtype::Bool) => (Dtype::Uint8, mode),
        _ => (dtype.compute(), mode),
    };
    let value = cx.program.exprs.cast(value, dtype);
    let value = cx.program.exprs.cast(value, stored);
    let initial = cx.program.exprs.cast(target.expr, stored);
    let out = cx.program.temporary(stored, &target.sizes);
    cx.push(NodeKind::Scatter { sizes: sizes.to_vec(), index, data, value, mode, initial, out });
    let mut result = cx.load_all(out);
    result.expr = cx.program.exprs.cast(result.expr, dtype);
    result
}

/// `self` with `values` at `indices`.
pub fn index_put(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (target, values) = (args.lazy(cx, "self")?, args.lazy(cx, "values")?);
    let accumulate = args.bool("accumulate");
    if let Some((place, mask)) = mask_of(&infer_of(args)) {
        return put_where(cx, &target, place, mask, &values, accumulate);
    }
    let advanced = advanced_index(&mut infer_of(args)).map_err(from_meta)?;
    let vars = cx.vars(&advanced.result);
    let value = cx.broadcast(&values, &advanced.result);
    let (index, data) = advanced_place(cx, args, &target.sizes, &vars, true)?;
    let mode = if accumulate { ScatterMode::Add } else { ScatterMode::Set };
    Ok(vec![scatter_into(cx, &target, &advanced.result, index, data, value, mode)])
}

/// `index_put` with a mask and values that do not depend on how many elements it chooses.
fn put_where(
    cx: &mut Lower<'_>,
    target: &Lazy,
    place: usize,
    mask: crate::ir::Value,
    values: &Lazy,
    accumulate: bool,
) -> Results {
    let mask = cx.value(mask);
    let end = place + mask.sizes.len();
    let vars = cx.vars(&target.sizes);
    if end > vars.len() {
        return Err(cx.unsupported("a mask of more dimensions than `self`"));
    }
    // The masked dimensions are one in the shape that the values are broadcast to.
    let (zero, one) = (cx.syms().constant(0), cx.syms().constant(1));
    let mut around: Vec<Option<SymInt>> = vars[..place].iter().copied().map(Some).collect();
    around.push(None);
    around.extend(vars[end..].iter().copied().map(Some));
    let Some(skip) = around.len().checked_sub(values.sizes.len()) else {
        return Err(cx.unsupported("values of more dimensions than the place they go to"));
    };
    let mut index = Vec::new();
    for (size, var) in values.sizes.iter().zip(&around[skip..]) {
        index.push(match var {
            _ if *size == one => zero,
            Some(var) => *var,
            None => return Err(cx.unsupported("the number of elements that a mask chooses depends on data")),
        });
    }
    let value = cx.at(values, &index);
    let condition = cx.at(&mask, &vars[place..end]);
    let dtype = cx.program.exprs.dtype(target.expr);
    let value = if accumulate {
        let e = &mut cx.program.exprs;
        let (a, b) = (e.cast(target.expr, dtype.compute()), e.cast(value, dtype.compute()));
        let op = if dtype == Dtype::Bool { BinaryOp::LogicalOr } else { BinaryOp::Add };
        let sum = e.binary(op, a, b);
        e.cast(sum, dtype)
    } else {
        cx.program.exprs.cast(value, dtype)
    };
    let expr = cx.program.exprs.select(condition, value, target.expr);
    Ok(vec![Lazy { sizes: target.sizes.clone(), expr }])
}

/// `self` plus `values` at `indices` where the mask holds; indices elsewhere may be anything.
pub fn masked_index_put(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (target, values) = (args.lazy(cx, "self")?, args.lazy(cx, "values")?);
    let mask = args.lazy(cx, "mask")?;
    let advanced = advanced_index(&mut infer_of(args)).map_err(from_meta)?;
    let vars = cx.vars(&advanced.result);
    if mask.sizes.len() > vars.len() || values.sizes.len() > vars.len() {
        return Err(cx.unsupported("a mask of more dimensions than the indexed tensor"));
    }
    let condition = cx.broadcast(&mask, &advanced.result);
    let condition = cx.program.exprs.cast(condition, Dtype::Bool);
    let value = cx.broadcast(&values, &advanced.result);
    let dtype = cx.program.exprs.dtype(value);
    let zero = cx.program.exprs.int(0, dtype);
    let value = cx.program.exprs.masked(condition, value, zero);
    let (index, data) = advanced_place(cx, args, &target.sizes, &vars, false)?;
    Ok(vec![scatter_into(cx, &target, &advanced.result, index, data, value, ScatterMode::Add)])
}

/// `self` at `index` along a dimension.
pub fn gather(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (source, index) = (args.lazy(cx, "self")?, args.lazy(cx, "index")?);
    let sizes = args.result(0).shape.clone();
    let dim = dim_arg(args, "dim", source.sizes.len())?;
    Ok(vec![gathered(cx, args, source, index, dim, &sizes)])
}

/// `take_along_dim` counts negative indices from the end, `gather` does not take them.
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
    let wraps = args.node.op.name().contains("take_along_dim");
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

/// How a reducing operator's argument names its reduction, and whether it is a mean.
fn reduction(cx: &Lower<'_>, name: Option<&str>) -> Result<(ScatterMode, bool), LowerError> {
    Ok(match name {
        None => (ScatterMode::Set, false),
        Some("sum" | "add") => (ScatterMode::Add, false),
        Some("mean") => (ScatterMode::Add, true),
        Some("prod" | "multiply") => (ScatterMode::Multiply, false),
        Some("amax") => (ScatterMode::Max, false),
        Some("amin") => (ScatterMode::Min, false),
        Some(other) => return Err(cx.unsupported(format!("there is no reduction `{other}`"))),
    })
}

/// What leaves other values as they are.
fn identity(cx: &mut Lower<'_>, mode: ScatterMode, dtype: Dtype) -> ExprId {
    let value = match mode {
        ScatterMode::Set | ScatterMode::Add => Scalar::Int(0),
        ScatterMode::Multiply => Scalar::Int(1),
        ScatterMode::Max if dtype.is_float() => Scalar::Float(f64::NEG_INFINITY),
        ScatterMode::Min if dtype.is_float() => Scalar::Float(f64::INFINITY),
        ScatterMode::Max => Scalar::Int(integer_range(dtype).0),
        ScatterMode::Min => Scalar::Int(integer_range(dtype).1),
    };
    cx.program.exprs.constant(value, dtype)
}

fn integer_range(dtype: Dtype) -> (i64, i64) {
    match dtype {
        Dtype::Bool => (0, 1),
        Dtype::Uint8 => (0, u8::MAX as i64),
        Dtype::Uint16 => (0, u16::MAX as i64),
        Dtype::Uint32 => (0, u32::MAX as i64),
        Dtype::Int8 => (i8::MIN as i64, i8::MAX as i64),
        Dtype::Int16 => (i16::MIN as i64, i16::MAX as i64),
        Dtype::Int32 => (i32::MIN as i64, i32::MAX as i64),
        _ => (i64::MIN, i64::MAX),
    }
}

/// Where a writing operator writes: every point of `sizes` to `index`, whose data variables stand for `data`.
struct Place {
    sizes: Vec<SymInt>,
    index: Vec<SymInt>,
    data: Vec<ExprId>,
}

/// A scatter that reduces, with the mean and `include_self=False` built from plain ones.
fn scatter_reduced(
    cx: &mut Lower<'_>,
    target: &Lazy,
    place: Place,
    value: ExprId,
    (mode, mean): (ScatterMode, bool),
    include_self: bool,
) -> Lazy {
    let dtype = cx.program.exprs.dtype(target.expr);
    let Place { sizes, index, data } = place;
    let mut start = target.clone();
    let mut touched = None;
    if !include_self {
        let no = cx.program.exprs.int(0, Dtype::Bool);
        let yes = cx.program.exprs.int(1, Dtype::Bool);
        let none = Lazy { sizes: target.sizes.clone(), expr: no };
        let set = ScatterMode::Set;
        let flags = scatter_into(cx, &none, &sizes, index.clone(), data.clone(), yes, set);
        let neutral = identity(cx, mode, dtype);
        start.expr = cx.program.exprs.select(flags.expr, neutral, target.expr);
        touched = Some(flags.expr);
    }
    let result = scatter_into(cx, &start, &sizes, index.clone(), data.clone(), value, mode);
    if !mean {
        return result;
    }
    let counter = if dtype.is_float() { dtype.compute() } else { Dtype::Int64 };
    let (zero, one) = (cx.program.exprs.int(0, counter), cx.program.exprs.int(1, counter));
    let first = match touched {
        Some(flags) => cx.program.exprs.select(flags, zero, one),
        None => one,
    };
    let counts = Lazy { sizes: target.sizes.clone(), expr: first };
    let counts = scatter_into(cx, &counts, &sizes, index, data, one, ScatterMode::Add);
    let e = &mut cx.program.exprs;
    let sum = e.cast(result.expr, counter);
    let count = e.binary(BinaryOp::Maximum, counts.expr, one);
    let op = if dtype.is_float() { BinaryOp::Div } else { BinaryOp::FloorDiv };
    let quotient = e.binary(op, sum, count);
    Lazy { sizes: result.sizes, expr: e.cast(quotient, dtype) }
}

/// `scatter` in all its forms, `scatter_add` and `scatter_reduce`.
pub fn scatter(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let result = args.result(0);
    let target = args.lazy(cx, "self")?;
    let index = args.lazy(cx, "index")?;
    let dim = dim_arg(args, "dim", target.sizes.len())?;
    let (flat, index) = (at_least_1d(cx, target), at_least_1d(cx, index));
    let vars = cx.vars(&index.sizes);
    let schema = args.node.op.schema();
    let value = match schema.arg("src") {
        Some(_) => {
            let src = args.lazy(cx, "src")?;
            let src = at_least_1d(cx, src);
            // Where `index` has no element, `src` may have other dimensions.
            if src.sizes.len() == vars.len() { cx.at(&src, &vars) } else { src.expr }
        }
        None => args
            .number(cx, "value", result.dtype)
            .ok_or_else(|| cx.unsupported("`value` must be a number"))?,
    };
    if cx.syms().as_const(cx.syms().product(&index.sizes)) == Some(0) {
        return Ok(vec![args.lazy(cx, "self")?]);
    }
    let name = if args.node.op.name().contains("scatter_add") {
        Some("sum")
    } else {
        schema.arg("reduce").and_then(|_| args.string("reduce"))
    };
    let how = reduction(cx, name)?;
    let size = flat.sizes[dim];
    let message = out_of_bounds(cx, args, dim, size);
    let row = checked(cx, index.expr, size, false, message);
    let mut at = vars;
    at[dim] = cx.syms().data_var(0);
    let place = Place { sizes: index.sizes.clone(), index: at, data: vec![row] };
    let include_self = schema.arg("include_self").is_none() || args.bool("include_self");
    let written = scatter_reduced(cx, &flat, place, value, how, include_self);
    Ok(vec![if written.sizes.len() == result.rank() {
        written
    } else {
        reshape_lazy(cx, &written, &result.shape)
    }])
}

/// `index_copy`, `index_add`, `index_fill` and `index_reduce`.
pub fn index_write(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let result = args.result(0);
    let target = args.lazy(cx, "self")?;
    let index = args.lazy(cx, "index")?;
    let dim = dim_arg(args, "dim", target.sizes.len())?;
    let (target, index) = (at_least_1d(cx, target), at_least_1d(cx, index));
    let (schema, name) = (args.node.op.schema(), args.node.op.name());
    let mut sizes = target.sizes.clone();
    sizes[dim] = index.sizes[0];
    let vars = cx.vars(&sizes);
    let mut value = match schema.arg("source") {
        Some(_) => {
            let source = args.lazy(cx, "source")?;
            let source = at_least_1d(cx, source);
            cx.at(&source, &vars)
        }
        None => match args.number(cx, "value", result.dtype) {
            Some(number) => number,
            None => {
                let value = args.lazy(cx, "value")?;
                let value = cx.broadcast(&value, &sizes);
                cx.program.exprs.cast(value, result.dtype)
            }
        },
    };
    let adds = name.contains("index_add");
    if adds {
        let compute = result.dtype.compute();
        if let Some(alpha) = args.number(cx, "alpha", compute) {
            let e = &mut cx.program.exprs;
            let factor = e.cast(value, compute);
            let op = if compute == Dtype::Bool { BinaryOp::LogicalAnd } else { BinaryOp::Mul };
            let product = e.binary(op, factor, alpha);
            value = e.cast(product, result.dtype);
        }
    }
    let reduce = schema.arg("reduce").and_then(|_| args.string("reduce"));
    let how = reduction(cx, if adds { Some("sum") } else { reduce })?;
    let size = target.sizes[dim];
    let row = cx.at(&index, &[vars[dim]]);
    let message = out_of_bounds(cx, args, dim, size);
    let row = checked(cx, row, size, name.contains("index_fill"), message);
    let mut at = vars;
    at[dim] = cx.syms().data_var(0);
    let place = Place { sizes, index: at, data: vec![row] };
    let include_self = schema.arg("include_self").is_none() || args.bool("include_self");
    let written = scatter_reduced(cx, &target, place, value, how, include_self);
    Ok(vec![if written.sizes.len() == result.rank() {
        written
    } else {
        reshape_lazy(cx, &written, &result.shape)
    }])
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

/// Writes or adds to elements of the flat tensor.
pub fn put(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (target, index) = (args.lazy(cx, "self")?, args.lazy(cx, "index")?);
    let source = args.lazy(cx, "source")?;
    let source = reshape_lazy(cx, &source, &index.sizes);
    let numel = cx.syms().product(&target.sizes);
    let message = out_of_bounds(cx, args, 0, numel);
    let flat = checked(cx, index.expr, numel, true, message);
    let data = cx.syms().data_var(0);
    let place = unflatten_index(cx.syms(), &target.sizes, data);
    let mode = if args.bool("accumulate") { ScatterMode::Add } else { ScatterMode::Set };
    Ok(vec![scatter_into(cx, &target, &index.sizes, place, vec![flat], source.expr, mode)])
}

/// How many of the flat mask's elements up to and with each one are set, as int64.
fn running_count(cx: &mut Lower<'_>, mask: &Lazy) -> Lazy {
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

/// The places of the elements that are not zero, in order: `size` of them, the last ones `fill_value` where there
/// are fewer. What does not fit goes to a row behind the last, which is cut off.
pub fn nonzero_static(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let sizes = args.result(0).shape.clone();
    let rank = source.sizes.len();
    let numel = cx.syms().product(&source.sizes);
    let flat = reshape_lazy(cx, &source, &[numel]);
    let flags = cx.program.exprs.cast(flat.expr, Dtype::Bool);
    let flags = cx.computed(&Lazy { sizes: vec![numel], expr: flags });
    let counts = running_count(cx, &flags);
    let space = vec![numel, sizes[1]];
    let vars = cx.vars(&space);
    let (flag, count) = (cx.at(&flags, &vars[..1]), cx.at(&counts, &vars[..1]));
    let e = &mut cx.program.exprs;
    let one = e.int(1, Dtype::Int64);
    let spare = e.index_value(sizes[0], Dtype::Int64);
    let place = e.binary(BinaryOp::Sub, count, one);
    let place = e.binary(BinaryOp::Minimum, place, spare);
    let place = e.select(flag, place, spare);
    let syms = cx.syms();
    let parts = unflatten_index(syms, &source.sizes, vars[0]);
    let mut part = parts.last().copied().unwrap_or(syms.constant(0));
    for k in (0..rank.saturating_sub(1)).rev() {
        part = syms.select(syms.eq(vars[1], syms.constant(k as i64)), parts[k], part);
    }
    let value = cx.program.exprs.index_value(part, Dtype::Int64);
    let fill = args.number(cx, "fill_value", Dtype::Int64);
    let initial = fill.unwrap_or_else(|| cx.program.exprs.int(-1, Dtype::Int64));
    let long = vec![cx.syms().add_const(sizes[0], 1), sizes[1]];
    let target = Lazy { sizes: long, expr: initial };
    let index = vec![cx.syms().data_var(0), vars[1]];
    let all = scatter_into(cx, &target, &space, index, vec![place], value, ScatterMode::Set);
    let vars = cx.vars(&sizes);
    let expr = cx.at(&all, &vars);
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
    let mut index = if sequence.sizes.len() == 1 { Vec::new() } else { own[..rank - 1].to_vec() };
    index.push(vars[rank]);
    let element = match schema.arg("sorter").and_then(|_| args.optional_lazy(cx, "sorter")) {
        None => cx.at(&sequence, &index),
        Some(sorter) => {
            let order = cx.at(&sorter, &index);
            let message = format!("{}: `sorter` is out of bounds", args.node.op.name());
            let order = checked(cx, order, inner, false, message);
            if let Some(last) = index.last_mut() {
                *last = cx.syms().data_var(0);
            }
            cx.at_data(&sequence, index, vec![order])
        }
    };
    let dtype = cx.program.exprs.dtype(element);
    let number = match args.optional_lazy(cx, "self") {
        Some(numbers) => cx.at(&numbers, own),
        // A fraction among integers compares as one.
        None if !dtype.is_float() && matches!(args.get("self"), crate::ir::Arg::Float(_)) => args
            .number(cx, "self", Dtype::Float32)
            .ok_or_else(|| cx.unsupported("`self` must be a number"))?,
        None => {
            let number = args.number(cx, "self", dtype);
            number.ok_or_else(|| cx.unsupported("`self` must be a number"))?
        }
    };
    let other = cx.program.exprs.dtype(number);
    let common = promote(dtype, other)
        .ok_or_else(|| cx.unsupported(format!("{dtype} and {other} cannot be compared")))?
        .compute();
    let common = if common == Dtype::Bool { Dtype::Uint8 } else { common };
    let e = &mut cx.program.exprs;
    let (element, number) = (e.cast(element, common), e.cast(number, common));
    // "Not above" rather than "below", so that NaN comes behind all numbers, as it is sorted.
    let op = if right { BinaryOp::Gt } else { BinaryOp::Ge };
    let after = e.binary(op, element, number);
    let before = e.unary(crate::loops::UnaryOp::LogicalNot, after);
    let value = e.cast(before, Dtype::Int64);
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
