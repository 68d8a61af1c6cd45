/*
 * Matrix products by cuBLASLt, which is opened when the first program that has such a step is created. The library
 * counts matrices column by column: the result's rows are its columns, so that the right operand comes first.
 *
 * What a step needs (descriptions, the library's choice of an algorithm) is made when its sizes are first seen in a
 * frame and kept: a later run of these sizes makes one call and allocates nothing.
 */
#include "internal.h"

typedef vendor_status lt_status;
typedef void *lt_handle;
typedef struct lt_description_ *lt_description;
typedef struct lt_layout_ *lt_layout;
typedef struct lt_preference_ *lt_preference;

typedef struct lt_algorithm {
    uint64_t words[8];
} lt_algorithm;

typedef struct lt_found {
    lt_algorithm algorithm;
    size_t workspace;
    lt_status status;
    float waves;
    int reserved[4];
} lt_found;

/* The library's functions, under the names that it exports. */
#define LX_CUBLASLT_FUNCTIONS(X)                                                                                      \
    X(create, "cublasLtCreate", (void **))                                                                            \
    X(description_create, "cublasLtMatmulDescCreate", (lt_description *, int, int))                                   \
    X(description_destroy, "cublasLtMatmulDescDestroy", (lt_description))                                             \
    X(description_set, "cublasLtMatmulDescSetAttribute", (lt_description, int, const void *, size_t))                 \
    X(layout_create, "cublasLtMatrixLayoutCreate", (lt_layout *, int, uint64_t, uint64_t, int64_t))                   \
    X(layout_destroy, "cublasLtMatrixLayoutDestroy", (lt_layout))                                                     \
    X(layout_set, "cublasLtMatrixLayoutSetAttribute", (lt_layout, int, const void *, size_t))                         \
    X(preference_create, "cublasLtMatmulPreferenceCreate", (lt_preference *))                                         \
    X(preference_destroy, "cublasLtMatmulPreferenceDestroy", (lt_preference))                                         \
    X(preference_set, "cublasLtMatmulPreferenceSetAttribute", (lt_preference, int, const void *, size_t))             \
    X(find, "cublasLtMatmulAlgoGetHeuristic",                                                                         \
      (lt_handle, lt_description, lt_layout, lt_layout, lt_layout, lt_layout, lt_preference, int, lt_found *, int *)) \
    X(multiply, "cublasLtMatmul",                                                                                     \
      (lt_handle, lt_description, const void *, const void *, lt_layout, const void *, lt_layout, const void *,       \
       const void *, lt_layout, void *, lt_layout, const lt_algorithm *, void *, size_t, cu_stream))

/* What was timed of a product. */
typedef struct product_choice {
    int32_t device;
    lx_product parameters;
    uint32_t alignment[LX_N_PRODUCT_OPERANDS];
    lt_algorithm algorithm;
    uint64_t workspace;
} product_choice;

/* As many different products are remembered. */
#define LT_TIMED 512

typedef struct cublaslt {
    vendor_library library;
    LX_CUBLASLT_FUNCTIONS(VENDOR_MEMBER)
    product_choice *timed; /* under the lock of choices; up to LT_TIMED */
    size_t n_timed;
} cublaslt;

enum {
    LT_FLOAT32 = 0, /* as vendor_type has it */
    LT_FLOAT64 = 1,
    LT_BFLOAT16 = 14,
    LT_COMPUTE_32 = 68,
    LT_COMPUTE_64 = 70,
    LT_COMPUTE_TF32 = 77,
    LT_TRANSPOSE_A = 3,
    LT_TRANSPOSE_B = 4,
    LT_EPILOGUE = 7,
    LT_BIAS_POINTER = 8,
    LT_EPILOGUE_NONE = 1,
    LT_EPILOGUE_RELU = 2,
    LT_EPILOGUE_BIAS = 4,
    LT_EPILOGUE_GELU = 32,
    LT_BATCH_COUNT = 5,
    LT_BATCH_STRIDE = 6,
    LT_MOST_WORKSPACE = 1,
    LT_REDUCTION_SCHEMES = 3,
    LT_ALIGNMENT_A = 5,
    LT_REDUCE_IN_PLACE = 1,
    LT_REDUCE_AS_COMPUTED = 2
};

