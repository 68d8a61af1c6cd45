/* Running a block of steps over buffers that have their places. */
#include "internal.h"

typedef struct step_call {
    const shared *shared;
    frame *frame;
    lx_kernel_fn kernel;
    void *context;
    uint64_t scratch_bytes;
    uint8_t *room; /* of the arena, for the first threads that ask, `room_bytes` each */
    uint64_t room_bytes;
    uint32_t rooms;
    _Atomic uint64_t rooms_taken; /* a bit for each */
    _Atomic int32_t failure;
} step_call;

#define NO_SCRATCH INT32_MIN
#define ENDED (INT32_MIN + 1)
#define MOST_ROOMS 64

static void note_failure(step_call *call, int32_t code) {
    int32_t none = 0;
    atomic_compare_exchange_strong(&call->failure, &none, code);
}

/* The number of a room that no other thread has now, or -1. */
static int room_take(step_call *call) {
    uint64_t all = call->rooms < MOST_ROOMS ? ((uint64_t)1 << call->rooms) - 1 : ~(uint64_t)0;
    uint64_t taken = atomic_load(&call->rooms_taken);
    while (~taken & all) {
        int room = __builtin_ctzll(~taken & all);
        if (atomic_compare_exchange_weak(&call->rooms_taken, &taken, taken | (uint64_t)1 << room)) return room;
    }
    return -1;
}

static void call_kernel(step_call *call, int64_t begin, int64_t end, void *extra) {
    frame *f = call->frame;
    int32_t code = call->kernel(call->context, f->arguments, f->values, begin, end, extra);
    if (code) note_failure(call, code);
}

/* Not inlined: other calls need not have the room on their stacks. */
static __attribute__((noinline)) void call_with_stack(step_call *call, int64_t begin, int64_t end) {
    _Alignas(LX_ALIGNMENT) uint8_t own[LX_STACK_SCRATCH];
    call_kernel(call, begin, end, own);
}

static void step_body(void *argument, int64_t begin, int64_t end) {
    step_call *call = argument;
    if (atomic_load_explicit(&call->failure, memory_order_relaxed)) return;
    frame *f = call->frame;
    if (is_cancelled(f)) {
        note_failure(call, ENDED);
        return;
    }
    if (call->shared->program.flags & LX_PROGRAM_CHECKED_KERNELS) {
        call_kernel(call, begin, end, f->argument_sizes);
        return;
    }
    if (!call->scratch_bytes) {
        call_kernel(call, begin, end, NULL);
        return;
    }
    if (call->scratch_bytes <= LX_STACK_SCRATCH) {
        call_with_stack(call, begin, end);
        return;
    }
    int room = room_take(call);
    if (room >= 0) {
        call_kernel(call, begin, end, call->room + (uint64_t)room * call->room_bytes);
        atomic_fetch_and(&call->rooms_taken, ~((uint64_t)1 << room));
        return;
    }
    scratch *own = scratch_take(call->shared, f, call->scratch_bytes);
    if (!own) {
        note_failure(call, NO_SCRATCH);
        return;
    }
    call_kernel(call, begin, end, own->data);
    scratch_give(f, own);
}

/* A step of init that reads a file's pages, and drops them as it goes. */
static void consuming_body(void *argument, int64_t begin, int64_t end) {
    step_call *call = argument;
    const consumed *c = &call->frame->consumed;
    if (c->whole) {
        const int64_t part = 1 + (int64_t)(c->all - 1) / CONSUMED_TIMES;
        for (int64_t next; begin < end; begin = next) {
            next = (begin / part + 1) * part < end ? (begin / part + 1) * part : end;
            step_body(argument, begin, next);
            if (next % part == 0) forget_pages(c->from, c->whole);
        }
        return;
    }
    const int64_t few = 1 + (int64_t)(CONSUMED_AT_ONCE / (c->task_bytes + 1));
    for (int64_t next; begin < end; begin = next) {
        next = end - begin < few ? end : begin + few;
        step_body(argument, begin, next);
        forget_pages(c->from + consumed_at(c, begin), consumed_at(c, next) - consumed_at(c, begin));
    }
}

