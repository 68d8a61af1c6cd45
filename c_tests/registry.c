/* What a host adds to the compiler: passes at each point, decompositions, backends; and what callbacks may do wrong. The argument
 * is the backend that passes and decompositions are tried on. */
#include "negate.h"

static litz_value call(litz_graph *g, const char *op, const litz_arg *args, size_t n_args) {
    litz_value out = 0;
    size_t n = 0;
    OK(litz_graph_call(g, op, args, n_args, &out, 1, &n, &err));
    CHECK(n == 1);
    return out;
}

static litz_value call1(litz_graph *g, const char *op, litz_value x) {
    const litz_arg arg = value_arg(x);
    return call(g, op, &arg, 1);
}

/* y = softplus(relu(x)), x of shape [n] */
static litz_graph *sample(void) {
    int64_t shape[1] = {0};
    litz_value symbols[1], x, y;
    litz_tensor_spec spec;
    litz_graph *g = NULL;
    OK(litz_graph_new("sample", NULL, &g, &err));
    OK(litz_graph_symbol(g, "n", 1, 64, 4, &symbols[0], &err));
    spec = float_spec(1, shape, symbols);
    OK(litz_graph_input(g, "x", &spec, &x, &err));
    y = call1(g, "aten.softplus", call1(g, "aten.relu", x));
    OK(litz_graph_output(g, "y", y, &err));
    return g;
}

static litz_options *options_with(litz_registry *r, const char *backend) {
    litz_options *o = NULL;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set_registry(o, r, &err));
    OK(litz_options_set(o, "backend", backend, &err));
    return o;
}

static litz_registry *new_registry(void) {
    litz_registry *r = NULL;
    OK(litz_registry_new(&r, &err));
    return r;
}

/* Options whose registry has the backend "mine", and choose it. */
static litz_options *options_with_backend(litz_backend_compile_fn compile, void *context, uint32_t flags) {
    litz_registry *r = new_registry();
    litz_options *o = NULL;
    litz_backend backend;
    memset(&backend, 0, sizeof backend);
    backend.struct_size = sizeof backend;
    backend.compile = compile;
    backend.context = context;
    backend.flags = flags;
    OK(litz_registry_add_backend(r, "mine", NULL, 0, &backend, &err));
    o = options_with(r, "mine");
    litz_registry_release(r);
    return o;
}

static litz_executable *compile(const litz_graph *g, const litz_options *o) {
    litz_executable *e = NULL;
    OK(litz_compile(g, o, &e, &err));
    return e;
}

static void run(const litz_executable *e, float *x, float *y, int64_t n) {
    int64_t shape[1];
    DLTensor input, output;
    const DLTensor *inputs[1] = {&input}, *outputs[1] = {&output};
    shape[0] = n;
    input = float_tensor(x, 1, shape);
    output = float_tensor(y, 1, shape);
    OK(litz_executable_run_into(e, inputs, 1, outputs, 1, NULL, &err));
}

static int near(float a, float b) { return a - b < 1e-5f && b - a < 1e-5f; }

/* A pass that puts neg in the place of every relu. */
typedef struct {
    int calls, found, compiling;
} counted;

static litz_status negate(void *context, litz_graph *g, litz_error **err) {
    counted *c = context;
    ++c->calls;
    c->compiling += litz_is_compiling();
    return negate_relus(g, &c->found, err);
}

static void passes(const char *backend) {
    static const char *const points[3] = {"pre_grad", "joint", "post_grad"};
    /* softplus(1) and softplus(-1) */
    float x[2] = {1, -1}, y[2];
    size_t k;
    litz_graph *g = sample();
    for (k = 0; k < 3; ++k) {
        counted c = {0, 0, 0};
        litz_registry *r = new_registry();
        litz_options *o = options_with(r, backend);
        litz_executable *e = compile(g, o);
        /* Without a pass, so that kernels of this graph are kept already. */
        run(e, x, y, 2);
        CHECK(near(y[0], 1.3132617f) && near(y[1], 0.6931472f));
        litz_executable_release(e);
        OK(litz_registry_add_pass(r, points[k], negate, &c, &err));
        e = compile(g, o);
        CHECK(c.calls == 1 && c.found == 1 && c.compiling == 1);
        run(e, x, y, 2);
        CHECK(near(y[0], 0.3132617f) && near(y[1], 1.3132617f));
        CHECK(litz_is_compiling() == 0);
        litz_executable_release(e);
        /* Options without the registry compile as ever. */
        OK(litz_options_set_registry(o, NULL, &err));
        e = compile(g, o);
        run(e, x, y, 2);
        CHECK(near(y[0], 1.3132617f) && c.calls == 1);
        litz_executable_release(e);
        litz_options_release(o);
        litz_registry_release(r);
    }
    litz_graph_release(g);
}

