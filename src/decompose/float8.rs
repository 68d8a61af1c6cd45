//! Float8 numbers as the bytes that hold them.
//!
//! PyTorch stores, moves and converts these numbers, and multiplies matrices of them; it computes nothing else with them. [`split`] rewrites
//! a functional, decomposed graph so that kernels see bytes alone: a conversion becomes a function of bits, and an operator that
//! moves elements moves bytes.
//!
//! Invariants: float8 values remain at the boundary alone: inputs, constants, outputs, and what a node passes to its subgraphs. There
//! `aten.view.dtype` leads in and out. A graph without float8 numbers is not rebuilt; splitting a graph twice changes nothing more.
//!
//! Deliberately absent: which operators take float8 numbers (`OpId::takes_float8`), and arithmetic.

use super::DecomposeError;
use crate::base::{SideMap, Status};
use crate::ir::{Arg, Graph, Node, OutputValue, Value, ValueData, Write};
use crate::meta::{Builder, MetaError};
use crate::ops::{Class, Form, OpId};
use crate::types::Dtype;

type Built = Result<Value, DecomposeError>;

/// A value of the old graph in the new one: as it was, as bytes, or as both.
#[derive(Clone, Copy, Default)]
struct Held {
    whole: Option<Value>,
    bytes: Option<Value>,
}

fn has_bytes(graph: &Graph, node: &Node) -> bool {
    let mut values = node.args.iter().flat_map(Arg::values).chain(node.outputs.iter().copied());
    values.any(|v| graph.meta(v).dtype.is_float8())
}

/// A node that stays: it leads in or out, or runs subgraphs.
fn is_boundary(graph: &Graph, node: &Node) -> bool {
    let plain = |v: Value| matches!(graph.meta(v).dtype, Dtype::Int8);
    node.op.class() == Class::Control
        || node.op == OpId::ViewDtype && (node.outputs.iter().copied().any(plain) || node.uses().any(plain))
}

/// The graph without operators on float8 numbers; `None` where there are none.
pub fn split(old: &Graph) -> Result<Option<Graph>, DecomposeError> {
    let nodes = || old.order.iter().map(|id| &old.nodes[*id]);
    if nodes().any(|node| has_bytes(old, node) && !is_boundary(old, node)) {
        rebuilt(old).map(Some)
    } else {
        Ok(None)
    }
}

fn call(graph: &mut Graph, name: &str, args: Vec<Arg>) -> Built {
    Builder::new(graph).op(name, args)
}

fn bytes(graph: &mut Graph, held: &mut SideMap<ValueData, Held>, value: Value) -> Built {
    let Held { whole, bytes } = held[value];
    match (whole, bytes) {
        (_, Some(bytes)) => Ok(bytes),
        (Some(whole), None) => {
            let made = call(graph, "aten.view.dtype", vec![Arg::Value(whole), Arg::Dtype(Dtype::Int8)])?;
            held.insert(value, Held { whole: Some(whole), bytes: Some(made) });
            Ok(made)
        }
        (None, None) => Err(MetaError::new(Status::Internal, "graph", "a value is not held")),
    }
}

fn whole(old: &Graph, graph: &mut Graph, held: &mut SideMap<ValueData, Held>, value: Value) -> Built {
    if let Some(whole) = held[value].whole {
        return Ok(whole);
    }
    let own = bytes(graph, held, value)?;
    let made = call(graph, "aten.view.dtype", vec![Arg::Value(own), Arg::Dtype(old.meta(value).dtype)])?;
    held.insert(value, Held { whole: Some(made), bytes: Some(own) });
    Ok(made)
}

