//! Which boxes are left when each removes those that overlap it and have lower scores: `torchvision::nms`, and ONNX's
//! `NonMaxSuppression` of several classes.
//!
//! A box is kept when no kept box of a higher score covers it. The rule is applied to all boxes at once until nothing changes:
//! after `k` steps the first `k` boxes are final, so it ends after one step more than there are boxes at most, and mostly after a
//! few. The kept boxes' number is then a size that data give.

use super::{Builder, MetaError};
use crate::base::Status;
use crate::ir::{Arg, OutputValue, Subgraph, Value};
use crate::ops::OpId;
use crate::types::{Dtype, TensorMeta};
use std::sync::Arc;

fn v(value: Value) -> Arg {
    Arg::Value(value)
}

/// The places of the boxes to keep as a mask over the boxes in the order of their scores, and that order.
pub(super) fn kept(b: &mut Builder<'_>, op: OpId, args: &[Arg]) -> Result<(Value, Value), MetaError> {
    let error = |status, message: String| MetaError::new(status, op.name(), message);
    let [Arg::Value(boxes), Arg::Value(scores), threshold] = args else {
        return Err(error(Status::InvalidArgument, "`dets` and `scores` must be tensors".into()));
    };
    let (own, other) = (b.graph.meta(*boxes).clone(), b.graph.meta(*scores).clone());
    if !own.dtype.is_float() || own.dtype != other.dtype {
        let message =
            format!("`dets` and `scores` must be floats of one dtype, not {} and {}", own.dtype, other.dtype);
        return Err(error(Status::Dtype, message));
    }
    let syms = b.graph.syms.clone();
    let holds = own.rank() == 2 && other.rank() == 1;
    let fits = holds && !matches!(syms.decide(syms.eq(own.shape[1], syms.constant(4))), Some(false));
    if !fits || matches!(syms.decide(syms.eq(own.shape[0], other.shape[0])), Some(false)) {
        return Err(error(Status::Shape, "`dets` must be [boxes, 4] and `scores` [boxes]".into()));
    }
    let int = |n: i64| Arg::Int(syms.constant(n));
    let named = vec![("stable", Arg::Bool(true)), ("dim", int(0)), ("descending", Arg::Bool(true))];
    let named = named.into_iter().map(|(n, a)| (n.to_string(), a)).collect();
    let order = b.call_named("aten.sort.stable", vec![v(*scores)], named)?[1];
    let sorted = b.op("aten.index_select.default", vec![v(*boxes), int(0), v(order)])?;
    let corner = |b: &mut Builder<'_>, k: i64| b.op("aten.select.int", vec![v(sorted), int(1), int(k)]);
    let (mut areas, mut shared): (Option<Value>, Option<Value>) = (None, None);
    for k in 0..2 {
        let (low, high) = (corner(b, k)?, corner(b, k + 2)?);
        let length = b.op("aten.sub.Tensor", vec![v(high), v(low)])?;
        let pair = |b: &mut Builder<'_>, x: Value, name: &str| {
            let row = b.op("aten.unsqueeze.default", vec![v(x), int(1)])?;
            let column = b.op("aten.unsqueeze.default", vec![v(x), int(0)])?;
            b.op(name, vec![v(row), v(column)])
        };
        let from = pair(b, low, "aten.maximum.default")?;
        let to = pair(b, high, "aten.minimum.default")?;
        let both = b.op("aten.sub.Tensor", vec![v(to), v(from)])?;
        let both = b.op("aten.clamp_min.default", vec![v(both), int(0)])?;
        areas = Some(match areas {
            None => length,
            Some(other) => b.op("aten.mul.Tensor", vec![v(other), v(length)])?,
        });
        shared = Some(match shared {
            None => both,
            Some(other) => b.op("aten.mul.Tensor", vec![v(other), v(both)])?,
        });
    }
    let (Some(areas), Some(shared)) = (areas, shared) else {
        return Err(error(Status::InvalidArgument, "boxes without sides".into()));
    };
    let row = b.op("aten.unsqueeze.default", vec![v(areas), int(1)])?;
    let column = b.op("aten.unsqueeze.default", vec![v(areas), int(0)])?;
    let sum = b.op("aten.add.Tensor", vec![v(row), v(column)])?;
    let union = b.op("aten.sub.Tensor", vec![v(sum), v(shared)])?;
    let ratio = b.op("aten.div.Tensor", vec![v(shared), v(union)])?;
    let covers = b.op("aten.gt.Scalar", vec![v(ratio), threshold.clone()])?;
    // A row's box covers those after it.
    let covers = b.op("aten.triu.default", vec![v(covers), int(1)])?;
    let bool = vec![("dtype", Arg::Dtype(Dtype::Bool))];
    let all = b.op_with("aten.ones.default", vec![Arg::Ints(own.shape[..1].to_vec())], bool)?;
    Ok((settled(b, covers, all)?, order))
}

/// Which boxes are kept, of those that `allowed` has and in its shape `[…, boxes]`; `covers` is `[…, boxes, boxes]`, and says in each
/// row which boxes behind its own that one removes.
pub fn settled(b: &mut Builder<'_>, covers: Value, allowed: Value) -> Result<Value, MetaError> {
    let syms = b.graph.syms.clone();
    let int = |n: i64| Arg::Int(syms.constant(n));
    let given = [covers, allowed].map(|value| b.graph.meta(value).clone());
    let [covers_meta, allowed_meta] = given.map(|m| TensorMeta::contiguous(&syms, m.dtype, m.shape));
    let flag = TensorMeta::contiguous(&syms, Dtype::Bool, Vec::new());
    let subgraph = |name: &str| {
        let mut graph = b.graph.new_subgraph(name);
        let metas = [
            ("kept", &allowed_meta),
            ("changed", &flag),
            ("covers", &covers_meta),
            ("allowed", &allowed_meta),
        ];
        let inputs = metas.map(|(name, meta)| graph.add_input(name, meta.clone()));
        (graph, inputs)
    };
    let (mut condition, inputs) = subgraph("boxes_change");
    condition.add_output("result_0", OutputValue::Tensor(inputs[1]));
    let (mut body, [before, _, matrix, first]) = subgraph("suppress_boxes");
    let mut inside = Builder::new(&mut body);
    let rows = inside.op("aten.unsqueeze.default", vec![v(before), int(-1)])?;
    let removes = inside.op("aten.logical_and.default", vec![v(matrix), v(rows)])?;
    let removed = inside.op("aten.any.dim", vec![v(removes), int(-2)])?;
    let stays = inside.op("aten.logical_not.default", vec![v(removed)])?;
    let after = inside.op("aten.logical_and.default", vec![v(first), v(stays)])?;
    let differs = inside.op("aten.ne.Tensor", vec![v(after), v(before)])?;
    let changed = inside.op("aten.any.default", vec![v(differs)])?;
    body.add_output("result_0", OutputValue::Tensor(after));
    body.add_output("result_1", OutputValue::Tensor(changed));
    let bool = vec![("dtype", Arg::Dtype(Dtype::Bool))];
    let begin = b.op_with("aten.ones.default", vec![Arg::Ints(Vec::new())], bool)?;
    let wrap = |graph| Arg::Graph(Subgraph(Arc::new(graph)));
    let carried = Arg::Values(vec![Some(allowed), Some(begin)]);
    let around = Arg::Values(vec![Some(covers), Some(allowed)]);
    let args = vec![wrap(condition), wrap(body), carried, around, Arg::Ints(Vec::new())];
    Ok(b.call_named("higher_order.while_loop", args, Vec::new())?[0])
}
