//! `mode=max-autotune` on a GPU: who does a matrix product, a library or the own template, is decided by timing.
//!
//! What is timed is the whole program, with what fuses into each product in the one way and in the other, since that is
//! what a choice changes. Products of the same sizes, operands and operators are chosen together, the largest first. The
//! choices are kept in the cache on disk, under all that they depend on.
//!
//! Deliberately absent: choices between the library's own algorithms, which the executor times when a step first runs.

use super::cuda::{self, Gpu};
use super::{Bytes, Options, SessionError, link, native};
use crate::device::cache::{Found, Item, Key};
use crate::ir::Graph;
use crate::loops::lower::lower;
use crate::runtime::{self, Code, ConstantBytes, InstanceOptions};
use crate::schedule;
use crate::target::{Choice, Target};
use indexmap::IndexMap;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Choices = BTreeMap<String, Choice>;

/// The time in which new candidates are begun.
const BUDGET: Duration = Duration::from_secs(60);
/// The time in which one candidate runs over and over.
const RUNS: Duration = Duration::from_millis(150);
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
    /// The products that there is a choice for, with their work, and what does them.
    products: IndexMap<String, (f64, Choice)>,
    shapes: Vec<Vec<i64>>,
    numbers: Vec<i64>,
}

/// Decides for a graph that is ready to be lowered.
pub fn tune(graph: &Graph, gpu: &Gpu, options: &Options) -> Result<Tuned, SessionError> {
    let none = |why: &str| Tuned { choices: Choices::new(), report: json!({"by": "rules", "because": why}) };
    let base = candidate(graph, gpu, &Choices::new())?;
    if base.products.is_empty() {
        return Ok(none("there is no product that both a library and an own template can do"));
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
        let choice = Choice::ALL.into_iter().find(|c| product["chosen"] == c.name())?;
        choices.insert(product["product"].as_str()?.to_string(), choice);
    }
    Some(Tuned { choices, report })
}

fn candidate(graph: &Graph, gpu: &Gpu, choices: &Choices) -> Result<Candidate, SessionError> {
    let mut target = gpu.target.clone();
    target.vendor.choices = choices.clone();
    let target = Target::Cuda(target);
    let mut program = lower(graph)?;
    let scheduled = schedule::schedule(&mut program, &target, schedule::Settings { fuse: true });
    let products = schedule::products(&program, &scheduled, &target);
    let kernels = native::emit(&program, &scheduled, &target)?;
    let plan = link::link(graph, &program, &scheduled, &kernels.init, &kernels.main)?;
    let syms = &program.syms;
    let shapes =
        program.inputs.iter().map(|b| program.buffers[*b].sizes.iter().map(|s| syms.hint(*s)).collect());
    let numbers = graph.inputs.iter().map(|i| i.symbol.map_or(0, |s| syms.hint(s)));
    Ok(Candidate { plan, products, shapes: shapes.collect(), numbers: numbers.collect(), kernels })
}

fn time(
    graph: &Graph,
    gpu: &Gpu,
    options: &Options,
    constants: &[ConstantBytes],
    tried: &Candidate,
) -> Result<f64, SessionError> {
    let (mut code, _) = cuda::build(&tried.kernels.different, gpu, options)?;
    if let Code::Cuda { runs, .. } = &mut code {
        // Launches one by one would hide what kernels take.
        runs.graphs = true;
    }
    let mut plan = tried.plan.clone();
    plan.name = graph.name.clone();
    let program = runtime::Program::new(plan, code, constants.to_vec())?;
    let instance = runtime::Executable::new(&program, &InstanceOptions { threads: options.threads })?;
    Ok(instance.time_runs(&tried.shapes, &tried.numbers, RUNS)?)
}

/// Tries the other choice for each kind of product, the one with the most work first.
fn search(graph: &Graph, gpu: &Gpu, options: &Options, base: Candidate) -> Result<Tuned, SessionError> {
    let start = Instant::now();
    let data = graph.constants.iter().map(|c| Arc::new(Bytes(Arc::clone(&c.data))) as ConstantBytes);
    let constants: Vec<ConstantBytes> = data.collect();
    let mut order: Vec<(String, f64, Choice)> =
        base.products.iter().map(|(name, (work, choice))| (name.clone(), *work, *choice)).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut choices: Choices = order.iter().map(|(name, _, choice)| (name.clone(), *choice)).collect();
    let first = time(graph, gpu, options, &constants, &base)?;
    let mut best = first;
    let mut report = Vec::new();
    for (name, _, usual) in order {
        let mut candidates = vec![json!({"by": usual.name(), "ms": best * 1e3})];
        let mut chosen = usual;
        for other in Choice::ALL.into_iter().filter(|c| *c != usual) {
            if start.elapsed() > BUDGET {
                candidates.push(json!({"by": other.name(), "ms": null, "because": "out of time"}));
                continue;
            }
            let mut tried = choices.clone();
            tried.insert(name.clone(), other);
            let made = candidate(graph, gpu, &tried)?;
            // Another choice that makes the same program is none.
            if made.products.get(&name).is_none_or(|(_, choice)| *choice != other) {
                continue;
            }
            let seconds = time(graph, gpu, options, &constants, &made)?;
            candidates.push(json!({"by": other.name(), "ms": seconds * 1e3}));
            if seconds < best * BETTER {
                (best, chosen, choices) = (seconds, other, tried);
            }
        }
        options.log(2, &format!("autotuning chose {} for {name}", chosen.name()));
        report.push(json!({"product": name, "candidates": candidates, "chosen": chosen.name()}));
    }
    let report = json!({
        "by": "timing", "products": report, "first_ms": first * 1e3, "ms": best * 1e3,
        "seconds": start.elapsed().as_secs_f64(),
    });
    Ok(Tuned { choices, report })
}
