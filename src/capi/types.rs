//! The numbers and structs of the C ABI. Their order and sizes are fixed; `tests/abi.rs` checks them against the
//! header.

use super::error::litz_error;
use super::graph::litz_graph;
use super::operators::litz_meta;
use std::ffi::{c_char, c_void};

pub use crate::types::dlpack::{DLDataType, DLDevice, DLManagedTensorVersioned, DLTensor};

/// major << 16 | minor of the header; pass it to `litz_check_abi`.
pub const LITZ_ABI_VERSION: u32 = 1;

/// 0 is success; the other numbers are `LITZ_ERROR_…` and never change.
#[cfg(not(litz_run_types))]
pub type litz_status = i32;

/// A value of a graph: a tensor or a symbol. Only valid for the graph that gave it; 0 is never valid.
pub type litz_value = u64;

/// A node of a graph: one operator with its arguments and results. Only valid for the graph that gave it; 0 is never
/// valid, and a node is no value.
pub type litz_node = u64;

/// Success.
pub const LITZ_OK: i32 = 0;
/// An argument cannot be: NULL where something must be, a value of another graph, an argument that an operator does
/// not take.
pub const LITZ_ERROR_INVALID_ARGUMENT: i32 = 1;
/// Refused as not supported; the message names what, and nothing was attempted.
pub const LITZ_ERROR_UNSUPPORTED: i32 = 2;
/// Sizes that do not fit together, or do not fit the compiled program.
pub const LITZ_ERROR_SHAPE: i32 = 3;
/// An element type that does not fit.
pub const LITZ_ERROR_DTYPE: i32 = 4;
/// A device that is not there, or a tensor on another than asked for.
pub const LITZ_ERROR_DEVICE: i32 = 5;
/// A malformed file, archive or text; the message says where.
pub const LITZ_ERROR_PARSE: i32 = 6;
/// The system refused to read or write.
pub const LITZ_ERROR_IO: i32 = 7;
/// A C++ compiler is missing or failed; its output is in the error's detail.
pub const LITZ_ERROR_TOOLCHAIN: i32 = 8;
/// A CUDA driver or library is missing, or reported a failure.
pub const LITZ_ERROR_CUDA: i32 = 9;
/// Memory was refused.
pub const LITZ_ERROR_OUT_OF_MEMORY: i32 = 10;
/// A header, library or artifact of another version than is understood.
pub const LITZ_ERROR_ABI: i32 = 11;
/// Not possible in the state that the object is in.
pub const LITZ_ERROR_STATE: i32 = 12;
/// An array was too small; the count needed was written.
pub const LITZ_ERROR_CAPACITY: i32 = 13;
/// A callback of the host's asked to stop.
pub const LITZ_ERROR_CANCELLED: i32 = 14;
/// The graph's own run-time assertion failed.
pub const LITZ_ERROR_ASSERTION: i32 = 15;
/// A mistake inside Litz.
pub const LITZ_ERROR_INTERNAL: i32 = 99;

/// Element type: unsigned 8-bit integer. Element types are numbered as in PyTorch's export schema.
pub const LITZ_DTYPE_UINT8: i32 = 1;
/// Element type: signed 8-bit integer.
pub const LITZ_DTYPE_INT8: i32 = 2;
/// Element type: signed 16-bit integer.
pub const LITZ_DTYPE_INT16: i32 = 3;
/// Element type: signed 32-bit integer.
pub const LITZ_DTYPE_INT32: i32 = 4;
/// Element type: signed 64-bit integer.
pub const LITZ_DTYPE_INT64: i32 = 5;
/// Element type: IEEE half precision.
pub const LITZ_DTYPE_FLOAT16: i32 = 6;
/// Element type: IEEE single precision.
pub const LITZ_DTYPE_FLOAT32: i32 = 7;
/// Element type: IEEE double precision.
pub const LITZ_DTYPE_FLOAT64: i32 = 8;
/// Element type: complex of two half-precision numbers; not computed with.
pub const LITZ_DTYPE_COMPLEX32: i32 = 9;
/// Element type: complex of two single-precision numbers, the real one first.
pub const LITZ_DTYPE_COMPLEX64: i32 = 10;
/// Element type: complex of two double-precision numbers, the real one first.
pub const LITZ_DTYPE_COMPLEX128: i32 = 11;
/// Element type: a byte, 0 or 1.
pub const LITZ_DTYPE_BOOL: i32 = 12;
/// Element type: the upper half of a single-precision number.
pub const LITZ_DTYPE_BFLOAT16: i32 = 13;
/// Element type: unsigned 16-bit integer.
pub const LITZ_DTYPE_UINT16: i32 = 28;
/// Element type: 8-bit float with 4 exponent bits and no infinities; not computed with.
pub const LITZ_DTYPE_FLOAT8_E4M3FN: i32 = 29;
/// Element type: 8-bit float with 5 exponent bits; not computed with.
pub const LITZ_DTYPE_FLOAT8_E5M2: i32 = 30;
/// Element type: as E4M3FN, without a negative zero; not computed with.
pub const LITZ_DTYPE_FLOAT8_E4M3FNUZ: i32 = 31;
/// Element type: as E5M2, without infinities and negative zero; not computed with.
pub const LITZ_DTYPE_FLOAT8_E5M2FNUZ: i32 = 32;
/// Element type: unsigned 32-bit integer.
pub const LITZ_DTYPE_UINT32: i32 = 36;
/// Element type: unsigned 64-bit integer.
pub const LITZ_DTYPE_UINT64: i32 = 37;

