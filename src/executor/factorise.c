/*
 * Factorisations of matrices by cuSOLVER: the calls of each routine of Litz's own library that it has, too.
 *
 * Which steps run here (the others run on the host, as without the library):
 * - single matrices. Eigenvalues take at least 128 rows or at most 32, and singular values 256 of the shorter side or 2^18 elements:
 *   below, the host is faster;
 * - batches of matrices of up to 256 rows, of LU and solving by it up to 128, by the libraries' batched functions, which LU has for square
 *   ones, and QR and singular values not at all. Eigenvalues have one for up to 32 rows, and newer libraries one for more, which does
 *   batches of up to 256 rows, and those that would go otherwise to the host;
 * - other batches, one matrix after the other, where rows are at least 64 (of singular values 256) for each matrix of the batch, up to 16
 *   of them: the host's threads each do one at a time, and so win where many are small;
 * - no empty matrices, and none of more than 2^31 - 1 elements, which the libraries count in 32 bits.
 *
 * Errors are the host routines' to report. After a step the device's pivots, the diagonals of its Cholesky factors, and its eigenvalues and
 * singular values are read back. If a pivot is no row, a number is not finite, or an algorithm did not converge, the host repeats the step
 * and gives a result or an error. Pivots that a step is given are read before it moves rows by them. A nonzero `info` of LU or Cholesky is a result, and not
 * repeated; the factors of such a step differ from the host's.
 *
 * Deliberately absent: complex matrices, which no plan has; indefinite factorisations, permutations and the matrix exponential.
 */
#include "internal.h"

/* The sizes above, which a test makes smaller. */
#ifndef LOOP_LEAST
#define LOOP_LEAST 64
#define EIGH_LEAST 128
#define SVD_LEAST 256
#define JACOBI_MOST 32
#endif
enum { LOOP_MOST = 16, BATCHED_MOST = 256, LU_BATCHED_MOST = 128 };

/* How matrices of `n` rows, or columns if those are fewer, go: see above. */
static void choose_way(solver_call *c, int64_t n, int64_t single, int64_t loop, int64_t batched) {
    int64_t batch = c->values[0], most = batch < LOOP_MOST ? batch : LOOP_MOST;
    bool many = batch > 1 && n <= batched;
    c->way = many ? BATCHED : n >= (batch == 1 ? single : loop * most) ? SINGLY : BY_HOST;
    if (many) c->bytes[PART_POINTERS] = 16 * (uint64_t)batch;
}

static bool cholesky_takes(solver_call *c) {
    const lx_cholesky *v = (const lx_cholesky *)(const void *)c->values;
    c->bytes[PART_INFO] = 16; /* a zero */
    c->bytes[PART_OTHER] = matrices(c, v->n, 1); /* diagonals */
    c->looked = v->n;
    c->infos = c->memory[LX_CHOLESKY_INFO];
    c->told = true;
    choose_way(c, v->n, 1, LOOP_LEAST, BATCHED_MOST);
    return v->n > 0 && v->n <= INT_MAX / v->n;
}
static vendor_status cholesky_room(solver_call *c) {
    const lx_cholesky *v = (const lx_cholesky *)(const void *)c->values;
    int n = (int)v->n;
    return OF(c, potrf_room)(c->handle, v->upper ? FILL_LOWER : FILL_UPPER, n, c->memory[LX_CHOLESKY_FACTOR], n, &c->scratch);
}
static litz_status cholesky_run(solver_call *c, lx_error e) {
    const lx_cholesky *v = (const lx_cholesky *)(const void *)c->values;
    uint8_t *factor = c->memory[LX_CHOLESKY_FACTOR];
    int *info = c->memory[LX_CHOLESKY_INFO], n = (int)v->n, fill = v->upper ? FILL_LOWER : FILL_UPPER;
    DONE(device_copy(c->device, factor, c->memory[LX_CHOLESKY_MATRIX], matrices(c, n, n), c->stream, e));
    if (c->way == BATCHED) {
        DONE(point(c, (const void *[]){factor}, (uint64_t[]){(uint64_t)(v->n * v->n)}, 1, e));
        SOLVER(OF(c, potrf_batched)(c->handle, fill, n, c->part[PART_POINTERS], n, info, c->batch), "potrfBatched");
    }
    for (int k = 0; c->way == SINGLY && k < c->batch; k++)
        SOLVER(OF(c, potrf)(c->handle, fill, n, matrix_at(c, factor, k, v->n * v->n), n, c->part[PART_SCRATCH], c->scratch, info + k), "potrf");
    DONE(clear_triangle(c, factor, v->n, !v->upper, e));
    /* The library may report success although NaN is not positive. */
    const int64_t shape[] = {c->batch, n}, dense[] = {n, 1}, along[] = {v->n * v->n, n + 1};
    c->looked_at = c->part[PART_OTHER];
    strided target = {c->part[PART_OTHER], dense}, source = {factor, along};
    return device_copy_strided(c->device, 2, shape, target, source, c->item, c->stream, e);
}

