//! Results that are tensors made of others: PyTorch's tensor subclasses. A decomposed export gives the parts of such a result one
//! after another where its tree of results has one leaf, and names neither them nor the leaf. An extra file of the archive does:
//! `composite_outputs`, `{"0": {"parts": ["qdata", "scale"], …}}` by the number of the leaf. Here a dictionary of the parts takes
//! the leaf's place, and the program's metadata says what they are parts of. A composite input that is a result gives the parts
//! of the input.
//!
//! Invariant: the results keep their order; how many of them a leaf has is known or refused, never guessed.
//!
//! Deliberately absent: programs that are not decomposed, which hold such a result as if it were a plain tensor.

use super::FrontendError;
use super::error::Result;
use crate::ir::spec::Tree;
use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

/// The extra file, and the metadata: `{"output[0]": {"parts": ["qdata", "scale"], …}}`.
pub const METADATA: &str = "composite_outputs";

/// What a tensor is made of.
pub(super) struct Composite {
    /// The parts' names, `a.b` for a part of a part.
    pub keys: Vec<String>,
    /// What else is known of the whole.
    pub about: Map<String, Json>,
}

/// A result of the signature.
struct Given {
    name: String,
    is_number: bool,
}

/// Puts the parts in the places of such results, and gives the metadata; nothing where all are plain. `inputs` has what composite
/// inputs are made of, `said` the extra file.
pub(super) fn in_parts(
    module: &mut Json,
    said: Option<&str>,
    inputs: &IndexMap<String, Composite>,
) -> Result<Option<String>> {
    let Some(tree) = tree_of(module)? else { return Ok(None) };
    let results = results_of(module);
    let paths: Vec<String> = Tree::of_json(&tree)
        .map_err(|e| FrontendError::parse(format!("out_spec: {e}")))?
        .result_paths()
        .into_iter()
        .filter(|(_, place)| !place.absent)
        .map(|(path, _)| path)
        .collect();
    let mut said = said.map_or(Ok(BTreeMap::new()), |text| read(text, paths.len()))?;
    if said.is_empty() && paths.len() == 1 && results.len() > 1 {
        // A text or None is no part: the tree is that of another program.
        if results.iter().any(|r| r.name.is_empty() && !r.is_number) {
            return Ok(None);
        }
        let tensors = results.iter().filter(|r| !r.is_number).count();
        let keys = (0..tensors).map(|k| k.to_string()).collect();
        said.insert(0, Composite { keys, about: Map::new() });
    }
    let found = leaves(&results, &paths, said, inputs)?;
    if found.is_empty() {
        return Ok(None);
    }
    for place in ["/graph/outputs", "/signature/output_specs"] {
        let at =
            if place == "/graph/outputs" { "/as_tensor/name" } else { "/user_output/arg/as_tensor/name" };
        let Some(list) = module.pointer_mut(place).and_then(Json::as_array_mut) else { continue };
        *list = list.drain(..).flat_map(|one| spread(one, at, inputs)).collect();
    }
    let mut metadata = Map::new();
    for (leaf, composite) in &found {
        let mut about = composite.about.clone();
        about.insert("parts".into(), json!(composite.keys));
        metadata.insert(paths[*leaf].clone(), about.into());
    }
    let mut tree = tree;
    let mut next = 0;
    put(&mut tree[1], &mut next, &found);
    if let Some(spec) = own_signature(module).and_then(|s| s.get_mut("out_spec")) {
        *spec = tree.to_string().into();
    }
    Ok(Some(Json::Object(metadata).to_string()))
}

/// The leaves that are composite. A leaf has as many tensors as it has parts, with the sizes between and behind them that only a
/// run knows.
fn leaves(
    results: &[Given],
    paths: &[String],
    mut said: BTreeMap<usize, Composite>,
    inputs: &IndexMap<String, Composite>,
) -> Result<BTreeMap<usize, Composite>> {
    let mut found = BTreeMap::new();
    let mut next = 0;
    for leaf in 0..paths.len() {
        let Some(first) = results.get(next) else { break };
        next += 1;
        if let Some(input) = inputs.get(&first.name) {
            let Composite { keys, about } = input;
            found.insert(leaf, Composite { keys: keys.clone(), about: about.clone() });
            continue;
        }
        let Some(mut composite) = said.remove(&leaf) else { continue };
        if results.len() <= paths.len() {
            let message = format!(
                "`{METADATA}` says that result {leaf} is made of {} tensors, and the program gives one: save what `run_decompositions` makes of the export",
                composite.keys.len()
            );
            return Err(FrontendError::unsupported(message));
        }
        let mut names = composite.keys.drain(..);
        let mut keys = Vec::from_iter(names.next());
        let mut sizes = 0;
        while let Some(result) = results.get(next) {
            match result.is_number {
                true => {
                    keys.push(format!("size{sizes}"));
                    sizes += 1;
                }
                false => match names.next() {
                    Some(name) => keys.push(name),
                    None => break,
                },
            }
            next += 1;
        }
        let complete = names.next().is_none() && !first.is_number;
        drop(names);
        if !complete {
            return Err(differs(results, paths));
        }
        found.insert(leaf, Composite { keys, about: composite.about });
    }
    match results.len() > paths.len() && next != results.len() {
        true => Err(differs(results, paths)),
        false => Ok(found),
    }
}

