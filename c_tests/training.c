/* Gradients as graph, optimizer steps, and training programs, on the backend argv[1]; and what they refuse. */
#include "check.h"

#include <math.h>
#include <pthread.h>

static litz_options *options;

/* loss = sum((x w^T)^2), x of [n, 3], w of [2, 3]; d loss/d w = 2 (x w^T)^T x, d loss/d x = 2 (x w^T) w. */
static const float weight[6] = {1, 2, 3, -1, -2, -3};

static litz_value call(litz_graph *g, const char *op, const litz_arg *args, size_t n_args) {
    litz_value out = 0;
    size_t n = 0;
    OK(litz_graph_call(g, op, args, n_args, &out, 1, &n, &err));
    return out;
}

static litz_value unary(litz_graph *g, const char *op, litz_value a) {
    const litz_arg args[1] = {value_arg(a)};
    return call(g, op, args, 1);
}

static litz_value binary(litz_graph *g, const char *op, litz_value a, litz_value b) {
    const litz_arg args[2] = {value_arg(a), value_arg(b)};
    return call(g, op, args, 2);
}

static litz_value float_input(litz_graph *g, const char *name, int32_t ndim, const int64_t *shape, const litz_value *symbols) {
    litz_value value = 0;
    const litz_tensor_spec spec = float_spec(ndim, shape, symbols);
    OK(litz_graph_input(g, name, &spec, &value, &err));
    return value;
}

static litz_arg number(const char *name, double value) {
    litz_arg arg = int_arg(0);
    arg.name = name;
    arg.kind = LITZ_ARG_FLOAT;
    arg.f = value;
    return arg;
}

/* Without its outputs: x, w, y = x w^T, and the loss. */
struct parts {
    litz_graph *g;
    litz_value x, w, y, loss;
};

static struct parts build(void) {
    struct parts p;
    int64_t shape[2] = {0, 3}, weight_shape[2] = {2, 3};
    litz_value symbols[2] = {0, 0};
    float data[6];
    DLTensor tensor = float_tensor(data, 2, weight_shape);
    memcpy(data, weight, sizeof data);
    OK(litz_graph_new("squares", NULL, &p.g, &err));
    OK(litz_graph_symbol(p.g, "n", 1, 64, 4, &symbols[0], &err));
    p.x = float_input(p.g, "x", 2, shape, symbols);
    OK(litz_graph_constant(p.g, "w", LITZ_CONSTANT_PARAMETER, 0, &tensor, &p.w, &err));
    p.y = binary(p.g, "aten.linear", p.x, p.w);
    p.loss = unary(p.g, "aten.sum", binary(p.g, "aten.mul.Tensor", p.y, p.y));
    return p;
}

/* The gradients of the loss for n rows of x and this weight. */
static void expected(const float *x, const float *w, int64_t n, float *loss, float *by_x, float *by_w) {
    int64_t row;
    int k, j;
    *loss = 0;
    memset(by_w, 0, 6 * sizeof *by_w);
    memset(by_x, 0, (size_t)n * 3 * sizeof *by_x);
    for (row = 0; row < n; ++row) {
        for (k = 0; k < 2; ++k) {
            float y = 0;
            for (j = 0; j < 3; ++j) y += x[row * 3 + j] * w[k * 3 + j];
            *loss += y * y;
            for (j = 0; j < 3; ++j) {
                by_w[k * 3 + j] += 2 * y * x[row * 3 + j];
                by_x[row * 3 + j] += 2 * y * w[k * 3 + j];
            }
        }
    }
}

static int are(const struct DLManagedTensorVersioned *tensor, const float *want, size_t n) {
    const float *have = (const float *)((const char *)tensor->dl_tensor.data + tensor->dl_tensor.byte_offset);
    size_t k;
    for (k = 0; k < n; ++k) {
        if (!(fabsf(have[k] - want[k]) <= 1e-5f * (1 + fabsf(want[k])))) return 0;
    }
    return 1;
}

static void fill(float *x, int64_t n, int seed) {
    int64_t k;
    for (k = 0; k < n * 3; ++k) x[k] = (float)((seed + 7 * k) % 11 - 5) / 4;
}

