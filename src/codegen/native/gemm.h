// Litz matrix products; stands after prelude.h and tile.h (with LITZ_USE_TILE_F32 or LITZ_USE_TILE_F64 before tile.h for those types).
// LITZ_USE_TILE_WATCHED: some product is watched. LITZ_USE_TILE_THIN: some product of few rows reads B where it lies.
//
//   litz_gemm_run<T, litz_gemm_traits<WHOLE, FEW, WATCHED>>(shape, a, b, epilogue, begin, end, scratch)
//     For each batch: C[m, n] = sum over k of A[m, k] B[k, n], computed in T (f32, f64, i32 or i64), for the tasks begin..end.
//     A task is one block of C of one batch; there are litz_gemm_task_count(shape). Tasks may run on any thread in any order.
//     When a block has all its sums, `epilogue(batch, m, n_begin, n_count, T *sums)` is called once for each of its rows, while the
//     block is in L2. `sums` may be overwritten, and may be read (not trusted) up to the next multiple of a vector beyond n_count.
//     k = 0 gives zeros. WHOLE: m_block, where it is known that m is no less, otherwise 0. FEW: bit n is set if a block
//     may have n rows, n up to LITZ_THIN_DOTS. WATCHED: products of f32 keep off subnormal factors.
//   litz_gemm_shape{batch, m, n, k, m_block, n_block, k_block, a_copied, b_copied}: sizes in elements. n_block is a multiple of
//     LITZ_TILE_COLUMNS(T); the blocks are at most LITZ_GEMM_ROWS, LITZ_GEMM_COLUMN_BYTES / sizeof(T) and LITZ_GEMM_DEPTH; k_block is how much of k is
//     computed at a time. a_copied, b_copied: whether any task needs the operand copied; if not,
//     no room is kept for it, and a source that copies all the same faults.
//   scratch: litz_gemm_scratch(shape, sizeof(T)) bytes for one thread, 64-byte aligned,
//     contents of no meaning before and after.
//
// Sources of A, `litz_rows<T> rows(batch, m, m_count, k, k_count, T *space)`: rows of k_count unit-stride elements.
//   litz_a_matrix<T, S>{p, batch_stride, row_stride, k_stride}: memory of type S (T, or half or bfloat for f32), strides in elements;
//     read in place where it can be, else copied and converted block by block.
//   litz_a_function<T, F>{f}: f(batch, m, k_begin, k_count, T *row) computes a piece of a row (a fused prologue). It is called once for each
//     block of columns: cheap functions only.
// Sources of B, `litz_rows<T> panel(batch, n, n_count, k, k_count, rows_of_a, T *space)`: k_count rows of LITZ_TILE_COLUMNS(T) elements.
//   litz_b_packed<T>{p, batch_stride, k}: packed before; batch_stride in elements, litz_packed_size(k, n, sizeof(T)) or 0 to share.
//   litz_b_packed<f32, S>{…}: the same with panels of half or bfloat, widened panel by panel within each task.
//   litz_b_matrix<T, S>{p, batch_stride, k_stride, n_stride}: memory, packed panel by panel within each task.
//   litz_b_function<T, F>{f}: f(batch, k, n_begin, n_count, T *row) computes a piece of a row of B.
//
// Packed form of B: panels of NR = LITZ_TILE_COLUMNS(T) columns; panel p holds k rows of NR elements, columns beyond n are zero.
//   litz_packed_size(k, n, sizeof(T)) elements. litz_pack_b(dst, source, batch, k, n, begin, end): dst as above from any other source;
//   one task per panel and batch: litz_pack_task_count(batch, n, sizeof(T)).
#ifndef LITZ_GEMM_H
#define LITZ_GEMM_H

static_assert(LITZ_GEMM_ROWS % LITZ_TILE_ROWS == 0 && LITZ_GEMM_COLUMN_BYTES % LITZ_PANEL_BYTES == 0, "blocks are made of whole tiles");
static_assert(LITZ_GEMM_PAD * 4 == 64, "rows of a block of A begin at lines of 64 bytes");

struct litz_gemm_shape {
    i64 batch, m, n, k, m_block, n_block, k_block = LITZ_GEMM_DEPTH;
    bool a_copied = true, b_copied = true;
};

