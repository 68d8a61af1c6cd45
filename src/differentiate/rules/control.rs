//! The derivative of `cond`: a branch of the same predicate.
//!
//! Deliberately absent: branches whose sizes data decide.

use crate::base::{SideMap, Status};
use crate::differentiate::{Derivative, DerivativeError, Outcome, gradients};
use crate::ir::{Arg, Graph, OutputValue, Subgraph, Value, ValueData};
use crate::meta::Builder;
use crate::ops::{Class, OpId};
use std::sync::Arc;

/// The gradients of a branch's results by its operands, where they exist.
struct Branch {
    graph: Graph,
    gradients: Vec<Option<Value>>,
}

/// One more `cond` of the same predicate on the operands and the cotangents. Its branches compute theirs again, and then their
/// gradients; where the other branch alone has one, it is zero.
pub fn cond(d: &mut Derivative<'_>) -> Outcome {
    let (pred, operands) = (d.value("pred")?, d.values("operands"));
    let given: Vec<(usize, Value)> =
        (0..d.results.len()).filter_map(|k| d.cotangent(k).map(|c| (k, c))).collect();
    let differs = |k: &usize| {
        let sizes = d.meta(d.results[*k]).shape.clone();
        matches!(d.arg("sizes"), Arg::Ints(differing) if sizes.iter().any(|s| differing.contains(s)))
    };
    if let Some((k, _)) = given.iter().find(|(k, _)| differs(k)) {
        let message = format!("the derivative of result {k}, whose sizes differ between the branches");
        return Err(d.error(Status::Unsupported, message));
    }
    let wanted: Vec<bool> = operands.iter().map(|v| d.needs_value(*v)).collect();
    let [mut yes, mut no] = ["true_fn", "false_fn"].map(|name| branch(d, name, &given, &wanted));
    let (yes, no) = match (&mut yes, &mut no) {
        (Ok(yes), Ok(no)) => (yes, no),
        _ => return Err(yes.err().or(no.err()).expect("one of them failed")),
    };
    let exists = |place: &usize| yes.gradients[*place].is_some() || no.gradients[*place].is_some();
    let places: Vec<usize> = (0..operands.len()).filter(exists).collect();
    if places.is_empty() {
        return Ok(());
    }
    let graphs = [yes, no].map(|branch| branch.finish(&places)).into_iter().collect::<Outcome<Vec<Arg>>>()?;
    let all = operands.iter().copied().chain(given.iter().map(|(_, c)| *c)).map(Some).collect();
    let args = [Arg::Value(pred)].into_iter().chain(graphs).chain([Arg::Values(all)]).collect();
    let results = Builder::new(d.graph).call_named("higher_order.cond", args, Vec::new())?;
    for (place, gradient) in places.into_iter().zip(results) {
        d.give_value(operands[place], gradient)?;
    }
    Ok(())
}

/// The graph of a branch again, with a further input for each cotangent, and the gradients by the operands that want one.
fn branch(
    d: &Derivative<'_>,
    name: &str,
    given: &[(usize, Value)],
    wanted: &[bool],
) -> Result<Branch, DerivativeError> {
    let Arg::Graph(Subgraph(old)) = d.arg(name) else {
        return Err(d.error(Status::Internal, format!("`{name}` is no graph")));
    };
    let mut graph = old.new_subgraph(&format!("derivative of {}", old.name));
    graph.symbols.clone_from(&old.symbols);
    let mut map: SideMap<ValueData, Value> = SideMap::new();
    for input in &old.inputs {
        let value = graph.add_input(&input.name, old.meta(input.value).clone());
        map.insert(input.value, value);
    }
    append(d, "branch", old, &mut graph, &mut map)?;
    let mut weighted = Vec::with_capacity(given.len());
    for (k, cotangent) in given {
        let is_taken = |name: &String| graph.inputs.iter().any(|i| i.name == *name);
        let mut names = (graph.inputs.len()..).map(|place| format!("cotangent {place}"));
        let name = names.find(|name| !is_taken(name)).unwrap_or_default();
        let input = graph.add_input(&name, d.meta(*cotangent).clone());
        if let Some(OutputValue::Tensor(result)) = old.outputs.get(*k).map(|o| o.value) {
            weighted.push((map[result], Some(input)));
        }
    }
    let leaves: Vec<(usize, Value)> =
        (0..wanted.len()).filter(|k| wanted[*k]).map(|k| (k, map[old.inputs[k].value])).collect();
    let wrt: Vec<Value> = leaves.iter().map(|(_, v)| *v).collect();
    let found = gradients(&mut graph, &weighted, &wrt)?;
    let mut by_place = vec![None; wanted.len()];
    for ((place, _), gradient) in leaves.into_iter().zip(found) {
        by_place[place] = gradient;
    }
    Ok(Branch { graph, gradients: by_place })
}

/// Appends the nodes of a `kind` of graph to one that computes them again. `map` knows what its inputs are there, and then all its
/// values.
pub(super) fn append(
    d: &Derivative<'_>,
    kind: &str,
    old: &Graph,
    graph: &mut Graph,
    map: &mut SideMap<ValueData, Value>,
) -> Outcome {
    for id in &old.order {
        let node = &old.nodes[*id];
        match node.op.class() {
            Class::Effect if node.op == OpId::Bind || !node.outputs.is_empty() => {
                let message = format!(
                    "the derivative of a {kind} that runs {} would run it again; have it outside of the {kind}",
                    node.name()
                );
                return Err(d.error(Status::Unsupported, message));
            }
            // What it asserts or tells, it does once.
            Class::Effect => continue,
            _ => {}
        }
        let mut args = node.args.clone();
        args.iter_mut().for_each(|arg| arg.map_values(&mut |v| map[v]));
        graph.making = old.origins_of(*id);
        let results = Builder::new(graph).call(node.op, node.form, args)?;
        for (before, after) in node.outputs.iter().zip(results) {
            map.insert(*before, after);
        }
    }
    graph.making = Vec::new();
    Ok(())
}

impl Branch {
    /// The graph with gradients by the operands at these places as its results.
    fn finish(&mut self, places: &[usize]) -> Outcome<Arg> {
        let mut results = Vec::with_capacity(places.len());
        for place in places {
            let value = match self.gradients[*place] {
                Some(gradient) => gradient,
                None => {
                    let operand = Arg::Value(self.graph.inputs[*place].value);
                    Builder::new(&mut self.graph).op("aten.zeros_like.default", vec![operand])?
                }
            };
            results.push(value);
        }
        for (place, value) in places.iter().zip(&results) {
            self.graph.add_output(&format!("gradient {place}"), OutputValue::Tensor(*value));
        }
        self.graph.remove_unused(None, results, |_| false);
        Ok(Arg::Graph(Subgraph(Arc::new(std::mem::replace(&mut self.graph, Graph::new(""))))))
    }
}
