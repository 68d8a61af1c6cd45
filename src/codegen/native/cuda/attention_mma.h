// Attention of half and bfloat on tensor cores (mma): a block takes some queries of one head, 16 for each warp, and walks over the keys
// 64 at a time with the softmax kept up to date; scores and weights never leave registers.
//
// Operands are rows in memory whose elements are neighbours (`litz_heads`) and which begin at multiples of `vector` elements. In shared
// memory they are padded with zeros to a multiple of 16 elements. `score(batch, head, query, key, s)` makes of a scaled score
// what the softmax sees, where `scored`; `epilogue(batch, head, query, d, sums)` gets LITZ_LANES finished elements, and
// `log_sum(batch, head, query, value)` the logarithm of the row's sum of exponentials.
struct litz_attention_tiles { i64 batch, heads, kv_heads, queries, keys; };

static_assert(LITZ_KEYS % 16 == 0, "keys are taken 16 at a time");
template <int count> LITZ_FN u32 litz_row_address(u32 shared, int row, int chunk) {
    return shared + chunk / 8 * (count * 128) + row * 128 + (chunk % 8 ^ (row & 7)) * 16;
}
// Brings eight elements to shared memory: `inside` elements from `from`, then zeros. `from` is aligned to `vector` elements.
template <int vector, class S> LITZ_FN void litz_bring_chunk(u32 to, const S *from, int inside) {
    if constexpr (vector == 8) {
        litz_copy_chunk(to, inside > 0 ? from : nullptr);
    } else {
        u32 words[4] = {};
        _Pragma("unroll") for (int i = 0; i < 4; i++) {
            if constexpr (vector > 1) {
                if (2 * i < inside) words[i] = ((const u32 *)from)[i];
            } else {
                _Pragma("unroll") for (int c = 0; c < 2; c++) if (2 * i + c < inside) words[i] |= (u32)((const u16 *)from)[2 * i + c] << 16 * c;
            }
        }
        asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]) : "memory");
    }
}
// Brings `count` rows of `size` elements to shared memory: blocks of 64 elements, each a column of rows of 128 bytes.
template <int count, int size, int threads, int vector, class S> LITZ_FN void litz_load_rows(u32 shared, const S *base, i64 stride, i64 first, i64 rows) {
    constexpr int chunks = (size + 15) / 16 * 2;
    _Pragma("unroll") for (int i = 0; i < (count * chunks + threads - 1) / threads; i++) {
        const int n = threadIdx.x + i * threads, row = n / chunks, chunk = n % chunks;
        if (count * chunks % threads == 0 || n < count * chunks)
            litz_bring_chunk<vector>(litz_row_address<count>(shared, row, chunk), base + (first + row) * stride + chunk * 8, first + row < rows ? size - chunk * 8 : 0);
    }
}
LITZ_FN u32 litz_pack(f32 a, f32 b, bfloat) { u32 r; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(b), "f"(a)); return r; }
LITZ_FN u32 litz_pack(f32 a, f32 b, half) { u32 r; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(b), "f"(a)); return r; }
LITZ_FN f32 litz_exp2(f32 x) { f32 r; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }

