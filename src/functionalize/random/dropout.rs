//! Operators that drop elements or draw their slopes.

use super::composites;
use super::distributions::{bernoulli, factors, uniform_between};
use super::draw::{Draw, Float};
use super::refused;
use crate::ir::{Arg, Value};
use crate::meta::MetaError;
use crate::ops::OpId;
use crate::types::{Calculation, SymInt};

type Built = Result<Value, MetaError>;

/// What the elements that `alpha_dropout` drops become: `-scale * alpha` of SELU.
const SELU_FLOOR: f64 = 1.7580993408473766;

pub(super) fn results(cx: &mut Draw<'_>) -> Result<Vec<Value>, MetaError> {
    use OpId::*;
    match cx.op {
        Dropout | FeatureDropout => {
            let input = cx.value("input")?;
            let (shape, dtype) = (mask_shape(cx, input)?, cx.dtype(input));
            let kept = kept(cx)?;
            let (_, noise) = factors(cx, &shape, dtype, kept)?;
            Ok(vec![cx.binary("mul", input, noise)?])
        }
        NativeDropout => {
            let input = cx.value("input")?;
            let (shape, dtype) = (cx.shape(input), cx.dtype(input));
            let kept = kept(cx)?;
            let (mask, noise) = factors(cx, &shape, dtype, kept)?;
            Ok(vec![cx.binary("mul", input, noise)?, mask])
        }
        AlphaDropout | FeatureAlphaDropout => Ok(vec![alpha_dropout(cx)?]),
        Rrelu => {
            let (own, training) = (cx.value("self")?, true);
            Ok(vec![rrelu(cx, own, training)?.0])
        }
        RreluWithNoise => {
            let (own, training) = (cx.value("self")?, cx.flag("training"));
            let (result, noise) = rrelu(cx, own, training)?;
            cx.written.extend(noise.map(|noise| ("noise", noise)));
            Ok(vec![result])
        }
        RreluWithNoiseFunctional => {
            let (own, training) = (cx.value("self")?, cx.flag("training"));
            let (result, noise) = rrelu(cx, own, training)?;
            let given = cx.value("noise")?;
            let noise = match noise {
                Some(noise) => noise,
                None => cx.unary("clone", given)?,
            };
            Ok(vec![result, noise])
        }
        ScaledDotProductAttention => Ok(vec![composites::attention(cx)?]),
        LstmInput | GruInput | RnnTanhInput | RnnReluInput => composites::layers(cx),
        op => Err(refused(op, "random numbers of this operator")),
    }
}

/// Features are dropped as a whole: one number for each of the batch and each channel.
fn mask_shape(cx: &Draw<'_>, input: Value) -> Result<Vec<SymInt>, MetaError> {
    let mut shape = cx.shape(input);
    if matches!(cx.op, OpId::FeatureDropout | OpId::FeatureAlphaDropout) {
        if shape.len() < 2 {
            let message = "features are dropped along the second dimension, which the input lacks";
            return Err(cx.error(crate::base::Status::Shape, message));
        }
        let one = cx.syms().constant(1);
        shape[2..].fill(one);
    }
    Ok(shape)
}

fn kept(cx: &Draw<'_>) -> Result<Float, MetaError> {
    let p = cx.float("p")?;
    Ok(cx.calculate(Calculation::Sub, Float::Known(1.0), p))
}

/// Elements that are dropped take SELU's lowest value; all are scaled and shifted so that mean and variance stay.
fn alpha_dropout(cx: &mut Draw<'_>) -> Built {
    let input = cx.value("input")?;
    let dtype = cx.dtype(input);
    let shape = mask_shape(cx, input)?;
    let kept = kept(cx)?;
    let (Float::Known(kept), Float::Known(p)) = (kept, cx.float("p")?) else {
        return Err(refused(cx.op, "a probability known only at run time"));
    };
    if kept == 0.0 {
        let none = cx.full(&[], Arg::Float(0.0), dtype)?;
        return cx.binary("mul", input, none);
    }
    let mask = bernoulli(cx, &shape, Float::Known(kept))?;
    let a = 1.0 / ((SELU_FLOOR * SELU_FLOOR * p + 1.0) * kept).sqrt();
    let choose = |cx: &mut Draw<'_>, yes: f64, no: f64| -> Built {
        let yes = cx.full(&[], Arg::Float(yes), dtype)?;
        let no = cx.full(&[], Arg::Float(no), dtype)?;
        cx.select(mask, yes, no)
    };
    let factor = choose(cx, a, 0.0)?;
    let shift = choose(cx, SELU_FLOOR * a * p, SELU_FLOOR * a * (p - 1.0))?;
    let scaled = cx.binary("mul", input, factor)?;
    cx.binary("add", scaled, shift)
}

/// The result, and the slope of each element: drawn where it is not above 0, and 1 elsewhere. Without training the slope is
/// the mean, and there is no noise.
fn rrelu(cx: &mut Draw<'_>, own: Value, training: bool) -> Result<(Value, Option<Value>), MetaError> {
    let (lower, upper) = (cx.float("lower")?, cx.float("upper")?);
    if !training {
        let sum = cx.calculate(Calculation::Add, lower, upper);
        let slope = cx.calculate(Calculation::Div, sum, Float::Known(2.0)).arg();
        return Ok((cx.call("aten.leaky_relu.default", vec![Arg::Value(own), slope])?, None));
    }
    let (shape, dtype) = (cx.shape(own), cx.dtype(own));
    let drawn = uniform_between(cx, &shape, dtype, lower, upper)?;
    let one = cx.full(&[], Arg::Float(1.0), dtype)?;
    let is_low = cx.by("le", own, Arg::Float(0.0))?;
    let slope = cx.select(is_low, drawn, one)?;
    Ok((cx.binary("mul", own, slope)?, Some(slope)))
}
