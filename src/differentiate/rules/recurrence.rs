//! Recurrent layers: differentiated as their cells, one step after the other, or as loops of these.

use super::super::Outcome;
use super::super::context::Derivative;
use crate::ir::{Arg, Value};
use crate::meta::Infer;
use crate::meta::rules::{Recurrent, recurrent_arguments};

/// Steps that are unrolled at most, in all layers and directions.
const MOST_STEPS: i64 = 1024;

pub fn recurrent(d: &mut Derivative<'_>) -> Outcome {
    let mut cx = Infer { graph: &*d.graph, op: d.op, args: d.args, guards: Vec::new() };
    let r = recurrent_arguments(&mut cx)?;
    let layers = r.parameters.len();
    if layers > 1 && d.bool("train") && d.float("dropout") != Some(0.0) {
        return Err(d.unsupported("the derivative of recurrent layers with dropout between them"));
    }
    let mut input = d.value("input")?;
    let (_, steps) = r.batch_and_steps(&d.meta(input));
    let directions = r.parameters[0].len();
    let most = MOST_STEPS / (layers * directions) as i64;
    let is_projected = r.parameters[0][0].projection.is_some();
    let Some(steps) = d.syms().as_const(steps).filter(|n| *n <= most && !is_projected) else {
        return looped(d, &r, input);
    };
    let along = i64::from(r.batch_first);
    let cell = format!("{}_cell.default", d.op.name().trim_end_matches(".input"));
    let mut last: Vec<Vec<Value>> = vec![Vec::new(); r.states.len()];
    for layer in &r.parameters {
        let mut sides = Vec::new();
        for (direction, p) in layer.iter().enumerate() {
            let mut states = first_states(d, &r, last[0].len())?;
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

/// The states that the cell of a layer and direction begins with; `place` counts both.
fn first_states(d: &mut Derivative<'_>, r: &Recurrent, place: usize) -> Outcome<Vec<Value>> {
    r.states.iter().map(|all| d.select_index(*all, 0, place as i64)).collect()
}

/// Layers over any number of steps: each is a loop.
fn looped(d: &mut Derivative<'_>, r: &Recurrent, mut input: Value) -> Outcome {
    let turned = |d: &mut Derivative<'_>, value: Value| {
        let [first, second] = [0, 1].map(|k| d.int_arg(k));
        match r.batch_first {
            true => d.call("aten.transpose.int", vec![Arg::Value(value), first, second]),
            false => Ok(value),
        }
    };
    let list = |values: Vec<Value>| Arg::Values(values.into_iter().map(Some).collect());
    let name = d.op.name().trim_start_matches("aten.").trim_end_matches(".input");
    let cell = name.trim_start_matches("rnn_");
    let mut last: Vec<Vec<Value>> = vec![Vec::new(); r.states.len()];
    input = turned(d, input)?;
    for layer in &r.parameters {
        let mut sides = Vec::new();
        for (direction, p) in layer.iter().enumerate() {
            let states = first_states(d, r, last[0].len())?;
            let weights = [p.input, p.hidden].into_iter().chain(p.projection).collect();
            let biases = p.biases.into_iter().flatten().collect();
            let reverse = Arg::Bool(direction == 1);
            let args = vec![
                Arg::Value(input),
                list(states),
                list(weights),
                list(biases),
                Arg::Str(cell.into()),
                reverse,
            ];
            let mut results = d.call_all("litz.recurrent_layer.default", args, Vec::new())?.into_iter();
            sides.extend(results.next());
            last.iter_mut().zip(results).for_each(|(list, state)| list.push(state));
        }
        input = if sides.len() == 1 { sides[0] } else { d.cat(sides, -1)? };
    }
    let mut parts = vec![turned(d, input)?];
    for states in last {
        parts.push(d.call("aten.stack.default", vec![list(states)])?);
    }
    d.through(parts);
    Ok(())
}
