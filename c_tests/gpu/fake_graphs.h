/* Graphs of the driver that stands in for NVIDIA's: how streams are captured, what can be asked of nodes and changed, and how a replay
 * runs: in an order that its edges allow, another one every other time. Part of fake_driver.c. */
#ifndef LITZ_TEST_FAKE_GRAPHS_H
#define LITZ_TEST_FAKE_GRAPHS_H

static size_t graph_add(graph *g, const operation *o) {
    g->nodes = realloc(g->nodes, (g->n + 1) * sizeof *o);
    g->gone = realloc(g->gone, g->n + 1);
    g->nodes[g->n] = *o;
    g->gone[g->n] = 0;
    return ++g->n;
}

static bool graph_has(const graph *g, size_t node) { return g->live && node && node <= g->n && !g->gone[node - 1]; }

static result graph_connect(graph *g, size_t from, size_t to) {
    if (!graph_has(g, from) || !graph_has(g, to) || from == to) {
        violation("an edge of nodes that are not there");
        return INVALID_VALUE;
    }
    g->edges = realloc(g->edges, (g->n_edges + 1) * sizeof *g->edges);
    g->edges[g->n_edges][0] = from;
    g->edges[g->n_edges++][1] = to;
    return 0;
}

static void graph_free(graph *g) {
    g->live = false;
    free(g->nodes);
    free(g->gone);
    free(g->edges);
    g->nodes = NULL;
    g->gone = NULL;
    g->edges = NULL;
}

/* A node is named by its place and by its graph, as functions that take a node alone have to find that: graphs are numbered among
 * all objects that were ever made. */
static void *node_name(const graph *g, size_t node) {
    size_t number = 0;
    while (fake.kept[number] != g) number++;
    return (void *)(uintptr_t)((number + 1) << 16 | node);
}
static size_t node_of(void *name, graph **in) {
    uintptr_t number = (uintptr_t)name >> 16, node = (uintptr_t)name & 0xffff;
    graph *g = number && number <= fake.n_kept ? fake.kept[number - 1] : NULL;
    if (in) *in = g;
    return node;
}

result cuStreamBeginCapture_v2(void *handle, int mode) {
    (void)mode;
    BEGIN(true);
    stream *s = stream_of(handle);
    if (s->capture) return leave(CAPTURED);
    s->capture = make(sizeof *s->capture);
    s->capture->live = true;
    fake.counts.graphs++;
    return leave(0);
}
result cuStreamGetCaptureInfo_v2(void *handle, int *status, uint64_t *id, graph **out, void *const **ends, size_t *n) {
    static _Thread_local void *last;
    BEGIN(true);
    stream *s = stream_of(handle);
    *status = s->capture != NULL;
    *id = 1;
    if (!s->capture) return leave(0);
    *out = s->capture;
    *n = s->capture->n ? 1 : 0;
    last = node_name(s->capture, s->capture->n);
    *ends = &last;
    return leave(0);
}
result cuStreamEndCapture(void *handle, graph **out) {
    /* The stream leaves its capture whatever comes of it. */
    result early = begin(__func__, true);
    stream *s = stream_of(handle);
    graph *g = s->capture;
    s->capture = NULL;
    if (early && g) {
        fake.counts.graphs--;
        graph_free(g);
        g = NULL;
    }
    *out = g;
    return leave(early);
}
result cuGraphInstantiateWithFlags(graph **out, graph *g, unsigned long long flags) {
    (void)flags;
    BEGIN(true);
    graph *made = make(sizeof *made);
    made->live = true;
    for (size_t k = 0; k < g->n; k++) graph_add(made, &g->nodes[k]);
    for (size_t k = 0; k < g->n_edges; k++) graph_connect(made, g->edges[k][0], g->edges[k][1]);
    if (g->n) memcpy(made->gone, g->gone, g->n);
    *out = made;
    fake.counts.replays++;
    return leave(0);
}
result cuGraphLaunch(graph *replay, void *handle) {
    BEGIN(true);
    if (!replay->live) violation("a graph that was destroyed is replayed");
    fake.counts.graph_launches++;
    /* Of the nodes that wait for none the first, or the last. */
    bool backwards = replay->turns++ % 2;
    uint8_t *done = calloc(replay->n + 1, 1);
    size_t left = 0;
    for (size_t k = 0; k < replay->n; k++) left += !replay->gone[k];
    for (; left; left--) {
        size_t next = 0;
        for (size_t k = 1; k <= replay->n && (backwards || !next); k++) {
            bool ready = !replay->gone[k - 1] && !done[k];
            for (size_t e = 0; ready && e < replay->n_edges; e++) {
                size_t from = replay->edges[e][0];
                ready = replay->edges[e][1] != k || done[from] || replay->gone[from - 1];
            }
            if (ready) next = k;
        }
        if (!next) {
            violation("a graph's nodes wait for one another");
            break;
        }
        done[next] = 1;
        fake.counts.fills += replay->nodes[next - 1].kind == FILL;
        operation o = replay->nodes[next - 1];
        if (o.kind == MARK) {
            o.kind = RECORD;
            o.event->on = stream_of(handle);
            o.turn = ++o.event->recorded;
        }
        enqueue(stream_of(handle), &o);
    }
    free(done);
    return leave(0);
}
result cuGraphDestroy(graph *g) {
    BEGIN_RELEASE();
    fake.counts.graphs--;
    graph_free(g);
    return leave(0);
}
result cuGraphExecDestroy(graph *g) {
    BEGIN_RELEASE();
    fake.counts.replays--;
    graph_free(g);
    return leave(0);
}

