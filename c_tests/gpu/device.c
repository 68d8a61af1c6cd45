/*
 * The executor on a GPU that is not there: memory, graphs, streams, several devices, faults and forks, over
 * fake_driver.c. Every call of the driver's is made to fail once.
 */
#define _GNU_SOURCE
/* Host tensors of few bytes go through several slots, and beside the kernels. */
#define SLOT_BYTES 1024u
#define LEAST_SLOT_BYTES 256u
#define BESIDE_BYTES 2048u
#define SHARED_BYTES 512u
#define SHARE_BYTES 128u
#include "../../src/executor/unity.c"

#include <sys/wait.h>

#include "checks.h"
#include "host_tensors.h"
#include "profiles.h"
#include "recordings.h"

static void runs_step_by_step(void) {
    builder b;
    lx_instance *self = make(chain_plan(&b), 0, 0);
    CHECK(self);
    for (int k = 0; k < 3; k++) CHECK(!chain_once(self, NULL, 0, 100 + k, 3, k));
    CHECK(fake_count().graph_launches == 0);
    CHECK(strstr(counts_of(self).reason, "mode"));
    litz_run_options async = {.struct_size = sizeof async, .flags = LITZ_RUN_ASYNC};
    uint64_t waits = fake_count().waits;
    CHECK(!chain_once(self, &async, 0, 50, 4, 1));
    CHECK(fake_count().waits == waits + 1);
    CHECK(!chain_once(self, &async, 0, 0, 4, 1));
    lx_destroy(self);
}

/* In the middle of a run: an asynchronous run that it follows is waited for, though this run has its tables. */
typedef struct follower {
    lx_instance *self;
    const sample *earlier;
    bool waited;
} follower;
static void *wait_for_the_earlier(void *context, size_t k, uint64_t bytes, int32_t ndim, const int64_t *shape, const int64_t *strides) {
    (void)bytes, (void)ndim, (void)shape, (void)strides;
    follower *f = context;
    if (k == 0) f->waited = !lx_synchronize(f->self, NULL, 0) && at(f->earlier, 1) == 5;
    return NULL; /* there is no memory for this one */
}

static void runs_that_are_followed_are_waited_for(void) {
    builder b;
    lx_instance *self = make(chain_plan(&b), 0, 0);
    sample *x = sample_new(0, 64, 1), *y = sample_new(0, 64, 2), *z = sample_new(0, 64, 0), *s = sample_new(0, 64, 0), *t = sample_new(0, 16, 0);
    litz_run_options async = {.struct_size = sizeof async, .flags = LITZ_RUN_ASYNC};
    int64_t by = 3;
    CHECK(!run_with(self, &async, (sample *[]){x, y, NULL}, &by, 3, (sample *[]){z, s, t}));
    CHECK(at(s, 1) == 1); /* nobody has waited: it will be 2 + 3 */
    follower f = {self, s, false};
    DLTensor number = {&by, {kDLCPU, 0}, 0, {kDLInt, 64, 1}, NULL, NULL, 0};
    const DLTensor *inputs[] = {&x->dl, &y->dl, &number};
    CHECK(lx_run_allocating(self, inputs, 3, wait_for_the_earlier, NULL, &f, 3, NULL, message, sizeof message));
    CHECK(f.waited);
    sample *all[] = {x, y, z, s, t};
    for (size_t k = 0; k < 5; k++) sample_free(all[k]);
    lx_destroy(self);
}

static void programs_share_an_arena(void) {
    lx_cuda_release(0, message, sizeof message);
    builder one, two;
    uint64_t before = fake_count().allocations;
    for (int plain = 0; plain < 2; plain++) {
        uint32_t flags = LX_PROGRAM_GRAPHS | (plain ? LX_PROGRAM_PLAIN_GRAPHS : 0);
        lx_instance *a = make(chain_plan(&one), flags, 0), *b = make(sums_plan(&two), flags, 0);
        sample *x = sample_new(0, 16, 1), *y = sample_new(0, 16, 2), *out = sample_new(0, 16, 0);
        for (int k = 0; k < 4; k++) {
            CHECK(!chain_once(a, NULL, 0, 64, 3, k));
            CHECK(!run_with(b, NULL, (sample *[]){x, y, NULL}, NULL, 1, (sample *[]){out}));
            CHECK(at(out, 0) == 1 + 40 * 2);
        }
        lx_synchronize(a, message, sizeof message);
        /* x, y, out; w and what is derived of it; the arenas. */
        CHECK(fake_count().allocations - before == (plain ? 7 : 6));
        sample_free(x);
        sample_free(y);
        sample_free(out);
        lx_destroy(a);
        lx_destroy(b);
        lx_cuda_release(0, message, sizeof message);
        CHECK(fake_count().allocations == before);
    }
}

