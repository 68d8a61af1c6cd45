/*
 * What instances share, and a frame: the memory of one run, kept for the next. Memory only grows, so that a run with
 * the sizes of an earlier one allocates nothing.
 */
#include "internal.h"

#include <sys/mman.h>

typedef struct memory {
    void *data;
    uint64_t capacity;
    uint32_t kind; /* LX_MEMORY_... */
} memory;

/* A block that several instances may hold; what is derived from constants may be held by several programs. */
typedef struct block {
    _Atomic int32_t references;
    memory memory;
    uint64_t hash; /* of its content, once it is in the process's table */
    const void *place; /* the device that it lies on; NULL: the CPU */
    bool listed;
    struct block *next; /* there */
} block;

/* What init makes, piece by piece (derived.c). */
typedef struct derivation {
    uint32_t n_pieces;
    uint32_t *piece_of;   /* by buffer; LX_NONE: not derived */
    uint32_t *first;      /* by piece: the step of init that names it first, and so writes it */
    uint64_t *bytes;      /* by piece */
    uint8_t *kept;        /* by piece: runs use it */
    uint8_t *goes_on;     /* by step of init: what it writes was begun by another */
    uint8_t *asserts;     /* by step of init: it runs for what it asserts, nothing reads its results */
    uint32_t *last_use;   /* by storage: the last step of init that reads it, LX_NONE: none does */
    uint8_t *read_by_runs; /* by storage */
} derivation;

/* What became of runs on a GPU: of a program, and of the process. */
typedef struct graph_counts {
    _Atomic uint64_t recorded, replayed, patched, eager;
} graph_counts;

typedef struct shared {
    _Atomic int32_t references;
    code code;
    lx_program program;
    device *device; /* NULL: the CPU */
    struct vendor_library *libraries[LX_N_LIBRARIES]; /* NULL: no step needs it */
    const struct linalg *linalg; /* NULL: no step needs it */
    struct routine_choice *choices; /* of each step; NULL: nothing is timed */
    lx_host host;
    int32_t threads;    /* 0: as many as the process's pool */
    derivation derived;
    int64_t *scalars;   /* values of those that depend on no symbol */
    uint8_t *poison;
    uint8_t *notes;     /* SCALAR_... */
    uint32_t *varying;  /* those that depend on a symbol of the inputs alone, in order */
    uint32_t *late;     /* those that depend on a symbol that a step gives, in order */
    uint32_t n_varying, n_late;
    uint32_t n_input_dims, n_output_dims;
    graph_counts graphs;
} shared;

/* Of an executor without the GPU's part the compiler sees that this is false, and drops what only a GPU needs. */
static inline bool on_gpu(const shared *s) { return LX_HAS_GPU && s->device; }
static inline bool copies_host_tensors(const shared *s) { return on_gpu(s) && s->program.flags & LX_PROGRAM_HOST_TENSORS; }
static inline bool is_profiled(const shared *s) { return LX_IS_WATCHED && s->host.profiled; }
static inline bool is_observed(const shared *s) { return LX_IS_WATCHED && s->program.observe; }

typedef struct bound_input {
    uint8_t *given, *data; /* the caller's first element, and the memory that kernels read */
    uint64_t bytes;        /* of `data` */
    const int64_t *shape, *given_strides;
    int64_t *strides, *own_strides; /* what kernels expect; room for strides that were given as NULL */
    interval memory;
    bool copied;
    bool on_host, pinned; /* the caller's lies in the host's memory, and the program's on a GPU; in pinned memory */
} bound_input;

typedef struct bound_output {
    uint8_t *given, *data; /* `data` of a view: NULL until its base is computed */
    uint64_t bytes, shown_bytes;  /* of `data`; from the first element to the last as a run gives it */
    int64_t *shape, *strides, *own_strides;
    int64_t *shown; /* the strides that a run gives it; `strides`: those of `data` */
    const int64_t *given_strides;
    interval memory;
    bool on_host, pinned;
    bool copied, late; /* late: its size is known, and its memory given, once a step has run */
} bound_output;

typedef struct scratch {
    struct scratch *next;
    uint64_t capacity;
    uint8_t *data;
} scratch;

typedef struct encoded_map {
    map_key key;
    bool encoded;
    _Alignas(64) uint64_t words[16];
} encoded_map;

