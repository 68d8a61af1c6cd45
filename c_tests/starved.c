/* A program's own executor, linked into this one with its allocations wrapped: each of them fails in turn, alone and with
 * all that follow. Every call then succeeds or says that there is no memory, and the next one works.
 *
 *   starved WEIGHTS FLOATS      FLOATS: the length of the rows of its one input, 2 rows of float32; one output
 */
#include <litz/artifact.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const litz_artifact_api *litz_artifact_entry_v1(void);
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static long before, failed; /* allocations that succeed still, or -1; how many failed */
static int all_later;

static int fails(void) {
    if (before < 0) return 0;
    if (before > 0) {
        --before;
        return 0;
    }
    if (!all_later) before = -1;
    ++failed;
    return 1;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : __real_calloc(n, size); }
void *__wrap_realloc(void *memory, size_t size) { return fails() ? NULL : __real_realloc(memory, size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : __real_aligned_alloc(alignment, size); }

#define CHECK(condition)                                                     \
    do {                                                                     \
        if (!(condition)) {                                                  \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

enum { ROWS = 2, MOST = 1024 };
static const litz_artifact_api *api;
static const char *weights;
static int64_t in_shape[2] = {ROWS, 0}, out_shape[8], out_strides[8];
static unsigned char bytes[MOST * 4 + 1];
static float expected[MOST], values[MOST];
static DLTensor input, output;
static char error[256];

/* What a call gave while an allocation may have failed. */
static int good(litz_status status) {
    if (status == LITZ_OK) return 1;
    CHECK(status == LITZ_ERROR_OUT_OF_MEMORY && failed > 0 && strstr(error, "memory") != NULL);
    return 0;
}

static litz_status run(void *self) {
    const DLTensor *inputs[1], *outputs[1];
    inputs[0] = &input;
    outputs[0] = &output;
    memset(values, 0xff, sizeof values);
    output.data = values;
    return api->run(self, inputs, 1, outputs, 1, NULL, error, sizeof error);
}

static size_t out_bytes(void) {
    size_t n = 4;
    int32_t d;
    for (d = 0; d < output.ndim; ++d) n *= (size_t)out_shape[d];
    return n;
}

static void sequence(long n) {
    void *self = NULL;
    DLTensor view;
    const DLTensor *data[1];
    const char *names[1];
    char name[256] = "";
    const char *at = strstr(api->metadata, "\"constants\":[{\"name\":\"");
    CHECK(at != NULL);
    at += strlen("\"constants\":[{\"name\":\"");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "\""), at);
    before = n;
    failed = 0;
    if (!good(api->create(weights, 0, &self, error, sizeof error))) {
        CHECK(self == NULL);
        return;
    }
    if (good(run(self))) CHECK(memcmp(values, expected, out_bytes()) == 0);
    CHECK(api->constant(self, 0, &view, error, sizeof error) == LITZ_OK);
    names[0] = name;
    data[0] = &view;
    good(api->update_constants(self, names, data, 1, error, sizeof error));
    if (good(run(self))) CHECK(memcmp(values, expected, out_bytes()) == 0);
    before = -1;
    CHECK(run(self) == LITZ_OK && memcmp(values, expected, out_bytes()) == 0);
    api->destroy(self);
}

int main(int argc, char **argv) {
    void *self = NULL;
    DLTensor *outputs = &output;
    const DLTensor *inputs[1];
    long n;
    size_t k;
    before = -1;
    CHECK(argc == 3);
    api = litz_artifact_entry_v1();
    weights = argv[1];
    in_shape[1] = atoi(argv[2]);
    CHECK(in_shape[1] > 0 && ROWS * in_shape[1] <= MOST);
    for (k = 0; k < (size_t)(ROWS * in_shape[1]); ++k) {
        const float x = (float)(k % 7) - 3.0f;
        memcpy(bytes + 1 + 4 * k, &x, 4);
    }
    input.data = bytes + 1; /* misaligned, so that it has to be copied */
    input.device.device_type = kDLCPU;
    input.ndim = 2;
    input.dtype.code = kDLFloat;
    input.dtype.bits = 32;
    input.dtype.lanes = 1;
    input.shape = in_shape;
    output.shape = out_shape;
    output.strides = out_strides;
    inputs[0] = &input;
    CHECK(api->create(weights, 0, &self, error, sizeof error) == LITZ_OK);
    CHECK(api->infer_outputs(self, inputs, 1, outputs, 1, error, sizeof error) == LITZ_OK && out_bytes() <= sizeof values);
    CHECK(run(self) == LITZ_OK);
    memcpy(expected, values, out_bytes());
    api->destroy(self);
    for (all_later = 0; all_later < 2; ++all_later) {
        for (n = 0; n < 10000; ++n) {
            sequence(n);
            if (failed == 0) break;
        }
        CHECK(n > 10 && n < 10000);
        printf("%ld allocations\n", n);
    }
    puts("starved: all right");
    return 0;
}
