// prelude.h and functions.h against libm in double precision and against their own scalar forms.
#include "check.h"
#define LITZ_USE_ALL
#include "../../src/codegen/native/prelude.h"
#include "../../src/codegen/native/f64_math.h"
#include "../../src/codegen/native/functions.h"
#include <string>

static const int W = LITZ_LANES;

template <class T> static bool same(T a, T b) { return a != a ? b != b : std::memcmp(&a, &b, sizeof a) == 0; }
template <class T> static double show(T x) { return (double)x; }

// ---- functions: error in units of the last place of the result, over a walk through all bit patterns ----
static double ulp_error(float got, double want) {
    float rounded = (float)want;
    if (std::isnan(want)) return std::isnan(got) ? 0 : 1e9;
    if (std::isinf(rounded) || std::isinf(got)) return rounded == got || (std::fabs(want) < 3.4028236e38 * (1 + 1e-6) && std::fabs(got) >= 3.4028234e38f) ? 0 : 1e9;
    int e;
    std::frexp(want, &e);
    double ulp = std::ldexp(1.0, (e < -125 ? -125 : e) - 24);
    return std::fabs((double)got - want) / ulp;
}
template <class F, class R> static void walk(const char *name, double limit, F f, R reference, bool zero_sign = true) {
    double worst = 0, worst_at = 0;
    std::vector<float> xs;
    for (uint64_t b = 0; b < (1ull << 32); b += 4093) { uint32_t u = (uint32_t)b; float x; std::memcpy(&x, &u, 4); xs.push_back(x); }
    for (double x = -20; x < 20; x += 0.00017) xs.push_back((float)x);
    for (double x = -2; x < 2; x += 0.000017) xs.push_back((float)x);
    for (float x : {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 1e-45f, -1e-45f, 3.4028235e38f, -3.4028235e38f, 1.17549435e-38f, 88.7228f, 88.73f, -87.4f,
                    -103.9f, -103.98f, -104.5f, 128.0f, 127.99f, -149.0f, -150.0f, -150.1f, 0.92f, 4.0f, 1048576.0f, 16777216.0f, 1e10f}) xs.push_back(x);
    while (xs.size() % W) xs.push_back(1.0f);
    for (size_t i = 0; i < xs.size(); i += W) {
        vf32 v = f(load(&xs[i]));
        for (int l = 0; l < W; l++) {
            double want = reference((double)xs[i + l]);
            double e = ulp_error(v[l], want);
            if (zero_sign && want == 0 && v[l] == 0 && std::signbit(want) != std::signbit(v[l])) e = 1e8;
            if (e > worst) worst = e, worst_at = xs[i + l];
        }
        if (i % (W * 64) == 0) {
            float s = f(xs[i]);
            CHECK(same(s, (float)v[0]), "%s(%.9g): scalar %.9g vector %.9g", name, xs[i], s, v[0]);
        }
    }
    double t = seconds();
    vf32 sum = {};
    std::vector<float> in(4096), out(4096);
    for (auto &x : in) x = std::fabs(random_float()) * 3 + 0.01f;
    for (int r = 0; r < 20; r++) for (int i = 0; i < 4096; i += W) { vf32 v = f(load(&in[i])); store(&out[i], v); sum += v; }
    t = (seconds() - t) / (20 * 4096) * 1e9;
    if (hsum(sum) == 12345.0f) std::printf("!");
    std::printf("%-8s worst %.3f ulp at %.9g   %.3f ns per element\n", name, worst, worst_at, t);
    CHECK(worst <= limit, "%s: %.3f ulp at %.9g", name, worst, worst_at);
}
static double ulp_error64(double got, long double want) {
    double rounded = (double)want;
    if (std::isnan(want)) return std::isnan(got) ? 0 : 1e9;
    if (std::isinf(rounded) || std::isinf(got)) return rounded == got || (std::fabs(want) < 1.7976931348623159e308L * (1 + 1e-15L) && std::fabs(got) >= 1.797693134862315e308) ? 0 : 1e9;
    int e;
    std::frexp(want, &e);
    long double ulp = std::ldexp(1.0L, (e < -1021 ? -1021 : e) - 53);
    return (double)(std::fabs((long double)got - want) / ulp);
}
template <class F, class R> static void walk64(const char *name, double limit, F f, R reference) {
    double worst = 0, worst_at = 0;
    std::vector<double> xs;
    for (int i = 0; i < 200000; i++) { uint64_t u = random_bits(); double x; std::memcpy(&x, &u, 8); xs.push_back(x); }
    for (int i = 0; i < 400000; i++) xs.push_back((double)random_float() * (i % 4 == 0 ? 800 : i % 4 == 1 ? 20 : i % 4 == 2 ? 2 : 0.1) + (double)random_float() * 1e-9);
    for (int i = 0; i < 100000; i++) xs.push_back((double)random_float() * 1e6), xs.push_back((i - 50000) * 1.57079632679489661923 * (1 + (double)random_float() * 1e-12)), xs.push_back(1 + (double)random_float() * 1e-6);
    for (double x : {0.0, -0.0, 1.0, -1.0, (double)INFINITY, -(double)INFINITY, (double)NAN, 5e-324, -5e-324, 1.7976931348623157e308, -1.7976931348623157e308, 2.2250738585072014e-308, 709.78, 709.79, 710.4,
                     -708.4, -745.1, -745.2, -746.5, 1024.0, 1023.99, -1074.0, -1075.1, 1048575.9, 1048576.0, 1e22, 0.70710678118654752, 1.4142135623730951, 1e-300}) xs.push_back(x);
    while (xs.size() % W) xs.push_back(1.0);
    for (size_t i = 0; i < xs.size(); i += W) {
        vf64 v = f(load(&xs[i]));
        for (int l = 0; l < W; l++) {
            long double want = reference((long double)xs[i + l]);
            double e = ulp_error64(v[l], want);
            if (want == 0 && v[l] == 0 && std::signbit(want) != std::signbit(v[l])) e = 1e8;
            if (e > worst) worst = e, worst_at = xs[i + l];
        }
        if (i % (W * 64) == 0) {
            double s = f(xs[i]);
            CHECK(same(s, v[0]), "%s(%.17g): scalar %.17g vector %.17g", name, xs[i], s, v[0]);
        }
    }
    std::printf("%-8s of f64 worst %.3f ulp at %.17g\n", name, worst, worst_at);
    CHECK(worst <= limit, "%s of f64: %.3f ulp at %.17g", name, worst, worst_at);
}
#define WALK(name, limit) walk(#name, limit, [](auto x) { return l_##name(x); }, [](double x) { return (double)std::name(x); })

