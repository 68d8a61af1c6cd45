//! A graph as PyTorch's export schema has it: the JSON of an exported program, weights left out. [`super::export_json`]
//! reads it back, and so does PyTorch's own loader.
//!
//! Invariants: names are identifiers, each given once; what reading derives (dtypes, sizes, guards of inference) is written
//! for PyTorch alone, and other guards become assertions.
//!
//! Deliberately absent: weights. What the schema has no form for is refused by name: functions of floats that it has no operator
//! for, storages that are used apart from their views, numbers as operands of graphs that nodes run, and the operators that
//! data-dependent ones became.

mod floats;
mod nodes;
mod numbers;
mod storages;

use super::FrontendError;
use super::error::Result;
use crate::base::{HashMap, HashSet, bounded, json};
use crate::ir::spec::{self, Fixed, Gradient, Holds, Joint, STATE};
use crate::ir::{
    Arg, ConstantKind, Definition, Graph, Number, OutputValue, Value, each_graph, symbols_of_nodes,
};
use crate::ops::Form;
use crate::ops::OpId;
use crate::types::{Dtype, Scalar, SymInt, SymbolId, TensorMeta};
use numbers::Kind;
use serde_json::{Map, Value as Json};

/// Symbols and numbers of a size that is written. The schema has no names for parts of sizes, so that shared parts stand once for each
/// use, which may be any number.
const MOST_WRITTEN: u32 = 1 << 16;

/// Refuses sizes that are too long to be written.
fn check_lengths(graph: &Graph) -> Result<()> {
    for graph in each_graph(graph).into_iter().map(|(g, _)| g).chain([graph]) {
        let given = graph.inputs.iter().map(|i| i.value).chain(graph.constants.iter().map(|c| c.value));
        let made = graph.order.iter().flat_map(|id| graph.nodes[*id].outputs.iter().copied());
        let metas = given.chain(made).map(|value| graph.meta(value));
        let of_meta = metas.flat_map(|m| m.shape.iter().chain(&m.strides).chain([&m.offset]));
        let of_args = graph.order.iter().flat_map(|id| &graph.nodes[*id].args).flat_map(|arg| match arg {
            Arg::Int(size) | Arg::SymFloat(size) => std::slice::from_ref(size),
            Arg::Ints(list) => &list[..],
            _ => &[],
        });
        let of_outputs = graph.outputs.iter().filter_map(|output| match &output.value {
            OutputValue::Number(Number::Symbolic(v) | Number::Truth(v) | Number::Float(v)) => Some(v),
            _ => None,
        });
        let of_guards = graph.guards.iter().map(|guard| &guard.condition);
        let all = of_meta.chain(of_args).chain(of_outputs).chain(of_guards);
        if let Some(size) = all.into_iter().find(|size| graph.syms.leaves(**size) > MOST_WRITTEN) {
            let message = format!(
                "a size that has more than {MOST_WRITTEN} symbols and numbers when it is written out, which the schema asks for; the text form names parts of sizes: {}",
                bounded(graph.syms.display(*size))
            );
            return Err(FrontendError::unsupported(message));
        }
    }
    Ok(())
}

