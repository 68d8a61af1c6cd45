//! Norms over batches and instances. Their statistics are values of their own: given, saved, or moved towards.

use super::normalization::{Grouping, Moments, affine, finish, moments, rsqrt_of, trailing};
use crate::ir::Definition;
use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{BinaryOp, ExprId, UnaryOp};
use crate::types::{Dtype, SymInt, TensorMeta};

type Results = Result<Vec<Lazy>, LowerError>;

/// A batch's statistics as PyTorch has them: in the dtype of the parameters (or else of the input), and computed with
/// further in float32. Those of a graph that was made on a GPU are in float32.
struct BatchStatistics<'m> {
    moments: &'m Moments,
    dtype: Dtype,
    /// The variance is computed from a sum and a number of elements in bfloat16: PyTorch's kernels for dense inputs
    /// do so.
    from_rounded_sums: bool,
}

impl BatchStatistics<'_> {
    fn new<'m>(
        args: &Args<'_>,
        moments: &'m Moments,
        dense: bool,
    ) -> Result<BatchStatistics<'m>, LowerError> {
        let names = ["weight", "bias", "running_mean", "running_var"];
        let mut given = names.iter().filter(|n| args.node.op.schema().arg(n).is_some());
        let input = args.meta("input")?.dtype;
        let dtype = match given.find_map(|n| args.optional_value(n)) {
            _ if args.graph.made_on_gpu => input.compute(),
            Some(value) => args.graph.meta(value).dtype,
            None => input,
        };
        Ok(BatchStatistics { moments, dtype, from_rounded_sums: dense && dtype == Dtype::Bfloat16 })
    }
    fn rounded(&self, cx: &mut Lower<'_>, expr: ExprId) -> ExprId {
        let narrow = cx.cast(expr, self.dtype);
        cx.compute(narrow)
    }
    fn mean(&self, cx: &mut Lower<'_>, at: &[SymInt]) -> ExprId {
        let mean = self.moments.mean(cx, at);
        self.rounded(cx, mean)
    }
    /// The sum of squared differences over the number of elements less `correction`.
    fn variance(&self, cx: &mut Lower<'_>, at: &[SymInt], correction: f64) -> ExprId {
        let squares = cx.at(&self.moments.squares, at);
        let count = self.moments.count;
        let dtype = cx.program.exprs.dtype(count);
        let less = cx.program.exprs.float(correction, dtype);
        let count = cx.bin(BinaryOp::Sub, count, less);
        if !self.from_rounded_sums {
            return cx.bin(BinaryOp::Div, squares, count);
        }
        let (squares, count) = (self.rounded(cx, squares), self.rounded(cx, count));
        let variance = cx.bin(BinaryOp::Div, squares, count);
        self.rounded(cx, variance)
    }
    fn rstd(&self, cx: &mut Lower<'_>, at: &[SymInt], eps: f64) -> ExprId {
        let variance = self.variance(cx, at, 0.0);
        let rstd = rsqrt_of(cx, variance, eps);
        self.rounded(cx, rstd)
    }
}

/// Statistics over each instance's channel, or the running ones.
pub fn instance_norm(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    if !args.bool("use_input_stats") {
        let value = from_running(cx, args)?;
        return Ok(vec![finish(cx, args, 0, value)]);
    }
    refuse_running_statistics(cx, args)?;
    let input = args.lazy(cx, "input")?;
    let input = cx.computed(&input);
    let grouping = trailing(cx, &input, 2);
    let m = moments(cx, &input, &grouping);
    let vars = grouping.index;
    let x = cx.compute_at(&input, &vars);
    // PyTorch copies the input first, so that it is dense.
    let statistics = BatchStatistics::new(args, &m, true)?;
    let eps = args.float("eps").unwrap_or(1e-5);
    let (mean, rstd) = (statistics.mean(cx, &vars[..2]), statistics.rstd(cx, &vars[..2], eps));
    let centered = cx.bin(BinaryOp::Sub, x, mean);
    let scaled = cx.bin(BinaryOp::Mul, centered, rstd);
    let value = affine(cx, args, scaled, &[vars[1]]);
    Ok(vec![finish(cx, args, 0, value)])
}

/// Forms that update running statistics in place are replaced by functional ones before lowering.
fn refuse_running_statistics(cx: &Lower<'_>, args: &Args<'_>) -> Result<(), LowerError> {
    let given = |name: &str| args.node.op.schema().arg(name).is_some() && args.optional_value(name).is_some();
    if given("running_mean") || given("running_var") {
        return Err(cx.unsupported(
            "this form updates running statistics in place, which must be made functional first",
        ));
    }
    Ok(())
}

