//! Gradients that PyTorch's autograd leaves in graphs, as simpler operators, which fuse with what is around them.
//!
//! Narrow floats are computed in float32 and rounded at the end, as PyTorch's kernels do. A result that an `output_mask`
//! leaves out is built like the others; nothing reads it, so nothing computes it.

mod attention;
mod elements;
mod losses;
mod norms;
mod places;
mod products;
mod resampling;
mod windows;

pub use attention::*;
pub use elements::*;
pub use losses::*;
pub use norms::*;
pub use places::*;
pub use products::*;
pub use resampling::*;
pub use windows::*;

use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

/// The one of these arguments that the schema has.
fn first(cx: &Decompose<'_>, names: &[&str]) -> Built {
    let found = names.iter().find(|name| cx.op.schema().arg(name).is_some());
    cx.value(found.copied().unwrap_or(names[0]))
}

/// The gradient that is given.
fn given(cx: &Decompose<'_>) -> Built {
    first(cx, &["grad_output", "grad_out", "grad", "grad_in", "grad_w"])
}

/// `a` where the condition holds, zero elsewhere.
fn or_zero(cx: &mut Decompose<'_>, condition: Value, a: Value) -> Built {
    super::loss::where_number(cx, condition, a, 0.0)
}

fn zeros(cx: &mut Decompose<'_>, shape: Vec<SymInt>, dtype: Dtype) -> Built {
    cx.call_with("aten.zeros.default", vec![Arg::Ints(shape)], vec![("dtype", Arg::Dtype(dtype))])
}

/// `0, 1, .., count - 1`
fn counted(cx: &mut Decompose<'_>, count: SymInt) -> Built {
    cx.call_with("aten.arange.default", vec![Arg::Int(count)], vec![("dtype", Arg::Dtype(Dtype::Int64))])
}

/// `length` slices of a dimension from `start` on.
fn narrow(cx: &mut Decompose<'_>, a: Value, dim: usize, start: SymInt, length: SymInt) -> Built {
    let dim = cx.int_arg(dim as i64);
    cx.call("aten.narrow.default", vec![Arg::Value(a), dim, Arg::Int(start), Arg::Int(length)])
}

/// A dimension with zeros before and after it; negative numbers cut off as many.
fn padded(cx: &mut Decompose<'_>, a: Value, dim: usize, before: SymInt, after: SymInt) -> Built {
    let zero = cx.constant(0);
    let mut pads = vec![zero; 2 * (cx.rank(a) - dim)];
    let last = pads.len() - 2;
    (pads[last], pads[last + 1]) = (before, after);
    cx.call("aten.constant_pad_nd.default", vec![Arg::Value(a), Arg::Ints(pads)])
}

/// The dimensions from `first` to before `end`.
fn dims(first: usize, end: usize) -> Vec<i64> {
    (first as i64..end as i64).collect()
}
