/*
 * Steps of cuSOLVER without a GPU or cuSOLVER: the functions of the driver are the host's, those of the library are fake_solver.h's.
 * Results are put together again, and compared with what was given, by the plan's conventions: matrices row by row. Each call fails in
 * turn; results that the host has to look at are refused.
 */
#define _GNU_SOURCE
/* Smaller than in programs: the algorithms here are slow. */
#define LOOP_LEAST 12
#define EIGH_LEAST 12
#define SVD_LEAST 6
#define JACOBI_MOST 6
#include "../../src/executor/unity.c"

#include "unity_check.h"
static const lx_error error = {message, sizeof message};

#include "fake_solver.h"

/* The driver. */
static int driver_fails, waits, events, pinned;
static cu_result driver_call(void) { return driver_fails && --driver_fails == 0 ? CU_INVALID_VALUE : 0; }
static cu_result error_string(cu_result code, const char **text) { return (void)code, *text = "made to fail", 0; }
static cu_result copy(cu_pointer to, cu_pointer from, size_t bytes, cu_stream stream) {
    CHECK(stream == run_stream);
    cu_result code = driver_call();
    if (!code) memmove((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
    return code;
}
static cu_result fill(cu_pointer at, unsigned char value, size_t bytes, cu_stream stream) {
    CHECK(stream == run_stream);
    cu_result code = driver_call();
    if (!code) memset((void *)(uintptr_t)at, value, bytes);
    return code;
}
static cu_result synchronize(cu_stream stream) {
    CHECK(stream == run_stream);
    waits++;
    return driver_call();
}
static cu_result event_create(cu_event *out, unsigned flags) {
    (void)flags;
    cu_result code = driver_call();
    if (!code) *out = (cu_event)(uintptr_t)8, events++;
    return code;
}
static cu_result event_destroy(cu_event event) { return events -= event != NULL, 0; }
static cu_result event_record(cu_event event, cu_stream stream) { return (void)event, (void)stream, driver_call(); }
static cu_result event_synchronize(cu_event event) { return event ? driver_call() : CU_INVALID_VALUE; }
static cu_result pinned_allocate(void **out, size_t bytes, unsigned flags) {
    (void)flags;
    cu_result code = driver_call();
    if (!code) *out = malloc(bytes), pinned++;
    return code;
}
static cu_result pinned_free(void *data) { return free(data), pinned--, 0; }
/* The kernel that copies between layouts. */
static cu_result launch(cu_function function, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y, unsigned z, unsigned bytes,
                        cu_stream stream, void **arguments, void **extra) {
    (void)function, (void)gx, (void)gy, (void)gz, (void)x, (void)y, (void)z, (void)bytes, (void)extra;
    CHECK(stream == run_stream);
    cu_result code = driver_call();
    uint8_t *to = *(uint8_t **)arguments[0], *from = *(uint8_t **)arguments[1];
    const copy_plan *p = arguments[2];
    for (int64_t n = 0; !code && n < p->elements; n++) {
        int64_t left = n, t = 0, f = 0;
        for (int d = p->rank - 1; d >= 0; d--) {
            t += left % p->size[d] * p->to[d];
            f += left % p->size[d] * p->from[d];
            left /= p->size[d];
        }
        memcpy(to + t * p->item, from + f * p->item, (size_t)p->item);
    }
    return code;
}

static const driver functions = {.error_string = error_string, .copy = copy, .fill = fill, .stream_synchronize = synchronize,
                                 .event_create = event_create, .event_destroy = event_destroy, .event_record = event_record,
                                 .event_synchronize = event_synchronize, .host_allocate = pinned_allocate, .host_free = pinned_free, .launch = launch};
static opened_device process_device;
static const device gpu = {.driver = &functions, .process = &process_device};

/* A step's operands. */
enum { MOST = 4 };
typedef struct step {
    uint32_t routine;
    int64_t values[8];
    void *memory[MOST];
    uint64_t bytes[MOST];
    bool wide, refused;
    int64_t batch;
} step;

static void *operand(step *s, int k, int64_t elements, bool whole) {
    s->bytes[k] = (uint64_t)(s->batch * elements) * (whole || !s->wide ? 4 : 8);
    s->memory[k] = malloc(s->bytes[k] + 1);
    memset(s->memory[k], 0xff, s->bytes[k]);
    return s->memory[k];
}
static void release(step *s) {
    for (int k = 0; k < MOST; k++) free(s->memory[k]);
}
/* Values that nothing hides in: of matrix `b` of the batch at row `i` and column `j`. */
static double value(int64_t b, int64_t i, int64_t j) { return sin((double)(b * 37 + i * i * 11 + j * 5 + i * j * 3 + 1)); }
static double at(const step *s, int k, int64_t place) { return number(s->memory[k], place, s->wide); }
static void near(double have, double want) {
    if (!(fabs(have - want) < 2e-3)) snprintf(message, sizeof message, "%g instead of %g", have, want);
    CHECK(fabs(have - want) < 2e-3);
}

/* Runs it; false: by its sizes it is the host's. */
static litz_status attempt(step *s, solver_state *state, host_copies *copies, bool *taken) {
    solver_call call = {.library = &fake_solver, .device = &gpu, .stream = run_stream, .routine = s->routine, .values = s->values,
                        .memory = s->memory, .state = state};
    uint64_t bytes = 0;
    *taken = solver_takes(&call);
    if (!*taken) return LITZ_OK;
    litz_status status = solver_prepare(&call, &bytes, error);
    solver.workspace = status ? NULL : malloc(bytes + 1);
    solver.workspace_bytes = bytes;
    if (!status) memset(solver.workspace, 0xff, bytes);
    if (!status) status = solver_run(&call, solver.workspace, copies, &s->refused, error);
    free(solver.workspace);
    CHECK(!solver.numbers);
    return status;
}
static bool runs(step *s) {
    solver_state state = {0};
    host_copies copies = {0};
    bool taken = false, again = false;
    CHECK(!attempt(s, &state, &copies, &taken));
    /* A second run finds the pointers of the first. */
    CHECK(!attempt(s, &state, &copies, &again));
    solver_forget(&gpu, &state);
    pinned_release(&gpu, &copies);
    CHECK(again == taken && !events && !pinned && !atomic_load(&process_device.pinned));
    return taken;
}
/* Each call of the library and of the driver fails in turn. */
static void fails(step *s) {
    for (int by_driver = 0; by_driver < 2; by_driver++)
        for (int k = 1;; k++) {
            solver_state state = {0};
            host_copies copies = {0};
            bool taken = false;
            s->refused = false;
            solver.fail_at = by_driver ? 0 : k, solver.code = k % 2 ? 7 : 2, solver.failed = NULL;
            driver_fails = by_driver ? k : 0;
            message[0] = 0;
            litz_status status = attempt(s, &state, &copies, &taken);
            bool reached = by_driver ? !driver_fails : !solver.fail_at;
            solver.fail_at = driver_fails = 0;
            solver_forget(&gpu, &state);
            pinned_release(&gpu, &copies);
            CHECK(taken && !events && !pinned);
            if (!reached) break;
            CHECK(status == LITZ_ERROR_CUDA || status == LITZ_ERROR_OUT_OF_MEMORY);
            CHECK(by_driver ? strstr(message, "made to fail") != NULL : strstr(message, "with its status ") != NULL);
            if (!by_driver) {
                bool blas = !strncmp(message, "cuBLAS ", 7);
                CHECK(blas || !strncmp(message, "cuSOLVER ", 9));
                CHECK((status == LITZ_ERROR_OUT_OF_MEMORY) == (!blas && k % 2 == 0));
            }
        }
}

/* A symmetric matrix with `n` on its diagonal, of which the other triangle is spoilt. */
static void symmetric(step *s, int k, int64_t n, bool upper, double diagonal) {
    operand(s, k, n * n, false);
    for (int64_t b = 0; b < s->batch; b++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                bool read = i == j || (upper ? j > i : j < i);
                double x = value(b, i > j ? i : j, i > j ? j : i) + (i == j ? diagonal : 0);
                put(s->memory[k], (b * n + i) * n + j, s->wide, read ? x : 1000);
            }
}
static double of_symmetric(int64_t b, int64_t i, int64_t j, double diagonal) { return value(b, i > j ? i : j, i > j ? j : i) + (i == j ? diagonal : 0); }
static void general(step *s, int k, int64_t rows, int64_t columns) {
    operand(s, k, rows * columns, false);
    for (int64_t b = 0; b < s->batch; b++)
        for (int64_t p = 0; p < rows * columns; p++) put(s->memory[k], b * rows * columns + p, s->wide, value(b, p / columns, p % columns));
}

static step make(uint32_t routine, int64_t batch, bool wide) {
    return (step){.routine = routine, .values = {batch, wide ? 8 : 7}, .wide = wide, .batch = batch};
}

static void cholesky(int64_t batch, int64_t n, bool upper, bool wide, bool expected, bool failing) {
    step s = make(LX_ROUTINE_CHOLESKY, batch, wide);
    s.values[2] = n, s.values[3] = upper;
    double diagonal = (double)n + 1;
    symmetric(&s, 0, n, upper, diagonal);
    operand(&s, 1, n * n, false);
    int *info = operand(&s, 2, 1, true);
    CHECK(runs(&s) == expected && !s.refused);
    for (int64_t b = 0; expected && b < batch; b++) {
        CHECK(!info[b]);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                double sum = 0;
                for (int64_t k = 0; k < n; k++)
                    sum += upper ? at(&s, 1, (b * n + k) * n + i) * at(&s, 1, (b * n + k) * n + j) : at(&s, 1, (b * n + i) * n + k) * at(&s, 1, (b * n + j) * n + k);
                near(sum, of_symmetric(b, i, j, diagonal));
                if (upper ? j < i : j > i) CHECK(at(&s, 1, (b * n + i) * n + j) == 0);
            }
    }
    if (failing) {
        fails(&s);
        /* The order of the minor is the result. */
        put(s.memory[0], (n * n) * (batch - 1) + n + 1, wide, -5);
        CHECK(runs(&s) && !s.refused && info[batch - 1] == 2 && (batch == 1 || !info[0]));
        /* A library that takes NaN to be positive. */
        put(s.memory[0], (n * n) * (batch - 1) + n + 1, wide, NAN);
        solver.info = 0;
        CHECK(runs(&s) && s.refused);
        solver.info = -1;
    }
    release(&s);
}

static void lu(int64_t batch, int64_t m, int64_t n, bool wide, bool expected, bool failing) {
    step s = make(LX_ROUTINE_LU, batch, wide);
    s.values[2] = m, s.values[3] = n, s.values[4] = 1;
    int64_t few = m < n ? m : n;
    general(&s, 0, m, n);
    operand(&s, 1, m * n, false);
    int *pivots = operand(&s, 2, few, true), *info = operand(&s, 3, 1, true);
    CHECK(runs(&s) == expected && !s.refused);
    for (int64_t b = 0; expected && b < batch; b++) {
        int64_t *order = malloc(sizeof *order * (size_t)m);
        for (int64_t i = 0; i < m; i++) order[i] = i;
        for (int64_t k = 0; k < few; k++) {
            int64_t other = pivots[b * few + k] - 1, kept = order[k];
            CHECK(other >= k && other < m);
            order[k] = order[other];
            order[other] = kept;
        }
        CHECK(!info[b]);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                double sum = 0;
                for (int64_t k = 0; k <= (i < j ? i : j) && k < few; k++)
                    sum += (k == i ? 1 : at(&s, 1, (b * m + i) * n + k)) * at(&s, 1, (b * m + k) * n + j);
                near(sum, value(b, order[i], j));
            }
        free(order);
    }
    if (failing) {
        fails(&s);
        for (int64_t i = 0; i < m; i++) put(s.memory[0], i * n + 1, wide, 0);
        CHECK(runs(&s) && !s.refused && info[0] == 2);
        solver.spoils_pivots = true;
        CHECK(runs(&s) && s.refused);
        solver.spoils_pivots = false;
        /* Without pivots it is the host's. */
        s.values[4] = 0;
        CHECK(!runs(&s));
    }
    release(&s);
}

