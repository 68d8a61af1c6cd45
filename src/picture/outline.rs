//! The parts of a graph that a picture draws.

use crate::base::{HashMap, SideMap, json, memory};
use crate::ir::{self, Arg, Definition, Graph, NodeId, OutputValue, Value, ValueData};
use crate::types::TensorMeta;
use serde_json::Value as Json;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Input,
    Operator,
    Output,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Input, Kind::Operator, Kind::Output];

    fn name(self) -> &'static str {
        match self {
            Kind::Input => "input",
            Kind::Operator => "operator",
            Kind::Output => "output",
        }
    }
}

/// A value that a node takes from an earlier one.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    pub node: usize,
    /// Its dtype and sizes.
    pub tensor: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub kind: Kind,
    /// The operator: `aten.add.Tensor`; empty for inputs and outputs.
    pub operator: String,
    /// As the user knows it.
    pub name: String,
    /// The module that it belongs to, as parameters are named: `blocks.0.attn`.
    pub module: String,
    /// The line that called it.
    pub source: String,
    pub uses: Vec<Use>,
    /// Its constants, and its results' dtypes and sizes, a line each.
    pub notes: Vec<String>,
}

/// A graph's inputs, nodes and outputs, each after its operands. Nodes of subgraphs are among them, before the first node that runs
/// them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    pub title: String,
    pub nodes: Vec<Node>,
}

/// Which of the outline's nodes gives each of a graph's values.
type Places = SideMap<ValueData, Option<usize>>;

impl Outline {
    /// As artifacts keep it; [`Outline::read`] reads it.
    pub fn json(&self) -> Json {
        json!({"title": self.title, "nodes": Vec::from_iter(self.nodes.iter().map(Node::json))})
    }

    /// `None` for JSON that [`Outline::json`] did not write.
    pub fn read(json: &Json) -> Option<Outline> {
        let nodes = json["nodes"].as_array()?;
        let nodes = nodes.iter().enumerate().map(|(place, node)| Node::read(node, place));
        Some(Outline { title: json["title"].as_str()?.to_string(), nodes: nodes.collect::<Option<_>>()? })
    }

    pub fn of(graph: &Graph) -> Outline {
        let mut outline = Outline { title: graph.name.clone(), nodes: Vec::new() };
        let mut values = SideMap::new();
        for input in &graph.inputs {
            let tensor = tensor(graph, graph.meta(input.value));
            values.insert(input.value, Some(outline.nodes.len()));
            outline.nodes.push(Node::plain(Kind::Input, &input.name, vec![tensor]));
        }
        outline.walk(graph, &mut values, &mut HashMap::default());
        for output in &graph.outputs {
            let mut node = Node::plain(Kind::Output, &output.name, Vec::new());
            if let OutputValue::Tensor(value) = output.value {
                node.take(graph, &values, value);
            }
            outline.nodes.push(node);
        }
        outline
    }

    /// The nodes of a graph; `values` knows which of the outline's nodes give its inputs, `drawn_before` has the subgraphs that stand
    /// in it: there may be very many ways to each.
    fn walk(&mut self, graph: &Graph, values: &mut Places, drawn_before: &mut HashMap<*const Graph, Places>) {
        for id in &graph.order {
            memory::checkpoint();
            let node = &graph.nodes[*id];
            let mut drawn = Node::of(graph, *id);
            node.uses().for_each(|value| drawn.take(graph, values, value));
            for inner in node.subgraphs() {
                let inside = match drawn_before.remove(&std::ptr::from_ref(inner)) {
                    Some(known) => known,
                    None => self.subgraph(node, inner, values, drawn_before),
                };
                for output in &inner.outputs {
                    if let OutputValue::Tensor(value) = output.value {
                        drawn.take(inner, &inside, value);
                    }
                }
                drawn_before.insert(inner, inside);
            }
            for value in &node.outputs {
                values.insert(*value, Some(self.nodes.len()));
                drawn.notes.push(format!("gives {}", tensor(graph, graph.meta(*value))));
            }
            self.nodes.push(drawn);
        }
    }

