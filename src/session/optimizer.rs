//! Optimizer steps appended to a graph: parameters, and the state that goes with them, updated in place.
//!
//! The formulas are those of PyTorch's `torch.optim` (named at each); the state of a parameter is buffers named after it, so that
//! a checkpoint holds them. Arithmetic is done in float32, or float64 for parameters of that dtype. A parameter of 16 bits has, where
//! `master_weights` asks for it, a float32 copy that is updated in its place, and of which it is the rounding.
//!
//! Deliberately absent: gradients (`gradients`), and launching all updates at once, which the scheduler does.

use super::SessionError;
use crate::base::Status;
use crate::ir::{Arg, ConstantData, ConstantKind, Definition, Graph, Value};
use crate::meta::{Builder, MetaError};
use crate::ops::{Form, OpId};
use crate::types::{Dtype, TensorMeta};
use std::sync::Arc;

/// A hyper-parameter: a number, or a float of the graph with no dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hyper {
    Number(f64),
    Tensor(Value),
}

/// The optimizers and their hyper-parameters, with PyTorch's usual values.
const KINDS: &[Kind] = &[
    (
        "sgd",
        sgd,
        &[
            ("lr", 1e-3),
            ("momentum", 0.0),
            ("dampening", 0.0),
            ("weight_decay", 0.0),
            ("nesterov", 0.0),
            ("maximize", 0.0),
        ],
    ),
    (
        "adam",
        adam,
        &[
            ("lr", 1e-3),
            ("beta1", 0.9),
            ("beta2", 0.999),
            ("eps", 1e-8),
            ("weight_decay", 0.0),
            ("amsgrad", 0.0),
            ("maximize", 0.0),
        ],
    ),
    (
        "adamw",
        adamw,
        &[
            ("lr", 1e-3),
            ("beta1", 0.9),
            ("beta2", 0.999),
            ("eps", 1e-8),
            ("weight_decay", 1e-2),
            ("amsgrad", 0.0),
            ("maximize", 0.0),
        ],
    ),
    (
        "adagrad",
        adagrad,
        &[("lr", 1e-2), ("lr_decay", 0.0), ("weight_decay", 0.0), ("eps", 1e-10), ("maximize", 0.0)],
    ),
    (
        "rmsprop",
        rmsprop,
        &[
            ("lr", 1e-2),
            ("alpha", 0.99),
            ("eps", 1e-8),
            ("weight_decay", 0.0),
            ("momentum", 0.0),
            ("centered", 0.0),
            ("maximize", 0.0),
        ],
    ),
    (
        "lion",
        lion,
        &[("lr", 1e-4), ("beta1", 0.9), ("beta2", 0.99), ("weight_decay", 0.0), ("maximize", 0.0)],
    ),
];

/// For every optimizer.
const COMMON: &[(&str, f64)] = &[("master_weights", 0.0)];

