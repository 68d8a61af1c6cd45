// Litz matrix tile: the one inner loop that gemm.h, conv.h and attention.h share; stands after prelude.h. LITZ_TILE_ROWS and
// LITZ_PANEL_BYTES are given.
//
//   litz_tile_f32(const litz_tile *, int rows), litz_tile_f64: C[rows, NR] (+)= A[rows, k] B[k, NR]
//   litz_tile_any<T>(const litz_tile *, int rows): the same for T = i32, i64 (and for ISAs without FMA), in plain loops
//   litz_tile_down_f32(const litz_tile *, int rows): the same, where A lies transposed: its row stride is one element, and a_stride its k stride
//
// rows is 1..LITZ_TILE_ROWS; NR is LITZ_TILE_COLUMNS(T). All strides are in bytes: A's row stride (its k stride is one element),
// B's k stride (its n stride is one element), C's row stride. `accumulate` adds to C, else C is overwritten. `prefetch` is read
// ahead of need, one cache line per two k (per four with up to three rows); any address will do, it is never dereferenced.
// The loops are inline assembly on AVX-512 and AVX2: two vectors of B, one broadcast element of A per row. Both compilers give
// the same speed that way, at almost no compile time. One to three rows cannot hide the latency of the FMA with their
// accumulators alone, so they keep four sets, one per k modulo 4, from sixteen k on; below, one sum in the order of k costs no
// more, and its rounding is the one that everybody expects.
#ifndef LITZ_TILE_H
#define LITZ_TILE_H

#define LITZ_TILE_COLUMNS(T) (LITZ_PANEL_BYTES / (int)sizeof(T))
static_assert(LITZ_PANEL_BYTES == 2 * LITZ_VECTOR_BYTES, "a row of a panel is two vectors");

struct litz_tile {
    const void *a;
    i64 a_stride;
    const void *b;
    i64 b_stride;
    void *c;
    i64 c_stride;
    i64 k;
    const void *prefetch;
    i64 accumulate;
};