typedef struct frame {
    struct frame *next;
    uint64_t bytes; /* of this block */
    int64_t *symbols, *scalars;
    uint64_t seed, offset; /* the random state that the run starts from */
    uint8_t *poison;
    void **buffers;
    uint64_t *sizes;
    void **arguments, **parameters;
    uint64_t *argument_sizes;
    int64_t *values;
    bound_input *inputs;
    bound_output *outputs;
    uint8_t *known; /* each symbol that a step gives: whether it has */
    memory *slots;
    memory arena;
    memory workspace; /* of routines */
    struct routine_state **routines; /* of each step, those that init takes first; NULL until it has run */
    memory semaphores; /* where blocks of kernels count: zero between runs */
    memory *copies; /* one for each tensor that has to be copied, in the order in which they turn up */
    uint32_t n_copies, copies_room;
    /* On a GPU: the stream of this run or of the last one, what marks its end, and where kernels report assertions. */
    cu_stream stream;
    uint64_t stream_id;
    cu_event done;
    encoded_map *maps; /* one for each of the plan */
    int32_t *failure;
    bool in_flight;
    bool follows; /* while a run has the frame: an earlier run's work may be ahead of it; under the instance's lock */
    struct staging *staging; /* what tensors from and to the host go through in this run; NULL: there are none */
    bool copies_directly;    /* results go to pinned memory of the host's, which nobody waits for */
    bool gives_to_host;      /* the memory that the caller gives for this run's results is the host's */
    uint8_t *uploaded;       /* each input from the host: whether it was */
    uint8_t *marked;         /* each output: whether the event of this number says that it is final */
    cu_event *marks;         /* NULL: not made yet */
    struct arena *lent; /* instead of `arena`: the process's, for this run */
    void **placed;      /* what the last run's buffers were placed by: storages, inputs, outputs, derived constants, arena */
    uint64_t *placed_sizes; /* of inputs and outputs */
    bool is_placed, same_place; /* `placed` is known; this run's is the same */
    struct recording *recordings, *latest; /* the one that the last run replayed; NULL: none, or it is gone */
    uint32_t n_recordings;
    uint64_t runs, step, place; /* runs so far; the host's step, and which run of it this is */
    uint64_t seen[32];          /* hashes of the sizes of earlier runs */
    uint8_t *staged;            /* inputs that are copied to memory that stays: many kernels read them, or a library */
    uint8_t *staged_outputs;    /* outputs that are copied from memory that stays: a library writes them */
    /* The run ends early when what `cancels` points at is no longer `began`; NULL: it cannot be ended. */
    const _Atomic uint64_t *cancels;
    uint64_t began;
    uint32_t depth; /* of the functions that run */
    bool may_overlap; /* the program is a form for inputs that share memory */
    struct profile *profile; /* NULL: no run was timed */
    bool profiling;          /* this run is */
    consumed consumed;       /* pages that the step of init at hand drops */
    pthread_mutex_t scratch_lock;
    scratch *scratch; /* those that no thread uses now */
} frame;

/* Whether some of a run's tensors travel between the host's memory and the GPU. */
static inline bool transfers(const shared *s, const frame *f) { return on_gpu(s) && f->staging; }

/* Whether somebody asked for the end of this run since it began. */
static inline bool is_cancelled(const frame *f) {
    return f->cancels && atomic_load_explicit(f->cancels, memory_order_relaxed) != f->began;
}

static litz_status cancelled(lx_error e) {
    return fail(e, LITZ_ERROR_CANCELLED, "the run was cancelled; the program, its constants and its inputs are as they were before it");
}

#define HUGE_FROM (4u << 20)

/* Large blocks are asked for in huge pages: fewer faults when they are first written, fewer misses afterwards. */
static void *own_allocate(size_t size) {
    void *data = aligned_alloc(LX_ALIGNMENT, size);
    if (data && size >= HUGE_FROM) {
        uintptr_t begin = ((uintptr_t)data + 4095) & ~(uintptr_t)4095, end = ((uintptr_t)data + size) & ~(uintptr_t)4095;
        madvise((void *)begin, end - begin, MADV_HUGEPAGE); /* advice: what becomes of it does not matter */
    }
    return data;
}

/* Gives pages of a file that was mapped privately and never written back; what is read of them later is read from the file. */
static void forget_pages(void *data, uint64_t bytes) {
    uintptr_t begin = ((uintptr_t)data + 4095) & ~(uintptr_t)4095, end = ((uintptr_t)data + (uintptr_t)bytes) & ~(uintptr_t)4095;
    if (begin < end) madvise((void *)begin, end - begin, MADV_DONTNEED); /* advice, too */
}

