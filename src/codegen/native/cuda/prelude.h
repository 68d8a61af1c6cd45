// Litz CUDA prelude: the vocabulary of generated kernels, as prelude.h has it for CPUs, for one thread of a GPU. No header is included;
// NVRTC or nvcc, C++17, sm_80 and later.
//
// Lanes. A thread works on LITZ_LANES (W) neighbouring elements at a time: vec<T> holds W values in registers, so that a vector in
// memory is one access of up to 16 bytes. Every function is overloaded for scalars and, lane by lane, for vec. The names and their
// meaning are those of prelude.h; what is particular to the GPU:
//
// Memory       load, store: the address is a multiple of the vector's size (the kernel's writer has proved it); load_apart and
//              store_apart where it may not be.
// Threads      reduce_threads<T>(x, f, identity, shared): f over the values of T neighbouring threads (a power of two, up to 1024; all
//              of them call it), the same result in each.
// Casts        floats to integers as C has them on this machine (saturating); to uint8 by way of int64, as PyTorch's CUDA code.
#ifndef LITZ_CUDA_PRELUDE_H
#define LITZ_CUDA_PRELUDE_H

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
struct half { u16 bits; };
struct bfloat { u16 bits; };
struct boolean { u8 byte; };

#define LITZ_FN static __device__ __forceinline__
#define LITZ_MATH static __device__ __forceinline__
#define LITZ_NOINLINE static __device__ __noinline__
LITZ_FN u32 litz_shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }
#define LITZ_METHOD static __device__
// A function of one of a launch's kernels has a parameter `blockIdx` of this type: the block's number among that kernel's own.
struct litz_block_place { u32 x; };
// Reports an assertion; the first one of a run counts.
#define LITZ_FAIL(n) (void)atomicCAS(failure, 0, n)
#define LITZ_INFINITY __int_as_float(0x7f800000)
// The spellings of literals that NVRTC lacks.
#define __builtin_inff() __int_as_float(0x7f800000)
#define __builtin_inf() __longlong_as_double(0x7ff0000000000000ll)
#define __builtin_nanf(text) __int_as_float(0x7fc00000)
#define __builtin_nan(text) __longlong_as_double(0x7ff8000000000000ll)

template <class T> struct vec { T v[LITZ_LANES]; };
typedef vec<f32> vf32;
typedef vec<f64> vf64;
typedef vec<i8> vi8;
typedef vec<u8> vu8;
typedef vec<i16> vi16;
typedef vec<u16> vu16;
typedef vec<i32> vi32;
typedef vec<u32> vu32;
typedef vec<i64> vi64;
typedef vec<u64> vu64;
typedef vec<bool> vmask;

#define LITZ_EACH _Pragma("unroll") for (int i = 0; i < LITZ_LANES; i++)
// The lane-by-lane form of a function of scalars.
#define LITZ_LIFT1(name) \
    template <class T> LITZ_FN auto name(vec<T> a) -> vec<decltype(name(a.v[0]))> { vec<decltype(name(a.v[0]))> r; LITZ_EACH r.v[i] = name(a.v[i]); return r; }
#define LITZ_LIFT2(name) \
    template <class T> LITZ_FN auto name(vec<T> a, vec<T> b) -> vec<decltype(name(a.v[0], b.v[0]))> { \
        vec<decltype(name(a.v[0], b.v[0]))> r; LITZ_EACH r.v[i] = name(a.v[i], b.v[i]); return r; \
    }

template <class T> struct litz_kind { enum { integer = 0, is_signed = 1, bits = 8 * sizeof(T) }; };
#define LITZ_INTEGER(T, sign) template <> struct litz_kind<T> { enum { integer = 1, is_signed = sign, bits = 8 * sizeof(T) }; };
LITZ_INTEGER(i8, 1) LITZ_INTEGER(u8, 0) LITZ_INTEGER(i16, 1) LITZ_INTEGER(u16, 0) LITZ_INTEGER(i32, 1) LITZ_INTEGER(u32, 0) LITZ_INTEGER(i64, 1)
LITZ_INTEGER(u64, 0)
template <bool on, class T> struct litz_if {};
template <class T> struct litz_if<true, T> { typedef T type; };
// Templates over integers, and over the two floats.
#define LITZ_INT template <class T> LITZ_FN typename litz_if<litz_kind<T>::integer, T>::type
template <class T> struct litz_float { enum { is = 0 }; };
template <> struct litz_float<f32> { enum { is = 1 }; };
template <> struct litz_float<f64> { enum { is = 1 }; };
#define LITZ_FLOAT template <class T> LITZ_FN typename litz_if<litz_float<T>::is, T>::type

// ---- making -----------------------------------------------------------------------------------------------------------
template <class T> LITZ_FN vec<T> splat(T x) { vec<T> r; LITZ_EACH r.v[i] = x; return r; }
LITZ_FN vi64 lane_index() { vi64 r; LITZ_EACH r.v[i] = i; return r; }
LITZ_FN vmask tail_mask(i64 n) { vmask r; LITZ_EACH r.v[i] = i < n; return r; }
LITZ_FN vmask first_lanes(i64 n) { return tail_mask(n); }

