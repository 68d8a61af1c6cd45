//! Floor 10: the pipeline. [`compile`] reads as a list of stages; each is a function of a lower floor.
//!
//! Invariants: a backend asked for by name never falls back; what a compilation reads from the environment it reads
//! in `options`; nothing global is left behind.
//!
//! Deliberately absent: C types.

#[cfg(feature = "cuda")]
mod autotune;
#[cfg(feature = "cuda")]
mod cuda;
mod describe;
mod error;
mod executable;
mod interpreted;
mod link;
mod native;
mod option_keys;
mod options;

pub use error::SessionError;
pub use executable::Executable;
#[cfg(debug_assertions)]
pub(crate) use options::panic_is_asked_for;
pub use options::{BackendRequest, LogCallback, Options};

use crate::base::{Status, file, memory};
use crate::decompose::decompose;
use crate::device::cpu;
use crate::device::toolchain::{self, Toolchain, ToolchainError};
use crate::functionalize::functionalize;
use crate::ir::{self, Graph};
use crate::loops::{self, Program, lower::lower};
use crate::passes;
use crate::plan::Plan;
use crate::runtime::{self, Code, ConstantBytes, InstanceOptions, artifact};
use crate::schedule::{self, Schedule};
use crate::target::{CpuTarget, Target};
use describe::Described;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Seconds by stage, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timing(pub Vec<(&'static str, f64)>);

impl Timing {
    fn stage<T, E>(&mut self, name: &'static str, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        memory::checkpoint();
        let start = Instant::now();
        let result = work();
        memory::checkpoint();
        self.0.push((name, start.elapsed().as_secs_f64()));
        result
    }
}

/// The backend that a compilation ends up with.
enum Backend {
    Cpu(Box<native::Builder>),
    #[cfg(feature = "cuda")]
    Cuda {
        gpu: Box<cuda::Gpu>,
    },
    Interpreter {
        because: Option<String>,
    },
}

/// A compiled program before it is given to a runtime.
pub(crate) struct Compiled {
    plan: Plan,
    code: Code,
    constants: Vec<ConstantBytes>,
    saved: Option<executable::Saved>,
}

/// Compiles a graph for this process.
pub fn compile(graph: &Graph, options: &Options) -> Result<Executable, SessionError> {
    let Compiled { plan, code, constants, saved } = build(graph, options)?;
    let program = runtime::Program::new(plan, code, constants)?;
    let instance = runtime::Executable::new(&program, &InstanceOptions { threads: options.threads })?;
    Ok(Executable::new(instance, saved))
}

/// Compiles a graph and loads nothing: the plan, whose metadata describe says. Programs for a GPU that this machine lacks
/// are looked at so.
pub fn plan(graph: &Graph, options: &Options) -> Result<Plan, SessionError> {
    Ok(build(graph, options)?.plan)
}

/// Compiles a graph to a self-contained library.
pub fn compile_artifact(graph: &Graph, options: &Options, path: &Path) -> Result<(), SessionError> {
    artifact::check_target(path)?;
    let compiled = build(graph, options)?;
    let Some(saved) = &compiled.saved else { return Err(executable::no_artifact()) };
    saved.write(&compiled.plan, &compiled.constants, path)
}

/// Opens an artifact.
pub fn open(path: &Path, options: &Options) -> Result<Executable, SessionError> {
    Ok(Executable::new(artifact::open(path, options.artifact_sha256.as_deref(), options.device)?, None))
}

/// Drops what is kept between compilations and idle.
pub fn reset() {
    runtime::cuda::drop_graphs();
    toolchain::forget();
}

fn build(graph: &Graph, options: &Options) -> Result<Compiled, SessionError> {
    let mut timing = Timing::default();
    let backend = choose_backend(options)?;
    let check = |graph: &Graph, functional: bool| -> Result<(), SessionError> {
        if options.verify { Ok(ir::verify(graph, functional)?) } else { Ok(()) }
    };

    check(graph, false)?;
    let graph = timing.stage("functionalize", || functionalize(graph))?;
    check(&graph, true)?;
    let mut graph = timing.stage("decompose", || decompose(&graph))?;
    timing.stage("passes", || passes::run(&mut graph))?;
    check(&graph, true)?;
    let mut program = timing.stage("lower", || lower(&graph))?;
    timing.stage("bounds", || -> Result<(), SessionError> {
        loops::verify(&program)?;
        let guards = loops::bound(&mut program, &graph)?;
        graph.guards.extend(guards);
        Ok(())
    })?;
    let (mut plan, code, objects) = match &backend {
        Backend::Cpu(builder) => {
            let target = &builder.target;
            let settings = schedule::Settings { fuse: true };
            let mut schedule = timing.stage("schedule", || {
                Ok::<_, SessionError>(schedule::schedule(
                    &mut program,
                    &Target::Cpu(target.clone()),
                    settings,
                ))
            })?;
            let kernels = timing
                .stage("codegen", || native::emit(&program, &schedule, &Target::Cpu(target.clone())))?;
            let threads = options.threads.unwrap_or(target.cores);
            schedule.add_rooms(&program, &native::rooms(&program, &kernels.main, threads));
            let (built, origin) =
                timing.stage("build", || native::build(&kernels.different, builder, options))?;
            let plan = timing
                .stage("link", || link::link(&graph, &program, &schedule, &kernels.init, &kernels.main))?;
            let described = Described::native(&schedule, &kernels, builder, origin);
            (described.finish(plan, &graph, &timing), built.code, Some(built.objects))
        }
        #[cfg(feature = "cuda")]
        Backend::Cuda { gpu } => {
            let mut target = gpu.target.clone();
            let mut tuned = None;
            if options.mode.autotunes() {
                let found = timing.stage("autotune", || autotune::tune(&graph, gpu, options))?;
                target.vendor.choices = found.choices;
                tuned = Some(found.report);
            }
            let target = Target::Cuda(target);
            let settings = schedule::Settings { fuse: true };
            let schedule = timing.stage("schedule", || {
                Ok::<_, SessionError>(schedule::schedule(&mut program, &target, settings))
            })?;
            cuda::note_tf32(&program, &schedule, gpu, options);
            let kernels = timing.stage("codegen", || native::emit(&program, &schedule, &target))?;
            let (code, origin) = timing.stage("build", || cuda::build(&kernels.different, gpu, options))?;
            let plan = timing
                .stage("link", || link::link(&graph, &program, &schedule, &kernels.init, &kernels.main))?;
            let described = Described::cuda(&schedule, &kernels, gpu, origin, tuned);
            (described.finish(plan, &graph, &timing), code, None)
        }
        Backend::Interpreter { because } => {
            let (plan, schedule, code) = interpret(&graph, program, &mut timing)?;
            let described = Described::interpreted(&schedule, because.as_deref());
            (described.finish(plan, &graph, &timing), code, None)
        }
    };
    let constants =
        graph.constants.iter().map(|c| Arc::new(Bytes(Arc::clone(&c.data))) as ConstantBytes).collect();
    plan.name = graph.name.clone();
    plan.check()?;
    let saved = match (backend, objects) {
        #[cfg(feature = "cuda")]
        (Backend::Cuda { .. }, _) => match &code {
            Code::Cuda { cubins, runs, .. } => {
                Some(executable::Saved::of_cubins(Arc::clone(cubins), *runs, options))
            }
            _ => None,
        },
        (Backend::Cpu(builder), Some(objects)) => {
            Some(executable::Saved::new(objects, builder.toolchain, builder.target.isa, options))
        }
        _ => None,
    };
    Ok(Compiled { plan, code, constants, saved })
}

fn interpret(
    graph: &Graph,
    mut program: Program,
    timing: &mut Timing,
) -> Result<(Plan, Schedule, Code), SessionError> {
    let target = Target::Cpu(cpu::detect());
    let settings = schedule::Settings { fuse: false };
    let schedule = timing
        .stage("schedule", || Ok::<_, SessionError>(schedule::schedule(&mut program, &target, settings)))?;
    let program = Arc::new(program);
    let (init, main, code) = timing.stage("build", || interpreted::build(&program, &schedule))?;
    let plan = timing.stage("link", || link::link(graph, &program, &schedule, &init, &main))?;
    Ok((plan, schedule, code))
}

fn choose_backend(options: &Options) -> Result<Backend, SessionError> {
    let found = || -> Result<Backend, SessionError> {
        let target = cpu::resolve(options.isa).ok_or_else(|| SessionError::Option {
            status: Status::Unsupported,
            message: "this machine lacks the instruction set that option `cpu.isa` asks for".to_string(),
        })?;
        let target = CpuTarget { cores: options.threads.unwrap_or(target.cores), ..target };
        let cache = options.usable_cache();
        let toolchain = Toolchain::find(&options.search(cache.as_ref().ok()))?;
        Ok(Backend::Cpu(Box::new(native::Builder { target, toolchain, cache })))
    };
    if options.device != 0 && options.backend != BackendRequest::Cuda {
        let message = format!("option `device` is {}, but the CPU has one device, 0", options.device);
        return Err(SessionError::invalid(message));
    }
    match options.backend {
        #[cfg(feature = "cuda")]
        BackendRequest::Cuda => Ok(Backend::Cuda { gpu: Box::new(cuda::Gpu::find(options)?) }),
        #[cfg(not(feature = "cuda"))]
        BackendRequest::Cuda => unreachable!("the option does not take it"),
        BackendRequest::Cpu => found(),
        BackendRequest::Interpreter => Ok(Backend::Interpreter { because: None }),
        BackendRequest::Auto => match found() {
            Err(SessionError::Toolchain(
                error @ (ToolchainError::Missing { .. } | ToolchainError::Unusable { .. }),
            )) => {
                options.log(1, &format!("the interpreter runs this program, slowly: {error}"));
                Ok(Backend::Interpreter { because: Some(error.to_string()) })
            }
            other => other,
        },
    }
}

/// A constant's data as the runtime holds it.
struct Bytes(Arc<ir::ConstantData>);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// Copies an artifact.
fn copy_file(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut copy = file::NewFile::beside(to, file::Access::Library)?;
    std::io::copy(&mut file::open(from)?.0, &mut copy)?;
    copy.keep()
}
