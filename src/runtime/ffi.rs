//! `src/executor/executor.h` and `include/litz/artifact.h` in Rust.

use std::ffi::{c_char, c_int, c_void};

use super::run_options::RunOptions;
use crate::plan::Library;
use crate::types::dlpack::DLTensor;

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
    pub fn lx_cuda_free(device_index: i32, memory: *mut c_void, stream: *mut c_void);
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
    pub fn lx_set_threads(n: i32);
    pub fn lx_release_frames();
}

pub const ARTIFACT_MAGIC: u32 = 0x5a54_494c;
pub const ARTIFACT_ABI_VERSION: u32 = 1;

/// `litz_artifact_options`.
#[repr(C)]
pub struct ArtifactOptions {
    pub struct_size: usize,
    pub weights_path: *const c_char,
    pub file: *const c_void,
    pub file_bytes: usize,
    pub device_index: i32,
    pub threads: i32,
    pub reserved: [u64; 4],
}

type CreateFn = unsafe extern "C" fn(*const c_char, i32, *mut *mut c_void, *mut c_char, usize) -> i32;
type InferFn = unsafe extern "C" fn(
    *mut c_void,
    *const *const DLTensor,
    usize,
    *mut DLTensor,
    usize,
    *mut c_char,
    usize,
) -> i32;
type RunFn = unsafe extern "C" fn(
    *mut c_void,
    *const *const DLTensor,
    usize,
    *const *const DLTensor,
    usize,
    *const RunOptions,
    *mut c_char,
    usize,
) -> i32;
type ConstantFn = unsafe extern "C" fn(*mut c_void, usize, *mut DLTensor, *mut c_char, usize) -> i32;
type UpdateFn = unsafe extern "C" fn(
    *mut c_void,
    *const *const c_char,
    *const *const DLTensor,
    usize,
    *mut c_char,
    usize,
) -> i32;
type SimpleFn = unsafe extern "C" fn(*mut c_void, *mut c_char, usize) -> i32;
type RunAllocatingFn = unsafe extern "C" fn(
    *mut c_void,
    *const *const DLTensor,
    usize,
    OutputFn,
    *mut c_void,
    usize,
    *const RunOptions,
    *mut c_char,
    usize,
) -> i32;

/// `litz_artifact_api`. This library runs the `program` of an artifact itself; the functions are for hosts that have the
/// artifact alone.
#[repr(C)]
pub struct ArtifactApi {
    pub struct_size: usize,
    pub magic: u32,
    pub abi_version: u32,
    pub metadata: *const c_char,
    pub create: CreateFn,
    pub infer_outputs: InferFn,
    pub run: RunFn,
    pub constant: ConstantFn,
    pub update_constants: UpdateFn,
    pub synchronize: SimpleFn,
    pub destroy: unsafe extern "C" fn(*mut c_void),
    pub run_allocating: RunAllocatingFn,
    pub create_with:
        unsafe extern "C" fn(*const ArtifactOptions, *mut *mut c_void, *mut c_char, usize) -> i32,
    pub clone: unsafe extern "C" fn(*mut c_void, *mut *mut c_void, *mut c_char, usize) -> i32,
    pub cancel: SimpleFn,
    pub release_memory: SimpleFn,
    pub program: *const ArtifactTable,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// Size and places of a struct's members, as `abi/layouts.txt` records them of C.
    fn recorded(name: &str) -> (usize, Vec<(String, usize)>) {
        let record = concat!(env!("CARGO_MANIFEST_DIR"), "/abi/layouts.txt");
        let record = std::fs::read_to_string(record).expect("the record is there");
        let number = |text: &str| text.parse().expect("a number");
        let (mut size, mut fields) = (0, Vec::new());
        for words in record.lines().map(|l| l.split(' ').collect::<Vec<_>>()) {
            match words[..] {
                ["size", of, bytes] if of == name => size = number(bytes),
                ["field", member, "at", place, ..] => {
                    let (of, member) = member.split_once('.').expect("a member of a struct");
                    if of == name {
                        fields.push((member.to_string(), number(place)));
                    }
                }
                _ => {}
            }
        }
        (size, fields)
    }

    macro_rules! same_layout {
        ($rust:ty, $c:literal, [$($field:ident),*]) => {
            let (size, fields) = recorded($c);
            assert_eq!(size, size_of::<$rust>(), $c);
            let here = vec![$((stringify!($field).to_string(), offset_of!($rust, $field))),*];
            assert_eq!(fields, here, $c);
        };
    }

    #[test]
    fn rust_and_c_see_the_same_artifacts() {
        same_layout!(
            ArtifactApi,
            "litz_artifact_api",
            [
                struct_size,
                magic,
                abi_version,
                metadata,
                create,
                infer_outputs,
                run,
                constant,
                update_constants,
                synchronize,
                destroy,
                run_allocating,
                create_with,
                clone,
                cancel,
                release_memory,
                program
            ]
        );
        same_layout!(
            ArtifactOptions,
            "litz_artifact_options",
            [struct_size, weights_path, file, file_bytes, device_index, threads, reserved]
        );
        same_layout!(
            RunOptions,
            "litz_run_options",
            [
                struct_size,
                flags,
                device_index,
                stream,
                seed,
                offset,
                parallel_for,
                parallel_for_context,
                static_inputs,
                static_outputs,
                next_offset,
                reserved
            ]
        );
    }
}
