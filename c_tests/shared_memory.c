/* Who holds weights: clones, programs of one family, artifacts that are opened; what an update makes anew, and what memory can be
 * given back. argv[1] is a folder. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "layers.h"
#include <unistd.h>

static litz_options *options;

static void clones_share(const char *path) {
    litz_executable *e = NULL, *clones[3];
    long long packed, rss;
    double sum;
    int k;
    OK(litz_executable_open(path, NULL, &e, &err));
    sum = run_layers(e, 8);
    packed = stat_of("packed_weights", "bytes");
    CHECK(packed >= WEIGHT_BYTES && packed < WEIGHT_BYTES * 11 / 10);
    /* What was packed is not held as it was given, too. */
    CHECK(stat_of("weights", "bytes") < MB);
    rss = process_memory("VmRSS:");
    for (k = 0; k < 3; ++k) {
        clones[k] = NULL;
        OK(litz_executable_clone(e, &clones[k], &err));
        CHECK(run_layers(clones[k], 8) == sum);
    }
    CHECK(stat_of("packed_weights", "bytes") == packed);
    CHECK(process_memory("VmRSS:") - rss < 2 * MB);
    litz_executable_release(e);
    for (k = 0; k < 3; ++k) {
        CHECK(run_layers(clones[k], 8) == sum);
        litz_executable_release(clones[k]);
    }
    CHECK(stat_of("packed_weights", "bytes") == 0);
}

static void an_update_makes_its_part(const char *path) {
    static float bias[WIDTH], weight[WIDTH * WIDTH];
    int64_t shape[2] = {WIDTH, WIDTH};
    DLTensor tensor = float_tensor(bias, 1, shape);
    const DLTensor *data[1];
    const char *names[1] = {"b3"};
    litz_executable *e = NULL, *clone = NULL;
    struct DLManagedTensorVersioned *was = NULL;
    long long packed, weights;
    double sum;
    OK(litz_executable_open(path, NULL, &e, &err));
    sum = run_layers(e, 8);
    OK(litz_executable_clone(e, &clone, &err));
    packed = stat_of("packed_weights", "bytes");
    weights = stat_of("weights", "bytes");
    data[0] = &tensor;
    OK(litz_executable_update_constants(e, names, data, 1, &err));
    CHECK(run_layers(e, 8) != sum && run_layers(clone, 8) == sum);
    /* No matrix was packed for a bias, not even for a moment. */
    CHECK(stat_of("packed_weights", "bytes") < packed + MB / 4);
    CHECK(stat_of("packed_weights", "peak_bytes") < packed + MB / 4);
    CHECK(stat_of("weights", "bytes") - weights < MB / 4);
    /* The old values come from the file. */
    OK(litz_executable_constant(clone, "w5", &was, &err));
    CHECK(memcmp(was->dl_tensor.data, layer_weights[5], sizeof weight) == 0);
    was->deleter(was);
    /* A matrix is packed alone. */
    names[0] = "w5";
    tensor = float_tensor(weight, 2, shape);
    OK(litz_executable_update_constants(e, names, data, 1, &err));
    CHECK(stat_of("packed_weights", "bytes") < packed + 2 * MB);
    CHECK(run_layers(clone, 8) == sum);
    litz_executable_release(clone);
    litz_executable_release(e);
}

/* Programs of one graph, of its clone and of another graph over the same constants. */
static void families_share(void) {
    litz_graph *g = layers(LITZ_CONSTANT_BORROW), *copy = NULL, *other = layers(LITZ_CONSTANT_BORROW);
    litz_executable *e[3] = {NULL, NULL, NULL};
    long long packed;
    double sum;
    int k;
    OK(litz_graph_clone(g, &copy, &err));
    OK(litz_compile(g, options, &e[0], &err));
    packed = stat_of("packed_weights", "bytes");
    CHECK(packed >= WEIGHT_BYTES && packed < WEIGHT_BYTES * 11 / 10);
    OK(litz_compile(copy, options, &e[1], &err));
    OK(litz_compile(other, options, &e[2], &err));
    CHECK(stat_of("packed_weights", "bytes") < packed + MB / 4);
    CHECK(stat_of("weights", "bytes") < MB);
    litz_graph_release(g);
    litz_graph_release(copy);
    litz_graph_release(other);
    sum = run_layers(e[0], 8);
    litz_executable_release(e[0]);
    for (k = 1; k < 3; ++k) {
        CHECK(run_layers(e[k], 8) == sum);
        litz_executable_release(e[k]);
    }
    CHECK(stat_of("packed_weights", "bytes") == 0);
}

