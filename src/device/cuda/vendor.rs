//! NVIDIA's libraries of kernels: where they are. The executor opens them itself and calls them.

use super::{CudaError, LibrarySearch};
use std::path::{Path, PathBuf};

/// Names of the file of cuBLASLt, newest first.
const CUBLASLT: [&str; 3] = ["libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"];

/// And of cuDNN.
const CUDNN: [&str; 2] = ["libcudnn.so.9", "libcudnn.so"];

/// And of cuFFT.
const CUFFT: [&str; 3] = ["libcufft.so.12", "libcufft.so.11", "libcufft.so"];

/// And of cuSOLVER, which brings cuBLAS along.
const CUSOLVER: [&str; 3] = ["libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"];

/// The file of cuBLASLt: the copy that the process has open already, otherwise what the search finds.
pub fn cublaslt(search: &LibrarySearch) -> Result<PathBuf, CudaError> {
    find(search, "cuBLASLt (matrix products)", "cuda.cublaslt", &CUBLASLT)
}

/// The file of cuDNN, likewise.
pub fn cudnn(search: &LibrarySearch) -> Result<PathBuf, CudaError> {
    find(search, "cuDNN (convolutions)", "cuda.cudnn", &CUDNN)
}

/// The file of cuFFT, likewise.
pub fn cufft(search: &LibrarySearch) -> Result<PathBuf, CudaError> {
    find(search, "cuFFT (Fourier transforms)", "cuda.cufft", &CUFFT)
}

/// The file of cuSOLVER, likewise.
pub fn cusolver(search: &LibrarySearch) -> Result<PathBuf, CudaError> {
    find(search, "cuSOLVER (factorisations of matrices)", "cuda.cusolver", &CUSOLVER)
}

fn find(
    search: &LibrarySearch,
    what: &'static str,
    option: &'static str,
    names: &[&str],
) -> Result<PathBuf, CudaError> {
    if search.explicit.is_none()
        && let Some(name) = names.iter().find(|n| is_open(Path::new(n)))
    {
        return Ok(PathBuf::from(name));
    }
    search.open(what, option, names)
}

/// Whether the process has the library open.
fn is_open(name: &Path) -> bool {
    use libloading::os::unix::Library;
    // SAFETY: nothing is loaded that is not loaded already.
    unsafe { Library::open(Some(name), libc::RTLD_NOW | libc::RTLD_LOCAL | libc::RTLD_NOLOAD) }.is_ok()
}
