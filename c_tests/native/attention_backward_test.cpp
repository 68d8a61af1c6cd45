// attention_backward.h against plain loops in double.
#include "check.h"
#define LITZ_USE_TILE_F32
#define LITZ_USE_TILE_DOWN_F32
#define LITZ_USE_EXP
#include "../../src/codegen/native/prelude.h"
#include "../../src/codegen/native/f64_math.h"
#include "../../src/codegen/native/functions.h"
#include "../../src/codegen/native/tile.h"
#include "../../src/codegen/native/gemm.h"
#include "../../src/codegen/native/attention.h"
#include "../../src/codegen/native/attention_backward.h"
#include <algorithm>

// [batch, heads, rows, columns] with heads inside rows or around them, its last element at the end of what may be read.
template <class S> struct tensor {
    i64 strides[4];
    size_t count;
    guarded memory;
    tensor(i64 batch, i64 heads, i64 rows, i64 columns, bool heads_inside)
        : strides{heads * rows * columns, heads_inside ? columns : rows * columns, heads_inside ? heads * columns : columns, 1},
          count((size_t)(batch * heads * rows * columns)), memory(count * sizeof(S)) {}
    S *data() { return (S *)memory.data; }
    S &at(i64 b, i64 h, i64 r, i64 c) { return data()[b * strides[0] + h * strides[1] + r * strides[2] + c * strides[3]]; }
    double value(i64 b, i64 h, i64 r, i64 c) { return (double)load_scalar(&at(b, h, r, c)); }
    void fill(f32 by) { for (size_t i = 0; i < count; i++) store(data() + i, random_float() * by); }
    void poison() { std::memset(memory.data, 0xff, count * sizeof(S)); }
};

