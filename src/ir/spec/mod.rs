//! The signature of a program: how the trees of its arguments and results map to the graph's inputs and outputs.
//!
//! A *leaf* is one place of a tree: an input or output of the graph, None, or a value that was fixed at export. Each has a
//! path, as Python would write it: `args[0]["mask"]`, `kwargs.scale`, `output[1]`. Outputs may name a place with a known
//! number, which a run gives as a tensor.
//!
//! Invariants:
//! - the n-th leaf that is given is the n-th input, or output, of the graph; a side for which that does not hold (an
//!   input was added since) counts as unknown: then its places are those of a flat list;
//! - a tree is the text that PyTorch serialised, unchanged; it has a leaf for each leaf of the side, in order, but for those of
//!   [`STATE`].
//!
//! Deliberately absent: building or taking apart trees, which hosts do.

mod compare;
mod joint;
mod read;
mod tree;

pub use compare::{Difference, compare};
pub use joint::{Gradient, JOINT, Joint};
pub use read::{SpecError, read};
pub use tree::{Place, Step, Tree};

use super::describe::{self, number_dtype};
use super::{Graph, Number, OutputValue};
use crate::base::{HashMap, json};
use crate::types::Scalar;
use serde_json::{Map, Value as Json};

/// What paths of inputs begin with that are a module's state, where a program has no weights of its own.
pub const STATE: &str = "state_dict";

/// What the graph's users see.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spec {
    pub inputs: Side,
    pub outputs: Side,
    /// Text that comes with the program, by name.
    pub metadata: HashMap<String, String>,
}

/// The arguments, or the results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// As PyTorch serialised it.
    pub tree: Option<String>,
    /// Empty: one for each input or output.
    pub leaves: Vec<Leaf>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    pub path: String,
    pub holds: Holds,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Holds {
    /// The next input or output.
    Given,
    None,
    Fixed(Fixed),
}

/// A value that was fixed at export.
#[derive(Clone, Debug, PartialEq)]
pub enum Fixed {
    Number(Scalar),
    Text(String),
}

/// What an output shares its memory with, when the program is run as PyTorch runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    Input(usize),
    Constant(usize),
    /// An earlier output.
    Output(usize),
}

impl Side {
    /// The leaves of a flat list under a name.
    fn flat(root: &str, n: usize) -> Side {
        let leaf = |k| Leaf { path: format!("{root}[{k}]"), holds: Holds::Given };
        Side { tree: None, leaves: (0..n).map(leaf).collect() }
    }
    fn given(&self) -> usize {
        self.leaves.iter().filter(|l| l.holds == Holds::Given).count()
    }
    /// True where the side is known, for a graph with so many inputs, or outputs.
    pub fn fits(&self, n: usize) -> bool {
        (self.tree.is_some() || !self.leaves.is_empty()) && self.given() == n
    }
    /// The leaves as PyTorch's tree lists them, without fields of dataclasses that are None. `arguments`: the tree is a call's, not a
    /// result's.
    pub fn leaves_of_tree(&self, arguments: bool) -> Vec<Leaf> {
        let tree = self.tree.as_ref().and_then(|text| Tree::parse(text).ok());
        let places = tree.map(|tree| match arguments {
            true => tree.argument_paths().unwrap_or_default(),
            false => tree.result_paths(),
        });
        let places = places.filter(|places| places.len() == self.leaves.len()).unwrap_or_default();
        let absent = |k: usize| places.get(k).is_some_and(|(_, place)| place.absent);
        let own = self.leaves.iter().enumerate().filter(|(k, _)| !absent(*k));
        own.map(|(_, leaf)| leaf.clone()).collect()
    }
    fn of_graph(&self, root: &str, n: usize) -> Side {
        if self.fits(n) { self.clone() } else { Side::flat(root, n) }
    }
}

/// The arguments of a graph, its own or, where it has none, a flat list.
pub fn inputs(graph: &Graph) -> Side {
    graph.spec.inputs.of_graph("args", graph.inputs.len())
}
/// The results, as [`inputs`].
pub fn outputs(graph: &Graph) -> Side {
    graph.spec.outputs.of_graph("output", graph.outputs.len())
}

/// The results that are the program's own: a joint graph's tree has no place for gradients.
pub fn own_outputs(graph: &Graph) -> Side {
    let own = Joint::of(graph).map_or(graph.outputs.len(), |joint| joint.outputs);
    graph.spec.outputs.of_graph("output", own)
}

/// `inputs` and `outputs`: each leaf by path, name and kind. What running it changes and shares is left out.
pub fn signature(graph: &Graph) -> Json {
    let tidy = |mut leaf: Map<String, Json>| {
        leaf.retain(|key, _| matches!(key.as_str(), "path" | "name" | "kind" | "type" | "value"));
        Json::Object(leaf)
    };
    let (inputs, outputs) = leaves(graph);
    let list = |side: Entries| side.into_iter().map(tidy).collect::<Vec<_>>();
    json!({"inputs": list(inputs), "outputs": list(outputs)})
}

