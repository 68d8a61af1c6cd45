// Attention of few queries over many keys in ordinary arithmetic, of any operands; stands after attention.h and tma.h.
//
// Rows are the queries of all heads that share keys and values. A block takes `own` of them; the keys are dealt out to `splits` blocks
// of a cluster and their warps, which take `each` of them at a time: 32 threads beside one another along each key and each value, all
// asked for before the first arrives. What warps and blocks find is put together in one order at the end.
//
// Operands, `score` and `epilogue` are those of attention.h.
static_assert(LITZ_FEW_FOUND == 2, "of a row, the largest score and the sum are kept behind its results");
// An element in another block's shared memory.
template <class T> LITZ_FN T litz_cluster_element(const T *p, int rank) {
    union { T t; u32 w[sizeof(T) / 4]; } u;
    _Pragma("unroll") for (int i = 0; i < (int)(sizeof(T) / 4); i++)
        asm volatile("{ .reg .b32 a; mapa.shared::cluster.u32 a, %1, %2; ld.shared::cluster.b32 %0, [a]; }" : "=r"(u.w[i]) : "r"(litz_shared_address(p) + 4 * i), "r"(rank) : "memory");
    return u.t;
}
// Sums over a warp's threads, `n` at a time: thread t has that of x[t / (32 / n)].
template <int n, class T> LITZ_FN T litz_sum_each(T (&x)[n]) {
    int step = 16;
    _Pragma("unroll") for (int half = n / 2; half > 0; half /= 2, step /= 2) {
        const bool upper = threadIdx.x & step;
        _Pragma("unroll") for (int e = 0; e < half; e++) {
            const T given = upper ? x[e] : x[e + half];
            x[e] = (upper ? x[e + half] : x[e]) + litz_shuffle_xor(given, step);
        }
    }
    for (; step > 0; step /= 2) x[0] += litz_shuffle_xor(x[0], step);
    return x[0];
}

