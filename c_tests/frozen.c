/* Artifacts of programs with `freeze=true`: what was made of constants stands in their place, in memory and in the file. argv[1] is a
 * folder to write into. */
#include "check.h"
#include <dlfcn.h>
#include <litz/artifact.h>

#define N 192
#define BYTES ((long)(N * N * sizeof(float)))

static int64_t square[2] = {N, N};
static float w[N * N], v[N * N], x[N * N];

static litz_value call(litz_graph *g, const char *op, litz_value a, litz_value b) {
    litz_arg args[2];
    litz_value out = 0;
    size_t n = 0;
    args[0] = value_arg(a);
    args[1] = value_arg(b);
    OK(litz_graph_call(g, op, args, 2, &out, 1, &n, &err));
    return out;
}

/* y = x @ (w + v), and with `kept` z = x + w, for which a run reads `w`. */
static litz_graph *graph(int kept) {
    litz_graph *g = NULL;
    litz_value in, first, second;
    const litz_tensor_spec spec = float_spec(2, square, NULL);
    DLTensor tensor = float_tensor(w, 2, square);
    OK(litz_graph_new("frozen", NULL, &g, &err));
    OK(litz_graph_input(g, "x", &spec, &in, &err));
    OK(litz_graph_constant(g, "w", LITZ_CONSTANT_PARAMETER, 0, &tensor, &first, &err));
    tensor = float_tensor(v, 2, square);
    OK(litz_graph_constant(g, "v", LITZ_CONSTANT_PARAMETER, 0, &tensor, &second, &err));
    OK(litz_graph_output(g, "y", call(g, "aten.mm.default", in, call(g, "aten.add.Tensor", first, second)), &err));
    if (kept) OK(litz_graph_output(g, "z", call(g, "aten.add.Tensor", in, first), &err));
    return g;
}

/* Bytes that programs hold, of one kind. */
static long held(const char *kind) {
    litz_string *json = NULL;
    char words[64];
    const char *at;
    long bytes;
    snprintf(words, sizeof words, "\"%s\":{\"bytes\":", kind);
    OK(litz_memory_stats(1, 0, &json, &err));
    at = strstr(litz_string_data(json), words);
    CHECK(at != NULL);
    bytes = strtol(at + strlen(words), NULL, 10);
    litz_string_release(json);
    return bytes;
}

/* The list of folded constants in a description, from malloc. */
static char *folded(const litz_executable *e) {
    litz_string *json = NULL;
    const char *from, *to;
    char *list;
    OK(litz_executable_describe(e, &json, &err));
    from = strstr(litz_string_data(json), "\"folded\":[");
    CHECK(from != NULL && (to = strstr(from, "}]")) != NULL);
    list = calloc(1, (size_t)(to - from) + 1);
    CHECK(list != NULL);
    memcpy(list, from, (size_t)(to - from));
    litz_string_release(json);
    return list;
}

static void check_list(const litz_executable *e, const char *as) {
    char *list = folded(e);
    CHECK(strstr(list, "\"_FOLDED_CONST_0\"") != NULL && strstr(list, "_FOLDED_CONST_1") == NULL);
    CHECK(strstr(list, "\"from\":[\"w\",\"v\"],\"nodes\":[\"") != NULL);
    CHECK(!as || strcmp(list, as) == 0);
    free(list);
}

static void check_run(const litz_executable *e, int kept) {
    DLTensor input = float_tensor(x, 2, square);
    const DLTensor *inputs[1];
    struct DLManagedTensorVersioned *made[2] = {NULL, NULL};
    int row, column, k;
    inputs[0] = &input;
    OK(litz_executable_run(e, inputs, 1, made, kept ? 2 : 1, NULL, &err));
    for (row = 0; row < N; row += 7)
        for (column = 0; column < N; column += 5) {
            float want = 0;
            for (k = 0; k < N; ++k) want += x[row * N + k] * (w[k * N + column] + v[k * N + column]);
            CHECK(((const float *)made[0]->dl_tensor.data)[row * N + column] == want); /* small whole numbers */
            CHECK(!kept || ((const float *)made[1]->dl_tensor.data)[row * N + column] == x[row * N + column] + w[row * N + column]);
        }
    litz_tensor_release(made[0]);
    if (kept) litz_tensor_release(made[1]);
}

