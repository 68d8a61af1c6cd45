//! Matrix products on Hopper: operands come through the copy engine, a warpgroup of their own asks for them, and the
//! others multiply (`native/cuda/gemm_tma.h`).
//!
//! Takes halves whose rows, or whose columns, are neighbours in memory and begin at multiples of 16 bytes, and float32
//! whose rows are, where it may be rounded to TF32; sizes are free. Deliberately absent: operands that are computed, and those that a stride of 0 repeats along their rows.

use super::super::{Kernel, NativeHeader, TensorMap, cpp};
use super::function::Launch;
use super::template::{Shape, Template};
use crate::base::StableSort;
use crate::loops::uses::reduced_load;
use crate::loops::{BufferId, Expr, ExprId, NodeKind, UnaryOp};
use crate::mapping::emit::Spelled;
use crate::schedule::{Item, chosen};
use crate::target::Choice;
use crate::templates::tma::{BOX, End, Exchange, RESERVED, STEP, TILES, Tile, eights};
use crate::templates::{self, Candidate};
use crate::types::{Dtype, SymInt, SymbolKind};

/// How a product's kernel is made: of what memory, with so many boxes of the result for each warpgroup, and whether rows of tiles
/// are its columns.
pub(super) struct Cut<'a> {
    pub(super) tile: Tile,
    pub(super) memory: &'a str,
    pub(super) boxes: i64,
    pub(super) exchanged: bool,
}

/// What an offset is made of: steps along two variables (none where one has a single value), along dimensions of the batch, and the rest.
struct Affine {
    steps: [Option<SymInt>; 2],
    batch: Vec<(usize, SymInt)>,
    rest: SymInt,
}

/// What the copy engine stores, and its value where that is not the product itself.
struct Stored {
    result: Boxed,
    value: Option<ExprId>,
    exchange: Exchange,
}

