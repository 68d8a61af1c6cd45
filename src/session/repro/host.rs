//! What a program needs that its host registers: operators that the graph calls, the backend, passes and decompositions.
//!
//! Invariant: a folder is read only with a registry that has all of it, and may have more. Passes have no names, so their number at each
//! point is compared.
//!
//! Deliberately absent: how a host registers them.

use crate::base::{HashMap, Status, json};
use crate::ir::host::read_schema;
use crate::ir::{Graph, HostOperator, each_graph};
use crate::session::{BackendRequest, Options, SessionError, SharedRegistry};
use serde_json::Value;
use std::sync::Arc;

/// The key of the index.
const KEY: &str = "host";

#[derive(Default)]
pub struct Needs {
    /// Schemas of operators.
    operators: Vec<String>,
    backend: Option<String>,
    /// How many passes at which points, and the operators that a host decomposes.
    passes: Vec<(String, u64)>,
    decompositions: Vec<String>,
}

impl Needs {
    pub fn of(graph: &Graph, options: &Options) -> Needs {
        let backend = match &options.backend {
            BackendRequest::Host(name) => Some(name.clone()),
            _ => None,
        };
        let registered = options.registry().map(SharedRegistry::describe).unwrap_or_default();
        let passes = registered["passes"].as_object().into_iter().flatten();
        let passes = passes.filter_map(|(point, n)| Some((point.clone(), n.as_u64().filter(|n| *n > 0)?)));
        Needs {
            operators: operators(graph).values().map(|o| o.text.clone()).collect(),
            backend,
            passes: passes.collect(),
            decompositions: texts(&registered["decompositions"]),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.list().is_empty()
    }

    /// One phrase for each need.
    pub fn list(&self) -> Vec<String> {
        let operators = self.operators.iter().map(|schema| format!("the operator {schema}"));
        let backend = self.backend.iter().map(|name| format!("the backend {name}"));
        let passes = self.passes.iter().map(|(point, n)| passes_at(point, *n));
        let rules = self.decompositions.iter().map(|op| format!("a decomposition of {op}"));
        operators.chain(backend).chain(passes).chain(rules).collect()
    }

    /// Notes it in the index.
    pub fn note(&self, index: &mut Value) {
        if !self.is_empty() {
            let passes: serde_json::Map<_, _> =
                self.passes.iter().map(|(point, n)| (point.clone(), json!(n))).collect();
            index[KEY] = json!({
                "operators": self.operators,
                "backend": self.backend,
                "passes": passes,
                "decompositions": self.decompositions,
            });
        }
    }

    /// The needs that an index notes. An index without the key has none.
    pub fn noted(index: &Value) -> Needs {
        let host = &index[KEY];
        let passes = host["passes"].as_object().into_iter().flatten();
        Needs {
            operators: texts(&host["operators"]),
            backend: host["backend"].as_str().map(str::to_string),
            passes: passes.filter_map(|(point, n)| Some((point.clone(), n.as_u64()?))).collect(),
            decompositions: texts(&host["decompositions"]),
        }
    }

    /// Refuses a registry that lacks any of it.
    pub fn check(&self, registry: Option<&SharedRegistry>) -> Result<(), SessionError> {
        let operators = registry.map(SharedRegistry::operators).unwrap_or_default();
        let lacks = |text: &String| -> Option<String> {
            // A schema that is not understood is not compared, but looked for by the graph's reader.
            let (name, schema) = read_schema(text).ok()?;
            match operators.find(&name) {
                None => Some(format!("the operator `{text}`")),
                Some(own) if own.schema != schema => {
                    Some(format!("the operator `{text}`, which is registered as `{}`", own.text))
                }
                Some(_) => None,
            }
        };
        let backend = self.backend.iter().filter(|name| !registry.is_some_and(|r| r.has_backend(name)));
        let backend = backend.map(|name| format!("the backend `{name}`"));
        let registered = registry.map(SharedRegistry::describe).unwrap_or_default();
        let passes = self.passes.iter().filter_map(|(point, wanted)| {
            let has = registered["passes"][point].as_u64().unwrap_or(0);
            let besides = if has == 0 { String::new() } else { format!(", of which it has {has}") };
            (has < *wanted).then(|| format!("{}{besides}", passes_at(&format!("`{point}`"), *wanted)))
        });
        let rules = texts(&registered["decompositions"]);
        let rules = self.decompositions.iter().filter(|op| !rules.contains(op));
        let rules = rules.map(|op| format!("a decomposition of `{op}`"));
        let missing = self.operators.iter().filter_map(lacks).chain(backend).chain(passes).chain(rules);
        let missing: Vec<String> = missing.collect();
        if missing.is_empty() {
            return Ok(());
        }
        let given = if registry.is_some() {
            "the registry lacks"
        } else {
            "no registry was given, which should have"
        };
        let message = format!(
            "the program needs what its host registers, and {given} {}; give litz_graph_from_repro_with a registry that has all of it",
            missing.join(", ")
        );
        Err(SessionError::Option { status: Status::Unsupported, message })
    }
}

/// The host's operators that a graph, or one that its nodes run, calls, in the order of the first calls.
fn operators(graph: &Graph) -> HashMap<&'static str, Arc<HostOperator>> {
    let mut found = HashMap::new();
    for graph in std::iter::once(graph).chain(each_graph(graph).into_iter().map(|(inner, _)| inner)) {
        for call in graph.order.iter().filter_map(|id| graph.nodes[*id].host_call()) {
            found.entry(call.operator.name).or_insert_with(|| Arc::clone(&call.operator));
        }
    }
    found
}

fn passes_at(point: &str, n: u64) -> String {
    match n {
        1 => format!("a pass at {point}"),
        n => format!("{n} passes at {point}"),
    }
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|v| Some(v.as_str()?.to_string())).collect()
}
