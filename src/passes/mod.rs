//! Floor 6: graph-to-graph passes over the functional, decomposed graph: one ordered list, [`PASSES`]. [`Autocast`] stands
//! apart: it goes over the graph as it was given, since its lists name composite operators, and it changes results.
//!
//! Invariants: a pass keeps every result (bit for bit, but for the algebra that its entry names), every write and
//! every node that can still fail at run time; it is near-linear in the number of nodes and does not recurse; in
//! debug builds the graph is verified after each.
//!
//! Deliberately absent: folding of what depends on constants alone, which the plan computes once when a program is
//! created: passes only bring graphs into the form in which that can be seen.

mod attention_sums;
mod autocast;
mod canonicalize;
mod dead_code;
mod fold_norm;
pub mod int4_layout;
mod joins;
mod rewrite;
mod subexpressions;

#[cfg(test)]
mod tests;

pub use autocast::Autocast;

use crate::base::{HashMap, OrderedMap, Status, memory};
use crate::ir::{Graph, Shared, VerifyError, verify};
use crate::meta::MetaError;
use std::time::Instant;

#[derive(Clone, Debug, thiserror::Error)]
pub enum PassError {
    #[error("pass {pass}: {error}")]
    Rewrite { pass: &'static str, error: MetaError },
    #[error("after pass {pass}: {error}")]
    Verify { pass: &'static str, error: VerifyError },
}

impl PassError {
    pub fn status(&self) -> Status {
        match self {
            PassError::Rewrite { error, .. } => error.status(),
            PassError::Verify { error, .. } => error.status(),
        }
    }
}

/// One pass. The function says whether it changed anything.
pub struct Pass {
    pub name: &'static str,
    pub run: fn(&mut Graph) -> Result<bool, MetaError>,
    /// Why it stands at this place of the list.
    pub why_here: &'static str,
}

/// What runs, in order.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "canonicalize",
        run: canonicalize::run,
        why_here: "first: the patterns below need not look through copies, aliases and views that change nothing",
    },
    Pass {
        name: "fold_norm",
        run: fold_norm::run,
        why_here: "before equal subexpressions are joined, which would give a convolution a second user",
    },
    Pass {
        name: "joins",
        run: joins::run,
        why_here: "before equal subexpressions are joined, which would give an inner join a second user",
    },
    Pass {
        name: "attention_sums",
        run: attention_sums::run,
        why_here: "before equal subexpressions are joined, of which it makes some",
    },
    Pass {
        name: "common_subexpressions",
        run: subexpressions::run,
        why_here: "after rewrites, which leave equal nodes behind",
    },
    Pass {
        name: "dead_code",
        run: dead_code::run,
        why_here: "last: every other pass leaves nodes without users",
    },
];

/// What a pass did.
#[derive(Clone, Debug)]
pub struct Report {
    pub pass: &'static str,
    pub changed: bool,
    /// The graph that a node runs, by its name; none: the program's own.
    pub subgraph: Option<String>,
    /// Before and after.
    pub nodes: [usize; 2],
    /// How many more there are of each operator, where that was asked for.
    pub difference: OrderedMap<&'static str, i64>,
    pub seconds: f64,
}

/// Runs all passes, first on the graphs that nodes run.
pub fn run(graph: &mut Graph) -> Result<Vec<Report>, PassError> {
    Runs { compares: false, reports: Vec::new() }.all(&mut Shared::default(), graph, false)
}

/// [`run`], with what each pass changed.
pub fn run_compared(graph: &mut Graph) -> Result<Vec<Report>, PassError> {
    Runs { compares: true, reports: Vec::new() }.all(&mut Shared::default(), graph, false)
}

struct Runs {
    compares: bool,
    reports: Vec<Report>,
}

impl Runs {
    fn all(mut self, shared: &mut Shared, graph: &mut Graph, inside: bool) -> Result<Vec<Report>, PassError> {
        let (compares, reports) = (self.compares, &mut self.reports);
        graph.map_subgraphs(shared, &mut |shared, g| {
            let mut inner = g.clone();
            reports.extend(Runs { compares, reports: Vec::new() }.all(shared, &mut inner, true)?);
            Ok(inner)
        })?;
        let mut known = compares.then(|| census(graph));
        for pass in PASSES {
            let mut report = run_one(graph, pass)?;
            if let Some(before) = known.as_mut().filter(|_| report.changed) {
                let after = census(graph);
                report.difference = difference(before, &after);
                *before = after;
            }
            report.subgraph = inside.then(|| graph.name.clone());
            self.reports.push(report);
        }
        Ok(self.reports)
    }
}

/// Runs the pass of this name alone, for tests and tools; `None` where there is none.
pub fn run_named(graph: &mut Graph, name: &str) -> Option<Result<Report, PassError>> {
    PASSES.iter().find(|p| p.name == name).map(|pass| run_one(graph, pass))
}

/// How often each operator occurs, by the place of its name in memory, which is cheaper to look up than the name.
type Census = HashMap<*const u8, (&'static str, i64)>;

fn census(graph: &Graph) -> Census {
    let mut counts = Census::default();
    for id in &graph.order {
        let name = graph.nodes[*id].name();
        counts.entry(name.as_ptr()).or_insert((name, 0)).1 += 1;
    }
    counts
}

fn difference(before: &Census, after: &Census) -> OrderedMap<&'static str, i64> {
    let mut changes: OrderedMap<&'static str, i64> = OrderedMap::new();
    for (key, (name, n)) in after {
        let more = n - before.get(key).map_or(0, |(_, n)| *n);
        if more != 0 {
            *changes.or_default(name) += more;
        }
    }
    for (_, (name, n)) in before.iter().filter(|(key, _)| !after.contains_key(*key)) {
        *changes.or_default(name) -= n;
    }
    // One name may lie in two places.
    changes.retain(|_, n| *n != 0);
    changes
}

fn run_one(graph: &mut Graph, pass: &Pass) -> Result<Report, PassError> {
    memory::checkpoint();
    let start = Instant::now();
    let before = graph.order.len();
    let changed = (pass.run)(graph).map_err(|error| PassError::Rewrite { pass: pass.name, error })?;
    let seconds = start.elapsed().as_secs_f64();
    if cfg!(debug_assertions) {
        verify(graph, true).map_err(|error| PassError::Verify { pass: pass.name, error })?;
    }
    let nodes = graph.order.len();
    let mark = if changed { "" } else { " (unchanged)" };
    tracing::debug!("pass {}: {before} nodes to {nodes} in {:.3} ms{mark}", pass.name, seconds * 1e3);
    Ok(Report {
        pass: pass.name,
        changed,
        subgraph: None,
        nodes: [before, nodes],
        difference: OrderedMap::new(),
        seconds,
    })
}
