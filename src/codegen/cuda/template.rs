//! Matrix products, convolutions and attention: native templates with operands and epilogues in their slots.
//!
//! Half and bfloat go to the tensor cores where the operands' layout allows whole chunks of 16 bytes; everything else
//! goes through templates that ask for elements one by one.

use super::super::emit::{Emitter, Lanes, Operand, Storage};
use super::super::template::{Strided, strided_matrix};
use super::super::{CodegenError, Kernel, NativeHeader, cpp};
use super::writer::function;
use crate::loops::{Attention, BufferId, Convolution, Expr, ExprId, NodeKind, Program};
use crate::schedule::{Group, GroupKind, Item, flatten, reduced_load};
use crate::target::CudaTarget;
use crate::types::{Dtype, Scalar, SymInt};

/// The kernel of a template group.
pub fn kernel(
    program: &Program,
    group: &Group,
    node: usize,
    target: &CudaTarget,
) -> Result<Kernel, CodegenError> {
    let t = Template::new(program, group, target, node);
    match program.nodes[node].kind.clone() {
        NodeKind::Gemm { .. } => Ok(t.gemm()),
        NodeKind::Convolution(c) => Ok(t.convolution(&c)),
        NodeKind::Attention(a) => t.attention(&a),
        _ => Err(CodegenError {
            operators: group.operators.join(", "),
            message: "the CUDA backend has no kernel for it yet; the backend cpu has".into(),
        }),
    }
}

struct Template<'p> {
    emitter: Emitter<'p>,
    program: &'p Program,
    group: &'p Group,
    target: &'p CudaTarget,
    node: usize,
    buffers: Vec<BufferId>,
    lanes: i64,
}

/// An operand of a product that is read in chunks of eight elements.
enum ChunkOperand {
    /// Neighbours in k, each row beginning at an offset of its own.
    Rows { buffer: BufferId, dtype: Dtype, at: SymInt },
    /// Neighbours in the rows.
    Transposed(Strided),
}

impl ChunkOperand {
    fn dtype(&self) -> Dtype {
        match self {
            ChunkOperand::Rows { dtype, .. } => *dtype,
            ChunkOperand::Transposed(matrix) => matrix.dtype,
        }
    }
}

/// Rows of heads in memory, their elements neighbours: strides of batch, head and row.
struct Heads {
    buffer: BufferId,
    dtype: Dtype,
    offset: SymInt,
    strides: [SymInt; 3],
}

/// What surrounds the lines of a template.
struct Shape {
    kind: &'static str,
    headers: Vec<NativeHeader>,
    blocks: SymInt,
    threads: i64,
    shared: SymInt,
}

/// Tiles of the tensor-core templates: rows, columns, warps down and across, steps in flight.
#[derive(Clone, Copy)]
struct Tile {
    /// Warpgroups of 64 rows, all columns each.
    wgmma: bool,
    rows: i64,
    columns: i64,
    down: i64,
    across: i64,
    stages: i64,
}

/// From the largest to the smallest.
const TILES: [Tile; 3] = [
    Tile { wgmma: false, rows: 128, columns: 128, down: 2, across: 4, stages: 3 },
    Tile { wgmma: false, rows: 128, columns: 64, down: 4, across: 2, stages: 3 },
    Tile { wgmma: false, rows: 64, columns: 64, down: 2, across: 2, stages: 4 },
];
const HOPPER_TILES: [Tile; 4] = [
    Tile { wgmma: true, rows: 128, columns: 256, down: 8, across: 1, stages: 4 },
    Tile { wgmma: true, rows: 128, columns: 128, down: 8, across: 1, stages: 5 },
    Tile { wgmma: true, rows: 128, columns: 64, down: 8, across: 1, stages: 5 },
    Tile { wgmma: true, rows: 64, columns: 64, down: 4, across: 1, stages: 5 },
];
/// Elements of k in one step, as the native header has it.
const DEPTH: i64 = 64;

