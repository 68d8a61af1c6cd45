//! Attention: the native online-softmax template with the operands' strides and the mask; in float64, loops that
//! hold one row of scores.

use super::convolution::operand;
use super::emit::{Conversion, Finished, Operand, Spelled, Storage};
use super::template::Template;
use super::{Kernel, NativeHeader, cpp};
use crate::kernels::Value;
use crate::loops::{Attention, Band, BinaryOp, BufferId, NodeKind};
use crate::mapping::cpu::declare_buffers;
use crate::print;
use crate::schedule::{GroupKind, Item};
use crate::templates::blocked::rows_in_place;
use crate::types::{Dtype, Scalar, SymInt};

/// The function of an attention node.
pub fn kernel(mut t: Template<'_>) -> Kernel {
    let program = t.program;
    let syms = &program.syms;
    let NodeKind::Attention(a) = program.nodes[t.node].kind.clone() else {
        unreachable!("an attention group has an attention node")
    };
    let parameters = declare_buffers(&mut t.emitter, t.group);
    let buffers: Vec<BufferId> = parameters.iter().map(|b| b.buffer).collect();
    let double = program.exprs.dtype(a.query) == Dtype::Float64;
    let query = [a.batch, a.heads, a.queries, a.head_size];
    let key = [a.batch, a.kv_heads, a.keys, a.head_size];
    let value = [a.batch, a.kv_heads, a.keys, a.value_size];
    let (q, q_type, q_strides) = operand(&mut t, a.query, &query);
    let (k, k_type, k_strides) = operand(&mut t, a.key, &key);
    let (v, v_type, v_strides) = operand(&mut t, a.value, &value);
    mask(&mut t, &a, if double { "f64" } else { "f32" });
    store(&mut t, &a, if double { "f64" } else { "f32" });
    let mut fields = vec![a.batch, a.heads, a.kv_heads, a.queries, a.keys, a.head_size, a.value_size];
    for strides in [&q_strides, &k_strides, &v_strides] {
        fields.extend(&strides[..3]);
    }
    let fields: Vec<String> = fields.into_iter().map(|f| t.emitter.index_text(f)).collect();
    let fields = fields.join(", ");
    let scale =
        if double { format!("{:?}", a.scale) } else { cpp::literal(Scalar::Float(a.scale), Dtype::Float32) };
    let (causal, zeros) = (a.band != Band::default(), !a.empty_is_nan);
    let heads = syms.mul(a.batch, a.heads);
    let (tasks, scratch, header);
    if double {
        t.emitter.use_function(Some("EXP"));
        t.emitter.line(&format!("const litz_attention_rows shape = {{{fields}}};"));
        t.emitter.line(&format!(
            "litz_attention_by_rows<f64>(shape, {q}, {k}, {v}, {scale}, {causal}, {zeros}, score, epilogue, begin, end, (f64 *)scratch);"
        ));
        tasks = syms.mul(heads, a.queries);
        scratch = syms.mul_const(syms.add(a.keys, a.value_size), 8);
        header = NativeHeader::AttentionRows;
    } else {
        debug_assert!(q_type == k_type && k_type == v_type, "attention over one memory type");
        for name in ["EXP", "TILE_F32"] {
            t.emitter.use_function(Some(name));
        }
        let in_place = match q_type {
            "f32" => rows_in_place(syms.as_const(q_strides[2]), 4),
            _ => 0,
        };
        let blocks = t.attention_blocks(a.queries, a.keys, [a.head_size, a.value_size], in_place);
        let (block, copied) = (blocks.queries, blocks.queries_copied);
        t.emitter.line(&format!(
            "const litz_attention_shape shape = {{{fields}, {scale}, {causal}, {zeros}, {block}, {}, {}, {copied}}};",
            blocks.keys, blocks.depth
        ));
        t.emitter.line(&format!(
            "litz_attention_run<{q_type}>(shape, {q}, {k}, {v}, score, epilogue, begin, end, scratch);"
        ));
        tasks = syms.mul(heads, syms.ceildiv(a.queries, syms.constant(block)));
        scratch = blocks.bytes;
        header = NativeHeader::Attention;
    }
    let Finished { body: lines, symbols, functions } = t.emitter.finish();
    Kernel {
        kind: "attention",
        body: print::cxx::function(&parameters, &lines),
        functions,
        headers: vec![NativeHeader::Tile, NativeHeader::Gemm, header],
        buffers,
        symbols,
        tasks,
        grain: if double { syms.constant(8) } else { syms.constant(1) },
        scratch,
        lanes: 0,
        maps: Vec::new(),
    }
}

