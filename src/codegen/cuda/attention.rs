//! Attention: on tensor cores where rows of heads are whole chunks of halves, element by element otherwise.

use super::super::emit::{Operand, Storage};
use super::super::{CodegenError, Kernel, NativeHeader, cpp};
use super::template::{Shape, Template};
use crate::loops::{Attention, BufferId, Expr, ExprId};
use crate::schedule::reduced_load;
use crate::types::{Dtype, Scalar, SymInt};

/// Rows of heads in memory, their elements neighbours: strides of batch, head and row.
struct Heads {
    buffer: BufferId,
    dtype: Dtype,
    offset: SymInt,
    strides: [SymInt; 3],
}

impl Template<'_> {
    pub(super) fn attention(mut self, a: &Attention) -> Result<Kernel, CodegenError> {
        let program = self.program;
        let syms = &program.syms;
        let Some(width) = syms.as_const(a.value_size).filter(|n| *n <= 512) else {
            return Err(CodegenError {
                operators: self.group.operators.join(", "),
                message: format!(
                    "the CUDA backend keeps a query's result in registers, for values of up to 512 elements, not {}",
                    syms.display(a.value_size)
                ),
            });
        };
        if let Some(heads) = self.rows_of_heads(a) {
            return Ok(self.attention_mma(a, heads, width));
        }
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
        let sizes = [a.batch, a.heads, a.kv_heads, a.queries, a.keys, a.head_size, a.value_size];
        let sizes: Vec<String> = sizes.into_iter().map(|s| self.emitter.index(s)).collect();
        let scale = cpp::literal(Scalar::Float(a.scale), dtype);
        let (parts, causal, nan) = ((width + 31) / 32, a.causal, a.empty_is_nan);
        self.emitter.line(&format!("const litz_attention_shape shape = {{{}}};", sizes.join(", ")));
        self.emitter.line(&format!(
            "litz_attention_run<{ty}, {parts}, {causal}, {nan}>(shape, {scale}, query, key, value, score, epilogue);"
        ));
        let rows = syms.product(&[a.batch, a.heads, a.queries]);
        let blocks = syms.ceildiv(rows, syms.constant(4));
        let shared = syms.mul_const(a.head_size, 4 * dtype.size() as i64);
        let headers = vec![NativeHeader::CudaAttention];
        Ok(self.finish(Shape { kind: "attention", headers, blocks, threads: 128, shared }))
    }

    /// The operands as rows of neighbouring elements, where they are halves that tensor cores take.
    fn rows_of_heads(&self, a: &Attention) -> Option<[Heads; 3]> {
        let program = self.program;
        let syms = &program.syms;
        let (size, value_size) = (syms.as_const(a.head_size)?, syms.as_const(a.value_size)?);
        let good = |n: i64| n % 16 == 0 && (16..=128).contains(&n);
        if self.target.arch < 80 || !good(size) || !good(value_size) {
            return None;
        }
        let whole = |s: SymInt| syms.as_const(syms.modulo(s, syms.constant(8))) == Some(0);
        let heads = |operand: ExprId, sizes: [SymInt; 4]| -> Option<Heads> {
            let load = reduced_load(program, operand);
            let Expr::Load { buffer, index, data } = &program.exprs[load] else { return None };
            let dtype = program.exprs.dtype(load);
            if !data.is_empty() || !dtype.is_reduced_float() {
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
                dtype,
                offset: rest,
                strides: [strides[0], strides[1], strides[2]],
            })
        };
        let query = heads(a.query, [a.batch, a.heads, a.queries, a.head_size])?;
        let key = heads(a.key, [a.batch, a.kv_heads, a.keys, a.head_size])?;
        let value = heads(a.value, [a.batch, a.kv_heads, a.keys, a.value_size])?;
        (query.dtype == key.dtype && key.dtype == value.dtype).then_some([query, key, value])
    }

    fn attention_mma(mut self, a: &Attention, operands: [Heads; 3], width: i64) -> Kernel {
        let syms = &self.program.syms;
        let size = syms.as_const(a.head_size).expect("tensor cores take known sizes");
        let memory = cpp::memory_type(operands[0].dtype);
        for (name, heads) in ["query", "key", "value"].iter().zip(&operands) {
            let strides: Vec<String> = heads.strides.iter().map(|s| self.emitter.index(*s)).collect();
            let (pointer, offset) = (self.pointer(heads.buffer), self.emitter.index(heads.offset));
            self.emitter.line(&format!(
                "const litz_heads<{memory}> {name} = {{{pointer} + {offset}, {}}};",
                strides.join(", ")
            ));
        }
        self.score(a, Dtype::Float32);
        self.lanes = 8;
        self.emitter.aligned = Some(8);
        self.attention_epilogue(a, Dtype::Float32);
        let syms = &self.program.syms;
        let heads = syms.mul(a.batch, a.heads);
        let blocks_of = |rows: i64| syms.mul(heads, syms.ceildiv(a.queries, syms.constant(rows)));
        let warps = if syms.hint(blocks_of(128)) >= self.target.multiprocessors as i64 { 8 } else { 4 };
        let sizes = [a.batch, a.heads, a.kv_heads, a.queries, a.keys];
        let sizes: Vec<String> = sizes.into_iter().map(|s| self.emitter.index(s)).collect();
        self.emitter.line(&format!("const litz_attention_tiles shape = {{{}}};", sizes.join(", ")));
        let scale = cpp::literal(Scalar::Float(a.scale), Dtype::Float32);
        let (causal, scored, nan) = (a.causal, a.mask.is_some() || a.score.is_some(), a.empty_is_nan);
        self.emitter.line(&format!(
            "litz_attention_mma<{memory}, {warps}, {size}, {width}, {causal}, {scored}, {nan}>(shape, query, key, value, {scale}, score, epilogue);"
        ));
        let (rows, columns) = (warps * 16, |n: i64| (n + 63) / 64 * 128);
        let bytes = rows * columns(size) + 2 * 64 * (columns(size) + columns(width));
        let bytes = bytes.max(rows * (width + 4) * 4);
        let headers = vec![NativeHeader::CudaGemm, NativeHeader::CudaMma, NativeHeader::CudaAttentionMma];
        let (blocks, shared) = (blocks_of(rows), self.program.syms.constant(bytes));
        self.finish(Shape { kind: "attention", headers, blocks, threads: warps * 32, shared })
    }

    /// What the softmax sees of a scaled score.
    fn score(&mut self, a: &Attention, dtype: Dtype) {
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

    fn attention_epilogue(&mut self, a: &Attention, dtype: Dtype) {
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
