/* What hosts do wrong, and what machines do to them: every case is an error with a status or a right result. The backend
 * is argv[1]; argv[2] is a folder to write into. */
#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *backend, *folder;

/* sum = a + b and product = a * b, of n rows of 3 with n from 0 on, without an upper bound. */
static litz_executable *two_outputs(void) {
    litz_graph *g = NULL;
    litz_options *o = NULL;
    litz_executable *e = NULL;
    int64_t shape[2] = {0, 3};
    litz_value symbols[2] = {0, 0}, a, b, y;
    litz_tensor_spec spec;
    litz_arg args[2];
    size_t n = 0;
    OK(litz_graph_new("two_outputs", NULL, &g, &err));
    OK(litz_graph_symbol(g, "n", 0, -1, 4, &symbols[0], &err));
    spec = float_spec(2, shape, symbols);
    OK(litz_graph_input(g, "a", &spec, &a, &err));
    OK(litz_graph_input(g, "b", &spec, &b, &err));
    args[0] = value_arg(a);
    args[1] = value_arg(b);
    OK(litz_graph_call(g, "aten.add.Tensor", args, 2, &y, 1, &n, &err));
    OK(litz_graph_output(g, "sum", y, &err));
    OK(litz_graph_call(g, "aten.mul.Tensor", args, 2, &y, 1, &n, &err));
    OK(litz_graph_output(g, "product", y, &err));
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", backend, &err));
    OK(litz_compile(g, o, &e, &err));
    litz_options_release(o);
    litz_graph_release(g);
    return e;
}

static void layouts(litz_executable *e) {
    float memory[32], sum[6], product[6];
    unsigned char bytes[32 * 4 + 1];
    int64_t shape[2] = {2, 3}, strides[2] = {3, 1}, negative[2] = {-3, 1}, crossed[2] = {1, 1};
    DLTensor a, b, y, z;
    const DLTensor *inputs[2], *outputs[2];
    struct DLManagedTensorVersioned *made[2] = {NULL, NULL};
    int k;
    for (k = 0; k < 32; ++k) memory[k] = (float)(k + 1);
    a = float_tensor(memory, 2, shape);
    b = float_tensor(memory + 2, 2, shape);
    y = float_tensor(sum, 2, shape);
    z = float_tensor(product, 2, shape);
    inputs[0] = &a;
    inputs[1] = &b;
    outputs[0] = &y;
    outputs[1] = &z;

    /* Inputs that overlap each other, and the same tensor twice. */
    OK(litz_executable_run_into(e, inputs, 2, outputs, 2, NULL, &err));
    for (k = 0; k < 6; ++k) CHECK(sum[k] == (float)(2 * k + 4) && product[k] == (float)((k + 1) * (k + 3)));
    inputs[1] = &a;
    OK(litz_executable_run_into(e, inputs, 2, outputs, 2, NULL, &err));
    for (k = 0; k < 6; ++k) CHECK(sum[k] == (float)(2 * k + 2) && product[k] == (float)((k + 1) * (k + 1)));
    inputs[1] = &b;

    /* Inputs and outputs at any address. */
    memcpy(bytes + 1, memory, 24);
    a.data = bytes + 1;
    y.data = bytes + 65;
    OK(litz_executable_run_into(e, inputs, 2, outputs, 2, NULL, &err));
    memcpy(sum, bytes + 65, sizeof sum);
    for (k = 0; k < 6; ++k) CHECK(sum[k] == (float)(2 * k + 4) && product[k] == (float)((k + 1) * (k + 3)));
    a.data = memory;
    y.data = sum;

    /* An output over its own inputs. */
    y.data = memory + 1;
    OK(litz_executable_run_into(e, inputs, 2, outputs, 2, NULL, &err));
    for (k = 0; k < 6; ++k) CHECK(memory[k + 1] == (float)(2 * k + 4) && product[k] == (float)((k + 1) * (k + 3)));
    y.data = sum;

    /* Outputs that overlap each other or themselves would have two values in one place. */
    z.data = sum + 3;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`product`", litz_executable_run_into(e, inputs, 2, outputs, 2, NULL, &err));
    z.data = sum;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`product`", litz_executable_run_into(e, inputs, 2, outputs, 2, NULL, &err));
    z.data = product;
    z.strides = crossed;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`product`", litz_executable_run_into(e, inputs, 2, outputs, 2, NULL, &err));
    z.strides = negative;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`product`", litz_executable_run_into(e, inputs, 2, outputs, 2, NULL, &err));
    z.strides = strides;
    a.strides = negative;
    a.data = memory + 3;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`a`", litz_executable_run_into(e, inputs, 2, outputs, 2, NULL, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`a`", litz_executable_run(e, inputs, 2, made, 2, NULL, &err));
    CHECK(made[0] == NULL && made[1] == NULL);
}

