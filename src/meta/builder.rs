//! The inferring builder: what readers, decompositions and the C ABI build graphs with.

use super::{MetaError, coerce, infer};
use crate::base::Status;
use crate::ir::{Arg, Graph, Guard, Value};
use crate::ops::{Form, OpId};
use crate::types::TensorMeta;

/// Appends nodes to a graph, inferring as it goes. A failed call leaves the graph as it was.
pub struct Builder<'g> {
    pub graph: &'g mut Graph,
}

/// A call that is coerced and inferred, and not yet part of the graph.
pub struct Prepared {
    op: OpId,
    form: Form,
    args: Vec<Arg>,
    results: Vec<TensorMeta>,
    guards: Vec<Guard>,
}

impl Prepared {
    /// How many results the call gives.
    pub fn count(&self) -> usize {
        self.results.len()
    }
}

impl<'g> Builder<'g> {
    pub fn new(graph: &'g mut Graph) -> Self {
        Builder { graph }
    }

    /// Appends an operator with arguments that already stand as its schema says; gives its results.
    pub fn call(&mut self, op: OpId, form: Form, args: Vec<Arg>) -> Result<Vec<Value>, MetaError> {
        let (results, guards) = infer(self.graph, op, &args)?;
        Ok(self.commit(Prepared { op, form, args, results, guards }))
    }

    /// Appends an operator by name with positional and named arguments, which are coerced by the schema and
    /// completed by its defaults.
    pub fn call_named(
        &mut self,
        name: &str,
        positional: Vec<Arg>,
        named: Vec<(String, Arg)>,
    ) -> Result<Vec<Value>, MetaError> {
        let prepared = self.prepare(name, positional, named)?;
        Ok(self.commit(prepared))
    }

    /// The first half of [`Self::call_named`]: all that may fail. For callers that must see what a call would give
    /// before they decide on it.
    pub fn prepare(
        &mut self,
        name: &str,
        positional: Vec<Arg>,
        named: Vec<(String, Arg)>,
    ) -> Result<Prepared, MetaError> {
        let (op, form) = OpId::find(name).ok_or_else(|| MetaError {
            status: Status::Unsupported,
            op: "graph",
            message: format!(
                "there is no operator `{name}`; the nearest known are {}",
                OpId::nearest(name, 3).join(", ")
            ),
        })?;
        let args = coerce(self.graph, op, positional, named)?;
        let (results, guards) = infer(self.graph, op, &args)?;
        Ok(Prepared { op, form, args, results, guards })
    }

    /// Appends what was prepared.
    pub fn commit(&mut self, prepared: Prepared) -> Vec<Value> {
        let Prepared { op, form, args, results, guards } = prepared;
        for guard in guards {
            if !self.graph.guards.contains(&guard) {
                self.graph.guards.push(guard);
            }
        }
        let node = self.graph.add_node(op, form, args, results);
        self.graph.nodes[node].outputs.clone()
    }

    /// [`Self::call_named`] for operators with one result and positional arguments, as decompositions use it.
    pub fn op(&mut self, name: &str, positional: Vec<Arg>) -> Result<Value, MetaError> {
        Ok(self.call_named(name, positional, Vec::new())?[0])
    }
    /// [`Self::op`] with named arguments too.
    pub fn op_with(
        &mut self,
        name: &str,
        positional: Vec<Arg>,
        named: Vec<(&str, Arg)>,
    ) -> Result<Value, MetaError> {
        let named = named.into_iter().map(|(n, a)| (n.to_string(), a)).collect();
        Ok(self.call_named(name, positional, named)?[0])
    }
}
