/*
 * A GPU's memory: taken from the process's pool and given back in the order of a stream; copied and filled.
 *
 * The driver takes microseconds for each allocation, and a backward has a result for each parameter. Results of runs on the process's own
 * stream are kept when they come back, and lent again in that stream's order: as many bytes as were lent at the same time. Beyond
 * KEPT_FOR_LATER bytes they are for programs that run again and again, and go back to the pool when a result has another size. Memory
 * counts as cached meanwhile.
 *
 * Intermediate results of a run lie in an arena, which the run borrows: programs that run one after the other share
 * one, and a program finds the one that it had, so that recorded graphs keep their addresses. Two runs at the same time
 * have two.
 */
#include "internal.h"

static uint64_t pool_number(const opened_device *o, int attribute) {
    uint64_t value = 0;
    return o->driver->pool_get(o->pool, attribute, &value) ? 0 : value;
}

/* Frees an arena that nobody uses, once what still runs there is done. */
static void arena_free(const opened_device *o, arena *a) {
    if (a->pending) o->driver->stream_wait(o->stream, a->done, 0);
    o->driver->free(a->data, o->stream);
    if (a->done) o->driver->event_destroy(a->done);
    free(a);
}

/* Frees the idle arenas of a stream that have at most `most` bytes. */
static void free_idle(opened_device *o, const cu_stream *stream, uint64_t most) {
    for (arena **at = &o->arenas; *at;) {
        arena *a = *at;
        if (a->busy || a->bytes > most || (stream && a->stream != *stream)) {
            at = &a->next;
            continue;
        }
        *at = a->next;
        arena_free(o, a);
    }
}

/* Bytes taken from the pool that nobody uses. */
static uint64_t idle_bytes(opened_device *o) {
    uint64_t bytes = 0;
    pthread_mutex_lock(&o->arenas_lock);
    for (const arena *a = o->arenas; a; a = a->next)
        if (!a->busy) bytes += a->bytes;
    bytes += o->kept_bytes;
    pthread_mutex_unlock(&o->arenas_lock);
    return bytes;
}

static const uint64_t KEPT_FOR_LATER = 512u << 20;

static unsigned kept_list(uint64_t bytes) { return (unsigned)(bytes * 0x9E3779B97F4A7C15u >> 58); }

/* Counts what results hold. */
static void lend(opened_device *o, uint64_t bytes) {
    uint64_t now = atomic_fetch_add(&o->lent_bytes, bytes) + bytes, most = atomic_load(&o->most_lent);
    while (now > most && !atomic_compare_exchange_weak(&o->most_lent, &most, now)) continue;
}

/* Memory of so many bytes that came back; 0: there is none. */
static cu_pointer kept_take(opened_device *o, uint64_t bytes) {
    pthread_mutex_lock(&o->arenas_lock);
    kept **at = &o->kept[kept_list(bytes)];
    while (*at && (*at)->bytes != bytes) at = &(*at)->next;
    kept *found = *at;
    if (found) {
        *at = found->next;
        o->kept_bytes -= bytes;
        o->n_kept--;
    }
    pthread_mutex_unlock(&o->arenas_lock);
    cu_pointer data = found ? found->data : 0;
    free(found);
    return data;
}

/* Keeps memory that came back; false: there is too much of it. */
static bool kept_give(opened_device *o, uint64_t bytes, cu_pointer data) {
    kept *own = bytes ? malloc(sizeof *own) : NULL;
    if (!own) return false;
    pthread_mutex_lock(&o->arenas_lock);
    uint64_t most = atomic_load(&o->most_lent);
    if (most < KEPT_FOR_LATER) most = KEPT_FOR_LATER;
    bool room = o->n_kept < MOST_KEPT && o->kept_bytes + bytes <= most;
    if (room) {
        kept **list = &o->kept[kept_list(bytes)];
        *own = (kept){.next = *list, .data = data, .bytes = bytes};
        *list = own;
        o->kept_bytes += bytes;
        o->n_kept++;
    }
    pthread_mutex_unlock(&o->arenas_lock);
    if (!room) free(own);
    return room;
}

/* Whether more is kept than may stay when results have other sizes. */
static bool holds_much(opened_device *o) {
    pthread_mutex_lock(&o->arenas_lock);
    bool much = o->kept_bytes > KEPT_FOR_LATER;
    pthread_mutex_unlock(&o->arenas_lock);
    return much;
}

