// Attention of any operands: a warp for each query, 32 keys at a time, with the softmax kept up to date as larger scores turn up.
//
// `query(batch, head, query, d)`, `key(batch, kv head, key, d)`, `value(batch, kv head, key, d)` give elements in T.
// `score(batch, head, query, key, s)` returns the softmax's input for the scaled score `s`. `epilogue(batch, head, query, d, sums)` stores a
// finished element. `log_sum(batch, head, query, value)` stores the logarithm of the row's sum of exponentials.
struct litz_attention_shape { i64 batch, heads, kv_heads, queries, keys, head_size, value_size; };

template <class T, int parts, bool empty_is_nan, class B, class Q, class K, class V, class S, class E, class L>
LITZ_FN void litz_attention_run(const litz_attention_shape &s, const B &band, T scale, Q query, K key, V value, S score, E epilogue, L log_sum) {
    extern __shared__ __align__(16) char dynamic[];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const i64 rows = s.batch * s.heads * s.queries, row = blockIdx.x * (i64)LITZ_ATTENTION_WARPS + warp;
    if (row >= rows) return;
    const i64 at = row % s.queries, head = row / s.queries % s.heads, batch = row / s.queries / s.heads;
    const i64 kv = head / (s.heads / s.kv_heads);
    T *const own = (T *)dynamic + warp * s.head_size;
    for (i64 d = lane; d < s.head_size; d += 32) own[d] = query(batch, head, at, d);
    __syncwarp();
    T most = (T)-LITZ_INFINITY, total = 0, sums[parts] = {};
    const i64 end = band.end(at, band.keys_of(batch, head));
    for (i64 first = band.begin(at); first < end; first += 32) {
        const i64 mine = first + lane;
        T x = (T)-LITZ_INFINITY;
        if (mine < end) {
            T dot = 0;
            for (i64 d = 0; d < s.head_size; d++) dot += own[d] * key(batch, kv, mine, d);
            x = score(batch, head, at, mine, dot * scale);
        }
        T top = x;
        _Pragma("unroll") for (int step = 16; step > 0; step /= 2) top = l_maximum(top, litz_shuffle_xor(top, step));
        const T next = l_maximum(most, top);
        // Nothing attended yet: every weight so far is zero.
        const T base = next == (T)-LITZ_INFINITY ? (T)0 : next, rescale = l_exp(most - base), weight = l_exp(x - base);
        most = next;
        T sum = weight;
        _Pragma("unroll") for (int step = 16; step > 0; step /= 2) sum += litz_shuffle_xor(sum, step);
        total = total * rescale + sum;
        _Pragma("unroll") for (int p = 0; p < parts; p++) sums[p] *= rescale;
        const int count = (int)litz_lesser((i64)32, end - first);
        for (int j = 0; j < count; j++) {
            const T w = __shfl_sync(0xffffffffu, weight, j);
            _Pragma("unroll") for (int p = 0; p < parts; p++) {
                const i64 d = lane + 32 * p;
                if (d < s.value_size) sums[p] += w * value(batch, kv, first + j, d);
            }
        }
    }
    if (lane == 0) log_sum(batch, head, at, litz_log_sum(most, total));
    _Pragma("unroll") for (int p = 0; p < parts; p++) {
        const i64 d = lane + 32 * p;
        T result = total == (T)0 ? (empty_is_nan && s.keys > 0 ? (T)__builtin_nanf("") : (T)0) : sums[p] / total;
        if (d < s.value_size) epilogue(batch, head, at, d, &result);
    }
}
