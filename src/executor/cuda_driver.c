/*
 * The NVIDIA driver, which is opened when the first program for a GPU is created: nothing is linked, and an artifact
 * needs no other library.
 */
#include "internal.h"

#include <dlfcn.h>

typedef int cu_result;
typedef uint64_t cu_pointer;
typedef struct cu_context_ *cu_context;
typedef struct cu_stream_ *cu_stream;
typedef struct cu_module_ *cu_module;
typedef struct cu_function_ *cu_function;
typedef struct cu_event_ *cu_event;
typedef struct cu_graph_ *cu_graph;
typedef struct cu_graph_exec_ *cu_graph_exec;
typedef struct cu_graph_node_ *cu_graph_node;
typedef struct cu_pool_ *cu_pool;

/* The handle that means the calling thread's own default stream. */
#define CU_STREAM_OF_THREAD ((cu_stream)(uintptr_t)2)

/* CUmemPoolProps: memory of one device. */
typedef struct cu_pool_properties {
    int allocation, handles;
    struct {
        int type, id;
    } location;
    void *security;
    size_t max_bytes;
    uint8_t reserved[56];
} cu_pool_properties;

/* CUDA_KERNEL_NODE_PARAMS */
typedef struct cu_kernel_node {
    cu_function function;
    unsigned grid[3], block[3], shared;
    void **parameters, **extra;
} cu_kernel_node;

/* CUDA_MEMCPY3D: one side of a copy, and the copy. */
typedef struct cu_copy_side {
    size_t x, y, z, level;
    int type;
    void *host;
    cu_pointer device;
    void *array, *reserved;
    size_t pitch, height;
} cu_copy_side;

typedef struct cu_copy_node {
    cu_copy_side from, to;
    size_t width, height, depth;
} cu_copy_node;

/* CUDA_MEMSET_NODE_PARAMS: `width` elements of `item` bytes in each of `height` rows. */
typedef struct cu_fill_node {
    cu_pointer to;
    size_t pitch;
    unsigned value, item;
    size_t width, height;
} cu_fill_node;

