//! Floor 5: mutation and aliasing made pure.
//!
//! The graph is rebuilt in its order. Every value is either a *base*, which owns its storage, or a view of another
//! value by a view operator. A mutation computes the new contents of its target, carries them through the chain of
//! views to the base (`views`: the inverse of each view operator), and moves the base on to a new version; a view that
//! is used later and shows an older version is made again from its base.
//!
//! Invariants: no node of the result is in place; bases that are inputs or constants and were mutated stand in
//! `writes`; the order of nodes that run for their effect is kept; values keep their names.
//!
//! Deliberately absent: deciding which writes can be done in place (lowering's business); `set_`,
//! which gives a value another storage, is no operator here.

mod control;
mod host;
mod norms;
mod random;
mod results;
mod views;

#[cfg(test)]
mod tests;

use crate::base::{Handle, SideMap, Status, memory};
use crate::ir::{
    Arg, Definition, Graph, Node, NodeId, OriginId, OutputValue, Shared, Value, ValueData, Write, each_graph,
};
use crate::meta::{Builder, MetaError};
use crate::ops::{Form, OpId};
use crate::types::TensorMeta;

pub use results::split as split_results;
pub use views::aliases;

/// A mutation that cannot be made pure.
pub type FunctionalizeError = MetaError;

/// The graph without in-place operators, and with what is to be written back.
pub fn functionalize(graph: &Graph) -> Result<Graph, FunctionalizeError> {
    made_pure(graph, Memory::Shared)
}

/// [`functionalize`] in which every output has its own value and shape, also where results share memory.
pub fn functionalize_apart(graph: &Graph) -> Result<Graph, FunctionalizeError> {
    made_pure(graph, Memory::Apart)
}

/// [`functionalize`] of a graph that it returned and to which nodes were added. The layout and aliases of results stay as the graph
/// notes them.
pub fn functionalize_again(graph: &Graph) -> Result<Graph, FunctionalizeError> {
    made_pure(graph, Memory::Known)
}

fn made_pure(graph: &Graph, memory: Memory) -> Result<Graph, FunctionalizeError> {
    let (graph, state) = random::thread(graph)?;
    walked(&mut Shared::default(), &graph, random::Position::outermost(&graph, state))?.finish(memory)
}

/// How results are given that share memory of which none shows all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    /// As views of one value, which takes the place of the first.
    Shared,
    /// As values of their own.
    Apart,
    /// As the old graph notes for its outputs.
    Known,
}

/// Whether no node of a graph, or of the graphs that its nodes run, writes to what it is given, or draws random numbers.
pub fn is_functional(graph: &Graph) -> bool {
    let own = |graph: &Graph| {
        let mut nodes = graph.order.iter().map(|id| &graph.nodes[*id]);
        nodes.all(|node| {
            let changes = node.form == Form::InPlace || norms::updates_statistics(node);
            !changes && !random::draws(graph, node)
        })
    };
    own(graph) && each_graph(graph).into_iter().all(|(inner, _)| own(inner))
}

/// [`functionalize`], and where the tensors of the old graph stand in the new one: what they show in the end.
pub fn functionalize_mapped(graph: &Graph) -> Result<(Graph, SideMap<ValueData, Value>), FunctionalizeError> {
    let (mut shared, (graph, state)) = (Shared::default(), random::thread(graph)?);
    let mut cx = walked(&mut shared, &graph, random::Position::outermost(&graph, state))?;
    let mut places = SideMap::new();
    for id in graph.order.iter().map(|id| &graph.nodes[*id]) {
        for value in &id.outputs {
            places.insert(*value, cx.read(*value)?);
        }
    }
    let given = graph.inputs.iter().map(|i| i.value).chain(graph.constants.iter().map(|c| c.value));
    for value in given {
        places.insert(value, cx.read(value)?);
    }
    Ok((cx.finish(Memory::Apart)?, places))
}

/// The same of a graph that a node runs.
fn functionalize_with(shared: &mut Shared, graph: &Graph) -> Result<Graph, FunctionalizeError> {
    walked(shared, graph, random::Position::within(graph))?.finish(Memory::Apart)
}

/// The graph rebuilt up to its last node.
fn walked<'g>(
    shared: &'g mut Shared,
    graph: &'g Graph,
    random: random::Position,
) -> Result<Functionalize<'g>, FunctionalizeError> {
    let mut cx = Functionalize::new(graph, shared, random);
    for id in &graph.order {
        memory::checkpoint();
        cx.new.making = graph.origins_of(*id);
        cx.node(*id).map_err(|e| e.at(&cx.new.making))?;
    }
    cx.new.making = Vec::new();
    cx.end_random()?;
    Ok(cx)
}

