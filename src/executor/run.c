/* Runs, and the sizes of their outputs. */
#include "internal.h"

static litz_status check_options(const device *gpu, const litz_run_options *o, lx_error e) {
    if (!o) return LITZ_OK;
    if (o->struct_size < sizeof *o)
        return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "run options: struct_size is %zu, but the structure has %zu bytes",
                    o->struct_size, sizeof *o);
    if (o->struct_size > 65536)
        return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "run options: struct_size is %zu, which is no structure's size",
                    o->struct_size);
    for (size_t k = sizeof *o; k < o->struct_size; k++)
        if (((const uint8_t *)o)[k])
            return fail(e, LITZ_ERROR_UNSUPPORTED, "run options: byte %zu is set, which only a newer version knows", k);
    uint32_t unknown = o->flags & ~(LITZ_RUN_HAS_STREAM | LITZ_RUN_ASYNC | LITZ_RUN_HAS_SEED);
    if (unknown) return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "run options: unknown flags 0x%x", unknown);
    if (o->reserved[0] || o->reserved[1])
        return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "run options: reserved words must be 0");
    if (!gpu && o->device_index != 0)
        return fail(e, LITZ_ERROR_DEVICE, "run options: device_index is %d, but the CPU's only index is 0", o->device_index);
    return LITZ_OK;
}

typedef struct run_request {
    const DLTensor *const *inputs, *const *outputs;
    size_t n_inputs, n_outputs;
    lx_output_fn allocate; /* not NULL: it gives the outputs' memory */
    lx_view_fn view;       /* makes an output that is a view; NULL: each has memory of its own */
    void *allocate_context;
    const litz_run_options *options;
    bool may_overlap;               /* of a form for inputs that share memory (overlap.c) */
    const _Atomic uint64_t *cancels; /* who ends it, and how often that was asked for when it began; NULL: the instance */
    uint64_t began;
} run_request;

/* The host's memory for an output that is computed elsewhere, and copied from there. */
static litz_status allocate_copied(const shared *s, frame *f, uint32_t k, const run_request *r, lx_error e) {
    bound_output *b = &f->outputs[k];
    b->given = r->allocate(r->allocate_context, k, b->shown_bytes, (int32_t)s->code.outputs[k].shape.count, b->shape, b->shown);
    if (!b->given) return no_room(s, b->shown_bytes, "an output", e);
    b->given_strides = b->shown;
    b->copied = true;
    b->on_host = on_gpu(s) && f->gives_to_host;
    return LITZ_OK;
}

/* An output that is a view of one that has its memory. */
static litz_status give_view(const shared *s, frame *f, uint32_t k, const run_request *r, lx_error e) {
    const lx_tensor *t = &s->code.outputs[k];
    bound_output *b = &f->outputs[k];
    uint64_t at;
    if (!r->view) return allocate_copied(s, f, k, r, e);
    litz_status status = place_view(&s->code, f, k, &at, e);
    if (status) return status;
    if (!r->view(r->allocate_context, k, t->view - 1, at, (int32_t)t->shape.count, b->shape, b->shown))
        return no_memory(e, "an output", 0);
    return LITZ_OK;
}

static litz_status allocate_outputs(const shared *s, frame *f, const run_request *r, lx_error e) {
    const code *c = &s->code;
    for (uint32_t k = 0; k < c->n_outputs; k++) {
        bound_output *b = &f->outputs[k];
        if (b->late || c->outputs[k].view) continue;
        if (k >= c->n_results && !r->view) {
            /* A host that takes no views has no use for their storage. */
            b->on_host = false;
            if (!(b->data = copy_memory(s, f, b->bytes))) return no_room(s, b->bytes, "results that share memory", e);
            continue;
        }
        if (c->outputs[k].packed.count || (on_gpu(s) && f->gives_to_host)) {
            litz_status status = allocate_copied(s, f, k, r, e);
            if (status) return status;
            if (!(b->data = copy_memory(s, f, b->bytes))) return no_room(s, b->bytes, "a copy of an output", e);
            continue;
        }
        b->data = r->allocate(r->allocate_context, k, b->bytes, (int32_t)c->outputs[k].shape.count, b->shape, b->strides);
        if (!b->data) return no_room(s, b->bytes, "an output", e);
        if (!on_gpu(s) || !f->staged_outputs[k]) continue;
        b->given = b->data;
        b->given_strides = b->strides;
        b->copied = true;
        if (!(b->data = copy_memory(s, f, b->bytes))) return no_room(s, b->bytes, "a copy of an output", e);
    }
    litz_status status = LITZ_OK;
    for (uint32_t k = 0; !status && k < c->n_outputs; k++)
        if (c->outputs[k].view && !f->outputs[k].late) status = give_view(s, f, k, r, e);
    return status;
}

