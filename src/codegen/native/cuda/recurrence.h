// Litz CUDA recurrence: a recurrent cell over the steps of a sequence; stands after prelude.h.
//
//   litz_recurrence<CELL, T, BLOCKS, ROWS, KEPT, PROJECTS>(shape, gates, weight, bias, first, first_cell, projection, out, last,
//   last_cell, shared)
//
// BLOCKS neighbouring blocks (a cluster, where they are more than one) follow ROWS rows of the batch through all steps. Each of
// them owns `slice` of the hidden units: at each step it multiplies all rows' hidden values by its units' weights, applies the
// cell, and gives the new values to the others. Operands are functions of their coordinates; KEPT: a block's weights lie in
// its shared memory, otherwise they are read at every step.
//   Gates stand side by side in the order of PyTorch: LSTM input, forget, cell, output; GRU reset, update, new.
//   shared: see `Held` in templates/recurrence.rs.
#define LITZ_CELL_TANH 0
#define LITZ_CELL_RELU 1
#define LITZ_CELL_LSTM 2
#define LITZ_CELL_GRU 3

struct litz_recurrence_shape {
    i64 steps, batch;
    int hidden, projected;
    bool reverse;
};

template <int BLOCKS> LITZ_FN int litz_block_of_cluster() {
    int rank = 0;
#if __CUDA_ARCH__ >= 900
    if (BLOCKS > 1) asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
    return rank;
}
template <int BLOCKS> LITZ_FN void litz_cluster_barrier() {
#if __CUDA_ARCH__ >= 900
    if (BLOCKS > 1) {
        asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
        return;
    }
#endif
    __syncthreads();
}
#if __CUDA_ARCH__ >= 900
LITZ_FN void litz_store_shared(u32 place, f32 x) { asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(place), "f"(x) : "memory"); }
LITZ_FN void litz_store_shared(u32 place, f64 x) { asm volatile("st.shared::cluster.f64 [%0], %1;" ::"r"(place), "d"(x) : "memory"); }
#endif
// The same place in the shared memory of every block of the cluster.
template <int BLOCKS, class T> LITZ_FN void litz_give(T *place, T x) {
#if __CUDA_ARCH__ >= 900
    if (BLOCKS > 1) {
        const u32 own = (u32)__cvta_generic_to_shared(place);
        _Pragma("unroll") for (int b = 0; b < BLOCKS; b++) {
            u32 there;
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(b));
            litz_store_shared(there, x);
        }
        return;
    }
#endif
    *place = x;
}

template <class T> LITZ_FN T litz_rectified(T x) { return x < 0 ? (T)0 : x; }

// x: the input's part of the gates, g the hidden values' part, h the hidden value, c the cell's state. Gives the new value.
template <int CELL, class T> LITZ_FN T litz_recurrence_cell(const T *x, const T *g, T h, T &c) {
    if (CELL == LITZ_CELL_TANH) return l_tanh(x[0] + g[0]);
    if (CELL == LITZ_CELL_RELU) return litz_rectified(x[0] + g[0]);
    if (CELL == LITZ_CELL_LSTM) {
        c = l_sigmoid(x[1] + g[1]) * c + l_sigmoid(x[0] + g[0]) * l_tanh(x[2] + g[2]);
        return l_sigmoid(x[3] + g[3]) * l_tanh(c);
    }
    const T reset = l_sigmoid(x[0] + g[0]), update = l_sigmoid(x[1] + g[1]), fresh = l_tanh(x[2] + reset * g[2]);
    return (h - fresh) * update + fresh;
}

// to(r, n, sum over k < depth of rows[r * row + k] * weight(k, n)) for n < columns, by the warps of the block.
template <int ROWS, class T, class Weight, class To>
LITZ_FN void litz_recurrence_product(const T *rows, int row, int depth, int columns, const Weight &weight, const To &to) {
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
    for (int n = threadIdx.x / 32; n < columns; n += warps) {
        T sums[ROWS];
        _Pragma("unroll") for (int r = 0; r < ROWS; r++) sums[r] = 0;
        _Pragma("unroll 4") for (int k = lane; k < depth; k += 32) {
            const T w = weight(k, n);
            _Pragma("unroll") for (int r = 0; r < ROWS; r++) sums[r] += rows[r * row + k] * w;
        }
        _Pragma("unroll") for (int r = 0; r < ROWS; r++) {
            _Pragma("unroll") for (int step = 16; step > 0; step /= 2) sums[r] += litz_shuffle_xor(sums[r], step);
            if (lane == r) to(r, n, sums[r]);
        }
    }
}

