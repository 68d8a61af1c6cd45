//! `mode=max-autotune` on a GPU: who does a matrix product, a library or the own template, and into which tiles that cuts
//! it, is decided by timing.
//!
//! What is timed is the whole program, with what fuses into each product in the one way and in the other, since that is
//! what a choice changes. Products of the same sizes, operands and operators are chosen together, those with the most work
//! first. All candidates are compiled before the first is timed, side by side. Each differs from what the rules make in
//! one choice; the best of all are then timed together. The choices are kept in the cache on disk, under all that they
//! depend on.
//!
//! Deliberately absent: choices between the library's own algorithms, which the executor times when a step first runs, and
//! all tiles that there are: the model names the few that are worth trying.

use super::cuda::{self, Gpu};
use super::{Bytes, Options, SessionError, link, native};
use crate::codegen;
use crate::device::cache::{Found, Item, Key};
use crate::ir::Graph;
use crate::loops::lower::lower;
use crate::runtime::{self, Code, ConstantBytes, CudaRuns, InstanceOptions};
use crate::schedule;
use crate::target::{Choice, Target};
use indexmap::IndexMap;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

type Choices = BTreeMap<String, Choice>;

/// The time in which new candidates are begun: to be compiled, and to be timed.
const BUDGETS: [Duration; 2] = [Duration::from_secs(20), Duration::from_secs(60)];
/// Tiles of the own template that are tried for each kind of product.
const TILES: usize = 4;
/// The time in which one candidate runs over and over, in each of as many rounds, in which candidates take turns: a GPU's
/// clocks sink under load and rise again.
const RUNS: Duration = Duration::from_millis(50);
const ROUNDS: usize = 3;
/// Bytes of constants up to which all candidates of a kind have theirs on the device at a time.
const KEPT_CONSTANTS: usize = 1 << 30;
/// A candidate is taken where it is better by more than what two timings of one program differ by.
const BETTER: f64 = 0.995;

/// What was decided, and what `describe` says of it.
pub struct Tuned {
    pub choices: Choices,
    pub report: Value,
}

/// A program compiled with some choices.
struct Candidate {
    plan: crate::plan::Plan,
    kernels: native::Kernels,
    /// The products that there is a choice for.
    products: IndexMap<String, Product>,
    shapes: Vec<Vec<i64>>,
    numbers: Vec<i64>,
}

struct Product {
    work: f64,
    /// What does them by the rules.
    usual: Choice,
    others: Vec<Choice>,
    /// The routine or the kernel, by which candidates are told apart.
    symbol: String,
}

/// Decides for a graph that is ready to be lowered.
pub fn tune(graph: &Graph, gpu: &Gpu, options: &Options) -> Result<Tuned, SessionError> {
    let none = |why: &str| Tuned { choices: Choices::new(), report: json!({"by": "rules", "because": why}) };
    let base = candidate(graph, gpu, &Choices::new())?;
    if base.products.values().all(|p| p.others.is_empty()) {
        return Ok(none("there is no product that can be done in more than one way"));
    }
    let Some(driver) = gpu.driver else {
        let why = format!("no device for {} is here to time candidates on", gpu.target.name());
        options.log(1, &format!("mode max-autotune chooses by rules: {why}"));
        return Ok(none(&why));
    };
    let key = key(&base, gpu, driver)?;
    let cache = gpu.cache.as_ref().ok();
    if let Some(Found::Entry(items)) = cache.map(|c| c.load(&key))
        && let Some(tuned) = items.iter().find_map(|item| read(&item.bytes))
    {
        return Ok(tuned);
    }
    // A program that does not run on data of no meaning, or has no room for it, is compiled all the same.
    let tuned = match search(graph, gpu, options, base) {
        Ok(tuned) => tuned,
        Err(error) => {
            let why = format!("timing candidates failed: {error}");
            options.log(1, &format!("mode max-autotune chooses by rules: {why}"));
            return Ok(none(&why));
        }
    };
    if let Some(cache) = cache {
        let item = Item { name: CHOICES.into(), bytes: tuned.report.to_string().into_bytes() };
        if let Err(reason) = cache.store(&key, &[item]) {
            options.log(1, &reason);
        }
    }
    Ok(tuned)
}

/// The only file of an entry.
const CHOICES: &str = "choices.json";

