//! How callers see an exported program: the trees of its arguments and results, and the kind of each leaf.

use super::error::Result;
use super::program::{Source, UserInput};
use super::{FrontendError, json};
use crate::ir::spec::{Fixed, Holds, Leaf, Place, STATE, Side, Step, Tree};
use crate::types::Scalar;
use serde_json::Value as Json;

/// The call signature of the whole program.
#[derive(Default)]
pub struct Call {
    arguments: Option<Known>,
    results: Option<Known>,
    /// The kinds of the results seen so far.
    given: Vec<Holds>,
    /// The names of positional arguments.
    names: Vec<String>,
}

/// A tree, and where its leaves are.
struct Known {
    text: String,
    places: Vec<(String, Place)>,
}

impl Call {
    /// Reads `module_call_graph`, which a program may lack; `tuples` has the names of named tuples' fields by their types.
    pub fn read(calls: Option<&Json>, tuples: Option<&Json>) -> Result<Call> {
        let own = |call: &&Json| call.get("fqn").and_then(Json::as_str) == Some("");
        let signature = calls
            .and_then(Json::as_array)
            .and_then(|list| list.iter().find(own))
            .and_then(|call| json::optional(call, "signature"));
        let Some(signature) = signature else { return Ok(Call::default()) };
        let names = json::optional(signature, "forward_arg_names").and_then(Json::as_array);
        let names = names.into_iter().flatten().filter_map(|n| Some(n.as_str()?.to_string())).collect();
        let tree = |key: &str| -> Result<Option<(String, Tree)>> {
            let Some(text) = json::optional(signature, key) else { return Ok(None) };
            let text = json::string(text, key)?;
            if text.is_empty() {
                return Ok(None);
            }
            let mut tree = Tree::parse(text).map_err(|e| FrontendError::parse(format!("{key}: {e}")))?;
            tree.name_fields(&|kind| {
                let names = tuples?.get(kind)?.get("field_names")?.as_array()?;
                names.iter().map(|name| Some(name.as_str()?.to_string())).collect()
            });
            Ok(Some((text.to_string(), tree)))
        };
        let arguments = match tree("in_spec")? {
            None => None,
            Some((text, tree)) => match tree.argument_paths() {
                Some(places) => Some(Known { text, places }),
                None => {
                    let message = "in_spec is no tuple of the positional and the named arguments";
                    return Err(FrontendError::parse(message));
                }
            },
        };
        let results = tree("out_spec")?.map(|(text, tree)| Known { text, places: tree.result_paths() });
        Ok(Call { arguments, results, given: Vec::new(), names })
    }

    /// The side of the arguments, from the inputs of the signature in order.
    pub fn arguments(&self, inputs: &[UserInput]) -> Result<Side> {
        let Some(known) = &self.arguments else {
            let state = |i: &UserInput| matches!(i.leaf, Source::State(_));
            if inputs.iter().all(|i| !state(i) && matches!(i.leaf, Source::Argument(Holds::Given))) {
                return Ok(Side::default());
            }
            let of_call = inputs.iter().filter(|i| !state(i)).count();
            let flat =
                (0..of_call).map(|k| (format!("args[{k}]"), Place { steps: Vec::new(), absent: false }));
            let leaves = merge("in_spec", &flat.collect::<Vec<_>>(), inputs)?;
            return Ok(Side { tree: None, leaves });
        };
        let leaves = merge("in_spec", &known.places, inputs)?;
        Ok(Side { tree: Some(known.text.clone()), leaves })
    }