/// Everything that is known of the signature of a graph, which is functional: that is how it is known what is mutated
/// and shared.
pub fn json(graph: &Graph) -> Json {
    let (mut ins, mut outs) = leaves(graph);
    let given = |leaf: &&mut Map<String, Json>| leaf.contains_key("dtype");
    let paths = |side: &[Map<String, Json>]| -> Vec<Json> {
        side.iter().filter(|l| l.contains_key("dtype")).map(|l| l["path"].clone()).collect()
    };
    let (input_paths, output_paths) = (paths(&ins), paths(&outs));
    for (k, leaf) in ins.iter_mut().filter(given).enumerate() {
        let mutated = graph.writes.iter().any(|w| w.target == super::Definition::Input(k));
        leaf.insert("mutated".into(), mutated.into());
    }
    for (k, leaf) in outs.iter_mut().filter(given).enumerate() {
        let alias = match graph.outputs[k].alias {
            None => Json::Null,
            Some(Alias::Input(i)) => json!({"input": input_paths[i]}),
            Some(Alias::Constant(c)) => {
                let constant = &graph.constants[c];
                json!({"constant": constant.views.first().map_or(&constant.name, |v| &v.name)})
            }
            Some(Alias::Output(o)) => json!({"output": output_paths[o]}),
        };
        leaf.insert("alias_of".into(), alias);
    }
    let metadata = graph.spec.metadata.iter().map(|(key, value)| (key.clone(), value.clone().into()));
    let metadata: Map<String, Json> = metadata.collect();
    json!({
        "inputs": ins,
        "outputs": outs,
        "in_tree": inputs(graph).tree,
        "out_tree": outputs(graph).tree,
        "metadata": metadata,
    })
}

/// A side's leaves as JSON.
type Entries = Vec<Map<String, Json>>;

/// The leaves with what a graph says of them by itself.
fn leaves(graph: &Graph) -> (Entries, Entries) {
    let mut next = graph.inputs.iter();
    let ins = inputs(graph).leaves.into_iter().map(|leaf| {
        let input = next.next_if_given(&leaf);
        let mut entry = base(&leaf);
        if let Some(input) = input {
            entry.insert("name".into(), input.name.clone().into());
            let kind = if input.symbol.is_some() { "scalar" } else { "tensor" };
            entry.insert("kind".into(), kind.into());
            geometry(graph, input.value, &mut entry);
        }
        entry
    });
    let ins = ins.collect();
    let mut next = graph.outputs.iter();
    let outs = outputs(graph).leaves.into_iter().map(|leaf| {
        let output = next.next_if_given(&leaf);
        let mut entry = base(&leaf);
        let Some(output) = output else { return entry };
        entry.insert("name".into(), output.name.clone().into());
        match output.value {
            OutputValue::Tensor(value) => {
                entry.insert("kind".into(), "tensor".into());
                geometry(graph, value, &mut entry);
                // The value may be more than the result, and lie in another order.
                if let Some(shown) = output.shown.as_ref() {
                    entry.insert("shape".into(), describe::sizes(graph, &shown.shape).into());
                    entry.insert("strides".into(), describe::sizes(graph, &shown.strides).into());
                }
            }
            OutputValue::Number(number) => {
                entry.insert("kind".into(), "scalar".into());
                entry.insert("dtype".into(), number_dtype(number).name().into());
                entry.insert("shape".into(), json!([]));
                entry.insert("strides".into(), json!([]));
                if let Number::Scalar(known) = number {
                    insert_value(&Fixed::Number(known), &mut entry);
                }
            }
        }
        entry
    });
    let outs = outs.collect();
    (ins, outs)
}

/// The next item, where the leaf is one.
trait NextIfGiven: Iterator {
    fn next_if_given(&mut self, leaf: &Leaf) -> Option<Self::Item> {
        if leaf.holds == Holds::Given { self.next() } else { None }
    }
}
impl<I: Iterator> NextIfGiven for I {}

fn base(leaf: &Leaf) -> Map<String, Json> {
    let mut entry = Map::new();
    entry.insert("path".into(), leaf.path.clone().into());
    match &leaf.holds {
        Holds::Given => {}
        Holds::None => {
            entry.insert("kind".into(), "none".into());
        }
        Holds::Fixed(value) => {
            entry.insert("kind".into(), "fixed".into());
            insert_value(value, &mut entry);
        }
    }
    entry
}

/// `type` and `value`. JSON lacks some floats; they stand as the strings that Python's `repr` gives.
fn insert_value(value: &Fixed, entry: &mut Map<String, Json>) {
    let (kind, value) = match value {
        Fixed::Text(text) => ("string", text.clone().into()),
        Fixed::Number(Scalar::Int(v)) => ("int", json!(v)),
        Fixed::Number(Scalar::Bool(v)) => ("bool", json!(v)),
        Fixed::Number(Scalar::Float(v)) if v.is_finite() => ("float", json!(v)),
        Fixed::Number(Scalar::Float(v)) if v.is_nan() => ("float", "nan".into()),
        Fixed::Number(Scalar::Float(v)) => ("float", if *v > 0.0 { "inf" } else { "-inf" }.into()),
    };
    entry.insert("type".into(), kind.into());
    entry.insert("value".into(), value);
}

fn geometry(graph: &Graph, value: super::Value, entry: &mut Map<String, Json>) {
    let meta = graph.meta(value);
    entry.insert("dtype".into(), meta.dtype.name().into());
    entry.insert("shape".into(), describe::sizes(graph, &meta.shape).into());
    entry.insert("strides".into(), describe::sizes(graph, &meta.strides).into());
}
