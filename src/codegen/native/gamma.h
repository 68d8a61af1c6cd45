// Litz incomplete gamma functions, regularised; stands after functions.h, or after the CUDA prelude. LITZ_LIBM names libm's functions.
//
// litz_gamma_part(a, x, upper): P(a, x), or Q(a, x) where upper is set. A series for x < a + 1, another one for the upper part at small x,
// a continued fraction elsewhere (Lentz's method), and Temme's uniform expansion for large a (DLMF 8.7.1, 8.9.2, 8.12.3).
#ifndef LITZ_GAMMA_H
#define LITZ_GAMMA_H
#ifndef LITZ_LIBM
#define LITZ_LIBM(name) __builtin_##name
#endif

// a >= 10^4: further terms are below 10^-12 of the result.
LITZ_NOINLINE f64 litz_gamma_far(f64 a, f64 x, int upper) {
    const f64 near[12] = {-0.33333333333333333, 0.083333333333333333, -0.014814814814814815, 0.0011574074074074074, 0.0003527336860670194,
        -0.00017875514403292181, 3.9192631785224378e-5, -2.1854485106799922e-6, -1.85406221071516e-6, 8.296711340953086e-7,
        -1.7665952736826079e-7, 6.7078535434014986e-9};
    const f64 next[7] = {-0.0018518518518518519, -0.0034722222222222222, 0.0026455026455026455, -0.00099022633744855967,
        0.00020576131687242798, -4.0187757201646091e-7, -1.8098550334489978e-5};
    const f64 m = (x - a) / a;
    // m - log(1 + m), half the square of eta.
    f64 h = m - LITZ_LIBM(log1p)(m);
    if (LITZ_LIBM(fabs)(m) < 0.01) h = m * m * (0.5 - m * (1.0 / 3 - m * (0.25 - m * (0.2 - m * (1.0 / 6 - m * (1.0 / 7 - m / 8))))));
    const f64 eta = LITZ_LIBM(copysign)(LITZ_LIBM(sqrt)(2 * h), m);
    f64 rest = LITZ_LIBM(exp)(-a * h), p = 0, q = 0;
    if (rest > 0) {
        for (int k = 11; k >= 0; k--) p = p * eta + near[k];
        for (int k = 6; k >= 0; k--) q = q * eta + next[k];
        rest *= (p + q / a) / LITZ_LIBM(sqrt)(6.283185307179586477 * a);
    }
    const f64 away = eta * LITZ_LIBM(sqrt)(a / 2);
    return upper ? 0.5 * LITZ_LIBM(erfc)(away) + rest : 0.5 * LITZ_LIBM(erfc)(-away) - rest;
}
LITZ_NOINLINE f64 litz_gamma_part(f64 a, f64 x, int upper) {
    const f64 infinite = (f64)LITZ_INFINITY, nan = infinite - infinite;
    if (a < 0 || x < 0) return nan;
    if (a == 0) return x > 0 ? !upper : nan;
    if (x == 0) return upper;
    if (a == infinite) return x == infinite ? nan : (f64)upper;
    if (x == infinite) return !upper;
    if (a != a || x != x) return nan;
    if (a >= 1e4) return litz_gamma_far(a, x, upper);
    const f64 log_x = LITZ_LIBM(log)(x);
    if (upper && x <= 1.1 && a <= (x <= 0.5 ? -0.4 / log_x : 0.75 * x)) {
        f64 factor = 1, sum = 0;
        for (int n = 1; n < 2000; n++) {
            factor *= -x / n;
            const f64 term = factor / (a + n);
            sum += term;
            if (LITZ_LIBM(fabs)(term) <= 1e-17 * LITZ_LIBM(fabs)(sum)) break;
        }
        return -LITZ_LIBM(expm1)(a * log_x - LITZ_LIBM(lgamma)(1 + a)) - LITZ_LIBM(exp)(a * log_x - LITZ_LIBM(lgamma)(a)) * sum;
    }
    const f64 scale = LITZ_LIBM(exp)(a * log_x - x - LITZ_LIBM(lgamma)(a));
    if (x < a + 1) {
        f64 term = 1 / a, sum = term;
        for (f64 n = 1; n < 5000; n++) {
            term *= x / (a + n);
            sum += term;
            if (term <= 1e-17 * sum) break;
        }
        return upper ? 1 - scale * sum : scale * sum;
    }
    if (scale == 0) return !upper;
    f64 b = x + 1 - a, c = 1e300, d = 1 / b, fraction = d;
    for (f64 n = 1; n < 5000; n++) {
        const f64 step = n * (a - n);
        b += 2;
        d = 1 / (step * d + b);
        c = b + step / c;
        const f64 change = c * d;
        fraction *= change;
        if (LITZ_LIBM(fabs)(change - 1) <= 2e-16) break;
    }
    return upper ? scale * fraction : 1 - scale * fraction;
}
#endif