static void *host_allocate(const lx_host *host, uint32_t kind, uint64_t bytes) {
    if (bytes > (uint64_t)INT64_MAX - LX_ALIGNMENT) return NULL;
    size_t size = (size_t)((bytes + LX_ALIGNMENT - 1) / LX_ALIGNMENT * LX_ALIGNMENT);
    if (!size) size = LX_ALIGNMENT;
    return host->allocate ? host->allocate(host->context, kind, size, LX_ALIGNMENT) : own_allocate(size);
}

static void host_release(const lx_host *host, uint32_t kind, void *data, uint64_t bytes) {
    if (!data) return;
    size_t size = (size_t)((bytes + LX_ALIGNMENT - 1) / LX_ALIGNMENT * LX_ALIGNMENT);
    if (!size) size = LX_ALIGNMENT;
    if (host->allocate) host->release(host->context, kind, data, size, LX_ALIGNMENT);
    else free(data);
}

/* Memory that kernels work on: the device's, in the order of a stream, or the host's. */
static void data_release(const shared *s, memory *m, cu_stream stream) {
    if (on_gpu(s)) device_free(s->device, m->data, stream);
    else host_release(&s->host, m->kind, m->data, m->capacity);
}

static bool reserve(const shared *s, memory *m, uint64_t bytes, cu_stream stream) {
    if (m->data && m->capacity >= bytes) return true;
    data_release(s, m, stream);
    m->data = on_gpu(s) ? device_allocate(s->device, bytes, stream) : host_allocate(&s->host, m->kind, bytes);
    m->capacity = m->data ? bytes : 0;
    return m->data != NULL;
}

static cu_stream own_stream(const shared *s) { return on_gpu(s) ? s->device->stream : NULL; }

/* Around everything that touches a device. */
static litz_status enter_device(const shared *s, lx_error e) {
    if (!on_gpu(s)) return LITZ_OK;
    litz_status status = device_usable(s->device->process, e);
    return status ? status : context_push(s->device, e);
}
/* To give back what lies there: a device that is lost takes it, too, but a fork's child must not ask. */
static bool enter_to_release(const shared *s) {
    if (!on_gpu(s)) return true;
    return !driver_forked() && !context_push(s->device, (lx_error){NULL, 0});
}
static void leave_device(const shared *s) {
    if (on_gpu(s)) context_pop(s->device);
}

/* Copies bytes between memories that kernels work on, or between one and the host's; finished when it returns. */
static litz_status data_copy(const shared *s, void *to, const void *from, uint64_t bytes, lx_error e) {
    if (!on_gpu(s)) {
        if (bytes) memcpy(to, from, (size_t)bytes);
        return LITZ_OK;
    }
    litz_status status = device_copy(s->device, to, from, bytes, s->device->stream, e);
    return status ? status : device_wait(s->device, s->device->stream, e);
}

static block *block_new(const shared *s, uint32_t kind, uint64_t bytes) {
    block *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->memory.kind = kind;
    if (!reserve(s, &b->memory, bytes, own_stream(s))) {
        free(b);
        return NULL;
    }
    atomic_init(&b->references, 1);
    return b;
}

static void block_release(const shared *s, block *b);

static block *block_hold(block *b) {
    if (b) atomic_fetch_add(&b->references, 1);
    return b;
}

/* Takes `bytes` at a multiple of 8 from a block whose size is being counted (base NULL) or filled. */
static void *carve(uint8_t *base, uint64_t *at, uint64_t count, uint64_t item) {
    uint64_t here = (*at + 7) / 8 * 8;
    *at = here + count * item;
    return base ? base + here : NULL;
}

