// Litz CUDA scatter of points that may meet, each element's in their order, but where very many do: what a block's threads
// have of those is put together pairwise, the same way every time; stands after merge.h.
//
//   litz_scatter_sorted<T, U, V>(f, key_of, rest_of, value_of, out, points, beside, workspace0, workspace1, semaphores, shared)
//                             all blocks sort the points together
//   litz_scatter_near<T, U, V>(f, key_of, rest_of, value_of, out, groups, points, beside, wide, shared)
//                             a block for each of `groups` shares of a line's keys and each `wide` elements of those that lie beside
//                             one another, the last varying first: each finds its points among the line's and sorts those, so that
//                             blocks need nothing of one another
//
//   key_of(line, point, to)         equal for points of a line that meet, and different for others; of lines no two points meet
//   value_of(line, point, own, to)  what goes to one of the `beside` elements that lie beside one another
//   rest_of(own)                    where that is in `out`, counted from the key
//   f(a, b)                         what was there, and what comes
// A point that fails leaves `to` alone, and the run fails.
struct litz_last { template <class T> __device__ __forceinline__ T operator()(T, T b) const { return b; } };
template <class F> struct litz_replaces { enum { value = 0 }; };
template <> struct litz_replaces<litz_last> { enum { value = 1 }; };

// The key of a point that failed: no element has it.
template <class U> LITZ_FN bool litz_failed(U key) { return key == (U)~(U)0; }

// Elements that a thread asks for at a time.
#define LITZ_MEETING 8

template <class V, class P, class F, class Rest, class Value, class S>
LITZ_FN void litz_scatter_own(F f, const Rest &rest_of, const Value &value_of, S *out, const P *sorted, i64 points, i64 i, i64 own) {
    const P first = sorted[i];
    if (litz_failed(first.digits())) return;
    const i64 place = (i64)first.digits() + rest_of(own);
    if (litz_replaces<F>::value) {
        if (i + 1 < points && sorted[i + 1].digits() == first.digits()) return;
        V x = V();
        value_of(first.at(), own, x);
        store(out + place, x);
        return;
    }
    if (i > 0 && sorted[i - 1].digits() == first.digits()) return;
    S sum = out[place];
    for (bool more = true; more; i += LITZ_MEETING) {
        V x[LITZ_MEETING];
        bool mine[LITZ_MEETING];
        _Pragma("unroll") for (int e = 0; e < LITZ_MEETING; e++) {
            const P tag = i + e < points ? sorted[i + e] : P::last();
            mine[e] = i + e < points && tag.digits() == first.digits();
            x[e] = V();
            if (mine[e]) value_of(tag.at(), own, x[e]);
        }
        _Pragma("unroll") for (int e = 0; e < LITZ_MEETING; e++)
            if (mine[e]) store(&sum, f((V)load_scalar(&sum), x[e]));
        more = mine[LITZ_MEETING - 1];
    }
    out[place] = sum;
}

// What more than T points bring to the elements own..own_end beside one another, from sorted[head] on, by a block of T threads: some
// of them beside one another, as the elements lie, and the others above one another, which share the points.
template <int T, class V, class P, class F, class Rest, class Value, class S>
LITZ_FN void litz_scatter_together(F f, const Rest &rest_of, const Value &value_of, S *out, const P *sorted, i64 points, i64 head, i64 own,
                                   i64 own_end, V *part) {
    int across = 1;
    while (across < 32 && 2 * across <= own_end - own) across *= 2;
    const int above = T / across, lane = threadIdx.x % across, row = threadIdx.x / across;
    const auto digits = sorted[head].digits();
    if (litz_failed(digits)) return;
    for (; own < own_end; own += across) {
        const i64 mine = own + lane;
        V sum = V();
        bool some = false;
        for (i64 i = head + row; mine < own_end; i += LITZ_MEETING * above) {
            V x[LITZ_MEETING];
            bool here[LITZ_MEETING];
            _Pragma("unroll") for (int e = 0; e < LITZ_MEETING; e++) {
                const P tag = i + e * above < points ? sorted[i + e * above] : P::last();
                here[e] = i + e * above < points && tag.digits() == digits;
                x[e] = V();
                if (here[e]) value_of(tag.at(), mine, x[e]);
            }
            _Pragma("unroll") for (int e = 0; e < LITZ_MEETING; e++) {
                if (!here[e]) continue;
                sum = some ? f(sum, x[e]) : x[e];
                some = true;
            }
            if (!here[LITZ_MEETING - 1]) break;
        }
        __syncthreads();
        part[threadIdx.x] = sum;
        __syncthreads();
        for (int step = above / 2; step > 0; step /= 2) {
            if (row < step) part[threadIdx.x] = f(part[threadIdx.x], part[threadIdx.x + step * across]);
            __syncthreads();
        }
        if (row == 0 && mine < own_end) {
            const i64 place = (i64)digits + rest_of(mine);
            store(out + place, f((V)load_scalar(out + place), part[lane]));
        }
    }
}

