// Litz native prelude: the vocabulary of generated CPU kernels. No header is included; GCC >= 10 or
// clang >= 13, C++17, x86-64. Compile with -ffp-contract=off (fusing is always written out).
//
// Lanes. One vector loop works on LITZ_LANES (W) elements at a time, whatever their type:
//   vf32 vi32 vu32                 W lanes, one machine vector (GCC vector types)
//   vi16 vu16 vi8 vu8              W lanes, a part of a machine vector (GCC vector types)
//   vf64 vi64 vu64                 W lanes, a struct of two machine vectors with operators
//   vmask                          W truth values (struct of W i32 lanes, each 0 or -1)
// Scalar loops use f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 and bool. Every function below is overloaded
// for both, so one expression text serves a vector body and a scalar tail. Arguments must have exactly
// the type meant (C's integer promotion makes i8+i8 an int: write add(a, b), not a + b; i64 literals are
// `i64(5)`). half, bfloat and boolean are storage types only: in registers they are f32 and bool.
//
// Memory       load(p) W lanes, any alignment; load_scalar(p); load_tail(p, n) first n of W lanes, others 0;
//              load_strided(p, stride[, n]) stride in elements; load_gather(p, vi64 index, vmask m), lanes off are 0, as in
//              load_where(p, m) of neighbours;
//              store(p, v) (vector or scalar); store_tail(p, v, n); store_strided(p, v, stride[, n]);
//              store_scatter(p, index, v, mask). p may point at half, bfloat, boolean: values convert (nearest even).
// Making       splat(x) to W lanes; lane_index() vi64 0..W-1, lane_index32() vi32; lane(v, i); tail_mask(n) first n on;
//              first_lanes(n) the same for any n.
// Casts        to_f32 to_f64 to_i8 … to_u64 to_bool, from every type; floats to integers as PyTorch's CPU code
//              (truncation; out of range as cvttss2si shows it); round_half(x), round_bfloat(x): f32 to f32.
// Squares      litz_transpose(t): rows and columns of LITZ_LANES vectors t[0], t[1], … of 16 or 32 bits a lane exchanged.
// Logic        eq ne lt le gt ge -> mask; mask_and mask_or mask_xor mask_not; select(mask, a, b); any all.
// Arithmetic   add sub mul neg (integers wrap); divide (floats); fused(a, b, c) = a*b+c, one rounding where the ISA has FMA;
//              bit_and bit_or bit_xor bit_not shl shr (shift counts outside the width: 0, or the sign);
//              l_trunc_divide l_floor_divide l_remainder (Python's sign) l_fmod (C's sign): integer division by 0 gives 0,
//              never a trap; l_abs l_sign l_minimum l_maximum (NaN wins) l_fmin l_fmax (NaN loses).
// Floats       l_sqrt l_rsqrt l_reciprocal l_floor l_ceil l_trunc l_round (half to even) l_copysign l_signbit
//              l_isnan l_isinf l_isfinite.
// Reductions   hsum hprod hmax hmin (NaN wins) of f32 f64 i32 i64 u32 u64 vectors; any all of masks.
// exp, log, tanh and the like are in functions.h.
#ifndef LITZ_PRELUDE_H
#define LITZ_PRELUDE_H

typedef __INT8_TYPE__ i8;
typedef __UINT8_TYPE__ u8;
typedef __INT16_TYPE__ i16;
typedef __UINT16_TYPE__ u16;
typedef __INT32_TYPE__ i32;
typedef __UINT32_TYPE__ u32;
typedef __INT64_TYPE__ i64;
typedef __UINT64_TYPE__ u64;
typedef float f32;
typedef double f64;
struct half { u16 bits; };
struct bfloat { u16 bits; };
struct boolean { u8 byte; };

// LITZ_VECTOR_BYTES stands before this text: the vectors that the kernels were written for.
#if (LITZ_VECTOR_BYTES >= 64) != defined(__AVX512F__) || (LITZ_VECTOR_BYTES >= 32) != defined(__AVX2__)
#error "the compiler's flags are for vectors of another width"
#endif
#define LITZ_LANES (LITZ_VECTOR_BYTES / 4)
#define LITZ_HALF_LANES (LITZ_VECTOR_BYTES / 8)

#define LITZ_FN static inline __attribute__((always_inline))
#define LITZ_MATH static inline
#define LITZ_METHOD static
LITZ_FN long long litz_log2(long long n) { return 63 - __builtin_clzll((unsigned long long)n); }
#define LITZ_NOINLINE static __attribute__((noinline))

// n-types are one machine vector of 64-bit lanes; h-types are half a machine vector of 32-bit lanes.
typedef f32 vf32 __attribute__((vector_size(LITZ_VECTOR_BYTES)));
typedef i32 vi32 __attribute__((vector_size(LITZ_VECTOR_BYTES)));
typedef u32 vu32 __attribute__((vector_size(LITZ_VECTOR_BYTES)));
typedef i16 vi16 __attribute__((vector_size(LITZ_VECTOR_BYTES / 2)));
typedef u16 vu16 __attribute__((vector_size(LITZ_VECTOR_BYTES / 2)));
typedef i8 vi8 __attribute__((vector_size(LITZ_VECTOR_BYTES / 4)));
typedef u8 vu8 __attribute__((vector_size(LITZ_VECTOR_BYTES / 4)));
typedef f64 nf64 __attribute__((vector_size(LITZ_VECTOR_BYTES)));
typedef i64 ni64 __attribute__((vector_size(LITZ_VECTOR_BYTES)));
typedef u64 nu64 __attribute__((vector_size(LITZ_VECTOR_BYTES)));
typedef f32 hf32 __attribute__((vector_size(LITZ_VECTOR_BYTES / 2)));
typedef i32 hi32 __attribute__((vector_size(LITZ_VECTOR_BYTES / 2)));
typedef u32 hu32 __attribute__((vector_size(LITZ_VECTOR_BYTES / 2)));
struct vmask { vi32 m; };

#define LITZ_CONVERT(v, T) __builtin_convertvector(v, T)
#define LITZ_BITS(T, x) __builtin_bit_cast(T, x)

#if LITZ_LANES == 16
#define LITZ_LOW_LANES 0, 1, 2, 3, 4, 5, 6, 7
#define LITZ_HIGH_LANES 8, 9, 10, 11, 12, 13, 14, 15
#define LITZ_EVERY_SECOND 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31
#define LITZ_XOR_HALF(k) 0 ^ k, 1 ^ k, 2 ^ k, 3 ^ k, 4 ^ k, 5 ^ k, 6 ^ k, 7 ^ k
#define LITZ_XOR_FULL(k) LITZ_XOR_HALF(k), 8 ^ k, 9 ^ k, 10 ^ k, 11 ^ k, 12 ^ k, 13 ^ k, 14 ^ k, 15 ^ k
#elif LITZ_LANES == 8
#define LITZ_LOW_LANES 0, 1, 2, 3
#define LITZ_HIGH_LANES 4, 5, 6, 7
#define LITZ_EVERY_SECOND 0, 2, 4, 6, 9, 11, 13, 15
#define LITZ_XOR_HALF(k) 0 ^ k, 1 ^ k, 2 ^ k, 3 ^ k
#define LITZ_XOR_FULL(k) LITZ_XOR_HALF(k), 4 ^ k, 5 ^ k, 6 ^ k, 7 ^ k
#else
#define LITZ_LOW_LANES 0, 1
#define LITZ_HIGH_LANES 2, 3
#define LITZ_EVERY_SECOND 0, 2, 5, 7
#define LITZ_XOR_HALF(k) 0 ^ k, 1 ^ k
#define LITZ_XOR_FULL(k) LITZ_XOR_HALF(k), 2 ^ k, 3 ^ k
#endif

#if defined(__clang__) || __GNUC__ >= 12
#define LITZ_LOW(H, v) __builtin_shufflevector(v, v, LITZ_LOW_LANES)
#define LITZ_HIGH(H, v) __builtin_shufflevector(v, v, LITZ_HIGH_LANES)
#define LITZ_JOIN(V, a, b) __builtin_shufflevector(a, b, LITZ_LOW_LANES, LITZ_HIGH_LANES)
#define LITZ_XOR_SHUFFLE(v, k) __builtin_shufflevector(v, v, LITZ_XOR_FULL(k))
#define LITZ_DEINTERLEAVE(a, b) __builtin_shufflevector(a, b, LITZ_EVERY_SECOND)
#define LITZ_XOR_SHUFFLE_HALF(v, k) __builtin_shufflevector(v, v, LITZ_XOR_HALF(k))
#else
template <class H, class V> LITZ_FN H litz_part(V v, int which) { union { V v; H h[2]; } u; u.v = v; return u.h[which]; }
template <class V, class H> LITZ_FN V litz_join(H a, H b) { union { V v; H h[2]; } u; u.h[0] = a; u.h[1] = b; return u.v; }
#define LITZ_LOW(H, v) litz_part<H>(v, 0)
#define LITZ_HIGH(H, v) litz_part<H>(v, 1)
#define LITZ_JOIN(V, a, b) litz_join<V>(a, b)
#define LITZ_XOR_SHUFFLE(v, k) __builtin_shuffle(v, (vi32){LITZ_XOR_FULL(k)})
#define LITZ_DEINTERLEAVE(a, b) __builtin_shuffle(a, b, (vi32){LITZ_EVERY_SECOND})
#define LITZ_XOR_SHUFFLE_HALF(v, k) __builtin_shuffle(v, (ni64){LITZ_XOR_HALF(k)})
#undef LITZ_BITS
template <class T, class S> LITZ_FN T litz_bits(S s) { T t; __builtin_memcpy(&t, &s, sizeof t); return t; }
#define LITZ_BITS(T, x) litz_bits<T>(x)
#endif

// GCC spells vectors of 64-bit lanes wider than the machine's lane by lane in comparisons and conversions; two halves do not suffer that.
#define LITZ_PAIR_OPERATOR(V, op) \
    LITZ_FN V operator op(V a, V b) { return V{a.lo op b.lo, a.hi op b.hi}; }
#define LITZ_PAIR(V, N, T) \
    struct V { N lo, hi; T operator[](int i) const { return i < LITZ_HALF_LANES ? lo[i] : hi[i - LITZ_HALF_LANES]; } }; \
    LITZ_PAIR_OPERATOR(V, +) LITZ_PAIR_OPERATOR(V, -) LITZ_PAIR_OPERATOR(V, *) \
    LITZ_FN V operator-(V a) { return V{-a.lo, -a.hi}; }
LITZ_PAIR(vf64, nf64, f64)
LITZ_PAIR(vi64, ni64, i64)
LITZ_PAIR(vu64, nu64, u64)
LITZ_PAIR_OPERATOR(vf64, /)
LITZ_FN vu64 litz_u(vi64 v) { return vu64{(nu64)v.lo, (nu64)v.hi}; }
LITZ_FN vi64 litz_i(vu64 v) { return vi64{(ni64)v.lo, (ni64)v.hi}; }

