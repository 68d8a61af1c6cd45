/*
 * Pinned memory of the host, through which tensors in ordinary memory travel to a GPU and back.
 *
 * A run borrows a ring of slots from the process, and gives it back when its work is enqueued, so that programs that run one
 * after the other share one; two runs at the same time have two. Many small tensors share a slot, a large one goes through
 * the slots in pieces: while the GPU copies one piece, the host fills or empties the next.
 *
 * Invariant: a slot is reused by the host only after the copies from and to it have ended.
 *
 * Deliberately absent: which tensors travel, and in which order (host_tensors.c).
 */
#include "internal.h"

#define SLOTS 4
/* Tests have small ones. */
#ifndef SLOT_BYTES
#define SLOT_BYTES (4u << 20)
#define LEAST_SLOT_BYTES (64u << 10)
#endif

/* A tensor on its way: its dimensions from the outermost to the innermost as the device has them, strides in elements. */
typedef struct transfer {
    int32_t rank;
    uint64_t item;
    int64_t size[LX_MAX_RANK], on_host[LX_MAX_RANK], on_device[LX_MAX_RANK];
} transfer;

/* A part of one: `count` indices of the dimension `level`, and all of those within it. */
typedef struct piece {
    const transfer *transfer;
    int32_t level;
    int64_t count;
    uint8_t *host, *device;
    uint64_t bytes; /* on the device, from the first element to the last */
} piece;

/* A piece that has arrived in a slot, or will have. */
typedef struct delivery {
    piece piece; /* `transfer` NULL: bytes that lie alike on both sides */
    uint8_t *staged;
    uint32_t slot;
} delivery;

typedef struct slot {
    uint8_t *data;
    uint64_t bytes;
    cu_event passed; /* the copies from and to it */
    bool pending;    /* they may be ahead */
} slot;

typedef struct staging {
    struct staging *next;
    slot slots[SLOTS];
    uint32_t at;         /* the slot that is being filled */
    uint64_t used;       /* bytes of it */
    uint64_t chunk;      /* the size of slots for this run, and the largest piece */
    cu_stream own, via;  /* a stream beside those of runs; the one that this run's copies go to */
    cu_event turn;       /* orders the two */
    delivery *deliveries; /* in the order of their slots, from `first` on */
    uint32_t first, n_deliveries, room;
    bool busy;
} staging;

static void staging_free(opened_device *o, staging *st) {
    const driver *d = o->driver;
    for (uint32_t k = 0; k < SLOTS; k++) {
        slot *one = &st->slots[k];
        if (one->pending) d->event_synchronize(one->passed);
        if (one->passed) d->event_destroy(one->passed);
        if (one->data) d->host_free(one->data);
        atomic_fetch_sub(&o->pinned, one->bytes);
    }
    if (st->turn) d->event_destroy(st->turn);
    if (st->own) d->stream_destroy(st->own);
    free(st->deliveries);
    free(st);
}

/* Frees the rings that no run has. */
static void release_staging(opened_device *o) {
    pthread_mutex_lock(&o->arenas_lock);
    for (staging **at = &o->stagings; *at;) {
        staging *st = *at;
        if (st->busy) {
            at = &st->next;
            continue;
        }
        *at = st->next;
        staging_free(o, st);
    }
    pthread_mutex_unlock(&o->arenas_lock);
}

/* A ring for a run that copies so many bytes; NULL where there is none to be had. */
static staging *staging_take(const device *v, uint64_t bytes) {
    opened_device *o = v->process;
    const driver *d = v->driver;
    pthread_mutex_lock(&o->arenas_lock);
    staging *st = o->stagings;
    while (st && st->busy) st = st->next;
    if (st) st->busy = true;
    pthread_mutex_unlock(&o->arenas_lock);
    if (!st && (st = calloc(1, sizeof *st))) {
        bool good = !d->event_create(&st->turn, CU_EVENT_DISABLE_TIMING) && !d->stream_create(&st->own, CU_STREAM_NON_BLOCKING);
        for (uint32_t k = 0; good && k < SLOTS; k++) good = !d->event_create(&st->slots[k].passed, CU_EVENT_DISABLE_TIMING);
        if (!good) {
            staging_free(o, st);
            return NULL;
        }
        st->busy = true;
        pthread_mutex_lock(&o->arenas_lock);
        st->next = o->stagings;
        o->stagings = st;
        pthread_mutex_unlock(&o->arenas_lock);
    }
    if (!st) return NULL;
    st->chunk = LEAST_SLOT_BYTES;
    while (st->chunk < bytes && st->chunk < SLOT_BYTES) st->chunk *= 2;
    st->used = 0;
    st->first = st->n_deliveries = 0;
    return st;
}

/* Marks the end of the copies from and to the slot at hand, and goes on to the next one. */
static litz_status close_slot(const device *v, staging *st, lx_error e) {
    slot *one = &st->slots[st->at];
    if (!st->used) return LITZ_OK;
    ON_DEVICE(v, v->driver->event_record(one->passed, st->via), "marking a copy");
    one->pending = true;
    st->used = 0;
    st->at = (st->at + 1) % SLOTS;
    return LITZ_OK;
}

static litz_status await_slot(const device *v, slot *one, lx_error e) {
    if (one->pending) ON_DEVICE(v, v->driver->event_synchronize(one->passed), "a copy");
    one->pending = false;
    return LITZ_OK;
}

/* Ends a run's use of a ring, whose copies may be ahead of their stream. Those of a run that failed are waited for. */
static litz_status staging_give(const device *v, staging *st, litz_status status, lx_error e) {
    if (!status) status = close_slot(v, st, e);
    if (status) v->driver->stream_synchronize(st->via);
    st->used = 0;
    st->first = st->n_deliveries = 0;
    pthread_mutex_lock(&v->process->arenas_lock);
    st->busy = false;
    pthread_mutex_unlock(&v->process->arenas_lock);
    return status;
}

static litz_status size_slot(const device *v, slot *one, uint64_t bytes, lx_error e) {
    opened_device *o = v->process;
    const driver *d = v->driver;
    void *data = NULL;
    if (one->bytes >= bytes) return LITZ_OK;
    if (one->data) d->host_free(one->data);
    atomic_fetch_sub(&o->pinned, one->bytes);
    one->data = NULL;
    one->bytes = 0;
    cu_result code = d->host_allocate(&data, bytes, CU_HOST_PORTABLE_AND_MAPPED);
    if (code == CU_OUT_OF_MEMORY)
        return fail(e, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for %llu pinned bytes that tensors are copied through",
                    (unsigned long long)bytes);
    ON_DEVICE(v, code, "an allocation of pinned memory");
    one->data = data;
    one->bytes = bytes;
    atomic_fetch_add(&o->pinned, bytes);
    return LITZ_OK;
}
