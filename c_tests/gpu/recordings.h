/* Tests of runs as graphs: what is recorded, patched, replayed, forgotten. Part of device.c. */
#ifndef LITZ_TEST_RECORDINGS_H
#define LITZ_TEST_RECORDINGS_H

#include "checks.h"

static void graphs_are_recorded_and_patched(void) {
    builder b;
    lx_instance *self = make(chain_plan(&b), LX_PROGRAM_GRAPHS, 0);
    /* Other memory at each run: what is held keeps the pool from giving the same again. */
    sample *held[12];
    for (int k = 0; k < 12; k++) {
        CHECK(!chain_once(self, NULL, 0, 64, 3, k));
        held[k] = sample_new(0, 64, 0);
    }
    lx_graph_counts c = counts_of(self);
    CHECK(c.eager == 1 && c.recorded == 1 && c.replayed == 11 && !c.reason);
    CHECK(c.patched > 0);
    /* Another number, and other sizes: patched where that is little, recorded where it is seen again. */
    for (int k = 0; k < 6; k++) CHECK(!chain_once(self, NULL, 0, 64, 5 + k, k));
    CHECK(counts_of(self).recorded == 1);
    for (int k = 0; k < 60; k++) CHECK(!chain_once(self, NULL, 0, 64 * (1 + k % 20), 3 + k % 3, k));
    CHECK(counts_of(self).recorded <= 8 && counts_of(self).eager < 5);
    /* Nothing to do for a step, and again something. */
    for (int k = 0; k < 6; k++) CHECK(!chain_once(self, NULL, 0, k % 2 ? 32 : 0, 3, k));
    for (int k = 0; k < 12; k++) sample_free(held[k]);
    /* Equal memory and sizes are replayed with one call. */
    sample *x = sample_new(0, 64, 1), *y = sample_new(0, 64, 2), *z = sample_new(0, 64, 0), *s = sample_new(0, 64, 0), *t = sample_new(0, 16, 0);
    int64_t by = 3;
    for (int k = 0; k < 4; k++) CHECK(!run_with(self, NULL, (sample *[]){x, y, NULL}, &by, 3, (sample *[]){z, s, t}));
    fake_counts before = fake_count();
    CHECK(!run_with(self, NULL, (sample *[]){x, y, NULL}, &by, 3, (sample *[]){z, s, t}));
    fake_counts after = fake_count();
    CHECK(after.graph_launches == before.graph_launches + 1 && after.launches == before.launches && after.patches == before.patches);
    CHECK(after.calls - before.calls <= 6);
    /* A constant that moves. */
    sample *w = sample_new(0, 16, 0);
    const char *name = "w";
    const DLTensor *data = &w->dl;
    CHECK(!lx_update_constants(self, &name, &data, 1, message, sizeof message));
    for (int k = 0; k < 4; k++) {
        CHECK(!run_with(self, NULL, (sample *[]){x, y, NULL}, &by, 3, (sample *[]){z, s, t}));
        CHECK(at(t, 5) == 15 && at(t, 0) == 0 && at(z, 1) == 17);
    }
    CHECK(fake_count().replays > 0);
    lx_drop_graphs();
    CHECK(fake_count().replays == 0 && fake_count().graphs == 0);
    CHECK(!run_with(self, NULL, (sample *[]){x, y, NULL}, &by, 3, (sample *[]){z, s, t}));
    sample *all[] = {x, y, z, s, t, w};
    for (size_t k = 0; k < 6; k++) sample_free(all[k]);
    lx_destroy(self);
}

static void an_input_of_many_steps_is_copied(void) {
    builder b;
    lx_instance *self = make(sums_plan(&b), LX_PROGRAM_GRAPHS, 0);
    sample *x = sample_new(0, 16, 1), *out = sample_new(0, 16, 0), *held[6];
    for (int k = 0; k < 6; k++) {
        sample *y = sample_new(0, 16, k);
        fake_counts before = fake_count();
        CHECK(!run_with(self, NULL, (sample *[]){x, y, NULL}, NULL, 1, (sample *[]){out}));
        CHECK(at(out, 3) == 4 + 40 * (k + 3));
        if (k > 3) CHECK(fake_count().patches == before.patches);
        held[k] = y; /* so that the next one lies elsewhere */
    }
    CHECK(counts_of(self).recorded <= 2);
    for (int k = 0; k < 6; k++) sample_free(held[k]);
    sample_free(x);
    sample_free(out);
    lx_destroy(self);
}

static void steps_have_graphs_of_their_own(void) {
    builder b;
    lx_instance *self = make(chain_plan(&b), LX_PROGRAM_GRAPHS, 0);
    sample *x[3], *y = sample_new(0, 64, 2), *z[3], *s = sample_new(0, 64, 0), *t = sample_new(0, 16, 0);
    for (int k = 0; k < 3; k++) x[k] = sample_new(0, 64, k), z[k] = sample_new(0, 64, 0);
    int64_t by = 3;
    for (int step = 0; step < 6; step++) {
        lx_mark_step();
        uint64_t patches = fake_count().patches;
        for (int k = 0; k < 3; k++) {
            CHECK(!run_with(self, NULL, (sample *[]){x[k], y, NULL}, &by, 3, (sample *[]){z[k], s, t}));
            CHECK(at(z[k], 1) == (k + 1 + 3) * 3 + k + 1);
        }
        if (step > 2) CHECK(fake_count().patches == patches);
    }
    CHECK(counts_of(self).recorded == 3);
    for (int k = 0; k < 3; k++) sample_free(x[k]), sample_free(z[k]);
    sample_free(y);
    sample_free(s);
    sample_free(t);
    lx_destroy(self);
}

