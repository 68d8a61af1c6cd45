// Blocks of products for tests, and scratch that is enough for blocks of any size; stands after gemm.h.
#ifndef LITZ_TEST_BLOCKS_H
#define LITZ_TEST_BLOCKS_H

#define LITZ_GEMM_SCRATCH(element) \
    (LITZ_GEMM_ROWS * (LITZ_GEMM_DEPTH + LITZ_GEMM_PAD) * (element) + LITZ_GEMM_DEPTH * LITZ_PANEL_BYTES + LITZ_GEMM_ROWS * (LITZ_GEMM_COLUMN_BYTES + LITZ_GEMM_PAD * (element)))
#define LITZ_ATTENTION_STRIDE (LITZ_ATTENTION_KEYS + LITZ_GEMM_PAD + LITZ_TILE_COLUMNS(f32))
// A block of queries, a block of scores, one panel of keys or values, the outputs, the maximum and the sum of each row.
#define LITZ_ATTENTION_SCRATCH(v_width) \
    (LITZ_ATTENTION_KEYS * LITZ_PANEL_BYTES + LITZ_ATTENTION_ROWS * (2 * LITZ_ATTENTION_STRIDE + ((v_width) + 31) / 32 * 32 + LITZ_GEMM_PAD + 2) * 4 + 64)

// Any number of rows, in blocks of any size.
typedef litz_gemm_traits<0, ~0u, true> unknown_rows;

// The largest blocks that give every thread about three tasks; columns are split before rows are, down to two panels, since rows
// share what they read of B.
static inline void litz_gemm_blocks(litz_gemm_shape *g, i64 threads, i64 element) {
    i64 columns = LITZ_PANEL_BYTES / element, panels = litz_blocks(g->n, columns);
    i64 down = litz_max(1, litz_blocks(g->m, LITZ_GEMM_ROWS)), across = litz_max(1, litz_blocks(g->n, LITZ_GEMM_COLUMN_BYTES / element));
    i64 wanted = threads > 1 ? 3 * threads : 1;
    while (g->batch * down * across < wanted) {
        if (2 * across * 2 <= panels) across *= 2;
        else if (g->m >= 2 * down * LITZ_TILE_ROWS) down *= 2;
        else break;
    }
    g->m_block = litz_max(1, litz_blocks(g->m, down));
    g->n_block = litz_max(1, litz_blocks(panels, across)) * columns;
    g->k_block = litz_gemm_depth(g->k);
}
#endif
