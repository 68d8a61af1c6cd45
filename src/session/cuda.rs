//! Groups to GPU code: programs of kernels, compiled side by side, each for every architecture asked for.

use super::describe::Entry;
use super::kept::{Depends, Kept};
use super::options::VendorRequest;
use super::{Options, SessionError};
use crate::base::counters::{Counter, count};
use crate::base::event::Channel;
use crate::base::{HashMap, OrderedMap, StableSort};
use crate::codegen::{self, Kernel};
use crate::device::cache::{Cache, Item, Key};
use crate::device::cuda::{self, CudaError, Nvrtc};
use crate::ir::{Graph, each_graph};
use crate::loops::uses::reduced_load;
use crate::loops::{LoopNode, NodeKind, Program};
use crate::mapping;
use crate::ops::OpId;
use crate::plan::Library;
use crate::runtime::{self, Code, Cubin, CubinKind, CudaRuns, VendorFiles};
use crate::schedule::{GroupKind, Schedule};
use crate::target::{CudaTarget, Vendor};
use crate::types::Dtype;
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
    pub cache: Cache,
    /// The driver's version, where a device of the target is here.
    pub driver: Option<i32>,
    /// The file of cuBLASLt, or why it is not used.
    pub cublaslt: Result<PathBuf, String>,
    pub cudnn: Result<PathBuf, String>,
    /// The file of cuFFT, for a program with Fourier transforms.
    pub cufft: Option<PathBuf>,
    /// The file of cuSOLVER, for a program with factorisations.
    pub cusolver: Option<PathBuf>,
}

/// The file of one of NVIDIA's libraries, or the reason why it is not used. `without` tells the log what happens instead.
fn vendor_file(
    find: fn(&cuda::LibrarySearch) -> Result<PathBuf, cuda::CudaError>,
    named: &Option<PathBuf>,
    without: &str,
    options: &Options,
) -> Result<Result<PathBuf, String>, SessionError> {
    if options.vendor == VendorRequest::Off {
        return Ok(Err("option `artifact.vendor` is off".to_string()));
    }
    match find(&options.library_search(named)) {
        Ok(path) => Ok(Ok(path)),
        // A file that was named must be there.
        Err(error) if options.vendor == VendorRequest::On || named.is_some() => Err(error.into()),
        Err(error) => {
            options.log(2, Channel::PerfHints, &format!("{without}: {error}"));
            Ok(Err(error.to_string()))
        }
    }
}

