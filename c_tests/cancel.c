/* Runs and compilations that are ended from another thread. argv[1] is a folder, argv[2] a C++ compiler that never ends. */
#define _GNU_SOURCE
#include "layers.h"
#include <dirent.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void pause_for(double seconds) {
    struct timespec t;
    t.tv_sec = (time_t)seconds;
    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    nanosleep(&t, NULL);
}

typedef struct work {
    const litz_executable *program;
    const litz_graph *graph;
    const litz_options *options;
    litz_status status;
    double seconds;
} work;

static void *compile_it(void *argument) {
    work *w = argument;
    litz_executable *made = NULL;
    litz_error *err = NULL;
    double start = now();
    w->status = litz_compile(w->graph, w->options, &made, &err);
    w->seconds = now() - start;
    if (w->status != LITZ_ERROR_CANCELLED) fprintf(stderr, "compile: %s\n", litz_error_message(err));
    CHECK(w->status != LITZ_OK && made == NULL && strstr(litz_error_message(err), "cancelled") != NULL);
    litz_error_release(err);
    return NULL;
}

static int children(void) {
    char path[64], name[300];
    FILE *file;
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    int count = 0;
    CHECK(folder != NULL);
    while ((entry = readdir(folder)) != NULL) {
        int parent = 0;
        char state = 0;
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
        snprintf(path, sizeof path, "/proc/%.20s/stat", entry->d_name);
        if ((file = fopen(path, "r")) == NULL) continue;
        if (fscanf(file, "%*d (%298[^)]) %c %d", name, &state, &parent) == 3 && parent == (int)getpid()) ++count;
        fclose(file);
    }
    closedir(folder);
    return count;
}

static void a_compilation_ends(const char *compiler) {
    litz_options *o = NULL;
    litz_graph *g = linear_relu();
    litz_executable *made = NULL;
    pthread_t thread;
    work w;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "cpu", &err));
    OK(litz_options_set(o, "cache.enabled", "false", &err));
    OK(litz_options_cancel(o, &err)); /* nothing is in progress */
    OK(litz_compile(g, o, &made, &err));
    litz_executable_release(made);
    OK(litz_options_set(o, "cpp.compiler", compiler, &err));
    memset(&w, 0, sizeof w);
    w.graph = g;
    w.options = o;
    CHECK(pthread_create(&thread, NULL, compile_it, &w) == 0);
    while (children() == 0) pause_for(0.01);
    pause_for(0.3);
    OK(litz_options_cancel(o, &err));
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(w.status == LITZ_ERROR_CANCELLED && w.seconds < 60);
    CHECK(children() == 0);
    litz_options_release(o);
    litz_graph_release(g);
}

#define SOFTMAXES 700

/* A product, a softmax, a product, again and again: each stage has much to do. */
static litz_graph *many_nodes(void) {
    static char text[SOFTMAXES * 160 + 200];
    char *end = text;
    int k;
    end += sprintf(end, "graph \"g\" {\n input %%0 \"x\": float32[4, 4]\n");
    for (k = 0; k < SOFTMAXES; ++k) {
        end += sprintf(end, " %%%d = aten._softmax.default(%%%d, -1, false)\n", 3 * k + 1, 3 * k);
        end += sprintf(end, " %%%d = aten.mm.default(%%%d, %%0)\n", 3 * k + 2, 3 * k + 1);
        end += sprintf(end, " %%%d = aten.tanh.default(%%%d)\n", 3 * k + 3, 3 * k + 2);
    }
    sprintf(end, " output \"y\" = %%%d\n}", 3 * SOFTMAXES);
    return graph_of(text);
}

static void *compile_if_let(void *argument) {
    work *w = argument;
    litz_executable *made = NULL;
    w->status = litz_compile(w->graph, w->options, &made, NULL);
    CHECK((w->status == LITZ_OK) == (made != NULL));
    litz_executable_release(made);
    return NULL;
}

