//! Scans, sorts and scatters: on a CPU a line is a task (`native/sort.h`); on a GPU (`native/cuda/phases.h`, `scan.h`, `merge.h`,
//! `sort.h`, `scatter.h`) threads, blocks or phases of one launch share it.

use super::Constant;

/// Bytes on a CPU of a key of at most eight bytes, aligned, and its position.
pub const KEYED_BYTES: i64 = 16;

/// Numbers that the semaphores of a kernel's phases are, at most.
pub const SEMAPHORES: i64 = 64;
/// Threads of a block whose threads have nothing to do with one another.
pub const THREADS: i64 = 128;
/// Blocks of a multiprocessor among which the phases of a launch are dealt out.
pub const AT_ONCE: i64 = 4;

/// Scans.
pub struct Scan;

impl Scan {
    /// Elements of a line that a thread has at a time.
    pub const EACH: i64 = 4;
    /// Threads of a block that scans lines beside one another, a warp of lines.
    pub const WIDE: i64 = 1024;
}

/// Sorts by tags, which are a key's digits with its position.
pub struct Sort;

impl Sort {
    /// Tags that a thread has at a time.
    pub const EACH: i64 = 8;
    /// Bytes of a tag, at most.
    const WIDEST_TAG: i64 = 16;
    /// Threads of a block, at most.
    pub const MOST_THREADS: i64 = 1024;
    /// Shared memory for what a block says to itself.
    pub const RESERVED: i64 = 32;

    pub const fn tag_bytes(key_bytes: i64) -> i64 {
        if key_bytes == 8 { Self::WIDEST_TAG } else { 8 }
    }
    /// Bytes of so many tags in shared memory, where each run of a thread is one longer; `litz_padded`.
    pub const fn padded(tag_bytes: i64) -> i64 {
        tag_bytes * (Self::EACH + 1) / Self::EACH
    }
    pub const WIDEST: i64 = Self::padded(Self::WIDEST_TAG);

    /// Tags that a block sorts in shared memory, a power of two, with some of the memory left for other uses.
    pub fn near(shared_bytes: i64) -> i64 {
        let most = (shared_bytes - (16 << 10)) / Self::WIDEST;
        (1 << most.max(2).ilog2()).min(Self::EACH * Self::MOST_THREADS)
    }
}

/// Scatters whose points are brought together.
pub struct Scatter;

impl Scatter {
    /// Threads of the blocks that share points.
    pub const SHARING: i64 = 512;
    /// Elements beside one another that a block has that finds its own points.
    pub const NEAR_WIDE: i64 = 128;

    /// Shared memory of a block of `SHARING` threads that finds its own points: their tags, a value for each thread, and two
    /// bytes for each place.
    pub const fn near_bytes(tag_bytes: i64) -> i64 {
        Self::SHARING * Sort::EACH * (Sort::padded(tag_bytes) + 2) + Self::SHARING * 8
    }
}

pub fn keyed_constants() -> Vec<Constant> {
    vec![("LITZ_KEYED_BYTES", KEYED_BYTES)]
}
pub fn scan_constants() -> Vec<Constant> {
    vec![("LITZ_SCAN_EACH", Scan::EACH)]
}
pub fn merge_constants() -> Vec<Constant> {
    vec![("LITZ_SORT_EACH", Sort::EACH), ("LITZ_WIDEST_TAG", Sort::WIDEST_TAG)]
}
