//! Attention and its gradient, as one node each.

use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{Attention, AttentionBackward, Band, BinaryOp, BufferId, ExprId, NodeKind, ReductionOp};
use crate::meta::default_attention_scale;
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Lazy>, LowerError>;

/// Queries, keys and values by the `Attention` node's dimensions: batch, heads, rows, columns.
struct Heads {
    /// All batch dimensions of the result but the heads; the node has their product as one.
    outer: Vec<SymInt>,
    heads: SymInt,
    kv_heads: SymInt,
}

/// An operand's element at the node's batch and head variables, whatever its own batch dimensions are.
fn head_index(
    cx: &Lower<'_>,
    lazy: &Lazy,
    outer: &[SymInt],
    batch: SymInt,
    head: SymInt,
    kept: usize,
) -> Vec<SymInt> {
    let syms = cx.syms();
    let (one, zero) = (syms.constant(1), syms.constant(0));
    let mut all = vec![zero; outer.len()];
    let mut rest = batch;
    for d in (0..outer.len()).rev() {
        all[d] = if d == 0 { rest } else { syms.modulo(rest, outer[d]) };
        rest = syms.floordiv(rest, outer[d]);
    }
    all.push(head);
    let own = &lazy.sizes[..lazy.sizes.len() - kept];
    let skip = all.len() - own.len();
    own.iter().enumerate().map(|(d, size)| if *size == one { zero } else { all[skip + d] }).collect()
}

fn attention_heads(cx: &Lower<'_>, args: &Args<'_>) -> Result<Heads, LowerError> {
    let syms = cx.syms();
    let shape = &args.result(0).shape;
    let batch = &shape[..shape.len() - 2];
    let one = syms.constant(1);
    let (heads, outer) = batch.split_last().map_or((one, Vec::new()), |(h, o)| (*h, o.to_vec()));
    // The fused form shares heads where there are fewer of keys.
    let grouped = args.node.op.schema().arg("enable_gqa").is_none() || args.bool("enable_gqa");
    let kv_heads = if grouped {
        let key = &args.meta("key")?.shape;
        key[key.len() - 3]
    } else {
        heads
    };
    Ok(Heads { outer, heads, kv_heads })
}

fn scale_of(cx: &Lower<'_>, args: &Args<'_>, head_size: SymInt) -> Result<f64, LowerError> {
    match args.float("scale") {
        Some(scale) => Ok(scale),
        None => match cx.syms().as_const(head_size) {
            Some(size) => Ok(default_attention_scale(size)),
            None => Err(cx.unsupported("`scale` must be given where the size of a head is symbolic")),
        },
    }
}

/// A `[batch, heads, queries, value_size]` attention node; the result has the operator's own shape. Behind it the logarithms of
/// its queries' sums, where the operator has them and something reads them.
fn attend(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<(Lazy, Option<BufferId>), LowerError> {
    refuse_dropout(cx, args)?;
    let operands = [args.lazy(cx, "query")?, args.lazy(cx, "key")?, args.lazy(cx, "value")?];
    let [query, key, value] = operands.map(|o| cx.computed(&o));
    let Heads { outer, heads, kv_heads } = attention_heads(cx, args)?;
    let batch = cx.syms().product(&outer);
    let last = |l: &Lazy, back: usize| l.sizes[l.sizes.len() - back];
    let (queries, keys) = (last(&query, 2), last(&key, 2));
    let (head_size, value_size) = (last(&query, 1), last(&value, 1));
    let operand = |cx: &mut Lower<'_>, lazy: &Lazy, heads: SymInt| {
        let vars = cx.vars(&[batch, heads, last(lazy, 2), last(lazy, 1)]);
        let mut index = head_index(cx, lazy, &outer, vars[0], vars[1], 2);
        index.extend(&vars[2..]);
        cx.compute_at(lazy, &index)
    };
    let (q, k, v) = (operand(cx, &query, heads), operand(cx, &key, kv_heads), operand(cx, &value, kv_heads));
    let dtype = cx.program.exprs.dtype(q);
    let mask = match args.optional_lazy(cx, "attn_mask") {
        None => None,
        Some(mask) => {
            let mask = cx.computed(&mask);
            Some(mask_at(cx, &mask, &outer, [batch, heads, queries, keys], dtype))
        }
    };
    let out = cx.program.temporary(dtype, &[batch, heads, queries, value_size]);
    let sums = args.node.outputs.get(1).is_some_and(|sums| cx.is_used(*sums));
    let log_sum = sums.then(|| cx.program.temporary(dtype, &[batch, heads, queries]));
    let node = Attention {
        batch,
        heads,
        kv_heads,
        queries,
        keys,
        head_size,
        value_size,
        query: q,
        key: k,
        value: v,
        mask,
        score: None,
        band: if args.bool("is_causal") { Band::causal(cx.syms()) } else { Band::default() },
        scale: scale_of(cx, args, head_size)?,
        empty_is_nan: false,
        place: cx.vars(&[batch, heads, queries, value_size]),
        out,
        log_sum,
    };
    cx.push(NodeKind::Attention(Box::new(node)));
    Ok((from_heads(cx, out, &outer, args), log_sum))
}

