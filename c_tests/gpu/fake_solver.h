/*
 * Stands in for cuSOLVER and cuBLAS: slow algorithms for matrices column by column, in float64, by the libraries' own conventions. Each
 * call checks that its handle has the run's stream and that its workspace is the one that was asked for, and spoils that.
 * Any call can be made to fail.
 */
#ifndef LITZ_TEST_FAKE_SOLVER_H
#define LITZ_TEST_FAKE_SOLVER_H

static struct {
    int numbers; /* alive */
    int calls, fail_at, code;
    const char *failed;
    cu_stream stream[2]; /* of both handles */
    int scratch;
    uint8_t *workspace;
    uint64_t workspace_bytes;
    int info; /* what every status is given; -1: what is found */
    bool spoils_pivots;
} solver = {.info = -1};

static const cu_stream run_stream = (cu_stream)(uintptr_t)0x50;
static void *const solver_handle = (void *)(uintptr_t)0x60, *const blas_handle = (void *)(uintptr_t)0x70;
enum { SCRATCH = 24 };

static double number(const void *memory, int64_t k, bool wide) { return wide ? ((const double *)memory)[k] : (double)((const float *)memory)[k]; }
static void put(void *memory, int64_t k, bool wide, double value) {
    if (wide) ((double *)memory)[k] = value;
    else ((float *)memory)[k] = (float)value;
}

/* Whether a call does its work. */
static vendor_status called(const char *name, bool blas, void *handle) {
    solver.calls++;
    if (solver.fail_at && --solver.fail_at == 0) {
        solver.failed = name;
        return solver.code;
    }
    if (handle != (blas ? blas_handle : solver_handle) || solver.stream[blas] != run_stream) return 99;
    return 0;
}
static vendor_status within(const void *at, uint64_t bytes) {
    const uint8_t *from = at;
    return from >= solver.workspace && from + bytes <= solver.workspace + solver.workspace_bytes ? 0 : 98;
}
static vendor_status spoil(void *at, int elements, bool wide) {
    uint64_t bytes = SCRATCH * (wide ? 8u : 4u);
    if (elements != SCRATCH || within(at, bytes)) return 98;
    memset(at, 0xff, bytes);
    return 0;
}
#define TRY(call)                       \
    do {                                \
        vendor_status status_ = (call); \
        if (status_) return status_;    \
    } while (0)

static vendor_status create(void **handle) {
    *handle = solver_handle;
    return 0;
}
static vendor_status blas_create(void **handle) {
    *handle = blas_handle;
    return 0;
}
static vendor_status set_stream(void *handle, cu_stream stream) {
    solver.stream[0] = stream;
    return called("set_stream", false, handle);
}
static vendor_status blas_set_stream(void *handle, cu_stream stream) {
    solver.stream[1] = stream;
    return called("blas_set_stream", true, handle);
}
static vendor_status numbers_create(void **out) {
    TRY(called("numbers_create", false, solver_handle));
    solver.numbers++;
    *out = &solver.numbers;
    return 0;
}
static vendor_status numbers_destroy(void *numbers) { return numbers == &solver.numbers ? (solver.numbers--, 0) : 97; }

static void tell(int *info, int found) { *info = solver.info >= 0 ? solver.info : found; }

/* A matrix as numbers, and back. */
static double *load(const void *a, int rows, int columns, int stride, bool wide) {
    double *out = calloc((size_t)rows * (size_t)columns + 1, sizeof *out);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) out[j * rows + i] = number(a, (int64_t)j * stride + i, wide);
    return out;
}
static void store(void *a, double *from, int rows, int columns, int stride, bool wide) {
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) put(a, (int64_t)j * stride + i, wide, from[j * rows + i]);
    free(from);
}

