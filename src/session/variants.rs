//! Programs for CPUs: a variant for each instruction set that is asked for, all of one graph with its constants as they
//! stand in it.

use super::describe::{Described, Entry};
use super::native::{self, Builder, Kernels};
use super::{Options, SessionError, Timing, link};
use crate::ir::Graph;
use crate::loops::Program;
use crate::plan::Plan;
use crate::runtime::Code;
use crate::schedule::{self, Schedule};
use crate::target::{CpuTarget, Isa, Target};

/// A program for an instruction set, or one that needs none.
pub struct Variant {
    pub plan: Plan,
    pub objects: Vec<Vec<u8>>,
    pub isa: Isa,
}

impl Variant {
    /// What other backends make.
    pub fn without_objects(plan: Plan) -> Variant {
        Variant { plan, objects: Vec::new(), isa: Isa::Scalar }
    }
}

/// All variants, the one for the least machine first, and the code of the best that runs here.
pub struct Variants {
    pub list: Vec<Variant>,
    pub code: Code,
    pub entry: Entry,
}

/// A program for one target, whose kernels are source.
struct Written {
    program: Program,
    schedule: Schedule,
    kernels: Kernels,
}

/// Compiles the variants; `program` is what the graph was lowered to, and `spec` its signature.
pub fn build(
    (graph, spec): (&Graph, &serde_json::Value),
    program: Program,
    builder: &Builder,
    options: &Options,
    timing: &mut Timing,
) -> Result<Variants, SessionError> {
    // A schedule changes the program that it is made of.
    let programs = std::iter::repeat_n(program, builder.targets.len());
    let written =
        builder.targets.iter().zip(programs).map(|(target, program)| write(program, target, timing));
    let written = written.collect::<Result<Vec<_>, _>>()?;
    let kernels: Vec<_> = written.iter().map(|w| &w.kernels.different).collect();
    let built = timing.stage("build", || native::build(&kernels, builder, options))?;
    let mut list = Vec::with_capacity(written.len());
    for ((w, target), objects) in written.iter().zip(&builder.targets).zip(built.objects) {
        let Written { program, schedule, kernels } = w;
        let plan =
            timing.stage("link", || link::link(graph, program, schedule, &kernels.init, &kernels.main))?;
        let plan =
            Described::native(program, schedule, kernels, builder, target).finish(plan, graph, spec, options);
        list.push(Variant { plan, objects, isa: target.isa });
    }
    Ok(Variants { list, code: built.code, entry: built.entry })
}

fn write(mut program: Program, target: &CpuTarget, timing: &mut Timing) -> Result<Written, SessionError> {
    let settings = schedule::Settings { fuse: true };
    let machine = Target::Cpu(target.clone());
    let mut schedule = timing
        .stage("schedule", || Ok::<_, SessionError>(schedule::schedule(&mut program, &machine, settings)))?;
    let kernels = timing.stage("codegen", || native::emit(&program, &schedule, &machine))?;
    schedule.add_rooms(&program, &native::rooms(&program, &kernels.main, target.cores));
    Ok(Written { program, schedule, kernels })
}
