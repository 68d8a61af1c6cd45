// Litz recurrence: a recurrent cell over the steps of a sequence; stands after prelude.h, functions.h (with LITZ_USE_SIGMOID and
// LITZ_USE_TANH) and tile.h.
//
//   litz_recurrence_run<CELL, T>(shape, operands, begin, end, scratch): T is f32 or f64. A task is `block` rows of the batch, which are followed through
//     all steps; rows do not meet, so tasks are independent. At each step the rows' hidden values are multiplied by the hidden-to-hidden
//     weights in tiles, and the cell is applied to the sums while they are at hand.
//   Strides are in elements. A matrix of weights [k, n] lies in panels of LITZ_RECURRENCE_PANEL columns, each k rows one after the other; columns
//   beyond n are there, whatever they hold.
//   Gates stand side by side in the order of PyTorch: LSTM input, forget, cell, output; GRU reset, update, new.
//   scratch: LITZ_RECURRENCE_SCRATCH elements of T for one thread, 64-byte aligned.
#ifndef LITZ_RECURRENCE_H
#define LITZ_RECURRENCE_H

#define LITZ_CELL_TANH 0
#define LITZ_CELL_RELU 1
#define LITZ_CELL_LSTM 2
#define LITZ_CELL_GRU 3
#define LITZ_RECURRENCE_PAD(n) ((n) / LITZ_RECURRENCE_PANEL * LITZ_RECURRENCE_PANEL + LITZ_RECURRENCE_PANEL)
static_assert(LITZ_RECURRENCE_PANEL % LITZ_TILE_COLUMNS(f32) == 0, "a panel is made of whole tiles");

struct litz_recurrence_shape {
    i64 steps, batch, hidden, projected;
    i64 gates_step, gates_row, out_step, out_row, first_row, first_cell_row;
    i64 block;
    bool reverse;
};
template <class T> struct litz_recurrence_operands {
    const T *gates, *weight, *bias, *first, *first_cell, *projection;
    T *out, *last, *last_cell;
};

// c = a b. A panel of b is used for all rows before the next one is read.
template <class T>
LITZ_FN void litz_recurrence_product(const T *a, i64 a_row, const T *b, T *c, i64 c_row, i64 rows, i64 columns, i64 k) {
    const i64 passes = (rows + LITZ_TILE_ROWS - 1) / LITZ_TILE_ROWS;
    for (i64 n = 0; n < columns; n += LITZ_TILE_COLUMNS(T)) {
        const T *panel = b + n / LITZ_RECURRENCE_PANEL * k * LITZ_RECURRENCE_PANEL + n % LITZ_RECURRENCE_PANEL;
        for (i64 i = 0; i < passes; i++) {
            const i64 r = rows * i / passes, last = rows * (i + 1) / passes;
            litz_tile t = {a + r * a_row, a_row * (i64)sizeof(T), panel, LITZ_RECURRENCE_PANEL * (i64)sizeof(T), c + r * c_row + n, c_row * (i64)sizeof(T), k, panel, 0};
            litz_run_tile(&t, (int)(last - r), (const T *)0);
        }
    }
}

LITZ_FN f32 litz_rectified(f32 x) { return x < 0 ? 0 : x; }
LITZ_FN f64 litz_rectified(f64 x) { return x < 0 ? 0 : x; }
LITZ_FN vf32 litz_rectified(vf32 x) { return select(lt(x, splat(0.0f)), vf32{}, x); }
LITZ_FN vf64 litz_rectified(vf64 x) { return select(lt(x, splat(0.0)), vf64{}, x); }

// One cell, or W side by side: x is the input's part of the gates, g the hidden values' part, h the hidden value (its new value is the result),
// c the cell state.
template <int CELL, class V> LITZ_MATH V litz_recurrence_cell(const V *x, const V *g, V h, V &c) {
    if (CELL == LITZ_CELL_TANH) return l_tanh(x[0] + g[0]);
    if (CELL == LITZ_CELL_RELU) return litz_rectified(x[0] + g[0]);
    if (CELL == LITZ_CELL_LSTM) {
        c = l_sigmoid(x[1] + g[1]) * c + l_sigmoid(x[0] + g[0]) * l_tanh(x[2] + g[2]);
        return l_sigmoid(x[3] + g[3]) * l_tanh(c);
    }
    V reset = l_sigmoid(x[0] + g[0]), update = l_sigmoid(x[1] + g[1]), fresh = l_tanh(x[2] + reset * g[2]);
    return (h - fresh) * update + fresh;
}

