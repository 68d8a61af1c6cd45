//! torchvision's regions and deformable convolutions: images read at places between their elements.
//!
//! Deliberately absent: regions that choose their number of points by their size (`meta::formulas::regions`).

use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

fn counted(cx: &mut Decompose<'_>, count: SymInt, dtype: Dtype) -> Built {
    cx.call_with("aten.arange.default", vec![Arg::Int(count)], vec![("dtype", Arg::Dtype(dtype))])
}

/// `factor * k + start` for each `k` below `count`.
fn line(cx: &mut Decompose<'_>, count: SymInt, factor: SymInt, start: SymInt) -> Built {
    let numbers = counted(cx, count, Dtype::Int64)?;
    let scaled = cx.mul(numbers, factor)?;
    cx.add(scaled, start)
}

fn either(cx: &mut Decompose<'_>, a: Value, b: Value) -> Built {
    cx.call("aten.logical_or.default", vec![Arg::Value(a), Arg::Value(b)])
}

/// The elements of `[images, channels, height, width]` at places `y` and `x`, linearly between the four next to each, with zeros
/// around an image: `[places.., channels]`. A place that is NaN gives NaN.
fn interpolated(cx: &mut Decompose<'_>, image: Value, number: Value, y: Value, x: Value) -> Built {
    let shape = cx.shape(image);
    let last = cx.permute(image, &[0, 2, 3, 1])?;
    let mut sides = Vec::new();
    for (place, size) in [(y, shape[2]), (x, shape[3])] {
        let end = cx.syms().add_const(size, -1);
        let zero = cx.constant(0);
        let low = cx.unary("floor", place)?;
        let part = cx.sub(place, low)?;
        let rest = cx.call("aten.rsub.Scalar", vec![Arg::Value(part), cx.int_arg(1)])?;
        let mut pair = Vec::new();
        for (step, weight) in [(0.0, rest), (1.0, part)] {
            let at = cx.add(low, step)?;
            let (before, after) = (cx.compare("lt", at, zero)?, cx.compare("gt", at, end)?);
            let outside = either(cx, before, after)?;
            let fill = vec![Arg::Value(weight), Arg::Value(outside), Arg::Float(0.0)];
            let weight = cx.call("aten.masked_fill.Scalar", fill)?;
            let (from, to) = (cx.compare("ge", at, zero)?, cx.compare("le", at, end)?);
            let inside = cx.call("aten.logical_and.default", vec![Arg::Value(from), Arg::Value(to)])?;
            let first = cx.scalar(0.0, cx.dtype_of(at))?;
            let at = cx.select(inside, at, first)?;
            pair.push((cx.cast(at, Dtype::Int64)?, weight));
        }
        sides.push(pair);
    }
    let mut total: Option<Value> = None;
    for (row, down) in &sides[0] {
        for (column, across) in &sides[1] {
            let places = Arg::Values(vec![Some(number), Some(*row), Some(*column)]);
            let element = cx.call("aten.index.Tensor", vec![Arg::Value(last), places])?;
            let weight = cx.mul(*down, *across)?;
            let weight = cx.unsqueeze(weight, -1)?;
            let term = cx.mul(element, weight)?;
            total = Some(match total {
                None => term,
                Some(sum) => cx.add(sum, term)?,
            });
        }
    }
    total.ok_or_else(|| cx.unsupported("an image without corners"))
}

/// Each region's cells, each the mean over points that lie evenly in it. A point more than one element outside of the image is 0,
/// and one nearer to it has the value at the edge.
pub fn roi_align(cx: &mut Decompose<'_>) -> Results {
    let (input, rois) = (cx.value("input")?, cx.value("rois")?);
    let ratio = cx.known_int("sampling_ratio")?;
    if ratio < 1 {
        // Each region's size gives its number of points.
        let names = ["input", "rois", "spatial_scale", "pooled_height", "pooled_width", "aligned"];
        let args = names.map(|name| cx.arg(name).clone()).to_vec();
        return cx.call_all("litz.roi_align.default", args, Vec::new());
    }
    let scale = cx.float("spatial_scale").unwrap_or(1.0);
    let aligned = cx.bool("aligned");
    let dtype = cx.dtype_of(input);
    let (image, rois) = (cx.compute(input)?, cx.compute(rois)?);
    let (wide, shape) = (cx.dtype_of(image), cx.shape(image));
    let number = cx.select_index(rois, 1, 0)?;
    let number = cx.cast(number, Dtype::Int64)?;
    let (one, points) = (cx.constant(1), cx.constant(ratio));
    let regions = cx.shape(rois)[0];
    let number = cx.reshape(number, &[regions, one, one])?;
    let (mut places, mut outsides, mut cells) = (Vec::new(), Vec::new(), Vec::new());
    for (k, name) in ["pooled_height", "pooled_width"].into_iter().enumerate() {
        let count = cx.int(name).unwrap_or(one);
        let mut ends = Vec::new();
        for column in [2 - k, 4 - k] {
            let edge = cx.select_index(rois, 1, column as i64)?;
            let edge = cx.mul(edge, scale)?;
            ends.push(cx.sub(edge, if aligned { 0.5 } else { 0.0 })?);
        }
        let mut length = cx.sub(ends[1], ends[0])?;
        if !aligned {
            length = cx.call("aten.clamp_min.default", vec![Arg::Value(length), Arg::Float(1.0)])?;
        }
        let cell = cx.div(length, count)?;
        let cell = cx.reshape(cell, &[regions, one, one])?;
        let start = cx.reshape(ends[0], &[regions, one, one])?;
        let steps = counted(cx, count, wide)?;
        let steps = cx.unsqueeze(steps, 1)?;
        let steps = cx.mul(steps, cell)?;
        let within = counted(cx, points, wide)?;
        let within = cx.add(within, 0.5)?;
        let within = cx.mul(within, cell)?;
        let within = cx.div(within, points)?;
        let place = cx.add(start, steps)?;
        let place = cx.add(place, within)?;
        let all = cx.syms().mul(count, points);
        let sizes = if k == 0 { [regions, all, one] } else { [regions, one, all] };
        let place = cx.reshape(place, &sizes)?;
        let size = shape[2 + k];
        let (before, after) = (cx.compare("lt", place, -1.0)?, cx.compare("gt", place, size)?);
        outsides.push(either(cx, before, after)?);
        let last = cx.syms().add_const(size, -1);
        let bounds = vec![Arg::Value(place), cx.int_arg(0), Arg::Int(last)];
        places.push(cx.call("aten.clamp.default", bounds)?);
        cells.push(count);
    }
    let value = interpolated(cx, image, number, places[0], places[1])?;
    let outside = either(cx, outsides[0], outsides[1])?;
    let outside = cx.unsqueeze(outside, -1)?;
    let fill = vec![Arg::Value(value), Arg::Value(outside), Arg::Float(0.0)];
    let value = cx.call("aten.masked_fill.Scalar", fill)?;
    let value = cx.reshape(value, &[regions, cells[0], points, cells[1], points, shape[1]])?;
    let value = cx.mean(value, &[2, 4], false)?;
    let value = cx.permute(value, &[0, 3, 1, 2])?;
    Ok(vec![cx.cast(value, dtype)?])
}