LITZ_FN i64 litz_min(i64 a, i64 b) { return a < b ? a : b; }
LITZ_FN i64 litz_max(i64 a, i64 b) { return a > b ? a : b; }
LITZ_FN i64 litz_blocks(i64 n, i64 block) { return (n + block - 1) / block; }
LITZ_FN i64 litz_packed_size(i64 k, i64 n, i64 element) { i64 columns = LITZ_PANEL_BYTES / element; return litz_blocks(n, columns) * columns * k; }
LITZ_FN i64 litz_pack_task_count(i64 batch, i64 n, i64 element) { return batch * litz_blocks(n, LITZ_PANEL_BYTES / element); }
LITZ_FN i64 litz_gemm_task_count(const litz_gemm_shape &g) { return g.batch * litz_blocks(g.m, g.m_block) * litz_blocks(g.n, g.n_block); }

// Rows of a block of A that is copied lie this many elements apart: lines of 64 bytes, and never a power of two apart.
LITZ_FN i64 litz_a_stride(i64 k_count) { return litz_blocks(k_count, LITZ_GEMM_PAD) * LITZ_GEMM_PAD + LITZ_GEMM_PAD; }
// How much of k is computed at a time.
LITZ_FN i64 litz_gemm_depth(i64 k) { return litz_blocks(k, litz_max(1, litz_blocks(k, LITZ_GEMM_DEPTH))); }
// How far rows of a block of sums lie apart: wide ones never a power of two.
LITZ_FN i64 litz_c_stride(i64 n_block) { return n_block + (n_block < LITZ_GEMM_WIDE ? 0 : LITZ_GEMM_PAD); }
// Elements of a block of A and of a panel of B that are copied; a block of C follows them.
LITZ_FN i64 litz_gemm_a_room(const litz_gemm_shape &g) { return g.a_copied ? g.m_block * litz_a_stride(g.k_block) : 0; }
LITZ_FN i64 litz_gemm_b_room(const litz_gemm_shape &g, i64 element) { return g.b_copied ? g.k_block * (LITZ_PANEL_BYTES / element) : 0; }
LITZ_FN i64 litz_gemm_scratch(const litz_gemm_shape &g, i64 element) {
    return (litz_gemm_a_room(g) + litz_gemm_b_room(g, element) + g.m_block * litz_c_stride(g.n_block)) * element;
}

// What is known of a product when its kernel is compiled. Ways to run a block that it never takes are not compiled.
template <i64 WHOLE, unsigned FEW, bool WATCHED> struct litz_gemm_traits {
    static constexpr i64 whole = WHOLE;
    static constexpr bool watched = WATCHED;
    static constexpr bool has(int rows) { return FEW >> rows & 1; }
};

// Rows in memory: the stride is in bytes. `next` is what will be wanted after these rows.
template <class T> struct litz_rows { const T *data; i64 stride; const void *next; };

