//! Images and volumes at other places than those they were given at.

use super::super::super::error::Result;
use super::super::super::number::{self, Number};
use super::super::call::{Cx, Results};
use super::convolution::each;
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

/// How one dimension is resized.
struct Axis {
    dim: usize,
    size: SymInt,
    out: SymInt,
    /// Places of the result for one of the input, as a float64 of no dimensions, and known where it is.
    scale: Value,
    known: Option<f64>,
    /// What part of the input is taken, for `tf_crop_and_resize`.
    part: Option<(Value, Value)>,
}

/// `Resize` and, up to opset 9, `Upsample`.
pub fn resize(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let rank = cx.rank(x);
    let mode = cx.string("mode", "nearest")?;
    let old = cx.opset < 11 || cx.node.op_type == "Upsample";
    let place = cx.string("coordinate_transformation_mode", if old { "asymmetric" } else { "half_pixel" })?;
    let dims: Vec<usize> = match cx.list("axes") {
        None => (0..rank).collect(),
        Some(list) => list.iter().map(|a| cx.dim(*a, rank)).collect::<Result<_>>()?,
    };
    let axes = axes(cx, x, &dims, old, &place)?;
    if let Some(value) = usual(cx, x, &axes, &mode, &place)? {
        return cx.one(value);
    }
    let mut value = x;
    let mut outside: Option<Value> = None;
    for axis in &axes {
        let same = cx.syms.known_eq(axis.size, axis.out) && axis.known.is_none_or(|s| s == 1.0);
        if same && axis.part.is_none() {
            continue;
        }
        let places = coordinates(cx, axis, &place)?;
        if axis.part.is_some() {
            let last = cx.syms.add_const(axis.size, -1);
            let args = [Arg::Value(places), Arg::Int(last)];
            let beyond = cx.call("logical_or(lt($0, 0), gt($0, $1))", &args)?;
            let mut sizes = vec![cx.syms.constant(1); rank];
            sizes[axis.dim] = axis.out;
            let beyond = cx.reshape(beyond, &sizes)?;
            outside = Some(match outside {
                None => beyond,
                Some(other) => cx.of("logical_or($0, $1)", &[other, beyond])?,
            });
        }
        value = match &mode[..] {
            "nearest" => nearest(cx, value, axis, places, old)?,
            "linear" | "cubic" => weighted(cx, value, axis, places, mode == "cubic")?,
            other => return Err(cx.refuse(format!("the mode `{other}`"))),
        };
    }
    if let Some(outside) = outside {
        let fill = Arg::Float(cx.float("extrapolation_value", 0.0));
        value = cx.call("masked_fill.Scalar($0, $1, $2)", &[Arg::Value(value), Arg::Value(outside), fill])?;
    }
    cx.one(value)
}

