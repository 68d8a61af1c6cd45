// Litz attention: softmax(scale Q K^T + mask) V without ever holding the scores; stands after prelude.h, functions.h (with LITZ_USE_EXP), tile.h
// (with LITZ_USE_TILE_F32) and gemm.h.
//
//   litz_attention_shape: sizes and strides in elements; the stride along a head's width is 1. q is [batch, heads, q_length, width], k is [batch, kv_heads,
//     k_length, width], v is [batch, kv_heads, k_length, v_width]; query head h reads head h * kv_heads / heads of k and v (grouped queries).
//     causal: query i sees keys 0..i (aligned at the top left, as scaled_dot_product_attention's is_causal).
//     q_block: queries of one task, at most LITZ_ATTENTION_ROWS; litz_attention_q_block(q_length) divides them evenly. k_block: keys that are looked at
//     at a time, at most LITZ_ATTENTION_KEYS and a multiple of LITZ_TILE_COLUMNS(f32), or k_length. d_block: how much of the width is multiplied at a time,
//     at most LITZ_GEMM_DEPTH. q_copied: whether queries are copied before they are read; false where S is f32 and a block has at most 8 of them or they
//     lie no multiple of 2 KiB apart.
//   litz_attention_run<S>(shape, q, k, v, score, epilogue, begin, end, scratch): S is f32, half or bfloat; everything is computed in f32. One task is one block of
//     queries of one head of one batch: litz_attention_task_count(shape).
//     score(batch, head, query, k_begin, k_count, f32 *scores) may change a piece of a row of scaled scores (add a mask, put -infinity where
//     a boolean one is false, bias by position). litz_no_score{} does nothing. With causal, it sees only keys 0..query.
//     epilogue(batch, head, query, f32 *row, f32 max, f32 sum): a finished row of v_width outputs, which it stores; log(sum) + max is its log-sum-exp.
//   A row without keys gives zeros; one whose every score is -infinity gives zeros if `zeros` (as scaled_dot_product_attention does), else
//   NaN (as a softmax of such a row does). A NaN score gives NaN.
//   scratch: litz_attention_scratch(shape) bytes for one thread, 64-byte aligned.
#ifndef LITZ_ATTENTION_H
#define LITZ_ATTENTION_H

static_assert(LITZ_ATTENTION_ROWS % LITZ_TILE_ROWS == 0 && LITZ_ATTENTION_KEYS % LITZ_TILE_COLUMNS(f32) == 0, "blocks are made of whole tiles");

struct litz_attention_shape {
    i64 batch, heads, kv_heads, q_length, k_length, width, v_width;
    i64 q_batch, q_head, q_row, k_batch, k_head, k_row, v_batch, v_head, v_row;
    f32 scale;
    bool causal, zeros;
    i64 q_block, k_block = LITZ_ATTENTION_KEYS, d_block = LITZ_GEMM_DEPTH;
    bool q_copied = true;
};
struct litz_no_score { void operator()(i64, i64, i64, i64, i64, f32 *) const {} };

LITZ_FN i64 litz_attention_q_block(i64 q_length) { return litz_max(1, litz_blocks(q_length, litz_max(1, litz_blocks(q_length, LITZ_ATTENTION_ROWS)))); }
LITZ_FN i64 litz_attention_task_count(const litz_attention_shape &s) { return s.batch * s.heads * litz_blocks(s.q_length, s.q_block); }

// Keys of one block, how far rows of scores and of outputs lie apart (whole panels are written), rows of a panel of keys or values.
LITZ_FN i64 litz_attention_keys(const litz_attention_shape &s) { return litz_min(s.k_length, s.k_block); }
LITZ_FN i64 litz_attention_depth(const litz_attention_shape &s) { return litz_min(litz_gemm_depth(s.width), s.d_block); }
LITZ_FN i64 litz_panel_stride(i64 columns) { return litz_c_stride(litz_blocks(columns, LITZ_TILE_COLUMNS(f32)) * LITZ_TILE_COLUMNS(f32)); }
LITZ_FN i64 litz_attention_panel(const litz_attention_shape &s) { return litz_max(litz_attention_keys(s), litz_attention_depth(s)); }
LITZ_FN i64 litz_attention_scratch(const litz_attention_shape &s) {
    i64 row = (s.q_copied ? litz_a_stride(litz_attention_depth(s)) : 0) + litz_panel_stride(litz_attention_keys(s)) + litz_panel_stride(s.v_width) + 2;
    return litz_attention_panel(s) * 2 * LITZ_VECTOR_BYTES + s.q_block * row * 4;
}