static lx_instance *make_many(builder *b, const int32_t *weights) {
    lx_program program = program_of(many_plan(b), 0, 0);
    const void *const constants[] = {weights};
    lx_instance *made = NULL;
    program.constants = constants;
    CHECK(!lx_create(&program, NULL, &made, message, sizeof message));
    return made;
}

static bool gives(lx_instance *self, const int32_t *weights) {
    sample *out = sample_new(0, MANY, 0);
    bool right = !run_with(self, NULL, (sample *[]){NULL}, NULL, 1, (sample *[]){out});
    for (int64_t k = 0; k < MANY; k++) right = right && at(out, k) == 3 * weights[k];
    sample_free(out);
    return right;
}

/* Programs over equal constants have one copy of them on the device, and one of what is derived of it. */
static void programs_share_constants(void) {
    static int32_t one[MANY], equal[MANY], other[MANY], third[MANY];
    builder b[4];
    uint64_t before;
    int64_t shape[1] = {MANY};
    for (int k = 0; k < MANY; k++) one[k] = equal[k] = other[k] = k * 7 % 1000, third[k] = k;
    other[300]++; /* where nobody looks first */
    lx_cuda_release(0, message, sizeof message);
    before = fake_count().allocations;
    lx_instance *first = make_many(&b[0], one), *second = make_many(&b[1], equal), *clone = NULL;
    CHECK(fake_count().allocations == before + 2);
    lx_instance *differs = make_many(&b[2], other);
    CHECK(fake_count().allocations == before + 4);
    CHECK(!lx_clone(second, &clone, message, sizeof message));
    CHECK(fake_count().allocations == before + 4);
    CHECK(gives(first, one) && gives(second, one) && gives(clone, one) && gives(differs, other));
    /* An update is the instance's own. */
    DLTensor now = {.data = third, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLInt, 32, 1}, .shape = shape};
    CHECK(!lx_update_constants(second, (const char *[]){"w"}, (const DLTensor *[]){&now}, 1, message, sizeof message));
    CHECK(fake_count().allocations == before + 6);
    CHECK(gives(first, one) && gives(second, third) && gives(clone, one));
    lx_destroy(first);
    CHECK(gives(clone, one) && gives(differs, other));
    lx_destroy(clone);
    lx_destroy(second);
    lx_destroy(differs);
    CHECK(fake_count().allocations == before);
}

static void state_is_kept_and_assertions_are_said(void) {
    builder b;
    for (uint32_t flags = 0; flags <= LX_PROGRAM_GRAPHS; flags += LX_PROGRAM_GRAPHS) {
        lx_instance *self = make(state_plan(&b), flags, 0), *copy = NULL;
        sample *x = sample_new(0, 16, 1), *bad = sample_new(0, 16, -3), *out = sample_new(0, 16, 0);
        for (int k = 1; k <= 4; k++) {
            CHECK(!run_with(self, NULL, (sample *[]){x, NULL}, NULL, 1, (sample *[]){out}));
            CHECK(at(out, 2) == 20 + 3 * k);
        }
        CHECK(!lx_clone(self, &copy, message, sizeof message));
        CHECK(run_with(self, NULL, (sample *[]){bad, NULL}, NULL, 1, (sample *[]){out}) == LITZ_ERROR_ASSERTION);
        SAYS("every x must be positive");
        CHECK(!run_with(copy, NULL, (sample *[]){x, NULL}, NULL, 1, (sample *[]){out}));
        CHECK(at(out, 2) == 20 + 15);
        /* Asynchronous: said once, by who waits. */
        litz_run_options async = {.struct_size = sizeof async, .flags = LITZ_RUN_ASYNC};
        CHECK(!run_with(copy, &async, (sample *[]){bad, NULL}, NULL, 1, (sample *[]){out}));
        CHECK(lx_synchronize(copy, message, sizeof message) == LITZ_ERROR_ASSERTION);
        CHECK(!lx_synchronize(copy, message, sizeof message));
        int32_t now[16];
        CHECK(!run_with(copy, &async, (sample *[]){x, NULL}, NULL, 1, (sample *[]){out}));
        CHECK(!lx_copy_constant(copy, 0, now, sizeof now, message, sizeof message));
        CHECK(now[2] == 20 + 15 + -1 + 3);
        lx_destroy(copy);
        lx_destroy(self);
        sample_free(x);
        sample_free(bad);
        sample_free(out);
    }
}

