//! Fourier transforms: shapes and dtypes. [`Transform`] reads an operator's name, for its decomposition too.

use super::contraction::made;
use super::spectral_layout as layout;
use crate::base::Status;
use crate::meta::{Infer, MetaError, elementwise_strides};
use crate::ops::OpId;
use crate::types::{Dtype, SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// The transform that an operator's name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transform {
    /// Complex to complex, real to half of the spectrum, or half of the spectrum to real.
    pub kind: Kind,
    /// With `exp(-2 pi i j k / n)`.
    pub forward: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Complex,
    ToHalf,
    FromHalf,
}

/// The transform of `aten.fft_…`.
pub fn transform_of(op: OpId) -> Transform {
    let name = op.name().trim_start_matches("aten.fft_");
    let name = name.split('.').next().unwrap_or(name).trim_end_matches(['2', 'n']);
    let (kind, forward) = match name {
        "fft" => (Kind::Complex, true),
        "ifft" => (Kind::Complex, false),
        "rfft" => (Kind::ToHalf, true),
        "irfft" => (Kind::FromHalf, false),
        "hfft" => (Kind::FromHalf, true),
        _ => (Kind::ToHalf, false),
    };
    Transform { kind, forward }
}

/// The dtype of real numbers that a transform is computed in.
pub fn real_of(cx: &Infer<'_>, dtype: Dtype) -> Result<Dtype, MetaError> {
    match dtype.part() {
        d if d.is_integral() => Ok(Dtype::Float32),
        d @ (Dtype::Float32 | Dtype::Float64) => Ok(d),
        d => Err(cx.error(Status::Unsupported, format!("Fourier transforms of {d}"))),
    }
}

/// How many numbers half of a spectrum has.
pub fn half(syms: &crate::types::SymArena, n: SymInt) -> SymInt {
    syms.add_const(syms.floordiv(n, syms.constant(2)), 1)
}

/// The shape of a tensor of pairs in the last dimension, and the dimension that is transformed.
fn pairs(cx: &Infer<'_>) -> Result<(Dtype, Vec<SymInt>, usize), MetaError> {
    let meta = cx.meta("self")?;
    real_of(cx, meta.dtype)?;
    if meta.rank() < 2 || cx.syms().as_const(meta.shape[meta.rank() - 1]) != Some(2) {
        return Err(cx.shape_error("the last dimension must hold pairs"));
    }
    let dim = place(cx, meta.rank() - 1)?;
    Ok((meta.dtype, meta.shape.clone(), dim))
}

/// The dimension that one of Litz's own transforms names; these count from the start alone.
fn place(cx: &Infer<'_>, rank: usize) -> Result<usize, MetaError> {
    let (dim, norm) = (cx.known_int("dim")?, cx.known_int("normalization")?);
    if !(0..=2).contains(&norm) {
        return Err(cx.error(Status::InvalidArgument, format!("`normalization` is {norm}, not 0, 1 or 2")));
    }
    match usize::try_from(dim) {
        Ok(dim) if dim < rank => Ok(dim),
        _ => Err(cx.shape_error(format!("dimension {dim} is not among {rank} dimensions from 0 on"))),
    }
}

/// One dimension of pairs transformed.
pub fn fourier(cx: &mut Infer<'_>) -> Metas {
    let (dtype, shape, _) = pairs(cx)?;
    Ok(vec![made(cx, dtype, shape)])
}

/// Half of the spectrum of real numbers, as pairs.
pub fn fourier_real(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    real_of(cx, meta.dtype)?;
    let (mut shape, dim) = (meta.shape.clone(), place(cx, meta.rank())?);
    shape[dim] = half(cx.syms(), shape[dim]);
    shape.push(cx.syms().constant(2));
    Ok(vec![made(cx, meta.dtype, shape)])
}

/// `size` real numbers from half of their spectrum.
pub fn fourier_back(cx: &mut Infer<'_>) -> Metas {
    let (dtype, mut shape, dim) = pairs(cx)?;
    let size = cx.int("size")?;
    let syms = cx.syms();
    cx.require(syms.eq(shape[dim], half(syms, size)), "half of a spectrum has another size")?;
    shape.pop();
    shape[dim] = size;
    Ok(vec![made(cx, dtype, shape)])
}

/// `fft_fftfreq` and `fft_rfftfreq`.
pub fn frequencies(cx: &mut Infer<'_>) -> Metas {
    let n = cx.int("n")?;
    let dtype = cx.dtype("dtype").unwrap_or(Dtype::Float32);
    if !dtype.is_float() || dtype.is_float8() {
        return Err(cx.error(Status::Unsupported, format!("frequencies of dtype {dtype}")));
    }
    let syms = cx.syms();
    cx.require(syms.le(syms.constant(0), n), "`n` must not be negative")?;
    let size = if cx.op == OpId::FftRfftfreq { half(syms, n) } else { n };
    Ok(vec![made(cx, dtype, vec![size])])
}