/// One application of a view operator in the new graph.
#[derive(Debug)]
struct View {
    op: OpId,
    /// As in the new graph; the first one is the value that is viewed, and is replaced when the view is made again.
    args: Vec<Arg>,
    /// The old values: what is viewed, and what the operator gives.
    parent: Value,
    results: Vec<Value>,
    /// The operator gives its argument itself here (a conversion to what it is already).
    identity: bool,
    /// The parent's place in the list of tensors that the operator takes. Then its result of that place is meant.
    of_list: Option<usize>,
    origins: Vec<OriginId>,
}

type ViewId = Handle<View>;

/// Where an old value stands.
#[derive(Clone, Copy, Debug)]
struct State {
    /// The old value that owns its storage.
    root: Value,
    /// The view that makes it, and which of its results it is.
    view: Option<(ViewId, usize)>,
    /// Its contents in the new graph, as of `version` of its root.
    current: Value,
    version: u32,
}

struct Functionalize<'g> {
    old: &'g Graph,
    shared: &'g mut Shared,
    new: Graph,
    states: SideMap<ValueData, State>,
    /// Old values that are another old value: what an in-place operator gives.
    same_as: SideMap<ValueData, Value>,
    views: crate::base::Arena<View>,
    /// How often each base was mutated.
    versions: SideMap<ValueData, u32>,
    /// Where nodes that draw random numbers get them from.
    random: random::Position,
}

impl<'g> Functionalize<'g> {
    fn new(old: &'g Graph, shared: &'g mut Shared, random: random::Position) -> Self {
        let mut new = old.new_subgraph(&old.name);
        new.guards = old.guards.clone();
        new.symbols = old.symbols.clone();
        new.spec = old.spec.clone();
        // The user's operators were checked; those that they become are Litz's own.
        new.takes_wide_unsigned = true;
        let mut cx = Functionalize {
            old,
            shared,
            new,
            states: SideMap::new(),
            same_as: SideMap::new(),
            views: crate::base::Arena::new(),
            versions: SideMap::new(),
            random,
        };
        for input in &old.inputs {
            let value = cx.new.add_input_like(input, old.meta(input.value).clone());
            cx.add_base(input.value, value);
        }
        for constant in &old.constants {
            let meta = old.meta(constant.value).clone();
            let value = cx.new.add_constant_like(constant, meta);
            cx.add_base(constant.value, value);
        }
        cx
    }

