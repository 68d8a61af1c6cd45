/*
 * Tensors in the host's memory as inputs and outputs of programs for a GPU (LX_PROGRAM_HOST_TENSORS).
 *
 * Each has memory of the frame's on the device, which stays, so that recorded graphs go on to fit. Inputs are uploaded before
 * the first step that uses them, while the steps before it run; results are downloaded as they become final, while the steps
 * after them run. Much data has a stream of its own for that, few bytes go in the run's. Ordinary memory goes through pinned
 * slots (cuda_staging.c), in pieces; pinned memory of the host's (kDLCUDAHost) is copied where it lies.
 *
 * Invariants: a run's stream waits for the uploads that a step needs, and at the end for copies that nobody else waits for;
 * all inputs are read before any result is written. What goes to ordinary memory is there when the run's call returns.
 */
#include "internal.h"

/* From so many bytes on a run's copies go beside its kernels; pieces that several threads copy, and what each does at least. */
#ifndef BESIDE_BYTES
#define BESIDE_BYTES (1u << 20)
#define SHARED_BYTES (1u << 20)
#define SHARE_BYTES (256u << 10)
#endif

/* A tensor's way, its device's dimensions from the outermost to the innermost, those that run on into each other joined. False:
 * it has no elements. */
static bool plan_transfer(transfer *t, int32_t rank, const int64_t *shape, const int64_t *on_host, const int64_t *on_device, uint64_t item) {
    int32_t n = 0, m = 0;
    t->item = item;
    for (int32_t d = 0; d < rank; d++) {
        if (shape[d] == 0) return false;
        if (shape[d] == 1 || (on_host[d] == 0 && on_device[d] == 0)) continue;
        int32_t at = n++;
        for (; at > 0 && t->on_device[at - 1] < on_device[d]; at--) {
            t->size[at] = t->size[at - 1];
            t->on_host[at] = t->on_host[at - 1];
            t->on_device[at] = t->on_device[at - 1];
        }
        t->size[at] = shape[d];
        t->on_host[at] = on_host[d];
        t->on_device[at] = on_device[d];
    }
    for (int32_t d = 0; d < n; d++) {
        bool joins = m && t->on_device[m - 1] == t->on_device[d] * t->size[d] && t->on_host[m - 1] == t->on_host[d] * t->size[d];
        int32_t at = joins ? m - 1 : m++;
        t->size[at] = joins ? t->size[at] * t->size[d] : t->size[d];
        t->on_host[at] = t->on_host[d];
        t->on_device[at] = t->on_device[d];
    }
    t->rank = m;
    return true;
}

static bool is_flat(const transfer *t) { return t->rank == 0 || (t->rank == 1 && t->on_host[0] == 1 && t->on_device[0] == 1); }

/* A part of a copy between a slot and the host's memory. */
typedef struct host_copy {
    piece piece;
    uint8_t *staged;
    bool uploads;
} host_copy;

static void copy_part(void *argument, int64_t begin, int64_t end) {
    const host_copy *h = argument;
    const piece *p = &h->piece;
    if (!p->transfer) {
        uint64_t from = (uint64_t)begin * SHARE_BYTES, to = (uint64_t)end * SHARE_BYTES;
        if (to > p->bytes) to = p->bytes;
        uint8_t *host = p->host + from, *staged = h->staged + from;
        if (h->uploads) memcpy(staged, host, (size_t)(to - from));
        else memcpy(host, staged, (size_t)(to - from));
        return;
    }
    const transfer *t = p->transfer;
    int64_t size[LX_MAX_RANK];
    int32_t rank = t->rank - p->level;
    memcpy(size, t->size + p->level, (size_t)rank * sizeof *size);
    if (rank) size[0] = end - begin;
    int64_t item = (int64_t)t->item;
    strided host = {p->host + (rank ? begin * t->on_host[p->level] * item : 0), t->on_host + p->level};
    strided staged = {h->staged + (rank ? begin * t->on_device[p->level] * item : 0), t->on_device + p->level};
    if (h->uploads) copy_strided(rank, size, staged, host, t->item);
    else copy_strided(rank, size, host, staged, t->item);
}

