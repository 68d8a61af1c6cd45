//! Reading the caller's tensors: specs and borrowed DLPack tensors.

use super::guard::{self, Failure, Outcome, invalid};
use super::handles::GraphState;
use super::types::{DLTensor, litz_tensor_spec};
use crate::base::{Status, offsets};
use crate::types::dlpack::{DLDataType, DLDevice};
use crate::types::{Dtype, SymInt, TensorMeta, contiguous_strides};

/// As many dimensions as PyTorch's tensors may have.
pub(super) const MAX_RANK: i32 = 64;

pub(super) fn dtype(given: DLDataType, what: &str) -> Outcome<Dtype> {
    given.dtype().ok_or_else(|| {
        let DLDataType { code, bits, lanes } = given;
        let message =
            format!("`{what}` has no dtype that Litz knows: DLPack code {code}, bits {bits}, lanes {lanes}");
        Failure::new(Status::Dtype, message)
    })
}

/// The dtype of a `LITZ_DTYPE_…`.
pub(super) fn dtype_number(number: i64, what: &str) -> Outcome<Dtype> {
    Dtype::from_number(number)
        .ok_or_else(|| Failure::new(Status::Dtype, format!("`{what}` is {number}, which is no LITZ_DTYPE_…")))
}

fn rank(ndim: i32, what: &str) -> Outcome<usize> {
    match ndim {
        0..=MAX_RANK => Ok(ndim as usize),
        _ => Err(Failure::new(
            Status::Shape,
            format!("`{what}` has ndim {ndim}; a tensor has 0 to {MAX_RANK} dimensions"),
        )),
    }
}

/// The inferred facts of an input that a spec describes.
///
/// # Safety
/// `spec` is NULL or a spec whose pointers are NULL or readable for its counts.
pub(super) unsafe fn read_spec(state: &GraphState, spec: *const litz_tensor_spec) -> Outcome<TensorMeta> {
    // SAFETY: as the caller vouches; the size is the first member.
    let spec = unsafe {
        let given = guard::item(spec, "spec")?;
        guard::struct_size(&raw const given.struct_size, size_of::<litz_tensor_spec>(), "spec")?;
        given
    };
    let dtype = dtype(spec.dtype, "spec.dtype")?;
    known_device(spec.device, "spec.device")?;
    let n = rank(spec.ndim, "spec")?;
    // SAFETY: as the caller vouches.
    let (shape, symbols, strides) = unsafe {
        (
            guard::list(spec.shape, n, "spec.shape")?,
            if spec.symbols.is_null() { None } else { Some(guard::list(spec.symbols, n, "spec.symbols")?) },
            if spec.strides.is_null() { None } else { Some(guard::list(spec.strides, n, "spec.strides")?) },
        )
    };
    let syms = &state.graph.syms;
    let mut sizes: Vec<SymInt> = Vec::with_capacity(n);
    for k in 0..n {
        let size = match symbols.map_or(0, |s| s[k]) {
            0 if shape[k] < 0 => {
                let message = format!("`spec.shape[{k}]` is {}; a size is not negative", shape[k]);
                return Err(Failure::new(Status::Shape, message));
            }
            0 => syms.constant(shape[k]),
            symbol => state.symbol(symbol).map_err(|f| f.within(&format!("`spec.symbols[{k}]`")))?,
        };
        sizes.push(size);
    }
    if let Some(known) = syms.as_consts(&sizes) {
        bytes_of(&known, dtype, "spec")?;
    }
    let strides = match strides {
        None => contiguous_strides(syms, &sizes),
        Some(list) => {
            if let Some(k) = list.iter().position(|s| *s < 0) {
                let message = format!("`spec.strides[{k}]` is {}; a stride is not negative", list[k]);
                return Err(Failure::new(Status::Shape, message));
            }
            list.iter().map(|s| syms.constant(*s)).collect()
        }
    };
    Ok(TensorMeta { dtype, shape: sizes, strides, offset: syms.constant(0) })
}

/// Whether it is the device of a GPU's own memory.
pub(super) fn is_gpus(device: DLDevice) -> bool {
    device.device_type == DLDevice::CUDA_TYPE
}

/// Devices that a graph may name; which one runs it is the backend's matter. All zero is "not said".
fn known_device(device: DLDevice, what: &str) -> Outcome {
    match device.device_type {
        0..=3 => Ok(()),
        other => Err(Failure::new(
            Status::Device,
            format!("`{what}` has device type {other}; Litz knows the CPU (1) and CUDA (2, 3)"),
        )),
    }
}

fn bytes_of(shape: &[i64], dtype: Dtype, what: &str) -> Outcome<usize> {
    let fits = if shape.contains(&0) {
        Some(0)
    } else {
        shape
            .iter()
            .try_fold(dtype.size() as i64, |a, b| a.checked_mul(*b))
            .filter(|b| *b <= isize::MAX as i64)
    };
    let bytes = fits.ok_or_else(|| {
        Failure::new(
            Status::Shape,
            format!("`{what}` of shape {shape:?} has more bytes than 63 bits can count"),
        )
    })?;
    Ok(bytes as usize)
}

