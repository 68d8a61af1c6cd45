//! The table of options: keys with their types, defaults and meanings, and how each is set from text.
//!
//! What is documented, listed and looked up comes from here; `options` holds what they set.

use super::modes::{MODES, mode_values};
use super::options::{BACKEND_NAMES, BackendRequest, Options, VendorRequest};
use super::training_keys;
use crate::base::StableSort;
use crate::base::event::Channel;
use crate::runtime::MOST_THREADS;
use crate::runtime::profile::ProfileRequest;
use crate::target::Isa;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An option's key, as `docs/options.md` has it.
pub struct Key {
    pub name: &'static str,
    pub ty: &'static str,
    pub default: &'static str,
    pub meaning: &'static str,
    pub set: fn(&mut Options, &str) -> Result<(), String>,
}

/// All of them, in the order of the document.
pub const KEYS: &[Key] = &[
    Key {
        name: "backend",
        ty: "auto | cpu | cuda | interpreter | nop | print | a registered name",
        default: "auto",
        meaning: "What runs the program. auto: cpu where a C++ compiler is found, otherwise the interpreter; a backend asked for by name never falls back. nop: the interpreter on the functional graph, without Litz's own passes; print: the same, and the graph is written to the log, or to standard output where there is no log callback. Other names are backends of the registry that the options have (litz_options_set_registry, which comes first).",
        set: |o, v| {
            o.backend = match v {
                "auto" => BackendRequest::Auto,
                "cpu" => BackendRequest::Cpu,
                "interpreter" => BackendRequest::Interpreter,
                "cuda" if cfg!(feature = "cuda") => BackendRequest::Cuda,
                "cuda" => return Err("the backend `cuda` is not supported by this build".into()),
                "nop" => BackendRequest::Nop,
                "print" => BackendRequest::Print,
                name if o.has_backend(name) => BackendRequest::Host(name.to_string()),
                _ => {
                    let names = BACKEND_NAMES.join(", ");
                    return Err(format!("it is {names}, or a backend of the options' registry"));
                }
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
        meaning: "How much is tried to make the program fast: values for other keys, which a key that is set itself keeps. reduce-overhead: cudagraph.enabled. max-autotune: that and autotune.enabled. max-autotune-no-cudagraphs: autotune.enabled alone. They change nothing on a CPU.",
        set: |_, v| match mode_values(v) {
            Some(_) => Ok(()),
            None => Err(format!("it is {}", MODES.map(|m| m.0).join(", "))),
        },
    },
    Key {
        name: "autotune.enabled",
        ty: "bool",
        default: "false",
        meaning: "Choices that a GPU decides are made by timing the candidates on it.",
        set: |o, v| {
            o.autotunes = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "cudagraph.enabled",
        ty: "bool",
        default: "false",
        meaning: "Runs on a GPU are recorded as CUDA graphs and replayed, one call to the driver for each.",
        set: |o, v| {
            o.graphs = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "cpu.isa",
        ty: "native | scalar, avx2 and avx512, separated by commas",
        default: "native",
        meaning: "The instruction sets that kernels are written for. Of several, the program holds its code for each, and the best that the machine has runs. When an artifact is opened: which of its instruction sets may run.",
        set: |o, v| {
            let one = |part: &str| Isa::from_name(part.trim());
            let all: Option<Vec<Isa>> = match v {
                "native" => Some(Vec::new()),
                _ => v.split(',').map(one).collect(),
            };
            o.isas = all.ok_or("it is native, or a list of scalar, avx2 and avx512")?;
            o.isas.stable_sort();
            o.isas.dedup();
            Ok(())
        },
    },
    Key {
        name: "cpu.threads",
        ty: "integer",
        default: "",
        meaning: "Threads of a run, up to 256, of the process's pool: of a program that is compiled, or of an artifact that is opened. Empty: as many as litz_set_threads says, or one for each CPU that the process may use.",
        set: |o, v| {
            let fits = |n: &usize| (1..=MOST_THREADS).contains(n);
            o.threads = match v {
                "" => None,
                v => Some(v.parse().ok().filter(fits).ok_or("it is from 1 to 256")?),
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
        name: "run.host_tensors",
        ty: "refuse | copy",
        default: "refuse",
        meaning: "Tensors in the host's memory as inputs and outputs of programs for a GPU. copy: they are copied to the GPU and back, through pinned memory that is kept until litz_memory_release, while the run goes on; results that a run allocates lie in the host's memory, too, unless an input lies on a GPU. When an artifact is opened: its runs.",
        set: |o, v| {
            o.copies_host_tensors = match v {
                "refuse" => false,
                "copy" => true,
                _ => return Err("it is refuse or copy".into()),
            };
            Ok(())
        },
    },
    Key {
        name: "deterministic",
        ty: "bool",
        default: "false",
        meaning: "Every kernel's result is the same bits at every run, compilation and number of threads on machines of one kind; what cannot promise that is refused by name. How reductions are split depends on no number of threads then, nothing is chosen by timing, and convolutions are not left to cuDNN.",
        set: |o, v| {
            o.deterministic = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "freeze",
        ty: "bool",
        default: "false",
        meaning: "Constants that the program makes something of before its first run (packed weights, folded subgraphs) are frozen: none of them can be replaced afterwards, and those that runs do not read are dropped from memory. An artifact's file keeps them, since it makes the same when it is opened. An executable that dropped constants can neither read nor save them.",
        set: |o, v| {
            o.freeze = parse_bool(v)?;
            Ok(())
        },
    },
    training_keys::PARTITIONER,
    training_keys::BUDGET,
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
        name: "artifact.graph",
        ty: "bool",
        default: "false",
        meaning: "Artifacts hold what pictures and reports of them show: the graph, without its constants, and the kernels' sources.",
        set: |o, v| {
            o.artifact_graph = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "artifact.prefix",
        ty: "letters, digits and _",
        default: "",
        meaning: "What stands before the name of an artifact's entry, `litz_artifact_entry_v1`, so that several artifacts can be linked into one program.",
        set: |o, v| {
            let good = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            if !v.bytes().all(good) || v.starts_with(|c: char| c.is_ascii_digit()) || v.len() > 200 {
                return Err("it is a name of letters, digits and _ that begins with no digit".into());
            }
            o.artifact_prefix = v.to_string();
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
        meaning: "What a compilation makes is kept, in memory and on disk, and found again by later ones of the same program. describe says the entry's cache_key and the cache_level where it was found.",
        set: |o, v| {
            o.cache_enabled = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "cache.dir",
        ty: "folder",
        default: "",
        meaning: "Where it is kept on disk, a folder of this user that others cannot write to; empty: litz in the user's cache folder (XDG_CACHE_HOME, or .cache in HOME).",
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
        name: "cache.memory_bytes",
        ty: "integer",
        default: "33554432",
        meaning: "How much the process keeps in memory at most, for its own later compilations, until litz_reset; 0: nothing.",
        set: |o, v| {
            o.cache_memory_bytes = v.parse().map_err(|_| "it is a number of bytes")?;
            Ok(())
        },
    },
    Key {
        name: "cache.remote",
        ty: "URL",
        default: "",
        meaning: "A store that machines share, redis://[user:password@]host[:port][/database], asked after the folder. Needs cache.remote_key, and a build with the Cargo feature remote-cache. A server that is slow, full, wrong or absent costs cache.remote_timeout at most.",
        set: |o, v| {
            check_remote(v)?;
            o.cache_remote = (!v.is_empty()).then(|| v.to_string());
            Ok(())
        },
    },
    Key {
        name: "cache.remote_key",
        ty: "text of at least 16 characters",
        default: "",
        meaning: "What entries of the store are sealed with (HMAC-SHA256): one that does not verify is not used, since entries are code. Machines that share entries share it.",
        set: |o, v| {
            if !v.is_empty() && v.len() < 16 {
                return Err("it has 16 characters at least".into());
            }
            o.cache_remote_key = (!v.is_empty()).then(|| v.to_string());
            Ok(())
        },
    },
    Key {
        name: "cache.remote_timeout",
        ty: "seconds",
        default: "1",
        meaning: "What the store may cost a compilation, all calls together.",
        set: |o, v| {
            let fits = |s: &f64| *s > 0.0 && *s <= 3600.0;
            let seconds = v.parse::<f64>().ok().filter(fits).ok_or("it is a positive number, up to 3600")?;
            o.cache_remote_timeout = Duration::from_secs_f64(seconds);
            Ok(())
        },
    },
    Key {
        name: "cache.remote_max_bytes",
        ty: "integer",
        default: "67108864",
        meaning: "The largest entry, compressed, that is sent to the store or taken from it.",
        set: |o, v| {
            o.cache_remote_max_bytes =
                v.parse().ok().filter(|n| *n <= 1 << 40).ok_or("it is a number of bytes, up to 2^40")?;
            Ok(())
        },
    },
    Key {
        name: "cache.remote_expiry",
        ty: "seconds",
        default: "2592000",
        meaning: "How long the store keeps an entry.",
        set: |o, v| {
            let seconds: u64 = v
                .parse()
                .ok()
                .filter(|n| (1..=10_000_000_000).contains(n))
                .ok_or("it is a number of seconds from 1")?;
            o.cache_remote_expiry = Duration::from_secs(seconds);
            Ok(())
        },
    },
    Key {
        name: "cache.fresh",
        ty: "bool",
        default: "false",
        meaning: "The cache is not asked: everything is made again, autotuning's choices too, and replaces what the cache held.",
        set: |o, v| {
            o.cache_fresh = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "log",
        ty: "stages, fusion, guards, cache, perf_hints, cudagraphs, autotune, memory, kernels, separated by commas",
        default: "",
        meaning: "Channels that are logged whole, whatever the level of the log's callback; to standard error where there is no callback. docs/trace.md lists the events of each channel.",
        set: |o, v| {
            for name in v.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                let channel = Channel::from_name(name).ok_or_else(|| {
                    format!(
                        "there is no channel `{name}`; there are {}",
                        Channel::ALL.map(Channel::name).join(", ")
                    )
                })?;
                o.watch.channels.add(channel);
            }
            Ok(())
        },
    },
    Key {
        name: "trace.file",
        ty: "path",
        default: "",
        meaning: "The events of compilations are written there as a trace that Chrome (about:tracing) and Perfetto show: a JSON list, complete after each event. It begins anew with the first compilation after the key was set to another file.",
        set: |o, v| {
            o.watch.set_file((!v.is_empty()).then(|| Path::new(v)));
            Ok(())
        },
    },
    Key {
        name: "profile",
        ty: "false | true | kernels",
        default: "false",
        meaning: "What each kernel of a run takes is measured and described: `profile` of litz_executable_describe and the page of litz_executable_report. On a GPU runs are then waited for, and of those that are replayed as CUDA graphs the whole is measured; kernels: each of their kernels, too. When an artifact is opened: its runs.",
        set: |o, v| {
            o.profile = match (v, parse_bool(v)) {
                ("kernels", _) => ProfileRequest::Kernels,
                (_, Ok(true)) => ProfileRequest::Runs,
                (_, Ok(false)) => ProfileRequest::Nothing,
                _ => return Err("it is false, true or kernels".into()),
            };
            Ok(())
        },
    },
    Key {
        name: "debug.check",
        ty: "false | true | finite",
        default: "false",
        meaning: "true: before each run the interpreter goes through the graph node by node with the run's inputs. Where a node's dtype, sizes or strides are not what inference said when the graph was built, the run ends with LITZ_ERROR_ASSERTION, which names the node. finite: so does the first NaN or infinity that comes into being. Slow.",
        set: |o, v| {
            o.check = match v {
                "finite" => Some(true),
                _ => parse_bool(v).map_err(|_| "it is false, true or finite")?.then_some(false),
            };
            Ok(())
        },
    },
    Key {
        name: "debug.choice",
        ty: "text",
        default: "",
        meaning: "With a mode that autotunes, the way in which products and convolutions are done that can be done so, by its name in what describe says of `autotune`; nothing is timed then.",
        set: |o, v| {
            o.choice = (!v.is_empty()).then(|| v.to_string());
            Ok(())
        },
    },
    Key {
        name: "debug.compare",
        ty: "off | interpreter",
        default: "off",
        meaning: "interpreter: in each run, what a kernel wrote is computed again by the interpreter from what the kernels before it wrote. A result that differs by more than rounding ends the run with LITZ_ERROR_ASSERTION, which names the kernel and the worst element. Slow; runs are not recorded as CUDA graphs.",
        set: |o, v| {
            o.compares = match v {
                "off" => false,
                "interpreter" => true,
                _ => return Err("it is off or interpreter".into()),
            };
            Ok(())
        },
    },
    Key {
        name: "debug.dump",
        ty: "folder",
        default: "",
        meaning: "Each compilation writes a folder there, named by the graph: the text after every stage, the kernels' sources and the options. docs/trace.md lists the files.",
        set: |o, v| {
            o.dump = (!v.is_empty()).then(|| PathBuf::from(v));
            Ok(())
        },
    },
    Key {
        name: "debug.save_inputs",
        ty: "bool",
        default: "false",
        meaning: "The inputs of each run are written to that folder, a safetensors file for each; debug.dump must be set.",
        set: |o, v| {
            o.save_inputs = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "debug.repro_constants",
        ty: "data | seeds",
        default: "data",
        meaning: "What litz_graph_save_repro keeps of larger constants. seeds: numbers from which others like them are made, of the same dtype, range, mean and spread, for failures that do not depend on the weights.",
        set: |o, v| {
            o.seeds_constants = match v {
                "data" => false,
                "seeds" => true,
                _ => return Err("it is data or seeds".into()),
            };
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

pub const CACHE_MAX_BYTES: u64 = 1 << 30;
pub const CACHE_MEMORY_BYTES: u64 = 32 << 20;
pub const CACHE_REMOTE_BYTES: u64 = 64 << 20;
pub const CACHE_REMOTE_SECONDS: u64 = 30 * 24 * 3600;

#[cfg(feature = "remote-cache")]
fn check_remote(url: &str) -> Result<(), String> {
    if url.is_empty() { Ok(()) } else { crate::device::cache::check_url(url) }
}

#[cfg(not(feature = "remote-cache"))]
fn check_remote(url: &str) -> Result<(), String> {
    if url.is_empty() { Ok(()) } else { Err("remote caches are not supported by this build".into()) }
}

fn parse_bool(text: &str) -> Result<bool, String> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("it is true or false".into()),
    }
}
