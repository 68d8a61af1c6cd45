/* Looking for what is wrong: kernels beside the interpreter, nodes beside what was inferred. */
#define _DEFAULT_SOURCE
#include "check.h"

static litz_options *with(const char *backend, const char *key, const char *value) {
    litz_options *o = NULL;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", backend, &err));
    OK(litz_options_set(o, key, value, &err));
    return o;
}

/* Sums of rows beside products: a kernel that is wrong, after one that is right. */
static const char *const two_kernels =
    "graph \"two\" { symbol n in [1, 64]\n input %0 \"x\": float32[n, 4]\n input %1 \"w\": float32[4, 4]\n"
    "%2 = aten.mm.default(%0, %1)\n %3 = aten.exp.default(%0)\n %4 = aten.sum.dim_IntList(%3, [1], true)\n"
    "%5 = aten.mul.Tensor(%2, %4)\n output \"y\" = %5\n output \"z\" = %3 }";

static void run_two(const char *key, const char *value, const char *words) {
    litz_graph *g = graph_of(two_kernels);
    litz_options *o = with("cpu", key, value);
    litz_executable *e = NULL;
    float x[12], w[16];
    int64_t x_shape[2] = {3, 4}, w_shape[2] = {4, 4};
    int k;
    for (k = 0; k < 12; ++k) x[k] = (float)k / 8;
    for (k = 0; k < 16; ++k) w[k] = (float)(k % 5) - 2;
    OK(litz_compile(g, o, &e, &err));
    for (k = 0; k < 2; ++k) {
        struct DLManagedTensorVersioned *outputs[2] = {NULL, NULL};
        DLTensor tensors[2];
        const DLTensor *inputs[2] = {&tensors[0], &tensors[1]};
        x_shape[0] = 3 - k;
        tensors[0] = float_tensor(x, 2, x_shape);
        tensors[1] = float_tensor(w, 2, w_shape);
        if (words == NULL) {
            OK(litz_executable_run(e, inputs, 2, outputs, 2, NULL, &err));
            litz_tensor_release(outputs[0]);
            litz_tensor_release(outputs[1]);
        } else {
            FAILS(LITZ_ERROR_ASSERTION, words, litz_executable_run(e, inputs, 2, outputs, 2, NULL, &err));
            CHECK(outputs[0] == NULL && outputs[1] == NULL);
        }
    }
    litz_executable_release(e);
    litz_options_release(o);
    litz_graph_release(g);
}

/* A result whose buffer has its dimensions in another order than the program that it is compared with. */
static void run_turned(const char *words) {
    litz_graph *g = graph_of("graph \"turned\" { input %0 \"x\": float32[3, 5]\n %1 = aten.t.default(%0)\n %2 = aten.mul.Tensor(%1, %1)\n"
                             "output \"y\" = %2 }");
    litz_options *o = with("cpu", "debug.compare", "interpreter");
    litz_executable *e = NULL;
    struct DLManagedTensorVersioned *y = NULL;
    float x[15];
    int64_t shape[2] = {3, 5};
    DLTensor tensor = float_tensor(x, 2, shape);
    const DLTensor *inputs[1] = {&tensor};
    int k;
    for (k = 0; k < 15; ++k) x[k] = (float)k;
    OK(litz_compile(g, o, &e, &err));
    if (words == NULL) {
        OK(litz_executable_run(e, inputs, 1, &y, 1, NULL, &err));
        CHECK(y->dl_tensor.strides[0] == 1 && y->dl_tensor.strides[1] == 5);
        litz_tensor_release(y);
    } else {
        FAILS(LITZ_ERROR_ASSERTION, words, litz_executable_run(e, inputs, 1, &y, 1, NULL, &err));
    }
    litz_executable_release(e);
    litz_options_release(o);
    litz_graph_release(g);
}

