/* Graphs by handles: values, wrong arguments, sticky failures, the capacity rule, descriptions. */
#include "check.h"

static int logged;
static void count_log(void *context, int32_t level, const char *message) {
    (void)level;
    (void)message;
    ++*(int *)context;
}

static void errors_and_versions(void) {
    litz_error *made = litz_error_new(LITZ_ERROR_SHAPE, "a message");
    CHECK(litz_error_code(made) == LITZ_ERROR_SHAPE);
    CHECK(strcmp(litz_error_message(made), "a message") == 0);
    CHECK(litz_error_detail(made)[0] == '{');
    litz_error_release(made);
    CHECK(litz_abi_version() == LITZ_ABI_VERSION);
    CHECK(litz_version()[0] != 0);
    OK(litz_check_abi(LITZ_ABI_VERSION, &err));
    FAILS(LITZ_ERROR_ABI, "another major version", litz_check_abi(LITZ_ABI_VERSION + (1u << 16), &err));
    FAILS(LITZ_ERROR_ABI, "older than the header", litz_check_abi(LITZ_ABI_VERSION + 1, &err));
    CHECK(litz_check_abi(LITZ_ABI_VERSION + 1, NULL) == LITZ_ERROR_ABI);
}

static void options(void) {
    litz_options *o = NULL;
    litz_string *json = NULL;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "interpreter", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "no.such.key", litz_options_set(o, "no.such.key", "1", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "nothing", litz_options_set(o, "backend", "nothing", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "UTF-8", litz_options_set(o, "\xff", "1", &err));
    OK(litz_options_set_log(o, 5, count_log, &logged, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "level", litz_options_set_log(o, -1, count_log, &logged, &err));
    OK(litz_options_set_log(o, 0, NULL, NULL, &err));
    OK(litz_options_list(&json, &err));
    CHECK(strstr(litz_string_data(json), "\"backend\"") != NULL);
    CHECK(litz_string_size(json) == strlen(litz_string_data(json)));
    litz_string_release(json);
    litz_options_release(o);
}

static void foreign_and_stale_values(void) {
    litz_graph *g = linear_relu(), *other = linear_relu(), *copy = NULL;
    litz_value x = 0, z = 0, kept = 12345, theirs = 0;
    litz_string *text = NULL;
    litz_arg arg;
    size_t n = 99;
    OK(litz_graph_find(g, "x", &x, &err));
    OK(litz_graph_find(g, "z", &z, &err));
    OK(litz_graph_find(other, "x", &theirs, &err));
    CHECK(x != 0 && z != 0 && x != z && x != theirs);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`nothing`", litz_graph_find(g, "nothing", &kept, &err));
    arg = value_arg(theirs);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "another graph", litz_graph_call(g, "aten.relu", &arg, 1, &kept, 1, &n, &err));
    arg = value_arg(0);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "0", litz_graph_call(g, "aten.relu", &arg, 1, &kept, 1, &n, &err));
    arg = value_arg(x + 1000);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "none that this graph gave",
          litz_graph_call(g, "aten.relu", &arg, 1, &kept, 1, &n, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "another graph", litz_graph_output(g, "q", theirs, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "another graph", litz_graph_value_describe(g, 42, &text, &err));
    CHECK(kept == 12345 && n == 99 && text == NULL); /* nothing is written on failure */
    OK(litz_graph_clone(g, &copy, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "another graph", litz_graph_value_describe(copy, x, &text, &err));
    OK(litz_graph_find(copy, "x", &theirs, &err));
    OK(litz_graph_value_describe(copy, theirs, &text, &err));
    CHECK(strstr(litz_string_data(text), "\"float32\"") != NULL);
    litz_string_release(text);
    /* A handle of another kind. */
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "not a litz_options", litz_graph_new("h", (const litz_options *)(void *)g, &copy, &err));
    litz_graph_release(g);
    litz_graph_release(other);
    litz_graph_release(copy);
}

static void wrong_arguments(void) {
    litz_graph *g = linear_relu();
    litz_value x = 0, out = 7, symbols[2] = {0, 0};
    int64_t shape[2] = {4, 4}, strides[2] = {4, -1};
    litz_tensor_spec spec = float_spec(2, shape, NULL);
    litz_arg args[3];
    size_t n = 0;
    float data[4] = {0};
    DLTensor tensor;
    OK(litz_graph_find(g, "x", &x, &err));
    /* Specs. */
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "taken", litz_graph_input(g, "x", &spec, &out, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "empty", litz_graph_input(g, "", &spec, &out, &err));
    spec.struct_size = 0;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "struct_size", litz_graph_input(g, "y", &spec, &out, &err));
    spec = float_spec(-1, shape, NULL);
    FAILS(LITZ_ERROR_SHAPE, "ndim -1", litz_graph_input(g, "y", &spec, &out, &err));
    spec = float_spec(1000000, shape, NULL);
    FAILS(LITZ_ERROR_SHAPE, "dimensions", litz_graph_input(g, "y", &spec, &out, &err));
    spec = float_spec(2, shape, NULL);
    shape[1] = -4;
    FAILS(LITZ_ERROR_SHAPE, "shape[1]", litz_graph_input(g, "y", &spec, &out, &err));
    shape[0] = shape[1] = INT64_MAX / 2;
    FAILS(LITZ_ERROR_SHAPE, "63 bits", litz_graph_input(g, "y", &spec, &out, &err));
    shape[0] = shape[1] = 4;
    spec.strides = strides;
    FAILS(LITZ_ERROR_SHAPE, "strides[1]", litz_graph_input(g, "y", &spec, &out, &err));
    spec = float_spec(2, shape, symbols);
    symbols[1] = x;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "symbol", litz_graph_input(g, "y", &spec, &out, &err));
    spec = float_spec(2, shape, NULL);
    spec.dtype.lanes = 4;
    FAILS(LITZ_ERROR_DTYPE, "lanes", litz_graph_input(g, "y", &spec, &out, &err));
    spec = float_spec(2, shape, NULL);
    spec.device.device_type = kDLMetal;
    FAILS(LITZ_ERROR_DEVICE, "device type", litz_graph_input(g, "y", &spec, &out, &err));
    /* Symbols. */
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "taken", litz_graph_symbol(g, "n", 0, 4, -1, &out, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "above max", litz_graph_symbol(g, "m", 5, 4, -1, &out, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "hint", litz_graph_symbol(g, "m", 0, 4, 9, &out, &err));
    FAILS(LITZ_ERROR_DTYPE, "float32", litz_graph_scalar_input(g, "s", LITZ_DTYPE_FLOAT32, 0, 1, &out, &err));
    FAILS(LITZ_ERROR_DTYPE, "1234", litz_graph_scalar_input(g, "s", 1234, 0, 1, &out, &err));
    /* Constants. */
    tensor = float_tensor(data, 2, shape);
    tensor.device.device_type = kDLCUDA;
    FAILS(LITZ_ERROR_DEVICE, "host memory", litz_graph_constant(g, "c", 0, 0, &tensor, &out, &err));
    tensor = float_tensor(NULL, 2, shape);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "data", litz_graph_constant(g, "c", 0, 0, &tensor, &out, &err));
    tensor = float_tensor(data, 2, NULL);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "shape", litz_graph_constant(g, "c", 0, 0, &tensor, &out, &err));
    tensor = float_tensor(data, 0, NULL);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "kind", litz_graph_constant(g, "c", 9, 0, &tensor, &out, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "flags", litz_graph_constant(g, "c", 0, 64, &tensor, &out, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "taken", litz_graph_constant(g, "l.weight", 0, 0, &tensor, &out, &err));
    /* Calls. */
    args[0] = value_arg(x);
    FAILS(LITZ_ERROR_UNSUPPORTED, "aten.relu", litz_graph_call(g, "aten.relux", args, 1, &out, 1, &n, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "args", litz_graph_call(g, "aten.relu", NULL, 1, &out, 1, &n, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "self", litz_graph_call(g, "aten.relu", NULL, 0, &out, 1, &n, &err));
    args[0].reserved[1] = 1;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "zero", litz_graph_call(g, "aten.relu", args, 1, &out, 1, &n, &err));
    args[0] = value_arg(x);
    args[0].kind = 77;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "77", litz_graph_call(g, "aten.relu", args, 1, &out, 1, &n, &err));
    args[0] = value_arg(x);
    args[0].kind = LITZ_ARG_SYMBOL;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "tensor", litz_graph_call(g, "aten.relu", args, 1, &out, 1, &n, &err));
    args[0] = value_arg(x);
    args[0].name = "nobody";
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "nobody", litz_graph_call(g, "aten.relu", args, 1, &out, 1, &n, &err));
    args[0] = int_arg(3);
    args[0].kind = LITZ_ARG_SUBGRAPH;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "subgraph", litz_graph_call(g, "higher_order.cond", args, 1, &out, 1, &n, &err));
    args[0] = value_arg(x);
    args[0].name = "self";
    args[1] = value_arg(x);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "positional", litz_graph_call(g, "aten.add.Tensor", args, 2, &out, 1, &n, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "taken", litz_graph_output(g, "z", x, &err));
    CHECK(out == 7);
    OK(litz_graph_status(g, &err)); /* failures that somebody was told of are not sticky */
    litz_graph_release(g);
}

