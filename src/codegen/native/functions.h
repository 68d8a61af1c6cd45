// Litz native functions: exp, log, tanh and the like for generated CPU kernels; stands after prelude.h.
//
// Each function exists for f32, f64, vf32 and vf64, and only where its macro was defined before this text (LITZ_USE_ALL for all):
// LITZ_USE_EXP makes l_exp, and so on for EXP2 EXPM1 LOG LOG2 LOG10 LOG1P SIN COS TAN ASIN ACOS ATAN SINH COSH TANH ASINH ACOSH
// ATANH ERF ERFC ERFINV POW ATAN2 HYPOT NEXTAFTER SIGMOID LGAMMA DIGAMMA IGAMMA IGAMMAC, and l_philox of i64 and vi64 for PHILOX.
//
// The f32 forms of exp exp2 expm1 log log2 log10 log1p sin cos tanh erf sigmoid pow are branch-free polynomials within 2 ulp
// (coefficients are own minimax fits, the error of the fit stated beside each), right for NaN, infinities, zeros, denormals.
// Their scalar form is lane 0 of the vector form: equal bits. Other f32 forms and most f64 forms are f64_math.h's. The rest loops over
// lanes and calls libm, so a program that uses it links libm.
#ifndef LITZ_FUNCTIONS_H
#define LITZ_FUNCTIONS_H

// The scalar f32 form is a lane of the vector form, which is written out beside this macro; the f64 forms are f64_math.h's.
#define LITZ_POLYNOMIAL_FORMS(name, core64) \
    LITZ_FN f32 name(f32 x) { return name(splat(x))[0]; } \
    LITZ_WIDE_FORMS(name, core64)
#define LITZ_LIBM_FORMS(name, libm32, libm64) \
    LITZ_FN f32 name(f32 x) { return libm32(x); } \
    LITZ_FN f64 name(f64 x) { return libm64(x); } \
    LITZ_LANEWISE1(name, f32, vf32) \
    LITZ_LANEWISE1(name, f64, vf64)
#define LITZ_LIBM_FORMS2(name, libm32, libm64) \
    LITZ_FN f32 name(f32 x, f32 y) { return libm32(x, y); } \
    LITZ_FN f64 name(f64 x, f64 y) { return libm64(x, y); } \
    LITZ_LANEWISE2(name, f32, vf32) \
    LITZ_LANEWISE2(name, f64, vf64)
// Angles of 2^20 and more are libm's.
#define LITZ_FAR_LANES(name, T, V, far, libm) \
    LITZ_NOINLINE V far(V v, V w) { \
        T x[LITZ_LANES], r[LITZ_LANES]; \
        litz_to_lanes(x, v); \
        litz_to_lanes(r, w); \
        for (int i = 0; i < LITZ_LANES; i++) r[i] = l_abs(x[i]) < (T)0x1p20 ? r[i] : libm(x[i]); \
        return litz_from_lanes(r); \
    }
// One step of Horner's rule.
#define LITZ_STEP(p, x, c) p = fused(p, x, splat(c))

