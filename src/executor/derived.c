/*
 * What constants determine: packed weights and folded subgraphs. Each buffer of it is a piece with memory of its own,
 * so that clones and programs share the pieces that are equal, and an update makes anew what depends on it alone.
 *
 * Invariants:
 * - a piece is written by the step of init that names it first, and by steps that write nothing else that is new;
 * - a piece that is made is never written again: who needs another content gets another block;
 * - pieces that no run uses live as long as the derivation that needs them;
 * - a step whose pieces no other step reads only asserts something. It runs again whenever its operands change.
 */
#include "internal.h"

/* The buffers that a step names, by number; LX_NONE behind the last. */
static uint32_t named_buffer(const code *c, const lx_step *step, uint32_t n) {
    switch (step->kind) {
    case LX_STEP_COPY: return n == 0 ? step->destination : n == 1 ? step->source : LX_NONE;
    case LX_STEP_READ: return n == 0 ? step->source : LX_NONE;
    case LX_STEP_IF:
    case LX_STEP_WHILE: return n == 0 ? step->source : LX_NONE;
    case LX_STEP_KERNEL:
    case LX_STEP_ROUTINE:
        if (n < step->buffers.count) return u32_of(c, step->buffers)[n];
        n -= step->buffers.count;
        if (step->kind == LX_STEP_KERNEL && n < step->source) return c->maps[step->destination + n].buffer;
        return LX_NONE;
    default: return LX_NONE;
    }
}

#define EACH_BUFFER(c, step, id) (uint32_t n_ = 0, id; (id = named_buffer(c, step, n_)) != LX_NONE; n_++)

static bool step_writes(const shared *s, uint32_t k, uint32_t piece) {
    const code *c = &s->code;
    const derivation *d = &s->derived;
    const lx_step *step = &c->init[k];
    if (step->kind == LX_STEP_COPY) return d->piece_of[step->destination] == piece;
    if (step->kind == LX_STEP_ROUTINE) {
        for (uint32_t n = 0; n < step->buffers.count; n++)
            if (routine_writes(c, step, n) && d->piece_of[u32_of(c, step->buffers)[n]] == piece) return true;
        return false;
    }
    return d->first[piece] == k || d->goes_on[k];
}

static void derivation_release(derivation *d) {
    free(d->piece_of);
    free(d->first);
    free(d->bytes);
    free(d->kept);
    free(d->goes_on);
    free(d->asserts);
    free(d->last_use);
    free(d->read_by_runs);
}

/* The compiler removes steps whose results nobody reads, unless they can fail. So those that are left assert something. */
static void find_assertions(const code *c, derivation *d) {
    for (uint32_t k = 0; k < c->n_init; k++) d->asserts[k] = !d->goes_on[k];
    for (uint32_t k = 0; k < c->n_init; k++)
        for EACH_BUFFER(c, &c->init[k], id) {
            uint32_t piece = d->piece_of[id];
            if (piece == LX_NONE) continue;
            if (d->kept[piece]) d->asserts[k] = 0;
            if (d->first[piece] != k) d->asserts[d->first[piece]] = 0;
        }
}

