/*
 * The executor: runs a compiled program's plan. This is its only interface; liblitz and every artifact hold it, compiled
 * from the same text: artifacts for the CPU without the GPU's part.
 *
 * Invariants:
 * - Plan bytes, kernels, contexts and constants' data given to lx_create stay valid and unchanged until every
 *   instance made from it (clones included) is destroyed.
 * - Nothing is allocated by a run that has the sizes of an earlier one.
 * - On failure a function returns a nonzero litz_status and writes a message; nothing else has changed, but for
 *   outputs, mutated inputs and mutated constants of a run that a kernel's assertion ended half-way.
 *
 * A run whose options name another GPU than the program's (device_index, where it is not 0) goes there: with constants as
 * they were when that was first asked for, or updated since.
 *
 * Deliberately absent: operators, files, environment variables, devices other than the CPU and NVIDIA's.
 */
#ifndef LITZ_EXECUTOR_H
#define LITZ_EXECUTOR_H

#include "../../include/litz/artifact.h"
#include "routines.h"

/* Runs tasks [begin, end); returns 0, or 1 + the index of an assertion's message in the plan. */
typedef int32_t (*lx_kernel_fn)(void *context, void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end,
                                void *scratch);

/* The kernels check their accesses: `scratch` points at the byte sizes (uint64_t) of `buffers` instead of memory. */
#define LX_PROGRAM_CHECKED_KERNELS 1u
/* The kernels use AMX tiles: the kernel is asked to permit them when an instance is created. */
#define LX_PROGRAM_AMX 2u

/* The kernels are functions of `cubins`, for a GPU: a step's tasks are blocks, its grain the threads of a block, its
 * scratch the bytes of dynamic shared memory. */
#define LX_PROGRAM_CUDA 4u
/* Runs are recorded as CUDA graphs and replayed. */
#define LX_PROGRAM_GRAPHS 8u
/* With graphs: a program keeps memory and graphs to itself, instead of sharing memory with those that run before and
 * after it, and keeping a graph for each of its runs in a step. */
#define LX_PROGRAM_PLAIN_GRAPHS 16u
/* That tensors lie in memory of the device, and within it, is seen at each run on a GPU. */
#define LX_PROGRAM_SIZE_ASSERTS 32u
/* When a step of a vendor's library first runs, the library's algorithms for it are timed, and the fastest is kept. */
#define LX_PROGRAM_MEASURES 256u
/* Tensors in the host's memory are copied to the GPU and back; see host_tensors.c. */
#define LX_PROGRAM_HOST_TENSORS 512u
/* Routines of Litz's own library that a library of the device has, too, are that one's where it is found. */
#define LX_PROGRAM_FACTORISES 1024u

/* The instruction sets that kernels were compiled for; see lx_cpu_supports. */
#define LX_ISA_SCALAR 0u
#define LX_ISA_AVX2 1u
#define LX_ISA_AVX512 2u

/* Which GPUs take a cubin of an architecture. */
#define LX_CUBIN_LATER 0u /* those of its generation, from it on */
#define LX_CUBIN_EXACT 1u /* its own alone: sm_90a */
#define LX_CUBIN_PTX 2u   /* all from it on: the driver compiles it */

/* GPU kernels as the driver loads them. A program holds all of its kernels for each architecture that it is for. */
typedef struct lx_cubin {
    const void *data;
    uint64_t bytes;
    uint32_t arch; /* 90 for compute capability 9.0; 0: whatever there is */
    uint32_t kind; /* LX_CUBIN_... */
} lx_cubin;

/* What a run has in hand between two steps. */
typedef struct lx_view lx_view;
/* Where a run stands, beside the numbers of steps. */
#define LX_VIEW_BEGIN (UINT32_MAX - 1)
#define LX_VIEW_END UINT32_MAX
/* Sees a run: before its first step, after each step that computes or copies, and at its end, whatever its outcome; and what is
 * derived from constants, step by step (`init`). A status that is not 0 ends the run with the message in `error`. */
typedef litz_status (*lx_observe_fn)(void *context, const lx_view *view, int32_t init, uint32_t step, char *error, size_t error_size);

/* A step that calls an operator of the host's: its words and numbers, and the memory of its operands. */
typedef struct lx_host_call {
    const uint32_t *words;
    const int64_t *values;
    void *const *operands;
    uint32_t n_words, n_values, n_operands;
    int32_t device_type, device_index; /* as DLPack numbers them */
    void *stream;                      /* of a GPU: what the work belongs on */
} lx_host_call;
typedef litz_status (*lx_host_fn)(void *context, const lx_host_call *call, char *error, size_t error_size);

