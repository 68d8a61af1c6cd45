/* A network of LAYERS layers of WIDTH, 16 MB of weights, and what the library says of its memory. */
#ifndef LITZ_LAYERS_H
#define LITZ_LAYERS_H

#include "check.h"

#define WIDTH 512
#define LAYERS 16
#define WEIGHT_BYTES (4ll * LAYERS * WIDTH * WIDTH)
#define MB (1ll << 20)

static float *layer_weights[LAYERS], layer_bias[WIDTH];

static inline void make_weights(void) {
    unsigned state = 1;
    int l, k;
    for (l = 0; l < LAYERS; ++l) {
        layer_weights[l] = malloc(sizeof(float) * WIDTH * WIDTH);
        CHECK(layer_weights[l] != NULL);
        for (k = 0; k < WIDTH * WIDTH; ++k) {
            state = state * 1664525u + 1013904223u;
            layer_weights[l][k] = ((float)(state >> 8) / (1 << 24) - 0.5f) * 0.1f;
        }
    }
    for (k = 0; k < WIDTH; ++k) layer_bias[k] = 0.01f * (float)(k % 7);
}

static inline void free_weights(void) {
    int l;
    for (l = 0; l < LAYERS; ++l) free(layer_weights[l]);
}

/* Any number of rows up to 4096; `flags` of the weights' constants. */
static inline litz_graph *layers(int32_t flags) {
    litz_graph *g = NULL;
    int64_t weight_shape[2] = {WIDTH, WIDTH}, bias_shape[1] = {WIDTH}, input_shape[2] = {0, WIDTH};
    litz_value symbols[2] = {0, 0}, x, w, b;
    DLTensor tensor;
    litz_tensor_spec spec;
    litz_arg args[3];
    size_t n = 0;
    char name[32];
    int l;
    OK(litz_graph_new("layers", NULL, &g, &err));
    OK(litz_graph_symbol(g, "n", 1, 4096, 64, &symbols[0], &err));
    spec = float_spec(2, input_shape, symbols);
    OK(litz_graph_input(g, "x", &spec, &x, &err));
    for (l = 0; l < LAYERS; ++l) {
        tensor = float_tensor(layer_weights[l], 2, weight_shape);
        snprintf(name, sizeof name, "w%d", l);
        OK(litz_graph_constant(g, name, LITZ_CONSTANT_PARAMETER, flags, &tensor, &w, &err));
        tensor = float_tensor(layer_bias, 1, bias_shape);
        snprintf(name, sizeof name, "b%d", l);
        OK(litz_graph_constant(g, name, LITZ_CONSTANT_PARAMETER, 0, &tensor, &b, &err));
        args[0] = value_arg(x);
        args[1] = value_arg(w);
        args[2] = value_arg(b);
        OK(litz_graph_call(g, "aten.linear", args, 3, &x, 1, &n, &err));
        args[0] = value_arg(x);
        OK(litz_graph_call(g, "aten.relu", args, 1, &x, 1, &n, &err));
    }
    OK(litz_graph_output(g, "y", x, &err));
    return g;
}

/* The sum of what a run on `rows` rows of ones gives. */
static inline double run_layers(const litz_executable *e, int64_t rows) {
    int64_t shape[2] = {0, WIDTH};
    float *data = malloc(sizeof(float) * (size_t)rows * WIDTH);
    DLTensor x;
    const DLTensor *inputs[1];
    struct DLManagedTensorVersioned *y = NULL;
    double sum = 0;
    int64_t k;
    CHECK(data != NULL);
    for (k = 0; k < rows * WIDTH; ++k) data[k] = 1;
    shape[0] = rows;
    x = float_tensor(data, 2, shape);
    inputs[0] = &x;
    OK(litz_executable_run(e, inputs, 1, &y, 1, NULL, &err));
    for (k = 0; k < rows * WIDTH; ++k) sum += ((float *)y->dl_tensor.data)[k];
    y->deleter(y);
    free(data);
    return sum;
}

/* A number of litz_memory_stats: `what` is `"weights"` or the like, `field` is `"bytes"` or the like. */
static inline long long stat_of(const char *what, const char *field) {
    litz_string *json = NULL;
    const char *at;
    char key[64];
    long long value;
    OK(litz_memory_stats(kDLCPU, 0, &json, &err));
    snprintf(key, sizeof key, "\"%s\":{", what);
    at = strstr(litz_string_data(json), key);
    CHECK(at != NULL);
    snprintf(key, sizeof key, "\"%s\":", field);
    at = strstr(at, key);
    CHECK(at != NULL);
    value = strtoll(at + strlen(key), NULL, 10);
    litz_string_release(json);
    return value;
}

/* A line of /proc/self/status, in bytes: "VmRSS:", "VmHWM:". */
static inline long long process_memory(const char *what) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long long kb = -1;
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, what, strlen(what)) == 0) kb = strtoll(line + strlen(what), NULL, 10);
    fclose(file);
    CHECK(kb >= 0);
    return kb * 1024;
}

#endif
