/* Operators of a host's own: functions, expressions, writes, effects, gradients, artifacts; and what may go wrong. The arguments are
 * the backend, and for artifacts a folder. */
#include "operators.h"

static int released;
static void release(void *context) {
    (void)context;
    ++released;
}

static int64_t count_of(const DLTensor *t) {
    int64_t n = 1, k;
    for (k = 0; k < t->ndim; ++k) n *= t->shape[k];
    return n;
}

static int scaled;

/* out = x * by */
static litz_status scale(void *context, const litz_arg *args, size_t n_args, const DLTensor *const *tensors, size_t n_tensors,
                         const DLTensor *const *outs, size_t n_outs, void *stream, litz_error **err) {
    const float *x = tensors[0]->data;
    float *y = outs[0]->data;
    int64_t k, n = count_of(outs[0]);
    (void)err;
    CHECK(*(const int32_t *)context == tensors[0]->ndim && stream == NULL);
    CHECK(n_args == 2 && n_tensors == 1 && n_outs == 1);
    CHECK(strcmp(args[0].name, "x") == 0 && args[0].kind == LITZ_ARG_VALUE && args[0].value == 1);
    CHECK(strcmp(args[1].name, "by") == 0 && args[1].kind == LITZ_ARG_FLOAT);
    CHECK(tensors[0]->device.device_type == kDLCPU && tensors[0]->dtype.code == kDLFloat && tensors[0]->dtype.bits == 32);
    CHECK(count_of(tensors[0]) == n && outs[0]->strides == NULL && outs[0]->byte_offset == 0);
    for (k = 0; k < n; ++k) y[k] = x[k] * (float)args[1].f;
    ++scaled;
    return LITZ_OK;
}

/* d/dx = by * cotangent */
static litz_status scale_gradient(void *context, litz_graph *g, const litz_arg *args, size_t n_args, const litz_value *cotangents,
                                  size_t n_outs, litz_value *grads, litz_error **err) {
    litz_arg given[2];
    size_t n = 0;
    (void)context;
    CHECK(n_args == 2 && n_outs == 1 && cotangents[0] != 0 && grads[0] == 0);
    given[0] = value_arg(cotangents[0]);
    given[1] = args[1];
    given[1].name = NULL;
    return litz_graph_call(g, "aten.mul.Scalar", given, 2, &grads[0], 1, &n, err);
}

static int32_t two = 2;

static void add_scale_with(litz_registry *r, uint64_t flags) {
    litz_operator op = operator_with(meta_like_first, scale);
    op.context = &two;
    op.release = release;
    op.derivative = scale_gradient;
    op.flags = flags;
    OK(litz_registry_add_operator(r, "mylib::scale(Tensor x, float by=2.0) -> Tensor", &op, &err));
}

static void add_scale(litz_registry *r) { add_scale_with(r, 0); }

/* y = relu(scale(x.t(), 3) + 1), x of shape [n, 3] */
static litz_graph *scaled_graph(const litz_options *o) {
    int64_t shape[2] = {0, 3};
    litz_value symbols[2] = {0, 0}, x, y;
    litz_tensor_spec spec;
    litz_arg args[2];
    litz_graph *g = NULL;
    OK(litz_graph_new("scaled", o, &g, &err));
    OK(litz_graph_symbol(g, "n", 1, 64, 4, &symbols[0], &err));
    spec = float_spec(2, shape, symbols);
    OK(litz_graph_input(g, "x", &spec, &x, &err));
    args[0] = value_arg(x);
    args[0] = value_arg(call(g, "aten.t", args, 1));
    args[1] = float_arg(3);
    args[0] = value_arg(call(g, "mylib.scale", args, 2));
    args[1] = int_arg(1);
    args[0] = value_arg(call(g, "aten.add.Scalar", args, 2));
    y = call(g, "aten.relu", args, 1);
    OK(litz_graph_output(g, "y", y, &err));
    return g;
}

static void run_scaled(const litz_executable *e) {
    float x[6] = {1, -2, 3, -4, 5, -6}, y[6] = {0};
    const float want[6] = {4, 0, 0, 16, 10, 0};
    int64_t in[2] = {2, 3}, out[2] = {3, 2};
    DLTensor input = float_tensor(x, 2, in), output = float_tensor(y, 2, out);
    const DLTensor *inputs[1] = {&input}, *outputs[1] = {&output};
    int k, before = scaled;
    OK(litz_executable_run_into(e, inputs, 1, outputs, 1, NULL, &err));
    for (k = 0; k < 6; ++k) CHECK(y[k] == want[k]);
    CHECK(scaled == before + 1);
}