/// Sizes and scales by attribute, by scale, or by size.
fn axes(cx: &mut Cx<'_, '_>, x: Value, dims: &[usize], old: bool, place: &str) -> Result<Vec<Axis>> {
    let shape = cx.shape(x);
    let syms = cx.syms.clone();
    let of_scales = if old { 1 } else { 2 };
    let given = match cx.attribute("scales") {
        Some(list) => Some(list.floats.iter().map(|v| Number::Float(*v as f64)).collect()),
        None if cx.has(of_scales) => numbers(cx, of_scales)?,
        None => None,
    };
    let given: Option<Vec<Number>> = given.filter(|list: &Vec<Number>| !list.is_empty());
    let sizes = if given.is_none() && !old { cx.sizes(3)? } else { None };
    let apply = |name: &str, args: &[Number]| number::evaluate(&syms, name, args);
    let parts = match place {
        "tf_crop_and_resize" => Some(cx.value(1)?),
        _ => None,
    };
    let policy = cx.string("keep_aspect_ratio_policy", "stretch")?;
    let mut shared: Option<Number> = None;
    if let (Some(sizes), "not_larger" | "not_smaller") = (&sizes, &policy[..]) {
        for (k, dim) in dims.iter().enumerate() {
            let ratio = sizes.get(k).map(|s| apply("truediv", &[Number::Int(*s), Number::Int(shape[*dim])]));
            let Some(Ok(ratio)) = ratio else {
                return Err(cx.refuse("sizes that keep an aspect known only in a run"));
            };
            let name = if policy == "not_larger" { "min" } else { "max" };
            shared = Some(match shared {
                None => ratio,
                Some(best) => apply(name, &[best, ratio]).map_err(|why| cx.refuse(why))?,
            });
        }
    }
    let mut list = Vec::new();
    for (k, dim) in dims.iter().enumerate() {
        let size = shape[*dim];
        let own = Number::Int(size);
        let (out, scale) = match (&given, &sizes) {
            (Some(scales), _) => {
                let scale = *scales.get(k).ok_or_else(|| cx.wrong("it has fewer scales than axes"))?;
                let out = apply("mul", &[own, scale]).and_then(|product| apply("floor", &[product]));
                (out, scale)
            }
            (None, Some(sizes)) => {
                let out = *sizes.get(k).ok_or_else(|| cx.wrong("it has fewer sizes than axes"))?;
                match shared {
                    None => {
                        let scale = apply("truediv", &[Number::Int(out), own]);
                        (Ok(Number::Int(out)), scale.map_err(|why| cx.refuse(why))?)
                    }
                    Some(scale) => {
                        // Half is rounded up.
                        let out = apply("mul", &[own, scale])
                            .and_then(|v| apply("add", &[v, Number::Float(0.5)]))
                            .and_then(|v| apply("floor", &[v]));
                        (out, scale)
                    }
                }
            }
            _ => return Err(cx.wrong("it has neither scales nor sizes")),
        };
        let Ok(Number::Int(out)) = out else { return Err(cx.refuse("a size that cannot be calculated")) };
        let out = cx.syms.max(out, cx.syms.constant(0));
        let known = match scale {
            Number::Float(v) => Some(v),
            Number::Int(v) => cx.syms.as_const(v).map(|v| v as f64),
            Number::Quotient(n, d) => cx.syms.as_const(n).map(|n| n as f64 / d as f64),
            _ => None,
        };
        let arg = match known {
            Some(v) => Arg::Float(v),
            None => Arg::SymFloat(number::float_bits(&cx.syms, scale)),
        };
        let scale = cx.call("scalar_tensor($0, dtype=$1)", &[arg, Arg::Dtype(Dtype::Float64)])?;
        let part = match parts {
            None => None,
            Some(parts) => {
                let mut pair = Vec::new();
                for at in [k, k + dims.len()] {
                    let one = cx.call("select.int($0, 0, $1)", &[Arg::Value(parts), cx.int(at as i64)])?;
                    pair.push(cx.cast(one, Dtype::Float64)?);
                }
                Some((pair[0], pair[1]))
            }
        };
        list.push(Axis { dim: *dim, size, out, scale, known, part });
    }
    Ok(list)
}

/// Floats of an input, known or read in a run.
fn numbers(cx: &mut Cx<'_, '_>, k: usize) -> Result<Option<Vec<Number>>> {
    if let Some(known) = cx.known(k)? {
        return Ok(Some(known.items.clone()));
    }
    let value = cx.value(k)?;
    let count = cx.shape(value).first().and_then(|n| cx.syms.as_const(*n)).filter(|n| *n <= 16);
    let Some(count) = count else { return Err(cx.refuse("scales whose number is not known")) };
    let mut list = Vec::new();
    for at in 0..count {
        let one = cx.call("select.int($0, 0, $1)", &[Arg::Value(value), cx.int(at)])?;
        list.push(cx.read_value(one)?);
    }
    Ok(Some(list))
}

