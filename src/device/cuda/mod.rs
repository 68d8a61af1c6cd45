//! NVIDIA GPUs: where the driver and the run-time compiler are, what a device can do, and kernels to machine code.
//!
//! Libraries are opened when first asked for and stay open. One that is missing is an error that names it and where it
//! was looked for; nothing here panics for it.

mod driver;
mod library;
mod limits;
mod nvrtc;
mod vendor;

pub use driver::Gpu;
pub use library::LibrarySearch;
pub use limits::{GpuLimits, limits};
pub use nvrtc::Nvrtc;
pub use vendor::{cublaslt, cudnn, cufft, cusolver};

use crate::base::Status;

/// Why there is no device, or no machine code for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CudaError {
    #[error(
        "{what} was not found: looked for {looked}; install it, or name its file with the option `{option}`"
    )]
    Missing { what: &'static str, looked: String, option: &'static str },
    #[error("the CUDA driver failed at {call}: {reason}")]
    Driver { call: &'static str, reason: String },
    #[error("there is no CUDA device {index}: this machine has {count}")]
    NoDevice { index: i32, count: i32 },
    #[error("NVRTC {version} failed on kernels for {arch} ({outcome})")]
    Compile { version: String, arch: String, outcome: String, log: String },
}

impl CudaError {
    pub fn status(&self) -> Status {
        match self {
            CudaError::Missing { .. } | CudaError::Compile { .. } => Status::Toolchain,
            CudaError::NoDevice { .. } => Status::Device,
            CudaError::Driver { .. } => Status::Cuda,
        }
    }
    /// What the compiler printed.
    pub fn log(&self) -> Option<&str> {
        match self {
            CudaError::Compile { log, .. } => Some(log),
            _ => None,
        }
    }
}
