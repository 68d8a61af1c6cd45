//! What this machine's CPUs reach at most, measured: bytes of memory and floating-point operations in a second.
//!
//! Measured once for each number of threads, when somebody first asks, and kept for the process: it takes some tenths of a
//! second.
//!
//! Deliberately absent: caches. Data in a cache is read faster than the limit for memory says.

use crate::base::HashMap;
use crate::target::Isa;
use once_cell::sync::Lazy;
use std::hint::black_box;
use std::sync::{Barrier, Mutex, PoisonError};
use std::time::Instant;

/// What can be reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    pub bytes_per_second: f64,
    /// Of float32; half as many of float64.
    pub flop_per_second: f64,
}

unsafe extern "C" {
    fn litz_limits_compute(isa: u32, rounds: u64, a: f32, b: f32, sink: *mut f32) -> u64;
    fn litz_limits_read(data: *const u8, bytes: usize) -> u64;
}

static KNOWN: Lazy<Mutex<HashMap<(usize, Isa), Limits>>> = Lazy::new(Mutex::default);

/// The limits of so many threads that use an instruction set, which this machine must have.
pub fn cpu(threads: usize, isa: Isa) -> Limits {
    let threads = threads.max(1);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry((threads, isa)).or_insert_with(|| Limits {
        bytes_per_second: bandwidth(threads),
        flop_per_second: compute(threads, isa),
    })
}

/// The best of a few tries is what the machine does when nothing else disturbs it.
const TRIES: usize = 5;

/// The seconds that all threads take together, at best; each does its part as often as there are tries.
fn best(threads: usize, part: impl Fn(usize) + Sync) -> f64 {
    let start = Barrier::new(threads);
    let times = Mutex::new(vec![(f64::MAX, 0.0_f64); TRIES]);
    let zero = Instant::now();
    let work = |thread: usize| {
        for attempt in 0..TRIES {
            start.wait();
            let begin = zero.elapsed().as_secs_f64();
            part(thread);
            let end = zero.elapsed().as_secs_f64();
            let mut times = times.lock().unwrap_or_else(PoisonError::into_inner);
            times[attempt].0 = times[attempt].0.min(begin);
            times[attempt].1 = times[attempt].1.max(end);
        }
    };
    std::thread::scope(|scope| {
        for thread in 1..threads {
            let work = &work;
            scope.spawn(move || work(thread));
        }
        work(0);
    });
    let times = times.into_inner().unwrap_or_else(PoisonError::into_inner);
    times.iter().map(|(begin, end)| end - begin).fold(f64::MAX, f64::min).max(1e-9)
}

fn compute(threads: usize, isa: Isa) -> f64 {
    const ROUNDS: u64 = 400_000;
    let flop = |rounds: u64| {
        let mut sink = 0.0;
        // SAFETY: the machine has the instruction set, and the number is a place to write one.
        let flop =
            unsafe { litz_limits_compute(isa as u32, rounds, black_box(0.999), black_box(1e-3), &mut sink) };
        black_box(sink);
        flop
    };
    let each = flop(1) * ROUNDS;
    let seconds = best(threads, |_| {
        flop(ROUNDS);
    });
    (each * threads as u64) as f64 / seconds
}

/// So much more than caches hold.
const READ_BYTES: usize = 256 << 20;

fn bandwidth(threads: usize) -> f64 {
    // Written, so that its pages are not all the same one.
    let data: Vec<u64> = (0..READ_BYTES as u64 / 8).collect();
    let part = READ_BYTES / threads / 64 * 64;
    let seconds = best(threads, |thread| {
        let begin = &data[thread * part / 8..(thread + 1) * part / 8];
        // SAFETY: the words are the part's.
        black_box(unsafe { litz_limits_read(begin.as_ptr().cast(), part) });
    });
    (part * threads) as f64 / seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_a_machine() {
        let limits = cpu(1, Isa::Scalar);
        assert!((1e8..1e13).contains(&limits.bytes_per_second), "{limits:?}");
        assert!((1e8..1e13).contains(&limits.flop_per_second), "{limits:?}");
        assert_eq!(cpu(1, Isa::Scalar), limits, "measured once");
    }
}
