//! Interprets products and convolutions of a CPU's templates. Tasks, and the pieces of a task that call a region, are those of the native
//! text.

use super::template::{Given, Source, add_products, all, ceil, fused, needed, wrong};
use super::thread::{Thread, World};
use super::{Data, Fault};
use crate::kernels::{ConvolutionForm, LocalId, Operand, Routine, TemplateCall};
use crate::loops::{BinaryOp, Number};
use crate::templates::blocked::{CONVOLUTION_ROW, RegisterTile};
use crate::types::Dtype;

type Result<T> = std::result::Result<T, Fault>;
/// Receives a finished part of a product's row: `[batch, row, first column, columns]` and the sums.
type Finish<'a, T, W> = dyn FnMut(&mut T, &mut W, [i64; 4], Vec<Option<Number>>) -> Result<()> + 'a;

/// An operand of a product, row by row: a row of the left one lies along k, and of the right one along n.
enum Factor {
    /// Strides of the batch, of a row and along it.
    Matrix { source: Source, strides: [i64; 3] },
    /// Rows of so many elements, one panel of columns after the other.
    Panels { source: Source, batch: i64, rows: i64, columns: i64 },
    /// A region computes a piece of a row.
    Region(LocalId),
    /// Regions compute vectors: value, scale and offset; columns of a panel, rows of a group and of a phase.
    Vectors { regions: [Option<LocalId>; 3], columns: i64, group: i64, phase: i64 },
    /// The weights of a batch's group.
    Weights { source: Source, groups: i64, channels: i64, depth: i64 },
    /// A row is a channel of the image, as it lies.
    Image { source: Source, shape: Window },
    /// A row is a channel at one place of the window.
    Windows { source: Source, shape: Window },
}

/// A convolution's numbers, as `litz_conv_shape` has them.
#[derive(Clone, Copy)]
struct Window {
    images: i64,
    groups: i64,
    channels: i64,
    out_channels: i64,
    image: [i64; 2],
    out: [i64; 2],
    window: [i64; 2],
    stride: [i64; 2],
    padding: [i64; 2],
    dilation: [i64; 2],
    strides: [i64; 3],
}

impl Window {
    fn positions(&self) -> i64 {
        self.out[0] * self.out[1]
    }
    /// The first element of a batch's image, which has a group's channels.
    fn first(&self, batch: i64) -> i64 {
        batch / self.groups * self.strides[0] + batch % self.groups * self.channels * self.strides[1]
    }
    /// Where the element of a channel lies that a position of the result meets at a place of the window; none outside.
    fn place(&self, channel: i64, position: i64, at: i64) -> Option<i64> {
        let place = [position / self.out[1], position % self.out[1]];
        let window = [at / self.window[1], at % self.window[1]];
        let along = |k: usize| place[k] * self.stride[k] - self.padding[k] + window[k] * self.dilation[k];
        let inside = |k: usize| (0..self.image[k]).contains(&along(k));
        (inside(0) && inside(1)).then(|| channel * self.strides[1] + along(0) * self.strides[2] + along(1))
    }
}

/// A product in blocks.
struct Product {
    dtype: Dtype,
    batches: i64,
    sizes: [i64; 3],
    blocks: [i64; 3],
}

