//! Floor 3: the graph: values and the nodes that make them, in arenas, with inferred facts beside.
//!
//! Invariants (checked by [`verify`]):
//! - `order` lists every live node once, after the nodes whose values it uses;
//! - a node's arguments stand one for one against its operator's schema, coerced to the schema's types;
//! - every value of a live node has a `TensorMeta`;
//! - what holds of a graph holds of the subgraphs of its nodes; these write to nothing outside of them;
//! - an input that may be overwritten (`spent`) is a tensor of the outermost graph;
//! - inputs, constants and outputs name values of this graph; names are unique among inputs and constants;
//! - after functionalization no node has the form `InPlace`, and `writes` says what goes back where.
//!
//! Deliberately absent: inference (see `meta`), and any opinion about layout.

mod constant;
pub mod describe;
pub mod host;
mod names;
mod origin;
pub mod part;
pub mod seeded;
mod shared;
pub mod spec;
pub mod text;
mod unused;
mod uses;
mod verify;

pub use constant::ConstantData;
pub use host::{HostCall, HostOperator, HostOperators};
pub use names::Named;
pub use origin::{Module, Origin, OriginId, Origins, merge};
pub use shared::{Shared, each_graph, gives_symbols, symbols_of_nodes, symbols_of_own_nodes, with_hints};
pub use spec::{Alias, Spec};
pub use uses::Uses;
pub use verify::{VerifyError, fits, verify};

use crate::base::{Arena, Handle, Order, SideMap};
use crate::ops::{Form, OpId, Schema};
use crate::types::{Device, Dtype, Layout, MemoryFormat, Scalar, SymArena, SymInt, TensorMeta};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A value: one tensor that an input, a constant or a node gives.
pub type Value = Handle<ValueData>;
pub type NodeId = Handle<Node>;

/// One argument of a node, in its schema's place.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    None,
    Value(Value),
    Values(Vec<Option<Value>>),
    /// Also a `Scalar` argument that is an integer.
    Int(SymInt),
    Ints(Vec<SymInt>),
    Float(f64),
    /// A float known only at run time: its bits. See [`crate::types::Calculation`].
    SymFloat(SymInt),
    /// A complex number: its real and its imaginary part.
    Complex([f64; 2]),
    Floats(Vec<f64>),
    Bool(bool),
    Bools(Vec<bool>),
    Str(String),
    Dtype(Dtype),
    Layout(Layout),
    Device(Device),
    MemoryFormat(MemoryFormat),
    Graph(Subgraph),
    /// Only operators that expand when they are added take this, so that no node holds one.
    Graphs(Vec<Subgraph>),
    /// Of a node that calls an operator of a host's.
    Call(Box<HostCall>),
}

/// A graph that a node of another one runs; both have one symbol arena, so that symbols mean the same in both. Its
/// inputs are the node's operands, in order; everything else that it uses is its own.
#[derive(Clone, Debug)]
pub struct Subgraph(pub Arc<Graph>);

impl PartialEq for Subgraph {
    fn eq(&self, other: &Subgraph) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[derive(Clone, Debug)]
pub struct Node {
    pub op: OpId,
    pub form: Form,
    pub args: Vec<Arg>,
    pub outputs: Vec<Value>,
    /// The nodes of the user's program that it is made of.
    pub origins: Vec<OriginId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    Input(usize),
    Constant(usize),
    Node { node: NodeId, index: usize },
}

#[derive(Clone, Debug)]
pub struct ValueData {
    pub definition: Definition,
    /// A name for messages and dumps; not unique.
    pub name: Option<String>,
}

/// A user input.
#[derive(Clone, Debug)]
pub struct Input {
    pub name: String,
    pub value: Value,
    /// For a symbolic number given at run time (a 0-d host tensor): the symbol that stands for it.
    pub symbol: Option<SymInt>,
    /// Nobody needs its contents after a run: the program may overwrite them, unless it writes back to it.
    pub spent: bool,
}

/// What a constant is to the user; numbered as in the C ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum ConstantKind {
    Parameter = 0,
    Buffer = 1,
    Constant = 2,
}

/// A parameter, buffer or lifted tensor with its data, contiguous.
#[derive(Clone, Debug)]
pub struct Constant {
    pub name: String,
    /// Further names of the same storage (tied weights).
    pub aliases: Vec<String>,
    pub kind: ConstantKind,
    pub value: Value,
    pub data: Arc<ConstantData>,
    /// Not empty: the constant is a storage, which users know by these names of parts of it, not by its own.
    pub views: Vec<ConstantView>,
}