/* A graph of one operator on three numbers. */
static litz_graph *branch(const char *op) {
    litz_graph *g = NULL;
    int64_t shape[1] = {3};
    litz_tensor_spec spec = float_spec(1, shape, NULL);
    litz_value x, y;
    litz_arg arg;
    size_t n = 0;
    OK(litz_graph_new(op, NULL, &g, &err));
    OK(litz_graph_input(g, "x", &spec, &x, &err));
    arg = value_arg(x);
    OK(litz_graph_call(g, op, &arg, 1, &y, 1, &n, &err));
    OK(litz_graph_output(g, "y", y, &err));
    return g;
}

/* The branches of a cond are graphs of their own, copied by the call. */
static void branches(void) {
    litz_graph *g = NULL, *yes = branch("aten.exp"), *no = branch("aten.neg");
    litz_options *o = NULL;
    litz_executable *e = NULL;
    int64_t shape[1] = {3};
    litz_tensor_spec spec = float_spec(1, shape, NULL);
    litz_value x, truth, y;
    litz_arg args[4];
    size_t n = 0;
    float given[3] = {0, 1, -2}, got[3];
    uint8_t condition;
    OK(litz_graph_new("branches", NULL, &g, &err));
    OK(litz_graph_input(g, "x", &spec, &x, &err));
    spec = float_spec(0, NULL, NULL);
    spec.dtype.code = kDLBool;
    spec.dtype.bits = 8;
    OK(litz_graph_input(g, "truth", &spec, &truth, &err));
    args[0] = value_arg(truth);
    args[1] = value_arg(0);
    args[1].kind = LITZ_ARG_SUBGRAPH;
    args[1].subgraph = yes;
    args[2] = args[1];
    args[2].subgraph = no;
    args[3] = value_arg(0);
    args[3].kind = LITZ_ARG_VALUES;
    args[3].values = &x;
    args[3].n = 1;
    OK(litz_graph_call(g, "higher_order.cond", args, 4, &y, 1, &n, &err));
    CHECK(n == 1);
    OK(litz_graph_output(g, "y", y, &err));
    litz_graph_release(yes);
    litz_graph_release(no);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "interpreter", &err));
    OK(litz_compile(g, o, &e, &err));
    for (condition = 0; condition < 2; condition++) {
        DLTensor in = float_tensor(given, 1, shape), which = float_tensor((float *)&condition, 0, NULL);
        DLTensor out = float_tensor(got, 1, shape);
        const DLTensor *inputs[2], *outputs[1];
        which.dtype.code = kDLBool;
        which.dtype.bits = 8;
        inputs[0] = &in;
        inputs[1] = &which;
        outputs[0] = &out;
        OK(litz_executable_run_into(e, inputs, 2, outputs, 1, NULL, &err));
        CHECK(condition ? got[0] == 1 && got[1] > 2.718f && got[1] < 2.719f : got[1] == -1 && got[2] == 2);
    }
    litz_executable_release(e);
    litz_options_release(o);
    litz_graph_release(g);
}

