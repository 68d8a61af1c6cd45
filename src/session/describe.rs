//! What `litz_executable_describe` says, gathered while compiling and stored in the plan.

use super::explain::number_or_text;
use super::native::{Builder, Kernels};
use super::options::Options;
use super::usage;
use crate::base::event::{Channel, Event};
use crate::base::{HashSet, json, memory};
use crate::device::cache::{Cache, Keys, Level};
use crate::ir::Graph;
use crate::loops::uses::reduced_load;
use crate::loops::{NodeKind, Operators, Program};
use crate::plan::{Costs, InputNeed, Plan, Step, SymbolSource};
use crate::schedule::{self, Cost, Group, GroupKind, Schedule};
use crate::target::CpuTarget;
use crate::types::{Dtype, SymInt};
use serde_json::Value;

/// The parts that depend on the backend.
pub struct Described {
    backend: String,
    /// What it is compiled for: instruction sets, or GPUs.
    target: Vec<String>,
    /// The instruction set of these kernels.
    isa: Option<&'static str>,
    compiler: Option<String>,
    kernels: Vec<Value>,
    /// The nodes of the user's program that kernels compute.
    nodes: Vec<Value>,
    fallbacks: Vec<Value>,
    arena: SymInt,
    live: i64,
    /// Bytes that each thread needs for itself, by kernel: what is too much for its stack lies in the arena.
    scratch: Vec<SymInt>,
    derived_bytes: u64,
    /// What was tried and timed.
    autotune: Value,
    /// Of each kernel of a run, for profiles.
    costs: Costs,
}

/// The cache's entry of a compilation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entry {
    /// Where there is a cache and something to keep.
    pub keys: Option<Keys>,
    /// Where it was found.
    pub level: Option<Level>,
}

impl Entry {
    pub fn new(cache: &Cache, keys: &Keys, level: Option<Level>) -> Entry {
        Entry { keys: cache.is_on().then_some(*keys), level }
    }
    pub fn origin(&self) -> &'static str {
        match (self.level, self.keys) {
            (Some(_), _) => "hit",
            (None, Some(_)) => "miss",
            (None, None) => "none",
        }
    }
    /// What describe says of it.
    pub fn about(&self) -> Value {
        let key = self.keys.map(|keys| keys.own.hex());
        json!({"cache": self.origin(), "cache_key": key, "cache_level": self.level.map(Level::name)})
    }
}

impl Described {
    /// The kernels of a run, then those that run once: a run does not pay for them.
    fn listed(program: &Program, schedule: &Schedule, kernels: &Kernels) -> Vec<Value> {
        let one = |groups: &[Group], cost: Cost, call: &super::link::Call, stage: &str| {
            let kind = match &call.routine {
                Some(routine) => routine.attributes.routine().kind(),
                None => kernels.different.get(&call.symbol).map_or("", |k| k.kind),
            };
            kernel(program, &call.symbol, kind, stage, groups, cost)
        };
        let launches = schedule.launches.iter().zip(&schedule.costs).zip(&kernels.main);
        let main = launches.map(|((l, cost), call)| one(&schedule.main[l.clone()], *cost, call, "run"));
        let init = schedule.init.iter().map(std::slice::from_ref).zip(&kernels.init);
        let init = init.map(|(g, call)| one(g, schedule::cost(program, g), call, "init"));
        main.chain(init).collect()
    }

    pub fn native(
        program: &Program,
        schedule: &Schedule,
        kernels: &Kernels,
        builder: &Builder,
        target: &CpuTarget,
    ) -> Described {
        Described {
            backend: "cpu".into(),
            target: builder.targets.iter().map(|t| t.isa.name().to_string()).collect(),
            isa: Some(target.isa.name()),
            compiler: Some(builder.toolchain.version().to_string()),
            ..Described::compiled(program, schedule, kernels)
        }
    }

    #[cfg(feature = "cuda")]
    pub fn cuda(
        program: &Program,
        schedule: &Schedule,
        kernels: &Kernels,
        gpu: &super::cuda::Gpu,
        tuned: Option<Value>,
    ) -> Described {
        Described {
            backend: "cuda".into(),
            target: vec![format!("{} ({})", gpu.names(), gpu.name)],
            compiler: Some(format!("NVRTC {}", gpu.nvrtc.version())),
            autotune: tuned.unwrap_or_default(),
            ..Described::compiled(program, schedule, kernels)
        }
    }

    /// What is said of native kernels, whoever made them.
    fn compiled(program: &Program, schedule: &Schedule, kernels: &Kernels) -> Described {
        let scratch = kernels.main.iter().map(|c| c.scratch).collect();
        let (kernels, nodes) = (Described::listed(program, schedule, kernels), nodes(program, schedule));
        Described { kernels, nodes, scratch, ..Described::placed(schedule) }
    }