static bool lu_takes(solver_call *c) {
    const lx_lu *v = (const lx_lu *)(const void *)c->values;
    int64_t few = v->rows < v->columns ? v->rows : v->columns;
    c->bytes[PART_MATRIX] = matrices(c, v->rows, v->columns);
    c->looked_at = c->memory[LX_LU_PIVOTS];
    c->looked = few;
    c->largest = v->rows;
    choose_way(c, few, 1, LOOP_LEAST, v->rows == v->columns ? LU_BATCHED_MOST : 0);
    return few > 0 && v->pivoting && v->rows <= INT_MAX / v->columns;
}
static vendor_status lu_room(solver_call *c) {
    const lx_lu *v = (const lx_lu *)(const void *)c->values;
    int m = (int)v->rows;
    return OF(c, getrf_room)(c->handle, m, (int)v->columns, c->memory[LX_LU_FACTORS], m, &c->scratch);
}
static litz_status lu_run(solver_call *c, lx_error e) {
    const lx_lu *v = (const lx_lu *)(const void *)c->values;
    uint8_t *matrix = c->part[PART_MATRIX];
    int *pivots = c->memory[LX_LU_PIVOTS], *info = c->memory[LX_LU_INFO];
    int m = (int)v->rows, n = (int)v->columns, few = m < n ? m : n;
    DONE(transpose(c, matrix, c->memory[LX_LU_MATRIX], m, n, e));
    if (c->way == BATCHED) {
        DONE(point(c, (const void *[]){matrix}, (uint64_t[]){(uint64_t)(v->rows * v->columns)}, 1, e));
        BLAS(OF(c, getrf_batched)(c->blas, n, c->part[PART_POINTERS], n, pivots, info, c->batch), "getrfBatched");
    }
    for (int k = 0; c->way == SINGLY && k < c->batch; k++)
        SOLVER(OF(c, getrf)(c->handle, m, n, matrix_at(c, matrix, k, v->rows * v->columns), m, c->part[PART_SCRATCH],
                            pivots + (int64_t)k * few, info + k),
               "getrf");
    return transpose(c, c->memory[LX_LU_FACTORS], matrix, n, m, e);
}

static bool lusolve_takes(solver_call *c) {
    const lx_lusolve *v = (const lx_lusolve *)(const void *)c->values;
    c->bytes[PART_MATRIX] = matrices(c, v->n, v->n);
    c->bytes[PART_OTHER] = matrices(c, v->n, v->columns);
    c->bytes[PART_INFO] = 4;
    c->looked_at = c->memory[LX_LUSOLVE_PIVOTS];
    c->looked = c->largest = v->n;
    choose_way(c, v->n, 1, LOOP_LEAST, LU_BATCHED_MOST);
    return v->n > 0 && v->columns > 0 && v->n <= INT_MAX / v->n && v->columns <= INT_MAX / v->n;
}
static litz_status lusolve_run(solver_call *c, lx_error e) {
    const lx_lusolve *v = (const lx_lusolve *)(const void *)c->values;
    uint8_t *factors = c->part[PART_MATRIX], *right = c->part[PART_OTHER];
    const int *pivots = c->memory[LX_LUSOLVE_PIVOTS];
    int n = (int)v->n, columns = (int)v->columns, turn = v->transposed ? TRANSPOSED : PLAIN;
    DONE(transpose(c, factors, c->memory[LX_LUSOLVE_FACTORS], n, n, e));
    DONE(transpose(c, right, c->memory[LX_LUSOLVE_RIGHT], n, columns, e));
    if (c->way == BATCHED) {
        int wrong = 0;
        uint64_t elements[] = {(uint64_t)(v->n * v->n), (uint64_t)(v->n * v->columns)};
        DONE(point(c, (const void *[]){factors, right}, elements, 2, e));
        uint8_t *to = c->part[PART_POINTERS] + 8 * (uint64_t)c->batch;
        BLAS(OF(c, getrs_batched)(c->blas, turn, n, columns, c->part[PART_POINTERS], n, pivots, to, n, &wrong, c->batch), "getrsBatched");
    }
    for (int k = 0; c->way == SINGLY && k < c->batch; k++)
        SOLVER(OF(c, getrs)(c->handle, turn, n, columns, matrix_at(c, factors, k, v->n * v->n), n, pivots + (int64_t)k * n,
                            matrix_at(c, right, k, v->n * v->columns), n, info_at(c, 0)),
               "getrs");
    return transpose(c, c->memory[LX_LUSOLVE_RESULT], right, columns, n, e);
}

