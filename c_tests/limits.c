/* Hosts with limits: few descriptors, small files, a umask that leaves no permissions. argv[1] is a folder to write into; TMPDIR names
 * an empty one. */
#include "hosts.h"

static void few_descriptors(void) {
    int count;
    for (count = 8; count <= 32; count += 4) {
        struct rlimit limit;
        litz_options *o;
        litz_graph *g;
        litz_executable *e = NULL;
        litz_error *err = NULL;
        litz_status status;
        limit.rlim_cur = (rlim_t)count;
        limit.rlim_max = 1024;
        setrlimit(RLIMIT_NOFILE, &limit);
        o = on_cpu("0");
        g = linear_relu();
        status = litz_compile(g, o, &e, &err);
        CHECK(status == LITZ_OK || ((status == LITZ_ERROR_IO || status == LITZ_ERROR_TOOLCHAIN) && *litz_error_message(err)));
        if (e) check_linear_relu(e);
        litz_error_release(err);
        litz_executable_release(e);
        litz_graph_release(g);
        litz_options_release(o);
    }
    everything_works();
}

/* No file grows beyond 64 bytes, as on a full disk. */
static void small_files_only(void) {
    struct rlimit limit = {64, 64};
    litz_executable *e = compiled();
    const char *target = in(folder, "too_large");
    int before = entries(folder);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    refused(LITZ_ERROR_IO, "TMPDIR");
    CHECK(entries(getenv("TMPDIR")) == 0);
    FAILS(LITZ_ERROR_IO, "TMPDIR", litz_executable_save(e, target, &err));
    FAILS(LITZ_ERROR_IO, target, litz_executable_save_constants(e, target, &err));
    CHECK(entries(folder) == before);
    check_linear_relu(e);
    litz_executable_release(e);
}

/* The same without ignoring the signal that the system sends with the error: it must not reach the host. */
static void small_files_and_their_signal(void) {
    struct rlimit limit = {64, 64};
    litz_executable *e = compiled();
    const char *target = in(folder, "too_large");
    sigset_t waiting;
    setrlimit(RLIMIT_FSIZE, &limit);
    refused(LITZ_ERROR_IO, "TMPDIR");
    FAILS(LITZ_ERROR_IO, target, litz_executable_save_constants(e, target, &err));
    sigpending(&waiting);
    CHECK(!sigismember(&waiting, SIGXFSZ));
    check_linear_relu(e);
    litz_executable_release(e);
}

/* New files have no permissions, not even their owner's. Root may use them all the same. */
static void nobody_may_read(void) {
    char place[] = "/tmp/litz-limits-XXXXXX"; /* a place that users other than root can reach */
    const uid_t other = getuid() == 0 ? 65534 : getuid();
    litz_executable *e;
    CHECK(mkdtemp(place) != NULL && setenv("TMPDIR", place, 1) == 0);
    if (getuid() == 0) CHECK(chown(place, other, other) == 0 && setgid(other) == 0 && setuid(other) == 0);
    umask(0777);
    e = compiled();
    check_linear_relu(e);
    litz_executable_release(e);
    CHECK(rmdir(place) == 0);
}

int main(int argc, char **argv) {
    static const scenario all[] = {
        {"few descriptors", few_descriptors},
        {"small files only", small_files_only},
        {"small files and their signal", small_files_and_their_signal},
        {"nobody may read", nobody_may_read},
    };
    return run_scenarios(all, sizeof all / sizeof *all, argc, argv);
}