impl<'p> Template<'p> {
    fn new(program: &'p Program, group: &'p Group, target: &'p CudaTarget, node: usize) -> Self {
        let buffers: Vec<BufferId> = group.reads.iter().chain(&group.writes).copied().collect();
        let mut emitter = Emitter::new(program);
        for (k, buffer) in buffers.iter().enumerate() {
            emitter.storage.insert(*buffer, Storage::Memory(format!("b{k}")));
        }
        Template { emitter, program, group, target, node, buffers, lanes: 1 }
    }

    fn finish(self, shape: Shape) -> Kernel {
        let (lines, symbols, functions) = self.emitter.finish();
        let body = function(self.program, self.group, &self.buffers, symbols.len(), shape.threads, &lines);
        Kernel {
            kind: shape.kind,
            body,
            functions,
            headers: shape.headers,
            buffers: self.buffers,
            symbols,
            tasks: shape.blocks,
            grain: self.program.syms.constant(shape.threads),
            scratch: shape.shared,
            lanes: self.lanes,
        }
    }

    fn pointer(&self, buffer: BufferId) -> String {
        let k = self.buffers.iter().position(|b| *b == buffer).expect("the buffer is a parameter");
        format!("b{k}")
    }

    fn epilogue_items(&self) -> (Vec<SymInt>, Vec<Item>) {
        match &self.group.kind {
            GroupKind::Template { dims, epilogue, .. } => (dims.clone(), epilogue.clone()),
            _ => unreachable!("a template's group is one"),
        }
    }

    // Matrix products.

    fn gemm(mut self) -> Kernel {
        let program = self.program;
        let syms = &program.syms;
        let NodeKind::Gemm { batch, m, n, k, a, b, out } = program.nodes[self.node].kind.clone() else {
            unreachable!("a matrix product's node is one")
        };
        let dtype = computed_in(program.exprs.dtype(a));
        let at = batch.len() as u32;
        let [mv, nv, kv] = [syms.index_var(at, m), syms.index_var(at + 1, n), syms.index_var(at + 2, k)];
        let batches = syms.product(&batch);
        let left = self.tensor_core_operand(&batch, [mv, kv], [m, k], a);
        let right = self.tensor_core_operand(&batch, [nv, kv], [n, k], b);
        if let (Some(left), Some(right)) = (left, right)
            && left.dtype() == right.dtype()
        {
            return self.mma(&batch, [batches, m, n, k], out, [left, right]);
        }
        let ty = cpp::scalar_type(dtype);
        self.element("left", &[("batch", &batch)], &[(mv, "m"), (kv, "k")], a, dtype);
        self.element("right", &[("batch", &batch)], &[(nv, "n"), (kv, "k")], b, dtype);
        self.matrix_epilogue(&batch, [m, n], out, dtype);
        let sizes: Vec<String> = [batches, m, n, k].into_iter().map(|s| self.emitter.index(s)).collect();
        self.emitter.line(&format!("const litz_gemm_shape shape = {{{}}};", sizes.join(", ")));
        self.emitter.line(&format!("litz_gemm_run<{ty}>(shape, left, right, epilogue);"));
        let tiles = |size: SymInt| syms.ceildiv(size, syms.constant(64));
        let blocks = syms.mul(batches, syms.mul(tiles(m), tiles(n)));
        let headers = vec![NativeHeader::CudaGemm];
        self.finish(Shape { kind: "gemm", headers, blocks, threads: 256, shared: syms.constant(0) })
    }