static void capacity_and_stickiness(void) {
    litz_graph *g = linear_relu();
    litz_value x = 0, out = 7;
    litz_arg arg;
    size_t n = 0;
    litz_string *before = NULL, *after = NULL;
    OK(litz_graph_find(g, "x", &x, &err));
    OK(litz_graph_describe(g, &before, &err));
    arg = value_arg(x);
    FAILS(LITZ_ERROR_CAPACITY, "1 results", litz_graph_call(g, "aten.relu", &arg, 1, NULL, 0, &n, &err));
    CHECK(n == 1);
    n = 0;
    CHECK(litz_graph_call(g, "aten.relu", &arg, 1, NULL, 0, &n, NULL) == LITZ_ERROR_CAPACITY && n == 1);
    OK(litz_graph_status(g, &err)); /* asking for the room needed is no failure of the graph */
    OK(litz_graph_describe(g, &after, &err));
    CHECK(strcmp(litz_string_data(before), litz_string_data(after)) == 0);
    litz_string_release(before);
    litz_string_release(after);
    /* Nobody is told of this one: it sticks, and later calls give it again. */
    CHECK(litz_graph_call(g, "aten.nonsense", &arg, 1, &out, 1, &n, NULL) == LITZ_ERROR_UNSUPPORTED);
    CHECK(litz_graph_call(g, "aten.relu", &arg, 1, &out, 1, &n, NULL) == LITZ_ERROR_UNSUPPORTED);
    CHECK(out == 7);
    FAILS(LITZ_ERROR_UNSUPPORTED, "aten.nonsense", litz_graph_status(g, &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "aten.nonsense", litz_graph_call(g, "aten.relu", &arg, 1, &out, 1, &n, &err));
    {
        litz_executable *e = NULL;
        FAILS(LITZ_ERROR_UNSUPPORTED, "aten.nonsense", litz_compile(g, NULL, &e, &err));
        CHECK(e == NULL);
    }
    litz_graph_release(g);
}

static void symbols(void) {
    litz_graph *g = NULL;
    litz_value n = 0, m = 0, twice = 0, x = 0, flat = 0, again = 0, list[2] = {0, 0};
    int64_t shape[2] = {0, 3}, sizes[2] = {0, 0};
    litz_tensor_spec spec;
    litz_arg args[2];
    size_t count = 0;
    litz_string *json = NULL;
    OK(litz_graph_new("symbols", NULL, &g, &err));
    OK(litz_graph_symbol(g, "n", 1, 8, -1, &n, &err));
    list[0] = n;
    spec = float_spec(2, shape, list);
    OK(litz_graph_input(g, "x", &spec, &x, &err));
    args[0] = value_arg(n);
    args[0].kind = LITZ_ARG_SYMBOL;
    args[1] = int_arg(3);
    OK(litz_graph_call(g, "sym.mul", args, 2, &twice, 1, &count, &err));
    CHECK(count == 1);
    OK(litz_graph_value_describe(g, twice, &json, &err));
    CHECK(strstr(litz_string_data(json), "24") != NULL); /* its bound */
    litz_string_release(json);
    args[0] = value_arg(x);
    args[1] = int_arg(0);
    OK(litz_graph_call(g, "aten.sym_size.int", args, 2, &again, 1, &count, &err));
    CHECK(again == n);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "tensor", litz_graph_call(g, "sym.add", args, 2, &m, 1, &count, &err));
    args[0] = value_arg(n);
    FAILS(LITZ_ERROR_UNSUPPORTED, "frobnicate", litz_graph_call(g, "sym.frobnicate", args, 2, &m, 1, &count, &err));
    args[0] = value_arg(x);
    /* A symbol in a list of sizes. */
    memset(&args[1], 0, sizeof args[1]);
    args[1].kind = LITZ_ARG_INTS;
    args[1].ints = sizes;
    args[1].values = &twice;
    args[1].n = 1;
    OK(litz_graph_call(g, "aten.view", args, 2, &flat, 1, &count, &err));
    OK(litz_graph_output(g, "flat", flat, &err));
    OK(litz_graph_output(g, "n", n, &err));
    OK(litz_graph_describe(g, &json, &err));
    CHECK(strstr(litz_string_data(json), "\"aten.view.default\":1") != NULL);
    litz_string_release(json);
    litz_graph_release(g);
}

