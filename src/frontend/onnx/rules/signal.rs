//! Signals: windows, Fourier transforms as products with cosines and sines, mel weights.

use super::super::super::error::Result;
use super::super::super::number::Number;
use super::super::call::{Cx, Results};
use super::super::data::dtype;
use super::choice::choose;
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};
use std::f64::consts::PI;

/// The dtype that an attribute names.
fn named(cx: &Cx<'_, '_>, attribute: &str) -> Result<Dtype> {
    dtype(cx.attr_or(attribute, 1))
}

fn size(cx: &mut Cx<'_, '_>, k: usize) -> Result<SymInt> {
    match cx.read(k)? {
        Number::Int(n) => Ok(n),
        _ => Err(cx.wrong(format!("input {k} is no size"))),
    }
}

/// `HannWindow`, `HammingWindow` and `BlackmanWindow`: a constant and one or two cosines.
pub fn window(cx: &mut Cx<'_, '_>) -> Results {
    let count = size(cx, 0)?;
    let dtype = named(cx, "output_datatype")?;
    let whole = match cx.attr_or("periodic", 1) != 0 {
        true => count,
        false => cx.syms.max(cx.syms.add_const(count, -1), cx.syms.constant(1)),
    };
    let (a, b, c) = match &cx.node.op_type[..] {
        "HannWindow" => (0.5, 0.5, 0.0),
        "HammingWindow" => (25.0 / 46.0, 21.0 / 46.0, 0.0),
        _ => (0.42, 0.5, 0.08),
    };
    let args = [
        Arg::Int(count),
        Arg::Int(whole),
        Arg::Dtype(Dtype::Float64),
        Arg::Float(2.0 * PI),
        Arg::Float(a),
        Arg::Float(b),
        Arg::Float(c),
    ];
    let angle = cx.call("div(mul(arange($0, dtype=$2), $3), $1)", &args)?;
    let args = [&[Arg::Value(angle)], &args[4..]].concat();
    let value = cx.call("add(sub(mul(cos(mul($0, 2)), $3), mul(cos($0), $2)), $1)", &args)?;
    let value = cx.cast(value, dtype)?;
    cx.one(value)
}

/// Cosines and sines of `rows` times by `columns` frequencies, of a whole of so many steps.
fn waves(
    cx: &mut Cx<'_, '_>,
    rows: SymInt,
    columns: SymInt,
    whole: SymInt,
    dtype: Dtype,
) -> Result<(Value, Value)> {
    let args = [
        Arg::Int(rows),
        Arg::Int(columns),
        Arg::Int(whole),
        Arg::Dtype(Dtype::Float64),
        Arg::Float(2.0 * PI),
    ];
    // Whole turns are taken off while the product is exact.
    let text =
        "div(mul(_to_copy(remainder(mul(unsqueeze(arange($0), 1), arange($1)), $2), dtype=$3), $4), $2)";
    let angle = cx.call(text, &args)?;
    let (cos, sin) = (cx.of("cos($0)", &[angle])?, cx.of("sin($0)", &[angle])?);
    Ok((cx.cast(cos, dtype)?, cx.cast(sin, dtype)?))
}

/// Of real or complex rows: `[…, count, 1 or 2]` with the transformed axis last but one, as real and imaginary parts.
struct Parts {
    real: Value,
    imaginary: Option<Value>,
}

fn parts(cx: &mut Cx<'_, '_>, x: Value) -> Result<Parts> {
    let shape = cx.shape(x);
    let real = cx.of("select.int($0, -1, 0)", &[x])?;
    match shape.last().and_then(|n| cx.syms.as_const(*n)) {
        Some(1) => Ok(Parts { real, imaginary: None }),
        Some(2) => Ok(Parts { real, imaginary: Some(cx.of("select.int($0, -1, 1)", &[x])?) }),
        _ => Err(cx.wrong("the last dimension is neither 1 nor 2")),
    }
}

/// The transform of the last dimension; `sign` is that of the exponent.
fn transformed(cx: &mut Cx<'_, '_>, x: Parts, waves: (Value, Value), sign: f64) -> Result<(Value, Value)> {
    let (cos, sin) = waves;
    let sin = cx.call("mul($0, $1)", &[Arg::Value(sin), Arg::Float(sign)])?;
    let real = cx.of("matmul($0, $1)", &[x.real, cos])?;
    let imaginary = cx.of("matmul($0, $1)", &[x.real, sin])?;
    match x.imaginary {
        None => Ok((real, imaginary)),
        Some(other) => Ok((
            cx.of("sub($0, matmul($1, $2))", &[real, other, sin])?,
            cx.of("add($0, matmul($1, $2))", &[imaginary, other, cos])?,
        )),
    }
}

