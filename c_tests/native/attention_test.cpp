// attention.h against plain loops in double; with the argument "bench", its speed.
#include "check.h"
#define LITZ_USE_TILE_F32
#define LITZ_USE_EXP
#include "../../src/codegen/native/prelude.h"
#include "../../src/codegen/native/f64_math.h"
#include "../../src/codegen/native/functions.h"
#include "../../src/codegen/native/tile.h"
#include "../../src/codegen/native/gemm.h"
#include "blocks.h"
#include "../../src/codegen/native/attention.h"
#include <algorithm>

static litz_attention_shape shape_of(i64 batch, i64 heads, i64 kv_heads, i64 q_length, i64 k_length, i64 width, i64 v_width, bool causal, bool heads_inside) {
    litz_attention_shape s = {};
    s.batch = batch; s.heads = heads; s.kv_heads = kv_heads; s.q_length = q_length; s.k_length = k_length; s.width = width; s.v_width = v_width; s.causal = causal; s.zeros = true;
    if (heads_inside) {
        s.q_row = heads * width; s.q_head = width; s.k_row = kv_heads * width; s.k_head = width; s.v_row = kv_heads * v_width; s.v_head = v_width;
    } else {
        s.q_row = width; s.q_head = q_length * width; s.k_row = width; s.k_head = k_length * width; s.v_row = v_width; s.v_head = k_length * v_width;
    }
    s.q_batch = heads * q_length * width; s.k_batch = kv_heads * k_length * width; s.v_batch = kv_heads * k_length * v_width;
    s.scale = 1 / std::sqrt((f32)std::max<i64>(width, 1));
    s.q_block = litz_attention_q_block(q_length);
    return s;
}

