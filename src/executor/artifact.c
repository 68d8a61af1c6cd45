/*
 * What an artifact exports: the executor behind litz_artifact_api, over a plan and kernels linked into the same
 * file. Compiled on its own and linked into artifacts only.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executor.h"
#include "format.h"

/* Written as assembly by src/runtime/artifact/write.rs, which names these fields in the same order. */
struct lx_artifact {
    const void *plan;
    uint64_t plan_bytes;
    const lx_kernel_fn *kernels;
    uint64_t weights_bytes;
    uint32_t flags; /* LX_PROGRAM_... */
    uint32_t isa;
    uint32_t external; /* the weights lie in `<artifact>.weights` */
    uint32_t most_graphs;
    uint8_t id[16]; /* also in the trailer of the file that holds the weights */
    const lx_cubin *cubins; /* LX_PROGRAM_CUDA */
    uint64_t n_cubins;
};
__attribute__((visibility("hidden"))) extern const struct lx_artifact lx_artifact;

/* The end of an artifact, and of a file of weights; src/runtime/artifact/trailer.rs states the same. */
struct trailer {
    uint8_t magic[16];
    uint32_t abi_version, isa, flags, kind;
    uint64_t code_bytes, weights_offset, weights_bytes;
    uint8_t id[16];
    uint8_t reserved[24];
    uint8_t sha256[32];
};
_Static_assert(sizeof(struct trailer) == 128, "the trailer has 128 bytes");
static const uint8_t trailer_magic[16] = {'L', 'I', 'T', 'Z', ' ', 'a', 'r', 't', 'i', 'f', 'a', 'c', 't', '\r', '\n', 0};

struct artifact {
    lx_instance *instance;
    void *map;
    size_t map_bytes;
};

__attribute__((format(printf, 4, 5))) static litz_status say(char *error, size_t size, litz_status status,
                                                             const char *format, ...) {
    if (error && size) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error, size, format, arguments);
        va_end(arguments);
    }
    return status;
}

/* The path of the file that this code was loaded from, as the kernel knows it: right after a chdir or a rename. */
static char *own_path(void) {
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps) return NULL;
    char *line = NULL, *found = NULL;
    size_t room = 0;
    while (!found && getline(&line, &room, maps) > 0) {
        unsigned long long begin, end;
        uintptr_t here = (uintptr_t)&lx_artifact;
        if (sscanf(line, "%llx-%llx", &begin, &end) != 2 || here < begin || here >= end) continue;
        char *path = strchr(line, '/');
        if (!path) break;
        path[strcspn(path, "\n")] = 0;
        found = strdup(path);
    }
    free(line);
    fclose(maps);
    return found;
}

static litz_status map_weights(const char *path, struct artifact *a, const void **weights, char *error, size_t size) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* never waits for a pipe's writer */
    if (file < 0)
        return say(error, size, LITZ_ERROR_IO, "cannot open the weights in `%s`: %s; give their path to create", path,
                   strerror(errno));
    struct stat info;
    struct trailer t;
    litz_status status = LITZ_OK;
    if (fstat(file, &info) || !S_ISREG(info.st_mode) || (uint64_t)info.st_size < sizeof t ||
        pread(file, &t, sizeof t, info.st_size - (off_t)sizeof t) != (ssize_t)sizeof t ||
        memcmp(t.magic, trailer_magic, sizeof t.magic)) {
        status = say(error, size, LITZ_ERROR_PARSE, "`%s` holds no weights: it is truncated or no file of Litz", path);
    } else if (memcmp(t.id, lx_artifact.id, sizeof t.id)) {
        status = say(error, size, LITZ_ERROR_PARSE, "`%s` holds the weights of another program", path);
    } else if (t.weights_bytes != lx_artifact.weights_bytes || t.weights_offset % 4096 ||
               t.weights_offset > (uint64_t)info.st_size - sizeof t ||
               t.weights_bytes > (uint64_t)info.st_size - sizeof t - t.weights_offset) {
        status = say(error, size, LITZ_ERROR_PARSE, "the weights in `%s` are truncated", path);
    } else {
        void *map = mmap(NULL, (size_t)t.weights_bytes, PROT_READ, MAP_PRIVATE, file, (off_t)t.weights_offset);
        if (map == MAP_FAILED) {
            status = say(error, size, LITZ_ERROR_OUT_OF_MEMORY, "cannot map the weights in `%s`: %s", path, strerror(errno));
        } else {
            a->map = map;
            a->map_bytes = (size_t)t.weights_bytes;
            *weights = map;
        }
    }
    close(file);
    return status;
}

