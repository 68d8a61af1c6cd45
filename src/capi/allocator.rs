//! The library's allocator: the system's, and where that has nothing left, a reserve of a few MiB, so that a small
//! allocation that fails ends the call that wanted it instead of the process.
//!
//! The reserve is address space of the library, whose pages come into being when they are first written. It is cut into
//! units; a table tells for each first unit of a block how long the block is. Whoever is given of it is noted with
//! [`crate::base::memory`]; blocks go back to it one by one as they are freed.
//!
//! Deliberately absent: help for large blocks. Whatever grows with a model's data asks with `try_reserve` or
//! [`crate::base::memory::expect`] and has no need of this.

use crate::base::memory;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

const UNIT: usize = 64;
const UNITS: usize = (16 << 20) / UNIT;
/// Blocks in the reserve are aligned to at most this.
const ALIGNMENT: usize = 4096;
/// In the table: a unit within a block.
const WITHIN: u32 = u32::MAX;

#[repr(C, align(4096))]
struct Reserve {
    memory: UnsafeCell<[u8; UNITS * UNIT]>,
    /// For each unit 0 where it is free, the units of the block that it begins, or [`WITHIN`]; and where to look next.
    table: UnsafeCell<([u32; UNITS], usize)>,
    locked: AtomicBool,
}

// SAFETY: the table is used under the lock alone, the memory by the owners of the blocks that the table gives out.
unsafe impl Sync for Reserve {}

static RESERVE: Reserve = Reserve {
    memory: UnsafeCell::new([0; UNITS * UNIT]),
    table: UnsafeCell::new(([0; UNITS], 0)),
    locked: AtomicBool::new(false),
};

impl Reserve {
    fn start(&self) -> *mut u8 {
        self.memory.get().cast()
    }
    fn holds(&self, block: *mut u8) -> bool {
        (block as usize).wrapping_sub(self.start() as usize) < UNITS * UNIT
    }

    /// Runs the body with the table. A thread that finds it in use waits: the other has little to do.
    fn with_table<T>(&self, body: impl FnOnce(&mut ([u32; UNITS], usize)) -> T) -> T {
        while self.locked.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            std::thread::yield_now();
        }
        // SAFETY: the lock is held, and the body calls nothing that takes it.
        let result = body(unsafe { &mut *self.table.get() });
        self.locked.store(false, Ordering::Release);
        result
    }

    /// A block, or NULL where no gap is long enough.
    fn take(&self, layout: Layout) -> *mut u8 {
        let units = layout.size().max(1).div_ceil(UNIT);
        if layout.align() > ALIGNMENT || units > UNITS {
            return std::ptr::null_mut();
        }
        let step = layout.align().div_ceil(UNIT);
        let found = self.with_table(|(table, next)| {
            let start = *next;
            let found =
                gap(table, start..UNITS, units, step).or_else(|| gap(table, 0..UNITS, units, step))?;
            table[found..found + units].fill(WITHIN);
            table[found] = units as u32;
            *next = if found + units < UNITS { found + units } else { 0 };
            Some(found)
        });
        memory::note_shortage();
        // SAFETY: the unit lies inside of the memory.
        found.map_or(std::ptr::null_mut(), |unit| unsafe { self.start().add(unit * UNIT) })
    }

    fn give(&self, block: *mut u8) {
        let unit = (block as usize - self.start() as usize) / UNIT;
        self.with_table(|(table, _)| {
            let units = table[unit] as usize;
            table[unit..unit + units].fill(0);
        });
    }
}

/// The first free units in the range, so many in a row, that begin at a multiple of `step`.
fn gap(table: &[u32; UNITS], range: std::ops::Range<usize>, units: usize, step: usize) -> Option<usize> {
    let mut at = range.start.next_multiple_of(step);
    while at + units <= range.end {
        // What is in the way, from behind: the search goes on after it.
        match (at..at + units).rev().find(|unit| table[*unit] != 0) {
            None => return Some(at),
            Some(taken) => at = (taken + 1).next_multiple_of(step),
        }
    }
    None
}