/* The room that the plan keeps for a kernel's threads. */
static void find_room(const frame *f, const lx_step *step, step_call *call) {
    if (!step->bytes || call->scratch_bytes <= LX_STACK_SCRATCH) return;
    uint32_t id = step->bytes - 1;
    call->room = f->buffers[id];
    call->room_bytes = (call->scratch_bytes + LX_ALIGNMENT - 1) / LX_ALIGNMENT * LX_ALIGNMENT;
    uint64_t rooms = f->sizes[id] / call->room_bytes;
    call->rooms = rooms < MOST_ROOMS ? (uint32_t)rooms : MOST_ROOMS;
}

static litz_status report_failure(const code *c, const lx_step *step, int32_t failure, uint64_t scratch_bytes, lx_error e) {
    if (failure == ENDED) return cancelled(e);
    if (failure == NO_SCRATCH) return no_memory(e, "a kernel's scratch", scratch_bytes);
    if (failure >= 1 && (uint32_t)failure <= c->n_assertions)
        return fail(e, LITZ_ERROR_ASSERTION, "%s", text_of(c, c->assertions[failure - 1]));
    return fail(e, LITZ_ERROR_INTERNAL, "kernel `%s` returned %d, which stands for no assertion of the program",
                text_of(c, c->kernels[step->kernel]), (int)failure);
}

/* A step's tensor map, encoded anew where its memory or its sizes are not those of the last run. */
static litz_status encode_map(const shared *s, frame *f, uint32_t number, lx_error e) {
    const lx_map *m = &s->code.maps[number];
    encoded_map *known = &f->maps[number];
    map_key key = {(uint64_t)(uintptr_t)f->buffers[m->buffer], f->sizes[m->buffer], f->scalars[m->offset], {0}, {0}};
    for (uint32_t d = 0; d < m->rank; d++) {
        key.sizes[d] = f->scalars[m->sizes[d]];
        key.strides[d] = f->scalars[m->strides[d]];
    }
    if (known->encoded && !memcmp(&known->key, &key, sizeof key)) return LITZ_OK;
    known->encoded = false;
    litz_status status = device_map(s->device, m, &key, dtype_of(m->dtype), known->words, e);
    if (status) return status;
    known->key = key;
    known->encoded = true;
    return LITZ_OK;
}

/* A kernel's call on a GPU: its parameters are the buffers, their tensor maps, the scalars and where it reports an
 * assertion. They point into the frame, and are good until the next call is made. */
static litz_status call_of(const shared *s, frame *f, const lx_step *step, kernel_call *call, lx_error e) {
    const code *c = &s->code;
    const uint32_t *buffers = u32_of(c, step->buffers), *scalars = u32_of(c, step->scalars);
    uint32_t n = 0;
    *call = (kernel_call){.kernel = step->kernel, .parameters = f->parameters};
    if (f->scalars[step->tasks] <= 0) return LITZ_OK;
    for (uint32_t k = 0; k < step->buffers.count; k++) f->parameters[n++] = &f->buffers[buffers[k]];
    for (uint32_t k = 0; k < step->source; k++) {
        litz_status status = encode_map(s, f, step->destination + k, e);
        if (status) return status;
        f->parameters[n++] = f->maps[step->destination + k].words;
    }
    for (uint32_t k = 0; k < step->scalars.count; k++) f->parameters[n++] = &f->scalars[scalars[k]];
    f->parameters[n] = &f->failure;
    return size_call(s->device, call, f->scalars[step->tasks], f->scalars[step->grain], f->scalars[step->scratch],
                     text_of(c, c->kernels[step->kernel]), e);
}

static litz_status launch_kernel(const shared *s, frame *f, const lx_step *step, lx_error e) {
    kernel_call call;
    litz_status status = call_of(s, f, step, &call, e);
    return status ? status : device_launch(s->device, &call, f->stream, text_of(&s->code, s->code.kernels[step->kernel]), e);
}

