/* What a training program does around its two halves, on the backend argv[1]: arguments that are one tensor or share memory, inputs and
 * buffers that the forward writes to, outputs that share memory, strides, values without a gradient, cotangents that are left out, of
 * another dtype or of other strides, assertions. Every program runs once plainly and once under `debug.check`. And what a program leaves
 * behind: nothing once a `litz_saved` is released, nothing after many steps, and no other parameters after a step that fails. */
#include "check.h"

#include <math.h>
#include <pthread.h>

static litz_options *options;

static litz_training *training_of(const char *text) {
    litz_training *t = NULL;
    litz_graph *g = graph_of(text);
    OK(litz_compile_training(g, options, &t, &err));
    litz_graph_release(g);
    return t;
}

static const float *floats_of(const struct DLManagedTensorVersioned *tensor) {
    return (const float *)((const char *)tensor->dl_tensor.data + tensor->dl_tensor.byte_offset);
}

static int are(const float *have, const float *want, size_t n) {
    size_t k;
    for (k = 0; k < n; ++k) {
        if (!(fabsf(have[k] - want[k]) <= 1e-5f * (1 + fabsf(want[k])))) return 0;
    }
    return 1;
}

/* Gives a tensor back after looking at its first elements. */
static int gave(struct DLManagedTensorVersioned *tensor, const float *want, size_t n) {
    const int as_wanted = tensor != NULL && are(floats_of(tensor), want, n);
    litz_tensor_release(tensor);
    return as_wanted;
}

static void constant_is(const litz_training *t, const char *name, const float *want, size_t n) {
    struct DLManagedTensorVersioned *now = NULL;
    OK(litz_training_constant(t, name, &now, &err));
    CHECK(gave(now, want, n));
}

/* loss = sum(a b): by a it is b, and by b it is a, where both are one tensor, too. */
static void duplicate_arguments(void) {
    litz_training *t = training_of("graph \"g\" {\n"
                                   "  input %0 \"a\": float32[3]\n"
                                   "  input %1 \"b\": float32[3]\n"
                                   "  %2 = aten.mul.Tensor(%0, %1)\n"
                                   "  %3 = aten.sum.default(%2)\n"
                                   "  output \"loss\" = %3\n"
                                   "}\n");
    float memory[5] = {1, 2, 3, 4, 5};
    const float square[1] = {14}, shifted[1] = {1 * 3 + 2 * 4 + 3 * 5};
    int64_t size[1] = {3};
    DLTensor a = float_tensor(memory, 1, size), b = float_tensor(memory + 2, 1, size);
    const DLTensor *inputs[2] = {&a, &a}, *cotangents[1] = {NULL};
    struct DLManagedTensorVersioned *out = NULL, *grads[2];
    litz_saved *saved = NULL;
    OK(litz_training_forward(t, inputs, 2, &out, 1, &saved, NULL, &err));
    CHECK(gave(out, square, 1));
    OK(litz_training_backward(t, saved, cotangents, 1, grads, 2, NULL, &err));
    /* Two gradients, neither of which is the other's memory. */
    CHECK(floats_of(grads[0]) != floats_of(grads[1]));
    CHECK(gave(grads[0], memory, 3) && gave(grads[1], memory, 3));
    litz_saved_release(saved);
    saved = NULL;
    inputs[1] = &b;
    OK(litz_training_forward(t, inputs, 2, &out, 1, &saved, NULL, &err));
    CHECK(gave(out, shifted, 1));
    OK(litz_training_backward(t, saved, cotangents, 1, grads, 2, NULL, &err));
    CHECK(gave(grads[0], memory + 2, 3) && gave(grads[1], memory, 3));
    litz_saved_release(saved);
    litz_training_release(t);
}