LITZ_MATH void litz_scale_row(f32 *row, i64 count, f32 scale) {
    i64 i = 0;
    vf32 by = splat(scale);
    for (; i + LITZ_LANES <= count; i += LITZ_LANES) store(row + i, load(row + i) * by);
    if (i < count) store(row + i, load(row + i) * by);
}
// The largest of start and the row, NaN left out: a NaN score makes its own e^x NaN, and with it the row's sum. Four maxima run at a
// time, since one waits for itself.
LITZ_FN vf32 litz_greater_of(vf32 a, vf32 b) { return a > b ? a : b; }
LITZ_MATH f32 litz_row_max(const f32 *row, i64 count, f32 start) {
    i64 i = 0;
    vf32 none = splat(-__builtin_inff()), a = splat(start), b = none, c = none, d = none;
    for (; i + 4 * LITZ_LANES <= count; i += 4 * LITZ_LANES) {
        a = litz_greater_of(load(row + i), a);
        b = litz_greater_of(load(row + i + LITZ_LANES), b);
        c = litz_greater_of(load(row + i + 2 * LITZ_LANES), c);
        d = litz_greater_of(load(row + i + 3 * LITZ_LANES), d);
    }
    for (; i + LITZ_LANES <= count; i += LITZ_LANES) a = litz_greater_of(load(row + i), a);
    if (i < count) b = litz_greater_of(select(tail_mask(count - i), load(row + i), none), b);
    return hmax(litz_greater_of(litz_greater_of(a, b), litz_greater_of(c, d)));
}
// row = e^(row * scale - max) in place; gives the sum. The scaled score is rounded by itself, as PyTorch's is: of a score of some hundreds,
// that rounding shows in the result.
LITZ_MATH f32 litz_row_exp(f32 *row, i64 count, f32 scale, f32 max) {
    i64 i = 0;
    vf32 a = {}, b = {}, by = splat(scale), less = splat(-max);
    for (; i + 2 * LITZ_LANES <= count; i += 2 * LITZ_LANES) {
        vf32 e = l_exp(load(row + i) * by + less), f = l_exp(load(row + i + LITZ_LANES) * by + less);
        store(row + i, e);
        store(row + i + LITZ_LANES, f);
        a += e;
        b += f;
    }
    for (; i < count; i += LITZ_LANES) {
        vf32 e = select(tail_mask(litz_min(LITZ_LANES, count - i)), l_exp(load(row + i) * by + less), vf32{});
        store(row + i, e);
        a += e;
    }
    return hsum(a + b);
}
LITZ_FN bool litz_leaves_scores(const litz_no_score &) { return true; }
template <class F> LITZ_FN bool litz_leaves_scores(const F &) { return false; }

