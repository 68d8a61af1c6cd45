/* Arguments of every kind, for the generated program that calls every function of litz_ops.h. */
#ifndef LITZ_OPS_FIXTURE_H
#define LITZ_OPS_FIXTURE_H

#include "check.h"
#include <litz/litz_ops.h>

static litz_graph *graph;
static const char *op;
static litz_value x, two[3], outs[8];
static size_t n_outs;
static const int64_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
static const double halves[8] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
static const DLDevice cpu = {kDLCPU, 0};
static DLDevice no_device;
static int called, succeeded;

/* A new graph, with a tensor. */
static void begin(const char *name) {
    const int64_t shape[3] = {2, 2, 2};
    const litz_tensor_spec spec = float_spec(3, shape, NULL);
    op = name;
    OK(litz_graph_new("every", NULL, &graph, &err));
    OK(litz_graph_input(graph, "x", &spec, &x, &err));
    two[0] = two[1] = two[2] = x;
    memset(outs, 0, sizeof outs);
    n_outs = 0;
}

/* A failure must come from the operator: what it says of these arguments, not that they are others than it takes. */
static void status(litz_status given) {
    static const char *const mistakes[] = {", where the schema has", "there is no argument", "is missing",
                                           "is given twice", "arguments given", "there is no operator", "is NULL",
                                           "is no LITZ_", "reserved", "there is room for"};
    litz_error *err = NULL;
    const litz_status failed = litz_graph_status(graph, &err);
    size_t k;
    CHECK(failed == given || (failed == LITZ_OK && given == LITZ_ERROR_CAPACITY));
    for (k = 0; failed != LITZ_OK && k < sizeof mistakes / sizeof *mistakes; ++k) {
        if (strstr(litz_error_message(err), mistakes[k]) != NULL) {
            fprintf(stderr, "%s: %s\n", op, litz_error_message(err));
            exit(1);
        }
    }
    litz_error_release(err);
    litz_graph_release(graph);
    ++called;
    succeeded += given == LITZ_OK;
}

/* A value is returned exactly where the graph has not failed; an operator may have no results at all. */
static void value(litz_value given) {
    const litz_status failed = litz_graph_status(graph, NULL);
    if ((given != 0) != (failed == LITZ_OK)) {
        fprintf(stderr, "%s gave the value %llu and the graph's status is %d\n", op, (unsigned long long)given, failed);
        exit(1);
    }
    status(failed);
}

static void values(litz_value first, size_t n) {
    size_t k;
    for (k = 0; k < n; ++k) CHECK((outs[k] != 0) == (first != 0));
    CHECK(outs[0] == first);
    value(first);
}

static int finish(void) {
    /* Many operators accept these arguments; if few did, the calls would say little. */
    if (called < 1000 || succeeded < called / 3) {
        fprintf(stderr, "only %d of %d calls succeeded\n", succeeded, called);
        return 1;
    }
    printf("%d calls, %d succeeded: all right\n", called, succeeded);
    return 0;
}

#endif
