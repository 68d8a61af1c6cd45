//! Pooling as reductions over a window; what lies in the padding is masked.

use super::convolution::{both, within};
use super::scatter::sum_by_steps;
use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{BinaryOp, ExprId, ReductionOp};
use crate::types::{Dtype, Scalar, SymInt, TensorMeta, gcd};

/// The largest integer up to which each is a float32.
const EXACT: i64 = 1 << 24;

type Results = Result<Vec<Lazy>, LowerError>;

/// Where a window's elements lie: one entry per spatial dimension, over the variables of the result's shape and
/// then `reduced`.
struct Window {
    reduced: Vec<SymInt>,
    /// The input's index, with leading dimensions.
    index: Vec<SymInt>,
    /// True for elements of the input, false for padding and what a shorter window leaves out.
    inside: SymInt,
}

/// A pooling operator's numbers.
struct Geometry {
    kernel: Vec<i64>,
    stride: Vec<i64>,
    padding: Vec<i64>,
    dilation: Vec<i64>,
}

fn geometry(args: &Args<'_>) -> Result<Geometry, LowerError> {
    let name = args.node.op.name();
    let place = name.find("pool").map_or(0, |k| k + 4);
    let count = name.as_bytes().get(place).map_or(1, |b| b.wrapping_sub(b'0') as usize);
    let list = |name: &str, default: Vec<i64>| -> Result<Vec<i64>, LowerError> {
        if args.node.op.schema().arg(name).is_none() {
            return Ok(default);
        }
        let list = args.known_ints(name)?;
        Ok(match list.len() {
            0 => default,
            1 => vec![list[0]; count],
            _ => list,
        })
    };
    let kernel = list("kernel_size", Vec::new())?;
    Ok(Geometry {
        stride: list("stride", kernel.clone())?,
        padding: list("padding", vec![0; count])?,
        dilation: list("dilation", vec![1; count])?,
        kernel,
    })
}

/// The window of a fixed kernel.
fn fixed_window(cx: &Lower<'_>, input: &[SymInt], shape: &[SymInt], g: &Geometry) -> Window {
    let syms = cx.syms();
    let reduced: Vec<SymInt> = g.kernel.iter().map(|k| syms.constant(*k)).collect();
    let space: Vec<SymInt> = shape.iter().chain(&reduced).copied().collect();
    let v = cx.vars(&space);
    let skip = shape.len() - g.kernel.len();
    let mut index = v[..skip].to_vec();
    let mut inside = syms.constant(1);
    for k in 0..g.kernel.len() {
        let begin = syms.add_const(syms.mul_const(v[skip + k], g.stride[k]), -g.padding[k]);
        let place = syms.add(begin, syms.mul_const(v[shape.len() + k], g.dilation[k]));
        inside = both(cx, inside, within(cx, place, input[skip + k]));
        index.push(place);
    }
    Window { reduced, index, inside }
}

/// The lowest value of a dtype: what padding is for a maximum.
fn lowest(cx: &mut Lower<'_>, dtype: Dtype) -> ExprId {
    let value = match dtype {
        d if d.is_float() => Scalar::Float(f64::NEG_INFINITY),
        Dtype::Bool => Scalar::Bool(false),
        d if !d.is_signed() => Scalar::Int(0),
        d => Scalar::Int(i64::MIN >> (64 - 8 * d.size())),
    };
    cx.program.exprs.constant(value, dtype)
}

/// The window's elements in the compute dtype, `otherwise` outside of the input.
fn elements(cx: &mut Lower<'_>, input: &Lazy, window: &Window, otherwise: Option<ExprId>) -> ExprId {
    let x = cx.compute_at(input, &window.index);
    let dtype = cx.program.exprs.dtype(x);
    let otherwise = otherwise.unwrap_or_else(|| cx.program.exprs.int(0, dtype));
    cx.where_index(window.inside, x, otherwise)
}

