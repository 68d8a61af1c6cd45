//! What a program holds that cannot be compiled, found before anything of it is read, so that one error names all of it:
//! operators that no registry knows.
//!
//! Deliberately absent: whether the rest is well-formed, which the reader sees; what is not understood is passed over.

use super::args::Given;
use super::error::{FrontendError, Result};
use super::nodes::is_known;
use crate::base::{HashMap, shortened};
use crate::ir::HostOperators;
use crate::ops::OpId;
use serde_json::Value as Json;

/// Kinds that one error names.
const MOST_KINDS: usize = 60;

/// The prefix of the nodes that `torch.vmap` leaves.
const FUNCTORCH: &str = "torch._functorch";

/// The nodes of one kind.
#[derive(Default)]
pub(super) struct Nodes {
    count: usize,
    pub(super) first: String,
}

struct Survey<'a> {
    operators: &'a HostOperators,
    unknown: HashMap<&'a str, Nodes>,
}

/// What is not supported, and what may help.
struct Refusal {
    what: String,
    hint: String,
}

/// An error that names everything unsupported in the graph and those within it.
pub fn refuse_unsupported(graph: &Json, operators: &HostOperators) -> Result<()> {
    let mut survey = Survey { operators, unknown: HashMap::new() };
    survey.graph(graph);
    let refusals: Vec<Refusal> = survey.unknown.iter().map(|(target, nodes)| nodes.of(target)).collect();
    let first = survey.unknown.values().next().map(|nodes| nodes.first.clone());
    let message = match &refusals[..] {
        [] => return Ok(()),
        [only] => format!("{} is not supported{}", only.what, only.hint),
        all => {
            let lines: Vec<String> = all.iter().map(|r| format!("{}{}", r.what, r.hint)).collect();
            format!("{} things in the program are not supported:{}", all.len(), listed(&lines))
        }
    };
    let mut refused = FrontendError::unsupported(message);
    refused.node = first;
    Err(refused)
}

/// A line for each kind, up to [`MOST_KINDS`].
pub(super) fn listed(lines: &[String]) -> String {
    let mut text: String = lines.iter().take(MOST_KINDS).map(|line| format!("\n- {line}")).collect();
    if lines.len() > MOST_KINDS {
        text += &format!("\n- {} more", lines.len() - MOST_KINDS);
    }
    text
}

impl Nodes {
    pub(super) fn add(&mut self, name: &str) {
        self.count += 1;
        if self.count == 1 {
            self.first = shortened(name).into_owned();
        }
    }

    pub(super) fn text(&self) -> String {
        match self.count {
            1 => format!("node `{}`", self.first),
            n => format!("{n} nodes, the first is `{}`", self.first),
        }
    }

    fn of(&self, target: &str) -> Refusal {
        let short = target.strip_prefix("torch.ops.").unwrap_or(target);
        let (kind, name, hint) = match short.strip_prefix("higher_order.") {
            // PyTorch shows such a program, but does not save it.
            Some(name @ "flat_apply") => {
                let hint =
                    "; it makes a tensor of others (a tensor subclass): let the model return the parts";
                ("higher-order operator", name, hint.to_string())
            }
            Some(name) => ("higher-order operator", name, String::new()),
            None if short == FUNCTORCH => {
                let hint = "; a program that was exported with `torch.vmap` in it is made of plain operators by \
                            `program.run_decompositions({})`: save that";
                ("transform", short, hint.to_string())
            }
            None => ("operator", short, OpId::suggestions(short)),
        };
        Refusal { what: format!("the {kind} `{}` ({})", shortened(name), self.text()), hint }
    }
}

impl<'a> Survey<'a> {
    /// Documents nest no deeper than the parser allows.
    fn graph(&mut self, graph: &'a Json) {
        for node in graph.get("nodes").and_then(Json::as_array).into_iter().flatten() {
            self.node(node);
        }
    }

