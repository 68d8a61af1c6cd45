// Attention of half and bfloat on Hopper's tensor cores (sm_90a): a block takes some queries of one head, 64 for each of its warpgroups,
// and walks over the keys, the last first, with the softmax kept up to date. One more warpgroup has the copy engine bring keys and values
// to shared memory, some tiles ahead. A warpgroup begins the scores of the next keys before it exponentiates these, and warpgroups take
// turns at the tensor cores, so that these work while exponentials are computed. Scores and weights never leave registers.
//
// `P` has the products: scores of 64 queries by `keys` keys, and their weighted sum of values. If `scored`,
// `score(batch, head, query, key, s)` returns the softmax's input for the scaled score `s`. `epilogue(batch, head, query, d, sums)` stores
// LITZ_LANES finished elements. `log_sum(batch, head, query, value)` stores the logarithm of the row's sum of exponentials.

// Named barriers 1, 2, … by which warpgroups take turns.
LITZ_FN void litz_turn_wait(int group) { asm volatile("bar.sync %0, 256;" ::"r"(group + 1) : "memory"); }
LITZ_FN void litz_turn_give(int group) { asm volatile("bar.arrive %0, 256;" ::"r"(group + 1) : "memory"); }
// What tensor cores write asynchronously is not touched before here.
template <int n> LITZ_FN void litz_settled(f32 (&x)[n]) { _Pragma("unroll") for (int i = 0; i < n; i++) asm volatile("" : "+f"(x[i])::"memory"); }
// A descriptor of 128-byte rows, permuted: `apart` bytes from 64 columns of a transposed operand to the next.
LITZ_FN u64 litz_rows_operand(u32 address, u32 apart) {
    return (u64)(address >> 4 & 0x3fff) | (u64)(apart >> 4) << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}
// Four neighbouring threads have elements of a row two by two, four times: each gets eight neighbours, those that are its number's.
LITZ_FN void litz_eight_of_row(const f32 (&row)[4][2], f32 (&finished)[8]) {
    const bool high = threadIdx.x & 2, odd = threadIdx.x & 1;
    f32 own[2][2], other[2][2];
    _Pragma("unroll") for (int b = 0; b < 2; b++) _Pragma("unroll") for (int c = 0; c < 2; c++) {
        own[b][c] = high ? row[b + 2][c] : row[b][c];
        other[b][c] = __shfl_xor_sync(0xffffffffu, high ? row[b][c] : row[b + 2][c], 2);
    }
    _Pragma("unroll") for (int c = 0; c < 2; c++) {
        const f32 near = odd ? own[1][c] : own[0][c], near_next = __shfl_xor_sync(0xffffffffu, odd ? own[0][c] : own[1][c], 1);
        const f32 far = odd ? other[1][c] : other[0][c], far_next = __shfl_xor_sync(0xffffffffu, odd ? other[0][c] : other[1][c], 1);
        finished[c] = high ? odd ? far_next : far : odd ? near_next : near;
        finished[2 + c] = high ? odd ? far : far_next : odd ? near : near_next;
        finished[4 + c] = high ? odd ? near_next : near : odd ? far_next : far;
        finished[6 + c] = high ? odd ? near : near_next : odd ? far : far_next;
    }
}

// The first `wave` blocks take `rounds` pairs of tiles each, so that the loads of one tile overlap the end of another; each further block
// takes one tile, the longest first, which evens out the end. A pair are the first and the last of a head's tiles, the second and the
// last but one, …, so that all pairs of a causal mask are as long. What runs at a time shares the keys and values of `near` heads.
struct litz_attention_order { int wave, rounds, near; };
struct litz_attention_place { int batch, head, kv, steps; i64 first, begin, attended; };