// ---- logic ------------------------------------------------------------------------------------------------------------
#define X(name, op) template <class T> LITZ_FN bool name(T a, T b) { return a op b; } LITZ_LIFT2(name)
X(eq, ==) X(ne, !=) X(lt, <) X(le, <=) X(gt, >) X(ge, >=)
#undef X
LITZ_FN bool mask_and(bool a, bool b) { return a & b; }
LITZ_FN bool mask_or(bool a, bool b) { return a | b; }
LITZ_FN bool mask_xor(bool a, bool b) { return a ^ b; }
LITZ_FN bool mask_not(bool a) { return !a; }
LITZ_LIFT2(mask_and) LITZ_LIFT2(mask_or) LITZ_LIFT2(mask_xor) LITZ_LIFT1(mask_not)
template <class T> LITZ_FN T select(bool c, T a, T b) { return c ? a : b; }
template <class T> LITZ_FN vec<T> select(vmask c, vec<T> a, vec<T> b) { vec<T> r; LITZ_EACH r.v[i] = c.v[i] ? a.v[i] : b.v[i]; return r; }
LITZ_FN bool any(bool a) { return a; }
LITZ_FN bool all(bool a) { return a; }
LITZ_FN bool any(vmask a) { bool r = false; LITZ_EACH r |= a.v[i]; return r; }
LITZ_FN bool all(vmask a) { bool r = true; LITZ_EACH r &= a.v[i]; return r; }

// ---- casts ------------------------------------------------------------------------------------------------------------
#define X(name, T) template <class S> LITZ_FN T name(S x) { return (T)x; } LITZ_LIFT1(name)
X(to_f32, f32) X(to_f64, f64) X(to_i32, i32) X(to_i64, i64) X(to_u32, u32) X(to_u64, u64)
#undef X
#define X(name, T) \
    template <class S> LITZ_FN T name(S x) { return (T)x; } LITZ_FN T name(f32 x) { return (T)(i64)x; } LITZ_FN T name(f64 x) { return (T)(i64)x; } \
    LITZ_LIFT1(name)
X(to_i8, i8) X(to_u8, u8) X(to_i16, i16) X(to_u16, u16)
#undef X
template <class S> LITZ_FN bool to_bool(S x) { return x != (S)0; }
LITZ_LIFT1(to_bool)

LITZ_FN f32 litz_from_bfloat(u16 x) { return __uint_as_float((u32)x << 16); }
LITZ_FN f32 litz_from_half(u16 x) { f32 r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x)); return r; }
LITZ_FN u16 litz_to_half(f32 x) { u16 r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x)); return r; }
#if __CUDA_ARCH__ >= 800
LITZ_FN u16 litz_to_bfloat(f32 x) { u16 r; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(x)); return r; }
#else
LITZ_FN u16 litz_to_bfloat(f32 x) {
    u32 b = __float_as_uint(x);
    return x == x ? (u16)((b + (0x7fffu + ((b >> 16) & 1u))) >> 16) : (u16)0x7fff;
}
#endif
LITZ_FN f32 round_half(f32 x) { return litz_from_half(litz_to_half(x)); }
LITZ_FN f32 round_bfloat(f32 x) { return litz_from_bfloat(litz_to_bfloat(x)); }
#if __CUDA_ARCH__ >= 800
// Two at a time: elements 0 and 1 of a word.
LITZ_FN u32 litz_to_bfloats(f32 a, f32 b) { u32 r; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(b), "f"(a)); return r; }
LITZ_FN u32 litz_to_halves(f32 a, f32 b) { u32 r; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(b), "f"(a)); return r; }
LITZ_FN vf32 round_bfloat(vf32 a) {
    if (LITZ_LANES % 2) { LITZ_EACH a.v[i] = round_bfloat(a.v[i]); return a; }
    _Pragma("unroll") for (int i = 0; i + 1 < LITZ_LANES; i += 2) {
        const u32 both = litz_to_bfloats(a.v[i], a.v[i + 1]);
        a.v[i] = __uint_as_float(both << 16);
        a.v[i + 1] = __uint_as_float(both & 0xffff0000u);
    }
    return a;
}
#else
LITZ_LIFT1(round_bfloat)
#endif
LITZ_LIFT1(round_half)

// ---- memory -----------------------------------------------------------------------------------------------------------
// What memory of type S becomes in registers.
template <class S> struct litz_stored { typedef S type; };
template <> struct litz_stored<half> { typedef f32 type; };
template <> struct litz_stored<bfloat> { typedef f32 type; };
template <> struct litz_stored<boolean> { typedef bool type; };
template <class S> LITZ_FN S litz_read(S x) { return x; }
LITZ_FN f32 litz_read(half x) { return litz_from_half(x.bits); }
LITZ_FN f32 litz_read(bfloat x) { return litz_from_bfloat(x.bits); }
LITZ_FN bool litz_read(boolean x) { return x.byte != 0; }
template <class S> LITZ_FN void litz_write(S &to, S x) { to = x; }
LITZ_FN void litz_write(half &to, f32 x) { to.bits = litz_to_half(x); }
LITZ_FN void litz_write(bfloat &to, f32 x) { to.bits = litz_to_bfloat(x); }
LITZ_FN void litz_write(boolean &to, bool x) { to.byte = x; }

