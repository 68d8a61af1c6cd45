/* Tests of what steps of runs take, as the host is told. Part of device.c. */
#ifndef LITZ_TEST_PROFILES_H
#define LITZ_TEST_PROFILES_H

#include "checks.h"

typedef struct told {
    uint32_t runs, n, whole;
    uint32_t steps[16];
    int64_t took[16], begins[16], bytes[16], flop[16];
} told;

static void tell(void *context, const lx_run_times *run) {
    told *t = context;
    t->runs++;
    t->n = run->n_steps;
    t->whole = run->whole;
    CHECK(run->began > 0 && run->took >= 0);
    for (uint32_t k = 0; k < run->n_steps && k < 16; k++) {
        t->steps[k] = run->steps[k].step;
        t->begins[k] = run->steps[k].begin;
        t->took[k] = run->steps[k].end - run->steps[k].begin;
        t->bytes[k] = run->steps[k].bytes;
        t->flop[k] = run->steps[k].flop;
    }
}

static void steps_are_timed(uint32_t flags, int32_t graphs) {
    builder b;
    const void *plan = chain_plan(&b);
    lx_program program = program_of(plan, flags, 0);
    told t = {0};
    lx_host host = {.profiled = tell, .profile_context = &t, .profiles_graphs = graphs};
    /* The scalars 0 and 1 stand for bytes and operations of the second step. */
    const uint32_t costs[10] = {UINT32_MAX, UINT32_MAX, 0, 1, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    lx_instance *self = NULL;
    program.costs = costs;
    CHECK(!lx_create(&program, &host, &self, message, sizeof message));
    sample *x = sample_new(0, 64, 1), *y = sample_new(0, 64, 2), *z = sample_new(0, 64, 0), *s = sample_new(0, 64, 0), *r = sample_new(0, 16, 0);
    int64_t by = 3;
    fake_count_time(1);
    for (uint32_t k = 0; k < 5; k++) {
        /* An asynchronous run is waited for, too. */
        litz_run_options o = {.struct_size = sizeof o, .flags = k % 2 ? LITZ_RUN_ASYNC : 0};
        CHECK(!run_with(self, &o, (sample *[]){x, y, NULL}, &by, 3, (sample *[]){z, s, r}));
        CHECK(t.runs == k + 1 && at(z, 1) == (2 + 3) * 3 + 2);
        bool whole = flags & LX_PROGRAM_GRAPHS && k > 0;
        CHECK(t.whole == whole && t.n == (whole && !graphs ? 0 : 5));
        for (uint32_t n = 0; n < t.n; n++) {
            CHECK(t.steps[n] == n && t.took[n] == 1000000);
            CHECK(n == 0 || t.begins[n] - t.begins[n - 1] == 1000000);
            CHECK(t.bytes[n] == (n == 1 ? 64 : -1) && (n == 1 ? t.flop[n] >= 0 : t.flop[n] == -1));
        }
    }
    if (flags & LX_PROGRAM_GRAPHS) CHECK(counts_of(self).recorded == 1 && counts_of(self).replayed == 4);
    fake_count_time(0);
    sample *all[] = {x, y, z, s, r};
    for (size_t k = 0; k < 5; k++) sample_free(all[k]);
    uint64_t events = fake_count().events;
    lx_destroy(self);
    CHECK(fake_count().events < events);
}

static void profiles_tell_what_steps_take(void) {
    steps_are_timed(0, 0);
    steps_are_timed(LX_PROGRAM_GRAPHS, 0);
    steps_are_timed(LX_PROGRAM_GRAPHS, 1);
}

#endif
