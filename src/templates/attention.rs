//! Attention on a GPU: a warp for each query (`native/cuda/attention.h`), tiles in ordinary arithmetic (`attention_fma.h`), few
//! queries (`attention_few.h`, `attention_split.h`), and tensor cores (`attention_mma.h`, `attention_wgmma.h`).

use super::{Constant, ceil, mma};

/// Elements of a value that a GPU's threads of one query keep in registers, at most.
pub const WIDEST_VALUE: i64 = 512;

/// What a band that has no bound adds to a query's place for the first and the last key that it attends.
pub const ANY: [i64; 2] = [-(1 << 60), 1 << 60];

/// A score below is no score but a mask, where scores are bounded.
pub const LEAST_SCORE: i64 = -10_000_000;

/// Warps of a block where each has a query.
pub const WARPS: i64 = 4;

/// Tiles in ordinary arithmetic: 16 times `own` queries, and the keys that they meet at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FmaTile {
    pub own: i64,
    /// Tiles of keys and values in shared memory: the next ones arrive while these are worked on.
    pub stages: i64,
}

impl FmaTile {
    pub const THREADS: i64 = 128;
    pub const KEYS: i64 = 32;
    /// Elements between the rows of weights.
    const PAD: i64 = 4;
    /// Bytes of results of a thread, by four: more would leave no registers for the products.
    const MOST_SUMS: i64 = 64;

    pub fn queries(&self) -> i64 {
        Self::THREADS / 8 * self.own
    }
    /// Elements of a row of queries or keys: an odd number of fours.
    fn depth(head_size: i64) -> i64 {
        ceil(head_size, 4) / 2 * 8 + 4
    }
    /// Shared memory of a block, for elements of so many bytes.
    pub fn bytes(&self, head_size: i64, value_size: i64, element: i64) -> i64 {
        let (depth, wide) = (Self::depth(head_size), 32 * ceil(value_size, 32));
        let queries = self.queries() * (depth + Self::KEYS + Self::PAD);
        element * (queries + self.stages * Self::KEYS * (depth + wide))
    }
    /// Whether threads have registers for their results.
    pub fn fits_registers(&self, value_size: i64, element: i64) -> bool {
        self.own * ceil(value_size, 32) * element <= Self::MOST_SUMS
    }
}

/// Few queries over many keys in ordinary arithmetic; `attention_few.h` says how its rows and keys are dealt out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FewTile {
    pub own: i64,
    pub splits: i64,
    pub each: i64,
}

impl FewTile {
    pub const WARPS: i64 = 8;
    /// Queries for which a tile of 16 is not worth filling, at most.
    pub const MOST: i64 = 8;
    /// Registers of a thread for a step's keys and values, about, and for the queries and the results.
    pub const REGISTERS: i64 = 64;
    /// What is kept of a row beside its results: the largest score and the sum.
    const FOUND: i64 = 2;

    /// Shared memory of a block of so many queries for a warp.
    pub fn bytes(own: i64, value_size: i64, element: i64) -> i64 {
        (Self::WARPS + 1) * own * (value_size + Self::FOUND) * element
    }
}

/// Halves by `mma`: 16 queries for each warp.
pub struct MmaTile {
    pub warps: i64,
}

impl MmaTile {
    pub const KEYS: i64 = 64;
    /// Elements of a head or a value, at most.
    pub const WIDEST: i64 = 128;

    pub fn queries(&self) -> i64 {
        self.warps * 16
    }
    /// Shared memory of a block: the queries and two tiles of keys and values, then the results.
    pub fn bytes(&self, head_size: i64, value_size: i64) -> i64 {
        let (head, value) = (row_bytes(head_size), row_bytes(value_size));
        let operands = self.queries() * head + 2 * Self::KEYS * (head + value);
        operands.max(mma::sums_bytes(self.queries(), value_size))
    }
}

/// Halves of few queries by `mma`, whose keys are dealt out to warps and blocks.
pub struct SplitTile;

impl SplitTile {
    /// Rows are tiles of 16, at most this many.
    pub const MOST_TILES: i64 = 2;
    pub const WARPS: i64 = 8;
    /// Steps of 16 keys in flight.
    pub const STAGES: i64 = 3;

    /// Shared memory of a block: each warp's keys and values, or its results.
    pub fn bytes(rows: i64, head_size: i64, value_size: i64) -> i64 {
        let steps = Self::STAGES * 16 * (row_bytes(head_size) + row_bytes(value_size));
        let found = ceil(rows, 16) * 16 * (value_size + mma::SUMS_PAD + FewTile::FOUND) * 4;
        Self::WARPS * steps.max(found)
    }
}

