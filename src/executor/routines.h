/*
 * Written by scripts/generate from src/plan/external.rs: what steps of libraries are asked for, and the numbers that the plan and
 * its executor share.
 */
#ifndef LITZ_EXECUTOR_ROUTINES_H
#define LITZ_EXECUTOR_ROUTINES_H

#include <stdint.h>

/* The most of a kernel's scratch that lies on its thread's stack. */
#define LX_STACK_SCRATCH 8192u
/* The interface of liblitz_linalg.so.0 that the routines are called by. */
#define LX_LINALG_VERSION 4u

#define LX_PLAN_MAGIC 1313624154u
#define LX_PLAN_VERSION 21u
/* No scalar, buffer or number. */
#define LX_NONE 4294967295u
#define LX_MAX_RANK 64u
#define LX_MAP_RANK 5u
/* The first scalar operation that is a calculation. */
#define LX_CALCULATIONS 16u
#define LX_TENSOR_MUTATED 1u
#define LX_TENSOR_SCALAR 2u
/* Its address stays the same between runs, as the host says. */
#define LX_TENSOR_FIXED 4u
/* Of an input: no step reads it; its memory, strides and device are not looked at. */
#define LX_TENSOR_UNREAD 8u
/* Neither are its sizes needed: it may be NULL. */
#define LX_TENSOR_OPTIONAL 16u
/* Of an input: kernels write other values over its contents, which nobody needs after the run. */
#define LX_TENSOR_OVERWRITTEN 32u
/* Beside LX_TENSOR_MUTATED: no step names it, and it has no bytes. */
#define LX_STORAGE_UNUSED 2u
/* What init makes of it stays: it is not replaced, and where no run reads it, it is let go. */
#define LX_STORAGE_FROZEN 4u
/* The last offset that a buffer of semaphores may have, and the most bytes of one. */
#define LX_MOST_SEMAPHORES 67108864u
/* Bytes of records. */
#define LX_PLAN_BYTES 160u
#define LX_SYMBOL_BYTES 56u
#define LX_SCALAR_BYTES 24u
#define LX_GUARD_BYTES 16u
#define LX_TENSOR_BYTES 72u
#define LX_STORAGE_BYTES 24u
#define LX_CONSTANT_BYTES 56u
#define LX_BUFFER_BYTES 24u
#define LX_STEP_BYTES 64u
#define LX_MAP_BYTES 104u
#define LX_SPAN_BYTES 8u

enum { LX_LIBRARY_CUBLASLT, LX_LIBRARY_CUDNN, LX_LIBRARY_CUFFT, LX_LIBRARY_CUSOLVER, LX_LIBRARY_LINALG, LX_LIBRARY_HOST, LX_N_LIBRARIES };
enum { LX_ROUTINE_PRODUCT, LX_ROUTINE_CONVOLUTION, LX_ROUTINE_CHOLESKY, LX_ROUTINE_TRIANGULARSOLVE, LX_ROUTINE_LU, LX_ROUTINE_LUSOLVE, LX_ROUTINE_PERMUTATION, LX_ROUTINE_QR, LX_ROUTINE_REFLECT, LX_ROUTINE_SVD, LX_ROUTINE_SINGULARVALUES, LX_ROUTINE_EIGH, LX_ROUTINE_EIGENVALUES, LX_ROUTINE_EIG, LX_ROUTINE_GENERALEIGENVALUES, LX_ROUTINE_LDL, LX_ROUTINE_LDLSOLVE, LX_ROUTINE_REFLECTGRADIENT, LX_ROUTINE_EXPONENTIAL, LX_ROUTINE_FOURIER, LX_ROUTINE_TRANSFORM, LX_ROUTINE_HOST, LX_N_ROUTINES };
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

typedef struct lx_cholesky {
    int64_t batch;
    int64_t dtype;
    int64_t n;
    int64_t upper;
} lx_cholesky;
enum { LX_CHOLESKY_MATRIX, LX_CHOLESKY_FACTOR, LX_CHOLESKY_INFO, LX_N_CHOLESKY_OPERANDS };

typedef struct lx_triangularsolve {
    int64_t batch;
    int64_t dtype;
    int64_t n;
    int64_t columns;
    int64_t upper;
    int64_t transposed;
    int64_t unit;
} lx_triangularsolve;
enum { LX_TRIANGULARSOLVE_MATRIX, LX_TRIANGULARSOLVE_RIGHT, LX_TRIANGULARSOLVE_RESULT, LX_N_TRIANGULARSOLVE_OPERANDS };

