// gemm.h against plain loops in double; with the argument "bench", its speed.
#include "check.h"
#define LITZ_USE_TILE_F32
#define LITZ_USE_TILE_F64
#define LITZ_USE_TILE_WATCHED
#define LITZ_USE_TILE_THIN
#include "../../src/codegen/native/prelude.h"
#include "../../src/codegen/native/tile.h"
#include "../../src/codegen/native/gemm.h"
#include "blocks.h"

template <class T> static T *aligned(size_t n) { return (T *)std::aligned_alloc(64, (n * sizeof(T) + 127) / 64 * 64); }

// Inputs and packed weights end at an unmapped page, so that any read beyond them faults.
// small: the smallest blocks, with no room for what is not copied.
template <class T, class S> static void check(i64 batch, i64 m, i64 n, i64 k, i64 threads, bool a_turned, bool b_turned, int b_kind, i64 pad, i64 shared, bool small = false) {
    if (!small) check<T, S>(batch, m, n, k, threads, a_turned, b_turned, b_kind, pad, shared, true);
    i64 a_row = a_turned ? 1 : k + pad, a_k = a_turned ? m + pad : 1, b_k = b_turned ? 1 : n + pad, b_n = b_turned ? k + pad : 1;
    i64 a_batch = (a_turned ? k * a_k : m * a_row), b_batch = shared ? 0 : (b_turned ? n * b_n : k * b_k);
    size_t a_size = (size_t)(a_batch * batch - (a_batch ? pad : 0)), b_size = (size_t)((b_turned ? n * b_n : k * b_k) * (shared ? 1 : batch));
    if (b_size) b_size -= (size_t)pad;
    guarded a_memory(a_size * sizeof(S) + 64), b_memory(b_size * sizeof(S) + 64);
    S *a = (S *)(a_memory.data + 64), *b = (S *)(b_memory.data + 64);
    for (size_t i = 0; i < a_size; i++) store(a + i, (decltype(load_scalar(a)))((i64)(random_bits() % 17) - 8));
    for (size_t i = 0; i < b_size; i++) store(b + i, (decltype(load_scalar(b)))((i64)(random_bits() % 17) - 8));
    std::vector<T> out((size_t)(batch * m * n) + 1, (T)99);
    litz_gemm_shape g = {batch, m, n, k, 0, 0};
    litz_gemm_blocks(&g, threads, sizeof(T));
    if (small) {
        g.m_block = litz_min(g.m_block, LITZ_TILE_ROWS + 1);
        g.n_block = LITZ_TILE_COLUMNS(T);
        g.k_block = litz_min(g.k_block, 19);
        g.a_copied = b_kind == 2 || !litz_place<T, S>::same || a_k != 1 || (g.m_block > 8 && (a_row * (i64)sizeof(T)) % 2048 == 0);
        bool thin = b_kind == 1 && (std::is_same<T, f32>::value || std::is_same<T, f64>::value) && litz_thin_strides(b_k, b_n, g.m_block);
        g.b_copied = !thin && !(b_kind == 0 && litz_place<T, S>::same);
    }
    guarded scratch((size_t)(litz_gemm_scratch(g, sizeof(T)) + 63) / 64 * 64);
    auto epilogue = [&](i64 bt, i64 row, i64 n0, i64 count, T *sums) { for (i64 i = 0; i < count; i++) out[(size_t)((bt * m + row) * n + n0 + i)] = sums[i] + (T)1; };
    litz_a_matrix<T, S> as = {a, a_batch, a_row, a_k};
    litz_b_matrix<T, S> bs = {b, b_batch, b_k, b_n};
    i64 tasks = litz_gemm_task_count(g);
    // Each task by itself, last first: nothing may depend on the order.
    if (b_kind == 0) {
        i64 size = litz_packed_size(k, n, sizeof(T));
        guarded packed((size_t)(size * (shared ? 1 : batch)) * sizeof(T));
        i64 pack_tasks = litz_pack_task_count(shared ? 1 : batch, n, sizeof(T));
        for (i64 t = pack_tasks; t-- > 0;) litz_pack_b((T *)packed.data, bs, shared ? 1 : batch, k, n, t, t + 1);
        for (i64 t = tasks; t-- > 0;) litz_gemm_run<T, unknown_rows>(g, as, litz_b_packed<T>{(T *)packed.data, shared ? 0 : size, k}, epilogue, t, t + 1, scratch.data);
        if constexpr (!litz_place<T, S>::same) {
            // Once more, with panels of the type in memory.
            std::fill(out.begin(), out.end(), (T)99);
            guarded narrow((size_t)(size * (shared ? 1 : batch)) * sizeof(S));
            for (i64 t = pack_tasks; t-- > 0;) litz_pack_b_narrow<T>((S *)narrow.data, bs, shared ? 1 : batch, k, n, t, t + 1);
            for (i64 t = tasks; t-- > 0;) litz_gemm_run<T, unknown_rows>(g, as, litz_b_packed<T, S>{(S *)narrow.data, shared ? 0 : size, k}, epilogue, t, t + 1, scratch.data);
        }
    } else if (b_kind == 1) {
        for (i64 t = tasks; t-- > 0;) litz_gemm_run<T, unknown_rows>(g, as, bs, epilogue, t, t + 1, scratch.data);
    } else {
        auto fa = [&](i64 bt, i64 row, i64 k0, i64 count, T *dst) { for (i64 i = 0; i < count; i++) dst[i] = (T)load_scalar(a + bt * a_batch + row * a_row + (k0 + i) * a_k); };
        auto fb = [&](i64 bt, i64 kk, i64 n0, i64 count, T *dst) { for (i64 i = 0; i < count; i++) dst[i] = (T)load_scalar(b + bt * b_batch + kk * b_k + (n0 + i) * b_n); };
        litz_gemm_run<T, unknown_rows>(g, litz_a_function<T, decltype(fa)>{fa}, litz_b_function<T, decltype(fb)>{fb}, epilogue, 0, tasks, scratch.data);
    }
    // Small integers: every sum is exact in any order.
    for (i64 bt = 0; bt < batch; bt++)
        for (i64 i = 0; i < m; i++)
            for (i64 j = 0; j < n; j++) {
                double sum = 1;
                for (i64 l = 0; l < k; l++) sum += (double)load_scalar(a + bt * a_batch + i * a_row + l * a_k) * (double)load_scalar(b + bt * b_batch + l * b_k + j * b_n);
                double got = (double)out[(size_t)((bt * m + i) * n + j)];
                CHECK(got == sum, "batch %ld m %ld n %ld k %ld turned %d %d kind %d: [%ld, %ld, %ld] = %g, not %g", (long)batch, (long)m, (long)n, (long)k, a_turned, b_turned, b_kind, (long)bt, (long)i, (long)j, got, sum);
            }
    CHECK(out.back() == (T)99, "wrote beyond the output");
}