static void check_functions() {
    WALK(exp, 2); WALK(exp2, 2); WALK(expm1, 2); WALK(log, 2); WALK(log2, 2); WALK(log10, 2); WALK(log1p, 2);
    WALK(sin, 2); WALK(cos, 2); WALK(tanh, 2); WALK(erf, 2);
    walk("sigmoid", 2, [](auto x) { return l_sigmoid(x); }, [](double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); });
    WALK(tan, 2); WALK(asin, 2); WALK(acos, 2); WALK(atan, 2); WALK(sinh, 4); WALK(cosh, 4); WALK(asinh, 4); WALK(acosh, 4); WALK(atanh, 4); WALK(erfc, 6);
    WALK(floor, 0); WALK(ceil, 0); WALK(trunc, 0);
    walk("round", 0, [](auto x) { return l_round(x); }, [](double x) { return std::nearbyint(x); });
    WALK(sqrt, 0.5);
    walk("rsqrt", 1.5, [](auto x) { return l_rsqrt(x); }, [](double x) { return 1 / std::sqrt(x); });
    for (int i = 0; i < 400000; i++) {
        float x[16], y[16];
        for (int l = 0; l < W; l++) {
            x[l] = i % 3 == 0 ? (float)std::exp(random_float() * 80.0) : i % 3 == 1 ? random_float() * 10 : (float)(int)(random_float() * 20);
            y[l] = i % 5 == 0 ? (float)(int)(random_float() * 30) : random_float() * 30;
            static const float special[] = {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 0.5f, 3.0f, 2.0f, -2.0f, 1e-40f, 16777217.0f};
            if (i % 7 == 0) x[l] = special[random_bits() % 13];
            if (i % 11 == 0) y[l] = special[random_bits() % 13];
        }
        vf32 v = l_pow(load(x), load(y));
        for (int l = 0; l < W; l++) CHECK(ulp_error(v[l], std::pow((double)x[l], (double)y[l])) <= 1, "pow(%.9g, %.9g) = %.9g", x[l], y[l], v[l]);
    }
    walk("erfinv", 2, [](auto x) { return l_erfinv(x); }, [](double x) { return (double)l_erfinv(x); });
    for (int i = 0; i < 400000; i++) {
        float y[16], x[16];
        static const float special[] = {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 1e-45f, -1e-45f, 3.4e38f, -3.4e38f, 1e-30f, 7.0f};
        for (int l = 0; l < W; l++) {
            y[l] = i % 5 == 0 ? special[random_bits() % 13] : i % 2 ? random_float() : random_float() * (float)std::exp(random_float() * 60.0);
            x[l] = i % 7 == 0 ? special[random_bits() % 13] : i % 3 ? random_float() : random_float() * (float)std::exp(random_float() * 60.0);
        }
        vf32 v = l_atan2(load(y), load(x));
        for (int l = 0; l < W; l++) {
            double want = std::atan2((double)y[l], (double)x[l]);
            CHECK(ulp_error(v[l], want) <= 1 && (want != 0 || std::signbit(want) == std::signbit(v[l])), "atan2(%.9g, %.9g) = %.9g", y[l], x[l], v[l]);
        }
    }
