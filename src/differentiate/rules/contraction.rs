//! Matrix products, convolutions and attention: their gradients are products, too.

use super::super::context::Derivative;
use super::super::{DerivativeError, Outcome};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

/// The last two dimensions swapped.
fn turned(d: &mut Derivative<'_>, value: Value) -> Outcome<Value> {
    d.transpose(value, -2, -1)
}

/// All dimensions but the last as rows.
fn rows(d: &mut Derivative<'_>, value: Value) -> Outcome<Value> {
    let shape = d.shape(value);
    let Some((last, rest)) = shape.split_last() else { return d.unsqueeze(value, 0) };
    if rest.len() == 1 {
        return Ok(value);
    }
    let count = d.syms().product(rest);
    d.reshape(value, &[count, *last])
}

/// Gives the factors of `grad = d(left @ right)` what is theirs, as PyTorch's `matmul` takes them: vectors, matrices and batches.
fn product(d: &mut Derivative<'_>, left: Value, right: Value, grad: Value) -> Outcome {
    let (a, b) = (d.rank(left), d.rank(right));
    // A vector on the left is a row, one on the right is a column.
    let (left_matrix, mut grad) = if a == 1 { (d.unsqueeze(left, 0)?, grad) } else { (left, grad) };
    let right_matrix = if b == 1 { d.unsqueeze(right, 1)? } else { right };
    if b == 1 {
        grad = d.unsqueeze(grad, -1)?;
    }
    if a == 1 {
        grad = d.unsqueeze(grad, -2)?;
    }
    if d.needs_value(left) {
        let other = turned(d, right_matrix)?;
        let own = d.matmul(grad, other)?;
        let own = if a == 1 { d.squeeze(own, -2)? } else { own };
        d.give_value(left, own)?;
    }
    if d.needs_value(right) {
        // One matrix for a batch of them is summed over in the product itself.
        let (left_matrix, grad) =
            if b <= 2 { (rows(d, left_matrix)?, rows(d, grad)?) } else { (left_matrix, grad) };
        let other = turned(d, left_matrix)?;
        let own = d.matmul(other, grad)?;
        let own = if b == 1 { d.squeeze(own, -1)? } else { own };
        d.give_value(right, own)?;
    }
    Ok(())
}

/// The names of the two factors of a row.
fn factors(d: &Derivative<'_>) -> Outcome<(Value, Value)> {
    let schema = d.op.schema();
    let names = [
        ["mat1", "mat2"],
        ["batch1", "batch2"],
        ["self", "mat2"],
        ["self", "other"],
        ["mat", "vec"],
        ["self", "vec"],
        ["self", "tensor"],
    ];
    let pair = names.into_iter().find(|pair| pair.iter().all(|n| schema.arg(n).is_some()));
    let [left, right] = pair.ok_or_else(|| d.unsupported("it has no two factors"))?;
    Ok((d.value(left)?, d.value(right)?))
}

pub fn matmul(d: &mut Derivative<'_>) -> Outcome {
    let (left, right) = factors(d)?;
    let grad = d.grad()?;
    product(d, left, right, grad)
}

pub fn dot(d: &mut Derivative<'_>) -> Outcome {
    let (left, right) = factors(d)?;
    let grad = d.grad()?;
    let (for_left, for_right) = (d.mul(right, grad)?, d.mul(left, grad)?);
    d.give_value(left, for_left)?;
    d.give_value(right, for_right)
}

/// `beta * self + alpha * (left @ right)`.
pub fn add_product(d: &mut Derivative<'_>) -> Outcome {
    let (left, right) = factors(d)?;
    let grad = d.grad()?;
    let scaled = |d: &mut Derivative<'_>, name: &str| -> Outcome<Value> {
        match d.float(name) {
            Some(1.0) => Ok(grad),
            Some(by) => d.mul(grad, by),
            None => Ok(grad),
        }
    };
    if d.needs("self") {
        let own = scaled(d, "beta")?;
        d.give("self", own)?;
    }
    let weighted = scaled(d, "alpha")?;
    product(d, left, right, weighted)
}

/// `beta * self + alpha * outer(vec1, vec2)`.
pub fn addr(d: &mut Derivative<'_>) -> Outcome {
    let (left, right) = (d.value("vec1")?, d.value("vec2")?);
    let grad = d.grad()?;
    let (beta, alpha) = (d.float("beta").unwrap_or(1.0), d.float("alpha").unwrap_or(1.0));
    if d.needs("self") {
        let own = d.mul(grad, beta)?;
        d.give("self", own)?;
    }
    let weighted = d.mul(grad, alpha)?;
    let for_left = d.matmul(weighted, right)?;
    let other = turned(d, weighted)?;
    let for_right = d.matmul(other, left)?;
    d.give_value(left, for_left)?;
    d.give_value(right, for_right)
}

