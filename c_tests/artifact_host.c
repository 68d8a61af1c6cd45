/* A host that knows dlopen and artifact.h only: it runs relu(x @ w.T + b), saved as argv[1], without the library. */
#define _DEFAULT_SOURCE
#include <dlfcn.h>
#include <litz/artifact.h>
#include <stdio.h>
#include <string.h>

static int fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    return 1;
}

int main(int argc, char **argv) {
    static const float expected[4] = {14.5f, 0.0f, 0.0f, 14.25f};
    float x[6] = {1, 2, 3, -1, -2, -3}, z[4] = {9, 9, 9, 9};
    int64_t x_shape[2] = {2, 3}, z_shape[2] = {0, 0}, z_strides[2] = {0, 0};
    DLTensor input, output, view;
    const DLTensor *inputs[1], *outputs[1];
    char error[512] = "";
    void *library, *self = NULL, *symbol;
    litz_artifact_entry_fn entry;
    const litz_artifact_api *api;
    int k;
    if (argc != 2) return fail("usage", "artifact_host FILE");
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return fail("dlopen", dlerror());
    symbol = dlsym(library, LITZ_ARTIFACT_ENTRY);
    if (symbol == NULL) return fail("dlsym", dlerror());
    memcpy(&entry, &symbol, sizeof entry);
    api = entry();
    if (api->magic != LITZ_ARTIFACT_MAGIC || api->struct_size < sizeof *api) return fail("entry", "no artifact");
    if (strstr(api->metadata, "\"z\"") == NULL) return fail("metadata", api->metadata);
    if (api->create(NULL, 0, &self, error, sizeof error) != LITZ_OK) return fail("create", error);
    memset(&input, 0, sizeof input);
    input.data = x;
    input.device.device_type = kDLCPU;
    input.ndim = 2;
    input.dtype.code = kDLFloat;
    input.dtype.bits = 32;
    input.dtype.lanes = 1;
    input.shape = x_shape;
    memset(&output, 0, sizeof output);
    output.shape = z_shape;
    output.strides = z_strides;
    inputs[0] = &input;
    outputs[0] = &output;
    if (api->infer_outputs(self, inputs, 1, &output, 1, error, sizeof error) != LITZ_OK) return fail("infer", error);
    if (output.ndim != 2 || z_shape[0] != 2 || z_shape[1] != 2) return fail("infer", "wrong sizes");
    output.data = z;
    if (api->run(self, inputs, 1, outputs, 1, NULL, error, sizeof error) != LITZ_OK) return fail("run", error);
    for (k = 0; k < 4; ++k)
        if (z[k] != expected[k]) return fail("run", "wrong values");
    x_shape[1] = 4;
    if (api->run(self, inputs, 1, outputs, 1, NULL, error, sizeof error) != LITZ_ERROR_SHAPE) return fail("run", "no error");
    if (error[0] == 0) return fail("run", "no message");
    if (api->constant(self, 0, &view, error, sizeof error) != LITZ_OK || view.ndim < 1) return fail("constant", error);
    api->destroy(self);
    api->destroy(NULL);
    dlclose(library);
    puts("artifact host: all right");
    return 0;
}