static void factor_symmetric(int fill, int n, void *a, int lda, int *info, bool wide) {
    double *m = load(a, n, n, lda, wide);
    int found = 0;
    /* The upper factor of the upper triangle is the transposed lower one of the lower triangle. */
#define AT(i, j) m[fill == FILL_UPPER ? (i) * n + (j) : (j) * n + (i)]
    for (int j = 0; j < n && !found; j++) {
        for (int i = j; i < n; i++)
            for (int k = 0; k < j; k++) AT(i, j) -= AT(i, k) * AT(j, k);
        if (!(AT(j, j) > 0)) found = j + 1;
        double root = sqrt(AT(j, j));
        for (int i = j; i < n && !found; i++) AT(i, j) = i == j ? root : AT(i, j) / root;
    }
#undef AT
    store(a, m, n, n, lda, wide);
    tell(info, found);
}
static vendor_status potrf_room(void *h, int fill, int n, void *a, int lda, int *room, bool wide) {
    (void)fill, (void)n, (void)a, (void)lda, (void)wide;
    *room = SCRATCH;
    return called("potrf_room", false, h);
}
static vendor_status potrf(void *h, int fill, int n, void *a, int lda, void *work, int room, int *info, bool wide) {
    TRY(called("potrf", false, h));
    TRY(spoil(work, room, wide));
    factor_symmetric(fill, n, a, lda, info, wide);
    return 0;
}
static vendor_status potrf_batched(void *h, int fill, int n, void *a, int lda, int *info, int batch, bool wide) {
    TRY(called("potrfBatched", false, h));
    TRY(within(a, 8 * (uint64_t)batch));
    for (int k = 0; k < batch; k++) factor_symmetric(fill, n, ((void **)a)[k], lda, info + k, wide);
    return 0;
}

static void factor(int rows, int n, void *a, int lda, int *pivots, int *info, bool wide) {
    double *m = load(a, rows, n, lda, wide);
    int found = 0;
    for (int k = 0; k < rows && k < n; k++) {
        int largest = k;
        for (int i = k; i < rows; i++) largest = fabs(m[k * rows + i]) > fabs(m[k * rows + largest]) ? i : largest;
        pivots[k] = largest + 1;
        for (int j = 0; j < n; j++) {
            double kept = m[j * rows + k];
            m[j * rows + k] = m[j * rows + largest];
            m[j * rows + largest] = kept;
        }
        double pivot = m[k * rows + k];
        if (pivot == 0) found = found ? found : k + 1;
        for (int i = k + 1; i < rows && pivot != 0; i++) {
            m[k * rows + i] /= pivot;
            for (int j = k + 1; j < n; j++) m[j * rows + i] -= m[k * rows + i] * m[j * rows + k];
        }
    }
    store(a, m, rows, n, lda, wide);
    if (solver.spoils_pivots) pivots[0] = rows + 1;
    tell(info, found);
}
static vendor_status getrf_room(void *h, int rows, int n, void *a, int lda, int *room, bool wide) {
    (void)rows, (void)n, (void)a, (void)lda, (void)wide;
    *room = SCRATCH;
    return called("getrf_room", false, h);
}
static vendor_status getrf(void *h, int rows, int n, void *a, int lda, void *work, int *pivots, int *info, bool wide) {
    TRY(called("getrf", false, h));
    TRY(spoil(work, SCRATCH, wide));
    factor(rows, n, a, lda, pivots, info, wide);
    return 0;
}
static vendor_status getrf_batched(void *h, int n, void *a, int lda, int *pivots, int *info, int batch, bool wide) {
    TRY(called("getrfBatched", true, h));
    TRY(within(a, 8 * (uint64_t)batch));
    for (int k = 0; k < batch; k++) factor(n, n, ((void **)a)[k], lda, pivots + k * n, info + k, wide);
    return 0;
}