// Integer and lane-loop functions are templates, which cost nothing to parse until used; these traits keep each to its kind of
// type: litz_int scalar integers, litz_vint machine vectors of integers, litz_pair structs of two, litz_lanes anything of W lanes.
template <class T> struct litz_int {};
template <class V> struct litz_vint {};
template <class V> struct litz_pair {};
template <class V> struct litz_lanes {};
#define LITZ_INT_TRAITS(T, U, sign, V, VU, W) \
    template <> struct litz_int<T> { typedef T self; enum { is_signed = sign, bits = 8 * sizeof(T) }; }; \
    template <> struct litz_vint<V> { typedef V self; typedef VU wrap; typedef T lane; typedef U wrap_lane; enum { is_signed = sign, bits = 8 * sizeof(T) }; }; \
    template <> struct litz_lanes<W> { typedef W self; typedef W integer; typedef T lane; };
LITZ_INT_TRAITS(i8, u8, 1, vi8, vu8, vi8)
LITZ_INT_TRAITS(u8, u8, 0, vu8, vu8, vu8)
LITZ_INT_TRAITS(i16, u16, 1, vi16, vu16, vi16)
LITZ_INT_TRAITS(u16, u16, 0, vu16, vu16, vu16)
LITZ_INT_TRAITS(i32, u32, 1, vi32, vu32, vi32)
LITZ_INT_TRAITS(u32, u32, 0, vu32, vu32, vu32)
LITZ_INT_TRAITS(i64, u64, 1, ni64, nu64, vi64)
LITZ_INT_TRAITS(u64, u64, 0, nu64, nu64, vu64)
template <> struct litz_lanes<vf32> { typedef vf32 self; typedef f32 lane; };
template <> struct litz_lanes<vf64> { typedef vf64 self; typedef f64 lane; };
template <> struct litz_lanes<vmask> { typedef vmask self; typedef bool lane; };
template <> struct litz_pair<vi64> { typedef vi64 self; typedef ni64 part; };
template <> struct litz_pair<vu64> { typedef vu64 self; typedef nu64 part; };
// What memory of type S becomes in registers.
template <class S> struct litz_stored {};
#define LITZ_STORED(S, T, V) template <> struct litz_stored<S> { typedef T scalar; typedef V vector; };
LITZ_STORED(i8, i8, vi8) LITZ_STORED(u8, u8, vu8) LITZ_STORED(i16, i16, vi16) LITZ_STORED(u16, u16, vu16) LITZ_STORED(i32, i32, vi32)
LITZ_STORED(u32, u32, vu32) LITZ_STORED(i64, i64, vi64) LITZ_STORED(u64, u64, vu64) LITZ_STORED(f32, f32, vf32) LITZ_STORED(f64, f64, vf64)
LITZ_STORED(half, f32, vf32) LITZ_STORED(bfloat, f32, vf32) LITZ_STORED(boolean, bool, vmask)

#define LITZ_SINGLE_TYPES(X) X(f32, vf32) X(i32, vi32) X(u32, vu32) X(i16, vi16) X(u16, vu16) X(i8, vi8) X(u8, vu8)
#define LITZ_PAIR_TYPES(X) X(f64, vf64, nf64) X(i64, vi64, ni64) X(u64, vu64, nu64)
#define LITZ_SCALAR_INTS(X) X(i8, u8) X(u8, u8) X(i16, u16) X(u16, u16) X(i32, u32) X(u32, u32) X(i64, u64) X(u64, u64)

// ---- making -----------------------------------------------------------------------------------------------------------
// x - 0, not x + 0: splat(-0.0) keeps its sign.
#define X(T, V) LITZ_FN V splat(T x) { return x - (V){}; } LITZ_FN T lane(V v, int i) { return v[i]; } LITZ_FN T lane(T x, int) { return x; }
LITZ_SINGLE_TYPES(X)
#undef X
#define X(T, V, N) LITZ_FN V splat(T x) { N n = x - (N){}; return V{n, n}; } LITZ_FN T lane(V v, int i) { return v[i]; } LITZ_FN T lane(T x, int) { return x; }
LITZ_PAIR_TYPES(X)
#undef X
LITZ_FN vmask splat(bool x) { return vmask{-(i32)x - (vi32){}}; }
LITZ_FN bool lane(vmask v, int i) { return v.m[i] != 0; }
LITZ_FN vi32 lane_index32() { return (vi32){LITZ_LOW_LANES, LITZ_HIGH_LANES}; }
LITZ_FN vi64 lane_index() { return vi64{(ni64){LITZ_LOW_LANES}, (ni64){LITZ_HIGH_LANES}}; }
LITZ_FN vmask tail_mask(i64 n) { return vmask{lane_index32() < splat((i32)n)}; }
LITZ_FN vmask first_lanes(i64 n) { return tail_mask(n < 0 ? 0 : n > LITZ_LANES ? LITZ_LANES : n); }
LITZ_FN ni64 litz_mask_lo(vmask c) { return LITZ_CONVERT(LITZ_LOW(hi32, c.m), ni64); }
LITZ_FN ni64 litz_mask_hi(vmask c) { return LITZ_CONVERT(LITZ_HIGH(hi32, c.m), ni64); }
LITZ_FN vmask litz_mask_join(ni64 a, ni64 b) { return vmask{LITZ_JOIN(vi32, LITZ_CONVERT(a, hi32), LITZ_CONVERT(b, hi32))}; }

// ---- squares ----------------------------------------------------------------------------------------------------------
// Rows and columns of LITZ_LANES vectors exchanged: first within squares of four lanes, then squares of four, and of eight.
#if LITZ_LANES == 16
#define LITZ_FOURS(a, b, c, d) a, b, c, d, a + 4, b + 4, c + 4, d + 4, a + 8, b + 8, c + 8, d + 8, a + 12, b + 12, c + 12, d + 12
#define LITZ_SIDE(n, second) LITZ_RUN(0, n, second), LITZ_RUN(4, n, second), LITZ_RUN(8, n, second), LITZ_RUN(12, n, second)
#elif LITZ_LANES == 8
#define LITZ_FOURS(a, b, c, d) a, b, c, d, a + 4, b + 4, c + 4, d + 4
#define LITZ_SIDE(n, second) LITZ_RUN(0, n, second), LITZ_RUN(4, n, second)
#else
#define LITZ_FOURS(a, b, c, d) a, b, c, d
#endif
// Four lanes of the first or the second result, whose squares of n lanes change sides.
#define LITZ_RUN(p, n, second) LITZ_FROM(p, n, second), LITZ_FROM(p, n, second) + 1, LITZ_FROM(p, n, second) + 2, LITZ_FROM(p, n, second) + 3
#define LITZ_FROM(p, n, second) (((p) & n) ? (second ? (p) : (p) - n) + LITZ_LANES : (second ? (p) + n : (p)))
#if defined(__clang__) || __GNUC__ >= 12
template <class V> LITZ_FN void litz_transpose(V *t) {
    enum { W = LITZ_LANES };
    _Pragma("GCC unroll 4") for (int k = 0; k < W; k += 4) {
        const V a = __builtin_shufflevector(t[k], t[k + 1], LITZ_FOURS(0, W, 1, W + 1));
        const V b = __builtin_shufflevector(t[k], t[k + 1], LITZ_FOURS(2, W + 2, 3, W + 3));
        const V c = __builtin_shufflevector(t[k + 2], t[k + 3], LITZ_FOURS(0, W, 1, W + 1));
        const V d = __builtin_shufflevector(t[k + 2], t[k + 3], LITZ_FOURS(2, W + 2, 3, W + 3));
        t[k] = __builtin_shufflevector(a, c, LITZ_FOURS(0, 1, W, W + 1));
        t[k + 1] = __builtin_shufflevector(a, c, LITZ_FOURS(2, 3, W + 2, W + 3));
        t[k + 2] = __builtin_shufflevector(b, d, LITZ_FOURS(0, 1, W, W + 1));
        t[k + 3] = __builtin_shufflevector(b, d, LITZ_FOURS(2, 3, W + 2, W + 3));
    }
#if LITZ_LANES > 4
    _Pragma("GCC unroll 16") for (int k = 0; k < W; k++)
        if (!(k & 4)) {
            const V a = t[k], b = t[k + 4];
            t[k] = __builtin_shufflevector(a, b, LITZ_SIDE(4, 0)), t[k + 4] = __builtin_shufflevector(a, b, LITZ_SIDE(4, 1));
        }
#endif
#if LITZ_LANES > 8
    _Pragma("GCC unroll 8") for (int k = 0; k < 8; k++) {
        const V a = t[k], b = t[k + 8];
        t[k] = __builtin_shufflevector(a, b, LITZ_SIDE(8, 0)), t[k + 8] = __builtin_shufflevector(a, b, LITZ_SIDE(8, 1));
    }
#endif
}
#else
template <class V> LITZ_FN void litz_transpose(V *t) {
    for (int k = 0; k < LITZ_LANES; k++)
        for (int l = 0; l < k; l++) {
            const auto x = t[k][l];
            t[k][l] = t[l][k], t[l][k] = x;
        }
}
#endif

// ---- logic ------------------------------------------------------------------------------------------------------------
#define LITZ_COMPARE_ONE(name, op, T, V) \
    LITZ_FN bool name(T a, T b) { return a op b; } LITZ_FN vmask name(V a, V b) { return vmask{LITZ_CONVERT(a op b, vi32)}; }
#define LITZ_COMPARE_SINGLE(T, V) \
    LITZ_COMPARE_ONE(eq, ==, T, V) LITZ_COMPARE_ONE(ne, !=, T, V) LITZ_COMPARE_ONE(lt, <, T, V) \
    LITZ_COMPARE_ONE(le, <=, T, V) LITZ_COMPARE_ONE(gt, >, T, V) LITZ_COMPARE_ONE(ge, >=, T, V)
LITZ_SINGLE_TYPES(LITZ_COMPARE_SINGLE)
#define LITZ_COMPARE_TWO(name, op, T, V) \
    LITZ_FN bool name(T a, T b) { return a op b; } LITZ_FN vmask name(V a, V b) { return litz_mask_join(a.lo op b.lo, a.hi op b.hi); }
#define LITZ_COMPARE_PAIR(T, V, N) \
    LITZ_COMPARE_TWO(eq, ==, T, V) LITZ_COMPARE_TWO(ne, !=, T, V) LITZ_COMPARE_TWO(lt, <, T, V) \
    LITZ_COMPARE_TWO(le, <=, T, V) LITZ_COMPARE_TWO(gt, >, T, V) LITZ_COMPARE_TWO(ge, >=, T, V)