/// Distinct dimensions, counted from the start.
fn distinct(cx: &Infer<'_>, given: &[i64], rank: usize) -> Result<Vec<usize>, MetaError> {
    let mut dims = Vec::new();
    for d in given {
        if rank == 0 {
            return Err(cx.shape_error("a 0-d tensor has no dimension to transform"));
        }
        let dim = cx.dim(*d, rank)?;
        if dims.contains(&dim) {
            return Err(cx.error(Status::InvalidArgument, "a dimension is transformed twice"));
        }
        dims.push(dim);
    }
    Ok(dims)
}

pub fn fft_c2c(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    if !meta.dtype.is_complex() {
        return Err(cx.error(Status::Dtype, format!("takes complex numbers, not {}", meta.dtype)));
    }
    let dims = distinct(cx, &cx.known_ints("dim")?, meta.rank())?;
    Ok(vec![layout::c2c(cx.syms(), meta, &dims)])
}

pub fn fft_r2c(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    if !meta.dtype.is_float() {
        return Err(cx.error(Status::Dtype, format!("takes floats, not {}", meta.dtype)));
    }
    real_of(cx, meta.dtype)?;
    let given = cx.known_ints("dim")?;
    // PyTorch wraps none either: its `fft.*` have done so before.
    if let Some(dim) = given.iter().find(|d| **d < 0) {
        let message = format!("takes dimensions counted from the front, not {dim}");
        return Err(cx.error(Status::InvalidArgument, message));
    }
    let dims = distinct(cx, &given, meta.rank())?;
    let mut shape = meta.shape.clone();
    if let Some(last) = dims.last() {
        let some = cx.syms().le(cx.syms().constant(1), shape[*last]);
        cx.require(some, format!("dimension {last} has no elements to transform"))?;
    }
    if let (true, Some(last)) = (cx.bool("onesided"), dims.last()) {
        shape[*last] = half(cx.syms(), shape[*last]);
    }
    Ok(vec![layout::r2c(cx.syms(), meta, shape, &dims)])
}

pub fn fft_c2r(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("self")?;
    if !meta.dtype.is_complex() {
        return Err(cx.error(Status::Dtype, format!("takes complex numbers, not {}", meta.dtype)));
    }
    let dims = distinct(cx, &cx.known_ints("dim")?, meta.rank())?;
    let Some(last) = dims.last() else {
        return Err(cx.error(Status::InvalidArgument, "no dimension is named"));
    };
    let mut shape = meta.shape.clone();
    let size = cx.int("last_dim_size")?;
    let syms = cx.syms();
    cx.require(syms.le(syms.constant(1), size), "`last_dim_size` must be at least 1")?;
    let enough = syms.le(half(syms, size), shape[*last]);
    cx.require(enough, "there are fewer numbers than half of the spectrum has")?;
    shape[*last] = size;
    Ok(vec![layout::c2r(cx.syms(), meta, shape, &dims)])
}

/// The dimensions that are transformed, and the sizes that signals are cut or filled up to (of half a spectrum: those of the real numbers).
pub struct Signal {
    pub dims: Vec<usize>,
    pub sizes: Vec<SymInt>,
}

pub fn signal_of(cx: &mut Infer<'_>) -> Result<Signal, MetaError> {
    let (meta, transform) = (cx.meta("self")?, transform_of(cx.op));
    let one = cx.op.schema().arg("n").is_some();
    let (given, sizes): (Vec<i64>, Vec<Option<SymInt>>) = if one {
        (vec![cx.known_int("dim")?], vec![cx.optional_int("n")])
    } else {
        let s = cx.optional_ints("s").map(<[SymInt]>::to_vec);
        let dims = match (cx.optional_ints("dim"), &s) {
            (Some(_), _) => cx.known_ints("dim")?,
            (None, Some(s)) if s.len() > meta.rank() => {
                return Err(cx.shape_error("more sizes than dimensions are given"));
            }
            (None, Some(s)) => (0..s.len()).map(|k| (meta.rank() - s.len() + k) as i64).collect(),
            (None, None) => (0..meta.rank() as i64).collect(),
        };
        let sizes = match s {
            Some(s) if s.len() != dims.len() => {
                return Err(cx.error(Status::InvalidArgument, "as many sizes as dimensions are needed"));
            }
            Some(s) => s.into_iter().map(|v| (cx.syms().as_const(v) != Some(-1)).then_some(v)).collect(),
            None => vec![None; dims.len()],
        };
        (dims, sizes)
    };
    let dims = distinct(cx, &given, meta.rank())?;
    if dims.is_empty() && transform.kind != Kind::Complex {
        return Err(cx.error(Status::InvalidArgument, "at least one dimension must be transformed"));
    }
    let syms = cx.syms();
    let mut all = Vec::new();
    for (k, (dim, size)) in dims.iter().zip(sizes).enumerate() {
        let own = meta.shape[*dim];
        let last = k + 1 == dims.len() && transform.kind == Kind::FromHalf;
        let default = if last { syms.mul_const(syms.add_const(own, -1), 2) } else { own };
        let size = size.unwrap_or(default);
        let message = format!("{} points are not transformed", syms.display(size));
        cx.require(syms.le(syms.constant(1), size), message)?;
        all.push(size);
    }
    Ok(Signal { dims, sizes: all })
}

