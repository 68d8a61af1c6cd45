//! `src/executor/executor.h` in Rust, and `include/litz/artifact.h` in `artifact`.

mod artifact;

use std::ffi::{c_char, c_int, c_void};

use super::run_options::RunOptions;
use crate::plan::Library;
use crate::types::dlpack::DLTensor;
pub use artifact::{ARTIFACT_ABI_VERSION, ARTIFACT_MAGIC, ArtifactApi};

/// A kernel: tasks `[begin, end)`; 0, or 1 + the index of an assertion of the plan.
pub type KernelFn = unsafe extern "C" fn(
    context: *mut c_void,
    buffers: *const *mut c_void,
    scalars: *const i64,
    begin: i64,
    end: i64,
    scratch: *mut c_void,
) -> i32;

pub type RangeFn = unsafe extern "C" fn(argument: *mut c_void, begin: i64, end: i64);
pub type ParallelForFn =
    unsafe extern "C" fn(context: *mut c_void, body: RangeFn, argument: *mut c_void, n: i64, grain: i64);

pub const PROGRAM_CHECKED_KERNELS: u32 = 1;
pub const PROGRAM_AMX: u32 = 2;
pub const PROGRAM_CUDA: u32 = 4;
pub const PROGRAM_GRAPHS: u32 = 8;
pub const PROGRAM_PLAIN_GRAPHS: u32 = 16;
pub const PROGRAM_SIZE_ASSERTS: u32 = 32;
pub const PROGRAM_MEASURES: u32 = 256;
pub const PROGRAM_HOST_TENSORS: u32 = 512;
pub const PROGRAM_FACTORISES: u32 = 1024;

#[repr(C)]
pub struct ProgramTable {
    pub plan: *const c_void,
    pub plan_bytes: usize,
    pub kernels: *const KernelFn,
    pub contexts: *const *mut c_void,
    pub constants: *const *const c_void,
    pub weights: *const c_void,
    pub weights_bytes: u64,
    pub flags: u32,
    pub isa: u32,
    pub cubins: *const Cubin,
    pub n_cubins: u32,
    pub device_index: i32,
    pub most_graphs: u32,
    pub reserved: u32,
    pub libraries: [*const c_char; Library::ALL.len()],
    pub mapped: *const u8,
    pub observe: Option<ObserveFn>,
    pub observe_context: *mut c_void,
    pub costs: *const u32,
    pub call_host: Option<HostFn>,
    pub host_context: *mut c_void,
}

/// `lx_host_call`.
#[repr(C)]
pub struct HostCall {
    pub words: *const u32,
    pub values: *const i64,
    pub operands: *const *mut c_void,
    pub n_words: u32,
    pub n_values: u32,
    pub n_operands: u32,
    pub device_type: i32,
    pub device_index: i32,
    pub stream: *mut c_void,
}

pub type HostFn = unsafe extern "C" fn(
    context: *mut c_void,
    call: *const HostCall,
    error: *mut c_char,
    error_size: usize,
) -> i32;

/// `lx_view`: opaque.
#[repr(C)]
pub struct View {
    _opaque: [u8; 0],
}

pub type ObserveFn = unsafe extern "C" fn(
    context: *mut c_void,
    view: *const View,
    init: i32,
    step: u32,
    error: *mut c_char,
    error_size: usize,
) -> i32;

pub const VIEW_BEGIN: u32 = u32::MAX - 1;
pub const VIEW_END: u32 = u32::MAX;

/// `lx_variant`: a program for one instruction set.
#[repr(C)]
pub struct Variant {
    pub plan: *const c_void,
    pub plan_bytes: u64,
    pub kernels: *const KernelFn,
    pub n_kernels: u32,
    pub isa: u32,
    pub flags: u32,
    pub reserved: u32,
}

/// `lx_form_table`: a variant's form for inputs that share memory.
#[repr(C)]
pub struct FormTable {
    pub program: Variant,
    pub bases: *const u32,
    pub storages: *const u32,
    pub n_storages: u64,
    pub cubins: *const Cubin,
    pub n_cubins: u64,
}

/// `lx_artifact`: what an artifact holds, for executors other than its own.
#[repr(C)]
pub struct ArtifactTable {
    pub struct_size: u64,
    pub variants: *const Variant,
    pub n_variants: u32,
    pub external: u32,
    pub weights_bytes: u64,
    pub cubins: *const Cubin,
    pub n_cubins: u32,
    pub most_graphs: u32,
    pub id: [u8; 16],
    pub forms: *const FormTable,
}

/// `lx_graph_counts`.
#[repr(C)]
pub struct GraphCounts {
    pub recorded: u64,
    pub replayed: u64,
    pub patched: u64,
    pub eager: u64,
    pub reason: *const c_char,
}

/// `lx_cuda_usage`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CudaUsage {
    pub allocated: u64,
    pub cached: u64,
    pub reserved: u64,
    pub peak_allocated: u64,
    pub peak_reserved: u64,
    /// Of the device, for everybody.
    pub available: u64,
    pub total: u64,
    /// Of the host's memory.
    pub pinned: u64,
}