/* Constants that the library copied are held once, too, and are there when somebody asks for them. */
static void copies_are_held_once(const char *path) {
    static float half[WIDTH * WIDTH];
    int64_t shape[2] = {WIDTH, WIDTH};
    DLTensor tensor = float_tensor(half, 2, shape);
    const DLTensor *data[1];
    const char *names[1] = {"w2"};
    litz_graph *g = layers(0);
    litz_executable *e = NULL, *clone = NULL;
    struct DLManagedTensorVersioned *now = NULL;
    char name[32], saved[4096];
    double sum;
    int l;
    OK(litz_compile(g, options, &e, &err));
    litz_graph_release(g);
    CHECK(stat_of("packed_weights", "bytes") < WEIGHT_BYTES * 11 / 10 && stat_of("weights", "bytes") < MB);
    sum = run_layers(e, 8);
    OK(litz_executable_clone(e, &clone, &err));
    data[0] = &tensor;
    OK(litz_executable_update_constants(clone, names, data, 1, &err));
    for (l = 0; l < LAYERS; ++l) {
        snprintf(name, sizeof name, "w%d", l);
        OK(litz_executable_constant(e, name, &now, &err));
        CHECK(memcmp(now->dl_tensor.data, layer_weights[l], sizeof half) == 0);
        now->deleter(now);
        OK(litz_executable_constant(clone, name, &now, &err));
        CHECK(memcmp(now->dl_tensor.data, l == 2 ? half : layer_weights[l], sizeof half) == 0);
        now->deleter(now);
    }
    CHECK(stat_of("weights", "bytes") < 2 * MB);
    /* What is saved is what would have been compiled. */
    snprintf(saved, sizeof saved, "%s.saved", path);
    OK(litz_executable_save(e, saved, &err));
    litz_executable_release(clone);
    litz_executable_release(e);
    e = NULL;
    OK(litz_executable_open(saved, NULL, &e, &err));
    CHECK(run_layers(e, 8) == sum);
    litz_executable_release(e);
}

/* One matrix that is looked up, multiplied by, and whose halves are multiplied by. */
static litz_graph *one_matrix(int halves) {
    litz_graph *g = NULL;
    int64_t shape[2] = {WIDTH, WIDTH}, places[1] = {4};
    litz_value ids, w, x, part;
    DLTensor tensor = float_tensor(layer_weights[0], 2, shape);
    litz_tensor_spec spec = float_spec(1, places, NULL);
    litz_arg args[4];
    size_t n = 0;
    int h;
    spec.dtype.code = kDLInt;
    spec.dtype.bits = 64;
    OK(litz_graph_new("one_matrix", NULL, &g, &err));
    OK(litz_graph_input(g, "ids", &spec, &ids, &err));
    OK(litz_graph_constant(g, "w", LITZ_CONSTANT_PARAMETER, 0, &tensor, &w, &err));
    args[0] = value_arg(w);
    args[1] = value_arg(ids);
    OK(litz_graph_call(g, "aten.embedding", args, 2, &x, 1, &n, &err));
    if (!halves) OK(litz_graph_output(g, "rows", x, &err));
    if (halves) {
        spec = float_spec(2, shape, NULL);
        OK(litz_graph_input(g, "x", &spec, &x, &err));
    }
    for (h = 0; h < (halves ? 2 : 1); ++h) {
        part = w;
        if (halves) {
            args[0] = value_arg(w);
            args[1] = int_arg(0);
            args[2] = int_arg(h * WIDTH / 2);
            args[3] = int_arg((h + 1) * WIDTH / 2);
            OK(litz_graph_call(g, "aten.slice.Tensor", args, 4, &part, 1, &n, &err));
        }
        args[0] = value_arg(x);
        args[1] = value_arg(part);
        OK(litz_graph_call(g, "aten.linear", args, 2, &part, 1, &n, &err));
        OK(litz_graph_output(g, h ? "z" : "y", part, &err));
    }
    return g;
}