fn rebuilt(old: &Graph) -> Result<Graph, DecomposeError> {
    let mut new = old.new_subgraph(&old.name);
    new.guards = old.guards.clone();
    new.symbols = old.symbols.clone();
    new.results = old.results.clone();
    let mut held: SideMap<ValueData, Held> = SideMap::new();
    let as_is = |value: Value| Held { whole: Some(value), bytes: None };
    for input in &old.inputs {
        let value = new.add_input_like(input, old.meta(input.value).clone());
        held.insert(input.value, as_is(value));
    }
    for constant in &old.constants {
        let value = new.add_constant_like(constant, old.meta(constant.value).clone());
        held.insert(constant.value, as_is(value));
    }
    for id in &old.order {
        let node = &old.nodes[*id];
        new.making = old.origins_of(*id);
        if has_bytes(old, node) && node.op.class() != Class::Control {
            let results = moved(old, &mut new, node, &mut held).map_err(|e| e.at(&new.making))?;
            for (before, after) in node.outputs.iter().zip(results) {
                let own = if old.meta(*before).dtype.is_float8() {
                    Held { whole: None, bytes: Some(after) }
                } else {
                    as_is(after)
                };
                held.insert(*before, own);
            }
            continue;
        }
        let mut args = node.args.clone();
        for value in node.args.iter().flat_map(Arg::values) {
            whole(old, &mut new, &mut held, value)?;
        }
        args.iter_mut().for_each(|a| a.map_values(&mut |v| held[v].whole.unwrap_or(v)));
        let metas = node.outputs.iter().map(|v| old.meta(*v).clone()).collect();
        let made = new.add_node(node.op, node.form, args, metas);
        let results = new.nodes[made].outputs.clone();
        for (before, after) in node.outputs.iter().zip(results) {
            held.insert(*before, as_is(after));
        }
    }
    new.making = Vec::new();
    for output in &old.outputs {
        let value = match output.value {
            OutputValue::Tensor(v) => OutputValue::Tensor(whole(old, &mut new, &mut held, v)?),
            number => number,
        };
        new.add_output(&output.name, value);
        if let Some(last) = new.outputs.last_mut() {
            (last.alias, last.shown) = (output.alias, output.shown.clone());
        }
    }
    for write in &old.writes {
        let value = whole(old, &mut new, &mut held, write.value)?;
        new.writes.push(Write { value, ..*write });
    }
    Ok(new)
}

/// A node on bytes.
fn moved(
    old: &Graph,
    new: &mut Graph,
    node: &Node,
    held: &mut SideMap<ValueData, Held>,
) -> Result<Vec<Value>, DecomposeError> {
    let mut args = node.args.clone();
    let mut values = Vec::new();
    for value in node.args.iter().flat_map(Arg::values) {
        let own = match old.meta(value).dtype.is_float8() {
            true => bytes(new, held, value)?,
            false => whole(old, new, held, value)?,
        };
        values.push((value, own));
    }
    let made = |v: Value| values.iter().find(|(before, _)| *before == v).map_or(v, |(_, after)| *after);
    args.iter_mut().for_each(|a| a.map_values(&mut |v| made(v)));
    let Some(to) = node.outputs.first().map(|v| old.meta(*v).dtype) else {
        return Err(MetaError::new(Status::Unsupported, node.name(), "takes no float8 numbers"));
    };
    if let (Some(source), true) = (node.op.converted(), node.op != OpId::ViewDtype) {
        let from = node.op.schema().arg(source).and_then(|k| node.args[k].value());
        if let Some(from) = from
            && old.meta(from).dtype != to
        {
            return Ok(vec![converted(old, new, node, (made(from), old.meta(from).dtype), to)?]);
        }
    }
    for arg in &mut args {
        if let Arg::Dtype(dtype) = arg {
            *dtype = dtype.stored();
        }
    }
    Builder::new(new).call(node.op, Form::Functional, args)
}

/// Another dtype: from bytes to float32, and from float32 to bytes.
fn converted(old: &Graph, new: &mut Graph, node: &Node, (value, from): (Value, Dtype), to: Dtype) -> Built {
    let mut value = value;
    if from.is_float8() {
        value = call(new, "litz.float8_value.default", vec![Arg::Value(value), Arg::Dtype(from)])?;
    }
    if to.is_float8() {
        value = call(new, "aten.to.dtype", vec![Arg::Value(value), Arg::Dtype(Dtype::Float32)])?;
        value = call(new, "litz.float8_bits.default", vec![Arg::Value(value), Arg::Dtype(to)])?;
    } else {
        value = call(new, "aten.to.dtype", vec![Arg::Value(value), Arg::Dtype(to)])?;
    }
    let shape = &old.meta(node.outputs[0]).shape;
    if new.meta(value).shape == *shape {
        return Ok(value);
    }
    call(new, "aten.expand.default", vec![Arg::Value(value), Arg::Ints(shape.clone())])
}
