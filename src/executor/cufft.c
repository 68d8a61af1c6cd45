/*
 * Fourier transforms by cuFFT, which is opened when the first program that has such a step is created.
 *
 * A step is lines of points: [outer, points, inner], row by row, with numbers or pairs of numbers. The library takes one batch of
 * lines at a time, so where both outer and inner places are many, it is called for each of the fewer. It asks that numbers are
 * aligned as pairs are, and may write over the spectrum of a real signal: such operands are copied. The parts of that spectrum
 * that are imaginary and cannot be are zero in the copy.
 *
 * What a step needs is made when its sizes are first seen in a frame and kept. A plan serves one call at a time, as a frame does.
 */
#include "internal.h"

typedef vendor_status fft_status;
typedef int fft_plan;

/* The library's functions, under the names that it exports. */
#define LX_CUFFT_FUNCTIONS(X)                                                                                            \
    X(create, "cufftCreate", (fft_plan *))                                                                               \
    X(destroy, "cufftDestroy", (fft_plan))                                                                               \
    X(set_stream, "cufftSetStream", (fft_plan, cu_stream))                                                               \
    X(set_allocation, "cufftSetAutoAllocation", (fft_plan, int))                                                         \
    X(set_workspace, "cufftSetWorkArea", (fft_plan, void *))                                                             \
    X(make, "cufftMakePlanMany64",                                                                                       \
      (fft_plan, int, long long *, long long *, long long, long long, long long *, long long, long long, int, long long, size_t *)) \
    X(narrow, "cufftExecC2C", (fft_plan, void *, void *, int))                                                           \
    X(narrow_to_half, "cufftExecR2C", (fft_plan, void *, void *))                                                        \
    X(narrow_from_half, "cufftExecC2R", (fft_plan, void *, void *))                                                      \
    X(wide, "cufftExecZ2Z", (fft_plan, void *, void *, int))                                                             \
    X(wide_to_half, "cufftExecD2Z", (fft_plan, void *, void *))                                                          \
    X(wide_from_half, "cufftExecZ2D", (fft_plan, void *, void *))

typedef struct cufft {
    vendor_library library;
    LX_CUFFT_FUNCTIONS(VENDOR_MEMBER)
} cufft;

