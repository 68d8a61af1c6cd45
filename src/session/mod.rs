//! Floor 12: the pipeline. [`compile`] reads as a list of stages; each is a function of a lower floor.
//!
//! Invariants: a backend asked for by name never falls back; what a compilation reads from the environment it reads
//! in `options`; beside counters and the caches, nothing global is left behind.
//!
//! Deliberately absent: C types.

mod acting;
#[cfg(feature = "cuda")]
mod autotune;
mod backends;
mod begun;
mod check;
mod compare;
#[cfg(feature = "cuda")]
mod cuda;
mod decided;
mod describe;
mod deterministic;
mod division;
pub mod dump;
mod error;
mod examples;
mod executable;
mod explain;
mod frozen;
mod gradients;
mod hosted;
mod inside;
mod interpreted;
mod joint;
mod kept;
mod link;
mod loops;
mod machine;
mod minify;
mod modes;
mod native;
mod optimizer;
mod optimizer_gradients;
mod optimizer_rules;
mod option_keys;
mod option_values;
mod options;
mod overlap;
mod precision;
mod predicates;
mod profile;
mod rebuild;
mod registry;
mod report;
pub mod repro;
mod seen;
mod shared_inputs;
mod trace_file;
mod training;
mod usage;
mod variants;
mod watch;

pub use backends::backends_json;
pub use error::SessionError;
pub use examples::{Given, compile_with};
pub use executable::Executable;
pub use gradients::{Differentiated, differentiate, differentiate_forward};
pub use hosted::{HostBackend, HostCall, HostProgram};
pub use joint::export_joint;
pub use machine::{cache_json, machine_json, prune_cache};
pub use minify::minify;
pub use optimizer::{Hyper, step as optimizer_step};
pub use option_values::Origin as OptionOrigin;
pub use options::{BackendRequest, Options};
pub use predicates::{Kind as PredicateKind, Predicate};
pub use registry::{HostError, Point, SharedRegistry};
pub use report::draw_graph;
pub use training::Training;
pub use watch::{LogCallback, TraceCallback};

use crate::base::counters::{self, Counter, count};
use crate::base::event::{Channel, Event};
use crate::base::{HashMap, cancel, json, memory};
use crate::decompose::{Own, Rules, decompose_by, parts};
use crate::device::toolchain::{self};
use crate::device::{cache, cpu};
use crate::differentiate::backward_rules;
use crate::functionalize::{functionalize, functionalize_again, split_results};
use crate::ir::{self, Graph};
use crate::loop_passes;
use crate::loops::Program;
use crate::meta::check_dimensions;
use crate::passes;
use crate::picture::Outline;
use crate::plan::Plan;
use crate::runtime::artifact::{self, OpenOptions};
use crate::runtime::{self, Code, ConstantBytes, InstanceOptions, Observer, RuntimeError};
use crate::schedule::{self, Schedule};
use crate::target::Target;
use backends::Backend;
use begun::{Begun, Timing};
use check::Check;
use compare::Comparison;
use describe::{Described, Entry};
use inside::Inside;
use loops::{lowered_and_dumped, scheduled};
use seen::Places;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use variants::Variant;
use watch::{Runs, Watch};

/// A compiled program before it is given to a runtime.
pub(crate) struct Compiled {
    plan: Plan,
    code: Code,
    constants: Vec<ConstantBytes>,
    saved: Option<executable::Saved>,
    comparison: Option<Arc<Comparison>>,
    check: Option<Arc<Check>>,
    /// What describe says of this compilation, and no artifact holds: the same graph and options give the same bytes.
    about: Value,
    /// What pictures and reports show.
    inside: Inside,
    /// Where the kernels came from.
    cache: &'static str,
    /// Who hears of it, and of its runs.
    watch: Watch,
    /// Where the inputs of runs are kept.
    inputs: Option<PathBuf>,
}

/// Compiles a graph for this process.
pub fn compile(graph: &Graph, options: &Options) -> Result<Executable, SessionError> {
    compile_with(graph, options, Given::default())
}

