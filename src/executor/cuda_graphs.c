/*
 * Runs on a GPU as CUDA graphs: recorded once a run of their kind has been seen, replayed with one call to the driver.
 *
 * A recording is right for the addresses and scalars that its nodes hold, and for nothing else is it ever replayed: where
 * some differ, the nodes that take them are given the new ones first. So outputs have memory of their own at every run, and
 * no replay overwrites what an earlier one gave out. Inputs that many nodes read are copied to memory that stays instead,
 * where that is less work.
 *
 * Recordings belong to a frame, and are kept up to a number: for sizes that come back, and, where the host marks its
 * steps, for each run of the program in a step.
 */
#include "internal.h"

#define RECORDINGS 8
/* To patch as many nodes, or a quarter of all, takes less than another recording is worth: one takes 0.25 us, where a launch
 * takes 4 (an H200's host). */
#define FEW_NODES 16
/* An input that changes its address is copied, which takes 5 us, where so many steps read it, and it is no larger. */
#define STAGED_USES 24
#define STAGED_BYTES (256u << 10)

typedef struct recording {
    struct recording *next;
    cu_graph graph;
    cu_graph_exec replay;
    void **buffers;
    int64_t *scalars;
    cu_graph_node *nodes; /* of each step; NULL: it had nothing to do */
    step_events *events;  /* of each step, nodes too; NULL: steps are not timed */
    uint32_t n_events;
    uint8_t *marked; /* of each output: whether an event says that it is final; NULL: there are none */
    uint64_t used, place;
} recording;

static _Atomic uint64_t host_step;
static graph_counts totals;

