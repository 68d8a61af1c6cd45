//! Programs for CPUs: a variant for each instruction set that is asked for, all of one graph with its constants as they
//! stand in it.

use super::compare::Comparison;
use super::describe::{Described, Entry};
use super::inside::Inside;
use super::loops::scheduled;
use super::native::{self, Builder, Kernels};
use super::seen::Places;
use super::{Given, Options, SessionError, Timing, explain, link, usage};
use crate::base::HashMap;
use crate::base::event::Channel;
use crate::codegen::Kernel;
use crate::device::cpu;
use crate::ir::Graph;
use crate::loops::Program;
use crate::plan::Plan;
use crate::runtime::Code;
use crate::schedule::Schedule;
use crate::target::{CpuTarget, Isa, Target};
use std::borrow::Cow;
use std::sync::Arc;

/// A program for an instruction set, or one that needs none.
pub struct Variant {
    pub plan: Plan,
    pub objects: Vec<Vec<u8>>,
    pub isa: Isa,
    pub inside: Inside,
}

impl Variant {
    /// What other backends make.
    pub fn without_objects(plan: Plan, inside: Inside) -> Variant {
        Variant { plan, objects: Vec::new(), isa: Isa::Scalar, inside }
    }
}

/// All variants, the one for the least machine first, and the code of the best that runs here.
pub struct Variants {
    pub list: Vec<Variant>,
    pub code: Code,
    pub entry: Entry,
    /// Of the one that runs here, where they are asked for.
    pub comparison: Option<Arc<Comparison>>,
    pub places: Option<Places>,
}

/// A program for one target, whose kernels are source.
struct Written {
    /// Before it was scheduled, where that is still needed.
    original: Option<Program>,
    program: Program,
    schedule: Schedule,
    kernels: Kernels,
}

/// Compiles the variants; `program` is what the graph was lowered to, and `spec` its signature.
pub fn build(
    (graph, spec): (&Graph, &serde_json::Value),
    program: Program,
    builder: &Builder,
    (options, given): (&Options, Given),
    timing: &mut Timing<'_>,
) -> Result<Variants, SessionError> {
    // A schedule changes the program that it is made of.
    let programs = std::iter::repeat_n(program, builder.targets.len());
    let written = builder
        .targets
        .iter()
        .zip(programs)
        .map(|(t, program)| write((graph, program), t, builder.threads, options, timing));
    let written = written.collect::<Result<Vec<_>, _>>()?;
    let kernels: Vec<_> = written.iter().map(|w| to_compile(&w.kernels.different, given)).collect();
    let kernels: Vec<_> = kernels.iter().map(|k| &**k).collect();
    let built = timing.stage("build", || native::build(&kernels, builder, options))?;
    let (mut list, mut comparison, mut places) = (Vec::with_capacity(written.len()), None, None);
    let mut linked = Vec::with_capacity(written.len());
    for Written { program, schedule, kernels, .. } in &written {
        linked.push(
            timing.stage("link", || link::link(graph, program, schedule, &kernels.init, &kernels.main))?,
        );
    }
    usage::settle(&mut Vec::from_iter(linked.iter_mut().map(|l| &mut l.plan)), options.freeze);
    let written = written.into_iter().zip(linked);
    for (((w, linked), target), objects) in written.zip(&builder.targets).zip(built.objects) {
        let Written { original, program, schedule, kernels } = w;
        if target.isa <= cpu::native_isa() || list.is_empty() {
            places = options.check.is_some().then(|| Places::new(graph, &program, &linked));
            if let Some(original) = original {
                let calls = (&kernels.init[..], &kernels.main[..]);
                comparison =
                    Some(Comparison::new(graph, original, &program, &schedule, calls, &linked, options)?);
            }
        }
        let described = Described::native(&program, &schedule, &kernels, builder, target);
        let plan = described.with_costs(linked.costs).finish(linked.plan, graph, spec, options);
        let inside = Inside::of(&program, &schedule, kernels.different);
        list.push(Variant { plan, objects, isa: target.isa, inside });
    }
    Ok(Variants { list, code: built.code, entry: built.entry, comparison, places })
}

/// Without the kernels that are compiled already.
fn to_compile<'k>(
    kernels: &'k HashMap<String, Kernel>,
    given: Given<'_>,
) -> Cow<'k, HashMap<String, Kernel>> {
    match given.compiled {
        None => Cow::Borrowed(kernels),
        Some(compiled) => {
            let rest = kernels.iter().filter(|(symbol, _)| !compiled.contains(symbol.as_str()));
            Cow::Owned(rest.map(|(symbol, kernel)| (symbol.clone(), kernel.clone())).collect())
        }
    }
}

fn write(
    (graph, mut program): (&Graph, Program),
    target: &CpuTarget,
    threads: usize,
    options: &Options,
    timing: &mut Timing<'_>,
) -> Result<Written, SessionError> {
    let original = options.compares.then(|| program.clone());
    let machine = Target::Cpu(target.clone());
    let mut schedule = scheduled(&mut program, &machine, timing)?;
    let kernels = timing.stage("codegen", || native::emit(&program, &schedule, &machine, Some(options)))?;
    schedule.add_scratch(&program, &native::arena_scratch(&program, &kernels.main, threads));
    options.explain(Channel::Memory, || explain::memory(graph, &program, &schedule, &kernels));
    Ok(Written { original, program, schedule, kernels })
}
