/*
 * Runs whose inputs share memory with one that the program writes to. What is written to one is then seen in the others, in the
 * order in which the graph reads and writes. Another program of the same graph does this, its form over bases: it copies the
 * inputs of each base into one piece of memory, works on views of that, and copies them back. Where each input lies in its
 * base are numbers, so that one form serves every layout.
 *
 * The form's inputs are the program's; then the storages of constants that it shares with the instance, its state among them;
 * then for each base the number of its elements and, for each input in it, the offset and the strides of its view.
 *
 * Invariants: the form changes nothing but inputs and the instance's storages, under the instance's lock; inputs that share
 * bytes are of one dtype, at distances of whole elements.
 */
#include "internal.h"

/* An input with elements that lie in memory; others have an empty interval. */
typedef struct placed {
    layout in;
    int64_t strides[LX_MAX_RANK];
} placed;

static litz_status place_inputs(const code *c, const DLTensor *const *inputs, placed *out, lx_error e) {
    for (uint32_t k = 0; k < c->n_inputs; k++) {
        const lx_tensor *t = &c->inputs[k];
        const DLTensor *x = inputs[k];
        placed *p = &out[k];
        p->in = (layout){.rank = (int32_t)t->shape.count, .strides = p->strides, .item = dtype_of(t->dtype).size};
        if (!x || t->flags & (LX_TENSOR_SCALAR | LX_TENSOR_UNREAD)) continue;
        const int64_t *strides;
        uint8_t *first;
        litz_status status = read_layout("input", k, text_of(c, t->name), x, p->in.item, p->strides, &strides, &first, &p->in.memory, e);
        if (status) return status;
        p->in.shape = x->shape;
        bool empty = p->in.memory.begin == p->in.memory.end;
        for (int32_t d = 0; d < p->in.rank; d++) p->strides[d] = empty || x->shape[d] == 1 ? 0 : strides[d];
    }
    return LITZ_OK;
}

/* For each input the first one that it shares memory with, directly or through others; itself where there is none. */
static litz_status group_inputs(const code *c, const placed *inputs, uint32_t *group, lx_error e) {
    for (uint32_t k = 0; k < c->n_inputs; k++) group[k] = k;
    for (uint32_t k = 0; k < c->n_inputs; k++) {
        if (!(c->inputs[k].flags & LX_TENSOR_MUTATED)) continue;
        const layout *own = &inputs[k].in;
        for (uint32_t o = 0; o < c->n_inputs; o++) {
            const layout *other = &inputs[o].in;
            if (o == k || !intervals_meet(own->memory, other->memory)) continue;
            int shared_bytes = share_bytes(own, other);
            if (shared_bytes < 0) return no_memory(e, "a check for overlap", own->memory.end - own->memory.begin);
            if (!shared_bytes) continue;
            uintptr_t apart = own->memory.begin > other->memory.begin ? own->memory.begin - other->memory.begin
                                                                      : other->memory.begin - own->memory.begin;
            if (c->inputs[k].dtype != c->inputs[o].dtype || apart % own->item)
                return SAY(e, LITZ_ERROR_UNSUPPORTED, "input", k, text_of(c, c->inputs[k].name),
                           "it shares memory with input %u `%s` as %s, and the program writes to it; give a copy of one", (unsigned)o,
                           text_of(c, c->inputs[o].name), c->inputs[k].dtype != c->inputs[o].dtype ? "another dtype" : "parts of elements");
            uint32_t low = group[k] < group[o] ? group[k] : group[o], high = group[k] < group[o] ? group[o] : group[k];
            for (uint32_t n = 0; n < c->n_inputs; n++)
                if (group[n] == high) group[n] = low;
        }
    }
    return LITZ_OK;
}

litz_status lx_find_overlaps(lx_instance *self, const DLTensor *const *inputs, size_t n_inputs, uint32_t *groups, char *error,
                             size_t error_size) {
    lx_error e = {error, error_size};
    const code *c = &self->shared->code;
    if (n_inputs != c->n_inputs || !inputs) return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "the program has %u inputs", c->n_inputs);
    placed *where = calloc(n_inputs + 1, sizeof *where);
    if (!where) return no_memory(e, "a run's tables", n_inputs * sizeof *where);
    litz_status status = place_inputs(c, inputs, where, e);
    if (!status) status = group_inputs(c, where, groups, e);
    free(where);
    return status;
}