/* Copies a piece between its slot and the host's memory. */
static void copy_on_host(const shared *s, const litz_run_options *o, const piece *p, uint8_t *staged, bool uploads) {
    host_copy h = {*p, staged, uploads};
    int64_t n = p->transfer ? p->count : (int64_t)((p->bytes + SHARE_BYTES - 1) / SHARE_BYTES), grain = n;
    if (p->bytes >= SHARED_BYTES) grain = p->transfer ? n / (int64_t)(p->bytes / SHARE_BYTES) : 1;
    spread_tasks(s, o, copy_part, &h, n, grain > 0 ? grain : 1);
}

/* Hands over what has arrived in a slot, or in all. */
static litz_status hand_over(const shared *s, frame *f, const litz_run_options *o, uint32_t slot_number, bool all, lx_error e) {
    staging *st = f->staging;
    while (st->first < st->n_deliveries) {
        delivery *one = &st->deliveries[st->first];
        if (!all && one->slot != slot_number) break;
        litz_status status = one->slot == st->at ? close_slot(s->device, st, e) : LITZ_OK;
        if (!status) status = await_slot(s->device, &st->slots[one->slot], e);
        if (status) return status;
        copy_on_host(s, o, &one->piece, one->staged, false);
        st->first++;
    }
    if (st->first == st->n_deliveries) st->first = st->n_deliveries = 0;
    return LITZ_OK;
}

/* Room for so many bytes in a slot, free to be written. */
static litz_status staging_place(const shared *s, frame *f, const litz_run_options *o, uint64_t bytes, uint8_t **out, lx_error e) {
    const device *v = s->device;
    staging *st = f->staging;
    litz_status status = LITZ_OK;
    if (st->used && st->used + bytes > st->slots[st->at].bytes) status = close_slot(v, st, e);
    slot *one = &st->slots[st->at];
    if (!status && !st->used) {
        status = hand_over(s, f, o, st->at, false, e);
        if (!status) status = await_slot(v, one, e);
        if (!status) status = size_slot(v, one, bytes > st->chunk ? bytes : st->chunk, e);
    }
    if (status) return status;
    *out = one->data + st->used;
    st->used += (bytes + LX_ALIGNMENT - 1) / LX_ALIGNMENT * LX_ALIGNMENT;
    return LITZ_OK;
}

/* How a run moves a tensor. */
typedef struct way {
    const shared *shared;
    frame *frame;
    const litz_run_options *options;
    const transfer *transfer;
    bool uploads, flat;
} way;

static litz_status note_delivery(staging *st, const piece *p, uint8_t *staged, lx_error e) {
    if (st->n_deliveries == st->room) {
        uint32_t room = st->room ? 2 * st->room : 16;
        delivery *grown = realloc(st->deliveries, room * sizeof *grown);
        if (!grown) return no_memory(e, "copies to the host", room * sizeof *grown);
        st->deliveries = grown;
        st->room = room;
    }
    st->deliveries[st->n_deliveries++] = (delivery){*p, staged, st->at};
    return LITZ_OK;
}

static litz_status move_piece(const way *w, const piece *p, lx_error e) {
    const shared *s = w->shared;
    staging *st = w->frame->staging;
    uint8_t *staged = NULL;
    if (is_cancelled(w->frame)) return cancelled(e);
    litz_status status = staging_place(s, w->frame, w->options, p->bytes, &staged, e);
    if (status) return status;
    if (w->uploads) {
        copy_on_host(s, w->options, p, staged, true);
        return device_copy(s->device, p->device, staged, p->bytes, st->via, e);
    }
    status = device_copy(s->device, staged, p->device, p->bytes, st->via, e);
    return status ? status : note_delivery(st, p, staged, e);
}

/* Moves the dimensions from `level` on, in pieces that fit into a slot. */
static litz_status move_level(const way *w, int32_t level, uint8_t *host, uint8_t *device, lx_error e) {
    const transfer *t = w->transfer;
    const uint64_t chunk = w->frame->staging->chunk;
    uint64_t bytes = 0, one = 0;
    int32_t rank = t->rank - level;
    extent_bytes(rank, t->size + level, t->on_device + level, t->item, &bytes);
    piece p = {w->flat ? NULL : t, level, rank ? t->size[level] : 1, host, device, bytes};
    if (bytes <= chunk || !rank) return move_piece(w, &p, e);
    extent_bytes(rank - 1, t->size + level + 1, t->on_device + level + 1, t->item, &one);
    uint64_t step = (uint64_t)t->on_device[level] * t->item;
    /* Indices whose memory is interleaved go together: the slot grows. */
    if (one > step) return move_piece(w, &p, e);
    litz_status status = LITZ_OK;
    int64_t host_step = t->on_host[level] * (int64_t)t->item, many = one <= chunk ? (int64_t)(chunk / step) : 0;
    for (int64_t k = 0; !status && k < t->size[level]; k += p.count) {
        p.count = many < 1 ? 1 : many < t->size[level] - k ? many : t->size[level] - k;
        p.host = host + k * host_step;
        p.device = device + (uint64_t)k * step;
        p.bytes = (uint64_t)(p.count - 1) * step + one;
        status = one <= chunk ? move_piece(w, &p, e) : move_level(w, level + 1, p.host, p.device, e);
    }
    return status;
}

