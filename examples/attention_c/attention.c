/*
 * A self-attention layer written down in C with litz_ops.h, compiled once for every length up to 512, and run on two.
 *
 * The graph's calls are not checked one by one: the first failure stays with the graph, every later call does nothing,
 * and litz_compile reports it. `attention --wrong` shows that.
 */
#include <litz/litz_ops.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 16, HEADS = 4, LONGEST = 512 };

/* Numbers that look arbitrary and are the same on every machine. */
static void fill(float *data, size_t n, uint32_t seed) {
    size_t k;
    for (k = 0; k < n; ++k) {
        seed = seed * 1664525u + 1013904223u;
        data[k] = (float)(seed >> 8) / 8388608.0f - 1.0f;
    }
}

static DLTensor host_tensor(float *data, int32_t ndim, int64_t *shape) {
    DLTensor tensor = {0};
    tensor.data = data;
    tensor.device.device_type = kDLCPU;
    tensor.ndim = ndim;
    tensor.dtype.code = kDLFloat;
    tensor.dtype.bits = 32;
    tensor.dtype.lanes = 1;
    tensor.shape = shape;
    return tensor;
}

/* A weight of `rows` by WIDTH; its data is copied. */
static litz_value weight(litz_graph *graph, const char *name, int64_t rows, uint32_t seed) {
    float *data = malloc(sizeof(float) * (size_t)rows * WIDTH);
    int64_t shape[2] = {0, WIDTH};
    litz_value value = 0;
    DLTensor tensor = host_tensor(data, 2, shape);
    shape[0] = rows;
    if (data) fill(data, (size_t)rows * WIDTH, seed);
    litz_graph_constant(graph, name, LITZ_CONSTANT_PARAMETER, 0, &tensor, &value, NULL);
    free(data);
    return value;
}

/* [length, WIDTH] to [HEADS, length, WIDTH / HEADS] */
static litz_value by_heads(litz_graph *graph, litz_value x) {
    const int64_t parts[2] = {HEADS, WIDTH / HEADS};
    x = litz_aten_unflatten_int(graph, x, 1, litz_ints_of(parts, 2));
    return litz_aten_transpose_int(graph, x, 0, 1);
}

static litz_graph *layer(int64_t projected) {
    const int64_t shape[2] = {0, WIDTH}, width[1] = {WIDTH};
    litz_value symbols[2] = {0, 0}, x = 0, y, parts[3] = {0, 0, 0}, q, k, v;
    litz_tensor_spec spec = {0};
    litz_graph *graph = NULL;
    size_t n;

    if (litz_graph_new("attention", NULL, &graph, NULL) != LITZ_OK) return NULL;
    litz_graph_symbol(graph, "length", 1, LONGEST, -1, &symbols[0], NULL);
    spec.struct_size = sizeof spec;
    spec.dtype.code = kDLFloat;
    spec.dtype.bits = 32;
    spec.dtype.lanes = 1;
    spec.device.device_type = kDLCPU;
    spec.ndim = 2;
    spec.shape = shape;
    spec.symbols = symbols;
    litz_graph_input(graph, "x", &spec, &x, NULL);

    y = litz_aten_layer_norm(graph, x, litz_ints_of(width, 1), 0, 0, 1e-5, 1);
    y = litz_aten_linear(graph, y, weight(graph, "qkv.weight", projected, 1), 0);
    litz_aten_chunk(graph, y, 3, 1, parts, 3, &n);
    q = by_heads(graph, parts[0]);
    k = by_heads(graph, parts[1]);
    v = by_heads(graph, parts[2]);
    /* No mask, no dropout, causal, the usual scale. */
    y = litz_aten_scaled_dot_product_attention(graph, q, k, v, 0, 0.0, 1, litz_scalar_default(), 0);
    y = litz_aten_flatten_using_ints(graph, litz_aten_transpose_int(graph, y, 0, 1), 1, 2);
    y = litz_aten_linear(graph, y, weight(graph, "out.weight", WIDTH, 2), 0);
    y = litz_aten_add_Tensor(graph, x, y, litz_scalar_default());
    litz_graph_output(graph, "y", y, NULL);
    return graph;
}

static int fail(litz_error *err) {
    fprintf(stderr, "failed with status %d: %s\n", (int)litz_error_code(err), litz_error_message(err));
    litz_error_release(err);
    return 1;
}

static int run(const litz_executable *program, int64_t length) {
    float *data = malloc(sizeof(float) * (size_t)length * WIDTH);
    int64_t shape[2] = {0, WIDTH};
    DLTensor x = host_tensor(data, 2, shape);
    const DLTensor *inputs[1] = {&x};
    struct DLManagedTensorVersioned *out = NULL;
    litz_error *err = NULL;
    litz_status status;
    if (!data) return 1;
    shape[0] = length;
    fill(data, (size_t)length * WIDTH, 3);
    status = litz_executable_run(program, inputs, 1, &out, 1, NULL, &err);
    free(data);
    if (status != LITZ_OK) return fail(err);
    printf("length %3d: y[0] begins %.3f %.3f, y[last] ends %.3f\n", (int)length, (double)((float *)out->dl_tensor.data)[0],
           (double)((float *)out->dl_tensor.data)[1], (double)((float *)out->dl_tensor.data)[length * WIDTH - 1]);
    litz_tensor_release(out);
    return 0;
}

int main(int argc, char **argv) {
    litz_error *err = NULL;
    litz_executable *program = NULL;
    /* A projection that is too narrow does not split into three. */
    litz_graph *graph = layer(argc > 1 ? 2 * WIDTH : 3 * WIDTH);
    int result;
    (void)argv;
    if (litz_compile(graph, NULL, &program, &err) != LITZ_OK) {
        litz_graph_release(graph);
        return fail(err);
    }
    litz_graph_release(graph);
    result = run(program, 1) || run(program, 300);
    /* Beyond the range that was declared. */
    if (result == 0) run(program, LONGEST + 1);
    litz_executable_release(program);
    return result;
}
