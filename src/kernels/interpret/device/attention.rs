//! Interprets calls of a GPU's templates of attention, query by query. A block computes the same queries as the native text's block. Where the
//! blocks of a cluster share a query, each computes the elements that it finishes.

use crate::base::HashMap;
use crate::kernels::interpret::template::{Given, Source, add_products, ceil, fused, needed, wrong};
use crate::kernels::interpret::thread::{Thread, World};
use crate::kernels::interpret::{Data, Fault};
use crate::kernels::{Boxes, LocalId, Operand, Routine, TemplateCall};
use crate::loops::{BinaryOp, Number, UnaryOp};
use crate::templates::attention::{FewTile, FmaTile, LEAST_SCORE, MmaTile, WARPS, WgmmaTile};
use crate::types::{Dtype, Scalar};

type Result<T> = std::result::Result<T, Fault>;

/// An operand over `[batch, heads, rows, elements]`.
#[derive(Clone, Copy)]
pub(super) enum Rows {
    /// A region gives an element.
    Elements(LocalId),
    /// Neighbours in memory: strides of batch, head and row.
    Heads(Source, [i64; 3]),
    /// A tensor map, whose elements outside of the tensor are zeros.
    Tensor(usize),
}

/// Sizes and scores of attention or of its gradients.
pub(super) struct Attention {
    pub dtype: Dtype,
    /// What weights are rounded to before they are multiplied.
    pub stored: Option<Dtype>,
    pub scale: Number,
    pub bounded: bool,
    pub batch: i64,
    pub heads: i64,
    pub kv_heads: i64,
    pub queries: i64,
    pub keys: i64,
    pub band: [i64; 2],
    /// Elements of a head and of a value.
    pub widths: [i64; 2],
}

/// Rows of keys and values that a block has read, by batch and head.
#[derive(Default)]
struct Read(HashMap<(usize, i64, i64, i64), Vec<Number>>);

/// How finished rows become results.
#[derive(Clone, Copy)]
struct End {
    empty_is_nan: bool,
    /// Elements that the epilogue takes at once.
    lanes: i64,
    /// The block, of so many, that share a row, and the threads of each, which take turns at elements.
    shared: [i64; 3],
}

impl Attention {
    /// The keys from the first to the one after the last that a query attends, of so many.
    pub fn attended(&self, query: i64, keys: i64) -> std::ops::Range<i64> {
        (query + self.band[0]).max(0)..(query + self.band[1] + 1).min(keys)
    }
    pub fn binary(&self, op: BinaryOp, a: Number, b: Number) -> Number {
        Number::binary(op, self.dtype, a, b)
    }
    /// A number as a factor of a product on tensor cores.
    pub fn rounded(&self, v: Number) -> Number {
        self.stored.map_or(v, |stored| v.cast(self.dtype, stored).cast(stored, self.dtype))
    }
    pub fn group(&self) -> i64 {
        self.heads / self.kv_heads
    }
}

