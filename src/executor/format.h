/*
 * The flat form of a plan, as src/plan/format.rs writes it: little-endian, every table at a multiple of 8 bytes,
 * every reference an offset from the start. Numbers that both name are in routines.h. Read in place after lx_check_plan
 * (plan.c) has seen all of it.
 */
#ifndef LITZ_EXECUTOR_FORMAT_H
#define LITZ_EXECUTOR_FORMAT_H

#include <stdint.h>

#include "routines.h"

/* `count` items that start `offset` bytes into the plan. A string's count leaves out its final NUL. */
typedef struct lx_span {
    uint32_t offset, count;
} lx_span;

typedef struct lx_plan {
    uint32_t magic, version;
    uint64_t bytes;
    lx_span name, metadata;
    lx_span symbols, scalars, guards, inputs, outputs, storages, constants, buffers, kernels, assertions, init, main, maps;
    uint32_t arena_bytes; /* a scalar, or LX_NONE */
    uint32_t hidden;      /* so many of the last outputs are no results: results are views of them */
    uint64_t derived_bytes;
    uint32_t next_offset; /* a scalar: where the random state stands after a run; LX_NONE: runs draw no random numbers */
    uint32_t reserved;
} lx_plan;

/* LX_SOURCE_STEP: a step of the run gives the value; what depends on it is late. LX_SOURCE_SEED, LX_SOURCE_OFFSET: the
   random state that the run starts from. */
enum { LX_SOURCE_DIMENSION = 0, LX_SOURCE_VALUE = 1, LX_SOURCE_STEP = 2, LX_SOURCE_SEED = 3, LX_SOURCE_OFFSET = 4 };

typedef struct lx_symbol {
    lx_span name;
    int64_t min, max;
    uint32_t source, input, dim, reserved;
    int64_t factor, addend;
} lx_symbol;

enum {
    LX_CONSTANT,
    LX_SYMBOL,
    LX_ADD,
    LX_SUB,
    LX_MUL,
    LX_FLOOR_DIV,
    LX_MOD,
    LX_MIN,
    LX_MAX,
    LX_EQ,
    LX_LT,
    LX_LE,
    LX_AND,
    LX_OR,
    LX_NOT,
    LX_SELECT,
    /* Calculations: floats are the bits of a double; an operand that is not taken repeats the first. */
    LX_FLOAT,
    LX_FLOAT_ADD,
    LX_FLOAT_SUB,
    LX_FLOAT_MUL,
    LX_FLOAT_DIV,
    LX_FLOAT_FLOOR_DIV,
    LX_FLOAT_MOD,
    LX_FLOAT_POW,
    LX_FLOAT_MIN,
    LX_FLOAT_MAX,
    LX_FLOAT_ABS,
    LX_FLOAT_SQRT,
    LX_FLOAT_EXP,
    LX_FLOAT_LOG,
    LX_FLOAT_LOG2,
    LX_FLOAT_SIN,
    LX_FLOAT_COS,
    LX_FLOAT_TAN,
    LX_FLOAT_ASIN,
    LX_FLOAT_ACOS,
    LX_FLOAT_ATAN,
    LX_FLOAT_SINH,
    LX_FLOAT_COSH,
    LX_FLOAT_TANH,
    LX_FLOAT_SELECT,
    LX_FLOAT_TRUNC,
    LX_FLOAT_FLOOR,
    LX_FLOAT_CEIL,
    LX_FLOAT_ROUND,
    LX_FLOAT_EQ,
    LX_FLOAT_LT,
    LX_FLOAT_LE,
    LX_INT_POW,
    LX_ITSELF, /* an integer itself */
    LX_N_SCALAR_OPS
};

typedef struct lx_scalar {
    uint32_t op, a, b, c; /* LX_SYMBOL: a is the symbol */
    int64_t value;        /* LX_CONSTANT */
} lx_scalar;

typedef struct lx_guard {
    uint32_t scalar;
    int32_t status;
    lx_span message;
} lx_guard;

/* An input or an output. */
typedef struct lx_tensor {
    lx_span name;
    int32_t dtype;
    uint32_t flags;
    lx_span shape, strides;         /* uint32_t: scalars */
    lx_span min_shape, max_shape;   /* int64_t */
    /* Of an output: the strides that it is computed with (uint32_t: scalars), where its own leave gaps or repeat elements; or
       1 + the output whose memory it is a view of, and the scalar that says from which element on. */
    lx_span packed;
    uint32_t view, offset;
    uint32_t alias, alias_of; /* for the host */
} lx_tensor;

/* What constants lie in. */
typedef struct lx_storage {
    uint64_t offset, bytes; /* in the weights */
    uint32_t flags, reserved;
} lx_storage;

typedef struct lx_constant_info {
    lx_span name, aliases; /* aliases: lx_span each */
    int32_t kind, dtype;
    lx_span shape, strides; /* int64_t */
    uint64_t offset;        /* of its first element in the storage, in bytes */
    uint32_t storage, reserved;
} lx_constant_info;

enum {
    LX_BUFFER_INPUT,
    LX_BUFFER_OUTPUT,
    LX_BUFFER_STORAGE,
    LX_BUFFER_DERIVED,
    LX_BUFFER_ARENA,
    LX_BUFFER_SLOT,
    LX_BUFFER_SEMAPHORES /* zero before each run, and left zero by it */
};

