//! Attention on a GPU: the parts that its templates share, and the templates that ask for single elements. These are tiles of queries and
//! keys in shared memory, few queries whose keys are divided among warps and blocks, and, where neither fits, a warp for each query.
//! `attention_tiles` has the templates for tensor cores, which take halves whose heads have contiguous rows.
//!
//! Invariant: a template is chosen by sizes and layouts that hold for every run. Hints only choose among templates that all give the result.
//!
//! Deliberately absent: a template for values that do not fit the registers of a query's threads.

use super::attention_tiles::Heads;
use super::template::{Blocks, Coordinate, Template};
use crate::kernels::{Kernel, LocalId, Operand, Routine, Statement, Type, Value};
use crate::loops::access::store_offset;
use crate::loops::{Attention, AttentionBackward, Band, BinaryOp, ExprId, Score};
use crate::mapping::Refusal;
use crate::mapping::emit::{self, Storage};
use crate::templates::attention::{ANY, FewTile, FmaTile, WARPS, WIDEST_VALUE};
use crate::types::{Dtype, Scalar, SymArena, SymInt};

/// What a score is, and where: over `[batch, heads, queries, keys]`.
pub(super) struct Scores {
    sizes: [SymInt; 4],
    mask: Option<ExprId>,
    score: Option<Score>,
}

impl Scores {
    pub(super) fn of(a: &Attention) -> Scores {
        Scores { sizes: [a.batch, a.heads, a.queries, a.keys], mask: a.mask, score: a.score }
    }
    pub(super) fn of_gradient(a: &AttentionBackward) -> Scores {
        Scores { sizes: [a.batch, a.heads, a.queries, a.keys], mask: a.mask, score: None }
    }
}

/// Few queries, with the sizes of a head and of a value.
pub(super) struct Few {
    tile: FewTile,
    head_size: i64,
    value_size: i64,
}

/// A tile in ordinary arithmetic, with its shared memory.
struct Fma {
    tile: FmaTile,
    head_size: i64,
    bytes: i64,
    /// Keys and values that are rows in memory.
    rows: Option<[Heads; 2]>,
}

/// Shared memory that a block may take in any case: the oldest supported GPU has so much.
const FMA_BYTES: i64 = 64 << 10;