/// A named part of a storage that others share: `shape` elements, in `strides` (elements) from element `offset` on.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstantView {
    pub name: String,
    pub aliases: Vec<String>,
    pub kind: ConstantKind,
    pub shape: Vec<i64>,
    pub strides: Vec<i64>,
    pub offset: i64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OutputValue {
    Tensor(Value),
    /// A number, given as a 0-d tensor: int64 or bool for symbols, float64 for floats.
    Number(Number),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Symbolic(SymInt),
    /// 0 or 1, given as a bool.
    Truth(SymInt),
    /// The bits of a float.
    Float(SymInt),
    Scalar(Scalar),
}

#[derive(Clone, Debug)]
pub struct Output {
    pub name: String,
    pub value: OutputValue,
    /// Known once the graph is functional.
    pub alias: Option<Alias>,
    /// Of a tensor, once the graph is functional.
    pub shown: Option<Shown>,
}

/// How PyTorch gives an output.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    pub dtype: Dtype,
    pub shape: Vec<SymInt>,
    pub strides: Vec<SymInt>,
    /// An output whose memory this one is a view of, and from which element on. That may be this one itself: then its value is
    /// all of the memory, with strides of its own, and no result shows all of it.
    pub base: Option<(usize, SymInt)>,
    pub storage: Option<Vec<SymInt>>,
}

/// A result of the program, in its order: an output, or a view of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Returned {
    pub name: String,
    pub alias: Option<Alias>,
    /// The output that is computed.
    pub output: usize,
    /// `None` for numbers.
    pub shown: Option<Shown>,
}

impl Returned {
    /// True for a view of a result, or of a storage that no result shows all of.
    pub fn is_view(&self) -> bool {
        self.shown.as_ref().is_some_and(|s| s.base.is_some())
    }
    /// The strides of the output where it is such a storage, of the first result that shows some of it.
    pub fn storage(&self) -> Option<&Vec<SymInt>> {
        self.shown.as_ref()?.storage.as_ref()
    }
}

/// What a run writes back after computing its outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    pub target: Definition,
    pub value: Value,
}

/// A condition on symbols (0/1) that a run checks before it starts; violated, it is `LITZ_ERROR_SHAPE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    pub condition: SymInt,
    pub message: String,
}

/// Numbers of graphs, for traces.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A tensor program. Cloning shares constants' data and the symbol arena.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Clones have the same.
    pub id: u64,
    pub name: String,
    pub syms: Arc<SymArena>,
    pub nodes: Arena<Node>,
    pub values: Arena<ValueData>,
    pub metas: SideMap<ValueData, TensorMeta>,
    /// The nodes that run, in order.
    pub order: Order<Node>,
    pub inputs: Vec<Input>,
    pub constants: Vec<Constant>,
    pub outputs: Vec<Output>,
    /// Not empty: outputs are those alone that are computed, and the program's results are these.
    pub results: Vec<Returned>,
    /// What users see; without effect on what is computed.
    pub spec: Spec,
    pub writes: Vec<Write>,
    pub guards: Vec<Guard>,
    /// Symbols with declared ranges, in order of declaration.
    pub symbols: Vec<SymInt>,
    pub origins: Arc<Origins>,
    /// Operators of a host's that nodes may call.
    pub operators: HostOperators,
    /// How many symbols its nodes have made of numbers in tensors, whether or not these nodes still stand.
    pub binds: usize,
    /// What nodes that are added come from.
    pub making: Vec<OriginId>,
    /// All operators take uint16, uint32 and uint64. Otherwise those alone do for which PyTorch has such kernels. True for models
    /// of ONNX, and for functional graphs, whose operators Litz has chosen.
    pub takes_wide_unsigned: bool,
    /// Its inputs were a GPU's when it was made. Operators then have results of the dtypes that PyTorch's kernels for GPUs give
    /// them, where those for CPUs give others.
    pub made_on_gpu: bool,
    /// The table by which [`Graph::named`] finds inputs and constants.
    pub(crate) names: names::Names,
}

