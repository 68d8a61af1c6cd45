//! Recurrent layers: one as a loop over its steps, and cuDNN's as PyTorch's own.
//!
//! Deliberately absent: of cuDNN's, sequences of different lengths, projected states, and the derivative by what cuDNN reserves; so the reserve and the
//! packed weights that an operator gives have no elements.

use super::super::formula::Scope;
use super::repeat::{Turns, repeat};
use super::{Cx, Results, v};
use crate::base::Status;
use crate::ir::Arg;

/// `litz.recurrent_layer`: one layer in one direction, from a sequence `[steps, batch, features]`, states `[batch, …]`, and its weights:
/// of the input, of the hidden values, of a projection if there is one, and the two biases if there are. Gives the sequence of hidden
/// values and the last states.
///
/// The loop is one of PyTorch's operators, so that it can be differentiated for any number of steps.
pub fn layer(cx: &mut Cx<'_, '_>) -> Results {
    let (states, weights, biases) = (cx.values(1), cx.values(2), cx.values(3));
    let (cell, reverse) = (cx.text(4).to_string(), cx.flag(5));
    let [own, hidden, rest @ ..] = &weights[..] else { return Err(cx.wrong("two weights, or three".into())) };
    let bias = |k: usize| biases.get(k).map_or(Arg::None, |value| v(*value));
    let mut all = cx.call("linear($0, $1, $2)", &[cx.args[0].clone(), v(*own), bias(0)])?;
    if reverse {
        all = cx.of("flip($0, [0])", &[all])?;
    }
    let size = cx.shape(*states.last().unwrap_or(hidden)).last().copied();
    let size = size.ok_or_else(|| cx.wrong("a state has no dimension".into()))?;
    let steps = cx.shape(all)[0];
    let shape = [&[steps][..], &cx.shape(states[0])].concat();
    let shown = cx.call("new_zeros($0, $1)", &[v(all), Arg::Ints(shape)])?;
    let carried: Vec<_> = states.iter().copied().chain([shown]).collect();
    let mut given = vec![v(all), v(*hidden), bias(1), Arg::Int(size), Arg::Int(steps)];
    given.extend(rest.iter().map(|w| v(*w)));
    // The arguments of a turn: its number, the carried values, and the given ones.
    let first = carried.len() + 1;
    let [sequence, weight, added, size, count, projection] =
        [0, 1, 2, 3, 4, 5].map(|k| format!("${}", first + k));
    let mut next = first + given.len();
    let mut lines = Vec::new();
    let mut line = |text: String| {
        lines.push(text);
        next += 1;
        format!("${}", next - 1)
    };
    let by_input = line(format!("squeeze.dim(index_select({sequence}, 0, unsqueeze($0, 0)), 0)"));
    let by_hidden = line(format!("linear($1, {weight}, {added})"));
    let part = |of: &str, k: usize| format!("select.int(unflatten.int({of}, -1, [-1, {size}]), -2, {k})");
    match &*cell {
        "lstm" => {
            let sum = line(format!("add({by_input}, {by_hidden})"));
            let gate = |k: usize| format!("sigmoid({})", part(&sum, k));
            let kept = format!("add(mul({}, $2), mul({}, tanh({})))", gate(1), gate(0), part(&sum, 2));
            let kept = line(kept);
            let mut hidden = format!("mul({}, tanh({kept}))", gate(3));
            if !rest.is_empty() {
                hidden = format!("linear({hidden}, {projection})");
            }
            let hidden = line(hidden);
            line(format!("alias({hidden})"));
            line(format!("alias({kept})"));
            line(format!("index_put($3, [$0], {hidden})"));
        }
        "gru" => {
            let gate = |k: usize| format!("sigmoid(add({}, {}))", part(&by_input, k), part(&by_hidden, k));
            let new = format!("tanh(add({}, mul({}, {})))", part(&by_input, 2), gate(0), part(&by_hidden, 2));
            let new = line(new);
            let hidden = line(format!("add({new}, mul({}, sub($1, {new})))", gate(1)));
            line(format!("index_put($2, [$0], {hidden})"));
        }
        function => {
            let hidden = line(format!("{function}(add({by_input}, {by_hidden}))"));
            line(format!("index_put($2, [$0], {hidden})"));
        }
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let goes_on = format!("lt.Scalar($0, {count})");
    let mut results =
        repeat(cx, Turns { carried: &carried, given: &given, goes_on: &goes_on, steps: &lines })?;
    let mut shown = results.pop().unwrap_or(shown);
    if reverse {
        shown = cx.of("flip($0, [0])", &[shown])?;
    }
    results.insert(0, shown);
    Ok(results)
}

/// `_cudnn_rnn`: the sequence, the last states, and cells where the layer has them.
pub fn cudnn(cx: &mut Cx<'_, '_>) -> Results {
    let (input, hidden) = (cx.value(0)?, cx.args[4].clone());
    if cx.args[14].ints().is_some_and(|sizes| !sizes.is_empty()) {
        return Err(cx.error(Status::Unsupported, "sequences of different lengths (`batch_sizes`)"));
    }
    if cx.known(8)? != 0 {
        return Err(cx.error(Status::Unsupported, "projected states (`proj_size`)"));
    }
    let has_biases = cx.known(2)? > 2;
    let mode = cx.known(6)?;
    let (name, hidden) = match (mode, &cx.args[5]) {
        (0, _) => ("rnn_relu", hidden),
        (1, _) => ("rnn_tanh", hidden),
        (2, Arg::Value(cells)) => ("lstm", Arg::Values(vec![hidden.value(), Some(*cells)])),
        (3, _) => ("gru", hidden),
        _ => return Err(cx.wrong(format!("a layer of mode {mode} with these states"))),
    };
    let [layers, batch_first, dropout, train, both] = [9, 10, 11, 12, 13].map(|k| cx.args[k].clone());
    let args = [
        v(input),
        hidden,
        cx.args[1].clone(),
        Arg::Bool(has_biases),
        layers,
        dropout,
        train,
        both,
        batch_first,
    ];
    let mut results = cx.calls(&format!("{name}.input($0, $1, $2, $3, $4, $5, $6, $7, $8)"), &args)?;
    let none = cx.ints(&[0]);
    let nothing = cx.call("new_empty($0, $1)", &[v(input), none.clone()])?;
    if results.len() < 3 {
        results.push(nothing);
    }
    results.push(cx.call("new_empty($0, $1, dtype=1)", &[v(input), none])?);
    results.push(nothing);
    Ok(results)
}
