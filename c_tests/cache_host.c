/* Compiles a graph with the options given as key=value, checks its result, and prints whether its kernels came from the
 * cache and what was logged. */
#include "check.h"

static void print_log(void *context, int32_t level, const char *message) {
    (void)context, (void)level;
    printf("log: %s\n", message);
}

int main(int argc, char **argv) {
    litz_options *o = NULL;
    litz_graph *g = linear_relu();
    litz_executable *e = NULL;
    litz_string *json = NULL;
    struct DLManagedTensorVersioned *made = NULL;
    float x[6] = {1, 2, 3, -4, -5, -6};
    int64_t shape[2] = {2, 3};
    DLTensor input = float_tensor(x, 2, shape);
    const DLTensor *inputs[1];
    const char *found;
    int k;
    inputs[0] = &input;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "cpu", &err));
    OK(litz_options_set_log(o, 1, print_log, NULL, &err));
    for (k = 1; k < argc; ++k) {
        char *value = strchr(argv[k], '=');
        CHECK(value != NULL);
        *value++ = 0;
        OK(litz_options_set(o, argv[k], value, &err));
    }
    OK(litz_compile(g, o, &e, &err));
    OK(litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    CHECK(linear_relu_is(x, (float *)made->dl_tensor.data, 2));
    made->deleter(made);
    OK(litz_executable_describe(e, &json, &err));
    found = strstr(litz_string_data(json), "\"cache\":\"");
    CHECK(found != NULL);
    found += strlen("\"cache\":\"");
    printf("cache: %.*s\n", (int)strcspn(found, "\""), found);
    litz_string_release(json);
    litz_executable_release(e);
    litz_graph_release(g);
    litz_options_release(o);
    puts("all right");
    return 0;
}
