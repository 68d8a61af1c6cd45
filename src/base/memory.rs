//! What happens when memory runs out. The library's allocator, which Rust does not let fail, then takes from a reserve
//! and notes it here for the thread; the next [`checkpoint`] of that thread unwinds with [`OutOfMemory`] to the export that
//! was called, whose status says so. Where much memory is wanted at once, [`expect`] asks for it beforehand.
//!
//! Checkpoints stand between the stages of the pipeline and between the nodes that a stage goes through; never where a
//! lock is held or a global is being made. What fails by itself (`try_reserve`, the executor) needs none.

use std::cell::Cell;

/// What a checkpoint unwinds with.
#[derive(Clone, Copy, Debug)]
pub struct OutOfMemory;

thread_local! {
    static SHORT: Cell<bool> = const { Cell::new(false) };
}

/// The allocator had to take from the reserve for this thread.
pub fn note_shortage() {
    let _ = SHORT.try_with(|short| short.set(true));
}

/// Forgets an earlier shortage; every export begins so.
pub fn begin() {
    let _ = SHORT.try_with(|short| short.set(false));
}

/// Whether memory ran out since [`begin`].
pub fn is_short() -> bool {
    SHORT.try_with(Cell::get).unwrap_or(false)
}

/// Unwinds where memory ran out, or the work was cancelled.
pub fn checkpoint() {
    if super::cancel::is_asked() {
        std::panic::resume_unwind(Box::new(super::cancel::Cancelled));
    }
    if is_short() {
        // Not a panic: nothing is wrong with the program, and nothing is printed.
        std::panic::resume_unwind(Box::new(OutOfMemory));
    }
}

/// Unwinds unless about so many bytes can be had.
pub fn expect(bytes: usize) {
    if Vec::<u8>::new().try_reserve_exact(bytes).is_err() {
        note_shortage();
    }
    checkpoint();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortage_ends_the_work_at_the_next_checkpoint() {
        begin();
        checkpoint();
        expect(1 << 20);
        let ended = std::panic::catch_unwind(|| {
            note_shortage();
            checkpoint();
        });
        assert!(ended.is_err_and(|payload| payload.is::<OutOfMemory>()));
        assert!(is_short());
        begin();
        let ended = std::panic::catch_unwind(|| expect(usize::MAX / 4));
        assert!(ended.is_err_and(|payload| payload.is::<OutOfMemory>()));
        begin();
        assert!(!is_short());
    }
}
