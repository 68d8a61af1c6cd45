//! Matrix products.
//!
//! Half and bfloat go to the tensor cores where the operands' layout allows whole chunks of 16 bytes; everything else
//! goes through a template that asks for elements one by one.

use super::super::{Kernel, NativeHeader, cpp};
use super::function::Launch;
use super::template::{Shape, Template};
use crate::loops::access::flatten;
use crate::loops::uses::reduced_load;
use crate::loops::{BufferId, Expr, ExprId, NodeKind};
use crate::schedule::{Strided, strided_matrix};
use crate::templates::fma;
use crate::templates::mma::{HOPPER_TILES, TILES, Tile};
use crate::types::{Dtype, SymInt};

/// An operand of a product that is read in chunks of 16 bytes.
pub(super) enum ChunkOperand {
    /// Neighbours in k, each row beginning at an offset of its own.
    Rows { buffer: BufferId, dtype: Dtype, at: SymInt },
    /// Neighbours in the rows.
    Transposed(Strided),
}

impl ChunkOperand {
    pub(super) fn dtype(&self) -> Dtype {
        match self {
            ChunkOperand::Rows { dtype, .. } => *dtype,
            ChunkOperand::Transposed(matrix) => matrix.dtype,
        }
    }
}

/// The beginning of the name of a tile's function.
pub(super) fn tile_template(tile: &Tile, memory: &str) -> String {
    let Tile { wgmma, rows, columns, down, across, stages } = *tile;
    if wgmma {
        format!("litz_wgmma_run<{memory}, {}, {columns}, {stages}", rows / 64)
    } else {
        format!("litz_mma_run<{memory}, {rows}, {columns}, {down}, {across}, {stages}")
    }
}

