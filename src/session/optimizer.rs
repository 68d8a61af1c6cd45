//! Optimizer steps appended to a graph: parameters, and the state that goes with them, updated in place.
//!
//! Gradients are prepared first (`optimizer_gradients`). A run that is no step, since gradients are still being added up or one of
//! them is not finite, leaves parameters and state as they were. The state of a parameter is buffers named after it, so that a checkpoint holds them.
//! Arithmetic is done in float32, or float64 for parameters of that dtype. A parameter of 16 bits has, where `master_weights`
//! asks for it, a float32 copy that is updated in its place, and of which it is the rounding. Calls for other parameters, with
//! hyper-parameters of their own, belong to one step.
//!
//! Deliberately absent: the formulas (`optimizer_rules`), gradients (`gradients`), and launching all updates at once, which the
//! scheduler does.

use super::SessionError;
use super::optimizer_gradients::Gradients;
use super::optimizer_rules::KINDS;
use crate::base::{HashMap, HashSet, Status};
use crate::ir::{Arg, ConstantData, ConstantKind, Definition, Graph, Value};
use crate::meta::{Builder, MetaError};
use crate::ops::{Form, OpId};
use crate::types::{Dtype, SymInt, TensorMeta};
use std::sync::Arc;

/// A hyper-parameter: a number, or a float of the graph with no dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hyper {
    Number(f64),
    Tensor(Value),
}

/// For every optimizer.
const COMMON: &[(&str, f64)] = &[
    ("master_weights", 0.0),
    ("loss_scale", 0.0),
    ("skip_nonfinite", 0.0),
    ("accumulate", 1.0),
    ("clip_grad_norm", 0.0),
    ("clip_grad_value", 0.0),
    ("ema_decay", 0.0),
];

