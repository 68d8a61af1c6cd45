/* The interface: instances, their constants, and runs. */
#include "bind.c"

#define IDLE_FRAMES 32

struct lx_instance {
    shared *shared;
    /* Runs hold it shared, or alone when they change constants; updates hold it alone. */
    pthread_rwlock_t lock;
    void **constants; /* each constant's data now */
    block **owned;    /* and the block it lies in; NULL: the program's own data */
    block *derived;
    pthread_mutex_t frames_lock;
    frame *frames;
    uint32_t n_frames;
};

static frame *frame_take(lx_instance *self) {
    pthread_mutex_lock(&self->frames_lock);
    frame *f = self->frames;
    if (f) {
        self->frames = f->next;
        self->n_frames--;
    }
    pthread_mutex_unlock(&self->frames_lock);
    return f ? f : frame_new(self->shared);
}

static void frame_give(lx_instance *self, frame *f) {
    pthread_mutex_lock(&self->frames_lock);
    bool keep = self->n_frames < IDLE_FRAMES;
    if (keep) {
        f->next = self->frames;
        self->frames = f;
        self->n_frames++;
    }
    pthread_mutex_unlock(&self->frames_lock);
    if (!keep) frame_release(self->shared, f);
}

/* ---- running steps ---- */

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

static litz_status run_kernel(const shared *s, frame *f, const lx_step *step, const litz_run_options *o, lx_error e) {
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
            else if (bytes > 0)
                memcpy(f->buffers[step->destination], f->buffers[step->source], (size_t)bytes);
        }
        if (status) return status;
    }
    return LITZ_OK;
}

/* Points every buffer at its memory. That each lies inside it is seen here, so that a wrong plan ends in an error. */
static litz_status place_buffers(const shared *s, frame *f, void *const *constants, const block *derived, bool init,
                                 lx_error e) {
    static uint64_t nothing[LX_ALIGNMENT / 8] __attribute__((aligned(64))); /* where empty buffers point */
    const code *c = &s->code;
    uint64_t arena = 0;
    if (!init && c->plan->arena_bytes != LX_NONE) {
        int64_t bytes = f->scalars[c->plan->arena_bytes];
        if (bytes < 0) return fail(e, LITZ_ERROR_INTERNAL, "the arena would have %lld bytes", (long long)bytes);
        arena = (uint64_t)bytes;
        if (arena && !reserve(&s->host, &f->arena, arena)) return no_memory(e, "intermediate results", arena);
    }
    for (uint32_t k = 0; k < c->n_buffers; k++) {
        const lx_buffer *b = &c->buffers[k];
        if (init && b->kind != LX_BUFFER_CONSTANT && b->kind != LX_BUFFER_DERIVED) continue;
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
        case LX_BUFFER_CONSTANT:
            data = constants[b->index];
            room = c->constants[b->index].bytes;
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
        f->buffers[k] = data ? data : (uint8_t *)nothing;
        f->sizes[k] = (uint64_t)bytes;
    }
    return LITZ_OK;
}

/* ---- making and ending instances ---- */

static void note_needed(shared *s) {
    const code *c = &s->code;
    uint8_t *notes = s->notes;
    for (uint32_t k = 0; k < c->n_guards; k++) notes[c->guards[k].scalar] |= SCALAR_NEEDED;
    for (uint32_t k = 0; k < c->n_inputs + c->n_outputs; k++) {
        const lx_tensor *t = k < c->n_inputs ? &c->inputs[k] : &c->outputs[k - c->n_inputs];
        for (uint32_t d = 0; d < t->shape.count; d++) {
            notes[u32_of(c, t->shape)[d]] |= SCALAR_NEEDED;
            notes[u32_of(c, t->strides)[d]] |= SCALAR_NEEDED;
        }
    }
    for (uint32_t k = 0; k < c->n_buffers; k++) {
        notes[c->buffers[k].bytes] |= SCALAR_NEEDED;
        if (c->buffers[k].kind == LX_BUFFER_ARENA) notes[c->buffers[k].index] |= SCALAR_NEEDED;
    }
    if (c->plan->arena_bytes != LX_NONE) notes[c->plan->arena_bytes] |= SCALAR_NEEDED;
    for (uint32_t k = 0; k < c->n_init + c->n_main; k++) {
        const lx_step *step = k < c->n_init ? &c->init[k] : &c->main[k - c->n_init];
        if (step->kind == LX_STEP_COPY) {
            notes[step->bytes] |= SCALAR_NEEDED;
            continue;
        }
        notes[step->tasks] |= SCALAR_NEEDED;
        notes[step->grain] |= SCALAR_NEEDED;
        notes[step->scratch] |= SCALAR_NEEDED;
        for (uint32_t n = 0; n < step->scalars.count; n++) notes[u32_of(c, step->scalars)[n]] |= SCALAR_NEEDED;
    }
}

