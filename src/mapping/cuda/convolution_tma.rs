//! Convolutions on Hopper whose image the copy engine loads. They are the product of `product_tma` with boxes of pixels as its left operand.
//!
//! The rows of a tile are a box of the result's pixels: some columns, lines and images. A tap of the window moves that box, and padding
//! arrives as zeros. Boxes reach beyond an image whose sizes they do not divide; such rows are computed and not stored. A window of
//! one by one treats all pixels of all images as one line.
//!
//! Deliberately absent: channels that are no whole steps of the template, and boxes whose sizes are no powers of two.

use super::convolution::Patches;
use super::template::Template;
use crate::base::StableSort;
use crate::kernels::{self, Kernel, Operand, PixelAxes, PixelAxis, Routine, TensorMap};
use crate::loops::Convolution;
use crate::templates::mma::DEPTH;
use crate::templates::tma::{End, Exchange, Tile};
use crate::types::SymInt;

/// A dimension along which pixels are counted, in the result and in the image.
struct Axis {
    out: SymInt,
    size: SymInt,
    /// Elements from one of the image to the next.
    apart: SymInt,
    step: i64,
    padding: i64,
    dilation: i64,
    /// Of the window.
    taps: i64,
}

/// The dimensions that a convolution's boxes have, the innermost first.
pub(super) struct Boxes(Vec<Axis>);

/// The most places of a box along a dimension, and from one of its pixels to the next.
const MOST: i64 = 256;
const MOST_STEP: i64 = 8;