/* Reads off the plan what init makes; the sizes of derived buffers are fixed and known. */
static litz_status derivation_fill(shared *s, lx_error e) {
    const code *c = &s->code;
    derivation *d = &s->derived;
    d->piece_of = malloc((c->n_buffers + 1u) * sizeof *d->piece_of);
    d->first = malloc((c->n_buffers + 1u) * sizeof *d->first);
    d->bytes = malloc((c->n_buffers + 1u) * sizeof *d->bytes);
    d->kept = calloc(c->n_buffers + 1u, 1);
    d->goes_on = calloc(c->n_init + 1u, 1);
    d->asserts = calloc(c->n_init + 1u, 1);
    d->last_use = malloc((c->n_storages + 1u) * sizeof *d->last_use);
    d->read_by_runs = calloc(c->n_storages + 1u, 1);
    if (!d->piece_of || !d->first || !d->bytes || !d->kept || !d->goes_on || !d->asserts || !d->last_use || !d->read_by_runs)
        return fail(e, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for a program's tables");
    for (uint32_t k = 0; k < c->n_storages; k++) d->last_use[k] = LX_NONE;
    for (uint32_t k = 0; k < c->n_buffers; k++) {
        const lx_buffer *b = &c->buffers[k];
        d->piece_of[k] = LX_NONE;
        if (b->kind != LX_BUFFER_DERIVED) continue;
        int64_t bytes = s->scalars[b->bytes];
        if (bytes < 0 || (uint64_t)bytes > c->plan->derived_bytes - b->offset)
            return fail(e, LITZ_ERROR_PARSE, "the plan is damaged: buffer %u reaches beyond what is derived", k);
        d->first[d->n_pieces] = LX_NONE;
        d->bytes[d->n_pieces] = (uint64_t)bytes;
        d->piece_of[k] = d->n_pieces++;
    }
    for (uint32_t k = 0; k < c->n_init; k++) {
        bool makes = false;
        for EACH_BUFFER(c, &c->init[k], id) {
            uint32_t piece = d->piece_of[id];
            if (c->buffers[id].kind == LX_BUFFER_STORAGE) d->last_use[c->buffers[id].index] = k;
            if (piece == LX_NONE || (d->first[piece] != LX_NONE && d->first[piece] != k)) continue;
            d->first[piece] = k;
            makes = true;
        }
        d->goes_on[k] = !makes;
    }
    for (uint32_t k = 0; k < c->n_main; k++)
        for EACH_BUFFER(c, &c->main[k], id) {
            if (c->buffers[id].kind == LX_BUFFER_STORAGE) d->read_by_runs[c->buffers[id].index] = 1;
            if (d->piece_of[id] == LX_NONE) continue;
            d->kept[d->piece_of[id]] = 1;
            if (d->first[d->piece_of[id]] == LX_NONE)
                return fail(e, LITZ_ERROR_PARSE, "the plan is damaged: no step of init writes buffer %u", (unsigned)id);
        }
    find_assertions(c, d);
    return LITZ_OK;
}

/* One derivation: which steps run, and which pieces they make. */
typedef struct derive_job {
    const shared *s;
    frame *f;
    const uint8_t *changed;  /* by storage; NULL: all is new */
    block *const *old;       /* by piece, NULL where there is none */
    block **made;            /* by piece */
    uint8_t *runs, *dirty, *fresh;
    uint32_t *last; /* by piece: the last step that runs and names it */
} derive_job;

static bool step_is_dirty(const derive_job *j, uint32_t k) {
    const code *c = &j->s->code;
    if (!j->changed) return true;
    for EACH_BUFFER(c, &c->init[k], id) {
        uint32_t piece = j->s->derived.piece_of[id];
        if (piece != LX_NONE ? j->dirty[piece] : c->buffers[id].kind == LX_BUFFER_STORAGE && j->changed[c->buffers[id].index])
            return true;
    }
    return false;
}

/* A step runs if it makes a piece anew or asserts something about changed data. Then all that it writes is made anew, and what it
 * reads must be there. */
static void choose_steps(derive_job *j) {
    const code *c = &j->s->code;
    const derivation *d = &j->s->derived;
    for (uint32_t k = 0; k < c->n_init; k++) {
        if (!step_is_dirty(j, k)) continue;
        for EACH_BUFFER(c, &c->init[k], id)
            if (d->piece_of[id] != LX_NONE && step_writes(j->s, k, d->piece_of[id])) j->dirty[d->piece_of[id]] = 1;
    }
    for (uint32_t p = 0; p < d->n_pieces; p++) j->fresh[p] = j->dirty[p] && d->kept[p];
    for (bool more = true; more;) {
        more = false;
        for (uint32_t k = c->n_init; k-- > 0;) {
            bool wanted = d->asserts[k] && step_is_dirty(j, k);
            for EACH_BUFFER(c, &c->init[k], id)
                wanted = wanted || (d->piece_of[id] != LX_NONE && j->fresh[d->piece_of[id]] && step_writes(j->s, k, d->piece_of[id]));
            if (!wanted || j->runs[k]) continue;
            j->runs[k] = 1;
            more = true;
            for EACH_BUFFER(c, &c->init[k], id) {
                uint32_t p = d->piece_of[id];
                if (p != LX_NONE && (step_writes(j->s, k, p) || j->dirty[p] || !j->old[p])) j->fresh[p] = 1;
            }
        }
    }
    for (uint32_t k = 0; k < c->n_init; k++)
        for EACH_BUFFER(c, &c->init[k], id)
            if (j->runs[k] && d->piece_of[id] != LX_NONE) j->last[d->piece_of[id]] = k;
}

static void show_piece(const derive_job *j, uint32_t id, const block *b) {
    j->f->buffers[id] = b->memory.data;
    j->f->sizes[id] = j->s->derived.bytes[j->s->derived.piece_of[id]];
}

/* Memory for what a step writes, and the place of what it reads. Padding that no kernel writes is the same in every process. */
static litz_status place_pieces(derive_job *j, uint32_t k, lx_error e) {
    const code *c = &j->s->code;
    const derivation *d = &j->s->derived;
    for EACH_BUFFER(c, &c->init[k], id) {
        uint32_t p = d->piece_of[id];
        if (p == LX_NONE) continue;
        if (j->fresh[p] && !j->made[p]) {
            if (!(j->made[p] = block_new(j->s, LX_MEMORY_PACKED, d->bytes[p])))
                return fail(e, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for what is derived from constants (%llu bytes)",
                            (unsigned long long)d->bytes[p]);
            litz_status status = LITZ_OK;
            if (on_gpu(j->s)) status = device_clear(j->s->device, j->made[p]->memory.data, d->bytes[p], e);
            else memset(j->made[p]->memory.data, 0, (size_t)d->bytes[p]);
            if (status) return status;
        }
        show_piece(j, id, j->fresh[p] ? j->made[p] : j->old[p]);
    }
    return LITZ_OK;
}

/* Whether a storage's pages are a file's, and are done with after this step. */
static bool leaves(const derive_job *j, uint32_t k, const lx_buffer *b) {
    const derivation *d = &j->s->derived;
    return b->kind == LX_BUFFER_STORAGE && d->last_use[b->index] == k && !d->read_by_runs[b->index] && j->s->program.mapped &&
           j->s->program.mapped[b->index];
}

static void consume(const derive_job *j, uint32_t k) {
    const code *c = &j->s->code;
    j->f->consumed = (consumed){.from = NULL};
    if (on_gpu(j->s)) return;
    for EACH_BUFFER(c, &c->init[k], id) {
        panels p;
        if (!leaves(j, k, &c->buffers[id])) continue;
        if (read_panels(c, &c->init[k], j->f->sizes[id], UINT64_MAX, &p)) j->f->consumed = consumes(&p, j->f->buffers[id]);
        if (!j->f->consumed.from && j->f->sizes[id] > CONSUMED_AT_ONCE)
            j->f->consumed = (consumed){.from = j->f->buffers[id], .whole = j->f->sizes[id]};
    }
}

/* Runs a packing step whose panels each take columns of a row-major matrix in a file. Its kernel goes panel by panel, so that every panel
 * reads all pages. This does the same row by row, and drops pages as it goes. False: the step is another one, and has not run. */
static bool pack_rows(const derive_job *j, uint32_t k) {
    const code *c = &j->s->code;
    const derivation *d = &j->s->derived;
    uint32_t from = LX_NONE, to = LX_NONE;
    panels p;
    if (!j->f->consumed.whole || d->goes_on[k]) return false;
    for EACH_BUFFER(c, &c->init[k], id) {
        uint32_t *other = c->buffers[id].kind == LX_BUFFER_STORAGE ? &from : &to;
        if (*other != LX_NONE && *other != id) return false;
        *other = id;
    }
    if (from == LX_NONE || to == LX_NONE || d->piece_of[to] == LX_NONE ||
        !read_panels(c, &c->init[k], j->f->sizes[from], j->f->sizes[to], &p) || p.n_stride != 1)
        return false;
    const uint64_t row = p.n * p.item, piece = p.columns * p.item, panel = p.k * piece, panels_of = (p.n + p.columns - 1) / p.columns;
    uint64_t since = 0;
    for (uint64_t b = 0; b < p.batch; b++)
        for (uint64_t x = 0; x < p.k; x++) {
            const uint8_t *at = (const uint8_t *)j->f->buffers[from] + (p.offset + b * p.batch_stride + x * p.k_stride) * p.item;
            uint8_t *put = (uint8_t *)j->f->buffers[to] + b * panels_of * panel + x * piece;
            for (uint64_t done = 0; done < row; done += piece, put += panel)
                memcpy(put, at + done, (size_t)(row - done < piece ? row - done : piece));
            if ((since += row) < CONSUMED_AT_ONCE) continue;
            forget_pages(j->f->buffers[from], j->f->sizes[from]);
            since = 0;
        }
    return true;
}

static bool written_later(const derive_job *j, uint32_t k, uint32_t piece) {
    for (uint32_t next = k + 1; next <= j->last[piece]; next++)
        if (j->runs[next] && j->s->derived.goes_on[next]) return true;
    return false;
}

/* After a step: pieces that are done are shared, those that nobody needs any more go, and so do pages of weights. */
static litz_status settle_pieces(derive_job *j, uint32_t k, lx_error e) {
    const code *c = &j->s->code;
    const derivation *d = &j->s->derived;
    litz_status status;
    for EACH_BUFFER(c, &c->init[k], id) {
        const lx_buffer *b = &c->buffers[id];
        uint32_t p = d->piece_of[id];
        if (leaves(j, k, b)) forget_pages(j->f->buffers[id], j->f->sizes[id]);
        if (p == LX_NONE || !j->made[p] || !j->fresh[p]) continue;
        if (d->kept[p] && j->dirty[p]) {
            if (!step_writes(j->s, k, p) || j->made[p]->listed || written_later(j, k, p)) continue;
            if ((status = block_share(j->s, &j->made[p], e))) return status;
            show_piece(j, id, j->made[p]);
        } else if (j->last[p] == k) {
            block_release(j->s, j->made[p]);
            j->made[p] = NULL;
        }
    }
    return LITZ_OK;
}

/* Makes the pieces that depend on the storages that changed; the others are held once more. The frame's buffers of storages have
 * their places. */
static litz_status derive_pieces(const shared *s, frame *f, const uint8_t *changed, block *const *old, block **made, lx_error e) {
    const code *c = &s->code;
    const derivation *d = &s->derived;
    size_t n = d->n_pieces;
    uint8_t *flags = calloc(c->n_init + 2 * n + 1, 1);
    uint32_t *last = calloc(n + 1, sizeof *last);
    derive_job j = {s, f, changed, old, made, flags, flags ? flags + c->n_init : NULL, flags ? flags + c->n_init + n : NULL, last};
    litz_status status = LITZ_OK;
    if (!flags || !last) status = fail(e, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for a program's tables");
    else choose_steps(&j);
    for (uint32_t k = 0; !status && k < c->n_init; k++) {
        if (!j.runs[k]) continue;
        status = place_pieces(&j, k, e);
        if (!status) consume(&j, k);
        if (!status && !pack_rows(&j, k)) status = run_steps(s, f, &c->init[k], 1, NULL, NULL, e);
        f->consumed = (consumed){.from = NULL};
        if (!status) status = settle_pieces(&j, k, e);
    }
    for (size_t p = 0; !status && p < n; p++)
        if (!made[p] && d->kept[p]) made[p] = block_hold(old[p]);
    for (size_t p = 0; status && p < n; p++) {
        block_release(s, made[p]);
        made[p] = NULL;
    }
    free(flags);
    free(last);
    return status;
}