fn compiled(graph: &Graph, options: &Options, given: Given) -> Result<Executable, SessionError> {
    let Compiled { plan, code, constants, saved, comparison, check, about, inside, watch, inputs, .. } =
        build(graph, options, given)?;
    let operators = graph.operators.clone();
    let how = InstanceOptions { threads: options.threads, profile: options.profile, operators };
    let first = check.map(|c| c as Arc<dyn Observer>);
    let observers = first.into_iter().chain(comparison.clone().map(|c| c as Arc<dyn Observer>));
    let instance = runtime::Program::start(plan, code, constants, &how, observers.collect())?;
    let instance = instance.heard_by(Runs::listener(&watch, inputs));
    let overlap::Found { forms, recompiled, saved } = overlap::forms(graph, options, &instance, saved)?;
    let executable = Executable::new(instance.with_forms(forms), saved, about).with_recompiled(recompiled);
    let executable = executable.with_comparison(comparison).with_inside(graph, inside);
    Ok(executable.keeping(options.registry().cloned()))
}

/// Work that [`Options::cancel`] ends. What then fails, because a compiler was stopped, is not the caller's to hear of.
fn watched<T>(options: &Options, work: impl FnOnce() -> Result<T, SessionError>) -> Result<T, SessionError> {
    let _watching = options.cancellable();
    let result = work();
    memory::checkpoint();
    result
}

/// A graph that a reader makes, which [`Options::cancel`] ends, and the log tells.
pub fn read<E>(options: &Options, from: &str, read: impl FnOnce() -> Result<Graph, E>) -> Result<Graph, E> {
    let _watching = options.cancellable();
    let start = Instant::now();
    let graph = read()?;
    memory::checkpoint();
    let (nodes, inputs, constants) = (graph.order.len(), graph.inputs.len(), graph.constants.len());
    let (name, seconds) = (&graph.name, start.elapsed().as_secs_f64());
    options.watch.of_graph(graph.id).emit(&Event::Message {
        level: 2,
        channel: Channel::Stages,
        text: format!(
            "graph `{name}` read from {from}: {nodes} nodes, {inputs} inputs, {constants} constants, {seconds:.3} s"
        ),
    });
    Ok(graph)
}

/// Compiles a graph and loads nothing: the plan, whose metadata describe says. Programs for a GPU that this machine lacks
/// are looked at so.
pub fn plan(graph: &Graph, options: &Options) -> Result<Plan, SessionError> {
    let Compiled { mut plan, about, .. } = build(graph, options, Given::default())?;
    plan.metadata = executable::with_about(&plan.metadata, &about).to_string();
    Ok(plan)
}

/// Compiles a graph to a self-contained library. Gives the file's path, which a folder's content decides.
pub fn compile_artifact(graph: &Graph, options: &Options, path: &Path) -> Result<PathBuf, SessionError> {
    if options.check.is_some() {
        return Err(check::refused("an artifact runs without the library that would check it"));
    }
    if options.compares {
        return Err(compare::refused("an artifact runs without the library that would compare it"));
    }
    let (file, sha256) = watched(options, || {
        artifact::check_target(path)?;
        let Compiled { plan, code, constants, saved, .. } = build(graph, options, Given::default())?;
        let Some(saved) = saved else { return Err(executable::no_artifact()) };
        let recompiled = overlap::Recompiled::of(graph, options, &plan).map(|r| r.dumped(options));
        if !saved.folds() {
            let forms = recompiled.map(|r| r.saved(&plan, &saved.kernels())).transpose()?.flatten();
            return saved.with_forms(forms).write(&constants, path);
        }
        let operators = graph.operators.clone();
        let how = InstanceOptions { threads: options.threads, operators, ..InstanceOptions::default() };
        let instance = runtime::Program::start(plan, code, constants, &how, Vec::new())?;
        let formed = recompiled.map(|r| r.beside(&instance, Some(&saved))).transpose()?.flatten();
        let (form, forms) = formed.unzip();
        let saved = saved.with_forms(forms.flatten());
        saved.write_frozen(&saved.frozen(&instance, form.as_ref().map(|f| &f.program))?, path)
    })?;
    count(Counter::ArtifactsWritten, 1);
    options.log(2, Channel::Stages, &format!("the artifact is `{}`, SHA-256 {sha256}", file.display()));
    Ok(file)
}

