// Litz sorting of keys with the positions that they came from. NaN is the largest key, and equal keys keep the order of
// their positions.
//
//   litz_order<T, DESCENDING>::sort(a, space, n)   sorts n elements; `space` holds as many
//   litz_order<T, DESCENDING>::select(a, n, k)     puts the first k of the order to the front, in any order among them
//
// No two positions are equal, so the order is total: selection needs no stable algorithm.
template <class T> struct litz_keyed {
    T key;
    i64 at;
};

template <class T, bool DESCENDING> struct litz_order {
    typedef litz_keyed<T> E;
    static_assert(sizeof(E) == LITZ_KEYED_BYTES, "kernels find keys and positions by these distances");

    LITZ_METHOD bool before(const E &a, const E &b) {
        const bool a_nan = a.key != a.key, b_nan = b.key != b.key;
        if (DESCENDING ? a.key > b.key : a.key < b.key) return true;
        if (a_nan != b_nan) return DESCENDING ? a_nan : b_nan;
        return (a.key == b.key || a_nan) && a.at < b.at;
    }
    LITZ_METHOD void exchange(E &a, E &b) {
        const E x = a;
        a = b;
        b = x;
    }

    LITZ_METHOD void sort(E *a, E *space, i64 n) {
        E *from = a, *to = space;
        for (i64 width = 1; width < n; width *= 2) {
            for (i64 start = 0; start < n; start += 2 * width) {
                const i64 middle = start + width < n ? start + width : n;
                const i64 end = start + 2 * width < n ? start + 2 * width : n;
                i64 left = start, right = middle;
                for (i64 k = start; k < end; k++) {
                    const bool take_right = left >= middle || (right < end && before(from[right], from[left]));
                    to[k] = from[take_right ? right++ : left++];
                }
            }
            E *const now = from;
            from = to;
            to = now;
        }
        if (from != a)
            for (i64 k = 0; k < n; k++) a[k] = from[k];
    }

    // Puts the last of the order to the top of the heap a[0..n), whose element at `hole` may belong further down.
    LITZ_METHOD void sift(E *a, i64 hole, i64 n) {
        for (i64 child = 2 * hole + 1; child < n; child = 2 * hole + 1) {
            if (child + 1 < n && before(a[child], a[child + 1])) child++;
            if (!before(a[hole], a[child])) return;
            exchange(a[hole], a[child]);
            hole = child;
        }
    }
    // Takes n log k steps, whatever the keys are.
    LITZ_METHOD void select_by_heap(E *a, i64 n, i64 k) {
        for (i64 parent = k / 2 - 1; parent >= 0; parent--) sift(a, parent, k);
        for (i64 i = k; i < n; i++) {
            if (!before(a[i], a[0])) continue;
            exchange(a[i], a[0]);
            sift(a, 0, k);
        }
    }
    LITZ_METHOD void select(E *a, i64 n, i64 k) {
        // Halvings that pivots of ordinary quality need, and as many again.
        for (i64 patience = 4 * litz_log2(n + 1); k > 0 && k < n; patience--) {
            if (patience == 0 || k * 64 <= n || n <= 16) return select_by_heap(a, n, k);
            // The median of three is the pivot, and the ends of the three stop the search on either side.
            E &first = a[0], &middle = a[n / 2], &last = a[n - 1];
            if (before(middle, first)) exchange(first, middle);
            if (before(last, middle)) exchange(middle, last);
            if (before(middle, first)) exchange(first, middle);
            const E pivot = middle;
            i64 low = 0, high = n - 1;
            for (;;) {
                while (before(a[low], pivot)) low++;
                while (before(pivot, a[high])) high--;
                if (low >= high) break;
                exchange(a[low++], a[high--]);
            }
            // The pivot is the only element that both searches stop at: where they met, or between them.
            if (k <= low) {
                n = low;
            } else {
                a += low;
                n -= low;
                k -= low;
            }
        }
    }
};
