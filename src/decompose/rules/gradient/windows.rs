//! Of sums over windows and of padding: each dimension for itself.

use super::resampling::sums_of_windows;
use super::{Built, Results, counted, dims, given, narrow, padded, zeros};
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::SymInt;

/// Windows of a dimension: `size` elements every `step`, the first one `padding` before the dimension.
struct Line {
    size: i64,
    step: i64,
    padding: i64,
}

/// The sum of all windows that cover each element of a dimension of this size; `value` has in that dimension one element
/// for each window, and after it a dimension of the window's elements, or one of size 1 that stands for all.
fn folded(cx: &mut Decompose<'_>, value: Value, dim: usize, size: SymInt, line: &Line) -> Built {
    let shape = cx.shape(value);
    let syms = cx.syms();
    let (before, windows) = (syms.product(&shape[..dim]), shape[dim]);
    let after = syms.product(&shape[dim + 2..]);
    let (one, count) = (cx.constant(1), cx.constant(line.size));
    let end =
        cx.syms().add_const(cx.syms().mul_const(cx.syms().add_const(windows, -1), line.step), line.size);
    let parts = cx.reshape(value, &[before, windows, shape[dim + 1], after])?;
    let parts = cx.permute(parts, &[0, 2, 1, 3])?;
    let all = vec![before, count, windows, after];
    let parts = cx.call("aten.expand.default", vec![Arg::Value(parts), Arg::Ints(all)])?;
    let places = cx.syms().mul(windows, after);
    let columns = cx.reshape(parts, &[before, count, places])?;
    let args = vec![
        Arg::Value(columns),
        Arg::Ints(vec![end, after]),
        Arg::Ints(vec![count, one]),
        cx.ints_arg(&[1, 1]),
        cx.ints_arg(&[0, 0]),
        cx.ints_arg(&[line.step, 1]),
    ];
    let sums = cx.call("aten.col2im.default", args)?;
    // Windows may begin before the dimension and end behind it, and it may go on behind them.
    let rest = cx.syms().sub(cx.syms().add_const(size, line.padding), end);
    let before = cx.constant(-line.padding);
    let sums = padded(cx, sums, 2, before, rest)?;
    let mut result = shape;
    result.remove(dim + 1);
    result[dim] = size;
    cx.reshape(sums, &result)
}

/// One number for each dimension; where none is given those of the kernel.
fn spatial(cx: &Decompose<'_>, name: &str, count: usize) -> Result<Vec<i64>, DecomposeError> {
    let list = cx.known_ints(name)?;
    match list.len() {
        0 => spatial(cx, "kernel_size", count),
        1 => Ok(vec![list[0]; count]),
        _ => Ok(list),
    }
}

pub fn avg_pool_backward(cx: &mut Decompose<'_>) -> Results {
    let (gradient, x) = (given(cx)?, cx.value("self")?);
    let (dtype, whole) = (cx.dtype_of(gradient), cx.shape(x));
    let count = if cx.op.name().contains("3d") { 3 } else { 2 };
    let lead = whole.len() - count;
    let kernel = spatial(cx, "kernel_size", count)?;
    let (stride, padding) = (spatial(cx, "stride", count)?, spatial(cx, "padding", count)?);
    let mut value = cx.compute(gradient)?;
    let windows = cx.shape(value)[lead..].to_vec();
    let divisor = cx.int("divisor_override").map(|_| cx.known_int("divisor_override")).transpose()?;
    if let Some(divisor) = divisor {
        value = cx.div(value, divisor as f64)?;
    } else {
        for k in 0..count {
            let line = Line { size: kernel[k], step: stride[k], padding: padding[k] };
            let counts = counts(cx, windows[k], whole[lead + k], &line)?;
            let mut shape = vec![cx.constant(1); count - k];
            shape[0] = windows[k];
            let counts = cx.reshape(counts, &shape)?;
            let dtype = cx.dtype_of(value);
            let counts = cx.cast(counts, dtype)?;
            value = cx.div(value, counts)?;
        }
    }
    for k in 0..count {
        let line = Line { size: kernel[k], step: stride[k], padding: padding[k] };
        value = cx.unsqueeze(value, (lead + k + 1) as i64)?;
        value = folded(cx, value, lead + k, whole[lead + k], &line)?;
    }
    Ok(vec![cx.cast(value, dtype)?])
}

