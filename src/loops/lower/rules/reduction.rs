//! Reductions. Reduced floats accumulate in float32, integers and bools as PyTorch sums them in int64.
//!
//! A variance is two passes, the mean first: the scheduler may fuse them over one row.

use super::pointwise::{Results, finish};
use crate::base::Status;
use crate::loops::lower::{Args, Lazy, Lower, LowerError, X};
use crate::loops::{ExprId, NodeKind, ReductionOp};
use crate::meta::reduced_dims;
use crate::types::{Dtype, Scalar, SymInt};

/// What a rule reduces: `self`, and over which dimensions.
pub struct Reduced {
    pub own: Lazy,
    pub dims: Vec<usize>,
    pub keep: bool,
}

impl Reduced {
    pub fn of(cx: &Lower<'_>, args: &Args<'_>) -> Result<Reduced, LowerError> {
        let own = args.lazy(cx, "self")?;
        let from = cx.program.exprs.dtype(own.expr);
        if !from.is_computable() {
            return Err(cx.unsupported(format!("reduction of {from}")));
        }
        let dims = reduced_dims(cx.graph, args.node.op, &args.node.args, own.sizes.len())
            .ok_or_else(|| cx.error(Status::InvalidArgument, "the reduced dimensions are not constant"))?;
        let keep = args.node.op.schema().arg("keepdim").is_some() && args.bool("keepdim");
        Ok(Reduced { own, dims, keep })
    }
    /// How many elements go into one result, in a float dtype.
    pub fn count(&self, cx: &mut Lower<'_>, dtype: Dtype) -> ExprId {
        let sizes: Vec<SymInt> = self.dims.iter().map(|d| self.own.sizes[*d]).collect();
        let count = cx.syms().product(&sizes);
        match cx.syms().as_const(count) {
            Some(count) => cx.program.exprs.constant(Scalar::Int(count), dtype),
            None => {
                let count = cx.program.exprs.index_value(count, Dtype::Int64);
                cx.program.exprs.cast(count, dtype)
            }
        }
    }
    /// A result over the kept space, over the space that the operator gives.
    fn shaped(&self, cx: &mut Lower<'_>, kept: &Lazy, sizes: &[SymInt]) -> ExprId {
        if self.keep || self.dims.is_empty() {
            return kept.expr;
        }
        let vars = cx.vars(sizes);
        let mut next = vars.into_iter();
        let zero = cx.syms().constant(0);
        let index: Vec<SymInt> = (0..kept.sizes.len())
            .map(|k| if self.dims.contains(&k) { zero } else { next.next().unwrap_or(zero) })
            .collect();
        cx.at(kept, &index)
    }
    /// Result `k` of the node from its value over the kept space.
    pub fn finish(&self, cx: &mut Lower<'_>, args: &Args<'_>, k: usize, kept: &Lazy) -> Lazy {
        let sizes = args.result(k).shape.clone();
        let expr = self.shaped(cx, kept, &sizes);
        finish(cx, args, k, expr)
    }
    /// Reduces an expression over `self`'s space; the results lie over the kept space.
    pub fn reduce(&self, cx: &mut Lower<'_>, op: ReductionOp, value: ExprId) -> Vec<Lazy> {
        reduce_dims(cx, &Lazy { sizes: self.own.sizes.clone(), expr: value }, &self.dims, op)
    }
    pub fn reduce_one(&self, cx: &mut Lower<'_>, op: ReductionOp, value: ExprId) -> Lazy {
        self.reduce(cx, op, value).remove(0)
    }
    /// A value over the kept space as one over `self`'s.
    pub fn spread(&self, cx: &mut Lower<'_>, kept: &Lazy) -> ExprId {
        let sizes = self.own.sizes.clone();
        let vars = cx.vars(&sizes);
        let zero = cx.syms().constant(0);
        let index: Vec<SymInt> =
            (0..sizes.len()).map(|k| if self.dims.contains(&k) { zero } else { vars[k] }).collect();
        cx.at(kept, &index)
    }
}

