/* Hosts as they are: each case is a process of its own in a state that a host may be in, where a program is compiled, saved
 * and run all the same, or refused in words. argv[1] is a folder to write into; TMPDIR names an empty one. */
#include "hosts.h"

#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/time.h>

/* Children. */

static void children_ignored(void) {
    signal(SIGCHLD, SIG_IGN);
    everything_works();
}

static atomic_int reaped_enough;

static void *reap(void *unused) {
    while (!atomic_load(&reaped_enough)) {
        if (waitpid(-1, NULL, 0) < 0) usleep(200);
    }
    return unused;
}

static void children_reaped(void) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, reap, NULL) == 0);
    everything_works();
    atomic_store(&reaped_enough, 1);
    pthread_join(thread, NULL);
}

static volatile sig_atomic_t children_seen;

static void count_child(int signal) {
    (void)signal;
    ++children_seen;
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
}

static void children_handled(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = count_child;
    sigaction(SIGCHLD, &action, NULL);
    everything_works();
    CHECK(children_seen == 0); /* they are none of the host's */
}

static void write_script(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
    CHECK(chmod(path, 0755) == 0);
}

static int lives(pid_t process) {
    char path[64], text[512];
    FILE *file;
    size_t n;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    if (!(file = fopen(path, "r"))) return 0;
    n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = 0;
    return strstr(text, ") Z ") == NULL && strstr(text, ") X ") == NULL;
}

/* A host that is killed leaves no compiler, and a folder that the next compilation removes. */
static void killed(void) {
    const char *temporary = getenv("TMPDIR");
    char script[16384], pid[4096];
    int started = 0;
    pid_t host;
    double since = now();
    snprintf(pid, sizeof pid, "%s", in(folder, "pid"));
    unlink(pid);
    snprintf(script, sizeof script,
             "#!/bin/sh\ncase \"$*\" in *kernels*) sleep 100 & echo $! > '%s.new'; mv '%s.new' '%s'; wait;; *) exec g++ \"$@\";; "
             "esac\n",
             pid, pid, pid);
    write_script(in(folder, "slow"), script);
    host = fork();
    if (host == 0) {
        litz_options *o = on_cpu("0");
        litz_graph *g = linear_relu();
        litz_executable *e = NULL;
        OK(litz_options_set(o, "cpp.compiler", in(folder, "slow"), &err));
        litz_compile(g, o, &e, NULL);
        _exit(1);
    }
    while (!started && now() - since < 30) {
        FILE *file = fopen(pid, "r");
        if (file) {
            CHECK(fscanf(file, "%d", &started) == 1);
            fclose(file);
        }
        usleep(10000);
    }
    CHECK(started && lives(started) && entries(temporary) == 1);
    kill(host, SIGKILL);
    CHECK(waitpid(host, NULL, 0) == host);
    since = now();
    while (lives(started) && now() - since < 10) usleep(10000);
    CHECK(!lives(started));
    everything_works();
    CHECK(entries(temporary) == 0);
}

/* Descriptors, limits, signals, threads. */

static void standard_files_closed(void) {
    close(0);
    close(1);
    everything_works();
    close(2);
    everything_works();
}

/* The compiler gets none of the host's files. */
static void no_files_handed_on(void) {
    litz_options *o = on_cpu("0");
    litz_graph *g = linear_relu();
    litz_executable *e = NULL;
    char script[8192];
    CHECK(dup2(open("/dev/null", O_RDONLY), 77) == 77); /* without O_CLOEXEC */
    snprintf(script, sizeof script, "#!/bin/sh\n[ -e /proc/$$/fd/77 ] && : > '%s'\nexec g++ \"$@\"\n", in(folder, "handed"));
    write_script(in(folder, "compiler"), script);
    OK(litz_options_set(o, "cpp.compiler", in(folder, "compiler"), &err));
    OK(litz_compile(g, o, &e, &err));
    CHECK(access(in(folder, "handed"), F_OK) != 0 && fcntl(77, F_GETFD) == 0);
    litz_executable_release(e);
    litz_graph_release(g);
    litz_options_release(o);
}