static int has(litz_string *json, const char *text) {
    int found = strstr(litz_string_data(json), text) != NULL;
    litz_string_release(json);
    return found;
}

static void functions(const char *backend) {
    litz_registry *r = new_registry();
    litz_options *o = options_with(r, backend);
    litz_graph *g, *again = NULL;
    litz_executable *e = NULL;
    litz_string *text = NULL, *json = NULL;
    add_scale(r);
    OK(litz_registry_describe(r, &json, &err));
    CHECK(has(json, "\"operators\":[\"mylib.scale.default\"]"));
    g = scaled_graph(o);
    OK(litz_graph_describe(g, &json, &err));
    CHECK(has(json, "\"mylib.scale.default\":1"));
    OK(litz_compile(g, o, &e, &err));
    run_scaled(e);
    OK(litz_executable_describe(e, &json, &err));
    CHECK(has(json, "mylib.scale.default"));
    litz_executable_release(e);
    /* Text keeps the call, and needs the registry. */
    OK(litz_graph_to_text(g, &text, &err));
    CHECK(strstr(litz_string_data(text), "mylib.scale.default(%") != NULL);
    FAILS(LITZ_ERROR_UNSUPPORTED, "there is no operator `mylib.scale.default`",
          litz_graph_from_text(litz_string_data(text), litz_string_size(text), NULL, &again, &err));
    OK(litz_graph_from_text(litz_string_data(text), litz_string_size(text), o, &again, &err));
    litz_string_release(text);
    OK(litz_compile(again, o, &e, &err));
    /* What was made with a registry keeps it. */
    litz_graph_release(g);
    litz_graph_release(again);
    litz_options_release(o);
    litz_registry_release(r);
    CHECK(released == 0);
    run_scaled(e);
    litz_executable_release(e);
    CHECK(released == 1);
    released = 0;
}

