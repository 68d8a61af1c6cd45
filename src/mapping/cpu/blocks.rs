//! Block sizes of products and of attention, which decide how much scratch a thread needs.
//!
//! Blocks are as large as the caches allow, and small enough that there is one for each core. Where a thread would need too much scratch,
//! the dimension whose reduction costs least is reduced first. The native headers lay out the scratch, so a size
//! here must not be below what they use.

use super::template::Template;
use crate::templates::blocked::{
    BACKWARD_KEYS, BACKWARD_QUERIES, COLUMN_BYTES, DEPTH, KEYS, PAD, row_stride, sums_stride,
};
use crate::types::{SymArena, SymInt};

/// Scratch of a thread that unpacks a weight: at most one part in so many of the packed weight, and at most so many bytes.
const PACKED_SHARE: i64 = 64;
const PANEL_SCRATCH: i64 = 40 << 10;

/// Where a product's operands are copied before they are multiplied.
#[derive(Clone, Copy)]
pub struct Copies {
    /// A block of up to so many rows of A is read where it lies.
    pub rows_in_place: i64,
    /// With up to so many rows of A, no panel of B is copied.
    pub rows_unpacked: i64,
    /// A is computed, for each block of columns once more.
    pub left_is_computed: bool,
    /// Blocks have a multiple of so many columns, and of so much of k, which divide both sizes.
    pub whole_columns: i64,
    pub whole_depth: i64,
    /// Bytes of the packed weight that B is unpacked from. A thread's share of scratch stays small beside it.
    pub packed_bytes: i64,
}

/// The blocks of a product.
#[derive(Clone, Copy, Default)]
pub struct Blocks {
    pub m: i64,
    pub n: i64,
    pub k: i64,
    pub left_copied: bool,
    pub right_copied: bool,
    /// Scratch of one thread.
    pub bytes: i64,
}

impl Blocks {
    pub fn tasks(&self, syms: &SymArena, batches: SymInt, m: SymInt, n: SymInt) -> SymInt {
        let blocks = |size: SymInt, block: i64| syms.ceildiv(size, syms.constant(block));
        syms.mul(batches, syms.mul(blocks(m, self.m), blocks(n, self.n)))
    }
}

/// The blocks of attention.
pub struct AttentionBlocks {
    pub queries: i64,
    pub keys: i64,
    pub depth: i64,
    pub queries_copied: bool,
    /// Scratch of one thread, which grows with the width of the values.
    pub bytes: SymInt,
}

/// The blocks of attention's gradients.
pub struct BackwardBlocks {
    pub queries: i64,
    pub keys: i64,
    /// Scratch of one thread.
    pub bytes: SymInt,
}

/// What of a block is made smaller, and down to what.
#[derive(Clone, Copy)]
enum Smaller {
    M(i64),
    N(i64),
    K(i64),
}

/// Larger sizes are blocked as this one is. Products of three sizes then fit 63 bits.
const MANY: i64 = 1 << 20;

fn ceil(a: i64, b: i64) -> i64 {
    a.saturating_add(b - 1) / b
}

