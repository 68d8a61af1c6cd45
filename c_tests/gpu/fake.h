/* What tests ask of the driver that stands in for NVIDIA's (fake_driver.c). */
#ifndef LITZ_TEST_FAKE_H
#define LITZ_TEST_FAKE_H

#include <stddef.h>
#include <stdint.h>

/* Live objects, and what happened. */
typedef struct fake_counts {
    uint64_t allocations, bytes, pinned, streams, events, graphs, replays, modules; /* alive now */
    uint64_t calls, launches, graph_launches, patches, waits, event_waits, trims, violations;
    uint64_t fills; /* by nodes of replays that are no kernels */
} fake_counts;

fake_counts fake_count(void);
/* From here on each kernel, copy and fill takes a millisecond, as events tell. */
void fake_count_time(int on);
/* The call numbered `call` from now (from 1) gives `code` instead of doing its work; 0: none does. */
void fake_fail(uint64_t call, int code);
/* As fake_fail, of calls of one function only. */
void fake_fail_function(const char *name, uint64_t call, int code);
/* The name of the call that was made to fail last; NULL: none was reached. */
const char *fake_failed(void);
/* How many bytes a device has. */
void fake_memory(uint64_t bytes);
/* A stream of a context that is not the device's primary one. */
void *fake_foreign_stream(void);
/* The handle stands for another stream from here on, as when a stream is destroyed and a new one lies in its place. */
void fake_renew_stream(void *stream);
/* The compute capability of the devices: 90, unless this says otherwise. */
void fake_arch(int arch);
/* Forgets a fault and what failed. */
void fake_heal(void);
/* How many contexts this thread has entered and not left. */
int depth_of_contexts(void);
/* Where the host can see a device's memory. */
void *fake_see(const void *device_memory);

#endif
