/*
 * Constants that need not be held as they were given: packed operands may hold all of their bytes, moved to other places. Then
 * one is not kept, and is worked out again when somebody asks for it.
 *
 * How: the steps that pack say where each element goes (lx_step's `detail`). That the panels do hold what the constant holds is
 * seen element by element before it is let go.
 */
#include "internal.h"

/* Smaller storages are not worth the look. */
#define RECOVER_FROM (64u << 10)

/* The panels that hold storage `k` from element `from` on; an element has `item` bytes (0: any). */
static bool find_panels(const shared *s, block *const *pieces, uint32_t k, uint64_t item, uint64_t from, panels *out) {
    const code *c = &s->code;
    const derivation *d = &s->derived;
    for (uint32_t n = 0; n < c->n_init; n++) {
        uint32_t piece = LX_NONE;
        bool reads = false, others = false;
        for EACH_BUFFER(c, &c->init[n], id) {
            if (c->buffers[id].kind != LX_BUFFER_STORAGE) piece = d->piece_of[id];
            else if (c->buffers[id].index == k) reads = true;
            else others = true;
        }
        if (!reads || others || piece == LX_NONE || !pieces[piece] ||
            !read_panels(c, &c->init[n], c->storages[k].bytes, pieces[piece]->memory.capacity, out) || (item && out->item != item) ||
            out->offset > from || out->offset + out->count <= from)
            continue;
        out->packed = pieces[piece]->memory.data;
        return true;
    }
    return false;
}

/* Copies a storage together from panels, or compares it with them; false: they do not hold all of it, or something else. */
static bool from_panels(const shared *s, block *const *pieces, uint32_t k, void *given, bool copied) {
    panels p = {.item = 0};
    for (uint64_t done = 0; !done || done * p.item < s->code.storages[k].bytes; done = p.offset + p.count)
        if (!find_panels(s, pieces, k, p.item, done, &p) || !move_back(&p, given, copied)) return false;
    return true;
}

/* Works a storage out again that was let go. */
static litz_status recover(const shared *s, block *const *pieces, uint32_t k, block **out, lx_error e) {
    uint64_t bytes = s->code.storages[k].bytes;
    block *made = block_new(s, LX_MEMORY_WEIGHTS, bytes);
    if (!made) return fail(e, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for a constant (%llu bytes)", (unsigned long long)bytes);
    if (!from_panels(s, pieces, k, made->memory.data, true)) {
        block_release(s, made);
        return fail(e, LITZ_ERROR_INTERNAL, "constant storage %u cannot be found again", k);
    }
    *out = made;
    return LITZ_OK;
}

/* Whether a storage can be let go: no step reads it before it changes, and panels hold the same. */
static bool can_recover(const shared *s, block *const *pieces, uint32_t k, const void *data) {
    const code *c = &s->code;
    const derivation *d = &s->derived;
    if (!data || on_gpu(s) || d->read_by_runs[k] || c->storages[k].flags & LX_TENSOR_MUTATED || c->storages[k].bytes < RECOVER_FROM)
        return false;
    for (uint32_t n = 0; n < c->n_init; n++) {
        /* A step runs again for its other operands, and for results that are not kept. */
        bool reads = false, alone = true;
        for EACH_BUFFER(c, &c->init[n], id) {
            const lx_buffer *b = &c->buffers[id];
            uint32_t p = d->piece_of[id];
            if (b->kind == LX_BUFFER_STORAGE && b->index == k) reads = true;
            else if (p == LX_NONE || d->first[p] != n || !d->kept[p]) alone = false;
        }
        if (reads && (!alone || d->goes_on[n])) return false;
    }
    return from_panels(s, pieces, k, (void *)(uintptr_t)data, false);
}
