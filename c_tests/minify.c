/* The smallest part of a graph for which a predicate holds. */
#include "check.h"

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

int main(void) {
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
    puts("all right");
    return 0;
}