/// Layout: strides. The only layout that is computed with.
pub const LITZ_LAYOUT_STRIDED: i32 = 7;

/// Memory format: row-major.
pub const LITZ_MEMORY_FORMAT_CONTIGUOUS: i32 = 1;
/// Memory format: of four dimensions, the second is the innermost in memory.
pub const LITZ_MEMORY_FORMAT_CHANNELS_LAST: i32 = 2;
/// Memory format: of five dimensions, the second is the innermost in memory.
pub const LITZ_MEMORY_FORMAT_CHANNELS_LAST_3D: i32 = 3;
/// Memory format: as the operand's.
pub const LITZ_MEMORY_FORMAT_PRESERVE: i32 = 4;

/// Kind of a constant: a parameter, which training would change.
pub const LITZ_CONSTANT_PARAMETER: i32 = 0;
/// Kind of a constant: a buffer, which runs may change.
pub const LITZ_CONSTANT_BUFFER: i32 = 1;
/// Kind of a constant: neither.
pub const LITZ_CONSTANT_CONSTANT: i32 = 2;
/// Flag of `litz_graph_constant`: the data is not copied and stays alive and unchanged until the graph and every
/// executable made from it are released.
pub const LITZ_CONSTANT_BORROW: i32 = 1;

/// Selects inputs: `litz_executable_info`, `litz_graph_values`.
pub const LITZ_INFO_INPUT: i32 = 0;
/// Selects outputs.
pub const LITZ_INFO_OUTPUT: i32 = 1;
/// Selects parameters, buffers and constants.
pub const LITZ_INFO_CONSTANT: i32 = 2;
/// `what` of `litz_training_info`: what a backward gives.
pub const LITZ_INFO_GRADIENT: i32 = 3;

/// Selects the new contents of inputs and constants, for `litz_graph_values` alone.
pub const LITZ_INFO_WRITE: i32 = 3;

/// Kind of a `litz_arg`: None; no member is read.
pub const LITZ_ARG_NONE: i32 = 0;
/// Kind of a `litz_arg`: a tensor, or a symbol where a number is asked; `value`.
pub const LITZ_ARG_VALUE: i32 = 1;
/// Kind of a `litz_arg`: an integer; `i`.
pub const LITZ_ARG_INT: i32 = 2;
/// Kind of a `litz_arg`: a float; `f`.
pub const LITZ_ARG_FLOAT: i32 = 3;
/// Kind of a `litz_arg`: a bool; `i`, 0 is false.
pub const LITZ_ARG_BOOL: i32 = 4;
/// Kind of a `litz_arg`: a list of integers, symbols among them; `ints`, `values`, `n`.
pub const LITZ_ARG_INTS: i32 = 5;
/// Kind of a `litz_arg`: a list of tensors, None among them; `values`, `n`.
pub const LITZ_ARG_VALUES: i32 = 6;
/// Kind of a `litz_arg`: a list of floats; `floats`, `n`.
pub const LITZ_ARG_FLOATS: i32 = 7;
/// Kind of a `litz_arg`: a string; `s`.
pub const LITZ_ARG_STRING: i32 = 8;
/// Kind of a `litz_arg`: an element type; `i` is a `LITZ_DTYPE_…`.
pub const LITZ_ARG_DTYPE: i32 = 9;
/// Kind of a `litz_arg`: a symbol or a number given at run time; `value`.
pub const LITZ_ARG_SYMBOL: i32 = 10;
/// Kind of a `litz_arg`: a graph for an operator to run; `subgraph`.
pub const LITZ_ARG_SUBGRAPH: i32 = 11;
/// Kind of a `litz_arg`: a list of bools; `ints`, `n`.
pub const LITZ_ARG_BOOLS: i32 = 12;
/// Kind of a `litz_arg`: a device; `i` is DLPack's type << 32 | index.
pub const LITZ_ARG_DEVICE: i32 = 13;
/// Kind of a `litz_arg`: a memory format; `i` is a `LITZ_MEMORY_FORMAT_…`.
pub const LITZ_ARG_MEMORY_FORMAT: i32 = 14;
/// Kind of a `litz_arg`: a layout; `i` is a `LITZ_LAYOUT_…`.
pub const LITZ_ARG_LAYOUT: i32 = 15;
/// Kind of a `litz_arg`: a complex number; `f`, `f_imag`.
pub const LITZ_ARG_COMPLEX: i32 = 16;
/// Kind of a `litz_arg`: a list of graphs; `subgraphs`, `n`.
pub const LITZ_ARG_SUBGRAPHS: i32 = 17;

