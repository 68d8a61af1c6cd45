//! Groups to GPU code: programs of kernels, compiled side by side, each for every architecture asked for.

use super::native::Origin;
use super::options::VendorRequest;
use super::{Options, SessionError};
use crate::codegen::{self, Kernel};
use crate::device::cache::{Cache, Found, Item, Key};
use crate::device::cuda::{self, CudaError, Nvrtc};
use crate::loops::{NodeKind, Program};
use crate::runtime::{self, Code, Cubin, CubinKind, VendorFiles};
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
    /// What kernels are written for.
    pub target: CudaTarget,
    /// What they are compiled for.
    pub architectures: Vec<Architecture>,
    pub nvrtc: Nvrtc,
    /// Without it, why there is none.
    pub cache: Result<Cache, String>,
    /// The driver's version, where a device of the target is here.
    pub driver: Option<i32>,
    /// The file of cuBLASLt, or why it is not used.
    pub cublaslt: Result<PathBuf, String>,
    pub cudnn: Result<PathBuf, String>,
}

impl Gpu {
    /// The device that the options name. A program for another architecture needs no device until it is loaded.
    pub fn find(options: &Options) -> Result<Gpu, SessionError> {
        let nvrtc = Nvrtc::find(&options.library_search(&options.nvrtc))?;
        runtime::cuda::check_fork()?;
        let device = cuda::Gpu::open(options.device, &options.library_search(&options.driver));
        if device.is_ok() {
            runtime::cuda::note_driver_use();
        }
        let (name, target, driver) = match (device, options.cuda_arch.first()) {
            (Ok(gpu), None) => (gpu.name, gpu.target, Some(gpu.driver)),
            (Ok(gpu), Some(arch)) if gpu.target.arch == *arch => (gpu.name, gpu.target, Some(gpu.driver)),
            (_, Some(arch)) => (format!("compute capability {arch}"), CudaTarget::generic(*arch), None),
            (Err(error), None) => return Err(error.into()),
        };
        let library = |find: fn(&cuda::LibrarySearch) -> Result<PathBuf, cuda::CudaError>,
                       named: &Option<PathBuf>,
                       what| {
            if options.vendor == VendorRequest::Off {
                return Ok(Err("option `artifact.vendor` is off".to_string()));
            }
            match find(&options.library_search(named)) {
                Ok(path) => Ok(Ok(path)),
                // A file that was named must be there.
                Err(error) if options.vendor == VendorRequest::On || named.is_some() => Err(error),
                Err(error) => {
                    options.log(2, &format!("{what} take own kernels alone: {error}"));
                    Ok(Err(error.to_string()))
                }
            }
        };
        let cublaslt = library(cuda::cublaslt, &options.cublaslt, "matrix products")?;
        let cudnn = library(cuda::cudnn, &options.cudnn, "convolutions")?;
        let portable = options.cuda_arch.len() > 1 || options.cuda_ptx;
        let own = target.arch;
        let target = if portable { shared_target(&options.cuda_arch, target.arch) } else { target };
        let mut architectures: Vec<Architecture> = if portable {
            let mut all = if options.cuda_arch.is_empty() { vec![own] } else { options.cuda_arch.clone() };
            all.sort_unstable();
            all.dedup();
            all.into_iter().map(|arch| Architecture { arch, kind: CubinKind::Later }).collect()
        } else {
            let exact = target.name().ends_with('a');
            let kind = if exact { CubinKind::Exact } else { CubinKind::Later };
            vec![Architecture { arch: target.arch, kind }]
        };
        if let Some(last) = architectures.last().filter(|_| options.cuda_ptx).copied() {
            architectures.push(Architecture { kind: CubinKind::Ptx, ..last });
        }
        let vendor = Vendor {
            cublaslt: cublaslt.is_ok(),
            cudnn: cudnn.is_ok(),
            replayed: options.graphs,
            tf32: options.tf32,
            ..Vendor::default()
        };
        let target = CudaTarget { vendor, atomics: !options.cuda_deterministic, ..target };
        let cache = options.usable_cache();
        Ok(Gpu { index: options.device, name, target, architectures, nvrtc, cache, driver, cublaslt, cudnn })
    }
}

/// Says what TF32 would be for, once a program.
pub fn note_tf32(program: &Program, scheduled: &Schedule, gpu: &Gpu, options: &Options) {
    let vendor = Vendor { tf32: true, ..gpu.target.vendor.clone() };
    let rounding = CudaTarget { vendor, ..gpu.target.clone() };
    let wide = scheduled.main.iter().any(|group| match &group.kind {
        GroupKind::Template { node, routine, .. } => match program.nodes[*node].kind {
            NodeKind::Gemm { a, .. } => {
                program.exprs.dtype(reduced_load(program, a)) == Dtype::Float32
                    && (routine.is_some() || !codegen::cuda::tiles(program, group, &rounding).is_empty())
            }
            NodeKind::Convolution(ref c) if routine.is_some() => {
                program.exprs.dtype(reduced_load(program, c.input)) == Dtype::Float32
            }
            _ => false,
        },
        _ => false,
    });
    if wide && !options.tf32 && gpu.target.arch >= 80 {
        let what = "matrix products of float32 do not use the GPU's tensor cores";
        options.log(2, &format!("{what}: option `cuda.tf32` would let them, with three decimal digits"));
    }
}

