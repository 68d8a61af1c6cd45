//! Operators on each element.

use super::super::super::error::Result;
use super::super::super::number::Number;
use super::super::call::{Cx, Results};
use crate::ir::Arg;
use crate::types::Dtype;

/// `Add`, `Sub`, `Mul` and `Div`.
pub fn arithmetic(cx: &mut Cx<'_, '_>) -> Results {
    let (a, b) = operands(cx)?;
    let is_float = match (&a, &b) {
        (Arg::Value(v), _) | (_, Arg::Value(v)) => !cx.dtype(*v).is_integral(),
        _ => true,
    };
    let text = match &cx.node.op_type[..] {
        "Add" => "add($0, $1)",
        "Sub" => "sub($0, $1)",
        "Mul" => "mul($0, $1)",
        _ if is_float => "div($0, $1)",
        _ => "div.Tensor_mode($0, $1, rounding_mode='trunc')",
    };
    let value = cx.call(text, &[a, b])?;
    cx.one(value)
}

/// Both operands, the second one as a number where it is known to be one: kernels then hold it.
fn operands(cx: &mut Cx<'_, '_>) -> Result<(Arg, Arg)> {
    let a = cx.value(0)?;
    if let Some(known) = cx.known(1)?
        && let (Some(Number::Float(v)), true) = (known.items.first().copied(), known.items.len() == 1)
        && known.shape.len() <= cx.rank(a)
    {
        return Ok((Arg::Value(a), Arg::Float(v)));
    }
    let b = cx.value(1)?;
    Ok((Arg::Value(a), Arg::Value(b)))
}

/// The result has the base's dtype.
pub fn power(cx: &mut Cx<'_, '_>) -> Results {
    let base = cx.value(0)?;
    let dtype = cx.dtype(base);
    if let Some(Number::Float(v)) = cx.number(1)?
        && dtype.is_float()
        && cx.known(1)?.is_some_and(|k| k.shape.len() <= cx.rank(base))
    {
        let value = cx.call("pow.Tensor_Scalar($0, $1)", &[Arg::Value(base), Arg::Float(v)])?;
        return cx.one(value);
    }
    let exponent = cx.value(1)?;
    let value = cx.of("pow.Tensor_Tensor($0, $1)", &[base, exponent])?;
    let value = cx.cast(value, dtype)?;
    cx.one(value)
}

/// `Max`, `Min`, `Sum` and `Mean` of any number of tensors.
pub fn variadic(cx: &mut Cx<'_, '_>) -> Results {
    let values = cx.values()?;
    let text = match &cx.node.op_type[..] {
        "Max" => "maximum($0, $1)",
        "Min" => "minimum($0, $1)",
        _ => "add($0, $1)",
    };
    let Some((first, rest)) = values.split_first() else { return Err(cx.wrong("it has no inputs")) };
    let mut result = *first;
    for value in rest {
        result = cx.of(text, &[result, *value])?;
    }
    if cx.node.op_type == "Mean" {
        result = cx.call("div($0, $1)", &[Arg::Value(result), cx.int(values.len() as i64)])?;
    }
    cx.one(result)
}

pub fn modulo(cx: &mut Cx<'_, '_>) -> Results {
    let text = if cx.flag("fmod") { "fmod($0, $1)" } else { "remainder($0, $1)" };
    let (a, b) = (cx.value(0)?, cx.value(1)?);
    let value = cx.of(text, &[a, b])?;
    cx.one(value)
}

pub fn bit_shift(cx: &mut Cx<'_, '_>) -> Results {
    let text = match &cx.string("direction", "")?[..] {
        "LEFT" => "bitwise_left_shift($0, $1)",
        "RIGHT" => "bitwise_right_shift($0, $1)",
        other => return Err(cx.wrong(format!("the direction `{other}` is neither LEFT nor RIGHT"))),
    };
    let (a, b) = (cx.value(0)?, cx.value(1)?);
    let value = cx.of(text, &[a, b])?;
    cx.one(value)
}

