/* Tests of tensors in the host's memory as inputs and outputs (LX_PROGRAM_HOST_TENSORS). Part of device.c. */
#ifndef LITZ_TEST_HOST_TENSORS_H
#define LITZ_TEST_HOST_TENSORS_H

#include "checks.h"

/* `n` elements of int32 in ordinary memory or in pinned, a stride apart; what lies between them is -7. */
static sample *host_sample(int64_t n, int64_t stride, int32_t first, bool pinned) {
    sample *t = calloc(1, sizeof *t);
    uint64_t bytes = 4 * (uint64_t)(n * stride + 1);
    void *data = NULL;
    if (pinned) {
        const driver *d;
        opened_device *o;
        if (!driver_open(&d, (lx_error){NULL, 0}) && !enter_process_device(0, &o, (lx_error){NULL, 0})) {
            if (d->host_allocate(&data, bytes, 0)) data = NULL;
            leave_process_device(o);
        }
    } else {
        data = malloc(bytes);
    }
    if (!data) {
        free(t);
        return NULL;
    }
    t->size = n;
    t->stride = stride;
    t->dl = (DLTensor){data, {pinned ? kDLCUDAHost : kDLCPU, 0}, 1, {kDLInt, 32, 1}, &t->size, &t->stride, 0};
    int32_t *all = data;
    for (int64_t k = 0; k <= n * stride; k++) all[k] = -7;
    for (int64_t k = 0; k < n; k++) all[k * stride] = first + (int32_t)k;
    return t;
}
static void host_sample_free(sample *t) {
    if (!t) return;
    if (t->dl.device.device_type == kDLCUDAHost) opened_devices[0].driver->host_free(t->dl.data);
    else free(t->dl.data);
    free(t);
}
static int32_t host_at(const sample *t, int64_t k) { return ((int32_t *)t->dl.data)[k * t->stride]; }
static bool gaps_are_whole(const sample *t) {
    const int32_t *all = t->dl.data;
    for (int64_t k = 0; k <= t->size * t->stride; k++)
        if ((k % t->stride || k == t->size * t->stride) && all[k] != -7) return false;
    return true;
}

/* The chain with host tensors of its own; `kind` says which are strided, which are pinned, and which lie on the GPU after all. */
static litz_status chain_on_host(lx_instance *self, const litz_run_options *o, int64_t n, int64_t by, int32_t seed, int kind) {
    sample *x = host_sample(n, 1 + kind % 2, seed, kind % 5 == 4), *y = host_sample(n, 1, 2, false);
    sample *z = host_sample(n, 1 + kind % 3 % 2, 0, kind % 4 == 3), *s = host_sample(n, 1, 0, kind % 4 == 1), *t = host_sample(16, 2, 0, false);
    litz_status status = LITZ_ERROR_OUT_OF_MEMORY;
    snprintf(message, sizeof message, "a test has no memory");
    if (x && y && z && s && t) {
        status = run_with(self, o, (sample *[]){x, y, NULL}, &by, 3, (sample *[]){z, s, t});
        for (int64_t k = 0; !status && k < 16; k++) CHECK(host_at(t, k) == 30 * k); /* ordinary memory has it when the call returns */
        if (!status && o && o->flags & LITZ_RUN_ASYNC) status = lx_synchronize(self, message, sizeof message);
        for (int64_t k = 0; !status && k < n; k++) {
            int32_t a = seed + (int32_t)k, b = 2 + (int32_t)k;
            CHECK(host_at(z, k) == (int32_t)((a + b) * by + a));
            CHECK(host_at(s, k) == a + b);
        }
        CHECK(gaps_are_whole(x) && gaps_are_whole(z) && gaps_are_whole(t));
    }
    sample *all[] = {x, y, z, s, t};
    /* Copies of a run that failed have ended, too. */
    for (size_t k = 0; k < 5; k++) host_sample_free(all[k]);
    return status;
}

/* x += y, and gives x + x. */
static const void *adding_plan(builder *b) {
    start(b);
    uint32_t n = symbol(b, "n", LX_SOURCE_DIMENSION, 0, 4096), x = tensor(b, false, "x", n, LX_TENSOR_MUTATED), y = tensor(b, false, "y", n, 0);
    uint32_t out = tensor(b, true, "out", n, 0), add = kernel(b, "add");
    b->main[b->n_main++] = call(b, add, n, x, y, x, n, LX_NONE);
    b->main[b->n_main - 1].lasting = 1;
    b->main[b->n_main++] = call(b, add, n, x, x, out, n, LX_NONE);
    return finish(b, "adding");
}