// R rows of two vectors each. The compiler keeps them in registers for R <= 4. `down`: A lies transposed.
template <class T, int R, bool down> LITZ_FN void litz_tile_rows(const litz_tile *t, int row) {
    typedef T lanes __attribute__((vector_size(LITZ_VECTOR_BYTES), aligned(1), may_alias));
    const i64 row_stride = down ? (i64)sizeof(T) : t->a_stride, k_stride = down ? t->a_stride : (i64)sizeof(T);
    const char *a = (const char *)t->a + row * row_stride, *b = (const char *)t->b;
    lanes low[R] = {}, high[R] = {};
    for (i64 k = 0; k < t->k; k++, a += k_stride, b += t->b_stride) {
        lanes x = ((const lanes *)b)[0], y = ((const lanes *)b)[1];
#pragma GCC unroll 4
        for (int r = 0; r < R; r++) {
            T e = *(const T *)(a + r * row_stride);
            low[r] += e * x;
            high[r] += e * y;
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < R; r++) {
        lanes *c = (lanes *)((char *)t->c + (row + r) * t->c_stride);
        c[0] = t->accumulate ? c[0] + low[r] : low[r];
        c[1] = t->accumulate ? c[1] + high[r] : high[r];
    }
}
template <class T, bool down = false> LITZ_NOINLINE void litz_tile_any(const litz_tile *t, int rows) {
    int r = 0;
    for (; r + 4 <= rows; r += 4) litz_tile_rows<T, 4, down>(t, r);
    for (; r < rows; r++) litz_tile_rows<T, 1, down>(t, r);
}

#if LITZ_VECTOR_BYTES == 64 || (LITZ_VECTOR_BYTES == 32 && defined(__FMA__))
// Rows 0-2 are addressed from rax, 3-5 from rcx, 6-8 from rsi, 9-11 from rdi, 12-13 from r8, with the row stride in rdx. B is r9
// with its stride in r10, k is r11, the prefetch address r12. Row r accumulates in registers r and r + LITZ_TILE_ROWS.
#define LITZ_AT0(d) #d "(%%rax)"
#define LITZ_AT1(d) #d "(%%rax,%%rdx)"
#define LITZ_AT2(d) #d "(%%rax,%%rdx,2)"
#define LITZ_AT3(d) #d "(%%rcx)"
#define LITZ_AT4(d) #d "(%%rcx,%%rdx)"
#define LITZ_AT5(d) #d "(%%rcx,%%rdx,2)"
#define LITZ_AT6(d) #d "(%%rsi)"
#define LITZ_AT7(d) #d "(%%rsi,%%rdx)"
#define LITZ_AT8(d) #d "(%%rsi,%%rdx,2)"
#define LITZ_AT9(d) #d "(%%rdi)"
#define LITZ_AT10(d) #d "(%%rdi,%%rdx)"
#define LITZ_AT11(d) #d "(%%rdi,%%rdx,2)"
#define LITZ_AT12(d) #d "(%%r8)"
#define LITZ_AT13(d) #d "(%%r8,%%rdx)"
#if LITZ_VECTOR_BYTES == 64
#define LITZ_REG(n) "%%zmm" #n
#define LITZ_B0 "%%zmm28"
#define LITZ_B1 "%%zmm29"
#define LITZ_AB "%%zmm30"
#define LITZ_NEXT "64"
#define LITZ_S0 14
#define LITZ_S1 15
#define LITZ_S2 16
#define LITZ_S3 17
#define LITZ_S4 18
#define LITZ_S5 19
#define LITZ_S6 20
#define LITZ_S7 21
#define LITZ_S8 22
#define LITZ_S9 23
#define LITZ_S10 24
#define LITZ_S11 25
#define LITZ_S12 26
#define LITZ_S13 27
#define LITZ_TILE_CLOBBERS \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", \
        "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30"
#else
#define LITZ_REG(n) "%%ymm" #n
#define LITZ_B0 "%%ymm12"
#define LITZ_B1 "%%ymm13"
#define LITZ_AB "%%ymm14"
#define LITZ_NEXT "32"
#define LITZ_S0 6
#define LITZ_S1 7
#define LITZ_S2 8
#define LITZ_S3 9
#define LITZ_S4 10
#define LITZ_S5 11
#define LITZ_TILE_CLOBBERS \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14"
#endif
// Each row's second accumulator follows the first ones of all rows.
static_assert(LITZ_S0 == LITZ_TILE_ROWS, "registers are dealt out for this many rows");
#define LITZ_REG_(n) LITZ_REG(n)
#define LITZ_SECOND(i) LITZ_REG_(LITZ_S##i)

// One k of row `row`, whose element of A is `d` bytes on, into accumulator pair `i`.
#define LITZ_TILE_FMA(T, i, row, d) \
    "vbroadcasts" T " " LITZ_AT##row(d) "," LITZ_AB "\n" \
    "vfmadd231p" T " " LITZ_B0 "," LITZ_AB "," LITZ_REG(i) "\n" \
    "vfmadd231p" T " " LITZ_B1 "," LITZ_AB "," LITZ_SECOND(i) "\n"
#define LITZ_TILE_LOAD_B "vmovups (%%r9)," LITZ_B0 "\nvmovups " LITZ_NEXT "(%%r9)," LITZ_B1 "\naddq %%r10,%%r9\n"
#define LITZ_TILE_ZERO(i) "vxorps " LITZ_REG(i) "," LITZ_REG(i) "," LITZ_REG(i) "\nvxorps " LITZ_SECOND(i) "," LITZ_SECOND(i) "," LITZ_SECOND(i) "\n"
#define LITZ_TILE_ADD(T, i, j) "vaddp" T " " LITZ_REG(j) "," LITZ_REG(i) "," LITZ_REG(i) "\nvaddp" T " " LITZ_SECOND(j) "," LITZ_SECOND(i) "," LITZ_SECOND(i) "\n"
#define LITZ_TILE_LOAD_C(T, i) "vaddp" T " (%%rax)," LITZ_REG(i) "," LITZ_REG(i) "\nvaddp" T " " LITZ_NEXT "(%%rax)," LITZ_SECOND(i) "," LITZ_SECOND(i) "\naddq %%rdx,%%rax\n"
#define LITZ_TILE_STORE_C(i) "vmovups " LITZ_REG(i) ",(%%rax)\nvmovups " LITZ_SECOND(i) "," LITZ_NEXT "(%%rax)\naddq %%rdx,%%rax\n"

// X(x, r) for each row.
#define LITZ_ROWS1(X, x) X(x, 0)
#define LITZ_ROWS2(X, x) LITZ_ROWS1(X, x) X(x, 1)
#define LITZ_ROWS3(X, x) LITZ_ROWS2(X, x) X(x, 2)
#define LITZ_ROWS4(X, x) LITZ_ROWS3(X, x) X(x, 3)
#define LITZ_ROWS5(X, x) LITZ_ROWS4(X, x) X(x, 4)
#define LITZ_ROWS6(X, x) LITZ_ROWS5(X, x) X(x, 5)
#define LITZ_ROWS7(X, x) LITZ_ROWS6(X, x) X(x, 6)
#define LITZ_ROWS8(X, x) LITZ_ROWS7(X, x) X(x, 7)
#define LITZ_ROWS9(X, x) LITZ_ROWS8(X, x) X(x, 8)
#define LITZ_ROWS10(X, x) LITZ_ROWS9(X, x) X(x, 9)
#define LITZ_ROWS11(X, x) LITZ_ROWS10(X, x) X(x, 10)
#define LITZ_ROWS12(X, x) LITZ_ROWS11(X, x) X(x, 11)
#define LITZ_ROWS13(X, x) LITZ_ROWS12(X, x) X(x, 12)
#define LITZ_ROWS14(X, x) LITZ_ROWS13(X, x) X(x, 13)
#define LITZ_X_ZERO(x, r) LITZ_TILE_ZERO(r)
#define LITZ_X_LOAD_C(T, r) LITZ_TILE_LOAD_C(T, r)
#define LITZ_X_STORE_C(x, r) LITZ_TILE_STORE_C(r)
#define LITZ_X_FMA0_f(T, r) LITZ_TILE_FMA(T, r, r, 0)
#define LITZ_X_FMA1_f(T, r) LITZ_TILE_FMA(T, r, r, 4)
#define LITZ_X_FMA0_d(T, r) LITZ_TILE_FMA(T, r, r, 0)
#define LITZ_X_FMA1_d(T, r) LITZ_TILE_FMA(T, r, r, 8)
// LITZ_STEPS: two k, for rows that are enough. LITZ_STEPSn: four k, which spread n rows over two or four sets of accumulators.
#define LITZ_STEPS(R, T, F) LITZ_TILE_LOAD_B LITZ_ROWS##R(LITZ_X_FMA0_##F, T) LITZ_TILE_LOAD_B LITZ_ROWS##R(LITZ_X_FMA1_##F, T)
#define LITZ_STEPS1(T, d1, d2, d3) \
    LITZ_TILE_LOAD_B LITZ_TILE_FMA(T, 0, 0, 0) LITZ_TILE_LOAD_B LITZ_TILE_FMA(T, 1, 0, d1) LITZ_TILE_LOAD_B LITZ_TILE_FMA(T, 2, 0, d2) \
    LITZ_TILE_LOAD_B LITZ_TILE_FMA(T, 3, 0, d3)
#define LITZ_FOLD1(T) LITZ_TILE_ADD(T, 0, 1) LITZ_TILE_ADD(T, 2, 3) LITZ_TILE_ADD(T, 0, 2)
#define LITZ_STEPS2(T, d1, d2, d3) \
    LITZ_TILE_LOAD_B LITZ_TILE_FMA(T, 0, 0, 0) LITZ_TILE_FMA(T, 1, 1, 0) LITZ_TILE_LOAD_B LITZ_TILE_FMA(T, 2, 0, d1) LITZ_TILE_FMA(T, 3, 1, d1) \
    LITZ_TILE_LOAD_B LITZ_TILE_FMA(T, 0, 0, d2) LITZ_TILE_FMA(T, 1, 1, d2) LITZ_TILE_LOAD_B LITZ_TILE_FMA(T, 2, 0, d3) LITZ_TILE_FMA(T, 3, 1, d3)
#define LITZ_FOLD2(T) LITZ_TILE_ADD(T, 0, 2) LITZ_TILE_ADD(T, 1, 3)
#define LITZ_STEPS3(T, d1, d2, d3) \
    LITZ_TILE_LOAD_B LITZ_TILE_FMA(T, 0, 0, 0) LITZ_TILE_FMA(T, 1, 1, 0) LITZ_TILE_FMA(T, 2, 2, 0) \
    LITZ_TILE_LOAD_B LITZ_TILE_FMA(T, 3, 0, d1) LITZ_TILE_FMA(T, 4, 1, d1) LITZ_TILE_FMA(T, 5, 2, d1) \
    LITZ_TILE_LOAD_B LITZ_TILE_FMA(T, 0, 0, d2) LITZ_TILE_FMA(T, 1, 1, d2) LITZ_TILE_FMA(T, 2, 2, d2) \
    LITZ_TILE_LOAD_B LITZ_TILE_FMA(T, 3, 0, d3) LITZ_TILE_FMA(T, 4, 1, d3) LITZ_TILE_FMA(T, 5, 2, d3)
#define LITZ_FOLD3(T) LITZ_TILE_ADD(T, 0, 3) LITZ_TILE_ADD(T, 1, 4) LITZ_TILE_ADD(T, 2, 5)

// N accumulator pairs for R rows; `steps` does `count` k, which are `many` bytes of A; one is `one` bytes. `short` may go to 6,
// where one k is done at a time.
#define LITZ_SHORT "cmpq $16,%%r11\njl 6f\n"
#define LITZ_TILE_ASM(R, N, T, F, steps, fold, short, count, many, one) \
    __asm__ volatile( \
        "movq (%0),%%rax\nmovq 8(%0),%%rdx\nmovq 16(%0),%%r9\nmovq 24(%0),%%r10\nmovq 48(%0),%%r11\nmovq 56(%0),%%r12\n" \
        "leaq (%%rdx,%%rdx,2),%%r8\nleaq (%%rax,%%r8),%%rcx\nleaq (%%rcx,%%r8),%%rsi\nleaq (%%rsi,%%r8),%%rdi\naddq %%rdi,%%r8\n" \
        LITZ_ROWS##N(LITZ_X_ZERO, T) \
        short "subq $" #count ",%%r11\njl 2f\n.p2align 4\n" \
        "1:\n" steps "prefetcht1 (%%r12)\naddq $64,%%r12\n" \
        "addq $" many ",%%rax\naddq $" many ",%%rcx\naddq $" many ",%%rsi\naddq $" many ",%%rdi\naddq $" many ",%%r8\nsubq $" #count ",%%r11\njge 1b\n" \
        "2: addq $" #count ",%%r11\n6: testq %%r11,%%r11\njz 4f\n" \
        "3:\n" LITZ_TILE_LOAD_B LITZ_ROWS##R(LITZ_X_FMA0_##F, T) \
        "addq $" one ",%%rax\naddq $" one ",%%rcx\naddq $" one ",%%rsi\naddq $" one ",%%rdi\naddq $" one ",%%r8\ndecq %%r11\njnz 3b\n" \
        "4:\n" fold "movq 40(%0),%%rdx\ncmpq $0,64(%0)\nje 5f\nmovq 32(%0),%%rax\n" LITZ_ROWS##R(LITZ_X_LOAD_C, T) \
        "5: movq 32(%0),%%rax\n" LITZ_ROWS##R(LITZ_X_STORE_C, T) \
        : : "r"(t) : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "cc", "memory", LITZ_TILE_CLOBBERS)
// Bit R of LITZ_TILE_HEIGHTS: whether tiles of R rows are compiled. Those of other heights are computed row by row.
#ifndef LITZ_TILE_HEIGHTS
#define LITZ_TILE_HEIGHTS 0x7fff
#endif
#define LITZ_TILE_OF(R, ...) case R: if constexpr (LITZ_TILE_HEIGHTS >> R & 1) { __VA_ARGS__; return; } break;
#define LITZ_TILE_CASE(R, T, F, two, one) LITZ_TILE_OF(R, LITZ_TILE_ASM(R, R, T, F, LITZ_STEPS(R, T, F), "", "", 2, two, one))
#if LITZ_VECTOR_BYTES == 64
#define LITZ_TILE_WIDE_CASES(T, F, two, one) \
    LITZ_TILE_CASE(7, T, F, two, one) LITZ_TILE_CASE(8, T, F, two, one) LITZ_TILE_CASE(9, T, F, two, one) LITZ_TILE_CASE(10, T, F, two, one) \
    LITZ_TILE_CASE(11, T, F, two, one) LITZ_TILE_CASE(12, T, F, two, one) LITZ_TILE_CASE(13, T, F, two, one) LITZ_TILE_CASE(14, T, F, two, one)
#else
#define LITZ_TILE_WIDE_CASES(T, F, two, one)
#endif
#define LITZ_TILE_FUNCTION(name, X, T, F, d1, d2, d3, four, two, one) \
    LITZ_NOINLINE void name(const litz_tile *t, int rows) { \
        switch (rows) { \
        LITZ_TILE_OF(1, LITZ_TILE_ASM(1, 4, T, F, LITZ_STEPS1(T, d1, d2, d3), LITZ_FOLD1(T), LITZ_SHORT, 4, four, one)) \
        LITZ_TILE_OF(2, LITZ_TILE_ASM(2, 4, T, F, LITZ_STEPS2(T, d1, d2, d3), LITZ_FOLD2(T), LITZ_SHORT, 4, four, one)) \
        LITZ_TILE_OF(3, LITZ_TILE_ASM(3, 6, T, F, LITZ_STEPS3(T, d1, d2, d3), LITZ_FOLD3(T), LITZ_SHORT, 4, four, one)) \
        LITZ_TILE_CASE(4, T, F, two, one) LITZ_TILE_CASE(5, T, F, two, one) LITZ_TILE_CASE(6, T, F, two, one) \
        LITZ_TILE_WIDE_CASES(T, F, two, one) \
        } \
        for (int r = 0; r < rows; r++) litz_tile_rows<X, 1, false>(t, r); \
    }
// A lies transposed: rows are displacements from rax, and the k stride in rdx leads from one k to the next.
#define LITZ_X_DOWN(T, r) \
    "vbroadcasts" T " 4*" #r "(%%rax)," LITZ_AB "\n" \
    "vfmadd231p" T " " LITZ_B0 "," LITZ_AB "," LITZ_REG(r) "\n" \
    "vfmadd231p" T " " LITZ_B1 "," LITZ_AB "," LITZ_SECOND(r) "\n"
#define LITZ_DOWN_STEP(R) LITZ_TILE_LOAD_B LITZ_ROWS##R(LITZ_X_DOWN, "s") "addq %%rdx,%%rax\n"
#define LITZ_DOWN_CASE(R) \
    case R: __asm__ volatile( \
        "movq (%0),%%rax\nmovq 8(%0),%%rdx\nmovq 16(%0),%%r9\nmovq 24(%0),%%r10\nmovq 48(%0),%%r11\nmovq 56(%0),%%r12\n" \
        LITZ_ROWS##R(LITZ_X_ZERO, "s") \
        "subq $2,%%r11\njl 2f\n.p2align 4\n" \
        "1:\n" LITZ_DOWN_STEP(R) LITZ_DOWN_STEP(R) "prefetcht1 (%%r12)\naddq $64,%%r12\nsubq $2,%%r11\njge 1b\n" \
        "2: addq $2,%%r11\njz 4f\n" LITZ_DOWN_STEP(R) \
        "4: movq 40(%0),%%rdx\ncmpq $0,64(%0)\nje 5f\nmovq 32(%0),%%rax\n" LITZ_ROWS##R(LITZ_X_LOAD_C, "s") \
        "5: movq 32(%0),%%rax\n" LITZ_ROWS##R(LITZ_X_STORE_C, "s") \
        : : "r"(t) : "rax", "rdx", "r9", "r10", "r11", "r12", "cc", "memory", LITZ_TILE_CLOBBERS); break;
#if LITZ_VECTOR_BYTES == 64
#define LITZ_DOWN_WIDE_CASES LITZ_DOWN_CASE(7) LITZ_DOWN_CASE(8) LITZ_DOWN_CASE(9) LITZ_DOWN_CASE(10) LITZ_DOWN_CASE(11) LITZ_DOWN_CASE(12) LITZ_DOWN_CASE(13) LITZ_DOWN_CASE(14)
#else
#define LITZ_DOWN_WIDE_CASES
#endif
#ifdef LITZ_USE_TILE_DOWN_F32
LITZ_NOINLINE void litz_tile_down_f32(const litz_tile *t, int rows) {
    switch (rows) {
        LITZ_DOWN_CASE(1) LITZ_DOWN_CASE(2) LITZ_DOWN_CASE(3) LITZ_DOWN_CASE(4) LITZ_DOWN_CASE(5) LITZ_DOWN_CASE(6)
        LITZ_DOWN_WIDE_CASES
    }
}
#endif
#ifdef LITZ_USE_TILE_F32
LITZ_TILE_FUNCTION(litz_tile_f32, f32, "s", f, 4, 8, 12, "16", "8", "4")
#endif
#ifdef LITZ_USE_TILE_F64
LITZ_TILE_FUNCTION(litz_tile_f64, f64, "d", d, 8, 16, 24, "32", "16", "8")
#endif
#define LITZ_TILE_IS_ASM 1
#endif

#if !defined(LITZ_TILE_IS_ASM)
LITZ_FN void litz_tile_f32(const litz_tile *t, int rows) { litz_tile_any<f32>(t, rows); }
LITZ_FN void litz_tile_f64(const litz_tile *t, int rows) { litz_tile_any<f64>(t, rows); }
LITZ_FN void litz_tile_down_f32(const litz_tile *t, int rows) { litz_tile_any<f32, true>(t, rows); }
#endif
LITZ_FN void litz_run_tile(const litz_tile *t, int rows, const i32 *) { litz_tile_any<i32>(t, rows); }
LITZ_FN void litz_run_tile(const litz_tile *t, int rows, const i64 *) { litz_tile_any<i64>(t, rows); }
#if defined(LITZ_USE_TILE_F32) || !defined(LITZ_TILE_IS_ASM)
LITZ_FN void litz_run_tile(const litz_tile *t, int rows, const f32 *) { litz_tile_f32(t, rows); }
#endif
#if defined(LITZ_USE_TILE_F64) || !defined(LITZ_TILE_IS_ASM)
LITZ_FN void litz_run_tile(const litz_tile *t, int rows, const f64 *) { litz_tile_f64(t, rows); }
#endif
#endif
