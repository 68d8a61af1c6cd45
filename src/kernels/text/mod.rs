//! Kernels as text: printed by [`text`], read back by [`parse`].
//!
//! ```text
//! kernel {
//!   symbol n in [1, 4096]
//!   b0: float32[n, 100] Input
//!   b1: float32[n, 100] Result
//!   parameter n
//!   cpu tasks n grain 8 scratch 0
//!   lanes 8
//!   for Task row = task.begin to task.end {
//!     for Vector i = 0 to 100 step vectors 1 {
//!       let v: vector float32 = load.vector b0[((row * 100) + i)]
//!       store.vector b1[((row * 100) + i)] = Exp(v)
//!     }
//!   }
//! }
//! ```
//!
//! Integers that are indexed with are infix and always in parentheses, or called `index.Min(a, b)`; elements are `Add(a, b)`,
//! `float32(x)`, `1.0:float32`. `symbol(n)` is a scalar parameter, `name[at]` an element of an array in registers, a dotted word
//! a builtin. What a load or store touches stands behind its word: `load.tail(count) b0[at]`; `b0[at from origin]` counts from
//! another place. `define name(…) { … }` is a region, and `call Routine(…) operands (…) numbers (…) regions (…)` calls a template.
//!
//! Invariants: a text that was read prints as it was, but for comments; a name belongs to the innermost block that has it.
//!
//! Deliberately absent: whether a kernel is right.

mod print;
mod read;
mod shared;
mod templates;
mod values;

#[cfg(test)]
mod tests;

pub use print::{heads, operand, text, type_text, value};
pub use read::{Read, parse};

use super::{Axis, Builtin, IndexOp, Role, Scope, Space, Word};
use crate::loops::text::spelled;

spelled!(IndexOp: Add Subtract Multiply Negate Divide Remainder FloorDivide FloorRemainder Min Max Equal NotEqual Less LessEqual
    Greater GreaterEqual And Or Choose);
spelled!(Word: LaneIndex FirstLanes TailMask Any DivideBy QuotientBy RestBy SigmoidRounded SigmoidScaled
    BitsOfHalf BitsOfBfloat Nibble);
spelled!(Axis: Task Thread Lane Vector Unrolled Serial);
spelled!(Scope: Thread Warp Block Cluster Device);
spelled!(Space: Global Registers Scratch Shared DynamicShared Lent);
spelled!(Role: Input Result Repeated Updated Accumulated Combined Workspace Semaphores);

const BUILTINS: [(Builtin, &str); 7] = [
    (Builtin::Begin, "task.begin"),
    (Builtin::End, "task.end"),
    (Builtin::Lanes, "vector.lanes"),
    (Builtin::BlockIndex, "grid.block"),
    (Builtin::Blocks, "grid.blocks"),
    (Builtin::ThreadIndex, "block.thread"),
    (Builtin::ClusterRank, "cluster.rank"),
];

/// The sign of an operation that stands between its operands.
const INFIX: [(IndexOp, &str); 13] = [
    (IndexOp::Add, "+"),
    (IndexOp::Subtract, "-"),
    (IndexOp::Multiply, "*"),
    (IndexOp::Divide, "//"),
    (IndexOp::Remainder, "%"),
    (IndexOp::Equal, "=="),
    (IndexOp::NotEqual, "!="),
    (IndexOp::Less, "<"),
    (IndexOp::LessEqual, "<="),
    (IndexOp::Greater, ">"),
    (IndexOp::GreaterEqual, ">="),
    (IndexOp::And, "and"),
    (IndexOp::Or, "or"),
];

/// Whether an operation has any number of operands.
fn is_list(op: IndexOp) -> bool {
    matches!(op, IndexOp::Add | IndexOp::Multiply | IndexOp::And | IndexOp::Or)
}
