//! `mode=max-autotune` on a GPU: who does a matrix product or a convolution, a library or the own template, and into which
//! tiles that cuts it, is decided by timing.
//!
//! What is timed is the whole program, with what fuses into each product in the one way and in the other, since that is
//! what a choice changes. Products of the same sizes, operands and operators are chosen together, those with the most work
//! first; so are convolutions, which count as products here. All candidates are compiled before the first is timed, side by
//! side, and each different kernel of all of them once. Each candidate differs from what the rules make in one choice; the
//! best of all together, and those that were better alone, are then timed beside the rules' program once more, which stays
//! where none is better. The choices are kept in the compilation's entry
//! of the cache, whose key is all that they depend on.
//!
//! Deliberately absent: choices between the library's own algorithms, which the executor times when a step first runs, and
//! all tiles that there are: the model names the few that are worth trying.

use super::cuda::{self, Gpu};
use super::kept::{Depends, Kept};
use super::{Options, SessionError, link, native, usage};
use crate::base::event::{Channel, Event};
use crate::base::{HashMap, HashSet, OrderedMap, StableSort, json};
use crate::device::cache::Item;
use crate::ir::Graph;
use crate::loop_passes;
use crate::loops::lower::lower;
use crate::mapping;
use crate::plan::{Plan, Step};
use crate::runtime::{self, Code, ConstantBytes, Cubin, CudaRuns, Examples, InstanceOptions};
use crate::schedule;
use crate::target::{Choice, Target};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

type Choices = OrderedMap<String, Choice>;

/// The time in which new candidates are begun: to be compiled, and to be timed.
const BUDGETS: [Duration; 2] = [Duration::from_secs(20), Duration::from_secs(60)];
/// Tiles of the own template that are tried for each kind of product.
const TILES: usize = 8;
/// Candidates that are made before the next look at the clock, for each CPU, and at most.
const AT_ONCE: usize = 8;
const MOST_AT_ONCE: usize = 64;
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
    /// The compilation's, where the choices come from timing.
    pub entry: Option<Kept>,
}

/// A program compiled with some choices.
struct Candidate {
    plan: Plan,
    kernels: native::Kernels,
    /// The products that there is a choice for.
    products: HashMap<String, Product>,
    shapes: Vec<Vec<i64>>,
    numbers: Vec<i64>,
}

struct Product {
    work: f64,
    /// What does them by the rules.
    usual: Choice,
    others: Vec<Choice>,
    /// What the cost model expects of a way, in clocks of a multiprocessor, where it knows the way.
    clocks: Vec<(Choice, i64)>,
    /// The routine or the kernel, by which candidates are told apart.
    symbol: String,
}

/// Decides for a graph that is ready to be lowered.
pub fn tune(
    graph: &Graph,
    gpu: &Gpu,
    options: &Options,
    examples: Option<&Examples>,
) -> Result<Tuned, SessionError> {
    let none = |why: &str| Tuned {
        choices: Choices::new(),
        report: json!({"by": "rules", "because": why}),
        entry: None,
    };
    let base = candidate(graph, gpu, &Choices::new())?;
    if base.products.values().all(|p| p.others.is_empty()) {
        return Ok(none("no product or convolution can be done in more than one way"));
    }
    if let Some(way) = &options.choice {
        return asked(base, way);
    }
    if base.plan.main.iter().any(|step| matches!(step, Step::Print { .. })) {
        return Ok(none("the program prints, and would do so each time it is timed"));
    }
    if options.deterministic {
        return Ok(none(
            "option `deterministic` is on, and what timing chooses may differ from one compilation to the next",
        ));
    }
    let Some(driver) = gpu.driver else {
        let why = format!("no device for {} is here to time candidates on", gpu.target.name());
        options.log(1, Channel::Autotune, &format!("mode max-autotune chooses by rules: {why}"));
        return Ok(none(&why));
    };
    let entry = Kept::look_up(&gpu.cache, &depends(&base, gpu, driver, examples)?, options);
    let keep = |mut entry: Kept, choices, report: Value| {
        entry.add(Item { name: CHOICES.into(), bytes: report.to_string().into_bytes() });
        Ok(Tuned { choices, report, entry: Some(entry) })
    };
    if let Some((choices, report)) = entry.item(CHOICES).and_then(read) {
        return keep(entry, choices, report);
    }
    // A program that does not run on data of no meaning, or has no room for it, is compiled all the same.
    let (choices, report) = match search(graph, gpu, options, examples, base) {
        Ok(tuned) => tuned,
        Err(error) => {
            let why = format!("timing candidates failed: {error}");
            options.log(1, Channel::Autotune, &format!("mode max-autotune chooses by rules: {why}"));
            return Ok(none(&why));
        }
    };
    keep(entry, choices, report)
}