fn differs(results: &[Given], paths: &[String]) -> FrontendError {
    FrontendError::unsupported(format!(
        "the program gives {} results where its tree has {}: some are parts of tensors that are made of others, and an extra file `{METADATA}` of the archive must say which, as {{\"0\": {{\"parts\": [\"qdata\", \"scale\"]}}}} by the number of the result",
        results.len(),
        paths.len()
    ))
}

/// The extra file.
fn read(text: &str, leaves: usize) -> Result<BTreeMap<usize, Composite>> {
    let wrong = |why: &str| FrontendError::parse(format!("`{METADATA}` {why}"));
    let json: Json = serde_json::from_str(text).map_err(|e| wrong(&format!("is not valid JSON: {e}")))?;
    let all = json.as_object().ok_or_else(|| wrong("is no object by the numbers of results"))?;
    let mut said = BTreeMap::new();
    for (key, about) in all {
        let leaf = key.parse::<usize>().ok().filter(|k| *k < leaves);
        let leaf = leaf.ok_or_else(|| wrong(&format!("has `{key}`, which is the number of no result")))?;
        let parts = about.get("parts").and_then(Json::as_array).filter(|list| !list.is_empty());
        let keys: Option<Vec<String>> =
            parts.and_then(|list| list.iter().map(|p| Some(p.as_str()?.to_string())).collect());
        let keys = keys.ok_or_else(|| wrong(&format!("has no names of parts for result {leaf}")))?;
        if keys.iter().enumerate().any(|(k, key)| keys[..k].contains(key)) {
            return Err(wrong(&format!("has a part twice for result {leaf}")));
        }
        said.insert(leaf, Composite { keys, about: about.as_object().cloned().unwrap_or_default() });
    }
    Ok(said)
}

/// The results that the tree has leaves for.
fn results_of(module: &Json) -> Vec<Given> {
    let specs = module.pointer("/signature/output_specs").and_then(Json::as_array);
    let of_tree = |spec: &Json| -> Option<Given> {
        let arg = match spec.get("loss_output") {
            Some(loss) => json!({"as_tensor": loss.get("arg")?}),
            None => spec.pointer("/user_output/arg")?.clone(),
        };
        let name = arg.pointer("/as_tensor/name").and_then(Json::as_str).unwrap_or_default().to_string();
        Some(Given { name, is_number: arg.get("as_sym_int").is_some() })
    };
    specs.into_iter().flatten().filter_map(of_tree).collect()
}

fn own_signature(module: &mut Json) -> Option<&mut Json> {
    let calls = module.get_mut("module_call_graph")?.as_array_mut()?;
    calls.iter_mut().find(|call| call.get("fqn").and_then(Json::as_str) == Some(""))?.get_mut("signature")
}

/// The tree of results, where the program has one.
fn tree_of(module: &mut Json) -> Result<Option<Json>> {
    let spec = own_signature(module).and_then(|s| s.get("out_spec")).and_then(Json::as_str);
    let Some(text) = spec.filter(|t| !t.is_empty()) else { return Ok(None) };
    let tree = serde_json::from_str(text).map_err(|e| FrontendError::parse(format!("out_spec: {e}")))?;
    Ok(Some(tree))
}

/// A result that is a composite input, as one result for each part.
fn spread(one: Json, at: &str, inputs: &IndexMap<String, Composite>) -> Vec<Json> {
    let named = one.pointer(at).and_then(Json::as_str).and_then(|name| inputs.get_key_value(name));
    let Some((of, composite)) = named else { return vec![one] };
    let part = |key: &String| {
        let mut part = one.clone();
        if let Some(name) = part.pointer_mut(at) {
            *name = format!("{of}.{key}").into();
        }
        part
    };
    composite.keys.iter().map(part).collect()
}

/// Puts a dictionary of parts in the place of each composite leaf.
fn put(tree: &mut Json, next: &mut usize, found: &BTreeMap<usize, Composite>) {
    if tree.get("type") == Some(&Json::Null) {
        if let Some(composite) = found.get(next) {
            let leaves = vec![tree.clone(); composite.keys.len()];
            let context = json!(composite.keys).to_string();
            *tree = json!({"type": "builtins.dict", "context": context, "children_spec": leaves});
        }
        *next += 1;
        return;
    }
    let children = tree.get_mut("children_spec").and_then(Json::as_array_mut);
    children.into_iter().flatten().for_each(|child| put(child, next, found));
}