litz_status lx_check_stream(lx_instance *self, const litz_run_options *options, char *error, size_t error_size) {
    lx_error e = {error, error_size};
    const shared *s = self->shared;
    if (!on_gpu(s)) return LITZ_OK;
    litz_status status = enter_device(s, e);
    if (status) return status;
    cu_stream stream;
    status = stream_of_run(s, options, &stream, e);
    leave_device(s);
    return status;
}

/* Copies in the order of a run's stream: on the program's device, or between pinned memory of the host's. */
static litz_status copy_in_order(const shared *s, const DLTensor *from, const strided at[2], const litz_run_options *options, lx_error e) {
    uint64_t item = from->dtype.bits / 8u;
    bool host = is_on_host(from);
    cu_stream stream;
    litz_status status = enter_device(s, e);
    if (status) return status;
    status = stream_of_run(s, options, &stream, e);
    if (!status && !host) status = device_copy_strided(s->device, from->ndim, from->shape, at[0], at[1], item, stream, e);
    if (!status) status = device_wait(s->device, stream, e);
    if (!status && host) copy_strided(from->ndim, from->shape, at[0], at[1], item);
    leave_device(s);
    return status;
}

litz_status lx_copy_elements(lx_instance *self, const DLTensor *to, const DLTensor *from, const litz_run_options *options,
                             char *error, size_t error_size) {
    lx_error e = {error, error_size};
    const shared *s = self->shared;
    uint64_t item = from->dtype.bits / 8u;
    const DLTensor *given[2] = {to, from};
    int64_t room[2][LX_MAX_RANK];
    strided at[2];
    bool pinned = false;
    for (uint32_t k = 0; k < 2; k++) {
        const DLTensor *t = given[k];
        interval memory;
        litz_status status = read_layout("copy", k, "of an input", t, item, room[k], &at[k].strides, &at[k].data, &memory, e);
        if (status) return status;
        if (memory.begin == memory.end) return LITZ_OK;
        if (is_on_host(t) != is_on_host(from) || (!is_on_host(t) && (!on_gpu(s) || t->device.device_id != s->device->index)))
            return fail(e, LITZ_ERROR_UNSUPPORTED, "inputs that share memory lie on another device than the program's; give copies");
        pinned = pinned || t->device.device_type == kDLCUDAHost;
    }
    if (on_gpu(s) && (pinned || !is_on_host(from))) return copy_in_order(s, from, at, options, e);
    copy_strided(from->ndim, from->shape, at[0], at[1], item);
    return LITZ_OK;
}

/* The tensors that a form takes beside the program's own inputs, and what they point to. */
typedef struct layouts {
    const DLTensor **all; /* of all inputs */
    DLTensor *more;
    int64_t *numbers, *sizes;
    placed *where;
    uint32_t *groups;
    block **recovered; /* storages that were let go */
} layouts;

static void layouts_release(const shared *s, layouts *l, uint32_t n_storages) {
    for (uint32_t k = 0; l->recovered && k < n_storages; k++) block_release(s, l->recovered[k]);
    free(l->all);
    free(l->more);
    free(l->numbers);
    free(l->sizes);
    free(l->where);
    free(l->groups);
    free(l->recovered);
}

static bool layouts_new(layouts *l, size_t n_inputs, size_t n_more, size_t n_storages) {
    l->all = calloc(n_inputs + n_more + 1, sizeof *l->all);
    l->more = calloc(n_more + 1, sizeof *l->more);
    l->numbers = calloc(n_more + 1, sizeof *l->numbers);
    l->sizes = calloc(n_storages * 2 * LX_MAX_RANK + 1, sizeof *l->sizes);
    l->where = calloc(n_inputs + 1, sizeof *l->where);
    l->groups = calloc(n_inputs + 1, sizeof *l->groups);
    l->recovered = calloc(n_storages + 1, sizeof *l->recovered);
    return l->all && l->more && l->numbers && l->sizes && l->where && l->groups && l->recovered;
}