static void signals_blocked(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    everything_works();
}

static void tick(int signal) { (void)signal; }

static void signals_interrupt(void) {
    struct sigaction action;
    struct itimerval every;
    memset(&action, 0, sizeof action);
    action.sa_handler = tick; /* without SA_RESTART */
    sigaction(SIGALRM, &action, NULL);
    memset(&every, 0, sizeof every);
    every.it_interval.tv_usec = every.it_value.tv_usec = 1000;
    setitimer(ITIMER_REAL, &every, NULL);
    everything_works();
    everything_works();
}

static void forked_in_between(void) {
    litz_executable *e = compiled();
    pid_t child = fork();
    int status = 0;
    if (child == 0) {
        check_linear_relu(e);
        everything_works();
        _exit(0);
    }
    everything_works();
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    litz_executable_release(e);
}

static void *compile_one(void *unused) {
    litz_executable *e = compiled();
    check_linear_relu(e);
    litz_executable_release(e);
    return unused;
}

static void threads(void) {
    pthread_t all[4];
    int k;
    for (k = 0; k < 4; ++k) CHECK(pthread_create(&all[k], NULL, compile_one, NULL) == 0);
    for (k = 0; k < 4; ++k) pthread_join(all[k], NULL);
}

/* The environment. */

static void no_path(void) {
    CHECK(chdir(folder) == 0);
    write_script("g++", "#!/bin/sh\n: > ran\nexit 1\n");
    unsetenv("CXX");
    setenv("PATH", "", 1);
    refused(LITZ_ERROR_TOOLCHAIN, "PATH, which is empty");
    setenv("PATH", ".::", 1);
    refused(LITZ_ERROR_TOOLCHAIN, "on PATH");
    unsetenv("PATH");
    refused(LITZ_ERROR_TOOLCHAIN, "PATH, which is not set");
    CHECK(access("ran", F_OK) != 0);
}

static void temporary_folders(void) {
    static const char *const names[] = {"'single' \"double\" back\\slash,comma\nnew line $(false) per%cent; \xc3\xa4", "-o",
                                        "@file\xff\xfe"};
    size_t k;
    for (k = 0; k < sizeof names / sizeof *names; ++k) {
        const char *place = in(folder, names[k]); /* until four more paths are made */
        CHECK(mkdir(place, 0700) == 0 || errno == EEXIST);
        setenv("TMPDIR", place, 1);
        everything_works();
        CHECK(entries(in(folder, names[k])) == 0);
    }
    CHECK(chdir(folder) == 0 && (mkdir("relative", 0700) == 0 || errno == EEXIST));
    setenv("TMPDIR", "relative", 1);
    everything_works();
    setenv("TMPDIR", "missing", 1);
    refused(LITZ_ERROR_IO, "TMPDIR");
    setenv("TMPDIR", "/dev/null", 1);
    refused(LITZ_ERROR_IO, "TMPDIR");
}

static int wrote(const char *path, const char *text) {
    const int file = open(path, O_WRONLY);
    const int whole = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (file >= 0) close(file);
    return whole;
}

