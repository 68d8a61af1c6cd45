/* Valid arguments of every type, for the generated program that puts NULL in the place of each of them in turn. */
#ifndef LITZ_NULL_FIXTURE_H
#define LITZ_NULL_FIXTURE_H

#include "check.h"

static litz_graph *g, *out_graph;
static litz_options *o, *out_options;
static litz_executable *e, *out_executable;
static litz_training *t, *out_training;
static litz_saved *s, *out_saved;
static litz_error *an_error, *err;
static litz_string *a_string, *out_string;
static struct DLManagedTensorVersioned *out_tensors[1];
static litz_predicate *p, *out_predicate;
static int32_t out_answer;
static litz_value x, out_value;
static size_t out_count;
static uint64_t out_state;
static litz_tensor_info info;
static litz_node node, out_node;
static litz_registry *r, *out_registry;
static litz_weights *w, *out_weights;
static litz_backend backend;
static litz_operator operator_of_a_host;
static litz_node_info node_info;
static litz_tensor_spec spec;
static litz_arg arg;
static float elements[6];
static int64_t shape[2] = {2, 3}, inferred_shape[2], inferred_strides[2];
static DLTensor tensor, inferred;
static const DLTensor *tensors[1] = {&tensor};
static const char *names[1] = {"l.weight"};
static const uint8_t flags[1] = {0};
static litz_run_options ro;

static void a_log(void *context, int32_t level, const char *message) {
    (void)context;
    (void)level;
    (void)message;
}

static void a_trace(void *context, const char *json_line) {
    (void)context;
    (void)json_line;
}

static litz_status a_predicate(void *context, const litz_graph *graph, int32_t *still_fails, litz_error **error) {
    (void)context;
    (void)graph;
    (void)error;
    *still_fails = 1;
    return LITZ_OK;
}

static litz_status a_pass(void *context, litz_graph *graph, litz_error **error) {
    (void)context;
    (void)graph;
    (void)error;
    return LITZ_OK;
}

static litz_status a_rule(void *context, litz_graph *graph, const litz_arg *args, size_t n_args, litz_value *outs,
                          size_t n_outs, litz_error **error) {
    (void)args;
    (void)n_args;
    (void)outs;
    (void)n_outs;
    return a_pass(context, graph, error);
}

static litz_status a_compiler(void *context, const litz_graph *graph, litz_callable *callable, litz_error **error) {
    (void)context;
    (void)graph;
    (void)callable;
    (void)error;
    return LITZ_ERROR_UNSUPPORTED;
}

static void a_release(void *context) { (void)context; }

/* A file of one tensor. */
static void open_weights(void) {
    static const char header[] = "{\"t\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}     ";
    static const char length[8] = {sizeof header - 1, 0, 0, 0, 0, 0, 0, 0};
    char path[] = "weights_of_null_fixture.safetensors";
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL && fwrite(length, 1, 8, f) == 8 && fwrite(header, 1, sizeof header - 1, f) == sizeof header - 1);
    CHECK(fwrite(elements, 1, 4, f) == 4 && fclose(f) == 0);
    OK(litz_weights_open(path, &w, &err));
    remove(path);
}

static void prepare(void) {
    litz_options *interpreter = NULL;
    litz_graph *graph = linear_relu();
    OK(litz_options_new(&interpreter, &err));
    OK(litz_options_set(interpreter, "backend", "interpreter", &err));
    OK(litz_compile(graph, interpreter, &e, &err));
    OK(litz_compile_training(graph, interpreter, &t, &err));
    litz_options_release(interpreter);
    litz_graph_release(graph);
    open_weights();
    an_error = litz_error_new(LITZ_ERROR_STATE, "kept");
    OK(litz_options_list(&a_string, &err));
    tensor = float_tensor(elements, 2, shape);
    OK(litz_training_forward(t, tensors, 1, out_tensors, 1, &s, NULL, &err));
    litz_tensor_release(out_tensors[0]);
    out_tensors[0] = NULL;
    spec = float_spec(2, shape, NULL);
    ro.struct_size = sizeof ro;
    info.struct_size = sizeof info;
    node_info.struct_size = sizeof node_info;
    backend.struct_size = sizeof backend;
    backend.compile = a_compiler;
    operator_of_a_host.struct_size = sizeof operator_of_a_host;
    operator_of_a_host.pointwise_source = "x";
}

/* A graph that no earlier call has changed or failed. */
static void begin(void) {
    g = linear_relu();
    OK(litz_options_new(&o, &err));
    OK(litz_registry_new(&r, &err));
    OK(litz_graph_find(g, "x", &x, &err));
    OK(litz_graph_users(g, x, &node, 1, &out_count, &err));
    arg = value_arg(x);
    memset(&inferred, 0, sizeof inferred);
    inferred.shape = inferred_shape;
    inferred.strides = inferred_strides;
    OK(litz_predicate_new("compile_fails", NULL, NULL, 0, &p, &err));
    err = NULL;
    out_predicate = NULL;
    out_graph = NULL;
    out_options = NULL;
    out_executable = NULL;
    out_training = NULL;
    out_saved = NULL;
    out_string = NULL;
    out_tensors[0] = NULL;
    out_value = 0;
    out_registry = NULL;
    out_weights = NULL;
}

static void end(void) {
    litz_registry_release(r);
    litz_registry_release(out_registry);
    litz_weights_release(out_weights);
    litz_graph_release(g);
    litz_options_release(o);
    litz_predicate_release(p);
    litz_predicate_release(out_predicate);
    litz_graph_release(out_graph);
    litz_options_release(out_options);
    litz_executable_release(out_executable);
    litz_training_release(out_training);
    litz_saved_release(out_saved);
    litz_string_release(out_string);
    litz_error_release(err);
    if (out_tensors[0] != NULL) out_tensors[0]->deleter(out_tensors[0]);
}

static inline void expect_null_error(litz_status status, const char *call, const char *parameter) {
    const char *message = litz_error_message(err);
    if (status != LITZ_ERROR_INVALID_ARGUMENT || strstr(message, parameter) == NULL || strstr(message, "NULL") == NULL ||
        out_graph != NULL || out_options != NULL || out_executable != NULL || out_training != NULL ||
        out_saved != NULL || out_string != NULL || out_tensors[0] != NULL || out_value != 0) {
        fprintf(stderr, "%s gave %d: %s\n", call, (int)status, message);
        exit(1);
    }
}

#define EXPECT_NULL_ERROR(call, parameter) expect_null_error((call), #call, (parameter))

/* A panic inside is an error like others: reported, and nothing written. */
static inline void expect_panic(litz_status status, const char *call) {
    if (status != LITZ_ERROR_INTERNAL || err == NULL || strstr(litz_error_message(err), "a test asked for") == NULL ||
        out_graph != NULL || out_options != NULL || out_executable != NULL || out_training != NULL ||
        out_saved != NULL || out_string != NULL || out_tensors[0] != NULL || out_value != 0) {
        fprintf(stderr, "%s gave %d: %s\n", call, (int)status, litz_error_message(err));
        exit(1);
    }
}

#define EXPECT_PANIC(call)                                                                                             \
    do {                                                                                                               \
        const litz_status status_ = (call);                                                                            \
        unsetenv("LITZ_TEST_PLANT");                                                                                   \
        expect_panic(status_, #call);                                                                                  \
    } while (0)

/* Whatever it gives, it must give it back alive. */
static inline void expect_nothing(litz_status status) { (void)status; }

#endif
