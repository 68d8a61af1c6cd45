/* Constants: seen, copied out and replaced. */
#include "internal.h"

static litz_status check_constant_index(const code *c, size_t k, lx_error e) {
    if (k < c->n_constants) return LITZ_OK;
    return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "there is no constant %zu, the program has %u", k, c->n_constants);
}

/* Whether the data of a storage, and of the constant that lies in it, is there to be read. Under the instance's lock. */
static litz_status check_held(const lx_instance *self, uint32_t constant, uint32_t storage, lx_error e) {
    const code *c = &self->shared->code;
    const lx_storage *t = &c->storages[storage];
    bool dropped = t->flags & LX_STORAGE_FROZEN && (t->flags & LX_STORAGE_UNUSED || (!self->storages[storage] && t->bytes));
    const char *why = dropped ? "it was dropped once what the program computes with was made of it (freeze=true)"
                      : t->flags & LX_STORAGE_UNUSED ? "the program does not use it, and holds no value of it"
                                                     : NULL;
    return why ? fail(e, LITZ_ERROR_STATE, "constant `%s`: %s", text_of(c, c->constants[constant].name), why) : LITZ_OK;
}

litz_status lx_constant(lx_instance *self, size_t k, DLTensor *view, char *error, size_t error_size) {
    lx_error e = {error, error_size};
    const code *c = &self->shared->code;
    litz_status status = check_constant_index(c, k, e);
    if (!status) status = enter(self, e);
    if (status) return status;
    if (!view) return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "the place for the view is NULL");
    const lx_constant_info *t = &c->constants[k];
    pthread_rwlock_rdlock(&self->lock);
    status = check_held(self, (uint32_t)k, t->storage, e);
    if (!status) *view = (DLTensor){.data = (uint8_t *)self->storages[t->storage] + t->offset,
                       .device = device_of(self->shared),
                       .ndim = (int32_t)t->shape.count,
                       .dtype = dl_of(dtype_of(t->dtype)),
                       .shape = (int64_t *)(uintptr_t)i64_of(c, t->shape),
                       .strides = (int64_t *)(uintptr_t)i64_of(c, t->strides)};
    pthread_rwlock_unlock(&self->lock);
    return status;
}

/* Tensors between the host and the device pass through a contiguous block on each side. */
static litz_status copy_from_device(const shared *s, int32_t rank, const int64_t *shape, strided to, strided from, uint64_t item,
                                    uint64_t bytes, lx_error e) {
    block *between = block_new(s, LX_MEMORY_FRAMES, bytes);
    if (!between) return no_room(s, bytes, "a copy of a constant", e);
    strided contiguous = {between->memory.data, to.strides};
    litz_status status = device_copy_strided(s->device, rank, shape, contiguous, from, item, s->device->stream, e);
    if (!status) status = data_copy(s, to.data, contiguous.data, bytes, e);
    block_release(s, between);
    return status;
}

static litz_status copy_to_device(const shared *s, int32_t rank, const int64_t *shape, strided to, strided from, uint64_t item,
                                  lx_error e) {
    int64_t strides[LX_MAX_RANK];
    uint64_t bytes;
    if (!contiguous_strides(rank, shape, strides) || !extent_bytes(rank, shape, strides, item, &bytes))
        return fail(e, LITZ_ERROR_SHAPE, "a constant does not fit into memory");
    block *between = block_new(s, LX_MEMORY_FRAMES, bytes);
    uint8_t *host = malloc(bytes ? bytes : 1);
    litz_status status = !between ? no_room(s, bytes, "a copy of a constant", e)
                         : !host  ? no_memory(e, "a copy of a constant", bytes)
                                  : LITZ_OK;
    if (!status) {
        copy_strided(rank, shape, (strided){host, strides}, from, item);
        status = data_copy(s, between->memory.data, host, bytes, e);
    }
    if (!status)
        status = device_copy_strided(s->device, rank, shape, to, (strided){between->memory.data, strides}, item, s->device->stream, e);
    free(host);
    if (between) block_release(s, between);
    return status;
}