/// Halves by `wgmma`: warpgroups of 64 queries, keys of a tile, tiles in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WgmmaTile {
    pub groups: i64,
    pub keys: i64,
    pub stages: i64,
    /// Blocks of a multiprocessor at a time.
    pub resident: i64,
}

impl WgmmaTile {
    pub fn queries(&self) -> i64 {
        self.groups * 64
    }
    /// Those that multiply, and one that asks for operands.
    pub fn threads(&self) -> i64 {
        self.groups * 128 + 128
    }
    /// Shared memory of a block, with its barriers.
    pub fn bytes(&self, head_size: i64, value_size: i64) -> i64 {
        let (head, value) = (row_bytes(head_size), row_bytes(value_size));
        self.queries() * head + self.stages * self.keys * (head + value) + 16 + 32 * self.stages
    }
}

/// Gradients by `wgmma`: warpgroups of 64 rows that stay, and so many rows at a time of those that they meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackwardTile {
    pub groups: i64,
    pub walked: i64,
    pub stages: i64,
    /// The numbers of a row that is walked over: the logarithm of its sum, and its mean.
    numbers: i64,
}

impl BackwardTile {
    /// Elements of a head or a value, at most: sums of both, scores and cotangents are in the registers of a warpgroup.
    pub const WIDEST: i64 = 128;

    /// Rows of queries that walk over keys.
    pub fn of_queries(head_size: i64, value_size: i64) -> BackwardTile {
        let walked = if head_size.max(value_size) <= 64 { 128 } else { 96 };
        BackwardTile { groups: 2, walked, stages: 3, numbers: 0 }
    }
    /// Rows of keys and values that walk over queries.
    pub fn of_keys(head_size: i64, value_size: i64) -> BackwardTile {
        // With wider tiles, weights and cotangents beside the sums of wide heads would not fit the registers.
        let (walked, stages) = if head_size.max(value_size) <= 64 { (64, 4) } else { (48, 3) };
        BackwardTile { groups: 2, walked, stages, numbers: 2 }
    }
    pub fn rows(&self) -> i64 {
        self.groups * 64
    }
    /// Those that multiply, and one that asks for operands.
    pub fn threads(&self) -> i64 {
        self.groups * 128 + 128
    }
    /// Shared memory of a block, with its barriers.
    pub fn bytes(&self, head_size: i64, value_size: i64) -> i64 {
        let row = row_bytes(head_size) + row_bytes(value_size);
        let stage = self.walked * (row + 4 * self.numbers) + 32;
        self.rows() * row + self.stages * stage + 8
    }
}

/// Whether a GPU of this architecture has a template for the gradients of attention, with heads and values of these sizes.
pub fn has_backward(arch: u32, of_halves: bool, sizes: [Option<i64>; 2]) -> bool {
    let fits =
        |size: Option<i64>| size.is_some_and(|s| s % 8 == 0 && (8..=BackwardTile::WIDEST).contains(&s));
    arch == 90 && of_halves && sizes.into_iter().all(fits)
}

/// Bytes of a row of halves in shared memory: blocks of 64 elements.
fn row_bytes(size: i64) -> i64 {
    ceil(size, 64) * 128
}

pub fn constants() -> Vec<Constant> {
    vec![("LITZ_ATTENTION_WARPS", WARPS)]
}
pub fn band_constants() -> Vec<Constant> {
    vec![("LITZ_LEAST_SCORE", LEAST_SCORE)]
}
pub fn fma_constants() -> Vec<Constant> {
    vec![
        ("LITZ_FMA_THREADS", FmaTile::THREADS),
        ("LITZ_FMA_KEYS", FmaTile::KEYS),
        ("LITZ_FMA_PAD", FmaTile::PAD),
    ]
}
pub fn few_constants() -> Vec<Constant> {
    vec![("LITZ_FEW_WARPS", FewTile::WARPS), ("LITZ_FEW_FOUND", FewTile::FOUND)]
}
pub fn mma_constants() -> Vec<Constant> {
    vec![("LITZ_KEYS", MmaTile::KEYS)]
}
pub fn split_constants() -> Vec<Constant> {
    vec![("LITZ_SPLIT_FOUND", FewTile::FOUND)]
}