/// The forms that PyTorch has, too, by its operators: kernels know them.
fn usual(cx: &mut Cx<'_, '_>, x: Value, axes: &[Axis], mode: &str, place: &str) -> Result<Option<Value>> {
    let rank = cx.rank(x);
    let dtype = cx.dtype(x);
    if rank != 4 || !dtype.is_float() || cx.flag("antialias") || cx.flag("exclude_outside") {
        return Ok(None);
    }
    let mut scales = [None, None];
    let mut sizes = [cx.size(x, 2)?, cx.size(x, 3)?];
    for axis in axes {
        match (axis.dim, axis.known) {
            (0 | 1, Some(1.0)) => {}
            (dim @ (2 | 3), Some(scale)) => {
                scales[dim - 2] = Some(scale);
                sizes[dim - 2] = axis.out;
            }
            _ => return Ok(None),
        }
    }
    let nearest = cx.string("nearest_mode", "round_prefer_floor")? == "floor";
    let larger = sizes.iter().all(|s| cx.syms.range(*s).min > 1);
    let text = match (mode, place) {
        ("nearest", "asymmetric") if nearest => "upsample_nearest2d($0, $1, $2, $3)",
        ("linear", "half_pixel" | "pytorch_half_pixel") if larger => {
            "upsample_bilinear2d($0, $1, false, $2, $3)"
        }
        _ => return Ok(None),
    };
    let [Some(rows), Some(columns)] = scales else { return Ok(None) };
    let args = [Arg::Value(x), Arg::Ints(sizes.to_vec()), Arg::Float(rows), Arg::Float(columns)];
    cx.call(text, &args).map(Some)
}

/// Where in the input each place of the result lies, as float64.
fn coordinates(cx: &mut Cx<'_, '_>, axis: &Axis, place: &str) -> Result<Value> {
    let syms = cx.syms.clone();
    let steps = cx.call("arange($0, dtype=$1)", &[Arg::Int(axis.out), Arg::Dtype(Dtype::Float64)])?;
    let half = |cx: &mut Cx<'_, '_>| cx.of("sub(div(add($0, 0.5), $1), 0.5)", &[steps, axis.scale]);
    // One where there is more than one place, zero where there is only one.
    let (zero, one) = (syms.constant(0), syms.constant(1));
    let several = syms.select(syms.lt(one, axis.out), one, zero);
    match place {
        "half_pixel" => half(cx),
        "pytorch_half_pixel" => {
            let own = half(cx)?;
            cx.call("mul($0, $1)", &[Arg::Value(own), Arg::Int(several)])
        }
        "half_pixel_symmetric" => {
            let own = half(cx)?;
            let args = [Arg::Value(own), Arg::Int(axis.out), Arg::Int(axis.size), Arg::Value(axis.scale)];
            cx.call("add($0, mul(rsub.Scalar(reciprocal(div(mul($3, $2), $1)), 1), div(mul(ones_like($3), $2), 2)))", &args)
        }
        "align_corners" => {
            // The size that the scale asks for, before it was rounded down.
            let args = [
                Arg::Value(steps),
                Arg::Int(syms.add_const(axis.size, -1)),
                Arg::Int(axis.size),
                Arg::Value(axis.scale),
                Arg::Int(several),
            ];
            let span = cx.call("sub(mul($3, $2), 1)", &args)?;
            let args = [&args[..], &[Arg::Value(span)]].concat();
            cx.call("mul(div(mul($0, $1), where.self(eq($5, 0), ones_like($5), $5)), $4)", &args)
        }
        "asymmetric" => cx.of("div($0, $1)", &[steps, axis.scale]),
        "tf_half_pixel_for_nn" => cx.of("div(add($0, 0.5), $1)", &[steps, axis.scale]),
        "tf_crop_and_resize" => {
            let Some((start, end)) = axis.part else { return Err(cx.wrong("it has no region")) };
            let args = [
                Arg::Value(steps),
                Arg::Value(start),
                Arg::Value(end),
                Arg::Int(syms.add_const(axis.size, -1)),
                Arg::Int(syms.max(syms.add_const(axis.out, -1), one)),
                Arg::Int(several),
                Arg::Int(syms.sub(one, several)),
            ];
            let many = cx.call("mul(add(mul($1, $3), div(mul(mul($0, sub($2, $1)), $3), $4)), $5)", &args)?;
            let single = cx.call("mul(mul(mul(add($1, $2), 0.5), $3), $6)", &args)?;
            cx.of("add($0, $1)", &[many, single])
        }
        other => Err(cx.refuse(format!("the coordinates `{other}`"))),
    }
}

