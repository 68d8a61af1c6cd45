//! Convolutions on Hopper's tensor cores, with chunks of channels that threads load (`native/cuda/convolution_wgmma.h`), and depthwise
//! convolutions (`native/cuda/convolution_depthwise.h`).

use super::mma::DEPTH;

/// Tiles of convolutions on Hopper: `high` times 64 rows for each of `groups` warpgroups, perhaps shared by `split` blocks of a
/// cluster, each with a part of k. Two or three blocks share a multiprocessor, which is worth more than larger tiles: most
/// layers have few steps, and much to load and store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelTile {
    pub groups: i64,
    pub high: i64,
    pub columns: i64,
    pub stages: i64,
    pub split: i64,
}

const fn pixels(groups: i64, high: i64, columns: i64, stages: i64) -> PixelTile {
    PixelTile { groups, high, columns, stages, split: 1 }
}

const WIDE: PixelTile = pixels(2, 1, 128, 3);
const NARROW: PixelTile = pixels(2, 1, 64, 3);
/// Many taps keep one warpgroup busy with all rows, which reads each of the weight's columns once for them.
const TAPS: PixelTile = pixels(1, 2, 64, 4);
const SMALL: PixelTile = pixels(1, 1, 64, 4);

/// Products of few steps, whose results are most of the work.
const SHORT: PixelTile = pixels(1, 1, 128, 4);

/// What a convolution may be cut into.
pub const PIXEL_TILES: [PixelTile; 9] = [
    WIDE,
    SHORT,
    NARROW,
    TAPS,
    SMALL,
    pixels(1, 2, 128, 3),
    PixelTile { split: 4, ..WIDE },
    PixelTile { split: 2, ..SMALL },
    PixelTile { split: 4, ..SMALL },
];

impl PixelTile {
    pub fn rows(&self) -> i64 {
        64 * self.groups * self.high
    }
    pub fn shared(&self, k: i64) -> i64 {
        let steps = (k + DEPTH - 1) / DEPTH;
        let operands = self.stages.min(steps.max(1)) * (self.rows() + self.columns) * DEPTH * 2;
        if self.split > 1 { operands.max(self.rows() * self.columns * 4) } else { operands }
    }
    /// Blocks that a multiprocessor is to hold at a time: its shared memory has room for them, and its registers for their
    /// sums and what else threads keep.
    pub fn resident(&self, k: i64) -> i64 {
        const REGISTERS: i64 = 64 << 10;
        const SHARED: i64 = 227 << 10;
        let own = self.high * self.columns / 2 + 50;
        let fit = |blocks: &i64| {
            blocks * (self.shared(k) + 1024) <= SHARED && blocks * self.groups * 128 * own <= REGISTERS
        };
        (2..=4).rev().find(fit).unwrap_or(1)
    }
    /// How many there are.
    pub fn count(&self, [groups, m, n, _]: [i64; 4]) -> i64 {
        let ceil = |a: i64, b: i64| (a + b - 1) / b;
        groups * ceil(m, self.rows()) * ceil(n, self.columns)
    }

    /// The tile for a product of these groups, rows, columns and k: the largest of which there are about as many as
    /// multiprocessors. A product of few steps is bound by its results, and finer tiles hide more of their latency.
    pub fn best(sizes @ [_, _, n, k]: [i64; 4], taps: i64, multiprocessors: i64) -> PixelTile {
        let enough = |t: &PixelTile| t.count(sizes) * 10 >= multiprocessors * 7;
        if n > 64 && k <= 2 * DEPTH && enough(&SHORT) {
            SHORT
        } else if n > 64 && k > 2 * DEPTH && enough(&WIDE) {
            WIDE
        } else if enough(&NARROW) {
            if taps > 1 { TAPS } else { NARROW }
        } else {
            SMALL
        }
    }
}

impl std::fmt::Display for PixelTile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}, {} stages, {} together", self.rows(), self.columns, self.stages, self.groups)?;
        if self.split > 1 { write!(f, ", k in {} parts", self.split) } else { Ok(()) }
    }
}

/// Channels of a thread, whose halves are 16 bytes.
pub const DEPTHWISE_CHANNELS: i64 = 8;
pub const DEPTHWISE_THREADS: i64 = 128;
/// Taps of a line, at most: a thread has their weights in registers.
const WIDEST_LINE: i64 = 11;
/// Smaller windows are bound by memory, and better read as part of a kernel that computes more.
const LARGE_WINDOW: i64 = 10;

/// Pixels of a thread, at most: with more, the sums and weights of a line leave too few threads on a multiprocessor.
const MOST_ACROSS: i64 = 7;

/// Whether the template takes so many channels and such a window.
pub fn has_depthwise(channels: i64, [taps_y, taps_x]: [i64; 2]) -> bool {
    channels % DEPTHWISE_CHANNELS == 0
        && (1..=WIDEST_LINE).contains(&taps_x)
        && taps_y.saturating_mul(taps_x) >= LARGE_WINDOW
}

/// Pixels of a thread: as many as leave `enough` threads busy, and few of them beyond the end of a line. `others` is how many threads
/// work on a pixel of each line.
pub fn depthwise_across(width: i64, others: i64, enough: i64) -> i64 {
    let pieces = |across: i64| (width.max(1) + across - 1) / across;
    let busy = |across: &i64| *across == 2 || pieces(*across).saturating_mul(others.max(1)) >= enough;
    let most = (2..=MOST_ACROSS).rev().find(busy).unwrap_or(2);
    ((most + 1) / 2..=most).rev().min_by_key(|across| pieces(*across) * across).unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_a_depthwise_convolution_waste_few_pixels() {
        assert_eq!(depthwise_across(56, 1 << 20, 1000), 7);
        assert_eq!(depthwise_across(24, 1 << 20, 1000), 6);
        assert_eq!(depthwise_across(14, 1 << 20, 1000), 7);
        assert_eq!(depthwise_across(7, 1 << 20, 1000), 7);
        assert_eq!(depthwise_across(56, 1, 1000), 2);
    }
}