/* x := inverse of op(triangle) * x, one column. */
static void substitute(const double *m, int n, double *x, bool upper, bool turned, bool unit) {
    bool forward = upper == turned;
    for (int step = 0; step < n; step++) {
        int i = forward ? step : n - 1 - step;
        for (int done = 0; done < step; done++) {
            int j = forward ? done : n - 1 - done;
            x[i] -= (turned ? m[i * n + j] : m[j * n + i]) * x[j];
        }
        if (!unit) x[i] /= m[i * n + i];
    }
}
static void solve(int turn, int n, int columns, const void *a, int lda, const int *pivots, void *b, int ldb, bool wide) {
    double *m = load(a, n, n, lda, wide), *x = load(b, n, columns, ldb, wide);
    for (int c = 0; c < columns; c++) {
        double *own = x + c * n;
        for (int s = 0; s < n; s++) {
            int k = turn == PLAIN ? s : n - 1 - s, other = pivots[k] - 1;
            if (turn == TRANSPOSED && s == 0) substitute(m, n, own, true, true, false), substitute(m, n, own, false, true, true);
            double kept = own[k];
            own[k] = own[other];
            own[other] = kept;
        }
        if (turn == PLAIN) substitute(m, n, own, false, false, true), substitute(m, n, own, true, false, false);
    }
    free(m);
    store(b, x, n, columns, ldb, wide);
}
static vendor_status getrs(void *h, int turn, int n, int columns, const void *a, int lda, const int *pivots, void *b, int ldb, int *info, bool wide) {
    TRY(called("getrs", false, h));
    TRY(within(info, 4));
    solve(turn, n, columns, a, lda, pivots, b, ldb, wide);
    *info = 0;
    return 0;
}
static vendor_status getrs_batched(void *h, int turn, int n, int columns, const void *a, int lda, const int *pivots, void *b, int ldb, int *info,
                                   int batch, bool wide) {
    TRY(called("getrsBatched", true, h));
    TRY(within(a, 8 * (uint64_t)batch));
    TRY(within(b, 8 * (uint64_t)batch));
    for (int k = 0; k < batch; k++) solve(turn, n, columns, ((void *const *)a)[k], lda, pivots + k * n, ((void **)b)[k], ldb, wide);
    *info = 0;
    return 0;
}

/* x * op(triangle) = b. */
static vendor_status triangular(int side, int fill, int turn, int unit, int rows, int n, const void *one, const void *a, int lda, void *b, int ldb,
                                bool wide) {
    if (side != SIDE_RIGHT || number(one, 0, wide) != 1) return 96;
    double *m = load(a, n, n, lda, wide), *x = calloc((size_t)n, sizeof *x);
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < n; k++) x[k] = number(b, (int64_t)k * ldb + r, wide);
        substitute(m, n, x, fill == FILL_UPPER, turn == PLAIN, unit != 0);
        for (int k = 0; k < n; k++) put(b, (int64_t)k * ldb + r, wide, x[k]);
    }
    free(m), free(x);
    return 0;
}
static vendor_status trsm(void *h, int side, int fill, int turn, int unit, int rows, int n, const void *one, const void *a, int lda, void *b, int ldb,
                          bool wide) {
    TRY(called("trsm", true, h));
    return triangular(side, fill, turn, unit, rows, n, one, a, lda, b, ldb, wide);
}
static vendor_status trsm_batched(void *h, int side, int fill, int turn, int unit, int rows, int n, const void *one, const void *a, int lda, void *b,
                                  int ldb, int batch, bool wide) {
    TRY(called("trsmBatched", true, h));
    TRY(within(a, 8 * (uint64_t)batch));
    TRY(within(b, 8 * (uint64_t)batch));
    for (int k = 0; k < batch; k++)
        TRY(triangular(side, fill, turn, unit, rows, n, one, ((void *const *)a)[k], lda, ((void **)b)[k], ldb, wide));
    return 0;
}

