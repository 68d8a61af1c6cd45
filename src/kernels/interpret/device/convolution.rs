//! Interprets calls of a GPU's convolutions.

use super::Product;
use crate::kernels::interpret::template::{Given, Source, add_products, all, ceil, fused, needed, wrong};
use crate::kernels::interpret::thread::{Thread, Where, World};
use crate::kernels::interpret::{Data, Fault};
use crate::kernels::{Operand, PixelAxes, Routine, TemplateCall};
use crate::loops::Number;
use crate::templates::pixels::{DEPTHWISE_CHANNELS, DEPTHWISE_THREADS};
use crate::types::Dtype;

type Result<T> = std::result::Result<T, Fault>;

/// An image and a weight in memory, and the windows of the image.
struct Windows {
    image: Source,
    weight: Source,
    strides: [i64; 3],
    size: [i64; 2],
    out: [i64; 2],
    step: [i64; 2],
    padding: [i64; 2],
    dilation: [i64; 2],
    taps: [i64; 2],
}

impl Windows {
    /// Where a pixel of the result finds its channel 0 at a place of the window; none in the padding.
    fn place(&self, pixel: i64, tap: i64) -> Option<i64> {
        let per_image = self.out[0] * self.out[1];
        let (image, within) = (pixel / per_image, pixel % per_image);
        let (out, tap) =
            ([within / self.out[1], within % self.out[1]], [tap / self.taps[1], tap % self.taps[1]]);
        let along = |d: usize| out[d] * self.step[d] - self.padding[d] + tap[d] * self.dilation[d];
        let [y, x] = [along(0), along(1)];
        let inside = (0..self.size[0]).contains(&y) && (0..self.size[1]).contains(&x);
        inside.then(|| image * self.strides[0] + y * self.strides[1] + x * self.strides[2])
    }
}

impl<'k> Thread<'k> {
    pub(super) fn device_convolution(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        numbers: &[i64],
    ) -> Result<()> {
        match call.routine {
            Routine::ConvolutionMma {
                rows,
                columns,
                channels,
                taps_y,
                taps_x,
                dilation_y,
                dilation_x,
                ..
            } => {
                let (taps, dilation) = ([taps_y, taps_x], [dilation_y, dilation_x]);
                let (windows, sizes) = self.windows(world, call, numbers, taps, dilation)?;
                let product = self.product_of(world, call, sizes, [rows, columns])?;
                self.one_each(world, product.tiles())?;
                self.pixels(world, call, &product, &windows, (channels, i64::from(self.stamp.block)))
            }
            Routine::ConvolutionWgmma {
                groups,
                high,
                columns,
                split,
                channels,
                taps_y,
                taps_x,
                dilation_y,
                dilation_x,
                ..
            } => {
                let (taps, dilation) = ([taps_y, taps_x], [dilation_y, dilation_x]);
                let (windows, sizes) = self.windows(world, call, numbers, taps, dilation)?;
                let product = self.product_of(world, call, sizes, [64 * groups * high, columns])?;
                self.one_each(world, product.tiles() * split)?;
                let block = i64::from(self.stamp.block);
                match (world.cluster == split, block % split) {
                    (false, _) => Err(Fault::Launch(format!("clusters of {}, not {split}", world.cluster))),
                    (true, 0) => self.pixels(world, call, &product, &windows, (channels, block / split)),
                    _ => Ok(()),
                }
            }
            Routine::ConvolutionDepthwise { taps_y, taps_x, dilation_y, dilation_x, across, .. } => {
                let (taps, dilation) = ([taps_y, taps_x], [dilation_y, dilation_x]);
                let (windows, sizes) = self.windows(world, call, numbers, taps, dilation)?;
                self.depthwise_pixels(world, call, &windows, sizes, across)
            }
            _ => self.boxes_of_pixels(world, call, numbers),
        }
    }

    fn product_of(
        &self,
        world: &World<'_>,
        call: &TemplateCall,
        sizes: [i64; 4],
        tile: [i64; 2],
    ) -> Result<Product> {
        Product::of(call, &sizes, Dtype::Float32, tile, world.lanes as i64)
    }

    /// The windows, and the call's first four numbers.
    fn windows(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        numbers: &[i64],
        taps: [i64; 2],
        dilation: [i64; 2],
    ) -> Result<(Windows, [i64; 4])> {
        let [a, b, c, d, image, line, pixel, height, width, out_height, out_width, rest @ ..]: [i64; 15] =
            all(call, numbers)?;
        let [step_y, step_x, padding_y, padding_x] = rest;
        let [Some(source), Some(weight)] = [self.memory(world, call, 0)?, self.memory(world, call, 1)?]
        else {
            return Err(wrong(call));
        };
        let windows = Windows {
            image: source,
            weight,
            strides: [image, line, pixel],
            size: [height, width],
            out: [out_height, out_width],
            step: [step_y, step_x],
            padding: [padding_y, padding_x],
            dilation,
            taps,
        };
        Ok((windows, [a, b, c, d]))
    }