/* The driver's functions, under the names that its library exports. */
#define LX_DRIVER_FUNCTIONS(X)                                                                                        \
    X(init, "cuInit", (unsigned))                                                                                     \
    X(error_string, "cuGetErrorString", (cu_result, const char **))                                                   \
    X(device_count, "cuDeviceGetCount", (int *))                                                                      \
    X(device_get, "cuDeviceGet", (int *, int))                                                                        \
    X(attribute, "cuDeviceGetAttribute", (int *, int, int))                                                           \
    X(retain, "cuDevicePrimaryCtxRetain", (cu_context *, int))                                                        \
    X(push, "cuCtxPushCurrent_v2", (cu_context))                                                                      \
    X(pop, "cuCtxPopCurrent_v2", (cu_context *))                                                                      \
    X(stream_capturing, "cuStreamIsCapturing", (cu_stream, int *))                                                    \
    X(stream_destroy, "cuStreamDestroy_v2", (cu_stream))                                                              \
    X(capture_begin, "cuStreamBeginCapture_v2", (cu_stream, int))                                                     \
    X(capture_end, "cuStreamEndCapture", (cu_stream, cu_graph *))                                                     \
    X(capture_info, "cuStreamGetCaptureInfo_v2",                                                                      \
      (cu_stream, int *, uint64_t *, cu_graph *, const cu_graph_node **, size_t *))                                   \
    X(graph_set_kernel, "cuGraphExecKernelNodeSetParams", (cu_graph_exec, cu_graph_node, const cu_kernel_node *))     \
    X(graph_set_copy, "cuGraphExecMemcpyNodeSetParams",                                                               \
      (cu_graph_exec, cu_graph_node, const cu_copy_node *, cu_context))                                               \
    X(graph_nodes, "cuGraphGetNodes", (cu_graph, cu_graph_node *, size_t *))                                          \
    X(graph_node_kind, "cuGraphNodeGetType", (cu_graph_node, int *))                                                  \
    X(graph_node_after, "cuGraphNodeGetDependencies", (cu_graph_node, cu_graph_node *, size_t *))                     \
    X(graph_node_before, "cuGraphNodeGetDependentNodes", (cu_graph_node, cu_graph_node *, size_t *))                  \
    X(graph_fill, "cuGraphMemsetNodeGetParams", (cu_graph_node, cu_fill_node *))                                      \
    X(graph_add_kernel, "cuGraphAddKernelNode",                                                                       \
      (cu_graph_node *, cu_graph, const cu_graph_node *, size_t, const cu_kernel_node *))                             \
    X(graph_add_edges, "cuGraphAddDependencies", (cu_graph, const cu_graph_node *, const cu_graph_node *, size_t))    \
    X(graph_remove, "cuGraphDestroyNode", (cu_graph_node))                                                            \
    X(graph_instantiate, "cuGraphInstantiateWithFlags", (cu_graph_exec *, cu_graph, unsigned long long))              \
    X(graph_launch, "cuGraphLaunch", (cu_graph_exec, cu_stream))                                                      \
    X(graph_destroy, "cuGraphDestroy", (cu_graph))                                                                    \
    X(graph_exec_destroy, "cuGraphExecDestroy", (cu_graph_exec))                                                      \
    X(stream_create, "cuStreamCreate", (cu_stream *, unsigned))                                                       \
    X(stream_synchronize, "cuStreamSynchronize", (cu_stream))                                                         \
    X(stream_context, "cuStreamGetCtx", (cu_stream, cu_context *))                                                    \
    X(stream_wait, "cuStreamWaitEvent", (cu_stream, cu_event, unsigned))                                              \
    X(event_create, "cuEventCreate", (cu_event *, unsigned))                                                          \
    X(event_destroy, "cuEventDestroy_v2", (cu_event))                                                                 \
    X(event_elapsed, "cuEventElapsedTime", (float *, cu_event, cu_event))                                             \
    X(event_synchronize, "cuEventSynchronize", (cu_event))                                                            \
    X(event_record, "cuEventRecord", (cu_event, cu_stream))                                                           \
    X(event_record_flags, "cuEventRecordWithFlags", (cu_event, cu_stream, unsigned))                                  \
    X(module_load, "cuModuleLoadData", (cu_module *, const void *))                                                   \
    X(module_unload, "cuModuleUnload", (cu_module))                                                                   \
    X(module_function, "cuModuleGetFunction", (cu_function *, cu_module, const char *))                               \
    X(function_set, "cuFuncSetAttribute", (cu_function, int, int))                                                    \
    X(pool_create, "cuMemPoolCreate", (cu_pool *, const cu_pool_properties *))                                        \
    X(pool_get, "cuMemPoolGetAttribute", (cu_pool, int, void *))                                                      \
    X(pool_trim, "cuMemPoolTrimTo", (cu_pool, size_t))                                                                \
    X(pool_set, "cuMemPoolSetAttribute", (cu_pool, int, void *))                                                      \
    X(allocate, "cuMemAllocFromPoolAsync", (cu_pointer *, size_t, cu_pool, cu_stream))                                \
    X(free, "cuMemFreeAsync", (cu_pointer, cu_stream))                                                                \
    X(memory_info, "cuMemGetInfo_v2", (size_t *, size_t *))                                                           \
    X(address_range, "cuMemGetAddressRange_v2", (cu_pointer *, size_t *, cu_pointer))                                 \
    X(host_allocate, "cuMemHostAlloc", (void **, size_t, unsigned))                                                   \
    X(host_free, "cuMemFreeHost", (void *))                                                                           \
    X(copy, "cuMemcpyAsync", (cu_pointer, cu_pointer, size_t, cu_stream))                                             \
    X(fill, "cuMemsetD8Async", (cu_pointer, unsigned char, size_t, cu_stream))                                        \
    X(fill_rows, "cuMemsetD2D8Async", (cu_pointer, size_t, unsigned char, size_t, size_t, cu_stream))                 \
    X(fill16, "cuMemsetD16Async", (cu_pointer, unsigned short, size_t, cu_stream))                                    \
    X(fill32, "cuMemsetD32Async", (cu_pointer, unsigned, size_t, cu_stream))                                          \
    X(launch, "cuLaunchKernel",                                                                                       \
      (cu_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, cu_stream, void **, void **))

typedef struct driver {
#define X(member, name, parameters) cu_result (*member) parameters;
    LX_DRIVER_FUNCTIONS(X)
#undef X
    /* From CUDA 12 on; NULL: absent. */
    cu_result (*encode_map)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *, const uint32_t *,
                            int, int, int, int);
    cu_result (*stream_id)(cu_stream, uint64_t *); /* the same */
} driver;

