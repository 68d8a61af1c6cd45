//! The driver: which devices there are and what each can do.

use super::{CudaError, LibrarySearch};
use crate::target::{CudaTarget, Vendor};
use cudarc::driver::{result, sys};
use std::ffi::CStr;

/// A device as the driver describes it.
#[derive(Clone, Debug)]
pub struct Gpu {
    pub index: i32,
    pub name: String,
    pub target: CudaTarget,
    /// The driver's CUDA version: 13000 for 13.0.
    pub driver: i32,
}

impl Gpu {
    /// The device of this index.
    pub fn open(index: i32, search: &LibrarySearch) -> Result<Gpu, CudaError> {
        search.open("the CUDA driver (libcuda)", "cuda.driver", &["libcuda.so.1", "libcuda.so"])?;
        // SAFETY: only looks for the library.
        if !unsafe { sys::is_culib_present() } {
            let looked = "`libcuda.so`, which the loader does not find by its name".to_string();
            return Err(CudaError::Missing {
                what: "the CUDA driver (libcuda)",
                looked,
                option: "cuda.driver",
            });
        }
        let at = |call: &'static str| move |e: result::DriverError| failed(call, e);
        result::init().map_err(at("cuInit"))?;
        let count = result::device::get_count().map_err(at("cuDeviceGetCount"))?;
        if index < 0 || index >= count {
            return Err(CudaError::NoDevice { index, count });
        }
        let device = result::device::get(index).map_err(at("cuDeviceGet"))?;
        let attribute = |which| {
            // SAFETY: the device was given by the driver.
            unsafe { result::device::get_attribute(device, which) }.map_err(at("cuDeviceGetAttribute"))
        };
        use sys::CUdevice_attribute_enum::*;
        let target = CudaTarget {
            arch: (attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)? * 10
                + attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?) as u32,
            multiprocessors: attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?.max(1) as usize,
            shared_bytes: attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?.max(0) as usize,
            vendor: Vendor::default(),
            l2: attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?.max(0) as usize,
            atomics: false,
        };
        let mut driver = 0;
        // SAFETY: writes the number.
        unsafe { sys::cuDriverGetVersion(&mut driver) }.result().map_err(at("cuDriverGetVersion"))?;
        let name = result::device::get_name(device).unwrap_or_default();
        Ok(Gpu { index, name, target, driver })
    }
}

fn failed(call: &'static str, error: result::DriverError) -> CudaError {
    let mut text = std::ptr::null();
    // SAFETY: the driver gives a string of its own, or none.
    let reason = unsafe {
        match sys::cuGetErrorString(error.0, &mut text) {
            sys::CUresult::CUDA_SUCCESS if !text.is_null() => {
                CStr::from_ptr(text).to_string_lossy().into_owned()
            }
            _ => format!("{:?}", error.0),
        }
    };
    CudaError::Driver { call, reason }
}
