// Gradients of attention of half and bfloat on Hopper's tensor cores (sm_90a). A block takes some rows of one head, 64 for each of its
// warpgroups, and walks over those that these meet: `litz_attention_grad_queries` takes queries and walks over keys, and
// `litz_attention_grad_keys` takes keys and walks over the queries of all heads that share them. Each computes weights and their cotangents
// anew, in registers, from which tensor cores read them; nothing is added up in memory, so that results are the same in each run. Warpgroups
// take turns at the tensor cores, so that these work while exponentials are computed. One more warpgroup has the copy engine bring what is
// walked over to shared memory, some tiles ahead.
//
// `P` has the products: `scores` of 64 rows by a tile's rows, and `sums`, weighted by registers, over the rows of a head or of a value.
// If `scored`, `score(batch, head, query, key, s)` returns the softmax's input for the scaled score `s`.
// `log_sum(batch, head, query)` is the logarithm of the row's sum of exponentials. `mean(batch, head, query)` is the row's
// sum of cotangents times results.

// Rows of a result whose elements are neighbours.
template <class S> struct litz_result_rows {
    S *data;
    i64 batch_stride, head_stride, stride;
};
// Blocks that work at a time share what `near` heads walk over; of these heads, the tiles with the most to do go first.
struct litz_backward_place { int batch, head; i64 first; };
LITZ_FN litz_backward_place litz_backward_place_of(int near, int batches, int heads, int tiles, int rows, bool last_first) {
    const int at = (int)blockIdx.x, section = at / (near * tiles), within = at - section * near * tiles, width = min(near, batches * heads - section * near);
    const int tile = within / width, which = section * near + within % width, batch = which / heads;
    return {batch, which - batch * heads, (i64)(last_first ? tiles - 1 - tile : tile) * rows};
}
// One row of a thread's sums, times `scale`, as 16 bytes a thread.
template <int count, class S> LITZ_FN void litz_store_result_row(const f32 (&sums)[count], int r, f32 scale, S *row) {
    constexpr int chunks = count / 4;
    _Pragma("unroll") for (int j = 0; j < chunks; j += 4) {
        f32 parts[4][2], finished[8];
        _Pragma("unroll") for (int b = 0; b < 4; b++) _Pragma("unroll") for (int c = 0; c < 2; c++)
            parts[b][c] = j + b < chunks ? sums[(j + b) * 4 + 2 * r + c] * scale : 0.0f;
        litz_eight_of_row(parts, finished);
        const int chunk = j + threadIdx.x % 4;
        if (row && chunk < chunks)
            *(uint4 *)(row + chunk * 8) = make_uint4(litz_pack(finished[0], finished[1], S()), litz_pack(finished[2], finished[3], S()),
                                                     litz_pack(finished[4], finished[5], S()), litz_pack(finished[6], finished[7], S()));
    }
}

