/* A host's passes in a training program. */
#include "check.h"

static int near(float a, float b) { return a - b < 1e-5f && b - a < 1e-5f; }

/* Replaces a hyperbolic tangent by three times its operand, and counts where. */
static litz_status triple(void *context, litz_graph *g, litz_error **err) {
    litz_node nodes[64];
    size_t count = 0, results = 0;
    litz_status status = litz_graph_nodes(g, nodes, 64, &count, err);
    for (size_t k = 0; !status && k < count; k++) {
        litz_node_info info = {.struct_size = sizeof info};
        status = litz_graph_node_info(g, nodes[k], &info, err);
        if (status || strcmp(info.op, "aten.tanh.default")) continue;
        litz_arg args[2] = {info.args[0], int_arg(3)};
        args[0].name = NULL;
        litz_value old = info.results[0], made = 0;
        status = litz_graph_insert_after(g, nodes[k], err);
        if (!status) status = litz_graph_call(g, "aten.mul.Scalar", args, 2, &made, 1, &results, err);
        if (!status) status = litz_graph_replace(g, old, made, err);
        ++*(int *)context;
    }
    return status;
}

/* The graph is differentiated after the pass has changed it. */
static void passes_before_gradients(void) {
    int count = 0;
    litz_registry *r = NULL;
    OK(litz_registry_new(&r, &err));
    OK(litz_registry_add_pass(r, "pre_grad", triple, &count, &err));
    litz_options *o = NULL;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "interpreter", &err));
    OK(litz_options_set_registry(o, r, &err));
    litz_graph *g = graph_of("graph \"tr\" { input %0 \"x\": float32[2]\n %1 = aten.tanh.default(%0)\n output \"y\" = %1 }");
    litz_training *t = NULL;
    OK(litz_compile_training(g, o, &t, &err));
    float x[2] = {1, 2}, ones[2] = {1, 1};
    int64_t shape[1] = {2};
    DLTensor given = float_tensor(x, 1, shape), cotangent = float_tensor(ones, 1, shape);
    const DLTensor *inputs[1] = {&given}, *cotangents[1] = {&cotangent};
    struct DLManagedTensorVersioned *outputs[1] = {0}, *gradients[1] = {0};
    litz_saved *saved = NULL;
    OK(litz_training_forward(t, inputs, 1, outputs, 1, &saved, NULL, &err));
    OK(litz_training_backward(t, saved, cotangents, 1, gradients, 1, NULL, &err));
    const float *y = outputs[0]->dl_tensor.data, *dx = gradients[0]->dl_tensor.data;
    CHECK(near(y[0], 3) && near(y[1], 6) && near(dx[0], 3) && near(dx[1], 3));
    CHECK(count == 1);
    litz_tensor_release(outputs[0]);
    litz_tensor_release(gradients[0]);
    litz_saved_release(saved);
    litz_training_release(t);
    litz_graph_release(g);
    litz_options_release(o);
    litz_registry_release(r);
}

int main(void) {
    passes_before_gradients();
    puts("all right");
    return 0;
}