// W elements of S as words of the largest size that they fill.
template <int bytes> struct litz_word { typedef u8 type; };
template <> struct litz_word<2> { typedef u16 type; };
template <> struct litz_word<4> { typedef u32 type; };
struct alignas(8) litz_word8 { u32 w[2]; };
struct alignas(16) litz_word16 { u32 w[4]; };
template <> struct litz_word<8> { typedef litz_word8 type; };
template <> struct litz_word<16> { typedef litz_word16 type; };
template <class S> union litz_packed {
    enum { bytes = LITZ_LANES * sizeof(S), word = bytes >= 16 ? 16 : bytes };
    typename litz_word<word>::type words[bytes / word];
    S elements[LITZ_LANES];
    __device__ litz_packed() {}
};
// N elements as they lie in memory, on their way between memory and a square of shared memory.
template <class S, int N> union litz_chunk {
    static const int bytes = N * sizeof(S), word = bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
    typedef typename litz_word<word>::type W;
    W words[bytes / word];
    S elements[N];
    __device__ __forceinline__ litz_chunk() {}
    __device__ __forceinline__ void get(const S *p) { _Pragma("unroll") for (int i = 0; i < bytes / word; i++) words[i] = ((const W *)p)[i]; }
    __device__ __forceinline__ void put(S *p) const { _Pragma("unroll") for (int i = 0; i < bytes / word; i++) ((W *)p)[i] = words[i]; }
    __device__ __forceinline__ void gather(const S *p) { _Pragma("unroll") for (int i = 0; i < N; i++) elements[i] = p[i]; }
};
// What each of T threads holds of a square, put in its place there: rows of `side` elements and one that pads.
template <int side, int T, class S, int N, int K> LITZ_FN void litz_put_square(S *to, const litz_chunk<S, N> (&held)[K]) {
    _Pragma("unroll") for (int k = 0; k < K; k++) {
        const int v = k * T + (int)threadIdx.x;
        _Pragma("unroll") for (int i = 0; i < N; i++) to[v / (side / N) * (side + 1) + v % (side / N) * N + i] = held[k].elements[i];
    }
}
template <class S> LITZ_FN typename litz_stored<S>::type load_scalar(const S *p) { return litz_read(*p); }
template <class S> LITZ_FN vec<typename litz_stored<S>::type> load(const S *p) {
    litz_packed<S> m;
    typedef typename litz_word<litz_packed<S>::word>::type W;
    _Pragma("unroll") for (int i = 0; i < (int)(sizeof m.words / sizeof(W)); i++) m.words[i] = ((const W *)p)[i];
    vec<typename litz_stored<S>::type> r;
    LITZ_EACH r.v[i] = litz_read(m.elements[i]);
    return r;
}
template <class S> LITZ_FN vec<typename litz_stored<S>::type> load_apart(const S *p) {
    vec<typename litz_stored<S>::type> r;
    LITZ_EACH r.v[i] = load_scalar(p + i);
    return r;
}
template <class S> LITZ_FN vec<typename litz_stored<S>::type> load_tail(const S *p, i64 n) {
    vec<typename litz_stored<S>::type> r;
    LITZ_EACH r.v[i] = i < n ? load_scalar(p + i) : (typename litz_stored<S>::type)0;
    return r;
}
template <class S> LITZ_FN vec<typename litz_stored<S>::type> load_where(const S *p, vmask m) {
    vec<typename litz_stored<S>::type> r;
    LITZ_EACH r.v[i] = m.v[i] ? load_scalar(p + i) : (typename litz_stored<S>::type)0;
    return r;
}
template <class S> LITZ_FN vec<typename litz_stored<S>::type> load_strided(const S *p, i64 stride, i64 n = LITZ_LANES) {
    vec<typename litz_stored<S>::type> r;
    LITZ_EACH r.v[i] = i < n ? load_scalar(p + i * stride) : (typename litz_stored<S>::type)0;
    return r;
}
template <class S> LITZ_FN vec<typename litz_stored<S>::type> load_gather(const S *p, vi64 index, vmask m) {
    vec<typename litz_stored<S>::type> r;
    LITZ_EACH r.v[i] = m.v[i] ? load_scalar(p + index.v[i]) : (typename litz_stored<S>::type)0;
    return r;
}
template <class S> LITZ_FN void store(S *p, typename litz_stored<S>::type x) { litz_write(*p, x); }
template <class S> LITZ_FN void litz_pack(litz_packed<S> &m, vec<typename litz_stored<S>::type> x) { LITZ_EACH litz_write(m.elements[i], x.v[i]); }
#if __CUDA_ARCH__ >= 800
#define X(S, both) \
    LITZ_FN void litz_pack(litz_packed<S> &m, vf32 x) { \
        if (LITZ_LANES % 2) { LITZ_EACH litz_write(m.elements[i], x.v[i]); return; } \
        _Pragma("unroll") for (int i = 0; i + 1 < LITZ_LANES; i += 2) { \
            const u32 w = both(x.v[i], x.v[i + 1]); \
            m.elements[i].bits = (u16)w; \
            m.elements[i + 1].bits = (u16)(w >> 16); \
        } \
    }
X(bfloat, litz_to_bfloats) X(half, litz_to_halves)
#undef X
#endif
template <class S> LITZ_FN void store(S *p, vec<typename litz_stored<S>::type> x) {
    litz_packed<S> m;
    litz_pack(m, x);
    typedef typename litz_word<litz_packed<S>::word>::type W;
    _Pragma("unroll") for (int i = 0; i < (int)(sizeof m.words / sizeof(W)); i++) ((W *)p)[i] = m.words[i];
}
template <class S> LITZ_FN void store_apart(S *p, vec<typename litz_stored<S>::type> x) { LITZ_EACH store(p + i, x.v[i]); }
template <class S> LITZ_FN void store_tail(S *p, vec<typename litz_stored<S>::type> x, i64 n) { LITZ_EACH if (i < n) store(p + i, x.v[i]); }
template <class S> LITZ_FN void store_strided(S *p, vec<typename litz_stored<S>::type> x, i64 stride, i64 n = LITZ_LANES) {
    LITZ_EACH if (i < n) store(p + i * stride, x.v[i]);
}
template <class S> LITZ_FN void store_scatter(S *p, vi64 index, vec<typename litz_stored<S>::type> x, vmask m) {
    LITZ_EACH if (m.v[i]) store(p + index.v[i], x.v[i]);
}

