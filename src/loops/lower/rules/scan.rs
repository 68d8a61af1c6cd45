//! Cumulative operators, sorts, and what is chosen by rank from a sorted row.

use super::indexing::at_least_1d;
use super::joining::concatenate;
use super::view::{dim_arg, reshape_lazy};
use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{BinaryOp, ExprId, NodeKind, ReductionOp, ScanOp, UnaryOp};
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Lazy>, LowerError>;

/// What values of `dtype` that are computed as `own` are stored as: rounded ones rounded.
fn stored(dtype: Dtype, own: Dtype) -> Dtype {
    if dtype.is_reduced_float() { dtype } else { own }
}

/// The results of a scan along an axis, in the value's dtype (and int64 for positions).
pub(super) fn scanned(cx: &mut Lower<'_>, value: &Lazy, axis: usize, op: ScanOp) -> Vec<Lazy> {
    let dtype = cx.program.exprs.dtype(value.expr);
    scanned_as(cx, value, axis, op, dtype)
}
/// The same for what is rounded to `dtype` at once.
fn scanned_as(cx: &mut Lower<'_>, value: &Lazy, axis: usize, op: ScanOp, dtype: Dtype) -> Vec<Lazy> {
    let own = cx.program.exprs.dtype(value.expr);
    let mut outs = vec![cx.program.temporary(stored(dtype, own), &value.sizes)];
    if matches!(op, ScanOp::MaxWithIndex | ScanOp::MinWithIndex) {
        outs.push(cx.program.temporary(Dtype::Int64, &value.sizes));
    }
    let (sizes, value) = (value.sizes.clone(), value.expr);
    cx.push(NodeKind::Scan { sizes, axis, op, value, outs: outs.clone() });
    outs.into_iter().map(|out| cx.load_all(out)).collect()
}

/// Values sorted along an axis, and the positions they came from: the first `kept` of each line.
fn first_sorted(cx: &mut Lower<'_>, source: &Lazy, axis: usize, descending: bool, kept: SymInt) -> [Lazy; 2] {
    let dtype = cx.program.exprs.dtype(source.expr);
    let key = sortable(dtype);
    let value = cx.program.exprs.cast(source.expr, key);
    let mut places = source.sizes.clone();
    places[axis] = kept;
    let values = cx.program.temporary(stored(dtype, key), &places);
    let positions = cx.program.temporary(Dtype::Int64, &places);
    let sizes = source.sizes.clone();
    cx.push(NodeKind::Sort { sizes, axis, descending, kept, value, values, positions });
    let mut values = cx.load_all(values);
    values.expr = cx.program.exprs.cast(values.expr, dtype);
    [values, cx.load_all(positions)]
}

/// All of each line.
fn sorted(cx: &mut Lower<'_>, source: &Lazy, axis: usize, descending: bool) -> [Lazy; 2] {
    first_sorted(cx, source, axis, descending, source.sizes[axis])
}

/// A dtype that holds the same values in the same order and that arithmetic works in.
fn sortable(dtype: Dtype) -> Dtype {
    if dtype == Dtype::Bool { Dtype::Uint8 } else { dtype.compute() }
}

/// One reduction's results over trailing dimensions.
fn reduced(
    cx: &mut Lower<'_>,
    sizes: &[SymInt],
    over: &[SymInt],
    op: ReductionOp,
    value: ExprId,
) -> Vec<Lazy> {
    let dtype = cx.program.exprs.dtype(value);
    let mut outs = vec![cx.program.temporary(dtype, sizes)];
    if matches!(op, ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex) {
        outs.push(cx.program.temporary(Dtype::Int64, sizes));
    }
    let (sizes, over) = (sizes.to_vec(), over.to_vec());
    cx.push(NodeKind::Reduction { sizes, reduced: over, op, value, outs: outs.clone() });
    outs.into_iter().map(|out| cx.load_all(out)).collect()
}

