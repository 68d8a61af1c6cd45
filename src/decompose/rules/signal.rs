//! Windows, weights in two parts, and numbers rounded to a grid.

use crate::base::Status;
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::meta::takes_slices_in_order;
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

/// `0, 1, .., n - 1` and the distance between the window's ends; the window's length and dtype.
struct Window {
    places: Value,
    span: SymInt,
    length: SymInt,
    dtype: Dtype,
}

fn window(cx: &mut Decompose<'_>) -> Result<Window, DecomposeError> {
    let length = cx.int("window_length").ok_or_else(|| cx.unsupported("a length must be given"))?;
    let dtype = cx.dtype("dtype").unwrap_or(Dtype::Float32);
    let periodic = cx.op.schema().arg("periodic").is_none() || cx.bool("periodic");
    let one = cx.constant(1);
    // A periodic window is one longer, its last place left out.
    let span = if periodic { length } else { cx.syms().add_const(length, -1) };
    let span = cx.syms().max(span, one);
    let named = vec![("dtype", Arg::Dtype(Dtype::Int64))];
    let places = cx.call_with("aten.arange.default", vec![Arg::Int(length)], named)?;
    let places = cx.cast(places, dtype.compute())?;
    Ok(Window { places, span, length, dtype })
}

impl Window {
    /// A window of one place is 1 there.
    fn finish(&self, cx: &mut Decompose<'_>, value: Value) -> Results {
        let one = cx.constant(1);
        let single = cx.syms().eq(self.length, one);
        if cx.syms().decide(single) == Some(false) {
            return Ok(vec![cx.cast(value, self.dtype)?]);
        }
        // value + (1 - value) * single
        let rest = cx.unary("neg", value)?;
        let rest = cx.add(rest, 1.0)?;
        let rest = cx.mul(rest, single)?;
        let value = cx.add(value, rest)?;
        Ok(vec![cx.cast(value, self.dtype)?])
    }
    /// The cosine of `times` turns over the window.
    fn cosine(&self, cx: &mut Decompose<'_>, times: f64) -> Built {
        let angle = cx.mul(self.places, 2.0 * std::f64::consts::PI * times)?;
        let angle = cx.div(angle, self.span)?;
        cx.unary("cos", angle)
    }
}

fn cosine_window(cx: &mut Decompose<'_>, terms: &[f64]) -> Results {
    let w = window(cx)?;
    let mut sum = w.cosine(cx, 0.0)?;
    sum = cx.mul(sum, terms[0])?;
    for (k, term) in terms.iter().enumerate().skip(1) {
        let part = w.cosine(cx, k as f64)?;
        let part = cx.mul(part, *term)?;
        sum = cx.add(sum, part)?;
    }
    w.finish(cx, sum)
}

pub fn hann_window(cx: &mut Decompose<'_>) -> Results {
    cosine_window(cx, &[0.5, -0.5])
}
pub fn hamming_window(cx: &mut Decompose<'_>) -> Results {
    let given =
        |name: &str, other: f64| cx.op.schema().arg(name).and_then(|_| cx.float(name)).unwrap_or(other);
    let (alpha, beta) = (given("alpha", 0.54), given("beta", 0.46));
    cosine_window(cx, &[alpha, -beta])
}
pub fn blackman_window(cx: &mut Decompose<'_>) -> Results {
    cosine_window(cx, &[0.42, -0.5, 0.08])
}
pub fn bartlett_window(cx: &mut Decompose<'_>) -> Results {
    let w = window(cx)?;
    let up = cx.mul(w.places, 2.0)?;
    let up = cx.div(up, w.span)?;
    let down = cx.unary("neg", up)?;
    let down = cx.add(down, 2.0)?;
    let value = cx.call("aten.minimum.default", vec![Arg::Value(up), Arg::Value(down)])?;
    w.finish(cx, value)
}
pub fn kaiser_window(cx: &mut Decompose<'_>) -> Results {
    let w = window(cx)?;
    let beta = cx.op.schema().arg("beta").and_then(|_| cx.float("beta")).unwrap_or(12.0);
    let place = cx.mul(w.places, 2.0)?;
    let place = cx.div(place, w.span)?;
    let place = cx.sub(place, 1.0)?;
    let square = cx.unary("square", place)?;
    let rest = cx.unary("neg", square)?;
    let rest = cx.add(rest, 1.0)?;
    let zero = cx.scalar(0.0, w.dtype.compute())?;
    let rest = cx.call("aten.maximum.default", vec![Arg::Value(rest), Arg::Value(zero)])?;
    let root = cx.unary("sqrt", rest)?;
    let scaled = cx.mul(root, beta)?;
    let value = cx.unary("i0", scaled)?;
    let whole = cx.scalar(beta, w.dtype.compute())?;
    let whole = cx.unary("i0", whole)?;
    let value = cx.div(value, whole)?;
    w.finish(cx, value)
}

