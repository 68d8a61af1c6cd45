//! Matrix products as `Gemm` nodes, products with vectors as reductions.

use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{BinaryOp, ExprId, NodeKind, ReductionOp};
use crate::types::{Dtype, SymInt};

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
