/*
 * Reading a plan's bytes: everything is checked once, so that later code indexes without looking. Then the scalar
 * program: sizes from the inputs' sizes.
 */
#include "internal.h"

/* A checked plan with its tables as pointers. */
typedef struct code {
    const uint8_t *base;
    const lx_plan *plan;
    const lx_symbol *symbols;
    const lx_scalar *scalars;
    const lx_guard *guards;
    const lx_tensor *inputs, *outputs;
    const lx_storage *storages;
    const lx_constant_info *constants;
    const lx_buffer *buffers;
    const lx_span *kernels, *assertions;
    const lx_step *init, *main;
    const lx_map *maps;
    uint32_t n_symbols, n_scalars, n_guards, n_inputs, n_outputs, n_results, n_storages, n_constants, n_buffers, n_kernels, n_assertions, n_init,
        n_main, n_maps;
    uint32_t max_step_buffers, max_step_scalars, max_step_maps, n_slots;
    uint64_t weights_bytes; /* where the last storage ends */
    bool mutates_constants, has_late; /* late: known only once a step has run */
} code;

static inline const char *text_of(const code *c, lx_span s) { return (const char *)c->base + s.offset; }
static inline const uint32_t *u32_of(const code *c, lx_span s) { return (const uint32_t *)(c->base + s.offset); }
static inline const int64_t *i64_of(const code *c, lx_span s) { return (const int64_t *)(c->base + s.offset); }

/* dtype numbers are those of LITZ_DTYPE_...; size 0: unknown. */
typedef struct dtype_info {
    uint8_t size, code;
    const char *name;
} dtype_info;

static dtype_info dtype_of(int32_t number) {
    switch (number) {
    case 1: return (dtype_info){1, kDLUInt, "uint8"};
    case 2: return (dtype_info){1, kDLInt, "int8"};
    case 3: return (dtype_info){2, kDLInt, "int16"};
    case 4: return (dtype_info){4, kDLInt, "int32"};
    case 5: return (dtype_info){8, kDLInt, "int64"};
    case 6: return (dtype_info){2, kDLFloat, "float16"};
    case 7: return (dtype_info){4, kDLFloat, "float32"};
    case 8: return (dtype_info){8, kDLFloat, "float64"};
    case 9: return (dtype_info){4, kDLComplex, "complex32"};
    case 10: return (dtype_info){8, kDLComplex, "complex64"};
    case 11: return (dtype_info){16, kDLComplex, "complex128"};
    case 12: return (dtype_info){1, kDLBool, "bool"};
    case 13: return (dtype_info){2, kDLBfloat, "bfloat16"};
    case 28: return (dtype_info){2, kDLUInt, "uint16"};
    case 29: return (dtype_info){1, kDLFloat8_e4m3fn, "float8_e4m3fn"};
    case 30: return (dtype_info){1, kDLFloat8_e5m2, "float8_e5m2"};
    case 31: return (dtype_info){1, kDLFloat8_e4m3fnuz, "float8_e4m3fnuz"};
    case 32: return (dtype_info){1, kDLFloat8_e5m2fnuz, "float8_e5m2fnuz"};
    case 36: return (dtype_info){4, kDLUInt, "uint32"};
    case 37: return (dtype_info){8, kDLUInt, "uint64"};
    default: return (dtype_info){0, 0, "unknown"};
    }
}

static DLDataType dl_of(dtype_info d) { return (DLDataType){d.code, (uint8_t)(d.size * 8u), 1}; }

static bool span_fits(const code *c, lx_span s, size_t item) {
    uint64_t end = (uint64_t)s.offset + (uint64_t)s.count * item;
    return end <= c->plan->bytes && (item < 4 || s.offset % (item % 8 == 0 ? 8 : 4) == 0);
}

static bool text_fits(const code *c, lx_span s) {
    uint64_t end = (uint64_t)s.offset + s.count;
    return end < c->plan->bytes && c->base[end] == 0;
}

static bool scalars_fit(const code *c, lx_span s) {
    if (!span_fits(c, s, 4)) return false;
    for (uint32_t k = 0; k < s.count; k++)
        if (u32_of(c, s)[k] >= c->n_scalars) return false;
    return true;
}

