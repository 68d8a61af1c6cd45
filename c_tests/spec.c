/* Signatures: of an archive, a graph made by hand, an executable and an artifact; and what is wrong with one. */
#include "check.h"

#include <dlfcn.h>
#include <litz/artifact.h>
#include <stddef.h>

/* Whether a text is in the JSON that `litz_graph_spec` or `litz_executable_spec` gave, which is released. */
static int holds(litz_string *json, const char *words) {
    int found = strstr(litz_string_data(json), words) != NULL;
    if (!found) fprintf(stderr, "no %s in %s\n", words, litz_string_data(json));
    litz_string_release(json);
    return found;
}

static litz_string *graph_spec(const litz_graph *g) {
    litz_string *json = NULL;
    OK(litz_graph_spec(g, &json, &err));
    return json;
}

static litz_string *executable_spec(const litz_executable *e) {
    litz_string *json = NULL;
    OK(litz_executable_spec(e, &json, &err));
    return json;
}

static void of_a_graph_made_by_hand(void) {
    static const char spec[] = "{\"inputs\": [{\"path\": \"args[0]\", \"name\": \"x\", \"shape\": [\"n\", 3]},"
                               " {\"path\": \"kwargs.mode\", \"kind\": \"fixed\", \"value\": \"fast\"}],"
                               " \"outputs\": [{\"path\": \"output\"}]}";
    litz_graph *g = linear_relu(), *copy = NULL;
    litz_string *json;
    CHECK(holds(graph_spec(g), "\"path\":\"args[0]\",\"name\":\"x\",\"kind\":\"tensor\",\"dtype\":\"float32\",\"shape\":[\"n\",3]"));
    CHECK(holds(graph_spec(g), "\"in_tree\":null"));
    OK(litz_graph_set_spec(g, spec, &err));
    OK(litz_graph_set_metadata(g, "author", "somebody", &err));
    OK(litz_graph_set_metadata(g, "gone", "soon", &err));
    OK(litz_graph_set_metadata(g, "gone", NULL, &err));
    CHECK(holds(graph_spec(g), "{\"path\":\"kwargs.mode\",\"kind\":\"fixed\",\"type\":\"string\",\"value\":\"fast\"}"));
    CHECK(holds(graph_spec(g), "\"metadata\":{\"author\":\"somebody\"}"));
    OK(litz_graph_clone(g, &copy, &err));
    CHECK(holds(graph_spec(copy), "kwargs.mode"));
    /* What was given is what may be set. */
    json = graph_spec(g);
    OK(litz_graph_set_spec(copy, litz_string_data(json), &err));
    litz_string_release(json);
    FAILS(LITZ_ERROR_PARSE, "not valid JSON", litz_graph_set_spec(g, "{", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`sides` is no member", litz_graph_set_spec(g, "{\"sides\": []}", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "the graph has 1 inputs", litz_graph_set_spec(g, "{\"inputs\": []}", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "a: its dtype is \"int8\", where the program has \"float32\"",
          litz_graph_set_spec(g, "{\"inputs\": [{\"path\": \"a\", \"dtype\": \"int8\"}]}", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "out_tree: its version", litz_graph_set_spec(g, "{\"out_tree\": \"[7, {}]\"}", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`key` is empty", litz_graph_set_metadata(g, "", "x", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "UTF-8", litz_graph_set_metadata(g, "x", "\xff", &err));
    /* None of these changed it. */
    CHECK(holds(graph_spec(g), "kwargs.mode"));
    litz_graph_release(copy);
    litz_graph_release(g);
}

/* Outputs of one storage: their strides, and whose memory they are. */
static void of_tensors(const litz_executable *e) {
    litz_tensor_info info;
    const size_t first_version = offsetof(litz_tensor_info, strides);
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    OK(litz_executable_info(e, LITZ_INFO_OUTPUT, 0, &info, &err));
    CHECK(info.alias_kind == LITZ_ALIAS_NONE && !info.mutated && info.strides[0] == 3 && info.strides[1] == 1);
    OK(litz_executable_info(e, LITZ_INFO_OUTPUT, 2, &info, &err));
    CHECK(info.alias_kind == LITZ_ALIAS_OUTPUT && info.alias_of == 0);
    CHECK(info.ndim == 2 && info.strides[0] == 1 && info.strides[1] == 3 && info.min_shape[0] == 3);
    CHECK(info.device.device_type == kDLCPU);
    /* A caller that knows less gets less. */
    memset(&info, 0xff, sizeof info);
    info.struct_size = first_version;
    OK(litz_executable_info(e, LITZ_INFO_OUTPUT, 2, &info, &err));
    CHECK(info.ndim == 2 && info.mutated == -1 && info.alias_of == -1);
    info.struct_size = first_version - 1;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "struct_size", litz_executable_info(e, LITZ_INFO_OUTPUT, 2, &info, &err));
}

static void of_programs(const char *folder, const char *archive) {
    litz_graph *g = NULL;
    litz_options *o = NULL;
    litz_executable *e = NULL, *opened = NULL;
    litz_string *of_graph, *of_executable, *of_artifact;
    litz_error *error = NULL;
    char path[4096], *changed, *place;
    OK(litz_graph_from_pt2(archive, NULL, &g, &err));
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "cpu", &err));
    OK(litz_compile(g, o, &e, &err));
    snprintf(path, sizeof path, "%s/trees.so", folder);
    OK(litz_executable_save(e, path, &err));
    OK(litz_executable_open(path, NULL, &opened, &err));
    of_tensors(e);
    of_tensors(opened);
    of_graph = graph_spec(g);
    of_executable = executable_spec(e);
    of_artifact = executable_spec(opened);
    CHECK(strcmp(litz_string_data(of_graph), litz_string_data(of_executable)) == 0);
    CHECK(strcmp(litz_string_data(of_graph), litz_string_data(of_artifact)) == 0);
    CHECK(holds(executable_spec(opened), "\"metadata\":{\"config/labels.json\":\"[1, 2]\",\"notes.txt\":\"made by a test\\n"));
    OK(litz_executable_check_spec(opened, litz_string_data(of_graph), &err));
    OK(litz_executable_check_spec(opened, "{}", &err));
    changed = malloc(litz_string_size(of_graph) + 1);
    CHECK(changed != NULL);
    strcpy(changed, litz_string_data(of_graph));
    place = strstr(changed, "\"value\":\"relu\"");
    CHECK(place != NULL);
    place[9] = 'c';
    /* The tree of the results differs, too, and comes behind the arguments. */
    place = strstr(changed, "collections.OrderedDict");
    CHECK(place != NULL);
    place[12] = 'o';
    CHECK(litz_executable_check_spec(e, changed, &error) == LITZ_ERROR_INVALID_ARGUMENT);
    CHECK(strstr(litz_error_message(error), "kwargs.mode: its value is \"celu\"") != NULL);
    CHECK(strstr(litz_error_detail(error), "\"path\":\"kwargs.mode\"") != NULL);
    litz_error_release(error);
    free(changed);
    FAILS(LITZ_ERROR_PARSE, "not valid JSON", litz_executable_check_spec(e, "", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "it is no object", litz_executable_check_spec(e, "[]", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "inputs: it is no list", litz_executable_check_spec(e, "{\"inputs\": 3}", &err));
    litz_string_release(of_graph);
    litz_string_release(of_executable);
    litz_string_release(of_artifact);
    litz_executable_release(opened);
    litz_executable_release(e);
    litz_options_release(o);
    litz_graph_release(g);
}

/* The places of elements that are not zero lie as PyTorch's: those along one dimension side by side. */
static void places_lie_as_in_pytorch(const char *backend) {
    litz_graph *g = graph_of("graph \"places\" {\n  input %0 \"x\": float32[3, 4]\n  %1 = aten.nonzero.default(%0)\n"
                             "  %2, %3 = aten.where.default(%0)\n  output \"y\" = %1\n  output \"i\" = %2\n  output \"j\" = %3\n}\n");
    litz_options *o = NULL;
    litz_executable *e = NULL;
    float x[12] = {0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3};
    int64_t shape[2] = {3, 4}, shapes[3][2], strides[3][2];
    DLTensor tensor = float_tensor(x, 2, shape), bounds[3];
    const DLTensor *inputs[1] = {&tensor};
    struct DLManagedTensorVersioned *y[3] = {NULL, NULL, NULL};
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", backend, &err));
    OK(litz_compile(g, o, &e, &err));
    for (int k = 0; k < 3; ++k) bounds[k].shape = shapes[k], bounds[k].strides = strides[k];
    OK(litz_executable_infer_outputs(e, inputs, 1, bounds, 3, &err));
    CHECK(shapes[0][0] == 12 && shapes[0][1] == 2 && strides[0][0] == 1 && strides[0][1] == 12);
    OK(litz_executable_run(e, inputs, 1, y, 3, NULL, &err));
    CHECK(y[0]->dl_tensor.shape[0] == 3 && y[0]->dl_tensor.strides[0] == 1 && y[0]->dl_tensor.strides[1] == 3);
    const int64_t *places = y[0]->dl_tensor.data;
    CHECK(places[0] == 0 && places[1] == 1 && places[2] == 2 && places[3] == 1 && places[4] == 2 && places[5] == 3);
    CHECK(y[1]->dl_tensor.strides[0] == 1 && y[2]->dl_tensor.strides[0] == 1);
    CHECK(((int64_t *)y[1]->dl_tensor.data)[2] == 2 && ((int64_t *)y[2]->dl_tensor.data)[2] == 3);
    for (int k = 0; k < 3; ++k) litz_tensor_release(y[k]);
    litz_executable_release(e);
    litz_options_release(o);
    litz_graph_release(g);
}

/* Views of one storage that no result shows all of; it is written to behind them. */
static const char parts[] = "graph \"parts\" {\n"
                            "  symbol s0 in [1, 64] hint 4\n"
                            "  input %0 \"x\": float32[s0, 4]\n"
                            "  %1 = aten.relu.default(%0)\n"
                            "  %2 = aten.slice.Tensor(%1, 1, 0, 3)\n"
                            "  %3 = aten.slice.Tensor(%1, 1, 1, 4)\n"
                            "  %4 = aten.select.int(%1, 1, 2)\n"
                            "  %5 = aten.add_.Scalar(%4, 10)\n"
                            "  output \"a\" = %2\n"
                            "  output \"b\" = %3\n"
                            "  output \"c\" = %4\n"
                            "}\n";
static float parts_x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static int64_t parts_shape[2] = {2, 4};

static void are_parts(const DLTensor *a, const DLTensor *b, const DLTensor *c) {
    const float *row_a = (const float *)a->data + a->strides[0], *row_b = (const float *)b->data + b->strides[0];
    CHECK(a->shape[0] == 2 && a->shape[1] == 3 && b->shape[1] == 3 && c->ndim == 1 && c->shape[0] == 2);
    CHECK(row_a[0] == 5 && row_a[a->strides[1]] == 6 && row_a[2 * a->strides[1]] == 17);
    CHECK(row_b[0] == 6 && row_b[b->strides[1]] == 17 && row_b[2 * b->strides[1]] == 8);
    CHECK(*(const float *)c->data == 13 && ((const float *)c->data)[c->strides[0]] == 17);
}

static void share_a_storage(const litz_executable *e) {
    DLTensor x = float_tensor(parts_x, 2, parts_shape), own[3];
    const DLTensor *inputs[1], *into[3];
    struct DLManagedTensorVersioned *made[3] = {NULL, NULL, NULL};
    litz_tensor_info info;
    float room[3][6];
    int64_t shapes[3][2], strides[3][2];
    inputs[0] = &x;
    OK(litz_executable_run(e, inputs, 1, made, 3, NULL, &err));
    are_parts(&made[0]->dl_tensor, &made[1]->dl_tensor, &made[2]->dl_tensor);
    CHECK(made[0]->dl_tensor.strides[0] == 4 && made[0]->dl_tensor.strides[1] == 1 && made[2]->dl_tensor.strides[0] == 4);
    CHECK((float *)made[1]->dl_tensor.data == (float *)made[0]->dl_tensor.data + 1);
    CHECK((float *)made[2]->dl_tensor.data == (float *)made[0]->dl_tensor.data + 2);
    /* What is written to one is seen in the others, and outlives it. */
    ((float *)made[0]->dl_tensor.data)[2] = 99;
    litz_tensor_release(made[0]);
    CHECK(((float *)made[1]->dl_tensor.data)[1] == 99 && *(float *)made[2]->dl_tensor.data == 99);
    litz_tensor_release(made[1]);
    CHECK(*(float *)made[2]->dl_tensor.data == 99);
    litz_tensor_release(made[2]);
    for (size_t k = 0; k < 3; k++) {
        memset(&info, 0, sizeof info);
        info.struct_size = sizeof info;
        OK(litz_executable_info(e, LITZ_INFO_OUTPUT, k, &info, &err));
        CHECK(k ? info.alias_kind == LITZ_ALIAS_OUTPUT && info.alias_of == 0 : info.alias_kind == LITZ_ALIAS_NONE);
        own[k] = float_tensor(room[k], 2, shapes[k]);
        own[k].strides = strides[k];
        into[k] = &own[k];
    }
    CHECK(litz_executable_num_outputs(e) == 3);
    OK(litz_executable_infer_outputs(e, inputs, 1, own, 3, &err));
    CHECK(own[0].ndim == 2 && shapes[0][1] == 3 && strides[0][0] == 4 && own[2].ndim == 1 && strides[2][0] == 4);
    /* A caller's tensors have memory of their own. */
    for (size_t k = 0; k < 3; k++) own[k].strides = NULL;
    OK(litz_executable_run_into(e, inputs, 1, into, 3, NULL, &err));
    for (size_t k = 0; k < 3; k++) {
        strides[k][0] = own[k].ndim == 2 ? 3 : 1;
        strides[k][1] = 1;
        own[k].strides = strides[k];
    }
    are_parts(&own[0], &own[1], &own[2]);
    CHECK(holds(executable_spec(e), "\"name\":\"a\",\"kind\":\"tensor\",\"dtype\":\"float32\",\"shape\":[\"s0\",3],\"strides\":[4,1]"));
}

static void *of_heap(void *context, size_t k, uint64_t bytes, int32_t ndim, const int64_t *shape, const int64_t *strides) {
    DLTensor *out = (DLTensor *)context + k;
    CHECK(k < 3);
    out->data = malloc(bytes ? bytes : 1);
    out->ndim = ndim;
    memcpy(out->shape, shape, (size_t)ndim * sizeof *shape);
    memcpy(out->strides, strides, (size_t)ndim * sizeof *strides);
    return out->data;
}

/* A host that has the artifact alone takes no views: each result is a copy. */
static void apart_without_the_library(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *self = NULL;
    litz_artifact_entry_fn entry;
    DLTensor x = float_tensor(parts_x, 2, parts_shape), out[3];
    const DLTensor *inputs[1];
    int64_t shapes[3][2], strides[3][2];
    char error[256];
    const litz_artifact_api *api;
    CHECK(library != NULL);
    *(void **)&entry = dlsym(library, LITZ_ARTIFACT_ENTRY);
    CHECK(entry != NULL);
    api = entry();
    inputs[0] = &x;
    for (size_t k = 0; k < 3; k++) {
        out[k] = float_tensor(NULL, 0, shapes[k]);
        out[k].strides = strides[k];
    }
    CHECK(api->create(NULL, 0, &self, error, sizeof error) == LITZ_OK);
    CHECK(api->run_allocating(self, inputs, 1, of_heap, out, 3, NULL, error, sizeof error) == LITZ_OK);
    are_parts(&out[0], &out[1], &out[2]);
    for (size_t k = 0; k < 3; k++) free(out[k].data);
    api->destroy(self);
    dlclose(library);
}

static void of_parts(const char *folder) {
    static const char *const backends[] = {"interpreter", "cpu"};
    char path[4096];
    for (int k = 0; k < 2; k++) {
        litz_graph *g = NULL;
        litz_options *o = NULL;
        litz_executable *e = NULL, *opened = NULL;
        OK(litz_graph_from_text(parts, strlen(parts), NULL, &g, &err));
        OK(litz_options_new(&o, &err));
        OK(litz_options_set(o, "backend", backends[k], &err));
        OK(litz_compile(g, o, &e, &err));
        share_a_storage(e);
        if (k) {
            snprintf(path, sizeof path, "%s/parts.so", folder);
            OK(litz_executable_save(e, path, &err));
            OK(litz_executable_open(path, NULL, &opened, &err));
            share_a_storage(opened);
            litz_executable_release(opened);
            apart_without_the_library(path);
        }
        litz_executable_release(e);
        litz_options_release(o);
        litz_graph_release(g);
    }
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    of_a_graph_made_by_hand();
    of_programs(argv[1], argv[2]);
    of_parts(argv[1]);
    places_lie_as_in_pytorch("interpreter");
    places_lie_as_in_pytorch("cpu");
    puts("all right");
    return 0;
}
