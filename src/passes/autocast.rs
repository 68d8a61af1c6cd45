//! Mixed precision: operators run in lower precision, in float32 or in the widest of their operands, as the lists of
//! [`crate::ops::autocast`] say.
//!
//! A cast is put in front of the node that needs it, and the nodes behind it are inferred again. Each use has a cast of its own, since
//! the graph may write to a tensor between two uses. Equal casts are joined once the graph is functional.
//!
//! Invariants:
//! - the signature stays: outputs and tensors that are written back are cast to the dtypes that they had;
//! - float64, integers and complex numbers are never cast;
//! - nodes of a region that sets its own precision ([`Origin::sets_precision`]) are left alone;
//! - a subgraph keeps its signature.
//!
//! An operator of no list that refuses operands of several dtypes gets all of them in the widest.
//!
//! Deliberately absent: scaling of losses, which an optimizer's step does.
//!
//! [`Origin::sets_precision`]: crate::ir::Origin::sets_precision

use super::rewrite::results;
use crate::base::{SideMap, Status};
use crate::ir::{Arg, Graph, NodeId, OutputValue, Shared, Value, ValueData};
use crate::meta::edit::{EditError, End, move_before};
use crate::meta::{Builder, MetaError, infer_form};
use crate::ops::autocast::{Lists, Policy};
use crate::ops::{Form, OpId};
use crate::types::Dtype;

/// How operators are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Autocast {
    /// The lower precision: float16 or bfloat16.
    pub lower: Dtype,
    pub lists: Lists,
}

impl Autocast {
    /// The whole graph.
    pub fn run(self, graph: &mut Graph) -> Result<(), MetaError> {
        self.within(&mut Shared::default(), graph)
    }

    /// The arguments of a call that a reader is about to build, in a region whose precision this is.
    pub fn arguments(
        self,
        graph: &mut Graph,
        target: &str,
        positional: &mut [Arg],
        named: &mut Vec<(String, Arg)>,
    ) -> Result<(), MetaError> {
        let Some((op, Form::Functional)) = OpId::find(target) else { return Ok(()) };
        let given = positional.iter().chain(named.iter().map(|(_, arg)| arg));
        let values: Vec<Value> = given.flat_map(Arg::values).collect();
        let all = positional.iter_mut().chain(named.iter_mut().map(|(_, arg)| arg));
        match self.change(graph, op, &values)? {
            Change::Nothing => Ok(()),
            Change::Cast(to) => {
                let mut cast = |v: Value| if takes_part(graph, v) { cast(graph, v, to) } else { Ok(v) };
                all.into_iter().try_for_each(|arg| cast_values(arg, &mut cast))
            }
            Change::SingleResult => {
                let place = op.schema().arg("dtype").unwrap_or(usize::MAX);
                let says = |arg: &Arg| *arg != Arg::None;
                let is_said = positional.get(place).is_some_and(says)
                    || named.iter().any(|(name, arg)| name == "dtype" && says(arg));
                if !is_said {
                    named.retain(|(name, _)| name != "dtype");
                    match positional.get_mut(place) {
                        Some(arg) => *arg = Arg::Dtype(Dtype::Float32),
                        None => named.push(("dtype".to_string(), Arg::Dtype(Dtype::Float32))),
                    }
                }
                Ok(())
            }
        }
    }

    /// How the lists change a call with these operands.
    fn change(self, graph: &Graph, op: OpId, values: &[Value]) -> Result<Change, MetaError> {
        Ok(match self.lists.of(op) {
            None => Change::Nothing,
            Some(Policy::Lower) => Change::Cast(self.lower),
            Some(Policy::Single) => Change::Cast(Dtype::Float32),
            Some(Policy::Widest) => widest(graph, values).map_or(Change::Nothing, Change::Cast),
            Some(Policy::SingleResult) => match values.first() {
                Some(first) if takes_part(graph, *first) => Change::SingleResult,
                _ => Change::Nothing,
            },
            Some(Policy::Refused) => {
                let message = "it is unsafe with mixed precision, as in PyTorch; use `binary_cross_entropy_with_logits`, or switch autocast off around it";
                return Err(MetaError::new(Status::Unsupported, op.name(), message));
            }
        })
    }

    fn within(self, shared: &mut Shared, graph: &mut Graph) -> Result<(), MetaError> {
        graph.map_subgraphs(shared, &mut |shared, inner| {
            let mut inner = inner.clone();
            self.within(shared, &mut inner)?;
            Ok::<_, MetaError>(inner)
        })?;
        let nodes: Vec<NodeId> = graph.order.iter().copied().collect();
        let mut walk = Walk { autocast: self, graph, retyped: SideMap::new() };
        for id in nodes {
            let node = &walk.graph.nodes[id];
            if node.subgraphs().next().is_some() {
                walk.cast_operands(id, |walk, v| walk.retyped.get(v).copied())?;
            } else {
                let origins = &walk.graph.origins;
                let is_own = node.origins.iter().any(|o| origins.get(*o).sets_precision);
                walk.node(id, !is_own)?;
            }
        }
        walk.leave()
    }
}

struct Walk<'g> {
    autocast: Autocast,
    graph: &'g mut Graph,
    /// The dtype that values had whose dtype has changed.
    retyped: SideMap<ValueData, Dtype>,
}

/// What becomes of a call.
enum Change {
    Nothing,
    /// Its operands are cast.
    Cast(Dtype),
    /// It is told to give float32.
    SingleResult,
}

/// Whether the lists are about a tensor.
fn takes_part(graph: &Graph, value: Value) -> bool {
    matches!(graph.meta(value).dtype, Dtype::Float16 | Dtype::Bfloat16 | Dtype::Float32)
}