litz_status lx_copy_constant(lx_instance *self, size_t k, void *destination, uint64_t bytes, char *error,
                             size_t error_size) {
    lx_error e = {error, error_size};
    const code *c = &self->shared->code;
    litz_status status = check_constant_index(c, k, e);
    if (!status) status = enter(self, e);
    if (status) return status;
    const lx_constant_info *t = &c->constants[k];
    int32_t rank = (int32_t)t->shape.count;
    uint64_t item = dtype_of(t->dtype).size, own;
    int64_t strides[LX_MAX_RANK];
    if (!contiguous_strides(rank, i64_of(c, t->shape), strides) ||
        !extent_bytes(rank, i64_of(c, t->shape), strides, item, &own) || bytes != own)
        return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "the room of %llu bytes is not what constant `%s` takes",
                    (unsigned long long)bytes, text_of(c, t->name));
    status = enter_device(self->shared, e);
    if (status) return status;
    pthread_rwlock_rdlock(&self->lock);
    status = check_held(self, (uint32_t)k, t->storage, e);
    if (!status) status = wait_in_flight(self, e);
    const void *data = NULL;
    block *made = NULL;
    if (!status) status = storage_now(self, t->storage, &data, &made, e);
    strided from = {(uint8_t *)(uintptr_t)data + t->offset, i64_of(c, t->strides)};
    if (!status && bytes && on_gpu(self->shared))
        status = copy_from_device(self->shared, rank, i64_of(c, t->shape), (strided){destination, strides}, from, item, bytes, e);
    else if (!status && bytes) copy_strided(rank, i64_of(c, t->shape), (strided){destination, strides}, from, item);
    block_release(self->shared, made);
    pthread_rwlock_unlock(&self->lock);
    leave_device(self->shared);
    return status;
}

litz_status lx_copy_storage(lx_instance *self, size_t k, void *destination, uint64_t bytes, char *error,
                            size_t error_size) {
    lx_error e = {error, error_size};
    const code *c = &self->shared->code;
    if (k >= c->n_storages || bytes != c->storages[k].bytes)
        return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "there is no storage %zu of %llu bytes", k, (unsigned long long)bytes);
    litz_status status = enter(self, e);
    if (status) return status;
    status = enter_device(self->shared, e);
    if (status) return status;
    pthread_rwlock_rdlock(&self->lock);
    for (uint32_t n = 0; !status && bytes && n < c->n_constants; n++)
        if (c->constants[n].storage == k) status = check_held(self, n, (uint32_t)k, e);
    if (!status) status = wait_in_flight(self, e);
    const void *data = NULL;
    block *made = NULL;
    if (!status) status = storage_now(self, (uint32_t)k, &data, &made, e);
    if (!status) status = data_copy(self->shared, destination, data, bytes, e);
    block_release(self->shared, made);
    pthread_rwlock_unlock(&self->lock);
    leave_device(self->shared);
    return status;
}

litz_status lx_copy_derived(lx_instance *self, size_t piece, void *destination, uint64_t bytes, char *error, size_t error_size) {
    lx_error e = {error, error_size};
    if (!bytes || bytes != lx_derived_bytes(self, piece))
        return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "no %llu bytes are derived as number %zu", (unsigned long long)bytes, piece);
    litz_status status = enter(self, e);
    if (!status) status = enter_device(self->shared, e);
    if (status) return status;
    pthread_rwlock_rdlock(&self->lock);
    status = wait_in_flight(self, e);
    if (!status) status = data_copy(self->shared, destination, self->derived[piece]->memory.data, bytes, e);
    pthread_rwlock_unlock(&self->lock);
    leave_device(self->shared);
    return status;
}