pub fn max_pool(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let out = args.result(0);
    let input = args.lazy(cx, "self")?;
    let input = cx.computed(&input);
    let window = fixed_window(cx, &input.sizes, &out.shape, &geometry(args)?);
    let least = lowest(cx, out.dtype.compute());
    let x = elements(cx, &input, &window, Some(least));
    let max = cx.reduce(ReductionOp::Max, &out.shape, &window.reduced, x);
    let expr = cx.cast(max.expr, out.dtype);
    Ok(vec![Lazy { sizes: max.sizes, expr }])
}

/// The largest of each window and its place in the input's spatial dimensions. `first` and `step` give a spatial
/// place from the result's index and the place in the window: `first + step * k`.
fn max_with_places(
    cx: &mut Lower<'_>,
    args: &Args<'_>,
    input: &Lazy,
    window: &Window,
    first: &[SymInt],
    step: &[i64],
) -> Results {
    let out = args.result(0);
    let least = lowest(cx, out.dtype.compute());
    let x = elements(cx, input, window, Some(least));
    let both = cx.reduce_all(ReductionOp::MaxWithIndex, &out.shape, &window.reduced, x);
    let skip = out.shape.len() - first.len();
    let mut rest = both[1].expr;
    let mut place: Option<ExprId> = None;
    let mut stride = cx.syms().constant(1);
    for k in (0..first.len()).rev() {
        let size = cx.size_as(window.reduced[k], Dtype::Int64);
        let here = if k == 0 { rest } else { cx.bin(BinaryOp::Remainder, rest, size) };
        rest = if k == 0 { rest } else { cx.bin(BinaryOp::FloorDiv, rest, size) };
        let distance = cx.program.exprs.int(step[k], Dtype::Int64);
        let moved = cx.bin(BinaryOp::Mul, here, distance);
        let begin = cx.size_as(first[k], Dtype::Int64);
        let at = cx.bin(BinaryOp::Add, begin, moved);
        // Where all is minus infinity the first place may lie in the padding; the first inside it is meant.
        let at = not_before_input(cx, at, first[k], step[k]);
        let stride_here = cx.size_as(stride, Dtype::Int64);
        let term = cx.bin(BinaryOp::Mul, at, stride_here);
        place = Some(match place {
            None => term,
            Some(sum) => cx.bin(BinaryOp::Add, sum, term),
        });
        stride = cx.syms().mul(stride, input.sizes[skip + k]);
    }
    let place = place.unwrap_or_else(|| cx.program.exprs.int(0, Dtype::Int64));
    let value = cx.cast(both[0].expr, out.dtype);
    Ok(vec![Lazy { sizes: out.shape.clone(), expr: value }, Lazy { sizes: out.shape.clone(), expr: place }])
}

/// `at`, or the first of `first, first + step, ..` that is not negative where that is larger.
fn not_before_input(cx: &mut Lower<'_>, at: ExprId, first: SymInt, step: i64) -> ExprId {
    let syms = cx.syms();
    if syms.range(first).min >= 0 {
        return at;
    }
    let missing = syms.max(syms.neg(first), syms.constant(0));
    let steps = syms.ceildiv(missing, syms.constant(step));
    let begin = syms.add(first, syms.mul_const(steps, step));
    let begin = cx.size_as(begin, Dtype::Int64);
    cx.bin(BinaryOp::Maximum, at, begin)
}

pub fn max_pool_with_indices(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let shape = args.result(0).shape.clone();
    let input = args.lazy(cx, "self")?;
    let input = cx.computed(&input);
    let g = geometry(args)?;
    let window = fixed_window(cx, &input.sizes, &shape, &g);
    let vars = cx.vars(&shape);
    let skip = shape.len() - g.kernel.len();
    let first: Vec<SymInt> = (0..g.kernel.len())
        .map(|k| cx.syms().add_const(cx.syms().mul_const(vars[skip + k], g.stride[k]), -g.padding[k]))
        .collect();
    max_with_places(cx, args, &input, &window, &first, &g.dilation)
}

