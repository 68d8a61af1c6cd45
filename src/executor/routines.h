/*
 * Written by scripts/generate from src/plan/external.rs: what steps of libraries are asked for, and the numbers that the plan and
 * its executor share.
 */
#ifndef LITZ_EXECUTOR_ROUTINES_H
#define LITZ_EXECUTOR_ROUTINES_H

#include <stdint.h>

/* The most of a kernel's scratch that lies on its thread's stack. */
#define LX_STACK_SCRATCH 8192u

enum { LX_LIBRARY_CUBLASLT, LX_LIBRARY_CUDNN, LX_N_LIBRARIES };
enum { LX_ROUTINE_PRODUCT, LX_ROUTINE_CONVOLUTION, LX_N_ROUTINES };
enum { LX_ACTIVATION_NONE, LX_ACTIVATION_RELU, LX_ACTIVATION_GELUTANH, LX_N_ACTIVATIONS };

typedef struct lx_matrix {
    int64_t offset, batch_stride, stride, turned;
} lx_matrix;

typedef struct lx_product {
    int64_t dtype;
    int64_t result_dtype;
    int64_t tf32;
    int64_t activation;
    int64_t has_bias;
    int64_t has_addend;
    int64_t alpha;
    int64_t beta;
    int64_t batch;
    int64_t rows;
    int64_t columns;
    int64_t depth;
    lx_matrix left;
    lx_matrix right;
    lx_matrix result;
    lx_matrix addend;
    int64_t bias;
} lx_product;
enum { LX_PRODUCT_LEFT, LX_PRODUCT_RIGHT, LX_PRODUCT_RESULT, LX_PRODUCT_BIAS, LX_PRODUCT_ADDEND, LX_N_PRODUCT_OPERANDS };

typedef struct lx_convolution {
    int64_t dtype;
    int64_t tf32;
    int64_t last;
    int64_t groups;
    int64_t stride[2];
    int64_t padding[2];
    int64_t dilation[2];
    int64_t input_sizes[4];
    int64_t weight_sizes[4];
    int64_t input;
    int64_t weight;
    int64_t result;
} lx_convolution;
enum { LX_CONVOLUTION_INPUT, LX_CONVOLUTION_WEIGHT, LX_CONVOLUTION_RESULT, LX_N_CONVOLUTION_OPERANDS };

/* Of each routine: its library, how many operands it has, which of them it writes, and how many attributes it has. */
typedef struct lx_routine {
    uint32_t library, operands, written, attributes;
} lx_routine;
static const lx_routine lx_routines[LX_N_ROUTINES] = {
    [LX_ROUTINE_PRODUCT] = {LX_LIBRARY_CUBLASLT, LX_N_PRODUCT_OPERANDS, LX_PRODUCT_RESULT, sizeof(lx_product) / sizeof(int64_t)},
    [LX_ROUTINE_CONVOLUTION] = {LX_LIBRARY_CUDNN, LX_N_CONVOLUTION_OPERANDS, LX_CONVOLUTION_RESULT, sizeof(lx_convolution) / sizeof(int64_t)},
};

#endif
