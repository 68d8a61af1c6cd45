//! A `cond` is lowered once for each path to it. Where both branches of a `cond` end in a `cond` over the same graphs, lowering
//! time would double with each level. This pass takes the inner `cond` out of both branches.
//!
//! ```text
//! cond(p, {before A; r = cond(a, S, T); after A}, {before B; r = cond(b, S, T); after B})
//! ```
//! becomes the nodes before the inner `cond`, the inner `cond` once, and the nodes after it:
//! ```text
//! q, x = cond(p, {before A; a}, {before B; b});  r = cond(q, S, T);  cond(p, {after A}, {after B})
//! ```
//! Where the inner `cond`s share only one of their graphs, the other graph becomes a `cond` on `p`.
//!
//! A branch that is the graph that the other one runs becomes `cond(true, S, zeros)` first, so that both run it.
//!
//! Invariants: it runs from the outside in, before any pass rebuilds the subgraphs. An inner `cond` is taken out only where its
//! graphs hold further `cond`s or loops, so that plain branches stay as they were written.
//!
//! Deliberately absent: graphs that define symbols, which hold for one run only, and branches that reach a shared graph at
//! depths that differ by more. Nodes after an inner `cond` recompute the values that they need from before it.

use super::dead_code;
use super::rewrite::rewrite;
use crate::ir::{Arg, Definition, Graph, Input, NodeId, OutputValue, Shared, Subgraph, Value, gives_symbols};
use crate::meta::{Builder, MetaError};
use crate::ops::{Form, OpId};
use crate::types::TensorMeta;
use rustc_hash::FxHashSet;
use std::sync::Arc;

pub(super) fn run(graph: &mut Graph) -> Result<bool, MetaError> {
    run_with(&mut Shared::default(), graph)
}

fn run_with(shared: &mut Shared, graph: &mut Graph) -> Result<bool, MetaError> {
    let mut changed = rewrite(graph, &mut |graph, id| {
        let Some(call) = Call::of(graph, id) else { return Ok(None) };
        let [yes, no] = &call.graphs;
        if leveled(yes, no)?.is_none() {
            return Ok(None);
        }
        chosen(graph, call.predicate, call.graphs, &call.operands).map(Some)
    })?;
    graph.map_subgraphs(shared, &mut |shared, inner| {
        let mut inner = inner.clone();
        changed |= run_with(shared, &mut inner)?;
        Ok(inner)
    })?;
    Ok(changed)
}

/// A `cond` whose results have the sizes that its branches give.
#[derive(Clone)]
struct Call {
    node: NodeId,
    predicate: Value,
    graphs: [Subgraph; 2],
    operands: Vec<Value>,
}

impl Call {
    fn of(graph: &Graph, node: NodeId) -> Option<Call> {
        let n = &graph.nodes[node];
        let named = |name: &str| n.arg(name);
        match (n.op, named("pred"), named("true_fn"), named("false_fn"), named("operands"), named("sizes")) {
            (
                OpId::Cond,
                Some(Arg::Value(predicate)),
                Some(Arg::Graph(yes)),
                Some(Arg::Graph(no)),
                Some(Arg::Values(operands)),
                Some(Arg::Ints(sizes)),
            ) if sizes.is_empty() => Some(Call {
                node,
                predicate: *predicate,
                graphs: [yes.clone(), no.clone()],
                operands: operands.iter().flatten().copied().collect(),
            }),
            _ => None,
        }
    }

    /// What goes in and comes out.
    fn metas<'g>(&'g self, graph: &'g Graph) -> impl Iterator<Item = &'g TensorMeta> {
        let outputs = &graph.nodes[self.node].outputs;
        [&self.predicate].into_iter().chain(&self.operands).chain(outputs).map(|v| graph.meta(*v))
    }
}

fn holds_control(graph: &Graph) -> bool {
    graph.order.iter().any(|id| graph.nodes[*id].subgraphs().next().is_some())
}

/// Two inner conds, one in each branch, that share a graph in the same place.
struct Meeting {
    calls: [Call; 2],
    /// The second one's predicate is negated for that.
    is_negated: bool,
}

