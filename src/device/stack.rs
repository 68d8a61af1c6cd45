//! Work that nests deep gets a stack of its own where the host's thread has little: threads of a host may have 100 KB, and the
//! first thread's stack is mapped as it is used, which a limit on the address space may forbid; the system then ends the process.
//!
//! Invariants: a stack is mapped before the work begins, and a shortage is told as every other; a panic leaves the stack
//! as a panic.

use crate::base::memory;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The most stack that reading and compiling take: recursion walks nested expressions, up to a depth that `schedule::join`
/// bounds.
const STACK: usize = 16 << 20;
/// A thread with so much left works on its own stack.
const ENOUGH: usize = 1 << 20;
/// What cannot be touched below a stack, so that running over it is seen.
const GUARD: usize = 64 << 10;

thread_local! {
    /// Where the stack ends that this module mapped and this thread works on.
    static END: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Runs it on another stack where this one has little left.
pub fn with_enough<T>(body: impl FnOnce() -> T) -> T {
    with_at_least(ENOUGH, STACK, body)
}

/// Runs it on another stack of `size` bytes where this one has less than `enough` left. Unwinds as from a shortage of memory where
/// there is none.
pub fn with_at_least<T>(enough: usize, size: usize, body: impl FnOnce() -> T) -> T {
    let (mut body, mut result) = (Some(body), None);
    run_with_at_least(enough, size, &mut || result = body.take().map(|body| body()));
    result.expect("the body ran, or unwound")
}

/// One function serves all bodies.
fn run_with_at_least(enough: usize, size: usize, body: &mut dyn FnMut()) {
    if left().is_some_and(|left| left >= enough) {
        return body();
    }
    let Some(stack) = Mapped::new(size) else {
        memory::note_shortage();
        memory::checkpoint();
        unreachable!("a shortage that was noted unwinds");
    };
    let before = END.replace(Some(stack.first()));
    // SAFETY: the memory is mapped, is this thread's alone until the call returns, and no panic leaves the closure.
    let outcome =
        unsafe { psm::on_stack(stack.first() as *mut u8, size, || catch_unwind(AssertUnwindSafe(body))) };
    END.set(before);
    drop(stack);
    outcome.unwrap_or_else(|panic| resume_unwind(panic))
}

/// What this thread's stack has left; `None`: not known, or not certain to be had.
fn left() -> Option<usize> {
    match END.get() {
        Some(end) => (psm::stack_pointer() as usize).checked_sub(end),
        None if grows_within_a_limit() => None,
        None => stacker::remaining_stack(),
    }
}

/// Whether this is the first thread, and the address space has a limit.
fn grows_within_a_limit() -> bool {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the call fills what it is given; the others have no arguments.
    unsafe {
        libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) == 0
            && limit.rlim_cur != libc::RLIM_INFINITY
            && libc::syscall(libc::SYS_gettid) == i64::from(libc::getpid())
    }
}

/// Memory for a stack, behind what cannot be touched.
struct Mapped {
    base: *mut libc::c_void,
    bytes: usize,
}

impl Mapped {
    fn new(size: usize) -> Option<Mapped> {
        let bytes = size.checked_add(GUARD)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK | libc::MAP_NORESERVE;
        // SAFETY: a new mapping, at an address that the system chooses.
        let base = unsafe {
            libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        if base == libc::MAP_FAILED {
            return None;
        }
        let mapped = Mapped { base, bytes };
        // SAFETY: the first bytes of the mapping, which nobody uses.
        (unsafe { libc::mprotect(base, GUARD, libc::PROT_NONE) } == 0).then_some(mapped)
    }
    fn first(&self) -> usize {
        self.base as usize + GUARD
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's, and nobody works on it any more.
        unsafe { libc::munmap(self.base, self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deep(n: usize) -> usize {
        let mut room = [n as u8; 1024];
        std::hint::black_box(&mut room);
        if n == 0 { 0 } else { deep(n - 1) + usize::from(room[0] == n as u8) }
    }

    #[test]
    fn small_threads_go_deep_and_panics_come_back() {
        let small = std::thread::Builder::new().stack_size(128 << 10);
        let work = || {
            assert_eq!(with_enough(|| with_enough(|| deep(8000))), 8000);
            assert!(END.get().is_none());
            let caught = catch_unwind(|| with_enough(|| std::panic::resume_unwind(Box::new(7))));
            assert_eq!(caught.unwrap_err().downcast_ref::<i32>(), Some(&7));
            assert!(END.get().is_none());
        };
        small.spawn(work).unwrap().join().unwrap();
    }

    #[test]
    fn a_stack_that_cannot_be_had_is_a_shortage() {
        memory::begin();
        let caught = catch_unwind(|| with_at_least(usize::MAX, usize::MAX / 2, || ()));
        assert!(caught.unwrap_err().is::<memory::OutOfMemory>());
        memory::begin();
    }
}