/// All that can be done in the way that the option names are.
fn asked(base: Candidate, way: &str) -> Result<Tuned, SessionError> {
    let Some(way) = Choice::from_name(way) else {
        return Err(SessionError::invalid(format!("option `debug.choice`: there is no way `{way}`")));
    };
    let can = base.products.iter().filter(|(_, p)| p.usual == way || p.others.contains(&way));
    let choices: Choices = OrderedMap::from_iter(can.map(|(name, _)| (name.clone(), way.clone())));
    let products: Vec<&String> = choices.keys().collect();
    let report = json!({"by": "debug.choice", "way": way.name(), "products": products});
    Ok(Tuned { choices, report, entry: None })
}

/// The file of an entry that holds the report.
const CHOICES: &str = "choices.json";

/// All that the times depend on: the program with its kernels, the device and what runs on it. Cubins depend on nothing
/// else.
fn depends(
    base: &Candidate,
    gpu: &Gpu,
    driver: i32,
    examples: Option<&Examples>,
) -> Result<Depends<'static>, SessionError> {
    let names: Vec<&str> = base.kernels.different.keys().map(String::as_str).collect();
    let machine = format!("{} {} {driver} {:?} {:?}", gpu.name, gpu.target.name(), gpu.cublaslt, gpu.cudnn);
    let timed = format!("{:?} {:?} {}", base.shapes, base.numbers, examples.is_some());
    let texts = [machine, gpu.nvrtc.release(), timed, names.join(" ")].map(String::into_bytes);
    Ok(Depends {
        what: "program",
        target: gpu.names(),
        parts: texts.into_iter().chain([base.plan.to_bytes()?]).map(Cow::Owned).collect(),
        here: gpu.nvrtc.identity(),
    })
}

/// The choices of a report.
fn read(bytes: &[u8]) -> Option<(Choices, Value)> {
    let report: Value = serde_json::from_slice(bytes).ok()?;
    let mut choices = Choices::new();
    for product in report["products"].as_array()? {
        let choice = Choice::from_name(product["chosen"].as_str()?)?;
        choices.insert(product["product"].as_str()?.to_string(), choice);
    }
    Some((choices, report))
}

fn candidate(graph: &Graph, gpu: &Gpu, choices: &Choices) -> Result<Candidate, SessionError> {
    let mut own = gpu.target.clone();
    own.vendor.choices = choices.clone();
    let target = Target::Cuda(own.clone());
    let mut program = lower(graph)?;
    loop_passes::run(&mut program, &target, false)?;
    let scheduled =
        schedule::schedule(&mut program, &target, schedule::Settings { fuse: true, explain: false });
    let kernels = native::emit(&program, &scheduled, &target, None)?;
    let products = schedule::products(&program, &scheduled, &target);
    let products = products.into_iter().map(|(name, found)| {
        let group = &scheduled.main[found.group];
        let tiles = mapping::cuda::candidates(&program, group, &own);
        // The first of the tiles is what the own template takes by itself.
        let usual = if found.by_library { Choice::Library } else { Choice::Template };
        let way = |k: usize| if k == 0 { Choice::Template } else { Choice::Tile(tiles[k].tile) };
        let mut others: Vec<Choice> = (1..tiles.len().min(TILES)).map(way).collect();
        let clocks = (0..tiles.len()).filter_map(|k| Some((way(k), tiles[k].clocks?))).collect();
        match usual {
            Choice::Library => others.insert(0, Choice::Template),
            _ if found.library => others.insert(0, Choice::Library),
            _ => {}
        }
        let launch = scheduled.launches.iter().position(|l| l.contains(&found.group));
        let symbol = launch.map_or_else(String::new, |l| kernels.main[l].symbol.clone());
        (name, Product { work: found.work, usual, others, clocks, symbol })
    });
    let products = products.collect();
    let mut plan = link::link(graph, &program, &scheduled, &kernels.init, &kernels.main)?;
    // Examples leave out inputs that the program does not use.
    usage::settle_inputs(&mut plan.plan);
    let syms = &program.syms;
    let shapes =
        program.inputs.iter().map(|b| program.buffers[*b].sizes.iter().map(|s| syms.hint(*s)).collect());
    let numbers = graph.inputs.iter().map(|i| i.symbol.map_or(0, |s| syms.hint(s)));
    Ok(Candidate { plan: plan.plan, products, shapes: shapes.collect(), numbers: numbers.collect(), kernels })
}