/* Waits for events that runs of `self` make the GPU do. */
static uint64_t waits_of(lx_instance *self, void *stream, sample **in, sample *out) {
    litz_run_options o = {.struct_size = sizeof o, .flags = LITZ_RUN_HAS_STREAM | LITZ_RUN_ASYNC, .stream = stream};
    uint64_t before = fake_count().event_waits;
    CHECK(!run_with(self, &o, in, NULL, 1, (sample *[]){out}));
    return fake_count().event_waits - before;
}

/* A run waits on the GPU for the one before it but where the stream itself sees to that: the same stream, not only the same handle. */
static void runs_follow_on_their_stream(void) {
    builder b;
    for (uint32_t flags = 0; flags <= LX_PROGRAM_GRAPHS; flags += LX_PROGRAM_GRAPHS) {
        lx_instance *self = make(sums_plan(&b), flags, 0);
        const driver *d = self->shared->device->driver;
        cu_stream stream = NULL, other = NULL;
        CHECK(!enter_device(self->shared, (lx_error){NULL, 0}));
        CHECK(!d->stream_create(&stream, 1) && !d->stream_create(&other, 1));
        leave_device(self->shared);
        sample *x = sample_new(0, 16, 1), *y = sample_new(0, 16, 2), *out = sample_new(0, 16, 0), **in = (sample *[]){x, y, NULL};
        CHECK(waits_of(self, stream, in, out) == 0);
        for (int k = 0; k < 3; k++) CHECK(waits_of(self, stream, in, out) == 0);
        CHECK(waits_of(self, other, in, out) > 0);
        CHECK(waits_of(self, other, in, out) == 0);
        CHECK(waits_of(self, NULL, in, out) > 0);
        CHECK(waits_of(self, stream, in, out) > 0);
        fake_renew_stream(stream);
        CHECK(waits_of(self, stream, in, out) > 0);
        CHECK(waits_of(self, stream, in, out) == 0);
        /* A driver that has no number for it, once. */
        fake_fail_function("cuStreamGetId", 1, 1);
        CHECK(waits_of(self, stream, in, out) > 0);
        CHECK(fake_failed());
        fake_fail(0, 0);
        CHECK(waits_of(self, stream, in, out) > 0);
        CHECK(waits_of(self, stream, in, out) == 0);
        CHECK(!lx_synchronize(self, message, sizeof message) && at(out, 0) == 81);
        sample_free(x);
        sample_free(y);
        sample_free(out);
        lx_destroy(self);
        CHECK(!enter_process_device(0, &(opened_device *){NULL}, (lx_error){NULL, 0}));
        d->stream_destroy(stream);
        d->stream_destroy(other);
        leave_process_device(opened_at(0));
    }
}

typedef struct run_of_thread {
    lx_instance *self;
    sample *x, *out;
} run_of_thread;
static void *run_on_own_stream(void *argument) {
    run_of_thread *r = argument;
    CHECK(waits_of(r->self, CU_STREAM_OF_THREAD, (sample *[]){r->x, NULL}, r->out) > 0);
    return NULL;
}