impl<'k> Thread<'k> {
    pub(super) fn products(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        numbers: &[i64],
    ) -> Result<()> {
        match call.routine {
            Routine::Pack { dtype, .. } => self.pack(world, call, numbers, dtype),
            Routine::Product { dtype, m, n, k, .. } => {
                let [batches, rows, columns, depth] = all(call, numbers)?;
                let left = self.factor(world, call, 0)?;
                let right = match (self.factor(world, call, 1)?, &call.operands[1]) {
                    (Factor::Matrix { source, .. }, Operand::Memory(memory)) if memory.strides.len() == 2 => {
                        let [batch, rows] = self.indices(world, call, memory)?;
                        Factor::Panels { source, batch, rows, columns: panel_columns(world, dtype) }
                    }
                    (other, _) => other,
                };
                let product = Product { dtype, batches, sizes: [rows, columns, depth], blocks: [m, n, k] };
                let region = needed(call, 0)?;
                self.product(world, &product, call, [&left, &right], &mut |t, world, coordinates, lent| {
                    let given = Given { coordinates: &coordinates, lent, values: &[] };
                    t.called(world, call, region, given).map(|_| ())
                })
            }
            Routine::UnpackedProduct { columns, group, phase, m, n, k, .. } => {
                let [batches, rows, width, depth] = all(call, numbers)?;
                let left = self.factor(world, call, 0)?;
                let regions = [1, 2, 3].map(|k| call.regions.get(k).copied().flatten());
                if columns < 1 || phase < 1 || group < phase {
                    return Err(wrong(call));
                }
                let right = Factor::Vectors { regions, columns, group, phase };
                let (dtype, sizes) = (Dtype::Float32, [rows, width, depth]);
                let product = Product { dtype, batches, sizes, blocks: [m, n, k] };
                let region = needed(call, 0)?;
                self.product(world, &product, call, [&left, &right], &mut |t, world, coordinates, lent| {
                    let given = Given { coordinates: &coordinates, lent, values: &[] };
                    t.called(world, call, region, given).map(|_| ())
                })
            }
            Routine::Convolution { dtype, form, m, n, k, .. } => {
                self.convolution(world, call, numbers, (dtype, form), [m, n, k])
            }
            _ => Err(wrong(call)),
        }
    }

    /// A region's values for so many elements. The region has no operand.
    fn computed(
        &mut self,
        world: &mut World<'k>,
        call: &TemplateCall,
        region: LocalId,
        coordinates: &[i64],
        count: i64,
    ) -> Result<Vec<Number>> {
        let lent = vec![None; count.max(0) as usize];
        let made = self.called(world, call, region, Given { coordinates, lent, values: &[] })?;
        let memory = || world.name(region);
        let element = |(at, made): (usize, Option<Number>)| {
            made.ok_or_else(|| Fault::Uninitialised { memory: memory(), at: at as i64 })
        };
        made.into_iter().enumerate().map(element).collect()
    }

    /// Whole vectors that regions compute, as `value * scale + offset`: a run of columns of a row in the group, phase and place `at`.
    fn unpacked(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        [value, scale, offset]: &[Option<LocalId>; 3],
        columns: i64,
        [group, phase, place]: [i64; 3],
        [first, count]: [i64; 2],
    ) -> Result<Vec<Number>> {
        let (lanes, dtype) = (world.kernel.lanes, Dtype::Float32);
        let mut found = Vec::with_capacity(count.max(0) as usize);
        for column in (first..first + count).step_by(lanes.max(1) as usize) {
            let at = [column / columns, column % columns / lanes, group, phase, place];
            let mut vector = self.vector(world, call, value.ok_or_else(|| wrong(call))?, &at)?;
            for (op, region) in [(BinaryOp::Mul, scale), (BinaryOp::Add, offset)] {
                let Some(region) = region else { continue };
                let by = self.vector(world, call, *region, &at[..4])?;
                for (x, by) in vector.iter_mut().zip(by) {
                    *x = Number::binary(op, dtype, *x, by);
                }
            }
            found.extend(vector);
        }
        found.truncate(count.max(0) as usize);
        Ok(found)
    }

    /// The vector that a region gives at these coordinates.
    fn vector(
        &mut self,
        world: &mut World<'k>,
        call: &TemplateCall,
        region: LocalId,
        coordinates: &[i64],
    ) -> Result<Vec<Number>> {
        let Some(region) = world.regions.get(&region).copied() else { return Err(wrong(call)) };
        if region.parameters.len() != coordinates.len() {
            return Err(wrong(call));
        }
        for (parameter, coordinate) in region.parameters.iter().zip(coordinates) {
            self.set(parameter.local, Data::Index(*coordinate));
        }
        match self.run_apart(world, &region.body)? {
            Some(Data::Vector(_, numbers)) => Ok(numbers.into_vec()),
            _ => Err(wrong(call)),
        }
    }

    fn factor(&mut self, world: &mut World<'k>, call: &TemplateCall, k: usize) -> Result<Factor> {
        match call.operands.get(k) {
            Some(Operand::Region(region)) => Ok(Factor::Region(*region)),
            Some(Operand::Memory(memory)) => {
                let source = self.source(world, memory)?;
                let strides = match memory.strides.len() {
                    3 => self.indices(world, call, memory)?,
                    _ => [0; 3],
                };
                Ok(Factor::Matrix { source, strides })
            }
            _ => Err(wrong(call)),
        }
    }

