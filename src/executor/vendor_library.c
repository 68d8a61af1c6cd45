/*
 * NVIDIA's libraries of kernels: each is opened when the first program that needs it is created, and kept for good, since
 * its handles serve all programs.
 */
#include "internal.h"

/* A library as the system and its users know it. */
typedef struct vendor_kind {
    const char *name, *option, *version;
    const char *const *files; /* the newest first */
    const char *const *functions; /* in the order of the table; the first makes a handle of the device whose context is entered */
    size_t n_files, n_functions, bytes; /* of the whole table */
    int no_memory[2];                   /* statuses that say so */
    struct vendor_library *opened;
} vendor_kind;

/* What the process has of a file of a library. A library's own table begins with it, and goes on with its functions. */
typedef struct vendor_library {
    struct vendor_library *next;
    const vendor_kind *kind;
    void *file;
    void *handles[MOST_DEVICES];
} vendor_library;

typedef int vendor_status;
typedef vendor_status (*vendor_create)(void **);

/* Entries of a list of functions, X(member, "exported name", (parameters)), as members of the table and as names. */
#define VENDOR_MEMBER(member, name, parameters) vendor_status (*member) parameters;
#define VENDOR_NAME(member, name, parameters) name,

/* The kind of a table `type` of the functions of `list`, whose first is `create`. */
#define VENDOR_KIND(kind, type, list, ...)                                                                     \
    static const char *const kind##_functions[] = {list(VENDOR_NAME)};                                          \
    static vendor_kind kind = {.functions = kind##_functions,                                                   \
                               .n_functions = sizeof kind##_functions / sizeof *kind##_functions,               \
                               .files = kind##_files,                                                           \
                               .n_files = sizeof kind##_files / sizeof *kind##_files,                           \
                               .bytes = sizeof(type),                                                           \
                               __VA_ARGS__};                                                                    \
    _Static_assert(offsetof(type, create) == sizeof(vendor_library), "the functions follow at once")

/* Over what is opened, and over handles. */
static pthread_mutex_t vendor_lock = PTHREAD_MUTEX_INITIALIZER;

static litz_status vendor_fail(const vendor_kind *kind, vendor_status code, const char *what, lx_error e) {
    bool no_memory = code == kind->no_memory[0] || code == kind->no_memory[1];
    return fail(e, no_memory ? LITZ_ERROR_OUT_OF_MEMORY : LITZ_ERROR_CUDA, "%s failed at %s with its status %d", kind->name, what, code);
}

/* A dtype as NVIDIA's libraries number it; they agree but on bfloat16. -1: none of theirs. */
static int vendor_type(int64_t dtype, int bfloat16) {
    enum { FLOAT32, FLOAT64, FLOAT16 };
    return dtype == 7 ? FLOAT32 : dtype == 8 ? FLOAT64 : dtype == 6 ? FLOAT16 : dtype == 13 ? bfloat16 : -1;
}

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
    made->kind = kind;
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

static litz_status vendor_open(vendor_kind *kind, const char *path, vendor_library **out, lx_error e) {
    litz_status status = LITZ_OK;
    pthread_mutex_lock(&vendor_lock);
    void *file = vendor_file(kind, path);
    const char *reason = file ? NULL : dlerror();
    vendor_library *known = file ? kind->opened : NULL;
    while (known && known->file != file) known = known->next;
    if (!file) {
        status = fail(e, LITZ_ERROR_CUDA,
                      "the program needs %s, which cannot be opened (%s): install it where the system's loader finds it, name its file "
                      "with the option `%s`, or compile with `artifact.vendor` off",
                      kind->name, reason ? reason : "unknown", kind->option);
    } else if (!known) {
        status = vendor_table(kind, path, file, &known, e);
        if (!status) {
            known->next = kind->opened;
            kind->opened = known;
        }
    }
    pthread_mutex_unlock(&vendor_lock);
    *out = known;
    return status;
}

/* The device's handle, whose context is entered. */
static litz_status vendor_handle(vendor_library *library, int32_t device, void **out, lx_error e) {
    litz_status status = LITZ_OK;
    void **own = &library->handles[device];
    vendor_create create;
    memcpy(&create, library + 1, sizeof create);
    pthread_mutex_lock(&vendor_lock);
    vendor_status code = *own ? 0 : create(own);
    if (code) {
        *own = NULL;
        status = vendor_fail(library->kind, code, "its start on the device", e);
    }
    *out = *own;
    pthread_mutex_unlock(&vendor_lock);
    return status;
}

/* Bytes of a part of a workspace, so that the next part is aligned for whatever a library reads. */
static uint64_t vendor_aligned(uint64_t bytes) { return (bytes + 255) / 256 * 256; }