/// The mean over each window: of all its places within the padded input, of those within the input only
/// (`count_include_pad` false), or the sum divided by `divisor_override`.
pub fn avg_pool(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let out = args.result(0);
    let shape = out.shape.clone();
    let input = args.lazy(cx, "self")?;
    let input = cx.computed(&input);
    let g = geometry(args)?;
    let window = fixed_window(cx, &input.sizes, &shape, &g);
    let x = elements(cx, &input, &window, None);
    let sum = cx.reduce(ReductionOp::Sum, &shape, &window.reduced, x);
    let schema = args.node.op.schema();
    let given = schema.arg("divisor_override").and_then(|_| args.int("divisor_override"));
    let divisor = match given {
        Some(divisor) => vec![divisor],
        None => window_sizes(cx, &input.sizes, &shape, &g, args.bool("count_include_pad")),
    };
    let dtype = out.dtype.compute();
    let divisor = product_as(cx, &divisor, dtype);
    let op = if dtype.is_float() { BinaryOp::Div } else { BinaryOp::TruncDiv };
    let mean = cx.bin(op, sum.expr, divisor);
    let expr = cx.cast(mean, out.dtype);
    Ok(vec![Lazy { sizes: shape, expr }])
}

/// The product of a window's sizes. Where they vary, floats are multiplied: as one index, each term of a size would be multiplied
/// with each of the others, wherever it changes.
fn product_as(cx: &mut Lower<'_>, sizes: &[SymInt], dtype: Dtype) -> ExprId {
    let product = cx.syms().product(sizes);
    let fixed = cx.syms().as_const(product).is_some();
    // Products of these are exact in any order.
    let exact =
        cx.syms().range(product).max <= EXACT && sizes.iter().all(|s| cx.syms().range(*s).max <= EXACT);
    if fixed || !exact || !dtype.is_float() {
        return cx.size_as(product, dtype);
    }
    let one = cx.syms().constant(1);
    let factors: Vec<SymInt> = sizes.iter().copied().filter(|s| *s != one).collect();
    let factors: Vec<ExprId> = factors.into_iter().map(|s| cx.size_as(s, dtype)).collect();
    let whole = factors.into_iter().reduce(|a, b| cx.bin(BinaryOp::Mul, a, b));
    whole.unwrap_or_else(|| cx.size_as(product, dtype))
}

/// Along each dimension, how many places of the (padded) input a window covers.
fn window_sizes(
    cx: &Lower<'_>,
    input: &[SymInt],
    shape: &[SymInt],
    g: &Geometry,
    padded: bool,
) -> Vec<SymInt> {
    let syms = cx.syms();
    let vars = cx.vars(shape);
    let skip = shape.len() - g.kernel.len();
    (0..g.kernel.len())
        .map(|k| {
            let begin = syms.add_const(syms.mul_const(vars[skip + k], g.stride[k]), -g.padding[k]);
            let last = syms.add_const(input[skip + k], g.padding[k]);
            let end = syms.min(syms.add_const(begin, g.kernel[k]), last);
            if padded {
                return syms.sub(end, begin);
            }
            let zero = syms.constant(0);
            syms.sub(syms.min(end, input[skip + k]), syms.max(begin, zero))
        })
        .collect()
}

