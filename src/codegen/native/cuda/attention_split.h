// Attention of few queries over many keys, as when text is generated: the queries of all heads that share keys and values are rows of one
// tile, and the keys are dealt out to `splits` blocks of a cluster and their warps. Each warp walks over its own 16 keys at a time, which it
// fetches for itself some steps ahead; what warps and blocks find is put together in one order at the end, without memory beyond theirs.
//
// `score` and `epilogue` as in attention_mma.h.

// Floats of the same place in another block's shared memory.
LITZ_FN f32 litz_cluster_read(u32 address, u32 rank) {
    f32 r;
    asm volatile("{ .reg .b32 a; mapa.shared::cluster.u32 a, %1, %2; ld.shared::cluster.f32 %0, [a]; }" : "=f"(r) : "r"(address), "r"(rank) : "memory");
    return r;
}
LITZ_FN float4 litz_cluster_read4(u32 address, u32 rank) {
    float4 r;
    asm volatile("{ .reg .b32 a; mapa.shared::cluster.u32 a, %4, %5; ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [a]; }" : "=f"(r.x), "=f"(r.y), "=f"(r.z), "=f"(r.w) : "r"(address), "r"(rank) : "memory");
    return r;
}
// A warp brings 16 rows of `size` elements to shared memory, padded with zeros to a multiple of 16 elements.
template <int size, class S> LITZ_FN void litz_load_sixteen(u32 shared, const S *base, i64 stride, i64 first, i64 rows) {
    constexpr int chunks = (size + 15) / 16 * 2;
    const int lane = threadIdx.x % 32;
    _Pragma("unroll") for (int i = 0; i < chunks / 2; i++) {
        const int n = lane + i * 32, row = n / chunks, chunk = n % chunks;
        litz_copy_chunk(litz_row_address<16>(shared, row, chunk), first + row < rows && chunk * 8 < size ? base + (first + row) * stride + chunk * 8 : nullptr);
    }
}
template <class S, int warps, int splits, int tiles, int stages, int head_size, int value_size, bool scored, bool empty_is_nan, class B, class F, class E, class L>
LITZ_FN void litz_attention_split(const litz_attention_tiles &s, const B &band, const litz_heads<S> &q, const litz_heads<S> &k, const litz_heads<S> &v, f32 scale, F score, E epilogue, L log_sum) {
    extern __shared__ __align__(1024) char dynamic[];
    constexpr int threads = warps * 32, rows = tiles * 16, depth = (head_size + 15) / 16, wide = (value_size + 15) / 16 * 2, pitch = value_size + LITZ_SUMS_PAD;
    constexpr int key_bytes = 16 * ((head_size + 63) / 64) * 128, value_bytes = 16 * ((value_size + 63) / 64) * 128, stage_bytes = key_bytes + value_bytes;
    constexpr int found_bytes = rows * (pitch + LITZ_SPLIT_FOUND) * 4, warp_bytes = stages * stage_bytes > found_bytes ? stages * stage_bytes : found_bytes;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const u32 shared = litz_shared_address(dynamic) + warp * warp_bytes;
    int rank = 0;
    if constexpr (splits > 1) rank = (int)litz_cluster_rank();
    const int which = blockIdx.x / splits, batch = which / (int)s.kv_heads, kv = which % (int)s.kv_heads;
    const int group = (int)(s.heads / s.kv_heads), queries = (int)s.queries, used = group * queries;
    const S *const k_base = k.data + batch * k.batch_stride + kv * k.head_stride;
    const S *const v_base = v.data + batch * v.batch_stride + kv * v.head_stride;
    // The tiles of 16 keys that are this block's, of which every `warps`-th is this warp's.
    i64 attended = 0;
    for (int h = 0; h < group; h++) attended = litz_greater(attended, band.keys_of(batch, kv * group + h));
    const i64 before = band.begin(0) / 16, all = litz_greater((band.end(s.queries - 1, attended) + 15) / 16 - before, (i64)0), each = (all + splits - 1) / splits;
    const i64 from = before + rank * each, until = litz_lesser(from + each, before + all);
    const int steps = (int)litz_greater((until - from - warp + warps - 1) / warps, (i64)0);
    auto fetch = [&](int n) {
        if (n < steps) {
            const i64 at = (from + warp + (i64)n * warps) * 16;
            const u32 to = shared + n % stages * stage_bytes;
            litz_load_sixteen<head_size>(to, k_base, k.stride, at, s.keys);
            litz_load_sixteen<value_size>(to + key_bytes, v_base, v.stride, at, s.keys);
        }
        litz_copy_commit();
    };
    _Pragma("unroll") for (int n = 0; n < stages - 1; n++) fetch(n);
    // A thread's elements of the queries: rows of heads and queries, the queries neighbours.
    u32 own[tiles][depth][4];
    _Pragma("unroll") for (int t = 0; t < tiles; t++) _Pragma("unroll") for (int r = 0; r < 2; r++) {
        const int row = t * 16 + lane / 4 + r * 8;
        const S *const at = q.data + batch * q.batch_stride + (kv * group + row / queries) * q.head_stride + row % queries * q.stride + lane % 4 * 2;
        _Pragma("unroll") for (int d = 0; d < depth; d++) _Pragma("unroll") for (int c = 0; c < 2; c++) own[t][d][c * 2 + r] = row < used && d * 16 + c * 8 < head_size ? *(const u32 *)(at + d * 16 + c * 8) : 0;
    }
    const f32 log2e = 1.44269504088896340736f, unit = scored ? log2e : scale * log2e;
    f32 sums[tiles][wide][4], most[tiles][2], total[tiles][2];
    i64 ends[tiles][2];
    _Pragma("unroll") for (int t = 0; t < tiles; t++) {
        _Pragma("unroll") for (int r = 0; r < 2; r++) { const int row = t * 16 + lane / 4 + r * 8; ends[t][r] = row < used ? band.keys_of(batch, kv * group + row / queries) : 0; }
        _Pragma("unroll") for (int j = 0; j < wide; j++) _Pragma("unroll") for (int c = 0; c < 4; c++) sums[t][j][c] = 0;
        _Pragma("unroll") for (int r = 0; r < 2; r++) { most[t][r] = -LITZ_INFINITY; total[t][r] = 0; }
    }
    for (int n = 0; n < steps; n++) {
        litz_copy_wait<stages - 2>();
        __syncwarp();
        fetch(n + stages - 1);
        const u32 keys = shared + n % stages * stage_bytes, values = keys + key_bytes;
        f32 x[tiles][2][4];
        _Pragma("unroll") for (int t = 0; t < tiles; t++) _Pragma("unroll") for (int j = 0; j < 2; j++) _Pragma("unroll") for (int c = 0; c < 4; c++) x[t][j][c] = 0;
        _Pragma("unroll") for (int d = 0; d < depth; d++) {
            u32 b[4];
            litz_load_matrices(b, litz_row_address<16>(keys, lane / 16 * 8 + lane % 8, d * 2 + lane / 8 % 2));
            _Pragma("unroll") for (int t = 0; t < tiles; t++) { litz_mma(x[t][0], own[t][d], b[0], b[1], S()); litz_mma(x[t][1], own[t][d], b[2], b[3], S()); }
        }
        const i64 start = (from + warp + (i64)n * warps) * 16;
        u32 weights[tiles][4];
        _Pragma("unroll") for (int t = 0; t < tiles; t++) _Pragma("unroll") for (int r = 0; r < 2; r++) {
            const int row = t * 16 + lane / 4 + r * 8, query = row % queries, head = kv * group + row / queries;
            f32 top = most[t][r];
            _Pragma("unroll") for (int j = 0; j < 2; j++) _Pragma("unroll") for (int c = 0; c < 2; c++) {
                const i64 key = start + j * 8 + lane % 4 * 2 + c;
                f32 &y = x[t][j][2 * r + c];
                const bool inside = key < ends[t][r] && key >= query + band.lower && key <= query + band.upper;
                if (!inside) y = -LITZ_INFINITY;
                else if (scored) y = score(batch, head, query, key, y * scale);
                top = fmaxf(top, y);
            }
            _Pragma("unroll") for (int i = 1; i < 4; i *= 2) { const f32 other = __shfl_xor_sync(0xffffffffu, top, i); top = fmaxf(top, other); }
            const f32 base = top == -LITZ_INFINITY ? 0.0f : __fmul_rn(top, unit), rescale = litz_exp2(__fmul_rn(most[t][r], unit) - base);
            most[t][r] = top;
            f32 sum = 0;
            _Pragma("unroll") for (int j = 0; j < 2; j++) {
                const f32 a = litz_exp2(fmaf(x[t][j][2 * r], unit, -base)), b = litz_exp2(fmaf(x[t][j][2 * r + 1], unit, -base));
                sum += a + b;
                weights[t][j * 2 + r] = litz_pack(a, b, S());
            }
            total[t][r] = total[t][r] * rescale + sum;
            _Pragma("unroll") for (int j = 0; j < wide; j++) { sums[t][j][2 * r] *= rescale; sums[t][j][2 * r + 1] *= rescale; }
        }
        _Pragma("unroll") for (int j = 0; j < wide / 2; j++) {
            u32 b[4];
            litz_load_matrices_transposed(b, litz_row_address<16>(values, lane / 8 % 2 * 8 + lane % 8, j * 2 + lane / 16));
            _Pragma("unroll") for (int t = 0; t < tiles; t++) { litz_mma(sums[t][2 * j], weights[t], b[0], b[1], S()); litz_mma(sums[t][2 * j + 1], weights[t], b[2], b[3], S()); }
        }
    }
    litz_copy_wait<0>();
    __syncwarp();
    // Each warp's rows, then its largest scores (times `unit`) and totals, to where its keys were.
    f32 *const mine = (f32 *)(dynamic + warp * warp_bytes);
    _Pragma("unroll") for (int t = 0; t < tiles; t++) _Pragma("unroll") for (int r = 0; r < 2; r++) {
        const int row = t * 16 + lane / 4 + r * 8;
        _Pragma("unroll") for (int i = 1; i < 4; i *= 2) total[t][r] += __shfl_xor_sync(0xffffffffu, total[t][r], i);
        _Pragma("unroll") for (int j = 0; j < value_size / 8; j++) _Pragma("unroll") for (int c = 0; c < 2; c++) mine[row * pitch + j * 8 + lane % 4 * 2 + c] = sums[t][j][2 * r + c];
        if (lane % 4 == 0) { mine[rows * pitch + row] = most[t][r] == -LITZ_INFINITY ? most[t][r] : most[t][r] * unit; mine[rows * pitch + rows + row] = total[t][r]; }
    }
    __syncthreads();
    // The warps' results become the first warp's.
    constexpr int floats = warp_bytes / 4;
    f32 *const first = (f32 *)dynamic;
    constexpr int per_row = value_size / 4, parts = (rows * per_row + threads - 1) / threads;
    float4 kept[parts];
    f32 kept_most[parts], kept_total[parts];
    _Pragma("unroll") for (int i = 0; i < parts; i++) {
        const int n = threadIdx.x + i * threads, row = n / per_row, d = n % per_row * 4;
        kept[i] = make_float4(0, 0, 0, 0);
        kept_most[i] = -LITZ_INFINITY;
        kept_total[i] = 0;
        if (row < used && row < rows) {
            f32 top = -LITZ_INFINITY;
            _Pragma("unroll") for (int w = 0; w < warps; w++) top = fmaxf(top, first[w * floats + rows * pitch + row]);
            const f32 base = top == -LITZ_INFINITY ? 0.0f : top;
            kept_most[i] = top;
            _Pragma("unroll") for (int w = 0; w < warps; w++) {
                const f32 part = litz_exp2(first[w * floats + rows * pitch + row] - base);
                const float4 y = *(const float4 *)(first + w * floats + row * pitch + d);
                kept_total[i] += part * first[w * floats + rows * pitch + rows + row];
                kept[i].x += part * y.x; kept[i].y += part * y.y; kept[i].z += part * y.z; kept[i].w += part * y.w;
            }
        }
    }
    __syncthreads();
    _Pragma("unroll") for (int i = 0; i < parts; i++) {
        const int n = threadIdx.x + i * threads, row = n / per_row, d = n % per_row * 4;
        if (row < rows) {
            *(float4 *)(first + row * pitch + d) = kept[i];
            if (d == 0) { first[rows * pitch + row] = kept_most[i]; first[rows * pitch + rows + row] = kept_total[i]; }
        }
    }
    if constexpr (splits > 1) litz_cluster_meet(); else __syncthreads();
    const u32 found = litz_shared_address(dynamic);
    auto read = [&](int at, int block) {
        if constexpr (splits > 1) return litz_cluster_read(found + at * 4, block); else return first[at];
    };
    auto read4 = [&](int at, int block) {
        if constexpr (splits > 1) return litz_cluster_read4(found + at * 4, block); else return *(const float4 *)(first + at);
    };
    for (int n = rank * threads + threadIdx.x; n < used * (value_size / 8); n += splits * threads) {
        const int row = n / (value_size / 8), d = n % (value_size / 8) * 8;
        f32 result[8] = {}, sum = 0, top = -LITZ_INFINITY, tops[splits];
        _Pragma("unroll") for (int b = 0; b < splits; b++) { tops[b] = read(rows * pitch + row, b); top = fmaxf(top, tops[b]); }
        const f32 base = top == -LITZ_INFINITY ? 0.0f : top;
        _Pragma("unroll") for (int b = 0; b < splits; b++) {
            const f32 part = litz_exp2(tops[b] - base);
            sum += part * read(rows * pitch + rows + row, b);
            _Pragma("unroll") for (int h = 0; h < 2; h++) {
                const float4 y = read4(row * pitch + d + h * 4, b);
                result[h * 4] += part * y.x; result[h * 4 + 1] += part * y.y; result[h * 4 + 2] += part * y.z; result[h * 4 + 3] += part * y.w;
            }
        }
        const f32 none = empty_is_nan && s.keys > 0 ? __builtin_nanf("") : 0.0f, over = 1.0f / sum;
        _Pragma("unroll") for (int c = 0; c < 8; c++) result[c] = sum == 0.0f ? none : result[c] * over;
        epilogue(batch, kv * group + row / queries, row % queries, d, result);
        if (d == 0) log_sum(batch, kv * group + row / queries, row % queries, litz_log_sum_of_powers(base, sum));
    }
    // A block's memory is there until all have read it.
    __syncwarp();
    if constexpr (splits > 1) litz_cluster_meet();
}
