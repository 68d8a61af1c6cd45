//! Programs of loops as text: printed by [`text`], read back by [`parse`].
//!
//! ```text
//! loops {
//!   symbol s0 in [2, 64] hint 8
//!   b0: float32[4, s0] input 0 given [s0, 1]
//!   b1: float32[4]
//!   node "aten.sum.dim_IntList"  # total
//!     b1 = Sum over [s0] for [4]
//!       v0 = Exp(b0[i0, i1])
//!       value = Mul(v0, v0)
//!   output b1
//! }
//! ```
//!
//! Buffers come first, in order, with their strides where they are not contiguous, and `spent` for inputs that may be overwritten; then nodes, each with its operators, its results, its
//! space and the expressions that it evaluates; then outputs and writes. `i0`, `i1`, … are the variables of the space that an
//! expression is over: the node's own, or the operand's of a template. `d0` is the value `data0` of the same access.
//! Constants and indices as values have their dtype behind them: `1.0:float32`, `(i0 + 1):int64`. `vN = …` names what
//! one expression uses more than once.
//!
//! Invariant: a text that was read prints as it was, but for comments.
//!
//! Deliberately absent: origins, which are comments.

mod expressions;
mod nodes;
mod print;
mod read;

#[cfg(test)]
mod tests;

pub use print::{name, routine, symbol_names, text, value};
pub use read::{Reader, parse};

use super::{BinaryOp, Cell, ExprId, LoopNode, NodeKind, Program, ReductionOp, ScanOp, ScatterMode, UnaryOp};
use crate::types::SymInt;

/// `i0`, `i1`, … and `d0`, `d1`, … up to this are no symbols' names.
pub const MOST_VARIABLES: usize = 128;

/// An expression that a node evaluates: its name in texts, and the space that its variables are of.
struct Operand {
    name: String,
    value: ExprId,
    space: Vec<SymInt>,
}

/// In the order in which texts have them.
fn operands(program: &Program, node: &LoopNode) -> Vec<Operand> {
    let values = node.exprs();
    let spaces = program.spaces(&node.kind);
    let present = names(&node.kind).into_iter().zip(spaces);
    present.zip(values).map(|((name, space), value)| Operand { name, value, space }).collect()
}

/// The names of a node's expressions, in the order of [`LoopNode::exprs`].
fn names(kind: &NodeKind) -> Vec<String> {
    let some = |list: &[(&str, bool)]| {
        list.iter().filter(|(_, there)| *there).map(|(name, _)| name.to_string()).collect::<Vec<_>>()
    };
    match kind {
        NodeKind::Pointwise { .. }
        | NodeKind::Reduction { .. }
        | NodeKind::Scan { .. }
        | NodeKind::Sort { .. } => some(&[("value", true)]),
        NodeKind::Scatter { data, .. } => (0..data.len())
            .map(|k| format!("data{k}"))
            .chain(some(&[("value", true), ("initial", true)]))
            .collect(),
        NodeKind::Gemm { .. } => some(&[("a", true), ("b", true)]),
        NodeKind::Convolution(_) => some(&[("input", true), ("weight", true)]),
        NodeKind::Attention(a) => some(&[
            ("query", true),
            ("key", true),
            ("value", true),
            ("mask", a.mask.is_some()),
            ("score", a.score.is_some()),
            ("length", a.band.length.is_some()),
        ]),
        NodeKind::AttentionBackward(a) => some(&[
            ("query", true),
            ("key", true),
            ("value", true),
            ("grad", true),
            ("log_sum", true),
            ("mean", true),
            ("mask", a.mask.is_some()),
            ("length", a.band.length.is_some()),
        ]),
        NodeKind::Recurrence(r) => some(&[
            ("gates", true),
            ("weight", true),
            ("first", true),
            ("bias", r.bias.is_some()),
            ("first_cell", r.first_cell.is_some()),
            ("projection", r.projection.is_some()),
        ]),
        NodeKind::Library(_) | NodeKind::Control(_) => Vec::new(),
    }
}

/// A list of all values of an enumeration, each spelled in texts as in code.
pub trait Spelled: Sized + Copy + std::fmt::Debug + 'static {
    const ALL: &'static [Self];
    fn from_text(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| format!("{value:?}") == text)
    }
}

macro_rules! spelled {
    ($name:ident: $($value:ident)*) => {
        impl $crate::loops::text::Spelled for $name {
            const ALL: &'static [$name] = &[$($name::$value),*];
        }
        // A value that the list lacks does not compile.
        const _: fn($name) = |value| match value { $($name::$value => (),)* };
    };
}
pub(crate) use spelled;

spelled!(UnaryOp: Neg Abs Sign Exp Exp2 Expm1 Log Log2 Log10 Log1p Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh
    Atanh Erf Erfc Erfinv Sqrt Rsqrt Reciprocal Sigmoid GeluTanh Floor Ceil Trunc Round Lgamma Digamma LogicalNot BitwiseNot ToBits FromBits
    HalfFromBits BfloatFromBits IsNan IsInf Signbit);
spelled!(BinaryOp: Add Sub Mul Div FloorDiv TruncDiv Remainder Fmod Pow Maximum Minimum Fmax Fmin Atan2 Copysign Nextafter
    Hypot Igamma Igammac Eq Ne Lt Le Gt Ge LogicalAnd LogicalOr LogicalXor BitwiseAnd BitwiseOr BitwiseXor ShiftLeft ShiftRight Philox);
spelled!(ReductionOp: Sum Product Max Min MaxWithIndex MinWithIndex Xor);
spelled!(ScanOp: Sum Product LogSumExp MaxWithIndex MinWithIndex);
spelled!(ScatterMode: Set SetUnique Add Multiply Max Min);
spelled!(Cell: Tanh Relu Lstm Gru);
