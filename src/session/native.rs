//! Groups to machine code: sources, one object per core, a library.

use super::describe::Entry;
use super::dump::DumpedKernels;
use super::kept::{Depends, Kept};
use super::link::Call;
use super::{Options, SessionError};
use crate::base::counters::{Counter, count};
use crate::base::event::Channel;
use crate::base::{HashMap, OrderedSet, Status};
use crate::base::{StableSort, file, memory};
use crate::codegen::{self, Kernel};
use crate::device::cache::{Cache, Item};
use crate::device::cpu;
use crate::device::scratch::{Folder, forbids_execution};
use crate::device::toolchain::{CompileOptions, Source, Toolchain};
use crate::ir::HostOperator;
use crate::ir::host::HostSource;
use crate::kernels::{
    self,
    verify::{Data, verify_with},
};
use crate::loops::{NodeKind, Program, Routine};
use crate::mapping;
use crate::plan::external::{Fourier, Transform};
use crate::plan::{Attributes, HostCall, STACK_SCRATCH};
use crate::runtime::{Code, RuntimeError};
use crate::schedule::{Group, GroupKind, Schedule, held_bytes};
use crate::target::{CpuTarget, CudaTarget, Isa, Target, Vendor};
use crate::types::SymInt;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;

/// The kernels of a schedule as source.
pub struct Kernels {
    pub init: Vec<Call>,
    pub main: Vec<Call>,
    /// Each different kernel once, by symbol.
    pub different: HashMap<String, Kernel>,
}

/// What builds kernels, and what keeps them.
pub struct Builder {
    /// One for each instruction set, the least first.
    pub targets: Vec<CpuTarget>,
    /// Those of a run, as far as is known.
    pub threads: usize,
    pub toolchain: Toolchain,
    pub cache: Cache,
}

/// Maps every group to a kernel, and writes its source. Without options, kernels are neither verified nor dumped.
pub fn emit(
    program: &Program,
    schedule: &Schedule,
    target: &Target,
    options: Option<&Options>,
) -> Result<Kernels, SessionError> {
    let mut different = HashMap::new();
    let mut dumped = options.and_then(|options| DumpedKernels::new(options, target));
    let verifies = cfg!(debug_assertions) && options.is_some_and(|options| options.verify);
    let scratch = most_scratch(program, schedule, target);
    let mut work = |groups: &[Group], mut together: Together| -> Result<Vec<Work>, SessionError> {
        groups
            .iter()
            .enumerate()
            .map(|(place, group)| {
                memory::checkpoint();
                if let GroupKind::Template { routine: Some(routine), .. } = &group.kind {
                    return Ok(Work::Library(routine.clone()));
                }
                if let Some(routine) = routine_of(program, group, target)? {
                    let Some((operator, source)) = source_of(program, &routine, target) else {
                        return Ok(Work::Library(routine));
                    };
                    let kernel =
                        codegen::host::kernel(program, group, (&routine, &operator, &source), target)?;
                    let symbol = symbol_of(&kernel, target);
                    different.entry(symbol.clone()).or_insert_with(|| kernel.clone());
                    return Ok(Work::Kernel(symbol, Box::new(kernel)));
                }
                let part = together.remove(&place);
                let is_part = part.is_some();
                let (kind, kernel) = match part {
                    Some(part) => part,
                    None => mapping::kernel(program, group, target, scratch)?,
                };
                if let Some(dumped) = &mut dumped {
                    dumped.add(program, kind, group, &kernel);
                }
                if verifies {
                    verify(program, group, &kernel, target)?;
                }
                if is_part {
                    return Ok(Work::Part(kind, Box::new(kernel)));
                }
                let kernel = codegen::kernel(program, (kind, kernel));
                let symbol = symbol_of(&kernel, target);
                different.entry(symbol.clone()).or_insert_with(|| kernel.clone());
                Ok(Work::Kernel(symbol, Box::new(kernel)))
            })
            .collect()
    };
    let init = work(&schedule.init, Together::default())?;
    let main = work(&schedule.main, together(program, schedule, target))?;
    dumped.map_or(Ok(()), DumpedKernels::write)?;
    let one = |work: &Work| match work {
        Work::Kernel(symbol, kernel) => call(symbol, kernel),
        Work::Library(routine) => {
            Call { symbol: library_name(routine, target), ..library_call(program, routine) }
        }
        Work::Part(..) => unreachable!("a launch of one kernel has no parts"),
    };
    let init = init.iter().map(one).collect();
    let mut calls = Vec::with_capacity(schedule.launches.len());
    for launch in &schedule.launches {
        if let [work] = &main[launch.clone()] {
            calls.push(one(work));
            continue;
        }
        let (mut calls_of, mut parts) = (Vec::new(), Vec::new());
        for work in &main[launch.clone()] {
            match work {
                Work::Kernel(symbol, kernel) => calls_of.push((symbol.clone(), &**kernel)),
                Work::Part(kind, kernel) => parts.push((*kind, &**kernel)),
                Work::Library(_) => unreachable!("what a library does is a launch of its own"),
            }
        }
        let kernel = match parts.first() {
            Some((kind, _)) => codegen::combined_blocks(program, kind, parts.iter().map(|p| p.1)),
            None => codegen::combined(program, &calls_of),
        };
        let symbol = symbol_of(&kernel, target);
        calls.push(call(&symbol, &kernel));
        different.entry(symbol).or_insert(kernel);
    }
    Ok(Kernels { init, main: calls, different })
}