impl Graph {
    /// The number of a new graph, or of a program that traces tell of without its graph.
    pub fn next_id() -> u64 {
        NEXT.fetch_add(1, Ordering::Relaxed)
    }
    pub fn new(name: &str) -> Graph {
        Graph {
            id: Graph::next_id(),
            name: name.to_string(),
            syms: Arc::new(SymArena::new()),
            nodes: Arena::new(),
            values: Arena::new(),
            metas: SideMap::new(),
            order: Order::new(),
            inputs: Vec::new(),
            constants: Vec::new(),
            outputs: Vec::new(),
            results: Vec::new(),
            spec: Spec::default(),
            writes: Vec::new(),
            guards: Vec::new(),
            symbols: Vec::new(),
            origins: Arc::default(),
            operators: HostOperators::default(),
            binds: 0,
            making: Vec::new(),
            takes_wide_unsigned: false,
            made_on_gpu: false,
            names: names::Names::default(),
        }
    }

    /// A graph for a node of this one to run, or one that this one is rebuilt as: symbols, origins and operators are the same.
    pub fn new_subgraph(&self, name: &str) -> Graph {
        let (syms, origins, operators) = (self.syms.clone(), self.origins.clone(), self.operators.clone());
        let (takes_wide_unsigned, made_on_gpu) = (self.takes_wide_unsigned, self.made_on_gpu);
        Graph { syms, origins, operators, takes_wide_unsigned, made_on_gpu, ..Graph::new(name) }
    }
    /// Whether a value of it, or of a graph that it runs, is uint16, uint32 or uint64.
    pub fn has_wide_unsigned(&self) -> bool {
        let has = |g: &Graph| {
            let given = g.inputs.iter().map(|i| i.value).chain(g.constants.iter().map(|c| c.value));
            let made = g.order.iter().flat_map(|id| g.nodes[*id].outputs.iter().copied());
            given.chain(made).any(|v| g.metas.get(v).is_some_and(|m| m.dtype.is_wide_unsigned()))
        };
        has(self) || each_graph(self).iter().any(|(inner, _)| has(inner))
    }
    /// Where a node comes from; one that was added by hand is an origin itself.
    pub fn origins_of(&self, id: NodeId) -> Vec<OriginId> {
        let node = &self.nodes[id];
        if !node.origins.is_empty() {
            return node.origins.clone();
        }
        let name = match node.outputs.first() {
            Some(value) => self.values[*value].name.clone().unwrap_or_else(|| value.to_string()),
            None => id.to_string(),
        };
        let operator = node.name().to_string();
        vec![self.origins.add(Origin { node: name, operator, ..Origin::default() })]
    }
    /// Marks a node, and the nodes of the graphs that it runs, to run unfused: see [`Origin::unfused`].
    pub fn unfuse(&mut self, id: NodeId) {
        let origins = self.origins_of(id);
        let marked = |id: &OriginId| {
            let origin = Origin { unfused: true, ..(*self.origins.get(*id)).clone() };
            self.origins.add(origin)
        };
        self.nodes[id].origins = origins.iter().map(marked).collect();
        for arg in &mut self.nodes[id].args {
            let Arg::Graph(inner) = arg else { continue };
            let mut graph = (*inner.0).clone();
            for id in graph.order.iter().copied().collect::<Vec<_>>() {
                graph.unfuse(id);
            }
            *inner = Subgraph(Arc::new(graph));
        }
    }
    /// Replaces every subgraph; `shared` knows what became of those that other nodes run too.
    pub fn map_subgraphs<E>(
        &mut self,
        shared: &mut Shared,
        f: &mut dyn FnMut(&mut Shared, &Graph) -> Result<Graph, E>,
    ) -> Result<(), E> {
        for id in self.order.clone() {
            for arg in &mut self.nodes[id].args {
                if let Arg::Graph(g) = arg {
                    *g = shared.map(g, f)?;
                }
            }
        }
        Ok(())
    }