/// The document.
pub fn write(graph: &Graph) -> Result<Json> {
    check_lengths(graph)?;
    let mut writer = Writer::new(graph);
    let input_specs = writer.inputs()?;
    writer.body()?;
    let (outputs, output_specs) = writer.outputs()?;
    let arguments = writer.arguments.clone();
    let functional = graph.order.iter().all(|id| graph.nodes[*id].form == Form::Functional);
    let symbols = writer.declared();
    let range = |s: &SymbolId| {
        let range = graph.syms.symbol_range(*s);
        let bound = |v: i64, none: i64| if v == none { Json::Null } else { json!(v) };
        let bounds = json!({"min_val": bound(range.min, i64::MIN), "max_val": bound(range.max, i64::MAX)});
        (writer.spelled(*s), bounds)
    };
    let ranges = symbols.iter().map(range).collect::<Map<_, _>>();
    let module = json!({
        "graph": writer.finish(arguments, outputs, false),
        "signature": {"input_specs": input_specs, "output_specs": output_specs},
        "module_call_graph": [{
            "fqn": "",
            "signature": {
                "inputs": [],
                "outputs": [],
                "in_spec": in_tree(graph),
                "out_spec": out_tree(graph),
                "forward_arg_names": null,
            },
        }],
        "metadata": {},
        "treespec_namedtuple_fields": named_tuples(graph),
    });
    Ok(json!({
        "graph_module": module,
        "opset_version": {"aten": 10},
        "range_constraints": ranges,
        "schema_version": {"major": 8, "minor": 14},
        "verifiers": [if functional { "ATEN" } else { "TRAINING" }],
        "torch_version": "2.10.0",
        "guards_code": [],
    }))
}

/// The names of named tuples' fields, by their types.
fn named_tuples(graph: &Graph) -> Json {
    let mut found = Map::new();
    for (side, arguments) in [(spec::inputs(graph), true), (spec::own_outputs(graph), false)] {
        let Some(mut tree) = side.tree.as_ref().and_then(|text| spec::Tree::parse(text).ok()) else {
            continue;
        };
        let paths: Vec<&str> =
            side.leaves.iter().map(|l| &*l.path).filter(|p| !p.starts_with(STATE)).collect();
        tree.learn(arguments, &paths);
        tree.visit_named_tuples(&mut |kind, names| {
            found.insert(kind.to_string(), json!({"field_names": names}));
        });
    }
    found.into()
}

/// A leaf of PyTorch's serialised trees.
fn leaf() -> Json {
    json!({"type": null, "context": null, "children_spec": []})
}

fn flat(n: usize) -> Json {
    json!({"type": "builtins.tuple", "context": "null", "children_spec": vec![leaf(); n]})
}

/// The tree of the arguments. State that was read without its numbers is written as further arguments, which the tree that
/// came with the program does not hold: then they are flat.
fn in_tree(graph: &Graph) -> String {
    let side = spec::inputs(graph);
    let state = side.leaves.iter().any(|l| l.path.starts_with(STATE));
    side.tree.clone().filter(|_| !state).unwrap_or_else(|| {
        let none = json!({"type": "builtins.dict", "context": "[]", "children_spec": []});
        let both = [flat(side.leaves.len()), none];
        json!([1, {"type": "builtins.tuple", "context": "null", "children_spec": both}]).to_string()
    })
}

fn out_tree(graph: &Graph) -> String {
    let side = spec::own_outputs(graph);
    side.tree.clone().unwrap_or_else(|| json!([1, flat(side.leaves.len())]).to_string())
}

/// The letter that PyTorch's names of constants begin with, and the schema's word.
fn schema_words(kind: ConstantKind) -> (&'static str, &'static str) {
    match kind {
        ConstantKind::Parameter => ("p", "parameter"),
        ConstantKind::Buffer => ("b", "buffer"),
        ConstantKind::Constant => ("c", "tensor_constant"),
    }
}

/// The symbols that are the bits of a float in a tensor.
fn float_symbols(graph: &Graph) -> HashSet<SymbolId> {
    let syms = &graph.syms;
    let float =
        |value: Value, symbol: SymInt| syms.as_symbol(symbol).filter(|_| graph.meta(value).dtype.is_float());
    let found = graph.order.iter().map(|id| &graph.nodes[*id]).filter_map(|node| {
        match (node.op, node.arg("self"), node.arg("symbol")) {
            (OpId::Bind, Some(Arg::Value(value)), Some(Arg::Int(symbol))) => float(*value, *symbol),
            _ => None,
        }
    });
    found.collect()
}

