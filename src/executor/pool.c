/*
 * The executor's threads: one pool for the process, which one run at a time uses; a run that finds it busy works on
 * its own thread. Started when first needed, stopped when the last instance goes, so that a library that holds this
 * code can be closed.
 *
 * How a job goes: the submitter writes it, opens `state`, bumps `wake` and claims pieces itself. A worker enters by
 * raising the count in `state` while it is open, so that the submitter, having closed it, knows when the last one
 * has left and the job's memory may go.
 */
#include "internal.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define POOL_MAX_THREADS LX_MOST_THREADS
#define POOL_OPEN 0x80000000u
#define POOL_WAITED 0x40000000u
#define POOL_ACTIVE 0x3fffffffu
/* Rounds of waiting awake, some hundred microseconds, before a thread sleeps: as long as the last piece of a job may keep another thread,
 * so that the kernels of one run, and runs in close succession, find the pool awake. Waking costs tens of microseconds. */
#define POOL_SPINS 4000

typedef void (*range_fn)(void *argument, int64_t begin, int64_t end);

static struct {
    _Atomic uint32_t state;
    _Atomic uint32_t wake;
    _Atomic int32_t sleepers;
    _Atomic int busy;
    _Atomic int forked; /* a fork's child has none of the threads: it works serially from then on */
    _Atomic uint32_t generation; /* how many forks lie between the first process and this one */
    _Atomic int stop;
    _Atomic int n_threads;
    /* the job */
    _Atomic uint32_t helpers; /* how many workers may enter */
    range_fn body;
    void *argument;
    int64_t n, chunk;
    _Atomic int64_t next;
    _Atomic int32_t size; /* lx_set_threads; 0: `cpus` */
    _Atomic int32_t cpus; /* as they were when the last instance was made */
    /* starting and stopping */
    pthread_mutex_t lock;
    int users;
    bool registered; /* that forks are told to this pool */
    _Atomic int failed;
    pthread_t threads[POOL_MAX_THREADS];
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Around the lists of the process: instances, and blocks that programs share. Held for a few steps, and by a thread that
 * forks, so that they are whole in the child. */
static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;

static void futex_wait(_Atomic uint32_t *word, uint32_t value) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word, int count) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static inline void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static int32_t count_cpus(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        int n = CPU_COUNT(&set);
        if (n > 0) return n;
    }
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int32_t)n : 1;
}

static void claim_pieces(range_fn body, void *argument, int64_t n, int64_t chunk) {
    for (;;) {
        int64_t begin = atomic_fetch_add_explicit(&pool.next, chunk, memory_order_relaxed);
        if (begin >= n) return;
        body(argument, begin, n - begin < chunk ? n : begin + chunk);
    }
}

static void *pool_worker(void *unused) {
    (void)unused;
    uint32_t seen = 0;
    for (;;) {
        for (int k = 0; k < POOL_SPINS && atomic_load(&pool.wake) == seen; k++) relax();
        while (atomic_load(&pool.wake) == seen) {
            atomic_fetch_add(&pool.sleepers, 1);
            futex_wait(&pool.wake, seen);
            atomic_fetch_sub(&pool.sleepers, 1);
        }
        seen = atomic_load(&pool.wake);
        if (atomic_load(&pool.stop)) return NULL;
        uint32_t state = atomic_load(&pool.state);
        bool entered = false;
        while ((state & POOL_OPEN) && (state & POOL_ACTIVE) < atomic_load(&pool.helpers)) {
            if (atomic_compare_exchange_weak(&pool.state, &state, state + 1)) {
                entered = true;
                break;
            }
        }
        if (!entered) continue;
        claim_pieces(pool.body, pool.argument, pool.n, pool.chunk);
        uint32_t before = atomic_fetch_sub(&pool.state, 1);
        if ((before & POOL_ACTIVE) == 1 && (before & POOL_WAITED)) futex_wake(&pool.state, 1);
    }
}

static void pool_before_fork(void) { pthread_mutex_lock(&registry); }
static void pool_in_parent(void) { pthread_mutex_unlock(&registry); }

static void pool_after_fork(void) {
    pthread_mutex_init(&registry, NULL);
    atomic_store(&pool.forked, 1);
    atomic_fetch_add(&pool.generation, 1);
    pthread_mutex_init(&pool.lock, NULL);
}

/* Starts threads until there are `wanted`; fewer when the system gives no more. Called by the owner of `busy`. */
static void pool_start(int32_t wanted) {
    pthread_mutex_lock(&pool.lock);
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int n = atomic_load(&pool.n_threads);
    while (pool.registered && !atomic_load(&pool.failed) && n < wanted && n < POOL_MAX_THREADS) {
        if (pthread_create(&pool.threads[n], NULL, pool_worker, NULL)) {
            atomic_store(&pool.failed, 1);
            break;
        }
        n++;
    }
    atomic_store(&pool.n_threads, n);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_mutex_unlock(&pool.lock);
}