enum {
    CU_INVALID_VALUE = 1,
    CU_OUT_OF_MEMORY = 2,
    CU_ATTRIBUTE_MAJOR = 75,
    CU_ATTRIBUTE_MINOR = 76,
    CU_FUNCTION_SHARED_BYTES = 8,
    CU_POOL_RELEASE_THRESHOLD = 4,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_EVENT_EXTERNAL = 1, /* a record that is a node of its own in a graph */
    CU_STREAM_NON_BLOCKING = 1,
    CU_CAPTURE_RELAXED = 2,
    CU_HOST_PORTABLE_AND_MAPPED = 3,
    CU_MAP_PROMOTE_256_BYTES = 3,
    CU_MAP_TF32 = 11,
    CU_ALLOCATION_PINNED = 1,
    CU_LOCATION_DEVICE = 1,
    CU_MEMORY_UNIFIED = 4,
    CU_NODE_FILL = 2
};

/* Attributes of a pool. */
enum { CU_POOL_RESERVED = 5, CU_POOL_RESERVED_PEAK = 6, CU_POOL_USED = 7, CU_POOL_USED_PEAK = 8 };

static pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;

static litz_status cuda_fail(const driver *d, cu_result code, const char *what, lx_error e) {
    const char *text = NULL;
    if (d->error_string(code, &text) || !text) text = "an error that the driver has no words for";
    return fail(e, code == CU_OUT_OF_MEMORY ? LITZ_ERROR_OUT_OF_MEMORY : LITZ_ERROR_CUDA, "%s failed on the GPU: %s (%d)", what,
                text, code);
}

/* Set before the first call of the driver's, and never again. */
static _Atomic bool driver_ready;
static _Atomic bool driver_used;           /* here, or by the compiler's own calls */
static _Atomic uint32_t driver_generation; /* of the process that used it first: a fork's child cannot use it */

static bool driver_forked(void) {
    return atomic_load_explicit(&driver_used, memory_order_acquire) &&
           atomic_load(&driver_generation) != atomic_load(&pool.generation);
}

/* From here on a fork's child is told. Where several threads come first, they note the same. */
static bool driver_note_use(void) {
    if (atomic_load_explicit(&driver_used, memory_order_acquire)) return true;
    if (!pool_register()) return false;
    atomic_store(&driver_generation, atomic_load(&pool.generation));
    atomic_store_explicit(&driver_used, true, memory_order_release);
    return true;
}

static litz_status fail_forked(lx_error e) {
    return fail(e, LITZ_ERROR_STATE,
                "this process was forked after it had used CUDA, which NVIDIA's driver does not support; start GPU work in "
                "processes that are forked before any, or that call exec");
}

litz_status lx_cuda_check_fork(char *error, size_t error_size) {
    return driver_forked() ? fail_forked((lx_error){error, error_size}) : LITZ_OK;
}

void lx_cuda_note_use(void) { driver_note_use(); }

static litz_status driver_open(const driver **out, lx_error e) {
    static driver opened;
    litz_status status = LITZ_OK;
    if (driver_forked()) return fail_forked(e);
    *out = &opened;
    if (atomic_load_explicit(&driver_ready, memory_order_acquire)) return LITZ_OK;
    pthread_mutex_lock(&driver_lock);
    bool ready = atomic_load(&driver_ready);
    if (!ready) {
        void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
        if (!library) {
            status = fail(e, LITZ_ERROR_CUDA, "the CUDA driver (libcuda.so.1) cannot be opened: %s; install NVIDIA's driver",
                          dlerror());
        } else {
            const char *missing = NULL;
#define X(member, name, parameters)                                       \
    if (!(*(void **)(&opened.member) = dlsym(library, name))) missing = name;
            LX_DRIVER_FUNCTIONS(X)
#undef X
            *(void **)(&opened.encode_map) = dlsym(library, "cuTensorMapEncodeTiled");
            *(void **)(&opened.stream_id) = dlsym(library, "cuStreamGetId");
            if (missing)
                status = fail(e, LITZ_ERROR_CUDA, "the CUDA driver lacks %s; a driver of CUDA 11.3 or later is needed", missing);
            else if (opened.init(0))
                status = fail(e, LITZ_ERROR_CUDA, "the CUDA driver finds no GPU that it can use");
            else if (!driver_note_use())
                status = fail(e, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory to learn of forks");
            else
                atomic_store_explicit(&driver_ready, true, memory_order_release);
        }
    }
    pthread_mutex_unlock(&driver_lock);
    return status;
}

#define CUDA(call, what)                                                \
    do {                                                                \
        cu_result result_ = (call);                                     \
        if (result_) return cuda_fail(d, result_, what, e);             \
    } while (0)