static void sizes(litz_executable *e) {
    float one[3] = {1, 2, 3};
    int64_t shape[2], strides[2] = {0, 1}, far[2] = {INT64_MAX / 2, INT64_MAX / 2};
    int64_t product[3] = {(int64_t)1 << 40, (int64_t)1 << 40, 2}, bytes_63[1] = {(int64_t)1 << 61};
    DLTensor a = float_tensor(one, 2, shape);
    const DLTensor *inputs[2];
    struct DLManagedTensorVersioned *made[2] = {NULL, NULL};
    litz_graph *g = NULL;
    litz_tensor_spec spec;
    litz_value v = 0;
    inputs[0] = inputs[1] = &a;
    shape[1] = 3;
    a.strides = strides;
    /* 2^63 bytes and more, which no address can reach. */
    shape[0] = (int64_t)1 << 61;
    FAILS(LITZ_ERROR_SHAPE, "", litz_executable_run(e, inputs, 2, made, 2, NULL, &err));
    shape[0] = INT64_MAX;
    FAILS(LITZ_ERROR_SHAPE, "", litz_executable_run(e, inputs, 2, made, 2, NULL, &err));
    a.strides = NULL;
    FAILS(LITZ_ERROR_SHAPE, "", litz_executable_run(e, inputs, 2, made, 2, NULL, &err));
    /* Few bytes of one value, expanded: the results would take more memory than addresses go. */
    a.strides = strides;
    shape[0] = (int64_t)1 << 45;
    FAILS(LITZ_ERROR_OUT_OF_MEMORY, "", litz_executable_run(e, inputs, 2, made, 2, NULL, &err));
    CHECK(made[0] == NULL && made[1] == NULL);
    /* It goes on working. */
    shape[0] = 2;
    OK(litz_executable_run(e, inputs, 2, made, 2, NULL, &err));
    CHECK(((float *)made[0]->dl_tensor.data)[5] == 6 && ((float *)made[1]->dl_tensor.data)[5] == 9);
    made[0]->deleter(made[0]);
    made[1]->deleter(made[1]);

    OK(litz_graph_new("sizes", NULL, &g, &err));
    spec = float_spec(3, product, NULL);
    FAILS(LITZ_ERROR_SHAPE, "spec", litz_graph_input(g, "x", &spec, &v, &err));
    spec = float_spec(1, bytes_63, NULL);
    FAILS(LITZ_ERROR_SHAPE, "spec", litz_graph_input(g, "x", &spec, &v, &err));
    a.ndim = 3;
    a.shape = product;
    a.strides = NULL;
    FAILS(LITZ_ERROR_SHAPE, "`w`", litz_graph_constant(g, "w", LITZ_CONSTANT_PARAMETER, 0, &a, &v, &err));
    a.ndim = 1;
    a.shape = bytes_63;
    FAILS(LITZ_ERROR_SHAPE, "`w`", litz_graph_constant(g, "w", LITZ_CONSTANT_PARAMETER, 0, &a, &v, &err));
    a.ndim = 2;
    a.shape = shape;
    a.strides = far;
    FAILS(LITZ_ERROR_SHAPE, "strides", litz_graph_constant(g, "w", LITZ_CONSTANT_PARAMETER, 0, &a, &v, &err));
    shape[0] = (int64_t)1 << 45;
    a.strides = strides;
    FAILS(LITZ_ERROR_OUT_OF_MEMORY, "memory", litz_graph_constant(g, "w", LITZ_CONSTANT_PARAMETER, 0, &a, &v, &err));
    CHECK(v == 0);
    litz_graph_release(g);
}