/* Returns all kept memory to the pool, so that sizes no longer in use do not take the room of others. */
static void kept_release(opened_device *o) {
    for (unsigned k = 0; k < KEPT_LISTS; k++) {
        pthread_mutex_lock(&o->arenas_lock);
        kept *list = o->kept[k];
        o->kept[k] = NULL;
        for (const kept *own = list; own; own = own->next) o->kept_bytes -= own->bytes, o->n_kept--;
        pthread_mutex_unlock(&o->arenas_lock);
        while (list) {
            kept *own = list;
            list = own->next;
            o->driver->free(own->data, o->stream);
            free(own);
        }
    }
}

/* Gives what is cached back to the device. */
static void release_cached(opened_device *o) {
    kept_release(o);
    pthread_mutex_lock(&o->arenas_lock);
    free_idle(o, NULL, UINT64_MAX);
    pthread_mutex_unlock(&o->arenas_lock);
    o->driver->stream_synchronize(o->stream);
    o->driver->pool_trim(o->pool, 0);
}

/* Memory of the pool. Where there is none, what is cached is given back first, and it is tried once more. */
static cu_result pool_take(opened_device *o, uint64_t bytes, cu_stream stream, cu_pointer *out) {
    if (!bytes) bytes = 1;
    cu_result code = o->driver->allocate(out, bytes, o->pool, stream);
    if (code != CU_OUT_OF_MEMORY) return code;
    o->driver->stream_synchronize(stream);
    release_cached(o);
    return o->driver->allocate(out, bytes, o->pool, stream);
}

/* What was asked for and what there is. */
static litz_status device_out_of_memory(const opened_device *o, uint64_t bytes, const char *what, lx_error e) {
    size_t available = 0, total = 0;
    o->driver->memory_info(&available, &total);
    uint64_t used = pool_number(o, CU_POOL_USED), reserved = pool_number(o, CU_POOL_RESERVED);
    return fail(e, LITZ_ERROR_OUT_OF_MEMORY,
                "CUDA device %d has no memory for %s of %llu bytes: %zu of its %zu bytes are free, Litz holds %llu and keeps %llu more "
                "cached; free tensors or programs, or run with smaller sizes",
                (int)o->index, what, (unsigned long long)bytes, available, total, (unsigned long long)used,
                (unsigned long long)(reserved > used ? reserved - used : 0));
}

static void *device_allocate(const device *v, uint64_t bytes, cu_stream stream) {
    cu_pointer memory = 0;
    return pool_take(v->process, bytes, stream, &memory) ? NULL : (void *)(uintptr_t)memory;
}

static void device_free(const device *v, void *memory, cu_stream stream) {
    if (memory && !driver_forked()) v->driver->free((cu_pointer)(uintptr_t)memory, stream);
}

/* An arena of at least so many bytes for a run on a stream; NULL where there is no memory. */
static arena *arena_take(const device *v, uint64_t bytes, cu_stream stream, uint64_t id, const void *user) {
    opened_device *o = v->process;
    const driver *d = v->driver;
    arena *best = NULL;
    bool follows = false; /* on the same stream: what runs there is done before */
    pthread_mutex_lock(&o->arenas_lock);
    for (arena *a = o->arenas; a; a = a->next) {
        if (a->busy || a->bytes < bytes || (a->pending && a->stream != stream)) continue;
        bool mine = a->user == user, best_mine = best && best->user == user;
        if (!best || mine > best_mine || (mine == best_mine && a->bytes < best->bytes)) best = a;
    }
    if (!best && (best = calloc(1, sizeof *best))) {
        /* Smaller ones have had their time: who used them fits into this one. */
        free_idle(o, &stream, bytes);
        best->bytes = bytes;
        pthread_mutex_unlock(&o->arenas_lock);
        cu_result code = pool_take(o, bytes, stream, &best->data);
        if (!code && d->event_create(&best->done, CU_EVENT_DISABLE_TIMING)) {
            d->free(best->data, stream);
            code = CU_OUT_OF_MEMORY;
        }
        if (code) {
            free(best);
            return NULL;
        }
        pthread_mutex_lock(&o->arenas_lock);
        best->next = o->arenas;
        o->arenas = best;
    }
    if (best) {
        follows = id && best->stream_id == id;
        best->busy = true;
        best->user = user;
        best->stream = stream;
        best->stream_id = id;
    }
    pthread_mutex_unlock(&o->arenas_lock);
    /* A stream's handle may be a new stream's by now. */
    if (best && best->pending && !follows) d->stream_wait(stream, best->done, 0);
    return best;
}

