/*
 * Litz: a tensor-graph compiler with a C ABI. Generated from src/capi by cbindgen; see tests/header.rs.
 *
 * Rules that hold for every function:
 * - A function that can fail returns a litz_status (0 is success) and takes a nullable `litz_error **err` last. On
 *   failure no out-parameter is written (but `*n_outs` with LITZ_ERROR_CAPACITY) and `*err`, which the caller then
 *   owns, says what is wrong; on success `*err` is left untouched.
 * - A pointer may be NULL only where its function says so; arrays may be NULL when their count is 0. A NULL elsewhere is
 *   LITZ_ERROR_INVALID_ARGUMENT.
 * - Handles are released with their own litz_..._release, which accept NULL. Strings are UTF-8, NUL-terminated.
 * - Graphs and options are for one thread at a time; executables, errors and strings for any number of threads.
 * - No C++ exception may pass through a callback.
 */

#ifndef LITZ_H
#define LITZ_H

#include <stddef.h>
#include <stdint.h>

#include "dlpack.h"

/* artifact.h states the same run options; whichever comes first does it. */

/**
 * major << 16 | minor of the header; pass it to `litz_check_abi`.
 */
#define LITZ_ABI_VERSION 1

/**
 * Success.
 */
#define LITZ_OK 0

/**
 * An argument cannot be: NULL where something must be, a value of another graph, an argument that an operator does
 * not take.
 */
#define LITZ_ERROR_INVALID_ARGUMENT 1

/**
 * Refused as not supported; the message names what, and nothing was attempted.
 */
#define LITZ_ERROR_UNSUPPORTED 2

/**
 * Sizes that do not fit together, or do not fit the compiled program.
 */
#define LITZ_ERROR_SHAPE 3

/**
 * An element type that does not fit.
 */
#define LITZ_ERROR_DTYPE 4

/**
 * A device that is not there, or a tensor on another than asked for.
 */
#define LITZ_ERROR_DEVICE 5

/**
 * A malformed file, archive or text; the message says where.
 */
#define LITZ_ERROR_PARSE 6

/**
 * The system refused to read or write.
 */
#define LITZ_ERROR_IO 7

/**
 * A C++ compiler is missing or failed; its output is in the error's detail.
 */
#define LITZ_ERROR_TOOLCHAIN 8

/**
 * A CUDA driver or library is missing, or reported a failure.
 */
#define LITZ_ERROR_CUDA 9

/**
 * Memory was refused.
 */
#define LITZ_ERROR_OUT_OF_MEMORY 10

/**
 * A header, library or artifact of another version than is understood.
 */
#define LITZ_ERROR_ABI 11

/**
 * Not possible in the state that the object is in.
 */
#define LITZ_ERROR_STATE 12

/**
 * An array was too small; the count needed was written.
 */
#define LITZ_ERROR_CAPACITY 13

/**
 * A callback of the host's asked to stop.
 */
#define LITZ_ERROR_CANCELLED 14

/**
 * The graph's own run-time assertion failed.
 */
#define LITZ_ERROR_ASSERTION 15

/**
 * A mistake inside Litz.
 */
#define LITZ_ERROR_INTERNAL 99

/**
 * Element type: unsigned 8-bit integer. Element types are numbered as in PyTorch's export schema.
 */
#define LITZ_DTYPE_UINT8 1

/**
 * Element type: signed 8-bit integer.
 */
#define LITZ_DTYPE_INT8 2

/**
 * Element type: signed 16-bit integer.
 */
#define LITZ_DTYPE_INT16 3

/**
 * Element type: signed 32-bit integer.
 */
#define LITZ_DTYPE_INT32 4

/**
 * Element type: signed 64-bit integer.
 */
#define LITZ_DTYPE_INT64 5

/**
 * Element type: IEEE half precision.
 */
#define LITZ_DTYPE_FLOAT16 6

/**
 * Element type: IEEE single precision.
 */
#define LITZ_DTYPE_FLOAT32 7

/**
 * Element type: IEEE double precision.
 */
#define LITZ_DTYPE_FLOAT64 8

/**
 * Element type: complex of two half-precision numbers; not computed with.
 */
#define LITZ_DTYPE_COMPLEX32 9

/**
 * Element type: complex of two single-precision numbers, the real one first.
 */
#define LITZ_DTYPE_COMPLEX64 10

/**
 * Element type: complex of two double-precision numbers, the real one first.
 */
#define LITZ_DTYPE_COMPLEX128 11

/**
 * Element type: a byte, 0 or 1.
 */
#define LITZ_DTYPE_BOOL 12

/**
 * Element type: the upper half of a single-precision number.
 */
#define LITZ_DTYPE_BFLOAT16 13

/**
 * Element type: unsigned 16-bit integer.
 */
#define LITZ_DTYPE_UINT16 28

/**
 * Element type: 8-bit float with 4 exponent bits and no infinities; not computed with.
 */
#define LITZ_DTYPE_FLOAT8_E4M3FN 29

/**
 * Element type: 8-bit float with 5 exponent bits; not computed with.
 */
#define LITZ_DTYPE_FLOAT8_E5M2 30

/**
 * Element type: as E4M3FN, without a negative zero; not computed with.
 */
#define LITZ_DTYPE_FLOAT8_E4M3FNUZ 31

/**
 * Element type: as E5M2, without infinities and negative zero; not computed with.
 */
#define LITZ_DTYPE_FLOAT8_E5M2FNUZ 32

/**
 * Element type: unsigned 32-bit integer.
 */
#define LITZ_DTYPE_UINT32 36

/**
 * Element type: unsigned 64-bit integer.
 */
#define LITZ_DTYPE_UINT64 37

/**
 * Layout: strides. The only layout that is computed with.
 */
#define LITZ_LAYOUT_STRIDED 7

/**
 * Memory format: row-major.
 */
#define LITZ_MEMORY_FORMAT_CONTIGUOUS 1

/**
 * Memory format: of four dimensions, the second is the innermost in memory.
 */
#define LITZ_MEMORY_FORMAT_CHANNELS_LAST 2

/**
 * Memory format: of five dimensions, the second is the innermost in memory.
 */
#define LITZ_MEMORY_FORMAT_CHANNELS_LAST_3D 3

/**
 * Memory format: as the operand's.
 */
#define LITZ_MEMORY_FORMAT_PRESERVE 4

/**
 * Kind of a constant: a parameter, which training would change.
 */
#define LITZ_CONSTANT_PARAMETER 0

/**
 * Kind of a constant: a buffer, which runs may change.
 */
#define LITZ_CONSTANT_BUFFER 1

/**
 * Kind of a constant: neither.
 */
#define LITZ_CONSTANT_CONSTANT 2

/**
 * Flag of `litz_graph_constant`: the data is not copied and stays alive and unchanged until the graph and every
 * executable made from it are released.
 */
#define LITZ_CONSTANT_BORROW 1

/**
 * Selects inputs: `litz_executable_info`, `litz_graph_values`.
 */
#define LITZ_INFO_INPUT 0

/**
 * Selects outputs.
 */
#define LITZ_INFO_OUTPUT 1

/**
 * Selects parameters, buffers and constants.
 */
#define LITZ_INFO_CONSTANT 2

/**
 * `what` of `litz_training_info`: what a backward gives.
 */
#define LITZ_INFO_GRADIENT 3

/**
 * Selects the new contents of inputs and constants, for `litz_graph_values` alone.
 */
#define LITZ_INFO_WRITE 3

/**
 * Kind of a `litz_arg`: None; no member is read.
 */
#define LITZ_ARG_NONE 0

/**
 * Kind of a `litz_arg`: a tensor, or a symbol where a number is asked; `value`.
 */
#define LITZ_ARG_VALUE 1

/**
 * Kind of a `litz_arg`: an integer; `i`.
 */
#define LITZ_ARG_INT 2

/**
 * Kind of a `litz_arg`: a float; `f`.
 */
#define LITZ_ARG_FLOAT 3

/**
 * Kind of a `litz_arg`: a bool; `i`, 0 is false.
 */
#define LITZ_ARG_BOOL 4

/**
 * Kind of a `litz_arg`: a list of integers, symbols among them; `ints`, `values`, `n`.
 */
#define LITZ_ARG_INTS 5

/**
 * Kind of a `litz_arg`: a list of tensors, None among them; `values`, `n`.
 */
#define LITZ_ARG_VALUES 6

/**
 * Kind of a `litz_arg`: a list of floats; `floats`, `n`.
 */
#define LITZ_ARG_FLOATS 7

/**
 * Kind of a `litz_arg`: a string; `s`.
 */
#define LITZ_ARG_STRING 8

/**
 * Kind of a `litz_arg`: an element type; `i` is a `LITZ_DTYPE_…`.
 */
#define LITZ_ARG_DTYPE 9

/**
 * Kind of a `litz_arg`: a symbol or a number given at run time; `value`.
 */
#define LITZ_ARG_SYMBOL 10

/**
 * Kind of a `litz_arg`: a graph for an operator to run; `subgraph`.
 */
#define LITZ_ARG_SUBGRAPH 11

/**
 * Kind of a `litz_arg`: a list of bools; `ints`, `n`.
 */
#define LITZ_ARG_BOOLS 12

/**
 * Kind of a `litz_arg`: a device; `i` is DLPack's type << 32 | index.
 */
#define LITZ_ARG_DEVICE 13

/**
 * Kind of a `litz_arg`: a memory format; `i` is a `LITZ_MEMORY_FORMAT_…`.
 */
#define LITZ_ARG_MEMORY_FORMAT 14

/**
 * Kind of a `litz_arg`: a layout; `i` is a `LITZ_LAYOUT_…`.
 */
#define LITZ_ARG_LAYOUT 15

/**
 * Kind of a `litz_arg`: a complex number; `f`, `f_imag`.
 */
#define LITZ_ARG_COMPLEX 16

/**
 * Kind of a `litz_arg`: a list of graphs; `subgraphs`, `n`.
 */
#define LITZ_ARG_SUBGRAPHS 17

#if !defined(LITZ_RUN_TYPES)
/**
 * Flag of `litz_run_options`: use `stream`, which may be the NULL (default) stream; means nothing on a CPU.
 */
#define LITZ_RUN_HAS_STREAM 1
#endif

#if !defined(LITZ_RUN_TYPES)
/**
 * Flag of `litz_run_options`: return once the work is enqueued; on a CPU the call still waits.
 */
#define LITZ_RUN_ASYNC 2
#endif

#if !defined(LITZ_RUN_TYPES)
/**
 * Flag of `litz_run_options`: use `seed` and `offset` as the random state.
 */
#define LITZ_RUN_HAS_SEED 4
#endif

/**
 * Flag of `litz_backend`: its graphs have no composite operators. Without it they have those of the user's graph, except
 * operators that the registry decomposes.
 */
#define LITZ_BACKEND_DECOMPOSED 1

/**
 * Flag of `litz_backend`: its callables give the same bits at every run, for the same inputs. Compilations with option
 * `deterministic` refuse a backend without it.
 */
#define LITZ_BACKEND_DETERMINISTIC 2

