//! Matrix products and attention.

use super::broadcast;
use crate::base::Status;
use crate::ir::Arg;
use crate::meta::{Infer, MetaError};
use crate::ops::OpId;
use crate::types::{Dtype, SymInt, TensorMeta, preserved_strides};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// A contiguous result.
pub(super) fn made(cx: &Infer<'_>, dtype: Dtype, shape: Vec<SymInt>) -> TensorMeta {
    TensorMeta::contiguous(cx.syms(), dtype, shape)
}

/// Operands of contractions do not promote: they must have one dtype.
pub(super) fn same_dtype(cx: &Infer<'_>, names: &[&str]) -> Result<Dtype, MetaError> {
    let first = cx.meta(names[0])?.dtype;
    for name in &names[1..] {
        if let Some(meta) = cx.optional_meta(name)
            && meta.dtype != first
        {
            let message = format!("`{}` is {first}, but `{name}` is {}", names[0], meta.dtype);
            return Err(cx.error(Status::Dtype, message));
        }
    }
    Ok(first)
}

/// Products exist for numbers, not for bool.
fn number_dtype(cx: &Infer<'_>, names: &[&str]) -> Result<Dtype, MetaError> {
    let dtype = same_dtype(cx, names)?;
    if dtype == Dtype::Bool {
        return Err(cx.error(Status::Dtype, "there are no matrix products of bool tensors"));
    }
    Ok(dtype)
}

pub(super) fn check_rank(cx: &Infer<'_>, name: &str, ranks: &[usize]) -> Result<(), MetaError> {
    let rank = cx.meta(name)?.rank();
    if ranks.contains(&rank) {
        return Ok(());
    }
    let wanted: Vec<String> = ranks.iter().map(|r| r.to_string()).collect();
    Err(cx.shape_error(format!("`{name}` must have {} dimensions, not {rank}", wanted.join(" or "))))
}

pub(super) fn require_dtype(cx: &Infer<'_>, name: &str, dtype: Dtype) -> Result<(), MetaError> {
    let found = cx.meta(name)?.dtype;
    if found == dtype {
        return Ok(());
    }
    Err(cx.error(Status::Dtype, format!("`{name}` must be a tensor of {dtype}, not of {found}")))
}

/// Two sizes that must be equal, by ranges or by a guard.
pub(super) fn same_size(cx: &mut Infer<'_>, what: &str, a: SymInt, b: SymInt) -> Result<(), MetaError> {
    let message = format!("{what} {} and {} differ", cx.syms().display(a), cx.syms().display(b));
    let equal = cx.syms().eq(a, b);
    cx.require(equal, message)
}

/// `input[.., k] · weight[n, k] -> [.., n]`; a weight of one dimension gives `[..]`.
pub fn linear(cx: &mut Infer<'_>) -> Metas {
    let dtype = number_dtype(cx, &["input", "weight", "bias"])?;
    let (input, weight) = (cx.meta("input")?, cx.meta("weight")?);
    check_rank(cx, "weight", &[1, 2])?;
    let Some((k, rest)) = input.shape.split_last() else {
        return Err(cx.shape_error("`input` must have at least one dimension"));
    };
    same_size(cx, "the input's features and the weight's", *k, weight.shape[weight.rank() - 1])?;
    let mut shape = rest.to_vec();
    shape.extend(weight.shape[..weight.rank() - 1].iter());
    if let Some(bias) = cx.optional_meta("bias") {
        let all = broadcast(cx, &[&shape, &bias.shape])?;
        cx.require_sizes(&all, &shape, None, "`bias` does not broadcast to the result's shape")?;
    }
    Ok(vec![made(cx, dtype, shape)])
}

/// The shape of a product of at least one dimension each: batch dimensions broadcast, vectors lose theirs.
fn product_shape(cx: &mut Infer<'_>, a: &[SymInt], b: &[SymInt]) -> Result<Vec<SymInt>, MetaError> {
    let (Some((k, rows)), false) = (a.split_last(), b.is_empty()) else {
        return Err(cx.shape_error("both operands must have at least one dimension"));
    };
    let inner = if b.len() == 1 { b[0] } else { b[b.len() - 2] };
    same_size(cx, "the inner sizes", *k, inner)?;
    let (a_batch, m) = rows.split_at(rows.len().saturating_sub(1));
    let b_batch = &b[..b.len().saturating_sub(2)];
    let mut shape = broadcast(cx, &[a_batch, b_batch])?;
    shape.extend(m);
    if b.len() >= 2 {
        shape.push(b[b.len() - 1]);
    }
    Ok(shape)
}

