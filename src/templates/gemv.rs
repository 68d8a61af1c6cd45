//! Products of few rows with a matrix on a GPU (`native/cuda/gemv.h`). All threads read the matrix.

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

/// Products of few rows with weights that lie in memory as codes of 4 or 8 bits (`native/cuda/gemv_codes.h`), on tensor cores.
pub mod codes {
    /// The columns of the instruction.
    pub const MOST_ROWS: i64 = 8;
    /// Rows of the matrix that a block has: those of the instruction.
    pub const ROWS: i64 = 16;
    pub const LANES: i64 = 32;
    /// Lanes beside one another along k.
    pub const LANES_ACROSS: i64 = 4;
    /// Bytes that a lane reads of a row at once.
    pub const PER_LANE: i64 = 16;
    /// Steps of a warp that are in flight: more take registers from other warps.
    const DEPTH: i64 = 2;
    /// Warps of a multiprocessor, as registers allow.
    const RESIDENT: i64 = 32;

    pub fn constants() -> Vec<super::Constant> {
        vec![
            ("LITZ_CODES_MOST_ROWS", MOST_ROWS),
            ("LITZ_CODES_ROWS", ROWS),
            ("LITZ_CODES_LANES_ACROSS", LANES_ACROSS),
            ("LITZ_CODES_BYTES", PER_LANE),
        ]
    }

    /// How a block reads its rows.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Shape {
        /// Warps that share k.
        pub warps: i64,
        pub depth: i64,
    }

    impl Shape {
        /// For so many blocks, of so many steps each: as many warps as multiprocessors hold in one wave.
        pub fn of(blocks: i64, steps: i64, multiprocessors: i64) -> Shape {
            let wanted = (RESIDENT * multiprocessors / blocks.max(1)).clamp(4, 16).min(steps.max(1));
            // A power of two, at most that.
            Shape { warps: 1 << wanted.ilog2(), depth: DEPTH }
        }
        pub fn threads(&self) -> i64 {
            self.warps * LANES
        }
        /// Blocks of a multiprocessor at a time.
        pub fn resident(&self) -> i64 {
            RESIDENT / self.warps
        }
    }

    /// What makes a weight of its code: step after step, with numbers that the codes of a chunk share, by their places.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct CodeSteps(pub [CodeStep; 5]);

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum CodeStep {
        #[default]
        None,
        Add(i64),
        Subtract(i64),
        Multiply(i64),
        /// Multiplied by the first, plus the second, and rounded once.
        MultiplyAdd(i64, i64),
        MultiplySubtract(i64, i64),
    }

    impl CodeSteps {
        pub fn iter(self) -> impl Iterator<Item = CodeStep> {
            self.0.into_iter().filter(|step| *step != CodeStep::None)
        }
        /// How many numbers the steps take.
        pub fn shared(self) -> usize {
            let of = |step| match step {
                CodeStep::None => 0,
                CodeStep::Add(a) | CodeStep::Subtract(a) | CodeStep::Multiply(a) => a + 1,
                CodeStep::MultiplyAdd(a, b) | CodeStep::MultiplySubtract(a, b) => a.max(b) + 1,
            };
            self.iter().map(of).max().unwrap_or(0) as usize
        }
    }
}
