//! Losses whose decomposition has no usable slope everywhere.
//!
//! Deliberately absent: losses that are differentiated by their decomposition.

use super::super::Outcome;
use super::super::context::Derivative;
use crate::ir::{Arg, Value};

/// `(x - t) / max((1 - x) x, 1e-12)` by `self`, as in PyTorch: the logarithms' own slopes are infinite at 0 and 1, where a
/// saturated sigmoid puts a probability. By `target` and `weight` the loss is linear: the slopes are those of the logarithms no lower
/// than -100, where PyTorch's by `target` are infinite.
pub fn binary_cross_entropy(d: &mut Derivative<'_>) -> Outcome {
    let (grad, input, target) = (d.grad()?, d.value("self")?, d.value("target")?);
    let (weight, reduction) = (d.arg("weight").clone(), d.arg("reduction").clone());
    if d.needs("self") {
        let args = vec![Arg::Value(grad), Arg::Value(input), Arg::Value(target), weight.clone(), reduction];
        let own = d.call("aten.binary_cross_entropy_backward.default", args)?;
        d.give("self", own)?;
    }
    if !d.needs("target") && !d.needs("weight") {
        return Ok(());
    }
    let (mut each, input, target) = (d.compute(grad)?, d.compute(input)?, d.compute(target)?);
    if d.known_int("reduction")? == 1 {
        let dims: Vec<usize> = (0..d.rank(input)).collect();
        each = d.shared(each, input, &dims)?;
    }
    let log = bounded(d, "log", input, 1.0)?;
    let negative = d.unary("neg", input)?;
    let log_rest = bounded(d, "log1p", negative, 0.0)?;
    if d.needs("target") {
        let slope = d.sub(log_rest, log)?;
        let mut own = d.mul(each, slope)?;
        if let Some(weight) = d.optional_value("weight") {
            own = d.mul(own, weight)?;
        }
        d.give("target", own)?;
    }
    if d.needs("weight") {
        let (hit, less) = (d.mul(target, log)?, d.sub(target, 1.0)?);
        let miss = d.mul(less, log_rest)?;
        let loss = d.sub(miss, hit)?;
        let own = d.mul(each, loss)?;
        d.give("weight", own)?;
    }
    Ok(())
}

/// By the probabilities alone; those of the states serve this derivative, and have none.
pub fn ctc_loss(d: &mut Derivative<'_>) -> Outcome {
    let mut args = vec![Arg::Value(d.grad()?)];
    args.extend(["log_probs", "targets", "input_lengths", "target_lengths"].map(|name| d.arg(name).clone()));
    args.extend(d.results.iter().map(|value| Arg::Value(*value)));
    args.extend(["blank", "zero_infinity"].map(|name| d.arg(name).clone()));
    let own = d.call("aten._ctc_loss_backward.Tensor", args)?;
    d.give("log_probs", own)
}

/// `max(log(x), -100)`. Arguments that are too small are replaced before the logarithm, so that no slope is infinite.
fn bounded(d: &mut Derivative<'_>, name: &str, of: Value, stand_in: f64) -> Outcome<Value> {
    let log = d.unary(name, of)?;
    let is_low = d.compare("le", log, -100.0)?;
    let dtype = d.dtype_of(of);
    let (stand_in, least) = (d.scalar(stand_in, dtype)?, d.scalar(-100.0, dtype)?);
    let of = d.select(is_low, stand_in, of)?;
    let log = d.unary(name, of)?;
    d.select(is_low, least, log)
}
