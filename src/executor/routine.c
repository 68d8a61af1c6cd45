/*
 * Steps of libraries, the vendor's and Litz's own: which library, what a frame keeps for each of them, and the memory that
 * they work in. A routine is a number and parameters that are scalars of the plan; the library is opened when a program
 * that needs it is created.
 */
#include "internal.h"

/* A routine of Litz's own library in a program for a GPU: copies of its operands for the host, and what the device's library keeps. */
typedef struct beside_state {
    host_copies copies;
    solver_state solver;
} beside_state;

/* What a frame keeps of a step that it has run. */
typedef struct routine_state {
    void (*forget)(const shared *, struct routine_state *);
    union {
        product_state product;
        convolution_state convolution;
        transform_state transform;
        beside_state beside;
    };
} routine_state;

/* What was timed of a step, in whichever frame. */
typedef struct routine_choice {
    bool made;
    product_choice choice;
} routine_choice;

static void forget_product(const shared *s, routine_state *state) {
    product_forget((const cublaslt *)s->libraries[LX_LIBRARY_CUBLASLT], &state->product);
}
static void forget_convolution(const shared *s, routine_state *state) {
    convolution_forget((const cudnn *)s->libraries[LX_LIBRARY_CUDNN], &state->convolution);
}

static void forget_transform(const shared *s, routine_state *state) {
    transform_forget((const cufft *)s->libraries[LX_LIBRARY_CUFFT], &state->transform);
}
static void forget_beside(const shared *s, routine_state *state) {
    solver_forget(s->device, &state->beside.solver);
    pinned_release(s->device, &state->beside.copies);
}

static pthread_mutex_t choice_lock = PTHREAD_MUTEX_INITIALIZER;

/* Whether a step is a routine of the library, or one that it does on a device in the place of Litz's own. */
static bool needs_library(const code *c, uint32_t library) {
    for (uint32_t k = 0; k < c->n_init + c->n_main; k++) {
        const lx_step *step = k < c->n_init ? &c->init[k] : &c->main[k - c->n_init];
        if (step->kind != LX_STEP_ROUTINE) continue;
        if (lx_routines[step->kernel].library == library || lx_routines[step->kernel].on_device == library) return true;
    }
    return false;
}

/* Opens what does steps in the place of Litz's own library. One that nobody named need not be there: the host does them. */
static litz_status open_solver(shared *s, lx_error e) {
    if (!on_gpu(s) || !(s->program.flags & LX_PROGRAM_FACTORISES)) return LITZ_OK;
    const char *path = s->program.libraries[LX_LIBRARY_CUSOLVER];
    litz_status status = solver_open(path, &s->libraries[LX_LIBRARY_CUSOLVER], e);
    return path ? status : LITZ_OK;
}

/* Opens what the program's steps need. */
static litz_status open_libraries(shared *s, lx_error e) {
    if (!(LX_IS_WATCHED && s->program.call_host) && needs_library(&s->code, LX_LIBRARY_HOST))
        return fail(e, LITZ_ERROR_UNSUPPORTED,
                    "the program calls operators of a host's, which its metadata names as `needs`: litz_executable_open takes them");
    litz_status status = LITZ_OK;
    static vendor_kind *const kinds[LX_N_LIBRARIES] = {[LX_LIBRARY_CUBLASLT] = &lt_kind,
                                                       [LX_LIBRARY_CUDNN] = &dnn_kind,
                                                       [LX_LIBRARY_CUFFT] = &fft_kind};
    for (uint32_t k = 0; k < LX_N_LIBRARIES; k++) {
        if (k == LX_LIBRARY_HOST || !needs_library(&s->code, k)) continue;
        if (k == LX_LIBRARY_CUSOLVER) {
            status = open_solver(s, e);
            if (status) return status;
            continue;
        }
        if (kinds[k] && !on_gpu(s))
            return fail(e, LITZ_ERROR_PARSE, "the plan is damaged: it has steps of a library for another device");
        if (k == LX_LIBRARY_LINALG && !linalg_is_linked())
            return fail(e, LITZ_ERROR_PARSE, "the plan is damaged: it has steps of a library that its artifact was linked without");
        status = kinds[k] ? vendor_open(kinds[k], s->program.libraries[k], &s->libraries[k], e)
                                      : lx_linalg_open(s->program.libraries[k], &s->linalg, e);
        if (status) return status;
    }
    if (s->libraries[LX_LIBRARY_CUBLASLT] && s->program.flags & LX_PROGRAM_MEASURES) {
        uint64_t n = s->code.n_init + (uint64_t)s->code.n_main;
        s->choices = calloc(n, sizeof *s->choices);
        if (!s->choices) return no_memory(e, "a program's tables", n * sizeof *s->choices);
    }
    return LITZ_OK;
}