/// Flag of `litz_run_options`: use `stream`, which may be the NULL (default) stream; means nothing on a CPU.
#[cfg(not(litz_run_types))]
pub const LITZ_RUN_HAS_STREAM: u32 = 1;
/// Flag of `litz_run_options`: return once the work is enqueued; on a CPU the call still waits.
#[cfg(not(litz_run_types))]
pub const LITZ_RUN_ASYNC: u32 = 2;
/// Flag of `litz_run_options`: use `seed` and `offset` as the random state.
#[cfg(not(litz_run_types))]
pub const LITZ_RUN_HAS_SEED: u32 = 4;

/// Gets the library's log messages, on the thread that does the work; it must not unwind. Levels: 0 error, 1 warning,
/// 2 information, 3 debugging.
pub type litz_log_fn = Option<unsafe extern "C" fn(context: *mut c_void, level: i32, message: *const c_char)>;

/// Gets the events of compilations and runs, each a line of JSON, on the thread that does the work; it must not unwind.
/// `docs/trace.md` lists the events.
pub type litz_trace_fn = Option<unsafe extern "C" fn(context: *mut c_void, json_line: *const c_char)>;

/// A pass of a host's, which rewrites the graph: see `litz_registry_add_pass`.
pub type litz_pass_fn = Option<
    unsafe extern "C" fn(context: *mut c_void, g: *mut litz_graph, err: *mut *mut litz_error) -> litz_status,
>;

/// A decomposition of a host's: see `litz_registry_add_decomposition`.
pub type litz_decomposition_fn = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        g: *mut litz_graph,
        args: *const litz_arg,
        n_args: usize,
        outs: *mut litz_value,
        n_outs: usize,
        err: *mut *mut litz_error,
    ) -> litz_status,
>;

/// Frees the object that a context points to; it must not unwind.
pub type litz_release_fn = Option<unsafe extern "C" fn(context: *mut c_void)>;

/// Flag of `litz_backend`: its graphs have no composite operators. Without it they have those of the user's graph, except
/// operators that the registry decomposes.
pub const LITZ_BACKEND_DECOMPOSED: u32 = 1;

/// Flag of `litz_backend`: its callables give the same bits at every run, for the same inputs. Compilations with option
/// `deterministic` refuse a backend without it.
pub const LITZ_BACKEND_DETERMINISTIC: u32 = 2;

/// Compiles a functional graph: it has no operators in place, and `litz_graph_values` lists its write-backs with
/// `LITZ_INFO_WRITE`. The graph is lent for the call and only read; `litz_graph_clone` copies it. `*out` has its
/// struct_size set and all else zero; the function fills it in. On success the library owns its context.
pub type litz_backend_compile_fn = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        g: *const litz_graph,
        out: *mut litz_callable,
        err: *mut *mut litz_error,
    ) -> litz_status,
>;

/// Runs once: see `litz_backend_call`. Any number of threads at once, but for programs that write to their own constants.
pub type litz_callable_run_fn = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        call: *const litz_backend_call,
        err: *mut *mut litz_error,
    ) -> litz_status,
>;