static void lu_solve(int64_t batch, int64_t n, int64_t columns, bool transposed, bool wide, bool expected, bool failing) {
    step f = make(LX_ROUTINE_LU, batch, wide), s = make(LX_ROUTINE_LUSOLVE, batch, wide);
    f.values[2] = f.values[3] = s.values[2] = n, f.values[4] = 1, s.values[3] = columns, s.values[4] = transposed;
    general(&f, 0, n, n);
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < n; i++) put(f.memory[0], (b * n + i) * n + (i + 1) % n, wide, value(b, i, (i + 1) % n) + (double)n);
    operand(&f, 1, n * n, false), operand(&f, 2, n, true), operand(&f, 3, 1, true);
    CHECK(runs(&f) == expected);
    s.memory[0] = f.memory[1], s.memory[1] = f.memory[2];
    general(&s, 2, n, columns);
    operand(&s, 3, n * columns, false);
    CHECK(runs(&s) == expected && !s.refused);
    for (int64_t b = 0; expected && b < batch; b++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t c = 0; c < columns; c++) {
                double sum = 0;
                for (int64_t k = 0; k < n; k++)
                    sum += at(&f, 0, transposed ? (b * n + k) * n + i : (b * n + i) * n + k) * at(&s, 3, (b * n + k) * columns + c);
                near(sum, value(b, i, c));
            }
    if (failing) {
        fails(&s);
        int *pivots = s.memory[1];
        for (int wrong = 0; wrong < 2; wrong++) {
            int kept = pivots[n - 1];
            pivots[n - 1] = wrong ? 0 : (int)n + 1;
            s.refused = false;
            solver.calls = 0;
            CHECK(runs(&s) && s.refused && !solver.calls);
            pivots[n - 1] = kept;
        }
    }
    s.memory[0] = s.memory[1] = NULL;
    release(&f), release(&s);
}

