/* Tensors in memory: extents, overlap, and copies between layouts. */
#include "internal.h"

/* The bytes from a tensor's first element to its last, whatever the (non-negative) strides; false on overflow. */
static bool extent_bytes(int32_t rank, const int64_t *shape, const int64_t *strides, uint64_t item, uint64_t *out) {
    uint64_t last = 0, step;
    for (int32_t d = 0; d < rank; d++) {
        if (shape[d] == 0) {
            *out = 0;
            return true;
        }
    }
    for (int32_t d = 0; d < rank; d++) {
        if (shape[d] == 1) continue;
        if (strides[d] < 0 || !mul_u64((uint64_t)(shape[d] - 1), (uint64_t)strides[d], &step) || !add_u64(last, step, &last))
            return false;
    }
    return add_u64(last, 1, &last) && mul_u64(last, item, out) && *out <= (uint64_t)INT64_MAX;
}

static bool count_elements(int32_t rank, const int64_t *shape, uint64_t *out) {
    uint64_t n = 1;
    bool fits = true;
    for (int32_t d = 0; d < rank; d++) {
        if (shape[d] == 0) {
            *out = 0;
            return true;
        }
        fits = fits && mul_u64(n, (uint64_t)shape[d], &n);
    }
    *out = n;
    return fits;
}

/* The strides of dimensions of size 1 never matter, nor any stride of an empty tensor. */
static bool same_strides(int32_t rank, const int64_t *shape, const int64_t *a, const int64_t *b) {
    bool same = true;
    for (int32_t d = 0; d < rank; d++) {
        if (shape[d] == 0) return true;
        if (shape[d] != 1 && a[d] != b[d]) same = false;
    }
    return same;
}

static bool contiguous_strides(int32_t rank, const int64_t *shape, int64_t *strides) {
    int64_t next = 1;
    for (int32_t d = rank - 1; d >= 0; d--) {
        strides[d] = next;
        if (shape[d] > 1 && __builtin_mul_overflow(next, shape[d], &next)) return false;
    }
    return true;
}

typedef struct strided {
    uint8_t *data;
    const int64_t *strides;
} strided;

#define COPY_ROW(N)                                                                                   \
    for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, N)

static void copy_row(uint8_t *to, int64_t to_step, const uint8_t *from, int64_t from_step, int64_t n, uint64_t item) {
    if (to_step == (int64_t)item && from_step == (int64_t)item) {
        memcpy(to, from, (size_t)n * item);
        return;
    }
    switch (item) {
    case 1: COPY_ROW(1); break;
    case 2: COPY_ROW(2); break;
    case 4: COPY_ROW(4); break;
    case 8: COPY_ROW(8); break;
    default: COPY_ROW(16); break;
    }
}

/* Two dimensions, in tiles where the source is denser in the outer one. */
static void copy_plane(uint8_t *to, const int64_t *ts, const uint8_t *from, const int64_t *fs, const int64_t *size,
                       uint64_t item) {
    int64_t tile = fs[0] < fs[1] ? 32 : size[1];
    for (int64_t column = 0; column < size[1]; column += tile) {
        int64_t n = size[1] - column < tile ? size[1] - column : tile;
        for (int64_t row = 0; row < size[0]; row++)
            copy_row(to + row * ts[0] + column * ts[1], ts[1], from + row * fs[0] + column * fs[1], fs[1], n, item);
    }
}

