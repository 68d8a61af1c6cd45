/* Options by key: effective values and where they come from, patches, modes, copies; backends. */
#define _DEFAULT_SOURCE
#include "check.h"

/* The effective value of a key; the caller releases it. */
static int is(const litz_options *o, const char *key, const char *want) {
    litz_string *value = NULL;
    OK(litz_options_get(o, key, &value, &err));
    int same = strcmp(litz_string_data(value), want) == 0;
    litz_string_release(value);
    return same;
}

static int says(litz_status (*f)(const litz_options *, litz_string **, litz_error **), const litz_options *o, const char *part) {
    litz_string *json = NULL;
    OK(f(o, &json, &err));
    int found = strstr(litz_string_data(json), part) != NULL;
    litz_string_release(json);
    return found;
}

static void values(void) {
    litz_options *o = NULL, *copy = NULL;
    litz_string *value = NULL;
    OK(litz_options_new(&o, &err));
    CHECK(is(o, "cpp.optimization", "2"));
    CHECK(says(litz_options_json, o, "\"cpp.optimization\":{\"value\":\"2\",\"from\":\"default\"}"));
    OK(litz_options_set(o, "cpp.optimization", "1", &err));
    CHECK(says(litz_options_json, o, "\"cpp.optimization\":{\"value\":\"1\",\"from\":\"set\"}"));
    CHECK(says(litz_options_json, NULL, "\"cpp.optimization\":{\"value\":\"2\",\"from\":\"default\"}"));
    setenv("CXX", "my-compiler", 1);
    CHECK(says(litz_options_json, o, "\"cpp.compiler\":{\"value\":\"my-compiler\",\"from\":\"environment\"}"));
    unsetenv("CXX");
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "no.such.key", litz_options_get(o, "no.such.key", &value, &err));
    CHECK(value == NULL);

    OK(litz_options_clone(o, &copy, &err));
    OK(litz_options_set(copy, "cpp.optimization", "3", &err));
    CHECK(is(o, "cpp.optimization", "1") && is(copy, "cpp.optimization", "3"));
    litz_options_release(copy);
    litz_options_release(o);
}

