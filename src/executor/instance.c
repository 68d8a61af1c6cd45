/* Programs and their instances: made, copied and ended. */
#include "internal.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define IDLE_FRAMES 32

struct lx_instance {
    shared *shared;
    /* Runs hold it shared, or alone when they change constants; updates hold it alone. */
    pthread_rwlock_t lock;
    void **storages; /* each storage's data now */
    block **owned;    /* and the block it lies in; NULL: the program's own data */
    block **derived; /* by piece (derived.c) */
    _Atomic uint64_t cancels; /* how often the end of its runs was asked for */
    _Atomic uint64_t begun;   /* how many of its runs came to their first step */
    pthread_mutex_t frames_lock;
    frame *frames;  /* idle ones; the work of asynchronous runs may still be ahead of them */
    frame *running; /* those that runs have taken */
    uint32_t n_frames; /* idle */
    _Atomic uint32_t generation; /* of the process in which the locks are known to be sound */
    lx_instance *next, **link;   /* among all */
    pthread_mutex_t elsewhere_lock;
    lx_instance **elsewhere; /* the program on other GPUs, by their index, as runs asked for them */
};

/* Every instance, to drop what they keep. */
static lx_instance *instances;

static void list_instance(lx_instance *self) {
    pthread_mutex_lock(&registry);
    self->next = instances;
    self->link = &instances;
    if (self->next) self->next->link = &self->next;
    instances = self;
    pthread_mutex_unlock(&registry);
}

static void unlist_instance(lx_instance *self) {
    pthread_mutex_lock(&registry);
    *self->link = self->next;
    if (self->next) self->next->link = self->link;
    pthread_mutex_unlock(&registry);
}

static void locks_init(lx_instance *self) {
    pthread_mutex_init(&self->elsewhere_lock, NULL);
    pthread_mutex_init(&self->frames_lock, NULL);
    pthread_rwlockattr_t fair;
    pthread_rwlockattr_init(&fair);
    /* An update would otherwise wait for ever while many threads keep running. */
    pthread_rwlockattr_setkind_np(&fair, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&self->lock, &fair);
    pthread_rwlockattr_destroy(&fair);
}

/* In a fork's child only the forking thread lives on: an instance that another one was using at that moment stays
 * locked for ever. Whoever is first here in the child finds out, before it would wait for a thread that is not there. */
static litz_status adopt(lx_instance *self, lx_error e) {
    pthread_mutex_lock(&pool.lock);
    uint32_t now = atomic_load(&pool.generation);
    bool sound = atomic_load(&self->generation) == now;
    if (!sound && pthread_rwlock_trywrlock(&self->lock) == 0) {
        sound = pthread_mutex_trylock(&self->frames_lock) == 0;
        if (sound) {
            locks_init(self); /* nobody holds them or waits for them in this process */
            atomic_store(&self->generation, now);
        } else {
            pthread_rwlock_unlock(&self->lock);
        }
    }
    pthread_mutex_unlock(&pool.lock);
    if (sound) return LITZ_OK;
    return fail(e, LITZ_ERROR_STATE,
                "this process was forked while another thread used the program, which cannot be used here; compile or open "
                "it again in this process");
}

/* To be called before an instance's locks are taken. */
static inline litz_status enter(lx_instance *self, lx_error e) {
    if (atomic_load_explicit(&self->generation, memory_order_acquire) ==
        atomic_load_explicit(&pool.generation, memory_order_relaxed))
        return LITZ_OK;
    return adopt(self, e);
}

static frame *frame_take(lx_instance *self) {
    pthread_mutex_lock(&self->frames_lock);
    frame *f = self->frames;
    if (f) {
        self->frames = f->next;
        self->n_frames--;
    } else {
        /* The host's allocator and the device take their time, and may be used by others meanwhile. */
        pthread_mutex_unlock(&self->frames_lock);
        if (!(f = frame_new(self->shared))) return NULL;
        pthread_mutex_lock(&self->frames_lock);
    }
    f->follows = f->in_flight;
    f->next = self->running;
    self->running = f;
    pthread_mutex_unlock(&self->frames_lock);
    return f;
}

/* A frame whose asynchronous run has not been waited for, as a run would take it; NULL: there is none. */
static frame *frame_in_flight(lx_instance *self) {
    pthread_mutex_lock(&self->frames_lock);
    frame **at = &self->frames, *f;
    while ((f = *at) && !f->in_flight) at = &f->next;
    if (f) {
        *at = f->next;
        self->n_frames--;
        f->follows = true;
        f->next = self->running;
        self->running = f;
    }
    pthread_mutex_unlock(&self->frames_lock);
    return f;
}

