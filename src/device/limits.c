/*
 * How fast this machine computes and reads memory: what a kernel could reach at most. For profiles and reports; part of liblitz
 * alone.
 */
#include <stddef.h>
#include <stdint.h>

typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x8 __attribute__((vector_size(32)));
typedef float f32x16 __attribute__((vector_size(64)));

/* Chains of multiplications and additions, enough of them that none waits for another. */
#define CHAINS 12
#define CHAIN(vector, name, target)                                                                          \
    target static float name(uint64_t rounds, float a, float b) {                                            \
        vector x[CHAINS], factor = {0}, addend = {0};                                                        \
        factor += a;                                                                                         \
        addend += b;                                                                                         \
        for (int k = 0; k < CHAINS; k++) x[k] = addend + (float)k;                                           \
        for (uint64_t n = 0; n < rounds; n++)                                                                \
            for (int k = 0; k < CHAINS; k++) x[k] = x[k] * factor + addend;                                  \
        for (int k = 1; k < CHAINS; k++) x[0] += x[k];                                                       \
        return x[0][0];                                                                                      \
    }

CHAIN(f32x4, chain_scalar, )
#if defined(__x86_64__)
CHAIN(f32x8, chain_avx2, __attribute__((target("avx2,fma"))))
CHAIN(f32x16, chain_avx512, __attribute__((target("avx512f"))))
#endif

/* Runs `rounds` rounds with the widest vectors of an instruction set (0, 1 AVX2, 2 AVX-512), which the CPU must have. Gives the
 * floating-point operations of a round; `sink` is given something that they decide. */
uint64_t litz_limits_compute(uint32_t isa, uint64_t rounds, float a, float b, float *sink) {
#if defined(__x86_64__)
    if (isa == 2) {
        *sink = chain_avx512(rounds, a, b);
        return 2 * 16 * CHAINS;
    }
    if (isa == 1) {
        *sink = chain_avx2(rounds, a, b);
        return 2 * 8 * CHAINS;
    }
#else
    (void)isa;
#endif
    *sink = chain_scalar(rounds, a, b);
    return 2 * 4 * CHAINS;
}

/* Reads `bytes`, a multiple of 64, of aligned memory once. */
uint64_t litz_limits_read(const void *data, size_t bytes) {
    const uint64_t *word = data;
    uint64_t sum[8] = {0};
    for (size_t k = 0; k < bytes / 8; k += 8)
        for (int n = 0; n < 8; n++) sum[n] += word[k + n];
    return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}
