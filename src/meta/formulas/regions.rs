//! torchvision's operators on regions that read more of the image the larger they are.

use super::super::formula::Scope;
use super::{Built, Cx, MetaError, Results, v};
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

/// Where regions lie along one dimension of the image, a number for each region.
pub(super) struct Side {
    pub(super) start: Value,
    pub(super) end: Value,
    pub(super) cells: Arg,
    pub(super) size: Arg,
}

/// The regions' height and width, scaled, and the number of each region's image.
pub(super) struct Regions {
    pub(super) sides: [Side; 2],
    pub(super) number: Value,
}

/// Regions `[regions, 5]` of images of a dtype and two sizes: the image's number, and two corners.
pub(super) fn regions(
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
pub(super) fn image(cx: &mut Cx<'_, '_>, input: Value) -> Result<[SymInt; 4], MetaError> {
    let shape = cx.shape(input);
    let message = format!("images of {} dimensions, not [images, channels, height, width]", shape.len());
    <[SymInt; 4]>::try_from(shape).map_err(|_| cx.error(Status::Shape, message))
}

/// A list of items, several of each owner: the owner's number of each, and the item's place among the owner's.
pub(super) struct Items {
    pub(super) owner: Value,
    pub(super) place: Value,
}

impl Items {
    /// As many of each owner as `counts` says, `[owners]` and int64. Their number is known once a run has counted them.
    pub(super) fn counted(cx: &mut Cx<'_, '_>, counts: Value) -> Result<Items, MetaError> {
        let owner = cx.of("repeat_interleave.Tensor($0)", &[counts])?;
        let first = cx.of("sub(cumsum($0, 0), $0)", &[counts])?;
        let args = [v(first), v(owner), Arg::Int(cx.shape(owner)[0])];
        let place = cx.call("sub(arange($2), index($0, [$1]))", &args)?;
        Ok(Items { owner, place })
    }
    /// The same number of each owner.
    fn even(cx: &mut Cx<'_, '_>, owners: SymInt, each: i64) -> Result<Items, MetaError> {
        let args = [Arg::Int(cx.syms().mul_const(owners, each)), cx.int(each)];
        let owner = cx.call("div.Scalar_mode(arange($0), $1, rounding_mode='floor')", &args)?;
        Ok(Items { owner, place: cx.call("remainder.Scalar(arange($0), $1)", &args)? })
    }
    /// Items of rows of a grid: the row of each, and its place in the row. `rows`: how many items the rows of each owner have.
    pub(super) fn in_rows(&self, cx: &mut Cx<'_, '_>, rows: Value) -> Result<[Value; 2], MetaError> {
        let length = cx.of("index(clamp_min($0, 1), [$1])", &[rows, self.owner])?;
        let text = "div.Tensor_mode($0, $1, rounding_mode='floor')";
        let row = cx.of(text, &[self.place, length])?;
        Ok([row, cx.of("sub($0, mul($1, $2))", &[self.place, row, length])?])
    }
}

/// The elements on both sides of points along one dimension of the image, for each item and cell: the place of the element before,
/// that of the one behind, and the part between.
struct Between {
    before: Value,
    behind: Value,
    part: Value,
}

/// The points of all regions' cells. An item is a point of each cell of a region.
pub(super) struct Points {
    items: Items,
    /// How many points each cell of a region has, `[regions]`; positive too for a region that both of its sides make negative.
    count: Value,
    sides: [Between; 2],
    /// Whether a point lies outside of the image, `[items, rows, columns, 1]`.
    outside: Value,
    /// The number of each item's image.
    pub(super) number: Value,
}

impl Points {
    /// `ratio`: the points of a cell along each side; 0 or less: as many as the region's size has elements in a cell.
    pub(super) fn new(
        cx: &mut Cx<'_, '_>,
        regions: Regions,
        aligned: bool,
        ratio: i64,
    ) -> Result<Points, MetaError> {
        let owners = cx.shape(regions.number)[0];
        let (mut measured, mut counts) = (Vec::new(), Vec::new());
        for side in regions.sides {
            let shift = Arg::Float(if aligned { 0.5 } else { 0.0 });
            // A NaN is no place in an image.
            let start = cx.call("sub.Scalar(nan_to_num($0), $1)", &[v(side.start), shift.clone()])?;
            let length =
                cx.call("sub(sub.Scalar(nan_to_num($0), $1), $2)", &[v(side.end), shift, v(start)])?;
            let length = if aligned { length } else { cx.of("clamp_min($0, 1)", &[length])? };
            let cell = cx.call("div.Scalar($0, $1)", &[v(length), side.cells.clone()])?;
            let points = match ratio {
                1.. => cx.call("full_like($0, $1)", &[v(cell), cx.int(ratio)])?,
                _ => cx.of("ceil($0)", &[cell])?,
            };
            let distance = cx.of("div($0, clamp_min($1, 1))", &[cell, points])?;
            counts.push(cx.of("to.dtype($0, 5)", &[points])?);
            measured.push((start, cell, distance, side));
        }
        let count = cx.of("mul($0, $1)", &counts)?;
        let held = cx.of("mul(clamp_min($0, 0), clamp_min($1, 0))", &counts)?;
        let items = match ratio {
            1.. => Items::even(cx, owners, ratio * ratio)?,
            _ => Items::counted(cx, held)?,
        };
        let own = items.in_rows(cx, counts[1])?;
        let (mut sides, mut outsides) = (Vec::new(), Vec::new());
        for (k, (start, cell, distance, side)) in measured.into_iter().enumerate() {
            let args = [v(items.owner), v(own[k]), v(start), v(cell), v(distance), side.cells];
            let text = "add(add(unsqueeze(index($2, [$0]), 1), mul(unsqueeze(index($3, [$0]), 1), arange($5))), unsqueeze(mul(add.Scalar($1, 0.5), index($4, [$0])), 1))";
            let place = cx.call(text, &args)?;
            let place = cx.call("unsqueeze($0, $1)", &[v(place), cx.int(if k == 0 { 2 } else { 1 })])?;
            let last = cx.call("add.Scalar(full([], $0), -1)", &[side.size])?;
            outsides.push(cx.of("logical_or(lt.Scalar($0, -1), gt($0, add.Scalar($1, 1)))", &[place, last])?);
            let place = cx.of("minimum(clamp_min($0, 0), $1)", &[place, last])?;
            let before = cx.of("to.dtype(floor($0), 5)", &[place])?;
            let behind = cx.of("minimum(add.Scalar($0, 1), $1)", &[before, last])?;
            sides.push(Between {
                before,
                behind,
                part: cx.of("unsqueeze(sub($0, $1), 3)", &[place, before])?,
            });
        }
        let outside = cx.of("unsqueeze(logical_or($0, $1), 3)", &outsides)?;
        let number = cx.of("reshape(index($0, [$1]), [-1, 1, 1])", &[regions.number, items.owner])?;
        let sides = <[Between; 2]>::try_from(sides).map_err(|_| cx.wrong("a region has two sides".into()))?;
        Ok(Points { items, count, sides, outside, number })
    }

    /// Images, places and parts of the formulas below: 0: a tensor; 1: the image's number; 2 to 4: the elements before and behind,
    /// and the part between, down; 5 to 7: across; 8: whether it is outside; 9: the owner.
    fn args(&self, of: Value) -> [Value; 10] {
        let [down, across] = &self.sides;
        let (down, across) =
            ([down.before, down.behind, down.part], [across.before, across.behind, across.part]);
        [
            of,
            self.number,
            down[0],
            down[1],
            down[2],
            across[0],
            across[1],
            across[2],
            self.outside,
            self.items.owner,
        ]
    }

    /// The mean of each cell's points, `[regions, rows, columns, channels]`, of images `[images, height, width, channels]`. A cell
    /// without points is 0, or NaN as a quotient of zeros where `strict`.
    pub(super) fn mean(&self, cx: &mut Cx<'_, '_>, images: Value, shape: Vec<SymInt>, strict: bool) -> Built {
        let args = self.args(images);
        let above = cx.of("lerp.Tensor(index($0, [$1, $2, $5]), index($0, [$1, $2, $6]), $7)", &args)?;
        let below = cx.of("lerp.Tensor(index($0, [$1, $3, $5]), index($0, [$1, $3, $6]), $7)", &args)?;
        let text = "masked_fill.Scalar(lerp.Tensor($0, $1, $2), $3, 0)";
        let values = cx.of(text, &[above, below, args[4], self.outside])?;
        let args = [v(values), v(self.items.owner), Arg::Ints(shape)];
        let sum = cx.call("index_add(zeros($2, dtype=#0), 0, $1, $0)", &args)?;
        let divisor = if strict { "$1" } else { "clamp_min($1, 1)" };
        cx.of(&format!("div($0, reshape({divisor}, [-1, 1, 1, 1]))"), &[sum, self.count])
    }

    /// Shares of a gradient of [`Self::mean`] in the elements that its points lie between, for images of a shape.
    pub(super) fn shares(&self, cx: &mut Cx<'_, '_>, grad: Value, shape: Vec<SymInt>) -> Built {
        let each = cx.of("div($0, reshape(clamp_min($1, 1), [-1, 1, 1, 1]))", &[grad, self.count])?;
        let args = self.args(each);
        let own = cx.of("masked_fill.Scalar(index($0, [$9]), $8, 0)", &args)?;
        let args = self.args(own);
        let mut sum = cx.call("zeros($1, dtype=#0)", &[v(own), Arg::Ints(shape)])?;
        for (row, down) in [(2, "rsub.Scalar($4, 1)"), (3, "$4")] {
            for (column, across) in [(5, "rsub.Scalar($7, 1)"), (6, "$7")] {
                let text =
                    format!("index_put($10, [$1, ${row}, ${column}], mul($0, mul({down}, {across})), true)");
                sum = cx.of(&text, &[&args[..], &[sum]].concat())?;
            }
        }
        Ok(sum)
    }
}

/// `roi_align` with as many points in each cell as the region's size has elements.
pub fn align(cx: &mut Cx<'_, '_>) -> Results {
    let (input, aligned) = (cx.value(0)?, cx.flag(5));
    let (own, sizes) = (cx.dtype(input), image(cx, input)?);
    let regions = regions(cx, 2, own, [sizes[2], sizes[3]])?;
    let mut shape = vec![cx.shape(regions.number)[0]];
    shape.extend([3, 4].iter().filter_map(|k| cx.args[*k].int()));
    shape.push(sizes[1]);
    let points = Points::new(cx, regions, aligned, 0)?;
    let images = cx.cast(input, own.compute())?;
    let images = cx.of("permute($0, [0, 2, 3, 1])", &[images])?;
    let mean = points.mean(cx, images, shape, false)?;
    let mean = cx.of("permute($0, [0, 3, 1, 2])", &[mean])?;
    Ok(vec![cx.cast(mean, own)?])
}

/// The sizes of the images that a gradient is of, arguments from `first` on.
pub(super) fn sizes_given(cx: &Cx<'_, '_>, first: usize) -> Result<[SymInt; 4], MetaError> {
    let sizes: Vec<SymInt> = (first..first + 4).filter_map(|k| cx.args[k].int()).collect();
    sizes.try_into().map_err(|_| cx.error(Status::InvalidArgument, "the images' sizes must be integers"))
}

/// Each point's share of the gradient, added to the elements that it lies between.
pub fn align_backward(cx: &mut Cx<'_, '_>) -> Results {
    let (grad, aligned, ratio) = (cx.value(0)?, cx.flag(10), cx.known(9)?);
    let (own, [images, channels, height, width]) = (cx.dtype(grad), sizes_given(cx, 5)?);
    let regions = regions(cx, 2, own, [height, width])?;
    let points = Points::new(cx, regions, aligned, ratio)?;
    let grad = cx.cast(grad, own.compute())?;
    let grad = cx.of("permute($0, [0, 2, 3, 1])", &[grad])?;
    let sum = points.shares(cx, grad, vec![images, height, width, channels])?;
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
    let size = side.size.clone();
    let [first, behind] = bounds(cx, &side, 1, size.clone())?;
    let text = "logical_and(ge(arange($2), unsqueeze($0, 2)), lt(arange($2), unsqueeze($1, 2)))";
    cx.call(text, &[v(first), v(behind), size])
}

/// The first element of each cell along a side, and the one behind its last, `[regions, cells]`; neither lies behind `last`. A
/// region's length is `more` than the difference of its rounded corners.
pub(super) fn bounds(
    cx: &mut Cx<'_, '_>,
    side: &Side,
    more: i64,
    last: Arg,
) -> Result<[Value; 2], MetaError> {
    // To the nearest whole number, halves away from 0.
    let rounded = "unsqueeze(add(trunc($0), mul(sign($0), ge.Scalar(abs(sub($0, trunc($0))), 0.5))), 1)";
    let (start, end) = (cx.of(rounded, &[side.start])?, cx.of(rounded, &[side.end])?);
    let text = "div.Scalar(clamp_min(add.Scalar(sub($1, $0), $3), 1), $2)";
    let cell = cx.call(text, &[v(start), v(end), side.cells.clone(), cx.int(more)])?;
    let args = [v(start), v(cell), side.cells.clone(), last];
    let first = cx.call("clamp(add(floor(mul(arange($2), $1)), $0), 0, $3)", &args)?;
    Ok([first, cx.call("clamp(add(ceil(mul(add.Scalar(arange($2), 1), $1)), $0), 0, $3)", &args)?])
}
