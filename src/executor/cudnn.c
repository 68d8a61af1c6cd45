/*
 * Convolutions by cuDNN, which is opened when the first program that has such a step is created.
 *
 * What a step needs (descriptions, the library's choice of an algorithm) is made when its sizes are first seen in a frame
 * and kept. A handle has the stream of one call at a time: the calls of a device take turns, which costs them nothing but the
 * time that it takes to enqueue.
 */
#include "internal.h"

typedef vendor_status dnn_status;
typedef void *dnn_handle;
typedef struct dnn_tensor_ *dnn_tensor;
typedef struct dnn_filter_ *dnn_filter;
typedef struct dnn_convolution_ *dnn_convolution;

typedef struct dnn_found {
    int algorithm;
    dnn_status status;
    float time;
    size_t workspace;
    int deterministic, math, reserved[3];
} dnn_found;

/* The library's functions, under the names that it exports. */
#define LX_CUDNN_FUNCTIONS(X)                                                                                               \
    X(create, "cudnnCreate", (void **))                                                                                     \
    X(set_stream, "cudnnSetStream", (dnn_handle, cu_stream))                                                                \
    X(tensor_create, "cudnnCreateTensorDescriptor", (dnn_tensor *))                                                         \
    X(tensor_destroy, "cudnnDestroyTensorDescriptor", (dnn_tensor))                                                         \
    X(tensor_set, "cudnnSetTensor4dDescriptor", (dnn_tensor, int, int, int, int, int, int))                                 \
    X(filter_create, "cudnnCreateFilterDescriptor", (dnn_filter *))                                                         \
    X(filter_destroy, "cudnnDestroyFilterDescriptor", (dnn_filter))                                                         \
    X(filter_set, "cudnnSetFilter4dDescriptor", (dnn_filter, int, int, int, int, int, int))                                 \
    X(convolution_create, "cudnnCreateConvolutionDescriptor", (dnn_convolution *))                                          \
    X(convolution_destroy, "cudnnDestroyConvolutionDescriptor", (dnn_convolution))                                          \
    X(convolution_set, "cudnnSetConvolution2dDescriptor", (dnn_convolution, int, int, int, int, int, int, int, int))         \
    X(convolution_groups, "cudnnSetConvolutionGroupCount", (dnn_convolution, int))                                          \
    X(convolution_math, "cudnnSetConvolutionMathType", (dnn_convolution, int))                                              \
    X(find, "cudnnGetConvolutionForwardAlgorithm_v7",                                                                       \
      (dnn_handle, dnn_tensor, dnn_filter, dnn_convolution, dnn_tensor, int, int *, dnn_found *))                           \
    X(convolve, "cudnnConvolutionForward",                                                                                  \
      (dnn_handle, const void *, dnn_tensor, const void *, dnn_filter, const void *, dnn_convolution, int, void *, size_t,   \
       const void *, dnn_tensor, void *))

typedef struct cudnn {
    vendor_library library;
    LX_CUDNN_FUNCTIONS(VENDOR_MEMBER)
} cudnn;

enum {
    DNN_FLOAT32 = 0, /* as vendor_type has it */
    DNN_BFLOAT16 = 9,
    DNN_NCHW = 0,
    DNN_NHWC = 1,
    DNN_CROSS_CORRELATION = 1,
    DNN_MATH_ANY = 0, /* float32 may be rounded to TF32 */
    DNN_MATH_TENSOR = 1,
    DNN_MATH_FMA = 3,
    DNN_ALGORITHMS = 8
};


static const char *const dnn_kind_files[] = {"libcudnn.so.9", "libcudnn.so"};
VENDOR_KIND(dnn_kind, cudnn, LX_CUDNN_FUNCTIONS, .name = "cuDNN", .option = "cuda.cudnn", .version = "9", .no_memory = {2, 2000});

/* Over handles, each with the stream of one call. */
static pthread_mutex_t dnn_lock = PTHREAD_MUTEX_INITIALIZER;

/* What a frame keeps of a step. */
typedef struct convolution_state {
    bool ready;
    lx_convolution parameters;
    dnn_tensor input, result;
    dnn_filter weight;
    dnn_convolution description;
    int algorithm;
    uint64_t workspace;
} convolution_state;