/* A size that is calculated in very many steps is refused before it is too deep to work with. */
static void deep_sizes(void) {
    litz_graph *g = NULL;
    litz_executable *e = NULL;
    litz_options *o = NULL;
    litz_error *err = NULL;
    litz_value size = 0, y;
    litz_arg args[2];
    litz_status status = LITZ_OK;
    int64_t zero[1] = {0};
    size_t n = 0;
    int k;
    OK(litz_graph_new("deep", NULL, &g, &err));
    OK(litz_graph_symbol(g, "n", 1, 1000, 4, &size, &err));
    for (k = 0; k < 100000 && status == LITZ_OK; ++k) {
        litz_value next = 0;
        args[0] = value_arg(size);
        args[0].kind = LITZ_ARG_SYMBOL;
        args[1] = int_arg(k % 3 == 0 ? 1009 : k % 3);
        status = litz_graph_call(g, k % 3 == 0 ? "sym.mod" : k % 3 == 1 ? "sym.add" : "sym.mul", args, 2, &next, 1, &n, &err);
        if (status == LITZ_OK) size = next;
    }
    CHECK(status == LITZ_ERROR_UNSUPPORTED && k > 100 && strstr(litz_error_message(err), "deeper") != NULL);
    litz_error_release(err);
    memset(args, 0, sizeof args);
    args[0].kind = LITZ_ARG_INTS;
    args[0].ints = zero;
    args[0].values = &size;
    args[0].n = 1;
    OK(litz_graph_call(g, "aten.zeros", args, 1, &y, 1, &n, &err));
    OK(litz_graph_output(g, "y", y, &err));
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "interpreter", &err));
    status = litz_compile(g, o, &e, &err); /* the symbol has no input, so this may be refused */
    CHECK(status == LITZ_OK || status != LITZ_ERROR_INTERNAL);
    if (status != LITZ_OK) litz_error_release(err);
    litz_executable_release(e);
    litz_options_release(o);
    litz_graph_release(g);
}

static void versions(void) {
    OK(litz_check_abi(LITZ_ABI_VERSION, &err));
    FAILS(LITZ_ERROR_ABI, "", litz_check_abi(LITZ_ABI_VERSION + (1u << 16), &err));
    FAILS(LITZ_ERROR_ABI, "", litz_check_abi(LITZ_ABI_VERSION + 1, &err));
    FAILS(LITZ_ERROR_ABI, "", litz_check_abi(UINT32_MAX, &err));
}

/* Every order in which a graph, its options, an executable, its clone and an output can go. */
static void destruction(void) {
    int first, k, left, order[5], seed;
    for (seed = 0; seed < 120; ++seed) {
        litz_options *o = NULL;
        litz_graph *g = linear_relu();
        litz_executable *e = NULL, *clone = NULL;
        struct DLManagedTensorVersioned *made = NULL;
        float x[3] = {1, 2, 3};
        int64_t shape[2] = {1, 3};
        DLTensor input = float_tensor(x, 2, shape);
        const DLTensor *inputs[1];
        inputs[0] = &input;
        OK(litz_options_new(&o, &err));
        OK(litz_options_set(o, "backend", "interpreter", &err));
        OK(litz_compile(g, o, &e, &err));
        OK(litz_executable_clone(e, &clone, &err));
        OK(litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
        for (k = 0; k < 5; ++k) order[k] = k;
        for (k = 4, left = seed; k > 0; --k) {
            const int other = left % (k + 1), kept = order[k];
            left /= k + 1;
            order[k] = order[other];
            order[other] = kept;
        }
        for (k = 0; k < 5; ++k) {
            first = order[k];
            if (first == 0) litz_graph_release(g);
            if (first == 1) litz_options_release(o);
            if (first == 2) litz_executable_release(e), e = NULL;
            if (first == 3) litz_executable_release(clone), clone = NULL;
            if (first == 4) made->deleter(made), made = NULL;
            if (made) CHECK(linear_relu_is(x, (float *)made->dl_tensor.data, 1));
            if (e || clone) {
                struct DLManagedTensorVersioned *again = NULL;
                OK(litz_executable_run(e ? e : clone, inputs, 1, &again, 1, NULL, &err));
                CHECK(linear_relu_is(x, (float *)again->dl_tensor.data, 1));
                again->deleter(again);
            }
        }
    }
}

/* Runs a function in a fork's child; it must end well within the time. */
static void in_child(void (*work)(void *), void *context) {
    int status = 0;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(60);
        work(context);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "the child ended with %s %d\n", WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        exit(1);
    }
}

