//! Products, convolutions and attention on a CPU, blocked for its caches (`native/tile.h`, `gemm.h`, `unpacked.h`, `conv.h`, `attention.h`).

use super::{Constant, ceil};

/// The register tile of an instruction set, and the largest blocks that are made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterTile {
    pub rows: i64,
    /// Bytes of a panel's row: two vectors.
    pub panel_bytes: i64,
}

impl RegisterTile {
    /// The tile for vectors of so many bytes. Its sums are two vectors for each row, beside two vectors of B and one of A.
    pub const fn of(vector_bytes: i64) -> RegisterTile {
        let rows = match vector_bytes {
            64 => 14,
            32 => 6,
            _ => 4,
        };
        RegisterTile { rows, panel_bytes: 2 * vector_bytes }
    }
    /// The heights of tiles as bits, for a product of so many rows in blocks of so many. `litz_gemm_block` deals the rows of a block
    /// out evenly.
    pub fn heights(&self, rows: i64, block: i64) -> u32 {
        let blocks = [block.min(rows), rows % block];
        let dealt = |n: i64| [n / ceil(n, self.rows), ceil(n, ceil(n, self.rows))];
        blocks.into_iter().filter(|n| *n > 0).flat_map(dealt).fold(0, |bits, height| bits | 1 << height)
    }
    /// Whether a product of float32 in blocks of so many rows keeps off subnormal factors, which take a hundred times as long. With
    /// few passes over a panel, or few multiplications, there is little to gain; `None` where their number is not known.
    pub fn watches(&self, block: i64, multiplications: Option<i64>) -> bool {
        block > FEW_PASSES * self.rows && multiplications.is_none_or(|n| n >= FEW_MULTIPLICATIONS)
    }
    pub const fn all_heights(&self) -> u32 {
        (2 << self.rows) - 2
    }

    /// The rows of a product's block, and of a block of queries, at most.
    pub const fn most_rows(&self) -> i64 {
        self.rows * if self.rows > 10 { 20 } else { 44 }
    }
    pub const fn most_queries(&self) -> i64 {
        self.rows * if self.rows > 10 { 8 } else { 16 }
    }

    pub fn constants(&self) -> Vec<Constant> {
        vec![("LITZ_TILE_ROWS", self.rows), ("LITZ_PANEL_BYTES", self.panel_bytes)]
    }
    pub fn product_constants(&self) -> Vec<Constant> {
        vec![
            ("LITZ_GEMM_ROWS", self.most_rows()),
            ("LITZ_GEMM_COLUMN_BYTES", COLUMN_BYTES),
            ("LITZ_GEMM_DEPTH", DEPTH),
            ("LITZ_GEMM_PAD", PAD),
            ("LITZ_GEMM_WIDE", WIDE),
            ("LITZ_ROWS_IN_PLACE", ROWS_IN_PLACE),
            ("LITZ_SET_BYTES", SET_BYTES),
            ("LITZ_THIN_DOTS", THIN_DOTS),
            ("LITZ_THIN_ROWS", THIN_ROWS),
            ("LITZ_FEW_PASSES", FEW_PASSES),
        ]
    }
    pub fn attention_constants(&self) -> Vec<Constant> {
        vec![("LITZ_ATTENTION_ROWS", self.most_queries()), ("LITZ_ATTENTION_KEYS", KEYS)]
    }
}