/// Opens an artifact.
pub fn open(path: &Path, options: &Options) -> Result<Executable, SessionError> {
    opened(options, |how| artifact::open(path, how))
}

/// Opens an artifact in memory, which is not needed afterwards.
pub fn open_memory(bytes: &[u8], options: &Options) -> Result<Executable, SessionError> {
    opened(options, |how| artifact::open_memory(bytes, how))
}

fn opened(
    options: &Options,
    open: impl FnOnce(&OpenOptions) -> Result<runtime::Executable, RuntimeError>,
) -> Result<Executable, SessionError> {
    if options.check.is_some() {
        return Err(check::refused("an artifact holds no graph to check"));
    }
    if options.compares {
        return Err(compare::refused("an artifact holds no graph for the interpreter to run"));
    }
    let options = &options.of_opening();
    options.watch.open()?;
    let start = Instant::now();
    let instance = open(&OpenOptions {
        sha256: options.artifact_sha256.clone(),
        device: options.device,
        isas: options.isas.clone(),
        threads: options.threads,
        profile: options.profile,
        host_tensors: options.copies_host_tensors,
        operators: options.operators(),
    })?;
    let called = runtime::host_operators(instance.plan());
    deterministic::check_opened(instance.metadata(), &called, &options.operators())?;
    let inputs =
        if options.save_inputs { options.of_opened(&instance.plan().name)?.kept_inputs() } else { None };
    let instance = instance.heard_by(Runs::listener(&options.watch, inputs));
    count(Counter::ArtifactsOpened, 1);
    if let Some(idle) = options.idle_at_open() {
        options.log(1, Channel::PerfHints, &idle);
    }
    let cuda = instance.program().device().is_some();
    let asked = match &options.backend {
        BackendRequest::Cpu if cuda => Some("cpu"),
        BackendRequest::Cuda if !cuda => Some("cuda"),
        BackendRequest::Interpreter => Some("interpreter"),
        BackendRequest::Nop => Some("nop"),
        BackendRequest::Print => Some("print"),
        BackendRequest::Host(name) => Some(name.as_str()),
        _ => None,
    };
    if let Some(asked) = asked {
        let own = if cuda { "cuda" } else { "cpu" };
        let message = format!("option `backend` is {asked}, but the artifact's program is for {own}");
        return Err(SessionError::invalid(message));
    }
    options.check_backend(if cuda { "cuda" } else { "cpu" })?;
    let seconds = start.elapsed().as_secs_f64();
    options.emit(&Event::Stage { stage: "open", seconds });
    options.log(2, Channel::Stages, &told_of(&instance, seconds));
    let mut about = Entry::default().about();
    about["compile_seconds"] = json!({"open": seconds, "total": seconds});
    Ok(Executable::new(instance, None, about))
}

/// What the log says of a program that was opened.
fn told_of(instance: &runtime::Executable, seconds: f64) -> String {
    let plan = instance.plan();
    let (name, kernels) = (&plan.name, plan.kernels.len());
    let from = instance.artifact().map(|a| format!(" from `{}`", a.path().display())).unwrap_or_default();
    format!("program `{name}` opened{from}: {kernels} kernels, {seconds:.3} s")
}

/// The signature of a graph with what running it changes and shares, as JSON.
pub fn graph_spec(graph: &Graph) -> Result<serde_json::Value, SessionError> {
    Ok(ir::spec::json(&functionalize(graph)?))
}

/// True on a thread that works for a compilation, as in its callbacks.
pub fn is_compiling() -> bool {
    cancel::watched().is_some()
}

/// Drops what is kept between compilations and idle, and begins to count anew.
pub fn reset() {
    runtime::cuda::drop_graphs();
    toolchain::forget();
    cache::forget();
    counters::clear();
    runtime::cuda::clear_counts();
}

/// What this process has done so far, as JSON.
pub fn counters_json() -> String {
    let mut groups: Map<String, Value> = Map::new();
    let mut put = |group: &str, name: &str, n: u64| {
        groups.entry(group).or_insert_with(|| json!({}))[name] = n.into();
    };
    counters::all().for_each(|(group, name, n)| put(group, name, n));
    let graphs = runtime::cuda::process_counts();
    for (name, n) in [
        ("recorded", graphs.recorded),
        ("replayed", graphs.replayed),
        ("patched", graphs.patched),
        ("step_by_step", graphs.eager),
    ] {
        put("cuda_graphs", name, n);
    }
    Value::Object(groups).to_string()
}