    /// A piece of a row of a factor.
    fn piece(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        factor: &Factor,
        [batch, row, first, count]: [i64; 4],
        dtype: Dtype,
    ) -> Result<Vec<Number>> {
        if let Factor::Region(region) = factor {
            return self.computed(world, call, *region, &[batch, row, first, count], count);
        }
        if let Factor::Vectors { regions, columns, group, phase } = factor {
            let at = [row / group, row % group / phase, row % phase];
            return self.unpacked(world, call, regions, *columns, at, [first, count]);
        }
        let mut found = Vec::with_capacity(count.max(0) as usize);
        for along in first..first + count {
            let (source, at) = match factor {
                Factor::Region(_) | Factor::Vectors { .. } => continue,
                Factor::Matrix { source, strides } => {
                    (source, Some(batch * strides[0] + row * strides[1] + along * strides[2]))
                }
                Factor::Panels { source, batch: apart, rows, columns } => {
                    let panel = along / columns * rows * columns;
                    (source, Some(batch * apart + panel + row * columns + along % columns))
                }
                Factor::Weights { source, groups, channels, depth } => {
                    (source, Some((batch % groups * channels + row) * depth + along))
                }
                Factor::Image { source, shape } => {
                    (source, Some(shape.first(batch) + row * shape.strides[1] + along))
                }
                Factor::Windows { source, shape } => {
                    let window = shape.window[0] * shape.window[1];
                    let place = shape.place(row / window, along, row % window);
                    (source, place.map(|place| shape.first(batch) + place))
                }
            };
            found.push(match at {
                Some(at) => self.read(world, *source, at, dtype)?,
                None => Number::zero(dtype),
            });
        }
        Ok(found)
    }

    fn pack(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        numbers: &[i64],
        dtype: Dtype,
    ) -> Result<()> {
        let [_, depth, columns] = all(call, numbers)?;
        let from = self.factor(world, call, 0)?;
        let panels = self.memory(world, call, 1)?.ok_or_else(|| wrong(call))?;
        let width = panel_columns(world, dtype);
        let (across, size) = (ceil(columns, width), ceil(columns, width) * width * depth);
        for task in self.place.begin..self.place.end {
            let (batch, panel) = (task / across, task % across);
            let count = width.min(columns - panel * width);
            for row in 0..depth {
                let piece = self.piece(world, call, &from, [batch, row, panel * width, count], dtype)?;
                for k in 0..width {
                    let number = piece.get(k as usize).copied().unwrap_or(Number::zero(dtype));
                    let at = batch * size + (panel * depth + row) * width + k;
                    self.write(world, panels, at, (dtype, number))?;
                }
            }
        }
        Ok(())
    }

    fn product(
        &mut self,
        world: &mut World<'k>,
        product: &Product,
        call: &'k TemplateCall,
        [left, right]: [&Factor; 2],
        finish: &mut Finish<'_, Self, World<'k>>,
    ) -> Result<()> {
        let Product { dtype, sizes: [rows, columns, depth], blocks: [m, n, k], .. } = *product;
        if m < 1 || n < 1 || k < 1 {
            return Err(wrong(call));
        }
        let [down, across] = [ceil(rows, m), ceil(columns, n)];
        for task in self.place.begin..self.place.end {
            let (batch, block) = (task / (down * across), task % (down * across));
            let [row, column] = [block / across * m, block % across * n];
            let [row_count, count] = [m.min(rows - row), n.min(columns - column)];
            if batch >= product.batches {
                return Err(Fault::Launch(format!("task {task} of a product has no block")));
            }
            let mut sums = vec![vec![Number::zero(dtype); count as usize]; row_count as usize];
            let mut begin = 0;
            while begin < depth {
                let deep = k.min(depth - begin);
                let mut below = Vec::with_capacity(deep as usize);
                for at in begin..begin + deep {
                    below.push(self.piece(world, call, right, [batch, at, column, count], dtype)?);
                }
                for (r, sums) in sums.iter_mut().enumerate() {
                    let own = self.piece(world, call, left, [batch, row + r as i64, begin, deep], dtype)?;
                    for (a, below) in own.iter().zip(&below) {
                        add_products(dtype, sums, *a, below);
                    }
                }
                begin += deep;
            }
            for (r, sums) in sums.into_iter().enumerate() {
                let sums = sums.into_iter().map(Some).collect();
                finish(self, world, [batch, row + r as i64, column, count], sums)?;
            }
        }
        Ok(())
    }

