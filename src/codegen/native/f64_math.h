// Litz native functions in float64: one machine vector of 64-bit lanes at a time; stands between prelude.h and functions.h.
//
// litz_NAME64(nf64) for exp exp2 expm1 log log1p log2 log10 sin cos sigmoid tanh sinh cosh asinh acosh atanh: branch-free, within 2 ulp
// (tanh to atanh 3), right for NaN, infinities, zeros, denormals. litz_NAME_short(nf64) for tan atan2 asin acos erfinv: with as many
// digits as float32 results need. The fits are own ones; the error stands beside each. LITZ_USE_NAME says which are wanted.
#ifndef LITZ_WIDE_H
#define LITZ_WIDE_H

#ifdef LITZ_USE_ALL
#define LITZ_USE_EXP
#define LITZ_USE_EXP2
#define LITZ_USE_EXPM1
#define LITZ_USE_LOG
#define LITZ_USE_LOG2
#define LITZ_USE_LOG10
#define LITZ_USE_LOG1P
#define LITZ_USE_SIN
#define LITZ_USE_COS
#define LITZ_USE_TAN
#define LITZ_USE_ASIN
#define LITZ_USE_ACOS
#define LITZ_USE_ATAN
#define LITZ_USE_SINH
#define LITZ_USE_COSH
#define LITZ_USE_TANH
#define LITZ_USE_ASINH
#define LITZ_USE_ACOSH
#define LITZ_USE_ATANH
#define LITZ_USE_ERF
#define LITZ_USE_ERFC
#define LITZ_USE_ERFINV
#define LITZ_USE_POW
#define LITZ_USE_ATAN2
#define LITZ_USE_HYPOT
#define LITZ_USE_NEXTAFTER
#define LITZ_USE_SIGMOID
#define LITZ_USE_LGAMMA
#define LITZ_USE_DIGAMMA
#endif

#define LITZ_WIDE(c) ((nf64){} + (c))
#define LITZ_STEP64(p, x, c) p = fused(p, x, LITZ_WIDE(c))
LITZ_FN nf64 litz_size64(nf64 x) { return (nf64)((ni64)x & ((i64)-1 ^ ((i64)1 << 63))); }
LITZ_FN nf64 litz_signed64(nf64 size, nf64 x) { return (nf64)((ni64)size | ((ni64)x & ((ni64){} + (i64)((u64)1 << 63)))); }
// A function of float64 lanes as one of a float64 and of W of them; of float32, each half of a vector in float64; as a scalar, a
// lane of the vector form: equal bits.
#define LITZ_WIDE_FORMS(name, core) \
    LITZ_MATH vf64 name(vf64 x) { return vf64{core(x.lo), core(x.hi)}; } \
    LITZ_FN f64 name(f64 x) { return core(x - (nf64){})[0]; }
#define LITZ_SHORT_FORMS(name, core) \
    LITZ_MATH vf32 name(vf32 x) { \
        return LITZ_JOIN(vf32, LITZ_CONVERT(core(LITZ_CONVERT(LITZ_LOW(hf32, x), nf64)), hf32), LITZ_CONVERT(core(LITZ_CONVERT(LITZ_HIGH(hf32, x), nf64)), hf32)); \
    } \
    LITZ_FN f32 name(f32 x) { return name(splat(x))[0]; }

// 2^52 * 1.5: what is added to it is rounded to an integer, which the low bits of the sum then are.
#define LITZ_MAGIC64 0x1.8p52
#define LITZ_LN2_HIGH64 0x1.62e42fefp-1 /* 33 bits: times an exponent it is exact */
#define LITZ_LN2_LOW64 0x1.473de6af278edp-34