#define WALK64(name, limit) walk64(#name, limit, [](auto x) { return l_##name(x); }, [](long double x) { return (long double)std::name(x); })
    WALK64(exp, 2); WALK64(exp2, 2); WALK64(expm1, 2); WALK64(log, 2); WALK64(log2, 2); WALK64(log10, 2); WALK64(log1p, 2); WALK64(sin, 2); WALK64(cos, 2); WALK64(tanh, 3);
    WALK64(sinh, 4); WALK64(cosh, 4); WALK64(asinh, 4); WALK64(acosh, 4); WALK64(atanh, 4); WALK64(tan, 2); WALK64(asin, 2); WALK64(acos, 2); WALK64(atan, 2); WALK64(erf, 2);
    walk64("sigmoid", 3, [](auto x) { return l_sigmoid(x); }, [](long double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); });
    struct { double x, psi; } digammas[] = {{1, -0.57721566490153286061}, {0.5, -1.96351002602142347944}, {10, 2.25175258906672110765}, {-1.5, 0.70315664064524318723}, {0.1, -10.42375494041107679517}};
    for (auto d : digammas) CHECK(std::fabs(l_digamma(d.x) - d.psi) < 1e-13 * std::fabs(d.psi) + 1e-14, "digamma(%g) = %.17g", d.x, l_digamma(d.x));
    CHECK(l_digamma(0.0) == -INFINITY && l_digamma(-0.0) == INFINITY && std::isnan(l_digamma(-1.0)) && std::isnan(l_digamma(-INFINITY)) && l_digamma((f64)INFINITY) == INFINITY, "digamma at its poles");
    for (double y = -5.6; y < 5.6; y += 0.013) {
        double x = std::erf(y), back = l_erfinv(x);
        CHECK(std::fabs(std::erf(back) - x) <= 3e-16 || std::fabs(back - y) < 1e-14 * std::fabs(y), "erfinv(%.17g) = %.17g", x, back);
    }
    for (double x : {1e-300, 1e-20, 1e-8, 0.049999, 0.05}) CHECK(std::fabs(std::erf(l_erfinv(x)) / x - 1) < 1e-15, "erfinv(%g) = %.17g", x, l_erfinv(x));
    CHECK(l_erfinv(1.0f) == INFINITY && l_erfinv(-1.0) == -INFINITY && std::isnan(l_erfinv(1.5)) && std::isnan(l_erfinv((f64)NAN)), "erfinv at its ends");
}