static void triangular_solve(int64_t batch, int64_t n, int64_t columns, int flags, bool wide, bool expected, bool failing) {
    step s = make(LX_ROUTINE_TRIANGULARSOLVE, batch, wide);
    bool upper = flags & 1, transposed = flags & 2, unit = flags & 4;
    s.values[2] = n, s.values[3] = columns, s.values[4] = upper, s.values[5] = transposed, s.values[6] = unit;
    operand(&s, 0, n * n, false);
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                bool read = i == j ? !unit : upper ? j > i : j < i;
                put(s.memory[0], (b * n + i) * n + j, wide, read ? (i == j ? 3 + value(b, i, j) : value(b, i, j) / (double)n) : NAN);
            }
    general(&s, 1, n, columns);
    operand(&s, 2, n * columns, false);
    CHECK(runs(&s) == expected && !s.refused);
    for (int64_t b = 0; expected && b < batch; b++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t c = 0; c < columns; c++) {
                double sum = 0;
                for (int64_t k = 0; k < n; k++) {
                    int64_t row = transposed ? k : i, column = transposed ? i : k;
                    bool within = upper ? column >= row : column <= row;
                    double x = row == column && unit ? 1 : within ? at(&s, 0, (b * n + row) * n + column) : 0;
                    sum += x * at(&s, 2, (b * n + k) * columns + c);
                }
                near(sum, value(b, i, c));
            }
    if (failing) fails(&s);
    release(&s);
}