/* `a` is doubled in place; then loss = sum(a b): the gradient by a is 2 b, that by b is what a is then. */
static void written_inputs(void) {
    litz_training *t = training_of("graph \"g\" {\n"
                                   "  input %0 \"a\": float32[3]\n"
                                   "  input %1 \"b\": float32[3]\n"
                                   "  %2 = aten.mul_.Scalar(%0, 2)\n"
                                   "  %3 = aten.mul.Tensor(%0, %1)\n"
                                   "  %4 = aten.sum.default(%3)\n"
                                   "  output \"loss\" = %4\n"
                                   "}\n");
    float memory[6] = {1, 2, 3, 4, 5, 6};
    const float now[6] = {2, 4, 6, 4, 5, 6}, loss[1] = {2 * 4 + 4 * 5 + 6 * 6}, by_a[3] = {8, 10, 12};
    int64_t size[1] = {3};
    DLTensor a = float_tensor(memory, 1, size), b = float_tensor(memory + 3, 1, size);
    const DLTensor *inputs[2] = {&a, &b}, *cotangents[1] = {NULL};
    struct DLManagedTensorVersioned *out = NULL, *grads[2];
    litz_saved *saved = NULL;
    int k;
    OK(litz_training_forward(t, inputs, 2, &out, 1, &saved, NULL, &err));
    CHECK(are(memory, now, 6));
    CHECK(gave(out, loss, 1));
    /* What the backward reads of small inputs, and of what is written to, is its own. */
    for (k = 0; k < 6; ++k) memory[k] = -1;
    size[0] = 7;
    b.data = NULL;
    OK(litz_training_backward(t, saved, cotangents, 1, grads, 2, NULL, &err));
    CHECK(gave(grads[0], by_a, 3) && gave(grads[1], now, 3));
    litz_saved_release(saved);
    litz_training_release(t);
}

/* `a` is doubled in place, which `b` sees where it shows the same memory; then loss = sum(a b) w, and `n` counts the forwards. An element
 * that both show has its whole gradient in that of `b`. Parameters and buffers are those of the runs on memory that is apart. */
static void shared_inputs(void) {
    litz_training *t = training_of("graph \"g\" {\n"
                                   "  input %0 \"a\": float32[3]\n"
                                   "  input %1 \"b\": float32[3]\n"
                                   "  parameter %2 \"w\": float32[1] = [0.5]\n"
                                   "  buffer %3 \"n\": float32[1] = [0.0]\n"
                                   "  %4 = aten.mul_.Scalar(%0, 2)\n"
                                   "  %5 = aten.add_.Scalar(%3, 1)\n"
                                   "  %6 = aten.mul.Tensor(%0, %1)\n"
                                   "  %7 = aten.sum.default(%6)\n"
                                   "  %8 = aten.mul.Tensor(%7, %2)\n"
                                   "  %9 = aten.sum.default(%8)\n"
                                   "  output \"loss\" = %9\n"
                                   "}\n");
    const float now[6] = {2, 4, 6, 4, 5, 6}, products[4] = {56, 56, 58, 2 * 4 + 4 * 5 + 6 * 6};
    const float by_a[4][3] = {{0, 0, 0}, {8, 0, 0}, {12, 8, 0}, {8, 10, 12}}, by_b[4][3] = {{8, 16, 24}, {16, 16, 6}, {14, 4, 6}, {2, 4, 6}};
    float memory[6], half[3], other[1] = {1}, w = 0.5f;
    int64_t size[1] = {3}, one[1] = {1};
    DLTensor a = float_tensor(memory, 1, size), b = float_tensor(memory, 1, size), weight = float_tensor(other, 1, one);
    const DLTensor *inputs[2] = {&a, &b}, *cotangents[1] = {NULL}, *weights[1] = {&weight};
    const char *names[1] = {"w"};
    struct DLManagedTensorVersioned *out = NULL, *grads[3];
    litz_saved *saved = NULL;
    int k, round, shift;
    for (round = 0; round < 2; ++round) {
        for (shift = 3; shift >= 0; --shift) {
            const float loss[1] = {products[shift] * w}, runs[1] = {(float)(4 * round + 4 - shift)};
            for (k = 0; k < 6; ++k) memory[k] = (float)(k + 1);
            b.data = memory + shift;
            OK(litz_training_forward(t, inputs, 2, &out, 1, &saved, NULL, &err));
            CHECK(gave(out, loss, 1));
            CHECK(are(memory, now, 6));
            constant_is(t, "n", runs, 1);
            /* The parameter is saved for this backward, whichever program the forward was. */
            FAILS(LITZ_ERROR_STATE, "`w` is saved", litz_training_update_constants(t, names, weights, 1, &err));
            for (k = 0; k < 6; ++k) memory[k] = -1;
            OK(litz_training_backward(t, saved, cotangents, 1, grads, 3, NULL, &err));
            for (k = 0; k < 3; ++k) half[k] = by_a[shift][k] * w;
            CHECK(gave(grads[0], half, 3));
            for (k = 0; k < 3; ++k) half[k] = by_b[shift][k] * w;
            CHECK(gave(grads[1], half, 3) && gave(grads[2], &products[shift], 1));
            litz_saved_release(saved);
            saved = NULL;
        }
        OK(litz_training_update_constants(t, names, weights, 1, &err));
        w = 1;
    }
    litz_training_release(t);
}

