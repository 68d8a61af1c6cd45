// Litz CUDA scans of lines; stands after phases.h. An element E is a value, or for an extreme a value with its place.
//
//   value_at(i, to) reads element i; give(i, x) stores the scan's result there; f(a, b) combines what comes before with what
//   comes after it, and does not depend on their order.
//
//   litz_scan_line<T, E>(f, value_at, give, begin, end, before)  T threads scan elements begin..end of a line, after what `before`
//                                                          points to, if to anything
//   litz_scan_part<T, E>(f, value_at, give, phase, part, size, n, totals)  T threads find in phase 0 what part `part` of so many
//                                                          elements comes to, and scan it in phase 1
//   litz_scan_beside<S, E>(f, value_at, give, n)           S threads scan a line, by segments; neighbouring threads have
//                                                          neighbouring lines, 32 to a block; lines that are no lines
//                                                          give nothing
template <class T> LITZ_FN T litz_shuffle_up(T x, int step) {
    union { T t; u32 w[(sizeof(T) + 3) / 4]; } u;
    _Pragma("unroll") for (int i = 0; i < (int)((sizeof(T) + 3) / 4); i++) u.w[i] = 0;
    u.t = x;
    _Pragma("unroll") for (int i = 0; i < (int)((sizeof(T) + 3) / 4); i++) u.w[i] = __shfl_up_sync(0xffffffffu, u.w[i], step);
    return u.t;
}

// log(exp(a) + exp(b)), with NaN and infinities as they come.
struct litz_log_add {
    template <class T> __device__ __forceinline__ T operator()(T a, T b) const {
        if (a != a || (l_isinf(a) && a == b)) return a;
        if (b != b) return b;
        const T most = l_maximum(a, b), least = l_minimum(a, b);
        return add(most, l_log1p(l_exp(sub(least, most))));
    }
};
// An extreme value and where it stands last; the last NaN wins over everything.
struct litz_last_max {
    template <class T> __device__ __forceinline__ litz_place<T> operator()(litz_place<T> a, litz_place<T> b) const {
        const bool an = a.value != a.value, bn = b.value != b.value;
        const bool second = an || bn ? (an && bn ? b.place > a.place : bn) : b.value > a.value || (b.value == a.value && b.place > a.place);
        return second ? b : a;
    }
};
struct litz_last_min {
    template <class T> __device__ __forceinline__ litz_place<T> operator()(litz_place<T> a, litz_place<T> b) const {
        const bool an = a.value != a.value, bn = b.value != b.value;
        const bool second = an || bn ? (an && bn ? b.place > a.place : bn) : b.value < a.value || (b.value == a.value && b.place > a.place);
        return second ? b : a;
    }
};

// f over elements begin..end of what value_at reads, by T threads; there is at least one. The same result in each.
template <int T, class E, class F, class Value> LITZ_FN E litz_scan_total(F f, const Value &value_at, i64 begin, i64 end) {
    __shared__ __align__(16) char shared[T * sizeof(E)];
    E *const parts = (E *)shared;
    E own;
    if (begin + threadIdx.x < end) {
        value_at(begin + threadIdx.x, own);
        _Pragma("unroll 4") for (i64 i = begin + threadIdx.x + T; i < end; i += T) {
            E x;
            value_at(i, x);
            own = f(own, x);
        }
    }
    __syncthreads();
    parts[threadIdx.x] = own;
    const int some = (int)litz_lesser((i64)T, end - begin);
    _Pragma("unroll") for (int step = T / 2; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step && threadIdx.x + step < some) parts[threadIdx.x] = f(parts[threadIdx.x], parts[threadIdx.x + step]);
    }
    __syncthreads();
    return parts[0];
}

