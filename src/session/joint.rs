//! Joint graphs: a program's outputs and, from cotangents of these, the gradients of its floating inputs and parameters.
//!
//! The cotangents are the last inputs, and the gradients the last outputs. A joint graph that is exported says so in its metadata
//! under [`JOINT`], with what running the program changes and shares.
//!
//! Deliberately absent: dividing a joint graph (`session::division`).

use super::division::unmarked;
use super::registry::Point;
use super::{Options, SessionError, Timing, backends, run_passes};
use crate::base::{Status, json};
use crate::decompose::{Own, Rules, complex, decompose_by, parts};
use crate::differentiate::{Joint, backward_rules, gradients};
use crate::functionalize::{functionalize_again, functionalize_apart};
use crate::ir::spec::JOINT;
use crate::ir::{Alias, Arg, ConstantKind, Definition, Graph, OutputValue, Shown, Value};
use crate::meta::{Builder, MetaError};
use crate::types::{TensorMeta, dense_order};
use serde_json::Value as Json;
use std::borrow::Cow;

/// What gradients are given of, in order: floating inputs, then floating parameters.
pub(super) fn wanted(graph: &Graph) -> Vec<(String, Value)> {
    let floating = |value: &Value| graph.meta(*value).dtype.is_continuous();
    let inputs = graph.inputs.iter().filter(|i| i.symbol.is_none()).map(|i| (i.name.clone(), i.value));
    let parameters = graph.constants.iter().filter(|c| c.kind == ConstantKind::Parameter);
    let parameters = parameters.map(|c| (c.name.clone(), c.value));
    inputs.chain(parameters).filter(|(_, v)| floating(v)).collect()
}

/// A joint graph, and the place of each gradient among those that exist.
pub(super) struct Appended {
    pub joint: Joint,
    pub places: Vec<Option<usize>>,
    /// The names of outputs that have a cotangent.
    weighted: Vec<String>,
}

/// The joint graph of a functional one.
pub(super) fn appended(graph: &Graph) -> Result<Appended, SessionError> {
    if let Some(constant) = graph.constants.iter().find(|c| !c.views.is_empty()) {
        let message =
            format!("training with parameters that are parts of one storage (`{}`)", constant.views[0].name);
        return Err(SessionError::Option { status: Status::Unsupported, message });
    }
    let mut joint = graph.clone();
    let (inputs, outputs) = (graph.inputs.len(), graph.outputs.len());
    let (mut weighted, mut names) = (Vec::new(), Vec::new());
    for output in &graph.outputs {
        if let OutputValue::Tensor(value) = output.value
            && graph.meta(value).dtype.is_continuous()
        {
            let meta = graph.meta(value);
            let meta = TensorMeta::contiguous(&graph.syms, meta.dtype, meta.shape.clone());
            let cotangent = joint.add_input(&format!("cotangent of {}", output.name), meta);
            weighted.push((value, Some(cotangent)));
            names.push(output.name.clone());
        }
    }
    let wanted = wanted(graph);
    let wrt: Vec<Value> = wanted.iter().map(|(_, value)| *value).collect();
    let found = gradients(&mut joint, &weighted, &wrt)?;
    let mut places = Vec::with_capacity(found.len());
    let mut count = 0;
    for (k, ((name, _), gradient)) in wanted.iter().zip(found).enumerate() {
        places.push(gradient.map(|_| count));
        if let Some(gradient) = gradient {
            let gradient = laid_out(&mut joint, gradient, wrt[k])?;
            joint.add_output(&format!("gradient of {name}"), OutputValue::Tensor(gradient));
            let TensorMeta { dtype, shape, strides, .. } = joint.meta(gradient).clone();
            if let Some(output) = joint.outputs.last_mut() {
                // A pass may put a value with other strides in the gradient's place.
                output.shown = Some(Shown { dtype, shape, strides, base: None, storage: None });
            }
            count += 1;
        }
    }
    Ok(Appended { joint: Joint { graph: joint, outputs, inputs }, places, weighted: names })
}

