/*
 * A GPU as the process and a program hold it. The device's primary context is used, which the host's other CUDA code
 * shares; kernels are functions of cubins.
 *
 * A kernel's fault ends the context for everybody in the process: it is reported once by the call that meets it, and
 * every later one says that the device is lost.
 */
#include "internal.h"

#define MOST_DEVICES 64
#define ROUTINE_USES (1u << 16)

/* Memory for the intermediate results of one run at a time; see cuda_memory.c. */
typedef struct arena {
    struct arena *next;
    cu_pointer data;
    uint64_t bytes;
    cu_stream stream; /* that it was last used on */
    uint64_t stream_id;
    cu_event done;    /* the end of that use, where it may be ahead */
    const void *user; /* who used it last, and finds it at the same address again */
    bool busy, pending;
} arena;

/* A result's memory that came back, for the next result of as many bytes on the process's own stream. */
typedef struct kept {
    struct kept *next;
    cu_pointer data;
    uint64_t bytes;
} kept;

enum { KEPT_LISTS = 64, MOST_KEPT = 4096 };

/* What the process holds of each device for good: a stream outlives the memory that is freed in its order. */
typedef struct opened_device {
    const driver *driver;
    int32_t index;
    int number; /* the driver's own name of the device */
    cu_context context;
    cu_stream stream; /* runs without a stream of the host's */
    cu_pool pool;
    _Atomic bool ready;
    _Atomic int lost; /* the driver's code for a fault that ended the context */
    pthread_mutex_t arenas_lock;
    arena *arenas;
    kept *kept[KEPT_LISTS]; /* under the same lock, by a hash of their bytes */
    uint64_t kept_bytes;
    uint32_t n_kept;
    _Atomic uint64_t lent_bytes, most_lent; /* by results of runs on the process's own stream: now, and at most so far */
    struct staging *stagings; /* under the same lock */
    _Atomic uint64_t pinned;  /* bytes of the host's memory that they hold */
} opened_device;

/* What a program for a GPU holds of it. */
typedef struct device {
    const driver *driver;
    opened_device *process;
    int32_t index;
    cu_context context;
    cu_stream stream; /* the process's own */
    cu_module *modules;
    uint32_t n_modules;
    cu_function *kernels;  /* one for each kernel of the plan */
    _Atomic unsigned *shared_most; /* the bytes of shared memory that each may take, as far as it was told */
    cu_function copy_strided, fill;
    uint32_t *input_uses;   /* how many steps of a run read each input; of a library's routine one counts as ROUTINE_USES */
    uint8_t *output_is_a_routines; /* outputs that a library's routine writes */
    /* For tensors in the host's memory; steps of blocks count as the one that steers them. */
    uint32_t *input_first;  /* the step that uses each input first; LX_NONE: none does */
    uint32_t *output_last;  /* the one that uses each output last; LX_NONE: none does */
    uint32_t *output_order; /* outputs as they become final */
    const char *unrecorded; /* why runs are not recorded as graphs; NULL: they are */
} device;

/* Errors after which the context takes no more work: faults of kernels and of the hardware. */
static bool ends_context(cu_result code) {
    return code == 214 || code == 220 || code == 700 || code == 702 || code == 709 || code == 710 ||
           (code >= 714 && code <= 719);
}

static litz_status device_fail(const device *v, cu_result code, const char *what, lx_error e) {
    int none = 0;
    litz_status status = cuda_fail(v->driver, code, what, e);
    if (!ends_context(code) || !atomic_compare_exchange_strong(&v->process->lost, &none, code)) return status;
    if (e.text && e.size) {
        size_t at = strlen(e.text);
        snprintf(e.text + at, e.size - at,
                 "; a kernel of this process made CUDA device %d unusable until the process ends, for other CUDA code, too: "
                 "start it again, under compute-sanitizer to see which access was wrong",
                 (int)v->index);
    }
    return status;
}

/* Before work is given to a device. */
static litz_status device_usable(const opened_device *o, lx_error e) {
    if (driver_forked()) return fail_forked(e);
    int lost = atomic_load_explicit(&o->lost, memory_order_relaxed);
    if (!lost) return LITZ_OK;
    const char *text = NULL;
    if (o->driver->error_string(lost, &text) || !text) text = "a fault";
    return fail(e, LITZ_ERROR_CUDA,
                "CUDA device %d was lost by an earlier fault of a kernel, which was reported then (%s); this process has to be "
                "started again",
                (int)o->index, text);
}

/* As CUDA, of a call that may meet a kernel's fault. */
#define ON_DEVICE(v, call, what)                                   \
    do {                                                           \
        cu_result result_ = (call);                                \
        if (result_) return device_fail(v, result_, what, e);      \
    } while (0)

