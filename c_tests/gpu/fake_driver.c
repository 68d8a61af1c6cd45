/*
 * Stands in for libcuda.so.1: the functions that the executor calls, over memory of the host, so that everything but
 * kernels can be tested without a GPU.
 *
 * As unkind as a GPU may be: work waits in its stream until somebody waits for it, and runs then; addresses of the
 * device cannot be read or written by the host, which sees the same memory elsewhere; a freed block is given out again; a
 * call without a current context, a kernel that leaves its memory, or a use of what was destroyed is a violation, which is
 * printed and counted. Any call can be made to fail.
 */
#define _GNU_SOURCE
#include "fake.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef int result;
typedef uint64_t pointer;

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_DEVICE = 101, NO_BINARY = 209, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700, CAPTURED = 900 };

#define DEVICES 2
#define REGION (1ull << 28)
#define PARAMETERS 12

typedef struct context {
    int device;
} context;

typedef struct block {
    struct block *next;
    pointer at;
    uint64_t bytes;
    const struct pool *pool;
    bool freed; /* its time has come; it is kept by the pool */
} block;

typedef struct pool {
    int device;
    uint64_t used, used_peak, reserved, reserved_peak;
} pool;

typedef struct kernel {
    char name[64];
    int arch;
} kernel;

typedef struct module {
    bool live;
    kernel kernels[16];
    int n;
} module;

typedef struct event event;
typedef struct stream stream;

typedef struct copy_plan {
    int64_t elements;
    int32_t rank, item;
    int64_t size[8], to[8], from[8];
} copy_plan;

typedef struct operation {
    enum { LAUNCH, COPY, FILL, FREE, RECORD, WAIT, MARK } kind;
    const kernel *kernel;
    int64_t parameters[PARAMETERS];
    copy_plan plan;
    unsigned blocks;
    pointer to, from;
    uint64_t bytes;
    uint32_t value, width;
    event *event;
    uint64_t turn; /* of the event */
    stream *on;    /* where the event has this turn */
} operation;

/* Nodes are named by their places, from 1. Those of a replay are named as those of the graph that it was made of. */
typedef struct graph {
    bool live;
    operation *nodes;
    size_t n;
    uint8_t *gone;     /* for each node: whether it was destroyed */
    size_t (*edges)[2]; /* from one node to another */
    size_t n_edges;
    uint64_t turns; /* of a replay */
} graph;

struct event {
    bool live;
    stream *on;
    uint64_t recorded, done; /* how often */
    uint64_t passed;         /* when, of the work of all streams; 0: not yet */
};

struct stream {
    bool live, foreign;
    int device;
    operation *queue;
    size_t n, room;
    bool draining;
    graph *capture;
    uint64_t id;
};

static struct {
    pthread_mutex_t lock;
    bool ready;
    pid_t process;
    uint8_t *device, *host; /* two views of the same memory */
    uint64_t end, limit;
    uint64_t time; /* how much work has been done, where that is counted */
    bool counts_time;
    block *blocks;
    context contexts[DEVICES], foreign;
    pool *pools[DEVICES];
    void **kept; /* every object ever made: what was destroyed may still be named by work that waits */
    size_t n_kept;
    fake_counts counts;
    uint64_t fail_at;
    int fail_code;
    const char *fail_name, *failed;
    int sticky;
    int arch;
    uint64_t streams; /* ever made */
} fake = {.limit = REGION, .arch = 90};

static _Thread_local const context *current[64];
static _Thread_local int depth;

static void *make(size_t bytes) {
    fake.kept = realloc(fake.kept, (fake.n_kept + 1) * sizeof *fake.kept);
    return fake.kept[fake.n_kept++] = calloc(1, bytes);
}

static void violation(const char *what) {
    fprintf(stderr, "fake driver: %s\n", what);
    fake.counts.violations++;
}

static void open_region(void) {
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&fake.lock, &recursive);
    int file = memfd_create("device", 0);
    if (file < 0 || ftruncate(file, (off_t)REGION)) abort();
    fake.device = mmap(NULL, REGION, PROT_NONE, MAP_SHARED, file, 0);
    fake.host = mmap(NULL, REGION, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (fake.device == MAP_FAILED || fake.host == MAP_FAILED) abort();
    close(file);
    fake.end = 512;
    fake.process = getpid();
    for (int k = 0; k < DEVICES; k++) fake.contexts[k].device = k;
    fake.ready = true;
}