    /// A tile of pixels and filters.
    fn pixels(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        product: &Product,
        windows: &Windows,
        (channels, tile): (i64, i64),
    ) -> Result<()> {
        let Product { sizes: [pixels, filters, depth], tile: [high, wide], lanes, .. } = *product;
        let (down, across) = (ceil(pixels, high), ceil(filters, wide));
        let (group, within) = (tile / (down * across), tile % (down * across));
        let (first_pixel, first_filter) = (within / across * high, within % across * wide);
        if depth != channels * windows.taps[0] * windows.taps[1] {
            return Err(wrong(call));
        }
        let mut weights = Vec::new();
        for filter in first_filter..filters.min(first_filter + wide) {
            let first = (group * filters + filter) * depth;
            weights.push(self.line(world, windows.weight, first, depth, Dtype::Float32)?);
        }
        for pixel in first_pixel..pixels.min(first_pixel + high) {
            let mut own = Vec::with_capacity(depth as usize);
            for tap in 0..windows.taps[0] * windows.taps[1] {
                match windows.place(pixel, tap) {
                    Some(at) => {
                        let at = at + group * channels;
                        own.extend(self.line(world, windows.image, at, channels, Dtype::Float32)?);
                    }
                    None => own.extend((0..channels).map(|_| Number::zero(Dtype::Float32))),
                }
            }
            self.finish_pixel(world, call, [group, pixel, first_filter, lanes], &own, &weights)?;
        }
        Ok(())
    }

    /// The sums of one pixel with several filters, for the epilogue.
    fn finish_pixel(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        [group, pixel, first, lanes]: [i64; 4],
        own: &[Number],
        weights: &[Vec<Number>],
    ) -> Result<()> {
        let dtype = Dtype::Float32;
        let mut sums = vec![Number::zero(dtype); weights.len()];
        for (sum, weights) in sums.iter_mut().zip(weights) {
            for (a, b) in own.iter().zip(weights) {
                add_products(dtype, std::slice::from_mut(sum), *a, std::slice::from_ref(b));
            }
        }
        for (k, sums) in sums.chunks(lanes as usize).enumerate() {
            let lent = sums.iter().copied().map(Some).collect();
            let coordinates = &[group, pixel, first + k as i64 * lanes];
            self.called(world, call, needed(call, 0)?, Given { coordinates, lent, values: &[] })?;
        }
        Ok(())
    }

    /// The threads of a block have eight channels of some pixels each.
    fn depthwise_pixels(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        windows: &Windows,
        [channels, pixels, lines, _]: [i64; 4],
        across: i64,
    ) -> Result<()> {
        let chunks = channels / DEPTHWISE_CHANNELS;
        let (width, dtype) = (windows.out[1], Dtype::Float32);
        let pieces = ceil(width, across);
        self.one_each(world, ceil(lines * pieces * chunks, DEPTHWISE_THREADS))?;
        if channels % DEPTHWISE_CHANNELS != 0 || pixels != lines * width {
            return Err(wrong(call));
        }
        let first = i64::from(self.stamp.block) * DEPTHWISE_THREADS;
        for thread in first..(first + DEPTHWISE_THREADS).min(lines * pieces * chunks) {
            let channel = thread % chunks * DEPTHWISE_CHANNELS;
            let (line, piece) = (thread / chunks / pieces, thread / chunks % pieces);
            for column in piece * across..width.min((piece + 1) * across) {
                let pixel = line * width + column;
                let mut sums = vec![Number::zero(dtype); DEPTHWISE_CHANNELS as usize];
                for tap in 0..windows.taps[0] * windows.taps[1] {
                    let Some(at) = windows.place(pixel, tap) else { continue };
                    for (k, sum) in sums.iter_mut().enumerate() {
                        let channel = channel + k as i64;
                        let value = self.read(world, windows.image, at + channel, dtype)?;
                        let weight = self.read(world, windows.weight, tap * channels + channel, dtype)?;
                        *sum = fused(dtype, value, weight, *sum);
                    }
                }
                let lent = sums.into_iter().map(Some).collect();
                let coordinates = &[0, pixel, channel];
                self.called(world, call, needed(call, 0)?, Given { coordinates, lent, values: &[] })?;
            }
        }
        Ok(())
    }