static vendor_status geqrf_room(void *h, int rows, int n, void *a, int lda, int *room, bool wide) {
    (void)rows, (void)n, (void)a, (void)lda, (void)wide;
    *room = SCRATCH;
    return called("geqrf_room", false, h);
}
static vendor_status geqrf(void *h, int rows, int n, void *a, int lda, void *tau, void *work, int room, int *info, bool wide) {
    TRY(called("geqrf", false, h));
    TRY(spoil(work, room, wide));
    TRY(within(info, 4));
    double *m = load(a, rows, n, lda, wide);
    for (int k = 0; k < rows && k < n; k++) {
        double *own = m + k * rows, norm = 0;
        for (int i = k; i < rows; i++) norm += own[i] * own[i];
        double beta = own[k] > 0 ? -sqrt(norm) : sqrt(norm), t = k == rows - 1 || norm == 0 ? 0 : (beta - own[k]) / beta, alpha = own[k];
        for (int i = k + 1; i < rows && t != 0; i++) own[i] /= alpha - beta;
        if (t != 0) own[k] = beta;
        for (int j = k + 1; j < n; j++) {
            double sum = m[j * rows + k];
            for (int i = k + 1; i < rows; i++) sum += own[i] * m[j * rows + i];
            for (int i = k; i < rows; i++) m[j * rows + i] -= t * sum * (i == k ? 1 : own[i]);
        }
        put(tau, k, wide, t);
    }
    store(a, m, rows, n, lda, wide);
    *info = 0;
    return 0;
}
static vendor_status ormqr_room(void *h, int side, int turn, int rows, int n, int count, const void *a, int lda, const void *tau, const void *c, int ldc,
                                int *room, bool wide) {
    (void)turn, (void)rows, (void)n, (void)count, (void)a, (void)lda, (void)tau, (void)c, (void)ldc, (void)wide;
    *room = SCRATCH;
    return side != SIDE_RIGHT ? 96 : called("ormqr_room", false, h);
}
static vendor_status ormqr(void *h, int side, int turn, int rows, int n, int count, const void *a, int lda, const void *tau, void *c, int ldc, void *work,
                           int room, int *info, bool wide) {
    TRY(called("ormqr", false, h));
    TRY(spoil(work, room, wide));
    TRY(within(info, 4));
    if (side != SIDE_RIGHT) return 96;
    double *m = load(a, n, count, lda, wide), *x = load(c, rows, n, ldc, wide);
    for (int s = 0; s < count; s++) {
        int k = turn == PLAIN ? s : count - 1 - s;
        for (int r = 0; r < rows; r++) {
            double sum = x[k * rows + r];
            for (int i = k + 1; i < n; i++) sum += m[k * n + i] * x[i * rows + r];
            for (int i = k; i < n; i++) x[i * rows + r] -= number(tau, k, wide) * sum * (i == k ? 1 : m[k * n + i]);
        }
    }
    free(m);
    store(c, x, rows, n, ldc, wide);
    *info = 0;
    return 0;
}

/* Jacobi's rotations of the columns of `m` until all are at right angles; `v` gets the rotations. */
static void rotate(double *m, int rows, int n, double *v) {
    for (int k = 0; k < n * n; k++) v[k] = k % (n + 1) == 0;
    for (int sweep = 0; sweep < 40; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                double a = 0, b = 0, d = 0;
                for (int i = 0; i < rows; i++) {
                    a += m[p * rows + i] * m[p * rows + i];
                    b += m[q * rows + i] * m[q * rows + i];
                    d += m[p * rows + i] * m[q * rows + i];
                }
                if (!(fabs(d) > 1e-15 * sqrt(a * b))) continue;
                double angle = 0.5 * atan2(2 * d, a - b), x = cos(angle), y = sin(angle);
                for (int i = 0; i < rows + n; i++) {
                    double *from = i < rows ? &m[p * rows + i] : &v[p * n + i - rows], *to = i < rows ? &m[q * rows + i] : &v[q * n + i - rows];
                    double kept = *from;
                    *from = x * kept + y * *to;
                    *to = x * *to - y * kept;
                }
            }
}
static double length_of(const double *m, int rows, int k) {
    double sum = 0;
    for (int i = 0; i < rows; i++) sum += m[k * rows + i] * m[k * rows + i];
    return sqrt(sum);
}

