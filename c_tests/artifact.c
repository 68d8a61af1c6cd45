/* Artifacts through the library: compiled to a file, saved from an executable, opened; damaged ones are refused. The
 * files stay in the folder argv[1]: saved.so for the host that knows artifact.h only. */
#include "check.h"

static void copy_with_damage(const char *from, const char *to, long keep, long flip) {
    static unsigned char bytes[1 << 25];
    FILE *file = fopen(from, "rb");
    size_t n;
    CHECK(file != NULL);
    n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    CHECK(n > 0 && n < sizeof bytes);
    if (keep >= 0 && (size_t)keep < n) n = (size_t)keep;
    if (flip >= 0) bytes[(size_t)flip % n] ^= 0x55;
    file = fopen(to, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, n, file) == n);
    fclose(file);
}

int main(int argc, char **argv) {
    char compiled[4096], saved[4096], damaged[4096];
    litz_options *o = NULL;
    litz_graph *g = linear_relu();
    litz_executable *e = NULL, *opened = NULL;
    struct DLManagedTensorVersioned *made = NULL;
    float x[6] = {1, 2, 3, -1, -2, -3};
    int64_t shape[2] = {2, 3};
    DLTensor input = float_tensor(x, 2, shape);
    const DLTensor *inputs[1];
    litz_string *json = NULL;
    litz_error *error = NULL;
    litz_status status;
    long size, k;
    FILE *file;
    CHECK(argc == 2);
    inputs[0] = &input;
    snprintf(compiled, sizeof compiled, "%s/compiled.so", argv[1]);
    snprintf(saved, sizeof saved, "%s/saved.so", argv[1]);
    snprintf(damaged, sizeof damaged, "%s/damaged.so", argv[1]);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "cpu", &err));
    OK(litz_compile_artifact(g, o, compiled, &err));
    OK(litz_compile(g, o, &e, &err));
    OK(litz_executable_save(e, saved, &err));
    litz_executable_release(e);
    OK(litz_executable_open(compiled, NULL, &opened, &err));
    OK(litz_executable_run(opened, inputs, 1, &made, 1, NULL, &err));
    CHECK(linear_relu_is(x, (float *)made->dl_tensor.data, 2));
    OK(litz_executable_describe(opened, &json, &err));
    CHECK(strstr(litz_string_data(json), "\"artifact\":true") != NULL);
    litz_string_release(json);
    litz_executable_release(opened);
    made->deleter(made);
    opened = NULL;

    FAILS(LITZ_ERROR_IO, "nowhere", litz_executable_open("/nowhere/at.so", NULL, &opened, &err));
    file = fopen(compiled, "rb");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    size = ftell(file);
    fclose(file);
    for (k = 0; k < 8; ++k) {
        copy_with_damage(compiled, damaged, size * k / 8, -1);
        status = litz_executable_open(damaged, NULL, &opened, &error);
        CHECK(status != LITZ_OK && error != NULL && opened == NULL);
        litz_error_release(error);
        error = NULL;
        copy_with_damage(compiled, damaged, -1, size * k / 8);
        status = litz_executable_open(damaged, NULL, &opened, &error);
        CHECK(status != LITZ_OK && error != NULL && opened == NULL);
        litz_error_release(error);
        error = NULL;
    }
    litz_options_release(o);
    litz_graph_release(g);
    puts("artifact: all right");
    return 0;
}
