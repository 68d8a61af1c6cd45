//! All operators of a model that are not supported, for the error about the first of them.
//!
//! Every node is looked at, of branches, bodies and functions that are called, too, though reading may leave some of them out: a branch
//! whose condition is known. So a survey says what else may be in the way, and is made for models alone that are refused.
//!
//! Deliberately absent: attributes and inputs that a supported operator has no rule for, which only reading finds.

use super::proto;
use super::reader::{Functions, opsets, plain};
use super::table;
use crate::base::shortened;
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// Operators that a message names, and nodes of each.
const MOST_NAMED: usize = 50;
const MOST_NODES: usize = 3;
/// As deep as reading goes.
const DEEPEST: usize = 64;

/// What is said behind the error about one node; nothing where no other operator is in the way.
pub fn others(model: &proto::Model, functions: &Functions<'_>, node: Option<&str>) -> String {
    let mut survey = Survey { functions, seen: FxHashSet::default(), found: IndexMap::default() };
    if let Some(graph) = &model.graph {
        survey.nodes(&graph.nodes, &opsets(&model.opsets), 0);
    }
    survey.found.retain(|_, nodes| !nodes.iter().any(|n| Some(&n[..]) == node));
    let said = |(what, nodes): (&String, &Vec<String>)| {
        let named: Vec<String> =
            nodes.iter().take(MOST_NODES).map(|n| format!("`{}`", shortened(n))).collect();
        let more = nodes.len().saturating_sub(MOST_NODES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("\n- {what}: {}{more}", named.join(", "))
    };
    let list: String = survey.found.iter().take(MOST_NAMED).map(said).collect();
    match (survey.found.len(), survey.found.len().saturating_sub(MOST_NAMED)) {
        (0, _) => String::new(),
        (_, 0) => format!("\nThese operators are not supported either:{list}"),
        (_, more) => format!("\nThese operators are not supported either:{list}\n- and {more} more"),
    }
}

struct Survey<'s, 'a> {
    functions: &'s Functions<'a>,
    /// Functions whose nodes were looked at.
    seen: FxHashSet<*const proto::Function>,
    /// The nodes of each operator that is not supported.
    found: IndexMap<String, Vec<String>>,
}

impl Survey<'_, '_> {
    fn nodes(&mut self, nodes: &[proto::Node], imported: &FxHashMap<String, i64>, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for node in nodes {
            for graph in node.attributes.iter().filter_map(|a| a.graph.as_ref()) {
                self.nodes(&graph.nodes, imported, depth + 1);
            }
            let domain = plain(&node.domain);
            if let Some(function) = self.functions.get(&[domain, &node.op_type, &node.overload]) {
                let function: &proto::Function = function;
                if self.seen.insert(function) {
                    self.nodes(&function.nodes, &opsets(&function.opsets), depth + 1);
                }
                continue;
            }
            let Some(opset) = imported.get(domain) else { continue };
            if table::find(domain, &node.op_type, *opset).is_err() {
                let domain = if domain.is_empty() { "ai.onnx" } else { domain };
                let what =
                    format!("`{}` of `{}`, opset {opset}", shortened(&node.op_type), shortened(domain));
                let name = if node.name.is_empty() { node.outputs.first() } else { Some(&node.name) };
                self.found.entry(what).or_default().push(name.cloned().unwrap_or_default());
            }
        }
    }
}
