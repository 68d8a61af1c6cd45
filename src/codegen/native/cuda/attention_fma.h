// Attention in ordinary arithmetic: a block takes some queries of one head and walks over the keys, 32 at a time, with these, the
// queries and the softmax's weights in shared memory.
//
// Operands, `score` and `epilogue` are those of attention.h. Eight neighbouring threads have `own` neighbouring queries: of their
// scores each has every eighth key, of their results four neighbouring elements of every 32. Rows in shared memory are an odd number
// of fours, so that eight threads read theirs at once. With two `stages` the next keys and values, where they are rows in memory
// (attention_fma_rows.h), arrive while these are worked on.
static_assert(LITZ_FMA_KEYS % 8 == 0 && LITZ_FMA_THREADS % 32 == 0, "eight threads share the keys of a query");
template <class T> struct __align__(16) litz_four { T v[4]; };
template <class T> LITZ_FN litz_four<T> litz_load_four(const T *p) { return *(const litz_four<T> *)p; }

// `element(row, d)` of rows below `count` and d below `size`, and zeros beyond.
template <int rows, int stride, class T, class F> LITZ_FN void litz_fill_rows(T *to, i64 count, i64 size, F element) {
    // Unrolled: many loads are under way before the first arrives.
    constexpr int all = rows * stride;
    _Pragma("unroll 16") for (int n = 0; n < (all + LITZ_FMA_THREADS - 1) / LITZ_FMA_THREADS; n++) {
        const int i = threadIdx.x + n * LITZ_FMA_THREADS, row = i / stride, d = i % stride;
        if (all % LITZ_FMA_THREADS == 0 || i < all) to[i] = row < count && d < size ? element(row, d) : (T)0;
    }
}

// Brings the keys from `base` to `end`, and their values, as many as there is room for.
template <int head_size, int depth, int wide, class T, class K, class V>
LITZ_FN void litz_bring(T *keys_at, T *values_at, const litz_attention_shape &s, i64 batch, i64 kv, i64 base, i64 end, const K &key, const V &value) {
    litz_fill_rows<LITZ_FMA_KEYS, depth>(keys_at, end - base, head_size, [&](int row, int d) { return key(batch, kv, base + row, (i64)d); });
    litz_fill_rows<LITZ_FMA_KEYS, wide>(values_at, end - base, s.value_size, [&](int row, int d) { return value(batch, kv, base + row, (i64)d); });
}
template <class K> LITZ_FN void litz_await(const K &) {}

