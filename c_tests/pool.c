/* One pool of threads for compiled and opened programs. argv[1] is a folder. */
#include "layers.h"
#include <dirent.h>

static int threads(void) {
    DIR *folder = opendir("/proc/self/task");
    int count = 0;
    CHECK(folder != NULL);
    while (readdir(folder) != NULL) ++count;
    closedir(folder);
    return count - 2; /* . and .. */
}

static litz_executable *open_with(const char *path, const char *count) {
    litz_options *o = NULL;
    litz_executable *e = NULL;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "cpu.threads", count, &err));
    OK(litz_executable_open(path, o, &e, &err));
    litz_options_release(o);
    return e;
}

int main(int argc, char **argv) {
    char path[4096];
    litz_options *o = NULL;
    litz_graph *g;
    litz_executable *compiled = NULL, *opened, *four;
    int own;
    double sum;
    CHECK(argc == 2);
    snprintf(path, sizeof path, "%s/layers.so", argv[1]);
    make_weights();
    own = threads();
    g = layers(0);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "cpu", &err));
    OK(litz_compile(g, o, &compiled, &err));
    OK(litz_executable_save(compiled, path, &err));
    OK(litz_set_threads(3, &err));
    sum = run_layers(compiled, 4096);
    CHECK(threads() == own + 2);
    opened = open_with(path, "");
    CHECK(run_layers(opened, 4096) == sum);
    CHECK(threads() == own + 2); /* the same ones */
    four = open_with(path, "4");
    CHECK(run_layers(four, 4096) == sum);
    CHECK(threads() == own + 3);
    OK(litz_set_threads(1, &err));
    CHECK(threads() == own);
    CHECK(run_layers(opened, 4096) == sum && run_layers(compiled, 4096) == sum);
    CHECK(threads() == own);
    CHECK(run_layers(four, 4096) == sum);
    CHECK(threads() == own + 3);
    OK(litz_set_threads(0, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "-1", litz_set_threads(-1, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "256", litz_set_threads(257, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "256", litz_options_set(o, "cpu.threads", "257", &err));
    litz_executable_release(compiled);
    litz_executable_release(opened);
    litz_executable_release(four);
    CHECK(threads() == own);
    litz_options_release(o);
    litz_graph_release(g);
    free_weights();
    puts("pool: all right");
    return 0;
}
