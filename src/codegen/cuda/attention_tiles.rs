//! Attention on tensor cores, of halves whose rows of heads are neighbours in memory: heads of any width up to 128, and of whole eights up
//! to 256.
//!
//! Few queries over many keys share their keys with all heads of a group and deal them out to blocks (`split`); on
//! Hopper, tiles of queries meet tiles of keys by wgmma and the copy engine (`wgmma`); elsewhere by mma (`mma`), which alone takes rows
//! that are no whole chunks of 16 bytes. All have the score's function and the epilogue in their slots.
//!
//! Invariants: a template is chosen by sizes and layouts that hold for every run; hints only choose among templates
//! that all give the result.

use super::super::{Kernel, NativeHeader, TensorMap, cpp};
use super::attention::Scores;
use super::function::Launch;
use super::template::{Shape, Template};
use crate::loops::uses::reduced_load;
use crate::loops::{Attention, BufferId, Expr, ExprId};
use crate::templates::attention::{MmaTile, SplitTile, WgmmaTile};
use crate::types::{Dtype, Scalar, SymArena, SymInt};

/// The headers of attention on Hopper's tensor cores, each after those that it uses.
pub(super) const WGMMA_HEADERS: [NativeHeader; 7] = [
    NativeHeader::CudaGemm,
    NativeHeader::CudaMma,
    NativeHeader::CudaTma,
    NativeHeader::CudaWgmma,
    NativeHeader::CudaAttentionBand,
    NativeHeader::CudaAttentionMma,
    NativeHeader::CudaAttentionWgmma,
];

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
struct Tiled {
    size: i64,
    width: i64,
    chunk: i64,
    operands: [Heads; 3],
}

/// Elements of the 16 bytes that the copy engine and asynchronous copies move at a time.
const WHOLE: i64 = 8;