/* Values that depend on no symbol are worked out once. */
static litz_status fix_scalars(shared *s, lx_error e) {
    const code *c = &s->code;
    for (uint32_t k = 0; k < c->n_scalars; k++) {
        const lx_scalar *op = &c->scalars[k];
        bool fixed = op->op != LX_SYMBOL;
        if (op->op >= LX_ADD) fixed = fixed && (s->notes[op->a] & SCALAR_FIXED);
        if (op->op >= LX_ADD && op->op != LX_NOT) fixed = fixed && (s->notes[op->b] & SCALAR_FIXED);
        if (op->op == LX_SELECT) fixed = fixed && (s->notes[op->c] & SCALAR_FIXED);
        if (!fixed) {
            s->varying[s->n_varying++] = k;
            continue;
        }
        s->notes[k] |= SCALAR_FIXED;
        s->poison[k] = !evaluate(op, NULL, s->scalars, s->poison, &s->scalars[k]);
        if (s->poison[k] && (s->notes[k] & SCALAR_NEEDED))
            return fail(e, LITZ_ERROR_SHAPE, "a size of this program does not fit into 64 bits, or divides by 0");
    }
    for (uint32_t k = 0; k < c->n_init; k++) {
        const lx_step *step = &c->init[k];
        bool fixed = true;
        if (step->kind == LX_STEP_COPY) {
            fixed = s->notes[step->bytes] & SCALAR_FIXED;
        } else {
            fixed = s->notes[step->tasks] & s->notes[step->grain] & s->notes[step->scratch] & SCALAR_FIXED;
            for (uint32_t n = 0; n < step->scalars.count; n++)
                fixed = fixed && (s->notes[u32_of(c, step->scalars)[n]] & SCALAR_FIXED);
        }
        if (!fixed) return fail(e, LITZ_ERROR_PARSE, "the plan is damaged: init step %u depends on a run's sizes", k);
    }
    for (uint32_t k = 0; k < c->n_buffers; k++)
        if ((c->buffers[k].kind == LX_BUFFER_CONSTANT || c->buffers[k].kind == LX_BUFFER_DERIVED) &&
            !(s->notes[c->buffers[k].bytes] & SCALAR_FIXED))
            return fail(e, LITZ_ERROR_PARSE, "the plan is damaged: the size of buffer %u depends on a run's sizes", k);
    return LITZ_OK;
}

static void shared_release(shared *s) {
    if (!s || atomic_fetch_sub(&s->references, 1) != 1) return;
    free(s->scalars);
    free(s->poison);
    free(s->notes);
    free(s->varying);
    free(s->constant_strides);
    free(s->constant_strides_at);
    free(s);
}

static litz_status shared_fill(shared *s, lx_error e) {
    code *c = &s->code;
    size_t n = c->n_scalars + 1u, n_dims = 1;
    for (uint32_t k = 0; k < c->n_inputs; k++) s->n_input_dims += c->inputs[k].shape.count;
    for (uint32_t k = 0; k < c->n_outputs; k++) s->n_output_dims += c->outputs[k].shape.count;
    for (uint32_t k = 0; k < c->n_constants; k++) n_dims += c->constants[k].shape.count;
    s->scalars = calloc(n, sizeof *s->scalars);
    s->poison = calloc(n, 1);
    s->notes = calloc(n, 1);
    s->varying = calloc(n, sizeof *s->varying);
    s->constant_strides = calloc(n_dims, sizeof *s->constant_strides);
    s->constant_strides_at = calloc(c->n_constants + 1u, sizeof *s->constant_strides_at);
    if (!s->scalars || !s->poison || !s->notes || !s->varying || !s->constant_strides || !s->constant_strides_at)
        return no_memory(e, "a program's tables", n * 24);
    uint32_t at = 0;
    for (uint32_t k = 0; k < c->n_constants; k++) {
        int32_t rank = (int32_t)c->constants[k].shape.count;
        s->constant_strides_at[k] = at;
        if (!contiguous_strides(rank, i64_of(c, c->constants[k].shape), s->constant_strides + at))
            return fail(e, LITZ_ERROR_SHAPE, "constant `%s` does not fit into memory", text_of(c, c->constants[k].name));
        at += (uint32_t)rank;
    }
    note_needed(s);
    return fix_scalars(s, e);
}