/* Eigenvalues by the singular values of the matrix plus a multiple of the identity, which makes all of them positive. */
static void eigen(int vectors, int fill, int n, void *a, int lda, void *values, int *info, bool wide) {
    double *m = load(a, n, n, lda, wide), *v = calloc((size_t)(n * n), sizeof *v), shift = 1;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) m[fill == FILL_UPPER ? i * n + j : j * n + i] = m[fill == FILL_UPPER ? j * n + i : i * n + j];
    for (int k = 0; k < n * n; k++) shift += fabs(m[k]);
    for (int k = 0; k < n; k++) m[k * n + k] += shift;
    rotate(m, n, n, v);
    for (int place = 0; place < n; place++) {
        int least = 0;
        double smallest = INFINITY;
        for (int k = 0; k < n; k++)
            if (!(length_of(m, n, k) >= smallest) && !isnan(m[k * n])) smallest = length_of(m, n, k), least = k;
        put(values, place, wide, smallest - shift);
        for (int i = 0; vectors && i < n; i++) put(a, (int64_t)place * lda + i, wide, v[least * n + i]);
        for (int i = 0; i < n; i++) m[least * n + i] = INFINITY;
    }
    if (!vectors) memset(a, 0xff, (size_t)n * (wide ? 8 : 4));
    free(m), free(v);
    tell(info, 0);
}
static vendor_status syevd_room(void *h, int vectors, int fill, int n, const void *a, int lda, const void *values, int *room, bool wide) {
    (void)vectors, (void)fill, (void)n, (void)a, (void)lda, (void)values, (void)wide;
    *room = SCRATCH;
    return called("syevd_room", false, h);
}
static vendor_status syevd(void *h, int vectors, int fill, int n, void *a, int lda, void *values, void *work, int room, int *info, bool wide) {
    TRY(called("syevd", false, h));
    TRY(spoil(work, room, wide));
    TRY(within(info, 4));
    eigen(vectors, fill, n, a, lda, values, info, wide);
    return 0;
}
static vendor_status syevj_room(void *h, int vectors, int fill, int n, const void *a, int lda, const void *values, int *room, void *numbers, int batch,
                                bool wide) {
    (void)vectors, (void)fill, (void)n, (void)a, (void)lda, (void)values, (void)batch, (void)wide;
    *room = SCRATCH;
    return numbers != &solver.numbers ? 97 : called("syevj_room", false, h);
}
static vendor_status syevj(void *h, int vectors, int fill, int n, void *a, int lda, void *values, void *work, int room, int *info, void *numbers,
                           int batch, bool wide) {
    size_t item = wide ? 8 : 4;
    TRY(called("syevjBatched", false, h));
    TRY(spoil(work, room, wide));
    TRY(within(info, 4 * (uint64_t)batch));
    if (numbers != &solver.numbers || n > JACOBI_MOST) return 97;
    for (int k = 0; k < batch; k++)
        eigen(vectors, fill, n, (uint8_t *)a + (size_t)(k * n * n) * item, lda, (uint8_t *)values + (size_t)(k * n) * item, info + k, wide);
    return 0;
}

static vendor_status syev_batched_room(void *h, void *numbers, int vectors, int fill, int64_t n, int type, const void *a, int64_t lda, int values_type,
                                       const void *values, int computed, size_t *room, size_t *host_room, int64_t batch) {
    (void)vectors, (void)fill, (void)n, (void)type, (void)a, (void)lda, (void)values_type, (void)values, (void)computed, (void)batch;
    *room = 40, *host_room = 56;
    return numbers != &solver.numbers ? 97 : called("syev_batched_room", false, h);
}
static vendor_status syev_batched(void *h, void *numbers, int vectors, int fill, int64_t n, int type, void *a, int64_t lda, int values_type, void *values,
                                  int computed, void *work, size_t room, void *host_work, size_t host_room, int *info, int64_t batch) {
    TRY(called("syevBatched", false, h));
    TRY(within(info, 4 * (uint64_t)batch));
    TRY(within(work, room));
    if (numbers != &solver.numbers || type != values_type || type != computed || room != 40 || host_room != 56) return 97;
    size_t item = type ? 8 : 4;
    memset(work, 0xff, room);
    memset(host_work, 0xff, host_room);
    for (int64_t k = 0; k < batch; k++)
        eigen(vectors, fill, (int)n, (uint8_t *)a + (size_t)(k * n * n) * item, (int)lda, (uint8_t *)values + (size_t)(k * n) * item, info + k, type == 1);
    return 0;
}

