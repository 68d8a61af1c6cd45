//! Floor 3: what the machine can do: CPU features and caches, the C++ compiler that builds kernels, and a folder that
//! keeps what it built.
//!
//! Invariants: nothing here reads the environment (`session` hands it in as data) but TMPDIR, and a compiler never runs
//! longer than its time limit or its host.
//!
//! Deliberately absent: what kernels hold, and running them.

pub mod cache;
pub mod child;
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod limits;
mod process;
pub mod scratch;
pub mod stack;
pub mod toolchain;

/// The user that this process acts as.
fn effective_user() -> u32 {
    // SAFETY: the call takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}
