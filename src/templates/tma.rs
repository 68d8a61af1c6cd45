//! Matrix products on Hopper, with operands that the copy engine loads (`native/cuda/gemm_tma.h`): their tilings, and estimates of the time
//! of each, which are fitted to an H200.

use super::Constant;

/// How a product is cut up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Warpgroups that multiply, and the blocks of 64 rows that each has.
    pub groups: i64,
    pub blocks: i64,
    pub columns: i64,
    /// Steps of k in flight.
    pub stages: i64,
    /// Blocks of a cluster: down the rows and across the columns of the result. They share what they read.
    pub down: i64,
    pub across: i64,
    /// Blocks of a cluster that share one tile, each with a part of k.
    pub split: i64,
    /// Steps that the first warpgroup runs ahead of the others, where they share a tile.
    pub skew: i64,
    /// Warpgroups take tiles in turn, the end of one beside the products of the other; otherwise they share one.
    pub in_turn: bool,
}

impl Tile {
    pub fn rows(&self) -> i64 {
        self.blocks * 64 * if self.in_turn { 1 } else { self.groups }
    }
    pub fn cluster(&self) -> i64 {
        self.down * self.across * self.split
    }
    pub fn threads(&self) -> i64 {
        (self.groups + 1) * 128
    }
    /// Clusters that work at a time.
    pub fn at_once(&self, multiprocessors: i64) -> i64 {
        (multiprocessors / self.cluster()).max(1)
    }
    /// Tiles of clusters, one below the other, by which those that work at a time are about as high as wide.
    pub fn band(&self, multiprocessors: i64) -> i64 {
        let (rows, columns) = (self.rows() * self.down, self.columns * self.across);
        let square = self.at_once(multiprocessors) * columns / rows;
        square.isqrt().max(1)
    }
    /// Rows and columns of the result that a cluster computes.
    pub fn of_cluster(&self) -> [i64; 2] {
        [self.rows() * self.down, self.columns * self.across]
    }
    pub fn bytes(&self) -> i64 {
        (self.rows() + self.columns) * STEP * self.stages
    }
    /// Whether operands are exchanged. Widths that are no multiples of 64 need it: then they are heights of boxes.
    pub fn exchanges(&self, exchange: Exchange) -> bool {
        match exchange {
            Exchange::Better => true,
            Exchange::Possible => self.columns % 64 != 0,
            Exchange::Impossible => false,
        }
    }
    /// Boxes of the result that each warpgroup has room for beside the operands; none where several blocks' sums make a result.
    pub fn boxes(&self, shared_bytes: i64) -> i64 {
        let room = shared_bytes - RESERVED - self.bytes();
        if self.split > 1 { 0 } else { (room / (self.groups * BOX)).clamp(0, 2) }
    }

    /// About how long a product takes, in the clocks of a multiprocessor, where an element has `item` bytes (those of float32
    /// take twice as long as halves) and finishing one takes so much (`end`); the numbers are an H200's.
    pub fn clocks(&self, sizes: [i64; 4], item: i64, multiprocessors: i64, end: End) -> i64 {
        /// From here on the power limit binds.
        const LONG: i64 = 150_000;
        let clocks = self.clocks_at(false, sizes, item, multiprocessors, end);
        if clocks < LONG { clocks } else { self.clocks_at(true, sizes, item, multiprocessors, end).max(LONG) }
    }

    /// The same, where the power limit binds or does not. There every byte that is read slows all clocks down, while
    /// multiprocessors that have nothing to do leave the others more.
    fn clocks_at(
        &self,
        limited: bool,
        [batches, m, n, k]: [i64; 4],
        item: i64,
        multiprocessors: i64,
        end: End,
    ) -> i64 {
        let up = |n: i64, by: i64| (n + by - 1) / by;
        let (rows, columns) = (self.rows(), self.columns);
        let clusters = batches * up(m, rows * self.down) * up(n, columns * self.across);
        let at_once = self.at_once(multiprocessors);
        // In hundredths.
        let waves = match limited {
            true => (up(clusters, at_once) + clusters / at_once) * 50,
            false => up(clusters, at_once) * 100,
        };
        let steps = up(up(k * item, STEP), self.split);
        // Narrow tiles read more shared memory for each product.
        let read = (rows / self.across + columns / self.down) * STEP;
        let products = rows * columns / 32 * if columns < 192 { 107 } else { 100 } / 100;
        let products = if limited { products + read / 243 } else { products };
        let (work, at_once) = match (end, self.in_turn, self.groups, self.blocks) {
            (End::Boxed(work), false, 2, _) => (work, 72),
            (End::Boxed(work), true, _, 2) => (work, 28),
            (End::Boxed(work), ..) => (work, 36),
            (End::Direct(work), false, 2, 1) => (work, 80),
            // Sums leave few registers.
            (End::Direct(work), _, 2, 2) => (work, 45),
            // One warpgroup alone waits for what it computes.
            (End::Direct(work), ..) => (work, 36),
        };
        let finish = rows * columns * work / at_once;
        if self.in_turn {
            let turns = if self.blocks == 1 { 130 } else { 105 };
            let main = steps * (products * turns / 100).max(read / 58);
            waves * main.max((main + finish) / 2) / 100 + finish
        } else {
            waves * (steps * products.max(read / 62) + finish + if self.split > 1 { 4000 } else { 0 }) / 100
        }
    }
}

