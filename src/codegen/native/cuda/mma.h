// Matrix products of half and bfloat on tensor cores (mma, sm_80 and later), summed in float32.
//
// Operands come in chunks of eight elements, 16 bytes: `left.row(batch, m)` gives what is known of a row once, `left.chunk(row, k)` the
// address of its elements k..k+7, or null for zeros (a row or a k beyond the end, the padding of a convolution). Where an operand is
// stored the other way (`transposed`), rows are k and chunks are eight neighbouring m (or n). Chunks travel to shared memory
// asynchronously, several steps ahead; there a row has 64 elements, 128 bytes, whose chunks are permuted by the row, so that neither the
// copies nor ldmatrix meet bank conflicts (64 rows of k make a block of 8192 bytes where an operand is transposed). The sums pass through shared memory to `epilogue(batch, m, n, sums)`, eight neighbouring n at a time.
static_assert(LITZ_MMA_DEPTH * 2 == 128, "a row of a step is what the chunks are permuted in");

LITZ_FN void litz_copy_chunk(u32 to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(from ? 16 : 0));
}
LITZ_FN void litz_copy_commit() { asm volatile("cp.async.commit_group;"); }
template <int n> LITZ_FN void litz_copy_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(n)); }
LITZ_FN void litz_load_matrices(u32 (&r)[4], u32 address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address));
}
LITZ_FN void litz_load_matrices_transposed(u32 (&r)[4], u32 address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address));
}
LITZ_FN void litz_mma(f32 (&c)[4], const u32 (&a)[4], u32 b0, u32 b1, bfloat) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
LITZ_FN void litz_mma(f32 (&c)[4], const u32 (&a)[4], u32 b0, u32 b1, half) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Rows wherever they lie, their elements of k neighbours: `at(batch, row)` is where one begins.
template <class S, class F> struct litz_rows {
    const S *data;
    F at;
    i64 rows, depth;
    typedef const S *row_state;
    __device__ __forceinline__ row_state row(i64 batch, i64 row) const { return row < rows ? data + at(batch, row) : nullptr; }
    __device__ __forceinline__ const S *chunk(row_state row, i64 k) const { return row && k < depth ? row + k : nullptr; }
    __device__ __forceinline__ const S *across(i64, i64, i64) const { return nullptr; }
};
// The transposed form: rows are neighbours, `stride` from one k to the next.
template <class S> struct litz_matrix {
    const S *data;
    i64 batch_stride, stride, rows, depth;
    typedef int row_state;
    __device__ __forceinline__ row_state row(i64, i64) const { return 0; }
    __device__ __forceinline__ const S *chunk(row_state, i64) const { return nullptr; }
    __device__ __forceinline__ const S *across(i64 batch, i64 row, i64 k) const {
        return row < rows && k < depth ? data + batch * batch_stride + k * stride + row : nullptr;
    }
};

// Brings an operand's part of a tile to shared memory: `count` rows of 64 elements of k, or 64 rows of k of `count` elements.
template <class O, bool transposed, int count, int threads> struct litz_mma_loader {
    static constexpr int chunks = count * LITZ_MMA_DEPTH / 8 / threads;
    static constexpr int across = count / 8;
    typename O::row_state rows[transposed ? 1 : chunks];
    i64 batch, first;
    __device__ __forceinline__ void start(const O &o, i64 b, i64 at) {
        batch = b;
        first = at;
        if (!transposed) {
            _Pragma("unroll") for (int i = 0; i < chunks; i++) rows[i] = o.row(b, at + (threadIdx.x + i * threads) / 8);
        }
    }
    __device__ __forceinline__ void load(const O &o, u32 shared, i64 k) const {
        _Pragma("unroll") for (int i = 0; i < chunks; i++) {
            const int n = threadIdx.x + i * threads;
            if (transposed) {
                const int row = n / across, chunk = n % across;
                litz_copy_chunk(shared + chunk / 8 * 8192 + row * 128 + (chunk % 8 ^ (row & 7)) * 16, o.across(batch, first + chunk * 8, k + row));
            } else {
                const int row = n / 8, chunk = n % 8;
                litz_copy_chunk(shared + row * LITZ_MMA_DEPTH * 2 + (chunk ^ (row & 7)) * 16, o.chunk(rows[i], k + chunk * 8));
            }
        }
    }
};

// The address that a lane gives ldmatrix for a block of 16 rows and 16 k: four 8 by 8 matrices in the order that mma wants.
template <bool transposed> LITZ_FN u32 litz_block_address(u32 shared, int row, int k, bool right) {
    const int lane = threadIdx.x % 32;
    // Matrices of A: rows, rows + 8, then the same at k + 8; of B: k, k + 8, then the same at rows + 8.
    const int second = right ? lane / 16 : lane / 8 % 2, deep = right ? lane / 8 % 2 : lane / 16;
    if (transposed) {
        const int depth = k + deep * 8 + lane % 8, at = row / 8 + second;
        return shared + at / 8 * 8192 + depth * 128 + (at % 8 ^ (depth & 7)) * 16;
    }
    const int at = row + second * 8 + lane % 8, chunk = k / 8 + deep;
    return shared + at * LITZ_MMA_DEPTH * 2 + (chunk ^ (at & 7)) * 16;
}