static bool tensors_fit(const code *c, const lx_tensor *tensors, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        const lx_tensor *t = &tensors[k];
        uint32_t rank = t->shape.count;
        if (!text_fits(c, t->name) || !dtype_of(t->dtype).size || rank > LX_MAX_RANK || t->strides.count != rank ||
            t->min_shape.count != rank || t->max_shape.count != rank || !scalars_fit(c, t->shape) ||
            !scalars_fit(c, t->strides) || !span_fits(c, t->min_shape, 8) || !span_fits(c, t->max_shape, 8) ||
            ((t->flags & LX_TENSOR_SCALAR) && (rank || (t->flags & (LX_TENSOR_MUTATED | LX_TENSOR_OVERWRITTEN)))) ||
            ((t->flags & LX_TENSOR_MUTATED) && (t->flags & LX_TENSOR_OVERWRITTEN)))
            return false;
    }
    return true;
}

/* A view is of an output that is computed as it is given. */
static bool outputs_fit(const code *c) {
    if (!tensors_fit(c, c->outputs, c->n_outputs)) return false;
    for (uint32_t k = 0; k < c->n_outputs; k++) {
        const lx_tensor *t = &c->outputs[k];
        if (!scalars_fit(c, t->packed) || (t->packed.count && (t->packed.count != t->shape.count || t->view))) return false;
        if (k >= c->n_results && (t->view || t->packed.count)) return false;
        if (!t->view) continue;
        if (t->view > c->n_outputs || t->offset >= c->n_scalars) return false;
        const lx_tensor *base = &c->outputs[t->view - 1];
        if (base->view || base->packed.count) return false;
    }
    return true;
}

static bool symbols_fit(const code *c) {
    for (uint32_t k = 0; k < c->n_symbols; k++) {
        const lx_symbol *s = &c->symbols[k];
        if (!text_fits(c, s->name) || s->source > LX_SOURCE_OFFSET) return false;
        if (s->source >= LX_SOURCE_STEP) continue;
        if (s->input >= c->n_inputs) return false;
        if (s->source == LX_SOURCE_DIMENSION && (s->dim >= c->inputs[s->input].shape.count || s->factor == 0)) return false;
        if (s->source == LX_SOURCE_VALUE) {
            uint8_t kind = dtype_of(c->inputs[s->input].dtype).code;
            if (c->inputs[s->input].shape.count ||
                (kind != kDLInt && kind != kDLUInt && kind != kDLBool && c->inputs[s->input].dtype != 8))
                return false;
        }
    }
    return true;
}

static bool scalar_program_fits(const code *c) {
    for (uint32_t k = 0; k < c->n_scalars; k++) {
        const lx_scalar *s = &c->scalars[k];
        if (s->op >= LX_N_SCALAR_OPS) return false;
        if (s->op == LX_SYMBOL && s->a >= c->n_symbols) return false;
        if (s->op >= LX_ADD && s->a >= k) return false;
        if (s->op >= LX_ADD && s->op != LX_NOT && s->b >= k) return false;
        if (s->op >= LX_SELECT && s->c >= k) return false;
    }
    for (uint32_t k = 0; k < c->n_guards; k++)
        if (c->guards[k].scalar >= c->n_scalars || !c->guards[k].status || !text_fits(c, c->guards[k].message)) return false;
    if (c->plan->next_offset != LX_NONE && c->plan->next_offset >= c->n_scalars) return false;
    return c->plan->arena_bytes == LX_NONE || c->plan->arena_bytes < c->n_scalars;
}

static bool storages_fit(code *c) {
    for (uint32_t k = 0; k < c->n_storages; k++) {
        const lx_storage *s = &c->storages[k];
        uint64_t end;
        if (s->offset % LX_ALIGNMENT || !add_u64(s->offset, s->bytes, &end)) return false;
        if (end > c->weights_bytes) c->weights_bytes = end;
        if (s->flags & LX_STORAGE_UNUSED && s->bytes) return false;
        if (s->flags & LX_TENSOR_MUTATED) c->mutates_constants = true;
    }
    return true;
}