static void written_inputs_come_back(void) {
    builder b;
    for (uint32_t flags = 0; flags <= LX_PROGRAM_GRAPHS; flags += LX_PROGRAM_GRAPHS) {
        lx_instance *self = make(adding_plan(&b), flags | LX_PROGRAM_HOST_TENSORS, 0);
        for (int kind = 0; kind < 4; kind++) {
            int64_t n = kind % 2 ? 3000 : 10;
            sample *x = host_sample(n, 1 + kind / 2, 5, false), *y = host_sample(n, 1, 1, kind == 1), *out = host_sample(n, 2, 0, false);
            for (int k = 1; k < 5; k++) {
                CHECK(!run_with(self, NULL, (sample *[]){x, y, NULL}, NULL, 1, (sample *[]){out}));
                for (int64_t i = 0; i < n; i++) CHECK(host_at(x, i) == 5 + i + k * (1 + i) && host_at(out, i) == 2 * host_at(x, i));
            }
            CHECK(gaps_are_whole(x) && gaps_are_whole(out));
            /* Into memory of an input: what was read was read before. */
            CHECK(!run_with(self, NULL, (sample *[]){x, y, NULL}, NULL, 1, (sample *[]){y}));
            CHECK(host_at(y, 3) == 2 * host_at(x, 3) && host_at(x, 3) == 5 + 3 + 5 * 4);
            /* Two names of one tensor, of which one is written to: the plan has no form for it, and nothing is written. */
            sample *z = host_sample(n, 1, 3, false);
            CHECK(run_with(self, NULL, (sample *[]){z, z, NULL}, NULL, 1, (sample *[]){out}));
            CHECK(host_at(z, 1) == 4);
            host_sample_free(x), host_sample_free(y), host_sample_free(z), host_sample_free(out);
        }
        lx_destroy(self);
    }
}

/* Results' memory as a host gives it. */
typedef struct given {
    void *memory[3];
    uint64_t bytes[3];
} given;
static void *give(void *context, size_t k, uint64_t bytes, int32_t ndim, const int64_t *shape, const int64_t *strides) {
    (void)ndim, (void)shape, (void)strides;
    given *g = context;
    g->bytes[k] = bytes;
    return g->memory[k] = malloc(bytes ? bytes : 1);
}
static void *give_on_device(void *context, size_t k, uint64_t bytes, int32_t ndim, const int64_t *shape, const int64_t *strides) {
    (void)ndim, (void)shape, (void)strides;
    given *g = context;
    g->bytes[k] = bytes;
    return lx_cuda_allocate(0, bytes, NULL, &g->memory[k], NULL, 0) ? NULL : g->memory[k];
}

static void results_lie_where_inputs_do(void) {
    builder b, c;
    lx_instance *self = make(chain_plan(&b), LX_PROGRAM_HOST_TENSORS, 0), *plain = make(chain_plan(&c), 0, 0);
    sample *x = host_sample(2000, 1, 1, false), *y = host_sample(2000, 2, 2, false), *there = sample_new(0, 2000, 2);
    int64_t by = 2, sizes[3], strides[3];
    DLTensor number = {&by, {kDLCPU, 0}, 0, {kDLInt, 64, 1}, NULL, NULL, 0}, shown[3];
    for (int k = 0; k < 3; k++) shown[k] = (DLTensor){.shape = &sizes[k], .strides = &strides[k]};
    const DLTensor *host[] = {&x->dl, &y->dl, &number}, *mixed[] = {&x->dl, &there->dl, &number};
    given g;
    CHECK(lx_gives_to_host(self, host, 3) && !lx_gives_to_host(self, mixed, 3) && !lx_gives_to_host(plain, host, 3));
    CHECK(!lx_infer_outputs(self, host, 3, shown, 3, message, sizeof message) && shown[0].device.device_type == kDLCPU);
    CHECK(!lx_run_allocating(self, host, 3, give, NULL, &g, 3, NULL, message, sizeof message));
    for (int k = 0; k < 2000; k++) CHECK(((int32_t *)g.memory[0])[k] == (3 + 2 * k) * 2 + 1 + k && ((int32_t *)g.memory[1])[k] == 3 + 2 * k);
    CHECK(((int32_t *)g.memory[2])[15] == 450 && g.bytes[2] == 64);
    for (int k = 0; k < 3; k++) free(g.memory[k]);
    CHECK(!lx_infer_outputs(self, mixed, 3, shown, 3, message, sizeof message) && shown[0].device.device_type == kDLCUDA);
    CHECK(!lx_run_allocating(self, mixed, 3, give_on_device, NULL, &g, 3, NULL, message, sizeof message));
    CHECK(((int32_t *)fake_see(g.memory[0]))[1999] == (3 + 2 * 1999) * 2 + 2000);
    for (int k = 0; k < 3; k++) lx_cuda_free(0, g.memory[k], 0, NULL);
    /* Without the flag nothing is copied. */
    CHECK(lx_run_allocating(plain, host, 3, give, NULL, &g, 3, NULL, message, sizeof message) == LITZ_ERROR_DEVICE);
    SAYS("input 0 `x`: the tensor is on device type 1 (DLPack's number), index 0, but this program runs on CUDA device 0; copy it there first");
    /* With it tensors of another GPU are refused as before. */
    sample *other = sample_new(1, 2000, 2);
    mixed[1] = &other->dl;
    CHECK(lx_run_allocating(self, mixed, 3, give, NULL, &g, 3, NULL, message, sizeof message) == LITZ_ERROR_DEVICE);
    SAYS("input 1 `y`: the tensor is on device type 2");
    sample_free(there), sample_free(other), host_sample_free(x), host_sample_free(y);
    lx_destroy(self), lx_destroy(plain);
    /* A size that the data give. */
    lx_instance *late = make(late_plan(&b), LX_PROGRAM_HOST_TENSORS, 0);
    int64_t many[16] = {5};
    int32_t values[16] = {1, 2, 3, 4, 5};
    DLTensor n = {many, {kDLCPU, 0}, 1, {kDLInt, 64, 1}, &(int64_t){16}, NULL, 0}, v = {values, {kDLCPU, 0}, 1, {kDLInt, 32, 1}, &(int64_t){16}, NULL, 0};
    CHECK(!lx_run_allocating(late, (const DLTensor *[]){&n, &v}, 2, give, NULL, &g, 1, NULL, message, sizeof message));
    CHECK(g.bytes[0] == 20 && ((int32_t *)g.memory[0])[4] == 10);
    free(g.memory[0]);
    int32_t room[16] = {0};
    int64_t size = 16;
    DLTensor out = {room, {kDLCPU, 0}, 1, {kDLInt, 32, 1}, &size, NULL, 0};
    CHECK(!lx_run(late, (const DLTensor *[]){&n, &v}, 2, (const DLTensor *[]){&out}, 1, NULL, message, sizeof message));
    CHECK(size == 5 && room[4] == 10 && room[5] == 0);
    lx_destroy(late);
}

