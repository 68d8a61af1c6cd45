//! Option `numerics=strict`: half-precision values are rounded inside of operators, too, where PyTorch's kernels for a CPU round them.
//!
//! Between operators they are always rounded. One kernel rounds within: the logarithm of a softmax along the last dimension keeps the
//! sum of the exponentials and its logarithm in the dtype of the tensor.
//!
//! Deliberately absent: PyTorch's kernels for a GPU, which round nothing in between; a product of attention written by hand, which is
//! found in the loop IR (`loop_passes::attention_match`).

use super::rewrite::rewrite;
use crate::ir::{Arg, Graph, Value};
use crate::meta::{Builder, MetaError};
use crate::ops::OpId;
use crate::types::Dtype;

/// Puts the roundings into a decomposed graph.
pub fn run(graph: &mut Graph) -> Result<bool, MetaError> {
    rewrite(graph, &mut |graph, id| {
        let node = &graph.nodes[id];
        let is_one =
            matches!(node.op, OpId::LogSoftmaxInt | OpId::SpecialLogSoftmax | OpId::UnderscoreLogSoftmax);
        let (Some(Arg::Value(x)), Some(Arg::Int(dim)), true) = (node.arg("self"), node.arg("dim"), is_one)
        else {
            return Ok(None);
        };
        let (x, dim, result) = (*x, graph.syms.as_const(*dim), graph.meta(node.outputs[0]).dtype);
        let meta = graph.meta(x);
        let last = meta.rank() as i64 - 1;
        let along = dim.is_some_and(|dim| dim == -1 || dim == last);
        if !meta.dtype.is_reduced_float() || result != meta.dtype || last < 0 || !along {
            return Ok(None);
        }
        Ok(Some(vec![log_softmax(graph, x, result)?]))
    })
}

fn log_softmax(graph: &mut Graph, x: Value, half: Dtype) -> Result<Value, MetaError> {
    let last = Arg::Ints(vec![graph.syms.constant(-1)]);
    let mut b = Builder::new(graph);
    let cast =
        |b: &mut Builder<'_>, v: Value, to: Dtype| b.op("aten.to.dtype", vec![Arg::Value(v), Arg::Dtype(to)]);
    let rounded = |b: &mut Builder<'_>, v: Value| {
        let narrow = cast(b, v, half)?;
        cast(b, narrow, Dtype::Float32)
    };
    let x = cast(&mut b, x, Dtype::Float32)?;
    let max = b.op("aten.amax.default", vec![Arg::Value(x), last.clone(), Arg::Bool(true)])?;
    let shifted = b.op("aten.sub.Tensor", vec![Arg::Value(x), Arg::Value(max)])?;
    let exp = b.op("aten.exp.default", vec![Arg::Value(shifted)])?;
    let sum = b.op("aten.sum.dim_IntList", vec![Arg::Value(exp), last, Arg::Bool(true)])?;
    let sum = rounded(&mut b, sum)?;
    let log = b.op("aten.log.default", vec![Arg::Value(sum)])?;
    let log = rounded(&mut b, log)?;
    let value = b.op("aten.sub.Tensor", vec![Arg::Value(shifted), Arg::Value(log)])?;
    cast(&mut b, value, half)
}