/* Shares tasks out among threads: the host's, where it has a way to, or the process's. */
static void spread_tasks(const shared *s, const litz_run_options *o, range_fn body, void *argument, int64_t tasks, int64_t grain) {
    if (tasks / grain < 2) body(argument, 0, tasks);
    else if (o && o->parallel_for) o->parallel_for(o->parallel_for_context, body, argument, tasks, grain);
    else if (s->host.parallel_for) s->host.parallel_for(s->host.parallel_for_context, body, argument, tasks, grain);
    else pool_run(body, argument, tasks, grain, s->threads ? s->threads : pool_size());
}

static litz_status run_kernel(const shared *s, frame *f, const lx_step *step, const litz_run_options *o, lx_error e) {
    if (on_gpu(s)) return launch_kernel(s, f, step, e);
    const code *c = &s->code;
    int64_t tasks = f->scalars[step->tasks], grain = f->scalars[step->grain], scratch_bytes = f->scalars[step->scratch];
    if (tasks <= 0) return LITZ_OK;
    if (grain < 1) grain = 1;
    const uint32_t *buffers = u32_of(c, step->buffers), *scalars = u32_of(c, step->scalars);
    for (uint32_t k = 0; k < step->buffers.count; k++) f->arguments[k] = f->buffers[buffers[k]];
    for (uint32_t k = 0; k < step->scalars.count; k++) f->values[k] = f->scalars[scalars[k]];
    step_call call = {.shared = s, .frame = f, .kernel = s->program.kernels[step->kernel],
                      .context = s->program.contexts ? s->program.contexts[step->kernel] : NULL,
                      .scratch_bytes = scratch_bytes > 0 ? (uint64_t)scratch_bytes : 0};
    find_room(f, step, &call);
    if (f->consumed.whole) f->consumed.all = (uint64_t)tasks;
    range_fn body = f->consumed.from && f->consumed.all == (uint64_t)tasks ? consuming_body : step_body;
    if (s->program.flags & LX_PROGRAM_CHECKED_KERNELS) {
        for (uint32_t k = 0; k < step->buffers.count; k++) f->argument_sizes[k] = f->sizes[buffers[k]];
        body(&call, 0, tasks);
    } else {
        spread_tasks(s, o, body, &call, tasks, grain);
    }
    int32_t failure = atomic_load(&call.failure);
    return failure ? report_failure(c, step, failure, call.scratch_bytes, e) : LITZ_OK;
}

/* The byte of its destination that a copy begins at. */
static int64_t copy_start(const frame *f, const lx_step *step) { return step->kernel ? f->scalars[step->kernel - 1] : 0; }

static litz_status run_copy(const shared *s, frame *f, const lx_step *step, lx_error e) {
    int64_t bytes = f->scalars[step->bytes];
    if (bytes <= 0) return LITZ_OK;
    if ((uint64_t)bytes > f->sizes[step->destination] || (uint64_t)bytes > f->sizes[step->source])
        return fail(e, LITZ_ERROR_INTERNAL, "a copy of %lld bytes is larger than its buffers", (long long)bytes);
    const int64_t start = copy_start(f, step);
    if (start < 0 || (uint64_t)start > f->sizes[step->destination] - (uint64_t)bytes)
        return fail(e, LITZ_ERROR_ASSERTION, "a slice of %lld bytes from byte %lld on does not lie in its tensor", (long long)bytes,
                    (long long)start);
    uint8_t *to = (uint8_t *)f->buffers[step->destination] + start;
    if (on_gpu(s)) return device_copy(s->device, to, f->buffers[step->source], (uint64_t)bytes, f->stream, e);
    memmove(to, f->buffers[step->source], (size_t)bytes);
    return LITZ_OK;
}

