/* The caller's tensors against the plan: checked, sizes read, copied where kernels expect another layout. */
#include "internal.h"

#define SAY(e, status, what, k, name, format, ...) \
    fail(e, status, "%s %u `%s`: " format, what, (unsigned)(k), name, __VA_ARGS__)

static const char *dl_name(DLDataType t, char *room, size_t size) {
    static const int32_t numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 28, 29, 30, 31, 32, 36, 37};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        dtype_info d = dtype_of(numbers[k]);
        if (t.code == d.code && t.bits == d.size * 8 && t.lanes == 1) return d.name;
    }
    snprintf(room, size, "an unknown type (DLPack code %u, %u bits, %u lanes)", t.code, t.bits, t.lanes);
    return room;
}

static litz_status check_type(const char *what, uint32_t k, const char *name, int32_t dtype, uint32_t rank, const DLTensor *t,
                              lx_error e) {
    dtype_info d = dtype_of(dtype);
    if (t->dtype.code != d.code || t->dtype.bits != d.size * 8 || t->dtype.lanes != 1) {
        char room[80];
        return SAY(e, LITZ_ERROR_DTYPE, what, k, name, "the tensor's dtype is %s, but the program expects %s; convert it",
                   dl_name(t->dtype, room, sizeof room), d.name);
    }
    if (t->ndim < 0 || (uint32_t)t->ndim != rank)
        return SAY(e, LITZ_ERROR_SHAPE, what, k, name, "the tensor has %d dimensions, but the program expects %u",
                   (int)t->ndim, (unsigned)rank);
    if (rank && !t->shape) return SAY(e, LITZ_ERROR_INVALID_ARGUMENT, what, k, name, "%s", "the tensor's shape is NULL");
    return LITZ_OK;
}

/* Where a tensor may lie. */
typedef enum place { ON_DEVICE /* the program's */, ON_HOST, ON_EITHER, ANYWHERE } place;

static bool is_on_host(const DLTensor *t) {
    return t->device.device_type == kDLCPU || t->device.device_type == kDLCUDAHost;
}

/* Where inputs and outputs of a program may lie. */
static place place_of(const shared *s) { return copies_host_tensors(s) ? ON_EITHER : ON_DEVICE; }

/* What can be said of a tensor without knowing any size. */
static litz_status check_header(const char *what, uint32_t k, const char *name, int32_t dtype, uint32_t rank,
                                const shared *s, place place, const DLTensor *t, lx_error e) {
    if (!t) return SAY(e, LITZ_ERROR_INVALID_ARGUMENT, what, k, name, "%s", "the tensor is NULL");
    if (place == ANYWHERE || (place == ON_EITHER && is_on_host(t))) return check_type(what, k, name, dtype, rank, t, e);
    const device *gpu = place == ON_HOST ? NULL : s->device;
    if (gpu && (t->device.device_type != kDLCUDA || t->device.device_id != gpu->index))
        return SAY(e, LITZ_ERROR_DEVICE, what, k, name,
                   "the tensor is on device type %d (DLPack's number), index %d, but this program runs on CUDA device %d; copy it "
                   "there first",
                   (int)t->device.device_type, (int)t->device.device_id, (int)gpu->index);
    if (!gpu && t->device.device_type != kDLCPU)
        return SAY(e, LITZ_ERROR_DEVICE, what, k, name,
                   "the tensor is on device type %d (DLPack's number), but this program runs on the CPU; copy it to the "
                   "CPU's memory first",
                   (int)t->device.device_type);
    return check_type(what, k, name, dtype, rank, t, e);
}
static litz_status read_value(const code *c, uint32_t k, const DLTensor *t, int64_t *out, lx_error e) {
    const char *name = text_of(c, c->inputs[k].name);
    if (!t->data) return SAY(e, LITZ_ERROR_INVALID_ARGUMENT, "input", k, name, "%s", "the tensor's data is NULL");
    const uint8_t *p = (const uint8_t *)t->data + t->byte_offset;
    switch (c->inputs[k].dtype) {
    case 1: *out = *p; return LITZ_OK;
    case 12: *out = *p != 0; return LITZ_OK;
    case 8: memcpy(out, p, sizeof *out); return LITZ_OK; /* a float's bits */
    case 2: *out = (int8_t)*p; return LITZ_OK;
#define READ(number, type)          \
    case number: {                  \
        type v;                     \
        memcpy(&v, p, sizeof v);    \
        *out = (int64_t)v;          \
        return LITZ_OK;             \
    }
        READ(3, int16_t)
        READ(4, int32_t)
        READ(5, int64_t)
        READ(28, uint16_t)
        READ(36, uint32_t)
#undef READ
    default: break;
    }
    uint64_t v;
    memcpy(&v, p, sizeof v);
    if (v > (uint64_t)INT64_MAX)
        return SAY(e, LITZ_ERROR_SHAPE, "input", k, name, "the value %llu does not fit into 64 bits with a sign",
                   (unsigned long long)v);
    *out = (int64_t)v;
    return LITZ_OK;
}

