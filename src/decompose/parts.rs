//! Normalisations as their reductions and what each element makes of them, for graphs that are divided: a forward then keeps a number
//! for each row, and the backward computes the elements again.
//!
//! Deliberately absent: graphs that run as a whole, whose loops have these parts anyway (see `loops::lower`); softmax itself, whose
//! result is as large as what it would be computed from.

use super::context::Decompose;
use super::{DecomposeError, Decomposed, HostRule, HostRules};
use crate::ir::{Arg, Graph, Value};
use crate::ops::OpId;
use std::sync::Arc;

/// The rules, which go before a graph's own decompositions.
pub fn rules() -> HostRules {
    let rule: HostRule = Arc::new(log_softmax);
    [OpId::LogSoftmaxInt, OpId::SpecialLogSoftmax, OpId::UnderscoreLogSoftmax]
        .into_iter()
        .map(|op| (Decomposed::Operator(op), rule.clone()))
        .collect()
}

/// `(x - max) - log(sum(exp(x - max)))` along a dimension that has elements.
fn log_softmax(
    graph: &mut Graph,
    op: OpId,
    args: &[Arg],
    _results: usize,
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
    if !dtype.is_float() {
        return Ok(None);
    }
    // Converted first where another dtype is asked for, as PyTorch does.
    let input = cx.cast(input, dtype)?;
    let input = cx.compute(input)?;
    let dims = cx.ints_arg(&[dim as i64]);
    let most = cx.call("aten.amax.default", vec![Arg::Value(input), dims, Arg::Bool(true)])?;
    let shifted = cx.sub(input, most)?;
    let exponentials = cx.unary("exp", shifted)?;
    let sum = cx.sum(exponentials, &[dim as i64], true)?;
    let logarithm = cx.unary("log", sum)?;
    let result = cx.sub(shifted, logarithm)?;
    Ok(Some(vec![cx.cast(result, dtype)?]))
}
