/* Litz's own second library as the steps of programs see it. */
#ifndef LITZ_EXECUTOR_LINALG_H
#define LITZ_EXECUTOR_LINALG_H

#include "internal.h"

/* A routine for the elements [begin, end) of a batch; 0, or a status of the library's. */
typedef int32_t (*linalg_fn)(const int64_t *attributes, void *const *operands, int64_t begin, int64_t end);

/* A file that was opened. */
typedef struct linalg {
    struct linalg *next;
    void *file;
    linalg_fn functions[LX_N_ROUTINES]; /* NULL: another library's */
    const char *(*message)(int32_t status);
} linalg;

/* An artifact whose plans have no step of the library leaves its functions out. */
#if LX_HAS_LINALG
#define LX_LINALG_FUNCTION
#else
#define LX_LINALG_FUNCTION __attribute__((weak, visibility("hidden")))
#endif

/* The library by the path that is given, or where it lies. */
LX_LINALG_FUNCTION litz_status lx_linalg_open(const char *path, const linalg **out, lx_error e);
/* What a routine's status means. */
LX_LINALG_FUNCTION litz_status lx_linalg_outcome(const linalg *library, uint32_t routine, int32_t status, lx_error e);

#if LX_HAS_LINALG
static inline bool linalg_is_linked(void) { return true; }
#else
static inline bool linalg_is_linked(void) { return lx_linalg_open != NULL; }
#endif

#endif