static void check_frozen(litz_executable *e, const char *dropped, const char *frozen) {
    DLTensor tensor = float_tensor(w, 2, square);
    const DLTensor *data = &tensor;
    struct DLManagedTensorVersioned *made = NULL;
    litz_executable *copy = NULL;
    char words[64];
    snprintf(words, sizeof words, "constant `%s`", frozen);
    FAILS(LITZ_ERROR_STATE, words, litz_executable_update_constants(e, &frozen, &data, 1, &err));
    snprintf(words, sizeof words, "constant `%s`: it was dropped", dropped);
    FAILS(LITZ_ERROR_STATE, words, litz_executable_constant(e, dropped, &made, &err));
    FAILS(LITZ_ERROR_STATE, words, litz_executable_save_constants(e, "nowhere.safetensors", &err));
    OK(litz_executable_clone(e, &copy, &err));
    FAILS(LITZ_ERROR_STATE, words, litz_executable_constant(copy, dropped, &made, &err));
    litz_executable_release(copy);
}

/* An opened program is the same in all respects, and so is what it saves. */
static void check_opened(const char *path, const char *again, const char *list, int kept, int generations) {
    litz_executable *e = NULL;
    const long weights = held("weights"), packed = held("packed_weights");
    OK(litz_executable_open(path, NULL, &e, &err));
    check_list(e, list);
    check_frozen(e, kept ? "v" : "w", "w");
    check_run(e, kept);
    /* One matrix is read by runs, where it lies in the file: nothing was packed. */
    CHECK(held("packed_weights") == packed);
    CHECK(held("weights") - weights >= BYTES && held("weights") - weights < (kept ? 2 : 1) * BYTES + 4096);
    if (generations) {
        OK(litz_executable_save(e, again, &err));
        litz_executable_release(e);
        CHECK(file_bytes(again) == file_bytes(path));
        check_opened(again, path, list, kept, generations - 1);
    } else {
        litz_executable_release(e);
    }
    CHECK(held("weights") == weights && held("packed_weights") == packed);
}

/* Without the library, too. */
static void check_alone(const char *path) {
    char error[256] = "";
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *self = NULL;
    litz_artifact_entry_fn get;
    const litz_artifact_api *api;
    const char *name = "v";
    static float y[N * N];
    DLTensor input = float_tensor(x, 2, square), output = float_tensor(y, 2, square), tensor = float_tensor(v, 2, square), view;
    const DLTensor *inputs[1], *outputs[1], *data = &tensor;
    int k;
    float want = 0;
    CHECK(library != NULL);
    *(void **)&get = dlsym(library, LITZ_ARTIFACT_ENTRY);
    CHECK(get != NULL);
    api = get();
    inputs[0] = &input;
    outputs[0] = &output;
    CHECK(api->create(NULL, 0, &self, error, sizeof error) == LITZ_OK);
    CHECK(api->run(self, inputs, 1, outputs, 1, NULL, error, sizeof error) == LITZ_OK);
    for (k = 0; k < N; ++k) want += x[k] * (w[k * N] + v[k * N]);
    CHECK(y[0] == want);
    CHECK(api->update_constants(self, &name, &data, 1, error, sizeof error) == LITZ_ERROR_STATE && strstr(error, "`v`") != NULL);
    CHECK(api->constant(self, 1, &view, error, sizeof error) == LITZ_ERROR_STATE && strstr(error, "`v`: it was dropped") != NULL);
    api->destroy(self);
    dlclose(library);
}

