/* Inputs that share memory, of programs that write to them: what is written to one is seen in the others. argv[1] is the
 * backend, argv[2] a folder for artifacts, where the backend makes any. */
#include "check.h"

#include <dlfcn.h>
#include <litz/artifact.h>

static const char *const program_text =
    "graph \"g\" {\n"
    "  symbol s0 in [1, 100]\n"
    "  input %0 \"a\": float32[s0]\n"
    "  input %1 \"b\": float32[s0]\n"
    "  parameter %2 \"w\": float32[1] = [2.0]\n"
    "  %3 = aten.add_.Scalar(%0, 1)\n"
    "  %4 = aten.mul_.Tensor(%1, %2)\n"
    "  %5 = aten.add.Tensor(%0, %1)\n"
    "  output \"y\" = %5\n"
    "}\n";

/* `b` starts so many elements behind `a`. */
static void shifted(litz_executable *e, int shift, int stride, float w, int into) {
    float memory[16], want[16], y[5], sum;
    int64_t size[1] = {5}, strides[1];
    DLTensor a, b, z;
    const DLTensor *inputs[2], *outputs[1];
    struct DLManagedTensorVersioned *made[1] = {NULL};
    int k;
    for (k = 0; k < 16; ++k) memory[k] = want[k] = (float)k;
    for (k = 0; k < 5; ++k) want[k * stride] += 1;
    for (k = 0; k < 5; ++k) want[shift + k * stride] *= w;
    a = float_tensor(memory, 1, size);
    b = float_tensor(memory + shift, 1, size);
    z = float_tensor(y, 1, size);
    strides[0] = stride;
    a.strides = b.strides = strides;
    inputs[0] = &a;
    inputs[1] = &b;
    outputs[0] = &z;
    if (into) {
        OK(litz_executable_run_into(e, inputs, 2, outputs, 1, NULL, &err));
    } else {
        OK(litz_executable_run(e, inputs, 2, made, 1, NULL, &err));
        memcpy(y, made[0]->dl_tensor.data, sizeof y);
        made[0]->deleter(made[0]);
    }
    for (k = 0; k < 16; ++k) CHECK(memory[k] == want[k]);
    for (k = 0; k < 5; ++k) {
        sum = want[k * stride] + want[shift + k * stride];
        CHECK(y[k] == sum);
    }
}

/* Counts its runs in a buffer of its own, and reads `c`, which may share memory with what it writes to. */
static const char *const stateful_text =
    "graph \"g\" {\n"
    "  symbol s0 in [1, 100]\n"
    "  input %0 \"a\": float32[s0]\n"
    "  input %1 \"b\": float32[s0]\n"
    "  input %2 \"c\": float32[s0]\n"
    "  input %3 \"d\": int64[s0]\n"
    "  parameter %4 \"w\": float32[1] = [2.0]\n"
    "  buffer %5 \"n\": float32[1] = [0.0]\n"
    "  %6 = aten.add_.Scalar(%5, 1)\n"
    "  %7 = aten.view.default(%0, [-1])\n"
    "  %8 = aten.mul_.Tensor(%7, %4)\n"
    "  %9 = aten.add_.Tensor(%1, %2)\n"
    "  %10 = aten.add.Tensor(%0, %5)\n"
    "  %11 = aten.add.Tensor(%10, %3)\n"
    "  output \"y\" = %11\n"
    "}\n";

