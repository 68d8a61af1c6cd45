//! Options: documented string keys. The only place that reads the environment.

use super::SessionError;
use crate::base::Status;
use crate::device::cache::Cache;
use crate::device::toolchain::Search;
use crate::target::IsaRequest;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Receives log lines: level (0 error, 1 warning, 2 information, 3 debugging) and message. Called by the thread that
/// compiles.
pub type LogCallback = Arc<dyn Fn(i32, &str) + Send + Sync>;

/// What runs a compiled program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackendRequest {
    /// `cpu` where a C++ compiler is found, otherwise `interpreter`.
    Auto,
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
    Interpreter,
}

/// How much is tried to make a program fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Default,
    /// CUDA graphs.
    ReduceOverhead,
    /// Candidates are timed on the device; CUDA graphs.
    MaxAutotune,
    /// Candidates are timed on the device.
    MaxAutotuneNoCudagraphs,
}

impl Mode {
    /// Whether runs on a GPU are replayed as CUDA graphs.
    pub fn graphs(self) -> bool {
        matches!(self, Mode::ReduceOverhead | Mode::MaxAutotune)
    }
    /// Whether several ways of doing a step are timed on the device to choose between them.
    pub fn autotunes(self) -> bool {
        matches!(self, Mode::MaxAutotune | Mode::MaxAutotuneNoCudagraphs)
    }
}

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
    pub mode: Mode,
    pub isa: IsaRequest,
    /// Compute capabilities to write GPU kernels for (90 for 9.0); empty: that of the device.
    pub cuda_arch: Vec<u32>,
    /// Kernels are kept as PTX, too.
    pub cuda_ptx: bool,
    pub cuda_deterministic: bool,
    pub nvrtc: Option<PathBuf>,
    pub driver: Option<PathBuf>,
    pub cublaslt: Option<PathBuf>,
    pub cudnn: Option<PathBuf>,
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
    pub artifact_sha256: Option<String>,
    pub cache_enabled: bool,
    pub cache_folder: Option<PathBuf>,
    pub cache_max_bytes: u64,
    /// Programs share memory, and each run of a step has a graph.
    pub graph_trees: bool,
    /// How many recorded graphs each thread keeps of a program.
    pub most_graphs: u32,
    pub size_asserts: bool,
    pub dump: Option<PathBuf>,
    pub verify: bool,
    log: Option<(i32, LogCallback)>,
}

struct Key {
    name: &'static str,
    ty: &'static str,
    default: &'static str,
    meaning: &'static str,
    set: fn(&mut Options, &str) -> Result<(), String>,
}

