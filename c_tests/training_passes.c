/* A host's passes in a training program. */
#include "check.h"

static int near(float a, float b) { return a - b < 1e-5f && b - a < 1e-5f; }

/* Replaces a hyperbolic tangent by three times its operand, and counts where. */
static litz_status triple(void *context, litz_graph *g, litz_error **err) {
    litz_node nodes[64];
    size_t count = 0, results = 0;
    litz_status status = litz_graph_nodes(g, nodes, 64, &count, err);
    for (size_t k = 0; !status && k < count; k++) {
        litz_node_info info = {.struct_size = sizeof info};
        status = litz_graph_node_info(g, nodes[k], &info, err);
        if (status || strcmp(info.op, "aten.tanh.default")) continue;
        litz_arg args[2] = {info.args[0], int_arg(3)};
        args[0].name = NULL;
        litz_value old = info.results[0], made = 0;
        status = litz_graph_insert_after(g, nodes[k], err);
        if (!status) status = litz_graph_call(g, "aten.mul.Scalar", args, 2, &made, 1, &results, err);
        if (!status) status = litz_graph_replace(g, old, made, err);
        ++*(int *)context;
    }
    return status;
}

/* One forward and one backward on {1, 2}, with a cotangent of ones: the results and the gradient. */
static void step(const litz_training *t, float y[2], float dx[2]) {
    float x[2] = {1, 2}, ones[2] = {1, 1};
    int64_t shape[1] = {2};
    DLTensor given = float_tensor(x, 1, shape), cotangent = float_tensor(ones, 1, shape);
    const DLTensor *inputs[1] = {&given}, *cotangents[1] = {&cotangent};
    struct DLManagedTensorVersioned *outputs[1] = {0}, *gradients[1] = {0};
    litz_saved *saved = NULL;
    OK(litz_training_forward(t, inputs, 1, outputs, 1, &saved, NULL, &err));
    OK(litz_training_backward(t, saved, cotangents, 1, gradients, 1, NULL, &err));
    memcpy(y, outputs[0]->dl_tensor.data, 2 * sizeof *y);
    memcpy(dx, gradients[0]->dl_tensor.data, 2 * sizeof *dx);
    litz_tensor_release(outputs[0]);
    litz_tensor_release(gradients[0]);
    litz_saved_release(saved);
}

/* The graph is differentiated after the pass has changed it. */
static void passes_before_gradients(void) {
    int count = 0;
    litz_registry *r = NULL;
    OK(litz_registry_new(&r, &err));
    OK(litz_registry_add_pass(r, "pre_grad", triple, &count, &err));
    litz_options *o = NULL;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "interpreter", &err));
    OK(litz_options_set_registry(o, r, &err));
    litz_graph *g = graph_of("graph \"tr\" { input %0 \"x\": float32[2]\n %1 = aten.tanh.default(%0)\n output \"y\" = %1 }");
    litz_training *t = NULL;
    OK(litz_compile_training(g, o, &t, &err));
    float y[2], dx[2];
    step(t, y, dx);
    CHECK(near(y[0], 3) && near(y[1], 6) && near(dx[0], 3) && near(dx[1], 3));
    CHECK(count == 1);
    litz_training_release(t);
    litz_graph_release(g);
    litz_options_release(o);
    litz_registry_release(r);
}

typedef struct told {
    char stages[1024];
    long compile, graph;
    int begun, ended, status;
} told;

static long number_of(const char *line, const char *key) {
    const char *at = strstr(line, key);
    CHECK(at != NULL);
    return strtol(at + strlen(key), NULL, 10);
}