/* Where `a`, `b` and `c` begin, and the stride of `c`; the run is number `run` of this program. */
static void counting(litz_executable *e, int a, int b, int c, int stride, float run) {
    float memory[32], want[32], read[4];
    int64_t size[1] = {4}, strides[1], whole[4] = {1, 2, 3, 4};
    DLTensor t[4];
    const DLTensor *inputs[4];
    struct DLManagedTensorVersioned *made[1] = {NULL};
    int k;
    for (k = 0; k < 32; ++k) memory[k] = want[k] = (float)(k + 1);
    for (k = 0; k < 4; ++k) want[a + k] *= 2;
    for (k = 0; k < 4; ++k) read[k] = want[c + k * stride];
    for (k = 0; k < 4; ++k) want[b + k] += read[k];
    t[0] = float_tensor(memory + a, 1, size);
    t[1] = float_tensor(memory + b, 1, size);
    t[2] = float_tensor(memory + c, 1, size);
    strides[0] = stride;
    t[2].strides = strides;
    t[3] = float_tensor((float *)whole, 1, size);
    t[3].dtype.code = kDLInt;
    t[3].dtype.bits = 64;
    for (k = 0; k < 4; ++k) inputs[k] = &t[k];
    OK(litz_executable_run(e, inputs, 4, made, 1, NULL, &err));
    for (k = 0; k < 32; ++k) CHECK(memory[k] == want[k]);
    for (k = 0; k < 4; ++k) CHECK(((float *)made[0]->dl_tensor.data)[k] == want[a + k] + run + (float)(k + 1));
    made[0]->deleter(made[0]);
    /* The same bytes as another dtype. */
    t[3].data = memory + a;
    FAILS(LITZ_ERROR_UNSUPPORTED, "another dtype", litz_executable_run(e, inputs, 4, made, 1, NULL, &err));
}

static void all_layouts(litz_executable *e) {
    litz_executable *copy = NULL;
    counting(e, 0, 8, 16, 1, 1);
    counting(e, 0, 2, 16, 1, 2);
    counting(e, 2, 0, 16, 1, 3);
    counting(e, 0, 8, 0, 1, 4);
    counting(e, 4, 12, 6, 0, 5);
    counting(e, 0, 1, 2, 2, 6);
    OK(litz_executable_clone(e, &copy, &err));
    counting(e, 0, 0, 0, 1, 7);
    counting(copy, 0, 2, 1, 1, 7);
    litz_executable_release(copy);
    counting(e, 0, 8, 16, 1, 8);
}

static void stateful(const char *backend, const char *freeze) {
    litz_options *o = NULL;
    litz_executable *e = NULL;
    litz_graph *g = graph_of(stateful_text);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", backend, &err));
    OK(litz_options_set(o, "freeze", freeze, &err));
    OK(litz_compile(g, o, &e, &err));
    all_layouts(e);
    litz_executable_release(e);
    litz_options_release(o);
    litz_graph_release(g);
}

static const litz_artifact_api *entry(void *library) {
    litz_artifact_entry_fn get;
    *(void **)&get = dlsym(library, LITZ_ARTIFACT_ENTRY);
    CHECK(get != NULL);
    return get();
}

/* The artifact without the library: `b` is added `c`, which begins with it, and then the clone and its original go on alone. */
static void without_the_library(const char *path) {
    char error[256] = "";
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *self = NULL, *copy = NULL;
    const litz_artifact_api *api;
    float memory[8], y[4];
    int64_t size[1] = {4}, whole[4] = {0, 0, 0, 0};
    DLTensor t[4], out;
    const DLTensor *inputs[4], *outputs[1];
    int k, run;
    CHECK(library != NULL);
    api = entry(library);
    CHECK(api->create(NULL, 0, &self, error, sizeof error) == LITZ_OK);
    for (k = 0; k < 3; ++k) t[k] = float_tensor(memory + 2 * (k == 1), 1, size);
    t[3] = float_tensor((float *)whole, 1, size);
    t[3].dtype.code = kDLInt;
    t[3].dtype.bits = 64;
    out = float_tensor(y, 1, size);
    outputs[0] = &out;
    for (k = 0; k < 4; ++k) inputs[k] = &t[k];
    for (run = 1; run < 4; ++run) {
        for (k = 0; k < 8; ++k) memory[k] = (float)(k + 1);
        CHECK(api->run(run == 3 ? copy : self, inputs, 4, outputs, 1, NULL, error, sizeof error) == LITZ_OK);
        /* `a` and `c` are doubled, and `b` is their second half. */
        CHECK(memory[0] == 2 && memory[1] == 4 && memory[2] == 6 + 2 && memory[3] == 8 + 4 && memory[4] == 5 + 6 && memory[5] == 6 + 8);
        for (k = 0; k < 4; ++k) CHECK(y[k] == memory[k] + (float)run);
        if (run == 2) {
            CHECK(api->clone(self, &copy, error, sizeof error) == LITZ_OK);
            api->destroy(self);
        }
    }
    t[3].data = memory;
    CHECK(api->run(copy, inputs, 4, outputs, 1, NULL, error, sizeof error) == LITZ_ERROR_UNSUPPORTED);
    CHECK(strstr(error, "another dtype") != NULL);
    api->destroy(copy);
    dlclose(library);
}