template <class T, class S> static void all_checks() {
    for (i64 m : {1, 2, 3, 4, 5, 7, 13, 14, 15, 29, 40}) check<T, S>(1, m, 70, 37, 1, false, m % 2, m % 3, 0, 0);
    for (i64 n : {1, 15, 16, 17, 31, 32, 33, 64, 100}) check<T, S>(2, 6, n, 19, 2, n % 2, n % 3 == 0, (int)(n % 3), 3, n % 2);
    for (i64 k : {0, 1, 2, 3, 4, 5, 8, 255, 256, 257, 600}) check<T, S>(1, 9, 40, k, 4, k % 2, k % 3 == 0, (int)(k % 3), 1, 0);
    for (i64 m : {1, 2, 3, 4, 5}) for (i64 turned : {0, 1, 2, 3}) check<T, S>(2, m, 67, 300, 2, turned & 1, turned > 1, 1, 1, turned & 1);
    check<T, S>(3, 230, 530, 20, 2, false, true, 0, 0, 1);
    check<T, S>(1, 300, 700, 260, 8, true, false, 1, 0, 0);
    check<T, S>(0, 3, 3, 3, 1, false, false, 1, 0, 0);
    check<T, S>(2, 3, 0, 3, 1, false, false, 0, 0, 0);
    check<T, S>(1, 256, 64, 256, 1, false, false, 0, 0, 0);
}

