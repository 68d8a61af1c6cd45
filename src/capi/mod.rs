//! Floor 13: every exported function: pointers checked, panics caught, errors turned into status codes. Nothing else.
//!
//! Invariants:
//! - every function with a `litz_error **err` runs inside [`guard::wall`]: no panic crosses the boundary, no
//!   out-parameter is written on failure, `*err` is untouched on success;
//! - a handle is checked for NULL and for its kind's magic word before it is used;
//! - the header declares exactly the exported functions; `include/litz/litz.h` is generated from this folder by cbindgen
//!   and a test compares the two, so the comments here are the header's documentation.
//!
//! Deliberately absent: decisions about graphs or programs. They are made on the floors below; here arguments are
//! converted and handed down.

// The names are the C ABI's; the header's comments state the requirements on pointers.
#![allow(non_camel_case_types, clippy::missing_safety_doc)]

mod allocator;
mod args;
mod call;
mod callback;
mod compile;
mod edit;
mod error;
mod executable;
mod graph;
mod guard;
mod handles;
mod load;
mod minify;
mod nodes;
mod operators;
mod options;
mod picture;
mod process;
mod registry;
mod repro;
mod signature;
mod symbols;
mod tensor;
mod training;
mod types;
mod weights;

pub use call::*;
pub use compile::*;
pub use edit::*;
pub use error::*;
pub use executable::*;
pub use graph::*;
pub use load::*;
pub use minify::*;
pub use nodes::*;
pub use options::*;
pub use picture::*;
pub use process::*;
pub use registry::*;
pub use repro::*;
pub use signature::*;
pub use training::*;
pub use types::*;
pub use weights::*;
