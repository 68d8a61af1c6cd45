//! Reductions over dimensions.

use super::super::super::error::Result;
use super::super::call::{Cx, Results};
use super::choice::choose;
use crate::ir::{Arg, Value};
use crate::types::Dtype;

/// Axes are an input from opset 13 on for sums, from 18 on for others.
pub fn reduce(cx: &mut Cx<'_, '_>) -> Results {
    let x = cx.value(0)?;
    let rank = cx.rank(x);
    let keep = cx.attr_or("keepdims", 1) != 0;
    let by_input = cx.opset >= if cx.node.op_type == "ReduceSum" { 13 } else { 18 };
    let axes = match by_input {
        false => cx.list("axes"),
        true if !cx.has(1) => None,
        true if cx.known(1)?.is_some() => cx.ints(1, "axes")?,
        true => {
            let given = cx.value(1)?;
            let count = cx.shape(given).first().and_then(|n| cx.syms.as_const(*n));
            match count {
                Some(0) => None,
                Some(count) => {
                    let value = by_data(cx, given, rank, count as usize, keep)?;
                    return cx.one(value);
                }
                None => return Err(cx.refuse("over a number of axes that is known only in a run")),
            }
        }
    };
    let dims = match axes {
        Some(list) if !list.is_empty() => cx.dims(&list, rank)?,
        // What is done to each element remains.
        _ if cx.flag("noop_with_empty_axes") => Vec::new(),
        _ => (0..rank as i64).collect(),
    };
    let value = reduced(cx, x, &dims, keep)?;
    cx.one(value)
}

/// Over axes that data name: a number with a bit for each says which.
fn by_data(cx: &mut Cx<'_, '_>, axes: Value, rank: usize, count: usize, keep: bool) -> Result<Value> {
    let axes = cx.cast(axes, Dtype::Int64)?;
    let bits = [Arg::Value(axes), cx.int(rank as i64)];
    let sum = cx.call("sum(bitwise_left_shift.Tensor(ones_like($0), remainder($0, $1)))", &bits)?;
    let sets = (0..1i64 << rank.min(16)).filter(|set| set.count_ones() as usize == count);
    choose(cx, sum, &sets.collect::<Vec<_>>(), &|cx, set| {
        let x = cx.value(0)?;
        let dims: Vec<i64> = (0..rank as i64).filter(|d| set >> d & 1 == 1).collect();
        reduced(cx, x, &dims, keep)
    })
}

fn reduced(cx: &mut Cx<'_, '_>, x: Value, dims: &[i64], keep: bool) -> Result<Value> {
    let dtype = cx.dtype(x);
    let operator = &cx.node.op_type[6..];
    let prepared = match operator {
        "L1" => cx.of("abs($0)", &[x])?,
        "L2" | "SumSquare" => cx.of("mul($0, $0)", &[x])?,
        _ => x,
    };
    let args = [Arg::Value(prepared), cx.int_list(dims), Arg::Bool(keep), Arg::Dtype(dtype)];
    let value = match operator {
        _ if dims.is_empty() => prepared,
        "L1" | "L2" | "SumSquare" | "Sum" | "LogSum" => {
            cx.call("sum.dim_IntList($0, $1, $2, dtype=$3)", &args)?
        }
        "LogSumExp" => cx.call("logsumexp($0, $1, $2)", &args)?,
        "Mean" if dtype.is_float() => cx.call("mean.dim($0, $1, $2)", &args)?,
        "Mean" => {
            cx.call("mean.dim($0, $1, $2, dtype=$4)", &[&args[..], &[Arg::Dtype(Dtype::Float64)]].concat())?
        }
        "Max" | "Min" => extreme(cx, prepared, dims, keep, operator == "Max")?,
        "Prod" => {
            let mut value = prepared;
            for dim in dims.iter().rev() {
                let args = [Arg::Value(value), cx.int(*dim), Arg::Bool(keep), Arg::Dtype(dtype)];
                value = cx.call("prod.dim_int($0, $1, $2, dtype=$3)", &args)?;
            }
            value
        }
        other => return Err(cx.refuse(format!("the reduction {other}"))),
    };
    let value = match operator {
        "L2" => cx.of("sqrt($0)", &[value])?,
        "LogSum" => cx.of("log($0)", &[value])?,
        _ => value,
    };
    cx.cast(value, dtype)
}

/// Of nothing, the least or greatest number there is.
fn extreme(cx: &mut Cx<'_, '_>, x: Value, dims: &[i64], keep: bool, greatest: bool) -> Result<Value> {
    let (shape, dtype) = (cx.shape(x), cx.dtype(x));
    let syms = cx.syms.clone();
    if dims.iter().any(|d| syms.as_const(shape[*d as usize]) == Some(0)) {
        let mut sizes = Vec::new();
        for (k, size) in shape.iter().enumerate() {
            match dims.contains(&(k as i64)) {
                true if keep => sizes.push(syms.constant(1)),
                true => {}
                false => sizes.push(*size),
            }
        }
        let value = match dtype.integer_range() {
            _ if dtype == Dtype::Bool => Arg::Bool(!greatest),
            Some((low, high)) => cx.int(if greatest { low } else { high }),
            None => Arg::Float(if greatest { f64::NEG_INFINITY } else { f64::INFINITY }),
        };
        return cx.call("full($0, $1, dtype=$2)", &[Arg::Ints(sizes), value, Arg::Dtype(dtype)]);
    }
    let text = if greatest { "amax($0, $1, $2)" } else { "amin($0, $1, $2)" };
    cx.call(text, &[Arg::Value(x), cx.int_list(dims), Arg::Bool(keep)])
}