/* A pool of our own: the host's statistics and settings of the device's default one stay its own, and what is cached
 * here can be given back without touching it. */
static cu_result open_pool(opened_device *o) {
    cu_pool_properties properties = {.allocation = CU_ALLOCATION_PINNED, .location = {CU_LOCATION_DEVICE, o->number}};
    cu_result code = o->driver->pool_create(&o->pool, &properties);
    uint64_t all = UINT64_MAX; /* memory that was freed stays with the process until it is released */
    if (!code) code = o->driver->pool_set(o->pool, CU_POOL_RELEASE_THRESHOLD, &all);
    return code;
}

static opened_device opened_devices[MOST_DEVICES];

/* A device that this process has opened; NULL: it has not. */
static opened_device *opened_at(int32_t index) {
    bool opened = index >= 0 && index < MOST_DEVICES && atomic_load_explicit(&opened_devices[index].ready, memory_order_acquire);
    return opened ? &opened_devices[index] : NULL;
}

static litz_status no_device(int32_t index, int count, lx_error e) {
    return fail(e, LITZ_ERROR_DEVICE, "there is no CUDA device %d: this machine has %d", (int)index, count);
}

/* The process's own context and stream of a device. */
static litz_status open_process_device(const driver *d, int32_t index, opened_device **out, lx_error e) {
    if ((*out = opened_at(index))) return LITZ_OK;
    int count = 0;
    CUDA(d->device_count(&count), "counting devices");
    if (index < 0 || index >= count || index >= MOST_DEVICES) return no_device(index, count, e);
    opened_device *o = &opened_devices[index];
    litz_status status = LITZ_OK;
    pthread_mutex_lock(&driver_lock);
    if (!atomic_load(&o->ready)) {
        cu_context popped;
        o->driver = d;
        o->index = index;
        pthread_mutex_init(&o->arenas_lock, NULL);
        cu_result code = d->device_get(&o->number, index);
        /* What an attempt that failed has made stays for the next one. */
        if (!code && !o->context && (code = d->retain(&o->context, o->number))) o->context = NULL;
        bool entered = !code && !(code = d->push(o->context));
        if (!code && !o->stream && (code = d->stream_create(&o->stream, 0))) o->stream = NULL;
        if (!code && !o->pool && (code = open_pool(o))) o->pool = NULL;
        if (entered) d->pop(&popped);
        if (code) status = cuda_fail(d, code, "opening the device", e);
        else atomic_store_explicit(&o->ready, true, memory_order_release);
    }
    pthread_mutex_unlock(&driver_lock);
    *out = o;
    return status;
}

/* A number that no other stream of the process has ever had, as handles come again; 0: the driver has none to tell. */
static uint64_t stream_id(const driver *d, cu_stream stream) {
    uint64_t id = 0;
    if (stream == CU_STREAM_OF_THREAD) return 0; /* each thread's is another */
    return d->stream_id && !d->stream_id(stream, &id) ? id : 0;
}

static void device_close(device *v) {
    if (!v) return;
    const driver *d = v->driver;
    if (v->context && !driver_forked() && !d->push(v->context)) {
        d->stream_synchronize(v->stream);
        for (uint32_t k = 0; k < v->n_modules; k++)
            if (v->modules[k]) d->module_unload(v->modules[k]);
        cu_context popped;
        d->pop(&popped);
    }
    free(v->modules);
    free(v->kernels);
    free(v->shared_most);
    free(v->input_uses);
    free(v->output_is_a_routines);
    free(v->input_first);
    free(v->output_last);
    free(v->output_order);
    free(v);
}

static cu_function find_function(const device *v, const char *name) {
    cu_function found = NULL;
    for (uint32_t k = 0; k < v->n_modules && !found; k++)
        if (v->driver->module_function(&found, v->modules[k], name)) found = NULL;
    return found;
}

/* How well a GPU of a compute capability is served; 0: not at all. */
static uint32_t cubin_fits(const lx_cubin *k, uint32_t gpu) {
    if (!k->arch) return 1;
    if (k->arch > gpu) return 0;
    switch (k->kind) {
    case LX_CUBIN_EXACT: return k->arch == gpu ? 3000 + k->arch : 0;
    case LX_CUBIN_PTX: return 1000 + k->arch;
    default: return k->arch / 10 == gpu / 10 ? 2000 + k->arch : 0;
    }
}

