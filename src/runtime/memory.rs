//! How much memory the library's programs hold in this process.
//!
//! Counted: tensors that runs gave out, until their deleters; what programs keep to run, by what it is for; and the
//! constants as they were given that the library holds for programs, each once however many programs share it. Not
//! counted: graphs, constants in memory of the host's, and pages of mapped files that no run reads.

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

use super::ffi;
use crate::base::{Origin, SharedBytes};

/// Bytes in use now, the most there ever were, and how many blocks they are.
pub(super) struct Counter {
    bytes: AtomicU64,
    peak: AtomicU64,
    blocks: AtomicU64,
}

pub(super) static TENSORS: Counter = Counter::new();
/// By `LX_MEMORY_…`.
pub(super) static PROGRAMS: [Counter; ffi::MEMORY_KINDS] = [const { Counter::new() }; ffi::MEMORY_KINDS];

/// What [`Counter`]s say at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    pub bytes: u64,
    pub peak_bytes: u64,
    pub blocks: u64,
}

/// What is held, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Tensors that hosts have not freed yet.
    pub tensors: Usage,
    /// Constants as they were given, updated or changed by runs.
    pub weights: Usage,
    /// What is derived from constants: packed weights, folded subgraphs.
    pub packed: Usage,
    /// Tables of runs, scratch of threads, copies of tensors, and memory of freed outputs that is kept for the next run.
    pub frames: Usage,
    /// Intermediate results.
    pub arenas: Usage,
}

pub fn usage() -> Held {
    let of = |kind: u32| PROGRAMS[kind as usize].usage();
    Held {
        tensors: TENSORS.usage(),
        weights: of(ffi::MEMORY_WEIGHTS),
        packed: of(ffi::MEMORY_PACKED),
        frames: of(ffi::MEMORY_FRAMES),
        arenas: of(ffi::MEMORY_ARENAS),
    }
}

/// Frees what programs keep for their next runs, and gives memory that was freed back to the system, where the C library
/// has a way to.
pub fn release() {
    // SAFETY: frees only what no run has.
    unsafe { ffi::lx_release_frames() };
    super::spare::release();
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

/// Constants of programs by their address, each with how many programs hold it.
fn held() -> MutexGuard<'static, BTreeMap<usize, usize>> {
    static HELD: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());
    HELD.lock().unwrap_or_else(|e| e.into_inner())
}

/// Constants that a program holds, counted as long as this lives.
pub struct Weights(Vec<(usize, usize)>);

impl Weights {
    /// `read` says of each whether runs read it where it lies.
    pub fn hold(constants: &[SharedBytes], read: &[bool]) -> Weights {
        let counts = |(data, read): (&SharedBytes, &bool)| {
            let bytes = (**data).as_ref();
            let here = match data.origin() {
                Origin::Held => true,
                Origin::Borrowed | Origin::Lent => false,
                Origin::Mapped => *read,
            };
            (here && !bytes.is_empty()).then_some((bytes.as_ptr() as usize, bytes.len()))
        };
        let list: Vec<_> = constants.iter().zip(read).filter_map(counts).collect();
        let mut held = held();
        for (place, bytes) in &list {
            let holders = held.entry(*place).or_insert(0);
            *holders += 1;
            if *holders == 1 {
                PROGRAMS[ffi::MEMORY_WEIGHTS as usize].add(*bytes);
            }
        }
        Weights(list)
    }
}

impl Drop for Weights {
    fn drop(&mut self) {
        let mut held = held();
        for (place, bytes) in &self.0 {
            let Some(holders) = held.get_mut(place) else { continue };
            *holders -= 1;
            if *holders == 0 {
                held.remove(place);
                PROGRAMS[ffi::MEMORY_WEIGHTS as usize].sub(*bytes);
            }
        }
    }
}

/// The executor's allocator: the system's, counted. NULL where there is no memory.
pub(super) unsafe extern "C" fn allocate(
    _: *mut c_void,
    kind: u32,
    bytes: usize,
    alignment: usize,
) -> *mut c_void {
    let Ok(layout) = Layout::from_size_align(bytes.max(1), alignment) else { return std::ptr::null_mut() };
    // SAFETY: the layout is not empty.
    let block = unsafe { System.alloc(layout) };
    if let Some(start) = std::ptr::NonNull::new(block) {
        PROGRAMS[kind as usize % ffi::MEMORY_KINDS].add(bytes);
        super::tensor::advise_huge_pages(start, bytes);
    }
    block.cast()
}

/// Frees what [`allocate`] gave, with the same kind and sizes.
pub(super) unsafe extern "C" fn free(
    _: *mut c_void,
    kind: u32,
    memory: *mut c_void,
    bytes: usize,
    alignment: usize,
) {
    if memory.is_null() {
        return;
    }
    PROGRAMS[kind as usize % ffi::MEMORY_KINDS].sub(bytes);
    // SAFETY: the executor gives the block back once, with the size and alignment it asked for.
    unsafe { System.dealloc(memory.cast(), Layout::from_size_align_unchecked(bytes.max(1), alignment)) }
}
