// Litz gradients of attention, from the logarithms of its rows' sums, without ever holding the weights; stands after prelude.h,
// functions.h (with LITZ_USE_EXP), tile.h (with LITZ_USE_TILE_F32 and LITZ_USE_TILE_DOWN_F32), gemm.h and attention.h.
//
//   With S = scale Q K^T + mask, P = e^(S - log_sum) and dS = P * (dO V^T - mean) * scale: dV = P^T dO, dQ = dS K, dK = dS^T Q.
//   litz_attention_backward_shape: sizes and strides in elements, as litz_attention_shape has them; d_out is [batch, heads, q_length, v_width],
//     log_sum and mean are [batch, heads, q_length], d_q, d_k and d_v are like q, k and v. The stride along a width is 1 but for d_q, d_k and d_v.
//     q_block and k_block are at most LITZ_ATTENTION_ROWS and LITZ_ATTENTION_KEYS; k_block is a multiple of LITZ_TILE_COLUMNS(f32).
//   litz_attention_backward_run<S, D>(shape, q, k, v, d_out, log_sum, mean, d_q, d_k, d_v, score, begin, end, scratch): S and D are f32, half or bfloat.
//     Everything is computed in f32; P and dS are rounded to S before they are multiplied. A gradient that is nullptr is not computed.
//     score is as in attention.h. One task is one head of k and v, with all heads of q that read it: batch * kv_heads.
//     The order of additions depends on the shape alone.
//   scratch: litz_attention_backward_scratch(shape) bytes for one thread, 64-byte aligned.
#ifndef LITZ_ATTENTION_BACKWARD_H
#define LITZ_ATTENTION_BACKWARD_H

struct litz_attention_backward_shape {
    i64 batch, heads, kv_heads, q_length, k_length, width, v_width;
    i64 q_batch, q_head, q_row, k_batch, k_head, k_row, v_batch, v_head, v_row, o_batch, o_head, o_row;
    i64 sum_batch, sum_head, sum_row, mean_batch, mean_head, mean_row;
    i64 dq_batch, dq_head, dq_row, dq_column, dk_batch, dk_head, dk_row, dk_column, dv_batch, dv_head, dv_row, dv_column;
    f32 scale;
    bool causal;
    i64 q_block, k_block;
    // Whether sums of d_q are kept in scratch until all keys were seen.
    bool q_kept;
};

// Parts of a thread's scratch, in elements of f32. Rows are padded to whole panels.
struct litz_attention_backward_room {
    i64 keys, k_row, v_row, s_row, turned_k, turned_v, panel_k, sums_k, sums_v, rows_q, rows_o, scores, slopes, sums_q, kept;
};
LITZ_FN litz_attention_backward_room litz_attention_backward_layout(const litz_attention_backward_shape &s, i64 *size) {
    const i64 columns = LITZ_TILE_COLUMNS(f32);
    litz_attention_backward_room r;
    r.keys = litz_blocks(litz_min(s.k_length, s.k_block), columns) * columns;
    r.k_row = litz_panel_stride(s.width), r.v_row = litz_panel_stride(s.v_width), r.s_row = litz_panel_stride(r.keys);
    i64 at = 0;
    r.turned_k = at, at += r.keys * s.width;
    r.turned_v = at, at += r.keys * s.v_width;
    r.panel_k = at, at += r.keys * r.k_row;
    r.sums_k = at, at += r.keys * r.k_row;
    r.sums_v = at, at += r.keys * r.v_row;
    r.rows_q = at, at += s.q_block * r.k_row;
    r.rows_o = at, at += s.q_block * r.v_row;
    r.scores = at, at += s.q_block * r.s_row;
    r.slopes = at, at += s.q_block * r.s_row;
    r.sums_q = at, at += s.q_block * r.k_row;
    r.kept = at, at += s.q_kept ? s.heads / litz_max(1, s.kv_heads) * s.q_length * r.k_row : 0;
    *size = at;
    return r;
}
LITZ_FN i64 litz_attention_backward_scratch(const litz_attention_backward_shape &s) {
    i64 size;
    litz_attention_backward_layout(s, &size);
    return size * 4;
}

