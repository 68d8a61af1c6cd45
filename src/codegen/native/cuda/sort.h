// Litz CUDA sorts of lines of keys with the positions that they came from; stands after sort.h and merge.h.
//
//   litz_sort_line<T, DESCENDING, KIND, NEAR>(value_at, give, line, n, k, shared)      a block sorts a line
//   litz_sort_far<T, K, DESCENDING>(value_at, give, lines, n, room0, room1, tickets, shared)  blocks of T threads share all lines
//
//   value_at(line, i, to)    reads element i of a line
//   give(line, i, key, at)   writes place i of the results
//   shared                   min(n, NEAR) keys with positions, NEAR at most 8192, and an eighth more
//
// Tags hold the digits of a key and its position, so that what is sorted by them is stable. The other orders differ from
// that only where equal keys meet in what they ask for: then, in lines that shared memory holds, the steps of sort.h are
// taken, a thread for each part. Longer lines stay stable, as they do on PyTorch's GPUs.
#define LITZ_SORT_STABLE 0
#define LITZ_SORT_UNSTABLE 1
#define LITZ_SORT_FIRST 2
#define LITZ_SORT_FIRST_UNSORTED 3
#define LITZ_SORT_PLACE 4

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
    typedef litz_keyed<T> E;
    typedef litz_order<T, DESCENDING> O;
    typedef decltype(litz_digits(T())) U;
    typedef litz_tag<U> P;

    LITZ_METHOD U digits(T key) { return DESCENDING ? ~litz_digits(key) : litz_digits(key); }
    // litz_order's split, by a warp: the same exchanges. Both ends are looked at 32 elements at a time, as long as they do not
    // meet; what stops the search from the left there is exchanged with what stops that from the right, in the order in
    // which one thread would come to it. `places` holds 64 for each warp.
    LITZ_METHOD int split(E *a, int n, u16 *places) {
        const int lane = threadIdx.x % 32;
        const u32 below = (1u << lane) - 1;
        if (lane == 0) O::median_first(a, n);
        __syncwarp();
        const E pivot = a[0];
        int low = 1, high = n;
        u32 left = 0, right = 0;
        bool some_left = false, some_right = false;
        for (;;) {
            if (left == 0) {
                if (some_left) low += 32;
                some_left = false;
                if (high - low < 64) break;
                left = __ballot_sync(0xffffffffu, !O::before(a[low + lane], pivot));
                some_left = true;
                if (left == 0) continue;
            }
            if (right == 0) {
                if (some_right) high -= 32;
                some_right = false;
                if (high - low < 64) break;
                right = __ballot_sync(0xffffffffu, !O::before(pivot, a[high - 1 - lane]));
                some_right = true;
                if (right == 0) continue;
            }
            const int pairs = litz_lesser(__popc(left), __popc(right));
            const int own_left = __popc(left & below), own_right = __popc(right & below);
            const bool is_left = left >> lane & 1, is_right = right >> lane & 1;
            if (is_left && own_left < pairs) places[own_left] = low + lane;
            if (is_right && own_right < pairs) places[32 + own_right] = high - 1 - lane;
            __syncwarp();
            if (lane < pairs) O::exchange(a[places[lane]], a[places[32 + lane]]);
            __syncwarp();
            left = __ballot_sync(0xffffffffu, is_left && own_left >= pairs);
            right = __ballot_sync(0xffffffffu, is_right && own_right >= pairs);
        }
        if (left != 0) low += __ffs(left) - 1;
        if (right != 0) high -= __ffs(right) - 1;
        // A chunk from the right that was used up while the left one had no successor.
        else if (some_right) high -= 32;
        int cut = 0;
        if (lane == 0) cut = (int)O::meet(a, low, high);
        return __shfl_sync(0xffffffffu, cut, 0);
    }

    // litz_order's selection, by a warp.
    LITZ_METHOD void nth(E *a, int n, int k, u16 *places) {
        const int lane = threadIdx.x % 32;
        for (int left = (int)O::patience(n); n > 3; left--) {
            if (left == 0) {
                if (lane == 0) {
                    O::heap(a, k + 1, n);
                    O::exchange(a[0], a[k]);
                }
                return;
            }
            const int cut = split(a, n, places);
            __syncwarp();
            if (cut <= k) {
                a += cut;
                n -= cut;
                k -= cut;
            } else {
                n = cut;
            }
        }
        if (lane == 0) O::insertions(a, n);
    }

    // litz_order's introsort: large parts by warps, small ones by threads, both halves of each at the next level. What stable
    // insertion over the whole leaves in a part is what it leaves there alone: no element belongs before an earlier part's.
    LITZ_METHOD void unstable(E *a, int n) {
        enum { LARGE = 128 };
        struct part {
            u16 begin, n;
        };
        __shared__ part parts[2][8192 / O::SMALL];
        __shared__ u16 places[32][64];
        __shared__ int counts[2];
        if (n < 2) return;
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
        if (threadIdx.x == 0) {
            parts[0][0].begin = 0;
            parts[0][0].n = n;
            counts[0] = 1;
            counts[1] = 0;
        }
        int level = 0;
        const auto halved = [&](const part &p, int cut) {
            for (int half = 0; half < 2; half++) {
                const int begin = half ? cut : 0, size = half ? p.n - cut : cut;
                if (size <= O::SMALL) {
                    O::insertions(a + p.begin + begin, size);
                } else {
                    part &next = parts[level ^ 1][atomicAdd(&counts[level ^ 1], 1)];
                    next.begin = p.begin + begin;
                    next.n = size;
                }
            }
        };
        for (int left = (int)O::patience(n);; left--, level ^= 1) {
            __syncthreads();
            const int count = counts[level];
            if (count == 0) break;
            if (left > 0)
                for (int k = warp; k < count; k += warps) {
                    const part p = parts[level][k];
                    if (p.n < LARGE) continue;
                    const int cut = split(a + p.begin, p.n, places[warp]);
                    if (lane == 0) halved(p, cut);
                    __syncwarp();
                }
            for (int k = threadIdx.x; k < count; k += blockDim.x) {
                const part p = parts[level][k];
                E *const own = a + p.begin;
                if (p.n <= O::SMALL) {
                    O::insertions(own, p.n);
                } else if (left == 0) {
                    O::heap(own, p.n, p.n);
                    O::from_heap(own, p.n);
                } else if (p.n < LARGE) {
                    halved(p, (int)O::split(own, p.n));
                }
            }
            __syncthreads();
            if (threadIdx.x == 0) counts[level] = 0;
        }
    }

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