/// How much of k is computed at a time, at most: so many rows of a panel of B are 32 KiB with 512-bit vectors, which stay in
/// L1 while the rows of A pass by.
pub const DEPTH: i64 = 256;
/// Keys of attention that are looked at at a time, at most.
pub const KEYS: i64 = 256;
/// The same of attention's gradients, and what part of a block of queries they take at most: larger blocks are no faster, and
/// need more scratch.
pub const BACKWARD_KEYS: i64 = 128;
pub const BACKWARD_QUERIES: i64 = 2;
/// Positions of a row that a depthwise convolution finishes at a time, at most.
pub const CONVOLUTION_ROW: i64 = 256;
/// Bytes of a row of a block of sums, at most.
pub const COLUMN_BYTES: i64 = 2048;
/// Rows of a copied block of A are a multiple of so many elements long, and so many further apart.
pub const PAD: i64 = 16;
/// Rows of a block of sums from this length on are never a power of two apart.
const WIDE: i64 = 256;
/// Rows of A as many bytes apart fall into few sets of a cache; then so many are read where they lie.
const SET_BYTES: i64 = 2048;
const ROWS_IN_PLACE: i64 = 8;
/// Up to how many rows of A a product reads B where it lies: along k, and along n.
pub const THIN_DOTS: i64 = 4;
pub const THIN_ROWS: i64 = 2;
/// Up to so many passes over a panel, and below so many multiplications, keeping subnormal factors away gains little.
const FEW_PASSES: i64 = 2;
const FEW_MULTIPLICATIONS: i64 = 1 << 22;

/// The numbers of rows, up to `THIN_DOTS`, that a block of a product may have, as bits: of so many rows, or of a number that is not
/// known, in blocks of `block`.
pub fn few_rows(rows: Option<i64>, block: i64) -> u32 {
    let may = |n: i64| rows.is_none_or(|rows| n == block.min(rows) || n == rows % block);
    (1..=THIN_DOTS).filter(|n| may(*n)).fold(0, |bits, n| bits | 1 << n)
}

/// Up to how many rows of A a product multiplies with a vector of B as soon as it is unpacked.
pub const UNPACKED_ROWS: i64 = 8;

pub fn unpacked_constants() -> Vec<Constant> {
    vec![("LITZ_UNPACKED_ROWS", UNPACKED_ROWS)]
}
pub fn convolution_constants() -> Vec<Constant> {
    vec![("LITZ_CONV_ROW", CONVOLUTION_ROW)]
}

/// How far rows of a copied block of A lie apart; `litz_a_stride`.
pub const fn row_stride(depth: i64) -> i64 {
    ceil(depth, PAD) * PAD + PAD
}

/// How far rows of a block of sums lie apart; `litz_c_stride`.
pub const fn sums_stride(columns: i64) -> i64 {
    if columns < WIDE { columns } else { columns + PAD }
}

/// Up to how many rows of a matrix whose rows are dense are read where they lie.
pub fn rows_in_place(stride: Option<i64>, element: i64) -> i64 {
    if stride.is_some_and(|stride| stride.wrapping_mul(element) % SET_BYTES != 0) {
        i64::MAX
    } else {
        ROWS_IN_PLACE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_products_of_many_passes_are_watched() {
        let tile = RegisterTile::of(64);
        assert!(tile.watches(3 * tile.rows, None) && tile.watches(3 * tile.rows, Some(1 << 22)));
        assert!(!tile.watches(2 * tile.rows, None) && !tile.watches(3 * tile.rows, Some((1 << 22) - 1)));
    }

    #[test]
    fn heights_are_those_that_a_product_deals_out() {
        for tile in [16, 32, 64].map(RegisterTile::of) {
            for (rows, block) in (1..100).flat_map(|rows| (1..100).map(move |block| (rows, block))) {
                let (mut dealt, mut few) = (0u32, 0);
                for first in (0..rows).step_by(block as usize) {
                    let count = block.min(rows - first);
                    few |= if count <= THIN_DOTS { 1 << count } else { 0 };
                    let passes = ceil(count, tile.rows);
                    for i in 0..passes {
                        dealt |= 1 << (count * (i + 1) / passes - count * i / passes);
                    }
                }
                assert_eq!(tile.heights(rows, block), dealt, "{rows} rows in blocks of {block}");
                assert_eq!(few_rows(Some(rows), block), few, "{rows} rows in blocks of {block}");
            }
        }
    }
}