/// A candidate with its code.
struct Built {
    made: Candidate,
    cubins: Arc<Vec<Cubin>>,
}

/// What is compiled of all candidates so far.
#[derive(Default)]
struct Compiled {
    symbols: HashSet<String>,
    cubins: Vec<Cubin>,
}

impl Compiled {
    /// Candidates with their code, of which what is new is compiled side by side.
    fn build(&mut self, mut list: Vec<Candidate>, gpu: &Gpu) -> Result<Vec<Built>, SessionError> {
        let mut new = HashMap::new();
        for (symbol, kernel) in list.iter_mut().flat_map(|made| std::mem::take(&mut made.kernels.different)) {
            if self.symbols.insert(symbol.clone()) {
                new.insert(symbol, kernel);
            }
        }
        self.cubins.extend(cuda::compile(gpu, &cuda::sources(&new))?);
        let all = Arc::new(self.cubins.clone());
        Ok(list.into_iter().map(|made| Built { made, cubins: Arc::clone(&all) }).collect())
    }
}

/// What is made of each, side by side.
fn side_by_side<T: Send, R: Send>(list: Vec<T>, make: impl Fn(T) -> R + Sync) -> Vec<R> {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from).min(list.len());
    let done = Mutex::new((0..list.len()).map(|_| None).collect::<Vec<Option<R>>>());
    let waiting = Mutex::new(list.into_iter().enumerate());
    let work = || {
        loop {
            let next = waiting.lock().unwrap_or_else(|e| e.into_inner()).next();
            let Some((place, one)) = next else { return };
            let made = make(one);
            done.lock().unwrap_or_else(|e| e.into_inner())[place] = Some(made);
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

/// Times a program, on the examples that the host gave or on data of no meaning.
struct Timer<'a> {
    graph: &'a Graph,
    gpu: &'a Gpu,
    options: &'a Options,
    constants: Vec<ConstantBytes>,
    examples: Option<&'a Examples>,
}

impl Timer<'_> {
    fn instance(&self, Built { made, cubins }: &Built) -> Result<runtime::Executable, SessionError> {
        let mut plan = made.plan.clone();
        plan.name = self.graph.name.clone();
        // Launches one by one would hide what kernels take.
        let vendor = self.gpu.vendor_files();
        let factorises = vendor.cusolver.is_some();
        let runs = CudaRuns { graphs: true, factorises, ..self.options.cuda_runs() };
        let code = Code::Cuda { cubins: Arc::clone(cubins), vendor, device: self.gpu.index, runs };
        let program = runtime::Program::new(plan, code, self.constants.clone())?;
        Ok(runtime::Executable::new(
            &program,
            &InstanceOptions { threads: self.options.threads, ..InstanceOptions::default() },
        )?)
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
                times[place].push(instance.time_runs(
                    &built.made.shapes,
                    &built.made.numbers,
                    self.examples,
                    RUNS,
                )?);
                if bytes <= KEPT_CONSTANTS {
                    kept[place] = Some(instance);
                }
            }
        }
        let median = |mut list: Vec<f64>| {
            list.stable_sort_by(f64::total_cmp);
            list[list.len() / 2]
        };
        Ok(times.into_iter().map(median).collect())
    }
}

