/*
 * cuSOLVER: its functions, its handles, and the transposes and pointers that calls of it need. It is opened when the first program with a
 * factorisation is created. Functions of cuBLAS that a step calls directly are found through it, since it is linked with that library.
 *
 * Matrices of a plan are row-major, those of the libraries column-major. So a library sees each matrix transposed. For some routines it is
 * enough to name the other triangle or the other side. Otherwise matrices are transposed in the workspace: one launch of the copy kernel,
 * which every program's cubins have, does a batch.
 *
 * Handles have one stream at a time, so that the calls of a process take turns; the GPU's work does not.
 *
 * Deliberately absent: the routines themselves, and the choice between the device and the host (factorise.c).
 */
#include "internal.h"

/* Functions for float32 and float64. */
#define SOLVER_BOTH(X, member, name, parameters) \
    X(member##_s, "cusolverDnS" name, parameters) X(member##_d, "cusolverDnD" name, parameters)
#define BLAS_BOTH(X, member, name, parameters) X(member##_s, "cublasS" name, parameters) X(member##_d, "cublasD" name, parameters)

/* The libraries' functions, under the names that they export. */
#define LX_CUSOLVER_FUNCTIONS(X)                                                                                                     \
    X(create, "cusolverDnCreate", (void **))                                                                                         \
    X(set_stream, "cusolverDnSetStream", (void *, cu_stream))                                                                        \
    X(blas_create, "cublasCreate_v2", (void **))                                                                                     \
    X(blas_set_stream, "cublasSetStream_v2", (void *, cu_stream))                                                                    \
    X(jacobi_create, "cusolverDnCreateSyevjInfo", (void **))                                                                         \
    X(jacobi_destroy, "cusolverDnDestroySyevjInfo", (void *))                                                                        \
    X(svd_create, "cusolverDnCreateGesvdjInfo", (void **))                                                                           \
    X(svd_destroy, "cusolverDnDestroyGesvdjInfo", (void *))                                                                          \
    X(numbers_create, "cusolverDnCreateParams", (void **))                                                                           \
    X(numbers_destroy, "cusolverDnDestroyParams", (void *))                                                                          \
    SOLVER_BOTH(X, potrf_room, "potrf_bufferSize", (void *, int, int, void *, int, int *))                                           \
    SOLVER_BOTH(X, potrf, "potrf", (void *, int, int, void *, int, void *, int, int *))                                              \
    SOLVER_BOTH(X, potrf_batched, "potrfBatched", (void *, int, int, void *, int, int *, int))                                       \
    SOLVER_BOTH(X, getrf_room, "getrf_bufferSize", (void *, int, int, void *, int, int *))                                           \
    SOLVER_BOTH(X, getrf, "getrf", (void *, int, int, void *, int, void *, int *, int *))                                            \
    SOLVER_BOTH(X, getrs, "getrs", (void *, int, int, int, const void *, int, const int *, void *, int, int *))                      \
    SOLVER_BOTH(X, geqrf_room, "geqrf_bufferSize", (void *, int, int, void *, int, int *))                                           \
    SOLVER_BOTH(X, geqrf, "geqrf", (void *, int, int, void *, int, void *, void *, int, int *))                                      \
    SOLVER_BOTH(X, ormqr_room, "ormqr_bufferSize",                                                                                   \
                (void *, int, int, int, int, int, const void *, int, const void *, const void *, int, int *))                        \
    SOLVER_BOTH(X, ormqr, "ormqr",                                                                                                   \
                (void *, int, int, int, int, int, const void *, int, const void *, void *, int, void *, int, int *))                 \
    SOLVER_BOTH(X, syevd_room, "syevd_bufferSize", (void *, int, int, int, const void *, int, const void *, int *))                  \
    SOLVER_BOTH(X, syevd, "syevd", (void *, int, int, int, void *, int, void *, void *, int, int *))                                 \
    SOLVER_BOTH(X, syevj_room, "syevjBatched_bufferSize",                                                                            \
                (void *, int, int, int, const void *, int, const void *, int *, void *, int))                                        \
    SOLVER_BOTH(X, syevj, "syevjBatched", (void *, int, int, int, void *, int, void *, void *, int, int *, void *, int))             \
    SOLVER_BOTH(X, gesvdj_room, "gesvdj_bufferSize",                                                                                 \
                (void *, int, int, int, int, const void *, int, const void *, const void *, int, const void *, int, int *, void *))  \
    SOLVER_BOTH(X, gesvdj, "gesvdj",                                                                                                 \
                (void *, int, int, int, int, void *, int, void *, void *, int, void *, int, void *, int, int *, void *))             \
    BLAS_BOTH(X, getrf_batched, "getrfBatched", (void *, int, void *, int, int *, int *, int))                                       \
    BLAS_BOTH(X, getrs_batched, "getrsBatched", (void *, int, int, int, const void *, int, const int *, void *, int, int *, int))    \
    BLAS_BOTH(X, trsm, "trsm_v2", (void *, int, int, int, int, int, int, const void *, const void *, int, void *, int))              \
    BLAS_BOTH(X, trsm_batched, "trsmBatched", (void *, int, int, int, int, int, int, const void *, const void *, int, void *, int, int))

typedef struct cusolver {
    vendor_library library;
    LX_CUSOLVER_FUNCTIONS(VENDOR_MEMBER)
    void *blas[MOST_DEVICES]; /* handles of cuBLAS */
    /* From CUDA 12.6 on; NULL: absent. */
    vendor_status (*syev_batched_room)(void *, void *, int, int, int64_t, int, const void *, int64_t, int, const void *, int, size_t *, size_t *,
                                       int64_t);
    vendor_status (*syev_batched)(void *, void *, int, int, int64_t, int, void *, int64_t, int, void *, int, void *, size_t, void *, size_t, int *,
                                  int64_t);
} cusolver;

static const char *const solver_kind_files[] = {"libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"};
VENDOR_KIND(solver_kind, cusolver, LX_CUSOLVER_FUNCTIONS, .name = "cuSOLVER", .option = "cuda.cusolver", .version = "11", .no_memory = {2, 2});
/* What its failures are called; it is never opened by itself. */
static const vendor_kind blas_kind = {.name = "cuBLAS", .no_memory = {3, 3}};

/* Over handles, each with the stream of one call, and the functions that may be absent. */
static pthread_mutex_t solver_lock = PTHREAD_MUTEX_INITIALIZER;

/* Opens it, with what newer versions have. */
static litz_status solver_open(const char *path, vendor_library **out, lx_error e) {
    litz_status status = vendor_open(&solver_kind, path, out, e);
    if (status) return status;
    cusolver *l = (cusolver *)*out;
    pthread_mutex_lock(&solver_lock);
    if (!l->syev_batched) {
        *(void **)(&l->syev_batched_room) = dlsym(l->library.file, "cusolverDnXsyevBatched_bufferSize");
        if (l->syev_batched_room) *(void **)(&l->syev_batched) = dlsym(l->library.file, "cusolverDnXsyevBatched");
    }
    pthread_mutex_unlock(&solver_lock);
    return LITZ_OK;
}

/* The libraries' numbers. */
enum { FILL_LOWER, FILL_UPPER };
enum { PLAIN, TRANSPOSED };
enum { SIDE_RIGHT = 1 };

/* Parts of the workspace. */
enum { PART_MATRIX, PART_OTHER, PART_BASIS, PART_SCRATCH, PART_INFO, PART_POINTERS, SOLVER_PARTS };

/* What a frame keeps of a step: pointers to the matrices of a batch, of up to two operands, as they were last copied to the device. */
typedef struct solver_state {
    host_copies pointers;
    cu_event copied; /* NULL: there is none yet */
    const void *first[2];
    uint64_t distance[2];
    int64_t count;
} solver_state;

typedef struct solver_call {
    cusolver *library;
    const device *device;
    cu_stream stream;
    uint32_t routine;
    const int64_t *values;
    void *const *memory;
    solver_state *state;
    /* From here on solver_takes and solver_prepare fill it in. */
    enum { BY_HOST, SINGLY, BATCHED, BY_JACOBI } way;
    void *handle, *blas;
    bool wide;
    uint64_t item; /* bytes of an element */
    int batch;
    int scratch;     /* elements of the workspace for the library, or */
    size_t room[2]; /* bytes of it, on the device and on the host */
    uint64_t bytes[SOLVER_PARTS]; /* of the workspace */
    uint8_t *part[SOLVER_PARTS];
    /* What is read back of each matrix. */
    const void *looked_at; /* values that must be finite; pivots, where these have a `largest` */
    int64_t looked, largest;
    const int *infos; /* statuses, NULL: none */
    bool told;        /* a status is a result: values may be anything then */
} solver_call;

/* The function for the call's dtype. */
#define OF(c, name) ((c)->wide ? (c)->library->name##_d : (c)->library->name##_s)
#define SOLVER(call, what)                                                     \
    do {                                                                       \
        vendor_status code_ = (call);                                          \
        if (code_) return vendor_fail(&solver_kind, code_, what, e);           \
    } while (0)
#define BLAS(call, what)                                                       \
    do {                                                                       \
        vendor_status code_ = (call);                                          \
        if (code_) return vendor_fail(&blas_kind, code_, what, e);             \
    } while (0)
#define DONE(call)                                 \
    do {                                           \
        litz_status status_ = (call);              \
        if (status_) return status_;               \
    } while (0)

/* The k-th of matrices of so many elements. */
static void *matrix_at(const solver_call *c, void *first, int k, int64_t elements) {
    return (uint8_t *)first + (uint64_t)k * (uint64_t)elements * c->item;
}
static int *info_at(const solver_call *c, int k) { return (int *)(void *)c->part[PART_INFO] + k; }

static uint64_t matrices(const solver_call *c, int64_t rows, int64_t columns) {
    return (uint64_t)c->batch * (uint64_t)rows * (uint64_t)columns * c->item;
}

/* Writes the transposed matrices: of `rows` x `columns`, row by row. */
static litz_status transpose(const solver_call *c, void *to, const void *from, int64_t rows, int64_t columns, lx_error e) {
    const int64_t shape[] = {c->batch, columns, rows}, dense[] = {rows * columns, rows, 1}, turned[] = {rows * columns, 1, columns};
    strided target = {to, dense}, source = {(uint8_t *)(uintptr_t)from, turned};
    return device_copy_strided(c->device, 3, shape, target, source, c->item, c->stream, e);
}

/* Clears the triangle above the diagonal of each matrix, or the one below. A triangle is squares of 1, 2, 4, … rows along the diagonal, and
 * at each size the part of a square that the matrix cuts off. One launch clears the squares of one size. */
static litz_status clear_triangle(const solver_call *c, uint8_t *first, int64_t n, bool above, lx_error e) {
    const int64_t none[4] = {0}, row = above ? n : 1, column = above ? 1 : n;
    uint8_t *zero = c->part[PART_INFO];
    ON_DEVICE(c->device, c->device->driver->fill((cu_pointer)(uintptr_t)zero, 0, c->item, c->stream), "clearing memory");
    for (int64_t s = 1; s < n; s *= 2) {
        int64_t whole = n / (2 * s), rest = n - 2 * s * whole - s;
        for (int part = 0; part < 2; part++) {
            int64_t width = part ? rest : s, begin = (part ? 2 * s * whole * (n + 1) : 0) + s * column;
            if (width <= 0 || (!part && !whole)) continue;
            const int64_t shape[] = {c->batch, part ? 1 : whole, s, width}, strides[] = {n * n, 2 * s * (n + 1), row, column};
            strided target = {first + (uint64_t)begin * c->item, strides}, source = {zero, none};
            DONE(device_copy_strided(c->device, 4, shape, target, source, c->item, c->stream, e));
        }
    }
    return LITZ_OK;
}

/* Puts pointers to the batch's matrices into the workspace, those of a second operand behind them. */
static litz_status point(const solver_call *c, const void *const *first, const uint64_t *elements, int lists, lx_error e) {
    solver_state *p = c->state;
    const driver *d = c->device->driver;
    uint64_t bytes = 8 * (uint64_t)lists * (uint64_t)c->batch;
    bool same = p->count == c->batch && p->pointers.bytes >= bytes;
    for (int l = 0; l < lists; l++) same = same && p->first[l] == first[l] && p->distance[l] == elements[l] * c->item;
    if (!same) {
        /* The last copy of them may be ahead. */
        if (p->copied) ON_DEVICE(c->device, d->event_synchronize(p->copied), "waiting for the GPU");
        p->count = 0;
        DONE(pinned_reserve(c->device, &p->pointers, bytes, "pointers to a batch's matrices", e));
        uint64_t *to = (uint64_t *)(void *)p->pointers.data;
        for (int l = 0; l < lists; l++) {
            p->first[l] = first[l];
            p->distance[l] = elements[l] * c->item;
            for (int k = 0; k < c->batch; k++) *to++ = (uint64_t)(uintptr_t)first[l] + (uint64_t)k * p->distance[l];
        }
        p->count = c->batch;
    }
    if (!p->copied) ON_DEVICE(c->device, d->event_create(&p->copied, CU_EVENT_DISABLE_TIMING), "creating an event");
    DONE(device_copy(c->device, c->part[PART_POINTERS], p->pointers.data, bytes, c->stream, e));
    ON_DEVICE(c->device, d->event_record(p->copied, c->stream), "recording an event");
    return LITZ_OK;
}

static void solver_forget(const device *v, solver_state *p) {
    if (p->copied) {
        v->driver->event_synchronize(p->copied);
        v->driver->event_destroy(p->copied);
    }
    pinned_release(v, &p->pointers);
    memset(p, 0, sizeof *p);
}

/* Handles of the device for the call, whose stream they have until the lock is left. */
static litz_status solver_enter(solver_call *c, lx_error e) {
    cusolver *l = c->library;
    int32_t index = c->device->index;
    DONE(vendor_handle(&l->library, index, &c->handle, e));
    pthread_mutex_lock(&solver_lock);
    vendor_status code = l->set_stream(c->handle, c->stream);
    litz_status status = code ? vendor_fail(&solver_kind, code, "the choice of a stream", e) : LITZ_OK;
    if (!status) {
        code = l->blas[index] ? 0 : l->blas_create(&l->blas[index]);
        if (code) l->blas[index] = NULL;
        else code = l->blas_set_stream(l->blas[index], c->stream);
        if (code) status = vendor_fail(&blas_kind, code, "its start on the device", e);
    }
    c->blas = l->blas[index];
    if (status) pthread_mutex_unlock(&solver_lock);
    return status;
}