/* Inputs of more than 1 MiB are read where they lie, by their descriptions of then: what is written to one is seen by the backward. */
static void large_inputs(void) {
    enum { COUNT = 300000 };
    litz_training *t = training_of("graph \"g\" {\n"
                                   "  input %0 \"a\": float32[300000]\n"
                                   "  input %1 \"b\": float32[300000]\n"
                                   "  %2 = aten.mul.Tensor(%0, %1)\n"
                                   "  %3 = aten.sum.default(%2)\n"
                                   "  output \"loss\" = %3\n"
                                   "}\n");
    static float x[COUNT], y[COUNT];
    const float loss[1] = {6}, by_a[3] = {2, 5, 2}, by_b[3] = {1, 1, 1};
    int64_t size[1] = {COUNT};
    DLTensor a = float_tensor(x, 1, size), b = float_tensor(y, 1, size);
    const DLTensor *inputs[2] = {&a, &b}, *cotangents[1] = {NULL};
    struct DLManagedTensorVersioned *out = NULL, *grads[2];
    litz_saved *saved = NULL;
    int k;
    for (k = 0; k < 3; ++k) {
        x[k] = 1;
        y[k] = 2;
    }
    OK(litz_training_forward(t, inputs, 2, &out, 1, &saved, NULL, &err));
    CHECK(gave(out, loss, 1));
    y[1] = 5;
    size[0] = 7;
    a.data = b.data = NULL;
    OK(litz_training_backward(t, saved, cotangents, 1, grads, 2, NULL, &err));
    CHECK(gave(grads[0], by_a, 3) && gave(grads[1], by_b, 3));
    litz_saved_release(saved);
    litz_training_release(t);
}

/* Batch norm of one channel in training: its running mean and variance, and its count of batches, are written by the forward alone. The
 * sum of its result does not depend on x; by the weight it is 0, and by the bias the number of elements. */
static void buffers(void) {
    litz_training *t = training_of("graph \"g\" {\n"
                                   "  input %0 \"x\": float32[4, 1]\n"
                                   "  parameter %1 \"w\": float32[1] = [2.0]\n"
                                   "  parameter %2 \"b\": float32[1] = [0.5]\n"
                                   "  buffer %3 \"mean\": float32[1] = [0.0]\n"
                                   "  buffer %4 \"var\": float32[1] = [1.0]\n"
                                   "  buffer %5 \"batches\": float32[1] = [0.0]\n"
                                   "  %6 = aten.add_.Scalar(%5, 1)\n"
                                   "  %7 = aten.batch_norm.default(%0, %1, %2, %3, %4, true, 0.5, 0.0, false)\n"
                                   "  %8 = aten.sum.default(%7)\n"
                                   "  output \"loss\" = %8\n"
                                   "}\n");
    float x[4] = {1, 2, 3, 6};
    const float loss[1] = {2}, zeros[4] = {0}, four[1] = {4};
    float mean[1] = {0}, var[1] = {1}, batches[1] = {0};
    int64_t size[2] = {4, 1};
    DLTensor tensor = float_tensor(x, 2, size);
    const DLTensor *inputs[1] = {&tensor}, *cotangents[1] = {NULL};
    struct DLManagedTensorVersioned *out = NULL, *grads[3];
    litz_saved *saved = NULL;
    int run;
    for (run = 0; run < 3; ++run) {
        OK(litz_training_forward(t, inputs, 1, &out, 1, &saved, NULL, &err));
        CHECK(gave(out, loss, 1));
        /* The batch's mean is 3, its variance without bias 14/3. */
        mean[0] = 0.5f * mean[0] + 0.5f * 3;
        var[0] = 0.5f * var[0] + 0.5f * 14.0f / 3;
        batches[0] += 1;
        OK(litz_training_backward(t, saved, cotangents, 1, grads, 3, NULL, &err));
        CHECK(gave(grads[0], zeros, 4) && gave(grads[1], zeros, 1) && gave(grads[2], four, 1));
        constant_is(t, "mean", mean, 1);
        constant_is(t, "var", var, 1);
        constant_is(t, "batches", batches, 1);
        litz_saved_release(saved);
        saved = NULL;
    }
    litz_training_release(t);
}

