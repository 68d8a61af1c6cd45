/* What the executor's files share. They are compiled as one unit (unity.c), so all of it is static. */
#ifndef LITZ_EXECUTOR_INTERNAL_H
#define LITZ_EXECUTOR_INTERNAL_H

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor.h"
#include "format.h"

/* 0: an executor for programs on the CPU alone, as their artifacts hold it. */
#ifndef LX_HAS_GPU
#define LX_HAS_GPU 1
#endif
/* 0: linalg.c is an object of its own, as artifacts hold it. */
#ifndef LX_HAS_LINALG
#define LX_HAS_LINALG 1
#endif
/* 0: an executor whose host neither observes nor profiles runs, and keeps all constants, as artifacts hold it. */
#ifndef LX_IS_WATCHED
#define LX_IS_WATCHED 1
#endif

#define LX_ALIGNMENT 64u

typedef struct lx_error {
    char *text;
    size_t size;
} lx_error;

/* Writes the message and returns the status, so that a failure is one line where it is found. */
__attribute__((format(printf, 3, 4))) static litz_status fail(lx_error error, litz_status status, const char *format,
                                                              ...) {
    if (error.text && error.size) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error.text, error.size, format, arguments);
        va_end(arguments);
    }
    return status;
}

static inline bool add_u64(uint64_t a, uint64_t b, uint64_t *out) { return !__builtin_add_overflow(a, b, out); }
static inline bool mul_u64(uint64_t a, uint64_t b, uint64_t *out) { return !__builtin_mul_overflow(a, b, out); }

#endif
