/* What tests of the executor on a GPU that is not there have in common: checks, programs, tensors and runs. */
#ifndef LITZ_TEST_CHECKS_H
#define LITZ_TEST_CHECKS_H

#include "fake.h"
#include "plans.h"

static int failures;
#define CHECK(truth)                                                              \
    do {                                                                          \
        if (!(truth)) {                                                           \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #truth);   \
            failures++;                                                           \
        }                                                                         \
    } while (0)
#define SAYS(part)                                                                              \
    do {                                                                                        \
        if (!strstr(message, part)) {                                                           \
            fprintf(stderr, "%s:%d: `%s` is not in `%s`\n", __FILE__, __LINE__, part, message); \
            failures++;                                                                         \
        }                                                                                       \
    } while (0)

static _Thread_local char message[1024];

/* The file of fake_products.c. */
static const char *products_library;

static const char cubin[] = "FAKE 90 add scale positive trap litz_copy_strided litz_fill";

static lx_program program_of(const void *plan, uint32_t flags, int32_t device) {
    static const lx_cubin one = {cubin, sizeof cubin, 0, 0};
    static const int32_t weights[16] = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150};
    static const void *const constants[] = {weights};
    return (lx_program){.plan = plan,
                        .plan_bytes = ((const lx_plan *)plan)->bytes,
                        .constants = constants,
                        .flags = LX_PROGRAM_CUDA | flags,
                        .cubins = &one,
                        .n_cubins = 1,
                        .device_index = device};
}

static lx_instance *make(const void *plan, uint32_t flags, int32_t device) {
    lx_program program = program_of(plan, flags, device);
    lx_instance *made = NULL;
    message[0] = 0;
    if (lx_create(&program, NULL, &made, message, sizeof message)) return NULL;
    return made;
}

/* A tensor of int32 on a device, `n` elements that begin with `first`. */
typedef struct sample {
    DLTensor dl;
    int64_t size, stride;
} sample;

static sample *sample_new(int32_t device, int64_t n, int32_t first) {
    sample *t = calloc(1, sizeof *t);
    void *data = NULL;
    t->size = n;
    t->stride = 1;
    if (lx_cuda_allocate(device, 4 * (uint64_t)n, NULL, &data, message, sizeof message)) {
        free(t);
        return NULL;
    }
    t->dl = (DLTensor){data, {kDLCUDA, device}, 1, {kDLInt, 32, 1}, &t->size, &t->stride, 0};
    int32_t *seen = fake_see(data);
    for (int64_t k = 0; k < n; k++) seen[k] = first + (int32_t)k;
    return t;
}
static void sample_free(sample *t) {
    lx_cuda_free(t->dl.device.device_id, t->dl.data, 0, NULL);
    free(t);
}
static int32_t at(const sample *t, int64_t k) { return ((int32_t *)fake_see(t->dl.data))[k]; }

static litz_status run_with(lx_instance *self, const litz_run_options *o, sample **inputs, const int64_t *by, size_t n_outputs,
                            sample **outputs) {
    int64_t number = by ? *by : 0;
    DLTensor host = {&number, {kDLCPU, 0}, 0, {kDLInt, 64, 1}, NULL, NULL, 0};
    const DLTensor *in[4], *out[4];
    size_t n = 0;
    for (; inputs[n]; n++) in[n] = &inputs[n]->dl;
    if (by) in[n++] = &host;
    for (size_t k = 0; k < n_outputs; k++) out[k] = &outputs[k]->dl;
    message[0] = 0;
    return lx_run(self, in, n, out, n_outputs, o, message, sizeof message);
}

/* The chain on tensors of its own, and whether it gives what it should. */
static litz_status chain_once(lx_instance *self, const litz_run_options *o, int32_t device, int64_t n, int64_t by, int32_t seed) {
    sample *x = sample_new(device, n, seed), *y = sample_new(device, n, 2), *z = sample_new(device, n, 0), *s = sample_new(device, n, 0),
           *t = sample_new(device, 16, 0);
    litz_status status = LITZ_ERROR_OUT_OF_MEMORY;
    if (x && y && z && s && t) {
        status = run_with(self, o, (sample *[]){x, y, NULL}, &by, 3, (sample *[]){z, s, t});
        if (!status && o && o->flags & LITZ_RUN_ASYNC) status = lx_synchronize(self, message, sizeof message);
        for (int64_t k = 0; !status && k < n; k++) {
            int32_t a = seed + (int32_t)k, b = 2 + (int32_t)k;
            CHECK(at(z, k) == (int32_t)((a + b) * by + a));
            CHECK(at(s, k) == a + b);
        }
        for (int64_t k = 0; !status && k < 16; k++) CHECK(at(t, k) == 30 * k);
    }
    sample *all[] = {x, y, z, s, t};
    for (size_t k = 0; k < 5; k++)
        if (all[k]) sample_free(all[k]);
    return status;
}

static lx_graph_counts counts_of(lx_instance *self) {
    lx_graph_counts c;
    lx_graph_counts_of(self, &c);
    return c;
}

#endif