fn taken(cx: &mut Cx<'_, '_>, x: Value, axis: &Axis, places: Value) -> Result<Value> {
    let last = cx.syms.add_const(axis.size, -1);
    let args = [
        Arg::Value(x),
        cx.int(axis.dim as i64),
        Arg::Value(places),
        Arg::Int(last),
        Arg::Dtype(Dtype::Int64),
    ];
    cx.call("index_select($0, $1, clamp(_to_copy($2, dtype=$4), 0, $3))", &args)
}

fn nearest(cx: &mut Cx<'_, '_>, x: Value, axis: &Axis, places: Value, old: bool) -> Result<Value> {
    let text = match &cx.string("nearest_mode", if old { "floor" } else { "round_prefer_floor" })?[..] {
        "round_prefer_floor" => "ceil(sub($0, 0.5))",
        "round_prefer_ceil" => "floor(add($0, 0.5))",
        "floor" => "floor($0)",
        "ceil" => "ceil($0)",
        other => return Err(cx.refuse(format!("the rounding `{other}`"))),
    };
    let places = cx.of(text, &[places])?;
    taken(cx, x, axis, places)
}

/// A sum of neighbours, weighted by their distance; those outside are the outermost elements, or left out.
fn weighted(cx: &mut Cx<'_, '_>, x: Value, axis: &Axis, places: Value, cubic: bool) -> Result<Value> {
    let syms = cx.syms.clone();
    let reach = if cubic { 2 } else { 1 };
    let smooth = cx.flag("antialias");
    // Downwards, the filter is as wide as the places lie apart.
    let (width, factor) = match (smooth, axis.known, syms.as_const(axis.size)) {
        (true, Some(scale), _) if scale < 1.0 => ((reach as f64 / scale).ceil() as i64, Arg::Float(scale)),
        // A scale that a run knows makes of all places one at most.
        (true, None, Some(size)) if size <= 16 => {
            (reach * size, Arg::Value(cx.of("clamp_max($0, 1)", &[axis.scale])?))
        }
        (true, None, _) => return Err(cx.refuse("antialiased, with a scale that is known only in a run")),
        _ => (reach, Arg::Float(1.0)),
    };
    if width > 64 {
        return Err(cx.refuse("antialiased by more than a factor of 32"));
    }
    let dtype = cx.dtype(x);
    let (rank, dim) = (cx.rank(x), axis.dim);
    let mut sizes = vec![syms.constant(1); rank];
    sizes[dim] = axis.out;
    let base = cx.of("floor($0)", &[places])?;
    let (mut total, mut sum): (Option<Value>, Option<Value>) = (None, None);
    let last = syms.add_const(axis.size, -1);
    for tap in 1 - width..=width {
        let at = cx.call("add($0, $1)", &[Arg::Value(base), cx.int(tap)])?;
        let args = [Arg::Value(at), Arg::Value(places), factor.clone()];
        let distance = cx.call("mul(abs(sub($0, $1)), $2)", &args)?;
        let mut weight = match cubic {
            false => cx.of("clamp_min(rsub.Scalar($0, 1), 0)", &[distance])?,
            true => {
                let a = cx.float("cubic_coeff_a", -0.75);
                let args = [
                    Arg::Value(distance),
                    Arg::Float(a),
                    Arg::Float(a + 2.0),
                    Arg::Float(a + 3.0),
                    Arg::Float(5.0 * a),
                    Arg::Float(8.0 * a),
                    Arg::Float(4.0 * a),
                ];
                // Two cubic pieces: up to 1, and from there up to 2.
                let near = cx.call("add(mul(sub(mul($0, $2), $3), mul($0, $0)), 1)", &args)?;
                let far = cx.call("sub(mul(add(mul(sub(mul($0, $1), $4), $0), $5), $0), $6)", &args)?;
                let zero = cx.of("zeros_like($0)", &[distance])?;
                let list = [distance, near, far, zero];
                cx.of("where.self(le($0, 1), $1, where.self(lt($0, 2), $2, $3))", &list)?
            }
        };
        if cx.flag("exclude_outside") {
            let args = [Arg::Value(weight), Arg::Value(at), Arg::Int(last)];
            weight = cx.call("masked_fill.Scalar($0, logical_or(lt($1, 0), gt($1, $2)), 0)", &args)?;
        }
        sum = Some(match sum {
            None => weight,
            Some(other) => cx.of("add($0, $1)", &[other, weight])?,
        });
        let weight = cx.reshape(weight, &sizes)?;
        let weight = cx.cast(weight, if dtype == Dtype::Float64 { dtype } else { Dtype::Float32 })?;
        let element = taken(cx, x, axis, at)?;
        let term = cx.of("mul($0, $1)", &[element, weight])?;
        total = Some(match total {
            None => term,
            Some(other) => cx.of("add($0, $1)", &[other, term])?,
        });
    }
    let (Some(mut total), Some(sum)) = (total, sum) else { return Ok(x) };
    if smooth || cx.flag("exclude_outside") {
        let sum = cx.reshape(sum, &sizes)?;
        total = cx.of("div($0, $1)", &[total, sum])?;
    }
    if dtype.is_integer() {
        total = cx.of("round($0)", &[total])?;
    }
    cx.cast(total, dtype)
}