// ---- every vector operation agrees with its scalar form ----
template <class T> static T any_value() {
    if constexpr (std::is_same_v<T, bool>) return random_bits() & 1;
    else if constexpr (std::is_floating_point_v<T>) {
        static const double special[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1, -1, 0.5, 1.5, 2.5, -2.5, 3e9, -3e9, 1e19, -1e19, 1e20, 300, -1, 255.9, 2147483648.0, 4294967296.0, 9223372036854775808.0, 1e-45};
        uint64_t r = random_bits();
        if (r % 3 == 0) return (T)special[(r >> 8) % 23];
        return (T)((double)random_float() * std::exp2((double)((r >> 8) % 60) - 10));
    } else {
        uint64_t r = random_bits();
        if (r % 3 == 0) return (T)((int64_t)((r >> 8) % 5) - 2);
        if (r % 7 == 0) return (T)((T)1 << (8 * sizeof(T) - 1));
        return (T)random_bits() >> ((r >> 8) % (8 * sizeof(T)));
    }
}
template <class T> struct vector_of;
#define X(T, V) template <> struct vector_of<T> { typedef V type; };
LITZ_SINGLE_TYPES(X) X(f64, vf64) X(i64, vi64) X(u64, vu64) X(bool, vmask)
#undef X
template <class T> using V = typename vector_of<T>::type;

template <class T, class F> static void unary(const char *name, F f) {
    for (int round = 0; round < 200; round++) {
        T a[16];
        for (int l = 0; l < W; l++) a[l] = any_value<T>();
        auto v = f(litz_from_lanes(a));
        for (int l = 0; l < W; l++) CHECK(same<decltype(f(a[l]))>(f(a[l]), lane(v, l)), "%s<%zu>(%.17g): scalar %.17g vector %.17g", name, sizeof(T), show(a[l]), show(f(a[l])), show(lane(v, l)));
    }
}
template <class T, class F> static void binary(const char *name, F f) {
    for (int round = 0; round < 200; round++) {
        T a[16], b[16];
        for (int l = 0; l < W; l++) a[l] = any_value<T>(), b[l] = round % 4 ? any_value<T>() : a[l];
        auto v = f(litz_from_lanes(a), litz_from_lanes(b));
        for (int l = 0; l < W; l++)
            CHECK(same<decltype(f(a[l], b[l]))>(f(a[l], b[l]), lane(v, l)), "%s<%zu>(%.17g, %.17g): scalar %.17g vector %.17g", name, sizeof(T), show(a[l]), show(b[l]), show(f(a[l], b[l])), show(lane(v, l)));
    }
}
#define UNARY(T, f) unary<T>(#f, [](auto x) { return f(x); })
#define BINARY(T, f) binary<T>(#f, [](auto x, auto y) { return f(x, y); })