static litz_status out_of_range(const code *c, const lx_symbol *s, int64_t value, int64_t size, lx_error e) {
    char bounds[64];
    if (s->max == INT64_MAX) snprintf(bounds, sizeof bounds, "at least %lld", (long long)s->min);
    else snprintf(bounds, sizeof bounds, "from %lld to %lld", (long long)s->min, (long long)s->max);
    const char *name = text_of(c, c->inputs[s->input].name), *symbol = text_of(c, s->name);
    if (s->source == LX_SOURCE_VALUE)
        return SAY(e, LITZ_ERROR_SHAPE, "input", s->input, name,
                   "the value is %lld, but the program was compiled for `%s` %s; give a value in this range, or compile "
                   "with a wider one",
                   (long long)value, symbol, bounds);
    if (s->factor == 1 && s->addend == 0)
        return SAY(e, LITZ_ERROR_SHAPE, "input", s->input, name,
                   "dimension %u is %lld, but the program was compiled for `%s` %s; give a size in this range, or compile "
                   "with a wider one",
                   (unsigned)s->dim, (long long)size, symbol, bounds);
    return SAY(e, LITZ_ERROR_SHAPE, "input", s->input, name,
               "dimension %u is %lld, so `%s` is %lld, but the program was compiled for `%s` %s; give a size for which it "
               "is in this range, or compile with a wider one",
               (unsigned)s->dim, (long long)size, symbol, (long long)value, symbol, bounds);
}

static litz_status read_symbols(const code *c, frame *f, const DLTensor *const *inputs, bool *whole, lx_error e) {
    for (uint32_t k = 0; k < c->n_symbols; k++) {
        const lx_symbol *s = &c->symbols[k];
        int64_t size = 0, value = 0, rest = 0;
        bool number = s->source == LX_SOURCE_VALUE;
        if (s->source == LX_SOURCE_STEP) continue;
        if (s->source >= LX_SOURCE_SEED) {
            f->symbols[k] = (int64_t)(s->source == LX_SOURCE_SEED ? f->seed : f->offset);
            continue;
        }
        const DLTensor *t = inputs[s->input];
        bool unread = c->inputs[s->input].flags & LX_TENSOR_UNREAD;
        if (!t || (number && unread && !(t->data && is_on_host(t)))) {
            /* Nothing that is needed depends on it. Where it can be read, sizes of other inputs are compared with it. */
            *whole = false;
            f->symbols[k] = s->min;
            continue;
        }
        if (number) {
            litz_status status = read_value(c, s->input, t, &value, e);
            if (status) return status;
        } else {
            size = t->shape[s->dim];
            if (size < 0)
                return SAY(e, LITZ_ERROR_SHAPE, "input", s->input, text_of(c, c->inputs[s->input].name),
                           "dimension %u is %lld; sizes are not negative", (unsigned)s->dim, (long long)size);
            if (s->factor == 1 && s->addend == 0) {
                value = size;
            } else if (__builtin_sub_overflow(size, s->addend, &value) || !floor_div(value, s->factor, &value, &rest) ||
                       rest) {
                return SAY(e, LITZ_ERROR_SHAPE, "input", s->input, text_of(c, c->inputs[s->input].name),
                           "dimension %u is %lld, but the program expects %lld * %s + %lld", (unsigned)s->dim,
                           (long long)size, (long long)s->factor, text_of(c, s->name), (long long)s->addend);
            }
        }
        if (value < s->min || value > s->max) return out_of_range(c, s, value, size, e);
        f->symbols[k] = value;
    }
    return LITZ_OK;
}

