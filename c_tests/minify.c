/* The smallest part of a graph for which a predicate holds. */
#define _DEFAULT_SOURCE
#include "check.h"
#include <time.h>

static litz_graph *chain(int length, int other) {
    litz_graph *g = NULL;
    litz_value v;
    int64_t shape[1] = {4};
    litz_tensor_spec spec = float_spec(1, shape, NULL);
    int k;
    OK(litz_graph_new("chain", NULL, &g, &err));
    OK(litz_graph_input(g, "x", &spec, &v, &err));
    for (k = 0; k < length; ++k) {
        litz_arg arg = value_arg(v);
        size_t n = 0;
        OK(litz_graph_call(g, k == other ? "aten.exp" : "aten.sin", &arg, 1, &v, 1, &n, &err));
    }
    OK(litz_graph_output(g, "y", v, &err));
    return g;
}

/* Holds for graphs with an aten.exp. */
static litz_status has_exp(void *context, const litz_graph *g, int32_t *still_fails, litz_error **error) {
    litz_string *json = NULL;
    litz_status status = litz_graph_describe(g, &json, error);
    if (status) return status;
    *still_fails = strstr(litz_string_data(json), "aten.exp") != NULL;
    litz_string_release(json);
    ++*(int *)context;
    return LITZ_OK;
}

static litz_status never(void *context, const litz_graph *g, int32_t *still_fails, litz_error **error) {
    (void)context, (void)g, (void)error;
    *still_fails = 0;
    return LITZ_OK;
}

static litz_status silent(void *context, const litz_graph *g, int32_t *still_fails, litz_error **error) {
    (void)context, (void)g, (void)still_fails, (void)error;
    return LITZ_OK;
}

static litz_status wrong(void *context, const litz_graph *g, int32_t *still_fails, litz_error **error) {
    (void)context, (void)g, (void)error;
    *still_fails = 7;
    return LITZ_OK;
}

static litz_status failing(void *context, const litz_graph *g, int32_t *still_fails, litz_error **error) {
    (void)g, (void)still_fails;
    if (context != NULL) *error = litz_error_new(LITZ_ERROR_STATE, "the host is tired");
    return context != NULL ? LITZ_ERROR_STATE : 4711;
}

/* 500 nodes, the 271st a product: what is planted is found there. No other makes a difference small. */
static litz_graph *many(void) {
    litz_graph *g = NULL;
    litz_value v, w;
    int64_t shape[2] = {3, 8};
    litz_tensor_spec spec = float_spec(2, shape, NULL);
    static const char *const ones[5] = {"aten.neg", "aten.abs", "aten.neg", "aten.abs", "aten.neg"};
    int k;
    OK(litz_graph_new("many", NULL, &g, &err));
    OK(litz_graph_input(g, "x", &spec, &v, &err));
    OK(litz_graph_input(g, "y", &spec, &w, &err));
    for (k = 0; k < 500; ++k) {
        litz_arg args[2];
        size_t n = 0;
        args[0] = value_arg(v);
        args[1] = value_arg(w);
        if (k == 271) OK(litz_graph_call(g, "aten.mul.Tensor", args, 2, &v, 1, &n, &err));
        else if (k % 7 == 3) OK(litz_graph_call(g, "aten.add.Tensor", args, 2, &v, 1, &n, &err));
        else if (k % 50 == 20) OK(litz_graph_call(g, "aten.cumsum", (args[1] = int_arg(1), args), 2, &v, 1, &n, &err));
        else OK(litz_graph_call(g, ones[k % 5], args, 1, &v, 1, &n, &err));
    }
    OK(litz_graph_output(g, "v", v, &err));
    OK(litz_graph_output(g, "w", w, &err));
    return g;
}