    fn add_base(&mut self, old: Value, new: Value) {
        self.states.insert(old, State { root: old, view: None, current: new, version: 0 });
        self.versions.insert(old, 0);
        self.keep_name(old, new);
    }
    fn keep_name(&mut self, old: Value, new: Value) {
        if let Some(name) = &self.old.values[old].name
            && self.new.values[new].name.is_none()
        {
            self.new.values[new].name = Some(name.clone());
        }
    }
    /// The value whose state stands for this one.
    fn resolve(&self, value: Value) -> Value {
        self.same_as.get(value).copied().unwrap_or(value)
    }
    fn error(&self, status: Status, op: OpId, message: impl Into<String>) -> MetaError {
        MetaError::new(status, op.name(), message)
    }
    fn builder(&mut self) -> Builder<'_> {
        Builder::new(&mut self.new)
    }

    /// The arguments of an old node, in the new graph, as they are now.
    fn args(&mut self, args: &[Arg]) -> Result<Vec<Arg>, MetaError> {
        let mut args = args.to_vec();
        for arg in &mut args {
            if let Arg::Graph(subgraph) = arg {
                *subgraph = self.shared.map(subgraph, &mut functionalize_with)?;
            }
            for value in arg.values().collect::<Vec<_>>() {
                self.read(value)?;
            }
            arg.map_values(&mut |v| self.states[self.resolve(v)].current);
        }
        Ok(args)
    }

    fn node(&mut self, id: NodeId) -> Result<(), MetaError> {
        let node = &self.old.nodes[id];
        if random::draws(self.old, node) {
            return self.draw(node);
        }
        if node.op == OpId::RandomNext {
            // It was seen at the start, and another one ends the graph.
            return Ok(());
        }
        if node.form == Form::InPlace {
            return self.in_place(id);
        }
        if norms::updates_statistics(node) {
            return self.norm(id);
        }
        if let Some(identity) = views::aliases(self.old, node) {
            return self.view(id, identity);
        }
        if views::shows_list(node) {
            return self.views_of_list(id);
        }
        self.hand_over_state(node)?;
        let args = self.args(&node.args)?;
        if control::writes(&args) {
            return self.steered(id, args);
        }
        let metas = node.outputs.iter().map(|v| self.old.meta(*v).clone()).collect();
        let made = self.new.add_node(node.op, Form::Functional, args, metas);
        let results = self.new.nodes[made].outputs.clone();
        for (old, new) in node.outputs.iter().zip(results) {
            self.add_base(*old, new);
        }
        Ok(())
    }

    fn in_place(&mut self, id: NodeId) -> Result<(), MetaError> {
        let node = &self.old.nodes[id];
        if let Some(call) = node.host_call() {
            return self.host_call(node, call);
        }
        let Some(Arg::Value(target)) = node.args.first() else {
            return Err(self.error(
                Status::Unsupported,
                node.op,
                "an in-place call without a tensor to write to",
            ));
        };
        let target = self.resolve(*target);
        let args = self.args(&node.args)?;
        let result = self.builder().call(node.op, Form::Functional, args)?[0];
        self.write_in_place(node, target, result)
    }

    /// What an in-place call leaves in its target, and gives.
    fn write_in_place(&mut self, node: &Node, target: Value, mut result: Value) -> Result<(), MetaError> {
        let want = self.old.meta(target).dtype;
        let found = self.new.meta(result).dtype;
        if found != want {
            // Builders have refused what PyTorch refuses; what is left is narrowing within a kind or to a higher one.
            if found.category() > want.category() {
                let message = format!("the result is {found}, which can't be cast to {want} in place");
                return Err(self.error(Status::Dtype, node.op, message));
            }
            let named = vec![("dtype", Arg::Dtype(want))];
            result = self.builder().op_with("aten._to_copy.default", vec![Arg::Value(result)], named)?;
        }
        self.mutate(node.op, target, result)?;
        for output in &node.outputs {
            self.same_as.insert(*output, target);
            self.keep_name(*output, result);
        }
        Ok(())
    }

    fn view(&mut self, id: NodeId, identity: bool) -> Result<(), MetaError> {
        let node = &self.old.nodes[id];
        let Some(Arg::Value(parent)) = node.args.first() else {
            return Err(self.error(Status::Internal, node.op, "a view of nothing"));
        };
        let mut parent = self.resolve(*parent);
        let mut args = self.args(&node.args)?;
        if node.op == OpId::AsStrided {
            // It looks at the storage, not at what its argument shows of it.
            if args[3] == Arg::None {
                args[3] = Arg::Int(self.old.meta(parent).offset);
            }
            parent = self.storage(parent);
            self.read(parent)?;
        }
        let root = self.states[parent].root;
        args[0] = Arg::Value(views::operand(self, node.op, parent)?);
        let results = node.outputs.clone();
        let origins = self.new.making.clone();
        let view =
            self.views.push(View { op: node.op, args, parent, results, identity, of_list: None, origins });
        let metas = node.outputs.iter().map(|v| self.old.meta(*v).clone()).collect();
        let made = self.emit_view(view, metas)?;
        let version = self.versions[root];
        for (k, (old, new)) in node.outputs.iter().zip(made).enumerate() {
            self.states.insert(*old, State { root, view: Some((view, k)), current: new, version });
            self.keep_name(*old, new);
        }
        Ok(())
    }

    /// Views of several tensors by one operator, each of one of them.
    fn views_of_list(&mut self, id: NodeId) -> Result<(), MetaError> {
        let node = &self.old.nodes[id];
        let Some(Arg::Values(list)) = node.args.first() else {
            return Err(self.error(Status::Internal, node.op, "views of nothing"));
        };
        let args = self.args(&node.args)?;
        let metas = node.outputs.iter().map(|v| self.old.meta(*v).clone()).collect();
        let made = self.new.add_node(node.op, Form::Functional, args.clone(), metas);
        let made = self.new.nodes[made].outputs.clone();
        let parents: Vec<Value> = list.iter().flatten().map(|v| self.resolve(*v)).collect();
        for (k, (parent, (old, new))) in parents.into_iter().zip(node.outputs.iter().zip(made)).enumerate() {
            let (own, shown) = (self.old.meta(parent), self.old.meta(*old));
            let identity = own.shape == shown.shape;
            let (args, results, origins) = (args.clone(), vec![*old], self.new.making.clone());
            let of_list = Some(k);
            let view =
                self.views.push(View { op: node.op, args, parent, results, identity, of_list, origins });
            let root = self.states[parent].root;
            let version = self.versions[root];
            self.states.insert(*old, State { root, view: Some((view, 0)), current: new, version });
            self.keep_name(*old, new);
        }
        Ok(())
    }

    /// What shows the storage of a value in the dtype of the value: its root, or the last view that shows it otherwise.
    fn storage(&self, value: Value) -> Value {
        let mut at = value;
        while let Some((view, _)) = self.states[at].view
            && !views::shows_otherwise(self.old, self.views[view].op, self.views[view].results[0])
        {
            at = self.views[view].parent;
        }
        at
    }

    fn emit_view(&mut self, view: ViewId, metas: Vec<TensorMeta>) -> Result<Vec<Value>, MetaError> {
        let view = &self.views[view];
        let (op, args, of_list) = (view.op, view.args.clone(), view.of_list);
        if let Some(place) = of_list {
            return Ok(vec![self.builder().call(op, Form::Functional, args)?[place]]);
        }
        let made = self.new.add_node(op, Form::Functional, args, metas);
        self.new.nodes[made].origins = view.origins.clone();
        Ok(self.new.nodes[made].outputs.clone())
    }

    /// Makes sure that a value's `current` shows the present contents of its storage, and gives it.
    fn read(&mut self, value: Value) -> Result<Value, MetaError> {
        let value = self.resolve(value);
        let version = self.versions[self.states[value].root];
        let mut stale = Vec::new();
        let mut at = value;
        while self.states[at].version != version
            && let Some((view, _)) = self.states[at].view
        {
            stale.push(view);
            at = self.views[view].parent;
        }
        while let Some(view) = stale.pop() {
            let (op, parent) = (self.views[view].op, self.views[view].parent);
            let operand = views::operand(self, op, parent)?;
            match (self.views[view].of_list, &mut self.views[view].args[0]) {
                (Some(place), Arg::Values(list)) => list[place] = Some(operand),
                (_, own) => *own = Arg::Value(operand),
            }
            let results = self.views[view].results.clone();
            let metas = results.iter().map(|v| self.old.meta(*v).clone()).collect();
            for (old, new) in results.into_iter().zip(self.emit_view(view, metas)?) {
                if let Some(state) = self.states.get_mut(old) {
                    (state.current, state.version) = (new, version);
                }
            }
        }
        Ok(self.states[value].current)
    }

    /// Replaces the contents of an old value by a new value, in its storage and thereby in all that shares it.
    fn mutate(&mut self, op: OpId, target: Value, new: Value) -> Result<(), MetaError> {
        let meta = self.old.meta(target);
        let syms = &self.old.syms;
        let repeated = (0..meta.rank())
            .any(|k| syms.as_const(meta.strides[k]) == Some(0) && syms.range(meta.shape[k]).max > 1);
        if repeated {
            let message = "more than one element of the tensor that is written to lies at one place of memory; \
                 clone() it first";
            return Err(self.error(Status::InvalidArgument, op, message));
        }
        let (mut at, mut contents) = (target, new);
        let mut changed = vec![(at, contents)];
        while let Some((view, result)) = self.states[at].view {
            let parent = self.views[view].parent;
            self.read(parent)?;
            contents = views::write_through(self, view, result, contents)?;
            at = parent;
            changed.push((at, contents));
        }
        let version = self.versions[at] + 1;
        self.versions.insert(at, version);
        for (value, contents) in changed {
            if let Some(state) = self.states.get_mut(value) {
                (state.current, state.version) = (contents, version);
            }
        }
        Ok(())
    }

    fn finish(mut self, memory: Memory) -> Result<Graph, MetaError> {
        let old = self.old;
        for output in &old.outputs {
            let value = match output.value {
                OutputValue::Tensor(v) => OutputValue::Tensor(self.read(v)?),
                number => number,
            };
            self.new.add_output(&output.name, value);
        }
        results::note(&mut self, memory)?;
        let explicit: Vec<Definition> = old.writes.iter().map(|w| w.target).collect();
        let inputs = old.inputs.iter().enumerate().map(|(k, i)| (Definition::Input(k), i.value));
        let constants = old.constants.iter().enumerate().map(|(k, c)| (Definition::Constant(k), c.value));
        for (target, value) in inputs.chain(constants) {
            if self.versions[value] > 0 && !explicit.contains(&target) {
                let value = self.states[value].current;
                self.new.writes.push(Write { target, value });
            }
        }
        for write in &old.writes {
            let value = self.read(write.value)?;
            self.new.writes.push(Write { target: write.target, value });
        }
        Ok(self.new)
    }
}