static void frame_give(lx_instance *self, frame *f) {
    pthread_mutex_lock(&self->frames_lock);
    frame **at = &self->running;
    while (*at != f) at = &(*at)->next;
    *at = f->next;
    bool keep = self->n_frames < IDLE_FRAMES;
    if (keep) {
        f->next = self->frames;
        self->frames = f;
        self->n_frames++;
    }
    pthread_mutex_unlock(&self->frames_lock);
    if (!keep) frame_release(self->shared, f);
}

/* Waits for asynchronous runs, which may still read or change constants; what went wrong in them is for lx_synchronize to
 * say. No run begins meanwhile where the caller holds the lock alone. */
static litz_status wait_in_flight(lx_instance *self, lx_error e) {
    const shared *s = self->shared;
    if (!on_gpu(s)) return LITZ_OK;
    cu_result code = 0;
    pthread_mutex_lock(&self->frames_lock);
    for (frame *f = self->frames; f && !code; f = f->next)
        if (f->in_flight) code = s->device->driver->event_synchronize(f->done);
    /* Others wait for these. */
    for (frame *f = self->running; f && !code; f = f->next)
        if (f->follows) code = s->device->driver->event_synchronize(f->done);
    pthread_mutex_unlock(&self->frames_lock);
    return code ? device_fail(s->device, code, "a run", e) : LITZ_OK;
}

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
        for (uint32_t d = 0; d < t->packed.count; d++) notes[u32_of(c, t->packed)[d]] |= SCALAR_NEEDED;
        if (t->view) notes[t->offset] |= SCALAR_NEEDED;
    }
    for (uint32_t k = 0; k < c->n_buffers; k++) {
        notes[c->buffers[k].bytes] |= SCALAR_NEEDED;
        if (c->buffers[k].kind == LX_BUFFER_ARENA) notes[c->buffers[k].index] |= SCALAR_NEEDED;
    }
    if (c->plan->next_offset != LX_NONE) notes[c->plan->next_offset] |= SCALAR_NEEDED;
    if (c->plan->arena_bytes != LX_NONE) notes[c->plan->arena_bytes] |= SCALAR_NEEDED;
    for (uint32_t k = 0; k < c->n_init + c->n_main; k++) {
        const lx_step *step = k < c->n_init ? &c->init[k] : &c->main[k - c->n_init];
        switch (step->kind) {
        case LX_STEP_COPY:
            if (step->kernel) notes[step->kernel - 1] |= SCALAR_NEEDED;
            __attribute__((fallthrough));
        case LX_STEP_SET:
        case LX_STEP_CHECK: notes[step->bytes] |= SCALAR_NEEDED; break;
        case LX_STEP_KERNEL:
            notes[step->tasks] |= SCALAR_NEEDED;
            notes[step->grain] |= SCALAR_NEEDED;
            notes[step->scratch] |= SCALAR_NEEDED;
            __attribute__((fallthrough));
        case LX_STEP_ROUTINE:
            for (uint32_t n = 0; n < step->scalars.count; n++) notes[u32_of(c, step->scalars)[n]] |= SCALAR_NEEDED;
            for (uint32_t n = 0; n < step->source; n++) {
                const lx_map *map = &c->maps[step->destination + n];
                notes[map->offset] |= SCALAR_NEEDED;
                for (uint32_t d = 0; d < map->rank; d++) {
                    notes[map->sizes[d]] |= SCALAR_NEEDED;
                    notes[map->strides[d]] |= SCALAR_NEEDED;
                }
            }
            break;
        default: break;
        }
    }
}

/* What a run must know before its first step depends on no later one. */
static bool late_fits(const shared *s) {
    const code *c = &s->code;
    const uint8_t *notes = s->notes;
    for (uint32_t k = 0; k < c->n_guards; k++)
        if (notes[c->guards[k].scalar] & SCALAR_LATE) return false;
    for (uint32_t k = 0; k < c->n_inputs; k++)
        for (uint32_t d = 0; d < c->inputs[k].shape.count; d++)
            if ((notes[u32_of(c, c->inputs[k].shape)[d]] | notes[u32_of(c, c->inputs[k].strides)[d]]) & SCALAR_LATE) return false;
    for (uint32_t k = 0; k < c->n_buffers; k++) {
        const lx_buffer *b = &c->buffers[k];
        bool may_be = b->kind == LX_BUFFER_SLOT || b->kind == LX_BUFFER_OUTPUT;
        if (!may_be && (notes[b->bytes] & SCALAR_LATE)) return false;
        if (b->kind == LX_BUFFER_ARENA && (notes[b->index] & SCALAR_LATE)) return false;
    }
    return c->plan->arena_bytes == LX_NONE || !(notes[c->plan->arena_bytes] & SCALAR_LATE);
}

