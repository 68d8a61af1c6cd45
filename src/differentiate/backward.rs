//! PyTorch's backward operators that are the derivatives of operators with a rule here.
//!
//! Deliberately absent: those that have a decomposition or a formula of their own.

use super::gradients;
use crate::decompose::{Decomposed, HostRule, HostRules};
use crate::ir::{Arg, Graph, Value, each_graph};
use crate::meta::rules::{differentiated, forward_arguments};
use crate::meta::{Builder, MetaError};
use crate::ops::{Form, OpId};
use std::sync::Arc;

/// The rules of the backward operators that stand in the graph or in one that its nodes run.
pub fn backward_rules(graph: &Graph) -> HostRules {
    let mut rules = HostRules::default();
    let mut add = |graph: &Graph| {
        for id in &graph.order {
            let op = graph.nodes[*id].op;
            if differentiated(op).is_some() {
                let rule: HostRule = Arc::new(|graph, op, args, _| derivative(graph, op, args).map(Some));
                rules.insert(Decomposed::Operator(op), rule);
            }
        }
    };
    add(graph);
    for (inner, _) in each_graph(graph) {
        add(inner);
    }
    rules
}

/// The operator, computed anew, and its derivative; zeros where nothing depends on an argument or its gradient is not asked for.
fn derivative(graph: &mut Graph, op: OpId, args: &[Arg]) -> Result<Vec<Value>, MetaError> {
    let Some((forward, by)) = differentiated(op) else { return Ok(Vec::new()) };
    let given = forward_arguments(op, args, &graph.syms);
    let wrt: Vec<_> =
        by.iter().filter_map(|name| op.schema().arg(name).and_then(|k| args[k].value())).collect();
    let result = Builder::new(graph).call(forward, Form::Functional, given)?[0];
    let grads = gradients(graph, &[(result, args[0].value())], &wrt)?;
    let asked = match op.schema().arg("output_mask").map(|k| &args[k]) {
        Some(Arg::Bools(mask)) => mask.clone(),
        _ => vec![true; wrt.len()],
    };
    let each = wrt.iter().zip(grads).zip(asked);
    each.map(|((value, grad), asked)| match grad.filter(|_| asked) {
        Some(grad) => Ok(grad),
        None => Builder::new(graph).op("aten.zeros_like.default", vec![Arg::Value(*value)]),
    })
    .collect()
}
