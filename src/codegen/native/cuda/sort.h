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
// that only where equal keys meet in what they ask for: then, in lines that shared memory holds, keys become their places
// among the different ones, and the steps of sort.h are taken, for all parts of a line at a time. Longer lines stay stable, as they
// do on PyTorch's GPUs.
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

// A key as its place among the different ones of its line, at most 8192, with the position that it came from.
struct litz_rank {};
template <> struct litz_keyed<litz_rank> {
    u16 at, key;
};

// What threads before this one have, added up.
LITZ_FN u32 litz_sum_before(u32 x) {
    __shared__ u32 sums[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 upto = x;
    _Pragma("unroll") for (int step = 1; step < 32; step *= 2) {
        const u32 other = __shfl_up_sync(0xffffffffu, upto, step);
        if (lane >= step) upto += other;
    }
    __syncthreads();
    if (lane == 31) sums[warp] = upto;
    __syncthreads();
    u32 all = lane < warp ? sums[lane] : 0;
    _Pragma("unroll") for (int step = 16; step > 0; step /= 2) all += __shfl_xor_sync(0xffffffffu, all, step);
    return all + upto - x;
}

// The steps of sort.h's introsort and selection, by a block whose threads have LITZ_EACH elements each, from `a` on.
//
// All large parts are split at a time, then a warp takes what is left of each. From the left of a part the search stops at what is not
// before the pivot, from the right at what the pivot is not before; the k-th stops of both sides are exchanged, unless they have met.
// So that two counts say of an element whether it is: the left stops before it and the right stops from it on, whose difference only
// grows along a part.
struct litz_parts {
    typedef litz_keyed<litz_rank> E;
    typedef litz_order<litz_rank, false> O;
    // A warp's parts have up to LARGE elements. Each of the levels, which `patience` bounds, splits fewer than MOST.
    enum { LARGE = 256, MOST = 8192 / LARGE, LEVELS = 26, NONE = 0x7fff };

    // Of each part at this level and the next: its ends; where its second half begins, the halves' numbers, and the stops before it and
    // up to its end, those from the left in the lower half.
    u16 begin[2][MOST], end[2][MOST], cut[MOST], halves[2][MOST];
    u32 before[MOST], upto[MOST];
    int counts[2], n_small, taken;
    // Parts for warps, as `packed` has them, and those that wait for their turn in each warp.
    u32 small[MOST * LEVELS + 1], waiting[32][LARGE / 16];

    // The elements' parts, and where the stops from the right are, behind the elements; all of whole LITZ_EACH.
    u16 *owners, *stops;

    __device__ void place(E *a, int n) {
        if (threadIdx.x != 0) return;
        owners = (u16 *)(a + (n + 7) / 8 * 8);
        stops = owners + (n + 7) / 8 * 8;
    }

    // One part of all elements.
    __device__ void start(int n) {
        __syncthreads();
        for (int i = threadIdx.x; i < (n + 7) / 8 * 8; i += blockDim.x) owners[i] = i < n ? 0 : NONE;
        if (threadIdx.x == 0) {
            begin[0][0] = 0;
            end[0][0] = (u16)n;
            counts[0] = 1;
            counts[1] = n_small = taken = 0;
        }
        __syncthreads();
    }

    // Whether the search from the left would stop at an element, or has met the other one there.
    LITZ_METHOD bool is_met(bool left, bool right, int gap) { return gap >= 0 || (left && right && gap == -1); }

    // Splits the parts of a level. `follow(begin, end)` says what becomes of a half.
    template <class Follow> __device__ void split(E *a, int n, int level, const Follow &follow) {
        const u16 *const begins = begin[level], *const ends = end[level];
        const int count = counts[level], own = threadIdx.x * LITZ_EACH;
        u16 *const right_stops = stops;
        for (int k = threadIdx.x; k < count; k += blockDim.x) O::median_first(a + begins[k], ends[k] - begins[k]);
        __syncthreads();
        union {
            uint4 words[2];
            E e[LITZ_EACH];
        } x;
        union {
            uint4 word;
            u16 e[LITZ_EACH];
        } owner;
        owner.word = make_uint4(NONE * 0x10001u, NONE * 0x10001u, NONE * 0x10001u, NONE * 0x10001u);
        if (own < n) {
            x.words[0] = ((const uint4 *)(a + own))[0];
            x.words[1] = ((const uint4 *)(a + own))[1];
            owner.word = *(const uint4 *)(owners + own);
        }
        // What an element adds to the stops on either side. Neighbours mostly have one part.
        u32 step[LITZ_EACH], sum = 0;
        int last = NONE, from = 0, to = 0, pivot = 0;
        _Pragma("unroll") for (int e = 0; e < LITZ_EACH; e++) {
            const int k = owner.e[e];
            if (k != last && k < NONE) {
                from = begins[k];
                pivot = a[from].key;
            }
            last = k;
            step[e] = k < NONE && own + e != from ? (u32)(x.e[e].key >= pivot) | (u32)(x.e[e].key <= pivot) << 16 : 0u;
            sum += step[e];
        }
        u32 at = litz_sum_before(sum);
        const u32 first = at;
        last = NONE;
        _Pragma("unroll") for (int e = 0; e < LITZ_EACH; e++) {
            const int k = owner.e[e];
            if (k != last && k < NONE) {
                from = begins[k];
                to = ends[k];
            }
            last = k;
            if (k < NONE && own + e == from) before[k] = at;
            at += step[e];
            if (k < NONE && own + e == to - 1) upto[k] = at;
        }
        __syncthreads();
        at = first;
        int exchanged = 0, places[LITZ_EACH], lefts_before = 0, rights_upto = 0;
        last = NONE;
        _Pragma("unroll") for (int e = 0; e < LITZ_EACH; e++) {
            const int i = own + e, k = owner.e[e];
            places[e] = 0;
            if (k != last && k < NONE) {
                from = begins[k];
                lefts_before = (int)(before[k] & 0xffff);
                rights_upto = (int)(upto[k] >> 16);
            }
            last = k;
            if (step[e]) {
                const bool left = step[e] & 1, right = step[e] >> 16;
                const int lefts = (int)(at & 0xffff) - lefts_before, rights = rights_upto - (int)(at >> 16), gap = lefts - rights;
                if (left && rights - (int)right > lefts) {
                    exchanged |= 1 << e;
                    places[e] = from + lefts;
                }
                if (right && gap >= 0) right_stops[from + rights - 1] = (u16)i;
                if (is_met(left, right, gap)) {
                    bool earlier = false;
                    if (i - 1 > from) {
                        u32 other = step[e > 0 ? e - 1 : 0];
                        if (e == 0) other = (u32)(a[i - 1].key >= a[from].key) | (u32)(a[i - 1].key <= a[from].key) << 16;
                        earlier = is_met(other & 1, other >> 16, gap - (int)(other & 1) - (int)(other >> 16));
                    }
                    if (!earlier) cut[k] = (u16)i;
                }
            }
            at += step[e];
        }
        __syncthreads();
        _Pragma("unroll") for (int e = 0; e < LITZ_EACH; e++)
            if (exchanged >> e & 1) O::exchange(a[own + e], a[right_stops[places[e]]]);
        for (int k = threadIdx.x; k < count; k += blockDim.x) {
            halves[0][k] = follow(begins[k], cut[k]);
            halves[1][k] = follow(cut[k], ends[k]);
        }
        __syncthreads();
        if (own < n) {
            _Pragma("unroll") for (int e = 0; e < LITZ_EACH; e++) {
                const int k = owner.e[e];
                if (k < NONE) owner.e[e] = halves[own + e < cut[k] ? 0 : 1][k];
            }
            *(uint4 *)(owners + own) = owner.word;
        }
        if (threadIdx.x == 0) counts[level] = 0;
        __syncthreads();
    }

    __device__ u16 add(int level, int from, int to) {
        const int k = atomicAdd(&counts[level], 1);
        begin[level][k] = (u16)from;
        end[level][k] = (u16)to;
        return (u16)k;
    }

    LITZ_METHOD u32 packed(int from, int n, int left) { return (u32)from | (u32)n << 13 | (u32)left << 23; }

    // The same by a warp: where the second half of a[0..n) begins, n at most LARGE. `right_stops` holds n.
    LITZ_METHOD int split_near(E *a, int n, u16 *right_stops) {
        enum { CHUNKS = LARGE / 32 };
        const int lane = threadIdx.x % 32;
        const u32 below = (1u << lane) - 1;
        if (lane == 0) O::median_first(a, n);
        __syncwarp();
        const u16 pivot = a[0].key;
        u32 lefts[CHUNKS], rights[CHUNKS];
        int left_sum = 0, right_sum = 0, cut = 0, exchanged = 0;
        _Pragma("unroll") for (int c = 0; c < CHUNKS; c++) {
            const int i = c * 32 + lane;
            lefts[c] = rights[c] = 0;
            if (c * 32 >= n) continue;
            const u16 key = a[i < n ? i : 0].key;
            lefts[c] = __ballot_sync(0xffffffffu, i > 0 && i < n && key >= pivot);
            rights[c] = __ballot_sync(0xffffffffu, i > 0 && i < n && key <= pivot);
            right_sum += __popc(rights[c]);
        }
        _Pragma("unroll") for (int c = 0; c < CHUNKS; c++) {
            if (c * 32 >= n) continue;
            const bool left = lefts[c] >> lane & 1, right = rights[c] >> lane & 1;
            const int from_left = left_sum + __popc(lefts[c] & below), from_right = right_sum - __popc(rights[c] & below);
            const int gap = from_left - from_right;
            if (left && from_right - (int)right > from_left) exchanged |= 1 << c;
            if (right && gap >= 0) right_stops[from_right - 1] = (u16)(c * 32 + lane);
            const u32 met = __ballot_sync(0xffffffffu, (left || right) && is_met(left, right, gap));
            if (cut == 0 && met != 0) cut = c * 32 + __ffs((int)met) - 1;
            left_sum += __popc(lefts[c]);
            right_sum -= __popc(rights[c]);
        }
        __syncwarp();
        left_sum = 0;
        _Pragma("unroll") for (int c = 0; c < CHUNKS; c++) {
            if (exchanged >> c & 1) O::exchange(a[c * 32 + lane], a[right_stops[left_sum + __popc(lefts[c] & below)]]);
            left_sum += __popc(lefts[c]);
        }
        __syncwarp();
        return cut;
    }

    // A part of at most O::SMALL elements in a stable order, by a warp.
    LITZ_METHOD void insertions(E *a, int n) {
        const int lane = threadIdx.x % 32;
        const E x = a[lane < n ? lane : 0];
        int place = 0;
        for (int i = 0; i < n; i++) {
            const u16 key = (u16)__shfl_sync(0xffffffffu, (u32)x.key, i);
            place += key < x.key || (key == x.key && i < lane);
        }
        __syncwarp();
        if (lane < n) a[place] = x;
        __syncwarp();
    }

    // All that is left of a part, by a warp.
    __device__ void near(E *a, u32 part, u32 *parts) {
        const int lane = threadIdx.x % 32;
        for (int waiting = 0;;) {
            const int from = (int)(part & 8191), n = (int)(part >> 13 & 1023), left = (int)(part >> 23);
            E *const own = a + from;
            if (n > O::SMALL && left > 0) {
                const int cut = split_near(own, n, stops + from);
                // What is small comes at once, so that few wait.
                const bool first_small = cut <= O::SMALL;
                const u32 first = packed(from, cut, left - 1), second = packed(from + cut, n - cut, left - 1);
                if (!first_small && n - cut > O::SMALL) {
                    if (lane == 0) parts[waiting] = first;
                    waiting++;
                } else {
                    insertions(first_small ? own : own + cut, first_small ? cut : n - cut);
                }
                part = first_small || n - cut > O::SMALL ? second : first;
                continue;
            }
            if (n > O::SMALL) {
                if (lane == 0) {
                    O::heap(own, n, n);
                    O::from_heap(own, n);
                }
            } else {
                insertions(own, n);
            }
            if (waiting == 0) return;
            __syncwarp();
            part = parts[--waiting];
            __syncwarp();
        }
    }

    // What stable insertion over the whole leaves in a small part is what it leaves there alone: no element belongs before an
    // earlier part's.
    __device__ void unstable(E *a, int n) {
        if (n < 2) return;
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        start(n);
        const int patience = (int)O::patience(n);
        if (n <= LARGE) {
            if (threadIdx.x == 0) small[n_small++] = packed(0, n, patience), counts[0] = 0;
            __syncthreads();
        }
        int level = 0;
        for (int left = patience; counts[level] > 0; left--, level ^= 1) {
            if (left == 0) {
                for (int k = threadIdx.x; k < counts[level]; k += blockDim.x) {
                    O::heap(a + begin[level][k], end[level][k] - begin[level][k], end[level][k] - begin[level][k]);
                    O::from_heap(a + begin[level][k], end[level][k] - begin[level][k]);
                }
                break;
            }
            split(a, n, level, [&](int from, int to) {
                if (to - from > LARGE) return add(level ^ 1, from, to);
                small[atomicAdd(&n_small, 1)] = packed(from, to - from, left - 1);
                return (u16)NONE;
            });
        }
        for (;;) {
            u32 k = 0;
            if (lane == 0) k = (u32)atomicAdd(&taken, 1);
            k = __shfl_sync(0xffffffffu, k, 0);
            if ((int)k >= n_small) break;
            near(a, small[k], waiting[warp]);
        }
        __syncthreads();
    }

    __device__ void nth(E *a, int n, int k) {
        start(n);
        int level = 0;
        for (int left = (int)O::patience(n);; left--, level ^= 1) {
            E *const part = a + begin[level][0];
            const int size = end[level][0] - begin[level][0];
            if (left > 0 && size > 3) {
                split(a, n, level, [&](int from, int to) { return from <= k && k < to ? add(level ^ 1, from, to) : (u16)NONE; });
                continue;
            }
            if (threadIdx.x == 0 && size > 3) {
                const int place = k - begin[level][0];
                O::heap(part, place + 1, size);
                O::exchange(part[0], part[place]);
            } else if (threadIdx.x == 0) {
                O::insertions(part, size);
            }
            __syncthreads();
            return;
        }
    }
};

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

// Sorts a line, by a block, in shared memory: all that the order asks for lies there.
template <class T, bool DESCENDING, int KIND, int NEAR, class Value, class Give>
LITZ_FN void litz_sort_line(const Value &value_at, const Give &give, i64 line, i64 n, i64 k, void *shared) {
    typedef litz_line<T, DESCENDING> L;
    typedef litz_parts::E E;
    typedef litz_parts::O O;
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
            __shared__ litz_parts parts;
            // The different keys up to each of a thread's own.
            const int own = threadIdx.x * LITZ_EACH;
            u32 at[LITZ_EACH], seen = 0;
            _Pragma("unroll") for (int e = 0; e < LITZ_EACH; e++) {
                at[e] = 0;
                if (own + e >= n) continue;
                const P tag = tags[litz_padded(own + e)];
                seen += own + e == 0 || tags[litz_padded(own + e - 1)].digits() != tag.digits();
                at[e] = (u32)tag.at() | seen << 16;
            }
            const u32 before = litz_sum_before(seen);
            parts.place(a, (int)n);
            __syncthreads();
            _Pragma("unroll") for (int e = 0; e < LITZ_EACH; e++) {
                if (own + e >= n) continue;
                E &x = a[at[e] & 0xffff];
                x.at = (u16)at[e];
                x.key = (u16)(before + (at[e] >> 16));
            }
            __syncthreads();
            if (KIND == LITZ_SORT_UNSTABLE) parts.unstable(a, (int)n);
            const bool heaped = k * 64 <= n;
            if (threadIdx.x == 0) {
                if (KIND == LITZ_SORT_PLACE) O::place(a, n, k);
                if (first && heaped && k > 0) {
                    O::heap(a, k, n);
                    O::from_heap(a, k);
                }
            }
            if (first && !heaped && k <= n) parts.nth(a, (int)n, (int)k - 1);
            __syncthreads();
            if (KIND == LITZ_SORT_FIRST && !heaped && k <= n) parts.unstable(a, (int)k - 1);
            __syncthreads();
            for (i64 i = begin + threadIdx.x; i < end && i < n; i += blockDim.x) {
                T key;
                value_at(line, a[i].at, key);
                give(line, i, key, a[i].at);
            }
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