/// Reduces a value (in a compute dtype) over some of its dimensions, which remain with size 1 in the results.
pub fn reduce_dims(cx: &mut Lower<'_>, value: &Lazy, dims: &[usize], op: ReductionOp) -> Vec<Lazy> {
    let (one, zero) = (cx.syms().constant(1), cx.syms().constant(0));
    let with_index = matches!(op, ReductionOp::MaxWithIndex | ReductionOp::MinWithIndex);
    if dims.is_empty() {
        let mut results = vec![value.clone()];
        if with_index {
            let expr = cx.program.exprs.int(0, Dtype::Int64);
            results.push(Lazy { sizes: value.sizes.clone(), expr });
        }
        return results;
    }
    let rank = value.sizes.len();
    let outer: Vec<usize> = (0..rank).filter(|k| !dims.contains(k)).collect();
    let sizes: Vec<SymInt> = outer.iter().map(|k| value.sizes[*k]).collect();
    let reduced: Vec<SymInt> = dims.iter().map(|k| value.sizes[*k]).collect();
    let all: Vec<SymInt> = sizes.iter().chain(&reduced).copied().collect();
    let vars = cx.vars(&all);
    let mut index = vec![zero; rank];
    for (var, k) in vars.iter().zip(outer.iter().chain(dims)) {
        index[*k] = *var;
    }
    let expr = cx.at(value, &index);
    let dtype = cx.program.exprs.dtype(expr);
    let mut outs = vec![cx.program.temporary(dtype, &sizes)];
    if with_index {
        outs.push(cx.program.temporary(Dtype::Int64, &sizes));
    }
    cx.push(NodeKind::Reduction { sizes, reduced, op, value: expr, outs: outs.clone() });
    let kept: Vec<SymInt> = (0..rank).map(|k| if dims.contains(&k) { one } else { value.sizes[k] }).collect();
    let kept_vars = cx.vars(&kept);
    let index: Vec<SymInt> = outer.iter().map(|k| kept_vars[*k]).collect();
    outs.into_iter()
        .map(|out| {
            let dtype = cx.program.buffers[out].dtype;
            Lazy { sizes: kept.clone(), expr: cx.program.exprs.load(out, dtype, index.clone(), Vec::new()) }
        })
        .collect()
}

/// One reduction of a function of `self`, brought to the result's compute dtype first.
fn simple(
    cx: &mut Lower<'_>,
    args: &Args<'_>,
    op: ReductionOp,
    formula: impl for<'c> FnOnce(X<'c>) -> X<'c>,
) -> Results {
    let r = Reduced::of(cx, args)?;
    let dtype = args.result(0).dtype.compute();
    // Of bools, a sum is whether any holds, and a product whether all do.
    let op = match op {
        ReductionOp::Sum if dtype == Dtype::Bool => ReductionOp::Max,
        ReductionOp::Product if dtype == Dtype::Bool => ReductionOp::Min,
        op => op,
    };
    let own = cx.compute(r.own.expr);
    let value = cx.formula(|of| formula(of(own)).cast(dtype));
    let kept = r.reduce_one(cx, op, value);
    Ok(vec![r.finish(cx, args, 0, &kept)])
}

pub fn sum(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    simple(cx, args, ReductionOp::Sum, |x| x)
}
pub fn prod(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    simple(cx, args, ReductionOp::Product, |x| x)
}
pub fn amax(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    simple(cx, args, ReductionOp::Max, |x| x)
}
pub fn amin(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    simple(cx, args, ReductionOp::Min, |x| x)
}
pub fn nansum(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    simple(cx, args, ReductionOp::Sum, without_nan)
}
/// The exclusive or of the bits, as float64 or 64-bit integers have them.
pub fn hash_tensor(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let r = Reduced::of(cx, args)?;
    let exprs = &mut cx.program.exprs;
    let wide = if exprs.dtype(r.own.expr).is_float() { Dtype::Float64 } else { Dtype::Int64 };
    let value = exprs.cast(r.own.expr, wide);
    let value = exprs.bits(value, Dtype::Int64);
    let kept = r.reduce_one(cx, ReductionOp::Xor, value);
    Ok(vec![r.finish(cx, args, 0, &kept)])
}
pub fn count_nonzero(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    simple(cx, args, ReductionOp::Sum, |x| x.cast(Dtype::Bool))
}

