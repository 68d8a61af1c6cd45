//! Matrix products as `Gemm` nodes, products with vectors as reductions, and attention.

use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{Attention, Band, BinaryOp, ExprId, NodeKind, ReductionOp, UnaryOp};
use crate::types::{Dtype, Scalar, SymInt};

type Results = Result<Vec<Lazy>, LowerError>;

/// The product of `a[.., m, k]` and `b[.., k, n]` with NumPy's rules for vectors and batches, in the compute dtype.
fn product(cx: &mut Lower<'_>, a: &Lazy, b: &Lazy, shape: &[SymInt]) -> Lazy {
    let (a, b) = (cx.computed(a), cx.computed(b));
    let (row, column) = (a.sizes.len() >= 2, b.sizes.len() >= 2);
    let batch = shape.len() - usize::from(row) - usize::from(column);
    let k = a.sizes[a.sizes.len() - 1];
    let mut space = shape.to_vec();
    space.push(k);
    let vars = cx.vars(&space);
    let at_k = vars[shape.len()];
    let (m, n) = (vars.get(batch).copied(), vars[shape.len().saturating_sub(1)]);
    let mut a_index = batch_index(cx, &a, &vars[..batch], 1 + usize::from(row));
    a_index.extend(m.filter(|_| row));
    a_index.push(at_k);
    let mut b_index = batch_index(cx, &b, &vars[..batch], 1 + usize::from(column));
    b_index.push(at_k);
    if column {
        b_index.push(n);
    }
    let (left, right) = (cx.compute_at(&a, &a_index), cx.compute_at(&b, &b_index));
    if row && column {
        return gemm(cx, shape, k, left, right);
    }
    let value = cx.bin(BinaryOp::Mul, left, right);
    cx.reduce(ReductionOp::Sum, shape, &[k], value)
}

/// The batch part of an operand's index: its dimensions before the last `kept`, sizes of 1 broadcast.
fn batch_index(cx: &Lower<'_>, lazy: &Lazy, batch: &[SymInt], kept: usize) -> Vec<SymInt> {
    let own = &lazy.sizes[..lazy.sizes.len() - kept];
    let (one, zero) = (cx.syms().constant(1), cx.syms().constant(0));
    let skip = batch.len() - own.len();
    own.iter().enumerate().map(|(d, size)| if *size == one { zero } else { batch[skip + d] }).collect()
}

/// A `Gemm` over `shape` = batch.., m, n; `a` and `b` are over the variables of `shape` and then k.
pub(super) fn gemm(cx: &mut Lower<'_>, shape: &[SymInt], k: SymInt, a: ExprId, b: ExprId) -> Lazy {
    let dtype = cx.program.exprs.dtype(a);
    let out = cx.program.temporary(dtype, shape);
    let (batch, last) = shape.split_at(shape.len() - 2);
    let kind = NodeKind::Gemm { batch: batch.to_vec(), m: last[0], n: last[1], k, a, b, out };
    cx.push(kind);
    cx.load_all(out)
}

fn result(cx: &mut Lower<'_>, expr: ExprId, args: &Args<'_>) -> Results {
    let out = args.result(0);
    let expr = cx.cast(expr, out.dtype);
    Ok(vec![Lazy { sizes: out.shape.clone(), expr }])
}

/// `matmul`, `mm`, `bmm`, `mv`, `dot`: the operands are the first two arguments, whatever their names.
pub fn matmul(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let names = &args.node.op.schema().args;
    let (a, b) = (args.lazy(cx, &names[0].name)?, args.lazy(cx, &names[1].name)?);
    let done = product(cx, &a, &b, &args.result(0).shape);
    result(cx, done.expr, args)
}

/// `input · weightᵀ + bias`. Leading dimensions of the input stay batch dimensions that the weight does not use.
pub fn linear(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (input, weight) = (args.lazy(cx, "input")?, args.lazy(cx, "weight")?);
    let (input, weight) = (cx.computed(&input), cx.computed(&weight));
    let shape = args.result(0).shape.clone();
    let k = input.sizes[input.sizes.len() - 1];
    let mut space = shape.clone();
    space.push(k);
    let vars = cx.vars(&space);
    let at_k = vars[shape.len()];
    let rows = input.sizes.len() - 1;
    let mut a_index = vars[..rows].to_vec();
    a_index.push(at_k);
    let mut b_index = vars[rows..shape.len()].to_vec();
    b_index.push(at_k);
    let (a, b) = (cx.compute_at(&input, &a_index), cx.compute_at(&weight, &b_index));
    let done = if rows >= 1 && weight.sizes.len() == 2 {
        gemm(cx, &shape, k, a, b)
    } else {
        let value = cx.bin(BinaryOp::Mul, a, b);
        cx.reduce(ReductionOp::Sum, &shape, &[k], value)
    };
    let mut expr = done.expr;
    if let Some(bias) = args.optional_lazy(cx, "bias") {
        let bias = cx.broadcast(&bias, &shape);
        let bias = cx.compute(bias);
        expr = cx.bin(BinaryOp::Add, expr, bias);
    }
    result(cx, expr, args)
}