impl<'k> Thread<'k> {
    pub(super) fn device_attention(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        numbers: &[i64],
    ) -> Result<()> {
        let [batch, heads, kv_heads, queries, keys, lower, upper, own @ ..] = numbers else {
            return Err(wrong(call));
        };
        let (batch, heads, kv_heads, queries) = (*batch, *heads, *kv_heads, *queries);
        if kv_heads < 1 || heads % kv_heads != 0 {
            return Err(wrong(call));
        }
        let halves = |stored, scale, bounded, widths| (Dtype::Float32, Some(stored), scale, bounded, widths);
        let (dtype, stored, scale, bounded, widths) = match call.routine {
            Routine::AttentionWarps { dtype, scale, .. }
            | Routine::AttentionFew { dtype, scale, .. }
            | Routine::AttentionFma { dtype, scale, .. } => {
                let widths = own.try_into().map_err(|_| wrong(call))?;
                (dtype, None, scale, false, widths)
            }
            Routine::AttentionMma { stored, scale, bounded, head_size, value_size, .. }
            | Routine::AttentionSplit { stored, scale, bounded, head_size, value_size, .. }
            | Routine::AttentionWgmma { stored, scale, bounded, head_size, value_size, .. }
            | Routine::AttentionGradQueries { stored, scale, bounded, head_size, value_size, .. }
            | Routine::AttentionGradKeys { stored, scale, bounded, head_size, value_size, .. } => {
                halves(stored, scale, bounded, [head_size, value_size])
            }
            _ => return Err(wrong(call)),
        };
        let scale = Number::constant(Scalar::Float(scale), dtype);
        let (keys, band) = (*keys, [*lower, *upper]);
        let a =
            Attention { dtype, stored, scale, bounded, batch, heads, kv_heads, queries, keys, band, widths };
        let block = i64::from(self.stamp.block);
        let lanes = world.lanes as i64;
        let alone = [0, 1, 1];
        match call.routine {
            Routine::AttentionWarps { empty_is_nan, .. } => {
                let rows = batch * heads * queries;
                self.one_each(world, ceil(rows, WARPS))?;
                let all: Vec<[i64; 3]> = (block * WARPS..(block * WARPS + WARPS).min(rows))
                    .map(|row| [row / queries / heads, row / queries % heads, row % queries])
                    .collect();
                self.attend(world, call, &a, &all, End { empty_is_nan, lanes: 1, shared: alone })
            }
            Routine::AttentionFew { own, splits, empty_is_nan, .. } => {
                let shared = [block % splits, splits, FewTile::WARPS * 32];
                let rows = self.rows_of_group(world, call, &a, [own, splits])?;
                self.attend(world, call, &a, &rows, End { empty_is_nan, lanes: 1, shared })
            }
            Routine::AttentionFma { own, stages, empty_is_nan, .. } => {
                let rows = self.tile_of_queries(world, &a, FmaTile { own, stages }.queries())?;
                self.attend(world, call, &a, &rows, End { empty_is_nan, lanes: 1, shared: alone })
            }
            Routine::AttentionMma { warps, empty_is_nan, .. } => {
                let rows = self.tile_of_queries(world, &a, MmaTile { warps }.queries())?;
                self.attend(world, call, &a, &rows, End { empty_is_nan, lanes, shared: alone })
            }
            Routine::AttentionSplit { warps, splits, tiles, empty_is_nan, .. } => {
                if a.group() * queries > 16 * tiles {
                    return Err(wrong(call));
                }
                let shared = [block % splits, splits, warps * 32];
                let rows = self.rows_of_group(world, call, &a, [16 * tiles, splits])?;
                self.attend(world, call, &a, &rows, End { empty_is_nan, lanes, shared })
            }
            Routine::AttentionWgmma { wave, groups, keys, stages, empty_is_nan, .. } => {
                let [rounds, near] = own.try_into().map_err(|_| wrong(call))?;
                let rows = WgmmaTile { groups, keys, stages, resident: 1 }.queries();
                let end = End { empty_is_nan, lanes, shared: alone };
                for [batch, head, first] in self.tiles_in_order(world, &a, rows, [wave, rounds, near])? {
                    let tile: Vec<[i64; 3]> =
                        (first..(first + rows).min(queries)).map(|query| [batch, head, query]).collect();
                    self.attend(world, call, &a, &tile, end)?;
                }
                Ok(())
            }
            Routine::AttentionGradQueries { groups, .. } => {
                let [near] = own.try_into().map_err(|_| wrong(call))?;
                self.gradient_of_queries(world, call, &a, [groups * 64, near])
            }
            Routine::AttentionGradKeys { groups, .. } => {
                let [near] = own.try_into().map_err(|_| wrong(call))?;
                self.gradient_of_keys(world, call, &a, [groups * 64, near])
            }
            _ => Err(wrong(call)),
        }
    }

    /// The queries of a block's tile, the last tiles first.
    fn tile_of_queries(&self, world: &World<'_>, a: &Attention, rows: i64) -> Result<Vec<[i64; 3]>> {
        let (block, heads, tiles) = (i64::from(self.stamp.block), a.batch * a.heads, ceil(a.queries, rows));
        self.one_each(world, heads * tiles)?;
        let (first, which) = ((tiles - 1 - block / heads) * rows, block % heads);
        let last = (first + rows).min(a.queries);
        Ok((first..last).map(|query| [which / a.heads, which % a.heads, query]).collect())
    }

    /// The queries of a cluster: `own` of those of all heads that share keys.
    fn rows_of_group(
        &self,
        world: &World<'_>,
        call: &TemplateCall,
        a: &Attention,
        [own, splits]: [i64; 2],
    ) -> Result<Vec<[i64; 3]>> {
        if own < 1 || splits < 1 || world.cluster != splits {
            return Err(wrong(call));
        }
        let rows = a.group() * a.queries;
        let chunks = ceil(rows, own);
        self.one_each(world, a.batch * a.kv_heads * chunks * splits)?;
        let which = i64::from(self.stamp.block) / splits;
        let (first, kv, batch) =
            (which % chunks * own, which / chunks % a.kv_heads, which / chunks / a.kv_heads);
        let row = |row: i64| [batch, kv * a.group() + row / a.queries, row % a.queries];
        Ok((first..(first + own).min(rows)).map(row).collect())
    }

