//! The options of a compilation, and what the environment says of them: the only place that reads it. `option_values` sets
//! them by key.

use super::SessionError;
use super::division::{Budget, Partitioner};
use super::dump;
use super::kept::TrainingHalf;
use super::option_keys::{
    CACHE_MAX_BYTES, CACHE_MEMORY_BYTES, CACHE_REMOTE_BYTES, CACHE_REMOTE_SECONDS, keys,
};
use super::registry::{Registry, SharedRegistry};
use super::watch::{LogCallback, TraceCallback, Watch};
use crate::base::event::{Channel, Event};
use crate::base::{HashMap, cancel};
use crate::device::cache::{Cache, Disk, Memory};
use crate::device::toolchain::Search;
use crate::ir::{Graph, HostOperators};
use crate::ops::int4::Int4Layout;
use crate::runtime::profile::ProfileRequest;
use crate::target::Isa;
use crate::types::Dtype;
use std::path::PathBuf;
use std::time::Duration;

/// What runs a compiled program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackendRequest {
    /// `cpu` where a C++ compiler is found, otherwise `interpreter`.
    Auto,
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
    Interpreter,
    /// The interpreter on the functional graph, without Litz's own passes.
    Nop,
    /// As `Nop`, and the graph is printed.
    Print,
    /// One that a host registered, by its name.
    Host(String),
}

impl BackendRequest {
    pub fn name(&self) -> &str {
        match self {
            BackendRequest::Auto => "auto",
            BackendRequest::Cpu => "cpu",
            BackendRequest::Cuda => "cuda",
            BackendRequest::Interpreter => "interpreter",
            BackendRequest::Nop => "nop",
            BackendRequest::Print => "print",
            BackendRequest::Host(name) => name,
        }
    }
}

/// What option `backend` says for what Litz has itself.
pub(super) const BACKEND_NAMES: [&str; 6] = ["auto", "cpu", "cuda", "interpreter", "nop", "print"];

/// Whether programs for NVIDIA GPUs use NVIDIA's libraries of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VendorRequest {
    /// Where they are found.
    Auto,
    /// They must be there.
    On,
    /// Own kernels alone.
    Off,
}