static void forget_late(const shared *s, frame *f) {
    memset(f->known, 0, s->code.n_symbols);
    for (uint32_t n = 0; n < s->n_late; n++) {
        f->scalars[s->late[n]] = 0;
        f->poison[s->late[n]] = 1;
    }
}

static litz_status evaluate_scalars(const shared *s, frame *f, lx_error e) {
    const code *c = &s->code;
    if (s->n_late) forget_late(s, f);
    for (uint32_t n = 0; n < s->n_varying; n++) {
        uint32_t k = s->varying[n];
        bool good = evaluate(&c->scalars[k], f->symbols, f->scalars, f->poison, &f->scalars[k]);
        f->poison[k] = !good;
        if (!good) {
            f->scalars[k] = 0;
            if (s->notes[k] & SCALAR_NEEDED)
                return fail(e, LITZ_ERROR_SHAPE,
                            "a size of this program does not fit into 64 bits, or divides by 0, with the inputs' sizes as "
                            "given; give smaller tensors");
        }
    }
    return LITZ_OK;
}

static litz_status wrong_size(const code *c, const char *what, uint32_t k, const lx_tensor *t, uint32_t d, int64_t given,
                              int64_t expected, lx_error e) {
    const lx_scalar *s = &c->scalars[u32_of(c, t->shape)[d]];
    const char *name = text_of(c, t->name);
    if (s->op == LX_SYMBOL && c->symbols[s->a].source < LX_SOURCE_STEP) {
        const lx_symbol *symbol = &c->symbols[s->a];
        return SAY(e, LITZ_ERROR_SHAPE, what, k, name, "dimension %u is %lld, but `%s` is %lld here, as input %u `%s` has it",
                   (unsigned)d, (long long)given, text_of(c, symbol->name), (long long)expected, (unsigned)symbol->input,
                   text_of(c, c->inputs[symbol->input].name));
    }
    return SAY(e, LITZ_ERROR_SHAPE, what, k, name, "dimension %u is %lld, but the program expects %lld%s", (unsigned)d,
               (long long)given, (long long)expected,
               s->op == LX_CONSTANT ? ", a size that was fixed when it was compiled" : " with the sizes of its inputs");
}

/* Beside one that was left out (`whole`), sizes of others that are not needed may not be known. */
static litz_status check_shapes(const code *c, frame *f, const DLTensor *const *inputs, bool whole, lx_error e) {
    for (uint32_t k = 0; k < c->n_inputs; k++) {
        const lx_tensor *t = &c->inputs[k];
        const uint32_t *shape = u32_of(c, t->shape);
        if (!inputs[k]) continue;
        for (uint32_t d = 0; d < t->shape.count; d++)
            if (inputs[k]->shape[d] != f->scalars[shape[d]] &&
                (whole || !(t->flags & LX_TENSOR_OPTIONAL) || c->scalars[shape[d]].op == LX_CONSTANT))
                return wrong_size(c, "input", k, t, d, inputs[k]->shape[d], f->scalars[shape[d]], e);
    }
    for (uint32_t k = 0; k < c->n_guards; k++)
        if (!f->scalars[c->guards[k].scalar])
            return fail(e, c->guards[k].status, "%s", text_of(c, c->guards[k].message));
    return LITZ_OK;
}