/* Q, put together by the step that multiplies by it, times R. */
static void qr(int64_t batch, int64_t m, int64_t n, bool wide, bool expected, bool failing) {
    step f = make(LX_ROUTINE_QR, batch, wide), s = make(LX_ROUTINE_REFLECT, batch, wide), t = make(LX_ROUTINE_REFLECT, batch, wide);
    int64_t few = m < n ? m : n;
    f.values[2] = m, f.values[3] = n;
    general(&f, 0, m, n);
    operand(&f, 1, m * n, false), operand(&f, 2, few, false);
    CHECK(runs(&f) == expected && !f.refused);
    int64_t attributes[] = {batch, wide ? 8 : 7, m, n, few, n, 0};
    memcpy(s.values, attributes, sizeof attributes);
    memcpy(t.values, attributes, sizeof attributes);
    t.values[6] = 1;
    s.memory[0] = t.memory[0] = f.memory[1], s.memory[1] = t.memory[1] = f.memory[2];
    operand(&s, 2, m * n, false), operand(&s, 3, m * n, false);
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) put(s.memory[2], (b * m + i) * n + j, wide, j >= i ? at(&f, 1, (b * m + i) * n + j) : 0);
    CHECK(runs(&s) == expected && !s.refused);
    for (int64_t b = 0; expected && b < batch; b++)
        for (int64_t p = 0; p < m * n; p++) near(at(&s, 3, b * m * n + p), value(b, p / n, p % n));
    /* And back. */
    t.memory[2] = s.memory[3];
    operand(&t, 3, m * n, false);
    CHECK(runs(&t) == expected && !t.refused);
    for (int64_t p = 0; expected && p < batch * m * n; p++) near(at(&t, 3, p), at(&s, 2, p));
    if (failing) fails(&f), fails(&s);
    s.memory[0] = s.memory[1] = t.memory[0] = t.memory[1] = t.memory[2] = NULL;
    release(&f), release(&s), release(&t);
}