/* Gives an arena back; `ahead`: the run's work may still be ahead of the stream. */
static void arena_give(const device *v, arena *a, bool ahead) {
    if (driver_forked()) return;
    if (ahead && v->driver->event_record(a->done, a->stream)) v->driver->stream_synchronize(a->stream), ahead = false;
    pthread_mutex_lock(&v->process->arenas_lock);
    a->pending = ahead;
    a->busy = false;
    pthread_mutex_unlock(&v->process->arenas_lock);
}

static litz_status device_copy(const device *v, void *to, const void *from, uint64_t bytes, cu_stream stream, lx_error e) {
    const driver *d = v->driver;
    if (bytes) ON_DEVICE(v, d->copy((cu_pointer)(uintptr_t)to, (cu_pointer)(uintptr_t)from, bytes, stream), "a copy");
    return LITZ_OK;
}

/* Writes one element that the host has: it is read before this returns, whatever memory it lies in. */
static litz_status device_write(const device *v, void *to, const void *from, uint64_t item, cu_stream stream, lx_error e) {
    const driver *d = v->driver;
    cu_pointer at = (cu_pointer)(uintptr_t)to;
    uint32_t words[4] = {0};
    memcpy(words, from, item);
    cu_result code = 0;
    if (item == 1) code = d->fill(at, (unsigned char)words[0], 1, stream);
    else if (item == 2) code = d->fill16(at, (unsigned short)words[0], 1, stream);
    else
        for (uint64_t k = 0; !code && k < item / 4; k++) code = d->fill32(at + 4 * k, words[k], 1, stream);
    ON_DEVICE(v, code, "giving a number to the GPU");
    return LITZ_OK;
}

static litz_status device_clear(const device *v, void *memory, uint64_t bytes, lx_error e) {
    const driver *d = v->driver;
    if (bytes) ON_DEVICE(v, d->fill((cu_pointer)(uintptr_t)memory, 0, bytes, v->stream), "clearing memory");
    return LITZ_OK;
}

static litz_status device_wait(const device *v, cu_stream stream, lx_error e) {
    const driver *d = v->driver;
    ON_DEVICE(v, d->stream_synchronize(stream), "waiting for the GPU");
    return LITZ_OK;
}

/* Pinned memory of the host that a step keeps. */
typedef struct host_copies {
    uint8_t *data;
    uint64_t bytes;
} host_copies;

static void pinned_release(const device *v, host_copies *p) {
    if (p->data) v->driver->host_free(p->data);
    atomic_fetch_sub(&v->process->pinned, p->bytes);
    *p = (host_copies){0};
}