fn product(cx: &mut Infer<'_>, a: &str, b: &str) -> Metas {
    let dtype = number_dtype(cx, &[a, b])?;
    let shape = product_shape(cx, &cx.meta(a)?.shape.clone(), &cx.meta(b)?.shape.clone())?;
    Ok(vec![made(cx, dtype, shape)])
}

/// Every combination of ranks from 1 on.
pub fn matmul(cx: &mut Infer<'_>) -> Metas {
    product(cx, "self", "other")
}

pub fn mm(cx: &mut Infer<'_>) -> Metas {
    check_rank(cx, "self", &[2])?;
    check_rank(cx, "mat2", &[2])?;
    product(cx, "self", "mat2")
}

pub fn bmm(cx: &mut Infer<'_>) -> Metas {
    check_rank(cx, "self", &[3])?;
    check_rank(cx, "mat2", &[3])?;
    let (a, b) = (cx.meta("self")?, cx.meta("mat2")?);
    same_size(cx, "the batch sizes", a.shape[0], b.shape[0])?;
    product(cx, "self", "mat2")
}

pub fn mv(cx: &mut Infer<'_>) -> Metas {
    check_rank(cx, "self", &[2])?;
    check_rank(cx, "vec", &[1])?;
    product(cx, "self", "vec")
}

/// `dot` and `vdot`, whose second operands have different names.
pub fn dot(cx: &mut Infer<'_>) -> Metas {
    let other = if cx.op.schema().arg("tensor").is_some() { "tensor" } else { "other" };
    check_rank(cx, "self", &[1])?;
    check_rank(cx, other, &[1])?;
    product(cx, "self", other)
}

/// A product to which `self`, broadcast, is added.
fn added(cx: &mut Infer<'_>, a: &str, b: &str, batched: bool) -> Metas {
    let dtype = number_dtype(cx, &["self", a, b])?;
    let rank = if batched { 3 } else { 2 };
    check_rank(cx, a, &[rank])?;
    check_rank(cx, b, &[rank])?;
    if batched {
        same_size(cx, "the batch sizes", cx.meta(a)?.shape[0], cx.meta(b)?.shape[0])?;
    }
    let shape = product_shape(cx, &cx.meta(a)?.shape.clone(), &cx.meta(b)?.shape.clone())?;
    let bias = cx.meta("self")?.shape.clone();
    if broadcast(cx, &[&shape, &bias])?.len() != shape.len() {
        return Err(cx.shape_error("`self` has more dimensions than the product"));
    }
    Ok(vec![made(cx, dtype, shape)])
}

pub fn addmm(cx: &mut Infer<'_>) -> Metas {
    added(cx, "mat1", "mat2", false)
}

pub fn baddbmm(cx: &mut Infer<'_>) -> Metas {
    added(cx, "batch1", "batch2", true)
}

/// The scale of attention that gives none: `1 / sqrt(head_size)`. A head of size 0 makes every score zero, whatever the scale, and
/// an infinite one would make it NaN.
pub fn default_attention_scale(head_size: i64) -> f64 {
    1.0 / (head_size.max(1) as f64).sqrt()
}

/// Each head of keys serves as many of queries. Where there are none of keys, there are none of queries.
fn shared_heads(cx: &mut Infer<'_>, heads: SymInt, of_keys: SymInt) -> Result<(), MetaError> {
    let syms = cx.syms();
    let (zero, one) = (syms.constant(0), syms.constant(1));
    let whole = syms.eq(syms.modulo(heads, syms.max(of_keys, one)), zero);
    let some = syms.or(syms.le(one, of_keys), syms.eq(heads, zero));
    cx.require(syms.and(some, whole), "the query's heads are no multiple of the key's")
}