    /// An operand that tensor cores can be fed with: halves that are read in whole chunks.
    fn tensor_core_operand(
        &self,
        batch: &[SymInt],
        [row, depth]: [SymInt; 2],
        [rows, k]: [SymInt; 2],
        operand: ExprId,
    ) -> Option<ChunkOperand> {
        let program = self.program;
        let syms = &program.syms;
        let load = reduced_load(program, operand);
        let Expr::Load { buffer, index, data } = &program.exprs[load] else { return None };
        let dtype = program.exprs.dtype(load);
        if self.target.arch < 80 || !data.is_empty() || !dtype.is_reduced_float() {
            return None;
        }
        let whole = |s: SymInt| syms.as_const(syms.modulo(s, syms.constant(8))) == Some(0);
        // Neighbours in k: rows may lie anywhere.
        if let Some(symbol) = syms.as_symbol(depth)
            && let Some((step, at)) = syms.linear_in(index[0], symbol)
            && syms.as_const(step) == Some(1)
            && !syms.depends_on(at, symbol)
            && whole(at)
            && whole(k)
        {
            return Some(ChunkOperand::Rows { buffer: *buffer, dtype, at });
        }
        let matrix = strided_matrix(program, batch, [row, depth], operand, Dtype::Float32)?;
        let [batch_stride, row_stride, depth_stride] = matrix.strides;
        let good = whole(batch_stride) && whole(matrix.offset) && whole(depth_stride) && whole(rows);
        (good && syms.as_const(row_stride) == Some(1)).then_some(ChunkOperand::Transposed(matrix))
    }

    fn mma(
        mut self,
        batch: &[SymInt],
        [batches, m, n, k]: [SymInt; 4],
        out: BufferId,
        operands: [ChunkOperand; 2],
    ) -> Kernel {
        let memory = cpp::memory_type(operands[0].dtype());
        let sizes: Vec<String> = [batches, m, n, k].into_iter().map(|s| self.emitter.index(s)).collect();
        let at = batch.len() as u32;
        for (place, (name, operand)) in ["left", "right"].iter().zip(&operands).enumerate() {
            let rows = [m, n][place];
            let fields = [rows, k].map(|s| self.emitter.index(s)).join(", ");
            match operand {
                ChunkOperand::Rows { buffer, at: offset, .. } => {
                    let pointer = self.pointer(*buffer);
                    self.emitter.open();
                    self.emitter.line("(void)batch; (void)row;");
                    self.emitter.bind_point(batch, "batch");
                    let (var, level) =
                        (self.program.syms.index_var(at + place as u32, rows), self.emitter.depth());
                    self.emitter.bind(var, "row", level);
                    let text = self.emitter.index(*offset);
                    self.emitter.line(&format!("return {text};"));
                    self.emitter.close(&format!("const auto {name}_at = [&](i64 batch, i64 row) -> i64"));
                    self.emitter.line(";");
                    self.emitter.line(&format!(
                        "const litz_rows<{memory}, decltype({name}_at)> {name} = {{{pointer}, {name}_at, {fields}}};"
                    ));
                }
                ChunkOperand::Transposed(matrix) => {
                    let [batch_stride, _, stride] = matrix.strides;
                    let strides = [batch_stride, stride].map(|s| self.emitter.index(s)).join(", ");
                    let (pointer, offset) = (self.pointer(matrix.buffer), self.emitter.index(matrix.offset));
                    self.emitter.line(&format!(
                        "const litz_matrix<{memory}> {name} = {{{pointer} + {offset}, {strides}, {fields}}};"
                    ));
                }
            }
        }
        self.lanes = self.epilogue_lanes(n);
        self.emitter.aligned = Some(self.lanes);
        self.matrix_epilogue(batch, [m, n], out, Dtype::Float32);
        self.emitter.line(&format!("const litz_gemm_shape shape = {{{}}};", sizes.join(", ")));
        let tile = self.tile(batches, m, n);
        let Tile { wgmma, rows, columns, down, across, stages } = tile;
        let [left_order, right_order] = operands.map(|o| matches!(o, ChunkOperand::Transposed(_)));
        let template = if wgmma {
            format!("litz_wgmma_run<{memory}, {}, {columns}, {stages}", rows / 64)
        } else {
            format!("litz_mma_run<{memory}, {rows}, {columns}, {down}, {across}, {stages}")
        };
        self.emitter
            .line(&format!("{template}, {left_order}, {right_order}>(shape, left, right, epilogue);"));
        self.finish_mma("gemm", batches, m, n, tile)
    }

