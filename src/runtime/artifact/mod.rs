//! Programs as files: one ELF library with the executor, the plan and the kernels, the weights behind it (or beside
//! it), and a trailer that says what it is and what every byte before it hashes to.
//!
//! Invariant: a file is only loaded once its trailer, its hash and its instruction set are found right.

mod open;
mod trailer;
mod write;

pub use open::{Opened, open};
pub use write::{ArtifactParts, check_target, write};

use crate::types::dlpack::{DLDataType, DLDevice, DLTensor};

/// A tensor with nothing filled in.
pub(super) const NO_TENSOR: DLTensor = DLTensor {
    data: std::ptr::null_mut(),
    device: DLDevice::CPU,
    ndim: 0,
    dtype: DLDataType { code: 0, bits: 0, lanes: 0 },
    shape: std::ptr::null_mut(),
    strides: std::ptr::null_mut(),
    byte_offset: 0,
};
