// Litz sorting: stable, bottom-up merges of keys and the positions they came from.
//
//   litz_sort<T>(keys, positions, n, key_space, position_space, descending): sorts n keys in place and moves `positions` with them; the
//     spaces hold n elements each. NaN is the largest. Equal keys keep their order.
template <class T> LITZ_FN bool litz_before(T a, T b, bool descending) {
    bool a_nan = a != a, b_nan = b != b;
    if (descending) return a > b || (a_nan && !b_nan);
    return a < b || (b_nan && !a_nan);
}

template <class T> LITZ_MATH void litz_sort(T *keys, i64 *positions, i64 n, T *key_space, i64 *position_space, bool descending) {
    T *from = keys, *to = key_space;
    i64 *from_at = positions, *to_at = position_space;
    for (i64 width = 1; width < n; width *= 2) {
        for (i64 start = 0; start < n; start += 2 * width) {
            i64 middle = start + width < n ? start + width : n, end = start + 2 * width < n ? start + 2 * width : n;
            i64 left = start, right = middle;
            for (i64 k = start; k < end; k++) {
                bool take_right = left >= middle || (right < end && litz_before(from[right], from[left], descending));
                i64 source = take_right ? right++ : left++;
                to[k] = from[source];
                to_at[k] = from_at[source];
            }
        }
        T *keys_now = from;
        from = to;
        to = keys_now;
        i64 *at_now = from_at;
        from_at = to_at;
        to_at = at_now;
    }
    if (from != keys)
        for (i64 k = 0; k < n; k++) keys[k] = from[k], positions[k] = from_at[k];
}
