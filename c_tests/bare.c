/* A program's own executor and kernels, compiled into this one with whatever the compiler is asked to look for: 32
 * threads over one instance, and over instances that are made and destroyed meanwhile, and updates of constants.
 *
 *   bare WEIGHTS ROUNDS OUTPUTS INPUT...      WEIGHTS: an artifact of the same program; INPUT: f32:2,3 or i64:2,16
 */
#define _GNU_SOURCE
#include <litz/artifact.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 32, MOST = 8, RANK = 8 };

const litz_artifact_api *litz_artifact_entry_v1(void);

static const litz_artifact_api *api;
static const char *weights;
static int rounds, n_inputs, n_outputs;
static DLTensor inputs[MOST], constants[2];
static const DLTensor *given[MOST];
static int64_t shapes[MOST][RANK], out_shapes[MOST][RANK], out_strides[MOST][RANK];
static DLTensor outputs[MOST];
static size_t out_bytes[MOST];
static void *shared, *expected[MOST];
static atomic_int stop;

#define GOOD(call)                                                                   \
    do {                                                                             \
        char error[512] = "";                                                        \
        if ((call) != LITZ_OK) {                                                     \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, error);    \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)

static size_t bytes_of(const DLTensor *t) {
    size_t n = t->dtype.bits / 8;
    int32_t d;
    for (d = 0; d < t->ndim; ++d) n *= (size_t)t->shape[d];
    return n;
}

static void *room(size_t bytes) {
    void *memory = NULL;
    if (posix_memalign(&memory, 64, bytes ? bytes : 1)) exit(1);
    return memory;
}

/* One run into fresh memory, whose last byte is the last of its block. */
static void run(void *self, void *const *compare) {
    DLTensor own[MOST];
    const DLTensor *to[MOST];
    int k;
    memcpy(own, outputs, sizeof own);
    for (k = 0; k < n_outputs; ++k) {
        own[k].data = room(out_bytes[k]);
        to[k] = &own[k];
    }
    GOOD(api->run(self, given, (size_t)n_inputs, to, (size_t)n_outputs, NULL, error, sizeof error));
    for (k = 0; k < n_outputs; ++k) {
        if (compare && memcmp(own[k].data, compare[k], out_bytes[k])) {
            fprintf(stderr, "output %d is not what it was\n", k);
            exit(1);
        }
        if (compare) free(own[k].data);
        else expected[k] = own[k].data;
    }
}

static void *over_one(void *context) {
    int k;
    (void)context;
    for (k = 0; k < rounds; ++k) run(shared, expected);
    return NULL;
}

static void *over_own(void *context) {
    int k;
    (void)context;
    for (k = 0; k < (rounds + 3) / 4; ++k) {
        void *self = NULL;
        GOOD(api->create(weights, 0, &self, error, sizeof error));
        run(self, expected);
        run(self, expected);
        api->destroy(self);
    }
    return NULL;
}

static const char *first_constant(void) {
    static char name[256];
    const char *at = strstr(api->metadata, "\"constants\":[{\"name\":\"");
    if (!at) return NULL;
    at += strlen("\"constants\":[{\"name\":\"");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "\""), at);
    return name;
}

static void *updating(void *context) {
    const char *names[1];
    DLTensor view;
    const DLTensor *data[1];
    int k;
    names[0] = context;
    if (!names[0]) return NULL;
    GOOD(api->constant(shared, 0, &view, error, sizeof error));
    constants[0] = view;
    constants[0].data = room(bytes_of(&view));
    memcpy(constants[0].data, view.data, bytes_of(&view));
    data[0] = &constants[0];
    for (k = 0; k < rounds || !atomic_load(&stop); ++k) GOOD(api->update_constants(shared, names, data, 1, error, sizeof error));
    free(constants[0].data);
    return NULL;
}

static void read_input(const char *text, DLTensor *t, int64_t *shape) {
    const int integer = strncmp(text, "i64:", 4) == 0;
    size_t n = 1, k;
    char *rest = (char *)(uintptr_t)text + 4;
    memset(t, 0, sizeof *t);
    t->device.device_type = kDLCPU;
    t->dtype.code = integer ? kDLInt : kDLFloat;
    t->dtype.bits = integer ? 64 : 32;
    t->dtype.lanes = 1;
    t->shape = shape;
    while (*rest && t->ndim < RANK) {
        shape[t->ndim] = strtoll(rest, &rest, 10);
        n *= (size_t)shape[t->ndim++];
        if (*rest == ',') ++rest;
    }
    t->data = room(n * t->dtype.bits / 8);
    for (k = 0; k < n; ++k) {
        if (integer) ((int64_t *)t->data)[k] = (int64_t)(k * 7 % 13);
        else ((float *)t->data)[k] = (float)((double)(k * 37 % 101) / 50.0 - 1.0);
    }
}

static void all(void *(*work)(void *), const char *updated) {
    pthread_t threads[THREADS], updater;
    int k;
    atomic_store(&stop, 0);
    if (pthread_create(&updater, NULL, updating, (void *)(uintptr_t)updated)) exit(1);
    for (k = 0; k < THREADS; ++k)
        if (pthread_create(&threads[k], NULL, work, NULL)) exit(1);
    for (k = 0; k < THREADS; ++k) pthread_join(threads[k], NULL);
    atomic_store(&stop, 1);
    pthread_join(updater, NULL);
}

int main(int argc, char **argv) {
    int k;
    if (argc < 5 || argc > 4 + MOST) return fprintf(stderr, "usage: bare WEIGHTS ROUNDS OUTPUTS INPUT...\n"), 2;
    api = litz_artifact_entry_v1();
    weights = argv[1];
    rounds = atoi(argv[2]);
    n_outputs = atoi(argv[3]);
    n_inputs = argc - 4;
    for (k = 0; k < n_inputs; ++k) {
        read_input(argv[4 + k], &inputs[k], shapes[k]);
        given[k] = &inputs[k];
    }
    for (k = 0; k < n_outputs; ++k) {
        outputs[k].shape = out_shapes[k];
        outputs[k].strides = out_strides[k];
    }
    GOOD(api->create(weights, 0, &shared, error, sizeof error));
    GOOD(api->infer_outputs(shared, given, (size_t)n_inputs, outputs, (size_t)n_outputs, error, sizeof error));
    for (k = 0; k < n_outputs; ++k) out_bytes[k] = bytes_of(&outputs[k]);
    run(shared, NULL);
    all(over_one, first_constant());
    all(over_own, NULL);
    api->destroy(shared);
    for (k = 0; k < n_inputs; ++k) free(inputs[k].data);
    for (k = 0; k < n_outputs; ++k) free(expected[k]);
    puts("bare: all right");
    return 0;
}