/* Graphs that nodes run are shown to passes, too. */
static void passes_inside(const char *backend) {
    static const char text[] = "graph \"g\" {\n"
                               "  input %0 \"p\": bool[]\n"
                               "  input %1 \"x\": float32[2]\n"
                               "  %2 = higher_order.cond.default(%0, graph \"yes\" {\n"
                               "    input %0 \"x\": float32[2]\n"
                               "    %1 = aten.relu.default(%0)\n"
                               "    output \"y\" = %1\n"
                               "  }, graph \"no\" {\n"
                               "    input %0 \"x\": float32[2]\n"
                               "    %1 = aten.abs.default(%0)\n"
                               "    output \"y\" = %1\n"
                               "  }, [%1])\n"
                               "  output \"y\" = %2\n"
                               "}\n";
    uint8_t yes = 1;
    float x[2] = {1, -1}, y[2];
    int64_t shape[1] = {2};
    DLTensor p, input = float_tensor(x, 1, shape), output = float_tensor(y, 1, shape);
    const DLTensor *inputs[2] = {&p, &input}, *outputs[1] = {&output};
    counted c = {0, 0, 0};
    litz_registry *r = new_registry();
    litz_options *o = options_with(r, backend);
    litz_graph *g = NULL;
    litz_executable *e = NULL;
    p = input;
    p.data = &yes;
    p.ndim = 0;
    p.dtype.code = kDLBool;
    p.dtype.bits = 8;
    g = graph_of(text);
    OK(litz_registry_add_pass(r, "joint", negate, &c, &err));
    e = compile(g, o);
    CHECK(c.calls == 3 && c.found == 1);
    OK(litz_executable_run_into(e, inputs, 2, outputs, 1, NULL, &err));
    CHECK(y[0] == -1 && y[1] == 1);
    litz_executable_release(e);
    litz_graph_release(g);
    litz_options_release(o);
    litz_registry_release(r);
}

/* What is wrong with a pass. */
enum { FAIL, FAIL_SILENTLY, INTERNAL, ODD_STATUS, ERROR_AND_SUCCESS, UNHEARD, RELEASE, NEW_INPUT, NEW_OUTPUT, WIDER, STALE };

static litz_status wrong(void *context, litz_graph *g, litz_error **err) {
    const int64_t shape[1] = {2};
    const litz_tensor_spec spec = float_spec(1, shape, NULL);
    litz_value values[1], out = 0;
    litz_arg args[2];
    size_t n = 0;
    litz_status status;
    switch (*(int *)context) {
    case FAIL: *err = litz_error_new(LITZ_ERROR_UNSUPPORTED, "this model is too large"); return LITZ_ERROR_UNSUPPORTED;
    case FAIL_SILENTLY: return LITZ_ERROR_STATE;
    case INTERNAL: *err = litz_error_new(LITZ_ERROR_INTERNAL, "my own mistake"); return LITZ_ERROR_INTERNAL;
    case ODD_STATUS: return 1234;
    case ERROR_AND_SUCCESS: *err = litz_error_new(LITZ_ERROR_SHAPE, "forgotten"); return LITZ_OK;
    case UNHEARD: return litz_graph_replace(g, 0, 0, NULL), LITZ_OK;
    case RELEASE: litz_graph_release(g); return LITZ_OK;
    case NEW_INPUT: return litz_graph_input(g, "more", &spec, &out, err);
    case NEW_OUTPUT:
        status = litz_graph_values(g, LITZ_INFO_INPUT, values, 1, &n, err);
        return status != LITZ_OK ? status : litz_graph_output(g, "more", values[0], err);
    case WIDER: /* the output becomes float64 */
        status = litz_graph_values(g, LITZ_INFO_OUTPUT, values, 1, &n, err);
        if (status != LITZ_OK) return status;
        args[0] = value_arg(values[0]);
        memset(&args[1], 0, sizeof args[1]);
        args[1].kind = LITZ_ARG_DTYPE;
        args[1].i = LITZ_DTYPE_FLOAT64;
        status = litz_graph_call(g, "aten.to.dtype", args, 2, &out, 1, &n, err);
        return status != LITZ_OK ? status : litz_graph_replace(g, values[0], out, err);
    case STALE: return litz_graph_erase(g, 12345, err);
    default: return LITZ_OK;
    }
}