    /// What is said of any schedule; the rest is empty.
    fn placed(schedule: &Schedule) -> Described {
        Described {
            backend: String::new(),
            target: Vec::new(),
            isa: None,
            compiler: None,
            kernels: Vec::new(),
            nodes: Vec::new(),
            fallbacks: Vec::new(),
            arena: schedule.placements.arena_bytes,
            live: schedule.placements.live_bytes,
            scratch: Vec::new(),
            derived_bytes: schedule.placements.derived_bytes,
            autotune: Value::Null,
            costs: Costs::default(),
        }
    }

    /// Kernels that are no native code, each named by its place, of a backend of this name.
    pub fn hosted(
        backend: &str,
        kind: &str,
        program: &Program,
        schedule: &Schedule,
        because: Option<&str>,
    ) -> Described {
        let groups =
            schedule.main.iter().map(|g| (g, "run")).chain(schedule.init.iter().map(|g| (g, "init")));
        let kernels = groups
            .enumerate()
            .map(|(k, (g, stage))| {
                let groups = std::slice::from_ref(g);
                kernel(program, &format!("node{k}"), kind, stage, groups, schedule::cost(program, groups))
            })
            .collect();
        let fallbacks = because
            .map(|reason| json!({"asked": "auto", "got": backend, "because": reason}))
            .into_iter()
            .collect();
        Described {
            backend: backend.to_string(),
            target: vec!["any".to_string()],
            kernels,
            nodes: nodes(program, schedule),
            fallbacks,
            ..Described::placed(schedule)
        }
    }

    pub fn with_costs(self, costs: Costs) -> Described {
        Described { costs, ..self }
    }

    /// The plan with its metadata, which graph and options alone decide.
    pub fn finish(mut self, mut plan: Plan, graph: &Graph, spec: &Value, options: &Options) -> Plan {
        let syms = &graph.syms;
        // Descriptions are large: an event borrows its one.
        let heard = if options.watch.hears(Channel::Kernels) { &mut self.kernels[..] } else { &mut [] };
        for (kernel, own) in heard.iter_mut().enumerate() {
            let event = Event::Kernel { kernel, description: std::mem::take(own) };
            options.emit(&event);
            if let Event::Kernel { description, .. } = event {
                *own = description;
            }
        }
        let shape = |min: &[i64], max: &[i64]| -> Vec<Value> {
            min.iter()
                .zip(max)
                .map(|(a, b)| if a == b { json!(a) } else { json!({"min": a, "max": b}) })
                .collect()
        };
        let dtype = |n: i32| crate::types::Dtype::from_number(n.into()).map_or("?", |d| d.name());
        let inputs: Vec<Value> = plan
            .inputs
            .iter()
            .map(|t| json!({"name": t.name, "dtype": dtype(t.dtype), "shape": shape(&t.min_shape, &t.max_shape), "mutated": t.mutated, "used": t.need == InputNeed::Data, "optional": t.need == InputNeed::Nothing}))
            .collect();
        let outputs: Vec<Value> = plan
            .outputs
            .iter()
            .map(|t| json!({"name": t.name, "dtype": dtype(t.dtype), "shape": shape(&t.min_shape, &t.max_shape)}))
            .collect();
        let constants: Vec<Value> = plan
            .constants
            .iter()
            .map(|c| {
                let kind = ["parameter", "buffer", "constant"][c.kind.clamp(0, 2) as usize];
                let storage = &plan.storages[c.storage as usize];
                json!({"name": c.name, "aliases": c.aliases, "kind": kind, "dtype": dtype(c.dtype), "shape": c.shape, "mutated": storage.mutated, "used": !storage.unused, "frozen": storage.frozen})
            })
            .collect();
        let symbols: Vec<Value> = plan
            .symbols
            .iter()
            .filter(|s| !matches!(s.source, SymbolSource::Random(_)))
            .map(|s| json!({"name": s.name, "min": s.min, "max": if s.max == i64::MAX { Value::Null } else { json!(s.max) }}))
            .collect();
        let is_function = |k: &usize| matches!(plan.main[*k], Step::Function { .. });
        let functions: Vec<usize> = (0..plan.main.len()).filter(is_function).collect();
        let steps = blocks(&plan, &functions, 0..plan.main.len());
        let init = self.kernels.iter().filter(|k| k["stage"] == "init").map(|k| k["nodes"].as_array());
        let named = |list: &Vec<Value>| list.iter().filter_map(|n| Some(n.as_str()?.to_string())).collect();
        let init_nodes: Vec<Vec<String>> = init.map(|list| list.map(named).unwrap_or_default()).collect();
        let mut needs: Vec<String> = Vec::new();
        for step in plan.init.iter().chain(&plan.main) {
            if let Step::Extern { attributes, .. } = step
                && let name = attributes.name()
                && !needs.contains(&name)
            {
                needs.push(name);
            }
        }
        plan.metadata = json!({
            "name": graph.name,
            "backend": self.backend,
            "target": self.target,
            "isa": self.isa,
            "compiler": self.compiler,
            "inputs": inputs,
            "outputs": outputs,
            "constants": constants,
            "folded": usage::folded(&plan, &init_nodes),
            "symbols": symbols,
            "random": plan.next_offset.is_some(),
            "kernels": self.kernels,
            "nodes": self.nodes,
            "steps": steps,
            "arena_bytes": number_or_text(syms, self.arena),
            "typical_arena_bytes": syms.hint(self.arena),
            "live_bytes": self.live,
            "scratch_bytes": self.scratch.iter().map(|s| syms.hint(*s)).max().unwrap_or(0),
            "derived_bytes": self.derived_bytes,
            "artifact": false,
            "needs": needs,
            "options": options.given_json(),
            "fallbacks": self.fallbacks,
            "autotune": self.autotune,
            "costs": self.costs.to_json(),
            "spec": spec,
        })
        .to_string();
        plan
    }
}