static void eigh(int64_t batch, int64_t n, bool upper, bool vectors, bool wide, bool expected, bool failing) {
    step s = make(vectors ? LX_ROUTINE_EIGH : LX_ROUTINE_EIGENVALUES, batch, wide);
    s.values[2] = n, s.values[3] = upper;
    symmetric(&s, 0, n, upper, 0);
    operand(&s, 1, n, false);
    if (vectors) operand(&s, 2, n * n, false);
    CHECK(runs(&s) == expected && !s.refused);
    for (int64_t b = 0; expected && b < batch; b++) {
        double trace = 0;
        for (int64_t i = 0; i < n; i++) {
            trace += at(&s, 1, b * n + i) - of_symmetric(b, i, i, 0);
            CHECK(!i || at(&s, 1, b * n + i) >= at(&s, 1, b * n + i - 1));
            for (int64_t j = 0; vectors && j < n; j++) {
                double sum = 0;
                for (int64_t k = 0; k < n; k++) sum += at(&s, 2, (b * n + i) * n + k) * at(&s, 1, b * n + k) * at(&s, 2, (b * n + j) * n + k);
                near(sum, of_symmetric(b, i, j, 0));
            }
        }
        near(trace / 10, 0);
    }
    if (failing) {
        fails(&s);
        solver.info = 1;
        CHECK(runs(&s) && s.refused);
        solver.info = -1, s.refused = false;
        put(s.memory[0], n * n * batch - 1, wide, NAN);
        CHECK(runs(&s) && s.refused);
    }
    release(&s);
}

static void svd(int64_t batch, int64_t m, int64_t n, int kind, bool wide, bool expected, bool failing) {
    bool vectors = kind > 0, full = kind > 1;
    step s = make(vectors ? LX_ROUTINE_SVD : LX_ROUTINE_SINGULARVALUES, batch, wide);
    int64_t few = m < n ? m : n, lefts = full ? m : few, rights = full ? n : few;
    s.values[2] = m, s.values[3] = n, s.values[4] = full;
    general(&s, 0, m, n);
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < few; i++) put(s.memory[0], (b * m + i) * n + i, wide, value(b, i, i) + 4);
    int place = vectors ? LX_SVD_VALUES : LX_SINGULARVALUES_VALUES;
    operand(&s, place, few, false);
    if (vectors) operand(&s, LX_SVD_LEFT, m * lefts, false), operand(&s, LX_SVD_RIGHT, rights * n, false);
    CHECK(runs(&s) == expected && !s.refused);
    for (int64_t b = 0; expected && b < batch; b++) {
        double squares = 0, values = 0;
        for (int64_t k = 0; k < few; k++) values += pow(at(&s, place, b * few + k), 2);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                double sum = 0, want = at(&s, 0, (b * m + i) * n + j);
                squares += want * want;
                for (int64_t k = 0; vectors && k < few; k++)
                    sum += at(&s, LX_SVD_LEFT, (b * m + i) * lefts + k) * at(&s, place, b * few + k) * at(&s, LX_SVD_RIGHT, (b * rights + k) * n + j);
                if (vectors) near(sum, want);
            }
        near(values / squares, 1);
        for (int64_t p = 0; full && p < lefts; p++)
            for (int64_t q = 0; q < lefts; q++) {
                double dot = 0;
                for (int64_t i = 0; i < m; i++) dot += at(&s, LX_SVD_LEFT, (b * m + i) * lefts + p) * at(&s, LX_SVD_LEFT, (b * m + i) * lefts + q);
                near(dot, p == q);
            }
    }
    if (failing) {
        fails(&s);
        solver.info = 3;
        CHECK(runs(&s) && s.refused);
        solver.info = -1, s.refused = false;
    }
    release(&s);
}