/* A buffer is read, then written: the gradient by x has what the forward read, also when another forward has written since. */
static void buffers_between_forwards(void) {
    litz_training *t = training_of("graph \"g\" {\n"
                                   "  input %0 \"x\": float32[1]\n"
                                   "  buffer %1 \"n\": float32[1] = [3.0]\n"
                                   "  %2 = aten.mul.Tensor(%0, %1)\n"
                                   "  %3 = aten.sum.default(%2)\n"
                                   "  %4 = aten.mul_.Scalar(%1, 2)\n"
                                   "  output \"loss\" = %3\n"
                                   "}\n");
    float x[1] = {1};
    const float first[1] = {3}, second[1] = {6}, after[1] = {12};
    int64_t size[1] = {1};
    DLTensor tensor = float_tensor(x, 1, size);
    const DLTensor *inputs[1] = {&tensor}, *cotangents[1] = {NULL};
    struct DLManagedTensorVersioned *out = NULL, *grads[1];
    litz_saved *saved[2] = {NULL, NULL};
    OK(litz_training_forward(t, inputs, 1, &out, 1, &saved[0], NULL, &err));
    CHECK(gave(out, first, 1));
    OK(litz_training_forward(t, inputs, 1, &out, 1, &saved[1], NULL, &err));
    CHECK(gave(out, second, 1));
    OK(litz_training_backward(t, saved[1], cotangents, 1, grads, 1, NULL, &err));
    CHECK(gave(grads[0], second, 1));
    OK(litz_training_backward(t, saved[0], cotangents, 1, grads, 1, NULL, &err));
    CHECK(gave(grads[0], first, 1));
    constant_is(t, "n", after, 1);
    litz_saved_release(saved[0]);
    litz_saved_release(saved[1]);
    litz_training_release(t);
}

/* y = x^2 is given twice, once as it is and once transposed, beside x itself and a detached square: a host may write to what it is given
 * before the backward. The gradient is what came along each way; `c` reaches outputs through the detached one alone, and has none. */
static void outputs_that_share_memory(void) {
    litz_training *t = training_of("graph \"g\" {\n"
                                   "  input %0 \"x\": float32[2, 2]\n"
                                   "  input %1 \"c\": float32[2, 2]\n"
                                   "  %2 = aten.mul.Tensor(%0, %0)\n"
                                   "  %3 = aten.t.default(%2)\n"
                                   "  %4 = aten.detach.default(%1)\n"
                                   "  %5 = aten.mul.Tensor(%4, %4)\n"
                                   "  output \"y\" = %2\n"
                                   "  output \"turned\" = %3\n"
                                   "  output \"x\" = %0\n"
                                   "  output \"still\" = %5\n"
                                   "}\n");
    float x[4] = {1, 2, 3, 4}, c[4] = {5, 6, 7, 8}, one[4] = {1, 10, 100, 1000};
    const float y[4] = {1, 4, 9, 16}, still[4] = {25, 36, 49, 64};
    float by_y[4], by_turned[4];
    int64_t size[2] = {2, 2};
    DLTensor tensors[2] = {float_tensor(x, 2, size), float_tensor(c, 2, size)}, weight = float_tensor(one, 2, size);
    const DLTensor *inputs[2] = {&tensors[0], &tensors[1]}, *cotangents[4];
    struct DLManagedTensorVersioned *outs[4], *grads[2];
    litz_saved *saved = NULL;
    int k, way;
    for (way = 0; way < 4; ++way) {
        OK(litz_training_forward(t, inputs, 2, outs, 4, &saved, NULL, &err));
        CHECK(are(floats_of(outs[0]), y, 4) && are(floats_of(outs[2]), x, 4) && are(floats_of(outs[3]), still, 4));
        {
            /* As the strides of what was given say. */
            const DLTensor *turned = &outs[1]->dl_tensor;
            for (k = 0; k < 4; ++k) CHECK(floats_of(outs[1])[k / 2 * turned->strides[0] + k % 2 * turned->strides[1]] == y[k % 2 * 2 + k / 2]);
        }
        memset(outs[0]->dl_tensor.data, 0xff, sizeof y);
        for (k = 0; k < 4; ++k) litz_tensor_release(outs[k]);
        for (k = 0; k < 4; ++k) cotangents[k] = NULL;
        cotangents[way] = &weight;
        OK(litz_training_backward(t, saved, cotangents, 4, grads, 2, NULL, &err));
        for (k = 0; k < 4; ++k) {
            by_y[k] = 2 * x[k] * one[k];
            by_turned[k] = 2 * x[k] * one[k % 2 * 2 + k / 2];
        }
        if (way == 0) CHECK(are(floats_of(grads[0]), by_y, 4));
        if (way == 1) CHECK(are(floats_of(grads[0]), by_turned, 4));
        if (way == 2) CHECK(are(floats_of(grads[0]), one, 4));
        if (way == 3) CHECK(grads[0] == NULL || are(floats_of(grads[0]), (const float[4]){0, 0, 0, 0}, 4));
        litz_tensor_release(grads[0]);
        CHECK(grads[1] == NULL);
        litz_saved_release(saved);
        saved = NULL;
    }
    /* Nothing is weighed: there is no only loss. */
    OK(litz_training_forward(t, inputs, 2, outs, 4, &saved, NULL, &err));
    for (k = 0; k < 4; ++k) litz_tensor_release(outs[k]);
    for (k = 0; k < 4; ++k) cotangents[k] = NULL;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "no output has a cotangent", litz_training_backward(t, saved, cotangents, 4, grads, 2, NULL, &err));
    litz_saved_release(saved);
    litz_training_release(t);
}