static bool constants_fit(code *c) {
    for (uint32_t k = 0; k < c->n_constants; k++) {
        const lx_constant_info *t = &c->constants[k];
        if (!text_fits(c, t->name) || !span_fits(c, t->aliases, 8) || !dtype_of(t->dtype).size ||
            t->shape.count > LX_MAX_RANK || t->strides.count != t->shape.count || !span_fits(c, t->shape, 8) ||
            !span_fits(c, t->strides, 8) || t->storage >= c->n_storages)
            return false;
        const lx_span *aliases = (const lx_span *)(c->base + t->aliases.offset);
        for (uint32_t a = 0; a < t->aliases.count; a++)
            if (!text_fits(c, aliases[a])) return false;
        uint64_t item = dtype_of(t->dtype).size, bytes, end;
        const int64_t *shape = i64_of(c, t->shape), *strides = i64_of(c, t->strides);
        for (uint32_t d = 0; d < t->shape.count; d++)
            if (shape[d] < 0 || strides[d] < 0) return false;
        if (t->offset % item || !extent_bytes((int32_t)t->shape.count, shape, strides, item, &bytes) ||
            !add_u64(t->offset, bytes, &end) ||
            (end > c->storages[t->storage].bytes && !(c->storages[t->storage].flags & LX_STORAGE_UNUSED)))
            return false;
    }
    return true;
}

static bool buffers_fit(code *c) {
    for (uint32_t k = 0; k < c->n_buffers; k++) {
        const lx_buffer *b = &c->buffers[k];
        if (b->bytes >= c->n_scalars) return false;
        switch (b->kind) {
        case LX_BUFFER_INPUT:
            if (b->index >= c->n_inputs || (c->inputs[b->index].flags & (LX_TENSOR_SCALAR | LX_TENSOR_UNREAD))) return false;
            break;
        case LX_BUFFER_OUTPUT:
            if (b->index >= c->n_outputs || c->outputs[b->index].view) return false;
            break;
        case LX_BUFFER_STORAGE:
            if (b->index >= c->n_storages || (c->storages[b->index].flags & LX_STORAGE_UNUSED)) return false;
            break;
        case LX_BUFFER_DERIVED:
            if (b->offset % LX_ALIGNMENT || b->offset > c->plan->derived_bytes) return false;
            break;
        case LX_BUFFER_ARENA:
            if (b->index >= c->n_scalars || c->plan->arena_bytes == LX_NONE) return false;
            break;
        case LX_BUFFER_SLOT:
            if (b->index >= c->n_buffers) return false;
            if (b->index >= c->n_slots) c->n_slots = b->index + 1;
            break;
        case LX_BUFFER_SEMAPHORES:
            if (b->offset % LX_ALIGNMENT || b->offset > LX_MOST_SEMAPHORES) return false;
            break;
        default: return false;
        }
    }
    return true;
}

static bool step_buffer_fits(const code *c, uint32_t id, bool init, bool written) {
    if (id >= c->n_buffers) return false;
    const lx_buffer *b = &c->buffers[id];
    switch (b->kind) {
    case LX_BUFFER_INPUT:
        return !init && (!written || (c->inputs[b->index].flags & (LX_TENSOR_MUTATED | LX_TENSOR_OVERWRITTEN)));
    case LX_BUFFER_STORAGE: {
        bool mutated = c->storages[b->index].flags & LX_TENSOR_MUTATED;
        return init ? !mutated && !written : mutated || !written;
    }
    case LX_BUFFER_DERIVED: return init || !written;
    default: return !init;
    }
}

static bool map_fits(const code *c, const lx_map *m, bool init) {
    uint64_t item = dtype_of(m->dtype).size, row = m->boxes[0] * item;
    if (m->rank < 1 || m->rank > LX_MAP_RANK || !step_buffer_fits(c, m->buffer, init, false) || m->offset >= c->n_scalars ||
        item < 1 || item > 8 || row % 16 || (m->swizzle && row > m->swizzle) ||
        (m->swizzle && m->swizzle != 32 && m->swizzle != 64 && m->swizzle != 128) || m->tf32 > 1 || (m->tf32 && item != 4))
        return false;
    for (uint32_t d = 0; d < m->rank; d++)
        if (m->sizes[d] >= c->n_scalars || m->strides[d] >= c->n_scalars || m->boxes[d] < 1 || m->boxes[d] > 256 ||
            m->steps[d] < 1 || m->steps[d] > 8)
            return false;
    return true;
}