/* A mount table of this process's own: as root, or as root of a user namespace, which a process with threads cannot enter. */
static int may_mount(void) {
    char map[64];
    const unsigned user = getuid(), group = getgid();
    if (unshare(CLONE_NEWNS) != 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return 0;
        snprintf(map, sizeof map, "0 %u 1", user);
        if (!wrote("/proc/self/setgroups", "deny") || !wrote("/proc/self/uid_map", map)) return 0;
        snprintf(map, sizeof map, "0 %u 1", group);
        if (!wrote("/proc/self/gid_map", map)) return 0;
    }
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* File systems that are full, or forbid execution. Where no process may mount one, the case says that it was left out; what a
 * disk without room does is in `small_files_only` as well, which needs no rights. */
static void file_systems(void) {
    char place[4096], fill[65536];
    litz_executable *e, *opened = NULL;
    int full, room, pieces = 0, by_compiler = 0;
    snprintf(place, sizeof place, "%s", in(folder, "mounted"));
    CHECK(mkdir(place, 0700) == 0);
    if (!may_mount() || mount("tmpfs", place, "tmpfs", MS_NOEXEC, "size=4m") != 0) {
        printf("LEFT OUT: file systems that are full or `noexec`, since this process may mount none (%s)\n", strerror(errno));
        fflush(stdout);
        return;
    }
    e = compiled();
    OK(litz_executable_save(e, in(place, "saved.so"), &err));
    FAILS(LITZ_ERROR_IO, "noexec", litz_executable_open(in(place, "saved.so"), NULL, &opened, &err));
    CHECK(unlink(in(place, "saved.so")) == 0);
    setenv("TMPDIR", place, 1);
    refused(LITZ_ERROR_IO, "TMPDIR");
    memset(fill, 1, sizeof fill);
    full = open(in(place, "fill"), O_WRONLY | O_CREAT, 0600);
    CHECK(full >= 0);
    while (write(full, fill, sizeof fill) > 0) CHECK(++pieces < 70);
    close(full);
    refused(LITZ_ERROR_IO, "TMPDIR");
    FAILS(LITZ_ERROR_IO, "TMPDIR", litz_executable_save(e, in(place, "saved.so"), &err));
    setenv("TMPDIR", folder, 1);
    FAILS(LITZ_ERROR_IO, "saved.so", litz_executable_save(e, in(place, "saved.so"), &err));
    FAILS(LITZ_ERROR_IO, "constants", litz_executable_save_constants(e, in(place, "constants"), &err));
    CHECK(entries(place) == 1); /* nothing but what fills it */
    setenv("TMPDIR", place, 1);
    for (room = 1; room < 8 && !by_compiler; ++room) { /* until it is the compiler that finds no room */
        litz_options *o = on_cpu("0");
        litz_graph *g = linear_relu();
        litz_executable *none = NULL;
        litz_error *err = NULL;
        CHECK(truncate(in(place, "fill"), (4 << 20) - room * 150000) == 0);
        by_compiler = litz_compile(g, o, &none, &err) == LITZ_ERROR_TOOLCHAIN;
        CHECK(none == NULL && strstr(litz_error_message(err), "TMPDIR") != NULL);
        litz_error_release(err);
        litz_graph_release(g);
        litz_options_release(o);
    }
    CHECK(by_compiler);
    litz_executable_release(e);
}

static void working_directory_gone(void) {
    const char *place = in(folder, "gone");
    CHECK(mkdir(place, 0700) == 0 && chdir(place) == 0 && rmdir(place) == 0);
    everything_works();
}

static void bare_environment(void) {
    char *path = strdup(getenv("PATH"));
    clearenv();
    setenv("PATH", path, 1);
    free(path);
    everything_works();
    setenv("HOME", "/nonexistent", 1);
    setenv("LC_ALL", "xx_XX.nothing", 1);
    setenv("CPATH", "/nonexistent", 1);
    setenv("CXXFLAGS", "-Dnonsense=( -fno-such-flag", 1);
    setenv("DEPENDENCIES_OUTPUT", in(folder, "dependencies"), 1);
    umask(0177);
    everything_works();
    /* A decimal comma is not for numbers in programs and sources. */
    if (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "C.UTF-8")) everything_works();
}

/* Files. */

typedef struct {
    const char *name;
    int readable; /* through a link, as any file */
} place;

