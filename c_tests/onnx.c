/* ONNX models, written here byte by byte: what is right runs, what is broken or not supported is told where. */
#define _GNU_SOURCE
#include "check.h"
#include <unistd.h>

/* A message being written. */
struct message {
    unsigned char bytes[4096];
    size_t n;
};

static void put_number(struct message *m, int field, uint64_t v) {
    m->bytes[m->n++] = (unsigned char)(field << 3);
    for (; v >= 128; v >>= 7) m->bytes[m->n++] = (unsigned char)(v | 128);
    m->bytes[m->n++] = (unsigned char)v;
}

static void put_bytes(struct message *m, int field, const void *data, size_t n) {
    uint64_t v = n;
    m->bytes[m->n++] = (unsigned char)(field << 3 | 2);
    for (; v >= 128; v >>= 7) m->bytes[m->n++] = (unsigned char)(v | 128);
    m->bytes[m->n++] = (unsigned char)v;
    memcpy(m->bytes + m->n, data, n);
    m->n += n;
}

static void put_text(struct message *m, int field, const char *text) { put_bytes(m, field, text, strlen(text)); }

static void put(struct message *m, int field, const struct message *inner) { put_bytes(m, field, inner->bytes, inner->n); }

/* `y = operator(x, w)` of float vectors: x has a size "n", w is two numbers, in the model or in a file. */
static struct message model(const char *operator, const char *domain, int64_t opset, const char *file) {
    static const float two[2] = {10.0f, 20.0f};
    struct message whole = {{0}, 0}, graph = {{0}, 0}, node = {{0}, 0}, weight = {{0}, 0}, input = {{0}, 0};
    struct message type = {{0}, 0}, tensor = {{0}, 0}, shape = {{0}, 0}, dim = {{0}, 0}, output = {{0}, 0};
    struct message opsets = {{0}, 0}, entry = {{0}, 0};
    put_text(&node, 1, "x");
    put_text(&node, 1, "w");
    put_text(&node, 2, "y");
    put_text(&node, 3, "the_node");
    put_text(&node, 4, operator);
    put_text(&node, 7, domain);
    put_number(&weight, 1, 2);
    put_number(&weight, 2, 1);
    put_text(&weight, 8, "w");
    if (file) {
        put_text(&entry, 1, "location");
        put_text(&entry, 2, file);
        put(&weight, 13, &entry);
        put_number(&weight, 14, 1);
    } else {
        put_bytes(&weight, 9, two, sizeof two);
    }
    put_number(&dim, 1, 2);
    put(&shape, 1, &dim);
    put_number(&tensor, 1, 1);
    put(&tensor, 2, &shape);
    put(&type, 1, &tensor);
    put_text(&input, 1, "x");
    put(&input, 2, &type);
    put_text(&output, 1, "y");
    put(&graph, 1, &node);
    put_text(&graph, 2, "small");
    put(&graph, 5, &weight);
    put(&graph, 11, &input);
    put(&graph, 12, &output);
    put_text(&opsets, 1, domain);
    put_number(&opsets, 2, (uint64_t)opset);
    put_number(&whole, 1, 8);
    put(&whole, 7, &graph);
    put(&whole, 8, &opsets);
    return whole;
}

static void check_sum(const litz_graph *g, const char *backend) {
    litz_options *o = NULL;
    litz_executable *e = NULL;
    float x[2] = {1.0f, 2.0f}, y[2] = {0.0f, 0.0f};
    int64_t shape[1] = {2};
    DLTensor in = float_tensor(x, 1, shape), out = float_tensor(y, 1, shape);
    const DLTensor *ins[1] = {&in}, *outs[1] = {&out};
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", backend, &err));
    OK(litz_compile(g, o, &e, &err));
    OK(litz_executable_run_into(e, ins, 1, outs, 1, NULL, &err));
    CHECK(y[0] == 11.0f && y[1] == 22.0f);
    litz_executable_release(e);
    litz_options_release(o);
}

static void write_file(const char *path, const void *data, size_t n) {
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(data, 1, n, file) == n);
    fclose(file);
}

static void models_run(const char *backend, const char *folder) {
    static const float two[2] = {10.0f, 20.0f};
    struct message m = model("Add", "", 17, NULL);
    char path[4096];
    litz_graph *g = NULL;
    litz_value w = 0;
    OK(litz_graph_from_onnx_memory(m.bytes, m.n, NULL, NULL, &g, &err));
    check_sum(g, backend);
    litz_graph_release(g);
    g = NULL;
    /* The weight in a file beside the model. */
    m = model("Add", "", 17, "weights.bin");
    snprintf(path, sizeof path, "%s/weights.bin", folder);
    write_file(path, two, sizeof two);
    snprintf(path, sizeof path, "%s/small.onnx", folder);
    write_file(path, m.bytes, m.n);
    OK(litz_graph_from_onnx(path, NULL, &g, &err));
    check_sum(g, backend);
    OK(litz_graph_find(g, "x", &w, &err));
    litz_graph_release(g);
    g = NULL;
    OK(litz_graph_from_onnx_memory(m.bytes, m.n, folder, NULL, &g, &err));
    check_sum(g, backend);
    litz_graph_release(g);
}