template <class S, int warps, int head_size, int value_size, int vector, bool scored, bool empty_is_nan, class B, class F, class E, class L>
LITZ_FN void litz_attention_mma(const litz_attention_tiles &s, const B &band, const litz_heads<S> &q, const litz_heads<S> &k, const litz_heads<S> &v, f32 scale, F score, E epilogue, L log_sum) {
    extern __shared__ __align__(1024) char dynamic[];
    constexpr int threads = warps * 32, rows = warps * 16, depth = (head_size + 15) / 16, wide = (value_size + 15) / 16 * 2;
    constexpr int query_bytes = rows * ((head_size + 63) / 64) * 128, key_bytes = LITZ_KEYS * ((head_size + 63) / 64) * 128;
    constexpr int value_bytes = LITZ_KEYS * ((value_size + 63) / 64) * 128;
    const u32 shared = litz_shared_address(dynamic), keys_at = shared + query_bytes, values_at = keys_at + 2 * key_bytes;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // The longest rows of a causal mask go first.
    const i64 heads = s.batch * s.heads, tiles = (s.queries + rows - 1) / rows, tile = tiles - 1 - blockIdx.x / heads;
    const i64 which = blockIdx.x % heads, batch = which / s.heads, head = which % s.heads, kv = head / (s.heads / s.kv_heads);
    const S *const q_base = q.data + batch * q.batch_stride + head * q.head_stride;
    const S *const k_base = k.data + batch * k.batch_stride + kv * k.head_stride;
    const S *const v_base = v.data + batch * v.batch_stride + kv * v.head_stride;
    const i64 first = tile * rows, begin = band.begin(first) / LITZ_KEYS * LITZ_KEYS, attended = band.keys_of(batch, head);
    const int steps = (int)litz_greater((band.end(first + rows - 1, attended) - begin + LITZ_KEYS - 1) / LITZ_KEYS, (i64)0);
    litz_load_rows<rows, head_size, threads, vector>(shared, q_base, q.stride, first, s.queries);
    auto fetch = [&](int step) {
        if (step < steps) {
            const i64 at = begin + (i64)step * LITZ_KEYS;
            litz_load_rows<LITZ_KEYS, head_size, threads, vector>(keys_at + step % 2 * key_bytes, k_base, k.stride, at, s.keys);
            litz_load_rows<LITZ_KEYS, value_size, threads, vector>(values_at + step % 2 * value_bytes, v_base, v.stride, at, s.keys);
        }
        litz_copy_commit();
    };
    fetch(0);
    u32 queries[depth][4];
    f32 sums[wide][4], most[2] = {-LITZ_INFINITY, -LITZ_INFINITY}, total[2] = {0, 0};
    _Pragma("unroll") for (int j = 0; j < wide; j++) _Pragma("unroll") for (int c = 0; c < 4; c++) sums[j][c] = 0;
    const f32 log2e = 1.44269504088896340736f;
    const i64 mine = first + warp * 16 + lane / 4;
    for (int step = 0; step < steps; step++) {
        litz_copy_wait<0>();
        __syncthreads();
        fetch(step + 1);
        if (step == 0) {
            _Pragma("unroll") for (int d = 0; d < depth; d++)
                litz_load_matrices(queries[d], litz_row_address<rows>(shared, warp * 16 + lane % 16, d * 2 + lane / 16));
        }
        const u32 keys = keys_at + step % 2 * key_bytes, values = values_at + step % 2 * value_bytes;
        f32 x[LITZ_KEYS / 8][4];
        _Pragma("unroll") for (int j = 0; j < LITZ_KEYS / 8; j++) _Pragma("unroll") for (int c = 0; c < 4; c++) x[j][c] = 0;
        _Pragma("unroll") for (int d = 0; d < depth; d++) _Pragma("unroll") for (int j = 0; j < LITZ_KEYS / 16; j++) {
            u32 b[4];
            litz_load_matrices(b, litz_row_address<LITZ_KEYS>(keys, j * 16 + lane / 16 * 8 + lane % 8, d * 2 + lane / 8 % 2));
            litz_mma(x[2 * j], queries[d], b[0], b[1], S());
            litz_mma(x[2 * j + 1], queries[d], b[2], b[3], S());
        }
        const i64 start = begin + (i64)step * LITZ_KEYS, top_query = first + warp * 16;
        const bool edge = start + LITZ_KEYS > attended || start + LITZ_KEYS - 1 > top_query + band.upper || start < top_query + 15 + band.lower;
        if (scored) {
            const i64 own = start + lane % 4 * 2, last_key = s.keys - 1, last_query = s.queries - 1;
            if (start + LITZ_KEYS > s.keys || top_query + 16 > s.queries) {
                _Pragma("unroll") for (int c = 0; c < 4; c++) _Pragma("unroll") for (int j = 0; j < LITZ_KEYS / 8; j++)
                    x[j][c] = score(batch, head, litz_lesser(mine + c / 2 * 8, last_query), litz_lesser(own + (j * 8 + c % 2), last_key), x[j][c] * scale);
            } else {
                _Pragma("unroll") for (int c = 0; c < 4; c++) _Pragma("unroll") for (int j = 0; j < LITZ_KEYS / 8; j++)
                    x[j][c] = score(batch, head, mine + c / 2 * 8, own + (j * 8 + c % 2), x[j][c] * scale);
            }
        }
        if (edge) {
            // The first and last key that each of the thread's two queries attends, counted from the thread's own first.
            const int own = lane % 4 * 2;
            _Pragma("unroll") for (int r = 0; r < 2; r++) {
                const i64 query = mine + r * 8, from = query + band.lower - start, until = litz_lesser(attended - 1, query + band.upper) - start;
                const int low = (int)litz_greater(from, (i64)-1) - own, high = (int)litz_greater(litz_lesser(until, (i64)LITZ_KEYS), (i64)-1) - own;
                _Pragma("unroll") for (int j = 0; j < LITZ_KEYS / 8; j++) _Pragma("unroll") for (int c = 0; c < 2; c++)
                    if (j * 8 + c > high || j * 8 + c < low) x[j][2 * r + c] = -LITZ_INFINITY;
            }
        }
        // Without a function of the scores the scale goes into the exponent.
        const f32 unit = scored ? log2e : scale * log2e;
        _Pragma("unroll") for (int r = 0; r < 2; r++) {
            f32 top = most[r];
            _Pragma("unroll") for (int j = 0; j < LITZ_KEYS / 8; j++) top = fmaxf(top, fmaxf(x[j][2 * r], x[j][2 * r + 1]));
            _Pragma("unroll") for (int t = 1; t < 4; t *= 2) { const f32 other = __shfl_xor_sync(0xffffffffu, top, t); top = fmaxf(top, other); }
            // A NaN is in the sums even so. Nothing attended yet: every weight so far is zero. Rounded as the base is, so that the same maximum
            // leaves the weights as they are.
            const f32 base = top == -LITZ_INFINITY ? 0.0f : __fmul_rn(top, unit), rescale = litz_exp2(__fmul_rn(most[r], unit) - base);
            most[r] = top;
            f32 sum = 0;
            _Pragma("unroll") for (int j = 0; j < LITZ_KEYS / 8; j++) _Pragma("unroll") for (int c = 0; c < 2; c++) sum += x[j][2 * r + c] = litz_exp2(fmaf(x[j][2 * r + c], unit, -base));
            total[r] = total[r] * rescale + sum;
            _Pragma("unroll") for (int j = 0; j < wide; j++) { sums[j][2 * r] *= rescale; sums[j][2 * r + 1] *= rescale; }
        }
        _Pragma("unroll") for (int i = 0; i < LITZ_KEYS / 16; i++) {
            const u32 weights[4] = {litz_pack(x[2 * i][0], x[2 * i][1], S()), litz_pack(x[2 * i][2], x[2 * i][3], S()),
                                    litz_pack(x[2 * i + 1][0], x[2 * i + 1][1], S()), litz_pack(x[2 * i + 1][2], x[2 * i + 1][3], S())};
            _Pragma("unroll") for (int j = 0; j < wide / 2; j++) {
                u32 b[4];
                litz_load_matrices_transposed(b, litz_row_address<LITZ_KEYS>(values, i * 16 + lane / 8 % 2 * 8 + lane % 8, j * 2 + lane / 16));
                litz_mma(sums[2 * j], weights, b[0], b[1], S());
                litz_mma(sums[2 * j + 1], weights, b[2], b[3], S());
            }
        }
    }
    litz_copy_wait<0>();
    __syncthreads();
    constexpr int pitch = value_size + LITZ_SUMS_PAD;
    f32 *const staged = (f32 *)dynamic;
    _Pragma("unroll") for (int r = 0; r < 2; r++) {
        _Pragma("unroll") for (int t = 1; t < 4; t *= 2) total[r] += __shfl_xor_sync(0xffffffffu, total[r], t);
        const f32 none = empty_is_nan && s.keys > 0 ? __builtin_nanf("") : 0.0f, over = 1.0f / total[r];
        if (lane % 4 == 0 && mine + r * 8 < s.queries) log_sum(batch, head, mine + r * 8, litz_log_sum_of_powers(__fmul_rn(most[r], scored ? log2e : scale * log2e), total[r]));
        _Pragma("unroll") for (int j = 0; j < wide; j++) _Pragma("unroll") for (int c = 0; c < 2; c++)
            if (value_size % 16 == 0 || j * 8 + lane % 4 * 2 + c < value_size) staged[(warp * 16 + lane / 4 + r * 8) * pitch + j * 8 + lane % 4 * 2 + c] = total[r] == 0.0f ? none : sums[j][2 * r + c] * over;
    }
    __syncthreads();
    for (int n = threadIdx.x; n < rows * value_size / LITZ_LANES; n += threads) {
        const int row = n / (value_size / LITZ_LANES), d = n % (value_size / LITZ_LANES) * LITZ_LANES;
        if (first + row < s.queries) epilogue(batch, head, first + row, d, staged + row * pitch + d);
    }
}
