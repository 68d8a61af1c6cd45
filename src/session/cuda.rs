//! Groups to GPU code: programs of kernels, compiled side by side, each for every architecture asked for.

use super::{Options, SessionError};
use crate::codegen::{self, Kernel};
use crate::device::cuda::{self, CudaError, Nvrtc};
use crate::runtime::Code;
use crate::target::CudaTarget;
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The GPU that a program is compiled for, and the compiler.
pub struct Gpu {
    pub index: i32,
    pub name: String,
    pub target: CudaTarget,
    pub nvrtc: Nvrtc,
}

impl Gpu {
    /// The device that the options name. A program for another architecture needs no device until it is loaded.
    pub fn find(options: &Options) -> Result<Gpu, SessionError> {
        let nvrtc = Nvrtc::find(&options.library_search(&options.nvrtc))?;
        let device = cuda::Gpu::open(options.device, &options.library_search(&options.driver));
        let (name, target) = match (device, options.cuda_arch.first()) {
            (Ok(gpu), None) => (gpu.name, gpu.target),
            (Ok(gpu), Some(arch)) if gpu.target.arch == *arch => (gpu.name, gpu.target),
            (_, Some(arch)) => (format!("compute capability {arch}"), CudaTarget::generic(*arch)),
            (Err(error), None) => return Err(error.into()),
        };
        Ok(Gpu { index: options.device, name, target, nvrtc })
    }
}

/// Kernels of one program, at most: enough programs to keep the cores busy, few enough that each parses little.
const PROGRAM: usize = 12;

/// Compiles the kernels.
pub fn build(kernels: &IndexMap<String, Kernel>, gpu: &Gpu, options: &Options) -> Result<Code, SessionError> {
    let mut by_lanes: BTreeMap<i64, Vec<(&String, &Kernel)>> = BTreeMap::new();
    for (name, kernel) in kernels {
        by_lanes.entry(kernel.lanes).or_default().push((name, kernel));
    }
    let mut sources = vec![codegen::cuda::copy_source()];
    for (lanes, list) in by_lanes {
        sources.extend(list.chunks(PROGRAM).map(|part| codegen::cuda::source(lanes, part)));
    }
    if let Some(dump) = &options.dump {
        for (k, source) in sources.iter().enumerate() {
            let path = dump.join(format!("kernels{k}.cu"));
            std::fs::write(&path, source).map_err(|e| SessionError::Io {
                what: format!("write `{}`", path.display()),
                reason: e.to_string(),
            })?;
        }
    }
    let cubins = Arc::new(compile(&gpu.nvrtc, &sources, &gpu.target.name())?);
    Ok(Code::Cuda { cubins, device: gpu.index, graphs: options.mode.graphs() })
}

/// Every source as a cubin, in their order.
fn compile(nvrtc: &Nvrtc, sources: &[String], arch: &str) -> Result<Vec<Vec<u8>>, CudaError> {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from).min(sources.len());
    let next = AtomicUsize::new(0);
    type Outcome = Option<Result<Vec<u8>, CudaError>>;
    let done: Mutex<Vec<Outcome>> = Mutex::new(vec![None; sources.len()]);
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = sources.get(place) else { return };
            let result = nvrtc.compile(source, arch);
            done.lock().unwrap_or_else(|e| e.into_inner())[place] = Some(result);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(work);
        }
        work();
    });
    done.into_inner().unwrap_or_else(|e| e.into_inner()).into_iter().flatten().collect()
}
