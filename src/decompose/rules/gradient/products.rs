//! Of convolutions: the input's gradient is a transposed convolution (of a transposed one a convolution), the weight's a
//! product of the gradient with the windows of the input.

use super::{Built, Results, given, narrow, padded};
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::{SymInt, lies_channels_last};

/// What a convolution was called with, one number per spatial dimension.
struct Geometry {
    stride: Vec<i64>,
    padding: Vec<i64>,
    dilation: Vec<i64>,
    groups: i64,
}

fn spatial(cx: &Decompose<'_>, name: &str, count: usize) -> Result<Vec<i64>, DecomposeError> {
    let list = cx.known_ints(name)?;
    Ok(if list.len() == 1 { vec![list[0]; count] } else { list })
}

pub fn convolution_backward(cx: &mut Decompose<'_>) -> Results {
    let (gradient, input, weight) = (given(cx)?, cx.value("input")?, cx.value("weight")?);
    let rank = cx.rank(weight);
    let geometry = Geometry {
        stride: spatial(cx, "stride", rank - 2)?,
        padding: spatial(cx, "padding", rank - 2)?,
        dilation: spatial(cx, "dilation", rank - 2)?,
        groups: cx.known_int("groups")?,
    };
    let transposed = cx.bool("transposed");
    let of_input = if transposed {
        convolved(cx, gradient, input, weight, &geometry)?
    } else {
        spread(cx, gradient, input, weight, &geometry)?
    };
    let of_weight = if transposed {
        of_weight(cx, input, gradient, weight, &geometry)?
    } else {
        of_weight(cx, gradient, input, weight, &geometry)?
    };
    let others: Vec<i64> = (0..rank as i64).filter(|d| *d != 1).collect();
    let (own, wide) = (cx.dtype_of(gradient), cx.compute(gradient)?);
    let of_bias = cx.sum(wide, &others, false)?;
    Ok(vec![of_input, of_weight, cx.cast(of_bias, own)?])
}

fn convolution(
    cx: &mut Decompose<'_>,
    (input, weight): (Value, Value),
    geometry: &Geometry,
    padding: &[i64],
    transposed: Option<&[i64]>,
) -> Built {
    let none = vec![0; padding.len()];
    let args = vec![
        Arg::Value(input),
        Arg::Value(weight),
        Arg::None,
        cx.ints_arg(&geometry.stride),
        cx.ints_arg(padding),
        cx.ints_arg(&geometry.dilation),
        Arg::Bool(transposed.is_some()),
        cx.ints_arg(transposed.unwrap_or(&none)),
        cx.int_arg(geometry.groups),
    ];
    cx.call("aten.convolution.default", args)
}

/// The convolution of the gradient, in the sizes of the input. An output padding of a stride or more has windows of its own,
/// which no element of the input reached.
fn convolved(
    cx: &mut Decompose<'_>,
    gradient: Value,
    input: Value,
    weight: Value,
    geometry: &Geometry,
) -> Built {
    let mut all = convolution(cx, (gradient, weight), geometry, &geometry.padding, None)?;
    for dim in 2..cx.rank(input) {
        let (whole, size) = (cx.shape(all)[dim], cx.shape(input)[dim]);
        if whole != size {
            let zero = cx.constant(0);
            all = narrow(cx, all, dim, zero, size)?;
        }
    }
    Ok(all)
}

/// The transposed convolution of the gradient, in the sizes of the input.
fn spread(
    cx: &mut Decompose<'_>,
    gradient: Value,
    input: Value,
    weight: Value,
    geometry: &Geometry,
) -> Built {
    let (whole, given, kernel) = (cx.shape(input), cx.shape(gradient), cx.shape(weight));
    let syms = cx.syms();
    // How far the windows reach over the padded input, and what they leave of it.
    let reach = |k: usize| {
        let steps = syms.mul_const(syms.add_const(given[2 + k], -1), geometry.stride[k]);
        let width = syms.mul_const(syms.add_const(kernel[2 + k], -1), geometry.dilation[k]);
        syms.add_const(syms.add(steps, width), 1)
    };
    let count = geometry.stride.len();
    let ends: Vec<SymInt> = (0..count).map(reach).collect();
    let left = |k: usize| syms.sub(syms.add_const(whole[2 + k], 2 * geometry.padding[k]), ends[k]);
    let lefts: Vec<SymInt> = (0..count).map(left).collect();
    let known: Option<Vec<i64>> = lefts.iter().map(|left| syms.as_const(*left)).collect();
    let fits = |k: usize, left: i64| (0..geometry.stride[k].max(geometry.dilation[k])).contains(&left);
    if let Some(left) = known
        && (0..count).all(|k| fits(k, left[k]))
    {
        return convolution(cx, (gradient, weight), geometry, &geometry.padding, Some(&left));
    }
    let none = vec![0; count];
    let mut all = convolution(cx, (gradient, weight), geometry, &none, Some(&none))?;
    for (k, left) in lefts.into_iter().enumerate() {
        let before = cx.constant(-geometry.padding[k]);
        let after = cx.syms().add_const(left, -geometry.padding[k]);
        all = padded(cx, all, 2 + k, before, after)?;
    }
    Ok(all)
}