enum { ROWS = 20000 };
static float many[ROWS * 3];

/* Enough rows for a program to use its threads. */
static litz_status run_many(litz_executable *e, litz_error **err) {
    int64_t shape[2] = {ROWS, 3}, k;
    DLTensor a = float_tensor(many, 2, shape);
    const DLTensor *inputs[2];
    struct DLManagedTensorVersioned *made[2] = {NULL, NULL};
    litz_status status;
    inputs[0] = inputs[1] = &a;
    status = litz_executable_run(e, inputs, 2, made, 2, NULL, err);
    if (status != LITZ_OK) return status;
    for (k = 0; k < ROWS * 3; ++k) {
        const float x = many[k], sum = ((float *)made[0]->dl_tensor.data)[k];
        CHECK(sum == x + x && ((float *)made[1]->dl_tensor.data)[k] == x * x);
    }
    made[0]->deleter(made[0]);
    made[1]->deleter(made[1]);
    return LITZ_OK;
}

static void after_fork(void *context) {
    litz_executable *e = context, *clone = NULL;
    OK(run_many(e, &err));
    OK(litz_executable_clone(e, &clone, &err));
    litz_executable_release(e);
    OK(run_many(clone, &err));
    litz_executable_release(clone);
    clone = two_outputs(); /* compiling works too */
    OK(run_many(clone, &err));
    litz_executable_release(clone);
}

static atomic_int stop;

static void *keep_running(void *context) {
    while (!atomic_load(&stop)) OK(run_many(context, &err));
    return NULL;
}

/* Another thread may have been inside of the program: then it says so. */
static void after_fork_of_many(void *context) {
    litz_error *err = NULL;
    litz_executable *clone = NULL;
    litz_status status = run_many(context, &err);
    CHECK(status == LITZ_OK || (status == LITZ_ERROR_STATE && strstr(litz_error_message(err), "forked") != NULL));
    litz_error_release(err);
    err = NULL;
    status = litz_executable_clone(context, &clone, &err);
    CHECK(status == LITZ_OK || (status == LITZ_ERROR_STATE && err != NULL));
    litz_error_release(err);
    litz_executable_release(clone);
    litz_executable_release(context);
}

static void forks(litz_executable *e) {
    pthread_t threads[4];
    int k;
    OK(run_many(e, &err));
    in_child(after_fork, e);
    OK(run_many(e, &err));
    for (k = 0; k < 4; ++k) CHECK(pthread_create(&threads[k], NULL, keep_running, e) == 0);
    for (k = 0; k < 20; ++k) in_child(after_fork_of_many, e);
    atomic_store(&stop, 1);
    for (k = 0; k < 4; ++k) pthread_join(threads[k], NULL);
    OK(run_many(e, &err));
}

static size_t pages(void) {
    unsigned long size = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%lu", &size) == 1);
    fclose(file);
    return size;
}

/* With little address space left, a run that needs more is refused and the next small one works. */
static void little_memory(void *context) {
    enum { GROWING = 4 << 20 };
    struct rlimit limit;
    int64_t shape[2] = {GROWING, 3}, strides[2] = {0, 1};
    float one[3] = {1, 2, 3};
    DLTensor a = float_tensor(one, 2, shape);
    const DLTensor *inputs[2];
    struct DLManagedTensorVersioned *made[2] = {NULL, NULL};
    OK(run_many(context, &err));
    limit.rlim_cur = limit.rlim_max = (rlim_t)(pages() * (size_t)sysconf(_SC_PAGESIZE)) + (32u << 20);
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    inputs[0] = inputs[1] = &a;
    a.strides = strides;
    FAILS(LITZ_ERROR_OUT_OF_MEMORY, "memory", litz_executable_run(context, inputs, 2, made, 2, NULL, &err));
    CHECK(made[0] == NULL && made[1] == NULL);
    OK(run_many(context, &err));
}

