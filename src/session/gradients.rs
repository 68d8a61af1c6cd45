//! Gradients appended to a graph that a host is building.
//!
//! A graph with in-place operators is made functional first, since a gradient needs what a tensor held before it was written
//! to. What the host holds of the graph goes on to mean what it shows in the end; inputs and constants that are
//! differentiated by are what was given. A graph with complex numbers is split into their parts.

use super::SessionError;
use crate::base::{SideMap, Status};
use crate::decompose::complex;
use crate::differentiate::{check_leaf, gradients};
use crate::functionalize::{functionalize_mapped, is_functional};
use crate::ir::{Arg, Definition, Graph, Value, ValueData};
use crate::meta::Builder;

/// What differentiating did to a graph.
pub struct Differentiated {
    pub graph: Graph,
    /// Where the tensors of the old graph are in the new one, if it is not the same.
    pub places: Option<SideMap<ValueData, Value>>,
    /// A gradient for each value asked for, where there is one.
    pub gradients: Vec<Option<Value>>,
}

/// The graph with the gradients of `outputs`, weighted by their cotangents, with respect to `wrt`. Without cotangents there is one
/// output, of one element, whose weight is 1.
pub fn differentiate(
    graph: &Graph,
    outputs: &[Value],
    cotangents: Option<&[Option<Value>]>,
    wrt: &[Value],
) -> Result<Differentiated, SessionError> {
    let mut pure = Pure::of(graph, outputs, wrt)?;
    let wrt: Vec<Value> = wrt.iter().map(|v| pure.given(*v)).collect();
    let mut weighted = Vec::with_capacity(outputs.len());
    for (k, output) in outputs.iter().enumerate() {
        let output = pure.now(*output);
        let cotangent = match cotangents {
            Some(list) => list[k].map(|v| pure.now(v)),
            None => Some(seed(&mut pure.graph, outputs.len(), output)?),
        };
        if let Some(cotangent) = cotangent {
            check_fits(&pure.graph, "cotangent", output, cotangent)?;
        }
        weighted.push((output, cotangent));
    }
    let gradients = gradients(&mut pure.graph, &weighted, &wrt)?;
    Ok(Differentiated { graph: pure.graph, places: pure.places, gradients })
}

/// The graph with the derivatives of `outputs` where each tensor of `wrt` moves along its tangent: forward mode.
///
/// The gradient weighted by u is a linear function of u. Its own gradient by u, weighted by the tangents, is
/// the derivative along them, so that the rules of reverse mode serve both. u is ones: any would do, but the rule of
/// `logcumsumexp` computes with logarithms of its cotangent.
pub fn differentiate_forward(
    graph: &Graph,
    outputs: &[Value],
    wrt: &[(Value, Option<Value>)],
) -> Result<Differentiated, SessionError> {
    let leaves: Vec<Value> = wrt.iter().map(|(v, _)| *v).collect();
    let mut pure = Pure::of(graph, outputs, &leaves)?;
    let mut moved = Vec::with_capacity(wrt.len());
    for (value, tangent) in wrt {
        let (value, tangent) = (pure.given(*value), tangent.map(|v| pure.now(v)));
        if let Some(tangent) = tangent {
            check_fits(&pure.graph, "tangent", value, tangent)?;
            moved.push((value, tangent));
        }
    }
    let last = pure.graph.order.last();
    let (mut weighted, mut weights) = (Vec::new(), Vec::new());
    for output in outputs {
        let output = pure.now(*output);
        let weight = Builder::new(&mut pure.graph).op("aten.ones_like.default", vec![Arg::Value(output)])?;
        weighted.push((output, Some(weight)));
        weights.push(weight);
    }
    let leaves: Vec<Value> = moved.iter().map(|(v, _)| *v).collect();
    let mut by_weights = gradients(&mut pure.graph, &weighted, &leaves)?;
    let split = pure.split()?;
    if let Some(places) = &split {
        let values = by_weights.iter_mut().flatten().chain(&mut weights);
        let values = values.chain(moved.iter_mut().flat_map(|(own, tangent)| [own, tangent]));
        values.for_each(|value| *value = places[*value]);
    }
    let found = by_weights.into_iter().zip(&moved).filter_map(|(g, (_, tangent))| Some((g?, Some(*tangent))));
    let found: Vec<_> = found.collect();
    let gradients = gradients(&mut pure.graph, &found, &weights)?;
    if split.is_none() {
        // Nothing that was appended is called for its effect.
        pure.graph.remove_unused(last, gradients.iter().flatten().copied(), |_| false);
    }
    Ok(Differentiated { graph: pure.graph, places: pure.places, gradients })
}