/* Writes data-dependent sizes to the caller's tensors, and makes the views of outputs that have memory by now. */
static litz_status show_late(const shared *s, frame *f, const run_request *r, lx_error e) {
    const code *c = &s->code;
    for (uint32_t k = 0; k < c->n_outputs; k++) {
        bound_output *b = &f->outputs[k];
        if (!b->late || c->outputs[k].view) continue;
        if (!b->data) {
            /* No step writes an output without elements, whatever its other sizes are. */
            litz_status status = size_output(c, f, k, e);
            if (status) return status;
            if (b->bytes) return fail(e, LITZ_ERROR_INTERNAL, "no step of the plan allocated output %u", (unsigned)k);
            bool given = r->allocate && (k < c->n_results || r->view);
            if (given && !r->allocate(r->allocate_context, k, 0, (int32_t)c->outputs[k].shape.count, b->shape, b->shown))
                return no_memory(e, "an output", 0);
        }
    }
    for (uint32_t k = 0; k < c->n_outputs; k++) {
        bound_output *b = &f->outputs[k];
        if (!b->late || k >= c->n_results) continue;
        uint32_t rank = c->outputs[k].shape.count;
        if (c->outputs[k].view) {
            litz_status status = size_output(c, f, k, e);
            if (!status && r->allocate) status = give_view(s, f, k, r, e);
            for (uint32_t d = 0; !status && !r->allocate && d < rank; d++)
                if (b->shape[d] > r->outputs[k]->shape[d])
                    status = wrong_size(c, "output", k, &c->outputs[k], d, r->outputs[k]->shape[d], b->shape[d], e);
            if (status) return status;
            b->copied = !r->allocate || !r->view;
        }
        if (r->allocate) continue;
        for (uint32_t d = 0; d < rank; d++) r->outputs[k]->shape[d] = b->shape[d];
        /* Without strides a tensor is contiguous in the sizes that it has now. */
        if (!r->outputs[k]->strides) {
            contiguous_strides((int32_t)rank, b->shape, b->own_strides);
            b->given_strides = b->own_strides;
        }
    }
    return LITZ_OK;
}

/* That memory given on the device is there, as large as the tensor says. */
static litz_status assert_extent(const shared *s, const char *what, uint32_t k, const char *name, interval memory, lx_error e) {
    if (memory.begin == memory.end) return LITZ_OK;
    cu_pointer base = 0;
    size_t bytes = 0;
    if (s->device->driver->address_range(&base, &bytes, memory.begin))
        return SAY(e, LITZ_ERROR_DEVICE, what, k, name, "its memory at %p is not memory of a GPU in this process",
                   (void *)memory.begin);
    if (memory.end - base > bytes)
        return SAY(e, LITZ_ERROR_SHAPE, what, k, name, "its sizes and strides reach %llu bytes beyond its memory",
                   (unsigned long long)(memory.end - base - bytes));
    return LITZ_OK;
}

static litz_status assert_sizes(const shared *s, const frame *f, const run_request *r, lx_error e) {
    const code *c = &s->code;
    litz_status status = LITZ_OK;
    for (uint32_t k = 0; !status && k < c->n_inputs; k++)
        if (!(c->inputs[k].flags & (LX_TENSOR_SCALAR | LX_TENSOR_UNREAD)) && !is_on_host(r->inputs[k]))
            status = assert_extent(s, "input", k, text_of(c, c->inputs[k].name), f->inputs[k].memory, e);
    for (uint32_t k = 0; !status && !r->allocate && k < c->n_outputs; k++)
        if (!f->outputs[k].late && !f->outputs[k].on_host) status = assert_extent(s, "output", k, text_of(c, c->outputs[k].name), f->outputs[k].memory, e);
    return status;
}