/// All that the times depend on: the program with its kernels, the device and what runs on it.
fn key(base: &Candidate, gpu: &Gpu, driver: i32) -> Result<Key, SessionError> {
    let names: Vec<&str> = base.kernels.different.keys().map(String::as_str).collect();
    let machine = format!("{} {} {driver} {:?}", gpu.name, gpu.target.name(), gpu.cublaslt);
    let (names, compiler, plan) = (names.join(" "), gpu.nvrtc.fingerprint(), base.plan.to_bytes()?);
    let parts = [env!("CARGO_PKG_VERSION"), &machine, &compiler, &names].map(str::as_bytes);
    Ok(Key::of("autotune", parts.into_iter().chain([plan.as_slice()])))
}

/// The choices of a report.
fn read(bytes: &[u8]) -> Option<Tuned> {
    let report: Value = serde_json::from_slice(bytes).ok()?;
    let mut choices = Choices::new();
    for product in report["products"].as_array()? {
        let choice = Choice::from_name(product["chosen"].as_str()?)?;
        choices.insert(product["product"].as_str()?.to_string(), choice);
    }
    Some(Tuned { choices, report })
}

fn candidate(graph: &Graph, gpu: &Gpu, choices: &Choices) -> Result<Candidate, SessionError> {
    let mut own = gpu.target.clone();
    own.vendor.choices = choices.clone();
    let target = Target::Cuda(own.clone());
    let mut program = lower(graph)?;
    let scheduled = schedule::schedule(&mut program, &target, schedule::Settings { fuse: true });
    let kernels = native::emit(&program, &scheduled, &target)?;
    let products = schedule::products(&program, &scheduled, &target);
    let products = products.into_iter().map(|(name, found)| {
        let group = &scheduled.main[found.group];
        let tiles = codegen::cuda::tiles(&program, group, &own);
        // The first of the tiles is what the own template takes by itself.
        let usual = if found.by_library { Choice::Library } else { Choice::Own };
        let mut others: Vec<Choice> = tiles.into_iter().skip(1).take(TILES - 1).map(Choice::Tile).collect();
        match usual {
            Choice::Library => others.insert(0, Choice::Own),
            _ if found.library => others.insert(0, Choice::Library),
            _ => {}
        }
        let launch = scheduled.launches.iter().position(|l| l.contains(&found.group));
        let symbol = launch.map_or_else(String::new, |l| kernels.main[l].symbol.clone());
        (name, Product { work: found.work, usual, others, symbol })
    });
    let products = products.collect();
    let plan = link::link(graph, &program, &scheduled, &kernels.init, &kernels.main)?;
    let syms = &program.syms;
    let shapes =
        program.inputs.iter().map(|b| program.buffers[*b].sizes.iter().map(|s| syms.hint(*s)).collect());
    let numbers = graph.inputs.iter().map(|i| i.symbol.map_or(0, |s| syms.hint(s)));
    Ok(Candidate { plan, products, shapes: shapes.collect(), numbers: numbers.collect(), kernels })
}

/// A candidate with its code.
struct Built {
    made: Candidate,
    code: Code,
}

fn build(made: Candidate, gpu: &Gpu, options: &Options) -> Result<Built, SessionError> {
    let (code, _) = cuda::build(&made.kernels.different, gpu, options)?;
    Ok(Built { made, code })
}

/// Compiles candidates side by side.
fn build_all(list: Vec<Candidate>, gpu: &Gpu, options: &Options) -> Result<Vec<Built>, SessionError> {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from).min(list.len());
    let count = list.len();
    let waiting = Mutex::new(list.into_iter().enumerate());
    let done = Mutex::new((0..count).map(|_| None).collect::<Vec<_>>());
    let work = || {
        loop {
            let next = waiting.lock().unwrap_or_else(|e| e.into_inner()).next();
            let Some((place, made)) = next else { return };
            let built = build(made, gpu, options);
            done.lock().unwrap_or_else(|e| e.into_inner())[place] = Some(built);
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

/// Times a program, with data of no meaning.
struct Timer<'a> {
    graph: &'a Graph,
    options: &'a Options,
    constants: Vec<ConstantBytes>,
}

impl Timer<'_> {
    fn instance(&self, Built { made, code }: &Built) -> Result<runtime::Executable, SessionError> {
        let mut plan = made.plan.clone();
        plan.name = self.graph.name.clone();
        let Code::Cuda { cubins, vendor, device, runs } = code else {
            unreachable!("candidates are programs for a GPU")
        };
        // Launches one by one would hide what kernels take.
        let runs = CudaRuns { graphs: true, ..*runs };
        let (cubins, vendor) = (Arc::clone(cubins), vendor.clone());
        let code = Code::Cuda { cubins, vendor, device: *device, runs };
        let program = runtime::Program::new(plan, code, self.constants.clone())?;
        Ok(runtime::Executable::new(&program, &InstanceOptions { threads: self.options.threads })?)
    }

    /// The median seconds of a run of each.
    fn seconds(&self, list: &[&Built]) -> Result<Vec<f64>, SessionError> {
        let bytes: usize = self.constants.iter().map(|c| (**c).as_ref().len()).sum();
        let mut kept: Vec<Option<runtime::Executable>> = list.iter().map(|_| None).collect();
        let mut times = vec![Vec::new(); list.len()];
        for _ in 0..ROUNDS {
            for (place, built) in list.iter().enumerate() {
                let instance = match kept[place].take() {
                    Some(instance) => instance,
                    None => self.instance(built)?,
                };
                times[place].push(instance.time_runs(&built.made.shapes, &built.made.numbers, RUNS)?);
                if bytes <= KEPT_CONSTANTS {
                    kept[place] = Some(instance);
                }
            }
        }
        let median = |mut list: Vec<f64>| {
            list.sort_by(f64::total_cmp);
            list[list.len() / 2]
        };
        Ok(times.into_iter().map(median).collect())
    }
}

