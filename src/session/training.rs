//! Training: a forward that keeps what its backward needs, and that backward.
//!
//! The joint graph has a program's outputs and, from cotangents of these, the gradients of its floating inputs and parameters. A minimum
//! cut divides it (`differentiate::partition`) into two graphs, each compiled like any other. Parameters and buffers are inputs of both,
//! and are held between them (`runtime::training`).
//!
//! Invariant: what the backward needs of small inputs, or of what the forward writes to, is copied by the forward. Larger inputs
//! are read where they lie.
//!
//! Deliberately absent: optimizers (a step is a graph of its own).

use super::begun::{Begun, Timing};
use super::division::{divided, typical_bytes, unmarked};
use super::joint::{appended, ready, wanted};
use super::kept::TrainingHalf;
use super::registry::Point;
use super::shared_inputs::{Sharing, refused};
use super::{Executable, Given as GivenInputs, Options, SessionError, compile, compile_with, watched};
use crate::base::{HashSet, OrderedSet, SideMap, cancel, json};
use crate::decompose::complex;
use crate::device::cache::Key;
use crate::device::stack;
use crate::differentiate::{Joint, Partition};
use crate::functionalize::functionalize_apart;
use crate::ir::{
    Arg, ConstantKind, Definition, Graph, NodeId, Number, Output, OutputValue, Shown, Value, ValueData,
    Write, each_graph, symbols_of_nodes, text,
};
use crate::meta::Builder;
use crate::ops::Class;
use crate::plan::Plan;
use crate::runtime;
use crate::runtime::RuntimeError;
use crate::runtime::overlap::{Form, Forms};
use crate::runtime::training::{Between, Given, Held};
use crate::types::{Dtype, MemoryFormat, SymInt, SymbolId, contiguous_strides, lies_apart};
use std::borrow::Cow;
use std::ffi::CString;
use std::sync::{Arc, OnceLock};

/// A program with its gradients. Any number of threads may use one at the same time.
pub struct Training {
    pub(super) forward: Executable,
    /// Compiled when it is first asked for.
    backward: OnceLock<Result<Executable, Arc<SessionError>>>,
    backward_graph: Graph,
    /// The backward's.
    options: Options,
    pub(super) between: Between,
    /// Descriptions of what a forward keeps.
    kept: Vec<String>,
    /// How it was chosen.
    division: serde_json::Value,
    /// For inputs that share memory with one that is written to.
    pub(super) sharing: Option<Sharing>,
}

impl std::ops::Deref for Training {
    type Target = Between;
    fn deref(&self) -> &Between {
        &self.between
    }
}

/// Two graphs of one, and what they hand one another.
pub(super) struct Halves {
    pub forward: Graph,
    pub backward: Graph,
    /// What the forward keeps, and how many of its nodes the backward runs again.
    pub bytes: u64,
    pub again: usize,
    forward_held: Vec<usize>,
    backward_held: Vec<usize>,
    /// The inputs that the backward reads where the caller has them.
    lent: Vec<usize>,
    /// How many sizes the forward keeps, behind its tensors.
    sizes: usize,
    gradients: Vec<Option<usize>>,
    kept: Vec<String>,
}

/// A graph that is divided, and how it was.
struct Prepared {
    graph: Graph,
    options: Options,
    pure: Graph,
    halves: Halves,
    division: serde_json::Value,
    /// Identifies the program in the cache.
    program: Key,
}

