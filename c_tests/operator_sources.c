/* Operators of a host's whose source is compiled with the kernels. The argument is a folder for artifacts. */
#include "operators.h"

/* y = sqrt(x * by + number), and the sum of each row */
static const char *const row_source =
    "#include <math.h>\n"
    "static float one(float x, double by, int64_t number) { return sqrtf(x * (float)by + (float)number); }\n"
    "void rows(litz_tensor x, double by, int64_t number, bool half, litz_tensor bias, litz_tensor y, litz_tensor sums,\n"
    "          int64_t task, int64_t tasks) {\n"
    "    for (int64_t row = task; row < x.sizes[0]; row += tasks) {\n"
    "        float sum = 0;\n"
    "        for (int64_t k = 0; k < x.sizes[1]; k++) {\n"
    "            const float v = one(((const float *)x.data)[row * x.sizes[1] + k], by, number) * (half ? 0.5f : 1.0f);\n"
    "            ((float *)y.data)[row * x.sizes[1] + k] = v;\n"
    "            sum += v;\n"
    "        }\n"
    "        ((float *)sums.data)[row] = sum + (bias.data ? *(const float *)bias.data : 0.0f) + (float)x.ndim;\n"
    "    }\n"
    "}\n";

static litz_status rows_meta(void *context, litz_graph *g, const litz_arg *args, size_t n_args, litz_meta *outs, litz_error **err) {
    int64_t shape[2] = {0, 2};
    litz_value symbols[2] = {0, 0};
    litz_arg size[2];
    litz_tensor_spec spec;
    size_t n = 0;
    litz_status status;
    (void)context, (void)n_args;
    size[0] = value_arg(args[0].value);
    size[1] = int_arg(0);
    status = litz_graph_call(g, "aten.sym_size.int", size, 2, &symbols[0], 1, &n, err);
    spec = float_spec(2, shape, symbols);
    if (status == LITZ_OK) status = litz_meta_output(outs, 0, &spec, err);
    spec.ndim = 1;
    return status == LITZ_OK ? litz_meta_output(outs, 1, &spec, err) : status;
}

static void run_sources(const litz_executable *e) {
    float x[6] = {1, 4, 9, 16, 25, 36}, y[6], sums[3];
    int64_t shape[2] = {3, 2}, rows[1] = {3};
    DLTensor input = float_tensor(x, 2, shape), results[2];
    const DLTensor *inputs[1] = {&input}, *outputs[2];
    int k;
    results[0] = float_tensor(y, 2, shape), results[1] = float_tensor(sums, 1, rows);
    outputs[0] = &results[0], outputs[1] = &results[1];
    OK(litz_executable_run_into(e, inputs, 1, outputs, 2, NULL, &err));
    for (k = 0; k < 6; ++k) CHECK(y[k] == (float)(k + 1));
    CHECK(sums[0] == 5 && sums[1] == 9 && sums[2] == 13);
}

static int32_t two = 2;

int main(int argc, char **argv) {
    char path[1024];
    int64_t shape[2] = {0, 2};
    litz_registry *r = new_registry();
    litz_options *o = options_with(r, "cpu");
    litz_operator op = operator_with(rows_meta, NULL);
    litz_value symbols[2] = {0, 0}, x, outs[2];
    litz_tensor_spec spec;
    litz_arg args[5];
    litz_graph *g = NULL;
    litz_executable *e = NULL;
    size_t n = 0;
    CHECK(argc > 1);
    OK(litz_registry_add_operator(r, "mylib::rows(Tensor x, float by, SymInt number, bool half, Tensor? bias=None) -> (Tensor, Tensor)", &op, &err));
    OK(litz_graph_new("sources", o, &g, &err));
    OK(litz_graph_symbol(g, "n", 1, 100000, 3, &symbols[0], &err));
    spec = float_spec(2, shape, symbols);
    OK(litz_graph_input(g, "x", &spec, &x, &err));
    args[0] = value_arg(x);
    args[1] = float_arg(4);
    /* A number that is known at run time: n - 3. */
    args[2] = value_arg(symbols[0]);
    args[3] = int_arg(3);
    OK(litz_graph_call(g, "sym.sub", args + 2, 2, outs, 1, &n, &err));
    args[2] = value_arg(outs[0]);
    args[3].kind = LITZ_ARG_BOOL;
    args[3].i = 1;
    OK(litz_graph_call(g, "mylib.rows", args, 4, outs, 2, &n, &err));
    OK(litz_graph_output(g, "y", outs[0], &err));
    OK(litz_graph_output(g, "sums", outs[1], &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "registered without a function (`run_cpu`) or source for a CPU", litz_compile(g, o, &e, &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "has no operator `mylib.none`",
          litz_registry_add_operator_source(r, "mylib.none", "cpu", row_source, "rows", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "not `tpu`", litz_registry_add_operator_source(r, "mylib.rows", "tpu", row_source, "rows", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "no function `lines`", litz_registry_add_operator_source(r, "mylib.rows", "cpu", row_source, "lines", &err));
    OK(litz_registry_add_operator_source(r, "mylib.rows", "cpu", row_source, "rows", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "has source for `cpu` already",
          litz_registry_add_operator_source(r, "mylib::rows", "cpu", row_source, "rows", &err));
    OK(litz_compile(g, o, &e, &err));
    run_sources(e);
    litz_executable_release(e);
    /* The artifact has it. */
    snprintf(path, sizeof path, "%s/sources.so", argv[1]);
    OK(litz_compile_artifact(g, o, path, &err));
    litz_graph_release(g);
    OK(litz_executable_open(path, NULL, &e, &err));
    run_sources(e);
    litz_executable_release(e);
    /* What the compiler says of the text names the operator. */
    op = operator_with(meta_like_first, NULL);
    op.context = &two;
    OK(litz_registry_add_operator(r, "mylib::wrong(Tensor x, float by) -> Tensor", &op, &err));
    OK(litz_registry_add_operator_source(r, "mylib.wrong", "cpu", "void wrong(litz_tensor x) {\n  nonsense;\n}", "wrong", &err));
    OK(litz_graph_new("wrong", o, &g, &err));
    spec.symbols = NULL;
    OK(litz_graph_input(g, "x", &spec, &x, &err));
    args[0] = value_arg(x);
    OK(litz_graph_output(g, "y", call(g, "mylib.wrong", args, 2), &err));
    FAILS(LITZ_ERROR_TOOLCHAIN, "mylib.wrong.default:2", litz_compile(g, o, &e, &err));
    litz_graph_release(g);
    litz_options_release(o);
    litz_registry_release(r);
    puts("all right");
    return 0;
}