/* The handle of a thread's own stream means another one in each thread, and what one has begun the other waits for. */
static void threads_have_streams_of_their_own(void) {
    builder b;
    for (uint32_t flags = 0; flags <= LX_PROGRAM_GRAPHS; flags += LX_PROGRAM_GRAPHS) {
        lx_instance *self = make(state_plan(&b), flags, 0);
        run_of_thread r = {self, sample_new(0, 16, 1), sample_new(0, 16, 0)};
        sample *out = sample_new(0, 16, 0);
        waits_of(self, CU_STREAM_OF_THREAD, (sample *[]){r.x, NULL}, out);
        pthread_t thread;
        pthread_create(&thread, NULL, run_on_own_stream, &r);
        pthread_join(thread, NULL);
        CHECK(!lx_synchronize(self, message, sizeof message));
        CHECK(at(out, 2) == 20 + 3 && at(r.out, 2) == 20 + 6);
        sample_free(r.x);
        sample_free(r.out);
        sample_free(out);
        lx_destroy(self);
    }
}

static void streams_and_devices(void) {
    builder b;
    lx_instance *self = make(chain_plan(&b), LX_PROGRAM_GRAPHS, 0), *second = make(chain_plan(&b), LX_PROGRAM_GRAPHS, 1);
    const driver *d = self->shared->device->driver;
    cu_stream stream = NULL, other = NULL;
    CHECK(!enter_device(self->shared, (lx_error){NULL, 0}));
    CHECK(!d->stream_create(&stream, 1) && !d->stream_create(&other, 1));
    leave_device(self->shared);
    litz_run_options o = {.struct_size = sizeof o, .flags = LITZ_RUN_HAS_STREAM | LITZ_RUN_ASYNC, .stream = stream};
    for (int k = 0; k < 6; k++) {
        o.stream = k % 3 == 2 ? NULL : k % 2 ? other : stream;
        CHECK(!chain_once(self, &o, 0, 64, 3, k));
    }
    CHECK(!chain_once(second, NULL, 1, 64, 3, 1));
    CHECK(chain_once(self, NULL, 1, 64, 3, 1) == LITZ_ERROR_DEVICE);
    SAYS("input 0 `x`");
    SAYS("index 1");
    sample *x = sample_new(0, 16, 0), *y = sample_new(1, 16, 0);
    int64_t by = 1;
    CHECK(run_with(self, NULL, (sample *[]){x, y, NULL}, &by, 3, (sample *[]){x, x, x}) == LITZ_ERROR_DEVICE);
    SAYS("input 1 `y`");
    o.stream = fake_foreign_stream();
    CHECK(chain_once(self, &o, 0, 64, 3, 1) == LITZ_ERROR_DEVICE);
    SAYS("another context");
    free(o.stream);
    o.stream = stream;
    CHECK(!enter_device(self->shared, (lx_error){NULL, 0}));
    CHECK(!d->capture_begin(stream, 0));
    CHECK(chain_once(self, &o, 0, 64, 3, 1) == LITZ_ERROR_UNSUPPORTED);
    SAYS("captured");
    cu_graph captured = NULL;
    CHECK(!d->capture_end(stream, &captured) && !d->graph_destroy(captured));
    leave_device(self->shared);
    CHECK(!make(chain_plan(&b), 0, 7));
    SAYS("no CUDA device 7");
    /* A run that names another device than the program's. */
    litz_run_options there = {.struct_size = sizeof there, .device_index = 1};
    for (int k = 0; k < 3; k++) CHECK(!chain_once(self, &there, 1, 64, 3, k) && !chain_once(self, NULL, 0, 64, 3, k));
    CHECK(chain_once(self, &there, 0, 64, 3, 1) == LITZ_ERROR_DEVICE);
    int32_t weights[16] = {7};
    DLTensor data = {weights, {kDLCPU, 0}, 1, {kDLInt, 32, 1}, &(int64_t){16}, NULL, 0};
    CHECK(!lx_update_constants(self, &(const char *){"w"}, &(const DLTensor *){&data}, 1, message, sizeof message));
    sample *in[] = {sample_new(1, 16, 0), sample_new(1, 16, 0), NULL}, *out[] = {sample_new(1, 16, 0), sample_new(1, 16, 0), sample_new(1, 16, 9)};
    CHECK(!run_with(self, &there, in, &(int64_t){1}, 3, out));
    CHECK(at(out[2], 0) == 21 && at(out[2], 1) == 0);
    for (int k = 0; k < 2; k++) sample_free(in[k]);
    for (int k = 0; k < 3; k++) sample_free(out[k]);
    there.device_index = 5;
    CHECK(chain_once(self, &there, 1, 64, 3, 1) == LITZ_ERROR_DEVICE);
    SAYS("no CUDA device 5");
    sample_free(x);
    sample_free(y);
    lx_destroy(self);
    lx_destroy(second);
    CHECK(!enter_process_device(0, &(opened_device *){NULL}, (lx_error){NULL, 0}));
    d->stream_destroy(stream);
    d->stream_destroy(other);
    leave_process_device(opened_at(0));
}

