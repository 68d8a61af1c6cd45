//! Editing a graph that stands: replacing values, erasing nodes, moving what was built to where it belongs; and [`lint`],
//! which says whether a graph that somebody edited holds together.
//!
//! Invariants: an edit that fails leaves the graph as it was; after every edit a value is made before it is used, and has
//! the dtype and sizes that its operator gives.
//!
//! Deliberately absent: removing nodes that nothing uses any more (see `passes`).

use super::{MetaError, infer_form};
use crate::base::{HashSet, Status};
use crate::ir::{
    Arg, Definition, Graph, Node, NodeId, OutputValue, Uses, Value, VerifyError, Write, each_graph, verify,
};
use crate::ops::OpId;
use crate::types::{SymArena, SymbolId, TensorMeta};
use std::collections::BTreeSet;

/// An edit that is not possible, or a graph that does not hold together.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct EditError {
    pub status: Status,
    pub message: String,
}

impl EditError {
    pub fn status(&self) -> Status {
        self.status
    }
    fn invalid(message: impl Into<String>) -> EditError {
        EditError { status: Status::InvalidArgument, message: message.into() }
    }
}

impl From<MetaError> for EditError {
    fn from(error: MetaError) -> EditError {
        EditError { status: error.status, message: error.to_string() }
    }
}

impl From<VerifyError> for EditError {
    fn from(error: VerifyError) -> EditError {
        // Whoever edited the graph is at fault.
        EditError::invalid(error.to_string())
    }
}

/// How messages name a node.
pub fn node_text(graph: &Graph, id: NodeId) -> String {
    let node = &graph.nodes[id];
    match node.outputs.first() {
        Some(value) => graph.describe_value(*value),
        None => format!("node {id} ({})", node.name()),
    }
}

/// Where a graph ended before nodes were built.
#[derive(Clone, Copy)]
pub struct End {
    last: Option<NodeId>,
    guards: usize,
}

impl End {
    pub fn of(graph: &Graph) -> End {
        End { last: graph.order.last(), guards: graph.guards.len() }
    }
    /// Removes what was built since: nothing before it uses that.
    pub fn take_back(self, graph: &mut Graph) {
        graph.order.truncate_after(self.last);
        graph.guards.truncate(self.guards);
    }
}

/// Moves the nodes that were built since to stand in front of another one. Where they use what is made behind that place,
/// they and their guards are dropped.
pub fn move_before(graph: &mut Graph, end: End, before: NodeId) -> Result<(), EditError> {
    if !graph.order.contains(before) {
        return Err(EditError::invalid("the node to insert before is not in the graph"));
    }
    let built: Vec<NodeId> = graph.order.iter_after(end.last).collect();
    let is_late = |v: &Value| match graph.values[*v].definition {
        Definition::Node { node, .. } => {
            end.last.is_some_and(|last| !graph.order.precedes(last, node))
                && !graph.order.precedes(node, before)
        }
        _ => false,
    };
    let late = built.iter().find_map(|id| {
        let value = graph.nodes[*id].uses().find(is_late)?;
        Some((graph.nodes[*id].name(), graph.describe_value(value)))
    });
    if let Some((op, value)) = late {
        graph.order.truncate_after(end.last);
        graph.guards.truncate(end.guards);
        let behind = node_text(graph, before);
        return Err(EditError::invalid(format!(
            "{op} uses {value}, which is made behind the place of insertion, in front of {behind}"
        )));
    }
    for id in built {
        graph.order.remove(id);
        graph.order.insert_before(id, before);
    }
    Ok(())
}

/// Takes a node out whose results nothing uses.
pub fn erase(graph: &mut Graph, uses: &mut Uses, id: NodeId) -> Result<(), EditError> {
    let node = &graph.nodes[id];
    if !graph.order.contains(id) {
        return Err(EditError::invalid("the node is not in the graph"));
    }
    let text = node_text(graph, id);
    for value in &node.outputs {
        let used = |by: String| Err(EditError::invalid(format!("{text} cannot be erased: {by} uses it")));
        if let Some(user) = uses.of(graph, *value).first() {
            return used(node_text(graph, *user));
        }
        if let Some(output) = graph.outputs.iter().find(|o| o.value == OutputValue::Tensor(*value)) {
            return used(format!("output \"{}\"", output.name));
        }
        if graph.writes.iter().any(|w| w.value == *value) {
            return used("what is written back".to_string());
        }
    }
    let given = given_symbols(graph, node);
    if let Some(symbol) = given.iter().find(|s| mentions(graph, id, **s)) {
        let name = graph.syms.symbol_name(*symbol);
        return Err(EditError::invalid(format!(
            "{text} cannot be erased: it gives the symbol `{name}`, which others use"
        )));
    }
    graph.order.remove(id);
    Ok(())
}

