//! A batch norm that uses its running statistics, right after a convolution that nobody else uses, goes into the
//! convolution's weight and bias:
//!
//! ```text
//! norm(conv(x, w, b)) = conv(x, w * s, (b - mean) * s + beta),   s = gamma / sqrt(var + eps)
//! ```
//!
//! Only for float32 and float64 (reduced floats would round the weight once more), and only where weight and
//! statistics are constants that no run writes to: then the plan computes the new ones once.

use super::rewrite::{count_uses, is_fixed_constant, rewrite};
use crate::ir::{Arg, Graph, Node, NodeId, Value, merge};
use crate::meta::{Builder, MetaError};
use crate::ops::{Form, OpId};
use crate::types::Dtype;

pub(super) fn run(graph: &mut Graph) -> Result<bool, MetaError> {
    let uses = count_uses(graph);
    let used = |v: Value| uses.get(&v).copied().unwrap_or(0);
    rewrite(graph, &mut |graph, id| {
        let Some(found) = find(graph, id, &used) else { return Ok(None) };
        let result = fold(graph, &found)?;
        // The other results, the statistics of a batch that was not looked at, are not used.
        Ok(Some(vec![result]))
    })
}

struct Found {
    convolution: Node,
    weight: Value,
    bias: Option<Value>,
    gamma: Option<Value>,
    beta: Option<Value>,
    mean: Value,
    var: Value,
    eps: f64,
}

fn find(graph: &Graph, id: NodeId, used: &dyn Fn(Value) -> usize) -> Option<Found> {
    let node = &graph.nodes[id];
    let evaluates = match node.op {
        OpId::BatchNorm | OpId::NativeBatchNorm => matches!(node.arg("training"), Some(Arg::Bool(false))),
        OpId::NativeBatchNormLegitNoTraining => true,
        _ => false,
    };
    if !evaluates || node.outputs[1..].iter().any(|v| used(*v) > 0) {
        return None;
    }
    let value = |node: &Node, name: &str| match node.arg(name) {
        Some(Arg::Value(v)) => Some(*v),
        _ => None,
    };
    let input = value(node, "input")?;
    let convolution = graph.producer(input)?;
    let plain = match convolution.op {
        OpId::Conv1d | OpId::Conv2d | OpId::Conv3d => true,
        OpId::Conv1dPadding | OpId::Conv2dPadding | OpId::Conv3dPadding => true,
        OpId::Convolution => matches!(convolution.arg("transposed"), Some(Arg::Bool(false))),
        _ => false,
    };
    if !plain || used(input) != 1 {
        return None;
    }
    let of_region = |node: &Node| !graph.origins.unfused(&node.origins).is_empty();
    if of_region(node) || of_region(convolution) {
        return None;
    }
    let Some(Arg::Float(eps)) = node.arg("eps") else { return None };
    let found = Found {
        weight: value(convolution, "weight")?,
        bias: value(convolution, "bias"),
        convolution: convolution.clone(),
        gamma: value(node, "weight"),
        beta: value(node, "bias"),
        mean: value(node, "running_mean")?,
        var: value(node, "running_var")?,
        eps: *eps,
    };
    let dtype = graph.meta(found.weight).dtype;
    let optional = [found.bias, found.gamma, found.beta];
    let all = [found.weight, found.mean, found.var].into_iter().chain(optional.into_iter().flatten());
    let fits = all.into_iter().all(|v| is_fixed_constant(graph, v) && graph.meta(v).dtype == dtype);
    // A convolution of an image without a batch dimension has its channels elsewhere.
    let batched = graph.meta(input).rank() == graph.meta(found.weight).rank();
    (fits && batched && matches!(dtype, Dtype::Float32 | Dtype::Float64)).then_some(found)
}

fn fold(graph: &mut Graph, found: &Found) -> Result<Value, MetaError> {
    let (one, minus_one) = (graph.syms.constant(1), graph.syms.constant(-1));
    let rank = graph.meta(found.weight).rank();
    merge(&mut graph.making, &found.convolution.origins);
    let mut b = Builder::new(graph);
    let v = Arg::Value;
    let shifted = b.op("aten.add.Scalar", vec![v(found.var), Arg::Float(found.eps)])?;
    let mut scale = b.op("aten.rsqrt.default", vec![v(shifted)])?;
    if let Some(gamma) = found.gamma {
        scale = b.op("aten.mul.Tensor", vec![v(gamma), v(scale)])?;
    }
    let mut shape = vec![one; rank];
    shape[0] = minus_one;
    let column = b.op("aten.reshape.default", vec![v(scale), Arg::Ints(shape)])?;
    let weight = b.op("aten.mul.Tensor", vec![v(found.weight), v(column)])?;
    let centre = match found.bias {
        Some(bias) => b.op("aten.sub.Tensor", vec![v(bias), v(found.mean)])?,
        None => b.op("aten.neg.default", vec![v(found.mean)])?,
    };
    let mut bias = b.op("aten.mul.Tensor", vec![v(centre), v(scale)])?;
    if let Some(beta) = found.beta {
        bias = b.op("aten.add.Tensor", vec![v(bias), v(beta)])?;
    }
    let mut args = found.convolution.args.clone();
    let schema = found.convolution.op.schema();
    for (name, value) in [("weight", weight), ("bias", bias)] {
        if let Some(k) = schema.arg(name) {
            args[k] = v(value);
        }
    }
    Ok(b.call(found.convolution.op, Form::Functional, args)?[0])
}
