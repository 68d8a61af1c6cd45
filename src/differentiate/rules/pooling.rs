//! Pooling and resampling: their gradients have operators of their own. A row of one spatial dimension is an image of height 1.

use super::super::Outcome;
use super::super::context::Derivative;
use crate::ir::{Arg, Value};
use crate::types::SymInt;

/// The spatial dimensions that the operator's name says.
fn spatial(d: &Derivative<'_>) -> usize {
    ["1d", "2d", "3d"].iter().position(|n| d.op.name().contains(n)).map_or(2, |k| k + 1)
}

/// A list of one for each spatial dimension, with `one` for the height that a row does not have. An empty list stays one.
fn raised(d: &Derivative<'_>, name: &str, height: i64, spatial: usize) -> Arg {
    let list = d.ints(name).unwrap_or_default();
    match (list, spatial) {
        ([], _) => Arg::Ints(Vec::new()),
        ([one], 1) => Arg::Ints(vec![d.constant(height), *one]),
        ([one], n) => Arg::Ints(vec![*one; n]),
        (list, _) => Arg::Ints(list.to_vec()),
    }
}

/// Calls the gradient's operator on a row as on an image.
fn lifted(
    d: &mut Derivative<'_>,
    operator: &str,
    tensors: &[Value],
    behind: Option<Value>,
    rest: Vec<Arg>,
) -> Outcome {
    let input = d.value("self")?;
    let is_row = spatial(d) == 1;
    let mut args = Vec::new();
    for value in tensors {
        let value = if is_row { d.unsqueeze(*value, -2)? } else { *value };
        args.push(Arg::Value(value));
    }
    args.extend(rest);
    if let Some(value) = behind {
        let value = if is_row { d.unsqueeze(value, -2)? } else { value };
        args.push(Arg::Value(value));
    }
    let found = d.call(operator, args)?;
    let found = if is_row { d.squeeze(found, -2)? } else { found };
    d.give_value(input, found)
}

fn dimensions(spatial: usize) -> &'static str {
    if spatial == 3 { "3d" } else { "2d" }
}

pub fn avg_pool(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad, n) = (d.value("self")?, d.grad()?, spatial(d));
    let [kernel, stride] = ["kernel_size", "stride"].map(|name| raised(d, name, 1, n));
    let padding = raised(d, "padding", 0, n);
    let divisor = match d.op.schema().arg("divisor_override") {
        Some(_) => d.arg("divisor_override").clone(),
        None => Arg::None,
    };
    let [ceil, counts] = ["ceil_mode", "count_include_pad"].map(|name| d.arg(name).clone());
    let operator = format!("aten.avg_pool{}_backward.default", dimensions(n));
    lifted(d, &operator, &[grad, input], None, vec![kernel, stride, padding, ceil, counts, divisor])
}

pub fn adaptive_avg_pool(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad, n) = (d.value("self")?, d.grad()?, spatial(d));
    let operator = format!("aten._adaptive_avg_pool{}_backward.default", dimensions(n));
    lifted(d, &operator, &[grad, input], None, Vec::new())
}

/// The places of the greatest elements are the second result, or are found again.
pub fn max_pool(d: &mut Derivative<'_>) -> Outcome {
    let Some(grad) = d.cotangent(0) else { return Ok(()) };
    let (input, n) = (d.value("self")?, spatial(d));
    let places = match d.results.get(1) {
        Some(places) => *places,
        None => {
            let operator = format!("aten.max_pool{n}d_with_indices.default");
            let args = d.args.to_vec();
            d.call_all(&operator, args, Vec::new())?[1]
        }
    };
    let [kernel, stride, dilation] = ["kernel_size", "stride", "dilation"].map(|name| raised(d, name, 1, n));
    let padding = raised(d, "padding", 0, n);
    let ceil = d.arg("ceil_mode").clone();
    let operator = format!("aten.max_pool{}_with_indices_backward.default", dimensions(n));
    lifted(d, &operator, &[grad, input], Some(places), vec![kernel, stride, padding, dilation, ceil])
}

pub fn adaptive_max_pool(d: &mut Derivative<'_>) -> Outcome {
    let Some(grad) = d.cotangent(0) else { return Ok(()) };
    let (input, n, places) = (d.value("self")?, spatial(d), d.results[1]);
    let operator = format!("aten.adaptive_max_pool{}_backward.default", dimensions(n));
    lifted(d, &operator, &[grad, input, places], None, Vec::new())
}

/// Gradients that take `self` for its sizes and the places of its elements alone: its gradient is zeros.
pub fn placed_by_self(d: &mut Derivative<'_>) -> Outcome {
    d.by_parts();
    if d.needs("self") {
        let zeros = d.zeros_like(d.value("self")?)?;
        d.give("self", zeros)?;
    }
    Ok(())
}

/// The gradient's operator takes the sizes of both images.
pub fn upsample(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad, n) = (d.first()?, d.grad()?, spatial(d));
    let operator =
        format!("{}_backward.default", d.op.name().trim_end_matches(".default").trim_end_matches(".vec"));
    let sizes: Vec<SymInt> = d.shape(d.results[0])[2..].to_vec();
    let mut args = vec![Arg::Value(grad), Arg::Ints(sizes), Arg::Ints(d.shape(input))];
    if d.op.schema().arg("align_corners").is_some() {
        args.push(d.arg("align_corners").clone());
    }
    let is_list = d.op.schema().arg("scale_factors").is_some();
    for k in 0..n {
        args.push(match is_list {
            true => match d.arg("scale_factors") {
                Arg::Floats(list) => list.get(k).map_or(Arg::None, |f| Arg::Float(*f)),
                _ => Arg::None,
            },
            // The factors are the last arguments.
            false => d.args[d.args.len() - n + k].clone(),
        });
    }
    let found = d.call(&operator, args)?;
    d.give_value(input, found)
}

pub fn im2col(d: &mut Derivative<'_>) -> Outcome {
    let (input, grad) = (d.value("self")?, d.grad()?);
    let shape = d.shape(input);
    let size = Arg::Ints(shape[shape.len() - 2..].to_vec());
    let args = [Arg::Value(grad), size].into_iter().chain(d.args[1..].to_vec()).collect();
    let found = d.call("aten.col2im.default", args)?;
    d.give("self", found)
}

pub fn col2im(d: &mut Derivative<'_>) -> Outcome {
    let grad = d.grad()?;
    let args = std::iter::once(Arg::Value(grad)).chain(d.args[2..].to_vec()).collect();
    let found = d.call("aten.im2col.default", args)?;
    d.give("self", found)
}
