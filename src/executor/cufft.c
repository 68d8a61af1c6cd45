/*
 * Fourier transforms by cuFFT, which is opened when the first program that has such a step is created.
 *
 * A step transforms lines of points: its operands are [outer, points, inner], row by row, of real numbers or of pairs. The library
 * takes one batch of equally spaced lines. Where outer and inner places are both many, it is called once for each outer place, or
 * once for each inner place if those are fewer.
 *
 * The library asks that operands are aligned to pairs, and may overwrite the half spectrum that it makes real numbers from. Operands
 * that are not aligned, and half spectra, are copied to the workspace. A half spectrum has no imaginary part in its first point, and
 * none in its last one where the length is even: the copy has zeros there.
 *
 * A frame makes a library's plan for a step when it first runs, and again when the sizes or the order of lines change.
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

/* How the library is called. Arrays have operand 0 and result 1; distances are in elements. */
typedef struct transform_calls {
    int64_t calls;      /* how often */
    int64_t lines;      /* of each call */
    int64_t stride;     /* between the points of a line */
    int64_t points[2];  /* of a line */
    int64_t between[2]; /* between the first points of neighbouring lines of a call */
    int64_t next[2];    /* between the first points of neighbouring calls */
    uint64_t element[2]; /* bytes of a number or pair */
    uint64_t bytes[2];  /* of a call's operand, where that is one block of memory */
} transform_calls;

/* What a frame keeps of a step. */
typedef struct transform_state {
    bool ready;
    lx_transform parameters;
    transform_calls calls;
    fft_plan plan;
    size_t workspace;
} transform_state;

typedef struct transform_call {
    const cufft *fft;
    const device *device;
    cu_stream stream;
    void *const *memory; /* operand and result */
    const uint64_t *rooms;
    const lx_transform *parameters;
} transform_call;

static void transform_forget(const cufft *fft, transform_state *p) {
    if (p->ready) fft->destroy(p->plan);
    memset(p, 0, sizeof *p);
}

/* Fills in the calls. `blocks`: each has operands that are one block of memory. False: they reach beyond the buffers. */
static bool transform_fits(const lx_transform *v, const uint64_t *rooms, bool blocks, transform_calls *c) {
    uint64_t item = v->dtype == 7 ? 4 : v->dtype == 8 ? 8 : 0, total[2];
    if (!item || v->kind < 0 || v->kind >= FFT_KINDS || v->outer < 1 || v->n < 1 || v->inner < 1) return false;
    bool rows = v->inner == 1, by_outer = blocks || v->outer <= v->inner;
    *c = (transform_calls){.calls = rows ? 1 : by_outer ? v->outer : v->inner,
                           .lines = rows || !by_outer ? v->outer : v->inner,
                           .stride = v->inner};
    for (int k = 0; k < 2; k++) {
        bool real = v->kind == (k ? FFT_FROM_HALF : FFT_TO_HALF), half = v->kind == (k ? FFT_TO_HALF : FFT_FROM_HALF);
        c->points[k] = half ? v->n / 2 + 1 : v->n;
        c->element[k] = real ? item : 2 * item;
        if (!mul_u64((uint64_t)c->points[k], (uint64_t)v->inner, &c->bytes[k]) || !mul_u64(c->bytes[k], c->element[k], &c->bytes[k]) ||
            !mul_u64(c->bytes[k], (uint64_t)v->outer, &total[k]) || total[k] > rooms[k])
            return false;
        int64_t block = c->points[k] * v->inner;
        c->between[k] = rows || !by_outer ? block : 1;
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
    p->calls = *c;
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

/* Clears the imaginary parts that a half spectrum cannot have: of its first point, and of its last one where the length is even. */
static litz_status clear_imaginary(const device *v, const transform_state *p, uint8_t *block, cu_stream stream, lx_error e) {
    const transform_calls *c = &p->calls;
    uint64_t item = c->element[0] / 2, pitch = (uint64_t)c->between[0] * c->element[0];
    const int64_t n = p->parameters.n, places[2] = {0, n / 2};
    for (int k = 0; k < (n % 2 ? 1 : 2); k++) {
        cu_pointer at = (cu_pointer)(uintptr_t)block + (uint64_t)(places[k] * c->stride) * c->element[0] + item;
        ON_DEVICE(v, v->driver->fill_rows(at, pitch, 0, item, (size_t)c->lines, stream), "clearing memory");
    }
    return LITZ_OK;
}

/* Makes the plan. Gives which operands are copied, and where in the workspace the copies begin, behind the plan's own part. */
static litz_status transform_prepare(const transform_call *call, transform_state *p, bool *copied, uint64_t *begin, uint64_t *bytes,
                                     lx_error e) {
    const lx_transform *v = call->parameters;
    uint64_t pair = v->dtype == 8 ? 16 : 8;
    /* Blocks of an odd count of real numbers follow one another. */
    bool real = v->kind == FFT_TO_HALF || v->kind == FFT_FROM_HALF, odd = real && v->inner > 1 && v->n % 2 && v->inner % 2;
    copied[0] = v->kind == FFT_FROM_HALF || odd || (uintptr_t)call->memory[0] % pair;
    copied[1] = odd || (uintptr_t)call->memory[1] % pair;
    transform_calls calls;
    if (!transform_fits(v, call->rooms, real || copied[0] || copied[1], &calls))
        return fail(e, LITZ_ERROR_INTERNAL, "a Fourier transform of %lld points reaches beyond its operands", (long long)v->n);
    /* A plan is of one order of lines, which the alignment of operands decides, too. */
    bool known = p->ready && !memcmp(&p->parameters, v, sizeof *v) && !memcmp(&p->calls, &calls, sizeof calls);
    litz_status status = known ? LITZ_OK : transform_make(call->fft, v, &calls, p, e);
    *bytes = vendor_aligned(p->workspace);
    for (int k = 0; k < 2; k++) {
        begin[k] = *bytes;
        *bytes += copied[k] ? vendor_aligned(calls.bytes[k]) : 0;
    }
    return status;
}

/* `copies`: memory for the operands that are copied, NULL for the others; `workspace`: the plan's. */
static litz_status transform_run(const transform_call *call, const transform_state *p, void *workspace, uint8_t *const *copies, lx_error e) {
    const transform_calls *c = &p->calls;
    litz_status status = LITZ_OK;
    fft_status code = call->fft->set_stream(p->plan, call->stream);
    if (!code && p->workspace) code = call->fft->set_workspace(p->plan, workspace);
    for (int64_t k = 0; !status && !code && k < c->calls; k++) {
        uint8_t *from = (uint8_t *)call->memory[0] + (uint64_t)(k * c->next[0]) * c->element[0];
        uint8_t *to = (uint8_t *)call->memory[1] + (uint64_t)(k * c->next[1]) * c->element[1];
        if (copies[0]) status = device_copy(call->device, copies[0], from, c->bytes[0], call->stream, e);
        if (!status && p->parameters.kind == FFT_FROM_HALF) status = clear_imaginary(call->device, p, copies[0], call->stream, e);
        if (!status) code = transform_execute(call->fft, p, copies[0] ? copies[0] : from, copies[1] ? copies[1] : to);
        if (!status && !code && copies[1]) status = device_copy(call->device, to, copies[1], c->bytes[1], call->stream, e);
    }
    return code ? vendor_fail(&fft_kind, code, "a Fourier transform", e) : status;
}
