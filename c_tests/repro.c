/* A failure kept as a folder (below argv[1]), read back, and replayed by the program in it, which argv[2] are the
 * compiler's flags for. */
#define _DEFAULT_SOURCE
#include "negate.h"
#include "operators.h"
#include <unistd.h>

static char path[4096];

static const char *below(const char *folder, const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static char *text_of(const litz_graph *g) {
    litz_string *text = NULL;
    char *copy;
    OK(litz_graph_to_text(g, &text, &err));
    copy = strdup(litz_string_data(text));
    litz_string_release(text);
    return copy;
}

static char *file_of(const char *folder, const char *name) {
    FILE *file = fopen(below(folder, name), "rb");
    char *data = calloc(1, 1 << 20);
    CHECK(file != NULL && data != NULL);
    CHECK(fread(data, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return data;
}

/* The script compiles the program against this library; what it prints. */
static char *replayed(const char *folder, int status) {
    char *printed = calloc(1, 1 << 16);
    FILE *pipe;
    snprintf(path, sizeof path, "sh %s/replay.sh 2>&1", folder);
    pipe = popen(path, "r");
    CHECK(pipe != NULL && printed != NULL);
    CHECK(fread(printed, 1, (1 << 16) - 1, pipe) > 0);
    if (pclose(pipe) / 256 != status) {
        fprintf(stderr, "replay.sh: %s\n", printed);
        exit(1);
    }
    return printed;
}

/* A folder whose program needs a host: without its source the replay says what the registry lacks, and with it what the outputs are. */
static void replays_with(const char *folder, const char *source, const char *lacks, const char *shown) {
    char *printed = replayed(folder, LITZ_ERROR_UNSUPPORTED);
    FILE *file;
    CHECK(strstr(printed, "LITZ_HOST is not set") != NULL && strstr(printed, lacks) != NULL);
    free(printed);
    file = fopen(below(folder, "host.c"), "w");
    CHECK(file != NULL && fputs(source, file) >= 0);
    fclose(file);
    setenv("LITZ_HOST", "host.c", 1);
    printed = replayed(folder, 0);
    CHECK(strstr(printed, shown) != NULL);
    free(printed);
    unsetenv("LITZ_HOST");
}

/* Symbols, a constant of more than a few elements, lists, options and strides; two inputs share memory. */
static const char *const calls =
    "graph \"calls \\\"quoted\\\"\" { symbol n in [1, 64] hint 3\n symbol s in [0, 9]\n input %0 \"x\": float32[n, 4]\n input %1 \"y\": float32[n, 4]\n"
    "number %2 \"k\": int64 = s\n parameter %3 \"w\": float32[4] = [1.0, -2.5, 3.0, 0.125]\n"
    "buffer %4 \"b\": float32[24] = seeded 3 mean 0.5 spread 0.25\n"
    "%5 = aten.add.Tensor(%0, %1, alpha=2)\n %6 = aten.mul.Tensor(%5, %3)\n %7 = aten.cat.default([%6, %0], 1)\n"
    "%8 = aten.view.default(%7, [2*n, 4])\n %9, %10 = aten.max.dim(%8, 1, true)\n %11, %12 = aten.split.Tensor(%4, 12)\n"
    "%13 = aten.clamp.default(%11, min=0.25)\n %14 = aten.sum.default(%8, dtype=float64)\n"
    "%15 = aten.full.default([2, s], 1.5, dtype=float32)\n %16 = aten.gelu.default(%9, approximate=\"tanh\")\n"
    "output \"a\" = %16\n output \"b\" = %10\n output \"c\" = %13\n output \"d\" = %14\n output \"e\" = %15\n output \"f\" = 2*n }";

static void by_calls(const char *folder) {
    litz_graph *g = graph_of(calls), *again = NULL;
    litz_options *o = NULL, *read = NULL;
    litz_string *value = NULL;
    struct DLManagedTensorVersioned *kept[3] = {NULL, NULL, NULL};
    float memory[16];
    int64_t shape[2] = {3, 4}, strides[2] = {1, 3}, number = 5;
    DLTensor tensors[3];
    const DLTensor *inputs[3] = {&tensors[0], &tensors[1], &tensors[2]};
    char *text, *other, *printed;
    size_t n = 0;
    int k;
    for (k = 0; k < 16; ++k) memory[k] = (float)k;
    tensors[0] = float_tensor(memory, 2, shape);
    tensors[0].strides = strides;
    tensors[1] = float_tensor(memory + 3, 2, shape);
    tensors[2] = float_tensor((float *)&number, 0, NULL);
    tensors[2].dtype.code = kDLInt;
    tensors[2].dtype.bits = 64;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "interpreter", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "takes 3 inputs", litz_graph_save_repro(g, o, inputs, 2, folder, &err));
    FAILS(LITZ_ERROR_IO, "never", litz_graph_save_repro(g, o, inputs, 3, "/proc/never/there", &err));
    FAILS(LITZ_ERROR_IO, "graph.litz", litz_graph_from_repro("/dev/null/litz", &again, &read, &err));
    tensors[0].dtype.bits = 64;
    FAILS(LITZ_ERROR_DTYPE, "float64", litz_graph_save_repro(g, o, inputs, 3, folder, &err));
    tensors[0].dtype.bits = 32;
    OK(litz_graph_save_repro(g, o, inputs, 3, folder, &err));
    OK(litz_graph_from_repro(folder, &again, &read, &err));
    text = text_of(g);
    other = text_of(again);
    CHECK(strcmp(text, other) == 0);
    free(text);
    free(other);
    OK(litz_options_get(read, "backend", &value, &err));
    CHECK(strcmp(litz_string_data(value), "interpreter") == 0);
    litz_string_release(value);
    FAILS(LITZ_ERROR_CAPACITY, "room for 2", litz_repro_inputs(folder, read, kept, 2, &n, &err));
    CHECK(n == 3 && kept[0] == NULL);
    OK(litz_repro_inputs(folder, read, kept, 3, &n, &err));
    CHECK(kept[0]->dl_tensor.strides[0] == 1 && kept[0]->dl_tensor.strides[1] == 3);
    CHECK((char *)kept[1]->dl_tensor.data - (char *)kept[0]->dl_tensor.data == 3 * sizeof(float));
    CHECK(((const float *)kept[1]->dl_tensor.data)[11] == 14 && *(const int64_t *)kept[2]->dl_tensor.data == 5);
    for (k = 0; k < 3; ++k) litz_tensor_release(kept[k]);
    /* The program builds the same graph, and says what it gives. */
    text = file_of(folder, "replay.c");
    CHECK(strstr(text, "litz_aten_add_Tensor(g, ") != NULL && strstr(text, "litz_sym(g, \"sym.mul\"") != NULL);
    CHECK(strstr(text, "is read from graph.litz") == NULL);
    free(text);
    printed = replayed(folder, 0);
    CHECK(strstr(printed, "output 0, of shape [6, 1]: ") != NULL && strstr(printed, "output 4, of shape [2, 5]: 1.5") != NULL);
    CHECK(strstr(printed, "output 5, of shape []: 6") != NULL);
    free(printed);
    litz_graph_release(again);
    litz_options_release(read);
    litz_options_release(o);
    litz_graph_release(g);
}

/* What the calls cannot say is read from the folder; seeds instead of data; a run that fails. */
static void by_text(const char *folder) {
    litz_graph *g = graph_of("graph \"branch\" { input %0 \"p\": bool[]\n input %1 \"x\": float32[4]\n"
                              "parameter %2 \"w\": float32[100] = seeded 1 mean 2.0 spread 0.5\n"
                              "%3 = higher_order.cond.default(%0, graph \"t\" { input %0 \"a\": float32[4]\n"
                              "%1 = aten.exp.default(%0)\n output \"r\" = %1 }, graph \"f\" { input %0 \"a\": float32[4]\n"
                              "%1 = aten.cos.default(%0)\n output \"r\" = %1 }, [%1])\n"
                              "%4 = aten.sum.default(%2)\n %5 = aten.add.Tensor(%3, %4)\n output \"y\" = %5 }");
    litz_graph *again = NULL;
    litz_options *o = NULL, *read = NULL;
    float x[4] = {0, 0, 0, 0};
    unsigned char p = 1;
    int64_t shape[1] = {4};
    DLTensor tensors[2];
    const DLTensor *inputs[2] = {&tensors[0], &tensors[1]};
    char *text, *printed;
    tensors[0] = float_tensor((float *)&p, 0, NULL);
    tensors[0].dtype.code = kDLBool;
    tensors[0].dtype.bits = 8;
    tensors[1] = float_tensor(x, 1, shape);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "interpreter", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "data or seeds", litz_options_set(o, "debug.repro_constants", "none", &err));
    OK(litz_options_set(o, "debug.repro_constants", "seeds", &err));
    OK(litz_graph_save_repro(g, o, inputs, 2, folder, &err));
    text = file_of(folder, "replay.c");
    CHECK(strstr(text, "is read from graph.litz") != NULL);
    free(text);
    text = file_of(folder, "graph.litz");
    CHECK(strstr(text, "= seeded 0 mean ") != NULL && strstr(text, "base64") == NULL);
    free(text);
    printed = replayed(folder, 0);
    CHECK(strstr(printed, "output 0, of shape [4]: ") != NULL);
    free(printed);
    /* Without inputs the program compiles alone; a refused option is the program's status. */
    OK(litz_options_set(o, "debug.repro_constants", "data", &err));
    OK(litz_options_set(o, "debug.compare", "interpreter", &err));
    OK(litz_graph_save_repro(g, o, NULL, 0, folder, &err));
    printed = replayed(folder, LITZ_ERROR_INVALID_ARGUMENT);
    CHECK(strstr(printed, "debug.compare") != NULL);
    free(printed);
    FAILS(LITZ_ERROR_PARSE, "beside this text", litz_graph_from_text("graph \"g\" { buffer %0 \"b\": float32[4] = stored 0 }", 50, NULL, &again, &err));
    /* A folder that was cut short. */
    OK(litz_options_patch(o, "{\"debug.compare\": null}", &err));
    CHECK(truncate(below(folder, "options.json"), 3) == 0);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "options.json`: the patch", litz_graph_from_repro(folder, &again, &read, &err));
    CHECK(truncate(below(folder, "constants.bin"), 8) == 0);
    FAILS(LITZ_ERROR_PARSE, "ends before the data", litz_graph_from_repro(folder, &again, &read, &err));
    CHECK(again == NULL && read == NULL);
    litz_options_release(o);
    litz_graph_release(g);
}

