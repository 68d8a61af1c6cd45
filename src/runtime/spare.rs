//! Memory of outputs that a host has freed, kept for the next run of the program that gave them. Faulting in fresh pages costs more than
//! writing to them: the system clears each when it is first touched.
//!
//! Invariants: a run takes all blocks that were freed before it, and frees the unused ones when it ends; no more is kept than the last
//! run's outputs took; an executable that is gone keeps nothing.
//!
//! No lock is waited for, since after a fork its owner may not exist.
//!
//! Deliberately absent: small blocks, which the C library keeps, and a GPU's memory, which its driver keeps.

use std::alloc::{GlobalAlloc, Layout, System};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError, Weak};

use super::ffi;
use super::memory::PROGRAMS;

/// The least that is kept: from here on, the C library maps memory anew.
const LEAST: usize = 128 << 10;

/// What an executable keeps.
#[derive(Debug, Default)]
pub(super) struct Spare {
    blocks: Mutex<Vec<Block>>,
    /// The bytes that the last run asked for: as many are kept at most.
    wanted: AtomicUsize,
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

/// All live ones, for [`release`]. One that could not be listed keeps its blocks until its next run.
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
        Taken { spare: self, blocks, wanted: 0 }
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
    /// The bytes that it asked for.
    wanted: usize,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.spare.wanted.store(self.wanted, Relaxed);
    }
}

impl Taken<'_> {
    /// A block of this layout, and who takes it back: nobody where it is small. `None`: there is no memory.
    pub(super) fn allocate(&mut self, layout: Layout) -> Option<(NonNull<u8>, Option<Weak<Spare>>)> {
        if layout.size() < LEAST {
            return Some((new_block(layout)?, None));
        }
        self.wanted += layout.size();
        let start = match self.blocks.iter().position(|block| block.layout == layout) {
            Some(k) => {
                let block = ManuallyDrop::new(self.blocks.swap_remove(k));
                PROGRAMS[ffi::MEMORY_FRAMES as usize].sub(layout.size());
                block.start
            }
            None => {
                // The block nearest in size is freed first, so that outputs that grow do not need the memory of both sizes.
                let apart = |k: &usize| self.blocks[*k].layout.size().abs_diff(layout.size());
                if let Some(nearest) = (0..self.blocks.len()).min_by_key(apart) {
                    self.blocks.swap_remove(nearest);
                }
                new_block(layout).or_else(|| {
                    self.blocks.clear();
                    release();
                    new_block(layout)
                })?
            }
        };
        Some((start, Some(Arc::downgrade(self.spare))))
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
        let kept: usize = blocks.iter().map(|block| block.layout.size()).sum();
        if kept + layout.size() <= spare.wanted.load(Relaxed) {
            blocks.push(block);
            spare.any.store(true, Relaxed);
        }
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
        let (small, none) = run.allocate(layout(LEAST - 1)).unwrap();
        assert!(none.is_none(), "small blocks are not kept");
        // SAFETY: nobody uses the block.
        unsafe { System.dealloc(small.as_ptr(), layout(LEAST - 1)) };
        let [first, second] = [large, other].map(|layout| run.allocate(layout).unwrap());
        drop(run);
        let places = [first.0, second.0];
        let back = |(start, spare): (NonNull<u8>, Option<Weak<Spare>>), layout: Layout| {
            // SAFETY: nobody uses the block.
            unsafe { free(start, layout, spare.unwrap()) }
        };
        back(first, large);
        back(second, other);
        assert_eq!(kept(), 2);
        let mut run = spare.for_run();
        let again = run.allocate(large).unwrap();
        assert_eq!((again.0, kept()), (places[0], 0));
        drop(run);
        assert!(spare.for_run().blocks.is_empty(), "what the run did not take is freed");
        let mut run = spare.for_run();
        let two = [run.allocate(large).unwrap(), run.allocate(large).unwrap()];
        drop(run);
        let [a, b] = two;
        back(again, large);
        back(a, large);
        back(b, large);
        assert_eq!(kept(), 2, "no more than the last run's outputs");
        // An output of another size gives back the nearest block.
        let mut run = spare.for_run();
        let grown = run.allocate(layout(3 * LEAST)).unwrap();
        assert_eq!(run.blocks.len(), 1);
        drop(run);
        back(grown, layout(3 * LEAST));
        assert_eq!(kept(), 1);
        release();
        assert_eq!(kept(), 0);
        let last = spare.for_run().allocate(large).unwrap();
        drop(spare);
        // Its executable is gone.
        back(last, large);
    }
}