// Rows that are known when a product is compiled give the same bits as rows that are not.
template <i64 M, i64 BLOCK> static void check_known(bool dense_k) {
    constexpr unsigned few = 1u << (M < BLOCK ? M : BLOCK) | 1u << M % BLOCK;
    const i64 n = 70, k = 300;
    litz_gemm_shape g = {1, M, n, k, BLOCK, 2 * LITZ_TILE_COLUMNS(f32)};
    guarded scratch((size_t)(litz_gemm_scratch(g, 4) + 63) / 64 * 64);
    std::vector<f32> a((size_t)(M * k)), b((size_t)(k * n));
    for (auto *list : {&a, &b}) for (auto &x : *list) x = random_float();
    std::vector<f32> known((size_t)(M * n), 99.0f), unknown = known;
    litz_a_matrix<f32, f32> as = {a.data(), 0, k, 1};
    litz_b_matrix<f32, f32> bs = {b.data(), 0, dense_k ? 1 : n, dense_k ? k : 1};
    auto into = [&](std::vector<f32> &out) {
        return [&](i64, i64 row, i64 n0, i64 count, f32 *sums) { std::memcpy(out.data() + row * n + n0, sums, (size_t)count * 4); };
    };
    litz_gemm_run<f32, litz_gemm_traits<BLOCK, few, false>>(g, as, bs, into(known), 0, litz_gemm_task_count(g), scratch.data);
    litz_gemm_run<f32, unknown_rows>(g, as, bs, into(unknown), 0, litz_gemm_task_count(g), scratch.data);
    CHECK(known == unknown, "%ld rows in blocks of %ld give other sums where they are known", (long)M, (long)BLOCK);
}
static void known_checks() {
    for (bool dense_k : {false, true}) {
        check_known<1, 1>(dense_k), check_known<2, 2>(dense_k), check_known<3, 3>(dense_k), check_known<4, 4>(dense_k);
        check_known<5, 5>(dense_k), check_known<9, 4>(dense_k), check_known<11, 8>(dense_k), check_known<30, 30>(dense_k);
    }
}

// Products with subnormal numbers: as many rows at a time as make the tiles multiply them by a power of two, against two passes of rows, where
// they are taken as they are.
static std::vector<f32> product(const std::vector<f32> &a, const std::vector<f32> &b, i64 m, i64 n, i64 k, i64 m_block, bool packed) {
    litz_gemm_shape g = {1, m, n, k, m_block, 2 * LITZ_TILE_COLUMNS(f32)};
    guarded scratch((size_t)(litz_gemm_scratch(g, 4) + 63) / 64 * 64);
    std::vector<f32> out((size_t)(m * n), 99.0f), panels((size_t)litz_packed_size(k, n, 4));
    auto epilogue = [&](i64, i64 row, i64 n0, i64 count, f32 *sums) { std::memcpy(out.data() + row * n + n0, sums, (size_t)count * 4); };
    litz_a_matrix<f32, f32> as = {a.data(), 0, k, 1};
    litz_b_matrix<f32, f32> bs = {b.data(), 0, n, 1};
    litz_pack_b(panels.data(), bs, 1, k, n, 0, litz_pack_task_count(1, n, 4));
    for (i64 t = litz_gemm_task_count(g); t-- > 0;) {
        if (packed) litz_gemm_run<f32, unknown_rows>(g, as, litz_b_packed<f32>{panels.data(), 0, k}, epilogue, t, t + 1, scratch.data);
        else litz_gemm_run<f32, unknown_rows>(g, as, bs, epilogue, t, t + 1, scratch.data);
    }
    return out;
}
static f32 from_bits(u32 bits) { f32 x; std::memcpy(&x, &bits, 4); return x; }
static void subnormal_checks() {
    const i64 rows = LITZ_TILE_ROWS, columns = LITZ_TILE_COLUMNS(f32), m = 6 * rows + 5, n = 3 * columns + 7, k = 300;
    const f32 least = from_bits(1), huge = 0x1p60f;
    // Bit 0: A has some, bit 1: B has some.
    for (int which = 1; which < 4; which++)
        for (f32 large : {0.0f, huge, __builtin_inff(), __builtin_nanf("")}) {
            std::vector<f32> a((size_t)(m * k)), b((size_t)(k * n));
            for (auto *list : {&a, &b})
                for (auto &x : *list) {
                    bool some = (list == &a ? which & 1 : which & 2) && random_bits() % 3 == 0;
                    x = some ? from_bits((u32)(random_bits() & 0x807fffff)) : random_float();
                }
            // Products of the huge numbers are finite, and not when multiplied by 2^24.
            if (large != 0) for (i64 i = 0; i < 40; i++) a[random_bits() % a.size()] = b[random_bits() % b.size()] = large;
            for (bool packed : {false, true}) {
                std::vector<f32> raised = product(a, b, m, n, k, m, packed), plain = product(a, b, m, n, k, 2 * rows, packed);
                for (size_t i = 0; i < raised.size(); i++) {
                    u32 x, y;
                    std::memcpy(&x, &raised[i], 4), std::memcpy(&y, &plain[i], 4);
                    CHECK(x == y || (std::isnan(raised[i]) && std::isnan(plain[i])), "subnormal numbers of %d beside %g: [%zu] = %g, not %g", which, (double)large, i, (double)raised[i], (double)plain[i]);
                }
            }
        }
    // Quarters of the least number are lost one by one, and are not where they are multiplied by a power of two first.
    for (bool first : {true, false}) {
        std::vector<f32> a((size_t)(m * k), first ? least : 0.25f), b((size_t)(k * n), first ? 0.25f : least);
        std::vector<f32> out = product(a, b, m, n, k, m, false);
        CHECK(out.back() == from_bits((u32)k / 4), "the last sum is %g", (double)out.back());
    }
    // The processor's flag of subnormal factors is as it was.
    std::vector<f32> a((size_t)(m * k), 1.0f), b((size_t)(k * n), 1.0f);
    u32 state, set;
    __asm__ volatile("stmxcsr %0" : "=m"(state));
    set = state | 2;
    __asm__ volatile("ldmxcsr %0" : : "m"(set));
    product(a, b, m, n, k, m, false);
    __asm__ volatile("stmxcsr %0" : "=m"(state));
    CHECK(state & 2, "the flag of subnormal factors is lost");
}