// dst[r, c] = src[r * row_stride + c * column_stride], converted to T; one of the strides should be 1. dst_stride in elements.
template <class T, class S> LITZ_MATH void litz_copy_block(T *dst, i64 dst_stride, const S *src, i64 rows, i64 columns, i64 row_stride, i64 column_stride) {
    if (column_stride == 1) {
        for (i64 r = 0; r < rows; r++, dst += dst_stride, src += row_stride) {
            i64 c = 0;
            for (; c + LITZ_LANES <= columns; c += LITZ_LANES) store(dst + c, load(src + c));
            if (c < columns) store_tail(dst + c, load_tail(src + c, columns - c), columns - c);
        }
        return;
    }
    // Down each column by blocks of 16 rows: 16 destination lines stay in L1 while the columns of a block are read.
    for (i64 r0 = 0; r0 < rows; r0 += 16) {
        i64 r1 = litz_min(rows, r0 + 16);
        for (i64 c = 0; c < columns; c++)
            for (i64 r = r0; r < r1; r++) dst[r * dst_stride + c] = load_scalar(src + r * row_stride + c * column_stride);
    }
}
// The same for f32 from f32 with row_stride 1: 4 x 4 blocks are turned in registers.
LITZ_NOINLINE void litz_transpose_f32(f32 *dst, i64 dst_stride, const f32 *src, i64 rows, i64 columns, i64 column_stride) {
    typedef f32 quad __attribute__((vector_size(16), aligned(4), may_alias));
    typedef i32 quad_index __attribute__((vector_size(16)));
    (void)sizeof(quad_index);
    i64 r = 0;
    for (; r + 4 <= rows; r += 4) {
        i64 c = 0;
        for (; c + 4 <= columns; c += 4) {
            const f32 *s = src + r + c * column_stride;
            quad a = *(const quad *)s, b = *(const quad *)(s + column_stride), x = *(const quad *)(s + 2 * column_stride), y = *(const quad *)(s + 3 * column_stride);
#if defined(__clang__) || __GNUC__ >= 12
#define LITZ_MIX(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define LITZ_MIX(a, b, i, j, k, l) __builtin_shuffle(a, b, (quad_index){i, j, k, l})
#endif
            quad ab0 = LITZ_MIX(a, b, 0, 4, 1, 5), ab1 = LITZ_MIX(a, b, 2, 6, 3, 7), xy0 = LITZ_MIX(x, y, 0, 4, 1, 5), xy1 = LITZ_MIX(x, y, 2, 6, 3, 7);
            f32 *d = dst + r * dst_stride + c;
            *(quad *)d = LITZ_MIX(ab0, xy0, 0, 1, 4, 5);
            *(quad *)(d + dst_stride) = LITZ_MIX(ab0, xy0, 2, 3, 6, 7);
            *(quad *)(d + 2 * dst_stride) = LITZ_MIX(ab1, xy1, 0, 1, 4, 5);
            *(quad *)(d + 3 * dst_stride) = LITZ_MIX(ab1, xy1, 2, 3, 6, 7);
        }
        for (; c < columns; c++)
            for (i64 i = r; i < r + 4; i++) dst[i * dst_stride + c] = src[i + c * column_stride];
    }
    for (; r < rows; r++)
        for (i64 c = 0; c < columns; c++) dst[r * dst_stride + c] = src[r + c * column_stride];
}
LITZ_FN void litz_copy_block(f32 *dst, i64 dst_stride, const f32 *src, i64 rows, i64 columns, i64 row_stride, i64 column_stride) {
    if (row_stride == 1 && column_stride != 1) litz_transpose_f32(dst, dst_stride, src, rows, columns, column_stride);
    else litz_copy_block<f32, f32>(dst, dst_stride, src, rows, columns, row_stride, column_stride);
}

// The memory itself where it already has the type computed in.
template <class T, class S> struct litz_place { static constexpr bool same = false; static const T *of(const S *) { return nullptr; } };
template <class T> struct litz_place<T, T> { static constexpr bool same = true; static const T *of(const T *p) { return p; } };

template <class T, class S> struct litz_a_matrix {
    const S *p;
    i64 batch_stride, row_stride, k_stride;
    // Rows a multiple of LITZ_SET_BYTES apart fall into few cache sets, so they are copied unless there are few of them.
    LITZ_FN litz_rows<T> make(const S *from, i64 rows, i64 row_stride, i64 k_stride, i64 k_count, T *space) {
        const T *in_place = litz_place<T, S>::of(from);
        if (litz_place<T, S>::same && k_stride == 1 && (rows <= LITZ_ROWS_IN_PLACE || (row_stride * (i64)sizeof(T)) % LITZ_SET_BYTES != 0)) return {in_place, row_stride * (i64)sizeof(T), nullptr};
        i64 stride = litz_a_stride(k_count);
        litz_copy_block(space, stride, from, rows, k_count, row_stride, k_stride);
        return {space, stride * (i64)sizeof(T), nullptr};
    }
    litz_rows<T> rows(i64 batch, i64 m, i64 m_count, i64 k, i64 k_count, T *space) const {
        return make(p + batch * batch_stride + m * row_stride + k * k_stride, m_count, row_stride, k_stride, k_count, space);
    }
};

template <class T, class F> struct litz_a_function {
    F f;
    litz_rows<T> rows(i64 batch, i64 m, i64 m_count, i64 k, i64 k_count, T *space) const {
        i64 stride = litz_a_stride(k_count);
        for (i64 i = 0; i < m_count; i++) f(batch, m + i, k, k_count, space + i * stride);
        return {space, stride * (i64)sizeof(T), nullptr};
    }
};