/* As many algorithms are asked for; a step says which of them it takes. */
#define LT_CHOICES 8

static const char *const lt_kind_files[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"};
VENDOR_KIND(lt_kind, cublaslt, LX_CUBLASLT_FUNCTIONS, .name = "cuBLASLt", .option = "cuda.cublaslt", .version = "12", .no_memory = {3, 3});

static int lt_type(int64_t dtype) { return vendor_type(dtype, LT_BFLOAT16); }

/* What a frame keeps of a step. */
typedef struct product_state {
    bool ready;
    lx_product parameters;
    uint32_t alignment[LX_N_PRODUCT_OPERANDS];
    lt_description description;
    lt_layout right, left, result, addend;
    lt_algorithm algorithm;
    uint64_t workspace;
} product_state;

static void product_forget(const cublaslt *lt, product_state *p) {
    if (p->description) lt->description_destroy(p->description);
    lt_layout *const layouts[] = {&p->right, &p->left, &p->result, &p->addend};
    for (size_t k = 0; k < 4; k++) {
        if (*layouts[k]) lt->layout_destroy(*layouts[k]);
        *layouts[k] = NULL;
    }
    p->description = NULL;
    p->ready = false;
}

/* Whether the elements that a matrix's offset, batch stride, row stride and sizes reach lie within the buffer. */
static bool matrix_fits(uint64_t room, int64_t item, int64_t offset, int64_t batch, int64_t batch_stride, int64_t rows, int64_t stride,
                        int64_t columns) {
    int64_t last, step;
    if (offset < 0 || batch_stride < 0 || stride < columns || batch < 1 || rows < 1 || columns < 1) return false;
    if (__builtin_mul_overflow(batch - 1, batch_stride, &last) || __builtin_mul_overflow(rows - 1, stride, &step)) return false;
    if (__builtin_add_overflow(last, step, &last) || __builtin_add_overflow(last, offset, &last)) return false;
    if (__builtin_add_overflow(last, columns, &last) || __builtin_mul_overflow(last, item, &last)) return false;
    return (uint64_t)last <= room;
}

static bool operand_fits(const lx_product *v, const lx_matrix *at, uint64_t room, int64_t item, int64_t rows) {
    int64_t depth = v->depth;
    return matrix_fits(room, item, at->offset, v->batch, at->batch_stride, at->turned ? depth : rows, at->stride, at->turned ? rows : depth);
}

static bool result_fits(const lx_product *v, const lx_matrix *at, uint64_t room, int64_t item) {
    return matrix_fits(room, item, at->offset, v->batch, at->batch_stride, v->rows, at->stride, v->columns);
}

static bool product_fits(const lx_product *v, const uint64_t *rooms) {
    int64_t item = dtype_of((int32_t)v->dtype).size, own = dtype_of((int32_t)v->result_dtype).size;
    if (!operand_fits(v, &v->left, rooms[LX_PRODUCT_LEFT], item, v->rows) ||
        !operand_fits(v, &v->right, rooms[LX_PRODUCT_RIGHT], item, v->columns) ||
        !result_fits(v, &v->result, rooms[LX_PRODUCT_RESULT], own))
        return false;
    if (v->has_bias && !matrix_fits(rooms[LX_PRODUCT_BIAS], own, v->bias, 1, 0, 1, v->columns, v->columns)) return false;
    return !v->has_addend || result_fits(v, &v->addend, rooms[LX_PRODUCT_ADDEND], own);
}

static lt_status matrix_layout(const cublaslt *lt, lt_layout *out, int type, int64_t rows, int64_t columns, int64_t stride, int64_t batch,
                           int64_t batch_stride) {
    /* A matrix of one column has no stride of its own. */
    if (stride < rows) stride = rows;
    lt_status code = lt->layout_create(out, type, (uint64_t)rows, (uint64_t)columns, stride);
    if (batch > INT32_MAX) return 7; /* an invalid value, as the library numbers it */
    int32_t count = (int32_t)batch;
    if (!code && batch > 1) code = lt->layout_set(*out, LT_BATCH_COUNT, &count, sizeof count);
    if (!code && batch > 1) code = lt->layout_set(*out, LT_BATCH_STRIDE, &batch_stride, sizeof batch_stride);
    return code;
}

/* An operand: its neighbours are along the depth, or along its rows where it is turned. */
static lt_status operand_layout(const cublaslt *lt, lt_layout *out, const lx_product *v, const lx_matrix *at, int64_t rows) {
    int64_t depth = v->depth;
    return matrix_layout(lt, out, lt_type(v->dtype), at->turned ? rows : depth, at->turned ? depth : rows, at->stride, v->batch,
                     at->batch_stride);
}

static lt_status product_describe(const cublaslt *lt, product_state *p) {
    static const int32_t activations[LX_N_ACTIVATIONS] = {[LX_ACTIVATION_RELU] = LT_EPILOGUE_RELU, [LX_ACTIVATION_GELUTANH] = LT_EPILOGUE_GELU};
    const lx_product *v = &p->parameters;
    int type = lt_type(v->dtype), own = lt_type(v->result_dtype);
    int compute = type == LT_FLOAT64 ? LT_COMPUTE_64 : type == LT_FLOAT32 && v->tf32 ? LT_COMPUTE_TF32 : LT_COMPUTE_32;
    int32_t turn_right = !v->right.turned, turn_left = v->left.turned != 0;
    if (v->activation < 0 || v->activation >= LX_N_ACTIVATIONS) return 7; /* an invalid value, as the library numbers it */
    int32_t epilogue = activations[v->activation];
    if (v->has_bias) epilogue |= LT_EPILOGUE_BIAS;
    if (!epilogue) epilogue = LT_EPILOGUE_NONE;
    /* What is not there lies as the result does. */
    const lx_matrix *to = &v->result, *from = v->has_addend ? &v->addend : to;
    lt_status code = lt->description_create(&p->description, compute, type == LT_FLOAT64 ? LT_FLOAT64 : LT_FLOAT32);
    if (!code) code = lt->description_set(p->description, LT_TRANSPOSE_A, &turn_right, sizeof turn_right);
    if (!code) code = lt->description_set(p->description, LT_TRANSPOSE_B, &turn_left, sizeof turn_left);
    if (!code) code = lt->description_set(p->description, LT_EPILOGUE, &epilogue, sizeof epilogue);
    if (!code) code = operand_layout(lt, &p->right, v, &v->right, v->columns);
    if (!code) code = operand_layout(lt, &p->left, v, &v->left, v->rows);
    if (!code) code = matrix_layout(lt, &p->result, own, v->columns, v->rows, to->stride, v->batch, to->batch_stride);
    if (!code) code = matrix_layout(lt, &p->addend, own, v->columns, v->rows, from->stride, v->batch, from->batch_stride);
    return code;
}

static void product_take(product_state *p, const lt_found *found) {
    p->algorithm = found->algorithm;
    p->workspace = found->workspace;
}

/* The algorithm: the library's first choice; all that it offers are left in `found`. */
static lt_status product_choose(const cublaslt *lt, lt_handle handle, product_state *p, uint64_t room, lt_found *found, int *n_found) {
    lt_preference preference = NULL;
    uint64_t most = room;
    /* Sums of parts are added in the dtype that they are computed in, not rounded in between. */
    uint32_t schemes = LT_REDUCE_IN_PLACE | LT_REDUCE_AS_COMPUTED;
    const uint32_t alignment[] = {p->alignment[LX_PRODUCT_RIGHT], p->alignment[LX_PRODUCT_LEFT], p->alignment[LX_PRODUCT_ADDEND],
                                  p->alignment[LX_PRODUCT_RESULT]};
    lt_status code = lt->preference_create(&preference);
    if (!code) code = lt->preference_set(preference, LT_MOST_WORKSPACE, &most, sizeof most);
    if (!code) code = lt->preference_set(preference, LT_REDUCTION_SCHEMES, &schemes, sizeof schemes);
    for (int k = 0; !code && k < 4; k++)
        code = lt->preference_set(preference, LT_ALIGNMENT_A + k, &alignment[k], sizeof alignment[k]);
    int count = 0, good = 0;
    memset(found, 0, LT_CHOICES * sizeof *found);
    if (!code)
        code = lt->find(handle, p->description, p->right, p->left, p->addend, p->result, preference, LT_CHOICES, found, &count);
    for (int k = 0; !code && k < count; k++)
        if (!found[k].status && found[k].workspace <= room) found[good++] = found[k];
    if (preference) lt->preference_destroy(preference);
    if (code || !good) return code ? code : 15; /* not supported, as the library numbers it */
    *n_found = good;
    product_take(p, &found[0]);
    return 0;
}

static uint32_t alignment_of(const void *data) {
    uintptr_t at = (uintptr_t)data;
    return at % 256 == 0 ? 256 : (uint32_t)(at & -at);
}

/* Frames make it when a step first runs. */
typedef struct product_call {
    cublaslt *lt;
    int32_t device;
    cu_stream stream;
    void *const *memory;    /* of each buffer */
    const uint64_t *rooms;
    const lx_product *parameters;
    uint64_t room; /* bytes of the workspace, at most */
} product_call;

/* Makes `p` fit the parameters and the alignment of the buffers' memory; whether a workspace is needed is in it then. Where
 * it did not fit before, the algorithms that there are to choose from are left in `found`. */
static litz_status product_prepare(const product_call *call, product_state *p, lt_found *found, int *n_found, lx_error e) {
    const lx_product *v = call->parameters;
    cublaslt *lt = call->lt;
    int64_t items[LX_N_PRODUCT_OPERANDS];
    const int64_t offsets[LX_N_PRODUCT_OPERANDS] = {v->left.offset, v->right.offset, v->result.offset, v->bias, v->addend.offset};
    uint32_t alignment[LX_N_PRODUCT_OPERANDS];
    for (int k = 0; k < LX_N_PRODUCT_OPERANDS; k++) {
        items[k] = dtype_of((int32_t)(k < LX_PRODUCT_RESULT ? v->dtype : v->result_dtype)).size;
        alignment[k] = alignment_of((const uint8_t *)call->memory[k] + offsets[k] * items[k]);
    }
    if (p->ready && !memcmp(&p->parameters, v, sizeof p->parameters) && !memcmp(p->alignment, alignment, sizeof alignment)) return LITZ_OK;
    product_forget(lt, p);
    if (!product_fits(v, call->rooms))
        return fail(e, LITZ_ERROR_INTERNAL, "a matrix product of %lld x %lld x %lld reaches beyond its buffers",
                    (long long)v->rows, (long long)v->columns, (long long)v->depth);
    lt_handle handle;
    litz_status status = vendor_handle(&lt->library, call->device, &handle, e);
    if (status) return status;
    p->parameters = *v;
    memcpy(p->alignment, alignment, sizeof alignment);
    lt_status code = product_describe(lt, p);
    if (!code) code = product_choose(lt, handle, p, call->room, found, n_found);
    if (code) {
        product_forget(lt, p);
        char what[160];
        snprintf(what, sizeof what, "an algorithm for a matrix product of %lld x %lld x %lld (compile with `artifact.vendor` off)",
                 (long long)v->rows, (long long)v->columns, (long long)v->depth);
        return vendor_fail(&lt_kind, code, what, e);
    }
    p->ready = true;
    return LITZ_OK;
}

static litz_status product_run(const product_call *call, product_state *p, void *workspace, lx_error e) {
    const lx_product *v = call->parameters;
    cublaslt *lt = call->lt;
    int64_t item = dtype_of((int32_t)v->dtype).size, own = dtype_of((int32_t)v->result_dtype).size;
    const uint8_t *left = (const uint8_t *)call->memory[LX_PRODUCT_LEFT] + v->left.offset * item;
    const uint8_t *right = (const uint8_t *)call->memory[LX_PRODUCT_RIGHT] + v->right.offset * item;
    uint8_t *result = (uint8_t *)call->memory[LX_PRODUCT_RESULT] + v->result.offset * own;
    const uint8_t *addend = result;
    if (v->has_addend) addend = (const uint8_t *)call->memory[LX_PRODUCT_ADDEND] + v->addend.offset * own;
    lt_status code = 0;
    if (v->has_bias) {
        const uint8_t *bias = (const uint8_t *)call->memory[LX_PRODUCT_BIAS] + v->bias * own;
        code = lt->description_set(p->description, LT_BIAS_POINTER, &bias, sizeof bias);
    }
    double factors[2] = {float_of(v->alpha), v->has_addend ? float_of(v->beta) : 0};
    float narrow[2] = {(float)factors[0], (float)factors[1]};
    bool wide = v->dtype == 8;
    const void *alpha = wide ? (const void *)&factors[0] : &narrow[0], *beta = wide ? (const void *)&factors[1] : &narrow[1];
    if (!code)
        code = lt->multiply(lt->library.handles[call->device], p->description, alpha, right, p->right, left, p->left, beta, addend, p->addend,
                            result, p->result, &p->algorithm, workspace, p->workspace, call->stream);
    return code ? vendor_fail(&lt_kind, code, "a matrix product", e) : LITZ_OK;
}

static bool product_chosen(const product_choice *c, const product_call *call, const product_state *p) {
    return c->device == call->device && !memcmp(&c->parameters, &p->parameters, sizeof c->parameters) &&
           !memcmp(c->alignment, p->alignment, sizeof c->alignment);
}

/* What any program's step timed of such a product. */
static const product_choice *product_timed(const product_call *call, const product_state *p) {
    const cublaslt *lt = call->lt;
    for (size_t k = 0; k < lt->n_timed; k++)
        if (product_chosen(&lt->timed[k], call, p)) return &lt->timed[k];
    return NULL;
}

/* The choice as it is to be remembered, by all where there is room. */
static product_choice product_keep(const product_call *call, const product_state *p) {
    product_choice choice = {.device = call->device, .parameters = p->parameters, .algorithm = p->algorithm, .workspace = p->workspace};
    memcpy(choice.alignment, p->alignment, sizeof choice.alignment);
    cublaslt *lt = call->lt;
    if (!lt->timed) lt->timed = calloc(LT_TIMED, sizeof *lt->timed);
    if (lt->timed && lt->n_timed < LT_TIMED && !product_timed(call, p)) lt->timed[lt->n_timed++] = choice;
    return choice;
}

#define MEASURED_ROUNDS 3
/* Runs of one round: few, more of what is over soon, so that one takes some tenths of a millisecond. */
#define MEASURED_RUNS 4
#define MEASURED_MOST 40
#define MEASURED_MS 0.4f
/* The library's first choice is left for one that takes less than this part of its time: clocks differ from round to round. */
#define MEASURED_LEAD 0.98f

/* Takes the algorithm that is the fastest here and now; all of them leave the same result. They take turns, so that a chip
 * that gets warm is no one's fault; the first of a round's runs loads the kernel. */
static litz_status product_measure(const driver *d, const product_call *call, product_state *p, const lt_found *found, int n_found,
                                   void *workspace, lx_error e) {
    cu_event begin = NULL, end = NULL;
    litz_status status = LITZ_OK;
    cu_result code = d->event_create(&begin, 0);
    if (!code) code = d->event_create(&end, 0);
    float least[LT_CHOICES] = {0};
    bool failed[LT_CHOICES] = {false};
    int best = 0, runs = MEASURED_RUNS;
    for (int k = 0; !status && !code && k < MEASURED_ROUNDS * n_found; k++) {
        float taken = 0, *own = &least[k % n_found];
        if (failed[k % n_found]) continue;
        product_take(p, &found[k % n_found]);
        /* One that fails when it is tried is not taken. */
        if (product_run(call, p, workspace, (lx_error){NULL, 0})) {
            failed[k % n_found] = true;
            continue;
        }
        code = d->event_record(begin, call->stream);
        for (int n = 0; !status && n < runs; n++) status = product_run(call, p, workspace, e);
        if (!code) code = d->event_record(end, call->stream);
        if (!code) code = d->stream_synchronize(call->stream);
        if (!code) code = d->event_elapsed(&taken, begin, end);
        taken /= (float)runs;
        if (!k && taken > 0) {
            float wanted = MEASURED_MS / taken;
            runs = wanted > MEASURED_MOST ? MEASURED_MOST : wanted > MEASURED_RUNS ? (int)wanted : MEASURED_RUNS;
        }
        if (*own == 0 || taken < *own) *own = taken;
    }
    for (int k = 1; k < n_found; k++) {
        float lead = best || failed[0] ? 1.0f : MEASURED_LEAD;
        if (!failed[k] && (failed[best] || least[k] < least[best] * lead)) best = k;
    }
    product_take(p, &found[best]);
    if (begin) d->event_destroy(begin);
    if (end) d->event_destroy(end);
    return status ? status : code ? cuda_fail(d, code, "timing a matrix product", e) : LITZ_OK;
}