/// Bytes of k in one step: a row of a box in shared memory.
pub const STEP: i64 = 128;
/// Bytes of 64 rows of 64 halves.
pub const BOX: i64 = 64 * STEP;
/// Shared memory for barriers.
pub const RESERVED: i64 = 1024;

pub fn constants() -> Vec<Constant> {
    vec![("LITZ_TMA_STEP", STEP), ("LITZ_TMA_BOX", BOX)]
}

/// Instructions for an element of the result, with what rounds and stores it.
#[derive(Clone, Copy)]
pub enum End {
    /// By the copy engine.
    Boxed(i64),
    /// With its neighbours, once these are brought together.
    Direct(i64),
}

impl End {
    pub fn new(boxed: bool, work: i64) -> End {
        if boxed { End::Boxed(work + 2) } else { End::Direct(work + 11) }
    }
}

impl Tile {
    const fn together(groups: i64, blocks: i64, columns: i64, stages: i64) -> Tile {
        Tile { groups, blocks, columns, stages, down: 1, across: 1, split: 1, skew: 0, in_turn: false }
    }
    const fn in_turn(blocks: i64, columns: i64, stages: i64) -> Tile {
        Tile { in_turn: true, ..Tile::together(2, blocks, columns, stages) }
    }
    const fn down(self, down: i64) -> Tile {
        Tile { down, ..self }
    }
    const fn across(self, across: i64) -> Tile {
        Tile { across, ..self }
    }
    const fn split(self, split: i64) -> Tile {
        Tile { split, ..self }
    }
    const fn skew(self, skew: i64) -> Tile {
        Tile { skew, ..self }
    }
}

/// The most of `whole`, at most `most`, that is a multiple of eight and divides it; `litz_eights` of the native header.
pub fn eights(whole: i64, most: i64) -> i64 {
    (1..=most / 8).rev().map(|n| n * 8).find(|part| whole % part == 0).unwrap_or(8)
}

/// What a product may be cut into: what was the fastest for some size, of all shapes that fit, on an H200.
pub const TILES: [Tile; 18] = [
    Tile::together(2, 2, 200, 3).down(2).skew(1),
    Tile::together(2, 2, 192, 3).across(2).skew(1),
    Tile::in_turn(2, 200, 5).down(2),
    Tile::in_turn(2, 192, 5).down(2),
    Tile::together(2, 1, 256, 4).down(2).skew(3),
    Tile::in_turn(2, 192, 5),
    Tile::together(2, 1, 192, 5),
    Tile::together(2, 1, 192, 5).down(2),
    Tile::in_turn(1, 192, 6),
    Tile::in_turn(1, 192, 6).down(2),
    Tile::together(2, 1, 128, 6).down(2),
    Tile::together(2, 1, 128, 6).split(2),
    Tile::together(2, 1, 128, 4).split(4),
    Tile::together(2, 1, 64, 6),
    Tile::together(1, 1, 128, 6),
    Tile::together(1, 1, 128, 6).split(2),
    Tile::together(1, 1, 64, 8),
    Tile::together(1, 1, 64, 8).split(2),
];

/// Those that read the fewest bytes for each product.
pub const LARGEST: [Tile; 2] = [TILES[0], TILES[1]];

/// Whether the operands may be exchanged, so that columns of the result are a tile's rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    Impossible,
    Possible,
    /// The one whose rows are neighbours is then multiplied from the left: tensor cores read that one once where they read the
    /// other for every 64 rows, and turn it as they read.
    Better,
}

impl std::fmt::Display for Tile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}, {} stages", self.rows(), self.columns, self.stages)?;
        if self.down * self.across > 1 {
            write!(f, ", clusters of {}x{}", self.down, self.across)?;
        }
        if self.split > 1 {
            write!(f, ", k in {} parts", self.split)?;
        }
        if self.in_turn { write!(f, ", in turn") } else { write!(f, ", {} together", self.groups) }
    }
}
