//! The lines that say where nodes come from, and the numbers by which nodes name them.
//!
//! Modules and stack traces are shared by many nodes, so each stands once. A graph of which no more is known than names has no
//! such lines: those are read off the nodes. `unfused` marks the nodes of a region that runs one operator at a time.

use super::print::quoted;
use crate::base::HashSet;
use crate::ir::{Graph, Module, OriginId};

/// What is said of a graph, those inside its nodes included.
#[derive(Default)]
pub struct Sources {
    pub lines: Vec<String>,
    numbers: HashSet<OriginId>,
}

impl Sources {
    pub fn of(graph: &Graph) -> Sources {
        let mut numbers = HashSet::new();
        collect(graph, &mut numbers, &mut HashSet::default());
        let origins: Vec<_> = numbers.iter().map(|id| graph.origins.get(*id)).collect();
        if !origins.iter().any(|o| o.is_placed() || o.unfused) {
            return Sources::default();
        }
        let modules: HashSet<&Module> = origins.iter().flat_map(|o| &o.modules).collect();
        let traces: HashSet<&str> =
            origins.iter().map(|o| &*o.stack_trace).filter(|t| !t.is_empty()).collect();
        let string = |text: &str| quoted(text, '"');
        let mut lines = Vec::new();
        for (k, module) in modules.iter().enumerate() {
            lines.push(format!("module {k} {} {}", string(&module.path), string(&module.class)));
        }
        for (k, trace) in traces.iter().enumerate() {
            lines.push(format!("trace {k} {}", string(trace)));
        }
        for (k, origin) in origins.iter().enumerate() {
            let mut line = format!("origin {k} {} {}", string(&origin.node), string(&origin.operator));
            let within: Vec<usize> = origin.modules.iter().filter_map(|m| modules.get_index_of(m)).collect();
            if !within.is_empty() {
                line += &format!(" modules {within:?}");
            }
            if let Some(trace) = traces.get_index_of(&*origin.stack_trace) {
                line += &format!(" trace {trace}");
            }
            if origin.sets_precision {
                line += " autocast";
            }
            if origin.unfused {
                line += " unfused";
            }
            lines.push(line);
        }
        Sources { lines, numbers }
    }

    /// For a graph whose origins are told apart from its text: they, in the order of their numbers.
    pub fn apart(graph: &Graph) -> (Sources, Vec<OriginId>) {
        let sources = Sources { lines: Vec::new(), ..Sources::of(graph) };
        let numbers = sources.numbers.iter().copied().collect();
        (sources, numbers)
    }

    /// The end of a node's line: its origins by number.
    pub fn of_node(&self, origins: &[OriginId]) -> String {
        let numbers: Vec<usize> = origins.iter().filter_map(|id| self.numbers.get_index_of(id)).collect();
        if numbers.is_empty() { String::new() } else { format!(" from {numbers:?}") }
    }
}

/// The origins of all nodes, as they come; of each graph once.
fn collect(graph: &Graph, numbers: &mut HashSet<OriginId>, seen: &mut HashSet<*const Graph>) {
    for id in &graph.order {
        let node = &graph.nodes[*id];
        numbers.extend(node.origins.iter().copied());
        for inner in node.subgraphs() {
            if seen.insert(std::ptr::from_ref(inner)) {
                collect(inner, numbers, seen);
            }
        }
    }
}
