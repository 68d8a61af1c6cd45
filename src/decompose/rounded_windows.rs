//! Transposed convolutions of float16 with the roundings of PyTorch's kernel for a CPU, for option `numerics=strict`. A matrix product
//! makes a column for each element of the window, rounded to float16. Columns that meet in an element of the result are added one after
//! the other in float16, in the window's order, and the bias last.
//!
//! Deliberately absent: bfloat16, and float16 on CPUs with instructions for it, which PyTorch leaves to oneDNN; windows of unknown size,
//! or of more than [`MOST_ELEMENTS`].

use super::context::Decompose;
use super::{DecomposeError, HostRule};
use crate::ir::{Arg, Graph, Value};
use crate::ops::OpId;
use crate::types::{Dtype, SymInt};
use std::sync::Arc;

/// Each element of a window adds nodes to the graph.
const MOST_ELEMENTS: i64 = 4096;

/// The operators, and the rule of all of them.
pub fn rules() -> impl Iterator<Item = (OpId, HostRule)> {
    let rule: HostRule = Arc::new(|graph, op, args, _| conv_transpose(graph, op, args));
    [
        OpId::ConvTranspose1d,
        OpId::ConvTranspose2d,
        OpId::ConvTranspose3d,
        OpId::Convolution,
        OpId::UnderscoreConvolution,
    ]
    .map(|op| (op, rule.clone()))
    .into_iter()
}

fn conv_transpose(graph: &mut Graph, op: OpId, args: &[Arg]) -> Result<Option<Vec<Value>>, DecomposeError> {
    let cx = &mut Decompose { graph, op, args, unknown_float: std::cell::Cell::new(false) };
    let (input, weight) = (cx.value("input")?, cx.value("weight")?);
    let is_transposed = op.schema().arg("transposed").is_none() || cx.bool("transposed");
    let dims = cx.rank(weight) - 2;
    let Some(window) = cx.syms().as_consts(&cx.shape(weight)[2..]) else { return Ok(None) };
    let channels = cx.shape(weight)[0];
    if !is_transposed || cx.dtype_of(input) != Dtype::Float16 || cx.syms().range(channels).min < 1 {
        return Ok(None);
    }
    let each = |cx: &Decompose<'_>, name: &str| -> Result<Vec<i64>, DecomposeError> {
        let list = cx.known_ints(name)?;
        Ok(if list.len() == 1 { vec![list[0]; dims] } else { list })
    };
    let (stride, padding) = (each(cx, "stride")?, each(cx, "padding")?);
    let (dilation, more) = (each(cx, "dilation")?, each(cx, "output_padding")?);
    // How far a window reaches, and its number of elements. If either needs more than 64 bits, the convolution is left whole.
    let span = |k: usize| dilation[k].checked_mul(window[k] - 1)?.checked_add(1)?.checked_add(more[k]);
    let elements = window.iter().try_fold(1i64, |product, n| product.checked_mul(*n));
    let (Some(spans), Some(elements)) = ((0..dims).map(span).collect::<Option<Vec<i64>>>(), elements) else {
        return Ok(None);
    };
    if elements > MOST_ELEMENTS || padding.iter().any(|n| n.checked_mul(-2).is_none()) {
        return Ok(None);
    }
    let single = cx.rank(input) == dims + 1;
    let input = if single { cx.unsqueeze(input, 0)? } else { input };
    let places = cx.shape(input)[2..].to_vec();
    let columns = columns(cx, input, weight)?;
    // Where all windows lie, before the padding is cut off.
    let whole: Vec<SymInt> = (0..dims)
        .map(|k| {
            let steps = cx.syms().mul_const(cx.syms().add_const(places[k], -1), stride[k]);
            cx.syms().add_const(steps, spans[k])
        })
        .collect();
    let mut sum: Option<Value> = None;
    for element in 0..elements {
        let mut value = cx.select_index(columns, 2, element)?;
        let mut rest = element;
        for k in (0..dims).rev() {
            let start = rest % window[k] * dilation[k];
            rest /= window[k];
            value = placed(cx, value, k + 2, whole[k], (start, stride[k]))?;
        }
        sum = Some(match sum {
            None => value,
            Some(sum) => cx.add(sum, value)?,
        });
    }
    let Some(mut result) = sum else { return Ok(None) };
    for k in 0..dims {
        let size = cx.syms().add_const(whole[k], -2 * padding[k]);
        let [dim, start] = [k as i64 + 2, padding[k]].map(|v| cx.int_arg(v));
        result = cx.call("aten.narrow.default", vec![Arg::Value(result), dim, start, Arg::Int(size)])?;
    }
    if let Some(bias) = cx.optional_value("bias") {
        let mut shape = vec![cx.shape(bias)[0]];
        shape.resize(dims + 1, cx.constant(1));
        let bias = cx.reshape(bias, &shape)?;
        result = cx.add(result, bias)?;
    }
    Ok(Some(vec![if single { cx.squeeze(result, 0)? } else { result }]))
}

/// Products of each place's channels and each window element's: `[batch, filters, window elements, places…]`.
fn columns(cx: &mut Decompose<'_>, input: Value, weight: Value) -> Result<Value, DecomposeError> {
    let (shape, filters) = (cx.shape(input), cx.shape(weight));
    let groups = cx.constant(cx.known_int("groups")?);
    let syms = cx.syms();
    let (each, elements) = (syms.floordiv(shape[1], groups), syms.product(&filters[2..]));
    let (rows, places) = (syms.mul(filters[1], elements), syms.product(&shape[2..]));
    let all = syms.mul(filters[1], groups);
    let input = cx.reshape(input, &[shape[0], groups, each, places])?;
    let weight = cx.reshape(weight, &[groups, each, rows])?;
    let weight = cx.transpose(weight, -2, -1)?;
    let columns = cx.matmul(weight, input)?;
    let mut sizes = vec![shape[0], all, elements];
    sizes.extend(&shape[2..]);
    cx.reshape(columns, &sizes)
}

/// Spreads the elements of a dimension over one of `size`: the first at `start`, each further one `step` later, zeros elsewhere.
fn placed(
    cx: &mut Decompose<'_>,
    value: Value,
    dim: usize,
    size: SymInt,
    (start, step): (i64, i64),
) -> Result<Value, DecomposeError> {
    let mut shape = cx.shape(value);
    let steps = cx.syms().mul_const(cx.syms().add_const(shape[dim], -1), step);
    let end = cx.syms().add_const(steps, start + 1);
    shape[dim] = size;
    let dtype = vec![("dtype", Arg::Dtype(cx.dtype_of(value)))];
    let zeros = cx.call_with("aten.zeros.default", vec![Arg::Ints(shape)], dtype)?;
    let [dim, start, step] = [dim as i64, start, step].map(|v| cx.int_arg(v));
    let args = vec![Arg::Value(zeros), Arg::Value(value), dim, start, Arg::Int(end), step];
    cx.call("aten.slice_scatter.default", args)
}
