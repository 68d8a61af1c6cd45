/* Compiles a graph with the options given as key=value, checks its result, and prints whether its kernels came from the
 * cache, from which level, the entry's key, and what was logged. `again` compiles it anew, `reset` resets the library
 * before that. */
#include "check.h"

static void print_log(void *context, int32_t level, const char *message) {
    (void)context, (void)level;
    printf("log: %s\n", message);
}

/* What describe says under a key, which is a string or null. */
static void print_described(const char *json, const char *key) {
    char quoted[64];
    const char *found;
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    found = strstr(json, quoted);
    CHECK(found != NULL);
    found += strlen(quoted);
    found += *found == '"';
    printf("%s: %.*s\n", key, (int)strcspn(found, "\","), found);
}

static void compile_and_run(const litz_graph *g, const litz_options *o) {
    litz_executable *e = NULL;
    litz_string *json = NULL;
    struct DLManagedTensorVersioned *made = NULL;
    float x[6] = {1, 2, 3, -4, -5, -6};
    int64_t shape[2] = {2, 3};
    DLTensor input = float_tensor(x, 2, shape);
    const DLTensor *inputs[1];
    inputs[0] = &input;
    OK(litz_compile(g, o, &e, &err));
    OK(litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    CHECK(linear_relu_is(x, (float *)made->dl_tensor.data, 2));
    made->deleter(made);
    OK(litz_executable_describe(e, &json, &err));
    print_described(litz_string_data(json), "cache");
    print_described(litz_string_data(json), "cache_level");
    print_described(litz_string_data(json), "cache_key");
    litz_string_release(json);
    litz_executable_release(e);
}

int main(int argc, char **argv) {
    litz_options *o = NULL;
    litz_graph *g = linear_relu();
    int k;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "cpu", &err));
    OK(litz_options_set_log(o, 1, print_log, NULL, &err));
    for (k = 1; k < argc; ++k) {
        char *value = strchr(argv[k], '=');
        if (!strcmp(argv[k], "again") || !strcmp(argv[k], "reset")) {
            compile_and_run(g, o);
            if (argv[k][0] == 'r') OK(litz_reset(&err));
            continue;
        }
        CHECK(value != NULL);
        *value++ = 0;
        OK(litz_options_set(o, argv[k], value, &err));
    }
    compile_and_run(g, o);
    litz_graph_release(g);
    litz_options_release(o);
    puts("all right");
    return 0;
}
