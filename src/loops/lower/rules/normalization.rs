//! Normalisations, softmax and dropout, as reductions over the inner dimensions and a pointwise result: the variance
//! from a second pass over differences from the mean, everything in float32 (float64) until the last cast.

use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{BinaryOp, ExprId, ReductionOp, UnaryOp};
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Lazy>, LowerError>;

/// How a normalisation sees its input: groups of elements that share a mean, as outer dimensions and the inner ones
/// they are summed over.
pub(super) struct Grouping {
    pub outer: Vec<SymInt>,
    pub inner: Vec<SymInt>,
    /// The input's index from the variables of `outer` and then `inner`.
    pub index: Vec<SymInt>,
}

/// Sums over each group; they load as the function of an index over `outer`.
pub(super) struct Moments {
    pub sum: Lazy,
    pub squares: Lazy,
    pub count: ExprId,
}

/// Sum, and sum of squared differences from the mean, of each group.
pub(super) fn moments(cx: &mut Lower<'_>, input: &Lazy, g: &Grouping) -> Moments {
    let x = cx.compute_at(input, &g.index);
    let dtype = cx.program.exprs.dtype(x);
    let size = cx.syms().product(&g.inner);
    let count = cx.size_as(size, dtype);
    let sum = cx.reduce(ReductionOp::Sum, &g.outer, &g.inner, x);
    let mean = cx.bin(BinaryOp::Div, sum.expr, count);
    let centered = cx.bin(BinaryOp::Sub, x, mean);
    let square = cx.bin(BinaryOp::Mul, centered, centered);
    let squares = cx.reduce(ReductionOp::Sum, &g.outer, &g.inner, square);
    Moments { sum, squares, count }
}

impl Moments {
    pub fn mean(&self, cx: &mut Lower<'_>, at: &[SymInt]) -> ExprId {
        let sum = cx.at(&self.sum, at);
        cx.bin(BinaryOp::Div, sum, self.count)
    }
    fn variance(&self, cx: &mut Lower<'_>, at: &[SymInt]) -> ExprId {
        let squares = cx.at(&self.squares, at);
        cx.bin(BinaryOp::Div, squares, self.count)
    }
    fn rstd(&self, cx: &mut Lower<'_>, at: &[SymInt], eps: f64) -> ExprId {
        let variance = self.variance(cx, at);
        rsqrt_of(cx, variance, eps)
    }
}

/// `1 / sqrt(x + eps)`
pub(super) fn rsqrt_of(cx: &mut Lower<'_>, x: ExprId, eps: f64) -> ExprId {
    let dtype = cx.program.exprs.dtype(x);
    let eps = cx.program.exprs.float(eps, dtype);
    let sum = cx.bin(BinaryOp::Add, x, eps);
    cx.un(UnaryOp::Rsqrt, sum)
}

/// `x * weight + bias`, each where it is given, at an index of theirs.
pub(super) fn affine(cx: &mut Lower<'_>, args: &Args<'_>, x: ExprId, at: &[SymInt]) -> ExprId {
    let dtype = cx.program.exprs.dtype(x);
    let mut x = x;
    for (name, op) in [("weight", BinaryOp::Mul), ("bias", BinaryOp::Add)] {
        if args.node.op.schema().arg(name).is_none() {
            continue;
        }
        if let Some(parameter) = args.optional_lazy(cx, name) {
            let parameter = cx.at(&parameter, at);
            let parameter = cx.cast(parameter, dtype);
            x = cx.bin(op, x, parameter);
        }
    }
    x
}

/// A value in the dtype of the node's `k`-th result, over its shape.
pub(super) fn finish(cx: &mut Lower<'_>, args: &Args<'_>, k: usize, expr: ExprId) -> Lazy {
    let meta = args.result(k);
    let expr = cx.cast(expr, meta.dtype);
    Lazy { sizes: meta.shape.clone(), expr }
}

/// The input's dimensions split before the last ones.
pub(super) fn trailing(cx: &Lower<'_>, input: &Lazy, outer: usize) -> Grouping {
    let index = cx.vars(&input.sizes);
    Grouping { outer: input.sizes[..outer].to_vec(), inner: input.sizes[outer..].to_vec(), index }
}