uint64_t lx_derived_bytes(const lx_instance *self, size_t piece) {
    const derivation *d = &self->shared->derived;
    return piece < d->n_pieces && d->kept[piece] ? d->bytes[piece] : 0;
}

static uint32_t find_constant(const code *c, const char *name) {
    for (uint32_t k = 0; k < c->n_constants; k++) {
        if (!strcmp(text_of(c, c->constants[k].name), name)) return k;
        const lx_span *aliases = (const lx_span *)(c->base + c->constants[k].aliases.offset);
        for (uint32_t a = 0; a < c->constants[k].aliases.count; a++)
            if (!strcmp(text_of(c, aliases[a]), name)) return k;
    }
    return LX_NONE;
}

/* What is to be a constant's value, in the caller's memory. */
typedef struct new_value {
    uint32_t constant;
    strided from;
    bool on_device;
    int64_t room[LX_MAX_RANK];
} new_value;

static litz_status read_constant(const shared *s, uint32_t k, const DLTensor *t, new_value *out, lx_error e) {
    const code *c = &s->code;
    const lx_constant_info *info = &c->constants[k];
    const char *name = text_of(c, info->name);
    int32_t rank = (int32_t)info->shape.count;
    const int64_t *shape = i64_of(c, info->shape);
    out->on_device = on_gpu(s) && t && t->device.device_type == kDLCUDA;
    litz_status status = check_header("constant", k, name, info->dtype, info->shape.count, s, out->on_device ? ON_DEVICE : ON_HOST, t, e);
    for (int32_t d = 0; !status && d < rank; d++)
        if (t->shape[d] != shape[d])
            status = SAY(e, LITZ_ERROR_SHAPE, "constant", k, name, "dimension %d is %lld, but the program has %lld", (int)d,
                         (long long)t->shape[d], (long long)shape[d]);
    if (status) return status;
    interval memory;
    out->constant = k;
    return read_layout("constant", k, name, t, dtype_of(info->dtype).size, out->room, &out->from.strides, &out->from.data,
                       &memory, e);
}

static litz_status gather_update(const shared *s, const char *const *names, const DLTensor *const *data, size_t n,
                                 new_value *values, lx_error e) {
    const code *c = &s->code;
    if (n && (!names || !data)) return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "the array of names or of tensors is NULL");
    for (size_t i = 0; i < n; i++) {
        if (!names[i]) return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "name %zu is NULL", i);
        uint32_t k = find_constant(c, names[i]);
        if (k == LX_NONE) return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "the program has no constant `%s`", names[i]);
        for (size_t o = 0; o < i; o++)
            if (values[o].constant == k)
                return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "constant `%s` is given twice (`%s`)",
                            text_of(c, c->constants[k].name), names[i]);
        litz_status status = read_constant(s, k, data[i], &values[i], e);
        if (status) return status;
        if (c->storages[c->constants[k].storage].flags & LX_STORAGE_FROZEN)
            return fail(e, LITZ_ERROR_STATE,
                        "constant `%s`: what the program computes with was made of it, once (freeze=true); compile it without "
                        "freeze, or with the new value", names[i]);
    }
    return LITZ_OK;
}

/* Whether a constant is all of its storage, so that nothing of that is kept when it is replaced. */
static bool is_whole(const code *c, const lx_constant_info *t) {
    int64_t strides[LX_MAX_RANK];
    int32_t rank = (int32_t)t->shape.count;
    const int64_t *shape = i64_of(c, t->shape);
    uint64_t bytes;
    return t->offset == 0 && contiguous_strides(rank, shape, strides) &&
           same_strides(rank, shape, strides, i64_of(c, t->strides)) &&
           extent_bytes(rank, shape, strides, dtype_of(t->dtype).size, &bytes) && bytes == c->storages[t->storage].bytes;
}

