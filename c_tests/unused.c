/* Inputs and constants that a program does not use, and constants that are frozen: known, without memory, in programs that were
 * compiled here and in artifacts. argv[1] is a folder to write into. */
#include "check.h"

#define MANY 65536 /* elements of the constant that nothing uses */

static int64_t many = MANY;
static float large[MANY];

static litz_value call(litz_graph *g, const char *op, litz_value a, litz_value b) {
    litz_arg args[2];
    litz_value out = 0;
    size_t n = 0;
    args[0] = value_arg(a);
    args[1] = value_arg(b);
    OK(litz_graph_call(g, op, args, b ? 2 : 1, &out, 1, &n, &err));
    return out;
}

/* z = x @ (w + v) of x [n, 3]; `y` [n, m], `other` [m] and the constant `u` are not used, of `sized` [k] the size k alone: it is
 * the second result. */
static litz_graph *graph(void) {
    static const float weight[6] = {1, 2, 3, -1, -2, -3}, more[6] = {1, 1, 1, 1, 1, 1};
    litz_graph *g = NULL;
    int64_t two[2] = {0, 3}, weight_shape[2] = {3, 2};
    litz_value n, m, k, x, y, other, sized, w, v, u, symbols[2] = {0, 0};
    litz_tensor_spec spec;
    DLTensor tensor;
    OK(litz_graph_new("unused", NULL, &g, &err));
    OK(litz_graph_symbol(g, "n", 1, 64, 4, &n, &err));
    OK(litz_graph_symbol(g, "m", 2, 64, 4, &m, &err));
    OK(litz_graph_symbol(g, "k", 0, 64, 4, &k, &err));
    symbols[0] = n;
    spec = float_spec(2, two, symbols);
    OK(litz_graph_input(g, "x", &spec, &x, &err));
    symbols[1] = m;
    spec = float_spec(2, two, symbols);
    OK(litz_graph_input(g, "y", &spec, &y, &err));
    symbols[0] = m;
    spec = float_spec(1, two, symbols);
    OK(litz_graph_input(g, "other", &spec, &other, &err));
    symbols[0] = k;
    spec = float_spec(1, two, symbols);
    OK(litz_graph_input(g, "sized", &spec, &sized, &err));
    tensor = float_tensor((float *)(uintptr_t)weight, 2, weight_shape);
    OK(litz_graph_constant(g, "w", LITZ_CONSTANT_PARAMETER, 0, &tensor, &w, &err));
    tensor = float_tensor((float *)(uintptr_t)more, 2, weight_shape);
    OK(litz_graph_constant(g, "v", LITZ_CONSTANT_PARAMETER, 0, &tensor, &v, &err));
    tensor = float_tensor(large, 1, &many);
    OK(litz_graph_constant(g, "u", LITZ_CONSTANT_PARAMETER, 0, &tensor, &u, &err));
    OK(litz_graph_output(g, "z", call(g, "aten.matmul", x, call(g, "aten.add.Tensor", w, v)), &err));
    OK(litz_graph_output(g, "k", k, &err));
    return g;
}

static int contains(litz_string *json, const char *words) {
    int found = strstr(litz_string_data(json), words) != NULL;
    if (!found) fprintf(stderr, "no %s in %s\n", words, litz_string_data(json));
    litz_string_release(json);
    return found;
}

static litz_string *describe(const litz_executable *e) {
    litz_string *json = NULL;
    OK(litz_executable_describe(e, &json, &err));
    return json;
}

/* Bytes of constants that programs hold. */
static long weights(void) {
    litz_string *json = NULL;
    const char *at;
    long bytes;
    OK(litz_memory_stats(1, 0, &json, &err));
    at = strstr(litz_string_data(json), "\"weights\":{\"bytes\":");
    CHECK(at != NULL);
    bytes = strtol(at + strlen("\"weights\":{\"bytes\":"), NULL, 10);
    litz_string_release(json);
    return bytes;
}

static void run(const litz_executable *e, const DLTensor *const *inputs, int64_t sized, const char *fails) {
    struct DLManagedTensorVersioned *made[2] = {NULL, NULL};
    const float *z;
    if (fails) {
        FAILS(LITZ_ERROR_SHAPE, fails, litz_executable_run(e, inputs, 4, made, 2, NULL, &err));
        return;
    }
    OK(litz_executable_run(e, inputs, 4, made, 2, NULL, &err));
    z = (const float *)made[0]->dl_tensor.data;
    /* [1, 2, 3] @ [[2, 3], [4, 0], [-1, -2]] */
    CHECK(z[0] > 6.99f && z[0] < 7.01f && z[1] > -3.01f && z[1] < -2.99f);
    CHECK(*(const int64_t *)made[1]->dl_tensor.data == sized);
    litz_tensor_release(made[0]);
    litz_tensor_release(made[1]);
}

