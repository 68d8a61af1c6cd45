/* 32 threads over one executable, over clones of it, and over executables that are made and released meanwhile, on the
 * backend argv[1], each argv[2] times. */
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 32 };

static litz_graph *graph;
static litz_options *options;
static litz_executable *shared, *counter;
static pthread_mutex_t graph_lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds;

/* count += 1; y = x + count: runs of one executable change its constant. */
static litz_executable *counting(void) {
    litz_graph *g = NULL;
    litz_executable *e = NULL;
    float zero[1] = {0};
    int64_t shape[1] = {1};
    DLTensor tensor = float_tensor(zero, 1, shape);
    litz_tensor_spec spec = float_spec(1, shape, NULL);
    litz_value x, count, y;
    litz_arg args[2];
    size_t n = 0;
    OK(litz_graph_new("counting", NULL, &g, &err));
    OK(litz_graph_input(g, "x", &spec, &x, &err));
    OK(litz_graph_constant(g, "count", LITZ_CONSTANT_BUFFER, 0, &tensor, &count, &err));
    args[0] = value_arg(count);
    args[1] = int_arg(1);
    OK(litz_graph_call(g, "aten.add_.Scalar", args, 2, &y, 1, &n, &err));
    args[1] = value_arg(x);
    OK(litz_graph_call(g, "aten.add.Tensor", args, 2, &y, 1, &n, &err));
    OK(litz_graph_output(g, "y", y, &err));
    OK(litz_compile(g, options, &e, &err));
    litz_graph_release(g);
    return e;
}

static void run(const litz_executable *e, int seed) {
    float x[64 * 3];
    int64_t shape[2], k;
    DLTensor input = float_tensor(x, 2, shape);
    const DLTensor *inputs[1];
    struct DLManagedTensorVersioned *made = NULL;
    inputs[0] = &input;
    shape[0] = seed % 65;
    shape[1] = 3;
    for (k = 0; k < shape[0] * 3; ++k) x[k] = (float)((seed + k) % 17);
    OK(litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    CHECK(linear_relu_is(x, (float *)made->dl_tensor.data, shape[0]));
    made->deleter(made);
}

static float count(const litz_executable *e) {
    struct DLManagedTensorVersioned *made = NULL;
    float value;
    OK(litz_executable_constant(e, "count", &made, &err));
    value = ((float *)made->dl_tensor.data)[0];
    made->deleter(made);
    return value;
}

static void step(litz_executable *e) {
    float x[1] = {0.5f};
    int64_t shape[1] = {1};
    DLTensor input = float_tensor(x, 1, shape);
    const DLTensor *inputs[1];
    struct DLManagedTensorVersioned *made = NULL;
    inputs[0] = &input;
    OK(litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    made->deleter(made);
}

static void *over_one(void *context) {
    const int id = (int)(intptr_t)context;
    float weight[6], bias[2];
    int64_t weight_shape[2] = {2, 3}, bias_shape[1] = {2};
    DLTensor tensors[2];
    const DLTensor *data[2];
    const char *names[2] = {"l.weight", "l.bias"};
    int k;
    memcpy(weight, check_weight, sizeof weight);
    memcpy(bias, check_bias, sizeof bias);
    tensors[0] = float_tensor(weight, 2, weight_shape);
    tensors[1] = float_tensor(bias, 1, bias_shape);
    data[0] = &tensors[0];
    data[1] = &tensors[1];
    for (k = 0; k < rounds; ++k) {
        run(shared, id * 31 + k);
        step(counter);
        /* The same values again: later runs must see all of them or none. */
        if (k % 8 == id % 8) OK(litz_executable_update_constants(shared, names, data, 2, &err));
    }
    return NULL;
}

static void *over_clones(void *context) {
    const int id = (int)(intptr_t)context;
    litz_executable *clone = NULL, *own = NULL;
    float start;
    int k;
    OK(litz_executable_clone(shared, &clone, &err));
    OK(litz_executable_clone(counter, &own, &err));
    start = count(own);
    for (k = 0; k < rounds; ++k) {
        run(clone, id * 31 + k);
        step(own);
    }
    CHECK(count(own) == start + (float)rounds); /* its state is its own */
    litz_executable_release(clone);
    litz_executable_release(own);
    return NULL;
}

static void *over_creation(void *context) {
    const int id = (int)(intptr_t)context;
    int k;
    for (k = 0; k < (rounds + 9) / 10; ++k) {
        litz_executable *e = NULL, *kept;
        litz_graph *own = NULL;
        pthread_mutex_lock(&graph_lock); /* a graph is for one thread at a time */
        OK(litz_graph_clone(graph, &own, &err));
        pthread_mutex_unlock(&graph_lock);
        OK(litz_compile(own, options, &e, &err));
        litz_graph_release(own);
        kept = litz_executable_retain(e);
        run(e, id + k);
        litz_executable_release(e);
        run(kept, id + k + 1);
        litz_executable_release(kept);
    }
    return NULL;
}

static void all(void *(*work)(void *)) {
    pthread_t threads[THREADS];
    int k;
    for (k = 0; k < THREADS; ++k) CHECK(pthread_create(&threads[k], NULL, work, (void *)(intptr_t)k) == 0);
    for (k = 0; k < THREADS; ++k) CHECK(pthread_join(threads[k], NULL) == 0);
}

int main(int argc, char **argv) {
    int k;
    CHECK(argc >= 3);
    rounds = atoi(argv[2]);
    OK(litz_options_new(&options, &err));
    OK(litz_options_set(options, "backend", argv[1], &err));
    if (!strcmp(argv[1], "cpu")) OK(litz_options_set(options, "cpu.threads", "4", &err));
    for (k = 3; k + 1 < argc; k += 2) OK(litz_options_set(options, argv[k], argv[k + 1], &err));
    graph = linear_relu();
    OK(litz_compile(graph, options, &shared, &err));
    counter = counting();
    all(over_one);
    CHECK(count(counter) == (float)(THREADS * rounds)); /* runs that change constants came one after the other */
    all(over_clones);
    all(over_creation);
    run(shared, 7);
    litz_executable_release(shared);
    litz_executable_release(counter);
    litz_graph_release(graph);
    litz_options_release(options);
    printf("threads on %s: all right\n", argv[1]);
    return 0;
}
