/* Shared by hosts.c and limits.c: compilations, saves and runs that must work or be refused, and scenarios, each a process of its own.
 * TMPDIR names an empty folder. */
#ifndef HOSTS_H
#define HOSTS_H

#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *folder;

static inline const char *in(const char *place, const char *name) {
    static char paths[4][4096];
    static int next;
    char *path = paths[next++ % 4];
    CHECK(snprintf(path, sizeof paths[0], "%s/%s", place, name) < (int)sizeof paths[0]);
    return path;
}

static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline int entries(const char *place) {
    DIR *listing = opendir(place);
    int count = -2; /* itself and the one above */
    CHECK(listing != NULL);
    while (readdir(listing)) ++count;
    closedir(listing);
    return count;
}

static inline litz_options *on_cpu(const char *optimization) {
    litz_options *o = NULL;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "cpu", &err));
    OK(litz_options_set(o, "cache.enabled", "false", &err));
    OK(litz_options_set(o, "cpp.optimization", optimization, &err));
    return o;
}

static inline litz_executable *compiled(void) {
    litz_options *o = on_cpu("0");
    litz_graph *g = linear_relu();
    litz_executable *e = NULL;
    OK(litz_compile(g, o, &e, &err));
    litz_graph_release(g);
    litz_options_release(o);
    return e;
}

/* Compiles, runs, saves and opens. */
static inline void everything_works(void) {
    litz_executable *e = compiled(), *opened = NULL;
    check_linear_relu(e);
    OK(litz_executable_save(e, in(folder, "saved.so"), &err));
    OK(litz_executable_open(in(folder, "saved.so"), NULL, &opened, &err));
    check_linear_relu(opened);
    litz_executable_release(opened);
    litz_executable_release(e);
}

static inline void refused(litz_status code, const char *words) {
    litz_options *o = on_cpu("0");
    litz_graph *g = linear_relu();
    litz_executable *e = NULL;
    FAILS(code, words, litz_compile(g, o, &e, &err));
    litz_graph_release(g);
    litz_options_release(o);
}

typedef struct {
    const char *name;
    void (*body)(void);
} scenario;

/* Runs each scenario in a process of its own. argv[1] is a folder to write into; argv[2], if given, names the only scenario to run. */
static inline int run_scenarios(const scenario *all, size_t count, int argc, char **argv) {
    size_t k;
    CHECK(argc >= 2);
    folder = argv[1];
    for (k = 0; k < count; ++k) {
        int status = 0;
        pid_t process;
        if (argc > 2 && strcmp(argv[2], all[k].name) != 0) continue;
        process = fork();
        if (process == 0) {
            all[k].body();
            _exit(0);
        }
        CHECK(process > 0 && waitpid(process, &status, 0) == process);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            fprintf(stderr, "%s: ended with %d\n", all[k].name, status);
            return 1;
        }
    }
    puts("all right");
    return 0;
}

#endif