impl Template<'_> {
    pub(super) fn attention(self, a: &Attention) -> Result<(&'static str, Kernel), Refusal> {
        if let Some(tiles) = self.attention_form(a) {
            return Ok(self.attention_tiles(a, &tiles));
        }
        let syms = &self.program.syms;
        match syms.as_const(a.value_size).filter(|n| *n <= WIDEST_VALUE) {
            Some(width) => Ok(self.attention_of_elements(a, width)),
            None => {
                let message = format!(
                    "the CUDA backend keeps a query's result in registers, for values of up to {WIDEST_VALUE} elements, not {}",
                    syms.display(a.value_size)
                );
                Err(Refusal::new(self.program, self.group, message))
            }
        }
    }

    fn attention_of_elements(mut self, a: &Attention, width: i64) -> (&'static str, Kernel) {
        let program = self.program;
        let syms = &program.syms;
        let dtype = program.exprs.dtype(a.query).compute();
        let few = self.few_tile(a, dtype);
        let tile = if few.is_none() { self.fma_tile(a, dtype) } else { None };
        let sizes = [
            ("query", a.query, [a.batch, a.heads, a.queries, a.head_size]),
            ("key", a.key, [a.batch, a.kv_heads, a.keys, a.head_size]),
            ("value", a.value, [a.batch, a.kv_heads, a.keys, a.value_size]),
        ];
        let mut rows = tile.as_ref().and_then(|tile| tile.rows.as_ref()).into_iter().flatten();
        let mut operands = Vec::with_capacity(3);
        for (name, operand, sizes) in sizes {
            let heads = if name == "query" { None } else { rows.next() };
            operands.push(match heads {
                Some(heads) => self.row_of_heads(heads),
                None => {
                    let names = ["batch", "head", "place", "d"];
                    let vars = program.vars(&sizes).into_iter().zip(sizes).zip(names);
                    let coordinates: Vec<Coordinate> =
                        vars.map(|((v, size), name)| (v, size, name)).collect();
                    Operand::Region(self.element(name, &[], &coordinates, operand, dtype))
                }
            });
        }
        let regions = self.attention_regions(a, dtype);
        let numbers = [&self.attention_numbers(a)[..], &[a.head_size, a.value_size]].concat();
        let (scale, parts, empty_is_nan) = (a.scale, (width + 31) / 32, a.empty_is_nan);
        if let Some(few) = few {
            let FewTile { own, splits, each } = few.tile;
            let [depth, parts] = [few.head_size, few.value_size].map(|n| (n.max(1) + 31) / 32);
            let routine =
                Routine::AttentionFew { dtype, scale, own, splits, each, depth, parts, empty_is_nan };
            self.call(routine, operands, &numbers, regions);
            return ("attention_few", self.finish_few(a, dtype, &few));
        }
        if let Some(tile) = tile {
            let (FmaTile { own, stages }, head_size) = (tile.tile, tile.head_size);
            let rows = tile.rows.is_some();
            let routine =
                Routine::AttentionFma { dtype, scale, own, head_size, parts, stages, rows, empty_is_nan };
            self.call(routine, operands, &numbers, regions);
            let tiles = syms.ceildiv(a.queries, syms.constant(tile.tile.queries()));
            let blocks = syms.product(&[a.batch, a.heads, tiles]);
            let bytes = syms.constant(tile.bytes);
            return ("attention_fma", self.finish(Blocks::new(blocks, FmaTile::THREADS, bytes)));
        }
        self.call(Routine::AttentionWarps { dtype, scale, parts, empty_is_nan }, operands, &numbers, regions);
        let rows = syms.product(&[a.batch, a.heads, a.queries]);
        let blocks = syms.ceildiv(rows, syms.constant(WARPS));
        let shared = syms.mul_const(a.head_size, WARPS * dtype.size() as i64);
        ("attention", self.finish(Blocks::new(blocks, WARPS * 32, shared)))
    }

    /// Rows of a block, and blocks that share their keys, so that all multiprocessors have some.
    pub(super) fn few_tile(&self, a: &Attention, dtype: Dtype) -> Option<Few> {
        let syms = &self.program.syms;
        let (head_size, value_size) = (syms.as_const(a.head_size)?, syms.as_const(a.value_size)?);
        let queries = syms.as_const(a.queries).filter(|n| (1..=FewTile::MOST).contains(n))?;
        let (heads, kv_heads) = (syms.as_const(a.heads)?, syms.as_const(a.kv_heads)?.max(1));
        let rows = queries * (heads / kv_heads);
        // Words of a thread for a key and a value, or for a query and its result.
        let words = (head_size.max(1) + 31) / 32 * dtype.size() as i64 / 4
            + (value_size.max(1) + 31) / 32 * dtype.size() as i64 / 4;
        let fits = |n: &i64| n * words <= FewTile::REGISTERS;
        let each = [8, 4, 2].into_iter().find(fits)?;
        let bytes = |own: i64| FewTile::bytes(own, value_size, dtype.size() as i64);
        let room = |own: &i64| bytes(*own) <= self.target.shared_bytes as i64;
        let useful = |own: &i64| *own == 1 || *own < 2 * rows;
        let own = [4, 2, 1].into_iter().find(|own| fits(own) && room(own) && useful(own))?;
        let blocks = syms.hint(a.batch).max(1) * kv_heads * ((rows + own - 1) / own);
        // Only clusters, which Hopper brought, can put together what several blocks find.
        let most = if self.target.arch >= 90 { 8 } else { 1 };
        let enough = |splits: i64| {
            splits * blocks <= self.target.multiprocessors as i64
                && syms.hint(a.keys) >= 4 * splits * FewTile::WARPS * each
        };
        let mut splits = 1;
        while splits < most && enough(splits) {
            splits *= 2;
        }
        Some(Few { tile: FewTile { own, splits, each }, head_size, value_size })
    }

    fn finish_few(self, a: &Attention, dtype: Dtype, few: &Few) -> Kernel {
        let syms = &self.program.syms;
        let FewTile { own, splits, .. } = few.tile;
        let rows = syms.mul(a.queries, syms.floordiv(a.heads, a.kv_heads));
        let chunks = syms.ceildiv(rows, syms.constant(own));
        let count = syms.product(&[a.batch, a.kv_heads, chunks, syms.constant(splits)]);
        let shared = syms.constant(FewTile::bytes(own, few.value_size, dtype.size() as i64));
        self.finish(Blocks { count, threads: FewTile::WARPS * 32, cluster: splits, resident: 2, shared })
    }

    /// The largest tile that has room, in registers and in half of the shared memory, so that there are two blocks on a
    /// multiprocessor, and leaves work for all multiprocessors; or else the smallest.
    fn fma_tile(&self, a: &Attention, dtype: Dtype) -> Option<Fma> {
        let syms = &self.program.syms;
        let (head_size, width) = (syms.as_const(a.head_size)?, syms.as_const(a.value_size)?);
        let size = dtype.size() as i64;
        let chunk = 16 / size;
        let heads = |operand, sizes| self.heads(operand, sizes, chunk).filter(|heads| heads.dtype == dtype);
        let key = heads(a.key, [a.batch, a.kv_heads, a.keys, a.head_size]);
        let value = heads(a.value, [a.batch, a.kv_heads, a.keys, a.value_size]);
        let whole = self.target.arch >= 80 && head_size % chunk == 0 && width % chunk == 0;
        let rows = key.zip(value).filter(|_| whole).map(|(key, value)| [key, value]);
        let room = FMA_BYTES.max(self.target.shared_bytes as i64 / 2);
        let bytes = |tile: &FmaTile| tile.bytes(head_size, width, size);
        let fits = |tile: &FmaTile| bytes(tile) <= room && tile.fits_registers(width, size);
        let blocks = |tile: &FmaTile| {
            let tiles = syms.ceildiv(a.queries, syms.constant(tile.queries()));
            syms.hint(syms.product(&[a.batch, a.heads, tiles]))
        };
        // A few multiprocessors without a block cost less than queries that share their keys with fewer others.
        let busy = |tile: &FmaTile| 4 * blocks(tile) >= 3 * self.target.multiprocessors as i64;
        let tiles = [4, 2, 1].map(|own| FmaTile { own, stages: 1 });
        let tile = tiles.into_iter().find(|tile| fits(tile) && (tile.own == 1 || busy(tile)))?;
        let double = FmaTile { stages: 2, ..tile };
        let tile = if rows.is_some() && fits(&double) { double } else { tile };
        Some(Fma { tile, head_size, bytes: bytes(&tile), rows })
    }

    /// The regions that all forms call: for scores, for finished elements, for logarithms of sums, for numbers of keys.
    pub(super) fn attention_regions(&mut self, a: &Attention, dtype: Dtype) -> Vec<Option<LocalId>> {
        let score = self.score(&Scores::of(a), dtype);
        let epilogue = self.attention_epilogue(a, dtype);
        let log_sum = self.log_sum(a, dtype);
        let keys_of = self.keys_of(&a.band, [a.batch, a.heads, a.keys]);
        vec![score, Some(epilogue), log_sum, Some(keys_of)]
    }

    /// The numbers that all forms have.
    pub(super) fn attention_numbers(&self, a: &Attention) -> Vec<SymInt> {
        let bounds = bounds(&self.program.syms, &a.band);
        [&[a.batch, a.heads, a.kv_heads, a.queries, a.keys][..], &bounds].concat()
    }

    /// How many of the keys a head's queries attend.
    pub(super) fn keys_of(&mut self, band: &Band, [batch, heads, all_keys]: [SymInt; 3]) -> LocalId {
        let e = &mut self.emitter;
        let mut region = e.open_region("keys_of");
        e.bind_coordinate(&mut region, (0, batch), "batch");
        e.bind_coordinate(&mut region, (1, heads), "head");
        let keys = match band.length {
            Some(length) => e.value(length).value,
            None => e.index(all_keys),
        };
        e.push(Statement::Give(keys));
        e.close_region(region, Some(Type::Index))
    }

    /// What the softmax sees of a scaled score; none where that is the score itself.
    pub(super) fn score(&mut self, scores: &Scores, dtype: Dtype) -> Option<LocalId> {
        let changed = scores.score.map(|score| score.value).or(scores.mask)?;
        let own = self.program.exprs.dtype(changed);
        let e = &mut self.emitter;
        let mut region = e.open_region("score");
        let names = ["batch", "head", "place", "key"];
        for (k, (size, name)) in scores.sizes.into_iter().zip(names).enumerate() {
            e.bind_coordinate(&mut region, (k as u32, size), name);
        }
        let s = emit::Operand::uniform(e.given(&mut region, "s", dtype));
        if let Some(score) = scores.score {
            e.storage.insert(score.raw, Storage::Row(s));
        }
        let mut value = e.value(changed);
        if scores.score.is_none() && own == Dtype::Bool {
            let lowest = e.add(Value::Constant(Scalar::Float(f64::NEG_INFINITY), dtype));
            value = e.apply([value, s, emit::Operand::uniform(lowest)], |[c, a, b]| Value::Select(c, a, b));
        } else {
            value = if own == dtype { value } else { e.convert(value, dtype) };
            if scores.score.is_none() {
                value = e.apply([s, value], |[a, b]| Value::Binary(BinaryOp::Add, a, b));
            }
        }
        e.push(Statement::Give(value.value));
        Some(e.close_region(region, Some(Type::Scalar(dtype))))
    }

    /// Whether scores are bounded, for forms that scale scores before they subtract: the lowest number of a dtype would not survive
    /// that. A condition leaves scores as they are.
    pub(super) fn bounded(&self, scores: &Scores) -> bool {
        let number = |mask: ExprId| self.program.exprs.dtype(mask) != Dtype::Bool;
        scores.score.is_some() || scores.mask.is_some_and(number)
    }

    /// Where the logarithm of a row's sum of exponentials goes.
    fn log_sum(&mut self, a: &Attention, dtype: Dtype) -> Option<LocalId> {
        let buffer = a.log_sum?;
        let (pointer, sizes) = (self.pointer(buffer), [a.batch, a.heads, a.queries]);
        let place = store_offset(self.program, buffer, &self.program.vars(&sizes));
        let e = &mut self.emitter;
        let mut region = e.open_region("log_sum");
        for (k, (size, name)) in sizes.into_iter().zip(["batch", "head", "place"]).enumerate() {
            e.bind_coordinate(&mut region, (k as u32, size), name);
        }
        let value = emit::Operand::uniform(e.given(&mut region, "value", dtype));
        e.store_value(pointer, place, value);
        Some(e.close_region(region, None))
    }

    /// What is done with finished elements, the lanes along a value.
    fn attention_epilogue(&mut self, a: &Attention, dtype: Dtype) -> LocalId {
        let items = self.epilogue_items().1;
        let syms = std::sync::Arc::clone(&self.program.syms);
        let sizes = [a.batch, a.heads, a.queries];
        let mut region = self.emitter.open_region("epilogue");
        for (k, (size, name)) in sizes.into_iter().zip(["batch", "head", "place"]).enumerate() {
            self.emitter.bind_coordinate(&mut region, (k as u32, size), name);
        }
        let d = self.emitter.step(&mut region, "d", a.value_size, self.lanes);
        let length = Some(syms.constant(self.lanes));
        let sums = self.emitter.elements(&mut region, "sums", dtype, length, false);
        let strides = &self.program.buffers[a.out].strides;
        let terms: Vec<SymInt> = a.place.iter().zip(strides).map(|(v, s)| syms.mul(*v, *s)).collect();
        self.lanes_along(syms.index_var(3, a.value_size), d);
        self.store_epilogue(a.out, syms.sum(&terms), &items, (dtype, sums, d));
        self.emitter.lanes = None;
        self.emitter.close_region(region, None)
    }
}

/// What is added to a query's place for the first and the last key that it attends.
pub(super) fn bounds(syms: &SymArena, band: &Band) -> [SymInt; 2] {
    let [lower, upper] = ANY.map(|n| syms.constant(n));
    [band.lower.unwrap_or(lower), band.upper.unwrap_or(upper)]
}
