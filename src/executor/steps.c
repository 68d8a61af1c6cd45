/* Running a block of steps over buffers that have their places. */
#include "internal.h"

typedef struct step_call {
    const shared *shared;
    frame *frame;
    lx_kernel_fn kernel;
    void *context;
    uint64_t scratch_bytes;
    _Atomic int32_t failure;
} step_call;

#define NO_SCRATCH INT32_MIN

static void note_failure(step_call *call, int32_t code) {
    int32_t none = 0;
    atomic_compare_exchange_strong(&call->failure, &none, code);
}

static void step_body(void *argument, int64_t begin, int64_t end) {
    step_call *call = argument;
    if (atomic_load_explicit(&call->failure, memory_order_relaxed)) return;
    frame *f = call->frame;
    scratch *own = NULL;
    void *extra = NULL;
    if (call->shared->program.flags & LX_PROGRAM_CHECKED_KERNELS) {
        extra = f->argument_sizes;
    } else if (call->scratch_bytes) {
        own = scratch_take(call->shared, f, call->scratch_bytes);
        if (!own) {
            note_failure(call, NO_SCRATCH);
            return;
        }
        extra = own->data;
    }
    int32_t code = call->kernel(call->context, f->arguments, f->values, begin, end, extra);
    if (own) scratch_give(f, own);
    if (code) note_failure(call, code);
}

static litz_status report_failure(const code *c, const lx_step *step, int32_t failure, uint64_t scratch_bytes, lx_error e) {
    if (failure == NO_SCRATCH) return no_memory(e, "a kernel's scratch", scratch_bytes);
    if (failure >= 1 && (uint32_t)failure <= c->n_assertions)
        return fail(e, LITZ_ERROR_ASSERTION, "%s", text_of(c, c->assertions[failure - 1]));
    return fail(e, LITZ_ERROR_INTERNAL, "kernel `%s` returned %d, which stands for no assertion of the program",
                text_of(c, c->kernels[step->kernel]), (int)failure);
}

/* Launches a kernel: its parameters are the buffers, the scalars and where it reports an assertion. */
static litz_status launch_kernel(const shared *s, frame *f, const lx_step *step, lx_error e) {
    const code *c = &s->code;
    const uint32_t *buffers = u32_of(c, step->buffers), *scalars = u32_of(c, step->scalars);
    uint32_t n = 0;
    for (uint32_t k = 0; k < step->buffers.count; k++) f->parameters[n++] = &f->buffers[buffers[k]];
    for (uint32_t k = 0; k < step->scalars.count; k++) f->parameters[n++] = &f->scalars[scalars[k]];
    f->parameters[n] = &f->failure;
    return device_launch(s->device, step->kernel, f->parameters, f->scalars[step->tasks], f->scalars[step->grain],
                         f->scalars[step->scratch], f->stream, text_of(c, c->kernels[step->kernel]), e);
}

static litz_status run_kernel(const shared *s, frame *f, const lx_step *step, const litz_run_options *o, lx_error e) {
    if (s->device) return launch_kernel(s, f, step, e);
    const code *c = &s->code;
    int64_t tasks = f->scalars[step->tasks], grain = f->scalars[step->grain], scratch_bytes = f->scalars[step->scratch];
    if (tasks <= 0) return LITZ_OK;
    if (grain < 1) grain = 1;
    const uint32_t *buffers = u32_of(c, step->buffers), *scalars = u32_of(c, step->scalars);
    for (uint32_t k = 0; k < step->buffers.count; k++) f->arguments[k] = f->buffers[buffers[k]];
    for (uint32_t k = 0; k < step->scalars.count; k++) f->values[k] = f->scalars[scalars[k]];
    step_call call = {s, f, s->program.kernels[step->kernel], s->program.contexts ? s->program.contexts[step->kernel] : NULL,
                      scratch_bytes > 0 ? (uint64_t)scratch_bytes : 0, 0};
    if (s->program.flags & LX_PROGRAM_CHECKED_KERNELS) {
        for (uint32_t k = 0; k < step->buffers.count; k++) f->argument_sizes[k] = f->sizes[buffers[k]];
        step_body(&call, 0, tasks);
    } else if (tasks / grain < 2) {
        step_body(&call, 0, tasks);
    } else if (o && o->parallel_for) {
        o->parallel_for(o->parallel_for_context, step_body, &call, tasks, grain);
    } else if (s->host.parallel_for) {
        s->host.parallel_for(s->host.parallel_for_context, step_body, &call, tasks, grain);
    } else {
        pool_run(step_body, &call, tasks, grain, s->threads);
    }
    int32_t failure = atomic_load(&call.failure);
    return failure ? report_failure(c, step, failure, call.scratch_bytes, e) : LITZ_OK;
}

