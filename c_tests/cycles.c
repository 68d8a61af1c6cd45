/* Compiles, runs and releases argv[2] times on the backend argv[1]: memory, file descriptors and mappings stay flat. */
#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <malloc.h>

typedef struct usage {
    size_t heap, descriptors, mappings;
} usage;

static usage now(void) {
    usage u = {0, 0, 0};
    DIR *listing = opendir("/proc/self/fd");
    FILE *maps = fopen("/proc/self/maps", "r");
    int c;
    CHECK(listing != NULL && maps != NULL);
    while (readdir(listing) != NULL) ++u.descriptors;
    closedir(listing);
    while ((c = fgetc(maps)) != EOF) u.mappings += c == '\n';
    fclose(maps);
    u.heap = mallinfo2().uordblks + mallinfo2().hblkhd;
    return u;
}

static void cycle(litz_options *o) {
    litz_graph *g = linear_relu();
    litz_executable *e = NULL, *clone = NULL;
    litz_string *json = NULL;
    struct DLManagedTensorVersioned *made = NULL;
    float x[3] = {1, 2, 3};
    int64_t shape[2] = {1, 3}, wrong[2] = {1, 4};
    DLTensor input = float_tensor(x, 2, shape);
    const DLTensor *inputs[1];
    inputs[0] = &input;
    OK(litz_compile(g, o, &e, &err));
    OK(litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    CHECK(linear_relu_is(x, (float *)made->dl_tensor.data, 1));
    made->deleter(made);
    input.shape = wrong;
    FAILS(LITZ_ERROR_SHAPE, "`x`", litz_executable_run(e, inputs, 1, &made, 1, NULL, &err));
    OK(litz_executable_clone(e, &clone, &err));
    OK(litz_executable_describe(clone, &json, &err));
    litz_string_release(json);
    litz_executable_release(e);
    litz_executable_release(clone);
    litz_graph_release(g);
}

int main(int argc, char **argv) {
    litz_options *o = NULL;
    int k, n;
    usage before, after;
    CHECK(argc == 3);
    n = atoi(argv[2]);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", argv[1], &err));
    if (!strcmp(argv[1], "cpu")) OK(litz_options_set(o, "cpu.threads", "2", &err));
    for (k = 0; k < 200; ++k) cycle(o); /* what is made once, and what the allocator keeps, is there now */
    before = now();
    for (k = 0; k < n; ++k) {
        cycle(o);
        if (k % 100 == 0) OK(litz_reset(&err)); /* caches are made again, and dropped again */
    }
    after = now();
    printf("%d cycles: heap %zu to %zu bytes, %zu to %zu descriptors, %zu to %zu mappings\n", n, before.heap, after.heap,
           before.descriptors, after.descriptors, before.mappings, after.mappings);
    /* A leak of sixteen bytes a cycle shows; the rest is the allocator's own change of mind. */
    CHECK(after.heap < before.heap + 2 * (size_t)n + 98304);
    CHECK(after.descriptors == before.descriptors);
    CHECK(after.mappings < before.mappings + 16);
    litz_options_release(o);
    printf("cycles on %s: all right\n", argv[1]);
    return 0;
}