/* The host's routine, which tells that it was asked. */
static int host_calls;
static int32_t by_host(const int64_t *attributes, void *const *operands, int64_t begin, int64_t end) {
    const lx_eigenvalues *v = (const lx_eigenvalues *)(const void *)attributes;
    host_calls++;
    for (int64_t k = begin * v->n; k < end * v->n; k++) {
        if (isnan(((const double *)operands[0])[k * v->n])) return 4;
        ((double *)operands[1])[k] = 77;
    }
    return 0;
}
static const char *host_message(int32_t status) { return status == 4 ? "not finite" : "?"; }

/* A program's step: who does it. */
static litz_status whole_step(vendor_library *library, int64_t batch, int64_t n, double corner, double *first) {
    linalg host = {.message = host_message};
    host.functions[LX_ROUTINE_EIGENVALUES] = by_host;
    shared s = {.device = (device *)(uintptr_t)&gpu, .linalg = &host, .threads = 1};
    s.libraries[LX_LIBRARY_CUSOLVER] = library;
    step given = make(LX_ROUTINE_EIGENVALUES, batch, true);
    given.values[2] = n;
    symmetric(&given, 0, n, false, 0);
    if (batch) put(given.memory[0], 0, true, corner);
    operand(&given, 1, n, false);
    uint8_t *workspace = malloc(1 << 16);
    solver.workspace = workspace, solver.workspace_bytes = 1 << 16;
    frame f = {.values = given.values, .arguments = given.memory, .argument_sizes = given.bytes, .stream = run_stream,
               .workspace = {.data = workspace, .capacity = 1 << 16}};
    lx_step own = {.kind = LX_STEP_ROUTINE, .kernel = LX_ROUTINE_EIGENVALUES, .buffers = {.count = 2}};
    routine_state state = {0};
    host_calls = 0;
    litz_status status = run_beside(&s, &f, &own, &state, NULL, error);
    *first = batch ? at(&given, 1, 0) : 0;
    state.forget(&s, &state);
    CHECK(!pinned && !events && !atomic_load(&process_device.pinned));
    free(workspace);
    release(&given);
    return status;
}
static void whole_steps(void) {
    double first = 0;
    CHECK(!whole_step(&fake_solver.library, 2, 5, 1, &first) && !host_calls && first != 77);
    /* It is not there; sizes are the host's; the algorithm did not converge. */
    CHECK(!whole_step(NULL, 2, 5, 1, &first) && host_calls && first == 77);
    fake_solver.syev_batched = NULL;
    CHECK(!whole_step(&fake_solver.library, 3, 9, 1, &first) && host_calls && first == 77);
    fake_solver.syev_batched = syev_batched;
    solver.info = 1;
    CHECK(!whole_step(&fake_solver.library, 2, 5, 1, &first) && host_calls && first == 77);
    solver.info = -1;
    /* The host says what is wrong. */
    CHECK(whole_step(&fake_solver.library, 2, 5, NAN, &first) == LITZ_ERROR_ASSERTION && host_calls && strstr(message, "not finite"));
    CHECK(!whole_step(&fake_solver.library, 0, 5, 1, &first) && !host_calls);
}

