//! Normalisations, softmax and dropout, as reductions over the inner dimensions and a pointwise result: the variance
//! from a second pass over differences from the mean, everything in float32 (float64) until the last cast.

use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{BinaryOp, ExprId, ReductionOp, UnaryOp};
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Lazy>, LowerError>;

/// How a normalisation sees its input: groups of elements that share a mean, as outer dimensions and the inner ones
/// they are summed over.
struct Grouping {
    outer: Vec<SymInt>,
    inner: Vec<SymInt>,
    /// The input's index from the variables of `outer` and then `inner`.
    index: Vec<SymInt>,
}

/// Sums over each group; they load as the function of an index over `outer`.
struct Moments {
    sum: Lazy,
    squares: Lazy,
    count: ExprId,
}

/// Sum, and sum of squared differences from the mean, of each group.
fn moments(cx: &mut Lower<'_>, input: &Lazy, g: &Grouping) -> Moments {
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
    fn mean(&self, cx: &mut Lower<'_>, at: &[SymInt]) -> ExprId {
        let sum = cx.at(&self.sum, at);
        cx.bin(BinaryOp::Div, sum, self.count)
    }
    fn variance(&self, cx: &mut Lower<'_>, at: &[SymInt]) -> ExprId {
        let squares = cx.at(&self.squares, at);
        cx.bin(BinaryOp::Div, squares, self.count)
    }
    fn rstd(&self, cx: &mut Lower<'_>, at: &[SymInt], eps: f64) -> ExprId {
        let variance = self.variance(cx, at);
        rsqrt(cx, variance, eps)
    }
}

/// A batch's mean and reciprocal deviation as PyTorch has them: in the dtype of the parameters (or else of the
/// input), rounded to it at each step, and computed with further in float32.
fn rounded_statistics(
    cx: &mut Lower<'_>,
    args: &Args<'_>,
    m: &Moments,
    at: &[SymInt],
) -> Result<[ExprId; 2], LowerError> {
    let names = ["weight", "bias", "running_mean", "running_var"];
    let mut given = names.iter().filter(|n| args.node.op.schema().arg(n).is_some());
    let dtype = match given.find_map(|n| args.optional_value(n)) {
        Some(value) => args.graph.meta(value).dtype,
        None => args.meta("input")?.dtype,
    };
    let rounded = |cx: &mut Lower<'_>, expr: ExprId| {
        let narrow = cx.cast(expr, dtype);
        cx.compute(narrow)
    };
    let mean = m.mean(cx, at);
    let mean = rounded(cx, mean);
    let variance = m.variance(cx, at);
    let variance = rounded(cx, variance);
    let rstd = rsqrt(cx, variance, args.float("eps").unwrap_or(1e-5));
    Ok([mean, rounded(cx, rstd)])
}

/// `1 / sqrt(x + eps)`
fn rsqrt(cx: &mut Lower<'_>, x: ExprId, eps: f64) -> ExprId {
    let dtype = cx.program.exprs.dtype(x);
    let eps = cx.program.exprs.float(eps, dtype);
    let sum = cx.bin(BinaryOp::Add, x, eps);
    cx.un(UnaryOp::Rsqrt, sum)
}