#if defined(LITZ_USE_EXP) || defined(LITZ_USE_SIGMOID) || defined(LITZ_USE_ERF) || defined(LITZ_USE_EXP2) || defined(LITZ_USE_EXPM1) || defined(LITZ_USE_TANH)
#define LITZ_LN2_HIGH 0.693145751953125f /* 15 bits: times an exponent it is exact */
#define LITZ_LN2_LOW 1.42860682031e-6f
// x * 2^n for integral n, -300 < n < 300, rounded once.
LITZ_FN vf32 litz_scale(vf32 x, vf32 n) {
#if LITZ_VECTOR_BYTES == 64
    vf32 r;
    __asm__("vscalefps %2,%1,%0" : "=v"(r) : "v"(x), "v"(n));
    return r;
#else
    vi32 k = to_i32(n), a = k >> 1, b = k - a;
    return x * (vf32)((a + 127) << 23) * (vf32)((b + 127) << 23);
#endif
}
// n = round(x / ln 2) and x - n ln 2, for |x| < 2^21.
LITZ_FN vf32 litz_exp_reduce(vf32 x, vf32 *n) {
    vf32 big = splat(0x1.8p23f);
    *n = fused(x, splat(1.44269504f), big) - big;
    return fused(*n, splat(-LITZ_LN2_LOW), fused(*n, splat(-LITZ_LN2_HIGH), x));
}
// e^r = 1 + r + r^2 Q(r) on |r| <= ln(2)/2; relative error of the fit 3.1e-9. A result that rounds to zero takes the processor thirty times as
// long to compute, and masked scores have nothing else: lanes below compute e^0 and are put to zero.
LITZ_FN vf32 litz_exp(vf32 x) {
    vmask below = lt(x, splat(-104.0f));
    x = x > 89.0f ? splat(89.0f) : x;
    x = select(below, vf32{}, x);
    vf32 n, r = litz_exp_reduce(x, &n), q = splat(0.001381454435f);
    LITZ_STEP(q, r, 0.008368745063f);
    LITZ_STEP(q, r, 0.04166839069f);
    LITZ_STEP(q, r, 0.166665204f);
    LITZ_STEP(q, r, 0.4999999343f);
    return select(below, vf32{}, litz_scale(fused(r * r, q, r) + 1.0f, n));
}
#endif
#ifdef LITZ_USE_EXP
LITZ_MATH vf32 l_exp(vf32 x) { return litz_exp(x); }
LITZ_POLYNOMIAL_FORMS(l_exp, litz_exp64)
#endif
#ifdef LITZ_USE_EXP2
// 2^t = 1 + t Q(t) on |t| <= 1/2; relative error of the fit 1.9e-9.
LITZ_MATH vf32 l_exp2(vf32 x) {
    vmask below = lt(x, splat(-151.0f));
    x = x > 129.0f ? splat(129.0f) : x;
    x = select(below, vf32{}, x);
    vf32 n = (x + 0x1.8p23f) - 0x1.8p23f, t = x - n, q = splat(0.0001547638712f);
    LITZ_STEP(q, t, 0.001340034635f);
    LITZ_STEP(q, t, 0.00961800359f);
    LITZ_STEP(q, t, 0.05550327604f);
    LITZ_STEP(q, t, 0.2402265135f);
    LITZ_STEP(q, t, 0.6931472063f);
    return select(below, vf32{}, litz_scale(fused(t, q, splat(1.0f)), n));
}
LITZ_POLYNOMIAL_FORMS(l_exp2, litz_exp2_64)
#endif
#ifdef LITZ_USE_EXPM1
// e^r - 1 = r + r^2 Q(r) on |r| <= ln(2)/2; relative error of the fit 2.4e-10.
LITZ_FN vf32 litz_expm1_reduced(vf32 r) {
    vf32 q = splat(0.0001991422805f);
    LITZ_STEP(q, r, 0.001394105005f);
    LITZ_STEP(q, r, 0.008333272954f);
    LITZ_STEP(q, r, 0.04166635416f);
    LITZ_STEP(q, r, 0.1666666682f);
    LITZ_STEP(q, r, 0.5000000047f);
    return fused(r * r, q, r);
}
#endif
#ifdef LITZ_USE_EXPM1
// 2^n e^r - 1 = 2 (2^(n-1) (e^r - 1) + (2^(n-1) - 1/2)): no cancellation, and no early overflow.
LITZ_MATH vf32 l_expm1(vf32 x) {
    vf32 y = x > 89.0f ? splat(89.0f) : x;
    y = y < -20.0f ? splat(-20.0f) : y;
    vf32 n, r = litz_exp_reduce(y, &n), p = litz_expm1_reduced(r);
    vf32 s = (vf32)((to_i32(n) + 126) << 23);
    vf32 e = fused(s, p, s - 0.5f);
    e = e + e;
    e = n == 0.0f ? p : e;
    return x == 0.0f ? x : (x != x ? x : e);
}
LITZ_POLYNOMIAL_FORMS(l_expm1, litz_expm1_64)
#endif
#ifdef LITZ_USE_SIGMOID
// With e = e^-|x| and q = e / (1 + e): 1 - q on the right, q = e - e q on the left. Neither overflows, and the rounding of
// the division is scaled down on both.
LITZ_MATH vf32 l_sigmoid(vf32 x) {
    vf32 e = litz_exp(-l_abs(x)), q = e / (e + 1.0f);
    return x < 0.0f ? fused(-e, q, e) : 1.0f - q;
}
LITZ_FN f32 l_sigmoid(f32 x) { return l_sigmoid(splat(x))[0]; }
LITZ_WIDE_FORMS(l_sigmoid, litz_sigmoid64)
#endif
#ifdef LITZ_USE_TANH
// |x| < 0.6: x + x^3 P(x^2), error 2.7e-9; above: 1 - 2 / (e^2|x| + 1).
LITZ_MATH vf32 l_tanh(vf32 x) {
    vf32 z = x * x, p = splat(-0.005905910966f);
    LITZ_STEP(p, z, 0.02080542462f);
    LITZ_STEP(p, z, -0.05378669686f);
    LITZ_STEP(p, z, 0.1333195842f);
    LITZ_STEP(p, z, -0.3333329928f);
    vf32 a = l_abs(x), near = fused(a * z, p, a);
    vf32 far = 1.0f - 2.0f / (litz_exp(a + a) + 1.0f);
    return l_copysign(a < 0.6f ? near : far, x);
}
LITZ_POLYNOMIAL_FORMS(l_tanh, litz_tanh64)
#endif
#ifdef LITZ_USE_ERF
// |x| < 0.92: x + x P(x^2), error 1.5e-9 with degree 6; above: 1 - e^-g(|x|), g fitted to -log erfc with absolute error 4e-11 of erf.
LITZ_MATH vf32 l_erf(vf32 x) {
    vf32 z = x * x, p = splat(8.409919582e-5f);
    LITZ_STEP(p, z, -0.0008152627768f);
    LITZ_STEP(p, z, 0.005201960219f);
    LITZ_STEP(p, z, -0.0268597986f);
    LITZ_STEP(p, z, 0.1128370331f);
    LITZ_STEP(p, z, -0.376126343f);
    LITZ_STEP(p, z, 0.1283791667f);
    vf32 small = fused(x, p, x);
    vf32 a = l_abs(x);
    vf32 b = a > 4.0f ? splat(4.0f) : a;
    vf32 g = splat(2.116183955e-5f);
    LITZ_STEP(g, b, -0.0004352181349f);
    LITZ_STEP(g, b, 0.004174639482f);
    LITZ_STEP(g, b, -0.02512861552f);
    LITZ_STEP(g, b, 0.108293933f);
    LITZ_STEP(g, b, 0.6333346651f);
    LITZ_STEP(g, b, 1.129520817f);
    LITZ_STEP(g, b, -0.0001758733743f);
    vf32 large = l_copysign(1.0f - litz_exp(-g), x);
    return a < 0.92f ? small : (x != x ? x : large);
}
LITZ_FN f32 l_erf(f32 x) { return l_erf(splat(x))[0]; }
LITZ_FN f64 l_erf(f64 x) { return __builtin_erf(x); }
LITZ_LANEWISE1(l_erf, f64, vf64)
#endif