/// One graph that is being written.
struct Writer<'g> {
    graph: &'g Graph,
    names: HashMap<Value, String>,
    used: HashSet<String>,
    /// Names of inputs and nodes that give a number.
    numbers: HashMap<SymInt, String>,
    /// Where the value of a symbol is found: a tensor's dimension, whose size may be an expression of it.
    sources: HashMap<SymbolId, (Value, usize)>,
    /// The graph's arguments, in order.
    arguments: Vec<Json>,
    nodes: Vec<Json>,
    tensors: Map<String, Json>,
    ints: Map<String, Json>,
    bools: Map<String, Json>,
    floats: Map<String, Json>,
    /// Symbols whose values a run finds.
    data_symbols: HashSet<SymbolId>,
    /// Symbols that are the bits of floats.
    float_symbols: HashSet<SymbolId>,
    /// Goes with every node that is written now.
    metadata: Json,
}

impl<'g> Writer<'g> {
    fn new(graph: &'g Graph) -> Writer<'g> {
        let mut sources = HashMap::default();
        let given = graph.inputs.iter().map(|i| i.value).chain(graph.constants.iter().map(|c| c.value));
        let given: Vec<Value> = given.collect();
        // A dimension whose size is a bare symbol comes first; others give a symbol only where none is bare.
        for bare in [true, false] {
            for value in &given {
                for (dim, size) in graph.meta(*value).shape.iter().enumerate() {
                    match (graph.syms.as_symbol(*size), &graph.syms.symbols(*size)[..]) {
                        (Some(symbol), _) if bare => {
                            sources.entry(symbol).or_insert((*value, dim));
                        }
                        (None, [symbol]) if !bare => {
                            sources.entry(*symbol).or_insert((*value, dim));
                        }
                        _ => {}
                    }
                }
            }
        }
        Writer {
            graph,
            names: HashMap::default(),
            used: HashSet::default(),
            numbers: HashMap::default(),
            sources,
            arguments: Vec::new(),
            nodes: Vec::new(),
            tensors: Map::new(),
            ints: Map::new(),
            bools: Map::new(),
            floats: Map::new(),
            data_symbols: symbols_of_nodes(graph),
            float_symbols: float_symbols(graph),
            metadata: json!({}),
        }
    }

    /// An identifier like `wish` that nothing is called yet.
    fn free(&mut self, wish: &str) -> String {
        let mut plain: String =
            wish.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
        if plain != wish {
            plain.truncate(plain.trim_end_matches('_').len());
        }
        if !plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            plain.insert(0, '_');
        }
        let mut name = plain.clone();
        let mut k = 0;
        while !self.used.insert(name.clone()) {
            k += 1;
            name = format!("{plain}_{k}");
        }
        name
    }

    /// Gives a tensor a name and writes what is known of it.
    fn tensor(&mut self, value: Value, wish: &str, trained: bool) -> String {
        let name = self.free(wish);
        let meta = self.graph.meta(value).clone();
        let entry = self.meta(&meta, trained);
        self.tensors.insert(name.clone(), entry);
        self.names.insert(value, name.clone());
        name
    }

    fn meta(&self, meta: &TensorMeta, trained: bool) -> Json {
        let sizes = |list: &[SymInt]| list.iter().map(|s| self.size(*s)).collect::<Vec<_>>();
        // A reader infers results again, and some depend on the device.
        let device = match self.graph.made_on_gpu {
            true => json!({"type": "cuda", "index": 0}),
            false => json!({"type": "cpu", "index": null}),
        };
        json!({
            "dtype": dtype_number(meta.dtype),
            "sizes": sizes(&meta.shape),
            "requires_grad": trained,
            "device": device,
            "strides": sizes(&meta.strides),
            "storage_offset": self.size(meta.offset),
            "layout": 7,
        })
    }

    fn name(&self, value: Value) -> Result<String> {
        self.names.get(&value).cloned().ok_or_else(|| self.nameless(value))
    }