/* From the callers' tensors to every scalar, touching no data but that of scalar inputs. */
static litz_status bind_sizes(const shared *s, frame *f, const DLTensor *const *inputs, size_t n, lx_error e) {
    const code *c = &s->code;
    if (n != c->n_inputs)
        return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "%zu inputs were given, but the program has %u", n, c->n_inputs);
    if (n && !inputs) return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "the array of inputs is NULL");
    bool whole = true; /* every size that inputs give is known */
    for (uint32_t k = 0; k < c->n_inputs; k++) {
        const lx_tensor *t = &c->inputs[k];
        if (!inputs[k] && t->flags & LX_TENSOR_OPTIONAL) {
            whole = false;
            continue;
        }
        /* Numbers are read on the host, and a 0-d tensor may come from there. */
        bool host = t->flags & LX_TENSOR_SCALAR ||
                    (t->shape.count == 0 && inputs[k] && inputs[k]->device.device_type == kDLCPU);
        place place = t->flags & LX_TENSOR_UNREAD ? ANYWHERE : host ? ON_HOST : place_of(s);
        litz_status status = check_header("input", k, text_of(c, t->name), t->dtype, t->shape.count, s, place, inputs[k], e);
        if (status) return status;
    }
    litz_status status = read_symbols(c, f, inputs, &whole, e);
    if (!status) status = evaluate_scalars(s, f, e);
    if (!status) status = check_shapes(c, f, inputs, whole, e);
    return status;
}