/* Gradients and second derivatives as graph: y = x^3, its gradient and the gradient of that. */
static void as_graph(void) {
    litz_graph *g = NULL;
    int64_t shape[1] = {3};
    float data[3] = {1, -2, 0.5f};
    const float first[3] = {3, 12, 0.75f}, second[3] = {6, -12, 3}, along[3] = {3, -24, 0.375f};
    DLTensor tensor = float_tensor(data, 1, shape);
    const DLTensor *inputs[2] = {&tensor, NULL};
    struct DLManagedTensorVersioned *outputs[3];
    litz_executable *e = NULL;
    litz_value x, y, loss, grad, sum, grad2 = 0, apart, none = 1, moved = 0, still[2] = {0, 0};
    OK(litz_graph_new("cube", NULL, &g, &err));
    x = float_input(g, "x", 1, shape, NULL);
    y = binary(g, "aten.mul.Tensor", binary(g, "aten.mul.Tensor", x, x), x);
    loss = unary(g, "aten.sum", y);
    OK(litz_graph_differentiate(g, &loss, NULL, 1, &x, 1, &grad, &err));
    sum = unary(g, "aten.sum", grad);
    OK(litz_graph_differentiate(g, &sum, NULL, 1, &x, 1, &grad2, &err));
    OK(litz_graph_output(g, "first", grad, &err));
    OK(litz_graph_output(g, "second", grad2, &err));
    /* Forward mode: x moves along itself. */
    OK(litz_graph_differentiate_forward(g, &y, 1, &x, &x, 1, &moved, &err));
    OK(litz_graph_output(g, "moved", moved, &err));
    /* A value that no output depends on has no gradient. */
    apart = float_input(g, "apart", 1, shape, NULL);
    OK(litz_graph_differentiate_forward(g, &y, 1, &apart, &x, 1, &none, &err));
    CHECK(none == 0);
    none = 1;
    OK(litz_graph_differentiate_forward(g, &y, 1, &x, still, 1, &none, &err));
    CHECK(none == 0);
    none = 1;
    FAILS(LITZ_ERROR_SHAPE, "tangent", litz_graph_differentiate_forward(g, &y, 1, &x, &loss, 1, &none, &err));
    OK(litz_graph_differentiate(g, &loss, NULL, 1, &apart, 1, &none, &err));
    CHECK(none == 0);
    /* Bad input: an output of three elements without a cotangent; a cotangent that does not fit; no float; a value of nowhere. */
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "one element", litz_graph_differentiate(g, &y, NULL, 1, &x, 1, &grad, &err));
    FAILS(LITZ_ERROR_SHAPE, "cotangent", litz_graph_differentiate(g, &y, &loss, 1, &x, 1, &grad, &err));
    {
        litz_value truth = binary(g, "aten.gt.Tensor", x, y), unknown = 0;
        FAILS(LITZ_ERROR_DTYPE, "float", litz_graph_differentiate(g, &loss, NULL, 1, &truth, 1, &grad, &err));
        FAILS(LITZ_ERROR_INVALID_ARGUMENT, "", litz_graph_differentiate(g, &loss, NULL, 1, &unknown, 1, &grad, &err));
    }
    OK(litz_compile(g, options, &e, &err));
    OK(litz_executable_run(e, inputs, 2, outputs, 3, NULL, &err));
    CHECK(are(outputs[0], first, 3) && are(outputs[1], second, 3) && are(outputs[2], along, 3));
    litz_tensor_release(outputs[2]);
    litz_tensor_release(outputs[0]);
    litz_tensor_release(outputs[1]);
    litz_executable_release(e);
    litz_graph_release(g);
}