/**
 * `flags` of a `litz_operator`: it is called for what it does besides its results: once in each run, in the program's
 * order, and never left out. An operator without results that writes to nothing always is.
 */
#define LITZ_OPERATOR_EFFECT 1

/**
 * `flags` of a `litz_operator`: its functions and sources give the same bits at every run and number of threads, for the same
 * arguments. Compilations with option `deterministic` refuse an operator without it that has results or writes. One with
 * `pointwise_source` needs no such flag.
 */
#define LITZ_OPERATOR_DETERMINISTIC 2

/**
 * `alias_kind` of a `litz_tensor_info`: its memory is its own.
 */
#define LITZ_ALIAS_NONE 0

/**
 * `alias_kind` of a `litz_tensor_info`: the graph returns a view of an input. A run gives a copy.
 */
#define LITZ_ALIAS_INPUT 1

/**
 * `alias_kind` of a `litz_tensor_info`: as `LITZ_ALIAS_INPUT`, of a parameter, buffer or constant.
 */
#define LITZ_ALIAS_CONSTANT 2

/**
 * `alias_kind` of a `litz_tensor_info`: it shares memory with an earlier output.
 */
#define LITZ_ALIAS_OUTPUT 3

/**
 * An error: a code, a message and a JSON detail. Made by a failed call or by `litz_error_new`; release it
 * with `litz_error_release`. Any thread may read one.
 */
typedef struct litz_error litz_error;

/**
 * A compiled program with its constants. Any number of threads may run one at once; runs of a program that mutates
 * its own constants are serialised.
 */
typedef struct litz_executable litz_executable;

/**
 * A tensor program that is being built or was loaded. One thread at a time.
 */
typedef struct litz_graph litz_graph;

/**
 * The results of an operator whose types are being told.
 */
typedef struct litz_meta litz_meta;

/**
 * How to compile: string keys and values; `litz_options_list` tells them all. One thread at a time.
 */
typedef struct litz_options litz_options;

/**
 * A predicate for [`litz_minify`] that the library has. One thread at a time.
 */
typedef struct litz_predicate litz_predicate;

/**
 * A host's passes, decompositions and backends. One thread at a time; options that it was set on, and programs compiled with
 * them, keep it alive.
 */
typedef struct litz_registry litz_registry;

/**
 * What a forward keeps for its backward.
 */
typedef struct litz_saved litz_saved;

/**
 * A string that the library made; release it with `litz_string_release`. Any thread may read one.
 */
typedef struct litz_string litz_string;

/**
 * A program and its gradients: a forward, and a backward that is compiled when it is first asked for. Any number of threads may use
 * one at the same time.
 */
typedef struct litz_training litz_training;

/**
 * Named tensors of a file of weights.
 */
typedef struct litz_weights litz_weights;

#if !defined(LITZ_RUN_TYPES)
/**
 * 0 is success; the other numbers are `LITZ_ERROR_…` and never change.
 */
typedef int32_t litz_status;
#endif

/**
 * Gets the library's log messages, on the thread that does the work; it must not unwind. Levels: 0 error, 1 warning,
 * 2 information, 3 debugging.
 */
typedef void (*litz_log_fn)(void *context, int32_t level, const char *message);

/**
 * Gets the events of compilations and runs, each a line of JSON, on the thread that does the work; it must not unwind.
 * `docs/trace.md` lists the events.
 */
typedef void (*litz_trace_fn)(void *context, const char *json_line);

/**
 * A value of a graph: a tensor or a symbol. Only valid for the graph that gave it; 0 is never valid.
 */
typedef uint64_t litz_value;

/**
 * The dtype, device and sizes of a graph's input.
 */
typedef struct litz_tensor_spec {
    /**
     * sizeof(litz_tensor_spec)
     */
    size_t struct_size;
    /**
     * DLPack's element type; `lanes` is 1.
     */
    DLDataType dtype;
    /**
     * Where it was made; the compiler moves every tensor to its backend's device. A zero device is the CPU. If an input's is
     * CUDA, layer and batch norms of reduced floats save their statistics in float32, as PyTorch's kernels for GPUs do.
     */
    DLDevice device;
    /**
     * How many dimensions there are.
     */
    int32_t ndim;
    /**
     * 0 or 1; means nothing as long as graphs are not differentiated.
     */
    int32_t requires_grad;
    /**
     * `ndim` sizes.
     */
    const int64_t *shape;
    /**
     * Nullable; a nonzero entry is a symbol that replaces `shape[k]`.
     */
    const litz_value *symbols;
    /**
     * Nullable: contiguous. Otherwise `ndim` strides in elements.
     */
    const int64_t *strides;
} litz_tensor_spec;

/**
 * One argument of an operator. Zero all of it, then set `kind` and the members that belong to it; everything it
 * points at is read during the call only.
 */
typedef struct litz_arg {
    /**
     * NULL: positional.
     */
    const char *name;
    /**
     * A `LITZ_ARG_…`.
     */
    int32_t kind;
    /**
     * Must be 0.
     */
    int32_t reserved0;
    /**
     * For value and symbol.
     */
    litz_value value;
    /**
     * For int, bool, dtype (`LITZ_DTYPE_…`), device (type << 32 | index), memory format, layout.
     */
    int64_t i;
    /**
     * For float, and the real part of complex.
     */
    double f;
    /**
     * The imaginary part of complex.
     */
    double f_imag;
    /**
     * For ints and bools: `n` of them.
     */
    const int64_t *ints;
    /**
     * For values: `n` of them, 0 is None. Beside `ints`, a nonzero `values[k]` replaces `ints[k]` by a symbol; NULL
     * otherwise.
     */
    const litz_value *values;
    /**
     * For floats: `n` of them.
     */
    const double *floats;
    /**
     * How many items the list has.
     */
    size_t n;
    /**
     * For string.
     */
    const char *s;
    /**
     * For subgraph; copied by the call.
     */
    const struct litz_graph *subgraph;
    /**
     * For subgraphs: `n` of them.
     */
    const struct litz_graph *const *subgraphs;
    /**
     * Must be 0.
     */
    uint64_t reserved[3];
} litz_arg;

/**
 * A node of a graph: one operator with its arguments and results. Only valid for the graph that gave it; 0 is never
 * valid, and a node is no value.
 */
typedef uint64_t litz_node;

/**
 * A node's operator, arguments and results. The graph owns the arrays and strings; they are valid until `litz_graph_node_info`
 * is called for the same node again, or the graph is released.
 */
typedef struct litz_node_info {
    /**
     * sizeof(litz_node_info), set by the caller.
     */
    size_t struct_size;
    /**
     * The operator as `litz_graph_call` takes it: "aten.add.Tensor", in place "aten.add_.Tensor".
     */
    const char *op;
    /**
     * One for each argument of the operator's schema, in its order and with its name; `litz_graph_call` takes them.
     */
    const struct litz_arg *args;
    /**
     * How many arguments there are.
     */
    size_t n_args;
    /**
     * The node's results.
     */
    const litz_value *results;
    /**
     * How many results there are.
     */
    size_t n_results;
    /**
     * Must be 0.
     */
    uint64_t reserved[4];
} litz_node_info;

/**
 * Facts about an executable's input, output or constant. Members behind the caller's `struct_size` are not written.
 */
typedef struct litz_tensor_info {
    /**
     * sizeof(litz_tensor_info), set by the caller.
     */
    size_t struct_size;
    /**
     * Borrowed from the executable, as the shapes are.
     */
    const char *name;
    /**
     * DLPack's element type.
     */
    DLDataType dtype;
    /**
     * Where a tensor must be, or will be.
     */
    DLDevice device;
    /**
     * How many dimensions there are.
     */
    int32_t ndim;
    /**
     * For constants: a `LITZ_CONSTANT_…` kind.
     */
    int32_t kind;
    /**
     * `ndim` sizes; equal to `max_shape` where static.
     */
    const int64_t *min_shape;
    /**
     * -1: no bound.
     */
    const int64_t *max_shape;
    /**
     * `ndim` strides in elements; NULL where they depend on a size.
     */
    const int64_t *strides;
    /**
     * 1: runs write to it.
     */
    int32_t mutated;
    /**
     * `LITZ_ALIAS_…`, for outputs.
     */
    int32_t alias_kind;
    /**
     * The number of the input, constant or output that `alias_kind` speaks of.
     */
    int64_t alias_of;
} litz_tensor_info;

#if !defined(LITZ_RUN_TYPES)
/**
 * Runs `body` over [0, n) in pieces of at least `grain`, on any threads, and returns when all are done.
 */
typedef void (*litz_parallel_for_fn)(void *context,
                                     void (*body)(void *arg, int64_t begin, int64_t end),
                                     void *arg,
                                     int64_t n,
                                     int64_t grain);
#endif

#if !defined(LITZ_RUN_TYPES)
/**
 * How to run once. Zero everything, then set struct_size and the members you need.
 */
typedef struct litz_run_options {
    /**
     * sizeof(litz_run_options)
     */
    size_t struct_size;
    /**
     * `LITZ_RUN_…`
     */
    uint32_t flags;
    /**
     * Another device of the same kind than the one compiled for; on a CPU there is only 0.
     */
    int32_t device_index;
    /**
     * A `cudaStream_t`, with `LITZ_RUN_HAS_STREAM`.
     */
    void *stream;
    /**
     * The random state's seed, with `LITZ_RUN_HAS_SEED`.
     */
    uint64_t seed;
    /**
     * Where the random state begins: the number of the first block of random words. See docs/random.md.
     */
    uint64_t offset;
    /**
     * Nullable: the runtime's own threads.
     */
    litz_parallel_for_fn parallel_for;
    /**
     * Handed to `parallel_for`.
     */
    void *parallel_for_context;
    /**
     * Nullable: n flags each; 1 = the address stays the same between runs.
     */
    const uint8_t *static_inputs;
    /**
     * As `static_inputs`, for the outputs.
     */
    const uint8_t *static_outputs;
    /**
     * Nullable: where the random offset stands after this run.
     */
    uint64_t *next_offset;
    /**
     * Must be 0.
     */
    uint64_t reserved[2];
} litz_run_options;
#endif

/**
 * Decides whether a graph still fails: writes 1 or 0 to `*still_fails`. The graph is lent for the call, and no
 * later one may use it. A status that is not 0 ends the search with that error.
 */
typedef litz_status (*litz_predicate_fn)(void *context,
                                         const struct litz_graph *g,
                                         int32_t *still_fails,
                                         struct litz_error **err);

/**
 * A pass of a host's, which rewrites the graph: see `litz_registry_add_pass`.
 */
typedef litz_status (*litz_pass_fn)(void *context, struct litz_graph *g, struct litz_error **err);

/**
 * A decomposition of a host's: see `litz_registry_add_decomposition`.
 */
typedef litz_status (*litz_decomposition_fn)(void *context,
                                             struct litz_graph *g,
                                             const struct litz_arg *args,
                                             size_t n_args,
                                             litz_value *outs,
                                             size_t n_outs,
                                             struct litz_error **err);