// ---- arithmetic -------------------------------------------------------------------------------------------------------
LITZ_INT add(T a, T b) { return (T)((u64)a + (u64)b); }
LITZ_INT sub(T a, T b) { return (T)((u64)a - (u64)b); }
LITZ_INT mul(T a, T b) { return (T)((u64)a * (u64)b); }
LITZ_INT neg(T a) { return (T)(0 - (u64)a); }
LITZ_INT bit_and(T a, T b) { return (T)(a & b); }
LITZ_INT bit_or(T a, T b) { return (T)(a | b); }
LITZ_INT bit_xor(T a, T b) { return (T)(a ^ b); }
LITZ_INT bit_not(T a) { return (T)~a; }
LITZ_INT shl(T a, T b) { return (u64)b < litz_kind<T>::bits ? (T)((u64)a << b) : (T)0; }
LITZ_INT shr(T a, T b) { return (u64)b < litz_kind<T>::bits ? (T)(a >> b) : (T)(a < (T)0 ? -1 : 0); }
LITZ_INT l_minimum(T a, T b) { return a < b ? a : b; }
LITZ_INT l_maximum(T a, T b) { return a > b ? a : b; }
LITZ_INT l_abs(T a) { return a < (T)0 ? neg(a) : a; }
LITZ_INT l_sign(T a) { return a < (T)0 ? (T)-1 : (T)(a != 0); }
LITZ_INT l_trunc_divide(T a, T b) { return b == 0 ? (T)0 : litz_kind<T>::is_signed && b == (T)-1 ? neg(a) : (T)(a / b); }
LITZ_INT l_fmod(T a, T b) { return b == 0 || (litz_kind<T>::is_signed && b == (T)-1) ? (T)0 : (T)(a % b); }
LITZ_INT l_remainder(T a, T b) { T r = l_fmod(a, b); return r != 0 && (r < (T)0) != (b < (T)0) ? (T)(r + b) : r; }
LITZ_INT l_floor_divide(T a, T b) { T r = l_fmod(a, b); return (T)(l_trunc_divide(a, b) - (r != 0 && (r < (T)0) != (b < (T)0))); }
#define X(name, op) LITZ_FN bool name(bool a, bool b) { return a op b; }
X(bit_and, &) X(bit_or, |) X(bit_xor, ^) X(l_minimum, &) X(l_maximum, |)
#undef X
LITZ_FN bool bit_not(bool a) { return !a; }