typedef struct lx_program {
    const void *plan; /* 8-byte aligned */
    size_t plan_bytes;
    const lx_kernel_fn *kernels; /* one for each kernel of the plan */
    void *const *contexts;       /* nullable: the first argument of each kernel */
    const void *const *constants; /* nullable: each storage's data; otherwise they lie in `weights` as the plan says */
    const void *weights;
    uint64_t weights_bytes;
    uint32_t flags;
    uint32_t isa;
    const lx_cubin *cubins; /* LX_PROGRAM_CUDA: instead of kernels */
    uint32_t n_cubins;
    int32_t device_index;
    uint32_t most_graphs; /* how many recorded graphs are kept for each thread that runs the program; 0: a few */
    uint32_t reserved;
    /* Nullable: the file of each library, for steps that need it; otherwise what the system's loader finds. */
    const char *libraries[LX_N_LIBRARIES];
    /* Nullable: for each storage, whether its data is a file that was mapped privately and never written: pages that
     * runs do not read are given back once all that is derived from them is made, and read again when they are asked for. */
    const uint8_t *mapped;
    lx_observe_fn observe; /* nullable */
    void *observe_context;
    /* Nullable: for each step of `main` the scalars of the bytes that it moves and of its floating-point operations, for
     * profiles; UINT32_MAX: not known. */
    const uint32_t *costs;
    lx_host_fn call_host; /* nullable where no step calls an operator of the host's */
    void *host_context;
} lx_program;

/* A run, told apart from others that go on at the same time. */
uint64_t lx_view_run(const lx_view *view);
/* The bytes of a buffer of the plan. */
uint64_t lx_view_bytes(const lx_view *view, uint32_t buffer);
/* The first bytes of a buffer, once the steps so far are done, wherever it lies. */
litz_status lx_view_read(const lx_view *view, uint32_t buffer, void *to, uint64_t bytes, char *error, size_t error_size);
/* The value of a symbol of the plan; 0 where it has none yet. */
int lx_view_symbol(const lx_view *view, uint32_t symbol, int64_t *value);

/* What memory is for. */
#define LX_MEMORY_FRAMES 0u  /* tables of runs, scratch of threads, copies of tensors */
#define LX_MEMORY_ARENAS 1u  /* intermediate results */
#define LX_MEMORY_PACKED 2u  /* what is derived from constants */
#define LX_MEMORY_WEIGHTS 3u /* constants that were updated, or that runs change */
#define LX_MEMORY_KINDS 4u

/* What a step of a run took, in nanoseconds since the run began, and what it moved and computed; -1: not known. */
typedef struct lx_step_time {
    uint32_t step; /* of the plan's `main` */
    uint32_t reserved;
    int64_t begin, end;
    int64_t bytes, flop;
} lx_step_time;

typedef struct lx_run_times {
    int64_t began; /* on the monotonic clock, in nanoseconds */
    int64_t took;
    const lx_step_time *steps; /* kernels, routines and copies, in the order in which they ran */
    uint32_t n_steps;
    uint32_t whole; /* a GPU replayed the run as a graph: there are steps only where the host asked for these, too */
} lx_run_times;

typedef void (*lx_profiled_fn)(void *context, const lx_run_times *run);

/* What the host provides; every member may be 0, the executor's own then serves. */
typedef struct lx_host {
    void *context;
    void *(*allocate)(void *context, uint32_t kind, size_t bytes, size_t alignment);
    void (*release)(void *context, uint32_t kind, void *memory, size_t bytes, size_t alignment);
    litz_parallel_for_fn parallel_for;
    void *parallel_for_context;
    int32_t threads; /* how many threads a kernel's tasks are spread over, up to LX_MOST_THREADS; 0: lx_set_threads */
    int32_t profiles_graphs; /* with `profiled`: steps of runs that are replayed as graphs are timed, too */
    /* Is told of each run that ended well, by the thread that ran it; runs are then waited for, asynchronous ones too. */
    lx_profiled_fn profiled;
    void *profile_context;
} lx_host;

#define LX_MOST_THREADS 256

typedef struct lx_instance lx_instance;

typedef litz_output_fn lx_output_fn;
/* Makes output k a view of the memory of output `of`, `at` bytes from its beginning; 0: there is no memory for that. */
typedef int32_t (*lx_view_fn)(void *context, size_t k, size_t of, uint64_t at, int32_t ndim, const int64_t *shape,
                              const int64_t *strides);

litz_status lx_create(const lx_program *program, const lx_host *host, lx_instance **out, char *error, size_t error_size);
/* Its own mutable constants, holding what the original's hold now; everything else is shared. */
litz_status lx_clone(lx_instance *self, lx_instance **out, char *error, size_t error_size);
litz_status lx_infer_outputs(lx_instance *self, const DLTensor *const *inputs, size_t n_inputs, DLTensor *outputs,
                             size_t n_outputs, char *error, size_t error_size);