static bool triangular_takes(solver_call *c) {
    const lx_triangularsolve *v = (const lx_triangularsolve *)(const void *)c->values;
    choose_way(c, v->n, 1, LOOP_LEAST, BATCHED_MOST);
    return v->n > 0 && v->columns > 0 && v->n <= INT_MAX / v->n && v->columns <= INT_MAX / v->n;
}
/* With the transposed of all three: result * op(matrix) = right. */
static litz_status triangular_run(solver_call *c, lx_error e) {
    const lx_triangularsolve *v = (const lx_triangularsolve *)(const void *)c->values;
    uint8_t *matrix = c->memory[LX_TRIANGULARSOLVE_MATRIX], *result = c->memory[LX_TRIANGULARSOLVE_RESULT];
    int n = (int)v->n, columns = (int)v->columns, fill = v->upper ? FILL_LOWER : FILL_UPPER;
    int turn = v->transposed ? TRANSPOSED : PLAIN, unit = v->unit != 0;
    const double wide_one = 1;
    const float narrow_one = 1;
    const void *one = c->wide ? (const void *)&wide_one : (const void *)&narrow_one;
    DONE(device_copy(c->device, result, c->memory[LX_TRIANGULARSOLVE_RIGHT], matrices(c, n, columns), c->stream, e));
    if (c->way == BATCHED) {
        uint64_t elements[] = {(uint64_t)(v->n * v->n), (uint64_t)(v->n * v->columns)};
        DONE(point(c, (const void *[]){matrix, result}, elements, 2, e));
        uint8_t *to = c->part[PART_POINTERS] + 8 * (uint64_t)c->batch;
        BLAS(OF(c, trsm_batched)(c->blas, SIDE_RIGHT, fill, turn, unit, columns, n, one, c->part[PART_POINTERS], n, to, columns, c->batch),
             "trsmBatched");
    }
    for (int k = 0; c->way == SINGLY && k < c->batch; k++)
        BLAS(OF(c, trsm)(c->blas, SIDE_RIGHT, fill, turn, unit, columns, n, one, matrix_at(c, matrix, k, v->n * v->n), n,
                         matrix_at(c, result, k, v->n * v->columns), columns),
             "trsm");
    return LITZ_OK;
}

static bool qr_takes(solver_call *c) {
    const lx_qr *v = (const lx_qr *)(const void *)c->values;
    int64_t few = v->rows < v->columns ? v->rows : v->columns;
    c->bytes[PART_MATRIX] = matrices(c, v->rows, v->columns);
    c->bytes[PART_INFO] = 4;
    choose_way(c, few, 1, LOOP_LEAST, 0);
    return few > 0 && v->rows <= INT_MAX / v->columns;
}
static vendor_status qr_room(solver_call *c) {
    const lx_qr *v = (const lx_qr *)(const void *)c->values;
    int m = (int)v->rows;
    return OF(c, geqrf_room)(c->handle, m, (int)v->columns, c->memory[LX_QR_FACTORS], m, &c->scratch);
}
static litz_status qr_run(solver_call *c, lx_error e) {
    const lx_qr *v = (const lx_qr *)(const void *)c->values;
    uint8_t *matrix = c->part[PART_MATRIX];
    int m = (int)v->rows, n = (int)v->columns, few = m < n ? m : n;
    DONE(transpose(c, matrix, c->memory[LX_QR_MATRIX], m, n, e));
    for (int k = 0; k < c->batch; k++)
        SOLVER(OF(c, geqrf)(c->handle, m, n, matrix_at(c, matrix, k, v->rows * v->columns), m, matrix_at(c, c->memory[LX_QR_TAU], k, few),
                            c->part[PART_SCRATCH], c->scratch, info_at(c, 0)),
               "geqrf");
    return transpose(c, c->memory[LX_QR_FACTORS], matrix, n, m, e);
}