/// Runs `body` over [0, n) in pieces of at least `grain`, on any threads, and returns when all are done.
#[cfg(not(litz_run_types))]
pub type litz_parallel_for_fn = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        body: Option<unsafe extern "C" fn(arg: *mut c_void, begin: i64, end: i64)>,
        arg: *mut c_void,
        n: i64,
        grain: i64,
    ),
>;

/// One argument of an operator. Zero all of it, then set `kind` and the members that belong to it; everything it
/// points at is read during the call only.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct litz_arg {
    /// NULL: positional.
    pub name: *const c_char,
    /// A `LITZ_ARG_…`.
    pub kind: i32,
    /// Must be 0.
    pub reserved0: i32,
    /// For value and symbol.
    pub value: litz_value,
    /// For int, bool, dtype (`LITZ_DTYPE_…`), device (type << 32 | index), memory format, layout.
    pub i: i64,
    /// For float, and the real part of complex.
    pub f: f64,
    /// The imaginary part of complex.
    pub f_imag: f64,
    /// For ints and bools: `n` of them.
    pub ints: *const i64,
    /// For values: `n` of them, 0 is None. Beside `ints`, a nonzero `values[k]` replaces `ints[k]` by a symbol; NULL
    /// otherwise.
    pub values: *const litz_value,
    /// For floats: `n` of them.
    pub floats: *const f64,
    /// How many items the list has.
    pub n: usize,
    /// For string.
    pub s: *const c_char,
    /// For subgraph; copied by the call.
    pub subgraph: *const litz_graph,
    /// For subgraphs: `n` of them.
    pub subgraphs: *const *const litz_graph,
    /// Must be 0.
    pub reserved: [u64; 3],
}

/// A node's operator, arguments and results. The graph owns the arrays and strings; they are valid until `litz_graph_node_info`
/// is called for the same node again, or the graph is released.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct litz_node_info {
    /// sizeof(litz_node_info), set by the caller.
    pub struct_size: usize,
    /// The operator as `litz_graph_call` takes it: "aten.add.Tensor", in place "aten.add_.Tensor".
    pub op: *const c_char,
    /// One for each argument of the operator's schema, in its order and with its name; `litz_graph_call` takes them.
    pub args: *const litz_arg,
    /// How many arguments there are.
    pub n_args: usize,
    /// The node's results.
    pub results: *const litz_value,
    /// How many results there are.
    pub n_results: usize,
    /// Must be 0.
    pub reserved: [u64; 4],
}

/// A host's backend. Zero all of it, then set struct_size and the members you need.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct litz_backend {
    /// sizeof(litz_backend)
    pub struct_size: usize,
    /// `LITZ_BACKEND_…`
    pub flags: u32,
    /// Must be 0.
    pub reserved0: u32,
    /// Handed to `compile`.
    pub context: *mut c_void,
    /// Compiles a graph, on the thread that calls `litz_compile` and its like; `litz_is_compiling` is 1 in it.
    pub compile: litz_backend_compile_fn,
    /// Nullable: called with `context` once the registry and all that was made with it are released; not where
    /// `litz_registry_add_backend` fails.
    pub release: litz_release_fn,
    /// Must be 0.
    pub reserved: [u64; 4],
}

/// A graph that a host's backend has compiled.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct litz_callable {
    /// sizeof(litz_callable), set by the library.
    pub struct_size: usize,
    /// Handed to `run`.
    pub context: *mut c_void,
    /// Runs once. It must not unwind.
    pub run: litz_callable_run_fn,
    /// Nullable: called with `context` once no executable has it any more.
    pub release: litz_release_fn,
    /// Must be 0.
    pub reserved: [u64; 4],
}

/// One run. Tensors are contiguous and on the CPU, borrowed for the call. Sizes and guards were checked already.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct litz_backend_call {
    /// sizeof(litz_backend_call), set by the library.
    pub struct_size: usize,
    /// As `LITZ_INFO_INPUT` of `litz_graph_values` has them; they are read.
    pub inputs: *const *const DLTensor,
    /// How many inputs there are.
    pub n_inputs: usize,
    /// As `LITZ_INFO_CONSTANT` has them, with what they hold now; they are read.
    pub constants: *const *const DLTensor,
    /// How many constants there are.
    pub n_constants: usize,
    /// As `LITZ_INFO_OUTPUT` has them, then as `LITZ_INFO_WRITE` has them: to be filled. Outputs that are numbers are filled
    /// already, except those that depend on data. Outputs whose sizes depend on data have -1 for these and no data: call
    /// `resize` for each of them.
    pub outputs: *const *const DLTensor,
    /// How many outputs and write-backs there are.
    pub n_outputs: usize,
    /// Must be 0.
    pub reserved: [u64; 4],
    /// Gives an output of this call its sizes and memory.
    pub resize: litz_backend_resize_fn,
    /// The first argument of `resize`.
    pub results: *const c_void,
}

