//! How much memory the library's programs hold in this process.
//!
//! Counted: tensors that runs gave out, until their deleters; and the frames of programs of this process (arenas,
//! derived and mutable constants, scratch). Not counted: graphs, constants that are shared with their owner, and
//! artifacts, whose frames are their own.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes in use now, the most there ever were, and how many blocks they are.
pub(super) struct Counter {
    bytes: AtomicU64,
    peak: AtomicU64,
    blocks: AtomicU64,
}

pub(super) static TENSORS: Counter = Counter::new();
static FRAMES: Counter = Counter::new();

/// What [`Counter`]s say at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    pub bytes: u64,
    pub peak_bytes: u64,
    pub blocks: u64,
}

/// Tensors that hosts have not freed yet, and the frames of programs.
pub fn usage() -> (Usage, Usage) {
    (TENSORS.usage(), FRAMES.usage())
}

/// Gives memory that was freed back to the system, where the C library has a way to.
pub fn release() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the call only touches memory that nobody uses.
    unsafe {
        libc::malloc_trim(0);
    }
}

impl Counter {
    const fn new() -> Counter {
        Counter { bytes: AtomicU64::new(0), peak: AtomicU64::new(0), blocks: AtomicU64::new(0) }
    }
    pub(super) fn add(&self, bytes: usize) {
        let now = self.bytes.fetch_add(bytes as u64, Relaxed) + bytes as u64;
        self.peak.fetch_max(now, Relaxed);
        self.blocks.fetch_add(1, Relaxed);
    }
    pub(super) fn sub(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes as u64, Relaxed);
        self.blocks.fetch_sub(1, Relaxed);
    }
    fn usage(&self) -> Usage {
        let load = |a: &AtomicU64| a.load(Relaxed);
        Usage { bytes: load(&self.bytes), peak_bytes: load(&self.peak), blocks: load(&self.blocks) }
    }
}

/// The executor's allocator: the system's, counted. NULL where there is no memory.
pub(super) unsafe extern "C" fn allocate(_: *mut c_void, bytes: usize, alignment: usize) -> *mut c_void {
    let Ok(layout) = Layout::from_size_align(bytes.max(1), alignment) else { return std::ptr::null_mut() };
    // SAFETY: the layout is not empty.
    let block = unsafe { System.alloc(layout) };
    if let Some(start) = std::ptr::NonNull::new(block) {
        FRAMES.add(bytes);
        super::tensor::advise_huge_pages(start, bytes);
    }
    block.cast()
}

/// Frees what [`allocate`] gave, with the same sizes.
pub(super) unsafe extern "C" fn free(_: *mut c_void, memory: *mut c_void, bytes: usize, alignment: usize) {
    if memory.is_null() {
        return;
    }
    FRAMES.sub(bytes);
    // SAFETY: the executor gives the block back once, with the size and alignment it asked for.
    unsafe { System.dealloc(memory.cast(), Layout::from_size_align_unchecked(bytes.max(1), alignment)) }
}