fn meeting(yes: &Graph, no: &Graph, wanted: &Subgraph) -> Option<Meeting> {
    let calls =
        |graph: &Graph| -> Vec<Call> { graph.order.iter().filter_map(|id| Call::of(graph, *id)).collect() };
    let others = calls(no);
    for first in calls(yes) {
        for second in &others {
            let same = |k: usize, j: usize| first.graphs[k] == *wanted && second.graphs[j] == *wanted;
            let (straight, crossed) = (same(0, 0) || same(1, 1), same(0, 1) || same(1, 0));
            if (straight || crossed) && first.metas(yes).eq(second.metas(no)) {
                let mut second = second.clone();
                if !straight {
                    second.graphs.swap(0, 1);
                }
                return Some(Meeting { calls: [first, second], is_negated: !straight });
            }
        }
    }
    None
}

/// Two graphs that meet.
struct Leveled {
    graphs: [Subgraph; 2],
    meeting: Meeting,
}

/// The graph itself and those that it runs, directly or deeper: those that hold further ones.
fn run_by(graph: &Subgraph) -> Vec<Subgraph> {
    let mut found: Vec<Subgraph> = vec![graph.clone()];
    let mut looked_at = 0;
    let mut seen: FxHashSet<*const Graph> = [Arc::as_ptr(&graph.0)].into_iter().collect();
    while let Some(next) = found.get(looked_at).cloned() {
        looked_at += 1;
        for arg in next.0.order.iter().flat_map(|id| &next.0.nodes[*id].args) {
            if let Arg::Graph(inner) = arg
                && seen.insert(Arc::as_ptr(&inner.0))
            {
                found.push(inner.clone());
            }
        }
    }
    found.retain(|graph| holds_control(&graph.0));
    found
}

/// The two graphs, made so that both run in the same place what both reach: the graph that no other such graph reaches.
fn leveled(yes: &Subgraph, no: &Subgraph) -> Result<Option<Leveled>, MetaError> {
    if yes == no || gives_symbols(&yes.0) || gives_symbols(&no.0) {
        return Ok(None);
    }
    let other = run_by(no);
    let mut both = run_by(yes);
    both.retain(|graph| other.contains(graph));
    let mut within: FxHashSet<*const Graph> = FxHashSet::default();
    for graph in &both {
        within.extend(
            run_by(graph).iter().map(|inner| Arc::as_ptr(&inner.0)).filter(|g| *g != Arc::as_ptr(&graph.0)),
        );
    }
    for wanted in both.iter().filter(|graph| !within.contains(&Arc::as_ptr(&graph.0))) {
        let graphs = match [runs(&yes.0, wanted), runs(&no.0, wanted)] {
            [Some(_), Some(_)] => [yes.clone(), no.clone()],
            [Some(call), None] if no == wanted => [yes.clone(), called(no, &call, &yes.0)?],
            [None, Some(call)] if yes == wanted => [called(yes, &call, &no.0)?, no.clone()],
            _ => continue,
        };
        if let Some(meeting) = meeting(&graphs[0].0, &graphs[1].0, wanted) {
            return Ok(Some(Leveled { graphs, meeting }));
        }
    }
    Ok(None)
}

/// A `cond` of the graph that runs another one.
fn runs(graph: &Graph, wanted: &Subgraph) -> Option<Call> {
    graph.order.iter().filter_map(|id| Call::of(graph, *id)).find(|call| call.graphs.contains(wanted))
}

/// Zeros as a tensor of that type.
fn zeros(graph: &mut Graph, meta: &TensorMeta) -> Result<Value, MetaError> {
    let named = vec![("dtype", Arg::Dtype(meta.dtype))];
    Builder::new(graph).op_with("aten.zeros.default", vec![Arg::Ints(meta.shape.clone())], named)
}

