//! The random state as an operand of branches and bodies that draw: a 0-d int64 tensor, the last one that they are given,
//! which they write to.

use super::{STATE, draws, refused};
use crate::base::HashMap;
use crate::ir::{Arg, Graph, Node, Shared, Value};
use crate::meta::{Builder, MetaError};
use crate::ops::OpId;
use crate::types::{Dtype, TensorMeta};
use std::borrow::Cow;

/// Which graphs draw, or run one that does; each is looked at once.
#[derive(Default)]
struct Drawing(HashMap<*const Graph, bool>);

impl Drawing {
    fn within(&mut self, graph: &Graph) -> bool {
        if let Some(known) = self.0.get(&std::ptr::from_ref(graph)) {
            return *known;
        }
        let draws = graph
            .order
            .iter()
            .map(|id| &graph.nodes[*id])
            .any(|node| draws(graph, node) || self.in_graphs(node));
        self.0.insert(graph, draws);
        draws
    }
    fn in_graphs(&mut self, node: &Node) -> bool {
        node.subgraphs().any(|graph| self.within(graph))
    }
}

/// The list of operands that a node hands to its graphs last.
fn operands(op: OpId) -> Option<usize> {
    match op {
        OpId::Cond => op.schema().arg("operands"),
        OpId::WhileLoop => op.schema().arg("additional"),
        _ => None,
    }
}

/// Whether a node hands the state to its graphs.
pub(super) fn takes(node: &Node, state: Value) -> bool {
    let list = operands(node.op).map(|place| &node.args[place]);
    matches!(list, Some(Arg::Values(list)) if list.last() == Some(&Some(state)))
}

/// The graph with the state among the operands of nodes whose graphs draw, and the tensor that is the state; the same graph where
/// no node's do.
pub(in crate::functionalize) fn thread(graph: &Graph) -> Result<(Cow<'_, Graph>, Option<Value>), MetaError> {
    let mut drawing = Drawing::default();
    if !graph.order.iter().any(|id| drawing.in_graphs(&graph.nodes[*id])) {
        return Ok((Cow::Borrowed(graph), None));
    }
    let mut new = graph.clone();
    // It holds nothing yet: functionalization writes to it before each node that takes it.
    let first = new.order.iter().next().copied();
    let zero = new.syms.constant(0);
    let state = Builder::new(&mut new).op_with(
        "aten.scalar_tensor.default",
        vec![Arg::Int(zero)],
        vec![("dtype", Arg::Dtype(Dtype::Int64))],
    )?;
    new.values[state].name = Some(STATE.to_string());
    if let (Some(first), crate::ir::Definition::Node { node, .. }) = (first, new.values[state].definition) {
        new.order.remove(node);
        new.order.insert_before(node, first);
    }
    hand_on(&mut new, state, &mut drawing, &mut Shared::default())?;
    Ok((Cow::Owned(new), Some(state)))
}

/// Gives the state to the graphs of all nodes that draw in them.
fn hand_on(
    graph: &mut Graph,
    state: Value,
    drawing: &mut Drawing,
    shared: &mut Shared,
) -> Result<(), MetaError> {
    for id in graph.order.clone() {
        let node = &graph.nodes[id];
        if !drawing.in_graphs(node) {
            continue;
        }
        let op = node.op;
        let Some(place) = operands(op) else {
            return Err(refused(op, "a graph that it runs draws random numbers"));
        };
        if op == OpId::WhileLoop && matches!(node.arg("cond_fn"), Some(Arg::Graph(g)) if drawing.within(&g.0))
        {
            return Err(refused(op, "the loop's condition draws random numbers; draw them in its body"));
        }
        let mut args = node.args.clone();
        for arg in &mut args {
            if let Arg::Graph(inner) = arg {
                *inner = shared.map(inner, &mut |shared, inner| taking_state(inner, drawing, shared))?;
            }
        }
        if let Arg::Values(list) = &mut args[place] {
            list.push(Some(state));
        }
        graph.nodes[id].args = args;
    }
    Ok(())
}

/// The graph with one more input, the state, whether it draws or not.
fn taking_state(graph: &Graph, drawing: &mut Drawing, shared: &mut Shared) -> Result<Graph, MetaError> {
    let mut new = graph.clone();
    let meta = TensorMeta::contiguous(&new.syms, Dtype::Int64, Vec::new());
    let state = new.add_input(STATE, meta);
    hand_on(&mut new, state, drawing, shared)?;
    Ok(new)
}
