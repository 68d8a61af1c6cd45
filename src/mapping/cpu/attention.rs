//! Attention: calls the native online-softmax template with strides and mask. In float64, loops that keep one row of scores.

use super::template::{Sums, Template};
use crate::kernels::{Kernel, LocalId, Routine, Type, Value, ValueId};
use crate::loops::access::store_offset;
use crate::loops::{Attention, Band, BinaryOp, BufferId, ExprId, NodeKind, UnaryOp};
use crate::mapping::emit::{Conversion, Operand, Span, Storage};
use crate::templates::blocked::rows_in_place;
use crate::types::{Dtype, Scalar, SymInt};

/// Rows of scores of float64 that are worth a thread.
const ROWS: i64 = 8;

/// The kernel of an attention node.
pub fn kernel(mut t: Template<'_>) -> Kernel {
    let program = t.program;
    let syms = &program.syms;
    let NodeKind::Attention(a) = program.nodes[t.node].kind.clone() else {
        unreachable!("an attention group has an attention node")
    };
    let double = program.exprs.dtype(a.query) == Dtype::Float64;
    let dtype = if double { Dtype::Float64 } else { Dtype::Float32 };
    let query = [a.batch, a.heads, a.queries, a.head_size];
    let key = [a.batch, a.kv_heads, a.keys, a.head_size];
    let value = [a.batch, a.kv_heads, a.keys, a.value_size];
    let (q, q_type, q_strides) = t.operand(a.query, &query);
    let (k, k_type, k_strides) = t.operand(a.key, &key);
    let (v, v_type, v_strides) = t.operand(a.value, &value);
    let changed = a.mask.or(a.score.map(|s| s.value));
    let sizes = [a.batch, a.heads, a.queries, a.keys];
    let scores = changed.map(|changed| t.scores(changed, a.score.map(|s| s.raw), sizes, dtype));
    let regions = vec![scores, Some(t.finished_query(&a, dtype))];
    let mut numbers = vec![a.batch, a.heads, a.kv_heads, a.queries, a.keys, a.head_size, a.value_size];
    for strides in [&q_strides, &k_strides, &v_strides] {
        numbers.extend(&strides[..3]);
    }
    let (scale, causal, zeros) = (a.scale, a.band != Band::default(), !a.empty_is_nan);
    let heads = syms.mul(a.batch, a.heads);
    if double {
        t.call(Routine::AttentionRows { scale, causal, zeros }, vec![q, k, v], &numbers, regions);
        let scratch = syms.mul_const(syms.add(a.keys, a.value_size), 8);
        return t.finish(syms.mul(heads, a.queries), ROWS, scratch);
    }
    debug_assert!(q_type == k_type && k_type == v_type, "attention over one memory type");
    let in_place = match q_type {
        Dtype::Float32 => rows_in_place(syms.as_const(q_strides[2]), 4),
        _ => 0,
    };
    let blocks = t.attention_blocks(a.queries, a.keys, [a.head_size, a.value_size], in_place);
    let routine = Routine::Attention {
        scale,
        causal,
        zeros,
        queries: blocks.queries,
        keys: blocks.keys,
        depth: blocks.depth,
        queries_copied: blocks.queries_copied,
    };
    t.call(routine, vec![q, k, v], &numbers, regions);
    let tasks = syms.mul(heads, syms.ceildiv(a.queries, syms.constant(blocks.queries)));
    t.finish(tasks, 1, blocks.bytes)
}