/* Values that depend on no symbol are worked out once. */
static litz_status fix_scalars(shared *s, lx_error e) {
    const code *c = &s->code;
    for (uint32_t k = 0; k < c->n_scalars; k++) {
        const lx_scalar *op = &c->scalars[k];
        bool fixed = op->op != LX_SYMBOL;
        if (op->op >= LX_ADD) fixed = fixed && (s->notes[op->a] & SCALAR_FIXED);
        if (op->op >= LX_ADD && op->op != LX_NOT) fixed = fixed && (s->notes[op->b] & SCALAR_FIXED);
        if (op->op >= LX_SELECT) fixed = fixed && (s->notes[op->c] & SCALAR_FIXED);
        bool late = op->op == LX_SYMBOL && c->symbols[op->a].source == LX_SOURCE_STEP;
        if (op->op >= LX_ADD) late = late || (s->notes[op->a] & SCALAR_LATE);
        if (op->op >= LX_ADD && op->op != LX_NOT) late = late || (s->notes[op->b] & SCALAR_LATE);
        if (op->op >= LX_SELECT) late = late || (s->notes[op->c] & SCALAR_LATE);
        if (late) {
            s->notes[k] |= SCALAR_LATE;
            s->late[s->n_late++] = k;
            continue;
        }
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
            if (step->kind == LX_STEP_KERNEL)
                fixed = s->notes[step->tasks] & s->notes[step->grain] & s->notes[step->scratch] & SCALAR_FIXED;
            for (uint32_t n = 0; n < step->scalars.count; n++)
                fixed = fixed && (s->notes[u32_of(c, step->scalars)[n]] & SCALAR_FIXED);
            for (uint32_t n = 0; n < step->source; n++) {
                const lx_map *map = &c->maps[step->destination + n];
                fixed = fixed && (s->notes[map->offset] & SCALAR_FIXED);
                for (uint32_t m = 0; m < map->rank; m++)
                    fixed = fixed && (s->notes[map->sizes[m]] & s->notes[map->strides[m]] & SCALAR_FIXED);
            }
        }
        if (!fixed) return fail(e, LITZ_ERROR_PARSE, "the plan is damaged: init step %u depends on a run's sizes", k);
    }
    if (!late_fits(s)) return fail(e, LITZ_ERROR_PARSE, "the plan is damaged: it needs a size before a step gives it");
    for (uint32_t k = 0; k < c->n_buffers; k++)
        if ((c->buffers[k].kind == LX_BUFFER_STORAGE || c->buffers[k].kind == LX_BUFFER_DERIVED ||
             c->buffers[k].kind == LX_BUFFER_SEMAPHORES) &&
            !(s->notes[c->buffers[k].bytes] & SCALAR_FIXED))
            return fail(e, LITZ_ERROR_PARSE, "the plan is damaged: the size of buffer %u depends on a run's sizes", k);
    return LITZ_OK;
}

static void shared_release(shared *s) {
    if (!s || atomic_fetch_sub(&s->references, 1) != 1) return;
    if (on_gpu(s)) device_close(s->device);
    derivation_release(&s->derived);
    free(s->scalars);
    free(s->poison);
    free(s->notes);
    free(s->varying);
    free(s->late);
    free(s->choices);
    free(s);
}