static void enter(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_region);
    pthread_mutex_lock(&fake.lock);
}
static result leave(result code) {
    pthread_mutex_unlock(&fake.lock);
    return code;
}

/* Whether this call is to fail; otherwise it does its work. */
static result begin(const char *name, bool needs_context) {
    enter();
    fake.counts.calls++;
    if (getpid() != fake.process) {
        violation("a forked child calls the driver");
        _exit(99);
    }
    if (needs_context && !depth) violation("a call without a current context");
    if (fake.fail_at && (!fake.fail_name || !strcmp(fake.fail_name, name)) && --fake.fail_at == 0) {
        fake.failed = name;
        return fake.fail_code;
    }
    return fake.sticky;
}

#define BEGIN(needs_context)                                   \
    do {                                                       \
        result early_ = begin(__func__, needs_context);        \
        if (early_) return leave(early_);                      \
    } while (0)
/* For what is only given back: it works on a device that is lost, too. */
#define BEGIN_RELEASE()                                        \
    do {                                                       \
        result early_ = begin(__func__, false);                \
        if (early_ && early_ != fake.sticky) return leave(early_); \
    } while (0)

#include "fake_work.h"

static stream null_streams[DEVICES];
/* The handle that means the calling thread's own default stream. */
#define OF_THREAD ((void *)2)
static _Thread_local stream *of_thread;

static stream *stream_of(void *handle) {
    stream *s = handle;
    if (handle == OF_THREAD) {
        if (!of_thread) of_thread = make(sizeof *of_thread);
        s = of_thread;
        s->live = true;
    } else if (!s) {
        int device = depth ? current[depth - 1]->device : 0;
        s = &null_streams[device];
        s->live = true;
        s->device = device;
    }
    if (!s->live) violation("a stream that was destroyed is used");
    return s;
}

static size_t graph_add(graph *g, const operation *o);
static result graph_connect(graph *g, size_t from, size_t to);

static result enqueue(stream *s, const operation *o) {
    if (s->capture) {
        if (o->kind == FREE || o->kind == RECORD || o->kind == WAIT) return CAPTURED;
        size_t made = graph_add(s->capture, o);
        return made > 1 ? graph_connect(s->capture, made - 1, made) : 0;
    }
    if (s->n == s->room) {
        s->room = s->room ? 2 * s->room : 16;
        s->queue = realloc(s->queue, s->room * sizeof *s->queue);
    }
    s->queue[s->n++] = *o;
    return 0;
}

/* The tests' own. */

void fake_count_time(int on) {
    enter();
    fake.counts_time = on;
    leave(0);
}

fake_counts fake_count(void) {
    enter();
    fake_counts c = fake.counts;
    c.allocations = c.bytes = 0;
    for (const block *b = fake.blocks; b; b = b->next)
        if (!b->freed) c.allocations++, c.bytes += b->bytes;
    leave(0);
    return c;
}
void fake_fail(uint64_t call, int code) { fake_fail_function(NULL, call, code); }
void fake_fail_function(const char *name, uint64_t call, int code) {
    enter();
    fake.fail_name = name;
    fake.fail_at = call;
    fake.fail_code = code;
    fake.failed = NULL;
    leave(0);
}
int depth_of_contexts(void) { return depth; }
const char *fake_failed(void) { return fake.failed; }
void fake_memory(uint64_t bytes) { fake.limit = bytes < REGION / 2 ? bytes : REGION / 2; }
void fake_arch(int arch) { fake.arch = arch; }
void fake_heal(void) {
    enter();
    fake.sticky = 0;
    fake.fail_at = 0;
    leave(0);
}
void fake_renew_stream(void *handle) {
    enter();
    stream_of(handle)->id = ++fake.streams;
    leave(0);
}
void *fake_foreign_stream(void) {
    stream *s = calloc(1, sizeof *s);
    s->live = s->foreign = true;
    return s;
}

/* The driver's. */