/// See the module.
pub struct Allocator;

#[cfg(feature = "allocator")]
#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

// SAFETY: every block comes from the system's allocator or from the reserve, and goes back to where it came from; both
// give blocks of the size and alignment asked for. Nothing here unwinds or allocates.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller vouches.
        let block = unsafe { System.alloc(layout) };
        if block.is_null() { RESERVE.take(layout) } else { block }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if RESERVE.holds(block) {
            RESERVE.give(block);
        } else {
            // SAFETY: it is not of the reserve, so it is the system's.
            unsafe { System.dealloc(block, layout) }
        }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller vouches.
        let mut block = unsafe { System.alloc_zeroed(layout) };
        if block.is_null() {
            block = RESERVE.take(layout);
            if !block.is_null() {
                // SAFETY: the block has so many bytes.
                unsafe { block.write_bytes(0, layout.size()) };
            }
        }
        block
    }
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !RESERVE.holds(block) {
            // SAFETY: it is the system's; the rest is as the caller vouches.
            let grown = unsafe { System.realloc(block, layout, size) };
            if !grown.is_null() {
                return grown;
            }
        }
        // SAFETY: the caller vouches that the size is one that a layout may have, and is not 0.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the new layout is not empty, both blocks are as large as the smaller of the sizes, and the old one is
        // given back once.
        unsafe {
            let grown = self.alloc(new);
            if !grown.is_null() {
                grown.copy_from_nonoverlapping(block, layout.size().min(size));
                self.dealloc(block, layout);
            }
            grown
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // One test: they share the reserve.
    #[test]
    fn the_reserve_gives_blocks_that_do_not_overlap_and_takes_them_back() {
        let layout = |size, align| Layout::from_size_align(size, align).unwrap();
        let mut blocks: Vec<(*mut u8, usize)> = Vec::new();
        for k in 0..200usize {
            let (size, align) = (1 + k * k % 5000, 1 << (k % 13));
            let block = RESERVE.take(layout(size, align));
            assert!(RESERVE.holds(block) && (block as usize).is_multiple_of(align));
            // SAFETY: the block has so many bytes.
            unsafe { block.write_bytes(k as u8, size) };
            blocks.push((block, size));
            if k % 3 == 2 {
                RESERVE.give(blocks.remove(k / 2).0);
            }
        }
        for (block, size) in &blocks {
            // SAFETY: the block has so many bytes, all written.
            let bytes = unsafe { std::slice::from_raw_parts(*block, *size) };
            assert!(bytes.iter().all(|b| *b == bytes[0]), "blocks overlap");
        }
        assert!(memory::is_short());
        assert!(RESERVE.take(layout(UNITS * UNIT, 1)).is_null(), "some is taken");
        assert!(RESERVE.take(layout(1, 2 * ALIGNMENT)).is_null());
        for (block, _) in blocks {
            RESERVE.give(block);
        }
        let all = RESERVE.take(layout(UNITS * UNIT, ALIGNMENT));
        assert!(RESERVE.holds(all), "all is free again");
        assert!(RESERVE.take(layout(1, 1)).is_null());
        // Growing keeps what was there, wherever the blocks come from.
        // SAFETY: every block is used with the layout it was asked for.
        unsafe {
            RESERVE.give(all);
            let old = RESERVE.take(layout(3, 1));
            old.copy_from_nonoverlapping(b"abc".as_ptr(), 3);
            let grown = Allocator.realloc(old, layout(3, 1), 1000);
            assert_eq!(std::slice::from_raw_parts(grown, 3), b"abc");
            Allocator.dealloc(grown, layout(1000, 1));
        }
        memory::begin();
        let whole = RESERVE.take(layout(UNITS * UNIT, 1));
        assert!(!whole.is_null(), "what grew out of the reserve has left it");
        RESERVE.give(whole);
        memory::begin();
    }
}
