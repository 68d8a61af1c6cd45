/* Exported programs that call operators registered with torch.library: as they were exported, and decomposed. The arguments are the
 * backend and the programs. */
#include "operators.h"

/* state += the sum of x over rows; the result is twice that. */
static litz_status accumulate(void *context, const litz_arg *args, size_t n_args, const DLTensor *const *tensors, size_t n_tensors,
                              const DLTensor *const *outs, size_t n_outs, void *stream, litz_error **err) {
    float *state = tensors[0]->data;
    const float *x = tensors[1]->data;
    int64_t k, row;
    (void)context, (void)args, (void)stream, (void)err;
    CHECK(n_args == 2 && n_tensors == 2 && n_outs == 1);
    for (k = 0; k < 3; ++k) {
        for (row = 0; row < tensors[1]->shape[0]; ++row) state[k] += x[3 * row + k];
        ((float *)outs[0]->data)[k] = 2 * state[k];
    }
    return LITZ_OK;
}

static litz_status three(void *context, litz_graph *g, const litz_arg *args, size_t n_args, litz_meta *outs, litz_error **err) {
    int64_t shape[1] = {3};
    litz_tensor_spec spec = float_spec(1, shape, NULL);
    (void)context, (void)g, (void)args, (void)n_args;
    return litz_meta_output(outs, 0, &spec, err);
}

static void program(const char *path, const litz_options *o) {
    static float x[6] = {1, -1, 2, -3, 4, 0.5f};
    float y[6], doubled[3], total[3], want[3] = {1, 2, 3}, all[6];
    const float weight[3] = {2, -1, 0.5f};
    int64_t shape[2] = {2, 3}, few[1] = {3};
    litz_graph *g = NULL;
    litz_executable *e = NULL;
    DLTensor input = float_tensor(x, 2, shape), results[3];
    const DLTensor *inputs[1] = {&input}, *outputs[3];
    int run, k;
    OK(litz_graph_from_pt2(path, o, &g, &err));
    OK(litz_compile(g, o, &e, &err));
    results[0] = float_tensor(y, 2, shape);
    results[1] = float_tensor(doubled, 1, few);
    results[2] = float_tensor(total, 1, few);
    for (k = 0; k < 3; ++k) outputs[k] = &results[k];
    for (k = 0; k < 6; ++k) all[k] = (x[k] > 0 ? x[k] : 0) * 0.75f + weight[k % 3] * x[k] * 0.25f;
    for (run = 0; run < 2; ++run) {
        OK(litz_executable_run_into(e, inputs, 1, outputs, 3, NULL, &err));
        for (k = 0; k < 6; ++k) want[k % 3] += all[k];
        for (k = 0; k < 3; ++k) CHECK(doubled[k] == 2 * want[k] && total[k] == want[k] + 1);
        /* exp(-y) of the first and of the second element, -1.25 and 0.25. */
        CHECK(y[0] > 0.2865f && y[0] < 0.2866f && y[1] > 0.7787f && y[1] < 0.7789f);
    }
    litz_executable_release(e);
    litz_graph_release(g);
}

int main(int argc, char **argv) {
    litz_registry *r = new_registry();
    litz_options *o;
    litz_operator blend = operator_with(NULL, NULL), sum = operator_with(three, accumulate);
    litz_graph *g = NULL;
    int k;
    CHECK(argc == 4);
    o = options_with(r, argv[1]);
    for (k = 2; k < 4; ++k) {
        FAILS(LITZ_ERROR_UNSUPPORTED, "the operator `mylib.blend.default`", litz_graph_from_pt2(argv[k], o, &g, &err));
        FAILS(LITZ_ERROR_UNSUPPORTED, "the operator `mylib.accumulate.default`", litz_graph_from_pt2(argv[k], o, &g, &err));
    }
    blend.pointwise_source = "a * (1 - t) + b * t";
    OK(litz_registry_add_operator(r, "mylib::blend(Tensor a, Tensor b, float t=0.5) -> Tensor", &blend, &err));
    OK(litz_registry_add_operator(r, "mylib::accumulate(Tensor(a0!) state, Tensor x) -> Tensor", &sum, &err));
    program(argv[2], o);
    program(argv[3], o);
    litz_options_release(o);
    litz_registry_release(r);
    puts("all right");
    return 0;
}
