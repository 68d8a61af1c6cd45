//! What a program holds that cannot be compiled, found before anything of it is read, so that one error names all of it:
//! operators that no registry knows, and dropout that a model in training mode does.
//!
//! Deliberately absent: whether the rest is well-formed, which the reader sees; what is not understood is passed over.

use super::args::{Call, Given};
use super::error::{FrontendError, Result};
use super::json;
use super::nodes::is_known;
use crate::base::shortened;
use crate::ops::OpId;
use indexmap::IndexMap;
use serde_json::Value as Json;

/// Kinds that one error names, and modules of one kind.
const MOST_KINDS: usize = 60;
const MOST_MODULES: usize = 8;

/// The nodes of one kind.
#[derive(Default)]
struct Nodes {
    count: usize,
    first: String,
    /// The modules that they stand in, as the model calls them.
    modules: Vec<String>,
}

#[derive(Default)]
struct Survey<'a> {
    unknown: IndexMap<&'a str, Nodes>,
    dropout: Nodes,
}

/// What is not supported, and what may help.
struct Refusal {
    what: String,
    hint: String,
}

/// An error that names everything unsupported in the graph and those within it.
pub fn refuse_unsupported(graph: &Json) -> Result<()> {
    let mut survey = Survey::default();
    survey.graph(graph);
    let dropout = (survey.dropout.count != 0).then(|| survey.dropout.as_dropout());
    let refusals: Vec<Refusal> =
        dropout.into_iter().chain(survey.unknown.iter().map(|(target, nodes)| nodes.of(target))).collect();
    let first = survey.unknown.values().next().unwrap_or(&survey.dropout).first.clone();
    let message = match &refusals[..] {
        [] => return Ok(()),
        [only] => format!("{} is not supported{}", only.what, only.hint),
        all => {
            let mut text = format!("{} things in the program are not supported:", all.len());
            for refusal in all.iter().take(MOST_KINDS) {
                text += &format!("\n- {}{}", refusal.what, refusal.hint);
            }
            if all.len() > MOST_KINDS {
                text += &format!("\n- {} more", all.len() - MOST_KINDS);
            }
            text
        }
    };
    Err(FrontendError { node: Some(first), ..FrontendError::unsupported(message) })
}

impl Nodes {
    fn add(&mut self, node: &Json) {
        self.count += 1;
        let name = node.get("name").and_then(Json::as_str).unwrap_or("unnamed");
        if self.count == 1 {
            self.first = shortened(name).into_owned();
        }
        let module = module_of(node).map_or_else(|| format!("node `{name}`"), |path| format!("`{path}`"));
        if self.modules.len() < MOST_MODULES && !self.modules.contains(&module) {
            self.modules.push(module);
        }
    }

    fn of(&self, target: &str) -> Refusal {
        let short = target.strip_prefix("torch.ops.").unwrap_or(target);
        let (kind, name, hint) = match short.strip_prefix("higher_order.") {
            Some("wrap_with_autocast") => {
                ("higher-order operator", "wrap_with_autocast", AUTOCAST.to_string())
            }
            Some(name) => ("higher-order operator", name, String::new()),
            None => ("operator", short, OpId::suggestions(short)),
        };
        let nodes = match self.count {
            1 => format!("node `{}`", self.first),
            n => format!("{n} nodes, the first is `{}`", self.first),
        };
        Refusal { what: format!("the {kind} `{}` ({nodes})", shortened(name)), hint }
    }

    fn as_dropout(&self) -> Refusal {
        let more = if self.count > self.modules.len() { ", …" } else { "" };
        Refusal {
            what: format!("dropout in training mode ({}{more})", self.modules.join(", ")),
            hint: "; call `.eval()` on the model before exporting it".to_string(),
        }
    }
}