// Both operands' parts of a tile, `stages` steps of k in shared memory.
template <class L, class R, bool left_transposed, bool right_transposed, int rows, int columns, int threads, int stages> struct litz_mma_tiles {
    static constexpr int left_bytes = rows * LITZ_MMA_DEPTH * 2, stage_bytes = left_bytes + columns * LITZ_MMA_DEPTH * 2;
    const L &left;
    const R &right;
    const u32 shared;
    const int steps;
    litz_mma_loader<L, left_transposed, rows, threads> left_loader;
    litz_mma_loader<R, right_transposed, columns, threads> right_loader;
    __device__ __forceinline__ litz_mma_tiles(const litz_gemm_shape &s, const litz_tile &tile, const L &l, const R &r, void *dynamic)
        : left(l), right(r), shared(litz_shared_address(dynamic)), steps((int)((s.k + LITZ_MMA_DEPTH - 1) / LITZ_MMA_DEPTH)) {
        left_loader.start(left, tile.batch, tile.m);
        right_loader.start(right, tile.batch, tile.n);
    }
    __device__ __forceinline__ u32 place(int step) const { return shared + step % stages * stage_bytes; }
    // Steps beyond the last are empty groups, so that the count of groups in flight stays.
    __device__ __forceinline__ void fetch(int step) const {
        if (step < steps) {
            left_loader.load(left, place(step), (i64)step * LITZ_MMA_DEPTH);
            right_loader.load(right, place(step) + left_bytes, (i64)step * LITZ_MMA_DEPTH);
        }
        litz_copy_commit();
    }
};

// A tile's sums in shared memory, on their way from the registers of the instruction to rows.
template <int rows, int columns, int threads> struct litz_mma_sums {
    static constexpr int pitch = columns + LITZ_SUMS_PAD;
    f32 *const staged;
    // Four of a lane: two neighbouring columns, and those 8 rows further.
    __device__ __forceinline__ void put(int row, int column, const f32 *sums) const {
        _Pragma("unroll") for (int c = 0; c < 4; c++) staged[(row + c / 2 * 8) * pitch + column + c % 2] = sums[c];
    }
    template <class E> __device__ __forceinline__ void give(const litz_gemm_shape &s, const litz_tile &tile, const E &epilogue) const {
        for (int n = threadIdx.x; n < rows * columns / LITZ_LANES; n += threads) {
            const int row = n / (columns / LITZ_LANES), column = n % (columns / LITZ_LANES) * LITZ_LANES;
            const i64 m = tile.m + row, at = tile.n + column;
            if (m < s.m && at < s.n) epilogue(tile.batch, m, at, staged + row * pitch + column);
        }
    }
};

// Tiles of `rows` by `columns`, `down` by `across` warps; `stages` steps in flight.
template <class S, int rows, int columns, int down, int across, int stages, bool left_transposed, bool right_transposed, class L, class R, class E>
LITZ_FN void litz_mma_run(const litz_gemm_shape &s, const L &left, const R &right, E epilogue) {
    extern __shared__ __align__(128) char dynamic[];
    constexpr int threads = down * across * 32, warp_rows = rows / down, warp_columns = columns / across;
    constexpr int blocks_m = warp_rows / 16, blocks_n = warp_columns / 8;
    const litz_tile tile = litz_tile_of<rows, columns>(s, blockIdx.x);
    const litz_mma_tiles<L, R, left_transposed, right_transposed, rows, columns, threads, stages> tiles(s, tile, left, right, dynamic);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int warp_m = warp / across * warp_rows, warp_n = warp % across * warp_columns;
    f32 sums[blocks_m][blocks_n][4];
    _Pragma("unroll") for (int i = 0; i < blocks_m; i++) _Pragma("unroll") for (int j = 0; j < blocks_n; j++) _Pragma("unroll") for (int c = 0; c < 4; c++) sums[i][j][c] = 0;
    _Pragma("unroll") for (int step = 0; step < stages - 1; step++) tiles.fetch(step);
    for (int step = 0; step < tiles.steps; step++) {
        litz_copy_wait<stages - 2>();
        __syncthreads();
        tiles.fetch(step + stages - 1);
        const u32 at = tiles.place(step);
        _Pragma("unroll") for (int k = 0; k < LITZ_MMA_DEPTH; k += 16) {
            u32 a[blocks_m][4], b[blocks_n / 2][4];
            _Pragma("unroll") for (int i = 0; i < blocks_m; i++) {
                const u32 address = litz_block_address<left_transposed>(at, warp_m + i * 16, k, false);
                if (left_transposed) litz_load_matrices_transposed(a[i], address);
                else litz_load_matrices(a[i], address);
            }
            _Pragma("unroll") for (int j = 0; j < blocks_n / 2; j++) {
                const u32 address = litz_block_address<right_transposed>(at + tiles.left_bytes, warp_n + j * 16, k, true);
                if (right_transposed) litz_load_matrices_transposed(b[j], address);
                else litz_load_matrices(b[j], address);
            }
            _Pragma("unroll") for (int i = 0; i < blocks_m; i++) _Pragma("unroll") for (int j = 0; j < blocks_n; j++)
                litz_mma(sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1], S());
        }
    }
    litz_copy_wait<0>();
    __syncthreads();
    const litz_mma_sums<rows, columns, threads> staged = {(f32 *)dynamic};
    _Pragma("unroll") for (int i = 0; i < blocks_m; i++) _Pragma("unroll") for (int j = 0; j < blocks_n; j++)
        staged.put(warp_m + i * 16 + lane / 4, warp_n + j * 8 + lane % 4 * 2, sums[i][j]);
    __syncthreads();
    staged.give(s, tile, epilogue);
}