/* From here on forks are counted. */
static bool pool_register(void) {
    pthread_mutex_lock(&pool.lock);
    if (!pool.registered) pool.registered = pthread_atfork(pool_before_fork, pool_in_parent, pool_after_fork) == 0;
    bool registered = pool.registered;
    pthread_mutex_unlock(&pool.lock);
    return registered;
}

static void pool_enter(void) {
    pool_register();
    atomic_store(&pool.cpus, count_cpus());
    pthread_mutex_lock(&pool.lock);
    pool.users++;
    pthread_mutex_unlock(&pool.lock);
}

/* Ends all threads, which are waiting. The caller holds the lock. */
static void pool_stop(void) {
    int n = atomic_load(&pool.n_threads);
    atomic_store(&pool.stop, 1);
    atomic_fetch_add(&pool.wake, 1);
    futex_wake(&pool.wake, INT_MAX);
    for (int k = 0; k < n; k++) pthread_join(pool.threads[k], NULL);
    atomic_store(&pool.n_threads, 0);
    atomic_store(&pool.stop, 0);
    atomic_store(&pool.wake, 0);
    atomic_store(&pool.failed, 0);
}

/* No run is in progress when the last instance goes, so the threads are all waiting. */
static void pool_leave(void) {
    pthread_mutex_lock(&pool.lock);
    if (--pool.users == 0 && !atomic_load(&pool.forked)) pool_stop();
    pthread_mutex_unlock(&pool.lock);
}

/* The threads of programs that have no number of their own. */
static inline int32_t pool_size(void) {
    int32_t size = atomic_load_explicit(&pool.size, memory_order_relaxed);
    if (!size) size = atomic_load_explicit(&pool.cpus, memory_order_relaxed);
    return size < POOL_MAX_THREADS ? size : POOL_MAX_THREADS;
}

void lx_set_threads(int32_t n) {
    atomic_store(&pool.size, n > 0 ? n : 0);
    if (atomic_load(&pool.forked)) return;
    /* Threads that a larger pool had started end; others are started when they are needed. */
    while (atomic_exchange(&pool.busy, 1)) sched_yield();
    pthread_mutex_lock(&pool.lock);
    if (n > 0 && atomic_load(&pool.n_threads) > n - 1) pool_stop();
    pthread_mutex_unlock(&pool.lock);
    atomic_store(&pool.busy, 0);
}

/* Pieces of a job that one thread does alone: between two it sees whether it is to go on. */
#define POOL_SERIAL_PIECES 8

static void pool_run_alone(range_fn body, void *argument, int64_t n, int64_t grain) {
    int64_t chunk = n / POOL_SERIAL_PIECES + 1;
    if (chunk < grain) chunk = grain;
    for (int64_t begin = 0; begin < n; begin += chunk) body(argument, begin, n - begin < chunk ? n : begin + chunk);
}

/* Runs body over [0, n) in pieces of at least grain, on at most `threads` threads, this one among them. */
static void pool_run(range_fn body, void *argument, int64_t n, int64_t grain, int32_t threads) {
    int64_t pieces = n / grain;
    if (threads > pieces) threads = (int32_t)pieces;
    if (threads <= 1 || atomic_load(&pool.forked) || atomic_exchange(&pool.busy, 1)) {
        pool_run_alone(body, argument, n, grain);
        return;
    }
    if (atomic_load(&pool.n_threads) < threads - 1 && !atomic_load(&pool.failed)) pool_start(threads - 1);
    int32_t helpers = atomic_load(&pool.n_threads);
    if (helpers > threads - 1) helpers = threads - 1;
    /* A few pieces for each thread, so that one which starts late or is held up does not hold up the rest. */
    int64_t parts = (int64_t)(helpers + 1) * 8;
    if (parts > pieces) parts = pieces;
    pool.body = body;
    pool.argument = argument;
    pool.n = n;
    pool.chunk = n / parts + (n % parts != 0);
    atomic_store(&pool.next, 0);
    atomic_store(&pool.helpers, (uint32_t)helpers);
    atomic_store(&pool.state, POOL_OPEN);
    atomic_fetch_add(&pool.wake, 1);
    if (atomic_load(&pool.sleepers) > 0) futex_wake(&pool.wake, helpers);

    claim_pieces(body, argument, n, pool.chunk);

    uint32_t state = atomic_fetch_and(&pool.state, ~POOL_OPEN) & ~POOL_OPEN;
    for (int k = 0; k < POOL_SPINS && (state & POOL_ACTIVE); k++) {
        relax();
        state = atomic_load(&pool.state);
    }
    while (state & POOL_ACTIVE) {
        state = atomic_fetch_or(&pool.state, POOL_WAITED) | POOL_WAITED;
        if (state & POOL_ACTIVE) futex_wait(&pool.state, state);
        state = atomic_load(&pool.state);
    }
    atomic_store(&pool.state, 0);
    atomic_store(&pool.busy, 0);
}