/// The symbols whose values a node gives.
fn given_symbols(graph: &Graph, node: &Node) -> Vec<SymbolId> {
    let given = match (node.op, node.arg("symbol"), node.arg("sizes")) {
        (OpId::Bind, Some(Arg::Int(symbol)), _) => std::slice::from_ref(symbol),
        (OpId::Cond | OpId::WhileLoop, _, Some(Arg::Ints(sizes))) => &sizes[..],
        _ => &[],
    };
    given.iter().filter_map(|s| graph.syms.as_symbol(*s)).collect()
}

/// Whether anything but one node depends on a symbol.
fn mentions(graph: &Graph, but: NodeId, symbol: SymbolId) -> bool {
    let depends = |s: &crate::types::SymInt| graph.syms.sources(*s).contains(&symbol);
    let in_meta = |m: &TensorMeta| m.shape.iter().chain(&m.strides).any(&depends);
    let in_node = |id: &NodeId| {
        let node = &graph.nodes[*id];
        let in_arg = |arg: &Arg| match arg {
            Arg::Int(s) | Arg::SymFloat(s) => depends(s),
            Arg::Ints(list) => list.iter().any(&depends),
            _ => false,
        };
        node.args.iter().any(in_arg) || node.outputs.iter().any(|v| in_meta(graph.meta(*v)))
    };
    let in_output = |o: &crate::ir::Output| match o.value {
        OutputValue::Number(
            crate::ir::Number::Symbolic(s) | crate::ir::Number::Truth(s) | crate::ir::Number::Float(s),
        ) => depends(&s),
        _ => false,
    };
    graph.order.iter().filter(|id| **id != but).any(in_node)
        || graph.outputs.iter().any(in_output)
        || graph.guards.iter().any(|g| depends(&g.condition))
}

/// What an edit changed, to take it back.
#[derive(Default)]
struct Undo {
    args: Vec<(NodeId, Vec<Arg>)>,
    metas: Vec<(Value, TensorMeta)>,
    guards: usize,
}

impl Undo {
    fn take_back(self, graph: &mut Graph) {
        for (id, args) in self.args.into_iter().rev() {
            graph.nodes[id].args = args;
        }
        for (value, meta) in self.metas.into_iter().rev() {
            graph.metas.insert(value, meta);
        }
        graph.guards.truncate(self.guards);
    }
}

/// Lets `new` stand wherever `old` is used: in nodes, outputs and what is written back. What `new` is computed from keeps
/// `old`. The results behind it are inferred again where the two differ.
pub fn replace(graph: &mut Graph, uses: &mut Uses, old: Value, new: Value) -> Result<(), EditError> {
    if old == new {
        return Ok(());
    }
    let mut users = uses.of(graph, old);
    if let Some(first) = users.first() {
        let sources = sources_from(graph, new, *first);
        users.retain(|id| !sources.contains(id));
    }
    let made = match graph.values[new].definition {
        Definition::Node { node, .. } => Some(node),
        _ => None,
    };
    if let Some(early) = users.iter().find(|id| made.is_some_and(|m| graph.order.precedes(**id, m))) {
        return Err(EditError::invalid(format!(
            "{} cannot be replaced by {}: {}, which uses it, stands before that is made",
            graph.describe_value(old),
            graph.describe_value(new),
            node_text(graph, *early)
        )));
    }
    let mut undo = Undo { guards: graph.guards.len(), ..Undo::default() };
    let result = rebuild(graph, uses, old, new, &users, &mut undo);
    if let Err(error) = result {
        let (old, new) = (graph.describe_value(old), graph.describe_value(new));
        undo.take_back(graph);
        let message = format!("{old} cannot be replaced by {new}: {}", error.message);
        return Err(EditError { message, ..error });
    }
    uses.replace(old, new, &users);
    for output in graph.outputs.iter_mut().filter(|o| o.value == OutputValue::Tensor(old)) {
        output.value = OutputValue::Tensor(new);
    }
    graph.writes.iter_mut().filter(|w| w.value == old).for_each(|w| w.value = new);
    Ok(())
}