static void count(_Atomic uint64_t *own, _Atomic uint64_t *total) {
    atomic_fetch_add_explicit(own, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(total, 1, memory_order_relaxed);
}

void lx_mark_step(void) { atomic_fetch_add(&host_step, 1); }

static void recording_free(const shared *s, recording *g) {
    if (!driver_forked()) {
        if (g->replay) s->device->driver->graph_exec_destroy(g->replay);
        if (g->graph) s->device->driver->graph_destroy(g->graph);
        for (uint32_t k = 0; k < g->n_events; k++) {
            if (g->events[k].begin) s->device->driver->event_destroy(g->events[k].begin);
            if (g->events[k].end) s->device->driver->event_destroy(g->events[k].end);
        }
    }
    free(g->events);
    free(g);
}

static void drop_recordings(const shared *s, frame *f) {
    while (f->recordings) {
        recording *gone = f->recordings;
        f->recordings = gone->next;
        recording_free(s, gone);
    }
    f->n_recordings = 0;
    f->latest = NULL;
}

static recording *recording_new(const shared *s) {
    const code *c = &s->code;
    uint32_t marks = copies_host_tensors(s) ? c->n_outputs : 0;
    uint64_t at = sizeof(recording);
    carve(NULL, &at, c->n_buffers, sizeof(void *));
    carve(NULL, &at, c->n_scalars, 8);
    carve(NULL, &at, c->n_main, sizeof(cu_graph_node));
    carve(NULL, &at, marks, 1);
    recording *g = calloc(1, at);
    if (!g) return NULL;
    at = sizeof(recording);
    g->buffers = carve((uint8_t *)g, &at, c->n_buffers, sizeof(void *));
    g->scalars = carve((uint8_t *)g, &at, c->n_scalars, 8);
    g->nodes = carve((uint8_t *)g, &at, c->n_main, sizeof(cu_graph_node));
    g->marked = carve((uint8_t *)g, &at, marks, 1);
    return g;
}

static void note_arguments(const code *c, recording *g, const frame *f) {
    memcpy(g->buffers, f->buffers, c->n_buffers * sizeof *f->buffers);
    memcpy(g->scalars, f->scalars, c->n_scalars * sizeof *f->scalars);
}

/* Where a stream that is captured stands: the node that comes last. */
static bool captured(const driver *d, cu_stream recorder, cu_graph_node *last, bool *some) {
    int capturing;
    uint64_t id;
    cu_graph graph;
    const cu_graph_node *ends = NULL;
    size_t n = 0;
    if (d->capture_info(recorder, &capturing, &id, &graph, &ends, &n) || n > 1) return false;
    *some = n && ends[0] != *last;
    if (n) *last = ends[0];
    return true;
}

/* An event as a node of the graph. */
static bool capture_event(const shared *s, cu_event *event, cu_stream recorder, cu_graph_node *last) {
    bool some;
    return !make_event(s, event, (lx_error){NULL, 0}) &&
           !s->device->driver->event_record_flags(*event, recorder, CU_EVENT_EXTERNAL) &&
           captured(s->device->driver, recorder, last, &some);
}

/* Marks the outputs that are final after a step, for their copies to the host. */
static bool capture_marks(const shared *s, frame *f, recording *g, uint32_t step, uint32_t *next, cu_stream recorder, cu_graph_node *last) {
    const device *v = s->device;
    for (; *next < s->code.n_outputs && v->output_last[v->output_order[*next]] <= step; ++*next) {
        uint32_t output = v->output_order[*next];
        cu_event *mark = is_early(s, f, output) ? mark_of(s, f, output) : NULL;
        if (!mark) continue;
        if (!capture_event(s, mark, recorder, last)) return false;
        g->marked[output] = 1;
    }
    return true;
}

/* The steps of a run, captured one by one, so that the node of each is known. */
static bool capture(const shared *s, frame *f, recording *g, cu_stream recorder) {
    const driver *d = s->device->driver;
    cu_stream own = f->stream;
    cu_graph_node last = NULL;
    bool good = true, profiling = f->profiling;
    uint32_t next = 0;
    if (d->capture_begin(recorder, CU_CAPTURE_RELAXED)) return false;
    f->stream = recorder;
    f->profiling = false; /* by nodes of the graph instead */
    for (uint32_t k = 0; good && k < s->code.n_main; k++) {
        bool timed = g->events && is_timed(&s->code.main[k]), some = false;
        good = (!timed || capture_event(s, &g->events[k].begin, recorder, &last)) &&
               !run_steps(s, f, &s->code.main[k], 1, NULL, NULL, (lx_error){NULL, 0}) && captured(d, recorder, &last, &some);
        if (good && some) g->nodes[k] = last;
        good = good && (!timed || capture_event(s, &g->events[k].end, recorder, &last));
        good = good && (!f->staging || capture_marks(s, f, g, k, &next, recorder, &last));
    }
    f->profiling = profiling;
    f->stream = own;
    return !d->capture_end(recorder, &g->graph) && good;
}

/* Fills up to this size are nodes of a kernel of one block. */
#define FILLED_BYTES (64u << 10)
#define FILL_EDGES 8

/* Puts a kernel in the place of a node that fills memory. What is no such node, has many neighbours, edges of another kind or
 * much to fill stays as it is. */
static cu_result replace_fill(const device *v, cu_graph graph, cu_graph_node node) {
    const driver *d = v->driver;
    int kind;
    cu_fill_node fill;
    cu_graph_node after[FILL_EDGES], before[FILL_EDGES], made;
    size_t n_after = FILL_EDGES, n_before = FILL_EDGES, n = 0;
    if (d->graph_node_kind(node, &kind) || kind != CU_NODE_FILL || d->graph_fill(node, &fill)) return 0;
    if (fill.height != 1 || fill.width > FILLED_BYTES / 4 || fill.item > 4) return 0;
    if (d->graph_node_after(node, NULL, &n) || n > FILL_EDGES || d->graph_node_before(node, NULL, &n) || n > FILL_EDGES) return 0;
    if (d->graph_node_after(node, after, &n_after) || d->graph_node_before(node, before, &n_before)) return 0;
    uint32_t value = fill.value, item = fill.item;
    uint64_t elements = fill.width;
    void *parameters[] = {&fill.to, &value, &item, &elements};
    unsigned threads = elements < 32 ? 32 : elements < 1024 ? (unsigned)(elements + 31) / 32 * 32 : 1024;
    cu_kernel_node kernel = {.function = v->fill, .grid = {1, 1, 1}, .block = {threads, 1, 1}, .parameters = parameters};
    cu_result code = d->graph_add_kernel(&made, graph, after, n_after, &kernel);
    for (size_t k = 0; !code && k < n_before; k++) code = d->graph_add_edges(graph, &made, &before[k], 1);
    return code ? code : d->graph_remove(node);
}

/* A library's routines fill memory of their own: three such nodes take 5 us of the 8 that a replay of 12 nodes takes the host
 * (an H200's); as kernels they take nothing. */
static bool replace_fills(const shared *s, const recording *g) {
    const driver *d = s->device->driver;
    size_t n = 0;
    if (!needs_a_library(s)) return true;
    if (d->graph_nodes(g->graph, NULL, &n)) return false;
    cu_graph_node *nodes = calloc(n + 1, sizeof *nodes);
    bool good = nodes && !d->graph_nodes(g->graph, nodes, &n);
    for (size_t k = 0; good && k < n; k++) {
        bool known = false; /* a step's own node is patched later */
        for (uint32_t m = 0; !known && m < s->code.n_main; m++) known = g->nodes[m] == nodes[k];
        good = known || !replace_fill(s->device, g->graph, nodes[k]);
    }
    free(nodes);
    return good;
}

/* Records the steps of a run as a graph. NULL where the driver does not take them: the run then goes on step by step. */
static recording *record(const shared *s, frame *f) {
    const driver *d = s->device->driver;
    cu_stream recorder = NULL;
    recording *g = recording_new(s);
    if (!g || d->stream_create(&recorder, CU_STREAM_NON_BLOCKING)) {
        free(g);
        return NULL;
    }
    /* What a library works in is given before: nothing may be allocated meanwhile. */
    bool timed = is_profiled(s) && s->host.profiles_graphs;
    if (timed && (g->events = calloc(s->code.n_main, sizeof *g->events))) g->n_events = s->code.n_main;
    bool good = (!timed || g->events) && reserve_workspace(s, f) && capture(s, f, g, recorder);
    good = good && replace_fills(s, g);
    if (good && d->graph_instantiate(&g->replay, g->graph, 0)) {
        g->replay = NULL;
        good = false;
    }
    d->stream_destroy(recorder);
    if (!good) {
        recording_free(s, g);
        return NULL;
    }
    note_arguments(&s->code, g, f);
    return g;
}

static bool step_differs(const code *c, const lx_step *step, const recording *g, const frame *f) {
#define BUFFER(k) (g->buffers[k] != f->buffers[k])
#define SCALAR(k) (g->scalars[k] != f->scalars[k])
    if (step->kind == LX_STEP_COPY)
        return BUFFER(step->destination) || BUFFER(step->source) || SCALAR(step->bytes) || (step->kernel && SCALAR(step->kernel - 1));
    const uint32_t *buffers = u32_of(c, step->buffers), *scalars = u32_of(c, step->scalars);
    bool kernel = step->kind == LX_STEP_KERNEL;
    bool differs = kernel && (SCALAR(step->tasks) || SCALAR(step->grain) || SCALAR(step->scratch));
    for (uint32_t k = 0; !differs && k < step->buffers.count; k++) differs = BUFFER(buffers[k]);
    for (uint32_t k = 0; !differs && k < step->scalars.count; k++) differs = SCALAR(scalars[k]);
    for (uint32_t k = 0; !differs && k < step->source; k++) {
        const lx_map *m = &c->maps[step->destination + k];
        differs = BUFFER(m->buffer) || SCALAR(c->buffers[m->buffer].bytes) || SCALAR(m->offset);
        for (uint32_t n = 0; !differs && n < m->rank; n++) differs = SCALAR(m->sizes[n]) || SCALAR(m->strides[n]);
    }
    return differs;
#undef BUFFER
#undef SCALAR
}

#define CANNOT_PATCH UINT32_MAX

/* How many nodes take other arguments now. */
static uint32_t count_different(const shared *s, const recording *g, const frame *f) {
    const code *c = &s->code;
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->n_main; k++) {
        const lx_step *step = &c->main[k];
        if (!step_differs(c, step, g, f)) continue;
        if (step->kind == LX_STEP_ROUTINE) return CANNOT_PATCH; /* a library's nodes are its own affair */
        /* A step that had nothing to do has no node, and a node cannot do nothing. */
        bool idle = f->scalars[step->kind == LX_STEP_COPY ? step->bytes : step->tasks] <= 0;
        if (idle != !g->nodes[k]) return CANNOT_PATCH;
        n += !idle;
    }
    return n;
}