LITZ_FLOAT add(T a, T b) { return a + b; }
LITZ_FLOAT sub(T a, T b) { return a - b; }
LITZ_FLOAT mul(T a, T b) { return a * b; }
LITZ_FLOAT divide(T a, T b) { return a / b; }
LITZ_FLOAT divide_by(T a, T b) { return a / b; }
LITZ_FLOAT neg(T a) { return -a; }
LITZ_FN f32 fused(f32 a, f32 b, f32 c) { return fmaf(a, b, c); }
LITZ_FN f64 fused(f64 a, f64 b, f64 c) { return fma(a, b, c); }
template <class T> LITZ_FN bool l_isnan(T a) { return a != a; }
LITZ_FN f32 l_abs(f32 a) { return fabsf(a); }
LITZ_FN f64 l_abs(f64 a) { return fabs(a); }
template <class T> LITZ_FN bool l_isinf(T a) { return l_abs(a) == (T)LITZ_INFINITY; }
template <class T> LITZ_FN bool l_isfinite(T a) { return l_abs(a) < (T)LITZ_INFINITY; }
LITZ_FN bool l_signbit(f32 a) { return __float_as_int(a) < 0; }
LITZ_FN bool l_signbit(f64 a) { return __double_as_longlong(a) < 0; }
LITZ_FN f32 l_copysign(f32 a, f32 b) { return copysignf(a, b); }
LITZ_FN f64 l_copysign(f64 a, f64 b) { return copysign(a, b); }
// A NaN on either side wins; of equal values the second.
LITZ_FLOAT l_minimum(T a, T b) { return a < b || a != a ? a : b; }
LITZ_FLOAT l_maximum(T a, T b) { return a > b || a != a ? a : b; }
#if __CUDA_ARCH__ >= 800
LITZ_FN f32 l_minimum(f32 a, f32 b) { f32 r; asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
LITZ_FN f32 l_maximum(f32 a, f32 b) { f32 r; asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
#endif
LITZ_FLOAT l_fmin(T a, T b) { return a < b || b != b ? a : b; }
LITZ_FLOAT l_fmax(T a, T b) { return a > b || b != b ? a : b; }
LITZ_FLOAT l_sign(T a) { return (T)((a > (T)0) - (a < (T)0)); }
LITZ_FLOAT l_reciprocal(T a) { return (T)1 / a; }
#define X(name, single, twice) LITZ_FN f32 name(f32 a) { return single(a); } LITZ_FN f64 name(f64 a) { return twice(a); } LITZ_LIFT1(name)
X(l_sqrt, sqrtf, sqrt) X(l_rsqrt, rsqrtf, rsqrt) X(l_floor, floorf, floor) X(l_ceil, ceilf, ceil) X(l_trunc, truncf, trunc) X(l_round, rintf, rint)
X(l_exp, expf, exp) X(l_exp2, exp2f, exp2) X(l_expm1, expm1f, expm1) X(l_log, logf, log) X(l_log2, log2f, log2) X(l_log10, log10f, log10)
X(l_log1p, log1pf, log1p) X(l_sin, sinf, sin) X(l_cos, cosf, cos) X(l_tan, tanf, tan) X(l_asin, asinf, asin) X(l_acos, acosf, acos)
X(l_atan, atanf, atan) X(l_sinh, sinhf, sinh) X(l_cosh, coshf, cosh) X(l_asinh, asinhf, asinh) X(l_acosh, acoshf, acosh)
X(l_atanh, atanhf, atanh) X(l_erfc, erfcf, erfc) X(l_erfinv, erfinvf, erfinv) X(l_lgamma, lgammaf, lgamma)
#undef X
// What activations are made of has no branches, so that the values of a vector are computed side by side: within 2 ulp.
LITZ_FN f32 litz_power_of_two(f32 a) { f32 r; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a)); return r; }
LITZ_FN f32 litz_one_over(f32 a) { f32 r; asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a)); return r; }
// What is behind a sign, both being computed whatever it is: from 0 on the first; NaN has the second.
LITZ_FN f32 litz_either(f32 from_zero, f32 below, f32 sign) { f32 r; asm("slct.f32.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(from_zero), "f"(below), "f"(sign)); return r; }
LITZ_FN f32 l_sigmoid(f32 a) { return litz_one_over(1.0f + expf(-a)); }
// Within 6e-6 of what it is, far less than a half rounds away: no digits of `a` are kept apart.
LITZ_FN f32 l_sigmoid_rounded(f32 a) { return litz_one_over(1.0f + litz_power_of_two(a * -1.44269504f)); }
// The same of a product, whose number has taken in the factor.
LITZ_FN f32 l_sigmoid_scaled(f32 a, f32 by) { return litz_one_over(1.0f + litz_power_of_two(a * by)); }
LITZ_FN f64 l_sigmoid(f64 a) { return 1.0 / (1.0 + exp(-a)); }
// |a| < 0.6: a + a^3 P(a^2), error 2.7e-9; above: 1 - 2 / (e^2|a| + 1).
LITZ_FN f32 l_tanh(f32 a) {
    const f32 z = a * a, t = fabsf(a);
    f32 p = -0.005905910966f;
    p = fmaf(p, z, 0.02080542462f);
    p = fmaf(p, z, -0.05378669686f);
    p = fmaf(p, z, 0.1333195842f);
    p = fmaf(p, z, -0.3333329928f);
    const f32 far = fmaf(-2.0f, litz_one_over(litz_power_of_two(t * 2.88539008f) + 1.0f), 1.0f);
    return copysignf(litz_either(fmaf(t * z, p, t), far, 0.6f - t), a);
}
LITZ_FN f64 l_tanh(f64 a) { return tanh(a); }
// |a| < 0.92: a + a P(a^2), error 1.5e-9; above: 1 - 2^-g(|a|), g fitted to -log2 erfc with absolute error 4e-11 of erf.
LITZ_FN f32 l_erf(f32 a) {
    const f32 z = a * a, t = fabsf(a), b = t > 4.0f ? 4.0f : t;
    f32 p = 8.409919582e-5f, g = 3.0530081e-05f;
    p = fmaf(p, z, -0.0008152627768f);
    p = fmaf(p, z, 0.005201960219f);
    p = fmaf(p, z, -0.0268597986f);
    p = fmaf(p, z, 0.1128370331f);
    p = fmaf(p, z, -0.376126343f);
    p = fmaf(p, z, 0.1283791667f);
    g = fmaf(g, b, -0.000627887045f);
    g = fmaf(g, b, 0.00602273168f);
    g = fmaf(g, b, -0.036252929f);
    g = fmaf(g, b, 0.15623512f);
    g = fmaf(g, b, 0.913708781f);
    g = fmaf(g, b, 1.62955408f);
    g = fmaf(g, b, -0.000253731645f);
    return litz_either(fmaf(a, p, a), copysignf(1.0f - litz_power_of_two(-g), a), 0.92f - t);
}
LITZ_FN f64 l_erf(f64 a) { return erf(a); }
LITZ_LIFT1(l_tanh) LITZ_LIFT1(l_erf)
#define X(name, single, twice) LITZ_FN f32 name(f32 a, f32 b) { return single(a, b); } LITZ_FN f64 name(f64 a, f64 b) { return twice(a, b); }
X(l_fmod, fmodf, fmod) X(l_pow, powf, pow) X(l_atan2, atan2f, atan2) X(l_hypot, hypotf, hypot) X(l_nextafter, nextafterf, nextafter)
#undef X
LITZ_INT l_pow(T a, T b) {
    if (litz_kind<T>::is_signed && b < (T)0) return a == (T)1 ? (T)1 : a == (T)-1 ? (b & 1 ? (T)-1 : (T)1) : (T)0;
    T r = 1;
    for (; b != 0; b >>= 1, a = mul(a, a)) if (b & 1) r = mul(r, a);
    return r;
}
LITZ_FLOAT l_trunc_divide(T a, T b) { return l_trunc(a / b); }
LITZ_FLOAT l_remainder(T a, T b) { T r = l_fmod(a, b); return r != 0 && (r < 0) != (b < 0) ? r + b : r; }
LITZ_FLOAT l_floor_divide(T a, T b) {
    if (b == 0) return a / b;
    T r = l_fmod(a, b), q = (a - r) / b;
    if (r != 0 && (r < 0) != (b < 0)) q -= 1;
    if (q == 0) return l_copysign((T)0, a / b);
    T whole = l_floor(q);
    return q - whole > (T)0.5 ? whole + 1 : whole;
}
// Reflection for negative x, recurrence up to x >= 10, then log x - 1/(2x) - sum B_2k / (2k x^2k).
LITZ_NOINLINE f64 litz_digamma(f64 x) {
    if (x == 0) return copysign((f64)LITZ_INFINITY, -x);
    f64 r = 0;
    if (x < 0) {
        f64 whole = trunc(x);
        if (x == whole) return (f64)__int_as_float(0x7fc00000);
        r = -3.14159265358979323846 / tan(3.14159265358979323846 * (x - whole));
        x = 1 - x;
    }
    if (x == (f64)LITZ_INFINITY) return x;
    for (; x < 10; x += 1) r -= 1 / x;
    f64 z = 1 / (x * x), s = 1.0 / 12;
    s = 1.0 / 132 - z * (691.0 / 32760 - z * s);
    s = 1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * s)));
    return r + log(x) - 0.5 / x - z * s;
}
LITZ_FLOAT l_digamma(T x) { return (T)litz_digamma((f64)x); }
LITZ_LIFT2(add) LITZ_LIFT2(sub) LITZ_LIFT2(mul) LITZ_LIFT1(neg) LITZ_LIFT2(divide) LITZ_LIFT2(bit_and) LITZ_LIFT2(bit_or) LITZ_LIFT2(bit_xor) LITZ_LIFT1(bit_not)
LITZ_LIFT2(shl) LITZ_LIFT2(shr) LITZ_LIFT2(l_minimum) LITZ_LIFT2(l_maximum) LITZ_LIFT2(l_fmin) LITZ_LIFT2(l_fmax) LITZ_LIFT1(l_abs) LITZ_LIFT1(l_sign)
LITZ_LIFT2(l_trunc_divide) LITZ_LIFT2(l_fmod) LITZ_LIFT2(l_remainder) LITZ_LIFT2(l_floor_divide) LITZ_LIFT1(l_isnan) LITZ_LIFT1(l_isinf) LITZ_LIFT1(l_isfinite)
LITZ_LIFT1(l_signbit) LITZ_LIFT2(l_copysign) LITZ_LIFT1(l_reciprocal) LITZ_LIFT1(l_sigmoid) LITZ_LIFT1(l_sigmoid_rounded) LITZ_LIFT2(l_sigmoid_scaled) LITZ_LIFT2(l_pow) LITZ_LIFT2(l_atan2) LITZ_LIFT2(l_hypot)
LITZ_LIFT2(l_nextafter) LITZ_LIFT1(l_digamma)
template <class T> LITZ_FN vec<T> divide_by(vec<T> a, T b) { vec<T> r; LITZ_EACH r.v[i] = divide(a.v[i], b); return r; }