static bool reflect_takes(solver_call *c) {
    const lx_reflect *v = (const lx_reflect *)(const void *)c->values;
    c->bytes[PART_MATRIX] = matrices(c, v->rows, v->stored);
    c->bytes[PART_INFO] = 4;
    choose_way(c, v->reflections, 1, LOOP_LEAST, 0);
    bool whole = v->reflections > 0 && v->columns > 0 && v->reflections <= v->rows && v->reflections <= v->stored;
    return whole && v->stored <= INT_MAX / v->rows && v->columns <= INT_MAX / v->rows;
}
static vendor_status reflect_room(solver_call *c) {
    const lx_reflect *v = (const lx_reflect *)(const void *)c->values;
    int m = (int)v->rows, columns = (int)v->columns, turn = v->transposed ? PLAIN : TRANSPOSED;
    return OF(c, ormqr_room)(c->handle, SIDE_RIGHT, turn, columns, m, (int)v->reflections, c->memory[LX_REFLECT_FACTORS], m,
                             c->memory[LX_REFLECT_TAU], c->memory[LX_REFLECT_RESULT], columns, &c->scratch);
}
/* The transposed other matrix is multiplied on its other side. */
static litz_status reflect_run(solver_call *c, lx_error e) {
    const lx_reflect *v = (const lx_reflect *)(const void *)c->values;
    uint8_t *factors = c->part[PART_MATRIX], *result = c->memory[LX_REFLECT_RESULT];
    int m = (int)v->rows, columns = (int)v->columns, turn = v->transposed ? PLAIN : TRANSPOSED;
    DONE(transpose(c, factors, c->memory[LX_REFLECT_FACTORS], m, v->stored, e));
    DONE(device_copy(c->device, result, c->memory[LX_REFLECT_OTHER], matrices(c, m, columns), c->stream, e));
    for (int k = 0; k < c->batch; k++)
        SOLVER(OF(c, ormqr)(c->handle, SIDE_RIGHT, turn, columns, m, (int)v->reflections, matrix_at(c, factors, k, v->rows * v->stored), m,
                            matrix_at(c, c->memory[LX_REFLECT_TAU], k, v->reflections), matrix_at(c, result, k, v->rows * v->columns),
                            columns, c->part[PART_SCRATCH], c->scratch, info_at(c, 0)),
               "ormqr");
    return LITZ_OK;
}