static void routine_release(const shared *s, routine_state *state) {
    if (!state) return;
    if (state->forget) state->forget(s, state);
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
    bool in_place = call->parameters->has_addend && call->memory[LX_PRODUCT_ADDEND] == call->memory[LX_PRODUCT_RESULT];
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

static bool needs_a_library(const shared *s) {
    for (uint32_t k = 0; k < LX_N_LIBRARIES; k++)
        if (s->libraries[k]) return true;
    return false;
}

/* The most that any step of a run works in, whose sizes are known. */
static bool reserve_workspace(const shared *s, frame *f) {
    uint64_t most = 0;
    for (uint32_t k = 0; k < s->code.n_main; k++) {
        const lx_step *step = &s->code.main[k];
        if (step->kind != LX_STEP_ROUTINE || f->scalars[step->scratch] < 0) continue;
        uint64_t own = (uint64_t)f->scalars[step->scratch];
        most = own > most ? own : most;
    }
    return !most || reserve(s, &f->workspace, most, f->stream);
}

/* All steps of a frame share it, as they run one after another. */
static litz_status take_workspace(const shared *s, frame *f, uint64_t bytes, const char *what, void **out, lx_error e) {
    if (!reserve(s, &f->workspace, bytes, f->stream)) return no_room(s, bytes, what, e);
    *out = f->workspace.data;
    return LITZ_OK;
}

static litz_status run_product(const shared *s, frame *f, const lx_step *step, routine_state *state, uint64_t room, lx_error e) {
    const lx_product *v = (const lx_product *)(const void *)f->values;
    state->forget = forget_product;
    /* Without elements there is nothing to do; without a depth a plan has another step. */
    if (v->batch <= 0 || v->rows <= 0 || v->columns <= 0) return LITZ_OK;
    cublaslt *lt = (cublaslt *)s->libraries[LX_LIBRARY_CUBLASLT];
    product_call call = {lt, s->device->index, f->stream, f->arguments, f->argument_sizes, v, room};
    product_state *p = &state->product;
    lt_found found[LT_CHOICES];
    int n_found = 0;
    litz_status status = product_prepare(&call, p, found, &n_found, e);
    if (status) return status;
    bool measures = n_found > 1 && s->program.flags & LX_PROGRAM_MEASURES;
    void *workspace = NULL;
    if (measures || p->workspace) status = take_workspace(s, f, room, "a matrix product's workspace", &workspace, e);
    if (status) return status;
    if (measures) {
        status = choose_algorithm(s, &call, routine_place(s, step), p, found, n_found, workspace, e);
        if (status) return status;
    }
    return product_run(&call, p, workspace, e);
}

static litz_status run_convolution(const shared *s, frame *f, const lx_step *step, routine_state *state, uint64_t room, lx_error e) {
    const lx_convolution *v = (const lx_convolution *)(const void *)f->values;
    (void)step;
    state->forget = forget_convolution;
    for (int k = 0; k < 4; k++)
        if (v->input_sizes[k] <= 0) return LITZ_OK;
    void *workspace = NULL;
    litz_status status = take_workspace(s, f, room, "a convolution's workspace", &workspace, e);
    cudnn *dnn = (cudnn *)s->libraries[LX_LIBRARY_CUDNN];
    convolution_call call = {dnn, s->device->index, f->stream, f->arguments, f->argument_sizes, v, room};
    return status ? status : convolution_run(&call, &state->convolution, workspace, e);
}

static litz_status run_transform(const shared *s, frame *f, const lx_step *step, routine_state *state, uint64_t room, lx_error e) {
    const lx_transform *v = (const lx_transform *)(const void *)f->values;
    (void)step, (void)room;
    state->forget = forget_transform;
    if (v->outer <= 0 || v->n <= 0 || v->inner <= 0) return LITZ_OK;
    const cufft *fft = (const cufft *)s->libraries[LX_LIBRARY_CUFFT];
    transform_call call = {fft, s->device, f->stream, f->arguments, f->argument_sizes, v};
    bool copied[2];
    uint64_t begin[2] = {0, 0}, bytes = 0;
    litz_status status = transform_prepare(&call, &state->transform, copied, begin, &bytes, e);
    void *workspace = NULL;
    if (!status && bytes) status = take_workspace(s, f, bytes, "a Fourier transform's workspace", &workspace, e);
    if (status) return status;
    uint8_t *copies[2] = {NULL, NULL};
    for (int k = 0; k < 2; k++)
        if (copied[k]) copies[k] = (uint8_t *)workspace + begin[k];
    return transform_run(&call, &state->transform, workspace, copies, e);
}

/* How each routine is run, with so many bytes of workspace at most. */
static litz_status (*const routine_runs[LX_N_ROUTINES])(const shared *, frame *, const lx_step *, routine_state *, uint64_t, lx_error) = {
    [LX_ROUTINE_PRODUCT] = run_product,
    [LX_ROUTINE_CONVOLUTION] = run_convolution,
    [LX_ROUTINE_TRANSFORM] = run_transform,
};

/* Shares tasks out among threads: see steps.c. */
static void spread_tasks(const shared *s, const litz_run_options *o, range_fn body, void *argument, int64_t tasks, int64_t grain);

/* One step of Litz's own library, whose threads each do some elements of the batch. */
typedef struct linalg_call {
    linalg_fn function;
    const frame *frame;
    void *const *operands;
    _Atomic int32_t failure;
} linalg_call;

static void linalg_body(void *argument, int64_t begin, int64_t end) {
    linalg_call *call = argument;
    for (int64_t k = begin; k < end && !is_cancelled(call->frame); k++) {
        int32_t failure = call->function(call->frame->values, call->operands, k, k + 1);
        if (failure) {
            atomic_store(&call->failure, failure);
            return;
        }
    }
}

static litz_status run_linalg(const shared *s, frame *f, const lx_step *step, void *const *operands, const litz_run_options *o, lx_error e) {
    linalg_call call = {.function = s->linalg->functions[step->kernel], .frame = f, .operands = operands};
    if (f->values[0] <= 0) return LITZ_OK; /* the batch */
    spread_tasks(s, o, linalg_body, &call, f->values[0], 1);
    if (is_cancelled(f)) return cancelled(e);
    return lx_linalg_outcome(s->linalg, step->kernel, atomic_load(&call.failure), e);
}

/* Memory for copies of a step's operands, each at `begin`. */
static litz_status take_copies(const shared *s, frame *f, beside_state *state, uint64_t *begin, uint32_t n, lx_error e) {
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < n; k++) {
        begin[k] = bytes;
        if (!add_u64(bytes, f->argument_sizes[k], &bytes) || !add_u64(bytes, 63, &bytes)) return no_room(s, UINT64_MAX, "a routine's operands", e);
        bytes &= ~(uint64_t)63;
    }
    return pinned_reserve(s->device, &state->copies, bytes, "copies of a routine's operands", e);
}