#if defined(LITZ_USE_EXP) || defined(LITZ_USE_EXP2) || defined(LITZ_USE_SIGMOID) || defined(LITZ_USE_COSH) || defined(LITZ_USE_EXPM1) || defined(LITZ_USE_TANH) || defined(LITZ_USE_SINH)
// x * 2^k, rounded once, for an integer in the low bits of LITZ_MAGIC64 + k.
LITZ_FN nf64 litz_scale64(nf64 x, nf64 shifted) {
#if LITZ_VECTOR_BYTES == 64
    nf64 r, n = shifted - LITZ_MAGIC64;
    __asm__("vscalefpd %2,%1,%0" : "=v"(r) : "v"(x), "v"(n));
    return r;
#else
    ni64 k = (ni64)shifted - (ni64)LITZ_WIDE(LITZ_MAGIC64), a = k >> 1, b = k - a;
    return x * (nf64)((a + 1023) << 52) * (nf64)((b + 1023) << 52);
#endif
}
LITZ_FN nf64 litz_exp_reduce64(nf64 x, nf64 *shifted) {
    *shifted = fused(x, LITZ_WIDE(1.4426950408889634074), LITZ_WIDE(LITZ_MAGIC64));
    nf64 n = *shifted - LITZ_MAGIC64;
    return fused(n, LITZ_WIDE(-LITZ_LN2_LOW64), fused(n, LITZ_WIDE(-LITZ_LN2_HIGH64), x));
}
// e^r = 1 + r + r^2 Q(r) on |r| <= ln(2)/2; relative error of the fit 5.4e-20.
LITZ_FN nf64 litz_exp_rest64(nf64 r) {
    nf64 q = LITZ_WIDE(2.092688427964892753e-9);
    LITZ_STEP64(q, r, 2.511224051267744633e-8);
    LITZ_STEP64(q, r, 2.755723356436885725e-7);
    LITZ_STEP64(q, r, 2.755723423476750161e-6);
    LITZ_STEP64(q, r, 0.00002480158737347844752);
    LITZ_STEP64(q, r, 0.0001984126989706106255);
    LITZ_STEP64(q, r, 0.00138888888888585938);
    LITZ_STEP64(q, r, 0.008333333333316737742);
    LITZ_STEP64(q, r, 0.04166666666666672413);
    LITZ_STEP64(q, r, 0.1666666666666668385);
    LITZ_STEP64(q, r, 0.4999999999999999997);
    return fused(r * r, q, r);
}
LITZ_FN nf64 litz_exp64(nf64 x) {
    x = x > 710.0 ? LITZ_WIDE(710.0) : x;
    x = x < -746.0 ? LITZ_WIDE(-746.0) : x;
    nf64 n, r = litz_exp_reduce64(x, &n);
    return litz_scale64(litz_exp_rest64(r) + 1.0, n);
}
// 2^n e^r - 1 = 2 (2^(n-1) (e^r - 1) + (2^(n-1) - 1/2)): no cancellation, and no early overflow.
LITZ_FN nf64 litz_expm1_64(nf64 x) {
    nf64 y = x > 710.0 ? LITZ_WIDE(710.0) : x;
    y = y < -40.0 ? LITZ_WIDE(-40.0) : y;
    nf64 n, r = litz_exp_reduce64(y, &n), p = litz_exp_rest64(r);
    nf64 s = (nf64)(((ni64)n - (ni64)LITZ_WIDE(LITZ_MAGIC64) + 1022) << 52), e = fused(s, p, s - 0.5);
    e = e + e;
    e = n == LITZ_MAGIC64 ? p : e;
    return x == 0.0 ? x : (x != x ? x : e);
}
#endif
#ifdef LITZ_USE_EXP2
LITZ_FN nf64 litz_exp2_64(nf64 x) {
    x = x > 1025.0 ? LITZ_WIDE(1025.0) : x;
    x = x < -1076.0 ? LITZ_WIDE(-1076.0) : x;
    nf64 n = x + LITZ_MAGIC64, t = x - (n - LITZ_MAGIC64);
    return litz_scale64(litz_exp_rest64(t * 0.69314718055994530942) + 1.0, n);
}
#endif
#ifdef LITZ_USE_SIGMOID
LITZ_FN nf64 litz_sigmoid64(nf64 x) {
    nf64 e = litz_exp64(-litz_size64(x)), q = e / (e + 1.0);
    return x < 0.0 ? fused(-e, q, e) : 1.0 - q;
}
#endif
#ifdef LITZ_USE_TANH
LITZ_FN nf64 litz_tanh64(nf64 x) {
    nf64 a = litz_size64(x);
    a = a > 22.0 ? LITZ_WIDE(22.0) : a;
    nf64 t = litz_expm1_64(a + a);
    return litz_signed64(t / (t + 2.0), x);
}
#endif
#ifdef LITZ_USE_SINH
LITZ_FN nf64 litz_sinh64(nf64 x) {
    nf64 a = litz_size64(x), e = litz_expm1_64(a), far = litz_exp64(a * 0.5);
    nf64 r = a > 709.0 ? far * 0.5 * far : 0.5 * (e + e / (e + 1.0));
    return litz_signed64(r, x);
}
#endif
#ifdef LITZ_USE_COSH
LITZ_FN nf64 litz_cosh64(nf64 x) {
    nf64 a = litz_size64(x), e = litz_exp64(a), far = litz_exp64(a * 0.5);
    return a > 709.0 ? far * 0.5 * far : 0.5 * (e + 1.0 / e);
}
#endif

