//! Convolutions: products of the image's patches, which are never written, with the weights.

use super::super::{Kernel, NativeHeader, cpp};
use super::template::{Shape, Template};
use crate::loops::Convolution;
use crate::schedule::flatten;
use crate::types::{Dtype, SymInt};

impl Template<'_> {
    pub(super) fn convolution(mut self, c: &Convolution) -> Kernel {
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
        self.finish(Shape { kind: "convolution", headers, blocks, threads: 256, shared: syms.constant(0) })
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
}
