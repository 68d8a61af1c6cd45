//! What a process has done so far, in numbers: counted as it happens, whether anybody watches or not.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What is counted, with its group and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Counter {
    CompilesBegun,
    CompilesFailed,
    KernelsCompiled,
    KernelsFromCache,
    CacheHits,
    CacheMisses,
    CacheDamaged,
    Candidates,
    ArtifactsWritten,
    ArtifactsOpened,
    Fallbacks,
}

const COUNT: usize = 11;

const NAMES: [(Counter, &str, &str); COUNT] = [
    (Counter::CompilesBegun, "compiles", "begun"),
    (Counter::CompilesFailed, "compiles", "failed"),
    (Counter::KernelsCompiled, "kernels", "compiled"),
    (Counter::KernelsFromCache, "kernels", "from_cache"),
    (Counter::CacheHits, "cache", "hits"),
    (Counter::CacheMisses, "cache", "misses"),
    (Counter::CacheDamaged, "cache", "damaged"),
    (Counter::Candidates, "autotune", "candidates"),
    (Counter::ArtifactsWritten, "artifacts", "written"),
    (Counter::ArtifactsOpened, "artifacts", "opened"),
    (Counter::Fallbacks, "fallbacks", "interpreter"),
];

static COUNTERS: [AtomicU64; COUNT] = [const { AtomicU64::new(0) }; COUNT];

pub fn count(counter: Counter, n: u64) {
    COUNTERS[counter as usize].fetch_add(n, Relaxed);
}

/// Group, name and number of each.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str, u64)> {
    NAMES.iter().map(|(counter, group, name)| (*group, *name, COUNTERS[*counter as usize].load(Relaxed)))
}

/// Sets all to zero.
pub fn clear() {
    COUNTERS.iter().for_each(|c| c.store(0, Relaxed));
}
