/*
 * The executor: runs a compiled program's plan. This is its only interface; liblitz and every artifact hold the
 * same object code of it.
 *
 * Invariants:
 * - Plan bytes, kernels, contexts and constants' data given to lx_create stay valid and unchanged until every
 *   instance made from it (clones included) is destroyed.
 * - Nothing is allocated by a run that has the sizes of an earlier one.
 * - On failure a function returns a nonzero litz_status and writes a message; nothing else has changed, but for
 *   outputs, mutated inputs and mutated constants of a run that a kernel's assertion ended half-way.
 *
 * Deliberately absent: operators, files, environment variables, devices other than the CPU and NVIDIA's.
 */
#ifndef LITZ_EXECUTOR_H
#define LITZ_EXECUTOR_H

#include "../../include/litz/artifact.h"

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
/* A run whose memory and sizes are those of the run before is replayed as one CUDA graph. */
#define LX_PROGRAM_GRAPHS 8u
/* When a step of a vendor's library first runs, the library's algorithms for it are timed, and the fastest is kept. */
#define LX_PROGRAM_MEASURES 256u

/* The instruction sets that kernels were compiled for; see lx_cpu_supports. */
#define LX_ISA_SCALAR 0u
#define LX_ISA_AVX2 1u
#define LX_ISA_AVX512 2u

/* GPU kernels as the driver loads them. */
typedef struct lx_cubin {
    const void *data;
    uint64_t bytes;
} lx_cubin;

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
    const char *cublaslt; /* nullable: the file of cuBLASLt, for steps that need it; otherwise what the system's loader finds */
} lx_program;

/* What the host provides; every member may be 0, the executor's own then serves. */
typedef struct lx_host {
    void *context;
    void *(*allocate)(void *context, size_t bytes, size_t alignment);
    void (*release)(void *context, void *memory, size_t bytes, size_t alignment);
    litz_parallel_for_fn parallel_for;
    void *parallel_for_context;
    int32_t threads; /* how many threads a kernel's tasks are spread over; 0: one for each CPU of the process */
    int32_t reserved;
} lx_host;

typedef struct lx_instance lx_instance;

typedef litz_output_fn lx_output_fn;

litz_status lx_create(const lx_program *program, const lx_host *host, lx_instance **out, char *error, size_t error_size);
/* Its own mutable constants, holding what the original's hold now; everything else is shared. */
litz_status lx_clone(lx_instance *self, lx_instance **out, char *error, size_t error_size);
litz_status lx_infer_outputs(lx_instance *self, const DLTensor *const *inputs, size_t n_inputs, DLTensor *outputs,
                             size_t n_outputs, char *error, size_t error_size);
litz_status lx_run(lx_instance *self, const DLTensor *const *inputs, size_t n_inputs, const DLTensor *const *outputs,
                   size_t n_outputs, const litz_run_options *options, char *error, size_t error_size);
/* As lx_run, with outputs in memory that `allocate` gives once the inputs are found right. */
litz_status lx_run_allocating(lx_instance *self, const DLTensor *const *inputs, size_t n_inputs, lx_output_fn allocate,
                              void *allocate_context, size_t n_outputs, const litz_run_options *options, char *error,
                              size_t error_size);
/* A borrowed view, valid until the next update or the instance's end. */
litz_status lx_constant(lx_instance *self, size_t k, DLTensor *view, char *error, size_t error_size);
/* Copies what a storage of constants holds now, while no run changes it. */
litz_status lx_copy_storage(lx_instance *self, size_t k, void *destination, uint64_t bytes, char *error,
                            size_t error_size);
/* Copies a constant's current value, contiguous, while no run changes it. */
litz_status lx_copy_constant(lx_instance *self, size_t k, void *destination, uint64_t bytes, char *error,
                             size_t error_size);
litz_status lx_update_constants(lx_instance *self, const char *const *names, const DLTensor *const *data, size_t n,
                                char *error, size_t error_size);
litz_status lx_synchronize(lx_instance *self, char *error, size_t error_size);
void lx_destroy(lx_instance *self);

/* Memory of a CUDA device, in the order of a stream; NULL: the executor's own stream of the device. */
litz_status lx_cuda_allocate(int32_t device_index, uint64_t bytes, void *stream, void **out, char *error, size_t error_size);
/* The stream must be one that is still there, or NULL. */
void lx_cuda_free(int32_t device_index, void *memory, void *stream);
/* A copy from or to a device's memory, finished when the call returns. */
litz_status lx_cuda_copy(int32_t device_index, void *to, const void *from, uint64_t bytes, char *error, size_t error_size);

/* Whether this CPU (and its operating system) runs code for the instruction set. */
int lx_cpu_supports(uint32_t isa);

#endif