LITZ_FN vf32 litz_rounded_to(vf32 x, const f32 *) { return x; }
LITZ_FN vf32 litz_rounded_to(vf32 x, const half *) { return round_half(x); }
LITZ_FN vf32 litz_rounded_to(vf32 x, const bfloat *) { return round_bfloat(x); }

// A row of P and of dS in the places of scores and of dO V^T. Up to `room` elements beyond `count` are zero then.
template <class S> LITZ_MATH void litz_attention_slopes(f32 *scores, f32 *slopes, i64 count, i64 room, f32 scale, f32 log_sum, f32 mean, f32 by) {
    const vf32 scales = splat(scale), sum = splat(log_sum), means = splat(mean), factor = splat(by);
    i64 i = 0;
#define LITZ_SLOPES(at) \
    vf32 p##at = l_exp(load(scores + i + at * LITZ_LANES) * scales - sum), d##at = p##at * (load(slopes + i + at * LITZ_LANES) - means) * factor; \
    p##at = litz_rounded_to(p##at, (const S *)nullptr), d##at = litz_rounded_to(d##at, (const S *)nullptr)
    for (; i + 2 * LITZ_LANES <= count; i += 2 * LITZ_LANES) {
        LITZ_SLOPES(0);
        LITZ_SLOPES(1);
        store(scores + i, p0), store(scores + i + LITZ_LANES, p1);
        store(slopes + i, d0), store(slopes + i + LITZ_LANES, d1);
    }
    for (; i < count; i += LITZ_LANES) {
        LITZ_SLOPES(0);
        vmask seen = first_lanes(count - i);
        store(scores + i, select(seen, p0, vf32{})), store(slopes + i, select(seen, d0, vf32{}));
    }
#undef LITZ_SLOPES
    for (; i < room; i += LITZ_LANES) store(scores + i, vf32{}), store(slopes + i, vf32{});
}

// to[r, c] = from[r, c], of padded rows.
template <class D> LITZ_MATH void litz_put_rows(D *to, i64 to_row, i64 to_column, const f32 *from, i64 from_row, i64 rows, i64 columns) {
    for (i64 r = 0; r < rows; r++, to += to_row, from += from_row) {
        i64 c = 0;
        if (to_column != 1)
            for (; c < columns; c++) store(to + c * to_column, from[c]);
        for (; c + LITZ_LANES <= columns; c += LITZ_LANES) store(to + c, load(from + c));
        if (c < columns) store_tail(to + c, load(from + c), columns - c);
    }
}
LITZ_MATH void litz_add_rows(f32 *to, i64 to_row, i64 to_column, const f32 *from, i64 from_row, i64 rows, i64 columns) {
    for (i64 r = 0; r < rows; r++, to += to_row, from += from_row) {
        i64 c = 0;
        if (to_column != 1)
            for (; c < columns; c++) to[c * to_column] += from[c];
        for (; c + LITZ_LANES <= columns; c += LITZ_LANES) store(to + c, load(to + c) + load(from + c));
        if (c < columns) store_tail(to + c, load_tail(to + c, columns - c) + load(from + c), columns - c);
    }
}
template <class D> LITZ_FN void litz_add_rows(D *, i64, i64, const f32 *, i64, i64, i64) {}
// Rows of a matrix in f32, and zeros up to the end of the last panel.
template <class S> LITZ_FN void litz_pad_rows(f32 *to, i64 to_row, const S *from, i64 from_row, i64 rows, i64 columns) {
    if (columns < to_row) __builtin_memset(to, 0, (u64)(rows * to_row) * 4);
    litz_copy_block(to, to_row, from, rows, columns, from_row, 1);
}
// Columns of NR rows of a matrix at a time: panels whose k is the matrix's width.
template <class S> LITZ_FN void litz_turn_rows(f32 *to, const S *from, i64 from_row, i64 rows, i64 width) {
    const i64 columns = LITZ_TILE_COLUMNS(f32);
    for (i64 n = 0; n < rows; n += columns, to += columns * width) {
        i64 count = litz_min(columns, rows - n);
        litz_zero_columns(to, width, count);
        litz_copy_block(to, columns, from + n * from_row, width, count, 1, from_row);
    }
}

