/* Letting somebody see a run between its steps: what compares a program's kernels with the interpreter. Nothing here is called
 * where nobody looks. */
#include "internal.h"

struct lx_view {
    const shared *s;
    frame *f;
};

static litz_status observe(const shared *s, frame *f, int32_t init, uint32_t step, lx_error e) {
    const lx_view view = {s, f};
    return s->program.observe(s->program.observe_context, &view, init, step, e.text, e.size);
}

static litz_status observe_step(const shared *s, frame *f, const lx_step *step, lx_error e) {
    const code *c = &s->code;
    bool init = step >= c->init && step < c->init + c->n_init;
    return observe(s, f, init, (uint32_t)(step - (init ? c->init : c->main)), e);
}

uint64_t lx_view_run(const lx_view *view) { return (uint64_t)(uintptr_t)view->f; }

uint64_t lx_view_bytes(const lx_view *view, uint32_t buffer) {
    return buffer < view->s->code.n_buffers ? view->f->sizes[buffer] : 0;
}

litz_status lx_view_read(const lx_view *view, uint32_t buffer, void *to, uint64_t bytes, char *error, size_t error_size) {
    lx_error e = {error, error_size};
    if (buffer >= view->s->code.n_buffers) return fail(e, LITZ_ERROR_INTERNAL, "the plan has no buffer %u", buffer);
    return bytes ? fetch(view->s, view->f, buffer, to, bytes, e) : LITZ_OK;
}

int lx_view_symbol(const lx_view *view, uint32_t symbol, int64_t *value) {
    const code *c = &view->s->code;
    if (symbol >= c->n_symbols || (c->symbols[symbol].source == LX_SOURCE_STEP && !view->f->known[symbol])) return 0;
    *value = view->f->symbols[symbol];
    return 1;
}