static void looked_up(const litz_executable *e, const float *weights) {
    int64_t ids[4] = {0, 33, 511, 100}, shape[1] = {4};
    DLTensor in = float_tensor((float *)ids, 1, shape);
    const DLTensor *inputs[1];
    struct DLManagedTensorVersioned *out[2] = {NULL, NULL};
    int k;
    in.dtype.code = kDLInt;
    in.dtype.bits = 64;
    inputs[0] = &in;
    OK(litz_executable_run(e, inputs, 1, out, 2, NULL, &err));
    for (k = 0; k < 4; ++k)
        CHECK(memcmp((float *)out[0]->dl_tensor.data + k * WIDTH, weights + ids[k] * WIDTH, 4 * WIDTH) == 0);
    out[0]->deleter(out[0]);
    out[1]->deleter(out[1]);
}

static void one_matrix_is_held_once(void) {
    static float half[WIDTH * WIDTH];
    int64_t shape[2] = {WIDTH, WIDTH};
    DLTensor tensor = float_tensor(half, 2, shape);
    const DLTensor *data[1];
    const char *names[1] = {"w"};
    litz_graph *g = one_matrix(0);
    litz_executable *e = NULL, *clone = NULL;
    struct DLManagedTensorVersioned *now = NULL;
    int k;
    for (k = 0; k < WIDTH * WIDTH; ++k) half[k] = 0.5f * (float)(k % 1000);
    OK(litz_compile(g, options, &e, &err));
    litz_graph_release(g);
    CHECK(stat_of("packed_weights", "bytes") == MB && stat_of("weights", "bytes") == 0);
    looked_up(e, layer_weights[0]);
    OK(litz_executable_constant(e, "w", &now, &err));
    CHECK(memcmp(now->dl_tensor.data, layer_weights[0], sizeof half) == 0);
    now->deleter(now);
    /* What is looked up follows an update, here alone. */
    OK(litz_executable_clone(e, &clone, &err));
    data[0] = &tensor;
    OK(litz_executable_update_constants(clone, names, data, 1, &err));
    looked_up(clone, half);
    looked_up(e, layer_weights[0]);
    litz_executable_release(clone);
    litz_executable_release(e);
    /* Products of its halves pack all of it. */
    g = one_matrix(1);
    OK(litz_compile(g, options, &e, &err));
    litz_graph_release(g);
    CHECK(stat_of("packed_weights", "bytes") == MB && stat_of("weights", "bytes") == 0);
    OK(litz_executable_constant(e, "w", &now, &err));
    CHECK(memcmp(now->dl_tensor.data, layer_weights[0], sizeof half) == 0);
    now->deleter(now);
    litz_executable_release(e);
}

/* The most that is resident while a call works, beyond what was before it. */
static long long peak_begins(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    OK(litz_memory_release(kDLCPU, 0, &err));
    CHECK(file != NULL && fputs("5", file) >= 0 && fclose(file) == 0);
    return process_memory("VmRSS:");
}