template <class S, class F, class E>
LITZ_MATH void litz_attention_run(const litz_attention_shape &s, const S *q, const S *k, const S *v, const F &score, E &&epilogue, i64 begin, i64 end, void *scratch) {
    const i64 columns = LITZ_TILE_COLUMNS(f32), stride = litz_panel_stride(litz_attention_keys(s)), out_stride = litz_panel_stride(s.v_width);
    const i64 room = s.q_block, key_block = litz_max(1, litz_attention_keys(s));
    f32 *q_space = s.q_copied ? (f32 *)scratch : nullptr, *scores = (f32 *)scratch + (s.q_copied ? room * litz_a_stride(litz_attention_depth(s)) : 0);
    f32 *panel = scores + room * stride, *out = panel + litz_attention_panel(s) * columns, *maxima = out + room * out_stride, *totals = maxima + room;
    const f32 lowest = -__builtin_inff();
    i64 q_blocks = litz_blocks(s.q_length, s.q_block), depth_block = litz_attention_depth(s);
    for (i64 task = begin; task < end; task++) {
        i64 q0 = task % q_blocks * s.q_block, head = task / q_blocks % s.heads, batch = task / q_blocks / s.heads, kv = head * s.kv_heads / s.heads;
        i64 rows = litz_min(s.q_block, s.q_length - q0), passes = litz_blocks(rows, LITZ_TILE_ROWS);
        const S *qs = q + batch * s.q_batch + head * s.q_head + q0 * s.q_row, *ks = k + batch * s.k_batch + kv * s.k_head, *vs = v + batch * s.v_batch + kv * s.v_head;
        for (i64 r = 0; r < rows; r++) maxima[r] = lowest, totals[r] = 0;
        i64 keys_seen = s.causal ? litz_min(s.k_length, q0 + rows) : s.k_length;
        for (i64 k0 = 0; k0 < keys_seen; k0 += key_block) {
            i64 keys = litz_min(key_block, keys_seen - k0);
            // Keys of this block that row r sees, and with them what a pass of rows up to `last` needs: later keys are skipped.
#define LITZ_SEEN(r) (s.causal ? litz_max(0, litz_min(keys, q0 + (r) + 1 - k0)) : keys)
            for (i64 d = 0, first = 1; d < s.width || first; d += depth_block, first = 0) {
                i64 depth = litz_min(depth_block, s.width - d);
                litz_rows<f32> a = litz_a_matrix<f32, S>{qs, 0, s.q_row, 1}.rows(0, 0, rows, d, depth, q_space);
                for (i64 n = 0; n < keys; n += columns) {
                    i64 n_count = litz_min(columns, keys - n);
                    litz_zero_columns(panel, depth, n_count);
                    litz_copy_block(panel, columns, ks + (k0 + n) * s.k_row + d, depth, n_count, 1, s.k_row);
                    for (i64 i = 0; i < passes; i++) {
                        i64 r = rows * i / passes, last = rows * (i + 1) / passes;
                        if (LITZ_SEEN(last - 1) <= n) continue;
                        litz_tile t = {(const char *)a.data + r * a.stride, a.stride, panel, 2 * LITZ_VECTOR_BYTES, scores + r * stride + n, stride * 4, depth, panel, d > 0};
                        litz_tile_f32(&t, (int)(last - r));
                    }
                }
                if (depth_block == 0) break;
            }
            for (i64 i = 0; i < passes; i++) {
                i64 last = rows * (i + 1) / passes, wanted = LITZ_SEEN(last - 1);
                for (i64 r = rows * i / passes; r < last; r++) {
                    f32 *row = scores + r * stride;
                    i64 seen = LITZ_SEEN(r);
                    f32 old = maxima[r], most, scale = s.scale;
                    if (litz_leaves_scores(score) && scale > 0) {
                        // Nobody looks at the scaled scores: they need not be written.
                        f32 raw = litz_row_max(row, seen, lowest) * scale;
                        most = raw > old ? raw : old;
                    } else {
                        if (scale != 1) litz_scale_row(row, seen, scale);
                        score(batch, head, q0 + r, k0, seen, row);
                        most = litz_row_max(row, seen, old);
                        scale = 1;
                    }
                    // Against -infinity the differences would be NaN; against 0 they stay -infinity.
                    f32 base = most == lowest ? 0.0f : most, sum = litz_row_exp(row, seen, scale, base);
                    for (i64 j = seen; j < wanted; j++) row[j] = 0;
                    f32 keep = l_exp(old - base);
                    maxima[r] = most;
                    totals[r] = totals[r] * keep + sum;
                    if (k0 > 0 && keep != 1.0f) litz_scale_row(out + r * out_stride, s.v_width, keep);
                }
            }
            for (i64 n = 0; n < s.v_width; n += columns) {
                litz_rows<f32> b = litz_b_matrix<f32, S>{vs, 0, s.v_row, 1}.panel(0, n, litz_min(columns, s.v_width - n), k0, keys, rows, panel);
                for (i64 i = 0; i < passes; i++) {
                    i64 r = rows * i / passes, last = rows * (i + 1) / passes, wanted = LITZ_SEEN(last - 1);
                    litz_tile t = {scores + r * stride, stride * 4, b.data, b.stride, out + r * out_stride + n, out_stride * 4, wanted, panel, k0 > 0};
                    litz_tile_f32(&t, (int)(last - r));
                }
            }
#undef LITZ_SEEN
        }
        for (i64 r = 0; r < rows; r++) {
            f32 *row = out + r * out_stride;
            if (s.k_length == 0 || (totals[r] == 0 && s.zeros)) __builtin_memset(row, 0, (u64)s.v_width * 4);
            else litz_scale_row(row, s.v_width, 1.0f / totals[r]);
            epilogue(batch, head, q0 + r, row, maxima[r], totals[r]);
        }
    }
}
#endif