LITZ_PAIR_TYPES(LITZ_COMPARE_PAIR)
LITZ_FN vmask mask_and(vmask a, vmask b) { return vmask{a.m & b.m}; }
LITZ_FN vmask mask_or(vmask a, vmask b) { return vmask{a.m | b.m}; }
LITZ_FN vmask mask_xor(vmask a, vmask b) { return vmask{a.m ^ b.m}; }
LITZ_FN vmask mask_not(vmask a) { return vmask{~a.m}; }
LITZ_FN bool mask_and(bool a, bool b) { return a & b; }
LITZ_FN bool mask_or(bool a, bool b) { return a | b; }
LITZ_FN bool mask_xor(bool a, bool b) { return a ^ b; }
LITZ_FN bool mask_not(bool a) { return !a; }
// false < true, as torch compares booleans.
LITZ_FN vmask eq(vmask a, vmask b) { return vmask{~(a.m ^ b.m)}; }
LITZ_FN vmask ne(vmask a, vmask b) { return vmask{a.m ^ b.m}; }
LITZ_FN vmask lt(vmask a, vmask b) { return vmask{~a.m & b.m}; }
LITZ_FN vmask le(vmask a, vmask b) { return vmask{~a.m | b.m}; }
LITZ_FN vmask gt(vmask a, vmask b) { return vmask{a.m & ~b.m}; }
LITZ_FN vmask ge(vmask a, vmask b) { return vmask{a.m | ~b.m}; }
LITZ_FN bool eq(bool a, bool b) { return a == b; }
LITZ_FN bool ne(bool a, bool b) { return a != b; }
LITZ_FN bool lt(bool a, bool b) { return a < b; }
LITZ_FN bool le(bool a, bool b) { return a <= b; }
LITZ_FN bool gt(bool a, bool b) { return a > b; }
LITZ_FN bool ge(bool a, bool b) { return a >= b; }

#define X(T, V) LITZ_FN T select(bool c, T a, T b) { return c ? a : b; }
LITZ_SINGLE_TYPES(X)
X(bool, vmask) X(f64, vf64) X(i64, vi64) X(u64, vu64)
#undef X
#define X(V) LITZ_FN V select(vmask c, V a, V b) { return c.m ? a : b; }
X(vf32) X(vi32) X(vu32)
#undef X
#define X(V, I) LITZ_FN V select(vmask c, V a, V b) { return LITZ_CONVERT(c.m, I) ? a : b; }
X(vi16, vi16) X(vu16, vi16) X(vi8, vi8) X(vu8, vi8)
#undef X
#define X(T, V, N) LITZ_FN V select(vmask c, V a, V b) { return V{litz_mask_lo(c) ? a.lo : b.lo, litz_mask_hi(c) ? a.hi : b.hi}; }
LITZ_PAIR_TYPES(X)
#undef X
LITZ_FN vmask select(vmask c, vmask a, vmask b) { return vmask{(c.m & a.m) | (~c.m & b.m)}; }

LITZ_FN bool any(bool a) { return a; }
LITZ_FN bool all(bool a) { return a; }
LITZ_FN bool any(vmask a) {
#if LITZ_VECTOR_BYTES == 64
    return __builtin_ia32_cmpd512_mask(a.m, (vi32){}, 4, (u16)-1) != 0;
#else
    union { vi32 v; u64 w[LITZ_HALF_LANES]; } u;
    u.v = a.m;
    u64 r = 0;
    for (int i = 0; i < LITZ_HALF_LANES; i++) r |= u.w[i];
    return r != 0;
#endif
}
LITZ_FN bool all(vmask a) { return !any(mask_not(a)); }

// ---- casts ------------------------------------------------------------------------------------------------------------
LITZ_FN i32 to_i32(bool x) { return x; }
LITZ_FN vi32 to_i32(vmask x) { return x.m & 1; }
#define X(T, U) LITZ_FN i32 to_i32(T x) { return (i32)x; }
LITZ_SCALAR_INTS(X)
#undef X
// Out of range, cvttss2si gives the smallest integer; the builtins below promise it where a C cast would be undefined.
LITZ_FN i32 to_i32(f32 x) { i32 r; __asm__("cvttss2si %1,%0" : "=r"(r) : "x"(x)); return r; }
LITZ_FN i32 to_i32(f64 x) { i32 r; __asm__("cvttsd2si %1,%0" : "=r"(r) : "x"(x)); return r; }
LITZ_FN vi32 to_i32(vi32 x) { return x; }
LITZ_FN vi32 to_i32(vu32 x) { return (vi32)x; }
// GCC takes a vector of bytes apart to widen it, and one of 16 bits into halves.
#if defined(__clang__) || LITZ_VECTOR_BYTES == 16
#define LITZ_WIDEN(V, from, sign) LITZ_FN vi32 to_i32(V x) { return LITZ_CONVERT(x, vi32); }
#elif LITZ_VECTOR_BYTES == 64
#define LITZ_WIDEN(V, from, sign) LITZ_FN vi32 to_i32(V x) { return (vi32)__builtin_ia32_pmov##sign##x##from##d512_mask((litz_##from)x, vi32{}, (u16)-1); }
#else
#define LITZ_WIDEN(V, from, sign) LITZ_FN vi32 to_i32(V x) { return (vi32)__builtin_ia32_pmov##sign##x##from##d256(litz_full_##from(x)); }
#endif
typedef char litz_b __attribute__((vector_size(16)));
typedef i16 litz_w __attribute__((vector_size(LITZ_VECTOR_BYTES / 2)));
template <class V> LITZ_FN litz_b litz_full_b(V x) { return (litz_b)(i64 __attribute__((vector_size(16)))){LITZ_BITS(i64, x), 0}; }
template <class V> LITZ_FN litz_w litz_full_w(V x) { return (litz_w)x; }
LITZ_WIDEN(vi16, w, s)
LITZ_WIDEN(vu16, w, z)
LITZ_WIDEN(vi8, b, s)
LITZ_WIDEN(vu8, b, z)
LITZ_FN vi32 to_i32(vi64 x) { return LITZ_JOIN(vi32, LITZ_CONVERT(x.lo, hi32), LITZ_CONVERT(x.hi, hi32)); }
LITZ_FN vi32 to_i32(vu64 x) { return to_i32(litz_i(x)); }
LITZ_FN vi32 to_i32(vf32 x) {
    vi32 r;
#if LITZ_VECTOR_BYTES >= 32
    __asm__("vcvttps2dq %1,%0" : "=v"(r) : "v"(x));
#else
    __asm__("cvttps2dq %1,%0" : "=x"(r) : "x"(x));
#endif
    return r;
}
LITZ_FN vi32 to_i32(vf64 x) {
#if LITZ_VECTOR_BYTES >= 32
    hi32 a, b;
    __asm__("vcvttpd2dq %1,%0" : "=v"(a) : "v"(x.lo));
    __asm__("vcvttpd2dq %1,%0" : "=v"(b) : "v"(x.hi));
    return LITZ_JOIN(vi32, a, b);
#else
    return (vi32){to_i32(x.lo[0]), to_i32(x.lo[1]), to_i32(x.hi[0]), to_i32(x.hi[1])};
#endif
}

LITZ_FN i64 to_i64(bool x) { return x; }
LITZ_FN vi64 to_i64(vi32 x) { return vi64{LITZ_CONVERT(LITZ_LOW(hi32, x), ni64), LITZ_CONVERT(LITZ_HIGH(hi32, x), ni64)}; }
LITZ_FN vi64 to_i64(vmask x) { return to_i64(x.m & 1); }
LITZ_FN vi64 to_i64(vu32 x) { return vi64{LITZ_CONVERT(LITZ_LOW(hu32, x), ni64), LITZ_CONVERT(LITZ_HIGH(hu32, x), ni64)}; }
#define X(T, U) LITZ_FN i64 to_i64(T x) { return (i64)x; }
LITZ_SCALAR_INTS(X)
#undef X
LITZ_FN i64 to_i64(f32 x) { i64 r; __asm__("cvttss2si %1,%0" : "=r"(r) : "x"(x)); return r; }
LITZ_FN i64 to_i64(f64 x) { i64 r; __asm__("cvttsd2si %1,%0" : "=r"(r) : "x"(x)); return r; }
#define X(V) LITZ_FN vi64 to_i64(V x) { return to_i64(to_i32(x)); }
X(vi16) X(vu16) X(vi8) X(vu8)
#undef X
LITZ_FN vi64 to_i64(vi64 x) { return x; }
LITZ_FN vi64 to_i64(vu64 x) { return litz_i(x); }
LITZ_FN vi64 to_i64(vf64 x) {
    vi64 r;
#if LITZ_VECTOR_BYTES == 64
    __asm__("vcvttpd2qq %1,%0" : "=v"(r.lo) : "v"(x.lo));
    __asm__("vcvttpd2qq %1,%0" : "=v"(r.hi) : "v"(x.hi));
#else
    for (int i = 0; i < LITZ_HALF_LANES; i++) { r.lo[i] = to_i64(x.lo[i]); r.hi[i] = to_i64(x.hi[i]); }
#endif
    return r;
}
LITZ_FN vf64 to_f64(vf32 x) { return vf64{LITZ_CONVERT(LITZ_LOW(hf32, x), nf64), LITZ_CONVERT(LITZ_HIGH(hf32, x), nf64)}; }
LITZ_FN vi64 to_i64(vf32 x) { return to_i64(to_f64(x)); }

// The low four bits less a constant: where a vector has 16 lanes, a number of a table, whose places are those bits.
LITZ_FN f32 litz_nibble(i32 x, f32 less) { return (f32)(x & 15) - less; }
LITZ_FN vf32 litz_nibble(vi32 x, f32 less) {
#if LITZ_LANES == 16 && defined(__clang__)
    return __builtin_ia32_permvarsf512(LITZ_CONVERT(lane_index32(), vf32) - splat(less), x);
#elif LITZ_LANES == 16
    return (vf32)__builtin_ia32_permvarsf512_mask(LITZ_CONVERT(lane_index32(), vf32) - splat(less), x, vf32{}, (u16)-1);
#else
    return LITZ_CONVERT(x & 15, vf32) - splat(less);
#endif
}

