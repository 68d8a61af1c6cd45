// Litz products whose right operand is computed from a packed weight; stands after gemm.h.
//
//   litz_b_unpacked<COLUMNS, GROUP, PHASE>(value, scale, offset)
//     A source of B for litz_gemm_run<f32>: B[k, n] = value * scale + offset, which are vectors of LITZ_LANES columns:
//       value(p, v, g, h, j), scale(p, v, g, h) and offset(p, v, g, h), where n = p * COLUMNS + v * LITZ_LANES + lane and
//       k = g * GROUP + h * PHASE + j. Each is called with a v and an h that the compiler knows, so what depends on them costs nothing.
//     litz_none{} in the place of scale or offset: there is none. COLUMNS divides n and is a multiple of two vectors; GROUP divides k,
//     and k_block where it holds several phases; PHASE divides GROUP.
//
// Up to LITZ_UNPACKED_ROWS rows of A are multiplied with each vector while it is in registers. With more rows, a panel is unpacked at a time.
//
// There, scale and offset are taken once for each phase: sums of values times A are scaled, instead of each value, and sums of A are multiplied
// with the offset. Where such sums are not finite they are computed again from whole elements: a sum may overflow before it is scaled, and
// parts of it may be infinities of both signs.
#ifndef LITZ_UNPACKED_H
#define LITZ_UNPACKED_H

// Loops over registers, which must not stay loops.
#define LITZ_EACH _Pragma("GCC unroll 16")

struct litz_none {};
template <class F> struct litz_is_there { enum { value = 1 }; };
template <> struct litz_is_there<litz_none> { enum { value = 0 }; };

template <i64 COLUMNS, i64 GROUP, i64 PHASE, class F, class S, class O> struct litz_b_unpacked_source {
    enum : i64 { columns = COLUMNS, group = GROUP, phase = PHASE, vectors = COLUMNS / LITZ_LANES, phases = GROUP / PHASE };
    enum { scaled = litz_is_there<S>::value, moved = litz_is_there<O>::value };
    static_assert(COLUMNS % (2 * LITZ_LANES) == 0 && GROUP % PHASE == 0, "vectors make panels, and phases make groups");
    F value;
    S scale;
    O offset;

    // The vectors V0 .. V0 + V of columns at a phase: what a loop over its rows needs, and a row.
    template <int V> struct at_phase { vf32 scale[V], offset[V]; };
    template <int V> LITZ_FN void begin(at_phase<V> &at, const litz_b_unpacked_source &b, i64 p, int v0, i64 g, i64 h) {
        LITZ_EACH for (int v = 0; v < V; v++) {
            if constexpr (scaled) at.scale[v] = b.scale(p, (i64)(v0 + v), g, h);
            if constexpr (moved) at.offset[v] = b.offset(p, (i64)(v0 + v), g, h);
        }
    }
    // `whole`: with its scale.
    template <int V> LITZ_FN vf32 element(const at_phase<V> &at, const litz_b_unpacked_source &b, bool whole, i64 p, int v0, int v, i64 g, i64 h, i64 j) {
        vf32 x = b.value(p, (i64)(v0 + v), g, h, j);
        if (!whole) return x;
        if constexpr (moved && scaled) return fused(x, at.scale[v], at.offset[v]);
        else if constexpr (moved) return x + at.offset[v];
        else if constexpr (scaled) return x * at.scale[v];
        else return x;
    }

    // Calls f(g, h, first j, end of j) for the phases of k .. k + k_count, with an h that is known.
    template <int H, class E> LITZ_FN void each_phase(i64 g, E &&f) {
        f(g, (i64)H, (i64)0, PHASE);
        if constexpr (H + 1 < phases) each_phase<H + 1>(g, f);
    }
    template <class E> LITZ_FN void each_of(i64 k, i64 k_count, E &&f) {
        if constexpr (phases > 1) {
            for (i64 g = k / GROUP; g < (k + k_count) / GROUP; g++) each_phase<0>(g, f);
        } else {
            for (i64 at = k; at < k + k_count;) {
                i64 g = at / GROUP, end = litz_min(k + k_count, (g + 1) * GROUP);
                f(g, (i64)0, at - g * GROUP, end - g * GROUP);
                at = end;
            }
        }
    }

    template <int V0> LITZ_FN void fill(const litz_b_unpacked_source &b, i64 p, i64 v0, i64 k, i64 k_count, f32 *space) {
        if (v0 == V0) {
            f32 *to = space;
            each_of(k, k_count, [&](i64 g, i64 h, i64 first, i64 end) __attribute__((always_inline)) {
                at_phase<2> at;
                begin(at, b, p, V0, g, h);
                for (i64 j = first; j < end; j++, to += LITZ_TILE_COLUMNS(f32))
                    LITZ_EACH for (int v = 0; v < 2; v++) store(to + v * LITZ_LANES, element(at, b, true, p, V0, v, g, h, j));
            });
        } else if constexpr (V0 + 2 < vectors) fill<V0 + 2>(b, p, v0, k, k_count, space);
    }
    litz_rows<f32> panel(i64, i64 n, i64, i64 k, i64 k_count, i64, f32 *space) const {
        fill<0>(*this, n / COLUMNS, n % COLUMNS / LITZ_LANES, k, k_count, space);
        return {space, LITZ_PANEL_BYTES, space};
    }
};
template <i64 COLUMNS, i64 GROUP, i64 PHASE, class F, class S, class O>
LITZ_FN litz_b_unpacked_source<COLUMNS, GROUP, PHASE, F, S, O> litz_b_unpacked(F value, S scale, O offset) { return {value, scale, offset}; }

