//! Writing at indices that are data: each rule gives a copy of a tensor in which some elements are others. Indices
//! are checked as those that are read at; what two writes to one place give is the scatter's mode.

use super::indexing::{advanced_place, at_least_1d, checked, out_of_bounds, running_count};
use super::view::{dim_arg, from_meta, infer_of, reshape_lazy};
use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{BinaryOp, ExprId, NodeKind, ScatterMode};
use crate::meta::rules::{advanced_index, mask_of};
use crate::types::{Dtype, Scalar, SymInt, unflatten_index};

type Results = Result<Vec<Lazy>, LowerError>;

/// Where a writing operator writes: every point of `sizes` to `index`, whose data variables stand for `data`.
#[derive(Clone)]
pub(super) struct Place {
    pub sizes: Vec<SymInt>,
    pub index: Vec<SymInt>,
    pub data: Vec<ExprId>,
}

/// Where float16 and bfloat16 are rounded when several values meet in one place; PyTorch has both.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    AtTheEnd,
    EachStep,
}

/// Writes to a copy of `target`.
pub(super) fn scatter_into(
    cx: &mut Lower<'_>,
    target: &Lazy,
    place: Place,
    value: ExprId,
    mode: ScatterMode,
    rounding: Rounding,
) -> Lazy {
    let Place { sizes, index, data } = place;
    let dtype = cx.program.exprs.dtype(target.expr);
    let (stored, mode) = match (mode, dtype) {
        (ScatterMode::Set | ScatterMode::SetUnique, _) => (dtype, mode),
        _ if rounding == Rounding::EachStep && dtype.is_float() => (dtype, mode),
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
    cx.push(NodeKind::Scatter { sizes, index, data, value, mode, initial, out });
    let mut result = cx.load_all(out);
    result.expr = cx.program.exprs.cast(result.expr, dtype);
    result
}

/// The sum of `value`, which is over `shape` and then `reduced`, over the latter: one addition after the other, each
/// rounded to its dtype.
pub(super) fn sum_by_steps(cx: &mut Lower<'_>, shape: &[SymInt], reduced: &[SymInt], value: ExprId) -> Lazy {
    let dtype = cx.program.exprs.dtype(value);
    let nothing = Lazy { sizes: shape.to_vec(), expr: cx.program.exprs.int(0, dtype) };
    let sizes = shape.iter().chain(reduced).copied().collect();
    let place = Place { sizes, index: cx.vars(shape), data: Vec::new() };
    scatter_into(cx, &nothing, place, value, ScatterMode::Add, Rounding::EachStep)
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
    let place = Place { sizes: advanced.result, index, data };
    Ok(vec![scatter_into(cx, &target, place, value, mode, Rounding::EachStep)])
}

/// `index_put` with a mask and one value for all elements that it chooses.
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
            Some(var) if *size != one => *var,
            _ => zero,
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
    let place = Place { sizes: advanced.result, index, data };
    Ok(vec![scatter_into(cx, &target, place, value, ScatterMode::Add, Rounding::EachStep)])
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
        ScatterMode::Set | ScatterMode::SetUnique | ScatterMode::Add => Scalar::Int(0),
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

/// A scatter that reduces, with the mean and `include_self=False` built from plain ones.
fn scatter_reduced(
    cx: &mut Lower<'_>,
    target: &Lazy,
    place: Place,
    value: ExprId,
    (mode, mean): (ScatterMode, bool),
    include_self: bool,
    rounding: Rounding,
) -> Lazy {
    let dtype = cx.program.exprs.dtype(target.expr);
    let mut start = target.clone();
    let mut touched = None;
    if !include_self {
        let no = cx.program.exprs.int(0, Dtype::Bool);
        let yes = cx.program.exprs.int(1, Dtype::Bool);
        let none = Lazy { sizes: target.sizes.clone(), expr: no };
        let flags = scatter_into(cx, &none, place.clone(), yes, ScatterMode::Set, rounding);
        let neutral = identity(cx, mode, dtype);
        start.expr = cx.program.exprs.select(flags.expr, neutral, target.expr);
        touched = Some(flags.expr);
    }
    let result = scatter_into(cx, &start, place.clone(), value, mode, rounding);
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
    let counts = scatter_into(cx, &counts, place, one, ScatterMode::Add, rounding);
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
    let written = scatter_reduced(cx, &flat, place, value, how, include_self, Rounding::AtTheEnd);
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
    // Sums over whole slices are PyTorch's `scatter_add`.
    let unscaled = || match args.int("alpha") {
        Some(alpha) => args.graph.syms.as_const(alpha) == Some(1),
        None => args.float("alpha") == Some(1.0),
    };
    let outermost = dim == 0 || dim + 1 == result.rank();
    let slices = result.rank() > 1 && outermost && args.meta("index")?.dtype == Dtype::Int64;
    let rounding = if adds && slices && unscaled() { Rounding::AtTheEnd } else { Rounding::EachStep };
    let written = scatter_reduced(cx, &target, place, value, how, include_self, rounding);
    Ok(vec![if written.sizes.len() == result.rank() {
        written
    } else {
        reshape_lazy(cx, &written, &result.shape)
    }])
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
    let place = Place { sizes: index.sizes, index: place, data: vec![flat] };
    Ok(vec![scatter_into(cx, &target, place, source.expr, mode, Rounding::EachStep)])
}

/// The places of the elements that are not zero, in order: `size` of them, the last ones `fill_value` where there
/// are fewer. Elements that are zero, and places beyond `size`, are left out.
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
    let nowhere = e.index_value(sizes[0], Dtype::Int64);
    let place = e.binary(BinaryOp::Sub, count, one);
    let place = e.select(flag, place, nowhere);
    let place = cx.clamped_or_left_out(place, sizes[0]);
    let syms = cx.syms();
    let parts = unflatten_index(syms, &source.sizes, vars[0]);
    let mut part = parts.last().copied().unwrap_or(syms.constant(0));
    for k in (0..rank.saturating_sub(1)).rev() {
        part = syms.select(syms.eq(vars[1], syms.constant(k as i64)), parts[k], part);
    }
    let value = cx.program.exprs.index_value(part, Dtype::Int64);
    let fill = args.number(cx, "fill_value", Dtype::Int64);
    let initial = fill.unwrap_or_else(|| cx.program.exprs.int(-1, Dtype::Int64));
    let target = Lazy { sizes, expr: initial };
    let index = vec![cx.syms().data_var(0), vars[1]];
    let place = Place { sizes: space, index, data: vec![place] };
    Ok(vec![scatter_into(cx, &target, place, value, ScatterMode::SetUnique, Rounding::AtTheEnd)])
}