/* A step that steers: the blocks that follow it lie before `end`, so that blocks nest. */
static bool control_fits(const code *c, const lx_step *s, uint32_t rest, uint32_t *first, uint32_t *second) {
    switch (s->kind) {
    case LX_STEP_READ:
        return s->destination < c->n_symbols && c->symbols[s->destination].source == LX_SOURCE_STEP &&
               step_buffer_fits(c, s->source, false, false) && (s->kernel == 5 || s->kernel == 8 || s->kernel == 12);
    case LX_STEP_SET:
        return s->destination < c->n_symbols && c->symbols[s->destination].source == LX_SOURCE_STEP &&
               s->bytes < c->n_scalars;
    case LX_STEP_CHECK: return s->bytes < c->n_scalars && s->kernel < c->n_assertions;
    case LX_STEP_PRINT: return s->kernel < c->n_assertions;
    case LX_STEP_ALLOCATE:
        return s->destination < c->n_buffers &&
               (c->buffers[s->destination].kind == LX_BUFFER_SLOT || c->buffers[s->destination].kind == LX_BUFFER_OUTPUT);
    case LX_STEP_FUNCTION:
        *first = s->destination;
        return *first <= rest;
    case LX_STEP_AGAIN: {
        /* It ends before this step, so that none runs itself. */
        const lx_step *function = &c->main[s->destination];
        uint32_t at = (uint32_t)(s - c->main);
        return s->destination < at && function->kind == LX_STEP_FUNCTION && function->destination < at - s->destination;
    }
    default: /* LX_STEP_IF, LX_STEP_WHILE */
        *first = s->destination;
        *second = s->kernel;
        return *first <= rest && *second <= rest - *first && step_buffer_fits(c, s->source, false, false);
    }
}

/* Whether a step of a library writes an operand. */
static inline bool routine_writes(const code *c, const lx_step *s, uint32_t operand) {
    if (LX_IS_WATCHED && s->kernel == LX_ROUTINE_HOST) return operand >= u32_of(c, s->detail)[LX_CALL_TENSORS];
    return lx_routines[s->kernel].written >> operand & 1;
}

/* A host's call has the operands that its words say, and a name. The rest of the words is for whoever calls. */
static bool call_fits(const code *c, const lx_step *s) {
    /* An executor that never calls does not look at them. */
    if (!LX_IS_WATCHED) return true;
    if (!span_fits(c, s->detail, 4) || s->detail.count < LX_CALL_HEADER) return false;
    const uint32_t *words = u32_of(c, s->detail), count = s->detail.count;
    uint64_t tensors = words[LX_CALL_TENSORS], results = words[LX_CALL_RESULTS], written = words[LX_CALL_WRITTEN];
    if (tensors + results + written != s->buffers.count || LX_CALL_HEADER + tensors * LX_CALL_TENSOR > count) return false;
    for (uint64_t k = 0; k < tensors; k++)
        if (words[LX_CALL_HEADER + k * LX_CALL_TENSOR + LX_CALL_COPY] > written) return false;
    uint64_t name = words[LX_CALL_NAME];
    return name < count && name + 1 + ((uint64_t)words[name] + 3) / 4 <= count;
}

/* A step of a library has the operands and attributes of its routine, and writes some of the operands alone. */
static bool routine_fits(const code *c, const lx_step *s, bool init) {
    if (s->kernel >= LX_N_ROUTINES) return false;
    const lx_routine *routine = &lx_routines[s->kernel];
    bool as_many = s->buffers.count == routine->operands && s->scalars.count == routine->attributes;
    if (!(s->kernel == LX_ROUTINE_HOST ? call_fits(c, s) : as_many) || s->destination || s->source ||
        s->scratch >= c->n_scalars || !scalars_fit(c, s->scalars) || !span_fits(c, s->buffers, 4))
        return false;
    for (uint32_t k = 0; k < s->buffers.count; k++)
        if (!step_buffer_fits(c, u32_of(c, s->buffers)[k], init, routine_writes(c, s, k))) return false;
    return true;
}

