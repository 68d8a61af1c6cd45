/* Plans put together by hand, in the executor's flat form. */
#ifndef LITZ_TEST_PLANS_H
#define LITZ_TEST_PLANS_H

#include "../../src/executor/internal.h"

typedef struct builder {
    _Alignas(8) uint8_t bytes[32768];
    uint32_t at;
    lx_plan plan;
    lx_symbol symbols[8];
    lx_scalar scalars[256];
    lx_tensor inputs[8], outputs[8];
    lx_storage storages[4];
    lx_constant_info constants[4];
    lx_buffer buffers[32];
    lx_kernel kernels[8];
    lx_span assertions[4];
    lx_step init[8], main[64];
    uint32_t n_symbols, n_scalars, n_inputs, n_outputs, n_storages, n_constants, n_buffers, n_kernels, n_assertions, n_init, n_main;
} builder;

static lx_span put(builder *b, const void *data, uint32_t count, uint32_t item) {
    b->at = (b->at + 7) / 8 * 8;
    lx_span s = {b->at, count};
    memcpy(b->bytes + b->at, data, (size_t)count * item);
    b->at += count * item;
    return s;
}
static lx_span put_text(builder *b, const char *text) {
    lx_span s = put(b, text, (uint32_t)strlen(text) + 1, 1);
    s.count--;
    return s;
}
static uint32_t scalar(builder *b, uint32_t op, uint32_t x, uint32_t y, int64_t value) {
    b->scalars[b->n_scalars] = (lx_scalar){.op = op, .a = x, .b = y, .value = value};
    return b->n_scalars++;
}
static uint32_t number(builder *b, int64_t value) { return scalar(b, LX_CONSTANT, 0, 0, value); }
static uint32_t product(builder *b, uint32_t x, uint32_t y) { return scalar(b, LX_MUL, x, y, 0); }

static uint32_t symbol(builder *b, const char *name, uint32_t source, uint32_t input, int64_t most) {
    b->symbols[b->n_symbols] =
        (lx_symbol){.name = put_text(b, name), .max = most, .source = source, .input = input, .factor = 1};
    return scalar(b, LX_SYMBOL, b->n_symbols++, 0, 0);
}

/* An int32 tensor of one dimension, or a number of the host's (`size` LX_NONE); its buffer. */
static uint32_t tensor(builder *b, bool output, const char *name, uint32_t size, uint32_t flags) {
    uint32_t one = number(b, 1), bytes = size == LX_NONE ? one : product(b, size, number(b, 4)), rank = size != LX_NONE;
    int64_t least = 0, most = -1;
    lx_tensor t = {.name = put_text(b, name),
                   .dtype = size == LX_NONE ? 5 : 4,
                   .flags = flags,
                   .shape = put(b, &size, rank, 4),
                   .strides = put(b, &one, rank, 4),
                   .min_shape = put(b, &least, rank, 8),
                   .max_shape = put(b, &most, rank, 8)};
    uint32_t k = output ? b->n_outputs++ : b->n_inputs++;
    if (output) b->outputs[k] = t;
    else b->inputs[k] = t;
    if (size == LX_NONE) return LX_NONE;
    b->buffers[b->n_buffers] = (lx_buffer){.kind = output ? LX_BUFFER_OUTPUT : LX_BUFFER_INPUT, .index = k, .bytes = bytes};
    return b->n_buffers++;
}

static uint32_t constant(builder *b, const char *name, int64_t elements, bool mutated) {
    int64_t one = 1;
    uint32_t k = b->n_storages++;
    b->storages[k] = (lx_storage){.offset = 256 * (uint64_t)k, .bytes = 4 * (uint64_t)elements, .flags = mutated ? LX_TENSOR_MUTATED : 0};
    b->constants[b->n_constants++] = (lx_constant_info){.name = put_text(b, name),
                                                        .dtype = 4,
                                                        .shape = put(b, &elements, 1, 8),
                                                        .strides = put(b, &one, 1, 8),
                                                        .aliases = put(b, &one, 0, 8),
                                                        .storage = k};
    b->buffers[b->n_buffers] = (lx_buffer){.kind = LX_BUFFER_STORAGE, .index = k, .bytes = number(b, 4 * elements)};
    return b->n_buffers++;
}

static uint32_t buffer(builder *b, uint32_t kind, uint32_t index, uint32_t bytes) {
    b->buffers[b->n_buffers] = (lx_buffer){.kind = kind, .index = index, .bytes = bytes};
    return b->n_buffers++;
}

static uint32_t kernel(builder *b, const char *name) {
    b->kernels[b->n_kernels].symbol = put_text(b, name);
    return b->n_kernels++;
}