/// `w[g, o, i, k] = sum over n and places p of small[n, g, o, p] * large[n, g, i, p * stride + k * dilation - padding]`
fn of_weight(
    cx: &mut Decompose<'_>,
    small: Value,
    large: Value,
    weight: Value,
    geometry: &Geometry,
) -> Built {
    let (whole, kernel) = (cx.shape(weight), cx.shape(weight)[2..].to_vec());
    let count = kernel.len();
    let channels_last = {
        let lies = cx.graph.meta(large);
        lies_channels_last(cx.syms(), &lies.shape, &lies.strides)
    };
    let places = cx.shape(small)[2..].to_vec();
    let mut windows = large;
    for k in 0..count {
        if geometry.padding[k] != 0 {
            let pad = cx.constant(geometry.padding[k]);
            windows = padded(cx, windows, 2 + k, pad, pad)?;
        }
    }
    for k in 0..count {
        let Some(size) = cx.syms().as_const(kernel[k]) else {
            return Err(cx.unsupported("a kernel whose size is not constant"));
        };
        let syms = cx.syms();
        let reach = syms.mul_const(syms.constant(size.saturating_sub(1)), geometry.dilation[k]);
        let span = Arg::Int(syms.add_const(reach, 1));
        let dim = cx.int_arg(2 + k as i64);
        let step = cx.int_arg(geometry.stride[k]);
        windows = cx.call("aten.unfold.default", vec![Arg::Value(windows), dim, span, step])?;
        // What the stride leaves over at the end is no window of the output.
        let zero = cx.constant(0);
        windows = narrow(cx, windows, 2 + k, zero, places[k])?;
        if geometry.dilation[k] != 1 {
            let (last, step) = (cx.int_arg(-1), cx.int_arg(geometry.dilation[k]));
            windows =
                cx.call("aten.slice.Tensor", vec![Arg::Value(windows), last, Arg::None, Arg::None, step])?;
        }
    }
    let groups = cx.constant(geometry.groups);
    let (batch, syms) = (cx.shape(small)[0], cx.syms());
    let (rows, columns) = (syms.floordiv(whole[0], groups), whole[1]);
    let parts = [&[batch, groups, columns], &places[..], &kernel[..]].concat();
    let small_parts = [&[batch, groups, rows], &places[..]].concat();
    let sum = syms.mul(batch, syms.product(&places));
    let wide = syms.mul(columns, syms.product(&kernel));
    let windows = cx.reshape(windows, &parts)?;
    let small = cx.reshape(small, &small_parts)?;
    // [groups, batch, places, columns, kernel] and [groups, rows, batch, places]. If the columns are neighbours in memory, the
    // copy of the windows and the result keep them so.
    let at: Vec<usize> = (3..3 + count).collect();
    let last: Vec<usize> = (3 + count..3 + 2 * count).collect();
    let inner = if channels_last { [&last[..], &[2]].concat() } else { [&[2], &last[..]].concat() };
    let windows = cx.permute(windows, &[&[1, 0], &at[..], &inner[..]].concat())?;
    let small = cx.permute(small, &[&[1, 2, 0], &at[..]].concat())?;
    let mut windows = cx.reshape(windows, &[groups, sum, wide])?;
    let small = cx.reshape(small, &[groups, rows, sum])?;
    // Rows of few channels, which are written anyway, begin at multiples of what tensor cores load at once.
    let odd = cx.syms().as_const(wide).map_or(0, |n| (8 - n % 8) % 8);
    let pads =
        odd != 0 && cx.dtype_of(windows).is_reduced_float() && cx.syms().product(&kernel) != cx.constant(1);
    if pads {
        let (none, more) = (cx.constant(0), cx.constant(odd));
        windows = padded(cx, windows, 2, none, more)?;
    }
    let mut product = cx.call("aten.bmm.default", vec![Arg::Value(small), Arg::Value(windows)])?;
    if pads {
        let none = cx.constant(0);
        product = narrow(cx, product, 2, none, wide)?;
    }
    if !channels_last {
        return cx.reshape(product, &whole);
    }
    let product = cx.reshape(product, &[&whole[..1], &kernel[..], &whole[1..2]].concat())?;
    let order: Vec<usize> = [0, 1 + count].into_iter().chain(1..1 + count).collect();
    cx.permute(product, &order)
}
