//! The DLPack 1.x structs that tensors cross the C boundary as, and DLPack's numbering of dtypes.
//!
//! Layouts equal `include/litz/dlpack.h`; a test of the C ABI compares them. Deliberately absent: following any of
//! the pointers.

use super::Dtype;
use std::ffi::c_void;

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLPackVersion {
    pub major: u32,
    pub minor: u32,
}

/// `device_type` is DLPack's number: 1 for the CPU, 2 for CUDA.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDevice {
    pub device_type: i32,
    pub device_id: i32,
}

impl DLDevice {
    pub const CPU: DLDevice = DLDevice { device_type: 1, device_id: 0 };
    /// Whether it is the host's memory, pinned (`kDLCUDAHost`) or not.
    pub fn is_host(self) -> bool {
        matches!(self.device_type, 1 | 3)
    }
    /// `kDLCUDA`
    pub const CUDA_TYPE: i32 = 2;
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDataType {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

/// A borrowed tensor. Strides are in elements, NULL for a contiguous one; the first element lies `byte_offset`
/// bytes after `data`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DLTensor {
    pub data: *mut c_void,
    pub device: DLDevice,
    pub ndim: i32,
    pub dtype: DLDataType,
    pub shape: *mut i64,
    pub strides: *mut i64,
    pub byte_offset: u64,
}

/// A tensor that owns its memory until its deleter is called.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensorVersioned {
    pub version: DLPackVersion,
    pub manager_ctx: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    pub flags: u64,
    pub dl_tensor: DLTensor,
}

use Dtype::*;

/// One row for each dtype: DLPack's code and bits.
const CODES: [(Dtype, u8, u8); 20] = [
    (Int8, 0, 8),
    (Int16, 0, 16),
    (Int32, 0, 32),
    (Int64, 0, 64),
    (Uint8, 1, 8),
    (Uint16, 1, 16),
    (Uint32, 1, 32),
    (Uint64, 1, 64),
    (Float16, 2, 16),
    (Float32, 2, 32),
    (Float64, 2, 64),
    (Bfloat16, 4, 16),
    (Complex32, 5, 32),
    (Complex64, 5, 64),
    (Complex128, 5, 128),
    (Bool, 6, 8),
    (Float8E4m3fn, 10, 8),
    (Float8E4m3fnuz, 11, 8),
    (Float8E5m2, 12, 8),
    (Float8E5m2fnuz, 13, 8),
];

impl DLDataType {
    /// The dtype that is meant; `None` for vectors (lanes other than 1) and types that PyTorch lacks.
    pub fn dtype(self) -> Option<Dtype> {
        let row = CODES.iter().find(|(_, code, bits)| (*code, *bits) == (self.code, self.bits))?;
        (self.lanes == 1).then_some(row.0)
    }
}

impl From<Dtype> for DLDataType {
    fn from(dtype: Dtype) -> DLDataType {
        let (_, code, bits) = CODES.into_iter().find(|row| row.0 == dtype).unwrap_or(CODES[0]);
        DLDataType { code, bits, lanes: 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dtype_has_its_own_code() {
        for dtype in Dtype::ALL {
            let code = DLDataType::from(dtype);
            assert_eq!(code.dtype(), Some(dtype));
            assert_eq!(code.bits as usize, 8 * dtype.size());
        }
        assert_eq!(DLDataType { code: 2, bits: 32, lanes: 4 }.dtype(), None);
    }
}