    pub fn meta(&self, value: Value) -> &TensorMeta {
        &self.metas[value]
    }
    /// A tensor input.
    pub fn add_input(&mut self, name: &str, meta: TensorMeta) -> Value {
        let value = self.new_value(Definition::Input(self.inputs.len()), Some(name.to_string()), meta);
        self.inputs.push(Input { name: name.to_string(), value, symbol: None, spent: false });
        value
    }
    /// An input of another graph, which this one is a new form of.
    pub fn add_input_like(&mut self, input: &Input, meta: TensorMeta) -> Value {
        let value = self.add_input(&input.name, meta);
        if let Some(last) = self.inputs.last_mut() {
            (last.symbol, last.spent) = (input.symbol, input.spent);
        }
        value
    }
    /// A number given at run time as a 0-d host tensor of this dtype; `symbol` stands for it in sizes.
    pub fn add_number_input(&mut self, name: &str, dtype: Dtype, symbol: SymInt) -> Value {
        let meta = TensorMeta::contiguous(&self.syms, dtype, Vec::new());
        let value = self.add_input(name, meta);
        if let Some(input) = self.inputs.last_mut() {
            input.symbol = Some(symbol);
        }
        value
    }
    pub fn add_constant(
        &mut self,
        name: &str,
        kind: ConstantKind,
        meta: TensorMeta,
        data: Arc<ConstantData>,
    ) -> Value {
        let value = self.new_value(Definition::Constant(self.constants.len()), Some(name.to_string()), meta);
        self.constants.push(Constant {
            name: name.to_string(),
            aliases: Vec::new(),
            kind,
            value,
            data,
            views: Vec::new(),
        });
        value
    }
    /// A constant as another graph has it, with its names.
    pub fn add_constant_like(&mut self, constant: &Constant, meta: TensorMeta) -> Value {
        let value = self.add_constant(&constant.name, constant.kind, meta, constant.data.clone());
        if let Some(last) = self.constants.last_mut() {
            last.aliases = constant.aliases.clone();
            last.views = constant.views.clone();
        }
        value
    }
    /// Appends a node whose results are already inferred; use `meta::Builder` to infer and build in one step.
    pub fn add_node(&mut self, op: OpId, form: Form, args: Vec<Arg>, results: Vec<TensorMeta>) -> NodeId {
        let origins = self.making.clone();
        self.binds += usize::from(op == OpId::Bind);
        let node = self.nodes.push(Node { op, form, args, outputs: Vec::new(), origins });
        for (index, meta) in results.into_iter().enumerate() {
            let value = self.new_value(Definition::Node { node, index }, None, meta);
            self.nodes[node].outputs.push(value);
        }
        self.order.push(node);
        node
    }
    /// Gives a node further results.
    pub fn add_results(&mut self, node: NodeId, metas: Vec<TensorMeta>) -> Vec<Value> {
        let mut made = Vec::with_capacity(metas.len());
        for meta in metas {
            let index = self.nodes[node].outputs.len();
            let value = self.new_value(Definition::Node { node, index }, None, meta);
            self.nodes[node].outputs.push(value);
            made.push(value);
        }
        made
    }
    /// Makes these inputs, by number, all that there are, in this order. Nothing may use the others.
    pub fn take_inputs(&mut self, order: &[usize]) {
        let inputs: Vec<Input> = order.iter().map(|k| self.inputs[*k].clone()).collect();
        for (k, input) in inputs.iter().enumerate() {
            self.values[input.value].definition = Definition::Input(k);
        }
        self.inputs = inputs;
        self.names = names::Names::default();
    }
    pub fn add_output(&mut self, name: &str, value: OutputValue) {
        self.outputs.push(Output { name: name.to_string(), value, alias: None, shown: None });
    }
    fn new_value(&mut self, definition: Definition, name: Option<String>, meta: TensorMeta) -> Value {
        let value = self.values.push(ValueData { definition, name });
        self.metas.insert(value, meta);
        value
    }
    /// The node that makes a value, if a node does.
    pub fn producer(&self, value: Value) -> Option<&Node> {
        match self.values[value].definition {
            Definition::Node { node, .. } => Some(&self.nodes[node]),
            _ => None,
        }
    }
    /// `%12 (aten.add.Tensor)` or `input "x"`: how messages name a value.
    pub fn describe_value(&self, value: Value) -> String {
        match self.values[value].definition {
            Definition::Input(k) => format!("input \"{}\"", self.inputs[k].name),
            Definition::Constant(k) => format!("constant \"{}\"", self.constants[k].name),
            Definition::Node { node, .. } => format!("{value} ({})", self.nodes[node].name()),
        }
    }
}

/// Before the name of a host's operator: the form that writes to nothing and gives the new contents as further results.
pub const FUNCTIONAL: &str = "functional.";

