//! Operators on symbols: `sym.mul` and the like, and the sizes of tensors.

use super::guard::{Failure, Outcome, invalid};
use super::handles::{Entry, GraphState};
use super::types::*;
use crate::base::Status;
use crate::frontend::{Number, evaluate};
use crate::ir::{Arg, Graph};
use crate::types::{SymInt, TensorMeta};

/// Sizes are worked out by recursion; no program needs more.
const DEEPEST: u32 = 500;

/// The result where `op` is an operator on symbols; `None` where it is an operator on tensors.
pub(super) fn call(state: &GraphState, op: &str, args: &[litz_arg], read: &[Arg]) -> Option<Outcome<Number>> {
    let graph = &state.graph;
    match op.strip_suffix(".default").unwrap_or(op) {
        "aten.sym_size.int" => Some(dimension(graph, op, read, |m| &m.shape)),
        "aten.sym_stride.int" => Some(dimension(graph, op, read, |m| &m.strides)),
        "aten.sym_numel" => Some(match read {
            [Arg::Value(v)] => Ok(Number::Int(graph.meta(*v).numel(&graph.syms))),
            _ => Err(invalid(format!("{op} takes one tensor"))),
        }),
        name => name.strip_prefix("sym.").map(|name| {
            let numbers =
                args.iter().enumerate().map(|(k, a)| number(state, k, a)).collect::<Outcome<Vec<_>>>();
            let numbers = numbers.map_err(|f| f.within(op))?;
            let result = evaluate(&graph.syms, name, &numbers)
                .map_err(|message| Failure::new(Status::Unsupported, format!("{op}: {message}")))?;
            match result {
                Number::Int(s) | Number::Bool(s) | Number::Quotient(s, _) | Number::Bits(s)
                    if graph.syms.depth(s) > DEEPEST =>
                {
                    let message =
                        format!("{op}: the calculation of this size nests deeper than {DEEPEST} operations");
                    Err(Failure::new(Status::Unsupported, message))
                }
                result => Ok(result),
            }
        }),
    }
}

fn number(state: &GraphState, k: usize, arg: &litz_arg) -> Outcome<Number> {
    let syms = &state.graph.syms;
    match arg.kind {
        LITZ_ARG_INT => Ok(Number::Int(syms.constant(arg.i))),
        LITZ_ARG_BOOL => Ok(Number::Bool(syms.constant(i64::from(arg.i != 0)))),
        LITZ_ARG_FLOAT => Ok(Number::Float(arg.f)),
        LITZ_ARG_VALUE | LITZ_ARG_SYMBOL => match state.entry(arg.value)? {
            Entry { number: Some(number), .. } => Ok(number),
            Entry { .. } => Err(invalid(format!("argument {k} is a tensor, not a symbol"))),
        },
        _ => Err(invalid(format!("argument {k} is neither a number nor a symbol"))),
    }
}

fn dimension(graph: &Graph, op: &str, args: &[Arg], of: fn(&TensorMeta) -> &Vec<SymInt>) -> Outcome<Number> {
    let [Arg::Value(value), Arg::Int(dim)] = args else {
        return Err(invalid(format!("{op} takes a tensor and a dimension")));
    };
    let list = of(graph.meta(*value));
    let known = graph.syms.as_const(*dim);
    let dim = known.ok_or_else(|| invalid(format!("{op}: the dimension must be constant")))?;
    let rank = list.len() as i64;
    if dim < -rank || dim >= rank {
        return Err(invalid(format!("{op}: dimension {dim} of a tensor of rank {rank}")));
    }
    Ok(Number::Int(list[dim.rem_euclid(rank) as usize]))
}