/* Wherever a compilation is, it ends soon: long before it would have. */
static void any_stage_ends(void) {
    litz_options *o = NULL;
    litz_graph *g = many_nodes();
    litz_executable *made = NULL;
    double whole;
    int place, attempt;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "interpreter", &err));
    OK(litz_options_set(o, "cache.enabled", "false", &err));
    whole = now();
    OK(litz_compile(g, o, &made, &err));
    whole = now() - whole;
    litz_executable_release(made);
    for (place = 0; place < 4; ++place) {
        double late = whole;
        for (attempt = 0; attempt < 5 && late > 0.2 * whole; ++attempt) { /* others use the machine, too */
            pthread_t thread;
            work w;
            memset(&w, 0, sizeof w);
            w.graph = g;
            w.options = o;
            CHECK(pthread_create(&thread, NULL, compile_if_let, &w) == 0);
            pause_for(whole * (1 + 2 * place) / 9);
            late = now();
            OK(litz_options_cancel(o, &err));
            CHECK(pthread_join(thread, NULL) == 0);
            late = w.status == LITZ_ERROR_CANCELLED ? now() - late : whole;
        }
        CHECK(late <= 0.2 * whole);
    }
    litz_options_release(o);
    litz_graph_release(g);
}

static double last_sum;

static void *run_it(void *argument) {
    work *w = argument;
    int64_t shape[2] = {4096, WIDTH};
    float *data = calloc(4096 * WIDTH, sizeof *data), *out = malloc(sizeof *out * 4096 * WIDTH);
    DLTensor x = float_tensor(data, 2, shape), y = float_tensor(out, 2, shape);
    const DLTensor *inputs[1], *outputs[1];
    litz_error *err = NULL;
    inputs[0] = &x;
    outputs[0] = &y;
    CHECK(data != NULL && out != NULL);
    do w->status = litz_executable_run_into(w->program, inputs, 1, outputs, 1, NULL, &err);
    while (w->status == LITZ_OK);
    CHECK(strstr(litz_error_message(err), "cancelled") != NULL);
    litz_error_release(err);
    free(data);
    free(out);
    return NULL;
}

static void runs_end(const litz_executable *e) {
    pthread_t threads[3];
    work w[3];
    int k, round;
    last_sum = run_layers(e, 8);
    for (round = 0; round < 5; ++round) {
        for (k = 0; k < 3; ++k) {
            memset(&w[k], 0, sizeof w[k]);
            w[k].program = e;
            CHECK(pthread_create(&threads[k], NULL, run_it, &w[k]) == 0);
        }
        pause_for(0.05 * round);
        for (k = 0; k < 3; ++k) {
            /* One that is between two runs is not met. */
            while (pthread_tryjoin_np(threads[k], NULL) != 0) {
                OK(litz_executable_cancel(e, &err));
                pause_for(0.002);
            }
            CHECK(w[k].status == LITZ_ERROR_CANCELLED);
        }
        CHECK(run_layers(e, 8) == last_sum);
    }
}

/* y = x + n * 0 through LAYERS products, and n, a buffer, counts the runs that came to their end. */
static litz_graph *counted_layers(void) {
    litz_graph *g = layers(0);
    float zero = 0;
    DLTensor scalar = float_tensor(&zero, 0, NULL);
    litz_value n, made;
    litz_arg args[2];
    size_t count = 0;
    OK(litz_graph_constant(g, "n", LITZ_CONSTANT_BUFFER, 0, &scalar, &n, &err));
    args[0] = value_arg(n);
    args[1] = int_arg(1);
    OK(litz_graph_call(g, "aten.add_.Scalar", args, 2, &made, 1, &count, &err));
    return g;
}

static void *run_counted(void *argument) {
    work *w = argument;
    int k;
    for (k = 0; k < 40; ++k) {
        int64_t shape[2] = {256, WIDTH};
        static float data[256 * WIDTH];
        DLTensor x = float_tensor(data, 2, shape);
        const DLTensor *inputs[1];
        struct DLManagedTensorVersioned *y = NULL;
        litz_error *err = NULL;
        litz_status status;
        inputs[0] = &x;
        status = litz_executable_run(w->program, inputs, 1, &y, 1, NULL, &err);
        CHECK(status == LITZ_OK || status == LITZ_ERROR_CANCELLED);
        if (status == LITZ_OK) {
            w->seconds += 1;
            y->deleter(y);
        }
        litz_error_release(err);
    }
    return NULL;
}

