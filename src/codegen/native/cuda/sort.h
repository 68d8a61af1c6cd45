// Litz CUDA sorts of lines of keys with the positions that they came from; stands after merge.h.
//
//   litz_sort_line<T, DESCENDING, FIRST, NEAR>(value_at, give, line, n, k, shared)     a block sorts a line: all, or its first k
//   litz_sort_far<T, K, DESCENDING>(value_at, give, lines, n, workspace0, workspace1, semaphores, shared)  blocks of T threads share all lines
//
//   value_at(line, i, to)    reads element i of a line
//   give(line, i, key, at)   writes place i of the results
//   shared                   min(n, NEAR) keys with positions, NEAR at most 8192, and an eighth more
//
// Tags hold the digits of a key and its position, so that equal keys keep their order.

// Unsigned numbers in the order of the keys; equal keys have equal ones.
LITZ_FN u32 litz_digits(f32 x) {
    const u32 b = x != x ? 0x7fffffffu : x == 0 ? 0u : __float_as_uint(x);
    return b >> 31 ? ~b : b | 0x80000000u;
}
LITZ_FN u64 litz_digits(f64 x) {
    const u64 b = x != x ? 0x7fffffffffffffffull : x == 0 ? 0ull : (u64)__double_as_longlong(x);
    return b >> 63 ? ~b : b | 0x8000000000000000ull;
}
LITZ_FN u64 litz_digits(i64 x) { return (u64)x ^ 0x8000000000000000ull; }
LITZ_FN u64 litz_digits(u64 x) { return x; }
LITZ_FN u32 litz_digits(u32 x) { return x; }
template <class T> LITZ_FN u32 litz_digits(T x) { return (u32)(i32)x ^ 0x80000000u; }

template <class T, bool DESCENDING> struct litz_line {
    typedef decltype(litz_digits(T())) U;
    typedef litz_tag<U> P;

    LITZ_METHOD U digits(T key) { return DESCENDING ? ~litz_digits(key) : litz_digits(key); }
    // f(i, digits) for all elements of a line, some asked for at a time.
    template <class Value, class F> LITZ_METHOD void each(const Value &value_at, i64 line, i64 n, const F &f) {
        enum { AT_ONCE = 8 };
        i64 i = threadIdx.x;
        for (; i + (AT_ONCE - 1) * blockDim.x < n; i += AT_ONCE * blockDim.x) {
            T key[AT_ONCE];
            _Pragma("unroll") for (int e = 0; e < AT_ONCE; e++) value_at(line, i + e * blockDim.x, key[e]);
            _Pragma("unroll") for (int e = 0; e < AT_ONCE; e++) f(i + e * blockDim.x, digits(key[e]));
        }
        for (; i < n; i += blockDim.x) {
            T key;
            value_at(line, i, key);
            f(i, digits(key));
        }
    }

    // The tags of the first k elements to the front of a, in no order.
    template <class Value> LITZ_METHOD void select(P *a, const Value &value_at, i64 line, i64 n, i64 k) {
        enum { VOTES = 4 };
        __shared__ u32 bins[256], counts[VOTES * 32];
        __shared__ u32 digit, slot, equals;
        __shared__ i64 rest;
        if (k <= 0) return;
        U prefix = 0;
        i64 left = k;
        const int top = 8 * (int)sizeof(U) - 8, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        for (int shift = top; shift >= 0; shift -= 8) {
            for (int b = threadIdx.x; b < 256; b += blockDim.x) bins[b] = 0;
            __syncthreads();
            each(value_at, line, n, [&](i64, U x) {
                if (shift == top || (x >> shift >> 8) == (prefix >> shift >> 8)) atomicAdd(&bins[(x >> shift) & 255], 1u);
            });
            __syncthreads();
            if (warp == 0) {
                u32 own = 0;
                for (int b = 0; b < 8; b++) own += bins[lane * 8 + b];
                u32 upto = own;
                for (int step = 1; step < 32; step *= 2) {
                    const u32 other = __shfl_up_sync(0xffffffffu, upto, step);
                    if (lane >= step) upto += other;
                }
                if ((i64)(upto - own) < left && left <= (i64)upto) {
                    u32 before = upto - own;
                    int b = lane * 8;
                    while ((i64)(before + bins[b]) < left) before += bins[b++];
                    digit = b;
                    rest = left - before;
                    equals = bins[b];
                }
            }
            __syncthreads();
            prefix |= (U)digit << shift;
            left = rest;
        }
        // All that come before that key, in any order, then of those equal to it the first.
        if (threadIdx.x == 0) slot = 0;
        __syncthreads();
        if (equals == left) {
            each(value_at, line, n, [&](i64 i, U x) {
                if (x <= prefix) a[litz_padded(atomicAdd(&slot, 1u))] = P::of(x, i);
            });
            __syncthreads();
            return;
        }
        const i64 lesser = k - left;
        i64 taken = 0;
        for (i64 start = threadIdx.x; start - threadIdx.x < n; start += VOTES * blockDim.x) {
            T key[VOTES];
            u32 votes[VOTES];
            bool equal[VOTES];
            _Pragma("unroll") for (int e = 0; e < VOTES; e++) {
                const i64 i = start + e * blockDim.x;
                key[e] = T();
                if (i < n) value_at(line, i, key[e]);
            }
            __syncthreads();
            _Pragma("unroll") for (int e = 0; e < VOTES; e++) {
                const i64 i = start + e * blockDim.x;
                const U x = digits(key[e]);
                equal[e] = i < n && x == prefix;
                if (i < n && x < prefix) a[litz_padded(atomicAdd(&slot, 1u))] = P::of(x, i);
                votes[e] = __ballot_sync(0xffffffffu, equal[e]);
                if (lane == 0) counts[e * 32 + warp] = __popc(votes[e]);
            }
            __syncthreads();
            _Pragma("unroll") for (int e = 0; e < VOTES; e++) {
                i64 place = taken + __popc(votes[e] & ((1u << lane) - 1));
                for (int w = 0; w < (int)blockDim.x / 32; w++) {
                    if (w < warp) place += counts[e * 32 + w];
                    taken += counts[e * 32 + w];
                }
                if (equal[e] && place < left) a[litz_padded((int)(lesser + place))] = P::of(prefix, start + e * blockDim.x);
            }
        }
        __syncthreads();
    }
};