LITZ_FN f32 litz_float_of(i32 x) { return __int_as_float(x); }
LITZ_FN f64 litz_float_of(i64 x) { return __longlong_as_double(x); }
LITZ_FN i32 litz_bits_of(f32 x) { return __float_as_int(x); }
LITZ_FN i64 litz_bits_of(f64 x) { return __double_as_longlong(x); }
LITZ_FN f32 litz_half_of(i16 x) { return litz_from_half((u16)x); }
LITZ_FN f32 litz_bfloat_of(i16 x) { return litz_from_bfloat((u16)x); }
LITZ_FN i16 litz_bits_of_half(f32 x) { return (i16)litz_to_half(x); }
LITZ_FN i16 litz_bits_of_bfloat(f32 x) { return (i16)litz_to_bfloat(x); }
LITZ_LIFT1(litz_float_of) LITZ_LIFT1(litz_bits_of) LITZ_LIFT1(litz_half_of) LITZ_LIFT1(litz_bfloat_of) LITZ_LIFT1(litz_bits_of_half)
LITZ_LIFT1(litz_bits_of_bfloat)

// All 64 bits of a product. With 64-bit operands the compiler would add zeros to the upper half.
LITZ_FN u64 litz_wide_product(u32 a, u32 b) { u64 r; asm("mul.wide.u32 %0, %1, %2;" : "=l"(r) : "r"(a), "r"(b)); return r; }
// Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, 2011): block number `block` under the key.
struct litz_block {
    u32 c[4];
    __device__ __forceinline__ litz_block(i64 key, u64 block) {
        u32 k0 = (u32)key, k1 = (u32)((u64)key >> 32);
        c[0] = (u32)block, c[1] = (u32)(block >> 32), c[2] = c[3] = 0;
        _Pragma("unroll") for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
            const u64 p = litz_wide_product(c[0], 0xD2511F53u), q = litz_wide_product(c[2], 0xCD9E8D57u);
            c[0] = (u32)(q >> 32) ^ c[1] ^ k0, c[1] = (u32)q, c[2] = (u32)(p >> 32) ^ c[3] ^ k1, c[3] = (u32)p;
        }
    }
    __device__ __forceinline__ i64 word(i64 place) const {
        const u32 low = place & 1 ? c[1] : c[0], high = place & 1 ? c[3] : c[2];
        return place & 2 ? high : low;
    }
};
LITZ_FN i64 l_philox(i64 key, i64 place) { return litz_block(key, (u64)place >> 2).word(place); }
LITZ_NOINLINE i64 litz_philox_apart(i64 key, i64 place) { return l_philox(key, place); }
// Neighbours mostly have words of one block, which is made once for four of them. Where a kernel walks over whole blocks, the
// compiler knows how far each place is from its block's first word.
LITZ_FN vi64 l_philox(i64 key, vi64 place) {
    vi64 r;
    _Pragma("unroll") for (int first = 0; first < LITZ_LANES; first += 4) {
        const int last = first + 4 < LITZ_LANES ? first + 4 : LITZ_LANES;
        const i64 start = place.v[first] & ~(i64)3;
        const litz_block own(key, (u64)start >> 2);
        _Pragma("unroll") for (int i = first; i < last; i++) {
            const i64 within = place.v[i] - start;
            r.v[i] = (u64)within < 4 ? own.word(within) : litz_philox_apart(key, place.v[i]);
        }
    }
    return r;
}
LITZ_FN vi64 l_philox(vi64 key, vi64 place) { vi64 r; LITZ_EACH r.v[i] = l_philox(key.v[i], place.v[i]); return r; }