/// A graph that takes and gives what another one does: zeros.
fn idle(like: &Graph, results: &[TensorMeta]) -> Result<Subgraph, MetaError> {
    let mut new = like.new_subgraph("idle");
    for input in &like.inputs {
        new.add_input(&input.name, like.meta(input.value).clone());
    }
    for (k, meta) in results.iter().enumerate() {
        let value = zeros(&mut new, meta)?;
        new.add_output(&format!("result{k}"), OutputValue::Tensor(value));
    }
    Ok(Subgraph(Arc::new(new)))
}

fn results_of(call: &Call, of: &Graph) -> Vec<TensorMeta> {
    of.nodes[call.node].outputs.iter().map(|v| of.meta(*v).clone()).collect()
}

/// A graph as one that does nothing but run it, by a `cond` of the predicate's type that a call of it has.
fn called(graph: &Subgraph, call: &Call, of: &Graph) -> Result<Subgraph, MetaError> {
    let mut new = graph.0.new_subgraph(&graph.0.name);
    let operands: Vec<Value> =
        graph.0.inputs.iter().map(|i| new.add_input(&i.name, graph.0.meta(i.value).clone())).collect();
    let predicate = of.meta(call.predicate).clone();
    let named = vec![("dtype", Arg::Dtype(predicate.dtype))];
    let always =
        Builder::new(&mut new).op_with("aten.ones.default", vec![Arg::Ints(predicate.shape)], named)?;
    let other = idle(&graph.0, &results_of(call, of))?;
    let operands = Arg::Values(operands.into_iter().map(Some).collect());
    let graphs = [Arg::Graph(graph.clone()), Arg::Graph(other)];
    let args = [vec![Arg::Value(always)], graphs.to_vec(), vec![operands, Arg::Ints(Vec::new())]].concat();
    let results = Builder::new(&mut new).call(OpId::Cond, Form::Functional, args)?;
    for (output, value) in graph.0.outputs.iter().zip(results) {
        new.add_output(&output.name, OutputValue::Tensor(value));
    }
    Ok(Subgraph(Arc::new(new)))
}

/// The results of one of two graphs.
fn chosen(
    graph: &mut Graph,
    predicate: Value,
    graphs: [Subgraph; 2],
    operands: &[Value],
) -> Result<Vec<Value>, MetaError> {
    if let Some(leveled) = leveled(&graphs[0], &graphs[1])? {
        return met(graph, predicate, leveled, operands);
    }
    let [yes, no] = graphs.map(Arg::Graph);
    let operands = Arg::Values(operands.iter().map(|v| Some(*v)).collect());
    let args = vec![Arg::Value(predicate), yes, no, operands, Arg::Ints(Vec::new())];
    Builder::new(graph).call(OpId::Cond, Form::Functional, args)
}

/// The results of one of two graphs that meet.
fn met(
    graph: &mut Graph,
    predicate: Value,
    leveled: Leveled,
    operands: &[Value],
) -> Result<Vec<Value>, MetaError> {
    let Leveled { graphs, meeting: Meeting { calls: [first, second], is_negated } } = leveled;
    let leading = [before(&graphs[0].0, &first, false)?, before(&graphs[1].0, &second, is_negated)?];
    let mut given = different(graph, predicate, leading, operands)?;
    let inner_predicate = given.remove(0);
    let [yes, no] = [0, 1].map(|k| (first.graphs[k].clone(), second.graphs[k].clone()));
    let inner = if yes.0 == yes.1 && no.0 == no.1 {
        [yes.0, no.0]
    } else {
        given.push(predicate);
        let predicate = graph.meta(predicate).clone();
        [either(yes, &predicate)?, either(no, &predicate)?]
    };
    let results = chosen(graph, inner_predicate, inner, &given)?;
    let following = [after(&graphs[0].0, &first)?, after(&graphs[1].0, &second)?];
    let operands: Vec<Value> = operands.iter().copied().chain(results).collect();
    different(graph, predicate, following, &operands)
}