/// How many elements of a dimension each window means over: those within the dimension, or within its padding, too.
fn counts(cx: &mut Decompose<'_>, windows: SymInt, size: SymInt, line: &Line) -> Built {
    let (low, high) = match cx.bool("count_include_pad") {
        true => (-line.padding, cx.syms().add_const(size, line.padding)),
        false => (0, size),
    };
    let number = |cx: &Decompose<'_>, v: i64| crate::decompose::Operand::Int(cx.constant(v));
    let numbers = counted(cx, windows)?;
    let begin = cx.mul(numbers, number(cx, line.step))?;
    let begin = cx.sub(begin, number(cx, line.padding))?;
    let end = cx.add(begin, number(cx, line.size))?;
    let end = cx.call("aten.clamp_max.default", vec![Arg::Value(end), Arg::Int(high)])?;
    let low = cx.int_arg(low);
    let begin = cx.call("aten.clamp_min.default", vec![Arg::Value(begin), low])?;
    cx.sub(end, begin)
}

/// Window `i` of `n` over a dimension of `s` goes from `i * s / n` to `((i + 1) * s + n - 1) / n`. Element `p` is in none before
/// window `p * n / s`, and in at most `n / s + 2`.
pub fn adaptive_avg_pool_backward(cx: &mut Decompose<'_>) -> Results {
    let (gradient, x) = (given(cx)?, cx.value("self")?);
    let (dtype, whole) = (cx.dtype_of(gradient), cx.shape(x));
    let count = if cx.op.name().contains("3d") { 3 } else { 2 };
    let lead = whole.len() - count;
    let mut value = cx.compute(gradient)?;
    for dim in lead..whole.len() {
        let (size, windows) = (whole[dim], cx.shape(value)[dim]);
        if let Some(each) = cx.syms().divide_exact(size, windows) {
            // Each element is in one window.
            let mut shape = cx.shape(value);
            shape.insert(dim + 1, each);
            let line = cx.unsqueeze(value, dim as i64 + 1)?;
            let all = cx.call("aten.expand.default", vec![Arg::Value(line), Arg::Ints(shape.clone())])?;
            shape.remove(dim + 1);
            shape[dim] = size;
            let all = cx.reshape(all, &shape)?;
            value = cx.div(all, each)?;
            continue;
        }
        let number = crate::decompose::Operand::Int;
        let down = |cx: &mut Decompose<'_>, a: Value, by: SymInt| {
            let named = vec![("rounding_mode", Arg::Str("floor".into()))];
            cx.call_with("aten.div.Scalar_mode", vec![Arg::Value(a), Arg::Int(by)], named)
        };
        let numbers = counted(cx, size)?;
        let scaled = cx.mul(numbers, number(windows))?;
        let firsts = down(cx, scaled, size)?;
        let syms = cx.syms();
        let most = syms.add_const(syms.floordiv(windows, syms.max(size, syms.constant(1))), 2);
        let most = syms.min(most, windows);
        let wide = cx.dtype_of(value);
        value = sums_of_windows(cx, value, dim, (firsts, most), |cx, window| {
            let from = cx.mul(window, number(size))?;
            let begin = down(cx, from, windows)?;
            let beyond = cx.syms().add_const(cx.syms().add(size, windows), -1);
            let to = cx.add(from, number(beyond))?;
            let end = down(cx, to, windows)?;
            let length = cx.sub(end, begin)?;
            let places = cx.unsqueeze(numbers, 1)?;
            let (after, before) = (cx.compare("le", begin, places)?, cx.compare("gt", end, places)?);
            let read = cx.call("aten.logical_and.default", vec![Arg::Value(after), Arg::Value(before)])?;
            let length = cx.cast(length, wide)?;
            let weights = cx.unary("reciprocal", length)?;
            Ok((read, weights))
        })?;
    }
    Ok(vec![cx.cast(value, dtype)?])
}

