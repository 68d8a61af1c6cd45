/* Operands in panels: packing steps state where each element goes. */
#include "internal.h"

/* A part of a storage in panels: `count` elements from `offset` on, each once. */
typedef struct panels {
    const uint8_t *packed;
    uint64_t item, columns, batch, n, k, batch_stride, n_stride, k_stride, offset, count;
} panels;

/* The dimensions have strides of memory without gaps, in any order. */
static bool is_dense(const int64_t *sizes, const int64_t *strides, uint64_t *count) {
    bool used[3] = {sizes[0] == 1, sizes[1] == 1, sizes[2] == 1};
    *count = 1;
    for (int found = 1; found;) {
        found = 0;
        for (int d = 0; d < 3; d++) {
            if (used[d] || strides[d] < 0 || (uint64_t)strides[d] != *count) continue;
            if (!mul_u64(*count, (uint64_t)sizes[d], count)) return false;
            used[d] = true;
            found = 1;
        }
    }
    return used[0] && used[1] && used[2];
}

/* What a step has moved from a storage of so many bytes to a piece; false: not all of that lies within both. */
static bool read_panels(const code *c, const lx_step *step, uint64_t bytes, uint64_t piece_bytes, panels *out) {
    if (step->kind != LX_STEP_KERNEL || step->detail.count != LX_N_MOVES) return false;
    const int64_t *m = i64_of(c, step->detail), *sizes = m + LX_MOVES_SIZES, *strides = m + LX_MOVES_STRIDES;
    uint64_t end, columns, elements;
    for (int d = 0; d < 3; d++)
        if (sizes[d] < 1) return false;
    if ((m[LX_MOVES_ITEM] != 1 && m[LX_MOVES_ITEM] != 2 && m[LX_MOVES_ITEM] != 4 && m[LX_MOVES_ITEM] != 8) || m[LX_MOVES_COLUMNS] < 1 || m[LX_MOVES_OFFSET] < 0)
        return false;
    *out = (panels){.item = (uint64_t)m[LX_MOVES_ITEM],
                    .columns = (uint64_t)m[LX_MOVES_COLUMNS],
                    .batch = (uint64_t)sizes[0],
                    .n = (uint64_t)sizes[1],
                    .k = (uint64_t)sizes[2],
                    .batch_stride = (uint64_t)strides[0],
                    .n_stride = (uint64_t)strides[1],
                    .k_stride = (uint64_t)strides[2],
                    .offset = (uint64_t)m[LX_MOVES_OFFSET]};
    return is_dense(sizes, strides, &out->count) && add_u64(out->offset, out->count, &end) && mul_u64(end, out->item, &end) &&
           end <= bytes && add_u64(out->n, out->columns - 1, &columns) &&
           mul_u64(columns / out->columns, out->columns, &columns) && mul_u64(columns, out->batch, &elements) &&
           mul_u64(elements, out->k, &elements) && mul_u64(elements, out->item, &elements) && elements <= piece_bytes;
}

/* Each element of the panels beside its place in the storage: copied there, or compared. */
#define MOVE_BACK(type)                                                                                       \
    static bool move_back_##type(const panels *p, type *given, bool copied) {                                 \
        const type *packed = (const type *)(const void *)p->packed;                                           \
        for (uint64_t b = 0; b < p->batch; b++)                                                               \
            for (uint64_t n = 0; n < p->n; n += p->columns) {                                                 \
                uint64_t columns = p->n - n < p->columns ? p->n - n : p->columns;                             \
                for (uint64_t k = 0; k < p->k; k++, packed += p->columns) {                                   \
                    type *at = given + p->offset + b * p->batch_stride + n * p->n_stride + k * p->k_stride;   \
                    type differs = 0;                                                                         \
                    if (copied)                                                                               \
                        for (uint64_t x = 0; x < columns; x++) at[x * p->n_stride] = packed[x];               \
                    else                                                                                      \
                        for (uint64_t x = 0; x < columns; x++) differs |= at[x * p->n_stride] ^ packed[x];    \
                    if (differs) return false;                                                                \
                }                                                                                             \
            }                                                                                                 \
        return true;                                                                                          \
    }
MOVE_BACK(uint8_t)
MOVE_BACK(uint16_t)
MOVE_BACK(uint32_t)
MOVE_BACK(uint64_t)

static bool move_back(const panels *p, void *given, bool copied) {
    switch (p->item) {
    case 1: return move_back_uint8_t(p, given, copied);
    case 2: return move_back_uint16_t(p, given, copied);
    case 4: return move_back_uint32_t(p, given, copied);
    default: return move_back_uint64_t(p, given, copied);
    }
}

/* Which pages of a file a step of init no longer needs, so that they can be dropped while it runs. A packing step reads the rows of a
 * storage in order, and drops each once. Nothing is known of other steps: they drop all pages of the storage a few times, and pages
 * that are needed again are read again. */
typedef struct consumed {
    uint8_t *from; /* NULL: they stay */
    uint64_t whole; /* the storage's bytes, where nothing is known of the step; otherwise 0 */
    uint64_t task_bytes, batch_bytes, tasks; /* of a panel's rows and of a batch's; panels of a batch */
    uint64_t all;                            /* panels: a step that deals them out has as many tasks */
} consumed;

/* Bytes after which pages are dropped. */
#define CONSUMED_AT_ONCE (1u << 20)
/* How many times such a step drops all pages, at most. */
#define CONSUMED_TIMES 16

static consumed consumes(const panels *p, uint8_t *given) {
    bool rows = p->k_stride == 1 && p->n_stride == p->k && (p->batch == 1 || p->batch_stride == p->n * p->k);
    uint64_t columns = p->columns < p->n ? p->columns : p->n;
    return (consumed){.from = rows ? given + p->offset * p->item : NULL,
                      .task_bytes = columns * p->k * p->item,
                      .batch_bytes = p->n * p->k * p->item,
                      .tasks = (p->n + p->columns - 1) / p->columns,
                      .all = (p->n + p->columns - 1) / p->columns * p->batch};
}

static uint64_t consumed_at(const consumed *c, int64_t task) {
    uint64_t in_batch = (uint64_t)task % c->tasks * c->task_bytes;
    return (uint64_t)task / c->tasks * c->batch_bytes + in_batch;
}