/* CUDA_KERNEL_NODE_PARAMS, CUDA_MEMCPY3D and CUDA_MEMSET_NODE_PARAMS. */
typedef struct kernel_node {
    const kernel *function;
    unsigned grid[3], block[3], shared;
    void **parameters, **extra;
} kernel_node;

typedef struct copy_side {
    size_t x, y, z, level;
    int type;
    void *host;
    pointer device;
    void *array, *reserved;
    size_t pitch, height;
} copy_side;

typedef struct copy_node {
    copy_side from, to;
    size_t width, height, depth;
} copy_node;

typedef struct fill_node {
    pointer to;
    size_t pitch;
    unsigned value, item;
    size_t width, height;
} fill_node;

static bool sizes_are_good(const kernel_node *p) { return p->grid[0] && p->block[0] && p->block[0] <= 1024; }

result cuGraphExecKernelNodeSetParams(graph *replay, void *name, const kernel_node *p) {
    BEGIN(true);
    size_t k = node_of(name, NULL);
    if (!graph_has(replay, k) || replay->nodes[k - 1].kind != LAUNCH || replay->nodes[k - 1].kernel != p->function) {
        violation("a node is patched that is not this kernel's");
        return leave(INVALID_VALUE);
    }
    if (!sizes_are_good(p)) violation("a node's sizes are wrong");
    take_parameters(&replay->nodes[k - 1], p->function, p->parameters);
    fake.counts.patches++;
    return leave(0);
}
result cuGraphExecMemcpyNodeSetParams(graph *replay, void *name, const copy_node *c, context *in) {
    (void)in;
    BEGIN(true);
    size_t k = node_of(name, NULL);
    if (!graph_has(replay, k) || replay->nodes[k - 1].kind != COPY || c->height != 1 || c->depth != 1) {
        violation("a node is patched that is no copy");
        return leave(INVALID_VALUE);
    }
    replay->nodes[k - 1].to = c->to.device;
    replay->nodes[k - 1].from = c->from.device;
    replay->nodes[k - 1].bytes = c->width;
    fake.counts.patches++;
    return leave(0);
}

/* As many names as there is room for, and how many there are. */
static result give_names(const graph *g, void **out, size_t *n, const size_t *nodes, size_t there) {
    for (size_t k = 0; out && k < there && k < *n; k++) out[k] = node_name(g, nodes[k]);
    *n = there;
    return 0;
}
result cuGraphGetNodes(graph *g, void **out, size_t *n) {
    BEGIN(true);
    size_t *nodes = calloc(g->n + 1, sizeof *nodes), there = 0;
    for (size_t k = 1; k <= g->n; k++)
        if (!g->gone[k - 1]) nodes[there++] = k;
    result code = give_names(g, out, n, nodes, there);
    free(nodes);
    return leave(code);
}
static result neighbours(void *name, void **out, size_t *n, int side) {
    graph *g;
    size_t node = node_of(name, &g), *nodes, there = 0;
    if (!g || !graph_has(g, node)) {
        violation("the neighbours of a node that is not there");
        return INVALID_VALUE;
    }
    nodes = calloc(g->n_edges + 1, sizeof *nodes);
    for (size_t k = 0; k < g->n_edges; k++) {
        size_t other = g->edges[k][!side];
        if (g->edges[k][side] == node && !g->gone[other - 1]) nodes[there++] = other;
    }
    result code = give_names(g, out, n, nodes, there);
    free(nodes);
    return code;
}
result cuGraphNodeGetDependencies(void *name, void **out, size_t *n) {
    BEGIN(true);
    return leave(neighbours(name, out, n, 1));
}
result cuGraphNodeGetDependentNodes(void *name, void **out, size_t *n) {
    BEGIN(true);
    return leave(neighbours(name, out, n, 0));
}
result cuGraphNodeGetType(void *name, int *kind) {
    BEGIN(true);
    graph *g;
    size_t node = node_of(name, &g);
    if (!g || !graph_has(g, node)) return leave(INVALID_VALUE);
    *kind = g->nodes[node - 1].kind == FILL ? 2 : g->nodes[node - 1].kind == COPY ? 1 : 0;
    return leave(0);
}
result cuGraphMemsetNodeGetParams(void *name, fill_node *out) {
    BEGIN(true);
    graph *g;
    size_t node = node_of(name, &g);
    if (!g || !graph_has(g, node) || g->nodes[node - 1].kind != FILL) return leave(INVALID_VALUE);
    const operation *o = &g->nodes[node - 1];
    *out = (fill_node){.to = o->to, .value = o->value, .item = o->width, .width = o->bytes / o->width, .height = 1};
    return leave(0);
}
result cuGraphAddKernelNode(void **out, graph *g, void *const *after, size_t n_after, const kernel_node *p) {
    BEGIN(true);
    operation o = {.kind = LAUNCH, .blocks = p->grid[0]};
    if (!sizes_are_good(p)) violation("a node's sizes are wrong");
    take_parameters(&o, p->function, p->parameters);
    size_t made = graph_add(g, &o);
    for (size_t k = 0; k < n_after; k++) graph_connect(g, node_of(after[k], NULL), made);
    *out = node_name(g, made);
    return leave(0);
}
result cuGraphAddDependencies(graph *g, void *const *from, void *const *to, size_t n) {
    BEGIN(true);
    result code = 0;
    for (size_t k = 0; !code && k < n; k++) code = graph_connect(g, node_of(from[k], NULL), node_of(to[k], NULL));
    return leave(code);
}
result cuGraphDestroyNode(void *name) {
    BEGIN(true);
    graph *g;
    size_t node = node_of(name, &g);
    if (!g || !graph_has(g, node)) return leave(INVALID_VALUE);
    g->gone[node - 1] = 1;
    return leave(0);
}

#endif