/// Checks a kernel's invariants. Indices that come from data were bound in the loops.
fn verify(
    program: &Program,
    group: &Group,
    kernel: &kernels::Kernel,
    target: &Target,
) -> Result<(), SessionError> {
    let verified = verify_with(&program.syms, kernel, target, Data::BoundByLoops);
    verified.map(|_| ()).map_err(|error| {
        let operators = group.operators.located(&program.origins);
        SessionError::Kernel { operators, target: target.name(), error: Box::new(error) }
    })
}

/// What does a group.
enum Work {
    Kernel(String, Box<Kernel>),
    Library(Routine),
    /// One of the kernels of a GPU's launch, which has no function outside of it.
    Part(&'static str, Box<kernels::Kernel>),
}

/// The kernels of a GPU's launches that run several, by the group's place.
type Together = HashMap<usize, (&'static str, kernels::Kernel)>;

fn together(program: &Program, schedule: &Schedule, target: &Target) -> Together {
    let mut found = Together::default();
    if matches!(target, Target::Cuda(_)) {
        for launch in schedule.launches.iter().filter(|l| l.len() > 1) {
            found
                .extend(launch.clone().zip(mapping::cuda::together(program, &schedule.main[launch.clone()])));
        }
    }
    found
}

/// The routine of a group that has no kernel. A program on a GPU has cuFFT's transform where that is found; Litz's own routines run on
/// the host.
fn routine_of(program: &Program, group: &Group, target: &Target) -> Result<Option<Routine>, SessionError> {
    let GroupKind::Standalone { node } = group.kind else { return Ok(None) };
    let NodeKind::Library(routine) = &program.nodes[node].kind else { return Ok(None) };
    let refused = match &routine.attributes {
        Attributes::Host(call) => unregistered(program, call, matches!(target, Target::Cuda(_))),
        _ => None,
    };
    let mut routine = (**routine).clone();
    if let (Attributes::Fourier(f), Target::Cuda(CudaTarget { vendor: Vendor { cufft: true, .. }, .. })) =
        (&routine.attributes, target)
    {
        let Fourier { dtype, outer, n, inner, kind, .. } = *f;
        routine.attributes = Attributes::Transform(Transform { dtype, outer, n, inner, kind });
    }
    match refused {
        None => Ok(Some(routine)),
        Some(why) => {
            let operators = group.operators.located(&program.origins);
            let message = format!("{operators}: {why}");
            Err(SessionError::Option { status: Status::Unsupported, message })
        }
    }
}

/// The library that does a routine, as users know it: the GPU's where it has the routine and is found.
fn library_name(routine: &Routine, target: &Target) -> String {
    match (routine.attributes.routine().on_device(), target) {
        (Some(library), Target::Cuda(CudaTarget { vendor: Vendor { cusolver: true, .. }, .. })) => {
            library.name().to_string()
        }
        _ => routine.attributes.name(),
    }
}

/// The function that a host's operator lacks.
fn unregistered(program: &Program, call: &HostCall<SymInt>, on_gpu: bool) -> Option<String> {
    let operator = program.operators.find(&call.name()?)?;
    let (function, machine, name) = match on_gpu {
        true => (&operator.functions.cuda, "a GPU", "run_cuda"),
        false => (&operator.functions.cpu, "a CPU", "run_cpu"),
    };
    let nothing = function.is_none() && operator.source(on_gpu).is_none();
    nothing.then(|| format!("it was registered without a function (`{name}`) or source for {machine}"))
}

/// The operator of a host's that a routine calls, where it has source for the machine, which goes before functions: programs that are
/// saved keep it.
fn source_of(
    program: &Program,
    routine: &Routine,
    target: &Target,
) -> Option<(Arc<HostOperator>, Arc<HostSource>)> {
    let Attributes::Host(call) = &routine.attributes else { return None };
    let operator = program.operators.find(&call.name()?)?;
    let source = operator.source(matches!(target, Target::Cuda(_)))?;
    Some((operator, source))
}

pub fn library_call(program: &Program, routine: &Routine) -> Call {
    let none = program.syms.constant(0);
    Call {
        symbol: routine.attributes.name(),
        buffers: Vec::new(),
        symbols: Vec::new(),
        tasks: none,
        grain: none,
        scratch: none,
        maps: Vec::new(),
        routine: Some(routine.clone()),
    }
}

/// Scratch that a thread should need at most: that of all threads together stays a small part of what lives at one time,
/// or lies on their stacks. On machines of many cores, how fast blocks are counts for more.
fn most_scratch(program: &Program, schedule: &Schedule, target: &Target) -> i64 {
    let part = (schedule.placements.live_bytes / 10).saturating_add(held_bytes(program) / 6);
    (part / target.workers().clamp(1, 8) as i64).max(STACK_SCRATCH)
}

/// The bytes of scratch of all threads of each launch, where it is too much for their stacks.
pub fn arena_scratch(program: &Program, calls: &[Call], threads: usize) -> Vec<SymInt> {
    let syms = &program.syms;
    let one = |call: &Call| {
        if syms.range(call.scratch).max <= STACK_SCRATCH {
            return syms.constant(0);
        }
        let pieces = syms.hint(call.tasks) / syms.hint(call.grain).max(1);
        let copies = pieces.clamp(1, threads.max(1) as i64);
        let line = syms.constant(64);
        syms.mul_const(syms.mul(syms.ceildiv(call.scratch, line), line), copies)
    };
    calls.iter().map(one).collect()
}

fn call(symbol: &str, kernel: &Kernel) -> Call {
    Call {
        symbol: symbol.to_string(),
        buffers: kernel.buffers.clone(),
        symbols: kernel.symbols.clone(),
        tasks: kernel.tasks,
        grain: kernel.grain,
        scratch: kernel.scratch,
        maps: kernel.maps.clone(),
        routine: None,
    }
}

/// A name that equal kernels for an instruction set share: an artifact may hold kernels for several.
fn symbol_of(kernel: &Kernel, target: &Target) -> String {
    let digest = Sha256::new().chain_update(&kernel.body).chain_update(kernel.lanes.to_le_bytes()).finalize();
    let hex: String = digest.iter().take(8).map(|b| format!("{b:02x}")).collect();
    match target {
        Target::Cpu(cpu) => format!("litz_{}_{hex}_{}", kernel.kind, cpu.isa),
        Target::Cuda(_) => format!("litz_{}_{hex}", kernel.kind),
    }
}

/// Kernels for one instruction set, as sources.
struct Prepared {
    isa: Isa,
    how: CompileOptions,
    sources: Vec<Source>,
    /// All that the machine code depends on, but for the compiler.
    depends: Vec<String>,
}

impl Prepared {
    fn new(
        kernels: &HashMap<String, Kernel>,
        isa: Isa,
        builder: &Builder,
        options: &Options,
    ) -> Result<Prepared, SessionError> {
        let how = CompileOptions {
            strict: options.compiler_strict,
            time_limit: options.compiler_timeout,
            extra: options.compiler_flags.iter().map(Into::into).collect(),
            ..CompileOptions::new(isa)
        };
        // Functions of one name for several instruction sets may meet in an artifact.
        let text = |names: &[&String]| {
            let kernels = names.iter().map(|n| ((*n).clone(), &kernels[*n])).collect::<Vec<_>>();
            codegen::includes_first(codegen::source(isa, &kernels), |text| {
                format!("namespace litz_{isa} {{\n{text}\n}}\n")
            })
        };
        // Of no objects there is no library.
        let units = if kernels.is_empty() { Vec::new() } else { units(kernels, how.jobs) };
        let sources: Vec<Source> = units
            .iter()
            .enumerate()
            .map(|(k, unit)| Source {
                name: match &builder.targets[..] {
                    [_] => format!("kernels{k}"),
                    _ => format!("kernels_{isa}_{k}"),
                },
                text: text(unit),
                optimization: options.optimization,
            })
            .collect();
        if let Some(dump) = &options.dump {
            for source in &sources {
                let path = dump.join(format!("{}.cpp", source.name));
                file::write(&path, source.text.as_bytes())
                    .map_err(|e| io(&format!("write `{}`", path.display()), e))?;
            }
        }
        // The bytes of an artifact show how kernels were dealt out over units: who filled the cache must not decide that.
        let all = text(&kernels.keys().collect::<Vec<_>>());
        let flags = format!("{:?}", Toolchain::flags(&how, options.optimization));
        let depends = vec![isa.name().to_string(), flags, units.len().to_string(), all];
        Ok(Prepared { isa, how, sources, depends })
    }

    fn library(&self) -> String {
        format!("kernels_{}.so", self.isa)
    }

    fn object(&self, k: usize) -> String {
        format!("object_{}_{k}.o", self.isa)
    }

    /// Machine code from the cache; the library is then in the folder, a copy of the bytes that were checked.
    fn found(&self, kept: &Kept, folder: &Path) -> Option<Vec<Vec<u8>>> {
        let objects = (0..self.sources.len()).map(|k| Some(kept.item(&self.object(k))?.to_vec()));
        let objects = objects.collect::<Option<Vec<_>>>()?;
        if !objects.is_empty() {
            file::write_private(&folder.join(self.library()), kept.item(&self.library())?).ok()?;
        }
        Some(objects)
    }

    /// Compiles and links in the folder.
    fn compile(
        &self,
        builder: &Builder,
        options: &Options,
        folder: &Path,
    ) -> Result<Vec<Vec<u8>>, SessionError> {
        if self.sources.is_empty() {
            return Ok(Vec::new());
        }
        let objects = builder.toolchain.compile(&self.sources, &self.how, folder)?;
        builder.toolchain.link(&objects, &folder.join(self.library()), options.compiler_timeout)?;
        objects.iter().map(|p| read(p)).collect()
    }

    fn load(&self, folder: &Path) -> Result<Code, RuntimeError> {
        match &self.sources[..] {
            [] => Ok(Code::Host(Vec::new())),
            _ => Code::load(&folder.join(self.library()), self.isa, false),
        }
    }
}

/// Machine code of all variants.
pub struct Built {
    /// The objects of each, in the order of the targets.
    pub objects: Vec<Vec<Vec<u8>>>,
    /// That of the best variant for this machine.
    pub code: Code,
    pub entry: Entry,
}

/// Finds the variants' kernels in the cache or compiles them, and loads those that are the best for this machine.
pub fn build(
    variants: &[&HashMap<String, Kernel>],
    builder: &Builder,
    options: &Options,
) -> Result<Built, SessionError> {
    let prepare = |(target, kernels): (&CpuTarget, &&_)| Prepared::new(kernels, target.isa, builder, options);
    let prepared = builder.targets.iter().zip(variants).map(prepare).collect::<Result<Vec<_>, _>>()?;
    let native = cpu::native_isa();
    let best = prepared.iter().rfind(|p| p.isa <= native).unwrap_or(&prepared[0]);
    if prepared.iter().all(|p| p.sources.is_empty()) {
        let code = Code::Host(Vec::new());
        return Ok(Built { objects: vec![Vec::new(); prepared.len()], code, entry: Entry::default() });
    }
    let different = variants.iter().map(|kernels| kernels.len() as u64).sum();
    let folder = Folder::new()?;
    let folder = folder.path();
    let kept = Kept::look_up(&builder.cache, &depends(&prepared, builder, options), options);
    let found = prepared.iter().map(|p| p.found(&kept, folder)).collect::<Option<Vec<_>>>();
    if let Some(objects) = found {
        match best.load(folder) {
            Ok(code) => {
                count(Counter::KernelsFromCache, different);
                return Ok(Built { objects, code, entry: kept.used(&builder.cache) });
            }
            Err(e) => {
                options.log(1, Channel::Cache, &format!("kernels of the cache are compiled again: {e}"))
            }
        }
    }
    let compiled = prepared.iter().map(|p| p.compile(builder, options, folder));
    let objects = compiled.collect::<Result<Vec<_>, _>>()?;
    let code = best.load(folder).map_err(|mut e| {
        if forbids_execution(folder) {
            e.message += "; the temporary folder's file system is mounted `noexec`: let TMPDIR name a folder on another one";
        }
        e
    })?;
    count(Counter::KernelsCompiled, different);
    let mut items = Vec::new();
    if builder.cache.is_on() {
        for (prepared, objects) in prepared.iter().zip(&objects).filter(|(_, objects)| !objects.is_empty()) {
            let library = read(&folder.join(prepared.library()))?;
            items.push(Item { name: prepared.library(), bytes: library });
            let named = objects.iter().enumerate().map(|(k, o)| (prepared.object(k), o.clone()));
            items.extend(named.map(|(name, bytes)| Item { name, bytes }));
        }
    }
    Ok(Built { objects, code, entry: kept.store(&builder.cache, items, options) })
}

fn read(path: &Path) -> Result<Vec<u8>, SessionError> {
    std::fs::read(path).map_err(|e| io("read a compiled object", e))
}

fn io(what: &str, e: std::io::Error) -> SessionError {
    SessionError::Io { what: what.to_string(), reason: e.to_string() }
}

/// All that machine code depends on. Graph and options shape it through the kernels' text alone, and of the constants
/// only what stands in that text: the data of the others need not be looked at.
fn depends<'a>(prepared: &'a [Prepared], builder: &Builder, options: &Options) -> Depends<'a> {
    let isas: Vec<&str> = prepared.iter().map(|p| p.isa.name()).collect();
    let by =
        [builder.toolchain.release(), options.compiler_environment()].map(|text| text.into_bytes().into());
    let texts = prepared.iter().flat_map(|p| p.depends.iter().map(|text| text.as_bytes().into()));
    Depends {
        what: "kernels",
        target: isas.join(","),
        parts: by.into_iter().chain(texts).collect(),
        here: builder.toolchain.identity().to_string(),
    }
}