/**
 * Gives output `k` of a call its sizes, as many as it has dimensions, and memory for them, contiguous and zero:
 * `call->outputs[k]` has both from then on. The sizes must fit the graph: their ranges, and one another where they depend
 * on one symbol.
 */
typedef litz_status (*litz_backend_resize_fn)(const void *results,
                                              size_t k,
                                              const int64_t *shape,
                                              struct litz_error **err);

/**
 * One run. Tensors are contiguous and on the CPU, borrowed for the call. Sizes and guards were checked already.
 */
typedef struct litz_backend_call {
    /**
     * sizeof(litz_backend_call), set by the library.
     */
    size_t struct_size;
    /**
     * As `LITZ_INFO_INPUT` of `litz_graph_values` has them; they are read.
     */
    const DLTensor *const *inputs;
    /**
     * How many inputs there are.
     */
    size_t n_inputs;
    /**
     * As `LITZ_INFO_CONSTANT` has them, with what they hold now; they are read.
     */
    const DLTensor *const *constants;
    /**
     * How many constants there are.
     */
    size_t n_constants;
    /**
     * As `LITZ_INFO_OUTPUT` has them, then as `LITZ_INFO_WRITE` has them: to be filled. Outputs that are numbers are filled
     * already, except those that depend on data. Outputs whose sizes depend on data have -1 for these and no data: call
     * `resize` for each of them.
     */
    const DLTensor *const *outputs;
    /**
     * How many outputs and write-backs there are.
     */
    size_t n_outputs;
    /**
     * Must be 0.
     */
    uint64_t reserved[4];
    /**
     * Gives an output of this call its sizes and memory.
     */
    litz_backend_resize_fn resize;
    /**
     * The first argument of `resize`.
     */
    const void *results;
} litz_backend_call;

/**
 * Runs once: see `litz_backend_call`. Any number of threads at once, but for programs that write to their own constants.
 */
typedef litz_status (*litz_callable_run_fn)(void *context,
                                            const struct litz_backend_call *call,
                                            struct litz_error **err);

/**
 * Frees the object that a context points to; it must not unwind.
 */
typedef void (*litz_release_fn)(void *context);

/**
 * A graph that a host's backend has compiled.
 */
typedef struct litz_callable {
    /**
     * sizeof(litz_callable), set by the library.
     */
    size_t struct_size;
    /**
     * Handed to `run`.
     */
    void *context;
    /**
     * Runs once. It must not unwind.
     */
    litz_callable_run_fn run;
    /**
     * Nullable: called with `context` once no executable has it any more.
     */
    litz_release_fn release;
    /**
     * Must be 0.
     */
    uint64_t reserved[4];
} litz_callable;

/**
 * Compiles a functional graph: it has no operators in place, and `litz_graph_values` lists its write-backs with
 * `LITZ_INFO_WRITE`. The graph is lent for the call and only read; `litz_graph_clone` copies it. `*out` has its
 * struct_size set and all else zero; the function fills it in. On success the library owns its context.
 */
typedef litz_status (*litz_backend_compile_fn)(void *context,
                                               const struct litz_graph *g,
                                               struct litz_callable *out,
                                               struct litz_error **err);

/**
 * A host's backend. Zero all of it, then set struct_size and the members you need.
 */
typedef struct litz_backend {
    /**
     * sizeof(litz_backend)
     */
    size_t struct_size;
    /**
     * `LITZ_BACKEND_…`
     */
    uint32_t flags;
    /**
     * Must be 0.
     */
    uint32_t reserved0;
    /**
     * Handed to `compile`.
     */
    void *context;
    /**
     * Compiles a graph, on the thread that calls `litz_compile` and its like; `litz_is_compiling` is 1 in it.
     */
    litz_backend_compile_fn compile;
    /**
     * Nullable: called with `context` once the registry and all that was made with it are released; not where
     * `litz_registry_add_backend` fails.
     */
    litz_release_fn release;
    /**
     * Must be 0.
     */
    uint64_t reserved[4];
} litz_backend;

/**
 * Tells the types of an operator's results: calls `litz_meta_output` for each that no argument is, in the schema's order. `g` holds
 * the tensors among the arguments and nothing else; it is lent for the call, to look at them and to calculate with symbols
 * ("aten.sym_size.int", "sym.mul"). It is called on the thread that adds the operator to a graph or compiles it, and must not
 * unwind.
 */
typedef litz_status (*litz_operator_meta_fn)(void *context,
                                             struct litz_graph *g,
                                             const struct litz_arg *args,
                                             size_t n_args,
                                             struct litz_meta *outs,
                                             struct litz_error **err);

/**
 * Computes an operator of a host's. `args` has one argument for each of the schema's, in its order and with its name; of kind
 * value it is 1 + the place of the tensor in `tensors`, and in a list of values 0 is None. `tensors` has the tensors among
 * the arguments in order, and `outs` the results that no argument is, to be filled; all are contiguous and on the device of
 * the program, and borrowed for the call. A tensor that the schema marks as written is written in place. `stream` is NULL
 * on a CPU; on a GPU it is the `cudaStream_t` that all work belongs on, whose context is current. Any number of threads may
 * be in it at once. It must not unwind.
 */
typedef litz_status (*litz_operator_run_fn)(void *context,
                                            const struct litz_arg *args,
                                            size_t n_args,
                                            const DLTensor *const *tensors,
                                            size_t n_tensors,
                                            const DLTensor *const *outs,
                                            size_t n_outs,
                                            void *stream,
                                            struct litz_error **err);

/**
 * Builds the gradients of an operator: adds nodes to `g`, which is lent for the call, and writes to `grads` one value for each
 * tensor among the arguments, in order; 0: no gradient flows there. `cotangents` has one for each of the `n_outs` results, 0
 * where none comes in. It is called on the thread that differentiates, and must not unwind.
 */
typedef litz_status (*litz_operator_derivative_fn)(void *context,
                                                   struct litz_graph *g,
                                                   const struct litz_arg *args,
                                                   size_t n_args,
                                                   const litz_value *cotangents,
                                                   size_t n_outs,
                                                   litz_value *grads,
                                                   struct litz_error **err);

/**
 * An operator of a host's. Zero all of it, then set struct_size and the members you need: `meta` unless the results are the
 * broadcast of the tensors by `pointwise_source` or arguments that are written; and something that computes, a
 * function here or source by `litz_registry_add_operator_source`.
 */
typedef struct litz_operator {
    /**
     * sizeof(litz_operator)
     */
    size_t struct_size;
    /**
     * Handed to the functions.
     */
    void *context;
    /**
     * Nullable: called with `context` once the registry and all that was made with it are released; not where
     * `litz_registry_add_operator` fails.
     */
    litz_release_fn release;
    /**
     * Tells the types of the results.
     */
    litz_operator_meta_fn meta;
    /**
     * Nullable: computes on a CPU, also for the interpreter.
     */
    litz_operator_run_fn run_cpu;
    /**
     * Nullable: computes on a GPU.
     */
    litz_operator_run_fn run_cuda;
    /**
     * Nullable: builds the gradients.
     */
    litz_operator_derivative_fn derivative;
    /**
     * Nullable: one C expression of the arguments' names, for each element of the one result. It fuses with what is around
     * it, runs on every backend, is in artifacts, and has a derivative. With it `run_cpu` and `run_cuda` are not called.
     */
    const char *pointwise_source;
    /**
     * `LITZ_OPERATOR_…`
     */
    uint64_t flags;
    /**
     * Must be 0.
     */
    uint64_t reserved[7];
} litz_operator;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The ABI version of this library: major << 16 | minor. Any thread.
 */
uint32_t litz_abi_version(void);

/**
 * The version of this library as text, such as "0.1.0"; borrowed for ever. Any thread.
 */
const char *litz_version(void);

/**
 * Whether a program that was compiled with header version `header_version` (pass `LITZ_ABI_VERSION`) can use this
 * library. `LITZ_ERROR_ABI` says why it cannot. Any thread.
 */
litz_status litz_check_abi(uint32_t header_version,
                           struct litz_error **err);

/**
 * Makes an error, for callbacks that report one. `code` is a `LITZ_ERROR_…`; a `message` that is NULL or no UTF-8
 * becomes an empty one. The caller owns the result. Any thread.
 */
struct litz_error *litz_error_new(litz_status code,
                                  const char *message);

/**
 * The error's `LITZ_ERROR_…`; `LITZ_OK` for NULL. Any thread.
 */
litz_status litz_error_code(const struct litz_error *e);

/**
 * The message says what failed, where, and how to mend it; borrowed from the error, "" for NULL. Any thread.
 */
const char *litz_error_message(const struct litz_error *e);

/**
 * The same for programs: a JSON object with `code`, `message` and further facts; borrowed from the error,
 * "{}" for NULL. Any thread.
 */
const char *litz_error_detail(const struct litz_error *e);

/**
 * Frees an error; NULL is accepted.
 */
void litz_error_release(struct litz_error *e);

/**
 * The text, UTF-8 and NUL-terminated; borrowed from the string, "" for NULL. Any thread.
 */
const char *litz_string_data(const struct litz_string *s);

/**
 * Bytes of the text, without the NUL; 0 for NULL. Any thread.
 */
size_t litz_string_size(const struct litz_string *s);

/**
 * Frees a string; NULL is accepted.
 */
void litz_string_release(struct litz_string *s);

/**
 * Makes options that hold the defaults. The caller owns `*out`.
 */
litz_status litz_options_new(struct litz_options **out, struct litz_error **err);

/**
 * Sets one option. A key that does not exist or a value that does not suit it is `LITZ_ERROR_INVALID_ARGUMENT` and
 * changes nothing.
 */
litz_status litz_options_set(struct litz_options *o,
                             const char *key,
                             const char *value,
                             struct litz_error **err);

/**
 * Sets several options at once, or none: `json` is an object of keys and values (strings, numbers, bools); null unsets
 * a key.
 */
litz_status litz_options_patch(struct litz_options *o,
                               const char *json,
                               struct litz_error **err);

/**
 * The effective value of an option: the value that was set, otherwise its mode's, the environment's, or the default.
 * NULL options are the defaults. The caller owns `*value`.
 */
litz_status litz_options_get(const struct litz_options *o,
                             const char *key,
                             struct litz_string **value,
                             struct litz_error **err);

/**
 * Every option as a JSON object: key to `value`, the effective one, and `from`, where it comes from: `set`, `mode`,
 * `environment` or `default`. NULL options are the defaults. The caller owns `*json`.
 */
litz_status litz_options_json(const struct litz_options *o,
                              struct litz_string **json,
                              struct litz_error **err);

/**
 * The machine as a compilation with these options finds it, as JSON: `cpu` (`isa`, `cores`, caches) and `parts`, a list of the C++
 * compiler, the GPU with its driver, NVRTC, cuBLASLt, cuDNN and the cache's folder, each with `name`, `needed_for`, `path` (for
 * the GPU its name), `version` and `why_not`, null where it was found. Takes up to a second. NULL options are the defaults. The
 * caller owns `*json`. Any thread.
 */
litz_status litz_machine_describe(const struct litz_options *o,
                                  struct litz_string **json,
                                  struct litz_error **err);