/// `input @ weight^T + bias`.
pub fn linear(d: &mut Derivative<'_>) -> Outcome {
    let (input, weight, grad) = (d.value("input")?, d.value("weight")?, d.grad()?);
    if d.needs("bias") {
        d.give("bias", grad)?;
    }
    if d.rank(weight) == 1 {
        return product(d, input, weight, grad);
    }
    if d.needs("input") {
        let own = d.matmul(grad, weight)?;
        d.give("input", own)?;
    }
    if d.needs("weight") {
        let (grad, input) = (rows(d, grad)?, rows(d, input)?);
        let grad = if d.rank(grad) == 1 { d.unsqueeze(grad, 0)? } else { grad };
        let input = if d.rank(input) == 1 { d.unsqueeze(input, 0)? } else { input };
        let other = turned(d, grad)?;
        let own = d.matmul(other, input)?;
        d.give("weight", own)?;
    }
    Ok(())
}

/// Convolutions, by the operator that gives all three gradients of one.
pub fn convolution(d: &mut Derivative<'_>) -> Outcome {
    let (input, weight, grad) = (d.value("input")?, d.value("weight")?, d.grad()?);
    let schema = d.op.schema();
    let spatial = d.rank(weight) - 2;
    let is_transposed = if schema.arg("transposed").is_some() {
        d.bool("transposed")
    } else {
        schema.arg("output_padding").is_some()
    };
    let spread = |d: &Derivative<'_>, name: &str, usual: i64| -> Vec<SymInt> {
        match schema.arg(name).and_then(|_| d.ints(name)) {
            Some([one]) => vec![*one; spatial],
            Some(list) if !list.is_empty() => list.to_vec(),
            _ => vec![d.constant(usual); spatial],
        }
    };
    let (stride, dilation) = (spread(d, "stride", 1), spread(d, "dilation", 1));
    let extra = spread(d, "output_padding", 0);
    // An image without a batch is a batch of one.
    let is_single = d.rank(input) == spatial + 1;
    let (mut image, mut grad) =
        if is_single { (d.unsqueeze(input, 0)?, d.unsqueeze(grad, 0)?) } else { (input, grad) };
    let mut cut: Vec<(usize, SymInt)> = Vec::new();
    let padding = match d.string("padding").filter(|_| matches!(d.arg("padding"), Arg::Str(_))) {
        None => spread(d, "padding", 0),
        Some("valid") => vec![d.constant(0); spatial],
        Some(_) => {
            // "same": what one side has more than the other is padded beforehand.
            let kernel = d.shape(weight);
            let mut both = Vec::with_capacity(spatial);
            for k in 0..spatial {
                let total = {
                    let syms = d.syms();
                    syms.mul(dilation[k], syms.add_const(kernel[k + 2], -1))
                };
                let total = d.syms().as_const(total).ok_or_else(|| {
                    d.unsupported("a kernel of a size known only at run time with padding `same`")
                })?;
                if total % 2 == 1 {
                    cut.push((k, d.constant(1)));
                }
                both.push(d.constant(total / 2));
            }
            both
        }
    };
    if !cut.is_empty() {
        let mut pads = vec![d.constant(0); 2 * spatial];
        for (k, by) in &cut {
            pads[2 * (spatial - 1 - k) + 1] = *by;
        }
        image = d.call("aten.constant_pad_nd.default", vec![Arg::Value(image), Arg::Ints(pads)])?;
    }
    let needs = [d.needs("input"), d.needs("weight"), d.needs("bias")];
    let channels = d.shape(grad)[1];
    let groups = d.int("groups").unwrap_or(d.constant(1));
    grad = d.call("aten.contiguous.default", vec![Arg::Value(grad)])?;
    let args = vec![
        Arg::Value(grad),
        Arg::Value(image),
        Arg::Value(weight),
        if needs[2] { Arg::Ints(vec![channels]) } else { Arg::None },
        Arg::Ints(stride),
        Arg::Ints(padding),
        Arg::Ints(dilation),
        Arg::Bool(is_transposed),
        Arg::Ints(extra),
        Arg::Int(groups),
        Arg::Bools(needs.to_vec()),
    ];
    let found = d.call_all("aten.convolution_backward.default", args, Vec::new())?;
    if needs[0] {
        let mut own = found[0];
        if !cut.is_empty() {
            let mut pads = vec![d.constant(0); 2 * spatial];
            for (k, _) in &cut {
                pads[2 * (spatial - 1 - k) + 1] = d.constant(-1);
            }
            own = d.call("aten.constant_pad_nd.default", vec![Arg::Value(own), Arg::Ints(pads)])?;
        }
        let own = if is_single { d.squeeze(own, 0)? } else { own };
        d.give("input", own)?;
    }
    if needs[1] {
        d.give("weight", found[1])?;
    }
    if needs[2] {
        d.give("bias", found[2])?;
    }
    Ok(())
}