#if defined(LITZ_USE_LOG) || defined(LITZ_USE_LOG2) || defined(LITZ_USE_LOG10) || defined(LITZ_USE_LOG1P) || defined(LITZ_USE_POW)
// x = 2^e (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), exactly, for finite x > 0; returns f.
LITZ_FN vf32 litz_log_split(vf32 x, vf32 *e) {
    vi32 tiny = x < 0x1p-126f;
    vi32 b = (vi32)(tiny ? x * 0x1p23f : x);
    vi32 k = (b - 0x3f3504f3) >> 23;
    *e = LITZ_CONVERT(k, vf32) - (tiny ? splat(23.0f) : splat(0.0f));
    return (vf32)(b - (k << 23)) - 1.0f;
}
// log(1 + f) - f = -f^2/2 + f^3 P(f); relative error of the sum 5.9e-9.
LITZ_FN vf32 litz_log_rest(vf32 f) {
    vf32 z = f * f, p = splat(-0.07859702327f);
    LITZ_STEP(p, f, 0.1288165708f);
    LITZ_STEP(p, f, -0.1312872166f);
    LITZ_STEP(p, f, 0.141811886f);
    LITZ_STEP(p, f, -0.1662455765f);
    LITZ_STEP(p, f, 0.2000228655f);
    LITZ_STEP(p, f, -0.2500081028f);
    LITZ_STEP(p, f, 0.3333331672f);
    return fused(z * f, p, z * -0.5f);
}
LITZ_FN vf32 litz_log_specials(vf32 r, vf32 x) {
    r = x < __builtin_inff() ? r : x;
    r = x < 0.0f ? splat(__builtin_nanf("")) : r;
    return x == 0.0f ? splat(-__builtin_inff()) : r;
}
#endif
#ifdef LITZ_USE_LOG
LITZ_MATH vf32 l_log(vf32 x) {
    vf32 e, f = litz_log_split(x, &e);
    return litz_log_specials(fused(e, splat(0.693145751953125f), f + fused(e, splat(1.42860682031e-6f), litz_log_rest(f))), x);
}
LITZ_POLYNOMIAL_FORMS(l_log, litz_log64)
#endif
#ifdef LITZ_USE_LOG2
// 1/ln 2 in two parts, so that the product with f keeps its accuracy where e is 0.
LITZ_MATH vf32 l_log2(vf32 x) {
    vf32 e, f = litz_log_split(x, &e), t = litz_log_rest(f);
    return litz_log_specials(e + fused(f, splat(1.4426950216f), fused(f, splat(1.925962991e-8f), t * 1.4426950216f)), x);
}
LITZ_POLYNOMIAL_FORMS(l_log2, litz_log2_64)
#endif
#ifdef LITZ_USE_LOG10
LITZ_MATH vf32 l_log10(vf32 x) {
    vf32 e, f = litz_log_split(x, &e), t = litz_log_rest(f);
    vf32 low = fused(e, splat(4.6050389812e-6f), fused(f, splat(-1.010305005e-8f), t * 0.434294492f));
    return litz_log_specials(fused(e, splat(0.301025390625f), fused(f, splat(0.434294492f), low)), x);
}
LITZ_POLYNOMIAL_FORMS(l_log10, litz_log10_64)
#endif
#ifdef LITZ_USE_LOG1P
// u = 1 + x loses x's low part, c = x - (u - 1) or 1 - (u - x); it comes back as c 2^-e in f.
LITZ_MATH vf32 l_log1p(vf32 x) {
    vf32 u = x + 1.0f, c = x < 1.0f ? x - (u - 1.0f) : 1.0f - (u - x);
    vf32 e, f = litz_log_split(u, &e);
    vi32 k = to_i32(e);
    k = k > 126 ? splat(126) : k;
    vf32 scaled = c * (vf32)((127 - k) << 23);
    f = f + (e < 30.0f ? scaled : splat(0.0f));
    vf32 r = litz_log_specials(fused(e, splat(0.693145751953125f), f + fused(e, splat(1.42860682031e-6f), litz_log_rest(f))), u);
    return x == 0.0f ? x : r;
}
LITZ_POLYNOMIAL_FORMS(l_log1p, litz_log1p64)
#endif

