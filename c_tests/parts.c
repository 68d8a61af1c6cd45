/* Results that are parts of one value, or of an input, keep their shapes: as the graph has them, behind a host's pass at each point,
 * and where branches give them. */
#include "negate.h"

static litz_status negate(void *context, litz_graph *g, litz_error **err) { return negate_relus(g, context, err); }

int main(int argc, char **argv) {
    static const char *const points[3] = {"pre_grad", "joint", "post_grad"};
    static const char text[] = "graph \"g\" {\n"
                               "  input %0 \"p\": bool[]\n"
                               "  input %1 \"x\": float32[3]\n"
                               "  %2 = aten.relu.default(%1)\n"
                               "  %3 = aten.slice.Tensor(%2, 0, 0, 2)\n"
                               "  %4 = aten.slice.Tensor(%2, 0, 1, 3)\n"
                               "  %5 = aten.slice.Tensor(%1, 0, 0, 2)\n"
                               "  %6 = aten.slice.Tensor(%1, 0, 1, 3)\n"
                               "  %7, %8 = higher_order.cond.default(%0, graph \"yes\" {\n"
                               "    input %0 \"x\": float32[3]\n"
                               "    %1 = aten.relu.default(%0)\n"
                               "    %2 = aten.slice.Tensor(%1, 0, 0, 2)\n"
                               "    %3 = aten.slice.Tensor(%1, 0, 1, 3)\n"
                               "    output \"y\" = %2\n"
                               "    output \"z\" = %3\n"
                               "  }, graph \"no\" {\n"
                               "    input %0 \"x\": float32[3]\n"
                               "    %1 = aten.slice.Tensor(%0, 0, 0, 2)\n"
                               "    %2 = aten.slice.Tensor(%0, 0, 1, 3)\n"
                               "    output \"y\" = %1\n"
                               "    output \"z\" = %2\n"
                               "  }, [%1])\n"
                               "  output \"a\" = %3\n"
                               "  output \"b\" = %4\n"
                               "  output \"c\" = %5\n"
                               "  output \"d\" = %6\n"
                               "  output \"e\" = %7\n"
                               "  output \"f\" = %8\n"
                               "}\n";
    int k, j, choice;
    CHECK(argc == 2);
    for (k = 0; k < 4; ++k) {
        int found = 0;
        litz_registry *r = NULL;
        litz_options *o = NULL;
        litz_graph *g = graph_of(text);
        litz_executable *e = NULL;
        OK(litz_registry_new(&r, &err));
        OK(litz_options_new(&o, &err));
        OK(litz_options_set(o, "backend", argv[1], &err));
        OK(litz_options_set_registry(o, r, &err));
        if (k < 3) OK(litz_registry_add_pass(r, points[k], negate, &found, &err));
        OK(litz_compile(g, o, &e, &err));
        CHECK(k >= 3 || found == 2);
        for (choice = 0; choice < 2; ++choice) {
            uint8_t yes = (uint8_t)choice;
            /* relu, or what the pass put in its place. */
            float x[3] = {1, 2, 4}, sign = k < 3 ? -1.0f : 1.0f, want[6];
            int64_t three = 3;
            DLTensor p, input = float_tensor(x, 1, &three);
            const DLTensor *inputs[2];
            struct DLManagedTensorVersioned *made[6] = {NULL};
            p = input;
            p.data = &yes;
            p.ndim = 0;
            p.dtype.code = kDLBool;
            p.dtype.bits = 8;
            inputs[0] = &p;
            inputs[1] = &input;
            want[0] = want[1] = sign;
            want[2] = want[3] = 1;
            want[4] = want[5] = choice ? sign : 1;
            OK(litz_executable_run(e, inputs, 2, made, 6, NULL, &err));
            for (j = 0; j < 6; ++j) {
                const DLTensor *t = &made[j]->dl_tensor;
                const float *data = (const float *)((const char *)t->data + t->byte_offset);
                CHECK(t->ndim == 1 && t->shape[0] == 2);
                CHECK(data[0] == want[j] * x[j % 2] && data[1] == want[j] * x[1 + j % 2]);
                litz_tensor_release(made[j]);
            }
        }
        litz_executable_release(e);
        litz_graph_release(g);
        litz_options_release(o);
        litz_registry_release(r);
    }    puts("all right");
    return 0;
}