static litz_status no_cubins(const lx_program *program, uint32_t gpu, lx_error e) {
    char list[160] = "";
    for (uint32_t k = 0; k < program->n_cubins; k++) {
        const lx_cubin *one = &program->cubins[k];
        bool again = false;
        for (uint32_t o = 0; o < k; o++) again = again || (program->cubins[o].arch == one->arch && program->cubins[o].kind == one->kind);
        size_t at = strlen(list);
        if (!again)
            snprintf(list + at, sizeof list - at, "%s%u.%u%s", at ? ", " : "", one->arch / 10, one->arch % 10,
                     one->kind == LX_CUBIN_EXACT ? " alone" : one->kind == LX_CUBIN_PTX ? " and later" : "");
    }
    return fail(e, LITZ_ERROR_UNSUPPORTED,
                "this GPU is of compute capability %u.%u, but the program was compiled for %s; compile it with %u in the option "
                "cuda.arch",
                gpu / 10, gpu % 10, list[0] ? list : "none", gpu);
}

static litz_status load_kernels(device *v, const lx_program *program, const code *c, lx_error e) {
    const driver *d = v->driver;
    int major = 0, minor = 0;
    CUDA(d->attribute(&major, CU_ATTRIBUTE_MAJOR, v->process->number), "asking for the compute capability");
    CUDA(d->attribute(&minor, CU_ATTRIBUTE_MINOR, v->process->number), "asking for the compute capability");
    uint32_t gpu = (uint32_t)(major * 10 + minor), best = 0;
    for (uint32_t k = 0; k < program->n_cubins; k++) {
        uint32_t fits = cubin_fits(&program->cubins[k], gpu);
        if (fits > best) best = fits;
    }
    if (!best) return no_cubins(program, gpu, e);
    for (uint32_t k = 0; k < program->n_cubins; k++) {
        if (cubin_fits(&program->cubins[k], gpu) != best) continue;
        cu_result code = d->module_load(&v->modules[v->n_modules], program->cubins[k].data);
        if (code) {
            litz_status status = device_fail(v, code, "loading the program's kernels", e);
            if (e.text && e.size) {
                size_t at = strlen(e.text);
                snprintf(e.text + at, e.size - at, "; this GPU is of compute capability %d.%d", major, minor);
            }
            return status;
        }
        v->n_modules++;
    }
    for (uint32_t k = 0; k < c->n_kernels; k++) {
        v->kernels[k] = find_function(v, text_of(c, c->kernels[k]));
        if (!v->kernels[k])
            return fail(e, LITZ_ERROR_INTERNAL, "the program's cubins lack kernel `%s`", text_of(c, c->kernels[k]));
    }
    v->copy_strided = find_function(v, "litz_copy_strided");
    v->fill = find_function(v, "litz_fill");
    return v->copy_strided && v->fill ? LITZ_OK : fail(e, LITZ_ERROR_INTERNAL, "the program's cubins lack what copies and fills");
}

/* Why runs of a program cannot be recorded: its steps wait for the host. */
static const char *why_unrecorded(const lx_program *program, const code *c) {
    if (!(program->flags & LX_PROGRAM_GRAPHS)) return "the mode does not ask for graphs";
    for (uint32_t k = 0; k < c->n_main; k++) {
        switch (c->main[k].kind) {
        case LX_STEP_KERNEL:
        case LX_STEP_COPY: break;
        case LX_STEP_ROUTINE:
            if (c->main[k].kernel == LX_ROUTINE_HOST) return "it calls operators of the host's, which may do more than their work on the stream";
            if (lx_routines[c->main[k].kernel].library == LX_LIBRARY_LINALG) return "it has routines that run on the host, or are checked there, for which a run waits";
            if (c->main[k].kernel == LX_ROUTINE_TRANSFORM) return "cuFFT makes plans for sizes that it meets";
            break;
        case LX_STEP_IF: return "the program takes a branch by data, for which a run waits";
        case LX_STEP_WHILE: return "the program repeats steps by data, for which a run waits";
        case LX_STEP_PRINT: return "it prints, which a replay would not";
        case LX_STEP_FUNCTION:
        case LX_STEP_AGAIN: break;
        default: return "sizes depend on data, for which a run waits";
        }
    }
    return NULL;
}

/* A step among those that steer blocks or stand outside of them: how many steps it is, with its blocks. */
static uint32_t steps_of(const lx_step *step) {
    if (step->kind == LX_STEP_FUNCTION) return 1 + step->destination;
    bool steers = step->kind == LX_STEP_IF || step->kind == LX_STEP_WHILE;
    return steers ? 1 + step->destination + step->kernel : 1;
}

static void note_use(device *v, const code *c, uint32_t buffer, uint32_t step) {
    if (buffer >= c->n_buffers) return;
    const lx_buffer *b = &c->buffers[buffer];
    if (b->kind == LX_BUFFER_INPUT && v->input_first[b->index] == LX_NONE) v->input_first[b->index] = step;
    if (b->kind == LX_BUFFER_OUTPUT) v->output_last[b->index] = step;
}

