//! A model's graph as one of Litz's: inputs, initializers, nodes in order, outputs; functions where they are called.

use super::super::FrontendError;
use super::super::error::Result;
use super::call::Cx;
use super::data::{Data, Store, element};
use super::entry::{At, Entry, Tensor};
use super::order;
use super::proto;
use super::survey;
use super::table;
use crate::base::{HashMap, HashSet, Status, shortened};
use crate::ir::{self, ConstantKind, Graph, Origin, OutputValue, Value};
use crate::meta::Builder;
use crate::types::{Range, SymInt, TensorMeta};
use std::rc::Rc;

/// Nodes read in all, those of functions once for each call: a small file could ask for any number.
const MOST_NODES: usize = 1 << 20;
/// How deep functions, branches and bodies nest.
pub const MOST_NESTED: usize = 32;

/// A model's functions, by domain, name and overload.
pub type Functions<'a> = HashMap<[&'a str; 3], &'a proto::Function>;

pub struct Reader<'a> {
    pub store: Store,
    /// The graphs being built: the model's, and the branches and bodies around the node at hand.
    pub frames: Vec<Frame>,
    scopes: Vec<Scope<'a>>,
    functions: Functions<'a>,
    constants: HashMap<*const Data, (Rc<Data>, Value)>,
    symbols: HashMap<String, SymInt>,
    /// Numbers that are sizes of tensors. They are not negative, even where their range says less.
    pub sizes: HashSet<SymInt>,
    /// Names of inputs and constants of the model's graph.
    names: HashSet<String>,
    /// The last number that was put behind a name which was taken.
    numbers: HashMap<String, usize>,
    nodes: usize,
}

/// A graph, and its inputs for tensors of the graph around it.
pub struct Frame {
    pub graph: Graph,
    pub captures: HashMap<Value, Value>,
}

/// Names of a graph or of a function.
#[derive(Default)]
struct Scope<'a> {
    names: HashMap<&'a str, Entry>,
    /// What a function's nodes refer to; a function sees no names around it.
    attributes: Option<HashMap<&'a str, proto::Attribute>>,
    opsets: Rc<HashMap<String, i64>>,
}

pub fn read(model: &proto::Model, store: Store, name: &str) -> Result<Graph> {
    let document =
        model.graph.as_ref().ok_or_else(|| FrontendError::parse("this is no ONNX model: it has no graph"))?;
    let name = if document.name.is_empty() { name } else { &document.name };
    writable(name)?;
    let mut functions = HashMap::default();
    for f in &model.functions {
        functions.insert([plain(&f.domain), &f.name[..], &f.overload[..]], f);
    }
    let graph = Graph { takes_wide_unsigned: true, ..Graph::new(name) };
    let mut reader = Reader {
        store,
        frames: vec![Frame { graph, captures: HashMap::new() }],
        scopes: vec![Scope { opsets: Rc::new(opsets(&model.opsets)), ..Scope::default() }],
        functions,
        constants: HashMap::default(),
        symbols: HashMap::default(),
        sizes: HashSet::default(),
        names: HashSet::default(),
        numbers: HashMap::default(),
        nodes: 0,
    };
    reader.initializers(document)?;
    for input in &document.inputs {
        if !reader.scopes[0].names.contains_key(&input.name[..]) {
            reader.input(input).map_err(|e| e.about("input", &input.name))?;
        }
    }
    reader.read_nodes(&document.nodes).map_err(|e| match e.status() {
        Status::Unsupported => {
            let others = survey::others(model, &reader.functions, e.node.as_deref());
            e.followed_by(&others)
        }
        _ => e,
    })?;
    for output in &document.outputs {
        reader.output(&output.name)?;
    }
    let mut graph = reader.frames.swap_remove(0).graph;
    for entry in &model.metadata {
        graph.spec.metadata.insert(entry.key.clone(), entry.value.clone());
    }
    ir::verify(&graph, false)
        .map_err(|e| FrontendError::new(e.status(), format!("the model does not hold together: {e}")))?;
    Ok(graph)
}

/// Refuses a name that C would read only in part.
fn writable(name: &str) -> Result<()> {
    match name.contains('\0') {
        false => Ok(()),
        true => Err(FrontendError::parse(format!(
            "the name `{}` holds a NUL",
            shortened(&name.escape_debug().to_string())
        ))),
    }
}

/// The name of a domain; ONNX's own has two.
pub fn plain(domain: &str) -> &str {
    if domain == "ai.onnx" { "" } else { domain }
}