/// Gives output `k` of a call its sizes, as many as it has dimensions, and memory for them, contiguous and zero:
/// `call->outputs[k]` has both from then on. The sizes must fit the graph: their ranges, and one another where they depend
/// on one symbol.
#[allow(non_camel_case_types)]
pub type litz_backend_resize_fn = Option<
    unsafe extern "C" fn(
        results: *const c_void,
        k: usize,
        shape: *const i64,
        err: *mut *mut litz_error,
    ) -> litz_status,
>;

/// `flags` of a `litz_operator`: it is called for what it does besides its results: once in each run, in the program's
/// order, and never left out. An operator without results that writes to nothing always is.
pub const LITZ_OPERATOR_EFFECT: u64 = 1;

/// `flags` of a `litz_operator`: its functions and sources give the same bits at every run and number of threads, for the same
/// arguments. Compilations with option `deterministic` refuse an operator without it that has results or writes. One with
/// `pointwise_source` needs no such flag.
pub const LITZ_OPERATOR_DETERMINISTIC: u64 = 2;

/// Computes an operator of a host's. `args` has one argument for each of the schema's, in its order and with its name; of kind
/// value it is 1 + the place of the tensor in `tensors`, and in a list of values 0 is None. `tensors` has the tensors among
/// the arguments in order, and `outs` the results that no argument is, to be filled; all are contiguous and on the device of
/// the program, and borrowed for the call. A tensor that the schema marks as written is written in place. `stream` is NULL
/// on a CPU; on a GPU it is the `cudaStream_t` that all work belongs on, whose context is current. Any number of threads may
/// be in it at once. It must not unwind.
pub type litz_operator_run_fn = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        args: *const litz_arg,
        n_args: usize,
        tensors: *const *const DLTensor,
        n_tensors: usize,
        outs: *const *const DLTensor,
        n_outs: usize,
        stream: *mut c_void,
        err: *mut *mut litz_error,
    ) -> litz_status,
>;

/// Tells the types of an operator's results: calls `litz_meta_output` for each that no argument is, in the schema's order. `g` holds
/// the tensors among the arguments and nothing else; it is lent for the call, to look at them and to calculate with symbols
/// ("aten.sym_size.int", "sym.mul"). It is called on the thread that adds the operator to a graph or compiles it, and must not
/// unwind.
pub type litz_operator_meta_fn = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        g: *mut litz_graph,
        args: *const litz_arg,
        n_args: usize,
        outs: *mut litz_meta,
        err: *mut *mut litz_error,
    ) -> litz_status,
>;

/// Builds the gradients of an operator: adds nodes to `g`, which is lent for the call, and writes to `grads` one value for each
/// tensor among the arguments, in order; 0: no gradient flows there. `cotangents` has one for each of the `n_outs` results, 0
/// where none comes in. It is called on the thread that differentiates, and must not unwind.
pub type litz_operator_derivative_fn = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        g: *mut litz_graph,
        args: *const litz_arg,
        n_args: usize,
        cotangents: *const litz_value,
        n_outs: usize,
        grads: *mut litz_value,
        err: *mut *mut litz_error,
    ) -> litz_status,
>;

/// An operator of a host's. Zero all of it, then set struct_size and the members you need: `meta` unless the results are the
/// broadcast of the tensors by `pointwise_source` or arguments that are written; and something that computes, a
/// function here or source by `litz_registry_add_operator_source`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct litz_operator {
    /// sizeof(litz_operator)
    pub struct_size: usize,
    /// Handed to the functions.
    pub context: *mut c_void,
    /// Nullable: called with `context` once the registry and all that was made with it are released; not where
    /// `litz_registry_add_operator` fails.
    pub release: litz_release_fn,
    /// Tells the types of the results.
    pub meta: litz_operator_meta_fn,
    /// Nullable: computes on a CPU, also for the interpreter.
    pub run_cpu: litz_operator_run_fn,
    /// Nullable: computes on a GPU.
    pub run_cuda: litz_operator_run_fn,
    /// Nullable: builds the gradients.
    pub derivative: litz_operator_derivative_fn,
    /// Nullable: one C expression of the arguments' names, for each element of the one result. It fuses with what is around
    /// it, runs on every backend, is in artifacts, and has a derivative. With it `run_cpu` and `run_cuda` are not called.
    pub pointwise_source: *const c_char,
    /// `LITZ_OPERATOR_…`
    pub flags: u64,
    /// Must be 0.
    pub reserved: [u64; 7],
}