/**
 * The cache on disk that these options name, as JSON: `folder`, `max_bytes`, `bytes`, and `entries`, the least recently used
 * first, each with `key`, `bytes` and `used`, in seconds since 1970. NULL options are the defaults. The caller owns `*json`.
 * Any thread.
 */
litz_status litz_cache_describe(const struct litz_options *o,
                                struct litz_string **json,
                                struct litz_error **err);

/**
 * Removes the least recently used entries of the cache on disk that these options name until the others take `max_bytes` at most;
 * 0 removes all. `*json` says which were removed: `folder`, `bytes`, and `removed`, a list as the entries of
 * `litz_cache_describe`. NULL options are the defaults. The caller owns `*json`. Any thread, also while other processes use
 * the cache.
 */
litz_status litz_cache_prune(const struct litz_options *o,
                             uint64_t max_bytes,
                             struct litz_string **json,
                             struct litz_error **err);

/**
 * Copies options: values, log and trace callbacks, registry. Cancelling the compilations of one does nothing to those of
 * the other. The caller owns `*out`.
 */
litz_status litz_options_clone(const struct litz_options *o,
                               struct litz_options **out,
                               struct litz_error **err);

/**
 * The values that a mode gives other keys, as a JSON object. A key that is set itself keeps its value. `dynamic` is 1 for
 * programs whose sizes change between runs and 0 for others; the values are the same for both. The caller owns `*json`. Any
 * thread.
 */
litz_status litz_mode_options(const char *mode,
                              int32_t dynamic,
                              struct litz_string **json,
                              struct litz_error **err);

/**
 * The backends without any of the `n` tags, as a JSON list of `name`, `tags`, `available` and `why_not` (null where it is
 * available). Looks for compilers, drivers and libraries, which takes up to a second. `exclude_tags` may be NULL where `n` is
 * 0. The caller owns `*json`. Any thread.
 */
litz_status litz_backends(const char *const *exclude_tags,
                          size_t n,
                          struct litz_string **json,
                          struct litz_error **err);

/**
 * Ends the compilations that were begun with these options and are in progress: they give `LITZ_ERROR_CANCELLED`, and the
 * compilers that they started are stopped. Later ones are as ever. Any thread, also while others compile with the options.
 */
litz_status litz_options_cancel(const struct litz_options *o,
                                struct litz_error **err);

/**
 * Sends log messages up to `level` (0 errors, 1 warnings, 2 information, 3 debugging) to `fn`, with `context`. Both
 * must stay valid until the options, and graphs and executables made with them, are released; `fn` may be called on any thread
 * and must not unwind. A NULL `fn` takes the callback away.
 */
litz_status litz_options_set_log(struct litz_options *o,
                                 int32_t level,
                                 litz_log_fn fn,
                                 void *context,
                                 struct litz_error **err);

/**
 * Sets a trace callback. Every event of a compilation with these options, and of the runs of the resulting executable, is
 * passed to `fn` with `context`, as one line of JSON with the ids of the compilation, graph and kernel. `fn` and `context`
 * must stay valid until the options and all executables compiled with them are released. `fn` may be called on any thread and
 * must not unwind. A NULL `fn` removes the callback.
 */
litz_status litz_options_set_trace(struct litz_options *o,
                                   litz_trace_fn fn,
                                   void *context,
                                   struct litz_error **err);

/**
 * Every option as a JSON list of `key`, `type`, `default` and `meaning`. The caller owns `*json`. Any thread.
 */
litz_status litz_options_list(struct litz_string **json, struct litz_error **err);

/**
 * Frees options; NULL is accepted. Graphs and executables made with them live on.
 */
void litz_options_release(struct litz_options *o);

/**
 * Makes an empty graph. `o` is nullable. The caller owns `*out`.
 */
litz_status litz_graph_new(const char *name,
                           const struct litz_options *o,
                           struct litz_graph **out,
                           struct litz_error **err);

/**
 * Copies a graph; constants' data is shared. Values of the original are not values of the copy: find them by name.
 * A failed graph gives its failure. The caller owns `*out`.
 */
litz_status litz_graph_clone(const struct litz_graph *g,
                             struct litz_graph **out,
                             struct litz_error **err);

/**
 * Declares a size that is known at run time only, from `min` to `max` (below 0: no bound). `hint` is a typical value
 * (below 0: none). Give the value as `symbols` of an input's spec, or wherever an operator takes an integer.
 */
litz_status litz_graph_symbol(struct litz_graph *g,
                              const char *name,
                              int64_t min,
                              int64_t max,
                              int64_t hint,
                              litz_value *out,
                              struct litz_error **err);

/**
 * Adds an input that is a number given at run time as a 0-d host tensor: int64, bool or float64. Integers and bools
 * may stand wherever a symbol may; `min` and `max` bound integers (`max` below 0: no bound).
 */
litz_status litz_graph_scalar_input(struct litz_graph *g,
                                    const char *name,
                                    int32_t dtype,
                                    int64_t min,
                                    int64_t max,
                                    litz_value *out,
                                    struct litz_error **err);

/**
 * Adds a tensor input. Inputs are given to a run in the order they were added.
 */
litz_status litz_graph_input(struct litz_graph *g,
                             const char *name,
                             const struct litz_tensor_spec *spec,
                             litz_value *out,
                             struct litz_error **err);

/**
 * Adds a parameter, buffer or constant (`kind`: `LITZ_CONSTANT_…`) with its data, which lies in host memory. The
 * data is copied, unless `flags` has `LITZ_CONSTANT_BORROW`: then it must be contiguous, and stay alive and unchanged
 * until the graph and every executable made from it are released. The strides of `data` decide how results are laid out, as
 * in PyTorch.
 */
litz_status litz_graph_constant(struct litz_graph *g,
                                const char *name,
                                int32_t kind,
                                int32_t flags,
                                const DLTensor *data,
                                litz_value *out,
                                struct litz_error **err);

/**
 * Adds an output; outputs are given by a run in the order they were added. A symbol becomes a 0-d int64 tensor.
 */
litz_status litz_graph_output(struct litz_graph *g,
                              const char *name,
                              litz_value v,
                              struct litz_error **err);

/**
 * The first failure of a call that was made with `err` NULL; such a failure makes every later call on the graph fail
 * with it. `LITZ_OK` when there was none.
 */
litz_status litz_graph_status(const struct litz_graph *g,
                              struct litz_error **err);

/**
 * Finds an input, a parameter, a buffer, an output or a symbol by its name, looked for in this order.
 */
litz_status litz_graph_find(const struct litz_graph *g,
                            const char *name,
                            litz_value *out,
                            struct litz_error **err);

/**
 * Describes a value as JSON: for a tensor `dtype`, `shape`, `strides` and `producer`; for a symbol `symbol`,
 * `min`, `max`. Sizes are numbers where known, otherwise expressions as strings. The caller owns `*json`.
 */
litz_status litz_graph_value_describe(const struct litz_graph *g,
                                      litz_value v,
                                      struct litz_string **json,
                                      struct litz_error **err);

/**
 * Describes a graph as a JSON object: `name`; `inputs`, `outputs` and `constants`, each with name, dtype and shape; `symbols`
 * with their ranges; `operators`, the count of each by name; `gradients`, the tensors that a backward graph gives; `writes`,
 * the inputs and constants that a run changes; and `signature`, an object of `inputs` and `outputs`, each a list with the
 * path, name, kind and value of every argument or result. Sizes are numbers, or strings where they depend on symbols. The
 * caller owns `*json`.
 */
litz_status litz_graph_describe(const struct litz_graph *g,
                                struct litz_string **json,
                                struct litz_error **err);

/**
 * Frees a graph; NULL is accepted. Executables made from it live on.
 */
void litz_graph_release(struct litz_graph *g);

/**
 * Adds an operator: "aten.add.Tensor" (".default" may be left out; "aten.add_.Tensor" writes to its first argument),
 * or "sym.mul" and the like on symbols (add, sub, mul, floordiv, mod, min, max, neg, eq, lt, …, with one symbol as
 * result). Positional arguments come first; arguments that are left out have the schema's default. The results are written to
 * `outs`; where they are more than `outs_capacity` nothing is added, `*n_outs` is the count needed and the call gives
 * `LITZ_ERROR_CAPACITY`, which never leaves the graph failed. `outs` may be NULL when `outs_capacity` is 0. An operator
 * that is not known is `LITZ_ERROR_UNSUPPORTED` and the message names the nearest ones. "aten.chunk" of a size that only a
 * run knows gives as many parts as it is asked for; a run whose size makes another number of them is `LITZ_ERROR_SHAPE`.
 */
litz_status litz_graph_call(struct litz_graph *g,
                            const char *op,
                            const struct litz_arg *args,
                            size_t n_args,
                            litz_value *outs,
                            size_t outs_capacity,
                            size_t *n_outs,
                            struct litz_error **err);

/**
 * The graph's nodes, in the order in which they run. Where they are more than `capacity`, `*n_nodes` is the count needed and
 * the call gives `LITZ_ERROR_CAPACITY`. `nodes` may be NULL when `capacity` is 0. One thread at a time.
 */
litz_status litz_graph_nodes(const struct litz_graph *g,
                             litz_node *nodes,
                             size_t capacity,
                             size_t *n_nodes,
                             struct litz_error **err);

/**
 * The tensors that the graph takes, gives or writes, in order; `what` is `LITZ_INFO_INPUT`, `…_OUTPUT` (0 for an
 * output that is a number), `…_CONSTANT`, or `…_WRITE`: the new contents of inputs and constants, in the order of `writes`
 * in `litz_graph_describe`. Where they are more than `capacity`, `*n_values` is the count needed and the call gives
 * `LITZ_ERROR_CAPACITY`. `values` may be NULL when `capacity` is 0. One thread at a time.
 */
litz_status litz_graph_values(const struct litz_graph *g,
                              int32_t what,
                              litz_value *values,
                              size_t capacity,
                              size_t *n_values,
                              struct litz_error **err);

/**
 * Describes a node: its operator, arguments and results. Set `out->struct_size` first. The pointers written belong to the
 * graph: see `litz_node_info`. Graphs among the arguments are those that the node runs; `litz_graph_clone` copies one to
 * edit it. One thread at a time.
 */
litz_status litz_graph_node_info(const struct litz_graph *g,
                                 litz_node n,
                                 struct litz_node_info *out,
                                 struct litz_error **err);

/**
 * Describes a node as JSON: `operator`, `arguments` (`name`, `value` as in the graph's text), `results` (`value`, `dtype`,
 * `shape`, `strides`, and `users`: the nodes, and the outputs by name, that use it). The caller owns `*json`. One thread at
 * a time.
 */
litz_status litz_graph_node_describe(const struct litz_graph *g,
                                     litz_node n,
                                     struct litz_string **json,
                                     struct litz_error **err);

/**
 * The node that makes a tensor, and which of its results that is; `*out` is 0, and `*result` the place among inputs or
 * constants, where no node does. One thread at a time.
 */