    /// Notes the kind of the next result.
    pub fn result(&mut self, holds: Holds) {
        self.given.push(holds);
    }
    /// The path of the next result.
    pub fn next_result(&self) -> Option<&str> {
        let places = &self.results.as_ref()?.places;
        places.iter().filter(|(_, place)| !place.absent).nth(self.given.len()).map(|(path, _)| &**path)
    }
    pub fn results(&self) -> Result<Side> {
        let leaves = |places: &[(String, Place)]| in_places("out_spec", places, &self.given);
        match &self.results {
            Some(known) => Ok(Side { tree: Some(known.text.clone()), leaves: leaves(&known.places)? }),
            None if self.given.iter().all(|h| *h == Holds::Given) => Ok(Side::default()),
            None => {
                let flat = (0..self.given.len())
                    .map(|k| (format!("output[{k}]"), Place { steps: Vec::new(), absent: false }));
                Ok(Side { tree: None, leaves: leaves(&flat.collect::<Vec<_>>())? })
            }
        }
    }

    /// The place of each argument as guards write it: `["d", "x"]` for `L['d']['x']`.
    pub fn guard_paths(&self) -> Vec<Vec<String>> {
        let places = self.arguments.iter().flat_map(|known| &known.places);
        let word = |step: &Step| match step {
            Step::Index(k) => k.to_string(),
            Step::Key(Json::String(key)) => key.clone(),
            Step::Key(key) => key.to_string(),
            Step::Field(name) => name.clone(),
        };
        let path = |place: &Place| -> Vec<String> {
            let [half, first, rest @ ..] = &place.steps[..] else { return Vec::new() };
            let name = match first {
                Step::Index(k) if *half == Step::Index(0) => self.names.get(*k).cloned().unwrap_or_default(),
                other => word(other),
            };
            std::iter::once(name).chain(rest.iter().map(word)).collect()
        };
        places.filter(|(_, place)| !place.absent).map(|(_, place)| path(place)).collect()
    }
}

/// The leaf that callers see for a number, None or string of the file.
pub fn fixed(tag: &str, value: &Json, place: &str) -> Result<Holds> {
    let number = |v| Ok(Holds::Fixed(Fixed::Number(v)));
    match tag {
        "as_none" => Ok(Holds::None),
        "as_string" => Ok(Holds::Fixed(Fixed::Text(json::string(value, place)?.to_string()))),
        "as_int" => number(Scalar::Int(json::integer(value, place)?)),
        "as_float" => number(Scalar::Float(json::float(value, place)?)),
        "as_bool" => number(Scalar::Bool(json::boolean(value, place)?)),
        other => Err(FrontendError::unsupported(format!(
            "{place}: a fixed value of kind `{other}` is not supported"
        ))),
    }
}

fn mismatch(key: &str, leaves: usize, values: usize) -> FrontendError {
    FrontendError::parse(format!("{key} has {leaves} leaves, but the signature has {values} of them"))
}

/// The leaves of the tree and, where they come, those of the module's state.
fn merge(key: &str, places: &[(String, Place)], inputs: &[UserInput]) -> Result<Vec<Leaf>> {
    let holds = inputs.iter().filter_map(|i| match &i.leaf {
        Source::Argument(holds) => Some(holds.clone()),
        Source::State(_) => None,
    });
    let mut of_call = in_places(key, places, &holds.collect::<Vec<_>>())?.into_iter();
    let mut leaves = Vec::new();
    for input in inputs {
        match &input.leaf {
            Source::State(name) => {
                let path = format!("{STATE}[{}]", Json::from(name.as_str()));
                leaves.push(Leaf { path, holds: Holds::Given });
            }
            Source::Argument(_) => leaves.extend(of_call.next()),
        }
    }
    leaves.extend(of_call);
    Ok(leaves)
}

fn in_places(key: &str, places: &[(String, Place)], holds: &[Holds]) -> Result<Vec<Leaf>> {
    let present = places.iter().filter(|(_, place)| !place.absent).count();
    if present != holds.len() {
        return Err(mismatch(key, present, holds.len()));
    }
    let mut next = holds.iter();
    let leaf = |(path, place): &(String, Place)| {
        let holds = if place.absent { None } else { next.next() };
        Leaf { path: path.clone(), holds: holds.cloned().unwrap_or(Holds::None) }
    };
    Ok(places.iter().map(leaf).collect())
}