impl Template<'_> {
    /// The blocks of a product: the largest that give every core about three tasks, within the scratch there should be.
    pub fn blocks(&self, batches: SymInt, [m, n, k]: [SymInt; 3], element: i64, copies: Copies) -> Blocks {
        let syms = &self.program.syms;
        let [batches, m, n] = [batches, m, n].map(|size| syms.hint(size).clamp(1, MANY));
        let tile = self.target.register_tile();
        let (rows, columns) = (tile.rows, (tile.panel_bytes / element).max(copies.whole_columns));
        let (rows_most, columns_most) = (tile.most_rows(), COLUMN_BYTES / element / columns * columns);
        let panels = ceil(n, columns);
        let (mut down, mut across) = (ceil(m, rows_most), ceil(n, columns_most));
        let cores = self.target.cores as i64;
        let wanted = if cores > 1 { 3 * cores } else { 1 };
        while batches * down * across < wanted {
            if 4 * across <= panels {
                across *= 2;
            } else if m >= 2 * down * rows {
                down *= 2;
            } else {
                break;
            }
        }
        let of = |down: i64, across: i64, k: i64| {
            let whole = copies.whole_depth;
            let k = (ceil(k, whole) * whole).min((DEPTH / whole).max(1) * whole);
            let (m, n) = (ceil(m, down).min(rows_most), (ceil(panels, across) * columns).min(columns_most));
            let (left_copied, right_copied) = (m > copies.rows_in_place, m > copies.rows_unpacked);
            let left = if left_copied { m * row_stride(k) } else { 0 };
            let right = if right_copied { k * tile.panel_bytes / element } else { 0 };
            let bytes = (left + right + m * sums_stride(n)) * element;
            Blocks { m, n, k, left_copied, right_copied, bytes }
        };
        let mut depth = self.depth(k);
        let mut blocks = of(down, across, depth);
        let most_scratch = self.most_scratch.max((copies.packed_bytes / PACKED_SHARE).min(PANEL_SCRATCH));
        use Smaller::*;
        let order: &[Smaller] = if copies.left_is_computed {
            &[
                M(4 * rows),
                K(128),
                N(4 * columns),
                M(2 * rows),
                K(64),
                N(2 * columns),
                M(rows),
                N(columns),
                K(16),
            ]
        } else {
            &[
                N(4 * columns),
                K(128),
                M(4 * rows),
                N(2 * columns),
                K(64),
                M(2 * rows),
                N(columns),
                M(rows),
                K(16),
            ]
        };
        for smaller in order {
            while blocks.bytes > most_scratch {
                match *smaller {
                    M(least) if blocks.m > least => down = (2 * down).min(ceil(m, least)),
                    N(least) if blocks.n > least => across = (2 * across).min(ceil(panels, least / columns)),
                    K(least) if depth > least && (blocks.left_copied || blocks.right_copied) => {
                        depth = ceil(depth, 2).max(least);
                    }
                    _ => break,
                }
                blocks = of(down, across, depth);
            }
        }
        blocks
    }

    /// How much of k is computed at a time; the most where k is not known.
    fn depth(&self, k: SymInt) -> i64 {
        let Some(k) = self.program.syms.as_const(k) else { return DEPTH };
        ceil(k, ceil(k, DEPTH).max(1))
    }

    /// The blocks of attention over `keys`; `in_place` is as of a product's A.
    pub fn attention_blocks(
        &self,
        queries: SymInt,
        keys: SymInt,
        [width, value_size]: [SymInt; 2],
        in_place: i64,
    ) -> AttentionBlocks {
        let syms = &self.program.syms;
        let tile = self.target.register_tile();
        let (rows, columns) = (tile.rows, tile.panel_bytes / 4);
        let queries = syms.hint(queries).clamp(1, MANY);
        let rows_most = tile.most_queries();
        let known = syms.as_const(keys).unwrap_or(i64::MAX);
        let panel = |columns_used: i64| sums_stride(ceil(columns_used, columns) * columns);
        let wide = self.padded_row(value_size, columns);
        let of = |down: i64, keys: i64, depth: i64| {
            let block = ceil(queries, down).min(rows_most);
            let (keys, queries_copied) = (keys.min(known), block > in_place);
            let row = if queries_copied { row_stride(depth) } else { 0 } + panel(keys) + 2;
            let row = syms.mul_const(syms.add_const(wide, row), block * 4);
            let bytes = syms.add_const(row, keys.max(depth) * columns * 4);
            AttentionBlocks { queries: block, keys, depth, queries_copied, bytes }
        };
        let (mut down, mut key_block, mut depth) = (ceil(queries, rows_most), KEYS, self.depth(width));
        let mut blocks = of(down, key_block, depth);
        use Smaller::*;
        for smaller in
            [N(128), M(4 * rows), N(64), M(2 * rows), K(64), M(rows), N(columns), K(32), M(rows / 2)]
        {
            while syms.hint(blocks.bytes) > self.most_scratch {
                match smaller {
                    M(least) if blocks.queries > least => down = (2 * down).min(ceil(queries, least)),
                    N(least) if key_block > least => {
                        key_block = (ceil(key_block, 2 * columns) * columns).max(least);
                    }
                    K(least) if depth > least => depth = ceil(depth, 2).max(least),
                    _ => break,
                }
                blocks = of(down, key_block, depth);
            }
        }
        blocks
    }
    /// The blocks of attention's gradients. `kept`: rows of the query's gradient that stay in scratch.
    pub fn attention_backward_blocks(
        &self,
        [queries, keys]: [SymInt; 2],
        [width, value_size]: [SymInt; 2],
        kept: SymInt,
    ) -> BackwardBlocks {
        let syms = &self.program.syms;
        let tile = self.target.register_tile();
        let (rows, columns) = (tile.rows, tile.panel_bytes / 4);
        let queries = syms.hint(queries).clamp(1, MANY);
        let rows_most = tile.most_queries() / BACKWARD_QUERIES;
        let known = syms.as_const(keys).map_or(i64::MAX, |keys| ceil(keys.max(1), columns) * columns);
        let (row, value_row) = (self.padded_row(width, columns), self.padded_row(value_size, columns));
        let of = |down: i64, keys: i64| {
            let (queries, keys) = (ceil(queries, down).min(rows_most), keys.min(known));
            // Keys and values in panels, keys in rows, sums of both gradients.
            let of_key = [width, value_size, syms.mul_const(row, 2), value_row];
            // A query, its cotangent and the sums of its gradient; weights and their cotangents.
            let of_query = [syms.mul_const(row, 2), value_row, syms.constant(2 * sums_stride(keys))];
            let elements = [
                syms.mul_const(syms.sum(&of_key), keys),
                syms.mul_const(syms.sum(&of_query), queries),
                syms.mul(kept, row),
            ];
            BackwardBlocks { queries, keys, bytes: syms.mul_const(syms.sum(&elements), 4) }
        };
        let (mut down, mut key_block) = (ceil(queries, rows_most), BACKWARD_KEYS);
        let mut blocks = of(down, key_block);
        use Smaller::*;
        for smaller in [N(64), M(2 * rows), N(columns), M(rows)] {
            while syms.hint(blocks.bytes) > self.most_scratch {
                match smaller {
                    M(least) if blocks.queries > least => down = (2 * down).min(ceil(queries, least)),
                    N(least) if key_block > least => {
                        key_block = (ceil(key_block, 2 * columns) * columns).max(least);
                    }
                    _ => break,
                }
                blocks = of(down, key_block);
            }
        }
        blocks
    }

    /// How far rows of so many elements lie apart that fill whole panels; at most so far where the number is not known.
    fn padded_row(&self, elements: SymInt, columns: i64) -> SymInt {
        let syms = &self.program.syms;
        match syms.as_const(elements) {
            Some(size) => syms.constant(sums_stride(ceil(size, columns) * columns)),
            None => {
                let panels = syms.ceildiv(elements, syms.constant(columns));
                syms.add_const(syms.mul_const(panels, columns), PAD)
            }
        }
    }
}