static litz_status run_in_frame(lx_instance *self, frame *f, const run_request *r, lx_error e) {
    shared *s = self->shared;
    const code *c = &s->code;
    litz_status status = on_gpu(s) ? begin_run(s, f, r->options, e) : LITZ_OK;
    if (!status && is_profiled(s)) {
        status = profile_begin(s, f, e);
        f->profiling = !status;
    }
    if (!status) status = begin_random(c, f, r->options, e);
    if (!status) status = bind_sizes(s, f, r->inputs, r->n_inputs, e);
    f->gives_to_host = copies_host_tensors(s) && r->allocate && gives_to_host(s, r->inputs, r->n_inputs);
    if (!status) status = bind_data(s, f, r->inputs, e);
    if (!status) status = size_outputs(s, f, e);
    if (!status) status = r->allocate ? allocate_outputs(s, f, r, e) : bind_outputs(s, f, r->outputs, e);
    if (!status) status = place_buffers(s, f, self->storages, self->derived, false, e);
    late_outputs late = {r->allocate, r->allocate_context, r->outputs, r->view != NULL};
    if (!status && s->program.flags & LX_PROGRAM_SIZE_ASSERTS && on_gpu(s)) status = assert_sizes(s, f, r, e);
    bool observed = !status && is_observed(s), recorded = on_gpu(s) && !s->device->unrecorded && !observed;
    if (!status && copies_host_tensors(s)) status = begin_transfers(s, f, e);
    if (!status && transfers(s, f) && (observed || recorded))
        status = upload_inputs(s, f, r->options, observed ? LX_NONE : ALL_THAT_ARE_USED, e);
    observed = observed && !status;
    if (observed) status = observe(s, f, 0, LX_VIEW_BEGIN, e);
    if (!status) atomic_fetch_add_explicit(&self->begun, 1, memory_order_relaxed);
    if (!status && recorded) {
        /* A recorded graph is launched as a whole. */
        f->cancels = NULL;
        status = run_graph(s, f, r->options, e);
    }
    else if (!status && transfers(s, f)) status = run_as_inputs_arrive(s, f, &late, r->options, e);
    else if (!status) status = run_steps(s, f, c->main, c->n_main, &late, r->options, e);
    f->cancels = NULL;
    if (observed) (void)observe(s, f, 0, LX_VIEW_END, (lx_error){NULL, 0});
    if (!status) status = show_late(s, f, r, e);
    if (!status) status = write_back(s, f, e);
    if (!status && transfers(s, f)) status = download_results(s, f, r->options, e);
    if (on_gpu(s)) status = end_run(s, f, r->options, end_transfers(s, f, status, e), e);
    if (LX_IS_WATCHED && f->profiling && !status) status = profile_end(s, f, e);
    f->profiling = false;
    return status;
}

static litz_status run(lx_instance *self, const run_request *r, lx_error e) {
    litz_status status = check_options(self->shared->device, r->options, e);
    if (status) return status;
    const code *c = &self->shared->code;
    status = check_outputs_count(c, r->allocate ? (const void *)self : r->outputs, r->n_outputs, e);
    if (!status) status = enter(self, e);
    if (status) return status;
    uint64_t began = atomic_load_explicit(&self->cancels, memory_order_relaxed);
    if (c->mutates_constants) pthread_rwlock_wrlock(&self->lock);
    else pthread_rwlock_rdlock(&self->lock);
    const device *gpu = self->shared->device;
    if (gpu && r->options && r->options->device_index && r->options->device_index != gpu->index) {
        lx_instance *other = NULL;
        status = find_elsewhere(self, r->options->device_index, &other, e);
        /* It counts whether or not the other instance comes to its steps. */
        atomic_fetch_add_explicit(&self->begun, 1, memory_order_relaxed);
        if (!status) status = run(other, r, e);
        pthread_rwlock_unlock(&self->lock);
        return status;
    }
    status = enter_device(self->shared, e);
    uint64_t next = 0;
    if (!status) {
        frame *f = frame_take(self);
        if (f) {
            f->cancels = r->cancels ? r->cancels : &self->cancels;
            f->began = r->cancels ? r->began : began;
            f->may_overlap = r->may_overlap;
            status = is_cancelled(f) ? cancelled(e) : run_in_frame(self, f, r, e);
            next = next_offset(c, f);
            frame_give(self, f);
        } else {
            status = no_memory(e, "a run's tables", sizeof *f);
        }
        leave_device(self->shared);
    }
    pthread_rwlock_unlock(&self->lock);
    if (!status && r->options && r->options->next_offset) *r->options->next_offset = next;
    return status;
}

litz_status lx_run(lx_instance *self, const DLTensor *const *inputs, size_t n_inputs, const DLTensor *const *outputs,
                   size_t n_outputs, const litz_run_options *options, char *error, size_t error_size) {
    run_request r = {.inputs = inputs, .outputs = outputs, .n_inputs = n_inputs, .n_outputs = n_outputs, .options = options};
    return run(self, &r, (lx_error){error, error_size});
}

