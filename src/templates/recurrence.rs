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

/// What a block of a cluster has in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub blocks: i64,
    pub rows: i64,
    pub hidden: i64,
    pub projected: i64,
    pub gates: i64,
    pub projects: bool,
    /// Its weights, too.
    pub kept: bool,
}

impl Held {
    /// Two generations of hidden values, then for the block's units states and sums of gates, all new values where they are
    /// projected, and weights.
    pub fn elements(self) -> i64 {
        let Held { blocks, rows, hidden, projected, gates, projects, kept } = self;
        let slice = (hidden + blocks - 1) / blocks;
        let states = 2 * projected + slice + gates * slice + if projects { hidden } else { 0 };
        rows * states + if kept { gates * slice * projected } else { 0 }
    }
}

pub fn constants() -> Vec<Constant> {
    vec![("LITZ_RECURRENCE_PANEL", PANEL)]
}
