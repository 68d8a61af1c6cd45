//! Groups to machine code: sources, one object per core, a library.

use super::link::Call;
use super::{Options, SessionError};
use crate::base::{file, memory};
use crate::codegen::{self, Kernel};
use crate::device::cache::{Cache, Found, Item, Key};
use crate::device::scratch::{Folder, forbids_execution};
use crate::device::toolchain::{CompileOptions, Source, Toolchain};
use crate::loops::Program;
use crate::plan::STACK_SCRATCH;
use crate::runtime::Code;
use crate::schedule::{Group, GroupKind, Routine, Schedule, held_bytes};
use crate::target::{CpuTarget, Target};
use crate::types::SymInt;
use indexmap::IndexMap;
use sha2::{Digest, Sha256};
use std::path::Path;

/// The kernels of a schedule as source.
pub struct Kernels {
    pub init: Vec<Call>,
    pub main: Vec<Call>,
    /// Each different kernel once, by symbol.
    pub different: IndexMap<String, Kernel>,
}

/// Compiled kernels.
pub struct Built {
    pub objects: Vec<Vec<u8>>,
    pub code: Code,
}

/// What builds kernels, and what keeps them.
pub struct Builder {
    /// One for each instruction set, the least first.
    pub targets: Vec<CpuTarget>,
    pub toolchain: Toolchain,
    /// Without it, why there is none.
    pub cache: Result<Cache, String>,
}

/// Where kernels came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The compiler; they are kept now, where there is a cache.
    Compiled,
    Cache,
}

/// Writes the source of every group.
pub fn emit(program: &Program, schedule: &Schedule, target: &Target) -> Result<Kernels, SessionError> {
    let mut different = IndexMap::new();
    let scratch = most_scratch(program, schedule, target);
    let mut work = |groups: &[Group]| -> Result<Vec<Work>, SessionError> {
        groups
            .iter()
            .map(|group| {
                memory::checkpoint();
                if let GroupKind::Template { routine: Some(routine), .. } = &group.kind {
                    return Ok(Work::Library(routine.clone()));
                }
                let kernel = codegen::kernel(program, group, target, scratch)?;
                let symbol = symbol_of(&kernel, target);
                different.entry(symbol.clone()).or_insert_with(|| kernel.clone());
                Ok(Work::Kernel(symbol, Box::new(kernel)))
            })
            .collect()
    };
    let (init, main) = (work(&schedule.init)?, work(&schedule.main)?);
    let one = |work: &Work| match work {
        Work::Kernel(symbol, kernel) => call(symbol, kernel),
        Work::Library(routine) => library_call(program, routine),
    };
    let init = init.iter().map(one).collect();
    let mut calls = Vec::with_capacity(schedule.launches.len());
    for launch in &schedule.launches {
        if let [work] = &main[launch.clone()] {
            calls.push(one(work));
            continue;
        }
        let kernel = |work: &'_ Work| match work {
            Work::Kernel(symbol, kernel) => (symbol.clone(), kernel.clone()),
            Work::Library(_) => unreachable!("what a library does is a launch of its own"),
        };
        let parts: Vec<(String, Box<Kernel>)> = main[launch.clone()].iter().map(kernel).collect();
        let parts: Vec<(String, &Kernel)> = parts.iter().map(|(s, k)| (s.clone(), &**k)).collect();
        let kernel = codegen::combined(program, &parts);
        let symbol = symbol_of(&kernel, target);
        calls.push(call(&symbol, &kernel));
        different.entry(symbol).or_insert(kernel);
    }
    Ok(Kernels { init, main: calls, different })
}

/// What does a group.
enum Work {
    Kernel(String, Box<Kernel>),
    Library(Routine),
}

