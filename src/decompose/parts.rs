//! Normalisations as their reductions and what each element makes of them. Graphs that are divided need this: a forward then keeps a number
//! for each row, and the backward computes the elements again. So does option `numerics=strict`: PyTorch's kernel for a CPU rounds
//! the sum of a row of halves and its logarithm, where the softmax runs along the last dimension, and each step of a logit.
//!
//! Deliberately absent: other graphs that run as a whole, whose loops have these parts anyway (see `loops::lower`); softmax itself, whose
//! result is as large as what it would be computed from; PyTorch's kernels for a GPU, which round nothing in between; rows that may have
//! no elements, which are left whole.

use super::context::Decompose;
use super::{DecomposeError, Decomposed, HostRule, HostRules, rounded_windows};
use crate::ir::{Arg, Graph, Value};
use crate::ops::OpId;
use std::sync::Arc;

/// The rules of graphs that are divided, which go before a graph's own decompositions. `strict`: halves are rounded as PyTorch rounds
/// them.
pub fn divided(strict: bool) -> HostRules {
    let mut rules =
        of_log_softmax(Arc::new(move |graph, op, args, _| log_softmax(graph, op, args, false, strict)));
    if strict {
        rules.extend(of_windows());
        rules.extend(of_logit());
    }
    rules
}

/// The rules of other graphs with `numerics=strict`: only what PyTorch rounds within is divided.
pub fn rounded() -> HostRules {
    let mut rules = of_log_softmax(Arc::new(|graph, op, args, _| log_softmax(graph, op, args, true, true)));
    rules.extend(of_windows());
    rules.extend(of_logit());
    rules
}

fn of_logit() -> impl Iterator<Item = (Decomposed, HostRule)> {
    let rule: HostRule = Arc::new(|graph, op, args, _| logit(graph, op, args));
    [OpId::Logit, OpId::SpecialLogit].into_iter().map(move |op| (Decomposed::Operator(op), rule.clone()))
}

/// `log(x / (1 - x))` of halves, rounded after each step. `None`: of other numbers.
fn logit(graph: &mut Graph, op: OpId, args: &[Arg]) -> Result<Option<Vec<Value>>, DecomposeError> {
    let cx = &mut Decompose { graph, op, args, unknown_float: std::cell::Cell::new(false) };
    let mut x = cx.value("self")?;
    if !cx.dtype_of(x).is_reduced_float() {
        return Ok(None);
    }
    if let Some(least) = cx.float("eps") {
        let bounds = [least, 1.0 - least].map(Arg::Float);
        x = cx.call("aten.clamp.default", [vec![Arg::Value(x)], bounds.to_vec()].concat())?;
    }
    let rest = cx.call("aten.rsub.Scalar", vec![Arg::Value(x), cx.int_arg(1)])?;
    let ratio = cx.div(x, rest)?;
    Ok(Some(vec![cx.unary("log", ratio)?]))
}

fn of_windows() -> impl Iterator<Item = (Decomposed, HostRule)> {
    rounded_windows::rules().map(|(op, rule)| (Decomposed::Operator(op), rule))
}

fn of_log_softmax(rule: HostRule) -> HostRules {
    [OpId::LogSoftmaxInt, OpId::SpecialLogSoftmax, OpId::UnderscoreLogSoftmax]
        .into_iter()
        .map(|op| (Decomposed::Operator(op), rule.clone()))
        .collect()
}

/// `(x - max) - log(sum(exp(x - max)))` along a dimension that has elements. `strict`: with the roundings of PyTorch's kernel, where it has
/// any; `only_rounded`: nothing else is divided.
fn log_softmax(
    graph: &mut Graph,
    op: OpId,
    args: &[Arg],
    only_rounded: bool,
    strict: bool,
) -> Result<Option<Vec<Value>>, DecomposeError> {
    let cx = &mut Decompose { graph, op, args, unknown_float: std::cell::Cell::new(false) };
    let input = cx.value("self")?;
    let (rank, own) = (cx.rank(input), cx.dtype_of(input));
    if rank == 0 {
        return Ok(None);
    }
    let dim = cx.dim(cx.known_int("dim")?, rank)?;
    if cx.syms().range(cx.shape(input)[dim]).min < 1 {
        return Ok(None);
    }
    let widened = op == OpId::UnderscoreLogSoftmax && cx.bool("half_to_float");
    let dtype = match cx.op.schema().arg("dtype").and_then(|_| cx.dtype("dtype")) {
        Some(dtype) => dtype,
        None if widened => own.compute(),
        None => own,
    };
    let rounds = strict && own.is_reduced_float() && dtype == own && dim + 1 == rank;
    if !dtype.is_float() || only_rounded && !rounds {
        return Ok(None);
    }
    let rounded = |cx: &mut Decompose<'_>, value: Value| {
        if !rounds {
            return Ok(value);
        }
        let narrow = cx.cast(value, own)?;
        cx.cast(narrow, own.compute())
    };
    // Converted first where another dtype is asked for, as PyTorch does.
    let input = cx.cast(input, dtype)?;
    let input = cx.compute(input)?;
    let dims = cx.ints_arg(&[dim as i64]);
    let most = cx.call("aten.amax.default", vec![Arg::Value(input), dims, Arg::Bool(true)])?;
    let shifted = cx.sub(input, most)?;
    let exponentials = cx.unary("exp", shifted)?;
    let sum = cx.sum(exponentials, &[dim as i64], true)?;
    let sum = rounded(cx, sum)?;
    let logarithm = cx.unary("log", sum)?;
    let logarithm = rounded(cx, logarithm)?;
    let result = cx.sub(shifted, logarithm)?;
    Ok(Some(vec![cx.cast(result, dtype)?]))
}