/* A storage as the form takes it. Under the instance's lock. */
static litz_status lend_storage(lx_instance *self, const lx_instance *program, uint32_t input, uint32_t storage, DLTensor *out,
                                int64_t *sizes, block **recovered, lx_error e) {
    const shared *s = self->shared, *theirs = program->shared;
    const code *c = &theirs->code;
    const lx_tensor *t = &c->inputs[input];
    const void *data;
    litz_status status = storage_now(self, storage, &data, recovered, e);
    for (uint32_t d = 0; d < t->shape.count; d++) {
        sizes[d] = theirs->scalars[u32_of(c, t->shape)[d]];
        sizes[LX_MAX_RANK + d] = theirs->scalars[u32_of(c, t->strides)[d]];
    }
    *out = (DLTensor){.data = (void *)(uintptr_t)data,
                      .device = device_of(s),
                      .ndim = (int32_t)t->shape.count,
                      .dtype = dl_of(dtype_of(t->dtype)),
                      .shape = sizes,
                      .strides = sizes + LX_MAX_RANK};
    return status;
}

/* Where the inputs of a base lie in it: those that share memory at their distances, the others behind one another. */
static litz_status lay_out(const code *c, const lx_form *form, uint32_t base, const layouts *l, int64_t *numbers, lx_error e) {
    int64_t *elements = numbers++;
    for (uint32_t k = 0; k < c->n_inputs; k++) {
        if (form->bases[k] != base) continue;
        /* The group's first input in the base has given it a place. */
        uint32_t first = l->groups[k];
        uintptr_t begin = l->where[k].in.memory.begin, end = l->where[k].in.memory.end;
        for (uint32_t o = 0; o < c->n_inputs; o++) {
            if (l->groups[o] != first) continue;
            if (form->bases[o] != base)
                return fail(e, LITZ_ERROR_INTERNAL, "inputs %u and %u share memory, but not a base", (unsigned)k, (unsigned)o);
            if (l->where[o].in.memory.begin < begin) begin = l->where[o].in.memory.begin;
            if (l->where[o].in.memory.end > end) end = l->where[o].in.memory.end;
        }
        uint64_t item = l->where[k].in.item;
        int64_t *own = numbers;
        numbers += 1 + l->where[k].in.rank;
        own[0] = *elements;
        if (first != k) {
            const int64_t *at = own;
            for (uint32_t o = k; o-- > first;)
                if (form->bases[o] == base) at -= 1 + l->where[o].in.rank;
            /* `at`: the numbers of the group's first input. */
            own[0] = at[0] + (int64_t)((l->where[k].in.memory.begin - begin) / item) -
                     (int64_t)((l->where[first].in.memory.begin - begin) / item);
        } else {
            own[0] += (int64_t)((l->where[k].in.memory.begin - begin) / item);
            *elements += (int64_t)((end - begin) / item);
        }
        memcpy(own + 1, l->where[k].strides, (size_t)l->where[k].in.rank * sizeof *own);
    }
    return LITZ_OK;
}

static litz_status fill_layouts(lx_instance *self, const lx_form *form, const run_request *r, layouts *l, size_t n_more, lx_error e) {
    const code *c = &self->shared->code;
    litz_status status = place_inputs(c, r->inputs, l->where, e);
    if (!status) status = group_inputs(c, l->where, l->groups, e);
    if (status) return status;
    for (uint32_t k = 0; k < c->n_inputs; k++) l->all[k] = r->inputs[k];
    for (uint32_t k = 0; k < n_more; k++) l->all[c->n_inputs + k] = &l->more[k];
    for (uint32_t k = 0; !status && k < form->n_storages; k++)
        status = lend_storage(self, form->program, c->n_inputs + k, form->storages[k], &l->more[k], l->sizes + (size_t)k * 2 * LX_MAX_RANK,
                              &l->recovered[k], e);
    size_t at = form->n_storages;
    for (uint32_t base = 1; !status; base++) {
        size_t n = 0;
        for (uint32_t k = 0; k < c->n_inputs; k++)
            if (form->bases[k] == base) n += 1 + (size_t)l->where[k].in.rank;
        if (!n) break;
        status = lay_out(c, form, base, l, l->numbers + at, e);
        at += 1 + n;
    }
    for (size_t k = form->n_storages; k < n_more; k++)
        l->more[k] = (DLTensor){.data = &l->numbers[k], .device = {kDLCPU, 0}, .dtype = {kDLInt, 64, 1}};
    return status;
}