template <class S, class D, class F>
LITZ_MATH void litz_attention_backward_run(const litz_attention_backward_shape &s, const S *q, const S *k, const S *v, const S *d_out, const f32 *log_sum, const f32 *mean, D *d_q, D *d_k, D *d_v, const F &score, i64 begin, i64 end, void *scratch) {
    const i64 columns = LITZ_TILE_COLUMNS(f32);
    i64 size;
    const litz_attention_backward_room at = litz_attention_backward_layout(s, &size);
    f32 *const room = (f32 *)scratch, *const turned_k = room + at.turned_k, *const turned_v = room + at.turned_v, *const panel_k = room + at.panel_k;
    f32 *const sums_k = room + at.sums_k, *const sums_v = room + at.sums_v, *const rows_q = room + at.rows_q, *const rows_o = room + at.rows_o;
    f32 *const scores = room + at.scores, *const slopes = room + at.slopes, *const sums_q = room + at.sums_q;
    const i64 group = s.heads / litz_max(1, s.kv_heads);
    for (i64 task = begin; task < end; task++) {
        i64 kv = task % s.kv_heads, batch = task / s.kv_heads;
        const S *ks = k + batch * s.k_batch + kv * s.k_head, *vs = v + batch * s.v_batch + kv * s.v_head;
        i64 k0 = 0;
        do {
            i64 keys = litz_min(s.k_block, s.k_length - k0), k_passes = litz_blocks(keys, LITZ_TILE_ROWS);
            litz_turn_rows(turned_k, ks + k0 * s.k_row, s.k_row, keys, s.width);
            litz_turn_rows(turned_v, vs + k0 * s.v_row, s.v_row, keys, s.v_width);
            litz_pad_rows(panel_k, at.k_row, ks + k0 * s.k_row, s.k_row, keys, s.width);
            __builtin_memset(sums_k, 0, (u64)(keys * at.k_row) * 4);
            __builtin_memset(sums_v, 0, (u64)(keys * at.v_row) * 4);
            for (i64 member = 0; member < group; member++) {
                i64 head = kv * group + member;
                const f32 *sums = log_sum + batch * s.sum_batch + head * s.sum_head, *means = mean + batch * s.mean_batch + head * s.mean_head;
                // Queries before the first key of the block see none of it.
                for (i64 q0 = s.causal ? k0 / s.q_block * s.q_block : 0; q0 < s.q_length; q0 += s.q_block) {
                    i64 rows = litz_min(s.q_block, s.q_length - q0), passes = litz_blocks(rows, LITZ_TILE_ROWS);
                    litz_pad_rows(rows_q, at.k_row, q + batch * s.q_batch + head * s.q_head + q0 * s.q_row, s.q_row, rows, s.width);
                    litz_pad_rows(rows_o, at.v_row, d_out + batch * s.o_batch + head * s.o_head + q0 * s.o_row, s.o_row, rows, s.v_width);
                    // Keys of this block that row r sees.
#define LITZ_SEEN(r) (s.causal ? litz_max(0, litz_min(keys, q0 + (r) + 1 - k0)) : keys)
                    for (i64 n = 0; n < keys; n += columns)
                        for (i64 i = 0; i < passes; i++) {
                            i64 r = rows * i / passes, last = rows * (i + 1) / passes;
                            if (LITZ_SEEN(last - 1) <= n) continue;
                            litz_tile t = {rows_q + r * at.k_row, at.k_row * 4, turned_k + n * s.width, LITZ_PANEL_BYTES, scores + r * at.s_row + n, at.s_row * 4, s.width, turned_k, 0};
                            litz_tile_f32(&t, (int)(last - r));
                            litz_tile u = {rows_o + r * at.v_row, at.v_row * 4, turned_v + n * s.v_width, LITZ_PANEL_BYTES, slopes + r * at.s_row + n, at.s_row * 4, s.v_width, turned_v, 0};
                            litz_tile_f32(&u, (int)(last - r));
                        }
                    for (i64 r = 0; r < rows; r++) {
                        f32 *row = scores + r * at.s_row, scale = s.scale;
                        i64 seen = LITZ_SEEN(r), query = q0 + r;
                        if (!litz_leaves_scores(score)) {
                            if (scale != 1) litz_scale_row(row, seen, scale);
                            if (seen > 0) score(batch, head, query, k0, seen, row);
                            scale = 1;
                        }
                        // A pass of rows takes all its rows' keys, and a pass of keys all its keys' rows.
                        i64 taken = litz_min(keys, seen + LITZ_TILE_ROWS);
                        litz_attention_slopes<S>(row, slopes + r * at.s_row, seen, taken, scale, sums[query * s.sum_row], means[query * s.mean_row], s.scale);
                    }
                    if (d_v || d_k)
                        for (i64 i = 0; i < k_passes; i++) {
                            i64 key = keys * i / k_passes, count = keys * (i + 1) / k_passes - key, first = s.causal ? litz_max(0, k0 + key - q0) : 0;
                            if (first >= rows) break;
                            for (i64 n = 0; d_v && n < s.v_width; n += columns) {
                                litz_tile t = {scores + first * at.s_row + key, at.s_row * 4, rows_o + first * at.v_row + n, at.v_row * 4, sums_v + key * at.v_row + n, at.v_row * 4, rows - first, rows_o, 1};
                                litz_tile_down_f32(&t, (int)count);
                            }
                            for (i64 n = 0; d_k && n < s.width; n += columns) {
                                litz_tile t = {slopes + first * at.s_row + key, at.s_row * 4, rows_q + first * at.k_row + n, at.k_row * 4, sums_k + key * at.k_row + n, at.k_row * 4, rows - first, rows_q, 1};
                                litz_tile_down_f32(&t, (int)count);
                            }
                        }
                    if (!d_q) continue;
                    f32 *kept = room + at.kept + (member * s.q_length + q0) * at.k_row, *to = s.q_kept ? kept : sums_q;
                    for (i64 n = 0; n < s.width; n += columns)
                        for (i64 i = 0; i < passes; i++) {
                            i64 r = rows * i / passes, last = rows * (i + 1) / passes;
                            litz_tile t = {slopes + r * at.s_row, at.s_row * 4, panel_k + n, at.k_row * 4, to + r * at.k_row + n, at.k_row * 4, LITZ_SEEN(last - 1), panel_k, s.q_kept && k0 > 0};
                            litz_tile_f32(&t, (int)(last - r));
                        }
                    bool last = k0 + keys >= (s.causal ? litz_min(s.k_length, q0 + rows) : s.k_length);
                    D *out = d_q + batch * s.dq_batch + head * s.dq_head + q0 * s.dq_row;
                    if (s.q_kept ? last : k0 == 0) litz_put_rows(out, s.dq_row, s.dq_column, to, at.k_row, rows, s.width);
                    else if (!s.q_kept) litz_add_rows(out, s.dq_row, s.dq_column, to, at.k_row, rows, s.width);
#undef LITZ_SEEN
                }
            }
            if (d_k) litz_put_rows(d_k + batch * s.dk_batch + kv * s.dk_head + k0 * s.dk_row, s.dk_row, s.dk_column, sums_k, at.k_row, keys, s.width);
            if (d_v) litz_put_rows(d_v + batch * s.dv_batch + kv * s.dv_head + k0 * s.dv_row, s.dv_row, s.dv_column, sums_v, at.v_row, keys, s.v_width);
            k0 += s.k_block;
        } while (k0 < s.k_length);
    }
}
#endif