static void note_step(code *c, const lx_step *s) {
    if (s->buffers.count > c->max_step_buffers) c->max_step_buffers = s->buffers.count;
    if (s->scalars.count > c->max_step_scalars) c->max_step_scalars = s->scalars.count;
}

/* Blocks of steps: each lies within the one around it. */
static bool steps_fit(code *c, const lx_step *steps, uint32_t n, bool init, uint32_t depth) {
    if (depth > 200) return false;
    for (uint32_t k = 0; k < n; k++) {
        const lx_step *s = &steps[k];
        if (s->kind == LX_STEP_ROUTINE) {
            if (!routine_fits(c, s, init)) return false;
            note_step(c, s);
            continue;
        }
        if (s->kind > LX_STEP_COPY) {
            uint32_t first = 0, second = 0;
            if (init || s->kind >= LX_N_STEPS || !control_fits(c, s, n - k - 1, &first, &second) ||
                !steps_fit(c, s + 1, first, init, depth + 1) || !steps_fit(c, s + 1 + first, second, init, depth + 1))
                return false;
            k += first + second;
            continue;
        }
        if (s->kind == LX_STEP_COPY) {
            if (s->bytes >= c->n_scalars || s->kernel > (init ? 0 : c->n_scalars) || !step_buffer_fits(c, s->source, init, false) ||
                !step_buffer_fits(c, s->destination, init, true))
                return false;
            continue;
        }
        if (s->kind != LX_STEP_KERNEL || s->kernel >= c->n_kernels || s->tasks >= c->n_scalars ||
            s->grain >= c->n_scalars || s->scratch >= c->n_scalars || !scalars_fit(c, s->scalars) ||
            !span_fits(c, s->buffers, 4))
            return false;
        if (s->bytes && (!step_buffer_fits(c, s->bytes - 1, init, true) || c->buffers[s->bytes - 1].kind != LX_BUFFER_ARENA))
            return false;
        for (uint32_t b = 0; b < s->buffers.count; b++)
            if (!step_buffer_fits(c, u32_of(c, s->buffers)[b], init, false)) return false;
        if (!span_fits(c, s->detail, 8)) return false;
        if (s->destination > c->n_maps || s->source > c->n_maps - s->destination) return false;
        for (uint32_t m = 0; m < s->source; m++)
            if (!map_fits(c, &c->maps[s->destination + m], init)) return false;
        if (s->source > c->max_step_maps) c->max_step_maps = s->source;
        note_step(c, s);
    }
    return true;
}

static bool texts_fit(const code *c, const lx_span *texts, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        if (!text_fits(c, texts[k])) return false;
    return true;
}