static long read_whole(const char *path, char **bytes) {
    FILE *file = fopen(path, "rb");
    long size;
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    size = ftell(file);
    CHECK(size > 0 && fseek(file, 0, SEEK_SET) == 0);
    *bytes = malloc((size_t)size);
    CHECK(*bytes != NULL && fread(*bytes, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    return size;
}

/* Making a program takes little more memory than its weights, packed from the graph's data or from a file. This holds for every
 * layout of the weight: rows that become panels, columns that become panels, and filters. */
static void loading_takes_the_weights(const char *folder, const char *operator) {
    enum { LARGE = 4096, CHANNELS = 1024 };
    const int filters = strcmp(operator, "aten.conv2d") == 0;
    const size_t count = filters ? 9 * CHANNELS * CHANNELS : LARGE * LARGE;
    const long long most = 4ll * (long long)count * 11 / 10;
    int64_t matrix[2] = {LARGE, LARGE}, rows[2] = {8, LARGE}, of_filters[4] = {CHANNELS, CHANNELS, 3, 3};
    int64_t image[4] = {1, CHANNELS, 6, 6};
    float *weight = malloc(sizeof(float) * count);
    DLTensor tensor = float_tensor(weight, filters ? 4 : 2, filters ? of_filters : matrix);
    litz_tensor_spec spec = float_spec(filters ? 4 : 2, filters ? image : rows, NULL);
    litz_value x, w;
    litz_arg args[2];
    litz_graph *g = NULL;
    litz_executable *e = NULL;
    char path[4096];
    char *bytes = NULL;
    long long before;
    size_t n = 0, size, k;
    CHECK(weight != NULL);
    for (k = 0; k < count; ++k) weight[k] = (float)(k % 1021);
    OK(litz_graph_new("large", NULL, &g, &err));
    OK(litz_graph_input(g, "x", &spec, &x, &err));
    OK(litz_graph_constant(g, "w", LITZ_CONSTANT_PARAMETER, 0, &tensor, &w, &err));
    free(weight);
    args[0] = value_arg(x);
    args[1] = value_arg(w);
    OK(litz_graph_call(g, operator, args, 2, &x, 1, &n, &err));
    OK(litz_graph_output(g, "y", x, &err));
    snprintf(path, sizeof path, "%s/large.so", folder);
    OK(litz_compile_artifact(g, options, path, &err));
    before = peak_begins();
    OK(litz_compile(g, options, &e, &err));
    CHECK(process_memory("VmHWM:") - before < most);
    litz_executable_release(e);
    litz_graph_release(g);
    e = NULL;
    before = peak_begins();
    OK(litz_executable_open(path, options, &e, &err));
    CHECK(process_memory("VmHWM:") - before < most);
    litz_executable_release(e);
    e = NULL;
    /* Out of the host's memory, which is the host's again when the call returns. */
    size = (size_t)read_whole(path, &bytes);
    before = peak_begins();
    OK(litz_executable_open_memory(bytes, size, options, &e, &err));
    CHECK(process_memory("VmHWM:") - before < most);
    free(bytes);
    litz_executable_release(e);
    remove(path);
}

static void memory_is_given_back(const litz_executable *e) {
    long long before, after, rss;
    double sum;
    long k;
    run_layers(e, 8);
    /* A run's tables wait for the next run; beside them is what each thread needs for itself, from its first part of a run on. */
    before = stat_of("frames", "blocks");
    CHECK(before > 0 && stat_of("frames", "bytes") > 0);
    for (k = 0; k < 2 * sysconf(_SC_NPROCESSORS_ONLN) + 8; ++k) run_layers(e, 8);
    CHECK(stat_of("frames", "blocks") <= before + sysconf(_SC_NPROCESSORS_ONLN));
    OK(litz_memory_release(kDLCPU, 0, &err));
    CHECK(stat_of("frames", "bytes") == 0 && stat_of("frames", "blocks") == 0);
    before = stat_of("arenas", "bytes");
    CHECK(before == 0);
    rss = process_memory("VmRSS:");
    sum = run_layers(e, 4096);
    CHECK(stat_of("arenas", "bytes") >= 4ll * 4096 * WIDTH);
    OK(litz_memory_release(kDLCPU, 0, &err));
    after = process_memory("VmRSS:");
    CHECK(stat_of("arenas", "bytes") == 0 && after - rss < 2 * MB);
    CHECK(run_layers(e, 4096) == sum);
    OK(litz_memory_release(kDLCPU, 0, &err));
}

int main(int argc, char **argv) {
    char path[4096];
    litz_graph *g;
    litz_executable *e = NULL;
    CHECK(argc == 2);
    make_weights();
    OK(litz_options_new(&options, &err));
    OK(litz_options_set(options, "backend", "cpu", &err));
    OK(litz_options_set(options, "cpu.threads", "1", &err));
    snprintf(path, sizeof path, "%s/layers.so", argv[1]);
    g = layers(0);
    OK(litz_compile_artifact(g, options, path, &err));
    an_update_makes_its_part(path);
    clones_share(path);
    families_share();
    copies_are_held_once(path);
    one_matrix_is_held_once();
    loading_takes_the_weights(argv[1], "aten.linear");
    loading_takes_the_weights(argv[1], "aten.mm");
    loading_takes_the_weights(argv[1], "aten.conv2d");
    OK(litz_executable_open(path, NULL, &e, &err));
    memory_is_given_back(e);
    litz_executable_release(e);
    OK(litz_compile(g, options, &e, &err));
    litz_graph_release(g);
    memory_is_given_back(e);
    litz_executable_release(e);
    CHECK(stat_of("packed_weights", "bytes") == 0 && stat_of("weights", "bytes") == 0 && stat_of("frames", "bytes") == 0);
    litz_options_release(options);
    free_weights();
    puts("shared memory: all right");
    return 0;
}