fn build(graph: &Graph, options: &Options, given: Given) -> Result<Compiled, SessionError> {
    let own;
    let begun = match given.begun {
        Some(begun) => begun,
        None => {
            own = Begun::new(graph, options)?;
            &own
        }
    };
    let heard = begun.heard(options);
    let compiled = || {
        let options = &heard.dumped(&graph.name)?;
        options.dump_text("options.json", || options.values_json())?;
        options.dump_text("graph.litz", || ir::text::dump(graph))?;
        let timing = begun.timing(options);
        stages(graph, timing, given).map_err(|e| e.placed(&graph.origins))
    };
    let outcome = compiled();
    begun.ended(outcome.as_ref());
    outcome
}

fn stages(graph: &Graph, mut timing: Timing<'_>, given: Given) -> Result<Compiled, SessionError> {
    let options = timing.options;
    let mut backend = backends::choose(options)?;
    let outline = options.artifact_graph.then(|| Outline::of(graph));
    explain::dropout(graph).iter().for_each(|event| options.emit(event));
    let Functional { mut graph, spec, checked } = functional(graph, options, &backend, &mut timing)?;
    let hosts = if let Backend::Host(backend) = &backend { Some(&**backend) } else { None };
    options.check_deterministic(&graph, hosts)?;
    options.explain(Channel::Guards, || explain::guards(&graph, 0, "graph"));
    #[cfg(feature = "cuda")]
    if let Backend::Cuda { gpu } = &mut backend {
        gpu.look_for_transforms(&graph, options)?;
    }
    let mut comparison = None;
    let places;
    let (mut variants, code, entry) = match &mut backend {
        Backend::Cpu(builder) => {
            let program = lowered_and_dumped(&mut graph, &mut timing)?;
            let made = variants::build((&graph, &spec), program, builder, (options, given), &mut timing)?;
            (comparison, places) = (made.comparison, made.places);
            (made.list, made.code, made.entry)
        }
        #[cfg(feature = "cuda")]
        Backend::Cuda { gpu } => {
            let mut program = lowered_and_dumped(&mut graph, &mut timing)?;
            gpu.look_for_factorisations(&program, options)?;
            let gpu = &*gpu;
            let mut target = gpu.target.clone();
            let mut tuned = None;
            if options.autotunes {
                let found =
                    timing.stage("autotune", || autotune::tune(&graph, gpu, options, given.examples))?;
                target.vendor.choices = found.choices.clone();
                tuned = Some(found);
            }
            let target = Target::Cuda(target);
            let original = options.compares.then(|| program.clone());
            let schedule = scheduled(&mut program, &target, &mut timing)?;
            cuda::note_tf32(&program, &schedule, gpu, options);
            let kernels =
                timing.stage("codegen", || native::emit(&program, &schedule, &target, Some(options)))?;
            let tuned_entry = tuned.as_mut().and_then(|tuned| tuned.entry.take());
            let (code, entry) =
                timing.stage("build", || cuda::build(&kernels.different, gpu, options, tuned_entry))?;
            let mut linked = timing
                .stage("link", || link::link(&graph, &program, &schedule, &kernels.init, &kernels.main))?;
            usage::settle(&mut [&mut linked.plan], options.freeze);
            if let Some(original) = original {
                let calls = (&kernels.init[..], &kernels.main[..]);
                let new = Comparison::new(&graph, original, &program, &schedule, calls, &linked, options)?;
                comparison = Some(new);
            }
            places = options.check.is_some().then(|| Places::new(&graph, &program, &linked));
            let report = tuned.map(|tuned| tuned.report);
            options.explain(Channel::Memory, || explain::memory(&graph, &program, &schedule, &kernels));
            let described = Described::cuda(&program, &schedule, &kernels, gpu, report);
            let plan = described.with_costs(linked.costs).finish(linked.plan, &graph, &spec, options);
            let inside = Inside::of(&program, &schedule, kernels.different);
            (vec![Variant::without_objects(plan, inside)], code, entry)
        }
        Backend::Interpreter { .. } | Backend::Nop { .. } | Backend::Host(_) if options.compares => {
            return Err(compare::refused("no kernels of Litz's own run the program"));
        }
        Backend::Interpreter { .. } | Backend::Nop { .. } => {
            let (name, because) = match &backend {
                Backend::Nop { name } => (*name, None),
                Backend::Interpreter { because } => ("interpreter", because.as_deref()),
                _ => ("interpreter", None),
            };
            if name == "print" {
                options.watch.print(&ir::text::dump(&graph));
            }
            let program = lowered_and_dumped(&mut graph, &mut timing)?;
            let (program, mut linked, schedule, code) = interpret(&graph, program, options, &mut timing)?;
            usage::settle(&mut [&mut linked.plan], options.freeze);
            places = options.check.is_some().then(|| Places::new(&graph, &program, &linked));
            let described = Described::hosted(name, "interpreted", &program, &schedule, because);
            let inside = Inside::of(&program, &schedule, HashMap::new());
            let plan = described.with_costs(linked.costs).finish(linked.plan, &graph, &spec, options);
            (vec![Variant::without_objects(plan, inside)], code, Entry::default())
        }
        Backend::Host(backend) => {
            let (program, mut linked, schedule, code) =
                timing.stage("build", || hosted::build(&graph, backend))?;
            usage::settle(&mut [&mut linked.plan], options.freeze);
            places = options.check.is_some().then(|| Places::new(&graph, &program, &linked));
            let described = Described::hosted(&backend.name, "host", &program, &schedule, None);
            let inside = Inside::of(&program, &schedule, HashMap::new());
            let plan = described.with_costs(linked.costs).finish(linked.plan, &graph, &spec, options);
            (vec![Variant::without_objects(plan, inside)], code, Entry::default())
        }
    };
    for variant in &mut variants {
        variant.plan.name = graph.name.clone();
        for (input, fixed) in variant.plan.inputs.iter_mut().zip(given.fixed) {
            input.fixed = *fixed;
        }
        variant.plan.check()?;
    }
    // What runs here is the best that this machine has; programs for it alone have one variant.
    let native = cpu::native_isa();
    let best = variants.iter().rposition(|v| v.isa <= native).unwrap_or(0);
    let notes = outline.map(|outline| inside::notes(&outline, &variants));
    let (plan, inside) = (variants[best].plan.clone(), std::mem::take(&mut variants[best].inside));
    let constants = usage::held(&plan, graph.constants.iter().map(|c| Arc::clone(&c.data) as ConstantBytes));
    let saved = match (backend, &code) {
        #[cfg(feature = "cuda")]
        (Backend::Cuda { gpu }, Code::Cuda { cubins, runs, .. }) => {
            let here = gpu.driver.is_some() && gpu.architectures.len() == 1;
            let kernels = (Arc::clone(cubins), *runs);
            Some(executable::Saved::of_cubins(variants, kernels, here, options))
        }
        (Backend::Cpu(builder), _) => Some(executable::Saved::new(variants, builder.toolchain, options)),
        _ => None,
    };
    let saved = saved.map(|saved| saved.with_notes(notes).with_dropped(&plan, &constants));
    let check =
        checked.zip(places).map(|((graph, finite), places)| Arc::new(Check::new(graph, places, finite)));
    let mut about = entry.about();
    about["compile_seconds"] = timing.about();
    options.dump_text("program.json", || executable::with_about(&plan.metadata, &about).to_string())?;
    let (cache, watch, inputs) = (entry.origin(), options.watch.clone(), options.kept_inputs());
    Ok(Compiled { plan, code, constants, saved, comparison, check, about, inside, cache, watch, inputs })
}