static void artifacts(const char *folder, int kept) {
    litz_options *o = NULL;
    litz_executable *e = NULL;
    litz_graph *g = graph(kept);
    char thawed[512], path[512], saved[512], again[512], *list;
    const long weights = held("weights"), packed = held("packed_weights");
    OK(litz_options_new(&o, &err));
    snprintf(thawed, sizeof thawed, "%s/thawed%d.so", folder, kept);
    snprintf(path, sizeof path, "%s/frozen%d.so", folder, kept);
    snprintf(saved, sizeof saved, "%s/saved%d.so", folder, kept);
    snprintf(again, sizeof again, "%s/again%d.so", folder, kept);
    OK(litz_compile_artifact(g, o, thawed, &err));
    OK(litz_options_set(o, "freeze", "true", &err));
    OK(litz_compile_artifact(g, o, path, &err));
    /* One matrix stands in the place of two, beside those that runs read. */
    CHECK(file_bytes(thawed) - file_bytes(path) > (kept ? 0 : BYTES) - BYTES / 4);
    CHECK(file_bytes(path) < file_bytes(thawed) + 4096);
    CHECK(held("weights") == weights && held("packed_weights") == packed);
    OK(litz_compile(g, o, &e, &err));
    check_list(e, NULL);
    check_frozen(e, kept ? "v" : "w", "w");
    check_run(e, kept);
    list = folded(e);
    OK(litz_executable_save(e, saved, &err));
    litz_executable_release(e);
    CHECK(file_bytes(saved) == file_bytes(path));
    check_opened(path, again, list, kept, 0);
    check_opened(saved, again, list, kept, 1);
    if (!kept) check_alone(again);
    free(list);
    litz_options_release(o);
    litz_graph_release(g);
}

/* `a` is written to, and may share memory with `b`: then another form of the program runs, which makes the same of its constants. */
static const char *const shared_text =
    "graph \"g\" {\n"
    "  input %0 \"a\": float32[2]\n"
    "  input %1 \"b\": float32[2]\n"
    "  parameter %2 \"w\": float32[2, 2] = [1.0, 2.0, 3.0, 4.0]\n"
    "  parameter %3 \"v\": float32[2, 2] = [1.0, 1.0, 1.0, 1.0]\n"
    "  %4 = aten.add.Tensor(%2, %3)\n"
    "  %5 = aten.add_.Scalar(%0, 1)\n"
    "  %6 = aten.mv.default(%4, %0)\n"
    "  %7 = aten.add.Tensor(%6, %1)\n"
    "  output \"y\" = %7\n"
    "}\n";

static void check_shared(const litz_executable *e) {
    int apart;
    for (apart = 0; apart < 3; ++apart) {
        float memory[4] = {1, 2, 3, 4};
        const float want[3][2] = {{13 + 2, 23 + 3}, {13 + 3, 23 + 3}, {13 + 3, 23 + 4}};
        int64_t two = 2;
        DLTensor a = float_tensor(memory, 1, &two), b = float_tensor(memory + apart, 1, &two);
        const DLTensor *inputs[2];
        struct DLManagedTensorVersioned *made = NULL;
        inputs[0] = &a;
        inputs[1] = &b;
        OK(litz_executable_run(e, inputs, 2, &made, 1, NULL, &err));
        CHECK(memory[0] == 2 && memory[1] == 3);
        CHECK(((const float *)made->dl_tensor.data)[0] == want[apart][0] && ((const float *)made->dl_tensor.data)[1] == want[apart][1]);
        litz_tensor_release(made);
    }
}

static void inputs_that_share_memory(const char *folder) {
    char path[512], saved[512], again[512];
    litz_options *o = NULL;
    litz_executable *e = NULL;
    litz_graph *g = graph_of(shared_text);
    snprintf(saved, sizeof saved, "%s/shared_saved.so", folder);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "freeze", "true", &err));
    OK(litz_compile(g, o, &e, &err));
    check_list(e, NULL);
    check_shared(e);
    snprintf(path, sizeof path, "%s/shared.so", folder);
    snprintf(again, sizeof again, "%s/shared_again.so", folder);
    OK(litz_compile_artifact(g, o, path, &err));
    /* The program holds its form, whose constants are gone with its own. */
    OK(litz_executable_save(e, saved, &err));
    CHECK(file_bytes(saved) == file_bytes(path));
    litz_executable_release(e);
    OK(litz_executable_open(saved, NULL, &e, &err));
    check_shared(e);
    litz_executable_release(e);
    OK(litz_executable_open(path, NULL, &e, &err));
    check_list(e, NULL);
    check_shared(e);
    OK(litz_executable_save(e, again, &err));
    litz_executable_release(e);
    OK(litz_executable_open(again, NULL, &e, &err));
    check_shared(e);
    litz_executable_release(e);
    litz_options_release(o);
    litz_graph_release(g);
}