/// The result with given mean and variance per channel: `x * (weight * rstd) + (bias - mean * weight * rstd)`, the two
/// numbers of a channel computed once where they are constants.
fn from_running(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<ExprId, LowerError> {
    let input = args.lazy(cx, "input")?;
    let (mean, variance) = (args.lazy(cx, "running_mean")?, args.lazy(cx, "running_var")?);
    let eps = args.float("eps").unwrap_or(1e-5);
    let vars = cx.vars(&input.sizes);
    let x = cx.compute_at(&input, &vars);
    let dtype = cx.program.exprs.dtype(x);
    let sizes = vec![input.sizes[1]];
    let own = cx.vars(&sizes);
    let parameter = |cx: &mut Lower<'_>, lazy: &Lazy| {
        let expr = cx.at(lazy, &own);
        cx.cast(expr, dtype)
    };
    let (mean, variance) = (parameter(cx, &mean), parameter(cx, &variance));
    let mut scale = rsqrt_of(cx, variance, eps);
    if let Some(weight) = args.optional_lazy(cx, "weight") {
        let weight = parameter(cx, &weight);
        scale = cx.bin(BinaryOp::Mul, weight, scale);
    }
    let per_channel = |cx: &mut Lower<'_>, expr: ExprId| {
        let lazy = Lazy { sizes: sizes.clone(), expr };
        let lazy = if are_constants(cx, args) { cx.computed(&lazy) } else { lazy };
        cx.at(&lazy, &vars[1..2])
    };
    let moved = cx.bin(BinaryOp::Mul, mean, scale);
    let shift = match args.optional_lazy(cx, "bias") {
        Some(bias) => {
            let bias = parameter(cx, &bias);
            cx.bin(BinaryOp::Sub, bias, moved)
        }
        None => cx.un(UnaryOp::Neg, moved),
    };
    let (scale, shift) = (per_channel(cx, scale), per_channel(cx, shift));
    let scaled = cx.bin(BinaryOp::Mul, x, scale);
    Ok(cx.bin(BinaryOp::Add, scaled, shift))
}

/// True where statistics and parameters are constants that no run writes.
fn are_constants(cx: &Lower<'_>, args: &Args<'_>) -> bool {
    let names = ["weight", "bias", "running_mean", "running_var"];
    names.into_iter().filter_map(|n| args.optional_value(n)).all(|value| {
        let definition = cx.graph.values[value].definition;
        matches!(definition, Definition::Constant(_))
            && cx.graph.writes.iter().all(|w| w.target != definition)
    })
}

/// Contiguous, or so with its channels last.
fn is_dense(cx: &Lower<'_>, meta: &TensorMeta) -> bool {
    let syms = cx.syms();
    let order = |list: &[SymInt]| vec![list[0], list[2], list[3], list[1]];
    meta.is_contiguous(syms)
        || (meta.rank() == 4 && {
            let (shape, strides) = (order(&meta.shape), order(&meta.strides));
            TensorMeta { shape, strides, ..meta.clone() }.is_contiguous(syms)
        })
}

