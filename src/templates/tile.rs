//! The tilings of products and convolutions on a GPU, which the cost model ranks and autotuning times.

use super::{pixels, pixels::PixelTile, tma};
use std::fmt;

/// One way to cut up a product or a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tile {
    /// A product whose operands the copy engine brings.
    Product(tma::Tile),
    /// A convolution to which threads bring chunks of channels.
    Pixels(PixelTile),
    /// A convolution whose image the copy engine brings as boxes.
    Boxes(tma::Tile),
}

/// A tile that a product or a convolution may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub tile: Tile,
    /// About how many clocks of a multiprocessor it takes; `None`: its place is by rule ([`PixelTile::best`]).
    pub clocks: Option<i64>,
}

impl Tile {
    /// All that there are.
    pub fn all() -> impl Iterator<Item = Tile> {
        let products = tma::TILES.into_iter().map(Tile::Product);
        let pixels = pixels::PIXEL_TILES.into_iter().map(Tile::Pixels);
        products.chain(pixels).chain(tma::TILES.into_iter().map(Tile::Boxes))
    }
    /// The one of this name.
    pub fn named(name: &str) -> Option<Tile> {
        Tile::all().find(|tile| tile.to_string() == name)
    }
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tile::Product(tile) => tile.fmt(f),
            Tile::Pixels(tile) => tile.fmt(f),
            Tile::Boxes(tile) => write!(f, "copy engine, {tile}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_is_found_by_its_name() {
        for tile in Tile::all() {
            assert_eq!(Tile::named(&tile.to_string()), Some(tile), "{tile}");
        }
        assert_eq!(Tile::named("3x5, 1 stages"), None);
    }
}
