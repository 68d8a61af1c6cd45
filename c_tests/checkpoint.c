/* Checkpoints of training on the backend argv[1], in the folder argv[2]: a run that resumes is the run that was not interrupted, bit
 * for bit; and what is refused leaves the program as it was. */
#include "check.h"

static litz_options *options;
static char path[4096], weights[4096], other[4096];

static litz_arg decimal(const char *name, double value) {
    litz_arg arg = int_arg(0);
    arg.name = name;
    arg.kind = LITZ_ARG_FLOAT;
    arg.f = value;
    return arg;
}

static litz_value call(litz_graph *g, const char *op, const litz_arg *args, size_t n_args) {
    litz_value out = 0;
    size_t n = 0;
    OK(litz_graph_call(g, op, args, n_args, &out, 1, &n, &err));
    return out;
}

/* One step on sum(dropout(x w^T)^2), w of [rows, 3]. Dropout draws from the random state, which is part of what a checkpoint holds. */
static litz_executable *step_of(const char *kind, int64_t rows) {
    litz_graph *g = NULL;
    litz_executable *e = NULL;
    litz_value x = 0, w = 0, y, grad = 0, loss;
    int64_t shape[2] = {2, 3}, weight_shape[2] = {0, 3};
    float data[9] = {1, 2, 3, -1, -2, -3, 4, 5, 6};
    DLTensor tensor = float_tensor(data, 2, weight_shape);
    const litz_tensor_spec spec = float_spec(2, shape, NULL);
    const litz_arg rate = decimal("lr", 0.125);
    litz_arg args[3];
    weight_shape[0] = rows;
    OK(litz_graph_new("step", NULL, &g, &err));
    OK(litz_graph_input(g, "x", &spec, &x, &err));
    OK(litz_graph_constant(g, "w", LITZ_CONSTANT_PARAMETER, 0, &tensor, &w, &err));
    args[0] = value_arg(x);
    args[1] = value_arg(w);
    args[0] = value_arg(call(g, "aten.linear", args, 2));
    args[1] = decimal(NULL, 0.5);
    args[2] = int_arg(1);
    args[2].kind = LITZ_ARG_BOOL;
    y = call(g, "aten.dropout", args, 3);
    args[0] = args[1] = value_arg(y);
    args[0] = value_arg(call(g, "aten.mul.Tensor", args, 2));
    loss = call(g, "aten.sum", args, 1);
    OK(litz_graph_differentiate(g, &loss, NULL, 1, &w, 1, &grad, &err));
    OK(litz_graph_optimizer_step(g, kind, &w, &grad, 1, &rate, 1, &err));
    OK(litz_graph_output(g, "loss", loss, &err));
    OK(litz_compile(g, options, &e, &err));
    litz_graph_release(g);
    return e;
}

/* Runs some steps from a random state on, which moves with them; gives the last loss. */
static float steps(litz_executable *e, int n, uint64_t seed, uint64_t *offset) {
    float x[6] = {1, -1, 2, 0.5f, 3, -2}, loss = 0;
    int64_t shape[2] = {2, 3};
    DLTensor tensor = float_tensor(x, 2, shape);
    const DLTensor *inputs[1] = {&tensor};
    litz_run_options ro;
    while (n-- > 0) {
        struct DLManagedTensorVersioned *made = NULL;
        memset(&ro, 0, sizeof ro);
        ro.struct_size = sizeof ro;
        ro.flags = LITZ_RUN_HAS_SEED;
        ro.seed = seed;
        ro.offset = *offset;
        ro.next_offset = offset;
        OK(litz_executable_run(e, inputs, 1, &made, 1, &ro, &err));
        memcpy(&loss, made->dl_tensor.data, sizeof loss);
        litz_tensor_release(made);
    }
    return loss;
}

static int same(litz_executable *a, litz_executable *b, const char *name) {
    struct DLManagedTensorVersioned *one = NULL, *two = NULL;
    size_t bytes;
    int k, equal;
    OK(litz_executable_constant(a, name, &one, &err));
    OK(litz_executable_constant(b, name, &two, &err));
    bytes = one->dl_tensor.dtype.bits / 8;
    for (k = 0; k < one->dl_tensor.ndim; ++k) bytes *= (size_t)one->dl_tensor.shape[k];
    equal = memcmp(one->dl_tensor.data, two->dl_tensor.data, bytes) == 0;
    litz_tensor_release(one);
    litz_tensor_release(two);
    return equal;
}

