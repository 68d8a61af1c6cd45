//! Groups to GPU code: programs of kernels, compiled side by side, each for every architecture asked for.

use super::native::Origin;
use super::options::VendorRequest;
use super::{Options, SessionError};
use crate::codegen::{self, Kernel};
use crate::device::cache::{Cache, Found, Item, Key};
use crate::device::cuda::{self, CudaError, Nvrtc};
use crate::loops::{NodeKind, Program};
use crate::runtime::Code;
use crate::schedule::{GroupKind, Schedule, reduced_load};
use crate::target::{CudaTarget, Vendor};
use crate::types::Dtype;
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The GPU that a program is compiled for, the compiler, and what keeps cubins.
pub struct Gpu {
    pub index: i32,
    pub name: String,
    pub target: CudaTarget,
    pub nvrtc: Nvrtc,
    /// Without it, why there is none.
    pub cache: Result<Cache, String>,
    /// The driver's version, where a device of the target is here.
    pub driver: Option<i32>,
    /// The file of cuBLASLt, or why it is not used.
    pub cublaslt: Result<PathBuf, String>,
}

impl Gpu {
    /// The device that the options name. A program for another architecture needs no device until it is loaded.
    pub fn find(options: &Options) -> Result<Gpu, SessionError> {
        let nvrtc = Nvrtc::find(&options.library_search(&options.nvrtc))?;
        let device = cuda::Gpu::open(options.device, &options.library_search(&options.driver));
        let (name, mut target, driver) = match (device, options.cuda_arch.first()) {
            (Ok(gpu), None) => (gpu.name, gpu.target, Some(gpu.driver)),
            (Ok(gpu), Some(arch)) if gpu.target.arch == *arch => (gpu.name, gpu.target, Some(gpu.driver)),
            (_, Some(arch)) => (format!("compute capability {arch}"), CudaTarget::generic(*arch), None),
            (Err(error), None) => return Err(error.into()),
        };
        let cublaslt = match options.vendor {
            VendorRequest::Off => Err("option `artifact.vendor` is off".to_string()),
            request => match cuda::cublaslt(&options.library_search(&options.cublaslt)) {
                Ok(path) => Ok(path),
                // A file that was named must be there.
                Err(error) if request == VendorRequest::On || options.cublaslt.is_some() => {
                    return Err(error.into());
                }
                Err(error) => Err(error.to_string()),
            },
        };
        if let Err(reason) = &cublaslt
            && options.vendor != VendorRequest::Off
        {
            options.log(2, &format!("matrix products take own kernels alone: {reason}"));
        }
        target.vendor = Vendor { cublaslt: cublaslt.is_ok(), tf32: options.tf32, ..Vendor::default() };
        Ok(Gpu {
            index: options.device,
            name,
            target,
            nvrtc,
            driver,
            cublaslt,
            cache: options.usable_cache(),
        })
    }
}

/// Says what TF32 would be for, once a program.
pub fn note_tf32(program: &Program, scheduled: &Schedule, gpu: &Gpu, options: &Options) {
    let wide = scheduled.main.iter().any(|group| match &group.kind {
        GroupKind::Template { node, routine: Some(_), .. } => match program.nodes[*node].kind {
            NodeKind::Gemm { a, .. } => program.exprs.dtype(reduced_load(program, a)) == Dtype::Float32,
            _ => false,
        },
        _ => false,
    });
    if wide && !options.tf32 && gpu.target.arch >= 80 {
        let what = "matrix products of float32 do not use the GPU's tensor cores";
        options.log(2, &format!("{what}: option `cuda.tf32` would let them, with three decimal digits"));
    }
}

/// Kernels of one program, at most: enough programs to keep the cores busy, few enough that each parses little.
const PROGRAM: usize = 12;

/// Finds the kernels in the cache or compiles them.
pub fn build(
    kernels: &IndexMap<String, Kernel>,
    gpu: &Gpu,
    options: &Options,
) -> Result<(Code, Origin), SessionError> {
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
    let (cubins, compiled) = compile(gpu, &sources, options)?;
    let origin = if compiled == 0 { Origin::Cache } else { Origin::Compiled };
    let graphs = options.mode.graphs();
    let cublaslt = gpu.cublaslt.clone().ok();
    let measures = options.mode.autotunes();
    let code = Code::Cuda { cubins: Arc::new(cubins), cublaslt, device: gpu.index, graphs, measures };
    Ok((code, origin))
}

/// Every source as a cubin, in their order, and how many of them NVRTC had to make.
fn compile(gpu: &Gpu, sources: &[String], options: &Options) -> Result<(Vec<Vec<u8>>, usize), CudaError> {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from).min(sources.len());
    let (next, compiled) = (AtomicUsize::new(0), AtomicUsize::new(0));
    type Outcome = Option<Result<Vec<u8>, CudaError>>;
    let done: Mutex<Vec<Outcome>> = Mutex::new(vec![None; sources.len()]);
    let complaints: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let complain = |text: String| complaints.lock().unwrap_or_else(|e| e.into_inner()).push(text);
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = sources.get(place) else { return };
            let key = key(gpu, source);
            let cache = gpu.cache.as_ref().ok();
            let kept = cache.and_then(|cache| cached(cache, &key, &complain));
            let result = kept.map(Ok).unwrap_or_else(|| {
                compiled.fetch_add(1, Ordering::Relaxed);
                let cubin = gpu.nvrtc.compile(source, &gpu.target.name())?;
                let item = Item { name: CUBIN.into(), bytes: cubin };
                if let Some(Err(reason)) = cache.map(|c| c.store(&key, std::slice::from_ref(&item))) {
                    complain(reason);
                }
                Ok(item.bytes)
            });
            done.lock().unwrap_or_else(|e| e.into_inner())[place] = Some(result);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(work);
        }
        work();
    });
    for text in complaints.into_inner().unwrap_or_else(|e| e.into_inner()) {
        options.log(1, &text);
    }
    let cubins: Result<_, _> =
        done.into_inner().unwrap_or_else(|e| e.into_inner()).into_iter().flatten().collect();
    Ok((cubins?, compiled.into_inner()))
}

/// The only file of an entry.
const CUBIN: &str = "kernels.cubin";

/// All that a cubin depends on: a program's text holds its kernels and what they use.
fn key(gpu: &Gpu, source: &str) -> Key {
    let flags = format!("{:?}", Nvrtc::options(&gpu.target.name()));
    let parts = [env!("CARGO_PKG_VERSION"), &flags, &gpu.nvrtc.fingerprint(), source];
    Key::of("cubin", parts.map(str::as_bytes))
}

fn cached(cache: &Cache, key: &Key, complain: &dyn Fn(String)) -> Option<Vec<u8>> {
    match cache.load(key) {
        Found::Entry(items) => items.into_iter().find(|item| item.name == CUBIN).map(|item| item.bytes),
        Found::Missing => None,
        Found::Damaged(reason) => {
            complain(format!("an entry of the cache is damaged and made again: {reason}"));
            None
        }
    }
}