template <class T, class S = T> struct litz_b_packed {
    const S *p;
    i64 batch_stride, k;
    litz_rows<T> panel(i64 batch, i64 n, i64, i64 k_begin, i64 k_count, i64, T *space) const {
        const S *at = p + batch * batch_stride + n * k + k_begin * LITZ_TILE_COLUMNS(T);
        for (i64 i = 0; i < k_count * LITZ_TILE_COLUMNS(T); i += 2 * LITZ_LANES) {
            store(space + i, load(at + i));
            store(space + i + LITZ_LANES, load(at + i + LITZ_LANES));
        }
        return {space, LITZ_PANEL_BYTES, at + k * LITZ_TILE_COLUMNS(T)};
    }
};
template <class T> struct litz_b_packed<T, T> {
    const T *p;
    i64 batch_stride, k;
    litz_rows<T> panel(i64 batch, i64 n, i64, i64 k_begin, i64, i64, T *) const {
        const T *at = p + batch * batch_stride + n * k + k_begin * LITZ_TILE_COLUMNS(T);
        return {at, LITZ_PANEL_BYTES, at + k * LITZ_TILE_COLUMNS(T)};
    }
};

template <class T> LITZ_FN void litz_zero_columns(T *space, i64 k_count, i64 n_count) {
    if (n_count < LITZ_TILE_COLUMNS(T)) __builtin_memset(space, 0, (u64)(k_count * LITZ_PANEL_BYTES));
}

template <class T, class S> struct litz_b_matrix {
    const S *p;
    i64 batch_stride, k_stride, n_stride;
    litz_rows<T> panel(i64 batch, i64 n, i64 n_count, i64 k, i64 k_count, i64 rows_of_a, T *space) const {
        const S *from = p + batch * batch_stride + k * k_stride + n * n_stride;
        const T *in_place = litz_place<T, S>::of(from);
        if (litz_place<T, S>::same && n_stride == 1 && n_count == LITZ_TILE_COLUMNS(T) && rows_of_a <= LITZ_TILE_ROWS) return {in_place, k_stride * (i64)sizeof(T), in_place + n_count};
        litz_zero_columns(space, k_count, n_count);
        litz_copy_block(space, LITZ_TILE_COLUMNS(T), from, k_count, n_count, k_stride, n_stride);
        return {space, LITZ_PANEL_BYTES, space};
    }
};

template <class T, class F> struct litz_b_function {
    F f;
    litz_rows<T> panel(i64 batch, i64 n, i64 n_count, i64 k, i64 k_count, i64, T *space) const {
        litz_zero_columns(space, k_count, n_count);
        for (i64 i = 0; i < k_count; i++) f(batch, k + i, n, n_count, space + i * LITZ_TILE_COLUMNS(T));
        return {space, LITZ_PANEL_BYTES, space};
    }
};

// The same into panels of half or bfloat, from a source whose elements are just those.
template <class T, class S, class B> LITZ_MATH void litz_pack_b_narrow(S *dst, const B &source, i64 batch, i64 k, i64 n, i64 begin, i64 end) {
    i64 panels = litz_blocks(n, LITZ_TILE_COLUMNS(T));
    T space[16 * LITZ_TILE_COLUMNS(T)];
    (void)batch;
    for (i64 task = begin; task < end; task++) {
        i64 b = task / panels, n0 = task % panels * LITZ_TILE_COLUMNS(T);
        S *to = dst + task * k * LITZ_TILE_COLUMNS(T);
        for (i64 k0 = 0; k0 < k; k0 += 16) {
            i64 count = litz_min(16, k - k0);
            source.panel(b, n0, litz_min(LITZ_TILE_COLUMNS(T), n - n0), k0, count, LITZ_GEMM_ROWS, space);
            for (i64 i = 0; i < count * LITZ_TILE_COLUMNS(T); i += LITZ_LANES) store(to + k0 * LITZ_TILE_COLUMNS(T) + i, load(space + i));
        }
    }
}
template <class T, class B> LITZ_MATH void litz_pack_b(T *dst, const B &source, i64 batch, i64 k, i64 n, i64 begin, i64 end) {
    i64 panels = litz_blocks(n, LITZ_TILE_COLUMNS(T));
    (void)batch;
    for (i64 task = begin; task < end; task++) {
        i64 b = task / panels, n0 = task % panels * LITZ_TILE_COLUMNS(T);
        // More rows than any tile has: a source must write to the space it is given.
        source.panel(b, n0, litz_min(LITZ_TILE_COLUMNS(T), n - n0), 0, k, LITZ_GEMM_ROWS, dst + task * k * LITZ_TILE_COLUMNS(T));
    }
}