#if defined(LITZ_USE_SIN) || defined(LITZ_USE_COS)
LITZ_FN nf64 litz_quarter_turns(nf64 x, hi32 *quadrant) {
    nf64 t = x * 0.63661977236758134308 + 0x1.8p52;
    *quadrant = LITZ_CONVERT((ni64)t, hi32);
    nf64 n = t - 0x1.8p52;
    // pi/2 to 33 bits, so that n times it is exact for n < 2^20, and the rest of it.
    return (x - n * 1.570796326734125614166) - n * 6.0771005065061926015e-11;
}
// The angle is reduced in f64 (exact to 1e-11 for |x| < 2^20), both polynomials are evaluated and the quadrant chooses.
// sin r = r + r^3 S(r^2), error 4.9e-12; cos r = 1 - r^2/2 + r^4 C(r^2), error 9.6e-11, on |r| <= pi/4.
LITZ_FN vf32 litz_sine(vf32 x, i32 turn) {
    hi32 qa, qb;
    nf64 ra = litz_quarter_turns(LITZ_CONVERT(LITZ_LOW(hf32, x), nf64), &qa), rb = litz_quarter_turns(LITZ_CONVERT(LITZ_HIGH(hf32, x), nf64), &qb);
    vf32 r = LITZ_JOIN(vf32, LITZ_CONVERT(ra, hf32), LITZ_CONVERT(rb, hf32));
    vi32 q = LITZ_JOIN(vi32, qa, qb) + turn;
    vf32 z = r * r, s = splat(2.718237672e-6f), c = splat(2.443774052e-5f);
    LITZ_STEP(s, z, -0.0001983932719f);
    LITZ_STEP(s, z, 0.008333329362f);
    LITZ_STEP(s, z, -0.1666666664f);
    s = z == 0.0f ? r : fused(r * z, s, r);
    LITZ_STEP(c, z, -0.001388736156f);
    LITZ_STEP(c, z, 0.04166664675f);
    c = fused(z * z, c, fused(z, splat(-0.5f), splat(1.0f)));
    vf32 v = (q & 1) != 0 ? c : s;
    return (vf32)((vi32)v ^ ((q & 2) << 30));
}
LITZ_FN vmask litz_sine_far(vf32 x) { return vmask{~(l_abs(x) < 0x1p20f)}; }
#endif
#ifdef LITZ_USE_SIN
LITZ_FAR_LANES(l_sin, f32, vf32, litz_sin_far, __builtin_sinf)
LITZ_MATH vf32 l_sin(vf32 x) {
    vf32 r = litz_sine(x, 0);
    return __builtin_expect(any(litz_sine_far(x)), 0) ? litz_sin_far(x, r) : r;
}
LITZ_FN f32 l_sin(f32 x) { return l_sin(splat(x))[0]; }
LITZ_FAR_LANES(l_sin, f64, vf64, litz_sin_far64, __builtin_sin)
LITZ_MATH vf64 l_sin(vf64 x) {
    vf64 r = vf64{litz_sine64(x.lo, 0), litz_sine64(x.hi, 0)};
    return __builtin_expect(any(litz_turns_far64(x)), 0) ? litz_sin_far64(x, r) : r;
}
LITZ_FN f64 l_sin(f64 x) { return l_sin(splat(x))[0]; }
#endif
#ifdef LITZ_USE_COS
LITZ_FAR_LANES(l_cos, f32, vf32, litz_cos_far, __builtin_cosf)
LITZ_MATH vf32 l_cos(vf32 x) {
    vf32 r = litz_sine(x, 1);
    return __builtin_expect(any(litz_sine_far(x)), 0) ? litz_cos_far(x, r) : r;
}
LITZ_FN f32 l_cos(f32 x) { return l_cos(splat(x))[0]; }
LITZ_FAR_LANES(l_cos, f64, vf64, litz_cos_far64, __builtin_cos)
LITZ_MATH vf64 l_cos(vf64 x) {
    vf64 r = vf64{litz_sine64(x.lo, 1), litz_sine64(x.hi, 1)};
    return __builtin_expect(any(litz_turns_far64(x)), 0) ? litz_cos_far64(x, r) : r;
}
LITZ_FN f64 l_cos(f64 x) { return l_cos(splat(x))[0]; }
#endif