static void sizes_are_asserted(void) {
    builder b;
    lx_instance *self = make(chain_plan(&b), LX_PROGRAM_GRAPHS | LX_PROGRAM_SIZE_ASSERTS, 0);
    CHECK(!chain_once(self, NULL, 0, 64, 3, 1));
    sample *x = sample_new(0, 64, 0), *y = sample_new(0, 256, 0), *z = sample_new(0, 256, 0), *s = sample_new(0, 256, 0), *t = sample_new(0, 16, 0);
    x->size = y->size = z->size = s->size = 256;
    int64_t by = 1;
    CHECK(run_with(self, NULL, (sample *[]){x, y, NULL}, &by, 3, (sample *[]){z, s, t}) == LITZ_ERROR_SHAPE);
    SAYS("input 0 `x`: its sizes and strides reach");
    void *data = x->dl.data;
    int32_t here[256];
    x->dl.data = here;
    CHECK(run_with(self, NULL, (sample *[]){x, y, NULL}, &by, 3, (sample *[]){z, s, t}) == LITZ_ERROR_DEVICE);
    SAYS("is not memory of a GPU");
    x->dl.data = data;
    sample *all[] = {x, y, z, s, t};
    for (size_t k = 0; k < 5; k++) sample_free(all[k]);
    lx_destroy(self);
}

static void memory_runs_out_and_comes_back(void) {
    builder b;
    lx_cuda_release(0, message, sizeof message);
    lx_instance *self = make(chain_plan(&b), LX_PROGRAM_GRAPHS, 0);
    CHECK(!chain_once(self, NULL, 0, 64, 3, 1));
    lx_cuda_usage u;
    CHECK(!lx_cuda_memory(0, &u, message, sizeof message));
    CHECK(u.reserved >= u.allocated && u.cached >= 32768 && u.peak_reserved >= u.reserved && u.total > u.available);
    fake_memory(u.reserved + 4096);
    /* What is cached makes room. */
    uint64_t trims = fake_count().trims;
    sample *large = sample_new(0, 6000, 0);
    CHECK(large && fake_count().trims > trims);
    sample *more = sample_new(0, 20000, 0);
    CHECK(!more);
    SAYS("of 80000 bytes");
    SAYS("are free");
    SAYS("cached");
    CHECK(chain_once(self, NULL, 0, 4000, 3, 1) == LITZ_ERROR_OUT_OF_MEMORY);
    sample_free(large);
    fake_memory(1 << 26);
    CHECK(!chain_once(self, NULL, 0, 4000, 3, 1));
    lx_destroy(self);
    CHECK(!lx_cuda_release(0, message, sizeof message));
    CHECK(!lx_cuda_memory(0, &u, message, sizeof message));
    CHECK(u.allocated == 0 && u.cached == 0 && u.reserved == 0);
    CHECK(lx_cuda_memory(9, &u, message, sizeof message) == LITZ_ERROR_DEVICE);
}

static void results_take_memory_that_came_back(void) {
    lx_cuda_usage before, kept;
    void *a = NULL, *b = NULL, *other = NULL;
    lx_cuda_release(0, message, sizeof message);
    CHECK(!lx_cuda_allocate(0, 4096, NULL, &a, message, sizeof message));
    CHECK(!lx_cuda_memory(0, &before, message, sizeof message));
    uint64_t calls = fake_count().calls;
    lx_cuda_free(0, a, 4096, NULL);
    CHECK(!lx_cuda_allocate(0, 4096, NULL, &b, message, sizeof message) && b == a && fake_count().calls == calls);
    /* It counts as cached, and serves no other size. */
    lx_cuda_free(0, b, 4096, NULL);
    CHECK(!lx_cuda_memory(0, &kept, message, sizeof message));
    CHECK(kept.allocated + 4096 == before.allocated && kept.cached == before.cached + 4096);
    CHECK(!lx_cuda_allocate(0, 2048, NULL, &other, message, sizeof message) && other != a && fake_count().calls > calls);
    lx_cuda_free(0, other, 2048, NULL);
    CHECK(!lx_cuda_release(0, message, sizeof message));
    CHECK(!lx_cuda_memory(0, &kept, message, sizeof message));
    CHECK(kept.allocated == 0 && kept.cached == 0 && kept.reserved == 0);
}

