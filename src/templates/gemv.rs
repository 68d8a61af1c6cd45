//! Products of few rows with a matrix on a GPU (`native/cuda/gemv.h`): all threads read the matrix.

use super::Constant;

/// More rows than this are faster on tensor cores.
pub const MOST_ROWS: i64 = 4;
/// The same where the matrix is read along its columns.
pub const MOST_BY_COLUMNS: i64 = 2;
/// Warps of a block that reads rows.
const WARPS: i64 = 8;

/// How a block reads a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Rows of a warp, warps that share them, chunks of a row in flight.
    Rows { rows: i64, split: i64, unrolled: i64 },
    /// Threads beside one another for a row, threads of the block, rows in flight.
    Columns { across: i64, threads: i64, unrolled: i64 },
}

impl Shape {
    /// For a matrix that is read along its rows, with so many thin rows and results, where `enough` keep the machine busy.
    pub fn of_rows(thin: i64, results: i64, enough: i64) -> Shape {
        match thin {
            1 => Shape::Rows { rows: 1, split: 4, unrolled: 4 },
            _ if results >= 32 * enough => Shape::Rows { rows: 4, split: 1, unrolled: 2 },
            _ => Shape::Rows { rows: 4, split: 8, unrolled: 1 },
        }
    }
    pub fn of_columns(lanes: i64, results: i64, enough: i64) -> Shape {
        let (across, threads) = if results >= 8 * lanes * enough / 4 { (8, 512) } else { (4, 1024) };
        Shape::Columns { across, threads, unrolled: 4096 / threads }
    }
    pub fn threads(&self) -> i64 {
        match self {
            Shape::Rows { .. } => WARPS * 32,
            Shape::Columns { threads, .. } => *threads,
        }
    }
    /// Results of a block along the matrix.
    pub fn width(&self, lanes: i64) -> i64 {
        match self {
            Shape::Rows { rows, split, .. } => rows * (WARPS / split),
            Shape::Columns { across, .. } => across * lanes,
        }
    }
}

pub fn constants() -> Vec<Constant> {
    vec![("LITZ_GEMV_WARPS", WARPS)]
}