/// One of two graphs that take the same, on a predicate that stands behind their operands.
fn either(graphs: (Subgraph, Subgraph), predicate: &TensorMeta) -> Result<Subgraph, MetaError> {
    let (Subgraph(yes), Subgraph(no)) = &graphs;
    if graphs.0 == graphs.1 {
        let mut new = Graph::clone(yes);
        let name = free_name(&new, "predicate");
        new.add_input(&name, predicate.clone());
        return Ok(Subgraph(Arc::new(new)));
    }
    let mut new = yes.new_subgraph(&yes.name);
    let operands: Vec<Value> =
        yes.inputs.iter().map(|i| new.add_input(&i.name, yes.meta(i.value).clone())).collect();
    let name = free_name(&new, "predicate");
    let predicate = new.add_input(&name, predicate.clone());
    let graphs = [Subgraph(yes.clone()), Subgraph(no.clone())];
    for (k, value) in chosen(&mut new, predicate, graphs, &operands)?.into_iter().enumerate() {
        new.add_output(&format!("result{k}"), OutputValue::Tensor(value));
    }
    Ok(Subgraph(Arc::new(new)))
}

/// What leads to a call: gives its predicate and operands.
fn before(graph: &Graph, call: &Call, is_negated: bool) -> Result<Graph, MetaError> {
    let mut new = graph.clone();
    let mut behind: FxHashSet<Value> = FxHashSet::default();
    new.order.retain(|id| {
        let node = &graph.nodes[*id];
        let depends = *id == call.node || node.uses().any(|v| behind.contains(&v));
        if depends {
            behind.extend(&node.outputs);
        }
        !depends
    });
    let predicate = match is_negated {
        true => Builder::new(&mut new).op("aten.logical_not.default", vec![Arg::Value(call.predicate)])?,
        false => call.predicate,
    };
    new.outputs.clear();
    for (k, value) in [predicate].iter().chain(&call.operands).enumerate() {
        new.add_output(&format!("operand{k}"), OutputValue::Tensor(*value));
    }
    dead_code::run(&mut new)?;
    Ok(new)
}

/// What follows a call: takes its results behind the graph's own operands.
fn after(graph: &Graph, call: &Call) -> Result<Graph, MetaError> {
    let mut new = graph.clone();
    new.order.retain(|id| *id != call.node);
    for value in &graph.nodes[call.node].outputs {
        let place = new.inputs.len();
        // The value that the nodes use becomes the input.
        let name = free_name(&new, "result");
        new.values[*value].definition = Definition::Input(place);
        new.inputs.push(Input { name, value: *value, symbol: None });
    }
    dead_code::run(&mut new)?;
    Ok(new)
}

/// The results of the graph that the predicate chooses. A result that is the same operand in both graphs is that operand, and
/// needs no `cond`.
fn different(
    graph: &mut Graph,
    predicate: Value,
    mut graphs: [Graph; 2],
    operands: &[Value],
) -> Result<Vec<Value>, MetaError> {
    let source = |of: &Graph, k: usize| match of.outputs[k].value {
        OutputValue::Tensor(v) => match of.values[v].definition {
            Definition::Input(input) => Some(input),
            _ => None,
        },
        OutputValue::Number(_) => None,
    };
    let through: Vec<Option<Value>> = (0..graphs[0].outputs.len())
        .map(|k| match (source(&graphs[0], k), source(&graphs[1], k)) {
            (Some(a), Some(b)) if a == b => Some(operands[a]),
            _ => None,
        })
        .collect();
    for of in &mut graphs {
        let mut kept = through.iter().map(Option::is_none);
        of.outputs.retain(|_| kept.next().unwrap_or(true));
    }
    let mut results = match through.iter().all(Option::is_some) {
        true => Vec::new(),
        false => chosen(graph, predicate, graphs.map(|g| Subgraph(Arc::new(g))), operands)?,
    }
    .into_iter();
    Ok(through.into_iter().filter_map(|value| value.or_else(|| results.next())).collect())
}

/// A name that no input has.
fn free_name(graph: &Graph, word: &str) -> String {
    let mut name = format!("{word}{}", graph.inputs.len());
    while graph.inputs.iter().any(|i| i.name == name) {
        name.push('_');
    }
    name
}
