//! The keys that say what runs a program, on which machine, and how its results may differ.

use super::super::modes::{MODES, mode_values};
use super::super::options::{BACKEND_NAMES, BackendRequest};
use super::{Key, parse_bool};
use crate::base::StableSort;
use crate::ops::int4::Int4Layout;
use crate::runtime::MOST_THREADS;
use crate::target::Isa;
use std::path::PathBuf;

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
        name: "int4.layout",
        ty: "avx512 | avx2 | default",
        default: "",
        meaning: "Which CPU packed the weights of _weight_int4pack_mm_for_cpu: what torch.backends.cpu.get_cpu_capability() says on the x86 machine that exported the program. The order of their bytes differs, and nothing in a program tells which it is. Empty: such a program is refused, unless the order does not matter: the graph packs the weights itself (_convert_weight_to_int4pack_for_cpu), or they have 16 rows. It decides nothing about the machine that runs the program.",
        set: |o, v| {
            o.int4_layout = match v {
                "" => None,
                name => Some(Int4Layout::from_name(name).ok_or("it is avx512, avx2 or default")?),
            };
            Ok(())
        },
    },
    Key {
        name: "numerics",
        ty: "default | strict",
        default: "default",
        meaning: "Where half-precision values are rounded. default: after each operator, as PyTorch rounds them, but not inside of one: a logit keeps its quotient in float32, a softmax's logarithm its sum, a transposed convolution adds in float32, and an attention that a model writes by hand as products and a softmax is one kernel, which keeps scores and weights in float32. strict: there, too, as PyTorch's kernels for the kind of device do, at the cost of the attention's kernel. Results then differ from PyTorch's by the order of sums and the last bit of functions alone; so does PyTorch's own fused attention, whose blocks are its own, and a batch norm whose input is neither contiguous nor channels last. Transposed convolutions of float16 follow it for windows of known sizes with up to 4,096 elements, as PyTorch computes them without oneDNN. Other dtypes are the same in both.",
        set: |o, v| {
            o.strict_numerics = match v {
                "default" => false,
                "strict" => true,
                _ => return Err("it is default or strict".into()),
            };
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
        name: "cuda.cufft",
        ty: "path",
        default: "",
        meaning: "The file of cuFFT, which is looked for where a program has Fourier transforms; empty: as for cuBLASLt.",
        set: |o, v| {
            o.cufft = (!v.is_empty()).then(|| PathBuf::from(v));
            Ok(())
        },
    },
    Key {
        name: "cuda.cusolver",
        ty: "path or off",
        default: "",
        meaning: "The file of cuSOLVER, which is looked for where a program has factorisations of matrices; empty: as for cuBLASLt; `off`: the host does them.",
        set: |o, v| {
            (o.host_factorises, o.cusolver) =
                (v == "off", (!v.is_empty() && v != "off").then(|| PathBuf::from(v)));
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
        meaning: "Every kernel's result is the same bits at every run, compilation and number of threads on machines of one kind, for the same inputs and random state; what cannot promise that is refused by name. A host's own operators and backends say of themselves that they promise it, when they are registered. How reductions are split depends on no number of threads then, nothing is chosen by timing, and convolutions are not left to cuDNN.",
        set: |o, v| {
            o.deterministic = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "freeze",
        ty: "bool",
        default: "false",
        meaning: "Constants that the program makes something of before its first run (packed weights, folded subgraphs) are frozen: none of them can be replaced afterwards, and those that runs do not read are dropped from memory. An artifact's file holds what was made in their place, and makes nothing when it is opened. One for several instruction sets, or for a GPU that this machine lacks, keeps the constants, and makes the same when it is opened. An executable that dropped constants can neither read nor replace them; where an artifact keeps them, a compiled program does too, to be saved.",
        set: |o, v| {
            o.freeze = parse_bool(v)?;
            Ok(())
        },
    },
];