    /// The nodes of a graph that a node runs.
    fn subgraph(
        &mut self,
        node: &ir::Node,
        inner: &Graph,
        values: &Places,
        drawn_before: &mut HashMap<*const Graph, Places>,
    ) -> Places {
        let operands = node.args.iter().find_map(|a| match a {
            Arg::Values(list) => Some(list.as_slice()),
            _ => None,
        });
        let mut inside = SideMap::new();
        for (k, input) in inner.inputs.iter().enumerate() {
            let outer = operands.and_then(|list| *list.get(k)?);
            let place = outer.and_then(|v| values.get(v).copied().flatten());
            inside.insert(input.value, place);
        }
        self.walk(inner, &mut inside, drawn_before);
        inside
    }
}

impl Node {
    fn json(&self) -> Json {
        let uses = self.uses.iter().map(|u| json!([u.node, u.tensor]));
        json!([
            self.kind.name(),
            self.operator,
            self.name,
            self.module,
            self.source,
            Vec::from_iter(uses),
            self.notes
        ])
    }
    fn read(json: &Json, place: usize) -> Option<Node> {
        let text = |k: usize| Some(json.get(k)?.as_str()?.to_string());
        let list = |k: usize| json.get(k)?.as_array();
        let used = |u: &Json| {
            let node = usize::try_from(u.get(0)?.as_u64()?).ok().filter(|n| *n < place)?;
            Some(Use { node, tensor: u.get(1)?.as_str()?.to_string() })
        };
        Some(Node {
            kind: Kind::ALL.into_iter().find(|kind| json[0] == kind.name())?,
            operator: text(1)?,
            name: text(2)?,
            module: text(3)?,
            source: text(4)?,
            uses: list(5)?.iter().map(used).collect::<Option<_>>()?,
            notes: list(6)?.iter().map(|n| Some(n.as_str()?.to_string())).collect::<Option<_>>()?,
        })
    }
    fn plain(kind: Kind, name: &str, notes: Vec<String>) -> Node {
        let empty = String::new;
        let name = name.to_string();
        Node { kind, operator: empty(), name, module: empty(), source: empty(), uses: Vec::new(), notes }
    }
    fn of(graph: &Graph, id: NodeId) -> Node {
        let node = &graph.nodes[id];
        let origins = graph.origins.all(&graph.origins_of(id));
        let first = origins.first();
        let module = first.and_then(|o| o.module()).map_or_else(String::new, |m| m.path.clone());
        let source = first.and_then(|o| o.frame()).map_or_else(String::new, |f| f.place());
        let name = first.map_or("", |o| &o.node);
        let operator = node.name().to_string();
        Node { operator, module, source, ..Node::plain(Kind::Operator, name, Vec::new()) }
    }
    /// Notes that it uses a value; of constants by name.
    fn take(&mut self, graph: &Graph, values: &Places, value: Value) {
        let tensor = tensor(graph, graph.meta(value));
        match (graph.values[value].definition, values.get(value).copied().flatten()) {
            (Definition::Constant(k), _) => {
                let constant = &graph.constants[k];
                let name = constant.views.first().map_or(&constant.name, |v| &v.name);
                self.notes.push(format!("takes {name}: {tensor}"));
            }
            (_, Some(node)) if !self.uses.iter().any(|u| u.node == node && u.tensor == tensor) => {
                self.uses.push(Use { node, tensor });
            }
            _ => {}
        }
    }
}

/// `float32[batch, 128]`
fn tensor(graph: &Graph, meta: &TensorMeta) -> String {
    let sizes: Vec<String> = meta.shape.iter().map(|size| graph.syms.label(*size)).collect();
    format!("{}[{}]", meta.dtype.name(), sizes.join(", "))
}
