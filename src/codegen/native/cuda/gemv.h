// Products of few rows with a matrix that is read once, as fast as memory gives it: `count` rows of `thin` (or columns, where `swapped`
// says that the product's sides are exchanged) with all of `wide`. Summed in float32; LITZ_LANES elements are 16 bytes. Operands as mma.h
// has them.

template <int n> struct litz_number { static constexpr int value = n; };
// The sums of a block, `groups` partial ones of each result, which lie `results` apart; every thread finishes results of its own.
template <int count, bool swapped, class E> LITZ_FN void litz_gemv_finish(const f32 *partial, int groups, int width, i64 batch, i64 first, i64 n, E epilogue) {
    __syncthreads();
    for (int i = threadIdx.x; i < count * width; i += blockDim.x) {
        f32 sum = 0;
        for (int g = 0; g < groups; g++) sum += partial[g * count * width + i];
        const i64 m = i / width, at = first + i % width;
        if (at < n) epilogue(batch, swapped ? at : m, swapped ? m : at, &sum);
    }
}

// Rows of `wide` are neighbours in k: `rows` of them for each `split` warps, which share k.
template <class S, int count, int rows, int split, int unrolled, bool swapped, class T, class W, class E>
LITZ_FN void litz_gemv_rows(const litz_gemm_shape &s, const T &thin, const W &wide, E epilogue) {
    constexpr int warps = LITZ_GEMV_WARPS, sets = warps / split, width = sets * rows;
    __shared__ f32 partial[split * count * width];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, part = warp % split, set = warp / split;
    const i64 n = swapped ? s.m : s.n, blocks = (n + width - 1) / width, batch = blockIdx.x / blocks, first = blockIdx.x % blocks * width;
    const S *w[rows], *x[count];
    _Pragma("unroll") for (int r = 0; r < rows; r++) w[r] = wide.row(batch, litz_lesser(first + set * rows + r, n - 1));
    _Pragma("unroll") for (int m = 0; m < count; m++) x[m] = thin.row(batch, m);
    f32 sums[count][rows] = {};
    constexpr int stride = split * 32 * LITZ_LANES;
    auto step = [&](i64 k, auto width) {
        constexpr int u = decltype(width)::value;
        vec<f32> b[u][rows];
        _Pragma("unroll") for (int i = 0; i < u; i++) _Pragma("unroll") for (int r = 0; r < rows; r++) b[i][r] = load(w[r] + k + i * stride);
        _Pragma("unroll") for (int i = 0; i < u; i++) _Pragma("unroll") for (int m = 0; m < count; m++) {
            const vec<f32> a = load(x[m] + k + i * stride);
            _Pragma("unroll") for (int r = 0; r < rows; r++) _Pragma("unroll") for (int c = 0; c < LITZ_LANES; c++) sums[m][r] = __fmaf_rn(a.v[c], b[i][r].v[c], sums[m][r]);
        }
    };
    i64 k = (part * 32 + lane) * LITZ_LANES;
    for (; k + (unrolled - 1) * stride < s.k; k += unrolled * stride) step(k, litz_number<unrolled>());
    for (; k < s.k; k += stride) step(k, litz_number<1>());
    _Pragma("unroll") for (int m = 0; m < count; m++) _Pragma("unroll") for (int r = 0; r < rows; r++) {
        _Pragma("unroll") for (int d = 16; d; d /= 2) sums[m][r] += __shfl_xor_sync(0xffffffffu, sums[m][r], d);
        if (lane == 0) partial[(part * count + m) * width + set * rows + r] = sums[m][r];
    }
    litz_gemv_finish<count, swapped>(partial, split, width, batch, first, n, epilogue);
}

// Elements of `wide` are neighbours in n: `across` threads for LITZ_LANES of them each, the others of the block share k.
template <class S, int count, int across, int threads, int unrolled, bool swapped, class T, class W, class E>
LITZ_FN void litz_gemv_columns(const litz_gemm_shape &s, const T &thin, const W &wide, E epilogue) {
    constexpr int width = across * LITZ_LANES, deep = threads / across, warps = threads / 32;
    static_assert(across <= 32, "the threads of a level are of one warp");
    __shared__ f32 partial[warps * count * width];
    const int column = threadIdx.x % across, level = threadIdx.x / across, lane = threadIdx.x % 32;
    const i64 n = swapped ? s.m : s.n, blocks = (n + width - 1) / width, batch = blockIdx.x / blocks, first = blockIdx.x % blocks * width;
    const i64 at = litz_lesser(first + column * LITZ_LANES, n - LITZ_LANES);
    const S *x[count];
    _Pragma("unroll") for (int m = 0; m < count; m++) x[m] = thin.row(batch, m);
    vec<f32> sums[count];
    _Pragma("unroll") for (int m = 0; m < count; m++) sums[m] = splat(0.0f);
    auto step = [&](i64 k, auto number) {
        constexpr int u = decltype(number)::value;
        vec<f32> b[u];
        _Pragma("unroll") for (int i = 0; i < u; i++) b[i] = load(wide.across(batch, at, k + i * deep));
        _Pragma("unroll") for (int i = 0; i < u; i++) _Pragma("unroll") for (int m = 0; m < count; m++) {
            const f32 a = load_scalar(x[m] + k + i * deep);
            _Pragma("unroll") for (int c = 0; c < LITZ_LANES; c++) sums[m].v[c] = __fmaf_rn(a, b[i].v[c], sums[m].v[c]);
        }
    };
    i64 k = level;
    for (; k + (unrolled - 1) * deep < s.k; k += unrolled * deep) step(k, litz_number<unrolled>());
    for (; k < s.k; k += deep) step(k, litz_number<1>());
    _Pragma("unroll") for (int m = 0; m < count; m++) _Pragma("unroll") for (int c = 0; c < LITZ_LANES; c++) {
        _Pragma("unroll") for (int d = across; d < 32; d *= 2) sums[m].v[c] += __shfl_xor_sync(0xffffffffu, sums[m].v[c], d);
        if (lane < across) partial[(threadIdx.x / 32 * count + m) * width + column * LITZ_LANES + c] = sums[m].v[c];
    }
    litz_gemv_finish<count, swapped>(partial, warps, width, batch, first, n, epilogue);
}