/* The first bytes of a buffer, once all that writes it is done. */
static litz_status fetch(const shared *s, frame *f, uint32_t buffer, void *to, uint64_t bytes, lx_error e) {
    if (f->sizes[buffer] < bytes) return fail(e, LITZ_ERROR_INTERNAL, "buffer %u is too small for the number read from it", buffer);
    if (!on_gpu(s)) {
        memcpy(to, f->buffers[buffer], (size_t)bytes);
        return LITZ_OK;
    }
    const driver *d = s->device->driver;
    litz_status status = device_copy(s->device, to, f->buffers[buffer], bytes, f->stream, e);
    if (!status) ON_DEVICE(s->device, d->stream_synchronize(f->stream), "reading a number");
    return status;
}

/* Gives a symbol its value, and with it all scalars that it was needed for. */
static litz_status give_symbol(const shared *s, frame *f, uint32_t k, int64_t value, lx_error e) {
    const code *c = &s->code;
    const lx_symbol *symbol = &c->symbols[k];
    if (value < symbol->min || value > symbol->max)
        return fail(e, LITZ_ERROR_ASSERTION, "`%s` is %lld, which the data give in this run, but must be from %lld to %lld",
                    text_of(c, symbol->name), (long long)value, (long long)symbol->min, (long long)symbol->max);
    f->symbols[k] = value;
    f->known[k] = 1;
    for (uint32_t n = 0; n < s->n_late; n++) {
        uint32_t at = s->late[n];
        const lx_scalar *op = &c->scalars[at];
        bool good = op->op == LX_SYMBOL && c->symbols[op->a].source == LX_SOURCE_STEP && !f->known[op->a]
                        ? false
                        : evaluate(op, f->symbols, f->scalars, f->poison, &f->scalars[at]);
        f->poison[at] = !good;
        if (!good) f->scalars[at] = 0;
    }
    return LITZ_OK;
}

static litz_status read_number(const shared *s, frame *f, const lx_step *step, lx_error e) {
    int64_t value = 0;
    uint8_t truth = 0;
    litz_status status = step->kernel == 12 ? fetch(s, f, step->source, &truth, 1, e)
                                            : fetch(s, f, step->source, &value, sizeof value, e);
    return status ? status : give_symbol(s, f, step->destination, step->kernel == 12 ? truth != 0 : value, e);
}

/* How an output gets its memory in the middle of a run. */
typedef struct late_outputs {
    lx_output_fn allocate;
    void *context;
    const DLTensor *const *given;
    bool views; /* the host takes results as views, and so the memory that they lie in */
} late_outputs;

static litz_status allocate_late(const shared *s, frame *f, const late_outputs *late, uint32_t id, lx_error e) {
    const code *c = &s->code;
    const lx_buffer *b = &c->buffers[id];
    int64_t bytes = f->scalars[b->bytes];
    if (f->poison[b->bytes] || bytes < 0)
        return fail(e, LITZ_ERROR_SHAPE, "a size that the data give in this run does not fit into 64 bits, or divides by 0");
    if (b->kind == LX_BUFFER_SLOT) {
        memory *m = &f->slots[b->index];
        if (!reserve(s, m, (uint64_t)bytes, f->stream)) return no_room(s, (uint64_t)bytes, "intermediate results", e);
        f->buffers[id] = m->data;
    } else {
        bound_output *o = &f->outputs[b->index];
        if (!o->late) return fail(e, LITZ_ERROR_INTERNAL, "output %u is allocated twice", (unsigned)b->index);
        litz_status status = size_output(c, f, b->index, e);
        if (status) return status;
        uint32_t rank = c->outputs[b->index].shape.count;
        if (b->index >= c->n_results && !late->views) {
            o->on_host = false;
            o->data = copy_memory(s, f, o->bytes);
        } else if (late->allocate) {
            bool packed = c->outputs[b->index].packed.count || (on_gpu(s) && f->gives_to_host);
            o->on_host = on_gpu(s) && f->gives_to_host;
            o->given = late->allocate(late->context, b->index, o->shown_bytes, (int32_t)rank, o->shape, o->shown);
            if (!o->given) return no_room(s, o->shown_bytes, "an output", e);
            o->given_strides = o->shown;
            o->copied = packed;
            o->data = packed ? copy_memory(s, f, o->bytes) : o->given;
        } else {
            for (uint32_t d = 0; d < rank; d++)
                if (o->shape[d] > late->given[b->index]->shape[d])
                    return wrong_size(c, "output", b->index, &c->outputs[b->index], d, late->given[b->index]->shape[d], o->shape[d], e);
            o->copied = true;
            o->data = copy_memory(s, f, o->bytes);
        }
        if (!o->data) return no_room(s, o->bytes, "an output", e);
        if ((uint64_t)bytes > o->bytes) return fail(e, LITZ_ERROR_INTERNAL, "output %u is smaller than its buffer", (unsigned)b->index);
        f->buffers[id] = o->data;
    }
    f->sizes[id] = (uint64_t)bytes;
    return LITZ_OK;
}