template <class S, class P, int groups, int keys, int stages, int head_size, int value_size, bool scored, bool empty_is_nan, class B, class F, class E, class L>
LITZ_FN void litz_attention_wgmma(const litz_attention_order &order, const litz_attention_tiles &s, const B &band, const litz_tensor_map &q_map, const litz_tensor_map &k_map, const litz_tensor_map &v_map, f32 scale, F score, E epilogue, L log_sum) {
    extern __shared__ __align__(1024) char dynamic[];
    constexpr int rows = groups * 64, head_blocks = (head_size + 63) / 64, value_blocks = (value_size + 63) / 64;
    constexpr int query_bytes = rows * head_blocks * 128, key_bytes = keys * head_blocks * 128, value_bytes = keys * value_blocks * 128;
    const u32 q_at = litz_shared_address(dynamic), k_at = q_at + query_bytes, v_at = k_at + stages * key_bytes;
    const u32 q_full = v_at + stages * value_bytes, q_empty = q_full + 8, k_full = q_empty + 8, k_empty = k_full + stages * 8, v_full = k_empty + stages * 8, v_empty = v_full + stages * 8;
    const int heads = (int)(s.batch * s.heads), tiles = (int)((s.queries + rows - 1) / rows), pairs = (tiles + 1) / 2;
    const int first_single = order.rounds * order.wave, singles = heads * pairs - first_single, single = (int)blockIdx.x - (order.rounds > 0 ? order.wave : 0);
    auto next = [&](int &n, litz_attention_place &p) {
        while (n < (single < 0 ? 2 * order.rounds : 1)) {
            const bool second = single < 0 ? n & 1 : single >= singles;
            const int at = single < 0 ? n / 2 * order.wave + (int)blockIdx.x : first_single + (second ? 2 * singles - 1 - single : single);
            n++;
            const int section = at / (order.near * pairs), within = at - section * order.near * pairs, width = min(order.near, heads - section * order.near);
            const int pair = within / width, which = section * order.near + within % width;
            // The tile in the middle is its own partner.
            if (second && pair * 2 == tiles - 1) continue;
            p.batch = which / (int)s.heads, p.head = which - p.batch * (int)s.heads, p.kv = p.head / (int)(s.heads / s.kv_heads);
            p.first = (i64)(second ? pair : tiles - 1 - pair) * rows;
            p.begin = band.begin(p.first) / keys * keys;
            p.attended = band.keys_of(p.batch, p.head);
            p.steps = (int)litz_greater((band.end(p.first + rows - 1, p.attended) - p.begin + keys - 1) / keys, (i64)0);
            return true;
        }
        return false;
    };
    if (threadIdx.x == 0) {
        litz_barrier_start(q_full, 1);
        litz_barrier_start(q_empty, groups * 4);
        _Pragma("unroll") for (int i = 0; i < stages; i++) {
            litz_barrier_start(k_full + i * 8, 1);
            litz_barrier_start(v_full + i * 8, 1);
            litz_barrier_start(k_empty + i * 8, groups * 4);
            litz_barrier_start(v_empty + i * 8, groups * 4);
        }
        litz_barriers_started();
    }
    __syncthreads();
    litz_attention_place p;
    if (threadIdx.x / 128 == groups) {
        litz_registers_less<groups == 3 ? 32 : 24>();
        if (threadIdx.x % 128 == 0) {
            int filled = 0;
            for (int i = 0, n = 0; next(n, p); i++) {
                litz_barrier_wait(q_empty, (i & 1) ^ 1);
                litz_barrier_expect(q_full, query_bytes);
                _Pragma("unroll") for (int b = 0; b < head_blocks; b++) litz_fetch(q_at + b * (rows * 128), q_map, q_full, b * 64, (int)p.first, p.head, p.batch);
                // Keys are one tile ahead of values, as their use is.
                for (int step = 0; step <= p.steps && p.steps > 0; step++) {
                    if (step < p.steps) {
                        const int m = filled + step, slot = m % stages;
                        litz_barrier_wait(k_empty + slot * 8, (m / stages & 1) ^ 1);
                        litz_barrier_expect(k_full + slot * 8, key_bytes);
                        _Pragma("unroll") for (int b = 0; b < head_blocks; b++)
                            litz_fetch(k_at + slot * key_bytes + b * (keys * 128), k_map, k_full + slot * 8, b * 64, (int)p.begin + (p.steps - 1 - step) * keys, p.kv, p.batch);
                    }
                    if (step > 0) {
                        const int m = filled + step - 1, slot = m % stages;
                        litz_barrier_wait(v_empty + slot * 8, (m / stages & 1) ^ 1);
                        litz_barrier_expect(v_full + slot * 8, value_bytes);
                        _Pragma("unroll") for (int b = 0; b < value_blocks; b++)
                            litz_fetch(v_at + slot * value_bytes + b * (keys * 128), v_map, v_full + slot * 8, b * 64, (int)p.begin + (p.steps - step) * keys, p.kv, p.batch);
                    }
                }
                filled += p.steps;
            }
        }
        return;
    }
    litz_registers_more<groups == 1 ? 232 : groups == 2 ? 240 : 160>();
    const int group = __shfl_sync(0xffffffffu, threadIdx.x / 128, 0), warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
    const f32 log2e = 1.44269504088896340736f, unit = scored ? log2e : scale * log2e;
    f32 x[keys / 2], sums[value_size / 2], most[2], total[2], rescale[2];
    u32 weights[keys / 4];
    i64 mine;
    int done = 0;
    auto scores = [&](int m) {
        const u32 slot = m % stages;
        _Pragma("unroll") for (int d = 0; d < (head_size + 15) / 16; d++)
            P::scores(x, litz_rows_operand(q_at + group * 8192 + d / 4 * (rows * 128) + d % 4 * 32, 0), litz_rows_operand(k_at + slot * key_bytes + d / 4 * (keys * 128) + d % 4 * 32, 0), d > 0);
        LITZ_WGMMA_COMMIT();
    };
    auto weighted = [&](int m) {
        const u32 slot = m % stages;
        _Pragma("unroll") for (int i = 0; i < keys / 16; i++) {
            const u32 a[4] = {weights[4 * i], weights[4 * i + 1], weights[4 * i + 2], weights[4 * i + 3]};
            P::sums(sums, a, litz_rows_operand(v_at + slot * value_bytes + i * 2048, keys * 128));
        }
        LITZ_WGMMA_COMMIT();
    };
    // The scores of a tile become exponentials; `rescale` is what former sums are to be multiplied with.
    auto exponentials = [&](int step) {
        const i64 start = p.begin + (i64)(p.steps - 1 - step) * keys, top_query = p.first + group * 64;
        const bool edge = start + keys > p.attended || start + keys - 1 > top_query + band.upper || start < top_query + 63 + band.lower;
        if (scored) {
            // Without branches of single threads: between products, the compiler wants their registers touched by all alike.
            const i64 own = start + lane % 4 * 2, last_key = s.keys - 1, last_query = s.queries - 1;
            if (start + keys > s.keys || top_query + 64 > s.queries) {
                _Pragma("unroll") for (int c = 0; c < 4; c++) _Pragma("unroll") for (int j = 0; j < keys / 8; j++)
                    x[j * 4 + c] = score(p.batch, p.head, litz_lesser(mine + c / 2 * 8, last_query), litz_lesser(own + (j * 8 + c % 2), last_key), x[j * 4 + c] * scale);
            } else {
                _Pragma("unroll") for (int c = 0; c < 4; c++) _Pragma("unroll") for (int j = 0; j < keys / 8; j++)
                    x[j * 4 + c] = score(p.batch, p.head, mine + c / 2 * 8, own + (j * 8 + c % 2), x[j * 4 + c] * scale);
            }
        }
        if (edge) {
            // The first and last key that each of the thread's two queries attends, counted from the thread's own first.
            const int own = lane % 4 * 2;
            _Pragma("unroll") for (int r = 0; r < 2; r++) {
                const i64 query = mine + r * 8, from = query + band.lower - start, until = litz_lesser(p.attended - 1, query + band.upper) - start;
                const int low = (int)litz_greater(from, (i64)-1) - own, high = (int)litz_greater(litz_lesser(until, (i64)keys), (i64)-1) - own;
                _Pragma("unroll") for (int j = 0; j < keys / 8; j++) _Pragma("unroll") for (int c = 0; c < 2; c++)
                    if (j * 8 + c > high || j * 8 + c < low) x[j * 4 + 2 * r + c] = -LITZ_INFINITY;
            }
        }
        _Pragma("unroll") for (int r = 0; r < 2; r++) {
            f32 top = most[r];
            _Pragma("unroll") for (int j = 0; j < keys / 8; j++) top = fmaxf(top, fmaxf(x[j * 4 + 2 * r], x[j * 4 + 2 * r + 1]));
            _Pragma("unroll") for (int t = 1; t < 4; t *= 2) { const f32 other = __shfl_xor_sync(0xffffffffu, top, t); top = fmaxf(top, other); }
            // A NaN is in the sums even so. Nothing attended yet: every weight so far is zero. Rounded as the base is, so that the same maximum
            // leaves the weights as they are.
            const f32 base = top == -LITZ_INFINITY ? 0.0f : __fmul_rn(top, unit);
            rescale[r] = litz_exp2(__fmul_rn(most[r], unit) - base);
            most[r] = top;
            f32 parts[2] = {};
            _Pragma("unroll") for (int j = 0; j < keys / 8; j++) _Pragma("unroll") for (int c = 0; c < 2; c++) parts[c] += x[j * 4 + 2 * r + c] = litz_exp2(fmaf(x[j * 4 + 2 * r + c], unit, -base));
            total[r] = total[r] * rescale[r] + (parts[0] + parts[1]);
        }
    };
    auto pack = [&]() {
        _Pragma("unroll") for (int i = 0; i < keys / 4; i++) weights[i] = litz_pack(x[2 * i], x[2 * i + 1], S());
    };
    auto leave = [&](u32 barrier) { if (lane == 0) litz_barrier_arrive(barrier); };
    for (int i = 0, n = 0; next(n, p); i++) {
        mine = p.first + group * 64 + warp * 16 + lane / 4;
        most[0] = most[1] = -LITZ_INFINITY;
        total[0] = total[1] = 0;
        _Pragma("unroll") for (int c = 0; c < value_size / 2; c++) sums[c] = 0;
        litz_barrier_wait(q_full, i & 1);
        if (p.steps > 0) {
            litz_barrier_wait(k_full + done % stages * 8, done / stages & 1);
            if (groups > 1 && (group > 0 || done > 0)) litz_turn_wait(group);
            LITZ_WGMMA_FENCE();
            scores(done);
            if (groups > 1) litz_turn_give((group + 1) % groups);
            litz_wgmma_wait<0>();
            litz_settled(x);
            leave(k_empty + done % stages * 8);
            if (p.steps == 1) leave(q_empty);
            exponentials(0);
            pack();
            for (int step = 1; step < p.steps; step++) {
                const int m = done + step;
                litz_barrier_wait(k_full + m % stages * 8, m / stages & 1);
                if (groups > 1) litz_turn_wait(group);
                LITZ_WGMMA_FENCE();
                scores(m);
                litz_barrier_wait(v_full + (m - 1) % stages * 8, (m - 1) / stages & 1);
                weighted(m - 1);
                if (groups > 1) litz_turn_give((group + 1) % groups);
                litz_wgmma_wait<1>();
                litz_settled(x);
                leave(k_empty + m % stages * 8);
                if (step == p.steps - 1) leave(q_empty);
                exponentials(step);
                litz_wgmma_wait<0>();
                litz_settled(sums);
                litz_settled(x);
                leave(v_empty + (m - 1) % stages * 8);
                pack();
                _Pragma("unroll") for (int j = 0; j < value_size / 8; j++) _Pragma("unroll") for (int c = 0; c < 4; c++) sums[j * 4 + c] *= rescale[c / 2];
            }
            done += p.steps;
            litz_barrier_wait(v_full + (done - 1) % stages * 8, (done - 1) / stages & 1);
            LITZ_WGMMA_FENCE();
            weighted(done - 1);
            litz_wgmma_wait<0>();
            litz_settled(sums);
            leave(v_empty + (done - 1) % stages * 8);
        } else {
            leave(q_empty);
        }
        _Pragma("unroll") for (int r = 0; r < 2; r++) {
            _Pragma("unroll") for (int t = 1; t < 4; t *= 2) total[r] += __shfl_xor_sync(0xffffffffu, total[r], t);
            const f32 none = empty_is_nan && s.keys > 0 ? __builtin_nanf("") : 0.0f, over = 1.0f / total[r];
            const i64 query = mine + r * 8;
            if (lane % 4 == 0 && query < s.queries) log_sum(p.batch, p.head, query, litz_log_sum_of_powers(__fmul_rn(most[r], unit), total[r]));
            _Pragma("unroll") for (int j = 0; j < value_size / 8; j += 4) {
                f32 row[4][2], finished[8];
                _Pragma("unroll") for (int b = 0; b < 4; b++) _Pragma("unroll") for (int c = 0; c < 2; c++)
                    row[b][c] = j + b < value_size / 8 ? (total[r] == 0.0f ? none : sums[(j + b) * 4 + 2 * r + c] * over) : 0.0f;
                litz_eight_of_row(row, finished);
                const int d = j + lane % 4;
                if (query < s.queries && d < value_size / 8) epilogue(p.batch, p.head, query, d * 8, finished);
            }
        }
    }
    // The turn that is left over.
    if (groups > 1 && group == 0 && done > 0) litz_turn_wait(0);
}