/// `lx_cubin`.
#[repr(C)]
pub struct Cubin {
    pub data: *const c_void,
    pub bytes: u64,
    pub arch: u32,
    pub kind: u32,
}

pub const MEMORY_FRAMES: u32 = 0;
pub const MEMORY_ARENAS: u32 = 1;
pub const MEMORY_PACKED: u32 = 2;
pub const MEMORY_WEIGHTS: u32 = 3;
pub const MEMORY_KINDS: usize = 4;

/// The most threads that a program's kernels are spread over.
pub const MOST_THREADS: usize = 256;

pub type AllocateFn =
    unsafe extern "C" fn(context: *mut c_void, kind: u32, bytes: usize, alignment: usize) -> *mut c_void;
pub type ReleaseFn = unsafe extern "C" fn(
    context: *mut c_void,
    kind: u32,
    memory: *mut c_void,
    bytes: usize,
    alignment: usize,
);

#[repr(C)]
pub struct HostTable {
    pub context: *mut c_void,
    pub allocate: Option<AllocateFn>,
    pub release: Option<ReleaseFn>,
    pub parallel_for: Option<ParallelForFn>,
    pub parallel_for_context: *mut c_void,
    pub threads: i32,
    pub profiles_graphs: i32,
    pub profiled: Option<ProfiledFn>,
    pub profile_context: *mut c_void,
}

/// `lx_step_time`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct StepTime {
    pub step: u32,
    pub reserved: u32,
    /// Nanoseconds since the run began.
    pub begin: i64,
    pub end: i64,
    /// -1: not known.
    pub bytes: i64,
    pub flop: i64,
}

/// `lx_run_times`
#[repr(C)]
pub struct RunTimes {
    pub began: i64,
    pub took: i64,
    pub steps: *const StepTime,
    pub n_steps: u32,
    pub whole: u32,
}

pub type ProfiledFn = unsafe extern "C" fn(context: *mut c_void, run: *const RunTimes);

/// `lx_instance`: opaque.
#[repr(C)]
pub struct Instance {
    _opaque: [u8; 0],
}

pub type OutputFn = unsafe extern "C" fn(
    context: *mut c_void,
    k: usize,
    bytes: u64,
    ndim: i32,
    shape: *const i64,
    strides: *const i64,
) -> *mut c_void;
/// `lx_view_fn`.
pub type ViewFn = unsafe extern "C" fn(
    context: *mut c_void,
    k: usize,
    of: usize,
    at: u64,
    ndim: i32,
    shape: *const i64,
    strides: *const i64,
) -> i32;

/// `LX_INPUTS_SHARE_MEMORY`
pub const INPUTS_SHARE_MEMORY: i32 = 1000;

/// `lx_form`
#[repr(C)]
pub struct Form {
    pub program: *mut Instance,
    pub bases: *const u32,
    pub storages: *const u32,
    pub n_storages: usize,
}

