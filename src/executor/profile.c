/*
 * What the steps of a run take, where the host asked for it (lx_host.profiled).
 *
 * On a GPU events stand before and after each step, and are read when the run has ended, so that runs which are profiled are
 * waited for. Of a run that is replayed as a graph the whole is timed, and its steps where the host asked for these: the
 * events are then nodes of the graph.
 *
 * Without a host that asks, a run looks once at a flag of its frame for each step.
 */
#include "internal.h"

#include <time.h>

typedef struct step_events {
    cu_event begin, end;
} step_events;

typedef struct profile {
    lx_step_time *steps;
    uint32_t n, room;
    int64_t began;  /* the run, on the monotonic clock */
    /* On a GPU: */
    step_events *events; /* of each entry of `steps`; of a recording: its own */
    uint32_t n_events;   /* made so far */
    cu_event origin;     /* when the first step might begin */
    int64_t origin_at;   /* on the clock, since `began` */
    const step_events *replayed; /* the run was replayed as a graph with these, by step; NULL: it has none */
    bool whole;                  /* it was replayed as a graph */
} profile;

static int64_t clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static litz_status make_event(const shared *s, cu_event *event, lx_error e) {
    if (*event) return LITZ_OK;
    cu_result code = s->device->driver->event_create(event, 0);
    if (!code) return LITZ_OK;
    *event = NULL;
    return device_fail(s->device, code, "making an event", e);
}

static litz_status profile_begin(const shared *s, frame *f, lx_error e) {
    profile *p = f->profile;
    if (!p && !(p = f->profile = calloc(1, sizeof *p))) return no_memory(e, "a profile", sizeof *p);
    p->n = 0;
    p->whole = false;
    p->replayed = NULL;
    p->began = clock_now();
    if (!on_gpu(s)) return LITZ_OK;
    litz_status status = make_event(s, &p->origin, e);
    if (status) return status;
    p->origin_at = clock_now() - p->began;
    ON_DEVICE(s->device, s->device->driver->event_record(p->origin, f->stream), "marking the begin of a run");
    return LITZ_OK;
}

/* Room for one more step. */
static litz_status profile_grow(const shared *s, profile *p, lx_error e) {
    if (p->n == p->room) {
        uint32_t room = p->room ? 2 * p->room : 64;
        lx_step_time *steps = realloc(p->steps, room * sizeof *steps);
        if (steps) p->steps = steps;
        step_events *events = steps && on_gpu(s) ? realloc(p->events, room * sizeof *events) : NULL;
        if (events) p->events = events;
        if (!steps || (on_gpu(s) && !events)) return no_memory(e, "a profile", room * sizeof *steps);
        p->room = room;
    }
    if (!on_gpu(s) || p->n < p->n_events) return LITZ_OK;
    step_events *one = &p->events[p->n_events++];
    *one = (step_events){NULL, NULL};
    litz_status status = make_event(s, &one->begin, e);
    return status ? status : make_event(s, &one->end, e);
}

static bool is_timed(const lx_step *step) {
    return step->kind == LX_STEP_KERNEL || step->kind == LX_STEP_ROUTINE || step->kind == LX_STEP_COPY;
}

static litz_status step_begins(const shared *s, frame *f, uint32_t step, lx_error e) {
    profile *p = f->profile;
    litz_status status = profile_grow(s, p, e);
    if (status) return status;
    lx_step_time *t = &p->steps[p->n];
    *t = (lx_step_time){.step = step, .bytes = -1, .flop = -1};
    if (on_gpu(s)) {
        if (!p->events[p->n].begin || !p->events[p->n].end) return no_memory(e, "events of a profile", 0);
        ON_DEVICE(s->device, s->device->driver->event_record(p->events[p->n].begin, f->stream), "marking the begin of a step");
    } else {
        t->begin = clock_now() - p->began;
    }
    return LITZ_OK;
}

/* What a step moves and computes, with the sizes of this moment. */
static void note_cost(const shared *s, const frame *f, lx_step_time *t) {
    const uint32_t *costs = s->program.costs;
    if (!costs) return;
    uint32_t bytes = costs[2 * t->step], flop = costs[2 * t->step + 1];
    if (bytes != LX_NONE && !f->poison[bytes]) t->bytes = f->scalars[bytes];
    if (flop != LX_NONE && !f->poison[flop]) t->flop = f->scalars[flop];
}

static litz_status step_ends(const shared *s, frame *f, lx_error e) {
    profile *p = f->profile;
    lx_step_time *t = &p->steps[p->n];
    note_cost(s, f, t);
    if (on_gpu(s))
        ON_DEVICE(s->device, s->device->driver->event_record(p->events[p->n].end, f->stream), "marking the end of a step");
    else
        t->end = clock_now() - p->began;
    p->n++;
    return LITZ_OK;
}

/* Reads a step's events, which have passed. */
static litz_status read_events(const shared *s, const profile *p, const step_events *events, lx_step_time *t, lx_error e) {
    const driver *d = s->device->driver;
    float begin = 0, took = 0;
    ON_DEVICE(s->device, d->event_elapsed(&begin, p->origin, events->begin), "timing a step");
    ON_DEVICE(s->device, d->event_elapsed(&took, events->begin, events->end), "timing a step");
    t->begin = p->origin_at + (int64_t)((double)begin * 1e6);
    t->end = t->begin + (int64_t)((double)took * 1e6);
    return LITZ_OK;
}

/* Once the run has ended: tells the host. */
static litz_status profile_end(const shared *s, frame *f, lx_error e) {
    profile *p = f->profile;
    for (uint32_t k = 0; on_gpu(s) && k < p->n; k++) {
        const step_events *events = p->whole ? &p->replayed[p->steps[k].step] : &p->events[k];
        litz_status status = read_events(s, p, events, &p->steps[k], e);
        if (status) return status;
    }
    lx_run_times times = {.began = p->began, .took = clock_now() - p->began, .steps = p->steps, .n_steps = p->n, .whole = p->whole};
    s->host.profiled(s->host.profile_context, &times);
    return LITZ_OK;
}

/* A run that a graph replays: `events` of its steps are nodes of the graph; NULL: it has none, and only the whole is timed. */
static litz_status profile_replay(const shared *s, frame *f, const step_events *events, lx_error e) {
    profile *p = f->profile;
    p->n = 0;
    p->whole = true;
    p->replayed = events;
    for (uint32_t k = 0; events && k < s->code.n_main; k++) {
        if (!is_timed(&s->code.main[k])) continue;
        litz_status status = profile_grow(s, p, e);
        if (status) return status;
        lx_step_time *t = &p->steps[p->n++];
        *t = (lx_step_time){.step = k, .bytes = -1, .flop = -1};
        note_cost(s, f, t);
    }
    return LITZ_OK;
}

static void profile_release(const shared *s, frame *f) {
    profile *p = f->profile;
    if (!p) return;
    if (on_gpu(s) && !driver_forked()) {
        const driver *d = s->device->driver;
        if (p->origin) d->event_destroy(p->origin);
        for (uint32_t k = 0; k < p->n_events; k++) {
            if (p->events[k].begin) d->event_destroy(p->events[k].begin);
            if (p->events[k].end) d->event_destroy(p->events[k].end);
        }
    }
    free(p->events);
    free(p->steps);
    free(p);
    f->profile = NULL;
}
