//! Programs for CPUs: a variant for each instruction set that is asked for, all of one graph with its constants as they
//! stand in it.

use super::describe::{self, Described};
use super::native::{self, Builder, Origin};
use super::{Options, SessionError, Timing, link};
use crate::device::cache::Cache;
use crate::device::cpu;
use crate::ir::Graph;
use crate::loops::Program;
use crate::plan::Plan;
use crate::runtime::Code;
use crate::schedule;
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

/// All variants, the one for the least machine first, and the code of the one that runs here.
pub struct Variants {
    pub list: Vec<Variant>,
    pub code: Code,
    origins: Vec<Origin>,
}

impl Variants {
    /// What describe says of where the kernels came from.
    pub fn cache(&self, cache: &Result<Cache, String>) -> &'static str {
        let compiled = self.origins.contains(&Origin::Compiled);
        describe::found(cache, if compiled { Origin::Compiled } else { Origin::Cache })
    }
}

/// Compiles the variants; `program` is what the graph was lowered to.
pub fn build(
    graph: &mut Graph,
    program: Program,
    builder: &Builder,
    options: &Options,
    timing: &mut Timing,
) -> Result<Variants, SessionError> {
    let (mut list, mut origins, mut code) = (Vec::new(), Vec::new(), None);
    let (mut program, native) = (Some(program), cpu::native_isa());
    for target in &builder.targets {
        // A schedule changes the program that it is made of.
        let program = match program.take() {
            Some(program) => program,
            None => super::lowered(graph, timing)?,
        };
        let (variant, loaded, origin) = one(graph, program, target, builder, options, timing)?;
        list.push(variant);
        origins.push(origin);
        if target.isa <= native || code.is_none() {
            code = Some(loaded);
        }
    }
    let code = code.expect("there is a target at least");
    Ok(Variants { list, code, origins })
}

fn one(
    graph: &Graph,
    mut program: Program,
    target: &CpuTarget,
    builder: &Builder,
    options: &Options,
    timing: &mut Timing,
) -> Result<(Variant, Code, Origin), SessionError> {
    let settings = schedule::Settings { fuse: true };
    let machine = Target::Cpu(target.clone());
    let mut schedule = timing
        .stage("schedule", || Ok::<_, SessionError>(schedule::schedule(&mut program, &machine, settings)))?;
    let kernels = timing.stage("codegen", || native::emit(&program, &schedule, &machine))?;
    schedule.add_rooms(&program, &native::rooms(&program, &kernels.main, target.cores));
    let (built, origin) =
        timing.stage("build", || native::build(&kernels.different, target, builder, options))?;
    let plan =
        timing.stage("link", || link::link(graph, &program, &schedule, &kernels.init, &kernels.main))?;
    let plan = Described::native(&program, &schedule, &kernels, builder, target).finish(plan, graph, options);
    Ok((Variant { plan, objects: built.objects, isa: target.isa }, built.code, origin))
}