/// The bounds are attributes up to opset 10, inputs afterwards.
pub fn clip(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    if cx.opset < 11 {
        let bound = |name: &str| cx.attribute(name).map_or(Arg::None, |a| Arg::Float(a.f as f64));
        let (low, high) = (bound("min"), bound("max"));
        if low == Arg::None && high == Arg::None {
            return cx.one(x);
        }
        let value = cx.call("clamp($0, $1, $2)", &[Arg::Value(x), low, high])?;
        return cx.one(value);
    }
    // Where the bounds cross, the upper one holds.
    let mut value = x;
    for (k, scalar, tensor) in
        [(1, "clamp_min($0, $1)", "maximum($0, $1)"), (2, "clamp_max($0, $1)", "minimum($0, $1)")]
    {
        if !cx.has(k) {
            continue;
        }
        value = match cx.number(k)? {
            Some(Number::Float(v)) if !v.is_nan() => cx.call(scalar, &[Arg::Value(value), Arg::Float(v)])?,
            _ => {
                let bound = cx.value(k)?;
                cx.of(tensor, &[value, bound])?
            }
        };
    }
    cx.one(value)
}

pub fn identity(cx: &mut Cx<'_, '_>) -> Results {
    match cx.inputs.first() {
        Some(entry) => Ok(vec![entry.clone()]),
        None => Err(cx.wrong("it has no input")),
    }
}

/// Outside of training the input itself; in training it drops elements by Litz's own random numbers, whatever the `seed`.
pub fn dropout(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let training = match cx.known(2)? {
        _ if !cx.has(2) => Some(false),
        Some(mode) => mode.items.first().and_then(|item| match item {
            Number::Bool(v) => cx.syms.as_const(*v).map(|v| v != 0),
            _ => None,
        }),
        None => None,
    };
    if training == Some(false) || cx.has(1) && matches!(cx.number(1)?, Some(Number::Float(0.0))) {
        if !cx.gives(1) {
            return Ok(vec![cx.inputs[0].clone()]);
        }
        let mask = cx.call("ones_like($0, dtype=$1)", &[Arg::Value(x), Arg::Dtype(Dtype::Bool)])?;
        return Ok(vec![cx.inputs[0].clone(), cx.entry(mask)]);
    }
    let wide = Arg::Dtype(Dtype::Float32);
    let ratio = match cx.optional(1)? {
        Some(ratio) => cx.call("_to_copy(reshape($0, []), dtype=$1)", &[Arg::Value(ratio), wide.clone()])?,
        None => cx.call("full([], 0.5, dtype=$0)", std::slice::from_ref(&wide))?,
    };
    let args = [Arg::Value(x), Arg::Value(ratio), wide];
    let mut kept = cx.call("ge.Tensor(rand_like($0, dtype=$2), $1)", &args)?;
    let scale = cx.of("reciprocal(rsub.Scalar($0, 1))", &[ratio])?;
    let scale = cx.cast(scale, cx.dtype(x))?;
    let mut value = cx.of("masked_fill.Scalar(mul($0, $1), logical_not($2), 0)", &[x, scale, kept])?;
    if training.is_none() {
        let mode = cx.value(2)?;
        value = cx.of("where.self(reshape($0, []), $1, $2)", &[mode, value, x])?;
        kept = cx.of("logical_or(logical_not(reshape($0, [])), $1)", &[mode, kept])?;
    }
    Ok(vec![cx.entry(value), cx.entry(kept)])
}

pub fn is_inf(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let text = match (cx.attr_or("detect_positive", 1) != 0, cx.attr_or("detect_negative", 1) != 0) {
        (true, true) => "isinf($0)",
        (true, false) => "isposinf($0)",
        (false, true) => "isneginf($0)",
        (false, false) => "zeros_like(isinf($0))",
    };
    let value = cx.of(text, &[x])?;
    cx.one(value)
}

pub fn fast_gelu(cx: &mut Cx<'_, '_>) -> Results {
    let mut x = cx.value(0)?;
    if let Some(bias) = cx.optional(1)? {
        x = cx.of("add($0, $1)", &[x, bias])?;
    }
    let value = cx.of("gelu($0, approximate='tanh')", &[x])?;
    cx.one(value)
}
