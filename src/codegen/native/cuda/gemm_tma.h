// Matrix products of half, bfloat and (as TF32, rounded on the way) f32 on Hopper (sm_90a): the copy engine brings tiles of both operands to
// shared memory, steps of 128 bytes of k, several in flight; one thread asks for them, and `groups` warpgroups multiply, each `blocks` times 64 rows by `columns`. They share a tile,
// or (`in_turn`) have one each, so that one's epilogue runs beside the other's products. The `down` * `across` blocks of a cluster work on
// neighbouring tiles; each brings a part of what they have in common to all of them. Blocks stay and take the next tile. Or the `split`
// blocks of a cluster have one tile, each a part of k; each then finishes a part of the tile with the sums of all.
//
// `left(to, barrier, mask, batch, inner, outer)` and `right` ask for a box: a step's k by the rows of a share, or, where an operand of
// halves is transposed, 64 rows by 64 k. `epilogue(batch, m, n, sums)` takes eight neighbouring n, LITZ_LANES at a time, and stores what
// comes of them. Or (`boxes`) it gives the halves that come of two neighbours, which pass through shared memory, 64 rows by 64
// columns in each of so many boxes of a warpgroup, and `result(from, batch, n, m)` has the copy engine store such a box; what lies beyond
// an edge is computed of what lies at it, and not stored. Where operands have been `exchanged`, rows here are the columns of the result:
// its pairs are of two neighbouring m, and boxes are turned on their way to shared memory.

static_assert(LITZ_TMA_BOX == 64 * LITZ_TMA_STEP, "a box has 64 rows, one for each step");
static_assert(LITZ_TMA_STEP == 128, "rows are permuted within 128 bytes");

// Exchanges pairs among the four threads that have a row's sums, so that each has eight neighbours; thread t those of columns 8 t of 32.
LITZ_FN void litz_gather_row(f32 (&v)[8]) {
    _Pragma("unroll") for (int bit = 1; bit < 4; bit *= 2) {
        const bool odd = threadIdx.x & bit;
        _Pragma("unroll") for (int c = 0; c < 4; c++) {
            if (c & bit) continue;
            _Pragma("unroll") for (int e = 0; e < 2; e++) {
                f32 &low = v[2 * c + e], &high = v[2 * (c + bit) + e];
                const f32 got = __shfl_xor_sync(0xffffffffu, odd ? low : high, bit);
                if (odd) low = got; else high = got;
            }
        }
    }
}

// The two halves of a register.
template <class T, class V> LITZ_FN u32 litz_pair(V v) {
    __align__(4) T pair[2];
    store(pair, v);
    return *(const u32 *)pair;
}

// The most of `whole`, at most `most`, that is a multiple of eight and divides it.
constexpr int litz_eights(int whole, int most) {
    int part = most / 8 * 8;
    while (whole % part) part -= 8;
    return part;
}

