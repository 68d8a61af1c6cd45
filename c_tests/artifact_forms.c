/* Artifacts from memory and from file descriptors, in folders, with several instruction sets, and as the same bytes again.
 * argv[1] is a folder, argv[2] what the CPU has beside scalar code, or "". */
#define _GNU_SOURCE
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *bytes;
    struct stat info;
    CHECK(file != NULL && fstat(fileno(file), &info) == 0);
    *size = (size_t)info.st_size;
    bytes = malloc(*size);
    CHECK(bytes != NULL && fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

static int same_files(const char *a, const char *b) {
    size_t n, m;
    char *x = read_file(a, &n), *y = read_file(b, &m);
    int same = n == m && memcmp(x, y, n) == 0;
    free(x);
    free(y);
    return same;
}

static int describes(const litz_executable *e, const char *words) {
    litz_string *json = NULL;
    int found;
    OK(litz_executable_describe(e, &json, &err));
    found = strstr(litz_string_data(json), words) != NULL;
    litz_string_release(json);
    return found;
}

static void from_memory(const char *path) {
    litz_executable *e[2] = {NULL, NULL};
    size_t size;
    char *bytes = read_file(path, &size);
    OK(litz_executable_open_memory(bytes, size, NULL, &e[0], &err));
    memset(bytes, 0x55, size); /* it is not needed any more */
    check_linear_relu(e[0]);
    CHECK(describes(e[0], "\"artifact\":true"));
    FAILS(LITZ_ERROR_PARSE, "memory", litz_executable_open_memory(bytes, size, NULL, &e[1], &err));
    FAILS(LITZ_ERROR_PARSE, "memory", litz_executable_open_memory(bytes, 3, NULL, &e[1], &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`data`", litz_executable_open_memory(NULL, 3, NULL, &e[1], &err));
    free(bytes);
    OK(litz_executable_clone(e[0], &e[1], &err));
    litz_executable_release(e[0]);
    check_linear_relu(e[1]);
    litz_executable_release(e[1]);
}

/* A file that is gone, and one that was never in a folder. */
static void from_descriptors(const char *path, const char *folder) {
    char name[4096], link[64];
    size_t size;
    char *bytes = read_file(path, &size);
    litz_executable *e[2] = {NULL, NULL};
    int k, file;
    for (k = 0; k < 2; ++k) {
        snprintf(name, sizeof name, "%s/gone.so", folder);
        file = k ? (int)syscall(SYS_memfd_create, "model", 0u) : open(name, O_RDWR | O_CREAT, 0600);
        CHECK(file >= 0 && write(file, bytes, size) == (ssize_t)size);
        if (!k) CHECK(unlink(name) == 0);
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        OK(litz_executable_open(link, NULL, &e[k], &err));
        close(file);
        check_linear_relu(e[k]);
    }
    for (k = 0; k < 2; ++k) {
        check_linear_relu(e[k]);
        litz_executable_release(e[k]);
    }
    free(bytes);
}

static char logged[4096];

static void note(void *context, int32_t level, const char *message) {
    (void)context;
    if (level == 2 && strstr(message, "the artifact is") != NULL) snprintf(logged, sizeof logged, "%s", message);
}

static void in_a_folder(litz_options *o, const litz_graph *g, const char *folder) {
    char place[4096], *name, *end;
    litz_executable *e = NULL;
    snprintf(place, sizeof place, "%s/named", folder);
    CHECK(mkdir(place, 0700) == 0);
    OK(litz_options_set_log(o, 2, note, NULL, &err));
    OK(litz_compile_artifact(g, o, place, &err));
    OK(litz_options_set_log(o, 2, NULL, NULL, &err));
    name = strchr(logged, '`');
    CHECK(name != NULL && (end = strchr(name + 1, '`')) != NULL);
    *end = 0;
    OK(litz_executable_open(place, NULL, &e, &err));
    CHECK(describes(e, strrchr(name + 1, '/')));
    litz_executable_release(e);
    e = NULL;
    OK(litz_executable_open(name + 1, NULL, &e, &err));
    check_linear_relu(e);
    litz_executable_release(e);
}

static void the_same_bytes(litz_options *o, const litz_graph *g, const char *folder) {
    char first[4096], again[4096], cache[4096];
    litz_executable *e = NULL;
    int k;
    snprintf(first, sizeof first, "%s/first.so", folder);
    snprintf(again, sizeof again, "%s/again.so", folder);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    OK(litz_options_set(o, "cache.enabled", "false", &err));
    OK(litz_compile_artifact(g, o, first, &err));
    OK(litz_options_set(o, "cache.enabled", "true", &err));
    OK(litz_options_set(o, "cache.dir", cache, &err));
    for (k = 0; k < 2; ++k) {
        OK(litz_compile_artifact(g, o, again, &err));
        CHECK(same_files(first, again));
    }
    OK(litz_compile(g, o, &e, &err));
    OK(litz_executable_save(e, again, &err));
    litz_executable_release(e);
    CHECK(same_files(first, again));
    /* What was opened is written as it was, as long as no constant changed. */
    e = NULL;
    OK(litz_executable_open(first, NULL, &e, &err));
    OK(litz_executable_save(e, again, &err));
    CHECK(same_files(first, again));
    litz_executable_release(e);
    OK(litz_options_set(o, "cache.dir", "", &err));
}

/* An artifact that was opened is saved with its constants as they are. */
static void saved_again(const char *path, const char *folder) {
    float bias[2] = {100, 200}, x[3] = {0, 0, 0};
    int64_t bias_shape[1] = {2}, shape[2] = {1, 3};
    DLTensor tensor = float_tensor(bias, 1, bias_shape), input = float_tensor(x, 2, shape);
    const DLTensor *data[1], *inputs[1];
    const char *names[1] = {"l.bias"};
    char again[4096];
    litz_executable *e = NULL;
    struct DLManagedTensorVersioned *made = NULL;
    data[0] = &tensor;
    inputs[0] = &input;
    snprintf(again, sizeof again, "%s/updated.so", folder);
    OK(litz_executable_open(path, NULL, &e, &err));
    OK(litz_executable_update_constants(e, names, data, 1, &err));
    OK(litz_executable_save(e, again, &err));
    litz_executable_release(e);
    e = NULL;
    OK(litz_executable_open(again, NULL, &e, &err));
    OK(litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    CHECK(((float *)made->dl_tensor.data)[0] == 100 && ((float *)made->dl_tensor.data)[1] == 200);
    made->deleter(made);
    litz_executable_release(e);
}

static void several_instruction_sets(litz_options *o, const litz_graph *g, const char *folder, const char *more) {
    char path[4096], list[64], words[64];
    litz_executable *e = NULL;
    litz_options *one = NULL;
    snprintf(path, sizeof path, "%s/several.so", folder);
    snprintf(list, sizeof list, "scalar%s%s", *more ? "," : "", more);
    OK(litz_options_set(o, "cpu.isa", list, &err));
    OK(litz_compile_artifact(g, o, path, &err));
    OK(litz_compile(g, o, &e, &err));
    snprintf(words, sizeof words, "\"isa\":\"%s\"", *more ? strrchr(list, ',') + 1 : "scalar");
    CHECK(describes(e, words));
    check_linear_relu(e);
    litz_executable_release(e);
    e = NULL;
    OK(litz_options_set(o, "cpu.isa", "native", &err));
    OK(litz_executable_open(path, NULL, &e, &err));
    CHECK(describes(e, words) && describes(e, "\"target\":[\"scalar\""));
    check_linear_relu(e);
    litz_executable_release(e);
    OK(litz_options_new(&one, &err));
    e = NULL;
    OK(litz_options_set(one, "cpu.isa", "scalar", &err));
    OK(litz_executable_open(path, one, &e, &err));
    CHECK(describes(e, "\"isa\":\"scalar\""));
    check_linear_relu(e);
    litz_executable_release(e);
    e = NULL;
    snprintf(path, sizeof path, "%s/scalar.so", folder);
    OK(litz_compile_artifact(g, one, path, &err));
    OK(litz_options_set(one, "cpu.isa", "avx512", &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "scalar", litz_executable_open(path, one, &e, &err));
    OK(litz_options_set(one, "cpu.isa", "native", &err));
    OK(litz_options_set(one, "backend", "interpreter", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "interpreter", litz_executable_open(path, one, &e, &err));
    litz_options_release(one);
}

/* A file that another artifact replaces while it is open: each gives its own results. */
static void replaced_while_open(const litz_options *o, const char *folder) {
    static const char *const operators[3] = {"relu", "neg", "exp"};
    const float want[3] = {2, -2, 7.389056f};
    litz_executable *e[3] = {NULL, NULL, NULL};
    char path[4096], text[256];
    int k;
    snprintf(path, sizeof path, "%s/replaced.so", folder);
    for (k = 0; k < 3; ++k) {
        litz_graph *g;
        snprintf(text, sizeof text, "graph \"g\" { input %%0 \"x\": float32[1]\n %%1 = aten.%s.default(%%0)\n output \"y\" = %%1 }", operators[k]);
        g = graph_of(text);
        OK(litz_compile_artifact(g, o, path, &err));
        OK(litz_executable_open(path, NULL, &e[k], &err));
        litz_graph_release(g);
    }
    for (k = 0; k < 3; ++k) {
        float x = 2, y = 0;
        int64_t one = 1;
        DLTensor input = float_tensor(&x, 1, &one), output = float_tensor(&y, 1, &one);
        const DLTensor *inputs[1] = {&input}, *outputs[1] = {&output};
        OK(litz_executable_run_into(e[k], inputs, 1, outputs, 1, NULL, &err));
        CHECK(y - want[k] < 1e-5f && want[k] - y < 1e-5f);
        litz_executable_release(e[k]);
    }
}

int main(int argc, char **argv) {
    char path[4096];
    litz_options *o = NULL;
    litz_graph *g = linear_relu();
    CHECK(argc == 3);
    snprintf(path, sizeof path, "%s/model.so", argv[1]);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "cpu", &err));
    OK(litz_compile_artifact(g, o, path, &err));
    from_memory(path);
    from_descriptors(path, argv[1]);
    in_a_folder(o, g, argv[1]);
    the_same_bytes(o, g, argv[1]);
    saved_again(path, argv[1]);
    replaced_while_open(o, argv[1]);
    OK(litz_options_set(o, "artifact.weights", "external", &err));
    snprintf(path, sizeof path, "%s/external.so", argv[1]);
    OK(litz_compile_artifact(g, o, path, &err));
    saved_again(path, argv[1]);
    OK(litz_options_set(o, "artifact.weights", "inside", &err));
    several_instruction_sets(o, g, argv[1], argv[2]);
    litz_options_release(o);
    litz_graph_release(g);
    puts("artifact forms: all right");
    return 0;
}