    /// The tiles of a block, as batch, head and first query. Each of the first `wave` blocks has `rounds` pairs, if any; each further
    /// block one tile.
    fn tiles_in_order(
        &self,
        world: &World<'_>,
        a: &Attention,
        rows: i64,
        [wave, rounds, near]: [i64; 3],
    ) -> Result<Vec<[i64; 3]>> {
        let (heads, tiles) = (a.batch * a.heads, ceil(a.queries, rows));
        let (pairs, first) = (ceil(tiles, 2), if rounds > 0 { wave } else { 0 });
        let singles = heads * pairs - rounds * wave;
        let partners = if tiles > 1 { singles } else { 0 };
        if singles < 0 || rounds < 0 || near < 1 {
            let message = format!("{rounds} rounds of {wave} blocks, for {} pairs of tiles", heads * pairs);
            return Err(Fault::Launch(message));
        }
        self.one_each(world, first + singles + partners)?;
        let (block, single) = (i64::from(self.stamp.block), i64::from(self.stamp.block) - first);
        let mut found = Vec::new();
        for n in 0..if single < 0 { 2 * rounds } else { 1 } {
            let (second, at) = match single < 0 {
                true => (n % 2 == 1, n / 2 * wave + block),
                false if single >= singles => (true, rounds * wave + 2 * singles - 1 - single),
                false => (false, rounds * wave + single),
            };
            let (section, within) = (at / (near * pairs), at % (near * pairs));
            let width = near.min(heads - section * near);
            let (pair, which) = (within / width, section * near + within % width);
            // The tile in the middle is its own partner.
            if !(second && pair * 2 == tiles - 1) {
                let tile = if second { pair } else { tiles - 1 - pair };
                found.push([which / a.heads, which % a.heads, tile * rows]);
            }
        }
        Ok(found)
    }

    /// Computes queries, each given as batch, head and place, and hands their results to the epilogue.
    fn attend(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        a: &Attention,
        rows: &[[i64; 3]],
        end: End,
    ) -> Result<()> {
        if end.lanes < 1 {
            return Err(wrong(call));
        }
        let operands = [self.rows(world, call, 0)?, self.rows(world, call, 1)?, self.rows(world, call, 2)?];
        let mut read = Read::default();
        for (row, [batch, head, query]) in rows.iter().copied().enumerate() {
            let other = head / a.group();
            let own = self.row_of(world, call, operands[0], ([batch, head, query], a.widths[0], a.dtype))?;
            let keys = self.place_of(world, call, needed(call, 3)?, &[batch, head])?;
            let attended = a.attended(query, keys);
            let mut scores = Vec::new();
            for key in attended.clone() {
                let there = self.kept(world, call, a, &mut read, (1, operands[1]), [batch, other, key])?;
                scores.push(self.score_of(
                    world,
                    call,
                    a,
                    [batch, head, query, key],
                    dot(a, &own, &there),
                )?);
            }
            let lowest = Number::constant(Scalar::Float(f64::NEG_INFINITY), a.dtype);
            let zero = Number::zero(a.dtype);
            let most = scores.iter().fold(lowest, |most, s| a.binary(BinaryOp::Maximum, most, *s));
            let none = a.binary(BinaryOp::Eq, most, lowest).is_true();
            let base = if none { zero } else { most };
            let (mut total, mut sums) = (zero, vec![zero; a.widths[1].max(0) as usize]);
            for (key, score) in attended.zip(scores) {
                let weight = a.binary(BinaryOp::Sub, score, base).unary(UnaryOp::Exp, a.dtype);
                total = a.binary(BinaryOp::Add, total, weight);
                let value = self.kept(world, call, a, &mut read, (2, operands[2]), [batch, other, key])?;
                add_products(a.dtype, &mut sums, a.rounded(weight), &value);
            }
            let empty = a.binary(BinaryOp::Eq, total, zero).is_true();
            let nothing = match end.empty_is_nan && a.keys > 0 {
                true => Number::constant(Scalar::Float(f64::NAN), a.dtype),
                false => zero,
            };
            let [rank, blocks, threads] = end.shared;
            let pieces = ceil(a.widths[1], end.lanes);
            for (k, piece) in sums.chunks(end.lanes as usize).enumerate() {
                // Threads of all blocks of a cluster take the pieces of all rows in turns.
                if (row as i64 * pieces + k as i64) / threads % blocks != rank {
                    continue;
                }
                let finished = |v: &Number| if empty { nothing } else { a.binary(BinaryOp::Div, *v, total) };
                let lent = piece.iter().map(|v| Some(finished(v))).collect();
                let coordinates = &[batch, head, query, k as i64 * end.lanes];
                let given = Given { coordinates, lent, values: &[] };
                self.called(world, call, needed(call, 1)?, given)?;
                if let (0, Some(log_sum)) = (k, call.regions[2]) {
                    let logarithm = total.unary(UnaryOp::Log, a.dtype);
                    let sum = if empty { zero } else { a.binary(BinaryOp::Add, most, logarithm) };
                    let given =
                        Given { coordinates: &[batch, head, query], lent: Vec::new(), values: &[sum] };
                    self.answered(world, call, log_sum, given, &[])?;
                }
            }
        }
        Ok(())
    }

