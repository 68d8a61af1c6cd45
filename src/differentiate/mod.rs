//! Floor 6: gradients as plain graph.
//!
//! [`gradients`] appends to a functional graph the nodes that compute the gradient of some values, weighted by cotangents, with respect
//! to others: reverse mode. Each row of the operator table names its derivative rule with `grad(rule)`: a function that builds,
//! from the cotangents of a node's results, the cotangents of its arguments. `grad(zero)` says that no gradient flows
//! through. A row without a rule that has a decomposition is differentiated through that; any other row is refused by name.
//!
//! A rule may also build values equal to the results of operators with derivatives, which are differentiated then ([`Derivative::through`]).
//!
//! A decomposition is built anew behind the graph for this. The node itself stays as it is, and compiling joins what
//! both compute alike.
//!
//! Invariants: the graph is functional before and after; no node that stands is changed; what is appended is made of ordinary
//! operators and can be differentiated again; a gradient has the dtype and the sizes of what it is the gradient of.
//!
//! Deliberately absent: mutation (`functionalize` comes first), and which values a backward keeps (see the partition).

mod backward;
mod context;
mod counting;
mod formula;
mod max_flow;
mod partition;
mod rules;
mod turns;
mod work;

#[cfg(test)]
mod tests;

pub use backward::backward_rules;
pub use context::Derivative;
pub use partition::{Choice, Joint, Mark, Partition};

use crate::base::{SideMap, Status};
use crate::decompose;
use crate::ir::{Arg, Definition, Graph, NodeId, Value, ValueData};
use crate::meta::{Builder, MetaError};
use crate::ops::{Complex, OpId, for_each_op};
use context::Given;

/// Why something has no derivative.
pub type DerivativeError = MetaError;

type Outcome<T = ()> = Result<T, DerivativeError>;
type Rule = fn(&mut Derivative<'_>) -> Outcome;

macro_rules! rule_or_none {
    () => {
        None
    };
    (grad $f:ident) => {
        Some(rules::$f as Rule)
    };
}
macro_rules! rule_table {
    ($($id:ident $name:literal $schema:literal $class:ident [$($form:ident)*] meta($meta:ident) $rule:ident($($f:ident)?) $($grad:ident($derivative:ident))?;)*) => {
        fn rule_of(op: OpId) -> Option<Rule> {
            match op { $(OpId::$id => rule_or_none!($($grad $derivative)?),)* }
        }
    };
}
for_each_op!(rule_table);

/// Whether gradients can flow through calls of this operator.
pub fn is_differentiable(op: OpId) -> bool {
    rule_of(op).is_some() || decompose::has_rule(op)
}

/// Appends the gradients of `outputs` with respect to `wrt`, and gives them in its order. `cotangents` weigh the outputs, each with
/// the dtype and sizes of its output; an output without one takes no part. A gradient is `None` where no output
/// depends on the value by a path of floats.
pub fn gradients(
    graph: &mut Graph,
    outputs: &[(Value, Option<Value>)],
    wrt: &[Value],
) -> Outcome<Vec<Option<Value>>> {
    let mut walk = Walk { graph, active: SideMap::new(), cotangents: SideMap::new() };
    for value in wrt {
        walk.active.insert(*value, ());
    }
    let nodes: Vec<NodeId> = walk.graph.order.iter().copied().collect();
    walk.spread(&nodes);
    for (value, cotangent) in outputs {
        if let Some(cotangent) = cotangent {
            walk.add(*value, *cotangent)?;
        }
    }
    walk.back(&nodes)?;
    Ok(wrt.iter().map(|v| walk.cotangents.get(*v).copied()).collect())
}

/// One pass from results back to arguments.
struct Walk<'g> {
    graph: &'g mut Graph,
    /// Values that depend on what gradients are asked for.
    active: SideMap<ValueData, ()>,
    /// The sum of what has come in so far.
    cotangents: SideMap<ValueData, Value>,
}

