//! Loops that nothing bounds: another loop counts their turns first.
//!
//! A first loop carries only what the condition depends on, and counts its turns. The count becomes a symbol: the stacks' size.
//! The second loop carries a counter as well, and its condition is `counter < symbol`: it is bounded, and can be differentiated again.
//!
//! Deliberately absent: counting without computing, where the condition depends on all that is carried.

use super::turns::Turns;
use super::{Derivative, DerivativeError};
use crate::base::SideMap;
use crate::ir::{Arg, Graph, Input, NodeId, OutputValue, Subgraph, Value, ValueData};
use crate::meta::Builder;
use crate::types::{Dtype, Range, TensorMeta};
use std::sync::Arc;

type Found<T> = Result<T, DerivativeError>;

/// A loop with a counter as its last carried value.
pub(super) struct Counted {
    pub condition: Arc<Graph>,
    pub body: Arc<Graph>,
    /// The first number of the counter.
    pub zero: Value,
    pub turns: Turns,
}

/// Adds the counting loop before the node, and gives the node's loop a counter. Graphs and operands are the node's.
pub(super) fn count(
    d: &mut Derivative<'_>,
    node: NodeId,
    [condition, body]: [&Arc<Graph>; 2],
    [carried, additional]: [&[Value]; 2],
) -> Found<Counted> {
    let syms = d.graph.syms.clone();
    let number = TensorMeta::contiguous(&syms, Dtype::Int64, Vec::new());
    let n = carried.len();
    let made = d.graph.order.iter().count();
    let zero = d.zeros(&[], Dtype::Int64)?;

    let kept = depended_on(condition, body, n);
    let mut goes_on = part(condition, &[0], &kept, n);
    let mut turn = part(body, &kept, &kept, n);
    let places: Vec<usize> = std::iter::once(turn.inputs.len()).chain(0..turn.inputs.len()).collect();
    for graph in [&mut goes_on, &mut turn] {
        graph.add_input(COUNTER, number.clone());
        graph.take_inputs(&places);
    }
    next(&mut turn, 0)?;
    turn.outputs.rotate_right(1);
    let first = std::iter::once(zero).chain(kept.iter().map(|k| carried[*k]));
    let args = vec![wrap(goes_on), wrap(turn), list(first), list(additional.iter().copied())];
    let counted = Builder::new(d.graph).call_named("higher_order.while_loop", args, Vec::new())?;
    let mut builder = Builder::new(d.graph);
    let most = builder.data_symbol(Range::size());
    builder.read_number(counted[0], most)?;
    let before: Vec<NodeId> = d.graph.order.iter().skip(made).copied().collect();
    for id in before {
        d.graph.order.remove(id);
        d.graph.order.insert_before(id, node);
    }

    let mut body = (**body).clone();
    let all = body.inputs.len();
    let places: Vec<usize> = (0..n).chain([all]).chain(n..all).collect();
    body.add_input(COUNTER, number.clone());
    body.take_inputs(&places);
    next(&mut body, n)?;
    let mut condition = d.graph.new_subgraph("is below the number of turns");
    condition.symbols.clone_from(&body.symbols);
    for input in &body.inputs {
        condition.add_input(&input.name, body.meta(input.value).clone());
    }
    let args = vec![Arg::Value(condition.inputs[n].value), Arg::Int(most)];
    let more = Builder::new(&mut condition).op("aten.lt.Scalar", args)?;
    condition.add_output("goes on", OutputValue::Tensor(more));
    d.graph.add_results(node, vec![number]);
    let (condition, body) = (Arc::new(condition), Arc::new(body));
    let args = &mut d.graph.nodes[node].args;
    args[0] = Arg::Graph(Subgraph(condition.clone()));
    args[1] = Arg::Graph(Subgraph(body.clone()));
    if let Arg::Values(list) = &mut args[2] {
        list.push(Some(zero));
    }
    let turns = Turns { counter: n, first: syms.constant(0), step: 1, most, exact: true };
    Ok(Counted { condition, body, zero, turns })
}

const COUNTER: &str = "number of the turn";

/// Adds the next number of an input that counts as a result.
fn next(graph: &mut Graph, input: usize) -> Found<()> {
    let args = vec![Arg::Value(graph.inputs[input].value), Arg::Int(graph.syms.constant(1))];
    let next = Builder::new(graph).op("aten.add.Scalar", args)?;
    graph.add_output(COUNTER, OutputValue::Tensor(next));
    Ok(())
}

/// The carried values that the condition depends on, after any number of turns.
fn depended_on(condition: &Graph, body: &Graph, n: usize) -> Vec<usize> {
    let mut kept: Vec<usize> = read(condition, &[0]).into_iter().filter(|k| *k < n).collect();
    loop {
        let more = read(body, &kept).into_iter().filter(|k| *k < n);
        let all: Vec<usize> = (0..n).filter(|k| kept.contains(k) || more.clone().any(|m| m == *k)).collect();
        if all.len() == kept.len() {
            return kept;
        }
        kept = all;
    }
}

fn results(graph: &Graph, places: &[usize]) -> Vec<Value> {
    let tensor = |k: &usize| match graph.outputs[*k].value {
        OutputValue::Tensor(value) => Some(value),
        OutputValue::Number(_) => None,
    };
    places.iter().filter_map(tensor).collect()
}

/// The inputs that results are made of.
fn read(graph: &Graph, places: &[usize]) -> Vec<usize> {
    let mut found: SideMap<ValueData, ()> = SideMap::new();
    for value in results(graph, places) {
        found.insert(value, ());
    }
    let nodes: Vec<NodeId> = graph.order.iter().copied().collect();
    for node in nodes.into_iter().rev().map(|id| &graph.nodes[id]) {
        if node.outputs.iter().any(|v| found.contains(*v)) {
            for value in node.uses() {
                found.insert(value, ());
            }
        }
    }
    let is_read = |(k, input): (usize, &Input)| found.contains(input.value).then_some(k);
    graph.inputs.iter().enumerate().filter_map(is_read).collect()
}

/// The part of a loop's graph that gives these results, of these carried values and the other operands.
fn part(graph: &Graph, places: &[usize], kept: &[usize], n: usize) -> Graph {
    let mut part = graph.clone();
    part.outputs = places.iter().map(|k| graph.outputs[*k].clone()).collect();
    part.remove_unused(None, results(graph, places), |_| false);
    let inputs: Vec<usize> = kept.iter().copied().chain(n..graph.inputs.len()).collect();
    part.take_inputs(&inputs);
    part
}

fn wrap(graph: Graph) -> Arg {
    Arg::Graph(Subgraph(Arc::new(graph)))
}

fn list(values: impl Iterator<Item = Value>) -> Arg {
    Arg::Values(values.map(Some).collect())
}