enum masks { none, additive, hole };
struct sizes { i64 batch, heads, kv_heads, q_length, k_length, width, v_width; };
template <class S> static void check(sizes n, bool causal, bool heads_inside, masks mask, double tolerance, int blocks, int wanted) {
    tensor<S> q(n.batch, n.heads, n.q_length, n.width, heads_inside), k(n.batch, n.kv_heads, n.k_length, n.width, heads_inside), v(n.batch, n.kv_heads, n.k_length, n.v_width, heads_inside);
    tensor<S> d_out(n.batch, n.heads, n.q_length, n.v_width, !heads_inside), d_q(n.batch, n.heads, n.q_length, n.width, heads_inside);
    tensor<S> d_k(n.batch, n.kv_heads, n.k_length, n.width, !heads_inside), d_v(n.batch, n.kv_heads, n.k_length, n.v_width, heads_inside);
    tensor<f32> log_sum(n.batch, n.heads, n.q_length, 1, heads_inside), mean(n.batch, n.heads, n.q_length, 1, false);
    q.fill(2), k.fill(2), v.fill(1), d_out.fill(1), d_q.poison(), d_k.poison(), d_v.poison();
    f32 scale = 1 / std::sqrt((f32)n.width);
    auto masked = [&](i64 query, i64 key, double x) {
        if (mask == additive) return x + 0.01 * (double)((query * 7 + key) % 11);
        if (mask == hole) return query % 3 == 1 || key < 40 ? -INFINITY : x;
        return x;
    };
    // The gradients of a whole tensor, in double.
    std::vector<double> want_q(d_q.count), want_k(d_k.count), want_v(d_v.count);
    auto place = [](auto &t, i64 b, i64 h, i64 r, i64 c) { return (size_t)(&t.at(b, h, r, c) - t.data()); };
    for (i64 b = 0; b < n.batch; b++)
        for (i64 h = 0; h < n.heads; h++)
            for (i64 i = 0; i < n.q_length; i++) {
                i64 kv = h / (n.heads / n.kv_heads), keys = causal ? std::min(n.k_length, i + 1) : n.k_length;
                std::vector<double> p((size_t)keys), slopes((size_t)keys);
                double most = -INFINITY, sum = 0, middle = 0;
                for (i64 j = 0; j < keys; j++) {
                    double dot = 0;
                    for (i64 d = 0; d < n.width; d++) dot += q.value(b, h, i, d) * k.value(b, kv, j, d);
                    p[(size_t)j] = masked(i, j, dot * (double)scale), most = std::max(most, p[(size_t)j]);
                }
                for (auto &x : p) x = most == -INFINITY ? 0 : std::exp(x - most), sum += x;
                for (i64 j = 0; j < keys; j++) {
                    p[(size_t)j] /= sum > 0 ? sum : 1;
                    for (i64 d = 0; d < n.v_width; d++) slopes[(size_t)j] += d_out.value(b, h, i, d) * v.value(b, kv, j, d);
                    middle += p[(size_t)j] * slopes[(size_t)j];
                }
                log_sum.at(b, h, i, 0) = sum > 0 ? (f32)(most + std::log(sum)) : 0, mean.at(b, h, i, 0) = (f32)middle;
                for (i64 j = 0; j < keys; j++) {
                    double slope = p[(size_t)j] * (slopes[(size_t)j] - middle) * (double)scale;
                    for (i64 d = 0; d < n.v_width; d++) want_v[place(d_v, b, kv, j, d)] += p[(size_t)j] * d_out.value(b, h, i, d);
                    for (i64 d = 0; d < n.width; d++) want_k[place(d_k, b, kv, j, d)] += slope * q.value(b, h, i, d), want_q[place(d_q, b, h, i, d)] += slope * k.value(b, kv, j, d);
                }
            }
    const i64 *a = q.strides, *c = k.strides, *e = v.strides, *o = d_out.strides, *l = log_sum.strides, *m = mean.strides;
    const i64 *x = d_q.strides, *y = d_k.strides, *z = d_v.strides;
    i64 q_block = blocks == 0 ? LITZ_ATTENTION_ROWS : blocks == 1 ? 5 : 33, k_block = blocks == 0 ? LITZ_ATTENTION_KEYS : blocks * LITZ_TILE_COLUMNS(f32);
    // What is added up in the gradient itself, and what is not.
    const bool kept = !litz_place<f32, S>::same || wanted == 7;
    const litz_attention_backward_shape s = {n.batch, n.heads, n.kv_heads, n.q_length, n.k_length, n.width, n.v_width, a[0], a[1], a[2], c[0], c[1], c[2], e[0], e[1], e[2], o[0], o[1], o[2],
        l[0], l[1], l[2], m[0], m[1], m[2], x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3], z[0], z[1], z[2], z[3], scale, causal, q_block, k_block, kept};
    auto score = [&](i64, i64, i64 query, i64 k_begin, i64 count, f32 *row) { for (i64 i = 0; i < count; i++) row[i] = (f32)masked(query, k_begin + i, row[i]); };
    size_t room = (size_t)(litz_attention_backward_scratch(s) + 63) / 64 * 64;
    guarded scratch(room);
    std::memset(scratch.data, 0xff, room); // NaN wherever it is read before it is written
    S *to_q = wanted & 1 ? d_q.data() : nullptr, *to_k = wanted & 2 ? d_k.data() : nullptr, *to_v = wanted & 4 ? d_v.data() : nullptr;
    for (i64 t = n.batch * n.kv_heads; t-- > 0;) {
        if (mask == none) litz_attention_backward_run<S, S>(s, q.data(), k.data(), v.data(), d_out.data(), log_sum.data(), mean.data(), to_q, to_k, to_v, litz_no_score{}, t, t + 1, scratch.data);
        else litz_attention_backward_run<S, S>(s, q.data(), k.data(), v.data(), d_out.data(), log_sum.data(), mean.data(), to_q, to_k, to_v, score, t, t + 1, scratch.data);
    }
    auto compare = [&](const char *name, tensor<S> &got, const std::vector<double> &want, bool there) {
        double square = 0, worst = 0;
        for (size_t i = 0; i < got.count; i++) {
            double found = (double)load_scalar(got.data() + i);
            if (!there) CHECK(std::isnan(found), "%s is not wanted and was written", name);
            else CHECK(!std::isnan(found), "%s was not written at %zu", name, i);
            square += want[i] * want[i], worst = std::max(worst, std::fabs(found - want[i]));
        }
        double typical = std::sqrt(square / (double)std::max<size_t>(got.count, 1));
        if (there) CHECK(worst <= tolerance * std::max(typical, 1e-3), "q %ld k %ld width %ld,%ld causal %d mask %d blocks %d: %s is %g off beside %g", (long)n.q_length, (long)n.k_length, (long)n.width, (long)n.v_width, causal, mask, blocks, name, worst, typical);
    };
    compare("d_q", d_q, want_q, wanted & 1), compare("d_k", d_k, want_k, wanted & 2), compare("d_v", d_v, want_v, wanted & 4);
}
template <class S> static void all_checks(double tolerance) {
    for (int blocks = 0; blocks < 3; blocks++)
        for (bool causal : {false, true}) {
            check<S>({2, 4, 2, 130, 130, 64, 64}, causal, false, none, tolerance, blocks, 7);
            check<S>({1, 3, 3, 100, 290, 40, 50}, causal, true, additive, tolerance, blocks, 3);
            check<S>({1, 2, 1, 290, 60, 16, 8}, causal, true, hole, tolerance, blocks, 5);
            check<S>({1, 6, 2, 20, 333, 8, 33}, causal, false, none, tolerance, blocks, 6);
            check<S>({1, 1, 1, 15, 3, 300, 4}, causal, false, none, tolerance, blocks, 1);
            check<S>({1, 1, 1, 7, 1, 1, 1}, causal, true, none, tolerance, blocks, 4);
            check<S>({1, 1, 1, 3, 0, 8, 5}, causal, false, none, tolerance, blocks, 1);
            check<S>({1, 1, 1, 0, 4, 8, 5}, causal, false, none, tolerance, blocks, 6);
        }
}
int main() {
    all_checks<f32>(1e-4);
    all_checks<half>(2e-2);
    all_checks<bfloat>(1e-1);
    std::printf(failures ? "FAILED: %d\n" : "ok\n", failures);
    return failures != 0;
}