pub fn grid_sample(cx: &mut Cx<'_, '_>) -> Results {
    let (x, grid) = (cx.value(0)?, cx.value(1)?);
    let mode = match &cx.string("mode", "linear")?[..] {
        "linear" | "bilinear" => 0,
        "nearest" => 1,
        "cubic" | "bicubic" => 2,
        other => return Err(cx.refuse(format!("the mode `{other}`"))),
    };
    let padding = match &cx.string("padding_mode", "zeros")?[..] {
        "zeros" => 0,
        "border" => 1,
        "reflection" => 2,
        other => return Err(cx.refuse(format!("the padding `{other}`"))),
    };
    let args =
        [Arg::Value(x), Arg::Value(grid), cx.int(mode), cx.int(padding), Arg::Bool(cx.flag("align_corners"))];
    let value = cx.call("grid_sampler($0, $1, $2, $3, $4)", &args)?;
    cx.one(value)
}

pub fn affine_grid(cx: &mut Cx<'_, '_>) -> Results {
    let theta = cx.value(0)?;
    let sizes = cx.sizes(1)?.ok_or_else(|| cx.wrong("input 1 is missing"))?;
    let args = [Arg::Value(theta), Arg::Ints(sizes), Arg::Bool(cx.flag("align_corners"))];
    let value = cx.call("affine_grid_generator($0, $1, $2)", &args)?;
    cx.one(value)
}