/// Times the other ways to do each kind of product, the one with the most work first.
fn search(
    graph: &Graph,
    gpu: &Gpu,
    options: &Options,
    examples: Option<&Examples>,
    base: Candidate,
) -> Result<(Choices, Value), SessionError> {
    let start = Instant::now();
    let mut order: Vec<(String, f64, Choice, Vec<Choice>)> = base
        .products
        .iter()
        .map(|(name, p)| (name.clone(), p.work, p.usual.clone(), p.others.clone()))
        .collect();
    order.stable_sort_by(|a, b| b.1.total_cmp(&a.1));
    let usual: Choices =
        OrderedMap::from_iter(order.iter().map(|(name, _, choice, _)| (name.clone(), choice.clone())));
    let clocks: OrderedMap<String, Vec<(Choice, i64)>> =
        OrderedMap::from_iter(base.products.iter().map(|(name, p)| (name.clone(), p.clocks.clone())));
    // A candidate of the report: who does it, how long the program takes, and what the cost model expected of the way.
    let timed = |name: &String, way: &Choice, seconds: f64| {
        let expected = clocks[name].iter().find(|c| c.0 == *way).map(|c| c.1);
        json!({"by": way.name(), "ms": seconds * 1e3, "clocks": expected})
    };
    let symbol = |c: &Candidate, name: &str| c.products.get(name).map(|p| p.symbol.clone());
    let rules: OrderedMap<String, Option<String>> =
        OrderedMap::from_iter(order.iter().map(|(name, ..)| (name.clone(), symbol(&base, name))));
    let mut compiled = Compiled::default();
    let base = compiled.build(vec![base], gpu)?.remove(0);
    let waiting = order.iter().flat_map(|(name, _, _, others)| others.iter().map(move |o| (name, o)));
    let waiting: Vec<(&String, &Choice)> = waiting.collect();
    let mut candidates: Vec<((String, Choice), Built)> = Vec::new();
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    for part in waiting.chunks((AT_ONCE * cpus).min(MOST_AT_ONCE)) {
        if start.elapsed() > BUDGETS[0] {
            break;
        }
        let made = side_by_side(part.to_vec(), |(name, other)| {
            let mut choices = usual.clone();
            choices.insert(name.clone(), other.clone());
            candidate(graph, gpu, &choices)
        });
        let (mut list, mut tried) = (Vec::new(), Vec::new());
        for ((name, other), made) in part.iter().zip(made) {
            let made = made?;
            // Another choice that makes the same program is none.
            if symbol(&made, name).is_some_and(|s| Some(Some(&s)) != rules.get(*name).map(Option::as_ref)) {
                tried.push((name.to_string(), (*other).clone()));
                list.push(made);
            }
        }
        candidates.extend(tried.into_iter().zip(compiled.build(list, gpu)?));
    }
    let data = graph.constants.iter().map(|c| Arc::clone(&c.data) as ConstantBytes);
    let timer = Timer { graph, gpu, options, constants: data.collect(), examples };
    let (mut first, mut choices, mut report) = (f64::INFINITY, usual.clone(), Vec::new());
    // What is better than the rules in one choice.
    let mut alone: Vec<(&String, &Choice, &Built)> = Vec::new();
    for (name, _, usual, others) in &order {
        let own: Vec<_> = candidates.iter().filter(|c| c.0.0 == *name).collect();
        if own.is_empty() || start.elapsed() > BUDGETS[1] {
            continue;
        }
        let list: Vec<&Built> = std::iter::once(&base).chain(own.iter().map(|c| &c.1)).collect();
        let seconds = timer.seconds(&list)?;
        first = first.min(seconds[0]);
        let (mut least, mut chosen) = (seconds[0] * BETTER, None);
        let mut times = vec![timed(name, usual, seconds[0])];
        for (((_, other), built), seconds) in own.into_iter().zip(&seconds[1..]) {
            times.push(timed(name, other, *seconds));
            if *seconds < least {
                (least, chosen) = (*seconds, Some((other, built)));
            }
        }
        let untried = others.len() + 1 - times.len();
        let chosen = chosen.map_or(usual, |(choice, built)| {
            alone.push((name, choice, built));
            choice
        });
        choices.insert(name.clone(), chosen.clone());
        report
            .push(json!({"product": name, "candidates": times, "chosen": chosen.name(), "untried": untried}));
    }
    let mut best = first;
    if choices != usual {
        // What is best for each need not be so together: all at once, the rules and each choice alone are timed once more.
        let together = compiled.build(vec![candidate(graph, gpu, &choices)?], gpu)?.remove(0);
        let mut list = vec![&base, &together];
        if alone.len() > 1 {
            list.extend(alone.iter().map(|(_, _, built)| *built));
        }
        let seconds = timer.seconds(&list)?;
        (best, first) = (seconds[0] * BETTER, seconds[0]);
        let mut fastest = 0;
        for (place, seconds) in seconds.iter().enumerate() {
            if *seconds < best {
                (best, fastest) = (*seconds, place);
            }
        }
        if fastest != 1 {
            choices = usual;
            best = seconds[fastest];
            if let Some((name, choice, _)) = fastest.checked_sub(2).and_then(|k| alone.get(k)) {
                choices.insert((*name).clone(), (*choice).clone());
            }
            for product in &mut report {
                let name = product["product"].as_str().and_then(|name| choices.get(name));
                product["chosen"] = json!(name.map(Choice::name));
            }
        }
    }
    for product in &report {
        for candidate in product["candidates"].as_array().into_iter().flatten() {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
            let seconds = |value: &Value| value.as_f64().unwrap_or_default() / 1e3;
            options.emit(&Event::Candidate {
                product: text(&product["product"]),
                way: text(&candidate["by"]),
                seconds: seconds(&candidate["ms"]),
                usual: seconds(&product["candidates"][0]["ms"]),
                chosen: candidate["by"] == product["chosen"],
            });
        }
    }
    for (name, choice) in choices.iter() {
        options.log(2, Channel::Autotune, &format!("autotuning chose {} for {name}", choice.name()));
    }
    let report = json!({
        "by": "timing", "products": report, "first_ms": first * 1e3, "ms": best * 1e3,
        "seconds": start.elapsed().as_secs_f64(),
    });
    Ok((choices, report))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::cache::Cache;
    use crate::plan::{Attributes, Step};
    use crate::{decompose, functionalize, meta, passes};

    const CONVOLUTION: &str = r#"graph "convolution" {
  input %0 "x": bfloat16[4, 256, 14, 14] strides [50176, 1, 3584, 256]
  input %1 "w": bfloat16[512, 256, 3, 3]
  %3 = aten.conv2d.default(%0, %1, None, [1, 1], [1, 1], [1, 1], 1)
  %4 = aten.relu.default(%3)
  output "y" = %4
}
"#;

    /// A library without anything in it: candidates are compiled here, not run.
    fn gpu(folder: &std::path::Path) -> Gpu {
        let (source, library) = (folder.join("nothing.c"), folder.join("libcudnn.so.9"));
        std::fs::write(&source, "int litz_nothing;\n").unwrap();
        let mut cc = std::process::Command::new("cc");
        assert!(cc.args(["-shared", "-o"]).args([&library, &source]).status().unwrap().success());
        let mut options = Options::new();
        for (key, value) in
            [("backend", "cuda"), ("cuda.arch", "90"), ("cuda.cudnn", library.to_str().unwrap())]
        {
            options.set(key, value).unwrap();
        }
        let mut gpu =
            Gpu::find(&options).unwrap_or_else(|e| panic!("{e}: run scripts/nvrtc for the compiler"));
        gpu.cache = Cache::default();
        gpu
    }

    #[test]
    fn every_way_to_do_a_convolution_is_a_program_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let gpu = gpu(folder.path());
        let graph = meta::text::parse(CONVOLUTION).unwrap();
        let graph = functionalize::functionalize(&graph).unwrap();
        let mut graph = decompose::decompose(&graph).unwrap();
        passes::run(&mut graph).unwrap();
        let base = candidate(&graph, &gpu, &Choices::new()).unwrap();
        let [(name, product)] = base.products.iter().collect::<Vec<_>>()[..] else { panic!("one is there") };
        assert_eq!(product.usual, Choice::Template);
        assert!(
            product.others.contains(&Choice::Library) && product.others.len() >= TILES,
            "{:?}",
            product.others
        );
        let mut symbols = vec![product.symbol.clone()];
        let made = product.others.iter().map(|other| {
            let choices = Choices::from_iter([(name.clone(), other.clone())]);
            let made = candidate(&graph, &gpu, &choices).unwrap();
            symbols.push(made.products[name].symbol.clone());
            made
        });
        let made: Vec<Candidate> = made.collect();
        symbols.sort();
        symbols.dedup();
        assert_eq!(symbols.len(), 1 + product.others.len(), "{symbols:?}");
        let by_library = |made: &Candidate| {
            made.plan
                .main
                .iter()
                .any(|step| matches!(step, Step::Extern { attributes: Attributes::Convolution(_), .. }))
        };
        assert!(by_library(&made[0]) && !made[1..].iter().chain([&base]).any(by_library));
        Compiled::default().build(made, &gpu).unwrap_or_else(|e| panic!("{e}: {:?}", e.output()));
    }
}
