//! Convolutions: products of the image's patches, which are never written, with the weights.

use super::super::{Kernel, NativeHeader, cpp};
use super::matrix::DEPTH;
use super::template::{Shape, Template};
use super::writer::Launch;
use crate::loops::{Convolution, Expr};
use crate::schedule::{channel_block, flatten, reduced_load};
use crate::target::CudaTarget;
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
        let mut at = |s: SymInt| self.emitter.index(s);
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
            .map(|s| self.emitter.index(s))
            .collect();
        self.emitter.line(&format!("const litz_gemm_shape shape = {{{}}};", sizes.join(", ")));
        self.emitter.line(&format!("litz_gemm_run<{ty}>(shape, left, right, epilogue);"));
        let tiles = |size: SymInt| syms.ceildiv(size, syms.constant(64));
        let blocks = syms.mul(groups, syms.mul(tiles(filters), tiles(columns)));
        let headers = vec![NativeHeader::CudaGemm];
        self.finish(Shape {
            kind: "convolution",
            headers,
            blocks,
            launch: Launch::block(256),
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
    /// Rows are pixels of the result, columns a group's filters, k the taps and a group's channels.
    fn convolution_on_tensor_cores(mut self, c: &Convolution) -> Kernel {
        let program = self.program;
        let syms = std::sync::Arc::clone(&program.syms);
        let out_sizes = program.buffers[c.out].sizes.clone();
        let loaded = |operand| match &program.exprs[reduced_load(program, operand)] {
            Expr::Load { buffer, index, .. } => (*buffer, index[0]),
            other => unreachable!("tensor cores read memory, not {other:?}"),
        };
        let ((image, mut offset), (weight, _)) = (loaded(c.input), loaded(c.weight));
        let memory = cpp::memory_type(program.buffers[image].dtype);
        let vars = program.vars(&c.input_sizes);
        let [strides @ .., _] = [0, 2, 3, 1].map(|k| {
            let found = syms.as_symbol(vars[k]).and_then(|symbol| syms.linear_in(offset, symbol));
            let (step, rest) = found.unwrap_or((syms.constant(0), offset));
            offset = rest;
            step
        });
        let sizes = syms.as_consts(&c.weight_sizes).expect("tensor cores take known sizes");
        let (filters, channels, taps_y, taps_x) = (sizes[0] / c.groups, sizes[1], sizes[2], sizes[3]);
        let (m, n, k) = (syms.product(&out_sizes[..3]), syms.constant(filters), channels * taps_y * taps_x);
        let ([stride_y, stride_x], [pad_y, pad_x], [dilate_y, dilate_x]) = (c.stride, c.padding, c.dilation);
        let fields: Vec<String> = strides.iter().map(|s| self.emitter.index(*s)).collect();
        let [_, _, height, width] = c.input_sizes;
        let sizes: Vec<String> = [height, width, out_sizes[1], out_sizes[2]]
            .into_iter()
            .map(|s| format!("(int){}", self.emitter.index(s)))
            .collect();
        self.emitter.line(&format!(
            "const litz_window window = {{{}, {}, {stride_y}, {stride_x}, {pad_y}, {pad_x}}};",
            fields.join(", "),
            sizes.join(", ")
        ));
        let (pointer, offset, rows) =
            (self.pointer(image), self.emitter.index(offset), self.emitter.index(m));
        let block = channel_block(channels);
        self.emitter.line(&format!(
            "const litz_patches<{memory}, {channels}, {block}, {taps_y}, {taps_x}, {dilate_y}, {dilate_x}> left = {{{pointer} + {offset}, window, {rows}}};"
        ));
        self.emitter.line(&format!(
            "const auto right_at = [&](i64 batch, i64 row) -> i64 {{ return (batch * {filters} + row) * {k}; }};"
        ));
        let pointer = self.pointer(weight);
        self.emitter.line(&format!(
            "const litz_rows<{memory}, decltype(right_at)> right = {{{pointer}, right_at, {filters}, {k}}};"
        ));
        self.lanes = self.epilogue_lanes(n);
        self.emitter.aligned = Some(self.lanes);
        self.pixel_epilogue(c, filters);
        self.emitter
            .line(&format!("const litz_gemm_shape shape = {{{}, {rows}, {filters}, {k}}};", c.groups));
        let groups = syms.constant(c.groups);
        if self.target.arch != 90 {
            let tile = self.tile(groups, m, n);
            let template = tile.template(memory);
            self.emitter.line(&format!("{template}, false, false>(shape, left, right, epilogue);"));
            return self.finish_mma("convolution", groups, m, n, tile);
        }
        let taps = taps_y * taps_x;
        let tile = PixelTile::best([c.groups, syms.hint(m).max(1), filters, k], taps, self.target);
        let PixelTile { groups: warpgroups, high, columns, stages, .. } = tile;
        let near = taps > 1;
        self.emitter.line(&format!(
            "litz_convolve<{memory}, {warpgroups}, {high}, {columns}, {stages}, {near}>(shape, left, right, epilogue);"
        ));
        let tiles = |size: SymInt, by: i64| syms.ceildiv(size, syms.constant(by));
        let blocks = syms.mul(groups, syms.mul(tiles(m, tile.rows()), tiles(n, columns)));
        use NativeHeader::*;
        let headers = vec![CudaGemm, CudaMma, CudaWgmma, CudaConvolution, CudaConvolutionWgmma];
        let shared = syms.constant(tile.shared(k));
        let launch = Launch::block(warpgroups * 128);
        self.finish(Shape { kind: "convolution", headers, blocks, launch, shared })
    }

    /// What is done with finished sums of a group at pixel m, the lanes along its filters.
    fn pixel_epilogue(&mut self, c: &Convolution, filters: i64) {
        let (dims, items) = self.epilogue_items();
        let syms = std::sync::Arc::clone(&self.program.syms);
        let vars: Vec<SymInt> = dims.iter().enumerate().map(|(k, s)| syms.index_var(k as u32, *s)).collect();
        self.emitter.open();
        self.emitter.line(&format!("const i64 filter = batch * {filters} + n; (void)m; (void)filter;"));
        let level = self.emitter.depth();
        self.emitter.bind(vars[0], "m", level);
        self.lanes_along(vars[1], "filter");
        self.store_epilogue(c.out, flatten(&syms, &vars, &dims), &items, Dtype::Float32, "filter");
        self.emitter.lanes = None;
        self.emitter.close("const auto epilogue = [&](i64 batch, i64 m, i64 n, const f32 *sums)");
        self.emitter.line(";");
    }
}

/// Tiles of convolutions on Hopper: `high` times 64 rows for each of `groups` warpgroups. Two or three blocks share a
/// multiprocessor, which is worth more than larger tiles: most layers have few steps, and much to load and store.
#[derive(Clone, Copy)]
struct PixelTile {
    groups: i64,
    high: i64,
    columns: i64,
    stages: i64,
}

const WIDE: PixelTile = PixelTile { groups: 2, high: 1, columns: 128, stages: 3 };
const NARROW: PixelTile = PixelTile { groups: 2, high: 1, columns: 64, stages: 3 };
/// Many taps keep one warpgroup busy with all rows, which reads each of the weight's columns once for them.
const TAPS: PixelTile = PixelTile { groups: 1, high: 2, columns: 64, stages: 4 };
const SMALL: PixelTile = PixelTile { groups: 1, high: 1, columns: 64, stages: 4 };

impl PixelTile {
    fn rows(&self) -> i64 {
        64 * self.groups * self.high
    }
    fn shared(&self, k: i64) -> i64 {
        let steps = (k + DEPTH - 1) / DEPTH;
        self.stages.min(steps.max(1)) * (self.rows() + self.columns) * DEPTH * 2
    }

    /// The tile for a product of these groups, rows, columns and k: the largest of which there are about as many as
    /// multiprocessors. A product of few steps is bound by its results, and finer tiles hide more of their latency.
    fn best([groups, m, n, k]: [i64; 4], taps: i64, target: &CudaTarget) -> PixelTile {
        let ceil = |a: i64, b: i64| (a + b - 1) / b;
        let enough = |t: &PixelTile| {
            let tiles = groups * ceil(m, t.rows()) * ceil(n, t.columns);
            tiles * 10 >= target.multiprocessors as i64 * 7
        };
        if n > 64 && k > 2 * DEPTH && enough(&WIDE) {
            WIDE
        } else if enough(&NARROW) {
            if taps > 1 { TAPS } else { NARROW }
        } else {
            SMALL
        }
    }
}