template <class T, int own, int splits, int each, int depth, int parts, bool empty_is_nan, class B, class Q, class K, class V, class S, class E, class L>
LITZ_FN void litz_attention_few(const litz_attention_shape &s, const B &band, T scale, Q query, K key, V value, S score, E epilogue, L log_sum) {
    extern __shared__ __align__(16) char dynamic[];
    constexpr int warps = LITZ_FEW_WARPS, share = 32 / each;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, pitch = (int)s.value_size + LITZ_FEW_FOUND;
    int rank = 0;
    if constexpr (splits > 1) rank = (int)litz_cluster_rank();
    const i64 group = s.heads / s.kv_heads, rows = group * s.queries, chunks = (rows + own - 1) / own;
    const i64 which = blockIdx.x / splits, first = which % chunks * own, kv = which / chunks % s.kv_heads, batch = which / chunks / s.kv_heads;
    T q[own][depth], sums[own][parts], most[own], total[own];
    i64 begins[own], ends[own], begin = s.keys, end = 0;
    _Pragma("unroll") for (int i = 0; i < own; i++) {
        const i64 row = first + i, head = kv * group + row / s.queries, at = row % s.queries;
        const bool is = row < rows;
        begins[i] = is ? band.begin(at) : 0;
        ends[i] = is ? band.end(at, band.keys_of(batch, head)) : 0;
        if (begins[i] < ends[i]) {
            begin = litz_lesser(begin, begins[i]);
            end = litz_greater(end, ends[i]);
        }
        _Pragma("unroll") for (int p = 0; p < depth; p++) q[i][p] = is && lane + 32 * p < s.head_size ? query(batch, head, at, lane + 32 * p) : (T)0;
        _Pragma("unroll") for (int p = 0; p < parts; p++) sums[i][p] = 0;
        most[i] = (T)-LITZ_INFINITY;
        total[i] = 0;
    }
    // Steps of `each` keys: those of this block, of which every so many are this warp's.
    const i64 steps = litz_greater((end - begin + each - 1) / each, (i64)0), mine = (steps + splits - 1) / splits;
    const i64 until = litz_lesser((rank + 1) * mine, steps);
    for (i64 step = rank * mine + warp; step < until; step += warps) {
        const i64 start = begin + step * each, at = start + lane / share;
        T k[each][depth], v[each][parts];
        _Pragma("unroll") for (int e = 0; e < each; e++) {
            const bool is = start + e < end;
            _Pragma("unroll") for (int p = 0; p < depth; p++) k[e][p] = is && lane + 32 * p < s.head_size ? key(batch, kv, start + e, lane + 32 * p) : (T)0;
        }
        _Pragma("unroll") for (int e = 0; e < each; e++) {
            const bool is = start + e < end;
            _Pragma("unroll") for (int p = 0; p < parts; p++) v[e][p] = is && lane + 32 * p < s.value_size ? value(batch, kv, start + e, lane + 32 * p) : (T)0;
        }
        _Pragma("unroll") for (int i = 0; i < own; i++) {
            const i64 row = first + i;
            T dots[each];
            _Pragma("unroll") for (int e = 0; e < each; e++) {
                dots[e] = 0;
                _Pragma("unroll") for (int p = 0; p < depth; p++) dots[e] += q[i][p] * k[e][p];
            }
            const T dot = litz_sum_each(dots);
            T x = (T)-LITZ_INFINITY;
            if (at >= begins[i] && at < ends[i]) x = score(batch, kv * group + row / s.queries, row % s.queries, at, dot * scale);
            T top = x;
            _Pragma("unroll") for (int n = 16; n >= share; n /= 2) top = l_maximum(top, litz_shuffle_xor(top, n));
            const T next = l_maximum(most[i], top);
            // Nothing attended yet: every weight so far is zero.
            const T base = next == (T)-LITZ_INFINITY ? (T)0 : next, rescale = l_exp(most[i] - base), weight = l_exp(x - base);
            most[i] = next;
            total[i] = total[i] * rescale + weight;
            _Pragma("unroll") for (int p = 0; p < parts; p++) sums[i][p] *= rescale;
            _Pragma("unroll") for (int e = 0; e < each; e++) {
                const T w = __shfl_sync(0xffffffffu, weight, e * share);
                _Pragma("unroll") for (int p = 0; p < parts; p++) sums[i][p] += w * v[e][p];
            }
        }
    }
    // A row's results, its largest score and its total: those of each warp, and then the block's.
    T *const found = (T *)dynamic, *const of_block = found + warps * own * pitch;
    _Pragma("unroll") for (int i = 0; i < own; i++) {
        _Pragma("unroll") for (int n = 16; n >= share; n /= 2) total[i] += litz_shuffle_xor(total[i], n);
        T *const to = found + (warp * own + i) * pitch;
        _Pragma("unroll") for (int p = 0; p < parts; p++) if (lane + 32 * p < s.value_size) to[lane + 32 * p] = sums[i][p];
        if (lane == 0) {
            to[s.value_size] = most[i];
            to[s.value_size + 1] = total[i];
        }
    }
    __syncthreads();
    // Element `d` of row `i` from `of` parts, the first of them at 0, put together; and the row's largest score and total.
    const auto together = [&](int i, int d, int of, const auto &read, T &top, T &all) {
        top = (T)-LITZ_INFINITY;
        for (int n = 0; n < of; n++) top = l_maximum(top, read(n, i * pitch + (int)s.value_size));
        const T base = top == (T)-LITZ_INFINITY ? (T)0 : top;
        T sum = 0;
        all = 0;
        for (int n = 0; n < of; n++) {
            const T part = l_exp(read(n, i * pitch + (int)s.value_size) - base);
            all += part * read(n, i * pitch + (int)s.value_size + 1);
            sum += part * read(n, i * pitch + d);
        }
        return sum;
    };
    for (int n = threadIdx.x; n < own * (int)s.value_size; n += warps * 32) {
        const int i = n / (int)s.value_size, d = n % (int)s.value_size;
        T top, all;
        const T sum = together(i, d, warps, [&](int w, int at) { return found[w * own * pitch + at]; }, top, all);
        of_block[i * pitch + d] = sum;
        if (d == 0) {
            of_block[i * pitch + s.value_size] = top;
            of_block[i * pitch + s.value_size + 1] = all;
        }
    }
    if constexpr (splits > 1) litz_cluster_meet(); else __syncthreads();
    for (int n = rank * warps * 32 + threadIdx.x; n < own * (int)s.value_size; n += splits * warps * 32) {
        const int i = n / (int)s.value_size, d = n % (int)s.value_size;
        const i64 row = first + i;
        T top, all;
        const T sum = together(i, d, splits, [&](int b, int at) {
            if constexpr (splits > 1) return litz_cluster_element(of_block + at, b); else return of_block[at];
        }, top, all);
        const T result = all == (T)0 ? (empty_is_nan && s.keys > 0 ? (T)__builtin_nanf("") : (T)0) : sum / all;
        if (row >= rows) continue;
        epilogue(batch, kv * group + row / s.queries, row % s.queries, d, &result);
        if (d == 0) log_sum(batch, kv * group + row / s.queries, row % s.queries, litz_log_sum(top, all));
    }
    // A block's memory is there until all have read it.
    if constexpr (splits > 1) litz_cluster_meet();
}
