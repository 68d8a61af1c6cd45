//! Attention: what its templates have in common, and those that ask for elements one by one: tiles of queries and keys in
//! shared memory, few queries whose keys are dealt out to warps and blocks, or where neither has room, a warp for each query.
//! Those for tensor cores (`attention_tiles`) take halves whose rows of heads are neighbours.

use super::super::emit::Storage;
use super::super::{Kernel, NativeHeader, Refusal, cpp};
use super::attention_tiles::Heads;
use super::function::Launch;
use super::template::{Shape, Template};
use crate::loops::{Attention, AttentionBackward, Band, ExprId, Score};
use crate::templates::attention::{FewTile, FmaTile, WARPS, WIDEST_VALUE};
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

impl Fma {
    fn blocks(&self, syms: &SymArena, a: &Attention) -> SymInt {
        let tiles = syms.ceildiv(a.queries, syms.constant(self.tile.queries()));
        syms.mul(syms.mul(a.batch, a.heads), tiles)
    }
}

/// Shared memory that a block may take in any case: the oldest supported GPU has so much.
const FMA_BYTES: i64 = 64 << 10;

impl Template<'_> {
    pub(super) fn attention(mut self, a: &Attention) -> Result<Kernel, Refusal> {
        let program = self.program;
        let syms = &program.syms;
        self = match self.attention_tiles(a) {
            Ok(kernel) => return Ok(kernel),
            Err(template) => *template,
        };
        let Some(width) = syms.as_const(a.value_size).filter(|n| *n <= WIDEST_VALUE) else {
            return Err(Refusal {
                operators: self.group.operators.located(&program.origins),
                message: format!(
                    "the CUDA backend keeps a query's result in registers, for values of up to {WIDEST_VALUE} elements, not {}",
                    syms.display(a.value_size)
                ),
            });
        };
        let dtype = program.exprs.dtype(a.query).compute();
        let ty = cpp::scalar_type(dtype);
        let operands = [
            ("query", a.query, [a.batch, a.heads, a.queries, a.head_size]),
            ("key", a.key, [a.batch, a.kv_heads, a.keys, a.head_size]),
            ("value", a.value, [a.batch, a.kv_heads, a.keys, a.value_size]),
        ];
        let few = self.few_tile(a, dtype);
        let tile = if few.is_none() { self.fma_tile(a, dtype) } else { None };
        let rows = tile.as_ref().is_some_and(|t| t.rows.is_some());
        for (name, operand, sizes) in operands.into_iter().filter(|o| !rows || o.0 == "query") {
            let vars = program.vars(&sizes);
            let names = [(vars[0], "batch"), (vars[1], "head"), (vars[2], "place"), (vars[3], "d")];
            self.element(name, &[], &names, operand, dtype);
        }
        self.score(&Scores::of(a), dtype, false);
        self.attention_epilogue(a, dtype);
        self.log_sum(a, dtype);
        self.band(&a.band, [a.batch, a.heads, a.keys]);
        let sizes = [a.batch, a.heads, a.kv_heads, a.queries, a.keys, a.head_size, a.value_size];
        let sizes: Vec<String> = sizes.into_iter().map(|s| self.emitter.index_text(s)).collect();
        let scale = cpp::literal(Scalar::Float(a.scale), dtype);
        let (parts, nan) = ((width + 31) / 32, a.empty_is_nan);
        self.emitter.line(&format!("const litz_attention_shape shape = {{{}}};", sizes.join(", ")));
        if let Some(tile) = few {
            return Ok(self.attention_few(a, dtype, &tile, &scale));
        }
        if let Some(tile) = tile {
            let (FmaTile { own, stages }, head_size) = (tile.tile, tile.head_size);
            for (name, heads) in ["key", "value"].iter().zip(tile.rows.iter().flatten()) {
                self.row_of_heads(name, heads);
            }
            self.emitter.line(&format!(
                "litz_attention_fma<{ty}, {own}, {head_size}, {parts}, {stages}, {nan}>(shape, band, {scale}, query, key, value, score, epilogue, log_sum);"
            ));
            let mut headers = vec![
                NativeHeader::CudaAttentionBand,
                NativeHeader::CudaAttention,
                NativeHeader::CudaAttentionFma,
            ];
            if rows {
                headers.extend([
                    NativeHeader::CudaGemm,
                    NativeHeader::CudaMma,
                    NativeHeader::CudaAttentionFmaRows,
                ]);
            }
            let (blocks, shared) = (tile.blocks(syms, a), syms.constant(tile.bytes));
            return Ok(self.finish(Shape {
                kind: "attention_fma",
                headers,
                blocks,
                launch: Launch::block(FmaTile::THREADS),
                shared,
            }));
        }
        self.emitter.line(&format!(
            "litz_attention_run<{ty}, {parts}, {nan}>(shape, band, {scale}, query, key, value, score, epilogue, log_sum);"
        ));
        let rows = syms.product(&[a.batch, a.heads, a.queries]);
        let blocks = syms.ceildiv(rows, syms.constant(WARPS));
        let shared = syms.mul_const(a.head_size, WARPS * dtype.size() as i64);
        let headers = vec![NativeHeader::CudaAttentionBand, NativeHeader::CudaAttention];
        Ok(self.finish(Shape {
            kind: "attention",
            headers,
            blocks,
            launch: Launch::block(WARPS * 32),
            shared,
        }))
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

    fn attention_few(self, a: &Attention, dtype: Dtype, few: &Few, scale: &str) -> Kernel {
        let (syms, ty, mut this) = (&self.program.syms, cpp::scalar_type(dtype), self);
        let FewTile { own, splits, each } = few.tile;
        let parts = [few.head_size, few.value_size].map(|n| (n.max(1) + 31) / 32);
        let ([depth, parts], nan) = (parts, a.empty_is_nan);
        this.emitter.line(&format!(
            "litz_attention_few<{ty}, {own}, {splits}, {each}, {depth}, {parts}, {nan}>(shape, band, {scale}, query, key, value, score, epilogue, log_sum);"
        ));
        let rows = syms.mul(a.queries, syms.floordiv(a.heads, a.kv_heads));
        let chunks = syms.ceildiv(rows, syms.constant(own));
        let blocks = syms.product(&[a.batch, a.kv_heads, chunks, syms.constant(splits)]);
        let shared = syms.constant(FewTile::bytes(own, few.value_size, dtype.size() as i64));
        let headers = vec![
            NativeHeader::CudaTma,
            NativeHeader::CudaAttentionBand,
            NativeHeader::CudaAttention,
            NativeHeader::CudaAttentionFew,
        ];
        let launch = Launch { threads: FewTile::WARPS * 32, cluster: splits, resident: 2 };
        this.finish(Shape { kind: "attention_few", headers, blocks, launch, shared })
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

    /// The keys that a query attends, as `band`.
    pub(super) fn band(&mut self, band: &Band, [batch, heads, all_keys]: [SymInt; 3]) {
        let Band { lower, upper, length } = *band;
        self.emitter.open();
        let level = self.emitter.depth();
        for (k, (size, name)) in [(batch, "batch"), (heads, "head")].into_iter().enumerate() {
            self.emitter.bind(self.program.syms.index_var(k as u32, size), name, level);
        }
        let keys = match length {
            Some(length) => self.emitter.value_text(length),
            None => self.emitter.index_text(all_keys),
        };
        self.emitter.line(&format!("return {keys};"));
        self.emitter.close("const auto keys_of = [&](i64 batch, i64 head) -> i64");
        self.emitter.line(";");
        let mut bound = |bound: Option<_>, none: &str| match bound {
            Some(bound) => self.emitter.index_text(bound),
            None => none.to_string(),
        };
        let (lower, upper) = (bound(lower, "LITZ_ANY_LOWER"), bound(upper, "LITZ_ANY_UPPER"));
        self.emitter
            .line(&format!("const litz_band<decltype(keys_of)> band = {{{lower}, {upper}, keys_of}};"));
    }

    /// What the softmax sees of a scaled score.
    /// `bounded`: for templates that scale scores before they subtract, which the lowest number of a dtype would not survive.
    pub(super) fn score(&mut self, scores: &Scores, dtype: Dtype, bounded: bool) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let ty = cpp::scalar_type(dtype);
        self.emitter.open();
        let level = self.emitter.depth();
        let names = ["batch", "head", "place", "key"];
        for (k, (size, name)) in scores.sizes.into_iter().zip(names).enumerate() {
            self.emitter.bind(syms.index_var(k as u32, size), name, level);
        }
        let bound = |text: String| if bounded { format!("litz_bounded({text})") } else { text };
        let text = match (scores.score, scores.mask) {
            (Some(score), _) => {
                let own = self.program.exprs.dtype(score.value);
                let raw = self.emitter.uniform("s");
                self.emitter.storage.insert(score.raw, Storage::Row(raw));
                let value = self.emitter.value(score.value);
                let value = if own == dtype { value } else { self.emitter.convert(value, dtype) };
                bound(self.emitter.text(value.value))
            }
            (None, Some(mask)) => {
                let own = self.program.exprs.dtype(mask);
                let value = self.emitter.value(mask);
                if own == Dtype::Bool {
                    let lowest = cpp::literal(Scalar::Float(f64::NEG_INFINITY), dtype);
                    format!("{} ? s : {lowest}", self.emitter.text(value.value))
                } else {
                    let value = if own == dtype { value } else { self.emitter.convert(value, dtype) };
                    bound(format!("add(s, {})", self.emitter.text(value.value)))
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

    /// Where the logarithm of a row's sum of exponentials goes.
    pub(super) fn log_sum(&mut self, a: &Attention, dtype: Dtype) {
        let ty = cpp::scalar_type(dtype);
        let store = match a.log_sum {
            None => String::new(),
            Some(buffer) => {
                let strides = self.program.buffers[buffer].strides.clone();
                let [batch, head, place] = [0, 1, 2].map(|k| self.emitter.index_text(strides[k]));
                let pointer = self.pointer(buffer);
                format!(" {pointer}[batch * {batch} + head * {head} + place * {place}] = value; ")
            }
        };
        self.emitter.line(&format!(
            "const auto log_sum = [&](i64 batch, i64 head, i64 place, {ty} value) {{{store}}};"
        ));
    }

    pub(super) fn attention_epilogue(&mut self, a: &Attention, dtype: Dtype) {
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
