// Litz CUDA scans of lines; stands after prelude.h. An element E is a value, or for an extreme a value with its place.
//
//   value_at(i, to) reads element i; give(i, x) stores the scan's result there; f(a, b) combines what comes before with what
//   comes after it, and does not depend on their order.
//
//   litz_scan_serial<E>(f, value_at, give, n)              a thread scans a line
//   litz_scan_line<T, E>(f, value_at, give, begin, end)    T threads scan elements begin..end of a line, of which other
//                                                          blocks scan the rest; begin is a multiple of 4 T
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

template <class E, class F, class Value, class Give> LITZ_FN void litz_scan_serial(F f, const Value &value_at, const Give &give, i64 n) {
    E total;
    for (i64 i = 0; i < n; i++) {
        E x;
        value_at(i, x);
        total = i == 0 ? x : f(total, x);
        give(i, total);
    }
}

template <int T, class E, class F, class Value, class Give>
LITZ_FN void litz_scan_line(F f, const Value &value_at, const Give &give, i64 begin, i64 end) {
    enum { EACH = 4, WARPS = T / 32 };
    __shared__ __align__(16) char shared[WARPS * sizeof(E)];
    E *const parts = (E *)shared;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    // What stands before this block's part: there are whole tiles of it.
    const bool some = begin > 0;
    E carry;
    if (some) {
        E own;
        value_at(threadIdx.x, own);
        _Pragma("unroll 4") for (i64 i = threadIdx.x + T; i < begin; i += T) {
            E x;
            value_at(i, x);
            own = f(own, x);
        }
        _Pragma("unroll") for (int step = 16; step > 0; step /= 2) own = f(own, litz_shuffle_xor(own, step));
        if (lane == 0) parts[warp] = own;
        __syncthreads();
        carry = parts[0];
        for (int w = 1; w < WARPS; w++) carry = f(carry, parts[w]);
        __syncthreads();
    }
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
                _Pragma("unroll") for (int e = 0; e < EACH; e++)
                    if (first + e < end) give(first + e, f(all, x[e]));
            }
            if (w == warp && lane == 0) {
                _Pragma("unroll") for (int e = 0; e < EACH; e++)
                    if (first + e < end) give(first + e, has ? f(before, x[e]) : x[e]);
            }
            before = has ? f(before, parts[w]) : parts[w];
            has = true;
        }
        carry = before;
        __syncthreads();
    }
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