    /// Constants, then user inputs by the signature.
    fn inputs(&mut self) -> Result<Vec<Json>> {
        let graph = self.graph;
        // Names of user inputs are kept as they are; those of constants are the schema's business.
        let leaves = spec::inputs(graph).leaves_of_tree(true);
        let mut next = graph.inputs.iter();
        let mut user = Vec::new();
        for leaf in &leaves {
            if leaf.holds != Holds::Given {
                user.push((leaf, None));
                continue;
            }
            let Some(input) = next.next() else { break };
            let name = match input.symbol {
                Some(_) if graph.meta(input.value).dtype == Dtype::Float64 => {
                    return Err(FrontendError::unsupported(format!(
                        "input `{}` is a float given at run time, for which PyTorch's export schema has no input",
                        input.name
                    )));
                }
                None => self.tensor(input.value, &input.name, false),
                Some(symbol) => self.number_input(&input.name, symbol, graph.meta(input.value).dtype),
            };
            self.names.insert(input.value, name.clone());
            user.push((leaf, Some((input, name))));
        }
        let mut specs = self.constants();
        for (leaf, input) in user {
            let argument = match (&leaf.holds, input) {
                (Holds::Given, Some((input, name))) => match (input.symbol, graph.meta(input.value).dtype) {
                    (None, _) => json!({"as_tensor": {"name": name}}),
                    (Some(_), Dtype::Bool) => json!({"as_sym_bool": {"as_name": name}}),
                    (Some(_), _) => json!({"as_sym_int": {"as_name": name}}),
                },
                (Holds::Fixed(fixed), _) => fixed_argument(fixed),
                _ => json!({"as_none": true}),
            };
            if leaf.holds == Holds::Given {
                specs.push(json!({"user_input": {"arg": argument.clone()}}));
            } else {
                let name = self.free(&leaf.path);
                specs.push(json!({"constant_input": {"name": name, "value": argument.clone()}}));
            }
            self.arguments.push(argument);
        }
        Ok(specs)
    }

    fn number_input(&mut self, wish: &str, symbol: SymInt, dtype: Dtype) -> String {
        let name = self.free(wish);
        let kind = if dtype == Dtype::Bool { Kind::Truth } else { Kind::Integer };
        let entry = json!({"as_expr": self.expression(symbol, kind)});
        self.values(kind).insert(name.clone(), entry);
        self.numbers.insert(symbol, name.clone());
        name
    }