static void state_is_whole(const litz_options *o) {
    litz_graph *g = counted_layers();
    litz_executable *e = NULL;
    struct DLManagedTensorVersioned *n = NULL;
    pthread_t thread;
    work w;
    OK(litz_compile(g, o, &e, &err));
    litz_graph_release(g);
    memset(&w, 0, sizeof w);
    w.program = e;
    CHECK(pthread_create(&thread, NULL, run_counted, &w) == 0);
    while (pthread_tryjoin_np(thread, NULL) != 0) {
        OK(litz_executable_cancel(e, &err));
        pause_for(0.003);
    }
    OK(litz_executable_constant(e, "n", &n, &err));
    CHECK(*(float *)n->dl_tensor.data == (float)w.seconds);
    n->deleter(n);
    litz_executable_release(e);
}

/* A training program's two halves, each until it is ended from outside. */
typedef struct half {
    const litz_training *program;
    int is_backward;
    litz_status status;
    litz_saved *saved; /* of a backward that was ended */
    char message[256];
} half;

#define ROWS 2048

static litz_status forward_of(const litz_training *t, int64_t rows, litz_saved **saved, litz_error **error) {
    static float data[ROWS * WIDTH];
    int64_t shape[2] = {0, WIDTH};
    DLTensor x = float_tensor(data, 2, shape);
    const DLTensor *inputs[1];
    struct DLManagedTensorVersioned *y = NULL;
    litz_status status;
    shape[0] = rows;
    inputs[0] = &x;
    status = litz_training_forward(t, inputs, 1, &y, 1, saved, NULL, error);
    if (status == LITZ_OK) y->deleter(y);
    return status;
}

/* The sum of all gradients goes to `*sum`. */
static litz_status backward_of(const litz_training *t, int64_t rows, litz_saved *saved, double *sum, litz_error **error) {
    static float ones[ROWS * WIDTH];
    int64_t shape[2] = {0, WIDTH}, k;
    DLTensor one = float_tensor(ones, 2, shape);
    const DLTensor *cotangents[1];
    struct DLManagedTensorVersioned *grads[1 + 2 * LAYERS];
    litz_status status;
    int g;
    shape[0] = rows;
    for (k = 0; k < ROWS * WIDTH; ++k) ones[k] = 1;
    cotangents[0] = &one;
    status = litz_training_backward(t, saved, cotangents, 1, grads, 1 + 2 * LAYERS, NULL, error);
    if (status != LITZ_OK) return status;
    *sum = 0;
    for (g = 0; g < 1 + 2 * LAYERS; ++g) {
        const DLTensor *one_of = &grads[g]->dl_tensor;
        int64_t n = 1;
        int d;
        for (d = 0; d < one_of->ndim; ++d) n *= one_of->shape[d];
        for (k = 0; k < n; ++k) *sum += ((const float *)one_of->data)[k];
        grads[g]->deleter(grads[g]);
    }
    return LITZ_OK;
}

static double step_of(const litz_training *t) {
    litz_saved *saved = NULL;
    double sum = 0;
    OK(forward_of(t, 64, &saved, &err));
    OK(backward_of(t, 64, saved, &sum, &err));
    litz_saved_release(saved);
    return sum;
}

static void *run_half(void *argument) {
    half *h = argument;
    litz_error *error = NULL;
    double sum = 0;
    do {
        if (h->is_backward) {
            litz_saved_release(h->saved);
            h->saved = NULL;
            do h->status = forward_of(h->program, ROWS, &h->saved, NULL);
            while (h->status == LITZ_ERROR_CANCELLED);
            CHECK(h->status == LITZ_OK);
            h->status = backward_of(h->program, ROWS, h->saved, &sum, &error);
        } else {
            h->status = forward_of(h->program, ROWS, &h->saved, &error);
            litz_saved_release(h->saved);
            if (h->status == LITZ_OK) h->saved = NULL;
            CHECK(h->saved == NULL);
        }
    } while (h->status == LITZ_OK);
    snprintf(h->message, sizeof h->message, "%s", litz_error_message(error));
    litz_error_release(error);
    return NULL;
}