template <class T> static void casts_and_compares() {
    UNARY(T, to_f32); UNARY(T, to_f64); UNARY(T, to_i8); UNARY(T, to_u8); UNARY(T, to_i16); UNARY(T, to_u16); UNARY(T, to_i32); UNARY(T, to_u32);
    UNARY(T, to_i64); UNARY(T, to_u64); UNARY(T, to_bool);
    BINARY(T, eq); BINARY(T, ne); BINARY(T, lt); BINARY(T, le); BINARY(T, gt); BINARY(T, ge); BINARY(T, l_minimum); BINARY(T, l_maximum);
    T a[16], b[16];
    bool m[16];
    for (int round = 0; round < 20; round++) {
        for (int l = 0; l < W; l++) a[l] = any_value<T>(), b[l] = any_value<T>(), m[l] = random_bits() & 1;
        auto v = select(litz_from_lanes(m), litz_from_lanes(a), litz_from_lanes(b));
        for (int l = 0; l < W; l++) CHECK(same<T>(lane(v, l), m[l] ? a[l] : b[l]), "select");
        CHECK(same<T>(lane(splat(a[0]), W - 1), a[0]), "splat");
    }
    CHECK(any(splat(true)) && !any(splat(false)) && all(splat(true)) && !all(tail_mask(W - 1)) && any(tail_mask(1)), "any and all");
}
template <class T> static void ints() {
    BINARY(T, add); BINARY(T, sub); BINARY(T, mul); UNARY(T, neg); BINARY(T, bit_and); BINARY(T, bit_or); BINARY(T, bit_xor); UNARY(T, bit_not);
    BINARY(T, shl); BINARY(T, shr); UNARY(T, l_abs); UNARY(T, l_sign); BINARY(T, l_trunc_divide); BINARY(T, l_floor_divide); BINARY(T, l_remainder); BINARY(T, l_fmod);
    for (int i = 0; i < 20000; i++) {
        T a = any_value<T>(), b = any_value<T>();
        if (b == 0) { CHECK(l_floor_divide(a, b) == 0 && l_remainder(a, b) == 0 && l_trunc_divide(a, b) == 0 && l_fmod(a, b) == 0, "division by zero"); continue; }
        T q = l_floor_divide(a, b), r = l_remainder(a, b);
        CHECK(add(mul(q, b), r) == a && (r == 0 || litz_negative(r) == litz_negative(b)), "%g = %g * %g + %g", show(a), show(q), show(b), show(r));
    }
}
template <class T> static void floats() {
    BINARY(T, add); BINARY(T, sub); BINARY(T, mul); BINARY(T, divide); UNARY(T, neg); UNARY(T, l_abs); UNARY(T, l_sign); BINARY(T, l_fmin); BINARY(T, l_fmax);
    UNARY(T, l_sqrt); UNARY(T, l_rsqrt); UNARY(T, l_reciprocal); UNARY(T, l_floor); UNARY(T, l_ceil); UNARY(T, l_trunc); UNARY(T, l_round);
    BINARY(T, l_copysign); UNARY(T, l_signbit); UNARY(T, l_isnan); UNARY(T, l_isinf); UNARY(T, l_isfinite);
    BINARY(T, l_trunc_divide); BINARY(T, l_floor_divide); BINARY(T, l_remainder); BINARY(T, l_fmod);
    BINARY(T, l_pow); BINARY(T, l_atan2); BINARY(T, l_hypot); BINARY(T, l_nextafter);
    UNARY(T, l_exp); UNARY(T, l_exp2); UNARY(T, l_expm1); UNARY(T, l_log); UNARY(T, l_log2); UNARY(T, l_log10); UNARY(T, l_log1p); UNARY(T, l_sin); UNARY(T, l_cos);
    UNARY(T, l_tanh); UNARY(T, l_erf); UNARY(T, l_sigmoid); UNARY(T, l_lgamma); UNARY(T, l_digamma); UNARY(T, l_erfinv);
    T n = (T)NAN;
    CHECK(std::isnan(l_minimum(n, (T)1)) && std::isnan(l_minimum((T)1, n)) && std::isnan(l_maximum(n, (T)1)) && std::isnan(l_maximum((T)1, n)), "NaN wins");
    CHECK(l_fmin(n, (T)1) == 1 && l_fmax((T)1, n) == 1 && std::isnan(l_fmax(n, n)), "NaN loses");
    CHECK(l_remainder((T)-5, (T)3) == 1 && l_remainder((T)5, (T)-3) == -1 && l_floor_divide((T)-5, (T)3) == -2 && l_floor_divide((T)5, (T)0) == INFINITY, "Python's division");
    CHECK(std::signbit(l_floor_divide((T)0, (T)-2)) && std::signbit(l_remainder((T)-0.0, (T)3)) && std::isnan(l_floor_divide((T)INFINITY, (T)2)), "zeros of floor division");
    for (int i = 0; i < 10000; i++) {
        T x = any_value<T>();
        CHECK(same<T>(l_round(x), std::nearbyint(x)) && same<T>(l_floor(x), std::floor(x)) && same<T>(l_ceil(x), std::ceil(x)) && same<T>(l_trunc(x), std::trunc(x)), "rounding of %.17g", show(x));
    }
}
static void float_casts() {
    // What PyTorch's CPU code gives.
    struct { f32 x; u8 a; i16 b; i32 c; i64 d; u32 e; u64 f; } rows[] = {
        {300, 44, 300, 300, 300, 300, 300}, {-1, 255, -1, -1, -1, 4294967295u, 18446744073709551615u},
        {3e9f, 0, 0, INT32_MIN, 3000000000, 3000000000u, 3000000000u}, {-3e9f, 0, 0, INT32_MIN, -3000000000, 2147483648u, 18446744070709551616u},
        {1e20f, 0, 0, INT32_MIN, INT64_MIN, 0, 0}, {-1e20f, 0, 0, INT32_MIN, INT64_MIN, 2147483648u, 9223372036854775808u},
        {NAN, 0, 0, INT32_MIN, INT64_MIN, 2147483648u, 9223372036854775808u}, {INFINITY, 0, 0, INT32_MIN, INT64_MIN, 0, 0}};
    for (auto r : rows)
        CHECK(to_u8(r.x) == r.a && to_i16(r.x) == r.b && to_i32(r.x) == r.c && to_i64(r.x) == r.d && to_u32(r.x) == r.e && to_u64(r.x) == r.f, "cast of %g", r.x);
    CHECK(to_bool((f32)NAN) && !to_bool(-0.0f) && to_bool(1e-45f), "cast to bool");
}