/// Of `unfold`: the sum of the windows that cover each element.
pub fn unfold_backward(cx: &mut Decompose<'_>) -> Results {
    let gradient = given(cx)?;
    let sizes = cx.ints("input_sizes").unwrap_or(&[]).to_vec();
    let dtype = cx.dtype_of(gradient);
    let (size, step) = (cx.known_int("size")?, cx.known_int("step")?);
    if size == 0 {
        // Windows without elements take no part in anything.
        return Ok(vec![zeros(cx, sizes, dtype)?]);
    }
    if sizes.is_empty() {
        return Ok(vec![cx.reshape(gradient, &[])?]);
    }
    let dim = cx.dim(cx.known_int("dim")?, sizes.len())?;
    let mut windows = sizes.clone();
    windows[dim] = cx.syms().floordiv(cx.syms().add_const(sizes[dim], -size), cx.constant(step));
    windows[dim] = cx.syms().add_const(windows[dim], 1);
    windows.push(cx.constant(size));
    let gradient = cx.call("aten.expand.default", vec![Arg::Value(gradient), Arg::Ints(windows)])?;
    let line = Line { size, step, padding: 0 };
    // The windows' elements stand right after their dimension.
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.insert(dim + 1, sizes.len());
    let value = cx.permute(gradient, &order)?;
    let value = cx.compute(value)?;
    let sums = folded(cx, value, dim, sizes[dim], &line)?;
    Ok(vec![cx.cast(sums, dtype)?])
}

/// The pads of each padded dimension, the last dimension first.
fn pads(cx: &Decompose<'_>, rank: usize) -> Result<Vec<(usize, [SymInt; 2])>, DecomposeError> {
    let list = cx.ints("padding").unwrap_or(&[]);
    Ok(list.chunks(2).enumerate().map(|(k, pair)| (rank - 1 - k, [pair[0], pair[1]])).collect())
}

/// Sums what each side of a dimension repeats into it: `side` gives a side's share, at its place in the dimension.
fn unpadded(
    cx: &mut Decompose<'_>,
    side: fn(&mut Decompose<'_>, Value, usize, bool, SymInt, SymInt) -> Built,
) -> Results {
    let (gradient, x) = (given(cx)?, cx.value("self")?);
    let (dtype, whole) = (cx.dtype_of(gradient), cx.shape(x));
    let mut value = cx.compute(gradient)?;
    for (dim, [before, after]) in pads(cx, whole.len())? {
        let (own, syms) = (whole[dim], cx.syms());
        let (less_before, less_after) = (syms.neg(before), syms.neg(after));
        let mut sum = padded(cx, value, dim, less_before, less_after)?;
        for (is_left, pad) in [(true, before), (false, after)] {
            // Negative pads have cut off elements, which nothing goes back to.
            if cx.syms().range(pad).max > 0 {
                let share = side(cx, value, dim, is_left, pad, own)?;
                sum = cx.add(sum, share)?;
            }
        }
        value = sum;
    }
    Ok(vec![cx.cast(value, dtype)?])
}

/// The slices of a pad: the first ones, or the last.
fn pad_of(cx: &mut Decompose<'_>, value: Value, dim: usize, is_left: bool, pad: SymInt) -> Built {
    let size = cx.shape(value)[dim];
    let start = if is_left { cx.constant(0) } else { cx.syms().sub(size, pad) };
    narrow(cx, value, dim, start, pad)
}

/// What lies before the first element mirrors the elements after it, and so at the end.
pub fn reflection_pad_backward(cx: &mut Decompose<'_>) -> Results {
    unpadded(cx, |cx, value, dim, is_left, pad, own| {
        let part = pad_of(cx, value, dim, is_left, pad)?;
        let dim_arg = cx.ints_arg(&dims(dim, dim + 1));
        let part = cx.call("aten.flip.default", vec![Arg::Value(part), dim_arg])?;
        let one = cx.constant(1);
        let rest = cx.syms().add_const(cx.syms().sub(own, pad), -1);
        let (before, after) = if is_left { (one, rest) } else { (rest, one) };
        padded(cx, part, dim, before, after)
    })
}

/// What lies before the first element is that element, and so at the end.
pub fn replication_pad_backward(cx: &mut Decompose<'_>) -> Results {
    unpadded(cx, |cx, value, dim, is_left, pad, own| {
        let part = pad_of(cx, value, dim, is_left, pad)?;
        let sum = cx.sum(part, &dims(dim, dim + 1), true)?;
        let zero = cx.constant(0);
        let rest = cx.syms().add_const(own, -1);
        let (before, after) = if is_left { (zero, rest) } else { (rest, zero) };
        padded(cx, sum, dim, before, after)
    })
}