result cuInit(unsigned flags) {
    (void)flags;
    BEGIN(false);
    return leave(0);
}
result cuGetErrorString(result code, const char **text) {
    *text = code == OUT_OF_MEMORY     ? "out of memory"
            : code == ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
                                      : "a fault that the test asked for";
    return 0;
}
result cuDeviceGetCount(int *n) {
    BEGIN(false);
    *n = DEVICES;
    return leave(0);
}
result cuDeviceGet(int *device, int index) {
    BEGIN(false);
    if (index < 0 || index >= DEVICES) return leave(INVALID_DEVICE);
    *device = index;
    return leave(0);
}
result cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    BEGIN(false);
    *value = attribute == 75 ? fake.arch / 10 : fake.arch % 10;
    return leave(0);
}
result cuDevicePrimaryCtxRetain(context **out, int device) {
    BEGIN(false);
    *out = &fake.contexts[device];
    return leave(0);
}
result cuCtxPushCurrent_v2(context *c) {
    BEGIN(false);
    if (depth < 64) current[depth++] = c;
    return leave(0);
}
result cuCtxPopCurrent_v2(context **c) {
    enter();
    if (!depth) violation("no context is there to be left");
    else *c = (context *)(uintptr_t)current[--depth];
    return leave(0);
}
result cuStreamCreate(stream **out, unsigned flags) {
    (void)flags;
    BEGIN(true);
    *out = make(sizeof **out);
    (*out)->live = true;
    (*out)->device = current[depth - 1]->device;
    (*out)->id = ++fake.streams;
    fake.counts.streams++;
    return leave(0);
}
result cuStreamDestroy_v2(stream *s) {
    BEGIN_RELEASE();
    drain(s, NULL, 0);
    s->live = false; /* what is used later is seen */
    free(s->queue);
    s->queue = NULL;
    s->room = 0;
    fake.counts.streams--;
    return leave(0);
}
result cuStreamSynchronize(void *handle) {
    BEGIN(true);
    stream *s = stream_of(handle);
    if (s->capture) return leave(CAPTURED);
    fake.counts.waits++;
    drain(s, NULL, 0);
    return leave(fake.sticky);
}
result cuStreamGetCtx(void *handle, context **out) {
    BEGIN(true);
    stream *s = stream_of(handle);
    *out = s->foreign ? &fake.foreign : &fake.contexts[s->device];
    return leave(0);
}
/* Of a thread's own stream one number for all, so that nobody may build on it. */
result cuStreamGetId(void *handle, uint64_t *id) {
    BEGIN(true);
    *id = handle == OF_THREAD ? UINT64_MAX : stream_of(handle)->id;
    return leave(0);
}
result cuStreamIsCapturing(void *handle, int *status) {
    BEGIN(true);
    *status = stream_of(handle)->capture != NULL;
    return leave(0);
}
static void take_parameters(operation *o, const kernel *k, void **parameters) {
    static const struct {
        const char *name; /* or how it begins */
        uint8_t sizes[8];
    } known[] = {{"add", {8, 8, 8, 8, 8}}, {"scale", {8, 8, 8, 8, 8}}, {"positive", {8, 8, 8}}, {"multiply", {8, 8, 8, 8, 8, 8, 8}},
                 {"litz_fill", {8, 4, 4, 8}}, {"litz_copy_strided", {8, 8}}, {"", {8}}};
    size_t which = 0;
    while (strncmp(k->name, known[which].name, strlen(known[which].name))) which++;
    o->kernel = k;
    memset(o->parameters, 0, sizeof o->parameters);
    for (int n = 0; n < 8 && known[which].sizes[n]; n++) memcpy(&o->parameters[n], parameters[n], known[which].sizes[n]);
    if (!strcmp(k->name, "litz_copy_strided")) memcpy(&o->plan, parameters[2], sizeof o->plan);
}

#include "fake_graphs.h"