/// A name, the rule, and the hyper-parameters.
pub(super) type Kind = (&'static str, Rule, &'static [(&'static str, f64)]);
pub(super) type Built<T = Value> = Result<T, SessionError>;
pub(super) type Rule = fn(&mut Update<'_>) -> Built;

/// The number of steps taken so far, of all parameters.
const STEP: &str = "optimizer.step";
/// The number of steps that were left out because a gradient was NaN or infinite.
pub(super) const SKIPPED: &str = "optimizer.skipped";
/// The number of runs whose gradients were added up since the last step.
pub(super) const GATHERED: &str = "optimizer.gathered";

/// Appends one step of the optimizer of this kind. A failed call may leave nodes behind; give it a copy of the graph.
pub fn step(
    graph: &mut Graph,
    kind: &str,
    pairs: &[(Value, Value)],
    hyper: &[(String, Hyper)],
) -> Result<(), SessionError> {
    let Some((_, rule, usual)) = KINDS.iter().find(|(name, ..)| *name == kind) else {
        let names: Vec<&str> = KINDS.iter().map(|k| k.0).collect();
        let message = format!("there is no optimizer `{kind}`; there are {}", names.join(", "));
        return Err(SessionError::Option { status: Status::Unsupported, message });
    };
    let known = || usual.iter().chain(COMMON);
    for (k, (name, value)) in hyper.iter().enumerate() {
        if !known().any(|(known, _)| known == name) {
            let names: Vec<&str> = known().map(|(name, _)| *name).collect();
            let message = format!("{kind} has no hyper-parameter `{name}`; it has {}", names.join(", "));
            return Err(SessionError::invalid(message));
        }
        if hyper[..k].iter().any(|(other, _)| other == name) {
            return Err(SessionError::invalid(format!("the hyper-parameter `{name}` is given twice")));
        }
        if let Hyper::Tensor(value) = value {
            let meta = graph.meta(*value);
            if !meta.dtype.is_float() || meta.rank() != 0 {
                let message = format!("the hyper-parameter `{name}` must be a float without dimensions");
                return Err(SessionError::invalid(message));
            }
        }
    }
    let hyper: Vec<(&str, Hyper)> = known()
        .map(|(name, usual)| {
            let given = hyper.iter().find(|(given, _)| given == name).map(|(_, value)| *value);
            (*name, given.unwrap_or(Hyper::Number(*usual)))
        })
        .collect();
    let mut given = HashSet::default();
    for (parameter, gradient) in pairs {
        check_pair(graph, *parameter, *gradient)?;
        if !given.insert(*parameter) {
            let message = format!("the parameter `{}` is given twice", name_of(graph, *parameter));
            return Err(SessionError::invalid(message));
        }
    }
    let gradients = Gradients { graph: &mut *graph, hyper: &hyper }.ready(pairs)?;
    let applies = gradients.applies;
    let count = match common_count(graph, pairs, applies)? {
        Some(count) => count,
        None => counted(graph, STEP, applies)?,
    };
    let count = {
        let wide = vec![Arg::Value(count), Arg::Dtype(Dtype::Float64)];
        Builder::new(graph).op("aten.to.dtype", wide)?
    };
    for ((parameter, _), gradient) in pairs.iter().zip(gradients.list) {
        let name = name_of(graph, *parameter);
        let dtype = graph.meta(*parameter).dtype.compute();
        let mut update = Update {
            graph,
            hyper: &hyper,
            name,
            dtype,
            count,
            applies,
            parameter: *parameter,
            weight: *parameter,
            gradient,
        };
        update.run(*rule)?;
    }
    Ok(())
}

fn check_pair(graph: &Graph, parameter: Value, gradient: Value) -> Result<(), SessionError> {
    let Definition::Constant(k) = graph.values[parameter].definition else {
        let message = format!("{} is no parameter of the graph", graph.describe_value(parameter));
        return Err(SessionError::invalid(message));
    };
    let (want, have) = (graph.meta(parameter), graph.meta(gradient));
    if want.shape != have.shape || !want.dtype.is_float() || !have.dtype.is_float() {
        let (syms, name) = (&graph.syms, &graph.constants[k].name);
        let message = format!(
            "the gradient of `{name}` is {} {}, and the parameter {} {}",
            have.dtype,
            syms.display_list(&have.shape),
            want.dtype,
            syms.display_list(&want.shape)
        );
        return Err(SessionError::Option { status: Status::Shape, message });
    }
    Ok(())
}

pub(super) fn name_of(graph: &Graph, parameter: Value) -> String {
    match graph.values[parameter].definition {
        Definition::Constant(k) => graph.constants[k].name.clone(),
        _ => parameter.to_string(),
    }
}

/// The constant of this name.
pub(super) fn constant_named(graph: &mut Graph, name: &str) -> Option<Value> {
    match graph.named(name)?.definition {
        Definition::Constant(k) => Some(&graph.constants[k]).filter(|c| c.name == name).map(|c| c.value),
        _ => None,
    }
}

/// The number of the step that an earlier call began for other parameters.
fn common_count(graph: &mut Graph, pairs: &[(Value, Value)], applies: Option<Value>) -> Built<Option<Value>> {
    let Some(step) = constant_named(graph, STEP) else { return Ok(None) };
    let nodes = graph.order.iter().map(|id| &graph.nodes[*id]);
    let args = nodes.filter(|n| n.op == OpId::Copy && n.form == Form::InPlace).map(|n| &n.args);
    let copies = args.filter_map(|args| match args.as_slice() {
        [Arg::Value(to), Arg::Value(from), ..] => Some((*to, *from)),
        _ => None,
    });
    // The last that is written to each.
    let written: HashMap<Value, Value> = copies.collect();
    let Some(count) = written.get(&step).copied() else { return Ok(None) };
    if pairs.iter().any(|(parameter, _)| written.contains_key(parameter)) {
        return Ok(None);
    }
    let is_plain = matches!(graph.values[count].definition, Definition::Node { node, .. } if graph.nodes[node].op == OpId::AddScalar);
    if applies.is_some() || !is_plain {
        let message = "the graph has an optimizer step for other parameters already; with `loss_scale`, `skip_nonfinite` or \
                       `accumulate`, all parameters are given in one call";
        return Err(SessionError::invalid(message));
    }
    Ok(Some(count))
}

/// A count, one higher where the condition holds, or always; the buffer holds that.
pub(super) fn counted(graph: &mut Graph, name: &str, when: Option<Value>) -> Built {
    let known = constant_named(graph, name);
    let count = match known {
        Some(count) => count,
        None => zeros(graph, name, TensorMeta::contiguous(&graph.syms, Dtype::Int64, Vec::new()))?,
    };
    let next = match when {
        None => {
            let one = Arg::Int(graph.syms.constant(1));
            Builder::new(graph).op("aten.add.Scalar", vec![Arg::Value(count), one])?
        }
        Some(when) => Builder::new(graph).op("aten.add.Tensor", vec![Arg::Value(count), Arg::Value(when)])?,
    };
    written(graph, count, next)?;
    Ok(next)
}

/// A new buffer of zeros.
pub(super) fn zeros(graph: &mut Graph, name: &str, meta: TensorMeta) -> Built {
    let shape = graph.syms.as_consts(&meta.shape).unwrap_or_default();
    let bytes = shape.iter().product::<i64>() as usize * meta.dtype.size();
    with_bytes(graph, name, meta, vec![0; bytes])
}

fn with_bytes(graph: &mut Graph, name: &str, meta: TensorMeta, bytes: Vec<u8>) -> Built {
    if graph.named(name).is_some() {
        return Err(SessionError::invalid(format!("the name `{name}` of an optimizer's state is taken")));
    }
    let data = Arc::new(ConstantData::Owned(bytes));
    Ok(graph.add_constant(name, ConstantKind::Buffer, meta, data))
}

/// Writes a value to what a constant holds.
pub(super) fn written(graph: &mut Graph, target: Value, value: Value) -> Result<(), MetaError> {
    let args = vec![Arg::Value(target), Arg::Value(value), Arg::Bool(false)];
    Builder::new(graph).call(OpId::Copy, Form::InPlace, args).map(|_| ())
}

/// One parameter being updated.
pub(super) struct Update<'g> {
    pub graph: &'g mut Graph,
    hyper: &'g [(&'static str, Hyper)],
    pub name: String,
    /// What arithmetic is done in.
    pub dtype: Dtype,
    /// The number of this step, counted from 1, as float64.
    pub count: Value,
    /// Whether this run is a step at all, if that is not known.
    applies: Option<Value>,
    pub parameter: Value,
    /// The parameter as it is computed with.
    pub weight: Value,
    pub gradient: Value,
}

impl Update<'_> {
    fn run(&mut self, rule: Rule) -> Built<()> {
        let own = self.graph.meta(self.parameter).dtype;
        let master = match own != self.dtype && self.flag("master_weights")? {
            true => Some(self.master()?),
            false => None,
        };
        self.weight = master.unwrap_or(self.parameter);
        self.weight = self.cast(self.weight, self.dtype)?;
        self.gradient = self.cast(self.gradient, self.dtype)?;
        if self.hyper.iter().any(|(name, _)| *name == "maximize") && self.flag("maximize")? {
            self.gradient = self.unary("neg", self.gradient)?;
        }
        let new = rule(self)?;
        if let Some(master) = master {
            self.keep(master, new)?;
        }
        if !self.is_zero("ema_decay") {
            let average = self.copied("ema", self.dtype)?;
            let next = self.blend(average, new, "ema_decay")?;
            // The first step takes the parameter as it is, as torch's AveragedModel does.
            let first = self.call("aten.eq.Scalar", vec![Arg::Value(self.count), Arg::Float(1.0)])?;
            let next =
                self.call("aten.where.self", vec![Arg::Value(first), Arg::Value(new), Arg::Value(next)])?;
            self.keep(average, next)?;
        }
        let rounded = self.cast(new, own)?;
        self.keep(self.parameter, rounded)?;
        Ok(())
    }

    /// The float32 copy of a parameter of 16 bits.
    fn master(&mut self) -> Built {
        self.copied("master", Dtype::Float32)
    }

    /// A state that begins as a copy of the parameter in this dtype.
    fn copied(&mut self, what: &str, dtype: Dtype) -> Built {
        let name = format!("{}.{what}", self.name);
        if let Some(known) = constant_named(self.graph, &name) {
            return Ok(known);
        }
        let Definition::Constant(k) = self.graph.values[self.parameter].definition else {
            return Err(SessionError::invalid("a parameter is a constant"));
        };
        let constant = &self.graph.constants[k];
        let own = self.graph.meta(self.parameter);
        let elements: i64 = self.graph.syms.as_consts(&own.shape).unwrap_or_default().iter().product();
        if constant.data.bytes().len() != elements as usize * own.dtype.size() {
            let message = format!("`{}` is a part of a larger storage, and has no `{name}`", self.name);
            return Err(SessionError::invalid(message));
        }
        let wide = |b: &[u8]| match own.dtype {
            Dtype::Float16 => half::f16::from_le_bytes([b[0], b[1]]).to_f32(),
            _ => half::bf16::from_le_bytes([b[0], b[1]]).to_f32(),
        };
        let wide = match own.dtype == dtype {
            true => constant.data.bytes().to_vec(),
            false => constant.data.bytes().chunks_exact(2).flat_map(|b| wide(b).to_le_bytes()).collect(),
        };
        // The elements lie as the parameter's do.
        let meta = TensorMeta { dtype, ..own.clone() };
        with_bytes(self.graph, &name, meta, wide)
    }

    /// A state of the parameter, with its sizes; zeros at first.
    pub fn state(&mut self, what: &str) -> Built {
        let shape = self.graph.meta(self.parameter).shape.clone();
        self.state_of(what, shape)
    }
    /// One of other sizes.
    pub fn state_of(&mut self, what: &str, shape: Vec<SymInt>) -> Built {
        let name = format!("{}.{what}", self.name);
        if let Some(known) = constant_named(self.graph, &name) {
            return Ok(known);
        }
        let meta = TensorMeta::contiguous(&self.graph.syms, self.dtype, shape);
        zeros(self.graph, &name, meta)
    }
    /// A state of the parameter, with its sizes, whose elements are a number at first.
    pub fn state_from(&mut self, what: &str, first: f64) -> Built {
        if first == 0.0 {
            return self.state(what);
        }
        let name = format!("{}.{what}", self.name);
        if let Some(known) = constant_named(self.graph, &name) {
            return Ok(known);
        }
        let shape = self.graph.meta(self.parameter).shape.clone();
        let count: i64 = self.graph.syms.as_consts(&shape).unwrap_or_default().iter().product();
        let bytes = match self.dtype {
            Dtype::Float64 => first.to_le_bytes().repeat(count as usize),
            _ => (first as f32).to_le_bytes().repeat(count as usize),
        };
        let meta = TensorMeta::contiguous(&self.graph.syms, self.dtype, shape);
        with_bytes(self.graph, &name, meta, bytes)
    }
    /// The state holds the value from here on; where the run is no step, what it held before.
    pub fn keep(&mut self, state: Value, value: Value) -> Built {
        let kept = match self.applies {
            None => value,
            Some(applies) => {
                let args = vec![Arg::Value(applies), Arg::Value(value), Arg::Value(state)];
                self.call("aten.where.self", args)?
            }
        };
        written(self.graph, state, kept)?;
        Ok(value)
    }
    /// The Euclidean norm of all elements.
    pub fn norm(&mut self, a: Value) -> Built {
        self.call("aten.linalg_vector_norm.default", vec![Arg::Value(a), Arg::Float(2.0)])
    }
    pub fn at_least(&mut self, a: Value, least: Hyper) -> Built {
        match least {
            Hyper::Number(n) => self.call("aten.clamp_min.default", vec![Arg::Value(a), Arg::Float(n)]),
            Hyper::Tensor(n) => self.call("aten.maximum.default", vec![Arg::Value(a), Arg::Value(n)]),
        }
    }
    /// `a + (b - a) * weight`.
    pub fn lerp(&mut self, a: Value, b: Value, weight: Value) -> Built {
        let way = self.sub(b, a)?;
        let part = self.mul(way, weight)?;
        self.add(a, part)
    }
    /// `beta * a + alpha * (b @ c)`.
    pub fn addmm(&mut self, a: Value, b: Value, c: Value, beta: f64, alpha: f64) -> Built {
        let args = [a, b, c].map(Arg::Value).to_vec();
        let named = vec![("beta", Arg::Float(beta)), ("alpha", Arg::Float(alpha))];
        Ok(Builder::new(self.graph).op_with("aten.addmm.default", args, named)?)
    }

    pub fn hyper(&self, name: &str) -> Hyper {
        let found = self.hyper.iter().find(|(known, _)| *known == name);
        found.map_or(Hyper::Number(0.0), |(_, value)| *value)
    }
    /// A hyper-parameter that says how a graph is built.
    pub fn number(&self, name: &str) -> Built<f64> {
        match self.hyper(name) {
            Hyper::Number(number) => Ok(number),
            Hyper::Tensor(_) => Err(SessionError::invalid(format!(
                "the hyper-parameter `{name}` must be a number, not a tensor"
            ))),
        }
    }
    /// A hyper-parameter that says yes or no.
    pub fn flag(&self, name: &str) -> Built<bool> {
        match self.hyper(name) {
            Hyper::Number(number) => Ok(number != 0.0),
            Hyper::Tensor(_) => {
                Err(SessionError::invalid(format!("the hyper-parameter `{name}` is 0 or 1, not a tensor")))
            }
        }
    }
    pub fn is_zero(&self, name: &str) -> bool {
        self.hyper(name) == Hyper::Number(0.0)
    }

    pub fn call(&mut self, name: &str, args: Vec<Arg>) -> Built {
        Ok(Builder::new(self.graph).op(name, args)?)
    }
    pub fn unary(&mut self, name: &str, a: Value) -> Built {
        self.call(&format!("aten.{name}.default"), vec![Arg::Value(a)])
    }
    pub fn cast(&mut self, a: Value, dtype: Dtype) -> Built {
        if self.graph.meta(a).dtype == dtype {
            return Ok(a);
        }
        self.call("aten.to.dtype", vec![Arg::Value(a), Arg::Dtype(dtype)])
    }
    pub fn binary(&mut self, name: &str, a: Value, b: Hyper) -> Built {
        match b {
            Hyper::Number(b) => self.call(&format!("aten.{name}.Scalar"), vec![Arg::Value(a), Arg::Float(b)]),
            Hyper::Tensor(b) => self.call(&format!("aten.{name}.Tensor"), vec![Arg::Value(a), Arg::Value(b)]),
        }
    }
    pub fn add(&mut self, a: Value, b: Value) -> Built {
        self.binary("add", a, Hyper::Tensor(b))
    }
    pub fn sub(&mut self, a: Value, b: Value) -> Built {
        self.binary("sub", a, Hyper::Tensor(b))
    }
    pub fn mul(&mut self, a: Value, b: Value) -> Built {
        self.binary("mul", a, Hyper::Tensor(b))
    }
    pub fn scaled(&mut self, a: Value, by: &str) -> Built {
        let by = self.hyper(by);
        self.binary("mul", a, by)
    }
    /// `1 - hyper`.
    pub fn rest(&mut self, name: &str) -> Built<Hyper> {
        Ok(match self.hyper(name) {
            Hyper::Number(number) => Hyper::Number(1.0 - number),
            Hyper::Tensor(value) => {
                Hyper::Tensor(self.call("aten.rsub.Scalar", vec![Arg::Value(value), Arg::Float(1.0)])?)
            }
        })
    }
    /// `a * hyper + b * (1 - hyper)`.
    pub fn blend(&mut self, a: Value, b: Value, name: &str) -> Built {
        let (kept, rest) = (self.scaled(a, name)?, self.rest(name)?);
        let new = self.binary("mul", b, rest)?;
        self.add(kept, new)
    }
    /// `1 - hyper^step`, in the dtype of the arithmetic.
    pub fn correction(&mut self, name: &str) -> Built {
        let count = Arg::Value(self.count);
        let power = match self.hyper(name) {
            Hyper::Number(base) => self.call("aten.pow.Scalar", vec![Arg::Float(base), count])?,
            Hyper::Tensor(base) => self.call("aten.pow.Tensor_Tensor", vec![Arg::Value(base), count])?,
        };
        let rest = self.call("aten.rsub.Scalar", vec![Arg::Value(power), Arg::Float(1.0)])?;
        self.cast(rest, self.dtype)
    }
    /// The gradient with `weight_decay` times the parameter.
    pub fn decayed(&mut self) -> Built {
        if self.is_zero("weight_decay") {
            return Ok(self.gradient);
        }
        let decay = self.scaled(self.weight, "weight_decay")?;
        self.add(self.gradient, decay)
    }
    /// The parameter times `1 - lr * weight_decay`.
    pub fn shrunk(&mut self) -> Built {
        if self.is_zero("weight_decay") {
            return Ok(self.weight);
        }
        let by = self.scaled(self.weight, "weight_decay")?;
        let by = self.scaled(by, "lr")?;
        self.sub(self.weight, by)
    }
}