/// `query[.., h, q, e]`, `key[.., h', k, e]`, `value[.., h', k, v]` give `[.., h, q, v]`; `h' = h`, or a divisor of
/// it with `enable_gqa`.
pub fn attention(cx: &mut Infer<'_>) -> Metas {
    Ok(vec![attention_meta(cx)?])
}

fn attention_meta(cx: &mut Infer<'_>) -> Result<TensorMeta, MetaError> {
    let dtype = same_dtype(cx, &["query", "key", "value"])?;
    if !dtype.is_float() {
        return Err(cx.error(Status::Dtype, format!("attention needs floating-point tensors, not {dtype}")));
    }
    super::random::probability(cx)?;
    let (query, key, value) = (cx.meta("query")?, cx.meta("key")?, cx.meta("value")?);
    let (q, k, v) = (query.rank(), key.rank(), value.rank());
    if q < 2 || k < 2 || v < 2 {
        return Err(cx.shape_error("query, key and value must have at least two dimensions"));
    }
    same_size(cx, "the sizes of query and key vectors", query.shape[q - 1], key.shape[k - 1])?;
    same_size(cx, "the counts of keys and values", key.shape[k - 2], value.shape[v - 2])?;
    let grouped = match cx.op.schema().arg("enable_gqa") {
        Some(_) => cx.bool("enable_gqa"),
        // The fused form shares heads where there are fewer of keys.
        None => cx.syms().decide(cx.syms().eq(query.shape[q - 3], key.shape[k - 3])) != Some(true),
    };
    let batch = if grouped {
        if q < 3 || k < 3 || v < 3 {
            return Err(cx.shape_error("grouped-query attention needs a dimension of heads"));
        }
        let (heads, kv) = (query.shape[q - 3], key.shape[k - 3]);
        same_size(cx, "the counts of key and value heads", kv, value.shape[v - 3])?;
        shared_heads(cx, heads, kv)?;
        let mut batch = broadcast(cx, &[&query.shape[..q - 3], &key.shape[..k - 3], &value.shape[..v - 3]])?;
        batch.push(heads);
        batch
    } else {
        broadcast(cx, &[&query.shape[..q - 2], &key.shape[..k - 2], &value.shape[..v - 2]])?
    };
    let mut scores = batch.clone();
    scores.extend([query.shape[q - 2], key.shape[k - 2]]);
    if let Some(mask) = cx.optional_meta("attn_mask") {
        check_mask(cx, mask, &scores)?;
        if cx.bool("is_causal") {
            return Err(cx.error(Status::InvalidArgument, "`attn_mask` and `is_causal` exclude each other"));
        }
    }
    let mut shape = batch;
    shape.extend([query.shape[q - 2], value.shape[v - 1]]);
    let made = made(cx, dtype, shape);
    let fused = cx.op == OpId::FlashAttentionForCpu || is_fused(cx)?;
    if !fused || made.shape != query.shape {
        return Ok(made);
    }
    let strides = preserved_strides(cx.syms(), &query.shape, &query.strides);
    Ok(TensorMeta { strides, ..made })
}

/// A mask is bool or float, and broadcasts to the scores.
fn check_mask(cx: &mut Infer<'_>, mask: &TensorMeta, scores: &[SymInt]) -> Result<(), MetaError> {
    if mask.dtype != Dtype::Bool && !mask.dtype.is_float() {
        return Err(cx.error(Status::Dtype, format!("`attn_mask` must be bool or float, not {}", mask.dtype)));
    }
    if broadcast(cx, &[scores, &mask.shape])?.len() != scores.len() {
        return Err(cx.shape_error("`attn_mask` has more dimensions than the scores"));
    }
    Ok(())
}

/// Whether PyTorch has one kernel for this attention, whose result lies as the query.
fn is_fused(cx: &Infer<'_>) -> Result<bool, MetaError> {
    let operands = [cx.meta("query")?, cx.meta("key")?, cx.meta("value")?];
    let one = cx.syms().constant(1);
    let mask = cx.optional_meta("attn_mask");
    let width = operands[0].shape.last();
    let alike = |m: &&TensorMeta| m.rank() == 4 && m.shape.last() == width && m.strides[3] == one;
    let dropout = matches!(cx.arg("dropout_p"), Arg::Float(p) if *p != 0.0);
    Ok(operands.iter().all(alike) && !dropout && mask.is_none_or(|m| matches!(m.rank(), 2 | 4)))
}

