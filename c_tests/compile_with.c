/* Compiling with examples of the inputs: hints, one run that changes nothing, and examples that do not suit. The argument is
 * the backend. */
#define _DEFAULT_SOURCE
#include "check.h"

/* The number that describe says under a key. */
static long described(const litz_executable *e, const char *key) {
    litz_string *json = NULL;
    char quoted[64];
    const char *found;
    long number;
    OK(litz_executable_describe(e, &json, &err));
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    found = strstr(litz_string_data(json), quoted);
    CHECK(found != NULL);
    number = strtol(found + strlen(quoted), NULL, 10);
    litz_string_release(json);
    return number;
}

/* Sizes become hints of this compilation, and of no other. */
static void hints(const litz_options *o) {
    litz_graph *g = graph_of("graph \"squares\" {\n"
                             "  symbol s0 in [1, 1000] hint 10\n"
                             "  input %0 \"x\": float32[s0, 4]\n"
                             "  input %1 \"y\": float32[s0 * 2 + 1]\n"
                             "  %6 = aten.t.default(%0)\n"
                             "  %2 = aten.mm.default(%0, %6)\n"
                             "  %3 = aten.mm.default(%2, %2)\n"
                             "  %4 = aten.sum.default(%1)\n"
                             "  %5 = aten.add.Tensor(%3, %4)\n"
                             "  output \"z\" = %5\n}\n");
    litz_executable *small = NULL, *large = NULL, *without = NULL;
    static float x[300 * 4], y[601];
    int64_t shape[2] = {300, 4}, length[1] = {601};
    DLTensor tensors[2];
    const DLTensor *examples[2];
    uint8_t fixed[2] = {1, 0};
    struct DLManagedTensorVersioned *out = NULL;
    tensors[0] = float_tensor(x, 2, shape), tensors[1] = float_tensor(y, 1, length);
    examples[0] = &tensors[0], examples[1] = &tensors[1];
    OK(litz_compile_with(g, o, examples, 2, fixed, &large, &err));
    shape[0] = 5, length[0] = 11;
    OK(litz_compile_with(g, o, examples, 2, NULL, &small, &err));
    OK(litz_compile_with(g, o, NULL, 2, fixed, &without, &err));
    CHECK(described(large, "typical_arena_bytes") > 300 * 300 * 4);
    CHECK(described(small, "typical_arena_bytes") < 10 * 10 * 4 + 4096);
    CHECK(described(without, "typical_arena_bytes") < described(large, "typical_arena_bytes"));
    x[0] = 2;
    y[3] = 5;
    OK(litz_executable_run(large, examples, 2, &out, 1, NULL, &err));
    CHECK(((float *)out->dl_tensor.data)[0] == 21 && ((float *)out->dl_tensor.data)[1] == 5);
    litz_tensor_release(out);

    litz_executable *none = NULL;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "2 inputs (x, y)", litz_compile_with(g, o, examples, 1, NULL, &none, &err));
    FAILS(LITZ_ERROR_SHAPE, "`y`", (length[0] = 12, litz_compile_with(g, o, examples, 2, NULL, &none, &err)));
    FAILS(LITZ_ERROR_SHAPE, "`s0` 6", (length[0] = 13, litz_compile_with(g, o, examples, 2, NULL, &none, &err)));
    length[0] = 11;
    FAILS(LITZ_ERROR_SHAPE, "from 1 to 1000", (shape[0] = 1001, litz_compile_with(g, o, examples, 2, NULL, &none, &err)));
    FAILS(LITZ_ERROR_SHAPE, "dimension 1 is 3", (shape[0] = 5, shape[1] = 3, litz_compile_with(g, o, examples, 2, NULL, &none, &err)));
    shape[1] = 4;
    tensors[0].ndim = 1;
    FAILS(LITZ_ERROR_SHAPE, "1 dimensions", litz_compile_with(g, o, examples, 2, NULL, &none, &err));
    tensors[0].ndim = -1;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "example 0", litz_compile_with(g, o, examples, 2, NULL, &none, &err));
    tensors[0].ndim = 2, tensors[0].shape = NULL;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "example 0", litz_compile_with(g, o, examples, 2, NULL, &none, &err));
    tensors[0].shape = shape, tensors[0].dtype.bits = 64;
    FAILS(LITZ_ERROR_DTYPE, "float64", litz_compile_with(g, o, examples, 2, NULL, &none, &err));
    tensors[0].dtype.bits = 7;
    FAILS(LITZ_ERROR_DTYPE, "not known", litz_compile_with(g, o, examples, 2, NULL, &none, &err));
    tensors[0].dtype.bits = 32, tensors[0].data = NULL;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`x`", litz_compile_with(g, o, examples, 2, NULL, &none, &err));
    tensors[0].data = x;
    examples[1] = NULL;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "examples[1] (input `y`) is NULL, and the program uses it", litz_compile_with(g, o, examples, 2, NULL, &none, &err));
    examples[1] = &tensors[1];
    fixed[1] = 2;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "static_inputs[1] is 2", litz_compile_with(g, o, examples, 2, fixed, &none, &err));
    CHECK(none == NULL);
    litz_executable_release(large), litz_executable_release(small), litz_executable_release(without);
    litz_graph_release(g);
}

