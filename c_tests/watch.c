/* Traces, channels of the log, counters, and what is wrong with each. */
#include "check.h"

typedef struct told {
    int lines, begun, ended, stages, others;
} told;

static void note(void *context, const char *line) {
    told *t = context;
    t->lines++;
    CHECK(line[0] == '{' && line[strlen(line) - 1] == '}');
    CHECK(strstr(line, "\"compile\":") && strstr(line, "\"graph\":") && strstr(line, "\"time\":"));
    if (strstr(line, "\"event\":\"compile_begin\"")) t->begun++;
    else if (strstr(line, "\"event\":\"compile_end\"")) t->ended++;
    else if (strstr(line, "\"event\":\"stage\"")) t->stages++;
    else t->others++;
}

static void count_lines(void *context, int32_t level, const char *message) {
    (void)level;
    if (strncmp(message, "stage: ", 7) == 0) ++*(int *)context;
}

/* The number that a group of the counters has under a name. */
static long counted(const char *group, const char *name) {
    litz_string *json = NULL;
    OK(litz_counters(&json, &err));
    const char *at = strstr(litz_string_data(json), group);
    CHECK(at != NULL);
    at = strstr(at, name);
    CHECK(at != NULL);
    long n = strtol(strchr(at, ':') + 1, NULL, 10);
    litz_string_release(json);
    return n;
}

static litz_status compile(const litz_options *o, litz_error **error) {
    litz_graph *g = linear_relu();
    litz_executable *e = NULL;
    litz_status status = litz_compile(g, o, &e, error);
    litz_executable_release(e);
    litz_graph_release(g);
    return status;
}

static litz_options *interpreter(void) {
    litz_options *o = NULL;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "interpreter", &err));
    return o;
}

static void traces(void) {
    litz_options *o = interpreter(), *copy = NULL;
    told t = {0}, other = {0};
    OK(litz_options_set_trace(o, note, &t, &err));
    OK(compile(o, &err));
    CHECK(t.begun == 1 && t.ended == 1 && t.stages > 5 && t.others > 0);
    /* A copy has the callback, too; setting a key keeps it; NULL takes it away. */
    OK(litz_options_clone(o, &copy, &err));
    OK(litz_options_set(o, "debug.verify", "true", &err));
    OK(compile(o, &err));
    OK(litz_options_set_trace(o, NULL, NULL, &err));
    OK(compile(o, &err));
    CHECK(t.begun == 2);
    OK(compile(copy, &err));
    CHECK(t.begun == 3);
    OK(litz_options_set_trace(copy, note, &other, &err));
    OK(compile(copy, &err));
    CHECK(t.begun == 3 && other.begun == 1);
    litz_options_release(copy);
    litz_options_release(o);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`o`", litz_options_set_trace(NULL, note, &t, &err));
}

static void channels(void) {
    litz_options *o = interpreter();
    int stages = 0;
    OK(litz_options_set_log(o, 0, count_lines, &stages, &err));
    OK(compile(o, &err));
    CHECK(stages == 0);
    OK(litz_options_set(o, "log", "fusion, stages", &err));
    OK(compile(o, &err));
    CHECK(stages > 5);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "perf_hints", litz_options_set(o, "log", "everything", &err));
    litz_options_release(o);
}

static void look_for_eval(void *context, int32_t level, const char *message) {
    CHECK(level <= 1);
    if (strstr(message, "drops elements at random") && strstr(message, "module `block.1`") && strstr(message, "`.eval()`")) ++*(int *)context;
}

/* A model in training mode is compiled as it is, and the log says what to do where that was not meant. */
static void dropout(void) {
    static const char format[] = "graph \"g\" {\n module 0 \"block.1\" \"Dropout\"\n origin 0 \"drop\" \"aten.dropout.default\" modules [0]\n "
                                 "input %%0 \"x\": float32[4]\n %%1 = aten.dropout.default(%%0, 0.5, %s) from [0]\n output \"y\" = %%1\n}";
    static const char *const modes[2] = {"false", "true"};
    int mode;
    for (mode = 0; mode < 2; ++mode) {
        litz_options *o = interpreter();
        litz_executable *e = NULL;
        litz_training *t = NULL;
        litz_graph *g;
        char text[512];
        int told = 0;
        snprintf(text, sizeof text, format, modes[mode]);
        g = graph_of(text);
        OK(litz_options_set_log(o, 1, look_for_eval, &told, &err));
        OK(litz_compile(g, o, &e, &err));
        CHECK(told == mode);
        OK(litz_compile_training(g, o, &t, &err)); /* is meant to draw */
        CHECK(told == mode);
        litz_executable_release(e);
        litz_training_release(t);
        litz_graph_release(g);
        litz_options_release(o);
    }
}

static void files(const char *folder) {
    litz_options *o = interpreter();
    char path[1024], wrong[1100];
    snprintf(path, sizeof path, "%s/trace.json", folder);
    snprintf(wrong, sizeof wrong, "%s/no/such/trace.json", folder);
    OK(litz_options_set(o, "trace.file", path, &err));
    OK(compile(o, &err));
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    char first = (char)fgetc(file);
    CHECK(first == '[');
    CHECK(fseek(file, -3, SEEK_END) == 0);
    CHECK(fgetc(file) == '\n' && fgetc(file) == ']');
    fclose(file);
    OK(litz_options_set(o, "trace.file", wrong, &err));
    FAILS(LITZ_ERROR_IO, "cannot write the trace", compile(o, &err));
    OK(litz_options_set(o, "trace.file", "", &err));
    OK(compile(o, &err));
    litz_options_release(o);
}

static void numbers(void) {
    litz_options *o = interpreter();
    OK(litz_reset(&err));
    CHECK(counted("compiles", "begun") == 0);
    OK(compile(o, &err));
    CHECK(counted("compiles", "begun") == 1 && counted("compiles", "failed") == 0);
    OK(litz_options_set(o, "device", "1", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "device", compile(o, &err));
    CHECK(counted("compiles", "begun") == 2 && counted("compiles", "failed") == 1);
    CHECK(counted("cuda_graphs", "recorded") == 0 && counted("fallbacks", "interpreter") == 0);
    OK(litz_reset(&err));
    CHECK(counted("compiles", "begun") == 0 && counted("compiles", "failed") == 0);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`json`", litz_counters(NULL, &err));
    litz_options_release(o);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    traces();
    channels();
    dropout();
    files(argv[1]);
    numbers();
    puts("all right");
    return 0;
}
