//! Fourier transforms by those of PyTorch's core, and transforms of short pieces of a signal.

use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::meta::rules::{Frames, Kind, frames_of, half, signal_of, transform_of};
use crate::meta::{Infer, MetaError};
use crate::ops::OpId;
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

/// How results are scaled, as PyTorch's core numbers it.
#[derive(Clone, Copy)]
enum Norm {
    None,
    ByRoot,
    ByCount,
}

fn norm_of(name: Option<&str>, forward: bool) -> Norm {
    match (name.unwrap_or("backward"), forward) {
        ("ortho", _) => Norm::ByRoot,
        ("backward", true) | ("forward", false) => Norm::None,
        _ => Norm::ByCount,
    }
}

fn ask<T>(
    cx: &Decompose<'_>,
    question: impl FnOnce(&mut Infer<'_>) -> Result<T, MetaError>,
) -> Result<T, DecomposeError> {
    question(&mut Infer { graph: cx.graph, op: cx.op, args: cx.args, guards: Vec::new() })
}

/// A transform without normalization, and a product that normalizes its result. A GPU's library does not normalize.
pub fn scaled_fourier(cx: &mut Decompose<'_>) -> Results {
    let by_root = cx.known_int("normalization")? == Norm::ByRoot as i64;
    let x = cx.value("self")?;
    let n = match cx.op {
        OpId::FourierBack => cx.int("size").ok_or_else(|| cx.unsupported("a size that is no number"))?,
        _ => cx.shape(x)[cx.known_int("dim")? as usize],
    };
    let mut args = cx.args.to_vec();
    if let Some(place) = cx.op.schema().arg("normalization") {
        args[place] = cx.int_arg(Norm::None as i64);
    }
    let result = cx.call(cx.op.name(), args)?;
    let scaled = match cx.syms().as_const(n) {
        Some(n) if by_root => cx.mul(result, 1.0 / (n as f64).sqrt())?,
        Some(n) => cx.mul(result, 1.0 / n as f64)?,
        None => {
            let dtype = vec![("dtype", Arg::Dtype(cx.dtype_of(result)))];
            let args = vec![cx.ints_arg(&[]), Arg::Int(n)];
            let count = cx.call_with("aten.full.default", args, dtype)?;
            let divisor = if by_root { cx.unary("sqrt", count)? } else { count };
            cx.div(result, divisor)?
        }
    };
    Ok(vec![scaled])
}

/// Cut, or filled up with zeros behind.
fn resized(cx: &mut Decompose<'_>, x: Value, dim: usize, size: SymInt) -> Built {
    let shape = cx.shape(x);
    let own = shape[dim];
    if own == size {
        return Ok(x);
    }
    let zero = cx.constant(0);
    let (least, missing) = (cx.syms().min(own, size), cx.syms().sub(size, own));
    let missing = cx.syms().max(missing, zero);
    let mut x = x;
    if least != own {
        let args = vec![Arg::Value(x), cx.int_arg(dim as i64), Arg::Int(zero), Arg::Int(least)];
        x = cx.call("aten.slice.Tensor", args)?;
    }
    if cx.syms().as_const(missing) == Some(0) {
        return Ok(x);
    }
    let mut pad = vec![zero; 2 * (shape.len() - dim)];
    if let Some(last) = pad.last_mut() {
        *last = missing;
    }
    cx.call("aten.constant_pad_nd.default", vec![Arg::Value(x), Arg::Ints(pad)])
}

/// In the dtype that it is transformed in: integers become float32.
fn promoted(cx: &mut Decompose<'_>, x: Value, complex: bool) -> Built {
    let own = cx.dtype_of(x);
    let wide = if own.is_integral() { Dtype::Float32 } else { own };
    cx.cast(x, if complex { wide.complex() } else { wide })
}

fn dims_arg(cx: &Decompose<'_>, dims: &[usize]) -> Arg {
    cx.ints_arg(&dims.iter().map(|d| *d as i64).collect::<Vec<_>>())
}

fn c2c(cx: &mut Decompose<'_>, x: Value, dims: &[usize], norm: Norm, forward: bool) -> Built {
    if dims.is_empty() {
        return Ok(x);
    }
    let args = vec![Arg::Value(x), dims_arg(cx, dims), cx.int_arg(norm as i64), Arg::Bool(forward)];
    cx.call("aten._fft_c2c.default", args)
}

/// The transform of real numbers, one-sided or whole.
fn r2c(cx: &mut Decompose<'_>, x: Value, dims: &[usize], norm: Norm, onesided: bool) -> Built {
    let args = vec![Arg::Value(x), dims_arg(cx, dims), cx.int_arg(norm as i64), Arg::Bool(onesided)];
    cx.call("aten._fft_r2c.default", args)
}

/// `fft_…` over one dimension and over more.
pub fn fft(cx: &mut Decompose<'_>) -> Results {
    let transform = transform_of(cx.op);
    let signal = ask(cx, signal_of)?;
    let forward = transform.forward;
    let norm = norm_of(cx.string("norm"), forward);
    let x = cx.value("self")?;
    let mut x = promoted(cx, x, transform.kind == Kind::FromHalf || signal.dims.is_empty())?;
    let last = signal.dims.last().copied();
    for (dim, size) in signal.dims.iter().zip(&signal.sizes) {
        let from_half = transform.kind == Kind::FromHalf && Some(*dim) == last;
        let size = if from_half { half(cx.syms(), *size) } else { *size };
        x = resized(cx, x, *dim, size)?;
    }
    let (Some(last), Some(size)) = (last, signal.sizes.last().copied()) else { return Ok(vec![x]) };
    let others = &signal.dims[..signal.dims.len() - 1];
    Ok(vec![match transform.kind {
        Kind::Complex if cx.dtype_of(x).is_complex() => c2c(cx, x, &signal.dims, norm, forward)?,
        Kind::Complex => {
            // Backwards, real numbers have the conjugate spectrum.
            let spectrum = r2c(cx, x, &signal.dims, norm, false)?;
            if forward { spectrum } else { cx.unary("conj_physical", spectrum)? }
        }
        Kind::ToHalf if forward => r2c(cx, x, &signal.dims, norm, true)?,
        Kind::ToHalf => {
            let half = r2c(cx, x, &[last], norm, true)?;
            let turned = cx.unary("conj_physical", half)?;
            c2c(cx, turned, others, norm, false)?
        }
        Kind::FromHalf => {
            if forward {
                // The transform of a Hermitian signal: the backward one of the conjugate.
                x = c2c(cx, x, others, norm, true)?;
                x = cx.unary("conj_physical", x)?;
            }
            let dims = if forward { vec![last] } else { signal.dims.clone() };
            let args = vec![Arg::Value(x), dims_arg(cx, &dims), cx.int_arg(norm as i64), Arg::Int(size)];
            cx.call("aten._fft_c2r.default", args)?
        }
    }])
}

/// `0, 1, …` divided by `n * d`; of `fft_fftfreq` the second half counts up to -1.
fn frequencies(cx: &mut Decompose<'_>, negative: bool) -> Results {
    let n = cx.known_int("n")?;
    let dtype = cx.dtype("dtype").unwrap_or(Dtype::Float32);
    let range = |cx: &mut Decompose<'_>, from: i64, to: i64| {
        let args = vec![cx.int_arg(from), cx.int_arg(to)];
        cx.call_with("aten.arange.start", args, vec![("dtype", Arg::Dtype(dtype))])
    };
    let mut places = range(cx, 0, if negative { n - n / 2 } else { n / 2 + 1 })?;
    if negative {
        let below = range(cx, -(n / 2), 0)?;
        places = cx.cat(vec![places, below], 0)?;
    }
    let spacing = cx.float("d").unwrap_or(1.0);
    Ok(vec![cx.mul(places, 1.0 / (n as f64 * spacing))?])
}