fn rebuild(
    graph: &mut Graph,
    uses: &mut Uses,
    old: Value,
    new: Value,
    users: &[NodeId],
    undo: &mut Undo,
) -> Result<(), EditError> {
    for write in graph.writes.iter().filter(|w| w.value == old) {
        check_write(graph, &Write { value: new, ..*write })?;
    }
    for id in users {
        let mut args = graph.nodes[*id].args.clone();
        args.iter_mut().for_each(|a| a.map_values(&mut |v| if v == old { new } else { v }));
        undo.args.push((*id, std::mem::replace(&mut graph.nodes[*id].args, args)));
    }
    if graph.meta(old) == graph.meta(new) {
        return Ok(());
    }
    // Values whose type is no longer what users were inferred with.
    let mut changed: HashSet<Value> = HashSet::default();
    let place = |graph: &Graph, id: NodeId| (graph.order.label(id), id);
    // Item by item: `collect` would instantiate the standard library's sort.
    let mut due = BTreeSet::new();
    due.extend(users.iter().map(|id| place(graph, *id)));
    while let Some((_, id)) = due.pop_first() {
        let node = &graph.nodes[id];
        let (results, guards) = infer_form(graph, node.op, node.form, &node.args)?;
        let outputs = node.outputs.clone();
        if results.len() != outputs.len() {
            let message = format!("{} would have {} results", node_text(graph, id), results.len());
            return Err(EditError::invalid(message));
        }
        for guard in guards {
            if !graph.guards.contains(&guard) {
                graph.guards.push(guard);
            }
        }
        for (value, meta) in outputs.into_iter().zip(results) {
            if *graph.meta(value) != meta {
                if let Some(before) = graph.metas.insert(value, meta) {
                    undo.metas.push((value, before));
                }
                changed.insert(value);
                due.extend(uses.of(graph, value).into_iter().map(|id| place(graph, id)));
            }
        }
    }
    for write in &graph.writes {
        if changed.contains(&write.value) {
            check_write(graph, write)?;
        }
    }
    Ok(())
}

/// The nodes from `first` on that a value is computed from, its own included.
fn sources_from(graph: &Graph, value: Value, first: NodeId) -> HashSet<NodeId> {
    let mut found = HashSet::default();
    let mut needed = vec![value];
    while let Some(value) = needed.pop() {
        if let Definition::Node { node, .. } = graph.values[value].definition
            && !graph.order.precedes(node, first)
            && found.insert(node)
        {
            needed.extend(graph.nodes[node].uses());
        }
    }
    found
}

fn type_text(syms: &SymArena, meta: &TensorMeta) -> String {
    format!("{}{}", meta.dtype, syms.display_list(&meta.shape))
}

/// The same dtype, and sizes that may be equal.
pub fn same_type(syms: &SymArena, a: &TensorMeta, b: &TensorMeta) -> bool {
    let equal = |(a, b)| a == b || syms.decide(syms.eq(a, b)) != Some(false);
    a.dtype == b.dtype
        && a.rank() == b.rank()
        && a.shape.iter().copied().zip(b.shape.iter().copied()).all(equal)
}

fn check_write(graph: &Graph, write: &Write) -> Result<(), EditError> {
    let target = match write.target {
        Definition::Input(k) => graph.inputs[k].value,
        Definition::Constant(k) => graph.constants[k].value,
        Definition::Node { node, index } => graph.nodes[node].outputs[index],
    };
    let (want, have) = (graph.meta(target), graph.meta(write.value));
    if same_type(&graph.syms, want, have) {
        return Ok(());
    }
    Err(EditError::invalid(format!(
        "{} is written back to {}, which is {} and not {}",
        graph.describe_value(write.value),
        graph.describe_value(target),
        type_text(&graph.syms, want),
        type_text(&graph.syms, have)
    )))
}

/// Says what is wrong with a graph, if anything: the invariants of `ir`, and results whose dtype or sizes their operators
/// do not give. Its subgraphs are looked at, too.
pub fn lint(graph: &Graph) -> Result<(), EditError> {
    verify(graph, false)?;
    lint_one(graph)?;
    each_graph(graph).into_iter().try_for_each(|(inner, _)| lint_one(inner))
}

fn lint_one(graph: &Graph) -> Result<(), EditError> {
    for id in &graph.order {
        let node = &graph.nodes[*id];
        let (results, _) = infer_form(graph, node.op, node.form, &node.args)?;
        let text = node_text(graph, *id);
        if results.len() != node.outputs.len() {
            return Err(EditError::invalid(format!("{text} has {} results", node.outputs.len())));
        }
        for (value, given) in node.outputs.iter().zip(&results) {
            let noted = graph.meta(*value);
            if !same_type(&graph.syms, noted, given) {
                let (noted, given) = (type_text(&graph.syms, noted), type_text(&graph.syms, given));
                return Err(EditError::invalid(format!("{text} is noted as {noted}, but gives {given}")));
            }
        }
    }
    graph.writes.iter().try_for_each(|w| check_write(graph, w))
}

