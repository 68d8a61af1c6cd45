//! Formulas of losses.

use super::super::formula::Scope;
use super::{Built, Cx, Results, v};
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::types::Dtype;

/// The rows of a linear layer's result, with the values from which their losses are computed.
struct Rows {
    /// Logarithms of the probabilities, computed in wide floats.
    logarithms: Value,
    /// The loss of each row.
    losses: Value,
    /// What each row of the losses is divided by for the mean.
    total: Value,
    /// `[rows, classes]`: the target's share of each class, weighted; none where the target is classes by number.
    shares: Option<Value>,
    /// `[rows, 1]`: what each row's gradient is multiplied by.
    weights: Value,
    /// The class of each row, 0 where it is ignored.
    classes: Option<Value>,
}

/// `-weight[target] log_softmax(x Wᵀ + b)[target]` for each row, or `-Σ weight target log_softmax(…)` of a target of probabilities.
fn rows(cx: &mut Cx<'_, '_>, ignored: Arg) -> Result<Rows, crate::meta::MetaError> {
    let (input, target) = (cx.value(0)?, cx.value(2)?);
    if cx.rank(input) != 2 || cx.rank(cx.value(1)?) != 2 {
        return Err(cx.error(Status::Shape, "the input and the weight must have two dimensions"));
    }
    let own = cx.dtype(input);
    let layer = cx.cast(cx.value(1)?, own)?;
    let logits = match cx.optional(3) {
        Some(bias) => {
            let bias = cx.cast(bias, own)?;
            cx.of("linear($0, $1, $2)", &[input, layer, bias])?
        }
        None => cx.of("linear($0, $1)", &[input, layer])?,
    };
    let logits = cx.cast(logits, own.compute())?;
    let logarithms = cx.of("log_softmax.int($0, 1)", &[logits])?;
    let weight = match cx.optional(4) {
        Some(weight) => Some(cx.cast(weight, own.compute())?),
        None => None,
    };
    if cx.dtype(target).is_float() {
        let shares = cx.cast(target, own.compute())?;
        let shares = match weight {
            Some(weight) => cx.of("mul($0, $1)", &[shares, weight])?,
            None => shares,
        };
        let losses = cx.of("neg(sum.dim_IntList(mul($0, $1), [1]))", &[shares, logarithms])?;
        let total = cx.of("sum(ones_like($0))", &[losses])?;
        let weights = cx.of("sum.dim_IntList($0, [1], true)", &[shares])?;
        return Ok(Rows { logarithms, losses, total, shares: Some(shares), weights, classes: None });
    }
    let is_ignored = cx.call("eq.Scalar($0, $1)", &[v(target), ignored])?;
    let classes = cx.of("masked_fill.Scalar($0, $1, 0)", &[target, is_ignored])?;
    let weights = match weight {
        Some(weight) => cx.of("index_select($0, 0, $1)", &[weight, classes])?,
        None => cx.call("ones_like($0, dtype=$1)", &[v(target), Arg::Dtype(own.compute())])?,
    };
    let weights = cx.of("masked_fill.Scalar($0, $1, 0)", &[weights, is_ignored])?;
    let chosen = cx.of("squeeze.dim(gather($0, 1, unsqueeze($1, 1)), 1)", &[logarithms, classes])?;
    let losses = cx.of("neg(mul($0, $1))", &[chosen, weights])?;
    let losses = cx.of("masked_fill.Scalar($0, $1, 0)", &[losses, is_ignored])?;
    let total = cx.of("sum($0)", &[weights])?;
    let weights = cx.of("unsqueeze($0, 1)", &[weights])?;
    Ok(Rows { logarithms, losses, total, shares: None, weights, classes: Some(classes) })
}

/// The sum or the mean of the losses, and gradients of the input, the weight and the bias; a gradient that is not asked for has no elements.
pub fn linear_cross_entropy(cx: &mut Cx<'_, '_>) -> Results {
    let ignored = cx.args[6].clone();
    let mean = match cx.text(5) {
        "mean" => true,
        "sum" => false,
        other => return Err(cx.wrong(format!("`reduction` is \"{other}\", not \"mean\" or \"sum\""))),
    };
    if cx.float(7)? != 0.0 {
        return Err(cx.error(Status::Unsupported, "`label_smoothing` other than 0"));
    }
    let (input, layer) = (cx.value(0)?, cx.value(1)?);
    let own = cx.dtype(input);
    let rows = rows(cx, ignored)?;
    let mut loss = cx.of("sum($0)", &[rows.losses])?;
    if mean {
        loss = cx.of("div($0, $1)", &[loss, rows.total])?;
    }
    let loss = cx.cast(loss, own)?;
    let asked = [cx.flag(12), cx.flag(13), cx.flag(14)];
    let slopes = if asked.contains(&true) { Some(slopes(cx, &rows, mean, own)?) } else { None };
    let layer = cx.cast(layer, own)?;
    let mut results = vec![loss];
    for (k, text) in ["mm($0, $1)", "mm(t($0), $2)", "sum.dim_IntList($0, [0])"].into_iter().enumerate() {
        results.push(match slopes.filter(|_| asked[k]) {
            Some(slopes) => cx.of(text, &[slopes, layer, input])?,
            None => {
                let sizes = cx.ints(if k < 2 { &[0, 0] } else { &[0] });
                cx.call("new_zeros($0, $1)", &[v(input), sizes])?
            }
        });
    }
    Ok(results)
}

/// The loss's derivative by each logit.
fn slopes(cx: &mut Cx<'_, '_>, rows: &Rows, mean: bool, dtype: Dtype) -> Built {
    let slopes = match (rows.shares, rows.classes) {
        (Some(shares), _) => cx.of("sub(mul(exp($0), $1), $2)", &[rows.logarithms, rows.weights, shares])?,
        (None, Some(classes)) => {
            let one = cx.of("neg(ones_like(unsqueeze($0, 1)))", &[classes])?;
            let one = cx.cast(one, cx.dtype(rows.logarithms))?;
            let text = "mul(scatter_add(exp($0), 1, unsqueeze($1, 1), $2), $3)";
            cx.of(text, &[rows.logarithms, classes, one, rows.weights])?
        }
        (None, None) => return Err(cx.error(Status::Internal, "a target that is neither classes nor shares")),
    };
    let slopes = if mean { cx.of("div($0, $1)", &[slopes, rows.total])? } else { slopes };
    cx.cast(slopes, dtype)
}

/// The loss of each row.
pub fn linear_cross_entropy_of_rows(cx: &mut Cx<'_, '_>) -> Results {
    let ignored = cx.args[5].clone();
    let own = cx.dtype(cx.value(0)?);
    let rows = rows(cx, ignored)?;
    Ok(vec![cx.cast(rows.losses, own)?])
}