/// The windows of adaptive pooling: `[floor(i * in / out), ceil((i + 1) * in / out))`; also where each begins, and
/// how many elements it has along each dimension.
fn adaptive_window(
    cx: &Lower<'_>,
    input: &[SymInt],
    shape: &[SymInt],
    count: usize,
) -> (Window, Vec<SymInt>, Vec<SymInt>) {
    let syms = cx.syms();
    let skip = shape.len() - count;
    let zero = syms.constant(0);
    let largest = |k: usize| {
        let (size, out) = (input[skip + k], shape[skip + k]);
        if syms.known_eq(out, syms.constant(1)) {
            return size;
        }
        match (syms.as_const(size), syms.as_const(out)) {
            (_, Some(0)) => syms.constant(1),
            (Some(size), Some(out)) => {
                // The remainder of `i * size / out` is every multiple of the greatest common divisor once.
                let common = gcd(size, out);
                let (size, out) = (size / common, out / common);
                syms.constant(size.saturating_add(2 * out.min(i64::MAX / 4) - 2) / out)
            }
            _ => syms.add_const(syms.ceildiv(size, syms.max(out, syms.constant(1))), 1),
        }
    };
    let reduced: Vec<SymInt> = (0..count).map(largest).collect();
    let space: Vec<SymInt> = shape.iter().chain(&reduced).copied().collect();
    let v = cx.vars(&space);
    let mut index = v[..skip].to_vec();
    let (mut inside, mut first, mut sizes) = (syms.constant(1), Vec::new(), Vec::new());
    for k in 0..count {
        let (size, var) = (input[skip + k], v[skip + k]);
        let out = syms.max(shape[skip + k], syms.constant(1));
        let begin = syms.floordiv(syms.mul(var, size), out);
        let end = syms.ceildiv(syms.mul(syms.add_const(var, 1), size), out);
        let here = v[shape.len() + k];
        let place = syms.add(begin, here);
        let even = match (syms.as_const(size), syms.as_const(out)) {
            (Some(size), Some(out)) => size % out == 0,
            _ => syms.known_eq(out, syms.constant(1)),
        };
        if !even {
            inside = both(cx, inside, syms.lt(place, end));
        }
        index.push(place);
        first.push(if even && syms.known_eq(out, syms.constant(1)) { zero } else { begin });
        sizes.push(if even { reduced[k] } else { syms.sub(end, begin) });
    }
    (Window { reduced, index, inside }, first, sizes)
}

pub fn adaptive_avg_pool(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let out = args.result(0);
    let input = args.lazy(cx, "self")?;
    let input = cx.computed(&input);
    let count = args.ints("output_size").map_or(0, <[SymInt]>::len);
    let (window, _, sizes) = adaptive_window(cx, &input.sizes, &out.shape, count);
    let x = elements(cx, &input, &window, None);
    let one = cx.syms().constant(1);
    let whole = out.shape[out.rank() - count..].iter().all(|s| *s == one);
    if count == 3 && out.dtype.is_reduced_float() && !whole {
        return Ok(vec![mean_by_steps(cx, out, &window, &sizes, x)]);
    }
    let sum = cx.reduce(ReductionOp::Sum, &out.shape, &window.reduced, x);
    let size = product_as(cx, &sizes, out.dtype.compute());
    let mean = cx.bin(BinaryOp::Div, sum.expr, size);
    let expr = cx.cast(mean, out.dtype);
    Ok(vec![Lazy { sizes: out.shape.clone(), expr }])
}

/// The mean of windows in three dimensions as PyTorch has it: each addition is rounded, and so is the division by
/// each of the window's sizes.
fn mean_by_steps(
    cx: &mut Lower<'_>,
    out: &TensorMeta,
    window: &Window,
    sizes: &[SymInt],
    element: ExprId,
) -> Lazy {
    let narrow = cx.cast(element, out.dtype);
    let mut mean = sum_by_steps(cx, &out.shape, &window.reduced, narrow);
    for size in sizes {
        let wide = cx.compute(mean.expr);
        let size = cx.size_as(*size, out.dtype.compute());
        let quotient = cx.bin(BinaryOp::Div, wide, size);
        mean.expr = cx.cast(quotient, out.dtype);
    }
    mean
}

pub fn adaptive_max_pool(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let shape = args.result(0).shape.clone();
    let input = args.lazy(cx, "self")?;
    let input = cx.computed(&input);
    let count = args.ints("output_size").map_or(0, <[SymInt]>::len);
    let (window, first, _) = adaptive_window(cx, &input.sizes, &shape, count);
    max_with_places(cx, args, &input, &window, &first, &vec![1; count])
}