/// What is done to a piece of a row of scores.
fn mask(t: &mut Template<'_>, a: &Attention, ty: &str) {
    let Some(changed) = a.mask.or(a.score.map(|s| s.value)) else {
        // The template skips what it need not show to anyone.
        let none = if ty == "f64" {
            "const auto score = [](i64, i64, i64, i64, i64, f64 *) {};"
        } else {
            "const litz_no_score score{};"
        };
        t.emitter.line(none);
        return;
    };
    let syms = std::sync::Arc::clone(&t.program.syms);
    let dtype = if ty == "f64" { Dtype::Float64 } else { Dtype::Float32 };
    let lanes = t.target.isa.lanes() as i64;
    t.emitter.open();
    t.emitter.line("(void)batch; (void)head; (void)query;");
    let level = t.emitter.depth();
    for (k, (size, name)) in
        [(a.batch, "batch"), (a.heads, "head"), (a.queries, "query")].into_iter().enumerate()
    {
        t.emitter.bind(syms.index_var(k as u32, size), name, level);
    }
    let own = t.program.exprs.dtype(changed);
    if let Some(score) = a.score {
        let start = "k_begin".value(&mut t.emitter);
        let sums = Storage::Accumulator { pointer: "scores".into(), start, convert: None };
        t.emitter.storage.insert(score.raw, sums);
    }
    let var = syms.index_var(3, a.keys);
    let span = t.emitter.span(var, ("k_begin", "k_begin + k_count"), None, lanes);
    t.emitter.over_lanes(span, &mut |e| {
        let value = e.value(changed);
        if a.score.is_some() {
            return e.store_value("(scores - k_begin)", var, value);
        }
        let start = "k_begin".value(e);
        let scores = e.accumulator("scores", start, None);
        let result = if own == Dtype::Bool {
            let lowest = e.add(Value::Constant(Scalar::Float(f64::NEG_INFINITY), dtype));
            let args = [value, scores, Operand::uniform(lowest)];
            e.apply(args, |[c, a, b]| Value::Select(c, a, b))
        } else {
            let value = if own == dtype { value } else { e.convert(value, dtype) };
            e.apply([scores, value], |[a, b]| Value::Binary(BinaryOp::Add, a, b))
        };
        e.store_value("(scores - k_begin)", var, result);
    });
    t.emitter.close(&format!(
        "const auto score = [&](i64 batch, i64 head, i64 query, i64 k_begin, i64 k_count, {ty} *scores)"
    ));
    t.emitter.line(";");
}

/// Stores a finished row, and what the epilogue makes of it.
fn store(t: &mut Template<'_>, a: &Attention, ty: &str) {
    let GroupKind::Template { epilogue, .. } = &t.group.kind else { return };
    let epilogue: Vec<Item> = epilogue.clone();
    let syms = std::sync::Arc::clone(&t.program.syms);
    let sizes = [a.batch, a.heads, a.queries, a.value_size];
    let width = t.emitter.index_text(a.value_size);
    t.emitter.open();
    t.emitter.line("(void)batch; (void)head; (void)query;");
    t.emitter.line(&format!("const i64 n_begin = 0, n_count = {width};"));
    let level = t.emitter.depth();
    for (k, name) in ["batch", "head", "query"].into_iter().enumerate() {
        t.emitter.bind(syms.index_var(k as u32, sizes[k]), name, level);
    }
    let strides = &t.program.buffers[a.out].strides;
    let terms: Vec<SymInt> = a.place.iter().zip(strides).map(|(v, s)| syms.mul(*v, *s)).collect();
    let own = t.program.buffers[a.out].dtype;
    let computed = if ty == "f64" { Dtype::Float64 } else { Dtype::Float32 };
    let convert = (own != computed).then_some(Conversion::Cast(own));
    let memory = t.emitter.storage.get(&a.out).cloned();
    let start = "n_begin".value(&mut t.emitter);
    let sums = Storage::Accumulator { pointer: "sums".into(), start, convert };
    t.emitter.storage.insert(a.out, sums);
    t.store_epilogue(syms.index_var(3, a.value_size), syms.sum(&terms), memory, &epilogue, convert);
    t.emitter
        .close(&format!("const auto epilogue = [&](i64 batch, i64 head, i64 query, {ty} *sums, {ty}, {ty})"));
    t.emitter.line(";");
}