// Runs the tiles of a task as they are.
template <class T> struct litz_tiles {
    void begin_panel(T *, i64, i64) {}
    void run(litz_tile *t, int rows) { litz_run_tile(t, rows, (const T *)nullptr); }
    void end_panel() {}
};
// How a task runs its tiles. A multiplication of float32 takes a hundred times as long with a subnormal operand, so a task whose panels are read
// often keeps off them.
template <class T, bool WATCHED> struct litz_tiles_of { typedef litz_tiles<T> type; };
#ifdef LITZ_USE_TILE_WATCHED
// Once the processor has reported a subnormal factor, factors that hold subnormal numbers are multiplied by 2^24, which makes all of them
// normal, and sums by its reciprocal. Both are exact, so the sums are the same: only one that would have rounded to a subnormal number on
// the way may differ, and is nearer to the truth. Sums that are not finite are computed again from the factors as they are.
struct litz_subnormals {
    enum { POWER = 24, DENORMAL = 2, ROWS = LITZ_TILE_ROWS, COLUMNS = LITZ_TILE_COLUMNS(f32) };

    litz_subnormals() { load_state(), first = state; }
    // The processor's flag is the host's, too.
    ~litz_subnormals() {
        if (first & DENORMAL) load_state(), store_state(state | DENORMAL);
    }
    litz_subnormals(const litz_subnormals &) = delete;
    litz_subnormals &operator=(const litz_subnormals &) = delete;

    // `own`: where the panel that the next tiles read may be changed; nullptr where it is read where it lies.
    void begin_panel(f32 *own, i64 k_count, i64 passes) {
        panel = own, size = k_count, raised = false;
        watching = passes > LITZ_FEW_PASSES && k_count <= LITZ_GEMM_DEPTH, fresh = true;
        if (!watching) return;
        if (seen) raise_panel();
        else if (load_state(), state & DENORMAL) store_state(state & ~(u32)DENORMAL);
    }
    void run(litz_tile *t, int rows) {
        if (watching && seen) return run_raised(t, rows);
        litz_run_tile(t, rows, (const f32 *)nullptr);
        if (watching && fresh) notice(), fresh = false;
        if (watching && seen) raise_panel();
    }
    void end_panel() { if (watching && !seen) notice(); }

  private:
    bool seen = false, watching = false, fresh = false, raised = false;
    f32 *panel = nullptr;
    i64 size = 0;
    u32 state, first;