static void bench(i64 m, i64 n, i64 k, bool b_turned) {
    f32 *a = aligned<f32>((size_t)(m * k)), *b = aligned<f32>((size_t)(n * k)), *c = aligned<f32>((size_t)(m * n)), *packed = aligned<f32>((size_t)litz_packed_size(k, n, 4));
    for (i64 i = 0; i < m * k; i++) a[i] = random_float();
    for (i64 i = 0; i < n * k; i++) b[i] = random_float();
    void *scratch = aligned<char>(LITZ_GEMM_SCRATCH(4));
    litz_gemm_shape g = {1, m, n, k, 0, 0};
    litz_gemm_blocks(&g, 1, 4);
    auto epilogue = [&](i64, i64 row, i64 n0, i64 count, f32 *sums) {
        f32 *out = c + row * n + n0;
        i64 i = 0;
        for (; i + LITZ_LANES <= count; i += LITZ_LANES) store(out + i, load(sums + i));
        if (i < count) store_tail(out + i, load(sums + i), count - i);
    };
    litz_b_matrix<f32, f32> bs = {b, 0, b_turned ? 1 : n, b_turned ? k : 1};
    double pack = 1e9, run = 1e9, whole = 1e9;
    double until = seconds() + 0.6;
    for (int i = 0; i < 3 || seconds() < until; i++) {
        double t = seconds();
        litz_pack_b(packed, bs, 1, k, n, 0, litz_pack_task_count(1, n, 4));
        pack = std::min(pack, seconds() - t);
        t = seconds();
        litz_gemm_run<f32, unknown_rows>(g, litz_a_matrix<f32, f32>{a, 0, k, 1}, litz_b_packed<f32>{packed, 0, k}, epilogue, 0, litz_gemm_task_count(g), scratch);
        run = std::min(run, seconds() - t);
        t = seconds();
        litz_gemm_run<f32, unknown_rows>(g, litz_a_matrix<f32, f32>{a, 0, k, 1}, bs, epilogue, 0, litz_gemm_task_count(g), scratch);
        whole = std::min(whole, seconds() - t);
    }
    double flop = 2.0 * (double)m * (double)n * (double)k;
    std::printf("gemm %5ld %6ld %5ld %s packed %7.1f GFLOP/s (%6.2f GB/s of B)  unpacked %7.1f GFLOP/s  packing %5.2f GB/s   %.3f ms\n", (long)m, (long)n, (long)k, b_turned ? "NK" : "KN", flop / run * 1e-9,
                4.0 * (double)n * (double)k / run * 1e-9, flop / whole * 1e-9, 4.0 * (double)n * (double)k / pack * 1e-9, run * 1e3);
    std::free(a); std::free(b); std::free(c); std::free(packed); std::free(scratch);
}

int main(int argc, char **argv) {
    if (argc > 1 && !std::strcmp(argv[1], "bench")) {
        bench(1024, 1024, 1024, false);
        bench(512, 512, 512, false);
        for (i64 m : {128, 1, 4})
            for (auto s : {std::pair<i64, i64>{768, 2304}, {768, 768}, {768, 3072}, {3072, 768}, {768, 50304}}) bench(m, s.second, s.first, true);
        return 0;
    }
    all_checks<f32, f32>();
    all_checks<f64, f64>();
    all_checks<i32, i32>();
    all_checks<i64, i64>();
    all_checks<f32, half>();
    all_checks<f32, bfloat>();
    known_checks();
    subnormal_checks();
    std::printf(failures ? "FAILED: %d\n" : "ok\n", failures);
    return failures != 0;
}