static void files(void) {
    static const place places[] = {{"pipe", 0}, {"link", 1}, {"dangling", 0}, {"directory", 0}};
    litz_executable *e = compiled(), *opened = NULL;
    litz_graph *g = linear_relu(), *loaded = NULL;
    litz_options *o = on_cpu("0");
    double since = now();
    struct stat before, after;
    size_t k;
    CHECK(chdir(folder) == 0);
    OK(litz_executable_save_constants(e, "victim", &err));
    CHECK(mkfifo("pipe", 0600) == 0 && symlink("victim", "link") == 0 && symlink("nowhere", "dangling") == 0);
    CHECK(mkdir("directory", 0700) == 0 && stat("victim", &before) == 0);
    for (k = 0; k < sizeof places / sizeof *places; ++k) {
        const char *path = places[k].name;
        const int a_folder = strcmp(path, "directory") == 0;
        FAILS(LITZ_ERROR_IO, path, litz_executable_save_constants(e, path, &err));
        if (!a_folder) FAILS(LITZ_ERROR_IO, path, litz_executable_save(e, path, &err));
        if (!a_folder) FAILS(LITZ_ERROR_IO, path, litz_compile_artifact(g, o, path, &err));
        if (places[k].readable) continue;
        FAILS(LITZ_ERROR_IO, path, litz_executable_load_constants(e, path, &err));
        FAILS(LITZ_ERROR_IO, path, litz_graph_from_pt2(path, NULL, &loaded, &err));
        FAILS(LITZ_ERROR_IO, path, litz_executable_open(path, NULL, &opened, &err));
    }
    FAILS(LITZ_ERROR_IO, "device", litz_executable_load_constants(e, "/dev/zero", &err));
    FAILS(LITZ_ERROR_IO, "device", litz_graph_from_pt2("/dev/zero", NULL, &loaded, &err));
    FAILS(LITZ_ERROR_IO, "device", litz_executable_open("/dev/zero", NULL, &opened, &err));
    FAILS(LITZ_ERROR_IO, "device", litz_executable_save_constants(e, "/dev/null", &err));
    CHECK(now() - since < 30);
    CHECK(stat("victim", &after) == 0 && before.st_ino == after.st_ino && before.st_size == after.st_size);
    CHECK(access("nowhere", F_OK) != 0 && lstat("link", &after) == 0 && S_ISLNK(after.st_mode));
    OK(litz_executable_load_constants(e, "link", &err));
    /* A file is replaced whole, and keeps its permissions. */
    CHECK(chmod("victim", 0600) == 0);
    OK(litz_executable_save_constants(e, "victim", &err));
    CHECK(stat("victim", &after) == 0 && before.st_ino != after.st_ino && (after.st_mode & 0777) == 0600);
    CHECK(truncate("victim", after.st_size - 1) == 0);
    FAILS(LITZ_ERROR_PARSE, "victim", litz_executable_load_constants(e, "victim", &err));
    CHECK(truncate("victim", (off_t)1 << 40) == 0); /* a hole, which is not read */
    FAILS(LITZ_ERROR_PARSE, "victim", litz_executable_load_constants(e, "victim", &err));
    check_linear_relu(e);
    litz_executable_release(e);
    litz_graph_release(g);
    litz_options_release(o);
}

/* Messages. */

static void messages(void) {
    litz_graph *g = NULL;
    litz_error *err = NULL;
    int64_t shape[1] = {4};
    litz_tensor_spec spec = float_spec(1, shape, NULL);
    litz_value x, y;
    litz_arg args[2];
    size_t n = 0;
    char *name = malloc(400001);
    double since;
    OK(litz_graph_new("g", NULL, &g, &err));
    OK(litz_graph_input(g, "x", &spec, &x, &err));
    args[0] = value_arg(x);
    args[1] = int_arg(1);
    args[1].kind = LITZ_ARG_NONE;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "argument `other` is None, where the schema has a tensor",
          litz_graph_call(g, "aten.add.Tensor", args, 2, &y, 1, &n, &err));
    FAILS(LITZ_ERROR_UNSUPPORTED, "the nearest known are `aten.softmax.int`", litz_graph_call(g, "softmax", args, 1, &y, 1, &n, &err));
    memset(name, 'a', 400000);
    name[400000] = 0;
    since = now();
    CHECK(litz_graph_call(g, name, args, 1, &y, 1, &n, &err) == LITZ_ERROR_UNSUPPORTED);
    CHECK(now() - since < 2 && strlen(litz_error_message(err)) < 2048);
    litz_error_release(err);
    free(name);
    litz_graph_release(g);
}