    fn finish_mma(self, kind: &'static str, batches: SymInt, m: SymInt, n: SymInt, tile: Tile) -> Kernel {
        let syms = &self.program.syms;
        let tiles = |size: SymInt, by: i64| syms.ceildiv(size, syms.constant(by));
        let blocks = syms.mul(batches, syms.mul(tiles(m, tile.rows), tiles(n, tile.columns)));
        let bytes =
            ((tile.rows + tile.columns) * DEPTH * 2 * tile.stages).max(tile.rows * (tile.columns + 4) * 4);
        let shared = syms.constant(bytes);
        let mut headers = vec![NativeHeader::CudaGemm, NativeHeader::CudaMma];
        headers.extend(tile.wgmma.then_some(NativeHeader::CudaWgmma));
        let threads = tile.down * tile.across * 32;
        self.finish(Shape { kind, headers, blocks, threads, shared })
    }

    /// The largest tile of which there are enough for the machine.
    fn tile(&self, batches: SymInt, m: SymInt, n: SymInt) -> Tile {
        let syms = &self.program.syms;
        let (batches, m, n) = (syms.hint(batches).max(1), syms.hint(m).max(1), syms.hint(n).max(1));
        let count = |t: &Tile| batches * ((m + t.rows - 1) / t.rows) * ((n + t.columns - 1) / t.columns);
        let enough = |t: &&Tile| count(t) >= self.target.multiprocessors as i64;
        // wgmma is Hopper's alone.
        let tiles: &[Tile] = if self.target.arch == 90 { &HOPPER_TILES } else { &TILES };
        *tiles.iter().find(enough).unwrap_or(&tiles[tiles.len() - 1])
    }

    /// Elements that the epilogue takes at once: eight where rows of the result are whole vectors.
    fn epilogue_lanes(&self, n: SymInt) -> i64 {
        let syms = &self.program.syms;
        if syms.as_const(syms.modulo(n, syms.constant(8))) == Some(0) { 8 } else { 1 }
    }

    /// A function that gives an element of an operand.
    fn element(
        &mut self,
        name: &str,
        spaces: &[(&str, &[SymInt])],
        variables: &[(SymInt, &str)],
        operand: ExprId,
        dtype: Dtype,
    ) {
        let ty = cpp::scalar_type(dtype);
        let own = self.program.exprs.dtype(operand);
        self.emitter.open();
        let mut parameters: Vec<String> = Vec::new();
        for (position, sizes) in spaces {
            self.emitter.bind_point(sizes, position);
            parameters.push(format!("i64 {position}"));
        }
        let level = self.emitter.depth();
        for (var, variable) in variables {
            self.emitter.bind(*var, variable, level);
            parameters.push(format!("i64 {variable}"));
        }
        let mut value = self.emitter.value(operand);
        if own != dtype {
            value = self.emitter.convert(value, dtype);
        }
        self.emitter.line(&format!("return {};", value.text));
        self.emitter.close(&format!("const auto {name} = [&]({}) -> {ty}", parameters.join(", ")));
        self.emitter.line(";");
    }

    /// What is done with finished sums at (batch, m, n), the lanes along n.
    fn matrix_epilogue(&mut self, batch: &[SymInt], [m, n]: [SymInt; 2], out: BufferId, dtype: Dtype) {
        let (dims, items) = self.epilogue_items();
        let syms = std::sync::Arc::clone(&self.program.syms);
        let at = batch.len() as u32;
        self.emitter.open();
        self.emitter.line("(void)batch; (void)m; (void)n;");
        self.emitter.bind_point(batch, "batch");
        let level = self.emitter.depth();
        self.emitter.bind(syms.index_var(at, m), "m", level);
        let vars: Vec<SymInt> = dims.iter().enumerate().map(|(k, s)| syms.index_var(k as u32, *s)).collect();
        self.lanes_along(syms.index_var(at + 1, n), "n");
        self.store_epilogue(out, flatten(&syms, &vars, &dims), &items, dtype, "n");
        self.emitter.lanes = None;
        let ty = cpp::scalar_type(dtype);
        self.emitter.close(&format!("const auto epilogue = [&](i64 batch, i64 m, i64 n, const {ty} *sums)"));
        self.emitter.line(";");
    }