pub fn fourier(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let rank = cx.rank(x);
    let axis = match cx.opset < 20 {
        true => cx.attr_or("axis", 1),
        false if cx.has(2) && cx.known(2)?.is_none() => {
            let axis = cx.value(2)?;
            let axis = cx.call("remainder(reshape($0, []), $1)", &[Arg::Value(axis), cx.int(rank as i64)])?;
            let dims: Vec<i64> = (0..rank as i64 - 1).collect();
            let value = choose(cx, axis, &dims, &|cx, dim| along(cx, dim))?;
            return cx.one(value);
        }
        false => cx.ints(2, "axis")?.and_then(|a| a.first().copied()).unwrap_or(-2),
    };
    let dim = cx.dim(axis, rank)? as i64;
    let value = along(cx, dim)?;
    cx.one(value)
}

fn along(cx: &mut Cx<'_, '_>, dim: i64) -> Result<Value> {
    let x = cx.value(0)?;
    let dtype = cx.dtype(x);
    let (inverse, half) = (cx.flag("inverse"), cx.flag("onesided"));
    let given = cx.shape(x)[dim as usize];
    let syms = cx.syms.clone();
    let two = syms.constant(2);
    let whole = match cx.has(1) {
        true => size(cx, 1)?,
        false if inverse && half => syms.mul(syms.add_const(given, -1), two),
        false => given,
    };
    let bins = syms.add_const(syms.floordiv(whole, two), 1);
    let (takes, gives) = match (inverse, half) {
        (false, true) => (whole, bins),
        (true, true) => (bins, whole),
        _ => (whole, whole),
    };
    // Rows are cut or filled with zeros.
    let pads = Arg::Ints(vec![syms.constant(0), syms.sub(takes, given)]);
    let moved = cx.call("movedim.int($0, $1, -2)", &[Arg::Value(x), cx.int(dim)])?;
    let mut rows = parts(cx, moved)?;
    rows.real = cx.call("constant_pad_nd($0, $1)", &[Arg::Value(rows.real), pads.clone()])?;
    if let Some(imaginary) = rows.imaginary {
        rows.imaginary = Some(cx.call("constant_pad_nd($0, $1)", &[Arg::Value(imaginary), pads])?);
    }
    let wide = if dtype.is_reduced_float() { Dtype::Float32 } else { dtype };
    rows.real = cx.cast(rows.real, wide)?;
    if let Some(imaginary) = rows.imaginary {
        rows.imaginary = Some(cx.cast(imaginary, wide)?);
    }
    let waves = waves(cx, takes, gives, whole, wide)?;
    let value = if inverse && half {
        // The other half is the mirror image: all but the first, and the middle of an even number, count twice.
        let args = [Arg::Int(bins), Arg::Int(whole), Arg::Dtype(wide)];
        let text = "_to_copy(where.ScalarOther(logical_or(eq(arange($0), 0), eq(mul(arange($0), 2), $1)), ones([], dtype=$2), 2.0), dtype=$2)";
        let weight = cx.call(text, &args)?;
        rows.real = cx.of("mul($0, $1)", &[rows.real, weight])?;
        if let Some(imaginary) = rows.imaginary {
            rows.imaginary = Some(cx.of("mul($0, $1)", &[imaginary, weight])?);
        }
        let (real, _) = transformed(cx, rows, waves, 1.0)?;
        cx.of("unsqueeze($0, -1)", &[real])?
    } else {
        let (real, imaginary) = transformed(cx, rows, waves, if inverse { 1.0 } else { -1.0 })?;
        cx.of("stack([$0, $1], -1)", &[real, imaginary])?
    };
    let value = if inverse { cx.call("div($0, $1)", &[Arg::Value(value), Arg::Int(whole)])? } else { value };
    let value = cx.cast(value, dtype)?;
    cx.call("movedim.int($0, -2, $1)", &[Arg::Value(value), cx.int(dim)])
}

