//! torchvision's position-sensitive pooling of regions: each cell of a region reads channels of its own. A result's channel `c` at cell
//! `(i, j)` is of the images' channel `(c * rows + i) * columns + j`.
//!
//! An image's channels of one cell count as an image of their own, so that cells differ in the number of the image that they read.

use super::regions::{Items, Points, Regions, bounds, image, regions, sizes_given};
use super::{Built, Cx, MetaError, Results, v};
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::types::SymInt;

/// Images `[images, channels, height, width]` and the cells of regions.
struct Maps {
    sizes: [SymInt; 4],
    regions: SymInt,
    rows: SymInt,
    columns: SymInt,
    cells: SymInt,
    /// The channels of a cell.
    channels: SymInt,
}

impl Maps {
    /// `at`: which argument is the number of rows; that of columns follows.
    fn new(cx: &mut Cx<'_, '_>, sizes: [SymInt; 4], regions: SymInt, at: usize) -> Result<Maps, MetaError> {
        let (Some(rows), Some(columns)) = (cx.args[at].int(), cx.args[at + 1].int()) else {
            return Err(cx.wrong_cells("must be integers".into()));
        };
        let syms = cx.syms();
        let cells = syms.mul(rows, columns);
        if [rows, columns].iter().any(|n| syms.as_const(*n).is_some_and(|n| n < 1)) {
            return Err(cx.wrong_cells("must be at least 1".into()));
        }
        let rest = syms.modulo(sizes[1], cells);
        if syms.decide(syms.eq(rest, syms.constant(0))) == Some(false) {
            let [channels, cells] = [sizes[1], cells].map(|n| syms.display(n).to_string());
            return Err(cx.wrong_cells(format!("are {cells}, which do not divide {channels} channels")));
        }
        let channels = syms.floordiv(sizes[1], cells);
        Ok(Maps { sizes, regions, rows, columns, cells, channels })
    }

    /// The shapes between which a permutation makes images of cells.
    fn shapes(&self, cx: &Cx<'_, '_>) -> [Arg; 4] {
        let [images, channels, height, width] = self.sizes;
        let flat = vec![cx.syms().mul(images, self.cells), height, width, self.channels];
        let parted = vec![images, self.channels, self.cells, height, width];
        let moved = vec![images, self.cells, height, width, self.channels];
        [parted, flat, moved, vec![images, channels, height, width]].map(Arg::Ints)
    }
    /// `[images * cells, height, width, channels]`
    fn apart(&self, cx: &mut Cx<'_, '_>, images: Value) -> Built {
        let [parted, flat, ..] = self.shapes(cx);
        let text = "reshape(permute(reshape($0, $1), [0, 2, 3, 4, 1]), $2)";
        cx.call(text, &[v(images), parted, flat])
    }
    fn together(&self, cx: &mut Cx<'_, '_>, images: Value) -> Built {
        let [_, _, moved, whole] = self.shapes(cx);
        let text = "reshape(permute(reshape($0, $1), [0, 4, 1, 2, 3]), $2)";
        cx.call(text, &[v(images), moved, whole])
    }
    /// The shape of images that are [`Self::apart`].
    fn flat(&self, cx: &Cx<'_, '_>) -> Vec<SymInt> {
        let [images, _, height, width] = self.sizes;
        vec![cx.syms().mul(images, self.cells), height, width, self.channels]
    }
    /// The number of each cell's own image, `[.., rows, columns]`, from numbers `[.., 1, 1]` of images.
    fn numbers(&self, cx: &mut Cx<'_, '_>, numbers: Value) -> Built {
        let cells = Arg::Ints(vec![self.rows, self.columns]);
        let text = "add(mul.Scalar($0, $1), reshape(arange($1), $2))";
        cx.call(text, &[v(numbers), Arg::Int(self.cells), cells])
    }
    /// Which channel each result is of.
    fn channel_mapping(&self, cx: &mut Cx<'_, '_>) -> Built {
        let cells = Arg::Ints(vec![self.rows, self.columns]);
        let all = Arg::Ints(vec![self.regions, self.channels, self.rows, self.columns]);
        let args = [Arg::Int(self.channels), Arg::Int(self.cells), cells, all];
        let text = "clone(expand(to.dtype(add(mul.Scalar(reshape(arange($0), [-1, 1, 1]), $1), reshape(arange($1), $2)), 4), $3))";
        cx.call(text, &args)
    }
}

impl Cx<'_, '_> {
    fn wrong_cells(&self, message: String) -> MetaError {
        self.error(Status::Shape, format!("the cells of a region {message}"))
    }
}

/// `ps_roi_align`: the mean over points that lie evenly in each cell. One without points is NaN.
pub fn align(cx: &mut Cx<'_, '_>) -> Results {
    let (input, ratio) = (cx.value(0)?, cx.known(5)?);
    let (own, sizes) = (cx.dtype(input), image(cx, input)?);
    let regions = regions(cx, 2, own, [sizes[2], sizes[3]])?;
    let count = cx.shape(regions.number)[0];
    let maps = Maps::new(cx, sizes, count, 3)?;
    let mut points = Points::new(cx, regions, true, ratio)?;
    points.number = maps.numbers(cx, points.number)?;
    let images = cx.cast(input, own.compute())?;
    let images = maps.apart(cx, images)?;
    let mean = points.mean(cx, images, vec![count, maps.rows, maps.columns, maps.channels], true)?;
    let mean = cx.of("permute($0, [0, 3, 1, 2])", &[mean])?;
    Ok(vec![cx.cast(mean, own)?, maps.channel_mapping(cx)?])
}