/// A name, the rule, and the hyper-parameters.
type Kind = (&'static str, Rule, &'static [(&'static str, f64)]);
type Built<T = Value> = Result<T, SessionError>;
type Rule = fn(&mut Update<'_>) -> Built;

/// The number of steps taken so far, of all parameters.
const STEP: &str = "optimizer.step";

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
    for (k, (parameter, gradient)) in pairs.iter().enumerate() {
        check_pair(graph, *parameter, *gradient)?;
        if pairs[..k].iter().any(|(other, _)| other == parameter) {
            let message = format!("the parameter `{}` is given twice", name_of(graph, *parameter));
            return Err(SessionError::invalid(message));
        }
    }
    let count = counted(graph)?;
    for (parameter, gradient) in pairs {
        let name = name_of(graph, *parameter);
        let dtype = graph.meta(*parameter).dtype.compute();
        let mut update = Update {
            graph,
            hyper: &hyper,
            name,
            dtype,
            count,
            parameter: *parameter,
            weight: *parameter,
            gradient: *gradient,
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

fn name_of(graph: &Graph, parameter: Value) -> String {
    match graph.values[parameter].definition {
        Definition::Constant(k) => graph.constants[k].name.clone(),
        _ => parameter.to_string(),
    }
}

/// The number of this step, counted from 1, as float64; the buffer is counted up.
fn counted(graph: &mut Graph) -> Built {
    let known = graph.constants.iter().find(|c| c.name == STEP).map(|c| c.value);
    let step = match known {
        Some(step) => step,
        None => zeros(graph, STEP, TensorMeta::contiguous(&graph.syms, Dtype::Int64, Vec::new()))?,
    };
    let one = Arg::Int(graph.syms.constant(1));
    let next = Builder::new(graph).op("aten.add.Scalar", vec![Arg::Value(step), one])?;
    written(graph, step, next)?;
    let wide = vec![Arg::Value(next), Arg::Dtype(Dtype::Float64)];
    Ok(Builder::new(graph).op("aten.to.dtype", wide)?)
}

/// A new buffer of zeros.
fn zeros(graph: &mut Graph, name: &str, meta: TensorMeta) -> Built {
    let shape = graph.syms.as_consts(&meta.shape).unwrap_or_default();
    let bytes = shape.iter().product::<i64>() as usize * meta.dtype.size();
    with_bytes(graph, name, meta, vec![0; bytes])
}

fn with_bytes(graph: &mut Graph, name: &str, meta: TensorMeta, bytes: Vec<u8>) -> Built {
    let is_taken =
        graph.inputs.iter().any(|i| i.name == name) || graph.constants.iter().any(|c| c.name == name);
    if is_taken {
        return Err(SessionError::invalid(format!("the name `{name}` of an optimizer's state is taken")));
    }
    let meta = TensorMeta::contiguous(&graph.syms, meta.dtype, meta.shape);
    let data = Arc::new(ConstantData::Owned(bytes));
    Ok(graph.add_constant(name, ConstantKind::Buffer, meta, data))
}

/// Writes a value to what a constant holds.
fn written(graph: &mut Graph, target: Value, value: Value) -> Result<(), MetaError> {
    let args = vec![Arg::Value(target), Arg::Value(value), Arg::Bool(false)];
    Builder::new(graph).call(OpId::Copy, Form::InPlace, args).map(|_| ())
}

/// One parameter being updated.
struct Update<'g> {
    graph: &'g mut Graph,
    hyper: &'g [(&'static str, Hyper)],
    name: String,
    /// What arithmetic is done in.
    dtype: Dtype,
    /// The number of this step.
    count: Value,
    parameter: Value,
    /// The parameter as it is computed with.
    weight: Value,
    gradient: Value,
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
            written(self.graph, master, new)?;
        }
        let rounded = self.cast(new, own)?;
        Ok(written(self.graph, self.parameter, rounded)?)
    }

    /// The float32 copy of a parameter of 16 bits.
    fn master(&mut self) -> Built {
        let name = format!("{}.master", self.name);
        if let Some(known) = self.graph.constants.iter().find(|c| c.name == name) {
            return Ok(known.value);
        }
        let Definition::Constant(k) = self.graph.values[self.parameter].definition else {
            return Err(SessionError::invalid("a parameter is a constant"));
        };
        let constant = &self.graph.constants[k];
        let own = self.graph.meta(self.parameter);
        let wide = |b: &[u8]| match own.dtype {
            Dtype::Float16 => half::f16::from_le_bytes([b[0], b[1]]).to_f32(),
            _ => half::bf16::from_le_bytes([b[0], b[1]]).to_f32(),
        };
        let wide = constant.data.bytes().chunks_exact(2).flat_map(|b| wide(b).to_le_bytes()).collect();
        let meta = TensorMeta::contiguous(&self.graph.syms, Dtype::Float32, own.shape.clone());
        with_bytes(self.graph, &name, meta, wide)
    }

    /// A state of the parameter, with its sizes; zeros at first.
    fn state(&mut self, what: &str) -> Built {
        let name = format!("{}.{what}", self.name);
        if let Some(known) = self.graph.constants.iter().find(|c| c.name == name) {
            return Ok(known.value);
        }
        let shape = self.graph.meta(self.parameter).shape.clone();
        let meta = TensorMeta::contiguous(&self.graph.syms, self.dtype, shape);
        zeros(self.graph, &name, meta)
    }
    fn keep(&mut self, state: Value, value: Value) -> Built {
        written(self.graph, state, value)?;
        Ok(value)
    }

    fn hyper(&self, name: &str) -> Hyper {
        let found = self.hyper.iter().find(|(known, _)| *known == name);
        found.map_or(Hyper::Number(0.0), |(_, value)| *value)
    }
    /// A hyper-parameter that says yes or no.
    fn flag(&self, name: &str) -> Built<bool> {
        match self.hyper(name) {
            Hyper::Number(number) => Ok(number != 0.0),
            Hyper::Tensor(_) => {
                Err(SessionError::invalid(format!("the hyper-parameter `{name}` is 0 or 1, not a tensor")))
            }
        }
    }
    fn is_zero(&self, name: &str) -> bool {
        self.hyper(name) == Hyper::Number(0.0)
    }

    fn call(&mut self, name: &str, args: Vec<Arg>) -> Built {
        Ok(Builder::new(self.graph).op(name, args)?)
    }
    fn unary(&mut self, name: &str, a: Value) -> Built {
        self.call(&format!("aten.{name}.default"), vec![Arg::Value(a)])
    }
    fn cast(&mut self, a: Value, dtype: Dtype) -> Built {
        if self.graph.meta(a).dtype == dtype {
            return Ok(a);
        }
        self.call("aten.to.dtype", vec![Arg::Value(a), Arg::Dtype(dtype)])
    }
    fn binary(&mut self, name: &str, a: Value, b: Hyper) -> Built {
        match b {
            Hyper::Number(b) => self.call(&format!("aten.{name}.Scalar"), vec![Arg::Value(a), Arg::Float(b)]),
            Hyper::Tensor(b) => self.call(&format!("aten.{name}.Tensor"), vec![Arg::Value(a), Arg::Value(b)]),
        }
    }
    fn add(&mut self, a: Value, b: Value) -> Built {
        self.binary("add", a, Hyper::Tensor(b))
    }
    fn sub(&mut self, a: Value, b: Value) -> Built {
        self.binary("sub", a, Hyper::Tensor(b))
    }
    fn mul(&mut self, a: Value, b: Value) -> Built {
        self.binary("mul", a, Hyper::Tensor(b))
    }
    fn scaled(&mut self, a: Value, by: &str) -> Built {
        let by = self.hyper(by);
        self.binary("mul", a, by)
    }
    /// `1 - hyper`.
    fn rest(&mut self, name: &str) -> Built<Hyper> {
        Ok(match self.hyper(name) {
            Hyper::Number(number) => Hyper::Number(1.0 - number),
            Hyper::Tensor(value) => {
                Hyper::Tensor(self.call("aten.rsub.Scalar", vec![Arg::Value(value), Arg::Float(1.0)])?)
            }
        })
    }
    /// `a * hyper + b * (1 - hyper)`.
    fn blend(&mut self, a: Value, b: Value, name: &str) -> Built {
        let (kept, rest) = (self.scaled(a, name)?, self.rest(name)?);
        let new = self.binary("mul", b, rest)?;
        self.add(kept, new)
    }
    /// `1 - hyper^step`, in the dtype of the arithmetic.
    fn correction(&mut self, name: &str) -> Built {
        let count = Arg::Value(self.count);
        let power = match self.hyper(name) {
            Hyper::Number(base) => self.call("aten.pow.Scalar", vec![Arg::Float(base), count])?,
            Hyper::Tensor(base) => self.call("aten.pow.Tensor_Tensor", vec![Arg::Value(base), count])?,
        };
        let rest = self.call("aten.rsub.Scalar", vec![Arg::Value(power), Arg::Float(1.0)])?;
        self.cast(rest, self.dtype)
    }
    /// The gradient with `weight_decay` times the parameter.
    fn decayed(&mut self) -> Built {
        if self.is_zero("weight_decay") {
            return Ok(self.gradient);
        }
        let decay = self.scaled(self.weight, "weight_decay")?;
        self.add(self.gradient, decay)
    }
    /// The parameter times `1 - lr * weight_decay`.
    fn shrunk(&mut self) -> Built {
        if self.is_zero("weight_decay") {
            return Ok(self.weight);
        }
        let by = self.scaled(self.weight, "weight_decay")?;
        let by = self.scaled(by, "lr")?;
        self.sub(self.weight, by)
    }
}

/// `torch.optim.SGD`.
fn sgd(u: &mut Update<'_>) -> Built {
    let gradient = u.decayed()?;
    let mut direction = gradient;
    if !u.is_zero("momentum") {
        let buffer = u.state("momentum_buffer")?;
        let kept = u.scaled(buffer, "momentum")?;
        let rest = u.rest("dampening")?;
        let new = u.binary("mul", gradient, rest)?;
        let sum = u.add(kept, new)?;
        // The first step takes the gradient as it is.
        let first = u.call("aten.eq.Scalar", vec![Arg::Value(u.count), Arg::Float(1.0)])?;
        let sum =
            u.call("aten.where.self", vec![Arg::Value(first), Arg::Value(gradient), Arg::Value(sum)])?;
        let momentum = u.keep(buffer, sum)?;
        direction = match u.flag("nesterov")? {
            true => {
                let ahead = u.scaled(momentum, "momentum")?;
                u.add(gradient, ahead)?
            }
            false => momentum,
        };
    }
    let by = u.scaled(direction, "lr")?;
    u.sub(u.weight, by)
}

/// `torch.optim.Adam`: weight decay is part of the gradient.
fn adam(u: &mut Update<'_>) -> Built {
    let gradient = u.decayed()?;
    let weight = u.weight;
    moments(u, weight, gradient)
}

/// `torch.optim.AdamW`: weight decay shrinks the parameter.
fn adamw(u: &mut Update<'_>) -> Built {
    let weight = u.shrunk()?;
    let gradient = u.gradient;
    moments(u, weight, gradient)
}

fn moments(u: &mut Update<'_>, weight: Value, gradient: Value) -> Built {
    let (first, second) = (u.state("exp_avg")?, u.state("exp_avg_sq")?);
    let mean = u.blend(first, gradient, "beta1")?;
    let mean = u.keep(first, mean)?;
    let square = u.mul(gradient, gradient)?;
    let mut spread = u.blend(second, square, "beta2")?;
    spread = u.keep(second, spread)?;
    if u.flag("amsgrad")? {
        let most = u.state("max_exp_avg_sq")?;
        let larger = u.call("aten.maximum.default", vec![Arg::Value(most), Arg::Value(spread)])?;
        spread = u.keep(most, larger)?;
    }
    let root = u.unary("sqrt", spread)?;
    let correction = u.correction("beta2")?;
    let correction = u.unary("sqrt", correction)?;
    let root = u.binary("div", root, Hyper::Tensor(correction))?;
    let eps = u.hyper("eps");
    let divisor = u.binary("add", root, eps)?;
    let correction = u.correction("beta1")?;
    let mean = u.binary("div", mean, Hyper::Tensor(correction))?;
    let direction = u.binary("div", mean, Hyper::Tensor(divisor))?;
    let by = u.scaled(direction, "lr")?;
    u.sub(weight, by)
}

/// `torch.optim.Adagrad`.
fn adagrad(u: &mut Update<'_>) -> Built {
    let gradient = u.decayed()?;
    let sum = u.state("sum")?;
    let square = u.mul(gradient, gradient)?;
    let total = u.add(sum, square)?;
    let total = u.keep(sum, total)?;
    let root = u.unary("sqrt", total)?;
    let eps = u.hyper("eps");
    let divisor = u.binary("add", root, eps)?;
    let direction = u.binary("div", gradient, Hyper::Tensor(divisor))?;
    let mut by = u.scaled(direction, "lr")?;
    if !u.is_zero("lr_decay") {
        let before = u.call("aten.sub.Scalar", vec![Arg::Value(u.count), Arg::Float(1.0)])?;
        let slowed = u.scaled(before, "lr_decay")?;
        let slowed = u.call("aten.add.Scalar", vec![Arg::Value(slowed), Arg::Float(1.0)])?;
        let slowed = u.cast(slowed, u.dtype)?;
        by = u.binary("div", by, Hyper::Tensor(slowed))?;
    }
    u.sub(u.weight, by)
}

/// `torch.optim.RMSprop`.
fn rmsprop(u: &mut Update<'_>) -> Built {
    let gradient = u.decayed()?;
    let average = u.state("square_avg")?;
    let square = u.mul(gradient, gradient)?;
    let mut spread = u.blend(average, square, "alpha")?;
    spread = u.keep(average, spread)?;
    if u.flag("centered")? {
        let center = u.state("grad_avg")?;
        let mean = u.blend(center, gradient, "alpha")?;
        let mean = u.keep(center, mean)?;
        let square = u.mul(mean, mean)?;
        spread = u.sub(spread, square)?;
    }
    let root = u.unary("sqrt", spread)?;
    let eps = u.hyper("eps");
    let divisor = u.binary("add", root, eps)?;
    let mut direction = u.binary("div", gradient, Hyper::Tensor(divisor))?;
    if !u.is_zero("momentum") {
        let buffer = u.state("momentum_buffer")?;
        let kept = u.scaled(buffer, "momentum")?;
        let sum = u.add(kept, direction)?;
        direction = u.keep(buffer, sum)?;
    }
    let by = u.scaled(direction, "lr")?;
    u.sub(u.weight, by)
}

/// Lion (Chen et al., 2023): the sign of a blend of momentum and gradient.
fn lion(u: &mut Update<'_>) -> Built {
    let weight = u.shrunk()?;
    let momentum = u.state("exp_avg")?;
    let blend = u.blend(momentum, u.gradient, "beta1")?;
    let direction = u.unary("sign", blend)?;
    let next = u.blend(momentum, u.gradient, "beta2")?;
    u.keep(momentum, next)?;
    let by = u.scaled(direction, "lr")?;
    u.sub(weight, by)
}
