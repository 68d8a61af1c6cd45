/* Inputs that share memory, of programs that write to them: what is written to one is seen in the others. argv[1] is the
 * backend. */
#include "check.h"

static const char *const program_text =
    "graph \"g\" {\n"
    "  symbol s0 in [1, 100]\n"
    "  input %0 \"a\": float32[s0]\n"
    "  input %1 \"b\": float32[s0]\n"
    "  parameter %2 \"w\": float32[1] = [2.0]\n"
    "  %3 = aten.add_.Scalar(%0, 1)\n"
    "  %4 = aten.mul_.Tensor(%1, %2)\n"
    "  %5 = aten.add.Tensor(%0, %1)\n"
    "  output \"y\" = %5\n"
    "}\n";

/* `b` starts so many elements behind `a`. */
static void shifted(litz_executable *e, int shift, int stride, float w, int into) {
    float memory[16], want[16], y[5], sum;
    int64_t size[1] = {5}, strides[1];
    DLTensor a, b, z;
    const DLTensor *inputs[2], *outputs[1];
    struct DLManagedTensorVersioned *made[1] = {NULL};
    int k;
    for (k = 0; k < 16; ++k) memory[k] = want[k] = (float)k;
    for (k = 0; k < 5; ++k) want[k * stride] += 1;
    for (k = 0; k < 5; ++k) want[shift + k * stride] *= w;
    a = float_tensor(memory, 1, size);
    b = float_tensor(memory + shift, 1, size);
    z = float_tensor(y, 1, size);
    strides[0] = stride;
    a.strides = b.strides = strides;
    inputs[0] = &a;
    inputs[1] = &b;
    outputs[0] = &z;
    if (into) {
        OK(litz_executable_run_into(e, inputs, 2, outputs, 1, NULL, &err));
    } else {
        OK(litz_executable_run(e, inputs, 2, made, 1, NULL, &err));
        memcpy(y, made[0]->dl_tensor.data, sizeof y);
        made[0]->deleter(made[0]);
    }
    for (k = 0; k < 16; ++k) CHECK(memory[k] == want[k]);
    for (k = 0; k < 5; ++k) {
        sum = want[k * stride] + want[shift + k * stride];
        CHECK(y[k] == sum);
    }
}

int main(int argc, char **argv) {
    litz_graph *g = NULL;
    litz_options *o = NULL;
    litz_executable *e = NULL, *copy = NULL;
    float w[1] = {3.0f};
    int64_t one[1] = {1};
    const char *names[1] = {"w"};
    DLTensor three = float_tensor(w, 1, one);
    const DLTensor *data[1];
    int shift;
    data[0] = &three;
    CHECK(argc == 2);
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", argv[1], &err));
    g = graph_of(program_text);
    OK(litz_compile(g, o, &e, &err));
    litz_graph_release(g);
    litz_options_release(o);
    for (shift = 0; shift < 8; shift += 2) shifted(e, shift, 1, 2.0f, shift & 2);
    /* Between one another, without a byte in common. */
    shifted(e, 1, 2, 2.0f, 0);
    /* Constants are those of now. */
    OK(litz_executable_update_constants(e, names, data, 1, &err));
    shifted(e, 2, 1, 3.0f, 1);
    OK(litz_executable_clone(e, &copy, &err));
    litz_executable_release(e);
    shifted(copy, 2, 1, 3.0f, 1);
    litz_executable_release(copy);
    puts("all right");
    return 0;
}
