//! Products of halves on tensor cores, with operands that threads load in chunks (`native/cuda/mma.h`, `wgmma.h`).

use super::Constant;

/// A tile of a block: rows, columns, warps down and across, steps in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Warpgroups of 64 rows, all columns each.
    pub wgmma: bool,
    pub rows: i64,
    pub columns: i64,
    pub down: i64,
    pub across: i64,
    pub stages: i64,
}

impl Tile {
    pub fn threads(&self) -> i64 {
        self.down * self.across * 32
    }
    /// Shared memory of a block: steps of both operands, then the sums.
    pub fn bytes(&self) -> i64 {
        ((self.rows + self.columns) * DEPTH * 2 * self.stages).max(sums_bytes(self.rows, self.columns))
    }
}

/// From the largest to the smallest.
pub const TILES: [Tile; 3] = [
    Tile { wgmma: false, rows: 128, columns: 128, down: 2, across: 4, stages: 3 },
    Tile { wgmma: false, rows: 128, columns: 64, down: 4, across: 2, stages: 3 },
    Tile { wgmma: false, rows: 64, columns: 64, down: 2, across: 2, stages: 4 },
];
pub const HOPPER_TILES: [Tile; 4] = [
    Tile { wgmma: true, rows: 128, columns: 256, down: 8, across: 1, stages: 4 },
    Tile { wgmma: true, rows: 128, columns: 128, down: 8, across: 1, stages: 5 },
    Tile { wgmma: true, rows: 128, columns: 64, down: 8, across: 1, stages: 5 },
    Tile { wgmma: true, rows: 64, columns: 64, down: 4, across: 1, stages: 5 },
];

/// Elements of k in one step.
pub const DEPTH: i64 = 64;
/// Floats between the rows of sums in shared memory, which keeps them off one another's banks.
pub const SUMS_PAD: i64 = 4;

/// Bytes of a tile's sums in shared memory.
pub const fn sums_bytes(rows: i64, columns: i64) -> i64 {
    rows * (columns + SUMS_PAD) * 4
}

pub fn constants() -> Vec<Constant> {
    vec![("LITZ_MMA_DEPTH", DEPTH), ("LITZ_SUMS_PAD", SUMS_PAD)]
}
