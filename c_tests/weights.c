/* Files of weights: every format of blocks against what ggml's own package makes of it, a program of export JSON with weights in
 * several files, aliases, and files that are damaged. argv: backend, the folder of the files, a folder to write into. */
#include "check.h"

#include <math.h>

static const char *backend;
static const char *data;

static const char *in(const char *folder, const char *name) {
    static char paths[2][4096];
    static int next;
    char *path = paths[next++ % 2];
    CHECK(snprintf(path, sizeof paths[0], "%s/%s", folder, name) < (int)sizeof paths[0]);
    return path;
}

static litz_weights *opened(const char *name) {
    litz_weights *w = NULL;
    OK(litz_weights_open(in(data, name), &w, &err));
    return w;
}

static litz_executable *compiled(const litz_graph *g) {
    litz_options *o = NULL;
    litz_executable *e = NULL;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", backend, &err));
    OK(litz_options_set(o, "cache.enabled", "false", &err));
    if (strcmp(backend, "cpu") == 0) OK(litz_options_set(o, "cpp.optimization", "0", &err));
    OK(litz_compile(g, o, &e, &err));
    litz_options_release(o);
    return e;
}

static size_t elements(const DLTensor *t) {
    size_t count = 1;
    for (int32_t k = 0; k < t->ndim; ++k) count *= (size_t)t->shape[k];
    return count;
}

/* One graph with the tensor of both files: the blocks, and what they should be. */
static void same(const litz_weights *blocks, const litz_weights *plain, const char *name) {
    litz_graph *g = NULL;
    litz_value packed, expected;
    struct DLManagedTensorVersioned *out[2];
    OK(litz_graph_new("weights", NULL, &g, &err));
    OK(litz_graph_weight(g, blocks, name, NULL, LITZ_CONSTANT_PARAMETER, &packed, &err));
    OK(litz_graph_weight(g, plain, name, "expected", LITZ_CONSTANT_CONSTANT, &expected, &err));
    OK(litz_graph_output(g, "packed", packed, &err));
    OK(litz_graph_output(g, "expected", expected, &err));
    litz_executable *e = compiled(g);
    litz_graph_release(g);
    OK(litz_executable_run(e, NULL, 0, out, 2, NULL, &err));
    const DLTensor *a = &out[0]->dl_tensor, *b = &out[1]->dl_tensor;
    CHECK(a->ndim == 2 && b->ndim == 2 && a->shape[0] == b->shape[0] && a->shape[1] == b->shape[1]);
    CHECK(a->dtype.code == b->dtype.code && a->dtype.bits == b->dtype.bits && elements(a) > 0);
    if (a->dtype.code == kDLFloat && a->dtype.bits == 32) {
        const float *x = a->data, *y = b->data;
        for (size_t k = 0; k < elements(a); ++k) {
            /* A product and a sum may be rounded once. */
            if (x[k] != y[k] && !(fabsf(x[k] - y[k]) <= 1e-5f + 1e-6f * fabsf(y[k]))) {
                fprintf(stderr, "%s: element %zu is %.9g, not %.9g\n", name, k, x[k], y[k]);
                exit(1);
            }
        }
    } else {
        CHECK(memcmp(a->data, b->data, elements(a) * a->dtype.bits / 8) == 0);
    }
    for (int k = 0; k < 2; ++k) litz_tensor_release(out[k]);
    litz_executable_release(e);
}