static uint64_t frame_layout(const shared *s, frame *f, uint8_t *base) {
    const code *c = &s->code;
    uint64_t at = sizeof(frame);
    f->symbols = carve(base, &at, c->n_symbols, 8);
    f->scalars = carve(base, &at, c->n_scalars, 8);
    f->poison = carve(base, &at, c->n_scalars, 1);
    f->known = carve(base, &at, c->n_symbols, 1);
    f->slots = carve(base, &at, c->n_slots, sizeof(memory));
    f->buffers = carve(base, &at, c->n_buffers, sizeof(void *));
    f->sizes = carve(base, &at, c->n_buffers, 8);
    f->routines = carve(base, &at, on_gpu(s) ? c->n_init + (uint64_t)c->n_main : 0, sizeof(struct routine_state *));
    uint64_t tensors = c->n_inputs + (uint64_t)c->n_outputs;
    f->placed = carve(base, &at, on_gpu(s) ? c->n_storages + tensors + 1 + s->derived.n_pieces : 0, sizeof(void *));
    f->placed_sizes = carve(base, &at, on_gpu(s) ? tensors : 0, 8);
    f->staged = carve(base, &at, on_gpu(s) ? c->n_inputs : 0, 1);
    f->staged_outputs = carve(base, &at, on_gpu(s) ? c->n_outputs : 0, 1);
    bool hosts = copies_host_tensors(s);
    f->uploaded = carve(base, &at, hosts ? c->n_inputs : 0, 1);
    f->marked = carve(base, &at, hosts ? c->n_outputs : 0, 1);
    f->marks = carve(base, &at, hosts ? c->n_outputs : 0, sizeof(cu_event));
    f->arguments = carve(base, &at, c->max_step_buffers, sizeof(void *));
    f->parameters =
        carve(base, &at, c->max_step_buffers + (uint64_t)c->max_step_maps + c->max_step_scalars + 1, sizeof(void *));
    at = (at + 63) / 64 * 64; /* the frame itself is aligned to LX_ALIGNMENT */
    f->maps = carve(base, &at, on_gpu(s) ? c->n_maps : 0, sizeof(encoded_map));
    f->argument_sizes = carve(base, &at, c->max_step_buffers, 8);
    f->values = carve(base, &at, c->max_step_scalars, 8);
    f->inputs = carve(base, &at, c->n_inputs, sizeof(bound_input));
    f->outputs = carve(base, &at, c->n_outputs, sizeof(bound_output));
    int64_t *dims = carve(base, &at, 2 * (uint64_t)s->n_input_dims + 4 * (uint64_t)s->n_output_dims, 8);
    for (uint32_t k = 0; base && k < c->n_inputs; k++) {
        f->inputs[k].strides = dims;
        f->inputs[k].own_strides = dims + c->inputs[k].shape.count;
        dims += 2 * (uint64_t)c->inputs[k].shape.count;
    }
    for (uint32_t k = 0; base && k < c->n_outputs; k++) {
        f->outputs[k].shape = dims;
        f->outputs[k].strides = dims + c->outputs[k].shape.count;
        f->outputs[k].own_strides = dims + 2 * (uint64_t)c->outputs[k].shape.count;
        f->outputs[k].shown = dims + 3 * (uint64_t)c->outputs[k].shape.count;
        dims += 4 * (uint64_t)c->outputs[k].shape.count;
    }
    return at;
}

static void frame_release(const shared *s, frame *f);
static bool device_frame(const shared *s, frame *f);
static void routine_release(const shared *s, struct routine_state *state);
static void drop_recordings(const shared *s, frame *f);
static bool make_semaphores(const shared *s, frame *f);
static void profile_release(const shared *s, frame *f);

static frame *frame_new(const shared *s) {
    frame measure;
    uint64_t bytes = frame_layout(s, &measure, NULL);
    frame *f = host_allocate(&s->host, LX_MEMORY_FRAMES, bytes);
    if (!f) return NULL;
    memset(f, 0, bytes);
    f->bytes = bytes;
    f->arena.kind = LX_MEMORY_ARENAS;
    frame_layout(s, f, (uint8_t *)f);
    for (uint32_t k = 0; k < s->code.n_slots; k++) f->slots[k].kind = LX_MEMORY_ARENAS;
    memcpy(f->scalars, s->scalars, s->code.n_scalars * sizeof *f->scalars);
    memcpy(f->poison, s->poison, s->code.n_scalars);
    pthread_mutex_init(&f->scratch_lock, NULL);
    if ((on_gpu(s) && !device_frame(s, f)) || !make_semaphores(s, f)) {
        frame_release(s, f);
        return NULL;
    }
    return f;
}

/* The end of what buffers of semaphores take; their sizes are fixed. */
static uint64_t ticket_bytes(const shared *s) {
    const code *c = &s->code;
    uint64_t end = 0;
    for (uint32_t k = 0; k < c->n_buffers; k++) {
        const lx_buffer *b = &c->buffers[k];
        if (b->kind != LX_BUFFER_SEMAPHORES) continue;
        int64_t bytes = s->scalars[b->bytes];
        if (bytes > 0 && bytes <= (int64_t)LX_MOST_SEMAPHORES && b->offset + (uint64_t)bytes > end) end = b->offset + (uint64_t)bytes;
    }
    return end;
}