LITZ_FN f32 litz_sum_of(const f32 *p, i64 count) {
    vf32 sum = {};
    i64 k = 0;
    for (; k + LITZ_LANES <= count; k += LITZ_LANES) sum = sum + load(p + k);
    if (k < count) sum = sum + load_tail(p + k, count - k);
    return hsum(sum);
}
// Sums of M rows of A, of which `m` are there, with V vectors of columns. `WHOLE`: of whole elements; otherwise those of a phase are sums of
// values, which are scaled, and of A, which are multiplied with the offset.
template <int M, int V, int V0, bool WHOLE, class B>
LITZ_FN void litz_unpacked_sums(const B &b, const litz_rows<f32> &a, i64 m, i64 p, i64 k, i64 k_count, vf32 (&sums)[M][V]) {
    constexpr bool apart = !WHOLE && B::scaled, moved = !WHOLE && B::moved;
    const f32 *rows[M];
    LITZ_EACH for (int r = 0; r < M; r++) {
        rows[r] = (const f32 *)((const char *)a.data + (r < m ? r : 0) * a.stride) - k;
        LITZ_EACH for (int v = 0; v < V; v++) sums[r][v] = vf32{};
    }
    B::each_of(k, k_count, [&](i64 g, i64 h, i64 first, i64 end) __attribute__((always_inline)) {
        typename B::template at_phase<V> at;
        B::begin(at, b, p, V0, g, h);
        vf32 own[M][V];
        LITZ_EACH for (int r = 0; r < M; r++)
            LITZ_EACH for (int v = 0; v < V; v++) own[r][v] = apart ? vf32{} : sums[r][v];
        const i64 begin = g * B::group + h * B::phase;
        _Pragma("GCC unroll 4") for (i64 j = first; j < end; j++) {
            vf32 x[V];
            LITZ_EACH for (int v = 0; v < V; v++) x[v] = B::element(at, b, WHOLE, p, V0, v, g, h, j);
            LITZ_EACH for (int r = 0; r < M; r++) {
                const vf32 y = splat(rows[r][begin + j]);
                LITZ_EACH for (int v = 0; v < V; v++) own[r][v] = fused(y, x[v], own[r][v]);
            }
        }
        LITZ_EACH for (int r = 0; r < M; r++) {
            const vf32 y = moved ? splat(litz_sum_of(rows[r] + begin + first, end - first)) : vf32{};
            LITZ_EACH for (int v = 0; v < V; v++) {
                sums[r][v] = apart ? fused(own[r][v], at.scale[v], sums[r][v]) : own[r][v];
                if constexpr (moved) sums[r][v] = fused(y, at.offset[v], sums[r][v]);
            }
        }
    });
}
template <int M, int V> LITZ_FN bool litz_all_finite(const vf32 (&sums)[M][V]) {
    vu32 most = {};
    LITZ_EACH for (int r = 0; r < M; r++)
        LITZ_EACH for (int v = 0; v < V; v++) {
            vu32 size = (vu32)sums[r][v] & 0x7fffffffu;
            most = size > most ? size : most;
        }
    return hmax(most) < 0x7f800000u;
}
template <int M, int V, int V0, class B>
LITZ_NOINLINE void litz_unpacked_again(const B &b, const litz_rows<f32> &a, i64 m, i64 p, i64 k, i64 k_count, vf32 (&sums)[M][V]) {
    litz_unpacked_sums<M, V, V0, true>(b, a, m, p, k, k_count, sums);
}
template <int M, int V, int V0, class B>
LITZ_FN void litz_unpacked_vectors(const B &b, const litz_rows<f32> &a, i64 m, i64 p, i64 k, i64 k_count, bool accumulate, f32 *c, i64 c_stride) {
    vf32 sums[M][V];
    litz_unpacked_sums<M, V, V0, false>(b, a, m, p, k, k_count, sums);
    if constexpr (B::scaled || B::moved)
        if (!litz_all_finite(sums)) litz_unpacked_again<M, V, V0>(b, a, m, p, k, k_count, sums);
    LITZ_EACH for (int r = 0; r < M; r++)
        LITZ_EACH for (int v = 0; v < V; v++) {
            f32 *to = c + r * c_stride + (V0 + v) * LITZ_LANES;
            if (r < m) store(to, accumulate ? load(to) + sums[r][v] : sums[r][v]);
        }
    if constexpr (V0 + V < B::vectors) litz_unpacked_vectors<M, V, V0 + V>(b, a, m, p, k, k_count, accumulate, c, c_stride);
}
template <int M, class B>
LITZ_FN void litz_unpacked_block(const B &b, const litz_rows<f32> &a, i64 m, i64 n, i64 n_count, i64 k, i64 k_count, bool accumulate, f32 *c, i64 c_stride) {
    enum { V = B::vectors >= 4 && M <= (LITZ_TILE_ROWS > 10 ? 4 : 1) ? 4 : 2 };
    for (i64 at = 0; at < n_count; at += B::columns)
        litz_unpacked_vectors<M, V, 0>(b, a, m, (n + at) / B::columns, k, k_count, accumulate, c + at, c_stride);
}

