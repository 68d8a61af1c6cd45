//! What a graph is, as JSON for a user's program to read.
//!
//! A size is a number where it is known, otherwise an expression as a string. Deliberately absent: anything about
//! how the graph will run.

use super::text::{SymbolNames, arguments};
use super::{ConstantKind, Definition, Graph, NodeId, Number, OutputValue, Uses, Value, spec};
use crate::base::{OrderedMap, json};
use crate::types::{Dtype, Scalar, SymInt};
use serde_json::{Map, Value as Json};

/// `inputs`, `outputs`, `constants`, `symbols`, `operators`, `gradients` (what a backward would give, in order: every
/// floating or complex input, then every such parameter), `writes` and `signature` (the places of all arguments and results).
pub fn graph(graph: &Graph) -> Json {
    let inputs: Vec<Json> = graph
        .inputs
        .iter()
        .map(|input| {
            let mut entry = tensor(graph, &input.name, input.value);
            if let Some(symbol) = input.symbol {
                entry.insert("symbol".to_string(), size(graph, symbol));
            }
            Json::Object(entry)
        })
        .collect();
    let outputs: Vec<Json> = graph.outputs.iter().map(|o| output(graph, &o.name, o.value)).collect();
    let constants: Vec<Json> = graph
        .constants
        .iter()
        .flat_map(|c| {
            let whole = c.views.is_empty().then(|| {
                let mut entry = tensor(graph, &c.name, c.value);
                entry.remove("symbols");
                entry.insert("kind".to_string(), kind_name(c.kind).into());
                entry.insert("aliases".to_string(), json!(c.aliases));
                Json::Object(entry)
            });
            let dtype = graph.meta(c.value).dtype.name();
            let views = c.views.iter().map(move |v| {
                json!({"name": v.name, "dtype": dtype, "shape": v.shape, "kind": kind_name(v.kind), "aliases": v.aliases})
            });
            whole.into_iter().chain(views).collect::<Vec<_>>()
        })
        .collect();
    let symbols: Vec<Json> = graph.symbols.iter().map(|s| symbol(graph, *s)).collect();
    json!({
        "name": graph.name,
        "inputs": inputs,
        "outputs": outputs,
        "constants": constants,
        "symbols": symbols,
        "operators": operators(graph),
        "gradients": gradients(graph),
        "writes": writes(graph),
        "signature": spec::signature(graph),
    })
}

/// The inputs and constants that a run writes back to, which is so of functional graphs alone.
fn writes(graph: &Graph) -> Vec<Json> {
    let one = |w: &super::Write| match w.target {
        Definition::Input(k) => json!({"input": graph.inputs[k].name}),
        Definition::Constant(k) => json!({"constant": graph.constants[k].name}),
        Definition::Node { node, index } => json!({"node": node.index(), "result": index}),
    };
    graph.writes.iter().map(one).collect()
}

/// `dtype`, `shape`, `strides` and `producer` of one tensor.
pub fn value(graph: &Graph, value: Value) -> Json {
    let meta = graph.meta(value);
    let producer = match graph.values[value].definition {
        Definition::Input(k) => json!({"input": graph.inputs[k].name}),
        Definition::Constant(k) => json!({"constant": graph.constants[k].name}),
        Definition::Node { node, index } => {
            json!({"operator": operator_name(graph, node), "node": node.index(), "result": index})
        }
    };
    json!({
        "dtype": meta.dtype.name(),
        "shape": sizes(graph, &meta.shape),
        "strides": sizes(graph, &meta.strides),
        "producer": producer,
    })
}

/// A node: `operator`, `arguments`, and `results` with their users.
pub fn node(graph: &Graph, uses: &mut Uses, names: &mut SymbolNames, id: NodeId) -> Json {
    let node = &graph.nodes[id];
    let texts = arguments(graph, names, id);
    let arguments: Vec<Json> = (node.called().1.args.iter().zip(texts))
        .map(|(arg, text)| json!({"name": arg.name, "value": text}))
        .collect();
    let mut result = |value: &Value| {
        let meta = graph.meta(*value);
        let users = uses.of(graph, *value).into_iter();
        let nodes = users.map(|n| json!({"node": n.index(), "operator": operator_name(graph, n)}));
        let gives = |o: &&super::Output| o.value == OutputValue::Tensor(*value);
        let outputs = graph.outputs.iter().filter(gives).map(|o| json!({"output": o.name}));
        json!({
            "value": value.to_string(),
            "dtype": meta.dtype.name(),
            "shape": sizes(graph, &meta.shape),
            "strides": sizes(graph, &meta.strides),
            "users": nodes.chain(outputs).collect::<Vec<_>>(),
        })
    };
    json!({
        "node": id.index(),
        "operator": operator_name(graph, id),
        "arguments": arguments,
        "results": node.outputs.iter().map(&mut result).collect::<Vec<_>>(),
        "origins": node.origins.iter().map(|o| Json::Object(graph.origins.get(*o).json())).collect::<Vec<_>>(),
    })
}