typedef struct lx_lu {
    int64_t batch;
    int64_t dtype;
    int64_t rows;
    int64_t columns;
    int64_t pivoting;
} lx_lu;
enum { LX_LU_MATRIX, LX_LU_FACTORS, LX_LU_PIVOTS, LX_LU_INFO, LX_N_LU_OPERANDS };

typedef struct lx_lusolve {
    int64_t batch;
    int64_t dtype;
    int64_t n;
    int64_t columns;
    int64_t transposed;
} lx_lusolve;
enum { LX_LUSOLVE_FACTORS, LX_LUSOLVE_PIVOTS, LX_LUSOLVE_RIGHT, LX_LUSOLVE_RESULT, LX_N_LUSOLVE_OPERANDS };

typedef struct lx_permutation {
    int64_t batch;
    int64_t dtype;
    int64_t rows;
    int64_t pivots;
} lx_permutation;
enum { LX_PERMUTATION_PIVOTS, LX_PERMUTATION_ORDER, LX_N_PERMUTATION_OPERANDS };

typedef struct lx_qr {
    int64_t batch;
    int64_t dtype;
    int64_t rows;
    int64_t columns;
} lx_qr;
enum { LX_QR_MATRIX, LX_QR_FACTORS, LX_QR_TAU, LX_N_QR_OPERANDS };

typedef struct lx_reflect {
    int64_t batch;
    int64_t dtype;
    int64_t rows;
    int64_t stored;
    int64_t reflections;
    int64_t columns;
    int64_t transposed;
} lx_reflect;
enum { LX_REFLECT_FACTORS, LX_REFLECT_TAU, LX_REFLECT_OTHER, LX_REFLECT_RESULT, LX_N_REFLECT_OPERANDS };

typedef struct lx_svd {
    int64_t batch;
    int64_t dtype;
    int64_t rows;
    int64_t columns;
    int64_t full;
} lx_svd;
enum { LX_SVD_MATRIX, LX_SVD_LEFT, LX_SVD_VALUES, LX_SVD_RIGHT, LX_N_SVD_OPERANDS };

typedef struct lx_singularvalues {
    int64_t batch;
    int64_t dtype;
    int64_t rows;
    int64_t columns;
} lx_singularvalues;
enum { LX_SINGULARVALUES_MATRIX, LX_SINGULARVALUES_VALUES, LX_N_SINGULARVALUES_OPERANDS };

typedef struct lx_eigh {
    int64_t batch;
    int64_t dtype;
    int64_t n;
    int64_t upper;
} lx_eigh;
enum { LX_EIGH_MATRIX, LX_EIGH_VALUES, LX_EIGH_VECTORS, LX_N_EIGH_OPERANDS };

typedef struct lx_eigenvalues {
    int64_t batch;
    int64_t dtype;
    int64_t n;
    int64_t upper;
} lx_eigenvalues;
enum { LX_EIGENVALUES_MATRIX, LX_EIGENVALUES_VALUES, LX_N_EIGENVALUES_OPERANDS };

typedef struct lx_eig {
    int64_t batch;
    int64_t dtype;
    int64_t n;
    int64_t pairs;
} lx_eig;
enum { LX_EIG_MATRIX, LX_EIG_VALUES, LX_EIG_VECTORS, LX_N_EIG_OPERANDS };

typedef struct lx_generaleigenvalues {
    int64_t batch;
    int64_t dtype;
    int64_t n;
    int64_t pairs;
} lx_generaleigenvalues;
enum { LX_GENERALEIGENVALUES_MATRIX, LX_GENERALEIGENVALUES_VALUES, LX_N_GENERALEIGENVALUES_OPERANDS };

typedef struct lx_ldl {
    int64_t batch;
    int64_t dtype;
    int64_t n;
} lx_ldl;
enum { LX_LDL_MATRIX, LX_LDL_FACTORS, LX_LDL_PIVOTS, LX_LDL_INFO, LX_N_LDL_OPERANDS };

typedef struct lx_ldlsolve {
    int64_t batch;
    int64_t dtype;
    int64_t n;
    int64_t columns;
} lx_ldlsolve;
enum { LX_LDLSOLVE_FACTORS, LX_LDLSOLVE_PIVOTS, LX_LDLSOLVE_RIGHT, LX_LDLSOLVE_RESULT, LX_N_LDLSOLVE_OPERANDS };