static litz_status run_steps(const shared *s, frame *f, const lx_step *steps, uint32_t n, const litz_run_options *o,
                             lx_error e) {
    for (uint32_t k = 0; k < n; k++) {
        const lx_step *step = &steps[k];
        litz_status status = LITZ_OK;
        if (step->kind == LX_STEP_KERNEL) {
            status = run_kernel(s, f, step, o, e);
        } else {
            int64_t bytes = f->scalars[step->bytes];
            if (bytes > 0 && ((uint64_t)bytes > f->sizes[step->destination] || (uint64_t)bytes > f->sizes[step->source]))
                status = fail(e, LITZ_ERROR_INTERNAL, "a copy of %lld bytes is larger than its buffers", (long long)bytes);
            else if (bytes > 0 && s->device)
                status = device_copy(s->device, f->buffers[step->destination], f->buffers[step->source], (uint64_t)bytes, f->stream, e);
            else if (bytes > 0)
                memmove(f->buffers[step->destination], f->buffers[step->source], (size_t)bytes);
        }
        if (status) return status;
    }
    return LITZ_OK;
}

/* The stream that a run's work goes to, after the work that the frame's memory is still used by. */
static litz_status begin_run(const shared *s, frame *f, const litz_run_options *o, lx_error e) {
    const driver *d = s->device->driver;
    cu_stream stream = o && o->flags & LITZ_RUN_HAS_STREAM ? o->stream : s->device->stream;
    if (stream && stream != s->device->stream) {
        cu_context context = NULL;
        CUDA(d->stream_context(stream, &context), "looking at the run's stream");
        if (context != s->device->context)
            return fail(e, LITZ_ERROR_DEVICE, "the stream of the run options belongs to another context than that of device %d",
                        (int)s->device->index);
    }
    if (f->in_flight && f->stream != stream) CUDA(d->stream_wait(stream, f->done, 0), "waiting for an earlier run");
    f->stream = stream;
    return LITZ_OK;
}

/* Waits for a run, or marks its end for whoever uses the frame next. */
static litz_status end_run(const shared *s, frame *f, const litz_run_options *o, litz_status status, lx_error e) {
    const driver *d = s->device->driver;
    if (!status && o && o->flags & LITZ_RUN_ASYNC) {
        CUDA(d->event_record(f->done, f->stream), "marking a run's end");
        f->in_flight = true;
        return LITZ_OK;
    }
    cu_result result = d->stream_synchronize(f->stream);
    f->in_flight = false;
    if (!status && result) status = cuda_fail(d, result, "a run", e);
    int32_t failure = *f->failure;
    *f->failure = 0;
    if (!status && failure) {
        const code *c = &s->code;
        status = failure >= 1 && (uint32_t)failure <= c->n_assertions
                     ? fail(e, LITZ_ERROR_ASSERTION, "%s", text_of(c, c->assertions[failure - 1]))
                     : fail(e, LITZ_ERROR_INTERNAL, "a kernel reported %d, which stands for no assertion of the program", (int)failure);
    }
    return status;
}

/* Points every buffer at its memory. That each lies inside it is seen here, so that a wrong plan ends in an error. */
static litz_status place_buffers(const shared *s, frame *f, void *const *storages, const block *derived, bool init,
                                 lx_error e) {
    static uint64_t nothing[LX_ALIGNMENT / 8] __attribute__((aligned(64))); /* where empty buffers point */
    const code *c = &s->code;
    uint64_t arena = 0;
    if (!init && c->plan->arena_bytes != LX_NONE) {
        int64_t bytes = f->scalars[c->plan->arena_bytes];
        if (bytes < 0) return fail(e, LITZ_ERROR_INTERNAL, "the arena would have %lld bytes", (long long)bytes);
        arena = (uint64_t)bytes;
        if (arena && !reserve(s, &f->arena, arena, f->stream))
            return s->device ? device_out_of_memory(s->device->driver, arena, "intermediate results", e)
                             : no_memory(e, "intermediate results", arena);
    }
    for (uint32_t k = 0; k < c->n_buffers; k++) {
        const lx_buffer *b = &c->buffers[k];
        if (init && b->kind != LX_BUFFER_STORAGE && b->kind != LX_BUFFER_DERIVED) continue;
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
            room = c->plan->derived_bytes - b->offset;
            data = derived ? (uint8_t *)derived->memory.data + b->offset : NULL;
            break;
        default:
            offset = f->scalars[b->index];
            if (offset >= 0 && (uint64_t)offset <= arena) {
                room = arena - (uint64_t)offset;
                data = f->arena.data ? (uint8_t *)f->arena.data + offset : NULL;
            }
            break;
        }
        if (bytes < 0 || (uint64_t)bytes > room)
            return fail(e, LITZ_ERROR_INTERNAL, "buffer %u of the plan needs %lld bytes, but its memory has %llu", k,
                        (long long)bytes, (unsigned long long)room);
        f->buffers[k] = data ? data : s->device ? NULL : (uint8_t *)nothing;
        f->sizes[k] = (uint64_t)bytes;
    }
    return LITZ_OK;
}
