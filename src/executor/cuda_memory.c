/* A GPU's memory: taken from a pool of the driver's and given back in the order of a stream; copied and filled. */
#include "internal.h"

/* What was asked for and what there is. */
static litz_status device_out_of_memory(const driver *d, uint64_t bytes, const char *what, lx_error e) {
    size_t available = 0, total = 0;
    d->memory_info(&available, &total);
    return fail(e, LITZ_ERROR_OUT_OF_MEMORY,
                "the GPU has no memory for %s of %llu bytes: %zu of its %zu bytes are free; free tensors, or give memory that is cached "
                "back with litz_memory_release",
                what, (unsigned long long)bytes, available, total);
}

static void *device_allocate(const device *v, uint64_t bytes, cu_stream stream) {
    cu_pointer memory = 0;
    return v->driver->allocate(&memory, bytes ? bytes : 1, stream) ? NULL : (void *)(uintptr_t)memory;
}

static void device_free(const device *v, void *memory, cu_stream stream) {
    if (memory) v->driver->free((cu_pointer)(uintptr_t)memory, stream);
}

static litz_status device_copy(const device *v, void *to, const void *from, uint64_t bytes, cu_stream stream, lx_error e) {
    const driver *d = v->driver;
    if (bytes) CUDA(d->copy((cu_pointer)(uintptr_t)to, (cu_pointer)(uintptr_t)from, bytes, stream), "a copy");
    return LITZ_OK;
}

static void device_clear(const device *v, void *memory, uint64_t bytes) {
    v->driver->fill((cu_pointer)(uintptr_t)memory, 0, bytes, v->stream);
}

static litz_status device_wait(const device *v, cu_stream stream, lx_error e) {
    const driver *d = v->driver;
    CUDA(d->stream_synchronize(stream), "waiting for the GPU");
    return LITZ_OK;
}

litz_status lx_cuda_allocate(int32_t device_index, uint64_t bytes, void *stream, void **out, char *error, size_t error_size) {
    lx_error e = {error, error_size};
    const driver *d;
    opened_device *o;
    litz_status status = driver_open(&d, e);
    if (!status) status = open_process_device(d, device_index, &o, e);
    if (status) return status;
    CUDA(d->push(o->context), "entering the device's context");
    cu_pointer memory = 0;
    cu_result code = d->allocate(&memory, bytes ? bytes : 1, stream ? stream : o->stream);
    if (code == CU_OUT_OF_MEMORY) status = device_out_of_memory(d, bytes, "an output", e);
    else if (code) status = cuda_fail(d, code, "an allocation", e);
    cu_context popped;
    d->pop(&popped);
    *out = (void *)(uintptr_t)memory;
    return status;
}

void lx_cuda_free(int32_t device_index, void *memory, void *stream) {
    const driver *d;
    opened_device *o;
    lx_error e = {NULL, 0};
    if (!memory || driver_open(&d, e) || open_process_device(d, device_index, &o, e) || d->push(o->context)) return;
    d->free((cu_pointer)(uintptr_t)memory, stream ? stream : o->stream);
    cu_context popped;
    d->pop(&popped);
}

litz_status lx_cuda_copy(int32_t device_index, void *to, const void *from, uint64_t bytes, char *error, size_t error_size) {
    lx_error e = {error, error_size};
    const driver *d;
    opened_device *o;
    litz_status status = driver_open(&d, e);
    if (!status) status = open_process_device(d, device_index, &o, e);
    if (status) return status;
    CUDA(d->push(o->context), "entering the device's context");
    cu_result code = d->copy((cu_pointer)(uintptr_t)to, (cu_pointer)(uintptr_t)from, bytes, o->stream);
    if (!code) code = d->stream_synchronize(o->stream);
    if (code) status = cuda_fail(d, code, "a copy", e);
    cu_context popped;
    d->pop(&popped);
    return status;
}