/* Inputs and cotangents of any strides, and cotangents of other dtypes, give what contiguous ones of the output's dtype give. */
static void strides_and_dtypes(void) {
    litz_training *t = training_of("graph \"g\" {\n"
                                   "  input %0 \"x\": float32[2, 3]\n"
                                   "  %1 = aten.mul.Tensor(%0, %0)\n"
                                   "  output \"y\" = %1\n"
                                   "}\n");
    float plain[6] = {1, 2, 3, 4, 5, 6}, turned[6] = {1, 4, 2, 5, 3, 6}, weight[6] = {1, -2, 3, -4, 5, -6}, by_column[6] = {1, -4, -2, 5, 3, -6};
    float row[3] = {1, -2, 4}, want[6], want_row[6];
    double wide[6];
    uint16_t narrow[6] = {0x3f80, 0xc000, 0x4040, 0xc080, 0x40a0, 0xc0c0}, half[6] = {0x3c00, 0xc000, 0x4200, 0xc400, 0x4500, 0xc600};
    int64_t size[2] = {2, 3}, columns[2] = {1, 2}, same[2] = {0, 1}, tight[2] = {3, 1}, short_size[2] = {2, 2};
    DLTensor x[2], c[6];
    const DLTensor *inputs[1], *cotangents[1];
    struct DLManagedTensorVersioned *out = NULL, *grads[1];
    litz_saved *saved = NULL;
    int k, from, way;
    for (k = 0; k < 6; ++k) {
        want[k] = 2 * plain[k] * weight[k];
        want_row[k] = 2 * plain[k] * row[k % 3];
        wide[k] = (double)weight[k];
    }
    x[0] = float_tensor(plain, 2, size);
    x[1] = float_tensor(turned, 2, size);
    x[1].strides = columns;
    c[0] = float_tensor(weight, 2, size);
    c[0].strides = tight;
    c[1] = float_tensor(by_column, 2, size);
    c[1].strides = columns;
    c[2] = float_tensor(row, 2, size);
    c[2].strides = same;
    c[3] = float_tensor((float *)wide, 2, size);
    c[3].dtype.bits = 64;
    c[4] = float_tensor((float *)narrow, 2, size);
    c[4].dtype.code = kDLBfloat;
    c[4].dtype.bits = 16;
    c[5] = float_tensor((float *)half, 2, size);
    c[5].dtype.bits = 16;
    for (from = 0; from < 2; ++from) {
        for (way = 0; way < 6; ++way) {
            inputs[0] = &x[from];
            cotangents[0] = &c[way];
            OK(litz_training_forward(t, inputs, 1, &out, 1, &saved, NULL, &err));
            litz_tensor_release(out);
            OK(litz_training_backward(t, saved, cotangents, 1, grads, 1, NULL, &err));
            /* Gradients are contiguous, however their tensor lay. */
            CHECK(grads[0]->dl_tensor.strides == NULL || (grads[0]->dl_tensor.strides[0] == 3 && grads[0]->dl_tensor.strides[1] == 1));
            CHECK(grads[0]->dl_tensor.dtype.bits == 32);
            CHECK(gave(grads[0], way == 2 ? want_row : want, 6));
            litz_saved_release(saved);
            saved = NULL;
        }
    }
    /* Whole numbers are no direction, and other sizes do not fit; what was kept is there still. */
    OK(litz_training_forward(t, inputs, 1, &out, 1, &saved, NULL, &err));
    litz_tensor_release(out);
    cotangents[0] = &c[0];
    c[0].dtype.code = kDLInt;
    FAILS(LITZ_ERROR_DTYPE, "cotangent of y", litz_training_backward(t, saved, cotangents, 1, grads, 1, NULL, &err));
    c[0].dtype.code = kDLFloat;
    c[0].shape = short_size;
    FAILS(LITZ_ERROR_SHAPE, "cotangent of y", litz_training_backward(t, saved, cotangents, 1, grads, 1, NULL, &err));
    c[3].shape = short_size;
    cotangents[0] = &c[3];
    FAILS(LITZ_ERROR_SHAPE, "cotangent of y", litz_training_backward(t, saved, cotangents, 1, grads, 1, NULL, &err));
    c[0].shape = size;
    cotangents[0] = &c[0];
    OK(litz_training_backward(t, saved, cotangents, 1, grads, 1, NULL, &err));
    CHECK(gave(grads[0], want, 6));
    litz_saved_release(saved);
    litz_training_release(t);
}