// Floats to unsigned: the signed conversion, with the upper half of the range shifted down and its top bit put back.
#define LITZ_TO_UNSIGNED(F, VF) \
    LITZ_FN u32 to_u32(F x) { return x >= (F)2147483648.0 ? (u32)to_i32(x - (F)2147483648.0) ^ 0x80000000u : (u32)to_i32(x); } \
    LITZ_FN u64 to_u64(F x) { return x >= (F)9223372036854775808.0 ? (u64)to_i64(x - (F)9223372036854775808.0) ^ ((u64)1 << 63) : (u64)to_i64(x); } \
    LITZ_FN vu32 to_u32(VF x) { \
        vmask big = ge(x, splat((F)2147483648.0)); \
        VF low = select(big, x - splat((F)2147483648.0), x); \
        return (vu32)(to_i32(low) ^ (big.m & (i32)0x80000000u)); \
    } \
    LITZ_FN vu64 to_u64(VF x) { \
        vmask big = ge(x, splat((F)9223372036854775808.0)); \
        vu64 low = litz_u(to_i64(select(big, x - splat((F)9223372036854775808.0), x))); \
        return vu64{low.lo ^ ((nu64)litz_mask_lo(big) << 63), low.hi ^ ((nu64)litz_mask_hi(big) << 63)}; \
    }
LITZ_TO_UNSIGNED(f32, vf32)
LITZ_TO_UNSIGNED(f64, vf64)
LITZ_FN u32 to_u32(bool x) { return x; }
LITZ_FN u64 to_u64(bool x) { return x; }
#define X(T, U) LITZ_FN u32 to_u32(T x) { return (u32)x; } LITZ_FN u64 to_u64(T x) { return (u64)x; }
LITZ_SCALAR_INTS(X)
#undef X
#define X(V) LITZ_FN vu32 to_u32(V x) { return (vu32)to_i32(x); } LITZ_FN vu64 to_u64(V x) { return litz_u(to_i64(x)); }
X(vmask) X(vi8) X(vu8) X(vi16) X(vu16) X(vi32) X(vu32) X(vi64) X(vu64)
#undef X

// The narrow integers go through i32: wrapping for integers, cvttss2si then wrapping for floats.
#define LITZ_TO_NARROW(name, T, V) \
    LITZ_FN T name(bool x) { return (T)x; } LITZ_FN T name(f32 x) { return (T)to_i32(x); } LITZ_FN T name(f64 x) { return (T)to_i32(x); } \
    LITZ_FN T name(i8 x) { return (T)x; } LITZ_FN T name(u8 x) { return (T)x; } LITZ_FN T name(i16 x) { return (T)x; } LITZ_FN T name(u16 x) { return (T)x; } \
    LITZ_FN T name(i32 x) { return (T)x; } LITZ_FN T name(u32 x) { return (T)x; } LITZ_FN T name(i64 x) { return (T)x; } LITZ_FN T name(u64 x) { return (T)x; } \
    LITZ_FN V name(vi8 x) { return LITZ_CONVERT(x, V); } LITZ_FN V name(vu8 x) { return LITZ_CONVERT(x, V); } \
    LITZ_FN V name(vi16 x) { return LITZ_CONVERT(x, V); } LITZ_FN V name(vu16 x) { return LITZ_CONVERT(x, V); } \
    LITZ_FN V name(vi32 x) { return LITZ_CONVERT(x, V); } LITZ_FN V name(vu32 x) { return LITZ_CONVERT((vi32)x, V); } \
    LITZ_FN V name(vi64 x) { return LITZ_CONVERT(to_i32(x), V); } LITZ_FN V name(vu64 x) { return LITZ_CONVERT(to_i32(x), V); } \
    LITZ_FN V name(vf32 x) { return LITZ_CONVERT(to_i32(x), V); } LITZ_FN V name(vf64 x) { return LITZ_CONVERT(to_i32(x), V); } \
    LITZ_FN V name(vmask x) { return LITZ_CONVERT(x.m & 1, V); }
LITZ_TO_NARROW(to_i8, i8, vi8)
LITZ_TO_NARROW(to_u8, u8, vu8)
LITZ_TO_NARROW(to_i16, i16, vi16)
LITZ_TO_NARROW(to_u16, u16, vu16)

LITZ_FN f32 to_f32(bool x) { return x; }
LITZ_FN f64 to_f64(bool x) { return x; }
#define X(T, U) LITZ_FN f32 to_f32(T x) { return (f32)x; } LITZ_FN f64 to_f64(T x) { return (f64)x; }
LITZ_SCALAR_INTS(X) X(f32, u32) X(f64, u64)
#undef X
LITZ_FN vf32 to_f32(vf32 x) { return x; }
LITZ_FN vf32 to_f32(vi32 x) { return LITZ_CONVERT(x, vf32); }
LITZ_FN vf32 to_f32(vu32 x) { return LITZ_CONVERT(x, vf32); }
LITZ_FN vf32 to_f32(vmask x) { return LITZ_BITS(vf32, x.m & 0x3f800000); }
#define X(T, V, N) LITZ_FN vf32 to_f32(V x) { return LITZ_JOIN(vf32, LITZ_CONVERT(x.lo, hf32), LITZ_CONVERT(x.hi, hf32)); }
LITZ_PAIR_TYPES(X)
#undef X
LITZ_FN vf64 to_f64(vf64 x) { return x; }
LITZ_FN vf64 to_f64(vi64 x) { return vf64{LITZ_CONVERT(x.lo, nf64), LITZ_CONVERT(x.hi, nf64)}; }
LITZ_FN vf64 to_f64(vu64 x) { return vf64{LITZ_CONVERT(x.lo, nf64), LITZ_CONVERT(x.hi, nf64)}; }
LITZ_FN vf64 to_f64(vi32 x) { return vf64{LITZ_CONVERT(LITZ_LOW(hi32, x), nf64), LITZ_CONVERT(LITZ_HIGH(hi32, x), nf64)}; }
LITZ_FN vf64 to_f64(vu32 x) { return to_f64(to_i64(x)); }
LITZ_FN vf64 to_f64(vmask x) { return to_f64(x.m & 1); }
#define X(V) LITZ_FN vf32 to_f32(V x) { return to_f32(to_i32(x)); } LITZ_FN vf64 to_f64(V x) { return to_f64(to_i32(x)); }
X(vi16) X(vu16) X(vi8) X(vu8)
#undef X
LITZ_FN bool to_bool(bool x) { return x; }
LITZ_FN vmask to_bool(vmask x) { return x; }
#define X(T, V) LITZ_FN bool to_bool(T x) { return x != 0; } LITZ_FN vmask to_bool(V x) { return ne(x, splat((T)0)); }
LITZ_SINGLE_TYPES(X) X(f64, vf64) X(i64, vi64) X(u64, vu64)
#undef X

// ---- half and bfloat --------------------------------------------------------------------------------------------------
LITZ_FN vf32 litz_from_bfloat(vu16 x) { return LITZ_BITS(vf32, to_i32(x) << 16); }
LITZ_FN f32 litz_from_bfloat(u16 x) { return LITZ_BITS(f32, (u32)x << 16); }
LITZ_FN vu16 litz_to_bfloat(vf32 x) {
    vu32 b = LITZ_BITS(vu32, x);
    vu32 r = (b + (0x7fffu + ((b >> 16) & 1u))) >> 16;
    return LITZ_CONVERT(x == x ? r : splat((u32)0x7fc0), vu16);
}
LITZ_FN u16 litz_to_bfloat(f32 x) {
    u32 b = LITZ_BITS(u32, x);
    return x == x ? (u16)((b + (0x7fffu + ((b >> 16) & 1u))) >> 16) : (u16)0x7fc0;
}
#if defined(__F16C__) || defined(__AVX512F__)
LITZ_FN vf32 litz_from_half(vu16 x) { vf32 r; __asm__("vcvtph2ps %1,%0" : "=v"(r) : "v"(x)); return r; }
LITZ_FN vu16 litz_to_half(vf32 x) { vu16 r; __asm__("vcvtps2ph $0,%1,%0" : "=v"(r) : "v"(x)); return r; }
LITZ_FN f32 litz_from_half(u16 x) { return litz_from_half((vu16){x})[0]; }
LITZ_FN u16 litz_to_half(f32 x) { return litz_to_half((vf32){x})[0]; }
#else
// Exponent and mantissa shifted into place and rebiased by an exact multiplication, which also normalises denormals.
LITZ_FN vf32 litz_from_half(vu16 h) {
    vu32 x = LITZ_CONVERT(h, vu32);
    vf32 r = LITZ_BITS(vf32, (x & 0x7fffu) << 13) * splat(0x1p112f);
    vu32 special = LITZ_BITS(vu32, r) | 0x7f800000u;
    vu32 b = (x & 0x7fffu) >= 0x7c00u ? special : LITZ_BITS(vu32, r);
    return LITZ_BITS(vf32, b | ((x & 0x8000u) << 16));
}
// Normal results: rounded by adding half an ulp to the bits; denormal ones: by adding 0.5, whose ulp is theirs.
LITZ_FN vu16 litz_to_half(vf32 f) {
    vu32 x = LITZ_BITS(vu32, f), sign = (x >> 16) & 0x8000u, a = x & 0x7fffffffu;
    vu32 normal = (a - (112u << 23) + (0xfffu + ((a >> 13) & 1u))) >> 13;
    vu32 small = LITZ_BITS(vu32, LITZ_BITS(vf32, a) + 0.5f) - 0x3f000000u;
    vu32 r = a < (113u << 23) ? small : normal;
    r = a >= 0x477ff000u ? splat((u32)0x7c00) : r;
    r = a > 0x7f800000u ? splat((u32)0x7e00) : r;
    return LITZ_CONVERT(r | sign, vu16);
}
LITZ_FN f32 litz_from_half(u16 x) { return litz_from_half((vu16){x})[0]; }
LITZ_FN u16 litz_to_half(f32 x) { return litz_to_half((vf32){x})[0]; }
#endif
LITZ_FN f32 round_half(f32 x) { return litz_from_half(litz_to_half(x)); }
LITZ_FN vf32 round_half(vf32 x) { return litz_from_half(litz_to_half(x)); }
LITZ_FN f32 round_bfloat(f32 x) { return litz_from_bfloat(litz_to_bfloat(x)); }
LITZ_FN vf32 round_bfloat(vf32 x) { return litz_from_bfloat(litz_to_bfloat(x)); }
LITZ_FN f32 litz_half_of(i16 x) { return litz_from_half((u16)x); }
LITZ_FN vf32 litz_half_of(vi16 x) { return litz_from_half((vu16)x); }
LITZ_FN f32 litz_bfloat_of(i16 x) { return litz_from_bfloat((u16)x); }
LITZ_FN vf32 litz_bfloat_of(vi16 x) { return litz_from_bfloat((vu16)x); }
LITZ_FN i16 litz_bits_of_half(f32 x) { return (i16)litz_to_half(x); }
LITZ_FN vi16 litz_bits_of_half(vf32 x) { return (vi16)litz_to_half(x); }
LITZ_FN i16 litz_bits_of_bfloat(f32 x) { return (i16)litz_to_bfloat(x); }
LITZ_FN vi16 litz_bits_of_bfloat(vf32 x) { return (vi16)litz_to_bfloat(x); }