/// A host's graph made functional, and where the host's values are in it.
struct Pure<'g> {
    given: &'g Graph,
    graph: Graph,
    places: Option<SideMap<ValueData, Value>>,
}

impl<'g> Pure<'g> {
    fn of(given: &'g Graph, outputs: &[Value], wrt: &[Value]) -> Result<Pure<'g>, SessionError> {
        for value in outputs.iter().chain(wrt) {
            check_leaf(given, *value)?;
        }
        let (graph, places) = if is_functional(given) {
            (given.clone(), None)
        } else {
            let (mut graph, places) = functionalize_mapped(given)?;
            graph.id = given.id;
            (graph, Some(places))
        };
        let mut pure = Pure { given, graph, places };
        pure.split()?;
        Ok(pure)
    }
    /// Complex numbers have derivatives by their parts; rules for matrices of them may leave more of them. Gives where the values are then.
    fn split(&mut self) -> Result<Option<SideMap<ValueData, Value>>, SessionError> {
        let Some((mut parts, moved)) = complex::split_mapped(&self.graph)? else { return Ok(None) };
        parts.id = self.given.id;
        self.graph = parts;
        let mut to: SideMap<ValueData, Value> = SideMap::new();
        for value in complex::all_values(self.given) {
            let pure = self.places.as_ref().map_or(Some(value), |p| p.get(value).copied());
            if let Some(place) = pure.and_then(|v| moved.get(v)) {
                to.insert(value, *place);
            }
        }
        self.places = Some(to);
        Ok(Some(moved))
    }
    /// What a value shows in the end.
    fn now(&self, value: Value) -> Value {
        self.places.as_ref().map_or(value, |p| p[value])
    }
    /// The same for what is differentiated by: inputs and constants as they are given.
    fn given(&self, value: Value) -> Value {
        match self.given.values[value].definition {
            Definition::Input(k) => self.graph.inputs[k].value,
            Definition::Constant(k) => self.graph.constants[k].value,
            Definition::Node { .. } => self.now(value),
        }
    }
}

/// The cotangent of the only output where none is given.
fn seed(graph: &mut Graph, count: usize, output: Value) -> Result<Value, SessionError> {
    let meta = graph.meta(output);
    let shape = &meta.shape;
    let elements = graph.syms.product(shape);
    if count != 1 || graph.syms.as_const(elements) != Some(1) || meta.dtype.is_complex() {
        let message = format!(
            "without cotangents there is one real output of one element; there are {count}, the first is {} of {}",
            graph.describe_value(output),
            graph.syms.display_list(shape)
        );
        return Err(SessionError::invalid(message));
    }
    Ok(Builder::new(graph).op("aten.ones_like.default", vec![Arg::Value(output)])?)
}

/// A cotangent or a tangent has the dtype and the sizes of what it belongs to.
fn check_fits(graph: &Graph, what: &str, value: Value, given: Value) -> Result<(), SessionError> {
    let (want, have) = (graph.meta(value), graph.meta(given));
    let syms = &graph.syms;
    let fits = want.dtype == have.dtype
        && want.rank() == have.rank()
        && want.shape.iter().zip(&have.shape).all(|(a, b)| syms.decide(syms.eq(*a, *b)) != Some(false));
    if fits {
        return Ok(());
    }
    let show = |m: &crate::types::TensorMeta| format!("{} {}", m.dtype, syms.display_list(&m.shape));
    let message =
        format!("the {what} of {} is {}, not {}", graph.describe_value(value), show(have), show(want));
    Err(SessionError::Option { status: Status::Shape, message })
}