litz_status litz_graph_producer(const struct litz_graph *g,
                                litz_value v,
                                litz_node *out,
                                size_t *result,
                                struct litz_error **err);

/**
 * The nodes that use a tensor, each once and in the order in which they run. Where they are more than `capacity`,
 * `*n_nodes` is the count needed and the call gives `LITZ_ERROR_CAPACITY`. `nodes` may be NULL when `capacity` is 0. One
 * thread at a time.
 */
litz_status litz_graph_users(const struct litz_graph *g,
                             litz_value v,
                             litz_node *nodes,
                             size_t capacity,
                             size_t *n_nodes,
                             struct litz_error **err);

/**
 * Calls from now on put their nodes in front of node `n`, in the order of the calls; `n` 0: at the end of the graph, as it is
 * at first. A call that uses a value made behind that place fails. One thread at a time.
 */
litz_status litz_graph_insert_before(struct litz_graph *g,
                                     litz_node n,
                                     struct litz_error **err);

/**
 * Calls from now on put their nodes behind node `n`, in the order of the calls; `n` 0: at the start of the graph. One thread
 * at a time.
 */
litz_status litz_graph_insert_after(struct litz_graph *g,
                                    litz_node n,
                                    struct litz_error **err);

/**
 * Replaces every use of the tensor `old_value` by `new_value`: in nodes, outputs and write-backs. Nodes that `new_value`
 * itself is computed from keep `old_value`. Where dtype or sizes differ, the results that depend on them are inferred again;
 * if an operator does not take the new ones, the call fails and changes nothing. `new_value` must be defined before the first
 * node that uses `old_value`: see `litz_graph_insert_after`. One thread at a time.
 */
litz_status litz_graph_replace(struct litz_graph *g,
                               litz_value old_value,
                               litz_value new_value,
                               struct litz_error **err);

/**
 * Takes a node out of the graph. Its results must have no users. The handles of the node and its results
 * are invalid afterwards. If it was the place of insertion, the next node takes its place. One thread at a time.
 */
litz_status litz_graph_erase(struct litz_graph *g,
                             litz_node n,
                             struct litz_error **err);

/**
 * Marks nodes to run unfused, one operator at a time: no kernel computes a marked node together with another node. Results may
 * differ from those of the fused program by rounding. The mark extends to the nodes of graphs that a marked node runs, to its
 * decomposition and to its gradient. Views have no kernel. The graph's text keeps the mark. Nothing is marked where one of the
 * nodes is wrong; `nodes` may be NULL when `n_nodes` is 0. One thread at a time.
 */
litz_status litz_graph_disable_fusion(struct litz_graph *g,
                                      const litz_node *nodes,
                                      size_t n_nodes,
                                      struct litz_error **err);

/**
 * Checks a graph: every value is made before it is used, arguments fit their operators' schemas, and dtypes and sizes are
 * those that the operators give. The message names the first node that is wrong. One thread at a time.
 */
litz_status litz_graph_lint(const struct litz_graph *g,
                            struct litz_error **err);

/**
 * Loads an exported program (`.pt2`) from a file, which is mapped and must not change until the graph and every
 * executable made from it are released. `o` is nullable. The caller owns `*out`.
 */
litz_status litz_graph_from_pt2(const char *path,
                                const struct litz_options *o,
                                struct litz_graph **out,
                                struct litz_error **err);

/**
 * [`litz_graph_from_pt2`] from memory, which is not needed any more after the call.
 */
litz_status litz_graph_from_pt2_memory(const void *data,
                                       size_t size,
                                       const struct litz_options *o,
                                       struct litz_graph **out,
                                       struct litz_error **err);

/**
 * Loads an ONNX model from a file: opsets 13 to 28 of ONNX's operators, operators of `com.microsoft` that exporters write,
 * and functions. The file and those that it names for its weights are mapped and must not change until the graph and every
 * executable made from it are released; a name that leads out of the model's folder is `LITZ_ERROR_PARSE`. Inputs and
 * outputs have the model's names, named sizes are symbols, and initializers that operators use are constants: those of
 * floats are parameters. Elements of 2 and 4 bits, and floats of 8 and 4 bits, take a byte each, int8 or uint8. An operator
 * that is not supported is `LITZ_ERROR_UNSUPPORTED`, and the message has its name, opset and node. `o` is nullable. The
 * caller owns `*out`.
 */
litz_status litz_graph_from_onnx(const char *path,
                                 const struct litz_options *o,
                                 struct litz_graph **out,
                                 struct litz_error **err);

/**
 * [`litz_graph_from_onnx`] from memory, which is not needed any more after the call. Files that the model names for its
 * weights are looked for in `folder`; with NULL, a model that names any is `LITZ_ERROR_UNSUPPORTED`.
 */
litz_status litz_graph_from_onnx_memory(const void *data,
                                        size_t size,
                                        const char *folder,
                                        const struct litz_options *o,
                                        struct litz_graph **out,
                                        struct litz_error **err);

/**
 * Reads an ExportedProgram's JSON, or its graph_module part alone, of `size` bytes, without weights: parameters,
 * buffers and constants become inputs. `o` is nullable. The caller owns `*out`.
 */
litz_status litz_graph_from_export_json(const char *json,
                                        size_t size,
                                        const struct litz_options *o,
                                        struct litz_graph **out,
                                        struct litz_error **err);

/**
 * Writes the graph as the JSON of an ExportedProgram, weights left out: PyTorch's export schema, which
 * `litz_graph_from_export_json` reads and PyTorch's `torch._export.serde` too. Graphs that the schema cannot hold are
 * `LITZ_ERROR_UNSUPPORTED`: functions of floats such as `exp` in sizes, storages that are used apart from their views,
 * numbers as operands of graphs that nodes run, operators that data-dependent ones became. The caller owns `*json`. One
 * thread at a time.
 */
litz_status litz_graph_to_export_json(const struct litz_graph *g,
                                      struct litz_string **json,
                                      struct litz_error **err);

/**
 * Reads Litz text, as `litz_graph_to_text` writes it, of `size` bytes. `LITZ_ERROR_PARSE` names line and column. `o`
 * is nullable. The caller owns `*out`.
 */
litz_status litz_graph_from_text(const char *text,
                                 size_t size,
                                 const struct litz_options *o,
                                 struct litz_graph **out,
                                 struct litz_error **err);

/**
 * Writes the graph as Litz text, constants with their data. The caller owns `*out`.
 */
litz_status litz_graph_to_text(const struct litz_graph *g, struct litz_string **out, struct litz_error **err);

/**
 * Opens a file of weights: safetensors, the index of several such files (`….safetensors.index.json`), or GGUF of versions 2 and
 * 3. Files are mapped, and must not change until `*out`, every graph that has weights of it and every executable made from those
 * are released. The caller owns `*out`.
 */
litz_status litz_weights_open(const char *path,
                              struct litz_weights **out,
                              struct litz_error **err);

/**
 * What a file of weights holds, as JSON: `metadata`, the file's own keys and values, and `tensors`, a list with `name`, `format` (a
 * dtype, or the name of GGUF's block format), `dtype` (that of the value in a graph; null for formats that are not read), `shape`
 * and `bytes`. The caller owns `*json`. Any thread, unless another one adds aliases.
 */
litz_status litz_weights_describe(const struct litz_weights *w,
                                  struct litz_string **json,
                                  struct litz_error **err);

/**
 * Gives a tensor another name, too: that of a program's parameter, where the file names it otherwise, or where the file holds a
 * shared one once. One thread at a time.
 */
litz_status litz_weights_alias(struct litz_weights *w,
                               const char *tensor,
                               const char *name,
                               struct litz_error **err);

/**
 * Releases a file of weights; NULL is accepted. Graphs and executables keep the tensors that they use.
 */
void litz_weights_release(struct litz_weights *w);

/**
 * Adds a tensor of a file of weights as a parameter, buffer or constant (`kind`: `LITZ_CONSTANT_…`) called `name`; with NULL it has
 * the tensor's name. The data stay in the file. `*out` is the tensor, of the file's dtype. Of GGUF's block formats the constant is
 * the blocks, uint8 of shape `[…, blocks, bytes of a block]`, and `*out` is what unpacks them, float32 of the tensor's shape.
 */
litz_status litz_graph_weight(struct litz_graph *g,
                              const struct litz_weights *w,
                              const char *tensor,
                              const char *name,
                              int32_t kind,
                              litz_value *out,
                              struct litz_error **err);

/**
 * [`litz_graph_from_export_json`] with weights: parameters, buffers and constants are tensors of `w` by their exported names, and
 * floats are converted to the program's dtype. Parameters and persistent buffers that `w` lacks are an error that names them all;
 * other buffers and constants that it lacks are inputs. `o` is nullable. The caller owns `*out`.
 */
litz_status litz_graph_from_export_json_with_weights(const char *json,
                                                     size_t size,
                                                     const struct litz_weights *w,
                                                     const struct litz_options *o,
                                                     struct litz_graph **out,
                                                     struct litz_error **err);

/**
 * Compiles a graph. `o` is nullable. The graph is not changed and may be released. The caller owns `*out`.
 */
litz_status litz_compile(const struct litz_graph *g,
                         const struct litz_options *o,
                         struct litz_executable **out,
                         struct litz_error **err);

/**
 * Compiles a graph with example inputs. `n` is the graph's number of inputs. `examples` are tensors like those of later runs:
 * their sizes become the hints of the graph's symbols, and autotuning times runs on their data. The program runs once on
 * copies of them before the call returns; neither they nor the constants change. NULL: no examples. As in a run,
 * `examples[k]` may be NULL where the program does not use the input. `static_inputs[k]` is 1
 * for an input whose address stays the same between runs (CUDA graphs), as in the run options; NULL: none. Otherwise as
 * `litz_compile`.
 */
litz_status litz_compile_with(const struct litz_graph *g,
                              const struct litz_options *o,
                              const DLTensor *const *examples,
                              size_t n,
                              const uint8_t *static_inputs,
                              struct litz_executable **out,
                              struct litz_error **err);

/**
 * Compiles a graph to an artifact, a `.so` that `litz_executable_open` and `litz/artifact.h` read. Where `path` is a
 * folder the file is named by its content there; a log line of level 2 says which it is, and `litz_executable_describe` of
 * the folder, opened, has its `path`. `o` is nullable.
 */
litz_status litz_compile_artifact(const struct litz_graph *g,
                                  const struct litz_options *o,
                                  const char *path,
                                  struct litz_error **err);

/**
 * Writes an artifact of the compiled program, with the constants as they are now. A program that was opened in memory and dropped
 * constants which its artifact holds (`freeze`, for several instruction sets) is `LITZ_ERROR_STATE`. Any thread.
 */
litz_status litz_executable_save(const struct litz_executable *e,
                                 const char *path,
                                 struct litz_error **err);

/**
 * Opens an artifact. Its magic, version, target and hash are checked before its code is loaded. Loading runs its code, so
 * open only files that you trust. Options that act when a program is compiled change nothing here; the log says which they
 * are. `o` is nullable. The caller owns `*out`. Any thread.
 */