/* Puts columns that are at right angles to each other and to the first ones behind them. */
static void complete(double *m, int rows, int from, int to) {
    for (int k = from, unit = 0; k < to; k++)
        for (bool found = false; !found; unit++) {
            for (int i = 0; i < rows; i++) m[k * rows + i] = i == unit;
            for (int turn = 0; turn < 2; turn++)
                for (int j = 0; j < k; j++) {
                    double dot = 0;
                    for (int i = 0; i < rows; i++) dot += m[j * rows + i] * m[k * rows + i];
                    for (int i = 0; i < rows; i++) m[k * rows + i] -= dot * m[j * rows + i];
                }
            double length = length_of(m, rows, k);
            found = length > 1e-3;
            for (int i = 0; i < rows; i++) m[k * rows + i] /= length;
        }
}
static vendor_status gesvdj_room(void *h, int vectors, int few, int rows, int n, const void *a, int lda, const void *values, const void *u, int ldu,
                                 const void *v, int ldv, int *room, void *numbers, bool wide) {
    (void)vectors, (void)few, (void)rows, (void)n, (void)a, (void)lda, (void)values, (void)u, (void)ldu, (void)v, (void)ldv, (void)wide;
    *room = SCRATCH;
    return numbers != &solver.numbers ? 97 : called("gesvdj_room", false, h);
}
static vendor_status gesvdj(void *h, int vectors, int few, int rows, int n, void *a, int lda, void *values, void *u, int ldu, void *v, int ldv, void *work,
                            int room, int *info, void *numbers, bool wide) {
    TRY(called("gesvdj", false, h));
    TRY(spoil(work, room, wide));
    TRY(within(info, 4));
    if (numbers != &solver.numbers || !u || !v) return 97;
    double *m = load(a, rows, n, lda, wide);
    bool turned = rows < n;
    int tall = turned ? n : rows, wide_side = turned ? rows : n, all = few ? wide_side : tall;
    double *b = calloc((size_t)(tall * tall), sizeof *b), *r = calloc((size_t)(wide_side * wide_side), sizeof *r);
    double *left = calloc((size_t)(tall * tall), sizeof *left), *right = calloc((size_t)(wide_side * wide_side), sizeof *right);
    for (int j = 0; j < wide_side; j++)
        for (int i = 0; i < tall; i++) b[j * tall + i] = turned ? m[i * rows + j] : m[j * rows + i];
    rotate(b, tall, wide_side, r);
    for (int place = 0; place < wide_side; place++) {
        int most = 0;
        double largest = -1;
        for (int k = 0; k < wide_side; k++)
            if (!isinf(b[k * tall]) && !(length_of(b, tall, k) <= largest)) largest = length_of(b, tall, k), most = k;
        put(values, place, wide, largest);
        for (int i = 0; i < tall; i++) left[place * tall + i] = largest > 1e-12 ? b[most * tall + i] / largest : 0;
        for (int i = 0; i < wide_side; i++) right[place * wide_side + i] = r[most * wide_side + i];
        for (int i = 0; i < tall; i++) b[most * tall + i] = INFINITY;
    }
    if (vectors) {
        complete(left, tall, wide_side, all);
        void *to[2] = {turned ? v : u, turned ? u : v};
        int stride[2] = {turned ? ldv : ldu, turned ? ldu : ldv};
        for (int k = 0; k < all; k++)
            for (int i = 0; i < tall; i++) put(to[0], (int64_t)k * stride[0] + i, wide, left[k * tall + i]);
        for (int k = 0; k < wide_side; k++)
            for (int i = 0; i < wide_side; i++) put(to[1], (int64_t)k * stride[1] + i, wide, right[k * wide_side + i]);
    }
    free(m), free(b), free(r), free(left), free(right);
    tell(info, 0);
    return 0;
}

/* The functions of either dtype, as the libraries have them. */
#define BOTH(name, parameters, ...)                                                \
    static vendor_status name##_s parameters { return name(__VA_ARGS__, false); }  \
    static vendor_status name##_d parameters { return name(__VA_ARGS__, true); }