/* Eigenvalues alone have the same attributes, and no third operand. */
_Static_assert(sizeof(lx_eigh) == sizeof(lx_eigenvalues) && (int)LX_EIGH_VALUES == (int)LX_EIGENVALUES_VALUES, "one structure serves both");
static bool eigh_takes(solver_call *c) {
    const lx_eigh *v = (const lx_eigh *)(const void *)c->values;
    c->bytes[PART_MATRIX] = matrices(c, v->n, v->n);
    c->bytes[PART_INFO] = 4 * (uint64_t)c->batch;
    c->looked_at = c->memory[LX_EIGH_VALUES];
    c->looked = v->n;
    choose_way(c, v->n, EIGH_LEAST, LOOP_LEAST, 0);
    bool countable = v->n > 0 && v->n <= INT_MAX / v->n && c->batch <= INT_MAX / (v->n * v->n);
    if (v->n <= JACOBI_MOST) c->way = BY_JACOBI;
    else if ((c->way == BY_HOST || v->n <= BATCHED_MOST) && c->batch > 1 && c->library->syev_batched && countable) c->way = BATCHED;
    return v->n > 0 && v->n <= INT_MAX / v->n;
}
static vendor_status eigh_room(solver_call *c) {
    const lx_eigh *v = (const lx_eigh *)(const void *)c->values;
    int n = (int)v->n, fill = v->upper ? FILL_LOWER : FILL_UPPER, vectors = c->routine == LX_ROUTINE_EIGH;
    const void *matrix = c->memory[LX_EIGH_MATRIX], *values = c->memory[LX_EIGH_VALUES];
    if (c->way == SINGLY) return OF(c, syevd_room)(c->handle, vectors, fill, n, matrix, n, values, &c->scratch);
    void *numbers = NULL;
    if (c->way == BATCHED) {
        vendor_status code = c->library->numbers_create(&numbers);
        if (!code)
            code = c->library->syev_batched_room(c->handle, numbers, vectors, fill, n, c->wide, matrix, n, c->wide, values, c->wide, &c->room[0],
                                                 &c->room[1], c->batch);
        if (numbers) c->library->numbers_destroy(numbers);
        return code;
    }
    vendor_status code = c->library->jacobi_create(&numbers);
    if (!code) code = OF(c, syevj_room)(c->handle, vectors, fill, n, matrix, n, values, &c->scratch, numbers, c->batch);
    if (numbers) c->library->jacobi_destroy(numbers);
    return code;
}
static litz_status eigh_run(solver_call *c, lx_error e) {
    const lx_eigh *v = (const lx_eigh *)(const void *)c->values;
    int n = (int)v->n, fill = v->upper ? FILL_LOWER : FILL_UPPER, vectors = c->routine == LX_ROUTINE_EIGH;
    uint8_t *matrix = c->part[PART_MATRIX], *values = c->memory[LX_EIGH_VALUES];
    void *scratch = c->part[PART_SCRATCH], *numbers = NULL;
    c->infos = info_at(c, 0);
    DONE(device_copy(c->device, matrix, c->memory[LX_EIGH_MATRIX], matrices(c, n, n), c->stream, e));
    if (c->way == BATCHED) {
        void *on_host = malloc(c->room[1] + 1);
        if (!on_host) return fail(e, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for %zu bytes that cuSOLVER works in", c->room[1]);
        vendor_status code = c->library->numbers_create(&numbers);
        if (!code)
            code = c->library->syev_batched(c->handle, numbers, vectors, fill, n, c->wide, matrix, n, c->wide, values, c->wide, scratch, c->room[0],
                                            on_host, c->room[1], info_at(c, 0), c->batch);
        if (numbers) c->library->numbers_destroy(numbers);
        free(on_host);
        SOLVER(code, "syevBatched");
    }
    if (c->way == BY_JACOBI) {
        vendor_status code = c->library->jacobi_create(&numbers);
        if (!code)
            code = OF(c, syevj)(c->handle, vectors, fill, n, matrix, n, values, scratch, c->scratch, info_at(c, 0), numbers, c->batch);
        if (numbers) c->library->jacobi_destroy(numbers);
        SOLVER(code, "syevjBatched");
    }
    for (int k = 0; c->way == SINGLY && k < c->batch; k++)
        SOLVER(OF(c, syevd)(c->handle, vectors, fill, n, matrix_at(c, matrix, k, v->n * v->n), n, matrix_at(c, values, k, n), scratch,
                            c->scratch, info_at(c, k)),
               "syevd");
    return vectors ? transpose(c, c->memory[LX_EIGH_VECTORS], matrix, n, n, e) : LITZ_OK;
}

/* What the library is asked for: the SVD of the transposed matrix, whose left vectors are the right ones. */
typedef struct svd_shape {
    int rows, columns, few, lefts, rights, vectors;
} svd_shape;

static svd_shape svd_of(const solver_call *c) {
    const lx_svd *v = (const lx_svd *)(const void *)c->values;
    bool vectors = c->routine == LX_ROUTINE_SVD, full = vectors && v->full;
    int m = (int)v->rows, n = (int)v->columns, few = m < n ? m : n;
    return (svd_shape){m, n, few, full ? m : few, full ? n : few, vectors};
}
static bool svd_takes(solver_call *c) {
    const lx_svd *v = (const lx_svd *)(const void *)c->values;
    int64_t few = v->rows < v->columns ? v->rows : v->columns, most = v->rows < v->columns ? v->columns : v->rows;
    if (few <= 0 || most > INT_MAX / most) return false;
    bool long_one = c->batch == 1 && few * most >= 1024 * SVD_LEAST;
    choose_way(c, long_one ? most : few, SVD_LEAST, SVD_LEAST, 0);
    svd_shape s = svd_of(c);
    c->bytes[PART_MATRIX] = matrices(c, s.rows, s.columns);
    c->bytes[PART_OTHER] = matrices(c, s.rows, s.lefts);
    /* The library asks for memory of vectors even where it computes none. */
    if (!s.vectors) c->bytes[PART_BASIS] = matrices(c, s.columns, s.rights);
    c->bytes[PART_INFO] = 4 * (uint64_t)c->batch;
    c->looked_at = c->memory[s.vectors ? LX_SVD_VALUES : LX_SINGULARVALUES_VALUES];
    c->looked = few;
    return true;
}
static vendor_status svd_room(solver_call *c) {
    svd_shape s = svd_of(c);
    void *numbers = NULL, *any = c->memory[0];
    vendor_status code = c->library->svd_create(&numbers);
    if (!code)
        code = OF(c, gesvdj_room)(c->handle, s.vectors, s.lefts == s.few && s.rights == s.few, s.columns, s.rows, any, s.columns, any, any,
                                  s.columns, any, s.rows, &c->scratch, numbers);
    if (numbers) c->library->svd_destroy(numbers);
    return code;
}
static litz_status svd_run(solver_call *c, lx_error e) {
    svd_shape s = svd_of(c);
    uint8_t *matrix = c->part[PART_MATRIX], *left = c->part[PART_OTHER];
    uint8_t *values = c->memory[s.vectors ? LX_SVD_VALUES : LX_SINGULARVALUES_VALUES];
    uint8_t *right = s.vectors ? c->memory[LX_SVD_RIGHT] : c->part[PART_BASIS];
    int64_t elements = (int64_t)s.rows * s.columns;
    void *numbers = NULL;
    c->infos = info_at(c, 0);
    DONE(device_copy(c->device, matrix, c->memory[LX_SVD_MATRIX], matrices(c, s.rows, s.columns), c->stream, e));
    vendor_status code = c->library->svd_create(&numbers);
    for (int k = 0; !code && k < c->batch; k++)
        code = OF(c, gesvdj)(c->handle, s.vectors, s.lefts == s.few && s.rights == s.few, s.columns, s.rows,
                             matrix_at(c, matrix, k, elements), s.columns, matrix_at(c, values, k, s.few),
                             matrix_at(c, right, k, (int64_t)s.columns * s.rights), s.columns,
                             matrix_at(c, left, k, (int64_t)s.rows * s.lefts), s.rows, c->part[PART_SCRATCH], c->scratch, info_at(c, k),
                             numbers);
    if (numbers) c->library->svd_destroy(numbers);
    SOLVER(code, "gesvdj");
    return s.vectors ? transpose(c, c->memory[LX_SVD_LEFT], left, s.lefts, s.rows, e) : LITZ_OK;
}

/* Of each routine: its way and parts of the workspace, the elements of its scratch where it runs singly, and its calls. */
static const struct {
    bool (*takes)(solver_call *);
    vendor_status (*room)(solver_call *);
    litz_status (*run)(solver_call *, lx_error);
} solver_routines[LX_N_ROUTINES] = {
    [LX_ROUTINE_CHOLESKY] = {cholesky_takes, cholesky_room, cholesky_run},
    [LX_ROUTINE_LU] = {lu_takes, lu_room, lu_run},
    [LX_ROUTINE_LUSOLVE] = {lusolve_takes, NULL, lusolve_run},
    [LX_ROUTINE_TRIANGULARSOLVE] = {triangular_takes, NULL, triangular_run},
    [LX_ROUTINE_QR] = {qr_takes, qr_room, qr_run},
    [LX_ROUTINE_REFLECT] = {reflect_takes, reflect_room, reflect_run},
    [LX_ROUTINE_EIGH] = {eigh_takes, eigh_room, eigh_run},
    [LX_ROUTINE_EIGENVALUES] = {eigh_takes, eigh_room, eigh_run},
    [LX_ROUTINE_SVD] = {svd_takes, svd_room, svd_run},
    [LX_ROUTINE_SINGULARVALUES] = {svd_takes, svd_room, svd_run},
};

/* Whether a step with elements runs here, by its sizes. */
static bool solver_takes(solver_call *c) {
    int64_t batch = c->values[0], dtype = c->values[1];
    c->wide = dtype == 8;
    c->item = c->wide ? 8 : 4;
    c->batch = (int)batch;
    if (!solver_routines[c->routine].takes || (dtype != 7 && dtype != 8) || batch < 1 || batch > INT_MAX) return false;
    return solver_routines[c->routine].takes(c) && c->way != BY_HOST;
}

/* The bytes that the call works in. */
static litz_status solver_prepare(solver_call *c, uint64_t *bytes, lx_error e) {
    vendor_status (*room)(solver_call *) = solver_routines[c->routine].room;
    bool eigenvalues = c->routine == LX_ROUTINE_EIGH || c->routine == LX_ROUTINE_EIGENVALUES;
    if (room && (c->way == SINGLY || eigenvalues)) {
        DONE(solver_enter(c, e));
        vendor_status code = room(c);
        pthread_mutex_unlock(&solver_lock);
        SOLVER(code, "the size of its workspace");
        c->bytes[PART_SCRATCH] = (uint64_t)(c->scratch > 0 ? c->scratch : 0) * c->item + c->room[0];
    }
    *bytes = 0;
    for (int k = 0; k < SOLVER_PARTS; k++) *bytes += vendor_aligned(c->bytes[k]);
    return LITZ_OK;
}

static bool values_are_good(const solver_call *c, const void *values, int64_t begin, int64_t end) {
    bool good = true;
    for (int64_t k = begin; k < end; k++) {
        if (c->largest) good = good && ((const int32_t *)values)[k] >= 1 && ((const int32_t *)values)[k] <= c->largest;
        else good = good && (c->wide ? isfinite(((const double *)values)[k]) : isfinite(((const float *)values)[k]));
    }
    return good;
}

/* Reads back what decides whether the host has to do the step. */
static litz_status solver_look(const solver_call *c, host_copies *copies, bool *refused, lx_error e) {
    uint64_t bytes = (uint64_t)c->batch * (uint64_t)c->looked * (c->largest ? 4 : c->item), more = c->infos ? 4 * (uint64_t)c->batch : 0;
    DONE(pinned_reserve(c->device, copies, bytes + more, "a routine's results", e));
    DONE(device_copy(c->device, copies->data, c->looked_at, bytes, c->stream, e));
    DONE(device_copy(c->device, copies->data + bytes, c->infos, more, c->stream, e));
    DONE(device_wait(c->device, c->stream, e));
    const int32_t *infos = (const int32_t *)(const void *)(copies->data + bytes);
    for (int64_t k = 0; k < c->batch; k++) {
        bool fine = values_are_good(c, copies->data, k * c->looked, (k + 1) * c->looked), failed = more && infos[k];
        if (c->told ? !failed && !fine : failed || !fine) *refused = true;
    }
    return LITZ_OK;
}

/* `workspace`: as many bytes as were asked for. `copies`: for what is read back. `refused`: the host has to do the step. */
static litz_status solver_run(solver_call *c, void *workspace, host_copies *copies, bool *refused, lx_error e) {
    uint8_t *at = workspace;
    for (int k = 0; k < SOLVER_PARTS; k++) {
        c->part[k] = at;
        if (at) at += vendor_aligned(c->bytes[k]);
    }
    bool before = c->routine == LX_ROUTINE_LUSOLVE;
    if (before) DONE(solver_look(c, copies, refused, e));
    if (*refused) return LITZ_OK;
    DONE(solver_enter(c, e));
    litz_status status = solver_routines[c->routine].run(c, e);
    pthread_mutex_unlock(&solver_lock);
    return status || before || !c->looked_at ? status : solver_look(c, copies, refused, e);
}