    /// Tiles whose rows are boxes of pixels, which tensor maps bring.
    fn boxes_of_pixels(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        numbers: &[i64],
    ) -> Result<()> {
        let Routine::ConvolutionTma {
            groups,
            blocks,
            columns,
            down,
            across,
            split,
            in_turn,
            filters,
            channels,
            taps_x,
            axes: PixelAxes { rank, axes },
            ..
        } = call.routine
        else {
            return Err(wrong(call));
        };
        let axes = &axes[..rank];
        let [Some(Operand::Boxes(image)), Some(Operand::Boxes(weight))] =
            [0, 1].map(|k| call.operands.get(k))
        else {
            return Err(wrong(call));
        };
        let (sizes, counts) = numbers.split_at_checked(4).ok_or_else(|| wrong(call))?;
        let (counts, outs) = counts.split_at_checked(rank).ok_or_else(|| wrong(call))?;
        let box_rows: i64 = axes.iter().map(|axis| axis.size).product();
        let rows = blocks * 64 * if in_turn { 1 } else { groups };
        let tile = [rows * down, columns * across];
        let product = Product::of(call, sizes, Dtype::Float32, tile, world.lanes as i64)?;
        if rank == 0 || box_rows != rows || outs.len() != rank || product.sizes[1] != filters {
            return Err(wrong(call));
        }
        let depth = product.sizes[2];
        let tiles = self.tiles_of_cluster(world, product.tiles(), (down * across * split, split))?;
        let [high, wide] = tile;
        for tile in tiles {
            let (downward, beside) = (ceil(product.sizes[0], high), ceil(filters, wide));
            let (group, within) = (tile / (downward * beside), tile % (downward * beside));
            let (first_row, first_filter) = (within / beside * high, within % beside * wide);
            let mut weights = Vec::new();
            for filter in first_filter..filters.min(first_filter + wide) {
                let mut row = Vec::with_capacity(depth as usize);
                for k in 0..depth {
                    row.push(self.mapped(world, call, weight.map, &[k, group * filters + filter])?);
                }
                weights.push(row);
            }
            for row in first_row..product.sizes[0].min(first_row + high) {
                let (mut place, mut within) = (row / box_rows, row % box_rows);
                let (mut pixel, mut scale, mut at, mut inside) = (0, 1, Vec::new(), true);
                for (d, axis) in axes.iter().enumerate() {
                    let number = if d + 1 == rank { place } else { place % counts[d].max(1) };
                    let along = number * axis.size + within % axis.size;
                    (place, within) = (place / counts[d].max(1), within / axis.size);
                    inside &= along < outs[d];
                    pixel += along * scale;
                    scale *= outs[d];
                    at.push(along);
                }
                if !inside {
                    continue;
                }
                let mut own = Vec::with_capacity(depth as usize);
                for k in 0..depth {
                    let (tap, channel) = (k / channels, k % channels);
                    let mut coordinates = vec![group * channels + channel];
                    for (d, (axis, along)) in axes.iter().zip(&at).enumerate() {
                        let tap = match d {
                            _ if axis.taps == 1 => 0,
                            0 => tap % taps_x,
                            _ => tap / taps_x,
                        };
                        coordinates.push(along * axis.step - axis.padding + tap * axis.dilation);
                    }
                    own.push(self.mapped(world, call, image.map, &coordinates)?);
                }
                self.finish_pixel(world, call, [group, pixel, first_filter, product.lanes], &own, &weights)?;
            }
        }
        Ok(())
    }

    /// An element of a tensor map; 0 outside.
    fn mapped(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        map: usize,
        coordinates: &[i64],
    ) -> Result<Number> {
        let places = coordinates.iter().map(|at| Some(Data::Index(*at))).collect();
        match self.place_in_map(world, call, map, places)? {
            Some((source, at)) => self.read(world, source, at, Dtype::Float32),
            None => Ok(Number::zero(Dtype::Float32)),
        }
    }

    /// Where the element at such coordinates of a map lies; none outside of the tensor.
    pub(super) fn place_in_map(
        &self,
        world: &World<'_>,
        call: &TemplateCall,
        map: usize,
        places: Vec<Option<Data>>,
    ) -> Result<Option<(Source, i64)>> {
        let map = world.maps.get(map).ok_or_else(|| wrong(call))?;
        if places.len() != map.sizes.len() {
            return Err(wrong(call));
        }
        let (mut at, mut inside) = (map.offset, true);
        for ((place, size), stride) in places.into_iter().zip(&map.sizes).zip(&map.strides) {
            let Some(Data::Index(place)) = place else { return Err(wrong(call)) };
            inside &= (0..*size).contains(&place);
            at += place * stride;
        }
        let dtype = world.kernel.buffers[map.buffer].dtype;
        let source = Source { place: Where::Buffer(map.buffer), first: 0, dtype };
        Ok(inside.then_some((source, at)))
    }
}
