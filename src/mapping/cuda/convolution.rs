//! Convolutions: products of the image's patches, which are never written, with the weights.

use super::super::{Kernel, NativeHeader, cpp};
use super::function::Launch;
use super::matrix::tile_template;
use super::template::{Shape, Template};
use crate::loops::access::flatten;
use crate::loops::uses::reduced_load;
use crate::loops::{BufferId, Convolution, Expr};
use crate::schedule::chosen;
use crate::target::Choice;
use crate::templates::mma::DEPTH;
use crate::templates::pixels::{self, PIXEL_TILES, PixelTile};
use crate::templates::{Candidate, Tile, fma};
use crate::types::{Dtype, SymInt};

impl Template<'_> {
    pub(super) fn convolution(mut self, c: &Convolution) -> Kernel {
        if c.channels_last {
            return self.convolution_on_tensor_cores(c);
        }
        let program = self.program;
        let syms = &program.syms;
        let out_sizes = program.buffers[c.out].sizes.clone();
        let dtype = program.exprs.dtype(c.input).compute();
        let ty = cpp::scalar_type(dtype);
        let groups = syms.constant(c.groups);
        let (channels, filters) = (c.weight_sizes[1], syms.floordiv(c.weight_sizes[0], groups));
        let positions = syms.mul(out_sizes[2], out_sizes[3]);
        let taps = syms.mul(c.weight_sizes[2], c.weight_sizes[3]);
        let vars = program.vars(&c.input_sizes);
        let names = [(vars[0], "image"), (vars[1], "channel"), (vars[2], "y"), (vars[3], "x")];
        self.element("image_at", &[], &names, c.input, dtype);
        let vars = program.vars(&c.weight_sizes);
        let names = [(vars[0], "filter"), (vars[1], "channel"), (vars[2], "y"), (vars[3], "x")];
        self.element("weight_at", &[], &names, c.weight, dtype);
        let mut at = |s: SymInt| self.emitter.index_text(s);
        let (width, height, kernel_width) =
            (at(c.input_sizes[3]), at(c.input_sizes[2]), at(c.weight_sizes[3]));
        let (out_width, per_image, per_filter) = (at(out_sizes[3]), at(positions), at(taps));
        let (channels_text, filters_text) = (at(channels), at(filters));
        let ([stride_y, stride_x], [pad_y, pad_x], [dilate_y, dilate_x]) = (c.stride, c.padding, c.dilation);
        // Rows are filters, columns are positions of all images: neighbouring threads take neighbouring positions.
        self.emitter.line(&format!(
            "const auto left = [&](i64 batch, i64 m, i64 k) -> {ty} {{ const i64 tap = k % {per_filter}; return weight_at(batch * {filters_text} + m, k / {per_filter}, tap / {kernel_width}, tap % {kernel_width}); }};"
        ));
        self.emitter.line(&format!(
            "const auto right = [&](i64 batch, i64 n, i64 k) -> {ty} {{ const i64 image = n / {per_image}, place = n % {per_image}, tap = k % {per_filter}; const i64 y = place / {out_width} * {stride_y} - {pad_y} + tap / {kernel_width} * {dilate_y}, x = place % {out_width} * {stride_x} - {pad_x} + tap % {kernel_width} * {dilate_x}; return y < 0 || y >= {height} || x < 0 || x >= {width} ? ({ty})0 : image_at(image, batch * {channels_text} + k / {per_filter}, y, x); }};"
        ));
        self.convolution_epilogue(c, positions, dtype, &per_image, &filters_text);
        let columns = syms.mul(out_sizes[0], positions);
        let sizes: Vec<String> = [groups, filters, columns, syms.mul(channels, taps)]
            .into_iter()
            .map(|s| self.emitter.index_text(s))
            .collect();
        self.emitter.line(&format!("const litz_gemm_shape shape = {{{}}};", sizes.join(", ")));
        self.emitter.line(&format!("litz_gemm_run<{ty}>(shape, left, right, epilogue);"));
        let tiles = |size: SymInt| syms.ceildiv(size, syms.constant(fma::SIDE));
        let blocks = syms.mul(groups, syms.mul(tiles(filters), tiles(columns)));
        let headers = vec![NativeHeader::CudaGemm];
        self.finish(Shape {
            kind: "convolution",
            headers,
            blocks,
            launch: Launch::block(fma::THREADS),
            shared: syms.constant(0),
        })
    }

    fn convolution_epilogue(
        &mut self,
        c: &Convolution,
        positions: SymInt,
        dtype: Dtype,
        per_image: &str,
        filters: &str,
    ) {
        let (dims, items) = self.epilogue_items();
        let syms = std::sync::Arc::clone(&self.program.syms);
        let vars: Vec<SymInt> = dims.iter().enumerate().map(|(k, s)| syms.index_var(k as u32, *s)).collect();
        self.emitter.open();
        self.emitter.line(&format!(
            "const i64 image = n / {per_image}, place = n % {per_image}, channel = batch * {filters} + m; (void)image; (void)place; (void)channel;"
        ));
        let level = self.emitter.depth();
        self.emitter.bind(vars[0], "image", level);
        self.emitter.bind(vars[1], "channel", level);
        self.lanes_along(syms.index_var(2, positions), "place");
        self.store_epilogue(c.out, flatten(&syms, &vars, &dims), &items, dtype, "place");
        self.emitter.lanes = None;
        let ty = cpp::scalar_type(dtype);
        self.emitter.close(&format!("const auto epilogue = [&](i64 batch, i64 m, i64 n, const {ty} *sums)"));
        self.emitter.line(";");
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
            memory: cpp::memory_type(program.buffers[image].dtype),
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
        let Patches { memory, taps: [taps_y, taps_x], .. } = *p;
        let ([_, stride_x], [dilation_y, dilation_x]) = (c.stride, c.dilation);
        let [lines, width] = [syms.mul(out_sizes[0], out_sizes[1]), out_sizes[2]];
        let chunks = syms.floordiv(out_sizes[3], syms.constant(pixels::DEPTHWISE_CHANNELS));
        let enough = self.target.multiprocessors as i64 * 2 * pixels::DEPTHWISE_THREADS;
        let across = pixels::depthwise_across(syms.hint(width), syms.hint(syms.mul(lines, chunks)), enough);
        self.window(c, p, &out_sizes);
        let (image, offset) = (self.pointer(p.image), self.emitter.index_text(p.offset));
        let (weight, channels) = (self.pointer(p.weight), self.emitter.index_text(out_sizes[3]));
        let all = self.emitter.index_text(lines);
        self.lanes = pixels::DEPTHWISE_CHANNELS;
        self.emitter.aligned = Some(self.lanes);
        self.pixel_epilogue(c, 1, "m", &[]);
        self.emitter.line(&format!(
            "litz_convolve_channels<{memory}, {taps_y}, {taps_x}, {stride_x}, {dilation_y}, {dilation_x}, {across}>({image} + {offset}, window, {weight}, (int){channels}, {all}, epilogue);"
        ));
        let threads = syms.product(&[lines, syms.ceildiv(width, syms.constant(across)), chunks]);
        let blocks = syms.ceildiv(threads, syms.constant(pixels::DEPTHWISE_THREADS));
        let headers = vec![
            NativeHeader::CudaGemm,
            NativeHeader::CudaConvolution,
            NativeHeader::CudaConvolutionDepthwise,
        ];
        let (launch, shared) = (Launch::block(pixels::DEPTHWISE_THREADS), syms.constant(0));
        self.finish(Shape { kind: "convolution_depthwise", headers, blocks, launch, shared })
    }

    /// How windows lie in the image, as `window`.
    fn window(&mut self, c: &Convolution, p: &Patches, out_sizes: &[SymInt]) {
        let ([stride_y, stride_x], [pad_y, pad_x]) = (c.stride, c.padding);
        let fields: Vec<String> = p.strides.iter().map(|s| self.emitter.index_text(*s)).collect();
        let [_, _, height, width] = c.input_sizes;
        let sizes: Vec<String> = [height, width, out_sizes[1], out_sizes[2]]
            .into_iter()
            .map(|s| format!("(int){}", self.emitter.index_text(s)))
            .collect();
        self.emitter.line(&format!(
            "const litz_window window = {{{}, {}, {stride_y}, {stride_x}, {pad_y}, {pad_x}}};",
            fields.join(", "),
            sizes.join(", ")
        ));
    }

    /// Rows are pixels of the result, columns a group's filters, k the taps and a group's channels.
    fn convolution_on_tensor_cores(self, c: &Convolution) -> Kernel {
        let p = self.patches(c);
        if c.is_depthwise(&self.program.syms) {
            return self.convolution_of_channels(c, &p);
        }
        if self.target.arch != 90 {
            return self.convolution_of_chunks(c, &p, None);
        }
        let candidates = self.tiles_of(c, &p);
        let chosen = match chosen(self.program, self.target, self.node) {
            Some(Choice::Tile(chosen)) => candidates.iter().find(|found| found.tile == *chosen),
            _ => None,
        };
        match chosen.unwrap_or(&candidates[0]).tile {
            Tile::Boxes(tile) => {
                let boxes = self.boxes(c, &p).expect("only then there are such tiles");
                self.convolution_of_boxes(c, &p, &boxes, tile)
            }
            Tile::Pixels(tile) => self.convolution_of_chunks(c, &p, Some(tile)),
            Tile::Product(_) => unreachable!("a convolution has tiles of its own"),
        }
    }

    /// Threads bring chunks of channels; into tiles of Hopper's, or by the instructions of the generation before.
    fn convolution_of_chunks(mut self, c: &Convolution, p: &Patches, tile: Option<PixelTile>) -> Kernel {
        let program = self.program;
        let syms = std::sync::Arc::clone(&program.syms);
        let out_sizes = program.buffers[c.out].sizes.clone();
        let Patches { memory, filters, channels, taps: [taps_y, taps_x], m, .. } = *p;
        let (n, k) = (syms.constant(filters), p.k());
        let [dilate_y, dilate_x] = c.dilation;
        self.window(c, p, &out_sizes);
        let (pointer, offset, rows) =
            (self.pointer(p.image), self.emitter.index_text(p.offset), self.emitter.index_text(m));
        // Channels that are taken one after the other before the next tap of the window: those of one step, so that the taps
        // find the pixels that they share still near.
        let block = if channels % DEPTH == 0 { DEPTH } else { channels };
        self.emitter.line(&format!(
            "const litz_patches<{memory}, {channels}, {block}, {taps_y}, {taps_x}, {dilate_y}, {dilate_x}> left = {{{pointer} + {offset}, window, {rows}}};"
        ));
        let pointer = self.pointer(p.weight);
        let taps = taps_y * taps_x;
        self.emitter.line(&format!(
            "const litz_filters<{memory}, {channels}, {block}, {taps}> right = {{{pointer}, {filters}}};"
        ));
        self.lanes = self.epilogue_lanes(n);
        self.emitter.aligned = Some(self.lanes);
        self.pixel_epilogue(c, filters, "m", &[]);
        self.emitter
            .line(&format!("const litz_gemm_shape shape = {{{}, {rows}, {filters}, {k}}};", c.groups));
        let groups = syms.constant(c.groups);
        let Some(tile) = tile else {
            let tile = self.tile(groups, m, n);
            let template = tile_template(&tile, memory);
            self.emitter.line(&format!("{template}, false, false>(shape, left, right, epilogue);"));
            return self.finish_mma("convolution", groups, m, n, tile);
        };
        let PixelTile { groups: warpgroups, high, columns, stages, split } = tile;
        let near = taps > 1;
        self.emitter.line(&format!(
            "litz_convolve<{memory}, {warpgroups}, {high}, {columns}, {stages}, {split}, {near}>(shape, left, right, epilogue);"
        ));
        let tiles = |size: SymInt, by: i64| syms.ceildiv(size, syms.constant(by));
        let blocks = syms.mul(groups, syms.mul(tiles(m, tile.rows()), tiles(n, columns)));
        let blocks = syms.mul_const(blocks, split);
        use NativeHeader::*;
        let headers = vec![CudaGemm, CudaMma, CudaTma, CudaWgmma, CudaConvolution, CudaConvolutionWgmma];
        let shared = syms.constant(tile.shared(k));
        let launch = Launch { threads: warpgroups * 128, cluster: split, resident: tile.resident(k) };
        self.finish(Shape { kind: "convolution", headers, blocks, launch, shared })
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

    /// What is done with finished sums of a group at a row of the product, the lanes along its filters; the lines make `m`, the
    /// pixel, of the row.
    pub(super) fn pixel_epilogue(&mut self, c: &Convolution, filters: i64, row: &str, lines: &[String]) {
        let (dims, items) = self.epilogue_items();
        let syms = std::sync::Arc::clone(&self.program.syms);
        let vars: Vec<SymInt> = dims.iter().enumerate().map(|(k, s)| syms.index_var(k as u32, *s)).collect();
        self.emitter.open();
        lines.iter().for_each(|line| self.emitter.line(line));
        self.emitter.line(&format!("const i64 filter = batch * {filters} + n; (void)m; (void)filter;"));
        let level = self.emitter.depth();
        self.emitter.bind(vars[0], "m", level);
        self.lanes_along(vars[1], "filter");
        self.store_epilogue(c.out, flatten(&syms, &vars, &dims), &items, Dtype::Float32, "filter");
        self.emitter.lanes = None;
        self.emitter
            .close(&format!("const auto epilogue = [&](i64 batch, i64 {row}, i64 n, const f32 *sums)"));
        self.emitter.line(";");
    }
}

/// A convolution's operands as tensor cores read them: the image from an offset on, with the strides of images, lines and pixels,
/// and the weight, contiguous with its channels last.
pub(super) struct Patches {
    pub image: BufferId,
    pub weight: BufferId,
    pub memory: &'static str,
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