/// The result with the input's own statistics, and these.
fn from_batch(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<(ExprId, Moments), LowerError> {
    let input = args.lazy(cx, "input")?;
    let input = cx.computed(&input);
    let channels = input.sizes[1];
    let mut inner = vec![input.sizes[0]];
    inner.extend(&input.sizes[2..]);
    let mut all = vec![channels];
    all.extend(&inner);
    let v = cx.vars(&all);
    let mut index = vec![v[1], v[0]];
    index.extend(&v[2..]);
    let m = moments(cx, &input, &Grouping { outer: vec![channels], inner, index });
    let vars = cx.vars(&input.sizes);
    let x = cx.compute_at(&input, &vars);
    let statistics = BatchStatistics::new(args, &m, is_dense(cx, args.meta("input")?))?;
    let eps = args.float("eps").unwrap_or(1e-5);
    let (mean, rstd) = (statistics.mean(cx, &[vars[1]]), statistics.rstd(cx, &[vars[1]], eps));
    let centered = cx.bin(BinaryOp::Sub, x, mean);
    let scaled = cx.bin(BinaryOp::Mul, centered, rstd);
    Ok((affine(cx, args, scaled, &[vars[1]]), m))
}

pub fn batch_norm(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    if args.result(0).rank() == 1 {
        return Ok(vec![empty(cx, args, 0)]);
    }
    let value = if args.bool("training") || args.optional_value("running_mean").is_none() {
        refuse_running_statistics(cx, args)?;
        from_batch(cx, args)?.0
    } else {
        from_running(cx, args)?
    };
    Ok(vec![finish(cx, args, 0, value)])
}

/// An empty tensor of the node's `k`-th result's dtype.
fn empty(cx: &mut Lower<'_>, args: &Args<'_>, k: usize) -> Lazy {
    let meta = args.result(k);
    let expr = cx.program.exprs.int(0, meta.dtype);
    Lazy { sizes: meta.shape.clone(), expr }
}

/// The result and the saved mean and reciprocal deviation of a batch norm with its input's statistics.
fn trained(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<(Vec<Lazy>, Moments), LowerError> {
    let (value, m) = from_batch(cx, args)?;
    let at = cx.vars(&m.sum.sizes);
    let statistics = BatchStatistics::new(args, &m, is_dense(cx, args.meta("input")?))?;
    let eps = args.float("eps").unwrap_or(1e-5);
    let (mean, rstd) = (statistics.mean(cx, &at), statistics.rstd(cx, &at, eps));
    Ok((vec![finish(cx, args, 0, value), finish(cx, args, 1, mean), finish(cx, args, 2, rstd)], m))
}

/// With the running statistics. Those that are saved are empty, but in a graph that was made on a GPU the running mean and the
/// reciprocal deviation.
fn untrained(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let value = from_running(cx, args)?;
    let result = finish(cx, args, 0, value);
    if !args.graph.made_on_gpu {
        return Ok(vec![result, empty(cx, args, 1), empty(cx, args, 2)]);
    }
    let (mean, variance) = (args.lazy(cx, "running_mean")?, args.lazy(cx, "running_var")?);
    let at = cx.vars(&args.result(1).shape);
    let (mean, variance) = (cx.compute_at(&mean, &at), cx.compute_at(&variance, &at));
    let rstd = rsqrt_of(cx, variance, args.float("eps").unwrap_or(1e-5));
    Ok(vec![result, finish(cx, args, 1, mean), finish(cx, args, 2, rstd)])
}

/// `native_batch_norm` and `_native_batch_norm_legit`, which update running statistics in place when training.
pub fn native_batch_norm(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    if !args.bool("training") {
        return untrained(cx, args);
    }
    refuse_running_statistics(cx, args)?;
    Ok(trained(cx, args)?.0)
}

pub fn native_batch_norm_no_stats(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    if !args.bool("training") {
        return Err(cx.unsupported("without training there must be running statistics"));
    }
    Ok(trained(cx, args)?.0)
}

pub fn native_batch_norm_no_training(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    untrained(cx, args)
}

/// The running statistics after a step: moved towards the batch's by `momentum`, the variance unbiased.
fn updated(cx: &mut Lower<'_>, args: &Args<'_>, m: &Moments, first: usize) -> Results {
    let momentum = args.float("momentum").unwrap_or(0.1);
    // Equal to the number of channels, and maybe another symbol.
    let at = cx.vars(&args.result(first).shape);
    let statistics = BatchStatistics::new(args, m, is_dense(cx, args.meta("input")?))?;
    let (mean, unbiased) = (statistics.mean(cx, &at), statistics.variance(cx, &at, 1.0));
    let dtype = cx.program.exprs.dtype(mean);
    let mut results = Vec::new();
    for (k, (name, new)) in [("running_mean", mean), ("running_var", unbiased)].into_iter().enumerate() {
        let old = args.lazy(cx, name)?;
        let old = cx.at(&old, &at);
        let old = cx.cast(old, dtype);
        let (keep, take) =
            (cx.program.exprs.float(1.0 - momentum, dtype), cx.program.exprs.float(momentum, dtype));
        let old = cx.bin(BinaryOp::Mul, keep, old);
        let new = cx.bin(BinaryOp::Mul, take, new);
        let sum = cx.bin(BinaryOp::Add, old, new);
        results.push(finish(cx, args, first + k, sum));
    }
    Ok(results)
}

pub fn native_batch_norm_functional(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    if args.bool("training") {
        let (mut results, m) = trained(cx, args)?;
        results.extend(updated(cx, args, &m, 3)?);
        return Ok(results);
    }
    let mut results = untrained(cx, args)?;
    results.extend([args.lazy(cx, "running_mean")?, args.lazy(cx, "running_var")?]);
    Ok(results)
}

pub fn batch_norm_with_update(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    refuse_running_statistics(cx, args)?;
    let (mut results, _) = trained(cx, args)?;
    results.push(empty(cx, args, 3));
    Ok(results)
}

pub fn batch_norm_with_update_functional(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let (mut results, m) = trained(cx, args)?;
    results.push(empty(cx, args, 3));
    results.extend(updated(cx, args, &m, 4)?);
    Ok(results)
}
