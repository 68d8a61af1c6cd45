//! Loops and branches of formulas: `while_loop` and `cond`, whose graphs are lines of the formulas' language.

use super::{Builder, Cx, MetaError, Results, v};
use crate::ir::{Arg, Graph, OutputValue, Subgraph, Value};
use crate::types::TensorMeta;
use std::sync::Arc;

/// A loop. In its formulas `$0` is the number of the turn, 0-d and int64; then come `carried`, `given`, and in the body the results of the
/// steps before.
pub(super) struct Turns<'a> {
    pub carried: &'a [Value],
    /// Tensors and numbers that stay.
    pub given: &'a [Arg],
    /// Whether there is a turn: 0-d.
    pub goes_on: &'a str,
    /// The last ones give the carried values of the next turn, in order.
    pub steps: &'a [&'a str],
}

/// Runs the loop, and gives the carried values after its last turn.
pub(super) fn repeat(cx: &mut Cx<'_, '_>, turns: Turns<'_>) -> Results {
    let none = cx.ints(&[]);
    let start = cx.call("full($0, 0)", &[none])?;
    let carried: Vec<Value> = [start].into_iter().chain(turns.carried.iter().copied()).collect();
    let body = graph(cx, "turn", &carried, turns.given, |inside, args| {
        let mut results = vec![inside.call("add.Scalar($0, 1)", args)?];
        let mut args = args.to_vec();
        for step in turns.steps {
            args.push(v(inside.call(step, &args)?));
        }
        let last = args.len() - turns.carried.len();
        results.extend(args[last..].iter().filter_map(Arg::value));
        Ok(results)
    })?;
    let goes_on = |inside: &mut Cx<'_, '_>, args: &[Arg]| Ok(vec![inside.call(turns.goes_on, args)?]);
    let more = graph(cx, "turn", &carried, turns.given, goes_on)?;
    let carried = Arg::Values(carried.into_iter().map(Some).collect());
    let args = vec![more, body, carried, tensors(turns.given)];
    let results = cx.b.call_named("higher_order.while_loop", args, Vec::new())?;
    Ok(results[1..].to_vec())
}

/// What one of two graphs of `given` gives: the first where `condition` holds. Both give as many tensors, of the same types.
pub(super) fn choose(
    cx: &mut Cx<'_, '_>,
    condition: Value,
    given: &[Arg],
    yes: impl FnOnce(&mut Cx<'_, '_>, &[Arg]) -> Results,
    no: impl FnOnce(&mut Cx<'_, '_>, &[Arg]) -> Results,
) -> Results {
    let args = vec![
        v(condition),
        graph(cx, "yes", &[], given, yes)?,
        graph(cx, "no", &[], given, no)?,
        tensors(given),
    ];
    cx.b.call_named("higher_order.cond", args, Vec::new())
}

fn tensors(given: &[Arg]) -> Arg {
    Arg::Values(given.iter().filter_map(Arg::value).map(Some).collect())
}

/// A graph of the operands: `carried`, then the tensors of `given`.
fn graph(
    cx: &mut Cx<'_, '_>,
    title: &str,
    carried: &[Value],
    given: &[Arg],
    build: impl FnOnce(&mut Cx<'_, '_>, &[Arg]) -> Results,
) -> Result<Arg, MetaError> {
    let outer = &*cx.b.graph;
    let mut inner: Graph = outer.new_subgraph(title);
    let mut args = Vec::new();
    for value in carried {
        // What is carried lies contiguous.
        let meta = outer.meta(*value);
        let meta = TensorMeta::contiguous(&outer.syms, meta.dtype, meta.shape.clone());
        args.push(v(inner.add_input(&format!("carried_{}", args.len()), meta)));
    }
    for given in given {
        args.push(match given {
            Arg::Value(value) => {
                v(inner.add_input(&format!("given_{}", args.len()), outer.meta(*value).clone()))
            }
            number => number.clone(),
        });
    }
    let name = cx.name;
    let results = build(&mut Cx { b: &mut Builder::new(&mut inner), name, args: Vec::new() }, &args)?;
    for (k, value) in results.into_iter().enumerate() {
        inner.add_output(&format!("result_{k}"), OutputValue::Tensor(value));
    }
    Ok(Arg::Graph(Subgraph(Arc::new(inner))))
}