impl Prepared {
    fn of(graph: &Graph, options: &Options, timing: &mut Timing<'_>) -> Result<Prepared, SessionError> {
        let registry = options.registered();
        // The halves have folders of their own.
        let dumped = options.dumped(&graph.name)?;
        dumped.dump_text("options.json", || options.values_json())?;
        dumped.dump_text("graph.litz", || text::dump(graph))?;
        let (mut given, id) = (Cow::Borrowed(graph), graph.id);
        if registry.has_passes() {
            timing.stage("pre_grad", || registry.run(Point::PreGrad, given.to_mut()))?;
        }
        let (graph, options) = (&*options.meant(given)?, options.settled());
        let (graph, marks) = unmarked(graph);
        let pure = timing.stage("functionalize", || {
            let pure = functionalize_apart(&graph)?;
            Ok::<_, SessionError>(complex::split(&pure)?.unwrap_or(pure))
        })?;
        dumped.dump_text("functionalized.litz", || text::dump(&pure))?;
        let appended = timing.stage("differentiate", || appended(&pure))?;
        let (joint, gradients) = ready(appended, &options, timing)?;
        dumped.dump_text("joint.litz", || text::dump(&joint.graph))?;
        let (mut halves, division) =
            timing.stage("divide", || divided(&joint, &gradients, marks, &options))?;
        // Who hears of a half knows the program by the graph that it was made of.
        (halves.forward.id, halves.backward.id) = (id, id);
        let texts = [&halves.forward, &halves.backward].map(|half| text::dump(half).into_bytes());
        let set = options.given_json().to_string().into_bytes();
        let program = Key::of("halves", texts.iter().chain([&set]).map(Vec::as_slice));
        Ok(Prepared { graph, options, pure, halves, division, program })
    }

    /// The options that a half is compiled with.
    fn options_of(&self, name: &'static str) -> Options {
        let mut options = self.options.clone();
        options.half = Some(TrainingHalf { name, program: self.program });
        options
    }
}

/// The backward's graph as it is compiled. Where Litz runs kernels again on the inputs of a run, or compares them with what they
/// were made of, what is saved is not overwritten: autotuning, `debug.check` and `debug.compare`.
fn overwritable(backward: &Graph, options: &Options) -> Graph {
    let mut graph = backward.clone();
    if options.autotunes || options.check.is_some() || options.compares {
        graph.inputs.iter_mut().for_each(|input| input.spent = false);
    }
    graph
}

impl Training {
    /// Compiles the forward. The backward is divided off, and compiled when it is first asked for.
    pub fn compile(graph: &Graph, options: &Options) -> Result<Training, SessionError> {
        watched(options, || {
            let mut begun = Begun::new(graph, options)?;
            let heard = begun.heard(options);
            let mut timing = begun.timing(&heard);
            let prepared = Prepared::of(graph, options, &mut timing);
            begun.went_through(timing);
            let prepared = prepared.inspect_err(|e| begun.ended(Err(e)))?;
            let mut made = Training::of(prepared, Some(&begun), None)?;
            made.sharing = Sharing::of(graph, options, made.forward.plan());
            Ok(made)
        })
    }

    /// A program of another graph that shares the constants of `of`.
    pub(super) fn beside(graph: &Graph, options: &Options, of: &Training) -> Result<Training, SessionError> {
        let prepared = Prepared::of(graph, options, &mut Timing::untold(options))?;
        Training::of(prepared, None, Some(&of.between))
    }

