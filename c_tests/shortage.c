/* Memory runs out while the library works: every call then succeeds or says so, nothing is lost, and the next call works.
 *
 *   shortage MODEL.pt2 counted STRIDE   every STRIDE-th allocation of loading, compiling and running fails, alone and with all
 *                                       that follow; this program's `malloc` stands in front of the system's
 *   shortage MODEL.pt2 limited BACKEND STEP   the address space is limited to STEP KiB more than is in use, twice that, and so
 *                                       on, in a process of its own each, until there is enough
 */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static long before = -1, failed; /* allocations that succeed still, or -1; how many failed */
static int all_later;
static pthread_t own;

static int fails(void) {
    if (before < 0 || !pthread_equal(pthread_self(), own)) return 0;
    if (before > 0) {
        --before;
        return 0;
    }
    if (!all_later) before = -1;
    ++failed;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *memory, size_t size) { return fails() ? NULL : __libc_realloc(memory, size); }
void *aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
    void *memory = fails() ? NULL : __libc_memalign(alignment, size);
    if (!memory) return ENOMEM;
    *out = memory;
    return 0;
}

enum { MOST = 4096 };
static float values[MOST];
static int64_t shape[8];
static DLTensor input;
static float expected[MOST];
static size_t n_expected;

/* Whether the call succeeded; else it must be for want of memory, and say so. */
static int good(const char *call, litz_status status, litz_error **err) {
    if (status == LITZ_OK) {
        CHECK(*err == NULL);
        return 1;
    }
    if (status != LITZ_ERROR_OUT_OF_MEMORY && status != LITZ_ERROR_TOOLCHAIN && status != LITZ_ERROR_IO) {
        fprintf(stderr, "%s gave %d: %s\n", call, (int)status, litz_error_message(*err));
        exit(1);
    }
    litz_error_release(*err);
    *err = NULL;
    return 0;
}
#define GOOD(call) good(#call, (call), &err)

static void make_input(const litz_executable *e) {
    litz_tensor_info info;
    size_t k, n = 1;
    int32_t d;
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    OK(litz_executable_info(e, LITZ_INFO_INPUT, 0, &info, &err));
    for (d = 0; d < info.ndim; ++d) {
        shape[d] = info.min_shape[d];
        n *= (size_t)shape[d];
    }
    CHECK(info.dtype.code == kDLFloat && n <= MOST);
    for (k = 0; k < n; ++k) values[k] = (float)(k % 7) - 3.0f;
    input = float_tensor(values, info.ndim, shape);
}

/* Loads, compiles and runs; whether all of it succeeded. */
static int work(const char *model, const char *backend) {
    litz_graph *g = NULL;
    litz_options *o = NULL;
    litz_executable *e = NULL;
    litz_error *err = NULL;
    litz_string *text = NULL;
    struct DLManagedTensorVersioned *made = NULL;
    const DLTensor *inputs[1];
    int done = 0;
    inputs[0] = &input;
    if (GOOD(litz_options_new(&o, &err)) && GOOD(litz_options_set(o, "backend", backend, &err)) &&
        GOOD(litz_options_set(o, "cache.enabled", "false", &err)) && GOOD(litz_graph_from_pt2(model, o, &g, &err)) &&
        GOOD(litz_graph_to_text(g, &text, &err)) && GOOD(litz_compile(g, o, &e, &err))) {
        if (!input.data) make_input(e);
        if (GOOD(litz_executable_run(e, inputs, 1, &made, 1, NULL, &err))) {
            const DLTensor *t = &made->dl_tensor;
            const float *got = (const float *)t->data;
            size_t n = 1, k;
            int32_t d;
            for (d = 0; d < t->ndim; ++d) n *= (size_t)t->shape[d];
            if (n_expected) {
                CHECK(n == n_expected);
                for (k = 0; k < n; ++k) CHECK(got[k] - expected[k] < 1e-4f && expected[k] - got[k] < 1e-4f);
            } else {
                CHECK(n <= MOST);
                memcpy(expected, got, n * sizeof *got);
                n_expected = n;
            }
            made->deleter(made);
            done = 1;
        }
    }
    litz_string_release(text);
    litz_executable_release(e);
    litz_graph_release(g);
    litz_options_release(o);
    return done;
}

static void counted(const char *model, long stride) {
    long n, rounds = 0;
    for (all_later = 0; all_later < 2; ++all_later) {
        for (n = 0;; n += stride) {
            int done;
            failed = 0;
            before = n;
            done = work(model, "interpreter");
            before = -1;
            CHECK(done || failed > 0);
            ++rounds;
            if (failed == 0) break;
        }
        CHECK(n > 1000);
        CHECK(work(model, "interpreter"));
    }
    printf("%ld rounds\n", rounds);
}

static size_t address_space(void) {
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f != NULL && fscanf(f, "%lu", &pages) == 1);
    fclose(f);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void limited(const char *model, const char *backend, size_t step) {
    size_t extra, failures = 0, in_a_row = 0;
    for (extra = step; in_a_row < 3; extra += step) {
        int status = 0;
        pid_t child;
        CHECK(extra < (size_t)8 << 30);
        child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            struct rlimit limit;
            limit.rlim_cur = limit.rlim_max = address_space() + extra;
            CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
            exit(work(model, backend) ? 0 : 7);
        }
        CHECK(waitpid(child, &status, 0) == child);
        if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 7)) {
            fprintf(stderr, "with %zu bytes more: status %x\n", extra, (unsigned)status);
            exit(1);
        }
        if (WEXITSTATUS(status) == 7) {
            ++failures;
            in_a_row = 0;
        } else {
            ++in_a_row;
        }
    }
    CHECK(failures > 0);
    printf("%zu limits were too low\n", failures);
}

int main(int argc, char **argv) {
    CHECK(argc >= 4);
    own = pthread_self();
    if (strcmp(argv[2], "counted") == 0) {
        CHECK(work(argv[1], "interpreter"));
        counted(argv[1], atol(argv[3]));
    } else {
        CHECK(argc == 5);
        limited(argv[1], argv[3], (size_t)atol(argv[4]) << 10);
    }
    puts("shortage: all right");
    return 0;
}