static void artifacts(const char *folder, const char *freeze) {
    char path[4096];
    litz_options *o = NULL;
    litz_executable *e = NULL;
    litz_graph *g = graph_of(stateful_text);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "freeze", freeze, &err));
    snprintf(path, sizeof path, "%s/overlap_%s.so", folder, freeze);
    OK(litz_compile_artifact(g, o, path, &err));
    OK(litz_executable_open(path, NULL, &e, &err));
    all_layouts(e);
    litz_executable_release(e);
    e = NULL;
    without_the_library(path);
    if (strcmp(freeze, "true") != 0) {
        /* Saved by a program that was compiled here. */
        OK(litz_compile(g, o, &e, &err));
        snprintf(path, sizeof path, "%s/overlap_saved.so", folder);
        OK(litz_executable_save(e, path, &err));
        litz_executable_release(e);
        e = NULL;
        OK(litz_executable_open(path, NULL, &e, &err));
        all_layouts(e);
        litz_executable_release(e);
    }
    litz_options_release(o);
    litz_graph_release(g);
}

/* Kernels that this process has compiled. */
static long compiled(void) {
    litz_string *json = NULL;
    const char *kernels;
    long count;
    OK(litz_counters(&json, &err));
    kernels = strstr(litz_string_data(json), "\"kernels\"");
    CHECK(kernels != NULL && (kernels = strstr(kernels, "\"compiled\"")) != NULL);
    count = strtol(strchr(kernels, ':') + 1, NULL, 10);
    litz_string_release(json);
    return count;
}

/* A form has most kernels of its program, which are compiled once. */
static void compiled_once(const char *folder) {
    char text[2048], path[4096];
    litz_graph *g;
    litz_options *o = NULL;
    litz_executable *e = NULL;
    long before, of_program, of_both;
    int k, at;
    at = snprintf(text, sizeof text, "graph \"g\" {\n  input %%0 \"a\": float32[8, 8]\n  input %%1 \"b\": float32[8, 8]\n"
                                     "  %%2 = aten.add_.Tensor(%%0, %%1)\n");
    for (k = 2; k < 14; k += 2)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  %%%d = aten.mm.default(%%%d, %%%d)\n  %%%d = aten._softmax.default(%%%d, %d, false)\n", k + 1, k, k,
                       k + 2, k + 1, k % 4 ? 0 : -1);
    snprintf(text + at, sizeof text - (size_t)at, "  output \"y\" = %%%d\n}\n", k);
    g = graph_of(text);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "cache.enabled", "false", &err));
    before = compiled();
    OK(litz_compile(g, o, &e, &err));
    of_program = compiled() - before;
    snprintf(path, sizeof path, "%s/compiled_once.so", folder);
    OK(litz_compile_artifact(g, o, path, &err));
    of_both = compiled() - before - of_program;
    CHECK(of_program > 2 && of_both > of_program && of_both < 2 * of_program);
    litz_executable_release(e);
    litz_options_release(o);
    litz_graph_release(g);
}

static float element(const struct DLManagedTensorVersioned *t, int k) {
    const char *data = (const char *)t->dl_tensor.data + t->dl_tensor.byte_offset;
    return ((const float *)data)[t->dl_tensor.strides ? k * t->dl_tensor.strides[0] : k];
}