/// `fft_…` over one dimension and over more.
pub fn fft(cx: &mut Infer<'_>) -> Metas {
    let (meta, transform) = (cx.meta("self")?.clone(), transform_of(cx.op));
    if transform.kind == Kind::ToHalf && meta.dtype.is_complex() {
        return Err(cx.error(Status::Dtype, "takes real numbers"));
    }
    if let Some(norm) = cx.string("norm")
        && !["backward", "ortho", "forward"].contains(&norm)
    {
        let message = format!("`norm` {norm:?} is not backward, ortho or forward");
        return Err(cx.error(Status::InvalidArgument, message));
    }
    let real = real_of(cx, meta.dtype)?;
    let signal = signal_of(cx)?;
    let mut shape = meta.shape.clone();
    for (dim, size) in signal.dims.iter().zip(&signal.sizes) {
        shape[*dim] = *size;
    }
    if let (Kind::ToHalf, Some(last)) = (transform.kind, signal.dims.last()) {
        shape[*last] = half(cx.syms(), shape[*last]);
    }
    Ok(vec![layout::of_signal(cx, &meta, (transform, &signal), (real, shape))])
}

/// The numbers of a short-time transform, with their defaults, and the dtype of its real numbers.
pub struct Frames {
    pub size: i64,
    pub hop: i64,
    pub window: i64,
    pub real: Dtype,
    /// Whether the samples are complex.
    pub complex: bool,
}

pub fn frames_of(cx: &Infer<'_>) -> Result<Frames, MetaError> {
    let size = cx.known_int("n_fft")?;
    let given = |name: &str, other: i64| match cx.optional_int(name) {
        Some(_) => cx.known_int(name),
        None => Ok(other),
    };
    let (hop, length) = (given("hop_length", size / 4)?, given("win_length", size)?);
    if size < 1 || hop < 1 || length < 1 || length > size {
        let message = "`n_fft` and `hop_length` must be at least 1, and `win_length` from 1 to `n_fft`";
        return Err(cx.error(Status::InvalidArgument, message));
    }
    let own = cx.meta("self")?.dtype;
    let mut frames = Frames { size, hop, window: length, real: real_of(cx, own)?, complex: false };
    let given = cx.optional_meta("window");
    frames.complex = given.is_some_and(|w| w.dtype.is_complex())
        || if cx.op == OpId::Istft { cx.bool("return_complex") } else { own.is_complex() };
    if let Some(window) = given {
        if window.rank() != 1 || cx.syms().as_const(window.shape[0]) != Some(length) {
            return Err(cx.shape_error("`window` must have `win_length` elements"));
        }
        // Of float64 and float32 the wider one.
        if !window.dtype.is_integral() && real_of(cx, window.dtype)? == Dtype::Float64 {
            frames.real = Dtype::Float64;
        }
    }
    Ok(frames)
}

/// `[.., frequencies, frames]`, as complex numbers or as pairs.
pub fn stft(cx: &mut Infer<'_>) -> Metas {
    let (meta, frames) = (cx.meta("self")?.clone(), frames_of(cx)?);
    if meta.dtype.is_integral() || !(1..=2).contains(&meta.rank()) {
        let message = "takes one or two dimensions of floats or complex numbers";
        return Err(cx.error(Status::InvalidArgument, message));
    }
    let is_given = |name: &str| *cx.arg(name) != crate::ir::Arg::None;
    let centered = cx.op.schema().arg("center").is_some() && cx.bool("center");
    if centered && is_given("align_to_window") {
        let message = "`align_to_window` is for transforms that are not centered";
        return Err(cx.error(Status::InvalidArgument, message));
    }
    if !is_given("return_complex") && !frames.complex {
        return Err(cx.error(Status::InvalidArgument, "`return_complex` must be given for real samples"));
    }
    let onesided = if is_given("onesided") { cx.bool("onesided") } else { !frames.complex };
    if frames.complex && onesided {
        return Err(cx.error(Status::InvalidArgument, "complex samples have no half of a spectrum"));
    }
    let joined = is_given("return_complex") && !cx.bool("return_complex");
    let aligned = cx.bool("align_to_window");
    let syms = cx.syms();
    let mut length = meta.shape[meta.rank() - 1];
    if centered {
        length = syms.add_const(length, 2 * (frames.size / 2));
    } else if aligned {
        length = syms.add_const(length, frames.size - frames.window);
    }
    let size = syms.constant(frames.size);
    cx.require(syms.le(size, length), "there are fewer samples than a frame has")?;
    let count = syms.floordiv(syms.sub(length, size), syms.constant(frames.hop));
    let count = syms.add_const(count, 1);
    let frequencies = if onesided { frames.size / 2 + 1 } else { frames.size };
    let mut shape = meta.shape[..meta.rank() - 1].to_vec();
    shape.extend([syms.constant(frequencies), count]);
    let mut result = framed(cx, &meta, &frames, (length, count), shape, centered || aligned);
    if joined {
        result.strides.iter_mut().for_each(|stride| *stride = syms.mul_const(*stride, 2));
        result.shape.push(syms.constant(2));
        result.strides.push(syms.constant(1));
        result.dtype = frames.real;
    }
    Ok(vec![result])
}