/// `[result, mean, rstd]` of a layer norm as expressions; the latter two over the outer dimensions.
fn layer_norm_parts(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<[ExprId; 3], LowerError> {
    let input = args.lazy(cx, "input")?;
    let input = cx.computed(&input);
    let inner = args.ints("normalized_shape").map_or(0, <[SymInt]>::len);
    let outer = input.sizes.len() - inner;
    let eps = args.float("eps").unwrap_or(1e-5);
    let grouping = trailing(cx, &input, outer);
    let m = moments(cx, &input, &grouping);
    let vars = grouping.index;
    let x = cx.compute_at(&input, &vars);
    let (mean, rstd) = (m.mean(cx, &vars[..outer]), m.rstd(cx, &vars[..outer], eps));
    let centered = cx.bin(BinaryOp::Sub, x, mean);
    let scaled = cx.bin(BinaryOp::Mul, centered, rstd);
    let value = affine(cx, args, scaled, &vars[outer..]);
    Ok([value, mean, rstd])
}

pub fn layer_norm(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let [value, ..] = layer_norm_parts(cx, args)?;
    Ok(vec![finish(cx, args, 0, value)])
}

pub fn native_layer_norm(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let [value, mean, rstd] = layer_norm_parts(cx, args)?;
    Ok(vec![finish(cx, args, 0, value), finish(cx, args, 1, mean), finish(cx, args, 2, rstd)])
}

/// `[result, rstd]`: `x / sqrt(mean(x²) + eps) * weight`; `eps` defaults to the computing dtype's epsilon.
fn rms_norm_parts(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<[ExprId; 2], LowerError> {
    let input = args.lazy(cx, "input")?;
    let input = cx.computed(&input);
    let inner = args.ints("normalized_shape").map_or(0, <[SymInt]>::len);
    let outer = input.sizes.len() - inner;
    let vars = cx.vars(&input.sizes);
    let x = cx.compute_at(&input, &vars);
    let dtype = cx.program.exprs.dtype(x);
    let epsilon = if dtype == Dtype::Float64 { f64::EPSILON } else { f32::EPSILON as f64 };
    let square = cx.bin(BinaryOp::Mul, x, x);
    let sum = cx.reduce(ReductionOp::Sum, &input.sizes[..outer], &input.sizes[outer..], square);
    let size = cx.syms().product(&input.sizes[outer..]);
    let count = cx.size_as(size, dtype);
    let mean = cx.bin(BinaryOp::Div, sum.expr, count);
    let rstd = rsqrt_of(cx, mean, args.float("eps").unwrap_or(epsilon));
    let scaled = cx.bin(BinaryOp::Mul, x, rstd);
    Ok([affine(cx, args, scaled, &vars[outer..]), rstd])
}

pub fn rms_norm(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let [value, _] = rms_norm_parts(cx, args)?;
    Ok(vec![finish(cx, args, 0, value)])
}

pub fn fused_rms_norm(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let [value, rstd] = rms_norm_parts(cx, args)?;
    Ok(vec![finish(cx, args, 0, value), finish(cx, args, 1, rstd)])
}

/// `[result, mean, rstd]`; the statistics are over `[n, groups]`.
fn group_norm_parts(cx: &mut Lower<'_>, args: &Args<'_>, groups: i64) -> Result<[ExprId; 3], LowerError> {
    let input = args.lazy(cx, "input")?;
    let input = cx.computed(&input);
    let eps = args.float("eps").unwrap_or(1e-5);
    let syms = cx.syms();
    let count = syms.constant(groups);
    let each = syms.floordiv(input.sizes[1], count);
    let outer = vec![input.sizes[0], count];
    let mut inner = vec![each];
    inner.extend(&input.sizes[2..]);
    let all: Vec<SymInt> = outer.iter().chain(&inner).copied().collect();
    let v = cx.vars(&all);
    let channel = syms.add(syms.mul(v[1], each), v[2]);
    let mut index = vec![v[0], channel];
    index.extend(&v[3..]);
    let m = moments(cx, &input, &Grouping { outer: outer.clone(), inner, index });
    let vars = cx.vars(&input.sizes);
    let group = syms.floordiv(vars[1], each);
    let x = cx.compute_at(&input, &vars);
    let (mean, rstd) = (m.mean(cx, &[vars[0], group]), m.rstd(cx, &[vars[0], group], eps));
    let centered = cx.bin(BinaryOp::Sub, x, mean);
    let scaled = cx.bin(BinaryOp::Mul, centered, rstd);
    let value = affine(cx, args, scaled, &[vars[1]]);
    let at = cx.vars(&outer);
    let saved = [m.mean(cx, &at), m.rstd(cx, &at, eps)];
    Ok([value, saved[0], saved[1]])
}

pub fn group_norm(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let groups = args.known_int("num_groups")?;
    let [value, ..] = group_norm_parts(cx, args, groups)?;
    Ok(vec![finish(cx, args, 0, value)])
}

pub fn native_group_norm(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let groups = args.known_int("group")?;
    let [value, mean, rstd] = group_norm_parts(cx, args, groups)?;
    Ok(vec![finish(cx, args, 0, value), finish(cx, args, 1, mean), finish(cx, args, 2, rstd)])
}

/// The input in the dtype of computing, the rows' sizes, and the maps between rows and elements.
struct Rows {
    x: Lazy,
    outer: Vec<SymInt>,
    size: SymInt,
    /// The element's index from the variables of `outer` and then `size`.
    element: Vec<SymInt>,
    /// A row's index from the element's variables.
    row: Vec<SymInt>,
}

fn rows(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<Rows, LowerError> {
    let input = args.lazy(cx, "self")?;
    let rank = input.sizes.len();
    let dim = args.known_int("dim")?;
    let dim = if dim < 0 { dim + rank.max(1) as i64 } else { dim } as usize;
    // Converted first where another dtype is asked for, as PyTorch does.
    let cast = cx.cast(input.expr, args.result(0).dtype);
    let x = cx.compute(cast);
    let x = cx.computed(&Lazy { sizes: input.sizes.clone(), expr: x });
    if rank == 0 {
        let size = cx.syms().constant(1);
        return Ok(Rows { x, outer: Vec::new(), size, element: Vec::new(), row: Vec::new() });
    }
    let size = input.sizes[dim];
    let mut outer = input.sizes.clone();
    outer.remove(dim);
    let mut space = outer.clone();
    space.push(size);
    let mut element = cx.vars(&space);
    let last = element.remove(rank - 1);
    element.insert(dim, last);
    let mut row = cx.vars(&input.sizes);
    row.remove(dim);
    Ok(Rows { x, outer, size, element, row })
}

/// The exponentials of each row's distance from its maximum, and their sums.
fn exponentials(cx: &mut Lower<'_>, rows: &Rows) -> (Lazy, Lazy, Lazy) {
    let x = cx.at(&rows.x, &rows.element);
    let max = cx.reduce(ReductionOp::Max, &rows.outer, &[rows.size], x);
    let max_here = cx.at(&max, &rows.row);
    let shifted = cx.bin(BinaryOp::Sub, rows.x.expr, max_here);
    let exp = cx.un(UnaryOp::Exp, shifted);
    let exp = Lazy { sizes: rows.x.sizes.clone(), expr: exp };
    (max, Lazy { sizes: rows.x.sizes.clone(), expr: shifted }, exp)
}

fn sum_of(cx: &mut Lower<'_>, rows: &Rows, value: &Lazy) -> ExprId {
    let element = cx.at(value, &rows.element);
    let sum = cx.reduce(ReductionOp::Sum, &rows.outer, &[rows.size], element);
    cx.at(&sum, &rows.row)
}

pub fn softmax(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let rows = rows(cx, args)?;
    let (_, _, exp) = exponentials(cx, &rows);
    let exp = cx.computed(&exp);
    let sum = sum_of(cx, &rows, &exp);
    let value = cx.bin(BinaryOp::Div, exp.expr, sum);
    Ok(vec![finish(cx, args, 0, value)])
}

pub fn log_softmax(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let rows = rows(cx, args)?;
    let (_, shifted, exp) = exponentials(cx, &rows);
    let sum = sum_of(cx, &rows, &exp);
    let log = cx.un(UnaryOp::Log, sum);
    let value = cx.bin(BinaryOp::Sub, shifted.expr, log);
    Ok(vec![finish(cx, args, 0, value)])
}

/// Softmax in which a row of nothing but minus infinity becomes zeros.
pub fn safe_softmax(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let rows = rows(cx, args)?;
    let (max, _, exp) = exponentials(cx, &rows);
    let exp = cx.computed(&exp);
    let sum = sum_of(cx, &rows, &exp);
    let value = cx.bin(BinaryOp::Div, exp.expr, sum);
    let dtype = cx.program.exprs.dtype(value);
    let max = cx.at(&max, &rows.row);
    let lowest = cx.program.exprs.float(f64::NEG_INFINITY, dtype);
    let masked = cx.bin(BinaryOp::Eq, max, lowest);
    let zero = cx.program.exprs.float(0.0, dtype);
    let value = cx.program.exprs.select(masked, zero, value);
    Ok(vec![finish(cx, args, 0, value)])
}

/// Nothing but its input: a dropout that drops is another operator by now.
pub fn dropout(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    Ok(vec![args.lazy(cx, "input")?])
}

/// As [`dropout`], which keeps everything.
pub fn native_dropout(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let input = args.lazy(cx, "input")?;
    let expr = cx.program.exprs.int(1, Dtype::Bool);
    let mask = Lazy { sizes: input.sizes.clone(), expr };
    Ok(vec![input, mask])
}
