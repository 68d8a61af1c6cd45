//! Composite results: PyTorch's tensor subclasses, whose data is in other tensors, their parts. A decomposed export returns the parts
//! one after another where its tree of results has one leaf. It names neither the parts nor the leaf; an extra file of the archive
//! does: `composite_outputs`, `{"0": {"parts": ["qdata", "scale"], …}}` by the leaf's number. The leaf is replaced by a dictionary of
//! the parts, and the program's metadata lists them. Where the result is a composite input, its parts are those of the input.
//!
//! Invariant: the results keep their order; how many of them a leaf has is known or refused, never guessed.
//!
//! Deliberately absent: programs that are not decomposed, which hold such a result as if it were a plain tensor.

use super::FrontendError;
use super::error::Result;
use crate::base::{HashMap, OrderedMap, json};
use crate::ir::spec::Tree;
use serde_json::{Map, Value as Json};

/// The extra file, and the metadata: `{"output[0]": {"parts": ["qdata", "scale"], …}}`.
pub const METADATA: &str = "composite_outputs";

/// A composite tensor.
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

/// The results of a program that are composite, which is not changed yet.
pub(super) struct Found {
    tree: Json,
    /// The paths of all results, and the composite ones by their numbers.
    paths: Vec<String>,
    leaves: OrderedMap<usize, Composite>,
}

/// Finds the composite results; none where all are plain. `inputs` says what composite inputs are made of, `said` is the text of the
/// extra file.
pub(super) fn find(
    module: &Json,
    said: Option<&str>,
    inputs: &HashMap<String, Composite>,
) -> Result<Option<Found>> {
    let Some(tree) = tree_of(module)? else { return Ok(None) };
    let results = results_of(module);
    let paths: Vec<String> = Tree::of_json(&tree)
        .map_err(|e| FrontendError::parse(format!("out_spec: {e}")))?
        .result_paths()
        .into_iter()
        .filter(|(_, place)| !place.absent)
        .map(|(path, _)| path)
        .collect();
    let mut said = said.map_or(Ok(OrderedMap::new()), |text| read(text, paths.len()))?;
    if said.is_empty() && paths.len() == 1 && results.len() > 1 {
        // A text or None is no part: the tree is that of another program.
        if results.iter().any(|r| r.name.is_empty() && !r.is_number) {
            return Ok(None);
        }
        let tensors = results.iter().filter(|r| !r.is_number).count();
        let keys = (0..tensors).map(|k| k.to_string()).collect();
        said.insert(0, Composite { keys, about: Map::new() });
    }
    let leaves = leaves(&results, &paths, said, inputs)?;
    Ok((!leaves.is_empty()).then_some(Found { tree, paths, leaves }))
}

/// Puts the parts in the places of the composite results, and gives the metadata.
pub(super) fn put_apart(module: &mut Json, found: Found, inputs: &HashMap<String, Composite>) -> String {
    let Found { mut tree, paths, leaves } = found;
    for (place, at) in [
        ("/graph/outputs", "/as_tensor/name"),
        ("/signature/output_specs", "/user_output/arg/as_tensor/name"),
    ] {
        let Some(list) = module.pointer_mut(place).and_then(Json::as_array_mut) else { continue };
        *list = list.drain(..).flat_map(|one| spread(one, at, inputs)).collect();
    }
    put(&mut tree[1], &mut 0, &leaves);
    let calls = module.get_mut("module_call_graph").and_then(Json::as_array_mut);
    let own = calls.into_iter().flatten().find(|call| is_own(call));
    if let Some(spec) = own.and_then(|call| call.pointer_mut("/signature/out_spec")) {
        *spec = tree.to_string().into();
    }
    let mut metadata = Map::new();
    for (leaf, Composite { keys, mut about }) in leaves {
        about.insert("parts".into(), json!(keys));
        metadata.insert(paths[leaf].clone(), about.into());
    }
    Json::Object(metadata).to_string()
}

/// The leaves that are composite. A leaf has as many tensors as it has parts, with the sizes between and behind them that only a
/// run knows.
fn leaves(
    results: &[Given],
    paths: &[String],
    mut said: OrderedMap<usize, Composite>,
    inputs: &HashMap<String, Composite>,
) -> Result<OrderedMap<usize, Composite>> {
    let mut found = OrderedMap::new();
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
fn read(text: &str, leaves: usize) -> Result<OrderedMap<usize, Composite>> {
    let wrong = |why: &str| FrontendError::parse(format!("`{METADATA}` {why}"));
    let json: Json = serde_json::from_str(text).map_err(|e| wrong(&format!("is not valid JSON: {e}")))?;
    let all = json.as_object().ok_or_else(|| wrong("is no object by the numbers of results"))?;
    let mut said = OrderedMap::new();
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

/// Whether a call is that of the whole program.
fn is_own(call: &Json) -> bool {
    call.get("fqn").and_then(Json::as_str) == Some("")
}

/// The tree of results, where the program has one.
fn tree_of(module: &Json) -> Result<Option<Json>> {
    let calls = module.get("module_call_graph").and_then(Json::as_array);
    let own = calls.into_iter().flatten().find(|call| is_own(call));
    let spec = own.and_then(|call| call.pointer("/signature/out_spec")).and_then(Json::as_str);
    let Some(text) = spec.filter(|text| !text.is_empty()) else { return Ok(None) };
    let tree = serde_json::from_str(text).map_err(|e| FrontendError::parse(format!("out_spec: {e}")))?;
    Ok(Some(tree))
}

/// A result that is a composite input, as one result for each part.
fn spread(one: Json, at: &str, inputs: &HashMap<String, Composite>) -> Vec<Json> {
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
fn put(tree: &mut Json, next: &mut usize, found: &OrderedMap<usize, Composite>) {
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