static litz_status find_weights(const char *given, struct artifact *a, const void **weights, char *error, size_t size) {
    if (given) return map_weights(given, a, weights, error, size);
    char *path = own_path();
    if (!path)
        return say(error, size, LITZ_ERROR_IO, "/proc/self/maps does not name the artifact's file; give the weights' path "
                                               "to create");
    if (lx_artifact.external) {
        static const char suffix[] = ".weights";
        char *longer = realloc(path, strlen(path) + sizeof suffix);
        if (!longer) {
            free(path);
            return say(error, size, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for a path");
        }
        path = strcat(longer, suffix);
    }
    litz_status status = map_weights(path, a, weights, error, size);
    free(path);
    return status;
}

static void destroy(void *self) {
    struct artifact *a = self;
    if (!a) return;
    lx_destroy(a->instance);
    if (a->map) munmap(a->map, a->map_bytes);
    free(a);
}

static litz_status create(const char *weights_path, int32_t device_index, void **self, char *error, size_t size) {
    if (!self) return say(error, size, LITZ_ERROR_INVALID_ARGUMENT, "the place for the instance is NULL");
    if (device_index != 0 && !(lx_artifact.flags & LX_PROGRAM_CUDA))
        return say(error, size, LITZ_ERROR_DEVICE, "device_index is %d, but the CPU's only index is 0", (int)device_index);
    struct artifact *a = calloc(1, sizeof *a);
    if (!a) return say(error, size, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for an instance");
    lx_program program = {.plan = lx_artifact.plan,
                          .plan_bytes = lx_artifact.plan_bytes,
                          .kernels = lx_artifact.kernels,
                          .weights_bytes = lx_artifact.weights_bytes,
                          .flags = lx_artifact.flags,
                          .isa = lx_artifact.isa,
                          .cubins = lx_artifact.cubins,
                          .n_cubins = (uint32_t)lx_artifact.n_cubins,
                          .device_index = device_index,
                          .most_graphs = lx_artifact.most_graphs};
    litz_status status = LITZ_OK;
    if (lx_artifact.weights_bytes) status = find_weights(weights_path, a, &program.weights, error, size);
    if (!status) status = lx_create(&program, NULL, &a->instance, error, size);
    if (status) destroy(a);
    else *self = a;
    return status;
}

#define INSTANCE(self)                                                                                          \
    if (!(self)) return say(error, size, LITZ_ERROR_INVALID_ARGUMENT, "the instance is NULL");                  \
    lx_instance *instance = ((struct artifact *)(self))->instance

static litz_status infer_outputs(void *self, const DLTensor *const *inputs, size_t n_inputs, DLTensor *outputs,
                                 size_t n_outputs, char *error, size_t size) {
    INSTANCE(self);
    return lx_infer_outputs(instance, inputs, n_inputs, outputs, n_outputs, error, size);
}

static litz_status run(void *self, const DLTensor *const *inputs, size_t n_inputs, const DLTensor *const *outputs,
                       size_t n_outputs, const litz_run_options *ro, char *error, size_t size) {
    INSTANCE(self);
    return lx_run(instance, inputs, n_inputs, outputs, n_outputs, ro, error, size);
}

static litz_status run_allocating(void *self, const DLTensor *const *inputs, size_t n_inputs, litz_output_fn allocate,
                                  void *context, size_t n_outputs, const litz_run_options *ro, char *error, size_t size) {
    INSTANCE(self);
    if (!allocate) return say(error, size, LITZ_ERROR_INVALID_ARGUMENT, "the function that allocates is NULL");
    return lx_run_allocating(instance, inputs, n_inputs, allocate, context, n_outputs, ro, error, size);
}

static litz_status constant(void *self, size_t k, DLTensor *view, char *error, size_t size) {
    INSTANCE(self);
    return lx_constant(instance, k, view, error, size);
}

static litz_status update_constants(void *self, const char *const *names, const DLTensor *const *data, size_t n,
                                    char *error, size_t size) {
    INSTANCE(self);
    return lx_update_constants(instance, names, data, n, error, size);
}

static litz_status synchronize(void *self, char *error, size_t size) {
    INSTANCE(self);
    return lx_synchronize(instance, error, size);
}

__attribute__((visibility("default"))) const litz_artifact_api *litz_artifact_entry_v1(void);

const litz_artifact_api *litz_artifact_entry_v1(void) {
    static litz_artifact_api api = {.struct_size = sizeof api,
                                    .magic = LITZ_ARTIFACT_MAGIC,
                                    .abi_version = LITZ_ARTIFACT_ABI_VERSION,
                                    .create = create,
                                    .infer_outputs = infer_outputs,
                                    .run = run,
                                    .constant = constant,
                                    .update_constants = update_constants,
                                    .synchronize = synchronize,
                                    .destroy = destroy,
                                    .run_allocating = run_allocating};
    api.metadata = (const char *)lx_artifact.plan + ((const lx_plan *)lx_artifact.plan)->metadata.offset;
    return &api;
}