    fn of(
        prepared: Prepared,
        begun: Option<&Begun>,
        beside: Option<&Between>,
    ) -> Result<Training, SessionError> {
        let (forward_options, options) = (prepared.options_of("forward"), prepared.options_of("backward"));
        let Prepared { graph, pure, halves, division, .. } = prepared;
        let names = halves.forward.inputs.iter().map(|i| i.name.clone()).collect();
        let given = GivenInputs { begun, ..GivenInputs::default() };
        let forward = compile_with(&halves.forward, &forward_options, given)?;
        let forward = forward.with_forms(Arc::new(Apart(names)));
        let device = forward.program().device();
        let held = || {
            graph.constants.iter().filter(|c| is_held(c.kind)).map(|constant| {
                let mut given = of_value(&graph, &constant.name, constant.value, constant.kind as i32);
                let meta = graph.meta(constant.value);
                if !lies_apart(&graph.syms, &meta.shape, &meta.strides) {
                    given.strides = graph.syms.as_consts(&contiguous_strides(&graph.syms, &meta.shape));
                }
                Held::new(&constant.name, &constant.aliases, given, constant.data.bytes(), device)
            })
        };
        let held = match beside {
            Some(other) => other.held.clone(),
            None => Arc::new(held().collect::<Result<Vec<_>, _>>()?),
        };
        let writes = pure.writes.iter().any(|w| matches!(w.target, Definition::Constant(_)));
        let writing = || beside.and_then(|b| b.writing.clone()).unwrap_or_default();
        let weighted = pure.outputs.iter().enumerate().filter_map(|(k, o)| match o.value {
            OutputValue::Tensor(v) if pure.meta(v).dtype.is_continuous() => Some(k),
            _ => None,
        });
        let gradient = |(name, value): (String, Value), place: Option<usize>| {
            let given = of_value(&pure, &name, value, 0);
            let backward = &halves.backward;
            let shown = place.and_then(|k| backward.outputs[k].shown.as_ref());
            let strides = shown.and_then(|shown| backward.syms.as_consts(&shown.strides));
            (Given { strides, ..given }, place)
        };
        let gradients = wanted(&pure).into_iter().zip(&halves.gradients);
        let gradients = gradients.map(|(wanted, place)| gradient(wanted, *place)).collect();
        let between = Between {
            held,
            forward_held: halves.forward_held,
            backward_held: halves.backward_held,
            lent: halves.lent,
            sizes: halves.sizes,
            inputs: pure.inputs.iter().map(|i| of_value(&pure, &i.name, i.value, 0)).collect(),
            outputs: pure.outputs.iter().map(|o| of_output(&pure, &o.name, o.value)).collect(),
            weighted: weighted.collect(),
            one: OnceLock::new(),
            gradients,
            writing: writes.then(writing),
            updating: beside.map(|b| b.updating.clone()).unwrap_or_default(),
            cancels: cancel::Requests::default(),
        };
        let (backward, backward_graph) = (OnceLock::new(), overwritable(&halves.backward, &options));
        let kept = halves.kept;
        Ok(Training { backward, backward_graph, options, between, kept, division, forward, sharing: None })
    }

    /// The GPU that it runs on, if it is one.
    pub fn device(&self) -> Option<i32> {
        self.forward.program().device()
    }
    /// The program of the forward.
    pub fn forward_program(&self) -> &runtime::Executable {
        &self.forward
    }

    /// The compiled backward.
    pub fn backward_program(&self) -> Result<&runtime::Executable, SessionError> {
        let _watching = self.backward.get().is_none().then(|| self.cancels.watch());
        // A thread that only runs programs may have a small stack.
        let compiled =
            || stack::with_enough(|| compile(&self.backward_graph, &self.options)).map_err(Arc::new);
        let made = self.backward.get_or_init(compiled);
        let made = made.as_ref().map(std::ops::Deref::deref);
        made.map_err(|e| SessionError::Option { status: e.status(), message: e.to_string() })
    }

    /// Ends the forwards and backwards that are in progress, and the backward's compilation.
    pub fn cancel(&self) {
        self.cancels.ask();
        self.sharing.iter().for_each(Sharing::cancel);
        self.forward.cancel();
        if let Some(Ok(backward)) = self.backward.get() {
            backward.cancel();
        }
    }

    /// Compiles both programs of a graph and loads neither, as [`super::plan`] does: the forward's plan and the backward's.
    pub fn plans(graph: &Graph, options: &Options) -> Result<(Plan, Plan), SessionError> {
        let prepared = Prepared::of(graph, options, &mut Timing::untold(options))?;
        let [forward, backward] = ["forward", "backward"].map(|name| prepared.options_of(name));
        let graph = overwritable(&prepared.halves.backward, &backward);
        Ok((super::plan(&prepared.halves.forward, &forward)?, super::plan(&graph, &backward)?))
    }

    /// What both programs are, as JSON.
    pub fn describe(&self) -> String {
        let read = |text: String| serde_json::from_str::<serde_json::Value>(&text).unwrap_or_default();
        let backward = self.backward.get().and_then(|b| b.as_ref().ok()).map(|b| read(b.describe()));
        let names: Vec<_> = self.gradients.iter().map(|(g, _)| g.name()).collect();
        json!({
            "forward": read(self.forward.describe()),
            "backward": backward,
            "saved": self.kept,
            "partition": self.division,
            "gradients": names,
        })
        .to_string()
    }
}

