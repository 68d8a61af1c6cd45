/*
 * A GPU as the process and a program hold it. The device's primary context is used, which the host's other CUDA code
 * shares; kernels are functions of cubins.
 */
#include "internal.h"

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
        if (c->main[k].kind != LX_STEP_KERNEL && c->main[k].kind != LX_STEP_COPY && c->main[k].kind != LX_STEP_ROUTINE)
            v->records = false;
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