/// `softmax(scale query key^T + mask) value`. The weights are computed again from queries and keys. Scores, weights and their
/// cotangents are float32 where the operands are halves, and are rounded as operands of the products behind: the cotangent of a score
/// is a difference of numbers that almost cancel in a query's first keys. The logarithm of the sum, which one form gives, is not
/// differentiated, as in PyTorch.
pub fn attention(d: &mut Derivative<'_>) -> Outcome {
    if d.float("dropout_p").is_none_or(|p| p != 0.0) {
        return Err(d.unsupported("the derivative of attention with dropout"));
    }
    let (query, key, value) = (d.value("query")?, d.value("key")?, d.value("value")?);
    let Some(grad) = d.cotangent(0) else { return Ok(()) };
    let scale = match d.float("scale") {
        Some(scale) => scale,
        None => {
            let width = d.shape(query)[d.rank(query) - 1];
            let width = d
                .syms()
                .as_const(width)
                .ok_or_else(|| d.unsupported("a head width known only at run time"))?;
            1.0 / (width as f64).sqrt()
        }
    };
    let grouped = d.op.schema().arg("enable_gqa").is_some() && d.bool("enable_gqa");
    let (keys, values) =
        if grouped { (shared(d, query, key)?, shared(d, query, value)?) } else { (key, value) };
    let dtype = d.dtype_of(query);
    let [wide_query, wide_keys] = [d.compute(query)?, d.compute(keys)?];
    let [wide_values, wide_grad] = [d.compute(values)?, d.compute(grad)?];
    let across = turned(d, wide_keys)?;
    let scores = d.matmul(wide_query, across)?;
    let mut scores = d.mul(scores, scale)?;
    let mask = d.optional_value("attn_mask");
    if d.bool("is_causal") {
        let shape = d.shape(scores);
        let named = vec![("dtype", Arg::Dtype(Dtype::Bool))];
        let square =
            d.call_with("aten.ones.default", vec![Arg::Ints(shape[shape.len() - 2..].to_vec())], named)?;
        let seen = d.call("aten.tril.default", vec![Arg::Value(square)])?;
        scores = masked(d, scores, seen)?;
    }
    if let Some(mask) = mask {
        scores = match d.dtype_of(mask) {
            Dtype::Bool => masked(d, scores, mask)?,
            _ => d.add(scores, mask)?,
        };
    }
    let last = d.int_arg(-1);
    let weights = d.call("aten._safe_softmax.default", vec![Arg::Value(scores), last])?;
    let weights = d.cast(weights, dtype)?;
    if d.needs("value") {
        let other = turned(d, weights)?;
        let own = d.matmul(other, grad)?;
        let own = if grouped { summed_heads(d, own, value)? } else { own };
        d.give("value", own)?;
    }
    if !(d.needs("query") || d.needs("key") || d.needs("attn_mask")) {
        return Ok(());
    }
    // Before the product, which then takes all that follows as its epilogue.
    let found = d.results[0];
    let found = d.compute(found)?;
    let seen = d.mul(wide_grad, found)?;
    let mean = d.sum(seen, &[-1], true)?;
    let other = turned(d, wide_values)?;
    let by_weight = d.matmul(wide_grad, other)?;
    let away = d.sub(by_weight, mean)?;
    let weights = d.compute(weights)?;
    let by_score = d.mul(weights, away)?;
    if d.needs("attn_mask") {
        d.give("attn_mask", by_score)?;
    }
    let by_score = d.mul(by_score, scale)?;
    let by_score = d.cast(by_score, dtype)?;
    if d.needs("query") {
        let own = d.matmul(by_score, keys)?;
        d.give("query", own)?;
    }
    if d.needs("key") {
        let other = turned(d, by_score)?;
        let own = d.matmul(other, query)?;
        let own = if grouped { summed_heads(d, own, key)? } else { own };
        d.give("key", own)?;
    }
    Ok(())
}

fn masked(d: &mut Derivative<'_>, scores: Value, seen: Value) -> Outcome<Value> {
    let dtype = d.dtype_of(scores);
    let nothing = d.scalar(f64::NEG_INFINITY, dtype)?;
    d.select(seen, scores, nothing)
}

/// Heads that several queries share, once for each of these.
fn shared(d: &mut Derivative<'_>, query: Value, heads: Value) -> Outcome<Value> {
    let times = times(d, query, heads)?;
    let dim = d.int_arg(-3);
    d.call("aten.repeat_interleave.self_int", vec![Arg::Value(heads), Arg::Int(times), dim])
}

fn times(d: &Derivative<'_>, query: Value, heads: Value) -> Result<SymInt, DerivativeError> {
    let (all, own) = (d.shape(query), d.shape(heads));
    Ok(d.syms().floordiv(all[all.len() - 3], own[own.len() - 3]))
}

fn summed_heads(d: &mut Derivative<'_>, grad: Value, heads: Value) -> Outcome<Value> {
    let (mut shape, own) = (d.shape(grad), d.shape(heads));
    let at = shape.len() - 3;
    let each = d.syms().floordiv(shape[at], own[own.len() - 3]);
    shape[at] = own[own.len() - 3];
    shape.insert(at + 1, each);
    let parts = d.reshape(grad, &shape)?;
    d.sum(parts, &[at as i64 + 1], false)
}