    fn lanes_along(&mut self, var: SymInt, name: &str) {
        let level = self.emitter.depth();
        self.emitter.bind(var, name, level);
        if self.lanes > 1
            && let Some(symbol) = self.program.syms.as_symbol(var)
        {
            self.emitter.lanes = Some(Lanes { symbol, count: None });
        }
    }

    /// The template's own result where it is needed in memory (`own` is its offset), then what the epilogue stores.
    fn store_epilogue(&mut self, out: BufferId, own: SymInt, items: &[Item], dtype: Dtype, start: &str) {
        let stored = self.program.buffers[out].dtype;
        let cast = (stored != dtype).then(|| cpp::rounding(stored).unwrap_or(cpp::cast(stored)));
        let sums = Storage::Accumulator { pointer: "sums".into(), start: start.into(), cast };
        self.emitter.storage.insert(out, sums);
        if self.group.writes.contains(&out) {
            let pointer = self.pointer(out);
            let sums = self.emitter.accumulator("sums", start, cast);
            self.emitter.store_text(&pointer, own, sums);
        }
        for item in items {
            if let Item::Store { buffer, offset, value, .. } = item
                && self.group.writes.contains(buffer)
            {
                let pointer = self.pointer(*buffer);
                self.emitter.store(&pointer, *offset, *value);
            }
        }
    }

    // Convolutions: products of the image's patches, which are never written, with the weights.

