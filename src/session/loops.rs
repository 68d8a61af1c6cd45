//! From a graph that is ready to the groups of one target: lowering, bounds, the passes over loops, fusion and memory.

use super::{Options, SessionError, Timing, explain};
use crate::base::event::Channel;
use crate::ir::Graph;
use crate::loop_passes;
use crate::loops::{self, Program, lower::lower};
use crate::schedule::{self, Schedule, Settings};
use crate::target::Target;

/// A graph's loops. Every access is proved to be in bounds, or guarded.
pub(super) fn lowered_and_dumped(
    graph: &mut Graph,
    timing: &mut Timing<'_>,
) -> Result<Program, SessionError> {
    let mut program = timing.stage("lower", || lower(graph))?;
    program.keeps_roundings = timing.options.strict_numerics;
    let before = graph.guards.len();
    timing.stage("bounds", || -> Result<(), SessionError> {
        loops::verify(&program)?;
        let guards = loops::bound(&mut program, graph)?;
        graph.guards.extend(guards);
        Ok(())
    })?;
    timing.options.explain(Channel::Guards, || explain::guards(graph, before, "bounds"));
    timing.options.dump_text("loops.txt", || loops::text::text(&program))?;
    Ok(program)
}

/// The program as the target wants it, and its kernels.
pub(super) fn scheduled(
    program: &mut Program,
    target: &Target,
    timing: &mut Timing<'_>,
) -> Result<Schedule, SessionError> {
    let options: &Options = timing.options;
    let hears = options.watch.hears(Channel::Stages);
    let reports = timing.stage("loop_passes", || loop_passes::run(program, target, hears))?;
    options.explain(Channel::Stages, || reports.into_iter().map(explain::loop_pass).collect());
    options.dump_text(&format!("loops_{}.txt", target.name()), || loops::text::text(program))?;
    let settings = Settings { fuse: true, explain: options.watch.hears(Channel::Fusion) };
    let mut schedule =
        timing.stage("schedule", || Ok::<_, SessionError>(schedule::schedule(program, target, settings)))?;
    options.explain(Channel::Fusion, || explain::fusion(program, &schedule));
    options.dump_groups(program, &schedule, target)?;
    schedule.count_costs(program);
    Ok(schedule)
}