impl Arg {
    /// What it is, in a message's words.
    pub fn kind(&self) -> &'static str {
        match self {
            Arg::None => "None",
            Arg::Value(_) => "a tensor",
            Arg::Values(_) => "a list of tensors",
            Arg::Int(_) => "an int",
            Arg::Ints(_) => "a list of ints",
            Arg::Float(_) | Arg::SymFloat(_) => "a float",
            Arg::Complex(_) => "a complex number",
            Arg::Floats(_) => "a list of floats",
            Arg::Bool(_) => "a bool",
            Arg::Bools(_) => "a list of bools",
            Arg::Str(_) => "a string",
            Arg::Dtype(_) => "a dtype",
            Arg::Layout(_) => "a layout",
            Arg::Device(_) => "a device",
            Arg::MemoryFormat(_) => "a memory format",
            Arg::Graph(_) => "a graph",
            Arg::Graphs(_) => "a list of graphs",
            Arg::Call(_) => "a call",
        }
    }
    /// What it is, where it is of that kind.
    pub fn value(&self) -> Option<Value> {
        if let Arg::Value(v) = self { Some(*v) } else { None }
    }
    pub fn int(&self) -> Option<SymInt> {
        if let Arg::Int(v) = self { Some(*v) } else { None }
    }
    pub fn ints(&self) -> Option<&[SymInt]> {
        if let Arg::Ints(v) = self { Some(v) } else { None }
    }
    pub fn string(&self) -> Option<&str> {
        if let Arg::Str(s) = self { Some(s) } else { None }
    }
    pub fn dtype(&self) -> Option<Dtype> {
        if let Arg::Dtype(d) = self { Some(*d) } else { None }
    }
    pub fn is_true(&self) -> bool {
        matches!(self, Arg::Bool(true))
    }
    /// Every value that the argument uses.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        let inner = if let Arg::Call(call) = self { &call.args[..] } else { &[] };
        self.own_values().chain(inner.iter().flat_map(Arg::own_values))
    }
    /// Those that stand in it directly.
    fn own_values(&self) -> impl Iterator<Item = Value> + '_ {
        let (one, many) = match self {
            Arg::Value(v) => (Some(*v), &[][..]),
            Arg::Values(list) => (None, &list[..]),
            _ => (None, &[][..]),
        };
        one.into_iter().chain(many.iter().filter_map(|v| *v))
    }
    /// Replaces every value by what the function gives for it.
    pub fn map_values(&mut self, f: &mut dyn FnMut(Value) -> Value) {
        match self {
            Arg::Value(v) => *v = f(*v),
            Arg::Values(list) => list.iter_mut().flatten().for_each(|v| *v = f(*v)),
            Arg::Call(call) => call.args.iter_mut().for_each(|arg| arg.map_values(f)),
            _ => {}
        }
    }
}

impl Node {
    /// The call of a host's operator that the node is.
    pub fn host_call(&self) -> Option<&HostCall> {
        if let [Arg::Call(call)] = &self.args[..] { Some(call) } else { None }
    }
    /// The operator and its arguments as the user knows them: a host's operator, where the node calls one.
    pub fn called(&self) -> (&'static str, &Schema, &[Arg]) {
        match self.host_call() {
            Some(call) => (call.operator.name, &call.operator.schema, &call.args),
            None => (self.op.name(), self.op.schema(), &self.args),
        }
    }
    /// The operator's name, as the user knows it.
    pub fn name(&self) -> &'static str {
        self.called().0
    }
    /// The name that the operator is called by in this form. Functional calls of a host's operator that writes have results
    /// beside the operator's, and a name of their own.
    pub fn called_name(&self) -> String {
        match (self.host_call(), self.form) {
            (Some(call), Form::Functional) if call.operator.writes() => {
                format!("{FUNCTIONAL}{}", call.operator.name)
            }
            (Some(call), _) => call.operator.name.to_string(),
            (None, Form::Functional) => self.op.name().to_string(),
            (None, Form::InPlace) => self.op.inplace_name(),
        }
    }
    pub fn uses(&self) -> impl Iterator<Item = Value> + '_ {
        self.args.iter().flat_map(Arg::values)
    }
    pub fn subgraphs(&self) -> impl Iterator<Item = &Graph> {
        self.args.iter().filter_map(|a| match a {
            Arg::Graph(g) => Some(&*g.0),
            _ => None,
        })
    }
    /// The argument of this name in the schema.
    pub fn arg(&self, name: &str) -> Option<&Arg> {
        self.op.schema().arg(name).map(|k| &self.args[k])
    }
}