/* A step of up to three buffers (LX_NONE: no more) and up to two scalars. */
static lx_step call(builder *b, uint32_t kernel, uint32_t tasks, uint32_t x, uint32_t y, uint32_t z, uint32_t n, uint32_t m) {
    uint32_t buffers[] = {x, y, z}, scalars[] = {n, m};
    uint32_t n_buffers = z != LX_NONE ? 3 : y != LX_NONE ? 2 : x != LX_NONE ? 1 : 0;
    uint32_t n_scalars = m != LX_NONE ? 2 : n != LX_NONE ? 1 : 0;
    return (lx_step){.kind = LX_STEP_KERNEL,
                     .kernel = kernel,
                     .buffers = put(b, buffers, n_buffers, 4),
                     .scalars = put(b, scalars, n_scalars, 4),
                     .tasks = tasks,
                     .grain = number(b, 128),
                     .scratch = number(b, 0)};
}

static const void *finish(builder *b, const char *name) {
    lx_plan *p = &b->plan;
    p->magic = LX_PLAN_MAGIC;
    p->version = LX_PLAN_VERSION;
    p->name = put_text(b, name);
    p->metadata = put_text(b, "{}");
#define TABLE(field) p->field = put(b, b->field, b->n_##field, sizeof *b->field)
    TABLE(symbols);
    TABLE(scalars);
    TABLE(inputs);
    TABLE(outputs);
    TABLE(storages);
    TABLE(constants);
    TABLE(buffers);
    TABLE(kernels);
    TABLE(assertions);
    TABLE(init);
    TABLE(main);
#undef TABLE
    p->guards = put(b, b, 0, 8);
    p->maps = put(b, b, 0, 8);
    b->at = (b->at + 7) / 8 * 8;
    p->bytes = b->at;
    memcpy(b->bytes, p, sizeof *p);
    return b->bytes;
}

static void start(builder *b) {
    memset(b, 0, sizeof *b);
    b->at = sizeof(lx_plan);
    b->plan.arena_bytes = LX_NONE;
}

/* x, y of n elements, a number `by`, 16 weights w: (x + y) * by + x, x + y, and 3 w, part of it worked out beforehand. */
static const void *chain_plan(builder *b) {
    start(b);
    uint32_t n = symbol(b, "n", LX_SOURCE_DIMENSION, 0, 4096), by = symbol(b, "by", LX_SOURCE_VALUE, 2, 1000);
    uint32_t x = tensor(b, false, "x", n, 0), y = tensor(b, false, "y", n, 0);
    tensor(b, false, "by", LX_NONE, LX_TENSOR_SCALAR);
    uint32_t sixteen = number(b, 16), z = tensor(b, true, "z", n, 0), s = tensor(b, true, "s", n, 0), t = tensor(b, true, "t", sixteen, 0);
    uint32_t w = constant(b, "w", 16, false);
    uint32_t bytes = product(b, n, number(b, 4)), room = number(b, 16384);
    uint32_t sum = buffer(b, LX_BUFFER_ARENA, number(b, 0), bytes), scaled = buffer(b, LX_BUFFER_ARENA, room, bytes);
    uint32_t twice = buffer(b, LX_BUFFER_DERIVED, 0, number(b, 64));
    b->plan.derived_bytes = 64;
    b->plan.arena_bytes = number(b, 32768);
    uint32_t add = kernel(b, "add"), scale = kernel(b, "scale"), two = number(b, 2);
    b->init[b->n_init++] = call(b, scale, sixteen, w, twice, LX_NONE, sixteen, two);
    b->main[b->n_main++] = call(b, add, n, x, y, sum, n, LX_NONE);
    b->main[b->n_main++] = call(b, scale, n, sum, scaled, LX_NONE, n, by);
    b->main[b->n_main++] = call(b, add, n, scaled, x, z, n, LX_NONE);
    b->main[b->n_main++] = (lx_step){.kind = LX_STEP_COPY, .destination = s, .source = sum, .bytes = bytes};
    b->main[b->n_main++] = call(b, add, sixteen, twice, w, t, sixteen, LX_NONE);
    return finish(b, "chain");
}

/* 3 w of 4096 weights w, part of it worked out beforehand. */
#define MANY 4096
static const void *many_plan(builder *b) {
    start(b);
    uint32_t many = number(b, MANY), t = tensor(b, true, "t", many, 0), w = constant(b, "w", MANY, false);
    uint32_t twice = buffer(b, LX_BUFFER_DERIVED, 0, number(b, 4 * MANY));
    b->plan.derived_bytes = 4 * MANY;
    b->init[b->n_init++] = call(b, kernel(b, "scale"), many, w, twice, LX_NONE, many, number(b, 2));
    b->main[b->n_main++] = call(b, kernel(b, "add"), many, twice, w, t, many, LX_NONE);
    return finish(b, "many");
}