litz_status lx_run_allocating(lx_instance *self, const DLTensor *const *inputs, size_t n_inputs, lx_output_fn allocate,
                              lx_view_fn view, void *allocate_context, size_t n_outputs, const litz_run_options *options, char *error,
                              size_t error_size) {
    run_request r = {.inputs = inputs, .n_inputs = n_inputs, .n_outputs = n_outputs, .allocate = allocate, .view = view,
                     .allocate_context = allocate_context, .options = options};
    return run(self, &r, (lx_error){error, error_size});
}

static DLDevice device_of(const shared *s) {
    return on_gpu(s) ? (DLDevice){kDLCUDA, s->device->index} : (DLDevice){kDLCPU, 0};
}

int lx_gives_to_host(const lx_instance *self, const DLTensor *const *inputs, size_t n_inputs) {
    return gives_to_host(self->shared, inputs, n_inputs);
}

/* Bounds of an output with data-dependent sizes; -1 where a size has none. A stride that such sizes decide is that of a dense
   tensor of these bounds: other strides are known, and those that are not rise from the last dimension on. */
static void show_bounds(const shared *s, const frame *f, const lx_tensor *t, DLTensor *out) {
    const code *c = &s->code;
    const uint32_t *strides = u32_of(c, t->strides), rank = t->shape.count;
    for (uint32_t d = 0; d < rank; d++) {
        uint32_t scalar = u32_of(c, t->shape)[d];
        out->shape[d] = s->notes[scalar] & SCALAR_LATE ? i64_of(c, t->max_shape)[d] : f->scalars[scalar];
    }
    for (uint32_t d = 0; d < rank; d++) {
        if (!(s->notes[strides[d]] & SCALAR_LATE)) {
            out->strides[d] = f->scalars[strides[d]];
            continue;
        }
        int64_t stride = 1;
        for (uint32_t k = 0; k < rank && stride >= 0; k++) {
            bool late = s->notes[strides[k]] & SCALAR_LATE;
            if (late ? k <= d : !f->scalars[strides[k]]) continue;
            int64_t size = out->shape[k] > 1 ? out->shape[k] : out->shape[k] < 0 ? -1 : 1;
            if (size < 0 || __builtin_mul_overflow(stride, size, &stride)) stride = -1;
        }
        out->strides[d] = stride;
    }
}

litz_status lx_infer_outputs(lx_instance *self, const DLTensor *const *inputs, size_t n_inputs, DLTensor *outputs,
                             size_t n_outputs, char *error, size_t error_size) {
    lx_error e = {error, error_size};
    const code *c = &self->shared->code;
    litz_status status = check_outputs_count(c, outputs, n_outputs, e);
    if (!status) status = enter(self, e);
    if (status) return status;
    status = enter_device(self->shared, e);
    if (status) return status;
    frame *f = frame_take(self);
    leave_device(self->shared);
    if (!f) return no_memory(e, "a run's tables", sizeof *f);
    f->seed = f->offset = 0;
    status = bind_sizes(self->shared, f, inputs, n_inputs, e);
    if (!status) status = size_outputs(self->shared, f, e);
    bool host = on_gpu(self->shared) && gives_to_host(self->shared, inputs, n_inputs);
    for (uint32_t k = 0; !status && k < c->n_results; k++)
        if (c->outputs[k].shape.count && (!outputs[k].shape || !outputs[k].strides))
            status = SAY(e, LITZ_ERROR_INVALID_ARGUMENT, "output", k, text_of(c, c->outputs[k].name),
                         "its shape and strides must point to arrays of %u numbers", (unsigned)c->outputs[k].shape.count);
    for (uint32_t k = 0; !status && k < c->n_results; k++) {
        uint32_t rank = c->outputs[k].shape.count;
        outputs[k].dtype = dl_of(dtype_of(c->outputs[k].dtype));
        outputs[k].device = host ? (DLDevice){kDLCPU, 0} : device_of(self->shared);
        outputs[k].ndim = (int32_t)rank;
        for (uint32_t d = 0; d < rank && !f->outputs[k].late; d++) {
            outputs[k].shape[d] = f->outputs[k].shape[d];
            outputs[k].strides[d] = f->outputs[k].shown[d];
        }
        if (f->outputs[k].late) show_bounds(self->shared, f, &c->outputs[k], &outputs[k]);
    }
    frame_give(self, f);
    return status;
}