#if defined(LITZ_USE_LOG) || defined(LITZ_USE_LOG2) || defined(LITZ_USE_LOG10) || defined(LITZ_USE_LOG1P) || defined(LITZ_USE_ASINH) || defined(LITZ_USE_ACOSH) || defined(LITZ_USE_ATANH) || defined(LITZ_USE_ERFINV)
// x = 2^e (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), exactly, for finite x > 0; returns f.
LITZ_FN nf64 litz_log_split64(nf64 x, nf64 *e) {
    ni64 tiny = x < 0x1p-1022;
    ni64 b = (ni64)(tiny ? x * 0x1p54 : x), k = (b - (i64)0x3fe6a09e667f3bcd) >> 52;
    *e = (nf64)((ni64)LITZ_WIDE(LITZ_MAGIC64) + k) - LITZ_MAGIC64 - (tiny ? LITZ_WIDE(54.0) : LITZ_WIDE(0.0));
    return (nf64)(b - (k << 52)) - 1.0;
}
// log(1 + f) = f - (f^2/2 - s (f^2/2 + z L(z))), s = f / (2 + f), z = s^2: what is taken from f, `low` added to the small part.
// Relative error of the fit 2.5e-18.
LITZ_FN nf64 litz_log_taken64(nf64 f, nf64 low) {
    nf64 s = f / (f + 2.0), z = s * s, half = f * f * 0.5, p = LITZ_WIDE(0.1479625930808696551);
    LITZ_STEP64(p, z, 0.1531402126301514949);
    LITZ_STEP64(p, z, 0.1818356540392775564);
    LITZ_STEP64(p, z, 0.2222219855378593555);
    LITZ_STEP64(p, z, 0.2857142874256304079);
    LITZ_STEP64(p, z, 0.3999999999941395336);
    LITZ_STEP64(p, z, 0.6666666666666734512);
    return half - fused(s, fused(p, z, half), low);
}
LITZ_FN nf64 litz_log_specials64(nf64 r, nf64 x) {
    r = x < __builtin_inf() ? r : x;
    r = x < 0.0 ? LITZ_WIDE(__builtin_nan("")) : r;
    return x == 0.0 ? LITZ_WIDE(-__builtin_inf()) : r;
}
LITZ_FN nf64 litz_log64(nf64 x) {
    nf64 e, f = litz_log_split64(x, &e);
    return litz_log_specials64(fused(e, LITZ_WIDE(LITZ_LN2_HIGH64), f - litz_log_taken64(f, e * LITZ_LN2_LOW64)), x);
}
// u = 1 + x loses x's low part c, which comes back as c / u.
LITZ_FN nf64 litz_log1p64(nf64 x) {
    nf64 u = x + 1.0, c = x < 1.0 ? x - (u - 1.0) : 1.0 - (u - x);
    nf64 e, f = litz_log_split64(u, &e), low = fused(e, LITZ_WIDE(LITZ_LN2_LOW64), c / u);
    nf64 r = litz_log_specials64(fused(e, LITZ_WIDE(LITZ_LN2_HIGH64), f - litz_log_taken64(f, low)), u);
    return x == 0.0 ? x : r;
}
#endif
#ifdef LITZ_USE_LOG2
LITZ_FN nf64 litz_log2_64(nf64 x) {
    nf64 e, f = litz_log_split64(x, &e), t = litz_log_taken64(f, LITZ_WIDE(0.0));
    // 1 / ln 2 in two parts.
    return litz_log_specials64(e + fused(f, LITZ_WIDE(0x1.71547652b82fep+0), fused(f, LITZ_WIDE(0x1.777d0ffda0d24p-56), t * -1.4426950408889634074)), x);
}
#endif
#ifdef LITZ_USE_LOG10
LITZ_FN nf64 litz_log10_64(nf64 x) {
    nf64 e, f = litz_log_split64(x, &e), t = litz_log_taken64(f, LITZ_WIDE(0.0));
    // 1 / ln 10 in two parts, and log10 2 as one of 33 bits and the rest.
    nf64 low = fused(e, LITZ_WIDE(0x1.ef3fde623e256p-35), fused(f, LITZ_WIDE(0x1.95355baaafad3p-57), t * -0.43429448190325182765));
    return litz_log_specials64(fused(e, LITZ_WIDE(0x1.34413509p-2), fused(f, LITZ_WIDE(0.43429448190325182765), low)), x);
}
#endif
#ifdef LITZ_USE_ASINH
LITZ_FN nf64 litz_asinh64(nf64 x) {
    nf64 a = litz_size64(x), z = a * a, near = litz_log1p64(a + z / (l_sqrt(z + 1.0) + 1.0));
    return litz_signed64(a > 0x1p28 ? litz_log64(a) + 0.69314718055994530942 : near, x);
}
#endif
#ifdef LITZ_USE_ACOSH
LITZ_FN nf64 litz_acosh64(nf64 x) {
    nf64 t = x - 1.0, near = litz_log1p64(t + l_sqrt(fused(t, t, t + t)));
    near = x < 1.0 ? LITZ_WIDE(__builtin_nan("")) : near;
    return x > 0x1p28 ? litz_log64(x) + 0.69314718055994530942 : near;
}
#endif
#ifdef LITZ_USE_ATANH
LITZ_FN nf64 litz_atanh64(nf64 x) {
    nf64 a = litz_size64(x);
    return litz_signed64(0.5 * litz_log1p64((a + a) / (1.0 - a)), x);
}
#endif