enum masks { none, additive, hole, poison };
template <class S> static void check(i64 batch, i64 heads, i64 kv_heads, i64 q_length, i64 k_length, i64 width, i64 v_width, bool causal, bool heads_inside, masks mask, double tolerance, bool small = false) {
    // The smallest blocks, with no room for queries that are read where they lie.
    if (!small) check<S>(batch, heads, kv_heads, q_length, k_length, width, v_width, causal, heads_inside, mask, tolerance, true);
    litz_attention_shape s = shape_of(batch, heads, kv_heads, q_length, k_length, width, v_width, causal, heads_inside);
    if (small) {
        s.q_block = litz_min(s.q_block, 5);
        s.k_block = LITZ_TILE_COLUMNS(f32);
        s.d_block = 9;
        s.q_copied = !litz_place<f32, S>::same;
    }
    guarded q_memory((size_t)(batch * s.q_batch) * sizeof(S)), k_memory((size_t)(batch * s.k_batch) * sizeof(S)), v_memory((size_t)(batch * s.v_batch) * sizeof(S));
    guarded scratch((size_t)(litz_attention_scratch(s) + 63) / 64 * 64);
    S *q = (S *)q_memory.data, *k = (S *)k_memory.data, *v = (S *)v_memory.data;
    for (i64 i = 0; i < batch * s.q_batch; i++) store(q + i, random_float() * 3);
    for (i64 i = 0; i < batch * s.k_batch; i++) store(k + i, random_float() * 3);
    for (i64 i = 0; i < batch * s.v_batch; i++) store(v + i, random_float());
    std::memset(scratch.data, 0xff, (size_t)litz_attention_scratch(s)); // NaN wherever it is read before it is written
    auto masked = [&](i64 query, i64 key, double x) {
        if (mask == additive) return x + 0.01 * (double)((query * 7 + key) % 11);
        if (mask == hole) return query % 3 == 1 || key < 300 ? -INFINITY : x;
        if (mask == poison) return query == 5 && key == 2 ? NAN : x;
        return x;
    };
    auto score = [&](i64, i64, i64 query, i64 k_begin, i64 count, f32 *row) { for (i64 i = 0; i < count; i++) row[i] = (f32)masked(query, k_begin + i, row[i]); };
    std::vector<f32> out((size_t)(batch * heads * q_length * v_width), 99.0f), log_sums((size_t)(batch * heads * q_length));
    auto epilogue = [&](i64 b, i64 h, i64 query, f32 *row, f32 max, f32 sum) {
        for (i64 i = 0; i < v_width; i++) out[(size_t)(((b * heads + h) * q_length + query) * v_width + i)] = row[i];
        log_sums[(size_t)((b * heads + h) * q_length + query)] = max + std::log(sum);
    };
    for (i64 t = litz_attention_task_count(s); t-- > 0;) {
        if (mask == none) litz_attention_run<S>(s, q, k, v, litz_no_score{}, epilogue, t, t + 1, scratch.data);
        else litz_attention_run<S>(s, q, k, v, score, epilogue, t, t + 1, scratch.data);
    }
    for (i64 b = 0; b < batch; b++)
        for (i64 h = 0; h < heads; h++)
            for (i64 i = 0; i < q_length; i++) {
                i64 kv = h / (heads / kv_heads), keys = causal ? std::min(k_length, i + 1) : k_length;
                std::vector<double> x((size_t)keys);
                double most = -INFINITY, sum = 0;
                bool nan = false;
                for (i64 j = 0; j < keys; j++) {
                    double dot = 0;
                    for (i64 d = 0; d < width; d++) dot += (double)load_scalar(q + b * s.q_batch + h * s.q_head + i * s.q_row + d) * (double)load_scalar(k + b * s.k_batch + kv * s.k_head + j * s.k_row + d);
                    x[(size_t)j] = masked(i, j, dot * (double)s.scale);
                    nan |= std::isnan(x[(size_t)j]);
                    most = std::max(most, x[(size_t)j]);
                }
                for (auto &e : x) e = most == -INFINITY ? 0 : std::exp(e - most), sum += e;
                if (sum > 0 && !nan) CHECK(std::fabs(log_sums[(size_t)((b * heads + h) * q_length + i)] - (most + std::log(sum))) < tolerance * 10, "log-sum-exp of row %ld", (long)i);
                for (i64 d = 0; d < v_width; d++) {
                    double want = 0, got = out[(size_t)(((b * heads + h) * q_length + i) * v_width + d)];
                    for (i64 j = 0; j < keys; j++) want += x[(size_t)j] * (double)load_scalar(v + b * s.v_batch + kv * s.v_head + j * s.v_row + d);
                    if (sum > 0) want /= sum;
                    CHECK(nan ? std::isnan(got) : std::fabs(got - want) <= tolerance, "q %ld k %ld width %ld,%ld causal %d mask %d: [%ld, %ld, %ld, %ld] = %g, not %g", (long)q_length, (long)k_length, (long)width, (long)v_width, causal, mask,
                          (long)b, (long)h, (long)i, (long)d, got, want);
                }
            }
}
template <class S> static void all_checks() {
    for (bool causal : {false, true}) {
        check<S>(2, 4, 2, 130, 130, 64, 64, causal, false, none, 2e-6);
        check<S>(1, 3, 3, 300, 700, 40, 50, causal, true, additive, 2e-6);
        check<S>(1, 2, 1, 20, 600, 16, 8, causal, true, hole, 2e-6);
        check<S>(1, 2, 1, 20, 270, 16, 8, causal, false, poison, 2e-6);
        check<S>(2, 6, 2, 1, 333, 80, 33, causal, true, none, 2e-6);
        check<S>(1, 1, 1, 15, 3, 300, 4, causal, false, none, 2e-6);
        check<S>(1, 1, 1, 7, 1, 1, 1, causal, false, none, 2e-6);
        check<S>(1, 1, 1, 3, 0, 8, 5, causal, false, none, 2e-6);
        check<S>(1, 1, 1, 0, 4, 8, 5, causal, false, none, 2e-6);
    }
}
static void bench(i64 batch, i64 heads, i64 length, i64 width, bool causal) {
    litz_attention_shape s = shape_of(batch, heads, heads, length, length, width, width, causal, false);
    size_t size = (size_t)(batch * s.q_batch);
    std::vector<f32> q(size), k(size), v(size), out(size);
    for (size_t i = 0; i < size; i++) q[i] = random_float() * 2, k[i] = random_float() * 2, v[i] = random_float();
    void *scratch = std::aligned_alloc(64, (size_t)(LITZ_ATTENTION_SCRATCH(width) + 63) / 64 * 64);
    auto epilogue = [&](i64 b, i64 h, i64 query, f32 *row, f32, f32) {
        f32 *to = out.data() + ((b * heads + h) * length + query) * width;
        for (i64 i = 0; i < width; i += LITZ_LANES) store(to + i, load(row + i));
    };
    double best = 1e9, until = seconds() + 0.5;
    while (seconds() < until) {
        double t = seconds();
        litz_attention_run<f32>(s, q.data(), k.data(), v.data(), litz_no_score{}, epilogue, 0, litz_attention_task_count(s), scratch);
        best = std::min(best, seconds() - t);
    }
    std::printf("attention (%ld, %ld, %ld, %ld)%s %.3f ms\n", (long)batch, (long)heads, (long)length, (long)width, causal ? " causal" : "", best * 1e3);
    std::free(scratch);
}
int main(int argc, char **argv) {
    if (argc > 1 && !std::strcmp(argv[1], "bench")) {
        for (bool causal : {true, false}) bench(1, 8, 512, 64, causal), bench(1, 12, 128, 64, causal), bench(1, 4, 2048, 128, causal);
        return 0;
    }
    all_checks<f32>();
    all_checks<half>();
    all_checks<bfloat>();
    std::printf(failures ? "FAILED: %d\n" : "ok\n", failures);
    return failures != 0;
}