typedef struct lx_buffer {
    uint32_t kind;
    uint32_t index;  /* input, output or storage; LX_BUFFER_ARENA: the scalar that is its offset;
                        LX_BUFFER_SLOT: memory of its own, by number, which buffers that live apart share */
    uint64_t offset; /* LX_BUFFER_DERIVED, LX_BUFFER_SEMAPHORES */
    uint32_t bytes;  /* a scalar */
    uint32_t reserved;
} lx_buffer;

typedef struct lx_kernel {
    lx_span symbol;
} lx_kernel;

enum {
    LX_STEP_KERNEL,
    LX_STEP_COPY,     /* to the byte of `destination` that the scalar `kernel - 1` gives; 0: to its start */
    LX_STEP_READ,     /* symbol `destination` is the number of dtype `kernel` at the start of buffer `source` */
    LX_STEP_SET,      /* symbol `destination` is the scalar `bytes` */
    LX_STEP_CHECK,    /* the scalar `bytes` is nonzero, otherwise assertion `kernel` */
    LX_STEP_ALLOCATE, /* buffer `destination` gets its memory, now that its size is known */
    LX_STEP_IF,       /* where the bool in `source` holds the next `destination` steps, otherwise the `kernel` after them */
    LX_STEP_WHILE,    /* the next `destination` steps, and while the bool in `source` holds the `kernel` after them, again */
    LX_STEP_ROUTINE,  /* routine `kernel` of a library: operands are `buffers`, attributes `scalars` by its struct in routines.h, and its
                         workspace has the scalar `scratch` bytes at most */
    LX_STEP_FUNCTION, /* the next `destination` steps run here, and again by others */
    LX_STEP_AGAIN,    /* the steps of the function that is step `destination` of a run, which ends before */
    LX_STEP_PRINT,    /* text `kernel` of the assertions is a line of standard output */
    LX_N_STEPS
};

typedef struct lx_step {
    uint32_t kind, kernel;
    lx_span buffers, scalars;        /* uint32_t each */
    uint32_t tasks, grain, scratch;  /* scalars */
    uint32_t destination, source, bytes; /* buffers and a scalar, or as the kind says; LX_STEP_KERNEL: its tensor
                                            maps are `source` of them from number `destination` on, and `bytes` is 0, or
                                            one more than the buffer of the arena that its threads' scratch lies in as far
                                            as that suffices */
    uint32_t lasting; /* LX_STEP_KERNEL: 1 where it writes to an input or to a storage of constants */
    uint32_t reserved;
    lx_span detail; /* LX_STEP_KERNEL: int64_t by LX_MOVES_..., where it packs a part of a storage; none: it does not. LX_STEP_ROUTINE: the
                       words of a host's call, uint32_t each, whose first are LX_CALL_... */
} lx_step;

/* Elements [batch, n, k] in panels of columns: one lies at ((batch * panels + n / columns) * size of k + k) * columns + n % columns of
   the result, at offset + batch * stride + n * stride + k * stride of the storage. */
enum {
    LX_MOVES_ITEM, /* bytes of an element */
    LX_MOVES_COLUMNS,
    LX_MOVES_SIZES,
    LX_MOVES_STRIDES = LX_MOVES_SIZES + 3,
    LX_MOVES_OFFSET = LX_MOVES_STRIDES + 3,
    LX_N_MOVES
};

/* The words of a host's call that the executor reads: where its name is, how many tensors it takes, results it has, and arguments,
   and how many tensors it writes: these are copied to the last operands before the call, a tensor each. */
enum { LX_CALL_NAME, LX_CALL_TENSORS, LX_CALL_RESULTS, LX_CALL_ARGUMENTS, LX_CALL_WRITTEN, LX_CALL_HEADER };
/* Of each tensor, behind the header: its dtype, rank, first size, and 1 + which of the last operands it is copied to. */
#define LX_CALL_TENSOR 4u
#define LX_CALL_COPY 3u

/* A buffer as a tensor whose boxes a GPU's copy engine brings to shared memory; the innermost dimension is the first. */
typedef struct lx_map {
    uint32_t buffer;
    int32_t dtype;
    uint32_t offset;  /* a scalar: bytes from the buffer's start */
    uint32_t rank;
    uint32_t swizzle; /* 0, 32, 64 or 128 bytes */
    uint32_t tf32;    /* 1: float32 comes rounded to TF32 */
    uint32_t sizes[LX_MAP_RANK], strides[LX_MAP_RANK]; /* scalars; strides in bytes */
    uint32_t boxes[LX_MAP_RANK], steps[LX_MAP_RANK];
} lx_map;

_Static_assert(LX_FLOAT == LX_CALCULATIONS, "calculations begin where src/plan/format.rs says");
_Static_assert(sizeof(lx_span) == LX_SPAN_BYTES && sizeof(lx_plan) == LX_PLAN_BYTES && sizeof(lx_symbol) == LX_SYMBOL_BYTES
                   && sizeof(lx_scalar) == LX_SCALAR_BYTES && sizeof(lx_guard) == LX_GUARD_BYTES && sizeof(lx_tensor) == LX_TENSOR_BYTES
                   && sizeof(lx_storage) == LX_STORAGE_BYTES && sizeof(lx_constant_info) == LX_CONSTANT_BYTES
                   && sizeof(lx_buffer) == LX_BUFFER_BYTES && sizeof(lx_step) == LX_STEP_BYTES && sizeof(lx_map) == LX_MAP_BYTES,
               "records are as long as src/plan/format.rs says");

#endif