/// `cumsum`, `cumprod`, `logcumsumexp`.
pub fn cumulative(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let name = args.node.op.name();
    let op = if name.contains("cumsumexp") {
        ScanOp::LogSumExp
    } else if name.contains("cumprod") {
        ScanOp::Product
    } else {
        ScanOp::Sum
    };
    let source = args.lazy(cx, "self")?;
    let result = args.result(0);
    let dim = dim_arg(args, "dim", source.sizes.len())?;
    let expr = cx.program.exprs.cast(source.expr, result.dtype);
    let compute = if result.dtype == Dtype::Bool { Dtype::Int64 } else { result.dtype.compute() };
    let expr = cx.program.exprs.cast(expr, compute);
    let value = Lazy { sizes: source.sizes, expr };
    let mut scan = match value.sizes.is_empty() {
        true => value,
        false => scanned_as(cx, &value, dim, op, result.dtype).remove(0),
    };
    scan.expr = cx.program.exprs.cast(scan.expr, result.dtype);
    Ok(vec![scan])
}

fn zero_positions(cx: &mut Lower<'_>, sizes: &[SymInt]) -> Lazy {
    Lazy { sizes: sizes.to_vec(), expr: cx.program.exprs.int(0, Dtype::Int64) }
}

/// `cummax` and `cummin`.
pub fn cumulative_extremum(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let largest = args.node.op.name().contains("cummax");
    let op = if largest { ScanOp::MaxWithIndex } else { ScanOp::MinWithIndex };
    let source = args.lazy(cx, "self")?;
    if source.sizes.is_empty() {
        let positions = zero_positions(cx, &[]);
        return Ok(vec![source, positions]);
    }
    let dim = dim_arg(args, "dim", source.sizes.len())?;
    let dtype = args.result(0).dtype;
    let expr = cx.program.exprs.cast(source.expr, sortable(dtype));
    let mut results = scanned_as(cx, &Lazy { sizes: source.sizes, expr }, dim, op, dtype);
    results[0].expr = cx.program.exprs.cast(results[0].expr, dtype);
    Ok(results)
}

/// `sort` and `argsort`. All sorts are stable, whether that is asked for or not.
pub fn sort(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let only_positions = args.node.outputs.len() == 1;
    let results = if source.sizes.is_empty() {
        let positions = zero_positions(cx, &[]);
        [source, positions]
    } else {
        let dim = dim_arg(args, "dim", source.sizes.len())?;
        sorted(cx, &source, dim, args.bool("descending"))
    };
    let [values, positions] = results;
    Ok(if only_positions { vec![positions] } else { vec![values, positions] })
}

/// Sorted along the first dimension.
pub fn msort(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    if source.sizes.is_empty() {
        return Ok(vec![source]);
    }
    let [values, _] = sorted(cx, &source, 0, false);
    Ok(vec![values])
}

/// The largest or smallest `k`.
pub fn topk(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    if source.sizes.is_empty() {
        let positions = zero_positions(cx, &[]);
        return Ok(vec![source, positions]);
    }
    let dim = dim_arg(args, "dim", source.sizes.len())?;
    let k = args.int("k").ok_or_else(|| cx.unsupported("`k` must be an integer"))?;
    Ok(first_sorted(cx, &source, dim, args.bool("largest"), k).into())
}

/// Results of the shape that a row's choice has: dimension `dim` gone, or of size 1.
fn dropped(cx: &mut Lower<'_>, args: &Args<'_>, rows: [Lazy; 2]) -> Results {
    let sizes = &args.result(0).shape;
    Ok(rows.into_iter().map(|row| reshape_lazy(cx, &row, sizes)).collect())
}

/// Element `place` of every row along `dim`.
fn pick(cx: &mut Lower<'_>, lazy: &Lazy, dim: usize, place: SymInt) -> Lazy {
    let mut sizes = lazy.sizes.clone();
    sizes.remove(dim);
    let mut index = cx.vars(&sizes);
    index.insert(dim, place);
    Lazy { expr: cx.at(lazy, &index), sizes }
}

/// Element of every row along `dim` at a position that is data over the row's outer dimensions.
fn pick_data(cx: &mut Lower<'_>, lazy: &Lazy, dim: usize, place: &Lazy) -> Lazy {
    let mut index = cx.vars(&place.sizes);
    index.insert(dim, cx.syms().data_var(0));
    Lazy { expr: cx.at_data(lazy, index, vec![place.expr]), sizes: place.sizes.clone() }
}