fn is_number(args: &Args<'_>, name: &str, value: f64) -> bool {
    use crate::ir::Arg;
    match args.get(name) {
        Arg::Int(v) => args.graph.syms.as_const(*v).is_some_and(|c| c as f64 == value),
        Arg::Float(v) => *v == value,
        Arg::Bool(v) => f64::from(u8::from(*v)) == value,
        _ => false,
    }
}

/// `beta * self + alpha * product`; with a `beta` of zero, `self` is not looked at, NaN or not.
fn scaled_sum(cx: &mut Lower<'_>, args: &Args<'_>, product: ExprId) -> Results {
    let shape = args.result(0).shape.clone();
    let dtype = cx.program.exprs.dtype(product);
    let mut expr = product;
    if !is_number(args, "alpha", 1.0)
        && let Some(alpha) = args.number(cx, "alpha", dtype)
    {
        expr = cx.bin(BinaryOp::Mul, alpha, expr);
    }
    if !is_number(args, "beta", 0.0) {
        let bias = args.lazy(cx, "self")?;
        let bias = cx.broadcast(&bias, &shape);
        let mut bias = cx.cast(bias, dtype);
        if !is_number(args, "beta", 1.0)
            && let Some(beta) = args.number(cx, "beta", dtype)
        {
            bias = cx.bin(BinaryOp::Mul, beta, bias);
        }
        expr = cx.bin(BinaryOp::Add, expr, bias);
    }
    result(cx, expr, args)
}

fn added(cx: &mut Lower<'_>, args: &Args<'_>, a: &str, b: &str) -> Results {
    let (a, b) = (args.lazy(cx, a)?, args.lazy(cx, b)?);
    let done = product(cx, &a, &b, &args.result(0).shape);
    scaled_sum(cx, args, done.expr)
}

pub fn addmm(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    added(cx, args, "mat1", "mat2")
}

pub fn baddbmm(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    added(cx, args, "batch1", "batch2")
}

/// Unlike the matrix products, PyTorch's kernel rounds alpha, beta and `beta * self` to the operands' dtype.
pub fn addmv(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let out = args.result(0);
    let (dtype, shape) = (out.dtype, out.shape.clone());
    if !dtype.is_reduced_float() || is_number(args, "beta", 0.0) {
        return added(cx, args, "mat", "vec");
    }
    let (a, b) = (args.lazy(cx, "mat")?, args.lazy(cx, "vec")?);
    let done = product(cx, &a, &b, &shape);
    let (alpha, beta) = (rounded_number(cx, args, "alpha")?, rounded_number(cx, args, "beta")?);
    let bias = args.lazy(cx, "self")?;
    let bias = cx.broadcast(&bias, &shape);
    let bias = cx.compute(bias);
    let bias = cx.bin(BinaryOp::Mul, beta, bias);
    let bias = rounded(cx, bias, dtype);
    let scaled = cx.bin(BinaryOp::Mul, alpha, done.expr);
    let sum = cx.bin(BinaryOp::Add, bias, scaled);
    result(cx, sum, args)
}

/// A value rounded to a dtype, in that dtype's compute type.
fn rounded(cx: &mut Lower<'_>, expr: ExprId, dtype: Dtype) -> ExprId {
    let narrow = cx.cast(expr, dtype);
    cx.compute(narrow)
}

/// A number argument rounded to the result's dtype, in its compute type.
fn rounded_number(cx: &mut Lower<'_>, args: &Args<'_>, name: &str) -> Result<ExprId, LowerError> {
    let dtype = args.result(0).dtype;
    let Some(number) = args.number(cx, name, dtype.compute()) else {
        return Err(cx.unsupported(format!("`{name}` must be a number")));
    };
    Ok(rounded(cx, number, dtype))
}

/// `beta * self + alpha * vec1 ⊗ vec2`; of bool tensors, `and` and `or`.
pub fn addr(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let out = args.result(0);
    let (dtype, shape) = (out.dtype.compute(), out.shape.clone());
    let vars = cx.vars(&shape);
    let (a, b) = (args.lazy(cx, "vec1")?, args.lazy(cx, "vec2")?);
    let (a, b) = (cx.at(&a, &vars[..1]), cx.at(&b, &vars[1..]));
    let (a, b) = (cx.cast(a, dtype), cx.cast(b, dtype));
    if dtype != Dtype::Bool {
        return addr_numbers(cx, args, a, b);
    }
    let mut expr = cx.bin(BinaryOp::LogicalAnd, a, b);
    if let Some(alpha) = args.number(cx, "alpha", dtype) {
        expr = cx.bin(BinaryOp::LogicalAnd, alpha, expr);
    }
    if !is_number(args, "beta", 0.0) {
        let bias = args.lazy(cx, "self")?;
        let bias = cx.broadcast(&bias, &shape);
        let bias = cx.cast(bias, dtype);
        expr = cx.bin(BinaryOp::LogicalOr, bias, expr);
    }
    result(cx, expr, args)
}