typedef struct lx_reflectgradient {
    int64_t batch;
    int64_t dtype;
    int64_t rows;
    int64_t stored;
    int64_t reflections;
    int64_t columns;
    int64_t transposed;
} lx_reflectgradient;
enum { LX_REFLECTGRADIENT_FACTORS, LX_REFLECTGRADIENT_TAU, LX_REFLECTGRADIENT_OTHER, LX_REFLECTGRADIENT_GRAD, LX_REFLECTGRADIENT_BY_FACTORS, LX_REFLECTGRADIENT_BY_TAU, LX_N_REFLECTGRADIENT_OPERANDS };

typedef struct lx_exponential {
    int64_t batch;
    int64_t dtype;
    int64_t n;
} lx_exponential;
enum { LX_EXPONENTIAL_MATRIX, LX_EXPONENTIAL_RESULT, LX_N_EXPONENTIAL_OPERANDS };

typedef struct lx_fourier {
    int64_t batch;
    int64_t dtype;
    int64_t outer;
    int64_t n;
    int64_t inner;
    int64_t outers;
    int64_t columns;
    int64_t kind;
    int64_t normalization;
} lx_fourier;
enum { LX_FOURIER_INPUT, LX_FOURIER_RESULT, LX_N_FOURIER_OPERANDS };

typedef struct lx_transform {
    int64_t dtype;
    int64_t outer;
    int64_t n;
    int64_t inner;
    int64_t kind;
} lx_transform;
enum { LX_TRANSFORM_INPUT, LX_TRANSFORM_RESULT, LX_N_TRANSFORM_OPERANDS };

/* Of each routine: its library, the device's library that does it where that is found (LX_NONE: none does), how many operands it has, which
 * of them it writes (a bit each), how many attributes it has, and its function in Litz's own library. */
