// Litz CUDA scatter of points that may meet, each element's in their order, but where very many do: what a block's threads
// have of those is put together pairwise, the same way every time; stands after merge.h.
//
//   litz_scatter_sorted<T, U, V>(f, key_of, place_of, value_of, out, points, beside, room0, room1, tickets, shared)
//
//   key_of(point, to)         equal for points that meet, and different for others
//   place_of(point, own, to)  the element of `out` for one of the `beside` that lie beside one another; value_of: what goes there
//   f(a, b)                   what was there, and what comes
// A point that fails leaves `to` alone, and the run fails.
struct litz_last { template <class T> __device__ __forceinline__ T operator()(T, T b) const { return b; } };
template <class F> struct litz_replaces { enum { value = 0 }; };
template <> struct litz_replaces<litz_last> { enum { value = 1 }; };

// Elements that a thread asks for at a time.
#define LITZ_MEETING 8

template <class V, class P, class F, class Place, class Value, class S>
LITZ_FN void litz_scatter_own(F f, const Place &place_of, const Value &value_of, S *out, const P *sorted, i64 points, i64 i, i64 own) {
    const P first = sorted[i];
    i64 place = -1;
    if (litz_replaces<F>::value) {
        if (i + 1 < points && sorted[i + 1].digits() == first.digits()) return;
        V x = V();
        place_of(first.at(), own, place);
        value_of(first.at(), own, x);
        if (place >= 0) store(out + place, x);
        return;
    }
    if (i > 0 && sorted[i - 1].digits() == first.digits()) return;
    place_of(first.at(), own, place);
    if (place < 0) return;
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
template <int T, class V, class P, class F, class Place, class Value, class S>
LITZ_FN void litz_scatter_together(F f, const Place &place_of, const Value &value_of, S *out, const P *sorted, i64 points, i64 head, i64 own,
                                   i64 own_end, V *part) {
    int across = 1;
    while (across < 32 && 2 * across <= own_end - own) across *= 2;
    const int above = T / across, lane = threadIdx.x % across, row = threadIdx.x / across;
    const auto digits = sorted[head].digits();
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
        i64 place = -1;
        if (row == 0 && mine < own_end) place_of(sorted[head].at(), mine, place);
        if (place >= 0) store(out + place, f((V)load_scalar(out + place), part[lane]));
    }
}

template <int T, class U, class V, class F, class Key, class Place, class Value, class S>
LITZ_FN void litz_scatter_sorted(F f, const Key &key_of, const Place &place_of, const Value &value_of, S *out, i64 points, i64 beside,
                                 void *room0, void *room1, i32 *tickets, void *shared) {
    typedef litz_tag<U> P;
    const auto tag_at = [&](i64, i64 point) {
        U key = 0;
        key_of(point, key);
        return P::of(key, point);
    };
    const auto none = [](i64, i64, const P &) {};
    __shared__ i64 heads[2];
    __shared__ int many;
    const auto then = [&](i64 item, const P *sorted) {
        const i64 begin = item * T, turn = begin + threadIdx.x, i = turn / beside, own = turn - i * beside;
        const bool here = turn < points * beside;
        // Where more than T points meet. There are two such places among a block's T turns at most.
        bool together = false;
        if (!litz_replaces<F>::value) {
            __syncthreads();
            if (threadIdx.x == 0) many = 0;
            __syncthreads();
            if (here && i + T < points) {
                const P first = sorted[i];
                together = sorted[i + T].digits() == first.digits() && (i == 0 || sorted[i - 1].digits() != first.digits());
            }
            if (together && (threadIdx.x == 0 || own == 0)) heads[atomicAdd(&many, 1)] = i;
            __syncthreads();
        }
        if (here && !together) litz_scatter_own<V>(f, place_of, value_of, out, sorted, points, i, own);
        if (litz_replaces<F>::value) return;
        for (int k = 0; k < many; k++) {
            const i64 first = litz_greater((i64)0, begin - heads[k] * beside), end = litz_lesser(beside, begin + T - heads[k] * beside);
            litz_scatter_together<T, V>(f, place_of, value_of, out, sorted, points, heads[k], first, end, (V *)shared);
        }
    };
    litz_sort_tags<T, P>(tag_at, none, then, 1, points, (P *)room0, (P *)room1, tickets, (points * beside + T - 1) / T, shared);
}
