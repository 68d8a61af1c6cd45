/* Signatures: of an archive, a graph made by hand, an executable and an artifact; and what is wrong with one. */
#include "check.h"

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

int main(int argc, char **argv) {
    CHECK(argc == 3);
    of_a_graph_made_by_hand();
    of_programs(argv[1], argv[2]);
    puts("all right");
    return 0;
}
