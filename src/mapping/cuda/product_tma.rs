//! Matrix products on Hopper (`native/cuda/gemm_tma.h`): one warpgroup asks the copy engine for operands, and the others multiply.
//!
//! Operands are halves whose rows or columns are contiguous and begin at multiples of 16 bytes, or float32 with such rows where it may be
//! rounded to TF32. Sizes are free.
//!
//! Deliberately absent: operands that are computed, and those that a stride of 0 repeats along their rows.

use super::product::Product;
use super::template::{Blocks, Template};
use crate::base::StableSort;
use crate::kernels::{Boxes, Kernel, LocalId, Operand, Routine, Statement, TensorMap, Type};
use crate::loops::uses::reduced_load;
use crate::loops::{BufferId, Expr, ExprId, NodeKind, UnaryOp};
use crate::schedule::{Item, chosen};
use crate::target::{Choice, CudaTarget};
use crate::templates::tma::{BOX, End, Exchange, RESERVED, STEP, TILES, Tile, eights};
use crate::templates::{self, Candidate};
use crate::types::{Dtype, SymInt, SymbolKind};

/// The names of a box's coordinates.
pub(super) const PLACES: [&str; 5] = ["at0", "at1", "at2", "at3", "at4"];

/// How operands and result lie.
pub(super) struct Turned {
    /// Boxes of the result for each warpgroup, which the copy engine stores; 0: threads do.
    pub boxes: i64,
    /// Rows of tiles are the product's columns.
    pub exchanged: bool,
    /// Operands whose rows are neighbours.
    pub left: bool,
    pub right: bool,
}