template <class T, int own, int head_size, int parts, int stages, bool empty_is_nan, class B, class Q, class K, class V, class S, class E, class L>
LITZ_FN void litz_attention_fma(const litz_attention_shape &s, const B &band, T scale, Q query, K key, V value, S score, E epilogue, L log_sum) {
    extern __shared__ __align__(16) char dynamic[];
    constexpr int rows = LITZ_FMA_THREADS / 8 * own, keys = LITZ_FMA_KEYS, wide = 32 * parts, held = keys + LITZ_FMA_PAD;
    constexpr int fours = (head_size + 3) / 4, depth = (fours + (fours % 2 == 0)) * 4;
    constexpr int stage = keys * (depth + wide);
    T *const queries_at = (T *)dynamic, *const stages_at = queries_at + rows * depth, *const weights_at = stages_at + stages * stage;
    const int column = threadIdx.x % 8, line = threadIdx.x / 8 * own;
    // The longest rows of a causal mask go first.
    const i64 heads = s.batch * s.heads, tiles = (s.queries + rows - 1) / rows, tile = tiles - 1 - blockIdx.x / heads;
    const i64 which = blockIdx.x % heads, batch = which / s.heads, head = which % s.heads, kv = head / (s.heads / s.kv_heads);
    const i64 first = tile * rows, attended = band.keys_of(batch, head), end = band.end(litz_lesser(first + rows, s.queries) - 1, attended);
    litz_fill_rows<rows, depth>(queries_at, s.queries - first, head_size, [&](int row, int d) { return query(batch, head, first + row, (i64)d); });
    T most[own], total[own], sums[own][parts * 4];
    _Pragma("unroll") for (int i = 0; i < own; i++) {
        most[i] = (T)-LITZ_INFINITY;
        total[i] = 0;
        _Pragma("unroll") for (int n = 0; n < parts * 4; n++) sums[i][n] = 0;
    }
    const auto bring = [&](int turn, i64 base) {
        T *const to = stages_at + turn * stage;
        litz_bring<head_size, depth, wide>(to, to + keys * depth, s, batch, kv, base, end, key, value);
    };
    i64 base = band.begin(first);
    if (stages > 1 && base < end) bring(0, base);
    for (int turn = 0; base < end; base += keys, turn = stages - 1 - turn) {
        if (stages > 1) litz_await(key);
        // Behind this barrier nobody reads the keys before these any more.
        __syncthreads();
        if (stages == 1) {
            bring(0, base);
            litz_await(key);
            __syncthreads();
        } else if (base + keys < end) {
            bring(1 - turn, base + keys);
        }
        const T *const keys_at = stages_at + turn * stage, *const values_at = keys_at + keys * depth;
        T x[own][4];
        _Pragma("unroll") for (int i = 0; i < own; i++) _Pragma("unroll") for (int j = 0; j < 4; j++) x[i][j] = 0;
        _Pragma("unroll 4") for (int d = 0; d < fours * 4; d += 4) {
            litz_four<T> a[own], b[4];
            _Pragma("unroll") for (int i = 0; i < own; i++) a[i] = litz_load_four(queries_at + (line + i) * depth + d);
            _Pragma("unroll") for (int j = 0; j < 4; j++) b[j] = litz_load_four(keys_at + (column + 8 * j) * depth + d);
            _Pragma("unroll") for (int c = 0; c < 4; c++) _Pragma("unroll") for (int i = 0; i < own; i++)
                _Pragma("unroll") for (int j = 0; j < 4; j++) x[i][j] += a[i].v[c] * b[j].v[c];
        }
        _Pragma("unroll") for (int i = 0; i < own; i++) {
            const i64 at = first + line + i, begins = band.begin(at), ends = at < s.queries ? band.end(at, attended) : 0;
            T top = (T)-LITZ_INFINITY;
            _Pragma("unroll") for (int j = 0; j < 4; j++) {
                const i64 k = base + column + 8 * j;
                x[i][j] = k >= begins && k < ends ? score(batch, head, at, k, x[i][j] * scale) : (T)-LITZ_INFINITY;
                top = l_maximum(top, x[i][j]);
            }
            _Pragma("unroll") for (int step = 4; step > 0; step /= 2) top = l_maximum(top, litz_shuffle_xor(top, step));
            const T next = l_maximum(most[i], top);
            // Nothing attended yet: every weight so far is zero.
            const T from = next == (T)-LITZ_INFINITY ? (T)0 : next, rescale = l_exp(most[i] - from);
            most[i] = next;
            T sum = 0;
            _Pragma("unroll") for (int j = 0; j < 4; j++) {
                const T weight = l_exp(x[i][j] - from);
                sum += weight;
                weights_at[(line + i) * held + column + 8 * j] = weight;
            }
            _Pragma("unroll") for (int step = 4; step > 0; step /= 2) sum += litz_shuffle_xor(sum, step);
            total[i] = total[i] * rescale + sum;
            _Pragma("unroll") for (int n = 0; n < parts * 4; n++) sums[i][n] *= rescale;
        }
        // A query's weights are its own eight threads'.
        __syncwarp();
        _Pragma("unroll 2") for (int k = 0; k < keys; k += 4) {
            litz_four<T> w[own];
            _Pragma("unroll") for (int i = 0; i < own; i++) w[i] = litz_load_four(weights_at + (line + i) * held + k);
            _Pragma("unroll") for (int c = 0; c < 4; c++) _Pragma("unroll") for (int p = 0; p < parts; p++) {
                const litz_four<T> v = litz_load_four(values_at + (k + c) * wide + p * 32 + column * 4);
                _Pragma("unroll") for (int i = 0; i < own; i++) _Pragma("unroll") for (int n = 0; n < 4; n++)
                    sums[i][p * 4 + n] += w[i].v[c] * v.v[n];
            }
        }
    }
    _Pragma("unroll") for (int i = 0; i < own; i++)
        if (column == 0 && first + line + i < s.queries) log_sum(batch, head, first + line + i, litz_log_sum(most[i], total[i]));
    _Pragma("unroll") for (int i = 0; i < own; i++) _Pragma("unroll") for (int n = 0; n < parts * 4; n++) {
        const i64 at = first + line + i, d = n / 4 * 32 + column * 4 + n % 4;
        T result = total[i] == (T)0 ? (empty_is_nan && s.keys > 0 ? (T)__builtin_nanf("") : (T)0) : sums[i][n] / total[i];
        if (at < s.queries && d < s.value_size) epilogue(batch, head, at, d, &result);
    }
}