    fn convolution(mut self, c: &Convolution) -> Kernel {
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

    // Attention.

    fn attention(mut self, a: &Attention) -> Result<Kernel, CodegenError> {
        let program = self.program;
        let syms = &program.syms;
        let Some(width) = syms.as_const(a.value_size).filter(|n| *n <= 512) else {
            return Err(CodegenError {
                operators: self.group.operators.join(", "),
                message: format!(
                    "the CUDA backend keeps a query's result in registers, for values of up to 512 elements, not {}",
                    syms.display(a.value_size)
                ),
            });
        };
        if let Some(heads) = self.rows_of_heads(a) {
            return Ok(self.attention_mma(a, heads, width));
        }
        let dtype = program.exprs.dtype(a.query).compute();
        let ty = cpp::scalar_type(dtype);
        let operands = [
            ("query", a.query, [a.batch, a.heads, a.queries, a.head_size]),
            ("key", a.key, [a.batch, a.kv_heads, a.keys, a.head_size]),
            ("value", a.value, [a.batch, a.kv_heads, a.keys, a.value_size]),
        ];
        for (name, operand, sizes) in operands {
            let vars = program.vars(&sizes);
            let names = [(vars[0], "batch"), (vars[1], "head"), (vars[2], "place"), (vars[3], "d")];
            self.element(name, &[], &names, operand, dtype);
        }
        self.score(a, dtype);
        self.attention_epilogue(a, dtype);
        let sizes = [a.batch, a.heads, a.kv_heads, a.queries, a.keys, a.head_size, a.value_size];
        let sizes: Vec<String> = sizes.into_iter().map(|s| self.emitter.index(s)).collect();
        let scale = cpp::literal(Scalar::Float(a.scale), dtype);
        let (parts, causal, nan) = ((width + 31) / 32, a.causal, a.empty_is_nan);
        self.emitter.line(&format!("const litz_attention_shape shape = {{{}}};", sizes.join(", ")));
        self.emitter.line(&format!(
            "litz_attention_run<{ty}, {parts}, {causal}, {nan}>(shape, {scale}, query, key, value, score, epilogue);"
        ));
        let rows = syms.product(&[a.batch, a.heads, a.queries]);
        let blocks = syms.ceildiv(rows, syms.constant(4));
        let shared = syms.mul_const(a.head_size, 4 * dtype.size() as i64);
        let headers = vec![NativeHeader::CudaAttention];
        Ok(self.finish(Shape { kind: "attention", headers, blocks, threads: 128, shared }))
    }

    /// The operands as rows of neighbouring elements, where they are halves that tensor cores take.
    fn rows_of_heads(&self, a: &Attention) -> Option<[Heads; 3]> {
        let program = self.program;
        let syms = &program.syms;
        let (size, value_size) = (syms.as_const(a.head_size)?, syms.as_const(a.value_size)?);
        let good = |n: i64| n % 16 == 0 && (16..=128).contains(&n);
        if self.target.arch < 80 || !good(size) || !good(value_size) {
            return None;
        }
        let whole = |s: SymInt| syms.as_const(syms.modulo(s, syms.constant(8))) == Some(0);
        let heads = |operand: ExprId, sizes: [SymInt; 4]| -> Option<Heads> {
            let load = reduced_load(program, operand);
            let Expr::Load { buffer, index, data } = &program.exprs[load] else { return None };
            let dtype = program.exprs.dtype(load);
            if !data.is_empty() || !dtype.is_reduced_float() {
                return None;
            }
            let (mut rest, mut strides) = (index[0], Vec::new());
            for var in program.vars(&sizes) {
                let (step, left) = match syms.as_symbol(var) {
                    Some(symbol) => syms.linear_in(rest, symbol)?,
                    None => (syms.constant(0), rest),
                };
                strides.push(step);
                rest = left;
            }
            let rows = strides[..3].iter().all(|s| whole(*s)) && whole(rest);
            (rows && syms.as_const(strides[3]) == Some(1)).then(|| Heads {
                buffer: *buffer,
                dtype,
                offset: rest,
                strides: [strides[0], strides[1], strides[2]],
            })
        };
        let query = heads(a.query, [a.batch, a.heads, a.queries, a.head_size])?;
        let key = heads(a.key, [a.batch, a.kv_heads, a.keys, a.head_size])?;
        let value = heads(a.value, [a.batch, a.kv_heads, a.keys, a.value_size])?;
        (query.dtype == key.dtype && key.dtype == value.dtype).then_some([query, key, value])
    }

    fn attention_mma(mut self, a: &Attention, operands: [Heads; 3], width: i64) -> Kernel {
        let syms = &self.program.syms;
        let size = syms.as_const(a.head_size).expect("tensor cores take known sizes");
        let memory = cpp::memory_type(operands[0].dtype);
        for (name, heads) in ["query", "key", "value"].iter().zip(&operands) {
            let strides: Vec<String> = heads.strides.iter().map(|s| self.emitter.index(*s)).collect();
            let (pointer, offset) = (self.pointer(heads.buffer), self.emitter.index(heads.offset));
            self.emitter.line(&format!(
                "const litz_heads<{memory}> {name} = {{{pointer} + {offset}, {}}};",
                strides.join(", ")
            ));
        }
        self.score(a, Dtype::Float32);
        self.lanes = 8;
        self.emitter.aligned = Some(8);
        self.attention_epilogue(a, Dtype::Float32);
        let syms = &self.program.syms;
        let heads = syms.mul(a.batch, a.heads);
        let blocks_of = |rows: i64| syms.mul(heads, syms.ceildiv(a.queries, syms.constant(rows)));
        let warps = if syms.hint(blocks_of(128)) >= self.target.multiprocessors as i64 { 8 } else { 4 };
        let sizes = [a.batch, a.heads, a.kv_heads, a.queries, a.keys];
        let sizes: Vec<String> = sizes.into_iter().map(|s| self.emitter.index(s)).collect();
        self.emitter.line(&format!("const litz_attention_tiles shape = {{{}}};", sizes.join(", ")));
        let scale = cpp::literal(Scalar::Float(a.scale), Dtype::Float32);
        let (causal, scored, nan) = (a.causal, a.mask.is_some() || a.score.is_some(), a.empty_is_nan);
        self.emitter.line(&format!(
            "litz_attention_mma<{memory}, {warps}, {size}, {width}, {causal}, {scored}, {nan}>(shape, query, key, value, {scale}, score, epilogue);"
        ));
        let (rows, columns) = (warps * 16, |n: i64| (n + 63) / 64 * 128);
        let bytes = rows * columns(size) + 2 * 64 * (columns(size) + columns(width));
        let bytes = bytes.max(rows * (width + 4) * 4);
        let headers = vec![NativeHeader::CudaGemm, NativeHeader::CudaMma, NativeHeader::CudaAttentionMma];
        let (blocks, shared) = (blocks_of(rows), self.program.syms.constant(bytes));
        self.finish(Shape { kind: "attention", headers, blocks, threads: warps * 32, shared })
    }

    /// What the softmax sees of a scaled score.
    fn score(&mut self, a: &Attention, dtype: Dtype) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let ty = cpp::scalar_type(dtype);
        self.emitter.open();
        let level = self.emitter.depth();
        let names = [(a.batch, "batch"), (a.heads, "head"), (a.queries, "place"), (a.keys, "key")];
        for (k, (size, name)) in names.into_iter().enumerate() {
            self.emitter.bind(syms.index_var(k as u32, size), name, level);
        }
        let text = match (a.score, a.mask) {
            (Some(score), _) => {
                let own = self.program.exprs.dtype(score.value);
                self.emitter.storage.insert(score.raw, Storage::Row(Operand::uniform("s")));
                let value = self.emitter.value(score.value);
                if own == dtype { value.text } else { self.emitter.convert(value, dtype).text }
            }
            (None, Some(mask)) => {
                let own = self.program.exprs.dtype(mask);
                let value = self.emitter.value(mask);
                if own == Dtype::Bool {
                    let lowest = cpp::literal(Scalar::Float(f64::NEG_INFINITY), dtype);
                    format!("{} ? s : {lowest}", value.text)
                } else {
                    let value = if own == dtype { value } else { self.emitter.convert(value, dtype) };
                    format!("add(s, {})", value.text)
                }
            }
            (None, None) => "s".to_string(),
        };
        self.emitter.line(&format!("return {text};"));
        self.emitter.close(&format!(
            "const auto score = [&](i64 batch, i64 head, i64 place, i64 key, {ty} s) -> {ty}"
        ));
        self.emitter.line(";");
    }

