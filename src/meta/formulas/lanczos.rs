//! Images resampled with a Lanczos window of three lobes, as a product with a matrix of weights for each side.
//!
//! Deliberately absent: images of uint8, which PyTorch resamples in fixed point.

use super::super::formula::Scope;
use super::{Built, Cx, MetaError, Results, v};
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

/// A side of the image: its size before and after, and how often it is enlarged, where that is given.
struct Side {
    from: SymInt,
    to: SymInt,
    factor: Option<f64>,
}

/// `[to, from]`: the weights of the elements around each place, which add up to 1. The window widens where the image shrinks.
fn weights(cx: &mut Cx<'_, '_>, side: &Side, aligned: bool, dtype: Dtype) -> Built {
    let syms = cx.b.graph.syms.clone();
    let (Some(from), Some(to)) = (syms.as_const(side.from), syms.as_const(side.to)) else {
        return Err(cx.error(Status::Unsupported, "sizes that are not known"));
    };
    if from < 1 || to < 1 {
        return Err(cx.error(Status::Shape, format!("{from} elements are resampled to {to}")));
    }
    let step = match side.factor {
        _ if aligned && to == 1 => 0.0,
        _ if aligned => (from - 1) as f64 / (to - 1) as f64,
        Some(factor) if factor > 0.0 => 1.0 / factor,
        _ => from as f64 / to as f64,
    };
    let wide = step.max(1.0);
    let args = [
        cx.int(to),
        cx.int(from),
        Arg::Dtype(dtype),
        Arg::Float(step),
        Arg::Float(1.0 / wide),
        Arg::Float(0.5 - 3.0 * wide),
        Arg::Float(0.5 + 3.0 * wide),
    ];
    let center = cx.call("unsqueeze(mul.Scalar(add.Scalar(arange($0, dtype=$2), 0.5), $3), 1)", &args)?;
    let within = [&[v(center)], &args[1..]].concat();
    // The window's first element, and the one behind its last.
    let text = "logical_and(ge(arange($1), trunc(clamp_min(add.Scalar($0, $5), 0))), lt(arange($1), trunc(add.Scalar($0, $6))))";
    let within_window = cx.call(text, &within)?;
    let text = "mul.Scalar(add.Scalar(sub(arange($1, dtype=$2), $0), 0.5), $4)";
    let place = cx.call(text, &within)?;
    let text = "mul(mul(sinc($0), sinc(div.Scalar($0, 3))), logical_and($1, lt.Scalar(abs($0), 3)))";
    let weights = cx.of(text, &[place, within_window])?;
    cx.of("div($0, sum.dim_IntList($0, [1], true))", &[weights])
}

fn sizes(cx: &Cx<'_, '_>, k: usize, count: usize) -> Result<Vec<SymInt>, MetaError> {
    match cx.args[k].ints() {
        Some(list) if list.len() == count => Ok(list.to_vec()),
        _ => Err(cx.wrong(format!("{count} sizes must be given"))),
    }
}

/// `own` between the matrices of both sides; `back` is the product with their transposes.
fn resampled(cx: &mut Cx<'_, '_>, own: Value, sides: [Side; 2], aligned: bool, back: bool) -> Results {
    let dtype = cx.dtype(own);
    if !dtype.is_float() || cx.rank(own) != 4 {
        let message = format!("needs images of floats, [images, channels, height, width], not {dtype}");
        return Err(cx.error(Status::Unsupported, message));
    }
    let wide = dtype.compute();
    let [rows, columns] = [&sides[0], &sides[1]].map(|side| weights(cx, side, aligned, wide));
    let given = cx.cast(own, wide)?;
    let text = if back { "matmul(matmul(t($1), $0), $2)" } else { "matmul($1, matmul($0, t($2)))" };
    let made = cx.of(text, &[given, rows?, columns?])?;
    Ok(vec![cx.cast(made, dtype)?])
}

fn factor(cx: &Cx<'_, '_>, k: usize) -> Option<f64> {
    if let Arg::Float(factor) = cx.args[k] { Some(factor) } else { None }
}

pub fn upsample(cx: &mut Cx<'_, '_>) -> Results {
    let own = cx.value(0)?;
    let (shape, aligned) = (cx.shape(own), cx.flag(2));
    if shape.len() != 4 {
        return Err(cx.error(Status::Shape, format!("images of {} dimensions, not 4", shape.len())));
    }
    let side = |k: usize, to: SymInt, factor: Option<f64>| Side { from: shape[2 + k], to, factor };
    let sides = match &cx.args[3] {
        // Both sides by factors.
        Arg::Floats(factors) if cx.args[1].ints().is_none() => {
            let [rows, columns] = factors[..] else {
                return Err(cx.wrong("two factors must be given".into()));
            };
            let scaled = |k: usize, factor: f64| {
                let from = cx.syms().as_const(shape[2 + k])?;
                Some(side(k, cx.syms().constant((from as f64 * factor) as i64), Some(factor)))
            };
            let (Some(rows), Some(columns)) = (scaled(0, rows), scaled(1, columns)) else {
                return Err(cx.error(Status::Unsupported, "factors of sizes that are not known"));
            };
            [rows, columns]
        }
        _ => {
            let to = sizes(cx, 1, 2)?;
            let factors = if cx.args.len() > 4 { [factor(cx, 3), factor(cx, 4)] } else { [None, None] };
            [side(0, to[0], factors[0]), side(1, to[1], factors[1])]
        }
    };
    resampled(cx, own, sides, aligned, false)
}

pub fn upsample_backward(cx: &mut Cx<'_, '_>) -> Results {
    let (grad, to, from) = (cx.value(0)?, sizes(cx, 1, 2)?, sizes(cx, 2, 4)?);
    let side = |k: usize| Side { from: from[2 + k], to: to[k], factor: factor(cx, 4 + k) };
    let sides = [side(0), side(1)];
    let aligned = cx.flag(3);
    resampled(cx, grad, sides, aligned, true)
}