template <int CELL, class T, int BLOCKS, int ROWS, bool KEPT, bool PROJECTS, class Gates, class Weight, class Bias, class First, class FirstCell, class Projection, class Out, class Last, class LastCell>
LITZ_FN void litz_recurrence(const litz_recurrence_shape &s, const Gates &gates, const Weight &weight, const Bias &bias, const First &first, const FirstCell &first_cell,
                             const Projection &projection, const Out &out, const Last &last, const LastCell &last_cell, void *shared) {
    enum { G = CELL == LITZ_CELL_LSTM ? 4 : CELL == LITZ_CELL_GRU ? 3 : 1 };
    const int hidden = s.hidden, width = s.projected;
    const int slice = (hidden + BLOCKS - 1) / BLOCKS, rank = litz_block_of_cluster<BLOCKS>(), unit = rank * slice;
    const int units = litz_greater(litz_lesser(slice, hidden - unit), 0);
    const int given = (width + BLOCKS - 1) / BLOCKS, place = rank * given, places = litz_greater(litz_lesser(given, width - place), 0);
    const i64 row0 = (i64)(blockIdx.x / BLOCKS) * ROWS;
    // Two generations of hidden values: the others may still read the one while the next is given.
    T *const h = (T *)shared, *const c = h + 2 * ROWS * width, *const sums = c + ROWS * slice, *const made = sums + G * ROWS * slice,
      *const kept = made + (PROJECTS ? ROWS * hidden : 0);
    // Rows beyond the batch are those of its last one again, and are not stored.
    const auto row_of = [&](int r) { return litz_lesser(row0 + r, s.batch - 1); };
    for (int i = threadIdx.x; i < ROWS * width; i += blockDim.x) h[i] = first(row_of(i / width), i % width);
    if (CELL == LITZ_CELL_LSTM)
        for (int i = threadIdx.x; i < ROWS * units; i += blockDim.x) c[i / units * slice + i % units] = first_cell(row_of(i / units), unit + i % units);
    // Column n of a block's weights: gate n / units of unit n % units.
    const auto column = [&](int n) { return n / units * hidden + unit + n % units; };
    if (KEPT)
        for (int n = threadIdx.x / 32; n < G * units; n += blockDim.x / 32)
            for (int k = threadIdx.x % 32; k < width; k += 32) kept[n * width + k] = weight(k, column(n));
    litz_cluster_barrier<BLOCKS>();
    for (i64 k = 0; k < s.steps; k++) {
        const i64 step = s.reverse ? s.steps - 1 - k : k;
        const T *const now = h + (k & 1) * ROWS * width;
        T *const next = h + ((k & 1) ^ 1) * ROWS * width;
        // A thread's first cell: its part of the input is on its way while the product is computed.
        T early[G];
        const int own = threadIdx.x;
        if (own < ROWS * units)
            _Pragma("unroll") for (int g = 0; g < G; g++) early[g] = gates(step, row_of(own / units), (i64)g * hidden + unit + own % units);
        const auto keep = [&](int r, int n, T x) { sums[n * ROWS + r] = x; };
        if (KEPT)
            litz_recurrence_product<ROWS, T>(now, width, width, G * units, [&](int q, int n) { return kept[n * width + q]; }, keep);
        else
            litz_recurrence_product<ROWS, T>(now, width, width, G * units, [&](int q, int n) { return weight(q, column(n)); }, keep);
        __syncthreads();
        for (int i = own; i < ROWS * units; i += blockDim.x) {
            const int r = i / units, j = i % units;
            T x[G], g[G], state = CELL == LITZ_CELL_LSTM ? c[r * slice + j] : (T)0;
            _Pragma("unroll") for (int q = 0; q < G; q++) {
                const i64 at = (i64)q * hidden + unit + j;
                x[q] = i == own ? early[q] : gates(step, row_of(r), at);
                g[q] = sums[(q * units + j) * ROWS + r] + bias(at);
            }
            const T value = litz_recurrence_cell<CELL, T>(x, g, CELL == LITZ_CELL_GRU ? now[r * width + unit + j] : (T)0, state);
            if (CELL == LITZ_CELL_LSTM) c[r * slice + j] = state;
            if (PROJECTS) {
                litz_give<BLOCKS>(made + r * hidden + unit + j, value);
            } else {
                litz_give<BLOCKS>(next + r * width + unit + j, value);
                if (row0 + r < s.batch) out(step, row0 + r, unit + j, value);
            }
        }
        if (PROJECTS) {
            litz_cluster_barrier<BLOCKS>();
            litz_recurrence_product<ROWS, T>(made, hidden, hidden, places, [&](int q, int n) { return projection(q, place + n); }, [&](int r, int n, T x) {
                litz_give<BLOCKS>(next + r * width + place + n, x);
                if (row0 + r < s.batch) out(step, row0 + r, place + n, x);
            });
        }
        litz_cluster_barrier<BLOCKS>();
    }
    const T *const end = h + (s.steps & 1) * ROWS * width;
    for (int i = threadIdx.x; i < ROWS * places; i += blockDim.x)
        if (row0 + i / places < s.batch) last(row0 + i / places, place + i % places, end[i / places * width + place + i % places]);
    if (CELL == LITZ_CELL_LSTM)
        for (int i = threadIdx.x; i < ROWS * units; i += blockDim.x)
            if (row0 + i / units < s.batch) last_cell(row0 + i / units, unit + i % units, c[i / units * slice + i % units]);
}
