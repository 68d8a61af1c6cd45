//! Matrix products and convolutions: their gradients are products, too.

use super::super::Outcome;
use super::super::context::Derivative;
use crate::ir::{Arg, Value};
use crate::types::SymInt;

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
