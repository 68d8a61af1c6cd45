/*
 * Steps of cuFFT without a GPU or cuFFT: the functions of both are the host's, and sums of waves are the transforms. Operands are
 * checked as the library asks: aligned to pairs, and not read again after a half spectrum was overwritten.
 */
#define _GNU_SOURCE
#include "../../src/executor/unity.c"

#include <math.h>

#include "unity_check.h"

static cu_result copy(cu_pointer to, cu_pointer from, size_t bytes, cu_stream stream) {
    (void)stream;
    memmove((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
    return 0;
}
static cu_result fill_rows(cu_pointer at, size_t pitch, unsigned char value, size_t width, size_t height, cu_stream stream) {
    (void)stream;
    for (size_t k = 0; k < height; k++) memset((uint8_t *)(uintptr_t)at + k * pitch, value, width);
    return 0;
}

/* The library's plans. */
static struct {
    long long n, from[2], to[2], lines; /* strides of points and of lines */
    int type;
    void *workspace;
} plans[4096];
static int made;
static const size_t own_bytes = 48;

static fft_status create(fft_plan *plan) { return made == 4096 ? 1 : (*plan = made++, 0); }
static fft_status destroy(fft_plan plan) { return plan < 0 || plan >= made; }
static fft_status set_stream(fft_plan plan, cu_stream stream) { return (void)plan, (void)stream, 0; }
static fft_status set_allocation(fft_plan plan, int automatic) { return (void)plan, automatic; }
static fft_status set_workspace(fft_plan plan, void *at) { return plans[plan].workspace = at, 0; }
static fft_status make(fft_plan plan, int rank, long long *n, long long *in, long long stride, long long between, long long *out,
                       long long to_stride, long long to_between, int type, long long lines, size_t *bytes) {
    if (rank != 1 || !in || !out) return 1;
    plans[plan].n = *n;
    plans[plan].from[0] = stride, plans[plan].from[1] = between;
    plans[plan].to[0] = to_stride, plans[plan].to[1] = to_between;
    plans[plan].type = type;
    plans[plan].lines = lines;
    *bytes = own_bytes;
    return 0;
}

static double number(const void *memory, int64_t k, bool wide) { return wide ? ((const double *)memory)[k] : (double)((const float *)memory)[k]; }
static void put(void *memory, int64_t k, bool wide, double value) {
    if (wide) ((double *)memory)[k] = value;
    else ((float *)memory)[k] = (float)value;
}

/* One line, by its definition; `kind` as a plan of Litz's has it, strides in elements. */
static void line(const void *from, int64_t from_at, int64_t from_stride, void *to, int64_t to_at, int64_t to_stride, int64_t n, int kind, bool wide) {
    int64_t results = kind == FFT_TO_HALF ? n / 2 + 1 : n;
    double sign = kind == FFT_FORWARD || kind == FFT_TO_HALF ? -1 : 1;
    for (int64_t k = 0; k < results; k++) {
        double re = 0, im = 0;
        for (int64_t j = 0; j < n; j++) {
            double angle = sign * 2 * acos(-1) * (double)((j * k) % n) / (double)n, x = 0, y = 0;
            int64_t mirrored = kind == FFT_FROM_HALF && j > n / 2 ? n - j : j, place = from_at + mirrored * from_stride;
            if (kind == FFT_TO_HALF) {
                x = number(from, place, wide);
            } else {
                x = number(from, 2 * place, wide);
                y = number(from, 2 * place + 1, wide) * (mirrored == j ? 1 : -1);
            }
            re += x * cos(angle) - y * sin(angle);
            im += x * sin(angle) + y * cos(angle);
        }
        int64_t place = to_at + k * to_stride;
        if (kind == FFT_FROM_HALF) {
            put(to, place, wide, re);
        } else {
            put(to, 2 * place, wide, re);
            put(to, 2 * place + 1, wide, im);
        }
    }
}

static fft_status execute(fft_plan plan, void *from, void *to, int kind, bool wide) {
    size_t item = wide ? 8 : 4;
    if ((uintptr_t)from % (2 * item) || (uintptr_t)to % (2 * item) || !plans[plan].workspace) return 8;
    memset(plans[plan].workspace, 0xff, own_bytes);
    long long n = plans[plan].n, *in = plans[plan].from, *out = plans[plan].to;
    for (long long k = 0; k < plans[plan].lines; k++) line(from, k * in[1], in[0], to, k * out[1], out[0], n, kind, wide);
    for (long long k = 0; kind == FFT_FROM_HALF && k < plans[plan].lines; k++)
        for (long long j = 0; j < n / 2 + 1; j++) put(from, 2 * (k * in[1] + j * in[0]), wide, NAN);
    return 0;
}
static fft_status narrow(fft_plan p, void *a, void *b, int direction) { return execute(p, a, b, direction < 0 ? FFT_FORWARD : FFT_BACKWARD, false); }
static fft_status wide(fft_plan p, void *a, void *b, int direction) { return execute(p, a, b, direction < 0 ? FFT_FORWARD : FFT_BACKWARD, true); }
static fft_status narrow_to(fft_plan p, void *a, void *b) { return execute(p, a, b, FFT_TO_HALF, false); }
static fft_status wide_to(fft_plan p, void *a, void *b) { return execute(p, a, b, FFT_TO_HALF, true); }
static fft_status narrow_from(fft_plan p, void *a, void *b) { return execute(p, a, b, FFT_FROM_HALF, false); }
static fft_status wide_from(fft_plan p, void *a, void *b) { return execute(p, a, b, FFT_FROM_HALF, true); }

static const cufft fft = {.create = create, .destroy = destroy, .set_stream = set_stream, .set_allocation = set_allocation,
                          .set_workspace = set_workspace, .make = make, .narrow = narrow, .narrow_to_half = narrow_to,
                          .narrow_from_half = narrow_from, .wide = wide, .wide_to_half = wide_to, .wide_from_half = wide_from};

/* A step on operands that begin so many bytes behind an aligned address. */
static void transform(transform_state *state, lx_transform v, size_t from_offset, size_t to_offset) {
    static const driver functions = {.copy = copy, .fill_rows = fill_rows};
    static const device gpu = {.driver = &functions};
    lx_error e = {message, sizeof message};
    bool is_wide = v.dtype == 8;
    uint64_t item = is_wide ? 8 : 4, rooms[2];
    int64_t points[2] = {v.kind == FFT_FROM_HALF ? v.n / 2 + 1 : v.n, v.kind == FFT_TO_HALF ? v.n / 2 + 1 : v.n};
    rooms[0] = (uint64_t)(v.outer * points[0] * v.inner) * item * (v.kind == FFT_TO_HALF ? 1 : 2);
    rooms[1] = (uint64_t)(v.outer * points[1] * v.inner) * item * (v.kind == FFT_FROM_HALF ? 1 : 2);
    uint8_t *memory[2], *operands[2];
    for (int k = 0; k < 2; k++) {
        size_t offset = k ? to_offset : from_offset;
        CHECK((memory[k] = aligned_alloc(64, (rooms[k] + offset + 63) / 64 * 64)));
        operands[k] = memory[k] + offset;
    }
    for (uint64_t k = 0; k < rooms[0] / item; k++) put(operands[0], (int64_t)k, is_wide, sin((double)(k * k % 1009)));
    uint8_t *given = malloc(rooms[0]);
    memcpy(given, operands[0], rooms[0]);
    transform_call call = {&fft, &gpu, NULL, (void *const *)operands, rooms, &v};
    bool copied[2];
    uint64_t begin[2], bytes = 0;
    CHECK(!transform_prepare(&call, state, copied, begin, &bytes, e));
    uint8_t *workspace = aligned_alloc(256, (bytes + 255) / 256 * 256), *copies[2];
    for (int k = 0; k < 2; k++) copies[k] = copied[k] ? workspace + begin[k] : NULL;
    CHECK(!transform_run(&call, state, workspace, copies, e));
    CHECK(!memcmp(given, operands[0], rooms[0]));
    if (v.kind == FFT_FROM_HALF) {
        for (int64_t o = 0; o < v.outer; o++)
            for (int64_t i = 0; i < v.inner; i++) {
                put(given, 2 * (o * points[0] * v.inner + i) + 1, is_wide, 0);
                if (v.n % 2 == 0) put(given, 2 * ((o * points[0] + v.n / 2) * v.inner + i) + 1, is_wide, 0);
            }
    }
    uint8_t *want = malloc(rooms[1]);
    for (int64_t o = 0; o < v.outer; o++)
        for (int64_t i = 0; i < v.inner; i++)
            line(given, o * points[0] * v.inner + i, v.inner, want, o * points[1] * v.inner + i, v.inner, v.n, (int)v.kind, is_wide);
    for (uint64_t k = 0; k < rooms[1] / item; k++)
        CHECK(fabs(number(operands[1], (int64_t)k, is_wide) - number(want, (int64_t)k, is_wide)) < 1e-3);
    free(memory[0]), free(memory[1]), free(given), free(want), free(workspace);
}

int main(void) {
    static const int64_t shapes[][3] = {{3, 8, 1}, {1, 7, 5}, {4, 1, 1}, {4, 2, 3}, {9, 6, 2}, {2, 5, 9}, {3, 5, 3}, {7, 9, 3}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int64_t dtype = 7; dtype <= 8; dtype++)
            for (int64_t kind = 0; kind < FFT_KINDS; kind++) {
                transform_state state = {0};
                lx_transform v = {dtype, shapes[k][0], shapes[k][1], shapes[k][2], kind};
                size_t item = dtype == 8 ? 8 : 4;
                /* One frame meets operands of each alignment, in any order. */
                size_t offsets[][2] = {{0, 0}, {item, 0}, {0, item}, {0, 0}, {item, item}, {0, 0}};
                for (size_t n = 0; n < sizeof offsets / sizeof *offsets; n++) transform(&state, v, offsets[n][0], offsets[n][1]);
                transform_forget(&fft, &state);
            }
    puts("all right");
    return 0;
}
