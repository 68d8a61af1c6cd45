//! Matrix products on Hopper: operands come through the copy engine, a warpgroup of their own asks for them, and the
//! others multiply (`native/cuda/gemm_tma.h`).
//!
//! Takes halves whose rows, or whose columns, are neighbours in memory and begin at multiples of 16 bytes, and float32
//! whose rows are, where it may be rounded to TF32; sizes are free. Deliberately absent: operands that are computed, and those that a stride of 0 repeats along their rows.

use super::super::{Kernel, NativeHeader, TensorMap, cpp};
use super::template::{Shape, Template};
use super::writer::Launch;
use crate::loops::{BufferId, Expr, ExprId, NodeKind, UnaryOp};
use crate::schedule::{Item, chosen, reduced_load};
use crate::target::Choice;
use crate::types::{Dtype, SymInt, SymbolKind};

/// How a product is cut up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Warpgroups that multiply, and the blocks of 64 rows that each has.
    pub groups: i64,
    pub blocks: i64,
    pub columns: i64,
    /// Steps of k in flight.
    pub stages: i64,
    /// Blocks of a cluster: down the rows and across the columns of the result. They share what they read.
    pub down: i64,
    pub across: i64,
    /// Blocks of a cluster that share one tile, each with a part of k.
    pub split: i64,
    /// Steps that the first warpgroup runs ahead of the others, where they share a tile.
    pub skew: i64,
    /// Warpgroups take tiles in turn, the end of one beside the products of the other; otherwise they share one.
    pub in_turn: bool,
}

impl Tile {
    pub fn rows(&self) -> i64 {
        self.blocks * 64 * if self.in_turn { 1 } else { self.groups }
    }
    pub fn cluster(&self) -> i64 {
        self.down * self.across * self.split
    }
    fn threads(&self) -> i64 {
        (self.groups + 1) * 128
    }
    fn bytes(&self) -> i64 {
        (self.rows() + self.columns) * STEP * self.stages
    }

    /// About how long a product takes, in the clocks of a multiprocessor, where an element has `item` bytes (those of float32
    /// take twice as long as halves) and finishing one takes so many instructions (`work`); the numbers are an H200's.
    pub(super) fn clocks(
        &self,
        [batches, m, n, k]: [i64; 4],
        item: i64,
        multiprocessors: i64,
        work: i64,
    ) -> i64 {
        let up = |n: i64, by: i64| (n + by - 1) / by;
        let (rows, columns) = (self.rows(), self.columns);
        let clusters = batches * up(m, rows * self.down) * up(n, columns * self.across);
        let waves = up(clusters, (multiprocessors / self.cluster()).max(1));
        let steps = up(up(k * item, STEP), self.split);
        // Narrow tiles read more shared memory for each product.
        let products = rows * columns / 32 * if columns < 192 { 107 } else { 100 } / 100;
        let read = (rows / self.across + columns / self.down) * STEP;
        // One warpgroup alone waits for what it computes.
        let at_once = match (self.in_turn, self.groups, self.blocks) {
            (false, 2, _) => 80,
            (true, _, 2) => 45,
            _ => 36,
        };
        let finish = rows * columns * work / at_once;
        if self.in_turn {
            let turns = if self.blocks == 1 { 130 } else { 105 };
            let main = steps * (products * turns / 100).max(read / 58);
            waves * main.max((main + finish) / 2) + finish
        } else {
            waves * (steps * products.max(read / 62) + finish + if self.split > 1 { 4000 } else { 0 })
        }
    }
}

/// Bytes of k in one step, as the native header has it.
const STEP: i64 = 128;

impl Tile {
    const fn together(groups: i64, blocks: i64, columns: i64, stages: i64) -> Tile {
        Tile { groups, blocks, columns, stages, down: 1, across: 1, split: 1, skew: 0, in_turn: false }
    }
    const fn in_turn(blocks: i64, columns: i64, stages: i64) -> Tile {
        Tile { in_turn: true, ..Tile::together(2, blocks, columns, stages) }
    }
    const fn down(self, down: i64) -> Tile {
        Tile { down, ..self }
    }
    const fn split(self, split: i64) -> Tile {
        Tile { split, ..self }
    }
    const fn skew(self, skew: i64) -> Tile {
        Tile { skew, ..self }
    }
}