litz_status litz_executable_open(const char *path,
                                 const struct litz_options *o,
                                 struct litz_executable **out,
                                 struct litz_error **err);

/**
 * Opens an artifact that lies in memory. `data` is not needed after the call. As `litz_executable_open` otherwise.
 */
litz_status litz_executable_open_memory(const void *data,
                                        size_t size,
                                        const struct litz_options *o,
                                        struct litz_executable **out,
                                        struct litz_error **err);

/**
 * Ends the runs of this executable that are in progress on other threads: they give `LITZ_ERROR_CANCELLED`, and constants
 * and inputs are as they were before them. A run that has begun to write to constants or inputs goes on to its end. On the CPU a
 * kernel ends between two pieces of its work; a GPU's kernels that are launched finish. Later runs are as ever. Any thread.
 */
litz_status litz_executable_cancel(const struct litz_executable *e,
                                   struct litz_error **err);

/**
 * Makes another instance: it shares code and constants that no run changes, and has its own mutable state, which
 * begins as the original's is now. The caller owns `*out`. Any thread.
 */
litz_status litz_executable_clone(const struct litz_executable *e,
                                  struct litz_executable **out,
                                  struct litz_error **err);

/**
 * Describes the executable as JSON: `backend`, `target`, `inputs`, `outputs`, `constants`, `symbols`, `kernels`,
 * `arena_bytes`, `compile_seconds`, `artifact`, `needs`, `fallbacks`. The caller owns `*json`. Any thread.
 */
litz_status litz_executable_describe(const struct litz_executable *e,
                                     struct litz_string **json,
                                     struct litz_error **err);

/**
 * Takes one more reference and gives the same handle; NULL for NULL. Any thread.
 */
struct litz_executable *litz_executable_retain(struct litz_executable *e);

/**
 * How many inputs a run takes; 0 for NULL. Any thread.
 */
size_t litz_executable_num_inputs(const struct litz_executable *e);

/**
 * How many outputs a run gives; 0 for NULL. Any thread.
 */
size_t litz_executable_num_outputs(const struct litz_executable *e);

/**
 * How many parameters, buffers and constants the program has; 0 for NULL. Any thread.
 */
size_t litz_executable_num_constants(const struct litz_executable *e);

/**
 * Describes input, output or constant number `k` (`what`: `LITZ_INFO_…`). Set `out->struct_size` first: members behind that
 * size are not written. The pointers written belong to the executable. Any thread.
 */
litz_status litz_executable_info(const struct litz_executable *e,
                                 int32_t what,
                                 size_t k,
                                 struct litz_tensor_info *out,
                                 struct litz_error **err);

/**
 * Infers the outputs of a run on these inputs: writes dtype, ndim and device of each output, and the sizes and strides into
 * the caller's `shape` and `strides` arrays, which have room for the ndim that `litz_executable_info` tells. A size
 * that depends on data gets its bound, -1 where there is none. Any thread.
 */
litz_status litz_executable_infer_outputs(const struct litz_executable *e,
                                          const DLTensor *const *inputs,
                                          size_t n_inputs,
                                          DLTensor *outputs,
                                          size_t n_outputs,
                                          struct litz_error **err);

/**
 * Runs once; an input that describe calls `optional` may be NULL. Litz allocates the outputs, and each `outputs[k]` is the
 * caller's to free with litz_tensor_release or its own deleter. Outputs may outlive the executable. A mutated input is
 * mutated in the caller's memory; other inputs of its dtype may share it, and then see the writes, as in PyTorch: such runs
 * go through copies, and the first one compiles the program for them. An artifact for the CPU holds it. `ro` is nullable. Any
 * number of threads at once.
 */
litz_status litz_executable_run(const struct litz_executable *e,
                                const DLTensor *const *inputs,
                                size_t n_inputs,
                                struct DLManagedTensorVersioned **outputs,
                                size_t n_outputs,
                                const struct litz_run_options *ro,
                                struct litz_error **err);

/**
 * Runs once into outputs that the caller allocated, of the sizes that `litz_executable_infer_outputs` tells and with
 * any strides; they must not overlap inputs, unless they are the same mutated input. `ro` is nullable. Any number of
 * threads at once.
 */
litz_status litz_executable_run_into(const struct litz_executable *e,
                                     const DLTensor *const *inputs,
                                     size_t n_inputs,
                                     const DLTensor *const *outputs,
                                     size_t n_outputs,
                                     const struct litz_run_options *ro,
                                     struct litz_error **err);

/**
 * Frees a tensor that a run or [`litz_executable_constant`] gave, or any other tensor of DLPack's, by its own deleter: for
 * bindings that would rather call a function than a member of a struct. NULL is accepted, and a tensor without a deleter
 * has nothing to free. Any thread.
 */
void litz_tensor_release(struct DLManagedTensorVersioned *t);

/**
 * Copies a constant's value as it is now, by its name or an alias. `*out` is the caller's to free with
 * litz_tensor_release or its deleter.
 * Any thread; waits for runs that change it.
 */
litz_status litz_executable_constant(const struct litz_executable *e,
                                     const char *name,
                                     struct DLManagedTensorVersioned **out,
                                     struct litz_error **err);

/**
 * Replaces `n` constants by name, all or none. Waits for runs in flight; later runs see all of them. One that the program does
 * not use is checked and not kept; one that was frozen (option `freeze`) is `LITZ_ERROR_STATE`. Any thread.
 */
litz_status litz_executable_update_constants(struct litz_executable *e,
                                             const char *const *names,
                                             const DLTensor *const *data,
                                             size_t n,
                                             struct litz_error **err);

/**
 * Writes every parameter and buffer as they are now to a safetensors file, beside it first and then renamed. Any
 * thread.
 */
litz_status litz_executable_save_constants(const struct litz_executable *e,
                                           const char *path,
                                           struct litz_error **err);

/**
 * Replaces parameters and buffers by those of a safetensors file, all or nothing. Any thread.
 */
litz_status litz_executable_load_constants(struct litz_executable *e,
                                           const char *path,
                                           struct litz_error **err);

/**
 * Writes a checkpoint: a safetensors file of every parameter and buffer as they are now, an optimizer's state and its count of
 * steps among them, under PyTorch's names, with the seed and the offset that the next run is given. It is written beside `path` and
 * renamed, so a process that is killed meanwhile leaves the checkpoint before. Any thread.
 */
litz_status litz_executable_save_checkpoint(const struct litz_executable *e,
                                            const char *path,
                                            uint64_t seed,
                                            uint64_t offset,
                                            struct litz_error **err);

/**
 * Replaces parameters and buffers by those of a checkpoint, all or nothing, and writes the seed and the offset that it holds. The
 * file and the program must have the same parameters and buffers, by name, dtype and shape; the error names the first that
 * differs. Any thread.
 */
litz_status litz_executable_load_checkpoint(struct litz_executable *e,
                                            const char *path,
                                            uint64_t *seed,
                                            uint64_t *offset,
                                            struct litz_error **err);

/**
 * Waits for asynchronous runs, and gives the first failure of one that nobody was told of. Any thread.
 */
litz_status litz_executable_synchronize(const struct litz_executable *e, struct litz_error **err);

/**
 * Gives a reference back; with the last one the executable is freed. NULL is accepted. Outputs live on.
 */
void litz_executable_release(struct litz_executable *e);

/**
 * Appends the gradients of `outputs` with respect to the tensors `wrt`, and writes them to `grads` (`n_wrt` of them), each with
 * the dtype and sizes of its tensor; 0 where no output depends on the tensor. `cotangents` weigh the outputs: each has the dtype and
 * sizes of its output, and 0 leaves an output out; they are values of this graph. NULL as `cotangents` asks for one
 * output of one element, weighted by 1. What is appended are operators like others: calling this again gives second derivatives. A
 * graph with in-place operators is made functional first: its values stay valid and mean what they show in the end, its
 * nodes (`litz_node`) do not. An operator without a derivative is `LITZ_ERROR_UNSUPPORTED` by name, and the graph stays as it was. One
 * thread at a time.
 */
litz_status litz_graph_differentiate(struct litz_graph *g,
                                     const litz_value *outputs,
                                     const litz_value *cotangents,
                                     size_t n_outputs,
                                     const litz_value *wrt,
                                     size_t n_wrt,
                                     litz_value *grads,
                                     struct litz_error **err);

/**
 * Appends the derivatives of `outputs` along a direction (forward mode, a Jacobian-vector product): the tensors `wrt` move along
 * `tangents`. Writes `n_outputs` values to `derivatives`, each with the dtype and sizes of its output, or 0 where the output does not
 * depend on a tensor that moves. A tangent is a value of this graph with the dtype and sizes of its tensor; 0 is a tangent of zeros.
 * The rules are those of `litz_graph_differentiate`, and the operators that they append can be differentiated again: a Hessian-vector
 * product is the derivative of a gradient. A graph with in-place operators is made functional first, as there. An operator whose gradient has no
 * derivative is `LITZ_ERROR_UNSUPPORTED` by name, and the graph stays as it was. One thread at a time.
 */
litz_status litz_graph_differentiate_forward(struct litz_graph *g,
                                             const litz_value *outputs,
                                             size_t n_outputs,
                                             const litz_value *wrt,
                                             const litz_value *tangents,
                                             size_t n_wrt,
                                             litz_value *derivatives,
                                             struct litz_error **err);

/**
 * Appends one step of an optimizer: `n` parameters are updated in place by their gradients when the graph runs. `kind` is "sgd",
 * "adam", "adamw", "adagrad", "rmsprop", "adafactor", "muon" or "lion". `hyper` names hyper-parameters as PyTorch does (lr, beta1, beta2, eps,
 * weight_decay, momentum, …), each a number, a bool, or a 0-d float of this graph, so that a schedule needs no other program; the others have
 * PyTorch's usual values. State becomes buffers of the graph, named "<parameter>.exp_avg" and the like, and one int64 "optimizer.step". With
 * `master_weights`, a parameter of 16 bits has a float32 copy "<parameter>.master". A parameter whose gradient is 0 is skipped.
 *
 * Before the updates all gradients are, in this order: divided by `loss_scale`; added up over `accumulate` runs, the last of which
 * updates ("<parameter>.grad"); clipped as by `clip_grad_norm_` to the norm `clip_grad_norm`; clipped to +-`clip_grad_value`. With
 * `loss_scale` or `skip_nonfinite`, a step with a gradient that is NaN or infinite changes no parameter and no optimizer state but the
 * int64 "optimizer.skipped". With `ema_decay`, "<parameter>.ema" is the exponential moving average of the parameter, which begins as
 * its value after the first step. Each of these is off by default. `accumulate` and the flags are numbers, not graph values.
 *
 * On failure the graph stays as it was. One thread at a time.
 */
litz_status litz_graph_optimizer_step(struct litz_graph *g,
                                      const char *kind,
                                      const litz_value *params,
                                      const litz_value *grads,
                                      size_t n,
                                      const struct litz_arg *hyper,
                                      size_t n_hyper,
                                      struct litz_error **err);