static void the_best_architecture_is_taken(void) {
    builder b;
    static const char *const texts[] = {"FAKE 80 which", "FAKE 80 litz_copy_strided litz_fill", "FAKE 90 which", "FAKE 90 litz_copy_strided litz_fill",
                                        "FAKE 90 which litz_copy_strided litz_fill", "FAKE 89 which litz_copy_strided litz_fill"};
    lx_cubin cubins[] = {{texts[0], 20, 80, 0}, {texts[1], 40, 80, 0},  {texts[2], 20, 90, LX_CUBIN_EXACT}, {texts[3], 40, 90, LX_CUBIN_EXACT},
                         {texts[4], 50, 90, 0}, {texts[5], 50, 89, 0}};
    static const struct {
        int gpu;
        uint32_t n;
        int expected;
    } cases[] = {{90, 6, 90}, {80, 6, 80}, {86, 6, 80}, {89, 6, 89}, {75, 6, 0}, {100, 6, 0}, {90, 2, 0}, {87, 2, 80}};
    lx_program program = program_of(which_plan(&b), 0, 0);
    program.cubins = cubins;
    sample *out = sample_new(0, 1, 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        lx_instance *made = NULL;
        program.n_cubins = cases[k].n;
        fake_arch(cases[k].gpu);
        litz_status status = lx_create(&program, NULL, &made, message, sizeof message);
        CHECK(status == (cases[k].expected ? LITZ_OK : LITZ_ERROR_UNSUPPORTED));
        if (status) continue;
        CHECK(!run_with(made, NULL, (sample *[]){NULL}, NULL, 1, (sample *[]){out}));
        CHECK(at(out, 0) == cases[k].expected);
        lx_destroy(made);
    }
    fake_arch(75);
    lx_instance *made = NULL;
    program.n_cubins = 6;
    CHECK(lx_create(&program, NULL, &made, message, sizeof message) == LITZ_ERROR_UNSUPPORTED);
    SAYS("capability 7.5");
    SAYS("8.0, 9.0 alone, 9.0, 8.9");
    fake_arch(90);
    sample_free(out);
}

/* All that an instance does, ended at whatever fails. */
static litz_status life(uint32_t flags) {
    builder b;
    lx_instance *self = make(chain_plan(&b), flags, 0), *copy = NULL;
    if (!self) return LITZ_ERROR_CUDA;
    litz_status status = LITZ_OK;
    litz_run_options async = {.struct_size = sizeof async, .flags = LITZ_RUN_ASYNC};
    if (flags & LX_PROGRAM_HOST_TENSORS) {
        for (int k = 0; !status && k < 3; k++) status = chain_on_host(self, k % 2 ? &async : NULL, 64 + 600 * (k > 0), 3, k, k);
        lx_destroy(self);
        return status;
    }
    for (int k = 0; !status && k < 4; k++) status = chain_once(self, k % 2 ? &async : NULL, 0, 64, 3, k);
    if (!status) status = chain_once(self, NULL, 0, 32, 3, 1);
    if (!status) status = lx_clone(self, &copy, message, sizeof message);
    int32_t weights[16];
    if (!status) status = lx_copy_constant(self, 0, weights, sizeof weights, message, sizeof message);
    DLTensor data = {weights, {kDLCPU, 0}, 1, {kDLInt, 32, 1}, &(int64_t){16}, NULL, 0};
    if (!status) status = lx_update_constants(self, &(const char *){"w"}, &(const DLTensor *){&data}, 1, message, sizeof message);
    if (!status) status = chain_once(self, NULL, 0, 64, 3, 1);
    lx_destroy(copy);
    lx_destroy(self);
    return status;
}

