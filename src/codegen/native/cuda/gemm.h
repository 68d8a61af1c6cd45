// Matrix products of any operands: tiles in shared memory, four by four sums for each thread, in ordinary arithmetic.
//
// `left(batch, m, k)` and `right(batch, n, k)` give elements; `epilogue(batch, m, n, sums)` gets one finished sum. A block computes a tile
// of 64 by 64; the whole grid is one dimension.
struct litz_gemm_shape { i64 batches, m, n, k; };

// Which tile a block has: neighbouring blocks share rows of eight tiles, whose operands then stay in the second-level cache.
struct litz_tile { i64 batch, m, n; };
template <int rows, int columns> LITZ_FN litz_tile litz_tile_of(const litz_gemm_shape &s, i64 block) {
    const i64 down = (s.m + rows - 1) / rows, across = (s.n + columns - 1) / columns, tiles = down * across;
    const i64 batch = block / tiles, at = block - batch * tiles;
    const i64 band = at / (8 * across), first = band * 8, height = litz_lesser(down - first, (i64)8);
    const i64 within = at - band * 8 * across;
    return {batch, (first + within % height) * rows, within / height * columns};
}

static_assert(LITZ_GEMM_SIDE == 4 * 16 && LITZ_GEMM_STEP == 16 && LITZ_GEMM_THREADS == 16 * 16, "threads stand 16 by 16 and have four by four sums");
template <class T, class L, class R, class E> LITZ_FN void litz_gemm_run(const litz_gemm_shape &s, L left, R right, E epilogue) {
    __shared__ T a[LITZ_GEMM_STEP][LITZ_GEMM_SIDE + 1], b[LITZ_GEMM_STEP][LITZ_GEMM_SIDE + 1];
    const litz_tile tile = litz_tile_of<LITZ_GEMM_SIDE, LITZ_GEMM_SIDE>(s, blockIdx.x);
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    // Long sums are sums of parts, so that what each addition rounds away stays small.
    constexpr int depths_of_a_part = 128;
    T sums[4][4] = {}, part[4][4] = {};
    for (i64 k = 0; k < s.k; k += LITZ_GEMM_STEP) {
        _Pragma("unroll") for (int n = 0; n < LITZ_GEMM_SIDE * LITZ_GEMM_STEP / LITZ_GEMM_THREADS; n++) {
            const int depth = x, row = y + 16 * n;
            const bool inside = k + depth < s.k;
            a[depth][row] = inside && tile.m + row < s.m ? left(tile.batch, tile.m + row, k + depth) : (T)0;
            b[depth][row] = inside && tile.n + row < s.n ? right(tile.batch, tile.n + row, k + depth) : (T)0;
        }
        __syncthreads();
        _Pragma("unroll") for (int depth = 0; depth < LITZ_GEMM_STEP; depth++) {
            T av[4], bv[4];
            _Pragma("unroll") for (int i = 0; i < 4; i++) av[i] = a[depth][y + 16 * i];
            _Pragma("unroll") for (int j = 0; j < 4; j++) bv[j] = b[depth][x + 16 * j];
            _Pragma("unroll") for (int i = 0; i < 4; i++) _Pragma("unroll") for (int j = 0; j < 4; j++) part[i][j] = add(part[i][j], mul(av[i], bv[j]));
        }
        if ((k + LITZ_GEMM_STEP) % depths_of_a_part == 0 || k + LITZ_GEMM_STEP >= s.k) {
            _Pragma("unroll") for (int i = 0; i < 4; i++) _Pragma("unroll") for (int j = 0; j < 4; j++) {
                sums[i][j] = add(sums[i][j], part[i][j]);
                part[i][j] = 0;
            }
        }
        __syncthreads();
    }
    _Pragma("unroll") for (int i = 0; i < 4; i++) _Pragma("unroll") for (int j = 0; j < 4; j++) {
        const i64 m = tile.m + y + 16 * i, n = tile.n + x + 16 * j;
        if (m < s.m && n < s.n) epilogue(tile.batch, m, n, &sums[i][j]);
    }
}
