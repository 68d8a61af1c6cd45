// Litz sorting of keys with the positions that they came from. NaN is the largest key. The order in which equal keys come
// out is a result like any other, and users compare it: the algorithms that are not stable take every step as libstdc++'s
// `std::sort`, `std::nth_element` and `std::partial_sort` do, and PyTorch's quick selection, since their orders are the
// ones that PyTorch's results have.
//
//   litz_order<T, DESCENDING>::stable(a, space, n)     equal keys keep their order; `space` holds n elements
//   litz_order<T, DESCENDING>::unstable(a, n, parts)          introsort
//   litz_order<T, DESCENDING>::first(a, n, k, sorted, parts)  the k first of the order at the front, in order when `sorted`
//   `parts`: LITZ_PARTS of them, for what waits; two for each halving of n are enough.
//   litz_order<T, DESCENDING>::place(a, n, k)          the element that belongs at place k there
template <class T> struct litz_keyed {
    T key;
    i64 at;
};

// A part of what is sorted that waits to be halved; as many as may wait at once.
struct litz_part {
    i64 begin, n, left;
};
#define LITZ_PARTS 128

template <class T, bool DESCENDING> struct litz_order {
    typedef litz_keyed<T> E;

    LITZ_METHOD bool before(const E &a, const E &b) {
        bool a_nan = a.key != a.key, b_nan = b.key != b.key;
        if (DESCENDING) return a.key > b.key || (a_nan && !b_nan);
        return a.key < b.key || (b_nan && !a_nan);
    }
    LITZ_METHOD void exchange(E &a, E &b) {
        E x = a;
        a = b;
        b = x;
    }

    LITZ_METHOD void stable(E *a, E *space, i64 n) {
        E *from = a, *to = space;
        for (i64 width = 1; width < n; width *= 2) {
            for (i64 start = 0; start < n; start += 2 * width) {
                i64 middle = start + width < n ? start + width : n, end = start + 2 * width < n ? start + 2 * width : n;
                i64 left = start, right = middle;
                for (i64 k = start; k < end; k++) {
                    bool take_right = left >= middle || (right < end && before(from[right], from[left]));
                    to[k] = from[take_right ? right++ : left++];
                }
            }
            E *now = from;
            from = to;
            to = now;
        }
        if (from != a)
            for (i64 k = 0; k < n; k++) a[k] = from[k];
    }

    // Below this many elements, parts are left to the insertions at the end.
    static const i64 SMALL = 16;

    // How often a part may be halved before its pivots are known to be bad.
    LITZ_METHOD i64 patience(i64 n) { return 2 * litz_log2(n); }

    // Moves `a[k]` to where it belongs among the elements before it; not `guarded`: one of them it cannot pass.
    LITZ_METHOD void insert(E *a, i64 k, bool guarded) {
        E x = a[k];
        if (guarded && before(x, a[0])) {
            for (; k > 0; k--) a[k] = a[k - 1];
        } else {
            for (; before(x, a[k - 1]); k--) a[k] = a[k - 1];
        }
        a[k] = x;
    }
    LITZ_METHOD void insertions(E *a, i64 n) {
        for (i64 k = 1; k < n; k++) insert(a, k, true);
    }

    // Puts the median of the second, the middle and the last element to the front.
    LITZ_METHOD void median_first(E *a, i64 n) {
        E &x = a[1], &y = a[n / 2], &z = a[n - 1];
        E &median = before(x, y) ? (before(y, z) ? y : before(x, z) ? z : x) : (before(x, z) ? x : before(y, z) ? z : y);
        exchange(a[0], median);
    }
    // Exchanges what lies on the wrong side of the first element from both ends, until they meet: gives where.
    LITZ_METHOD i64 meet(E *a, i64 low, i64 high) {
        for (;; low++) {
            while (before(a[low], a[0])) low++;
            do high--;
            while (before(a[0], a[high]));
            if (low >= high) return low;
            exchange(a[low], a[high]);
        }
    }
    // Splits by that median: gives where the second part begins.
    LITZ_METHOD i64 split(E *a, i64 n) {
        median_first(a, n);
        return meet(a, 1, n);
    }

    // Puts `x` into the heap of n elements, whose place `hole` is free.
    LITZ_METHOD void sift(E *a, i64 hole, i64 n, E x) {
        i64 top = hole, child = hole;
        while (child < (n - 1) / 2) {
            child = 2 * child + 2;
            if (before(a[child], a[child - 1])) child--;
            a[hole] = a[child];
            hole = child;
        }
        if (n % 2 == 0 && child == (n - 2) / 2) {
            child = 2 * child + 1;
            a[hole] = a[child];
            hole = child;
        }
        for (i64 parent = (hole - 1) / 2; hole > top && before(a[parent], x); parent = (hole - 1) / 2) {
            a[hole] = a[parent];
            hole = parent;
        }
        a[hole] = x;
    }
    // The k first of the order at the front, as a heap with the last of them on top.
    LITZ_METHOD void heap(E *a, i64 k, i64 n) {
        for (i64 parent = (k - 2) / 2; k > 1 && parent >= 0; parent--) sift(a, parent, k, a[parent]);
        for (i64 i = k; i < n; i++) {
            if (!before(a[i], a[0])) continue;
            E x = a[i];
            a[i] = a[0];
            sift(a, 0, k, x);
        }
    }
    LITZ_METHOD void from_heap(E *a, i64 n) {
        while (n > 1) {
            E x = a[--n];
            a[n] = a[0];
            sift(a, 0, n, x);
        }
    }

    // Halves parts until they are small. The second of each two is first; those that wait lie in `parts`.
    LITZ_METHOD void halve(E *a, i64 n, i64 left, litz_part *parts) {
        i64 begin = 0;
        for (int waiting = 0;;) {
            if (n > SMALL && left > 0) {
                const i64 cut = split(a + begin, n);
                left--;
                parts[waiting].begin = begin;
                parts[waiting].n = cut;
                parts[waiting++].left = left;
                begin += cut;
                n -= cut;
                continue;
            }
            if (n > SMALL) {
                heap(a + begin, n, n);
                from_heap(a + begin, n);
            }
            if (waiting == 0) return;
            begin = parts[--waiting].begin;
            n = parts[waiting].n;
            left = parts[waiting].left;
        }
    }
    LITZ_METHOD void unstable(E *a, i64 n, litz_part *parts) {
        if (n < 2) return;
        halve(a, n, patience(n), parts);
        insertions(a, n < SMALL ? n : SMALL);
        for (i64 k = SMALL; k < n; k++) insert(a, k, false);
    }

    LITZ_METHOD void nth(E *a, i64 n, i64 k) {
        for (i64 left = patience(n); n > 3; left--) {
            if (left == 0) {
                heap(a, k + 1, n);
                exchange(a[0], a[k]);
                return;
            }
            i64 cut = split(a, n);
            if (cut <= k) {
                a += cut;
                n -= cut;
                k -= cut;
            } else {
                n = cut;
            }
        }
        insertions(a, n);
    }
    LITZ_METHOD void first(E *a, i64 n, i64 k, bool sorted, litz_part *parts) {
        if (k <= 0 || k > n) return;
        if (k * 64 <= n) {
            heap(a, k, n);
            from_heap(a, k);
        } else {
            nth(a, n, k - 1);
            if (sorted) unstable(a, k - 1, parts);
        }
    }

    LITZ_METHOD void place(E *a, i64 n, i64 k) {
        i64 low = 0, high = n - 1;
        while (low < high) {
            if (high == low + 1) {
                if (before(a[high], a[low])) exchange(a[low], a[high]);
                return;
            }
            exchange(a[(low + high) / 2], a[low + 1]);
            if (before(a[high], a[low + 1])) exchange(a[low + 1], a[high]);
            if (before(a[high], a[low])) exchange(a[low], a[high]);
            if (before(a[low], a[low + 1])) exchange(a[low + 1], a[low]);
            i64 i = low + 1, j = high;
            E pivot = a[low];
            for (;;) {
                do i++;
                while (before(a[i], pivot));
                do j--;
                while (before(pivot, a[j]));
                if (j < i) break;
                exchange(a[i], a[j]);
            }
            exchange(a[low], a[j]);
            if (j <= k) low = i;
            if (j >= k) high = j - 1;
        }
    }
};