template <int T, class E, class F, class Value, class Give>
LITZ_FN void litz_scan_line(F f, const Value &value_at, const Give &give, i64 begin, i64 end, const E *before_all) {
    enum { EACH = LITZ_SCAN_EACH, WARPS = T / 32, ALL = T * EACH };
    __shared__ __align__(16) char shared[WARPS * sizeof(E)], given[(ALL + ALL / 32) * sizeof(E)];
    E *const parts = (E *)shared, *const results = (E *)given;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const bool some = before_all != nullptr;
    E carry;
    if (some) carry = *before_all;
    for (i64 start = begin; start < end; start += T * EACH) {
        const i64 first = start + threadIdx.x * EACH;
        E x[EACH];
        _Pragma("unroll") for (int e = 0; e < EACH; e++) {
            x[e] = E();
            if (first + e < end) value_at(first + e, x[e]);
        }
        _Pragma("unroll") for (int e = 1; e < EACH; e++) x[e] = f(x[e - 1], x[e]);
        // Threads beyond the end have anything, which nobody before it looks at.
        E upto = x[EACH - 1];
        _Pragma("unroll") for (int step = 1; step < 32; step *= 2) {
            const E other = litz_shuffle_up(upto, step);
            if (lane >= step) upto = f(other, upto);
        }
        const E beside = litz_shuffle_up(upto, 1);
        if (lane == 31) parts[warp] = upto;
        __syncthreads();
        bool has = some || start > begin;
        E before = carry;
        for (int w = 0; w < WARPS; w++) {
            if (w == warp && lane > 0) {
                const E all = has ? f(before, beside) : beside;
                _Pragma("unroll") for (int e = 0; e < EACH; e++) x[e] = f(all, x[e]);
            }
            if (w == warp && lane == 0) {
                _Pragma("unroll") for (int e = 0; e < EACH; e++) x[e] = has ? f(before, x[e]) : x[e];
            }
            before = has ? f(before, parts[w]) : parts[w];
            has = true;
        }
        carry = before;
        // Neighbouring threads store neighbours.
        _Pragma("unroll") for (int e = 0; e < EACH; e++) {
            const int at = threadIdx.x * EACH + e;
            results[at + at / 32] = x[e];
        }
        __syncthreads();
        _Pragma("unroll") for (int e = 0; e < EACH; e++) {
            const int at = threadIdx.x + e * T;
            if (start + at < end) give(start + at, results[at + at / 32]);
        }
    }
}

template <int T, class E, class F, class Value, class Give>
LITZ_FN void litz_scan_part(F f, const Value &value_at, const Give &give, int phase, int part, i64 size, i64 n, E *totals) {
    const i64 begin = litz_lesser(part * size, n), end = litz_lesser(begin + size, n);
    if (begin == end) return;
    if (phase == 0) {
        const E total = litz_scan_total<T, E>(f, value_at, begin, end);
        if (threadIdx.x == 0) totals[part] = total;
        return;
    }
    E before;
    if (part > 0) before = litz_scan_total<T, E>(f, [&](i64 i, E &to) { to = totals[i]; }, 0, part);
    litz_scan_line<T, E>(f, value_at, give, begin, end, part > 0 ? &before : nullptr);
}

template <int S, class E, class F, class Value, class Give> LITZ_FN void litz_scan_beside(F f, const Value &value_at, const Give &give, i64 n) {
    __shared__ __align__(16) char shared[32 * S * sizeof(E)];
    E *const parts = (E *)shared + threadIdx.x % 32;
    const int segment = threadIdx.x / 32;
    const i64 size = (n + S - 1) / S, begin = segment * size, end = litz_lesser(begin + size, n);
    E total = E();
    _Pragma("unroll 4") for (i64 i = begin; i < end; i++) {
        E x;
        value_at(i, x);
        total = i == begin ? x : f(total, x);
    }
    parts[segment * 32] = total;
    __syncthreads();
    for (int s = 0; s < segment; s++) total = s == 0 ? parts[0] : f(total, parts[s * 32]);
    _Pragma("unroll 4") for (i64 i = begin; i < end; i++) {
        E x;
        value_at(i, x);
        total = i == 0 ? x : f(total, x);
        give(i, total);
    }
}