/// `symbol` (its name, or an expression of symbols), `min` and `max`; null where there is no bound.
pub fn symbol(graph: &Graph, symbol: SymInt) -> Json {
    let range = graph.syms.range(symbol);
    let bound = |v: i64, none: i64| if v == none { Json::Null } else { v.into() };
    let text = match graph.syms.as_symbol(symbol) {
        Some(id) => graph.syms.symbol_name(id),
        None => graph.syms.display(symbol),
    };
    let (min, max) = (bound(range.min, i64::MIN), bound(range.max, i64::MAX));
    json!({"name": text, "symbol": text, "min": min, "max": max})
}

fn size(graph: &Graph, size: SymInt) -> Json {
    match graph.syms.as_const(size) {
        Some(known) => known.into(),
        None => graph.syms.display(size).into(),
    }
}

pub(super) fn sizes(graph: &Graph, list: &[SymInt]) -> Vec<Json> {
    list.iter().map(|s| size(graph, *s)).collect()
}

fn tensor(graph: &Graph, name: &str, value: Value) -> Map<String, Json> {
    let meta = graph.meta(value);
    let mut symbols: Vec<String> = Vec::new();
    for id in meta.shape.iter().flat_map(|s| graph.syms.symbols(*s)) {
        let name = graph.syms.symbol_name(id);
        if !symbols.contains(&name) {
            symbols.push(name);
        }
    }
    let mut entry = Map::new();
    entry.insert("name".to_string(), name.into());
    entry.insert("dtype".to_string(), meta.dtype.name().into());
    entry.insert("shape".to_string(), sizes(graph, &meta.shape).into());
    entry.insert("symbols".to_string(), json!(symbols));
    entry
}

fn output(graph: &Graph, name: &str, value: OutputValue) -> Json {
    let dtype = match value {
        OutputValue::Tensor(value) => return Json::Object(tensor(graph, name, value)),
        OutputValue::Number(number) => number_dtype(number),
    };
    json!({"name": name, "dtype": dtype.name(), "shape": [], "symbols": []})
}

/// The dtype of the tensor that gives a number.
pub fn number_dtype(number: Number) -> Dtype {
    match number {
        Number::Symbolic(_) | Number::Scalar(Scalar::Int(_)) => Dtype::Int64,
        Number::Truth(_) | Number::Scalar(Scalar::Bool(_)) => Dtype::Bool,
        Number::Float(_) | Number::Scalar(Scalar::Float(_)) => Dtype::Float64,
    }
}

fn kind_name(kind: ConstantKind) -> &'static str {
    match kind {
        ConstantKind::Parameter => "parameter",
        ConstantKind::Buffer => "buffer",
        ConstantKind::Constant => "constant",
    }
}

fn operator_name(graph: &Graph, node: NodeId) -> String {
    graph.nodes[node].called_name()
}

fn operators(graph: &Graph) -> Map<String, Json> {
    let mut counts: OrderedMap<String, u64> = Default::default();
    for node in &graph.order {
        *counts.or_default(operator_name(graph, *node)) += 1;
    }
    counts.into_iter().map(|(name, count)| (name, count.into())).collect()
}

fn gradients(graph: &Graph) -> Vec<&str> {
    let floating = |value: Value| graph.meta(value).dtype.is_continuous();
    let inputs = graph.inputs.iter().filter(|i| floating(i.value) && i.symbol.is_none()).map(|i| &*i.name);
    let parameters = graph.constants.iter().filter(|c| floating(c.value)).flat_map(|c| {
        let whole = (c.views.is_empty() && c.kind == ConstantKind::Parameter).then_some(&*c.name);
        let views = c.views.iter().filter(|v| v.kind == ConstantKind::Parameter).map(|v| &*v.name);
        whole.into_iter().chain(views)
    });
    inputs.chain(parameters).collect()
}

#[cfg(test)]
mod tests {
    use crate::ir::{Arg, Graph, OutputValue};
    use crate::meta::Builder;
    use crate::types::{Dtype, Range, TensorMeta};

    #[test]
    fn names_sizes_operators_and_ranges() {
        let mut graph = Graph::new("g");
        let n = graph.syms.symbol("n", Range::new(1, 8), None);
        graph.symbols.push(n);
        let meta = TensorMeta::contiguous(&graph.syms, Dtype::Float32, vec![n, graph.syms.constant(4)]);
        let x = graph.add_input("x", meta);
        graph.add_input("z", TensorMeta::contiguous(&graph.syms, Dtype::Complex64, vec![n]));
        graph.add_input("k", TensorMeta::contiguous(&graph.syms, Dtype::Int64, vec![n]));
        let y = Builder::new(&mut graph).op("aten.relu", vec![Arg::Value(x)]).unwrap();
        graph.add_output("y", OutputValue::Tensor(y));
        let json = super::graph(&graph);
        assert_eq!(json["inputs"][0]["shape"], crate::base::json!(["n", 4]));
        assert_eq!(json["inputs"][0]["symbols"], crate::base::json!(["n"]));
        assert_eq!(json["operators"]["aten.relu.default"], 1);
        assert_eq!(json["symbols"][0]["max"], 8);
        assert_eq!(json["gradients"], crate::base::json!(["x", "z"]));
        assert_eq!(super::value(&graph, y)["producer"]["operator"], "aten.relu.default");
    }
}
