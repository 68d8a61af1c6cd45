/* Kernels on a GPU. */
#include "internal.h"

#define COPY_RANK 8

/* As src/codegen/native/cuda/copy.h has it. */
typedef struct copy_plan {
    int64_t elements;
    int32_t rank, item;
    int64_t size[COPY_RANK], to[COPY_RANK], from[COPY_RANK];
} copy_plan;

/* Copies between layouts on the device; strides in elements. */
static litz_status device_copy_strided(const device *v, int32_t rank, const int64_t *shape, strided to, strided from,
                                       uint64_t item, cu_stream stream, lx_error e) {
    const driver *d = v->driver;
    copy_plan p = {.elements = 1, .item = (int32_t)item};
    for (int32_t k = 0; k < rank; k++) {
        if (shape[k] == 0) return LITZ_OK;
        if (shape[k] == 1) continue;
        p.elements *= shape[k];
        if (p.rank && p.to[p.rank - 1] == to.strides[k] * shape[k] && p.from[p.rank - 1] == from.strides[k] * shape[k]) {
            p.size[p.rank - 1] *= shape[k];
            p.to[p.rank - 1] = to.strides[k];
            p.from[p.rank - 1] = from.strides[k];
            continue;
        }
        if (p.rank == COPY_RANK)
            return fail(e, LITZ_ERROR_UNSUPPORTED, "a tensor on the GPU has more than %d dimensions that do not join; make it contiguous",
                        COPY_RANK);
        p.size[p.rank] = shape[k];
        p.to[p.rank] = to.strides[k];
        p.from[p.rank++] = from.strides[k];
    }
    if (p.rank == 0 || (p.rank == 1 && p.to[0] == 1 && p.from[0] == 1))
        return device_copy(v, to.data, from.data, (uint64_t)p.elements * item, stream, e);
    int64_t blocks = (p.elements + 255) / 256;
    void *arguments[] = {&to.data, &from.data, &p};
    CUDA(d->launch(v->copy_strided, (unsigned)(blocks < 65536 ? blocks : 65536), 1, 1, 256, 1, 1, 0, stream, arguments, NULL),
         "a copy between layouts");
    return LITZ_OK;
}

/* A kernel with all that its launch takes, or that a node of a graph takes. `blocks` 0: nothing is to be done. */
typedef struct kernel_call {
    uint32_t kernel;
    unsigned blocks, threads, shared;
    void **parameters;
} kernel_call;

/* Fills in a call's numbers, once the device is known to take them. */
static litz_status size_call(const device *v, kernel_call *call, int64_t blocks, int64_t threads, int64_t shared, const char *name,
                             lx_error e) {
    call->blocks = 0;
    if (blocks <= 0) return LITZ_OK;
    if (blocks > INT32_MAX || threads < 1 || threads > 1024 || shared < 0 || shared > INT32_MAX)
        return fail(e, LITZ_ERROR_SHAPE, "kernel `%s` would need %lld blocks of %lld threads with %lld bytes", name,
                    (long long)blocks, (long long)threads, (long long)shared);
    if (shared > 48 << 10) v->driver->function_set(v->kernels[call->kernel], CU_FUNCTION_SHARED_BYTES, (int)shared);
    call->blocks = (unsigned)blocks;
    call->threads = (unsigned)threads;
    call->shared = (unsigned)shared;
    return LITZ_OK;
}

static litz_status device_launch(const device *v, const kernel_call *call, cu_stream stream, const char *name, lx_error e) {
    const driver *d = v->driver;
    if (!call->blocks) return LITZ_OK;
    cu_result code = d->launch(v->kernels[call->kernel], call->blocks, 1, 1, call->threads, 1, 1, call->shared, stream,
                               call->parameters, NULL);
    if (code) return cuda_fail(d, code, name, e);
    return LITZ_OK;
}