/* An input that nothing reads may be NULL: where runs are kept, in a folder, and when that is replayed. */
static void unread_input(const char *folder) {
    litz_graph *g = graph_of("graph \"unread\" { input %0 \"u\": float32[3]\n input %1 \"x\": float32[4]\n"
                             "%2 = aten.neg.default(%1)\n output \"y\" = %2 }");
    litz_options *o = NULL;
    litz_executable *e = NULL;
    struct DLManagedTensorVersioned *kept[2] = {NULL, NULL}, *made[1] = {NULL};
    float x[4] = {1, 2, 3, 4};
    int64_t shape[1] = {4};
    DLTensor tensor = float_tensor(x, 1, shape);
    const DLTensor *inputs[2] = {NULL, &tensor};
    char *printed;
    size_t n = 0;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "interpreter", &err));
    OK(litz_options_set(o, "debug.dump", folder, &err));
    OK(litz_options_set(o, "debug.save_inputs", "true", &err));
    OK(litz_compile(g, o, &e, &err));
    OK(litz_executable_run(e, inputs, 2, made, 1, NULL, &err));
    CHECK(((const float *)made[0]->dl_tensor.data)[3] == -4);
    litz_tensor_release(made[0]);
    litz_executable_release(e);
    litz_options_release(o);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "interpreter", &err));
    OK(litz_graph_save_repro(g, o, inputs, 2, folder, &err));
    OK(litz_repro_inputs(folder, o, kept, 2, &n, &err));
    CHECK(n == 2 && kept[0] == NULL && ((const float *)kept[1]->dl_tensor.data)[3] == 4);
    litz_tensor_release(kept[1]);
    printed = replayed(folder, 0);
    CHECK(strstr(printed, "output 0, of shape [4]: -1 -2 -3 -4") != NULL);
    free(printed);
    litz_options_release(o);
    litz_graph_release(g);
}