    fn attention_epilogue(&mut self, a: &Attention, dtype: Dtype) {
        let (_, items) = self.epilogue_items();
        let syms = std::sync::Arc::clone(&self.program.syms);
        let sizes = [a.batch, a.heads, a.queries, a.value_size];
        self.emitter.open();
        let level = self.emitter.depth();
        for (k, name) in ["batch", "head", "place"].into_iter().enumerate() {
            self.emitter.bind(syms.index_var(k as u32, sizes[k]), name, level);
        }
        let strides = &self.program.buffers[a.out].strides;
        let terms: Vec<SymInt> = a.place.iter().zip(strides).map(|(v, s)| syms.mul(*v, *s)).collect();
        self.lanes_along(syms.index_var(3, a.value_size), "d");
        self.store_epilogue(a.out, syms.sum(&terms), &items, dtype, "d");
        self.emitter.lanes = None;
        let ty = cpp::scalar_type(dtype);
        self.emitter.close(&format!(
            "const auto epilogue = [&](i64 batch, i64 head, i64 place, i64 d, const {ty} *sums)"
        ));
        self.emitter.line(";");
    }
}

/// The dtype that a product of operands of this dtype is summed in.
fn computed_in(dtype: Dtype) -> Dtype {
    match dtype {
        Dtype::Float32 | Dtype::Float64 | Dtype::Int32 | Dtype::Int64 => dtype,
        d if d.is_float() => Dtype::Float32,
        _ => Dtype::Int64,
    }
}