static litz_status shared_fill(shared *s, lx_error e) {
    code *c = &s->code;
    size_t n = c->n_scalars + 1u;
    for (uint32_t k = 0; k < c->n_inputs; k++) s->n_input_dims += c->inputs[k].shape.count;
    for (uint32_t k = 0; k < c->n_outputs; k++) s->n_output_dims += c->outputs[k].shape.count;
    s->scalars = calloc(n, sizeof *s->scalars);
    s->poison = calloc(n, 1);
    s->notes = calloc(n, 1);
    s->varying = calloc(n, sizeof *s->varying);
    s->late = calloc(n, sizeof *s->late);
    if (!s->scalars || !s->poison || !s->notes || !s->varying || !s->late)
        return no_memory(e, "a program's tables", n * 24);
    note_needed(s);
    litz_status status = fix_scalars(s, e);
    return status ? status : derivation_fill(s, e);
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
    s->threads = s->host.threads > 0 ? s->host.threads : 0;
    if (s->threads > POOL_MAX_THREADS) s->threads = POOL_MAX_THREADS;
    if (!status) status = read_plan(program->plan, program->plan_bytes, &s->code, e);
    bool cuda = program->flags & LX_PROGRAM_CUDA;
    if (!status && s->code.n_kernels && !program->kernels && !cuda)
        status = fail(e, LITZ_ERROR_INVALID_ARGUMENT, "the program's kernels are missing");
    for (uint32_t k = 0; !status && !cuda && k < s->code.n_kernels; k++)
        if (!program->kernels[k])
            status = fail(e, LITZ_ERROR_INVALID_ARGUMENT, "kernel `%s` is missing", text_of(&s->code, s->code.kernels[k]));
    if (!status && !program->constants && s->code.weights_bytes &&
        (!program->weights || program->weights_bytes < s->code.weights_bytes))
        status = fail(e, LITZ_ERROR_PARSE, "the program's constants take %llu bytes, but the weights have %llu",
                      (unsigned long long)s->code.weights_bytes, (unsigned long long)program->weights_bytes);
    if (!status && (program->flags & LX_PROGRAM_AMX)) status = permit_amx(e);
    if (!status) status = shared_fill(s, e);
    if (!status && cuda)
        status = LX_HAS_GPU ? device_open(program, &s->code, &s->device, e)
                            : fail(e, LITZ_ERROR_UNSUPPORTED, "the program is for a GPU, and this executor for CPUs alone");
    if (!status) status = open_libraries(s, e);
    if (status) shared_release(s);
    else *out = s;
    return status;
}

static lx_instance *instance_new(shared *s) {
    lx_instance *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->storages = calloc(s->code.n_storages + 1u, sizeof *self->storages);
    self->owned = calloc(s->code.n_storages + 1u, sizeof *self->owned);
    self->derived = calloc(s->derived.n_pieces + 1u, sizeof *self->derived);
    if (!self->storages || !self->owned || !self->derived) {
        free(self->storages);
        free(self->owned);
        free(self->derived);
        free(self);
        return NULL;
    }
    self->shared = s;
    atomic_fetch_add(&s->references, 1);
    locks_init(self);
    pool_enter();
    atomic_init(&self->generation, atomic_load(&pool.generation));
    list_instance(self);
    return self;
}

/* Ends the program on other GPUs; no run is in progress there. */
static void drop_elsewhere(lx_instance *self) {
    for (int32_t k = 0; self->elsewhere && k < MOST_DEVICES; k++) lx_destroy(self->elsewhere[k]);
    free(self->elsewhere);
    self->elsewhere = NULL;
}

static void release_pieces(const shared *s, block **pieces) {
    for (uint32_t p = 0; p < s->derived.n_pieces; p++) {
        block_release(s, pieces[p]);
        pieces[p] = NULL;
    }
}

void lx_destroy(lx_instance *self) {
    if (!self) return;
    shared *s = self->shared;
    unlist_instance(self);
    drop_elsewhere(self);
    bool entered = enter_to_release(s);
    while (self->frames) {
        frame *gone = self->frames;
        self->frames = gone->next;
        frame_release(s, gone);
    }
    for (uint32_t k = 0; k < s->code.n_storages; k++) block_release(s, self->owned[k]);
    release_pieces(s, self->derived);
    if (entered) leave_device(s);
    pthread_mutex_destroy(&self->frames_lock);
    pthread_mutex_destroy(&self->elsewhere_lock);
    pthread_rwlock_destroy(&self->lock);
    free(self->storages);
    free(self->owned);
    free(self->derived);
    free(self);
    shared_release(s);
    pool_leave();
}

/* Makes what depends on the storages that changed (NULL: on any) out of their data, and holds the rest of the instance's pieces. */
static litz_status derive(lx_instance *self, void *const *storages, const uint8_t *changed, block **made, lx_error e) {
    shared *s = self->shared;
    if (!s->derived.n_pieces) return LITZ_OK;
    litz_status status = LITZ_OK;
    frame *f = frame_take(self);
    if (!f) return no_memory(e, "a run's tables", sizeof *f);
    f->cancels = NULL;
    if (on_gpu(s)) status = begin_run(s, f, NULL, e);
    if (!status) status = place_buffers(s, f, storages, NULL, true, e);
    if (!status) status = derive_pieces(s, f, changed, self->derived, made, e);
    if (on_gpu(s)) {
        litz_status ended = end_run(s, f, NULL, status, e);
        if (!status && ended) release_pieces(s, made);
        status = ended;
    }
    frame_give(self, f);
    return status;
}