static void what_waits_is_not_recorded(void) {
    builder b;
    lx_instance *self = make(late_plan(&b), LX_PROGRAM_GRAPHS, 0);
    sample *x = sample_new(0, 32, 0), *y = sample_new(0, 16, 5), *out = sample_new(0, 16, 0);
    x->size = 16;
    x->dl.dtype.bits = 64;
    for (int64_t n = 0; n < 5; n++) {
        memcpy(fake_see(x->dl.data), &n, 8);
        out->size = 16;
        CHECK(!run_with(self, NULL, (sample *[]){x, y, NULL}, NULL, 1, (sample *[]){out}));
        CHECK(out->size == n && (n < 2 || at(out, 1) == 12));
    }
    CHECK(strstr(counts_of(self).reason, "depend on data"));
    lx_destroy(self);
    sample_free(x);
    sample_free(y);
    sample_free(out);
}

/* What a library's routines fill in a recording is filled by a kernel, where that is little; the program still gives what it should
 * in whatever order the graph's edges allow. */
static void fills_of_libraries_become_kernels(void) {
    builder b;
    lx_program program = program_of(products_plan(&b), LX_PROGRAM_GRAPHS, 0);
    lx_instance *self = NULL;
    program.libraries[LX_LIBRARY_CUBLASLT] = products_library;
    CHECK(!lx_create(&program, NULL, &self, message, sizeof message));
    sample *x = sample_new(0, 16, 1), *y = sample_new(0, 16, 0), *out = sample_new(0, 16, 0);
    int32_t *of_x = fake_see(x->dl.data), *of_y = fake_see(y->dl.data);
    for (int k = 0; k < 16; k++) of_y[k] = k % 5 == 0 ? 2 : 0; /* twice what it is multiplied with */
    for (int k = 0; k < 8; k++) {
        fake_counts before = fake_count();
        for (int n = 0; n < 16; n++) of_x[n] = n + 10 * k; /* others than those of the run before */
        CHECK(!run_with(self, NULL, (sample *[]){x, y, NULL}, NULL, 1, (sample *[]){out}));
        for (int n = 0; n < 16; n++) CHECK(at(out, n) == 6 * (n + 10 * k));
        uint64_t replayed = fake_count().graph_launches - before.graph_launches;
        CHECK(replayed == (k > 0));
        /* Of each product's two the large one. */
        CHECK(fake_count().fills - before.fills == 2 * replayed);
    }
    CHECK(counts_of(self).recorded == 1 && !counts_of(self).reason);
    lx_drop_graphs();
    /* Whatever fails of it, the run goes on. */
    static const char *const calls[] = {"cuGraphGetNodes",       "cuGraphNodeGetType",  "cuGraphMemsetNodeGetParams", "cuGraphNodeGetDependencies",
                                        "cuGraphNodeGetDependentNodes", "cuGraphAddKernelNode", "cuGraphAddDependencies", "cuGraphDestroyNode"};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        for (uint64_t call = 1; call <= 3; call++) {
            fake_fail_function(calls[k], call, 1);
            for (int n = 0; n < 4; n++) {
                of_x[3] = n + 10;
                CHECK(!run_with(self, NULL, (sample *[]){x, y, NULL}, NULL, 1, (sample *[]){out}));
                CHECK(at(out, 3) == 6 * (n + 10));
            }
            bool reached = fake_failed();
            CHECK(reached || call > 2);
            fake_fail(0, 0);
            lx_drop_graphs();
        }
    }
    sample *all[] = {x, y, out};
    for (size_t k = 0; k < 3; k++) sample_free(all[k]);
    lx_destroy(self);
}

/* A run that fails once its tensors have their places leaves them as the last ones; the recording is still of those before. */
static void a_recording_of_other_places_is_forgotten(void) {
    builder b;
    lx_instance *self = make(sums_plan(&b), LX_PROGRAM_GRAPHS | LX_PROGRAM_SIZE_ASSERTS, 0);
    sample *x = sample_new(0, 16, 1), *y = sample_new(0, 16, 2), *out = sample_new(0, 16, 0), *other = sample_new(0, 16, 0);
    for (int k = 0; k < 4; k++) CHECK(!run_with(self, NULL, (sample *[]){x, y, NULL}, NULL, 1, (sample *[]){out}));
    CHECK(counts_of(self).replayed > 0 && at(out, 0) == 81);
    memset(fake_see(out->dl.data), 0, 64);
    fake_fail_function("cuMemGetAddressRange_v2", 1, 1);
    CHECK(run_with(self, NULL, (sample *[]){x, y, NULL}, NULL, 1, (sample *[]){other}) == LITZ_ERROR_DEVICE);
    fake_fail(0, 0);
    CHECK(!run_with(self, NULL, (sample *[]){x, y, NULL}, NULL, 1, (sample *[]){other}));
    CHECK(at(other, 0) == 81 && at(out, 0) == 0);
    /* And where the places are the same again, the recording is taken without a look at them. */
    fake_counts before = fake_count();
    CHECK(!run_with(self, NULL, (sample *[]){x, y, NULL}, NULL, 1, (sample *[]){other}));
    CHECK(fake_count().patches == before.patches && fake_count().graph_launches == before.graph_launches + 1);
    sample *all[] = {x, y, out, other};
    for (size_t k = 0; k < 4; k++) sample_free(all[k]);
    lx_destroy(self);
}

#endif