/// A convolution whose kernel's elements are read where `offset` moves them, as one matrix product over what was read.
pub fn deform_conv2d(cx: &mut Decompose<'_>) -> Results {
    let (input, weight) = (cx.value("input")?, cx.value("weight")?);
    let (offset, bias) = (cx.value("offset")?, cx.value("bias")?);
    let dtype = cx.dtype_of(input);
    let (groups, parts) = (cx.constant(cx.known_int("groups")?), cx.constant(cx.known_int("offset_groups")?));
    let (image, offset) = (cx.compute(input)?, cx.compute(offset)?);
    let (size, kernel, moved) = (cx.shape(input), cx.shape(weight), cx.shape(offset));
    let one = cx.constant(1);
    let syms = cx.graph.syms.clone();
    let (images, elements) = (syms.mul(size[0], parts), syms.mul(kernel[2], kernel[3]));
    let each = syms.floordiv(size[1], parts);
    let image = cx.reshape(image, &[images, each, size[2], size[3]])?;
    let offset = cx.reshape(offset, &[images, elements, cx.constant(2), moved[2], moved[3]])?;
    let mut places = Vec::new();
    for (k, side) in ["h", "w"].into_iter().enumerate() {
        let given = |cx: &Decompose<'_>, name: &str| cx.int(&format!("{name}_{side}")).unwrap_or(one);
        let (stride, pad, dilation) = (given(cx, "stride"), given(cx, "pad"), given(cx, "dilation"));
        let none = cx.constant(0);
        let windows = line(cx, moved[2 + k], stride, syms.neg(pad))?;
        let windows =
            cx.reshape(windows, &[if k == 0 { moved[2] } else { one }, if k == 0 { one } else { moved[3] }])?;
        let within = line(cx, kernel[2 + k], dilation, none)?;
        let within = cx
            .reshape(within, &[if k == 0 { kernel[2] } else { one }, if k == 0 { one } else { kernel[3] }])?;
        let within =
            cx.call("aten.expand.default", vec![Arg::Value(within), Arg::Ints(kernel[2..].to_vec())])?;
        let within = cx.reshape(within, &[elements, one, one])?;
        let place = cx.add(within, windows)?;
        let shift = cx.select_index(offset, 2, k as i64)?;
        places.push(cx.add(shift, place)?);
    }
    let number = counted(cx, images, Dtype::Int64)?;
    let number = cx.reshape(number, &[images, one, one, one])?;
    let mut columns = interpolated(cx, image, number, places[0], places[1])?;
    if cx.bool("use_mask") {
        let mask = cx.value("mask")?;
        let mask = cx.compute(mask)?;
        let mask = cx.reshape(mask, &[images, elements, moved[2], moved[3], one])?;
        columns = cx.mul(columns, mask)?;
    }
    let columns = cx.cast(columns, dtype)?;
    let columns = cx.permute(columns, &[0, 4, 1, 2, 3])?;
    let (inner, outer) = (syms.mul(kernel[1], elements), syms.floordiv(kernel[0], groups));
    let columns = cx.reshape(columns, &[size[0], groups, inner, syms.mul(moved[2], moved[3])])?;
    let weight = cx.reshape(weight, &[groups, outer, inner])?;
    let value = cx.matmul(weight, columns)?;
    let value = cx.reshape(value, &[size[0], kernel[0], moved[2], moved[3]])?;
    let bias = cx.reshape(bias, &[kernel[0], one, one])?;
    Ok(vec![cx.add(value, bias)?])
}