/* A run that follows on another stream finds them zero: this waits. */
static bool make_semaphores(const shared *s, frame *f) {
    uint64_t bytes = ticket_bytes(s);
    lx_error e = {NULL, 0};
    if (!bytes) return true;
    if (!reserve(s, &f->semaphores, bytes, own_stream(s))) return false;
    if (!on_gpu(s)) {
        memset(f->semaphores.data, 0, bytes);
        return true;
    }
    return !device_clear(s->device, f->semaphores.data, bytes, e) && !device_wait(s->device, s->device->stream, e);
}

static bool device_frame(const shared *s, frame *f) {
    const driver *d = s->device->driver;
    f->stream = s->device->stream;
    if (d->event_create(&f->done, CU_EVENT_DISABLE_TIMING)) f->done = NULL;
    if (d->host_allocate((void **)&f->failure, sizeof *f->failure, CU_HOST_PORTABLE_AND_MAPPED)) f->failure = NULL;
    if (f->failure) *f->failure = 0;
    return f->done && f->failure;
}

static void frame_release(const shared *s, frame *f) {
    const lx_host *host = &s->host;
    bool ask = on_gpu(s) && !driver_forked();
    if (ask && f->in_flight) s->device->driver->event_synchronize(f->done);
    data_release(s, &f->arena, own_stream(s));
    data_release(s, &f->workspace, own_stream(s));
    for (uint32_t k = 0; on_gpu(s) && k < s->code.n_init + s->code.n_main; k++) routine_release(s, f->routines[k]);
    data_release(s, &f->semaphores, own_stream(s));
    for (uint32_t k = 0; k < s->code.n_slots; k++) data_release(s, &f->slots[k], own_stream(s));
    for (uint32_t k = 0; k < f->copies_room; k++) data_release(s, &f->copies[k], own_stream(s));
    drop_recordings(s, f);
    if (LX_IS_WATCHED) profile_release(s, f);
    for (uint32_t k = 0; ask && copies_host_tensors(s) && k < s->code.n_outputs; k++)
        if (f->marks[k]) s->device->driver->event_destroy(f->marks[k]);
    if (ask && f->done) s->device->driver->event_destroy(f->done);
    if (ask && f->failure) s->device->driver->host_free(f->failure);
    free(f->copies);
    while (f->scratch) {
        scratch *gone = f->scratch;
        f->scratch = gone->next;
        host_release(host, LX_MEMORY_FRAMES, gone->data, gone->capacity);
        free(gone);
    }
    pthread_mutex_destroy(&f->scratch_lock);
    host_release(host, LX_MEMORY_FRAMES, f, f->bytes);
}

/* Memory for the next copied tensor of this run. */
static uint8_t *copy_memory(const shared *s, frame *f, uint64_t bytes) {
    if (f->n_copies == f->copies_room) {
        uint32_t room = f->copies_room ? 2 * f->copies_room : 4;
        memory *grown = realloc(f->copies, room * sizeof *grown);
        if (!grown) return NULL;
        memset(grown + f->copies_room, 0, (room - f->copies_room) * sizeof *grown);
        f->copies = grown;
        f->copies_room = room;
    }
    memory *m = &f->copies[f->n_copies];
    if (!reserve(s, m, bytes, f->stream)) return NULL;
    f->n_copies++;
    return m->data;
}

static scratch *scratch_take(const shared *s, frame *f, uint64_t bytes) {
    pthread_mutex_lock(&f->scratch_lock);
    scratch *taken = f->scratch;
    if (taken) f->scratch = taken->next;
    pthread_mutex_unlock(&f->scratch_lock);
    if (!taken && !(taken = calloc(1, sizeof *taken))) return NULL;
    memory m = {taken->data, taken->capacity, LX_MEMORY_FRAMES};
    bool enough = reserve(s, &m, bytes, NULL);
    taken->data = m.data;
    taken->capacity = m.capacity;
    if (enough) return taken;
    free(taken);
    return NULL;
}

static void scratch_give(frame *f, scratch *given) {
    pthread_mutex_lock(&f->scratch_lock);
    given->next = f->scratch;
    f->scratch = given;
    pthread_mutex_unlock(&f->scratch_lock);
}
