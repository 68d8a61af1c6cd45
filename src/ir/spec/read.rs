//! A signature that a host gives as JSON, for a graph that it made.

use super::compare::{Difference, members, tree};
use super::{Fixed, Holds, Leaf, STATE, Side, Spec};
use crate::base::HashMap;
use crate::ir::Graph;
use crate::types::Scalar;
use serde_json::{Map, Value as Json};

/// What is wrong with a signature, and where.
pub type SpecError = Difference;

type Result<T> = std::result::Result<T, SpecError>;

fn wrong<T>(place: &str, message: impl Into<String>) -> Result<T> {
    Err(Difference { path: place.to_string(), message: message.into() })
}

/// The graph's signature with the parts that the JSON states. The other parts stay. What is derived of a graph (dtypes,
/// strides, …) is not looked at; [`super::compare`] does that.
pub fn read(graph: &Graph, given: &Json) -> Result<Spec> {
    let mut spec = graph.spec.clone();
    let given = members(given, "the signature")?;
    let part = |key: &str| given.get(key).filter(|v| !v.is_null());
    if part("in_tree").is_some() || part("inputs").is_some() {
        spec.inputs = side("inputs", part("in_tree"), part("inputs"), graph.inputs.len())?;
    }
    if part("out_tree").is_some() || part("outputs").is_some() {
        spec.outputs = side("outputs", part("out_tree"), part("outputs"), graph.outputs.len())?;
    }
    if let Some(metadata) = part("metadata") {
        let mut read = HashMap::new();
        for (key, value) in members(metadata, "metadata")? {
            let Some(text) = value.as_str() else {
                return wrong(&format!("metadata.{key}"), "it is no string");
            };
            read.insert(key.clone(), text.to_string());
        }
        spec.metadata = read;
    }
    Ok(spec)
}

fn side(what: &str, tree_json: Option<&Json>, leaves: Option<&Json>, n: usize) -> Result<Side> {
    let key = if what == "inputs" { "in_tree" } else { "out_tree" };
    let text = tree_json.map(|j| j.as_str().map_or_else(|| j.to_string(), str::to_string));
    let places = match tree_json {
        None => None,
        Some(json) => {
            let mut tree = tree(json, key)?;
            let stated = leaves.map(|list| read_leaves(what, list)).transpose()?.unwrap_or_default();
            let stated: Vec<&str> = stated.iter().map(|l| &*l.path).filter(|path| !is_state(path)).collect();
            tree.learn(what == "inputs", &stated);
            let paths = if what == "inputs" { tree.argument_paths() } else { Some(tree.result_paths()) };
            match paths {
                Some(paths) => Some(paths),
                None => return wrong(key, "arguments are a tuple of a tuple and of a dict by name"),
            }
        }
    };
    let leaves = match (leaves, &places) {
        (Some(list), _) => read_leaves(what, list)?,
        (None, Some(places)) => places
            .iter()
            .map(|(path, place)| {
                let holds = if place.absent { Holds::None } else { Holds::Given };
                Leaf { path: path.clone(), holds }
            })
            .collect(),
        (None, None) => Vec::new(),
    };
    if let Some(places) = places {
        let mut of_tree = leaves.iter().filter(|l| !is_state(&l.path));
        for (path, _) in &places {
            match of_tree.next() {
                Some(leaf) if leaf.path == *path => {}
                Some(leaf) => return wrong(path, format!("`{what}` has `{}` in this place", leaf.path)),
                None => return wrong(path, format!("the tree has it, and `{what}` does not")),
            }
        }
        if let Some(leaf) = of_tree.next() {
            return wrong(&leaf.path, "the tree has no such leaf");
        }
    }
    for (k, leaf) in leaves.iter().enumerate() {
        if leaves[..k].iter().any(|other| other.path == leaf.path) {
            return wrong(&leaf.path, "two leaves have this path");
        }
    }
    let side = Side { tree: text, leaves };
    let given = side.given();
    if given != n {
        return wrong(what, format!("{given} of its leaves are given, but the graph has {n} {what}"));
    }
    Ok(side)
}

/// True for what stands beside the tree.
pub(super) fn is_state(path: &str) -> bool {
    path.strip_prefix(STATE).is_some_and(|rest| rest.starts_with('['))
}

fn read_leaves(what: &str, list: &Json) -> Result<Vec<Leaf>> {
    let Some(list) = list.as_array() else { return wrong(what, "it is no list") };
    list.iter()
        .enumerate()
        .map(|(k, leaf)| {
            let place = format!("{what}[{k}]");
            let leaf = members(leaf, &place)?;
            let path = match leaf.get("path").and_then(Json::as_str) {
                Some(path) if !path.is_empty() => path.to_string(),
                _ => return wrong(&place, "it has no `path`"),
            };
            let holds = match leaf.get("kind").map_or(Some("tensor"), Json::as_str) {
                Some("tensor" | "scalar") => Holds::Given,
                Some("none") => Holds::None,
                Some("fixed") => Holds::Fixed(fixed(leaf, &path)?),
                _ => return wrong(&path, "its `kind` is none of tensor, scalar, none and fixed"),
            };
            Ok(Leaf { path, holds })
        })
        .collect()
}

fn fixed(leaf: &Map<String, Json>, path: &str) -> Result<Fixed> {
    let value = leaf.get("value").unwrap_or(&Json::Null);
    let kind = leaf.get("type").and_then(Json::as_str);
    let float = match value {
        Json::String(text) if kind == Some("float") => match text.as_str() {
            "nan" => Some(f64::NAN),
            "inf" => Some(f64::INFINITY),
            "-inf" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        Json::Number(n) if n.is_f64() || kind == Some("float") => n.as_f64(),
        _ => None,
    };
    let (found, fixed) = match (value, float) {
        (_, Some(v)) => ("float", Fixed::Number(Scalar::Float(v))),
        (Json::String(text), None) => ("string", Fixed::Text(text.clone())),
        (Json::Bool(v), None) => ("bool", Fixed::Number(Scalar::Bool(*v))),
        (Json::Number(n), None) => match n.as_i64() {
            Some(v) => ("int", Fixed::Number(Scalar::Int(v))),
            None => return wrong(path, format!("its `value` {n} does not fit 64 bits")),
        },
        _ => return wrong(path, "its `value` is no number, bool or string"),
    };
    match leaf.get("type") {
        Some(kind) if kind.as_str() != Some(found) => wrong(path, format!("its `value` is no {kind}")),
        _ => Ok(fixed),
    }
}
