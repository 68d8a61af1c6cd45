//! What runs on a GPU do beside computing: recording themselves as CUDA graphs, and holding the device's memory.

use std::ffi::CStr;

use super::RuntimeError;
use super::error::Message;
use super::ffi;

/// How a program for a GPU runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaRuns {
    /// Runs are recorded as CUDA graphs and replayed.
    pub graphs: bool,
    /// Programs that run one after the other share memory, and each run of a step has a graph of its own.
    pub trees: bool,
    /// How many recorded graphs each thread keeps of a program.
    pub most_graphs: u32,
    /// Runs see that tensors lie within memory of the device.
    pub size_asserts: bool,
    /// Tensors in the host's memory are copied to the GPU and back.
    pub host_tensors: bool,
    /// Steps of a library's choose between its algorithms by timing.
    pub measures: bool,
    /// A library of the device's does factorisations, where it is found; otherwise the host does.
    pub factorises: bool,
}

impl Default for CudaRuns {
    fn default() -> Self {
        CudaRuns {
            graphs: false,
            trees: true,
            most_graphs: 8,
            size_asserts: false,
            host_tensors: false,
            measures: false,
            factorises: false,
        }
    }
}

impl CudaRuns {
    /// `LX_PROGRAM_…`
    pub(super) fn flags(self) -> u32 {
        let set = |on: bool, flag: u32| if on { flag } else { 0 };
        ffi::PROGRAM_CUDA
            | set(self.graphs, ffi::PROGRAM_GRAPHS)
            | set(!self.trees, ffi::PROGRAM_PLAIN_GRAPHS)
            | set(self.size_asserts, ffi::PROGRAM_SIZE_ASSERTS)
            | set(self.host_tensors, ffi::PROGRAM_HOST_TENSORS)
            | set(self.measures, ffi::PROGRAM_MEASURES)
            | set(self.factorises, ffi::PROGRAM_FACTORISES)
    }
}

/// Which GPUs take kernels that were compiled for an architecture; `LX_CUBIN_…`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CubinKind {
    /// Those of its generation, from it on.
    Later = 0,
    /// Its own alone.
    Exact = 1,
    /// Text that the driver compiles, for all from it on.
    Ptx = 2,
}

/// Kernels compiled for an architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cubin {
    pub data: Vec<u8>,
    /// 90 for compute capability 9.0; 0: whatever there is.
    pub arch: u32,
    pub kind: CubinKind,
}

/// What became of the runs of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphCounts {
    pub recorded: u64,
    /// Those among them whose addresses or sizes were put in first: `patched`.
    pub replayed: u64,
    pub patched: u64,
    /// Runs step by step.
    pub eager: u64,
    /// Why runs are not recorded.
    pub reason: Option<String>,
}

impl GraphCounts {
    pub(super) fn of(counts: &ffi::GraphCounts) -> GraphCounts {
        // SAFETY: the executor gives NULL or a string of its own that stays.
        let reason = (!counts.reason.is_null()).then(|| unsafe { CStr::from_ptr(counts.reason) });
        GraphCounts {
            recorded: counts.recorded,
            replayed: counts.replayed,
            patched: counts.patched,
            eager: counts.eager,
            reason: reason.map(|r| r.to_string_lossy().into_owned()),
        }
    }
}

/// Fails in the child of a process that was forked after it had used the driver.
pub fn check_fork() -> Result<(), RuntimeError> {
    let mut message = Message::new();
    // SAFETY: the call writes the message alone.
    let status = unsafe { ffi::lx_cuda_check_fork(message.pointer(), message.size()) };
    message.check(status)
}

/// The driver was used outside of programs: children of a fork are told from here on.
pub fn note_driver_use() {
    // SAFETY: from any thread.
    unsafe { ffi::lx_cuda_note_use() }
}

/// A step of the host's begins.
pub fn mark_step() {
    // SAFETY: counts, from any thread.
    unsafe { ffi::lx_mark_step() }
}

/// Drops the recorded graphs of runs that are over.
pub fn drop_graphs() {
    // SAFETY: from any thread; runs in progress keep theirs.
    unsafe { ffi::lx_drop_graphs() }
}

/// What became of the runs of all programs, since the process began or [`clear_counts`].
pub fn process_counts() -> GraphCounts {
    let mut counts =
        ffi::GraphCounts { recorded: 0, replayed: 0, patched: 0, eager: 0, reason: std::ptr::null() };
    // SAFETY: the call writes the counts alone.
    unsafe { ffi::lx_graph_totals(&mut counts) };
    GraphCounts::of(&counts)
}

pub fn clear_counts() {
    // SAFETY: from any thread.
    unsafe { ffi::lx_clear_graph_totals() }
}

/// What the library holds of a device's memory, in bytes.
pub type DeviceUsage = ffi::CudaUsage;

/// The memory of a CUDA device as this process holds it through the library; artifacts hold their own.
pub fn device_usage(device: i32) -> Result<DeviceUsage, RuntimeError> {
    let (mut usage, mut message) = (DeviceUsage::default(), Message::new());
    // SAFETY: the call writes the numbers.
    let status = unsafe { ffi::lx_cuda_memory(device, &mut usage, message.pointer(), message.size()) };
    message.check(status)?;
    Ok(usage)
}

/// Gives the memory that is cached back to the device.
pub fn release_device(device: i32) -> Result<(), RuntimeError> {
    let mut message = Message::new();
    // SAFETY: frees only what nobody uses.
    let status = unsafe { ffi::lx_cuda_release(device, message.pointer(), message.size()) };
    message.check(status)
}
