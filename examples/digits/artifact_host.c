/*
 * Classifies handwritten digits with an artifact alone: this program is linked with libc and libdl, includes
 * litz/artifact.h, and needs neither liblitz nor a compiler.
 *
 *   artifact_host ARTIFACT.so digits.safetensors
 */
#define _DEFAULT_SOURCE
#include <dlfcn.h>
#include <litz/artifact.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "safetensors.h"

#define CLASSES 10

static int fail(const char *what, const char *why) {
    fprintf(stderr, "artifact_host: %s: %s\n", what, why);
    return 1;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static DLTensor f32(const void *data, int32_t ndim, int64_t *shape) {
    DLTensor tensor;
    memset(&tensor, 0, sizeof tensor);
    tensor.data = (void *)(uintptr_t)data;
    tensor.device.device_type = kDLCPU;
    tensor.ndim = ndim;
    tensor.dtype.code = kDLFloat;
    tensor.dtype.bits = 32;
    tensor.dtype.lanes = 1;
    tensor.shape = shape;
    return tensor;
}

int main(int argc, char **argv) {
    safetensors_file file;
    safetensors_tensor images, labels;
    const int64_t *label;
    int64_t n, k, right = 0, image_shape[4], score_shape[2];
    float *scores;
    DLTensor input, output;
    const DLTensor *inputs[1], *outputs[1];
    char error[512] = "";
    void *library, *symbol, *self = NULL;
    litz_artifact_entry_fn entry;
    const litz_artifact_api *api;
    double begin, opened, first, once;

    if (argc != 3) return fail("usage", "artifact_host ARTIFACT.so digits.safetensors");
    if (safetensors_open(argv[2], &file) != 0 || safetensors_find(&file, "test.images", "F32", &images) != 0 ||
        safetensors_find(&file, "test.labels", "I64", &labels) != 0)
        return fail(argv[2], "no test images and labels there");
    n = images.shape[0];
    label = (const int64_t *)labels.data;

    begin = seconds();
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return fail("dlopen", dlerror());
    symbol = dlsym(library, LITZ_ARTIFACT_ENTRY);
    if (symbol == NULL) return fail("dlsym", dlerror());
    memcpy(&entry, &symbol, sizeof entry);
    api = entry();
    if (api->magic != LITZ_ARTIFACT_MAGIC || api->abi_version != LITZ_ARTIFACT_ABI_VERSION)
        return fail(argv[1], "no artifact of this version");
    if (api->create(NULL, 0, &self, error, sizeof error) != LITZ_OK) return fail("create", error);
    opened = seconds() - begin;

    scores = (float *)malloc((size_t)n * CLASSES * sizeof *scores);
    if (scores == NULL) return fail("scores", "no memory");
    image_shape[0] = n;
    image_shape[1] = 1;
    image_shape[2] = images.shape[1];
    image_shape[3] = images.shape[2];
    score_shape[0] = n;
    score_shape[1] = CLASSES;
    input = f32(images.data, 4, image_shape);
    output = f32(scores, 2, score_shape);
    inputs[0] = &input;
    outputs[0] = &output;
    begin = seconds();
    if (api->run(self, inputs, 1, outputs, 1, NULL, error, sizeof error) != LITZ_OK) return fail("run", error);
    first = seconds() - begin;
    begin = seconds();
    if (api->run(self, inputs, 1, outputs, 1, NULL, error, sizeof error) != LITZ_OK) return fail("run", error);
    once = seconds() - begin;

    for (k = 0; k < n; ++k) {
        int64_t c, best = 0;
        for (c = 1; c < CLASSES; ++c)
            if (scores[k * CLASSES + c] > scores[k * CLASSES + best]) best = c;
        right += best == label[k];
    }
    printf("accuracy          %.1f %% (%lld of %lld)\n", 100.0 * (double)right / (double)n, (long long)right, (long long)n);
    printf("open              %.1f ms; first run %.2f ms\n", 1e3 * opened, 1e3 * first);
    printf("time per image    %.2f us in one batch of %lld\n", 1e6 * once / (double)n, (long long)n);

    api->destroy(self);
    dlclose(library);
    free(scores);
    safetensors_close(&file);
    return 0;
}
