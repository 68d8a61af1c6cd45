/* Constants: seen, copied out and replaced. */
#include "internal.h"

static litz_status check_constant_index(const code *c, size_t k, lx_error e) {
    if (k < c->n_constants) return LITZ_OK;
    return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "there is no constant %zu, the program has %u", k, c->n_constants);
}

litz_status lx_constant(lx_instance *self, size_t k, DLTensor *view, char *error, size_t error_size) {
    lx_error e = {error, error_size};
    const code *c = &self->shared->code;
    litz_status status = check_constant_index(c, k, e);
    if (status) return status;
    if (!view) return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "the place for the view is NULL");
    const lx_constant_info *t = &c->constants[k];
    pthread_rwlock_rdlock(&self->lock);
    *view = (DLTensor){.data = self->constants[k],
                       .device = {kDLCPU, 0},
                       .ndim = (int32_t)t->shape.count,
                       .dtype = dl_of(dtype_of(t->dtype)),
                       .shape = (int64_t *)(uintptr_t)i64_of(c, t->shape),
                       .strides = self->shared->constant_strides + self->shared->constant_strides_at[k]};
    pthread_rwlock_unlock(&self->lock);
    return LITZ_OK;
}

litz_status lx_copy_constant(lx_instance *self, size_t k, void *destination, uint64_t bytes, char *error,
                             size_t error_size) {
    lx_error e = {error, error_size};
    const code *c = &self->shared->code;
    litz_status status = check_constant_index(c, k, e);
    if (status) return status;
    if (bytes != c->constants[k].bytes)
        return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "constant `%s` has %llu bytes, but there is room for %llu",
                    text_of(c, c->constants[k].name), (unsigned long long)c->constants[k].bytes, (unsigned long long)bytes);
    pthread_rwlock_rdlock(&self->lock);
    if (bytes) memcpy(destination, self->constants[k], (size_t)bytes);
    pthread_rwlock_unlock(&self->lock);
    return LITZ_OK;
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

/* Makes a contiguous copy of what is to be constant k's value. */
static litz_status read_constant(const shared *s, uint32_t k, const DLTensor *t, block **out, lx_error e) {
    const code *c = &s->code;
    const lx_constant_info *info = &c->constants[k];
    const char *name = text_of(c, info->name);
    int32_t rank = (int32_t)info->shape.count;
    uint64_t item = dtype_of(info->dtype).size;
    const int64_t *shape = i64_of(c, info->shape);
    litz_status status = check_header("constant", k, name, info->dtype, info->shape.count, t, e);
    for (int32_t d = 0; !status && d < rank; d++)
        if (t->shape[d] != shape[d])
            status = SAY(e, LITZ_ERROR_SHAPE, "constant", k, name, "dimension %d is %lld, but the program has %lld", (int)d,
                         (long long)t->shape[d], (long long)shape[d]);
    if (status) return status;
    int64_t room[LX_MAX_RANK];
    const int64_t *strides;
    uint8_t *first;
    interval memory;
    status = read_layout("constant", k, name, t, item, room, &strides, &first, &memory, e);
    if (status) return status;
    block *b = block_new(&s->host, info->bytes);
    if (!b) return no_memory(e, "a constant", info->bytes);
    if (info->bytes)
        copy_strided(rank, shape, (strided){b->memory.data, s->constant_strides + s->constant_strides_at[k]},
                     (strided){first, strides}, item);
    *out = b;
    return LITZ_OK;
}

static litz_status gather_update(const shared *s, const char *const *names, const DLTensor *const *data, size_t n,
                                 block **fresh, lx_error e) {
    const code *c = &s->code;
    if (n && (!names || !data)) return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "the array of names or of tensors is NULL");
    for (size_t i = 0; i < n; i++) {
        if (!names[i]) return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "name %zu is NULL", i);
        uint32_t k = find_constant(c, names[i]);
        if (k == LX_NONE) return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "the program has no constant `%s`", names[i]);
        if (fresh[k])
            return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "constant `%s` is given twice (`%s`)", text_of(c, c->constants[k].name),
                        names[i]);
        litz_status status = read_constant(s, k, data[i], &fresh[k], e);
        if (status) return status;
    }
    return LITZ_OK;
}

litz_status lx_update_constants(lx_instance *self, const char *const *names, const DLTensor *const *data, size_t n,
                                char *error, size_t error_size) {
    lx_error e = {error, error_size};
    shared *s = self->shared;
    uint32_t n_constants = s->code.n_constants;
    block **fresh = calloc(n_constants + 1u, sizeof *fresh);
    void **pointers = calloc(n_constants + 1u, sizeof *pointers);
    block *derived = NULL;
    litz_status status = LITZ_OK;
    if (!fresh || !pointers) status = no_memory(e, "the new constants", n_constants * 16ull);
    if (!status) status = gather_update(s, names, data, n, fresh, e);
    if (!status) {
        pthread_rwlock_wrlock(&self->lock);
        for (uint32_t k = 0; k < n_constants; k++) pointers[k] = fresh[k] ? fresh[k]->memory.data : self->constants[k];
        status = derive(self, pointers, &derived, e);
        if (!status) {
            for (uint32_t k = 0; k < n_constants; k++) {
                if (!fresh[k]) continue;
                block *old = self->owned[k];
                self->owned[k] = fresh[k];
                self->constants[k] = pointers[k];
                fresh[k] = old;
            }
            block *old = self->derived;
            self->derived = derived;
            derived = old;
        }
        pthread_rwlock_unlock(&self->lock);
    }
    /* What is left here is either what was replaced or what was not used. */
    for (uint32_t k = 0; fresh && k < n_constants; k++) block_release(&s->host, fresh[k]);
    block_release(&s->host, derived);
    free(fresh);
    free(pointers);
    return status;
}
