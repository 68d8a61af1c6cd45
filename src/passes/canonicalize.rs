//! Nodes whose result is their first argument: copies, aliases, conversions to what is there already, views that
//! show all of it as it is, dropout that drops nothing, and arithmetic that leaves every number as it is.
//!
//! A rule may only say "this is that": it never makes a node. Arithmetic must be exact for every value of the dtype:
//! `x + 0.0` is not (it turns -0.0 into 0.0), `x - 0.0` and `x * 1` are.

use super::rewrite::rewrite;
use crate::ir::{Arg, Graph, Node, Value};
use crate::meta::{Infer, MetaError, dimension_order};
use crate::ops::OpId;

pub(super) fn run(graph: &mut Graph) -> Result<bool, MetaError> {
    // A strided view depends on which storage its argument has, and so on copies.
    let looks_at_storage = graph.order.iter().any(|id| {
        let op = graph.nodes[*id].op;
        matches!(op, OpId::AsStrided | OpId::AsStridedScatter | OpId::AsStridedCopy)
    });
    rewrite(graph, &mut |graph, id| {
        let node = &graph.nodes[id];
        let Some(value) = same_as(graph, node) else { return Ok(None) };
        let (own, result) = (graph.meta(value), graph.meta(node.outputs[0]));
        let same_storage = own.strides == result.strides && own.offset == result.offset;
        let kept = own.dtype == result.dtype && own.shape == result.shape;
        Ok((kept && (same_storage || !looks_at_storage)).then(|| vec![value]))
    })
}

/// The argument that the node's only result equals, provided that dtype and shape are the same.
fn same_as(graph: &Graph, node: &Node) -> Option<Value> {
    use OpId::*;
    let Some(Arg::Value(own)) = node.args.first() else { return None };
    if node.outputs.len() != 1 {
        return None;
    }
    let is = match node.op {
        Alias | Detach | ResolveConj | ResolveNeg | AliasCopy | DetachCopy | LiftFreshCopy => true,
        Keep | Recompute => true,
        Clone | Contiguous | ToDtype | ToDevice | ToDtypeLayout | ToOther | ToCopy | TypeAs => true,
        // With the shape that it had, each of these shows every element in its place.
        View | UnsafeView | ViewAs | Reshape | ReshapeAs | FlattenUsingInts | UnflattenInt | Ravel
        | ViewCopy | ReshapeCopy | Expand | ExpandAs | BroadcastTo | ExpandCopy | Squeeze | SqueezeDim
        | SqueezeDims | SqueezeCopy | SqueezeCopyDim | SqueezeCopyDims | Atleast1d | Atleast2d
        | Atleast3d | SliceTensor | SliceCopyTensor | Narrow | NarrowCopy => true,
        Permute | TransposeInt | SwapaxesDefault | SwapdimsDefault | T | MovedimInt | MovedimIntlist
        | MoveaxisInt | MoveaxisIntlist | NumpyT | PermuteCopy | TransposeCopyInt | TCopy => {
            let infer = Infer { graph, op: node.op, args: &node.args, guards: Vec::new() };
            dimension_order(&infer).is_ok_and(|order| order.iter().copied().eq(0..order.len()))
        }
        Dropout | FeatureDropout | AlphaDropout | FeatureAlphaDropout => {
            let train = matches!(node.arg("train"), Some(Arg::Bool(true)));
            !train || matches!(node.arg("p"), Some(Arg::Float(p)) if *p == 0.0)
        }
        MulScalar | DivScalar => number(graph, node, "other") == Some(1.0),
        PowTensorScalar => number(graph, node, "exponent") == Some(1.0),
        AddScalar => {
            let exact = graph.meta(*own).dtype.is_integral();
            exact && is_positive_zero(graph, node, "other") && is_finite(graph, node, "alpha")
        }
        SubScalar => is_positive_zero(graph, node, "other") && is_positive(graph, node, "alpha"),
        _ => false,
    };
    is.then_some(*own)
}

fn number(graph: &Graph, node: &Node, name: &str) -> Option<f64> {
    match node.arg(name)? {
        Arg::Int(v) => graph.syms.as_const(*v).map(|c| c as f64),
        Arg::Float(v) => Some(*v),
        _ => None,
    }
}
fn is_positive_zero(graph: &Graph, node: &Node, name: &str) -> bool {
    number(graph, node, name).is_some_and(|v| v.to_bits() == 0)
}
fn is_finite(graph: &Graph, node: &Node, name: &str) -> bool {
    number(graph, node, name).is_some_and(f64::is_finite)
}
/// `alpha * 0.0` is `0.0`, not `-0.0` or NaN.
fn is_positive(graph: &Graph, node: &Node, name: &str) -> bool {
    number(graph, node, name).is_some_and(|v| v.is_finite() && v > 0.0)
}