static cu_result patch_step(const shared *s, frame *f, const lx_step *step, cu_graph_node node, cu_graph_exec replay) {
    const driver *d = s->device->driver;
    lx_error silent = {NULL, 0};
    if (step->kind == LX_STEP_COPY) {
        uint64_t bytes = (uint64_t)f->scalars[step->bytes];
        if (bytes > f->sizes[step->destination] || bytes > f->sizes[step->source]) return CU_INVALID_VALUE;
        const int64_t start = copy_start(f, step);
        if (start < 0 || (uint64_t)start > f->sizes[step->destination] - bytes) return CU_INVALID_VALUE;
        cu_copy_node copy = {.from = {.type = CU_MEMORY_UNIFIED, .device = (cu_pointer)(uintptr_t)f->buffers[step->source]},
                             .to = {.type = CU_MEMORY_UNIFIED, .device = (cu_pointer)(uintptr_t)f->buffers[step->destination] + (cu_pointer)start},
                             .width = bytes,
                             .height = 1,
                             .depth = 1};
        return d->graph_set_copy(replay, node, &copy, s->device->context);
    }
    kernel_call call;
    if (call_of(s, f, step, &call, silent)) return CU_INVALID_VALUE;
    cu_kernel_node kernel = {.function = s->device->kernels[call.kernel],
                             .grid = {call.blocks, 1, 1},
                             .block = {call.threads, 1, 1},
                             .shared = call.shared,
                             .parameters = call.parameters};
    return d->graph_set_kernel(replay, node, &kernel);
}