/// What a product may be cut into: what was the fastest for some size, of all shapes that fit, on an H200.
const TILES: [Tile; 14] = [
    Tile::together(2, 1, 256, 4).down(2).skew(3),
    Tile::in_turn(2, 192, 5),
    Tile::together(2, 1, 192, 5),
    Tile::together(2, 1, 192, 5).down(2),
    Tile::in_turn(1, 192, 6),
    Tile::in_turn(1, 192, 6).down(2),
    Tile::together(2, 1, 128, 6).down(2),
    Tile::together(2, 1, 128, 6).split(2),
    Tile::together(2, 1, 128, 4).split(4),
    Tile::together(2, 1, 64, 6),
    Tile::together(1, 1, 128, 6),
    Tile::together(1, 1, 128, 6).split(2),
    Tile::together(1, 1, 64, 8),
    Tile::together(1, 1, 64, 8).split(2),
];

/// An operand as the copy engine sees it.
struct Boxed {
    buffer: BufferId,
    dtype: Dtype,
    offset: SymInt,
    /// Rows are neighbours, instead of k.
    transposed: bool,
    /// Of rows, or of k where it is transposed.
    stride: SymInt,
    /// Dimensions of the batch that it has, and their strides.
    batch: Vec<(usize, SymInt)>,
}