pub fn align_backward(cx: &mut Cx<'_, '_>) -> Results {
    let (grad, ratio) = (cx.value(0)?, cx.known(6)?);
    let (own, sizes) = (cx.dtype(grad), sizes_given(cx, 7)?);
    let regions = regions(cx, 3, own, [sizes[2], sizes[3]])?;
    let count = cx.shape(regions.number)[0];
    let maps = Maps::new(cx, sizes, count, 4)?;
    let mut points = Points::new(cx, regions, true, ratio)?;
    points.number = maps.numbers(cx, points.number)?;
    let grad = cx.cast(grad, own.compute())?;
    let grad = cx.of("permute($0, [0, 2, 3, 1])", &[grad])?;
    let shape = maps.flat(cx);
    let sum = points.shares(cx, grad, shape)?;
    let sum = maps.together(cx, sum)?;
    Ok(vec![cx.cast(sum, own)?])
}

/// The elements of all cells: an item is an element of a cell, whose owner is the cell, `[regions * rows * columns]`.
struct Elements {
    items: Items,
    /// How many elements each cell has.
    count: Value,
    /// Of each element the image, the row and the column.
    places: [Value; 3],
}

impl Elements {
    /// `less`: how many of the image's last rows and columns no cell has.
    fn new(cx: &mut Cx<'_, '_>, maps: &Maps, regions: Regions, less: i64) -> Result<Elements, MetaError> {
        let all = Arg::Ints(vec![maps.regions, maps.rows, maps.columns]);
        let (mut firsts, mut lengths) = (Vec::new(), Vec::new());
        for (k, side) in regions.sides.iter().enumerate() {
            let last = Arg::Int(cx.syms().add_const(maps.sizes[2 + k], -less));
            let [first, behind] = bounds(cx, side, 0, last)?;
            let length = cx.of("clamp_min(sub($1, $0), 0)", &[first, behind])?;
            let dim = cx.int(if k == 0 { 2 } else { 1 });
            for (value, list) in [(first, &mut firsts), (length, &mut lengths)] {
                let args = [v(value), dim.clone(), all.clone()];
                let text = "to.dtype(reshape(expand(unsqueeze($0, $1), $2), [-1]), 5)";
                list.push(cx.call(text, &args)?);
            }
        }
        let count = cx.of("mul($0, $1)", &lengths)?;
        let items = Items::counted(cx, count)?;
        let own = items.in_rows(cx, lengths[1])?;
        let number = cx.of("reshape($0, [-1, 1, 1])", &[regions.number])?;
        let number = maps.numbers(cx, number)?;
        let number = cx.of("index(reshape($0, [-1]), [$1])", &[number, items.owner])?;
        let place = |cx: &mut Cx<'_, '_>, k: usize| {
            cx.of("add($0, index($1, [$2]))", &[own[k], firsts[k], items.owner])
        };
        let places = [number, place(cx, 0)?, place(cx, 1)?];
        Ok(Elements { items, count, places })
    }
}

/// `ps_roi_pool`: the mean of each cell's elements, and 0 without any. As in torchvision, cells end before the image's last row and
/// column, and those of the gradient do not.
pub fn pool(cx: &mut Cx<'_, '_>) -> Results {
    let input = cx.value(0)?;
    let (own, sizes) = (cx.dtype(input), image(cx, input)?);
    let regions = regions(cx, 2, own, [sizes[2], sizes[3]])?;
    let count = cx.shape(regions.number)[0];
    let maps = Maps::new(cx, sizes, count, 3)?;
    let elements = Elements::new(cx, &maps, regions, 1)?;
    let images = cx.cast(input, own.compute())?;
    let images = maps.apart(cx, images)?;
    let values = cx.of("index($0, [$1, $2, $3])", &[&[images], &elements.places[..]].concat())?;
    let cells = cx.syms().mul(count, maps.cells);
    let shape = [vec![cells, maps.channels], vec![count, maps.rows, maps.columns, maps.channels]];
    let [flat, whole] = shape.map(Arg::Ints);
    let args = [v(values), v(elements.items.owner), flat, v(elements.count), whole];
    let text = "permute(reshape(div(index_add(zeros($2, dtype=#0), 0, $1, $0), unsqueeze(clamp_min($3, 1), 1)), $4), [0, 3, 1, 2])";
    let mean = cx.call(text, &args)?;
    Ok(vec![cx.cast(mean, own)?, maps.channel_mapping(cx)?])
}

pub fn pool_backward(cx: &mut Cx<'_, '_>) -> Results {
    let grad = cx.value(0)?;
    let (own, sizes) = (cx.dtype(grad), sizes_given(cx, 6)?);
    let regions = regions(cx, 3, own, [sizes[2], sizes[3]])?;
    let count = cx.shape(regions.number)[0];
    let maps = Maps::new(cx, sizes, count, 4)?;
    let elements = Elements::new(cx, &maps, regions, 0)?;
    let grad = cx.cast(grad, own.compute())?;
    let cells = Arg::Ints(vec![cx.syms().mul(count, maps.cells), maps.channels]);
    let args = [v(grad), cells, v(elements.count), v(elements.items.owner)];
    let text = "index(div(reshape(permute($0, [0, 2, 3, 1]), $1), unsqueeze(clamp_min($2, 1), 1)), [$3])";
    let shares = cx.call(text, &args)?;
    let mut args = vec![v(shares), Arg::Ints(maps.flat(cx))];
    args.extend(elements.places.map(v));
    let sum = cx.call("index_put(zeros($1, dtype=#0), [$2, $3, $4], $0, true)", &args)?;
    let sum = maps.together(cx, sum)?;
    Ok(vec![cx.cast(sum, own)?])
}