/* Everything that arguments can be. */
static litz_status weave_meta(void *context, litz_graph *g, const litz_arg *args, size_t n_args, litz_meta *outs, litz_error **err) {
    int64_t shape[2] = {2, 3};
    litz_tensor_spec spec = float_spec(2, shape, NULL);
    litz_status status;
    (void)context, (void)g;
    CHECK(n_args == 9);
    CHECK(args[0].kind == LITZ_ARG_VALUES && args[0].n == 2 && args[1].kind == LITZ_ARG_NONE);
    status = litz_meta_output(outs, 1, &spec, err);
    if (status != LITZ_OK) return status;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`outs` is NULL", litz_meta_output(NULL, 0, &spec, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`spec` is NULL", litz_meta_output(outs, 0, NULL, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "is told already", litz_meta_output(outs, 1, &spec, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "there is no result 2", litz_meta_output(outs, 2, &spec, &err));
    spec.dtype.code = kDLInt;
    spec.dtype.bits = 64;
    spec.ndim = 0;
    return litz_meta_output(outs, 0, &spec, err);
}

static litz_status weave(void *context, const litz_arg *args, size_t n_args, const DLTensor *const *tensors, size_t n_tensors,
                         const DLTensor *const *outs, size_t n_outs, void *stream, litz_error **err) {
    const float *a, *b;
    float *y;
    int k;
    (void)context, (void)stream, (void)err;
    CHECK(n_args == 9 && n_tensors == 3 && n_outs == 2);
    CHECK(args[0].n == 2 && args[0].values[0] == 1 && args[0].values[1] == 2);
    CHECK(args[1].kind == LITZ_ARG_NONE && strcmp(args[1].name, "mask") == 0);
    CHECK(args[2].kind == LITZ_ARG_INTS && args[2].n == 2 && args[2].ints[0] == 7 && args[2].ints[1] == 2);
    CHECK(args[3].kind == LITZ_ARG_STRING && strcmp(args[3].s, "linear") == 0);
    CHECK(args[4].kind == LITZ_ARG_DTYPE && args[4].i == LITZ_DTYPE_FLOAT64);
    CHECK(args[5].kind == LITZ_ARG_BOOL && args[5].i == 1);
    CHECK(args[6].kind == LITZ_ARG_FLOATS && args[6].n == 2 && args[6].floats[1] == 0.25);
    CHECK(args[7].kind == LITZ_ARG_VALUE && args[7].value == 3);
    CHECK(args[8].kind == LITZ_ARG_INT && args[8].i == 5);
    CHECK(outs[0]->ndim == 0 && outs[0]->dtype.code == kDLInt && outs[0]->dtype.bits == 64);
    *(int64_t *)outs[0]->data = args[8].i;
    a = tensors[0]->data, b = tensors[1]->data, y = outs[1]->data;
    for (k = 0; k < 6; ++k) y[k] = k % 2 ? b[k] : a[k];
    return LITZ_OK;
}

static void arguments(const char *backend) {
    static const int64_t dims[2] = {7, 2};
    static const double weights[2] = {0.5, 0.25};
    int64_t shape[2] = {2, 3}, y_shape[2] = {2, 3};
    float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {-1, -2, -3, -4, -5, -6}, y[6];
    int64_t number = 0;
    litz_registry *r = new_registry();
    litz_options *o = options_with(r, backend);
    litz_operator op = operator_with(weave_meta, weave);
    litz_tensor_spec spec = float_spec(2, shape, NULL);
    litz_value values[2], outs[2];
    litz_arg args[9];
    litz_graph *g = NULL;
    litz_executable *e = NULL;
    DLTensor tensors[4];
    const DLTensor *inputs[2], *outputs[2];
    size_t n = 0;
    int k;
    OK(litz_registry_add_operator(r, "mylib::weave.two(Tensor[] list, Tensor? mask, SymInt[2] dims, str mode=\"linear\", ScalarType? dtype=None, bool deep=False, float[]? weights=None, *, Tensor x, SymInt m=5) -> (Tensor, Tensor)", &op, &err));
    OK(litz_graph_new("woven", o, &g, &err));
    OK(litz_graph_input(g, "a", &spec, &values[0], &err));
    OK(litz_graph_input(g, "b", &spec, &values[1], &err));
    memset(args, 0, sizeof args);
    args[0].kind = LITZ_ARG_VALUES;
    args[0].values = values;
    args[0].n = 2;
    args[2] = ints_arg(dims, 2);
    args[3] = string_arg("linear");
    args[4].kind = LITZ_ARG_DTYPE;
    args[4].i = LITZ_DTYPE_FLOAT64;
    args[5].kind = LITZ_ARG_BOOL;
    args[5].i = 1;
    args[6].kind = LITZ_ARG_FLOATS;
    args[6].floats = weights;
    args[6].n = 2;
    args[7] = value_arg(values[0]);
    args[7].name = "x";
    OK(litz_graph_call(g, "mylib::weave.two", args, 8, outs, 2, &n, &err));
    CHECK(n == 2);
    OK(litz_graph_output(g, "n", outs[0], &err));
    OK(litz_graph_output(g, "y", outs[1], &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "argument `x` is missing", litz_graph_call(g, "mylib.weave.two", args, 7, outs, 2, &n, &err));
    args[7] = float_arg(1);
    args[7].name = "x";
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "argument `x` is a float, where the schema has a tensor",
          litz_graph_call(g, "mylib.weave.two", args, 8, outs, 2, &n, &err));
    OK(litz_compile(g, o, &e, &err));
    tensors[0] = float_tensor(a, 2, shape);
    tensors[1] = float_tensor(b, 2, shape);
    tensors[2] = float_tensor(NULL, 0, NULL);
    tensors[2].data = &number;
    tensors[2].dtype.code = kDLInt;
    tensors[2].dtype.bits = 64;
    tensors[3] = float_tensor(y, 2, y_shape);
    inputs[0] = &tensors[0], inputs[1] = &tensors[1], outputs[0] = &tensors[2], outputs[1] = &tensors[3];
    OK(litz_executable_run_into(e, inputs, 2, outputs, 2, NULL, &err));
    CHECK(number == 5);
    for (k = 0; k < 6; ++k) CHECK(y[k] == (k % 2 ? b[k] : a[k]));
    litz_executable_release(e);
    litz_graph_release(g);
    litz_options_release(o);
    litz_registry_release(r);
}

/* self += times * other, and how often that was done so far */
static litz_status add_into(void *context, const litz_arg *args, size_t n_args, const DLTensor *const *tensors, size_t n_tensors,
                            const DLTensor *const *outs, size_t n_outs, void *stream, litz_error **err) {
    float *self = tensors[0]->data;
    const float *other = tensors[1]->data;
    int64_t k, n = count_of(tensors[0]);
    (void)context, (void)stream, (void)err;
    CHECK(n_args == 3 && n_tensors == 2 && n_outs == 0 && outs != NULL);
    for (k = 0; k < n; ++k) self[k] += (float)args[2].i * other[k];
    return LITZ_OK;
}

static void writes(const char *backend) {
    int64_t shape[1] = {3};
    float x[3] = {1, 2, 3}, y[3], start[3] = {10, 20, 30};
    litz_registry *r = new_registry();
    litz_options *o = options_with(r, backend);
    litz_operator op = operator_with(NULL, add_into);
    litz_tensor_spec spec = float_spec(1, shape, NULL);
    litz_value values[2], before, after;
    litz_arg args[3];
    litz_graph *g = NULL;
    litz_executable *e = NULL;
    DLTensor constant = float_tensor(start, 1, shape), input = float_tensor(x, 1, shape), output = float_tensor(y, 1, shape);
    const DLTensor *inputs[1] = {&input}, *outputs[1] = {&output};
    struct DLManagedTensorVersioned *state = NULL;
    OK(litz_registry_add_operator(r, "mylib::add_into_(Tensor(a!) self, Tensor other, *, int times=1) -> Tensor(a!)", &op, &err));
    OK(litz_graph_new("writes", o, &g, &err));
    OK(litz_graph_input(g, "x", &spec, &values[1], &err));
    OK(litz_graph_constant(g, "state", LITZ_CONSTANT_BUFFER, 0, &constant, &values[0], &err));
    /* y = (state + 0) of before + the state of after */
    args[0] = value_arg(values[0]);
    args[1] = int_arg(0);
    before = call(g, "aten.add.Scalar", args, 2);
    args[1] = value_arg(values[1]);
    args[2] = int_arg(2);
    args[2].name = "times";
    after = call(g, "mylib.add_into_", args, 3);
    args[0] = value_arg(before);
    args[1] = value_arg(after);
    OK(litz_graph_output(g, "y", call(g, "aten.add.Tensor", args, 2), &err));
    OK(litz_compile(g, o, &e, &err));
    OK(litz_executable_run_into(e, inputs, 1, outputs, 1, NULL, &err));
    CHECK(y[0] == 22 && y[1] == 44 && y[2] == 66);
    OK(litz_executable_run_into(e, inputs, 1, outputs, 1, NULL, &err));
    CHECK(y[0] == 26 && y[1] == 52 && y[2] == 78);
    OK(litz_executable_constant(e, "state", &state, &err));
    CHECK(((const float *)state->dl_tensor.data)[2] == 42);
    litz_tensor_release(state);
    litz_executable_release(e);
    litz_graph_release(g);
    litz_options_release(o);
    litz_registry_release(r);
}

static char logged[64];

static litz_status note(void *context, const litz_arg *args, size_t n_args, const DLTensor *const *tensors, size_t n_tensors,
                        const DLTensor *const *outs, size_t n_outs, void *stream, litz_error **err) {
    (void)context, (void)outs, (void)n_outs, (void)stream, (void)err;
    CHECK(n_args == 2 && n_tensors == 1);
    CHECK(*(const float *)tensors[0]->data == 3);
    strcat(logged, args[1].s);
    return LITZ_OK;
}

static void effects(const char *backend) {
    int64_t shape[1] = {1};
    float x[1] = {1}, y[1], ones[1] = {3};
    litz_registry *r = new_registry();
    litz_options *o = options_with(r, backend);
    litz_operator op = operator_with(NULL, note);
    litz_tensor_spec spec = float_spec(1, shape, NULL);
    litz_value input, constant;
    litz_arg args[2];
    litz_graph *g = NULL;
    litz_executable *e = NULL;
    DLTensor data = float_tensor(ones, 1, shape), in = float_tensor(x, 1, shape), out = float_tensor(y, 1, shape);
    const DLTensor *inputs[1] = {&in}, *outputs[1] = {&out};
    size_t n = 1;
    int k;
    OK(litz_registry_add_operator(r, "mylib::note(Tensor x, str text) -> ()", &op, &err));
    OK(litz_graph_new("effects", o, &g, &err));
    OK(litz_graph_input(g, "x", &spec, &input, &err));
    OK(litz_graph_constant(g, "c", LITZ_CONSTANT_CONSTANT, 0, &data, &constant, &err));
    for (k = 0; k < 2; ++k) {
        /* Equal calls are two; one of a constant is made in each run. */
        args[0] = value_arg(constant);
        args[1] = string_arg("a");
        OK(litz_graph_call(g, "mylib.note", args, 2, NULL, 0, &n, &err));
        CHECK(n == 0);
        args[1] = int_arg(2);
        args[0] = value_arg(input);
        args[0] = value_arg(call(g, "aten.add.Scalar", args, 2));
        args[1] = string_arg("b");
        OK(litz_graph_call(g, "mylib.note", args, 2, NULL, 0, &n, &err));
    }
    args[0] = value_arg(input);
    OK(litz_graph_output(g, "y", call(g, "aten.neg", args, 1), &err));
    OK(litz_compile(g, o, &e, &err));
    CHECK(logged[0] == 0);
    OK(litz_executable_run_into(e, inputs, 1, outputs, 1, NULL, &err));
    CHECK(y[0] == -1 && strcmp(logged, "abab") == 0);
    OK(litz_executable_run_into(e, inputs, 1, outputs, 1, NULL, &err));
    CHECK(strcmp(logged, "abababab") == 0);
    logged[0] = 0;
    litz_executable_release(e);
    litz_graph_release(g);
    litz_options_release(o);
    litz_registry_release(r);
}

/* y = neg(leaky(abs(x) - 1, slope)), one kernel */
static litz_graph *leaky_graph(const litz_options *o) {
    int64_t shape[1] = {0};
    litz_value symbols[1], x;
    litz_tensor_spec spec;
    litz_arg args[2];
    litz_graph *g = NULL;
    OK(litz_graph_new("leaky", o, &g, &err));
    OK(litz_graph_symbol(g, "n", 1, -1, -1, &symbols[0], &err));
    spec = float_spec(1, shape, symbols);
    OK(litz_graph_input(g, "x", &spec, &x, &err));
    args[0] = value_arg(x);
    args[0] = value_arg(call(g, "aten.abs", args, 1));
    args[1] = int_arg(1);
    args[0] = value_arg(call(g, "aten.sub.Scalar", args, 2));
    args[1] = float_arg(0.25);
    args[0] = value_arg(call(g, "mylib.leaky", args, 2));
    OK(litz_graph_output(g, "y", call(g, "aten.neg", args, 1), &err));
    return g;
}

static void run_leaky(const litz_executable *e) {
    float x[4] = {0, -3, 0.5f, 1}, y[4];
    const float want[4] = {0.25f, -2, 0.125f, 0};
    int64_t shape[1] = {4};
    DLTensor input = float_tensor(x, 1, shape), output = float_tensor(y, 1, shape);
    const DLTensor *inputs[1] = {&input}, *outputs[1] = {&output};
    int k;
    OK(litz_executable_run_into(e, inputs, 1, outputs, 1, NULL, &err));
    for (k = 0; k < 4; ++k) CHECK(y[k] == want[k]);
}

static void add_leaky(litz_registry *r) {
    litz_operator op = operator_with(NULL, NULL);
    op.pointwise_source = "x > 0 ? x : (float)slope * x";
    OK(litz_registry_add_operator(r, "mylib::leaky(Tensor x, float slope=0.01) -> Tensor", &op, &err));
}

static void expressions(const char *backend) {
    litz_registry *r = new_registry();
    litz_options *o = options_with(r, backend);
    litz_executable *e = NULL;
    litz_string *json = NULL;
    litz_graph *g;
    add_leaky(r);
    g = leaky_graph(o);
    OK(litz_compile(g, o, &e, &err));
    run_leaky(e);
    OK(litz_executable_describe(e, &json, &err));
    CHECK(strstr(litz_string_data(json), "\"needs\":[]") != NULL);
    if (strcmp(backend, "cpu") == 0) {
        /* All of it is one kernel. */
        const char *kernel = strstr(litz_string_data(json), "\"stage\":");
        CHECK(kernel != NULL && strstr(kernel + 1, "\"stage\":") == NULL);
    }
    litz_string_release(json);
    litz_executable_release(e);
    litz_graph_release(g);
    litz_options_release(o);
    litz_registry_release(r);
}

/* The gradient of sum(op(x)) by x. */
static void gradient(litz_registry *r, const char *backend, const char *op, double number, const float *want) {
    litz_options *o = options_with(r, backend);
    int64_t shape[2] = {2, 2};
    float x[4] = {1, -2, 3, -4}, y[4];
    litz_tensor_spec spec = float_spec(2, shape, NULL);
    litz_value input, sum, grad = 0;
    litz_arg args[2];
    litz_graph *g = NULL;
    litz_executable *e = NULL;
    DLTensor in = float_tensor(x, 2, shape), out = float_tensor(y, 2, shape);
    const DLTensor *inputs[1] = {&in}, *outputs[1] = {&out};
    int k;
    OK(litz_graph_new("gradient", o, &g, &err));
    OK(litz_graph_input(g, "x", &spec, &input, &err));
    args[0] = value_arg(input);
    args[1] = float_arg(number);
    args[0] = value_arg(call(g, op, args, 2));
    sum = call(g, "aten.sum", args, 1);
    OK(litz_graph_differentiate(g, &sum, NULL, 1, &input, 1, &grad, &err));
    OK(litz_graph_output(g, "grad", grad, &err));
    OK(litz_compile(g, o, &e, &err));
    OK(litz_executable_run_into(e, inputs, 1, outputs, 1, NULL, &err));
    for (k = 0; k < 4; ++k) CHECK(y[k] == want[k]);
    litz_executable_release(e);
    litz_graph_release(g);
    litz_options_release(o);
}

static void gradients(const char *backend) {
    static const float by_three[4] = {3, 3, 3, 3}, by_slope[4] = {1, 0.5f, 1, 0.5f};
    litz_registry *r = new_registry();
    add_scale(r);
    add_leaky(r);
    gradient(r, backend, "mylib.scale", 3, by_three);
    gradient(r, backend, "mylib.leaky", 0.5, by_slope);
    litz_registry_release(r);
    CHECK(released == 1);
    released = 0;
}

static void artifacts(const char *folder) {
    char path[1024];
    litz_registry *r = new_registry();
    litz_options *o = options_with(r, "cpu");
    litz_graph *g;
    litz_executable *e = NULL;
    litz_string *json = NULL;
    add_scale(r);
    add_leaky(r);
    /* An expression is code like any other. */
    g = leaky_graph(o);
    snprintf(path, sizeof path, "%s/leaky.so", folder);
    OK(litz_compile_artifact(g, o, path, &err));
    litz_graph_release(g);
    OK(litz_executable_open(path, NULL, &e, &err));
    run_leaky(e);
    litz_executable_release(e);
    /* A function is looked up where the artifact is opened. */
    g = scaled_graph(o);
    snprintf(path, sizeof path, "%s/scaled.so", folder);
    OK(litz_compile_artifact(g, o, path, &err));
    litz_graph_release(g);
    FAILS(LITZ_ERROR_UNSUPPORTED, "`mylib.scale.default`, which is not registered", litz_executable_open(path, NULL, &e, &err));
    OK(litz_executable_open(path, o, &e, &err));
    OK(litz_executable_describe(e, &json, &err));
    CHECK(has(json, "\"needs\":[\"mylib.scale.default\"]"));
    run_scaled(e);
    litz_options_release(o);
    litz_registry_release(r);
    CHECK(released == 0);
    run_scaled(e);
    litz_executable_release(e);
    CHECK(released == 1);
    released = 0;
}

static litz_status fails_meta(void *context, litz_graph *g, const litz_arg *args, size_t n_args, litz_meta *outs, litz_error **err) {
    litz_string *none = NULL;
    (void)context, (void)args, (void)n_args, (void)outs;
    return litz_graph_value_describe(g, 12345, &none, err);
}

static litz_status tells_nothing(void *context, litz_graph *g, const litz_arg *args, size_t n_args, litz_meta *outs, litz_error **err) {
    (void)context, (void)g, (void)args, (void)n_args, (void)outs, (void)err;
    return LITZ_OK;
}

static litz_status fails_run(void *context, const litz_arg *args, size_t n_args, const DLTensor *const *tensors, size_t n_tensors,
                             const DLTensor *const *outs, size_t n_outs, void *stream, litz_error **err) {
    (void)context, (void)args, (void)n_args, (void)tensors, (void)n_tensors, (void)outs, (void)n_outs, (void)stream, (void)err;
    return LITZ_ERROR_STATE;
}

static void refused(litz_registry *r, const char *schema, const char *expression, const char *words) {
    litz_operator op = operator_with(tells_nothing, expression ? NULL : fails_run);
    op.pointwise_source = expression;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, words, litz_registry_add_operator(r, schema, &op, &err));
}