/// float32 if an operand is, or the lower precisions differ; none where no operand takes part.
fn widest(graph: &Graph, values: &[Value]) -> Option<Dtype> {
    let part = values.iter().filter(|v| takes_part(graph, **v)).map(|v| graph.meta(*v).dtype);
    part.reduce(|a, b| if a == b { a } else { Dtype::Float32 })
}

fn cast(graph: &mut Graph, value: Value, to: Dtype) -> Result<Value, MetaError> {
    if graph.meta(value).dtype == to {
        return Ok(value);
    }
    let named = vec![("dtype", Arg::Dtype(to))];
    Builder::new(graph).op_with("aten._to_copy.default", vec![Arg::Value(value)], named)
}

/// Replaces the tensors of an argument.
fn cast_values(
    arg: &mut Arg,
    cast: &mut dyn FnMut(Value) -> Result<Value, MetaError>,
) -> Result<(), MetaError> {
    let mut outcome = Ok(());
    arg.map_values(&mut |value| {
        let new = if outcome.is_ok() { cast(value) } else { Ok(value) };
        new.unwrap_or_else(|error| {
            outcome = Err(error);
            value
        })
    });
    outcome
}

impl Walk<'_> {
    fn dtype(&self, value: Value) -> Dtype {
        self.graph.meta(value).dtype
    }

    fn node(&mut self, id: NodeId, is_listed: bool) -> Result<(), MetaError> {
        let node = &self.graph.nodes[id];
        let (op, is_listed) = (node.op, is_listed && node.form == Form::Functional);
        let values: Vec<Value> = node.uses().collect();
        let change = if is_listed {
            let change = self.autocast.change(self.graph, op, &values);
            change.map_err(|e| e.at(&self.graph.origins_of(id)))?
        } else {
            Change::Nothing
        };
        let changed = match change {
            Change::Nothing => false,
            Change::Cast(to) => self.cast_operands(id, |walk, v| takes_part(walk.graph, v).then_some(to))?,
            Change::SingleResult => {
                let place = op.schema().arg("dtype").filter(|k| self.graph.nodes[id].args[*k] == Arg::None);
                if let Some(k) = place {
                    self.graph.nodes[id].args[k] = Arg::Dtype(Dtype::Float32);
                }
                place.is_some()
            }
        };
        if changed || values.iter().any(|v| self.retyped.get(*v).is_some()) {
            self.infer(id)?;
        }
        Ok(())
    }

    /// Infers a node again. One that refuses operands of several dtypes gets the widest of them.
    fn infer(&mut self, id: NodeId) -> Result<(), MetaError> {
        let Err(error) = self.inferred(id) else { return Ok(()) };
        let error = error.at(&self.graph.origins_of(id));
        let values: Vec<Value> = self.graph.nodes[id].uses().collect();
        let Some(widest) = widest(self.graph, &values) else { return Err(error) };
        self.cast_operands(id, |walk, v| takes_part(walk.graph, v).then_some(widest))?;
        self.inferred(id).map_err(|_| error)
    }
    fn inferred(&mut self, id: NodeId) -> Result<(), MetaError> {
        let node = &self.graph.nodes[id];
        let outputs = node.outputs.clone();
        let (metas, guards) = infer_form(self.graph, node.op, node.form, &node.args)?;
        for guard in guards {
            if !self.graph.guards.contains(&guard) {
                self.graph.guards.push(guard);
            }
        }
        for (value, meta) in outputs.into_iter().zip(metas) {
            let had = self.dtype(value);
            if had != meta.dtype {
                self.retyped.insert(value, had);
            }
            self.graph.metas.insert(value, meta);
        }
        Ok(())
    }

    /// Casts operands to the dtypes that are named; says whether any is another one.
    fn cast_operands(
        &mut self,
        id: NodeId,
        to: impl Fn(&Walk<'_>, Value) -> Option<Dtype>,
    ) -> Result<bool, MetaError> {
        let (end, last) = (End::of(self.graph), self.graph.order.last());
        let origins = self.graph.origins_of(id);
        let outer = std::mem::replace(&mut self.graph.making, origins);
        let mut args = self.graph.nodes[id].args.clone();
        let mut new = |value| match to(self, value) {
            Some(to) => cast(self.graph, value, to),
            None => Ok(value),
        };
        let outcome = args.iter_mut().try_for_each(|arg| cast_values(arg, &mut new));
        self.graph.making = outer;
        outcome?;
        if self.graph.order.last() == last {
            return Ok(false);
        }
        let op = self.graph.nodes[id].op.name();
        let misplaced = |e: EditError| MetaError::new(Status::Internal, op, e.to_string());
        move_before(self.graph, end, id).map_err(misplaced)?;
        self.graph.nodes[id].args = args;
        Ok(true)
    }

    /// Gives what leaves the graph the dtype that it had.
    fn leave(&mut self) -> Result<(), MetaError> {
        let mut restored: SideMap<ValueData, Value> = SideMap::new();
        let leaving: Vec<Value> = results(self.graph).collect();
        for value in leaving {
            if let (Some(had), None) = (self.retyped.get(value).copied(), restored.get(value)) {
                let cast = cast(self.graph, value, had)?;
                restored.insert(value, cast);
            }
        }
        let new = |value: &mut Value| *value = restored.get(*value).copied().unwrap_or(*value);
        for output in &mut self.graph.outputs {
            if let OutputValue::Tensor(value) = &mut output.value {
                new(value);
            }
        }
        self.graph.writes.iter_mut().for_each(|w| new(&mut w.value));
        Ok(())
    }
}