pub const AUTOCAST: &str = "; run `ep.run_decompositions()` before saving the program";

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
        if let ("torch.ops.higher_order.with_effects", [_, operator, rest @ ..]) = (target, given)
            && let ("as_operator", Some(inner)) = (operator.tag, operator.value.as_str())
        {
            (target, given) = (inner, rest);
        }
        let autocast = target.ends_with("higher_order.wrap_with_autocast")
            && given.get(2).is_some_and(|enabled| enabled.value.as_bool() == Some(true));
        if autocast || !is_known(target) {
            self.unknown.entry(target).or_default().add(node);
        } else if drops(target, given) {
            self.dropout.add(node);
        }
        for arg in given.iter().filter(|arg| arg.tag == "as_graph") {
            if let Some(inner) = arg.value.get("graph") {
                self.graph(inner);
            }
        }
    }
}

/// Whether an operator drops elements at random: with a probability that is not zero, and in training where that is an
/// argument.
fn drops(target: &str, given: &[Given<'_>]) -> bool {
    let Some((op, _)) = OpId::find(target) else { return false };
    let schema = op.schema();
    let probability = if op.name().contains("dropout.") { "p" } else { "dropout_p" };
    let call = Call { given, outputs: &[], place: "" };
    let named = |name: &str| schema.arg(name).and_then(|place| call.named(name, place));
    let p = named(probability).and_then(|g| json::float(g.value, "the probability").ok());
    let training =
        schema.arg("train").is_none() || named("train").is_none_or(|g| g.value.as_bool() != Some(false));
    p.is_some_and(|p| p != 0.0) && training
}

/// The innermost module that a node comes from, as the model calls it. Entries are `key,path,class`.
fn module_of(node: &Json) -> Option<String> {
    let stack = node.get("metadata")?.get("nn_module_stack")?.as_str()?;
    let path = stack.rsplit(';').next()?.split(',').nth(1)?.trim();
    (!path.is_empty()).then(|| shortened(path).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn node(target: &str, name: &str, inputs: Json) -> Json {
        let stack = format!("L__self__,,Net;L__self___{name},layers.{name},torch.nn.Module");
        json!({"target": target, "name": name, "inputs": inputs, "outputs": [], "metadata": {"nn_module_stack": stack}})
    }
    fn input(name: &str, tag: &str, value: Json) -> Json {
        json!({"name": name, "arg": {tag: value}, "kind": 1})
    }
    fn message(nodes: &[Json]) -> String {
        refuse_unsupported(&json!({ "nodes": nodes })).map_or_else(|e| e.message, |()| String::new())
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
        ]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 6, "{text}");
        assert_eq!(lines[0], "5 things in the program are not supported:");
        assert_eq!(lines[1], "- the operator `mylib.first.default` (2 nodes, the first is `a`)");
        assert!(lines[2].starts_with(
            "- the operator `aten.sofmax.int` (node `s`); the nearest known are `aten.softmax.int`"
        ));
        assert_eq!(lines[3], "- the operator `mylib.within_branch.default` (node `i`)");
        assert_eq!(lines[4], "- the operator `mylib.effect.default` (node `e`)");
        assert_eq!(lines[5], "- the higher-order operator `strange` (node `h`)");
        let many: Vec<Json> = (0..70).map(|k| node(&format!("mylib.op{k}"), "n", json!([]))).collect();
        assert!(message(&many).ends_with("\n- 10 more"));
    }

    #[test]
    fn dropout_in_training_is_named_with_its_module() {
        let dropout = |name: &str, p: Json, train: bool| {
            let inputs = [input("p", "as_float", p), input("train", "as_bool", json!(train))];
            node(
                "torch.ops.aten.dropout.default",
                name,
                json!([input("input", "as_none", json!(true)), inputs[0], inputs[1]]),
            )
        };
        assert_eq!(message(&[dropout("a", json!(0.5), false), dropout("b", json!(0.0), true)]), "");
        assert_eq!(
            message(&[dropout("a", json!(0.5), true), dropout("b", json!(1), true)]),
            "dropout in training mode (`layers.a`, `layers.b`) is not supported; call `.eval()` on the model before \
             exporting it"
        );
        let attention = |p: f64| {
            let target = "torch.ops.aten.scaled_dot_product_attention.default";
            node(target, "sdpa", json!([input("dropout_p", "as_float", json!(p))]))
        };
        assert_eq!(message(&[attention(0.0)]), "");
        assert!(message(&[attention(0.1)]).contains("(`layers.sdpa`)"));
    }
}