static int files_in(const char *path) {
    int n = 0;
    DIR *listing = opendir(path);
    CHECK(listing != NULL);
    while (readdir(listing) != NULL) ++n;
    closedir(listing);
    return n - 2;
}

/* Every file that is written ends at `limit` bytes, as on a full disk. */
static void full_disk(void *context) {
    const rlim_t bytes = *(const rlim_t *)context;
    struct rlimit limit;
    char path[4096], cache[4096];
    litz_options *o = NULL;
    litz_graph *g = linear_relu();
    litz_executable *e = NULL, *again = NULL;
    litz_error *err = NULL;
    litz_status status;
    const int before = files_in(folder);
    snprintf(path, sizeof path, "%s/limited", folder);
    snprintf(cache, sizeof cache, "%s/cache-%lu", getenv("TMPDIR"), (unsigned long)bytes);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", backend, &err));
    OK(litz_options_set(o, "cache.enabled", "false", &err));
    OK(litz_compile(g, o, &e, &err));
    signal(SIGXFSZ, SIG_IGN);
    limit.rlim_cur = limit.rlim_max = bytes;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    if (bytes < 100) FAILS(LITZ_ERROR_IO, "limited", litz_executable_save_constants(e, path, &err));
    CHECK(files_in(folder) == before);
    if (strcmp(backend, "cpu") == 0) {
        status = litz_executable_save(e, path, &err);
        CHECK((status == LITZ_ERROR_IO || status == LITZ_ERROR_TOOLCHAIN) && err != NULL && files_in(folder) == before);
        litz_error_release(err);
        err = NULL;
        status = litz_compile_artifact(g, o, path, &err);
        CHECK((status == LITZ_ERROR_IO || status == LITZ_ERROR_TOOLCHAIN) && err != NULL && files_in(folder) == before);
        litz_error_release(err);
        err = NULL;
        OK(litz_options_set(o, "cache.enabled", "true", &err));
        OK(litz_options_set(o, "cache.dir", cache, &err));
        status = litz_compile(g, o, &again, &err);
        CHECK(status == LITZ_OK || ((status == LITZ_ERROR_IO || status == LITZ_ERROR_TOOLCHAIN) && err != NULL));
        litz_error_release(err);
        litz_executable_release(again);
    }
    litz_executable_release(e);
    litz_options_release(o);
    litz_graph_release(g);
}

static void unwritable(void) {
    static const char *const places[] = {"/proc/litz", "/dev/null/litz", "/nonexistent/litz"};
    litz_options *o = NULL;
    litz_graph *g = linear_relu();
    litz_executable *e = NULL;
    size_t k;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", backend, &err));
    OK(litz_compile(g, o, &e, &err));
    for (k = 0; k < 3; ++k) {
        FAILS(LITZ_ERROR_IO, places[k], litz_executable_save_constants(e, places[k], &err));
        if (strcmp(backend, "cpu") == 0) {
            FAILS(LITZ_ERROR_IO, "folder", litz_executable_save(e, places[k], &err));
            FAILS(LITZ_ERROR_IO, "folder", litz_compile_artifact(g, o, places[k], &err));
            OK(litz_options_set(o, "debug.dump", places[k], &err));
            litz_executable_release(e);
            e = NULL;
            FAILS(LITZ_ERROR_IO, places[k], litz_compile(g, o, &e, &err));
            OK(litz_options_set(o, "debug.dump", "", &err));
            OK(litz_compile(g, o, &e, &err));
        }
    }
    litz_executable_release(e);
    litz_options_release(o);
    litz_graph_release(g);
}

int main(int argc, char **argv) {
    static const rlim_t limits[] = {0, 30, 3000};
    litz_executable *e;
    size_t k;
    CHECK(argc == 3);
    backend = argv[1];
    folder = argv[2];
    for (k = 0; k < ROWS * 3; ++k) many[k] = (float)(k % 1000);
    e = two_outputs();
    layouts(e);
    sizes(e);
    versions();
    deep_sizes();
    destruction();
    unwritable();
    for (k = 0; k < sizeof limits / sizeof *limits; ++k) in_child(full_disk, (void *)(uintptr_t)&limits[k]);
    in_child(little_memory, e);
    forks(e);
    litz_executable_release(e);
    printf("faults on %s: all right\n", backend);
    return 0;
}