typedef struct lx_routine {
    uint32_t library, on_device, operands, written, attributes;
    const char *function;
} lx_routine;
static const lx_routine lx_routines[LX_N_ROUTINES] = {
    [LX_ROUTINE_PRODUCT] = {LX_LIBRARY_CUBLASLT, LX_NONE, LX_N_PRODUCT_OPERANDS, 1u << LX_PRODUCT_RESULT, sizeof(lx_product) / sizeof(int64_t), 0},
    [LX_ROUTINE_CONVOLUTION] = {LX_LIBRARY_CUDNN, LX_NONE, LX_N_CONVOLUTION_OPERANDS, 1u << LX_CONVOLUTION_RESULT, sizeof(lx_convolution) / sizeof(int64_t), 0},
    [LX_ROUTINE_CHOLESKY] = {LX_LIBRARY_LINALG, LX_LIBRARY_CUSOLVER, LX_N_CHOLESKY_OPERANDS, 1u << LX_CHOLESKY_FACTOR | 1u << LX_CHOLESKY_INFO, sizeof(lx_cholesky) / sizeof(int64_t), "litz_linalg_cholesky"},
    [LX_ROUTINE_TRIANGULARSOLVE] = {LX_LIBRARY_LINALG, LX_LIBRARY_CUSOLVER, LX_N_TRIANGULARSOLVE_OPERANDS, 1u << LX_TRIANGULARSOLVE_RESULT, sizeof(lx_triangularsolve) / sizeof(int64_t), "litz_linalg_triangularsolve"},
    [LX_ROUTINE_LU] = {LX_LIBRARY_LINALG, LX_LIBRARY_CUSOLVER, LX_N_LU_OPERANDS, 1u << LX_LU_FACTORS | 1u << LX_LU_PIVOTS | 1u << LX_LU_INFO, sizeof(lx_lu) / sizeof(int64_t), "litz_linalg_lu"},
    [LX_ROUTINE_LUSOLVE] = {LX_LIBRARY_LINALG, LX_LIBRARY_CUSOLVER, LX_N_LUSOLVE_OPERANDS, 1u << LX_LUSOLVE_RESULT, sizeof(lx_lusolve) / sizeof(int64_t), "litz_linalg_lusolve"},
    [LX_ROUTINE_PERMUTATION] = {LX_LIBRARY_LINALG, LX_NONE, LX_N_PERMUTATION_OPERANDS, 1u << LX_PERMUTATION_ORDER, sizeof(lx_permutation) / sizeof(int64_t), "litz_linalg_permutation"},
    [LX_ROUTINE_QR] = {LX_LIBRARY_LINALG, LX_LIBRARY_CUSOLVER, LX_N_QR_OPERANDS, 1u << LX_QR_FACTORS | 1u << LX_QR_TAU, sizeof(lx_qr) / sizeof(int64_t), "litz_linalg_qr"},
    [LX_ROUTINE_REFLECT] = {LX_LIBRARY_LINALG, LX_LIBRARY_CUSOLVER, LX_N_REFLECT_OPERANDS, 1u << LX_REFLECT_RESULT, sizeof(lx_reflect) / sizeof(int64_t), "litz_linalg_reflect"},
    [LX_ROUTINE_SVD] = {LX_LIBRARY_LINALG, LX_LIBRARY_CUSOLVER, LX_N_SVD_OPERANDS, 1u << LX_SVD_LEFT | 1u << LX_SVD_VALUES | 1u << LX_SVD_RIGHT, sizeof(lx_svd) / sizeof(int64_t), "litz_linalg_svd"},
    [LX_ROUTINE_SINGULARVALUES] = {LX_LIBRARY_LINALG, LX_LIBRARY_CUSOLVER, LX_N_SINGULARVALUES_OPERANDS, 1u << LX_SINGULARVALUES_VALUES, sizeof(lx_singularvalues) / sizeof(int64_t), "litz_linalg_singularvalues"},
    [LX_ROUTINE_EIGH] = {LX_LIBRARY_LINALG, LX_LIBRARY_CUSOLVER, LX_N_EIGH_OPERANDS, 1u << LX_EIGH_VALUES | 1u << LX_EIGH_VECTORS, sizeof(lx_eigh) / sizeof(int64_t), "litz_linalg_eigh"},
    [LX_ROUTINE_EIGENVALUES] = {LX_LIBRARY_LINALG, LX_LIBRARY_CUSOLVER, LX_N_EIGENVALUES_OPERANDS, 1u << LX_EIGENVALUES_VALUES, sizeof(lx_eigenvalues) / sizeof(int64_t), "litz_linalg_eigenvalues"},
    [LX_ROUTINE_EIG] = {LX_LIBRARY_LINALG, LX_NONE, LX_N_EIG_OPERANDS, 1u << LX_EIG_VALUES | 1u << LX_EIG_VECTORS, sizeof(lx_eig) / sizeof(int64_t), "litz_linalg_eig"},
    [LX_ROUTINE_GENERALEIGENVALUES] = {LX_LIBRARY_LINALG, LX_NONE, LX_N_GENERALEIGENVALUES_OPERANDS, 1u << LX_GENERALEIGENVALUES_VALUES, sizeof(lx_generaleigenvalues) / sizeof(int64_t), "litz_linalg_generaleigenvalues"},
    [LX_ROUTINE_LDL] = {LX_LIBRARY_LINALG, LX_NONE, LX_N_LDL_OPERANDS, 1u << LX_LDL_FACTORS | 1u << LX_LDL_PIVOTS | 1u << LX_LDL_INFO, sizeof(lx_ldl) / sizeof(int64_t), "litz_linalg_ldl"},
    [LX_ROUTINE_LDLSOLVE] = {LX_LIBRARY_LINALG, LX_NONE, LX_N_LDLSOLVE_OPERANDS, 1u << LX_LDLSOLVE_RESULT, sizeof(lx_ldlsolve) / sizeof(int64_t), "litz_linalg_ldlsolve"},
    [LX_ROUTINE_REFLECTGRADIENT] = {LX_LIBRARY_LINALG, LX_NONE, LX_N_REFLECTGRADIENT_OPERANDS, 1u << LX_REFLECTGRADIENT_BY_FACTORS | 1u << LX_REFLECTGRADIENT_BY_TAU, sizeof(lx_reflectgradient) / sizeof(int64_t), "litz_linalg_reflectgradient"},
    [LX_ROUTINE_EXPONENTIAL] = {LX_LIBRARY_LINALG, LX_NONE, LX_N_EXPONENTIAL_OPERANDS, 1u << LX_EXPONENTIAL_RESULT, sizeof(lx_exponential) / sizeof(int64_t), "litz_linalg_exponential"},
    [LX_ROUTINE_FOURIER] = {LX_LIBRARY_LINALG, LX_NONE, LX_N_FOURIER_OPERANDS, 1u << LX_FOURIER_RESULT, sizeof(lx_fourier) / sizeof(int64_t), "litz_linalg_fourier"},
    [LX_ROUTINE_TRANSFORM] = {LX_LIBRARY_CUFFT, LX_NONE, LX_N_TRANSFORM_OPERANDS, 1u << LX_TRANSFORM_RESULT, sizeof(lx_transform) / sizeof(int64_t), 0},
    [LX_ROUTINE_HOST] = {.library = LX_LIBRARY_HOST, .on_device = LX_NONE}, /* its step's words say more */
};

#endif