static litz_status no_memory(lx_error e, const char *what, uint64_t bytes) {
    return fail(e, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for %s of %llu bytes", what, (unsigned long long)bytes);
}

/* Where the device has no memory, or the host. */
static litz_status no_room(const shared *s, uint64_t bytes, const char *what, lx_error e) {
    return on_gpu(s) ? device_out_of_memory(s->device->process, bytes, what, e) : no_memory(e, what, bytes);
}

/* The caller's strides and memory; `given_strides` is the room for strides that were left out. */
static litz_status read_layout(const char *what, uint32_t k, const char *name, const DLTensor *t, uint64_t item,
                               int64_t *room, const int64_t **strides, uint8_t **first, interval *memory, lx_error e) {
    uint64_t bytes;
    *strides = t->strides;
    if (!t->strides) {
        *strides = room;
        if (!contiguous_strides(t->ndim, t->shape, room))
            return SAY(e, LITZ_ERROR_SHAPE, what, k, name, "%s", "the tensor has more elements than fit into memory");
    } else {
        for (int32_t d = 0; d < t->ndim; d++)
            if (t->strides[d] < 0 && t->shape[d] > 1)
                return SAY(e, LITZ_ERROR_INVALID_ARGUMENT, what, k, name,
                           "the stride of dimension %d is %lld; negative strides are not supported, make a contiguous copy",
                           (int)d, (long long)t->strides[d]);
    }
    if (!extent_bytes(t->ndim, t->shape, *strides, item, &bytes))
        return SAY(e, LITZ_ERROR_SHAPE, what, k, name, "%s", "sizes and strides reach beyond what memory can be addressed");
    if (bytes && !t->data) return SAY(e, LITZ_ERROR_INVALID_ARGUMENT, what, k, name, "%s", "the tensor's data is NULL");
    *first = t->data ? (uint8_t *)t->data + t->byte_offset : NULL;
    if ((uintptr_t)*first > UINTPTR_MAX - bytes)
        return SAY(e, LITZ_ERROR_INVALID_ARGUMENT, what, k, name, "%s", "the tensor's memory wraps around the address space");
    *memory = (interval){(uintptr_t)*first, (uintptr_t)*first + bytes};
    return LITZ_OK;
}

static layout layout_of(const bound_input *b, int32_t rank, uint64_t item) {
    return (layout){rank, b->shape, b->given_strides, item, b->memory};
}

/* Kernels take a mutated input to be apart from all others. Where one shares bytes with it, the run is for another program
 * of the graph (overlap.c), whose inputs may do so. */
static litz_status check_mutated(const code *c, frame *f, uint32_t k, lx_error e) {
    bound_input *b = &f->inputs[k];
    const lx_tensor *t = &c->inputs[k];
    const char *name = text_of(c, t->name);
    layout own = layout_of(b, (int32_t)t->shape.count, dtype_of(t->dtype).size);
    int self = overlaps_itself(&own);
    if (self < 0) return no_memory(e, "a check for overlap", b->memory.end - b->memory.begin);
    if (self)
        return SAY(e, LITZ_ERROR_INVALID_ARGUMENT, "input", k, name, "%s",
                   "the program writes to this tensor, but some of its elements share memory (as after expand); give a copy");
    for (uint32_t o = 0; o < c->n_inputs; o++) {
        if (o == k || !intervals_meet(b->memory, f->inputs[o].memory)) continue;
        b->copied = true;
        if (f->may_overlap || c->inputs[o].flags & LX_TENSOR_SCALAR) continue;
        layout other = layout_of(&f->inputs[o], (int32_t)c->inputs[o].shape.count, dtype_of(c->inputs[o].dtype).size);
        int shared_bytes = share_bytes(&own, &other);
        if (shared_bytes < 0) return no_memory(e, "a check for overlap", b->memory.end - b->memory.begin);
        if (shared_bytes)
            return SAY(e, LX_INPUTS_SHARE_MEMORY, "input", k, name,
                       "it shares memory with input %u `%s`, and the program writes to it; give a copy of one", (unsigned)o,
                       text_of(c, c->inputs[o].name));
    }
    return LITZ_OK;
}

/* An input that is overwritten serves as memory of the arena does. One that does not lie as that does, or that another tensor of
 * the run shares bytes with, is copied. */
static bool is_own_memory(const code *c, const frame *f, uint32_t k) {
    const bound_input *b = &f->inputs[k];
    if ((uintptr_t)b->given % LX_ALIGNMENT) return false;
    for (uint32_t o = 0; o < c->n_inputs; o++)
        if (o != k && intervals_meet(b->memory, f->inputs[o].memory)) return false;
    return true;
}

/* GPU kernels read whole vectors. */
#define DEVICE_ALIGNMENT 16

static litz_status move_strided(const shared *s, const frame *f, int32_t rank, const int64_t *shape, strided to, strided from,
                                uint64_t item, lx_error e) {
    if (on_gpu(s)) return device_copy_strided(s->device, rank, shape, to, from, item, f->stream, e);
    copy_strided(rank, shape, to, from, item);
    return LITZ_OK;
}

static litz_status bind_data(const shared *s, frame *f, const DLTensor *const *inputs, lx_error e) {
    const code *c = &s->code;
    bool mutates = false;
    f->n_copies = 0;
    for (uint32_t k = 0; k < c->n_inputs; k++) {
        const lx_tensor *t = &c->inputs[k];
        bound_input *b = &f->inputs[k];
        uint32_t rank = t->shape.count;
        uint64_t item = dtype_of(t->dtype).size;
        if (t->flags & LX_TENSOR_UNREAD) {
            b->given = NULL;
            b->memory = (interval){0, 0};
            b->copied = b->on_host = false;
            b->bytes = 0;
            continue;
        }
        litz_status status = read_layout("input", k, text_of(c, t->name), inputs[k], item, b->own_strides,
                                         &b->given_strides, &b->given, &b->memory, e);
        if (status) return status;
        b->shape = inputs[k]->shape;
        bool from_host = on_gpu(s) && is_on_host(inputs[k]);
        b->on_host = from_host && rank > 0; /* one element is read at once */
        b->pinned = inputs[k]->device.device_type == kDLCUDAHost;
        for (uint32_t d = 0; d < rank; d++) b->strides[d] = f->scalars[u32_of(c, t->strides)[d]];
        b->copied = !same_strides((int32_t)rank, b->shape, b->strides, b->given_strides) ||
                    (uintptr_t)b->given % (on_gpu(s) ? DEVICE_ALIGNMENT : item) ||
                    from_host;
        b->bytes = b->memory.end - b->memory.begin;
        if (b->copied && !extent_bytes((int32_t)rank, b->shape, b->strides, item, &b->bytes))
            return SAY(e, LITZ_ERROR_SHAPE, "input", k, text_of(c, t->name), "%s",
                       "the tensor has more elements than fit into memory");
        mutates |= (t->flags & LX_TENSOR_MUTATED) != 0;
    }
    for (uint32_t k = 0; mutates && k < c->n_inputs; k++) {
        litz_status status = c->inputs[k].flags & LX_TENSOR_MUTATED ? check_mutated(c, f, k, e) : LITZ_OK;
        if (status) return status;
    }
    for (uint32_t k = 0; k < c->n_inputs; k++) {
        bound_input *b = &f->inputs[k];
        b->data = b->given;
        if (on_gpu(s) && f->staged[k]) b->copied = true;
        if (c->inputs[k].flags & LX_TENSOR_OVERWRITTEN && !is_own_memory(c, f, k)) b->copied = true;
        if (!b->copied || (c->inputs[k].flags & LX_TENSOR_SCALAR)) continue;
        b->data = copy_memory(s, f, b->bytes);
        if (!b->data) return no_room(s, b->bytes, "a copy of an input", e);
        if (on_gpu(s) && b->on_host) continue; /* see upload_inputs */
        if (on_gpu(s) && is_on_host(inputs[k])) {
            litz_status status = device_write(s->device, b->data, b->given, b->bytes, f->stream, e);
            if (status) return status;
            continue;
        }
        litz_status status = move_strided(s, f, (int32_t)c->inputs[k].shape.count, b->shape, (strided){b->data, b->strides},
                                          (strided){b->given, b->given_strides}, dtype_of(c->inputs[k].dtype).size, e);
        if (status) return status;
    }
    return LITZ_OK;
}

/* Whether a size of an output waits for a step of the run, or those of the output that it is a view of do. */
static bool is_late(const shared *s, const lx_tensor *t) {
    const code *c = &s->code;
    bool late = t->view && s->n_late && (is_late(s, &c->outputs[t->view - 1]) || s->notes[t->offset] & SCALAR_LATE);
    for (uint32_t d = 0; s->n_late && d < t->shape.count; d++)
        late = late || ((s->notes[u32_of(c, t->shape)[d]] | s->notes[u32_of(c, t->strides)[d]]) & SCALAR_LATE);
    return late;
}

/* Shape, strides and bytes of an output. */
static litz_status size_output(const code *c, frame *f, uint32_t k, lx_error e) {
    const lx_tensor *t = &c->outputs[k];
    bound_output *b = &f->outputs[k];
    int32_t rank = (int32_t)t->shape.count;
    for (uint32_t d = 0; d < t->shape.count; d++) {
        b->shape[d] = f->scalars[u32_of(c, t->shape)[d]];
        b->shown[d] = f->scalars[u32_of(c, t->strides)[d]];
        b->strides[d] = t->packed.count ? f->scalars[u32_of(c, t->packed)[d]] : b->shown[d];
        if (b->shape[d] < 0)
            return SAY(e, LITZ_ERROR_SHAPE, "output", k, text_of(c, t->name),
                       "dimension %u would be %lld with the inputs' sizes as given", (unsigned)d, (long long)b->shape[d]);
    }
    uint64_t item = dtype_of(t->dtype).size;
    if (!extent_bytes(rank, b->shape, b->strides, item, &b->bytes) || !extent_bytes(rank, b->shape, b->shown, item, &b->shown_bytes))
        return SAY(e, LITZ_ERROR_SHAPE, "output", k, text_of(c, t->name), "%s",
                   "it would have more elements than fit into memory with the inputs' sizes as given");
    b->copied = false;
    return LITZ_OK;
}

/* Where a view begins in its base's memory, in bytes. */
static litz_status place_view(const code *c, const frame *f, uint32_t k, uint64_t *at, lx_error e) {
    const lx_tensor *t = &c->outputs[k];
    int64_t offset = f->scalars[t->offset];
    uint64_t end;
    *at = 0;
    if (!f->outputs[k].shown_bytes) return LITZ_OK;
    if (offset < 0 || !mul_u64((uint64_t)offset, dtype_of(t->dtype).size, at) || !add_u64(*at, f->outputs[k].shown_bytes, &end) ||
        end > f->outputs[t->view - 1].bytes)
        return fail(e, LITZ_ERROR_INTERNAL, "output %u would reach beyond output %u, which it is a view of", (unsigned)k,
                    (unsigned)(t->view - 1));
    return LITZ_OK;
}

/* All outputs whose sizes the inputs' sizes say; the others are late. */
static litz_status size_outputs(const shared *s, frame *f, lx_error e) {
    const code *c = &s->code;
    litz_status status = LITZ_OK;
    for (uint32_t k = 0; !status && k < c->n_outputs; k++) {
        f->outputs[k].late = is_late(s, &c->outputs[k]);
        f->outputs[k].data = NULL;
        f->outputs[k].on_host = f->outputs[k].pinned = false;
        if (!f->outputs[k].late) status = size_output(c, f, k, e);
    }
    return status;
}

/* Whether the caller gives memory of the host's for results: none of its inputs lies on a GPU. */
static bool gives_to_host(const shared *s, const DLTensor *const *inputs, size_t n) {
    bool host = copies_host_tensors(s);
    for (size_t k = 0; host && inputs && k < n && k < s->code.n_inputs; k++)
        host = !inputs[k] || is_on_host(inputs[k]);
    return host || !on_gpu(s);
}

static litz_status check_outputs_count(const code *c, const void *outputs, size_t n, lx_error e) {
    if (n != c->n_results)
        return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "%zu outputs were given, but the program has %u", n, c->n_results);
    if (n && !outputs) return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "the array of outputs is NULL");
    return LITZ_OK;
}