/* The same for a program on a GPU: operands are copied to the host, and results back. */
static litz_status run_linalg_beside(const shared *s, frame *f, const lx_step *step, beside_state *state, const litz_run_options *o,
                                     lx_error e) {
    const lx_routine *routine = &lx_routines[step->kernel];
    enum { MOST = 8 };
    uint64_t begin[MOST];
    void *copies[MOST];
    uint32_t n = step->buffers.count;
    if (n > MOST) return fail(e, LITZ_ERROR_INTERNAL, "a routine has %u operands", (unsigned)n);
    litz_status status = take_copies(s, f, state, begin, n, e);
    for (uint32_t k = 0; !status && k < n; k++) {
        copies[k] = state->copies.data + begin[k];
        if (!(routine->written >> k & 1)) status = device_copy(s->device, copies[k], f->arguments[k], f->argument_sizes[k], f->stream, e);
    }
    if (!status) status = device_wait(s->device, f->stream, e);
    if (!status) status = run_linalg(s, f, step, copies, o, e);
    for (uint32_t k = 0; !status && k < n; k++)
        if (routine->written >> k & 1) status = device_copy(s->device, f->arguments[k], copies[k], f->argument_sizes[k], f->stream, e);
    /* The copies are free for the next run, or to be released. */
    litz_status waited = status ? LITZ_OK : device_wait(s->device, f->stream, e);
    return status ? status : waited;
}