static void note_uses_of(device *v, const code *c, const lx_step *step, uint32_t at) {
    switch (step->kind) {
    case LX_STEP_KERNEL:
    case LX_STEP_ROUTINE:
        for (uint32_t k = 0; k < step->buffers.count; k++) note_use(v, c, u32_of(c, step->buffers)[k], at);
        for (uint32_t k = 0; step->kind == LX_STEP_KERNEL && k < step->source; k++)
            note_use(v, c, c->maps[step->destination + k].buffer, at);
        break;
    case LX_STEP_COPY:
        note_use(v, c, step->destination, at);
        note_use(v, c, step->source, at);
        break;
    case LX_STEP_ALLOCATE: note_use(v, c, step->destination, at); break;
    case LX_STEP_READ:
    case LX_STEP_IF:
    case LX_STEP_WHILE: note_use(v, c, step->source, at); break;
    default: break;
    }
}

/* When inputs are first used, and outputs last. */
static void note_uses(device *v, const code *c) {
    for (uint32_t k = 0; k < c->n_inputs; k++) v->input_first[k] = LX_NONE;
    for (uint32_t k = 0; k < c->n_outputs; k++) v->output_last[k] = LX_NONE;
    for (uint32_t k = 0; k < c->n_main; k += steps_of(&c->main[k]))
        for (uint32_t n = 0; n < steps_of(&c->main[k]); n++) note_uses_of(v, c, &c->main[k + n], k);
    for (uint32_t k = 0; k < c->n_outputs; k++) {
        uint32_t at = k;
        for (; at && v->output_last[v->output_order[at - 1]] > v->output_last[k]; at--) v->output_order[at] = v->output_order[at - 1];
        v->output_order[at] = k;
    }
}

static litz_status device_fill(device *v, const lx_program *program, const code *c, lx_error e) {
    const driver *d = v->driver;
    litz_status status = open_process_device(d, v->index, &v->process, e);
    if (!status) status = device_usable(v->process, e);
    if (status) return status;
    v->stream = v->process->stream;
    CUDA(d->push(v->process->context), "entering the device's context");
    v->context = v->process->context;
    status = load_kernels(v, program, c, e);
    v->unrecorded = why_unrecorded(program, c);
    for (uint32_t k = 0; k < c->n_main; k++) {
        const lx_step *step = &c->main[k];
        bool routine = step->kind == LX_STEP_ROUTINE;
        for (uint32_t n = 0; (routine || step->kind == LX_STEP_KERNEL) && n < step->buffers.count; n++) {
            const lx_buffer *b = &c->buffers[u32_of(c, step->buffers)[n]];
            if (b->kind == LX_BUFFER_INPUT) v->input_uses[b->index] += routine ? ROUTINE_USES : 1;
            if (b->kind == LX_BUFFER_OUTPUT && routine) v->output_is_a_routines[b->index] = 1;
        }
    }
    note_uses(v, c);
    cu_context popped;
    d->pop(&popped);
    return status;
}

static litz_status device_open(const lx_program *program, const code *c, device **out, lx_error e) {
    const driver *d;
    litz_status status = driver_open(&d, e);
    if (status) return status;
    device *v = calloc(1, sizeof *v);
    if (v) {
        v->driver = d;
        v->index = program->device_index;
        v->modules = calloc(program->n_cubins + 1u, sizeof *v->modules);
        v->kernels = calloc(c->n_kernels + 1u, sizeof *v->kernels);
        v->shared_most = calloc(c->n_kernels + 1u, sizeof *v->shared_most);
        v->input_uses = calloc(c->n_inputs + 1u, sizeof *v->input_uses);
        v->output_is_a_routines = calloc(c->n_outputs + 1u, 1);
        v->input_first = calloc(c->n_inputs + 1u, sizeof *v->input_first);
        v->output_last = calloc(c->n_outputs + 1u, sizeof *v->output_last);
        v->output_order = calloc(c->n_outputs + 1u, sizeof *v->output_order);
    }
    bool tables = v && v->input_uses && v->output_is_a_routines && v->input_first && v->output_last && v->output_order;
    if (!tables || !v->modules || !v->kernels || !v->shared_most)
        status = fail(e, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for a device's tables");
    else status = device_fill(v, program, c, e);
    if (status) device_close(v);
    else *out = v;
    return status;
}

static litz_status context_push(const device *v, lx_error e) {
    const driver *d = v->driver;
    ON_DEVICE(v, d->push(v->context), "entering the device's context");
    return LITZ_OK;
}
static void context_pop(const device *v) {
    cu_context popped;
    v->driver->pop(&popped);
}