static void mistakes(const char *backend) {
    litz_registry *r = new_registry();
    litz_options *o = options_with(r, backend);
    int64_t shape[1] = {2};
    float x[2] = {1, 2}, y[2];
    litz_tensor_spec spec = float_spec(1, shape, NULL);
    litz_operator op;
    litz_value input, out;
    litz_arg arg;
    litz_graph *g = NULL;
    litz_executable *e = NULL;
    DLTensor in = float_tensor(x, 1, shape), result = float_tensor(y, 1, shape);
    const DLTensor *inputs[1] = {&in}, *outputs[1] = {&result};
    size_t n = 0;
    static int32_t one = 1;
    refused(r, "scale(Tensor x) -> Tensor", NULL, "`scale` is no name such as `mylib::scale`");
    refused(r, "aten::scale(Tensor x) -> Tensor", NULL, "the namespace `aten`");
    refused(r, "mylib::scale(Tensor x -> Tensor", NULL, "not closed");
    refused(r, "mylib::scale(Thing x) -> Tensor", NULL, "`Thing` is no known type");
    refused(r, "mylib::scale(Tensor x, int x) -> Tensor", NULL, "two arguments are called `x`");
    refused(r, "mylib::scale(Tensor x) -> int", NULL, "result 0 is no tensor");
    refused(r, "mylib::scale(Tensor(a) x) -> Tensor(a)", NULL, "result 0 is a view");
    refused(r, "mylib::scale(Tensor x) -> Tensor", "x + z", "uses `z`, which is no argument");
    refused(r, "mylib::scale(Tensor x) -> Tensor", "x +", "column 4");
    refused(r, "mylib::scale(Tensor x, str s) -> Tensor", "x + s", "uses `s`, which is a string");
    refused(r, "mylib::scale(Tensor x) -> (Tensor, Tensor)", "x", "has one result");
    op = operator_with(NULL, fails_run);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "no meta function", litz_registry_add_operator(r, "mylib::f(Tensor x) -> Tensor", &op, &err));
    op = operator_with(tells_nothing, fails_run);
    op.flags = 1024;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "0x400", litz_registry_add_operator(r, "mylib::f(Tensor x) -> Tensor", &op, &err));
    op.flags = 0;
    OK(litz_registry_add_operator(r, "mylib::silent(Tensor x) -> Tensor", &op, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "has `mylib.silent.default` already",
          litz_registry_add_operator(r, "mylib::silent(Tensor y) -> Tensor", &op, &err));
    op.meta = fails_meta;
    OK(litz_registry_add_operator(r, "mylib::wrong(Tensor x) -> Tensor", &op, &err));
    op.meta = meta_like_first;
    op.context = &one;
    OK(litz_registry_add_operator(r, "mylib::broken(Tensor x) -> Tensor", &op, &err));
    op.run_cuda = op.run_cpu;
    op.run_cpu = NULL;
    OK(litz_registry_add_operator(r, "mylib::only_gpu(Tensor x) -> Tensor", &op, &err));
    OK(litz_graph_new("mistakes", o, &g, &err));
    OK(litz_graph_input(g, "x", &spec, &input, &err));
    arg = value_arg(input);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "did not tell the type of result 0", litz_graph_call(g, "mylib.silent", &arg, 1, &out, 1, &n, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "mylib.wrong.default", litz_graph_call(g, "mylib.wrong", &arg, 1, &out, 1, &n, &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "there is no operator `mylib.unknown`", litz_graph_call(g, "mylib.unknown", &arg, 1, &out, 1, &n, &err));
    /* The graph is as it was. */
    OK(litz_graph_output(g, "y", call(g, "mylib.broken", &arg, 1), &err));
    OK(litz_compile(g, o, &e, &err));
    FAILS(LITZ_ERROR_STATE, "mylib.broken.default: its function failed with status", litz_executable_run_into(e, inputs, 1, outputs, 1, NULL, &err));
    litz_executable_release(e);
    litz_graph_release(g);
    OK(litz_graph_new("only_gpu", o, &g, &err));
    OK(litz_graph_input(g, "x", &spec, &input, &err));
    arg = value_arg(input);
    OK(litz_graph_output(g, "y", call(g, "mylib.only_gpu", &arg, 1), &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "run_cpu", litz_compile(g, o, &e, &err));
    litz_graph_release(g);
    litz_options_release(o);
    litz_registry_release(r);
}

/* A graph that calls one operator of the registry, on the result of a branch: y = cond(flag, op(x), x). */
static litz_graph *branches(const litz_options *o, const char *call) {
    char text[1024];
    snprintf(text, sizeof text,
             "graph \"g\" {\n"
             "  input %%0 \"flag\": bool[]\n"
             "  input %%1 \"x\": float32[2, 2]\n"
             "  %%2 = higher_order.cond.default(%%0, graph \"yes\" {\n"
             "    input %%10 \"x\": float32[2, 2]\n"
             "    %%11 = %s\n"
             "    output \"y\" = %%11\n"
             "  }, graph \"no\" {\n"
             "    input %%10 \"x\": float32[2, 2]\n"
             "    %%11 = aten.neg.default(%%10)\n"
             "    output \"y\" = %%11\n"
             "  }, [%%1])\n"
             "  output \"y\" = %%2\n"
             "}\n",
             call);
    return graph_of_with(text, o);
}

/* Functions take part in a deterministic program where they were declared so. An expression is, and what gives nothing may be. */
static void deterministic(const char *backend) {
    static const char refusal[] = "mylib.scale.default` does not promise the same results";
    int declared;
    for (declared = 0; declared < 2; ++declared) {
        litz_registry *r = new_registry();
        litz_options *o = options_with(r, backend), *plain = options_with(r, backend);
        litz_operator add = operator_with(NULL, add_into), noted = operator_with(NULL, note);
        litz_executable *e = NULL;
        litz_graph *g;
        add_scale_with(r, declared ? LITZ_OPERATOR_DETERMINISTIC : 0);
        add_leaky(r);
        add.flags = declared ? LITZ_OPERATOR_DETERMINISTIC : 0;
        OK(litz_registry_add_operator(r, "mylib::add_into_(Tensor(a!) self, Tensor other, *, int times=1) -> ()", &add, &err));
        OK(litz_registry_add_operator(r, "mylib::note(Tensor x, str text) -> ()", &noted, &err));
        OK(litz_options_set(o, "deterministic", "true", &err));
        g = scaled_graph(o);
        if (declared) {
            OK(litz_compile(g, o, &e, &err));
            run_scaled(e);
            litz_executable_release(e);
        } else {
            FAILS(LITZ_ERROR_UNSUPPORTED, refusal, litz_compile(g, o, &e, &err));
            OK(litz_compile(g, plain, &e, &err));
            litz_executable_release(e);
        }
        litz_graph_release(g);
        g = branches(o, "mylib.scale.default(%10)");
        if (declared) {
            OK(litz_compile(g, o, &e, &err));
            litz_executable_release(e);
        } else {
            FAILS(LITZ_ERROR_UNSUPPORTED, refusal, litz_compile(g, o, &e, &err));
        }
        litz_graph_release(g);
        g = graph_of_with("graph \"g\" {\n"
                          "  input %0 \"x\": float32[2]\n"
                          "  %1 = aten.neg.default(%0)\n"
                          "  mylib.add_into_.default(%1, %0)\n"
                          "  output \"y\" = %1\n"
                          "}\n",
                          o);
        if (declared) {
            OK(litz_compile(g, o, &e, &err));
            litz_executable_release(e);
        } else {
            FAILS(LITZ_ERROR_UNSUPPORTED, "mylib.add_into_.default`", litz_compile(g, o, &e, &err));
        }
        litz_graph_release(g);
        g = graph_of_with("graph \"g\" {\n"
                          "  input %0 \"x\": float32[2]\n"
                          "  mylib.note.default(%0, \"a\")\n"
                          "  %1 = mylib.leaky.default(%0)\n"
                          "  output \"y\" = %1\n"
                          "}\n",
                          o);
        OK(litz_compile(g, o, &e, &err));
        litz_executable_release(e);
        litz_graph_release(g);
        litz_options_release(o);
        litz_options_release(plain);
        litz_registry_release(r);
    }
    released = 0;
}

/* An artifact's promise is kept with the functions of whoever opens it. */
static void deterministic_artifact(const char *folder) {
    char path[512];
    litz_registry *r = new_registry(), *other = new_registry();
    litz_options *o = options_with(r, "cpu"), *undeclared = options_with(other, "cpu");
    litz_executable *e = NULL;
    litz_graph *g;
    add_scale_with(r, LITZ_OPERATOR_DETERMINISTIC);
    add_scale(other);
    OK(litz_options_set(o, "deterministic", "true", &err));
    g = scaled_graph(o);
    snprintf(path, sizeof path, "%s/deterministic.so", folder);
    OK(litz_compile_artifact(g, o, path, &err));
    litz_graph_release(g);
    OK(litz_executable_open(path, o, &e, &err));
    run_scaled(e);
    litz_executable_release(e);
    FAILS(LITZ_ERROR_UNSUPPORTED, "`mylib.scale.default` does not promise", litz_executable_open(path, undeclared, &e, &err));
    litz_options_release(o);
    litz_options_release(undeclared);
    litz_registry_release(r);
    litz_registry_release(other);
    released = 0;
}

int main(int argc, char **argv) {
    CHECK(argc > 1);
    functions(argv[1]);
    arguments(argv[1]);
    writes(argv[1]);
    effects(argv[1]);
    expressions(argv[1]);
    gradients(argv[1]);
    mistakes(argv[1]);
    deterministic(argv[1]);
    if (argc > 2) artifacts(argv[2]);
    if (argc > 2) deterministic_artifact(argv[2]);
    puts("all right");
    return 0;
}