/* An assertion is no part of any output: it runs in the forward all the same, once, and one that fails leaves buffers as they were. */
static void assertions(void) {
    litz_training *t = training_of("graph \"g\" {\n"
                                   "  input %0 \"ok\": bool[]\n"
                                   "  input %1 \"x\": float32[2]\n"
                                   "  parameter %2 \"w\": float32[2] = [2.0, 3.0]\n"
                                   "  aten._assert_async.msg(%0, \"x must hold\")\n"
                                   "  %3 = aten.mul.Tensor(%1, %2)\n"
                                   "  %4 = aten.sum.default(%3)\n"
                                   "  output \"loss\" = %4\n"
                                   "}\n");
    unsigned char truth[1] = {1};
    float x[2] = {5, 7};
    const float loss[1] = {31}, w[2] = {2, 3};
    int64_t size[1] = {2};
    DLTensor tensors[2] = {float_tensor((float *)truth, 0, NULL), float_tensor(x, 1, size)};
    const DLTensor *inputs[2] = {&tensors[0], &tensors[1]}, *cotangents[1] = {NULL};
    struct DLManagedTensorVersioned *out = NULL, *grads[2];
    litz_saved *saved = NULL;
    tensors[0].dtype.code = kDLBool;
    tensors[0].dtype.bits = 8;
    OK(litz_training_forward(t, inputs, 2, &out, 1, &saved, NULL, &err));
    CHECK(gave(out, loss, 1));
    /* The backward asserts nothing of its own. */
    truth[0] = 0;
    OK(litz_training_backward(t, saved, cotangents, 1, grads, 2, NULL, &err));
    CHECK(gave(grads[0], w, 2) && gave(grads[1], x, 2));
    litz_saved_release(saved);
    saved = NULL;
    out = NULL;
    FAILS(LITZ_ERROR_ASSERTION, "x must hold", litz_training_forward(t, inputs, 2, &out, 1, &saved, NULL, &err));
    CHECK(saved == NULL && out == NULL);
    constant_is(t, "w", w, 2);
    litz_training_release(t);
}

static const char *const squares = "graph \"g\" {\n"
                                   "  input %0 \"x\": float32[1024]\n"
                                   "  parameter %1 \"w\": float32[1] = [2.0]\n"
                                   "  %2 = aten.mul.Tensor(%0, %1)\n"
                                   "  %3 = aten.mul.Tensor(%2, %2)\n"
                                   "  %4 = aten.sum.default(%3)\n"
                                   "  output \"loss\" = %4\n"
                                   "}\n";

/* Bytes of tensors that the library holds on the CPU. */
static long long held_bytes(void) {
    litz_string *json = NULL;
    const char *found;
    long long bytes;
    OK(litz_memory_stats(kDLCPU, 0, &json, &err));
    found = strstr(litz_string_data(json), "\"tensors\":{");
    CHECK(found != NULL && (found = strstr(found, "\"bytes\":")) != NULL);
    bytes = strtoll(found + strlen("\"bytes\":"), NULL, 10);
    litz_string_release(json);
    return bytes;
}

static long resident_pages(void) {
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%ld %ld", &size, &resident) == 2);
    fclose(file);
    return resident;
}

