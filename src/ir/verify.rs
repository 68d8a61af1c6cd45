//! What a graph must be; see the invariants of the parent module.

use super::{Arg, Definition, Graph, NodeId, OutputValue, Value, each_graph};
use crate::base::{HashSet, Status};
use crate::ops::{ArgBase, ArgType, Form};

/// A graph that is not what it must be. This is a mistake in Litz, or in whoever built the graph by hand.
#[derive(Clone, Debug, thiserror::Error)]
pub enum VerifyError {
    #[error("node {node} ({op}) uses {value} before it is made")]
    UseBeforeDefinition { node: NodeId, op: &'static str, value: Value },
    #[error("node {node} ({op}): argument {index} (`{name}`) is {found}, which the schema does not allow")]
    Argument { node: NodeId, op: &'static str, index: usize, name: String, found: &'static str },
    #[error("node {node} ({op}) has {found} arguments where the schema has {expected}")]
    ArgumentCount { node: NodeId, op: &'static str, found: usize, expected: usize },
    #[error("{value} has no inferred shape")]
    NoMeta { value: Value },
    #[error("the name `{0}` is given twice among inputs and constants")]
    DuplicateName(String),
    #[error("output `{name}` names {value}, which nothing makes")]
    Output { name: String, value: Value },
    #[error("the input `{0}` may be overwritten, but it is a number, or belongs to a graph that a node runs")]
    Spent(String),
    #[error("node {node} ({op}) mutates its input after functionalization")]
    Mutation { node: NodeId, op: &'static str },
}

impl VerifyError {
    pub fn status(&self) -> Status {
        Status::Internal
    }
}

/// Checks the graph and its subgraphs against the parent module's invariants; `functional`: that no node mutates, too.
pub fn verify(graph: &Graph, functional: bool) -> Result<(), VerifyError> {
    verify_one(graph, functional)?;
    if let Some(input) = graph.inputs.iter().find(|i| i.spent && i.symbol.is_some()) {
        return Err(VerifyError::Spent(input.name.clone()));
    }
    for (inner, _) in each_graph(graph) {
        verify_one(inner, functional)?;
        if let Some(input) = inner.inputs.iter().find(|i| i.spent) {
            return Err(VerifyError::Spent(input.name.clone()));
        }
    }
    Ok(())
}

fn verify_one(graph: &Graph, functional: bool) -> Result<(), VerifyError> {
    let mut made: HashSet<Value> = HashSet::default();
    let mut names = HashSet::default();
    let given = graph.inputs.iter().map(|i| (&i.name, i.value));
    let views = graph.constants.iter().flat_map(|c| c.views.iter().map(|v| (&v.name, c.value)));
    for (name, value) in given.chain(graph.constants.iter().map(|c| (&c.name, c.value))).chain(views) {
        if !names.insert(name.clone()) {
            return Err(VerifyError::DuplicateName(name.clone()));
        }
        graph.metas.get(value).ok_or(VerifyError::NoMeta { value })?;
        made.insert(value);
    }
    for id in &graph.order {
        let (node, op) = (&graph.nodes[*id], graph.nodes[*id].name());
        if functional && node.form == Form::InPlace {
            return Err(VerifyError::Mutation { node: *id, op });
        }
        if let Some(value) = node.uses().find(|v| !made.contains(v)) {
            return Err(VerifyError::UseBeforeDefinition { node: *id, op, value });
        }
        let schema = node.op.schema();
        if schema.args.len() != node.args.len() {
            let (found, expected) = (node.args.len(), schema.args.len());
            return Err(VerifyError::ArgumentCount { node: *id, op, found, expected });
        }
        for (index, (arg, want)) in node.args.iter().zip(&schema.args).enumerate() {
            if !fits(arg, &want.ty) {
                let (name, found) = (want.name.clone(), arg.kind());
                return Err(VerifyError::Argument { node: *id, op, index, name, found });
            }
        }
        for subgraph in node.subgraphs() {
            if functional && !subgraph.writes.is_empty() {
                return Err(VerifyError::Mutation { node: *id, op });
            }
        }
        for value in &node.outputs {
            graph.metas.get(*value).ok_or(VerifyError::NoMeta { value: *value })?;
            made.insert(*value);
        }
    }
    let outputs = graph.outputs.iter().filter_map(|o| match o.value {
        OutputValue::Tensor(v) => Some((o.name.clone(), v)),
        OutputValue::Number(_) => None,
    });
    let writes = graph.writes.iter().map(|w| (write_name(graph, w.target), w.value));
    for (name, value) in outputs.chain(writes) {
        if !made.contains(&value) {
            return Err(VerifyError::Output { name, value });
        }
    }
    Ok(())
}

fn write_name(graph: &Graph, target: Definition) -> String {
    match target {
        Definition::Input(k) => graph.inputs[k].name.clone(),
        Definition::Constant(k) => graph.constants[k].name.clone(),
        Definition::Node { node, .. } => format!("{node}"),
    }
}

/// True when an argument is one of its schema type's forms.
pub fn fits(arg: &Arg, ty: &ArgType) -> bool {
    use ArgBase as B;
    match (arg, ty.list, ty.base) {
        (Arg::None, _, base) => ty.optional || base == B::Generator,
        (Arg::Value(_), false, B::Tensor) => true,
        // A number may stand where a tensor is needed, as in PyTorch; it ranks below tensors when dtypes promote. It is no
        // optional tensor: rules would take it for one that is left out.
        (
            Arg::Int(_) | Arg::Float(_) | Arg::SymFloat(_) | Arg::Complex(_) | Arg::Bool(_),
            false,
            B::Tensor,
        ) => !ty.optional,
        (Arg::Values(list), true, B::Tensor) => ty.element_optional || list.iter().all(Option::is_some),
        (Arg::Int(_), false, B::Int | B::Scalar) => true,
        (Arg::Ints(_), true, B::Int | B::Scalar) => true,
        (Arg::Float(_) | Arg::SymFloat(_), false, B::Float | B::Scalar) => true,
        (Arg::Floats(_), true, B::Float | B::Scalar) => true,
        (Arg::Complex(_), false, B::Scalar) => true,
        (Arg::Bool(_), false, B::Bool | B::Scalar) => true,
        (Arg::Bools(_), true, B::Bool) => true,
        (Arg::Str(_), false, B::Str) => true,
        (Arg::Dtype(_), false, B::Dtype) => true,
        (Arg::Layout(_), false, B::Layout) => true,
        (Arg::Device(_), false, B::Device) => true,
        (Arg::MemoryFormat(_), false, B::MemoryFormat) => true,
        (Arg::Graph(_), false, B::Graph) => true,
        (Arg::Graphs(_), true, B::Graph) => true,
        (Arg::Call(call), false, B::Call) => {
            let args = &call.operator.schema.args;
            args.len() == call.args.len() && call.args.iter().zip(args).all(|(arg, want)| fits(arg, &want.ty))
        }
        _ => false,
    }
}