/// The names of what the forward takes. The divided graph has no write to one input that another shows, and its writes come last, so that
/// inputs with shared memory would have other gradients: [`Sharing`] does them. An input that is a parameter's memory is refused.
struct Apart(Vec<String>);

impl Forms for Apart {
    fn form(&self, groups: &[u32]) -> Result<Arc<Form>, RuntimeError> {
        let shares = (0..groups.len()).find(|k| groups[*k] as usize != *k).unwrap_or(0);
        Err(refused(&self.0[groups[shares] as usize], &self.0[shares]))
    }
}

fn of_value(graph: &Graph, name: &str, value: Value, kind: i32) -> Given {
    let meta = graph.meta(value);
    let range = |s: &SymInt| graph.syms.range(*s);
    let bound = |n: i64| if n == i64::MAX { -1 } else { n };
    Given {
        name: c_name(name),
        dtype: meta.dtype,
        min_shape: meta.shape.iter().map(|s| range(s).min).collect(),
        max_shape: meta.shape.iter().map(|s| bound(range(s).max)).collect(),
        strides: graph.syms.as_consts(&meta.strides),
        kind,
    }
}

fn of_output(graph: &Graph, name: &str, value: OutputValue) -> Given {
    let dtype = match value {
        OutputValue::Tensor(value) => return of_value(graph, name, value, 0),
        OutputValue::Number(Number::Symbolic(_)) => Dtype::Int64,
        OutputValue::Number(Number::Truth(_)) => Dtype::Bool,
        OutputValue::Number(Number::Float(_) | Number::Scalar(_)) => Dtype::Float64,
    };
    Given {
        name: c_name(name),
        dtype,
        min_shape: Vec::new(),
        max_shape: Vec::new(),
        strides: Some(Vec::new()),
        kind: 0,
    }
}

/// A name for C; names have no zero bytes.
fn c_name(name: &str) -> CString {
    CString::new(name.replace('\0', "")).unwrap_or_default()
}

fn is_held(kind: ConstantKind) -> bool {
    matches!(kind, ConstantKind::Parameter | ConstantKind::Buffer)
}