// T turns, from `begin` on: each is a point of sorted[0..points) and one of the `beside` elements beside one another. `part`: memory of T
// values.
template <int T, class V, class P, class F, class Rest, class Value, class S>
LITZ_FN void litz_scatter_turns(F f, const Rest &rest_of, const Value &value_of, S *out, const P *sorted, i64 points, i64 beside, i64 begin, V *part) {
    const i64 turn = begin + threadIdx.x, i = turn / beside, own = turn - i * beside;
    const bool here = turn < points * beside;
    if (litz_replaces<F>::value) {
        if (here) litz_scatter_own<V>(f, rest_of, value_of, out, sorted, points, i, own);
        return;
    }
    // Where more than T points meet. There are two such places among a block's T turns at most.
    __shared__ i64 heads[2];
    __shared__ int many;
    bool together = false;
    __syncthreads();
    if (threadIdx.x == 0) many = 0;
    __syncthreads();
    if (here && i + T < points) {
        const P first = sorted[i];
        together = sorted[i + T].digits() == first.digits() && (i == 0 || sorted[i - 1].digits() != first.digits());
    }
    if (together && (threadIdx.x == 0 || own == 0)) heads[atomicAdd(&many, 1)] = i;
    __syncthreads();
    if (here && !together) litz_scatter_own<V>(f, rest_of, value_of, out, sorted, points, i, own);
    for (int k = 0; k < many; k++) {
        const i64 first = litz_greater((i64)0, begin - heads[k] * beside), end = litz_lesser(beside, begin + T - heads[k] * beside);
        litz_scatter_together<T, V>(f, rest_of, value_of, out, sorted, points, heads[k], first, end, part);
    }
}

template <int T, class U, class V, class F, class Key, class Rest, class Value, class S>
LITZ_FN void litz_scatter_sorted(F f, const Key &key_of, const Rest &rest_of, const Value &value_of, S *out, i64 points, i64 beside,
                                 void *workspace0, void *workspace1, i32 *semaphores, void *shared) {
    typedef litz_tag<U> P;
    const auto tag_at = [&](i64, i64 point) {
        U key = (U)~(U)0;
        key_of(0, point, key);
        return P::of(key, point);
    };
    const auto value = [&](i64 point, i64 own, V &to) { value_of(0, point, own, to); };
    const auto none = [](i64, i64, const P &) {};
    const auto then = [&](i64 item, const P *sorted) {
        litz_scatter_turns<T, V>(f, rest_of, value, out, sorted, points, beside, item * T, (V *)shared);
    };
    litz_sort_tags<T, P>(tag_at, none, then, 1, points, (P *)workspace0, (P *)workspace1, semaphores, (points * beside + T - 1) / T, shared);
}