/* Moves a tensor between the host's memory and its place on the device. `pinned`: the host's memory is. */
static litz_status move_tensor(const shared *s, frame *f, const litz_run_options *o, int32_t rank, const int64_t *shape, strided host,
                               strided device, uint64_t item, bool pinned, bool uploads, lx_error e) {
    transfer t;
    if (!plan_transfer(&t, rank, shape, host.strides, device.strides, item)) return LITZ_OK;
    way w = {s, f, o, &t, uploads, is_flat(&t)};
    if (pinned && w.flat) {
        uint64_t bytes = (t.rank ? (uint64_t)t.size[0] : 1) * item;
        f->copies_directly = f->copies_directly || !uploads;
        return uploads ? device_copy(s->device, device.data, host.data, bytes, f->staging->via, e)
                       : device_copy(s->device, host.data, device.data, bytes, f->staging->via, e);
    }
    litz_status status = move_level(&w, 0, host.data, device.data, e);
    /* Deliveries of other layouts refer to `t`. */
    return status || uploads || w.flat ? status : hand_over(s, f, o, 0, true, e);
}

/* Lets `later` wait for all that is in `earlier` by now. */
static litz_status order_streams(const shared *s, cu_event event, cu_stream earlier, cu_stream later, lx_error e) {
    const driver *d = s->device->driver;
    if (earlier == later) return LITZ_OK;
    ON_DEVICE(s->device, d->event_record(event, earlier), "ordering copies");
    ON_DEVICE(s->device, d->stream_wait(later, event, 0), "ordering copies");
    return LITZ_OK;
}

/* Takes the staging memory and the stream of a run that has tensors in the host's memory. */
static litz_status begin_transfers(const shared *s, frame *f, lx_error e) {
    const code *c = &s->code;
    uint64_t bytes = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->n_inputs; k++)
        if (f->inputs[k].on_host) n++, bytes += f->inputs[k].bytes;
    /* As much as can be is a guess for sizes that the data give. */
    for (uint32_t k = 0; k < c->n_outputs; k++)
        if (f->outputs[k].on_host) n++, bytes += f->outputs[k].late ? SLOT_BYTES : f->outputs[k].bytes;
    f->copies_directly = false;
    if (!n) return LITZ_OK;
    f->staging = staging_take(s->device, bytes);
    if (!f->staging) return no_memory(e, "copies from and to the host", sizeof *f->staging);
    f->staging->via = bytes < BESIDE_BYTES ? f->stream : f->staging->own;
    memset(f->uploaded, 0, c->n_inputs);
    memset(f->marked, 0, c->n_outputs);
    return order_streams(s, f->staging->turn, f->stream, f->staging->via, e);
}

#define ALL_THAT_ARE_USED (LX_NONE - 1)

/* Uploads the inputs that steps up to `at` use; LX_NONE: those that no step uses, too. */
static litz_status upload_inputs(const shared *s, frame *f, const litz_run_options *o, uint32_t at, lx_error e) {
    const code *c = &s->code;
    bool some = false;
    for (uint32_t k = 0; k < c->n_inputs; k++) {
        bound_input *b = &f->inputs[k];
        if (!b->on_host || f->uploaded[k] || s->device->input_first[k] > at) continue;
        litz_status status =
            move_tensor(s, f, o, (int32_t)c->inputs[k].shape.count, b->shape, (strided){b->given, b->given_strides},
                        (strided){b->data, b->strides}, dtype_of(c->inputs[k].dtype).size, b->pinned, true, e);
        if (status) return status;
        f->uploaded[k] = 1;
        some = true;
    }
    return some ? order_streams(s, f->staging->turn, f->staging->via, f->stream, e) : LITZ_OK;
}

