/*
 * Running a Litz artifact with dlopen alone: open the `.so`, find `litz_artifact_entry_v1` with dlsym, and use the
 * table that it returns. Neither liblitz nor a compiler is needed.
 *
 *   void *library = dlopen("./model.so", RTLD_NOW | RTLD_LOCAL);
 *   litz_artifact_entry_fn entry = (litz_artifact_entry_fn)dlsym(library, LITZ_ARTIFACT_ENTRY);
 *   const litz_artifact_api *api = entry();
 *   void *self;
 *   char error[512];
 *   if (api->create(NULL, 0, &self, error, sizeof error) != LITZ_OK) { ... }
 *
 * An artifact may also be linked into a program, several where each was written with its own `artifact.prefix`: declare
 * `const litz_artifact_api *<prefix>litz_artifact_entry_v1(void)` and name the file to the linker.
 *
 * Every instance must be destroyed before the library is closed.
 */
#ifndef LITZ_ARTIFACT_H
#define LITZ_ARTIFACT_H

#include <stddef.h>
#include <stdint.h>

#include "dlpack.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef LITZ_RUN_TYPES
#define LITZ_RUN_TYPES

/* 0 is success; the other numbers are LITZ_ERROR_... and never change. */
typedef int32_t litz_status;

#define LITZ_OK 0
#define LITZ_ERROR_INVALID_ARGUMENT 1
#define LITZ_ERROR_UNSUPPORTED 2
#define LITZ_ERROR_SHAPE 3
#define LITZ_ERROR_DTYPE 4
#define LITZ_ERROR_DEVICE 5
#define LITZ_ERROR_PARSE 6
#define LITZ_ERROR_IO 7
#define LITZ_ERROR_TOOLCHAIN 8
#define LITZ_ERROR_CUDA 9
#define LITZ_ERROR_OUT_OF_MEMORY 10
#define LITZ_ERROR_ABI 11
#define LITZ_ERROR_STATE 12
#define LITZ_ERROR_CAPACITY 13
#define LITZ_ERROR_CANCELLED 14
#define LITZ_ERROR_ASSERTION 15
#define LITZ_ERROR_INTERNAL 99

/* Runs body over [0, n) in pieces of at least grain, on any threads, and returns when all are done. */
typedef void (*litz_parallel_for_fn)(void *context, void (*body)(void *arg, int64_t begin, int64_t end), void *arg,
                                     int64_t n, int64_t grain);

#define LITZ_RUN_HAS_STREAM 1u /* use `stream`, which may be the NULL (default) stream; means nothing on a CPU */
#define LITZ_RUN_ASYNC 2u      /* return once the work is enqueued; on a CPU the call still waits */
#define LITZ_RUN_HAS_SEED 4u   /* use `seed` and `offset` as the random state */

/* How to run once. Zero everything, then set struct_size and what is wanted. */
typedef struct litz_run_options {
    size_t struct_size;
    uint32_t flags;
    int32_t device_index;
    void *stream;
    uint64_t seed, offset;
    litz_parallel_for_fn parallel_for; /* nullable: the runtime's own threads */
    void *parallel_for_context;
    const uint8_t *static_inputs, *static_outputs; /* nullable: n flags each; 1 = the address stays the same between runs */
    uint64_t *next_offset;                         /* nullable: where the random offset stands after this run */
    uint64_t reserved[2];
} litz_run_options;

#endif /* LITZ_RUN_TYPES */

#define LITZ_ARTIFACT_MAGIC 0x5a54494cu /* "LITZ" in memory */
#define LITZ_ARTIFACT_ABI_VERSION 1u
#define LITZ_ARTIFACT_ENTRY "litz_artifact_entry_v1"

/* Gives the memory of output k: `bytes` of it, 64-byte aligned, or NULL when there is none. */
typedef void *(*litz_output_fn)(void *context, size_t k, uint64_t bytes, int32_t ndim, const int64_t *shape,
                                const int64_t *strides);

/* How to create an instance. Zero everything, then set struct_size and what is wanted. */
typedef struct litz_artifact_options {
    size_t struct_size;
    const char *weights_path; /* nullable: as for create; `/proc/self/fd/<n>` for a file descriptor */
    const void *file;         /* nullable: the bytes of the artifact, or of its file of weights, which stay as they are until
                                 every instance is destroyed, at a multiple of 64; instead of weights_path */
    size_t file_bytes;
    int32_t device_index;
    int32_t threads; /* threads of a run, up to 256; 0: one for each CPU of the process */
    uint64_t reserved[4];
} litz_artifact_options;

/* Every call returns a status and, on failure, writes a message (NUL-terminated, cut to fit) into error[error_size]. */
typedef struct litz_artifact_api {
    size_t struct_size;
    uint32_t magic;
    uint32_t abi_version;
    const char *metadata; /* JSON: inputs, outputs, constants, symbols, kernels, target, ... */
    /* weights_path NULL: inside the artifact, or `<artifact>.weights` where it was written with external weights.
       device_index must be 0 on a CPU. One thread at a time. */
    litz_status (*create)(const char *weights_path, int32_t device_index, void **self, char *error, size_t error_size);
    /* Fills dtype, ndim, device and the caller's shape and strides arrays of each output. Any thread. */
    litz_status (*infer_outputs)(void *self, const DLTensor *const *inputs, size_t n_inputs, DLTensor *outputs,
                                 size_t n_outputs, char *error, size_t error_size);
    /* Writes into the caller's outputs. Any number of threads at once; runs that mutate constants are serialised. */
    litz_status (*run)(void *self, const DLTensor *const *inputs, size_t n_inputs, const DLTensor *const *outputs,
                       size_t n_outputs, const litz_run_options *ro, char *error, size_t error_size);
    /* A borrowed view of constant k, valid until constants are updated or the instance is destroyed. */
    litz_status (*constant)(void *self, size_t k, DLTensor *view, char *error, size_t error_size);
    /* Waits for runs in flight; all names or none. */
    litz_status (*update_constants)(void *self, const char *const *names, const DLTensor *const *data, size_t n,
                                    char *error, size_t error_size);
    litz_status (*synchronize)(void *self, char *error, size_t error_size);
    /* NULL is accepted. */
    void (*destroy)(void *self);
    /* As run, with outputs in memory that `allocate` gives once their sizes are known: some depend on the data. */
    litz_status (*run_allocating)(void *self, const DLTensor *const *inputs, size_t n_inputs, litz_output_fn allocate,
                                  void *context, size_t n_outputs, const litz_run_options *ro, char *error,
                                  size_t error_size);
    /* As create, with more to say. One thread at a time. */
    litz_status (*create_with)(const litz_artifact_options *options, void **self, char *error, size_t error_size);
    /* Another instance with its own mutable constants, which begin as they are here; all else is shared. Any thread. */
    litz_status (*clone)(void *self, void **out, char *error, size_t error_size);
    /* Ends runs in progress with LITZ_ERROR_CANCELLED, unless they have begun to write to constants or inputs: those go on to
       their end. Later runs are as ever. Any thread. */
    litz_status (*cancel)(void *self, char *error, size_t error_size);
    /* Frees the memory that the instance keeps for its next runs. Any thread. */
    litz_status (*release_memory)(void *self, char *error, size_t error_size);
    const void *program; /* what liblitz runs, where it opens the artifact */
} litz_artifact_api;

typedef const litz_artifact_api *(*litz_artifact_entry_fn)(void);

#ifdef __cplusplus
}
#endif

#endif /* LITZ_ARTIFACT_H */
