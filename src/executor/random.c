/*
 * The random state of runs: a seed, the key of Philox, and an offset, the number of the first block of random words.
 *
 * Invariants: a run's numbers depend on these two alone; a run that is given no seed takes one that no other run of this
 * process takes. Only runs advance the process's generator: compiling, opening and inspecting programs leave it alone.
 */
#include "internal.h"

#include <errno.h>
#include <sys/random.h>
#include <unistd.h>

/* Blocks are numbered below this, so that four times their number fits 63 bits; the compiler has the same bound. */
#define MOST_RANDOM_OFFSET ((uint64_t)1 << 60)

/* The generator's seed, the process that it is of (a forked one begins anew), and how many runs have taken a seed. */
static pthread_mutex_t random_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t random_process;
static uint64_t random_start, random_taken;

/* Takes every value once, and neighbours have nothing in common (the last steps of SplitMix64). */
static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* A seed of its own for one run. */
static __attribute__((noinline, cold)) bool next_seed(uint64_t *seed) {
    pthread_mutex_lock(&random_lock);
    bool is_seeded = random_process == getpid();
    while (!is_seeded) {
        is_seeded = getrandom(&random_start, sizeof random_start, 0) == sizeof random_start;
        if (!is_seeded && errno != EINTR) break;
    }
    if (is_seeded) random_process = getpid();
    *seed = mixed(random_start + 0x9e3779b97f4a7c15u * ++random_taken);
    pthread_mutex_unlock(&random_lock);
    return is_seeded;
}

/* The state that a run starts from. */
static litz_status begin_random(const code *c, frame *f, const litz_run_options *o, lx_error e) {
    f->seed = o ? o->seed : 0;
    f->offset = o ? o->offset : 0;
    if (c->plan->next_offset == LX_NONE) return LITZ_OK;
    if (f->offset > MOST_RANDOM_OFFSET)
        return fail(e, LITZ_ERROR_INVALID_ARGUMENT, "run options: offset is %llu, but random offsets go up to %llu",
                    (unsigned long long)f->offset, (unsigned long long)MOST_RANDOM_OFFSET);
    if ((o && o->flags & LITZ_RUN_HAS_SEED) || next_seed(&f->seed)) return LITZ_OK;
    return fail(e, LITZ_ERROR_IO, "the system gives no random seed; give one in the run's options (flag LITZ_RUN_HAS_SEED)");
}

/* The offset that the next run goes on from. */
static uint64_t next_offset(const code *c, const frame *f) {
    return c->plan->next_offset == LX_NONE ? f->offset : (uint64_t)f->scalars[c->plan->next_offset];
}