template <int T, class U, class V, class F, class Key, class Rest, class Value, class S>
LITZ_FN void litz_scatter_near(F f, const Key &key_of, const Rest &rest_of, const Value &value_of, S *out, i64 groups, i64 points,
                               i64 beside, i64 wide, void *shared) {
    enum { TILE = T * LITZ_SORT_EACH, LOOKS = 4, LONG = TILE / T };
    typedef litz_tag<U> P;
    P *const a = (P *)shared;
    V *const part = (V *)(a + litz_padded(TILE));
    u16 *const heads = (u16 *)(part + T);
    __shared__ int found, n_heads, n_long, long_ones[LONG];
    const i64 chunks = (beside + wide - 1) / wide, begin = blockIdx.x % chunks * wide;
    const i64 group = blockIdx.x / chunks % groups, line = blockIdx.x / chunks / groups;
    const int width = (int)litz_lesser(wide, beside - begin), lane = threadIdx.x % 32;
    const auto rest = [&](i64 own) { return rest_of(begin + own); };
    const auto value = [&](i64 point, i64 own, V &to) { value_of(line, point, begin + own, to); };
    // Where this thread puts something of its own, if it has anything: all threads of a warp call it.
    const auto next = [&](bool some, int &count) {
        const u32 votes = __ballot_sync(0xffffffffu, some);
        int at = 0;
        if (lane == 0 && votes) at = atomicAdd(&count, __popc(votes));
        return __shfl_sync(0xffffffffu, at, 0) + __popc(votes & ((1u << lane) - 1));
    };
    // Puts the `mine` points that were found where they belong.
    const auto put = [&](int mine) {
        const int own = threadIdx.x * LITZ_SORT_EACH;
        litz_sort_tile(a, mine);
        P x[LITZ_SORT_EACH];
        _Pragma("unroll") for (int e = 0; e < LITZ_SORT_EACH; e++) x[e] = own + e < mine ? a[litz_padded(own + e)] : P::last();
        if (threadIdx.x == 0) n_heads = n_long = 0;
        __syncthreads();
        _Pragma("unroll") for (int e = 0; e < LITZ_SORT_EACH; e++) if (own + e < mine) a[own + e] = x[e];
        __syncthreads();
        // One point for each of the places: the first of those that meet there, or the last where that one stays.
        for (int i = threadIdx.x; i < (mine + T - 1) / T * T; i += T) {
            const int beyond = litz_replaces<F>::value ? i + 1 : i - 1;
            const bool head = i < mine && (beyond < 0 || beyond >= mine || a[beyond].digits() != a[i].digits());
            const bool many = head && !litz_replaces<F>::value && i + T < mine && a[i + T].digits() == a[i].digits();
            if (many) long_ones[atomicAdd(&n_long, 1)] = i;
            const int at = next(head && !many, n_heads);
            if (head && !many) heads[at] = (u16)i;
        }
        __syncthreads();
        for (int turn = threadIdx.x; turn < n_heads * width; turn += T)
            litz_scatter_own<V>(f, rest, value, out, (const P *)a, mine, heads[turn / width], turn % width);
        if (!litz_replaces<F>::value)
            for (int k = 0; k < n_long; k++) litz_scatter_together<T, V>(f, rest, value, out, (const P *)a, mine, long_ones[k], 0, width, part);
        __syncthreads();
        if (threadIdx.x == 0) found = 0;
        __syncthreads();
    };
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    for (i64 start = 0; start < points; start += T * LOOKS) {
        U keys[LOOKS];
        _Pragma("unroll") for (int e = 0; e < LOOKS; e++) {
            const i64 i = start + threadIdx.x + e * T;
            keys[e] = (U)~(U)0;
            if (i < points) key_of(line, i, keys[e]);
        }
        _Pragma("unroll") for (int e = 0; e < LOOKS; e++) {
            const i64 i = start + threadIdx.x + e * T;
            const bool own = i < points && (groups == 1 || (u64)litz_mixed(keys[e]) * (u64)groups >> 31 == (u64)group);
            const int at = next(own, found);
            if (own) a[litz_padded(at)] = P::of(keys[e], i);
        }
        __syncthreads();
        const int mine = found;
        __syncthreads();
        // The next points may not fit.
        if (mine > TILE - T * LOOKS || start + T * LOOKS >= points) put(mine);
    }
}