/* The stages of each compilation in a row, and whether one begins and ends where it should. */
static void note(void *context, const char *line) {
    told *t = context;
    CHECK(number_of(line, "\"compile\":") > 0 && number_of(line, "\"graph\":") > 0);
    if (strstr(line, "\"event\":\"compile_begin\"")) {
        CHECK(t->begun == t->ended);
        /* Both halves are of one graph, and of two compilations. */
        CHECK(t->begun == 0 || (t->graph == number_of(line, "\"graph\":") && t->compile != number_of(line, "\"compile\":")));
        t->begun++;
        t->compile = number_of(line, "\"compile\":");
        t->graph = number_of(line, "\"graph\":");
        strcat(t->stages, t->begun > 1 ? "; " : "");
    }
    CHECK(number_of(line, "\"compile\":") == t->compile && number_of(line, "\"graph\":") == t->graph);
    if (strstr(line, "\"event\":\"compile_end\"")) t->ended++, t->status = (int)number_of(line, "\"status\":");
    if (strstr(line, "\"event\":\"stage\"")) {
        const char *name = strstr(line, "\"stage\":\"") + 9;
        strncat(t->stages, name, (size_t)(strchr(name, '"') - name));
        strcat(t->stages, " ");
    }
}

static litz_status compiling(void *context, litz_graph *g, litz_error **err) {
    (void)g, (void)err;
    CHECK(litz_is_compiling() == 1);
    ++*(int *)context;
    return LITZ_OK;
}

static litz_status failing(void *context, litz_graph *g, litz_error **err) {
    (void)context, (void)g;
    *err = litz_error_new(LITZ_ERROR_STATE, "the host is tired");
    return LITZ_ERROR_STATE;
}

/* The stages before a graph is divided are the forward's, in traces and in what describe says. */
static void stages_are_told(void) {
    const char *const points[3] = {"pre_grad", "joint", "post_grad"};
    litz_graph *g = graph_of("graph \"tr\" { input %0 \"x\": float32[2]\n %1 = aten.tanh.default(%0)\n output \"y\" = %1 }");
    litz_registry *r = NULL;
    litz_options *o = NULL;
    litz_training *t = NULL;
    litz_string *json = NULL;
    told heard = {0};
    int counts[3] = {0, 0, 0};
    OK(litz_registry_new(&r, &err));
    for (int k = 0; k < 3; k++) OK(litz_registry_add_pass(r, points[k], compiling, &counts[k], &err));
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "interpreter", &err));
    OK(litz_options_set_registry(o, r, &err));
    OK(litz_options_set_trace(o, note, &heard, &err));
    OK(litz_compile_training(g, o, &t, &err));
    CHECK(heard.begun == 1 && heard.ended == 1 && heard.status == 0);
    CHECK(counts[0] == 1 && counts[1] == 1 && counts[2] == 1);
    const char *first = "pre_grad functionalize differentiate decompose joint passes divide functionalize decompose passes post_grad ";
    if (strncmp(heard.stages, first, strlen(first)) != 0) {
        fprintf(stderr, "stages: %s\n", heard.stages);
        exit(1);
    }
    OK(litz_training_describe(t, &json, &err));
    CHECK(strstr(litz_string_data(json), "\"pre_grad\":") && strstr(litz_string_data(json), "\"divide\":"));
    litz_string_release(json);
    /* The backward is compiled when it is first asked for. */
    float y[2], dx[2];
    step(t, y, dx);
    CHECK(heard.begun == 2 && heard.ended == 2 && strstr(heard.stages, "; functionalize decompose passes post_grad "));
    litz_training_release(t);
    t = NULL;
    /* What fails before there are halves is told to have ended, too. */
    memset(&heard, 0, sizeof heard);
    OK(litz_registry_add_pass(r, "joint", failing, NULL, &err));
    FAILS(LITZ_ERROR_STATE, "the host is tired", litz_compile_training(g, o, &t, &err));
    CHECK(t == NULL && heard.begun == 1 && heard.ended == 1 && heard.status == LITZ_ERROR_STATE);
    litz_options_release(o);
    litz_registry_release(r);
    litz_graph_release(g);
}

int main(void) {
    passes_before_gradients();
    stages_are_told();
    puts("all right");
    return 0;
}