/// The options of a compilation. Unset ones have their defaults.
#[derive(Clone)]
pub struct Options {
    pub backend: BackendRequest,
    /// The index of the backend's device.
    pub device: i32,
    /// Runs on a GPU are recorded as CUDA graphs and replayed.
    pub graphs: bool,
    /// Several ways of doing a step are timed on the device to choose between them.
    pub autotunes: bool,
    /// Instruction sets that kernels are written for, the least first; empty: this machine's.
    pub isas: Vec<Isa>,
    /// Compute capabilities to write GPU kernels for (90 for 9.0); empty: that of the device.
    pub cuda_arch: Vec<u32>,
    /// Kernels are kept as PTX, too.
    pub cuda_ptx: bool,
    pub cuda_deterministic: bool,
    /// Results are the same bits at every run, whatever the number of threads.
    pub deterministic: bool,
    /// Constants that init reads cannot be replaced, and are dropped where runs do not read them.
    pub freeze: bool,
    /// The lower precision of mixed precision, where it is on.
    pub amp: Option<Dtype>,
    /// Which CPU packed weights of 4 bits.
    pub int4_layout: Option<Int4Layout>,
    /// Halves are rounded wherever PyTorch's kernels round them.
    pub strict_numerics: bool,
    /// What a training program's forward keeps for its backward, and how much it may be.
    pub partitioner: Partitioner,
    pub budget: Option<Budget>,
    pub nvrtc: Option<PathBuf>,
    pub driver: Option<PathBuf>,
    pub cublaslt: Option<PathBuf>,
    pub cudnn: Option<PathBuf>,
    pub cufft: Option<PathBuf>,
    pub cusolver: Option<PathBuf>,
    /// Factorisations of programs for a GPU run on the host.
    pub host_factorises: bool,
    /// Products of float32 may round their operands to TF32.
    pub tf32: bool,
    pub vendor: VendorRequest,
    pub threads: Option<usize>,
    pub compiler: Option<String>,
    pub compiler_timeout: Duration,
    pub compiler_strict: bool,
    pub compiler_flags: Vec<String>,
    pub optimization: u8,
    pub external_weights: bool,
    pub artifact_graph: bool,
    /// What stands before the name of an artifact's entry.
    pub artifact_prefix: String,
    pub artifact_sha256: Option<String>,
    pub cache_enabled: bool,
    pub cache_folder: Option<PathBuf>,
    pub cache_max_bytes: u64,
    pub cache_memory_bytes: u64,
    /// The URL of a store that machines share, and what its entries are sealed with.
    pub cache_remote: Option<String>,
    pub cache_remote_key: Option<String>,
    pub cache_remote_timeout: Duration,
    pub cache_remote_max_bytes: u64,
    pub cache_remote_expiry: Duration,
    /// Nothing is looked up in the cache; what is made replaces what was there.
    pub cache_fresh: bool,
    /// Programs share memory, and each run of a step has a graph.
    pub graph_trees: bool,
    /// How many recorded graphs each thread keeps of a program.
    pub most_graphs: u32,
    pub size_asserts: bool,
    /// Tensors in the host's memory are copied to a GPU and back.
    pub copies_host_tensors: bool,
    /// What of runs is timed.
    pub profile: ProfileRequest,
    /// The way in which autotuning has products done, instead of timing.
    pub choice: Option<String>,
    pub dump: Option<PathBuf>,
    pub verify: bool,
    /// Each kernel's results are compared with the interpreter's.
    pub compares: bool,
    /// Each run's nodes are checked first; true: that values are finite, too.
    pub check: Option<bool>,
    /// Repros hold seeds instead of constants.
    pub seeds_constants: bool,
    pub(super) watch: Watch,
    /// Inputs of runs are kept beside what a compilation dumped.
    pub save_inputs: bool,
    /// The half of a training program that is compiled.
    pub(super) half: Option<TrainingHalf>,
    registry: Option<SharedRegistry>,
    /// Shared by all that were copied from one another: who compiles has a copy.
    cancels: cancel::Requests,
    /// What was set by key, in the order in which it was set first.
    pub(super) given: HashMap<&'static str, String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            backend: BackendRequest::Auto,
            device: 0,
            graphs: false,
            autotunes: false,
            isas: Vec::new(),
            cuda_arch: Vec::new(),
            cuda_ptx: false,
            cuda_deterministic: true,
            deterministic: false,
            freeze: false,
            amp: None,
            int4_layout: None,
            strict_numerics: false,
            partitioner: Partitioner::MinCut,
            budget: None,
            nvrtc: None,
            driver: None,
            cublaslt: None,
            cudnn: None,
            cufft: None,
            cusolver: None,
            host_factorises: false,
            tf32: false,
            vendor: VendorRequest::Auto,
            threads: None,
            compiler: None,
            compiler_timeout: Duration::from_secs(300),
            compiler_strict: cfg!(debug_assertions),
            compiler_flags: Vec::new(),
            optimization: 2,
            external_weights: false,
            artifact_graph: false,
            artifact_prefix: String::new(),
            artifact_sha256: None,
            cache_enabled: true,
            cache_folder: None,
            cache_max_bytes: CACHE_MAX_BYTES,
            cache_memory_bytes: CACHE_MEMORY_BYTES,
            cache_remote: None,
            cache_remote_key: None,
            cache_remote_timeout: Duration::from_secs(1),
            cache_remote_max_bytes: CACHE_REMOTE_BYTES,
            cache_remote_expiry: Duration::from_secs(CACHE_REMOTE_SECONDS),
            cache_fresh: false,
            graph_trees: true,
            most_graphs: 8,
            size_asserts: false,
            copies_host_tensors: false,
            profile: ProfileRequest::Nothing,
            choice: None,
            dump: None,
            verify: cfg!(debug_assertions),
            compares: false,
            check: None,
            seeds_constants: false,
            watch: Watch::default(),
            save_inputs: false,
            half: None,
            registry: None,
            cancels: cancel::Requests::default(),
            given: HashMap::new(),
        }
    }
}

impl Options {
    /// The same for a compilation of the library's own, later: who set these may be gone, and what hears of it with them.
    pub(super) fn for_later(&self) -> Options {
        Options {
            watch: Watch::default(),
            dump: None,
            save_inputs: false,
            half: None,
            cancels: cancel::Requests::default(),
            ..self.clone()
        }
    }
}

