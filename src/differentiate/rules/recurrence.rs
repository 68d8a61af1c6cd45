//! Recurrent layers: differentiated as their cells, one step after the other.
//!
//! Deliberately absent: sequences whose length is known only at run time, and projections.

use super::super::Outcome;
use super::super::context::Derivative;
use crate::ir::{Arg, Value};
use crate::meta::Infer;
use crate::meta::rules::recurrent_arguments;

/// Steps that are unrolled at most, in all layers and directions.
const MOST_STEPS: i64 = 1024;

pub fn recurrent(d: &mut Derivative<'_>) -> Outcome {
    let mut cx = Infer { graph: &*d.graph, op: d.op, args: d.args, guards: Vec::new() };
    let r = recurrent_arguments(&mut cx)?;
    let layers = r.parameters.len();
    if r.projected != r.hidden || r.parameters[0][0].projection.is_some() {
        return Err(d.unsupported("the derivative of a recurrent layer with a projection"));
    }
    if layers > 1 && d.bool("train") && d.float("dropout") != Some(0.0) {
        return Err(d.unsupported("the derivative of recurrent layers with dropout between them"));
    }
    let mut input = d.value("input")?;
    let (_, steps) = r.batch_and_steps(&d.meta(input));
    let directions = r.parameters[0].len();
    let most = MOST_STEPS / (layers * directions) as i64;
    let steps = d.syms().as_const(steps).filter(|n| *n <= most).ok_or_else(|| {
        let size = format!("{layers} layers in {directions} directions");
        d.unsupported(format!("the derivative of {size} over more than {most} steps, or a number of them that is not known before a run"))
    })?;
    let along = i64::from(r.batch_first);
    let cell = format!("{}_cell.default", d.op.name().trim_end_matches(".input"));
    let mut last: Vec<Vec<Value>> = vec![Vec::new(); r.states.len()];
    for layer in &r.parameters {
        let mut sides = Vec::new();
        for (direction, p) in layer.iter().enumerate() {
            let place = last[0].len() as i64;
            let mut states = Vec::new();
            for all in &r.states {
                states.push(d.select_index(*all, 0, place)?);
            }
            let mut shown = Vec::new();
            for step in 0..steps {
                let step = if direction == 1 { steps - 1 - step } else { step };
                let x = d.select_index(input, along, step)?;
                let hx = match states[..] {
                    [state] => Arg::Value(state),
                    _ => Arg::Values(states.iter().copied().map(Some).collect()),
                };
                let mut args = vec![Arg::Value(x), hx, Arg::Value(p.input), Arg::Value(p.hidden)];
                args.extend(p.biases.into_iter().flatten().map(Arg::Value));
                states = d.call_all(&cell, args, Vec::new())?;
                shown.push(Some(states[0]));
            }
            if direction == 1 {
                shown.reverse();
            }
            let dim = d.int_arg(along);
            sides.push(d.call("aten.stack.default", vec![Arg::Values(shown), dim])?);
            last.iter_mut().zip(states).for_each(|(list, state)| list.push(state));
        }
        input = if directions == 1 { sides[0] } else { d.cat(sides, -1)? };
    }
    let mut parts = vec![input];
    for list in last {
        let list = list.into_iter().map(Some).collect();
        parts.push(d.call("aten.stack.default", vec![Arg::Values(list)])?);
    }
    d.through(parts);
    Ok(())
}
