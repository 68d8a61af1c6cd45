// Convolutions on Hopper's tensor cores: the products of wgmma.h, with what a convolution wants of them. Chunks of the image pass through the
// first-level cache (`near`), where several taps read them; several blocks share a multiprocessor, so that one computes while another
// waits; sums go from registers to the epilogue, eight neighbouring filters at a time.
LITZ_FN void litz_copy_chunk_near(u32 to, const void *from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(from ? 16 : 0));
}
// What a lane holds of a row is two columns of each eight; afterwards it has eight neighbours: those of the block that its place in the four
// lanes of the row names.
template <int n> LITZ_FN void litz_gather_eight(const f32 (&sums)[n], int first, f32 (&out)[8]) {
    const bool odd = threadIdx.x & 1, high = threadIdx.x & 2;
    f32 near[2][4];
    _Pragma("unroll") for (int p = 0; p < 2; p++) _Pragma("unroll") for (int c = 0; c < 2; c++) {
        const f32 a = sums[first + (p * 2) * 4 + c], b = sums[first + (p * 2 + 1) * 4 + c];
        const f32 other = __shfl_xor_sync(0xffffffff, odd ? a : b, 1);
        near[p][c] = odd ? other : a;
        near[p][2 + c] = odd ? b : other;
    }
    _Pragma("unroll") for (int c = 0; c < 4; c++) {
        const f32 other = __shfl_xor_sync(0xffffffff, high ? near[0][c] : near[1][c], 2);
        out[c] = high ? other : near[0][c];
        out[4 + c] = high ? near[1][c] : other;
    }
}
// A tile is finished in pieces of 16 rows by 32 columns a warp, of which one has eight sums of a thread. The blocks of a cluster that share a
// tile finish every `split`th, `rank` the first.
template <int high, int columns, int split, bool whole, class E>
LITZ_FN void litz_finish_tile(const litz_gemm_shape &s, const f32 (&sums)[high][columns / 2], u32 rank, i64 batch, i64 first_m, i64 first_n, E epilogue) {
    _Pragma("unroll") for (int h = 0; h < high; h++) _Pragma("unroll") for (int j = 0; j < columns / 32; j++) _Pragma("unroll") for (int half = 0; half < 2; half++) {
        if (split > 1 && (u32)((h * (columns / 32) + j) * 2 + half) % split != rank) continue;
        alignas(16) f32 out[8];
        litz_gather_eight(sums[h], j * 16 + half * 2, out);
        const i64 m = first_m + h * 64 + half * 8, n = first_n + j * 32;
        if (whole || m < s.m) _Pragma("unroll") for (int i = 0; i < 8; i += LITZ_LANES) if (whole || n + i < s.n) epilogue(batch, m, n + i, out + i);
    }
}
// Adds up the sums that the blocks of a cluster have of one tile, each its own pieces, through shared memory: pieces of other blocks are
// written there, and what others wrote of ours is added in the order of the blocks. Afterwards all must meet before one ends.
template <int high, int columns, int split, int threads> LITZ_FN void litz_share_sums(f32 (&sums)[high][columns / 2], u32 rank, u32 shared) {
    __syncthreads();
    _Pragma("unroll") for (int pass = 0; pass < 2; pass++) {
        _Pragma("unroll") for (int piece = 0; piece < high * columns / 16; piece++) {
            f32 (&own)[columns / 2] = sums[piece / (columns / 16)];
            const int first = piece / 2 % (columns / 32) * 16 + piece % 2 * 2;
            const bool mine = (u32)piece % split == rank;
            if (pass == 0 && !mine) _Pragma("unroll") for (int v = 0; v < 2; v++) {
                const u32 at = shared + ((piece * 2 + v) * threads + threadIdx.x) * 16;
                asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(at), "f"(own[first + v * 8]), "f"(own[first + v * 8 + 1]), "f"(own[first + v * 8 + 4]), "f"(own[first + v * 8 + 5]) : "memory");
            }
            if (pass == 1 && mine) _Pragma("unroll") for (int b = 1; b < split; b++) _Pragma("unroll") for (int v = 0; v < 2; v++) {
                f32 other[4];
                litz_load_of_block(other, shared + ((piece * 2 + v) * threads + threadIdx.x) * 16, b <= rank ? b - 1 : b);
                _Pragma("unroll") for (int i = 0; i < 4; i++) own[first + v * 8 + i / 2 * 4 + i % 2] += other[i];
            }
        }
        if (pass == 0) litz_cluster_meet();
    }
}

