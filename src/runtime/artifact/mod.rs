//! Programs as files: one ELF library with the executor, the plan and the kernels, the weights behind it (or beside
//! it), and a trailer that says what it is and what every byte before it hashes to.
//!
//! Invariant: a file is only loaded once its trailer, its hash and its instruction set are found right.

mod assembly;
mod content;
mod open;
mod trailer;
mod weights;
mod write;

pub use open::{OpenOptions, Opened, open, open_memory};
pub use write::{ArtifactParts, Forms, Variant, check_target, rewrite, write};