fn library_call(program: &Program, routine: &Routine) -> Call {
    let none = program.syms.constant(0);
    Call {
        symbol: routine.routine.library().to_string(),
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
pub fn rooms(program: &Program, calls: &[Call], threads: usize) -> Vec<SymInt> {
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

/// Finds the kernels in the cache or compiles them, and loads them.
pub fn build(
    kernels: &IndexMap<String, Kernel>,
    target: &CpuTarget,
    builder: &Builder,
    options: &Options,
) -> Result<(Built, Origin), SessionError> {
    // Of no objects there is no library.
    if kernels.is_empty() {
        return Ok((Built { objects: Vec::new(), code: Code::Host(Vec::new()) }, Origin::Compiled));
    }
    let folder = Folder::new()?;
    let isa = target.isa;
    let compile_options = CompileOptions {
        strict: options.compiler_strict,
        time_limit: options.compiler_timeout,
        extra: options.compiler_flags.iter().map(Into::into).collect(),
        ..CompileOptions::new(isa)
    };
    // Functions of one name for several instruction sets may meet in an artifact.
    let text = |names: &[&String]| {
        let kernels = names.iter().map(|n| ((*n).clone(), &kernels[*n])).collect::<Vec<_>>();
        format!("namespace litz_{isa} {{\n{}\n}}\n", codegen::source(&kernels))
    };
    let units = units(kernels, compile_options.jobs);
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
    let library = folder.path().join("kernels.so");
    let cache = builder.cache.as_ref().ok();
    // The bytes of an artifact show how kernels were dealt out over units: who filled the cache must not decide that.
    let all = text(&kernels.keys().collect::<Vec<_>>());
    let key = key(&all, units.len(), builder, &compile_options, options);
    if let Some(objects) = cache.and_then(|cache| cached(cache, &key, &library, options)) {
        match Code::load(&library, isa, false) {
            Ok(code) => return Ok((Built { objects, code }, Origin::Cache)),
            Err(e) => options.log(1, &format!("kernels of the cache are compiled again: {e}")),
        }
    }
    let objects = builder.toolchain.compile(&sources, &compile_options, folder.path())?;
    builder.toolchain.link(&objects, &library, options.compiler_timeout)?;
    let read = |p: &Path| std::fs::read(p).map_err(|e| io("read a compiled object", e));
    let objects = objects.iter().map(|p| read(p)).collect::<Result<Vec<_>, _>>()?;
    let code = Code::load(&library, isa, false).map_err(|mut e| {
        if forbids_execution(folder.path()) {
            e.message += "; the temporary folder's file system is mounted `noexec`: let TMPDIR name a folder on another one";
        }
        e
    })?;
    if let Some(cache) = cache {
        let item = |name: String, bytes: &[u8]| Item { name, bytes: bytes.to_vec() };
        let mut items = vec![item("kernels.so".into(), &read(&library)?)];
        items.extend(objects.iter().enumerate().map(|(k, object)| item(format!("object{k}.o"), object)));
        if let Err(reason) = cache.store(&key, &items) {
            options.log(1, &reason);
        }
    }
    Ok((Built { objects, code }, Origin::Compiled))
}

fn io(what: &str, e: std::io::Error) -> SessionError {
    SessionError::Io { what: what.to_string(), reason: e.to_string() }
}

/// All that machine code depends on. Graph and options shape it through the kernels' text alone, and of the constants
/// only what stands in that text: the data of the others need not be looked at.
fn key(
    text: &str,
    units: usize,
    builder: &Builder,
    compile_options: &CompileOptions,
    options: &Options,
) -> Key {
    let flags = format!("{:?}", Toolchain::flags(compile_options, options.optimization));
    let (compiler, environment) = (builder.toolchain.fingerprint(), options.compiler_environment());
    let (version, isa, units) = (env!("CARGO_PKG_VERSION"), compile_options.isa.name(), units.to_string());
    let parts = [version, isa, &flags, &compiler, &environment, &units, text];
    Key::of("kernels", parts.map(str::as_bytes))
}

/// The objects of a cache's entry; its library is then at the place given, a copy of the bytes that were checked.
fn cached(cache: &Cache, key: &Key, library: &Path, options: &Options) -> Option<Vec<Vec<u8>>> {
    match cache.load(key) {
        Found::Entry(items) => {
            let mut items = items.into_iter();
            let kernels = items.next().filter(|item| item.name == "kernels.so")?;
            std::fs::write(library, &kernels.bytes).ok()?;
            Some(items.map(|item| item.bytes).collect())
        }
        Found::Missing => None,
        Found::Damaged(reason) => {
            options.log(1, &format!("an entry of the cache is damaged and made again: {reason}"));
            None
        }
    }
}

/// Kernels dealt out over translation units, so that each core compiles about as much. What needs a native header
/// is kept together where that is no loss, since each unit compiles the header's code again.
fn units(kernels: &IndexMap<String, Kernel>, jobs: usize) -> Vec<Vec<&String>> {
    let mut order: Vec<(usize, &String)> = kernels.iter().map(|(n, k)| (cost(k), n)).collect();
    order.sort_by(|a, b| b.cmp(a));
    let count = jobs.min(order.len()).max(1);
    let mut units: Vec<(usize, Vec<&String>, std::collections::BTreeSet<codegen::NativeHeader>)> =
        vec![Default::default(); count];
    for (cost, name) in order {
        let headers = &kernels[name].headers;
        let price = |unit: &(usize, Vec<&String>, std::collections::BTreeSet<codegen::NativeHeader>)| {
            unit.0 + cost + headers.iter().filter(|h| !unit.2.contains(h)).count() * HEADER_COST
        };
        let best = (0..count).min_by_key(|u| price(&units[*u])).unwrap_or(0);
        units[best].0 = price(&units[best]);
        units[best].1.push(name);
        units[best].2.extend(headers.iter().copied());
    }
    units.into_iter().map(|u| u.1).filter(|u| !u.is_empty()).collect()
}

/// What a native header costs a translation unit, in characters of kernel text.
const HEADER_COST: usize = 4000;

fn cost(kernel: &Kernel) -> usize {
    kernel.body.len() + if kernel.headers.is_empty() { 0 } else { HEADER_COST }
}