#if defined(LITZ_USE_SIN) || defined(LITZ_USE_COS)
LITZ_FN vmask litz_turns_far64(vf64 x) { return mask_not(lt(l_abs(x), splat(0x1p20))); }
// sin r = r + r^3 S(r^2), error 3.5e-18; cos r = 1 - r^2/2 + r^4 C(r^2), error 4.7e-20, on |r| <= pi/4; for |x| < 2^20.
LITZ_FN nf64 litz_sine64(nf64 x, i64 turn) {
    nf64 t = fused(x, LITZ_WIDE(0.63661977236758134308), LITZ_WIDE(LITZ_MAGIC64)), n = t - LITZ_MAGIC64;
    // pi/2 in parts of 33 bits, so that n times each is exact, and the rest of it.
    nf64 first = x - n * 0x1.921fb544p+0, second = n * 0x1.0b4611a6p-34, rough = first - second;
    nf64 rest = ((first - rough) - second) - n * 0x1.3198a2e037073p-69, r = rough + rest, low = (rough - r) + rest;
    ni64 q = (ni64)t + turn;
    nf64 z = r * r, s = LITZ_WIDE(1.589681175416138498e-10), c = LITZ_WIDE(-1.135965937856295671e-11);
    LITZ_STEP64(s, z, -2.505075838612673715e-8);
    LITZ_STEP64(s, z, 2.755731369360302402e-6);
    LITZ_STEP64(s, z, -0.0001984126982981252853);
    LITZ_STEP64(s, z, 0.008333333333322419336);
    LITZ_STEP64(s, z, -0.1666666666666663205);
    s = z == 0.0 ? rough : r + fused(r * z, s, low);
    LITZ_STEP64(c, z, 2.087572349133397719e-9);
    LITZ_STEP64(c, z, -2.755731435389742692e-7);
    LITZ_STEP64(c, z, 0.00002480158728948746415);
    LITZ_STEP64(c, z, -0.001388888888887413216);
    LITZ_STEP64(c, z, 0.04166666666666659952);
    nf64 half = z * 0.5, w = 1.0 - half;
    c = w + fused(z * z, c, ((1.0 - w) - half) - r * low);
    nf64 v = (q & 1) != 0 ? c : s;
    return (nf64)((ni64)v ^ ((q & 2) << 62));
}
#endif