impl Options {
    pub fn new() -> Options {
        Options::default()
    }
    /// The same values and callback; cancelling one does nothing to the other.
    pub fn copied(&self) -> Options {
        Options { cancels: cancel::Requests::default(), ..self.clone() }
    }
    /// The defaults, with the same callback and registry, and cancelled together with these.
    pub(super) fn fresh(&self) -> Options {
        Options {
            watch: self.watch.fresh(),
            registry: self.registry.clone(),
            cancels: self.cancels.clone(),
            ..Options::default()
        }
    }
    /// Ends the compilations with these options that are in progress.
    pub fn cancel(&self) {
        self.cancels.ask();
    }
    /// Lets [`Options::cancel`] end what this thread does as long as the result lives.
    pub(super) fn cancellable(&self) -> cancel::Watching {
        self.cancels.watch()
    }
    /// Sends log lines up to a level to a callback; `None` ends that.
    pub fn set_log(&mut self, level: i32, callback: Option<LogCallback>) {
        self.watch.set_log(level, callback);
    }
    /// Compilations use what this registry holds when they begin.
    pub fn set_registry(&mut self, registry: Option<SharedRegistry>) {
        self.registry = registry;
    }
    pub(super) fn registry(&self) -> Option<&SharedRegistry> {
        self.registry.as_ref()
    }
    /// The operators of a host's that graphs made with these options may call.
    pub fn operators(&self) -> HostOperators {
        self.registry.as_ref().map(SharedRegistry::operators).unwrap_or_default()
    }
    /// What the registry holds now.
    pub(super) fn registered(&self) -> Registry {
        self.registry.as_ref().map(SharedRegistry::now).unwrap_or_default()
    }
    pub(super) fn has_backend(&self, name: &str) -> bool {
        self.registry.as_ref().is_some_and(|r| r.has_backend(name))
    }
    /// Sends events, each a line of JSON, to a callback; `None` ends that.
    pub fn set_trace(&mut self, callback: Option<TraceCallback>) {
        self.watch.set_trace(callback);
    }
    /// What is told in words.
    pub(crate) fn log(&self, level: i32, channel: Channel, text: &str) {
        self.watch.emit(&Event::Message { level, channel, text: text.to_string() });
    }
    pub(crate) fn emit(&self, event: &Event) {
        self.watch.emit(event);
    }
    /// Tells what costs something to say, where somebody hears the channel.
    pub(crate) fn explain(&self, channel: Channel, events: impl FnOnce() -> Vec<Event>) {
        if self.watch.hears(channel) {
            events().iter().for_each(|event| self.watch.emit(event));
        }
    }
    /// The options of one compilation of a graph of this name: its dump is a folder of its own.
    pub(super) fn dumped(&self, graph: &str) -> Result<Options, SessionError> {
        let dump = self.dump.as_deref().map(|root| dump::folder(root, graph)).transpose()?;
        if self.save_inputs && dump.is_none() {
            return Err(dump::without_folder());
        }
        Ok(Options { dump, ..self.clone() })
    }
    /// The options of opening a program: what is told of it and its runs has numbers of its own.
    pub(super) fn of_opening(&self) -> Options {
        self.heard_by(self.watch.of_compile(Graph::next_id()))
    }
    /// The same options, told to others.
    pub(super) fn heard_by(&self, watch: Watch) -> Options {
        Options { watch, ..self.clone() }
    }
    /// Whether runs are timed.
    pub(super) fn profiles(&self) -> bool {
        self.profile != ProfileRequest::Nothing
    }
    /// Every key with its type, default and meaning, as a JSON array.
    pub fn list_json() -> String {
        let list: Vec<serde_json::Value> = keys()
            .map(|k| crate::base::json!({"key": k.name, "type": k.ty, "default": k.default, "meaning": k.meaning}))
            .collect();
        serde_json::Value::Array(list).to_string()
    }
    /// How a program for a GPU runs.
    #[cfg(feature = "cuda")]
    pub(crate) fn cuda_runs(&self) -> crate::runtime::CudaRuns {
        crate::runtime::CudaRuns {
            graphs: self.graphs,
            trees: self.graph_trees,
            most_graphs: self.most_graphs,
            size_asserts: self.size_asserts,
            host_tensors: self.copies_host_tensors,
            measures: self.autotunes && !self.deterministic,
            ..crate::runtime::CudaRuns::default()
        }
    }
    /// Where to look for NVIDIA's libraries, with what the environment says; `explicit` is the option's file.
    #[cfg(feature = "cuda")]
    pub(crate) fn library_search(&self, explicit: &Option<PathBuf>) -> crate::device::cuda::LibrarySearch {
        let path = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let mut python: Vec<PathBuf> = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(path).collect();
        // The root of the environment that python3 belongs to is the parent of the folder that holds it.
        let folders = std::env::var_os("PATH");
        let folders = folders.iter().flat_map(std::env::split_paths);
        let found =
            folders.filter(|f| f.join("python3").is_file()).filter_map(|f| Some(f.parent()?.to_owned()));
        python.extend(found);
        crate::device::cuda::LibrarySearch {
            explicit: explicit.clone(),
            cuda_home: path("CUDA_HOME").or_else(|| path("CUDA_PATH")),
            python,
        }
    }
    /// The cache's level on disk, or why there is none.
    pub(super) fn disk(&self) -> Result<Disk, String> {
        let folder = match &self.cache_folder {
            // Another working directory later must not be another cache.
            Some(given) => std::path::absolute(given).map_err(|e| e.to_string())?,
            None => usual_cache_folder().ok_or("neither XDG_CACHE_HOME nor HOME is set")?,
        };
        Disk::open(&folder, self.cache_max_bytes)
    }
    /// The cache's levels; one that cannot be used though it is on is left out, which is logged.
    pub(crate) fn cache(&self) -> Cache {
        if !self.cache_enabled {
            return Cache::default();
        }
        let disk = self.disk();
        if let Err(reason) = &disk {
            self.log(1, Channel::Cache, &format!("kernels are compiled without a cache on disk: {reason}"));
        }
        let disk = disk.ok();
        let folder = disk.as_ref().map_or(&[][..], |disk| disk.folder().as_os_str().as_encoded_bytes());
        let store = self.cache_remote.as_deref().unwrap_or_default().as_bytes();
        let memory =
            (self.cache_memory_bytes > 0).then(|| Memory::new(&[folder, store], self.cache_memory_bytes));
        Cache {
            memory,
            disk,
            #[cfg(feature = "remote-cache")]
            remote: self.remote(),
            fresh: self.cache_fresh,
        }
    }
    /// The store that machines share, where there is one.
    #[cfg(feature = "remote-cache")]
    fn remote(&self) -> Option<crate::device::cache::Remote> {
        let (url, secret) = (self.cache_remote.as_ref()?, self.cache_remote_key.as_ref()?);
        let limits = crate::device::cache::Limits {
            timeout: self.cache_remote_timeout,
            max_bytes: self.cache_remote_max_bytes,
            expiry: self.cache_remote_expiry,
        };
        crate::device::cache::Remote::new(url, secret, limits)
            .map_err(|reason| {
                self.log(1, Channel::Cache, &format!("kernels are compiled without a remote cache: {reason}"))
            })
            .ok()
    }
    /// Where to look for a compiler, with what the environment says and what the cache remembers.
    pub(crate) fn search(&self, cache: &Cache) -> Search {
        Search {
            explicit: self.compiler.as_ref().map(Into::into),
            cxx: std::env::var_os("CXX"),
            path: std::env::var_os("PATH"),
            cache: cache.disk.clone().filter(|_| !cache.fresh),
        }
    }
    /// What else of the environment decides what a compiler does.
    pub(crate) fn compiler_environment(&self) -> String {
        let names = ["GCC_EXEC_PREFIX", "COMPILER_PATH", "LIBRARY_PATH", "CPATH", "CPLUS_INCLUDE_PATH"];
        names.map(|name| format!("{name}={:?};", std::env::var_os(name))).concat()
    }
}

/// The value that the environment gives an option which is not set.
pub(super) fn from_environment(key: &str) -> Option<String> {
    let path = |path: PathBuf| path.to_string_lossy().into_owned();
    match key {
        "cpp.compiler" => std::env::var_os("CXX").filter(|v| !v.is_empty()).map(|v| path(v.into())),
        "cache.dir" => usual_cache_folder().map(path),
        _ => None,
    }
}

fn usual_cache_folder() -> Option<PathBuf> {
    let cache_home = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
    cache_home.filter(|p| p.is_absolute()).or_else(home).map(|p| p.join("litz"))
}