#ifdef LITZ_USE_POW
// Integers wrap; a negative exponent gives what rounding 1 / a^-b to zero does.
template <class T> LITZ_FN typename litz_int<T>::self l_pow(T a, T b) {
    if (litz_negative(b)) return a == 1 ? (T)1 : a == (T)-1 ? ((b & 1) ? (T)-1 : (T)1) : (T)0;
    T result = 1;
    for (; b != 0; b = (T)(b >> 1)) {
        if (b & 1) result = mul(result, a);
        a = mul(a, a);
    }
    return result;
}
LITZ_LANEWISE_INT(l_pow)
// |x|^y = 2^(y log2 |x|) in f64: log2(1 + f) = s P(s^2) with s = f / (2 + f), error 5e-16; 2^t = 1 + t Q(t), error 8e-13.
LITZ_FN hf32 litz_pow_half(nf64 f, nf64 e, nf64 y) {
    nf64 s = f / (f + 2.0), z = s * s, p = (nf64){} + 0.242959047202613853;
    LITZ_STEP64(p, z, 0.26144061737358538);
    LITZ_STEP64(p, z, 0.320616503036548505);
    LITZ_STEP64(p, z, 0.412198400376598814);
    LITZ_STEP64(p, z, 0.577078017257293914);
    LITZ_STEP64(p, z, 0.961796693924308329);
    LITZ_STEP64(p, z, 2.88539008177792732);
    nf64 w = y * fused(s, p, e);
    w = w > 1000.0 ? (nf64){} + 1000.0 : w;
    w = w < -1000.0 ? (nf64){} - 1000.0 : w;
    nf64 n = w + 0x1.8p52, t = w - (n - 0x1.8p52), q = (nf64){} + 1.32635059373244091e-6;
    LITZ_STEP64(q, t, 0.0000153100060208574135);
    LITZ_STEP64(q, t, 0.000154034154476925156);
    LITZ_STEP64(q, t, 0.00133334509490777325);
    LITZ_STEP64(q, t, 0.00961812921943089144);
    LITZ_STEP64(q, t, 0.0555041094060837333);
    LITZ_STEP64(q, t, 0.240226506955544991);
    LITZ_STEP64(q, t, 0.69314718054620177);
    // The low bits of n's mantissa are the integer in two's complement; shifted into the exponent they scale by 2^n.
    nf64 r = fused(t, q, (nf64){} + 1.0);
    return LITZ_CONVERT((nf64)((ni64)r + (((ni64)n) << 52)), hf32);
}
LITZ_NOINLINE vf32 litz_pow_special(vf32 x, vf32 y, vf32 r, vi32 m) {
    for (int i = 0; i < LITZ_LANES; i++) if (m[i]) r[i] = __builtin_powf(x[i], y[i]);
    return r;
}
LITZ_MATH vf32 l_pow(vf32 x, vf32 y) {
    vf32 a = l_abs(x), e, f = litz_log_split(a, &e), inf = splat(__builtin_inff());
    hf32 low = litz_pow_half(LITZ_CONVERT(LITZ_LOW(hf32, f), nf64), LITZ_CONVERT(LITZ_LOW(hf32, e), nf64), LITZ_CONVERT(LITZ_LOW(hf32, y), nf64));
    hf32 high = litz_pow_half(LITZ_CONVERT(LITZ_HIGH(hf32, f), nf64), LITZ_CONVERT(LITZ_HIGH(hf32, e), nf64), LITZ_CONVERT(LITZ_HIGH(hf32, y), nf64));
    vf32 r = LITZ_JOIN(vf32, low, high);
    // A negative base: NaN unless y is an integer, negative where it is odd (to_i32 of a large y is even).
    r = ((x < 0.0f) & ((to_i32(y) & 1) != 0)) ? -r : r;
    r = ((x < 0.0f) & (l_round(y) != y)) ? splat(__builtin_nanf("")) : r;
    vi32 special = (a == 0.0f) | ~(a < inf) | ~(l_abs(y) < inf);
    return __builtin_expect(any(vmask{special}), 0) ? litz_pow_special(x, y, r, special) : r;
}
LITZ_FN f32 l_pow(f32 x, f32 y) { return l_pow(splat(x), splat(y))[0]; }
LITZ_FN f64 l_pow(f64 x, f64 y) { return __builtin_pow(x, y); }
LITZ_LANEWISE2(l_pow, f64, vf64)
#endif