// Sorts a line, by a block, in shared memory: all that is asked for lies there.
template <class T, bool DESCENDING, bool FIRST, int NEAR, class Value, class Give>
LITZ_FN void litz_sort_line(const Value &value_at, const Give &give, i64 line, i64 n, i64 k, void *shared) {
    typedef litz_line<T, DESCENDING> L;
    typedef typename L::P P;
    P *const tags = (P *)shared;
    const i64 end = FIRST && k < n ? k : n;
    __syncthreads();
    if (!FIRST || n <= NEAR) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            T key;
            value_at(line, i, key);
            tags[litz_padded(i)] = P::of(L::digits(key), i);
        }
        litz_sort_tile(tags, (int)n);
    } else {
        L::select(tags, value_at, line, n, end);
        litz_sort_tile(tags, (int)end);
    }
    for (int i = threadIdx.x; i < end; i += blockDim.x) {
        const i64 at = tags[litz_padded(i)].at();
        T key;
        value_at(line, at, key);
        give(line, i, key, at);
    }
}

// Sorts `lines` lines of n elements each, all in a stable order, by all blocks, of T threads.
template <int THREADS, class T, bool DESCENDING, class Value, class Give>
LITZ_FN void litz_sort_far(const Value &value_at, const Give &give, i64 lines, i64 n, void *workspace0, void *workspace1, i32 *semaphores, void *shared) {
    typedef litz_line<T, DESCENDING> L;
    typedef typename L::P P;
    const auto tag_at = [&](i64 line, i64 i) {
        T key;
        value_at(line, i, key);
        return P::of(L::digits(key), i);
    };
    const auto done = [&](i64 line, i64 i, const P &tag) {
        T key;
        value_at(line, tag.at(), key);
        give(line, i, key, tag.at());
    };
    litz_sort_tags<THREADS, P>(tag_at, done, [](i64, const P *) {}, lines, n, (P *)workspace0, (P *)workspace1, semaphores, 0, shared);
}
