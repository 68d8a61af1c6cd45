//! Which operators give views, and how new contents of a view go back into what it is a view of.

use super::{Functionalize, ViewId};
use crate::base::Status;
use crate::ir::{Arg, Graph, Node, Value};
use crate::meta::{Infer, MetaError, converts_nothing, dimension_order, split_parts};
use crate::ops::{Class, OpId};
use crate::types::{MemoryFormat, view_strides};

/// `None` where a node's results have storages of their own. Otherwise they are views of the first argument;
/// `true`: that argument itself.
pub fn aliases(graph: &Graph, node: &Node) -> Option<bool> {
    use OpId::*;
    let Some(Arg::Value(own)) = node.args.first() else { return None };
    let own = graph.meta(*own);
    let result = graph.meta(*node.outputs.first()?);
    let flag = |name: &str| matches!(node.arg(name), Some(Arg::Bool(true)));
    match node.op {
        // These copy where the strides do not allow a view.
        Reshape | ReshapeAs | FlattenUsingInts => {
            view_strides(&graph.syms, &own.shape, &own.strides, &result.shape).map(|_| false)
        }
        Ravel => own.is_contiguous(&graph.syms).then_some(false),
        // These give their argument itself where there is nothing to do.
        Contiguous | ToDtype | ToDevice | ToDtypeLayout | ToOther | TypeAs => {
            converts_nothing(graph, node).then_some(true)
        }
        Positive => Some(true),
        ConjPhysical => (!own.dtype.is_complex()).then_some(true),
        SumToSize => {
            // The sum of a tensor without dimensions is one of its own.
            let same = own.rank() > 0
                && own.rank() == result.rank()
                && own.shape.iter().zip(&result.shape).all(|(a, b)| graph.syms.known_eq(*a, *b));
            same.then_some(true)
        }
        Dropout | FeatureDropout | AlphaDropout | FeatureAlphaDropout => {
            let nothing = !flag("train") || matches!(node.arg("p"), Some(Arg::Float(p)) if *p == 0.0);
            nothing.then_some(true)
        }
        op if op.class() == Class::View => Some(false),
        _ => None,
    }
}

/// True for a view operator that shows its storage as another dtype, or other values than lie there: the conjugate, the negative.
pub(super) fn shows_otherwise(graph: &Graph, op: OpId, result: Value) -> bool {
    use OpId::*;
    changes_values(graph, op, result) || matches!(op, ViewDtype | ViewAsReal | ViewAsComplex | Real | Imag)
}

/// True for a view operator that shows other values than lie in its storage.
pub(super) fn changes_values(graph: &Graph, op: OpId, result: Value) -> bool {
    use OpId::*;
    let complex = graph.meta(result).dtype.is_complex();
    op == NegView || complex && matches!(op, Conj | UnderscoreConj | MH | Adjoint | MatrixH)
}

/// Whether an operator that shows each tensor of a list expanded, or a list of one tensor as it is, gives views.
pub(super) fn shows_list(node: &Node) -> bool {
    use OpId::*;
    match node.op {
        BroadcastTensors | Meshgrid | MeshgridIndexing => true,
        CartesianProd => matches!(node.args.first(), Some(Arg::Values(list)) if list.len() == 1),
        _ => false,
    }
}

/// What a view operator is applied to in the new graph: the present contents of its parent, in the layout of its
/// storage where the operator looks at that.
pub(super) fn operand(cx: &mut Functionalize<'_>, op: OpId, parent: Value) -> Result<Value, MetaError> {
    let current = cx.states[parent].current;
    if op != OpId::AsStrided {
        return Ok(current);
    }
    let (was, is) = (cx.old.meta(parent), cx.new.meta(current));
    let is_view = cx.new.producer(current).is_some_and(|n| n.op.class() == Class::View);
    if !is_view && was.strides == is.strides && was.offset == is.offset {
        return Ok(current);
    }
    if !was.is_contiguous(&cx.old.syms) {
        let message = "a strided view of a storage that is not contiguous and is written to";
        return Err(cx.error(Status::Unsupported, op, message));
    }
    let named = vec![("memory_format", Arg::MemoryFormat(MemoryFormat::Contiguous))];
    cx.builder().op_with("aten.clone.default", vec![Arg::Value(current)], named)
}