/// The `k`-th smallest.
pub fn kthvalue(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let source = at_least_1d(cx, source);
    let dim = dim_arg(args, "dim", source.sizes.len())?;
    let k = args.int("k").ok_or_else(|| cx.unsupported("`k` must be an integer"))?;
    let place = cx.syms().add_const(k, -1);
    let [values, positions] = first_sorted(cx, &source, dim, false, k);
    let rows = [pick(cx, &values, dim, place), pick(cx, &positions, dim, place)];
    dropped(cx, args, rows)
}

/// The outer sizes of rows along `dim`, and the value's element with the row's dimension last.
fn as_rows(cx: &mut Lower<'_>, source: &Lazy, dim: usize) -> (Vec<SymInt>, ExprId) {
    let mut outer = source.sizes.clone();
    let inner = outer.remove(dim);
    let mut space = outer.clone();
    space.push(inner);
    let mut index = cx.vars(&space);
    if let Some(last) = index.pop() {
        index.insert(dim, last);
    }
    (outer, cx.at(source, &index))
}

/// The lower median and its position; a NaN is the median of its row, or with `skip_nan` no part of it.
fn median_rows(cx: &mut Lower<'_>, source: &Lazy, dim: usize, skip_nan: bool) -> [Lazy; 2] {
    let dtype = cx.program.exprs.dtype(source.expr);
    let size = source.sizes[dim];
    let syms = cx.syms();
    let middle = syms.floordiv(syms.add_const(size, -1), syms.constant(2));
    let source = cx.computed(source);
    let [values, positions] = sorted(cx, &source, dim, false);
    if !dtype.is_float() {
        return [pick(cx, &values, dim, middle), pick(cx, &positions, dim, middle)];
    }
    // NaN are sorted behind all numbers: how many numbers there are says where the first one is.
    let (outer, element) = as_rows(cx, &source, dim);
    let e = &mut cx.program.exprs;
    let element = e.cast(element, dtype.compute());
    let nan = e.unary(UnaryOp::IsNan, element);
    let number = e.unary(UnaryOp::LogicalNot, nan);
    let number = e.cast(number, Dtype::Int64);
    let mut numbers = reduced(cx, &outer, &[size], ReductionOp::Sum, number).remove(0);
    let e = &mut cx.program.exprs;
    let (zero, one, two) = (e.int(0, Dtype::Int64), e.int(1, Dtype::Int64), e.int(2, Dtype::Int64));
    let place = if skip_nan {
        let last = e.binary(BinaryOp::Sub, numbers.expr, one);
        let last = e.binary(BinaryOp::Maximum, last, zero);
        e.binary(BinaryOp::FloorDiv, last, two)
    } else {
        let all = e.index_value(size, Dtype::Int64);
        let middle = e.index_value(middle, Dtype::Int64);
        let some = e.binary(BinaryOp::Lt, numbers.expr, all);
        e.select(some, numbers.expr, middle)
    };
    numbers.expr = place;
    let place = cx.computed(&numbers);
    [pick_data(cx, &values, dim, &place), pick_data(cx, &positions, dim, &place)]
}

/// `median` and `nanmedian` along a dimension.
pub fn median_dim(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let source = at_least_1d(cx, source);
    let dim = dim_arg(args, "dim", source.sizes.len())?;
    let rows = median_rows(cx, &source, dim, args.node.op.name().contains("nanmedian"));
    dropped(cx, args, rows)
}

/// `median` and `nanmedian` of all elements.
pub fn median(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let dtype = args.result(0).dtype;
    let numel = cx.syms().product(&source.sizes);
    if cx.syms().range(numel).min < 1 {
        if cx.syms().as_const(numel) == Some(0) && dtype.is_float() {
            let expr = cx.program.exprs.float(f64::NAN, dtype);
            return Ok(vec![Lazy { sizes: Vec::new(), expr }]);
        }
        return Err(cx.unsupported("the median of a tensor that may be empty"));
    }
    let flat = reshape_lazy(cx, &source, &[numel]);
    let [value, _] = median_rows(cx, &flat, 0, args.node.op.name().contains("nanmedian"));
    Ok(vec![value])
}