    fn convolution(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        numbers: &[i64],
        (dtype, form): (Dtype, ConvolutionForm),
        blocks: [i64; 3],
    ) -> Result<()> {
        let [images, groups, channels, out_channels, in_h, in_w, out_h, out_w, rest @ ..]: [i64; 19] =
            all(call, numbers)?;
        let [window_h, window_w, s0, s1, p0, p1, d0, d1, image, channel, row] = rest;
        let shape = Window {
            images,
            groups,
            channels,
            out_channels,
            image: [in_h, in_w],
            out: [out_h, out_w],
            window: [window_h, window_w],
            stride: [s0, s1],
            padding: [p0, p1],
            dilation: [d0, d1],
            strides: [image, channel, row],
        };
        let source = self.memory(world, call, 1)?.ok_or_else(|| wrong(call))?;
        let region = needed(call, 0)?;
        if form == ConvolutionForm::Depthwise {
            return self.depthwise(world, call, region, &shape, (dtype, source));
        }
        let depth = channels * window_h * window_w;
        let weights = Factor::Weights { source, groups, channels: out_channels, depth };
        let images_of = match form {
            ConvolutionForm::Computed => self.factor(world, call, 0)?,
            _ => {
                let source = self.memory(world, call, 0)?.ok_or_else(|| wrong(call))?;
                match form {
                    ConvolutionForm::Product => Factor::Image { source, shape },
                    _ => Factor::Windows { source, shape },
                }
            }
        };
        let sizes = [out_channels, shape.positions(), depth];
        let product = Product { dtype, batches: shape.images * groups, sizes, blocks };
        self.product(
            world,
            &product,
            call,
            [&weights, &images_of],
            &mut |t, world, [batch, row, n, count], lent| {
                let coordinates = &[batch / groups, batch % groups * out_channels + row, n, count];
                t.called(world, call, region, Given { coordinates, lent, values: &[] }).map(|_| ())
            },
        )
    }

    /// A task is a channel of an image; each row of it is finished by itself.
    fn depthwise(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        region: LocalId,
        shape: &Window,
        (dtype, weights): (Dtype, Source),
    ) -> Result<()> {
        let image_memory = self.memory(world, call, 0)?.ok_or_else(|| wrong(call))?;
        let (channels, window) = (shape.groups * shape.out_channels, shape.window[0] * shape.window[1]);
        for task in self.place.begin..self.place.end {
            let (image, channel) = (task / channels, task % channels);
            for row in 0..shape.out[0] {
                let mut column = 0;
                while column < shape.out[1] {
                    let (n, count) =
                        (row * shape.out[1] + column, CONVOLUTION_ROW.min(shape.out[1] - column));
                    let mut sums = Vec::with_capacity(count as usize);
                    for position in n..n + count {
                        let mut sum = Number::zero(dtype);
                        for at in 0..window {
                            let weight = self.read(world, weights, channel * window + at, dtype)?;
                            let place = shape.place(channel / shape.out_channels, position, at);
                            let Some(place) = place else { continue };
                            let place = image * shape.strides[0] + place;
                            let value = self.read(world, image_memory, place, dtype)?;
                            sum = fused(dtype, weight, value, sum);
                        }
                        sums.push(Some(sum));
                    }
                    let coordinates = &[image, channel, n, count];
                    self.called(world, call, region, Given { coordinates, lent: sums, values: &[] })?;
                    column += count;
                }
            }
        }
        Ok(())
    }
}

/// Columns of a panel of a product, which are two vectors of the machine.
fn panel_columns(world: &World<'_>, dtype: Dtype) -> i64 {
    let vector = world.lanes as i64 * size_of::<f32>() as i64;
    RegisterTile::of(vector).panel_bytes / dtype.size() as i64
}
