//! Products of matrices and vectors of complex numbers: four real ones, or two where an operand is real.
//! Convolutions of complex numbers: three real ones.

use super::context::{BuiltPair, Pair, Split};
use super::{DecomposeError, Results};
use crate::ir::{Arg, Value};

/// A product of two values by an operator that takes nothing else.
fn by(cx: &mut Split<'_, '_>, name: &str, a: (Value, Option<Value>), b: (Value, Option<Value>)) -> BuiltPair {
    let mut one = |a: Value, b: Value| cx.call(name, vec![Arg::Value(a), Arg::Value(b)]);
    match (a, b) {
        ((x, None), (y, None)) => {
            let re = one(x, y)?;
            Ok(Pair { re, im: cx.zeros_like(re)? })
        }
        ((x, Some(i)), (y, None)) => Ok(Pair { re: one(x, y)?, im: one(i, y)? }),
        ((x, None), (y, Some(j))) => Ok(Pair { re: one(x, y)?, im: one(x, j)? }),
        ((x, Some(i)), (y, Some(j))) => {
            let (rr, ii, ri, ir) = (one(x, y)?, one(i, j)?, one(x, j)?, one(i, y)?);
            Ok(Pair { re: cx.sub(rr, ii)?, im: cx.add(ri, ir)? })
        }
    }
}

fn operands(cx: &mut Split<'_, '_>) -> Result<[(Value, Option<Value>); 2], DecomposeError> {
    let second = cx.op.schema().args[1].name.as_str();
    Ok([cx.operand("self")?, cx.operand(second)?])
}

pub fn product(cx: &mut Split<'_, '_>) -> Results {
    let [a, b] = operands(cx)?;
    Ok(vec![by(cx, cx.op.name(), a, b)?.into()])
}

/// The first vector is conjugated.
pub fn vdot(cx: &mut Split<'_, '_>) -> Results {
    let [(re, im), b] = operands(cx)?;
    let im = im.map(|im| cx.unary("neg", im)).transpose()?;
    Ok(vec![by(cx, "aten.dot.default", (re, im), b)?.into()])
}

/// Sums along a dimension, the first operand conjugated.
pub fn vecdot(cx: &mut Split<'_, '_>) -> Results {
    let (a, b) = (cx.pair("x")?, cx.pair("y")?);
    let turned = Pair { re: a.re, im: cx.unary("neg", a.im)? };
    let product = cx.times(turned, b)?;
    let dim = cx.known_int("dim")?;
    Ok(vec![Pair { re: cx.sum(product.re, &[dim], false)?, im: cx.sum(product.im, &[dim], false)? }.into()])
}

pub fn linear(cx: &mut Split<'_, '_>) -> Results {
    let (input, weight) = (cx.operand("input")?, cx.operand("weight")?);
    let result = by(cx, "aten.linear.default", input, weight)?;
    if *cx.given("bias") == Arg::None {
        return Ok(vec![result.into()]);
    }
    let bias = cx.pair("bias")?;
    Ok(vec![cx.plus(result, bias)?.into()])
}

/// `beta * self + alpha * product`; with a `beta` of zero `self` is not looked at.
fn combined(cx: &mut Split<'_, '_>, product: Pair) -> Results {
    let number = |cx: &Split<'_, '_>, name: &str| match cx.given(name) {
        Arg::Int(v) => cx.syms().as_const(*v).map(|v| [v as f64, 0.0]),
        Arg::Float(v) => Some([*v, 0.0]),
        Arg::Bool(v) => Some([f64::from(u8::from(*v)), 0.0]),
        Arg::Complex(v) => Some(*v),
        _ => None,
    };
    let factor = |cx: &mut Split<'_, '_>, pair: Pair, name: &str| -> BuiltPair {
        match number(cx, name) {
            Some([1.0, 0.0]) => Ok(pair),
            Some([re, 0.0]) => cx.times_number(pair, re),
            _ => {
                let factor = cx.pair(name)?;
                cx.times(pair, factor)
            }
        }
    };
    let product = factor(cx, product, "alpha")?;
    if number(cx, "beta") == Some([0.0, 0.0]) {
        return Ok(vec![product.into()]);
    }
    let own = cx.pair("self")?;
    let own = factor(cx, own, "beta")?;
    Ok(vec![cx.plus(own, product)?.into()])
}

pub fn added(cx: &mut Split<'_, '_>) -> Results {
    let [first, second] = [1, 2].map(|k| cx.op.schema().args[k].name.as_str());
    let (a, b) = (cx.operand(first)?, cx.operand(second)?);
    let product = by(cx, "aten.matmul.default", a, b)?;
    combined(cx, product)
}

pub fn addr(cx: &mut Split<'_, '_>) -> Results {
    let (a, b) = (cx.operand("vec1")?, cx.operand("vec2")?);
    let product = by(cx, "aten.outer.default", a, b)?;
    combined(cx, product)
}

/// PyTorch's formula: `a - b + i * (c - a - b)`, where `a` convolves the real parts, `b` the imaginary parts and `c` the sums of both.
pub fn convolution(cx: &mut Split<'_, '_>) -> Results {
    let (input, weight) = (cx.pair("input")?, cx.pair("weight")?);
    let bias = match cx.given("bias") {
        Arg::None => None,
        _ => Some(cx.pair("bias")?),
    };
    let op = cx.op;
    let place = |name: &str| op.schema().arg(name).expect("a convolution has it");
    let [input_at, weight_at, bias_at] = ["input", "weight", "bias"].map(place);
    let one = |cx: &mut Split<'_, '_>, input: Value, weight: Value, bias: Option<Value>| {
        let mut args = cx.args.to_vec();
        args[input_at] = Arg::Value(input);
        args[weight_at] = Arg::Value(weight);
        args[bias_at] = bias.map_or(Arg::None, Arg::Value);
        cx.call(op.name(), args)
    };
    let a = one(cx, input.re, weight.re, bias.map(|b| b.re))?;
    let b = one(cx, input.im, weight.im, None)?;
    let (inputs, weights) = (cx.add(input.re, input.im)?, cx.add(weight.re, weight.im)?);
    let biases = bias.map(|b| cx.add(b.re, b.im)).transpose()?;
    let c = one(cx, inputs, weights, biases)?;
    let (re, im) = (cx.sub(a, b)?, cx.sub(c, a)?);
    Ok(vec![Pair { re, im: cx.sub(im, b)? }.into()])
}