impl Template<'_> {
    /// The image as the copy engine may bring it, where it can.
    pub(super) fn boxes(&self, c: &Convolution, p: &Patches) -> Option<Boxes> {
        let (program, syms) = (self.program, &self.program.syms);
        let outs = &program.buffers[c.out].sizes;
        let [images, _, height, width] = c.input_sizes;
        // A dimension of one has no stride of its own.
        let mut strides = p.strides;
        for (d, size) in [images, height, width].into_iter().enumerate().rev() {
            if syms.as_const(size) == Some(1) {
                let below = [height, width, c.input_sizes[1]][d];
                strides[d] = if d == 2 { below } else { syms.mul(strides[d + 1], below) };
            }
        }
        let [of_image, of_line, of_pixel] = strides;
        let axis = |d: usize, out, size, apart| Axis {
            out,
            size,
            apart,
            step: c.stride[d],
            padding: c.padding[d],
            dilation: c.dilation[d],
            taps: p.taps[d],
        };
        let mut axes = vec![
            axis(1, outs[2], width, of_pixel),
            axis(0, outs[1], height, of_line),
            Axis { step: 1, padding: 0, dilation: 1, taps: 1, ..axis(0, outs[0], images, of_image) },
        ];
        let plain = axes.iter().all(|a| (a.taps, a.step, a.padding, a.out) == (1, 1, 0, a.size));
        if plain && of_line == syms.mul(of_pixel, width) && of_image == syms.mul(of_line, height) {
            axes = vec![Axis { out: p.m, size: p.m, ..axis(1, p.m, p.m, of_pixel) }];
        }
        let chunk = syms.constant(8);
        let whole = |s: SymInt| syms.as_const(syms.modulo(s, chunk)) == Some(0);
        let good = self.target.arch == 90
            && p.channels % DEPTH == 0
            && syms.range(p.m).max < i64::from(i32::MAX) / 16
            && whole(p.offset)
            && axes.iter().all(|a| whole(a.apart) && syms.range(a.apart).min > 0 && a.step <= MOST_STEP);
        good.then_some(Boxes(axes))
    }

    /// The tiles into which the copy engine's way can cut it, with about how many clocks each takes, the fewest first.
    pub(super) fn box_tiles(&self, boxes: &Boxes, p: &Patches, groups: i64) -> Vec<(i64, Tile)> {
        /// Instructions that find a row's pixel.
        const PLACE: i64 = 6;
        /// Clocks that blocks with parts of k take for putting them together, beside what matrix products do.
        const TOGETHER: i64 = 10_000;
        let work = self.epilogue_work() + PLACE;
        let useful = |t: &Tile| t.across == 1 && (t.columns == 64 || t.columns < 2 * p.filters);
        let clocks = |t: Tile| {
            let (count, _) = boxes.sizes(self, t.rows())?;
            let sizes = [groups, count * t.rows(), p.filters, p.k()];
            let together = if t.split > 1 { TOGETHER } else { 0 };
            let multiprocessors = self.target.multiprocessors as i64;
            Some((t.clocks(sizes, 2, multiprocessors, End::new(false, work)) + together, t))
        };
        let mut tiles: Vec<(i64, Tile)> =
            self.tiles_that_fit(Exchange::Impossible).filter(useful).filter_map(clocks).collect();
        tiles.stable_sort_by_key(|t| t.0);
        tiles
    }

    pub(super) fn convolution_of_boxes(
        mut self,
        c: &Convolution,
        p: &Patches,
        boxes: &Boxes,
        tile: Tile,
    ) -> Kernel {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let rows = tile.rows();
        let (_, sizes) = boxes.sizes(&self, rows).expect("only tiles that can be boxes are offered");
        let counts: Vec<SymInt> =
            boxes.0.iter().zip(&sizes).map(|(a, n)| syms.ceildiv(a.out, syms.constant(*n))).collect();
        let all = p.channels * c.groups;
        let image = TensorMap {
            buffer: p.image,
            offset: p.offset,
            sizes: [syms.constant(all)].into_iter().chain(boxes.0.iter().map(|a| a.size)).collect(),
            strides: [syms.constant(1)].into_iter().chain(boxes.0.iter().map(|a| a.apart)).collect(),
            boxes: [DEPTH]
                .into_iter()
                .chain(boxes.0.iter().zip(&sizes).map(|(a, n)| n * a.step))
                .map(|n| n as u32)
                .collect(),
            steps: [1].into_iter().chain(boxes.0.iter().map(|a| a.step as u32)).collect(),
            swizzle: 128,
            tf32: false,
        };
        let image = self.map(image);
        let k = p.k();
        let weight = self.map(TensorMap {
            buffer: p.weight,
            offset: syms.constant(0),
            sizes: [k, p.filters * c.groups].map(|n| syms.constant(n)).to_vec(),
            strides: [1, k].map(|n| syms.constant(n)).to_vec(),
            boxes: vec![DEPTH as u32, (tile.columns / tile.down) as u32],
            steps: vec![1, 1],
            swizzle: 128,
            tf32: false,
        });
        let (groups_of, n) = (syms.constant(c.groups), syms.constant(p.filters));
        self.lanes = self.epilogue_lanes(n);
        self.emitter.aligned = Some(self.lanes);
        let epilogue = self.pixel_epilogue(c, [groups_of, p.m, n], p.filters);
        let m = syms.mul_const(syms.product(&counts), rows);
        let mut numbers = vec![groups_of, m, n, syms.constant(k)];
        numbers.extend(counts);
        numbers.extend(boxes.0.iter().map(|axis| axis.out));
        let mut axes = PixelAxes { rank: boxes.0.len(), axes: Default::default() };
        for ((of, axis), size) in axes.axes.iter_mut().zip(&boxes.0).zip(sizes) {
            let Axis { step, padding, dilation, taps, .. } = *axis;
            *of = PixelAxis { size, step, padding, dilation, taps };
        }
        let Tile { groups, blocks, columns, stages, down, across, split, skew, in_turn } = tile;
        let routine = Routine::ConvolutionTma {
            stored: p.stored,
            groups,
            blocks,
            columns,
            stages,
            down,
            across,
            split,
            skew,
            band: tile.band(self.target.multiprocessors as i64),
            in_turn,
            filters: p.filters,
            channels: p.channels,
            taps_x: p.taps[1],
            axes,
        };
        let operands =
            [image, weight].map(|map| Operand::Boxes(kernels::Boxes { map, at: None, written: false }));
        self.call(routine, operands.to_vec(), &numbers, vec![Some(epilogue)]);
        self.finish_tma(tile, 0, [groups_of, m, n])
    }
}

impl Boxes {
    /// How many of the result's pixels a box of so many rows has along each dimension, such that there are the fewest boxes,
    /// and how many there are then.
    fn sizes(&self, t: &Template<'_>, rows: i64) -> Option<(i64, Vec<i64>)> {
        let outs: Vec<i64> = self.0.iter().map(|a| t.program.syms.hint(a.out).max(1)).collect();
        let powers = || (0..=8).rev().map(|p| 1i64 << p).filter(|n| rows % n == 0);
        let all: Vec<Vec<i64>> = match self.0.len() {
            1 => vec![vec![rows]],
            // The widest come first.
            _ => powers().flat_map(|x| powers().map(move |y| vec![x, y, rows / (x * y)])).collect(),
        };
        let fits = |sizes: &Vec<i64>| {
            let small = self.0.iter().zip(sizes).all(|(a, n)| *n >= 1 && n * a.step <= MOST);
            small && sizes.iter().product::<i64>() == rows
        };
        let count = |sizes: &[i64]| outs.iter().zip(sizes).map(|(out, n)| (out + n - 1) / n).product::<i64>();
        all.into_iter().filter(fits).map(|sizes| (count(&sizes), sizes)).min_by_key(|found| found.0)
    }
}