/* A whole step as one graph, with a learning rate that is an input. */
static void whole_step(void) {
    struct parts p = build();
    litz_value grad, rate;
    litz_arg hyper[2];
    litz_executable *e = NULL;
    float x[6], lr[1] = {0.125f}, loss, by_x[6], by_w[6], w[6];
    int64_t shape[2] = {2, 3};
    DLTensor tensors[2];
    const DLTensor *inputs[2] = {&tensors[0], &tensors[1]};
    struct DLManagedTensorVersioned *made = NULL;
    int step, k;
    OK(litz_graph_differentiate(p.g, &p.loss, NULL, 1, &p.w, 1, &grad, &err));
    rate = float_input(p.g, "lr", 0, NULL, NULL);
    OK(litz_graph_output(p.g, "loss", p.loss, &err));

    hyper[0] = value_arg(rate);
    hyper[0].name = "lr";
    hyper[1] = number("momentun", 0.9);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "momentun", litz_graph_optimizer_step(p.g, "sgd", &p.w, &grad, 1, hyper, 2, &err));
    hyper[1] = hyper[0];
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "twice", litz_graph_optimizer_step(p.g, "sgd", &p.w, &grad, 1, hyper, 2, &err));
    hyper[1].name = NULL;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "", litz_graph_optimizer_step(p.g, "sgd", &p.w, &grad, 1, &hyper[1], 1, &err));
    hyper[1] = value_arg(p.y);
    hyper[1].name = "lr";
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "without dimensions", litz_graph_optimizer_step(p.g, "sgd", &p.w, &grad, 1, &hyper[1], 1, &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "sdg", litz_graph_optimizer_step(p.g, "sdg", &p.w, &grad, 1, hyper, 1, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "no parameter", litz_graph_optimizer_step(p.g, "sgd", &p.x, &p.x, 1, hyper, 1, &err));
    FAILS(LITZ_ERROR_SHAPE, "`w`", litz_graph_optimizer_step(p.g, "sgd", &p.w, &p.x, 1, hyper, 1, &err));
    {
        const litz_value params[2] = {p.w, p.w}, grads[2] = {grad, grad};
        FAILS(LITZ_ERROR_INVALID_ARGUMENT, "twice", litz_graph_optimizer_step(p.g, "sgd", params, grads, 2, hyper, 1, &err));
    }
    /* Nothing of what failed has stayed. */
    OK(litz_graph_optimizer_step(p.g, "sgd", &p.w, &grad, 1, hyper, 1, &err));
    OK(litz_compile(p.g, options, &e, &err));
    litz_graph_release(p.g);

    fill(x, 2, 3);
    memcpy(w, weight, sizeof w);
    tensors[0] = float_tensor(x, 2, shape);
    tensors[1] = float_tensor(lr, 0, NULL);
    for (step = 0; step < 3; ++step) {
        OK(litz_executable_run(e, inputs, 2, &made, 1, NULL, &err));
        expected(x, w, 2, &loss, by_x, by_w);
        CHECK(are(made, &loss, 1));
        litz_tensor_release(made);
        for (k = 0; k < 6; ++k) w[k] -= lr[0] * by_w[k];
        OK(litz_executable_constant(e, "w", &made, &err));
        CHECK(are(made, w, 6));
        litz_tensor_release(made);
        /* A schedule needs no other program. */
        lr[0] /= 2;
    }
    litz_executable_release(e);
}

