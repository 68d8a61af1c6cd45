/*
 * What an artifact exports: the executor behind litz_artifact_api, over a plan and kernels linked into the same
 * file. Compiled on its own and linked into artifacts only.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executor.h"
#include "format.h"

__attribute__((visibility("hidden"))) extern const lx_artifact lx_this;

/* The end of an artifact, and of a file of weights; src/runtime/artifact/trailer.rs states the same. */
struct trailer {
    uint8_t magic[16];
    uint32_t abi_version, isa, flags, kind;
    uint64_t code_bytes, weights_offset, weights_bytes;
    uint8_t id[16];
    uint64_t plan_offset, plan_bytes, prefix_bytes; /* for opening one: see src/runtime/artifact/trailer.rs */
    uint8_t sha256[32];
};
_Static_assert(sizeof(struct trailer) == 128, "the trailer has 128 bytes");
static const uint8_t trailer_magic[16] = {'L', 'I', 'T', 'Z', ' ', 'a', 'r', 't', 'i', 'f', 'a', 'c', 't', '\r', '\n', 0};

/* The weights as instances and their clones share them. */
struct weights {
    _Atomic int32_t references;
    const void *data;
    void *map; /* NULL: `data` is the host's */
    size_t map_bytes;
    uint8_t *mapped; /* of each storage, that it lies in a map */
};

struct artifact {
    lx_instance *instance;
    lx_form form; /* for inputs that share memory; its program is NULL where there is none */
    struct weights *weights;
};

/* The best of the variants that this CPU runs; otherwise the one for the least machine, which says what is missing. */
static const lx_variant *best_variant(void) {
    const lx_variant *best = &lx_this.variants[0];
    for (uint32_t k = 1; k < lx_this.n_variants; k++)
        if (lx_cpu_supports(lx_this.variants[k].isa)) best = &lx_this.variants[k];
    return best;
}

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
        uintptr_t here = (uintptr_t)&lx_this;
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

/* Whether a trailer is that of a file of this program's weights, and where they begin in it. */
static litz_status check_trailer(const struct trailer *t, uint64_t file_bytes, const char *what, char *error, size_t size) {
    if (memcmp(t->magic, trailer_magic, sizeof t->magic))
        return say(error, size, LITZ_ERROR_PARSE, "%s holds no weights: it is truncated or no file of Litz", what);
    if (memcmp(t->id, lx_this.id, sizeof t->id))
        return say(error, size, LITZ_ERROR_PARSE, "%s holds the weights of another program", what);
    if (t->weights_bytes != lx_this.weights_bytes || t->weights_offset % 4096 || t->weights_offset > file_bytes - sizeof *t ||
        t->weights_bytes > file_bytes - sizeof *t - t->weights_offset)
        return say(error, size, LITZ_ERROR_PARSE, "the weights in %s are truncated", what);
    return LITZ_OK;
}

static litz_status map_weights(const char *path, struct weights *w, char *error, size_t size) {
    char what[512];
    snprintf(what, sizeof what, "`%s`", path);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* never waits for a pipe's writer */
    if (file < 0)
        return say(error, size, LITZ_ERROR_IO, "cannot open the weights in `%s`: %s; give their path to create", path,
                   strerror(errno));
    struct stat info;
    struct trailer t;
    litz_status status = LITZ_OK;
    if (fstat(file, &info) || !S_ISREG(info.st_mode) || (uint64_t)info.st_size < sizeof t ||
        pread(file, &t, sizeof t, info.st_size - (off_t)sizeof t) != (ssize_t)sizeof t)
        status = say(error, size, LITZ_ERROR_PARSE, "`%s` holds no weights: it is truncated or no file of Litz", path);
    if (!status) status = check_trailer(&t, (uint64_t)info.st_size, what, error, size);
    if (!status) {
        void *map = mmap(NULL, (size_t)t.weights_bytes, PROT_READ, MAP_PRIVATE, file, (off_t)t.weights_offset);
        if (map == MAP_FAILED) {
            status = say(error, size, LITZ_ERROR_OUT_OF_MEMORY, "cannot map the weights in `%s`: %s", path, strerror(errno));
        } else {
            w->data = w->map = map;
            w->map_bytes = (size_t)t.weights_bytes;
        }
    }
    close(file);
    return status;
}

