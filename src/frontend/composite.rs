//! Inputs that are tensors made of others: PyTorch's tensor subclasses, such as a quantised weight. An export keeps such an input as one
//! tensor and has a node for each part that it reads. Here the parts become the inputs: `w.qdata` and `w.scale` for `w`. In the tree of
//! the arguments a dictionary of the parts stands in the tensor's place, and the program's metadata says what they are parts of.
//!
//! Deliberately absent: parameters that are such tensors, which PyTorch saves as pickles; results that are (`composite_results`), but
//! for finding them.

use super::FrontendError;
use super::composite_results::{self, Composite};
use super::error::Result;
use super::json;
use crate::base::{HashMap, json};
use serde_json::{Map, Value as Json};

/// The node that reads a part.
pub(super) const PART: &str = "torch.ops.export.access_subclass_inner_tensor.default";
/// Where the program's metadata have the composite inputs: `{"w": {"dtype": 7, "parts": ["qdata", "scale"], "sizes": […]}}`.
pub const METADATA: &str = "composite_inputs";

/// A part that nodes read: its own name in the file, and the input that it becomes.
struct Part {
    of: String,
    path: String,
}

/// A document with plain tensors for inputs and results, and metadata that describe the composite ones.
pub(super) struct Apart {
    pub document: Json,
    pub metadata: Vec<(&'static str, String)>,
}

/// None where all of them are plain. `results` is the text of the archive's extra file about composite results.
pub(super) fn in_parts(document: &Json, results: Option<&str>) -> Result<Option<Apart>> {
    let module = json::optional(document, "graph_module").unwrap_or(document);
    let Some(nodes) = module.pointer("/graph/nodes").and_then(Json::as_array) else { return Ok(None) };
    let user = user_inputs(module);
    let mut parts: HashMap<String, Part> = HashMap::new();
    let mut whole: Vec<String> = Vec::new();
    for node in nodes.iter().filter(|n| n.get("target").and_then(Json::as_str) == Some(PART)) {
        let given =
            |k: usize, at: &str| node.pointer(&format!("/inputs/{k}/arg/{at}")).and_then(Json::as_str);
        let out = node.pointer("/outputs/0/as_tensor/name").and_then(Json::as_str);
        let (Some(source), Some(attribute), Some(out)) =
            (given(0, "as_tensor/name"), given(1, "as_string"), out)
        else {
            return Err(FrontendError::parse("a node that reads a part must name a tensor and the part"));
        };
        let part = match parts.get(source) {
            Some(outer) => Part { of: outer.of.clone(), path: format!("{}.{attribute}", outer.path) },
            None if user.contains(&source) => Part { of: source.to_string(), path: attribute.to_string() },
            // A parameter: the survey of operators refuses it.
            None => continue,
        };
        whole.push(source.to_string());
        parts.insert(out.to_string(), part);
    }
    let inputs = inputs(module, &parts, &whole);
    let found = composite_results::find(module, results, &inputs)?;
    if parts.is_empty() && found.is_none() {
        return Ok(None);
    }
    let mut document = document.clone();
    let module = match document.get_mut("graph_module") {
        Some(module) => module,
        None => &mut document,
    };
    let results = found.map(|found| composite_results::put_apart(module, found, &inputs));
    let mut metadata = Vec::new();
    if !parts.is_empty() {
        metadata.push((METADATA, rewrite(module, &parts, &whole)?));
    }
    metadata.extend(results.map(|text| (composite_results::METADATA, text)));
    Ok(Some(Apart { document, metadata }))
}

/// The parts of each composite input.
fn inputs(module: &Json, parts: &HashMap<String, Part>, whole: &[String]) -> HashMap<String, Composite> {
    let mut inputs: HashMap<String, Composite> = HashMap::new();
    // Parts that are put apart themselves are no inputs, and one that is read twice is one input.
    for (_, part) in parts.iter().filter(|(own, _)| !whole.contains(own)) {
        let about = || {
            let own = module.pointer("/graph/tensor_values").and_then(|values| values.get(&part.of));
            let of = |key: &str| own.and_then(|own| own.get(key)).cloned().unwrap_or_default();
            Map::from_iter(["dtype", "sizes"].map(|key| (key.to_string(), of(key))))
        };
        let input = inputs.entry(part.of.clone());
        let input = input.or_insert_with(|| Composite { keys: Vec::new(), about: about() });
        if !input.keys.contains(&part.path) {
            input.keys.push(part.path.clone());
        }
    }
    inputs
}

/// The names of the user's inputs that are tensors.
fn user_inputs(module: &Json) -> Vec<&str> {
    let specs = module.pointer("/signature/input_specs").and_then(Json::as_array);
    let tensors =
        specs.into_iter().flatten().filter_map(|spec| spec.pointer("/user_input/arg/as_tensor/name"));
    tensors.filter_map(Json::as_str).collect()
}

fn rewrite(module: &mut Json, parts: &HashMap<String, Part>, whole: &[String]) -> Result<String> {
    let name = |part: &Part| format!("{}.{}", part.of, part.path);
    // Parts that are put apart themselves are no inputs, and one that is read twice is one input.
    let mut inputs: HashMap<&str, Vec<(&str, &str)>> = HashMap::new();
    for (own, part) in parts.iter().filter(|(own, _)| !whole.contains(own)) {
        let list = inputs.entry(&part.of).or_default();
        if list.iter().all(|(_, path)| *path != part.path) {
            list.push((own, &part.path));
        }
    }
    let values = module.pointer_mut("/graph/tensor_values").and_then(Json::as_object_mut);
    let values = values.ok_or_else(|| FrontendError::parse("the graph has no `tensor_values`"))?;
    let mut metadata = Map::new();
    for (of, list) in &inputs {
        let own = values.get(*of).cloned().unwrap_or_default();
        let paths: Vec<&str> = list.iter().map(|(_, path)| *path).collect();
        let about = json!({"dtype": own.get("dtype"), "parts": paths, "sizes": own.get("sizes")});
        metadata.insert((*of).to_string(), about);
        for (own, path) in list {
            let value = values.get(*own).cloned();
            let value =
                value.ok_or_else(|| FrontendError::parse(format!("`tensor_values` lacks `{own}`")))?;
            values.insert(format!("{of}.{path}"), value);
        }
    }
    if let Some(nodes) = module.pointer_mut("/graph/nodes").and_then(Json::as_array_mut) {
        nodes.retain(|node| {
            let out = node.pointer("/outputs/0/as_tensor/name").and_then(Json::as_str);
            node.get("target").and_then(Json::as_str) != Some(PART)
                || !out.is_some_and(|o| parts.contains_key(o))
        });
    }
    for place in ["/graph/nodes", "/graph/outputs", "/signature/output_specs"] {
        if let Some(value) = module.pointer_mut(place) {
            let is_whole = |own: &str| inputs.contains_key(own) || whole.iter().any(|w| w == own);
            rename(value, &|old| parts.get(old).map(name), &is_whole)?;
        }
    }
    for (place, at) in
        [("/graph/inputs", "/as_tensor/name"), ("/signature/input_specs", "/user_input/arg/as_tensor/name")]
    {
        let Some(list) = module.pointer_mut(place).and_then(Json::as_array_mut) else { continue };
        let mut new = Vec::with_capacity(list.len());
        for one in list.drain(..) {
            match one.pointer(at).and_then(Json::as_str).and_then(|own| inputs.get_key_value(own)) {
                None => new.push(one),
                Some((of, paths)) => {
                    for (_, path) in paths {
                        let mut part = one.clone();
                        if let Some(name) = part.pointer_mut(at) {
                            *name = format!("{of}.{path}").into();
                        }
                        new.push(part);
                    }
                }
            }
        }
        *list = new;
    }
    trees(module, &inputs)?;
    Ok(Json::Object(metadata).to_string())
}

/// Gives tensors their new names, and refuses uses of the whole.
fn rename(
    value: &mut Json,
    new: &dyn Fn(&str) -> Option<String>,
    is_whole: &dyn Fn(&str) -> bool,
) -> Result<()> {
    let check = |name: &mut Json| -> Result<()> {
        let Some(own) = name.as_str() else { return Ok(()) };
        if is_whole(own) {
            let message =
                format!("input `{own}` is a tensor made of others, and the program uses the whole of it");
            return Err(FrontendError::unsupported(message));
        }
        if let Some(new) = new(own) {
            *name = new.into();
        }
        Ok(())
    };
    match value {
        Json::Array(list) => list.iter_mut().try_for_each(|v| rename(v, new, is_whole)),
        Json::Object(map) => {
            for (key, value) in map {
                match (&**key, value) {
                    ("as_tensor", Json::Object(tensor)) => {
                        tensor.get_mut("name").map_or(Ok(()), check)?;
                    }
                    ("as_tensors", Json::Array(list)) => {
                        list.iter_mut().filter_map(|t| t.get_mut("name")).try_for_each(check)?;
                    }
                    (_, value) => rename(value, new, is_whole)?,
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Puts a dictionary of its parts in the place of each such leaf of the arguments.
fn trees(module: &mut Json, inputs: &HashMap<&str, Vec<(&str, &str)>>) -> Result<()> {
    // The arguments before this: leaves of the tree, one for each input of a call.
    let Some(calls) = module.get_mut("module_call_graph").and_then(Json::as_array_mut) else { return Ok(()) };
    let own = |call: &&mut Json| call.get("fqn").and_then(Json::as_str) == Some("");
    let Some(call) = calls.iter_mut().find(own) else { return Ok(()) };
    let names = call.pointer("/signature/forward_arg_names").cloned().unwrap_or_default();
    let Some(spec) = call.pointer_mut("/signature/in_spec") else { return Ok(()) };
    let Some(text) = spec.as_str().filter(|t| !t.is_empty()) else { return Ok(()) };
    let mut tree: Json =
        serde_json::from_str(text).map_err(|e| FrontendError::parse(format!("in_spec: {e}")))?;
    let names: Vec<&str> = names.as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let positional = tree.pointer_mut("/1/children_spec/0/children_spec").and_then(Json::as_array_mut);
    let mut left = inputs.len();
    for (leaf, name) in positional.into_iter().flatten().zip(&names) {
        let Some(parts) = inputs.get(name).filter(|_| leaf.get("type") == Some(&Json::Null)) else {
            continue;
        };
        let keys: Vec<&str> = parts.iter().map(|(_, path)| *path).collect();
        let leaves = vec![leaf.clone(); keys.len()];
        *leaf = json!({"type": "builtins.dict", "context": json!(keys).to_string(), "children_spec": leaves});
        left -= 1;
    }
    if left > 0 {
        let message = "a tensor made of others among arguments that are no positional tensors themselves; give it to the program as an argument of its own";
        return Err(FrontendError::unsupported(message));
    }
    *spec = tree.to_string().into();
    Ok(())
}