/* Programs for several instruction sets keep what each makes its own of: instances drop it, and files hold it. */
static void several_instruction_sets(const char *folder, const char *weights, const char *text) {
    litz_options *o = NULL, *scalar = NULL;
    litz_executable *e = NULL, *copy = NULL;
    litz_graph *g = text ? graph_of(text) : graph(1);
    char path[512], saved[512], again[512];
    int k;
    snprintf(path, sizeof path, "%s/several_%s%d.so", folder, weights, text != NULL);
    snprintf(saved, sizeof saved, "%s/several_saved_%s%d.so", folder, weights, text != NULL);
    snprintf(again, sizeof again, "%s/several_again_%s%d.so", folder, weights, text != NULL);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "freeze", "true", &err));
    OK(litz_options_set(o, "cpu.isa", "scalar,avx2", &err));
    OK(litz_options_set(o, "artifact.weights", weights, &err));
    OK(litz_options_new(&scalar, &err));
    OK(litz_options_set(scalar, "cpu.isa", "scalar", &err));
    OK(litz_compile_artifact(g, o, path, &err));
    OK(litz_compile(g, o, &e, &err));
    litz_graph_release(g);
    if (!text) check_frozen(e, "v", "w");
    OK(litz_executable_clone(e, &copy, &err));
    litz_executable_release(e);
    OK(litz_executable_save(copy, saved, &err));
    litz_executable_release(copy);
    CHECK(file_bytes(saved) == file_bytes(path));
    for (k = 0; k < 4; ++k) {
        OK(litz_executable_open(k < 2 ? saved : again, k % 2 ? scalar : NULL, &e, &err));
        if (text) {
            check_shared(e);
        } else {
            check_run(e, 1);
            check_frozen(e, "v", "w");
        }
        if (k < 2) OK(litz_executable_save(e, again, &err));
        litz_executable_release(e);
        CHECK(file_bytes(again) == file_bytes(path));
    }
    litz_options_release(o);
    litz_options_release(scalar);
}

/* What a host had in memory is not there to be saved. */
static void several_in_memory(const char *folder) {
    char path[512];
    litz_executable *e = NULL;
    const long size = (snprintf(path, sizeof path, "%s/several_inside0.so", folder), file_bytes(path));
    char *bytes = malloc((size_t)size);
    FILE *file = fopen(path, "rb");
    CHECK(bytes && file && fread(bytes, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    OK(litz_executable_open_memory(bytes, (size_t)size, NULL, &e, &err));
    free(bytes);
    check_run(e, 1);
    FAILS(LITZ_ERROR_STATE, "`v`: it was dropped", litz_executable_save(e, path, &err));
    litz_executable_release(e);
}

int main(int argc, char **argv) {
    int k;
    CHECK(argc == 2);
    for (k = 0; k < N * N; ++k) {
        w[k] = (float)(k % 7 - 3);
        v[k] = (float)(k % 5 - 2);
        x[k] = (float)(k % 3 - 1);
    }
    artifacts(argv[1], 0);
    artifacts(argv[1], 1);
    inputs_that_share_memory(argv[1]);
    several_instruction_sets(argv[1], "inside", NULL);
    several_instruction_sets(argv[1], "external", NULL);
    several_instruction_sets(argv[1], "inside", shared_text);
    several_in_memory(argv[1]);
    puts("all right");
    return 0;
}