    void load_state() { __asm__ volatile("stmxcsr %0" : "=m"(state) : : "memory"); }
    void store_state(u32 value) { __asm__ volatile("ldmxcsr %0" : : "m"(value) : "memory"); }
    void notice() { load_state(), seen = (state & DENORMAL) != 0; }
    void raise_panel() { raised = panel && raise(panel, COLUMNS, panel, COLUMNS, size, COLUMNS); }
    __attribute__((noinline)) void run_raised(litz_tile *t, int rows) {
        f32 a[ROWS * (LITZ_GEMM_DEPTH + LITZ_GEMM_PAD)], sums[ROWS * COLUMNS];
        const i64 stride = litz_a_stride(t->k);
        bool raised_a = raise(a, stride, (const f32 *)t->a, t->a_stride / 4, rows, t->k);
        if (!raised_a && !raised) return litz_run_tile(t, rows, (const f32 *)nullptr);
        litz_tile r = *t;
        if (raised_a) r.a = a, r.a_stride = stride * 4;
        r.c = sums, r.c_stride = COLUMNS * 4, r.accumulate = 0;
        litz_run_tile(&r, rows, (const f32 *)nullptr);
        if (lower(sums, rows, raised_a && raised ? 0x1p-48f : 0x1p-24f)) {
            for (i64 i = 0; i < rows; i++)
                for (i64 j = 0; j < COLUMNS; j += LITZ_LANES) {
                    f32 *c = (f32 *)((char *)t->c + i * t->c_stride) + j;
                    vf32 sum = load(sums + i * COLUMNS + j);
                    store(c, t->accumulate ? load(c) + sum : sum);
                }
            return;
        }
        if (raised) lower(panel, size, 0x1p-24f), raised = false;
        litz_run_tile(t, rows, (const f32 *)nullptr);
    }
    static vf32 piece(const f32 *p, i64 count) { return count < LITZ_LANES ? load_tail(p, count) : load(p); }
    // Multiplies whole vectors of rows by 2^24 without multiplying a subnormal number; false, and nothing is written, where that changes nothing or may overflow.
    static __attribute__((noinline)) bool raise(f32 *to, i64 to_stride, const f32 *from, i64 from_stride, i64 rows, i64 columns) {
        vu32 least = ~vu32{}, most = {};
        for (i64 r = 0; r < rows; r++)
            for (i64 c = 0; c < columns; c += LITZ_LANES) {
                vf32 x = piece(from + r * from_stride + c, columns - c);
                vu32 size = (vu32)x & 0x7fffffffu, less = size - 1;
                least = less < least ? less : least, most = size > most ? size : most;
            }
        if (hmin(least) >= 0x007fffffu || hmax(most) >= (127u + 100u) << 23) return false;
        for (i64 r = 0; r < rows; r++)
            for (i64 c = 0; c < columns; c += LITZ_LANES) {
                vf32 x = piece(from + r * from_stride + c, columns - c);
                vu32 sign = (vu32)x & 0x80000000u, size = (vu32)x ^ sign, small = (vu32)(to_f32((vi32)size) * 0x1p-125f);
                store(to + r * to_stride + c, (vf32)((size < 0x00800000u ? small : size + ((u32)POWER << 23)) | sign));
            }
        return true;
    }
    // Multiplies rows of a panel's width; whether all results are finite.
    static __attribute__((noinline)) bool lower(f32 *rows, i64 count, f32 by) {
        vu32 most = {};
        for (i64 i = 0; i < count * COLUMNS; i += LITZ_LANES) {
            vf32 x = load(rows + i) * by;
            vu32 size = (vu32)x & 0x7fffffffu;
            most = size > most ? size : most;
            store(rows + i, x);
        }
        return hmax(most) < 0x7f800000u;
    }
};
template <> struct litz_tiles_of<f32, true> { typedef litz_subnormals type; };
#endif

// c[0..m, panels of n] = or += A B over k_count, whatever the sources; c_stride in elements. Kernels whose sources have equal types share it,
// unless the compiler finds one call alone.
template <class T, class B, class Tiles>
static void litz_gemm_block(const litz_rows<T> &a, const B &b, i64 batch, i64 m, i64 n_begin, i64 n_count, i64 k, i64 k_count, bool accumulate, T *c, i64 c_stride, T *space, Tiles &tiles) {
    i64 passes = litz_blocks(m, LITZ_TILE_ROWS);
    for (i64 n = 0; n < n_count; n += LITZ_TILE_COLUMNS(T)) {
        litz_rows<T> panel = b.panel(batch, n_begin + n, litz_min(LITZ_TILE_COLUMNS(T), n_count - n), k, k_count, m, space);
        tiles.begin_panel(panel.data == space ? space : nullptr, k_count, passes);
        for (i64 i = 0, r = 0; i < passes; i++) {
            // Rows are dealt out evenly, so that no pass is left with one or two.
            i64 end = m * (i + 1) / passes;
            // Each pass fetches its share of the next panel, a line per two k.
            const char *ahead = (const char *)panel.next + i * k_count * 32;
            litz_tile t = {(const char *)a.data + r * a.stride, a.stride, panel.data, panel.stride, c + r * c_stride + n, c_stride * (i64)sizeof(T), k_count, ahead, accumulate};
            tiles.run(&t, (int)(end - r));
            r = end;
        }
        tiles.end_panel();
    }
}

// A product of few rows is bound by reading B, once, in the order in which it lies: packing it would read and write it once more.
// Along n, sums pass through L1 for every few rows of B: beyond two rows of A the tile is faster.
static_assert(LITZ_THIN_DOTS <= 4 && LITZ_THIN_ROWS <= 4, "litz_gemm_thin has blocks of up to four rows");

