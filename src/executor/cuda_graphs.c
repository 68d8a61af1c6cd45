/* Runs on a GPU as CUDA graphs: recorded once, replayed with one call to the driver. */
#include "internal.h"

/* Records the steps of a run as a graph. NULL where the driver does not take them: the run then goes on as before. */
static cu_graph_exec record(const shared *s, frame *f) {
    const driver *d = s->device->driver;
    cu_stream own = f->stream, recorder = NULL;
    cu_graph graph = NULL;
    cu_graph_exec recorded = NULL;
    if (d->stream_create(&recorder, CU_STREAM_NON_BLOCKING)) return NULL;
    if (!d->capture_begin(recorder, CU_CAPTURE_RELAXED)) {
        f->stream = recorder;
        litz_status status = run_steps(s, f, s->code.main, s->code.n_main, NULL, NULL, (lx_error){NULL, 0});
        f->stream = own;
        if (!d->capture_end(recorder, &graph) && !status && d->graph_instantiate(&recorded, graph, 0)) recorded = NULL;
    }
    if (graph) d->graph_destroy(graph);
    d->stream_destroy(recorder);
    return recorded;
}

/* A run like the one before it is recorded, and those like it after that are replayed: one call to the driver. */
static litz_status run_graph(const shared *s, frame *f, lx_error e) {
    const code *c = &s->code;
    const driver *d = s->device->driver;
    bool same = !memcmp(f->seen_buffers, f->buffers, c->n_buffers * sizeof *f->buffers) &&
                !memcmp(f->seen_scalars, f->scalars, c->n_scalars * sizeof *f->scalars);
    if (!same) {
        if (f->graph) d->graph_exec_destroy(f->graph);
        f->graph = NULL;
        f->recorded = false;
        memcpy(f->seen_buffers, f->buffers, c->n_buffers * sizeof *f->buffers);
        memcpy(f->seen_scalars, f->scalars, c->n_scalars * sizeof *f->scalars);
    } else if (!f->recorded) {
        f->graph = record(s, f);
        f->recorded = true;
    }
    if (!f->graph) return run_steps(s, f, c->main, c->n_main, NULL, NULL, e);
    CUDA(d->graph_launch(f->graph, f->stream), "replaying a run");
    return LITZ_OK;
}
