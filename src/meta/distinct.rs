//! The order of long rows, without a sort for each of their columns.
//!
//! Each column's elements become their ranks, all columns at once; then the ranks of two neighbouring columns are one number,
//! whose ranks take their place, until one column is left. So rows of `n` elements take `1 + log2(n)` sorts.

use super::{Builder, MetaError};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

fn v(value: Value) -> Arg {
    Arg::Value(value)
}

/// The order in which the rows of a matrix ascend, the first element counting most; equal rows stay in their order. The matrix has
/// `columns` columns, one at least.
pub(super) fn order_of_rows(b: &mut Builder<'_>, rows: Value, columns: i64) -> Result<Value, MetaError> {
    let syms = b.graph.syms.clone();
    let int = |n: i64| Arg::Int(syms.constant(n));
    let count = b.graph.meta(rows).shape[0];
    let (mut ranks, mut columns) = (ranked(b, rows)?, columns);
    while columns > 1 {
        if columns % 2 == 1 {
            let one = Arg::Ints(vec![syms.constant(0), syms.constant(1)]);
            ranks = b.op("aten.constant_pad_nd.default", vec![v(ranks), one, int(0)])?;
            columns += 1;
        }
        let every_second = |b: &mut Builder<'_>, first: i64| {
            b.op("aten.slice.Tensor", vec![v(ranks), int(1), int(first), int(columns), int(2)])
        };
        let (high, low) = (every_second(b, 0)?, every_second(b, 1)?);
        let high = b.op("aten.mul.Scalar", vec![v(high), Arg::Int(count)])?;
        let pairs = b.op("aten.add.Tensor", vec![v(high), v(low)])?;
        ranks = ranked(b, pairs)?;
        columns /= 2;
    }
    let ranks = b.op("aten.select.int", vec![v(ranks), int(1), int(0)])?;
    Ok(sorted(b, ranks)?[1])
}

/// Values in order along the first dimension, and where they came from; equal ones stay in their order.
fn sorted(b: &mut Builder<'_>, keys: Value) -> Result<Vec<Value>, MetaError> {
    let zero = Arg::Int(b.graph.syms.constant(0));
    let named = vec![("stable".to_string(), Arg::Bool(true)), ("dim".to_string(), zero)];
    b.call_named("aten.sort.stable", vec![v(keys)], named)
}

/// How many different elements of its column are less than each element.
fn ranked(b: &mut Builder<'_>, keys: Value) -> Result<Value, MetaError> {
    let syms = b.graph.syms.clone();
    let int = |n: i64| Arg::Int(syms.constant(n));
    let list = |n: SymInt| Arg::Ints(vec![n]);
    let order = sorted(b, keys)?;
    let before = vec![v(order[0]), list(syms.constant(1)), list(syms.constant(0))];
    let before = b.op("aten.roll.default", before)?;
    let differs = b.op("aten.ne.Tensor", vec![v(order[0]), v(before)])?;
    // The first row has none before it.
    let count = b.graph.meta(keys).shape[0];
    let dtype = vec![("dtype", Arg::Dtype(Dtype::Int64))];
    let place = b.op_with("aten.arange.default", vec![Arg::Int(count)], dtype)?;
    let later = b.op("aten.gt.Scalar", vec![v(place), int(0)])?;
    let later = b.op("aten.unsqueeze.default", vec![v(later), int(1)])?;
    let steps = b.op("aten.logical_and.default", vec![v(differs), v(later)])?;
    let ranks = b.op("aten.cumsum.default", vec![v(steps), int(0)])?;
    b.op("aten.scatter.src", vec![v(order[1]), int(0), v(order[1]), v(ranks)])
}