/// The contents of a view's parent once its `result`-th result holds `contents`.
pub(super) fn write_through(
    cx: &mut Functionalize<'_>,
    view: ViewId,
    result: usize,
    contents: Value,
) -> Result<Value, MetaError> {
    use OpId::*;
    let (op, parent) = (cx.views[view].op, cx.views[view].parent);
    if cx.views[view].identity {
        return Ok(contents);
    }
    let old = cx.old;
    let parent_meta = old.meta(parent).clone();
    let whole = operand(cx, op, parent)?;
    cx.views[view].args[0] = Arg::Value(whole);
    let args = cx.views[view].args.clone();
    let int = |v: i64| Arg::Int(old.syms.constant(v));
    let syms = &old.syms;
    let arg = |name: &str| op.schema().arg(name).map(|k| args[k].clone()).unwrap_or(Arg::None);
    let (whole, new) = (Arg::Value(whole), Arg::Value(contents));
    let rank = parent_meta.rank() as i64;
    match op {
        Alias | Keep | Recompute | Detach | ResolveConj | ResolveNeg => Ok(contents),
        Conj | UnderscoreConj => cx.builder().op("aten.conj_physical.default", vec![new]),
        NegView => cx.builder().op("aten.neg.default", vec![new]),
        Real if !parent_meta.dtype.is_complex() => Ok(contents),
        Real => {
            let other = cx.builder().op("aten.imag.default", vec![whole])?;
            cx.builder().op("aten.complex.default", vec![new, Arg::Value(other)])
        }
        Imag => {
            let other = cx.builder().op("aten.real.default", vec![whole])?;
            cx.builder().op("aten.complex.default", vec![Arg::Value(other), new])
        }
        ViewAsComplex => cx.builder().op("aten.view_as_real.default", vec![new]),
        ViewAsReal => {
            let named = vec![("memory_format", Arg::MemoryFormat(MemoryFormat::Contiguous))];
            let next = cx.builder().op_with("aten.clone.default", vec![new], named)?;
            cx.builder().op("aten.view_as_complex.default", vec![Arg::Value(next)])
        }
        View | UnsafeView | ViewAs | Reshape | ReshapeAs | FlattenUsingInts | UnflattenInt | Ravel
        | Unsqueeze | Squeeze | SqueezeDim | SqueezeDims | Atleast1d | Atleast2d | Atleast3d => {
            cx.builder().op("aten.reshape.default", vec![new, Arg::Ints(parent_meta.shape)])
        }
        ViewDtype => {
            let named = vec![("memory_format", Arg::MemoryFormat(MemoryFormat::Contiguous))];
            let next = cx.builder().op_with("aten.clone.default", vec![new], named)?;
            let own = Arg::Dtype(parent_meta.dtype);
            cx.builder().op("aten.view.dtype", vec![Arg::Value(next), own])
        }
        SliceTensor => {
            let tail = ["dim", "start", "end", "step"].map(arg);
            cx.builder().op("aten.slice_scatter.default", [vec![whole, new], tail.to_vec()].concat())
        }
        Narrow => {
            let (Arg::Int(start), Arg::Int(length)) = (arg("start"), arg("length")) else {
                return Err(cx.error(Status::Internal, op, "narrow without numbers"));
            };
            let Arg::Int(dim) = arg("dim") else {
                return Err(cx.error(Status::Internal, op, "narrow without a dimension"));
            };
            let place = syms.as_const(dim).unwrap_or(0);
            let size = parent_meta.shape[(if place < 0 { place + rank } else { place }) as usize];
            let zero = syms.constant(0);
            let start = syms.select(syms.lt(start, zero), syms.add(start, size), start);
            let end = syms.add(start, length);
            let tail = vec![whole, new, Arg::Int(dim), Arg::Int(start), Arg::Int(end), int(1)];
            cx.builder().op("aten.slice_scatter.default", tail)
        }
        SelectInt => {
            cx.builder().op("aten.select_scatter.default", vec![whole, new, arg("dim"), arg("index")])
        }
        UnbindInt => {
            let list = vec![whole, new, arg("dim"), int(result as i64)];
            cx.builder().op("aten.select_scatter.default", list)
        }
        SplitTensor | SplitSizes | SplitWithSizes | Chunk | UnsafeSplitTensor | UnsafeSplitWithSizes
        | UnsafeChunk | TensorSplitSections | TensorSplitIndices | HsplitInt | HsplitArray | VsplitInt
        | VsplitArray | DsplitInt | DsplitArray => {
            let mut infer = Infer { graph: &cx.new, op, args: &args, guards: Vec::new() };
            let (dim, parts) = split_parts(&mut infer)?;
            let (start, length) = parts[result];
            let end = syms.add(start, length);
            let list = vec![whole, new, int(dim as i64), Arg::Int(start), Arg::Int(end), int(1)];
            cx.builder().op("aten.slice_scatter.default", list)
        }
        Diagonal | LinalgDiagonal => {
            let tail = ["offset", "dim1", "dim2"].map(arg);
            cx.builder().op("aten.diagonal_scatter.default", [vec![whole, new], tail.to_vec()].concat())
        }
        AsStrided => {
            let tail = ["size", "stride", "storage_offset"].map(arg);
            cx.builder().op("aten.as_strided_scatter.default", [vec![whole, new], tail.to_vec()].concat())
        }
        Expand | ExpandAs | BroadcastTo => {
            let shown = old.meta(cx.views[view].results[result]);
            let same = shown.rank() == parent_meta.rank()
                && shown.shape.iter().zip(&parent_meta.shape).all(|(a, b)| syms.known_eq(*a, *b));
            let added = shown.rank() - parent_meta.rank();
            let ones = shown.shape[..added].iter().all(|s| syms.as_const(*s) == Some(1))
                && shown.shape[added..].iter().zip(&parent_meta.shape).all(|(a, b)| syms.known_eq(*a, *b));
            if same || ones {
                return cx.builder().op("aten.reshape.default", vec![new, Arg::Ints(parent_meta.shape)]);
            }
            let message =
                "a part of an expanded tensor is written to, whose elements lie at one place of memory";
            Err(cx.error(Status::Unsupported, op, message))
        }
        op if op.class() == Class::View && is_permutation(op) => {
            let infer = Infer { graph: &cx.new, op, args: &args, guards: Vec::new() };
            let order = dimension_order(&infer)?;
            let mut inverse = vec![syms.constant(0); order.len()];
            for (k, from) in order.iter().enumerate() {
                inverse[*from] = syms.constant(k as i64);
            }
            let back = cx.builder().op("aten.permute.default", vec![new, Arg::Ints(inverse)])?;
            match changes_values(old, op, cx.views[view].results[result]) {
                true => cx.builder().op("aten.conj_physical.default", vec![Arg::Value(back)]),
                false => Ok(back),
            }
        }
        _ => Err(cx.error(Status::Unsupported, op, "a view by this operator is written to")),
    }
}

fn is_permutation(op: OpId) -> bool {
    use OpId::*;
    matches!(
        op,
        Permute
            | TransposeInt
            | SwapaxesDefault
            | SwapdimsDefault
            | T
            | MovedimInt
            | MovedimIntlist
            | MoveaxisInt
            | MoveaxisIntlist
            | MT
            | MH
            | Adjoint
            | NumpyT
            | MatrixH
    )
}
