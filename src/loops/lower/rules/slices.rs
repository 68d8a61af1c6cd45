//! Slices of a loop's carried tensor: where the body's result is its own carried tensor with slices written over, these alone are
//! computed, and written where they belong.
//!
//! A slice is a run of rows of the first dimension, whole, so that it is one piece of memory. Nobody may use the tensor between
//! the writes; whatever else the body reads of it, it reads before its end, where slices are written.
//!
//! Deliberately absent: slices of other dimensions, at several indices, or added to what is there. The body's result is computed
//! aside then, and copied.

use super::indexing::advanced_place;
use super::view::{dim_arg, from_meta, infer_of, wrapped};
use crate::base::HashMap;
use crate::ir::{Arg, Graph, Node, NodeId, Value};
use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::meta::rules::advanced_index;
use crate::ops::{Form, OpId};
use crate::types::{Dtype, SymInt, slice_range};

/// Rows of the first dimension, or one row without that dimension.
pub struct Slice {
    pub start: Start,
    pub rows: Lazy,
}

/// The row at which a slice begins, counted from the front.
pub enum Start {
    Known(SymInt),
    /// An int64 without dimensions, which is checked.
    Data(Lazy),
}

/// The nodes that write slices, from the first to the last, where `result` is `carried` with slices written over.
pub fn slices_written(
    graph: &Graph,
    uses: &HashMap<Value, usize>,
    result: Value,
    carried: Value,
) -> Option<Vec<NodeId>> {
    let (mut at, mut nodes) = (result, Vec::new());
    while at != carried {
        let crate::ir::Definition::Node { node: id, .. } = graph.values[at].definition else { return None };
        let node = &graph.nodes[id];
        if uses.get(&at) != Some(&1) || !writes_slice(graph, node) {
            return None;
        }
        nodes.push(id);
        at = node.arg("self")?.value()?;
    }
    nodes.reverse();
    (!nodes.is_empty()).then_some(nodes)
}

/// Whether a node gives its `self` with a slice written over.
fn writes_slice(graph: &Graph, node: &Node) -> bool {
    let Some(target) = node.arg("self").and_then(Arg::value).map(|v| graph.meta(v)) else { return false };
    if node.form != Form::Functional || target.rank() == 0 || target.dtype.is_complex() {
        return false;
    }
    let args = Args::new(graph, node);
    let first = || dim_arg(&args, "dim", target.rank()).is_ok_and(|dim| dim == 0);
    match node.op {
        OpId::IndexPut | OpId::UnsafeIndexPut => {
            let list = args.values("indices");
            let index = list.first().copied().flatten().map(|v| graph.meta(v));
            let one = index.is_some_and(|m| m.rank() == 0 && matches!(m.dtype, Dtype::Int64 | Dtype::Int32));
            one && list[1..].iter().all(Option::is_none) && !args.bool("accumulate")
        }
        OpId::SelectScatter => first() && args.int("index").is_some(),
        OpId::SliceScatter => {
            let step = args.int("step").map_or(Some(1), |step| graph.syms.as_const(step));
            first() && step == Some(1)
        }
        _ => false,
    }
}

/// The slice that one of [`slices_written`] writes.
pub fn slice_of(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<Slice, LowerError> {
    let sizes = args.result(0).shape.clone();
    let (start, place, source) = match args.node.op {
        OpId::IndexPut | OpId::UnsafeIndexPut => {
            let result = advanced_index(&mut infer_of(args)).map_err(from_meta)?.result;
            let vars = cx.vars(&result);
            let (_, data) = advanced_place(cx, args, &sizes, &vars, true)?;
            let [expr] = data[..] else { return Err(cx.unsupported("a slice at several indices")) };
            (Start::Data(Lazy { sizes: Vec::new(), expr }), result, args.lazy(cx, "values")?)
        }
        OpId::SelectScatter => {
            let index = args.int("index").ok_or_else(|| cx.unsupported("`index` must be an integer"))?;
            (Start::Known(wrapped(cx, index, sizes[0])), sizes[1..].to_vec(), args.lazy(cx, "src")?)
        }
        _ => {
            let one = cx.syms().constant(1);
            let (start, length) = slice_range(cx.syms(), sizes[0], args.int("start"), args.int("end"), one);
            let mut place = sizes.clone();
            place[0] = length;
            (Start::Known(start), place, args.lazy(cx, "src")?)
        }
    };
    let dtype = args.result(0).dtype;
    let expr = cx.broadcast(&source, &place);
    let expr = cx.cast(expr, dtype);
    Ok(Slice { start, rows: Lazy { sizes: place, expr } })
}