pub fn opsets(list: &[proto::Opset]) -> HashMap<String, i64> {
    list.iter().map(|o| (plain(&o.domain).to_string(), o.version)).collect()
}

impl<'a> Reader<'a> {
    /// The graph that nodes are added to.
    pub fn graph(&mut self) -> &mut Graph {
        let last = self.frames.len() - 1;
        &mut self.frames[last].graph
    }
    pub fn current(&self) -> &Graph {
        &self.frames[self.frames.len() - 1].graph
    }
    pub fn builder(&mut self) -> Builder<'_> {
        Builder::new(self.graph())
    }

    fn initializers(&mut self, document: &'a proto::Graph) -> Result<()> {
        if !document.sparse_initializers.is_empty() {
            return Err(FrontendError::unsupported("sparse initializers are not supported"));
        }
        for tensor in &document.initializers {
            let data = self.store.tensor(tensor).map_err(|e| e.about("initializer", &tensor.name))?;
            let is_float = data.narrow.is_none() && data.dtype.is_float();
            let kind = if is_float { ConstantKind::Parameter } else { ConstantKind::Constant };
            self.bind(&tensor.name, file(Data { name: tensor.name.clone(), kind, ..data }))?;
        }
        Ok(())
    }

    fn input(&mut self, input: &'a proto::ValueInfo) -> Result<()> {
        let ty = input.ty.as_ref().ok_or_else(|| FrontendError::parse("has no type"))?;
        let Some(tensor) = &ty.tensor else {
            let kind = match (&ty.sequence, &ty.optional) {
                (Some(_), _) => "a sequence",
                (_, Some(_)) => "an optional",
                _ => "no tensor",
            };
            return Err(FrontendError::unsupported(format!("is {kind}; programs take tensors alone")));
        };
        let (dtype, narrow) = element(tensor.element)?;
        let Some(shape) = &tensor.shape else {
            return Err(FrontendError::unsupported("its rank is not known; give the input a shape"));
        };
        if shape.dims.len() > 64 {
            return Err(FrontendError::parse(format!("has {} dimensions", shape.dims.len())));
        }
        let mut sizes = Vec::new();
        for (k, dim) in shape.dims.iter().enumerate() {
            sizes.push(match (dim.value, dim.parameter.as_deref()) {
                (Some(size), _) if size >= 0 => self.graph().syms.constant(size),
                // Some writers mean an unknown size by a negative one.
                (_, None | Some("")) | (Some(_), _) => self.symbol(&format!("{}_{k}", input.name))?,
                (None, Some(name)) => self.symbol(name)?,
            });
        }
        let graph = self.graph();
        let meta = TensorMeta::contiguous(&graph.syms, dtype, sizes);
        let value = graph.add_input(&input.name, meta);
        self.names.insert(input.name.clone());
        self.bind(&input.name, Entry::Tensor(Tensor { at: At::Graph(0, value), known: None, narrow }))
    }

    /// The size of a name; equal names are one size.
    fn symbol(&mut self, name: &str) -> Result<SymInt> {
        if let Some(known) = self.symbols.get(name) {
            return Ok(*known);
        }
        writable(name)?;
        let graph = self.graph();
        let symbol = graph.syms.symbol(name, Range::size(), None);
        graph.symbols.push(symbol);
        self.symbols.insert(name.to_string(), symbol);
        Ok(symbol)
    }

    fn output(&mut self, name: &str) -> Result<()> {
        let named = |e: FrontendError| e.about("output", name);
        match self.lookup(name)? {
            Entry::Tensor(tensor) => {
                let value = self.value(&tensor).map_err(named)?;
                self.graph().add_output(name, OutputValue::Tensor(value));
                Ok(())
            }
            // The elements, one by one.
            Entry::Sequence(list) => {
                for (k, element) in list.iter().enumerate() {
                    let Entry::Tensor(tensor) = element else {
                        return Err(named(FrontendError::unsupported(
                            "is a sequence of other things than tensors",
                        )));
                    };
                    let value = self.value(tensor).map_err(named)?;
                    self.graph().add_output(&format!("{name}.{k}"), OutputValue::Tensor(value));
                }
                Ok(())
            }
            Entry::Stacked(_) => {
                Err(named(FrontendError::unsupported("is a sequence of so many tensors as a run decides")))
            }
            Entry::Nothing => Err(named(FrontendError::unsupported("is an optional without a value"))),
        }
    }

    /// Gives a name in the innermost scope.
    pub fn bind(&mut self, name: &'a str, entry: Entry) -> Result<()> {
        writable(name)?;
        let last = self.scopes.len() - 1;
        match self.scopes[last].names.insert(name, entry) {
            None => Ok(()),
            Some(_) => Err(FrontendError::parse(format!("the name `{}` is given twice", shortened(name)))),
        }
    }

    /// What a name stands for, in the innermost scope or those around it.
    pub fn lookup(&self, name: &str) -> Result<Entry> {
        for scope in self.scopes.iter().rev() {
            if let Some(entry) = scope.names.get(name) {
                return Ok(entry.clone());
            }
            if scope.attributes.is_some() {
                break;
            }
        }
        let name = shortened(name);
        Err(FrontendError::parse(format!("`{name}` is used, but nothing before it gives it")))
    }

    pub fn opset(&self, domain: &str) -> Option<i64> {
        self.scopes.last()?.opsets.get(plain(domain)).copied()
    }

    /// An attribute of a node: its own, or that of the function around which it names.
    pub fn attribute<'s>(&'s self, node: &'s proto::Node, name: &str) -> Option<&'s proto::Attribute> {
        let own = node.attributes.iter().find(|a| a.name == name)?;
        if own.reference.is_empty() {
            return Some(own);
        }
        let around = self.scopes.iter().rev().find_map(|s| s.attributes.as_ref())?;
        around.get(&own.reference[..])
    }

    fn read_nodes(&mut self, nodes: &'a [proto::Node]) -> Result<()> {
        for k in order::needed_first(nodes) {
            let node = &nodes[k];
            crate::base::memory::checkpoint();
            self.nodes += 1;
            if self.nodes > MOST_NODES {
                let message = format!(
                    "the model has more than {MOST_NODES} nodes, those of functions counted at each call"
                );
                return Err(FrontendError::unsupported(message));
            }
            let first = node.outputs.iter().find(|n| !n.is_empty());
            let name = match (&node.name[..], first) {
                ("", Some(output)) => output.clone(),
                ("", None) => format!("node {k}"),
                (name, _) => name.to_string(),
            };
            let operator = match plain(&node.domain) {
                "" => node.op_type.clone(),
                domain => format!("{domain}.{}", node.op_type),
            };
            let origin = Origin { node: name.clone(), operator: operator.clone(), ..Origin::default() };
            let graph = self.graph();
            let origin = graph.origins.add(origin);
            let outer = std::mem::replace(&mut graph.making, vec![origin]);
            let told = match self.opset(&node.domain) {
                Some(version) => format!("{operator}, opset {version}"),
                None => operator,
            };
            let outcome = self.read_node(node);
            let graph = self.graph();
            graph.making = outer;
            let origin = graph.origins.get(origin);
            outcome.map_err(|e| e.at_node(&name, &told, &origin))?;
        }
        Ok(())
    }

    fn read_node(&mut self, node: &'a proto::Node) -> Result<()> {
        let mut inputs = Vec::with_capacity(node.inputs.len());
        for name in &node.inputs {
            inputs.push(if name.is_empty() { Entry::Nothing } else { self.lookup(name)? });
        }
        let key = [plain(&node.domain), &node.op_type[..], &node.overload[..]];
        let results = match self.functions.get(&key) {
            Some(function) => {
                let function = *function;
                self.expand(function, node, inputs)?
            }
            None => {
                let opset = self.opset(&node.domain).ok_or_else(|| {
                    FrontendError::parse(format!(
                        "the model imports no opset of the domain `{}`",
                        shortened(&node.domain)
                    ))
                })?;
                let row = table::find(plain(&node.domain), &node.op_type, opset)?;
                Cx::new(self, node, opset, inputs).apply(row)?
            }
        };
        let mut results = results.into_iter();
        for (k, name) in node.outputs.iter().enumerate() {
            match (results.next(), &name[..]) {
                (_, "") => {}
                (Some(entry), name) => {
                    if let Entry::Tensor(Tensor { at: At::Graph(level, v), .. }) = entry {
                        let graph = &mut self.frames[level].graph;
                        graph.values[v].name.get_or_insert_with(|| name.to_string());
                    }
                    self.bind(name, entry)?;
                }
                (None, name) => {
                    return Err(FrontendError::unsupported(format!(
                        "its result {k}, `{}`, is not supported",
                        shortened(name)
                    )));
                }
            }
        }
        Ok(())
    }

    /// The nodes of a function, in place of a call of it.
    fn expand(
        &mut self,
        function: &'a proto::Function,
        node: &'a proto::Node,
        inputs: Vec<Entry>,
    ) -> Result<Vec<Entry>> {
        let mut attributes = HashMap::default();
        for default in &function.defaults {
            attributes.insert(&default.name[..], default.clone());
        }
        for own in &node.attributes {
            if let Some(value) = self.attribute(node, &own.name) {
                attributes.insert(&own.name[..], value.clone());
            }
        }
        let mut scope = Scope {
            opsets: Rc::new(opsets(&function.opsets)),
            attributes: Some(attributes),
            ..Scope::default()
        };
        let mut given = inputs.into_iter();
        for name in &function.inputs {
            scope.names.insert(name, given.next().unwrap_or(Entry::Nothing));
        }
        if given.next().is_some() {
            return Err(FrontendError::parse(format!(
                "it takes {} inputs and is given more",
                function.inputs.len()
            )));
        }
        self.inside(scope, |reader| {
            reader.read_nodes(&function.nodes)?;
            function.outputs.iter().map(|name| reader.lookup(name)).collect()
        })
    }

    fn inside<T>(&mut self, scope: Scope<'a>, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.scopes.len() >= MOST_NESTED {
            let message = format!("functions, branches and bodies nest deeper than {MOST_NESTED}");
            return Err(FrontendError::unsupported(message));
        }
        self.scopes.push(scope);
        let result = f(self);
        self.scopes.pop();
        result
    }

    /// Reads the nodes of a branch or body where they are, its inputs given; gives its results.
    pub fn inline(&mut self, body: &'a proto::Graph, inputs: Vec<Entry>) -> Result<Vec<Entry>> {
        if body.inputs.len() != inputs.len() {
            let (want, have) = (body.inputs.len(), inputs.len());
            return Err(FrontendError::parse(format!("its graph takes {want} inputs and is given {have}")));
        }
        let opsets = self.scopes.last().map(|s| s.opsets.clone()).unwrap_or_default();
        let scope = Scope { opsets, ..Scope::default() };
        self.inside(scope, |reader| {
            reader.initializers(body)?;
            for (input, entry) in body.inputs.iter().zip(inputs) {
                reader.bind(&input.name, entry)?;
            }
            reader.read_nodes(&body.nodes)?;
            body.outputs.iter().map(|o| reader.lookup(&o.name)).collect()
        })
    }

    /// The tensor in the graph being built.
    pub fn value(&mut self, tensor: &Tensor) -> Result<Value> {
        match &tensor.at {
            At::Graph(level, value) => Ok(self.capture(*level, *value)),
            At::File(data) => Ok(self.constant(data)),
            At::Known => match &tensor.known {
                Some(known) => self.materialize(&known.clone()),
                None => Err(FrontendError::parse("a tensor of which nothing is known")),
            },
        }
    }

    /// A value of a graph around, as an input of each graph between.
    fn capture(&mut self, level: usize, value: Value) -> Value {
        let mut value = value;
        for k in level + 1..self.frames.len() {
            let meta = self.frames[k - 1].graph.meta(value).clone();
            let frame = &mut self.frames[k];
            value = match frame.captures.get(&value) {
                Some(inner) => *inner,
                None => {
                    let meta = TensorMeta::contiguous(&frame.graph.syms, meta.dtype, meta.shape);
                    let name = format!("captured_{}", frame.captures.len());
                    let inner = frame.graph.add_input(&name, meta);
                    frame.captures.insert(value, inner);
                    inner
                }
            };
        }
        value
    }

    /// Data of the file as a constant of the model's graph.
    fn constant(&mut self, data: &Rc<Data>) -> Value {
        let known = self.constants.get(&Rc::as_ptr(data)).map(|(_, v)| *v);
        let value = known.unwrap_or_else(|| {
            let graph = &mut self.frames[0].graph;
            let shape = data.shape.iter().map(|n| graph.syms.constant(*n)).collect();
            let meta = TensorMeta::contiguous(&graph.syms, data.dtype, shape);
            let plain = if data.name.is_empty() { "constant" } else { &data.name };
            let mut name = plain.to_string();
            while !self.names.insert(name.clone()) {
                let number = self.numbers.entry(plain.to_string()).or_insert(0);
                *number += 1;
                name = format!("{plain}_{number}");
            }
            let value = graph.add_constant(&name, data.kind, meta, data.bytes.clone());
            self.constants.insert(Rc::as_ptr(data), (data.clone(), value));
            value
        });
        self.capture(0, value)
    }
}

/// Data of the file as an entry.
pub fn file(data: Data) -> Entry {
    let narrow = data.narrow;
    Entry::Tensor(Tensor { at: At::File(Rc::new(data)), known: None, narrow })
}
