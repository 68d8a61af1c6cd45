//! How PyTorch lays out results of Fourier transforms on a CPU, where MKL computes them: dimensions that are transformed lie inside,
//! the last one innermost, and the others outside, in the order in which they lie in the input.

use super::rearrange::suggested;
use super::spectral::{Kind, Signal, Transform};
use crate::meta::{Infer, dense_strides};
use crate::types::{Dtype, SymArena, SymInt, TensorMeta, preserved_strides};

/// The result of one transform of `input` over `dims`, which lie in this order in it.
fn transformed(
    syms: &SymArena,
    input: &TensorMeta,
    (dtype, shape): (Dtype, Vec<SymInt>),
    dims: &[usize],
) -> TensorMeta {
    // Those that are transformed change places with the last of the others, which matters where strides are equal.
    let mut order: Vec<usize> = (0..shape.len()).collect();
    let (mut first, mut end) = (0, order.len());
    loop {
        while first < end && !dims.contains(&order[first]) {
            first += 1;
        }
        while first < end && dims.contains(&order[end - 1]) {
            end -= 1;
        }
        if first >= end {
            break;
        }
        order.swap(first, end - 1);
        (first, end) = (first + 1, end - 1);
    }
    order.truncate(first);
    sort(syms, input, &mut order);
    order.extend(dims);
    order.reverse();
    let strides = dense_strides(syms, &shape, &order);
    TensorMeta { strides, ..TensorMeta::contiguous(syms, dtype, shape) }
}

/// Dimensions by the input's strides, the largest first; those that are equal, or that symbols leave open, stay in their order.
fn sort(syms: &SymArena, input: &TensorMeta, dims: &mut [usize]) {
    let strides = &input.strides;
    for end in 1..dims.len() {
        let mut k = end;
        while k > 0
            && syms.known_le(strides[dims[k - 1]], strides[dims[k]])
            && !syms.known_le(strides[dims[k]], strides[dims[k - 1]])
        {
            dims.swap(k - 1, k);
            k -= 1;
        }
    }
}

/// Complex numbers to complex numbers.
pub(super) fn c2c(syms: &SymArena, input: &TensorMeta, dims: &[usize]) -> TensorMeta {
    let mut sorted = dims.to_vec();
    sort(syms, input, &mut sorted);
    let shape = input.shape.clone();
    if dims.is_empty() {
        let strides = preserved_strides(syms, &shape, &input.strides);
        return TensorMeta { strides, ..TensorMeta::contiguous(syms, input.dtype, shape) };
    }
    transformed(syms, input, (input.dtype, shape), &sorted)
}

/// Real numbers to complex ones, of which the last dimension may have half.
pub(super) fn r2c(syms: &SymArena, input: &TensorMeta, shape: Vec<SymInt>, dims: &[usize]) -> TensorMeta {
    let mut sorted = dims.to_vec();
    if let Some((_, others)) = sorted.split_last_mut() {
        sort(syms, input, others);
    }
    transformed(syms, input, (input.dtype.complex(), shape), &sorted)
}

/// Half of a spectrum to real numbers: the last dimension of all is transformed last.
pub(super) fn c2r(syms: &SymArena, input: &TensorMeta, shape: Vec<SymInt>, dims: &[usize]) -> TensorMeta {
    let (last, others) =
        dims.split_last().map_or((&[][..], dims), |(last, others)| (std::slice::from_ref(last), others));
    let between = if others.is_empty() { input.clone() } else { c2c(syms, input, others) };
    transformed(syms, &between, (input.dtype.part(), shape), last)
}

/// The result of `fft_…`, of this shape.
pub(super) fn of_signal(
    cx: &Infer<'_>,
    input: &TensorMeta,
    (transform, signal): (Transform, &Signal),
    (real, shape): (Dtype, Vec<SymInt>),
) -> TensorMeta {
    let syms = cx.syms();
    let one = cx.op.schema().arg("n").is_some();
    // Real numbers of one dimension stay real until they are transformed.
    let complex = match transform.kind {
        Kind::Complex => input.dtype.is_complex() || !one,
        Kind::ToHalf => false,
        Kind::FromHalf => true,
    };
    let dtype = if complex { real.complex() } else { real };
    let mut x = TensorMeta { dtype, ..input.clone() };
    if dtype != input.dtype {
        x.strides = preserved_strides(syms, &x.shape, &x.strides);
    }
    let (last, others) = match signal.dims.split_last() {
        Some((last, others)) => (*last, others),
        None => return c2c(syms, &x, &[]),
    };
    let mut padded = false;
    for (dim, size) in signal.dims.iter().zip(&signal.sizes) {
        let half = transform.kind == Kind::FromHalf && *dim == last;
        let size = if half { super::spectral::half(syms, *size) } else { *size };
        padded = padded || !syms.known_le(size, x.shape[*dim]);
        x.shape[*dim] = size;
    }
    if padded {
        x = suggested(cx, &TensorMeta { shape: input.shape.clone(), ..x.clone() }, dtype, x.shape);
    }
    match transform.kind {
        Kind::Complex if complex => c2c(syms, &x, &signal.dims),
        Kind::Complex => r2c(syms, &x, shape, &signal.dims),
        Kind::ToHalf if transform.forward => r2c(syms, &x, shape, &signal.dims),
        Kind::ToHalf => {
            let between = r2c(syms, &x, shape, &[last]);
            if others.is_empty() { between } else { c2c(syms, &between, others) }
        }
        Kind::FromHalf => c2r(syms, &x, shape, &signal.dims),
    }
}
