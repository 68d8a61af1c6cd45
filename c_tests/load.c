/* Graphs from text, from export JSON and from archives: what is right comes back, what is broken is told where. */
#include "check.h"

static void note_reading(void *context, int32_t level, const char *message) {
    if (level == 2 && strstr(message, "graph `linear_relu` read from text: 2 nodes")) ++*(int *)context;
}

static void text_comes_back(void) {
    litz_graph *g = linear_relu(), *read = NULL;
    litz_string *text = NULL, *again = NULL;
    char broken[8192], *place;
    litz_error *error = NULL;
    litz_options *o = NULL;
    int noted = 0;
    litz_status status;
    size_t k;
    OK(litz_graph_to_text(g, &text, &err));
    OK(litz_options_new(&o, &err));
    OK(litz_options_set_log(o, 2, note_reading, &noted, &err));
    OK(litz_graph_from_text(litz_string_data(text), litz_string_size(text), o, &read, &err));
    CHECK(noted == 1);
    litz_options_release(o);
    OK(litz_graph_to_text(read, &again, &err));
    CHECK(strcmp(litz_string_data(text), litz_string_data(again)) == 0);
    litz_string_release(again);
    litz_graph_release(read);
    read = NULL;
    CHECK(litz_string_size(text) < sizeof broken);
    strcpy(broken, litz_string_data(text));
    place = strstr(broken, "aten.relu");
    CHECK(place != NULL);
    place[8] = 'x';
    status = litz_graph_from_text(broken, strlen(broken), NULL, &read, &error);
    CHECK(status == LITZ_ERROR_UNSUPPORTED && strstr(litz_error_message(error), "aten.relu") != NULL);
    CHECK(strstr(litz_error_message(error), "line") != NULL && strstr(litz_error_detail(error), "\"column\"") != NULL);
    litz_error_release(error);
    error = NULL;
    place[0] = '?';
    FAILS(LITZ_ERROR_PARSE, "line", litz_graph_from_text(broken, strlen(broken), NULL, &read, &err));
    FAILS(LITZ_ERROR_PARSE, "line", litz_graph_from_text("\n\n  nonsense", 12, NULL, &read, &err));
    FAILS(LITZ_ERROR_PARSE, "UTF-8", litz_graph_from_text("\xff\xfe", 2, NULL, &read, &err));
    /* Cut anywhere, it is an error or another graph, never a crash. */
    for (k = 0; k < litz_string_size(text); ++k) {
        status = litz_graph_from_text(litz_string_data(text), k, NULL, &read, &error);
        if (status == LITZ_OK) litz_graph_release(read);
        else litz_error_release(error);
        read = NULL;
        error = NULL;
    }
    litz_string_release(text);
    litz_graph_release(g);
}

static void broken_files(const char *folder) {
    static const char json[] = "{\"graph_module\": [1, 2";
    static const char other[] = "{\"something\": \"else\"}";
    static const char zip[] = "PK\003\004 and then nothing that a zip archive would have";
    char path[4096];
    litz_graph *g = NULL;
    FILE *file;
    FAILS(LITZ_ERROR_PARSE, "", litz_graph_from_export_json(json, sizeof json - 1, NULL, &g, &err));
    FAILS(LITZ_ERROR_PARSE, "", litz_graph_from_export_json(other, sizeof other - 1, NULL, &g, &err));
    FAILS(LITZ_ERROR_PARSE, "", litz_graph_from_export_json("", 0, NULL, &g, &err));
    FAILS(LITZ_ERROR_PARSE, "", litz_graph_from_pt2_memory(zip, sizeof zip, NULL, &g, &err));
    FAILS(LITZ_ERROR_PARSE, "", litz_graph_from_pt2_memory(zip, 0, NULL, &g, &err));
    FAILS(LITZ_ERROR_IO, "nowhere", litz_graph_from_pt2("/nowhere/at.pt2", NULL, &g, &err));
    snprintf(path, sizeof path, "%s/broken.pt2", folder);
    file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(zip, 1, sizeof zip, file) == sizeof zip);
    fclose(file);
    FAILS(LITZ_ERROR_PARSE, "broken.pt2", litz_graph_from_pt2(path, NULL, &g, &err));
    CHECK(g == NULL);
}

static void damaged_archive(const char *path) {
    static unsigned char bytes[1 << 22];
    FILE *file = fopen(path, "rb");
    litz_graph *g = NULL;
    litz_error *error = NULL;
    size_t n, k;
    CHECK(file != NULL);
    n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    CHECK(n > 0 && n < sizeof bytes);
    OK(litz_graph_from_pt2_memory(bytes, n, NULL, &g, &err));
    litz_graph_release(g);
    for (k = 0; k < 16; ++k) {
        const size_t at = n / 16 * k;
        const litz_status status = litz_graph_from_pt2_memory(bytes, at, NULL, &g, &error); /* truncated */
        CHECK(status != LITZ_OK && status != LITZ_ERROR_INTERNAL && error != NULL);
        litz_error_release(error);
        error = NULL;
    }
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    text_comes_back();
    broken_files(argv[1]);
    damaged_archive(argv[2]);
    puts("load: all right");
    return 0;
}
