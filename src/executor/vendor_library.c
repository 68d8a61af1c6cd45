/*
 * NVIDIA's libraries of kernels: each is opened when the first program that needs it is created, and kept for good, since
 * its handles serve all programs.
 */
#include "internal.h"

/* What the process has of a file of a library. A library's own table begins with it, and goes on with its functions. */
typedef struct vendor_library {
    struct vendor_library *next;
    void *file;
} vendor_library;

/* A library as the system and its users know it. */
typedef struct vendor_kind {
    const char *name, *option, *version;
    const char *const *files; /* the newest first */
    const char *const *functions; /* in the order of the table */
    size_t n_files, n_functions, bytes; /* of the whole table */
} vendor_kind;

static pthread_mutex_t vendor_lock = PTHREAD_MUTEX_INITIALIZER;

/* The library that the process has open already, otherwise the newest that the system knows; `path` names another. */
static void *vendor_file(const vendor_kind *kind, const char *path) {
    if (path) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    for (size_t k = 0; k < kind->n_files; k++) {
        void *found = dlopen(kind->files[k], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
        if (found) return found;
    }
    for (size_t k = 0; k < kind->n_files; k++) {
        void *found = dlopen(kind->files[k], RTLD_NOW | RTLD_LOCAL);
        if (found) return found;
    }
    return NULL;
}

/* A table of a file that was not known, or the error that says what it lacks. */
static litz_status vendor_table(const vendor_kind *kind, const char *path, void *file, vendor_library **out, lx_error e) {
    vendor_library *made = calloc(1, kind->bytes);
    if (!made) return fail(e, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for a library's tables");
    made->file = file;
    for (size_t k = 0; k < kind->n_functions; k++) {
        void *function = dlsym(file, kind->functions[k]);
        if (!function) {
            free(made);
            return fail(e, LITZ_ERROR_CUDA, "%s lacks the function %s, which the program needs of %s; install version %s or later",
                        path ? path : "the library that the system has", kind->functions[k], kind->name, kind->version);
        }
        memcpy((uint8_t *)(made + 1) + k * sizeof function, &function, sizeof function);
    }
    *out = made;
    return LITZ_OK;
}

/* `all`: what there is of the library. */
static litz_status vendor_open(const vendor_kind *kind, const char *path, vendor_library **all, vendor_library **out, lx_error e) {
    litz_status status = LITZ_OK;
    pthread_mutex_lock(&vendor_lock);
    void *file = vendor_file(kind, path);
    const char *reason = file ? NULL : dlerror();
    vendor_library *known = file ? *all : NULL;
    while (known && known->file != file) known = known->next;
    if (!file) {
        status = fail(e, LITZ_ERROR_CUDA,
                      "the program needs %s, which cannot be opened (%s): install it where the system's loader finds it, name its file "
                      "with the option `%s`, or compile with `artifact.vendor` off",
                      kind->name, reason ? reason : "unknown", kind->option);
    } else if (!known) {
        status = vendor_table(kind, path, file, &known, e);
        if (!status) {
            known->next = *all;
            *all = known;
        }
    }
    pthread_mutex_unlock(&vendor_lock);
    *out = known;
    return status;
}