static litz_status permit_amx(lx_error e) {
#if defined(__x86_64__)
    /* ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA */
    if (syscall(SYS_arch_prctl, 0x1023, 18) == 0) return LITZ_OK;
#endif
    return fail(e, LITZ_ERROR_UNSUPPORTED, "the program uses AMX tiles, which this machine or its kernel does not permit");
}

static litz_status shared_new(const lx_program *program, const lx_host *host, shared **out, lx_error e) {
    static const char *const isa_names[] = {"scalar", "avx2", "avx512"};
    if (!program || (!program->kernels && program->plan_bytes == 0))
        return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "no program was given");
    if (program->isa > LX_ISA_AVX512 || !lx_cpu_supports(program->isa))
        return fail(e, LITZ_ERROR_UNSUPPORTED,
                    "the program was compiled for the instruction set %s, which this CPU does not have; compile it with "
                    "option cpu.isa set to what it has",
                    program->isa > LX_ISA_AVX512 ? "of an unknown CPU" : isa_names[program->isa]);
    shared *s = calloc(1, sizeof *s);
    if (!s) return no_memory(e, "a program", sizeof *s);
    atomic_init(&s->references, 1);
    s->program = *program;
    if (host) s->host = *host;
    litz_status status = LITZ_OK;
    if (!s->host.allocate != !s->host.release)
        status = fail(e, LITZ_ERROR_INVALID_ARGUMENT, "the host gives one of allocate and release, but not the other");
    s->threads = s->host.threads > 0 ? s->host.threads : count_cpus();
    if (s->threads > POOL_MAX_THREADS) s->threads = POOL_MAX_THREADS;
    if (!status) status = read_plan(program->plan, program->plan_bytes, &s->code, e);
    if (!status && s->code.n_kernels && !program->kernels)
        status = fail(e, LITZ_ERROR_INVALID_ARGUMENT, "the program's kernels are missing");
    for (uint32_t k = 0; !status && k < s->code.n_kernels; k++)
        if (!program->kernels[k])
            status = fail(e, LITZ_ERROR_INVALID_ARGUMENT, "kernel `%s` is missing", text_of(&s->code, s->code.kernels[k]));
    if (!status && !program->constants && s->code.weights_bytes &&
        (!program->weights || program->weights_bytes < s->code.weights_bytes))
        status = fail(e, LITZ_ERROR_PARSE, "the program's constants take %llu bytes, but the weights have %llu",
                      (unsigned long long)s->code.weights_bytes, (unsigned long long)program->weights_bytes);
    if (!status && (program->flags & LX_PROGRAM_AMX)) status = permit_amx(e);
    if (!status) status = shared_fill(s, e);
    if (status) shared_release(s);
    else *out = s;
    return status;
}

static lx_instance *instance_new(shared *s) {
    lx_instance *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->constants = calloc(s->code.n_constants + 1u, sizeof *self->constants);
    self->owned = calloc(s->code.n_constants + 1u, sizeof *self->owned);
    if (!self->constants || !self->owned) {
        free(self->constants);
        free(self->owned);
        free(self);
        return NULL;
    }
    self->shared = s;
    atomic_fetch_add(&s->references, 1);
    pthread_mutex_init(&self->frames_lock, NULL);
    pthread_rwlockattr_t fair;
    pthread_rwlockattr_init(&fair);
    /* An update would otherwise wait for ever while many threads keep running. */
    pthread_rwlockattr_setkind_np(&fair, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&self->lock, &fair);
    pthread_rwlockattr_destroy(&fair);
    pool_enter();
    return self;
}

void lx_destroy(lx_instance *self) {
    if (!self) return;
    shared *s = self->shared;
    while (self->frames) {
        frame *gone = self->frames;
        self->frames = gone->next;
        frame_release(s, gone);
    }
    for (uint32_t k = 0; k < s->code.n_constants; k++) block_release(&s->host, self->owned[k]);
    block_release(&s->host, self->derived);
    pthread_mutex_destroy(&self->frames_lock);
    pthread_rwlock_destroy(&self->lock);
    free(self->constants);
    free(self->owned);
    free(self);
    shared_release(s);
    pool_leave();
}