unsafe extern "C" {
    pub fn lx_find_overlaps(
        instance: *mut Instance,
        inputs: *const *const DLTensor,
        n_inputs: usize,
        groups: *mut u32,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_check_stream(
        instance: *mut Instance,
        options: *const RunOptions,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_copy_elements(
        instance: *mut Instance,
        to: *const DLTensor,
        from: *const DLTensor,
        options: *const RunOptions,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_run_form(
        instance: *mut Instance,
        form: *const Form,
        inputs: *const *const DLTensor,
        n_inputs: usize,
        outputs: *const *const DLTensor,
        n_outputs: usize,
        options: *const RunOptions,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_run_form_allocating(
        instance: *mut Instance,
        form: *const Form,
        inputs: *const *const DLTensor,
        n_inputs: usize,
        allocate: OutputFn,
        view: ViewFn,
        allocate_context: *mut c_void,
        n_outputs: usize,
        options: *const RunOptions,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_create(
        program: *const ProgramTable,
        host: *const HostTable,
        out: *mut *mut Instance,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_clone(
        instance: *mut Instance,
        out: *mut *mut Instance,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_infer_outputs(
        instance: *mut Instance,
        inputs: *const *const DLTensor,
        n_inputs: usize,
        outputs: *mut DLTensor,
        n_outputs: usize,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_run(
        instance: *mut Instance,
        inputs: *const *const DLTensor,
        n_inputs: usize,
        outputs: *const *const DLTensor,
        n_outputs: usize,
        options: *const RunOptions,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_run_allocating(
        instance: *mut Instance,
        inputs: *const *const DLTensor,
        n_inputs: usize,
        allocate: OutputFn,
        view: ViewFn,
        allocate_context: *mut c_void,
        n_outputs: usize,
        options: *const RunOptions,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_copy_constant(
        instance: *mut Instance,
        k: usize,
        destination: *mut c_void,
        bytes: u64,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_copy_storage(
        instance: *mut Instance,
        k: usize,
        destination: *mut c_void,
        bytes: u64,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_derived_bytes(instance: *const Instance, piece: usize) -> u64;
    pub fn lx_copy_derived(
        instance: *mut Instance,
        piece: usize,
        destination: *mut c_void,
        bytes: u64,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_update_constants(
        instance: *mut Instance,
        names: *const *const c_char,
        data: *const *const DLTensor,
        n: usize,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_cuda_allocate(
        device_index: i32,
        bytes: u64,
        stream: *mut c_void,
        out: *mut *mut c_void,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_cuda_copy(
        device_index: i32,
        to: *mut c_void,
        from: *const c_void,
        bytes: u64,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_cuda_memory(
        device_index: i32,
        out: *mut CudaUsage,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_gives_to_host(
        instance: *const Instance,
        inputs: *const *const DLTensor,
        n_inputs: usize,
    ) -> i32;
    pub fn lx_cuda_release(device_index: i32, error: *mut c_char, error_size: usize) -> i32;
    pub fn lx_graph_counts_of(instance: *mut Instance, out: *mut GraphCounts);
    pub fn lx_graph_totals(out: *mut GraphCounts);
    pub fn lx_clear_graph_totals();
    pub fn lx_cuda_check_fork(error: *mut c_char, error_size: usize) -> i32;
    pub fn lx_cuda_note_use();
    pub fn lx_mark_step();
    pub fn lx_drop_graphs();
    pub fn lx_cuda_free(device_index: i32, memory: *mut c_void, bytes: u64, stream: *mut c_void);
    pub fn lx_synchronize(instance: *mut Instance, error: *mut c_char, error_size: usize) -> i32;
    pub fn lx_destroy(instance: *mut Instance);
    pub fn lx_view_run(view: *const View) -> u64;
    pub fn lx_view_bytes(view: *const View, buffer: u32) -> u64;
    pub fn lx_view_read(
        view: *const View,
        buffer: u32,
        to: *mut c_void,
        bytes: u64,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_view_symbol(view: *const View, symbol: u32, value: *mut i64) -> c_int;
    pub fn lx_call_routine(
        routine: u32,
        attributes: *const i64,
        operands: *const *mut c_void,
        error: *mut c_char,
        error_size: usize,
    ) -> i32;
    pub fn lx_move_storage(instance: *mut Instance, k: usize, to: *const c_void);
    pub fn lx_let_go(instance: *mut Instance, k: usize) -> c_int;
    pub fn lx_cancel(instance: *mut Instance);
    pub fn lx_runs_begun(instance: *mut Instance) -> u64;
    pub fn lx_set_threads(n: i32);
    pub fn lx_release_frames();
}

#[cfg(test)]
mod tests {
    use super::super::cuda::CubinKind;
    use super::*;
    use crate::target::Isa;

    /// The numbers of this file and of the C header are the same.
    #[test]
    fn numbers_are_the_executor_s() {
        let header = include_str!("../executor/executor.h");
        let defined = |name: &str| {
            let line = header.lines().find_map(|l| l.strip_prefix(&format!("#define LX_{name} ")));
            let number = line.and_then(|l| l.split([' ', 'u']).next()).and_then(|n| n.parse::<u64>().ok());
            number.unwrap_or_else(|| panic!("{name} has no number"))
        };
        for (name, number) in [
            ("PROGRAM_CHECKED_KERNELS", PROGRAM_CHECKED_KERNELS),
            ("PROGRAM_AMX", PROGRAM_AMX),
            ("PROGRAM_CUDA", PROGRAM_CUDA),
            ("PROGRAM_GRAPHS", PROGRAM_GRAPHS),
            ("PROGRAM_PLAIN_GRAPHS", PROGRAM_PLAIN_GRAPHS),
            ("PROGRAM_SIZE_ASSERTS", PROGRAM_SIZE_ASSERTS),
            ("PROGRAM_MEASURES", PROGRAM_MEASURES),
            ("PROGRAM_HOST_TENSORS", PROGRAM_HOST_TENSORS),
            ("PROGRAM_FACTORISES", PROGRAM_FACTORISES),
            ("MEMORY_FRAMES", MEMORY_FRAMES),
            ("MEMORY_ARENAS", MEMORY_ARENAS),
            ("MEMORY_PACKED", MEMORY_PACKED),
            ("MEMORY_WEIGHTS", MEMORY_WEIGHTS),
            ("MEMORY_KINDS", MEMORY_KINDS as u32),
            ("MOST_THREADS", MOST_THREADS as u32),
            ("INPUTS_SHARE_MEMORY", INPUTS_SHARE_MEMORY as u32),
            ("CUBIN_LATER", CubinKind::Later as u32),
            ("CUBIN_EXACT", CubinKind::Exact as u32),
            ("CUBIN_PTX", CubinKind::Ptx as u32),
            ("ISA_SCALAR", Isa::Scalar as u32),
            ("ISA_AVX2", Isa::Avx2 as u32),
            ("ISA_AVX512", Isa::Avx512 as u32),
        ] {
            assert_eq!(defined(name), u64::from(number), "{name}");
        }
    }
}