/// Attention, and the logarithm of each row's sum of exponentials in the accumulation dtype.
pub fn flash_attention(cx: &mut Infer<'_>) -> Metas {
    for name in ["query", "key", "value"] {
        check_rank(cx, name, &[4])?;
    }
    let (key, value) = (cx.meta("key")?.shape[3], cx.meta("value")?.shape[3]);
    same_size(cx, "the sizes of key and value vectors", key, value)?;
    let out = attention_meta(cx)?;
    // The kernel keeps the sums of all heads of a query side by side.
    let mut sums = made(cx, out.dtype.compute(), out.shape[..3].to_vec());
    sums.strides = crate::meta::dense_strides(cx.syms(), &sums.shape, &[1, 2, 0]);
    Ok(vec![out, sums])
}

/// PyTorch's memory-efficient attention pads the sums of a head to a multiple of this.
pub const SUMS_TOGETHER: i64 = 32;

/// The results of PyTorch's memory-efficient attention: `out[n, h, q, v]` with strides of `[n, q, h, v]`, the logarithms of the sums
/// `[n, h, q]` with `q` padded to a multiple of [`SUMS_TOGETHER`], and a random state of two numbers.
pub fn efficient_attention(cx: &mut Infer<'_>) -> Metas {
    let [query, key, value] = efficient_operands(cx)?;
    let dtype = cx.meta("query")?.dtype;
    let zero = cx.syms().constant(0);
    let mut sums = query[..2].to_vec();
    sums.push(if cx.bool("compute_log_sumexp") { sums_of(cx.syms(), query[2]) } else { zero });
    if let Some(bias) = cx.optional_meta("attn_bias") {
        check_mask(cx, bias, &[query[0], query[1], query[2], key[2]])?;
    }
    let out = heads_beside(cx, dtype, vec![query[0], query[1], query[2], value[3]]);
    let state = made(cx, Dtype::Int64, Vec::new());
    Ok(vec![out, made(cx, Dtype::Float32, sums), state.clone(), state])
}

/// Gradients of query, key, value and bias; one that is not asked for is empty.
pub fn efficient_attention_backward(cx: &mut Infer<'_>) -> Metas {
    let [query, key, value] = efficient_operands(cx)?;
    let dtype = same_dtype(cx, &["query", "key", "value", "grad_out_", "out"])?;
    let sums = cx.meta("logsumexp")?.clone();
    let rows = sums_of(cx.syms(), query[2]);
    if sums.dtype != Dtype::Float32 {
        return Err(cx.error(Status::Dtype, format!("`logsumexp` must be float32, not {}", sums.dtype)));
    }
    check_rank(cx, "logsumexp", &[3])?;
    for (own, size) in sums.shape.into_iter().zip([query[0], query[1], rows]) {
        same_size(cx, "the sizes of `logsumexp` and the query", own, size)?;
    }
    for name in ["grad_out_", "out"] {
        check_rank(cx, name, &[4])?;
        let shape = cx.meta(name)?.shape.clone();
        for (own, size) in shape.into_iter().zip([query[0], query[1], query[2], value[3]]) {
            same_size(cx, &format!("the sizes of `{name}` and the query"), own, size)?;
        }
    }
    let scores = vec![query[0], query[1], query[2], key[2]];
    if let Some(bias) = cx.optional_meta("attn_bias") {
        check_mask(cx, bias, &scores)?;
    }
    let Arg::Bools(wanted) = cx.arg("grad_input_mask") else {
        return Err(cx.error(Status::InvalidArgument, "`grad_input_mask` must be four bools"));
    };
    let mut wanted = wanted.clone();
    if cx.optional_meta("attn_bias").is_none_or(|bias| bias.shape != scores)
        && let Some(of_bias @ true) = wanted.get_mut(3)
    {
        if cx.optional_meta("attn_bias").is_some() {
            let message = "the gradient of a bias that is broadcast to the scores";
            return Err(cx.error(Status::Unsupported, message));
        }
        *of_bias = false;
    }
    let shapes = [query, key, value, scores];
    let one = |(shape, wanted): (Vec<SymInt>, bool)| match wanted {
        true => heads_beside(cx, dtype, shape),
        false => made(cx, dtype, vec![cx.syms().constant(0)]),
    };
    Ok(shapes.into_iter().zip(wanted).map(one).collect())
}