static void processwide(void) {
    litz_string *json = NULL;
    OK(litz_memory_stats(1, 0, &json, &err));
    CHECK(litz_string_data(json)[0] == '{');
    litz_string_release(json);
    OK(litz_memory_release(1, 0, &err));
    FAILS(LITZ_ERROR_DEVICE, "type 3", litz_memory_stats(3, 0, &json, &err));
    FAILS(LITZ_ERROR_DEVICE, "index 7", litz_memory_release(1, 7, &err));
    OK(litz_reset(&err));
}

/* What is computed from a constant lies as the constant's data did. */
static void strides_of_constants(void) {
    litz_graph *g = NULL;
    litz_options *o = NULL;
    litz_executable *e = NULL;
    litz_string *text = NULL;
    litz_value c = 0, y = 0;
    litz_arg arg;
    struct DLManagedTensorVersioned *made = NULL;
    float data[6] = {1, 4, 2, 5, 3, 6};
    int64_t shape[2] = {2, 3}, strides[2] = {1, 2};
    DLTensor tensor = float_tensor(data, 2, shape);
    size_t n = 0, k;
    tensor.strides = strides;
    OK(litz_graph_new("turned", NULL, &g, &err));
    OK(litz_graph_constant(g, "c", LITZ_CONSTANT_BUFFER, 0, &tensor, &c, &err));
    arg = value_arg(c);
    OK(litz_graph_call(g, "aten.neg", &arg, 1, &y, 1, &n, &err));
    OK(litz_graph_output(g, "y", y, &err));
    OK(litz_graph_value_describe(g, y, &text, &err));
    CHECK(strstr(litz_string_data(text), "\"strides\":[1,2]") != NULL);
    litz_string_release(text);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "interpreter", &err));
    OK(litz_compile(g, o, &e, &err));
    OK(litz_executable_run(e, NULL, 0, &made, 1, NULL, &err));
    CHECK(made->dl_tensor.strides[0] == 1 && made->dl_tensor.strides[1] == 2);
    for (k = 0; k < 6; ++k) CHECK(((const float *)made->dl_tensor.data)[k] == -data[k]);
    litz_tensor_release(made);
    litz_executable_release(e);
    litz_options_release(o);
    litz_graph_release(g);
}

int main(void) {
    errors_and_versions();
    options();
    foreign_and_stale_values();
    wrong_arguments();
    branches();
    capacity_and_stickiness();
    symbols();
    strides_of_constants();
    processwide();
    puts("graph: all right");
    return 0;
}