/* Whether all that a step needs is known; a plan that is not wrong sees to that. */
static bool step_is_known(const shared *s, const frame *f, const lx_step *step) {
    if (!s->n_late) return true;
    bool kernel = step->kind == LX_STEP_KERNEL, routine = step->kind == LX_STEP_ROUTINE;
    if (step->kind == LX_STEP_COPY && step->kernel && f->poison[step->kernel - 1]) return false;
    if (!kernel && !routine) return step->kind == LX_STEP_ALLOCATE || !f->poison[step->bytes];
    bool known = routine || (!f->poison[step->tasks] && !f->poison[step->grain] && !f->poison[step->scratch]);
    const uint32_t *scalars = u32_of(&s->code, step->scalars);
    for (uint32_t k = 0; k < step->scalars.count; k++) known = known && !f->poison[scalars[k]];
    for (uint32_t k = 0; k < step->source; k++) {
        const lx_map *m = &s->code.maps[step->destination + k];
        known = known && !f->poison[m->offset];
        for (uint32_t d = 0; d < m->rank; d++) known = known && !f->poison[m->sizes[d]] && !f->poison[m->strides[d]];
    }
    return known;
}

static litz_status unknown_size(lx_error e) {
    return fail(e, LITZ_ERROR_SHAPE, "a size that the data give in this run does not fit into 64 bits, or divides by 0");
}

static bool outlives_run(const code *c, uint32_t buffer) {
    const lx_buffer *b = &c->buffers[buffer];
    return b->kind == LX_BUFFER_STORAGE || (b->kind == LX_BUFFER_INPUT && !(c->inputs[b->index].flags & LX_TENSOR_OVERWRITTEN));
}

/* Whether a step writes to what outlives the run: a caller's input, or the instance's constants. */
static bool is_lasting(const code *c, const lx_step *step) {
    switch (step->kind) {
    case LX_STEP_KERNEL: return step->lasting;
    case LX_STEP_COPY: return outlives_run(c, step->destination);
    case LX_STEP_ROUTINE:
        for (uint32_t k = 0; k < step->buffers.count; k++)
            if (routine_writes(c, step, k) && outlives_run(c, u32_of(c, step->buffers)[k])) return true;
        return false;
    default: return false;
    }
}

static litz_status observe_step(const shared *s, frame *f, const lx_step *step, lx_error e);

/* Functions run one another no deeper. */
#define MAX_FUNCTIONS 200u