/* The bytes of a file, with a NUL behind them that is not counted; the caller frees them. */
static char *content(const char *name, size_t *size) {
    FILE *file = fopen(name, "rb");
    char *bytes = (char *)malloc(1 << 16);
    CHECK(file != NULL && bytes != NULL);
    *size = fread(bytes, 1, (1 << 16) - 1, file);
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

/* Writes `other`: the checkpoint with `from` replaced by `to`, which is as long. */
static void spoil(const char *from, const char *to) {
    size_t size, k;
    char *bytes = content(path, &size);
    FILE *file = fopen(other, "wb");
    CHECK(file != NULL && strlen(from) == strlen(to));
    for (k = 0; k + strlen(from) <= size && memcmp(bytes + k, from, strlen(from)) != 0; ++k) {}
    CHECK(k + strlen(from) <= size);
    memcpy(bytes + k, to, strlen(to));
    CHECK(fwrite(bytes, 1, size, file) == size);
    fclose(file);
    free(bytes);
}

static void resumed(void) {
    litz_executable *whole = step_of("adamw", 2), *first = step_of("adamw", 2), *second = step_of("adamw", 2);
    uint64_t at = 0, from = 0, seed = 7, loaded = 0;
    char *bytes, *again;
    size_t size, size_again;
    float loss;
    loss = steps(whole, 6, seed, &at);
    steps(first, 3, seed, &from);
    OK(litz_executable_save_checkpoint(first, path, seed, from, &err));
    /* The seed's and the offset's whole range; and the same state is the same file. */
    OK(litz_executable_save_checkpoint(first, other, UINT64_MAX, UINT64_MAX - 1, &err));
    OK(litz_executable_load_checkpoint(second, other, &seed, &loaded, &err));
    CHECK(seed == UINT64_MAX && loaded == UINT64_MAX - 1);
    OK(litz_executable_load_checkpoint(second, path, &seed, &loaded, &err));
    CHECK(seed == 7 && loaded == from && from > 0);
    OK(litz_executable_save_checkpoint(second, other, seed, loaded, &err));
    bytes = content(path, &size);
    again = content(other, &size_again);
    CHECK(size == size_again && memcmp(bytes, again, size) == 0);
    free(bytes);
    free(again);

    CHECK(steps(second, 3, seed, &loaded) == loss && loaded == at);
    CHECK(same(whole, second, "w") && same(whole, second, "w.exp_avg") && same(whole, second, "w.exp_avg_sq"));
    CHECK(same(whole, second, "optimizer.step"));
    CHECK(!same(whole, first, "w") && !same(whole, first, "optimizer.step"));
    litz_executable_release(whole);
    litz_executable_release(first);
    litz_executable_release(second);
}

static void refused(void) {
    litz_executable *e = step_of("adamw", 2), *untouched = step_of("adamw", 2), *more;
    uint64_t seed = 5, offset = 6;
    /* Weights of the same program: no checkpoint; but a checkpoint's weights are weights. */
    OK(litz_executable_save_constants(e, weights, &err));
    FAILS(LITZ_ERROR_PARSE, "no checkpoint", litz_executable_load_checkpoint(e, weights, &seed, &offset, &err));
    OK(litz_executable_load_constants(untouched, weights, &err));
    spoil("\\\"version\\\":1", "\\\"version\\\":2");
    FAILS(LITZ_ERROR_UNSUPPORTED, "version 2", litz_executable_load_checkpoint(e, other, &seed, &offset, &err));
    spoil("\\\"offset\\\"", "\\\"offzet\\\"");
    FAILS(LITZ_ERROR_PARSE, "`offset`", litz_executable_load_checkpoint(e, other, &seed, &offset, &err));
    /* Another optimizer's state: a buffer that is not there, and one that nobody knows. */
    more = step_of("sgd", 2);
    OK(litz_executable_save_checkpoint(more, other, 1, 2, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`w.exp_avg`", litz_executable_load_checkpoint(e, other, &seed, &offset, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`w.exp_avg", litz_executable_load_checkpoint(more, path, &seed, &offset, &err));
    litz_executable_release(more);
    more = step_of("adamw", 3);
    FAILS(LITZ_ERROR_SHAPE, "`w", litz_executable_load_checkpoint(more, path, &seed, &offset, &err));
    litz_executable_release(more);
    FAILS(LITZ_ERROR_IO, "nowhere", litz_executable_save_checkpoint(e, "/nowhere/at.all", 1, 2, &err));
    FAILS(LITZ_ERROR_IO, "nowhere", litz_executable_load_checkpoint(e, "/nowhere/at.all", &seed, &offset, &err));
    CHECK(seed == 5 && offset == 6);
    CHECK(same(e, untouched, "w") && same(e, untouched, "w.exp_avg") && same(e, untouched, "optimizer.step"));
    litz_executable_release(e);
    litz_executable_release(untouched);
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    snprintf(path, sizeof path, "%s/step.safetensors", argv[2]);
    snprintf(weights, sizeof weights, "%s/weights.safetensors", argv[2]);
    snprintf(other, sizeof other, "%s/other.safetensors", argv[2]);
    OK(litz_options_new(&options, &err));
    OK(litz_options_set(options, "backend", argv[1], &err));
    resumed();
    refused();
    litz_options_release(options);
    printf("checkpoints on %s: all right\n", argv[1]);
    return 0;
}
