//! The operators of a model that are not supported, for the error about the first of them.
//!
//! Every node is looked at: of the model's graph, of branches and bodies, and of the functions that are called. Reading leaves out branches
//! whose condition is known. So a model is surveyed only once it is refused, and the error says which other operators may be in the way.
//!
//! Deliberately absent: attributes and inputs that a supported operator has no rule for. Reading alone finds these.

use super::super::survey::{Nodes, listed};
use super::proto;
use super::reader::{Functions, MOST_NESTED, opsets, plain};
use super::table;
use crate::base::{HashMap, HashSet, shortened};

/// The end of an error about the operator `named`: the other operators that are not supported. Empty where there are none.
pub fn others(model: &proto::Model, functions: &Functions<'_>, named: Option<&str>) -> String {
    let mut survey = Survey { functions, seen: HashSet::default(), found: HashMap::default() };
    if let Some(graph) = &model.graph {
        survey.nodes(&graph.nodes, &opsets(&model.opsets), 0);
    }
    let others = survey.found.iter().filter(|(_, nodes)| Some(&nodes.first[..]) != named);
    let lines: Vec<String> = others.map(|(what, nodes)| format!("{what} ({})", nodes.text())).collect();
    match lines.is_empty() {
        true => String::new(),
        false => format!("\nThese operators are not supported either:{}", listed(&lines)),
    }
}

struct Survey<'s, 'a> {
    functions: &'s Functions<'a>,
    /// Functions whose nodes were looked at.
    seen: HashSet<*const proto::Function>,
    /// The nodes of each operator that is not supported.
    found: HashMap<String, Nodes>,
}

impl Survey<'_, '_> {
    fn nodes(&mut self, nodes: &[proto::Node], imported: &HashMap<String, i64>, depth: usize) {
        if depth > MOST_NESTED {
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
                let what = format!(
                    "the operator `{}` of `{}`, opset {opset}",
                    shortened(&node.op_type),
                    shortened(domain)
                );
                let name = if node.name.is_empty() { node.outputs.first() } else { Some(&node.name) };
                self.found.entry(what).or_default().add(name.map_or("unnamed", String::as_str));
            }
        }
    }
}