template <int CELL, class T, class V>
LITZ_MATH void litz_recurrence_at(const T *x, const T *g, const T *bias, T *h, T *c, T *to, i64 hidden, i64 j) {
    const int gates = CELL == LITZ_CELL_LSTM ? 4 : CELL == LITZ_CELL_GRU ? 3 : 1;
    V xs[4], gs[4], state = {};
    for (int q = 0; q < gates; q++) {
        __builtin_memcpy(&xs[q], x + q * hidden + j, sizeof(V));
        __builtin_memcpy(&gs[q], g + q * hidden + j, sizeof(V));
        if (bias) {
            V b;
            __builtin_memcpy(&b, bias + q * hidden + j, sizeof(V));
            gs[q] = gs[q] + b;
        }
    }
    V old = {};
    if (CELL == LITZ_CELL_GRU) __builtin_memcpy(&old, h + j, sizeof(V));
    if (CELL == LITZ_CELL_LSTM) __builtin_memcpy(&state, c + j, sizeof(V));
    V made = litz_recurrence_cell<CELL, V>(xs, gs, old, state);
    if (CELL == LITZ_CELL_LSTM) __builtin_memcpy(c + j, &state, sizeof(V));
    __builtin_memcpy(to + j, &made, sizeof(V));
}

template <int CELL, class T>
LITZ_MATH void litz_recurrence_run(const litz_recurrence_shape &s, const litz_recurrence_operands<T> &o, i64 begin, i64 end, void *scratch) {
    typedef typename litz_stored<T>::vector V;
    const int gates = CELL == LITZ_CELL_LSTM ? 4 : CELL == LITZ_CELL_GRU ? 3 : 1;
    const bool projects = o.projection != 0;
    const i64 width = gates * s.hidden, whole = s.hidden / LITZ_LANES * LITZ_LANES, sums_row = LITZ_RECURRENCE_PAD(width), h_row = LITZ_RECURRENCE_PAD(s.projected), c_row = LITZ_RECURRENCE_PAD(s.hidden);
    T *sums = (T *)scratch, *h = sums + s.block * sums_row, *c = h + s.block * h_row, *made = c + s.block * c_row;
    for (i64 task = begin; task < end; task++) {
        const i64 b0 = task * s.block, left = s.batch - b0, rows = left < s.block ? left : s.block;
        for (i64 r = 0; r < rows; r++) {
            __builtin_memcpy(h + r * h_row, o.first + (b0 + r) * s.first_row, (u64)s.projected * sizeof(T));
            if (CELL == LITZ_CELL_LSTM) __builtin_memcpy(c + r * c_row, o.first_cell + (b0 + r) * s.first_cell_row, (u64)s.hidden * sizeof(T));
        }
        for (i64 k = 0; k < s.steps; k++) {
            const i64 step = s.reverse ? s.steps - 1 - k : k;
            litz_recurrence_product(h, h_row, o.weight, sums, sums_row, rows, width, s.projected);
            for (i64 r = 0; r < rows; r++) {
                const T *x = o.gates + step * s.gates_step + (b0 + r) * s.gates_row, *g = sums + r * sums_row;
                T *own = h + r * h_row, *cell = c + r * c_row, *to = projects ? made + r * c_row : own;
                for (i64 j = 0; j < whole; j += LITZ_LANES) litz_recurrence_at<CELL, T, V>(x, g, o.bias, own, cell, to, s.hidden, j);
                for (i64 j = whole; j < s.hidden; j++) litz_recurrence_at<CELL, T, T>(x, g, o.bias, own, cell, to, s.hidden, j);
            }
            if (projects) litz_recurrence_product(made, c_row, o.projection, h, h_row, rows, s.projected, s.hidden);
            for (i64 r = 0; r < rows; r++)
                __builtin_memcpy(o.out + step * s.out_step + (b0 + r) * s.out_row, h + r * h_row, (u64)s.projected * sizeof(T));
        }
        for (i64 r = 0; r < rows; r++) {
            __builtin_memcpy(o.last + (b0 + r) * s.projected, h + r * h_row, (u64)s.projected * sizeof(T));
            if (CELL == LITZ_CELL_LSTM) __builtin_memcpy(o.last_cell + (b0 + r) * s.hidden, c + r * c_row, (u64)s.hidden * sizeof(T));
        }
    }
}

#endif