// Index arithmetic, in the index's own type.
template <class T> LITZ_FN T litz_floor_divide(T a, T b) { return l_floor_divide(a, b); }
template <class T> LITZ_FN T litz_modulo(T a, T b) { return l_remainder(a, b); }
template <class T> LITZ_FN T litz_lesser(T a, T b) { return a < b ? a : b; }
template <class T> LITZ_FN T litz_greater(T a, T b) { return a > b ? a : b; }

// ---- reductions -------------------------------------------------------------------------------------------------------
struct litz_add { template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return add(a, b); } };
struct litz_mul { template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return mul(a, b); } };
struct litz_max { template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return l_maximum(a, b); } };
struct litz_min { template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return l_minimum(a, b); } };
struct litz_xor { template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return bit_xor(a, b); } };
template <class F, class T> LITZ_FN T litz_fold(F f, vec<T> x) {
    T r = x.v[0];
    _Pragma("unroll") for (int i = 1; i < LITZ_LANES; i++) r = f(r, x.v[i]);
    return r;
}
template <class F, class T> LITZ_FN T litz_fold(F, T x) { return x; }
template <class T> LITZ_FN T litz_shuffle_xor(T x, int mask) {
    union { T t; u32 w[(sizeof(T) + 3) / 4]; } u;
    _Pragma("unroll") for (int i = 0; i < (int)((sizeof(T) + 3) / 4); i++) u.w[i] = 0;
    u.t = x;
    _Pragma("unroll") for (int i = 0; i < (int)((sizeof(T) + 3) / 4); i++) u.w[i] = __shfl_xor_sync(0xffffffffu, u.w[i], mask);
    return u.t;
}
// Some values of each of a warp's threads, over the threads: value k is then in x[0] of the threads from k * 32 / R on.
template <int R, class F, class T> LITZ_FN void litz_fold_rows(T (&x)[R], F f) {
    _Pragma("unroll") for (int left = R, step = 16; left > 1; left /= 2, step /= 2) {
        const bool upper = threadIdx.x & step;
        _Pragma("unroll") for (int k = 0; k < left / 2; k++) {
            const T give = upper ? x[k] : x[k + left / 2], keep = upper ? x[k + left / 2] : x[k];
            x[k] = f(keep, litz_shuffle_xor(give, step));
        }
    }
    _Pragma("unroll") for (int step = 16 / R; step > 0; step /= 2) x[0] = f(x[0], litz_shuffle_xor(x[0], step));
}
template <int T, class F, class V> LITZ_FN V reduce_threads(V x, F f, V identity, void *shared) {
    _Pragma("unroll") for (int step = (T < 32 ? T : 32) / 2; step > 0; step /= 2) x = f(x, litz_shuffle_xor(x, step));
    if (T > 32) {
        V *const part = (V *)shared + threadIdx.x / T * 32;
        const int warp = threadIdx.x % T / 32, lane = threadIdx.x % 32;
        __syncthreads();
        if (lane == 0) part[warp] = x;
        __syncthreads();
        x = lane < T / 32 ? part[lane] : identity;
        _Pragma("unroll") for (int step = T / 64; step > 0; step /= 2) x = f(x, litz_shuffle_xor(x, step));
        // Lanes beyond the parts hold the identity: the first lane's is the result.
        union { V t; u32 w[(sizeof(V) + 3) / 4]; } u;
        u.t = x;
        _Pragma("unroll") for (int i = 0; i < (int)(sizeof u.w / 4); i++) u.w[i] = __shfl_sync(0xffffffffu, u.w[i], 0);
        x = u.t;
    }
    return x;
}
// One element of memory combined with a value by whichever thread comes next, in any order.
template <class S, class T, class F> LITZ_FN void litz_atomic(S *p, T x, F f) {
    union { S s; u64 w; u32 h; u16 q; u8 b; } u;
    if (sizeof(S) == 8) {
        u64 seen = *(volatile u64 *)p, wanted = seen, next;
        do {
            wanted = seen;
            u.w = seen;
            litz_write(u.s, (typename litz_stored<S>::type)f((T)litz_read(u.s), x));
            next = u.w;
            seen = atomicCAS((unsigned long long *)p, wanted, next);
        } while (seen != wanted);
        return;
    }
    // Smaller elements are a part of an aligned word.
    u32 *const word = (u32 *)((u64)p & ~(u64)3);
    const int shift = (int)((u64)p & 3) * 8;
    const u32 mask = (sizeof(S) >= 4 ? 0xffffffffu : (1u << (8 * sizeof(S) % 32)) - 1) << shift;
    u32 seen = *(volatile u32 *)word, wanted;
    do {
        wanted = seen;
        u.w = 0;
        u.h = (seen & mask) >> shift;
        litz_write(u.s, (typename litz_stored<S>::type)f((T)litz_read(u.s), x));
        const u32 part = sizeof(S) >= 4 ? u.h : sizeof(S) == 2 ? u.q : u.b;
        seen = atomicCAS(word, wanted, (seen & ~mask) | (part << shift & mask));
    } while (seen != wanted);
}
LITZ_FN void litz_atomic(f32 *p, f32 x, litz_add) { atomicAdd(p, x); }
LITZ_FN void litz_atomic(f64 *p, f64 x, litz_add) { atomicAdd(p, x); }
LITZ_FN void litz_atomic(i32 *p, i32 x, litz_add) { atomicAdd(p, x); }
LITZ_FN void litz_atomic(i64 *p, i64 x, litz_add) { atomicAdd((u64 *)p, (u64)x); }
LITZ_FN void litz_atomic(i32 *p, i32 x, litz_max) { atomicMax(p, x); }
LITZ_FN void litz_atomic(i32 *p, i32 x, litz_min) { atomicMin(p, x); }
LITZ_FN void litz_atomic(i64 *p, i64 x, litz_max) { atomicMax(p, x); }
LITZ_FN void litz_atomic(i64 *p, i64 x, litz_min) { atomicMin(p, x); }
// The same where no other thread has the element.
template <class S, class T, class F> LITZ_FN void litz_combine(S *p, T x, F f) { store(p, f((T)load_scalar(p), x)); }
// Bits that depend on all of x's.
LITZ_FN u32 litz_mixed(u64 x) { return (u32)((x * 0x9e3779b97f4a7c15ull) >> 33); }
// Which of some semaphores a block is the last of so many parts to take, a bit for each, in all of its threads: what the others wrote
// before is then to be seen. The semaphores go from zero to zero.
template <int N> LITZ_FN u32 litz_are_last(i32 *const (&semaphores)[N], const int (&parts)[N]) {
    __shared__ u32 last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence(); // what the barrier has shown to this thread is to be seen before the semaphores
        u32 all = 0;
        _Pragma("unroll") for (int k = 0; k < N; k++)
            all |= (u32)(atomicInc((unsigned *)semaphores[k], (unsigned)parts[k] - 1) == (unsigned)parts[k] - 1) << k;
        last = all;
    }
    __syncthreads();
    const u32 all = last;
    if (all) __threadfence();
    return all;
}
// f over the values of the `above` threads that stand above one another in rows of `across`; the same result in each.
template <int across, int above, class F, class V> LITZ_FN V reduce_above(V x, F f, void *shared) {
    V *const part = (V *)shared + threadIdx.x % across;
    const int row = threadIdx.x / across;
    if (above > 1) {
        __syncthreads();
        part[row * across] = x;
        __syncthreads();
        _Pragma("unroll") for (int step = above / 2; step > 0; step /= 2) {
            if (row < step) part[row * across] = x = f(x, part[(row + step) * across]);
            __syncthreads();
        }
        x = part[0];
    }
    return x;
}
// f over the vectors of the `above` threads that stand above one another, of S strips beside one another: give(c, x) is called for
// every column of the strips, by one thread each. Shared memory holds half of the vectors.
template <int across, int above, int S, class F, class V, class Give>
LITZ_FN void reduce_strips(const vec<V> (&x)[S], F f, void *shared, const Give &give) {
    enum { half = above / 2, wide = across * LITZ_LANES * S };
    const int lane = threadIdx.x % across, row = threadIdx.x / across;
    V *const part = (V *)shared + row % half * wide;
    // Lanes beside one another meet different banks, both where vectors are put down and where columns are picked up.
    const auto place = [](int s, int i, int lane) { return (s * LITZ_LANES + i) * across + (lane ^ i * (across / LITZ_LANES)); };
    __syncthreads();
    if (row >= half) _Pragma("unroll") for (int s = 0; s < S; s++) LITZ_EACH part[place(s, i, lane)] = x[s].v[i];
    __syncthreads();
    if (row < half) _Pragma("unroll") for (int s = 0; s < S; s++) LITZ_EACH part[place(s, i, lane)] = f(x[s].v[i], part[place(s, i, lane)]);
    __syncthreads();
    _Pragma("unroll") for (int c = threadIdx.x; c < wide; c += across * above) {
        const V *const own = (const V *)shared + place(c / (across * LITZ_LANES), c % LITZ_LANES, c / LITZ_LANES % across);
        V sum = own[0];
        _Pragma("unroll") for (int k = 1; k < half; k++) sum = f(sum, own[k * wide]);
        give(c, sum);
    }
}
// An extreme value and where it stands first; the first NaN wins over everything.
template <class T> struct litz_place { T value; i64 place; };
struct litz_first_max {
    template <class T> __device__ __forceinline__ litz_place<T> operator()(litz_place<T> a, litz_place<T> b) const {
        const bool an = a.value != a.value, bn = b.value != b.value;
        const bool second = a.place < 0 || (b.place >= 0 && (an || bn ? (an && bn ? b.place < a.place : bn) : b.value > a.value || (b.value == a.value && b.place < a.place)));
        return second ? b : a;
    }
};
struct litz_first_min {
    template <class T> __device__ __forceinline__ litz_place<T> operator()(litz_place<T> a, litz_place<T> b) const {
        const bool an = a.value != a.value, bn = b.value != b.value;
        const bool second = a.place < 0 || (b.place >= 0 && (an || bn ? (an && bn ? b.place < a.place : bn) : b.value < a.value || (b.value == a.value && b.place < a.place)));
        return second ? b : a;
    }
};
#endif