/// Times the other ways to do each kind of product, the one with the most work first.
fn search(graph: &Graph, gpu: &Gpu, options: &Options, base: Candidate) -> Result<Tuned, SessionError> {
    let start = Instant::now();
    let mut order: Vec<(String, f64, Choice, Vec<Choice>)> = base
        .products
        .iter()
        .map(|(name, p)| (name.clone(), p.work, p.usual.clone(), p.others.clone()))
        .collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let usual: Choices = order.iter().map(|(name, _, choice, _)| (name.clone(), choice.clone())).collect();
    let (mut list, mut tried) = (Vec::new(), Vec::new());
    for (name, _, _, others) in &order {
        for other in others {
            if start.elapsed() > BUDGETS[0] {
                continue;
            }
            let mut choices = usual.clone();
            choices.insert(name.clone(), other.clone());
            let made = candidate(graph, gpu, &choices)?;
            // Another choice that makes the same program is none.
            let symbol = |c: &Candidate| c.products.get(name).map(|p| p.symbol.clone());
            if symbol(&made).is_some_and(|s| Some(s) != symbol(&base)) {
                tried.push((name.clone(), other.clone()));
                list.push(made);
            }
        }
    }
    list.insert(0, base);
    let mut built = build_all(list, gpu, options)?.into_iter();
    let base = built.next().expect("the first is the program by the rules");
    let candidates: Vec<((String, Choice), Built)> = tried.into_iter().zip(built).collect();
    let data = graph.constants.iter().map(|c| Arc::new(Bytes(Arc::clone(&c.data))) as ConstantBytes);
    let timer = Timer { graph, options, constants: data.collect() };
    let (mut first, mut choices, mut report) = (f64::INFINITY, usual.clone(), Vec::new());
    for (name, _, usual, others) in &order {
        let own: Vec<_> = candidates.iter().filter(|c| c.0.0 == *name).collect();
        if own.is_empty() || start.elapsed() > BUDGETS[1] {
            continue;
        }
        let list: Vec<&Built> = std::iter::once(&base).chain(own.iter().map(|c| &c.1)).collect();
        let seconds = timer.seconds(&list)?;
        first = first.min(seconds[0]);
        let (mut least, mut chosen) = (seconds[0] * BETTER, usual);
        let mut times = vec![json!({"by": usual.name(), "ms": seconds[0] * 1e3})];
        for (((_, other), _), seconds) in own.into_iter().zip(&seconds[1..]) {
            times.push(json!({"by": other.name(), "ms": seconds * 1e3}));
            if *seconds < least {
                (least, chosen) = (*seconds, other);
            }
        }
        let untried = others.len() + 1 - times.len();
        choices.insert(name.clone(), chosen.clone());
        report
            .push(json!({"product": name, "candidates": times, "chosen": chosen.name(), "untried": untried}));
    }
    let mut best = first;
    if choices != usual {
        // What is best for each must be so together.
        let together = build(candidate(graph, gpu, &choices)?, gpu, options)?;
        let seconds = timer.seconds(&[&together, &base])?;
        if seconds[0] < seconds[1] {
            (best, first) = (seconds[0], seconds[1]);
        } else {
            choices = usual;
            for product in &mut report {
                let name = product["product"].as_str().and_then(|name| choices.get(name));
                product["chosen"] = json!(name.map(Choice::name));
            }
        }
    }
    for (name, choice) in &choices {
        options.log(2, &format!("autotuning chose {} for {name}", choice.name()));
    }
    let report = json!({
        "by": "timing", "products": report, "first_ms": first * 1e3, "ms": best * 1e3,
        "seconds": start.elapsed().as_secs_f64(),
    });
    Ok(Tuned { choices, report })
}