static const char *const fft_kind_files[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so"};
VENDOR_KIND(fft_kind, cufft, LX_CUFFT_FUNCTIONS, .name = "cuFFT", .option = "cuda.cufft", .version = "11", .no_memory = {2, 2});

/* The kinds of transforms, as the plan numbers them. */
enum { FFT_FORWARD, FFT_BACKWARD, FFT_TO_HALF, FFT_FROM_HALF, FFT_KINDS };

/* What a frame keeps of a step. */
typedef struct transform_state {
    bool ready;
    lx_transform parameters;
    fft_plan plan;
    size_t workspace;
} transform_state;

/* How the library is called: so many times, each time for lines that begin `between` elements apart and whose points are `stride`
 * apart. Of operand 0 and of result 1. */
typedef struct transform_calls {
    int64_t calls, lines, stride;
    int64_t points[2], between[2], next[2]; /* `next`: elements from one call to the next */
    uint64_t element[2], bytes[2];          /* of an element; of a call's part, where it is a block */
} transform_calls;

static void transform_forget(const cufft *fft, transform_state *p) {
    if (p->ready) fft->destroy(p->plan);
    memset(p, 0, sizeof *p);
}

/* False: the transform reaches beyond its operands. */
static bool transform_fits(const lx_transform *v, const uint64_t *rooms, bool blocks, transform_calls *c) {
    uint64_t item = v->dtype == 7 ? 4 : v->dtype == 8 ? 8 : 0, total[2];
    if (!item || v->kind < 0 || v->kind >= FFT_KINDS || v->outer < 1 || v->n < 1 || v->inner < 1) return false;
    bool by_outer = blocks || v->outer <= v->inner;
    *c = (transform_calls){.calls = v->inner == 1 ? 1 : by_outer ? v->outer : v->inner,
                           .lines = v->inner == 1 || !by_outer ? v->outer : v->inner,
                           .stride = v->inner};
    for (int k = 0; k < 2; k++) {
        bool real = v->kind == (k ? FFT_FROM_HALF : FFT_TO_HALF), half = v->kind == (k ? FFT_TO_HALF : FFT_FROM_HALF);
        c->points[k] = half ? v->n / 2 + 1 : v->n;
        c->element[k] = real ? item : 2 * item;
        if (!mul_u64((uint64_t)c->points[k], (uint64_t)v->inner, &c->bytes[k]) || !mul_u64(c->bytes[k], c->element[k], &c->bytes[k]) ||
            !mul_u64(c->bytes[k], (uint64_t)v->outer, &total[k]) || total[k] > rooms[k])
            return false;
        int64_t block = c->points[k] * v->inner;
        c->between[k] = v->inner == 1 || !by_outer ? block : 1;
        c->next[k] = by_outer ? block : 1;
        if (c->calls == 1) c->bytes[k] = total[k];
    }
    return true;
}

static litz_status transform_make(const cufft *fft, const lx_transform *v, const transform_calls *c, transform_state *p, lx_error e) {
    static const int types[2][FFT_KINDS] = {{0x29, 0x29, 0x2a, 0x2c}, {0x69, 0x69, 0x6a, 0x6c}};
    transform_forget(fft, p);
    fft_status code = fft->create(&p->plan);
    p->ready = !code;
    p->parameters = *v;
    long long n = v->n, points[2] = {c->points[0], c->points[1]};
    if (!code) code = fft->set_allocation(p->plan, 0);
    if (!code)
        code = fft->make(p->plan, 1, &n, &points[0], c->stride, c->between[0], &points[1], c->stride, c->between[1],
                         types[v->dtype == 8][v->kind], c->lines, &p->workspace);
    if (!code) return LITZ_OK;
    transform_forget(fft, p);
    char what[96];
    snprintf(what, sizeof what, "a plan for %lld transforms of %lld points", (long long)c->lines, n);
    return vendor_fail(&fft_kind, code, what, e);
}

static fft_status transform_execute(const cufft *fft, const transform_state *p, void *from, void *to) {
    bool wide = p->parameters.dtype == 8;
    switch (p->parameters.kind) {
    case FFT_TO_HALF: return wide ? fft->wide_to_half(p->plan, from, to) : fft->narrow_to_half(p->plan, from, to);
    case FFT_FROM_HALF: return wide ? fft->wide_from_half(p->plan, from, to) : fft->narrow_from_half(p->plan, from, to);
    default: {
        int direction = p->parameters.kind == FFT_FORWARD ? -1 : 1;
        return wide ? fft->wide(p->plan, from, to, direction) : fft->narrow(p->plan, from, to, direction);
    }
    }
}

/* The imaginary parts that the first point has, and the last one where the length is even, of a block of half a spectrum. */
static litz_status clear_imaginary(const device *v, const lx_transform *t, const transform_calls *c, uint8_t *block, cu_stream stream,
                                   lx_error e) {
    size_t item = (size_t)c->element[0] / 2;
    for (int64_t k = 0; k <= t->n / 2; k += t->n / 2) {
        cu_pointer at = (cu_pointer)(uintptr_t)block + (uint64_t)(k * c->stride) * c->element[0] + item;
        ON_DEVICE(v, v->driver->fill_rows(at, (size_t)c->between[0] * (size_t)c->element[0], 0, item, (size_t)c->lines, stream), "clearing memory");
        if (t->n % 2 || t->n == 0) break;
    }
    return LITZ_OK;
}

/* Bytes up to the next place that is aligned for whatever the library reads. */
static uint64_t fft_aligned(uint64_t bytes) { return (bytes + 255) / 256 * 256; }