// ---- memory ----
template <class S, class T> static void memory() {
    typedef V<T> VT;
    guarded in((size_t)W * sizeof(S)), out((size_t)W * sizeof(S));
    std::memset(in.data, 0, (size_t)W * sizeof(S));
    for (int n = 0; n <= W; n++) {
        S *p = (S *)(in.data + (size_t)(W - n) * sizeof(S)), *q = (S *)(out.data + (size_t)(W - n) * sizeof(S));
        for (int i = 0; i < n; i++) store(p + i, (T)(i % 3 + (i == 1)));
        VT v = load_tail(p, n);
        for (int i = 0; i < W; i++) CHECK(same<T>(lane(v, i), i < n ? (T)(i % 3 + (i == 1)) : (T)0), "load_tail size %zu n %d lane %d: %g", sizeof(S), n, i, show(lane(v, i)));
        std::memset(out.data, 0x55, (size_t)W * sizeof(S));
        store_tail(q, v, n);
        for (int i = 0; i < n; i++) CHECK(same<T>(load_scalar(q + i), lane(v, i)), "store_tail size %zu", sizeof(S));
        for (char *c = out.data; c < (char *)q; c++) CHECK(*c == 0x55, "store_tail wrote before its place");
        VT s = load_strided(p, 1, n);
        for (int i = 0; i < W; i++) CHECK(same<T>(lane(s, i), lane(v, i)), "load_strided");
    }
    std::vector<S> big(64 * W);
    for (size_t i = 0; i < big.size(); i++) store(&big[i], (T)(random_bits() % 100));
    vi64 index = lane_index() * splat((i64)3) + splat((i64)1);
    vmask half_on = tail_mask(W / 2);
    VT g = load_gather(big.data(), index, half_on), s = load_strided(big.data() + 1, 3), u = load(big.data() + 1);
    for (int i = 0; i < W; i++) {
        CHECK(same<T>(lane(g, i), i < W / 2 ? load_scalar(&big[i * 3 + 1]) : (T)0) && same<T>(lane(s, i), load_scalar(&big[i * 3 + 1])) && same<T>(lane(u, i), load_scalar(&big[i + 1])), "gather, strided, load");
    }
    for (int round = 0; round < 30; round++) {
        bool on[16];
        i64 at[16];
        for (int i = 0; i < W; i++) on[i] = round % 3 == 0 || random_bits() % 2, at[i] = on[i] ? (i64)(random_bits() % big.size()) : (i64)1 << 60;
        vmask m = litz_from_lanes(on);
        VT looked_up = load_gather(big.data(), litz_from_lanes(at), m), beside = load_where(big.data() + round, m);
        for (int i = 0; i < W; i++) {
            T there = on[i] ? load_scalar(&big[(size_t)at[i]]) : (T)0, next = on[i] ? load_scalar(&big[(size_t)(round + i)]) : (T)0;
            CHECK(same<T>(lane(looked_up, i), there) && same<T>(lane(beside, i), next), "masked loads, lane %d", i);
        }
    }
    std::vector<S> copy(64 * W);
    store_scatter(copy.data(), index, s, splat(true));
    store_strided(copy.data(), s, 3);
    store(copy.data() + 48 * W + 1, u);
    for (int i = 0; i < W; i++) CHECK(same<T>(load_scalar(&copy[i * 3]), lane(s, i)) && same<T>(load_scalar(&copy[i * 3 + 1]), lane(s, i)) && same<T>(load_scalar(&copy[48 * W + 1 + i]), lane(u, i)), "scatter, strided, store");
}
template <class T, class VT> static void squares() {
    T given[3 * W * W];
    VT t[3 * W];
    for (int k = 0; k < 3 * W; k++) {
        for (int i = 0; i < W; i++) given[k * W + i] = (T)(k * W + i + 1);
        t[k] = load(given + k * W);
    }
    litz_transpose(t + W);
    for (int k = 0; k < 3 * W; k++)
        for (int i = 0; i < W; i++) {
            int from = k < W || k >= 2 * W ? k * W + i : (W + i) * W + k - W;
            CHECK(same<T>(lane(t[k], i), given[from]), "row %d of the square, lane %d: %g", k - W, i, show(lane(t[k], i)));
        }
}
static void quotients() {
    for (int round = 0; round < 20000; round++) {
        i64 divisor = round % 4 == 0 ? (i64)1 << (random_bits() % 40) : 1 + (i64)(random_bits() >> (random_bits() % 40 + 24)), a[16];
        for (int i = 0; i < W; i++) {
            a[i] = (i64)(random_bits() >> (16 + random_bits() % 48));
            if (round % 3 == 0) a[i] = a[i] / divisor * divisor - (i % 2 && a[i] >= divisor);
        }
        vi64 q = litz_quotient_by(litz_from_lanes(a), divisor), r = litz_rest_by(litz_from_lanes(a), divisor);
        for (int i = 0; i < W; i++) CHECK(q[i] == a[i] / divisor && r[i] == a[i] % divisor, "%lld by %lld gives %lld and %lld", (long long)a[i], (long long)divisor, (long long)q[i], (long long)r[i]);
    }
}
static double half_value(uint16_t h) {
    int e = (h >> 10) & 31, m = h & 1023;
    double v = e == 31 ? (m ? NAN : INFINITY) : e ? std::ldexp(1024 + m, e - 25) : std::ldexp(m, -24);
    return h & 0x8000 ? -v : v;
}
static void halves() {
    for (int i = 0; i < 65536; i++) {
        float x = load_scalar((const half *)&(const uint16_t &)(const uint16_t[]){(uint16_t)i}[0]);
        CHECK(same((double)x, half_value((uint16_t)i)), "half %04x is %g", i, x);
        if (x == x) CHECK(litz_to_half(x) == i, "half %04x comes back as %04x", i, litz_to_half(x));
        if (i < 0x7bff) { // halfway between two neighbours: to the even one; a touch above: up
            double mid = (half_value((uint16_t)i) + half_value((uint16_t)(i + 1))) / 2;
            CHECK(litz_to_half((float)mid) == ((i & 1) ? i + 1 : i), "tie above %04x", i);
            CHECK(litz_to_half(std::nextafter((float)mid, 1e9f)) == i + 1 && litz_to_half(std::nextafter((float)mid, 0.0f)) == i, "around the tie above %04x", i);
        }
        uint32_t b = (uint32_t)i << 16;
        float y;
        std::memcpy(&y, &b, 4);
        CHECK(same(litz_from_bfloat((u16)i), y) && (y != y || litz_to_bfloat(y) == i), "bfloat %04x", i);
    }
    CHECK(litz_to_half(65519.9f) == 0x7bff && litz_to_half(65520.0f) == 0x7c00 && litz_to_half(1e30f) == 0x7c00 && (litz_to_half(NAN) & 0x7fff) > 0x7c00 && litz_to_half(1e-10f) == 0, "ends of half");
    CHECK(litz_to_bfloat(1.00390625f) == 0x3f80 && litz_to_bfloat(1.01171875f) == 0x3f82 && litz_to_bfloat(NAN) == 0x7fc0 && litz_to_bfloat(3.4e38f) == 0x7f80, "ends of bfloat");
    UNARY(f32, round_half); UNARY(f32, round_bfloat);
}
template <class T> static void reductions() {
    for (int round = 0; round < 50; round++) {
        T a[16], sum = 0, product = 1, least, most;
        for (int l = 0; l < W; l++) a[l] = (T)(random_bits() % 7 + 1);
        least = most = a[0];
        for (int l = 0; l < W; l++) sum = add(sum, a[l]), product = mul(product, a[l]), least = l_minimum(least, a[l]), most = l_maximum(most, a[l]);
        V<T> v = load(a);
        CHECK(hsum(v) == sum && hmin(v) == least && hmax(v) == most, "reductions");
        CHECK(std::is_floating_point_v<T> ? std::fabs((double)hprod(v) / (double)product - 1) < 1e-5 : hprod(v) == product, "hprod");
        if (std::is_floating_point_v<T>) {
            a[random_bits() % W] = (T)NAN;
            CHECK(hmin(load(a)) != hmin(load(a)) && hmax(load(a)) != hmax(load(a)), "a NaN wins in hmin and hmax");
        }
    }
}