/* The caller's outputs: written where they lie, or through a copy when their layout is another, when they are
 * misaligned, or when they lie in memory that is still read. */
static litz_status bind_outputs(const shared *s, frame *f, const DLTensor *const *outputs, lx_error e) {
    const code *c = &s->code;
    for (uint32_t k = 0; k < c->n_outputs; k++) {
        const lx_tensor *t = &c->outputs[k];
        bound_output *b = &f->outputs[k];
        const char *name = text_of(c, t->name);
        int32_t rank = (int32_t)t->shape.count;
        uint64_t item = dtype_of(t->dtype).size;
        if (k >= c->n_results) {
            b->memory = (interval){0, 0};
            b->on_host = b->pinned = false;
            b->data = NULL;
            if (!b->late && !(b->data = copy_memory(s, f, b->bytes)))
                return no_room(s, b->bytes, "results that share memory", e);
            continue;
        }
        litz_status status = check_header("output", k, name, t->dtype, t->shape.count, s, place_of(s), outputs[k], e);
        if (status) return status;
        b->on_host = on_gpu(s) && is_on_host(outputs[k]);
        b->pinned = b->on_host && outputs[k]->device.device_type == kDLCUDAHost;
        for (int32_t d = 0; b->late && d < rank; d++) {
            if (outputs[k]->shape[d] < 0)
                return SAY(e, LITZ_ERROR_SHAPE, "output", k, name, "dimension %d is %lld; give room for as many elements as "
                           "the run may make, or use litz_executable_run", (int)d, (long long)outputs[k]->shape[d]);
            b->shape[d] = outputs[k]->shape[d];
        }
        for (int32_t d = 0; d < rank; d++)
            if (outputs[k]->shape[d] != b->shape[d])
                return wrong_size(c, "output", k, t, (uint32_t)d, outputs[k]->shape[d], b->shape[d], e);
        status = read_layout("output", k, name, outputs[k], item, b->own_strides, &b->given_strides, &b->given, &b->memory, e);
        if (status) return status;
        layout own = {rank, b->shape, b->given_strides, item, b->memory};
        /* Elements that PyTorch gives one place, as `expand` does, are equal. */
        bool as_shown = !b->late && same_strides(rank, b->shape, b->shown, b->given_strides);
        int self = as_shown ? 0 : overlaps_itself(&own);
        if (self < 0) return no_memory(e, "a check for overlap", b->memory.end - b->memory.begin);
        if (self)
            return SAY(e, LITZ_ERROR_INVALID_ARGUMENT, "output", k, name, "%s",
                       "some of the tensor's elements share memory; give one whose elements do not");
        for (uint32_t o = 0; o < k; o++) {
            bound_output *other = &f->outputs[o];
            if (!intervals_meet(b->memory, other->memory)) continue;
            layout theirs = {(int32_t)c->outputs[o].shape.count, other->shape, other->given_strides,
                             dtype_of(c->outputs[o].dtype).size, other->memory};
            int shared_bytes = share_bytes(&own, &theirs);
            if (shared_bytes < 0) return no_memory(e, "a check for overlap", b->memory.end - b->memory.begin);
            if (shared_bytes)
                return SAY(e, LITZ_ERROR_INVALID_ARGUMENT, "output", k, name,
                           "it shares memory with output %u `%s`; give each output its own", (unsigned)o,
                           text_of(c, c->outputs[o].name));
        }
        if (t->view) b->copied = true;
        if (b->late || t->view) continue;
        b->copied = !same_strides(rank, b->shape, b->strides, b->given_strides) ||
                    (uintptr_t)b->given % (on_gpu(s) ? DEVICE_ALIGNMENT : item) || (on_gpu(s) && (f->staged_outputs[k] || b->on_host));
        for (uint32_t i = 0; i < c->n_inputs && !b->copied; i++) b->copied = intervals_meet(b->memory, f->inputs[i].memory);
        b->data = b->given;
        if (b->copied && !(b->data = copy_memory(s, f, b->bytes))) return no_room(s, b->bytes, "a copy of an output", e);
    }
    return LITZ_OK;
}