// Whether rows of A are read where they lie, so that a product may run over all of k at once.
template <class A> LITZ_FN bool litz_in_place(const A &) { return false; }
template <class T> LITZ_FN bool litz_in_place(const litz_a_matrix<T, T> &a) { return a.k_stride == 1; }
LITZ_FN bool litz_thin_strides(i64 k_stride, i64 n_stride, i64 m) { return k_stride == 1 ? m <= LITZ_THIN_DOTS : n_stride == 1 && m <= LITZ_THIN_ROWS; }
template <class R, class B> LITZ_FN bool litz_runs_thin(const B &, i64) { return false; }
template <class R, class T, class B> LITZ_FN void litz_gemm_thin(const litz_rows<T> &, const B &, i64, i64, i64, i64, i64, i64, bool, T *, i64) {}
#ifdef LITZ_USE_TILE_THIN
template <class R, class S> LITZ_FN bool litz_runs_thin(const litz_b_matrix<f32, S> &b, i64 m) { return litz_thin_strides(b.k_stride, b.n_stride, m); }
template <class R> LITZ_FN bool litz_runs_thin(const litz_b_matrix<f64, f64> &b, i64 m) { return litz_thin_strides(b.k_stride, b.n_stride, m); }

// B's columns lie along k: sums of products of M rows of A with N columns at a time.
template <int M, int N, class T, class S>
LITZ_MATH void litz_thin_dots(const litz_rows<T> &a, const S *b, i64 n_stride, i64 k_count, bool accumulate, T *c, i64 c_stride) {
    typedef typename litz_stored<T>::vector V;
    V sums[M][N];
    const T *rows[M];
    for (int m = 0; m < M; m++) {
        rows[m] = (const T *)((const char *)a.data + m * a.stride);
        for (int n = 0; n < N; n++) sums[m][n] = splat((T)0);
    }
    i64 k = 0;
    for (; k + LITZ_LANES <= k_count; k += LITZ_LANES) {
        V x[M];
        for (int m = 0; m < M; m++) x[m] = load(rows[m] + k);
        for (int n = 0; n < N; n++) {
            V y = load(b + n * n_stride + k);
            for (int m = 0; m < M; m++) sums[m][n] = fused(x[m], y, sums[m][n]);
        }
    }
    if (k < k_count)
        for (int n = 0; n < N; n++)
            for (int m = 0; m < M; m++) sums[m][n] = fused(load_tail(rows[m] + k, k_count - k), load_tail(b + n * n_stride + k, k_count - k), sums[m][n]);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) c[m * c_stride + n] = hsum(sums[m][n]) + (accumulate ? c[m * c_stride + n] : (T)0);
}
// B's rows lie along n: K of them at a time, each times its element of A, are added to M rows of C, which stay in L1. C has room for whole
// vectors.
template <int M, int K, class T, class S>
LITZ_MATH void litz_thin_rows(const litz_rows<T> &a, i64 k, const S *b, i64 k_stride, i64 n_count, T *c, i64 c_stride) {
    typedef typename litz_stored<T>::vector V;
    V x[M][K];
    for (int m = 0; m < M; m++)
        for (int i = 0; i < K; i++) x[m][i] = splat(((const T *)((const char *)a.data + m * a.stride))[k + i]);
    i64 n = 0;
    for (; n + LITZ_LANES <= n_count; n += LITZ_LANES) {
        V sums[M];
        for (int m = 0; m < M; m++) sums[m] = load(c + m * c_stride + n);
        for (int i = 0; i < K; i++) {
            V y = load(b + i * k_stride + n);
            for (int m = 0; m < M; m++) sums[m] = fused(x[m][i], y, sums[m]);
        }
        for (int m = 0; m < M; m++) store(c + m * c_stride + n, sums[m]);
    }
    if (n < n_count)
        for (int i = 0; i < K; i++) {
            V y = load_tail(b + i * k_stride + n, n_count - n);
            for (int m = 0; m < M; m++) store(c + m * c_stride + n, fused(x[m][i], y, load(c + m * c_stride + n)));
        }
}
template <int M, class T, class S>
LITZ_FN void litz_thin_block(const litz_rows<T> &a, const S *b, i64 k_stride, i64 n_stride, i64 n_count, i64 k_count, bool accumulate, T *c, i64 c_stride) {
    enum { N = LITZ_TILE_ROWS > 10 || M < 3 ? 4 : 2 };
    if (k_stride == 1) {
        i64 n = 0;
        for (; n + N <= n_count; n += N) litz_thin_dots<M, N>(a, b + n * n_stride, n_stride, k_count, accumulate, c + n, c_stride);
        for (; n < n_count; n++) litz_thin_dots<M, 1>(a, b + n * n_stride, n_stride, k_count, accumulate, c + n, c_stride);
        return;
    }
    if (!accumulate)
        for (int m = 0; m < M; m++) __builtin_memset(c + m * c_stride, 0, (u64)((n_count + LITZ_LANES - 1) / LITZ_LANES * LITZ_LANES) * sizeof(T));
    i64 k = 0;
    for (; k + N <= k_count; k += N) litz_thin_rows<M, N>(a, k, b + k * k_stride, k_stride, n_count, c, c_stride);
    for (; k < k_count; k++) litz_thin_rows<M, 1>(a, k, b + k * k_stride, k_stride, n_count, c, c_stride);
}
template <class R, class T, class S>
LITZ_FN void litz_gemm_thin(const litz_rows<T> &a, const litz_b_matrix<T, S> &b, i64 batch, i64 m, i64 n, i64 n_count, i64 k, i64 k_count, bool accumulate, T *c, i64 c_stride) {
    const S *from = b.p + batch * b.batch_stride + k * b.k_stride + n * b.n_stride;
    if constexpr (R::has(1))
        if (m == 1) litz_thin_block<1>(a, from, b.k_stride, b.n_stride, n_count, k_count, accumulate, c, c_stride);
    if constexpr (R::has(2))
        if (m == 2) litz_thin_block<2>(a, from, b.k_stride, b.n_stride, n_count, k_count, accumulate, c, c_stride);
    if constexpr (R::has(3))
        if (m == 3) litz_thin_block<3>(a, from, b.k_stride, b.n_stride, n_count, k_count, accumulate, c, c_stride);
    if constexpr (R::has(4))
        if (m == 4) litz_thin_block<4>(a, from, b.k_stride, b.n_stride, n_count, k_count, accumulate, c, c_stride);
}
template <class R, class S> LITZ_FN void litz_gemm_thin(const litz_rows<i32> &, const litz_b_matrix<i32, S> &, i64, i64, i64, i64, i64, i64, bool, i32 *, i64) {}
template <class R, class S> LITZ_FN void litz_gemm_thin(const litz_rows<i64> &, const litz_b_matrix<i64, S> &, i64, i64, i64, i64, i64, i64, bool, i64 *, i64) {}
#endif

