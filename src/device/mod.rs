//! Floor 3: what the machine can do: CPU features and caches, and the C++ compiler that builds kernels.
//!
//! Invariants: nothing here reads the environment (`session` hands it in as data), and a compiler never runs longer
//! than its time limit.
//!
//! Deliberately absent: what kernels hold, and running them.

pub mod cpu;
pub mod toolchain;