impl Walk<'_> {
    fn is_active(&self, value: Value) -> bool {
        self.active.get(value).is_some() && self.graph.meta(value).dtype.is_continuous()
    }

    /// Marks what the nodes make of active values.
    fn spread(&mut self, nodes: &[NodeId]) {
        for id in nodes {
            let node = &self.graph.nodes[*id];
            if node.args.iter().flat_map(Arg::values).any(|v| self.is_active(v)) {
                for output in &node.outputs {
                    self.active.insert(*output, ());
                }
            }
        }
    }

    /// One cotangent more for a value.
    fn add(&mut self, value: Value, cotangent: Value) -> Outcome {
        let sum = match self.cotangents.get(value) {
            None => cotangent,
            Some(before) => {
                let terms = vec![Arg::Value(*before), Arg::Value(cotangent)];
                Builder::new(self.graph).op("aten.add.Tensor", terms)?
            }
        };
        self.cotangents.insert(value, sum);
        Ok(())
    }

    /// Goes through nodes from the last to the first.
    fn back(&mut self, nodes: &[NodeId]) -> Outcome {
        for id in nodes.iter().rev() {
            let reached = self.graph.nodes[*id].outputs.iter().any(|v| self.cotangents.get(*v).is_some());
            let leads_on = self.graph.nodes[*id].args.iter().flat_map(Arg::values).any(|v| self.is_active(v));
            if reached && leads_on {
                let origins = self.graph.origins_of(*id);
                let making = std::mem::replace(&mut self.graph.making, origins);
                let outcome = self.node(*id);
                let outcome = outcome.map_err(|e| e.at(&self.graph.making));
                self.graph.making = making;
                outcome?;
            }
        }
        Ok(())
    }

    fn node(&mut self, id: NodeId) -> Outcome {
        let node = self.graph.nodes[id].clone();
        let complex = node.args.iter().flat_map(Arg::values).chain(node.outputs.iter().copied());
        let complex = complex.into_iter().any(|v| self.graph.meta(v).dtype.is_complex());
        let whole =
            matches!(node.op, OpId::ViewAsReal | OpId::ViewAsComplex) || node.op.complex() == Complex::Whole;
        if complex && !whole {
            let message = "complex numbers are not split into parts before they are differentiated";
            return Err(MetaError::new(Status::Internal, node.op.name(), message));
        }
        let Some(rule) = rule_of(node.op) else { return self.through_parts(id) };
        let cotangents = node.outputs.iter().map(|v| self.cotangents.get(*v).copied()).collect();
        let active = node.args.iter().flat_map(Arg::values).filter(|v| self.is_active(*v)).collect();
        let last = self.graph.order.last();
        let mut derivative = Derivative::new(self.graph, &node, cotangents, active);
        rule(&mut derivative)?;
        let Given { contributions, by_parts, parts } = derivative.into_given()?;
        for (value, cotangent) in contributions {
            self.add(value, cotangent)?;
        }
        if !parts.is_empty() {
            self.through(&node.outputs, &parts, last)?;
        }
        if by_parts { self.through_parts(id) } else { Ok(()) }
    }

    /// The derivative of an operator that is others: these are built, and gone through in its place.
    fn through_parts(&mut self, id: NodeId) -> Outcome {
        let (op, args, outputs) = {
            let node = &self.graph.nodes[id];
            (node.op, node.args.clone(), node.outputs.clone())
        };
        let last = self.graph.order.last();
        let Some(parts) = decompose::expand(self.graph, op, &args) else {
            return Err(no_rule(op));
        };
        let parts = parts?;
        self.through(&outputs, &parts, last)
    }

    /// Goes through the nodes behind `last`, which compute `parts`, in the place of what gave `outputs`.
    fn through(&mut self, outputs: &[Value], parts: &[Value], last: Option<NodeId>) -> Outcome {
        let nodes: Vec<NodeId> = self.graph.order.iter_after(last).collect();
        self.spread(&nodes);
        for (output, part) in outputs.iter().zip(parts) {
            if let Some(cotangent) = self.cotangents.get(*output).copied()
                && self.is_active(*part)
            {
                self.add(*part, cotangent)?;
            }
        }
        let made: Vec<NodeId> = nodes.into_iter().filter(|n| self.graph.order.contains(*n)).collect();
        self.back(&made)
    }
}

/// The refusal of an operator without a derivative.
fn no_rule(op: OpId) -> DerivativeError {
    let message = "it has no derivative rule yet; `detach` what is before it if no gradient is wanted there";
    MetaError::new(Status::Unsupported, op.name(), message)
}

/// Whether a value is one that gradients may be asked for: a float that is given or made in this graph.
pub fn check_leaf(graph: &Graph, value: Value) -> Outcome {
    let dtype = graph.meta(value).dtype;
    if dtype.is_continuous() {
        return Ok(());
    }
    let op = match graph.values[value].definition {
        Definition::Node { node, .. } => graph.nodes[node].name(),
        _ => "differentiate",
    };
    let message =
        format!("gradients are of floats and complex numbers; {} is {dtype}", graph.describe_value(value));
    Err(MetaError::new(Status::Dtype, op, message))
}