static void every_call_fails_once(void) {
    static const uint32_t kinds[] = {0, LX_PROGRAM_GRAPHS, LX_PROGRAM_HOST_TENSORS, LX_PROGRAM_GRAPHS | LX_PROGRAM_HOST_TENSORS};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        uint32_t flags = kinds[kind];
        CHECK(!life(flags));
        lx_cuda_release(0, message, sizeof message);
        fake_counts before = fake_count();
        for (int code = 1; code <= 2; code++) {
            int said = 0;
            for (uint64_t k = 1;; k++) {
                fake_fail(k, code);
                litz_status status = life(flags);
                const char *failed = fake_failed();
                fake_fail(0, 0);
                if (!failed) break;
                if (status) {
                    said++;
                    CHECK(message[0] && (status == LITZ_ERROR_CUDA || status == LITZ_ERROR_OUT_OF_MEMORY || status == LITZ_ERROR_INTERNAL));
                }
                lx_cuda_release(0, message, sizeof message);
                fake_counts now = fake_count();
                bool release = strstr(failed, "Destroy") || strstr(failed, "Free") || strstr(failed, "Unload") || strstr(failed, "PushCurrent");
                bool clean = now.graphs == before.graphs && now.replays == before.replays && now.events == before.events &&
                             now.pinned == before.pinned && now.modules == before.modules && now.streams == before.streams &&
                             now.allocations == before.allocations;
                if (!clean && !release) {
                    fprintf(stderr, "call %llu, %s, leaves something behind\n", (unsigned long long)k, failed);
                    failures++;
                }
                if (!clean) before = now;
                CHECK(now.violations == before.violations && depth_of_contexts() == 0);
                CHECK(!life(flags));
            }
            CHECK(said > 20);
        }
    }
}

/* Whether a fork's child is told before it compiles. */
static bool child_is_told(void) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(lx_cuda_check_fork(message, sizeof message) == LITZ_ERROR_STATE && strstr(message, "forked") ? 0 : 1);
    int ended = 0;
    waitpid(child, &ended, 0);
    return WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
}

/* The compiler calls the driver by itself, before there is any program. */
__attribute__((unused)) static void children_of_compilers_are_told(void) {
    CHECK(!child_is_told());
    lx_cuda_note_use();
    CHECK(child_is_told());
    CHECK(!lx_cuda_check_fork(message, sizeof message));
}