/* How many inputs a form of the program has beside the program's. */
static size_t count_more(const code *c, const lx_form *form) {
    size_t n = form->n_storages;
    uint32_t bases = 0;
    for (uint32_t k = 0; k < c->n_inputs; k++) {
        if (form->bases[k]) n += 1 + (size_t)c->inputs[k].shape.count;
        if (form->bases[k] > bases) bases = form->bases[k];
    }
    return n + bases;
}

static litz_status run_form(lx_instance *self, const lx_form *form, const run_request *r, lx_error e) {
    const shared *s = self->shared;
    const code *c = &s->code;
    size_t n_more = count_more(c, form);
    if (r->n_inputs != c->n_inputs || form->program->shared->code.n_inputs != c->n_inputs + n_more)
        return fail(e, LITZ_ERROR_INTERNAL, "the form for inputs that share memory has other inputs than it should");
    if (s->device && r->options && r->options->device_index && r->options->device_index != s->device->index)
        return fail(e, LITZ_ERROR_UNSUPPORTED, "run options: inputs that share memory on another device than the program's; give copies");
    layouts l = {0};
    litz_status status = layouts_new(&l, c->n_inputs, n_more, form->n_storages) ? enter(self, e) : no_memory(e, "a run's tables", 0);
    if (!status) {
        uint64_t began = atomic_load_explicit(&self->cancels, memory_order_relaxed);
        if (c->mutates_constants) pthread_rwlock_wrlock(&self->lock);
        else pthread_rwlock_rdlock(&self->lock);
        status = enter_device(s, e);
        bool entered = !status;
        if (!status) status = wait_in_flight(self, e);
        if (!status) status = fill_layouts(self, form, r, &l, n_more, e);
        if (entered) leave_device(s);
        if (!status) {
            /* What was recovered or lent must stay until the run is over. */
            litz_run_options options = r->options ? *r->options : (litz_run_options){.struct_size = sizeof options};
            options.struct_size = sizeof options;
            options.flags &= ~LITZ_RUN_ASYNC;
            options.static_inputs = options.static_outputs = NULL;
            run_request all = *r;
            all.inputs = l.all;
            all.n_inputs = c->n_inputs + n_more;
            all.options = &options;
            all.may_overlap = true;
            all.cancels = &self->cancels;
            all.began = began;
            status = run(form->program, &all, e);
        }
        pthread_rwlock_unlock(&self->lock);
    }
    layouts_release(s, &l, form->n_storages);
    return status;
}

litz_status lx_run_form(lx_instance *self, const lx_form *form, const DLTensor *const *inputs, size_t n_inputs,
                        const DLTensor *const *outputs, size_t n_outputs, const litz_run_options *options, char *error, size_t error_size) {
    run_request r = {.inputs = inputs, .outputs = outputs, .n_inputs = n_inputs, .n_outputs = n_outputs, .options = options};
    return run_form(self, form, &r, (lx_error){error, error_size});
}

litz_status lx_run_form_allocating(lx_instance *self, const lx_form *form, const DLTensor *const *inputs, size_t n_inputs,
                                   lx_output_fn allocate, lx_view_fn view, void *allocate_context, size_t n_outputs,
                                   const litz_run_options *options, char *error, size_t error_size) {
    run_request r = {.inputs = inputs, .n_inputs = n_inputs, .n_outputs = n_outputs, .allocate = allocate, .view = view,
                     .allocate_context = allocate_context, .options = options};
    return run_form(self, form, &r, (lx_error){error, error_size});
}