/// Transforms of frames of a signal `[batch, length, 1 or 2]`.
pub fn short_time(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let dtype = cx.dtype(x);
    let step = size(cx, 1)?;
    let window = cx.optional(2)?;
    let width = match (cx.has(3), window) {
        (true, _) => size(cx, 3)?,
        (false, Some(window)) => cx.size(window, 0)?,
        _ => return Err(cx.wrong("it has neither a window nor the length of a frame")),
    };
    let syms = cx.syms.clone();
    let length = *cx.shape(x).get(1).ok_or_else(|| cx.wrong("its signal has no length"))?;
    let frames = syms.max(
        syms.add_const(syms.floordiv(syms.sub(length, width), syms.max(step, syms.constant(1))), 1),
        syms.constant(0),
    );
    let bins = match cx.attr_or("onesided", 1) != 0 {
        true => syms.add_const(syms.floordiv(width, syms.constant(2)), 1),
        false => width,
    };
    let args = [Arg::Int(frames), Arg::Int(step), Arg::Int(width)];
    let places = cx.call("add(unsqueeze(mul(arange($0), $1), 1), arange($2))", &args)?;
    let mut rows = parts(cx, x)?;
    let cut = |cx: &mut Cx<'_, '_>, v: Value| {
        let args = [Arg::Value(v), Arg::Values(vec![None, Some(places)])];
        let frames = cx.call("index.Tensor($0, $1)", &args)?;
        match window {
            Some(window) => cx.of("mul($0, $1)", &[frames, window]),
            None => Ok(frames),
        }
    };
    rows.real = cut(cx, rows.real)?;
    if let Some(imaginary) = rows.imaginary {
        rows.imaginary = Some(cut(cx, imaginary)?);
    }
    let waves = waves(cx, width, bins, width, dtype)?;
    let (real, imaginary) = transformed(cx, rows, waves, -1.0)?;
    let value = cx.of("stack([$0, $1], -1)", &[real, imaginary])?;
    cx.one(value)
}

/// Triangles over the bins of a spectrum, evenly spread over mels.
pub fn mel_weights(cx: &mut Cx<'_, '_>) -> Results {
    let (mels, length) = (size(cx, 0)?, size(cx, 1)?);
    let dtype = named(cx, "output_datatype")?;
    let (rate, low, high) = (cx.value(2)?, cx.value(3)?, cx.value(4)?);
    let mut edges = Vec::new();
    for edge in [low, high] {
        let edge = cx.cast(edge, Dtype::Float64)?;
        let edge = cx.reshape(edge, &[])?;
        edges.push(cx.of("mul(log10(add(div($0, 700.0), 1)), 2595.0)", &[edge])?);
    }
    let rate = cx.cast(rate, Dtype::Float64)?;
    let syms = cx.syms.clone();
    let points = syms.add_const(mels, 2);
    let args = [
        Arg::Value(edges[0]),
        Arg::Value(edges[1]),
        Arg::Int(points),
        Arg::Dtype(Dtype::Float64),
        Arg::Int(syms.add_const(length, 1)),
        Arg::Value(rate),
        Arg::Dtype(Dtype::Int64),
    ];
    let mel = cx.call("add(mul(arange($2, dtype=$3), div(sub($1, $0), $2)), $0)", &args)?;
    let hertz = cx.of("mul(sub(pow.Scalar(10.0, div($0, 2595.0)), 1), 700.0)", &[mel])?;
    let args = [&[Arg::Value(hertz)], &args[4..]].concat();
    let bins = cx.call("_to_copy(floor(div(mul($0, $1), reshape($2, []))), dtype=$3)", &args)?;
    let spectrum = syms.add_const(syms.floordiv(length, syms.constant(2)), 1);
    let at = |cx: &mut Cx<'_, '_>, first: i64| {
        let args = [Arg::Value(bins), cx.int(first), Arg::Int(mels)];
        cx.call("narrow($0, 0, $1, $2)", &args)
    };
    let (left, centre, right) = (at(cx, 0)?, at(cx, 1)?, at(cx, 2)?);
    let bin = cx.call("unsqueeze(arange($0), 1)", &[Arg::Int(spectrum)])?;
    let list = [bin, left, centre, right];
    let rising = cx.of("div(sub($0, $1), clamp_min(sub($2, $1), 1))", &list)?;
    let falling = cx.of("div(sub($3, $0), clamp_min(sub($3, $2), 1))", &list)?;
    // At a centre that is its own left edge the weight is 1.
    let peak = cx.of("eq($0, $2)", &list)?;
    let flat = cx.of("eq($1, $2)", &list)?;
    let zero = cx.of("zeros_like($0)", &[rising])?;
    let list = [bin, left, centre, right, rising, falling, peak, flat, zero];
    let text = "where.self(logical_and(ge($0, $2), lt($0, $3)), $5, where.self(logical_and($6, $7), add($8, 1), where.self(logical_and(logical_and(ge($0, $1), le($0, $2)), logical_not($7)), $4, $8)))";
    let value = cx.of(text, &list)?;
    let value = cx.cast(value, dtype)?;
    cx.one(value)
}
