//! Attention: what its templates have in common, and those that ask for elements one by one: tiles of queries and keys in
//! shared memory, or where a tile has no room there, a warp for each query. Those for tensor cores (`attention_tiles`) take
//! rows of heads that are whole chunks of halves.

use super::super::emit::{Operand, Storage};
use super::super::{CodegenError, Kernel, NativeHeader, cpp};
use super::template::{Shape, Template};
use super::writer::Launch;
use crate::loops::{Attention, Band};
use crate::types::{Dtype, Scalar, SymArena, SymInt};

/// Threads of a block of `attention_fma.h`, and the keys that it walks over at once.
const FMA_THREADS: i64 = 128;
const FMA_KEYS: i64 = 32;
/// Shared memory that a block may take in any case: the oldest supported GPU has so much.
const FMA_BYTES: i64 = 64 << 10;
/// Bytes of results of a thread, by four: more would leave no registers for the products.
const FMA_SUMS: i64 = 64;

/// A tile of `attention_fma.h`: 16 times `own` queries.
struct FmaTile {
    own: i64,
    head_size: i64,
    bytes: i64,
}

impl FmaTile {
    fn blocks(&self, syms: &SymArena, a: &Attention) -> SymInt {
        let tiles = syms.ceildiv(a.queries, syms.constant(16 * self.own));
        syms.mul(syms.mul(a.batch, a.heads), tiles)
    }
}

impl Template<'_> {
    pub(super) fn attention(mut self, a: &Attention) -> Result<Kernel, CodegenError> {
        let program = self.program;
        let syms = &program.syms;
        self = match self.attention_tiles(a) {
            Ok(kernel) => return Ok(kernel),
            Err(template) => *template,
        };
        let Some(width) = syms.as_const(a.value_size).filter(|n| *n <= 512) else {
            return Err(CodegenError {
                operators: self.group.operators.join(", "),
                message: format!(
                    "the CUDA backend keeps a query's result in registers, for values of up to 512 elements, not {}",
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
        for (name, operand, sizes) in operands {
            let vars = program.vars(&sizes);
            let names = [(vars[0], "batch"), (vars[1], "head"), (vars[2], "place"), (vars[3], "d")];
            self.element(name, &[], &names, operand, dtype);
        }
        self.score(a, dtype);
        self.attention_epilogue(a, dtype);
        self.band(a);
        let sizes = [a.batch, a.heads, a.kv_heads, a.queries, a.keys, a.head_size, a.value_size];
        let sizes: Vec<String> = sizes.into_iter().map(|s| self.emitter.index(s)).collect();
        let scale = cpp::literal(Scalar::Float(a.scale), dtype);
        let (parts, nan) = ((width + 31) / 32, a.empty_is_nan);
        self.emitter.line(&format!("const litz_attention_shape shape = {{{}}};", sizes.join(", ")));
        if let Some(tile) = self.fma_tile(a, dtype) {
            let FmaTile { own, head_size, .. } = tile;
            self.emitter.line(&format!(
                "litz_attention_fma<{ty}, {own}, {head_size}, {parts}, {nan}>(shape, band, {scale}, query, key, value, score, epilogue);"
            ));
            let headers = vec![
                NativeHeader::CudaAttentionBand,
                NativeHeader::CudaAttention,
                NativeHeader::CudaAttentionFma,
            ];
            let (blocks, shared) = (tile.blocks(syms, a), syms.constant(tile.bytes));
            return Ok(self.finish(Shape {
                kind: "attention_fma",
                headers,
                blocks,
                launch: Launch::block(FMA_THREADS),
                shared,
            }));
        }
        self.emitter.line(&format!(
            "litz_attention_run<{ty}, {parts}, {nan}>(shape, band, {scale}, query, key, value, score, epilogue);"
        ));
        let rows = syms.product(&[a.batch, a.heads, a.queries]);
        let blocks = syms.ceildiv(rows, syms.constant(4));
        let shared = syms.mul_const(a.head_size, 4 * dtype.size() as i64);
        let headers = vec![NativeHeader::CudaAttentionBand, NativeHeader::CudaAttention];
        Ok(self.finish(Shape { kind: "attention", headers, blocks, launch: Launch::block(128), shared }))
    }

    /// The largest tile that has room, in registers and in half of the shared memory, so that there are two blocks on a
    /// multiprocessor, and leaves work for all multiprocessors; or else the smallest.
    fn fma_tile(&self, a: &Attention, dtype: Dtype) -> Option<FmaTile> {
        let syms = &self.program.syms;
        let (head_size, width) = (syms.as_const(a.head_size)?, syms.as_const(a.value_size)?);
        let (parts, size) = ((width + 31) / 32, dtype.size() as i64);
        let depth = (head_size + 3) / 4 / 2 * 8 + 4;
        let bytes = |own: i64| {
            size * ((16 * own + FMA_KEYS) * depth + FMA_KEYS * 32 * parts + 16 * own * (FMA_KEYS + 4))
        };
        let room = FMA_BYTES.max(self.target.shared_bytes as i64 / 2);
        let fits = |own: &i64| bytes(*own) <= room && own * parts * size <= FMA_SUMS;
        let tile = |own: i64| FmaTile { own, head_size, bytes: bytes(own) };
        let busy = |own: &i64| syms.hint(tile(*own).blocks(syms, a)) >= self.target.multiprocessors as i64;
        let own = [4, 2, 1].into_iter().find(|own| fits(own) && (*own == 1 || busy(own)))?;
        Some(tile(own))
    }

    /// The keys that a query attends, as `band`.
    pub(super) fn band(&mut self, a: &Attention) {
        let Band { lower, upper, length } = a.band;
        self.emitter.open();
        let level = self.emitter.depth();
        for (k, (size, name)) in [(a.batch, "batch"), (a.heads, "head")].into_iter().enumerate() {
            self.emitter.bind(self.program.syms.index_var(k as u32, size), name, level);
        }
        let keys = match length {
            Some(length) => self.emitter.value(length).text,
            None => self.emitter.index(a.keys),
        };
        self.emitter.line(&format!("return {keys};"));
        self.emitter.close("const auto keys_of = [&](i64 batch, i64 head) -> i64");
        self.emitter.line(";");
        let mut bound = |bound: Option<_>, none: &str| match bound {
            Some(bound) => self.emitter.index(bound),
            None => none.to_string(),
        };
        let (lower, upper) = (bound(lower, "LITZ_ANY_LOWER"), bound(upper, "LITZ_ANY_UPPER"));
        self.emitter
            .line(&format!("const litz_band<decltype(keys_of)> band = {{{lower}, {upper}, keys_of}};"));
    }

    /// What the softmax sees of a scaled score.
    pub(super) fn score(&mut self, a: &Attention, dtype: Dtype) {
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