impl<'p> Template<'p> {
    /// The kernel of attention that tensor cores take, or the template back.
    pub(super) fn attention_tiles(self, a: &Attention) -> Result<Kernel, Box<Template<'p>>> {
        let Some(tiled) = self.tiled(a) else { return Err(Box::new(self)) };
        if tiled.chunk == WHOLE {
            if let Some(splits) = self.splits(a, &tiled) {
                return Ok(self.attention_split(a, &tiled, splits));
            }
            if let Some(tile) = self.wgmma_tile(a, &tiled) {
                return Ok(self.attention_wgmma(a, &tiled, &tile));
            }
        } else if self.few_tile(a, Dtype::Float32).is_some() {
            // Blocks that share the keys of few queries matter more than tensor cores.
            return Err(Box::new(self));
        }
        if tiled.size.max(tiled.width) > MmaTile::WIDEST {
            return Err(Box::new(self));
        }
        Ok(self.attention_mma(a, &tiled))
    }

    /// The operands as rows of neighbouring elements, where they are halves that tensor cores take.
    fn tiled(&self, a: &Attention) -> Option<Tiled> {
        let program = self.program;
        let syms = &program.syms;
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
                one_type.then_some(Tiled { size, width, chunk, operands: [query, key, value] })
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

    /// Such an operand at its address, under a name.
    pub(super) fn row_of_heads(&mut self, name: &str, heads: &Heads) {
        let memory = cpp::memory_type(heads.dtype);
        let strides: Vec<String> = heads.strides.iter().map(|s| self.emitter.index_text(*s)).collect();
        let (pointer, offset) = (self.pointer(heads.buffer), self.emitter.index_text(heads.offset));
        self.emitter.line(&format!(
            "const litz_heads<{memory}> {name} = {{{pointer} + {offset}, {}}};",
            strides.join(", ")
        ));
    }

    /// What the templates are called with: the sizes, the band, the score and the epilogue.
    fn slots(&mut self, a: &Attention, width: i64) -> (&'static str, String, bool) {
        self.score(&Scores::of(a), Dtype::Float32, true);
        self.lanes = [8, 4, 2].into_iter().find(|lanes| width % lanes == 0).unwrap_or(1);
        self.emitter.aligned = Some(self.lanes);
        self.attention_epilogue(a, Dtype::Float32);
        self.log_sum(a, Dtype::Float32);
        self.band(&a.band, [a.batch, a.heads, a.keys]);
        let sizes = [a.batch, a.heads, a.kv_heads, a.queries, a.keys];
        let sizes: Vec<String> = sizes.into_iter().map(|s| self.emitter.index_text(s)).collect();
        self.emitter.line(&format!("const litz_attention_tiles shape = {{{}}};", sizes.join(", ")));
        let scored = a.mask.is_some() || a.score.is_some();
        ("shape, band", cpp::literal(Scalar::Float(a.scale), Dtype::Float32), scored)
    }

    /// The operands as rows at addresses: `query`, `key`, `value`.
    fn rows_of_heads(&mut self, tiled: &Tiled) -> &'static str {
        let memory = cpp::memory_type(tiled.operands[0].dtype);
        for (name, heads) in ["query", "key", "value"].iter().zip(&tiled.operands) {
            self.row_of_heads(name, heads);
        }
        memory
    }

    fn attention_mma(mut self, a: &Attention, tiled: &Tiled) -> Kernel {
        let syms = &self.program.syms;
        let heads = syms.mul(a.batch, a.heads);
        let blocks_of = |rows: i64| syms.mul(heads, syms.ceildiv(a.queries, syms.constant(rows)));
        let large = MmaTile { warps: 8 };
        let many = syms.hint(blocks_of(large.queries())) >= self.target.multiprocessors as i64;
        let tile = if many { large } else { MmaTile { warps: 4 } };
        let (warps, blocks) = (tile.warps, blocks_of(tile.queries()));
        let memory = self.rows_of_heads(tiled);
        let (shape, scale, scored) = self.slots(a, tiled.width);
        let (Tiled { size, width, chunk, .. }, nan) = (tiled, a.empty_is_nan);
        self.emitter.line(&format!(
            "litz_attention_mma<{memory}, {warps}, {size}, {width}, {chunk}, {scored}, {nan}>({shape}, query, key, value, {scale}, score, epilogue, log_sum);"
        ));
        let shared = self.program.syms.constant(tile.bytes(*size, *width));
        let headers = vec![
            NativeHeader::CudaGemm,
            NativeHeader::CudaMma,
            NativeHeader::CudaAttentionBand,
            NativeHeader::CudaAttentionMma,
        ];
        self.finish(Shape {
            kind: "attention_mma",
            headers,
            blocks,
            launch: Launch::block(warps * 32),
            shared,
        })
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
        let blocks = syms.mul(syms.mul(a.batch, a.kv_heads), syms.constant(splits));
        let shared = syms.constant(SplitTile::bytes(rows, tiled.size, tiled.width));
        let memory = self.rows_of_heads(tiled);
        let (shape, scale, scored) = self.slots(a, tiled.width);
        let (Tiled { size, width, .. }, nan, tiles) = (tiled, a.empty_is_nan, (rows + 15) / 16);
        let (warps, stages) = (SplitTile::WARPS, SplitTile::STAGES);
        self.emitter.line(&format!(
            "litz_attention_split<{memory}, {warps}, {splits}, {tiles}, {stages}, {size}, {width}, {scored}, {nan}>({shape}, query, key, value, {scale}, score, epilogue, log_sum);"
        ));
        let headers = vec![
            NativeHeader::CudaGemm,
            NativeHeader::CudaMma,
            NativeHeader::CudaTma,
            NativeHeader::CudaAttentionBand,
            NativeHeader::CudaAttentionMma,
            NativeHeader::CudaAttentionSplit,
        ];
        let launch = Launch { threads: SplitTile::WARPS * 32, cluster: splits, resident: 1 };
        self.finish(Shape { kind: "attention_split", headers, blocks, launch, shared })
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

    fn attention_wgmma(mut self, a: &Attention, tiled: &Tiled, tile: &WgmmaTile) -> Kernel {
        let program = self.program;
        let syms = &program.syms;
        let WgmmaTile { groups, keys, stages, resident } = *tile;
        let (rows, wave) = (tile.queries(), resident * self.target.multiprocessors as i64);
        let maps: Vec<String> = [rows, keys, keys]
            .into_iter()
            .zip(&tiled.operands)
            .map(|(rows, heads)| self.map(heads.boxes(syms, rows)))
            .collect();
        // Blocks of the first wave take pairs of tiles, all further blocks one.
        let heads = syms.mul(a.batch, a.heads);
        let (one, tiles) = (syms.constant(1), syms.ceildiv(a.queries, syms.constant(rows)));
        let pairs = syms.mul(heads, syms.ceildiv(tiles, syms.constant(2)));
        let rounds = syms.sub(syms.floordiv(pairs, syms.constant(wave)), one);
        let rounds = syms.max(rounds, syms.constant(0));
        let first = syms.mul_const(syms.min(rounds, one), wave);
        let singles = syms.sub(pairs, syms.mul_const(rounds, wave));
        let partners = syms.mul(singles, syms.min(syms.sub(tiles, one), one));
        let blocks = syms.max(syms.sum(&[first, singles, partners]), syms.constant(0));
        // Heads whose keys and values fit the second-level cache together.
        let key_bytes = 2 * (tiled.size + tiled.width);
        let room = syms.constant(self.target.l2 as i64 * 2 / 5 / key_bytes);
        let near = syms.floordiv(room, syms.max(a.keys, syms.constant(1)));
        let near = syms.mul(near, syms.floordiv(a.heads, syms.max(a.kv_heads, syms.constant(1))));
        let near = syms.max(syms.min(near, heads), syms.constant(1));
        let order = [rounds, near].map(|s| self.emitter.index_text(s)).join(", (int)");
        self.emitter.line(&format!("const litz_attention_order order = {{{wave}, (int){order}}};"));
        let memory = cpp::memory_type(tiled.operands[0].dtype);
        self.before = products(tiled.operands[0].dtype, keys, &[tiled.width]);
        let (shape, scale, scored) = self.slots(a, tiled.width);
        let (Tiled { size, width, .. }, nan, maps) = (tiled, a.empty_is_nan, maps.join(", "));
        self.emitter.line(&format!(
            "litz_attention_wgmma<{memory}, LITZ_KERNEL_products, {groups}, {keys}, {stages}, {size}, {width}, {scored}, {nan}>(order, {shape}, {maps}, {scale}, score, epilogue, log_sum);"
        ));
        let headers = WGMMA_HEADERS.to_vec();
        let launch = Launch { threads: tile.threads(), cluster: 1, resident };
        let shared = syms.constant(tile.bytes(tiled.size, tiled.width));
        self.finish(Shape { kind: "attention_wgmma", headers, blocks, launch, shared })
    }
}

