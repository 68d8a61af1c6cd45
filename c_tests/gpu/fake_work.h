/* Work of the driver that stands in for NVIDIA's: what waits in its streams, and how it runs. Part of fake_driver.c. */
#ifndef LITZ_TEST_FAKE_WORK_H
#define LITZ_TEST_FAKE_WORK_H

void *fake_see(const void *p) {
    const uint8_t *at = p;
    if (fake.ready && at >= fake.device && at < fake.device + REGION) return fake.host + (at - fake.device);
    return (void *)(uintptr_t)p;
}

static bool on_device(pointer p) { return p >= (pointer)(uintptr_t)fake.device && p < (pointer)(uintptr_t)fake.device + REGION; }

static block *block_at(pointer p) {
    for (block *b = fake.blocks; b; b = b->next)
        if (!b->freed && p >= b->at && p < b->at + b->bytes) return b;
    return NULL;
}

/* Pinned memory of the host's: copies from and to it are done when their turn comes. What was freed is not there any more. */
static struct pinned {
    uint8_t *at;
    uint64_t bytes;
    bool live;
} *pinned_blocks;
static size_t n_pinned;

static void *pin(size_t bytes) {
    pinned_blocks = realloc(pinned_blocks, (n_pinned + 1) * sizeof *pinned_blocks);
    struct pinned *p = &pinned_blocks[n_pinned++];
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) abort();
    *p = (struct pinned){at, bytes, true};
    return p->at;
}
static struct pinned *pinned_at(pointer at) {
    for (size_t k = n_pinned; k-- > 0;) /* the same address may be given again */
        if (at >= (pointer)(uintptr_t)pinned_blocks[k].at && at < (pointer)(uintptr_t)pinned_blocks[k].at + pinned_blocks[k].bytes) return &pinned_blocks[k];
    return NULL;
}
static void unpin(void *at) {
    struct pinned *p = pinned_at((pointer)(uintptr_t)at);
    if (!p || p->at != at || !p->live) {
        violation("pinned memory is freed that is not there");
        return;
    }
    p->live = false;
    munmap(p->at, p->bytes);
}
static bool is_pageable(pointer at) { return !on_device(at) && !pinned_at(at); }

/* Memory that work touches; NULL: not its own. */
static void *touch(pointer p, uint64_t bytes) {
    if (!bytes) return fake.host;
    if (on_device(p)) {
        block *b = block_at(p);
        if (!b || p + bytes > b->at + b->bytes) {
            fprintf(stderr, "fake driver: %llu bytes at +%llx of the device\n", (unsigned long long)bytes,
                    (unsigned long long)(p - (pointer)(uintptr_t)fake.device));
            violation("work leaves its memory");
            return NULL;
        }
    }
    const struct pinned *own = pinned_at(p);
    if (own && (!own->live || p + bytes > (pointer)(uintptr_t)own->at + own->bytes)) {
        violation("a copy leaves its pinned memory");
        return NULL;
    }
    return fake_see((void *)(uintptr_t)p);
}