/// A matrix as the copy engine sees it.
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
        let Affine { steps: [row_step, depth_step], batch: dimensions, rest } =
            self.affine(index[0], batch, [row, depth])?;
        let is = |s: Option<SymInt>, n: i64| s.is_none_or(|s| syms.as_const(s) == Some(n));
        let transposed = !is(depth_step, 1);
        let stride = if transposed { depth_step } else { row_step };
        let unit = if transposed { row_step } else { depth_step };
        let stride = stride.unwrap_or(chunk);
        let strides = dimensions.iter().map(|d| d.1).chain([stride]);
        // Tensor cores take no transposed operands of float32.
        let good = is(unit, 1)
            && !(tf32 && transposed)
            && syms.range(stride).min > 0
            && strides.chain([rest]).all(|s| whole(s) && !self.of_indices(s))
            && dimensions.len() <= 3;
        good.then_some(Boxed { buffer: *buffer, dtype, offset: rest, transposed, stride, batch: dimensions })
    }

    /// An offset as a sum of what a step along each of two variables and each dimension of the batch adds.
    fn affine(&self, offset: SymInt, batch: &[SymInt], vars: [SymInt; 2]) -> Option<Affine> {
        let syms = &self.program.syms;
        // A dimension of one element has no variable; any stride is right then.
        let mut rest = offset;
        let mut step = |var: SymInt| -> Option<Option<SymInt>> {
            let Some(symbol) = syms.as_symbol(var) else { return Some(None) };
            let (step, left) = syms.linear_in(rest, symbol)?;
            rest = left;
            Some(Some(step))
        };
        let steps = [step(vars[0])?, step(vars[1])?];
        let mut dimensions = Vec::new();
        for (d, size) in batch.iter().enumerate() {
            match step(syms.index_var(d as u32, *size))? {
                Some(stride) if syms.as_const(stride) == Some(0) => {}
                Some(stride) => dimensions.push((d, stride)),
                None => {}
            }
        }
        Some(Affine { steps, batch: dimensions, rest })
    }

    fn of_indices(&self, s: SymInt) -> bool {
        let syms = &self.program.syms;
        syms.symbols(s).iter().any(|v| matches!(syms.symbol_kind(*v), SymbolKind::Index { .. }))
    }

    /// The result, where it is all that is stored and the copy engine can do that: halves whose rows are neighbours and begin at
    /// multiples of 16 bytes. What the epilogue reads must not be matrices, whose pairs of elements would be read one by one.
    fn stored(
        &self,
        batch: &[SymInt],
        [m, n]: [SymInt; 2],
        out: BufferId,
        transposed: [bool; 2],
    ) -> Option<Stored> {
        let (program, syms) = (self.program, &self.program.syms);
        let [buffer] = self.group.writes[..] else { return None };
        let dtype = program.buffers[buffer].dtype;
        let mut stores = self.epilogue_items().1.into_iter().filter_map(|item| match item {
            Item::Store { buffer: to, offset, value, .. } if to == buffer => Some((offset, Some(value))),
            _ => None,
        });
        let (offset, value) = match buffer == out {
            true => (self.own_offset(), None),
            false => stores.next()?,
        };
        let at = batch.len() as u32;
        let (row, column) = (syms.index_var(at, m), syms.index_var(at + 1, n));
        let Affine { steps: [row_step, unit], batch: dimensions, rest } =
            self.affine(offset, batch, [row, column])?;
        let chunk = syms.constant(8);
        let whole = |s: SymInt| syms.as_const(syms.modulo(s, chunk)) == Some(0);
        let stride = row_step.unwrap_or(chunk);
        let strides = dimensions.iter().map(|d| d.1).chain([stride]);
        let depends = |s: SymInt, var: SymInt| syms.as_symbol(var).is_some_and(|v| syms.depends_on(s, v));
        let values: Vec<ExprId> = value.into_iter().collect();
        let matrices = program.exprs.postorder(&values).into_iter().any(|e| match &program.exprs[e] {
            Expr::Load { buffer, index, data } if *buffer != out => {
                !data.is_empty() || index.iter().any(|i| depends(*i, row) && depends(*i, column))
            }
            Expr::Check { .. } => true,
            _ => false,
        });
        let good = dtype.is_reduced_float()
            && stores.next().is_none()
            && unit.and_then(|s| syms.as_const(s)) == Some(1)
            && whole(n)
            && syms.range(stride).min > 0
            && strides.chain([rest]).all(|s| whole(s) && !self.of_indices(s))
            && dimensions.len() <= 3
            && !matrices;
        let result = Boxed { buffer, dtype, offset: rest, transposed: false, stride, batch: dimensions };
        let even = syms.as_const(syms.modulo(m, syms.constant(2))) == Some(0);
        let exchange = match transposed {
            [false, true] if even => Exchange::Better,
            [false, false] if even => Exchange::Possible,
            _ => Exchange::Impossible,
        };
        good.then_some(Stored { result, value, exchange })
    }

    pub(super) fn gemm_tma(
        mut self,
        batch: &[SymInt],
        [batches, m, n, k]: [SymInt; 4],
        out: BufferId,
        operands: Operands,
    ) -> Kernel {
        let Operands([left, right]) = operands;
        let stored = self.stored(batch, [m, n], out, [left.transposed, right.transposed]);
        let tile = self.tma_tile([batches, m, n, k], left.dtype, stored.as_ref());
        let boxes = if stored.is_some() { tile.boxes(self.target.shared_bytes as i64) } else { 0 };
        let stored = stored.filter(|_| boxes > 0);
        let exchanged = stored.as_ref().is_some_and(|s| tile.exchanges(s.exchange));
        let (left, right, rows, columns) = if exchanged { (right, left, n, m) } else { (left, right, m, n) };
        let memory = cpp::memory_type(left.dtype);
        let orders = [left.transposed, right.transposed];
        self.fetch("left", batch, [rows, k], &left, tile.rows() / tile.across);
        self.fetch("right", batch, [columns, k], &right, eights(tile.columns, tile.columns / tile.down));
        match stored {
            Some(stored) => {
                self.boxed_epilogue(batch, [m, n], out, &stored, exchanged, tile.columns);
            }
            None => {
                self.lanes = self.epilogue_lanes(n);
                self.emitter.aligned = Some(self.lanes);
                self.matrix_epilogue(batch, [m, n], out, Dtype::Float32);
            }
        }
        let cut = Cut { tile, memory, boxes, exchanged };
        self.finish_tma("gemm", cut, [batches, rows, columns, k], orders)
    }

    /// The call of the template, whose operands' boxes and epilogue are written, and what surrounds it.
    pub(super) fn finish_tma(
        mut self,
        kind: &'static str,
        Cut { tile, memory, boxes, exchanged }: Cut<'_>,
        [batches, rows, columns, k]: [SymInt; 4],
        [left_order, right_order]: [bool; 2],
    ) -> Kernel {
        if boxes == 0 {
            self.emitter.line("const auto result = [](u32, i64, int, int) {};");
        }
        let sizes: Vec<String> =
            [batches, rows, columns, k].into_iter().map(|s| self.emitter.index_text(s)).collect();
        self.emitter.line(&format!("const litz_gemm_shape shape = {{{}}};", sizes.join(", ")));
        let Tile { groups, blocks, columns: tile_columns, stages, down, across, split, skew, in_turn } = tile;
        let band = tile.band(self.target.multiprocessors as i64);
        if tile_columns % 64 != 0 {
            self.before.push_str(&instruction(tile_columns, memory));
        }
        self.emitter.line("litz_map_prefetch(t0);");
        self.emitter.line("litz_map_prefetch(t1);");
        self.emitter.line(&format!(
            "litz_tma_run<{memory}, {groups}, {blocks}, {tile_columns}, {stages}, {down}, {across}, {split}, {skew}, {band}, {boxes}, {in_turn}, {exchanged}, {left_order}, {right_order}>(shape, left, right, epilogue, result);"
        ));
        let syms = &self.program.syms;
        let count = |size: SymInt, by: i64| syms.ceildiv(size, syms.constant(by));
        let tiles = syms.mul(count(rows, tile.rows() * down), count(columns, tile_columns * across));
        let tiles = syms.mul(batches, tiles);
        // Blocks that share a tile have that one only. Others have equally many each, as few as the busiest would have anyway: what
        // they read at a time is then read by all.
        let turns = count(tiles, tile.at_once(self.target.multiprocessors as i64));
        let clusters = if split > 1 { tiles } else { syms.ceildiv(tiles, syms.max(turns, syms.constant(1))) };
        let headers = vec![
            NativeHeader::CudaGemm,
            NativeHeader::CudaTma,
            NativeHeader::CudaWgmma,
            NativeHeader::CudaGemmTma,
        ];
        let bytes = tile.bytes() + tile.groups * boxes * BOX;
        let (blocks, shared) = (syms.mul_const(clusters, tile.cluster()), syms.constant(bytes));
        let launch = Launch { threads: tile.threads(), cluster: tile.cluster(), resident: 1 };
        self.finish(Shape { kind, headers, blocks, launch, shared })
    }

    /// A function that asks for a box of an operand: `inner` and `outer` are k and rows, the other way round where it
    /// is transposed.
    fn fetch(&mut self, name: &str, batch: &[SymInt], [rows, k]: [SymInt; 2], operand: &Boxed, share: i64) {
        let sizes = if operand.transposed { [rows, k] } else { [k, rows] };
        let depth = STEP / operand.dtype.size() as i64;
        let box_rows = if operand.transposed { depth } else { share };
        let map = self.boxes_of(batch, sizes, operand, box_rows);
        self.emitter.open();
        self.emitter.line("(void)batch;");
        self.emitter.bind_point(batch, "batch");
        let coordinates = self.coordinates(batch, operand);
        self.emitter.line(&format!("if (mask) litz_fetch_shared(to, {map}, barrier, mask, {coordinates});"));
        self.emitter.line(&format!("else litz_fetch(to, {map}, barrier, {coordinates});"));
        self.emitter.close(&format!(
            "const auto {name} = [&](u32 to, u32 barrier, u16 mask, i64 batch, int inner, int outer)"
        ));
        self.emitter.line(";");
    }

    /// The parameter by which boxes of `box_rows` times 128 bytes are copied.
    fn boxes_of(&mut self, batch: &[SymInt], sizes: [SymInt; 2], operand: &Boxed, box_rows: i64) -> String {
        let syms = &self.program.syms;
        let dimensions = || operand.batch.iter().map(|(d, _)| *d);
        let strides = [syms.constant(1), operand.stride];
        let depth = STEP / operand.dtype.size() as i64;
        let rank = 2 + operand.batch.len();
        self.map(TensorMap {
            buffer: operand.buffer,
            offset: operand.offset,
            sizes: sizes.into_iter().chain(dimensions().map(|d| batch[d])).collect(),
            strides: strides.into_iter().chain(operand.batch.iter().map(|b| b.1)).collect(),
            boxes: [depth as u32, box_rows as u32].into_iter().chain(dimensions().map(|_| 1)).collect(),
            steps: vec![1; rank],
            swizzle: 128,
            tf32: operand.dtype == Dtype::Float32,
        })
    }

    /// Where a box begins, once the point of the batch is known.
    fn coordinates(&mut self, batch: &[SymInt], operand: &Boxed) -> String {
        let mut coordinates = vec!["inner".to_string(), "outer".to_string()];
        for (d, _) in &operand.batch {
            let at = self.emitter.index_text(self.program.syms.index_var(*d as u32, batch[*d]));
            coordinates.push(format!("(int)({at})"));
        }
        coordinates.join(", ")
    }

    /// An epilogue that gives pairs of halves, and what has the copy engine store them.
    fn boxed_epilogue(
        &mut self,
        batch: &[SymInt],
        [m, n]: [SymInt; 2],
        out: BufferId,
        stored: &Stored,
        exchanged: bool,
        columns: i64,
    ) {
        // Rows of a box have 128 bytes.
        let box_rows = if exchanged { eights(columns, 64) } else { 64 };
        let Stored { result, value, .. } = stored;
        let map = self.boxes_of(batch, [n, m], result, box_rows);
        self.emitter.open();
        self.emitter.line("(void)batch;");
        self.emitter.bind_point(batch, "batch");
        let coordinates = self.coordinates(batch, result);
        self.emitter.line(&format!("litz_store_box({map}, from, {coordinates});"));
        self.emitter.close("const auto result = [&](u32 from, i64 batch, int inner, int outer)");
        self.emitter.line(";");
        self.lanes = 2;
        self.emitter.aligned = Some(self.lanes);
        let items = self.epilogue_items().1;
        self.emitter.rounded = self.rounded(&items);
        let along = if exchanged { "m" } else { "n" };
        self.open_epilogue(batch, [m, n], along);
        let cast = self.keep_sums(out, Dtype::Float32, along);
        let pair = match value {
            Some(value) => self.emitter.rounded_by_store(*value),
            None => {
                let start = along.value(&mut self.emitter);
                self.emitter.accumulator("sums", start, cast)
            }
        };
        let pair = self.emitter.vector_text(pair);
        self.emitter.line(&format!("return litz_pair<{}>({pair});", cpp::memory_type(result.dtype)));
        self.close_epilogue(Dtype::Float32, " -> u32");
    }

    /// What was chosen for the product, or what is likely the fastest.
    fn tma_tile(&self, sizes: [SymInt; 4], dtype: Dtype, stored: Option<&Stored>) -> Tile {
        let tiles = self.tma_tiles(sizes, dtype, stored);
        let chosen = match chosen(self.program, self.target, self.node) {
            Some(Choice::Tile(templates::Tile::Product(chosen))) => tiles.iter().find(|t| t.1 == *chosen),
            _ => None,
        };
        chosen.unwrap_or(&tiles[0]).1
    }

    /// The tiles that the product can be cut into, with the clocks that each takes, the fewest first.
    fn tma_tiles(&self, sizes: [SymInt; 4], dtype: Dtype, stored: Option<&Stored>) -> Vec<(i64, Tile)> {
        let syms = &self.program.syms;
        let [batches, m, n, k] = sizes.map(|s| syms.hint(s).max(1));
        let exchange =
            stored.filter(|_| dtype.is_reduced_float()).map_or(Exchange::Impossible, |s| s.exchange);
        let work = self.epilogue_work();
        let (item, multiprocessors) = (dtype.size() as i64, self.target.multiprocessors as i64);
        let clocks = |t: Tile| {
            let stored = stored.filter(|_| t.boxes(self.target.shared_bytes as i64) > 0);
            let [rows, columns] =
                if stored.is_some_and(|s| t.exchanges(s.exchange)) { [n, m] } else { [m, n] };
            let end = End::new(stored.is_some(), work);
            (t.clocks([batches, rows, columns, k], item, multiprocessors, end), t)
        };
        let mut tiles: Vec<(i64, Tile)> = self.tiles_that_fit(exchange).map(clocks).collect();
        tiles.stable_sort_by_key(|t| t.0);
        tiles
    }

    /// Those that there is shared memory for; odd widths where operands may be exchanged.
    pub(super) fn tiles_that_fit(&self, exchange: Exchange) -> impl Iterator<Item = Tile> {
        let most = self.target.shared_bytes as i64 - RESERVED;
        TILES.into_iter().filter(move |t| t.bytes() <= most && (t.columns % 64 == 0 || t.exchanges(exchange)))
    }

    /// About how many instructions the epilogue has for an element of the result, besides those that store it.
    pub(super) fn epilogue_work(&self) -> i64 {
        let exprs = &self.program.exprs;
        let values: Vec<ExprId> = self.epilogue_items().1.iter().map(Item::value).collect();
        let rounded = self.rounded(&self.epilogue_items().1);
        let one = |expr: ExprId| match &exprs[expr] {
            Expr::Load { .. } => 2,
            Expr::Unary(UnaryOp::Sigmoid, _) if rounded.contains(&expr) => 7,
            Expr::Unary(UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sqrt | UnaryOp::Rsqrt, _) => 2,
            Expr::Unary(UnaryOp::Exp | UnaryOp::Sigmoid, _) => 14,
            Expr::Unary(..) => 24,
            Expr::Constant(..) => 0,
            _ => 1,
        };
        exprs.postorder(&values).into_iter().map(one).sum::<i64>()
    }

    /// The tiles that the product can be cut into, the likely fastest first; none where it has no choice.
    pub(super) fn product_candidates(&self) -> Vec<Candidate> {
        let program = self.program;
        let syms = &program.syms;
        let NodeKind::Gemm { batch, m, n, k, a, b, out } = &program.nodes[self.node].kind else {
            return Vec::new();
        };
        let at = batch.len() as u32;
        let vars = [syms.index_var(at, *m), syms.index_var(at + 1, *n), syms.index_var(at + 2, *k)];
        if syms.hint(*m).min(syms.hint(*n)) < LEAST_TO_CHOOSE {
            return Vec::new();
        }
        let Some(Operands([left, right])) = self.tma_operands(batch, vars, [*a, *b]) else {
            return Vec::new();
        };
        let stored = self.stored(batch, [*m, *n], *out, [left.transposed, right.transposed]);
        let tiles = self.tma_tiles([syms.product(batch), *m, *n, *k], left.dtype, stored.as_ref());
        let candidate =
            |(clocks, tile)| Candidate { tile: templates::Tile::Product(tile), clocks: Some(clocks) };
        tiles.into_iter().map(candidate).collect()
    }
}

