/*
 * Steps that a library of the vendor's does: which library, what a frame keeps for each of them, and the memory that
 * they work in. A routine is a number and parameters that are scalars of the plan; the library is opened when a program
 * that needs it is created.
 */
#include "internal.h"

/* What a frame keeps of the routine steps it has run. */
typedef struct routine_state {
    product_state product;
} routine_state;

static bool needs_routine(const code *c, uint32_t routine) {
    for (uint32_t k = 0; k < c->n_init + c->n_main; k++) {
        const lx_step *step = k < c->n_init ? &c->init[k] : &c->main[k - c->n_init];
        if (step->kind == LX_STEP_ROUTINE && step->kernel == routine) return true;
    }
    return false;
}

/* Opens what the program's steps need. */
static litz_status open_libraries(shared *s, lx_error e) {
    if (needs_routine(&s->code, LX_ROUTINE_PRODUCT)) {
        if (!s->device)
            return fail(e, LITZ_ERROR_PARSE, "the plan is damaged: a program for the CPU has steps of a GPU's library");
        return lt_open(s->program.cublaslt, &s->cublaslt, e);
    }
    return LITZ_OK;
}

static void routine_release(const shared *s, routine_state *state) {
    if (!state) return;
    product_forget(s->cublaslt, &state->product);
    free(state);
}

/* The step's place among all of the program's. */
static routine_state **routine_of(const shared *s, frame *f, const lx_step *step) {
    const code *c = &s->code;
    bool main = step >= c->main && step < c->main + c->n_main;
    return &f->routines[main ? c->n_init + (uint32_t)(step - c->main) : (uint32_t)(step - c->init)];
}

static litz_status run_routine(const shared *s, frame *f, const lx_step *step, lx_error e) {
    const code *c = &s->code;
    const uint32_t *buffers = u32_of(c, step->buffers), *scalars = u32_of(c, step->scalars);
    for (uint32_t k = 0; k < step->scalars.count; k++) f->values[k] = f->scalars[scalars[k]];
    for (uint32_t k = 0; k < step->buffers.count; k++) {
        f->arguments[k] = f->buffers[buffers[k]];
        f->argument_sizes[k] = f->sizes[buffers[k]];
    }
    const int64_t *v = f->values;
    /* Without elements there is nothing to do; without a depth a plan has another step. */
    if (v[LX_PRODUCT_BATCH] <= 0 || v[LX_PRODUCT_ROWS] <= 0 || v[LX_PRODUCT_COLUMNS] <= 0) return LITZ_OK;
    routine_state **state = routine_of(s, f, step);
    if (!*state && !(*state = calloc(1, sizeof **state))) return no_memory(e, "a step's tables", sizeof **state);
    product_call call = {s->cublaslt, s->device->index, f->stream, f->arguments, f->argument_sizes, v};
    litz_status status = product_prepare(&call, &(*state)->product, e);
    if (status) return status;
    void *workspace = NULL;
    if ((*state)->product.workspace) {
        /* Of one size for all steps, which run one after another: it stays where it is. */
        if (!reserve(s, &f->workspace, LT_WORKSPACE, f->stream))
            return device_out_of_memory(s->device->driver, LT_WORKSPACE, "a matrix product's workspace", e);
        workspace = f->workspace.data;
    }
    return product_run(&call, &(*state)->product, workspace, e);
}