/// `x * weight + bias`, each where it is given, at an index of theirs.
fn affine(cx: &mut Lower<'_>, args: &Args<'_>, x: ExprId, at: &[SymInt]) -> ExprId {
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
fn finish(cx: &mut Lower<'_>, args: &Args<'_>, k: usize, expr: ExprId) -> Lazy {
    let meta = args.result(k);
    let expr = cx.cast(expr, meta.dtype);
    Lazy { sizes: meta.shape.clone(), expr }
}

/// The input's dimensions split before the last ones.
fn trailing(cx: &Lower<'_>, input: &Lazy, outer: usize) -> Grouping {
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
    let rstd = rsqrt(cx, mean, args.float("eps").unwrap_or(epsilon));
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
    let [mean, rstd] = rounded_statistics(cx, args, &m, &vars[..2])?;
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

/// The result with given mean and variance per channel: `x * (weight * rstd) + (bias - mean * weight * rstd)`.
fn from_running(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<ExprId, LowerError> {
    let input = args.lazy(cx, "input")?;
    let (mean, variance) = (args.lazy(cx, "running_mean")?, args.lazy(cx, "running_var")?);
    let eps = args.float("eps").unwrap_or(1e-5);
    let vars = cx.vars(&input.sizes);
    let x = cx.compute_at(&input, &vars);
    let dtype = cx.program.exprs.dtype(x);
    let channel = [vars[1]];
    let parameter = |cx: &mut Lower<'_>, lazy: &Lazy| {
        let expr = cx.at(lazy, &channel);
        cx.cast(expr, dtype)
    };
    let (mean, variance) = (parameter(cx, &mean), parameter(cx, &variance));
    let mut scale = rsqrt(cx, variance, eps);
    if let Some(weight) = args.optional_lazy(cx, "weight") {
        let weight = parameter(cx, &weight);
        scale = cx.bin(BinaryOp::Mul, weight, scale);
    }
    let moved = cx.bin(BinaryOp::Mul, mean, scale);
    let scaled = cx.bin(BinaryOp::Mul, x, scale);
    Ok(match args.optional_lazy(cx, "bias") {
        Some(bias) => {
            let bias = parameter(cx, &bias);
            let shift = cx.bin(BinaryOp::Sub, bias, moved);
            cx.bin(BinaryOp::Add, scaled, shift)
        }
        None => cx.bin(BinaryOp::Sub, scaled, moved),
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
    let [mean, rstd] = rounded_statistics(cx, args, &m, &[vars[1]])?;
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
    let [mean, rstd] = rounded_statistics(cx, args, &m, &at)?;
    Ok((vec![finish(cx, args, 0, value), finish(cx, args, 1, mean), finish(cx, args, 2, rstd)], m))
}

fn untrained(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let value = from_running(cx, args)?;
    Ok(vec![finish(cx, args, 0, value), empty(cx, args, 1), empty(cx, args, 2)])
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
    let at = cx.vars(&m.sum.sizes);
    let mean = m.mean(cx, &at);
    let squares = m.squares.expr;
    let dtype = cx.program.exprs.dtype(squares);
    let one = cx.program.exprs.float(1.0, dtype);
    let less = cx.bin(BinaryOp::Sub, m.count, one);
    let unbiased = cx.bin(BinaryOp::Div, squares, less);
    let mut results = Vec::new();
    for (k, (name, new)) in [("running_mean", mean), ("running_var", unbiased)].into_iter().enumerate() {
        let old = args.lazy(cx, name)?;
        let old = cx.cast(old.expr, dtype);
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

fn refuse_random(cx: &Lower<'_>, args: &Args<'_>, train: bool) -> Result<(), LowerError> {
    if train && args.float("p").is_none_or(|p| p != 0.0) {
        return Err(cx.unsupported("dropout while training needs random numbers, which are not there yet"));
    }
    Ok(())
}

/// Nothing but its input where it is not training.
pub fn dropout(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    refuse_random(cx, args, args.bool("train"))?;
    Ok(vec![args.lazy(cx, "input")?])
}

/// `train` not given counts as training.
pub fn native_dropout(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let train = !matches!(args.get("train"), crate::ir::Arg::Bool(false));
    refuse_random(cx, args, train)?;
    let input = args.lazy(cx, "input")?;
    let expr = cx.program.exprs.int(1, Dtype::Bool);
    let mask = Lazy { sizes: input.sizes.clone(), expr };
    Ok(vec![input, mask])
}

#[cfg(test)]
mod tests {
    use crate::ir::{Arg, Graph, OutputValue, Value};
    use crate::loops::lower::lower;
    use crate::loops::{NodeKind, Program, verify};
    use crate::meta::Builder;
    use crate::types::{Dtype, TensorMeta};

    fn input(graph: &mut Graph, name: &str, dtype: Dtype, shape: &[i64]) -> Value {
        let shape = shape.iter().map(|s| graph.syms.constant(*s)).collect();
        let meta = TensorMeta::contiguous(&graph.syms, dtype, shape);
        graph.add_input(name, meta)
    }

    fn program(
        dtype: Dtype,
        shapes: &[&[i64]],
        op: &str,
        args: impl Fn(&Graph, &[Value]) -> Vec<Arg>,
    ) -> Program {
        let mut graph = Graph::new("test");
        let values: Vec<Value> =
            shapes.iter().enumerate().map(|(k, s)| input(&mut graph, &format!("x{k}"), dtype, s)).collect();
        let args = args(&graph, &values);
        let result = Builder::new(&mut graph).op(op, args).unwrap();
        graph.add_output("out", OutputValue::Tensor(result));
        let program = lower(&graph).unwrap();
        verify(&program).unwrap();
        program
    }

    fn kinds(program: &Program) -> Vec<&'static str> {
        let kind = |k: &NodeKind| match k {
            NodeKind::Pointwise { .. } => "pointwise",
            NodeKind::Reduction { .. } => "reduction",
            NodeKind::Gemm { .. } => "gemm",
            NodeKind::Convolution(_) => "convolution",
            NodeKind::Attention(_) => "attention",
            _ => "other",
        };
        program.nodes.iter().map(|n| kind(&n.kind)).collect()
    }

    #[test]
    fn norms_are_reductions_and_one_pointwise_node() {
        for dtype in [Dtype::Float32, Dtype::Bfloat16, Dtype::Float64] {
            let p = program(dtype, &[&[4, 8], &[8], &[8]], "aten.layer_norm.default", |g, v| {
                vec![
                    Arg::Value(v[0]),
                    Arg::Ints(vec![g.syms.constant(8)]),
                    Arg::Value(v[1]),
                    Arg::Value(v[2]),
                ]
            });
            assert_eq!(kinds(&p), ["reduction", "reduction", "pointwise"]);
            let p = program(dtype, &[&[4, 8], &[8]], "aten.rms_norm.default", |g, v| {
                vec![Arg::Value(v[0]), Arg::Ints(vec![g.syms.constant(8)]), Arg::Value(v[1])]
            });
            assert_eq!(kinds(&p), ["reduction", "pointwise"]);
            let p = program(dtype, &[&[4, 8]], "aten.softmax.int", |g, v| {
                vec![Arg::Value(v[0]), Arg::Int(g.syms.constant(-1))]
            });
            assert_eq!(kinds(&p), ["reduction", "pointwise", "reduction", "pointwise"]);
        }
    }

    #[test]
    fn a_bias_is_added_after_the_product() {
        let p = program(Dtype::Bfloat16, &[&[2, 3, 8], &[5, 8], &[5]], "aten.linear.default", |_, v| {
            v.iter().map(|v| Arg::Value(*v)).collect()
        });
        assert_eq!(kinds(&p), ["gemm", "pointwise"]);
        let p =
            program(Dtype::Float32, &[&[2, 4, 9, 9], &[6, 2, 3, 3], &[6]], "aten.conv2d.default", |g, v| {
                let ints = |n: i64| Arg::Ints(vec![g.syms.constant(n); 2]);
                let mut args: Vec<Arg> = v.iter().map(|v| Arg::Value(*v)).collect();
                args.extend([ints(2), ints(1), ints(1), Arg::Int(g.syms.constant(2))]);
                args
            });
        assert_eq!(kinds(&p), ["convolution", "pointwise"]);
        let shape = &p.buffers[p.outputs[0]].sizes;
        assert_eq!(p.syms.as_consts(shape), Some(vec![2, 6, 5, 5]));
    }

    #[test]
    fn attention_is_one_node_whatever_the_batch_dimensions() {
        for shape in [&[5, 8][..], &[3, 5, 8], &[2, 3, 5, 8], &[2, 4, 3, 5, 8]] {
            let p = program(
                Dtype::Float32,
                &[shape, shape, shape, &[5, 5]],
                "aten.scaled_dot_product_attention.default",
                |_, v| v.iter().map(|v| Arg::Value(*v)).collect(),
            );
            assert_eq!(kinds(&p)[0], "attention");
            assert!(p.nodes.len() <= 2);
        }
    }
}