/* The planted fault of a kind is cut to at most five nodes in less than a minute. */
static void cut(const char *kind, const char *fault, int given) {
    litz_graph *g = many(), *least = NULL;
    litz_options *o = NULL;
    litz_predicate *p = NULL;
    litz_string *text = NULL;
    float x[24], y[24];
    int64_t shape[2] = {3, 8};
    DLTensor tensors[2];
    const DLTensor *inputs[2] = {&tensors[0], &tensors[1]};
    const char *at;
    int k, nodes = 0;
    const time_t start = time(NULL);
    for (k = 0; k < 24; ++k) x[k] = (float)k / 10, y[k] = 1 - (float)k / 20;
    tensors[0] = float_tensor(x, 2, shape);
    tensors[1] = float_tensor(y, 2, shape);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "cpu", &err));
    OK(litz_predicate_new(kind, o, inputs, given, &p, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "does not hold", litz_minify(g, litz_predicate_holds, p, &least, &err));
    litz_predicate_release(p);
    setenv("LITZ_TEST_PLANT", fault, 1);
    OK(litz_predicate_new(kind, o, inputs, given, &p, &err));
    OK(litz_minify(g, litz_predicate_holds, p, &least, &err));
    unsetenv("LITZ_TEST_PLANT");
    OK(litz_graph_to_text(least, &text, &err));
    for (at = litz_string_data(text); (at = strstr(at, " = aten.")) != NULL; ++at) ++nodes;
    if (nodes > 5 || strstr(litz_string_data(text), "aten.mul.Tensor") == NULL || time(NULL) - start > 60) {
        fprintf(stderr, "%s: %d nodes after %d s\n%s", kind, nodes, (int)(time(NULL) - start), litz_string_data(text));
        exit(1);
    }
    printf("%s: %d of 500 nodes are left after %d s\n", kind, nodes, (int)(time(NULL) - start));
    litz_string_release(text);
    litz_graph_release(least);
    litz_predicate_release(p);
    litz_options_release(o);
    litz_graph_release(g);
}

static void bad_predicates(void) {
    litz_graph *g = chain(2, 1), *least = NULL;
    litz_options *o = NULL;
    litz_predicate *p = NULL;
    float x[4] = {0, 0, 0, 0};
    int64_t shape[1] = {4};
    DLTensor tensor = float_tensor(x, 1, shape);
    const DLTensor *inputs[2] = {&tensor, &tensor};
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "compile_fails, crashes, differs", litz_predicate_new("explodes", NULL, NULL, 0, &p, &err));
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "interpreter", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "interpreter", litz_predicate_new("differs", o, NULL, 0, &p, &err));
    CHECK(p == NULL);
    OK(litz_predicate_new("compile_fails", o, inputs, 2, &p, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "takes 1", litz_minify(g, litz_predicate_holds, p, &least, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "litz_predicate", litz_minify(g, litz_predicate_holds, o, &least, &err));
    CHECK(least == NULL);
    litz_predicate_release(p);
    litz_predicate_release(NULL);
    litz_options_release(o);
    litz_graph_release(g);
}

int main(int argc, char **argv) {
    litz_graph *g = chain(500, 320), *least = NULL;
    litz_string *text = NULL;
    litz_value v = 0;
    int asked = 0;
    OK(litz_minify(g, has_exp, &asked, &least, &err));
    CHECK(asked > 1 && asked < 40);
    OK(litz_graph_to_text(least, &text, &err));
    CHECK(strstr(litz_string_data(text), "input %0 \"v320\": float32[4]\n  %1 \"v321\" = aten.exp.default(%0)"));
    CHECK(strstr(litz_string_data(text), "aten.sin") == NULL);
    litz_string_release(text);
    /* What is given is a graph as others, and the one that was searched is as it was. */
    OK(litz_graph_find(least, "v320", &v, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "v320", litz_graph_find(g, "v320", &v, &err));
    litz_graph_release(least);
    least = NULL;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "does not hold for the whole graph", litz_minify(g, never, NULL, &least, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "no answer", litz_minify(g, silent, NULL, &least, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "wrote 7", litz_minify(g, wrong, NULL, &least, &err));
    FAILS(LITZ_ERROR_STATE, "the host is tired", litz_minify(g, failing, &asked, &least, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "4711", litz_minify(g, failing, NULL, &least, &err));
    CHECK(least == NULL);
    litz_graph_release(g);
    bad_predicates();
    /* Faults can be planted in debug builds of the library. */
    if (argc == 2 && strcmp(argv[1], "planted") == 0) {
        cut("differs", "wrong result", 2);
        cut("compile_fails", "wrong source", 0);
        cut("crashes", "crash", 2);
    }
    puts("all right");
    return 0;
}
