//! Gradients appended to a graph that a host is building.
//!
//! A graph with in-place operators is made functional first, since a gradient needs what a tensor held before it was written
//! to. What the host holds of the graph goes on to mean what it shows in the end; inputs and constants that are
//! differentiated by are what was given.

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
    for value in outputs.iter().chain(wrt) {
        check_leaf(graph, *value)?;
    }
    let (mut new, places) = if is_functional(graph) {
        (graph.clone(), None)
    } else {
        let (mut new, places) = functionalize_mapped(graph)?;
        new.id = graph.id;
        (new, Some(places))
    };
    if complex::computes(&new) {
        let message =
            "gradients appended to a graph with complex numbers; compile it for training, which has them";
        return Err(SessionError::Option { status: Status::Unsupported, message: message.into() });
    }
    let now = |value: Value| places.as_ref().map_or(value, |p| p[value]);
    let given = |new: &Graph, value: Value| match graph.values[value].definition {
        Definition::Input(k) => new.inputs[k].value,
        Definition::Constant(k) => new.constants[k].value,
        Definition::Node { .. } => now(value),
    };
    let wrt: Vec<Value> = wrt.iter().map(|v| given(&new, *v)).collect();
    let mut weighted = Vec::with_capacity(outputs.len());
    for (k, output) in outputs.iter().enumerate() {
        let output = now(*output);
        let cotangent = match cotangents {
            Some(list) => list[k].map(now),
            None => Some(seed(&mut new, outputs.len(), output)?),
        };
        if let Some(cotangent) = cotangent {
            check_cotangent(&new, output, cotangent)?;
        }
        weighted.push((output, cotangent));
    }
    let gradients = gradients(&mut new, &weighted, &wrt)?;
    Ok(Differentiated { graph: new, places, gradients })
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

fn check_cotangent(graph: &Graph, output: Value, cotangent: Value) -> Result<(), SessionError> {
    let (want, have) = (graph.meta(output), graph.meta(cotangent));
    let syms = &graph.syms;
    let fits = want.dtype == have.dtype
        && want.rank() == have.rank()
        && want.shape.iter().zip(&have.shape).all(|(a, b)| syms.decide(syms.eq(*a, *b)) != Some(false));
    if fits {
        return Ok(());
    }
    let show = |m: &crate::types::TensorMeta| format!("{} {}", m.dtype, syms.display_list(&m.shape));
    let message =
        format!("the cotangent of {} is {}, not {}", graph.describe_value(output), show(have), show(want));
    Err(SessionError::Option { status: Status::Shape, message })
}