/// Blocks as columns, added up where they lie.
pub fn columns_to_image(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let image = cx.sizes(1)?.ok_or_else(|| cx.wrong("input 1 is missing"))?;
    let block = cx.sizes(2)?.ok_or_else(|| cx.wrong("input 2 is missing"))?;
    let rank = block.len();
    let shape = cx.shape(x);
    let [batch, width, _] = shape[..] else { return Err(cx.wrong("its input is not of rank 3")) };
    if image.len() != rank || rank == 0 {
        return Err(cx.wrong("image and block have different ranks"));
    }
    let (strides, dilations) = (each(cx, "strides", rank, 1)?, each(cx, "dilations", rank, 1)?);
    let pads = cx.list("pads").unwrap_or_else(|| vec![0; 2 * rank]);
    // Sums of two of them are sizes.
    let odd = |pad: &i64| pad.unsigned_abs() > 1 << 40;
    if pads.len() != 2 * rank || pads.iter().any(odd) || strides.iter().chain(&dilations).any(|s| *s < 1) {
        return Err(cx.wrong("pads, strides or dilations that no image has"));
    }
    let syms = cx.syms.clone();
    let channels = syms.floordiv(width, syms.max(syms.product(&block), syms.constant(1)));
    // `[batch, channels, places in a block…, blocks…]`, each with its place in the padded image.
    let (mut sizes, mut padded) = (vec![batch, channels], vec![batch, channels]);
    sizes.extend(&block);
    let (mut places, mut cut) = (vec![None, None], Vec::new());
    for k in 0..rank {
        let all = syms.add_const(image[k], pads[k] + pads[k + rank]);
        let reach = syms.add_const(syms.mul_const(syms.add_const(block[k], -1), dilations[k]), 1);
        let steps = syms.add_const(syms.floordiv(syms.sub(all, reach), syms.constant(strides[k])), 1);
        sizes.push(steps);
        padded.push(all);
        cut.push([-pads[k], -pads[k + rank]]);
        let mut spread = vec![vec![syms.constant(1); 2 * rank]; 2];
        (spread[0][k], spread[1][rank + k]) = (block[k], steps);
        let args = [
            Arg::Int(block[k]),
            cx.int(dilations[k]),
            Arg::Ints(spread[0].clone()),
            Arg::Int(steps),
            cx.int(strides[k]),
            Arg::Ints(spread[1].clone()),
        ];
        let text = "add(reshape(mul(arange($0), $1), $2), reshape(mul(arange($3), $4), $5))";
        places.push(Some(cx.call(text, &args)?));
    }
    let columns = cx.reshape(x, &sizes)?;
    let args = [Arg::Value(columns), Arg::Ints(padded), Arg::Values(places)];
    let whole = cx.call("index_put(new_zeros($0, $1), $2, $0, true)", &args)?;
    let cut: Vec<i64> = cut.into_iter().rev().flatten().collect();
    let value = cx.call("constant_pad_nd($0, $1)", &[Arg::Value(whole), cx.int_list(&cut)])?;
    cx.one(value)
}