static void wrong_passes(void) {
    static const struct {
        int kind;
        litz_status code;
        const char *words;
    } cases[] = {
        {FAIL, LITZ_ERROR_UNSUPPORTED, "the host's pass 0 at `post_grad`: this model is too large"},
        {FAIL_SILENTLY, LITZ_ERROR_STATE, "status 12"},
        {INTERNAL, LITZ_ERROR_INVALID_ARGUMENT, "my own mistake"},
        {ODD_STATUS, LITZ_ERROR_INVALID_ARGUMENT, "1234"},
        {ERROR_AND_SUCCESS, LITZ_ERROR_INVALID_ARGUMENT, "forgotten"},
        {UNHEARD, LITZ_ERROR_INVALID_ARGUMENT, "`old_value`"},
        {RELEASE, LITZ_ERROR_INVALID_ARGUMENT, "released the graph"},
        {NEW_INPUT, LITZ_ERROR_STATE, "keeps the inputs"},
        {NEW_OUTPUT, LITZ_ERROR_STATE, "keeps the inputs"},
        {WIDER, LITZ_ERROR_INVALID_ARGUMENT, "output \"y\" was float32[n] and is float64[n]"},
        {STALE, LITZ_ERROR_INVALID_ARGUMENT, "the host's pass 0 at `post_grad`"},
    };
    litz_graph *g = sample();
    litz_executable *e = NULL;
    size_t k;
    for (k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        int kind = cases[k].kind;
        litz_registry *r = new_registry();
        litz_options *o = options_with(r, "interpreter");
        OK(litz_registry_add_pass(r, "post_grad", wrong, &kind, &err));
        FAILS(cases[k].code, cases[k].words, litz_compile(g, o, &e, &err));
        CHECK(e == NULL);
        litz_options_release(o);
        litz_registry_release(r);
    }
    OK(litz_graph_lint(g, &err));
    litz_graph_release(g);
}

