/* Runs the exported program argv[1] with the options argv[2..] (key=value) and with the interpreter, on made-up inputs,
 * and compares. Sizes that may vary are 3. */
#include "check.h"

#include <math.h>

enum { MOST = 16, RANK = 8 };

static int64_t shapes[MOST][RANK];
static DLTensor tensors[MOST];
static const DLTensor *inputs[MOST];

static size_t count(const DLTensor *t) {
    size_t n = 1;
    int32_t d;
    for (d = 0; d < t->ndim; ++d) n *= (size_t)t->shape[d];
    return n;
}

static void make_input(const litz_executable *e, size_t k) {
    litz_tensor_info info;
    DLTensor *t = &tensors[k];
    size_t n, i;
    int32_t d;
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    OK(litz_executable_info(e, LITZ_INFO_INPUT, k, &info, &err));
    CHECK(info.ndim <= RANK && (info.dtype.code == kDLFloat ? info.dtype.bits == 32 : info.dtype.bits == 64));
    memset(t, 0, sizeof *t);
    t->device.device_type = kDLCPU;
    t->dtype = info.dtype;
    t->ndim = info.ndim;
    t->shape = shapes[k];
    for (d = 0; d < info.ndim; ++d)
        shapes[k][d] = info.min_shape[d] == info.max_shape[d] || info.min_shape[d] > 3 ? info.min_shape[d] : 3;
    n = count(t);
    t->data = malloc(n * info.dtype.bits / 8 + 1);
    CHECK(t->data != NULL);
    for (i = 0; i < n; ++i) {
        if (info.dtype.code == kDLFloat) ((float *)t->data)[i] = (float)((double)(i * 37 % 101) / 50.0 - 1.0);
        else ((int64_t *)t->data)[i] = (int64_t)(i * 7 % 13);
    }
    inputs[k] = t;
}

int main(int argc, char **argv) {
    litz_graph *g = NULL;
    litz_options *o = NULL, *interpreter = NULL;
    litz_executable *e = NULL, *oracle = NULL;
    struct DLManagedTensorVersioned *made[MOST] = {NULL}, *want[MOST] = {NULL};
    size_t n_inputs, n_outputs, k, i;
    int a;
    CHECK(argc >= 2);
    OK(litz_graph_from_pt2(argv[1], NULL, &g, &err));
    OK(litz_options_new(&o, &err));
    OK(litz_options_new(&interpreter, &err));
    OK(litz_options_set(interpreter, "backend", "interpreter", &err));
    for (a = 2; a < argc; ++a) {
        char *value = strchr(argv[a], '=');
        CHECK(value != NULL);
        *value++ = 0;
        OK(litz_options_set(o, argv[a], value, &err));
    }
    OK(litz_compile(g, o, &e, &err));
    OK(litz_compile(g, interpreter, &oracle, &err));
    n_inputs = litz_executable_num_inputs(e);
    n_outputs = litz_executable_num_outputs(e);
    CHECK(n_inputs <= MOST && n_outputs <= MOST);
    for (k = 0; k < n_inputs; ++k) make_input(e, k);
    OK(litz_executable_run(e, inputs, n_inputs, made, n_outputs, NULL, &err));
    OK(litz_executable_run(oracle, inputs, n_inputs, want, n_outputs, NULL, &err));
    for (k = 0; k < n_outputs; ++k) {
        const size_t n = count(&want[k]->dl_tensor);
        CHECK(count(&made[k]->dl_tensor) == n);
        for (i = 0; i < n && want[k]->dl_tensor.dtype.code == kDLFloat; ++i) {
            const float x = ((float *)made[k]->dl_tensor.data)[i], y = ((float *)want[k]->dl_tensor.data)[i];
            CHECK(fabsf(x - y) <= 1e-4f + 1e-3f * fabsf(y));
        }
        made[k]->deleter(made[k]);
        want[k]->deleter(want[k]);
    }
    for (k = 0; k < n_inputs; ++k) free(tensors[k].data);
    litz_executable_release(e);
    litz_executable_release(oracle);
    litz_options_release(o);
    litz_options_release(interpreter);
    litz_graph_release(g);
    puts("model: all right");
    return 0;
}