/* Whether an output's way to the host begins before the run ends. */
static bool is_early(const shared *s, const frame *f, uint32_t k) {
    const bound_output *b = &f->outputs[k];
    uint32_t last = s->device->output_last[k];
    return f->staging && f->staging->via == f->staging->own && b->on_host && b->bytes >= BESIDE_BYTES && last != LX_NONE &&
           last + 1 < s->code.n_main;
}

/* The event that says that an output is final, made when it is first wanted. NULL: there is none to be had, and its copy waits
 * for the end of the steps. */
static cu_event *mark_of(const shared *s, frame *f, uint32_t k) {
    if (!f->marks[k] && s->device->driver->event_create(&f->marks[k], CU_EVENT_DISABLE_TIMING)) f->marks[k] = NULL;
    return f->marks[k] ? &f->marks[k] : NULL;
}

/* Step by step: the inputs that a step needs arrive before it, and outputs that are final after it are marked. */
static litz_status run_as_inputs_arrive(const shared *s, frame *f, const late_outputs *late, const litz_run_options *o, lx_error e) {
    const code *c = &s->code;
    uint32_t next = 0;
    litz_status status = LITZ_OK;
    for (uint32_t k = 0; !status && k < c->n_main; k += steps_of(&c->main[k])) {
        status = upload_inputs(s, f, o, k, e);
        if (!status) status = run_steps(s, f, &c->main[k], steps_of(&c->main[k]), late, o, e);
        for (; !status && next < c->n_outputs && s->device->output_last[s->device->output_order[next]] <= k; next++) {
            uint32_t output = s->device->output_order[next];
            cu_event *mark = is_early(s, f, output) ? mark_of(s, f, output) : NULL;
            if (mark && !s->device->driver->event_record(*mark, f->stream)) f->marked[output] = 1;
        }
    }
    return status;
}

static litz_status download(const shared *s, frame *f, const litz_run_options *o, uint32_t k, lx_error e) {
    const lx_tensor *t = &s->code.outputs[k];
    bound_output *b = &f->outputs[k];
    return move_tensor(s, f, o, (int32_t)t->shape.count, b->shape, (strided){b->given, b->given_strides}, (strided){b->data, b->strides},
                       dtype_of(t->dtype).size, b->pinned, false, e);
}

/* Once a run's steps are enqueued: results, and inputs that it wrote to, go to the host. Those that are marked first. */
static litz_status download_results(const shared *s, frame *f, const litz_run_options *o, lx_error e) {
    const code *c = &s->code;
    const driver *d = s->device->driver;
    staging *st = f->staging;
    litz_status status = LITZ_OK;
    for (uint32_t n = 0; !status && n < c->n_outputs; n++) {
        uint32_t k = s->device->output_order[n];
        if (!f->marked[k]) continue;
        ON_DEVICE(s->device, d->stream_wait(st->via, f->marks[k], 0), "ordering copies");
        status = download(s, f, o, k, e);
    }
    if (!status) status = order_streams(s, st->turn, f->stream, st->via, e);
    for (uint32_t k = 0; !status && k < c->n_outputs; k++)
        if (f->outputs[k].on_host && f->outputs[k].copied && f->outputs[k].data && !f->marked[k]) status = download(s, f, o, k, e);
    for (uint32_t k = 0; !status && k < c->n_inputs; k++) {
        const lx_tensor *t = &c->inputs[k];
        const bound_input *b = &f->inputs[k];
        if (f->uploaded[k] && t->flags & LX_TENSOR_MUTATED)
            status = move_tensor(s, f, o, (int32_t)t->shape.count, b->shape, (strided){b->given, b->given_strides},
                                 (strided){b->data, b->strides}, dtype_of(t->dtype).size, b->pinned, false, e);
    }
    if (!status) status = hand_over(s, f, o, 0, true, e);
    return status || !f->copies_directly ? status : order_streams(s, st->turn, st->via, f->stream, e);
}

/* Gives back what a run's copies went through. */
static litz_status end_transfers(const shared *s, frame *f, litz_status status, lx_error e) {
    if (!f->staging) return status;
    status = staging_give(s->device, f->staging, status, e);
    f->staging = NULL;
    return status;
}