static void convolution_forget(const cudnn *dnn, convolution_state *p) {
    if (p->input) dnn->tensor_destroy(p->input);
    if (p->result) dnn->tensor_destroy(p->result);
    if (p->weight) dnn->filter_destroy(p->weight);
    if (p->description) dnn->convolution_destroy(p->description);
    memset(p, 0, sizeof *p);
}

static int dnn_type(int64_t dtype) { return vendor_type(dtype, DNN_BFLOAT16); }

/* Whether a contiguous tensor from an offset on lies within the buffer. */
static bool tensor_fits(uint64_t room, int64_t item, int64_t offset, const int64_t *sizes) {
    uint64_t bytes = (uint64_t)item, begin;
    if (offset < 0 || !mul_u64((uint64_t)offset, (uint64_t)item, &begin)) return false;
    for (int k = 0; k < 4; k++)
        if (sizes[k] < 1 || sizes[k] > INT32_MAX || !mul_u64(bytes, (uint64_t)sizes[k], &bytes)) return false;
    return add_u64(begin, bytes, &bytes) && bytes <= room;
}

/* The sizes of the tensors, and whether they are those of a convolution within its buffers. */
static bool convolution_fits(const lx_convolution *v, const uint64_t *rooms, int64_t (*sizes)[4]) {
    int64_t item = dtype_of((int32_t)v->dtype).size, groups = v->groups;
    if (groups < 1 || dnn_type(v->dtype) < 0) return false;
    int64_t *input = sizes[0], *weight = sizes[1], *result = sizes[2];
    memcpy(input, v->input_sizes, sizeof v->input_sizes);
    memcpy(weight, v->weight_sizes, sizeof v->weight_sizes);
    if (weight[0] % groups || weight[1] > INT32_MAX / groups || weight[1] * groups != input[1]) return false;
    result[0] = input[0];
    result[1] = weight[0];
    for (int d = 0; d < 2; d++) {
        int64_t stride = v->stride[d], padding = v->padding[d], dilation = v->dilation[d];
        if (stride < 1 || stride > INT32_MAX || padding < 0 || padding > INT32_MAX || dilation < 1 || dilation > INT32_MAX) return false;
        if (input[2 + d] > INT32_MAX || weight[2 + d] < 1 || weight[2 + d] > INT32_MAX) return false;
        int64_t room = input[2 + d] + 2 * padding - dilation * (weight[2 + d] - 1) - 1;
        if (room < 0) return false;
        result[2 + d] = room / stride + 1;
    }
    return tensor_fits(rooms[0], item, v->input, input) && tensor_fits(rooms[1], item, v->weight, weight) &&
           tensor_fits(rooms[2], item, v->result, result);
}

static dnn_status convolution_describe(const cudnn *dnn, convolution_state *p, int64_t (*sizes)[4]) {
    const lx_convolution *v = &p->parameters;
    const int64_t *input = sizes[0], *weight = sizes[1], *result = sizes[2];
    int type = dnn_type(v->dtype), order = v->last ? DNN_NHWC : DNN_NCHW;
    bool halves = dtype_of((int32_t)v->dtype).size == 2;
    int math = halves ? DNN_MATH_TENSOR : type == DNN_FLOAT32 && v->tf32 ? DNN_MATH_ANY : DNN_MATH_FMA;
    const int64_t *pad = v->padding, *stride = v->stride, *dilation = v->dilation;
    dnn_status code = dnn->tensor_create(&p->input);
    if (!code) code = dnn->tensor_create(&p->result);
    if (!code) code = dnn->filter_create(&p->weight);
    if (!code) code = dnn->convolution_create(&p->description);
    if (!code) code = dnn->tensor_set(p->input, order, type, (int)input[0], (int)input[1], (int)input[2], (int)input[3]);
    if (!code) code = dnn->filter_set(p->weight, type, order, (int)weight[0], (int)weight[1], (int)weight[2], (int)weight[3]);
    if (!code) code = dnn->tensor_set(p->result, order, type, (int)result[0], (int)result[1], (int)result[2], (int)result[3]);
    if (!code)
        code = dnn->convolution_set(p->description, (int)pad[0], (int)pad[1], (int)stride[0], (int)stride[1], (int)dilation[0],
                                    (int)dilation[1], DNN_CROSS_CORRELATION, halves ? DNN_FLOAT32 : type);
    if (!code) code = dnn->convolution_groups(p->description, (int)v->groups);
    if (!code) code = dnn->convolution_math(p->description, math);
    return code;
}