    fn node(&mut self, node: &'a Json) {
        let Some(mut target) = node.get("target").and_then(Json::as_str) else { return };
        let Ok(given) = Given::of(node, "a node") else { return };
        let mut given = &given[..];
        // What is run in order stands in it as an argument.
        let inner = match (target, given) {
            ("torch.ops.higher_order.with_effects", [_, operator, rest @ ..]) => Some((operator, rest)),
            ("torch.ops.higher_order.auto_functionalized_v2", [operator, rest @ ..]) => {
                Some((operator, rest))
            }
            _ => None,
        };
        if let Some((operator, rest)) = inner
            && let ("as_operator", Some(inner)) = (operator.tag, operator.value.as_str())
        {
            (target, given) = (inner, rest);
        }
        if !is_known(target) && self.operators.find(target).is_none() {
            let name = node.get("name").and_then(Json::as_str).unwrap_or("unnamed");
            // The steps of one transform are one thing in the way.
            let target = if target.starts_with(FUNCTORCH) { FUNCTORCH } else { target };
            self.unknown.entry(target).or_default().add(name);
        }
        for arg in given.iter().filter(|arg| arg.tag == "as_graph") {
            if let Some(inner) = arg.value.get("graph") {
                self.graph(inner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json;

    fn node(target: &str, name: &str, inputs: Json) -> Json {
        let stack = format!("L__self__,,Net;L__self___{name},layers.{name},torch.nn.Module");
        json!({"target": target, "name": name, "inputs": inputs, "outputs": [], "metadata": {"nn_module_stack": stack}})
    }
    fn input(name: &str, tag: &str, value: Json) -> Json {
        json!({"name": name, "arg": {tag: value}, "kind": 1})
    }
    fn message(nodes: &[Json]) -> String {
        refuse_unsupported(&json!({ "nodes": nodes }), &HostOperators::default())
            .map_or_else(|e| e.into_fields().message, |()| String::new())
    }

    #[test]
    fn one_error_names_everything() {
        let inner = json!({"nodes": [node("torch.ops.mylib.within_branch.default", "i", json!([]))]});
        let effect = json!([
            input("", "as_tensor", json!({"name": "token"})),
            input("", "as_operator", json!("torch.ops.mylib.effect.default"))
        ]);
        let text = message(&[
            node("torch.ops.mylib.first.default", "a", json!([])),
            node("torch.ops.aten.relu.default", "r", json!([])),
            node("torch.ops.mylib.first.default", "b", json!([])),
            node("torch.ops.aten.sofmax.int", "s", json!([])),
            node("torch.ops.higher_order.cond", "c", json!([input("", "as_graph", json!({"graph": inner}))])),
            node("torch.ops.higher_order.with_effects", "e", effect),
            node("torch.ops.higher_order.strange", "h", json!([])),
            node("_operator.mul", "m", json!([])),
            node("torch._functorch.predispatch._vmap_increment_nesting", "v", json!([])),
            node("torch._functorch.predispatch._add_batch_dim", "d", json!([])),
        ]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 7, "{text}");
        assert_eq!(lines[0], "6 things in the program are not supported:");
        assert_eq!(lines[1], "- the operator `mylib.first.default` (2 nodes, the first is `a`)");
        assert!(lines[2].starts_with(
            "- the operator `aten.sofmax.int` (node `s`); the nearest known are `aten.softmax.int`"
        ));
        assert_eq!(lines[3], "- the operator `mylib.within_branch.default` (node `i`)");
        assert_eq!(lines[4], "- the operator `mylib.effect.default` (node `e`)");
        assert_eq!(lines[5], "- the higher-order operator `strange` (node `h`)");
        assert!(
            lines[6].starts_with("- the transform `torch._functorch` (2 nodes, the first is `v`); a program")
        );
        assert!(lines[6].contains("run_decompositions({})"));
        let many: Vec<Json> = (0..70).map(|k| node(&format!("mylib.op{k}"), "n", json!([]))).collect();
        assert!(message(&many).ends_with("\n- 10 more"));
    }
}
