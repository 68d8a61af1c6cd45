//! Attention on tensor cores, for halves whose heads have contiguous rows: heads of any width up to 128, and of multiples of 8 up to 256.
//!
//! Few queries over many keys: all heads of a group share the keys, which are divided among blocks (`split`). On Hopper, `wgmma`
//! multiplies tiles that the copy engine loads. Elsewhere, and for rows that are no whole chunks of 16 bytes, `mma`. All of them call a
//! region for scores and the epilogue.
//!
//! Invariants: a template is chosen by sizes and layouts that hold for every run. Hints only choose among templates that all give the
//! result.

use super::attention::Scores;
use super::template::{Blocks, Template};
use crate::kernels::{Boxes, Kernel, LocalId, Memory, Operand, Routine, TensorMap, reach};
use crate::loops::uses::reduced_load;
use crate::loops::{Attention, BufferId, Expr, ExprId};
use crate::templates::attention::{MmaTile, SplitTile, WgmmaTile};
use crate::types::{Dtype, SymArena, SymInt};

/// Rows of heads in memory, their elements neighbours: strides of batch, head and row.
pub(super) struct Heads {
    buffer: BufferId,
    pub(super) dtype: Dtype,
    offset: SymInt,
    sizes: [SymInt; 4],
    strides: [SymInt; 3],
}

impl Heads {
    /// Boxes of so many rows by 64 elements.
    pub(super) fn boxes(&self, syms: &SymArena, rows: i64) -> TensorMap {
        // What has no neighbours may have any stride but zero.
        let strides = self
            .strides
            .iter()
            .zip(self.sizes)
            .map(|(stride, size)| if size == syms.constant(1) { syms.constant(256) } else { *stride });
        TensorMap {
            buffer: self.buffer,
            offset: self.offset,
            sizes: self.sizes.into_iter().rev().collect(),
            strides: std::iter::once(syms.constant(1)).chain(strides.rev()).collect(),
            boxes: vec![64, rows as u32, 1, 1],
            steps: vec![1; 4],
            swizzle: 128,
            tf32: false,
        }
    }
}

/// Sizes of a head and of a value, and the operands, whose rows begin at multiples of `chunk` elements.
pub(super) struct Tiled {
    size: i64,
    width: i64,
    chunk: i64,
    operands: [Heads; 3],
    form: Form,
}

enum Form {
    Mma,
    /// Blocks that share the keys of a few queries.
    Split(i64),
    Wgmma(WgmmaTile),
}

/// Elements of the 16 bytes that the copy engine and asynchronous copies move at a time.
const WHOLE: i64 = 8;

