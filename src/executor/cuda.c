/*
 * An NVIDIA GPU through its driver, which is opened when the first program for it is created: nothing is linked, and
 * an artifact needs no other library. Kernels are functions of cubins; memory comes from a pool of the driver's, in the
 * order of a stream. The device's primary context is used, which the host's other CUDA code shares.
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
    CU_HOST_PORTABLE_AND_MAPPED = 3
};

/* What a program for a GPU holds of it. */
typedef struct device {
    const driver *driver;
    int32_t index;
    int number; /* the driver's own name of the device */
    cu_context context;
    cu_stream stream; /* runs without a stream of the host's */
    cu_module *modules;
    uint32_t n_modules;
    cu_function *kernels; /* one for each kernel of the plan */
    cu_function copy_strided;
    bool records; /* runs are recorded as graphs: they do not wait for the host in the middle */
} device;

#define MOST_DEVICES 64

/* What the process holds of each device for good: a stream outlives the memory that is freed in its order. */
typedef struct opened_device {
    int number;
    cu_context context;
    cu_stream stream;
} opened_device;

static pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;

static litz_status cuda_fail(const driver *d, cu_result code, const char *what, lx_error e) {
    const char *text = NULL;
    if (d->error_string(code, &text) || !text) text = "an error that the driver has no words for";
    return fail(e, code == CU_OUT_OF_MEMORY ? LITZ_ERROR_OUT_OF_MEMORY : LITZ_ERROR_CUDA, "%s failed on the GPU: %s (%d)", what,
                text, code);
}

