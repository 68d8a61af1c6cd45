//! Recurrent networks: whole layers over a sequence, and single cells.

use super::contraction::{made, same_dtype};
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::meta::{Infer, MetaError};
use crate::types::{SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// The parameters of one direction of one layer.
#[derive(Clone, Copy, Debug)]
pub struct RecurrentParameters {
    pub input: Value,
    pub hidden: Value,
    /// For the input and the hidden values.
    pub biases: Option<[Value; 2]>,
    pub projection: Option<Value>,
}

/// What a recurrent operator's arguments say.
#[derive(Clone, Debug)]
pub struct Recurrent {
    /// By layer, and then by direction.
    pub parameters: Vec<Vec<RecurrentParameters>>,
    /// The first hidden values, and an LSTM's first cell states.
    pub states: Vec<Value>,
    pub batch_first: bool,
    pub gates: i64,
    pub hidden: SymInt,
    pub projected: SymInt,
}

fn list(cx: &Infer<'_>, name: &str) -> Result<Vec<Value>, MetaError> {
    match cx.arg(name) {
        Arg::Value(value) => Ok(vec![*value]),
        Arg::Values(list) => Ok(list.iter().flatten().copied().collect()),
        _ => Err(cx.error(Status::InvalidArgument, format!("argument `{name}` must be tensors"))),
    }
}

/// How many gates the operator's cell has.
fn gates(cx: &Infer<'_>) -> i64 {
    let name = cx.op.name();
    if name.contains("lstm") {
        4
    } else if name.contains("gru") {
        3
    } else {
        1
    }
}

/// Reads and checks the arguments of a recurrent network.
pub fn recurrent_arguments(cx: &mut Infer<'_>) -> Result<Recurrent, MetaError> {
    let syms = cx.syms();
    let (states, params) = (list(cx, "hx")?, list(cx, "params")?);
    let lstm = cx.op.name().contains("lstm");
    if states.len() != if lstm { 2 } else { 1 } {
        return Err(cx.error(Status::InvalidArgument, format!("{} states given", states.len())));
    }
    // Every layer has parameters, so a number beyond theirs is wrong, and none that products overflow.
    let layers = usize::try_from(cx.known_int("num_layers")?).unwrap_or(0).min(params.len() + 1);
    let directions = if cx.bool("bidirectional") { 2 } else { 1 };
    let plain = if cx.bool("has_biases") { 4 } else { 2 };
    let each = layers.saturating_mul(directions);
    let projects = lstm && each > 0 && params.len() == each.saturating_mul(plain + 1);
    let per = plain + usize::from(projects);
    if each == 0 || params.len() != each.saturating_mul(per) {
        let message = format!("{} parameters for {layers} layers of {directions} directions", params.len());
        return Err(cx.error(Status::InvalidArgument, message));
    }
    if cx.bool("train") && layers > 1 {
        super::random::probability(cx)?;
    }
    let parameters: Vec<Vec<RecurrentParameters>> = params
        .chunks(per * directions)
        .map(|layer| {
            let one = |p: &[Value]| RecurrentParameters {
                input: p[0],
                hidden: p[1],
                biases: (plain == 4).then(|| [p[2], p[3]]),
                projection: projects.then(|| p[per - 1]),
            };
            layer.chunks(per).map(one).collect()
        })
        .collect();
    let first = cx.graph.meta(parameters[0][0].hidden).clone();
    let rank = |cx: &Infer<'_>, value: Value| cx.graph.meta(value).rank();
    if first.rank() != 2 || cx.meta("input")?.rank() != 3 || states.iter().any(|s| rank(cx, *s) != 3) {
        return Err(cx.shape_error("input and states must have three dimensions, weights two"));
    }
    let hidden = syms.floordiv(first.shape[0], syms.constant(gates(cx)));
    let recurrent = Recurrent {
        parameters,
        states,
        batch_first: cx.bool("batch_first"),
        gates: gates(cx),
        hidden,
        projected: first.shape[1],
    };
    check(cx, &recurrent)?;
    Ok(recurrent)
}

/// Every tensor must have the dtype of the input and the shape that the others imply.
fn check(cx: &mut Infer<'_>, r: &Recurrent) -> Result<(), MetaError> {
    let syms = cx.syms();
    let input = cx.meta("input")?.clone();
    if !input.dtype.is_float() {
        return Err(cx.error(Status::Dtype, format!("`input` must be floats, not {}", input.dtype)));
    }
    let mut fit = |what: &str, value: Value, shape: &[SymInt]| -> Result<(), MetaError> {
        let meta = cx.graph.meta(value);
        if meta.dtype != input.dtype {
            let message = format!("`input` is {}, but {what} is {}", input.dtype, meta.dtype);
            return Err(cx.error(Status::Dtype, message));
        }
        let wrong =
            format!("{what} has shape {}, not {}", syms.display_list(&meta.shape), syms.display_list(shape));
        if meta.rank() != shape.len() {
            return Err(cx.shape_error(wrong));
        }
        for (a, b) in meta.shape.iter().zip(shape) {
            cx.require(syms.eq(*a, *b), wrong.clone())?;
        }
        Ok(())
    };
    let width = syms.mul_const(r.hidden, r.gates);
    let mut columns = input.shape[2];
    let directions = r.parameters[0].len() as i64;
    for layer in &r.parameters {
        for p in layer {
            fit("a weight for the input", p.input, &[width, columns])?;
            fit("a weight for the hidden values", p.hidden, &[width, r.projected])?;
            for bias in p.biases.into_iter().flatten() {
                fit("a bias", bias, &[width])?;
            }
            if let Some(projection) = p.projection {
                fit("a projection", projection, &[r.projected, r.hidden])?;
            }
        }
        columns = syms.mul_const(r.projected, directions);
    }
    let count = syms.constant(directions * r.parameters.len() as i64);
    let (batch, steps) = r.batch_and_steps(&input);
    for (state, width) in r.states.iter().zip([r.projected, r.hidden]) {
        fit("a state", *state, &[count, batch, width])?;
    }
    if r.parameters[0][0].projection.is_none() {
        cx.require(syms.eq(r.projected, r.hidden), "weights for hidden values must be as wide as these")?;
    }
    cx.require(syms.le(syms.constant(1), steps), "the sequence must have a step")
}

impl Recurrent {
    /// The sizes of batch and sequence of an input.
    pub fn batch_and_steps(&self, input: &TensorMeta) -> (SymInt, SymInt) {
        let (a, b) = (input.shape[0], input.shape[1]);
        if self.batch_first { (a, b) } else { (b, a) }
    }
}

/// The hidden values of the last layer at every step, all directions side by side; those of every layer and direction
/// after the last step; an LSTM's cell states likewise.
pub fn recurrent(cx: &mut Infer<'_>) -> Metas {
    let r = recurrent_arguments(cx)?;
    let syms = cx.syms();
    let input = cx.meta("input")?;
    let directions = r.parameters[0].len() as i64;
    let count = syms.constant(directions * r.parameters.len() as i64);
    let (batch, _) = r.batch_and_steps(input);
    let width = syms.mul_const(r.projected, directions);
    let mut sequence = made(cx, input.dtype, vec![input.shape[0], input.shape[1], width]);
    if r.batch_first {
        // The steps are computed one after the other.
        sequence.strides = crate::meta::dense_strides(syms, &sequence.shape, &[2, 0, 1]);
    }
    let mut metas = vec![sequence, made(cx, input.dtype, vec![count, batch, r.projected])];
    if r.states.len() == 2 {
        metas.push(made(cx, input.dtype, vec![count, batch, r.hidden]));
    }
    Ok(metas)
}

/// The new hidden values of one cell, and an LSTM's new cell state.
pub fn cell(cx: &mut Infer<'_>) -> Metas {
    let syms = cx.syms();
    let dtype = same_dtype(cx, &["input", "w_ih", "w_hh", "b_ih", "b_hh"])?;
    if !dtype.is_float() {
        return Err(cx.error(Status::Dtype, format!("`input` must be floats, not {dtype}")));
    }
    let (input, weight) = (cx.meta("input")?.clone(), cx.meta("w_hh")?.clone());
    let own = cx.meta("w_ih")?.clone();
    let states = list(cx, "hx")?;
    let state = match states.first() {
        Some(state) => cx.graph.meta(*state).clone(),
        None => return Err(cx.error(Status::InvalidArgument, "a state must be given")),
    };
    let lstm = cx.op.name().contains("lstm");
    if states.len() != if lstm { 2 } else { 1 } {
        return Err(cx.error(Status::InvalidArgument, format!("{} states given", states.len())));
    }
    if input.rank() != state.rank()
        || !(1..=2).contains(&input.rank())
        || weight.rank() != 2
        || own.rank() != 2
    {
        return Err(cx.shape_error("input and state must be matrices or vectors, weights matrices"));
    }
    let hidden = state.shape[state.rank() - 1];
    let width = syms.mul_const(hidden, gates(cx));
    for (a, b) in [
        (weight.shape[0], width),
        (weight.shape[1], hidden),
        (own.shape[0], width),
        (own.shape[1], input.shape[input.rank() - 1]),
        (input.shape[0], if input.rank() == 2 { state.shape[0] } else { input.shape[0] }),
    ] {
        cx.require(syms.eq(a, b), "the weights' shapes do not fit input and state")?;
    }
    for other in states.iter().copied() {
        let other = cx.graph.meta(other).clone();
        if other.dtype != dtype || other.rank() != state.rank() {
            let message = format!("a state is {} of rank {}", other.dtype, other.rank());
            return Err(cx.error(Status::Dtype, format!("{message}, not {dtype} of rank {}", state.rank())));
        }
        for (a, b) in other.shape.iter().zip(&state.shape) {
            cx.require(syms.eq(*a, *b), "the states' shapes differ")?;
        }
    }
    for name in ["b_ih", "b_hh"] {
        let Some(bias) = cx.optional_meta(name) else { continue };
        let shape = bias.shape.clone();
        let [size] = shape[..] else {
            return Err(cx.shape_error(format!("`{name}` must have one dimension")));
        };
        cx.require(syms.eq(size, width), format!("`{name}` does not fit the weights"))?;
    }
    let result = made(cx, dtype, state.shape.clone());
    Ok(vec![result; states.len()])
}