/// A gradient with the strides that PyTorch gives the gradient of a leaf: those of the leaf if it is dense, and contiguous ones
/// otherwise. Strides of dimensions of size 1 may differ, as in PyTorch. No two elements of the result share a place, so that a host may
/// write to it.
fn laid_out(graph: &mut Graph, gradient: Value, leaf: Value) -> Result<Value, MetaError> {
    let meta = graph.meta(leaf);
    let order = dense_order(&graph.syms, &meta.shape, &meta.strides);
    let order = order.filter(|_| !meta.is_contiguous(&graph.syms));
    let Some(order) = order else {
        return Builder::new(graph).op("aten.contiguous.default", vec![Arg::Value(gradient)]);
    };
    let mut inverse = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, from)| inverse[*from] = k);
    let [there, back] = [&order, &inverse]
        .map(|dims| Arg::Ints(dims.iter().map(|d| graph.syms.constant(*d as i64)).collect()));
    let mut build = Builder::new(graph);
    let turned = build.op("aten.permute.default", vec![Arg::Value(gradient), there])?;
    let dense = build.op("aten.contiguous.default", vec![Arg::Value(turned)])?;
    build.op("aten.permute.default", vec![Arg::Value(dense), back])
}

/// The joint graph, ready to be divided: decomposed, with normalisations in their parts, and after a host's passes at `joint` and
/// Litz's own.
pub(super) fn ready(
    appended: Appended,
    options: &Options,
    timing: &mut Timing<'_>,
) -> Result<(Joint, Vec<Option<usize>>), SessionError> {
    let Appended { joint, places, .. } = appended;
    let backend = backends::wanted(options)?;
    let target = backend.target();
    let registry = options.registered();
    let kernels = backend.kernels(target.as_ref(), registry.rules());
    let mut host = parts::divided(backend.rounds_within(options, target.as_ref()));
    host.extend(backward_rules(&joint.graph));
    host.extend(registry.rules().iter().map(|(what, rule)| (*what, rule.clone())));
    let rules = Rules { host: &host, own: Own::All, kernels };
    let mut graph = timing.stage("decompose", || decompose_by(&joint.graph, rules))?;
    if registry.has_passes() && timing.stage("joint", || registry.run(Point::Joint, &mut graph))? {
        graph = decompose_by(&functionalize_again(&graph)?, rules)?;
    }
    run_passes(&mut graph, timing)?;
    Ok((Joint { graph, ..joint }, places))
}

/// The joint graph of a program, whose metadata describe it.
pub fn export_joint(graph: &Graph, options: &Options) -> Result<Graph, SessionError> {
    let _watching = options.cancellable();
    let graph = options.meant(Cow::Borrowed(graph))?;
    let pure = functionalize_apart(&unmarked(&graph).0)?;
    // Complex numbers have derivatives by their parts.
    let pure = complex::split(&pure)?.unwrap_or(pure);
    let made = appended(&pure)?;
    let text = description(&pure, &made).to_string();
    let mut joint = made.joint.graph;
    joint.spec.metadata.insert(JOINT.to_string(), text);
    Ok(joint)
}

fn description(graph: &Graph, made: &Appended) -> Json {
    let of = |target: Definition| match target {
        Definition::Input(k) => json!({"kind": "input", "name": graph.inputs[k].name}),
        Definition::Constant(k) => {
            let kind = match graph.constants[k].kind {
                ConstantKind::Parameter => "parameter",
                ConstantKind::Buffer => "buffer",
                ConstantKind::Constant => "constant",
            };
            json!({"kind": kind, "name": graph.constants[k].name})
        }
        Definition::Node { .. } => Json::Null,
    };
    let cotangents = made.weighted.iter().enumerate();
    let cotangents: Vec<Json> =
        cotangents.map(|(k, name)| json!({"input": made.joint.inputs + k, "output": name})).collect();
    let wanted = wanted(graph);
    let gradients: Vec<Json> = wanted
        .iter()
        .zip(&made.places)
        .map(|((_, value), place)| {
            let output = place.map(|k| made.joint.outputs + k);
            json!({"of": of(graph.values[*value].definition), "output": output})
        })
        .collect();
    let mutations: Vec<Json> = graph.writes.iter().map(|w| of(w.target)).collect();
    let aliases = graph.outputs.iter().filter_map(|output| {
        let with = match output.alias? {
            Alias::Input(k) => of(Definition::Input(k)),
            Alias::Constant(k) => of(Definition::Constant(k)),
            Alias::Output(k) => json!({"kind": "output", "name": graph.outputs[k].name}),
        };
        Some(json!({"output": output.name, "with": with}))
    });
    json!({
        "inputs": made.joint.inputs,
        "outputs": made.joint.outputs,
        "cotangents": cotangents,
        "gradients": gradients,
        "mutations": mutations,
        "aliases": aliases.collect::<Vec<_>>(),
    })
}
