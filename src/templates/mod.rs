//! Floor 1: the registry of templates, which are kernels with native text written by hand, and their geometry.
//!
//! | template | CPU | CUDA |
//! |---|---|---|
//! | product, convolution | [`blocked`] | [`fma`], [`mma`], [`tma`]; convolutions also [`pixels`] |
//! | product of few rows | [`blocked`] | [`gemv`] |
//! | attention | [`blocked`] | [`attention`] |
//! | recurrence | [`recurrence`] | [`recurrence`] |
//! | scan, sort, scatter | [`scan_sort`] | [`scan_sort`] |
//!
//! Invariants:
//! - A number that both Rust and a native header need is defined in one of these modules, and nowhere else. A header gets it
//!   as a macro that [`Header::text`] prints in front of it, or as a template argument of a call, and asserts the properties that its
//!   code needs. `tests/native_headers.rs` fails if a header defines a number of its own that Rust code names, too.
//! - Each tiling of a kernel is a value ([`Tile`]) with a name. The cost model ranks these values, and autotuning times them and
//!   looks a name up among them.
//!
//! Deliberately absent: the text of calls, which `print` writes, and the abilities of machines, which `target` has.

pub mod attention;
pub mod blocked;
pub mod fma;
pub mod gemv;
mod header;
pub mod mma;
pub mod pixels;
pub mod recurrence;
pub mod scan_sort;
mod tile;
pub mod tma;

pub use header::Header;
pub use tile::{Candidate, Tile};

/// A number of a template by its name in native code.
pub type Constant = (&'static str, i64);

const fn ceil(a: i64, b: i64) -> i64 {
    (a + b - 1) / b
}