/* Gives the nodes whose arguments differ those of this run. After a failure the recording is good for nothing. */
static bool patch(const shared *s, frame *f, recording *g) {
    const code *c = &s->code;
    for (uint32_t k = 0; k < c->n_main; k++)
        if (g->nodes[k] && step_differs(c, &c->main[k], g, f) && patch_step(s, f, &c->main[k], g->nodes[k], g->replay))
            return false;
    note_arguments(c, g, f);
    return true;
}

/* Inputs at other addresses than before that many steps read, and what a library's routine reads or writes, are copied from
 * the next run on. Whether there are any. */
static bool stage_inputs(const shared *s, frame *f, const recording *g, const litz_run_options *o) {
    const code *c = &s->code;
    bool some = false;
    for (uint32_t k = 0; k < c->n_buffers; k++) {
        const lx_buffer *b = &c->buffers[k];
        if (g->buffers[k] == f->buffers[k]) continue;
        if (b->kind == LX_BUFFER_OUTPUT && s->device->output_is_a_routines[b->index]) {
            some = some || !f->staged_outputs[b->index];
            f->staged_outputs[b->index] = 1;
        }
        if (b->kind != LX_BUFFER_INPUT) continue;
        uint32_t input = b->index, uses = s->device->input_uses[input];
        bool fixed = c->inputs[input].flags & (LX_TENSOR_MUTATED | LX_TENSOR_OVERWRITTEN | LX_TENSOR_FIXED) ||
                     (o && o->static_inputs && o->static_inputs[input]);
        if (fixed || uses < STAGED_USES || (uses < ROUTINE_USES && f->inputs[input].bytes > STAGED_BYTES)) continue;
        some = some || !f->staged[input];
        f->staged[input] = 1;
    }
    return some;
}

/* Whether a run with these scalars was seen before. */
static bool seen_before(const code *c, frame *f) {
    uint64_t hash = 14695981039346656037u;
    for (uint32_t k = 0; k < c->n_scalars; k++) hash = (hash ^ (uint64_t)f->scalars[k]) * 1099511628211u;
    hash |= 1; /* 0: a free place */
    const uint32_t n = sizeof f->seen / sizeof *f->seen;
    for (uint32_t k = 0; k < n; k++)
        if (f->seen[k] == hash) return true;
    f->seen[f->runs % n] = hash;
    return false;
}

