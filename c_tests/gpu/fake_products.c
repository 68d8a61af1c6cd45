/*
 * Stands in for cuBLASLt: products of int32 matrices whose rows follow one another, over the driver of fake_driver.c. As some of
 * the real library's algorithms, each fills memory of its workspace first: a counter, without which the product is
 * wrong, and more than a kernel of one block is worth.
 */
#include <stdint.h>
#include <stdlib.h>

int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemsetD32Async(uint64_t at, unsigned value, size_t n, void *stream);
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
                   void **parameters, void **extra);

typedef struct layout {
    uint64_t rows, columns; /* columns follow one another */
} layout;

typedef struct choice {
    uint64_t algorithm[8];
    size_t workspace;
    int status;
    float waves;
    int reserved[4];
} choice;

static void *multiply;

int cublasLtCreate(void **handle) {
    void *module;
    int code = cuModuleLoadData(&module, "FAKE 90 multiply");
    if (!code) code = cuModuleGetFunction(&multiply, module, "multiply");
    *handle = &multiply;
    return code;
}
int cublasLtMatmulDescCreate(void **out, int compute, int scale) {
    (void)compute, (void)scale;
    return !(*out = calloc(1, 8));
}
int cublasLtMatmulDescDestroy(void *p) {
    free(p);
    return 0;
}
int cublasLtMatmulDescSetAttribute(void *p, int attribute, const void *value, size_t bytes) {
    (void)p, (void)attribute, (void)value, (void)bytes;
    return 0;
}
int cublasLtMatrixLayoutCreate(layout **out, int type, uint64_t rows, uint64_t columns, int64_t stride) {
    (void)type, (void)stride;
    if (!(*out = calloc(1, sizeof **out))) return 1;
    **out = (layout){rows, columns};
    return 0;
}
int cublasLtMatrixLayoutDestroy(layout *p) {
    free(p);
    return 0;
}
int cublasLtMatrixLayoutSetAttribute(layout *p, int attribute, const void *value, size_t bytes) {
    (void)p, (void)attribute, (void)value, (void)bytes;
    return 0;
}
int cublasLtMatmulPreferenceCreate(void **out) { return !(*out = calloc(1, 8)); }
int cublasLtMatmulPreferenceDestroy(void *p) {
    free(p);
    return 0;
}
int cublasLtMatmulPreferenceSetAttribute(void *p, int attribute, const void *value, size_t bytes) {
    (void)p, (void)attribute, (void)value, (void)bytes;
    return 0;
}
int cublasLtMatmulAlgoGetHeuristic(void *handle, void *description, layout *a, layout *b, layout *c, layout *d, void *preference, int most,
                                   choice *found, int *n) {
    (void)handle, (void)description, (void)a, (void)b, (void)c, (void)d, (void)preference, (void)most;
    found[0] = (choice){.workspace = 1 << 20};
    *n = 1;
    return 0;
}
int cublasLtMatmul(void *handle, void *description, const void *alpha, uint64_t right, const layout *y, uint64_t left, const layout *x,
                   const void *beta, uint64_t addend, const layout *c, uint64_t result, const layout *z, const void *algorithm,
                   uint64_t workspace, size_t bytes, void *stream) {
    (void)handle, (void)description, (void)alpha, (void)y, (void)beta, (void)addend, (void)c, (void)algorithm, (void)bytes;
    int64_t rows = (int64_t)z->columns, columns = (int64_t)z->rows, depth = (int64_t)x->rows;
    void *parameters[] = {&left, &right, &result, &workspace, &rows, &columns, &depth};
    int code = cuMemsetD32Async(workspace, 7, 1, stream);
    if (!code) code = cuMemsetD32Async(workspace + 4096, 1, 1 << 15, stream);
    return code ? code : cuLaunchKernel(multiply, 1, 1, 1, 32, 1, 1, 0, stream, parameters, NULL);
}
