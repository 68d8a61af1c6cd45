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
        /* What is repeated on both sides is copied once. */
        if (shape[k] == 1 || (to.strides[k] == 0 && from.strides[k] == 0)) continue;
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
    ON_DEVICE(v, d->launch(v->copy_strided, (unsigned)(blocks < 65536 ? blocks : 65536), 1, 1, 256, 1, 1, 0, stream, arguments, NULL),
         "a copy between layouts");
    return LITZ_OK;
}

/* What a tensor map was encoded for. */
typedef struct map_key {
    uint64_t address, bytes;
    int64_t offset, sizes[LX_MAP_RANK], strides[LX_MAP_RANK];
} map_key;

/* Kernels count places along a map, to the end of the last tile, in 32 bits. */
#define MOST_ALONG_A_MAP (INT32_MAX - 65536)

/* The driver's numbers of a tensor map's elements; what it has no name for are as many bits. */
static int map_dtype(dtype_info dtype) {
    if (dtype.code == kDLBfloat) return 9;
    if (dtype.code == kDLFloat && dtype.size >= 2) return dtype.size == 2 ? 6 : dtype.size == 4 ? 7 : 8;
    return dtype.size == 1 ? 0 : dtype.size == 2 ? 1 : dtype.size == 4 ? 2 : 4;
}

/* Encodes a tensor map into 128 bytes at a multiple of 64. One without elements stays zero: no kernel reads by it. */
static litz_status device_map(const device *v, const lx_map *m, const map_key *key, dtype_info dtype, uint64_t *words, lx_error e) {
    const driver *d = v->driver;
    memset(words, 0, 128);
    uint64_t sizes[LX_MAP_RANK], strides[LX_MAP_RANK], end = dtype.size;
    bool empty = false, good = key->offset >= 0 && add_u64(end, (uint64_t)key->offset, &end);
    for (uint32_t k = 0; k < m->rank; k++) {
        uint64_t extent;
        empty = empty || key->sizes[k] == 0;
        good = good && key->sizes[k] >= 0 && key->strides[k] >= 0 &&
               mul_u64((uint64_t)key->strides[k], (uint64_t)key->sizes[k] - 1, &extent) && add_u64(end, extent, &end);
        sizes[k] = (uint64_t)key->sizes[k];
        strides[k] = (uint64_t)key->strides[k];
    }
    if (empty) return LITZ_OK;
    for (uint32_t k = 0; k < m->rank; k++)
        if (key->sizes[k] > MOST_ALONG_A_MAP)
            return fail(e, LITZ_ERROR_SHAPE, "a dimension of %lld elements is longer than the GPU's copy engine is used for",
                        (long long)key->sizes[k]);
    if (!good || end > key->bytes || strides[0] != dtype.size)
        return fail(e, LITZ_ERROR_INTERNAL, "a tensor map of the plan does not lie in its buffer of %llu bytes",
                    (unsigned long long)key->bytes);
    if (!d->encode_map)
        return fail(e, LITZ_ERROR_CUDA, "the CUDA driver lacks cuTensorMapEncodeTiled; a driver of CUDA 12 or later is needed");
    int swizzle = m->swizzle == 128 ? 3 : m->swizzle == 64 ? 2 : m->swizzle == 32 ? 1 : 0;
    int elements = m->tf32 ? CU_MAP_TF32 : map_dtype(dtype);
    CUDA(d->encode_map(words, elements, m->rank, (void *)(uintptr_t)(key->address + (uint64_t)key->offset), sizes, strides + 1,
                       m->boxes, m->steps, 0, swizzle, CU_MAP_PROMOTE_256_BYTES, 0),
         "encoding a tensor map");
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
    /* Beside it a kernel may have shared memory of its own: together they must not pass what is allowed without asking. */
    _Atomic unsigned *most = &v->shared_most[call->kernel];
    if (shared > atomic_load_explicit(most, memory_order_relaxed)) {
        cu_result code = 0;
        pthread_mutex_lock(&driver_lock); /* so that no thread lowers it again */
        if (shared > *most) code = v->driver->function_set(v->kernels[call->kernel], CU_FUNCTION_SHARED_BYTES, (int)shared);
        if (!code && shared > *most) *most = (unsigned)shared;
        pthread_mutex_unlock(&driver_lock);
        if (code) return device_fail(v, code, name, e);
    }
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
    if (code) return device_fail(v, code, name, e);
    return LITZ_OK;
}