/// A product of operands of `stored`, whose boxes of the result are of `result`, in such tiles.
pub(super) fn routine(
    [stored, result]: [Dtype; 2],
    tile: Tile,
    target: &CudaTarget,
    turned: Turned,
) -> Routine {
    let Tile { groups, blocks, columns, stages, down, across, split, skew, in_turn } = tile;
    let band = tile.band(target.multiprocessors as i64);
    let Turned { boxes, exchanged, left: left_turned, right: right_turned } = turned;
    Routine::GemmTma {
        stored,
        result,
        groups,
        blocks,
        columns,
        stages,
        down,
        across,
        split,
        skew,
        band,
        boxes,
        in_turn,
        exchanged,
        left_turned,
        right_turned,
    }
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
    fn stored(&self, p: &Product, transposed: [bool; 2]) -> Option<Stored> {
        let Product { batch, m, n, out, .. } = p;
        let (m, n, out) = (*m, *n, *out);
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

    pub(super) fn gemm_tma(mut self, p: &Product, operands: Operands) -> Kernel {
        let Operands([left, right]) = operands;
        let stored = self.stored(p, [left.transposed, right.transposed]);
        let dtype = left.dtype;
        let sizes @ [batches, m, n, k] = self.sizes(p);
        let tile = self.tma_tile(sizes, dtype, stored.as_ref());
        let boxes = if stored.is_some() { tile.boxes(self.target.shared_bytes as i64) } else { 0 };
        let stored = stored.filter(|_| boxes > 0);
        let exchanged = stored.as_ref().is_some_and(|s| tile.exchanges(s.exchange));
        let (left, right, rows, columns) = if exchanged { (right, left, n, m) } else { (left, right, m, n) };
        let result = stored.as_ref().map_or(dtype, |s| s.result.dtype);
        let turned = Turned { boxes, exchanged, left: left.transposed, right: right.transposed };
        let routine = routine([dtype, result], tile, self.target, turned);
        let left = self.boxes_of_operand("left_at", p, rows, &left, tile.rows() / tile.across);
        let right = self.boxes_of_operand(
            "right_at",
            p,
            columns,
            &right,
            eights(tile.columns, tile.columns / tile.down),
        );
        let mut operands = vec![left, right];
        let epilogue = match stored {
            Some(stored) => {
                // Rows of a box have 128 bytes.
                let box_rows = if exchanged { eights(tile.columns, 64) } else { 64 };
                operands.push(self.boxes_at("result_at", p, [n, m], &stored.result, box_rows, true));
                self.pair_epilogue(p, &stored, exchanged)
            }
            None => {
                operands.push(Operand::Absent);
                self.lanes = self.epilogue_lanes(n);
                self.emitter.aligned = Some(self.lanes);
                self.product_epilogue(p, Dtype::Float32)
            }
        };
        let sizes = [batches, rows, columns, k];
        self.call(routine, operands, &sizes, vec![Some(epilogue)]);
        self.finish_tma(tile, boxes, [batches, rows, columns])
    }

    /// The launch of a product in such tiles.
    pub(super) fn finish_tma(self, tile: Tile, boxes: i64, [batches, rows, columns]: [SymInt; 3]) -> Kernel {
        let syms = &self.program.syms;
        let count = |size: SymInt, by: i64| syms.ceildiv(size, syms.constant(by));
        let [high, wide] = tile.of_cluster();
        let tiles = syms.mul(batches, syms.mul(count(rows, high), count(columns, wide)));
        // Blocks that share a tile have that one only. Others have equally many each, as few as the busiest would have anyway: what
        // they read at a time is then read by all.
        let turns = count(tiles, tile.at_once(self.target.multiprocessors as i64));
        let clusters =
            if tile.split > 1 { tiles } else { syms.ceildiv(tiles, syms.max(turns, syms.constant(1))) };
        let bytes = tile.bytes() + tile.groups * boxes * BOX;
        let (blocks, shared) = (syms.mul_const(clusters, tile.cluster()), syms.constant(bytes));
        let cluster = tile.cluster();
        self.finish(Blocks { count: blocks, threads: tile.threads(), cluster, resident: 1, shared })
    }

    /// An operand's boxes: `inner` and `outer` are k and rows, the other way round where it is transposed.
    fn boxes_of_operand(
        &mut self,
        name: &'static str,
        p: &Product,
        rows: SymInt,
        operand: &Boxed,
        share: i64,
    ) -> Operand {
        let sizes = if operand.transposed { [rows, p.k] } else { [p.k, rows] };
        let depth = STEP / operand.dtype.size() as i64;
        let box_rows = if operand.transposed { depth } else { share };
        self.boxes_at(name, p, sizes, operand, box_rows, false)
    }

    /// Boxes of `box_rows` times 128 bytes, and the region that says where the one at (batch, inner, outer) begins.
    fn boxes_at(
        &mut self,
        name: &'static str,
        p: &Product,
        sizes: [SymInt; 2],
        operand: &Boxed,
        box_rows: i64,
        written: bool,
    ) -> Operand {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let dimensions = || operand.batch.iter().map(|(d, _)| *d);
        let strides = [syms.constant(1), operand.stride];
        let depth = STEP / operand.dtype.size() as i64;
        let rank = 2 + operand.batch.len();
        let map = self.map(TensorMap {
            buffer: operand.buffer,
            offset: operand.offset,
            sizes: sizes.into_iter().chain(dimensions().map(|d| p.batch[d])).collect(),
            strides: strides.into_iter().chain(operand.batch.iter().map(|b| b.1)).collect(),
            boxes: [depth as u32, box_rows as u32].into_iter().chain(dimensions().map(|_| 1)).collect(),
            steps: vec![1; rank],
            swizzle: 128,
            tf32: operand.dtype == Dtype::Float32,
        });
        let e = &mut self.emitter;
        let mut region = e.open_region(name);
        let batch = e.coordinate(&mut region, "batch", syms.product(&p.batch));
        let inner = e.coordinate(&mut region, "inner", sizes[0]);
        let outer = e.coordinate(&mut region, "outer", sizes[1]);
        let places: Vec<LocalId> = PLACES[..rank].iter().map(|name| e.place(&mut region, name)).collect();
        e.bind_point(&p.batch, batch);
        let mut coordinates = vec![inner, outer];
        for d in dimensions() {
            coordinates.push(e.index(syms.index_var(d as u32, p.batch[d])));
        }
        for (place, value) in places.into_iter().zip(coordinates) {
            let place = e.local_value(place);
            e.push(Statement::Assign { place, value });
        }
        let at = Some(e.close_region(region, None));
        Operand::Boxes(Boxes { map, at, written })
    }

    /// An epilogue that gives pairs of values, which are rounded to halves as the copy engine stores them.
    fn pair_epilogue(&mut self, p: &Product, stored: &Stored, exchanged: bool) -> LocalId {
        self.lanes = 2;
        self.emitter.aligned = Some(self.lanes);
        let items = self.epilogue_items().1;
        self.emitter.rounded = self.rounded(&items);
        let (region, given) = self.open_epilogue(p, Dtype::Float32, exchanged);
        let convert = self.keep_sums(p.out, Dtype::Float32, &given.sums, given.start);
        let pair = match stored.value {
            Some(value) => self.emitter.rounded_by_store(value),
            None => self.emitter.accumulator(given.sums, given.start, convert),
        };
        let pair = self.emitter.vector(pair);
        self.emitter.push(Statement::Give(pair));
        self.emitter.lanes = None;
        self.emitter.close_region(region, Some(Type::Vector(Dtype::Float32)))
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
        let NodeKind::Gemm { batch, m, n, k, a, b, out } = program.nodes[self.node].kind.clone() else {
            return Vec::new();
        };
        let at = batch.len() as u32;
        let vars = [syms.index_var(at, m), syms.index_var(at + 1, n), syms.index_var(at + 2, k)];
        if syms.hint(m).min(syms.hint(n)) < LEAST_TO_CHOOSE {
            return Vec::new();
        }
        let p = Product { batch, m, n, k, out };
        let Some(Operands([left, right])) = self.tma_operands(&p.batch, vars, [a, b]) else {
            return Vec::new();
        };
        let stored = self.stored(&p, [left.transposed, right.transposed]);
        let tiles = self.tma_tiles(self.sizes(&p), left.dtype, stored.as_ref());
        let candidate =
            |(clocks, tile)| Candidate { tile: templates::Tile::Product(tile), clocks: Some(clocks) };
        tiles.into_iter().map(candidate).collect()
    }
}

/// Products of fewer rows or columns have a kernel of their own, or nothing to gain.
const LEAST_TO_CHOOSE: i64 = 16;

/// Both operands of a product.
pub(super) struct Operands([Boxed; 2]);
