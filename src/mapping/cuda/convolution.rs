//! Convolutions: products of the image's patches, which are never written to memory, with the weights.

use super::template::{Blocks, Template};
use crate::kernels::{IndexOp, Kernel, LocalId, Operand, Routine, Statement, Type, Value, ValueId};
use crate::loops::access::flatten;
use crate::loops::uses::reduced_load;
use crate::loops::{BufferId, Convolution, Expr, ExprId};
use crate::schedule::chosen;
use crate::target::Choice;
use crate::templates::mma::{self, DEPTH};
use crate::templates::pixels::{self, PIXEL_TILES, PixelTile};
use crate::templates::{Candidate, Tile};
use crate::types::{Dtype, Scalar, SymInt};

impl Template<'_> {
    pub(super) fn convolution(self, c: &Convolution) -> (&'static str, Kernel) {
        if c.channels_last { self.convolution_on_tensor_cores(c) } else { self.convolution_fma(c) }
    }

    /// Rows are filters, columns are positions of all images: neighbouring threads take neighbouring positions.
    fn convolution_fma(mut self, c: &Convolution) -> (&'static str, Kernel) {
        let program = self.program;
        let syms = std::sync::Arc::clone(&program.syms);
        let out_sizes = program.buffers[c.out].sizes.clone();
        let dtype = program.exprs.dtype(c.input).compute();
        let groups = syms.constant(c.groups);
        let (channels, filters) = (c.weight_sizes[1], syms.floordiv(c.weight_sizes[0], groups));
        let positions = syms.mul(out_sizes[2], out_sizes[3]);
        let taps = syms.mul(c.weight_sizes[2], c.weight_sizes[3]);
        let columns = syms.mul(out_sizes[0], positions);
        let k = syms.mul(channels, taps);
        let left = self.filters_by_elements(c, [groups, filters, k], taps, dtype);
        let right = self.windows_by_elements(c, [groups, columns, k], [positions, taps], dtype);
        let epilogue = self.filter_epilogue(c, [groups, filters, columns], positions, dtype);
        let operands = vec![Operand::Region(left), Operand::Region(right)];
        ("convolution", self.gemm_fma([groups, filters, columns, k], operands, epilogue, dtype))
    }

    /// The weight's element at (group, filter of the group, channel and tap).
    fn filters_by_elements(
        &mut self,
        c: &Convolution,
        [groups, filters, depth]: [SymInt; 3],
        taps: SymInt,
        dtype: Dtype,
    ) -> LocalId {
        let vars = self.program.vars(&c.weight_sizes);
        let e = &mut self.emitter;
        let mut region = e.open_region("left");
        let batch = e.coordinate(&mut region, "batch", groups);
        let m = e.coordinate(&mut region, "m", filters);
        let k = e.coordinate(&mut region, "k", depth);
        let filters = e.index(filters);
        let before = e.times(batch, filters);
        let filter = e.plus(before, m);
        let (per_filter, width) = (e.divisor(taps), e.divisor(c.weight_sizes[3]));
        let (channel, tap) = (e.quotient_of(k, per_filter), e.rest_of(k, per_filter));
        let (y, x) = (e.quotient_of(tap, width), e.rest_of(tap, width));
        let level = e.depth();
        for (variable, at) in vars.into_iter().zip([filter, channel, y, x]) {
            let at = e.spare("at", Type::Index, at);
            e.bind(variable, at, level);
        }
        let value = self.element_value(c.weight, dtype);
        self.emitter.push(Statement::Give(value));
        self.emitter.close_region(region, Some(Type::Scalar(dtype)))
    }

    /// The image's element at (group, position of the result among all images, channel and tap); 0 in the padding.
    fn windows_by_elements(
        &mut self,
        c: &Convolution,
        [groups, columns, depth]: [SymInt; 3],
        [positions, taps]: [SymInt; 2],
        dtype: Dtype,
    ) -> LocalId {
        let vars = self.program.vars(&c.input_sizes);
        let out_width = self.program.buffers[c.out].sizes[3];
        let e = &mut self.emitter;
        let mut region = e.open_region("right");
        let batch = e.coordinate(&mut region, "batch", groups);
        let n = e.coordinate(&mut region, "n", columns);
        let k = e.coordinate(&mut region, "k", depth);
        let per_image = e.divisor(positions);
        let (image, place) = (e.quotient_of(n, per_image), e.rest_of(n, per_image));
        let (image, place) = (e.spare("image", Type::Index, image), e.spare("place", Type::Index, place));
        let per_filter = e.divisor(taps);
        let (channel, tap) = (e.quotient_of(k, per_filter), e.rest_of(k, per_filter));
        let tap = e.spare("tap", Type::Index, tap);
        let channels = e.index(c.weight_sizes[1]);
        let before = e.times(batch, channels);
        let channel = e.plus(before, channel);
        let channel = e.spare("channel", Type::Index, channel);
        let (out_width, taps_x) = (e.divisor(out_width), e.divisor(c.weight_sizes[3]));
        let mut found = Vec::new();
        for (d, name) in ["y", "x"].into_iter().enumerate() {
            let (at, tap) = match d {
                0 => (e.quotient_of(place, out_width), e.quotient_of(tap, taps_x)),
                _ => (e.rest_of(place, out_width), e.rest_of(tap, taps_x)),
            };
            let [step, padding, dilation] = [c.stride[d], c.padding[d], c.dilation[d]].map(|n| e.integer(n));
            let at = e.times(at, step);
            let at = e.minus(at, padding);
            let tap = e.times(tap, dilation);
            let at = e.plus(at, tap);
            found.push(e.spare(name, Type::Index, at));
        }
        let [y, x] = [found[0], found[1]];
        let (none, height, width) = (e.integer(0), e.index(c.input_sizes[2]), e.index(c.input_sizes[3]));
        let outside = [
            e.index_op(IndexOp::Less, &[y, none]),
            e.index_op(IndexOp::GreaterEqual, &[y, height]),
            e.index_op(IndexOp::Less, &[x, none]),
            e.index_op(IndexOp::GreaterEqual, &[x, width]),
        ];
        let condition = e.index_op(IndexOp::Or, &outside);
        e.open();
        let zero =
            e.add(Value::Constant(if dtype.is_float() { Scalar::Float(0.0) } else { Scalar::Int(0) }, dtype));
        e.push(Statement::Give(zero));
        let then = e.close_block();
        e.open();
        let level = e.depth();
        for (variable, at) in vars.into_iter().zip([image, channel, y, x]) {
            e.bind(variable, at, level);
        }
        let value = self.element_value(c.input, dtype);
        self.emitter.push(Statement::Give(value));
        let otherwise = self.emitter.close_block();
        self.emitter.push(Statement::If { condition, then, otherwise });
        self.emitter.close_region(region, Some(Type::Scalar(dtype)))
    }

    fn element_value(&mut self, operand: ExprId, dtype: Dtype) -> ValueId {
        let value = self.emitter.value(operand);
        let own = self.program.exprs.dtype(operand);
        if own == dtype { value.value } else { self.emitter.convert(value, dtype).value }
    }

    /// The epilogue of a finished sum of a group's filter at a position among all images.
    fn filter_epilogue(
        &mut self,
        c: &Convolution,
        [groups, filters, columns]: [SymInt; 3],
        positions: SymInt,
        dtype: Dtype,
    ) -> LocalId {
        let (dims, items) = self.epilogue_items();
        let syms = std::sync::Arc::clone(&self.program.syms);
        let vars: Vec<SymInt> = dims.iter().enumerate().map(|(k, s)| syms.index_var(k as u32, *s)).collect();
        let e = &mut self.emitter;
        let mut region = e.open_region("epilogue");
        let batch = e.coordinate(&mut region, "batch", groups);
        let m = e.coordinate(&mut region, "m", filters);
        let n = e.coordinate(&mut region, "n", columns);
        let sums = e.elements(&mut region, "sums", dtype, Some(syms.constant(1)), false);
        let per_image = e.divisor(positions);
        let (image, place) = (e.quotient_of(n, per_image), e.rest_of(n, per_image));
        let filters = e.index(filters);
        let before = e.times(batch, filters);
        let channel = e.plus(before, m);
        let image = e.spare("image", Type::Index, image);
        let place = e.spare("place", Type::Index, place);
        let channel = e.spare("channel", Type::Index, channel);
        let level = e.depth();
        e.bind(vars[0], image, level);
        e.bind(vars[1], channel, level);
        self.lanes_along(syms.index_var(2, positions), place);
        self.store_epilogue(c.out, flatten(&syms, &vars, &dims), &items, (dtype, sums, place));
        self.emitter.lanes = None;
        self.emitter.close_region(region, None)
    }

    /// What tensor cores read of a convolution.
    fn patches(&self, c: &Convolution) -> Patches {
        let program = self.program;
        let syms = &program.syms;
        let loaded = |operand| match &program.exprs[reduced_load(program, operand)] {
            Expr::Load { buffer, index, .. } => (*buffer, index[0]),
            other => unreachable!("tensor cores read memory, not {other:?}"),
        };
        let ((image, mut offset), (weight, _)) = (loaded(c.input), loaded(c.weight));
        let vars = program.vars(&c.input_sizes);
        let [strides @ .., _] = [0, 2, 3, 1].map(|k| {
            let found = syms.as_symbol(vars[k]).and_then(|symbol| syms.linear_in(offset, symbol));
            let (step, rest) = found.unwrap_or((syms.constant(0), offset));
            offset = rest;
            step
        });
        let sizes = syms.as_consts(&c.weight_sizes).expect("tensor cores take known sizes");
        Patches {
            image,
            weight,
            stored: program.buffers[image].dtype,
            offset,
            strides,
            m: syms.product(&program.buffers[c.out].sizes[..3]),
            filters: sizes[0] / c.groups,
            channels: sizes[1],
            taps: [sizes[2], sizes[3]],
        }
    }

    /// Each channel by itself: a thread has eight channels of some pixels side by side.
    fn convolution_of_channels(mut self, c: &Convolution, p: &Patches) -> Kernel {
        let program = self.program;
        let syms = std::sync::Arc::clone(&program.syms);
        let out_sizes = program.buffers[c.out].sizes.clone();
        let Patches { stored, taps: [taps_y, taps_x], .. } = *p;
        let ([_, stride_x], [dilation_y, dilation_x]) = (c.stride, c.dilation);
        let [lines, width, channels] = [syms.mul(out_sizes[0], out_sizes[1]), out_sizes[2], out_sizes[3]];
        let chunks = syms.floordiv(channels, syms.constant(pixels::DEPTHWISE_CHANNELS));
        let enough = self.target.multiprocessors as i64 * 2 * pixels::DEPTHWISE_THREADS;
        let across = pixels::depthwise_across(syms.hint(width), syms.hint(syms.mul(lines, chunks)), enough);
        self.lanes = pixels::DEPTHWISE_CHANNELS;
        self.emitter.aligned = Some(self.lanes);
        let epilogue = self.pixel_epilogue(c, [syms.constant(1), p.m, channels], 1);
        let routine = Routine::ConvolutionDepthwise {
            stored,
            taps_y,
            taps_x,
            stride_x,
            dilation_y,
            dilation_x,
            across,
        };
        let k = syms.constant(taps_y * taps_x);
        self.call_convolution(routine, c, p, [channels, p.m, lines, k], epilogue);
        let threads = syms.product(&[lines, syms.ceildiv(width, syms.constant(across)), chunks]);
        let blocks = syms.ceildiv(threads, syms.constant(pixels::DEPTHWISE_THREADS));
        self.finish(Blocks::new(blocks, pixels::DEPTHWISE_THREADS, syms.constant(0)))
    }

    /// The call of a routine that finds an image's windows by itself.
    fn call_convolution(
        &mut self,
        routine: Routine,
        c: &Convolution,
        p: &Patches,
        sizes: [SymInt; 4],
        epilogue: LocalId,
    ) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let out_sizes = self.program.buffers[c.out].sizes.clone();
        let [_, _, height, width] = c.input_sizes;
        let numbers: Vec<SymInt> = sizes
            .into_iter()
            .chain(p.strides)
            .chain([height, width, out_sizes[1], out_sizes[2]])
            .chain(c.stride.into_iter().chain(c.padding).map(|n| syms.constant(n)))
            .collect();
        let mut image = self.whole(p.image);
        image.at = Some(self.emitter.index(p.offset));
        image.elements = syms.sub(image.elements, p.offset);
        let weight = self.whole(p.weight);
        let operands = [image, weight].map(|memory| Operand::Memory(Box::new(memory))).to_vec();
        self.call(routine, operands, &numbers, vec![Some(epilogue)]);
    }

    /// Rows are pixels of the result, columns a group's filters, k the taps and a group's channels.
    fn convolution_on_tensor_cores(self, c: &Convolution) -> (&'static str, Kernel) {
        let p = self.patches(c);
        if c.is_depthwise(&self.program.syms) {
            return ("convolution_depthwise", self.convolution_of_channels(c, &p));
        }
        if self.target.arch != 90 {
            return ("convolution", self.convolution_of_chunks(c, &p, None));
        }
        let candidates = self.tiles_of(c, &p);
        let chosen = match chosen(self.program, self.target, self.node) {
            Some(Choice::Tile(chosen)) => candidates.iter().find(|found| found.tile == *chosen),
            _ => None,
        };
        let kernel = match chosen.unwrap_or(&candidates[0]).tile {
            Tile::Boxes(tile) => {
                let boxes = self.boxes(c, &p).expect("only then there are such tiles");
                self.convolution_of_boxes(c, &p, &boxes, tile)
            }
            Tile::Pixels(tile) => self.convolution_of_chunks(c, &p, Some(tile)),
            Tile::Product(_) => unreachable!("a convolution has tiles of its own"),
        };
        ("convolution", kernel)
    }

    /// Threads bring chunks of channels; into tiles of Hopper's, or by the instructions of the generation before.
    fn convolution_of_chunks(mut self, c: &Convolution, p: &Patches, tile: Option<PixelTile>) -> Kernel {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let Patches { stored, filters, channels, taps: [taps_y, taps_x], m, .. } = *p;
        let (groups, n, k) = (syms.constant(c.groups), syms.constant(filters), p.k());
        let [dilation_y, dilation_x] = c.dilation;
        self.lanes = self.epilogue_lanes(n);
        self.emitter.aligned = Some(self.lanes);
        let epilogue = self.pixel_epilogue(c, [groups, m, n], filters);
        // Channels that are taken one after the other before the next tap of the window: those of one step, so that the taps
        // find the pixels that they share still near.
        let block = if channels % DEPTH == 0 { DEPTH } else { channels };
        let sizes = [groups, m, n, syms.constant(k)];
        let Some(tile) = tile else {
            let tile = self.tile(groups, m, n);
            let mma::Tile { wgmma: warpgroups, rows, columns, down, across, stages } = tile;
            let routine = Routine::ConvolutionMma {
                stored,
                warpgroups,
                rows,
                columns,
                down,
                across,
                stages,
                channels,
                block,
                taps_y,
                taps_x,
                dilation_y,
                dilation_x,
            };
            self.call_convolution(routine, c, p, sizes, epilogue);
            return self.finish_mma([groups, m, n], tile);
        };
        let PixelTile { groups: warpgroups, high, columns, stages, split } = tile;
        let routine = Routine::ConvolutionWgmma {
            stored,
            groups: warpgroups,
            high,
            columns,
            stages,
            split,
            channels,
            block,
            taps_y,
            taps_x,
            dilation_y,
            dilation_x,
        };
        self.call_convolution(routine, c, p, sizes, epilogue);
        let tiles = |size: SymInt, by: i64| syms.ceildiv(size, syms.constant(by));
        let blocks = syms.mul(groups, syms.mul(tiles(m, tile.rows()), tiles(n, columns)));
        let count = syms.mul_const(blocks, split);
        let shared = syms.constant(tile.shared(k));
        let (threads, resident) = (warpgroups * 128, tile.resident(k));
        self.finish(Blocks { count, threads, cluster: split, resident, shared })
    }

    /// The tiles that Hopper's tensor cores can cut it into: the first is likely the fastest, and those by threads and by the
    /// copy engine take turns.
    fn tiles_of(&self, c: &Convolution, p: &Patches) -> Vec<Candidate> {
        let sizes @ [_, _, n, k] = [c.groups, self.program.syms.hint(p.m).max(1), p.filters, p.k()];
        let multiprocessors = self.target.multiprocessors as i64;
        let best = PixelTile::best(sizes, p.taps[0] * p.taps[1], multiprocessors);
        let useful = |t: &PixelTile| {
            let few = t.split == 1 || (t.count(sizes) < 2 * multiprocessors && k >= 4 * DEPTH * t.split);
            let narrow = t.columns == 64 || n > t.columns / 2;
            *t != best && few && narrow && t.shared(k) <= self.target.shared_bytes as i64 - 1024
        };
        let threads = [best].into_iter().chain(PIXEL_TILES.into_iter().filter(useful));
        let threads = threads.map(|tile| Candidate { tile: Tile::Pixels(tile), clocks: None });
        let boxes = self.boxes(c, p).map(|boxes| self.box_tiles(&boxes, p, c.groups));
        let engine = boxes.into_iter().flatten();
        let engine = engine.map(|(clocks, t)| Candidate { tile: Tile::Boxes(t), clocks: Some(clocks) });
        let (threads, engine): (Vec<Candidate>, Vec<Candidate>) = (threads.collect(), engine.collect());
        let many_steps = k >= MANY_STEPS[usize::from(p.taps == [1, 1])] * DEPTH;
        let [first, second] = if many_steps { [engine, threads] } else { [threads, engine] };
        let longest = first.len().max(second.len());
        (0..longest).flat_map(|k| [first.get(k), second.get(k)]).flatten().copied().collect()
    }

    /// The tiles that a convolution can be cut into; none where it has no choice.
    pub(super) fn convolution_candidates(&self, c: &Convolution) -> Vec<Candidate> {
        if !c.channels_last || self.target.arch != 90 || c.is_depthwise(&self.program.syms) {
            return Vec::new();
        }
        self.tiles_of(c, &self.patches(c))
    }

    /// The epilogue of finished sums at (group, pixel, column). Lanes run along columns; a group has `filters` of them.
    pub(super) fn pixel_epilogue(
        &mut self,
        c: &Convolution,
        [groups, pixels, columns]: [SymInt; 3],
        filters: i64,
    ) -> LocalId {
        let (dims, items) = self.epilogue_items();
        let syms = std::sync::Arc::clone(&self.program.syms);
        let vars: Vec<SymInt> = dims.iter().enumerate().map(|(k, s)| syms.index_var(k as u32, *s)).collect();
        let e = &mut self.emitter;
        let mut region = e.open_region("epilogue");
        let batch = e.coordinate(&mut region, "batch", groups);
        let m = e.coordinate(&mut region, "m", pixels);
        let n = e.step(&mut region, "n", columns, self.lanes);
        let length = Some(syms.constant(self.lanes));
        let sums = e.elements(&mut region, "sums", Dtype::Float32, length, false);
        let count = e.integer(filters);
        let before = e.times(batch, count);
        let filter = e.plus(before, n);
        let filter = e.spare("filter", Type::Index, filter);
        let level = e.depth();
        e.bind(vars[0], m, level);
        self.lanes_along(vars[1], filter);
        let own = flatten(&syms, &vars, &dims);
        self.store_epilogue(c.out, own, &items, (Dtype::Float32, sums, filter));
        self.emitter.lanes = None;
        self.emitter.close_region(region, None)
    }
}

/// A convolution's operands as tensor cores read them: the image from an offset on, with the strides of images, lines and pixels,
/// and the weight, contiguous with its channels last.
pub(super) struct Patches {
    pub image: BufferId,
    pub weight: BufferId,
    pub stored: Dtype,
    pub offset: SymInt,
    pub strides: [SymInt; 3],
    /// Pixels of the result.
    pub m: SymInt,
    /// Of a group, as are the channels.
    pub filters: i64,
    pub channels: i64,
    pub taps: [i64; 2],
}

impl Patches {
    pub fn k(&self) -> i64 {
        self.channels * self.taps[0] * self.taps[1]
    }
}

/// From so many steps on the copy engine is ahead of threads, for windows and for those of one by one, where it does not
/// read a pixel several times: blocks that it feeds work on one tile at a time, of which nothing hides the end.
const MANY_STEPS: [i64; 2] = [8, 32];