    /// What the graph gives, and what that is to the user: what is written back comes first.
    fn outputs(&mut self) -> Result<(Vec<Json>, Vec<Json>)> {
        let graph = self.graph;
        let (mut outputs, mut specs) = (Vec::new(), Vec::new());
        for write in &graph.writes {
            let name = self.name(write.value)?;
            let arg = json!({"name": name});
            specs.push(match write.target {
                Definition::Input(k) => {
                    let target = self.name(graph.inputs[k].value)?;
                    json!({"user_input_mutation": {"arg": arg, "user_input_name": target}})
                }
                Definition::Constant(k) if !graph.constants[k].views.is_empty() => {
                    return Err(self.nameless(graph.constants[k].value));
                }
                Definition::Constant(k) => {
                    let constant = &graph.constants[k];
                    if constant.kind == ConstantKind::Constant {
                        return Err(FrontendError::unsupported(format!(
                            "the constant `{}`, which is no buffer, is written to",
                            constant.name
                        )));
                    }
                    let (_, word) = schema_words(constant.kind);
                    let (kind, key) = (format!("{word}_mutation"), format!("{word}_name"));
                    json!({(&*kind): {"arg": arg, (&*key): constant.name}})
                }
                Definition::Node { .. } => {
                    return Err(FrontendError::unsupported("a write to what a node makes"));
                }
            });
            outputs.push(json!({"as_tensor": {"name": name}}));
        }
        let joint = Joint::of(graph);
        let loss = joint.as_ref().and_then(|joint| joint.loss);
        let mut next = graph.outputs.iter().enumerate();
        for leaf in spec::own_outputs(graph).leaves_of_tree(false) {
            let given = if leaf.holds == Holds::Given { next.next() } else { None };
            let argument = match (&leaf.holds, given.map(|(_, o)| o.value)) {
                (Holds::None, _) => json!({"as_none": true}),
                (Holds::Fixed(fixed), _) => fixed_argument(fixed),
                (Holds::Given, Some(OutputValue::Tensor(value))) => {
                    json!({"as_tensor": {"name": self.name(value)?}})
                }
                (Holds::Given, Some(OutputValue::Number(number))) => match number {
                    Number::Scalar(known) => fixed_argument(&Fixed::Number(known)),
                    Number::Symbolic(s) => self.int_argument(s)?,
                    Number::Truth(s) => self.bool_argument(s)?,
                    Number::Float(bits) => self.float_argument(bits)?,
                },
                (Holds::Given, None) => break,
            };
            let is_loss = given.is_some_and(|(k, _)| loss == Some(k));
            specs.push(match argument.get("as_tensor") {
                Some(tensor) if is_loss => json!({"loss_output": {"arg": tensor}}),
                _ => json!({"user_output": {"arg": argument.clone()}}),
            });
            outputs.push(argument);
        }
        for (gradient, (_, output)) in joint.iter().flat_map(|joint| &joint.gradients).zip(next) {
            let OutputValue::Tensor(value) = output.value else { continue };
            let arg = json!({"name": self.name(value)?});
            outputs.push(json!({"as_tensor": arg}));
            specs.push(match gradient {
                Gradient::Parameter(of) => {
                    json!({"gradient_to_parameter": {"arg": arg, "parameter_name": of}})
                }
                Gradient::Input(of) => {
                    let input = graph.inputs.iter().find(|i| i.name == *of).map(|i| i.value);
                    let of = input.map_or_else(|| Ok(of.clone()), |input| self.name(input))?;
                    json!({"gradient_to_user_input": {"arg": arg, "user_input_name": of}})
                }
            });
        }
        Ok((outputs, specs))
    }

    /// The symbols that the document mentions, with ranges of their own.
    fn declared(&self) -> Vec<SymbolId> {
        let graph = self.graph;
        let inner = each_graph(graph).into_iter().map(|(g, _)| g);
        let mut found: Vec<SymbolId> = Vec::new();
        for graph in std::iter::once(graph).chain(inner) {
            let values = graph.inputs.iter().map(|i| i.value);
            let made = graph.order.iter().flat_map(|id| graph.nodes[*id].outputs.iter().copied());
            let sizes = values.chain(made).flat_map(|v| graph.meta(v).shape.clone());
            let numbers = graph.inputs.iter().filter_map(|i| i.symbol);
            for symbol in sizes.chain(numbers).flat_map(|s| graph.syms.sources(s)) {
                if !found.contains(&symbol) {
                    found.push(symbol);
                }
            }
        }
        found
    }

    fn finish(self, inputs: Vec<Json>, outputs: Vec<Json>, single: bool) -> Json {
        json!({
            "inputs": inputs,
            "outputs": outputs,
            "nodes": self.nodes,
            "tensor_values": self.tensors,
            "sym_int_values": self.ints,
            "sym_bool_values": self.bools,
            "is_single_tensor_return": single,
            "custom_obj_values": {},
            "sym_float_values": self.floats,
        })
    }
}

fn fixed_argument(fixed: &Fixed) -> Json {
    match fixed {
        Fixed::Text(text) => json!({"as_string": text}),
        Fixed::Number(Scalar::Int(v)) => json!({"as_int": v}),
        Fixed::Number(Scalar::Bool(v)) => json!({"as_bool": v}),
        Fixed::Number(Scalar::Float(v)) => json!({"as_float": numbers::float(*v)}),
    }
}

/// The schema's number of a dtype.
fn dtype_number(dtype: Dtype) -> i32 {
    dtype.number()
}
