// Litz CUDA scatter of points that may meet, each element's in their order; stands after merge.h.
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
    const auto then = [&](i64 item, const P *sorted) {
        const i64 turn = item * T + threadIdx.x;
        if (turn >= points * beside) return;
        const i64 i = turn / beside;
        litz_scatter_own<V>(f, place_of, value_of, out, sorted, points, i, turn - i * beside);
    };
    litz_sort_tags<T, P>(tag_at, none, then, 1, points, (P *)room0, (P *)room1, tickets, (points * beside + T - 1) / T, shared);
}