/* A block: `n` steps, the blocks that they steer among them. */
static litz_status run_steps(const shared *s, frame *f, const lx_step *steps, uint32_t n, const late_outputs *late,
                             const litz_run_options *o, lx_error e) {
    const code *c = &s->code;
    for (uint32_t k = 0; k < n; k++) {
        const lx_step *step = &steps[k];
        litz_status status = LITZ_OK;
        uint8_t truth = 0;
        if (is_cancelled(f)) return cancelled(e);
        /* From here on something that outlives the run may be half written, and the run goes on to its end. */
        if (f->cancels && is_lasting(c, step)) f->cancels = NULL;
        const bool timed = LX_IS_WATCHED && f->profiling && is_timed(step);
        if (timed && (status = step_begins(s, f, (uint32_t)(step - c->main), e))) return status;
        switch (step->kind) {
        case LX_STEP_KERNEL: status = step_is_known(s, f, step) ? run_kernel(s, f, step, o, e) : unknown_size(e); break;
        case LX_STEP_COPY: status = step_is_known(s, f, step) ? run_copy(s, f, step, e) : unknown_size(e); break;
        case LX_STEP_READ: status = read_number(s, f, step, e); break;
        case LX_STEP_SET:
            status = step_is_known(s, f, step) ? give_symbol(s, f, step->destination, f->scalars[step->bytes], e) : unknown_size(e);
            break;
        case LX_STEP_CHECK:
            if (!step_is_known(s, f, step)) status = unknown_size(e);
            else if (!f->scalars[step->bytes])
                status = fail(e, LITZ_ERROR_ASSERTION, "%s", text_of(c, c->assertions[step->kernel]));
            break;
        case LX_STEP_ROUTINE: status = step_is_known(s, f, step) ? run_routine(s, f, step, o, e) : unknown_size(e); break;
        case LX_STEP_PRINT: puts(text_of(c, c->assertions[step->kernel])); break;
        case LX_STEP_ALLOCATE: status = allocate_late(s, f, late, step->destination, e); break;
        case LX_STEP_FUNCTION: break; /* its steps follow */
        case LX_STEP_AGAIN:
            if (f->depth >= MAX_FUNCTIONS) return fail(e, LITZ_ERROR_PARSE, "the plan is damaged: its functions run too deep");
            f->depth++;
            status = run_steps(s, f, &c->main[step->destination] + 1, c->main[step->destination].destination, late, o, e);
            f->depth--;
            break;
        case LX_STEP_IF:
            status = fetch(s, f, step->source, &truth, 1, e);
            if (!status && truth) status = run_steps(s, f, step + 1, step->destination, late, o, e);
            else if (!status) status = run_steps(s, f, step + 1 + step->destination, step->kernel, late, o, e);
            k += step->destination + step->kernel;
            break;
        default: /* LX_STEP_WHILE */
            while (!status) {
                status = run_steps(s, f, step + 1, step->destination, late, o, e);
                if (!status) status = fetch(s, f, step->source, &truth, 1, e);
                if (status || !truth) break;
                status = run_steps(s, f, step + 1 + step->destination, step->kernel, late, o, e);
            }
            k += step->destination + step->kernel;
            break;
        }
        if (timed && !status) status = step_ends(s, f, e);
        if (!status && is_observed(s) &&
            (step->kind == LX_STEP_KERNEL || step->kind == LX_STEP_ROUTINE || step->kind == LX_STEP_COPY))
            status = observe_step(s, f, step, e);
        if (status) return status;
    }
    return LITZ_OK;
}

/* The stream that a run's work goes to. */
static litz_status stream_of_run(const shared *s, const litz_run_options *o, cu_stream *out, lx_error e) {
    const driver *d = s->device->driver;
    cu_stream stream = o && o->flags & LITZ_RUN_HAS_STREAM ? o->stream : s->device->stream;
    if (stream && stream != s->device->stream) {
        cu_context context = NULL;
        int capturing = 0;
        ON_DEVICE(s->device, d->stream_context(stream, &context), "looking at the run's stream");
        if (context != s->device->context)
            return fail(e, LITZ_ERROR_DEVICE, "the stream of the run options belongs to another context than that of device %d",
                        (int)s->device->index);
        ON_DEVICE(s->device, d->stream_capturing(stream, &capturing), "looking at the run's stream");
        if (capturing)
            return fail(e, LITZ_ERROR_UNSUPPORTED,
                        "the stream of the run options is being captured into a graph of the host's; run outside of it, with "
                        "mode=reduce-overhead for graphs");
    }
    *out = stream;
    return LITZ_OK;
}