/* What was asked for and what there is. */
static litz_status device_out_of_memory(const driver *d, uint64_t bytes, const char *what, lx_error e) {
    size_t available = 0, total = 0;
    d->memory_info(&available, &total);
    return fail(e, LITZ_ERROR_OUT_OF_MEMORY,
                "the GPU has no memory for %s of %llu bytes: %zu of its %zu bytes are free; free tensors, or give memory that is cached "
                "back with litz_memory_release",
                what, (unsigned long long)bytes, available, total);
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

/* The process's own context and stream of a device. */
static litz_status open_process_device(const driver *d, int32_t index, opened_device **out, lx_error e) {
    static opened_device devices[MOST_DEVICES];
    int count = 0;
    CUDA(d->device_count(&count), "counting devices");
    if (index < 0 || index >= count || index >= MOST_DEVICES)
        return fail(e, LITZ_ERROR_DEVICE, "there is no CUDA device %d: this machine has %d", (int)index, count);
    opened_device *o = &devices[index];
    litz_status status = LITZ_OK;
    pthread_mutex_lock(&driver_lock);
    if (!o->stream) {
        cu_result code = d->device_get(&o->number, index);
        if (!code && !o->context) code = d->retain(&o->context, o->number);
        if (!code) code = d->push(o->context);
        if (!code) {
            cu_context popped;
            cu_pool pool;
            uint64_t all = UINT64_MAX; /* memory that was freed stays with the process until it is released */
            code = d->stream_create(&o->stream, 0);
            if (!code && !d->pool_get(&pool, o->number)) d->pool_set(pool, CU_POOL_RELEASE_THRESHOLD, &all);
            d->pop(&popped);
        }
        if (code) {
            o->stream = NULL;
            status = cuda_fail(d, code, "opening the device", e);
        }
    }
    pthread_mutex_unlock(&driver_lock);
    *out = o;
    return status;
}

static void device_close(device *v) {
    if (!v) return;
    const driver *d = v->driver;
    if (v->context) {
        d->push(v->context);
        d->stream_synchronize(v->stream);
        for (uint32_t k = 0; k < v->n_modules; k++)
            if (v->modules[k]) d->module_unload(v->modules[k]);
        cu_context popped;
        d->pop(&popped);
    }
    free(v->modules);
    free(v->kernels);
    free(v);
}

static cu_function find_function(const device *v, const char *name) {
    cu_function found = NULL;
    for (uint32_t k = 0; k < v->n_modules && !found; k++)
        if (v->driver->module_function(&found, v->modules[k], name)) found = NULL;
    return found;
}

static litz_status device_fill(device *v, const lx_program *program, const code *c, lx_error e) {
    const driver *d = v->driver;
    opened_device *opened;
    litz_status status = open_process_device(d, v->index, &opened, e);
    if (status) return status;
    v->number = opened->number;
    v->stream = opened->stream;
    CUDA(d->push(opened->context), "entering the device's context");
    v->context = opened->context;
    cu_result code = 0;
    for (uint32_t k = 0; !status && k < program->n_cubins; k++) {
        code = d->module_load(&v->modules[k], program->cubins[k].data);
        if (code) {
            int major = 0, minor = 0;
            d->attribute(&major, CU_ATTRIBUTE_MAJOR, v->number);
            d->attribute(&minor, CU_ATTRIBUTE_MINOR, v->number);
            status = cuda_fail(d, code, "loading the program's kernels", e);
            if (e.text && e.size) {
                size_t at = strlen(e.text);
                snprintf(e.text + at, e.size - at, "; this GPU is of compute capability %d.%d", major, minor);
            }
        } else {
            v->n_modules = k + 1;
        }
    }
    for (uint32_t k = 0; !status && k < c->n_kernels; k++) {
        v->kernels[k] = find_function(v, text_of(c, c->kernels[k]));
        if (!v->kernels[k])
            status = fail(e, LITZ_ERROR_INTERNAL, "the program's cubins lack kernel `%s`", text_of(c, c->kernels[k]));
    }
    if (!status && !(v->copy_strided = find_function(v, "litz_copy_strided")))
        status = fail(e, LITZ_ERROR_INTERNAL, "the program's cubins lack the copy between layouts");
    v->records = program->flags & LX_PROGRAM_GRAPHS;
    for (uint32_t k = 0; k < c->n_main; k++)
        if (c->main[k].kind != LX_STEP_KERNEL && c->main[k].kind != LX_STEP_COPY) v->records = false;
    cu_context popped;
    d->pop(&popped);
    return status;
}

static litz_status device_open(const lx_program *program, const code *c, device **out, lx_error e) {
    const driver *d;
    litz_status status = driver_open(&d, e);
    if (status) return status;
    device *v = calloc(1, sizeof *v);
    if (v) {
        v->driver = d;
        v->index = program->device_index;
        v->modules = calloc(program->n_cubins + 1u, sizeof *v->modules);
        v->kernels = calloc(c->n_kernels + 1u, sizeof *v->kernels);
    }
    if (!v || !v->modules || !v->kernels)
        status = fail(e, LITZ_ERROR_OUT_OF_MEMORY, "there is no memory for a device's tables");
    else status = device_fill(v, program, c, e);
    if (status) device_close(v);
    else *out = v;
    return status;
}

static void context_push(const device *v) { v->driver->push(v->context); }
static void context_pop(const device *v) {
    cu_context popped;
    v->driver->pop(&popped);
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

static litz_status device_launch(const device *v, uint32_t kernel, void **arguments, int64_t blocks, int64_t threads,
                                 int64_t shared, cu_stream stream, const char *name, lx_error e) {
    const driver *d = v->driver;
    if (blocks <= 0) return LITZ_OK;
    if (blocks > INT32_MAX || threads < 1 || threads > 1024 || shared < 0 || shared > INT32_MAX)
        return fail(e, LITZ_ERROR_SHAPE, "kernel `%s` would need %lld blocks of %lld threads with %lld bytes", name,
                    (long long)blocks, (long long)threads, (long long)shared);
    if (shared > 48 << 10) d->function_set(v->kernels[kernel], CU_FUNCTION_SHARED_BYTES, (int)shared);
    cu_result code = d->launch(v->kernels[kernel], (unsigned)blocks, 1, 1, (unsigned)threads, 1, 1, (unsigned)shared, stream,
                               arguments, NULL);
    if (code) return cuda_fail(d, code, name, e);
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
