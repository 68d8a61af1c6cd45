// Rows of heads in memory whose elements are neighbours.
template <class S> struct litz_heads {
    const S *data;
    i64 batch_stride, head_stride, stride;
};
// Which keys a query attends: query i those from i + lower to i + upper, of the first `keys_of(batch, head)`, which are no more
// than there are. Without a bound, a query attends keys far beyond the first and the last.
template <class N> struct litz_band {
    i64 lower, upper;
    const N &keys_of;
    // The first key that a query from `first` on attends, and the end of those of queries up to `last`, of so many keys.
    __device__ __forceinline__ i64 begin(i64 first) const { return litz_greater(first + lower, (i64)0); }
    __device__ __forceinline__ i64 end(i64 last, i64 keys) const { return litz_lesser(last + upper + 1, keys); }
};
// What is below the least score is no score but a mask: as good as none beside any score, and equal to others where a query has nothing else.
// Times log2(e) a dtype's lowest number would be infinite, and what rounds away of a large one is itself an exponent.
LITZ_FN f32 litz_bounded(f32 x) { return x < (f32)LITZ_LEAST_SCORE && x > -(f32)LITZ_INFINITY ? (f32)LITZ_LEAST_SCORE : x; }
// The logarithm of a row's sum of exponentials, from its largest score and the sum of exponentials of what the others are below it; 0 of a row
// that attends nothing. The second form counts in powers of two.
template <class T> LITZ_FN T litz_log_sum(T most, T total) { return total == (T)0 ? (T)0 : most + l_log(total); }
LITZ_FN f32 litz_log_sum_of_powers(f32 most, f32 total) { return total == 0.0f ? 0.0f : (most + log2f(total)) * 0.69314718055994530942f; }