template <class S, class P, int groups, int keys, int stages, int head_size, int value_size, bool scored, class B, class F, class L, class M>
LITZ_FN void litz_attention_grad_queries(int near, const litz_attention_tiles &s, const B &band, const litz_tensor_map &q_map, const litz_tensor_map &g_map, const litz_tensor_map &k_map, const litz_tensor_map &v_map, f32 scale, F score, L log_sum, M mean, const litz_result_rows<S> &result) {
    extern __shared__ __align__(1024) char dynamic[];
    constexpr int rows = groups * 64, head_blocks = (head_size + 63) / 64, value_blocks = (value_size + 63) / 64;
    constexpr int query_bytes = rows * head_blocks * 128, grad_bytes = rows * value_blocks * 128, key_bytes = keys * head_blocks * 128, value_bytes = keys * value_blocks * 128;
    const u32 q_at = litz_shared_address(dynamic), g_at = q_at + query_bytes, k_at = g_at + grad_bytes, v_at = k_at + stages * key_bytes;
    const u32 own_full = v_at + stages * value_bytes, k_full = own_full + 8, k_empty = k_full + stages * 8, v_full = k_empty + stages * 8, v_empty = v_full + stages * 8;
    const int tiles = (int)((s.queries + rows - 1) / rows);
    const litz_backward_place p = litz_backward_place_of(near, (int)s.batch, (int)s.heads, tiles, rows, true);
    const int kv = p.head / (int)(s.heads / s.kv_heads);
    const i64 begin = band.begin(p.first) / keys * keys, attended = band.keys_of(p.batch, p.head);
    const int steps = (int)litz_greater((band.end(p.first + rows - 1, attended) - begin + keys - 1) / keys, (i64)0);
    if (threadIdx.x == 0) {
        litz_barrier_start(own_full, 1);
        _Pragma("unroll") for (int i = 0; i < stages; i++) {
            litz_barrier_start(k_full + i * 8, 1);
            litz_barrier_start(v_full + i * 8, 1);
            litz_barrier_start(k_empty + i * 8, groups * 4);
            litz_barrier_start(v_empty + i * 8, groups * 4);
        }
        litz_barriers_started();
    }
    __syncthreads();
    if (threadIdx.x / 128 == groups) {
        litz_registers_less<groups == 3 ? 32 : 24>();
        if (threadIdx.x % 128 == 0) {
            litz_barrier_expect(own_full, query_bytes + grad_bytes);
            _Pragma("unroll") for (int b = 0; b < head_blocks; b++) litz_fetch(q_at + b * (rows * 128), q_map, own_full, b * 64, (int)p.first, p.head, p.batch);
            _Pragma("unroll") for (int b = 0; b < value_blocks; b++) litz_fetch(g_at + b * (rows * 128), g_map, own_full, b * 64, (int)p.first, p.head, p.batch);
            for (int step = 0; step < steps; step++) {
                const int slot = step % stages, from = (int)begin + step * keys;
                litz_barrier_wait(k_empty + slot * 8, (step / stages & 1) ^ 1);
                litz_barrier_expect(k_full + slot * 8, key_bytes);
                _Pragma("unroll") for (int b = 0; b < head_blocks; b++) litz_fetch(k_at + slot * key_bytes + b * (keys * 128), k_map, k_full + slot * 8, b * 64, from, kv, p.batch);
                litz_barrier_wait(v_empty + slot * 8, (step / stages & 1) ^ 1);
                litz_barrier_expect(v_full + slot * 8, value_bytes);
                _Pragma("unroll") for (int b = 0; b < value_blocks; b++) litz_fetch(v_at + slot * value_bytes + b * (keys * 128), v_map, v_full + slot * 8, b * 64, from, kv, p.batch);
            }
        }
        return;
    }
    litz_registers_more<groups == 3 ? 160 : 240>();
    const int group = __shfl_sync(0xffffffffu, threadIdx.x / 128, 0), warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
    const f32 log2e = 1.44269504088896340736f, unit = scored ? log2e : scale * log2e;
    const i64 top_query = p.first + group * 64, mine = top_query + warp * 16 + lane / 4;
    f32 x[keys / 2], y[keys / 2], sums[head_size / 2], base[2], middle[2];
    u32 weights[keys / 4];
    _Pragma("unroll") for (int c = 0; c < head_size / 2; c++) sums[c] = 0;
    _Pragma("unroll") for (int r = 0; r < 2; r++) {
        const i64 query = mine + r * 8;
        base[r] = query < s.queries ? log_sum(p.batch, p.head, query) * log2e : LITZ_INFINITY;
        middle[r] = query < s.queries ? mean(p.batch, p.head, query) : 0.0f;
    }
    auto leave = [&](u32 barrier) { if (lane == 0) litz_barrier_arrive(barrier); };
    auto products = [&](int step) {
        const u32 slot = step % stages, phase = step / stages & 1;
        litz_barrier_wait(k_full + slot * 8, phase);
        if (groups > 1 && (group > 0 || step > 0)) litz_turn_wait(group);
        LITZ_WGMMA_FENCE();
        _Pragma("unroll") for (int d = 0; d < (head_size + 15) / 16; d++)
            P::scores(x, litz_rows_operand(q_at + group * 8192 + d / 4 * (rows * 128) + d % 4 * 32, 0), litz_rows_operand(k_at + slot * key_bytes + d / 4 * (keys * 128) + d % 4 * 32, 0), d > 0);
        LITZ_WGMMA_COMMIT();
        litz_barrier_wait(v_full + slot * 8, phase);
        _Pragma("unroll") for (int d = 0; d < (value_size + 15) / 16; d++)
            P::scores(y, litz_rows_operand(g_at + group * 8192 + d / 4 * (rows * 128) + d % 4 * 32, 0), litz_rows_operand(v_at + slot * value_bytes + d / 4 * (keys * 128) + d % 4 * 32, 0), d > 0);
        LITZ_WGMMA_COMMIT();
        if (groups > 1) litz_turn_give((group + 1) % groups);
    };
    auto store = [&]() {
        _Pragma("unroll") for (int r = 0; r < 2; r++) {
            const i64 query = mine + r * 8;
            S *const row = result.data + p.batch * result.batch_stride + p.head * result.head_stride + query * result.stride;
            litz_store_result_row(sums, r, scale, query < s.queries ? row : (S *)nullptr);
        }
    };
    // Between the products of a loop, the compiler wants no other way to what is behind it.
    if (steps == 0) return store();
    litz_barrier_wait(own_full, 0);
    int step = 0;
    do {
        const u32 slot = step % stages;
        const i64 start = begin + (i64)step * keys;
        products(step);
        // The sums of the step before are done as well.
        litz_wgmma_wait<1>();
        litz_settled(x);
        if (step > 0) leave(k_empty + (step - 1) % stages * 8);
        if (scored) {
            const i64 own = start + lane % 4 * 2, last_key = s.keys - 1, last_query = s.queries - 1;
            _Pragma("unroll") for (int c = 0; c < 4; c++) _Pragma("unroll") for (int j = 0; j < keys / 8; j++)
                x[j * 4 + c] = score(p.batch, p.head, litz_lesser(mine + c / 2 * 8, last_query), litz_lesser(own + (j * 8 + c % 2), last_key), x[j * 4 + c] * scale);
        }
        if (start + keys > attended || start + keys - 1 > top_query + band.upper || start < top_query + 63 + band.lower) {
            // The first and last key that each of the thread's two queries attends, counted from the thread's own first.
            const int own = lane % 4 * 2;
            _Pragma("unroll") for (int r = 0; r < 2; r++) {
                const i64 query = mine + r * 8, from = query + band.lower - start, until = litz_lesser(attended - 1, query + band.upper) - start;
                const int low = (int)litz_greater(from, (i64)-1) - own, high = (int)litz_greater(litz_lesser(until, (i64)keys), (i64)-1) - own;
                _Pragma("unroll") for (int j = 0; j < keys / 8; j++) _Pragma("unroll") for (int c = 0; c < 2; c++)
                    if (j * 8 + c > high || j * 8 + c < low) x[j * 4 + 2 * r + c] = -LITZ_INFINITY;
            }
        }
        _Pragma("unroll") for (int i = 0; i < keys / 2; i++) x[i] = litz_exp2(fmaf(x[i], unit, -base[i / 2 % 2]));
        litz_wgmma_wait<0>();
        litz_settled(y);
        leave(v_empty + slot * 8);
        _Pragma("unroll") for (int i = 0; i < keys / 4; i++)
            weights[i] = litz_pack(x[2 * i] * (y[2 * i] - middle[i % 2]), x[2 * i + 1] * (y[2 * i + 1] - middle[i % 2]), S());
        LITZ_WGMMA_FENCE();
        _Pragma("unroll") for (int i = 0; i < keys / 16; i++) {
            const u32 a[4] = {weights[4 * i], weights[4 * i + 1], weights[4 * i + 2], weights[4 * i + 3]};
            P::sums(sums, a, litz_rows_operand(k_at + slot * key_bytes + i * 2048, keys * 128));
        }
        LITZ_WGMMA_COMMIT();
    } while (++step < steps);
    litz_wgmma_wait<0>();
    litz_settled(sums);
    // The turn that is left over.
    if (groups > 1 && group == 0) litz_turn_wait(0);
    store();
}