/* A host's source, as a user gives it to replay.sh. */
static const char *const host =
    "#include <litz/litz.h>\n#include <string.h>\n"
    "litz_status register_host(litz_registry *r, litz_error **err) {\n"
    "    litz_operator op;\n    memset(&op, 0, sizeof op);\n    op.struct_size = sizeof op;\n"
    "    op.pointwise_source = \"x * by\";\n"
    "    return litz_registry_add_operator(r, \"mylib::scale(Tensor x, float by=2.0) -> Tensor\", &op, err);\n}\n";

/* The same for passes that change nothing, and a decomposition that gives its argument. */
static const char *const rewrites =
    "#include <litz/litz.h>\n"
    "static litz_status nothing(void *context, litz_graph *g, litz_error **err) { (void)context, (void)g, (void)err; return LITZ_OK; }\n"
    "static litz_status argument(void *context, litz_graph *g, const litz_arg *args, size_t n, litz_value *outs, size_t n_outs, litz_error **err) {\n"
    "    (void)context, (void)g, (void)n, (void)n_outs, (void)err;\n    outs[0] = args[0].value;\n    return LITZ_OK;\n}\n"
    "litz_status register_host(litz_registry *r, litz_error **err) {\n"
    "    litz_status status = litz_registry_add_pass(r, \"joint\", nothing, NULL, err);\n"
    "    if (status == LITZ_OK) status = litz_registry_add_pass(r, \"joint\", nothing, NULL, err);\n"
    "    return status != LITZ_OK ? status : litz_registry_add_decomposition(r, \"aten.relu\", argument, NULL, err);\n}\n";

