//! How a machine splits reductions that have few results and much to read.

use super::{CpuTarget, CudaTarget, Target};

/// Below this many elements to read a reduction is not worth a second kernel.
pub const LEAST_ELEMENTS: i64 = 1 << 16;
/// The fewest elements of a chunk on a GPU: of a row, and of a column.
pub const LEAST_ROW_CHUNK: i64 = 4096;
pub const LEAST_COLUMN_CHUNK: i64 = 128;

/// Columns that one block of a GPU's column kernel takes.
const GPU_COLUMNS: i64 = 256;

impl Target {
    /// A kernel reduces columns that lie beside each other in memory without going back along each of them.
    pub fn reduces_columns(&self) -> bool {
        matches!(self, Target::Cuda(_))
    }
    /// The number of equal chunks that each of `rows` reductions of so many elements is split into, so that the machine is busy. `None`: it
    /// is busy without. `columns`: rows are neighbours in memory.
    pub fn reduction_chunks(&self, rows: i64, elements: i64, columns: bool) -> Option<i64> {
        match self {
            Target::Cpu(_) => CpuTarget::reduction_chunks(rows, elements),
            Target::Cuda(gpu) => gpu.reduction_chunks(rows, elements, columns),
        }
    }
}

impl CpuTarget {
    fn reduction_chunks(rows: i64, elements: i64) -> Option<i64> {
        if !(1..8).contains(&rows) || elements < LEAST_ELEMENTS {
            return None;
        }
        (16..=256).rev().find(|c| elements % c == 0 && (elements / c) % 16 == 0)
    }
}

impl CudaTarget {
    fn reduction_chunks(&self, rows: i64, elements: i64, columns: bool) -> Option<i64> {
        // A block takes a row, or as many columns as its threads have side by side.
        let blocks = if columns { rows / GPU_COLUMNS } else { rows }.max(1);
        let busy = self.multiprocessors as i64;
        let least = if columns { LEAST_COLUMN_CHUNK } else { LEAST_ROW_CHUNK };
        if blocks >= busy {
            return None;
        }
        let wanted = (4 * busy + blocks - 1) / blocks;
        let good =
            |c: &i64| elements % c == 0 && elements / c >= least && (columns || (elements / c) % 16 == 0);
        (wanted..=2 * wanted).find(good).or_else(|| (2..wanted).rev().find(good))
    }
}