/* Any layout, in both directions, against a copy on the host. */
static void layouts_arrive_whole(void) {
    builder b;
    lx_instance *self = make(chain_plan(&b), LX_PROGRAM_HOST_TENSORS, 0);
    const shared *s = self->shared;
    unsigned seed = 1;
    for (int round = 0; round < 200; round++) {
        int64_t size[4], host[4], device[4], at = 1, far = 1;
        int32_t rank = 1 + rand_r(&seed) % 4, order[4] = {0, 1, 2, 3};
        for (int32_t d = 0; d < rank; d++) size[d] = 1 + rand_r(&seed) % 11;
        for (int32_t d = rank - 1; d > 0; d--) {
            int32_t o = rand_r(&seed) % (d + 1), kept = order[d];
            order[d] = order[o];
            order[o] = kept;
        }
        for (int32_t d = 0; d < rank; d++) {
            host[d] = at;
            at *= size[d] + rand_r(&seed) % 2;
        }
        for (int32_t d = rank - 1; d >= 0; d--) {
            device[order[d]] = far;
            far *= size[order[d]] + (round % 3 == 0);
        }
        uint64_t host_bytes, device_bytes;
        extent_bytes(rank, size, host, 4, &host_bytes);
        extent_bytes(rank, size, device, 4, &device_bytes);
        int32_t *here = malloc(host_bytes), *back = malloc(host_bytes), *there = malloc(device_bytes), *packed = malloc(device_bytes);
        for (uint64_t k = 0; k < host_bytes / 4; k++) here[k] = (int32_t)k, back[k] = -1;
        memset(packed, 0xff, device_bytes);
        memset(there, 0xff, device_bytes);
        copy_strided(rank, size, (strided){(uint8_t *)packed, device}, (strided){(uint8_t *)here, host}, 4);
        sample *room = sample_new(0, (int64_t)device_bytes / 4, 0);
        lx_error e = {message, sizeof message};
        CHECK(!enter_device(s, e));
        frame *f = frame_take(self);
        f->staging = staging_take(s->device, device_bytes);
        f->staging->via = f->staging->own;
        CHECK(!move_tensor(s, f, NULL, rank, size, (strided){(uint8_t *)here, host}, (strided){room->dl.data, device}, 4, false, true, e));
        CHECK(!s->device->driver->stream_synchronize(f->staging->via));
        copy_strided(rank, size, (strided){(uint8_t *)there, device}, (strided){fake_see(room->dl.data), device}, 4);
        CHECK(!memcmp(there, packed, device_bytes));
        CHECK(!move_tensor(s, f, NULL, rank, size, (strided){(uint8_t *)back, host}, (strided){room->dl.data, device}, 4, false, false, e));
        CHECK(!hand_over(s, f, NULL, 0, true, e));
        CHECK(!end_transfers(s, f, LITZ_OK, e));
        frame_give(self, f);
        leave_device(s);
        int32_t *expected = malloc(host_bytes);
        memset(expected, 0xff, host_bytes);
        copy_strided(rank, size, (strided){(uint8_t *)expected, host}, (strided){(uint8_t *)here, host}, 4);
        CHECK(!memcmp(back, expected, host_bytes));
        sample_free(room);
        free(here), free(back), free(there), free(packed), free(expected);
    }
    lx_destroy(self);
}