litz_status lx_synchronize(lx_instance *self, char *error, size_t error_size) {
    const shared *s = self->shared;
    /* Every run on the CPU has ended when its call returns. */
    if (!on_gpu(s)) return LITZ_OK;
    lx_error e = {error, error_size};
    litz_status status = enter(self, e);
    if (!status) status = enter_device(s, e);
    if (status) return status;
    /* Other runs go on meanwhile: a frame whose work is ahead is taken as a run takes it. */
    for (frame *f; (f = frame_in_flight(self));) {
        litz_status one = await_run(s, f, status ? (lx_error){NULL, 0} : e);
        frame_give(self, f);
        if (!status) status = one;
    }
    /* Another thread's run follows on this frame's asynchronous one: the frame's event then covers both. */
    pthread_mutex_lock(&self->frames_lock);
    for (frame *f = self->running; f; f = f->next) {
        cu_result code = f->follows ? s->device->driver->event_synchronize(f->done) : 0;
        if (code && !status) status = device_fail(s->device, code, "a run", e);
    }
    pthread_mutex_unlock(&self->frames_lock);
    leave_device(s);
    for (int32_t k = 0; k < MOST_DEVICES; k++) {
        pthread_mutex_lock(&self->elsewhere_lock);
        lx_instance *other = self->elsewhere ? self->elsewhere[k] : NULL;
        pthread_mutex_unlock(&self->elsewhere_lock);
        if (!other) continue;
        litz_status one = lx_synchronize(other, status ? NULL : error, status ? 0 : error_size);
        if (!status) status = one;
    }
    return status;
}

void lx_graph_counts_of(lx_instance *self, lx_graph_counts *out) {
    const shared *s = self->shared;
    *out = (lx_graph_counts){.recorded = s->graphs.recorded,
                             .replayed = s->graphs.replayed,
                             .patched = s->graphs.patched,
                             .eager = s->graphs.eager,
                             .reason = on_gpu(s) ? s->device->unrecorded : "the program runs on the CPU"};
}

void lx_graph_totals(lx_graph_counts *out) {
    *out = (lx_graph_counts){.recorded = totals.recorded,
                             .replayed = totals.replayed,
                             .patched = totals.patched,
                             .eager = totals.eager};
}

void lx_clear_graph_totals(void) {
    totals.recorded = 0;
    totals.replayed = 0;
    totals.patched = 0;
    totals.eager = 0;
}

/* The frames that no run has. */
static void release_idle(lx_instance *self) {
    const shared *s = self->shared;
    pthread_mutex_lock(&self->frames_lock);
    frame *gone = self->frames;
    self->frames = NULL;
    self->n_frames = 0;
    pthread_mutex_unlock(&self->frames_lock);
    while (gone) {
        frame *next = gone->next;
        frame_release(s, gone);
        gone = next;
    }
}

/* Whether its locks are known to be sound here: another process may have been forked from the one that made it. */
static bool is_sound(lx_instance *self) { return atomic_load(&self->generation) == atomic_load(&pool.generation); }

void lx_release_frames_of(lx_instance *self) {
    if (!on_gpu(self->shared) && is_sound(self)) release_idle(self);
}

void lx_release_frames(void) {
    pthread_mutex_lock(&registry);
    for (lx_instance *self = instances; self; self = self->next) lx_release_frames_of(self);
    pthread_mutex_unlock(&registry);
}

uint64_t lx_runs_begun(lx_instance *self) { return atomic_load_explicit(&self->begun, memory_order_relaxed); }

void lx_cancel(lx_instance *self) {
    atomic_fetch_add(&self->cancels, 1);
    pthread_mutex_lock(&self->elsewhere_lock);
    for (int32_t k = 0; self->elsewhere && k < MOST_DEVICES; k++)
        if (self->elsewhere[k]) lx_cancel(self->elsewhere[k]);
    pthread_mutex_unlock(&self->elsewhere_lock);
}

void lx_drop_graphs(void) {
    if (driver_forked()) return;
    pthread_mutex_lock(&registry);
    for (lx_instance *self = instances; self; self = self->next) {
        if (!on_gpu(self->shared) || !enter_to_release(self->shared)) continue;
        pthread_mutex_lock(&self->frames_lock);
        for (frame *f = self->frames; f; f = f->next)
            drop_recordings(self->shared, f);
        pthread_mutex_unlock(&self->frames_lock);
        leave_device(self->shared);
    }
    pthread_mutex_unlock(&registry);
}