/* Libraries that are not there, or are another one. */
static void without_a_library(const char *other) {
    shared s = {.device = (device *)(uintptr_t)&gpu, .program = {.flags = LX_PROGRAM_CUDA | LX_PROGRAM_FACTORISES}};
    s.program.libraries[LX_LIBRARY_CUSOLVER] = "/nowhere/libcusolver.so";
    CHECK(open_solver(&s, error) == LITZ_ERROR_CUDA && !s.libraries[LX_LIBRARY_CUSOLVER]);
    CHECK(strstr(message, "cuSOLVER") && strstr(message, "cuda.cusolver") && strstr(message, "/nowhere/"));
    s.program.libraries[LX_LIBRARY_CUSOLVER] = other;
    CHECK(open_solver(&s, error) == LITZ_ERROR_CUDA && !s.libraries[LX_LIBRARY_CUSOLVER]);
    CHECK(strstr(message, "lacks the function cusolverDnCreate"));
    /* Nobody named one, or it is not to be used. */
    s.program.libraries[LX_LIBRARY_CUSOLVER] = NULL;
    CHECK(!open_solver(&s, error));
    s.libraries[LX_LIBRARY_CUSOLVER] = NULL;
    s.program.flags = LX_PROGRAM_CUDA;
    s.program.libraries[LX_LIBRARY_CUSOLVER] = "/nowhere/libcusolver.so";
    CHECK(!open_solver(&s, error) && !s.libraries[LX_LIBRARY_CUSOLVER]);
}

int main(int n_arguments, char **arguments) {
    for (int wide = 0; wide < 2; wide++) {
        for (int flag = 0; flag < 2; flag++) {
            for (int64_t n = 1; n < 20; n++) cholesky(1 + n % 3, n, flag, wide, true, n == 5 || n == 6);
            lu_solve(1, 7, 3, flag, wide, true, true);
            lu_solve(3, 6, 2, flag, wide, true, true);
            lu_solve(2, 5, 5, flag, wide, true, false);
            for (int vectors = 0; vectors < 2; vectors++) {
                eigh(1, 5, flag, vectors, wide, true, true);
                eigh(4, 3, flag, vectors, wide, true, true);
                eigh(1, 12, flag, vectors, wide, true, true);
                eigh(1, 11, flag, vectors, wide, false, false);
                fake_solver.syev_batched = NULL;
                eigh(2, 23, flag, vectors, wide, false, false);
                fake_solver.syev_batched = syev_batched;
                eigh(2, 23, flag, vectors, wide, true, true);
                eigh(2, 24, flag, vectors, wide, true, false);
            }
        }
        lu(1, 9, 9, wide, true, true);
        lu(1, 12, 5, wide, true, true);
        lu(1, 5, 12, wide, true, true);
        lu(4, 8, 8, wide, true, true);
        lu(2, 27, 25, wide, true, true);
        lu(2, 24, 23, wide, false, false);
        lu(2, 257, 257, wide, true, false);
        for (int flags = 0; flags < 8; flags++) {
            triangular_solve(1, 9, 4, flags, wide, true, flags == 3);
            triangular_solve(3, 5, 2, flags, wide, true, flags == 4);
        }
        qr(1, 9, 9, wide, true, true);
        qr(1, 12, 5, wide, true, true);
        qr(2, 27, 25, wide, true, true);
        qr(2, 24, 23, wide, false, false);
        /* The other shape's reflections are rows. */
        qr(1, 5, 12, wide, true, false);
        for (int kind = 0; kind < 3; kind++) {
            svd(1, 9, 9, kind, wide, true, true);
            svd(1, 12, 7, kind, wide, true, true);
            svd(1, 6, 11, kind, wide, true, true);
            svd(2, 13, 12, kind, wide, true, true);
            svd(1, 5, 20, kind, wide, false, false);
            svd(2, 11, 11, kind, wide, false, false);
        }
    }
    whole_steps();
    without_a_library(n_arguments > 1 ? arguments[1] : "libm.so.6");
    puts("all right");
    return 0;
}