    /// What the softmax sees of a query's product with a key.
    pub(super) fn score_of(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        a: &Attention,
        coordinates: [i64; 4],
        product: Number,
    ) -> Result<Number> {
        let scaled = a.binary(BinaryOp::Mul, product, a.scale);
        let Some(region) = call.regions[0] else { return Ok(scaled) };
        let score = self.element_of(world, call, region, &coordinates, &[scaled])?;
        let number = |v: f64| Number::constant(Scalar::Float(v), a.dtype);
        let (least, lowest) = (number(LEAST_SCORE as f64), number(f64::NEG_INFINITY));
        let below = a.binary(BinaryOp::Lt, score, least).is_true();
        let masked = below && a.bounded && a.binary(BinaryOp::Gt, score, lowest).is_true();
        Ok(if masked { least } else { score })
    }

    pub(super) fn rows(&mut self, world: &mut World<'k>, call: &TemplateCall, k: usize) -> Result<Rows> {
        match call.operands.get(k) {
            Some(Operand::Region(region)) => Ok(Rows::Elements(*region)),
            Some(Operand::Memory(memory)) => {
                let source = self.source(world, memory)?;
                Ok(Rows::Heads(source, self.indices(world, call, memory)?))
            }
            Some(Operand::Boxes(Boxes { map, at: None, .. })) => Ok(Rows::Tensor(*map)),
            _ => Err(wrong(call)),
        }
    }

    /// A row of an operand, given by batch, head and place.
    pub(super) fn row_of(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        rows: Rows,
        ([batch, head, row], width, dtype): ([i64; 3], i64, Dtype),
    ) -> Result<Vec<Number>> {
        match rows {
            Rows::Elements(region) => (0..width)
                .map(|d| self.element_of(world, call, region, &[batch, head, row, d], &[]))
                .collect(),
            Rows::Heads(source, strides) => {
                let first = batch * strides[0] + head * strides[1] + row * strides[2];
                self.line(world, source, first, width, dtype)
            }
            Rows::Tensor(map) => {
                let mut found = Vec::with_capacity(width.max(0) as usize);
                for d in 0..width {
                    let places = [d, row, head, batch].map(|at| Some(Data::Index(at))).to_vec();
                    found.push(match self.place_in_map(world, call, map, places)? {
                        Some((source, at)) => self.read(world, source, at, dtype)?,
                        None => Number::zero(dtype),
                    });
                }
                Ok(found)
            }
        }
    }

    /// A row of keys (operand 1) or of values (operand 2), which a block reads once.
    fn kept(
        &mut self,
        world: &mut World<'k>,
        call: &'k TemplateCall,
        a: &Attention,
        read: &mut Read,
        (k, rows): (usize, Rows),
        at: [i64; 3],
    ) -> Result<Vec<Number>> {
        let place = (k, at[0], at[1], at[2]);
        if let Some(row) = read.0.get(&place) {
            return Ok(row.clone());
        }
        let row = self.row_of(world, call, rows, (at, a.widths[k - 1], a.dtype))?;
        read.0.insert(place, row.clone());
        Ok(row)
    }
}

pub(super) fn dot(a: &Attention, left: &[Number], right: &[Number]) -> Number {
    left.iter().zip(right).fold(Number::zero(a.dtype), |sum, (x, y)| fused(a.dtype, *x, *y, sum))
}
