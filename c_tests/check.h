/* What the C tests share: a failed expectation prints itself and ends the program. */
#ifndef LITZ_CHECK_H
#define LITZ_CHECK_H

#include <litz/litz.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A call that must succeed and leave `err` untouched. */
#define OK(call)                                                                                                       \
    do {                                                                                                               \
        litz_error *err = NULL;                                                                                        \
        const litz_status status_ = (call);                                                                            \
        if (status_ != LITZ_OK || err != NULL) {                                                                       \
            fprintf(stderr, "%s:%d: %s gave %d: %s\n", __FILE__, __LINE__, #call, (int)status_, litz_error_message(err)); \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A call that must fail with this code, and whose message must hold these words. */
#define FAILS(code, words, call)                                                                                       \
    do {                                                                                                               \
        litz_error *err = NULL;                                                                                        \
        const litz_status status_ = (call);                                                                            \
        check_failure(__FILE__, __LINE__, #call, status_, err, (code), (words));                                       \
    } while (0)

static inline void check_failure(const char *file, int line, const char *call, litz_status status, litz_error *err,
                                 litz_status want, const char *words) {
    const char *message = litz_error_message(err);
    if (status != want || err == NULL || litz_error_code(err) != want || strstr(message, words) == NULL ||
        strstr(litz_error_detail(err), "\"code\"") == NULL) {
        fprintf(stderr, "%s:%d: %s gave %d (%s), wanted %d with \"%s\"\n", file, line, call, (int)status, message,
                (int)want, words);
        exit(1);
    }
    litz_error_release(err);
}

static inline litz_graph *graph_of(const char *text) {
    litz_graph *g = NULL;
    OK(litz_graph_from_text(text, strlen(text), NULL, &g, &err));
    return g;
}

static inline long file_bytes(const char *path) {
    FILE *file = fopen(path, "rb");
    long bytes;
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    bytes = ftell(file);
    fclose(file);
    return bytes;
}

/* A contiguous float32 tensor around the caller's memory. */
static inline DLTensor float_tensor(float *data, int32_t ndim, int64_t *shape) {
    DLTensor tensor;
    memset(&tensor, 0, sizeof tensor);
    tensor.data = data;
    tensor.device.device_type = kDLCPU;
    tensor.ndim = ndim;
    tensor.dtype.code = kDLFloat;
    tensor.dtype.bits = 32;
    tensor.dtype.lanes = 1;
    tensor.shape = shape;
    return tensor;
}

static inline litz_tensor_spec float_spec(int32_t ndim, const int64_t *shape, const litz_value *symbols) {
    litz_tensor_spec spec;
    memset(&spec, 0, sizeof spec);
    spec.struct_size = sizeof spec;
    spec.dtype.code = kDLFloat;
    spec.dtype.bits = 32;
    spec.dtype.lanes = 1;
    spec.device.device_type = kDLCPU;
    spec.ndim = ndim;
    spec.shape = shape;
    spec.symbols = symbols;
    return spec;
}

static inline litz_arg value_arg(litz_value value) {
    litz_arg arg;
    memset(&arg, 0, sizeof arg);
    arg.kind = LITZ_ARG_VALUE;
    arg.value = value;
    return arg;
}

static inline litz_arg int_arg(int64_t value) {
    litz_arg arg;
    memset(&arg, 0, sizeof arg);
    arg.kind = LITZ_ARG_INT;
    arg.i = value;
    return arg;
}

/* relu(x @ w.T + b) with x of shape [n, 3], n from 0 to 64, w of shape [2, 3]. */
static const float check_weight[6] = {1, 2, 3, -1, -2, -3};
static const float check_bias[2] = {0.5f, 0.25f};

static inline litz_graph *linear_relu(void) {
    litz_graph *g = NULL;
    int64_t weight_shape[2] = {2, 3}, bias_shape[1] = {2}, input_shape[2] = {0, 3};
    litz_value symbols[2] = {0, 0}, x, w, b, y, z;
    float weight[6], bias[2];
    DLTensor tensor;
    litz_tensor_spec spec;
    litz_arg args[3];
    size_t n = 0;
    memcpy(weight, check_weight, sizeof weight);
    memcpy(bias, check_bias, sizeof bias);
    OK(litz_graph_new("linear_relu", NULL, &g, &err));
    OK(litz_graph_symbol(g, "n", 0, 64, 4, &symbols[0], &err));
    spec = float_spec(2, input_shape, symbols);
    OK(litz_graph_input(g, "x", &spec, &x, &err));
    tensor = float_tensor(weight, 2, weight_shape);
    OK(litz_graph_constant(g, "l.weight", LITZ_CONSTANT_PARAMETER, 0, &tensor, &w, &err));
    tensor = float_tensor(bias, 1, bias_shape);
    OK(litz_graph_constant(g, "l.bias", LITZ_CONSTANT_PARAMETER, 0, &tensor, &b, &err));
    memset(weight, 0xff, sizeof weight); /* the data was copied */
    args[0] = value_arg(x);
    args[1] = value_arg(w);
    args[2] = value_arg(b);
    args[2].name = "bias";
    OK(litz_graph_call(g, "aten.linear", args, 3, &y, 1, &n, &err));
    CHECK(n == 1);
    args[0] = value_arg(y);
    OK(litz_graph_call(g, "aten.relu.default", args, 1, &z, 1, &n, &err));
    OK(litz_graph_output(g, "z", z, &err));
    return g;
}

/* Whether z is what linear_relu gives for n rows of x. */
static inline int linear_relu_is(const float *x, const float *z, int64_t n) {
    int64_t row;
    int k, j;
    for (row = 0; row < n; ++row) {
        for (k = 0; k < 2; ++k) {
            float want = check_bias[k];
            for (j = 0; j < 3; ++j) want += x[3 * row + j] * check_weight[3 * k + j];
            if (want < 0) want = 0;
            if (z[2 * row + k] < want - 1e-5f || z[2 * row + k] > want + 1e-5f) return 0;
        }
    }
    return 1;
}

/* Runs a program of linear_relu. */
static inline void check_linear_relu(const litz_executable *e) {
    float x[6] = {1, 2, 3, -4, -5, -6};
    int64_t shape[2] = {2, 3};
    DLTensor input = float_tensor(x, 2, shape);
    const DLTensor *inputs[1];
    struct DLManagedTensorVersioned *made = NULL;
    inputs[0] = &input;
    OK(litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    CHECK(linear_relu_is(x, (float *)made->dl_tensor.data, 2));
    litz_tensor_release(made);
}

#endif