static litz_status pass(void *context, litz_graph *g, litz_error **error) { return negate_relus(g, context, error); }

static litz_status pass_on(void *context, litz_graph *g, const litz_arg *args, size_t n_args, litz_value *outs, size_t n_outs,
                           litz_error **error) {
    (void)context, (void)g, (void)n_args, (void)n_outs, (void)error;
    outs[0] = args[0].value;
    return LITZ_OK;
}

static litz_status no_program(void *context, const litz_graph *g, litz_callable *p, litz_error **error) {
    (void)context, (void)g, (void)p;
    *error = litz_error_new(LITZ_ERROR_STATE, "this backend compiles nothing");
    return LITZ_ERROR_STATE;
}

/* A folder read with a registry that has these passes at joint, and a decomposition of relu. */
static litz_status read_with(const char *folder, int passes, int rules, int *relus, litz_error **error) {
    litz_registry *r = new_registry();
    litz_graph *g = NULL;
    litz_options *o = NULL;
    litz_status status;
    while (passes--) OK(litz_registry_add_pass(r, "joint", pass, relus, &err));
    if (rules) OK(litz_registry_add_decomposition(r, "aten.relu", pass_on, NULL, &err));
    status = litz_graph_from_repro_with(folder, r, &g, &o, error);
    litz_graph_release(g);
    litz_options_release(o);
    litz_registry_release(r);
    return status;
}