template <class T, class R, class A, class B, class E> LITZ_MATH void litz_gemm_run(const litz_gemm_shape &g, const A &a, const B &b, E &&epilogue, i64 begin, i64 end, void *scratch) {
    T *const room = (T *)scratch, *const a_space = g.a_copied ? room : nullptr, *const b_space = g.b_copied ? room + litz_gemm_a_room(g) : nullptr;
    T *const c = room + litz_gemm_a_room(g) + litz_gemm_b_room(g, sizeof(T));
    i64 down = litz_blocks(g.m, g.m_block), across = litz_blocks(g.n, g.n_block), c_stride = litz_c_stride(g.n_block);
    for (i64 task = begin; task < end; task++) {
        // Neighbouring tasks share columns: what one read of B is still in cache for the next.
        i64 m0 = task % down * g.m_block, n0 = task / down % across * g.n_block, batch = task / down / across;
        i64 m = litz_min(g.m_block, g.m - m0), n = litz_min(g.n_block, g.n - n0), k = 0;
        bool thin = litz_runs_thin<R>(b, m);
        i64 step = thin && litz_in_place(a) ? litz_max(1, g.k) : g.k_block;
        // One for each task, whose sums depend on no other task.
        typename litz_tiles_of<T, R::watched>::type tiles;
        do {
            i64 k_count = litz_min(step, g.k - k);
            litz_rows<T> rows = a.rows(batch, m0, m, k, k_count, a_space);
            if (thin) litz_gemm_thin<R>(rows, b, batch, m, n0, n, k, k_count, k > 0, c, c_stride);
            else litz_gemm_block<T>(rows, b, batch, m, n0, n, k, k_count, k > 0, c, c_stride, b_space, tiles);
            k += k_count;
        } while (k < g.k);
        for (i64 r = 0; r < m; r++) epilogue(batch, m0 + r, n0, n, c + r * c_stride);
    }
}
#endif