/// Regions of images, averaged over points between elements.
pub fn roi_align(cx: &mut Cx<'_, '_>) -> Results {
    let (x, rois, batch) = (cx.value(0)?, cx.value(1)?, cx.value(2)?);
    let (rows, columns) = (cx.attr_or("output_height", 1), cx.attr_or("output_width", 1));
    let ratio = cx.attr_or("sampling_ratio", 0);
    let max = cx.string("mode", "avg")? == "max";
    if ratio < 1 && max {
        return Err(cx.refuse("with the largest of as many points as each region's size asks for"));
    }
    if [rows, columns, ratio.max(1)].iter().any(|n| !(1..=1 << 20).contains(n)) {
        return Err(cx.wrong(format!("{rows} by {columns} cells of {ratio} points")));
    }
    let shape = cx.shape(x);
    let [_, channels, height, width] = shape[..] else { return Err(cx.wrong("its input is not of rank 4")) };
    let half = match &cx.string(
        "coordinate_transformation_mode",
        if cx.opset < 16 { "output_half_pixel" } else { "half_pixel" },
    )?[..]
    {
        "half_pixel" => true,
        "output_half_pixel" => false,
        other => return Err(cx.refuse(format!("the coordinates `{other}`"))),
    };
    let scale = cx.float("spatial_scale", 1.0);
    let dtype = cx.dtype(x);
    if ratio < 1 {
        let [x, rois, batch] = [x, rois, batch].map(Arg::Value);
        let args = [x, rois, batch, Arg::Float(scale), cx.int(rows), cx.int(columns), Arg::Bool(half)];
        let regions = "cat([unsqueeze(_to_copy($2, dtype=#1), 1), $1], 1)";
        let value =
            cx.call(&format!("torchvision.roi_align.default($0, {regions}, $3, $4, $5, -1, $6)"), &args)?;
        return cx.one(value);
    }
    let mut lines = Vec::new();
    for (from, to, bins, size) in [(1, 3, rows, height), (0, 2, columns, width)] {
        let args = [
            Arg::Value(rois),
            cx.int(from),
            cx.int(to),
            Arg::Float(scale),
            Arg::Float(if half { 0.5 } else { 0.0 }),
            Arg::Dtype(dtype),
        ];
        let start = cx.call("sub(mul(select.int($0, 1, $1), $3), $4)", &args)?;
        let end = cx.call("sub(mul(select.int($0, 1, $2), $3), $4)", &args)?;
        let mut length = cx.of("sub($0, $1)", &[end, start])?;
        if !half {
            length = cx.of("clamp_min($0, 1)", &[length])?;
        }
        let points = bins * ratio;
        let args = [Arg::Value(start), Arg::Value(length), cx.int(points), Arg::Dtype(dtype)];
        let text = "add(unsqueeze($0, 1), mul(div(add(arange($2, dtype=$3), 0.5), $2), unsqueeze($1, 1)))";
        let place = cx.call(text, &args)?;
        let args = [
            Arg::Value(place),
            Arg::Int(size),
            Arg::Int(cx.syms.add_const(size, -1)),
            Arg::Dtype(Dtype::Int64),
        ];
        let outside = cx.call("logical_or(lt($0, -1), gt($0, $1))", &args)?;
        let place = cx.call("clamp($0, 0, $2)", &args)?;
        let args = [Arg::Value(place), args[1].clone(), args[2].clone(), args[3].clone()];
        let low = cx.call("_to_copy(floor($0), dtype=$3)", &args)?;
        let high = cx.call("clamp_max(add($0, 1), $1)", &[Arg::Value(low), args[2].clone()])?;
        let part = cx.of("sub($0, floor($0))", &[place])?;
        let part = cx.cast(part, dtype)?;
        lines.push((low, high, part, outside));
    }
    let (down, across) = (&lines[0], &lines[1]);
    let batch = cx.cast(batch, Dtype::Int64)?;
    let mut corners = Vec::new();
    for y in [down.0, down.1] {
        for x_ in [across.0, across.1] {
            let text = "index.Tensor(permute($0, [0, 2, 3, 1]), [reshape($1, [-1, 1, 1]), unsqueeze($2, 2), unsqueeze($3, 1)])";
            corners.push(cx.of(text, &[x, batch, y, x_])?);
        }
    }
    let y = cx.of("unsqueeze(unsqueeze($0, 2), 3)", &[down.2])?;
    let x_ = cx.of("unsqueeze(unsqueeze($0, 1), 3)", &[across.2])?;
    let weights = [
        cx.of("mul(rsub.Scalar($0, 1), rsub.Scalar($1, 1))", &[y, x_])?,
        cx.of("mul(rsub.Scalar($0, 1), $1)", &[y, x_])?,
        cx.of("mul($0, rsub.Scalar($1, 1))", &[y, x_])?,
        cx.of("mul($0, $1)", &[y, x_])?,
    ];
    let mut value: Option<Value> = None;
    for (corner, weight) in corners.into_iter().zip(weights) {
        let term = cx.of("mul($0, $1)", &[corner, weight])?;
        value = Some(match value {
            None => term,
            Some(other) if max => cx.of("maximum($0, $1)", &[other, term])?,
            Some(other) => cx.of("add($0, $1)", &[other, term])?,
        });
    }
    let Some(value) = value else { return Err(cx.wrong("it has no points")) };
    let text = "masked_fill.Scalar($0, logical_or(unsqueeze(unsqueeze($1, 2), 3), unsqueeze(unsqueeze($2, 1), 3)), 0)";
    let value = cx.of(text, &[value, down.3, across.3])?;
    let syms = cx.syms.clone();
    let sizes: Vec<SymInt> = vec![
        cx.size(rois, 0)?,
        syms.constant(rows),
        syms.constant(ratio),
        syms.constant(columns),
        syms.constant(ratio),
        channels,
    ];
    let value = cx.reshape(value, &sizes)?;
    let text = if max {
        "permute(amax($0, [2, 4]), [0, 3, 1, 2])"
    } else {
        "permute(mean.dim($0, [2, 4]), [0, 3, 1, 2])"
    };
    let value = cx.of(text, &[value])?;
    cx.one(value)
}