/* The weights in a file that the host holds in memory. */
static litz_status place_weights(const void *file, size_t bytes, struct weights *w, char *error, size_t size) {
    struct trailer t;
    if (bytes < sizeof t)
        return say(error, size, LITZ_ERROR_PARSE, "the file in memory has %zu bytes only: it holds no weights", bytes);
    memcpy(&t, (const uint8_t *)file + bytes - sizeof t, sizeof t);
    litz_status status = check_trailer(&t, bytes, "the file in memory", error, size);
    if (status) return status;
    w->data = (const uint8_t *)file + t.weights_offset;
    if ((uintptr_t)w->data % 64)
        return say(error, size, LITZ_ERROR_INVALID_ARGUMENT, "the file in memory must begin at a multiple of 64 bytes");
    return LITZ_OK;
}

static litz_status find_weights(const char *given, struct weights *w, char *error, size_t size) {
    if (given) return map_weights(given, w, error, size);
    char *path = own_path();
    if (!path)
        return say(error, size, LITZ_ERROR_IO, "/proc/self/maps does not name the artifact's file; give the weights' path "
                                               "to create");
    if (lx_this.external) {
        static const char suffix[] = ".weights";
        char *longer = realloc(path, strlen(path) + sizeof suffix);
        if (!longer) {
            free(path);
            return say(error, size, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for a path");
        }
        path = strcat(longer, suffix);
    }
    litz_status status = map_weights(path, w, error, size);
    free(path);
    return status;
}

static void weights_release(struct weights *w) {
    if (!w || atomic_fetch_sub(&w->references, 1) != 1) return;
    if (w->map) munmap(w->map, w->map_bytes);
    free(w->mapped);
    free(w);
}

static void destroy(void *self) {
    struct artifact *a = self;
    if (!a) return;
    lx_destroy(a->instance);
    lx_destroy(a->form.program);
    weights_release(a->weights);
    free(a);
}

static litz_status check_artifact_options(const litz_artifact_options *o, char *error, size_t size) {
    if (!o) return say(error, size, LITZ_ERROR_INVALID_ARGUMENT, "the options are NULL");
    if (o->struct_size < sizeof *o || o->struct_size > 65536)
        return say(error, size, LITZ_ERROR_INVALID_ARGUMENT, "options: struct_size is %zu, but the structure has %zu bytes",
                   o->struct_size, sizeof *o);
    for (size_t k = offsetof(litz_artifact_options, reserved); k < o->struct_size; k++)
        if (((const uint8_t *)o)[k])
            return say(error, size, LITZ_ERROR_ABI, "options: byte %zu is set, which only a newer artifact knows", k);
    bool cuda = best_variant()->flags & LX_PROGRAM_CUDA;
    if (o->device_index != 0 && !cuda)
        return say(error, size, LITZ_ERROR_DEVICE, "device_index is %d, but the CPU's only index is 0", (int)o->device_index);
    if (o->threads < 0 || o->threads > LX_MOST_THREADS)
        return say(error, size, LITZ_ERROR_INVALID_ARGUMENT, "options: threads is %d, but there are from 1 to %d, and 0 for all",
                   (int)o->threads, LX_MOST_THREADS);
    if (o->threads && cuda)
        return say(error, size, LITZ_ERROR_INVALID_ARGUMENT, "options: threads is %d, but the program runs on a GPU",
                   (int)o->threads);
    if (o->weights_path && o->file)
        return say(error, size, LITZ_ERROR_INVALID_ARGUMENT, "options: the weights lie at weights_path or in file, not in both");
    return LITZ_OK;
}

static litz_status create_with(const litz_artifact_options *o, void **self, char *error, size_t size) {
    if (!self) return say(error, size, LITZ_ERROR_INVALID_ARGUMENT, "the place for the instance is NULL");
    litz_status status = check_artifact_options(o, error, size);
    if (status) return status;
    const lx_variant *variant = best_variant();
    uint32_t n_storages = ((const lx_plan *)variant->plan)->storages.count;
    struct artifact *a = calloc(1, sizeof *a);
    struct weights *w = calloc(1, sizeof *w);
    uint8_t *mapped = calloc(n_storages + 1u, 1);
    if (!a || !w || !mapped) {
        free(a);
        free(w);
        free(mapped);
        return say(error, size, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for an instance");
    }
    a->weights = w;
    w->mapped = mapped;
    atomic_init(&w->references, 1);
    if (lx_this.weights_bytes)
        status = o->file ? place_weights(o->file, o->file_bytes, w, error, size) : find_weights(o->weights_path, w, error, size);
    if (w->map) memset(mapped, 1, n_storages);
    lx_program program = {.plan = variant->plan,
                          .plan_bytes = variant->plan_bytes,
                          .kernels = variant->kernels,
                          .weights = w->data,
                          .weights_bytes = lx_this.weights_bytes,
                          .flags = variant->flags,
                          .isa = variant->isa,
                          .cubins = lx_this.cubins,
                          .n_cubins = lx_this.n_cubins,
                          .device_index = o->device_index,
                          .most_graphs = lx_this.most_graphs,
                          .mapped = mapped};
    lx_host host = {.threads = o->threads};
    if (!status) status = lx_create(&program, &host, &a->instance, error, size);
    if (!status && lx_this.forms) {
        const lx_form_table *form = &lx_this.forms[variant - lx_this.variants];
        program.plan = form->program.plan;
        program.plan_bytes = form->program.plan_bytes;
        program.kernels = form->program.kernels;
        program.cubins = form->cubins;
        program.n_cubins = (uint32_t)form->n_cubins;
        program.mapped = NULL;
        a->form = (lx_form){.bases = form->bases, .storages = form->storages, .n_storages = (size_t)form->n_storages};
        status = lx_create(&program, &host, &a->form.program, error, size);
    }
    if (status) destroy(a);
    else *self = a;
    return status;
}

static litz_status create(const char *weights_path, int32_t device_index, void **self, char *error, size_t size) {
    litz_artifact_options o = {.struct_size = sizeof o, .weights_path = weights_path, .device_index = device_index};
    return create_with(&o, self, error, size);
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
    const lx_form *form = &((struct artifact *)self)->form;
    litz_status status = lx_run(instance, inputs, n_inputs, outputs, n_outputs, ro, error, size);
    if (status != LX_INPUTS_SHARE_MEMORY) return status;
    if (!form->program) return LITZ_ERROR_UNSUPPORTED;
    return lx_run_form(instance, form, inputs, n_inputs, outputs, n_outputs, ro, error, size);
}

static litz_status run_allocating(void *self, const DLTensor *const *inputs, size_t n_inputs, litz_output_fn allocate,
                                  void *context, size_t n_outputs, const litz_run_options *ro, char *error, size_t size) {
    INSTANCE(self);
    if (!allocate) return say(error, size, LITZ_ERROR_INVALID_ARGUMENT, "the function that allocates is NULL");
    const lx_form *form = &((struct artifact *)self)->form;
    litz_status status = lx_run_allocating(instance, inputs, n_inputs, allocate, NULL, context, n_outputs, ro, error, size);
    if (status != LX_INPUTS_SHARE_MEMORY) return status;
    if (!form->program) return LITZ_ERROR_UNSUPPORTED;
    return lx_run_form_allocating(instance, form, inputs, n_inputs, allocate, NULL, context, n_outputs, ro, error, size);
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

static litz_status clone(void *self, void **out, char *error, size_t size) {
    INSTANCE(self);
    if (!out) return say(error, size, LITZ_ERROR_INVALID_ARGUMENT, "the place for the instance is NULL");
    struct artifact *made = calloc(1, sizeof *made);
    if (!made) return say(error, size, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for an instance");
    made->form = ((struct artifact *)self)->form;
    lx_instance *form = made->form.program;
    made->form.program = NULL;
    litz_status status = lx_clone(instance, &made->instance, error, size);
    if (!status && form) status = lx_clone(form, &made->form.program, error, size);
    if (status) {
        lx_destroy(made->instance);
        free(made);
        return status;
    }
    made->weights = ((struct artifact *)self)->weights;
    atomic_fetch_add(&made->weights->references, 1);
    *out = made;
    return LITZ_OK;
}

static litz_status cancel(void *self, char *error, size_t size) {
    INSTANCE(self);
    lx_cancel(instance);
    return LITZ_OK;
}

static litz_status release_memory(void *self, char *error, size_t size) {
    INSTANCE(self);
    lx_release_frames_of(instance);
    if (((struct artifact *)self)->form.program) lx_release_frames_of(((struct artifact *)self)->form.program);
    return LITZ_OK;
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
                                    .run_allocating = run_allocating,
                                    .create_with = create_with,
                                    .clone = clone,
                                    .cancel = cancel,
                                    .release_memory = release_memory,
                                    .program = &lx_this};
    const lx_plan *plan = best_variant()->plan;
    api.metadata = (const char *)plan + plan->metadata.offset;
    return &api;
}