impl Gpu {
    /// The device that the options name. A program for another architecture needs no device until it is loaded.
    pub fn find(options: &Options) -> Result<Gpu, SessionError> {
        options.check_gpu()?;
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
        let without = "matrix products take own kernels alone";
        let cublaslt = vendor_file(cuda::cublaslt, &options.cublaslt, without, options)?;
        let cudnn = if options.deterministic {
            Err("option `deterministic` is on".to_string())
        } else {
            vendor_file(cuda::cudnn, &options.cudnn, "convolutions take own kernels alone", options)?
        };
        let portable = options.cuda_arch.len() > 1 || options.cuda_ptx;
        let own = target.arch;
        let target = if portable { shared_target(&options.cuda_arch, target.arch) } else { target };
        let mut architectures: Vec<Architecture> = if portable {
            let mut all = if options.cuda_arch.is_empty() { vec![own] } else { options.cuda_arch.clone() };
            all.stable_sort();
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
        let cache = options.cache();
        let (index, cufft, cusolver) = (options.device, None, None);
        Ok(Gpu { index, name, target, architectures, nvrtc, cache, driver, cublaslt, cudnn, cufft, cusolver })
    }

    /// Finds cuFFT for a graph that has Fourier transforms.
    pub fn look_for_transforms(&mut self, graph: &Graph, options: &Options) -> Result<(), SessionError> {
        let is_transform = |op| matches!(op, OpId::Fourier | OpId::FourierReal | OpId::FourierBack);
        let inner = each_graph(graph).into_iter().map(|(inner, _)| inner);
        let mut graphs = std::iter::once(graph).chain(inner);
        if graphs.any(|graph| graph.order.iter().any(|id| is_transform(graph.nodes[*id].op))) {
            let without = "Fourier transforms run on the host";
            self.cufft = vendor_file(cuda::cufft, &options.cufft, without, options)?.ok();
            self.target.vendor.cufft = self.cufft.is_some();
        }
        Ok(())
    }

    /// Finds cuSOLVER for a program that has factorisations.
    pub fn look_for_factorisations(
        &mut self,
        program: &Program,
        options: &Options,
    ) -> Result<(), SessionError> {
        let by_cusolver = |node: &LoopNode| match &node.kind {
            NodeKind::Library(routine) => routine.attributes.routine().on_device() == Some(Library::Cusolver),
            _ => false,
        };
        if !options.host_factorises && program.nodes.iter().any(by_cusolver) {
            let without = "factorisations of matrices run on the host";
            self.cusolver = vendor_file(cuda::cusolver, &options.cusolver, without, options)?.ok();
            self.target.vendor.cusolver = self.cusolver.is_some();
        }
        Ok(())
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
                    && (routine.is_some() || !mapping::cuda::candidates(program, group, &rounding).is_empty())
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
        options.log(
            2,
            Channel::PerfHints,
            &format!("{what}: option `cuda.tf32` would let them, with three decimal digits"),
        );
    }
}

impl Gpu {
    pub fn vendor_files(&self) -> VendorFiles {
        VendorFiles {
            cublaslt: self.cublaslt.clone().ok(),
            cudnn: self.cudnn.clone().ok(),
            cufft: self.cufft.clone(),
            cusolver: self.cusolver.clone(),
        }
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

/// Kernels of one program, at most: enough programs to keep the cores busy, few enough that each parses little. A kernel that runs many
/// has as much text as many, and one of a template, whose tiles are unrolled, takes as long as [`TEMPLATE`] others.
const PROGRAM: usize = 12;
const PROGRAM_BYTES: usize = 32 << 10;
const TEMPLATE: usize = 6;

/// Finds the kernels in the cache or compiles them; `entry` is the compilation's, where it was looked up already.
pub fn build(
    kernels: &HashMap<String, Kernel>,
    gpu: &Gpu,
    options: &Options,
    entry: Option<Kept>,
) -> Result<(Code, Entry), SessionError> {
    if gpu.target.arch < NATIVE_BFLOAT && kernels.values().any(|k| k.body.contains("bfloat")) {
        options.log(
            1,
            Channel::PerfHints,
            &format!(
                "{} has no bfloat16 of its own: values are converted by several instructions each; float16 is faster there",
                gpu.name
            ),
        );
    }
    let sources = sources(kernels);
    if let Some(dump) = &options.dump {
        for (k, source) in sources.iter().enumerate() {
            let path = dump.join(format!("kernels{k}.cu"));
            crate::base::file::write(&path, source.as_bytes()).map_err(|e| SessionError::Io {
                what: format!("write `{}`", path.display()),
                reason: e.to_string(),
            })?;
        }
    }
    let kept = entry.unwrap_or_else(|| Kept::look_up(&gpu.cache, &depends(gpu, &sources), options));
    let found = gpu.architectures.iter().flat_map(|architecture| {
        let kept = &kept;
        sources.iter().map(move |source| {
            let data = kept.item(&item_name(source, *architecture))?.to_vec();
            Some(Cubin { data, arch: architecture.arch, kind: architecture.kind })
        })
    });
    let (cubins, entry) = match found.collect::<Option<Vec<Cubin>>>() {
        Some(cubins) => {
            count(Counter::KernelsFromCache, kernels.len() as u64);
            (cubins, kept.used(&gpu.cache))
        }
        None => {
            let cubins = compile(gpu, &sources)?;
            count(Counter::KernelsCompiled, kernels.len() as u64);
            let places = gpu.architectures.iter().flat_map(|a| sources.iter().map(move |s| item_name(s, *a)));
            let item = |(name, cubin): (String, &Cubin)| Item { name, bytes: cubin.data.clone() };
            let made = places.zip(&cubins).map(item).collect();
            (cubins, kept.store(&gpu.cache, made, options))
        }
    };
    Ok((code(cubins, gpu, options), entry))
}

fn code(cubins: Vec<Cubin>, gpu: &Gpu, options: &Options) -> Code {
    let vendor = gpu.vendor_files();
    let runs = CudaRuns { factorises: vendor.cusolver.is_some(), ..options.cuda_runs() };
    Code::Cuda { cubins: Arc::new(cubins), vendor, device: gpu.index, runs }
}

/// The kernels as programs, which are compiled side by side.
pub fn sources(kernels: &HashMap<String, Kernel>) -> Vec<String> {
    let mut by_lanes: OrderedMap<i64, Vec<(&String, &Kernel)>> = OrderedMap::new();
    for (name, kernel) in kernels {
        by_lanes.or_default(kernel.lanes).push((name, kernel));
    }
    let mut sources = vec![codegen::cuda::copy_source()];
    for (lanes, list) in by_lanes {
        let mut rest = &list[..];
        while !rest.is_empty() {
            let (mut bytes, mut weight) = (0, 0);
            let small = |(_, kernel): &&(&String, &Kernel)| {
                bytes += kernel.body.len();
                weight += if kernel.headers.is_empty() { 1 } else { TEMPLATE };
                bytes <= PROGRAM_BYTES && weight <= PROGRAM
            };
            let count = rest.iter().take_while(small).count().max(1);
            let (part, others) = rest.split_at(count);
            sources.push(codegen::cuda::source(lanes, part));
            rest = others;
        }
    }
    sources
}

/// Every source as a cubin for each architecture, in their order.
pub fn compile(gpu: &Gpu, sources: &[String]) -> Result<Vec<Cubin>, CudaError> {
    let pieces = sources.len() * gpu.architectures.len();
    let jobs = std::thread::available_parallelism().map_or(1, usize::from).min(pieces);
    // The longest first, so that none is left alone at the end.
    let mut order: Vec<usize> = (0..pieces).collect();
    order.stable_sort_by_key(|place| std::cmp::Reverse(sources[place % sources.len()].len()));
    let next = AtomicUsize::new(0);
    type Outcome = Option<Result<Cubin, CudaError>>;
    let done: Mutex<Vec<Outcome>> = Mutex::new(vec![None; pieces]);
    let work = || {
        loop {
            let Some(&place) = order.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            let architecture = &gpu.architectures[place / sources.len()];
            let source = &sources[place % sources.len()];
            let Architecture { arch, kind } = *architecture;
            let data = gpu.nvrtc.compile(source, &architecture.name());
            let result = data.map(|data| Cubin { data, arch, kind });
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

/// A cubin's name in an entry.
fn item_name(source: &str, architecture: Architecture) -> String {
    format!("{}_{}.cubin", &Key::of("source", [source.as_bytes()]).hex()[..16], architecture.name())
}

/// All that cubins depend on: a program's text holds its kernels and what they use.
fn depends<'a>(gpu: &Gpu, sources: &'a [String]) -> Depends<'a> {
    let flags: Vec<Vec<String>> = gpu.architectures.iter().map(|a| Nvrtc::options(&a.name())).collect();
    let by = [format!("{flags:?}"), gpu.nvrtc.release()].map(|text| text.into_bytes().into());
    Depends {
        what: "cubins",
        target: gpu.names(),
        parts: by.into_iter().chain(sources.iter().map(|text| text.as_bytes().into())).collect(),
        here: gpu.nvrtc.identity(),
    }
}