static void remove_recording(const shared *s, frame *f, recording *gone) {
    recording **at = &f->recordings;
    while (*at != gone) at = &(*at)->next;
    *at = gone->next;
    if (f->latest == gone) f->latest = NULL;
    f->n_recordings--;
    recording_free(s, gone);
}

static recording *least_used(const frame *f) {
    recording *oldest = f->recordings;
    for (recording *g = oldest; g; g = g->next)
        if (g->used < oldest->used) oldest = g;
    return oldest;
}

/* The recording for this run, its arguments in place; NULL: the run goes step by step. */
static recording *find_recording(shared *s, frame *f, const litz_run_options *o) {
    const code *c = &s->code;
    uint64_t step = atomic_load_explicit(&host_step, memory_order_relaxed);
    bool trees = !(s->program.flags & LX_PROGRAM_PLAIN_GRAPHS);
    f->place = !trees || step != f->step ? 0 : step ? f->place + 1 : 0;
    f->step = step;
    if (f->same_place && f->latest) return f->latest;
    for (recording *g = f->recordings; g; g = g->next)
        if (!memcmp(g->buffers, f->buffers, c->n_buffers * sizeof *f->buffers) &&
            !memcmp(g->scalars, f->scalars, c->n_scalars * sizeof *f->scalars))
            return g;
    uint32_t most = s->program.most_graphs ? s->program.most_graphs : RECORDINGS, fewest = CANNOT_PATCH;
    recording *best = NULL;
    for (recording *g = f->recordings; g; g = g->next) {
        uint32_t n = count_different(s, g, f);
        if (n == CANNOT_PATCH) continue;
        bool here = g->place == f->place, best_here = best && best->place == f->place;
        if (best && (n > fewest || (n == fewest && (here < best_here || (here == best_here && g->used > best->used))))) continue;
        best = g;
        fewest = n;
    }
    bool seen = seen_before(c, f);
    /* The first run makes warm: kernels are loaded when they are first launched. */
    if (!f->runs) return NULL;
    bool few = best && (fewest <= FEW_NODES || fewest <= c->n_main / 4);
    bool another_place = few && best->place != f->place;
    /* Another recording would stand for addresses that are not met again. */
    const recording *like = best ? best : f->recordings;
    bool staged = like && stage_inputs(s, f, like, o);
    if (!f->recordings || another_place || (!few && !staged && seen)) {
        /* What cannot be patched for this run makes room for what it needs. */
        recording *oldest = least_used(f);
        if (f->n_recordings >= most && !best && oldest->used + 4 * (uint64_t)most < f->runs) remove_recording(s, f, oldest);
        recording *made = f->n_recordings < most ? record(s, f) : NULL;
        if (made) {
            made->place = f->place;
            made->next = f->recordings;
            f->recordings = made;
            f->n_recordings++;
            count(&s->graphs.recorded, &totals.recorded);
            return made;
        }
    }
    if (!best) return NULL;
    if (!patch(s, f, best)) {
        remove_recording(s, f, best);
        return NULL;
    }
    count(&s->graphs.patched, &totals.patched);
    return best;
}

static litz_status run_graph(shared *s, frame *f, const litz_run_options *o, lx_error e) {
    const code *c = &s->code;
    recording *g = f->latest = find_recording(s, f, o);
    f->runs++;
    if (!g) {
        count(&s->graphs.eager, &totals.eager);
        return run_steps(s, f, c->main, c->n_main, NULL, NULL, e);
    }
    g->used = f->runs;
    count(&s->graphs.replayed, &totals.replayed);
    litz_status status = LX_IS_WATCHED && f->profiling ? profile_replay(s, f, g->events, e) : LITZ_OK;
    if (status) return status;
    ON_DEVICE(s->device, s->device->driver->graph_launch(g->replay, f->stream), "replaying a run");
    /* What it was recorded with may have been the host's where this run's is not. */
    for (uint32_t k = 0; f->staging && k < c->n_outputs; k++) f->marked[k] = g->marked[k] && f->outputs[k].on_host;
    return LITZ_OK;
}
