// Litz CUDA merges of tags: a key's digits with the position that it came from, so that no two are equal and every order of them is
// stable; stands after phases.h.
//
//   litz_tag<U>                      digits of type U; before(o), digits(), at()
//   litz_sort_tile(a, n)             a block sorts n tags, at most LITZ_SORT_EACH for each of its threads, in shared memory
//   litz_padded(i)                   where tag i of a tile lies: threads with neighbouring runs of LITZ_SORT_EACH meet different banks
//   litz_sort_tags<T, U>(...)        T threads a block: a line's tags by tiles, whose runs are then merged two and two
LITZ_FN int litz_padded(int i) { return i + i / LITZ_SORT_EACH; }

template <class U> struct litz_tag;
template <> struct litz_tag<u32> {
    u64 word;
    LITZ_METHOD litz_tag of(u32 digits, i64 at) { litz_tag r; r.word = (u64)digits << 32 | (u32)at; return r; }
    LITZ_METHOD litz_tag last() { litz_tag r; r.word = ~0ull; return r; }
    __device__ u32 digits() const { return (u32)(word >> 32); }
    __device__ i64 at() const { return (i64)(u32)word; }
    __device__ bool before(const litz_tag &o) const { return word < o.word; }
};
template <> struct __align__(16) litz_tag<u64> {
    u64 key, place;
    LITZ_METHOD litz_tag of(u64 digits, i64 at) { litz_tag r; r.key = digits; r.place = (u64)at; return r; }
    LITZ_METHOD litz_tag last() { litz_tag r; r.key = r.place = ~0ull; return r; }
    __device__ u64 digits() const { return key; }
    __device__ i64 at() const { return (i64)place; }
    __device__ bool before(const litz_tag &o) const { return key < o.key || (key == o.key && place < o.place); }
};

static_assert(sizeof(litz_tag<u32>) <= LITZ_WIDEST_TAG && sizeof(litz_tag<u64>) <= LITZ_WIDEST_TAG, "workspaces and shared memory are for these");

// LITZ_SORT_EACH tags of the merge of a[i..i_end) and a[j..j_end), from the d-th on.
template <class P> LITZ_FN void litz_merge_near(const P *a, int i, int i_end, int j, int j_end, int d, P *x) {
    int low = litz_greater(0, d - (j_end - j)), high = litz_lesser(d, i_end - i);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a[litz_padded(i + middle)].before(a[litz_padded(j + d - 1 - middle)])) low = middle + 1;
        else high = middle;
    }
    i += low;
    j += d - low;
    P u = i < i_end ? a[litz_padded(i)] : P::last(), v = j < j_end ? a[litz_padded(j)] : P::last();
    _Pragma("unroll") for (int e = 0; e < LITZ_SORT_EACH; e++) {
        if (u.before(v)) {
            x[e] = u;
            i++;
            u = i < i_end ? a[litz_padded(i)] : P::last();
        } else {
            x[e] = v;
            j++;
            v = j < j_end ? a[litz_padded(j)] : P::last();
        }
    }
}

template <class P> LITZ_FN void litz_sort_tile(P *a, int n) {
    const int own = threadIdx.x * LITZ_SORT_EACH;
    P x[LITZ_SORT_EACH];
    __syncthreads();
    _Pragma("unroll") for (int e = 0; e < LITZ_SORT_EACH; e++) x[e] = own + e < n ? a[litz_padded(own + e)] : P::last();
    if (own < n) {
        _Pragma("unroll") for (int turn = 0; turn < LITZ_SORT_EACH; turn++) {
            _Pragma("unroll") for (int e = turn % 2; e + 1 < LITZ_SORT_EACH; e += 2) {
                if (x[e + 1].before(x[e])) {
                    const P y = x[e];
                    x[e] = x[e + 1];
                    x[e + 1] = y;
                }
            }
        }
    }
    for (int width = LITZ_SORT_EACH;; width *= 2) {
        __syncthreads();
        _Pragma("unroll") for (int e = 0; e < LITZ_SORT_EACH; e++)
            if (own + e < n) a[litz_padded(own + e)] = x[e];
        __syncthreads();
        if (width >= n) break;
        if (own < n) {
            const int start = own & ~(2 * width - 1), middle = litz_lesser(start + width, n);
            litz_merge_near(a, start, middle, middle, litz_lesser(start + 2 * width, n), own - start, x);
        }
    }
}

