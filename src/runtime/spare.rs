//! Memory of outputs that a host has freed, kept for the next run of the program that gave them. Fresh pages cost more than to write them:
//! the system clears each when it is first touched.
//!
//! Invariants: a run takes what was freed before it, and what of that has no place in it is freed when it ends, so no more is kept
//! than one run's outputs or what a host freed since; an executable that is gone keeps nothing.
//!
//! A lock that somebody holds is not waited for: what holds it may be a thread that a fork left behind.
//!
//! Deliberately absent: small blocks, which the C library keeps, and a GPU's memory, which its driver keeps.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError, Weak};

use super::ffi;
use super::memory::PROGRAMS;

/// The least that is kept: from here on, the C library maps memory anew.
const LEAST: usize = 128 << 10;

/// What an executable keeps.
#[derive(Debug, Default)]
pub(super) struct Spare {
    blocks: Mutex<Vec<Block>>,
    /// Whether there may be some: runs of programs with small outputs alone take no lock.
    any: AtomicBool,
}

/// A freed block, of the system's allocator.
#[derive(Debug)]
struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: nobody else has the block.
unsafe impl Send for Block {}

impl Drop for Block {
    fn drop(&mut self) {
        PROGRAMS[ffi::MEMORY_FRAMES as usize].sub(self.layout.size());
        // SAFETY: it is of this allocator and layout, and nobody else has it.
        unsafe { System.dealloc(self.start.as_ptr(), self.layout) }
    }
}

/// All that live, for [`release`]. One that cannot be listed keeps what it has to its next run.
static ALL: Mutex<Vec<Weak<Spare>>> = Mutex::new(Vec::new());

/// None where another thread of a parent may have the list for ever.
fn all() -> Option<MutexGuard<'static, Vec<Weak<Spare>>>> {
    for _ in 0..1000 {
        match ALL.try_lock() {
            Ok(all) => return Some(all),
            Err(TryLockError::Poisoned(all)) => return Some(all.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    None
}

impl Spare {
    pub(super) fn new() -> Arc<Spare> {
        let made = Arc::new(Spare::default());
        if let Some(mut all) = all() {
            if all.len() == all.capacity() {
                all.retain(|other| other.strong_count() > 0);
            }
            all.push(Arc::downgrade(&made));
        }
        made
    }

    /// What a run that begins may take.
    pub(super) fn for_run(self: &Arc<Spare>) -> Taken<'_> {
        let blocks = if self.any.load(Relaxed) { self.take() } else { Vec::new() };
        Taken { spare: self, blocks }
    }
    fn take(&self) -> Vec<Block> {
        let Ok(mut blocks) = self.blocks.try_lock() else { return Vec::new() };
        self.any.store(false, Relaxed);
        std::mem::take(&mut blocks)
    }
}

/// What a run may take; the rest is freed with this.
pub(super) struct Taken<'a> {
    spare: &'a Arc<Spare>,
    blocks: Vec<Block>,
}

impl Taken<'_> {
    /// A block of this layout, and who takes it back.
    pub(super) fn allocate(&mut self, layout: Layout) -> Option<(NonNull<u8>, Weak<Spare>)> {
        if layout.size() < LEAST {
            return None;
        }
        let fits = self.blocks.iter().position(|block| block.layout == layout);
        let start = match fits {
            Some(k) => {
                let block = std::mem::ManuallyDrop::new(self.blocks.swap_remove(k));
                PROGRAMS[ffi::MEMORY_FRAMES as usize].sub(layout.size());
                block.start
            }
            None => new_block(layout)?,
        };
        Some((start, Arc::downgrade(self.spare)))
    }
}

/// Memory of the system's, in huge pages where it is large. The layout is not empty.
pub(super) fn new_block(layout: Layout) -> Option<NonNull<u8>> {
    // SAFETY: as above.
    let start = NonNull::new(unsafe { System.alloc(layout) })?;
    super::tensor::advise_huge_pages(start, layout.size());
    Some(start)
}

/// Takes a block that nobody uses any more back.
///
/// # Safety
/// It is of the system's allocator and this layout, and the caller gives it up.
pub(super) unsafe fn free(start: NonNull<u8>, layout: Layout, spare: Weak<Spare>) {
    PROGRAMS[ffi::MEMORY_FRAMES as usize].add(layout.size());
    let block = Block { start, layout };
    if let Some(spare) = spare.upgrade()
        && let Ok(mut blocks) = spare.blocks.try_lock()
    {
        blocks.push(block);
        spare.any.store(true, Relaxed);
    }
}

/// Frees all that is kept.
pub(super) fn release() {
    let all = all();
    let live = all.iter().flat_map(|list| list.iter()).filter_map(Weak::upgrade);
    live.for_each(|spare| drop(spare.take()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_takes_what_was_freed_before_it_and_no_more_is_kept() {
        let spare = Spare::new();
        let kept = || spare.blocks.lock().unwrap().len();
        let layout = |bytes: usize| Layout::from_size_align(bytes, 64).unwrap();
        let (large, other) = (layout(LEAST), layout(2 * LEAST));
        let mut run = spare.for_run();
        assert!(run.allocate(layout(LEAST - 1)).is_none(), "small blocks are not kept");
        let [first, second] = [large, other].map(|layout| run.allocate(layout).unwrap());
        drop(run);
        let places = [first.0, second.0];
        // SAFETY: nobody uses the blocks.
        unsafe {
            free(first.0, large, first.1);
            free(second.0, other, second.1);
        }
        let mut run = spare.for_run();
        let again = run.allocate(large).unwrap();
        assert_eq!(again.0, places[0]);
        assert_eq!(kept(), 0);
        drop(run);
        assert!(spare.for_run().blocks.is_empty(), "what the run did not take is freed");
        // SAFETY: as above.
        unsafe { free(again.0, large, again.1.clone()) };
        assert_eq!(kept(), 1);
        release();
        assert_eq!(kept(), 0);
        let last = spare.for_run().allocate(large).unwrap();
        drop(spare);
        // SAFETY: as above; its executable is gone.
        unsafe { free(last.0, large, last.1) };
    }
}