/* The first of the library's choices that leaves the same result every time and has room for what it works in. */
static dnn_status convolution_choose(const cudnn *dnn, dnn_handle handle, convolution_state *p, uint64_t room) {
    dnn_found found[DNN_ALGORITHMS];
    int n = 0;
    dnn_status code = dnn->find(handle, p->input, p->weight, p->description, p->result, DNN_ALGORITHMS, &n, found);
    for (int k = 0; !code && k < n; k++) {
        if (found[k].status || !found[k].deterministic || found[k].workspace > room) continue;
        /* What it rounds its operands to is part of a choice, but where nothing may be rounded. */
        bool exact = p->parameters.dtype == 7 && !p->parameters.tf32;
        if (!exact && (code = dnn->convolution_math(p->description, found[k].math))) return code;
        p->algorithm = found[k].algorithm;
        p->workspace = found[k].workspace;
        return 0;
    }
    return code ? code : 9; /* not supported */
}

/* Frames make it when a step first runs. */
typedef struct convolution_call {
    cudnn *dnn;
    int32_t device;
    cu_stream stream;
    void *const *memory; /* input, weight, result */
    const uint64_t *rooms;
    const lx_convolution *parameters;
    uint64_t room; /* bytes of the workspace, at most */
} convolution_call;

static litz_status convolution_make(const convolution_call *call, convolution_state *p, dnn_handle handle, lx_error e) {
    const lx_convolution *v = call->parameters;
    int64_t sizes[3][4];
    convolution_forget(call->dnn, p);
    if (!convolution_fits(v, call->rooms, sizes))
        return fail(e, LITZ_ERROR_INTERNAL, "a convolution of %lld images of %lld x %lld reaches beyond its buffers",
                    (long long)v->input_sizes[0], (long long)v->input_sizes[2],
                    (long long)v->input_sizes[3]);
    p->parameters = *v;
    dnn_status code = convolution_describe(call->dnn, p, sizes);
    if (!code) code = convolution_choose(call->dnn, handle, p, call->room);
    if (code) {
        convolution_forget(call->dnn, p);
        char what[160];
        snprintf(what, sizeof what, "an algorithm for a convolution of %lld images of %lld x %lld (compile with `artifact.vendor` off)",
                 (long long)v->input_sizes[0], (long long)v->input_sizes[2],
                 (long long)v->input_sizes[3]);
        return vendor_fail(&dnn_kind, code, what, e);
    }
    p->ready = true;
    return LITZ_OK;
}

/* `workspace` gives memory of `room` bytes where the algorithm needs some. */
static litz_status convolution_run(const convolution_call *call, convolution_state *p, void *workspace, lx_error e) {
    const lx_convolution *v = call->parameters;
    cudnn *dnn = call->dnn;
    dnn_handle handle;
    litz_status status = vendor_handle(&dnn->library, call->device, &handle, e);
    if (status) return status;
    pthread_mutex_lock(&dnn_lock);
    dnn_status code = dnn->set_stream(handle, call->stream);
    if (code) status = vendor_fail(&dnn_kind, code, "the choice of a stream", e);
    if (!status && (!p->ready || memcmp(&p->parameters, v, sizeof p->parameters))) status = convolution_make(call, p, handle, e);
    if (!status) {
        int64_t item = dtype_of((int32_t)v->dtype).size;
        double wide[2] = {1, 0};
        float narrow[2] = {1, 0};
        bool is_wide = v->dtype == 8;
        const void *one = is_wide ? (const void *)&wide[0] : &narrow[0], *none = is_wide ? (const void *)&wide[1] : &narrow[1];
        code = dnn->convolve(handle, one, p->input, (const uint8_t *)call->memory[0] + v->input * item, p->weight,
                             (const uint8_t *)call->memory[1] + v->weight * item, p->description, p->algorithm,
                             p->workspace ? workspace : NULL, p->workspace, none, p->result,
                             (uint8_t *)call->memory[2] + v->result * item);
        if (code) status = vendor_fail(&dnn_kind, code, "a convolution", e);
    }
    pthread_mutex_unlock(&dnn_lock);
    return status;
}