static void inputs_that_are_not_used(const litz_executable *e) {
    float data[3] = {1, 2, 3};
    int64_t x_shape[2] = {1, 3}, y_shape[2] = {1, 5}, five = 5, six = 6, one = 1, seven = 7;
    DLTensor x = float_tensor(data, 2, x_shape), y = float_tensor(NULL, 2, y_shape), other = float_tensor(NULL, 1, &five),
             sized = float_tensor(NULL, 1, &seven);
    DLTensor out[2];
    int64_t room[2][2], strides[2][2];
    const DLTensor *inputs[4];
    litz_string *json = describe(e);
    const char *about = litz_string_data(json), *at = strstr(about, "{\"name\":\"y\"");
    CHECK(at != NULL && strstr(at, "\"used\":false,\"optional\":true") == strstr(at, "\"used\""));
    at = strstr(about, "{\"name\":\"sized\"");
    CHECK(at != NULL && strstr(at, "\"used\":false,\"optional\":false") == strstr(at, "\"used\""));
    litz_string_release(json);
    inputs[0] = &x;
    inputs[1] = &y;
    inputs[2] = &other;
    inputs[3] = &sized;
    /* Wherever they lie, in whatever order, and without memory. */
    y.device.device_type = kDLCUDA;
    run(e, inputs, 7, NULL);
    inputs[1] = NULL;
    run(e, inputs, 7, NULL);
    /* Beside one that was left out, the sizes that it would have given are anybody's. */
    other.shape = &six;
    run(e, inputs, 7, NULL);
    inputs[2] = NULL;
    run(e, inputs, 7, NULL);
    memset(out, 0, sizeof out);
    out[0].shape = room[0];
    out[0].strides = strides[0];
    out[1].shape = room[1];
    out[1].strides = strides[1];
    OK(litz_executable_infer_outputs(e, inputs, 4, out, 2, &err));
    CHECK(out[0].ndim == 2 && room[0][0] == 1 && room[0][1] == 2);
    /* One that is given is of the promised type and sizes. */
    inputs[1] = &y;
    inputs[2] = &other;
    run(e, inputs, 0, "input 2 `other`");
    other.shape = &one;
    run(e, inputs, 0, "input 2 `other`");
    other.shape = &five;
    y.dtype.bits = 64;
    {
        struct DLManagedTensorVersioned *made[2] = {NULL, NULL};
        FAILS(LITZ_ERROR_DTYPE, "input 1 `y`", litz_executable_run(e, inputs, 4, made, 2, NULL, &err));
        y.dtype.bits = 32;
        y.ndim = 1;
        FAILS(LITZ_ERROR_SHAPE, "input 1 `y`", litz_executable_run(e, inputs, 4, made, 2, NULL, &err));
        y.ndim = 2;
        /* What is needed is not left out. */
        inputs[3] = NULL;
        FAILS(LITZ_ERROR_INVALID_ARGUMENT, "input 3 (`sized`) is NULL", litz_executable_run(e, inputs, 4, made, 2, NULL, &err));
        inputs[3] = &sized;
        inputs[0] = NULL;
        FAILS(LITZ_ERROR_INVALID_ARGUMENT, "input 0 (`x`) is NULL", litz_executable_run(e, inputs, 4, made, 2, NULL, &err));
    }
}

/* The number `n` says how many elements `counted` has; nothing else needs either. */
static void a_number_that_is_not_used(void) {
    litz_graph *g = graph_of("graph \"numbers\" {\n"
                             "  symbol n in [1, 100]\n"
                             "  number %0 \"n\": int64 = n\n"
                             "  input %1 \"counted\": float32[1 + 3*n]\n"
                             "  input %2 \"x\": float32[1]\n"
                             "  %3 = aten.neg.default(%2)\n"
                             "  output \"y\" = %3\n"
                             "}\n");
    float data[10] = {1};
    int64_t n = 3, one = 1, ten = 10;
    DLTensor number = float_tensor(data, 0, NULL), counted = float_tensor(data, 1, &ten), x = float_tensor(data, 1, &one);
    const DLTensor *inputs[3];
    struct DLManagedTensorVersioned *made = NULL;
    litz_executable *e = NULL;
    number.dtype.code = kDLInt;
    number.dtype.bits = 64;
    number.data = &n;
    inputs[0] = &number;
    inputs[1] = &counted;
    inputs[2] = &x;
    OK(litz_compile(g, NULL, &e, &err));
    OK(litz_executable_run(e, inputs, 3, &made, 1, NULL, &err));
    litz_tensor_release(made);
    n = 2;
    FAILS(LITZ_ERROR_SHAPE, "dimension 0 is 10, but the program expects 7", litz_executable_run(e, inputs, 3, &made, 1, NULL, &err));
    number.data = NULL;
    OK(litz_executable_run(e, inputs, 3, &made, 1, NULL, &err));
    litz_tensor_release(made);
    litz_executable_release(e);
    litz_graph_release(g);
}

