/*
 * Litz's own second library, liblitz_linalg.so.0: where it is, and its functions. It is opened when the first program that
 * needs it is created, and kept for good. For artifacts this file is an object of its own, which those without such steps leave out.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>

#include "linalg.h"

#define LINALG_FILE "liblitz_linalg.so.0"

static pthread_mutex_t linalg_lock = PTHREAD_MUTEX_INITIALIZER;
static linalg *linalg_opened;

/* The file of this name in the folder of the file that this code lies in. */
static void *linalg_beside(const char *name, char *path, size_t size) {
    Dl_info here;
    const char *slash = dladdr(&linalg_lock, &here) && here.dli_fname ? strrchr(here.dli_fname, '/') : NULL;
    if (!slash) {
        snprintf(path, size, "%s", name);
        return NULL;
    }
    int written = snprintf(path, size, "%.*s/%s", (int)(slash - here.dli_fname), here.dli_fname, name);
    return written > 0 && (size_t)written < size ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

/* The library: by the path that was given, otherwise as the process has it, beside this code, or where the loader looks. A folder
 * of Cargo's has it without its number. */
static void *linalg_file(const char *given, char *looked, size_t size) {
    if (given) {
        snprintf(looked, size, "`%s`", given);
        return dlopen(given, RTLD_NOW | RTLD_LOCAL);
    }
    char beside[PATH_MAX], built[PATH_MAX];
    void *file = dlopen(LINALG_FILE, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!file) file = linalg_beside(LINALG_FILE, beside, sizeof beside);
    if (!file) file = linalg_beside("liblitz_linalg.so", built, sizeof built);
    if (!file) {
        file = dlopen(LINALG_FILE, RTLD_NOW | RTLD_LOCAL);
        snprintf(looked, size, "`%s`, `%s` and the places of the system's loader", beside, built);
    }
    return file;
}

/* A function of the library by its name. */
static void linalg_function(void *file, const char *name, void *to, size_t size) {
    void *function = dlsym(file, name);
    memcpy(to, &function, size);
}

static litz_status linalg_table(void *file, linalg **out, lx_error e) {
    uint32_t (*version)(void) = NULL;
    linalg_function(file, "litz_linalg_version", &version, sizeof version);
    uint32_t found = version ? version() : 0;
    if (found != LX_LINALG_VERSION)
        return fail(e, LITZ_ERROR_ABI, "the %s that was found has interface %u, but the program needs %u: install the one of the same release",
                    LINALG_FILE, (unsigned)found, (unsigned)LX_LINALG_VERSION);
    linalg *made = calloc(1, sizeof *made);
    if (!made) return fail(e, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for a library's tables");
    made->file = file;
    linalg_function(file, "litz_linalg_message", &made->message, sizeof made->message);
    const char *missing = made->message ? NULL : "litz_linalg_message";
    for (uint32_t k = 0; k < LX_N_ROUTINES; k++) {
        if (!lx_routines[k].function) continue;
        linalg_function(file, lx_routines[k].function, &made->functions[k], sizeof made->functions[k]);
        if (!made->functions[k]) missing = lx_routines[k].function;
    }
    if (missing) {
        free(made);
        return fail(e, LITZ_ERROR_ABI, "the %s that was found lacks the function %s", LINALG_FILE, missing);
    }
    *out = made;
    return LITZ_OK;
}

litz_status lx_linalg_open(const char *path, const linalg **out, lx_error e) {
    litz_status status = LITZ_OK;
    char looked[2 * PATH_MAX + 128];
    pthread_mutex_lock(&linalg_lock);
    void *file = linalg_file(path, looked, sizeof looked);
    const char *reason = file ? NULL : dlerror();
    linalg *known = file ? linalg_opened : NULL;
    while (known && known->file != file) known = known->next;
    if (!file) {
        status = fail(e, LITZ_ERROR_IO,
                      "the program needs %s (linear algebra, Fourier transforms), which was looked for at %s, and cannot be opened (%s): put it beside "
                      "the file of this program's code, or where the loader finds it",
                      LINALG_FILE, looked, reason ? reason : "unknown");
    } else if (!known) {
        status = linalg_table(file, &known, e);
        if (!status) {
            known->next = linalg_opened;
            linalg_opened = known;
        }
    }
    pthread_mutex_unlock(&linalg_lock);
    *out = known;
    return status;
}

/* What a routine's status means. */
litz_status lx_linalg_outcome(const linalg *library, uint32_t routine, int32_t status, lx_error e) {
    enum { MEMORY = 1, PANIC, DTYPE };
    if (!status) return LITZ_OK;
    litz_status code = status == MEMORY                     ? LITZ_ERROR_OUT_OF_MEMORY
                       : status == PANIC || status == DTYPE ? LITZ_ERROR_INTERNAL
                                                            : LITZ_ERROR_ASSERTION;
    return fail(e, code, "%s: %s", lx_routines[routine].function, library->message(status));
}

/* A routine of the library on memory of the caller's, for whoever runs nodes without a plan. */
litz_status lx_call_routine(uint32_t routine, const int64_t *attributes, void *const *operands, char *error, size_t error_size) {
    const linalg *library = NULL;
    lx_error e = {error, error_size};
    litz_status status = lx_linalg_open(NULL, &library, e);
    return status ? status : lx_linalg_outcome(library, routine, library->functions[routine](attributes, operands, 0, attributes[0]), e);
}
