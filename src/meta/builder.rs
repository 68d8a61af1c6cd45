//! The inferring builder: what readers, decompositions and the C ABI build graphs with.

use super::{MetaError, coerce, infer};
use crate::base::Status;
use crate::ir::{Arg, Graph, Value};
use crate::ops::{Form, OpId};

/// Appends nodes to a graph, inferring as it goes. A failed call leaves the graph as it was.
pub struct Builder<'g> {
    pub graph: &'g mut Graph,
}

impl<'g> Builder<'g> {
    pub fn new(graph: &'g mut Graph) -> Self {
        Builder { graph }
    }

    /// Appends an operator with arguments that already stand as its schema says; gives its results.
    pub fn call(&mut self, op: OpId, form: Form, args: Vec<Arg>) -> Result<Vec<Value>, MetaError> {
        let (results, guards) = infer(self.graph, op, &args)?;
        for guard in guards {
            if !self.graph.guards.contains(&guard) {
                self.graph.guards.push(guard);
            }
        }
        let node = self.graph.add_node(op, form, args, results);
        Ok(self.graph.nodes[node].outputs.clone())
    }

    /// Appends an operator by name with positional and named arguments, which are coerced by the schema and
    /// completed by its defaults.
    pub fn call_named(
        &mut self,
        name: &str,
        positional: Vec<Arg>,
        named: Vec<(String, Arg)>,
    ) -> Result<Vec<Value>, MetaError> {
        let (op, form) = OpId::find(name).ok_or_else(|| MetaError {
            status: Status::Unsupported,
            op: "graph",
            message: format!(
                "there is no operator `{name}`; the nearest known are {}",
                OpId::nearest(name, 3).join(", ")
            ),
        })?;
        let args = coerce(self.graph, op, positional, named)?;
        self.call(op, form, args)
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