litz_status lx_run(lx_instance *self, const DLTensor *const *inputs, size_t n_inputs, const DLTensor *const *outputs,
                   size_t n_outputs, const litz_run_options *options, char *error, size_t error_size);
/* As lx_run, with outputs in memory that `allocate` gives once the inputs are found right. `view` is nullable: outputs that
 * are views of others are copies then. */
litz_status lx_run_allocating(lx_instance *self, const DLTensor *const *inputs, size_t n_inputs, lx_output_fn allocate,
                              lx_view_fn view, void *allocate_context, size_t n_outputs, const litz_run_options *options, char *error,
                              size_t error_size);
/* The status of a run whose inputs share memory with one that it writes to, which this program does not do. No host sees it. */
#define LX_INPUTS_SHARE_MEMORY 1000

/* A program of the same graph that takes inputs which share memory; see overlap.c. */
typedef struct lx_form {
    lx_instance *program;
    const uint32_t *bases;    /* for each of the program's inputs the number of its base, from 1 on; 0: it is in none */
    const uint32_t *storages; /* of the instance, which the form is lent */
    size_t n_storages;
} lx_form;

/* For each input the first one that it shares memory with, directly or through others; itself where there is none. Such inputs
 * must have one base in a form. */
litz_status lx_find_overlaps(lx_instance *self, const DLTensor *const *inputs, size_t n_inputs, uint32_t *groups, char *error,
                             size_t error_size);
/* Whether a run with these options would be refused for its stream. */
litz_status lx_check_stream(lx_instance *self, const litz_run_options *options, char *error, size_t error_size);
/* Copies a tensor's elements to one of the same dtype and sizes: both in the host's memory, or both on the program's device and in
 * the order of a run with these options. Finished when it returns. */
litz_status lx_copy_elements(lx_instance *self, const DLTensor *to, const DLTensor *from, const litz_run_options *options,
                             char *error, size_t error_size);
/* As lx_run and lx_run_allocating, after these gave LX_INPUTS_SHARE_MEMORY. Not asynchronous. */
litz_status lx_run_form(lx_instance *self, const lx_form *form, const DLTensor *const *inputs, size_t n_inputs,
                        const DLTensor *const *outputs, size_t n_outputs, const litz_run_options *options, char *error, size_t error_size);
litz_status lx_run_form_allocating(lx_instance *self, const lx_form *form, const DLTensor *const *inputs, size_t n_inputs,
                                   lx_output_fn allocate, lx_view_fn view, void *allocate_context, size_t n_outputs,
                                   const litz_run_options *options, char *error, size_t error_size);
/* Whether lx_run_allocating asks for memory of the host's with these inputs: for a program on the CPU, and for one that copies
 * host tensors, where none of the inputs lies on a GPU. */
int lx_gives_to_host(const lx_instance *self, const DLTensor *const *inputs, size_t n_inputs);
/* A borrowed view, valid until the next update or the instance's end. */
litz_status lx_constant(lx_instance *self, size_t k, DLTensor *view, char *error, size_t error_size);
/* Lets go of the program's data of a storage, where runs read none of it and what was derived from it holds all of its bytes:
 * 1, and the data is not needed any more, whatever is asked of the instance or of its clones. Otherwise 0. To be called
 * right after lx_create. */
int lx_let_go(lx_instance *self, size_t k);
/* The program's data of a storage is found elsewhere from now on, with the same content. To be called right after lx_create. */
void lx_move_storage(lx_instance *self, size_t k, const void *to);
/* Copies what a storage of constants holds now, while no run changes it. */
litz_status lx_copy_storage(lx_instance *self, size_t k, void *destination, uint64_t bytes, char *error,
                            size_t error_size);
/* Bytes of the derived buffer of that number among all derived buffers; 0: runs do not read it. */
uint64_t lx_derived_bytes(const lx_instance *self, size_t piece);
/* Copies a derived buffer that runs read. */
litz_status lx_copy_derived(lx_instance *self, size_t piece, void *destination, uint64_t bytes, char *error, size_t error_size);
/* Copies a constant's current value, contiguous, while no run changes it. */
litz_status lx_copy_constant(lx_instance *self, size_t k, void *destination, uint64_t bytes, char *error,
                             size_t error_size);
litz_status lx_update_constants(lx_instance *self, const char *const *names, const DLTensor *const *data, size_t n,
                                char *error, size_t error_size);
litz_status lx_synchronize(lx_instance *self, char *error, size_t error_size);
/* Runs of the instance that are in progress end with LITZ_ERROR_CANCELLED, unless they have begun to write to constants or
 * inputs: those go on to their end. Any thread. */