static litz_status own_copy(lx_instance *self, uint32_t k, const void *data, lx_error e) {
    shared *s = self->shared;
    uint64_t bytes = s->code.storages[k].bytes;
    block *b = block_new(s, LX_MEMORY_WEIGHTS, bytes);
    if (!b) return no_room(s, bytes, "a constant", e);
    self->owned[k] = b;
    self->storages[k] = b->memory.data;
    return data_copy(s, b->memory.data, data, bytes, e);
}

/* A GPU's copy of a constant that no run changes: one for all programs of the process. */
static litz_status shared_copy(lx_instance *self, uint32_t k, const void *data, lx_error e) {
    shared *s = self->shared;
    uint64_t bytes = s->code.storages[k].bytes, hash;
    if (bytes < COMMON_FROM) return own_copy(self, k, data, e);
    litz_status status = sample_hash(s, data, true, bytes, &hash, e);
    if (!status) status = common_find(s, data, true, bytes, hash, &self->owned[k], e);
    if (status) return status;
    if (self->owned[k]) {
        self->storages[k] = self->owned[k]->memory.data;
        return LITZ_OK;
    }
    status = own_copy(self, k, data, e);
    if (!status) common_add(s, self->owned[k], hash);
    return status;
}

/* What nobody reads again, now that all is made of it. An observer may want to see it. */
static void drop_frozen(lx_instance *self) {
    const shared *s = self->shared;
    for (uint32_t k = 0; k < s->code.n_storages && !s->program.observe; k++) {
        if (!(s->code.storages[k].flags & LX_STORAGE_FROZEN) || s->derived.read_by_runs[k]) continue;
        block_release(s, self->owned[k]);
        self->owned[k] = NULL;
        self->storages[k] = NULL;
    }
}

litz_status lx_create(const lx_program *program, const lx_host *host, lx_instance **out, char *error, size_t error_size) {
    lx_error e = {error, error_size};
    shared *s = NULL;
    litz_status status = shared_new(program, host, &s, e);
    if (status) return status;
    lx_instance *self = instance_new(s);
    shared_release(s); /* the instance holds it now */
    if (!self) return no_memory(e, "an instance", sizeof *self);
    status = enter_device(s, e);
    bool entered = !status;
    for (uint32_t k = 0; !status && k < s->code.n_storages; k++) {
        const lx_storage *t = &s->code.storages[k];
        const void *data = program->constants ? program->constants[k] : (const uint8_t *)program->weights + t->offset;
        if (!data && t->bytes) {
            status = fail(e, LITZ_ERROR_INVALID_ARGUMENT, "storage %u of the constants has no data", (unsigned)k);
        } else if (t->flags & LX_TENSOR_MUTATED || on_gpu(s)) {
            status = t->flags & LX_TENSOR_MUTATED ? own_copy(self, k, data, e) : shared_copy(self, k, data, e);
            if (program->mapped && program->mapped[k]) forget_pages((void *)(uintptr_t)data, t->bytes);
        } else {
            self->storages[k] = (void *)(uintptr_t)data;
        }
    }
    if (!status) status = derive(self, self->storages, NULL, self->derived, e);
    if (!status) drop_frozen(self);
    if (entered) leave_device(s);
    if (status) lx_destroy(self);
    else *out = self;
    return status;
}

int lx_let_go(lx_instance *self, size_t k) {
    shared *s = self->shared;
    if (k >= s->code.n_storages) return 0;
    if (!self->storages[k]) return 1; /* frozen */
    if (self->owned[k] || !can_recover(s, self->derived, (uint32_t)k, self->storages[k])) return 0;
    self->storages[k] = NULL;
    return 1;
}

void lx_move_storage(lx_instance *self, size_t k, const void *to) {
    if (k < self->shared->code.n_storages && self->storages[k] && !self->owned[k]) self->storages[k] = (void *)(uintptr_t)to;
}