/* What was computed in copies goes to where the caller wants it; to the host's memory: see download_results. */
static litz_status write_back(const shared *s, frame *f, lx_error e) {
    const code *c = &s->code;
    litz_status status = LITZ_OK;
    for (uint32_t k = 0; k < c->n_inputs; k++) {
        bound_input *b = &f->inputs[k];
        if (!status && b->copied && !(on_gpu(s) && b->on_host) && (c->inputs[k].flags & LX_TENSOR_MUTATED))
            status = move_strided(s, f, (int32_t)c->inputs[k].shape.count, b->shape, (strided){b->given, b->given_strides},
                                  (strided){b->data, b->strides}, dtype_of(c->inputs[k].dtype).size, e);
    }
    for (uint32_t k = 0; k < c->n_outputs; k++) {
        bound_output *b = &f->outputs[k];
        if (!status && b->copied && c->outputs[k].view) {
            uint64_t at;
            status = place_view(c, f, k, &at, e);
            b->data = b->shown_bytes ? f->outputs[c->outputs[k].view - 1].data + at : NULL;
        }
        if (!status && b->copied && !(on_gpu(s) && b->on_host) && b->data)
            status = move_strided(s, f, (int32_t)c->outputs[k].shape.count, b->shape, (strided){b->given, b->given_strides},
                                  (strided){b->data, b->strides}, dtype_of(c->outputs[k].dtype).size, e);
    }
    return status;
}