static void wrong_arguments(void) {
    litz_registry *r = new_registry();
    litz_options *o = NULL;
    litz_string *json = NULL;
    litz_backend backend;
    const char *tags[1] = {"mine"};
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`post_grad`", litz_registry_add_pass(r, "last", negate, NULL, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`fn` is NULL", litz_registry_add_pass(r, "joint", NULL, NULL, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`rule` is NULL", litz_registry_add_decomposition(r, "aten.relu", NULL, NULL, &err));
    memset(&backend, 0, sizeof backend);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "struct_size", litz_registry_add_backend(r, "b", tags, 1, &backend, &err));
    backend.struct_size = sizeof backend;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "compile", litz_registry_add_backend(r, "b", tags, 1, &backend, &err));
    backend.reserved[3] = 1;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "reserved", litz_registry_add_backend(r, "b", tags, 1, &backend, &err));
    OK(litz_registry_describe(r, &json, &err));
    CHECK(strstr(litz_string_data(json), "\"joint\":0") != NULL);
    CHECK(strstr(litz_string_data(json), "\"own_decompositions\":[") != NULL);
    CHECK(strstr(litz_string_data(json), "\"aten.gelu_backward.default\"") != NULL);
    litz_string_release(json);
    OK(litz_options_new(&o, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "not a litz_registry",
          litz_options_set_registry(o, (litz_registry *)(void *)o, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "registry", litz_options_set(o, "backend", "mine", &err));
    litz_options_release(o);
    litz_registry_release(r);
}

/* softplus(x) = log(1 + exp(x)), or, told so, something that it is not. */
static litz_status softplus(void *context, litz_graph *g, const litz_arg *args, size_t n_args, litz_value *outs, size_t n_outs,
                            litz_error **err) {
    litz_value x = 0;
    litz_arg arg;
    size_t n = 0;
    litz_status status;
    CHECK(n_args == 3 && n_outs == 1 && strcmp(args[0].name, "self") == 0 && args[1].i == 1);
    switch (*(int *)context) {
    case 1: return LITZ_OK; /* kept as it is */
    case 2: outs[0] = 17; return LITZ_OK;
    case 3: return litz_graph_call(g, "aten.sum", args, 1, outs, 1, &n, err);
    case 4: return litz_graph_call(g, "aten.softplus", args, n_args, outs, 1, &n, err);
    case 5: return litz_graph_erase(g, 1, err);
    case 6: *err = litz_error_new(LITZ_ERROR_DTYPE, "no such thing"); return LITZ_ERROR_DTYPE;
    default: break;
    }
    status = litz_graph_call(g, "aten.exp", args, 1, &x, 1, &n, err);
    if (status != LITZ_OK) return status;
    arg = value_arg(x);
    return litz_graph_call(g, "aten.log1p", &arg, 1, outs, 1, &n, err);
}

static int has_operator(const litz_executable *e, const char *name) {
    litz_string *json = NULL;
    int found;
    OK(litz_executable_describe(e, &json, &err));
    found = strstr(litz_string_data(json), name) != NULL;
    litz_string_release(json);
    return found;
}

static void decompositions(const char *backend) {
    float x[2] = {1, -1}, y[2];
    int kind = 0;
    litz_registry *r = new_registry();
    litz_options *o = options_with(r, backend);
    litz_graph *g = sample();
    litz_executable *e = NULL;
    OK(litz_registry_add_decomposition(r, "aten.softplus", softplus, &kind, &err));
    e = compile(g, o);
    CHECK(has_operator(e, "aten.log1p.default"));
    run(e, x, y, 2);
    CHECK(near(y[0], 1.3132617f) && near(y[1], 0.6931472f));
    litz_executable_release(e);
    kind = 1;
    e = compile(g, o);
    CHECK(!has_operator(e, "aten.log1p.default"));
    run(e, x, y, 2);
    CHECK(near(y[0], 1.3132617f));
    litz_executable_release(e);
    e = NULL;
    kind = 2;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "outs[0]", litz_compile(g, o, &e, &err));
    kind = 3;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "aten.softplus.default: result 0 decomposed to", litz_compile(g, o, &e, &err));
    kind = 4;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "does not end", litz_compile(g, o, &e, &err));
    kind = 5;
    FAILS(LITZ_ERROR_STATE, "adds nodes", litz_compile(g, o, &e, &err));
    kind = 6;
    FAILS(LITZ_ERROR_DTYPE, "no such thing", litz_compile(g, o, &e, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "already", litz_registry_add_decomposition(r, "aten.softplus", softplus, &kind, &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "aten.softplus.default", litz_registry_add_decomposition(r, "aten.sofplus", softplus, &kind, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "in place", litz_registry_add_decomposition(r, "aten.relu_", softplus, &kind, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "becomes others", litz_registry_add_decomposition(r, "aten.nonzero", softplus, &kind, &err));
    litz_options_release(o);
    litz_registry_release(r);
    litz_graph_release(g);
}

/* A backend that has Litz's interpreter run the graph that it was given, and counts what becomes of its parts. */
typedef struct {
    int compiled, ran, released, callables, wrong, saw_outer;
} backend_log;

typedef struct {
    backend_log *log;
    litz_executable *inner;
} program;

static litz_status run_program(void *context, const litz_backend_call *call, litz_error **err) {
    program *p = context;
    CHECK(call->struct_size == sizeof *call);
    ++p->log->ran;
    if (p->log->wrong == 4) {
        *err = litz_error_new(LITZ_ERROR_OUT_OF_MEMORY, "the accelerator is full");
        return LITZ_ERROR_OUT_OF_MEMORY;
    }
    return litz_executable_run_into(p->inner, call->inputs, call->n_inputs, call->outputs, call->n_outputs, NULL, err);
}

static void release_program(void *context) {
    program *p = context;
    --p->log->callables;
    litz_executable_release(p->inner);
    free(p);
}

static litz_status compile_program(void *context, const litz_graph *g, litz_callable *out, litz_error **err) {
    backend_log *log = context;
    litz_options *o = NULL;
    litz_string *json = NULL;
    litz_status status;
    program *p;
    CHECK(out->struct_size == sizeof *out && out->run == NULL && litz_is_compiling() == 1);
    ++log->compiled;
    if (log->wrong == 1) return litz_graph_erase((litz_graph *)g, 1, err);
    if (log->wrong == 2) return LITZ_OK;
    if (log->wrong == 3) return LITZ_ERROR_INTERNAL;
    status = litz_graph_describe(g, &json, err);
    if (status != LITZ_OK) return status;
    log->saw_outer = strstr(litz_string_data(json), "aten.outer.default") != NULL;
    litz_string_release(json);
    p = malloc(sizeof *p);
    CHECK(p != NULL);
    p->log = log;
    p->inner = NULL;
    status = litz_options_new(&o, err);
    if (status == LITZ_OK) status = litz_options_set(o, "backend", "interpreter", err);
    if (status == LITZ_OK) status = litz_compile(g, o, &p->inner, err);
    litz_options_release(o);
    if (status != LITZ_OK) {
        free(p);
        return status;
    }
    ++log->callables;
    out->context = p;
    out->run = run_program;
    out->release = release_program;
    return LITZ_OK;
}

static void release_log(void *context) { ++((backend_log *)context)->released; }
static void note_release(void *context) { ++*(int *)context; }

static void backends(void) {
    float x[3] = {1, -1, 0.5f}, y[3];
    const char *tags[2] = {"mine", "debug"};
    backend_log log;
    litz_backend backend;
    litz_registry *r = new_registry();
    litz_options *o = NULL;
    litz_graph *g = sample();
    litz_executable *e = NULL, *copy = NULL;
    litz_string *json = NULL;
    int gone = 0;
    memset(&log, 0, sizeof log);
    memset(&backend, 0, sizeof backend);
    backend.struct_size = sizeof backend;
    backend.context = &log;
    backend.compile = compile_program;
    backend.release = release_log;
    OK(litz_registry_add_cleanup(r, note_release, &gone, &err));
    OK(litz_registry_add_backend(r, "mine", tags, 2, &backend, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "already", litz_registry_add_backend(r, "mine", tags, 2, &backend, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "Litz has one", litz_registry_add_backend(r, "cpu", tags, 2, &backend, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "letters", litz_registry_add_backend(r, "my backend", tags, 2, &backend, &err));
    CHECK(log.released == 0);
    OK(litz_registry_describe(r, &json, &err));
    CHECK(strstr(litz_string_data(json), "{\"name\":\"mine\",\"tags\":[\"mine\",\"debug\"]}") != NULL);
    litz_string_release(json);
    o = options_with(r, "mine");
    e = compile(g, o);
    CHECK(log.compiled == 1 && has_operator(e, "\"backend\":\"mine\""));
    run(e, x, y, 3);
    CHECK(near(y[0], 1.3132617f) && near(y[1], 0.6931472f) && near(y[2], 0.9740770f) && log.ran == 1);
    run(e, x, y, 1); /* another size */
    CHECK(near(y[0], 1.3132617f) && log.ran == 2);
    OK(litz_executable_clone(e, &copy, &err));
    litz_executable_release(e);
    run(copy, x, y, 2);
    CHECK(log.callables == 1);
    FAILS(LITZ_ERROR_UNSUPPORTED, "artifact", litz_executable_save(copy, "/nonexistent/x.so", &err));
    /* A failing run says what the host said. */
    {
        int64_t shape[1] = {2};
        DLTensor input = float_tensor(x, 1, shape), output = float_tensor(y, 1, shape);
        const DLTensor *inputs[1] = {&input}, *outputs[1] = {&output};
        log.wrong = 4;
        FAILS(LITZ_ERROR_OUT_OF_MEMORY, "backend `mine`: the accelerator is full",
              litz_executable_run_into(copy, inputs, 1, outputs, 1, NULL, &err));
        log.wrong = 0;
    }
    litz_registry_release(r);
    litz_executable_release(copy);
    CHECK(log.callables == 0 && log.released == 0 && gone == 0);
    e = NULL;
    log.wrong = 1;
    FAILS(LITZ_ERROR_STATE, "lent to be read", litz_compile(g, o, &e, &err));
    log.wrong = 2;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "without `run`", litz_compile(g, o, &e, &err));
    log.wrong = 3;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "99", litz_compile(g, o, &e, &err));
    litz_options_release(o);
    CHECK(log.released == 1 && gone == 1);
    litz_graph_release(g);
}

/* Composite operators are as the user wrote them, unless the backend asks for simpler ones. */
static void composite(void) {
    uint32_t flags;
    for (flags = 0; flags <= LITZ_BACKEND_DECOMPOSED; ++flags) {
        const int64_t shape[1] = {2};
        int64_t result_shape[2] = {2, 2}, x_shape[1] = {2};
        float x[2] = {2, 3}, y[4];
        DLTensor input = float_tensor(x, 1, x_shape), output = float_tensor(y, 2, result_shape);
        const DLTensor *inputs[1] = {&input}, *outputs[1] = {&output};
        litz_tensor_spec spec = float_spec(1, shape, NULL);
        backend_log log;
        litz_options *o = NULL;
        litz_graph *g = NULL;
        litz_executable *e = NULL;
        litz_arg args[2];
        litz_value v;
        memset(&log, 0, sizeof log);
        OK(litz_graph_new("composite", NULL, &g, &err));
        OK(litz_graph_input(g, "x", &spec, &v, &err));
        args[0] = args[1] = value_arg(v);
        OK(litz_graph_output(g, "y", call(g, "aten.outer", args, 2), &err));
        o = options_with_backend(compile_program, &log, flags);
        e = compile(g, o);
        CHECK(log.saw_outer == (flags == 0));
        OK(litz_executable_run_into(e, inputs, 1, outputs, 1, NULL, &err));
        CHECK(y[0] == 4 && y[1] == 6 && y[3] == 9);
        litz_executable_release(e);
        litz_options_release(o);
        litz_graph_release(g);
    }
}

/* A backend takes part in a deterministic compilation where it was declared so. */
static void deterministic(void) {
    static const char text[] = "graph \"g\" {\n"
                               "  input %0 \"x\": float32[2]\n"
                               "  %1 = aten.outer.default(%0, %0)\n"
                               "  output \"y\" = %1\n"
                               "}\n";
    uint32_t flags;
    for (flags = 0; flags <= (LITZ_BACKEND_DECOMPOSED | LITZ_BACKEND_DETERMINISTIC); ++flags) {
        backend_log log;
        litz_executable *e = NULL;
        litz_graph *g = graph_of(text);
        litz_options *o;
        memset(&log, 0, sizeof log);
        o = options_with_backend(compile_program, &log, flags);
        OK(litz_options_set(o, "deterministic", "true", &err));
        if (flags & LITZ_BACKEND_DETERMINISTIC) {
            litz_executable_release(compile(g, o));
            CHECK(log.saw_outer == !(flags & LITZ_BACKEND_DECOMPOSED));
        } else {
            FAILS(LITZ_ERROR_UNSUPPORTED, "backend `mine` does not promise the same results", litz_compile(g, o, &e, &err));
            CHECK(log.compiled == 0);
        }
        litz_options_release(o);
        litz_graph_release(g);
    }
}

/* What a program writes back to its inputs, buffers that it changes, and outputs that are numbers. */
static litz_status run_state(void *context, const litz_backend_call *call, litz_error **err) {
    const float *x = call->inputs[0]->data, *steps = call->constants[0]->data;
    float *y = call->outputs[1]->data, *new_x = call->outputs[2]->data, *new_steps = call->outputs[3]->data;
    int64_t k;
    (void)context;
    (void)err;
    CHECK(call->n_inputs == 1 && call->n_constants == 1 && call->n_outputs == 4);
    CHECK(call->outputs[0]->ndim == 0 && *(const int64_t *)call->outputs[0]->data == 2 * call->inputs[0]->shape[0]);
    CHECK(call->outputs[2]->shape[0] == call->inputs[0]->shape[0] && call->inputs[0]->strides[0] == 1);
    new_steps[0] = steps[0] + 1;
    for (k = 0; k < call->inputs[0]->shape[0]; ++k) new_x[k] = y[k] = x[k] * new_steps[0];
    return LITZ_OK;
}

static litz_status compile_state(void *context, const litz_graph *g, litz_callable *out, litz_error **e) {
    litz_value values[4];
    size_t n = 0;
    litz_string *json = NULL;
    (void)context;
    (void)e;
    OK(litz_graph_values(g, LITZ_INFO_OUTPUT, values, 4, &n, &err));
    CHECK(n == 2 && values[0] == 0 && values[1] != 0);
    OK(litz_graph_values(g, LITZ_INFO_WRITE, values, 4, &n, &err));
    CHECK(n == 2);
    OK(litz_graph_describe(g, &json, &err));
    CHECK(strstr(litz_string_data(json), "\"writes\":[{\"input\":\"x\"},{\"constant\":\"steps\"}]") != NULL);
    litz_string_release(json);
    out->run = run_state;
    return LITZ_OK;
}

static void state(void) {
    static const char text[] = "graph \"g\" {\n"
                               "  symbol n in [1, 9]\n"
                               "  input %0 \"x\": float32[n]\n"
                               "  buffer %1 \"steps\": float32[] = [5.0]\n"
                               "  %2 = aten.add_.Scalar(%1, 1)\n"
                               "  %3 = aten.mul_.Tensor(%0, %1)\n"
                               "  output \"twice\" = 2*n\n"
                               "  output \"y\" = %3\n"
                               "}\n";
    float x[4] = {1, 0, 2, 0}, y[2], steps[1] = {10};
    int64_t shape[1] = {2}, strides[1] = {2}, twice[1] = {0};
    DLTensor input = float_tensor(x, 1, shape), output = float_tensor(y, 1, shape), number = float_tensor(NULL, 0, NULL), step;
    const DLTensor *inputs[1], *outputs[2], *data[1];
    const char *names[1] = {"steps"};
    litz_options *o = options_with_backend(compile_state, NULL, LITZ_BACKEND_DECOMPOSED);
    litz_graph *g = NULL;
    litz_executable *e = NULL;
    input.strides = strides;
    number.data = twice;
    number.dtype.code = kDLInt;
    number.dtype.bits = 64;
    step = float_tensor(steps, 0, NULL);
    inputs[0] = &input;
    outputs[0] = &number;
    outputs[1] = &output;
    data[0] = &step;
    g = graph_of(text);
    e = compile(g, o);
    OK(litz_executable_run_into(e, inputs, 1, outputs, 2, NULL, &err));
    CHECK(twice[0] == 4 && y[0] == 6 && y[1] == 12 && x[0] == 6 && x[1] == 0 && x[2] == 12);
    OK(litz_executable_update_constants(e, names, data, 1, &err));
    OK(litz_executable_run_into(e, inputs, 1, outputs, 2, NULL, &err));
    CHECK(y[0] == 66 && x[2] == 132);
    litz_executable_release(e);
    litz_options_release(o);
    litz_graph_release(g);
}

/* Results whose sizes the callable decides. */
static const char late_text[] = "graph \"g\" {\n"
                                "  symbol n in [0, 8]\n"
                                "  input %0 \"x\": float32[n]\n"
                                "  %1 = aten.nonzero.default(%0)\n"
                                "  %2 = aten.select.int(%1, 1, 0)\n"
                                "  %3 = aten.index_select.default(%0, 0, %2)\n"
                                "  %4 = aten.cat.default([%3, %3])\n"
                                "  %5 = aten.neg.default(%0)\n"
                                "  output \"places\" = %1\n"
                                "  output \"twice\" = %4\n"
                                "  output \"negative\" = %5\n"
                                "}\n";

/* What goes wrong: 1: no sizes, 2: sizes that do not agree, 3: more than there are elements, 4: sizes where they are given. */
static litz_status run_late(void *context, const litz_backend_call *call, litz_error **err) {
    const int wrong = *(const int *)context;
    const float *x = call->inputs[0]->data;
    const int64_t n = call->inputs[0]->shape[0];
    int64_t count = 0, k, shape[2] = {0, 1};
    litz_status status;
    CHECK(call->n_outputs == 3 && call->outputs[0]->ndim == 2 && call->outputs[0]->data == NULL);
    CHECK(call->outputs[0]->shape[0] == -1 && call->outputs[0]->shape[1] == 1 && call->outputs[2]->shape[0] == n);
    for (k = 0; k < n; ++k) count += x[k] != 0;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "there is no output 3", call->resize(call->results, 3, shape, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`shape` is NULL", call->resize(call->results, 0, NULL, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`results` is NULL", call->resize(NULL, 0, shape, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "given already", call->resize(call->results, 2, shape, &err));
    if (wrong == 1) return LITZ_OK;
    shape[0] = wrong == 3 ? 9 : count;
    status = call->resize(call->results, 0, shape, err);
    if (status != LITZ_OK) return status;
    shape[0] = 2 * count + (wrong == 2) + 3 * (wrong == 4);
    status = call->resize(call->results, 1, shape, err);
    if (status != LITZ_OK) return status;
    if (wrong != 0) return LITZ_OK;
    CHECK(call->outputs[1]->shape[0] == 2 * count && (count == 0 || call->outputs[1]->data != NULL));
    for (k = count = 0; k < n; ++k)
        if (x[k] != 0) {
            ((int64_t *)call->outputs[0]->data)[count] = k;
            ((float *)call->outputs[1]->data)[count] = x[k];
            ++count;
        }
    for (k = 0; k < count; ++k) ((float *)call->outputs[1]->data)[count + k] = ((float *)call->outputs[1]->data)[k];
    for (k = 0; k < n; ++k) ((float *)call->outputs[2]->data)[k] = -x[k];
    return LITZ_OK;
}

static litz_status compile_late(void *context, const litz_graph *g, litz_callable *out, litz_error **e) {
    (void)g;
    (void)e;
    out->context = context;
    out->run = run_late;
    return LITZ_OK;
}

static void late_sizes(void) {
    static const char *const words[5] = {"", "\"places\" got no sizes", "output \"twice\" is 5", "output \"places\" is 9", "output \"twice\" is 7"};
    int wrong = 0;
    float x[8] = {0, 2, 0, 4, 0, 0, 0, 0};
    int64_t shape[1] = {4}, n;
    litz_options *o = options_with_backend(compile_late, &wrong, 0);
    litz_graph *g = graph_of(late_text);
    litz_executable *e = compile(g, o);
    for (n = 0; n <= 8; n += 2) {
        DLTensor input = float_tensor(x, 1, shape);
        const DLTensor *inputs[1] = {&input};
        struct DLManagedTensorVersioned *outputs[3] = {NULL, NULL, NULL};
        const int64_t count = n >= 4 ? 2 : n / 2;
        size_t k;
        shape[0] = n;
        OK(litz_executable_run(e, inputs, 1, outputs, 3, NULL, &err));
        CHECK(outputs[0]->dl_tensor.shape[0] == count && outputs[0]->dl_tensor.shape[1] == 1);
        CHECK(outputs[1]->dl_tensor.shape[0] == 2 * count && outputs[2]->dl_tensor.shape[0] == n);
        if (count > 0) {
            CHECK(((const int64_t *)outputs[0]->dl_tensor.data)[0] == 1);
            CHECK(((const float *)outputs[1]->dl_tensor.data)[count] == 2);
            CHECK(((const float *)outputs[2]->dl_tensor.data)[1] == -2);
        }
        for (k = 0; k < 3; ++k) outputs[k]->deleter(outputs[k]);
    }
    shape[0] = 4;
    for (wrong = 1; wrong <= 4; ++wrong) {
        DLTensor input = float_tensor(x, 1, shape);
        const DLTensor *inputs[1] = {&input};
        struct DLManagedTensorVersioned *outputs[3] = {NULL, NULL, NULL};
        FAILS(wrong == 1 ? LITZ_ERROR_INVALID_ARGUMENT : LITZ_ERROR_SHAPE, words[wrong],
              litz_executable_run(e, inputs, 1, outputs, 3, NULL, &err));
        CHECK(outputs[0] == NULL);
    }
    litz_executable_release(e);
    litz_graph_release(g);
    /* A size that no result gives. */
    g = graph_of("graph \"g\" {\n"
                 "  input %0 \"x\": float32[4]\n"
                 "  %1 = aten.nonzero.default(%0)\n"
                 "  %2 = aten.select.int(%1, 1, 0)\n"
                 "  %3 = aten.index_select.default(%0, 0, %2)\n"
                 "  %4 = aten.slice.Tensor(%3, 0, 0, 3)\n"
                 "  output \"y\" = %4\n"
                 "}\n");
    e = NULL;
    FAILS(LITZ_ERROR_UNSUPPORTED, "no size of a result gives the symbol", litz_compile(g, o, &e, &err));
    litz_options_release(o);
    litz_graph_release(g);
}

static int logged_graph;
static void look_for_graph(void *context, int32_t level, const char *message) {
    (void)context;
    (void)level;
    if (strstr(message, "graph \"sample\"") != NULL && strstr(message, "aten.relu.default") != NULL) ++logged_graph;
}

static void debugging_backends(void) {
    static const char *const names[2] = {"nop", "print"};
    float x[2] = {1, -1}, y[2];
    litz_graph *g = sample();
    size_t k;
    for (k = 0; k < 2; ++k) {
        litz_options *o = NULL;
        litz_executable *e = NULL;
        OK(litz_options_new(&o, &err));
        OK(litz_options_set_log(o, 2, look_for_graph, NULL, &err));
        OK(litz_options_set(o, "backend", names[k], &err));
        e = compile(g, o);
        CHECK(logged_graph == (int)k);
        CHECK(has_operator(e, names[k]));
        run(e, x, y, 2);
        CHECK(near(y[0], 1.3132617f) && near(y[1], 0.6931472f));
        litz_executable_release(e);
        litz_options_release(o);
    }
    litz_graph_release(g);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    passes(argv[1]);
    passes_inside(argv[1]);
    decompositions(argv[1]);
    wrong_passes();
    wrong_arguments();
    backends();
    composite();
    deterministic();
    state();
    late_sizes();
    debugging_backends();
    puts("all right");
    return 0;
}
