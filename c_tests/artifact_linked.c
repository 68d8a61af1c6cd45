/* A host that two artifacts are linked into, relu(x @ w.T + b) each, without the library; argv[1] is the file of the second. */
#include <litz/artifact.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const litz_artifact_api *one_litz_artifact_entry_v1(void);
const litz_artifact_api *two_litz_artifact_entry_v1(void);

static char error[512];

#define CHECK(condition)                                                                                  \
    do {                                                                                                  \
        if (!(condition)) {                                                                               \
            fprintf(stderr, "%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #condition, error);           \
            exit(1);                                                                                      \
        }                                                                                                 \
    } while (0)
#define OK(call) CHECK((call) == LITZ_OK)

static DLTensor tensor(float *data, int32_t ndim, int64_t *shape) {
    DLTensor t;
    memset(&t, 0, sizeof t);
    t.data = data;
    t.device.device_type = kDLCPU;
    t.ndim = ndim;
    t.dtype.code = kDLFloat;
    t.dtype.bits = 32;
    t.dtype.lanes = 1;
    t.shape = shape;
    return t;
}

static void check_run(const litz_artifact_api *api, void *self, float bias) {
    float x[3] = {1, 2, 3}, y[2] = {0, 0};
    int64_t x_shape[2] = {1, 3}, y_shape[2] = {1, 2};
    DLTensor in = tensor(x, 2, x_shape), out = tensor(y, 2, y_shape);
    const DLTensor *inputs[1], *outputs[1];
    inputs[0] = &in;
    outputs[0] = &out;
    OK(api->run(self, inputs, 1, outputs, 1, NULL, error, sizeof error));
    CHECK(y[0] == 14 + bias);
}

int main(int argc, char **argv) {
    const litz_artifact_api *apis[2];
    litz_artifact_options options;
    void *self[2] = {NULL, NULL}, *clone = NULL, *other = NULL;
    float bias[2] = {7, 0};
    int64_t bias_shape[1] = {2};
    DLTensor update = tensor(bias, 1, bias_shape);
    const DLTensor *data[1];
    const char *names[1] = {"l.bias"};
    char *bytes, *aligned;
    long size;
    FILE *file;
    int k;
    CHECK(argc == 2);
    apis[0] = one_litz_artifact_entry_v1();
    apis[1] = two_litz_artifact_entry_v1();
    CHECK(apis[0] != apis[1]);
    for (k = 0; k < 2; ++k) {
        CHECK(apis[k]->struct_size >= sizeof *apis[k]);
        OK(apis[k]->create(NULL, 0, &self[k], error, sizeof error));
        check_run(apis[k], self[k], 0.5f);
    }
    /* A clone has its own constants from then on. */
    OK(apis[0]->clone(self[0], &clone, error, sizeof error));
    data[0] = &update;
    OK(apis[0]->update_constants(self[0], names, data, 1, error, sizeof error));
    check_run(apis[0], self[0], 7);
    check_run(apis[0], clone, 0.5f);
    apis[0]->destroy(self[0]);
    check_run(apis[0], clone, 0.5f);
    OK(apis[0]->cancel(clone, error, sizeof error));
    OK(apis[0]->release_memory(clone, error, sizeof error));
    check_run(apis[0], clone, 0.5f);
    apis[0]->destroy(clone);
    /* The weights in memory, and a number of threads. */
    file = fopen(argv[1], "rb");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    size = ftell(file);
    rewind(file);
    bytes = malloc((size_t)size + 128);
    CHECK(bytes != NULL);
    aligned = bytes + (64 - (size_t)bytes % 64) % 64;
    CHECK(fread(aligned, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.file = aligned;
    options.file_bytes = (size_t)size;
    options.threads = 2;
    OK(apis[1]->create_with(&options, &other, error, sizeof error));
    check_run(apis[1], other, 0.5f);
    apis[1]->destroy(other);
    options.file_bytes = (size_t)size - 1;
    CHECK(apis[1]->create_with(&options, &other, error, sizeof error) == LITZ_ERROR_PARSE);
    options.file = NULL;
    options.threads = 1000;
    CHECK(apis[1]->create_with(&options, &other, error, sizeof error) == LITZ_ERROR_INVALID_ARGUMENT);
    CHECK(strstr(error, "threads") != NULL);
    options.threads = 0;
    options.device_index = 1;
    CHECK(apis[1]->create_with(&options, &other, error, sizeof error) == LITZ_ERROR_DEVICE);
    options.struct_size = 8;
    CHECK(apis[1]->create_with(&options, &other, error, sizeof error) == LITZ_ERROR_INVALID_ARGUMENT);
    apis[1]->destroy(self[1]);
    free(bytes);
    puts("artifact linked: all right");
    return 0;
}