/* At least so many bytes, whose contents are lost where there were fewer. Nothing on the device may be using them. */
static litz_status pinned_reserve(const device *v, host_copies *p, uint64_t bytes, const char *what, lx_error e) {
    if (bytes <= p->bytes) return LITZ_OK;
    pinned_release(v, p);
    void *data = NULL;
    cu_result code = v->driver->host_allocate(&data, bytes, CU_HOST_PORTABLE_AND_MAPPED);
    if (code == CU_OUT_OF_MEMORY)
        return fail(e, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for %llu pinned bytes of %s", (unsigned long long)bytes, what);
    ON_DEVICE(v, code, "an allocation of pinned memory");
    *p = (host_copies){data, bytes};
    atomic_fetch_add(&v->process->pinned, bytes);
    return LITZ_OK;
}

/* Enters a device's context for a call that no program makes. */
static litz_status enter_process_device(int32_t index, opened_device **out, lx_error e) {
    const driver *d;
    litz_status status = driver_open(&d, e);
    if (!status) status = open_process_device(d, index, out, e);
    if (!status) status = device_usable(*out, e);
    if (status) return status;
    CUDA(d->push((*out)->context), "entering the device's context");
    return LITZ_OK;
}

static void leave_process_device(const opened_device *o) {
    cu_context popped;
    o->driver->pop(&popped);
}

litz_status lx_cuda_allocate(int32_t device_index, uint64_t bytes, void *stream, void **out, char *error, size_t error_size) {
    lx_error e = {error, error_size};
    opened_device *o = stream || driver_forked() ? NULL : opened_at(device_index);
    cu_pointer memory = o ? kept_take(o, bytes) : 0;
    if (memory) {
        *out = (void *)(uintptr_t)memory;
        lend(o, bytes);
        return LITZ_OK;
    }
    litz_status status = enter_process_device(device_index, &o, e);
    if (status) return status;
    if (!stream && holds_much(o)) kept_release(o);
    cu_result code = pool_take(o, bytes, stream ? stream : o->stream, &memory);
    if (code == CU_OUT_OF_MEMORY) status = device_out_of_memory(o, bytes, "an output", e);
    else if (code) status = cuda_fail(o->driver, code, "an allocation", e);
    else *out = (void *)(uintptr_t)memory;
    if (!code && !stream) lend(o, bytes);
    leave_process_device(o);
    return status;
}

void lx_cuda_free(int32_t device_index, void *memory, uint64_t bytes, void *stream) {
    lx_error e = {NULL, 0};
    cu_pointer data = (cu_pointer)(uintptr_t)memory;
    opened_device *o = stream || driver_forked() ? NULL : opened_at(device_index);
    if (memory && o) atomic_fetch_sub(&o->lent_bytes, bytes);
    if (!memory || (o && kept_give(o, bytes, data))) return;
    if (enter_process_device(device_index, &o, e)) return;
    if (!stream && bytes) kept_release(o);
    if (stream || !kept_give(o, bytes, data)) o->driver->free(data, stream ? stream : o->stream);
    leave_process_device(o);
}

litz_status lx_cuda_copy(int32_t device_index, void *to, const void *from, uint64_t bytes, char *error, size_t error_size) {
    lx_error e = {error, error_size};
    opened_device *o;
    litz_status status = enter_process_device(device_index, &o, e);
    if (status) return status;
    cu_result code = o->driver->copy((cu_pointer)(uintptr_t)to, (cu_pointer)(uintptr_t)from, bytes, o->stream);
    if (!code) code = o->driver->stream_synchronize(o->stream);
    if (code) status = cuda_fail(o->driver, code, "a copy", e);
    leave_process_device(o);
    return status;
}

/* Enters a device that this process has opened. One that it has not opened holds nothing: `out` is NULL then. */
static litz_status enter_opened_device(int32_t index, opened_device **out, lx_error e) {
    const driver *d;
    *out = NULL;
    litz_status status = driver_open(&d, e);
    if (status) return status;
    if (opened_at(index)) return enter_process_device(index, out, e);
    int count = 0;
    CUDA(d->device_count(&count), "counting devices");
    return index >= 0 && index < count ? LITZ_OK : no_device(index, count, e);
}

litz_status lx_cuda_memory(int32_t device_index, lx_cuda_usage *out, char *error, size_t error_size) {
    lx_error e = {error, error_size};
    opened_device *o;
    *out = (lx_cuda_usage){0};
    litz_status status = enter_opened_device(device_index, &o, e);
    if (status || !o) return status;
    uint64_t idle = idle_bytes(o), used = pool_number(o, CU_POOL_USED), reserved = pool_number(o, CU_POOL_RESERVED);
    size_t available = 0, total = 0;
    cu_result code = o->driver->memory_info(&available, &total);
    *out = (lx_cuda_usage){.allocated = used > idle ? used - idle : 0,
                           .cached = (reserved > used ? reserved - used : 0) + idle,
                           .reserved = reserved,
                           .peak_allocated = pool_number(o, CU_POOL_USED_PEAK),
                           .peak_reserved = pool_number(o, CU_POOL_RESERVED_PEAK),
                           .available = available,
                           .total = total,
                           .pinned = atomic_load(&o->pinned)};
    if (code) status = cuda_fail(o->driver, code, "asking for the device's memory", e);
    leave_process_device(o);
    return status;
}

static void release_staging(opened_device *o);

litz_status lx_cuda_release(int32_t device_index, char *error, size_t error_size) {
    lx_error e = {error, error_size};
    opened_device *o;
    litz_status status = enter_opened_device(device_index, &o, e);
    if (status || !o) return status;
    release_cached(o);
    atomic_store(&o->most_lent, atomic_load(&o->lent_bytes));
    release_staging(o);
    leave_process_device(o);
    return LITZ_OK;
}