// ---- memory -----------------------------------------------------------------------------------------------------------
// The tail forms touch only the first n elements: masked instructions where the ISA has them, else a copy of n elements.
#define LITZ_UNALIGNED(V) typedef V V##_unaligned __attribute__((aligned(1), may_alias));
LITZ_UNALIGNED(vf32) LITZ_UNALIGNED(vi32) LITZ_UNALIGNED(vu32) LITZ_UNALIGNED(vi16) LITZ_UNALIGNED(vu16) LITZ_UNALIGNED(vi8)
LITZ_UNALIGNED(vu8) LITZ_UNALIGNED(nf64) LITZ_UNALIGNED(ni64) LITZ_UNALIGNED(nu64)
#define X(T, V) \
    LITZ_FN T load_scalar(const T *p) { return *p; } LITZ_FN void store(T *p, T v) { *p = v; } \
    LITZ_FN V load(const T *p) { return *(const V##_unaligned *)p; } LITZ_FN void store(T *p, V v) { *(V##_unaligned *)p = v; }
LITZ_SINGLE_TYPES(X)
#undef X
#define X(T, V, N) \
    LITZ_FN T load_scalar(const T *p) { return *p; } LITZ_FN void store(T *p, T v) { *p = v; } \
    LITZ_FN V load(const T *p) { return V{*(const N##_unaligned *)p, *(const N##_unaligned *)(p + LITZ_HALF_LANES)}; } \
    LITZ_FN void store(T *p, V v) { *(N##_unaligned *)p = v.lo; *(N##_unaligned *)(p + LITZ_HALF_LANES) = v.hi; }
LITZ_PAIR_TYPES(X)
#undef X

#if LITZ_VECTOR_BYTES == 64
LITZ_FN u32 litz_tail_bits(i64 n) { return ((u32)1 << n) - 1; }
#define LITZ_TAIL(T, V, M, insn) \
    LITZ_FN V load_tail(const T *p, i64 n) { \
        V r; \
        __asm__(insn " %1,%0%{%2%}%{z%}" : "=v"(r) : "m"(*(const V##_unaligned *)p), "Yk"((M)litz_tail_bits(n))); \
        return r; \
    } \
    LITZ_FN void store_tail(T *p, V v, i64 n) { \
        __asm__(insn " %1,%0%{%2%}" : "+m"(*(V##_unaligned *)p) : "v"(v), "Yk"((M)litz_tail_bits(n))); \
    }
LITZ_TAIL(f32, vf32, u16, "vmovups")
LITZ_TAIL(i32, vi32, u16, "vmovdqu32")
LITZ_TAIL(u32, vu32, u16, "vmovdqu32")
LITZ_TAIL(i16, vi16, u16, "vmovdqu16")
LITZ_TAIL(u16, vu16, u16, "vmovdqu16")
LITZ_TAIL(i8, vi8, u16, "vmovdqu8")
LITZ_TAIL(u8, vu8, u16, "vmovdqu8")
#define X(T, V, N) \
    LITZ_FN V load_tail(const T *p, i64 n) { \
        V r; \
        u32 k = litz_tail_bits(n); \
        __asm__("vmovupd %1,%0%{%2%}%{z%}" : "=v"(r.lo) : "m"(*(const N##_unaligned *)p), "Yk"((u8)k)); \
        __asm__("vmovupd %1,%0%{%2%}%{z%}" : "=v"(r.hi) : "m"(*(const N##_unaligned *)(p + 8)), "Yk"((u8)(k >> 8))); \
        return r; \
    } \
    LITZ_FN void store_tail(T *p, V v, i64 n) { \
        u32 k = litz_tail_bits(n); \
        __asm__("vmovupd %1,%0%{%2%}" : "+m"(*(N##_unaligned *)p) : "v"(v.lo), "Yk"((u8)k)); \
        __asm__("vmovupd %1,%0%{%2%}" : "+m"(*(N##_unaligned *)(p + 8)) : "v"(v.hi), "Yk"((u8)(k >> 8))); \
    }
LITZ_PAIR_TYPES(X)
#undef X
#else
#define LITZ_TAIL_COPY(T, V) \
    LITZ_FN V load_tail(const T *p, i64 n) { \
        V r = {}; \
        __builtin_memcpy(&r, p, (u64)n * sizeof(T)); \
        return r; \
    } \
    LITZ_FN void store_tail(T *p, V v, i64 n) { __builtin_memcpy(p, &v, (u64)n * sizeof(T)); }
LITZ_TAIL_COPY(i16, vi16) LITZ_TAIL_COPY(u16, vu16) LITZ_TAIL_COPY(i8, vi8) LITZ_TAIL_COPY(u8, vu8)
#if LITZ_VECTOR_BYTES == 32
#define LITZ_TAIL(T, V) \
    LITZ_FN V load_tail(const T *p, i64 n) { \
        V r; \
        __asm__("vmaskmovps %1,%2,%0" : "=x"(r) : "m"(*(const V##_unaligned *)p), "x"(tail_mask(n).m)); \
        return r; \
    } \
    LITZ_FN void store_tail(T *p, V v, i64 n) { __asm__("vmaskmovps %1,%2,%0" : "+m"(*(V##_unaligned *)p) : "x"(v), "x"(tail_mask(n).m)); }
#define X(T, V, N) \
    LITZ_FN V load_tail(const T *p, i64 n) { \
        V r; \
        __asm__("vmaskmovpd %1,%2,%0" : "=x"(r.lo) : "m"(*(const N##_unaligned *)p), "x"(litz_mask_lo(tail_mask(n)))); \
        __asm__("vmaskmovpd %1,%2,%0" : "=x"(r.hi) : "m"(*(const N##_unaligned *)(p + 4)), "x"(litz_mask_hi(tail_mask(n)))); \
        return r; \
    } \
    LITZ_FN void store_tail(T *p, V v, i64 n) { \
        __asm__("vmaskmovpd %1,%2,%0" : "+m"(*(N##_unaligned *)p) : "x"(v.lo), "x"(litz_mask_lo(tail_mask(n)))); \
        __asm__("vmaskmovpd %1,%2,%0" : "+m"(*(N##_unaligned *)(p + 4)) : "x"(v.hi), "x"(litz_mask_hi(tail_mask(n)))); \
    }
LITZ_TAIL(f32, vf32) LITZ_TAIL(i32, vi32) LITZ_TAIL(u32, vu32) LITZ_PAIR_TYPES(X)
#undef X
#else
LITZ_TAIL_COPY(f32, vf32) LITZ_TAIL_COPY(i32, vi32) LITZ_TAIL_COPY(u32, vu32)
LITZ_TAIL_COPY(f64, vf64) LITZ_TAIL_COPY(i64, vi64) LITZ_TAIL_COPY(u64, vu64)
#endif
#endif

LITZ_FN f32 load_scalar(const half *p) { return litz_from_half(p->bits); }
LITZ_FN f32 load_scalar(const bfloat *p) { return litz_from_bfloat(p->bits); }
LITZ_FN bool load_scalar(const boolean *p) { return p->byte != 0; }
LITZ_FN vf32 load(const half *p) { return litz_from_half(load((const u16 *)p)); }
LITZ_FN vf32 load(const bfloat *p) { return litz_from_bfloat(load((const u16 *)p)); }
LITZ_FN vmask load(const boolean *p) { return to_bool(load((const u8 *)p)); }
LITZ_FN vf32 load_tail(const half *p, i64 n) { return litz_from_half(load_tail((const u16 *)p, n)); }
LITZ_FN vf32 load_tail(const bfloat *p, i64 n) { return litz_from_bfloat(load_tail((const u16 *)p, n)); }
LITZ_FN vmask load_tail(const boolean *p, i64 n) { return to_bool(load_tail((const u8 *)p, n)); }
LITZ_FN void store(half *p, f32 v) { p->bits = litz_to_half(v); }
LITZ_FN void store(bfloat *p, f32 v) { p->bits = litz_to_bfloat(v); }
LITZ_FN void store(boolean *p, bool v) { p->byte = v; }
LITZ_FN void store(half *p, vf32 v) { store((u16 *)p, litz_to_half(v)); }
LITZ_FN void store(bfloat *p, vf32 v) { store((u16 *)p, litz_to_bfloat(v)); }
LITZ_FN void store(boolean *p, vmask v) { store((u8 *)p, to_u8(v)); }
LITZ_FN void store_tail(half *p, vf32 v, i64 n) { store_tail((u16 *)p, litz_to_half(v), n); }
LITZ_FN void store_tail(bfloat *p, vf32 v, i64 n) { store_tail((u16 *)p, litz_to_bfloat(v), n); }
LITZ_FN void store_tail(boolean *p, vmask v, i64 n) { store_tail((u8 *)p, to_u8(v), n); }

// Lane loops, through an array in memory.
#define LITZ_LANE_ARRAY(T, V) LITZ_FN V litz_from_lanes(const T *e) { return load(e); } LITZ_FN void litz_to_lanes(T *e, V v) { store(e, v); }
LITZ_SINGLE_TYPES(LITZ_LANE_ARRAY) LITZ_LANE_ARRAY(f64, vf64) LITZ_LANE_ARRAY(i64, vi64) LITZ_LANE_ARRAY(u64, vu64)
LITZ_FN vmask litz_from_lanes(const bool *e) { return load((const boolean *)e); }
LITZ_FN void litz_to_lanes(bool *e, vmask v) { store((boolean *)e, v); }
template <class S> LITZ_MATH typename litz_stored<S>::vector load_strided(const S *p, i64 stride, i64 n = LITZ_LANES) {
    typename litz_stored<S>::scalar e[LITZ_LANES] = {};
    for (i64 i = 0; i < n; i++) e[i] = load_scalar(p + i * stride);
    return litz_from_lanes(e);
}
// Every second element: two loads of neighbours. The second begins one element early, so that it ends with the last that is wanted.
#define X(T, V) \
    LITZ_FN V load_strided(const T *p, i64 stride, i64 n = LITZ_LANES) { \
        if (!__builtin_constant_p(stride) || stride != 2) return load_strided<T>(p, stride, n); \
        const T *const q = p + LITZ_LANES - 1; \
        if (__builtin_constant_p(n) && n == LITZ_LANES) return LITZ_DEINTERLEAVE(load(p), load(q)); \
        const i64 m = 2 * n - 1, low = m < LITZ_LANES ? m : LITZ_LANES, high = m < LITZ_LANES ? 0 : m + 1 - LITZ_LANES; \
        return LITZ_DEINTERLEAVE(load_tail(p, low), load_tail(q, high)); \
    }
X(f32, vf32) X(i32, vi32) X(u32, vu32)
#undef X
template <class S> LITZ_MATH typename litz_stored<S>::vector load_gather(const S *p, vi64 index, vmask m) {
    typename litz_stored<S>::scalar e[LITZ_LANES] = {};
    for (int i = 0; i < LITZ_LANES; i++) if (m.m[i]) e[i] = load_scalar(p + index[i]);
    return litz_from_lanes(e);
}
#if LITZ_VECTOR_BYTES == 64
// The machine's own gathers, eight lanes each, which leave what is off as it was.
LITZ_FN u16 litz_mask_bits(vmask m) { return __builtin_ia32_cmpd512_mask(m.m, (vi32){}, 4, (u16)-1); }
#define LITZ_GATHER(T, R, insn, scale) \
    LITZ_FN R litz_gather_part(const T *p, ni64 index, u16 on, R r) { \
        __asm__(insn " (%2,%3," scale "),%0%{%1%}" : "+&v"(r), "+&Yk"(on) : "r"(p), "v"(index), "m"(*(const T(*)[1 << 20])p)); \
        return r; \
    }
LITZ_GATHER(f32, hf32, "vgatherqps", "4") LITZ_GATHER(i32, hi32, "vpgatherqd", "4") LITZ_GATHER(u32, hu32, "vpgatherqd", "4")
LITZ_GATHER(f64, nf64, "vgatherqpd", "8") LITZ_GATHER(i64, ni64, "vpgatherqq", "8") LITZ_GATHER(u64, nu64, "vpgatherqq", "8")
#define X(T, V, H) \
    LITZ_FN V load_gather(const T *p, vi64 index, vmask m) { \
        const u16 on = litz_mask_bits(m); \
        const H low = litz_gather_part(p, index.lo, on, (H){}), high = litz_gather_part(p, index.hi, (u16)(on >> 8), (H){}); \
        return LITZ_JOIN(V, low, high); \
    }
X(f32, vf32, hf32) X(i32, vi32, hi32) X(u32, vu32, hu32)
#undef X
#define X(T, V, N) \
    LITZ_FN V load_gather(const T *p, vi64 index, vmask m) { \
        const u16 on = litz_mask_bits(m); \
        return V{litz_gather_part(p, index.lo, on, (N){}), litz_gather_part(p, index.hi, (u16)(on >> 8), (N){})}; \
    }
LITZ_PAIR_TYPES(X)
#undef X
#endif
// Lanes that are on of neighbours in memory; what is off is not touched.
template <class S> LITZ_FN typename litz_stored<S>::vector load_where(const S *p, vmask m) {
    if (all(m)) return load(p);
    return load_gather(p, lane_index(), m);
}
#if LITZ_VECTOR_BYTES == 64
LITZ_FN vf32 load_where(const f32 *p, vmask m) { return (vf32)__builtin_ia32_loadups512_mask(p, (vf32){}, litz_mask_bits(m)); }
LITZ_FN vi32 load_where(const i32 *p, vmask m) { return (vi32)__builtin_ia32_loaddqusi512_mask(p, (vi32){}, litz_mask_bits(m)); }
#elif LITZ_VECTOR_BYTES == 32
LITZ_FN vf32 load_where(const f32 *p, vmask m) {
    vf32 r;
    __asm__("vmaskmovps %1,%2,%0" : "=x"(r) : "m"(*(const vf32_unaligned *)p), "x"(m.m));
    return r;
}
#endif
template <class S> LITZ_MATH void store_strided(S *p, typename litz_stored<S>::vector v, i64 stride, i64 n = LITZ_LANES) {
    typename litz_stored<S>::scalar e[LITZ_LANES];
    litz_to_lanes(e, v);
    for (i64 i = 0; i < n; i++) store(p + i * stride, e[i]);
}
template <class S> LITZ_MATH void store_scatter(S *p, vi64 index, typename litz_stored<S>::vector v, vmask m) {
    typename litz_stored<S>::scalar e[LITZ_LANES];
    litz_to_lanes(e, v);
    for (int i = 0; i < LITZ_LANES; i++) if (m.m[i]) store(p + index[i], e[i]);
}

// Quotient and rest of lanes from 0 to 2^48 by one divisor above 0: a + 1/2 is further from a multiple of it than float64 is wrong.
LITZ_FN ni64 litz_quotient_part(ni64 a, f64 inverse) {
    const nf64 big = (nf64){} + 0x1p52, x = (nf64)(a | (ni64)big) - big, middle = (nf64){} + 0x1.8p52;
    return (ni64)(((x + 0.5) * inverse - 0.5) + middle) - (ni64)middle;
}
LITZ_FN vi64 litz_quotient_by(vi64 a, i64 divisor) {
    if ((divisor & (divisor - 1)) == 0) return vi64{a.lo >> litz_log2(divisor), a.hi >> litz_log2(divisor)};
    return vi64{litz_quotient_part(a.lo, 1.0 / (f64)divisor), litz_quotient_part(a.hi, 1.0 / (f64)divisor)};
}
LITZ_FN vi64 litz_rest_by(vi64 a, i64 divisor) {
    if ((divisor & (divisor - 1)) == 0) return vi64{a.lo & (divisor - 1), a.hi & (divisor - 1)};
    const vi64 q = litz_quotient_by(a, divisor);
    return vi64{a.lo - q.lo * divisor, a.hi - q.hi * divisor};
}

// A function of vectors as a loop over lanes of the scalar function of the same name.
#define LITZ_LANEWISE1(name, T, V) \
    LITZ_MATH V name(V a) { \
        T x[LITZ_LANES]; \
        litz_to_lanes(x, a); \
        for (int i = 0; i < LITZ_LANES; i++) x[i] = name(x[i]); \
        return litz_from_lanes(x); \
    }
#define LITZ_LANEWISE2(name, T, V) \
    LITZ_MATH V name(V a, V b) { \
        T x[LITZ_LANES], y[LITZ_LANES]; \
        litz_to_lanes(x, a); \
        litz_to_lanes(y, b); \
        for (int i = 0; i < LITZ_LANES; i++) x[i] = name(x[i], y[i]); \
        return litz_from_lanes(x); \
    }

// ---- arithmetic -------------------------------------------------------------------------------------------------------
// Signed integers wrap, so they are computed unsigned.
template <class T> LITZ_FN bool litz_negative(T x) { return litz_int<T>::is_signed && x >> (litz_int<T>::bits - 1) != 0; }
template <class T> LITZ_FN typename litz_int<T>::self add(T a, T b) { return (T)((u64)a + (u64)b); }
template <class T> LITZ_FN typename litz_int<T>::self sub(T a, T b) { return (T)((u64)a - (u64)b); }
template <class T> LITZ_FN typename litz_int<T>::self mul(T a, T b) { return (T)((u64)a * (u64)b); }
template <class T> LITZ_FN typename litz_int<T>::self neg(T a) { return (T)(0 - (u64)a); }
template <class T> LITZ_FN typename litz_int<T>::self bit_and(T a, T b) { return (T)(a & b); }
template <class T> LITZ_FN typename litz_int<T>::self bit_or(T a, T b) { return (T)(a | b); }
template <class T> LITZ_FN typename litz_int<T>::self bit_xor(T a, T b) { return (T)(a ^ b); }
template <class T> LITZ_FN typename litz_int<T>::self bit_not(T a) { return (T)~a; }
template <class T> LITZ_FN typename litz_int<T>::self shl(T a, T b) { return (u64)b < litz_int<T>::bits ? (T)((u64)a << b) : (T)0; }
template <class T> LITZ_FN typename litz_int<T>::self shr(T a, T b) { return (u64)b < litz_int<T>::bits ? (T)(a >> b) : (T)(litz_negative(a) ? -1 : 0); }
template <class T> LITZ_FN typename litz_int<T>::self l_minimum(T a, T b) { return a < b ? a : b; }
template <class T> LITZ_FN typename litz_int<T>::self l_maximum(T a, T b) { return a > b ? a : b; }
template <class T> LITZ_FN typename litz_int<T>::self l_abs(T a) { return litz_negative(a) ? neg(a) : a; }
template <class T> LITZ_FN typename litz_int<T>::self l_sign(T a) { return litz_negative(a) ? (T)-1 : (T)(a != 0); }
template <class T> LITZ_FN typename litz_int<T>::self l_trunc_divide(T a, T b) { return b == 0 ? (T)0 : litz_int<T>::is_signed && b == (T)-1 ? neg(a) : (T)(a / b); }
template <class T> LITZ_FN typename litz_int<T>::self l_fmod(T a, T b) { return b == 0 || (litz_int<T>::is_signed && b == (T)-1) ? (T)0 : (T)(a % b); }
template <class T> LITZ_FN typename litz_int<T>::self l_remainder(T a, T b) { T r = l_fmod(a, b); return r != 0 && litz_negative(r) != litz_negative(b) ? (T)(r + b) : r; }
template <class T> LITZ_FN typename litz_int<T>::self l_floor_divide(T a, T b) { T r = l_fmod(a, b); return (T)(l_trunc_divide(a, b) - (r != 0 && litz_negative(r) != litz_negative(b))); }

#define LITZ_VINT template <class V> LITZ_FN typename litz_vint<V>::self
#define LITZ_VU typename litz_vint<V>::wrap
#define LITZ_VT typename litz_vint<V>::lane
LITZ_VINT add(V a, V b) { return (V)((LITZ_VU)a + (LITZ_VU)b); }
LITZ_VINT sub(V a, V b) { return (V)((LITZ_VU)a - (LITZ_VU)b); }
LITZ_VINT mul(V a, V b) { return (V)((LITZ_VU)a * (LITZ_VU)b); }
LITZ_VINT neg(V a) { return (V)(LITZ_VU{} - (LITZ_VU)a); }
LITZ_VINT bit_and(V a, V b) { return a & b; }
LITZ_VINT bit_or(V a, V b) { return a | b; }
LITZ_VINT bit_xor(V a, V b) { return a ^ b; }
LITZ_VINT bit_not(V a) { return ~a; }
LITZ_VINT l_minimum(V a, V b) { return a < b ? a : b; }
LITZ_VINT l_maximum(V a, V b) { return a > b ? a : b; }
LITZ_VINT l_abs(V a) { return a < V{} ? neg(a) : a; }
LITZ_VINT l_sign(V a) { V one = V{} + (LITZ_VT)1; return (a > V{} ? one : V{}) | (a < V{} ? ~V{} : V{}); }
template <class V> LITZ_FN auto litz_within(V b) { return (LITZ_VU)b < (typename litz_vint<V>::wrap_lane)litz_vint<V>::bits; }
LITZ_VINT shl(V a, V b) { V in = a << (b & (LITZ_VT)(litz_vint<V>::bits - 1)); return litz_within(b) ? in : V{}; }
LITZ_VINT shr(V a, V b) {
    V in = a >> (b & (LITZ_VT)(litz_vint<V>::bits - 1)), out = litz_vint<V>::is_signed ? a >> (LITZ_VT)(litz_vint<V>::bits - 1) : V{};
    return litz_within(b) ? in : out;
}
#define LITZ_BY_HALVES1(name, V) LITZ_FN V name(V a) { return V{name(a.lo), name(a.hi)}; }
#define LITZ_PAIR1(name) template <class V> LITZ_FN typename litz_pair<V>::self name(V a) { return V{name(a.lo), name(a.hi)}; }
#define LITZ_PAIR2(name) template <class V> LITZ_FN typename litz_pair<V>::self name(V a, V b) { return V{name(a.lo, b.lo), name(a.hi, b.hi)}; }
LITZ_PAIR2(add) LITZ_PAIR2(sub) LITZ_PAIR2(mul) LITZ_PAIR1(neg) LITZ_PAIR2(bit_and) LITZ_PAIR2(bit_or) LITZ_PAIR2(bit_xor) LITZ_PAIR1(bit_not)
LITZ_PAIR2(shl) LITZ_PAIR2(shr) LITZ_PAIR2(l_minimum) LITZ_PAIR2(l_maximum) LITZ_PAIR1(l_abs) LITZ_PAIR1(l_sign)
#define LITZ_LANEWISE_INT(name) \
    template <class V> LITZ_MATH typename litz_lanes<V>::integer name(V a, V b) { \
        typename litz_lanes<V>::lane x[LITZ_LANES], y[LITZ_LANES]; \
        litz_to_lanes(x, a); \
        litz_to_lanes(y, b); \
        for (int i = 0; i < LITZ_LANES; i++) x[i] = name(x[i], y[i]); \
        return litz_from_lanes(x); \
    }
LITZ_LANEWISE_INT(l_trunc_divide) LITZ_LANEWISE_INT(l_floor_divide) LITZ_LANEWISE_INT(l_remainder) LITZ_LANEWISE_INT(l_fmod)
LITZ_FN bool bit_and(bool a, bool b) { return a & b; }
LITZ_FN bool bit_or(bool a, bool b) { return a | b; }
LITZ_FN bool bit_xor(bool a, bool b) { return a ^ b; }
LITZ_FN bool bit_not(bool a) { return !a; }
LITZ_FN vmask bit_and(vmask a, vmask b) { return mask_and(a, b); }
LITZ_FN vmask bit_or(vmask a, vmask b) { return mask_or(a, b); }
LITZ_FN vmask bit_xor(vmask a, vmask b) { return mask_xor(a, b); }
LITZ_FN vmask bit_not(vmask a) { return mask_not(a); }
LITZ_FN bool l_minimum(bool a, bool b) { return a & b; }
LITZ_FN bool l_maximum(bool a, bool b) { return a | b; }
LITZ_FN vmask l_minimum(vmask a, vmask b) { return mask_and(a, b); }
LITZ_FN vmask l_maximum(vmask a, vmask b) { return mask_or(a, b); }

#if LITZ_VECTOR_BYTES == 64
#define LITZ_FUSES 1
LITZ_FN vf32 fused(vf32 a, vf32 b, vf32 c) { return (vf32)__builtin_ia32_vfmaddps512_mask(a, b, c, (u16)-1, 4); }
LITZ_FN nf64 fused(nf64 a, nf64 b, nf64 c) { return (nf64)__builtin_ia32_vfmaddpd512_mask(a, b, c, (u8)-1, 4); }
#elif defined(__FMA__) && defined(__clang__) && __clang_major__ >= 19
#define LITZ_FUSES 1
LITZ_FN vf32 fused(vf32 a, vf32 b, vf32 c) { return __builtin_elementwise_fma(a, b, c); }
LITZ_FN nf64 fused(nf64 a, nf64 b, nf64 c) { return __builtin_elementwise_fma(a, b, c); }
#elif defined(__FMA__) && LITZ_VECTOR_BYTES == 32
#define LITZ_FUSES 1
LITZ_FN vf32 fused(vf32 a, vf32 b, vf32 c) { return (vf32)__builtin_ia32_vfmaddps256(a, b, c); }
LITZ_FN nf64 fused(nf64 a, nf64 b, nf64 c) { return (nf64)__builtin_ia32_vfmaddpd256(a, b, c); }
#else
LITZ_FN vf32 fused(vf32 a, vf32 b, vf32 c) { return a * b + c; }
LITZ_FN nf64 fused(nf64 a, nf64 b, nf64 c) { return a * b + c; }
#endif
LITZ_FN vf64 fused(vf64 a, vf64 b, vf64 c) { return vf64{fused(a.lo, b.lo, c.lo), fused(a.hi, b.hi, c.hi)}; }
#ifdef __FMA__
LITZ_FN f32 fused(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
LITZ_FN f64 fused(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
#else
LITZ_FN f32 fused(f32 a, f32 b, f32 c) { return a * b + c; }
LITZ_FN f64 fused(f64 a, f64 b, f64 c) { return a * b + c; }
#endif

// Unary machine instructions in both the AVX and the SSE spelling; `imm` is the rounding mode of the round instructions.
#define LITZ_UNARY_SCALAR(name, T, insn) LITZ_FN T name(T x) { T r; __asm__(insn " %1,%0" : "=x"(r) : "x"(x)); return r; }
#define LITZ_UNARY_VECTOR(name, V, insn) LITZ_FN V name(V x) { V r; __asm__(insn " %1,%0" : "=v"(r) : "v"(x)); return r; }
#if LITZ_VECTOR_BYTES >= 32
LITZ_FN f32 l_sqrt(f32 x) { f32 r; __asm__("vsqrtss %1,%1,%0" : "=x"(r) : "x"(x)); return r; }
LITZ_FN f64 l_sqrt(f64 x) { f64 r; __asm__("vsqrtsd %1,%1,%0" : "=x"(r) : "x"(x)); return r; }
LITZ_UNARY_VECTOR(l_sqrt, vf32, "vsqrtps")
LITZ_UNARY_VECTOR(l_sqrt, nf64, "vsqrtpd")
#if LITZ_VECTOR_BYTES == 64
#define LITZ_ROUND_INSN(name, imm) LITZ_UNARY_VECTOR(name, vf32, "vrndscaleps $" #imm ",") LITZ_UNARY_VECTOR(name, nf64, "vrndscalepd $" #imm ",")
#else
#define LITZ_ROUND_INSN(name, imm) LITZ_UNARY_VECTOR(name, vf32, "vroundps $" #imm ",") LITZ_UNARY_VECTOR(name, nf64, "vroundpd $" #imm ",")
#endif
#define LITZ_ROUND(name, imm) LITZ_ROUND_INSN(name, imm) \
    LITZ_FN f32 name(f32 x) { f32 r; __asm__("vroundss $" #imm ",%1,%1,%0" : "=x"(r) : "x"(x)); return r; } \
    LITZ_FN f64 name(f64 x) { f64 r; __asm__("vroundsd $" #imm ",%1,%1,%0" : "=x"(r) : "x"(x)); return r; }
LITZ_ROUND(l_round, 8) LITZ_ROUND(l_floor, 9) LITZ_ROUND(l_ceil, 10) LITZ_ROUND(l_trunc, 11)
#else
LITZ_UNARY_SCALAR(l_sqrt, f32, "sqrtss")
LITZ_UNARY_SCALAR(l_sqrt, f64, "sqrtsd")
LITZ_UNARY_VECTOR(l_sqrt, vf32, "sqrtps")
LITZ_UNARY_VECTOR(l_sqrt, nf64, "sqrtpd")
// Adding and subtracting 2^mantissa bits rounds to the nearest even integer; the sign is put back for results of zero.
#define LITZ_ROUND_BY_ADDING(V, VI, big, sign_bit) \
    LITZ_FN V l_round(V x) { \
        VI sign = (VI)x & (VI)((VI){} + sign_bit); \
        V a = (V)((VI)x ^ sign), r = (a + big) - big; \
        return a < ((V){} + big) ? (V)((VI)r | sign) : x; \
    } \
    LITZ_FN V litz_with_sign(V r, V x) { VI s = (VI){} + sign_bit; return (V)(((VI)r & ~s) | ((VI)x & s)); } \
    LITZ_FN V l_floor(V x) { V r = l_round(x); V one = (V){} + 1; return litz_with_sign(r - (r > x ? one : (V){}), x); } \
    LITZ_FN V l_ceil(V x) { V r = l_round(x); V one = (V){} + 1; return litz_with_sign(r + (r < x ? one : (V){}), x); } \
    LITZ_FN V l_trunc(V x) { return x < (V){} ? l_ceil(x) : l_floor(x); }
LITZ_ROUND_BY_ADDING(vf32, vi32, 8388608.0f, (i32)0x80000000u)
LITZ_ROUND_BY_ADDING(nf64, ni64, 4503599627370496.0, (i64)((u64)1 << 63))
#define X(name) LITZ_FN f32 name(f32 x) { return name(splat(x))[0]; } LITZ_FN f64 name(f64 x) { return name(x - (nf64){})[0]; }
X(l_round) X(l_floor) X(l_ceil) X(l_trunc)
#undef X
#endif
LITZ_BY_HALVES1(l_sqrt, vf64) LITZ_BY_HALVES1(l_round, vf64) LITZ_BY_HALVES1(l_floor, vf64) LITZ_BY_HALVES1(l_ceil, vf64) LITZ_BY_HALVES1(l_trunc, vf64)

LITZ_FN vi32 litz_bits_of(vf32 x) { return (vi32)x; }
LITZ_FN vi64 litz_bits_of(vf64 x) { return vi64{(ni64)x.lo, (ni64)x.hi}; }
LITZ_FN vf32 litz_float_of(vi32 x) { return (vf32)x; }
LITZ_FN vf64 litz_float_of(vi64 x) { return vf64{(nf64)x.lo, (nf64)x.hi}; }
LITZ_FN i32 litz_bits_of(f32 x) { return LITZ_BITS(i32, x); }
LITZ_FN i64 litz_bits_of(f64 x) { return LITZ_BITS(i64, x); }
LITZ_FN f32 litz_float_of(i32 x) { return LITZ_BITS(f32, x); }
LITZ_FN f64 litz_float_of(i64 x) { return LITZ_BITS(f64, x); }
LITZ_FN f32 litz_constant(f32, f64 x) { return (f32)x; }
LITZ_FN f64 litz_constant(f64, f64 x) { return x; }
LITZ_FN vf32 litz_constant(vf32, f64 x) { return splat((f32)x); }
LITZ_FN vf64 litz_constant(vf64, f64 x) { return splat(x); }
LITZ_FN i32 litz_sign_bit(f32) { return (i32)0x80000000u; }
LITZ_FN i64 litz_sign_bit(f64) { return (i64)((u64)1 << 63); }
LITZ_FN vi32 litz_sign_bit(vf32) { return splat((i32)0x80000000u); }
LITZ_FN vi64 litz_sign_bit(vf64) { return splat((i64)((u64)1 << 63)); }
#define LITZ_INFINITY __builtin_inf()
// torch.maximum and minimum: a NaN on either side wins; of equal values the second (so of zeros of both signs the second).
#define LITZ_EXTREMES(V) \
    LITZ_FN V l_minimum(V a, V b) { return select(mask_or(lt(a, b), ne(a, a)), a, b); } \
    LITZ_FN V l_maximum(V a, V b) { return select(mask_or(gt(a, b), ne(a, a)), a, b); }
LITZ_EXTREMES(f32)
LITZ_EXTREMES(f64)
LITZ_EXTREMES(vf64)
#if LITZ_VECTOR_BYTES >= 32
// The machine's take the second of equal values and of a NaN with anything else; a NaN that is the first is put back.
#if LITZ_VECTOR_BYTES == 64
LITZ_FN vf32 litz_with_nan_of(vf32 a, vf32 r) { return (vf32)__builtin_ia32_fixupimmps512_mask(r, a, splat((i32)0x11), 0, (u16)-1, 4); }
#else
LITZ_FN vf32 litz_with_nan_of(vf32 a, vf32 r) { return select(ne(a, a), a, r); }
#endif
#define X(name, insn) \
    LITZ_FN vf32 name(vf32 a, vf32 b) { \
        vf32 r; \
        __asm__(insn " %2,%1,%0" : "=v"(r) : "v"(a), "v"(b)); \
        return litz_with_nan_of(a, r); \
    }
X(l_minimum, "vminps") X(l_maximum, "vmaxps")
#undef X
#else
LITZ_EXTREMES(vf32)
#endif
#define LITZ_FLOATS(V, M) \
    LITZ_FN V add(V a, V b) { return a + b; } LITZ_FN V sub(V a, V b) { return a - b; } LITZ_FN V mul(V a, V b) { return a * b; } \
    LITZ_FN V divide(V a, V b) { return a / b; } LITZ_FN V neg(V a) { return litz_float_of(bit_xor(litz_bits_of(a), litz_sign_bit(a))); } \
    LITZ_FN M l_isnan(V a) { return ne(a, a); } \
    LITZ_FN V l_abs(V a) { return litz_float_of(bit_and(litz_bits_of(a), bit_not(litz_sign_bit(a)))); } \
    LITZ_FN M l_isinf(V a) { return eq(l_abs(a), litz_constant(a, LITZ_INFINITY)); } \
    LITZ_FN M l_isfinite(V a) { return lt(l_abs(a), litz_constant(a, LITZ_INFINITY)); } \
    LITZ_FN M l_signbit(V a) { auto s = litz_sign_bit(a); return eq(bit_and(litz_bits_of(a), s), s); } \
    LITZ_FN V l_copysign(V a, V b) { return litz_float_of(bit_or(litz_bits_of(l_abs(a)), bit_and(litz_bits_of(b), litz_sign_bit(b)))); } \
    LITZ_FN V l_fmin(V a, V b) { return select(mask_or(lt(a, b), ne(b, b)), a, b); } \
    LITZ_FN V l_fmax(V a, V b) { return select(mask_or(gt(a, b), ne(b, b)), a, b); } \
    LITZ_FN V l_sign(V a) { \
        V zero = litz_constant(a, 0); \
        return sub(select(gt(a, zero), litz_constant(a, 1), zero), select(lt(a, zero), litz_constant(a, 1), zero)); \
    } \
    LITZ_FN V l_reciprocal(V a) { return litz_constant(a, 1) / a; } LITZ_FN V l_rsqrt(V a) { return litz_constant(a, 1) / l_sqrt(a); } \
    LITZ_FN V l_trunc_divide(V a, V b) { return l_trunc(a / b); }
LITZ_FLOATS(f32, bool)
LITZ_FLOATS(f64, bool)
LITZ_FLOATS(vf32, vmask)
LITZ_FLOATS(vf64, vmask)

LITZ_MATH f32 l_fmod(f32 a, f32 b) { return __builtin_fmodf(a, b); }
LITZ_MATH f64 l_fmod(f64 a, f64 b) { return __builtin_fmod(a, b); }
// Python's floor division: the quotient of the exact remainder, so that a == q*b + r holds as well as rounding allows.
#define X(T) \
    LITZ_MATH T l_remainder(T a, T b) { T r = l_fmod(a, b); return r != 0 && (r < 0) != (b < 0) ? r + b : r; } \
    LITZ_MATH T l_floor_divide(T a, T b) { \
        if (b == 0) return a / b; \
        T r = l_fmod(a, b), q = (a - r) / b; \
        if (r != 0 && (r < 0) != (b < 0)) q -= 1; \
        if (q == 0) return l_copysign((T)0, a / b); \
        T whole = l_floor(q); \
        return q - whole > (T)0.5 ? whole + 1 : whole; \
    }
X(f32) X(f64)
#undef X
#ifdef LITZ_FUSES
// While the quotient has fewer bits than the mantissa, a fused step gives the remainder without error, since it and both operands are
// multiples of b's last place; rounding may have made the quotient one too large. What is left is libm's.
#define X(T, V, limit) \
    LITZ_NOINLINE V litz_fmod_far(V a, V b, V r, vmask m) { \
        T x[LITZ_LANES], y[LITZ_LANES], z[LITZ_LANES], far[LITZ_LANES]; \
        litz_to_lanes(x, a); \
        litz_to_lanes(y, b); \
        litz_to_lanes(z, r); \
        litz_to_lanes(far, select(m, splat((T)1), splat((T)0))); \
        for (int i = 0; i < LITZ_LANES; i++) z[i] = far[i] != 0 ? l_fmod(x[i], y[i]) : z[i]; \
        return litz_from_lanes(z); \
    } \
    LITZ_MATH V l_fmod(V a, V b) { \
        V x = l_abs(a), y = l_abs(b), zero = splat((T)0), q = divide(x, y), r = fused(neg(l_trunc(q)), y, x); \
        r = select(lt(r, zero), add(r, y), r); \
        r = l_copysign(r, a); \
        vmask far = mask_not(mask_and(lt(q, splat((T)limit)), l_isfinite(y))); \
        return __builtin_expect(any(far), 0) ? litz_fmod_far(a, b, r, far) : r; \
    }
X(f32, vf32, 0x1p22f) X(f64, vf64, 0x1p51)
#undef X
#define X(T, V) \
    LITZ_MATH V l_remainder(V a, V b) { \
        V r = l_fmod(a, b), zero = splat((T)0); \
        return select(mask_and(ne(r, zero), mask_xor(lt(r, zero), lt(b, zero))), add(r, b), r); \
    } \
    LITZ_MATH V l_floor_divide(V a, V b) { \
        V zero = splat((T)0), one = splat((T)1), r = l_fmod(a, b), exact = divide(a, b), q = divide(sub(a, r), b); \
        q = select(mask_and(ne(r, zero), mask_xor(lt(r, zero), lt(b, zero))), sub(q, one), q); \
        V whole = l_floor(q); \
        whole = select(gt(sub(q, whole), splat((T)0.5)), add(whole, one), whole); \
        whole = select(eq(q, zero), l_copysign(zero, exact), whole); \
        return select(eq(b, zero), exact, whole); \
    }
#else
#define X(T, V) LITZ_LANEWISE2(l_fmod, T, V) LITZ_LANEWISE2(l_remainder, T, V) LITZ_LANEWISE2(l_floor_divide, T, V)
#endif
X(f32, vf32) X(f64, vf64)
#undef X

// ---- reductions over lanes --------------------------------------------------------------------------------------------
#if LITZ_LANES == 16
#define LITZ_FOLD_HALF(v, f) v = f(v, LITZ_XOR_SHUFFLE_HALF(v, 4)); v = f(v, LITZ_XOR_SHUFFLE_HALF(v, 2)); v = f(v, LITZ_XOR_SHUFFLE_HALF(v, 1));
#define LITZ_FOLD(v, f) v = f(v, LITZ_XOR_SHUFFLE(v, 8)); v = f(v, LITZ_XOR_SHUFFLE(v, 4)); v = f(v, LITZ_XOR_SHUFFLE(v, 2)); v = f(v, LITZ_XOR_SHUFFLE(v, 1));
#elif LITZ_LANES == 8
#define LITZ_FOLD_HALF(v, f) v = f(v, LITZ_XOR_SHUFFLE_HALF(v, 2)); v = f(v, LITZ_XOR_SHUFFLE_HALF(v, 1));
#define LITZ_FOLD(v, f) v = f(v, LITZ_XOR_SHUFFLE(v, 4)); v = f(v, LITZ_XOR_SHUFFLE(v, 2)); v = f(v, LITZ_XOR_SHUFFLE(v, 1));
#else
#define LITZ_FOLD_HALF(v, f) v = f(v, LITZ_XOR_SHUFFLE_HALF(v, 1));
#define LITZ_FOLD(v, f) v = f(v, LITZ_XOR_SHUFFLE(v, 2)); v = f(v, LITZ_XOR_SHUFFLE(v, 1));
#endif
LITZ_FN nf64 add(nf64 a, nf64 b) { return a + b; }
LITZ_FN nf64 mul(nf64 a, nf64 b) { return a * b; }
LITZ_FN nf64 l_minimum(nf64 a, nf64 b) { ni64 m = (a < b) | (a != a); return m ? a : b; }
LITZ_FN nf64 l_maximum(nf64 a, nf64 b) { ni64 m = (a > b) | (a != a); return m ? a : b; }
template <class V> struct litz_fold {};
template <> struct litz_fold<vf32> { typedef f32 single; };
template <> struct litz_fold<vi32> { typedef i32 single; };
template <> struct litz_fold<vu32> { typedef u32 single; };
template <> struct litz_fold<vf64> { typedef f64 paired; };
template <> struct litz_fold<vi64> { typedef i64 paired; };
template <> struct litz_fold<vu64> { typedef u64 paired; };
#define LITZ_HORIZONTAL(name, f) \
    template <class V> LITZ_FN typename litz_fold<V>::single name(V v) { LITZ_FOLD(v, f) return v[0]; } \
    template <class V> LITZ_FN typename litz_fold<V>::paired name(V v) { auto n = f(v.lo, v.hi); LITZ_FOLD_HALF(n, f) return n[0]; }
LITZ_HORIZONTAL(hsum, add) LITZ_HORIZONTAL(hprod, mul) LITZ_HORIZONTAL(hmin, l_minimum) LITZ_HORIZONTAL(hmax, l_maximum)
#endif