/* Results that are the inputs, and a part of one that is contiguous: each shows its own part of the memory that they share. */
static const char *const given_out_text =
    "graph \"g\" {\n"
    "  input %0 \"a\": float32[4]\n"
    "  input %1 \"b\": float32[4]\n"
    "  %2 = aten.add_.Scalar(%1, 100)\n"
    "  %3 = aten.mul_.Scalar(%0, 2)\n"
    "  %4 = aten.slice.Tensor(%1, 0, 1, 3)\n"
    "  %5 = aten.contiguous.default(%4)\n"
    "  output \"a\" = %0\n"
    "  output \"b\" = %1\n"
    "  output \"part\" = %4\n"
    "  output \"itself\" = %5\n"
    "}\n";

static void given_out(const char *backend) {
    litz_graph *g = graph_of(given_out_text);
    litz_options *o = NULL;
    litz_executable *e = NULL;
    int64_t size[1] = {4};
    const int places[][2] = {{0, 8}, {4, 1}, {1, 4}, {2, 2}};
    size_t k;
    int i;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", backend, &err));
    OK(litz_compile(g, o, &e, &err));
    for (k = 0; k < sizeof places / sizeof *places; ++k) {
        float memory[16], want[16];
        const int a = places[k][0], b = places[k][1];
        DLTensor t[2];
        const DLTensor *inputs[2];
        struct DLManagedTensorVersioned *made[4] = {NULL, NULL, NULL, NULL};
        for (i = 0; i < 16; ++i) memory[i] = want[i] = (float)(i + 1);
        for (i = 0; i < 4; ++i) want[b + i] += 100;
        for (i = 0; i < 4; ++i) want[a + i] *= 2;
        t[0] = float_tensor(memory + a, 1, size);
        t[1] = float_tensor(memory + b, 1, size);
        inputs[0] = &t[0];
        inputs[1] = &t[1];
        OK(litz_executable_run(e, inputs, 2, made, 4, NULL, &err));
        for (i = 0; i < 16; ++i) CHECK(memory[i] == want[i]);
        for (i = 0; i < 4; ++i) CHECK(element(made[0], i) == want[a + i] && element(made[1], i) == want[b + i]);
        for (i = 0; i < 2; ++i) CHECK(element(made[2], i) == want[b + 1 + i] && element(made[3], i) == want[b + 1 + i]);
        for (i = 0; i < 4; ++i) made[i]->deleter(made[i]);
    }
    litz_executable_release(e);
    litz_options_release(o);
    litz_graph_release(g);
}

int main(int argc, char **argv) {
    litz_graph *g = NULL;
    litz_options *o = NULL;
    litz_executable *e = NULL, *copy = NULL;
    float w[1] = {3.0f};
    int64_t one[1] = {1};
    const char *names[1] = {"w"};
    DLTensor three = float_tensor(w, 1, one);
    const DLTensor *data[1];
    int shift;
    data[0] = &three;
    CHECK(argc >= 2);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", argv[1], &err));
    g = graph_of(program_text);
    OK(litz_compile(g, o, &e, &err));
    litz_graph_release(g);
    litz_options_release(o);
    for (shift = 0; shift < 8; shift += 2) shifted(e, shift, 1, 2.0f, shift & 2);
    /* Between one another, without a byte in common. */
    shifted(e, 1, 2, 2.0f, 0);
    /* Constants are those of now. */
    OK(litz_executable_update_constants(e, names, data, 1, &err));
    shifted(e, 2, 1, 3.0f, 1);
    OK(litz_executable_clone(e, &copy, &err));
    litz_executable_release(e);
    shifted(copy, 2, 1, 3.0f, 1);
    litz_executable_release(copy);
    given_out(argv[1]);
    stateful(argv[1], "false");
    stateful(argv[1], "true");
    if (argc == 3) {
        compiled_once(argv[2]);
        artifacts(argv[2], "false");
        artifacts(argv[2], "true");
    }
    puts("all right");
    return 0;
}