/* How often a message names a path. */
static int named(const litz_error *err, const char *path) {
    const char *at = litz_error_message(err);
    int times = 0;
    while ((at = strstr(at, path)) != NULL) {
        ++times;
        at += strlen(path);
    }
    return times;
}

#define NAMES_ONCE(path, call)                                                                                         \
    do {                                                                                                               \
        litz_error *err = NULL;                                                                                        \
        CHECK((call) == LITZ_ERROR_IO);                                                                                \
        if (named(err, path) != 1) {                                                                                   \
            fprintf(stderr, "%s:%d: %s does not name %s once: %s\n", __FILE__, __LINE__, #call, path,                  \
                    litz_error_message(err));                                                                          \
            exit(1);                                                                                                   \
        }                                                                                                              \
        litz_error_release(err);                                                                                       \
    } while (0)

/* Each error about a file says which, once. */
static void paths_are_said_once(void) {
    char missing[4096], within[4096], directory[4096];
    litz_executable *e = compiled(), *opened = NULL;
    litz_graph *g = linear_relu(), *loaded = NULL;
    litz_options *o = on_cpu("0"), *saved = NULL;
    const char *all[3];
    size_t k;
    snprintf(missing, sizeof missing, "%s", in(folder, "not_there"));
    snprintf(within, sizeof within, "%s", in(folder, "not_there/file.so"));
    snprintf(directory, sizeof directory, "%s", in(folder, "a_folder.so"));
    CHECK(mkdir(directory, 0700) == 0);
    all[0] = missing;
    all[1] = within;
    all[2] = directory;
    for (k = 0; k < 3; ++k) {
        const char *path = all[k];
        NAMES_ONCE(path, litz_graph_from_pt2(path, NULL, &loaded, &err));
        NAMES_ONCE(path, litz_graph_from_onnx(path, NULL, &loaded, &err));
        NAMES_ONCE(path, litz_executable_open(path, NULL, &opened, &err));
        NAMES_ONCE(path, litz_executable_load_constants(e, path, &err));
        NAMES_ONCE(path, litz_graph_from_repro(path, &loaded, &saved, &err));
        if (k > 0) NAMES_ONCE(path, litz_executable_save_constants(e, path, &err));
    }
    NAMES_ONCE(within, litz_executable_save(e, within, &err));
    NAMES_ONCE(within, litz_compile_artifact(g, o, within, &err));
    setenv("TMPDIR", missing, 1);
    NAMES_ONCE(missing, litz_compile(g, o, &opened, &err));
    litz_executable_release(e);
    litz_graph_release(g);
    litz_options_release(o);
}

