/* Expressions of pointwise operators mean what they mean to the compiler of this file. The argument is the backend. */
#include "operators.h"

#include <math.h>

#define EXPRESSIONS(X)                                     \
    X(0, x + y * 2.5f - -x)                                \
    X(1, (x + y) * 2.5f / by)                              \
    X(2, x > y ? x : x < -1 ? y : 0.5f)                    \
    X(3, (x > 0) + (y > 0))                                \
    X(4, !(x > 0) || (y > 1 && x < 3))                     \
    X(5, k / 2 * 10 + k % 2)                               \
    X(6, -k / 3 - (k & 5) + (k ^ 3) - (k | 8) + (~k << 2)) \
    X(7, k >> 1)                                           \
    X(8, (float)k / n + (int)x)                            \
    X(9, expf(-x * x) + log1pf(fabsf(y)) - tanhf(x))       \
    X(10, roundf(x) + rintf(y) + truncf(x) - ceilf(y))     \
    X(11, fminf(x, y) * fmaxf(x, by) + fmaf(x, y, by))     \
    X(12, powf(fabsf(x), 1.5f) + sqrtf(fabsf(y)))          \
    X(13, copysignf(by, x) + fmodf(y, 2) + hypotf(x, y))   \
    X(14, atan2f(y, x) + erff(x) - 1e-2 * 0x10 + .5e1)     \
    X(15, x == y ? 1 : x != x ? 2 : x <= y)                \
    X(16, flag ? x : -x)                                   \
    X(17, (x))                                             \
    X(18, 3)
#define DEFINE_EXPRESSION(number, ...)                                                                       \
    static float expression##number(float x, float y, int64_t k, float by, int64_t n, int flag) {            \
        (void)x, (void)y, (void)k, (void)by, (void)n, (void)flag;                                            \
        return (float)(__VA_ARGS__);                                                                         \
    }
#define LIST_EXPRESSION(number, ...) {#__VA_ARGS__, expression##number},
EXPRESSIONS(DEFINE_EXPRESSION)

static const struct {
    const char *text;
    float (*of)(float, float, int64_t, float, int64_t, int);
} expression_list[] = {EXPRESSIONS(LIST_EXPRESSION)};

int main(int argc, char **argv) {
    enum { COUNT = sizeof expression_list / sizeof expression_list[0], N = 8 };
    static float x[N] = {0.5f, -1.5f, 2.5f, -2.5f, 3, -0.25f, 1e-3f, 0.49999997f};
    static float y[N] = {0.5f, 1.5f, -0.5f, 3.5f, -3, 2.25f, 0, 7};
    static int64_t k[N] = {0, 1, -1, 7, -7, 100, 6, -6};
    static float out[COUNT][N];
    int64_t shape[1] = {N};
    litz_registry *r = new_registry();
    litz_options *o = options_with(r, argv[1]);
    litz_tensor_spec spec = float_spec(1, shape, NULL), whole = spec;
    litz_value values[3];
    litz_arg args[6];
    litz_graph *g = NULL;
    litz_executable *e = NULL;
    DLTensor tensors[3], results[COUNT];
    const DLTensor *inputs[3], *outputs[COUNT];
    char text[256];
    size_t c, i;
    CHECK(argc > 1);
    OK(litz_graph_new("meanings", o, &g, &err));
    OK(litz_graph_input(g, "x", &spec, &values[0], &err));
    OK(litz_graph_input(g, "y", &spec, &values[1], &err));
    whole.dtype.code = kDLInt;
    whole.dtype.bits = 64;
    OK(litz_graph_input(g, "k", &whole, &values[2], &err));
    for (i = 0; i < 3; ++i) args[i] = value_arg(values[i]);
    args[3] = float_arg(1.25);
    args[4] = int_arg(4);
    args[5] = int_arg(1);
    args[5].kind = LITZ_ARG_BOOL;
    for (c = 0; c < COUNT; ++c) {
        litz_operator op = operator_with(NULL, NULL);
        char name[64];
        op.pointwise_source = expression_list[c].text;
        snprintf(text, sizeof text, "mylib::e%d(Tensor x, Tensor y, Tensor k, float by, int n, bool flag) -> Tensor", (int)c);
        OK(litz_registry_add_operator(r, text, &op, &err));
        snprintf(text, sizeof text, "mylib.e%d", (int)c);
        snprintf(name, sizeof name, "out%d", (int)c);
        OK(litz_graph_output(g, name, call(g, text, args, 6), &err));
        results[c] = float_tensor(out[c], 1, shape);
        outputs[c] = &results[c];
    }
    OK(litz_compile(g, o, &e, &err));
    tensors[0] = float_tensor(x, 1, shape);
    tensors[1] = float_tensor(y, 1, shape);
    tensors[2] = tensors[0];
    tensors[2].data = k;
    tensors[2].dtype = whole.dtype;
    for (i = 0; i < 3; ++i) inputs[i] = &tensors[i];
    OK(litz_executable_run_into(e, inputs, 3, outputs, COUNT, NULL, &err));
    for (c = 0; c < COUNT; ++c)
        for (i = 0; i < N; ++i) {
            const float want = expression_list[c].of(x[i], y[i], k[i], 1.25f, 4, 1);
            if (fabsf(out[c][i] - want) > 2e-6f * (1 + fabsf(want))) {
                fprintf(stderr, "%s of %g, %g, %d: %g, but C has %g\n", expression_list[c].text, x[i], y[i], (int)k[i], out[c][i], want);
                exit(1);
            }
        }
    litz_executable_release(e);
    litz_graph_release(g);
    litz_options_release(o);
    litz_registry_release(r);
    puts("all right");
    return 0;
}