/// The most frequent value of each row (the smallest of several) and the position that comes last where they are
/// sorted.
pub fn mode(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let source = at_least_1d(cx, source);
    let dim = dim_arg(args, "dim", source.sizes.len())?;
    let size = source.sizes[dim];
    let [values, positions] = sorted(cx, &source, dim, false);
    // Where a run of equal values starts, its own place; elsewhere 0: the largest so far is the run's start.
    let (syms, vars) = (cx.syms(), cx.vars(&values.sizes));
    let mut before = vars.clone();
    before[dim] = syms.max(syms.add_const(vars[dim], -1), syms.constant(0));
    let (own, previous) = (values.expr, cx.at(&values, &before));
    let e = &mut cx.program.exprs;
    let key = sortable(e.dtype(own));
    let (own, previous) = (e.cast(own, key), e.cast(previous, key));
    let differs = e.binary(BinaryOp::Ne, own, previous);
    let place = e.index_value(vars[dim], Dtype::Int64);
    let zero = e.int(0, Dtype::Int64);
    let start = e.select(differs, place, zero);
    let starts = Lazy { sizes: values.sizes.clone(), expr: start };
    let starts = scanned(cx, &starts, dim, ScanOp::MaxWithIndex).remove(0);
    let e = &mut cx.program.exprs;
    let length = e.binary(BinaryOp::Sub, place, starts.expr);
    let lengths = Lazy { sizes: values.sizes.clone(), expr: length };
    let (outer, length) = as_rows(cx, &lengths, dim);
    let best = reduced(cx, &outer, &[size], ReductionOp::MaxWithIndex, length).remove(1);
    let rows = [pick_data(cx, &values, dim, &best), pick_data(cx, &positions, dim, &best)];
    dropped(cx, args, rows)
}

/// Differences of neighbours along a dimension, `n` times over.
pub fn diff(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let source = args.lazy(cx, "self")?;
    let result = args.result(0);
    let dim = dim_arg(args, "dim", source.sizes.len())?;
    let n = args.known_int("n")?;
    let mut parts = Vec::new();
    for lazy in [args.optional_lazy(cx, "prepend"), Some(source.clone()), args.optional_lazy(cx, "append")] {
        let Some(mut lazy) = lazy else { continue };
        if lazy.sizes.is_empty() {
            let mut sizes = source.sizes.clone();
            sizes[dim] = cx.syms().constant(1);
            lazy.expr = cx.broadcast(&lazy, &sizes);
            lazy.sizes = sizes;
        }
        lazy.expr = cx.program.exprs.cast(lazy.expr, result.dtype);
        parts.push(lazy);
    }
    if n == 0 {
        let mut same = source;
        same.expr = cx.program.exprs.cast(same.expr, result.dtype);
        return Ok(vec![same]);
    }
    if cx.syms().as_const(cx.syms().product(&result.shape)) == Some(0) {
        let expr = cx.program.exprs.int(0, result.dtype);
        return Ok(vec![Lazy { sizes: result.shape.clone(), expr }]);
    }
    let mut sizes = source.sizes.clone();
    sizes[dim] = cx.syms().sum(&parts.iter().map(|p| p.sizes[dim]).collect::<Vec<_>>());
    let mut all = if parts.len() == 1 { source } else { concatenate(cx, &parts, dim, &sizes) };
    let compute = result.dtype.compute();
    for _ in 0..n {
        if parts.len() > 1 || n > 1 {
            all = cx.computed(&all);
        }
        sizes[dim] = cx.syms().add_const(sizes[dim], -1);
        let here = cx.vars(&sizes);
        let mut next = here.clone();
        next[dim] = cx.syms().add_const(here[dim], 1);
        let (a, b) = (cx.at(&all, &next), cx.at(&all, &here));
        let e = &mut cx.program.exprs;
        let (a, b) = (e.cast(a, compute), e.cast(b, compute));
        let op = if compute == Dtype::Bool { BinaryOp::LogicalXor } else { BinaryOp::Sub };
        let difference = e.binary(op, a, b);
        all = Lazy { sizes: sizes.clone(), expr: e.cast(difference, result.dtype) };
    }
    Ok(vec![all])
}