/* A run's stream, after the work that the frame's memory is still used by. */
static litz_status begin_run(const shared *s, frame *f, const litz_run_options *o, lx_error e) {
    const driver *d = s->device->driver;
    cu_stream stream;
    litz_status status = stream_of_run(s, o, &stream, e);
    if (status) return status;
    /* Even where the handles are equal the stream may be a new one. */
    uint64_t id = stream_id(d, stream), last = f->stream_id;
    f->stream_id = id;
    if (f->in_flight && (!id || id != last)) ON_DEVICE(s->device, d->stream_wait(stream, f->done, 0), "waiting for an earlier run");
    f->stream = stream;
    return LITZ_OK;
}

static bool borrow_arena(const shared *s, frame *f, uint64_t bytes) {
    if (!on_gpu(s) || s->program.flags & LX_PROGRAM_PLAIN_GRAPHS) return reserve(s, &f->arena, bytes, f->stream);
    f->lent = arena_take(s->device, bytes, f->stream, f->stream_id, f);
    return f->lent != NULL;
}

static litz_status report_assertion(const shared *s, frame *f, lx_error e) {
    const code *c = &s->code;
    int32_t failure = *f->failure;
    *f->failure = 0;
    if (!failure) return LITZ_OK;
    if (failure >= 1 && (uint32_t)failure <= c->n_assertions)
        return fail(e, LITZ_ERROR_ASSERTION, "%s", text_of(c, c->assertions[failure - 1]));
    return fail(e, LITZ_ERROR_INTERNAL, "a kernel reported %d, which stands for no assertion of the program", (int)failure);
}

/* Waits for a run, or marks its end for whoever uses the frame next. A run that failed is waited for. */
static litz_status end_run(const shared *s, frame *f, const litz_run_options *o, litz_status status, lx_error e) {
    const driver *d = s->device->driver;
    cu_result code = 0;
    f->in_flight = !status && o && o->flags & LITZ_RUN_ASYNC && !f->profiling;
    if (f->in_flight && (code = d->event_record(f->done, f->stream))) f->in_flight = false;
    if (!f->in_flight) {
        cu_result waited = d->stream_synchronize(f->stream);
        if (!code) code = waited;
    }
    if (f->lent) arena_give(s->device, f->lent, f->in_flight);
    f->lent = NULL;
    if (!status && code) status = device_fail(s->device, code, "a run", e);
    if (f->in_flight) return status;
    litz_status reported = report_assertion(s, f, status ? (lx_error){NULL, 0} : e);
    return status ? status : reported;
}

/* Waits for an asynchronous run. */
static litz_status await_run(const shared *s, frame *f, lx_error e) {
    cu_result code = s->device->driver->event_synchronize(f->done);
    f->in_flight = false;
    litz_status status = code ? device_fail(s->device, code, "a run", e) : LITZ_OK;
    litz_status reported = report_assertion(s, f, status ? (lx_error){NULL, 0} : e);
    return status ? status : reported;
}

/* Whether no size differs from run to run. */
static bool is_static(const shared *s) { return !s->n_varying && !s->n_late && !s->code.n_slots; }

/* Notes what buffers are placed by; whether all of it, and with it every buffer's place, is as in the last run. Only where sizes
 * do not vary: then it is all that a place depends on. */
static bool placed_before(const shared *s, frame *f, void *const *storages, block *const *derived) {
    const code *c = &s->code;
    void **placed = f->placed + c->n_storages;
    if (!on_gpu(s) || !is_static(s)) return false;
    bool same = f->is_placed && !memcmp(f->placed, storages, c->n_storages * sizeof *storages);
    if (!same) memcpy(f->placed, storages, c->n_storages * sizeof *storages);
#define SAME(place, now)           \
    do {                           \
        same = same && (place) == (now); \
        (place) = (now);           \
    } while (0)
    for (uint32_t k = 0; k < c->n_inputs; k++) {
        SAME(placed[k], (void *)f->inputs[k].data);
        SAME(f->placed_sizes[k], f->inputs[k].bytes);
    }
    for (uint32_t k = 0; k < c->n_outputs; k++) {
        SAME(placed[c->n_inputs + k], (void *)f->outputs[k].data);
        SAME(f->placed_sizes[c->n_inputs + k], f->outputs[k].bytes);
    }
    placed += c->n_inputs + (uint64_t)c->n_outputs;
    SAME(placed[0], f->lent ? (void *)(uintptr_t)f->lent->data : f->arena.data);
    for (uint32_t p = 0; p < s->derived.n_pieces; p++) SAME(placed[1 + p], derived[p] ? derived[p]->memory.data : NULL);
#undef SAME
    return same;
}