/* Passes and decompositions change what is compiled, so a folder is not read without them. */
static void of_passes(const char *folder) {
    litz_registry *r = new_registry();
    litz_options *o = options_with(r, "interpreter"), *read = NULL;
    litz_graph *g, *again = NULL;
    int relus = 0;
    float x[3] = {1, 2, 3};
    int64_t shape[1] = {3};
    DLTensor tensor = float_tensor(x, 1, shape);
    const DLTensor *inputs[1] = {&tensor};
    OK(litz_registry_add_pass(r, "joint", pass, &relus, &err));
    OK(litz_registry_add_pass(r, "joint", pass, &relus, &err));
    OK(litz_registry_add_decomposition(r, "aten.relu", pass_on, NULL, &err));
    g = graph_of("graph \"rewritten\" { input %0 \"x\": float32[3]\n %1 = aten.relu.default(%0)\n %2 = aten.neg.default(%1)\n output \"y\" = %2 }");
    OK(litz_graph_save_repro(g, o, inputs, 1, folder, &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "no registry was given, which should have 2 passes at `joint`, a decomposition of `aten.relu.default`;",
          litz_graph_from_repro(folder, &again, &read, &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "the registry lacks 2 passes at `joint`, of which it has 1;", read_with(folder, 1, 1, &relus, &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "the registry lacks a decomposition of `aten.relu.default`;", read_with(folder, 3, 0, &relus, &err));
    OK(read_with(folder, 2, 1, &relus, &err));
    OK(read_with(folder, 3, 1, &relus, &err));
    CHECK(again == NULL && read == NULL);
    replays_with(folder, rewrites, "the registry lacks 2 passes at `joint`, a decomposition of", "output 0, of shape [3]: -1 -2 -3");
    litz_graph_release(g);
    litz_options_release(o);
    litz_registry_release(r);
}

/* What a host registered is asked for by name: operators that the graph or a graph in it calls, and the backend. */
static void of_a_host(const char *folder) {
    const char *const schema = "mylib::scale(Tensor x, float by=2.0) -> Tensor";
    litz_registry *r = new_registry(), *empty = new_registry(), *other = new_registry();
    litz_options *o = options_with(r, "interpreter"), *read = NULL;
    litz_operator scale = operator_with(NULL, NULL);
    litz_backend backend;
    litz_graph *g, *again = NULL;
    litz_predicate *p = NULL;
    litz_executable *e = NULL;
    litz_string *value = NULL;
    int relus = 0;
    int32_t holds = 0;
    float x[3] = {1, 2, 3};
    unsigned char yes = 1;
    int64_t shape[1] = {3};
    DLTensor tensors[2];
    const DLTensor *inputs[2] = {&tensors[0], &tensors[1]};
    char *text;
    tensors[0] = float_tensor((float *)&yes, 0, NULL);
    tensors[0].dtype.code = kDLBool;
    tensors[0].dtype.bits = 8;
    tensors[1] = float_tensor(x, 1, shape);
    scale.pointwise_source = "x * by";
    OK(litz_registry_add_operator(r, schema, &scale, &err));
    OK(litz_registry_add_operator(other, "mylib::scale(Tensor x, float by=3.0) -> Tensor", &scale, &err));
    g = graph_of_with("graph \"scaled\" { input %0 \"p\": bool[]\n input %1 \"x\": float32[3]\n"
                      "%2 = higher_order.cond.default(%0, graph \"t\" { input %0 \"a\": float32[3]\n"
                      "%1 = mylib.scale.default(%0, 5.0)\n output \"r\" = %1 }, graph \"f\" { input %0 \"a\": float32[3]\n"
                      "%1 = aten.cos.default(%0)\n output \"r\" = %1 }, [%1])\n"
                      "%3 = aten.relu.default(%2)\n output \"y\" = %3 }", o);
    OK(litz_graph_save_repro(g, o, inputs, 2, folder, &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "no registry was given, which should have the operator `mylib::scale(Tensor x, float by=2.0) -> Tensor`;",
          litz_graph_from_repro(folder, &again, &read, &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "the registry lacks the operator `mylib::scale(", litz_graph_from_repro_with(folder, empty, &again, &read, &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "which is registered as `mylib::scale(Tensor x, float by=3.0) -> Tensor`",
          litz_graph_from_repro_with(folder, other, &again, &read, &err));
    CHECK(again == NULL && read == NULL);
    OK(litz_graph_from_repro_with(folder, r, &again, &read, &err));
    OK(litz_compile(again, read, &e, &err));
    litz_executable_release(e);
    litz_graph_release(again);
    litz_options_release(read);
    again = NULL, read = NULL;
    /* The program says what to give it, and takes it. */
    text = file_of(folder, "replay.c");
    CHECK(strstr(text, " *   the operator mylib::scale(Tensor x, float by=2.0) -> Tensor\n") != NULL);
    free(text);
    replays_with(folder, host, "the registry lacks the operator `mylib::scale(", "output 0, of shape [3]: 5 10 15");
    /* A child of this process does not have it, which is no graph that does not crash. */
    OK(litz_predicate_new("crashes", o, NULL, 0, &p, &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "the operator mylib::scale(", litz_predicate_holds(p, g, &holds, &err));
    litz_predicate_release(p);
    /* So are the backend, passes and decompositions. */
    OK(litz_registry_add_pass(r, "pre_grad", pass, &relus, &err));
    OK(litz_registry_add_pass(r, "pre_grad", pass, &relus, &err));
    OK(litz_registry_add_decomposition(r, "aten.relu", pass_on, NULL, &err));
    memset(&backend, 0, sizeof backend);
    backend.struct_size = sizeof backend;
    backend.compile = no_program;
    OK(litz_registry_add_backend(r, "mine", NULL, 0, &backend, &err));
    OK(litz_options_set(o, "backend", "mine", &err));
    OK(litz_graph_save_repro(g, o, NULL, 0, folder, &err));
    text = file_of(folder, "replay.c");
    CHECK(strstr(text, " *   the backend mine\n *   2 passes at pre_grad\n *   a decomposition of aten.relu.default\n") != NULL);
    free(text);
    FAILS(LITZ_ERROR_UNSUPPORTED, "the registry lacks the operator `mylib::scale(Tensor x, float by=2.0) -> Tensor`, the backend `mine`, "
          "2 passes at `pre_grad`, a decomposition of `aten.relu.default`;",
          litz_graph_from_repro_with(folder, empty, &again, &read, &err));
    OK(litz_graph_from_repro_with(folder, r, &again, &read, &err));
    OK(litz_options_get(read, "backend", &value, &err));
    CHECK(strcmp(litz_string_data(value), "mine") == 0);
    litz_string_release(value);
    FAILS(LITZ_ERROR_STATE, "compiles nothing", litz_compile(again, read, &e, &err));
    CHECK(relus == 1);
    litz_graph_release(again);
    litz_options_release(read);
    litz_graph_release(g);
    litz_options_release(o);
    litz_registry_release(r);
    litz_registry_release(empty);
    litz_registry_release(other);
}

int main(int argc, char **argv) {
    char folder[4000];
    CHECK(argc == 3);
    setenv("LITZ_FLAGS", argv[2], 1);
    snprintf(folder, sizeof folder, "%s/kept", argv[1]);
    by_calls(folder);
    by_text(folder);
    unread_input(folder);
    of_a_host(folder);
    of_passes(folder);
    puts("all right");
    return 0;
}