/* Ten thousand steps of a host's descent: what is held is the same after each, and the process does not grow. */
static void many_steps(void) {
    litz_training *t = training_of(squares);
    static float x[1024];
    float w[1] = {2};
    int64_t size[1] = {1024}, one[1] = {1};
    DLTensor tensor = float_tensor(x, 1, size), update = float_tensor(w, 1, one);
    const DLTensor *inputs[1] = {&tensor}, *cotangents[1] = {NULL}, *data[1] = {&update};
    const char *names[1] = {"w"};
    struct DLManagedTensorVersioned *out = NULL, *grads[2];
    litz_saved *saved = NULL;
    long long held = 0;
    long pages = 0;
    int step, k;
    for (k = 0; k < 1024; ++k) x[k] = (float)(k % 7) / 64;
    for (step = 0; step < 10000; ++step) {
        OK(litz_training_forward(t, inputs, 1, &out, 1, &saved, NULL, &err));
        OK(litz_training_backward(t, saved, cotangents, 1, grads, 2, NULL, &err));
        w[0] -= 0.01f * floats_of(grads[1])[0];
        litz_saved_release(saved);
        saved = NULL;
        litz_tensor_release(out);
        litz_tensor_release(grads[0]);
        litz_tensor_release(grads[1]);
        OK(litz_training_update_constants(t, names, data, 1, &err));
        if (step == 999) {
            held = held_bytes();
            pages = resident_pages();
        }
    }
    CHECK(held_bytes() == held);
    /* A step that lost so much as a tensor of four bytes with its header would have taken more than this. */
    CHECK(resident_pages() - pages < 64);
    CHECK(fabsf(w[0]) < 1e-3f);
    litz_training_release(t);
}

/* Everything that a forward kept, here the sums, goes with its `litz_saved`, whether or not its backward has run. */
static void released(void) {
    litz_training *t = training_of("graph \"g\" {\n"
                                   "  input %0 \"x\": float32[1024]\n"
                                   "  parameter %1 \"w\": float32[1] = [2.0]\n"
                                   "  %2 = aten.mul.Tensor(%0, %1)\n"
                                   "  %3 = aten.cumsum.default(%2, 0)\n"
                                   "  %4 = aten.mul.Tensor(%3, %3)\n"
                                   "  %5 = aten.sum.default(%4)\n"
                                   "  output \"loss\" = %5\n"
                                   "}\n");
    static float x[1024];
    int64_t size[1] = {1024};
    DLTensor tensor = float_tensor(x, 1, size);
    const DLTensor *inputs[1] = {&tensor}, *cotangents[1] = {NULL};
    struct DLManagedTensorVersioned *out = NULL, *grads[2];
    litz_saved *saved[2] = {NULL, NULL};
    const long long before = held_bytes();
    OK(litz_training_forward(t, inputs, 1, &out, 1, &saved[0], NULL, &err));
    litz_tensor_release(out);
    CHECK(held_bytes() >= before + (long long)sizeof x);
    litz_saved_release(saved[0]);
    CHECK(held_bytes() == before);
    saved[0] = NULL;
    OK(litz_training_forward(t, inputs, 1, &out, 1, &saved[0], NULL, &err));
    litz_tensor_release(out);
    OK(litz_training_backward(t, saved[0], cotangents, 1, grads, 2, NULL, &err));
    litz_tensor_release(grads[0]);
    litz_tensor_release(grads[1]);
    /* The backward has used it up: nothing but the handle is left. */
    CHECK(held_bytes() == before);
    litz_saved_release(saved[0]);
    /* One of two, and then the program before the other. */
    OK(litz_training_forward(t, inputs, 1, &out, 1, &saved[0], NULL, &err));
    litz_tensor_release(out);
    OK(litz_training_forward(t, inputs, 1, &out, 1, &saved[1], NULL, &err));
    litz_tensor_release(out);
    litz_saved_release(saved[1]);
    CHECK(held_bytes() > before);
    litz_training_release(t);
    litz_saved_release(saved[0]);
    CHECK(held_bytes() < before);
}

