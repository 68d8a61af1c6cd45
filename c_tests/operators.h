/* What the tests of a host's operators share. */
#ifndef LITZ_OPERATORS_H
#define LITZ_OPERATORS_H

#include "check.h"

static inline litz_value call(litz_graph *g, const char *op, const litz_arg *args, size_t n_args) {
    litz_value out = 0;
    size_t n = 0;
    OK(litz_graph_call(g, op, args, n_args, &out, 1, &n, &err));
    CHECK(n == 1);
    return out;
}

/* A graph as text, whose operators the options' registry may have. */
static inline litz_graph *graph_of_with(const char *text, const litz_options *o) {
    litz_graph *g = NULL;
    OK(litz_graph_from_text(text, strlen(text), o, &g, &err));
    return g;
}

static inline litz_arg float_arg(double f) {
    litz_arg arg;
    memset(&arg, 0, sizeof arg);
    arg.kind = LITZ_ARG_FLOAT;
    arg.f = f;
    return arg;
}

static inline litz_arg string_arg(const char *s) {
    litz_arg arg;
    memset(&arg, 0, sizeof arg);
    arg.kind = LITZ_ARG_STRING;
    arg.s = s;
    return arg;
}

static inline litz_arg ints_arg(const int64_t *ints, size_t n) {
    litz_arg arg;
    memset(&arg, 0, sizeof arg);
    arg.kind = LITZ_ARG_INTS;
    arg.ints = ints;
    arg.n = n;
    return arg;
}

static inline litz_operator operator_with(litz_operator_meta_fn meta, litz_operator_run_fn run) {
    litz_operator op;
    memset(&op, 0, sizeof op);
    op.struct_size = sizeof op;
    op.meta = meta;
    op.run_cpu = run;
    return op;
}

static inline litz_options *options_with(litz_registry *r, const char *backend) {
    litz_options *o = NULL;
    OK(litz_options_new(&o, &err));
    if (r) OK(litz_options_set_registry(o, r, &err));
    if (backend) OK(litz_options_set(o, "backend", backend, &err));
    return o;
}

static inline litz_registry *new_registry(void) {
    litz_registry *r = NULL;
    OK(litz_registry_new(&r, &err));
    return r;
}

/* A result with dtype and sizes of the first tensor. */
static inline litz_status meta_like_first(void *context, litz_graph *g, const litz_arg *args, size_t n_args, litz_meta *outs,
                                   litz_error **err) {
    litz_arg size[2];
    litz_value symbols[8];
    int64_t shape[8] = {0};
    litz_tensor_spec spec;
    litz_string *json = NULL;
    int32_t rank = *(const int32_t *)context, k;
    litz_status status = litz_graph_value_describe(g, args[0].value, &json, err);
    (void)n_args;
    if (status != LITZ_OK) return status;
    CHECK(strstr(litz_string_data(json), "\"float32\"") != NULL);
    litz_string_release(json);
    size[0] = value_arg(args[0].value);
    for (k = 0; k < rank; ++k) {
        size_t n = 0;
        size[1] = int_arg(k);
        status = litz_graph_call(g, "aten.sym_size.int", size, 2, &symbols[k], 1, &n, err);
        if (status != LITZ_OK) return status;
    }
    spec = float_spec(rank, shape, symbols);
    return litz_meta_output(outs, 0, &spec, err);
}

#endif