static void every_format(void) {
    litz_weights *blocks = opened("blocks.gguf"), *plain = opened("blocks.safetensors");
    const char *names[] = {"Q4_0", "Q4_1",   "Q5_0",   "Q5_1",  "Q8_0",  "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K",
                           "IQ4_NL", "IQ4_XS", "TQ2_0", "MXFP4", "F32", "F16",  "I8",   "I64",  "F64"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) same(blocks, plain, names[k]);
    /* Blocks of a file may be in a graph that outlives the handle. */
    litz_graph *g = NULL;
    litz_value v;
    litz_string *text = NULL;
    OK(litz_graph_new("weights", NULL, &g, &err));
    OK(litz_graph_weight(g, blocks, "Q8_0", NULL, LITZ_CONSTANT_PARAMETER, &v, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "Q8_0", litz_graph_weight(g, blocks, "Q8_0", NULL, 0, &v, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "no tensor `Q9`", litz_graph_weight(g, blocks, "Q9", "q", 0, &v, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "kind 7", litz_graph_weight(g, blocks, "Q8_0", "q", 7, &v, &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "IQ2_XXS", litz_graph_weight(g, blocks, "not read", "q", 0, &v, &err));
    OK(litz_weights_describe(blocks, &text, &err));
    const char *json = litz_string_data(text);
    CHECK(strstr(json, "\"general.architecture\":\"llama\"") && strstr(json, "\"a.list\":[\"one\",\"two\"]"));
    CHECK(strstr(json, "\"name\":\"Q4_K\",\"format\":\"Q4_K\",\"dtype\":\"float32\",\"shape\":[3,512],\"bytes\":864}"));
    CHECK(strstr(json, "\"format\":\"IQ2_XXS\",\"dtype\":null"));
    litz_string_release(text);
    litz_weights_release(blocks);
    litz_weights_release(plain);
    OK(litz_graph_output(g, "q", v, &err));
    struct DLManagedTensorVersioned *out[1];
    litz_executable *e = compiled(g);
    litz_graph_release(g);
    OK(litz_executable_run(e, NULL, 0, out, 1, NULL, &err));
    litz_tensor_release(out[0]);
    /* The constant is the blocks. */
    litz_tensor_info info;
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    OK(litz_executable_info(e, LITZ_INFO_CONSTANT, 0, &info, &err));
    CHECK(info.ndim == 3 && info.max_shape[1] == 16 && info.max_shape[2] == 34 && info.dtype.bits == 8);
    litz_executable_release(e);
}

static char *content(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    CHECK(f != NULL && fseek(f, 0, SEEK_END) == 0);
    *size = (size_t)ftell(f);
    char *bytes = malloc(*size + 1);
    CHECK(bytes && fseek(f, 0, SEEK_SET) == 0 && fread(bytes, 1, *size, f) == *size && fclose(f) == 0);
    bytes[*size] = 0;
    return bytes;
}

/* A parameter of another name and another float, a file per part, a buffer that no state_dict has. */
static void a_program(void) {
    size_t size = 0;
    char *json = content(in(data, "model.json"), &size);
    litz_weights *w = opened("model.safetensors.index.json"), *run = opened("model_run.safetensors");
    litz_graph *g = NULL;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "lack 1 of the program's tensors: `embed.weight`",
          litz_graph_from_export_json_with_weights(json, size, w, NULL, &g, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "no tensor `embed`", litz_weights_alias(w, "embed", "embed.weight", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "another tensor has", litz_weights_alias(w, "tokens.weight", "scale", &err));
    OK(litz_weights_alias(w, "tokens.weight", "embed.weight", &err));
    OK(litz_graph_from_export_json_with_weights(json, size, w, NULL, &g, &err));
    litz_weights_release(w);
    /* The run's own tensors come from a file, too. */
    litz_value shift, x, y;
    litz_graph *given = NULL;
    OK(litz_graph_new("given", NULL, &given, &err));
    OK(litz_graph_weight(given, run, "shift", NULL, LITZ_CONSTANT_CONSTANT, &shift, &err));
    OK(litz_graph_weight(given, run, "x", NULL, LITZ_CONSTANT_CONSTANT, &x, &err));
    OK(litz_graph_weight(given, run, "y", NULL, LITZ_CONSTANT_CONSTANT, &y, &err));
    OK(litz_graph_output(given, "shift", shift, &err));
    OK(litz_graph_output(given, "x", x, &err));
    OK(litz_graph_output(given, "y", y, &err));
    struct DLManagedTensorVersioned *tensors[3], *out[1];
    litz_executable *constants = compiled(given), *e = compiled(g);
    OK(litz_executable_run(constants, NULL, 0, tensors, 3, NULL, &err));
    CHECK(litz_executable_num_inputs(e) == 2);
    const DLTensor *inputs[] = {&tensors[0]->dl_tensor, &tensors[1]->dl_tensor};
    OK(litz_executable_run(e, inputs, 2, out, 1, NULL, &err));
    const float *got = out[0]->dl_tensor.data, *want = tensors[2]->dl_tensor.data;
    CHECK(elements(&out[0]->dl_tensor) == 44 && elements(&tensors[2]->dl_tensor) == 44);
    for (int k = 0; k < 44; ++k) CHECK(fabsf(got[k] - want[k]) <= 1e-4f);
    /* The constant is as in the file. */
    struct DLManagedTensorVersioned *tied = NULL;
    OK(litz_executable_constant(e, "embed.weight", &tied, &err));
    CHECK(tied->dl_tensor.dtype.code == kDLBfloat && tied->dl_tensor.shape[0] == 11);
    litz_tensor_release(tied);
    litz_tensor_release(out[0]);
    for (int k = 0; k < 3; ++k) litz_tensor_release(tensors[k]);
    litz_executable_release(e);
    litz_executable_release(constants);
    litz_graph_release(g);
    litz_graph_release(given);
    litz_weights_release(run);
    /* Weights of other sizes. */
    w = opened("blocks.safetensors");
    OK(litz_weights_alias(w, "F16", "embed.weight", &err));
    FAILS(LITZ_ERROR_SHAPE, "tensor `embed.weight`: its sizes are [2, 5], and the program asks for [11, 8]",
          litz_graph_from_export_json_with_weights(json, size, w, NULL, &g, &err));
    litz_weights_release(w);
    free(json);
}

/* Whatever a file holds, opening it is an error or gives tensors that lie within it. */
static void damaged(const char *folder, const char *name) {
    size_t size = 0;
    char *whole = content(in(data, name), &size);
    const char *path = in(folder, "damaged.gguf");
    unsigned seed = 9;
    int refused = 0;
    for (int turn = 0; turn < 600; ++turn) {
        char *bytes = malloc(size);
        size_t length = size;
        CHECK(bytes != NULL);
        memcpy(bytes, whole, size);
        seed = seed * 1664525u + 1013904223u;
        if (turn % 3 == 0) {
            length = seed % size;
        } else {
            /* Headers are what is worth damaging. */
            for (int k = 0; k < 1 + turn % 5; ++k) {
                seed = seed * 1664525u + 1013904223u;
                bytes[(seed >> 8) % (size < 1500 ? size : 1500)] = (char)(seed >> 3);
            }
        }
        FILE *f = fopen(path, "wb");
        CHECK(f != NULL && fwrite(bytes, 1, length, f) == length && fclose(f) == 0);
        free(bytes);
        litz_weights *w = NULL;
        litz_error *err = NULL;
        const litz_status status = litz_weights_open(path, &w, &err);
        CHECK(status == LITZ_OK || status == LITZ_ERROR_PARSE || status == LITZ_ERROR_UNSUPPORTED || status == LITZ_ERROR_IO);
        if (status != LITZ_OK) {
            ++refused;
            litz_error_release(err);
            continue;
        }
        litz_string *text = NULL;
        OK(litz_weights_describe(w, &text, &err));
        litz_string_release(text);
        litz_weights_release(w);
    }
    CHECK(refused > 200);
    remove(path);
    free(whole);
}

static void what_is_no_file_of_weights(const char *folder) {
    litz_weights *w = NULL;
    FAILS(LITZ_ERROR_IO, "none.gguf", litz_weights_open(in(folder, "none.gguf"), &w, &err));
    FAILS(LITZ_ERROR_PARSE, "neither a safetensors file nor GGUF", litz_weights_open(__FILE__, &w, &err));
    FAILS(LITZ_ERROR_IO, folder, litz_weights_open(folder, &w, &err));
    const char *path = in(folder, "model.safetensors.index.json");
    const char *indices[][2] = {{"{\"weight_map\": {\"a\": \"../a.safetensors\"}}", "does not lie within"},
                                {"{\"weight_map\": {\"a\": \"a.safetensors\"}}", "cannot be found"},
                                {"{\"weight_map\": 1}", "weight_map"},
                                {"{}", "weight_map"}};
    for (int k = 0; k < 4; ++k) {
        FILE *f = fopen(path, "wb");
        CHECK(f != NULL && fputs(indices[k][0], f) >= 0 && fclose(f) == 0);
        litz_error *err = NULL;
        const litz_status status = litz_weights_open(path, &w, &err);
        CHECK((status == LITZ_ERROR_PARSE || status == LITZ_ERROR_IO) && w == NULL);
        CHECK(strstr(litz_error_message(err), indices[k][1]) != NULL);
        litz_error_release(err);
    }
    remove(path);
}

int main(int argc, char **argv) {
    CHECK(argc == 4);
    backend = argv[1];
    data = argv[2];
    every_format();
    a_program();
    damaged(argv[3], "blocks.gguf");
    damaged(argv[3], "model-00002-of-00002.safetensors");
    what_is_no_file_of_weights(argv[3]);
    puts("all right");
    return 0;
}
