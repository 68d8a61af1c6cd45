// Keys and values of attention_fma.h that are rows in memory, whole chunks of 16 bytes: they are copied without passing through
// registers. Stands after attention_fma.h and mma.h.
template <int stride, int chunks, class T> LITZ_FN void litz_bring_rows(T *to, const T *from, i64 row_stride, i64 rows, i64 size) {
    constexpr int each = 16 / sizeof(T), all = LITZ_FMA_KEYS * chunks;
    _Pragma("unroll") for (int n = 0; n < (all + LITZ_FMA_THREADS - 1) / LITZ_FMA_THREADS; n++) {
        const int i = threadIdx.x + n * LITZ_FMA_THREADS, row = i / chunks, d = i % chunks * each;
        if (all % LITZ_FMA_THREADS == 0 || i < all)
            litz_copy_chunk(litz_shared_address(to + row * stride + d), row < rows && d < size ? from + row * row_stride + d : nullptr);
    }
}
template <int head_size, int depth, int wide, class T>
LITZ_FN void litz_bring(T *keys_at, T *values_at, const litz_attention_shape &s, i64 batch, i64 kv, i64 base, i64 end, const litz_heads<T> &key, const litz_heads<T> &value) {
    // Products take four columns at a time: what is beyond a head's last one is zero.
    constexpr int each = 16 / sizeof(T), columns = (head_size + 3) / 4 * 4;
    litz_bring_rows<depth, columns / each>(keys_at, key.data + batch * key.batch_stride + kv * key.head_stride + base * key.stride, key.stride, end - base, (i64)head_size);
    litz_bring_rows<wide, wide / each>(values_at, value.data + batch * value.batch_stride + kv * value.head_stride + base * value.stride, value.stride, end - base, s.value_size);
    litz_copy_commit();
}
template <class T> LITZ_FN void litz_await(const litz_heads<T> &) { litz_copy_wait<0>(); }