#ifdef LITZ_USE_TAN
LITZ_SHORT_FORMS(litz_tan_near, litz_tan_short)
LITZ_FAR_LANES(l_tan, f32, vf32, litz_tan_far, __builtin_tanf)
LITZ_MATH vf32 l_tan(vf32 x) {
    vf32 r = litz_tan_near(x);
    return __builtin_expect(any(mask_not(lt(l_abs(x), splat(0x1p20f)))), 0) ? litz_tan_far(x, r) : r;
}
LITZ_FN f32 l_tan(f32 x) { return l_tan(splat(x))[0]; }
LITZ_FN f64 l_tan(f64 x) { return __builtin_tan(x); }
LITZ_LANEWISE1(l_tan, f64, vf64)
#endif
#define LITZ_SHORT_AND_LIBM(name, core, libm64) \
    LITZ_SHORT_FORMS(name, core) \
    LITZ_FN f64 name(f64 x) { return libm64(x); } \
    LITZ_LANEWISE1(name, f64, vf64)
#ifdef LITZ_USE_ASIN
LITZ_SHORT_AND_LIBM(l_asin, litz_asin_short, __builtin_asin)
#endif
#ifdef LITZ_USE_ACOS
LITZ_SHORT_AND_LIBM(l_acos, litz_acos_short, __builtin_acos)
#endif
#ifdef LITZ_USE_ATAN
LITZ_FN nf64 litz_atan_short(nf64 x) { return litz_atan2_short(x, LITZ_WIDE(1.0)); }
LITZ_SHORT_AND_LIBM(l_atan, litz_atan_short, __builtin_atan)
#endif
#define LITZ_WIDE_AND_SHORT(name, core) LITZ_SHORT_FORMS(name, core) LITZ_WIDE_FORMS(name, core)
#ifdef LITZ_USE_SINH
LITZ_WIDE_AND_SHORT(l_sinh, litz_sinh64)
#endif
#ifdef LITZ_USE_COSH
LITZ_WIDE_AND_SHORT(l_cosh, litz_cosh64)
#endif
#ifdef LITZ_USE_ASINH
LITZ_WIDE_AND_SHORT(l_asinh, litz_asinh64)
#endif
#ifdef LITZ_USE_ACOSH
LITZ_WIDE_AND_SHORT(l_acosh, litz_acosh64)
#endif
#ifdef LITZ_USE_ATANH
LITZ_WIDE_AND_SHORT(l_atanh, litz_atanh64)
#endif
#ifdef LITZ_USE_ERFC
LITZ_LIBM_FORMS(l_erfc, __builtin_erfcf, __builtin_erfc)
#endif
#ifdef LITZ_USE_LGAMMA
LITZ_LIBM_FORMS(l_lgamma, __builtin_lgammaf, __builtin_lgamma)
#endif
#ifdef LITZ_USE_ATAN2
LITZ_MATH vf32 l_atan2(vf32 y, vf32 x) {
    nf64 low = litz_atan2_short(LITZ_CONVERT(LITZ_LOW(hf32, y), nf64), LITZ_CONVERT(LITZ_LOW(hf32, x), nf64));
    nf64 high = litz_atan2_short(LITZ_CONVERT(LITZ_HIGH(hf32, y), nf64), LITZ_CONVERT(LITZ_HIGH(hf32, x), nf64));
    return LITZ_JOIN(vf32, LITZ_CONVERT(low, hf32), LITZ_CONVERT(high, hf32));
}
LITZ_FN f32 l_atan2(f32 y, f32 x) { return l_atan2(splat(y), splat(x))[0]; }
LITZ_FN f64 l_atan2(f64 y, f64 x) { return __builtin_atan2(y, x); }
LITZ_LANEWISE2(l_atan2, f64, vf64)
#endif
#ifdef LITZ_USE_HYPOT
LITZ_LIBM_FORMS2(l_hypot, __builtin_hypotf, __builtin_hypot)
#endif
#ifdef LITZ_USE_NEXTAFTER
LITZ_LIBM_FORMS2(l_nextafter, __builtin_nextafterf, __builtin_nextafter)
#endif
#ifdef LITZ_USE_ERFINV
// A starting value (Winitzki's approximation of erf, inverted; near 0 the Taylor series), then Halley's method on
// erf(y) = x, or on erfc(y) = 1 - |x| above 1/2, where 1 - |x| is exact.
LITZ_NOINLINE f64 litz_erfinv(f64 x) {
    f64 a = l_abs(x);
    if (!(a < 1)) return a == 1 ? l_copysign(__builtin_inf(), x) : __builtin_nan("");
    f64 y;
    if (a < 0.05) {
        y = 0.88622692545275801365 * a * (1 + 0.26179938779914943654 * a * a);
    } else {
        f64 l = __builtin_log((1 - a) * (1 + a)), b = 4.3307467508 + 0.5 * l;
        y = l_sqrt(l_sqrt(b * b - l / 0.147) - b);
    }
    for (int i = 0; i < 3; i++) {
        f64 error = a > 0.5 ? (1 - a) - __builtin_erfc(y) : __builtin_erf(y) - a;
        f64 step = error * 0.88622692545275801365 * __builtin_exp(y * y);
        y -= step / (1 + y * step);
    }
    return l_copysign(y, x);
}
LITZ_FN f64 l_erfinv(f64 x) { return litz_erfinv(x); }
LITZ_SHORT_FORMS(l_erfinv, litz_erfinv_short)
LITZ_LANEWISE1(l_erfinv, f64, vf64)
#endif
#ifdef LITZ_USE_DIGAMMA
// Reflection for negative x, recurrence up to x >= 10, then log x - 1/(2x) - sum B_2k / (2k x^2k).
LITZ_NOINLINE f64 litz_digamma(f64 x) {
    if (x == 0) return l_copysign(__builtin_inf(), -x);
    f64 r = 0;
    if (x < 0) {
        f64 whole = l_trunc(x);
        if (x == whole) return __builtin_nan("");
        r = -3.14159265358979323846 / __builtin_tan(3.14159265358979323846 * (x - whole));
        x = 1 - x;
    }
    if (x == __builtin_inf()) return x;
    for (; x < 10; x += 1) r -= 1 / x;
    f64 z = 1 / (x * x), s = 1.0 / 12;
    s = 1.0 / 132 - z * (691.0 / 32760 - z * s);
    s = 1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * s)));
    return r + __builtin_log(x) - 0.5 / x - z * s;
}
LITZ_FN f64 l_digamma(f64 x) { return litz_digamma(x); }
LITZ_FN f32 l_digamma(f32 x) { return (f32)litz_digamma(x); }
LITZ_LANEWISE1(l_digamma, f32, vf32)
LITZ_LANEWISE1(l_digamma, f64, vf64)
#endif
#if defined(LITZ_USE_IGAMMA) || defined(LITZ_USE_IGAMMAC)
LITZ_NOINLINE f64 litz_gamma_part(f64 a, f64 x, int upper);
#define LITZ_GAMMA_FORMS(name, upper) \
    LITZ_FN f64 name(f64 a, f64 x) { return litz_gamma_part(a, x, upper); } \
    LITZ_FN f32 name(f32 a, f32 x) { return (f32)litz_gamma_part(a, x, upper); } \
    LITZ_LANEWISE2(name, f32, vf32) \
    LITZ_LANEWISE2(name, f64, vf64)