/// A graph as a backend takes it.
struct Functional {
    graph: Graph,
    /// Its signature.
    spec: Value,
    /// The graph before it was rewritten, for `debug.check`, and whether that looks for what is not finite.
    checked: Option<(Graph, bool)>,
}

/// The graph as a backend takes it: functional, rewritten by the host's passes and by Litz's own.
fn functional(
    graph: &Graph,
    options: &Options,
    backend: &Backend,
    timing: &mut Timing<'_>,
) -> Result<Functional, SessionError> {
    let registry = options.registered();
    let target = backend.target();
    let mut host = Cow::Borrowed(registry.rules());
    if backend.rounds_within(options, target.as_ref()) {
        let own = parts::rounded().into_iter().filter(|(what, _)| !registry.rules().contains_key(what));
        host.to_mut().extend(own);
    }
    let backward = backward_rules(graph);
    if !backward.is_empty() {
        let own = backward.into_iter().filter(|(what, _)| !registry.rules().contains_key(what));
        host.to_mut().extend(own);
    }
    let rules = Rules {
        host: &host,
        own: if backend.is_decomposed() { Own::All } else { Own::None },
        kernels: backend.kernels(target.as_ref(), registry.rules()),
    };
    let check = |graph: &Graph, functional: bool| -> Result<(), SessionError> {
        if options.verify { Ok(ir::verify(graph, functional)?) } else { Ok(()) }
    };
    // What a host's pass added may be any operator.
    let again = |graph: &mut Graph| -> Result<(), SessionError> {
        *graph = decompose_by(&functionalize_again(graph)?, rules)?;
        Ok(())
    };

    check(graph, false)?;
    check_dimensions(graph)?;
    let mut given = Cow::Borrowed(graph);
    // The passes at these points ran before a training program was divided.
    let is_whole = options.half.is_none();
    if registry.has_passes() && is_whole {
        timing.stage("pre_grad", || registry.run(Point::PreGrad, given.to_mut()))?;
    }
    if options.amp.is_some() {
        given = timing.stage("amp", || options.in_precision(given))?;
    }
    given = options.in_layout(given)?;
    let graph = timing.stage("functionalize", || functionalize(&given))?;
    let checked = options.check.map(|finite| (graph.clone(), finite));
    check(&graph, true)?;
    options.dump_text("functionalized.litz", || ir::text::dump(&graph))?;
    let spec = ir::spec::json(&graph);
    let mut graph = timing.stage("decompose", || decompose_by(&graph, rules))?;
    options.dump_text("decomposed.litz", || ir::text::dump(&graph))?;
    if registry.has_passes()
        && is_whole
        && timing.stage("joint", || registry.run(Point::Joint, &mut graph))?
    {
        again(&mut graph)?;
    }
    if !backend.is_plain() {
        run_passes(&mut graph, timing)?;
    }
    if registry.has_passes() && timing.stage("post_grad", || registry.run(Point::PostGrad, &mut graph))? {
        again(&mut graph)?;
    }
    options.dump_text("passes.litz", || ir::text::dump(&graph))?;
    check(&graph, true)?;
    split_results(&mut graph)?;
    Ok(Functional { graph, spec, checked })
}