const KEYS: &[Key] = &[
    Key {
        name: "backend",
        ty: "auto | cpu | cuda | interpreter",
        default: "auto",
        meaning: "What runs the program. auto: cpu where a C++ compiler is found, otherwise the interpreter; a backend asked for by name never falls back.",
        set: |o, v| {
            o.backend = match v {
                "auto" => BackendRequest::Auto,
                "cpu" => BackendRequest::Cpu,
                "interpreter" => BackendRequest::Interpreter,
                "cuda" if cfg!(feature = "cuda") => BackendRequest::Cuda,
                "cuda" => return Err("the backend `cuda` is not supported by this build".into()),
                _ => return Err("it is auto, cpu, cuda or interpreter".into()),
            };
            Ok(())
        },
    },
    Key {
        name: "device",
        ty: "integer",
        default: "0",
        meaning: "The index of the backend's device; the CPU has one, 0.",
        set: |o, v| {
            o.device = v.parse().ok().filter(|n| *n >= 0).ok_or("it is an integer from 0")?;
            Ok(())
        },
    },
    Key {
        name: "mode",
        ty: "default | reduce-overhead | max-autotune | max-autotune-no-cudagraphs",
        default: "default",
        meaning: "How much is tried to make the program fast. reduce-overhead: runs on a GPU are recorded as CUDA graphs and replayed, one call to the driver for each. max-autotune: that, too, and choices that the device decides are made by timing. max-autotune-no-cudagraphs: the timing without the graphs. They change nothing on a CPU.",
        set: |o, v| {
            o.mode = match v {
                "default" => Mode::Default,
                "reduce-overhead" => Mode::ReduceOverhead,
                "max-autotune" => Mode::MaxAutotune,
                "max-autotune-no-cudagraphs" => Mode::MaxAutotuneNoCudagraphs,
                _ => {
                    return Err(
                        "it is default, reduce-overhead, max-autotune or max-autotune-no-cudagraphs".into()
                    );
                }
            };
            Ok(())
        },
    },
    Key {
        name: "cpu.isa",
        ty: "native | scalar | avx2 | avx512",
        default: "native",
        meaning: "The instruction set that kernels are written for.",
        set: |o, v| {
            o.isa = IsaRequest::parse(v).ok_or("it is native, scalar, avx2 or avx512")?;
            Ok(())
        },
    },
    Key {
        name: "cpu.threads",
        ty: "integer",
        default: "",
        meaning: "Threads of a run; empty: one for each CPU that the process may use.",
        set: |o, v| {
            o.threads = match v {
                "" => None,
                v => Some(v.parse().ok().filter(|n| *n >= 1).ok_or("it is a positive integer")?),
            };
            Ok(())
        },
    },
    Key {
        name: "cuda.arch",
        ty: "compute capabilities, separated by commas",
        default: "",
        meaning: "GPUs that kernels are written for, as 80,90a,100, or with semicolons; empty: the device's own. Of several the program holds kernels for each, written for the oldest, and the executor takes the best that fits.",
        set: |o, v| {
            // A generation's own instructions (90a) are used wherever a program is for that one alone.
            let number = |part: &str| part.trim().trim_end_matches('a').parse().ok();
            let one = |part: &str| number(part).filter(|n| (70..200).contains(n));
            let all = v.split([',', ';']).filter(|p| !p.trim().is_empty()).map(one).collect::<Option<_>>();
            o.cuda_arch = all.ok_or("it is a list of compute capabilities, such as 80,90")?;
            Ok(())
        },
    },
    Key {
        name: "cuda.ptx",
        ty: "bool",
        default: "false",
        meaning: "Programs hold their kernels as PTX, too, for GPUs that are newer than those of cuda.arch: the driver compiles it.",
        set: |o, v| {
            o.cuda_ptx = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "cuda.deterministic",
        ty: "bool",
        default: "true",
        meaning: "false: floats that a scatter adds up on a GPU are added in whichever order threads come to it, by atomic operations, which is faster where many points meet; results then differ by rounding from run to run.",
        set: |o, v| {
            o.cuda_deterministic = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "cuda.nvrtc",
        ty: "path",
        default: "",
        meaning: "The file of NVRTC; empty: the system's, CUDA_HOME's, or that of a Python environment's wheels.",
        set: |o, v| {
            o.nvrtc = (!v.is_empty()).then(|| PathBuf::from(v));
            Ok(())
        },
    },
    Key {
        name: "cuda.driver",
        ty: "path",
        default: "",
        meaning: "The file of the CUDA driver (libcuda.so.1); empty: the system's.",
        set: |o, v| {
            o.driver = (!v.is_empty()).then(|| PathBuf::from(v));
            Ok(())
        },
    },
    Key {
        name: "cuda.cublaslt",
        ty: "path",
        default: "",
        meaning: "The file of cuBLASLt; empty: the copy that the process has open, the system's, CUDA_HOME's, or that of a Python environment's wheels.",
        set: |o, v| {
            o.cublaslt = (!v.is_empty()).then(|| PathBuf::from(v));
            Ok(())
        },
    },
    Key {
        name: "cuda.cudnn",
        ty: "path",
        default: "",
        meaning: "The file of cuDNN; empty: as for cuBLASLt.",
        set: |o, v| {
            o.cudnn = (!v.is_empty()).then(|| PathBuf::from(v));
            Ok(())
        },
    },
    Key {
        name: "cuda.tf32",
        ty: "bool",
        default: "false",
        meaning: "Matrix products and convolutions of float32 may round their operands to TF32, which is several times as fast and has three decimal digits.",
        set: |o, v| {
            o.tf32 = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "cudagraph.trees",
        ty: "bool",
        default: "true",
        meaning: "In modes with CUDA graphs: programs that run one after the other share memory for intermediate results, and each run of a program in a step (litz_cudagraph_mark_step_begin) has a graph of its own. false: each program keeps its own memory, and steps mean nothing.",
        set: |o, v| {
            o.graph_trees = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "cudagraph.limit",
        ty: "integer",
        default: "8",
        meaning: "How many recorded CUDA graphs each thread keeps of a program: for sizes that come back, and for the runs of a step. Beyond it a graph is given the other sizes before it is replayed.",
        set: |o, v| {
            o.most_graphs =
                v.parse().ok().filter(|n| (1..=1024).contains(n)).ok_or("it is from 1 to 1024")?;
            Ok(())
        },
    },
    Key {
        name: "cpp.compiler",
        ty: "path or name",
        default: "",
        meaning: "The C++ compiler; empty: the environment's CXX, then g++, clang++ and c++ on PATH.",
        set: |o, v| {
            o.compiler = (!v.is_empty()).then(|| v.to_string());
            Ok(())
        },
    },
    Key {
        name: "cpp.timeout",
        ty: "seconds",
        default: "300",
        meaning: "How long one run of the C++ compiler may take.",
        set: |o, v| {
            let seconds = v
                .parse::<f64>()
                .ok()
                .filter(|s| *s > 0.0 && s.is_finite())
                .ok_or("it is a positive number")?;
            o.compiler_timeout = Duration::from_secs_f64(seconds.min(1e9));
            Ok(())
        },
    },
    Key {
        name: "cpp.optimization",
        ty: "0 | 1 | 2 | 3",
        default: "2",
        meaning: "The C++ compiler's optimization level.",
        set: |o, v| {
            o.optimization = v.parse().ok().filter(|n| *n <= 3).ok_or("it is 0, 1, 2 or 3")?;
            Ok(())
        },
    },
    Key {
        name: "cpp.strict",
        ty: "bool",
        default: "false",
        meaning: "Warnings about generated code are errors.",
        set: |o, v| {
            o.compiler_strict = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "cpp.flags",
        ty: "flags",
        default: "",
        meaning: "More flags for the C++ compiler when it compiles kernels, separated by blanks: to look for mistakes (-g, -fsanitize=address). Flags that change results are the caller's affair.",
        set: |o, v| {
            o.compiler_flags = v.split_whitespace().map(str::to_string).collect();
            Ok(())
        },
    },
    Key {
        name: "artifact.weights",
        ty: "inside | external",
        default: "inside",
        meaning: "Where an artifact's weights lie: in it, or beside it in <artifact>.weights.",
        set: |o, v| {
            o.external_weights = match v {
                "inside" => false,
                "external" => true,
                _ => return Err("it is inside or external".into()),
            };
            Ok(())
        },
    },
    Key {
        name: "artifact.vendor",
        ty: "auto | on | off",
        default: "auto",
        meaning: "Whether programs for GPUs, artifacts and those that run here, use NVIDIA's libraries of matrix products (cuBLASLt) and of convolutions (cuDNN), which are then opened where they run. auto: each where it is found now; on: both must be found; off: own kernels alone.",
        set: |o, v| {
            o.vendor = match v {
                "auto" => VendorRequest::Auto,
                "on" => VendorRequest::On,
                "off" => VendorRequest::Off,
                _ => return Err("it is auto, on or off".into()),
            };
            Ok(())
        },
    },
    Key {
        name: "artifact.sha256",
        ty: "64 hexadecimal digits",
        default: "",
        meaning: "The SHA-256 that an artifact must have to be opened.",
        set: |o, v| {
            if !v.is_empty() && (v.len() != 64 || !v.bytes().all(|b| b.is_ascii_hexdigit())) {
                return Err("it is 64 hexadecimal digits".into());
            }
            o.artifact_sha256 = (!v.is_empty()).then(|| v.to_lowercase());
            Ok(())
        },
    },
    Key {
        name: "cache.enabled",
        ty: "bool",
        default: "true",
        meaning: "Compiled kernels are kept on disk, and found again by later compilations.",
        set: |o, v| {
            o.cache_enabled = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "cache.dir",
        ty: "folder",
        default: "",
        meaning: "Where they are kept, a folder of this user that others cannot write to; empty: litz in the user's cache folder (XDG_CACHE_HOME, or .cache in HOME).",
        set: |o, v| {
            o.cache_folder = (!v.is_empty()).then(|| PathBuf::from(v));
            Ok(())
        },
    },
    Key {
        name: "cache.max_bytes",
        ty: "integer",
        default: "1073741824",
        meaning: "How much that folder holds at most; what was used least recently is removed.",
        set: |o, v| {
            o.cache_max_bytes = v.parse().map_err(|_| "it is a number of bytes")?;
            Ok(())
        },
    },
    Key {
        name: "debug.dump",
        ty: "folder",
        default: "",
        meaning: "Writes every stage's text and the kernels' sources there.",
        set: |o, v| {
            o.dump = (!v.is_empty()).then(|| PathBuf::from(v));
            Ok(())
        },
    },
    Key {
        name: "debug.size_asserts",
        ty: "bool",
        default: "false",
        meaning: "Each run on a GPU sees that its tensors lie in memory of a GPU, and reach no further than that.",
        set: |o, v| {
            o.size_asserts = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "debug.verify",
        ty: "bool",
        default: "false",
        meaning: "Checks the graph after every stage, as debug builds always do.",
        set: |o, v| {
            o.verify = parse_bool(v)?;
            Ok(())
        },
    },
];

const CACHE_MAX_BYTES: u64 = 1 << 30;

fn parse_bool(text: &str) -> Result<bool, String> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("it is true or false".into()),
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            backend: BackendRequest::Auto,
            device: 0,
            mode: Mode::Default,
            isa: IsaRequest::Native,
            cuda_arch: Vec::new(),
            cuda_ptx: false,
            cuda_deterministic: true,
            nvrtc: None,
            driver: None,
            cublaslt: None,
            cudnn: None,
            tf32: false,
            vendor: VendorRequest::Auto,
            threads: None,
            compiler: None,
            compiler_timeout: Duration::from_secs(300),
            compiler_strict: cfg!(debug_assertions),
            compiler_flags: Vec::new(),
            optimization: 2,
            external_weights: false,
            artifact_sha256: None,
            cache_enabled: true,
            cache_folder: None,
            cache_max_bytes: CACHE_MAX_BYTES,
            graph_trees: true,
            most_graphs: 8,
            size_asserts: false,
            dump: None,
            verify: cfg!(debug_assertions),
            log: None,
        }
    }
}

/// Whether the tests want the next export to panic, to see that no panic leaves the library.
#[cfg(debug_assertions)]
pub(crate) fn panic_is_asked_for() -> bool {
    std::env::var_os("LITZ_TEST_PANIC").is_some()
}

impl Options {
    pub fn new() -> Options {
        Options::default()
    }
    /// Sets an option by its key.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SessionError> {
        let Some(found) = KEYS.iter().find(|k| k.name == key) else {
            let known: Vec<&str> = KEYS.iter().map(|k| k.name).collect();
            return Err(SessionError::invalid(format!(
                "there is no option `{key}`; there are {}",
                known.join(", ")
            )));
        };
        (found.set)(self, value).map_err(|reason| {
            let status =
                if reason.contains("not supported") { Status::Unsupported } else { Status::InvalidArgument };
            SessionError::Option { status, message: format!("option `{key}` cannot be `{value}`: {reason}") }
        })
    }
    /// Sends log lines up to a level to a callback; `None` ends that.
    pub fn set_log(&mut self, level: i32, callback: Option<LogCallback>) {
        self.log = callback.map(|c| (level, c));
    }
    pub(crate) fn log(&self, level: i32, message: &str) {
        if let Some((most, callback)) = &self.log
            && level <= *most
        {
            callback(level, message);
        }
        tracing::event!(tracing::Level::DEBUG, level, "{message}");
    }
    /// Every key with its type, default and meaning, as a JSON array.
    pub fn list_json() -> String {
        let list: Vec<serde_json::Value> = KEYS
            .iter()
            .map(|k| serde_json::json!({"key": k.name, "type": k.ty, "default": k.default, "meaning": k.meaning}))
            .collect();
        serde_json::Value::Array(list).to_string()
    }
    /// How a program for a GPU runs.
    #[cfg(feature = "cuda")]
    pub(crate) fn cuda_runs(&self) -> crate::runtime::CudaRuns {
        crate::runtime::CudaRuns {
            graphs: self.mode.graphs(),
            trees: self.graph_trees,
            most_graphs: self.most_graphs,
            size_asserts: self.size_asserts,
            measures: self.mode.autotunes(),
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
    /// The cache on disk. `None`, with the reason, where there is none.
    pub(crate) fn cache(&self) -> Result<Cache, String> {
        if !self.cache_enabled {
            return Err("off".into());
        }
        let usual = || {
            let cache_home = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
            let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
            cache_home.filter(|p| p.is_absolute()).or_else(home).map(|p| p.join("litz"))
        };
        let folder = match &self.cache_folder {
            // Another working directory later must not be another cache.
            Some(given) => std::path::absolute(given).map_err(|e| e.to_string())?,
            None => usual().ok_or("neither XDG_CACHE_HOME nor HOME is set")?,
        };
        Cache::open(&folder, self.cache_max_bytes)
    }
    /// The cache on disk; where it cannot be used though it is on, that is logged.
    pub(crate) fn usable_cache(&self) -> Result<Cache, String> {
        let cache = self.cache();
        if let Err(reason) = &cache
            && self.cache_enabled
        {
            self.log(1, &format!("kernels are compiled without a cache: {reason}"));
        }
        cache
    }
    /// Where to look for a compiler, with what the environment says.
    pub(crate) fn search(&self, cache: Option<&Cache>) -> Search {
        Search {
            explicit: self.compiler.as_ref().map(Into::into),
            cxx: std::env::var_os("CXX"),
            path: std::env::var_os("PATH"),
            cache: cache.cloned(),
        }
    }
    /// What else of the environment decides what a compiler does.
    pub(crate) fn compiler_environment(&self) -> String {
        let names = ["GCC_EXEC_PREFIX", "COMPILER_PATH", "LIBRARY_PATH", "CPATH", "CPLUS_INCLUDE_PATH"];
        names.map(|name| format!("{name}={:?};", std::env::var_os(name))).concat()
    }
}