/// The mask's element over `[batch, heads, queries, keys]`, bool or in the scores' dtype.
fn mask_at(cx: &mut Lower<'_>, mask: &Lazy, outer: &[SymInt], space: [SymInt; 4], dtype: Dtype) -> ExprId {
    let vars = cx.vars(&space);
    let (one, zero) = (cx.syms().constant(1), cx.syms().constant(0));
    let rank = mask.sizes.len();
    let kept = rank.min(2);
    let mut index = head_index(cx, mask, outer, vars[0], vars[1], kept);
    for d in rank - kept..rank {
        index.push(if mask.sizes[d] == one { zero } else { vars[4 - (rank - d)] });
    }
    let expr = cx.at(mask, &index);
    if cx.program.exprs.dtype(expr) == Dtype::Bool { expr } else { cx.cast(expr, dtype) }
}

/// The node's four-dimensional result in the operator's own dimensions and dtype.
fn from_heads(cx: &mut Lower<'_>, out: BufferId, outer: &[SymInt], args: &Args<'_>) -> Lazy {
    let meta = args.result(0);
    let all = cx.load_all(out);
    let vars = cx.vars(&meta.shape);
    let rank = vars.len();
    let syms = cx.syms();
    let zero = syms.constant(0);
    let batch = outer.iter().zip(&vars).fold(zero, |flat, (size, var)| syms.add(syms.mul(flat, *size), *var));
    let head = if rank >= 3 { vars[rank - 3] } else { zero };
    let expr = cx.at(&all, &[batch, head, vars[rank - 2], vars[rank - 1]]);
    let expr = cx.cast(expr, meta.dtype);
    Lazy { sizes: meta.shape.clone(), expr }
}

pub fn attention(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    Ok(vec![attend(cx, args)?.0])
}

/// The second result is the node's own, where something reads it.
pub fn flash_attention(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (out, sums) = attend(cx, args)?;
    let meta = args.result(1);
    let sums = match sums {
        Some(buffer) => cx.load_all(buffer),
        None => Lazy { expr: cx.program.exprs.float(0.0, meta.dtype), sizes: meta.shape.clone() },
    };
    Ok(vec![out, sums])
}

/// One node, behind a reduction that gives the mean of each query's cotangents.
pub fn flash_attention_backward(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    refuse_dropout(cx, args)?;
    let meta = |name: &str| args.meta(name).map(|m| &m.shape);
    let (query, key, value) = (meta("query")?, meta("key")?, meta("value")?);
    let [batch, heads, queries, head_size] = [0, 1, 2, 3].map(|k| query[k]);
    let (kv_heads, keys, value_size) = (key[1], key[2], value[3]);
    let rows = [batch, heads, queries];
    let [of_query, of_key] = [[batch, heads, queries, head_size], [batch, kv_heads, keys, head_size]];
    let [of_value, of_grad] = [[batch, kv_heads, keys, value_size], [batch, heads, queries, value_size]];
    let read = |cx: &mut Lower<'_>, name: &str, space: &[SymInt]| -> Result<ExprId, LowerError> {
        let lazy = args.lazy(cx, name)?;
        let lazy = cx.computed(&lazy);
        let vars = cx.vars(space);
        Ok(cx.compute_at(&lazy, &vars))
    };
    let (grad, out) = (read(cx, "grad_out", &of_grad)?, read(cx, "out", &of_grad)?);
    let product = cx.bin(BinaryOp::Mul, grad, out);
    let mean = cx.reduce(ReductionOp::Sum, &rows, &[value_size], product).expr;
    let mask = args.optional_lazy(cx, "attn_mask").map(|mask| {
        let mask = cx.computed(&mask);
        let dtype = cx.program.exprs.dtype(grad);
        mask_at(cx, &mask, &[batch], [batch, heads, queries, keys], dtype)
    });
    let mut node = AttentionBackward {
        batch,
        heads,
        kv_heads,
        queries,
        keys,
        head_size,
        value_size,
        query: read(cx, "query", &of_query)?,
        key: read(cx, "key", &of_key)?,
        value: read(cx, "value", &of_value)?,
        grad,
        log_sum: read(cx, "logsumexp", &rows)?,
        mean,
        mask,
        band: if args.bool("is_causal") { Band::causal(cx.syms()) } else { Band::default() },
        scale: scale_of(cx, args, head_size)?,
        grad_query: None,
        grad_key: None,
        grad_value: None,
    };
    let places = [&mut node.grad_query, &mut node.grad_key, &mut node.grad_value];
    let mut results = Vec::with_capacity(places.len());
    for (k, (place, sizes)) in places.into_iter().zip([of_query, of_key, of_value]).enumerate() {
        let meta = args.result(k);
        let expr = if cx.is_used(args.node.outputs[k]) {
            let buffer = cx.program.temporary(meta.dtype, &sizes);
            *place = Some(buffer);
            let all = cx.load_all(buffer);
            let vars = cx.vars(&meta.shape);
            cx.at(&all, &vars)
        } else {
            cx.program.exprs.float(0.0, meta.dtype)
        };
        results.push(Lazy { sizes: meta.shape.clone(), expr });
    }
    if node.results().next().is_some() {
        cx.push(NodeKind::AttentionBackward(Box::new(node)));
    }
    Ok(results)
}

fn refuse_dropout(cx: &Lower<'_>, args: &Args<'_>) -> Result<(), LowerError> {
    match args.float("dropout_p") {
        None | Some(0.0) => Ok(()),
        Some(_) => Err(cx.unsupported(
            "dropout in this operator, which PyTorch does not do either; use `aten.scaled_dot_product_attention`",
        )),
    }
}