LITZ_GAMMA_FORMS(l_igamma, 0)
LITZ_GAMMA_FORMS(l_igammac, 1)
#endif
#ifdef LITZ_USE_PHILOX
// Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, 2011): word `place % 4` of block `place / 4` under the key.
#define LITZ_PHILOX_0 0xD2511F53u
#define LITZ_PHILOX_1 0xCD9E8D57u
LITZ_MATH i64 l_philox(i64 key, i64 place) {
    const u64 block = (u64)place >> 2;
    u32 c[4] = {(u32)block, (u32)(block >> 32), 0, 0}, k0 = (u32)key, k1 = (u32)((u64)key >> 32);
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const u64 p = (u64)c[0] * LITZ_PHILOX_0, q = (u64)c[2] * LITZ_PHILOX_1;
        c[0] = (u32)(q >> 32) ^ c[1] ^ k0, c[1] = (u32)q, c[2] = (u32)(p >> 32) ^ c[3] ^ k1, c[3] = (u32)p;
    }
    return c[place & 3];
}
// The product of the lower halves of 64-bit lanes; the upper halves may hold anything.
LITZ_FN nu64 litz_lower_product(nu64 a, nu64 b) {
#if defined(__AVX512F__) || defined(__AVX2__)
    nu64 r;
    __asm__("vpmuludq %2,%1,%0" : "=v"(r) : "v"(a), "v"(b));
    return r;
#elif defined(__SSE2__)
    __asm__("pmuludq %1,%0" : "+x"(a) : "x"(b));
    return a;
#else
    return (a & 0xffffffffu) * (b & 0xffffffffu);
#endif
}
LITZ_FN ni64 litz_philox_lanes(i64 key, ni64 place) {
    const nu64 zero = {}, m0 = zero + LITZ_PHILOX_0, m1 = zero + LITZ_PHILOX_1;
    u32 k0 = (u32)key, k1 = (u32)((u64)key >> 32);
    nu64 c0 = (nu64)place >> 2, c1 = c0 >> 32, c2 = zero, c3 = zero;
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const nu64 p = litz_lower_product(c0, m0), q = litz_lower_product(c2, m1);
        c0 = (q >> 32) ^ c1 ^ (zero + k0), c1 = q, c2 = (p >> 32) ^ c3 ^ (zero + k1), c3 = p;
    }
    const nu64 odd = zero - ((nu64)place & 1), upper = zero - ((nu64)place >> 1 & 1);
    const nu64 low = c0 ^ ((c0 ^ c1) & odd), high = c2 ^ ((c2 ^ c3) & odd);
    return (ni64)((low ^ ((low ^ high) & upper)) & 0xffffffffu);
}
LITZ_MATH vi64 l_philox(i64 key, vi64 place) { return vi64{litz_philox_lanes(key, place.lo), litz_philox_lanes(key, place.hi)}; }
LITZ_LANEWISE2(l_philox, i64, vi64)
#endif

#endif