impl Gpu {
    pub fn vendor_files(&self) -> VendorFiles {
        VendorFiles { cublaslt: self.cublaslt.clone().ok(), cudnn: self.cudnn.clone().ok() }
    }
    /// The architectures by the compiler's names.
    pub fn names(&self) -> String {
        let names: Vec<String> = self.architectures.iter().map(|a| a.name()).collect();
        names.join(", ")
    }
}

/// An architecture that kernels are compiled for, and which GPUs take them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    pub arch: u32,
    pub kind: CubinKind,
}

impl Architecture {
    /// The compiler's name of it.
    pub fn name(self) -> String {
        match self.kind {
            CubinKind::Exact => format!("sm_{}a", self.arch),
            CubinKind::Later => format!("sm_{}", self.arch),
            CubinKind::Ptx => format!("compute_{}", self.arch),
        }
    }
}

/// What kernels are written for that several generations run: the oldest of them, and no instructions that one generation
/// has to itself.
fn shared_target(asked: &[u32], own: u32) -> CudaTarget {
    const LAST_WITHOUT_ITS_OWN: u32 = 89;
    let oldest = asked.iter().copied().min().unwrap_or(own).min(LAST_WITHOUT_ITS_OWN);
    CudaTarget::generic(oldest)
}
/// The first compute capability whose instructions know bfloat16.
const NATIVE_BFLOAT: u32 = 80;

/// Kernels of one program, at most: enough programs to keep the cores busy, few enough that each parses little.
const PROGRAM: usize = 12;

/// Finds the kernels in the cache or compiles them.
pub fn build(
    kernels: &IndexMap<String, Kernel>,
    gpu: &Gpu,
    options: &Options,
) -> Result<(Code, Origin), SessionError> {
    if gpu.target.arch < NATIVE_BFLOAT && kernels.values().any(|k| k.body.contains("bfloat")) {
        options.log(
            1,
            &format!(
                "{} has no bfloat16 of its own: values are converted by several instructions each; float16 is faster there",
                gpu.name
            ),
        );
    }
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
            crate::base::file::write(&path, source.as_bytes()).map_err(|e| SessionError::Io {
                what: format!("write `{}`", path.display()),
                reason: e.to_string(),
            })?;
        }
    }
    let (cubins, compiled) = compile(gpu, &sources, options)?;
    let origin = if compiled == 0 { Origin::Cache } else { Origin::Compiled };
    let (vendor, runs) = (gpu.vendor_files(), options.cuda_runs());
    Ok((Code::Cuda { cubins: Arc::new(cubins), vendor, device: gpu.index, runs }, origin))
}

/// Every source as a cubin for each architecture, in their order, and how many of them NVRTC had to make.
fn compile(gpu: &Gpu, sources: &[String], options: &Options) -> Result<(Vec<Cubin>, usize), CudaError> {
    let count = sources.len() * gpu.architectures.len();
    let jobs = std::thread::available_parallelism().map_or(1, usize::from).min(count);
    let (next, compiled) = (AtomicUsize::new(0), AtomicUsize::new(0));
    type Outcome = Option<Result<Cubin, CudaError>>;
    let done: Mutex<Vec<Outcome>> = Mutex::new(vec![None; count]);
    let complaints: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let complain = |text: String| complaints.lock().unwrap_or_else(|e| e.into_inner()).push(text);
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(architecture) = gpu.architectures.get(place / sources.len().max(1)) else { return };
            let (source, name) = (&sources[place % sources.len()], architecture.name());
            let key = key(gpu, source, &name);
            let cache = gpu.cache.as_ref().ok();
            let kept = cache.and_then(|cache| cached(cache, &key, &complain));
            let result = kept.map(Ok).unwrap_or_else(|| {
                compiled.fetch_add(1, Ordering::Relaxed);
                let cubin = gpu.nvrtc.compile(source, &name)?;
                let item = Item { name: CUBIN.into(), bytes: cubin };
                if let Some(Err(reason)) = cache.map(|c| c.store(&key, std::slice::from_ref(&item))) {
                    complain(reason);
                }
                Ok(item.bytes)
            });
            let Architecture { arch, kind } = *architecture;
            let result = result.map(|data| Cubin { data, arch, kind });
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
fn key(gpu: &Gpu, source: &str, architecture: &str) -> Key {
    let flags = format!("{:?}", Nvrtc::options(architecture));
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