/* A bad input, a bad cotangent and a bad update leave parameters as they were, and the next step is that of a program that saw none. */
static void failed_steps(void) {
    litz_training *t = training_of(squares);
    static float x[1024];
    float w[1] = {2}, wrong[2] = {9, 9};
    const float one[1] = {2};
    int64_t size[1] = {1024}, few[1] = {2};
    DLTensor tensor = float_tensor(x, 1, size), bad = float_tensor(wrong, 1, few);
    const DLTensor *inputs[1] = {&bad}, *cotangents[1] = {NULL}, *data[1] = {&bad};
    const char *names[1] = {"w"};
    struct DLManagedTensorVersioned *out = NULL, *grads[2] = {NULL, NULL};
    litz_saved *saved = NULL;
    FAILS(LITZ_ERROR_SHAPE, "x", litz_training_forward(t, inputs, 1, &out, 1, &saved, NULL, &err));
    CHECK(out == NULL && saved == NULL);
    /* No backward waits for what the failed forward would have kept. */
    FAILS(LITZ_ERROR_SHAPE, "`w`", litz_training_update_constants(t, names, data, 1, &err));
    constant_is(t, "w", w, 1);
    inputs[0] = &tensor;
    OK(litz_training_forward(t, inputs, 1, &out, 1, &saved, NULL, &err));
    litz_tensor_release(out);
    cotangents[0] = &bad;
    FAILS(LITZ_ERROR_SHAPE, "cotangent of loss", litz_training_backward(t, saved, cotangents, 1, grads, 2, NULL, &err));
    CHECK(grads[0] == NULL && grads[1] == NULL);
    constant_is(t, "w", one, 1);
    /* A backward that failed can be run again; the parameter is saved until it has. */
    bad = float_tensor(w, 1, few);
    few[0] = 1;
    FAILS(LITZ_ERROR_STATE, "`w` is saved", litz_training_update_constants(t, names, data, 1, &err));
    cotangents[0] = NULL;
    OK(litz_training_backward(t, saved, cotangents, 1, grads, 2, NULL, &err));
    litz_tensor_release(grads[0]);
    litz_tensor_release(grads[1]);
    OK(litz_training_update_constants(t, names, data, 1, &err));
    litz_saved_release(saved);
    litz_training_release(t);
}

struct half {
    const litz_training *t;
    litz_saved *saved;
    float factor;
};

/* The backward of another thread's forward, weighted by the own factor. */
static void *backward_of(void *context) {
    struct half *half = context;
    const DLTensor *cotangents[1];
    float by_w[1];
    DLTensor weight = float_tensor(&half->factor, 0, NULL);
    struct DLManagedTensorVersioned *grads[2];
    int k;
    cotangents[0] = &weight;
    OK(litz_training_backward(half->t, half->saved, cotangents, 1, grads, 2, NULL, &err));
    /* loss = w^2 sum(x^2), x = factor everywhere. */
    by_w[0] = half->factor * 2 * 2 * 1024 * half->factor * half->factor;
    for (k = 0; k < 1024; ++k) CHECK(fabsf(floats_of(grads[0])[k] - half->factor * 8 * half->factor) < 1e-3f);
    litz_tensor_release(grads[0]);
    CHECK(gave(grads[1], by_w, 1));
    return NULL;
}

/* Two forwards in turn, and their backwards at the same time. */
static void threads(void) {
    litz_training *t = training_of(squares);
    int round;
    for (round = 0; round < 20; ++round) {
        static float x[2][1024];
        int64_t size[1] = {1024};
        DLTensor tensor = float_tensor(x[0], 1, size);
        const DLTensor *inputs[1] = {&tensor};
        struct DLManagedTensorVersioned *out = NULL;
        struct half halves[2];
        pthread_t ids[2];
        int k, j;
        for (k = 0; k < 2; ++k) {
            halves[k].t = t;
            halves[k].saved = NULL;
            halves[k].factor = (float)(k + 1 + round % 3);
            for (j = 0; j < 1024; ++j) x[k][j] = halves[k].factor;
            tensor.data = x[k];
            OK(litz_training_forward(t, inputs, 1, &out, 1, &halves[k].saved, NULL, &err));
            litz_tensor_release(out);
        }
        for (k = 0; k < 2; ++k) CHECK(pthread_create(&ids[k], NULL, backward_of, &halves[k]) == 0);
        for (k = 0; k < 2; ++k) {
            CHECK(pthread_join(ids[k], NULL) == 0);
            litz_saved_release(halves[k].saved);
        }
    }
    litz_training_release(t);
}

static void wrappers(void) {
    duplicate_arguments();
    written_inputs();
    shared_inputs();
    large_inputs();
    buffers();
    buffers_between_forwards();
    outputs_that_share_memory();
    strides_and_dtypes();
    assertions();
    released();
    failed_steps();
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    OK(litz_options_new(&options, &err));
    OK(litz_options_set(options, "backend", argv[1], &err));
    wrappers();
    threads();
    many_steps();
    OK(litz_options_set(options, "debug.check", "finite", &err));
    wrappers();
    litz_options_release(options);
    printf("what stands around training on %s: all right\n", argv[1]);
    return 0;
}