/// Kernels dealt out over translation units, so that each core compiles about as much. What needs a native header
/// is kept together where that is no loss, since each unit compiles the header's code again.
fn units(kernels: &HashMap<String, Kernel>, jobs: usize) -> Vec<Vec<&String>> {
    // Kernels that take longest to compile come first, headers included.
    let alone = |k: &Kernel| cost(k) + k.headers.iter().map(|h| h.compile_cost()).sum::<usize>();
    let mut order: Vec<(usize, &String)> = kernels.iter().map(|(n, k)| (alone(k), n)).collect();
    order.stable_sort_by(|a, b| b.cmp(a));
    let count = jobs.min(order.len()).max(1);
    let mut units: Vec<(usize, Vec<&String>, OrderedSet<codegen::NativeHeader>)> =
        vec![Default::default(); count];
    for (_, name) in order {
        let (headers, cost) = (&kernels[name].headers, cost(&kernels[name]));
        let price = |unit: &(usize, Vec<&String>, OrderedSet<codegen::NativeHeader>)| {
            let new = headers.iter().filter(|h| !unit.2.contains(h));
            unit.0 + cost + new.map(|h| h.compile_cost()).sum::<usize>()
        };
        let best = (0..count).min_by_key(|u| price(&units[*u])).unwrap_or(0);
        units[best].0 = price(&units[best]);
        units[best].1.push(name);
        units[best].2.extend(headers.iter().copied());
    }
    units.into_iter().map(|u| u.1).filter(|u| !u.is_empty()).collect()
}

/// The cost of compiling a kernel without its headers, in characters of kernel text. A template's code for one kernel costs as much as
/// `OF_A_TEMPLATE` of them.
fn cost(kernel: &Kernel) -> usize {
    const OF_A_TEMPLATE: usize = 600;
    kernel.body.len() + if kernel.headers.is_empty() { 0 } else { OF_A_TEMPLATE }
}
