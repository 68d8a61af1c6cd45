//! torchvision's operators on regions that read more of the image the larger they are.

use super::repeat::{Turns, repeat};
use super::{Built, Cx, MetaError, Results, v};
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

/// Where regions lie along one dimension of the image, a number for each region.
struct Side {
    start: Value,
    end: Value,
    cells: Arg,
    size: Arg,
}

/// The regions' height and width, scaled, and the number of each region's image.
struct Regions {
    sides: [Side; 2],
    number: Value,
}

/// Regions `[regions, 5]` of images of a dtype and two sizes: the image's number, and two corners.
fn regions(
    cx: &mut Cx<'_, '_>,
    scale: usize,
    dtype: Dtype,
    sizes: [SymInt; 2],
) -> Result<Regions, MetaError> {
    let rois = cx.value(1)?;
    let columns = cx.shape(rois).get(1).map(|n| cx.syms().as_const(*n));
    if cx.rank(rois) != 2 || columns.flatten().is_some_and(|n| n != 5) {
        return Err(
            cx.error(Status::Shape, "`rois` must be [regions, 5]: the image's number and two corners")
        );
    }
    if !dtype.is_float() || cx.dtype(rois) != dtype {
        let message =
            format!("`rois` is {}, the images are {dtype}; both must be floats of one dtype", cx.dtype(rois));
        return Err(cx.error(Status::Dtype, message));
    }
    let rois = cx.cast(rois, dtype.compute())?;
    let column = |cx: &mut Cx<'_, '_>, k: i64, factor: Arg| {
        let args = [v(rois), cx.int(k), factor];
        cx.call("mul.Scalar(select.int($0, 1, $1), $2)", &args)
    };
    let factor = cx.args[scale].clone();
    let side = |cx: &mut Cx<'_, '_>, k: usize| {
        let start = column(cx, 2 - k as i64, factor.clone())?;
        let end = column(cx, 4 - k as i64, factor.clone())?;
        Ok::<_, MetaError>(Side {
            start,
            end,
            cells: cx.args[scale + 1 + k].clone(),
            size: Arg::Int(sizes[k]),
        })
    };
    let sides = [side(cx, 0)?, side(cx, 1)?];
    let number = column(cx, 0, Arg::Float(1.0))?;
    Ok(Regions { sides, number: cx.cast(number, Dtype::Int64)? })
}

/// The sizes of `[images, channels, height, width]`.
fn image(cx: &mut Cx<'_, '_>, input: Value) -> Result<[SymInt; 4], MetaError> {
    let shape = cx.shape(input);
    let message = format!("images of {} dimensions, not [images, channels, height, width]", shape.len());
    <[SymInt; 4]>::try_from(shape).map_err(|_| cx.error(Status::Shape, message))
}

/// The points of a turn, one of each cell. In a loop's formulas, 3: the images' numbers; 4, 5, 6 and 7, 8, 9: where cells begin, the
/// points' distance and the last element of both sides; 10: the points of a cell, 11: the points of a row of it; 12: the most points of a cell.
const POINTS: [&str; 12] = [
    // 13: the point's row; 14, 15: its place; 16: whether it lies outside of the image, or there is none.
    "div.Tensor_mode($0, $11, rounding_mode='floor')",
    "add($4, mul(add.Scalar($13, 0.5), $5))",
    "add($7, mul(add.Scalar(sub($0, mul($13, $11)), 0.5), $8))",
    "logical_or(logical_or(lt.Scalar($14, -1), gt($14, add.Scalar($6, 1))), logical_or(logical_or(lt.Scalar($15, -1), gt($15, add.Scalar($9, 1))), ge($0, $10)))",
    // 17 to 20, and 21 to 24: the place within the image, the elements before and behind it, and the part between.
    "minimum(clamp_min($14, 0), $6)",
    "to.dtype(floor($17), 5)",
    "minimum(add.Scalar($18, 1), $6)",
    "unsqueeze(sub($17, $18), 3)",
    "minimum(clamp_min($15, 0), $9)",
    "to.dtype(floor($21), 5)",
    "minimum(add.Scalar($22, 1), $9)",
    "unsqueeze(sub($21, $22), 3)",
];
const ELEMENTS: [&str; 3] = [
    "lerp.Tensor(index($2, [$3, $18, $22]), index($2, [$3, $18, $23]), $24)",
    "lerp.Tensor(index($2, [$3, $19, $22]), index($2, [$3, $19, $23]), $24)",
    "add($1, masked_fill.Scalar(lerp.Tensor($25, $26, $20), unsqueeze($16, 3), 0))",
];
const SHARES: [&str; 5] = [
    "masked_fill.Scalar($2, unsqueeze($16, 3), 0)",
    "index_put($1, [$3, $18, $22], mul($25, mul(rsub.Scalar($20, 1), rsub.Scalar($24, 1))), true)",
    "index_put($26, [$3, $18, $23], mul($25, mul(rsub.Scalar($20, 1), $24)), true)",
    "index_put($27, [$3, $19, $22], mul($25, mul($20, rsub.Scalar($24, 1))), true)",
    "index_put($28, [$3, $19, $23], mul($25, mul($20, $24)), true)",
];