/* New blocks for the storages that the update touches: what they hold, with the new values in their places. */
static litz_status fill_update(lx_instance *self, const new_value *values, size_t n, block **fresh, lx_error e) {
    shared *s = self->shared;
    const code *c = &s->code;
    for (size_t i = 0; i < n; i++) {
        const lx_constant_info *t = &c->constants[values[i].constant];
        uint64_t bytes = c->storages[t->storage].bytes;
        if (c->storages[t->storage].flags & LX_STORAGE_UNUSED) continue;
        if (!fresh[t->storage]) {
            if (!(fresh[t->storage] = block_new(s, LX_MEMORY_WEIGHTS, bytes))) return no_room(s, bytes, "a constant", e);
            if (!is_whole(c, t)) {
                const void *was = NULL;
                block *made = NULL;
                litz_status status = storage_now(self, t->storage, &was, &made, e);
                if (!status) status = data_copy(s, fresh[t->storage]->memory.data, was, bytes, e);
                block_release(s, made);
                if (status) return status;
            }
        }
        int32_t rank = (int32_t)t->shape.count;
        const int64_t *shape = i64_of(c, t->shape);
        uint64_t item = dtype_of(t->dtype).size;
        strided to = {(uint8_t *)fresh[t->storage]->memory.data + t->offset, i64_of(c, t->strides)};
        litz_status status = LITZ_OK;
        if (!on_gpu(s)) copy_strided(rank, shape, to, values[i].from, item);
        else if (values[i].on_device)
            status = device_copy_strided(s->device, rank, shape, to, values[i].from, item, s->device->stream, e);
        else status = copy_to_device(s, rank, shape, to, values[i].from, item, e);
        if (status) return status;
    }
    return LITZ_OK;
}

litz_status lx_update_constants(lx_instance *self, const char *const *names, const DLTensor *const *data, size_t n,
                                char *error, size_t error_size) {
    lx_error e = {error, error_size};
    shared *s = self->shared;
    litz_status status = enter(self, e);
    if (status) return status;
    uint32_t n_storages = s->code.n_storages;
    block **fresh = calloc(n_storages + 1u, sizeof *fresh);
    void **pointers = calloc(n_storages + 1u, sizeof *pointers);
    uint8_t *changed = calloc(n_storages + 1u, 1);
    block **derived = calloc(s->derived.n_pieces + 1u, sizeof *derived);
    new_value *values = n < SIZE_MAX / sizeof *values - 1 ? calloc(n + 1, sizeof *values) : NULL;
    if (!fresh || !pointers || !changed || !derived || !values) status = no_memory(e, "the new constants", n_storages * 16ull + n * sizeof *values);
    if (!status) status = enter_device(s, e);
    bool entered = !status;
    if (!status) status = gather_update(s, names, data, n, values, e);
    if (!status) {
        pthread_rwlock_wrlock(&self->lock);
        status = wait_in_flight(self, e);
        /* Other devices get the new values when they are used next. */
        if (!status) drop_elsewhere(self);
        if (!status) status = fill_update(self, values, n, fresh, e);
        for (uint32_t k = 0; k < n_storages; k++) {
            pointers[k] = fresh[k] ? fresh[k]->memory.data : self->storages[k];
            changed[k] = fresh[k] != NULL;
        }
        if (!status) status = derive(self, pointers, changed, derived, e);
        if (!status) {
            for (uint32_t k = 0; k < n_storages; k++) {
                if (!fresh[k]) continue;
                block *old = self->owned[k];
                self->owned[k] = fresh[k];
                self->storages[k] = pointers[k];
                fresh[k] = old;
            }
            block **old = self->derived;
            self->derived = derived;
            derived = old;
        }
        pthread_rwlock_unlock(&self->lock);
    }
    /* What is left here is either what was replaced or what was not used. */
    for (uint32_t k = 0; fresh && k < n_storages; k++) block_release(s, fresh[k]);
    if (derived) release_pieces(s, derived);
    if (entered) leave_device(s);
    free(fresh);
    free(pointers);
    free(changed);
    free(derived);
    free(values);
    return status;
}