/**
 * The joint graph of a program: its outputs and, from cotangents, the gradients of its floating inputs and parameters, as a graph that can
 * be changed and compiled like any other. The last inputs are cotangents, one for each floating output, and the last outputs gradients. The metadata `joint`
 * of its signature is JSON: `inputs` and `outputs`, how many are the program's own; `cotangents`; `gradients`, each with what it is `of` and its `output`, null
 * where nothing depends on it; `mutations`, what running the program writes to; `aliases`, outputs that share memory. `o` is nullable. An
 * operator without a derivative is `LITZ_ERROR_UNSUPPORTED` by name. `g` is not changed. The caller owns `*out`.
 */
litz_status litz_graph_export_joint(const struct litz_graph *g,
                                    const struct litz_options *o,
                                    struct litz_graph **out,
                                    struct litz_error **err);

/**
 * Compiles a graph for training. The forward gives the outputs and keeps what the gradients need. The backward gives a gradient for
 * every floating input and parameter, in the order of `gradients` in `litz_graph_describe`. Both share one copy of parameters and
 * buffers. `o` is nullable. An operator without a derivative is `LITZ_ERROR_UNSUPPORTED` by name. The
 * graph is not changed and may be released. The caller owns `*out`.
 */
litz_status litz_compile_training(const struct litz_graph *g,
                                  const struct litz_options *o,
                                  struct litz_training **out,
                                  struct litz_error **err);

/**
 * Describes a training program as a JSON object. `forward` and `backward` describe the two programs as `litz_executable_describe`
 * does; `backward` is null until it is compiled. `saved` lists the values that a forward keeps. `partition` says how they were
 * chosen: `saved_bytes`, `computed_again` (how many operators run in both programs) and, with a budget, `budget` (`bytes`, `met`, `peak_bytes`). `gradients` lists
 * the names of the gradients in order. The caller owns `*json`. Any thread.
 */
litz_status litz_training_describe(const struct litz_training *t,
                                   struct litz_string **json,
                                   struct litz_error **err);

/**
 * Describes input, output, constant or gradient number `k` (`what`: `LITZ_INFO_…`), as `litz_executable_info`. A gradient has the
 * strides of its input or parameter if that is dense, and is contiguous otherwise. `strides` is NULL if there is no such gradient.
 * Any thread.
 */
litz_status litz_training_info(const struct litz_training *t,
                               int32_t what,
                               size_t k,
                               struct litz_tensor_info *out,
                               struct litz_error **err);

/**
 * A copy of a parameter or buffer as it is now, in host memory. The caller owns `*out`. Any thread.
 */
litz_status litz_training_constant(const struct litz_training *t,
                                   const char *name,
                                   struct DLManagedTensorVersioned **out,
                                   struct litz_error **err);

/**
 * Replaces the data of `n` parameters and buffers by copies of `data`, all or none. `LITZ_ERROR_STATE` while the backward of a
 * forward is still to read one of them: until it has run, or its `litz_saved` is released. Any thread.
 */
litz_status litz_training_update_constants(struct litz_training *t,
                                           const char *const *names,
                                           const DLTensor *const *data,
                                           size_t n,
                                           struct litz_error **err);

/**
 * Runs the forward into outputs that Litz allocates, and keeps in `*saved` what its backward needs. The caller owns the outputs and
 * `*saved`. Inputs of more than 1 MiB are not copied, where sizes that a run decides count as typical: their memory stays alive and
 * unchanged until the backward has run or `*saved` is released. Inputs that the program writes to are copied, and need not stay. The
 * `DLTensor`s may go after the call. Inputs may share memory that the program writes to. A write to one is then seen in the others. An
 * element that several inputs show has its gradient in that of the last of them. The first such call compiles a program for it. `ro` is nullable; the call waits for the run, whatever its flags say. Any number of threads at once.
 */
litz_status litz_training_forward(const struct litz_training *t,
                                  const DLTensor *const *inputs,
                                  size_t n_inputs,
                                  struct DLManagedTensorVersioned **outputs,
                                  size_t n_outputs,
                                  struct litz_saved **saved,
                                  const struct litz_run_options *ro,
                                  struct litz_error **err);

/**
 * Runs the backward of a forward, once: then `saved` is spent, and another backward is `LITZ_ERROR_STATE`. `cotangents` has one for
 * each output, of its sizes and of any strides; a float of another dtype than its output's is converted to it; NULL is zero. Where
 * all are NULL, the program's only floating output has one element, and its cotangent is 1. `grads` has room for one of each name of
 * `gradients`; a gradient that does not exist is NULL. The caller owns the gradients, and `saved` still. The backward may write over
 * what is saved: one that fails after its first kernel has begun may leave `saved` spent, too, which another backward's message says. One
 * that is refused before, for its arguments or for want of memory, does not. `ro` is nullable, as for the forward. Any number of threads at once.
 */
litz_status litz_training_backward(const struct litz_training *t,
                                   struct litz_saved *saved,
                                   const DLTensor *const *cotangents,
                                   size_t n_cotangents,
                                   struct DLManagedTensorVersioned **grads,
                                   size_t n_grads,
                                   const struct litz_run_options *ro,
                                   struct litz_error **err);

/**
 * Ends the forwards and backwards of this program that are in progress on other threads, and the compilation of a first backward:
 * they give `LITZ_ERROR_CANCELLED`, and parameters, buffers and inputs are as they were. A cancelled forward keeps nothing. A
 * forward that has begun to write to buffers or inputs goes on to its end. A cancelled backward leaves `saved` to be used again
 * or, where it had written over what is saved, spent, as one that fails; its message says which. Later calls are as ever. Any thread.
 */
litz_status litz_training_cancel(const struct litz_training *t,
                                 struct litz_error **err);

/**
 * Frees what a forward kept. NULL is accepted.
 */
void litz_saved_release(struct litz_saved *s);

/**
 * Frees a training program. NULL is accepted. Outputs, gradients and what was kept live on.
 */
void litz_training_release(struct litz_training *t);

/**
 * Draws a graph: its nodes, a box around the nodes of each module, and the size of each edge's tensor. `format` is "svg"
 * (self-contained, for light and dark pages) or "dot" (Graphviz). The caller owns `*out`.
 */
litz_status litz_graph_draw(const struct litz_graph *g,
                            const char *format,
                            struct litz_string **out,
                            struct litz_error **err);

/**
 * A picture of the graph that a program was compiled from, with a box around the nodes of each kernel. Formats are those of
 * `litz_graph_draw`. An artifact holds the graph where it was written with `artifact.graph=true`; of others this is
 * `LITZ_ERROR_UNSUPPORTED`. The caller owns `*out`. Any thread.
 */
litz_status litz_executable_draw(const struct litz_executable *e,
                                 const char *format,
                                 struct litz_string **out,
                                 struct litz_error **err);

/**
 * A page of HTML about a program: its picture with the source of each kernel beside it, its kernels with their bytes,
 * operations and, where runs were profiled, times, the machine's limits, and its memory over the steps of a run. The page
 * is complete in itself. The caller owns `*html`. Any thread.
 */
litz_status litz_executable_report(const struct litz_executable *e,
                                   struct litz_string **html,
                                   struct litz_error **err);

/**
 * The graph's signature, as JSON. `inputs` and `outputs` are lists of leaves in order, each with `path`
 * (`args[0]["mask"]`, `kwargs.scale`, `output[1]`) and `kind`: `tensor` or `scalar`, which is the next input or output, with
 * `name`, `dtype`, `shape`, `strides`, and `mutated` for inputs and `alias_of` for outputs; `none`; or `fixed`, with `type`
 * and `value`. `in_tree` and `out_tree` are PyTorch's serialised trees, null where there are none; `metadata` is text by
 * name. The caller owns `*json`.
 */
litz_status litz_graph_spec(const struct litz_graph *g,
                            struct litz_string **json,
                            struct litz_error **err);

/**
 * Sets the signature of a graph that has all its inputs and outputs. The JSON is that of `litz_graph_spec`; a part that is
 * missing stays as it is. A tree alone is enough where each of its leaves is an input, or output; otherwise the list of leaves
 * says which are None or fixed. The dtypes and sizes of leaves must match the graph. The error names the first path that does
 * not.
 */
litz_status litz_graph_set_spec(struct litz_graph *g,
                                const char *json,
                                struct litz_error **err);

/**
 * Adds text to the graph under a name, or replaces it; NULL as `value` removes it. It comes back in the `metadata` of the
 * signature, of executables and artifacts too.
 */
litz_status litz_graph_set_metadata(struct litz_graph *g,
                                    const char *key,
                                    const char *value,
                                    struct litz_error **err);

/**
 * The signature of the graph that was compiled, as `litz_graph_spec` gives it. The caller owns `*json`. Any thread.
 */
litz_status litz_executable_spec(const struct litz_executable *e,
                                 struct litz_string **json,
                                 struct litz_error **err);

/**
 * Compares a caller's view of the signature with the program's: the trees, the leaves, fixed values, and whatever else the
 * JSON (as `litz_graph_spec` gives it, parts may be missing) states. A size that the program takes from its inputs fits
 * every number. The error names the first path that differs, in its detail (`path`) too. Any thread.
 */
litz_status litz_executable_check_spec(const struct litz_executable *e,
                                       const char *json,
                                       struct litz_error **err);

/**
 * Reduces a graph to a small part for which a predicate still holds, such as "fails to compile" or "differs from the
 * interpreter". Nodes are removed first, and their results become inputs; then outputs, inputs and constants are removed. The
 * predicate is called for the whole graph first, where it must hold, and then some tens of times. `context` is passed to it
 * and may be NULL. The caller owns `*out`.
 */
litz_status litz_minify(const struct litz_graph *g,
                        litz_predicate_fn still_fails,
                        void *context,
                        struct litz_graph **out,
                        struct litz_error **err);

/**
 * Makes a predicate of one of three kinds. "compile_fails": the part fails to compile with the same status and message as the
 * whole graph. "crashes": compiling or running the part ends its process by a signal, or takes more than two minutes; each
 * part is tried in a process of its own, which needs a C++ compiler. "differs": a run differs from the interpreter, compared
 * kernel by kernel as by `debug.compare`. Parts are compiled with the options; `o` is nullable. `inputs` are the `n` inputs of
 * the whole graph, or none, and then inputs are made up. Where a part has an input instead of a removed node, the input gets
 * the value that the node computes from `inputs`. Pass `litz_predicate_holds` and the predicate to `litz_minify`, once. The
 * caller owns `*out`.
 */
litz_status litz_predicate_new(const char *kind,
                               const struct litz_options *o,
                               const DLTensor *const *inputs,
                               size_t n,
                               struct litz_predicate **out,
                               struct litz_error **err);

/**
 * A `litz_predicate_fn` whose context is a `litz_predicate`. The first graph that it is asked about is the whole one.
 */
litz_status litz_predicate_holds(void *context,
                                 const struct litz_graph *g,
                                 int32_t *still_fails,
                                 struct litz_error **err);

/**
 * Frees a predicate; NULL is accepted.
 */
void litz_predicate_release(struct litz_predicate *p);