/// What [`POINTS`] are computed from, the number of points of each cell before the last two.
fn points(cx: &mut Cx<'_, '_>, regions: Regions, aligned: bool, ratio: i64) -> Results {
    let mut given = vec![cx.of("unsqueeze(unsqueeze($0, 1), 2)", &[regions.number])?];
    let mut counts = Vec::new();
    for (k, side) in regions.sides.into_iter().enumerate() {
        let shift = Arg::Float(if aligned { 0.5 } else { 0.0 });
        // A NaN is no place in an image.
        let start = cx.call("sub.Scalar(nan_to_num($0), $1)", &[v(side.start), shift.clone()])?;
        let length = cx.call("sub(sub.Scalar(nan_to_num($0), $1), $2)", &[v(side.end), shift, v(start)])?;
        let length = if aligned { length } else { cx.of("clamp_min($0, 1)", &[length])? };
        let cell =
            cx.call("unsqueeze(unsqueeze(div.Scalar($0, $1), 1), 2)", &[v(length), side.cells.clone()])?;
        let points = match ratio {
            1.. => cx.call("full_like($0, $1)", &[v(cell), cx.int(ratio)])?,
            _ => cx.of("clamp_min(ceil($0), 0)", &[cell])?,
        };
        let steps = if k == 0 { "unsqueeze(arange($2), 1)" } else { "arange($2)" };
        let text = format!("add(unsqueeze(unsqueeze($0, 1), 2), mul($1, {steps}))");
        given.push(cx.call(&text, &[v(start), v(cell), side.cells])?);
        given.push(cx.of("div($0, clamp_min($1, 1))", &[cell, points])?);
        given.push(cx.call("add.Scalar(full([], $0), -1)", std::slice::from_ref(&side.size))?);
        counts.push(points);
    }
    let count = cx.of("mul($0, $1)", &counts)?;
    let row = cx.of("clamp_min($0, 1)", &[counts[1]])?;
    // There may be no regions.
    let most = cx.of("max(cat([reshape($0, [-1]), full([1], 0)]))", &[count])?;
    given.extend([count, row, most]);
    Ok(given)
}

/// A loop over the points of cells, which adds to zeros of a shape.
fn summed(
    cx: &mut Cx<'_, '_>,
    (shape, dtype): (Vec<SymInt>, Dtype),
    of: Value,
    points: &[Value],
    steps: &[&str],
) -> Built {
    let start = cx.call("zeros($0, dtype=$1)", &[Arg::Ints(shape), Arg::Dtype(dtype)])?;
    let given: Vec<Arg> = [of].iter().chain(points).map(|value| v(*value)).collect();
    let steps = [&POINTS[..], steps].concat();
    let turns = Turns { carried: &[start], given: &given, goes_on: "lt($0, $12)", steps: &steps };
    Ok(repeat(cx, turns)?[0])
}

/// `roi_align` with as many points in each cell as the region's size has elements: a turn of the loop adds a point of every cell.
pub fn align(cx: &mut Cx<'_, '_>) -> Results {
    let (input, aligned) = (cx.value(0)?, cx.flag(5));
    let (own, sizes) = (cx.dtype(input), image(cx, input)?);
    let regions = regions(cx, 2, own, [sizes[2], sizes[3]])?;
    let mut shape = vec![cx.shape(regions.number)[0]];
    shape.extend([3, 4].iter().filter_map(|k| cx.args[*k].int()));
    shape.push(sizes[1]);
    let points = points(cx, regions, aligned, 0)?;
    let images = cx.cast(input, own.compute())?;
    let images = cx.of("permute($0, [0, 2, 3, 1])", &[images])?;
    let sum = summed(cx, (shape, own.compute()), images, &points, &ELEMENTS)?;
    let count = points[points.len() - 3];
    let mean = cx.of("permute(div($0, unsqueeze(clamp_min($1, 1), 3)), [0, 3, 1, 2])", &[sum, count])?;
    Ok(vec![cx.cast(mean, own)?])
}

/// The sizes of the images that a gradient is of, arguments from `first` on.
fn sizes_given(cx: &Cx<'_, '_>, first: usize) -> Result<[SymInt; 4], MetaError> {
    let sizes: Vec<SymInt> = (first..first + 4).filter_map(|k| cx.args[k].int()).collect();
    sizes.try_into().map_err(|_| cx.error(Status::InvalidArgument, "the images' sizes must be integers"))
}

/// Each point's share of the gradient, added to the elements that it lies between.
pub fn align_backward(cx: &mut Cx<'_, '_>) -> Results {
    let (grad, aligned, ratio) = (cx.value(0)?, cx.flag(10), cx.known(9)?);
    let (own, [images, channels, height, width]) = (cx.dtype(grad), sizes_given(cx, 5)?);
    let regions = regions(cx, 2, own, [height, width])?;
    let points = points(cx, regions, aligned, ratio)?;
    let grad = cx.cast(grad, own.compute())?;
    let count = points[points.len() - 3];
    let shares = cx.of("div(permute($0, [0, 2, 3, 1]), unsqueeze(clamp_min($1, 1), 3))", &[grad, count])?;
    let shape = vec![images, height, width, channels];
    let sum = summed(cx, (shape, own.compute()), shares, &points, &SHARES)?;
    let sum = cx.of("permute($0, [0, 3, 1, 2])", &[sum])?;
    Ok(vec![cx.cast(sum, own)?])
}