#ifdef LITZ_USE_TAN
// For |x| < 2^20: sin and cos of the rest of a quarter turn, errors 4.9e-12 and 1e-13.
LITZ_FN nf64 litz_tan_short(nf64 x) {
    nf64 t = fused(x, LITZ_WIDE(0.63661977236758134308), LITZ_WIDE(LITZ_MAGIC64)), n = t - LITZ_MAGIC64;
    nf64 r = fused(n, LITZ_WIDE(-0x1.0b4611a626331p-34), x - n * 0x1.921fb544p+0);
    nf64 z = r * r, s = LITZ_WIDE(2.718308102550429528e-6), c = LITZ_WIDE(-2.721019944803103061e-7);
    LITZ_STEP64(s, z, -0.0001983933449336464142);
    LITZ_STEP64(s, z, 0.008333329384878001362);
    LITZ_STEP64(s, z, -0.16666666641618408);
    s = z == 0.0 ? r : fused(r * z, s, r);
    LITZ_STEP64(c, z, 0.00002479951954678810359);
    LITZ_STEP64(c, z, -0.001388888375165771429);
    LITZ_STEP64(c, z, 0.04166666662280738307);
    c = fused(z * z, c, fused(z, LITZ_WIDE(-0.5), LITZ_WIDE(1.0)));
    ni64 odd = ((ni64)t & 1) != 0;
    return (odd ? -c : s) / (odd ? s : c);
}
#endif
#if defined(LITZ_USE_ATAN) || defined(LITZ_USE_ATAN2)
// The smaller over the larger, whose arc is q + q^3 A(q^2) with error 4e-10, turned to its octant.
LITZ_FN nf64 litz_atan2_short(nf64 y, nf64 x) {
    nf64 b = litz_size64(y), a = litz_size64(x);
    ni64 steep = b > a;
    nf64 low = steep ? a : b, high = steep ? b : a, q = low / high;
    q = high == 0.0 ? LITZ_WIDE(0.0) : q;
    q = low == __builtin_inf() ? LITZ_WIDE(1.0) : q;
    nf64 z = q * q, p = LITZ_WIDE(0.001113781190599324928);
    LITZ_STEP64(p, z, -0.007317918402035855879);
    LITZ_STEP64(p, z, 0.02253978685342270253);
    LITZ_STEP64(p, z, -0.04468985117210655438);
    LITZ_STEP64(p, z, 0.06741591291629202537);
    LITZ_STEP64(p, z, -0.08811089293623793342);
    LITZ_STEP64(p, z, 0.1105822335628160998);
    LITZ_STEP64(p, z, -0.142798330604263354);
    LITZ_STEP64(p, z, 0.1999967113031764043);
    LITZ_STEP64(p, z, -0.3333332689993378977);
    p = fused(q * z, p, q);
    p = steep ? 1.57079632679489661923 - p : p;
    p = (ni64)x < 0 ? 3.14159265358979323846 - p : p;
    p = litz_signed64(p, y);
    return (ni64)((x != x) | (y != y)) != 0 ? x + y : p;
}
#endif
#if defined(LITZ_USE_ASIN) || defined(LITZ_USE_ACOS)
// asin a = a + a^3 P(a^2) for a <= 1/2, error 1.6e-11; above, by the half angle: pi/2 - 2 asin sqrt((1 - a) / 2).
LITZ_FN nf64 litz_arc_short(nf64 a, nf64 *half) {
    ni64 steep = a > 0.5;
    nf64 z = steep ? (1.0 - a) * 0.5 : a * a, b = steep ? l_sqrt(z) : a, p = LITZ_WIDE(0.03464624396527217935);
    LITZ_STEP64(p, z, 0.007509553954175315563);
    LITZ_STEP64(p, z, 0.02460468211017232665);
    LITZ_STEP64(p, z, 0.03011253081110641476);
    LITZ_STEP64(p, z, 0.04465997167213449202);
    LITZ_STEP64(p, z, 0.07499948899569125026);
    LITZ_STEP64(p, z, 0.1666666718023415014);
    p = fused(b * z, p, b);
    *half = p + p;
    return steep ? 1.57079632679489661923 - *half : p;
}
LITZ_FN nf64 litz_asin_short(nf64 x) {
    nf64 half;
    return litz_signed64(litz_arc_short(litz_size64(x), &half), x);
}
LITZ_FN nf64 litz_acos_short(nf64 x) {
    nf64 half, a = litz_size64(x), arc = litz_arc_short(a, &half);
    nf64 far = x < 0.0 ? 3.14159265358979323846 - half : half;
    return a > 0.5 ? far : 1.57079632679489661923 - litz_signed64(arc, x);
}
#endif
#ifdef LITZ_USE_ERFINV
// x P(w), w = -log(1 - x^2): relative error 5.6e-9 up to w = 5, 1e-8 in sqrt(w) up to the last float32 before 1.
LITZ_FN nf64 litz_erfinv_short(nf64 x) {
    nf64 w = -litz_log64((1.0 - x) * (1.0 + x)), t = w - 2.5, p = LITZ_WIDE(-8.790976893247541459e-9);
    LITZ_STEP64(p, t, 2.323268790710146772e-8);
    LITZ_STEP64(p, t, 4.661695293615987074e-7);
    LITZ_STEP64(p, t, -3.462705266446627229e-6);
    LITZ_STEP64(p, t, -4.963342422510408045e-6);
    LITZ_STEP64(p, t, 0.000218344441243080718);
    LITZ_STEP64(p, t, -0.001252741888129326766);
    LITZ_STEP64(p, t, -0.004177386783078386863);
    LITZ_STEP64(p, t, 0.2466402861578066427);
    LITZ_STEP64(p, t, 1.501409359282215035);
    nf64 u = l_sqrt(w) - 3.0, q = LITZ_WIDE(0.0001157042384508022494);
    LITZ_STEP64(q, u, -0.000309573585192777198);
    LITZ_STEP64(q, u, -0.00005677681359128485293);
    LITZ_STEP64(q, u, 0.001485093546516375172);
    LITZ_STEP64(q, u, -0.003597405497749349403);
    LITZ_STEP64(q, u, 0.005686972775990868689);
    LITZ_STEP64(q, u, -0.007637288879349474002);
    LITZ_STEP64(q, u, 0.009445286640680113694);
    LITZ_STEP64(q, u, 1.001674967015459044);
    LITZ_STEP64(q, u, 2.832976801235613928);
    nf64 r = x * (w > 5.0 ? q : p), a = litz_size64(x);
    r = a == 1.0 ? x * __builtin_inf() : r;
    return a <= 1.0 ? r : LITZ_WIDE(__builtin_nan(""));
}
#endif
#endif