// Sorts a line, by a block, in shared memory: all that the order asks for lies there.
template <class T, bool DESCENDING, int KIND, int NEAR, class Value, class Give>
LITZ_FN void litz_sort_line(const Value &value_at, const Give &give, i64 line, i64 n, i64 k, void *shared) {
    typedef litz_line<T, DESCENDING> L;
    typedef litz_keyed<T> E;
    typedef typename L::P P;
    P *const tags = (P *)shared;
    const bool first = KIND == LITZ_SORT_FIRST || KIND == LITZ_SORT_FIRST_UNSORTED;
    // The places that are asked for.
    const i64 begin = KIND == LITZ_SORT_PLACE ? k : 0, end = KIND == LITZ_SORT_PLACE ? k + 1 : first && k < n ? k : n;
    __syncthreads();
    if (n <= NEAR) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            T key;
            value_at(line, i, key);
            tags[litz_padded(i)] = P::of(L::digits(key), i);
        }
        litz_sort_tile(tags, (int)n);
        bool meet = KIND == LITZ_SORT_FIRST_UNSORTED;
        if (KIND != LITZ_SORT_STABLE)
            for (int i = (int)begin + threadIdx.x; i <= end; i += blockDim.x)
                if (i > 0 && i < n) meet |= tags[litz_padded(i - 1)].digits() == tags[litz_padded(i)].digits();
        if (KIND != LITZ_SORT_STABLE && __syncthreads_or(meet)) {
            E *const a = (E *)shared;
            for (int i = threadIdx.x; i < n; i += blockDim.x) {
                T key;
                value_at(line, i, key);
                a[i].key = key;
                a[i].at = i;
            }
            __syncthreads();
            if (KIND == LITZ_SORT_UNSTABLE) L::unstable(a, (int)n);
            const bool heaped = k * 64 <= n;
            if (threadIdx.x == 0) {
                if (KIND == LITZ_SORT_PLACE) L::O::place(a, n, k);
                if (first && heaped && k > 0) {
                    L::O::heap(a, k, n);
                    L::O::from_heap(a, k);
                }
            }
            __shared__ u16 places[64];
            if (first && !heaped && k <= n && threadIdx.x < 32) L::nth(a, (int)n, (int)k - 1, places);
            __syncthreads();
            if (KIND == LITZ_SORT_FIRST && !heaped && k <= n) L::unstable(a, (int)k - 1);
            __syncthreads();
            for (i64 i = begin + threadIdx.x; i < end && i < n; i += blockDim.x) give(line, i, a[i].key, a[i].at);
            return;
        }
    } else {
        L::select(tags, value_at, line, n, k);
        litz_sort_tile(tags, (int)k);
    }
    for (int i = (int)begin + threadIdx.x; i < end && i < n; i += blockDim.x) {
        const i64 at = tags[litz_padded(i)].at();
        T key;
        value_at(line, at, key);
        give(line, i, key, at);
    }
}

// Sorts `lines` lines of n elements each, all in a stable order, by all blocks, of T threads.
template <int THREADS, class T, bool DESCENDING, class Value, class Give>
LITZ_FN void litz_sort_far(const Value &value_at, const Give &give, i64 lines, i64 n, void *room0, void *room1, i32 *tickets, void *shared) {
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
    litz_sort_tags<THREADS, P>(tag_at, done, [](i64, const P *) {}, lines, n, (P *)room0, (P *)room1, tickets, 0, shared);
}
