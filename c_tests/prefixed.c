/* Writes argv[1]/one.so and argv[1]/two.so, relu(x @ w.T + b) with prefixes to be linked into one program. */
#include "check.h"

int main(int argc, char **argv) {
    static const char *const names[2] = {"one", "two"};
    char path[4096], prefix[16];
    litz_options *o = NULL;
    litz_graph *g = linear_relu();
    litz_executable *e = NULL;
    int k;
    CHECK(argc == 2);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "cpu", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "artifact.prefix", litz_options_set(o, "artifact.prefix", "a-b", &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "artifact.prefix", litz_options_set(o, "artifact.prefix", "1a", &err));
    for (k = 0; k < 2; ++k) {
        snprintf(path, sizeof path, "%s/%s.so", argv[1], names[k]);
        snprintf(prefix, sizeof prefix, "%s_", names[k]);
        OK(litz_options_set(o, "artifact.prefix", prefix, &err));
        OK(litz_compile_artifact(g, o, path, &err));
        OK(litz_executable_open(path, NULL, &e, &err));
        litz_executable_release(e);
    }
    litz_options_release(o);
    litz_graph_release(g);
    puts("prefixed: all right");
    return 0;
}