/* Runs `init` over the constants given, into a new block. */
static litz_status derive(lx_instance *self, void *const *constants, block **out, lx_error e) {
    shared *s = self->shared;
    const code *c = &s->code;
    *out = NULL;
    if (!c->plan->derived_bytes && !c->n_init) return LITZ_OK;
    block *derived = block_new(&s->host, c->plan->derived_bytes);
    if (!derived) return no_memory(e, "what is derived from constants", c->plan->derived_bytes);
    /* Padding that no kernel writes is the same in every process. */
    memset(derived->memory.data, 0, (size_t)c->plan->derived_bytes);
    frame *f = frame_take(self);
    litz_status status = f ? LITZ_OK : no_memory(e, "a run's tables", sizeof *f);
    if (!status) status = place_buffers(s, f, constants, derived, true, e);
    if (!status) status = run_steps(s, f, c->init, c->n_init, NULL, e);
    if (f) frame_give(self, f);
    if (status) block_release(&s->host, derived);
    else *out = derived;
    return status;
}

static bool own_copy(lx_instance *self, uint32_t k, const void *data) {
    shared *s = self->shared;
    uint64_t bytes = s->code.constants[k].bytes;
    block *b = block_new(&s->host, bytes);
    if (!b) return false;
    if (bytes) memcpy(b->memory.data, data, (size_t)bytes);
    self->owned[k] = b;
    self->constants[k] = b->memory.data;
    return true;
}

litz_status lx_create(const lx_program *program, const lx_host *host, lx_instance **out, char *error, size_t error_size) {
    lx_error e = {error, error_size};
    shared *s = NULL;
    litz_status status = shared_new(program, host, &s, e);
    if (status) return status;
    lx_instance *self = instance_new(s);
    shared_release(s); /* the instance holds it now */
    if (!self) return no_memory(e, "an instance", sizeof *self);
    for (uint32_t k = 0; !status && k < s->code.n_constants; k++) {
        const lx_constant_info *t = &s->code.constants[k];
        const void *data = program->constants ? program->constants[k] : (const uint8_t *)program->weights + t->offset;
        if (!data && t->bytes) {
            status = fail(e, LITZ_ERROR_INVALID_ARGUMENT, "constant `%s` has no data", text_of(&s->code, t->name));
        } else if (t->flags & LX_TENSOR_MUTATED) {
            if (!own_copy(self, k, data)) status = no_memory(e, "a constant", t->bytes);
        } else {
            self->constants[k] = (void *)(uintptr_t)data;
        }
    }
    if (!status) status = derive(self, self->constants, &self->derived, e);
    if (status) lx_destroy(self);
    else *out = self;
    return status;
}

litz_status lx_clone(lx_instance *self, lx_instance **out, char *error, size_t error_size) {
    lx_error e = {error, error_size};
    shared *s = self->shared;
    lx_instance *made = instance_new(s);
    if (!made) return no_memory(e, "an instance", sizeof *made);
    litz_status status = LITZ_OK;
    pthread_rwlock_rdlock(&self->lock);
    for (uint32_t k = 0; !status && k < s->code.n_constants; k++) {
        if (s->code.constants[k].flags & LX_TENSOR_MUTATED) {
            if (!own_copy(made, k, self->constants[k])) status = no_memory(e, "a constant", s->code.constants[k].bytes);
            continue;
        }
        made->constants[k] = self->constants[k];
        if ((made->owned[k] = self->owned[k])) atomic_fetch_add(&made->owned[k]->references, 1);
    }
    if ((made->derived = self->derived)) atomic_fetch_add(&made->derived->references, 1);
    pthread_rwlock_unlock(&self->lock);
    if (status) lx_destroy(made);
    else *out = made;
    return status;
}

/* ---- runs ---- */

static litz_status check_options(const litz_run_options *o, lx_error e) {
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
    if (o->device_index != 0)
        return fail(e, LITZ_ERROR_DEVICE, "run options: device_index is %d, but the CPU's only index is 0", o->device_index);
    return LITZ_OK;
}

typedef struct run_request {
    const DLTensor *const *inputs, *const *outputs;
    size_t n_inputs, n_outputs;
    lx_output_fn allocate; /* not NULL: it gives the outputs' memory */
    void *allocate_context;
    const litz_run_options *options;
} run_request;

static litz_status allocate_outputs(const code *c, frame *f, const run_request *r, lx_error e) {
    for (uint32_t k = 0; k < c->n_outputs; k++) {
        bound_output *b = &f->outputs[k];
        b->data = r->allocate(r->allocate_context, k, b->bytes, (int32_t)c->outputs[k].shape.count, b->shape, b->strides);
        if (!b->data) return no_memory(e, "an output", b->bytes);
    }
    return LITZ_OK;
}