/// A host tensor of the caller's.
pub(super) struct HostTensor<'a> {
    pub dtype: Dtype,
    pub shape: &'a [i64],
    strides: Option<&'a [i64]>,
    first: *const u8,
    pub bytes: usize,
}

/// Checks a borrowed tensor that must lie in host memory.
///
/// # Safety
/// `tensor` is NULL or a tensor whose shape and strides have `ndim` items.
pub(super) unsafe fn read_host<'a>(tensor: *const DLTensor, what: &str) -> Outcome<HostTensor<'a>> {
    // SAFETY: as the caller vouches.
    let given = unsafe { guard::item(tensor, what) }?;
    let dtype = dtype(given.dtype, what)?;
    let n = rank(given.ndim, what)?;
    if given.device.device_type != DLDevice::CPU.device_type {
        let message =
            format!("`{what}` is on device type {}; it must be in host memory", given.device.device_type);
        return Err(Failure::new(Status::Device, message));
    }
    // SAFETY: as the caller vouches.
    let (shape, strides) = unsafe {
        (
            guard::list(given.shape.cast_const(), n, &format!("{what}->shape"))?,
            if given.strides.is_null() {
                None
            } else {
                Some(guard::list(given.strides.cast_const(), n, &format!("{what}->strides"))?)
            },
        )
    };
    if let Some(k) = shape.iter().position(|s| *s < 0) {
        let message = format!("`{what}->shape[{k}]` is {}; a size is not negative", shape[k]);
        return Err(Failure::new(Status::Shape, message));
    }
    if let Some(k) = strides.and_then(|list| list.iter().position(|s| *s < 0)) {
        return Err(Failure::new(Status::Shape, format!("`{what}->strides[{k}]` is negative")));
    }
    let bytes = bytes_of(shape, dtype, what)?;
    if let Some(strides) = strides.filter(|_| bytes > 0) {
        let steps = shape
            .iter()
            .zip(strides)
            .try_fold(0i64, |last, (n, s)| (n - 1).checked_mul(*s)?.checked_add(last));
        if steps.and_then(|last| last.checked_mul(dtype.size() as i64)).is_none() {
            let message =
                format!("`{what}` has strides {strides:?}, which reach beyond what 63 bits can count");
            return Err(Failure::new(Status::Shape, message));
        }
    }
    if given.data.is_null() && bytes > 0 {
        return Err(invalid(format!("`{what}->data` is NULL")));
    }
    let first = given.data.cast::<u8>().cast_const().wrapping_add(given.byte_offset as usize);
    let strides = strides.filter(|s| !contiguous(shape, s));
    Ok(HostTensor { dtype, shape, strides, first, bytes })
}

fn contiguous(shape: &[i64], strides: &[i64]) -> bool {
    let mut want = 1i64;
    shape.contains(&0)
        || shape.iter().zip(strides).rev().all(|(size, stride)| {
            let fits = *size == 1 || *stride == want;
            want = want.saturating_mul(*size);
            fits
        })
}

impl HostTensor<'_> {
    pub fn is_contiguous(&self) -> bool {
        self.strides.is_none()
    }
    /// `None` where contiguous.
    pub fn strides(&self) -> Option<&[i64]> {
        self.strides
    }
    /// Where the contiguous bytes lie; dangling when there are none.
    pub fn start(&self) -> *const u8 {
        self.first
    }
    /// The elements in row-major order.
    ///
    /// # Safety
    /// The tensor's memory is there and unchanged during the call.
    pub unsafe fn copy(&self) -> Outcome<Vec<u8>> {
        let size = self.dtype.size();
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(self.bytes).map_err(|_| {
            let message = format!("there is no memory for a copy of {} bytes of the tensor", self.bytes);
            Failure::new(Status::OutOfMemory, message)
        })?;
        if self.bytes == 0 {
            return Ok(bytes);
        }
        let Some(strides) = self.strides else {
            // SAFETY: a contiguous tensor has `bytes` readable bytes.
            bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(self.first, self.bytes) });
            return Ok(bytes);
        };
        for offset in offsets(self.shape, strides) {
            // SAFETY: an element of the tensor lies there.
            let element = unsafe { std::slice::from_raw_parts(self.first.add(offset as usize * size), size) };
            bytes.extend_from_slice(element);
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_strided_tensors_in_row_major_order() {
        let data: Vec<i16> = (0..8).collect();
        let (mut shape, mut strides) = ([3i64, 2], [1i64, 4]);
        let tensor = DLTensor {
            data: data.as_ptr().cast_mut().cast(),
            device: DLDevice::CPU,
            ndim: 2,
            dtype: Dtype::Int16.into(),
            shape: shape.as_mut_ptr(),
            strides: strides.as_mut_ptr(),
            byte_offset: 2,
        };
        // SAFETY: the tensor describes `data`.
        let bytes = unsafe {
            let host = read_host(&tensor, "t").unwrap();
            assert!(!host.is_contiguous());
            host.copy().unwrap()
        };
        let got: Vec<i16> = bytes.chunks(2).map(|b| i16::from_ne_bytes([b[0], b[1]])).collect();
        assert_eq!(got, [1, 5, 2, 6, 3, 7]);
    }
}