static void swap(int64_t *a, int64_t *b) {
    int64_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Copies every element; the two do not overlap. Both extents are known to fit into memory. */
static void copy_strided(int32_t rank, const int64_t *shape, strided to, strided from, uint64_t item) {
    int64_t size[LX_MAX_RANK], ts[LX_MAX_RANK], fs[LX_MAX_RANK], at[LX_MAX_RANK];
    int32_t n = 0;
    for (int32_t d = 0; d < rank; d++) {
        if (shape[d] == 0) return;
        if (shape[d] == 1) continue;
        size[n] = shape[d];
        ts[n] = to.strides[d] * (int64_t)item;
        fs[n] = from.strides[d] * (int64_t)item;
        n++;
    }
    /* Innermost is where the destination is densest: writes go out in order. */
    for (int32_t i = 1; i < n; i++) {
        int64_t s = size[i], t = ts[i], f = fs[i];
        int32_t j = i - 1;
        for (; j >= 0 && ts[j] < t; j--) {
            size[j + 1] = size[j];
            ts[j + 1] = ts[j];
            fs[j + 1] = fs[j];
        }
        size[j + 1] = s;
        ts[j + 1] = t;
        fs[j + 1] = f;
    }
    /* Neighbours that run on into each other in both tensors are one dimension. */
    int32_t m = 0;
    for (int32_t d = 0; d < n; d++) {
        if (m && ts[m - 1] == ts[d] * size[d] && fs[m - 1] == fs[d] * size[d]) {
            size[m - 1] *= size[d];
            ts[m - 1] = ts[d];
            fs[m - 1] = fs[d];
        } else {
            size[m] = size[d];
            ts[m] = ts[d];
            fs[m] = fs[d];
            m++;
        }
    }
    if (m == 0) {
        memcpy(to.data, from.data, item);
        return;
    }
    if (m == 1) {
        copy_row(to.data, ts[0], from.data, fs[0], size[0], item);
        return;
    }
    /* The dimension in which the source is densest goes next to the innermost: the two are copied in tiles, so that
     * a transposition reads and writes whole cache lines. */
    int32_t dense = 0;
    for (int32_t d = 1; d < m - 1; d++)
        if (fs[d] < fs[dense]) dense = d;
    for (; dense < m - 2; dense++) {
        swap(&size[dense], &size[dense + 1]);
        swap(&ts[dense], &ts[dense + 1]);
        swap(&fs[dense], &fs[dense + 1]);
    }
    memset(at, 0, sizeof at);
    uint8_t *t = to.data;
    const uint8_t *f = from.data;
    for (;;) {
        copy_plane(t, ts + m - 2, f, fs + m - 2, size + m - 2, item);
        int32_t d = m - 3;
        for (; d >= 0; d--) {
            t += ts[d];
            f += fs[d];
            if (++at[d] < size[d]) break;
            t -= ts[d] * size[d];
            f -= fs[d] * size[d];
            at[d] = 0;
        }
        if (d < 0) return;
    }
}

/* Memory that a tensor touches: [begin, end), empty for an empty tensor. */
typedef struct interval {
    uintptr_t begin, end;
} interval;

static bool intervals_meet(interval a, interval b) { return a.begin < b.end && b.begin < a.end; }

typedef struct layout {
    int32_t rank;
    const int64_t *shape, *strides;
    uint64_t item;
    interval memory;
} layout;

/* Whether one of the bytes that t's elements take within [begin, end) is marked. Marks them with `mark`. */
static bool mark_bytes(uint8_t *marks, uintptr_t begin, uintptr_t end, const layout *t, bool mark) {
    int64_t at[LX_MAX_RANK] = {0};
    uintptr_t p = t->memory.begin;
    for (;;) {
        for (uint64_t i = 0; i < t->item; i++) {
            if (p + i < begin || p + i >= end) continue;
            if (marks[p + i - begin]) return true;
            marks[p + i - begin] = mark;
        }
        int32_t d = t->rank - 1;
        for (; d >= 0; d--) {
            p += (uintptr_t)(t->strides[d] * (int64_t)t->item);
            if (++at[d] < t->shape[d]) break;
            p -= (uintptr_t)(t->strides[d] * t->shape[d] * (int64_t)t->item);
            at[d] = 0;
        }
        if (d < 0) return false;
    }
}

/* Whether two elements of t lie in the same bytes. -1: no memory to find out. */
static int overlaps_itself(const layout *t) {
    uint64_t n, size = t->memory.end - t->memory.begin;
    if (!size || !count_elements(t->rank, t->shape, &n)) return 0;
    if (n > size / t->item) return 1;
    /* With dimensions in order of stride, each step beyond all that the smaller ones span: no overlap. */
    int64_t span = 0;
    bool used[LX_MAX_RANK] = {false}, nested = true;
    for (int32_t k = 0; k < t->rank && nested; k++) {
        int32_t best = -1;
        for (int32_t d = 0; d < t->rank; d++)
            if (!used[d] && t->shape[d] != 1 && (best < 0 || t->strides[d] < t->strides[best])) best = d;
        if (best < 0) break;
        used[best] = true;
        nested = t->strides[best] > span;
        span += (t->shape[best] - 1) * t->strides[best];
    }
    if (nested) return 0;
    uint8_t *marks = calloc(size, 1);
    if (!marks) return -1;
    int found = mark_bytes(marks, t->memory.begin, t->memory.end, t, true);
    free(marks);
    return found;
}

/* Whether two tensors share bytes; the first does not overlap itself. -1: no memory to find out. */
static int share_bytes(const layout *a, const layout *b) {
    if (!intervals_meet(a->memory, b->memory)) return 0;
    uintptr_t begin = a->memory.begin > b->memory.begin ? a->memory.begin : b->memory.begin;
    uintptr_t end = a->memory.end < b->memory.end ? a->memory.end : b->memory.end;
    uint64_t na, nb;
    if (count_elements(a->rank, a->shape, &na) && count_elements(b->rank, b->shape, &nb) &&
        na * a->item == a->memory.end - a->memory.begin && nb * b->item == b->memory.end - b->memory.begin)
        return 1;
    uint8_t *marks = calloc(end - begin, 1);
    if (!marks) return -1;
    (void)mark_bytes(marks, begin, end, a, true);
    int found = mark_bytes(marks, begin, end, b, false);
    free(marks);
    return found;
}