impl Template<'_> {
    /// The product's kernel, where the copy engine can bring both operands.
    pub(super) fn tma_operands(
        &self,
        batch: &[SymInt],
        vars: [SymInt; 3],
        operands: [ExprId; 2],
    ) -> Option<Operands> {
        if self.target.arch != 90 {
            return None;
        }
        let [row, column, depth] = vars;
        let left = self.boxed(batch, [row, depth], operands[0])?;
        let right = self.boxed(batch, [column, depth], operands[1])?;
        (left.dtype == right.dtype).then_some(Operands([left, right]))
    }

    fn boxed(&self, batch: &[SymInt], [row, depth]: [SymInt; 2], operand: ExprId) -> Option<Boxed> {
        let program = self.program;
        let syms = &program.syms;
        let load = reduced_load(program, operand);
        let Expr::Load { buffer, index, data } = &program.exprs[load] else { return None };
        let dtype = program.exprs.dtype(load);
        let tf32 = dtype == Dtype::Float32 && self.target.vendor.tf32;
        if !data.is_empty() || !(dtype.is_reduced_float() || tf32) {
            return None;
        }
        let chunk = syms.constant(16 / dtype.size() as i64);
        let whole = |s: SymInt| syms.as_const(syms.modulo(s, chunk)) == Some(0);
        // A dimension of one element has no variable; any stride is right then.
        let mut rest = index[0];
        let mut step = |var: SymInt| -> Option<Option<SymInt>> {
            let Some(symbol) = syms.as_symbol(var) else { return Some(None) };
            let (step, left) = syms.linear_in(rest, symbol)?;
            rest = left;
            Some(Some(step))
        };
        let (row_step, depth_step) = (step(row)?, step(depth)?);
        let mut dimensions = Vec::new();
        for (d, size) in batch.iter().enumerate() {
            match step(syms.index_var(d as u32, *size))? {
                Some(stride) if syms.as_const(stride) == Some(0) => {}
                Some(stride) => dimensions.push((d, stride)),
                None => {}
            }
        }
        let is = |s: Option<SymInt>, n: i64| s.is_none_or(|s| syms.as_const(s) == Some(n));
        let transposed = !is(depth_step, 1);
        let stride = if transposed { depth_step } else { row_step };
        let unit = if transposed { row_step } else { depth_step };
        let stride = stride.unwrap_or(chunk);
        let of_indices = |s: SymInt| {
            syms.symbols(s).iter().any(|v| matches!(syms.symbol_kind(*v), SymbolKind::Index { .. }))
        };
        let strides = dimensions.iter().map(|d| d.1).chain([stride]);
        // Tensor cores take no transposed operands of float32.
        let good = is(unit, 1)
            && !(tf32 && transposed)
            && syms.range(stride).min > 0
            && strides.chain([rest]).all(|s| whole(s) && !of_indices(s))
            && dimensions.len() <= 3;
        good.then_some(Boxed { buffer: *buffer, dtype, offset: rest, transposed, stride, batch: dimensions })
    }

    pub(super) fn gemm_tma(
        mut self,
        batch: &[SymInt],
        [batches, m, n, k]: [SymInt; 4],
        out: BufferId,
        operands: Operands,
    ) -> Kernel {
        let Operands([left, right]) = operands;
        let tile = self.tma_tile([batches, m, n, k], left.dtype);
        let memory = cpp::memory_type(left.dtype);
        let orders = [left.transposed, right.transposed];
        self.fetch("left", batch, [m, k], &left, tile.rows() / tile.across);
        self.fetch("right", batch, [n, k], &right, tile.columns / tile.down);
        self.lanes = self.epilogue_lanes(n);
        self.emitter.aligned = Some(self.lanes);
        self.matrix_epilogue(batch, [m, n], out, Dtype::Float32);
        self.finish_tma("gemm", tile, memory, [batches, m, n, k], orders)
    }

    /// The call of the template, whose operands' boxes and epilogue are written, and what surrounds it.
    pub(super) fn finish_tma(
        mut self,
        kind: &'static str,
        tile: Tile,
        memory: &str,
        [batches, m, n, k]: [SymInt; 4],
        [left_order, right_order]: [bool; 2],
    ) -> Kernel {
        let sizes: Vec<String> = [batches, m, n, k].into_iter().map(|s| self.emitter.index(s)).collect();
        self.emitter.line(&format!("const litz_gemm_shape shape = {{{}}};", sizes.join(", ")));
        let Tile { groups, blocks, columns, stages, down, across, split, skew, in_turn } = tile;
        self.emitter.line("litz_map_prefetch(t0);");
        self.emitter.line("litz_map_prefetch(t1);");
        self.emitter.line(&format!(
            "litz_tma_run<{memory}, {groups}, {blocks}, {columns}, {stages}, {down}, {across}, {split}, {skew}, {in_turn}, {left_order}, {right_order}>(shape, left, right, epilogue);"
        ));
        let syms = &self.program.syms;
        let count = |size: SymInt, by: i64| syms.ceildiv(size, syms.constant(by));
        let tiles = syms.mul(count(m, tile.rows() * down), count(n, columns * across));
        let at_once = syms.constant((self.target.multiprocessors as i64 / tile.cluster()).max(1));
        let tiles = syms.mul(batches, tiles);
        // Blocks that share a tile have that one only.
        let clusters = if split > 1 { tiles } else { syms.min(tiles, at_once) };
        let headers = vec![
            NativeHeader::CudaGemm,
            NativeHeader::CudaTma,
            NativeHeader::CudaWgmma,
            NativeHeader::CudaGemmTma,
        ];
        let (blocks, shared) = (syms.mul_const(clusters, tile.cluster()), syms.constant(tile.bytes()));
        let launch = Launch { threads: tile.threads(), cluster: tile.cluster(), resident: 1 };
        self.finish(Shape { kind, headers, blocks, launch, shared })
    }

    /// A function that asks for a box of an operand: `inner` and `outer` are k and rows, the other way round where it
    /// is transposed.
    fn fetch(&mut self, name: &str, batch: &[SymInt], [rows, k]: [SymInt; 2], operand: &Boxed, share: i64) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let dimensions = || operand.batch.iter().map(|(d, _)| *d);
        let sizes = if operand.transposed { [rows, k] } else { [k, rows] };
        let strides = [syms.constant(1), operand.stride];
        let depth = STEP / operand.dtype.size() as i64;
        let box_rows = if operand.transposed { depth } else { share };
        let rank = 2 + operand.batch.len();
        let map = self.map(TensorMap {
            buffer: operand.buffer,
            offset: operand.offset,
            sizes: sizes.into_iter().chain(dimensions().map(|d| batch[d])).collect(),
            strides: strides.into_iter().chain(operand.batch.iter().map(|b| b.1)).collect(),
            boxes: [depth as u32, box_rows as u32].into_iter().chain(dimensions().map(|_| 1)).collect(),
            steps: vec![1; rank],
            swizzle: 128,
            tf32: operand.dtype == Dtype::Float32,
        });
        self.emitter.open();
        self.emitter.line("(void)batch;");
        self.emitter.bind_point(batch, "batch");
        let mut coordinates = vec!["inner".to_string(), "outer".to_string()];
        for d in dimensions() {
            let at = self.emitter.index(syms.index_var(d as u32, batch[d]));
            coordinates.push(format!("(int)({at})"));
        }
        let coordinates = coordinates.join(", ");
        self.emitter.line(&format!("if (mask) litz_fetch_shared(to, {map}, barrier, mask, {coordinates});"));
        self.emitter.line(&format!("else litz_fetch(to, {map}, barrier, {coordinates});"));
        self.emitter.close(&format!(
            "const auto {name} = [&](u32 to, u32 barrier, u16 mask, i64 batch, int inner, int outer)"
        ));
        self.emitter.line(";");
    }

    /// What was chosen for the product, or what is likely the fastest.
    fn tma_tile(&self, sizes: [SymInt; 4], dtype: Dtype) -> Tile {
        let tiles = self.tma_tiles(sizes, dtype);
        let chosen = match chosen(self.program, self.target, self.node) {
            Some(Choice::Tile(name)) => tiles.iter().find(|t| t.to_string() == *name),
            _ => None,
        };
        *chosen.unwrap_or(&tiles[0])
    }

    /// The tiles that the product can be cut into, from what is likely the fastest to the slowest.
    fn tma_tiles(&self, [batches, m, n, k]: [SymInt; 4], dtype: Dtype) -> Vec<Tile> {
        let syms = &self.program.syms;
        let sizes = [batches, m, n, k].map(|s| syms.hint(s).max(1));
        let mut tiles: Vec<Tile> = self.tiles_that_fit().collect();
        let work = self.epilogue_work();
        let (item, multiprocessors) = (dtype.size() as i64, self.target.multiprocessors as i64);
        tiles.sort_by_key(|t| t.clocks(sizes, item, multiprocessors, work));
        tiles
    }

    pub(super) fn tiles_that_fit(&self) -> impl Iterator<Item = Tile> {
        let most = self.target.shared_bytes as i64 - 1024;
        TILES.into_iter().filter(move |t| t.bytes() <= most)
    }

    /// About how many instructions the epilogue has for an element of the result.
    pub(super) fn epilogue_work(&self) -> i64 {
        /// Bringing neighbours together, rounding and storing.
        const LEAST: i64 = 11;
        let exprs = &self.program.exprs;
        let values: Vec<ExprId> = self.epilogue_items().1.iter().map(Item::value).collect();
        let one = |expr: ExprId| match &exprs[expr] {
            Expr::Load { .. } => 2,
            Expr::Unary(UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sqrt | UnaryOp::Rsqrt, _) => 2,
            Expr::Unary(UnaryOp::Exp | UnaryOp::Sigmoid, _) => 14,
            Expr::Unary(..) => 24,
            Expr::Constant(..) => 0,
            _ => 1,
        };
        LEAST + exprs.postorder(&values).into_iter().map(one).sum::<i64>()
    }

    /// The names of the tiles that the product can be cut into, the likely fastest first; none where it has no choice.
    pub(super) fn tile_names(&self) -> Vec<String> {
        let program = self.program;
        let syms = &program.syms;
        let NodeKind::Gemm { batch, m, n, k, a, b, .. } = &program.nodes[self.node].kind else {
            return Vec::new();
        };
        let at = batch.len() as u32;
        let vars = [syms.index_var(at, *m), syms.index_var(at + 1, *n), syms.index_var(at + 2, *k)];
        if syms.hint(*m).min(syms.hint(*n)) < LEAST_TO_CHOOSE {
            return Vec::new();
        }
        let Some(Operands([left, _])) = self.tma_operands(batch, vars, [*a, *b]) else { return Vec::new() };
        let tiles = self.tma_tiles([syms.product(batch), *m, *n, *k], left.dtype);
        tiles.iter().map(Tile::to_string).collect()
    }
}

/// Products of fewer rows or columns have a kernel of their own, or nothing to gain.
const LEAST_TO_CHOOSE: i64 = 16;

impl std::fmt::Display for Tile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}, {} stages", self.rows(), self.columns, self.stages)?;
        if self.down * self.across > 1 {
            write!(f, ", clusters of {}x{}", self.down, self.across)?;
        }
        if self.split > 1 {
            write!(f, ", k in {} parts", self.split)?;
        }
        if self.in_turn { write!(f, ", in turn") } else { write!(f, ", {} together", self.groups) }
    }
}

/// Both operands of a product.
pub(super) struct Operands([Boxed; 2]);
