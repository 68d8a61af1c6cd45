// Litz attention row by row, for types that have no tile: one row of scores and one of outputs at a time.
//
//   litz_attention_by_rows<T>(shape, q, k, v, scale, causal, zeros, score, epilogue, begin, end, space): as litz_attention_run, with
//     one task per query of a head of a batch; `space` holds k_length + v_width elements. The stride along a head's width is 1.
struct litz_attention_rows {
    i64 batch, heads, kv_heads, q_length, k_length, width, v_width;
    i64 q_batch, q_head, q_row, k_batch, k_head, k_row, v_batch, v_head, v_row;
};

template <class T, class F, class E>
LITZ_MATH void litz_attention_by_rows(const litz_attention_rows &s, const T *q, const T *k, const T *v, T scale, bool causal, bool zeros, const F &score, E &&epilogue, i64 begin, i64 end, T *space) {
    for (i64 task = begin; task < end; task++) {
        i64 query = task % s.q_length, head = task / s.q_length % s.heads, batch = task / s.q_length / s.heads;
        i64 kv = head * s.kv_heads / s.heads, keys = causal && query + 1 < s.k_length ? query + 1 : s.k_length;
        const T *qs = q + batch * s.q_batch + head * s.q_head + query * s.q_row;
        const T *ks = k + batch * s.k_batch + kv * s.k_head, *vs = v + batch * s.v_batch + kv * s.v_head;
        T *row = space + s.k_length, most = (T)-__builtin_inff(), sum = 0;
        for (i64 j = 0; j < keys; j++) {
            T dot = 0;
            for (i64 d = 0; d < s.width; d++) dot += qs[d] * ks[j * s.k_row + d];
            space[j] = dot * scale;
        }
        score(batch, head, query, (i64)0, keys, space);
        for (i64 j = 0; j < keys; j++) most = l_maximum(space[j], most);
        for (i64 d = 0; d < s.v_width; d++) row[d] = 0;
        T base = most == (T)-__builtin_inff() ? (T)0 : most;
        for (i64 j = 0; j < keys; j++) {
            T e = l_exp(space[j] - base);
            sum += e;
            for (i64 d = 0; d < s.v_width; d++) row[d] += e * vs[j * s.v_row + d];
        }
        for (i64 d = 0; d < s.v_width; d++) row[d] = sum == 0 && (zeros || s.k_length == 0) ? (T)0 : row[d] / sum;
        epilogue(batch, head, query, row, most, sum);
    }
}