impl Halves {
    pub fn of(
        joint: &Joint,
        gradients: Vec<Option<usize>>,
        divided: &Partition,
    ) -> Result<Halves, SessionError> {
        let source = &joint.graph;
        let held: Vec<usize> =
            (0..source.constants.len()).filter(|k| is_held(source.constants[*k].kind)).collect();
        let written: Vec<Definition> = source.writes.iter().map(|w| w.target).collect();
        // Parameters that no run writes to are there in the backward, too.
        let stays = |value: Value| match source.values[value].definition {
            Definition::Constant(k) => {
                !is_held(source.constants[k].kind) || !written.contains(&Definition::Constant(k))
            }
            _ => false,
        };
        let (lent, kept): (Vec<Value>, Vec<Value>) =
            divided.kept.iter().copied().filter(|v| !stays(*v)).partition(|v| joint.is_lent(*v));
        let symbols = symbols_of(source, &divided.backward, &divided.kept);

        let mut forward = Half::new(source, "forward");
        for input in &source.inputs[..joint.inputs] {
            forward.input(&input.name, input.value, input.symbol);
        }
        let forward_held = forward.hold(&held, &divided.forward, &written);
        forward.graph.guards = source.guards.clone();
        forward.nodes(&divided.forward);
        for output in &source.outputs[..joint.outputs] {
            forward.output(output);
        }
        for write in &source.writes {
            let target = match write.target {
                Definition::Constant(k) => forward.target(source.constants[k].value),
                other => other,
            };
            let value = forward.value(write.value);
            forward.graph.writes.push(Write { target, value });
        }
        let mut saved = Vec::with_capacity(kept.len());
        for (k, value) in kept.iter().enumerate() {
            // Apart from what the caller is given, and from its own memory.
            let own = forward.value(*value);
            let mut named = Vec::new();
            if !keeps_its_order(source, *value) {
                named.push(("memory_format", Arg::MemoryFormat(MemoryFormat::Contiguous)));
            }
            let copy = Builder::new(&mut forward.graph).op_with(
                "aten.clone.default",
                vec![Arg::Value(own)],
                named,
            )?;
            forward.graph.add_output(&format!("saved {k}"), OutputValue::Tensor(copy));
            saved.push(forward.graph.meta(copy).clone());
        }
        for symbol in &symbols {
            let name = source.syms.symbol_name(*symbol);
            let value = OutputValue::Number(Number::Symbolic(source.syms.symbol_expr(*symbol)));
            forward.graph.add_output(&format!("saved size {name}"), value);
        }

        let mut backward = Half::new(source, "backward");
        for input in &source.inputs[joint.inputs..] {
            backward.input(&input.name, input.value, None);
        }
        let mut lent_inputs = Vec::with_capacity(lent.len());
        for value in &lent {
            let Definition::Input(k) = source.values[*value].definition else { continue };
            backward.input(&source.inputs[k].name, *value, None);
            lent_inputs.push(k);
        }
        for (k, (value, meta)) in kept.iter().zip(saved).enumerate() {
            let made = backward.graph.add_input(&format!("saved {k}"), meta);
            // The forward's copy, which nobody reads after the backward.
            if let Some(input) = backward.graph.inputs.last_mut() {
                input.spent = true;
            }
            backward.places.insert(*value, made);
        }
        for symbol in &symbols {
            let (name, number) = (source.syms.symbol_name(*symbol), source.syms.symbol_expr(*symbol));
            backward.graph.add_number_input(&format!("saved size {name}"), Dtype::Int64, number);
        }
        let backward_held = backward.hold(&held, &divided.backward, &[]);
        backward.nodes(&divided.backward);
        for output in &source.outputs[joint.outputs..] {
            backward.output(output);
        }
        let names = lent.iter().chain(&kept).map(|v| source.describe_value(*v)).collect();
        let bytes = kept.iter().map(|v| typical_bytes(source, *v)).sum();
        let own: HashSet<NodeId> = divided.forward.iter().copied().collect();
        let again = divided.backward.iter().filter(|id| own.contains(*id)).count();
        Ok(Halves {
            forward: forward.graph,
            backward: backward.graph,
            forward_held,
            backward_held,
            lent: lent_inputs,
            sizes: symbols.len(),
            gradients,
            bytes,
            again,
            kept: names,
        })
    }
}

/// The symbols that a backward's nodes and tensors mention, those in the graphs that its nodes run too, unless these give them.
fn symbols_of(graph: &Graph, nodes: &[NodeId], kept: &[Value]) -> Vec<SymbolId> {
    let mut found: OrderedSet<SymbolId> = OrderedSet::new();
    let mut note = |list: &[SymInt]| found.extend(list.iter().flat_map(|s| graph.syms.sources(*s)));
    for value in kept {
        note(&graph.meta(*value).shape);
        note(&graph.meta(*value).strides);
    }
    let (mut all, mut given) = (Vec::new(), HashSet::default());
    for node in nodes.iter().map(|id| &graph.nodes[*id]) {
        all.push((graph, node));
        for inner in node.subgraphs() {
            given.extend(symbols_of_nodes(inner));
            let deeper = each_graph(inner).into_iter().map(|(graph, _)| graph);
            for graph in std::iter::once(inner).chain(deeper) {
                all.extend(graph.order.iter().map(|id| (graph, &graph.nodes[*id])));
            }
        }
    }
    for (graph, node) in all {
        for arg in &node.args {
            match arg {
                Arg::Int(s) | Arg::SymFloat(s) => note(&[*s]),
                Arg::Ints(list) => note(list),
                _ => {}
            }
        }
        for output in &node.outputs {
            note(&graph.meta(*output).shape);
            note(&graph.meta(*output).strides);
        }
    }
    found.into_iter().filter(|symbol| !given.contains(symbol)).collect()
}