/// Products of fewer rows or columns have a kernel of their own, or nothing to gain.
const LEAST_TO_CHOOSE: i64 = 16;

/// Both operands of a product.
pub(super) struct Operands([Boxed; 2]);

/// An instruction of tensor cores for so many columns; the native header has those of 64, 128, 192 and 256.
fn instruction(columns: i64, memory: &str) -> String {
    let name = if memory == "half" { "f16" } else { "bf16" };
    let count = columns / 2;
    let list = |f: &dyn Fn(i64) -> String| (0..count).map(f).collect::<Vec<_>>().join(", ");
    let (places, sums) = (list(&|k| format!("%{k}")), list(&|k| format!("\"+f\"(c[{k}])")));
    let [a, b, keep, left, right] = [0, 1, 2, 3, 4].map(|k| count + k);
    format!(
        "#ifndef LITZ_WGMMA_{columns}_{memory}
#define LITZ_WGMMA_{columns}_{memory}
template <bool left, bool right> LITZ_FN void litz_wgmma(f32 (&c)[{count}], u64 a, u64 b, int keep, {memory}) {{
    asm volatile(\"{{ .reg .pred p; setp.ne.b32 p, %{keep}, 0; wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.{name}.{name} {{{places}}}, %{a}, %{b}, p, 1, 1, %{left}, %{right}; }}\"
                 : {sums} : \"l\"(a), \"l\"(b), \"r\"(keep), \"n\"(left), \"n\"(right));
}}
#endif
"
    )
}