/// Each cell's gradient, added to the element that was its largest.
pub fn pool_backward(cx: &mut Cx<'_, '_>) -> Results {
    let (grad, place) = (cx.value(0)?, cx.value(2)?);
    let (own, [images, channels, height, width]) = (cx.dtype(grad), sizes_given(cx, 6)?);
    let number = regions(cx, 3, own, [height, width])?.number;
    let syms = cx.b.graph.syms.clone();
    let [flat, whole] =
        [vec![images, channels, syms.mul(height, width)], vec![images, channels, height, width]]
            .map(Arg::Ints);
    let args = [v(grad), v(place), v(number), Arg::Int(channels), flat, whole];
    let places =
        "[reshape($2, [-1, 1, 1, 1]), reshape(arange($3), [-1, 1, 1]), to.dtype(clamp_min($1, 0), 5)]";
    let shares = "masked_fill.Scalar($0, lt.Scalar($1, 0), 0)";
    let text = format!("reshape(index_put(zeros($4, dtype=#0), {places}, {shares}, true), $5)");
    Ok(vec![cx.call(&text, &args)?])
}

/// The largest element of each cell, and its place in the image; cells may share elements, and one without any gives 0 at place -1.
pub fn pool(cx: &mut Cx<'_, '_>) -> Results {
    let input = cx.value(0)?;
    let (own, sizes) = (cx.dtype(input), image(cx, input)?);
    let Regions { sides: [rows, columns], number } = regions(cx, 2, own, [sizes[2], sizes[3]])?;
    let width = columns.size.clone();
    // A NaN is never the largest.
    let numbers = cx.of("masked_fill.Scalar($0, isnan($0), -inf)", &[input])?;
    let (down, across) = (within(cx, rows)?, within(cx, columns)?);
    // Along rows first: where a row has its largest element, then which row has it.
    let text = "max.dim(masked_fill.Scalar(unsqueeze(index_select($0, 0, $1), 3), logical_not(unsqueeze(unsqueeze($2, 1), 2)), -inf), 4)";
    let of_rows = cx.calls(text, &[v(numbers), v(number), v(across)])?;
    let text = "max.dim(masked_fill.Scalar(unsqueeze(permute($0, [0, 1, 3, 2]), 2), logical_not(unsqueeze(unsqueeze($1, 1), 3)), -inf), 4)";
    let largest = cx.calls(text, &[v(of_rows[0]), v(down)])?;
    let text = "add(mul.Scalar($0, $2), permute(gather(permute($1, [0, 1, 3, 2]), 3, permute($0, [0, 1, 3, 2])), [0, 1, 3, 2]))";
    let place = cx.call(text, &[v(largest[1]), v(of_rows[1]), width])?;
    let text =
        "logical_not(unsqueeze(logical_and(unsqueeze(any.dim($0, 2), 2), unsqueeze(any.dim($1, 2), 1)), 1))";
    let is_empty = cx.of(text, &[down, across])?;
    // torchvision starts its search at the least float32.
    let least = Arg::Float(f32::MIN.into());
    let text = "masked_fill.Scalar(clamp_min($0, $2), $1, 0)";
    let value = cx.call(text, &[v(largest[0]), v(is_empty), least.clone()])?;
    let text = "to.dtype(masked_fill.Scalar($0, logical_or($1, le.Scalar($2, $3)), -1), 4)";
    Ok(vec![value, cx.call(text, &[v(place), v(is_empty), v(largest[0]), least])?])
}

/// Over regions, cells and the image's elements along a side: which elements a cell has.
fn within(cx: &mut Cx<'_, '_>, side: Side) -> Built {
    // To the nearest whole number, halves away from 0.
    let rounded = "unsqueeze(add(trunc($0), mul(sign($0), ge.Scalar(abs(sub($0, trunc($0))), 0.5))), 1)";
    let (start, end) = (cx.of(rounded, &[side.start])?, cx.of(rounded, &[side.end])?);
    let text = "div.Scalar(clamp_min(add.Scalar(sub($1, $0), 1), 1), $2)";
    let cell = cx.call(text, &[v(start), v(end), side.cells.clone()])?;
    let args = [v(start), v(cell), side.cells, side.size];
    let first = cx.call("unsqueeze(clamp(add(floor(mul(arange($2), $1)), $0), 0, $3), 2)", &args)?;
    let behind =
        cx.call("unsqueeze(clamp(add(ceil(mul(add.Scalar(arange($2), 1), $1)), $0), 0, $3), 2)", &args)?;
    cx.call("logical_and(ge(arange($2), $0), lt(arange($2), $1))", &[v(first), v(behind), args[3].clone()])
}