/* What a program for another backend would take is an error where it cannot act. */
static void keys_that_cannot_act(void) {
    litz_graph *g = linear_relu();
    litz_options *o = NULL;
    litz_executable *e = NULL;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "interpreter", &err));
    OK(litz_options_set(o, "cpu.threads", "2", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`cpu.threads`", litz_compile(g, o, &e, &err));
    OK(litz_options_patch(o, "{\"cpu.threads\": null, \"cuda.tf32\": true}", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`cuda.tf32`", litz_compile(g, o, &e, &err));
    OK(litz_options_set(o, "cuda.tf32", "false", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "refuse or copy", litz_options_set(o, "run.host_tensors", "yes", &err));
    OK(litz_options_set(o, "run.host_tensors", "copy", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`run.host_tensors`", litz_compile(g, o, &e, &err));
    OK(litz_options_set(o, "run.host_tensors", "refuse", &err));
    OK(litz_options_set(o, "cpp.optimization", "3", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`cpp.optimization`", litz_compile(g, o, &e, &err));
    static const char *const of_gpu[][2] = {{"cudagraph.enabled", "true"}, {"cudagraph.trees", "false"}, {"cudagraph.limit", "2"},
                                            {"autotune.enabled", "true"},  {"artifact.vendor", "off"},   {"debug.size_asserts", "true"},
                                            {"debug.choice", "library"}};
    static const char *const backends[2] = {"cpu", "interpreter"};
    for (int b = 0; b < 2; ++b) {
        for (size_t k = 0; k < sizeof of_gpu / sizeof of_gpu[0]; ++k) {
            litz_options *one = NULL;
            char quoted[64];
            snprintf(quoted, sizeof quoted, "`%s`", of_gpu[k][0]);
            OK(litz_options_new(&one, &err));
            OK(litz_options_set(one, "backend", backends[b], &err));
            OK(litz_options_set(one, of_gpu[k][0], of_gpu[k][1], &err));
            FAILS(LITZ_ERROR_INVALID_ARGUMENT, quoted, litz_compile(g, one, &e, &err));
            litz_options_release(one);
        }
    }
    /* A mode is for every backend, and changes nothing here. */
    OK(litz_options_patch(o, "{\"cpp.optimization\": null, \"mode\": \"max-autotune\"}", &err));
    OK(litz_options_set(o, "deterministic", "true", &err));
    OK(litz_compile(g, o, &e, &err));
    litz_executable_release(e);
    litz_options_release(o);
    litz_graph_release(g);
}

static void patches(void) {
    litz_options *o = NULL;
    OK(litz_options_new(&o, &err));
    OK(litz_options_patch(o, "{\"cpp.optimization\": 0, \"cache.enabled\": false, \"backend\": \"interpreter\"}", &err));
    CHECK(is(o, "cpp.optimization", "0") && is(o, "cache.enabled", "false") && is(o, "backend", "interpreter"));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "nothing", litz_options_patch(o, "{\"cpp.optimization\": 3, \"backend\": \"nothing\"}", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "no.such.key", litz_options_patch(o, "{\"cpp.optimization\": 3, \"no.such.key\": 1}", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "JSON", litz_options_patch(o, "[1]", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "cpp.optimization", litz_options_patch(o, "{\"cpp.optimization\": {}}", &err));
    CHECK(is(o, "cpp.optimization", "0"));
    OK(litz_options_patch(o, "{\"cpp.optimization\": null}", &err));
    CHECK(is(o, "cpp.optimization", "2"));
    litz_options_release(o);
}

static void modes(void) {
    litz_options *o = NULL;
    litz_string *json = NULL;
    OK(litz_mode_options("max-autotune", 0, &json, &err));
    CHECK(strcmp(litz_string_data(json), "{\"autotune.enabled\":\"true\",\"cudagraph.enabled\":\"true\"}") == 0);
    litz_string_release(json);
    json = NULL;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "fastest", litz_mode_options("fastest", 0, &json, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "dynamic", litz_mode_options("default", 2, &json, &err));
    CHECK(json == NULL);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "mode", "max-autotune", &err));
    CHECK(says(litz_options_json, o, "\"autotune.enabled\":{\"value\":\"true\",\"from\":\"mode\"}"));
    OK(litz_options_set(o, "autotune.enabled", "false", &err));
    CHECK(is(o, "autotune.enabled", "false") && is(o, "cudagraph.enabled", "true"));
    litz_options_release(o);
}

static void backends(void) {
    const char *debug = "debug", *bad = "\xff";
    litz_string *json = NULL;
    OK(litz_backends(NULL, 0, &json, &err));
    CHECK(strstr(litz_string_data(json), "{\"name\":\"interpreter\",\"tags\":[\"debug\"],\"available\":true,\"why_not\":null}") != NULL);
    litz_string_release(json);
    OK(litz_backends(&debug, 1, &json, &err));
    CHECK(strstr(litz_string_data(json), "interpreter") == NULL && strstr(litz_string_data(json), "\"cuda\"") != NULL);
    litz_string_release(json);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "UTF-8", litz_backends(&bad, 1, &json, &err));
}

static int inside;

static void note(void *context, int32_t level, const char *message) {
    (void)context;
    (void)level;
    (void)message;
    inside += litz_is_compiling();
}

/* A program says what it was made with, and a callback knows that it is called by a compilation. */
static void made_with(void) {
    litz_options *o = NULL;
    litz_executable *e = NULL;
    litz_graph *g = linear_relu();
    CHECK(litz_is_compiling() == 0);
    OK(litz_options_new(&o, &err));
    /* Without a compiler `auto` says that it falls back. */
    OK(litz_options_patch(o, "{\"cpp.compiler\": \"/nowhere/c++\", \"cache.enabled\": false}", &err));
    OK(litz_options_set_log(o, 3, note, NULL, &err));
    OK(litz_compile(g, o, &e, &err));
    CHECK(inside > 0 && litz_is_compiling() == 0);
    litz_string *json = NULL;
    OK(litz_executable_describe(e, &json, &err));
    CHECK(strstr(litz_string_data(json), "\"options\":{\"cpp.compiler\":\"/nowhere/c++\"}") != NULL);
    litz_string_release(json);
    litz_executable_release(e);
    litz_graph_release(g);
    litz_options_release(o);
}

/* Whether the cache that options name has entries, or, with `removed`, whether there were any to remove down to `max_bytes`. */
static int has_entries(const litz_options *o, int removed, uint64_t max_bytes) {
    litz_string *json = NULL;
    if (removed) OK(litz_cache_prune(o, max_bytes, &json, &err));
    else OK(litz_cache_describe(o, &json, &err));
    const char *list = strstr(litz_string_data(json), removed ? "\"removed\":[" : "\"entries\":[");
    CHECK(list != NULL && strstr(litz_string_data(json), "\"folder\":\"/") != NULL);
    int some = strchr(list, '[')[1] == '{' && strstr(list, "\"used\":") != NULL;
    litz_string_release(json);
    return some;
}

static void machine_and_cache(const char *folder) {
    char path[4096];
    litz_options *o = NULL;
    litz_executable *e = NULL;
    litz_graph *g = linear_relu();
    litz_string *json = NULL;
    CHECK(says(litz_machine_describe, NULL, "\"name\":\"C++ compiler\""));
    snprintf(path, sizeof path, "%s/cache", folder);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "cpu", &err));
    OK(litz_options_set(o, "cache.dir", path, &err));
    OK(litz_options_set(o, "cache.memory_bytes", "0", &err));
    CHECK(says(litz_machine_describe, o, path));
    CHECK(!has_entries(o, 1, 0) || !has_entries(o, 0, 0));
    OK(litz_compile(g, o, &e, &err));
    CHECK(has_entries(o, 0, 0) && !has_entries(o, 1, UINT64_MAX) && has_entries(o, 0, 0));
    CHECK(has_entries(o, 1, 0) && !has_entries(o, 0, 0));
    OK(litz_options_set(o, "cpp.compiler", "/none/c++", &err));
    CHECK(says(litz_machine_describe, o, "looked for `/none/c++`"));
    OK(litz_options_set(o, "cache.dir", "/dev/null/litz", &err));
    CHECK(says(litz_machine_describe, o, "`/dev/null/litz` cannot be used"));
    FAILS(LITZ_ERROR_IO, "/dev/null/litz", litz_cache_describe(o, &json, &err));
    FAILS(LITZ_ERROR_IO, "/dev/null/litz", litz_cache_prune(o, 0, &json, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`json`", litz_machine_describe(NULL, NULL, &err));
    litz_executable_release(e);
    litz_graph_release(g);
    litz_options_release(o);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    values();
    keys_that_cannot_act();
    patches();
    modes();
    backends();
    made_with();
    machine_and_cache(argv[1]);
    puts("all right");
    return 0;
}