template <class S, class P, int groups, int queries, int stages, int head_size, int value_size, bool scored, bool key_wanted, bool value_wanted, class B, class F, class L, class M>
LITZ_FN void litz_attention_grad_keys(int near, const litz_attention_tiles &s, const B &band, const litz_tensor_map &q_map, const litz_tensor_map &g_map, const litz_tensor_map &k_map, const litz_tensor_map &v_map, f32 scale, F score, L log_sum, M mean, const litz_result_rows<S> &key_result, const litz_result_rows<S> &value_result) {
    extern __shared__ __align__(1024) char dynamic[];
    constexpr int rows = groups * 64, head_blocks = (head_size + 63) / 64, value_blocks = (value_size + 63) / 64;
    constexpr int key_bytes = rows * head_blocks * 128, value_bytes = rows * value_blocks * 128, query_bytes = queries * head_blocks * 128, grad_bytes = queries * value_blocks * 128;
    const u32 k_at = litz_shared_address(dynamic), v_at = k_at + key_bytes, q_at = v_at + value_bytes, g_at = q_at + stages * query_bytes;
    const u32 numbers_at = g_at + stages * grad_bytes, own_full = numbers_at + stages * queries * 8, full = own_full + 8, empty = full + stages * 8;
    f32 *const numbers = (f32 *)(dynamic + (numbers_at - k_at));
    const int tiles = (int)((s.keys + rows - 1) / rows), shared_by = (int)(s.heads / s.kv_heads);
    const litz_backward_place p = litz_backward_place_of(near, (int)s.batch, (int)s.kv_heads, tiles, rows, false);
    // The queries that attend any of these keys; whose number a head may bound.
    const i64 begin = litz_greater(p.first - band.upper, (i64)0) / queries * queries, end = litz_lesser(p.first + rows - band.lower, s.queries);
    const int each = (int)litz_greater((end - begin + queries - 1) / queries, (i64)0), steps = each * shared_by;
    if (threadIdx.x == 0) {
        litz_barrier_start(own_full, 1);
        _Pragma("unroll") for (int i = 0; i < stages; i++) {
            litz_barrier_start(full + i * 8, 33);
            litz_barrier_start(empty + i * 8, groups * 4);
        }
        litz_barriers_started();
    }
    __syncthreads();
    const f32 log2e = 1.44269504088896340736f, unit = scored ? log2e : scale * log2e;
    if (threadIdx.x / 128 == groups) {
        litz_registers_less<groups == 3 ? 32 : 40>();
        if (threadIdx.x % 128 == 0) {
            litz_barrier_expect(own_full, key_bytes + value_bytes);
            _Pragma("unroll") for (int b = 0; b < head_blocks; b++) litz_fetch(k_at + b * (rows * 128), k_map, own_full, b * 64, (int)p.first, p.head, p.batch);
            _Pragma("unroll") for (int b = 0; b < value_blocks; b++) litz_fetch(v_at + b * (rows * 128), v_map, own_full, b * 64, (int)p.first, p.head, p.batch);
            for (int step = 0, head = p.head * shared_by, at = 0; step < steps; step++) {
                const int slot = step % stages, from = (int)begin + at * queries;
                litz_barrier_wait(empty + slot * 8, (step / stages & 1) ^ 1);
                litz_barrier_expect(full + slot * 8, query_bytes + grad_bytes);
                _Pragma("unroll") for (int b = 0; b < head_blocks; b++) litz_fetch(q_at + slot * query_bytes + b * (queries * 128), q_map, full + slot * 8, b * 64, from, head, p.batch);
                _Pragma("unroll") for (int b = 0; b < value_blocks; b++) litz_fetch(g_at + slot * grad_bytes + b * (queries * 128), g_map, full + slot * 8, b * 64, from, head, p.batch);
                if (++at == each) at = 0, head++;
            }
        } else if (threadIdx.x % 128 / 32 == 1) {
            // The numbers of a tile's queries. Those beyond the last attend nothing.
            for (int step = 0, head = p.head * shared_by, at = 0; step < steps; step++) {
                const int slot = step % stages;
                litz_barrier_wait(empty + slot * 8, (step / stages & 1) ^ 1);
                for (int i = threadIdx.x % 32; i < queries; i += 32) {
                    const i64 query = begin + at * queries + i;
                    const bool there = query < s.queries;
                    numbers[slot * queries * 2 + i] = there ? log_sum(p.batch, head, query) * log2e : LITZ_INFINITY;
                    numbers[slot * queries * 2 + queries + i] = there ? mean(p.batch, head, query) : 0.0f;
                }
                litz_barrier_arrive(full + slot * 8);
                if (++at == each) at = 0, head++;
            }
        }
        return;
    }
    litz_registers_more<groups == 3 ? 160 : 232>();
    const int group = __shfl_sync(0xffffffffu, threadIdx.x / 128, 0), warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
    const i64 top_key = p.first + group * 64, mine = top_key + warp * 16 + lane / 4;
    f32 x[queries / 2], y[queries / 2], key_sums[head_size / 2], value_sums[value_size / 2];
    u32 weights[queries / 4], cotangents[queries / 4];
    _Pragma("unroll") for (int c = 0; c < head_size / 2; c++) key_sums[c] = 0;
    _Pragma("unroll") for (int c = 0; c < value_size / 2; c++) value_sums[c] = 0;
    auto leave = [&](u32 barrier) { if (lane == 0) litz_barrier_arrive(barrier); };
    auto products = [&](int step) {
        const u32 slot = step % stages;
        litz_barrier_wait(full + slot * 8, step / stages & 1);
        LITZ_WGMMA_FENCE();
        _Pragma("unroll") for (int d = 0; d < (head_size + 15) / 16; d++)
            P::scores(x, litz_rows_operand(k_at + group * 8192 + d / 4 * (rows * 128) + d % 4 * 32, 0), litz_rows_operand(q_at + slot * query_bytes + d / 4 * (queries * 128) + d % 4 * 32, 0), d > 0);
        LITZ_WGMMA_COMMIT();
        if (key_wanted) {
            _Pragma("unroll") for (int d = 0; d < (value_size + 15) / 16; d++)
                P::scores(y, litz_rows_operand(v_at + group * 8192 + d / 4 * (rows * 128) + d % 4 * 32, 0), litz_rows_operand(g_at + slot * grad_bytes + d / 4 * (queries * 128) + d % 4 * 32, 0), d > 0);
        }
        LITZ_WGMMA_COMMIT();
    };
    auto store = [&]() {
        _Pragma("unroll") for (int r = 0; r < 2; r++) {
            const i64 key = mine + r * 8;
            if (key_wanted) {
                S *const row = key_result.data + p.batch * key_result.batch_stride + p.head * key_result.head_stride + key * key_result.stride;
                litz_store_result_row(key_sums, r, scale, key < s.keys ? row : (S *)nullptr);
            }
            if (value_wanted) {
                S *const row = value_result.data + p.batch * value_result.batch_stride + p.head * value_result.head_stride + key * value_result.stride;
                litz_store_result_row(value_sums, r, 1.0f, key < s.keys ? row : (S *)nullptr);
            }
        }
    };
    if (steps == 0) return store();
    litz_barrier_wait(own_full, 0);
    int step = 0, head = p.head * shared_by, at = 0;
    do {
        const u32 slot = step % stages;
        const i64 start = begin + (i64)at * queries, attended = band.keys_of(p.batch, head);
        const float2 *const bases = (const float2 *)(numbers + slot * queries * 2) + lane % 4, *const middles = bases + queries / 2;
        // The first group's first turn is free.
        if (groups > 1 && step == 0 && group > 0) litz_turn_wait(group);
        products(step);
        if (groups > 1) litz_turn_give((group + 1) % groups);
        // The sums of the step before are done as well.
        litz_wgmma_wait<1>();
        litz_settled(x);
        if (step > 0) leave(empty + (step - 1) % stages * 8);
        if (scored) {
            const i64 own = start + lane % 4 * 2, last_key = s.keys - 1, last_query = s.queries - 1;
            _Pragma("unroll") for (int c = 0; c < 4; c++) _Pragma("unroll") for (int j = 0; j < queries / 8; j++)
                x[j * 4 + c] = score(p.batch, head, litz_lesser(own + (j * 8 + c % 2), last_query), litz_lesser(mine + c / 2 * 8, last_key), x[j * 4 + c] * scale);
        }
        if (top_key + 64 > attended || start < top_key + 63 - band.upper || start + queries - 1 > top_key - band.lower) {
            // The first and last query that attends each of the thread's two keys, counted from the thread's own first.
            const int own = lane % 4 * 2;
            _Pragma("unroll") for (int r = 0; r < 2; r++) {
                const i64 key = mine + r * 8, from = key - band.upper - start, until = key < attended ? key - band.lower - start : (i64)-1;
                const int low = (int)litz_lesser(litz_greater(from, (i64)-1), (i64)queries) - own, high = (int)litz_greater(litz_lesser(until, (i64)queries), (i64)-1) - own;
                _Pragma("unroll") for (int j = 0; j < queries / 8; j++) _Pragma("unroll") for (int c = 0; c < 2; c++)
                    if (j * 8 + c > high || j * 8 + c < low) x[j * 4 + 2 * r + c] = -LITZ_INFINITY;
            }
        }
        _Pragma("unroll") for (int j = 0; j < queries / 8; j++) {
            const float2 base = bases[j * 4];
            _Pragma("unroll") for (int r = 0; r < 2; r++) {
                x[j * 4 + 2 * r] = litz_exp2(fmaf(x[j * 4 + 2 * r], unit, -base.x));
                x[j * 4 + 2 * r + 1] = litz_exp2(fmaf(x[j * 4 + 2 * r + 1], unit, -base.y));
            }
        }
        if (value_wanted) {
            _Pragma("unroll") for (int i = 0; i < queries / 4; i++) weights[i] = litz_pack(x[2 * i], x[2 * i + 1], S());
        }
        if (key_wanted) {
            litz_wgmma_wait<0>();
            litz_settled(y);
            _Pragma("unroll") for (int j = 0; j < queries / 8; j++) {
                const float2 middle = middles[j * 4];
                _Pragma("unroll") for (int r = 0; r < 2; r++)
                    cotangents[j * 2 + r] = litz_pack(x[j * 4 + 2 * r] * (y[j * 4 + 2 * r] - middle.x), x[j * 4 + 2 * r + 1] * (y[j * 4 + 2 * r + 1] - middle.y), S());
            }
        }
        // These and the next step's first products are one turn.
        if (groups > 1) litz_turn_wait(group);
        LITZ_WGMMA_FENCE();
        if (value_wanted) {
            _Pragma("unroll") for (int i = 0; i < queries / 16; i++) {
                const u32 a[4] = {weights[4 * i], weights[4 * i + 1], weights[4 * i + 2], weights[4 * i + 3]};
                P::sums(value_sums, a, litz_rows_operand(g_at + slot * grad_bytes + i * 2048, queries * 128));
            }
        }
        if (key_wanted) {
            _Pragma("unroll") for (int i = 0; i < queries / 16; i++) {
                const u32 a[4] = {cotangents[4 * i], cotangents[4 * i + 1], cotangents[4 * i + 2], cotangents[4 * i + 3]};
                P::sums(key_sums, a, litz_rows_operand(q_at + slot * query_bytes + i * 2048, queries * 128));
            }
        }
        LITZ_WGMMA_COMMIT();
        if (++at == each) at = 0, head++;
    } while (++step < steps);
    if (groups > 1) litz_turn_give((group + 1) % groups);
    litz_wgmma_wait<0>();
    litz_settled(value_sums);
    litz_settled(key_sums);
    // The turn that is left over.
    if (groups > 1 && group == 0) litz_turn_wait(0);
    store();
}
