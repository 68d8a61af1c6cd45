//! `switch`: one of several graphs runs. It becomes a tree of `cond`s when it is built.
//!
//! Invariant: an index below the first graph's runs the first, and one above the last graph's the last, as in `torch.switch`.

use super::{Builder, MetaError};
use crate::base::Status;
use crate::ir::{Arg, Graph, OutputValue, Subgraph, Value};
use crate::ops::OpId;
use std::sync::Arc;

type Results = Result<Vec<Value>, MetaError>;

fn error(status: Status, message: impl Into<String>) -> MetaError {
    MetaError::new(status, OpId::Switch.name(), message)
}

/// What a `switch` with these arguments gives.
pub(super) fn expand(b: &mut Builder<'_>, args: &[Arg]) -> Results {
    let [Arg::Value(index), branches, operands] = args else {
        return Err(error(Status::InvalidArgument, "`index` must be a tensor"));
    };
    let branches = match branches {
        Arg::Graphs(list) if !list.is_empty() => list,
        _ => return Err(error(Status::InvalidArgument, "`branches` must be graphs, one or more")),
    };
    let mut given = Vec::new();
    if let Arg::Values(list) = operands {
        for value in list {
            given.push(value.ok_or_else(|| error(Status::InvalidArgument, "an operand is None"))?);
        }
    }
    let meta = b.graph.meta(*index).clone();
    let one = b.graph.syms.as_const(meta.numel(&b.graph.syms)) == Some(1);
    if !one || !meta.dtype.is_integer() {
        return Err(error(Status::InvalidArgument, "`index` must be one integer in a tensor"));
    }
    let index = b.op("aten.reshape.default", vec![Arg::Value(*index), Arg::Ints(Vec::new())])?;
    choose(b, index, 0, branches, &given)
}

/// The results of the graph of this index; `branches` begin with the graph of index `first`.
fn choose(
    b: &mut Builder<'_>,
    index: Value,
    first: i64,
    branches: &[Subgraph],
    operands: &[Value],
) -> Results {
    if let [only] = branches {
        // Whichever branch of these is taken.
        return run(b, index, first, [only.clone(), only.clone()], operands);
    }
    let (low, high) = branches.split_at(branches.len() / 2);
    if let ([low], [high]) = (low, high) {
        return run(b, index, first + 1, [low.clone(), high.clone()], operands);
    }
    // Both sides take the index, too.
    let middle = first + low.len() as i64;
    let inside: Vec<Value> = operands.iter().copied().chain([index]).collect();
    let low = side(b, &inside, first, low)?;
    let high = side(b, &inside, middle, high)?;
    run(b, index, middle, [low, high], &inside)
}

/// `cond(index < from, …)`
fn run(
    b: &mut Builder<'_>,
    index: Value,
    from: i64,
    [below, above]: [Subgraph; 2],
    operands: &[Value],
) -> Results {
    let from = Arg::Int(b.graph.syms.constant(from));
    let pred = b.op("aten.lt.Scalar", vec![Arg::Value(index), from])?;
    let operands = Arg::Values(operands.iter().copied().map(Some).collect());
    let args = vec![Arg::Value(pred), Arg::Graph(below), Arg::Graph(above), operands, Arg::Ints(Vec::new())];
    b.call_named(OpId::Cond.name(), args, Vec::new())
}

/// A graph that chooses among some branches by its last input.
fn side(
    b: &mut Builder<'_>,
    inside: &[Value],
    first: i64,
    branches: &[Subgraph],
) -> Result<Subgraph, MetaError> {
    let mut graph = b.graph.new_subgraph("branches");
    let inputs: Vec<Value> = inside
        .iter()
        .enumerate()
        .map(|(k, v)| graph.add_input(&format!("operand_{k}"), b.graph.meta(*v).clone()))
        .collect();
    let Some((index, operands)) = inputs.split_last() else {
        return Err(error(Status::Internal, "no index"));
    };
    let results = choose(&mut Builder::new(&mut graph), *index, first, branches, operands)?;
    for (k, result) in results.into_iter().enumerate() {
        graph.add_output(&format!("result_{k}"), OutputValue::Tensor(result));
    }
    Ok(Subgraph(Arc::<Graph>::new(graph)))
}
