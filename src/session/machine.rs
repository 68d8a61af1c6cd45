//! What the machine has of all that compilations use: instruction sets, compilers, drivers, libraries, and the cache on disk.
//!
//! Everything is looked for as a compilation with the same options looks for it, and opened no further than that takes.
//!
//! Deliberately absent: which backends follow from it (see `backends`), and measuring (see `device::limits`).

use super::SessionError;
use super::options::Options;
use crate::base::{Status, json};
use crate::device::cache::{Disk, Listed};
use crate::device::cpu;
use crate::device::toolchain::Toolchain;
use serde_json::Value;
use std::fmt::Display;
use std::time::UNIX_EPOCH;

/// A thing that was looked for: where it is and of which version, or why it cannot be used.
fn part<E: Display>(name: &str, needed_for: &str, found: Result<(String, String), E>) -> Value {
    let (path, version, why) = match found {
        Ok((path, version)) => (Some(path), Some(version).filter(|v| !v.is_empty()), None),
        Err(error) => (None, None, Some(error.to_string())),
    };
    json!({"name": name, "needed_for": needed_for, "path": path, "version": version, "why_not": why})
}

/// The machine as JSON: `cpu` and `parts`.
pub fn machine_json(options: &Options) -> String {
    let native = cpu::detect();
    let compiler = Toolchain::find(&options.search(&options.cache()))
        .map(|t| (t.program().display().to_string(), t.version().to_string()));
    let mut parts = vec![part("C++ compiler", "compiling for a CPU", compiler)];
    parts.extend(gpu_parts(options));
    let cache = options.disk().map(|disk| (disk.folder().display().to_string(), String::new()));
    parts.push(part("cache folder", "compiling what was compiled before", cache));
    json!({
        "cpu": {
            "isa": native.isa.name(), "cores": native.cores, "l1d_bytes": native.l1d, "l2_bytes": native.l2,
            "amx": native.amx,
        },
        "parts": parts,
    })
    .to_string()
}

#[cfg(feature = "cuda")]
fn gpu_parts(options: &Options) -> Vec<Value> {
    use crate::device::cuda::{self, Gpu, Nvrtc};
    let shown = |path: std::path::PathBuf| (path.display().to_string(), String::new());
    let nvrtc = Nvrtc::find(&options.library_search(&options.nvrtc))
        .map(|n| (n.path().display().to_string(), n.version().to_string()));
    let device = crate::runtime::cuda::check_fork().map_err(|e| e.to_string()).and_then(|()| {
        let found = Gpu::open(options.device, &options.library_search(&options.driver));
        found.map_err(|e| e.to_string())
    });
    let device = device.map(|gpu| {
        crate::runtime::cuda::note_driver_use();
        let (major, minor) = (gpu.driver / 1000, gpu.driver % 1000 / 10);
        let about = format!("{}, compute capability {}", gpu.name, gpu.target.name());
        (about, format!("driver for CUDA {major}.{minor}"))
    });
    vec![
        part("GPU", "running on a GPU", device),
        part("NVRTC", "compiling for a GPU", nvrtc),
        part(
            "cuBLASLt",
            "matrix products on a GPU, beside own kernels",
            cuda::cublaslt(&options.library_search(&options.cublaslt)).map(shown),
        ),
        part(
            "cuDNN",
            "convolutions on a GPU, beside own kernels",
            cuda::cudnn(&options.library_search(&options.cudnn)).map(shown),
        ),
        part(
            "cuFFT",
            "Fourier transforms on a GPU; without it the host does them",
            cuda::cufft(&options.library_search(&options.cufft)).map(shown),
        ),
        part(
            "cuSOLVER",
            "factorisations of matrices on a GPU; without it the host does them",
            cuda::cusolver(&options.library_search(&options.cusolver)).map(shown),
        ),
    ]
}

#[cfg(not(feature = "cuda"))]
fn gpu_parts(_: &Options) -> Vec<Value> {
    Vec::new()
}

fn opened(options: &Options) -> Result<Disk, SessionError> {
    options.disk().map_err(|message| SessionError::Option { status: Status::Io, message })
}

fn unread(disk: &Disk, error: &std::io::Error) -> SessionError {
    let message = format!("the cache folder `{}` cannot be read: {error}", disk.folder().display());
    SessionError::Option { status: Status::Io, message }
}

fn listed(entries: &[Listed]) -> (u64, Vec<Value>) {
    let seconds = |e: &Listed| e.used.duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let list = entries.iter().map(|e| json!({"key": e.key, "bytes": e.bytes, "used": seconds(e)}));
    (entries.iter().map(|e| e.bytes).sum(), list.collect())
}

/// The cache on disk as JSON.
pub fn cache_json(options: &Options) -> Result<String, SessionError> {
    let disk = opened(options)?;
    let entries = disk.entries().map_err(|e| unread(&disk, &e))?;
    let (bytes, entries) = listed(&entries);
    let about =
        json!({"folder": disk.folder(), "max_bytes": disk.max_bytes(), "bytes": bytes, "entries": entries});
    Ok(about.to_string())
}

/// Removes the least recently used entries until the others take so many bytes at most; says which, as JSON.
pub fn prune_cache(options: &Options, max_bytes: u64) -> Result<String, SessionError> {
    let disk = opened(options)?;
    let removed = disk.prune(max_bytes).map_err(|e| unread(&disk, &e))?;
    let (bytes, removed) = listed(&removed);
    Ok(json!({"folder": disk.folder(), "bytes": bytes, "removed": removed}).to_string())
}
