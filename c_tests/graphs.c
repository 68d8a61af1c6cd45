/* Compiles the graphs in files of Litz text and runs each twice, on made-up inputs whose memory ends where they do.
 * Arguments: options (key=value), then `--`, then files. */
#include "check.h"

enum { MOST = 16 };

static DLTensor tensors[MOST];
static const DLTensor *inputs[MOST];

static void make_input(const litz_executable *e, size_t k) {
    litz_tensor_info info;
    DLTensor *t = &tensors[k];
    size_t bytes, i;
    int32_t d;
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    OK(litz_executable_info(e, LITZ_INFO_INPUT, k, &info, &err));
    memset(t, 0, sizeof *t);
    t->device.device_type = kDLCPU;
    t->dtype = info.dtype;
    t->ndim = info.ndim;
    t->shape = (int64_t *)calloc((size_t)info.ndim + 1, sizeof(int64_t));
    CHECK(t->shape != NULL);
    bytes = info.dtype.bits / 8;
    for (d = 0; d < info.ndim; ++d) {
        CHECK(info.min_shape[d] == info.max_shape[d]);
        t->shape[d] = info.min_shape[d];
        bytes *= (size_t)t->shape[d];
    }
    t->data = malloc(bytes > 0 ? bytes : 1);
    CHECK(t->data != NULL);
    for (i = 0; i < bytes; ++i) ((unsigned char *)t->data)[i] = (unsigned char)(i * 37 % 64);
    inputs[k] = t;
}

static void go_through(const char *path, const litz_options *o) {
    static char text[1 << 20];
    FILE *file = fopen(path, "rb");
    litz_graph *g = NULL;
    litz_executable *e = NULL;
    struct DLManagedTensorVersioned *made[MOST] = {NULL};
    size_t n_inputs, n_outputs, k, size;
    int run;
    CHECK(file != NULL);
    size = fread(text, 1, sizeof text, file);
    fclose(file);
    CHECK(size < sizeof text);
    OK(litz_graph_from_text(text, size, NULL, &g, &err));
    OK(litz_compile(g, o, &e, &err));
    n_inputs = litz_executable_num_inputs(e);
    n_outputs = litz_executable_num_outputs(e);
    CHECK(n_inputs <= MOST && n_outputs <= MOST);
    for (k = 0; k < n_inputs; ++k) make_input(e, k);
    for (run = 0; run < 2; ++run) {
        OK(litz_executable_run(e, inputs, n_inputs, made, n_outputs, NULL, &err));
        for (k = 0; k < n_outputs; ++k) made[k]->deleter(made[k]);
    }
    for (k = 0; k < n_inputs; ++k) {
        free(tensors[k].data);
        free(tensors[k].shape);
    }
    litz_executable_release(e);
    litz_graph_release(g);
}

int main(int argc, char **argv) {
    litz_options *o = NULL;
    int a;
    OK(litz_options_new(&o, &err));
    for (a = 1; a < argc && strcmp(argv[a], "--") != 0; ++a) {
        char *value = strchr(argv[a], '=');
        CHECK(value != NULL);
        *value++ = 0;
        OK(litz_options_set(o, argv[a], value, &err));
    }
    for (++a; a < argc; ++a) {
        printf("%s\n", argv[a]);
        fflush(stdout);
        go_through(argv[a], o);
    }
    litz_options_release(o);
    puts("graphs: all right");
    return 0;
}