impl Template<'_> {
    pub(super) fn gemm(mut self) -> Kernel {
        let program = self.program;
        let syms = &program.syms;
        let NodeKind::Gemm { batch, m, n, k, a, b, out } = program.nodes[self.node].kind.clone() else {
            unreachable!("a matrix product's node is one")
        };
        let dtype = computed_in(program.exprs.dtype(a));
        let at = batch.len() as u32;
        let [mv, nv, kv] = [syms.index_var(at, m), syms.index_var(at + 1, n), syms.index_var(at + 2, k)];
        let batches = syms.product(&batch);
        let left = self.chunk_operand(&batch, [mv, kv], [m, k], a);
        let right = self.chunk_operand(&batch, [nv, kv], [n, k], b);
        let chunks = left.zip(right).filter(|(left, right)| left.dtype() == right.dtype());
        let sizes = [batches, m, n, k];
        if let Some((left, right)) = &chunks
            && let Some(thin) = self.few_rows(sizes, [left, right])
        {
            let (left, right) = chunks.expect("both operands were found");
            return self.gemv(&batch, sizes, out, [left, right], thin);
        }
        if let Some(operands) = self.tma_operands(&batch, [mv, nv, kv], [a, b]) {
            return self.gemm_tma(&batch, sizes, out, operands);
        }
        if let Some((left, right)) = chunks
            && left.dtype().is_reduced_float()
            && self.target.arch >= 80
        {
            return self.mma(&batch, sizes, out, [left, right]);
        }
        let ty = cpp::scalar_type(dtype);
        self.element("left", &[("batch", &batch)], &[(mv, "m"), (kv, "k")], a, dtype);
        self.element("right", &[("batch", &batch)], &[(nv, "n"), (kv, "k")], b, dtype);
        self.matrix_epilogue(&batch, [m, n], out, dtype);
        let sizes: Vec<String> = [batches, m, n, k].into_iter().map(|s| self.emitter.index_text(s)).collect();
        self.emitter.line(&format!("const litz_gemm_shape shape = {{{}}};", sizes.join(", ")));
        self.emitter.line(&format!("litz_gemm_run<{ty}>(shape, left, right, epilogue);"));
        let tiles = |size: SymInt| syms.ceildiv(size, syms.constant(fma::SIDE));
        let blocks = syms.mul(batches, syms.mul(tiles(m), tiles(n)));
        let headers = vec![NativeHeader::CudaGemm];
        self.finish(Shape {
            kind: "gemm",
            headers,
            blocks,
            launch: Launch::block(fma::THREADS),
            shared: syms.constant(0),
        })
    }

    /// An operand that is read in whole chunks of 16 bytes.
    fn chunk_operand(
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
        if !data.is_empty() || !(dtype.is_reduced_float() || dtype == Dtype::Float32) {
            return None;
        }
        let chunk = 16 / dtype.size() as i64;
        let whole = |s: SymInt| syms.as_const(syms.modulo(s, syms.constant(chunk))) == Some(0);
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
        let sizes: Vec<String> = [batches, m, n, k].into_iter().map(|s| self.emitter.index_text(s)).collect();
        self.declare_operands(batch, [m, n, k], &operands);
        self.lanes = self.epilogue_lanes(n);
        self.emitter.aligned = Some(self.lanes);
        self.matrix_epilogue(batch, [m, n], out, Dtype::Float32);
        self.emitter.line(&format!("const litz_gemm_shape shape = {{{}}};", sizes.join(", ")));
        let tile = self.tile(batches, m, n);
        let [left_order, right_order] = operands.map(|o| matches!(o, ChunkOperand::Transposed(_)));
        let template = tile_template(&tile, memory);
        self.emitter
            .line(&format!("{template}, {left_order}, {right_order}>(shape, left, right, epilogue);"));
        self.finish_mma("gemm", batches, m, n, tile)
    }

    /// `left` and `right` as what gives chunks.
    pub(super) fn declare_operands(
        &mut self,
        batch: &[SymInt],
        [m, n, k]: [SymInt; 3],
        operands: &[ChunkOperand; 2],
    ) {
        let at = batch.len() as u32;
        for (place, (name, operand)) in ["left", "right"].iter().zip(operands).enumerate() {
            let rows = [m, n][place];
            let memory = cpp::memory_type(operand.dtype());
            let fields = [rows, k].map(|s| self.emitter.index_text(s)).join(", ");
            match operand {
                ChunkOperand::Rows { buffer, at: offset, .. } => {
                    let pointer = self.pointer(*buffer);
                    self.emitter.open();
                    self.emitter.line("(void)batch; (void)row;");
                    self.emitter.bind_point(batch, "batch");
                    let (var, level) =
                        (self.program.syms.index_var(at + place as u32, rows), self.emitter.depth());
                    self.emitter.bind(var, "row", level);
                    let text = self.emitter.index_text(*offset);
                    self.emitter.line(&format!("return {text};"));
                    self.emitter.close(&format!("const auto {name}_at = [&](i64 batch, i64 row) -> i64"));
                    self.emitter.line(";");
                    self.emitter.line(&format!(
                        "const litz_rows<{memory}, decltype({name}_at)> {name} = {{{pointer}, {name}_at, {fields}}};"
                    ));
                }
                ChunkOperand::Transposed(matrix) => {
                    let [batch_stride, _, stride] = matrix.strides;
                    let strides = [batch_stride, stride].map(|s| self.emitter.index_text(s)).join(", ");
                    let (pointer, offset) =
                        (self.pointer(matrix.buffer), self.emitter.index_text(matrix.offset));
                    self.emitter.line(&format!(
                        "const litz_matrix<{memory}> {name} = {{{pointer} + {offset}, {strides}, {fields}}};"
                    ));
                }
            }
        }
    }

    pub(super) fn finish_mma(
        self,
        kind: &'static str,
        batches: SymInt,
        m: SymInt,
        n: SymInt,
        tile: Tile,
    ) -> Kernel {
        let syms = &self.program.syms;
        let tiles = |size: SymInt, by: i64| syms.ceildiv(size, syms.constant(by));
        let blocks = syms.mul(batches, syms.mul(tiles(m, tile.rows), tiles(n, tile.columns)));
        let shared = syms.constant(tile.bytes());
        let mut headers = vec![NativeHeader::CudaGemm, NativeHeader::CudaMma];
        headers.extend(tile.wgmma.then_some(NativeHeader::CudaWgmma));
        headers.extend((kind == "convolution").then_some(NativeHeader::CudaConvolution));
        let launch = Launch::block(tile.threads());
        self.finish(Shape { kind, headers, blocks, launch, shared })
    }

    /// The largest tile of which there are enough for the machine.
    pub(super) fn tile(&self, batches: SymInt, m: SymInt, n: SymInt) -> Tile {
        let syms = &self.program.syms;
        let (batches, m, n) = (syms.hint(batches).max(1), syms.hint(m).max(1), syms.hint(n).max(1));
        let count = |t: &Tile| batches * ((m + t.rows - 1) / t.rows) * ((n + t.columns - 1) / t.columns);
        // Of columns beyond the last nothing comes.
        let filled = |t: &Tile| t.columns < 2 * n.max(33);
        let enough = |t: &&Tile| filled(t) && count(t) >= self.target.multiprocessors as i64;
        // wgmma is Hopper's alone.
        let tiles: &[Tile] = if self.target.arch == 90 { &HOPPER_TILES } else { &TILES };
        *tiles.iter().find(enough).unwrap_or(&tiles[tiles.len() - 1])
    }

    /// Elements that the epilogue takes at once: eight where rows of the result are whole vectors.
    pub(super) fn epilogue_lanes(&self, n: SymInt) -> i64 {
        let syms = &self.program.syms;
        if syms.as_const(syms.modulo(n, syms.constant(8))) == Some(0) { 8 } else { 1 }
    }

    /// What is done with finished sums at (batch, m, n), the lanes along n.
    pub(super) fn matrix_epilogue(
        &mut self,
        batch: &[SymInt],
        [m, n]: [SymInt; 2],
        out: BufferId,
        dtype: Dtype,
    ) {
        let items = self.epilogue_items().1;
        let own = self.own_offset();
        self.open_epilogue(batch, [m, n], "n");
        self.store_epilogue(out, own, &items, dtype, "n");
        self.close_epilogue(dtype, "");
    }

    /// Where the product's own result lies in its buffer, element by element.
    pub(super) fn own_offset(&self) -> SymInt {
        let syms = &self.program.syms;
        let dims = self.epilogue_items().0;
        let vars: Vec<SymInt> = dims.iter().enumerate().map(|(k, s)| syms.index_var(k as u32, *s)).collect();
        flatten(syms, &vars, &dims)
    }

    /// Begins the epilogue, with lanes along `m` or `n`.
    pub(super) fn open_epilogue(&mut self, batch: &[SymInt], [m, n]: [SymInt; 2], along: &str) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let at = batch.len() as u32;
        self.emitter.open();
        self.emitter.line("(void)batch; (void)m; (void)n;");
        self.emitter.bind_point(batch, "batch");
        let level = self.emitter.depth();
        for (var, name) in [(syms.index_var(at, m), "m"), (syms.index_var(at + 1, n), "n")] {
            if name == along {
                self.lanes_along(var, name);
            } else {
                self.emitter.bind(var, name, level);
            }
        }
    }

    pub(super) fn close_epilogue(&mut self, dtype: Dtype, gives: &str) {
        self.emitter.lanes = None;
        let ty = cpp::scalar_type(dtype);
        self.emitter
            .close(&format!("const auto epilogue = [&](i64 batch, i64 m, i64 n, const {ty} *sums){gives}"));
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