/* state += x, of which all elements must not be negative; gives the state. */
static const void *state_plan(builder *b) {
    start(b);
    uint32_t n = number(b, 16), bytes = number(b, 64), x = tensor(b, false, "x", n, 0), out = tensor(b, true, "out", n, 0);
    uint32_t state = constant(b, "state", 16, true), add = kernel(b, "add"), positive = kernel(b, "positive");
    b->assertions[b->n_assertions++] = put_text(b, "every x must be positive");
    b->main[b->n_main++] = call(b, positive, n, x, LX_NONE, LX_NONE, n, LX_NONE);
    b->main[b->n_main++] = call(b, add, n, state, x, state, n, LX_NONE);
    b->main[b->n_main++] = (lx_step){.kind = LX_STEP_COPY, .destination = out, .source = state, .bytes = bytes};
    return finish(b, "state");
}

/* (x y) y + x y, all of 4 x 4, where a vendor's library does the products. */
static lx_step product_step(builder *b, uint32_t left, uint32_t right, uint32_t result) {
    uint32_t operands[LX_N_PRODUCT_OPERANDS] = {left, right, result, result, result}, scalars[sizeof(lx_product) / 8];
    int64_t values[sizeof(lx_product) / 8], bits;
    memcpy(&bits, &(double){1}, 8);
    lx_product product = {.dtype = 7, .result_dtype = 7, .alpha = bits, .batch = 1, .rows = 4, .columns = 4, .depth = 4};
    product.left.stride = product.right.stride = product.result.stride = 4;
    product.right.turned = 1;
    memcpy(values, &product, sizeof product);
    for (size_t k = 0; k < sizeof values / 8; k++) scalars[k] = number(b, values[k]);
    return (lx_step){.kind = LX_STEP_ROUTINE,
                     .kernel = LX_ROUTINE_PRODUCT,
                     .scratch = number(b, 32 << 20),
                     .buffers = put(b, operands, LX_N_PRODUCT_OPERANDS, 4),
                     .scalars = put(b, scalars, sizeof values / 8, 4)};
}
static const void *products_plan(builder *b) {
    start(b);
    uint32_t n = number(b, 16), bytes = number(b, 64), x = tensor(b, false, "x", n, 0), y = tensor(b, false, "y", n, 0);
    uint32_t out = tensor(b, true, "out", n, 0), once = buffer(b, LX_BUFFER_ARENA, number(b, 0), bytes);
    uint32_t twice = buffer(b, LX_BUFFER_ARENA, number(b, 256), bytes), add = kernel(b, "add");
    b->plan.arena_bytes = number(b, 512);
    b->main[b->n_main++] = product_step(b, x, y, once);
    b->main[b->n_main++] = product_step(b, once, y, twice);
    b->main[b->n_main++] = call(b, add, n, once, twice, out, n, LX_NONE);
    return finish(b, "products");
}

/* x + y + y + ... : an input that many steps read. */
static const void *sums_plan(builder *b) {
    start(b);
    uint32_t n = number(b, 16), bytes = number(b, 64), x = tensor(b, false, "x", n, 0), y = tensor(b, false, "y", n, 0);
    uint32_t out = tensor(b, true, "out", n, 0), sum = buffer(b, LX_BUFFER_ARENA, number(b, 0), bytes), add = kernel(b, "add");
    b->plan.arena_bytes = bytes;
    for (int k = 0; k < 40; k++) b->main[b->n_main++] = call(b, add, n, k ? sum : x, y, k < 39 ? sum : out, n, LX_NONE);
    return finish(b, "sums");
}

/* The first x[0] elements of y, plus themselves: a size that the data give. */
static const void *late_plan(builder *b) {
    start(b);
    uint32_t n = number(b, 16), x = tensor(b, false, "x", n, 0), y = tensor(b, false, "y", n, 0);
    b->inputs[0].dtype = 5;
    b->buffers[x].bytes = number(b, 128);
    uint32_t u = symbol(b, "u", LX_SOURCE_STEP, 0, 16), out = tensor(b, true, "out", u, 0), add = kernel(b, "add");
    b->main[b->n_main++] = (lx_step){.kind = LX_STEP_READ, .destination = 0, .source = x, .kernel = 5};
    b->main[b->n_main++] = (lx_step){.kind = LX_STEP_ALLOCATE, .destination = out};
    b->main[b->n_main++] = call(b, add, u, y, y, out, u, LX_NONE);
    return finish(b, "late");
}

/* Which architecture the kernels are for. */
static const void *which_plan(builder *b) {
    start(b);
    uint32_t n = number(b, 1), out = tensor(b, true, "out", n, 0), which = kernel(b, "which");
    b->main[b->n_main++] = call(b, which, n, out, LX_NONE, LX_NONE, LX_NONE, LX_NONE);
    return finish(b, "which");
}

static const void *trap_plan(builder *b) {
    start(b);
    uint32_t n = number(b, 16), x = tensor(b, false, "x", n, 0), out = tensor(b, true, "out", n, 0);
    uint32_t trap = kernel(b, "trap"), one = number(b, 1);
    (void)x;
    b->main[b->n_main++] = call(b, trap, one, out, LX_NONE, LX_NONE, LX_NONE, LX_NONE);
    return finish(b, "trap");
}

#endif