static void a_constant_that_is_not_used(litz_executable *e) {
    struct DLManagedTensorVersioned *made = NULL;
    DLTensor tensor = float_tensor(large, 1, &many);
    const DLTensor *data = &tensor;
    const char *name = "u";
    litz_string *json = describe(e);
    const char *at = strstr(litz_string_data(json), "{\"name\":\"u\"");
    CHECK(at != NULL && strstr(at, "\"used\":false") == strstr(at, "\"used\""));
    litz_string_release(json);
    FAILS(LITZ_ERROR_STATE, "constant `u`: the program does not use it", litz_executable_constant(e, "u", &made, &err));
    /* A host that sets all of a model's parameters need not know which are used. */
    OK(litz_executable_update_constants(e, &name, &data, 1, &err));
    tensor.ndim = 0;
    FAILS(LITZ_ERROR_SHAPE, "`u`", litz_executable_update_constants(e, &name, &data, 1, &err));
    FAILS(LITZ_ERROR_STATE, "does not use it", litz_executable_constant(e, "u", &made, &err));
}

static void frozen_constants(litz_executable *e, const char *saves) {
    float value[6] = {0, 0, 0, 0, 0, 0};
    int64_t shape[2] = {3, 2};
    DLTensor tensor = float_tensor(value, 2, shape);
    const DLTensor *data = &tensor;
    const char *name = "w";
    struct DLManagedTensorVersioned *made = NULL;
    litz_executable *copy = NULL;
    CHECK(contains(describe(e), "\"from\":[\"w\",\"v\"]"));
    CHECK(contains(describe(e), "\"frozen\":true"));
    FAILS(LITZ_ERROR_STATE, "freeze=true", litz_executable_update_constants(e, &name, &data, 1, &err));
    FAILS(LITZ_ERROR_STATE, "freeze=true", litz_executable_constant(e, "w", &made, &err));
    FAILS(LITZ_ERROR_STATE, "freeze=true", litz_executable_save_constants(e, "nowhere.safetensors", &err));
    if (saves) OK(litz_executable_save(e, saves, &err));
    OK(litz_executable_clone(e, &copy, &err));
    inputs_that_are_not_used(copy);
    litz_executable_release(copy);
}

static void of_backend(const char *backend, const char *folder) {
    litz_options *o = NULL, *frozen = NULL;
    litz_executable *e = NULL;
    litz_graph *g = graph();
    char path[512], saved[512];
    long before = weights();
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", backend, &err));
    OK(litz_options_clone(o, &frozen, &err));
    OK(litz_options_set(frozen, "freeze", "true", &err));
    OK(litz_compile(g, o, &e, &err));
    inputs_that_are_not_used(e);
    a_constant_that_is_not_used(e);
    /* The two matrices, of the library's own, and nothing of `u`. */
    CHECK(weights() - before >= 48 && weights() - before < 1024);
    if (!strcmp(backend, "cpu")) {
        litz_executable *opened = NULL;
        snprintf(path, sizeof path, "%s/unused.so", folder);
        snprintf(saved, sizeof saved, "%s/saved.so", folder);
        OK(litz_compile_artifact(g, o, path, &err));
        OK(litz_executable_save(e, saved, &err));
        CHECK(file_bytes(path) < 4 * MANY && file_bytes(path) == file_bytes(saved));
        OK(litz_executable_open(saved, NULL, &opened, &err));
        inputs_that_are_not_used(opened);
        a_constant_that_is_not_used(opened);
        litz_executable_release(opened);
        /* Weights of all parameters are taken; those that are written are the ones that are used. */
        snprintf(saved, sizeof saved, "%s/weights.safetensors", folder);
        OK(litz_executable_save_constants(e, saved, &err));
        CHECK(file_bytes(saved) < 1024);
        OK(litz_executable_load_constants(e, saved, &err));
    }
    litz_executable_release(e);
    CHECK(weights() == before);
    OK(litz_compile(g, frozen, &e, &err));
    CHECK(weights() == before);
    inputs_that_are_not_used(e);
    snprintf(saved, sizeof saved, "%s/frozen.so", folder);
    frozen_constants(e, !strcmp(backend, "cpu") ? saved : NULL);
    litz_executable_release(e);
    if (!strcmp(backend, "cpu")) {
        OK(litz_compile_artifact(g, frozen, path, &err));
        OK(litz_executable_open(path, NULL, &e, &err));
        inputs_that_are_not_used(e);
        frozen_constants(e, saved);
        litz_executable_release(e);
    }
    CHECK(weights() == before);
    litz_graph_release(g);
    litz_options_release(frozen);
    litz_options_release(o);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    a_number_that_is_not_used();
    of_backend("interpreter", argv[1]);
    of_backend("cpu", argv[1]);
    puts("all right");
    return 0;
}