/// `addr` of numbers, each step rounded to the result's dtype.
fn addr_numbers(cx: &mut Lower<'_>, args: &Args<'_>, a: ExprId, b: ExprId) -> Results {
    let out = args.result(0);
    let (dtype, shape) = (out.dtype, out.shape.clone());
    let alpha = rounded_number(cx, args, "alpha")?;
    let scaled = cx.bin(BinaryOp::Mul, alpha, a);
    let scaled = rounded(cx, scaled, dtype);
    let mut expr = cx.bin(BinaryOp::Mul, scaled, b);
    if !is_number(args, "beta", 0.0) {
        let beta = rounded_number(cx, args, "beta")?;
        let bias = args.lazy(cx, "self")?;
        let bias = cx.broadcast(&bias, &shape);
        let bias = cx.cast(bias, dtype.compute());
        let bias = cx.bin(BinaryOp::Mul, beta, bias);
        let (bias, product) = (rounded(cx, bias, dtype), rounded(cx, expr, dtype));
        expr = cx.bin(BinaryOp::Add, bias, product);
    }
    result(cx, expr, args)
}

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
    let grouped = args.node.op.schema().arg("enable_gqa").is_some() && args.bool("enable_gqa");
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
            // A head size of zero makes every score zero, whatever the scale.
            Some(0) => Ok(1.0),
            Some(size) => Ok(1.0 / (size as f64).sqrt()),
            None => Err(cx.unsupported("`scale` must be given where the size of a head is symbolic")),
        },
    }
}

/// A `[batch, heads, queries, value_size]` attention node; the result has the operator's own shape.
fn attend(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<Lazy, LowerError> {
    if args.float("dropout_p").is_some_and(|p| p != 0.0) {
        return Err(cx.unsupported(
            "dropout in this operator, which PyTorch does not do either; use `aten.scaled_dot_product_attention`",
        ));
    }
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
        log_sum: None,
    };
    cx.push(NodeKind::Attention(Box::new(node)));
    Ok(from_heads(cx, out, &outer, args))
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
fn from_heads(cx: &mut Lower<'_>, out: crate::loops::BufferId, outer: &[SymInt], args: &Args<'_>) -> Lazy {
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
    Ok(vec![attend(cx, args)?])
}

/// The second result is computed from the scores again, and only where something reads it.
pub fn flash_attention(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let out = attend(cx, args)?;
    let sums = args.result(1);
    let dtype = sums.dtype;
    if !cx.is_used(args.node.outputs[1]) {
        let expr = cx.program.exprs.float(0.0, dtype);
        return Ok(vec![out, Lazy { sizes: sums.shape.clone(), expr }]);
    }
    let (query, key) = (args.lazy(cx, "query")?, args.lazy(cx, "key")?);
    let (query, key) = (cx.computed(&query), cx.computed(&key));
    let rows = sums.shape.clone();
    let (keys, size) = (key.sizes[2], key.sizes[3]);
    let mut shape = rows.clone();
    shape.push(keys);
    let mut space = shape.clone();
    space.push(size);
    let v = cx.vars(&space);
    let a = cx.compute_at(&query, &[v[0], v[1], v[2], v[4]]);
    let b = cx.compute_at(&key, &[v[0], v[1], v[3], v[4]]);
    let scores = gemm(cx, &shape, size, a, b);
    let scale = scale_of(cx, args, size)?;
    let scale = cx.program.exprs.constant(Scalar::Float(scale), dtype);
    let mut score = cx.bin(BinaryOp::Mul, scores.expr, scale);
    let minus_infinity = cx.program.exprs.float(f64::NEG_INFINITY, dtype);
    if let Some(mask) = args.optional_lazy(cx, "attn_mask") {
        let mask = cx.broadcast(&mask, &shape);
        score = if cx.program.exprs.dtype(mask) == Dtype::Bool {
            cx.program.exprs.select(mask, score, minus_infinity)
        } else {
            let mask = cx.cast(mask, dtype);
            cx.bin(BinaryOp::Add, score, mask)
        };
    }
    if args.bool("is_causal") {
        let seen = cx.syms().le(v[3], v[2]);
        let seen = cx.condition(seen);
        score = cx.program.exprs.select(seen, score, minus_infinity);
    }
    let score = cx.computed(&Lazy { sizes: shape, expr: score });
    let max = cx.reduce(ReductionOp::Max, &rows, &[keys], score.expr);
    let shifted = cx.bin(BinaryOp::Sub, score.expr, max.expr);
    let exp = cx.un(UnaryOp::Exp, shifted);
    let sum = cx.reduce(ReductionOp::Sum, &rows, &[keys], exp);
    let log = cx.un(UnaryOp::Log, sum.expr);
    let whole = cx.bin(BinaryOp::Add, log, max.expr);
    // A row that attends nothing has a sum of zero, not a NaN.
    let empty = cx.bin(BinaryOp::Eq, max.expr, minus_infinity);
    let zero = cx.program.exprs.float(0.0, dtype);
    let expr = cx.program.exprs.select(empty, zero, whole);
    Ok(vec![out, Lazy { sizes: rows, expr }])
}
