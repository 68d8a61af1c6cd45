/* Pictures of graphs and programs, and the page of a program. */
#include "check.h"

static const char text[] = "graph \"a <b> & \\\"c\\\"\" {\n"
                           "  input %0 \"x\": float32[4, 8]\n"
                           "  input %1 \"</svg><script>alert(1)</script>\": float32[8, 8]\n"
                           "  %2 = aten.mm.default(%0, %1)\n"
                           "  %3 = aten.relu.default(%2)\n"
                           "  %4 = aten.softmax.int(%3, -1)\n"
                           "  output \"y\" = %4\n"
                           "}\n";

static int holds(const litz_string *s, const char *part) { return strstr(litz_string_data(s), part) != NULL; }

static int count(const litz_string *s, const char *part) {
    int n = 0;
    for (const char *at = litz_string_data(s); (at = strstr(at, part)); at += strlen(part)) n++;
    return n;
}

static void graphs(const litz_graph *g) {
    litz_string *out = NULL;
    OK(litz_graph_draw(g, "svg", &out, &err));
    CHECK(strncmp(litz_string_data(out), "<?xml", 5) == 0 && holds(out, "</svg>"));
    CHECK(count(out, "class=\"node operator\"") == 3 && count(out, "class=\"node input\"") == 2);
    CHECK(holds(out, "float32[4, 8]") && !holds(out, "<script>"));
    litz_string_release(out);
    OK(litz_graph_draw(g, "dot", &out, &err));
    CHECK(strncmp(litz_string_data(out), "digraph ", 8) == 0 && count(out, " -> ") == 5);
    litz_string_release(out);
    out = NULL;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`png`", litz_graph_draw(g, "png", &out, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "``", litz_graph_draw(g, "", &out, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "UTF-8", litz_graph_draw(g, "\xff", &out, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`format` is NULL", litz_graph_draw(g, NULL, &out, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`out` is NULL", litz_graph_draw(g, "svg", NULL, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`g` is NULL", litz_graph_draw(NULL, "svg", &out, &err));
    CHECK(out == NULL);
}

static void programs(const litz_executable *e) {
    litz_string *out = NULL;
    OK(litz_executable_draw(e, "svg", &out, &err));
    CHECK(count(out, "class=\"node operator\"") == 3 && holds(out, "class=\"frame kernel\""));
    litz_string_release(out);
    OK(litz_executable_draw(e, "dot", &out, &err));
    CHECK(holds(out, "subgraph cluster_0"));
    litz_string_release(out);
    OK(litz_executable_report(e, &out, &err));
    CHECK(strncmp(litz_string_data(out), "<!DOCTYPE html>", 15) == 0 && holds(out, "id=\"kernels\""));
    CHECK(!holds(out, "alert(1)</script>") && !holds(out, "src=") && !holds(out, "href="));
    litz_string_release(out);
    out = NULL;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`pdf`", litz_executable_draw(e, "pdf", &out, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`html` is NULL", litz_executable_report(e, NULL, &err));
    CHECK(out == NULL);
}

/* What an opened artifact draws is what the program draws that it was written from. */
static void same_pictures(const litz_executable *e, const litz_executable *opened) {
    static const char *const formats[] = {"svg", "dot"};
    litz_string *one = NULL, *other = NULL;
    for (int k = 0; k < 2; k++) {
        OK(litz_executable_draw(e, formats[k], &one, &err));
        OK(litz_executable_draw(opened, formats[k], &other, &err));
        CHECK(strcmp(litz_string_data(one), litz_string_data(other)) == 0);
        litz_string_release(one);
        litz_string_release(other);
    }
    OK(litz_executable_report(e, &one, &err));
    OK(litz_executable_report(opened, &other, &err));
    /* All but the seconds of the compilation. */
    CHECK(strcmp(strstr(litz_string_data(one), "<main>"), strstr(litz_string_data(other), "<main>")) == 0);
    CHECK(!holds(other, "no graph") && holds(other, "<pre>"));
    litz_string_release(one);
    litz_string_release(other);
}

/* With artifact.graph=true: written at once, saved, and saved again after it was opened. */
static void artifacts_with_graphs(const litz_options *given, const char *folder, long plain) {
    char path[4096], saved[4096], again[4096];
    litz_options *o = NULL;
    litz_graph *g = NULL;
    litz_executable *e = NULL, *opened = NULL;
    OK(litz_options_clone(given, &o, &err));
    OK(litz_options_set(o, "artifact.graph", "true", &err));
    OK(litz_graph_from_text(text, strlen(text), o, &g, &err));
    OK(litz_compile(g, o, &e, &err));
    snprintf(path, sizeof path, "%s/drawn.so", folder);
    snprintf(saved, sizeof saved, "%s/saved.so", folder);
    snprintf(again, sizeof again, "%s/again.so", folder);
    OK(litz_compile_artifact(g, o, path, &err));
    OK(litz_executable_open(path, NULL, &opened, &err));
    same_pictures(e, opened);
    OK(litz_executable_save(opened, again, &err));
    litz_executable_release(opened);
    OK(litz_executable_save(e, saved, &err));
    OK(litz_executable_open(saved, NULL, &opened, &err));
    same_pictures(e, opened);
    litz_executable_release(opened);
    OK(litz_executable_open(again, NULL, &opened, &err));
    same_pictures(e, opened);
    litz_executable_release(opened);
    CHECK(file_bytes(path) > plain && file_bytes(path) < plain + 16384);
    CHECK(file_bytes(saved) == file_bytes(path) && file_bytes(again) == file_bytes(path));
    litz_executable_release(e);
    litz_graph_release(g);
    litz_options_release(o);
}

/* By itself an artifact has kernels, and no graph. */
static void artifacts(const litz_executable *e, const litz_options *o, const char *folder) {
    char path[4096];
    litz_executable *opened = NULL;
    litz_string *out = NULL;
    snprintf(path, sizeof path, "%s/picture.so", folder);
    OK(litz_executable_save(e, path, &err));
    OK(litz_executable_open(path, NULL, &opened, &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "artifact.graph=true", litz_executable_draw(opened, "svg", &out, &err));
    CHECK(out == NULL);
    OK(litz_executable_report(opened, &out, &err));
    CHECK(holds(out, "softmax") && holds(out, "holds no graph"));
    litz_string_release(out);
    litz_executable_release(opened);
    artifacts_with_graphs(o, folder, file_bytes(path));
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    litz_options *o = NULL;
    litz_graph *g = NULL;
    litz_executable *e = NULL;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", argv[1], &err));
    OK(litz_graph_from_text(text, strlen(text), o, &g, &err));
    graphs(g);
    OK(litz_compile(g, o, &e, &err));
    litz_graph_release(g);
    programs(e);
    if (strcmp(argv[1], "cpu") == 0) artifacts(e, o, argv[2]);
    litz_executable_release(e);
    litz_options_release(o);
    puts("all right");
    return 0;
}