/// The shapes of query, key and value, which fit one another.
fn efficient_operands(cx: &mut Infer<'_>) -> Result<[Vec<SymInt>; 3], MetaError> {
    let dtype = same_dtype(cx, &["query", "key", "value"])?;
    if !dtype.is_float() || dtype == Dtype::Float64 {
        let message = format!("memory-efficient attention is of float32, float16 and bfloat16, not {dtype}");
        return Err(cx.error(Status::Dtype, message));
    }
    super::random::probability(cx)?;
    for name in ["query", "key", "value"] {
        check_rank(cx, name, &[4])?;
    }
    let [query, key, value] =
        [cx.meta("query")?, cx.meta("key")?, cx.meta("value")?].map(|m| m.shape.clone());
    same_size(cx, "the sizes of query and key vectors", query[3], key[3])?;
    for (dim, what) in ["the batch sizes", "the counts of heads"].into_iter().enumerate() {
        same_size(cx, what, query[dim], key[dim])?;
        same_size(cx, what, query[dim], value[dim])?;
    }
    same_size(cx, "the counts of keys and values", key[2], value[2])?;
    Ok([query, key, value])
}

fn sums_of(syms: &crate::types::SymArena, queries: SymInt) -> SymInt {
    let together = syms.constant(SUMS_TOGETHER);
    syms.mul(syms.ceildiv(queries, together), together)
}

fn heads_beside(cx: &Infer<'_>, dtype: Dtype, shape: Vec<SymInt>) -> TensorMeta {
    let strides = crate::meta::dense_strides(cx.syms(), &shape, &[3, 1, 2, 0]);
    TensorMeta { strides, ..made(cx, dtype, shape) }
}

/// Gradients of query, key and value from that of the result; each lies with its heads side by side.
pub fn flash_attention_backward(cx: &mut Infer<'_>) -> Metas {
    let dtype = same_dtype(cx, &["query", "key", "value", "grad_out", "out"])?;
    if !dtype.is_float() {
        return Err(cx.error(Status::Dtype, format!("attention needs floating-point tensors, not {dtype}")));
    }
    let sums = cx.meta("logsumexp")?;
    if sums.dtype != dtype.compute() {
        let message = format!("`logsumexp` must be {}, not {}", dtype.compute(), sums.dtype);
        return Err(cx.error(Status::Dtype, message));
    }
    super::random::probability(cx)?;
    for name in ["query", "key", "value", "grad_out", "out"] {
        check_rank(cx, name, &[4])?;
    }
    check_rank(cx, "logsumexp", &[3])?;
    let [query, key, value] =
        [cx.meta("query")?, cx.meta("key")?, cx.meta("value")?].map(|m| m.shape.clone());
    same_size(cx, "the sizes of query and key vectors", query[3], key[3])?;
    same_size(cx, "the sizes of key and value vectors", key[3], value[3])?;
    for dim in 0..3 {
        same_size(cx, "the sizes of keys and values", key[dim], value[dim])?;
    }
    same_size(cx, "the batch sizes of queries and keys", query[0], key[0])?;
    // There may be none.
    if cx.syms().decide(cx.syms().eq(query[1], key[1])) != Some(true) {
        shared_heads(cx, query[1], key[1])?;
    }
    for name in ["grad_out", "out", "logsumexp"] {
        let shape = cx.meta(name)?.shape.clone();
        for (own, size) in shape.into_iter().zip([query[0], query[1], query[2], value[3]]) {
            same_size(cx, &format!("the sizes of `{name}` and the query"), own, size)?;
        }
    }
    if let Some(mask) = cx.optional_meta("attn_mask") {
        check_mask(cx, mask, &[query[0], query[1], query[2], key[2]])?;
    }
    Ok([query, key, value].map(|shape| heads_beside(cx, dtype, shape)).to_vec())
}