template <class S, int groups, int blocks, int columns, int stages, int down, int across, int split, int skew, int band, int boxes, bool in_turn, bool exchanged, bool left_transposed, bool right_transposed, class L, class R, class E, class W>
LITZ_FN void litz_tma_run(const litz_gemm_shape &s, const L &left, const R &right, E epilogue, const W &result) {
    extern __shared__ __align__(1024) char dynamic[];
    constexpr int rows = (in_turn ? 1 : groups) * blocks * 64, shared_by = down * across;
    static_assert(sizeof(S) == 2 || (!left_transposed && !right_transposed), "float32 is not transposed");
    static_assert(boxes || !exchanged, "rows are neighbours only where the copy engine turns them");
    static_assert(split == 1 || !boxes, "the sums of several blocks are stored as they are finished");
    static_assert(split == 1 || (shared_by == 1 && !in_turn), "a cluster shares a tile or what tiles have in common");
    constexpr int left_bytes = rows * LITZ_TMA_STEP, right_bytes = columns * LITZ_TMA_STEP, stage_bytes = left_bytes + right_bytes;
    __shared__ u64 barriers[2 * stages];
    const u32 shared = litz_shared_address(dynamic), full = litz_shared_address(barriers), empty = full + 8 * stages;
    // The same in all threads of a warp, which the compiler is to know.
    const int group = __shfl_sync(0xffffffffu, threadIdx.x / 128, 0);
    const u32 rank = shared_by * split > 1 ? litz_cluster_rank() : 0;
    constexpr int depth = LITZ_TMA_STEP / sizeof(S);
    const int all_steps = (int)((s.k + depth - 1) / depth), part = (all_steps + split - 1) / split, first_step = split > 1 ? rank * part : 0;
    const int steps = split > 1 ? litz_lesser(litz_greater(all_steps - first_step, 0), part) : all_steps;
    const int rank_m = split > 1 ? 0 : rank % down, rank_n = split > 1 ? 0 : rank / down;
    if (threadIdx.x == 0) {
        for (int i = 0; i < stages; i++) {
            litz_barrier_start(full + 8 * i, 1);
            litz_barrier_start(empty + 8 * i, (in_turn ? 1 : groups) * shared_by);
        }
        litz_barriers_started();
    }
    if (shared_by > 1) litz_cluster_meet(); else __syncthreads();
    const int tiles_m = (int)((s.m + rows * down - 1) / (rows * down)), tiles_n = (int)((s.n + columns * across - 1) / (columns * across));
    const i64 of_batch = (i64)tiles_m * tiles_n, tiles = s.batches * of_batch;
    const int first = blockIdx.x / (shared_by * split), stride = gridDim.x / (shared_by * split);
    // Clusters that work at a time have a part of the result about as high as wide, of `band` tiles down, and so the fewest rows of operands
    // to read between them. Bands are equally high; each begins at the columns where the one before it ended.
    const int bands = litz_greater(1, (tiles_m + band / 2) / band), band_height = (tiles_m + bands - 1) / bands;
    auto place = [&](i64 tile, i64 &batch, int &m, int &n) {
        batch = tile / of_batch;
        const int at = (int)(tile - batch * of_batch);
        const int of_band = at / (band_height * tiles_n), begin = of_band * band_height, height = litz_lesser(tiles_m - begin, band_height);
        const int within = at - of_band * band_height * tiles_n, across_band = within / height;
        m = ((begin + within % height) * down + rank_m) * rows;
        n = ((of_band & 1 ? tiles_n - 1 - across_band : across_band) * across + rank_n) * columns;
    };
    auto finish = [&](bool whole, i64 batch, i64 row, i64 column, const f32 *v) {
        _Pragma("unroll") for (int c = 0; c < 8; c += LITZ_LANES) if (whole || (row < s.m && column + c < s.n)) epilogue(batch, row, column + c, v + c);
    };
    // Sums of a tile in shared memory: rows of `columns`, their chunks of four permuted by the row.
    auto staged_at = [&](int row, int column) -> u32 { return shared + row * columns * 4 + (column / 4 ^ row & 7) * 16; };
    auto stage_row = [&](int row, int column, const f32 *v) {
        _Pragma("unroll") for (int half = 0; half < 2; half++)
            asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(staged_at(row, column + half * 4)), "f"(v[half * 4]), "f"(v[half * 4 + 1]), "f"(v[half * 4 + 2]), "f"(v[half * 4 + 3]) : "memory");
    };
    if (group == groups) {
        if (groups > 1) litz_registers_less<40>();
        if (threadIdx.x % 128 == 0) {
            int stage = 0;
            u32 phase = 0;
            // Each block brings its share of what the cluster's blocks have in common. Masks: the blocks with our rows, and those with our columns.
            constexpr int left_share = rows / across, right_share = litz_eights(columns, columns / down);
            const u16 left_mask = across > 1 ? (1 | 1 << down) << rank_m : 0, right_mask = down > 1 ? ((1 << down) - 1) << rank_n * down : 0;
            for (i64 at = first; at < tiles; at += stride) {
                i64 batch;
                int m, n;
                place(at, batch, m, n);
                for (int step = 0; step < steps; step++) {
                    const u32 to = shared + stage * stage_bytes, bar = full + 8 * stage;
                    const int k = (first_step + step) * depth;
                    litz_barrier_wait(empty + 8 * stage, phase ^ 1);
                    litz_barrier_expect(bar, stage_bytes);
                    if (left_transposed) {
                        _Pragma("unroll") for (int i = 0; i < rows / 64; i++)
                            if (i % across == rank_n) left(to + i * LITZ_TMA_BOX, bar, left_mask, batch, m + i * 64, k);
                    } else {
                        left(to + rank_n * left_share * LITZ_TMA_STEP, bar, left_mask, batch, k, m + rank_n * left_share);
                    }
                    if (right_transposed) {
                        _Pragma("unroll") for (int i = 0; i < columns / 64; i++)
                            if (i % down == rank_m) right(to + left_bytes + i * LITZ_TMA_BOX, bar, right_mask, batch, n + i * 64, k);
                    } else {
                        _Pragma("unroll") for (int i = 0; i < columns / right_share; i++)
                            if (i % down == rank_m) right(to + left_bytes + i * right_share * LITZ_TMA_STEP, bar, right_mask, batch, k, n + i * right_share);
                    }
                    if (++stage == stages) { stage = 0; phase ^= 1; }
                }
            }
        }
    } else {
        if (groups > 1) litz_registers_more<232>();
        const int warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
        f32 sums[blocks][columns / 2];
        const u32 own_left = litz_descriptor_low(shared + (in_turn ? 0 : group * blocks) * LITZ_TMA_BOX), all_right = litz_descriptor_low(shared + left_bytes);
        int stage = 0, box = 0;
        u32 phase = 0;
        auto advance = [&](int n) {
            stage += n;
            if (stage >= stages) { phase ^= stage / stages & 1; stage %= stages; }
        };
        auto release = [&](int stage) {
            const int t = threadIdx.x % 128;
            if (shared_by == 1) { if (t == 0) litz_barrier_arrive(empty + 8 * stage); }
            else if (t < shared_by) litz_barrier_arrive_at(empty + 8 * stage, t);
        };
        i64 at = first;
        if (in_turn && group) { at += stride; advance(steps); }
        for (; at < tiles; at += in_turn ? groups * stride : stride) {
            i64 batch;
            int m, n;
            place(at, batch, m, n);
            // In turn: the products of one group run beside the epilogue of the other.
            if (in_turn && at != first) litz_meet(1 + group, 256);
            // The first group runs ahead, so that its epilogue falls beside the products of the others.
            if (skew && group && at == first && steps) litz_meet(4, groups * 128);
            int previous = -1;
            _Pragma("unroll") for (int b = 0; b < blocks; b++) _Pragma("unroll") for (int i = 0; i < columns / 2; i++) sums[b][i] = 0;
            for (int step = 0; step < steps; step++) {
                litz_barrier_wait(full + 8 * stage, phase);
                const u32 left_rows = own_left + stage * (stage_bytes >> 4), right_rows = all_right + stage * (stage_bytes >> 4);
                LITZ_WGMMA_FENCE();
                _Pragma("unroll") for (int k = 0; k < 4; k++) {
                    _Pragma("unroll") for (int b = 0; b < blocks; b++) {
                        const u64 x = litz_descriptor_at(left_rows, b * LITZ_TMA_BOX + (left_transposed ? k * 2048 : k * 32));
                        const u64 y = litz_descriptor_at(right_rows, right_transposed ? k * 2048 : k * 32);
                        litz_wgmma<left_transposed, right_transposed>(sums[b], x, y, 1, S());
                    }
                }
                LITZ_WGMMA_COMMIT();
                litz_wgmma_wait<1>();
                if (previous >= 0) release(previous);
                previous = stage;
                if (++stage == stages) { stage = 0; phase ^= 1; }
                if (skew && !group && at == first && step == litz_lesser(skew, steps) - 1) litz_meet(4, groups * 128);
            }
            litz_wgmma_wait<0>();
            if (steps) release(previous);
            // The memory of the operands is about to hold sums.
            if (split > 1) litz_meet(3, groups * 128);
            if (in_turn) {
                if (at + stride < tiles) asm volatile("bar.arrive %0, 256;" ::"r"(1 + (group ^ 1)) : "memory");
                advance(steps);
            }
            const int first_row = m + (in_turn ? 0 : group * blocks) * 64;
            if constexpr (boxes > 0) {
                const int last_row = (int)s.m - 1, last_column = (int)s.n - 2;
                // Rows of a box have 128 bytes; where they are columns here there may be fewer of them.
                constexpr int wide = litz_eights(columns, 64);
                static_assert(exchanged || wide == 64, "boxes have rows of 64 columns");
                _Pragma("unroll") for (int b = 0; b < blocks; b++) _Pragma("unroll") for (int from = 0; from < columns; from += wide) {
                    const u32 to = shared + stages * stage_bytes + (group * boxes + box) * LITZ_TMA_BOX;
                    if (++box == boxes) box = 0;
                    if (threadIdx.x % 128 == 0) litz_store_wait<boxes - 1>();
                    litz_meet(5 + group, 128);
                    _Pragma("unroll") for (int j = 0; j < wide; j += 16) {
                        u32 pairs[4];
                        _Pragma("unroll") for (int q = 0; q < (j + 8 < wide ? 4 : 2); q++) {
                            const int row = litz_lesser(first_row + b * 64 + warp * 16 + q % 2 * 8 + lane / 4, last_row);
                            const int column = litz_lesser(n + from + j + q / 2 * 8 + lane % 4 * 2, last_column);
                            pairs[q] = epilogue(batch, exchanged ? column : row, exchanged ? row : column, &sums[b][(from + j) / 2 + q / 2 * 4 + q % 2 * 2]);
                        }
                        // Where lane's row of 16 bytes goes: of the matrix lane / 8 of the four, or of its transpose.
                        const int row = exchanged ? j + lane / 16 * 8 + lane % 8 : warp * 16 + lane % 16;
                        const int chunk = exchanged ? warp * 2 + lane / 8 % 2 : j / 8 + lane / 16;
                        const u32 at = to + row * 128 + (chunk ^ row & 7) * 16;
                        if (j + 8 < wide) litz_store_matrices<exchanged>(at, pairs); else litz_store_two_matrices<exchanged>(at, pairs[0], pairs[1]);
                    }
                    litz_shared_written();
                    litz_meet(5 + group, 128);
                    if (threadIdx.x % 128 == 0) {
                        const int row = first_row + b * 64, column = n + from;
                        result(to, batch, exchanged ? row : column, exchanged ? column : row);
                        litz_store_commit();
                    }
                }
            } else {
                auto write = [&](const f32 (&from)[blocks][columns / 2], bool whole, int b, int j, int h) {
                    const int within = ((in_turn ? 0 : group * blocks) + b) * 64 + warp * 16 + lane / 4;
                    __align__(16) f32 v[8];
                    _Pragma("unroll") for (int c = 0; c < 4; c++) { v[2 * c] = from[b][(j * 4 + c) * 4 + h * 2]; v[2 * c + 1] = from[b][(j * 4 + c) * 4 + h * 2 + 1]; }
                    litz_gather_row(v);
                    if (split > 1) stage_row(within + h * 8, j * 32 + lane % 4 * 8, v);
                    else finish(whole, batch, m + within + h * 8, n + j * 32 + lane % 4 * 8, v);
                };
                if (split > 1 || (first_row + blocks * 64 <= s.m && n + columns <= s.n)) {
                    // Without bounds in between, what one piece loads comes while others are computed, and what depends on columns alone is the
                    // same for all that follow one another.
                    _Pragma("unroll") for (int j = 0; j < columns / 32; j++)
                        _Pragma("unroll") for (int b = 0; b < blocks; b++)
                            _Pragma("unroll") for (int h = 0; h < 2; h++) write(sums, true, b, j, h);
                } else {
                    // Few tiles are at an edge: a loop over a copy spares the compiler as much text again.
                    f32 copy[blocks][columns / 2];
                    _Pragma("unroll") for (int b = 0; b < blocks; b++) _Pragma("unroll") for (int i = 0; i < columns / 2; i++) copy[b][i] = sums[b][i];
                    _Pragma("unroll 1") for (int i = 0; i < blocks * columns / 16; i++) write(copy, false, i / (columns / 16), i / 2 % (columns / 32), i % 2);
                }
            }
        }
    }
    if (split > 1) {
        // One tile a cluster: each block finishes rows of its own, with the sums that lie in all of them.
        litz_cluster_meet();
        if (group < groups && first < tiles) {
            i64 batch;
            int m, n;
            place(first, batch, m, n);
            constexpr int share = rows / split, chunks = columns / 8;
            for (int i = threadIdx.x; i < share * chunks; i += groups * 128) {
                const int row = rank * share + i / chunks, column = i % chunks * 8;
                __align__(16) f32 v[8] = {};
                _Pragma("unroll") for (int block = 0; block < split; block++) {
                    _Pragma("unroll") for (int half = 0; half < 2; half++) {
                        f32 w[4];
                        litz_load_of_block(w, staged_at(row, column + half * 4), block);
                        _Pragma("unroll") for (int c = 0; c < 4; c++) v[half * 4 + c] += w[c];
                    }
                }
                finish(false, batch, m + row, n + column, v);
            }
        }
    }
    // What the copy engine still reads stays.
    if (boxes && threadIdx.x % 128 == 0 && group < groups) litz_store_wait<0>();
    // Nobody leaves while others may still arrive at its barriers, or read its sums.
    if (shared_by * split > 1) litz_cluster_meet();
}