impl Template<'_> {
    /// The region that changes a piece of a row of scores. It adds or applies a mask, or computes the score from the `raw` one.
    /// There is none if the scores stay as they are. `sizes`: batch, heads, queries, keys.
    pub(super) fn scores(
        &mut self,
        changed: ExprId,
        raw: Option<BufferId>,
        sizes: [SymInt; 4],
        dtype: Dtype,
    ) -> LocalId {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let own = self.program.exprs.dtype(changed);
        let lanes = self.target.isa.lanes() as i64;
        let e = &mut self.emitter;
        let mut region = e.open_region("score");
        for (k, name) in ["batch", "head", "query"].into_iter().enumerate() {
            e.bind_coordinate(&mut region, (k as u32, sizes[k]), name);
        }
        let [start, count] = e.run(&mut region, ["k_begin", "k_count"], sizes[3]);
        let pointer = e.elements(&mut region, "scores", dtype, None, true);
        if let Some(raw) = raw {
            let sums = Storage::Accumulator { pointer: pointer.clone(), start, convert: None };
            e.storage.insert(raw, sums);
        }
        let var = syms.index_var(3, sizes[3]);
        let last = e.plus(start, count);
        let span =
            Span { variable: var, first: start, last, known: None, lanes, whole: false, divisible: false };
        e.over_lanes(span, &mut |e| {
            let there = pointer.clone().from_origin(start);
            let value = e.value(changed);
            if raw.is_some() {
                return e.store_value(there, var, value);
            }
            let scores = e.accumulator(pointer.clone(), start, None);
            let result = if own == Dtype::Bool {
                let lowest = e.add(Value::Constant(Scalar::Float(f64::NEG_INFINITY), dtype));
                let args = [value, scores, Operand::uniform(lowest)];
                e.apply(args, |[c, a, b]| Value::Select(c, a, b))
            } else {
                let value = if own == dtype { value } else { e.convert(value, dtype) };
                e.apply([scores, value], |[a, b]| Value::Binary(BinaryOp::Add, a, b))
            };
            e.store_value(there, var, result);
        });
        e.close_region(region, None)
    }

    /// The region that applies the epilogue to a finished row and stores it.
    fn finished_query(&mut self, a: &Attention, dtype: Dtype) -> LocalId {
        let (_, epilogue) = self.epilogue();
        let syms = std::sync::Arc::clone(&self.program.syms);
        let sizes = [a.batch, a.heads, a.queries, a.value_size];
        let own = self.program.buffers[a.out].dtype;
        let e = &mut self.emitter;
        let width = e.index(a.value_size);
        let mut region = e.open_region("epilogue");
        for (k, name) in ["batch", "head", "query"].into_iter().enumerate() {
            e.bind_coordinate(&mut region, (k as u32, sizes[k]), name);
        }
        let pointer = e.elements(&mut region, "sums", dtype, Some(a.value_size), true);
        // The largest score of the row, and the sum of its weights.
        let [most, total] = ["most", "total"].map(|name| e.given(&mut region, name, dtype));
        let zero = e.integer(0);
        let first = e.named("n_begin", Type::Index, zero);
        let count = e.named("n_count", Type::Index, width);
        let convert = (own != dtype).then_some(Conversion::Cast(own));
        let whole_vectors = self.fills_vectors(a.value_size);
        let sums = Sums { pointer, run: [first, count], whole_vectors, convert };
        let strides = &self.program.buffers[a.out].strides;
        let terms: Vec<SymInt> = a.place.iter().zip(strides).map(|(v, s)| syms.mul(*v, *s)).collect();
        let memory = self.find_sums(a.out, &sums);
        self.store_epilogue(syms.index_var(3, a.value_size), syms.sum(&terms), memory, &epilogue, &sums);
        if let Some(buffer) = a.log_sum {
            let pointer = self.pointer(buffer);
            let place = store_offset(self.program, buffer, &self.program.vars(&sizes[..3]));
            let value = self.log_sum([most, total], dtype);
            self.emitter.store_value(pointer, place, value);
        }
        self.emitter.close_region(region, None)
    }

    /// The logarithm of a row's sum of exponentials, from its largest score and the sum of exponentials of differences from it. A row
    /// that attends nothing has a sum of zero.
    fn log_sum(&mut self, [most, total]: [ValueId; 2], dtype: Dtype) -> Operand {
        let e = &mut self.emitter;
        let zero = e.add(Value::Constant(Scalar::Float(0.0), dtype));
        let [most, total, zero] = [most, total, zero].map(Operand::uniform);
        let nothing = e.apply([total, zero], |[a, b]| Value::Binary(BinaryOp::Eq, a, b));
        let logarithm = e.apply([total], |[a]| Value::Unary(UnaryOp::Log, a));
        let sum = e.apply([most, logarithm], |[a, b]| Value::Binary(BinaryOp::Add, a, b));
        e.apply([nothing, zero, sum], |[c, a, b]| Value::Select(c, a, b))
    }
}