/// Says which output is of another type than before a rewrite, where there are as many.
pub fn check_outputs(before: &Graph, after: &Graph) -> Result<(), EditError> {
    if before.outputs.len() != after.outputs.len() {
        let (had, has) = (before.outputs.len(), after.outputs.len());
        return Err(EditError::invalid(format!("the graph had {had} outputs and has {has}")));
    }
    for (old, new) in before.outputs.iter().zip(&after.outputs) {
        let (OutputValue::Tensor(a), OutputValue::Tensor(b)) = (old.value, new.value) else { continue };
        let (a, b) = (before.meta(a), after.meta(b));
        if !same_type(&after.syms, a, b) {
            return Err(EditError::invalid(format!(
                "output \"{}\" was {} and is {}",
                old.name,
                type_text(&after.syms, a),
                type_text(&after.syms, b)
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meta::Builder;
    use crate::types::Dtype;

    /// `y = relu(x) + 1`
    fn sample() -> (Graph, Value, Value, Value) {
        let mut graph = Graph::new("g");
        let meta = TensorMeta::contiguous(&graph.syms, Dtype::Float32, vec![graph.syms.constant(4)]);
        let x = graph.add_input("x", meta);
        let mut b = Builder::new(&mut graph);
        let r = b.op("aten.relu", vec![Arg::Value(x)]).unwrap();
        let y = b.op("aten.add.Scalar", vec![Arg::Value(r), Arg::Float(1.0)]).unwrap();
        graph.add_output("y", OutputValue::Tensor(y));
        (graph, x, r, y)
    }

    fn node_of(graph: &Graph, value: Value) -> NodeId {
        match graph.values[value].definition {
            Definition::Node { node, .. } => node,
            _ => panic!("no node makes {value}"),
        }
    }

    #[test]
    fn a_replacement_reaches_every_use_and_its_own_sources_keep_the_value() {
        let (mut graph, _, r, y) = sample();
        let mut uses = Uses::default();
        let end = End::of(&graph);
        let n = Builder::new(&mut graph).op("aten.neg", vec![Arg::Value(r)]).unwrap();
        // Built at the end, it stands behind the user of what it is to replace.
        assert!(
            replace(&mut graph, &mut uses, r, n).unwrap_err().message.contains("stands before that is made")
        );
        let before = node_of(&graph, y);
        move_before(&mut graph, end, before).unwrap();
        replace(&mut graph, &mut uses, r, n).unwrap();
        assert_eq!(graph.nodes[node_of(&graph, y)].args[0], Arg::Value(n));
        assert_eq!(graph.nodes[node_of(&graph, n)].args[0], Arg::Value(r));
        lint(&graph).unwrap();
        replace(&mut graph, &mut uses, y, n).unwrap();
        assert_eq!(graph.outputs[0].value, OutputValue::Tensor(n));
        erase(&mut graph, &mut uses, before).unwrap();
        assert_eq!(graph.order.len(), 2);
    }

    #[test]
    fn results_behind_a_replacement_are_inferred_again_or_nothing_changes() {
        let (mut graph, x, r, y) = sample();
        let mut uses = Uses::default();
        let meta = TensorMeta::contiguous(&graph.syms, Dtype::Float64, vec![graph.syms.constant(3)]);
        let other = graph.add_input("other", meta);
        replace(&mut graph, &mut uses, r, other).unwrap();
        assert_eq!(graph.meta(y).dtype, Dtype::Float64);
        assert_eq!(graph.syms.as_consts(&graph.meta(y).shape), Some(vec![3]));
        // A node that would not take it: nothing is left of the attempt.
        let z = Builder::new(&mut graph).op("aten.add.Tensor", vec![Arg::Value(r), Arg::Value(x)]).unwrap();
        let before = crate::ir::text::print(&graph);
        let error = replace(&mut graph, &mut uses, r, other).unwrap_err();
        assert_eq!(error.status, Status::Shape);
        assert_eq!(crate::ir::text::print(&graph), before);
        assert_eq!(graph.meta(z).dtype, Dtype::Float32);
    }

    #[test]
    fn what_is_used_is_not_erased_and_what_comes_later_is_not_used() {
        let (mut graph, _, r, y) = sample();
        let mut uses = Uses::default();
        let (first, last) = (node_of(&graph, r), node_of(&graph, y));
        assert!(erase(&mut graph, &mut uses, first).unwrap_err().message.contains("aten.add.Scalar"));
        assert!(erase(&mut graph, &mut uses, last).unwrap_err().message.contains("output \"y\""));
        let end = End::of(&graph);
        Builder::new(&mut graph).op("aten.neg", vec![Arg::Value(y)]).unwrap();
        let error = move_before(&mut graph, end, first).unwrap_err();
        assert!(error.message.contains("behind the place of insertion"), "{error}");
        assert!(graph.order.iter().eq(&[first, last]));
    }

    #[test]
    fn lint_finds_types_that_an_operator_does_not_give() {
        let (mut graph, _, r, _) = sample();
        lint(&graph).unwrap();
        let meta = TensorMeta::contiguous(&graph.syms, Dtype::Float64, vec![graph.syms.constant(4)]);
        graph.metas.insert(r, meta);
        assert!(lint(&graph).unwrap_err().message.contains("noted as float64"));
    }
}
