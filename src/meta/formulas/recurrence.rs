//! cuDNN's recurrent layers as PyTorch's own.
//!
//! Deliberately absent: sequences of different lengths, projected states, and the derivative by what cuDNN reserves; so the reserve and the
//! packed weights that an operator gives have no elements.

use super::super::formula::Scope;
use super::{Cx, Results, v};
use crate::base::Status;
use crate::ir::Arg;

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
