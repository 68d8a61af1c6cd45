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
typedef struct cu_pool_ *cu_pool;

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
    X(stream_destroy, "cuStreamDestroy_v2", (cu_stream))                                                              \
    X(capture_begin, "cuStreamBeginCapture_v2", (cu_stream, int))                                                     \
    X(capture_end, "cuStreamEndCapture", (cu_stream, cu_graph *))                                                     \
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
    X(event_record, "cuEventRecord", (cu_event, cu_stream))                                                           \
    X(module_load, "cuModuleLoadData", (cu_module *, const void *))                                                   \
    X(module_unload, "cuModuleUnload", (cu_module))                                                                   \
    X(module_function, "cuModuleGetFunction", (cu_function *, cu_module, const char *))                               \
    X(function_set, "cuFuncSetAttribute", (cu_function, int, int))                                                    \
    X(pool_get, "cuDeviceGetDefaultMemPool", (cu_pool *, int))                                                        \
    X(pool_set, "cuMemPoolSetAttribute", (cu_pool, int, void *))                                                      \
    X(allocate, "cuMemAllocAsync", (cu_pointer *, size_t, cu_stream))                                                 \
    X(free, "cuMemFreeAsync", (cu_pointer, cu_stream))                                                                \
    X(memory_info, "cuMemGetInfo_v2", (size_t *, size_t *))                                                           \
    X(host_allocate, "cuMemHostAlloc", (void **, size_t, unsigned))                                                   \
    X(host_free, "cuMemFreeHost", (void *))                                                                           \
    X(copy, "cuMemcpyAsync", (cu_pointer, cu_pointer, size_t, cu_stream))                                             \
    X(fill, "cuMemsetD8Async", (cu_pointer, unsigned char, size_t, cu_stream))                                        \
    X(launch, "cuLaunchKernel",                                                                                       \
      (cu_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, cu_stream, void **, void **))

typedef struct driver {
#define X(member, name, parameters) cu_result (*member) parameters;
    LX_DRIVER_FUNCTIONS(X)
#undef X
    /* From CUDA 12 on; NULL: absent. */
    cu_result (*encode_map)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *, const uint32_t *,
                            int, int, int, int);
} driver;

enum {
    CU_OUT_OF_MEMORY = 2,
    CU_ATTRIBUTE_MAJOR = 75,
    CU_ATTRIBUTE_MINOR = 76,
    CU_FUNCTION_SHARED_BYTES = 8,
    CU_POOL_RELEASE_THRESHOLD = 4,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_STREAM_NON_BLOCKING = 1,
    CU_CAPTURE_RELAXED = 2,
    CU_HOST_PORTABLE_AND_MAPPED = 3,
    CU_MAP_PROMOTE_256_BYTES = 3
};

static pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;

static litz_status cuda_fail(const driver *d, cu_result code, const char *what, lx_error e) {
    const char *text = NULL;
    if (d->error_string(code, &text) || !text) text = "an error that the driver has no words for";
    return fail(e, code == CU_OUT_OF_MEMORY ? LITZ_ERROR_OUT_OF_MEMORY : LITZ_ERROR_CUDA, "%s failed on the GPU: %s (%d)", what,
                text, code);
}

static litz_status driver_open(const driver **out, lx_error e) {
    static driver opened;
    static bool ready;
    litz_status status = LITZ_OK;
    pthread_mutex_lock(&driver_lock);
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
            if (missing)
                status = fail(e, LITZ_ERROR_CUDA, "the CUDA driver lacks %s; a driver of CUDA 11.3 or later is needed", missing);
            else if (opened.init(0))
                status = fail(e, LITZ_ERROR_CUDA, "the CUDA driver finds no GPU that it can use");
            else ready = true;
        }
    }
    pthread_mutex_unlock(&driver_lock);
    *out = &opened;
    return status;
}

#define CUDA(call, what)                                                \
    do {                                                                \
        cu_result result_ = (call);                                     \
        if (result_) return cuda_fail(d, result_, what, e);             \
    } while (0)