/// Litz's own passes.
fn run_passes(graph: &mut Graph, timing: &mut Timing<'_>) -> Result<(), SessionError> {
    let options = timing.options;
    let compares = options.watch.hears(Channel::Stages);
    let reports = timing.stage("passes", || match compares {
        true => passes::run_compared(graph),
        false => passes::run(graph),
    })?;
    options.explain(Channel::Stages, || reports.into_iter().map(explain::pass).collect());
    Ok(())
}

fn interpret(
    graph: &Graph,
    mut program: Program,
    options: &Options,
    timing: &mut Timing<'_>,
) -> Result<(Arc<Program>, link::Linked, Schedule, Code), SessionError> {
    let target = Target::Cpu(cpu::detect());
    let settings = schedule::Settings { fuse: false, explain: false };
    loop_passes::order_inputs(&mut program);
    loop_passes::order_results(&mut program, false);
    let mut schedule = timing
        .stage("schedule", || Ok::<_, SessionError>(schedule::schedule(&mut program, &target, settings)))?;
    if options.profiles() {
        schedule.count_costs(&program);
    }
    let program = Arc::new(program);
    let (init, main, code) = timing.stage("build", || interpreted::build(&program, &schedule))?;
    let linked = timing.stage("link", || link::link(graph, &program, &schedule, &init, &main))?;
    Ok((program, linked, schedule, code))
}