result cuStreamWaitEvent(void *handle, event *e, unsigned flags) {
    (void)flags;
    BEGIN(true);
    if (!e->live) violation("an event that was destroyed is waited for");
    fake.counts.event_waits++;
    operation o = {.kind = WAIT, .event = e, .turn = e->recorded, .on = e->on};
    return leave(enqueue(stream_of(handle), &o));
}
result cuEventCreate(event **out, unsigned flags) {
    (void)flags;
    BEGIN(true);
    *out = make(sizeof **out);
    (*out)->live = true;
    fake.counts.events++;
    return leave(0);
}
result cuEventDestroy_v2(event *e) {
    BEGIN_RELEASE();
    e->live = false;
    fake.counts.events--;
    return leave(0);
}
result cuEventRecord(event *e, void *handle) {
    BEGIN(true);
    e->on = stream_of(handle);
    operation o = {.kind = RECORD, .event = e, .turn = ++e->recorded};
    return leave(enqueue(e->on, &o));
}
/* In a capture, an external record is a node, which each replay records anew. */
result cuEventRecordWithFlags(event *e, void *handle, unsigned flags) {
    BEGIN(true);
    stream *s = stream_of(handle);
    if (s->capture && flags != 1) return leave(CAPTURED);
    e->on = s;
    operation o = {.kind = s->capture ? MARK : RECORD, .event = e, .turn = s->capture ? 0 : ++e->recorded};
    return leave(enqueue(s, &o));
}
result cuEventSynchronize(event *e) {
    BEGIN(true);
    fake.counts.waits++;
    if (e->done < e->recorded) drain(e->on, e, e->recorded);
    return leave(fake.sticky);
}
/* Nothing takes any time here, or each operation a millisecond, where a test asks for that. */
result cuEventElapsedTime(float *milliseconds, event *from, event *to) {
    BEGIN(true);
    if (!from->live || !to->live || !from->passed || !to->passed) return leave(INVALID_VALUE);
    *milliseconds = (float)(to->passed - from->passed);
    return leave(0);
}

/* `FAKE <compute capability>` and the kernels' names, separated by blanks. */
result cuModuleLoadData(module **out, const void *image) {
    BEGIN(true);
    char text[512], *rest;
    snprintf(text, sizeof text, "%s", (const char *)image);
    char *word = strtok_r(text, " ", &rest);
    if (!word || strcmp(word, "FAKE")) return leave(INVALID_VALUE);
    word = strtok_r(NULL, " ", &rest);
    int arch = atoi(word);
    if (arch / 10 != fake.arch / 10 || arch > fake.arch) return leave(NO_BINARY);
    module *m = make(sizeof *m);
    while ((word = strtok_r(NULL, " ", &rest)) && m->n < 16) {
        m->kernels[m->n].arch = arch;
        snprintf(m->kernels[m->n++].name, sizeof m->kernels->name, "%s", word);
    }
    m->live = true;
    fake.counts.modules++;
    *out = m;
    return leave(0);
}
result cuModuleUnload(module *m) {
    BEGIN_RELEASE();
    m->live = false;
    fake.counts.modules--;
    return leave(0);
}
result cuModuleGetFunction(const kernel **out, module *m, const char *name) {
    BEGIN(true);
    for (int k = 0; k < m->n; k++) {
        if (strcmp(m->kernels[k].name, name)) continue;
        *out = &m->kernels[k];
        return leave(0);
    }
    return leave(NOT_FOUND);
}
result cuFuncSetAttribute(const kernel *k, int attribute, int value) {
    (void)k, (void)attribute, (void)value;
    BEGIN(true);
    return leave(0);
}
result cuLaunchKernel(const kernel *k, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                      void *handle, void **parameters, void **extra) {
    (void)y, (void)z, (void)by, (void)bz, (void)shared, (void)extra;
    BEGIN(true);
    if (!x || !bx || bx > 1024) violation("a launch's sizes are wrong");
    operation o = {.kind = LAUNCH, .blocks = x};
    take_parameters(&o, k, parameters);
    fake.counts.launches++;
    return leave(enqueue(stream_of(handle), &o));
}