static void compare(int planted) {
    litz_graph *g = graph_of(two_kernels);
    litz_executable *e = NULL;
    litz_options *o = with("interpreter", "debug.compare", "interpreter");
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "debug.compare", litz_compile(g, o, &e, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "off or interpreter", litz_options_set(o, "debug.compare", "cpu", &err));
    OK(litz_options_set(o, "backend", "cpu", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "debug.compare", litz_compile_artifact(g, o, "never.so", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "debug.compare", litz_executable_open("never.so", o, &e, &err));
    CHECK(e == NULL);
    run_two("debug.compare", "interpreter", NULL);
    run_turned(NULL);
    if (planted) {
        setenv("LITZ_TEST_PLANT", "wrong result", 1);
        run_two("debug.compare", "interpreter", "aten.mul.Tensor");
        run_turned("of shape [5, 3]");
        unsetenv("LITZ_TEST_PLANT");
    }
    litz_options_release(o);
    litz_graph_release(g);
}

enum { MOST_OUTPUTS = 5 };

/* Compiles a graph to be checked and runs it once: it gives results, or fails with these words. */
static void run_checked(const char *text, const char *backend, const char *value, const DLTensor *const *inputs, size_t n_inputs,
                        size_t n_outputs, const char *words) {
    litz_graph *g = graph_of(text);
    litz_options *o = with(backend, "debug.check", value);
    litz_executable *e = NULL;
    struct DLManagedTensorVersioned *outputs[MOST_OUTPUTS] = {NULL};
    size_t k;
    CHECK(n_outputs <= MOST_OUTPUTS);
    OK(litz_compile(g, o, &e, &err));
    if (words == NULL) {
        OK(litz_executable_run(e, inputs, n_inputs, outputs, n_outputs, NULL, &err));
        for (k = 0; k < n_outputs; ++k) litz_tensor_release(outputs[k]);
    } else {
        FAILS(LITZ_ERROR_ASSERTION, words, litz_executable_run(e, inputs, n_inputs, outputs, n_outputs, NULL, &err));
    }
    litz_executable_release(e);
    litz_options_release(o);
    litz_graph_release(g);
}

/* Views, reductions, data-dependent sizes, branches and writes, on a matrix of three rows. */
static const char *const nodes =
    "graph \"nodes\" { symbol n in [1, 64]\n input %0 \"x\": float32[n, 4]\n buffer %1 \"b\": float32[4] = [1.0, 2.0, 3.0, 4.0]\n"
    "%2 \"e\" = aten.exp.default(%0)\n %3 = aten.transpose.int(%2, 0, 1)\n %4 = aten.slice.Tensor(%3, 0, 1, 4, 2)\n"
    "%5 = aten.expand.default(%1, [3, 4])\n %6 = aten.nonzero.default(%0)\n %7 \"l\" = aten.log.default(%0)\n"
    "%8 = aten.add_.Tensor(%1, 1)\n %9 = aten.sum.dim_IntList(%2, [0])\n %10 = aten.gt.Scalar(%9, 0)\n %11 = aten.any.default(%10)\n"
    "%12 = higher_order.cond.default(%11, graph \"t\" { input %0 \"a\": float32[4]\n %1 = aten.exp.default(%0)\n output \"r\" = %1 },"
    " graph \"f\" { input %0 \"a\": float32[4]\n %1 = aten.neg.default(%0)\n output \"r\" = %1 }, [%9])\n"
    "output \"a\" = %4\n output \"b\" = %5\n output \"c\" = %6\n output \"d\" = %7\n output \"e\" = %12 }";

/* Runs them with `low` as the least element. */
static void run_nodes(const char *backend, const char *value, float low, const char *words) {
    float x[12];
    int64_t shape[2] = {3, 4};
    DLTensor tensor = float_tensor(x, 2, shape);
    const DLTensor *inputs[1] = {&tensor};
    int k;
    for (k = 0; k < 12; ++k) x[k] = 1 + (float)k / 8;
    x[5] = low;
    run_checked(nodes, backend, value, inputs, 1, 5, words);
}

static void check(const char *backend, int planted) {
    litz_graph *g = graph_of(nodes);
    litz_options *o = with(backend, "debug.check", "true");
    litz_executable *e = NULL;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "false, true or finite", litz_options_set(o, "debug.check", "often", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "debug.check", litz_compile_artifact(g, o, "never.so", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "debug.check", litz_executable_open("never.so", o, &e, &err));
    run_nodes(backend, "true", 1, NULL);
    run_nodes(backend, "true", 0, NULL);
    run_nodes(backend, "finite", 1, NULL);
    run_nodes(backend, "finite", 0, "(aten.log.default, node `l`) is infinite at [1, 1]");
    run_nodes(backend, "finite", -1, "(aten.log.default, node `l`) is NaN at [1, 1]");
    run_nodes(backend, "finite", 100, "(aten.exp.default, node `e`) is infinite at [1, 1]");
    if (planted) {
        setenv("LITZ_TEST_PLANT", "wrong strides", 1);
        run_nodes(backend, "true", 1, "has the strides [4, 1], and inference said [5, 1]");
        unsetenv("LITZ_TEST_PLANT");
    }
    litz_options_release(o);
    litz_graph_release(g);
}

/* A branch, and a loop whose third iteration takes the logarithm of a negative number. */
static const char *const bodies =
    "graph \"bodies\" { symbol n in [1, 64]\n input %0 \"x\": float32[n]\n input %1 \"p\": bool[]\n"
    "%2 \"c\" = higher_order.cond.default(%1, graph \"t\" { input %0 \"a\": float32[n]\n %1 \"root\" = aten.sqrt.default(%0)\n output \"r\" = %1 },"
    " graph \"f\" { input %0 \"a\": float32[n]\n %1 \"power\" = aten.exp.default(%0)\n output \"r\" = %1 }, [%0])\n"
    "%3, %4 = higher_order.while_loop.default(graph \"w\" { input %0 \"x\": float32[n]\n input %1 \"l\": float32[n]\n"
    "%2 = aten.sum.default(%0)\n %3 = aten.gt.Scalar(%2, -6)\n output \"r\" = %3 },"
    " graph \"b\" { input %0 \"x\": float32[n]\n input %1 \"l\": float32[n]\n %2 = aten.sub.Scalar(%0, 1)\n %3 \"deep\" = aten.log.default(%2)\n"
    "output \"x\" = %2\n output \"l\" = %3 }, [%0, %2], [])\n"
    "output \"y\" = %2\n output \"z\" = %4\n }";

static void run_bodies(const char *backend, const char *value, float low, unsigned char p, const char *words) {
    float x[2];
    int64_t shape[1] = {2};
    DLTensor tensors[2];
    const DLTensor *inputs[2] = {&tensors[0], &tensors[1]};
    x[0] = 2.5f;
    x[1] = low;
    tensors[0] = float_tensor(x, 1, shape);
    tensors[1] = float_tensor(x, 0, NULL);
    tensors[1].data = &p;
    tensors[1].dtype.code = kDLBool;
    tensors[1].dtype.bits = 8;
    run_checked(bodies, backend, value, inputs, 2, 2, words);
}

static void check_inside(const char *backend, int planted) {
    run_bodies(backend, "true", -1, 1, NULL);
    run_bodies(backend, "finite", -1, 1, "node `root`), in the true branch of %2 (higher_order.cond.default, node `c`) is NaN at [1]");
    run_bodies(backend, "finite", 2.5f, 0, "node `deep`), in iteration 3 of %3 (higher_order.while_loop.default");
    if (planted) {
        setenv("LITZ_TEST_PLANT", "wrong strides", 1);
        run_bodies(backend, "true", 1, 0, "node `power`), in the false branch of %2");
        unsetenv("LITZ_TEST_PLANT");
    }
}

/* Complex numbers, which operators run on as pairs. */
static void check_complex(const char *backend) {
    static const char text[] =
        "graph \"pairs\" { input %0 \"x\": float32[3, 2]\n %1 = aten.view_as_complex.default(%0)\n %2 = aten.outer.default(%1, %1)\n"
        "%3 = aten.t.default(%2)\n %4 = aten.real.default(%3)\n %5 = aten.conj.default(%3)\n %6 = aten.mul.Tensor(%3, %5)\n"
        "%7 \"l\" = aten.log.default(%6)\n %8 = aten.view_as_real.default(%7)\n output \"a\" = %4\n output \"b\" = %8\n output \"c\" = %5 }";
    float x[6] = {1, 2, -1, 0.5f, 3, -2};
    int64_t shape[2] = {3, 2};
    DLTensor tensor = float_tensor(x, 2, shape);
    const DLTensor *inputs[1] = {&tensor};
    run_checked(text, backend, "true", inputs, 1, 3, NULL);
    run_checked(text, backend, "finite", inputs, 1, 3, NULL);
    x[2] = x[3] = 0;
    run_checked(text, backend, "finite", inputs, 1, 3, "(aten.log.default, node `l`) is infinite at [0, 1]");
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    check_complex("interpreter");
    check_complex("cpu");
    /* Faults can be planted in debug builds of the library. */
    compare(strcmp(argv[1], "planted") == 0);
    check_inside("interpreter", strcmp(argv[1], "planted") == 0);
    check_inside("cpu", 0);
    check("interpreter", strcmp(argv[1], "planted") == 0);
    check("cpu", 0);
    puts("all right");
    return 0;
}