/// What is said of a kernel: what it computes, which modules and lines of the user's program that comes from, and what it
/// moves and computes in a run, sizes that a run decides as typical.
fn kernel(program: &Program, name: &str, kind: &str, stage: &str, groups: &[Group], cost: Cost) -> Value {
    memory::checkpoint();
    let operators = Operators::of(groups.iter().map(|g| &g.operators));
    let origins = program.origins.all(&operators.origins);
    let distinct = |list: Vec<String>| list.into_iter().collect::<HashSet<_>>();
    let modules = distinct(origins.iter().filter_map(|o| Some(o.module()?.path.clone())).collect());
    let source = distinct(origins.iter().filter_map(|o| Some(o.frame()?.place())).collect());
    let nodes: Vec<&str> = origins.iter().map(|o| o.node.as_str()).collect();
    json!({
        "name": name,
        "kind": kind,
        "stage": stage,
        "operators": operators.names,
        "nodes": nodes,
        "modules": Vec::from_iter(modules),
        "source": Vec::from_iter(source),
        "operands": operands(program, groups).map(Dtype::name),
        "bytes": program.syms.hint(cost.bytes),
        "flop": program.syms.hint(cost.flop),
    })
}

/// The dtype of what a matrix product, a convolution or attention multiplies.
fn operands(program: &Program, groups: &[Group]) -> Option<Dtype> {
    groups.iter().find_map(|group| {
        let GroupKind::Template { node, .. } = &group.kind else { return None };
        let operand = match &program.nodes[*node].kind {
            NodeKind::Gemm { a, .. } => *a,
            NodeKind::Convolution(c) => c.input,
            NodeKind::Attention(a) => a.query,
            _ => return None,
        };
        Some(program.exprs.dtype(reduced_load(program, operand)))
    })
}

/// The nodes of the user's program that groups compute.
fn nodes(program: &Program, schedule: &Schedule) -> Vec<Value> {
    let all = Operators::of(schedule.main.iter().chain(&schedule.init).map(|g| &g.operators));
    program.origins.all(&all.origins).iter().map(|o| Value::Object(o.json())).collect()
}

/// What a run does, in order: kernels by name, and what steers them, each block a list of its own. Functions are numbered in
/// their order.
fn blocks(plan: &Plan, functions: &[usize], steps: std::ops::Range<usize>) -> Vec<Value> {
    let mut list = Vec::new();
    let mut k = steps.start;
    let number = |at: usize| functions.partition_point(|function| *function < at);
    let symbol = |k: u32| plan.symbols.get(k as usize).map_or("?", |s| s.name.as_str());
    while let Some(step) = plan.main.get(k).filter(|_| k < steps.end) {
        let [first, second] = step.blocks();
        let (a, b) = (k + 1..k + 1 + first, k + 1 + first..k + 1 + first + second);
        let inner = |range: std::ops::Range<usize>| blocks(plan, functions, range);
        list.push(match step {
            Step::Kernel { kernel, .. } => {
                plan.kernels.get(kernel.0 as usize).map_or("?", |k| k.symbol.as_str()).into()
            }
            Step::Extern { attributes, .. } => attributes.name().into(),
            Step::Copy { .. } => "copy".into(),
            Step::Read { symbol: s, .. } => json!({"read": symbol(*s)}),
            Step::Set { symbol: s, .. } => json!({"set": symbol(*s)}),
            Step::Check { assertion, .. } => {
                json!({"check": plan.assertions.get(*assertion as usize)})
            }
            Step::Print { text } => json!({"print": plan.assertions.get(*text as usize)}),
            Step::Allocate { .. } => "allocate".into(),
            Step::If { .. } => json!({"if": inner(a.clone()), "else": inner(b.clone())}),
            Step::While { .. } => json!({"while": inner(a.clone()), "do": inner(b.clone())}),
            Step::Function { .. } => json!({"function": number(k), "steps": inner(a.clone())}),
            Step::Again { function } => json!({"again": number(*function as usize)}),
        });
        k = b.end;
    }
    list
}
