//! Recurrences (`native/recurrence.h`, `native/cuda/recurrence.h`).

use super::Constant;

/// Columns of a panel of weights on a CPU.
pub const PANEL: i64 = 32;

/// Threads of a GPU's block.
pub const THREADS: i64 = 512;
/// Hidden units of a block, at least: fewer are not worth telling other blocks.
pub const UNITS: i64 = 32;
/// Blocks of a cluster, and rows of the batch that one follows, at most.
pub const MOST: i64 = 8;

pub fn constants() -> Vec<Constant> {
    vec![("LITZ_RECURRENCE_PANEL", PANEL)]
}
