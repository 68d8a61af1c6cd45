/*
 * Steps that a library of the vendor's does: which library, what a frame keeps for each of them, and the memory that
 * they work in. A routine is a number and parameters that are scalars of the plan; the library is opened when a program
 * that needs it is created.
 */
#include "internal.h"

/* What a frame keeps of the routine steps it has run. */
typedef struct routine_state {
    product_state product;
    convolution_state convolution;
} routine_state;

/* What was timed of a step, in whichever frame. */
typedef struct routine_choice {
    bool made;
    product_choice choice;
} routine_choice;

static pthread_mutex_t choice_lock = PTHREAD_MUTEX_INITIALIZER;

static bool needs_routine(const code *c, uint32_t routine) {
    for (uint32_t k = 0; k < c->n_init + c->n_main; k++) {
        const lx_step *step = k < c->n_init ? &c->init[k] : &c->main[k - c->n_init];
        if (step->kind == LX_STEP_ROUTINE && step->kernel == routine) return true;
    }
    return false;
}

/* Opens what the program's steps need. */
static litz_status open_libraries(shared *s, lx_error e) {
    bool product = needs_routine(&s->code, LX_ROUTINE_PRODUCT), convolution = needs_routine(&s->code, LX_ROUTINE_CONVOLUTION);
    litz_status status = LITZ_OK;
    if ((product || convolution) && !on_gpu(s))
        return fail(e, LITZ_ERROR_PARSE, "the plan is damaged: a program for the CPU has steps of a GPU's library");
    if (product && s->program.flags & LX_PROGRAM_MEASURES) {
        uint64_t n = s->code.n_init + (uint64_t)s->code.n_main;
        s->choices = calloc(n, sizeof *s->choices);
        if (!s->choices) return no_memory(e, "a program's tables", n * sizeof *s->choices);
    }
    vendor_library *found = NULL;
    if (product) {
        status = vendor_open(&lt_kind, s->program.cublaslt, &found, e);
        s->cublaslt = (cublaslt *)found;
    }
    if (!status && convolution) {
        status = vendor_open(&dnn_kind, s->program.cudnn, &found, e);
        s->cudnn = (cudnn *)found;
    }
    return status;
}

static void routine_release(const shared *s, routine_state *state) {
    if (!state) return;
    product_forget(s->cublaslt, &state->product);
    convolution_forget(s->cudnn, &state->convolution);
    free(state);
}

/* The step's place among all of the program's. */
static uint32_t routine_place(const shared *s, const lx_step *step) {
    const code *c = &s->code;
    bool main = step >= c->main && step < c->main + c->n_main;
    return main ? c->n_init + (uint32_t)(step - c->main) : (uint32_t)(step - c->init);
}

/* Which of the library's algorithms a step takes is timed when it first runs in any frame, once for all equal steps of the
 * process, so that programs that are held against one another have the same. Other sizes that it meets later
 * take the library's own choice: they must not wait each time. A result that is added to itself would not stay the same. */
static litz_status choose_algorithm(const shared *s, const product_call *call, uint32_t place, product_state *p, const lt_found *found,
                                    int n_found, void *workspace, lx_error e) {
    const driver *d = s->device->driver;
    bool in_place = call->parameters[LX_PRODUCT_EPILOGUE] & LX_EPILOGUE_ADDEND &&
                    call->memory[PRODUCT_ADDEND] == call->memory[PRODUCT_RESULT];
    litz_status status = LITZ_OK;
    pthread_mutex_lock(&choice_lock);
    routine_choice *own = &s->choices[place];
    const product_choice *known = own->made ? (product_chosen(&own->choice, call, p) ? &own->choice : NULL) : product_timed(call, p);
    if (known) {
        p->algorithm = known->algorithm;
        p->workspace = known->workspace;
    } else if (!own->made && !in_place) {
        status = product_measure(d, call, p, found, n_found, workspace, e);
    }
    if (!status && !own->made && (known || !in_place)) {
        own->made = true;
        own->choice = product_keep(call, p);
    }
    pthread_mutex_unlock(&choice_lock);
    return status;
}

/* Of one size for all steps, which run one after another: it stays where it is. */
static litz_status take_workspace(const shared *s, frame *f, const char *what, void **out, lx_error e) {
    if (!reserve(s, &f->workspace, LT_WORKSPACE, f->stream)) return no_room(s, LT_WORKSPACE, what, e);
    *out = f->workspace.data;
    return LITZ_OK;
}

static litz_status run_product(const shared *s, frame *f, const lx_step *step, product_state *state, lx_error e) {
    const int64_t *v = f->values;
    /* Without elements there is nothing to do; without a depth a plan has another step. */
    if (v[LX_PRODUCT_BATCH] <= 0 || v[LX_PRODUCT_ROWS] <= 0 || v[LX_PRODUCT_COLUMNS] <= 0) return LITZ_OK;
    product_call call = {s->cublaslt, s->device->index, f->stream, f->arguments, f->argument_sizes, v};
    lt_found found[LT_CHOICES];
    int n_found = 0;
    litz_status status = product_prepare(&call, state, found, &n_found, e);
    if (status) return status;
    bool measures = n_found > 1 && s->program.flags & LX_PROGRAM_MEASURES;
    void *workspace = NULL;
    if (measures || state->workspace) status = take_workspace(s, f, "a matrix product's workspace", &workspace, e);
    if (status) return status;
    if (measures) {
        status = choose_algorithm(s, &call, routine_place(s, step), state, found, n_found, workspace, e);
        if (status) return status;
    }
    return product_run(&call, state, workspace, e);
}

static litz_status run_convolution(const shared *s, frame *f, convolution_state *state, lx_error e) {
    const int64_t *v = f->values;
    for (int k = 0; k < 4; k++)
        if (v[LX_CONVOLUTION_INPUT_SIZES + k] <= 0) return LITZ_OK;
    void *workspace = NULL;
    litz_status status = take_workspace(s, f, "a convolution's workspace", &workspace, e);
    convolution_call call = {s->cudnn, s->device->index, f->stream, f->arguments, f->argument_sizes, v};
    return status ? status : convolution_run(&call, state, workspace, e);
}

static litz_status run_routine(const shared *s, frame *f, const lx_step *step, lx_error e) {
    const code *c = &s->code;
    if (!on_gpu(s)) return fail(e, LITZ_ERROR_INTERNAL, "a program for the CPU has a step of a GPU's library");
    const uint32_t *buffers = u32_of(c, step->buffers), *scalars = u32_of(c, step->scalars);
    for (uint32_t k = 0; k < step->scalars.count; k++) f->values[k] = f->scalars[scalars[k]];
    for (uint32_t k = 0; k < step->buffers.count; k++) {
        f->arguments[k] = f->buffers[buffers[k]];
        f->argument_sizes[k] = f->sizes[buffers[k]];
    }
    routine_state **state = &f->routines[routine_place(s, step)];
    if (!*state && !(*state = calloc(1, sizeof **state))) return no_memory(e, "a step's tables", sizeof **state);
    return step->kernel == LX_ROUTINE_PRODUCT ? run_product(s, f, step, &(*state)->product, e)
                                              : run_convolution(s, f, &(*state)->convolution, e);
}
