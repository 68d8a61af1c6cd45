/* A thread with a stack of 128 KB reads and compiles a program whose expressions nest, hears of an error, runs it, and trains.
 * argv[1] is the backend. */
#include "check.h"

#include <pthread.h>

#define STEPS 2000

static const char *backend;
static char text[64 * STEPS + 256];

/* The backward is compiled by the call that runs it. */
static void train(const litz_graph *g, const litz_options *o, const DLTensor *const *inputs, const DLTensor *cotangent) {
    litz_training *t = NULL;
    litz_saved *saved = NULL;
    struct DLManagedTensorVersioned *y = NULL, *grad = NULL;
    OK(litz_compile_training(g, o, &t, &err));
    OK(litz_training_forward(t, inputs, 1, &y, 1, &saved, NULL, &err));
    OK(litz_training_backward(t, saved, &cotangent, 1, &grad, 1, NULL, &err));
    y->deleter(y);
    grad->deleter(grad);
    litz_saved_release(saved);
    litz_training_release(t);
}

static void *work(void *unused) {
    litz_graph *g = NULL;
    litz_options *o = NULL;
    litz_executable *e = NULL;
    float x[4] = {0.5f, -1, 2, 3}, y[4] = {7, 7, 7, 7};
    int64_t size[1] = {4};
    DLTensor in = float_tensor(x, 1, size), out = float_tensor(y, 1, size);
    const DLTensor *inputs[1], *outputs[1];
    int k;
    (void)unused;
    inputs[0] = &in;
    outputs[0] = &out;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", backend, &err));
    FAILS(LITZ_ERROR_PARSE, "line 1", litz_graph_from_text("grape", 5, NULL, &g, &err));
    g = graph_of(text);
    OK(litz_compile(g, o, &e, &err));
    OK(litz_executable_run_into(e, inputs, 1, outputs, 1, NULL, &err));
    for (k = 0; k < 4; ++k) CHECK(y[k] >= 0 && y[k] < 1);
    litz_executable_release(e);
    train(g, o, inputs, &out);
    litz_graph_release(g);
    litz_options_release(o);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_attr_t attributes;
    pthread_t thread;
    size_t at;
    int k;
    CHECK(argc == 2);
    backend = argv[1];
    at = (size_t)sprintf(text, "graph \"g\" {\n  input %%0 \"x\": float32[4]\n");
    for (k = 0; k < STEPS; ++k)
        at += (size_t)sprintf(text + at, "  %%%d = aten.%s.default(%%%d)\n", k + 1, k & 1 ? "relu" : "tanh", k);
    sprintf(text + at, "  output \"y\" = %%%d\n}\n", STEPS);
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, 128 << 10) == 0);
    CHECK(pthread_create(&thread, &attributes, work, NULL) == 0 && pthread_join(thread, NULL) == 0);
    puts("all right");
    return 0;
}