/* What a storage holds now. One that was let go is worked out into a block, which is the caller's to release. */
static litz_status storage_now(lx_instance *self, uint32_t k, const void **data, block **made, lx_error e) {
    const shared *s = self->shared;
    *made = NULL;
    *data = self->storages[k];
    const lx_storage *t = &s->code.storages[k];
    if (!LX_IS_WATCHED || *data || !t->bytes || t->flags & LX_STORAGE_FROZEN) return LITZ_OK;
    litz_status status = recover(s, self->derived, k, made, e);
    if (!status) *data = (*made)->memory.data;
    return status;
}

/* The program on another GPU, with constants as they are here when it is first asked for. The caller holds the lock. */
static litz_status find_elsewhere(lx_instance *self, int32_t device, lx_instance **out, lx_error e) {
    const shared *s = self->shared;
    if (device < 0 || device >= MOST_DEVICES)
        return fail(e, LITZ_ERROR_DEVICE, "run options: there is no CUDA device %d", (int)device);
    litz_status status = LITZ_OK;
    pthread_mutex_lock(&self->elsewhere_lock);
    if (!self->elsewhere && !(self->elsewhere = calloc(MOST_DEVICES, sizeof *self->elsewhere)))
        status = no_memory(e, "a table of devices", MOST_DEVICES * sizeof *self->elsewhere);
    if (!status && !self->elsewhere[device]) {
        lx_program program = s->program;
        uint32_t n = s->code.n_storages;
        void **values = calloc(n + 1u, sizeof *values);
        if (!values) status = no_memory(e, "the constants of another device", n * sizeof *values);
        if (!status) status = enter_device(s, e);
        bool entered = !status;
        if (!status) status = wait_in_flight(self, e);
        for (uint32_t k = 0; !status && k < n; k++) {
            uint64_t bytes = s->code.storages[k].bytes;
            if (!self->storages[k] && bytes)
                status = fail(e, LITZ_ERROR_UNSUPPORTED,
                              "run options: the program was compiled with freeze=true, and has no constants for another device");
            else if (!(values[k] = malloc(bytes ? bytes : 1))) status = no_memory(e, "a constant", bytes);
            else status = data_copy(s, values[k], self->storages[k], bytes, e);
        }
        if (entered) leave_device(s);
        program.constants = (const void *const *)values;
        program.device_index = device;
        if (!status) status = lx_create(&program, &s->host, &self->elsewhere[device], e.text, e.size);
        for (uint32_t k = 0; values && k < n; k++) free(values[k]);
        free(values);
    }
    *out = status ? NULL : self->elsewhere[device];
    pthread_mutex_unlock(&self->elsewhere_lock);
    return status;
}

litz_status lx_clone(lx_instance *self, lx_instance **out, char *error, size_t error_size) {
    lx_error e = {error, error_size};
    shared *s = self->shared;
    lx_instance *made = instance_new(s);
    if (!made) return no_memory(e, "an instance", sizeof *made);
    litz_status status = enter(self, e);
    if (status) {
        lx_destroy(made);
        return status;
    }
    status = enter_device(s, e);
    if (status) {
        lx_destroy(made);
        return status;
    }
    pthread_rwlock_rdlock(&self->lock);
    status = wait_in_flight(self, e);
    for (uint32_t k = 0; !status && k < s->code.n_storages; k++) {
        if (s->code.storages[k].flags & LX_TENSOR_MUTATED) {
            status = own_copy(made, k, self->storages[k], e);
            continue;
        }
        made->storages[k] = self->storages[k];
        made->owned[k] = block_hold(self->owned[k]);
    }
    for (uint32_t p = 0; p < s->derived.n_pieces; p++) made->derived[p] = block_hold(self->derived[p]);
    pthread_rwlock_unlock(&self->lock);
    leave_device(s);
    if (status) lx_destroy(made);
    else *out = made;
    return status;
}

#if defined(__x86_64__)
/* What x86-64-v3 has beside AVX2, FMA and BMI: F16C, MOVBE and LZCNT. Older compilers have no names for these. */
static bool has_rest_of_v3(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c >> 29 & 1) && (c >> 22 & 1) && __get_cpuid(0x80000001u, &a, &b, &c, &d) &&
           (c >> 5 & 1);
}
#endif

int lx_cpu_supports(uint32_t isa) {
    if (isa == LX_ISA_SCALAR) return 1;
#if defined(__x86_64__)
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                __builtin_cpu_supports("bmi2") && has_rest_of_v3();
    if (isa == LX_ISA_AVX2) return avx2;
    if (isa == LX_ISA_AVX512)
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    return 0;
}