BOTH(potrf_room, (void *h, int f, int n, void *a, int s, int *room), h, f, n, a, s, room)
BOTH(potrf, (void *h, int f, int n, void *a, int s, void *w, int room, int *info), h, f, n, a, s, w, room, info)
BOTH(potrf_batched, (void *h, int f, int n, void *a, int s, int *info, int batch), h, f, n, a, s, info, batch)
BOTH(getrf_room, (void *h, int m, int n, void *a, int s, int *room), h, m, n, a, s, room)
BOTH(getrf, (void *h, int m, int n, void *a, int s, void *w, int *p, int *info), h, m, n, a, s, w, p, info)
BOTH(getrf_batched, (void *h, int n, void *a, int s, int *p, int *info, int batch), h, n, a, s, p, info, batch)
BOTH(getrs, (void *h, int t, int n, int c, const void *a, int s, const int *p, void *b, int r, int *info), h, t, n, c, a, s, p, b, r, info)
BOTH(getrs_batched, (void *h, int t, int n, int c, const void *a, int s, const int *p, void *b, int r, int *info, int batch), h, t, n, c, a, s, p,
     b, r, info, batch)
BOTH(trsm, (void *h, int x, int f, int t, int u, int m, int n, const void *one, const void *a, int s, void *b, int r), h, x, f, t, u, m, n, one, a,
     s, b, r)
BOTH(trsm_batched, (void *h, int x, int f, int t, int u, int m, int n, const void *one, const void *a, int s, void *b, int r, int batch), h, x, f,
     t, u, m, n, one, a, s, b, r, batch)
BOTH(geqrf_room, (void *h, int m, int n, void *a, int s, int *room), h, m, n, a, s, room)
BOTH(geqrf, (void *h, int m, int n, void *a, int s, void *tau, void *w, int room, int *info), h, m, n, a, s, tau, w, room, info)
BOTH(ormqr_room, (void *h, int x, int t, int m, int n, int k, const void *a, int s, const void *tau, const void *c, int r, int *room), h, x, t, m, n,
     k, a, s, tau, c, r, room)
BOTH(ormqr, (void *h, int x, int t, int m, int n, int k, const void *a, int s, const void *tau, void *c, int r, void *w, int room, int *info), h, x,
     t, m, n, k, a, s, tau, c, r, w, room, info)
BOTH(syevd_room, (void *h, int j, int f, int n, const void *a, int s, const void *v, int *room), h, j, f, n, a, s, v, room)
BOTH(syevd, (void *h, int j, int f, int n, void *a, int s, void *v, void *w, int room, int *info), h, j, f, n, a, s, v, w, room, info)
BOTH(syevj_room, (void *h, int j, int f, int n, const void *a, int s, const void *v, int *room, void *x, int batch), h, j, f, n, a, s, v, room, x,
     batch)
BOTH(syevj, (void *h, int j, int f, int n, void *a, int s, void *v, void *w, int room, int *info, void *x, int batch), h, j, f, n, a, s, v, w, room,
     info, x, batch)
BOTH(gesvdj_room,
     (void *h, int j, int few, int m, int n, const void *a, int s, const void *o, const void *u, int us, const void *v, int vs, int *room, void *x), h,
     j, few, m, n, a, s, o, u, us, v, vs, room, x)
BOTH(gesvdj,
     (void *h, int j, int few, int m, int n, void *a, int s, void *o, void *u, int us, void *v, int vs, void *w, int room, int *info, void *x), h, j,
     few, m, n, a, s, o, u, us, v, vs, w, room, info, x)

#define OWN(name) .name##_s = name##_s, .name##_d = name##_d
static cusolver fake_solver = {.library = {.kind = &solver_kind},
                               .create = create,
                               .set_stream = set_stream,
                               .blas_create = blas_create,
                               .blas_set_stream = blas_set_stream,
                               .jacobi_create = numbers_create,
                               .jacobi_destroy = numbers_destroy,
                               .svd_create = numbers_create,
                               .svd_destroy = numbers_destroy,
                               .numbers_create = numbers_create,
                               .numbers_destroy = numbers_destroy,
                               .syev_batched_room = syev_batched_room,
                               .syev_batched = syev_batched,
                               OWN(potrf_room), OWN(potrf), OWN(potrf_batched), OWN(getrf_room), OWN(getrf), OWN(getrf_batched), OWN(getrs),
                               OWN(getrs_batched), OWN(trsm), OWN(trsm_batched), OWN(geqrf_room), OWN(geqrf), OWN(ormqr_room), OWN(ormqr),
                               OWN(syevd_room), OWN(syevd), OWN(syevj_room), OWN(syevj), OWN(gesvdj_room), OWN(gesvdj)};

#endif