/// The products of a tile as wgmma has them: of 64 rows by `rows` of a tile, both in shared memory, and of weights in registers by the rows
/// of a tile, of each of these widths.
pub(super) fn products(dtype: Dtype, rows: i64, widths: &[i64]) -> String {
    let ty = if dtype == Dtype::Bfloat16 { "bf16" } else { "f16" };
    let list = |n: i64| (0..n).map(|k| format!("%{k}")).collect::<Vec<_>>().join(", ");
    let sums = |n: i64| (0..n).map(|k| format!("\"+f\"(c[{k}])")).collect::<Vec<_>>().join(", ");
    let scores = rows / 2;
    let mut text = format!(
        "
struct LITZ_KERNEL_products {{
    static __device__ __forceinline__ void scores(f32 (&c)[{scores}], u64 a, u64 b, int keep) {{
        asm volatile(\"{{ .reg .pred p; setp.ne.b32 p, %{}, 0; wgmma.mma_async.sync.aligned.m64n{rows}k16.f32.{ty}.{ty} {{{}}}, %{scores}, %{}, p, 1, 1, 0, 0; }}\"
                     : {} : \"l\"(a), \"l\"(b), \"r\"(keep));
    }}",
        scores + 2,
        list(scores),
        scores + 1,
        sums(scores),
    );
    let mut widths = widths.to_vec();
    widths.dedup();
    for width in widths {
        let n = width / 2;
        text.push_str(&format!(
            "
    static __device__ __forceinline__ void sums(f32 (&c)[{n}], const u32 (&a)[4], u64 b) {{
        asm volatile(\"{{ .reg .pred p; setp.eq.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n{width}k16.f32.{ty}.{ty} {{{}}}, {{%{n}, %{}, %{}, %{}}}, %{}, p, 1, 1, 1; }}\"
                     : {} : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"l\"(b));
    }}",
            list(n),
            n + 1,
            n + 2,
            n + 3,
            n + 4,
            sums(n),
        ));
    }
    text.push_str("\n};\n");
    text
}