/* What the system says of a file is in the message, in its words. */
static void reasons_are_the_systems(void) {
    static const char *const files[] = {"graph.litz", "constants.bin", "inputs.bin", "options.json", "repro.json", "replay.c", "replay.sh"};
    litz_graph *g = linear_relu(), *loaded = NULL;
    litz_options *saved = NULL;
    litz_executable *e = compiled();
    size_t k;
    CHECK(chdir(folder) == 0);
    FAILS(LITZ_ERROR_IO, "cannot read `none/graph.litz`: No such file or directory", litz_graph_from_repro("none", &loaded, &saved, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "empty name", litz_graph_from_repro("", &loaded, &saved, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "empty name", litz_graph_save_repro(g, NULL, NULL, 0, "", &err));
    FAILS(LITZ_ERROR_IO, "/dev/null`: ", litz_graph_save_repro(g, NULL, NULL, 0, "/dev/null", &err));
    FAILS(LITZ_ERROR_IO, "no file can be made in the folder: No such file or directory",
          litz_executable_save(e, "none/saved.so", &err));
    for (k = 0; k < sizeof files / sizeof *files; ++k) {
        char place[64], path[128];
        snprintf(place, sizeof place, "repro_%d", (int)k);
        snprintf(path, sizeof path, "%s/%s", place, files[k]);
        CHECK(mkdir(place, 0700) == 0 && mkfifo(path, 0600) == 0);
        FAILS(LITZ_ERROR_IO, "it is a named pipe, not a regular file", litz_graph_save_repro(g, NULL, NULL, 0, place, &err));
    }
    OK(litz_graph_save_repro(g, NULL, NULL, 0, "repro", &err));
    CHECK(truncate("repro/graph.litz", (off_t)1 << 40) == 0); /* a hole, which is not read */
    FAILS(LITZ_ERROR_PARSE, "1099511627776 bytes", litz_graph_from_repro("repro", &loaded, &saved, &err));
    litz_executable_release(e);
    litz_graph_release(g);
}

/* Files that are on the disk, each before it has this name. */
static const char *name_to_be;
static ino_t on_disk[8];
static int count_on_disk, folders_on_disk;

/* Stands before that of the C library. */
int fsync(int file) {
    struct stat about, named_now;
    if (name_to_be && fstat(file, &about) == 0) {
        const int is_named = stat(name_to_be, &named_now) == 0;
        if (S_ISREG(about.st_mode)) {
            CHECK(!is_named || named_now.st_ino != about.st_ino);
            CHECK(count_on_disk < 8);
            on_disk[count_on_disk++] = about.st_ino;
        }
        folders_on_disk += S_ISDIR(about.st_mode) && is_named;
    }
    return (int)syscall(SYS_fsync, file);
}

static void await(const char *name) {
    CHECK(access(name, F_OK) != 0);
    name_to_be = name;
    count_on_disk = folders_on_disk = 0;
}

static void is_on_disk(void) {
    struct stat about;
    int k, found = 0;
    CHECK(stat(name_to_be, &about) == 0);
    for (k = 0; k < count_on_disk; ++k) found |= on_disk[k] == about.st_ino;
    CHECK(found && folders_on_disk > 0);
    name_to_be = NULL;
}

/* A file has its name only when its bytes are on the disk, and then the name is written, too. */
static void synced_before_named(void) {
    litz_executable *e = compiled();
    litz_graph *g = linear_relu();
    litz_options *o = on_cpu("0");
    CHECK(chdir(folder) == 0);
    await("synced.so");
    OK(litz_executable_save(e, "synced.so", &err));
    is_on_disk();
    await("synced.safetensors");
    OK(litz_executable_save_constants(e, "synced.safetensors", &err));
    is_on_disk();
    await("synced_too.so");
    OK(litz_compile_artifact(g, o, "synced_too.so", &err));
    is_on_disk();
    litz_executable_release(e);
    litz_graph_release(g);
    litz_options_release(o);
}

static int freed;

static void free_own(struct DLManagedTensorVersioned *tensor) {
    (void)tensor;
    ++freed;
}

static void tensors_released(void) {
    struct DLManagedTensorVersioned tensor;
    memset(&tensor, 0, sizeof tensor);
    litz_tensor_release(NULL);
    litz_tensor_release(&tensor);
    tensor.deleter = free_own;
    litz_tensor_release(&tensor);
    CHECK(freed == 1);
}

int main(int argc, char **argv) {
    static const scenario all[] = {
        {"children ignored", children_ignored},
        {"children reaped", children_reaped},
        {"children handled", children_handled},
        {"killed", killed},
        {"standard files closed", standard_files_closed},
        {"no files handed on", no_files_handed_on},
        {"signals blocked", signals_blocked},
        {"signals interrupt", signals_interrupt},
        {"forked in between", forked_in_between},
        {"threads", threads},
        {"no path", no_path},
        {"temporary folders", temporary_folders},
        {"file systems", file_systems},
        {"working directory gone", working_directory_gone},
        {"bare environment", bare_environment},
        {"files", files},
        {"messages", messages},
        {"paths are said once", paths_are_said_once},
        {"reasons are the system's", reasons_are_the_systems},
        {"synced before named", synced_before_named},
        {"tensors released", tensors_released},
    };
    return run_scenarios(all, sizeof all / sizeof *all, argc, argv);
}