/* Forward and gradients as one graph, described by its metadata. */
static void joint_graph(void) {
    struct parts p = build();
    litz_graph *joint = NULL;
    litz_executable *e = NULL;
    litz_string *json = NULL;
    float x[6], one[1] = {1}, loss, by_x[6], by_w[6];
    int64_t shape[2] = {2, 3};
    DLTensor tensors[2];
    const DLTensor *inputs[2] = {&tensors[0], &tensors[1]};
    struct DLManagedTensorVersioned *made[3];
    int k;
    OK(litz_graph_output(p.g, "loss", p.loss, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`out`", litz_graph_export_joint(p.g, NULL, NULL, &err));
    OK(litz_graph_export_joint(p.g, options, &joint, &err));
    litz_graph_release(p.g);
    OK(litz_graph_spec(joint, &json, &err));
    CHECK(strstr(litz_string_data(json), "\\\"cotangents\\\":[{\\\"input\\\":1,\\\"output\\\":\\\"loss\\\"}]") != NULL);
    CHECK(strstr(litz_string_data(json), "{\\\"of\\\":{\\\"kind\\\":\\\"parameter\\\",\\\"name\\\":\\\"w\\\"},\\\"output\\\":2}") != NULL);
    litz_string_release(json);
    OK(litz_compile(joint, options, &e, &err));
    litz_graph_release(joint);
    fill(x, 2, 3);
    tensors[0] = float_tensor(x, 2, shape);
    tensors[1] = float_tensor(one, 0, NULL);
    OK(litz_executable_run(e, inputs, 2, made, 3, NULL, &err));
    expected(x, weight, 2, &loss, by_x, by_w);
    CHECK(are(made[0], &loss, 1) && are(made[1], by_x, 6) && are(made[2], by_w, 6));
    for (k = 0; k < 3; ++k) litz_tensor_release(made[k]);
    litz_executable_release(e);
}

struct run {
    const litz_training *t;
    int seed;
};

/* A forward and its backward, of several sizes; the weight may differ from the first. */
static void one_run(const litz_training *t, const float *w, int64_t n, int seed) {
    float x[12 * 3], loss, by_x[12 * 3], by_w[6];
    int64_t shape[2];
    DLTensor tensor = float_tensor(x, 2, shape);
    const DLTensor *inputs[1] = {&tensor}, *cotangents[1] = {NULL};
    struct DLManagedTensorVersioned *out = NULL, *grads[2] = {NULL, NULL};
    litz_saved *saved = NULL;
    shape[0] = n;
    shape[1] = 3;
    fill(x, n, seed);
    expected(x, w, n, &loss, by_x, by_w);
    OK(litz_training_forward(t, inputs, 1, &out, 1, &saved, NULL, &err));
    CHECK(are(out, &loss, 1));
    /* A small input need not stay, and no description. */
    memset(x, 0xff, sizeof x);
    shape[0] = 1;
    tensor.data = NULL;
    OK(litz_training_backward(t, saved, cotangents, 1, grads, 2, NULL, &err));
    CHECK(grads[0]->dl_tensor.shape[0] == n && are(grads[0], by_x, (size_t)n * 3) && are(grads[1], by_w, 6));
    litz_tensor_release(grads[0]);
    litz_tensor_release(grads[1]);
    litz_tensor_release(out);
    litz_saved_release(saved);
}

static void *many_runs(void *context) {
    const struct run *run = context;
    int k;
    for (k = 0; k < 20; ++k) one_run(run->t, weight, 1 + (run->seed + k) % 12, run->seed + k);
    return NULL;
}

static void programs(void) {
    struct parts p = build();
    litz_training *t = NULL;
    litz_saved *saved = NULL;
    litz_string *json = NULL;
    float x[6], one[1] = {2}, loss, by_x[6], by_w[6], doubled[6], wrong_weight[5] = {0};
    int64_t shape[2] = {2, 3}, wrong_shape[1] = {5}, one_shape[1] = {1};
    DLTensor tensor = float_tensor(x, 2, shape), cotangent = float_tensor(one, 0, NULL), update;
    const DLTensor *inputs[2] = {&tensor, &tensor}, *cotangents[2] = {NULL, NULL}, *data[2];
    const char *names[2] = {"w", "v"};
    struct DLManagedTensorVersioned *out = NULL, *grads[3] = {NULL, NULL, NULL}, *now = NULL;
    litz_tensor_info info;
    pthread_t threads[2];
    struct run runs[2];
    int k;
    OK(litz_graph_output(p.g, "loss", p.loss, &err));
    OK(litz_compile_training(p.g, options, &t, &err));
    litz_graph_release(p.g);

    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    OK(litz_training_info(t, LITZ_INFO_GRADIENT, 1, &info, &err));
    CHECK(strcmp(info.name, "w") == 0 && info.ndim == 2 && info.min_shape[0] == 2);
    CHECK(info.strides != NULL && info.strides[0] == 3 && info.strides[1] == 1);
    OK(litz_training_info(t, LITZ_INFO_CONSTANT, 0, &info, &err));
    CHECK(strcmp(info.name, "w") == 0 && info.strides != NULL && info.strides[1] == 1);
    OK(litz_training_info(t, LITZ_INFO_INPUT, 0, &info, &err));
    CHECK(strcmp(info.name, "x") == 0 && info.min_shape[0] == 1 && info.max_shape[0] == 64);
    CHECK(info.strides != NULL && info.strides[0] == 3 && info.strides[1] == 1);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "gradient 2", litz_training_info(t, LITZ_INFO_GRADIENT, 2, &info, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`what`", litz_training_info(t, 9, 0, &info, &err));
    OK(litz_training_describe(t, &json, &err));
    CHECK(strstr(litz_string_data(json), "\"gradients\":[\"x\",\"w\"]") != NULL);
    CHECK(strstr(litz_string_data(json), "\"backward\":null") != NULL);
    litz_string_release(json);

    /* One program serves the range of sizes. */
    one_run(t, weight, 1, 1);
    one_run(t, weight, 12, 5);
    for (k = 0; k < 2; ++k) {
        runs[k].t = t;
        runs[k].seed = 3 * k;
        CHECK(pthread_create(&threads[k], NULL, many_runs, &runs[k]) == 0);
    }
    for (k = 0; k < 2; ++k) CHECK(pthread_join(threads[k], NULL) == 0);

    fill(x, 2, 3);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "2 inputs", litz_training_forward(t, inputs, 2, &out, 1, &saved, NULL, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "2 outputs", litz_training_forward(t, inputs, 1, grads, 2, &saved, NULL, &err));
    CHECK(saved == NULL && out == NULL);
    OK(litz_training_forward(t, inputs, 1, &out, 1, &saved, NULL, &err));
    litz_tensor_release(out);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "2 cotangents", litz_training_backward(t, saved, cotangents, 2, grads, 2, NULL, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "3 grads", litz_training_backward(t, saved, cotangents, 1, grads, 3, NULL, &err));
    cotangents[0] = &cotangent;
    cotangent.dtype.code = kDLInt;
    FAILS(LITZ_ERROR_DTYPE, "cotangent", litz_training_backward(t, saved, cotangents, 1, grads, 2, NULL, &err));
    cotangent = float_tensor(one, 1, one_shape);
    FAILS(LITZ_ERROR_SHAPE, "cotangent", litz_training_backward(t, saved, cotangents, 1, grads, 2, NULL, &err));
    CHECK(grads[0] == NULL && grads[1] == NULL);

    /* Parameters that a backward is to read stay as they are until it has run. */
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`v`", litz_training_constant(t, "v", &now, &err));
    for (k = 0; k < 6; ++k) doubled[k] = 2 * weight[k];
    update = float_tensor(doubled, 2, shape);
    data[0] = data[1] = &update;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`v`", litz_training_update_constants(t, names, data, 2, &err));
    tensor = float_tensor(wrong_weight, 1, wrong_shape);
    data[1] = &tensor;
    names[1] = "w";
    FAILS(LITZ_ERROR_SHAPE, "`w`", litz_training_update_constants(t, names, data, 2, &err));
    OK(litz_training_constant(t, "w", &now, &err));
    CHECK(are(now, weight, 6));
    litz_tensor_release(now);
    FAILS(LITZ_ERROR_STATE, "`w` is saved", litz_training_update_constants(t, names, data, 1, &err));
    OK(litz_training_constant(t, "w", &now, &err));
    CHECK(are(now, weight, 6));
    litz_tensor_release(now);
    cotangent = float_tensor(one, 0, NULL);
    OK(litz_training_backward(t, saved, cotangents, 1, grads, 2, NULL, &err));
    expected(x, weight, 2, &loss, by_x, by_w);
    for (k = 0; k < 6; ++k) {
        by_x[k] *= one[0];
        by_w[k] *= one[0];
    }
    CHECK(are(grads[0], by_x, 6) && are(grads[1], by_w, 6));
    FAILS(LITZ_ERROR_STATE, "has run", litz_training_backward(t, saved, cotangents, 1, grads, 2, NULL, &err));
    litz_tensor_release(grads[0]);
    litz_tensor_release(grads[1]);
    OK(litz_training_update_constants(t, names, data, 1, &err));
    OK(litz_training_constant(t, "w", &now, &err));
    CHECK(are(now, doubled, 6));
    litz_tensor_release(now);
    litz_saved_release(saved);
    one_run(t, doubled, 3, 2);

    /* Released before its backward; and a program that is released while what a forward kept lives. */
    tensor = float_tensor(x, 2, shape);
    OK(litz_training_forward(t, inputs, 1, &out, 1, &saved, NULL, &err));
    litz_saved_release(saved);
    litz_tensor_release(out);
    OK(litz_training_forward(t, inputs, 1, &out, 1, &saved, NULL, &err));
    OK(litz_training_describe(t, &json, &err));
    CHECK(strstr(litz_string_data(json), "\"backward\":{") != NULL);
    litz_string_release(json);
    litz_training_release(t);
    litz_saved_release(saved);
    litz_tensor_release(out);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    OK(litz_options_new(&options, &err));
    OK(litz_options_set(options, "backend", argv[1], &err));
    as_graph();
    whole_step();
    joint_graph();
    programs();
    litz_options_release(options);
    printf("training on %s: all right\n", argv[1]);
    return 0;
}