fn without_nan(x: X<'_>) -> X<'_> {
    x.is_nan().select(x.int(0), x)
}

/// Some element is nonzero.
pub fn any(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    truth(cx, args, ReductionOp::Max)
}
/// Every element is nonzero.
pub fn all(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    truth(cx, args, ReductionOp::Min)
}
fn truth(cx: &mut Lower<'_>, args: &Args<'_>, op: ReductionOp) -> Results {
    let r = Reduced::of(cx, args)?;
    let value = cx.program.exprs.cast(r.own.expr, Dtype::Bool);
    let kept = r.reduce_one(cx, op, value);
    Ok(vec![r.finish(cx, args, 0, &kept)])
}

/// The mean over the kept space, of a value over `self`'s.
fn mean_of(cx: &mut Lower<'_>, r: &Reduced, value: ExprId) -> Lazy {
    let dtype = cx.program.exprs.dtype(value);
    let count = r.count(cx, dtype);
    let sum = r.reduce_one(cx, ReductionOp::Sum, value);
    let expr = cx.formula(|of| of(sum.expr) / of(count));
    Lazy { sizes: sum.sizes, expr }
}

pub fn mean(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let r = Reduced::of(cx, args)?;
    let value = cx.program.exprs.cast(r.own.expr, args.result(0).dtype.compute());
    let kept = mean_of(cx, &r, value);
    Ok(vec![r.finish(cx, args, 0, &kept)])
}

pub fn nanmean(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let mut r = Reduced::of(cx, args)?;
    r.own = cx.computed(&r.own);
    let dtype = args.result(0).dtype.compute();
    let own = cx.program.exprs.cast(r.own.expr, dtype);
    let value = cx.formula(|of| without_nan(of(own)));
    let present = cx.formula(|of| of(own).is_nan().logical_not().cast(dtype));
    let (sum, count) =
        (r.reduce_one(cx, ReductionOp::Sum, value), r.reduce_one(cx, ReductionOp::Sum, present));
    let expr = cx.formula(|of| of(sum.expr) / of(count.expr));
    let kept = Lazy { sizes: sum.sizes, expr };
    Ok(vec![r.finish(cx, args, 0, &kept)])
}

pub fn aminmax(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let mut r = Reduced::of(cx, args)?;
    r.own = cx.computed(&r.own);
    let value = cx.compute(r.own.expr);
    let (min, max) = (r.reduce_one(cx, ReductionOp::Min, value), r.reduce_one(cx, ReductionOp::Max, value));
    Ok(vec![r.finish(cx, args, 0, &min), r.finish(cx, args, 1, &max)])
}

/// Values and positions. Bools are compared as numbers.
fn extremum(
    cx: &mut Lower<'_>,
    args: &Args<'_>,
    op: ReductionOp,
) -> Result<(Reduced, Vec<Lazy>), LowerError> {
    let r = Reduced::of(cx, args)?;
    let mut value = cx.compute(r.own.expr);
    if cx.program.exprs.dtype(value) == Dtype::Bool {
        value = cx.program.exprs.cast(value, Dtype::Uint8);
    }
    let results = r.reduce(cx, op, value);
    Ok((r, results))
}
fn with_positions(cx: &mut Lower<'_>, args: &Args<'_>, op: ReductionOp) -> Results {
    let (r, kept) = extremum(cx, args, op)?;
    Ok(vec![r.finish(cx, args, 0, &kept[0]), r.finish(cx, args, 1, &kept[1])])
}
fn positions(cx: &mut Lower<'_>, args: &Args<'_>, op: ReductionOp) -> Results {
    let (r, kept) = extremum(cx, args, op)?;
    Ok(vec![r.finish(cx, args, 0, &kept[1])])
}
pub fn max_dim(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    with_positions(cx, args, ReductionOp::MaxWithIndex)
}
pub fn min_dim(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    with_positions(cx, args, ReductionOp::MinWithIndex)
}
pub fn argmax(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    positions(cx, args, ReductionOp::MaxWithIndex)
}
pub fn argmin(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    positions(cx, args, ReductionOp::MinWithIndex)
}

/// What a variance subtracts from the count: `correction`, or 1 and 0 for `unbiased` or not; 1 by default.
fn correction(args: &Args<'_>) -> f64 {
    if args.node.op.schema().arg("unbiased").is_some() {
        return if args.bool("unbiased") { 1.0 } else { 0.0 };
    }
    args.float("correction").unwrap_or(1.0)
}

/// Variance and mean over the kept space.
fn variance(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<(Reduced, Lazy, Lazy), LowerError> {
    let correction = correction(args);
    let mut r = Reduced::of(cx, args)?;
    r.own = cx.computed(&r.own);
    let value = cx.compute(r.own.expr);
    let dtype = cx.program.exprs.dtype(value);
    let mean = mean_of(cx, &r, value);
    let spread = r.spread(cx, &mean);
    let squared = cx.formula(|of| (of(value) - of(spread)).square());
    let sum = r.reduce_one(cx, ReductionOp::Sum, squared);
    let count = r.count(cx, dtype);
    let expr = cx.formula(|of| {
        let (sum, count) = (of(sum.expr), of(count));
        let degrees = (count - correction).maximum(0.0);
        // Nothing has no variance, whatever is added to its count.
        sum / if correction < 0.0 { count.eq(0.0).select(count, degrees) } else { degrees }
    });
    // PyTorch's running mean leaves an infinity by a difference that is NaN, once another element follows.
    let lost = cx.formula(|of| {
        let (sum, several) = (of(sum.expr), of(count).gt(1.0));
        sum.is_nan().and(several).select(sum, of(mean.expr))
    });
    let mean = Lazy { sizes: mean.sizes, expr: lost };
    Ok((r, Lazy { sizes: sum.sizes, expr }, mean))
}

fn root(cx: &mut Lower<'_>, of_variance: Lazy) -> Lazy {
    let expr = cx.formula(|of| of(of_variance.expr).sqrt());
    Lazy { sizes: of_variance.sizes, expr }
}

pub fn var(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (r, variance, _) = variance(cx, args)?;
    Ok(vec![r.finish(cx, args, 0, &variance)])
}
pub fn std(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (r, variance, _) = variance(cx, args)?;
    let std = root(cx, variance);
    Ok(vec![r.finish(cx, args, 0, &std)])
}
pub fn var_mean(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (r, variance, mean) = variance(cx, args)?;
    Ok(vec![r.finish(cx, args, 0, &variance), r.finish(cx, args, 1, &mean)])
}
pub fn std_mean(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (r, variance, mean) = variance(cx, args)?;
    let std = root(cx, variance);
    Ok(vec![r.finish(cx, args, 0, &std), r.finish(cx, args, 1, &mean)])
}

/// Shifted by the largest element, unless that is infinite.
pub fn logsumexp(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let mut r = Reduced::of(cx, args)?;
    r.own = cx.computed(&r.own);
    let value = cx.program.exprs.cast(r.own.expr, args.result(0).dtype.compute());
    let largest = r.reduce_one(cx, ReductionOp::Max, value);
    let shift = cx.formula(|of| {
        let x = of(largest.expr);
        x.is_inf().select(x.float(0.0), x)
    });
    let shift = Lazy { sizes: largest.sizes, expr: shift };
    let spread = r.spread(cx, &shift);
    let exponentials = cx.formula(|of| (of(value) - of(spread)).exp());
    let sum = r.reduce_one(cx, ReductionOp::Sum, exponentials);
    let expr = cx.formula(|of| of(sum.expr).log() + of(shift.expr));
    let kept = Lazy { sizes: sum.sizes, expr };
    Ok(vec![r.finish(cx, args, 0, &kept)])
}

/// The sum over leading dimensions and over those that become 1.
pub fn sum_to_size(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let own = args.lazy(cx, "self")?;
    let out = args.result(0);
    let skip = own.sizes.len() - out.rank();
    let one = cx.syms().constant(1);
    let shrinks = |k: usize| k < skip || (out.shape[k - skip] == one && own.sizes[k] != one);
    let dims: Vec<usize> = (0..own.sizes.len()).filter(|k| shrinks(*k)).collect();
    let value = cx.program.exprs.cast(own.expr, out.dtype.compute());
    let summed = Lazy { sizes: own.sizes, expr: value };
    let kept = reduce_dims(cx, &summed, &dims, ReductionOp::Sum).remove(0);
    let zero = cx.syms().constant(0);
    let index: Vec<SymInt> = std::iter::repeat_n(zero, skip).chain(cx.vars(&out.shape)).collect();
    let expr = cx.at(&kept, &index);
    Ok(vec![finish(cx, args, 0, expr)])
}
