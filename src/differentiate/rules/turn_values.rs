//! Values of a turn, as nodes of a loop's body: the turn's number, the loop's counter, and rows of stacks.
//!
//! Invariant: numbers of turns and indices of rows are int64 without dimensions.
//!
//! Deliberately absent: counting a loop's turns (`turns`), and derivatives.

use crate::differentiate::DerivativeError;
use crate::differentiate::turns::{Row, Turns};
use crate::ir::{Arg, Graph, Value};
use crate::meta::Builder;
use crate::types::{Dtype, SymInt};

type Found<T> = Result<T, DerivativeError>;

/// The number of the turn that a turn back undoes, counted from 0.
pub(super) fn turn_number(graph: &mut Graph, turns: &Turns, turn: Value, count: Value) -> Found<Value> {
    let syms = graph.syms.clone();
    if turns.exact {
        let last = syms.add_const(turns.most, -1);
        return op(graph, "aten.rsub.Scalar", vec![Arg::Value(turn), Arg::Int(last)]);
    }
    let left = op(graph, "aten.sub.Tensor", vec![Arg::Value(count), Arg::Value(turn)])?;
    op(graph, "aten.sub.Scalar", vec![Arg::Value(left), Arg::Int(syms.constant(1))])
}

/// The loop's own counter in a turn, as an int64 without dimensions.
pub(super) fn counter(graph: &mut Graph, turns: &Turns, number: Value) -> Found<Value> {
    let syms = graph.syms.clone();
    let mut value = number;
    if turns.step != 1 {
        let step = Arg::Int(syms.constant(turns.step));
        value = op(graph, "aten.mul.Scalar", vec![Arg::Value(value), step])?;
    }
    if syms.as_const(turns.first) != Some(0) {
        value = op(graph, "aten.add.Scalar", vec![Arg::Value(value), Arg::Int(turns.first)])?;
    }
    Ok(value)
}

/// The index of a row.
pub(super) fn index(graph: &mut Graph, row: Row, counter: Value) -> Found<Value> {
    let (name, zero) = match row.sign {
        1 => ("aten.add.Scalar", graph.syms.as_const(row.addend) == Some(0)),
        _ => ("aten.rsub.Scalar", false),
    };
    if zero { Ok(counter) } else { op(graph, name, vec![Arg::Value(counter), Arg::Int(row.addend)]) }
}

/// How many turns come before the one that has this value of the counter.
pub(super) fn turns_before(graph: &mut Graph, turns: &Turns, counter: Value) -> Found<Value> {
    let syms = graph.syms.clone();
    let value = reshaped(graph, counter, &[])?;
    let mut value = cast(graph, value, Dtype::Int64)?;
    if syms.as_const(turns.first) != Some(0) {
        value = op(graph, "aten.sub.Scalar", vec![Arg::Value(value), Arg::Int(turns.first)])?;
    }
    if turns.step != 1 {
        let step = Arg::Int(syms.constant(turns.step));
        let named = vec![("rounding_mode", Arg::Str("floor".into()))];
        value = Builder::new(graph).op_with("aten.div.Scalar_mode", vec![Arg::Value(value), step], named)?;
    }
    Ok(value)
}

pub(super) fn op(graph: &mut Graph, name: &str, args: Vec<Arg>) -> Found<Value> {
    Builder::new(graph).op(name, args)
}

pub(super) fn cast(graph: &mut Graph, value: Value, dtype: Dtype) -> Found<Value> {
    if graph.meta(value).dtype == dtype {
        return Ok(value);
    }
    let named = vec![("dtype", Arg::Dtype(dtype))];
    Builder::new(graph).op_with("aten._to_copy.default", vec![Arg::Value(value)], named)
}

pub(super) fn reshaped(graph: &mut Graph, value: Value, shape: &[SymInt]) -> Found<Value> {
    if graph.meta(value).rank() == shape.len() {
        return Ok(value);
    }
    op(graph, "aten.reshape.default", vec![Arg::Value(value), Arg::Ints(shape.to_vec())])
}

/// The row of a tensor at an int64 without dimensions.
pub(super) fn read_row(graph: &mut Graph, all: Value, index: Value) -> Found<Value> {
    let zero = Arg::Int(graph.syms.constant(0));
    let place = op(graph, "aten.unsqueeze.default", vec![Arg::Value(index), zero.clone()])?;
    let one = op(graph, "aten.index_select.default", vec![Arg::Value(all), zero.clone(), Arg::Value(place)])?;
    op(graph, "aten.squeeze.dim", vec![Arg::Value(one), zero])
}

/// A tensor with another row at an int64 without dimensions.
pub(super) fn write_row(graph: &mut Graph, all: Value, index: Value, row: Value) -> Found<Value> {
    let at = Arg::Values(vec![Some(index)]);
    op(graph, "aten.index_put.default", vec![Arg::Value(all), at, Arg::Value(row)])
}
