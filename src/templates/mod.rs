//! Floor 1: the registry of templates: kernels whose native text is written by hand, and their geometry.
//!
//! | template | CPU | CUDA |
//! |---|---|---|
//! | product, convolution | [`blocked`] | [`fma`], [`mma`], [`tma`]; convolutions also [`pixels`] |
//! | product of few rows | [`blocked`] | [`gemv`] |
//! | attention | [`blocked`] | [`attention`] |
//! | recurrence | [`recurrence`] | [`recurrence`] |
//! | scan, sort, scatter | [`order`] | [`order`] |
//!
//! Invariants:
//! - A number on which both Rust and a native header depend stands in one of these modules, and nowhere else. A header gets it
//!   as a macro that [`Header::text`] prints in front of it, or as a template argument of a call, and asserts what its own code
//!   needs of it. `tests/native_headers.rs` looks for numbers that a header defines by itself and Rust code names.
//! - What a kernel may be cut into is a value ([`Tile`]) with a name. The cost model ranks these values and autotuning times
//!   them; a name is looked up among them.
//!
//! Deliberately absent: text of calls, which `codegen` writes, and what machines can do, which `target` says.

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