/* The same by the device's library. `done`: it was; otherwise the host has to. */
static litz_status run_on_device(const shared *s, frame *f, const lx_step *step, beside_state *state, bool *done, lx_error e) {
    cusolver *library = (cusolver *)s->libraries[LX_LIBRARY_CUSOLVER];
    solver_call call = {.library = library,
                        .device = s->device,
                        .stream = f->stream,
                        .routine = step->kernel,
                        .values = f->values,
                        .memory = f->arguments,
                        .state = &state->solver};
    *done = f->values[0] <= 0; /* the batch */
    if (*done || !library || lx_routines[step->kernel].on_device != LX_LIBRARY_CUSOLVER || !solver_takes(&call)) return LITZ_OK;
    uint64_t bytes = 0;
    bool refused = false;
    void *workspace = NULL;
    litz_status status = solver_prepare(&call, &bytes, e);
    if (!status && bytes) status = take_workspace(s, f, bytes, "a factorisation's workspace", &workspace, e);
    if (!status) status = solver_run(&call, workspace, &state->copies, &refused, e);
    *done = !refused;
    return status;
}

/* A routine of Litz's own library in a program for a GPU. */
static litz_status run_beside(const shared *s, frame *f, const lx_step *step, routine_state *state, const litz_run_options *o, lx_error e) {
    bool done = false;
    state->forget = forget_beside;
    litz_status status = run_on_device(s, f, step, &state->beside, &done, e);
    return status || done ? status : run_linalg_beside(s, f, step, &state->beside, o, e);
}

/* Calls an operator of the host's, which an artifact's own executor never has. What it writes is written in a copy. */
static litz_status run_host(const shared *s, frame *f, const lx_step *step, lx_error e) {
    const uint32_t *words = u32_of(&s->code, step->detail);
    uint32_t tensors = words[LX_CALL_TENSORS], results = words[LX_CALL_RESULTS];
    for (uint32_t k = 0; k < tensors; k++) {
        uint32_t copy = words[LX_CALL_HEADER + k * LX_CALL_TENSOR + LX_CALL_COPY];
        if (!copy) continue;
        uint32_t to = tensors + results + copy - 1;
        uint64_t bytes = f->argument_sizes[k];
        if (bytes > f->argument_sizes[to]) return fail(e, LITZ_ERROR_INTERNAL, "a copy of %llu bytes is larger than its buffer", (unsigned long long)bytes);
        litz_status status = LITZ_OK;
        if (bytes && on_gpu(s)) status = device_copy(s->device, f->arguments[to], f->arguments[k], bytes, f->stream, e);
        else if (bytes) memmove(f->arguments[to], f->arguments[k], (size_t)bytes);
        if (status) return status;
    }
    lx_host_call call = {.words = words,
                         .values = f->values,
                         .operands = f->arguments,
                         .n_words = step->detail.count,
                         .n_values = step->scalars.count,
                         .n_operands = step->buffers.count,
                         .device_type = on_gpu(s) ? kDLCUDA : kDLCPU,
                         .device_index = on_gpu(s) ? s->device->index : 0,
                         .stream = on_gpu(s) ? f->stream : NULL};
    return s->program.call_host(s->program.host_context, &call, e.text, e.size);
}

static litz_status run_routine(const shared *s, frame *f, const lx_step *step, const litz_run_options *o, lx_error e) {
    const code *c = &s->code;
    const uint32_t *buffers = u32_of(c, step->buffers), *scalars = u32_of(c, step->scalars);
    for (uint32_t k = 0; k < step->scalars.count; k++) f->values[k] = f->scalars[scalars[k]];
    for (uint32_t k = 0; k < step->buffers.count; k++) {
        f->arguments[k] = f->buffers[buffers[k]];
        f->argument_sizes[k] = f->sizes[buffers[k]];
    }
    if (LX_IS_WATCHED && step->kernel == LX_ROUTINE_HOST) return run_host(s, f, step, e);
    if (!on_gpu(s)) return run_linalg(s, f, step, f->arguments, o, e);
    int64_t room = f->scalars[step->scratch];
    if (room < 0) return fail(e, LITZ_ERROR_INTERNAL, "a step of a library has a workspace of %lld bytes", (long long)room);
    routine_state **state = &f->routines[routine_place(s, step)];
    if (!*state && !(*state = calloc(1, sizeof **state))) return no_memory(e, "a step's tables", sizeof **state);
    if (lx_routines[step->kernel].library == LX_LIBRARY_LINALG) return run_beside(s, f, step, *state, o, e);
    return routine_runs[step->kernel](s, f, step, *state, (uint64_t)room, e);
}