/**
 * Writes a folder with the graph, its constants, the options that were set and the inputs, and a C program that replays
 * them: `sh replay.sh` there compiles and runs it. The folder is made where it is missing, and an earlier repro in it is
 * replaced. `n` is 0, or as many inputs as the graph has, in host memory or a GPU's: they keep their strides and the
 * memory that they share. With the option `debug.repro_constants` larger constants are made of seeds. `o` is nullable.
 */
litz_status litz_graph_save_repro(const struct litz_graph *g,
                                  const struct litz_options *o,
                                  const DLTensor *const *inputs,
                                  size_t n,
                                  const char *folder,
                                  struct litz_error **err);

/**
 * The graph and the options of a folder that `litz_graph_save_repro` wrote. The caller owns both. A program that was saved with
 * operators, a backend, passes or decompositions of its host is `LITZ_ERROR_UNSUPPORTED`, and the message names them:
 * `litz_graph_from_repro_with` reads it.
 */
litz_status litz_graph_from_repro(const char *folder,
                                  struct litz_graph **g,
                                  struct litz_options **o,
                                  struct litz_error **err);

/**
 * Reads a folder as [`litz_graph_from_repro`] does, for a program that uses what its host registers. The registry must have the
 * operators that the graph calls, with the same schemas, the backend, as many passes at each point and a decomposition of each
 * operator that the saved options' registry decomposes. A registry that lacks any of them is `LITZ_ERROR_UNSUPPORTED`; the
 * message names each one that is missing. The folder's `replay.c` lists them. The options have the registry. `r` is nullable.
 */
litz_status litz_graph_from_repro_with(const char *folder,
                                       struct litz_registry *r,
                                       struct litz_graph **g,
                                       struct litz_options **o,
                                       struct litz_error **err);

/**
 * The inputs of such a folder, on the device that the options run programs on; each is the caller's to free with
 * litz_tensor_release. There is room for `capacity` of them in `inputs`, which may be NULL where that is 0; `*n` is how many
 * there are, and with too little room the call gives `LITZ_ERROR_CAPACITY`. `o` is nullable.
 */
litz_status litz_repro_inputs(const char *folder,
                              const struct litz_options *o,
                              struct DLManagedTensorVersioned **inputs,
                              size_t capacity,
                              size_t *n,
                              struct litz_error **err);

/**
 * Makes an empty registry. The caller owns `*out`.
 */
litz_status litz_registry_new(struct litz_registry **out, struct litz_error **err);

/**
 * Sets the registry of these options. A compilation uses the passes, decompositions and backends that the registry holds when
 * the compilation begins. The options, and every executable compiled with them, keep the registry alive. A NULL `r` removes
 * it. One thread at a time.
 */
litz_status litz_options_set_registry(struct litz_options *o,
                                      struct litz_registry *r,
                                      struct litz_error **err);

/**
 * Adds a pass, which runs behind those that were added before it at the same point: `pre_grad`, on the graph as it was
 * given; `joint`, on the functional graph whose composite operators are decomposed; `post_grad`, behind Litz's own passes. In a
 * training program the first is the graph before it is differentiated, the second has the gradients, and the third is each half by
 * itself.
 * It is called for the graph, and before that for each graph that a node of it runs, on the thread that compiles; a
 * program may be compiled again by a run whose inputs share memory. It may add nodes (those of `post_grad` and `joint` are
 * made functional and decomposed again) and constants, replace and erase; inputs, outputs and their types stay. The graph
 * is checked afterwards, and an error names the pass by its point and number. The graph is lent for the call;
 * `litz_is_compiling` is 1 in it. `context` must stay valid until the registry and all that was made with it are released:
 * see `litz_registry_add_cleanup`. `fn` must not unwind.
 */
litz_status litz_registry_add_pass(struct litz_registry *r,
                                   const char *point,
                                   litz_pass_fn fn,
                                   void *context,
                                   struct litz_error **err);

/**
 * Replaces every node of operator `op` ("aten.softplus"; a functional one, or one of the registry's own, which then needs nothing
 * else that computes it) by the nodes that `rule` builds. The rule gets
 * one argument for each of the schema's, in its order and with its name. The rule adds nodes to `g`, which is lent for the
 * call, and writes its `n_outs` results; all of them 0 keep the node. Results must have the dtypes and sizes of the
 * operator's. An operator that already has a decomposition in this registry is refused; one of Litz's own gives way.
 * Threads, `context` and unwinding as for litz_registry_add_pass.
 */
litz_status litz_registry_add_decomposition(struct litz_registry *r,
                                            const char *op,
                                            litz_decomposition_fn rule,
                                            void *context,
                                            struct litz_error **err);

/**
 * Adds a backend, which option `backend` then names on options that have the registry. `tags` are for `litz_registry_describe`
 * to tell. `b` is copied.
 */
litz_status litz_registry_add_backend(struct litz_registry *r,
                                      const char *name,
                                      const char *const *tags,
                                      size_t n_tags,
                                      const struct litz_backend *b,
                                      struct litz_error **err);

/**
 * Registers a function that frees the callbacks' data. `fn` is called with `context` once the registry, its options and all
 * programs compiled with them are released, on the thread that releases the last of them. `fn` must not unwind.
 */
litz_status litz_registry_add_cleanup(struct litz_registry *r,
                                      litz_release_fn fn,
                                      void *context,
                                      struct litz_error **err);

/**
 * Describes a registry as JSON: `passes` (how many at each point), `decompositions` (operators), `own_decompositions`
 * (operators that Litz decomposes by its own rules with this registry), `backends` (`name` and
 * `tags`). The caller owns `*json`. One thread at a time.
 */
litz_status litz_registry_describe(const struct litz_registry *r,
                                   struct litz_string **json,
                                   struct litz_error **err);

/**
 * Gives the registry back; NULL is accepted. Options that it was set on keep it.
 */
void litz_registry_release(struct litz_registry *r);

/**
 * Tells the type of the `k`-th result, counted among those that no argument is. `spec` is read as that of `litz_graph_input`, but
 * strides are not: results are contiguous. Only for use within a `meta` function, once for each result.
 */
litz_status litz_meta_output(struct litz_meta *outs,
                             size_t k,
                             const struct litz_tensor_spec *spec,
                             struct litz_error **err);

/**
 * Adds an operator by its schema as PyTorch writes it, `mylib::scale(Tensor x, float by=2.0) -> Tensor`: graphs made with options
 * that have the registry may call it ("mylib.scale", "mylib.scale.default"), and exported programs that call it are read.
 * `Tensor(a!)` marks what it writes; a result of the same mark is that argument. Results are tensors, or one list of them (`-> Tensor[]`), as long as
 * `meta` says. `op` is copied. A schema that is not understood, and a name that the registry has, are `LITZ_ERROR_INVALID_ARGUMENT`. One thread at a time.
 */
litz_status litz_registry_add_operator(struct litz_registry *r,
                                       const char *schema,
                                       const struct litz_operator *op,
                                       struct litz_error **err);

/**
 * Adds source text to an operator of the registry ("mylib.scale"), for `backend` "cpu" (C++; what of C is C++, too) or "cuda" (CUDA
 * C++, whose function is `__device__`). It is compiled with the kernels of programs that call the operator, and is part of their
 * artifacts, which then need no registry; functions of the operator are not called. `function` in it returns nothing and takes
 * the arguments by the schema, each tensor as a `litz_tensor`, an int or dtype as `int64_t`, a bool as `bool`, a float as `double`;
 * then each result as a `litz_tensor` to fill; then `int64_t task` and `int64_t tasks`: it is called for each task from 0 to
 * below `tasks`, by any thread, and does its share (`for (i = task; i < n; i += tasks)`). `litz_tensor` is declared for it:
 * `void *data` (contiguous), `int64_t count` of elements, `int dtype`, `int ndim`, `int64_t sizes[8]`; a tensor that is not
 * given has `data` NULL. Operators that write to arguments, or take lists or strings, take no source. Each backend's is added
 * once. One thread at a time.
 */
litz_status litz_registry_add_operator_source(struct litz_registry *r,
                                              const char *op,
                                              const char *backend,
                                              const char *source,
                                              const char *function,
                                              struct litz_error **err);

/**
 * Drops memory that only makes later calls faster: caches, idle pools and recorded CUDA graphs, and sets the
 * numbers of [`litz_counters`] to zero. Executables, graphs and outputs stay. Any thread.
 */
litz_status litz_reset(struct litz_error **err);

/**
 * Counts of the library's work in this process so far, as a JSON object of groups of numbers: `compiles` (`begun`, `failed`),
 * `kernels` (`compiled`, `from_cache`), `cache` (`hits`, `misses`, `damaged`), `autotune` (`candidates`), `artifacts`
 * (`written`, `opened`), `fallbacks` (`interpreter`) and `cuda_graphs` (`recorded`, `replayed`, `patched` among them, and runs
 * `step_by_step`). The caller owns `*json`. Any thread.
 */
litz_status litz_counters(struct litz_string **json,
                          struct litz_error **err);

/**
 * 1 on a thread that works for a compilation, as in the callbacks of one; 0 elsewhere. Any thread.
 */
int32_t litz_is_compiling(void);

/**
 * A step of the host's begins: in modes with CUDA graphs each run of a program between two marks has a graph of its own,
 * with its addresses. Outputs of earlier steps stay as they are: no replay overwrites them. Any thread.
 */
void litz_cudagraph_mark_step_begin(void);

/**
 * How many threads the process's pool has for the runs of programs that have no `cpu.threads` of their own, compiled and
 * opened ones alike: 1 to 256, or 0 for one for each CPU that the process may use, which is the default. Waits for a kernel
 * that the pool is busy with. Any thread.
 */
litz_status litz_set_threads(int32_t n,
                             struct litz_error **err);

/**
 * How much memory the library holds on a device (DLPack's type and index; the CPU is 1, 0), as JSON: `tensors` (those that
 * runs gave out and nobody has freed); and of programs, compiled and opened ones alike, `weights` (constants as they were
 * given, but for those in the host's own memory and those in files that runs never read), `packed_weights` (buffers
 * derived from constants), `arenas` (intermediate results) and `frames` (other memory of runs, and that of freed outputs which the next one takes), each with `bytes`,
 * `peak_bytes` and `blocks`. Memory that programs share counts once. For a CUDA device (2, its index), in bytes:
 * `allocated`, `cached` and `reserved` (both together), the most that `peak_allocated` and `peak_reserved` ever were, and
 * the device's `available` and `total`, 0 as long as the library has not used it; and `pinned`, the host's memory that
 * tensors are copied through (option `run.host_tensors`). The caller owns `*json`. Any thread.
 */
litz_status litz_memory_stats(int32_t device_type,
                              int32_t device_index,
                              struct litz_string **json,
                              struct litz_error **err);

/**
 * Gives unused memory that the library holds on a device back to the system; on the CPU also the memory that programs keep
 * for their next runs. Runs in progress keep theirs. Any thread.
 */
litz_status litz_memory_release(int32_t device_type,
                                int32_t device_index,
                                struct litz_error **err);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* LITZ_H */

#ifndef LITZ_RUN_TYPES
#define LITZ_RUN_TYPES
#endif