/// The dtype, device and sizes of a graph's input.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct litz_tensor_spec {
    /// sizeof(litz_tensor_spec)
    pub struct_size: usize,
    /// DLPack's element type; `lanes` is 1.
    pub dtype: DLDataType,
    /// Where it was made; the compiler moves every tensor to its backend's device. A zero device is the CPU. If an input's is
    /// CUDA, layer and batch norms of reduced floats save their statistics in float32, as PyTorch's kernels for GPUs do.
    pub device: DLDevice,
    /// How many dimensions there are.
    pub ndim: i32,
    /// 0 or 1; means nothing as long as graphs are not differentiated.
    pub requires_grad: i32,
    /// `ndim` sizes.
    pub shape: *const i64,
    /// Nullable; a nonzero entry is a symbol that replaces `shape[k]`.
    pub symbols: *const litz_value,
    /// Nullable: contiguous. Otherwise `ndim` strides in elements.
    pub strides: *const i64,
}

/// `alias_kind` of a `litz_tensor_info`: its memory is its own.
pub const LITZ_ALIAS_NONE: i32 = 0;
/// `alias_kind` of a `litz_tensor_info`: the graph returns a view of an input. A run gives a copy.
pub const LITZ_ALIAS_INPUT: i32 = 1;
/// `alias_kind` of a `litz_tensor_info`: as `LITZ_ALIAS_INPUT`, of a parameter, buffer or constant.
pub const LITZ_ALIAS_CONSTANT: i32 = 2;
/// `alias_kind` of a `litz_tensor_info`: it shares memory with an earlier output.
pub const LITZ_ALIAS_OUTPUT: i32 = 3;

/// Facts about an executable's input, output or constant. Members behind the caller's `struct_size` are not written.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct litz_tensor_info {
    /// sizeof(litz_tensor_info), set by the caller.
    pub struct_size: usize,
    /// Borrowed from the executable, as the shapes are.
    pub name: *const c_char,
    /// DLPack's element type.
    pub dtype: DLDataType,
    /// Where a tensor must be, or will be.
    pub device: DLDevice,
    /// How many dimensions there are.
    pub ndim: i32,
    /// For constants: a `LITZ_CONSTANT_…` kind.
    pub kind: i32,
    /// `ndim` sizes; equal to `max_shape` where static.
    pub min_shape: *const i64,
    /// -1: no bound.
    pub max_shape: *const i64,
    /// `ndim` strides in elements; NULL where they depend on a size.
    pub strides: *const i64,
    /// 1: runs write to it.
    pub mutated: i32,
    /// `LITZ_ALIAS_…`, for outputs.
    pub alias_kind: i32,
    /// The number of the input, constant or output that `alias_kind` speaks of.
    pub alias_of: i64,
}

/// How to run once. Zero everything, then set struct_size and the members you need.
#[cfg(not(litz_run_types))]
#[repr(C)]
#[derive(Clone, Copy)]
pub struct litz_run_options {
    /// sizeof(litz_run_options)
    pub struct_size: usize,
    /// `LITZ_RUN_…`
    pub flags: u32,
    /// Another device of the same kind than the one compiled for; on a CPU there is only 0.
    pub device_index: i32,
    /// A `cudaStream_t`, with `LITZ_RUN_HAS_STREAM`.
    pub stream: *mut c_void,
    /// The random state's seed, with `LITZ_RUN_HAS_SEED`.
    pub seed: u64,
    /// Where the random state begins: the number of the first block of random words. See docs/random.md.
    pub offset: u64,
    /// Nullable: the runtime's own threads.
    pub parallel_for: litz_parallel_for_fn,
    /// Handed to `parallel_for`.
    pub parallel_for_context: *mut c_void,
    /// Nullable: n flags each; 1 = the address stays the same between runs.
    pub static_inputs: *const u8,
    /// As `static_inputs`, for the outputs.
    pub static_outputs: *const u8,
    /// Nullable: where the random offset stands after this run.
    pub next_offset: *mut u64,
    /// Must be 0.
    pub reserved: [u64; 2],
}