// How many of the first d tags of the merge of a[0..na) and b[0..nb) are a's: found by a warp.
template <class P> LITZ_FN i64 litz_merge_far(const P *a, i64 na, const P *b, i64 nb, i64 d) {
    const int lane = threadIdx.x % 32;
    i64 low = litz_greater((i64)0, d - nb), high = litz_lesser(d, na);
    while (low < high) {
        const i64 step = (high - low + 31) / 32, i = low + lane * step;
        const u32 votes = __ballot_sync(0xffffffffu, i < high && a[i].before(b[d - 1 - i]));
        const int k = __popc(votes);
        if (k == 0) break;
        high = litz_lesser(high, low + k * step);
        low += (k - 1) * step + 1;
    }
    return low;
}

// Sorts `lines` lines of n tags each: tag_at(line, i) makes one. The last phase hands them to done(line, i, tag) in order, or leaves
// them where the result points, line after line; `workspaces` are two of lines * n tags. Each block has 9 * T tags of shared memory.
// `then(item)` follows for `more` items, in each of which everything is sorted.
template <int T, class P, class Tag, class Done, class Then>
LITZ_FN void litz_sort_tags(const Tag &tag_at, const Done &done, const Then &then, i64 lines, i64 n, P *workspace0, P *workspace1, i32 *semaphores,
                            i64 more, void *shared) {
    enum { TILE = T * LITZ_SORT_EACH };
    P *const a = (P *)shared;
    __shared__ i64 cuts[2];
    const i64 tiles = (n + TILE - 1) / TILE;
    if (n > 0xfffffff0ll) __trap();
    int phases = 1;
    for (i64 width = TILE; width < n; width *= 2) phases++;
    litz_phases(semaphores, phases, lines * tiles, more, [&](int phase, i64 item) {
        if (phase == phases) {
            then(item, phases % 2 ? workspace0 : workspace1);
            return;
        }
        const i64 line = item / tiles, start = (item - line * tiles) * TILE;
        const int count = (int)litz_lesser((i64)TILE, n - start), own = threadIdx.x * LITZ_SORT_EACH;
        P *const to = (phase % 2 ? workspace1 : workspace0) + line * n;
        if (phase == 0) {
            for (int i = threadIdx.x; i < count; i += T) a[litz_padded(i)] = tag_at(line, start + i);
            litz_sort_tile(a, count);
        } else {
            const P *const from = (phase % 2 ? workspace0 : workspace1) + line * n;
            const i64 width = (i64)TILE << (phase - 1), first = start & ~(2 * width - 1);
            const i64 na = litz_lesser(width, n - first), nb = litz_lesser(width, n - first - na);
            const P *const left = from + first, *const right = left + na;
            if (threadIdx.x < 64) {
                const i64 cut = litz_merge_far(left, na, right, nb, start - first + (threadIdx.x < 32 ? 0 : count));
                if (threadIdx.x % 32 == 0) cuts[threadIdx.x / 32] = cut;
            }
            __syncthreads();
            const i64 i = cuts[0], j = start - first - i;
            const int lefts = (int)(cuts[1] - i);
            for (int k = threadIdx.x; k < count; k += T) a[litz_padded(k)] = k < lefts ? left[i + k] : right[j + k - lefts];
            __syncthreads();
            P x[LITZ_SORT_EACH];
            if (own < count) litz_merge_near(a, 0, lefts, lefts, count, own, x);
            __syncthreads();
            _Pragma("unroll") for (int e = 0; e < LITZ_SORT_EACH; e++)
                if (own + e < count) a[litz_padded(own + e)] = x[e];
            __syncthreads();
        }
        for (int k = threadIdx.x; k < count; k += T) {
            const P tag = a[litz_padded(k)];
            if (phase < phases - 1 || more > 0) to[start + k] = tag;
            else done(line, start + k, tag);
        }
    });
}