result cuMemPoolCreate(pool **out, const int *properties) {
    BEGIN(true);
    *out = calloc(1, sizeof **out);
    (*out)->device = properties[3]; /* of the location */
    fake.pools[properties[3]] = *out;
    return leave(0);
}
result cuMemPoolSetAttribute(pool *p, int attribute, void *value) {
    (void)p, (void)attribute, (void)value;
    BEGIN(true);
    return leave(0);
}
static uint64_t used_bytes(const pool *p) {
    uint64_t bytes = 0;
    for (const block *b = fake.blocks; b; b = b->next) bytes += b->freed || b->pool != p ? 0 : b->bytes;
    return bytes;
}
result cuMemPoolGetAttribute(pool *p, int attribute, uint64_t *value) {
    BEGIN(true);
    *value = attribute == 5 ? p->reserved : attribute == 6 ? p->reserved_peak : attribute == 7 ? used_bytes(p) : p->used_peak;
    return leave(0);
}
result cuMemPoolTrimTo(pool *p, size_t bytes) {
    BEGIN(true);
    fake.counts.trims++;
    uint64_t used = used_bytes(p);
    p->reserved = used > bytes ? used : bytes;
    return leave(0);
}
result cuMemAllocFromPoolAsync(pointer *out, size_t bytes, pool *p, void *handle) {
    BEGIN(true);
    (void)stream_of(handle);
    uint64_t used = used_bytes(p), size = (bytes + 511) / 512 * 512;
    block *best = NULL;
    for (block *b = fake.blocks; b; b = b->next)
        if (b->freed && b->pool == p && b->bytes == size) best = b;
    /* What is cached serves requests of its own size; as with a real pool, the rest is in pieces. */
    bool cached = best && p->reserved - used >= size;
    if (!cached && p->reserved + size > fake.limit) return leave(OUT_OF_MEMORY);
    if (!best) {
        if (fake.end + size > REGION) return leave(OUT_OF_MEMORY);
        best = calloc(1, sizeof *best);
        best->at = (pointer)(uintptr_t)fake.device + fake.end;
        best->bytes = size;
        best->pool = p;
        best->next = fake.blocks;
        fake.blocks = best;
        fake.end += size + 512; /* nobody's */
    }
    best->freed = false;
    if (!cached) p->reserved += size;
    if (p->reserved > p->reserved_peak) p->reserved_peak = p->reserved;
    if (used + size > p->used_peak) p->used_peak = used + size;
    *out = best->at;
    return leave(0);
}
result cuMemFreeAsync(pointer at, void *handle) {
    BEGIN_RELEASE();
    operation o = {.kind = FREE, .to = at};
    return leave(enqueue(stream_of(handle), &o));
}
result cuMemGetInfo_v2(size_t *available, size_t *total) {
    BEGIN(true);
    *total = fake.limit;
    *available = fake.limit - used_bytes(fake.pools[current[depth - 1]->device]);
    return leave(0);
}
result cuMemGetAddressRange_v2(pointer *base, size_t *bytes, pointer at) {
    BEGIN(true);
    const block *b = block_at(at);
    if (!b) return leave(INVALID_VALUE);
    *base = b->at;
    *bytes = b->bytes;
    return leave(0);
}
result cuMemHostAlloc(void **out, size_t bytes, unsigned flags) {
    (void)flags;
    BEGIN(true);
    *out = pin(bytes);
    fake.counts.pinned++;
    return leave(0);
}
result cuMemFreeHost(void *p) {
    BEGIN_RELEASE();
    unpin(p);
    fake.counts.pinned--;
    return leave(0);
}
result cuMemcpyAsync(pointer to, pointer from, size_t bytes, void *handle) {
    BEGIN(true);
    stream *s = stream_of(handle);
    operation o = {.kind = COPY, .to = to, .from = from, .bytes = bytes};
    result code = enqueue(s, &o);
    /* Pageable memory of the host is copied before the call returns. */
    if (!code && !s->capture && (is_pageable(to) || is_pageable(from))) drain(s, NULL, 0);
    return leave(code ? code : fake.sticky);
}
static result fill(pointer at, uint32_t value, uint32_t width, size_t n, void *handle) {
    operation o = {.kind = FILL, .to = at, .value = value, .width = width, .bytes = n * width};
    return leave(enqueue(stream_of(handle), &o));
}
result cuMemsetD8Async(pointer at, unsigned char value, size_t n, void *handle) {
    BEGIN(true);
    return fill(at, value, 1, n, handle);
}
result cuMemsetD2D8Async(pointer at, size_t pitch, unsigned char value, size_t width, size_t height, void *handle) {
    BEGIN(true);
    result code = 0;
    for (size_t k = 0; !code && k < height; k++) code = fill(at + k * pitch, value, 1, width, handle);
    return code;
}
result cuMemsetD16Async(pointer at, unsigned short value, size_t n, void *handle) {
    BEGIN(true);
    return fill(at, value, 2, n, handle);
}
result cuMemsetD32Async(pointer at, unsigned value, size_t n, void *handle) {
    BEGIN(true);
    return fill(at, value, 4, n, handle);
}