template <class R, i64 C, i64 G, i64 P, class F, class S, class O>
LITZ_FN bool litz_runs_thin(const litz_b_unpacked_source<C, G, P, F, S, O> &, i64 m) { return (R::whole ? R::whole : m) <= LITZ_UNPACKED_ROWS; }
template <class R, class T, i64 C, i64 G, i64 P, class F, class S, class O>
LITZ_FN void litz_gemm_thin(const litz_rows<T> &a, const litz_b_unpacked_source<C, G, P, F, S, O> &b, i64, i64 m, i64 n, i64 n_count, i64 k, i64 k_count, bool accumulate, T *c, i64 c_stride) {
    enum { M = LITZ_TILE_ROWS > 10 ? 8 : 4 };
    if constexpr (R::whole > LITZ_UNPACKED_ROWS) return;
    else if constexpr (R::whole == 1) litz_unpacked_block<1>(b, a, m, n, n_count, k, k_count, accumulate, c, c_stride);
    else if constexpr (R::whole == 2) litz_unpacked_block<2>(b, a, m, n, n_count, k, k_count, accumulate, c, c_stride);
    else if constexpr (R::whole == 3 || R::whole == 4) litz_unpacked_block<4>(b, a, m, n, n_count, k, k_count, accumulate, c, c_stride);
    else if (R::whole == 0 && m == 1) litz_unpacked_block<1>(b, a, m, n, n_count, k, k_count, accumulate, c, c_stride);
    else if (R::whole == 0 && m <= 4) litz_unpacked_block<4>(b, a, m, n, n_count, k, k_count, accumulate, c, c_stride);
    else
        for (i64 r = 0; r < m; r += M)
            litz_unpacked_block<M>(b, litz_rows<T>{(const T *)((const char *)a.data + r * a.stride), a.stride, nullptr}, litz_min(M, m - r), n, n_count, k, k_count, accumulate, c + r * c_stride, c_stride);
}
#endif