pub fn fftfreq(cx: &mut Decompose<'_>) -> Results {
    frequencies(cx, true)
}

pub fn rfftfreq(cx: &mut Decompose<'_>) -> Results {
    frequencies(cx, false)
}

/// The window in the middle of a frame, zeros around it. `None`: there is none, and each sample counts alike.
fn window(cx: &mut Decompose<'_>, frames: &Frames) -> Result<Option<Value>, DecomposeError> {
    let window = match cx.optional_value("window") {
        Some(window) => window,
        None if frames.window == frames.size => return Ok(None),
        None => ones(cx, frames.window, frames.real)?,
    };
    if frames.window == frames.size {
        return Ok(Some(window));
    }
    let left = (frames.size - frames.window) / 2;
    let pad = cx.ints_arg(&[left, frames.size - frames.window - left]);
    cx.call("aten.constant_pad_nd.default", vec![Arg::Value(window), pad]).map(Some)
}

fn ones(cx: &mut Decompose<'_>, count: i64, dtype: Dtype) -> Built {
    let shape = cx.ints_arg(&[count]);
    cx.call_with("aten.ones.default", vec![shape], vec![("dtype", Arg::Dtype(dtype))])
}

pub fn stft(cx: &mut Decompose<'_>) -> Results {
    let frames = ask(cx, |i| frames_of(i))?;
    let mut x = cx.value("self")?;
    let single = cx.rank(x) == 1;
    if single {
        x = cx.unsqueeze(x, 0)?;
    }
    let centered = cx.op.schema().arg("center").is_some() && cx.bool("center");
    if centered {
        let side = frames.size / 2;
        let mode = cx.string("pad_mode").unwrap_or("reflect").to_string();
        // Reflection goes over the last of three dimensions.
        x = cx.unsqueeze(x, 0)?;
        let pad = cx.ints_arg(&[side, side]);
        x = cx.call("aten.pad.default", vec![Arg::Value(x), pad, Arg::Str(mode)])?;
        x = cx.squeeze(x, 0)?;
    } else if cx.bool("align_to_window") {
        // The first frame's window begins at the first sample.
        let missing = frames.size - frames.window;
        let pad = cx.ints_arg(&[missing / 2, missing - missing / 2]);
        x = cx.call("aten.constant_pad_nd.default", vec![Arg::Value(x), pad])?;
    }
    let args = vec![Arg::Value(x), cx.int_arg(-1), cx.int_arg(frames.size), cx.int_arg(frames.hop)];
    let mut pieces = cx.call("aten.unfold.default", args)?;
    if let Some(window) = window(cx, &frames)? {
        pieces = cx.mul(pieces, window)?;
    }
    let onesided = if *cx.arg("onesided") == Arg::None { !frames.complex } else { cx.bool("onesided") };
    let norm = if cx.bool("normalized") { Norm::ByRoot } else { Norm::None };
    let spectrum = match frames.complex {
        true => c2c(cx, pieces, &[2], norm, true)?,
        false => r2c(cx, pieces, &[2], norm, onesided)?,
    };
    let mut result = cx.transpose(spectrum, 1, 2)?;
    if single {
        result = cx.squeeze(result, 0)?;
    }
    if *cx.arg("return_complex") == Arg::None || cx.bool("return_complex") {
        return Ok(vec![result]);
    }
    Ok(vec![cx.call("aten.view_as_real.default", vec![Arg::Value(result)])?])
}