static void training_ends(const litz_options *o) {
    litz_graph *g = layers(0);
    litz_training *t = NULL;
    pthread_t thread;
    const char *name = "b0";
    int64_t shape[1] = {WIDTH};
    DLTensor bias = float_tensor(layer_bias, 1, shape);
    const DLTensor *data = &bias;
    double sum, again = 0;
    half h;
    int round;
    OK(litz_compile_training(g, o, &t, &err));
    litz_graph_release(g);
    OK(litz_training_cancel(t, &err)); /* nothing is in progress */
    sum = step_of(t);
    for (round = 0; round < 4; ++round) {
        double asked;
        memset(&h, 0, sizeof h);
        h.program = t;
        h.is_backward = round % 2;
        CHECK(pthread_create(&thread, NULL, run_half, &h) == 0);
        pause_for(0.1 * (round + 1));
        asked = now();
        while (pthread_tryjoin_np(thread, NULL) != 0) {
            OK(litz_training_cancel(t, &err));
            pause_for(h.is_backward ? 0.2 : 0.002); /* a forward that comes before the backward gets to its end */
        }
        CHECK(now() - asked < 120);
        CHECK(h.status == LITZ_ERROR_CANCELLED && strstr(h.message, "cancelled") != NULL);
        if (h.is_backward) {
            /* What the forward kept serves another backward, or is gone: the message has said which. */
            int is_whole = strstr(h.message, "what the forward kept, parameters, buffers and inputs are as they were") != NULL ||
                           strstr(h.message, "what the forward kept is whole") != NULL;
            litz_error *why = NULL;
            litz_status status = backward_of(t, ROWS, h.saved, &again, &why);
            CHECK(status == (is_whole ? LITZ_OK : LITZ_ERROR_STATE));
            CHECK(is_whole || strstr(h.message, "Run the forward again") != NULL);
            litz_error_release(why);
            litz_saved_release(h.saved);
        }
        /* Nothing waits for a backward any more. */
        OK(litz_training_update_constants(t, &name, &data, 1, &err));
        CHECK(step_of(t) == sum);
    }
    litz_training_release(t);
}

static void *first_backward(void *argument) {
    half *h = argument;
    litz_error *error = NULL;
    double sum;
    h->status = backward_of(h->program, 64, h->saved, &sum, &error);
    litz_error_release(error);
    return NULL;
}

/* The compilation of the first backward, by a compiler that never ends once the forward is compiled. */
static void a_first_backward_ends(const char *compiler, const char *folder) {
    litz_options *o = NULL;
    litz_graph *g = layers(0);
    litz_training *t = NULL;
    pthread_t thread;
    char ends[4096];
    half h;
    FILE *file;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "cpu", &err));
    OK(litz_options_set(o, "cache.enabled", "false", &err));
    OK(litz_options_set(o, "cpp.compiler", compiler, &err));
    snprintf(ends, sizeof ends, "%s/ends", folder); /* while this is there the compiler is a real one */
    CHECK((file = fopen(ends, "w")) != NULL);
    fclose(file);
    OK(litz_compile_training(g, o, &t, &err));
    litz_graph_release(g);
    CHECK(remove(ends) == 0);
    memset(&h, 0, sizeof h);
    h.program = t;
    OK(forward_of(t, 64, &h.saved, &err));
    CHECK(pthread_create(&thread, NULL, first_backward, &h) == 0);
    while (children() == 0) pause_for(0.01);
    pause_for(0.3);
    OK(litz_training_cancel(t, &err));
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(h.status == LITZ_ERROR_CANCELLED && children() == 0);
    /* It is compiled when it is asked for again, and what the forward kept is there. */
    CHECK((file = fopen(ends, "w")) != NULL);
    fclose(file);
    first_backward(&h);
    CHECK(h.status == LITZ_OK);
    litz_saved_release(h.saved);
    litz_training_release(t);
    litz_options_release(o);
}

int main(int argc, char **argv) {
    char path[4096];
    litz_options *o = NULL;
    litz_graph *g;
    litz_executable *e = NULL;
    CHECK(argc == 3);
    a_compilation_ends(argv[2]);
    any_stage_ends();
    make_weights();
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "cpu", &err));
    OK(litz_options_set(o, "cpu.threads", "2", &err));
    g = layers(0);
    OK(litz_compile(g, o, &e, &err));
    runs_end(e);
    snprintf(path, sizeof path, "%s/layers.so", argv[1]);
    OK(litz_executable_save(e, path, &err));
    litz_executable_release(e);
    litz_graph_release(g);
    OK(litz_executable_open(path, NULL, &e, &err));
    runs_end(e);
    litz_executable_release(e);
    state_is_whole(o);
    training_ends(o);
    a_first_backward_ends(argv[2], argv[1]);
    litz_options_release(o);
    free_weights();
    puts("cancel: all right");
    return 0;
}