static void what_is_refused(const char *folder) {
    static const char *const outside[] = {"../weights.bin", "/etc/passwd", "sub/../../weights.bin", "", "."};
    struct message m = model("NoSuchOperator", "", 17, NULL);
    char path[4096];
    litz_graph *g = NULL;
    litz_status status;
    litz_error *error = NULL;
    size_t k;
    FAILS(LITZ_ERROR_UNSUPPORTED, "NoSuchOperator", litz_graph_from_onnx_memory(m.bytes, m.n, NULL, NULL, &g, &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "opset 17", litz_graph_from_onnx_memory(m.bytes, m.n, NULL, NULL, &g, &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "the_node", litz_graph_from_onnx_memory(m.bytes, m.n, NULL, NULL, &g, &err));
    m = model("Add", "somewhere", 1, NULL);
    FAILS(LITZ_ERROR_UNSUPPORTED, "somewhere", litz_graph_from_onnx_memory(m.bytes, m.n, NULL, NULL, &g, &err));
    m = model("Add", "", 6, NULL);
    FAILS(LITZ_ERROR_UNSUPPORTED, "from opset 7 on", litz_graph_from_onnx_memory(m.bytes, m.n, NULL, NULL, &g, &err));
    m = model("Add", "", 1000, NULL);
    FAILS(LITZ_ERROR_UNSUPPORTED, "newest", litz_graph_from_onnx_memory(m.bytes, m.n, NULL, NULL, &g, &err));
    m = model("Add", "", 17, "weights.bin");
    FAILS(LITZ_ERROR_UNSUPPORTED, "no folder", litz_graph_from_onnx_memory(m.bytes, m.n, NULL, NULL, &g, &err));
    m = model("Add", "", 17, "missing.bin");
    FAILS(LITZ_ERROR_IO, "missing.bin", litz_graph_from_onnx_memory(m.bytes, m.n, folder, NULL, &g, &err));
    for (k = 0; k < sizeof outside / sizeof *outside; ++k) {
        m = model("Add", "", 17, outside[k]);
        status = litz_graph_from_onnx_memory(m.bytes, m.n, folder, NULL, &g, &error);
        CHECK(status == LITZ_ERROR_PARSE || status == LITZ_ERROR_IO);
        litz_error_release(error);
        error = NULL;
    }
    /* A link that leads out. */
    snprintf(path, sizeof path, "%s/link.bin", folder);
    CHECK(symlink("/etc/passwd", path) == 0);
    m = model("Add", "", 17, "link.bin");
    FAILS(LITZ_ERROR_PARSE, "does not lie within the folder",
          litz_graph_from_onnx_memory(m.bytes, m.n, folder, NULL, &g, &err));
    CHECK(g == NULL);
}

static void broken_models(const char *folder) {
    struct message m = model("Add", "", 17, NULL);
    char path[4096];
    litz_graph *g = NULL;
    litz_error *error = NULL;
    size_t n;
    FAILS(LITZ_ERROR_PARSE, "no graph", litz_graph_from_onnx_memory("", 0, NULL, NULL, &g, &err));
    FAILS(LITZ_ERROR_PARSE, "no ONNX model", litz_graph_from_onnx_memory("nonsense", 8, NULL, NULL, &g, &err));
    FAILS(LITZ_ERROR_IO, "nowhere", litz_graph_from_onnx("/nowhere/at.onnx", NULL, &g, &err));
    FAILS(LITZ_ERROR_IO, "", litz_graph_from_onnx(folder, NULL, &g, &err));
    for (n = 0; n < m.n; ++n) { /* truncated */
        const litz_status status = litz_graph_from_onnx_memory(m.bytes, n, NULL, NULL, &g, &error);
        CHECK(status != LITZ_ERROR_INTERNAL);
        if (status == LITZ_OK) litz_graph_release(g);
        litz_error_release(error);
        error = NULL;
        g = NULL;
    }
    snprintf(path, sizeof path, "%s/broken.onnx", folder);
    write_file(path, m.bytes, m.n / 2);
    FAILS(LITZ_ERROR_PARSE, "broken.onnx", litz_graph_from_onnx(path, NULL, &g, &err));
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    models_run(argv[1], argv[2]);
    what_is_refused(argv[2]);
    broken_models(argv[2]);
    puts("onnx: all right");
    return 0;
}