int main() {
    std::printf("%d lanes\n", W);
#define X(T) casts_and_compares<T>();
    X(i8) X(u8) X(i16) X(u16) X(i32) X(u32) X(i64) X(u64) X(f32) X(f64) X(bool)
#undef X
#define X(T) ints<T>();
    X(i8) X(u8) X(i16) X(u16) X(i32) X(u32) X(i64) X(u64)
#undef X
    BINARY(bool, mask_and); BINARY(bool, mask_or); BINARY(bool, mask_xor); UNARY(bool, mask_not);
    floats<f32>(); floats<f64>();
    float_casts();
#define X(T) memory<T, T>();
    X(i8) X(u8) X(i16) X(u16) X(i32) X(u32) X(i64) X(u64) X(f32) X(f64)
#undef X
    memory<half, f32>(); memory<bfloat, f32>(); memory<boolean, bool>();
    halves();
    squares<f32, vf32>(); squares<i32, vi32>(); squares<u32, vu32>(); squares<i16, vi16>(); squares<u16, vu16>();
    quotients();
    reductions<f32>(); reductions<f64>(); reductions<i32>(); reductions<u32>(); reductions<i64>(); reductions<u64>();
    check_functions();
    std::printf(failures ? "FAILED: %d\n" : "ok\n", failures);
    return failures != 0;
}