/// The norm over all dimensions but `dim` (over all where it is -1), these kept.
fn norm_except(cx: &mut Decompose<'_>, v: Value, p: f64) -> Built {
    let rank = cx.rank(v);
    let dim = cx.known_int("dim")?;
    if dim == -1 {
        return cx.call("aten.linalg_vector_norm.default", vec![Arg::Value(v), Arg::Float(p)]);
    }
    // One more dimension, as a vector has no others to take the norm over.
    let kept = cx.dim(dim, rank)?;
    let dims: Vec<i64> = (0..=rank).filter(|d| *d != kept).map(|d| d as i64).collect();
    let (v, dims) = (cx.unsqueeze(v, -1)?, cx.ints_arg(&dims));
    let args = vec![Arg::Value(v), Arg::Float(p), dims, Arg::Bool(true)];
    let norms = cx.call("aten.linalg_vector_norm.default", args)?;
    let last = cx.int_arg(-1);
    cx.call("aten.squeeze.dim", vec![Arg::Value(norms), last])
}

pub fn norm_except_dim(cx: &mut Decompose<'_>) -> Results {
    let v = cx.value("v")?;
    let p = cx.known_int("pow")? as f64;
    Ok(vec![norm_except(cx, v, p)?])
}

/// `v` with its slices' norms replaced by `g`; the norms too, where they are asked for.
pub fn weight_norm(cx: &mut Decompose<'_>) -> Results {
    let (mut v, mut g) = (cx.value("v")?, cx.value("g")?);
    let both = cx.op.schema().returns.len() == 2;
    let (given, dtype) = (cx.shape(g), cx.dtype_of(v));
    let in_order = takes_slices_in_order(&cx.meta(v), cx.known_int("dim")?);
    if in_order {
        // One kernel in PyTorch, which rounds its results alone.
        (v, g) = (cx.compute(v)?, cx.compute(g)?);
    }
    let norm = norm_except(cx, v, 2.0)?;
    if in_order {
        let shape = cx.shape(norm);
        g = cx.reshape(g, &shape)?;
    }
    let factor = cx.div(g, norm)?;
    let scaled = cx.mul(v, factor)?;
    let mut results = vec![cx.cast(scaled, dtype)?];
    if both {
        results.push(cx.reshape(norm, &given)?);
    }
    Ok(results)
}

/// Outside of training, the slope of negative elements is the middle of its bounds.
pub fn rrelu(cx: &mut Decompose<'_>) -> Results {
    let (low, high) = (cx.float("lower").unwrap_or(0.125), cx.float("upper").unwrap_or(1.0 / 3.0));
    let x = cx.value("self")?;
    Ok(vec![cx.call("aten.leaky_relu.default", vec![Arg::Value(x), Arg::Float((low + high) / 2.0)])?])
}

/// `(clamp(round(x / scale) + zero_point) - zero_point) * scale`
pub fn fake_quantize(cx: &mut Decompose<'_>) -> Results {
    let dtype = cx.dtype_of(cx.value("self")?);
    let Quantized { number, scale, zero, low, high } = quantized(cx)?;
    let clamped =
        cx.call("aten.clamp.default", vec![Arg::Value(number), Arg::Float(low), Arg::Float(high)])?;
    let back = cx.sub(clamped, zero)?;
    let value = cx.mul(back, scale)?;
    Ok(vec![cx.cast(value, dtype)?])
}

/// Values as quantised numbers that have not been brought into their range yet.
pub struct Quantized {
    pub number: Value,
    pub scale: Value,
    pub zero: Value,
    pub low: f64,
    pub high: f64,
}

/// The quantised numbers of a `fake_quantize` node before they are clamped: `zero + round(x / scale)`, or `round(zero + x / scale)` where
/// zero points are floats.
pub fn quantized(cx: &mut Decompose<'_>) -> Result<Quantized, DecomposeError> {
    let x = cx.value("self")?;
    let (low, high) = (cx.known_int("quant_min")?, cx.known_int("quant_max")?);
    if low > high {
        return Err(cx.error(Status::InvalidArgument, "`quant_min` is above `quant_max`"));
    }
    let wide = cx.compute(x)?;
    let compute = cx.dtype_of(wide);
    let (scale, zero) = match cx.op.schema().arg("axis") {
        None => {
            let scale = cx.float("scale").ok_or_else(|| cx.unsupported("`scale` must be a known number"))?;
            let zero = cx.known_int("zero_point")? as f64;
            (cx.scalar(scale, compute)?, cx.scalar(zero, compute)?)
        }
        Some(_) => {
            let rank = cx.rank(x);
            let axis = cx.dim(cx.known_int("axis")?, rank)?;
            let one = cx.constant(1);
            let mut shape = vec![one; rank];
            shape[axis] = cx.shape(x)[axis];
            let (scale, zero) = (cx.value("scale")?, cx.value("zero_point")?);
            let (scale, zero) = (cx.reshape(scale, &shape)?, cx.reshape(zero, &shape)?);
            (cx.cast(scale, compute)?, cx.cast(zero, compute)?)
        }
    };
    let inverse = cx.unary("reciprocal", scale)?;
    let scaled = cx.mul(wide, inverse)?;
    // Zero points that are floats are added before rounding.
    let floats = cx.op.schema().arg("axis").is_some() && cx.dtype_of(cx.value("zero_point")?).is_float();
    let number = if floats {
        let moved = cx.add(scaled, zero)?;
        cx.unary("round", moved)?
    } else {
        let whole = cx.unary("round", scaled)?;
        cx.add(whole, zero)?
    };
    Ok(Quantized { number, scale, zero, low: low as f64, high: high as f64 })
}