/* Points every buffer at its memory. That each lies inside it is seen here, so that a wrong plan ends in an error. What init
 * makes has its place when it is made. */
static litz_status place_buffers(const shared *s, frame *f, void *const *storages, block *const *derived, bool init,
                                 lx_error e) {
    static uint64_t nothing[LX_ALIGNMENT / 8] __attribute__((aligned(64))); /* where empty buffers point */
    const code *c = &s->code;
    uint64_t arena = 0;
    if (!init && c->plan->arena_bytes != LX_NONE) {
        int64_t bytes = f->scalars[c->plan->arena_bytes];
        if (bytes < 0) return fail(e, LITZ_ERROR_INTERNAL, "the arena would have %lld bytes", (long long)bytes);
        arena = (uint64_t)bytes;
        if (arena && !borrow_arena(s, f, arena)) return no_room(s, arena, "intermediate results", e);
    }
    f->same_place = !init && placed_before(s, f, storages, derived);
    f->is_placed = f->same_place; /* else not until all are */
    if (f->same_place) return LITZ_OK;
    f->latest = NULL; /* was of other places */
    for (uint32_t k = 0; k < c->n_buffers; k++) {
        const lx_buffer *b = &c->buffers[k];
        if (init && b->kind != LX_BUFFER_STORAGE) continue;
        uint32_t piece = s->derived.piece_of[k];
        bool of_init = piece != LX_NONE && !s->derived.kept[piece];
        if (of_init || b->kind == LX_BUFFER_SLOT || (b->kind == LX_BUFFER_OUTPUT && f->outputs[b->index].late)) {
            /* Until a step allocates it. */
            f->buffers[k] = on_gpu(s) ? NULL : (uint8_t *)nothing;
            f->sizes[k] = 0;
            continue;
        }
        uint8_t *data = NULL;
        uint64_t room = 0;
        int64_t bytes = f->scalars[b->bytes], offset;
        switch (b->kind) {
        case LX_BUFFER_INPUT:
            data = f->inputs[b->index].data;
            room = f->inputs[b->index].bytes;
            break;
        case LX_BUFFER_OUTPUT:
            data = f->outputs[b->index].data;
            room = f->outputs[b->index].bytes;
            break;
        case LX_BUFFER_STORAGE:
            data = storages[b->index];
            room = c->storages[b->index].bytes;
            break;
        case LX_BUFFER_DERIVED:
            room = derived[piece]->memory.capacity;
            data = derived[piece]->memory.data;
            break;
        case LX_BUFFER_SEMAPHORES:
            room = f->semaphores.capacity > b->offset ? f->semaphores.capacity - b->offset : 0;
            data = room ? (uint8_t *)f->semaphores.data + b->offset : NULL;
            break;
        default:
            offset = f->scalars[b->index];
            if (offset >= 0 && (uint64_t)offset <= arena) {
                room = arena - (uint64_t)offset;
                uint8_t *base = f->lent ? (uint8_t *)(uintptr_t)f->lent->data : f->arena.data;
                data = base ? base + offset : NULL;
            }
            break;
        }
        if (bytes < 0 || (uint64_t)bytes > room)
            return fail(e, LITZ_ERROR_INTERNAL, "buffer %u of the plan needs %lld bytes, but its memory has %llu", k,
                        (long long)bytes, (unsigned long long)room);
        f->buffers[k] = data ? data : on_gpu(s) ? NULL : (uint8_t *)nothing;
        f->sizes[k] = (uint64_t)bytes;
    }
    f->is_placed = !init && on_gpu(s) && is_static(s);
    return LITZ_OK;
}