static litz_status run_in_frame(lx_instance *self, frame *f, const run_request *r, lx_error e) {
    const shared *s = self->shared;
    const code *c = &s->code;
    litz_status status = bind_sizes(s, f, r->inputs, r->n_inputs, e);
    if (!status) status = bind_data(s, f, r->inputs, e);
    if (!status) status = size_outputs(c, f, e);
    if (!status) status = r->allocate ? allocate_outputs(c, f, r, e) : bind_outputs(s, f, r->outputs, e);
    if (!status) status = place_buffers(s, f, self->constants, self->derived, false, e);
    if (!status) status = run_steps(s, f, c->main, c->n_main, r->options, e);
    if (!status) write_back(c, f);
    return status;
}

static litz_status run(lx_instance *self, const run_request *r, lx_error e) {
    litz_status status = check_options(r->options, e);
    if (status) return status;
    const code *c = &self->shared->code;
    status = check_outputs_count(c, r->allocate ? (const void *)self : r->outputs, r->n_outputs, e);
    if (status) return status;
    if (c->mutates_constants) pthread_rwlock_wrlock(&self->lock);
    else pthread_rwlock_rdlock(&self->lock);
    frame *f = frame_take(self);
    if (f) {
        status = run_in_frame(self, f, r, e);
        frame_give(self, f);
    } else {
        status = no_memory(e, "a run's tables", sizeof *f);
    }
    pthread_rwlock_unlock(&self->lock);
    if (!status && r->options && r->options->next_offset) *r->options->next_offset = r->options->offset;
    return status;
}

litz_status lx_run(lx_instance *self, const DLTensor *const *inputs, size_t n_inputs, const DLTensor *const *outputs,
                   size_t n_outputs, const litz_run_options *options, char *error, size_t error_size) {
    run_request r = {inputs, outputs, n_inputs, n_outputs, NULL, NULL, options};
    return run(self, &r, (lx_error){error, error_size});
}

litz_status lx_run_allocating(lx_instance *self, const DLTensor *const *inputs, size_t n_inputs, lx_output_fn allocate,
                              void *allocate_context, size_t n_outputs, const litz_run_options *options, char *error,
                              size_t error_size) {
    run_request r = {inputs, NULL, n_inputs, n_outputs, allocate, allocate_context, options};
    return run(self, &r, (lx_error){error, error_size});
}

litz_status lx_infer_outputs(lx_instance *self, const DLTensor *const *inputs, size_t n_inputs, DLTensor *outputs,
                             size_t n_outputs, char *error, size_t error_size) {
    lx_error e = {error, error_size};
    const code *c = &self->shared->code;
    litz_status status = check_outputs_count(c, outputs, n_outputs, e);
    if (status) return status;
    frame *f = frame_take(self);
    if (!f) return no_memory(e, "a run's tables", sizeof *f);
    status = bind_sizes(self->shared, f, inputs, n_inputs, e);
    if (!status) status = size_outputs(c, f, e);
    for (uint32_t k = 0; !status && k < c->n_outputs; k++)
        if (c->outputs[k].shape.count && (!outputs[k].shape || !outputs[k].strides))
            status = SAY(e, LITZ_ERROR_INVALID_ARGUMENT, "output", k, text_of(c, c->outputs[k].name),
                         "its shape and strides must point to arrays of %u numbers", (unsigned)c->outputs[k].shape.count);
    for (uint32_t k = 0; !status && k < c->n_outputs; k++) {
        uint32_t rank = c->outputs[k].shape.count;
        outputs[k].dtype = dl_of(dtype_of(c->outputs[k].dtype));
        outputs[k].device = (DLDevice){kDLCPU, 0};
        outputs[k].ndim = (int32_t)rank;
        for (uint32_t d = 0; d < rank; d++) {
            outputs[k].shape[d] = f->outputs[k].shape[d];
            outputs[k].strides[d] = f->outputs[k].strides[d];
        }
    }
    frame_give(self, f);
    return status;
}

litz_status lx_synchronize(lx_instance *self, char *error, size_t error_size) {
    /* Every run on the CPU has ended when its call returns. */
    (void)self, (void)error, (void)error_size;
    return LITZ_OK;
}

/* ---- constants ---- */

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

int lx_cpu_supports(uint32_t isa) {
    if (isa == LX_ISA_SCALAR) return 1;
#if defined(__x86_64__)
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                __builtin_cpu_supports("bmi2");
    if (isa == LX_ISA_AVX2) return avx2;
    if (isa == LX_ISA_AVX512)
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    return 0;
}