__attribute__((unused)) static void forked_children_are_told(void) {
    builder b;
    lx_instance *self = make(chain_plan(&b), LX_PROGRAM_GRAPHS, 0);
    for (int k = 0; k < 3; k++) CHECK(!chain_once(self, NULL, 0, 64, 3, k));
    sample *x = sample_new(0, 64, 1), *y = sample_new(0, 64, 2), *z = sample_new(0, 64, 0), *s = sample_new(0, 64, 0), *t = sample_new(0, 16, 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        int64_t by = 3;
        lx_instance *made = NULL;
        bool good = run_with(self, NULL, (sample *[]){x, y, NULL}, &by, 3, (sample *[]){z, s, t}) == LITZ_ERROR_STATE &&
                    strstr(message, "forked") != NULL;
        good = good && lx_clone(self, &made, message, sizeof message) == LITZ_ERROR_STATE;
        good = good && lx_synchronize(self, message, sizeof message) == LITZ_ERROR_STATE;
        good = good && !make(chain_plan(&b), 0, 0) && strstr(message, "forked");
        void *data;
        good = good && lx_cuda_allocate(0, 16, NULL, &data, message, sizeof message) == LITZ_ERROR_STATE;
        lx_cuda_free(0, x->dl.data, 0, NULL);
        lx_drop_graphs();
        lx_destroy(self);
        _exit(good ? 0 : 1);
    }
    int ended = 0;
    waitpid(child, &ended, 0);
    CHECK(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    CHECK(!chain_once(self, NULL, 0, 64, 3, 1));
    sample *all[] = {x, y, z, s, t};
    for (size_t k = 0; k < 5; k++) sample_free(all[k]);
    lx_destroy(self);
}

typedef struct worker {
    pthread_t thread;
    lx_instance *self;
    int number, wrong;
} worker;

static void *work(void *argument) {
    worker *w = argument;
    builder b;
    lx_instance *own = w->number % 2 ? make(chain_plan(&b), LX_PROGRAM_GRAPHS | LX_PROGRAM_HOST_TENSORS, w->number % 4 == 3) : NULL;
    litz_run_options async = {.struct_size = sizeof async, .flags = LITZ_RUN_ASYNC};
    for (int k = 0; k < 40; k++) {
        int device = own ? w->number % 4 == 3 : 0;
        if (own && k % 4 == 1 && chain_on_host(own, k % 3 ? NULL : &async, 16 * (1 + k), 3, k, k)) w->wrong++;
        if (chain_once(own ? own : w->self, k % 3 ? NULL : &async, device, 16 * (1 + k % 5), 3, k)) w->wrong++;
        if (k % 10 == 9) lx_drop_graphs();
        if (k % 15 == 14) lx_cuda_release(device, NULL, 0);
    }
    lx_destroy(own);
    return NULL;
}

static void threads_run_side_by_side(void) {
    builder b;
    worker workers[6];
    lx_instance *self = make(chain_plan(&b), LX_PROGRAM_GRAPHS, 0);
    for (int k = 0; k < 6; k++) {
        workers[k] = (worker){.self = self, .number = k};
        pthread_create(&workers[k].thread, NULL, work, &workers[k]);
    }
    for (int k = 0; k < 6; k++) {
        pthread_join(workers[k].thread, NULL);
        CHECK(workers[k].wrong == 0);
    }
    lx_destroy(self);
}

/* Last: the device is lost then. */
static void a_fault_is_said_once(void) {
    builder b, c;
    lx_instance *self = make(trap_plan(&b), LX_PROGRAM_GRAPHS, 0), *good = make(chain_plan(&c), LX_PROGRAM_GRAPHS, 0);
    CHECK(!chain_once(good, NULL, 0, 64, 3, 1));
    sample *x = sample_new(0, 16, 0), *out = sample_new(0, 16, 0);
    litz_run_options async = {.struct_size = sizeof async, .flags = LITZ_RUN_ASYNC};
    CHECK(!run_with(self, &async, (sample *[]){x, NULL}, NULL, 1, (sample *[]){out}));
    CHECK(lx_synchronize(self, message, sizeof message) == LITZ_ERROR_CUDA);
    SAYS("illegal memory access");
    SAYS("start it again");
    CHECK(run_with(self, NULL, (sample *[]){x, NULL}, NULL, 1, (sample *[]){out}) == LITZ_ERROR_CUDA);
    SAYS("was lost by an earlier fault");
    CHECK(chain_once(good, NULL, 0, 64, 3, 1) != LITZ_OK);
    CHECK(!make(chain_plan(&c), 0, 0));
    SAYS("was lost");
    lx_destroy(self);
    lx_destroy(good);
    free(x);
    free(out);
    /* The other device goes on. */
    fake_heal();
    lx_instance *second = make(chain_plan(&c), LX_PROGRAM_GRAPHS, 1);
    CHECK(second && !chain_once(second, NULL, 1, 64, 3, 1));
    lx_destroy(second);
}

int main(int n, char **arguments) {
    if (n != 2) return 2;
    products_library = arguments[1];
#ifndef __SANITIZE_THREAD__ /* which does not know how a child takes over locks */
    children_of_compilers_are_told();
#endif
    runs_step_by_step();
    runs_that_are_followed_are_waited_for();
    graphs_are_recorded_and_patched();
    an_input_of_many_steps_is_copied();
    steps_have_graphs_of_their_own();
    programs_share_an_arena();
    programs_share_constants();
    state_is_kept_and_assertions_are_said();
    what_waits_is_not_recorded();
    fills_of_libraries_become_kernels();
    a_recording_of_other_places_is_forgotten();
    runs_follow_on_their_stream();
    threads_have_streams_of_their_own();
    streams_and_devices();
    sizes_are_asserted();
    memory_runs_out_and_comes_back();
    results_take_memory_that_came_back();
    the_best_architecture_is_taken();
    profiles_tell_what_steps_take();
    host_tensors_are_copied();
    every_call_fails_once();
#ifndef __SANITIZE_THREAD__ /* which does not know how a child takes over locks */
    forked_children_are_told();
#endif
    threads_run_side_by_side();
    a_fault_is_said_once();
    CHECK(fake_count().violations == 0);
    if (failures) return 1;
    puts("all right");
    return 0;
}