/* The run on the examples writes neither to them nor to the program's buffers. */
static void nothing_changes(const litz_options *o) {
    litz_graph *g = graph_of("graph \"counts\" {\n"
                             "  symbol n in [0, 100]\n"
                             "  input %0 \"x\": float32[2, 3]\n"
                             "  number %1 \"n\": int64 = n\n"
                             "  buffer %2 \"count\": float32[1] = [10.0]\n"
                             "  %3 = aten.add_.Scalar(%2, 1)\n"
                             "  %4 = aten.add_.Tensor(%0, %2)\n"
                             "  output \"y\" = %4\n}\n");
    litz_executable *e = NULL;
    float x[9] = {1, 2, -1, 3, 4, -1, 5, 6, -1};
    int64_t shape[2] = {2, 3}, strides[2] = {1, 3}, number = 7;
    DLTensor tensors[2];
    const DLTensor *examples[2];
    struct DLManagedTensorVersioned *count = NULL, *out = NULL;
    int k;
    tensors[0] = float_tensor(x, 2, shape);
    tensors[0].strides = strides;
    tensors[1] = float_tensor(NULL, 0, NULL);
    tensors[1].data = &number, tensors[1].dtype.code = kDLInt, tensors[1].dtype.bits = 64;
    examples[0] = &tensors[0], examples[1] = &tensors[1];
    OK(litz_compile_with(g, o, examples, 2, NULL, &e, &err));
    for (k = 0; k < 9; ++k) CHECK(x[k] == (k % 3 == 2 ? -1 : 2 * (k / 3) + k % 3 + 1));
    OK(litz_executable_constant(e, "count", &count, &err));
    CHECK(((float *)count->dl_tensor.data)[0] == 10);
    litz_tensor_release(count);
    OK(litz_executable_run(e, examples, 2, &out, 1, NULL, &err));
    CHECK(((float *)out->dl_tensor.data)[0] == 12 && x[0] == 12);
    litz_tensor_release(out);
    tensors[1].device.device_type = kDLCUDA;
    litz_executable *none = NULL;
    FAILS(LITZ_ERROR_DEVICE, "`n`", litz_compile_with(g, o, examples, 2, NULL, &none, &err));
    litz_executable_release(e);
    litz_graph_release(g);
}

/* What a run refuses, the run on the examples refuses. */
static void runs_on_them(const litz_options *o) {
    litz_graph *g = graph_of("graph \"asserts\" {\n"
                             "  input %0 \"x\": bool[]\n"
                             "  aten._assert_async.msg(%0, \"x must hold\")\n"
                             "  output \"y\" = %0\n}\n");
    litz_executable *e = NULL;
    uint8_t x = 1;
    DLTensor tensor = float_tensor(NULL, 0, NULL);
    const DLTensor *examples[1];
    tensor.data = &x, tensor.dtype.code = kDLBool, tensor.dtype.bits = 8;
    examples[0] = &tensor;
    OK(litz_compile_with(g, o, examples, 1, NULL, &e, &err));
    litz_executable_release(e);
    e = NULL;
    x = 0;
    FAILS(LITZ_ERROR_ASSERTION, "x must hold", litz_compile_with(g, o, examples, 1, NULL, &e, &err));
    litz_graph_release(g);
}

/* An input that the program does not use may be left out, and gives no hints then. Its sizes alone are a use. */
static void unused_ones_may_be_left_out(const litz_options *o) {
    litz_graph *g = graph_of("graph \"unused\" {\n"
                             "  symbol n in [1, 1000] hint 10\n"
                             "  symbol m in [1, 1000] hint 10\n"
                             "  symbol k in [1, 1000] hint 10\n"
                             "  input %0 \"u\": float32[m]\n"
                             "  input %1 \"x\": float32[n]\n"
                             "  input %2 \"sized\": float32[k]\n"
                             "  %3 = aten.neg.default(%1)\n"
                             "  output \"y\" = %3\n  output \"k\" = k\n}\n");
    litz_executable *e = NULL;
    float x[3] = {1, 2, 3};
    int64_t three = 3, two = 2;
    DLTensor given = float_tensor(x, 1, &three), sized = float_tensor(NULL, 1, &two);
    const DLTensor *examples[3] = {NULL, &given, &sized};
    struct DLManagedTensorVersioned *out[2] = {NULL, NULL};
    OK(litz_compile_with(g, o, examples, 3, NULL, &e, &err));
    OK(litz_executable_run(e, examples, 3, out, 2, NULL, &err));
    CHECK(((float *)out[0]->dl_tensor.data)[2] == -3 && *(int64_t *)out[1]->dl_tensor.data == 2);
    litz_tensor_release(out[0]), litz_tensor_release(out[1]);
    litz_executable_release(e);
    e = NULL;
    examples[2] = NULL;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "examples[2] (input `sized`) is NULL", litz_compile_with(g, o, examples, 3, NULL, &e, &err));
    examples[1] = NULL, examples[2] = &sized;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "examples[1] (input `x`) is NULL", litz_compile_with(g, o, examples, 3, NULL, &e, &err));
    CHECK(e == NULL);
    litz_graph_release(g);
}

int main(int argc, char **argv) {
    litz_options *o = NULL;
    CHECK(argc == 2);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", argv[1], &err));
    hints(o);
    nothing_changes(o);
    runs_on_them(o);
    unused_ones_may_be_left_out(o);
    litz_options_release(o);
    puts("all right");
    return 0;
}