impl Template<'_> {
    /// How tensor cores take the attention, if they do.
    pub(super) fn attention_form(&self, a: &Attention) -> Option<Tiled> {
        let mut tiled = self.tiled(a)?;
        if tiled.chunk == WHOLE {
            if let Some(splits) = self.splits(a, &tiled) {
                tiled.form = Form::Split(splits);
                return Some(tiled);
            }
            if let Some(tile) = self.wgmma_tile(a, &tiled) {
                tiled.form = Form::Wgmma(tile);
                return Some(tiled);
            }
        } else if self.few_tile(a, Dtype::Float32).is_some() {
            // Blocks that share the keys of few queries matter more than tensor cores.
            return None;
        }
        (tiled.size.max(tiled.width) <= MmaTile::WIDEST).then_some(tiled)
    }

    pub(super) fn attention_tiles(self, a: &Attention, tiled: &Tiled) -> (&'static str, Kernel) {
        match tiled.form {
            Form::Mma => ("attention_mma", self.attention_mma(a, tiled)),
            Form::Split(splits) => ("attention_split", self.attention_split(a, tiled, splits)),
            Form::Wgmma(tile) => ("attention_wgmma", self.attention_wgmma(a, tiled, tile)),
        }
    }

    /// The operands as rows of neighbouring elements, where they are halves that tensor cores take.
    fn tiled(&self, a: &Attention) -> Option<Tiled> {
        let syms = &self.program.syms;
        let (size, width) = (syms.as_const(a.head_size)?, syms.as_const(a.value_size)?);
        let good = |n: i64| (1..=256).contains(&n);
        if self.target.arch < 80 || !good(size) || !good(width) {
            return None;
        }
        [WHOLE, 4, 2, 1].into_iter().filter(|chunk| size % chunk == 0 && width % chunk == 0).find_map(
            |chunk| {
                let heads = |operand, sizes| {
                    self.heads(operand, sizes, chunk).filter(|heads| heads.dtype.is_reduced_float())
                };
                let query = heads(a.query, [a.batch, a.heads, a.queries, a.head_size])?;
                let key = heads(a.key, [a.batch, a.kv_heads, a.keys, a.head_size])?;
                let value = heads(a.value, [a.batch, a.kv_heads, a.keys, a.value_size])?;
                let one_type = query.dtype == key.dtype && key.dtype == value.dtype;
                let operands = [query, key, value];
                one_type.then_some(Tiled { size, width, chunk, operands, form: Form::Mma })
            },
        )
    }

    /// An operand that lies in memory as rows of neighbours which begin at multiples of `chunk` elements.
    pub(super) fn heads(&self, operand: ExprId, sizes: [SymInt; 4], chunk: i64) -> Option<Heads> {
        let program = self.program;
        let syms = &program.syms;
        let whole = |s: SymInt| syms.as_const(syms.modulo(s, syms.constant(chunk))) == Some(0);
        let load = reduced_load(program, operand);
        let Expr::Load { buffer, index, data } = &program.exprs[load] else { return None };
        if !data.is_empty() {
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
            dtype: program.exprs.dtype(load),
            offset: rest,
            sizes,
            strides: [strides[0], strides[1], strides[2]],
        })
    }

    /// Such an operand at its address.
    pub(super) fn row_of_heads(&mut self, heads: &Heads) -> Operand {
        let Heads { buffer, dtype, offset, sizes, strides } = heads;
        let syms = &self.program.syms;
        let elements = reach(syms, sizes, &[&strides[..], &[syms.constant(1)]].concat());
        let pointer = self.pointer(*buffer);
        let at = Some(self.emitter.index(*offset));
        let strides = strides.map(|s| self.emitter.index(s)).to_vec();
        let memory = Memory { pointer, dtype: *dtype, at, strides, elements, written: false };
        Operand::Memory(Box::new(memory))
    }

    /// Such an operand as a tensor that comes in boxes of so many rows.
    pub(super) fn tensor(&mut self, heads: &Heads, rows: i64) -> Operand {
        let map = self.map(heads.boxes(&self.program.syms, rows));
        Operand::Boxes(Boxes { map, at: None, written: false })
    }

    /// The regions of the forms on tensor cores, whose epilogue takes vectors.
    fn regions_of_tiles(&mut self, a: &Attention, width: i64) -> Vec<Option<LocalId>> {
        self.lanes = [8, 4, 2].into_iter().find(|lanes| width % lanes == 0).unwrap_or(1);
        self.emitter.aligned = Some(self.lanes);
        self.attention_regions(a, Dtype::Float32)
    }

    fn attention_mma(mut self, a: &Attention, tiled: &Tiled) -> Kernel {
        let syms = &self.program.syms;
        let heads = syms.mul(a.batch, a.heads);
        let blocks_of = |rows: i64| syms.mul(heads, syms.ceildiv(a.queries, syms.constant(rows)));
        let large = MmaTile { warps: 8 };
        let many = syms.hint(blocks_of(large.queries())) >= self.target.multiprocessors as i64;
        let tile = if many { large } else { MmaTile { warps: 4 } };
        let (warps, blocks) = (tile.warps, blocks_of(tile.queries()));
        let operands = tiled.operands.iter().map(|heads| self.row_of_heads(heads)).collect();
        let regions = self.regions_of_tiles(a, tiled.width);
        let numbers = self.attention_numbers(a);
        let Tiled { size, width, chunk, .. } = *tiled;
        let routine = Routine::AttentionMma {
            stored: tiled.operands[0].dtype,
            scale: a.scale,
            warps,
            head_size: size,
            value_size: width,
            chunk,
            bounded: self.bounded(&Scores::of(a)),
            empty_is_nan: a.empty_is_nan,
        };
        self.call(routine, operands, &numbers, regions);
        let shared = self.program.syms.constant(tile.bytes(size, width));
        self.finish(Blocks::new(blocks, warps * 32, shared))
    }

    /// Blocks that share the keys of a few queries, where these are so few that all of a group are rows of a tile.
    fn splits(&self, a: &Attention, tiled: &Tiled) -> Option<i64> {
        let syms = &self.program.syms;
        let (heads, kv_heads) = (syms.as_const(a.heads)?, syms.as_const(a.kv_heads)?);
        let rows = syms.as_const(a.queries)? * (heads / kv_heads.max(1));
        let wide = tiled.size.max(tiled.width) > MmaTile::WIDEST;
        if !(1..=SplitTile::MOST_TILES * 16).contains(&rows) || wide {
            return None;
        }
        if SplitTile::bytes(rows, tiled.size, tiled.width) > self.target.shared_bytes as i64 {
            return None;
        }
        // Only clusters, which Hopper brought, can put together what several blocks find.
        let most = if self.target.arch >= 90 { 8 } else { 1 };
        let blocks = syms.hint(a.batch).max(1) * kv_heads;
        let enough = |s: &i64| {
            s * 2 * blocks <= self.target.multiprocessors as i64
                && syms.hint(a.keys) >= s * 2 * SplitTile::WARPS * 32
        };
        let mut splits = 1;
        while splits < most && enough(&splits) {
            splits *= 2;
        }
        Some(splits)
    }

    fn attention_split(mut self, a: &Attention, tiled: &Tiled, splits: i64) -> Kernel {
        let syms = &self.program.syms;
        let constant = |s: SymInt| syms.as_const(s).expect("few queries are a known number");
        let rows = constant(a.queries) * (constant(a.heads) / constant(a.kv_heads));
        let count = syms.mul(syms.mul(a.batch, a.kv_heads), syms.constant(splits));
        let shared = syms.constant(SplitTile::bytes(rows, tiled.size, tiled.width));
        let operands = tiled.operands.iter().map(|heads| self.row_of_heads(heads)).collect();
        let regions = self.regions_of_tiles(a, tiled.width);
        let numbers = self.attention_numbers(a);
        let routine = Routine::AttentionSplit {
            stored: tiled.operands[0].dtype,
            scale: a.scale,
            warps: SplitTile::WARPS,
            splits,
            tiles: (rows + 15) / 16,
            stages: SplitTile::STAGES,
            head_size: tiled.size,
            value_size: tiled.width,
            bounded: self.bounded(&Scores::of(a)),
            empty_is_nan: a.empty_is_nan,
        };
        self.call(routine, operands, &numbers, regions);
        self.finish(Blocks { count, threads: SplitTile::WARPS * 32, cluster: splits, resident: 1, shared })
    }

    /// The tile that fits a block's registers and shared memory, where the operands are tensors for the copy engine.
    fn wgmma_tile(&self, a: &Attention, tiled: &Tiled) -> Option<WgmmaTile> {
        let syms = &self.program.syms;
        // A dimension without a stride is no tensor's.
        let strided = |h: &Heads| {
            h.strides
                .iter()
                .zip(h.sizes)
                .all(|(stride, size)| syms.as_const(*stride) != Some(0) || size == syms.constant(1))
        };
        if self.target.arch != 90 || !tiled.operands.iter().all(strided) {
            return None;
        }
        // A tile's scores, the weights made of them and the sums are in the registers of a warpgroup. Where there is
        // too little for all multiprocessors, two blocks of one warpgroup share one.
        let ends = a.band.upper.is_some() || a.band.length.is_some();
        let plain = !ends && a.mask.is_none() && a.score.is_none();
        let (heads, queries) = (syms.hint(syms.mul(a.batch, a.heads)).max(1), syms.hint(a.queries).max(1));
        let blocks = |groups: i64| heads * ((queries + groups * 64 - 1) / (groups * 64));
        let few = blocks(2) < self.target.multiprocessors as i64;
        let (groups, keys) = match tiled.size.max(tiled.width) {
            ..=64 if few => (1, 128),
            ..=64 if blocks(2) * 2 < blocks(3) * 3 => (2, 128),
            ..=64 => (3, 128),
            65..=96 => (2, 144),
            97..=128 if plain => (2, 176),
            97..=128 => (2, 128),
            129..=192 => (2, 96),
            _ => (2, 80),
        };
        let resident = if groups == 1 { 2 } else { 1 };
        let stages = if groups == 1 { 2 } else { 3 };
        [stages, 2].into_iter().map(|stages| WgmmaTile { groups, keys, stages, resident }).find(|tile| {
            tile.resident * (tile.bytes(tiled.size, tiled.width) + 1024)
                <= self.target.shared_bytes as i64 + 1024
        })
    }

    fn attention_wgmma(mut self, a: &Attention, tiled: &Tiled, tile: WgmmaTile) -> Kernel {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let WgmmaTile { groups, keys, stages, resident } = tile;
        let (rows, wave) = (tile.queries(), resident * self.target.multiprocessors as i64);
        let operands = [rows, keys, keys].into_iter().zip(&tiled.operands);
        let operands = operands.map(|(rows, heads)| self.tensor(heads, rows)).collect();
        // Blocks of the first wave take pairs of tiles, all further blocks one.
        let heads = syms.mul(a.batch, a.heads);
        let (one, tiles) = (syms.constant(1), syms.ceildiv(a.queries, syms.constant(rows)));
        let pairs = syms.mul(heads, syms.ceildiv(tiles, syms.constant(2)));
        let rounds = syms.sub(syms.floordiv(pairs, syms.constant(wave)), one);
        let rounds = syms.max(rounds, syms.constant(0));
        let first = syms.mul_const(syms.min(rounds, one), wave);
        let singles = syms.sub(pairs, syms.mul_const(rounds, wave));
        let partners = syms.mul(singles, syms.min(syms.sub(tiles, one), one));
        let count = syms.max(syms.sum(&[first, singles, partners]), syms.constant(0));
        // Heads whose keys and values fit the second-level cache together.
        let key_bytes = 2 * (tiled.size + tiled.width);
        let room = syms.constant(self.target.l2 as i64 * 2 / 5 / key_bytes);
        let near = syms.floordiv(room, syms.max(a.keys, one));
        let near = syms.mul(near, syms.floordiv(a.heads, syms.max(a.kv_heads, one)));
        let near = syms.max(syms.min(near, heads), one);
        let regions = self.regions_of_tiles(a, tiled.width);
        let numbers = [&self.attention_numbers(a)[..], &[rounds, near]].concat();
        let routine = Routine::AttentionWgmma {
            stored: tiled.operands[0].dtype,
            scale: a.scale,
            wave,
            groups,
            keys,
            stages,
            head_size: tiled.size,
            value_size: tiled.width,
            bounded: self.bounded(&Scores::of(a)),
            empty_is_nan: a.empty_is_nan,
        };
        self.call(routine, operands, &numbers, regions);
        let shared = syms.constant(tile.bytes(tiled.size, tiled.width));
        self.finish(Blocks { count, threads: tile.threads(), cluster: 1, resident, shared })
    }
}