/// Whether a value is saved in the order of dimensions that PyTorch has for it: a view, an image, or rows that are rows in any order. Others
/// are computed contiguous, and that order would take a copy each way.
fn keeps_its_order(graph: &Graph, value: Value) -> bool {
    let meta = graph.meta(value);
    let viewed = match graph.values[value].definition {
        Definition::Node { node, .. } => graph.nodes[node].op.class() == Class::View,
        _ => true,
    };
    viewed || meta.shape.len() > 3 || meta.strides.last().is_none_or(|s| graph.syms.as_const(*s) == Some(1))
}

/// One of the two graphs being made of the joint one.
struct Half<'g> {
    source: &'g Graph,
    graph: Graph,
    places: SideMap<ValueData, Value>,
}

impl<'g> Half<'g> {
    fn new(source: &'g Graph, what: &str) -> Half<'g> {
        let mut graph = source.new_subgraph(&format!("{}.{what}", source.name));
        graph.symbols = source.symbols.clone();
        Half { source, graph, places: SideMap::new() }
    }
    fn input(&mut self, name: &str, value: Value, symbol: Option<SymInt>) {
        let made = self.graph.add_input(name, self.source.meta(value).clone());
        if let Some(last) = self.graph.inputs.last_mut() {
            last.symbol = symbol;
        }
        self.places.insert(value, made);
    }
    /// Makes inputs of the held constants that these nodes or writes need, and constants of others. Gives the former by their place
    /// among those that are held.
    fn hold(&mut self, held: &[usize], nodes: &[NodeId], written: &[Definition]) -> Vec<usize> {
        let mut needed: OrderedSet<usize> = OrderedSet::new();
        for value in nodes.iter().flat_map(|id| &self.source.nodes[*id].args).flat_map(Arg::values) {
            if let Definition::Constant(k) = self.source.values[value].definition
                && self.places.get(value).is_none()
            {
                needed.insert(k);
            }
        }
        needed.extend(
            written.iter().filter_map(|d| if let Definition::Constant(k) = d { Some(*k) } else { None }),
        );
        // An output may be a constant itself.
        needed.extend(self.source.outputs.iter().filter_map(|o| match o.value {
            OutputValue::Tensor(v) => match self.source.values[v].definition {
                Definition::Constant(k) => Some(k),
                _ => None,
            },
            OutputValue::Number(_) => None,
        }));
        let mut list = Vec::new();
        for k in needed {
            let constant = &self.source.constants[k];
            match held.iter().position(|h| *h == k) {
                Some(place) => {
                    list.push(place);
                    self.input(&constant.name, constant.value, None);
                }
                None => {
                    let meta = self.source.meta(constant.value).clone();
                    let made = self.graph.add_constant_like(constant, meta);
                    self.places.insert(constant.value, made);
                }
            }
        }
        list
    }
    fn value(&self, value: Value) -> Value {
        self.places[value]
    }
    /// What a write to a held constant writes to here.
    fn target(&self, value: Value) -> Definition {
        self.graph.values[self.places[value]].definition
    }
    /// Adds an output, which keeps the strides that it has in the source.
    fn output(&mut self, output: &Output) {
        let value = match output.value {
            OutputValue::Tensor(v) => OutputValue::Tensor(self.value(v)),
            number => number,
        };
        self.graph.add_output(&output.name, value);
        if let Some(last) = self.graph.outputs.last_mut() {
            last.shown = output.shown.clone().map(|shown| Shown { base: None, storage: None, ..shown });
        }
    }
    fn nodes(&mut self, list: &[NodeId]) {
        for id in list {
            let node = &self.source.nodes[*id];
            let mut args = node.args.clone();
            args.iter_mut().for_each(|a| a.map_values(&mut |v| self.places[v]));
            let metas = node.outputs.iter().map(|v| self.source.meta(*v).clone()).collect();
            self.graph.making = self.source.origins_of(*id);
            let made = self.graph.add_node(node.op, node.form, args, metas);
            let results = self.graph.nodes[made].outputs.clone();
            for (old, new) in node.outputs.iter().zip(results) {
                // What is kept is an input already.
                if self.places.get(*old).is_none() {
                    self.places.insert(*old, new);
                }
            }
        }
        self.graph.making = Vec::new();
    }
}