// Tiles of `groups` warpgroups with `high` times 64 rows each, by `columns`; `stages` steps in shared memory. The `split` blocks of a
// cluster have one tile, each a part of k.
template <class S, int groups, int high, int columns, int stages, int split, bool near, class L, class R, class E>
LITZ_FN void litz_convolve(const litz_gemm_shape &s, const L &left, const R &right, E epilogue) {
    extern __shared__ __align__(1024) char dynamic[];
    constexpr int threads = groups * 128, rows = groups * high * 64, left_chunks = rows * 8 / threads, right_chunks = columns * 8 / threads;
    constexpr int left_bytes = rows * 128, stage_bytes = left_bytes + columns * 128;
    static_assert(right_chunks > 0, "");
    const litz_tile tile = litz_tile_of<rows, columns>(s, blockIdx.x / split);
    const u32 shared = litz_shared_address(dynamic);
    const int group = threadIdx.x / 128, warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
    const int chunk = threadIdx.x % 8, first = threadIdx.x / 8;
    typename L::row_state left_rows[left_chunks];
    typename R::row_state right_rows[right_chunks];
    _Pragma("unroll") for (int i = 0; i < left_chunks; i++) left_rows[i] = left.row(tile.batch, tile.m + first + i * (threads / 8));
    _Pragma("unroll") for (int i = 0; i < right_chunks; i++) right_rows[i] = right.row(tile.batch, tile.n + first + i * (threads / 8));
    const u32 place = shared + first * 128 + (chunk ^ (first & 7)) * 16;
    f32 sums[high][columns / 2];
    const u32 rank = split > 1 ? litz_cluster_rank() : 0;
    const int all_steps = (int)((s.k + 63) / 64), part = (all_steps + split - 1) / split, first_step = rank * part;
    const int steps = all_steps - first_step < part ? all_steps - first_step : part;
    auto fetch = [&](int step) {
        if (step < steps) {
            const u32 at = place + step % stages * stage_bytes;
            const i64 k = (i64)(first_step + step) * 64 + chunk * 8;
            _Pragma("unroll") for (int i = 0; i < left_chunks; i++) {
                if (near) litz_copy_chunk_near(at + i * threads * 16, left.chunk(left_rows[i], k));
                else litz_copy_chunk(at + i * threads * 16, left.chunk(left_rows[i], k));
            }
            _Pragma("unroll") for (int i = 0; i < right_chunks; i++) litz_copy_chunk(at + left_bytes + i * threads * 16, right.chunk(right_rows[i], k));
        }
        litz_copy_commit();
    };
    _Pragma("unroll") for (int h = 0; h < high; h++) _Pragma("unroll") for (int i = 0; i < columns / 2; i++) sums[h][i] = 0;
    _Pragma("unroll") for (int step = 0; step < stages - 1; step++) fetch(step);
    for (int step = 0; step < steps; step++) {
        litz_copy_wait<stages - 2>();
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        litz_wgmma_wait<0>();
        // Behind this barrier the products of the step before are finished: their memory is filled again.
        __syncthreads();
        const u32 at = shared + step % stages * stage_bytes;
        LITZ_WGMMA_FENCE();
        _Pragma("unroll") for (int k = 0; k < 64; k += 16) _Pragma("unroll") for (int h = 0; h < high; h++) {
            const u64 a = litz_descriptor(at + (group * high + h) * 8192 + k * 2), b = litz_descriptor(at + left_bytes + k * 2);
            litz_wgmma<false, false>(sums[h], a, b, 1, S());
        }
        LITZ_WGMMA_COMMIT();
        fetch(step + stages - 1);
    }
    litz_wgmma_wait<0>();
    litz_copy_wait<0>();
    if (split > 1) litz_share_sums<high, columns, split, threads>(sums, rank, shared);
    const i64 first_m = tile.m + group * high * 64 + warp * 16 + lane / 4, first_n = tile.n + lane % 4 * 8;
    // A tile that is whole asks nothing, so that its loads need not wait for one another.
    const bool whole = tile.m + rows <= s.m && tile.n + columns <= s.n;
    if (whole) litz_finish_tile<high, columns, split, true>(s, sums, rank, tile.batch, first_m, first_n, epilogue);
    else litz_finish_tile<high, columns, split, false>(s, sums, rank, tile.batch, first_m, first_n, epilogue);
    if (split > 1) litz_cluster_meet();
}