void lx_cancel(lx_instance *self);
/* Runs of the instance that came to their first step; runs that were refused before, for their arguments or for want of memory, are not
 * among them. Any thread. */
uint64_t lx_runs_begun(lx_instance *self);
void lx_destroy(lx_instance *self);

/* The threads of programs that have no number of their own; 0: one for each CPU of the process. Threads beyond that end.
 * Any thread; waits for a kernel in progress. */
void lx_set_threads(int32_t n);
/* Frees what instances for the CPU keep for their next runs. Any thread. */
void lx_release_frames(void);
/* That of one instance. */
void lx_release_frames_of(lx_instance *self);

/* What became of runs on a GPU. */
typedef struct lx_graph_counts {
    uint64_t recorded, replayed, patched; /* replayed: those that were patched first among them */
    uint64_t eager;                       /* runs step by step: the first of their kind, and those that `reason` tells of */
    const char *reason;                   /* why runs are not recorded; NULL: they are */
} lx_graph_counts;
void lx_graph_counts_of(lx_instance *self, lx_graph_counts *out);
/* Those of the process since it began or they were cleared; no reason. Any thread. */
void lx_graph_totals(lx_graph_counts *out);
void lx_clear_graph_totals(void);
/* Before and after the compiler calls the driver by itself: fails in the child of a fork that came after such calls. */
litz_status lx_cuda_check_fork(char *error, size_t error_size);
void lx_cuda_note_use(void);
/* A step of the host's begins: the runs of a program in a step have a graph each. */
void lx_mark_step(void);
/* Drops recorded graphs of runs that are over. */
void lx_drop_graphs(void);

/* A CUDA device's memory as Litz holds it, in bytes. */
typedef struct lx_cuda_usage {
    uint64_t allocated, cached, reserved;    /* in use; kept for later; both */
    uint64_t peak_allocated, peak_reserved;
    uint64_t available, total;               /* of the device, for everybody */
    uint64_t pinned;                         /* of the host's memory, for tensors that are copied from and to it */
} lx_cuda_usage;
litz_status lx_cuda_memory(int32_t device_index, lx_cuda_usage *out, char *error, size_t error_size);
/* Gives what is cached back to the device. */
litz_status lx_cuda_release(int32_t device_index, char *error, size_t error_size);

/* Memory of a CUDA device, in the order of a stream; NULL: the executor's own stream of the device. */
litz_status lx_cuda_allocate(int32_t device_index, uint64_t bytes, void *stream, void **out, char *error, size_t error_size);
/* Gives memory of so many bytes back. The stream must be the one that it was allocated on and be still there, or NULL. */
void lx_cuda_free(int32_t device_index, void *memory, uint64_t bytes, void *stream);
/* A copy from or to a device's memory, finished when the call returns. */
litz_status lx_cuda_copy(int32_t device_index, void *to, const void *from, uint64_t bytes, char *error, size_t error_size);

/* A program for one instruction set, as an artifact holds it. */
typedef struct lx_variant {
    const void *plan;
    uint64_t plan_bytes;
    const lx_kernel_fn *kernels;
    uint32_t n_kernels, isa;
    uint32_t flags; /* LX_PROGRAM_... */
    uint32_t reserved;
} lx_variant;

/* A variant's form for inputs that share memory (lx_form). Its constants, if it has any, lie in the artifact's weights. */
typedef struct lx_form_table {
    lx_variant program;
    const uint32_t *bases, *storages;
    uint64_t n_storages;
    const lx_cubin *cubins; /* LX_PROGRAM_CUDA: its own */
    uint64_t n_cubins;
} lx_form_table;

/* What an artifact holds, beside its weights. Written as assembly by src/runtime/artifact/assembly.rs, which names these
 * fields in the same order. */
typedef struct lx_artifact {
    uint64_t struct_size;
    const lx_variant *variants; /* the one for the least machine first */
    uint32_t n_variants;
    uint32_t external; /* the weights lie in `<artifact>.weights` */
    uint64_t weights_bytes;
    const lx_cubin *cubins; /* LX_PROGRAM_CUDA */
    uint32_t n_cubins, most_graphs;
    uint8_t id[16]; /* also in the trailer of the file that holds the weights */
    const lx_form_table *forms; /* nullable: that of each variant */
} lx_artifact;

/* A routine of Litz's own library (routines.h) on memory of the caller's: operands are as large as the attributes say. */
litz_status lx_call_routine(uint32_t routine, const int64_t *attributes, void *const *operands, char *error, size_t error_size);

/* Whether this CPU (and its operating system) runs code for the instruction set. */
int lx_cpu_supports(uint32_t isa);

#endif