static litz_status read_plan(const void *bytes, size_t size, code *c, lx_error error) {
    memset(c, 0, sizeof *c);
    c->base = bytes;
    c->plan = bytes;
    if (!bytes || (uintptr_t)bytes % 8 || size < sizeof(lx_plan) || c->plan->magic != LX_PLAN_MAGIC)
        return fail(error, LITZ_ERROR_PARSE, "these bytes are not a compiled plan");
    const lx_plan *p = c->plan;
    if (p->version != LX_PLAN_VERSION)
        return fail(error, LITZ_ERROR_ABI, "the plan has version %u, this executor reads version %u", p->version,
                    LX_PLAN_VERSION);
    if (p->bytes != size)
        return fail(error, LITZ_ERROR_PARSE, "the plan states %llu bytes, but %zu were given: it is truncated or damaged",
                    (unsigned long long)p->bytes, size);
#define TABLE(field, count_field)                                                     \
    if (!span_fits(c, p->field, sizeof *c->field))                                    \
        return fail(error, LITZ_ERROR_PARSE, "the plan is damaged: bad " #field);     \
    c->field = (const void *)(c->base + p->field.offset);                             \
    c->count_field = p->field.count
    TABLE(symbols, n_symbols);
    TABLE(scalars, n_scalars);
    TABLE(guards, n_guards);
    TABLE(inputs, n_inputs);
    TABLE(outputs, n_outputs);
    if (p->hidden > c->n_outputs) return fail(error, LITZ_ERROR_PARSE, "the plan is damaged: bad hidden outputs");
    c->n_results = c->n_outputs - p->hidden;
    TABLE(storages, n_storages);
    TABLE(constants, n_constants);
    TABLE(buffers, n_buffers);
    TABLE(kernels, n_kernels);
    TABLE(assertions, n_assertions);
    TABLE(init, n_init);
    TABLE(main, n_main);
    TABLE(maps, n_maps);
#undef TABLE
    const char *bad = NULL;
    if (!text_fits(c, p->name) || !text_fits(c, p->metadata)) bad = "name";
    else if (!texts_fit(c, c->kernels, c->n_kernels) || !texts_fit(c, c->assertions, c->n_assertions)) bad = "strings";
    else if (!scalar_program_fits(c)) bad = "scalars";
    else if (!tensors_fit(c, c->inputs, c->n_inputs)) bad = "inputs";
    else if (!outputs_fit(c)) bad = "outputs";
    else if (!symbols_fit(c)) bad = "symbols";
    else if (!storages_fit(c)) bad = "storages";
    else if (!constants_fit(c)) bad = "constants";
    else if (!buffers_fit(c)) bad = "buffers";
    else if (!steps_fit(c, c->init, c->n_init, true, 0)) bad = "init steps";
    else if (!steps_fit(c, c->main, c->n_main, false, 0)) bad = "main steps";
    return bad ? fail(error, LITZ_ERROR_PARSE, "the plan is damaged: bad %s", bad) : LITZ_OK;
}

/* How far a scalar's value can be trusted: a poisoned one overflowed or divided by zero, or depends on one that did.
 * That is an error only where the value is used; the branch not taken of a select may be poisoned. */
enum { SCALAR_FIXED = 1, SCALAR_NEEDED = 2, SCALAR_LATE = 4 };

static bool floor_div(int64_t a, int64_t b, int64_t *q, int64_t *r) {
    if (b == 0 || (a == INT64_MIN && b == -1)) return false;
    *q = a / b;
    *r = a % b;
    if (*r != 0 && ((*r < 0) != (b < 0))) {
        *q -= 1;
        *r += b;
    }
    return true;
}

static double float_of(int64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Python's `%` of floats: the result has the divisor's sign. */
static double float_mod(double a, double b) {
    double r = fmod(a, b);
    if (r == 0) return copysign(0, b);
    return (r < 0) != (b < 0) ? r + b : r;
}

static bool whole_number(double v, int64_t *out) {
    if (!(v >= -9223372036854775808.0 && v < 9223372036854775808.0)) return false;
    *out = (int64_t)v;
    return true;
}

static bool int_pow(int64_t base, int64_t exponent, int64_t *out) {
    int64_t result = 1;
    if (exponent < 0 || exponent > UINT32_MAX) return false;
    for (; exponent; exponent >>= 1) {
        if ((exponent & 1) && __builtin_mul_overflow(result, base, &result)) return false;
        if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) return false;
    }
    *out = result;
    return true;
}

/* A calculation; types/sym/calculate.rs says the same. */
static bool calculate(uint32_t op, int64_t a, int64_t b, int64_t c, int64_t *out) {
    double x = float_of(a), y = float_of(b), r;
    switch (op) {
    case LX_FLOAT: r = (double)a; break;
    case LX_FLOAT_ADD: r = x + y; break;
    case LX_FLOAT_SUB: r = x - y; break;
    case LX_FLOAT_MUL: r = x * y; break;
    case LX_FLOAT_DIV:
        if (y == 0) return false;
        r = x / y;
        break;
    case LX_FLOAT_FLOOR_DIV:
        if (y == 0) return false;
        r = (x - float_mod(x, y)) / y;
        r = r - floor(r) > 0.5 ? floor(r) + 1 : floor(r);
        break;
    case LX_FLOAT_MOD:
        if (y == 0) return false;
        r = float_mod(x, y);
        break;
    case LX_FLOAT_POW: r = pow(x, y); break;
    case LX_FLOAT_MIN: r = y < x ? y : x; break;
    case LX_FLOAT_MAX: r = y > x ? y : x; break;
    case LX_FLOAT_ABS: r = fabs(x); break;
    case LX_FLOAT_SQRT:
        if (x < 0) return false;
        r = sqrt(x);
        break;
    case LX_FLOAT_EXP: r = exp(x); break;
    case LX_FLOAT_LOG:
    case LX_FLOAT_LOG2:
        if (x <= 0) return false;
        r = op == LX_FLOAT_LOG ? log(x) : log2(x);
        break;
    case LX_FLOAT_SIN: r = sin(x); break;
    case LX_FLOAT_COS: r = cos(x); break;
    case LX_FLOAT_TAN: r = tan(x); break;
    case LX_FLOAT_ASIN: r = asin(x); break;
    case LX_FLOAT_ACOS: r = acos(x); break;
    case LX_FLOAT_ATAN: r = atan(x); break;
    case LX_FLOAT_SINH: r = sinh(x); break;
    case LX_FLOAT_COSH: r = cosh(x); break;
    case LX_FLOAT_TANH: r = tanh(x); break;
    case LX_FLOAT_SELECT: *out = a ? b : c; return true;
    case LX_FLOAT_TRUNC: return whole_number(trunc(x), out);
    case LX_FLOAT_FLOOR: return whole_number(floor(x), out);
    case LX_FLOAT_CEIL: return whole_number(ceil(x), out);
    case LX_FLOAT_ROUND: return whole_number(rint(x), out);
    case LX_FLOAT_EQ: *out = x == y; return true;
    case LX_FLOAT_LT: *out = x < y; return true;
    case LX_FLOAT_LE: *out = x <= y; return true;
    case LX_ITSELF: *out = a; return true;
    default: return int_pow(a, b, out); /* LX_INT_POW */
    }
    memcpy(out, &r, sizeof r);
    return true;
}

/* Returns whether the value is good. */
static bool evaluate(const lx_scalar *s, const int64_t *symbols, const int64_t *v, const uint8_t *poison, int64_t *out) {
    if (s->op == LX_CONSTANT) {
        *out = s->value;
        return true;
    }
    if (s->op == LX_SYMBOL) {
        *out = symbols[s->a];
        return true;
    }
    int64_t a = v[s->a], b, q, r;
    bool bad_a = poison[s->a];
    if (s->op == LX_SELECT) {
        uint32_t chosen = a ? s->b : s->c;
        *out = v[chosen];
        return !bad_a && !poison[chosen];
    }
    if (s->op == LX_AND || s->op == LX_OR) {
        /* One operand may decide what the other, which cannot be known here, is about: `the index fits, or nothing is read`. */
        bool decisive = s->op == LX_OR, bad_b = poison[s->b];
        b = v[s->b];
        *out = (!bad_a && !!a == decisive) || (!bad_b && !!b == decisive) ? decisive : !decisive;
        return *out == decisive || (!bad_a && !bad_b);
    }
    if (bad_a) return false;
    if (s->op == LX_NOT) {
        *out = !a;
        return true;
    }
    b = v[s->b];
    if (poison[s->b]) return false;
    if (s->op > LX_SELECT) return !poison[s->c] && calculate(s->op, a, b, v[s->c], out);
    switch (s->op) {
    case LX_ADD: return !__builtin_add_overflow(a, b, out);
    case LX_SUB: return !__builtin_sub_overflow(a, b, out);
    case LX_MUL: return !__builtin_mul_overflow(a, b, out);
    case LX_FLOOR_DIV:
        if (!floor_div(a, b, &q, &r)) return false;
        *out = q;
        return true;
    case LX_MOD:
        if (b == -1) {
            *out = 0;
            return true;
        }
        if (!floor_div(a, b, &q, &r)) return false;
        *out = r;
        return true;
    case LX_MIN: *out = a < b ? a : b; return true;
    case LX_MAX: *out = a > b ? a : b; return true;
    case LX_EQ: *out = a == b; return true;
    case LX_LT: *out = a < b; return true;
    default: *out = a <= b; return true; /* LX_LE */
    }
}