/// Frames `[batch, frames, size]` added where they overlap.
fn overlapped(cx: &mut Decompose<'_>, pieces: Value, total: SymInt, frames: &Frames) -> Built {
    let sizes = Arg::Ints(vec![cx.shape(pieces)[0], total]);
    let args =
        vec![Arg::Value(pieces), sizes, cx.int_arg(1), cx.int_arg(frames.size), cx.int_arg(frames.hop)];
    cx.call("aten.unfold_backward.default", args)
}

pub fn istft(cx: &mut Decompose<'_>) -> Results {
    let frames = ask(cx, |i| frames_of(i))?;
    let mut x = cx.value("self")?;
    let single = cx.rank(x) == 2;
    if single {
        x = cx.unsqueeze(x, 0)?;
    }
    let count = cx.shape(x)[2];
    let x = cx.transpose(x, 1, 2)?;
    let norm = if cx.bool("normalized") { Norm::ByRoot } else { Norm::ByCount };
    let mut pieces = if frames.complex {
        c2c(cx, x, &[2], norm, false)?
    } else {
        // Of a whole spectrum half is read.
        let size = cx.int_arg(frames.size);
        let args = vec![Arg::Value(x), dims_arg(cx, &[2]), cx.int_arg(norm as i64), size];
        cx.call("aten._fft_c2r.default", args)?
    };
    let window = match window(cx, &frames)? {
        Some(window) => window,
        None => ones(cx, frames.size, frames.real)?,
    };
    pieces = cx.mul(pieces, window)?;
    let total = cx.syms().mul_const(cx.syms().add_const(count, -1), frames.hop);
    let total = cx.syms().add_const(total, frames.size);
    let signal = overlapped(cx, pieces, total, &frames)?;
    let square = cx.mul(window, window)?;
    let (one, size) = (cx.constant(1), cx.constant(frames.size));
    let all = cx.call("aten.expand.default", vec![Arg::Value(square), Arg::Ints(vec![one, count, size])])?;
    let weight = overlapped(cx, all, total, &frames)?;
    let start = if cx.bool("center") { frames.size / 2 } else { 0 };
    let end = match cx.int("length") {
        Some(length) => cx.syms().add_const(length, start),
        None if cx.bool("center") => cx.syms().add_const(total, -(frames.size / 2)),
        None => total,
    };
    let least = cx.syms().min(end, total);
    let part = |cx: &mut Decompose<'_>, value: Value| -> Built {
        let (dim, from) = (cx.int_arg(1), cx.int_arg(start));
        cx.call("aten.slice.Tensor", vec![Arg::Value(value), dim, from, Arg::Int(least)])
    };
    let (signal, weight) = (part(cx, signal)?, part(cx, weight)?);
    let size = cx.unary("abs", weight)?;
    let least_weight = cx.call("aten.min.default", vec![Arg::Value(size)])?;
    let enough = cx.compare("ge", least_weight, 1e-11)?;
    let message = "istft: the windows of all frames must cover every sample".to_string();
    cx.call_all("aten._assert_async.msg", vec![Arg::Value(enough), Arg::Str(message)], Vec::new())?;
    let mut result = cx.div(signal, weight)?;
    let missing = cx.syms().sub(end, least);
    if cx.syms().as_const(missing) != Some(0) {
        let pad = Arg::Ints(vec![cx.constant(0), missing]);
        result = cx.call("aten.constant_pad_nd.default", vec![Arg::Value(result), pad])?;
    }
    Ok(vec![if single { cx.squeeze(result, 0)? } else { result }])
}
