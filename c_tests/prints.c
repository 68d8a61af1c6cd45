/* Lines that programs print, among calls of a host's operators that print: each once in a run, in the program's order. The arguments
 * are the backend, and for artifacts a folder. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "operators.h"
#include <unistd.h>

static litz_status say(void *context, const litz_arg *args, size_t n_args, const DLTensor *const *tensors, size_t n_tensors,
                       const DLTensor *const *outs, size_t n_outs, void *stream, litz_error **err) {
    (void)context, (void)args, (void)outs, (void)stream, (void)err;
    CHECK(n_args == 1 && n_tensors == 1 && n_outs == 0);
    printf("the host %g\n", (double)*(const float *)tensors[0]->data);
    return LITZ_OK;
}

static void calls(litz_graph *g, const char *op, litz_arg arg) {
    litz_value out = 0;
    size_t n = 1;
    OK(litz_graph_call(g, op, &arg, 1, &out, 1, &n, &err));
    CHECK(n == 0);
}

/* y = relu(relu(x) + 1), of which `says` tells the first element on the way */
static litz_graph *printing_graph(const litz_options *o, int says) {
    int64_t shape[1] = {3};
    litz_tensor_spec spec = float_spec(1, shape, NULL);
    litz_value x;
    litz_arg args[2];
    litz_graph *g = NULL;
    OK(litz_graph_new("printing", o, &g, &err));
    OK(litz_graph_input(g, "x", &spec, &x, &err));
    calls(g, "aten._print", string_arg("first: 100 %s"));
    args[0] = value_arg(x);
    args[0] = value_arg(call(g, "aten.relu", args, 1));
    if (says) calls(g, "mylib.say", args[0]);
    calls(g, "aten._print", string_arg("second"));
    args[1] = int_arg(1);
    args[0] = value_arg(call(g, "aten.add.Scalar", args, 2));
    if (says) calls(g, "mylib.say", args[0]);
    calls(g, "aten._print", string_arg("first: 100 %s"));
    OK(litz_graph_output(g, "y", call(g, "aten.relu", args, 1), &err));
    return g;
}

static void run_printing(const litz_executable *e, const char *want) {
    float x[3] = {2, -2, 3}, y[3] = {0};
    int64_t shape[1] = {3};
    DLTensor input = float_tensor(x, 1, shape), output = float_tensor(y, 1, shape);
    const DLTensor *inputs[1] = {&input}, *outputs[1] = {&output};
    char printed[256] = {0};
    FILE *file = tmpfile();
    int own;
    CHECK(file != NULL && fflush(stdout) == 0);
    own = dup(1);
    CHECK(own >= 0 && dup2(fileno(file), 1) == 1);
    OK(litz_executable_run_into(e, inputs, 1, outputs, 1, NULL, &err));
    CHECK(fflush(stdout) == 0 && dup2(own, 1) == 1);
    close(own);
    rewind(file);
    (void)!fread(printed, 1, sizeof printed - 1, file);
    fclose(file);
    if (strcmp(printed, want)) fprintf(stderr, "printed: %s", printed);
    CHECK(strcmp(printed, want) == 0 && y[0] == 3 && y[1] == 1 && y[2] == 4);
}

int main(int argc, char **argv) {
    const char *alone = "first: 100 %s\nsecond\nfirst: 100 %s\n";
    const char *both = "first: 100 %s\nthe host 2\nsecond\nthe host 3\nfirst: 100 %s\n";
    litz_registry *r = new_registry();
    litz_options *o = options_with(r, argv[1]);
    litz_operator op = operator_with(NULL, say);
    litz_executable *e = NULL;
    litz_graph *g;
    litz_string *text = NULL;
    CHECK(argc > 1);
    OK(litz_registry_add_operator(r, "mylib::say(Tensor x) -> ()", &op, &err));
    g = printing_graph(o, 1);
    OK(litz_compile(g, o, &e, &err));
    run_printing(e, both);
    run_printing(e, both);
    litz_executable_release(e);
    litz_graph_release(g);
    /* Text keeps the lines. */
    g = printing_graph(o, 0);
    OK(litz_graph_to_text(g, &text, &err));
    litz_graph_release(g);
    OK(litz_graph_from_text(litz_string_data(text), litz_string_size(text), NULL, &g, &err));
    litz_string_release(text);
    OK(litz_compile(g, o, &e, &err));
    run_printing(e, alone);
    litz_executable_release(e);
    if (argc > 2) {
        char path[4096];
        snprintf(path, sizeof path, "%s/printing.so", argv[2]);
        OK(litz_compile_artifact(g, o, path, &err));
        OK(litz_executable_open(path, NULL, &e, &err));
        run_printing(e, alone);
        litz_executable_release(e);
    }
    litz_graph_release(g);
    litz_options_release(o);
    litz_registry_release(r);
    puts("all right");
    return 0;
}