/* A result of the host's in one run, of the GPU's in the next. */
static void results_change_sides(void) {
    builder b;
    for (uint32_t flags = 0; flags <= LX_PROGRAM_GRAPHS; flags += LX_PROGRAM_GRAPHS) {
        lx_instance *self = make(chain_plan(&b), flags | LX_PROGRAM_HOST_TENSORS, 0);
        for (int k = 0; k < 12; k++) {
            int64_t n = 3000, by = 3;
            lx_mark_step(); /* so that one recording serves several of them */
            bool there[3] = {k % 4 == 3, k % 3 == 2, k % 5 == 4};
            sample *x = there[2] ? sample_new(0, n, k) : host_sample(n, 1, k, false), *y = host_sample(n, 1, 2, false);
            sample *z = there[0] ? sample_new(0, n, 0) : host_sample(n, 1, 0, false), *s = there[1] ? sample_new(0, n, 0) : host_sample(n, 1, 0, false);
            sample *t = host_sample(16, 1, 0, false);
            CHECK(!run_with(self, NULL, (sample *[]){x, y, NULL}, &by, 3, (sample *[]){z, s, t}));
            for (int64_t i = 0; i < n; i++) {
                CHECK((there[0] ? at(z, i) : host_at(z, i)) == (k + 2 + 2 * i) * 3 + k + i);
                CHECK((there[1] ? at(s, i) : host_at(s, i)) == k + 2 + 2 * i);
            }
            if (there[2]) sample_free(x);
            else host_sample_free(x);
            if (there[0]) sample_free(z);
            else host_sample_free(z);
            if (there[1]) sample_free(s);
            else host_sample_free(s);
            host_sample_free(y), host_sample_free(t);
        }
        lx_destroy(self);
    }
}

static void host_tensors_are_copied(void) {
    builder b;
    lx_cuda_usage u;
    lx_cuda_release(0, message, sizeof message);
    uint64_t pinned = fake_count().pinned;
    for (uint32_t flags = 0; flags <= LX_PROGRAM_GRAPHS; flags += LX_PROGRAM_GRAPHS) {
        lx_instance *self = make(chain_plan(&b), flags | LX_PROGRAM_HOST_TENSORS, 0);
        litz_run_options async = {.struct_size = sizeof async, .flags = LITZ_RUN_ASYNC};
        for (int k = 0; k < 24; k++) CHECK(!chain_on_host(self, k % 3 == 1 ? &async : NULL, k % 2 ? 3000 : 64, 3, k, k));
        CHECK(!chain_on_host(self, NULL, 0, 3, 0, 0));
        /* Other arrays at each run, the same memory on the device: recordings fit as they are. */
        for (int k = 0; k < 4; k++) CHECK(!chain_on_host(self, NULL, 3000, 3, k, 0));
        fake_counts before = fake_count();
        lx_graph_counts counts = counts_of(self);
        for (int k = 0; k < 4; k++) CHECK(!chain_on_host(self, NULL, 3000, 3, k, 0));
        CHECK(fake_count().patches == before.patches && fake_count().allocations == before.allocations && fake_count().pinned == before.pinned);
        CHECK(counts_of(self).recorded == counts.recorded && counts_of(self).replayed == counts.replayed + (flags ? 4 : 0));
        /* Tensors on the device go on to be read in place. */
        CHECK(!chain_once(self, NULL, 0, 64, 3, 1));
        CHECK(!lx_cuda_memory(0, &u, message, sizeof message) && u.pinned >= SLOT_BYTES && u.pinned <= 4 * SLOTS * SLOT_BYTES);
        lx_destroy(self);
    }
    CHECK(!lx_cuda_release(0, message, sizeof message) && !lx_cuda_memory(0, &u, message, sizeof message));
    CHECK(u.pinned == 0 && fake_count().pinned == pinned);
    results_change_sides();
    written_inputs_come_back();
    results_lie_where_inputs_do();
    layouts_arrive_whole();
}

#endif
