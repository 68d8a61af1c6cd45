/*
 * Constants that need not be held as they were given: what is derived from one may hold all of its bytes, moved to other
 * places. Then it is not kept, and worked out again when somebody asks for it.
 *
 * How: the step that moved the bytes is run over words that are their own places, which shows where each went. That the
 * way back gives every byte is seen by doing it, before a constant is let go: nothing is assumed of a step.
 */
#include "internal.h"

/* Smaller storages are not worth the look. */
#define RECOVER_FROM (64u << 10)

/* The step and the piece that storage `k` may be worked out from again. Every step that reads it makes pieces that are kept out of
 * it alone, so that none of them runs again before it changes. */
static bool find_source(const shared *s, uint32_t k, uint32_t *step, uint32_t *piece) {
    const code *c = &s->code;
    const derivation *d = &s->derived;
    bool found = false;
    if (on_gpu(s) || d->read_by_runs[k] || c->storages[k].flags & LX_TENSOR_MUTATED || c->storages[k].bytes < RECOVER_FROM ||
        c->storages[k].bytes % 4)
        return false;
    for (uint32_t n = 0; n < c->n_init; n++) {
        /* What a step does beside moving might depend on what the words are. */
        bool reads = false, alone = !d->goes_on[n] && c->init[n].kind == LX_STEP_KERNEL && c->init[n].moves;
        uint32_t makes = LX_NONE;
        for EACH_BUFFER(c, &c->init[n], id) {
            const lx_buffer *b = &c->buffers[id];
            uint32_t p = d->piece_of[id];
            if (b->kind == LX_BUFFER_STORAGE && b->index == k) reads = true;
            else if (p == LX_NONE || d->first[p] != n || !d->kept[p]) alone = false;
            else makes = p;
        }
        if (!reads) continue;
        if (!alone || makes == LX_NONE) return false;
        if (found) continue;
        *step = n;
        *piece = makes;
        found = true;
    }
    return found;
}

/* A pass over the words of the storage's places: `part` of the words that are as many bytes as `grain`. */
static void fill_places(uint8_t *at, uint64_t bytes, uint32_t grain, uint32_t part) {
    uint64_t n = bytes / grain;
    for (uint64_t w = 0; w < n; w++) {
        uint32_t place = (uint32_t)(w + 1) >> (8 * grain * part);
        memcpy(at + w * grain, &place, grain);
    }
}

typedef struct recovery {
    const shared *s;
    frame *f;
    uint32_t storage, step, piece, grain;
    block *places, *moved; /* the step's input and its output */
    uint32_t *sources;     /* of each word of the piece: 1 + the word of the storage that it is; 0: none */
} recovery;

/* Runs the step over the places, part by part. */
static litz_status trace(recovery *r, lx_error e) {
    const code *c = &r->s->code;
    const derivation *d = &r->s->derived;
    uint64_t bytes = c->storages[r->storage].bytes, n = d->bytes[r->piece] / r->grain;
    memset(r->sources, 0, n * sizeof *r->sources);
    for (uint32_t part = 0; part < 4 / r->grain; part++) {
        fill_places(r->places->memory.data, bytes, r->grain, part);
        for EACH_BUFFER(c, &c->init[r->step], id) {
            bool input = c->buffers[id].kind == LX_BUFFER_STORAGE;
            if (!input && d->piece_of[id] != r->piece) return LITZ_ERROR_UNSUPPORTED;
            block *b = input ? r->places : r->moved;
            r->f->buffers[id] = b->memory.data;
            r->f->sizes[id] = b->memory.capacity;
        }
        memset(r->moved->memory.data, 0, (size_t)d->bytes[r->piece]);
        litz_status status = run_steps(r->s, r->f, &c->init[r->step], 1, NULL, NULL, e);
        if (status) return status;
        for (uint64_t w = 0; w < n; w++) {
            uint32_t place = 0;
            memcpy(&place, (uint8_t *)r->moved->memory.data + w * r->grain, r->grain);
            r->sources[w] |= place << (8 * r->grain * part);
        }
    }
    return LITZ_OK;
}

/* Puts the words of the piece back to their places; how many places were given. */
static uint64_t put_back(const recovery *r, const uint8_t *piece, uint8_t *to, uint8_t *given) {
    uint64_t n = r->s->derived.bytes[r->piece] / r->grain, all = r->s->code.storages[r->storage].bytes / r->grain, count = 0;
    for (uint64_t w = 0; w < n; w++) {
        uint64_t place = r->sources[w];
        if (!place || place > all) continue;
        memcpy(to + (place - 1) * r->grain, piece + w * r->grain, r->grain);
        if (!given[place - 1]) count++;
        given[place - 1] = 1;
    }
    return count;
}

/* Works a storage out again, with words of `grain` bytes. Unless all of its bytes are found: LITZ_ERROR_UNSUPPORTED. */
static litz_status recover_by(const shared *s, frame *f, block *const *pieces, uint32_t k, uint32_t grain, block **out, lx_error e) {
    recovery r = {.s = s, .f = f, .storage = k, .grain = grain};
    if (!find_source(s, k, &r.step, &r.piece) || s->derived.bytes[r.piece] % grain ||
        s->code.storages[k].bytes / grain >= INT32_MAX)
        return LITZ_ERROR_UNSUPPORTED;
    uint64_t bytes = s->code.storages[k].bytes;
    uint8_t *given = calloc(bytes / grain + 1, 1);
    r.places = block_new(s, LX_MEMORY_FRAMES, bytes);
    r.moved = block_new(s, LX_MEMORY_FRAMES, s->derived.bytes[r.piece]);
    r.sources = malloc((s->derived.bytes[r.piece] / grain + 1) * sizeof *r.sources);
    block *made = block_new(s, LX_MEMORY_WEIGHTS, bytes);
    litz_status status = LITZ_OK;
    if (!given || !r.places || !r.moved || !r.sources || !made)
        status = fail(e, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for a constant (%llu bytes)", (unsigned long long)bytes);
    if (!status) status = trace(&r, e);
    if (!status && put_back(&r, pieces[r.piece]->memory.data, made->memory.data, given) != bytes / grain)
        status = LITZ_ERROR_UNSUPPORTED;
    free(given);
    free(r.sources);
    block_release(s, r.places);
    block_release(s, r.moved);
    if (status) block_release(s, made);
    else *out = made;
    return status;
}

/* Works a storage out again that was let go. */
static litz_status recover(const shared *s, frame *f, block *const *pieces, uint32_t k, block **out, lx_error e) {
    litz_status status = recover_by(s, f, pieces, k, s->derived.grains[k], out, e);
    return status == LITZ_ERROR_UNSUPPORTED ? fail(e, LITZ_ERROR_INTERNAL, "constant storage %u cannot be found again", k) : status;
}

/* Whether a storage can be let go: it is worked out, and compared. Notes how. */
static bool can_recover(shared *s, frame *f, block *const *pieces, uint32_t k, const void *data) {
    static const uint8_t grains[] = {4, 2, 1};
    uint32_t step, piece;
    if (!data || !find_source(s, k, &step, &piece)) return false;
    for (uint32_t n = 0; n < sizeof grains; n++) {
        block *made = NULL;
        if (recover_by(s, f, pieces, k, grains[n], &made, (lx_error){NULL, 0})) continue;
        bool same = !memcmp(made->memory.data, data, (size_t)s->code.storages[k].bytes);
        block_release(s, made);
        if (!same) continue;
        s->derived.grains[k] = grains[n];
        return true;
    }
    return false;
}