static void run_kernel(const operation *o) {
    const int64_t *p = o->parameters;
    const char *name = o->kernel->name;
    if (!strcmp(name, "litz_copy_strided")) {
        const copy_plan *plan = &o->plan;
        for (int64_t e = 0; e < plan->elements; e++) {
            int64_t rest = e, to = 0, from = 0;
            for (int d = plan->rank - 1; d >= 0; d--) {
                to += rest % plan->size[d] * plan->to[d];
                from += rest % plan->size[d] * plan->from[d];
                rest /= plan->size[d];
            }
            void *t = touch((pointer)p[0] + (pointer)(to * plan->item), (uint64_t)plan->item);
            void *f = touch((pointer)p[1] + (pointer)(from * plan->item), (uint64_t)plan->item);
            if (t && f) memcpy(t, f, (size_t)plan->item);
        }
    } else if (!strcmp(name, "which")) { /* which(x): the architecture that it was compiled for */
        int32_t *x = touch((pointer)p[0], 4);
        if (x) *x = o->kernel->arch;
    } else if (!strncmp(name, "add", 3)) { /* add*(x, y, z, n): z = x + y */
        uint64_t bytes = 4 * (uint64_t)p[3];
        const int32_t *x = touch((pointer)p[0], bytes), *y = touch((pointer)p[1], bytes);
        int32_t *z = touch((pointer)p[2], bytes);
        for (int64_t k = 0; x && y && z && k < p[3]; k++) z[k] = x[k] + y[k];
    } else if (!strcmp(name, "scale")) { /* scale(x, z, n, factor) */
        const int32_t *x = touch((pointer)p[0], 4 * (uint64_t)p[2]);
        int32_t *z = touch((pointer)p[1], 4 * (uint64_t)p[2]);
        for (int64_t k = 0; x && z && k < p[2]; k++) z[k] = (int32_t)(x[k] * p[3]);
    } else if (!strcmp(name, "positive")) { /* positive(x, n, failure): the program's first assertion */
        const int32_t *x = touch((pointer)p[0], 4 * (uint64_t)p[1]);
        int32_t *failure = touch((pointer)p[2], 4);
        for (int64_t k = 0; x && failure && k < p[1]; k++)
            if (x[k] < 0) *failure = 1;
    } else if (!strcmp(name, "litz_fill")) { /* litz_fill(to, value, item, n) */
        uint8_t *to = touch((pointer)p[0], (uint64_t)(p[2] * p[3]));
        for (int64_t k = 0; to && k < p[3]; k++) memcpy(to + k * p[2], &p[1], (size_t)p[2]);
    } else if (!strcmp(name, "multiply")) { /* multiply(x, y, z, counter, rows, columns, depth): z = x y + counter - 7, and counts on */
        int64_t rows = p[4], columns = p[5], depth = p[6];
        const int32_t *x = touch((pointer)p[0], 4 * (uint64_t)(rows * depth)), *y = touch((pointer)p[1], 4 * (uint64_t)(depth * columns));
        int32_t *z = touch((pointer)p[2], 4 * (uint64_t)(rows * columns)), *counter = touch((pointer)p[3], 4);
        for (int64_t k = 0; x && y && z && counter && k < rows * columns; k++) {
            z[k] = *counter - 7;
            for (int64_t d = 0; d < depth; d++) z[k] += x[k / columns * depth + d] * y[d * columns + k % columns];
        }
        if (counter) ++*counter;
    } else if (!strcmp(name, "trap")) {
        fake.sticky = ILLEGAL_ADDRESS;
    }
}

static void drain(stream *s, const event *until, uint64_t turn);

static void run_operation(const operation *o) {
    void *to, *from;
    block *b;
    fake.time += fake.counts_time && (o->kind == LAUNCH || o->kind == COPY || o->kind == FILL);
    if (fake.sticky && o->kind != RECORD && o->kind != FREE) return;
    switch (o->kind) {
    case LAUNCH: run_kernel(o); break;
    case COPY:
        to = touch(o->to, o->bytes);
        from = touch(o->from, o->bytes);
        if (to && from) memmove(to, from, o->bytes);
        break;
    case FILL:
        if (!(to = touch(o->to, o->bytes))) break;
        for (uint64_t k = 0; k < o->bytes; k += o->width) memcpy((uint8_t *)to + k, &o->value, o->width);
        break;
    case FREE:
        b = block_at(o->to);
        if (!b || b->at != o->to) {
            violation("memory is freed that is not there");
            break;
        }
        memset(fake_see((void *)(uintptr_t)b->at), 0xdd, b->bytes);
        b->freed = true;
        break;
    case RECORD:
        if (o->event->done < o->turn) o->event->done = o->turn;
        o->event->passed = 1 + fake.time;
        break;
    case MARK: break; /* a node, which each replay makes a record */
    case WAIT:
        if (o->event->done < o->turn && o->on) drain(o->on, o->event, o->turn);
        break;
    }
}

/* Runs what waits in a stream, up to an event's turn or to the end. */
static void drain(stream *s, const event *until, uint64_t turn) {
    if (s->draining) return;
    s->draining = true;
    size_t k = 0;
    for (; k < s->n && !(until && until->done >= turn); k++) {
        operation o = s->queue[k];
        run_operation(&o);
    }
    if (k) memmove(s->queue, s->queue + k, (s->n - k) * sizeof *s->queue);
    s->n -= k;
    s->draining = false;
}

#endif