/// The spectrum of frames that are a view of the samples, or of padded ones, times a window where there is one. `shape` is
/// `[.., frequencies, frames]`; the transform is made of `[.., frames, samples]`.
fn framed(
    cx: &Infer<'_>,
    samples: &TensorMeta,
    frames: &Frames,
    (length, count): (SymInt, SymInt),
    shape: Vec<SymInt>,
    padded: bool,
) -> TensorMeta {
    let syms = cx.syms();
    let mut source = samples.clone();
    if padded {
        let batch = samples.shape[..samples.rank() - 1].iter().copied().chain([length]).collect();
        source = TensorMeta::contiguous(syms, samples.dtype, batch);
    }
    let last = source.rank() - 1;
    let step = source.strides[last];
    source.shape[last] = count;
    source.strides[last] = syms.mul_const(step, frames.hop);
    source.shape.push(syms.constant(frames.size));
    source.strides.push(step);
    if cx.optional_meta("window").is_some() || frames.window < frames.size {
        source.strides = elementwise_strides(syms, &source.shape, &[&source]);
    }
    let mut turned = shape;
    turned.swap(last, last + 1);
    let mut result = match frames.complex {
        true => layout::c2c(syms, &source, &[last + 1]),
        false => layout::r2c(syms, &source, turned, &[last + 1]),
    };
    result.dtype = frames.real.complex();
    result.shape.swap(last, last + 1);
    result.strides.swap(last, last + 1);
    result
}

/// The samples of `[.., frequencies, frames]`.
pub fn istft(cx: &mut Infer<'_>) -> Metas {
    let (meta, frames) = (cx.meta("self")?.clone(), frames_of(cx)?);
    let rank = meta.rank();
    if !meta.dtype.is_complex() || !(2..=3).contains(&rank) {
        return Err(cx.error(Status::InvalidArgument, "takes two or three dimensions of complex numbers"));
    }
    if frames.hop > frames.window {
        return Err(cx.error(Status::InvalidArgument, "`hop_length` must be at most `win_length`"));
    }
    let onesided = is_onesided(cx, frames.size)?;
    if frames.complex && !cx.bool("return_complex") {
        return Err(cx.error(Status::InvalidArgument, "a complex window gives complex samples"));
    }
    if frames.complex && onesided {
        return Err(cx.error(Status::InvalidArgument, "half of a spectrum gives real samples"));
    }
    let syms = cx.syms();
    let frequencies = syms.constant(if onesided { frames.size / 2 + 1 } else { frames.size });
    cx.require(syms.eq(meta.shape[rank - 2], frequencies), "there is another number of frequencies")?;
    cx.require(syms.le(syms.constant(1), meta.shape[rank - 1]), "there are no frames")?;
    let all = syms.mul_const(syms.add_const(meta.shape[rank - 1], -1), frames.hop);
    let all = syms.add_const(all, frames.size);
    let length = match cx.optional_int("length") {
        Some(length) => length,
        None if cx.bool("center") => syms.add_const(all, -2 * (frames.size / 2)),
        None => all,
    };
    cx.require(syms.le(syms.constant(1), length), "there are no samples")?;
    let mut shape = meta.shape[..rank - 2].to_vec();
    shape.push(length);
    Ok(vec![made(cx, if frames.complex { frames.real.complex() } else { frames.real }, shape)])
}

/// Whether half of the spectrum is given: where it is not said, by its size.
pub fn is_onesided(cx: &Infer<'_>, size: i64) -> Result<bool, MetaError> {
    if *cx.arg("onesided") != crate::ir::Arg::None {
        return Ok(cx.bool("onesided"));
    }
    let meta = cx.meta("self")?;
    Ok(meta.rank() < 2 || cx.syms().as_const(meta.shape[meta.rank() - 2]) != Some(size))
}
