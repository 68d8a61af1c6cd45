/*
 * Every operator as an inline function. Generated from the operator table in src/ops; see docs/add-an-operator.md.
 *
 * `aten.add.Tensor` is litz_aten_add_Tensor, `aten.relu.default` is litz_aten_relu, and `aten.add_.Tensor`, which
 * writes to its first argument, is litz_aten_add__Tensor. A function takes the graph and the operator's arguments, in
 * the order of the schema that its comment states, and returns the operator's value, or 0 when it failed.
 *
 * Failures are sticky: the first one leaves the graph failed, every later call on the graph returns 0 and does nothing,
 * and litz_graph_status and litz_compile report the first. So a graph can be written down without a check between, and
 * checked once at its end. Initialise values that litz_graph_input and the like write with 0: a failure writes nothing.
 *
 *   schema                          parameter               left out, for its default or None
 *   Tensor, Tensor?                 litz_value              0 (where it is optional)
 *   Tensor[], Tensor?[]             pointer and count       NULL and 0 (where it is optional); a 0 inside is None
 *   int, float, bool                int64_t, double, int32_t
 *   SymInt, Scalar, int?, float?, …  litz_scalar            litz_scalar_default()
 *   int[], SymInt[]                 litz_ints               litz_ints_default()
 *   float[], bool[]                 pointer and count       NULL and 0
 *   str                             const char *            NULL
 *   ScalarType                      int32_t, LITZ_DTYPE_…   0
 *   Layout, MemoryFormat            int32_t, LITZ_…         0
 *   Device                          DLDevice                a zero device
 *   Generator                       no parameter
 *
 * Operators with several results write them all to `outs`, which may be NULL, and return the first. Where their number
 * depends on the arguments, `outs` has room for `outs_capacity` and `*n_outs` is how many there are; too little room is
 * no failure of the graph: the function returns 0 and `*n_outs` is the room needed. Operators without a result return a
 * litz_status.
 *
 * Threads: as litz_graph_call, one at a time for each graph.
 */
#ifndef LITZ_OPS_H
#define LITZ_OPS_H

#include <string.h>

#include "litz.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A number: an integer, a float, a bool or a symbol; all zero: the argument is left out. */
typedef struct litz_scalar {
    /* LITZ_ARG_NONE, _INT, _FLOAT, _BOOL or _SYMBOL */
    int32_t kind;
    /* Must be 0. */
    int32_t reserved0;
    /* For int and bool. */
    int64_t i;
    /* For float. */
    double f;
    /* For symbol. */
    litz_value symbol;
} litz_scalar;

/* Integers, symbols among them; all zero: the argument is left out. To give an empty list where one may be left out,
 * let `data` point at something. */
typedef struct litz_ints {
    /* `n` of them. */
    const int64_t *data;
    size_t n;
    /* Nullable; a nonzero symbols[k] replaces data[k]. */
    const litz_value *symbols;
} litz_ints;

/* The argument is left out: its default, or None. */
static inline litz_scalar litz_scalar_default(void) {
    litz_scalar scalar;
    memset(&scalar, 0, sizeof scalar);
    return scalar;
}

static inline litz_scalar litz_scalar_int(int64_t i) {
    litz_scalar scalar = litz_scalar_default();
    scalar.kind = LITZ_ARG_INT;
    scalar.i = i;
    return scalar;
}

static inline litz_scalar litz_scalar_float(double f) {
    litz_scalar scalar = litz_scalar_default();
    scalar.kind = LITZ_ARG_FLOAT;
    scalar.f = f;
    return scalar;
}

/* 0 is false, everything else true. */
static inline litz_scalar litz_scalar_bool(int32_t b) {
    litz_scalar scalar = litz_scalar_default();
    scalar.kind = LITZ_ARG_BOOL;
    scalar.i = b != 0;
    return scalar;
}

/* A symbol, or a number given at run time. */
static inline litz_scalar litz_scalar_symbol(litz_value symbol) {
    litz_scalar scalar = litz_scalar_default();
    scalar.kind = LITZ_ARG_SYMBOL;
    scalar.symbol = symbol;
    return scalar;
}

/* The argument is left out: its default, or None. */
static inline litz_ints litz_ints_default(void) {
    litz_ints ints;
    memset(&ints, 0, sizeof ints);
    return ints;
}

/* `n` integers, which must live until the call. */
static inline litz_ints litz_ints_of(const int64_t *data, size_t n) {
    litz_ints ints = litz_ints_default();
    ints.data = data;
    ints.n = n;
    return ints;
}

/* `n` integers, of which those with a nonzero symbols[k] are symbols. */
static inline litz_ints litz_ints_with_symbols(const int64_t *data, const litz_value *symbols, size_t n) {
    litz_ints ints = litz_ints_of(data, n);
    ints.symbols = symbols;
    return ints;
}

/* What the functions below are made of: each fills one argument and says how many it has filled, 1 or 0. */

static inline size_t litz_ops_arg(litz_arg *arg, const char *name, int32_t kind) {
    memset(arg, 0, sizeof *arg);
    arg->name = name;
    arg->kind = kind;
    return 1;
}

static inline size_t litz_ops_tensor(litz_arg *arg, const char *name, litz_value value) {
    litz_ops_arg(arg, name, LITZ_ARG_VALUE);
    arg->value = value;
    return 1;
}

static inline size_t litz_ops_optional_tensor(litz_arg *arg, const char *name, litz_value value) {
    return value ? litz_ops_tensor(arg, name, value) : 0;
}

static inline size_t litz_ops_tensors(litz_arg *arg, const char *name, const litz_value *values, size_t n) {
    litz_ops_arg(arg, name, LITZ_ARG_VALUES);
    arg->values = values;
    arg->n = n;
    return 1;
}

static inline size_t litz_ops_optional_tensors(litz_arg *arg, const char *name, const litz_value *values, size_t n) {
    return values || n ? litz_ops_tensors(arg, name, values, n) : 0;
}

static inline size_t litz_ops_number(litz_arg *arg, const char *name, int32_t kind, int64_t i) {
    litz_ops_arg(arg, name, kind);
    arg->i = i;
    return 1;
}

static inline size_t litz_ops_optional_number(litz_arg *arg, const char *name, int32_t kind, int64_t i) {
    return i ? litz_ops_number(arg, name, kind, i) : 0;
}

static inline size_t litz_ops_float(litz_arg *arg, const char *name, double f) {
    litz_ops_arg(arg, name, LITZ_ARG_FLOAT);
    arg->f = f;
    return 1;
}

static inline size_t litz_ops_scalar(litz_arg *arg, const char *name, litz_scalar scalar) {
    if (scalar.kind == LITZ_ARG_NONE) return 0;
    litz_ops_arg(arg, name, scalar.kind);
    arg->reserved0 = scalar.reserved0;
    arg->i = scalar.i;
    arg->f = scalar.f;
    arg->value = scalar.symbol;
    return 1;
}

static inline size_t litz_ops_ints(litz_arg *arg, const char *name, litz_ints ints) {
    litz_ops_arg(arg, name, LITZ_ARG_INTS);
    arg->ints = ints.data;
    arg->values = ints.symbols;
    arg->n = ints.n;
    return 1;
}

static inline size_t litz_ops_optional_ints(litz_arg *arg, const char *name, litz_ints ints) {
    return ints.data || ints.n ? litz_ops_ints(arg, name, ints) : 0;
}

static inline size_t litz_ops_floats(litz_arg *arg, const char *name, const double *floats, size_t n) {
    litz_ops_arg(arg, name, LITZ_ARG_FLOATS);
    arg->floats = floats;
    arg->n = n;
    return 1;
}

static inline size_t litz_ops_optional_floats(litz_arg *arg, const char *name, const double *floats, size_t n) {
    return floats || n ? litz_ops_floats(arg, name, floats, n) : 0;
}

static inline size_t litz_ops_bools(litz_arg *arg, const char *name, const int64_t *bools, size_t n) {
    litz_ops_arg(arg, name, LITZ_ARG_BOOLS);
    arg->ints = bools;
    arg->n = n;
    return 1;
}

static inline size_t litz_ops_optional_bools(litz_arg *arg, const char *name, const int64_t *bools, size_t n) {
    return bools || n ? litz_ops_bools(arg, name, bools, n) : 0;
}

static inline size_t litz_ops_string(litz_arg *arg, const char *name, const char *s) {
    if (!s) return 0;
    litz_ops_arg(arg, name, LITZ_ARG_STRING);
    arg->s = s;
    return 1;
}

static inline size_t litz_ops_device(litz_arg *arg, const char *name, DLDevice device) {
    const int64_t type = (int64_t)device.device_type;
    return type ? litz_ops_number(arg, name, LITZ_ARG_DEVICE, type * 4294967296 + (uint32_t)device.device_id) : 0;
}

/* An operator with as many results as `outs` has room for; the first of them. */
static inline litz_value litz_ops_call(litz_graph *graph, const char *op, const litz_arg *args, size_t n_args,
                                       litz_value *outs, size_t outs_capacity) {
    size_t n = 0;
    return litz_graph_call(graph, op, args, n_args, outs, outs_capacity, &n, NULL) == LITZ_OK && n > 0 ? outs[0] : 0;
}

static inline litz_value litz_ops_one(litz_graph *graph, const char *op, const litz_arg *args, size_t n_args) {
    litz_value out = 0;
    return litz_ops_call(graph, op, args, n_args, &out, 1);
}

static inline litz_status litz_ops_none(litz_graph *graph, const char *op, const litz_arg *args, size_t n_args) {
    size_t n = 0;
    return litz_graph_call(graph, op, args, n_args, NULL, 0, &n, NULL);
}

/* Computes with symbols and numbers: op is "sym.add", "sym.mul", "sym.floordiv" and the like; for those that take one
 * operand, `b` is left out. The value is a symbol. */
static inline litz_value litz_sym(litz_graph *graph, const char *op, litz_scalar a, litz_scalar b) {
    litz_arg args[2];
    size_t n = 0;
    n += litz_ops_scalar(args + n, NULL, a);
    n += litz_ops_scalar(args + n, NULL, b);
    return litz_ops_one(graph, op, args, n);
}

/* The size of a tensor's dimension, as a symbol. */
static inline litz_value litz_sym_size(litz_graph *graph, litz_value tensor, int64_t dim) {
    litz_arg args[2];
    litz_ops_tensor(&args[0], NULL, tensor);
    litz_ops_number(&args[1], NULL, LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.sym_size.int", args, 2);
}

/* An operator whose number of results depends on its arguments. */
static inline litz_value litz_ops_list(litz_graph *graph, const char *op, const litz_arg *args, size_t n_args,
                                       litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    size_t n = 0;
    const litz_status status = litz_graph_call(graph, op, args, n_args, outs, outs_capacity, &n, NULL);
    if (n_outs) *n_outs = status == LITZ_OK || status == LITZ_ERROR_CAPACITY ? n : 0;
    return status == LITZ_OK && n > 0 ? outs[0] : 0;
}

/* aten.__and__.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten___and___Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.__and__.Scalar", litz_args, litz_n);
}

/* aten.__and__.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten___and___Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.__and__.Tensor", litz_args, litz_n);
}

/* aten.__lshift__.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten___lshift___Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.__lshift__.Scalar", litz_args, litz_n);
}

/* aten.__lshift__.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten___lshift___Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.__lshift__.Tensor", litz_args, litz_n);
}

/* aten.__or__.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten___or___Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.__or__.Scalar", litz_args, litz_n);
}

/* aten.__or__.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten___or___Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.__or__.Tensor", litz_args, litz_n);
}

/* aten.__rshift__.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten___rshift___Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.__rshift__.Scalar", litz_args, litz_n);
}

/* aten.__rshift__.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten___rshift___Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.__rshift__.Tensor", litz_args, litz_n);
}

/* aten.__xor__.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten___xor___Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.__xor__.Scalar", litz_args, litz_n);
}

/* aten.__xor__.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten___xor___Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.__xor__.Tensor", litz_args, litz_n);
}

/* aten._adaptive_avg_pool2d.default(Tensor self, SymInt[2] output_size) -> Tensor */
static inline litz_value litz_aten__adaptive_avg_pool2d(litz_graph *graph, litz_value self, litz_ints output_size) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    return litz_ops_one(graph, "aten._adaptive_avg_pool2d.default", litz_args, litz_n);
}

/* aten._adaptive_avg_pool2d_backward.default(Tensor grad_output, Tensor self) -> Tensor */
static inline litz_value litz_aten__adaptive_avg_pool2d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten._adaptive_avg_pool2d_backward.default", litz_args, litz_n);
}

/* aten._adaptive_avg_pool3d.default(Tensor self, SymInt[3] output_size) -> Tensor */
static inline litz_value litz_aten__adaptive_avg_pool3d(litz_graph *graph, litz_value self, litz_ints output_size) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    return litz_ops_one(graph, "aten._adaptive_avg_pool3d.default", litz_args, litz_n);
}

/* aten._adaptive_avg_pool3d_backward.default(Tensor grad_output, Tensor self) -> Tensor */
static inline litz_value litz_aten__adaptive_avg_pool3d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten._adaptive_avg_pool3d_backward.default", litz_args, litz_n);
}

/* aten._addmm_activation.default(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, bool use_gelu=False) -> Tensor */
static inline litz_value litz_aten__addmm_activation(litz_graph *graph, litz_value self, litz_value mat1,
                                        litz_value mat2, litz_scalar beta, litz_scalar alpha, int32_t use_gelu) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat1", mat1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat2", mat2);
    litz_n += litz_ops_scalar(litz_args + litz_n, "beta", beta);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    litz_n += litz_ops_number(litz_args + litz_n, "use_gelu", LITZ_ARG_BOOL, use_gelu != 0);
    return litz_ops_one(graph, "aten._addmm_activation.default", litz_args, litz_n);
}

/* aten._assert_async.default(Tensor self) -> () */
static inline litz_status litz_aten__assert_async(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_none(graph, "aten._assert_async.default", litz_args, litz_n);
}

/* aten._assert_async.msg(Tensor self, str assert_msg) -> () */
static inline litz_status litz_aten__assert_async_msg(litz_graph *graph, litz_value self, const char *assert_msg) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_string(litz_args + litz_n, "assert_msg", assert_msg);
    return litz_ops_none(graph, "aten._assert_async.msg", litz_args, litz_n);
}

/* aten._assert_scalar.default(Scalar self, str assert_msg) -> () */
static inline litz_status litz_aten__assert_scalar(litz_graph *graph, litz_scalar self, const char *assert_msg) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "self", self);
    litz_n += litz_ops_string(litz_args + litz_n, "assert_msg", assert_msg);
    return litz_ops_none(graph, "aten._assert_scalar.default", litz_args, litz_n);
}

/* aten._assert_tensor_metadata.default(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, ScalarType? dtype=None, *, Device? device=None, Layout? layout=None) -> () */
static inline litz_status litz_aten__assert_tensor_metadata(litz_graph *graph, litz_value a, litz_ints size,
                                        litz_ints stride, int32_t dtype, DLDevice device, int32_t layout) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "a", a);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    return litz_ops_none(graph, "aten._assert_tensor_metadata.default", litz_args, litz_n);
}

/* aten._batch_norm_with_update.default(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor) */
static inline litz_value litz_aten__batch_norm_with_update(litz_graph *graph, litz_value input, litz_value weight,
                                        litz_value bias, litz_value running_mean, litz_value running_var,
                                        double momentum, double eps, litz_value outs[4]) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_value litz_outs[4];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_tensor(litz_args + litz_n, "running_mean", running_mean);
    litz_n += litz_ops_tensor(litz_args + litz_n, "running_var", running_var);
    litz_n += litz_ops_float(litz_args + litz_n, "momentum", momentum);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_ops_call(graph, "aten._batch_norm_with_update.default", litz_args, litz_n, litz_outs, 4);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._batch_norm_with_update_functional.default(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out) */
static inline litz_value litz_aten__batch_norm_with_update_functional(litz_graph *graph, litz_value input,
                                        litz_value weight, litz_value bias, litz_value running_mean,
                                        litz_value running_var, double momentum, double eps, litz_value outs[6]) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_value litz_outs[6];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_tensor(litz_args + litz_n, "running_mean", running_mean);
    litz_n += litz_ops_tensor(litz_args + litz_n, "running_var", running_var);
    litz_n += litz_ops_float(litz_args + litz_n, "momentum", momentum);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_ops_call(graph, "aten._batch_norm_with_update_functional.default", litz_args, litz_n, litz_outs, 6);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._cdist_forward.default(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor */
static inline litz_value litz_aten__cdist_forward(litz_graph *graph, litz_value x1, litz_value x2, double p,
                                        litz_scalar compute_mode) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x1", x1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "x2", x2);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    litz_n += litz_ops_scalar(litz_args + litz_n, "compute_mode", compute_mode);
    return litz_ops_one(graph, "aten._cdist_forward.default", litz_args, litz_n);
}

/* aten._chunk_cat.default(Tensor[] tensors, int dim, int num_chunks) -> Tensor */
static inline litz_value litz_aten__chunk_cat(litz_graph *graph, const litz_value *tensors, size_t n_tensors,
                                        int64_t dim, int64_t num_chunks) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "num_chunks", LITZ_ARG_INT, num_chunks);
    return litz_ops_one(graph, "aten._chunk_cat.default", litz_args, litz_n);
}

/* aten._conj.default(Tensor self) -> Tensor */
static inline litz_value litz_aten__conj(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten._conj.default", litz_args, litz_n);
}

/* aten._conj_copy.default(Tensor self) -> Tensor */
static inline litz_value litz_aten__conj_copy(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten._conj_copy.default", litz_args, litz_n);
}

/* aten._conj_physical.default(Tensor self) -> Tensor */
static inline litz_value litz_aten__conj_physical(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten._conj_physical.default", litz_args, litz_n);
}

/* aten._convert_weight_to_int4pack.default(Tensor self, int innerKTiles) -> Tensor */
static inline litz_value litz_aten__convert_weight_to_int4pack(litz_graph *graph, litz_value self,
                                        int64_t innerKTiles) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "innerKTiles", LITZ_ARG_INT, innerKTiles);
    return litz_ops_one(graph, "aten._convert_weight_to_int4pack.default", litz_args, litz_n);
}

/* aten._convert_weight_to_int4pack_for_cpu.default(Tensor self, int innerKTiles, *, str? layout=None) -> Tensor */
static inline litz_value litz_aten__convert_weight_to_int4pack_for_cpu(litz_graph *graph, litz_value self,
                                        int64_t innerKTiles, const char *layout) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "innerKTiles", LITZ_ARG_INT, innerKTiles);
    litz_n += litz_ops_string(litz_args + litz_n, "layout", layout);
    return litz_ops_one(graph, "aten._convert_weight_to_int4pack_for_cpu.default", litz_args, litz_n);
}

/* aten._convolution.default(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor */
static inline litz_value litz_aten__convolution(litz_graph *graph, litz_value input, litz_value weight,
                                        litz_value bias, litz_ints stride, litz_ints padding, litz_ints dilation,
                                        int32_t transposed, litz_ints output_padding, litz_scalar groups,
                                        int32_t benchmark, int32_t deterministic, int32_t cudnn_enabled,
                                        int32_t allow_tf32) {
    litz_arg litz_args[13];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_number(litz_args + litz_n, "transposed", LITZ_ARG_BOOL, transposed != 0);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_padding", output_padding);
    litz_n += litz_ops_scalar(litz_args + litz_n, "groups", groups);
    litz_n += litz_ops_number(litz_args + litz_n, "benchmark", LITZ_ARG_BOOL, benchmark != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "deterministic", LITZ_ARG_BOOL, deterministic != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "cudnn_enabled", LITZ_ARG_BOOL, cudnn_enabled != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "allow_tf32", LITZ_ARG_BOOL, allow_tf32 != 0);
    return litz_ops_one(graph, "aten._convolution.default", litz_args, litz_n);
}

/* aten._ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor) */
static inline litz_value litz_aten__ctc_loss_Tensor(litz_graph *graph, litz_value log_probs, litz_value targets,
                                        litz_value input_lengths, litz_value target_lengths, int64_t blank,
                                        int32_t zero_infinity, litz_value outs[2]) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "log_probs", log_probs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "targets", targets);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input_lengths", input_lengths);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target_lengths", target_lengths);
    litz_n += litz_ops_number(litz_args + litz_n, "blank", LITZ_ARG_INT, blank);
    litz_n += litz_ops_number(litz_args + litz_n, "zero_infinity", LITZ_ARG_BOOL, zero_infinity != 0);
    litz_ops_call(graph, "aten._ctc_loss.Tensor", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._embedding_bag.default(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor) */
static inline litz_value litz_aten__embedding_bag(litz_graph *graph, litz_value weight, litz_value indices,
                                        litz_value offsets, int32_t scale_grad_by_freq, int64_t mode,
                                        int32_t sparse, litz_value per_sample_weights, int32_t include_last_offset,
                                        int64_t padding_idx, litz_value outs[4]) {
    litz_arg litz_args[9];
    size_t litz_n = 0;
    litz_value litz_outs[4];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    litz_n += litz_ops_tensor(litz_args + litz_n, "offsets", offsets);
    litz_n += litz_ops_number(litz_args + litz_n, "scale_grad_by_freq", LITZ_ARG_BOOL, scale_grad_by_freq != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "mode", LITZ_ARG_INT, mode);
    litz_n += litz_ops_number(litz_args + litz_n, "sparse", LITZ_ARG_BOOL, sparse != 0);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "per_sample_weights", per_sample_weights);
    litz_n += litz_ops_number(litz_args + litz_n, "include_last_offset", LITZ_ARG_BOOL, include_last_offset != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "padding_idx", LITZ_ARG_INT, padding_idx);
    litz_ops_call(graph, "aten._embedding_bag.default", litz_args, litz_n, litz_outs, 4);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._embedding_bag_forward_only.default(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor) */
static inline litz_value litz_aten__embedding_bag_forward_only(litz_graph *graph, litz_value weight,
                                        litz_value indices, litz_value offsets, int32_t scale_grad_by_freq,
                                        int64_t mode, int32_t sparse, litz_value per_sample_weights,
                                        int32_t include_last_offset, int64_t padding_idx, litz_value outs[4]) {
    litz_arg litz_args[9];
    size_t litz_n = 0;
    litz_value litz_outs[4];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    litz_n += litz_ops_tensor(litz_args + litz_n, "offsets", offsets);
    litz_n += litz_ops_number(litz_args + litz_n, "scale_grad_by_freq", LITZ_ARG_BOOL, scale_grad_by_freq != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "mode", LITZ_ARG_INT, mode);
    litz_n += litz_ops_number(litz_args + litz_n, "sparse", LITZ_ARG_BOOL, sparse != 0);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "per_sample_weights", per_sample_weights);
    litz_n += litz_ops_number(litz_args + litz_n, "include_last_offset", LITZ_ARG_BOOL, include_last_offset != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "padding_idx", LITZ_ARG_INT, padding_idx);
    litz_ops_call(graph, "aten._embedding_bag_forward_only.default", litz_args, litz_n, litz_outs, 4);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._fft_c2c.default(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor */
static inline litz_value litz_aten__fft_c2c(litz_graph *graph, litz_value self, litz_ints dim,
                                        int64_t normalization, int32_t forward) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "normalization", LITZ_ARG_INT, normalization);
    litz_n += litz_ops_number(litz_args + litz_n, "forward", LITZ_ARG_BOOL, forward != 0);
    return litz_ops_one(graph, "aten._fft_c2c.default", litz_args, litz_n);
}

/* aten._fft_c2r.default(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor */
static inline litz_value litz_aten__fft_c2r(litz_graph *graph, litz_value self, litz_ints dim,
                                        int64_t normalization, litz_scalar last_dim_size) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "normalization", LITZ_ARG_INT, normalization);
    litz_n += litz_ops_scalar(litz_args + litz_n, "last_dim_size", last_dim_size);
    return litz_ops_one(graph, "aten._fft_c2r.default", litz_args, litz_n);
}

/* aten._fft_r2c.default(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor */
static inline litz_value litz_aten__fft_r2c(litz_graph *graph, litz_value self, litz_ints dim,
                                        int64_t normalization, int32_t onesided) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "normalization", LITZ_ARG_INT, normalization);
    litz_n += litz_ops_number(litz_args + litz_n, "onesided", LITZ_ARG_BOOL, onesided != 0);
    return litz_ops_one(graph, "aten._fft_r2c.default", litz_args, litz_n);
}

/* aten._fused_rms_norm.default(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> (Tensor, Tensor) */
static inline litz_value litz_aten__fused_rms_norm(litz_graph *graph, litz_value input, litz_ints normalized_shape,
                                        litz_value weight, litz_scalar eps, litz_value outs[2]) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_ints(litz_args + litz_n, "normalized_shape", normalized_shape);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_scalar(litz_args + litz_n, "eps", eps);
    litz_ops_call(graph, "aten._fused_rms_norm.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._fused_rms_norm_backward.default(Tensor grad_out, Tensor input, int[] normalized_shape, Tensor rstd, Tensor? weight, bool[2] output_mask) -> (Tensor, Tensor) */
static inline litz_value litz_aten__fused_rms_norm_backward(litz_graph *graph, litz_value grad_out,
                                        litz_value input, litz_ints normalized_shape, litz_value rstd,
                                        litz_value weight, const int64_t *output_mask, size_t n_output_mask,
                                        litz_value outs[2]) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_out", grad_out);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_ints(litz_args + litz_n, "normalized_shape", normalized_shape);
    litz_n += litz_ops_tensor(litz_args + litz_n, "rstd", rstd);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_bools(litz_args + litz_n, "output_mask", output_mask, n_output_mask);
    litz_ops_call(graph, "aten._fused_rms_norm_backward.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._grouped_mm.default(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, ScalarType? out_dtype=None) -> Tensor */
static inline litz_value litz_aten__grouped_mm(litz_graph *graph, litz_value self, litz_value mat2, litz_value offs,
                                        litz_value bias, int32_t out_dtype) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat2", mat2);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "offs", offs);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "out_dtype", LITZ_ARG_DTYPE, out_dtype);
    return litz_ops_one(graph, "aten._grouped_mm.default", litz_args, litz_n);
}

/* aten._histogramdd_bin_edges.default(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor[] */
static inline litz_value litz_aten__histogramdd_bin_edges(litz_graph *graph, litz_value self, litz_ints bins,
                                        const double *range, size_t n_range, litz_value weight, int32_t density,
                                        litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "bins", bins);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "range", range, n_range);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "density", LITZ_ARG_BOOL, density != 0);
    return litz_ops_list(graph, "aten._histogramdd_bin_edges.default", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten._histogramdd_from_bin_cts.default(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor */
static inline litz_value litz_aten__histogramdd_from_bin_cts(litz_graph *graph, litz_value self, litz_ints bins,
                                        const double *range, size_t n_range, litz_value weight, int32_t density) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "bins", bins);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "range", range, n_range);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "density", LITZ_ARG_BOOL, density != 0);
    return litz_ops_one(graph, "aten._histogramdd_from_bin_cts.default", litz_args, litz_n);
}

/* aten._histogramdd_from_bin_tensors.default(Tensor self, Tensor[] bins, *, Tensor? weight=None, bool density=False) -> Tensor */
static inline litz_value litz_aten__histogramdd_from_bin_tensors(litz_graph *graph, litz_value self,
                                        const litz_value *bins, size_t n_bins, litz_value weight, int32_t density) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensors(litz_args + litz_n, "bins", bins, n_bins);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "density", LITZ_ARG_BOOL, density != 0);
    return litz_ops_one(graph, "aten._histogramdd_from_bin_tensors.default", litz_args, litz_n);
}

/* aten._int_mm.default(Tensor self, Tensor mat2) -> Tensor */
static inline litz_value litz_aten__int_mm(litz_graph *graph, litz_value self, litz_value mat2) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat2", mat2);
    return litz_ops_one(graph, "aten._int_mm.default", litz_args, litz_n);
}

/* aten._jagged_to_padded_dense_forward.default(Tensor values, Tensor[] offsets, SymInt[] max_lengths, float padding_value=0.) -> Tensor */
static inline litz_value litz_aten__jagged_to_padded_dense_forward(litz_graph *graph, litz_value values,
                                        const litz_value *offsets, size_t n_offsets, litz_ints max_lengths,
                                        double padding_value) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "values", values);
    litz_n += litz_ops_tensors(litz_args + litz_n, "offsets", offsets, n_offsets);
    litz_n += litz_ops_ints(litz_args + litz_n, "max_lengths", max_lengths);
    litz_n += litz_ops_float(litz_args + litz_n, "padding_value", padding_value);
    return litz_ops_one(graph, "aten._jagged_to_padded_dense_forward.default", litz_args, litz_n);
}

/* aten._linalg_check_errors.default(Tensor info, str api_name, *, bool is_matrix) -> () */
static inline litz_status litz_aten__linalg_check_errors(litz_graph *graph, litz_value info, const char *api_name,
                                        int32_t is_matrix) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "info", info);
    litz_n += litz_ops_string(litz_args + litz_n, "api_name", api_name);
    litz_n += litz_ops_number(litz_args + litz_n, "is_matrix", LITZ_ARG_BOOL, is_matrix != 0);
    return litz_ops_none(graph, "aten._linalg_check_errors.default", litz_args, litz_n);
}

/* aten._linalg_det.default(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots) */
static inline litz_value litz_aten__linalg_det(litz_graph *graph, litz_value A, litz_value outs[3]) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_ops_call(graph, "aten._linalg_det.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._linalg_eigh.default(Tensor A, str UPLO='L', bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors) */
static inline litz_value litz_aten__linalg_eigh(litz_graph *graph, litz_value A, const char *UPLO,
                                        int32_t compute_v, litz_value outs[2]) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_n += litz_ops_string(litz_args + litz_n, "UPLO", UPLO);
    litz_n += litz_ops_number(litz_args + litz_n, "compute_v", LITZ_ARG_BOOL, compute_v != 0);
    litz_ops_call(graph, "aten._linalg_eigh.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._linalg_eigvals.default(Tensor self) -> Tensor */
static inline litz_value litz_aten__linalg_eigvals(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten._linalg_eigvals.default", litz_args, litz_n);
}

/* aten._linalg_slogdet.default(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots) */
static inline litz_value litz_aten__linalg_slogdet(litz_graph *graph, litz_value A, litz_value outs[4]) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_value litz_outs[4];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_ops_call(graph, "aten._linalg_slogdet.default", litz_args, litz_n, litz_outs, 4);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._linalg_solve_ex.default(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor LU, Tensor pivots, Tensor info) */
static inline litz_value litz_aten__linalg_solve_ex(litz_graph *graph, litz_value A, litz_value B, int32_t left,
                                        int32_t check_errors, litz_value outs[4]) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_value litz_outs[4];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_n += litz_ops_tensor(litz_args + litz_n, "B", B);
    litz_n += litz_ops_number(litz_args + litz_n, "left", LITZ_ARG_BOOL, left != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "check_errors", LITZ_ARG_BOOL, check_errors != 0);
    litz_ops_call(graph, "aten._linalg_solve_ex.default", litz_args, litz_n, litz_outs, 4);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._linalg_svd.default(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh) */
static inline litz_value litz_aten__linalg_svd(litz_graph *graph, litz_value A, int32_t full_matrices,
                                        int32_t compute_uv, const char *driver, litz_value outs[3]) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_n += litz_ops_number(litz_args + litz_n, "full_matrices", LITZ_ARG_BOOL, full_matrices != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "compute_uv", LITZ_ARG_BOOL, compute_uv != 0);
    litz_n += litz_ops_string(litz_args + litz_n, "driver", driver);
    litz_ops_call(graph, "aten._linalg_svd.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._log_softmax.default(Tensor self, int dim, bool half_to_float) -> Tensor */
static inline litz_value litz_aten__log_softmax(litz_graph *graph, litz_value self, int64_t dim,
                                        int32_t half_to_float) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "half_to_float", LITZ_ARG_BOOL, half_to_float != 0);
    return litz_ops_one(graph, "aten._log_softmax.default", litz_args, litz_n);
}

/* aten._log_softmax_backward_data.default(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor */
static inline litz_value litz_aten__log_softmax_backward_data(litz_graph *graph, litz_value grad_output,
                                        litz_value output, int64_t dim, int32_t input_dtype) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "output", output);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "input_dtype", LITZ_ARG_DTYPE, input_dtype);
    return litz_ops_one(graph, "aten._log_softmax_backward_data.default", litz_args, litz_n);
}

/* aten._lu_with_info.default(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU, Tensor pivots, Tensor info) */
static inline litz_value litz_aten__lu_with_info(litz_graph *graph, litz_value self, int32_t pivot,
                                        int32_t check_errors, litz_value outs[3]) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "pivot", LITZ_ARG_BOOL, pivot != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "check_errors", LITZ_ARG_BOOL, check_errors != 0);
    litz_ops_call(graph, "aten._lu_with_info.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._native_batch_norm_legit.default(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor) */
static inline litz_value litz_aten__native_batch_norm_legit(litz_graph *graph, litz_value input, litz_value weight,
                                        litz_value bias, litz_value running_mean, litz_value running_var,
                                        int32_t training, double momentum, double eps, litz_value outs[3]) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_tensor(litz_args + litz_n, "running_mean", running_mean);
    litz_n += litz_ops_tensor(litz_args + litz_n, "running_var", running_var);
    litz_n += litz_ops_number(litz_args + litz_n, "training", LITZ_ARG_BOOL, training != 0);
    litz_n += litz_ops_float(litz_args + litz_n, "momentum", momentum);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_ops_call(graph, "aten._native_batch_norm_legit.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor) */
static inline litz_value litz_aten__native_batch_norm_legit_no_stats(litz_graph *graph, litz_value input,
                                        litz_value weight, litz_value bias, int32_t training, double momentum,
                                        double eps, litz_value outs[3]) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_number(litz_args + litz_n, "training", LITZ_ARG_BOOL, training != 0);
    litz_n += litz_ops_float(litz_args + litz_n, "momentum", momentum);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_ops_call(graph, "aten._native_batch_norm_legit.no_stats", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._native_batch_norm_legit_functional.default(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out) */
static inline litz_value litz_aten__native_batch_norm_legit_functional(litz_graph *graph, litz_value input,
                                        litz_value weight, litz_value bias, litz_value running_mean,
                                        litz_value running_var, int32_t training, double momentum, double eps,
                                        litz_value outs[5]) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_value litz_outs[5];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_tensor(litz_args + litz_n, "running_mean", running_mean);
    litz_n += litz_ops_tensor(litz_args + litz_n, "running_var", running_var);
    litz_n += litz_ops_number(litz_args + litz_n, "training", LITZ_ARG_BOOL, training != 0);
    litz_n += litz_ops_float(litz_args + litz_n, "momentum", momentum);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_ops_call(graph, "aten._native_batch_norm_legit_functional.default", litz_args, litz_n, litz_outs, 5);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._native_batch_norm_legit_no_training.default(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor) */
static inline litz_value litz_aten__native_batch_norm_legit_no_training(litz_graph *graph, litz_value input,
                                        litz_value weight, litz_value bias, litz_value running_mean,
                                        litz_value running_var, double momentum, double eps, litz_value outs[3]) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_tensor(litz_args + litz_n, "running_mean", running_mean);
    litz_n += litz_ops_tensor(litz_args + litz_n, "running_var", running_var);
    litz_n += litz_ops_float(litz_args + litz_n, "momentum", momentum);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_ops_call(graph, "aten._native_batch_norm_legit_no_training.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._native_multi_head_attention.default(Tensor query, Tensor key, Tensor value, int embed_dim, int num_head, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, Tensor? mask=None, bool need_weights=True, bool average_attn_weights=True, int? mask_type=None) -> (Tensor, Tensor) */
static inline litz_value litz_aten__native_multi_head_attention(litz_graph *graph, litz_value query, litz_value key,
                                        litz_value value, int64_t embed_dim, int64_t num_head,
                                        litz_value qkv_weight, litz_value qkv_bias, litz_value proj_weight,
                                        litz_value proj_bias, litz_value mask, int32_t need_weights,
                                        int32_t average_attn_weights, litz_scalar mask_type, litz_value outs[2]) {
    litz_arg litz_args[13];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "query", query);
    litz_n += litz_ops_tensor(litz_args + litz_n, "key", key);
    litz_n += litz_ops_tensor(litz_args + litz_n, "value", value);
    litz_n += litz_ops_number(litz_args + litz_n, "embed_dim", LITZ_ARG_INT, embed_dim);
    litz_n += litz_ops_number(litz_args + litz_n, "num_head", LITZ_ARG_INT, num_head);
    litz_n += litz_ops_tensor(litz_args + litz_n, "qkv_weight", qkv_weight);
    litz_n += litz_ops_tensor(litz_args + litz_n, "qkv_bias", qkv_bias);
    litz_n += litz_ops_tensor(litz_args + litz_n, "proj_weight", proj_weight);
    litz_n += litz_ops_tensor(litz_args + litz_n, "proj_bias", proj_bias);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "mask", mask);
    litz_n += litz_ops_number(litz_args + litz_n, "need_weights", LITZ_ARG_BOOL, need_weights != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "average_attn_weights", LITZ_ARG_BOOL, average_attn_weights != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "mask_type", mask_type);
    litz_ops_call(graph, "aten._native_multi_head_attention.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._neg_view.default(Tensor self) -> Tensor */
static inline litz_value litz_aten__neg_view(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten._neg_view.default", litz_args, litz_n);
}

/* aten._neg_view_copy.default(Tensor self) -> Tensor */
static inline litz_value litz_aten__neg_view_copy(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten._neg_view_copy.default", litz_args, litz_n);
}

/* aten._padded_dense_to_jagged_forward.default(Tensor dense, Tensor[] offsets, SymInt? total_L=None) -> Tensor */
static inline litz_value litz_aten__padded_dense_to_jagged_forward(litz_graph *graph, litz_value dense,
                                        const litz_value *offsets, size_t n_offsets, litz_scalar total_L) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "dense", dense);
    litz_n += litz_ops_tensors(litz_args + litz_n, "offsets", offsets, n_offsets);
    litz_n += litz_ops_scalar(litz_args + litz_n, "total_L", total_L);
    return litz_ops_one(graph, "aten._padded_dense_to_jagged_forward.default", litz_args, litz_n);
}

/* aten._pdist_forward.default(Tensor self, float p=2.) -> Tensor */
static inline litz_value litz_aten__pdist_forward(litz_graph *graph, litz_value self, double p) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    return litz_ops_one(graph, "aten._pdist_forward.default", litz_args, litz_n);
}

/* aten._prelu_kernel.default(Tensor self, Tensor weight) -> Tensor */
static inline litz_value litz_aten__prelu_kernel(litz_graph *graph, litz_value self, litz_value weight) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    return litz_ops_one(graph, "aten._prelu_kernel.default", litz_args, litz_n);
}

/* aten._prelu_kernel_backward.default(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor) */
static inline litz_value litz_aten__prelu_kernel_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self, litz_value weight, litz_value outs[2]) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_ops_call(graph, "aten._prelu_kernel_backward.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._print.default(str s) -> () */
static inline litz_status litz_aten__print(litz_graph *graph, const char *s) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_string(litz_args + litz_n, "s", s);
    return litz_ops_none(graph, "aten._print.default", litz_args, litz_n);
}

/* aten._reshape_copy.default(Tensor self, SymInt[] size) -> Tensor */
static inline litz_value litz_aten__reshape_copy(litz_graph *graph, litz_value self, litz_ints size) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    return litz_ops_one(graph, "aten._reshape_copy.default", litz_args, litz_n);
}

/* aten._safe_softmax.default(Tensor self, int dim, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten__safe_softmax(litz_graph *graph, litz_value self, int64_t dim, int32_t dtype) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten._safe_softmax.default", litz_args, litz_n);
}

/* aten._scaled_dot_product_efficient_attention.default(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool compute_log_sumexp, float dropout_p=0.0, bool is_causal=False, *, float? scale=None) -> (Tensor output, Tensor log_sumexp, Tensor philox_seed, Tensor philox_offset) */
static inline litz_value litz_aten__scaled_dot_product_efficient_attention(litz_graph *graph, litz_value query,
                                        litz_value key, litz_value value, litz_value attn_bias,
                                        int32_t compute_log_sumexp, double dropout_p, int32_t is_causal,
                                        litz_scalar scale, litz_value outs[4]) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_value litz_outs[4];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "query", query);
    litz_n += litz_ops_tensor(litz_args + litz_n, "key", key);
    litz_n += litz_ops_tensor(litz_args + litz_n, "value", value);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "attn_bias", attn_bias);
    litz_n += litz_ops_number(litz_args + litz_n, "compute_log_sumexp", LITZ_ARG_BOOL, compute_log_sumexp != 0);
    litz_n += litz_ops_float(litz_args + litz_n, "dropout_p", dropout_p);
    litz_n += litz_ops_number(litz_args + litz_n, "is_causal", LITZ_ARG_BOOL, is_causal != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scale", scale);
    litz_ops_call(graph, "aten._scaled_dot_product_efficient_attention.default", litz_args, litz_n, litz_outs, 4);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._scaled_dot_product_efficient_attention_backward.default(Tensor grad_out_, Tensor query, Tensor key, Tensor value, Tensor? attn_bias, Tensor out, Tensor logsumexp, Tensor philox_seed, Tensor philox_offset, float dropout_p, bool[4] grad_input_mask, bool is_causal=False, *, float? scale=None) -> (Tensor, Tensor, Tensor, Tensor) */
static inline litz_value litz_aten__scaled_dot_product_efficient_attention_backward(litz_graph *graph,
                                        litz_value grad_out_, litz_value query, litz_value key, litz_value value,
                                        litz_value attn_bias, litz_value out, litz_value logsumexp,
                                        litz_value philox_seed, litz_value philox_offset, double dropout_p,
                                        const int64_t *grad_input_mask, size_t n_grad_input_mask, int32_t is_causal,
                                        litz_scalar scale, litz_value outs[4]) {
    litz_arg litz_args[13];
    size_t litz_n = 0;
    litz_value litz_outs[4];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_out_", grad_out_);
    litz_n += litz_ops_tensor(litz_args + litz_n, "query", query);
    litz_n += litz_ops_tensor(litz_args + litz_n, "key", key);
    litz_n += litz_ops_tensor(litz_args + litz_n, "value", value);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "attn_bias", attn_bias);
    litz_n += litz_ops_tensor(litz_args + litz_n, "out", out);
    litz_n += litz_ops_tensor(litz_args + litz_n, "logsumexp", logsumexp);
    litz_n += litz_ops_tensor(litz_args + litz_n, "philox_seed", philox_seed);
    litz_n += litz_ops_tensor(litz_args + litz_n, "philox_offset", philox_offset);
    litz_n += litz_ops_float(litz_args + litz_n, "dropout_p", dropout_p);
    litz_n += litz_ops_bools(litz_args + litz_n, "grad_input_mask", grad_input_mask, n_grad_input_mask);
    litz_n += litz_ops_number(litz_args + litz_n, "is_causal", LITZ_ARG_BOOL, is_causal != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scale", scale);
    litz_ops_call(graph, "aten._scaled_dot_product_efficient_attention_backward.default", litz_args, litz_n, litz_outs, 4);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._scaled_dot_product_flash_attention_for_cpu.default(Tensor query, Tensor key, Tensor value, float dropout_p=0., bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp) */
static inline litz_value litz_aten__scaled_dot_product_flash_attention_for_cpu(litz_graph *graph, litz_value query,
                                        litz_value key, litz_value value, double dropout_p, int32_t is_causal,
                                        litz_value attn_mask, litz_scalar scale, litz_value outs[2]) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "query", query);
    litz_n += litz_ops_tensor(litz_args + litz_n, "key", key);
    litz_n += litz_ops_tensor(litz_args + litz_n, "value", value);
    litz_n += litz_ops_float(litz_args + litz_n, "dropout_p", dropout_p);
    litz_n += litz_ops_number(litz_args + litz_n, "is_causal", LITZ_ARG_BOOL, is_causal != 0);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "attn_mask", attn_mask);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scale", scale);
    litz_ops_call(graph, "aten._scaled_dot_product_flash_attention_for_cpu.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._scaled_dot_product_flash_attention_for_cpu_backward.default(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, float dropout_p, bool is_causal, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor grad_query, Tensor grad_key, Tensor grad_value) */
static inline litz_value litz_aten__scaled_dot_product_flash_attention_for_cpu_backward(litz_graph *graph,
                                        litz_value grad_out, litz_value query, litz_value key, litz_value value,
                                        litz_value out, litz_value logsumexp, double dropout_p, int32_t is_causal,
                                        litz_value attn_mask, litz_scalar scale, litz_value outs[3]) {
    litz_arg litz_args[10];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_out", grad_out);
    litz_n += litz_ops_tensor(litz_args + litz_n, "query", query);
    litz_n += litz_ops_tensor(litz_args + litz_n, "key", key);
    litz_n += litz_ops_tensor(litz_args + litz_n, "value", value);
    litz_n += litz_ops_tensor(litz_args + litz_n, "out", out);
    litz_n += litz_ops_tensor(litz_args + litz_n, "logsumexp", logsumexp);
    litz_n += litz_ops_float(litz_args + litz_n, "dropout_p", dropout_p);
    litz_n += litz_ops_number(litz_args + litz_n, "is_causal", LITZ_ARG_BOOL, is_causal != 0);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "attn_mask", attn_mask);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scale", scale);
    litz_ops_call(graph, "aten._scaled_dot_product_flash_attention_for_cpu_backward.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._scaled_mm.default(Tensor self, Tensor mat2, Tensor scale_a, Tensor scale_b, Tensor? bias=None, Tensor? scale_result=None, ScalarType? out_dtype=None, bool use_fast_accum=False) -> Tensor */
static inline litz_value litz_aten__scaled_mm(litz_graph *graph, litz_value self, litz_value mat2,
                                        litz_value scale_a, litz_value scale_b, litz_value bias,
                                        litz_value scale_result, int32_t out_dtype, int32_t use_fast_accum) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat2", mat2);
    litz_n += litz_ops_tensor(litz_args + litz_n, "scale_a", scale_a);
    litz_n += litz_ops_tensor(litz_args + litz_n, "scale_b", scale_b);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "scale_result", scale_result);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "out_dtype", LITZ_ARG_DTYPE, out_dtype);
    litz_n += litz_ops_number(litz_args + litz_n, "use_fast_accum", LITZ_ARG_BOOL, use_fast_accum != 0);
    return litz_ops_one(graph, "aten._scaled_mm.default", litz_args, litz_n);
}

/* aten._scaled_mm_v2.default(Tensor self, Tensor mat2, Tensor[] scale_a, int[] recipe_a, int[] swizzle_a, Tensor[] scale_b, int[] recipe_b, int[] swizzle_b, Tensor? bias, ScalarType? out_dtype, int[] contraction_dim=[], bool use_fast_accum=False) -> Tensor */
static inline litz_value litz_aten__scaled_mm_v2(litz_graph *graph, litz_value self, litz_value mat2,
                                        const litz_value *scale_a, size_t n_scale_a, litz_ints recipe_a,
                                        litz_ints swizzle_a, const litz_value *scale_b, size_t n_scale_b,
                                        litz_ints recipe_b, litz_ints swizzle_b, litz_value bias, int32_t out_dtype,
                                        litz_ints contraction_dim, int32_t use_fast_accum) {
    litz_arg litz_args[12];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat2", mat2);
    litz_n += litz_ops_tensors(litz_args + litz_n, "scale_a", scale_a, n_scale_a);
    litz_n += litz_ops_ints(litz_args + litz_n, "recipe_a", recipe_a);
    litz_n += litz_ops_ints(litz_args + litz_n, "swizzle_a", swizzle_a);
    litz_n += litz_ops_tensors(litz_args + litz_n, "scale_b", scale_b, n_scale_b);
    litz_n += litz_ops_ints(litz_args + litz_n, "recipe_b", recipe_b);
    litz_n += litz_ops_ints(litz_args + litz_n, "swizzle_b", swizzle_b);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "out_dtype", LITZ_ARG_DTYPE, out_dtype);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "contraction_dim", contraction_dim);
    litz_n += litz_ops_number(litz_args + litz_n, "use_fast_accum", LITZ_ARG_BOOL, use_fast_accum != 0);
    return litz_ops_one(graph, "aten._scaled_mm_v2.default", litz_args, litz_n);
}

/* aten._segment_reduce_backward.default(Tensor grad, Tensor output, Tensor data, str reduce, *, Tensor? lengths=None, Tensor? offsets=None, int axis=0, Scalar? initial=None) -> Tensor */
static inline litz_value litz_aten__segment_reduce_backward(litz_graph *graph, litz_value grad, litz_value output,
                                        litz_value data, const char *reduce, litz_value lengths, litz_value offsets,
                                        int64_t axis, litz_scalar initial) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad", grad);
    litz_n += litz_ops_tensor(litz_args + litz_n, "output", output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "data", data);
    litz_n += litz_ops_string(litz_args + litz_n, "reduce", reduce);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "lengths", lengths);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "offsets", offsets);
    litz_n += litz_ops_number(litz_args + litz_n, "axis", LITZ_ARG_INT, axis);
    litz_n += litz_ops_scalar(litz_args + litz_n, "initial", initial);
    return litz_ops_one(graph, "aten._segment_reduce_backward.default", litz_args, litz_n);
}

/* aten._softmax.default(Tensor self, int dim, bool half_to_float) -> Tensor */
static inline litz_value litz_aten__softmax(litz_graph *graph, litz_value self, int64_t dim, int32_t half_to_float) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "half_to_float", LITZ_ARG_BOOL, half_to_float != 0);
    return litz_ops_one(graph, "aten._softmax.default", litz_args, litz_n);
}

/* aten._softmax_backward_data.default(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor */
static inline litz_value litz_aten__softmax_backward_data(litz_graph *graph, litz_value grad_output,
                                        litz_value output, int64_t dim, int32_t input_dtype) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "output", output);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "input_dtype", LITZ_ARG_DTYPE, input_dtype);
    return litz_ops_one(graph, "aten._softmax_backward_data.default", litz_args, litz_n);
}

/* aten._to_copy.default(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten__to_copy(litz_graph *graph, litz_value self, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory, int32_t non_blocking,
                                        int32_t memory_format) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    litz_n += litz_ops_number(litz_args + litz_n, "non_blocking", LITZ_ARG_BOOL, non_blocking != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten._to_copy.default", litz_args, litz_n);
}

/* aten._transformer_encoder_layer_fwd.default(Tensor src, int embed_dim, int num_heads, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, bool use_gelu, bool norm_first, float eps, Tensor norm_weight_1, Tensor norm_bias_1, Tensor norm_weight_2, Tensor norm_bias_2, Tensor ffn_weight_1, Tensor ffn_bias_1, Tensor ffn_weight_2, Tensor ffn_bias_2, Tensor? mask=None, int? mask_type=None) -> Tensor */
static inline litz_value litz_aten__transformer_encoder_layer_fwd(litz_graph *graph, litz_value src,
                                        int64_t embed_dim, int64_t num_heads, litz_value qkv_weight,
                                        litz_value qkv_bias, litz_value proj_weight, litz_value proj_bias,
                                        int32_t use_gelu, int32_t norm_first, double eps, litz_value norm_weight_1,
                                        litz_value norm_bias_1, litz_value norm_weight_2, litz_value norm_bias_2,
                                        litz_value ffn_weight_1, litz_value ffn_bias_1, litz_value ffn_weight_2,
                                        litz_value ffn_bias_2, litz_value mask, litz_scalar mask_type) {
    litz_arg litz_args[20];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "src", src);
    litz_n += litz_ops_number(litz_args + litz_n, "embed_dim", LITZ_ARG_INT, embed_dim);
    litz_n += litz_ops_number(litz_args + litz_n, "num_heads", LITZ_ARG_INT, num_heads);
    litz_n += litz_ops_tensor(litz_args + litz_n, "qkv_weight", qkv_weight);
    litz_n += litz_ops_tensor(litz_args + litz_n, "qkv_bias", qkv_bias);
    litz_n += litz_ops_tensor(litz_args + litz_n, "proj_weight", proj_weight);
    litz_n += litz_ops_tensor(litz_args + litz_n, "proj_bias", proj_bias);
    litz_n += litz_ops_number(litz_args + litz_n, "use_gelu", LITZ_ARG_BOOL, use_gelu != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "norm_first", LITZ_ARG_BOOL, norm_first != 0);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_n += litz_ops_tensor(litz_args + litz_n, "norm_weight_1", norm_weight_1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "norm_bias_1", norm_bias_1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "norm_weight_2", norm_weight_2);
    litz_n += litz_ops_tensor(litz_args + litz_n, "norm_bias_2", norm_bias_2);
    litz_n += litz_ops_tensor(litz_args + litz_n, "ffn_weight_1", ffn_weight_1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "ffn_bias_1", ffn_bias_1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "ffn_weight_2", ffn_weight_2);
    litz_n += litz_ops_tensor(litz_args + litz_n, "ffn_bias_2", ffn_bias_2);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "mask", mask);
    litz_n += litz_ops_scalar(litz_args + litz_n, "mask_type", mask_type);
    return litz_ops_one(graph, "aten._transformer_encoder_layer_fwd.default", litz_args, litz_n);
}

/* aten._trilinear.default(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] sumdim, int unroll_dim=1) -> Tensor */
static inline litz_value litz_aten__trilinear(litz_graph *graph, litz_value i1, litz_value i2, litz_value i3,
                                        litz_ints expand1, litz_ints expand2, litz_ints expand3, litz_ints sumdim,
                                        int64_t unroll_dim) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "i1", i1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "i2", i2);
    litz_n += litz_ops_tensor(litz_args + litz_n, "i3", i3);
    litz_n += litz_ops_ints(litz_args + litz_n, "expand1", expand1);
    litz_n += litz_ops_ints(litz_args + litz_n, "expand2", expand2);
    litz_n += litz_ops_ints(litz_args + litz_n, "expand3", expand3);
    litz_n += litz_ops_ints(litz_args + litz_n, "sumdim", sumdim);
    litz_n += litz_ops_number(litz_args + litz_n, "unroll_dim", LITZ_ARG_INT, unroll_dim);
    return litz_ops_one(graph, "aten._trilinear.default", litz_args, litz_n);
}

/* aten._unique2.default(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor) */
static inline litz_value litz_aten__unique2(litz_graph *graph, litz_value self, int32_t sorted,
                                        int32_t return_inverse, int32_t return_counts, litz_value outs[3]) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "sorted", LITZ_ARG_BOOL, sorted != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "return_inverse", LITZ_ARG_BOOL, return_inverse != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "return_counts", LITZ_ARG_BOOL, return_counts != 0);
    litz_ops_call(graph, "aten._unique2.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor */
static inline litz_value litz_aten__unsafe_index_Tensor(litz_graph *graph, litz_value self,
                                        const litz_value *indices, size_t n_indices) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensors(litz_args + litz_n, "indices", indices, n_indices);
    return litz_ops_one(graph, "aten._unsafe_index.Tensor", litz_args, litz_n);
}

/* aten._unsafe_index_put.default(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor */
static inline litz_value litz_aten__unsafe_index_put(litz_graph *graph, litz_value self, const litz_value *indices,
                                        size_t n_indices, litz_value values, int32_t accumulate) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensors(litz_args + litz_n, "indices", indices, n_indices);
    litz_n += litz_ops_tensor(litz_args + litz_n, "values", values);
    litz_n += litz_ops_number(litz_args + litz_n, "accumulate", LITZ_ARG_BOOL, accumulate != 0);
    return litz_ops_one(graph, "aten._unsafe_index_put.default", litz_args, litz_n);
}

/* aten._unsafe_masked_index.default(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor */
static inline litz_value litz_aten__unsafe_masked_index(litz_graph *graph, litz_value self, litz_value mask,
                                        const litz_value *indices, size_t n_indices, litz_scalar fill) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mask", mask);
    litz_n += litz_ops_tensors(litz_args + litz_n, "indices", indices, n_indices);
    litz_n += litz_ops_scalar(litz_args + litz_n, "fill", fill);
    return litz_ops_one(graph, "aten._unsafe_masked_index.default", litz_args, litz_n);
}

/* aten._unsafe_masked_index_put_accumulate.default(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor */
static inline litz_value litz_aten__unsafe_masked_index_put_accumulate(litz_graph *graph, litz_value self,
                                        litz_value mask, const litz_value *indices, size_t n_indices,
                                        litz_value values) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mask", mask);
    litz_n += litz_ops_tensors(litz_args + litz_n, "indices", indices, n_indices);
    litz_n += litz_ops_tensor(litz_args + litz_n, "values", values);
    return litz_ops_one(graph, "aten._unsafe_masked_index_put_accumulate.default", litz_args, litz_n);
}

/* aten._unsafe_view.default(Tensor self, SymInt[] size) -> Tensor */
static inline litz_value litz_aten__unsafe_view(litz_graph *graph, litz_value self, litz_ints size) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    return litz_ops_one(graph, "aten._unsafe_view.default", litz_args, litz_n);
}

/* aten._upsample_bicubic2d_aa.default(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten__upsample_bicubic2d_aa(litz_graph *graph, litz_value self, litz_ints output_size,
                                        int32_t align_corners, litz_scalar scales_h, litz_scalar scales_w) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten._upsample_bicubic2d_aa.default", litz_args, litz_n);
}

/* aten._upsample_bicubic2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor */
static inline litz_value litz_aten__upsample_bicubic2d_aa_vec(litz_graph *graph, litz_value input,
                                        litz_ints output_size, int32_t align_corners, const double *scale_factors,
                                        size_t n_scale_factors) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "scale_factors", scale_factors, n_scale_factors);
    return litz_ops_one(graph, "aten._upsample_bicubic2d_aa.vec", litz_args, litz_n);
}

/* aten._upsample_bicubic2d_aa_backward.default(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten__upsample_bicubic2d_aa_backward(litz_graph *graph, litz_value grad_output,
                                        litz_ints output_size, litz_ints input_size, int32_t align_corners,
                                        litz_scalar scales_h, litz_scalar scales_w) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "input_size", input_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten._upsample_bicubic2d_aa_backward.default", litz_args, litz_n);
}

/* aten._upsample_bilinear2d_aa.default(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten__upsample_bilinear2d_aa(litz_graph *graph, litz_value self,
                                        litz_ints output_size, int32_t align_corners, litz_scalar scales_h,
                                        litz_scalar scales_w) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten._upsample_bilinear2d_aa.default", litz_args, litz_n);
}

/* aten._upsample_bilinear2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor */
static inline litz_value litz_aten__upsample_bilinear2d_aa_vec(litz_graph *graph, litz_value input,
                                        litz_ints output_size, int32_t align_corners, const double *scale_factors,
                                        size_t n_scale_factors) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "scale_factors", scale_factors, n_scale_factors);
    return litz_ops_one(graph, "aten._upsample_bilinear2d_aa.vec", litz_args, litz_n);
}

/* aten._upsample_bilinear2d_aa_backward.default(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten__upsample_bilinear2d_aa_backward(litz_graph *graph, litz_value grad_output,
                                        litz_ints output_size, litz_ints input_size, int32_t align_corners,
                                        litz_scalar scales_h, litz_scalar scales_w) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "input_size", input_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten._upsample_bilinear2d_aa_backward.default", litz_args, litz_n);
}

/* aten._upsample_nearest_exact1d.default(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor */
static inline litz_value litz_aten__upsample_nearest_exact1d(litz_graph *graph, litz_value self,
                                        litz_ints output_size, litz_scalar scales) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales", scales);
    return litz_ops_one(graph, "aten._upsample_nearest_exact1d.default", litz_args, litz_n);
}

/* aten._upsample_nearest_exact1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor */
static inline litz_value litz_aten__upsample_nearest_exact1d_vec(litz_graph *graph, litz_value input,
                                        litz_ints output_size, const double *scale_factors, size_t n_scale_factors) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "scale_factors", scale_factors, n_scale_factors);
    return litz_ops_one(graph, "aten._upsample_nearest_exact1d.vec", litz_args, litz_n);
}

/* aten._upsample_nearest_exact1d_backward.default(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, float? scales=None) -> Tensor */
static inline litz_value litz_aten__upsample_nearest_exact1d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_ints output_size, litz_ints input_size, litz_scalar scales) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "input_size", input_size);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales", scales);
    return litz_ops_one(graph, "aten._upsample_nearest_exact1d_backward.default", litz_args, litz_n);
}

/* aten._upsample_nearest_exact2d.default(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten__upsample_nearest_exact2d(litz_graph *graph, litz_value self,
                                        litz_ints output_size, litz_scalar scales_h, litz_scalar scales_w) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten._upsample_nearest_exact2d.default", litz_args, litz_n);
}

/* aten._upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor */
static inline litz_value litz_aten__upsample_nearest_exact2d_vec(litz_graph *graph, litz_value input,
                                        litz_ints output_size, const double *scale_factors, size_t n_scale_factors) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "scale_factors", scale_factors, n_scale_factors);
    return litz_ops_one(graph, "aten._upsample_nearest_exact2d.vec", litz_args, litz_n);
}

/* aten._upsample_nearest_exact2d_backward.default(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten__upsample_nearest_exact2d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_ints output_size, litz_ints input_size, litz_scalar scales_h,
                                        litz_scalar scales_w) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "input_size", input_size);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten._upsample_nearest_exact2d_backward.default", litz_args, litz_n);
}

/* aten._upsample_nearest_exact3d.default(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten__upsample_nearest_exact3d(litz_graph *graph, litz_value self,
                                        litz_ints output_size, litz_scalar scales_d, litz_scalar scales_h,
                                        litz_scalar scales_w) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_d", scales_d);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten._upsample_nearest_exact3d.default", litz_args, litz_n);
}

/* aten._upsample_nearest_exact3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor */
static inline litz_value litz_aten__upsample_nearest_exact3d_vec(litz_graph *graph, litz_value input,
                                        litz_ints output_size, const double *scale_factors, size_t n_scale_factors) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "scale_factors", scale_factors, n_scale_factors);
    return litz_ops_one(graph, "aten._upsample_nearest_exact3d.vec", litz_args, litz_n);
}

/* aten._upsample_nearest_exact3d_backward.default(Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten__upsample_nearest_exact3d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_ints output_size, litz_ints input_size, litz_scalar scales_d,
                                        litz_scalar scales_h, litz_scalar scales_w) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "input_size", input_size);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_d", scales_d);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten._upsample_nearest_exact3d_backward.default", litz_args, litz_n);
}

/* aten._weight_int4pack_mm.default(Tensor self, Tensor mat2, int qGroupSize, Tensor qScaleAndZeros) -> Tensor */
static inline litz_value litz_aten__weight_int4pack_mm(litz_graph *graph, litz_value self, litz_value mat2,
                                        int64_t qGroupSize, litz_value qScaleAndZeros) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat2", mat2);
    litz_n += litz_ops_number(litz_args + litz_n, "qGroupSize", LITZ_ARG_INT, qGroupSize);
    litz_n += litz_ops_tensor(litz_args + litz_n, "qScaleAndZeros", qScaleAndZeros);
    return litz_ops_one(graph, "aten._weight_int4pack_mm.default", litz_args, litz_n);
}

/* aten._weight_int4pack_mm_for_cpu.default(Tensor self, Tensor mat2, int qGroupSize, Tensor qScaleAndZeros, *, str? layout=None) -> Tensor */
static inline litz_value litz_aten__weight_int4pack_mm_for_cpu(litz_graph *graph, litz_value self, litz_value mat2,
                                        int64_t qGroupSize, litz_value qScaleAndZeros, const char *layout) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat2", mat2);
    litz_n += litz_ops_number(litz_args + litz_n, "qGroupSize", LITZ_ARG_INT, qGroupSize);
    litz_n += litz_ops_tensor(litz_args + litz_n, "qScaleAndZeros", qScaleAndZeros);
    litz_n += litz_ops_string(litz_args + litz_n, "layout", layout);
    return litz_ops_one(graph, "aten._weight_int4pack_mm_for_cpu.default", litz_args, litz_n);
}

/* aten._weight_int4pack_mm_with_scales_and_zeros.default(Tensor self, Tensor mat2, int qGroupSize, Tensor qScale, Tensor qZeros) -> Tensor */
static inline litz_value litz_aten__weight_int4pack_mm_with_scales_and_zeros(litz_graph *graph, litz_value self,
                                        litz_value mat2, int64_t qGroupSize, litz_value qScale, litz_value qZeros) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat2", mat2);
    litz_n += litz_ops_number(litz_args + litz_n, "qGroupSize", LITZ_ARG_INT, qGroupSize);
    litz_n += litz_ops_tensor(litz_args + litz_n, "qScale", qScale);
    litz_n += litz_ops_tensor(litz_args + litz_n, "qZeros", qZeros);
    return litz_ops_one(graph, "aten._weight_int4pack_mm_with_scales_and_zeros.default", litz_args, litz_n);
}

/* aten._weight_int8pack_mm.default(Tensor self, Tensor mat2, Tensor scales) -> Tensor */
static inline litz_value litz_aten__weight_int8pack_mm(litz_graph *graph, litz_value self, litz_value mat2,
                                        litz_value scales) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat2", mat2);
    litz_n += litz_ops_tensor(litz_args + litz_n, "scales", scales);
    return litz_ops_one(graph, "aten._weight_int8pack_mm.default", litz_args, litz_n);
}

/* aten._weight_norm.default(Tensor v, Tensor g, int dim=0) -> Tensor */
static inline litz_value litz_aten__weight_norm(litz_graph *graph, litz_value v, litz_value g, int64_t dim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "v", v);
    litz_n += litz_ops_tensor(litz_args + litz_n, "g", g);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten._weight_norm.default", litz_args, litz_n);
}

/* aten._weight_norm_interface.default(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor) */
static inline litz_value litz_aten__weight_norm_interface(litz_graph *graph, litz_value v, litz_value g,
                                        int64_t dim, litz_value outs[2]) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "v", v);
    litz_n += litz_ops_tensor(litz_args + litz_n, "g", g);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_ops_call(graph, "aten._weight_norm_interface.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten._weight_norm_interface_backward.default(Tensor grad_w, Tensor saved_v, Tensor saved_g, Tensor saved_norms, int dim) -> (Tensor, Tensor) */
static inline litz_value litz_aten__weight_norm_interface_backward(litz_graph *graph, litz_value grad_w,
                                        litz_value saved_v, litz_value saved_g, litz_value saved_norms, int64_t dim,
                                        litz_value outs[2]) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_w", grad_w);
    litz_n += litz_ops_tensor(litz_args + litz_n, "saved_v", saved_v);
    litz_n += litz_ops_tensor(litz_args + litz_n, "saved_g", saved_g);
    litz_n += litz_ops_tensor(litz_args + litz_n, "saved_norms", saved_norms);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_ops_call(graph, "aten._weight_norm_interface_backward.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.abs.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_abs(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.abs.default", litz_args, litz_n);
}

/* aten.abs_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_abs_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.abs_.default", litz_args, litz_n);
}

/* aten.absolute.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_absolute(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.absolute.default", litz_args, litz_n);
}

/* aten.absolute_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_absolute_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.absolute_.default", litz_args, litz_n);
}

/* aten.acos.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_acos(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.acos.default", litz_args, litz_n);
}

/* aten.acos_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_acos_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.acos_.default", litz_args, litz_n);
}

/* aten.acosh.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_acosh(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.acosh.default", litz_args, litz_n);
}

/* aten.acosh_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_acosh_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.acosh_.default", litz_args, litz_n);
}

/* aten.adaptive_avg_pool1d.default(Tensor self, int[1] output_size) -> Tensor */
static inline litz_value litz_aten_adaptive_avg_pool1d(litz_graph *graph, litz_value self, litz_ints output_size) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    return litz_ops_one(graph, "aten.adaptive_avg_pool1d.default", litz_args, litz_n);
}

/* aten.adaptive_avg_pool2d.default(Tensor self, SymInt[2] output_size) -> Tensor */
static inline litz_value litz_aten_adaptive_avg_pool2d(litz_graph *graph, litz_value self, litz_ints output_size) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    return litz_ops_one(graph, "aten.adaptive_avg_pool2d.default", litz_args, litz_n);
}

/* aten.adaptive_avg_pool3d.default(Tensor self, SymInt[3] output_size) -> Tensor */
static inline litz_value litz_aten_adaptive_avg_pool3d(litz_graph *graph, litz_value self, litz_ints output_size) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    return litz_ops_one(graph, "aten.adaptive_avg_pool3d.default", litz_args, litz_n);
}

/* aten.adaptive_max_pool1d.default(Tensor self, int[1] output_size) -> (Tensor, Tensor) */
static inline litz_value litz_aten_adaptive_max_pool1d(litz_graph *graph, litz_value self, litz_ints output_size,
                                        litz_value outs[2]) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_ops_call(graph, "aten.adaptive_max_pool1d.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.adaptive_max_pool2d.default(Tensor self, int[2] output_size) -> (Tensor, Tensor) */
static inline litz_value litz_aten_adaptive_max_pool2d(litz_graph *graph, litz_value self, litz_ints output_size,
                                        litz_value outs[2]) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_ops_call(graph, "aten.adaptive_max_pool2d.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.adaptive_max_pool2d_backward.default(Tensor grad_output, Tensor self, Tensor indices) -> Tensor */
static inline litz_value litz_aten_adaptive_max_pool2d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self, litz_value indices) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    return litz_ops_one(graph, "aten.adaptive_max_pool2d_backward.default", litz_args, litz_n);
}

/* aten.adaptive_max_pool3d.default(Tensor self, int[3] output_size) -> (Tensor, Tensor) */
static inline litz_value litz_aten_adaptive_max_pool3d(litz_graph *graph, litz_value self, litz_ints output_size,
                                        litz_value outs[2]) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_ops_call(graph, "aten.adaptive_max_pool3d.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.adaptive_max_pool3d_backward.default(Tensor grad_output, Tensor self, Tensor indices) -> Tensor */
static inline litz_value litz_aten_adaptive_max_pool3d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self, litz_value indices) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    return litz_ops_one(graph, "aten.adaptive_max_pool3d_backward.default", litz_args, litz_n);
}

/* aten.add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_add_Scalar(litz_graph *graph, litz_value self, litz_scalar other,
                                        litz_scalar alpha) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.add.Scalar", litz_args, litz_n);
}

/* aten.add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_add_Tensor(litz_graph *graph, litz_value self, litz_value other,
                                        litz_scalar alpha) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.add.Tensor", litz_args, litz_n);
}

/* aten.add_.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_add__Scalar(litz_graph *graph, litz_value self, litz_scalar other,
                                        litz_scalar alpha) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.add_.Scalar", litz_args, litz_n);
}

/* aten.add_.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_add__Tensor(litz_graph *graph, litz_value self, litz_value other,
                                        litz_scalar alpha) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.add_.Tensor", litz_args, litz_n);
}

/* aten.addbmm.default(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_addbmm(litz_graph *graph, litz_value self, litz_value batch1, litz_value batch2,
                                        litz_scalar beta, litz_scalar alpha) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "batch1", batch1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "batch2", batch2);
    litz_n += litz_ops_scalar(litz_args + litz_n, "beta", beta);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.addbmm.default", litz_args, litz_n);
}

/* aten.addbmm_.default(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_addbmm_(litz_graph *graph, litz_value self, litz_value batch1, litz_value batch2,
                                        litz_scalar beta, litz_scalar alpha) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "batch1", batch1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "batch2", batch2);
    litz_n += litz_ops_scalar(litz_args + litz_n, "beta", beta);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.addbmm_.default", litz_args, litz_n);
}

/* aten.addcdiv.default(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor */
static inline litz_value litz_aten_addcdiv(litz_graph *graph, litz_value self, litz_value tensor1,
                                        litz_value tensor2, litz_scalar value) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "tensor1", tensor1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "tensor2", tensor2);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.addcdiv.default", litz_args, litz_n);
}

/* aten.addcdiv_.default(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor */
static inline litz_value litz_aten_addcdiv_(litz_graph *graph, litz_value self, litz_value tensor1,
                                        litz_value tensor2, litz_scalar value) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "tensor1", tensor1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "tensor2", tensor2);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.addcdiv_.default", litz_args, litz_n);
}

/* aten.addcmul.default(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor */
static inline litz_value litz_aten_addcmul(litz_graph *graph, litz_value self, litz_value tensor1,
                                        litz_value tensor2, litz_scalar value) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "tensor1", tensor1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "tensor2", tensor2);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.addcmul.default", litz_args, litz_n);
}

/* aten.addcmul_.default(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor */
static inline litz_value litz_aten_addcmul_(litz_graph *graph, litz_value self, litz_value tensor1,
                                        litz_value tensor2, litz_scalar value) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "tensor1", tensor1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "tensor2", tensor2);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.addcmul_.default", litz_args, litz_n);
}

/* aten.addmm.default(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_addmm(litz_graph *graph, litz_value self, litz_value mat1, litz_value mat2,
                                        litz_scalar beta, litz_scalar alpha) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat1", mat1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat2", mat2);
    litz_n += litz_ops_scalar(litz_args + litz_n, "beta", beta);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.addmm.default", litz_args, litz_n);
}

/* aten.addmm_.default(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_addmm_(litz_graph *graph, litz_value self, litz_value mat1, litz_value mat2,
                                        litz_scalar beta, litz_scalar alpha) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat1", mat1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat2", mat2);
    litz_n += litz_ops_scalar(litz_args + litz_n, "beta", beta);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.addmm_.default", litz_args, litz_n);
}

/* aten.addmv.default(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_addmv(litz_graph *graph, litz_value self, litz_value mat, litz_value vec,
                                        litz_scalar beta, litz_scalar alpha) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat", mat);
    litz_n += litz_ops_tensor(litz_args + litz_n, "vec", vec);
    litz_n += litz_ops_scalar(litz_args + litz_n, "beta", beta);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.addmv.default", litz_args, litz_n);
}

/* aten.addmv_.default(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_addmv_(litz_graph *graph, litz_value self, litz_value mat, litz_value vec,
                                        litz_scalar beta, litz_scalar alpha) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat", mat);
    litz_n += litz_ops_tensor(litz_args + litz_n, "vec", vec);
    litz_n += litz_ops_scalar(litz_args + litz_n, "beta", beta);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.addmv_.default", litz_args, litz_n);
}

/* aten.addr.default(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_addr(litz_graph *graph, litz_value self, litz_value vec1, litz_value vec2,
                                        litz_scalar beta, litz_scalar alpha) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "vec1", vec1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "vec2", vec2);
    litz_n += litz_ops_scalar(litz_args + litz_n, "beta", beta);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.addr.default", litz_args, litz_n);
}

/* aten.addr_.default(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_addr_(litz_graph *graph, litz_value self, litz_value vec1, litz_value vec2,
                                        litz_scalar beta, litz_scalar alpha) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "vec1", vec1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "vec2", vec2);
    litz_n += litz_ops_scalar(litz_args + litz_n, "beta", beta);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.addr_.default", litz_args, litz_n);
}

/* aten.adjoint.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_adjoint(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.adjoint.default", litz_args, litz_n);
}

/* aten.affine_grid_generator.default(Tensor theta, SymInt[] size, bool align_corners) -> Tensor */
static inline litz_value litz_aten_affine_grid_generator(litz_graph *graph, litz_value theta, litz_ints size,
                                        int32_t align_corners) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "theta", theta);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    return litz_ops_one(graph, "aten.affine_grid_generator.default", litz_args, litz_n);
}

/* aten.alias.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_alias(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.alias.default", litz_args, litz_n);
}

/* aten.alias_copy.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_alias_copy(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.alias_copy.default", litz_args, litz_n);
}

/* aten.all.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_all(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.all.default", litz_args, litz_n);
}

/* aten.all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_all_dim(litz_graph *graph, litz_value self, int64_t dim, int32_t keepdim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.all.dim", litz_args, litz_n);
}

/* aten.all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_all_dims(litz_graph *graph, litz_value self, litz_ints dim, int32_t keepdim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.all.dims", litz_args, litz_n);
}

/* aten.alpha_dropout.default(Tensor input, float p, bool train) -> Tensor */
static inline litz_value litz_aten_alpha_dropout(litz_graph *graph, litz_value input, double p, int32_t train) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    litz_n += litz_ops_number(litz_args + litz_n, "train", LITZ_ARG_BOOL, train != 0);
    return litz_ops_one(graph, "aten.alpha_dropout.default", litz_args, litz_n);
}

/* aten.alpha_dropout_.default(Tensor input, float p, bool train) -> Tensor */
static inline litz_value litz_aten_alpha_dropout_(litz_graph *graph, litz_value input, double p, int32_t train) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    litz_n += litz_ops_number(litz_args + litz_n, "train", LITZ_ARG_BOOL, train != 0);
    return litz_ops_one(graph, "aten.alpha_dropout_.default", litz_args, litz_n);
}

/* aten.amax.default(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_amax(litz_graph *graph, litz_value self, litz_ints dim, int32_t keepdim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.amax.default", litz_args, litz_n);
}

/* aten.amin.default(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_amin(litz_graph *graph, litz_value self, litz_ints dim, int32_t keepdim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.amin.default", litz_args, litz_n);
}

/* aten.aminmax.default(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max) */
static inline litz_value litz_aten_aminmax(litz_graph *graph, litz_value self, litz_scalar dim, int32_t keepdim,
                                        litz_value outs[2]) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_ops_call(graph, "aten.aminmax.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.angle.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_angle(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.angle.default", litz_args, litz_n);
}

/* aten.any.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_any(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.any.default", litz_args, litz_n);
}

/* aten.any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_any_dim(litz_graph *graph, litz_value self, int64_t dim, int32_t keepdim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.any.dim", litz_args, litz_n);
}

/* aten.any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_any_dims(litz_graph *graph, litz_value self, litz_ints dim, int32_t keepdim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.any.dims", litz_args, litz_n);
}

/* aten.arange.default(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_arange(litz_graph *graph, litz_scalar end, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "end", end);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.arange.default", litz_args, litz_n);
}

/* aten.arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_arange_start(litz_graph *graph, litz_scalar start, litz_scalar end,
                                        int32_t dtype, int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "start", start);
    litz_n += litz_ops_scalar(litz_args + litz_n, "end", end);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.arange.start", litz_args, litz_n);
}

/* aten.arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_arange_start_step(litz_graph *graph, litz_scalar start, litz_scalar end,
                                        litz_scalar step, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "start", start);
    litz_n += litz_ops_scalar(litz_args + litz_n, "end", end);
    litz_n += litz_ops_scalar(litz_args + litz_n, "step", step);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.arange.start_step", litz_args, litz_n);
}

/* aten.arccos.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_arccos(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.arccos.default", litz_args, litz_n);
}

/* aten.arccos_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_arccos_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.arccos_.default", litz_args, litz_n);
}

/* aten.arccosh.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_arccosh(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.arccosh.default", litz_args, litz_n);
}

/* aten.arccosh_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_arccosh_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.arccosh_.default", litz_args, litz_n);
}

/* aten.arcsin.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_arcsin(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.arcsin.default", litz_args, litz_n);
}

/* aten.arcsin_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_arcsin_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.arcsin_.default", litz_args, litz_n);
}

/* aten.arcsinh.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_arcsinh(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.arcsinh.default", litz_args, litz_n);
}

/* aten.arcsinh_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_arcsinh_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.arcsinh_.default", litz_args, litz_n);
}

/* aten.arctan.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_arctan(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.arctan.default", litz_args, litz_n);
}

/* aten.arctan2.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_arctan2(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.arctan2.default", litz_args, litz_n);
}

/* aten.arctan2_.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_arctan2_(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.arctan2_.default", litz_args, litz_n);
}

/* aten.arctan_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_arctan_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.arctan_.default", litz_args, litz_n);
}

/* aten.arctanh.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_arctanh(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.arctanh.default", litz_args, litz_n);
}

/* aten.arctanh_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_arctanh_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.arctanh_.default", litz_args, litz_n);
}

/* aten.argmax.default(Tensor self, int? dim=None, bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_argmax(litz_graph *graph, litz_value self, litz_scalar dim, int32_t keepdim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.argmax.default", litz_args, litz_n);
}

/* aten.argmin.default(Tensor self, int? dim=None, bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_argmin(litz_graph *graph, litz_value self, litz_scalar dim, int32_t keepdim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.argmin.default", litz_args, litz_n);
}

/* aten.argsort.default(Tensor self, int dim=-1, bool descending=False) -> Tensor */
static inline litz_value litz_aten_argsort(litz_graph *graph, litz_value self, int64_t dim, int32_t descending) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "descending", LITZ_ARG_BOOL, descending != 0);
    return litz_ops_one(graph, "aten.argsort.default", litz_args, litz_n);
}

/* aten.argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor */
static inline litz_value litz_aten_argsort_stable(litz_graph *graph, litz_value self, int32_t stable, int64_t dim,
                                        int32_t descending) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "stable", LITZ_ARG_BOOL, stable != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "descending", LITZ_ARG_BOOL, descending != 0);
    return litz_ops_one(graph, "aten.argsort.stable", litz_args, litz_n);
}

/* aten.argwhere.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_argwhere(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.argwhere.default", litz_args, litz_n);
}

/* aten.as_strided.default(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor */
static inline litz_value litz_aten_as_strided(litz_graph *graph, litz_value self, litz_ints size, litz_ints stride,
                                        litz_scalar storage_offset) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_scalar(litz_args + litz_n, "storage_offset", storage_offset);
    return litz_ops_one(graph, "aten.as_strided.default", litz_args, litz_n);
}

/* aten.as_strided_copy.default(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor */
static inline litz_value litz_aten_as_strided_copy(litz_graph *graph, litz_value self, litz_ints size,
                                        litz_ints stride, litz_scalar storage_offset) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_scalar(litz_args + litz_n, "storage_offset", storage_offset);
    return litz_ops_one(graph, "aten.as_strided_copy.default", litz_args, litz_n);
}

/* aten.as_strided_scatter.default(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor */
static inline litz_value litz_aten_as_strided_scatter(litz_graph *graph, litz_value self, litz_value src,
                                        litz_ints size, litz_ints stride, litz_scalar storage_offset) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "src", src);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_scalar(litz_args + litz_n, "storage_offset", storage_offset);
    return litz_ops_one(graph, "aten.as_strided_scatter.default", litz_args, litz_n);
}

/* aten.asin.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_asin(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.asin.default", litz_args, litz_n);
}

/* aten.asin_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_asin_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.asin_.default", litz_args, litz_n);
}

/* aten.asinh.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_asinh(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.asinh.default", litz_args, litz_n);
}

/* aten.asinh_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_asinh_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.asinh_.default", litz_args, litz_n);
}

/* aten.atan.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_atan(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.atan.default", litz_args, litz_n);
}

/* aten.atan2.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_atan2(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.atan2.default", litz_args, litz_n);
}

/* aten.atan2_.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_atan2_(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.atan2_.default", litz_args, litz_n);
}

/* aten.atan_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_atan_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.atan_.default", litz_args, litz_n);
}

/* aten.atanh.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_atanh(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.atanh.default", litz_args, litz_n);
}

/* aten.atanh_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_atanh_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.atanh_.default", litz_args, litz_n);
}

/* aten.atleast_1d.Sequence(Tensor[] tensors) -> Tensor[] */
static inline litz_value litz_aten_atleast_1d_Sequence(litz_graph *graph, const litz_value *tensors,
                                        size_t n_tensors, litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    return litz_ops_list(graph, "aten.atleast_1d.Sequence", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.atleast_1d.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_atleast_1d(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.atleast_1d.default", litz_args, litz_n);
}

/* aten.atleast_2d.Sequence(Tensor[] tensors) -> Tensor[] */
static inline litz_value litz_aten_atleast_2d_Sequence(litz_graph *graph, const litz_value *tensors,
                                        size_t n_tensors, litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    return litz_ops_list(graph, "aten.atleast_2d.Sequence", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.atleast_2d.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_atleast_2d(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.atleast_2d.default", litz_args, litz_n);
}

/* aten.atleast_3d.Sequence(Tensor[] tensors) -> Tensor[] */
static inline litz_value litz_aten_atleast_3d_Sequence(litz_graph *graph, const litz_value *tensors,
                                        size_t n_tensors, litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    return litz_ops_list(graph, "aten.atleast_3d.Sequence", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.atleast_3d.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_atleast_3d(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.atleast_3d.default", litz_args, litz_n);
}

/* aten.avg_pool1d.default(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool ceil_mode=False, bool count_include_pad=True) -> Tensor */
static inline litz_value litz_aten_avg_pool1d(litz_graph *graph, litz_value self, litz_ints kernel_size,
                                        litz_ints stride, litz_ints padding, int32_t ceil_mode,
                                        int32_t count_include_pad) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_number(litz_args + litz_n, "ceil_mode", LITZ_ARG_BOOL, ceil_mode != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "count_include_pad", LITZ_ARG_BOOL, count_include_pad != 0);
    return litz_ops_one(graph, "aten.avg_pool1d.default", litz_args, litz_n);
}

/* aten.avg_pool2d.default(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor */
static inline litz_value litz_aten_avg_pool2d(litz_graph *graph, litz_value self, litz_ints kernel_size,
                                        litz_ints stride, litz_ints padding, int32_t ceil_mode,
                                        int32_t count_include_pad, litz_scalar divisor_override) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_number(litz_args + litz_n, "ceil_mode", LITZ_ARG_BOOL, ceil_mode != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "count_include_pad", LITZ_ARG_BOOL, count_include_pad != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "divisor_override", divisor_override);
    return litz_ops_one(graph, "aten.avg_pool2d.default", litz_args, litz_n);
}

/* aten.avg_pool2d_backward.default(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor */
static inline litz_value litz_aten_avg_pool2d_backward(litz_graph *graph, litz_value grad_output, litz_value self,
                                        litz_ints kernel_size, litz_ints stride, litz_ints padding,
                                        int32_t ceil_mode, int32_t count_include_pad, litz_scalar divisor_override) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_number(litz_args + litz_n, "ceil_mode", LITZ_ARG_BOOL, ceil_mode != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "count_include_pad", LITZ_ARG_BOOL, count_include_pad != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "divisor_override", divisor_override);
    return litz_ops_one(graph, "aten.avg_pool2d_backward.default", litz_args, litz_n);
}

/* aten.avg_pool3d.default(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor */
static inline litz_value litz_aten_avg_pool3d(litz_graph *graph, litz_value self, litz_ints kernel_size,
                                        litz_ints stride, litz_ints padding, int32_t ceil_mode,
                                        int32_t count_include_pad, litz_scalar divisor_override) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_number(litz_args + litz_n, "ceil_mode", LITZ_ARG_BOOL, ceil_mode != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "count_include_pad", LITZ_ARG_BOOL, count_include_pad != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "divisor_override", divisor_override);
    return litz_ops_one(graph, "aten.avg_pool3d.default", litz_args, litz_n);
}

/* aten.avg_pool3d_backward.default(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor */
static inline litz_value litz_aten_avg_pool3d_backward(litz_graph *graph, litz_value grad_output, litz_value self,
                                        litz_ints kernel_size, litz_ints stride, litz_ints padding,
                                        int32_t ceil_mode, int32_t count_include_pad, litz_scalar divisor_override) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_number(litz_args + litz_n, "ceil_mode", LITZ_ARG_BOOL, ceil_mode != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "count_include_pad", LITZ_ARG_BOOL, count_include_pad != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "divisor_override", divisor_override);
    return litz_ops_one(graph, "aten.avg_pool3d_backward.default", litz_args, litz_n);
}

/* aten.baddbmm.default(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_baddbmm(litz_graph *graph, litz_value self, litz_value batch1, litz_value batch2,
                                        litz_scalar beta, litz_scalar alpha) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "batch1", batch1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "batch2", batch2);
    litz_n += litz_ops_scalar(litz_args + litz_n, "beta", beta);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.baddbmm.default", litz_args, litz_n);
}

/* aten.baddbmm_.default(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_baddbmm_(litz_graph *graph, litz_value self, litz_value batch1,
                                        litz_value batch2, litz_scalar beta, litz_scalar alpha) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "batch1", batch1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "batch2", batch2);
    litz_n += litz_ops_scalar(litz_args + litz_n, "beta", beta);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.baddbmm_.default", litz_args, litz_n);
}

/* aten.bartlett_window.default(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_bartlett_window(litz_graph *graph, int64_t window_length, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "window_length", LITZ_ARG_INT, window_length);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.bartlett_window.default", litz_args, litz_n);
}

/* aten.bartlett_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_bartlett_window_periodic(litz_graph *graph, int64_t window_length,
                                        int32_t periodic, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "window_length", LITZ_ARG_INT, window_length);
    litz_n += litz_ops_number(litz_args + litz_n, "periodic", LITZ_ARG_BOOL, periodic != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.bartlett_window.periodic", litz_args, litz_n);
}

/* aten.batch_norm.default(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor */
static inline litz_value litz_aten_batch_norm(litz_graph *graph, litz_value input, litz_value weight,
                                        litz_value bias, litz_value running_mean, litz_value running_var,
                                        int32_t training, double momentum, double eps, int32_t cudnn_enabled) {
    litz_arg litz_args[9];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "running_mean", running_mean);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "running_var", running_var);
    litz_n += litz_ops_number(litz_args + litz_n, "training", LITZ_ARG_BOOL, training != 0);
    litz_n += litz_ops_float(litz_args + litz_n, "momentum", momentum);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_n += litz_ops_number(litz_args + litz_n, "cudnn_enabled", LITZ_ARG_BOOL, cudnn_enabled != 0);
    return litz_ops_one(graph, "aten.batch_norm.default", litz_args, litz_n);
}

/* aten.batch_norm_backward.default(Tensor grad_out, Tensor input, Tensor weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_var, bool update, float eps, bool[3] output_mask, Tensor reserve) -> (Tensor, Tensor, Tensor) */
static inline litz_value litz_aten_batch_norm_backward(litz_graph *graph, litz_value grad_out, litz_value input,
                                        litz_value weight, litz_value running_mean, litz_value running_var,
                                        litz_value save_mean, litz_value save_var, int32_t update, double eps,
                                        const int64_t *output_mask, size_t n_output_mask, litz_value reserve,
                                        litz_value outs[3]) {
    litz_arg litz_args[11];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_out", grad_out);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "running_mean", running_mean);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "running_var", running_var);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "save_mean", save_mean);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "save_var", save_var);
    litz_n += litz_ops_number(litz_args + litz_n, "update", LITZ_ARG_BOOL, update != 0);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_n += litz_ops_bools(litz_args + litz_n, "output_mask", output_mask, n_output_mask);
    litz_n += litz_ops_tensor(litz_args + litz_n, "reserve", reserve);
    litz_ops_call(graph, "aten.batch_norm_backward.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_bernoulli_Tensor(litz_graph *graph, litz_value self, litz_value p) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "p", p);
    return litz_ops_one(graph, "aten.bernoulli.Tensor", litz_args, litz_n);
}

/* aten.bernoulli.default(Tensor self, *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_bernoulli(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.bernoulli.default", litz_args, litz_n);
}

/* aten.bernoulli.p(Tensor self, float p=0.5, *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_bernoulli_p(litz_graph *graph, litz_value self, double p) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    return litz_ops_one(graph, "aten.bernoulli.p", litz_args, litz_n);
}

/* aten.bernoulli_.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_bernoulli__Tensor(litz_graph *graph, litz_value self, litz_value p) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "p", p);
    return litz_ops_one(graph, "aten.bernoulli_.Tensor", litz_args, litz_n);
}

/* aten.bernoulli_.float(Tensor self, float p=0.5, *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_bernoulli__float(litz_graph *graph, litz_value self, double p) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    return litz_ops_one(graph, "aten.bernoulli_.float", litz_args, litz_n);
}

/* aten.bilinear.default(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor */
static inline litz_value litz_aten_bilinear(litz_graph *graph, litz_value input1, litz_value input2,
                                        litz_value weight, litz_value bias) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input1", input1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input2", input2);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    return litz_ops_one(graph, "aten.bilinear.default", litz_args, litz_n);
}

/* aten.binary_cross_entropy.default(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor */
static inline litz_value litz_aten_binary_cross_entropy(litz_graph *graph, litz_value self, litz_value target,
                                        litz_value weight, int64_t reduction) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    return litz_ops_one(graph, "aten.binary_cross_entropy.default", litz_args, litz_n);
}

/* aten.binary_cross_entropy_backward.default(Tensor grad_output, Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor */
static inline litz_value litz_aten_binary_cross_entropy_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self, litz_value target, litz_value weight, int64_t reduction) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    return litz_ops_one(graph, "aten.binary_cross_entropy_backward.default", litz_args, litz_n);
}

/* aten.binary_cross_entropy_with_logits.default(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=1) -> Tensor */
static inline litz_value litz_aten_binary_cross_entropy_with_logits(litz_graph *graph, litz_value self,
                                        litz_value target, litz_value weight, litz_value pos_weight,
                                        int64_t reduction) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "pos_weight", pos_weight);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    return litz_ops_one(graph, "aten.binary_cross_entropy_with_logits.default", litz_args, litz_n);
}

/* aten.bincount.default(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor */
static inline litz_value litz_aten_bincount(litz_graph *graph, litz_value self, litz_value weights,
                                        litz_scalar minlength) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weights", weights);
    litz_n += litz_ops_scalar(litz_args + litz_n, "minlength", minlength);
    return litz_ops_one(graph, "aten.bincount.default", litz_args, litz_n);
}

/* aten.bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_bitwise_and_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_and.Scalar", litz_args, litz_n);
}

/* aten.bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor */
static inline litz_value litz_aten_bitwise_and_Scalar_Tensor(litz_graph *graph, litz_scalar self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_and.Scalar_Tensor", litz_args, litz_n);
}

/* aten.bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_bitwise_and_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_and.Tensor", litz_args, litz_n);
}

/* aten.bitwise_and_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_bitwise_and__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_and_.Scalar", litz_args, litz_n);
}

/* aten.bitwise_and_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_bitwise_and__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_and_.Tensor", litz_args, litz_n);
}

/* aten.bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor */
static inline litz_value litz_aten_bitwise_left_shift_Scalar_Tensor(litz_graph *graph, litz_scalar self,
                                        litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_left_shift.Scalar_Tensor", litz_args, litz_n);
}

/* aten.bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_bitwise_left_shift_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_left_shift.Tensor", litz_args, litz_n);
}

/* aten.bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_bitwise_left_shift_Tensor_Scalar(litz_graph *graph, litz_value self,
                                        litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_left_shift.Tensor_Scalar", litz_args, litz_n);
}

/* aten.bitwise_left_shift_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_bitwise_left_shift__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_left_shift_.Tensor", litz_args, litz_n);
}

/* aten.bitwise_left_shift_.Tensor_Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_bitwise_left_shift__Tensor_Scalar(litz_graph *graph, litz_value self,
                                        litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_left_shift_.Tensor_Scalar", litz_args, litz_n);
}

/* aten.bitwise_not.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_bitwise_not(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.bitwise_not.default", litz_args, litz_n);
}

/* aten.bitwise_not_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_bitwise_not_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.bitwise_not_.default", litz_args, litz_n);
}

/* aten.bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_bitwise_or_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_or.Scalar", litz_args, litz_n);
}

/* aten.bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor */
static inline litz_value litz_aten_bitwise_or_Scalar_Tensor(litz_graph *graph, litz_scalar self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_or.Scalar_Tensor", litz_args, litz_n);
}

/* aten.bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_bitwise_or_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_or.Tensor", litz_args, litz_n);
}

/* aten.bitwise_or_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_bitwise_or__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_or_.Scalar", litz_args, litz_n);
}

/* aten.bitwise_or_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_bitwise_or__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_or_.Tensor", litz_args, litz_n);
}

/* aten.bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor */
static inline litz_value litz_aten_bitwise_right_shift_Scalar_Tensor(litz_graph *graph, litz_scalar self,
                                        litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_right_shift.Scalar_Tensor", litz_args, litz_n);
}

/* aten.bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_bitwise_right_shift_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_right_shift.Tensor", litz_args, litz_n);
}

/* aten.bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_bitwise_right_shift_Tensor_Scalar(litz_graph *graph, litz_value self,
                                        litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_right_shift.Tensor_Scalar", litz_args, litz_n);
}

/* aten.bitwise_right_shift_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_bitwise_right_shift__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_right_shift_.Tensor", litz_args, litz_n);
}

/* aten.bitwise_right_shift_.Tensor_Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_bitwise_right_shift__Tensor_Scalar(litz_graph *graph, litz_value self,
                                        litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_right_shift_.Tensor_Scalar", litz_args, litz_n);
}

/* aten.bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_bitwise_xor_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_xor.Scalar", litz_args, litz_n);
}

/* aten.bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor */
static inline litz_value litz_aten_bitwise_xor_Scalar_Tensor(litz_graph *graph, litz_scalar self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_xor.Scalar_Tensor", litz_args, litz_n);
}

/* aten.bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_bitwise_xor_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_xor.Tensor", litz_args, litz_n);
}

/* aten.bitwise_xor_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_bitwise_xor__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_xor_.Scalar", litz_args, litz_n);
}

/* aten.bitwise_xor_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_bitwise_xor__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.bitwise_xor_.Tensor", litz_args, litz_n);
}

/* aten.blackman_window.default(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_blackman_window(litz_graph *graph, int64_t window_length, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "window_length", LITZ_ARG_INT, window_length);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.blackman_window.default", litz_args, litz_n);
}

/* aten.blackman_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_blackman_window_periodic(litz_graph *graph, int64_t window_length,
                                        int32_t periodic, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "window_length", LITZ_ARG_INT, window_length);
    litz_n += litz_ops_number(litz_args + litz_n, "periodic", LITZ_ARG_BOOL, periodic != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.blackman_window.periodic", litz_args, litz_n);
}

/* aten.block_diag.default(Tensor[] tensors) -> Tensor */
static inline litz_value litz_aten_block_diag(litz_graph *graph, const litz_value *tensors, size_t n_tensors) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    return litz_ops_one(graph, "aten.block_diag.default", litz_args, litz_n);
}

/* aten.bmm.default(Tensor self, Tensor mat2) -> Tensor */
static inline litz_value litz_aten_bmm(litz_graph *graph, litz_value self, litz_value mat2) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat2", mat2);
    return litz_ops_one(graph, "aten.bmm.default", litz_args, litz_n);
}

/* aten.broadcast_tensors.default(Tensor[] tensors) -> Tensor[] */
static inline litz_value litz_aten_broadcast_tensors(litz_graph *graph, const litz_value *tensors, size_t n_tensors,
                                        litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    return litz_ops_list(graph, "aten.broadcast_tensors.default", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.broadcast_to.default(Tensor self, SymInt[] size) -> Tensor */
static inline litz_value litz_aten_broadcast_to(litz_graph *graph, litz_value self, litz_ints size) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    return litz_ops_one(graph, "aten.broadcast_to.default", litz_args, litz_n);
}

/* aten.bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor */
static inline litz_value litz_aten_bucketize_Scalar(litz_graph *graph, litz_scalar self, litz_value boundaries,
                                        int32_t out_int32, int32_t right) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "boundaries", boundaries);
    litz_n += litz_ops_number(litz_args + litz_n, "out_int32", LITZ_ARG_BOOL, out_int32 != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "right", LITZ_ARG_BOOL, right != 0);
    return litz_ops_one(graph, "aten.bucketize.Scalar", litz_args, litz_n);
}

/* aten.bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor */
static inline litz_value litz_aten_bucketize_Tensor(litz_graph *graph, litz_value self, litz_value boundaries,
                                        int32_t out_int32, int32_t right) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "boundaries", boundaries);
    litz_n += litz_ops_number(litz_args + litz_n, "out_int32", LITZ_ARG_BOOL, out_int32 != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "right", LITZ_ARG_BOOL, right != 0);
    return litz_ops_one(graph, "aten.bucketize.Tensor", litz_args, litz_n);
}

/* aten.cartesian_prod.default(Tensor[] tensors) -> Tensor */
static inline litz_value litz_aten_cartesian_prod(litz_graph *graph, const litz_value *tensors, size_t n_tensors) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    return litz_ops_one(graph, "aten.cartesian_prod.default", litz_args, litz_n);
}

/* aten.cat.default(Tensor[] tensors, int dim=0) -> Tensor */
static inline litz_value litz_aten_cat(litz_graph *graph, const litz_value *tensors, size_t n_tensors, int64_t dim) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.cat.default", litz_args, litz_n);
}

/* aten.cauchy.default(Tensor self, float median=0., float sigma=1., *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_cauchy(litz_graph *graph, litz_value self, double median, double sigma) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "median", median);
    litz_n += litz_ops_float(litz_args + litz_n, "sigma", sigma);
    return litz_ops_one(graph, "aten.cauchy.default", litz_args, litz_n);
}

/* aten.cauchy_.default(Tensor self, float median=0., float sigma=1., *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_cauchy_(litz_graph *graph, litz_value self, double median, double sigma) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "median", median);
    litz_n += litz_ops_float(litz_args + litz_n, "sigma", sigma);
    return litz_ops_one(graph, "aten.cauchy_.default", litz_args, litz_n);
}

/* aten.cdist.default(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> Tensor */
static inline litz_value litz_aten_cdist(litz_graph *graph, litz_value x1, litz_value x2, double p,
                                        litz_scalar compute_mode) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x1", x1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "x2", x2);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    litz_n += litz_ops_scalar(litz_args + litz_n, "compute_mode", compute_mode);
    return litz_ops_one(graph, "aten.cdist.default", litz_args, litz_n);
}

/* aten.ceil.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_ceil(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.ceil.default", litz_args, litz_n);
}

/* aten.ceil_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_ceil_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.ceil_.default", litz_args, litz_n);
}

/* aten.celu.default(Tensor self, Scalar alpha=1.) -> Tensor */
static inline litz_value litz_aten_celu(litz_graph *graph, litz_value self, litz_scalar alpha) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.celu.default", litz_args, litz_n);
}

/* aten.celu_.default(Tensor self, Scalar alpha=1.) -> Tensor */
static inline litz_value litz_aten_celu_(litz_graph *graph, litz_value self, litz_scalar alpha) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.celu_.default", litz_args, litz_n);
}

/* aten.chain_matmul.default(Tensor[] matrices) -> Tensor */
static inline litz_value litz_aten_chain_matmul(litz_graph *graph, const litz_value *matrices, size_t n_matrices) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "matrices", matrices, n_matrices);
    return litz_ops_one(graph, "aten.chain_matmul.default", litz_args, litz_n);
}

/* aten.channel_shuffle.default(Tensor self, SymInt groups) -> Tensor */
static inline litz_value litz_aten_channel_shuffle(litz_graph *graph, litz_value self, litz_scalar groups) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "groups", groups);
    return litz_ops_one(graph, "aten.channel_shuffle.default", litz_args, litz_n);
}

/* aten.cholesky.default(Tensor self, bool upper=False) -> Tensor */
static inline litz_value litz_aten_cholesky(litz_graph *graph, litz_value self, int32_t upper) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "upper", LITZ_ARG_BOOL, upper != 0);
    return litz_ops_one(graph, "aten.cholesky.default", litz_args, litz_n);
}

/* aten.cholesky_inverse.default(Tensor self, bool upper=False) -> Tensor */
static inline litz_value litz_aten_cholesky_inverse(litz_graph *graph, litz_value self, int32_t upper) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "upper", LITZ_ARG_BOOL, upper != 0);
    return litz_ops_one(graph, "aten.cholesky_inverse.default", litz_args, litz_n);
}

/* aten.cholesky_solve.default(Tensor self, Tensor input2, bool upper=False) -> Tensor */
static inline litz_value litz_aten_cholesky_solve(litz_graph *graph, litz_value self, litz_value input2,
                                        int32_t upper) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input2", input2);
    litz_n += litz_ops_number(litz_args + litz_n, "upper", LITZ_ARG_BOOL, upper != 0);
    return litz_ops_one(graph, "aten.cholesky_solve.default", litz_args, litz_n);
}

/* aten.chunk.default(Tensor self, int chunks, int dim=0) -> Tensor[] */
static inline litz_value litz_aten_chunk(litz_graph *graph, litz_value self, int64_t chunks, int64_t dim,
                                        litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "chunks", LITZ_ARG_INT, chunks);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_list(graph, "aten.chunk.default", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor */
static inline litz_value litz_aten_clamp_Tensor(litz_graph *graph, litz_value self, litz_value min, litz_value max) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "min", min);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "max", max);
    return litz_ops_one(graph, "aten.clamp.Tensor", litz_args, litz_n);
}

/* aten.clamp.default(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor */
static inline litz_value litz_aten_clamp(litz_graph *graph, litz_value self, litz_scalar min, litz_scalar max) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "min", min);
    litz_n += litz_ops_scalar(litz_args + litz_n, "max", max);
    return litz_ops_one(graph, "aten.clamp.default", litz_args, litz_n);
}

/* aten.clamp_.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor */
static inline litz_value litz_aten_clamp__Tensor(litz_graph *graph, litz_value self, litz_value min, litz_value max) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "min", min);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "max", max);
    return litz_ops_one(graph, "aten.clamp_.Tensor", litz_args, litz_n);
}

/* aten.clamp_.default(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor */
static inline litz_value litz_aten_clamp_(litz_graph *graph, litz_value self, litz_scalar min, litz_scalar max) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "min", min);
    litz_n += litz_ops_scalar(litz_args + litz_n, "max", max);
    return litz_ops_one(graph, "aten.clamp_.default", litz_args, litz_n);
}

/* aten.clamp_max.Tensor(Tensor self, Tensor max) -> Tensor */
static inline litz_value litz_aten_clamp_max_Tensor(litz_graph *graph, litz_value self, litz_value max) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "max", max);
    return litz_ops_one(graph, "aten.clamp_max.Tensor", litz_args, litz_n);
}

/* aten.clamp_max.default(Tensor self, Scalar max) -> Tensor */
static inline litz_value litz_aten_clamp_max(litz_graph *graph, litz_value self, litz_scalar max) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "max", max);
    return litz_ops_one(graph, "aten.clamp_max.default", litz_args, litz_n);
}

/* aten.clamp_max_.Tensor(Tensor self, Tensor max) -> Tensor */
static inline litz_value litz_aten_clamp_max__Tensor(litz_graph *graph, litz_value self, litz_value max) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "max", max);
    return litz_ops_one(graph, "aten.clamp_max_.Tensor", litz_args, litz_n);
}

/* aten.clamp_max_.default(Tensor self, Scalar max) -> Tensor */
static inline litz_value litz_aten_clamp_max_(litz_graph *graph, litz_value self, litz_scalar max) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "max", max);
    return litz_ops_one(graph, "aten.clamp_max_.default", litz_args, litz_n);
}

/* aten.clamp_min.Tensor(Tensor self, Tensor min) -> Tensor */
static inline litz_value litz_aten_clamp_min_Tensor(litz_graph *graph, litz_value self, litz_value min) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "min", min);
    return litz_ops_one(graph, "aten.clamp_min.Tensor", litz_args, litz_n);
}

/* aten.clamp_min.default(Tensor self, Scalar min) -> Tensor */
static inline litz_value litz_aten_clamp_min(litz_graph *graph, litz_value self, litz_scalar min) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "min", min);
    return litz_ops_one(graph, "aten.clamp_min.default", litz_args, litz_n);
}

/* aten.clamp_min_.Tensor(Tensor self, Tensor min) -> Tensor */
static inline litz_value litz_aten_clamp_min__Tensor(litz_graph *graph, litz_value self, litz_value min) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "min", min);
    return litz_ops_one(graph, "aten.clamp_min_.Tensor", litz_args, litz_n);
}

/* aten.clamp_min_.default(Tensor self, Scalar min) -> Tensor */
static inline litz_value litz_aten_clamp_min_(litz_graph *graph, litz_value self, litz_scalar min) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "min", min);
    return litz_ops_one(graph, "aten.clamp_min_.default", litz_args, litz_n);
}

/* aten.clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor */
static inline litz_value litz_aten_clip_Tensor(litz_graph *graph, litz_value self, litz_value min, litz_value max) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "min", min);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "max", max);
    return litz_ops_one(graph, "aten.clip.Tensor", litz_args, litz_n);
}

/* aten.clip.default(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor */
static inline litz_value litz_aten_clip(litz_graph *graph, litz_value self, litz_scalar min, litz_scalar max) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "min", min);
    litz_n += litz_ops_scalar(litz_args + litz_n, "max", max);
    return litz_ops_one(graph, "aten.clip.default", litz_args, litz_n);
}

/* aten.clip_.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor */
static inline litz_value litz_aten_clip__Tensor(litz_graph *graph, litz_value self, litz_value min, litz_value max) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "min", min);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "max", max);
    return litz_ops_one(graph, "aten.clip_.Tensor", litz_args, litz_n);
}

/* aten.clip_.default(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor */
static inline litz_value litz_aten_clip_(litz_graph *graph, litz_value self, litz_scalar min, litz_scalar max) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "min", min);
    litz_n += litz_ops_scalar(litz_args + litz_n, "max", max);
    return litz_ops_one(graph, "aten.clip_.default", litz_args, litz_n);
}

/* aten.clone.default(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_clone(litz_graph *graph, litz_value self, int32_t memory_format) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.clone.default", litz_args, litz_n);
}

/* aten.col2im.default(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor */
static inline litz_value litz_aten_col2im(litz_graph *graph, litz_value self, litz_ints output_size,
                                        litz_ints kernel_size, litz_ints dilation, litz_ints padding,
                                        litz_ints stride) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_ints(litz_args + litz_n, "stride", stride);
    return litz_ops_one(graph, "aten.col2im.default", litz_args, litz_n);
}

/* aten.column_stack.default(Tensor[] tensors) -> Tensor */
static inline litz_value litz_aten_column_stack(litz_graph *graph, const litz_value *tensors, size_t n_tensors) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    return litz_ops_one(graph, "aten.column_stack.default", litz_args, litz_n);
}

/* aten.combinations.default(Tensor self, int r=2, bool with_replacement=False) -> Tensor */
static inline litz_value litz_aten_combinations(litz_graph *graph, litz_value self, int64_t r,
                                        int32_t with_replacement) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "r", LITZ_ARG_INT, r);
    litz_n += litz_ops_number(litz_args + litz_n, "with_replacement", LITZ_ARG_BOOL, with_replacement != 0);
    return litz_ops_one(graph, "aten.combinations.default", litz_args, litz_n);
}

/* aten.complex.default(Tensor real, Tensor imag) -> Tensor */
static inline litz_value litz_aten_complex(litz_graph *graph, litz_value real, litz_value imag) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "real", real);
    litz_n += litz_ops_tensor(litz_args + litz_n, "imag", imag);
    return litz_ops_one(graph, "aten.complex.default", litz_args, litz_n);
}

/* aten.concat.default(Tensor[] tensors, int dim=0) -> Tensor */
static inline litz_value litz_aten_concat(litz_graph *graph, const litz_value *tensors, size_t n_tensors,
                                        int64_t dim) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.concat.default", litz_args, litz_n);
}

/* aten.concatenate.default(Tensor[] tensors, int dim=0) -> Tensor */
static inline litz_value litz_aten_concatenate(litz_graph *graph, const litz_value *tensors, size_t n_tensors,
                                        int64_t dim) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.concatenate.default", litz_args, litz_n);
}

/* aten.conj.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_conj(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.conj.default", litz_args, litz_n);
}

/* aten.conj_physical.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_conj_physical(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.conj_physical.default", litz_args, litz_n);
}

/* aten.conj_physical_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_conj_physical_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.conj_physical_.default", litz_args, litz_n);
}

/* aten.constant_pad_nd.default(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor */
static inline litz_value litz_aten_constant_pad_nd(litz_graph *graph, litz_value self, litz_ints pad,
                                        litz_scalar value) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "pad", pad);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.constant_pad_nd.default", litz_args, litz_n);
}

/* aten.contiguous.default(Tensor self, *, MemoryFormat memory_format=contiguous_format) -> Tensor */
static inline litz_value litz_aten_contiguous(litz_graph *graph, litz_value self, int32_t memory_format) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.contiguous.default", litz_args, litz_n);
}

/* aten.conv1d.default(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], SymInt[1] dilation=[1], SymInt groups=1) -> Tensor */
static inline litz_value litz_aten_conv1d(litz_graph *graph, litz_value input, litz_value weight, litz_value bias,
                                        litz_ints stride, litz_ints padding, litz_ints dilation, litz_scalar groups) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_scalar(litz_args + litz_n, "groups", groups);
    return litz_ops_one(graph, "aten.conv1d.default", litz_args, litz_n);
}

/* aten.conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], str padding='valid', SymInt[1] dilation=[1], SymInt groups=1) -> Tensor */
static inline litz_value litz_aten_conv1d_padding(litz_graph *graph, litz_value input, litz_value weight,
                                        litz_value bias, litz_ints stride, const char *padding, litz_ints dilation,
                                        litz_scalar groups) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_string(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_scalar(litz_args + litz_n, "groups", groups);
    return litz_ops_one(graph, "aten.conv1d.padding", litz_args, litz_n);
}

/* aten.conv2d.default(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor */
static inline litz_value litz_aten_conv2d(litz_graph *graph, litz_value input, litz_value weight, litz_value bias,
                                        litz_ints stride, litz_ints padding, litz_ints dilation, litz_scalar groups) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_scalar(litz_args + litz_n, "groups", groups);
    return litz_ops_one(graph, "aten.conv2d.default", litz_args, litz_n);
}

/* aten.conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], str padding='valid', SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor */
static inline litz_value litz_aten_conv2d_padding(litz_graph *graph, litz_value input, litz_value weight,
                                        litz_value bias, litz_ints stride, const char *padding, litz_ints dilation,
                                        litz_scalar groups) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_string(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_scalar(litz_args + litz_n, "groups", groups);
    return litz_ops_one(graph, "aten.conv2d.padding", litz_args, litz_n);
}

/* aten.conv3d.default(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor */
static inline litz_value litz_aten_conv3d(litz_graph *graph, litz_value input, litz_value weight, litz_value bias,
                                        litz_ints stride, litz_ints padding, litz_ints dilation, litz_scalar groups) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_scalar(litz_args + litz_n, "groups", groups);
    return litz_ops_one(graph, "aten.conv3d.default", litz_args, litz_n);
}

/* aten.conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], str padding='valid', SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor */
static inline litz_value litz_aten_conv3d_padding(litz_graph *graph, litz_value input, litz_value weight,
                                        litz_value bias, litz_ints stride, const char *padding, litz_ints dilation,
                                        litz_scalar groups) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_string(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_scalar(litz_args + litz_n, "groups", groups);
    return litz_ops_one(graph, "aten.conv3d.padding", litz_args, litz_n);
}

/* aten.conv_transpose1d.default(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], SymInt[1] output_padding=[0], SymInt groups=1, SymInt[1] dilation=[1]) -> Tensor */
static inline litz_value litz_aten_conv_transpose1d(litz_graph *graph, litz_value input, litz_value weight,
                                        litz_value bias, litz_ints stride, litz_ints padding,
                                        litz_ints output_padding, litz_scalar groups, litz_ints dilation) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "output_padding", output_padding);
    litz_n += litz_ops_scalar(litz_args + litz_n, "groups", groups);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dilation", dilation);
    return litz_ops_one(graph, "aten.conv_transpose1d.default", litz_args, litz_n);
}

/* aten.conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] output_padding=[0, 0], SymInt groups=1, SymInt[2] dilation=[1, 1]) -> Tensor */
static inline litz_value litz_aten_conv_transpose2d_input(litz_graph *graph, litz_value input, litz_value weight,
                                        litz_value bias, litz_ints stride, litz_ints padding,
                                        litz_ints output_padding, litz_scalar groups, litz_ints dilation) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "output_padding", output_padding);
    litz_n += litz_ops_scalar(litz_args + litz_n, "groups", groups);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dilation", dilation);
    return litz_ops_one(graph, "aten.conv_transpose2d.input", litz_args, litz_n);
}

/* aten.conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] output_padding=[0, 0, 0], SymInt groups=1, SymInt[3] dilation=[1, 1, 1]) -> Tensor */
static inline litz_value litz_aten_conv_transpose3d_input(litz_graph *graph, litz_value input, litz_value weight,
                                        litz_value bias, litz_ints stride, litz_ints padding,
                                        litz_ints output_padding, litz_scalar groups, litz_ints dilation) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "output_padding", output_padding);
    litz_n += litz_ops_scalar(litz_args + litz_n, "groups", groups);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dilation", dilation);
    return litz_ops_one(graph, "aten.conv_transpose3d.input", litz_args, litz_n);
}

/* aten.convolution.default(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor */
static inline litz_value litz_aten_convolution(litz_graph *graph, litz_value input, litz_value weight,
                                        litz_value bias, litz_ints stride, litz_ints padding, litz_ints dilation,
                                        int32_t transposed, litz_ints output_padding, litz_scalar groups) {
    litz_arg litz_args[9];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_number(litz_args + litz_n, "transposed", LITZ_ARG_BOOL, transposed != 0);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_padding", output_padding);
    litz_n += litz_ops_scalar(litz_args + litz_n, "groups", groups);
    return litz_ops_one(graph, "aten.convolution.default", litz_args, litz_n);
}

/* aten.convolution_backward.default(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor) */
static inline litz_value litz_aten_convolution_backward(litz_graph *graph, litz_value grad_output, litz_value input,
                                        litz_value weight, litz_ints bias_sizes, litz_ints stride,
                                        litz_ints padding, litz_ints dilation, int32_t transposed,
                                        litz_ints output_padding, litz_scalar groups, const int64_t *output_mask,
                                        size_t n_output_mask, litz_value outs[3]) {
    litz_arg litz_args[11];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "bias_sizes", bias_sizes);
    litz_n += litz_ops_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_number(litz_args + litz_n, "transposed", LITZ_ARG_BOOL, transposed != 0);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_padding", output_padding);
    litz_n += litz_ops_scalar(litz_args + litz_n, "groups", groups);
    litz_n += litz_ops_bools(litz_args + litz_n, "output_mask", output_mask, n_output_mask);
    litz_ops_call(graph, "aten.convolution_backward.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.copy.default(Tensor self, Tensor src, bool non_blocking=False) -> Tensor */
static inline litz_value litz_aten_copy(litz_graph *graph, litz_value self, litz_value src, int32_t non_blocking) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "src", src);
    litz_n += litz_ops_number(litz_args + litz_n, "non_blocking", LITZ_ARG_BOOL, non_blocking != 0);
    return litz_ops_one(graph, "aten.copy.default", litz_args, litz_n);
}

/* aten.copy_.default(Tensor self, Tensor src, bool non_blocking=False) -> Tensor */
static inline litz_value litz_aten_copy_(litz_graph *graph, litz_value self, litz_value src, int32_t non_blocking) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "src", src);
    litz_n += litz_ops_number(litz_args + litz_n, "non_blocking", LITZ_ARG_BOOL, non_blocking != 0);
    return litz_ops_one(graph, "aten.copy_.default", litz_args, litz_n);
}

/* aten.copysign.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_copysign_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.copysign.Scalar", litz_args, litz_n);
}

/* aten.copysign.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_copysign_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.copysign.Tensor", litz_args, litz_n);
}

/* aten.copysign_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_copysign__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.copysign_.Scalar", litz_args, litz_n);
}

/* aten.copysign_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_copysign__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.copysign_.Tensor", litz_args, litz_n);
}

/* aten.cos.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_cos(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.cos.default", litz_args, litz_n);
}

/* aten.cos_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_cos_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.cos_.default", litz_args, litz_n);
}

/* aten.cosh.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_cosh(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.cosh.default", litz_args, litz_n);
}

/* aten.cosh_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_cosh_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.cosh_.default", litz_args, litz_n);
}

/* aten.cosine_embedding_loss.default(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor */
static inline litz_value litz_aten_cosine_embedding_loss(litz_graph *graph, litz_value input1, litz_value input2,
                                        litz_value target, double margin, int64_t reduction) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input1", input1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input2", input2);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_float(litz_args + litz_n, "margin", margin);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    return litz_ops_one(graph, "aten.cosine_embedding_loss.default", litz_args, litz_n);
}

/* aten.cosine_similarity.default(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor */
static inline litz_value litz_aten_cosine_similarity(litz_graph *graph, litz_value x1, litz_value x2, int64_t dim,
                                        double eps) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x1", x1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "x2", x2);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    return litz_ops_one(graph, "aten.cosine_similarity.default", litz_args, litz_n);
}

/* aten.count_nonzero.default(Tensor self, int? dim=None) -> Tensor */
static inline litz_value litz_aten_count_nonzero(litz_graph *graph, litz_value self, litz_scalar dim) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dim", dim);
    return litz_ops_one(graph, "aten.count_nonzero.default", litz_args, litz_n);
}

/* aten.count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor */
static inline litz_value litz_aten_count_nonzero_dim_IntList(litz_graph *graph, litz_value self, litz_ints dim) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "dim", dim);
    return litz_ops_one(graph, "aten.count_nonzero.dim_IntList", litz_args, litz_n);
}

/* aten.cross.default(Tensor self, Tensor other, int? dim=None) -> Tensor */
static inline litz_value litz_aten_cross(litz_graph *graph, litz_value self, litz_value other, litz_scalar dim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dim", dim);
    return litz_ops_one(graph, "aten.cross.default", litz_args, litz_n);
}

/* aten.cross_entropy_loss.default(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100, float label_smoothing=0.) -> Tensor */
static inline litz_value litz_aten_cross_entropy_loss(litz_graph *graph, litz_value self, litz_value target,
                                        litz_value weight, int64_t reduction, litz_scalar ignore_index,
                                        double label_smoothing) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    litz_n += litz_ops_scalar(litz_args + litz_n, "ignore_index", ignore_index);
    litz_n += litz_ops_float(litz_args + litz_n, "label_smoothing", label_smoothing);
    return litz_ops_one(graph, "aten.cross_entropy_loss.default", litz_args, litz_n);
}

/* aten.cudnn_batch_norm.default(Tensor input, Tensor weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float exponential_average_factor, float epsilon) -> (Tensor, Tensor, Tensor, Tensor) */
static inline litz_value litz_aten_cudnn_batch_norm(litz_graph *graph, litz_value input, litz_value weight,
                                        litz_value bias, litz_value running_mean, litz_value running_var,
                                        int32_t training, double exponential_average_factor, double epsilon,
                                        litz_value outs[4]) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_value litz_outs[4];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "running_mean", running_mean);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "running_var", running_var);
    litz_n += litz_ops_number(litz_args + litz_n, "training", LITZ_ARG_BOOL, training != 0);
    litz_n += litz_ops_float(litz_args + litz_n, "exponential_average_factor", exponential_average_factor);
    litz_n += litz_ops_float(litz_args + litz_n, "epsilon", epsilon);
    litz_ops_call(graph, "aten.cudnn_batch_norm.default", litz_args, litz_n, litz_outs, 4);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.cudnn_batch_norm_backward.default(Tensor input, Tensor grad_output, Tensor weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_var, float epsilon, Tensor reserveSpace) -> (Tensor, Tensor, Tensor) */
static inline litz_value litz_aten_cudnn_batch_norm_backward(litz_graph *graph, litz_value input,
                                        litz_value grad_output, litz_value weight, litz_value running_mean,
                                        litz_value running_var, litz_value save_mean, litz_value save_var,
                                        double epsilon, litz_value reserveSpace, litz_value outs[3]) {
    litz_arg litz_args[9];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "running_mean", running_mean);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "running_var", running_var);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "save_mean", save_mean);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "save_var", save_var);
    litz_n += litz_ops_float(litz_args + litz_n, "epsilon", epsilon);
    litz_n += litz_ops_tensor(litz_args + litz_n, "reserveSpace", reserveSpace);
    litz_ops_call(graph, "aten.cudnn_batch_norm_backward.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.cummax.default(Tensor self, int dim) -> (Tensor values, Tensor indices) */
static inline litz_value litz_aten_cummax(litz_graph *graph, litz_value self, int64_t dim, litz_value outs[2]) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_ops_call(graph, "aten.cummax.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.cummin.default(Tensor self, int dim) -> (Tensor values, Tensor indices) */
static inline litz_value litz_aten_cummin(litz_graph *graph, litz_value self, int64_t dim, litz_value outs[2]) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_ops_call(graph, "aten.cummin.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.cumprod.default(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_cumprod(litz_graph *graph, litz_value self, int64_t dim, int32_t dtype) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.cumprod.default", litz_args, litz_n);
}

/* aten.cumprod_.default(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_cumprod_(litz_graph *graph, litz_value self, int64_t dim, int32_t dtype) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.cumprod_.default", litz_args, litz_n);
}

/* aten.cumsum.default(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_cumsum(litz_graph *graph, litz_value self, int64_t dim, int32_t dtype) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.cumsum.default", litz_args, litz_n);
}

/* aten.cumsum_.default(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_cumsum_(litz_graph *graph, litz_value self, int64_t dim, int32_t dtype) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.cumsum_.default", litz_args, litz_n);
}

/* aten.cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor */
static inline litz_value litz_aten_cumulative_trapezoid_dx(litz_graph *graph, litz_value y, litz_scalar dx,
                                        int64_t dim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "y", y);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dx", dx);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.cumulative_trapezoid.dx", litz_args, litz_n);
}

/* aten.cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor */
static inline litz_value litz_aten_cumulative_trapezoid_x(litz_graph *graph, litz_value y, litz_value x,
                                        int64_t dim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "y", y);
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.cumulative_trapezoid.x", litz_args, litz_n);
}

/* aten.deg2rad.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_deg2rad(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.deg2rad.default", litz_args, litz_n);
}

/* aten.deg2rad_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_deg2rad_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.deg2rad_.default", litz_args, litz_n);
}

/* aten.det.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_det(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.det.default", litz_args, litz_n);
}

/* aten.detach.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_detach(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.detach.default", litz_args, litz_n);
}

/* aten.detach_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_detach_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.detach_.default", litz_args, litz_n);
}

/* aten.detach_copy.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_detach_copy(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.detach_copy.default", litz_args, litz_n);
}

/* aten.diag.default(Tensor self, int diagonal=0) -> Tensor */
static inline litz_value litz_aten_diag(litz_graph *graph, litz_value self, int64_t diagonal) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "diagonal", LITZ_ARG_INT, diagonal);
    return litz_ops_one(graph, "aten.diag.default", litz_args, litz_n);
}

/* aten.diag_embed.default(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor */
static inline litz_value litz_aten_diag_embed(litz_graph *graph, litz_value self, int64_t offset, int64_t dim1,
                                        int64_t dim2) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "offset", LITZ_ARG_INT, offset);
    litz_n += litz_ops_number(litz_args + litz_n, "dim1", LITZ_ARG_INT, dim1);
    litz_n += litz_ops_number(litz_args + litz_n, "dim2", LITZ_ARG_INT, dim2);
    return litz_ops_one(graph, "aten.diag_embed.default", litz_args, litz_n);
}

/* aten.diagflat.default(Tensor self, int offset=0) -> Tensor */
static inline litz_value litz_aten_diagflat(litz_graph *graph, litz_value self, int64_t offset) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "offset", LITZ_ARG_INT, offset);
    return litz_ops_one(graph, "aten.diagflat.default", litz_args, litz_n);
}

/* aten.diagonal.default(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor */
static inline litz_value litz_aten_diagonal(litz_graph *graph, litz_value self, int64_t offset, int64_t dim1,
                                        int64_t dim2) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "offset", LITZ_ARG_INT, offset);
    litz_n += litz_ops_number(litz_args + litz_n, "dim1", LITZ_ARG_INT, dim1);
    litz_n += litz_ops_number(litz_args + litz_n, "dim2", LITZ_ARG_INT, dim2);
    return litz_ops_one(graph, "aten.diagonal.default", litz_args, litz_n);
}

/* aten.diagonal_backward.default(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2) -> Tensor */
static inline litz_value litz_aten_diagonal_backward(litz_graph *graph, litz_value grad_output,
                                        litz_ints input_sizes, int64_t offset, int64_t dim1, int64_t dim2) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_ints(litz_args + litz_n, "input_sizes", input_sizes);
    litz_n += litz_ops_number(litz_args + litz_n, "offset", LITZ_ARG_INT, offset);
    litz_n += litz_ops_number(litz_args + litz_n, "dim1", LITZ_ARG_INT, dim1);
    litz_n += litz_ops_number(litz_args + litz_n, "dim2", LITZ_ARG_INT, dim2);
    return litz_ops_one(graph, "aten.diagonal_backward.default", litz_args, litz_n);
}

/* aten.diagonal_copy.default(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor */
static inline litz_value litz_aten_diagonal_copy(litz_graph *graph, litz_value self, int64_t offset, int64_t dim1,
                                        int64_t dim2) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "offset", LITZ_ARG_INT, offset);
    litz_n += litz_ops_number(litz_args + litz_n, "dim1", LITZ_ARG_INT, dim1);
    litz_n += litz_ops_number(litz_args + litz_n, "dim2", LITZ_ARG_INT, dim2);
    return litz_ops_one(graph, "aten.diagonal_copy.default", litz_args, litz_n);
}

/* aten.diagonal_scatter.default(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor */
static inline litz_value litz_aten_diagonal_scatter(litz_graph *graph, litz_value self, litz_value src,
                                        int64_t offset, int64_t dim1, int64_t dim2) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "src", src);
    litz_n += litz_ops_number(litz_args + litz_n, "offset", LITZ_ARG_INT, offset);
    litz_n += litz_ops_number(litz_args + litz_n, "dim1", LITZ_ARG_INT, dim1);
    litz_n += litz_ops_number(litz_args + litz_n, "dim2", LITZ_ARG_INT, dim2);
    return litz_ops_one(graph, "aten.diagonal_scatter.default", litz_args, litz_n);
}

/* aten.diff.default(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor */
static inline litz_value litz_aten_diff(litz_graph *graph, litz_value self, int64_t n, int64_t dim,
                                        litz_value prepend, litz_value append) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "n", LITZ_ARG_INT, n);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "prepend", prepend);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "append", append);
    return litz_ops_one(graph, "aten.diff.default", litz_args, litz_n);
}

/* aten.digamma.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_digamma(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.digamma.default", litz_args, litz_n);
}

/* aten.digamma_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_digamma_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.digamma_.default", litz_args, litz_n);
}

/* aten.dist.default(Tensor self, Tensor other, Scalar p=2) -> Tensor */
static inline litz_value litz_aten_dist(litz_graph *graph, litz_value self, litz_value other, litz_scalar p) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_scalar(litz_args + litz_n, "p", p);
    return litz_ops_one(graph, "aten.dist.default", litz_args, litz_n);
}

/* aten.div.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_div_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.div.Scalar", litz_args, litz_n);
}

/* aten.div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor */
static inline litz_value litz_aten_div_Scalar_mode(litz_graph *graph, litz_value self, litz_scalar other,
                                        const char *rounding_mode) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    litz_n += litz_ops_string(litz_args + litz_n, "rounding_mode", rounding_mode);
    return litz_ops_one(graph, "aten.div.Scalar_mode", litz_args, litz_n);
}

/* aten.div.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_div_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.div.Tensor", litz_args, litz_n);
}

/* aten.div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor */
static inline litz_value litz_aten_div_Tensor_mode(litz_graph *graph, litz_value self, litz_value other,
                                        const char *rounding_mode) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_string(litz_args + litz_n, "rounding_mode", rounding_mode);
    return litz_ops_one(graph, "aten.div.Tensor_mode", litz_args, litz_n);
}

/* aten.div_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_div__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.div_.Scalar", litz_args, litz_n);
}

/* aten.div_.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor */
static inline litz_value litz_aten_div__Scalar_mode(litz_graph *graph, litz_value self, litz_scalar other,
                                        const char *rounding_mode) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    litz_n += litz_ops_string(litz_args + litz_n, "rounding_mode", rounding_mode);
    return litz_ops_one(graph, "aten.div_.Scalar_mode", litz_args, litz_n);
}

/* aten.div_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_div__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.div_.Tensor", litz_args, litz_n);
}

/* aten.div_.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor */
static inline litz_value litz_aten_div__Tensor_mode(litz_graph *graph, litz_value self, litz_value other,
                                        const char *rounding_mode) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_string(litz_args + litz_n, "rounding_mode", rounding_mode);
    return litz_ops_one(graph, "aten.div_.Tensor_mode", litz_args, litz_n);
}

/* aten.divide.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_divide_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.divide.Scalar", litz_args, litz_n);
}

/* aten.divide.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor */
static inline litz_value litz_aten_divide_Scalar_mode(litz_graph *graph, litz_value self, litz_scalar other,
                                        const char *rounding_mode) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    litz_n += litz_ops_string(litz_args + litz_n, "rounding_mode", rounding_mode);
    return litz_ops_one(graph, "aten.divide.Scalar_mode", litz_args, litz_n);
}

/* aten.divide.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_divide_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.divide.Tensor", litz_args, litz_n);
}

/* aten.divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor */
static inline litz_value litz_aten_divide_Tensor_mode(litz_graph *graph, litz_value self, litz_value other,
                                        const char *rounding_mode) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_string(litz_args + litz_n, "rounding_mode", rounding_mode);
    return litz_ops_one(graph, "aten.divide.Tensor_mode", litz_args, litz_n);
}

/* aten.divide_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_divide__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.divide_.Scalar", litz_args, litz_n);
}

/* aten.divide_.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor */
static inline litz_value litz_aten_divide__Scalar_mode(litz_graph *graph, litz_value self, litz_scalar other,
                                        const char *rounding_mode) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    litz_n += litz_ops_string(litz_args + litz_n, "rounding_mode", rounding_mode);
    return litz_ops_one(graph, "aten.divide_.Scalar_mode", litz_args, litz_n);
}

/* aten.divide_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_divide__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.divide_.Tensor", litz_args, litz_n);
}

/* aten.divide_.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor */
static inline litz_value litz_aten_divide__Tensor_mode(litz_graph *graph, litz_value self, litz_value other,
                                        const char *rounding_mode) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_string(litz_args + litz_n, "rounding_mode", rounding_mode);
    return litz_ops_one(graph, "aten.divide_.Tensor_mode", litz_args, litz_n);
}

/* aten.dot.default(Tensor self, Tensor tensor) -> Tensor */
static inline litz_value litz_aten_dot(litz_graph *graph, litz_value self, litz_value tensor) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "tensor", tensor);
    return litz_ops_one(graph, "aten.dot.default", litz_args, litz_n);
}

/* aten.dropout.default(Tensor input, float p, bool train) -> Tensor */
static inline litz_value litz_aten_dropout(litz_graph *graph, litz_value input, double p, int32_t train) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    litz_n += litz_ops_number(litz_args + litz_n, "train", LITZ_ARG_BOOL, train != 0);
    return litz_ops_one(graph, "aten.dropout.default", litz_args, litz_n);
}

/* aten.dropout_.default(Tensor input, float p, bool train) -> Tensor */
static inline litz_value litz_aten_dropout_(litz_graph *graph, litz_value input, double p, int32_t train) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    litz_n += litz_ops_number(litz_args + litz_n, "train", LITZ_ARG_BOOL, train != 0);
    return litz_ops_one(graph, "aten.dropout_.default", litz_args, litz_n);
}

/* aten.dsplit.array(Tensor self, int[] indices) -> Tensor[] */
static inline litz_value litz_aten_dsplit_array(litz_graph *graph, litz_value self, litz_ints indices,
                                        litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "indices", indices);
    return litz_ops_list(graph, "aten.dsplit.array", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.dsplit.int(Tensor self, int sections) -> Tensor[] */
static inline litz_value litz_aten_dsplit_int(litz_graph *graph, litz_value self, int64_t sections,
                                        litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "sections", LITZ_ARG_INT, sections);
    return litz_ops_list(graph, "aten.dsplit.int", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.dstack.default(Tensor[] tensors) -> Tensor */
static inline litz_value litz_aten_dstack(litz_graph *graph, const litz_value *tensors, size_t n_tensors) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    return litz_ops_one(graph, "aten.dstack.default", litz_args, litz_n);
}

/* aten.einsum.default(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor */
static inline litz_value litz_aten_einsum(litz_graph *graph, const char *equation, const litz_value *tensors,
                                        size_t n_tensors, litz_ints path) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_string(litz_args + litz_n, "equation", equation);
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "path", path);
    return litz_ops_one(graph, "aten.einsum.default", litz_args, litz_n);
}

/* aten.elu.default(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor */
static inline litz_value litz_aten_elu(litz_graph *graph, litz_value self, litz_scalar alpha, litz_scalar scale,
                                       litz_scalar input_scale) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scale", scale);
    litz_n += litz_ops_scalar(litz_args + litz_n, "input_scale", input_scale);
    return litz_ops_one(graph, "aten.elu.default", litz_args, litz_n);
}

/* aten.elu_.default(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor */
static inline litz_value litz_aten_elu_(litz_graph *graph, litz_value self, litz_scalar alpha, litz_scalar scale,
                                        litz_scalar input_scale) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scale", scale);
    litz_n += litz_ops_scalar(litz_args + litz_n, "input_scale", input_scale);
    return litz_ops_one(graph, "aten.elu_.default", litz_args, litz_n);
}

/* aten.elu_backward.default(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, Tensor self_or_result) -> Tensor */
static inline litz_value litz_aten_elu_backward(litz_graph *graph, litz_value grad_output, litz_scalar alpha,
                                        litz_scalar scale, litz_scalar input_scale, int32_t is_result,
                                        litz_value self_or_result) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scale", scale);
    litz_n += litz_ops_scalar(litz_args + litz_n, "input_scale", input_scale);
    litz_n += litz_ops_number(litz_args + litz_n, "is_result", LITZ_ARG_BOOL, is_result != 0);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self_or_result", self_or_result);
    return litz_ops_one(graph, "aten.elu_backward.default", litz_args, litz_n);
}

/* aten.embedding.default(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor */
static inline litz_value litz_aten_embedding(litz_graph *graph, litz_value weight, litz_value indices,
                                        litz_scalar padding_idx, int32_t scale_grad_by_freq, int32_t sparse) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    litz_n += litz_ops_scalar(litz_args + litz_n, "padding_idx", padding_idx);
    litz_n += litz_ops_number(litz_args + litz_n, "scale_grad_by_freq", LITZ_ARG_BOOL, scale_grad_by_freq != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "sparse", LITZ_ARG_BOOL, sparse != 0);
    return litz_ops_one(graph, "aten.embedding.default", litz_args, litz_n);
}

/* aten.embedding_backward.default(Tensor grad, Tensor indices, SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq, bool sparse) -> Tensor */
static inline litz_value litz_aten_embedding_backward(litz_graph *graph, litz_value grad, litz_value indices,
                                        litz_scalar num_weights, litz_scalar padding_idx,
                                        int32_t scale_grad_by_freq, int32_t sparse) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad", grad);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    litz_n += litz_ops_scalar(litz_args + litz_n, "num_weights", num_weights);
    litz_n += litz_ops_scalar(litz_args + litz_n, "padding_idx", padding_idx);
    litz_n += litz_ops_number(litz_args + litz_n, "scale_grad_by_freq", LITZ_ARG_BOOL, scale_grad_by_freq != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "sparse", LITZ_ARG_BOOL, sparse != 0);
    return litz_ops_one(graph, "aten.embedding_backward.default", litz_args, litz_n);
}

/* aten.embedding_bag.default(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor) */
static inline litz_value litz_aten_embedding_bag(litz_graph *graph, litz_value weight, litz_value indices,
                                        litz_value offsets, int32_t scale_grad_by_freq, int64_t mode,
                                        int32_t sparse, litz_value per_sample_weights, int32_t include_last_offset,
                                        litz_value outs[4]) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_value litz_outs[4];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    litz_n += litz_ops_tensor(litz_args + litz_n, "offsets", offsets);
    litz_n += litz_ops_number(litz_args + litz_n, "scale_grad_by_freq", LITZ_ARG_BOOL, scale_grad_by_freq != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "mode", LITZ_ARG_INT, mode);
    litz_n += litz_ops_number(litz_args + litz_n, "sparse", LITZ_ARG_BOOL, sparse != 0);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "per_sample_weights", per_sample_weights);
    litz_n += litz_ops_number(litz_args + litz_n, "include_last_offset", LITZ_ARG_BOOL, include_last_offset != 0);
    litz_ops_call(graph, "aten.embedding_bag.default", litz_args, litz_n, litz_outs, 4);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor) */
static inline litz_value litz_aten_embedding_bag_padding_idx(litz_graph *graph, litz_value weight,
                                        litz_value indices, litz_value offsets, int32_t scale_grad_by_freq,
                                        int64_t mode, int32_t sparse, litz_value per_sample_weights,
                                        int32_t include_last_offset, litz_scalar padding_idx, litz_value outs[4]) {
    litz_arg litz_args[9];
    size_t litz_n = 0;
    litz_value litz_outs[4];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    litz_n += litz_ops_tensor(litz_args + litz_n, "offsets", offsets);
    litz_n += litz_ops_number(litz_args + litz_n, "scale_grad_by_freq", LITZ_ARG_BOOL, scale_grad_by_freq != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "mode", LITZ_ARG_INT, mode);
    litz_n += litz_ops_number(litz_args + litz_n, "sparse", LITZ_ARG_BOOL, sparse != 0);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "per_sample_weights", per_sample_weights);
    litz_n += litz_ops_number(litz_args + litz_n, "include_last_offset", LITZ_ARG_BOOL, include_last_offset != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "padding_idx", padding_idx);
    litz_ops_call(graph, "aten.embedding_bag.padding_idx", litz_args, litz_n, litz_outs, 4);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.embedding_dense_backward.default(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq) -> Tensor */
static inline litz_value litz_aten_embedding_dense_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value indices, litz_scalar num_weights, litz_scalar padding_idx,
                                        int32_t scale_grad_by_freq) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    litz_n += litz_ops_scalar(litz_args + litz_n, "num_weights", num_weights);
    litz_n += litz_ops_scalar(litz_args + litz_n, "padding_idx", padding_idx);
    litz_n += litz_ops_number(litz_args + litz_n, "scale_grad_by_freq", LITZ_ARG_BOOL, scale_grad_by_freq != 0);
    return litz_ops_one(graph, "aten.embedding_dense_backward.default", litz_args, litz_n);
}

/* aten.embedding_renorm.default(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor */
static inline litz_value litz_aten_embedding_renorm(litz_graph *graph, litz_value self, litz_value indices,
                                        double max_norm, double norm_type) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    litz_n += litz_ops_float(litz_args + litz_n, "max_norm", max_norm);
    litz_n += litz_ops_float(litz_args + litz_n, "norm_type", norm_type);
    return litz_ops_one(graph, "aten.embedding_renorm.default", litz_args, litz_n);
}

/* aten.embedding_renorm_.default(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor */
static inline litz_value litz_aten_embedding_renorm_(litz_graph *graph, litz_value self, litz_value indices,
                                        double max_norm, double norm_type) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    litz_n += litz_ops_float(litz_args + litz_n, "max_norm", max_norm);
    litz_n += litz_ops_float(litz_args + litz_n, "norm_type", norm_type);
    return litz_ops_one(graph, "aten.embedding_renorm_.default", litz_args, litz_n);
}

/* aten.empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_empty_memory_format(litz_graph *graph, litz_ints size, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory,
                                        int32_t memory_format) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.empty.memory_format", litz_args, litz_n);
}

/* aten.empty_like.default(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_empty_like(litz_graph *graph, litz_value self, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory, int32_t memory_format) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.empty_like.default", litz_args, litz_n);
}

/* aten.empty_permuted.default(SymInt[] size, int[] physical_layout, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_empty_permuted(litz_graph *graph, litz_ints size, litz_ints physical_layout,
                                        int32_t dtype, int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_ints(litz_args + litz_n, "physical_layout", physical_layout);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.empty_permuted.default", litz_args, litz_n);
}

/* aten.empty_strided.default(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_empty_strided(litz_graph *graph, litz_ints size, litz_ints stride, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.empty_strided.default", litz_args, litz_n);
}

/* aten.eq.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_eq_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.eq.Scalar", litz_args, litz_n);
}

/* aten.eq.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_eq_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.eq.Tensor", litz_args, litz_n);
}

/* aten.eq_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_eq__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.eq_.Scalar", litz_args, litz_n);
}

/* aten.eq_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_eq__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.eq_.Tensor", litz_args, litz_n);
}

/* aten.erf.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_erf(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.erf.default", litz_args, litz_n);
}

/* aten.erf_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_erf_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.erf_.default", litz_args, litz_n);
}

/* aten.erfc.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_erfc(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.erfc.default", litz_args, litz_n);
}

/* aten.erfc_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_erfc_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.erfc_.default", litz_args, litz_n);
}

/* aten.erfinv.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_erfinv(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.erfinv.default", litz_args, litz_n);
}

/* aten.erfinv_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_erfinv_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.erfinv_.default", litz_args, litz_n);
}

/* aten.exp.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_exp(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.exp.default", litz_args, litz_n);
}

/* aten.exp2.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_exp2(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.exp2.default", litz_args, litz_n);
}

/* aten.exp2_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_exp2_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.exp2_.default", litz_args, litz_n);
}

/* aten.exp_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_exp_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.exp_.default", litz_args, litz_n);
}

/* aten.expand.default(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor */
static inline litz_value litz_aten_expand(litz_graph *graph, litz_value self, litz_ints size, int32_t implicit) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_number(litz_args + litz_n, "implicit", LITZ_ARG_BOOL, implicit != 0);
    return litz_ops_one(graph, "aten.expand.default", litz_args, litz_n);
}

/* aten.expand_as.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_expand_as(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.expand_as.default", litz_args, litz_n);
}

/* aten.expand_copy.default(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor */
static inline litz_value litz_aten_expand_copy(litz_graph *graph, litz_value self, litz_ints size, int32_t implicit) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_number(litz_args + litz_n, "implicit", LITZ_ARG_BOOL, implicit != 0);
    return litz_ops_one(graph, "aten.expand_copy.default", litz_args, litz_n);
}

/* aten.expm1.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_expm1(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.expm1.default", litz_args, litz_n);
}

/* aten.expm1_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_expm1_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.expm1_.default", litz_args, litz_n);
}

/* aten.exponential.default(Tensor self, float lambd=1., *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_exponential(litz_graph *graph, litz_value self, double lambd) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "lambd", lambd);
    return litz_ops_one(graph, "aten.exponential.default", litz_args, litz_n);
}

/* aten.exponential_.default(Tensor self, float lambd=1., *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_exponential_(litz_graph *graph, litz_value self, double lambd) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "lambd", lambd);
    return litz_ops_one(graph, "aten.exponential_.default", litz_args, litz_n);
}

/* aten.eye.default(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_eye(litz_graph *graph, litz_scalar n, int32_t dtype, int32_t layout,
                                       DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.eye.default", litz_args, litz_n);
}

/* aten.eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_eye_m(litz_graph *graph, litz_scalar n, litz_scalar m, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    litz_n += litz_ops_scalar(litz_args + litz_n, "m", m);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.eye.m", litz_args, litz_n);
}

/* aten.fake_quantize_per_channel_affine.default(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> Tensor */
static inline litz_value litz_aten_fake_quantize_per_channel_affine(litz_graph *graph, litz_value self,
                                        litz_value scale, litz_value zero_point, int64_t axis, int64_t quant_min,
                                        int64_t quant_max) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "scale", scale);
    litz_n += litz_ops_tensor(litz_args + litz_n, "zero_point", zero_point);
    litz_n += litz_ops_number(litz_args + litz_n, "axis", LITZ_ARG_INT, axis);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_min", LITZ_ARG_INT, quant_min);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_max", LITZ_ARG_INT, quant_max);
    return litz_ops_one(graph, "aten.fake_quantize_per_channel_affine.default", litz_args, litz_n);
}

/* aten.fake_quantize_per_tensor_affine.default(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> Tensor */
static inline litz_value litz_aten_fake_quantize_per_tensor_affine(litz_graph *graph, litz_value self, double scale,
                                        int64_t zero_point, int64_t quant_min, int64_t quant_max) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "scale", scale);
    litz_n += litz_ops_number(litz_args + litz_n, "zero_point", LITZ_ARG_INT, zero_point);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_min", LITZ_ARG_INT, quant_min);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_max", LITZ_ARG_INT, quant_max);
    return litz_ops_one(graph, "aten.fake_quantize_per_tensor_affine.default", litz_args, litz_n);
}

/* aten.feature_alpha_dropout.default(Tensor input, float p, bool train) -> Tensor */
static inline litz_value litz_aten_feature_alpha_dropout(litz_graph *graph, litz_value input, double p,
                                        int32_t train) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    litz_n += litz_ops_number(litz_args + litz_n, "train", LITZ_ARG_BOOL, train != 0);
    return litz_ops_one(graph, "aten.feature_alpha_dropout.default", litz_args, litz_n);
}

/* aten.feature_alpha_dropout_.default(Tensor input, float p, bool train) -> Tensor */
static inline litz_value litz_aten_feature_alpha_dropout_(litz_graph *graph, litz_value input, double p,
                                        int32_t train) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    litz_n += litz_ops_number(litz_args + litz_n, "train", LITZ_ARG_BOOL, train != 0);
    return litz_ops_one(graph, "aten.feature_alpha_dropout_.default", litz_args, litz_n);
}

/* aten.feature_dropout.default(Tensor input, float p, bool train) -> Tensor */
static inline litz_value litz_aten_feature_dropout(litz_graph *graph, litz_value input, double p, int32_t train) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    litz_n += litz_ops_number(litz_args + litz_n, "train", LITZ_ARG_BOOL, train != 0);
    return litz_ops_one(graph, "aten.feature_dropout.default", litz_args, litz_n);
}

/* aten.feature_dropout_.default(Tensor input, float p, bool train) -> Tensor */
static inline litz_value litz_aten_feature_dropout_(litz_graph *graph, litz_value input, double p, int32_t train) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    litz_n += litz_ops_number(litz_args + litz_n, "train", LITZ_ARG_BOOL, train != 0);
    return litz_ops_one(graph, "aten.feature_dropout_.default", litz_args, litz_n);
}

/* aten.fft_fft.default(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_fft(litz_graph *graph, litz_value self, litz_scalar n, int64_t dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_fft.default", litz_args, litz_n);
}

/* aten.fft_fft2.default(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_fft2(litz_graph *graph, litz_value self, litz_ints s, litz_ints dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "s", s);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_fft2.default", litz_args, litz_n);
}

/* aten.fft_fftfreq.default(int n, float d=1.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_fft_fftfreq(litz_graph *graph, int64_t n, double d, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "n", LITZ_ARG_INT, n);
    litz_n += litz_ops_float(litz_args + litz_n, "d", d);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.fft_fftfreq.default", litz_args, litz_n);
}

/* aten.fft_fftn.default(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_fftn(litz_graph *graph, litz_value self, litz_ints s, litz_ints dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "s", s);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_fftn.default", litz_args, litz_n);
}

/* aten.fft_fftshift.default(Tensor self, int[1]? dim=None) -> Tensor */
static inline litz_value litz_aten_fft_fftshift(litz_graph *graph, litz_value self, litz_ints dim) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    return litz_ops_one(graph, "aten.fft_fftshift.default", litz_args, litz_n);
}

/* aten.fft_hfft.default(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_hfft(litz_graph *graph, litz_value self, litz_scalar n, int64_t dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_hfft.default", litz_args, litz_n);
}

/* aten.fft_hfft2.default(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_hfft2(litz_graph *graph, litz_value self, litz_ints s, litz_ints dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "s", s);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_hfft2.default", litz_args, litz_n);
}

/* aten.fft_hfftn.default(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_hfftn(litz_graph *graph, litz_value self, litz_ints s, litz_ints dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "s", s);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_hfftn.default", litz_args, litz_n);
}

/* aten.fft_ifft.default(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_ifft(litz_graph *graph, litz_value self, litz_scalar n, int64_t dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_ifft.default", litz_args, litz_n);
}

/* aten.fft_ifft2.default(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_ifft2(litz_graph *graph, litz_value self, litz_ints s, litz_ints dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "s", s);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_ifft2.default", litz_args, litz_n);
}

/* aten.fft_ifftn.default(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_ifftn(litz_graph *graph, litz_value self, litz_ints s, litz_ints dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "s", s);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_ifftn.default", litz_args, litz_n);
}

/* aten.fft_ifftshift.default(Tensor self, int[1]? dim=None) -> Tensor */
static inline litz_value litz_aten_fft_ifftshift(litz_graph *graph, litz_value self, litz_ints dim) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    return litz_ops_one(graph, "aten.fft_ifftshift.default", litz_args, litz_n);
}

/* aten.fft_ihfft.default(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_ihfft(litz_graph *graph, litz_value self, litz_scalar n, int64_t dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_ihfft.default", litz_args, litz_n);
}

/* aten.fft_ihfft2.default(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_ihfft2(litz_graph *graph, litz_value self, litz_ints s, litz_ints dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "s", s);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_ihfft2.default", litz_args, litz_n);
}

/* aten.fft_ihfftn.default(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_ihfftn(litz_graph *graph, litz_value self, litz_ints s, litz_ints dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "s", s);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_ihfftn.default", litz_args, litz_n);
}

/* aten.fft_irfft.default(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_irfft(litz_graph *graph, litz_value self, litz_scalar n, int64_t dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_irfft.default", litz_args, litz_n);
}

/* aten.fft_irfft2.default(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_irfft2(litz_graph *graph, litz_value self, litz_ints s, litz_ints dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "s", s);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_irfft2.default", litz_args, litz_n);
}

/* aten.fft_irfftn.default(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_irfftn(litz_graph *graph, litz_value self, litz_ints s, litz_ints dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "s", s);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_irfftn.default", litz_args, litz_n);
}

/* aten.fft_rfft.default(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_rfft(litz_graph *graph, litz_value self, litz_scalar n, int64_t dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_rfft.default", litz_args, litz_n);
}

/* aten.fft_rfft2.default(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_rfft2(litz_graph *graph, litz_value self, litz_ints s, litz_ints dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "s", s);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_rfft2.default", litz_args, litz_n);
}

/* aten.fft_rfftfreq.default(int n, float d=1.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_fft_rfftfreq(litz_graph *graph, int64_t n, double d, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "n", LITZ_ARG_INT, n);
    litz_n += litz_ops_float(litz_args + litz_n, "d", d);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.fft_rfftfreq.default", litz_args, litz_n);
}

/* aten.fft_rfftn.default(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor */
static inline litz_value litz_aten_fft_rfftn(litz_graph *graph, litz_value self, litz_ints s, litz_ints dim,
                                        const char *norm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "s", s);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_string(litz_args + litz_n, "norm", norm);
    return litz_ops_one(graph, "aten.fft_rfftn.default", litz_args, litz_n);
}

/* aten.fill.Scalar(Tensor self, Scalar value) -> Tensor */
static inline litz_value litz_aten_fill_Scalar(litz_graph *graph, litz_value self, litz_scalar value) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.fill.Scalar", litz_args, litz_n);
}

/* aten.fill.Tensor(Tensor self, Tensor value) -> Tensor */
static inline litz_value litz_aten_fill_Tensor(litz_graph *graph, litz_value self, litz_value value) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.fill.Tensor", litz_args, litz_n);
}

/* aten.fill_.Scalar(Tensor self, Scalar value) -> Tensor */
static inline litz_value litz_aten_fill__Scalar(litz_graph *graph, litz_value self, litz_scalar value) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.fill_.Scalar", litz_args, litz_n);
}

/* aten.fill_.Tensor(Tensor self, Tensor value) -> Tensor */
static inline litz_value litz_aten_fill__Tensor(litz_graph *graph, litz_value self, litz_value value) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.fill_.Tensor", litz_args, litz_n);
}

/* aten.fix.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_fix(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.fix.default", litz_args, litz_n);
}

/* aten.fix_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_fix_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.fix_.default", litz_args, litz_n);
}

/* aten.flatten.using_ints(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor */
static inline litz_value litz_aten_flatten_using_ints(litz_graph *graph, litz_value self, int64_t start_dim,
                                        int64_t end_dim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "start_dim", LITZ_ARG_INT, start_dim);
    litz_n += litz_ops_number(litz_args + litz_n, "end_dim", LITZ_ARG_INT, end_dim);
    return litz_ops_one(graph, "aten.flatten.using_ints", litz_args, litz_n);
}

/* aten.flip.default(Tensor self, int[] dims) -> Tensor */
static inline litz_value litz_aten_flip(litz_graph *graph, litz_value self, litz_ints dims) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "dims", dims);
    return litz_ops_one(graph, "aten.flip.default", litz_args, litz_n);
}

/* aten.fliplr.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_fliplr(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.fliplr.default", litz_args, litz_n);
}

/* aten.flipud.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_flipud(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.flipud.default", litz_args, litz_n);
}

/* aten.float_power.Scalar(Scalar self, Tensor exponent) -> Tensor */
static inline litz_value litz_aten_float_power_Scalar(litz_graph *graph, litz_scalar self, litz_value exponent) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "exponent", exponent);
    return litz_ops_one(graph, "aten.float_power.Scalar", litz_args, litz_n);
}

/* aten.float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor */
static inline litz_value litz_aten_float_power_Tensor_Scalar(litz_graph *graph, litz_value self,
                                        litz_scalar exponent) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "exponent", exponent);
    return litz_ops_one(graph, "aten.float_power.Tensor_Scalar", litz_args, litz_n);
}

/* aten.float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor */
static inline litz_value litz_aten_float_power_Tensor_Tensor(litz_graph *graph, litz_value self,
                                        litz_value exponent) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "exponent", exponent);
    return litz_ops_one(graph, "aten.float_power.Tensor_Tensor", litz_args, litz_n);
}

/* aten.float_power_.Scalar(Tensor self, Scalar exponent) -> Tensor */
static inline litz_value litz_aten_float_power__Scalar(litz_graph *graph, litz_value self, litz_scalar exponent) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "exponent", exponent);
    return litz_ops_one(graph, "aten.float_power_.Scalar", litz_args, litz_n);
}

/* aten.float_power_.Tensor(Tensor self, Tensor exponent) -> Tensor */
static inline litz_value litz_aten_float_power__Tensor(litz_graph *graph, litz_value self, litz_value exponent) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "exponent", exponent);
    return litz_ops_one(graph, "aten.float_power_.Tensor", litz_args, litz_n);
}

/* aten.floor.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_floor(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.floor.default", litz_args, litz_n);
}

/* aten.floor_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_floor_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.floor_.default", litz_args, litz_n);
}

/* aten.floor_divide.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_floor_divide_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.floor_divide.Scalar", litz_args, litz_n);
}

/* aten.floor_divide.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_floor_divide(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.floor_divide.default", litz_args, litz_n);
}

/* aten.floor_divide_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_floor_divide__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.floor_divide_.Scalar", litz_args, litz_n);
}

/* aten.floor_divide_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_floor_divide__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.floor_divide_.Tensor", litz_args, litz_n);
}

/* aten.fmax.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_fmax(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.fmax.default", litz_args, litz_n);
}

/* aten.fmin.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_fmin(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.fmin.default", litz_args, litz_n);
}

/* aten.fmod.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_fmod_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.fmod.Scalar", litz_args, litz_n);
}

/* aten.fmod.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_fmod_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.fmod.Tensor", litz_args, litz_n);
}

/* aten.fmod_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_fmod__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.fmod_.Scalar", litz_args, litz_n);
}

/* aten.fmod_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_fmod__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.fmod_.Tensor", litz_args, litz_n);
}

/* aten.frac.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_frac(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.frac.default", litz_args, litz_n);
}

/* aten.frac_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_frac_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.frac_.default", litz_args, litz_n);
}

/* aten.fractional_max_pool2d.default(Tensor self, int[2] kernel_size, int[2] output_size, Tensor random_samples) -> (Tensor, Tensor) */
static inline litz_value litz_aten_fractional_max_pool2d(litz_graph *graph, litz_value self, litz_ints kernel_size,
                                        litz_ints output_size, litz_value random_samples, litz_value outs[2]) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_tensor(litz_args + litz_n, "random_samples", random_samples);
    litz_ops_call(graph, "aten.fractional_max_pool2d.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.fractional_max_pool2d_backward.default(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] output_size, Tensor indices) -> Tensor */
static inline litz_value litz_aten_fractional_max_pool2d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self, litz_ints kernel_size, litz_ints output_size,
                                        litz_value indices) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    return litz_ops_one(graph, "aten.fractional_max_pool2d_backward.default", litz_args, litz_n);
}

/* aten.fractional_max_pool3d.default(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples) -> (Tensor, Tensor) */
static inline litz_value litz_aten_fractional_max_pool3d(litz_graph *graph, litz_value self, litz_ints kernel_size,
                                        litz_ints output_size, litz_value random_samples, litz_value outs[2]) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_tensor(litz_args + litz_n, "random_samples", random_samples);
    litz_ops_call(graph, "aten.fractional_max_pool3d.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.fractional_max_pool3d_backward.default(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] output_size, Tensor indices) -> Tensor */
static inline litz_value litz_aten_fractional_max_pool3d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self, litz_ints kernel_size, litz_ints output_size,
                                        litz_value indices) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    return litz_ops_one(graph, "aten.fractional_max_pool3d_backward.default", litz_args, litz_n);
}

/* aten.frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent) */
static inline litz_value litz_aten_frexp_Tensor(litz_graph *graph, litz_value self, litz_value outs[2]) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_ops_call(graph, "aten.frexp.Tensor", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_frobenius_norm_dim(litz_graph *graph, litz_value self, litz_ints dim,
                                        int32_t keepdim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.frobenius_norm.dim", litz_args, litz_n);
}

/* aten.full.default(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_full(litz_graph *graph, litz_ints size, litz_scalar fill_value, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_scalar(litz_args + litz_n, "fill_value", fill_value);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.full.default", litz_args, litz_n);
}

/* aten.full_like.default(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_full_like(litz_graph *graph, litz_value self, litz_scalar fill_value,
                                        int32_t dtype, int32_t layout, DLDevice device, litz_scalar pin_memory,
                                        int32_t memory_format) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "fill_value", fill_value);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.full_like.default", litz_args, litz_n);
}

/* aten.gather.default(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor */
static inline litz_value litz_aten_gather(litz_graph *graph, litz_value self, int64_t dim, litz_value index,
                                        int32_t sparse_grad) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_number(litz_args + litz_n, "sparse_grad", LITZ_ARG_BOOL, sparse_grad != 0);
    return litz_ops_one(graph, "aten.gather.default", litz_args, litz_n);
}

/* aten.gcd.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_gcd(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.gcd.default", litz_args, litz_n);
}

/* aten.gcd_.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_gcd_(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.gcd_.default", litz_args, litz_n);
}

/* aten.ge.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_ge_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.ge.Scalar", litz_args, litz_n);
}

/* aten.ge.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_ge_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.ge.Tensor", litz_args, litz_n);
}

/* aten.ge_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_ge__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.ge_.Scalar", litz_args, litz_n);
}

/* aten.ge_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_ge__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.ge_.Tensor", litz_args, litz_n);
}

/* aten.gelu.default(Tensor self, *, str approximate='none') -> Tensor */
static inline litz_value litz_aten_gelu(litz_graph *graph, litz_value self, const char *approximate) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_string(litz_args + litz_n, "approximate", approximate);
    return litz_ops_one(graph, "aten.gelu.default", litz_args, litz_n);
}

/* aten.gelu_.default(Tensor self, *, str approximate='none') -> Tensor */
static inline litz_value litz_aten_gelu_(litz_graph *graph, litz_value self, const char *approximate) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_string(litz_args + litz_n, "approximate", approximate);
    return litz_ops_one(graph, "aten.gelu_.default", litz_args, litz_n);
}

/* aten.gelu_backward.default(Tensor grad_output, Tensor self, *, str approximate='none') -> Tensor */
static inline litz_value litz_aten_gelu_backward(litz_graph *graph, litz_value grad_output, litz_value self,
                                        const char *approximate) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_string(litz_args + litz_n, "approximate", approximate);
    return litz_ops_one(graph, "aten.gelu_backward.default", litz_args, litz_n);
}

/* aten.geometric.default(Tensor self, float p, *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_geometric(litz_graph *graph, litz_value self, double p) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    return litz_ops_one(graph, "aten.geometric.default", litz_args, litz_n);
}

/* aten.geometric_.default(Tensor self, float p, *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_geometric_(litz_graph *graph, litz_value self, double p) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    return litz_ops_one(graph, "aten.geometric_.default", litz_args, litz_n);
}

/* aten.geqrf.default(Tensor self) -> (Tensor a, Tensor tau) */
static inline litz_value litz_aten_geqrf(litz_graph *graph, litz_value self, litz_value outs[2]) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_ops_call(graph, "aten.geqrf.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.ger.default(Tensor self, Tensor vec2) -> Tensor */
static inline litz_value litz_aten_ger(litz_graph *graph, litz_value self, litz_value vec2) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "vec2", vec2);
    return litz_ops_one(graph, "aten.ger.default", litz_args, litz_n);
}

/* aten.glu.default(Tensor self, int dim=-1) -> Tensor */
static inline litz_value litz_aten_glu(litz_graph *graph, litz_value self, int64_t dim) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.glu.default", litz_args, litz_n);
}

/* aten.glu_backward.default(Tensor grad_output, Tensor self, int dim) -> Tensor */
static inline litz_value litz_aten_glu_backward(litz_graph *graph, litz_value grad_output, litz_value self,
                                        int64_t dim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.glu_backward.default", litz_args, litz_n);
}

/* aten.gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[] */
static inline litz_value litz_aten_gradient_array(litz_graph *graph, litz_value self, litz_ints dim,
                                        int64_t edge_order, litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "edge_order", LITZ_ARG_INT, edge_order);
    return litz_ops_list(graph, "aten.gradient.array", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[] */
static inline litz_value litz_aten_gradient_scalararray(litz_graph *graph, litz_value self, litz_scalar spacing,
                                        litz_ints dim, int64_t edge_order, litz_value *outs, size_t outs_capacity,
                                        size_t *n_outs) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "spacing", spacing);
    litz_n += litz_ops_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "edge_order", LITZ_ARG_INT, edge_order);
    return litz_ops_list(graph, "aten.gradient.scalararray", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[] */
static inline litz_value litz_aten_gradient_scalarint(litz_graph *graph, litz_value self, litz_scalar spacing,
                                        litz_scalar dim, int64_t edge_order, litz_value *outs, size_t outs_capacity,
                                        size_t *n_outs) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "spacing", spacing);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "edge_order", LITZ_ARG_INT, edge_order);
    return litz_ops_list(graph, "aten.gradient.scalarint", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.gradient.scalarrayarray(Tensor self, *, float[] spacing, int[] dim, int edge_order=1) -> Tensor[] */
static inline litz_value litz_aten_gradient_scalarrayarray(litz_graph *graph, litz_value self,
                                        const double *spacing, size_t n_spacing, litz_ints dim, int64_t edge_order,
                                        litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_floats(litz_args + litz_n, "spacing", spacing, n_spacing);
    litz_n += litz_ops_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "edge_order", LITZ_ARG_INT, edge_order);
    return litz_ops_list(graph, "aten.gradient.scalarrayarray", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.gradient.scalarrayint(Tensor self, *, float[] spacing, int? dim=None, int edge_order=1) -> Tensor[] */
static inline litz_value litz_aten_gradient_scalarrayint(litz_graph *graph, litz_value self, const double *spacing,
                                        size_t n_spacing, litz_scalar dim, int64_t edge_order, litz_value *outs,
                                        size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_floats(litz_args + litz_n, "spacing", spacing, n_spacing);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "edge_order", LITZ_ARG_INT, edge_order);
    return litz_ops_list(graph, "aten.gradient.scalarrayint", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.gradient.tensorarray(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor[] */
static inline litz_value litz_aten_gradient_tensorarray(litz_graph *graph, litz_value self,
                                        const litz_value *spacing, size_t n_spacing, litz_ints dim,
                                        int64_t edge_order, litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensors(litz_args + litz_n, "spacing", spacing, n_spacing);
    litz_n += litz_ops_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "edge_order", LITZ_ARG_INT, edge_order);
    return litz_ops_list(graph, "aten.gradient.tensorarray", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.gradient.tensorarrayint(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor[] */
static inline litz_value litz_aten_gradient_tensorarrayint(litz_graph *graph, litz_value self,
                                        const litz_value *spacing, size_t n_spacing, litz_scalar dim,
                                        int64_t edge_order, litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensors(litz_args + litz_n, "spacing", spacing, n_spacing);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "edge_order", LITZ_ARG_INT, edge_order);
    return litz_ops_list(graph, "aten.gradient.tensorarrayint", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.greater.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_greater_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.greater.Scalar", litz_args, litz_n);
}

/* aten.greater.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_greater_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.greater.Tensor", litz_args, litz_n);
}

/* aten.greater_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_greater__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.greater_.Scalar", litz_args, litz_n);
}

/* aten.greater_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_greater__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.greater_.Tensor", litz_args, litz_n);
}

/* aten.greater_equal.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_greater_equal_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.greater_equal.Scalar", litz_args, litz_n);
}

/* aten.greater_equal.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_greater_equal_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.greater_equal.Tensor", litz_args, litz_n);
}

/* aten.greater_equal_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_greater_equal__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.greater_equal_.Scalar", litz_args, litz_n);
}

/* aten.greater_equal_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_greater_equal__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.greater_equal_.Tensor", litz_args, litz_n);
}

/* aten.grid_sampler.default(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor */
static inline litz_value litz_aten_grid_sampler(litz_graph *graph, litz_value input, litz_value grid,
                                        int64_t interpolation_mode, int64_t padding_mode, int32_t align_corners) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grid", grid);
    litz_n += litz_ops_number(litz_args + litz_n, "interpolation_mode", LITZ_ARG_INT, interpolation_mode);
    litz_n += litz_ops_number(litz_args + litz_n, "padding_mode", LITZ_ARG_INT, padding_mode);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    return litz_ops_one(graph, "aten.grid_sampler.default", litz_args, litz_n);
}

/* aten.grid_sampler_2d.default(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor */
static inline litz_value litz_aten_grid_sampler_2d(litz_graph *graph, litz_value input, litz_value grid,
                                        int64_t interpolation_mode, int64_t padding_mode, int32_t align_corners) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grid", grid);
    litz_n += litz_ops_number(litz_args + litz_n, "interpolation_mode", LITZ_ARG_INT, interpolation_mode);
    litz_n += litz_ops_number(litz_args + litz_n, "padding_mode", LITZ_ARG_INT, padding_mode);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    return litz_ops_one(graph, "aten.grid_sampler_2d.default", litz_args, litz_n);
}

/* aten.grid_sampler_2d_backward.default(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor) */
static inline litz_value litz_aten_grid_sampler_2d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value input, litz_value grid, int64_t interpolation_mode,
                                        int64_t padding_mode, int32_t align_corners, const int64_t *output_mask,
                                        size_t n_output_mask, litz_value outs[2]) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grid", grid);
    litz_n += litz_ops_number(litz_args + litz_n, "interpolation_mode", LITZ_ARG_INT, interpolation_mode);
    litz_n += litz_ops_number(litz_args + litz_n, "padding_mode", LITZ_ARG_INT, padding_mode);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_bools(litz_args + litz_n, "output_mask", output_mask, n_output_mask);
    litz_ops_call(graph, "aten.grid_sampler_2d_backward.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.grid_sampler_3d.default(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor */
static inline litz_value litz_aten_grid_sampler_3d(litz_graph *graph, litz_value input, litz_value grid,
                                        int64_t interpolation_mode, int64_t padding_mode, int32_t align_corners) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grid", grid);
    litz_n += litz_ops_number(litz_args + litz_n, "interpolation_mode", LITZ_ARG_INT, interpolation_mode);
    litz_n += litz_ops_number(litz_args + litz_n, "padding_mode", LITZ_ARG_INT, padding_mode);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    return litz_ops_one(graph, "aten.grid_sampler_3d.default", litz_args, litz_n);
}

/* aten.grid_sampler_3d_backward.default(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor) */
static inline litz_value litz_aten_grid_sampler_3d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value input, litz_value grid, int64_t interpolation_mode,
                                        int64_t padding_mode, int32_t align_corners, const int64_t *output_mask,
                                        size_t n_output_mask, litz_value outs[2]) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grid", grid);
    litz_n += litz_ops_number(litz_args + litz_n, "interpolation_mode", LITZ_ARG_INT, interpolation_mode);
    litz_n += litz_ops_number(litz_args + litz_n, "padding_mode", LITZ_ARG_INT, padding_mode);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_bools(litz_args + litz_n, "output_mask", output_mask, n_output_mask);
    litz_ops_call(graph, "aten.grid_sampler_3d_backward.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.group_norm.default(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-5, bool cudnn_enabled=True) -> Tensor */
static inline litz_value litz_aten_group_norm(litz_graph *graph, litz_value input, int64_t num_groups,
                                        litz_value weight, litz_value bias, double eps, int32_t cudnn_enabled) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_number(litz_args + litz_n, "num_groups", LITZ_ARG_INT, num_groups);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_n += litz_ops_number(litz_args + litz_n, "cudnn_enabled", LITZ_ARG_BOOL, cudnn_enabled != 0);
    return litz_ops_one(graph, "aten.group_norm.default", litz_args, litz_n);
}

/* aten.gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor) */
static inline litz_value litz_aten_gru_input(litz_graph *graph, litz_value input, litz_value hx,
                                        const litz_value *params, size_t n_params, int32_t has_biases,
                                        int64_t num_layers, double dropout, int32_t train, int32_t bidirectional,
                                        int32_t batch_first, litz_value outs[2]) {
    litz_arg litz_args[9];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "hx", hx);
    litz_n += litz_ops_tensors(litz_args + litz_n, "params", params, n_params);
    litz_n += litz_ops_number(litz_args + litz_n, "has_biases", LITZ_ARG_BOOL, has_biases != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "num_layers", LITZ_ARG_INT, num_layers);
    litz_n += litz_ops_float(litz_args + litz_n, "dropout", dropout);
    litz_n += litz_ops_number(litz_args + litz_n, "train", LITZ_ARG_BOOL, train != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "bidirectional", LITZ_ARG_BOOL, bidirectional != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "batch_first", LITZ_ARG_BOOL, batch_first != 0);
    litz_ops_call(graph, "aten.gru.input", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.gru_cell.default(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor */
static inline litz_value litz_aten_gru_cell(litz_graph *graph, litz_value input, litz_value hx, litz_value w_ih,
                                        litz_value w_hh, litz_value b_ih, litz_value b_hh) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "hx", hx);
    litz_n += litz_ops_tensor(litz_args + litz_n, "w_ih", w_ih);
    litz_n += litz_ops_tensor(litz_args + litz_n, "w_hh", w_hh);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "b_ih", b_ih);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "b_hh", b_hh);
    return litz_ops_one(graph, "aten.gru_cell.default", litz_args, litz_n);
}

/* aten.gt.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_gt_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.gt.Scalar", litz_args, litz_n);
}

/* aten.gt.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_gt_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.gt.Tensor", litz_args, litz_n);
}

/* aten.gt_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_gt__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.gt_.Scalar", litz_args, litz_n);
}

/* aten.gt_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_gt__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.gt_.Tensor", litz_args, litz_n);
}

/* aten.hamming_window.default(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_hamming_window(litz_graph *graph, int64_t window_length, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "window_length", LITZ_ARG_INT, window_length);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.hamming_window.default", litz_args, litz_n);
}

/* aten.hamming_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_hamming_window_periodic(litz_graph *graph, int64_t window_length,
                                        int32_t periodic, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "window_length", LITZ_ARG_INT, window_length);
    litz_n += litz_ops_number(litz_args + litz_n, "periodic", LITZ_ARG_BOOL, periodic != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.hamming_window.periodic", litz_args, litz_n);
}

/* aten.hamming_window.periodic_alpha(int window_length, bool periodic, float alpha, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_hamming_window_periodic_alpha(litz_graph *graph, int64_t window_length,
                                        int32_t periodic, double alpha, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "window_length", LITZ_ARG_INT, window_length);
    litz_n += litz_ops_number(litz_args + litz_n, "periodic", LITZ_ARG_BOOL, periodic != 0);
    litz_n += litz_ops_float(litz_args + litz_n, "alpha", alpha);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.hamming_window.periodic_alpha", litz_args, litz_n);
}

/* aten.hamming_window.periodic_alpha_beta(int window_length, bool periodic, float alpha, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_hamming_window_periodic_alpha_beta(litz_graph *graph, int64_t window_length,
                                        int32_t periodic, double alpha, double beta, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "window_length", LITZ_ARG_INT, window_length);
    litz_n += litz_ops_number(litz_args + litz_n, "periodic", LITZ_ARG_BOOL, periodic != 0);
    litz_n += litz_ops_float(litz_args + litz_n, "alpha", alpha);
    litz_n += litz_ops_float(litz_args + litz_n, "beta", beta);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.hamming_window.periodic_alpha_beta", litz_args, litz_n);
}

/* aten.hann_window.default(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_hann_window(litz_graph *graph, int64_t window_length, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "window_length", LITZ_ARG_INT, window_length);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.hann_window.default", litz_args, litz_n);
}

/* aten.hann_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_hann_window_periodic(litz_graph *graph, int64_t window_length, int32_t periodic,
                                        int32_t dtype, int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "window_length", LITZ_ARG_INT, window_length);
    litz_n += litz_ops_number(litz_args + litz_n, "periodic", LITZ_ARG_BOOL, periodic != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.hann_window.periodic", litz_args, litz_n);
}

/* aten.hardshrink.default(Tensor self, Scalar lambd=0.5) -> Tensor */
static inline litz_value litz_aten_hardshrink(litz_graph *graph, litz_value self, litz_scalar lambd) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "lambd", lambd);
    return litz_ops_one(graph, "aten.hardshrink.default", litz_args, litz_n);
}

/* aten.hardshrink_backward.default(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor */
static inline litz_value litz_aten_hardshrink_backward(litz_graph *graph, litz_value grad_out, litz_value self,
                                        litz_scalar lambd) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_out", grad_out);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "lambd", lambd);
    return litz_ops_one(graph, "aten.hardshrink_backward.default", litz_args, litz_n);
}

/* aten.hardsigmoid.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_hardsigmoid(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.hardsigmoid.default", litz_args, litz_n);
}

/* aten.hardsigmoid_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_hardsigmoid_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.hardsigmoid_.default", litz_args, litz_n);
}

/* aten.hardsigmoid_backward.default(Tensor grad_output, Tensor self) -> Tensor */
static inline litz_value litz_aten_hardsigmoid_backward(litz_graph *graph, litz_value grad_output, litz_value self) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.hardsigmoid_backward.default", litz_args, litz_n);
}

/* aten.hardswish.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_hardswish(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.hardswish.default", litz_args, litz_n);
}

/* aten.hardswish_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_hardswish_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.hardswish_.default", litz_args, litz_n);
}

/* aten.hardswish_backward.default(Tensor grad_output, Tensor self) -> Tensor */
static inline litz_value litz_aten_hardswish_backward(litz_graph *graph, litz_value grad_output, litz_value self) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.hardswish_backward.default", litz_args, litz_n);
}

/* aten.hardtanh.default(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor */
static inline litz_value litz_aten_hardtanh(litz_graph *graph, litz_value self, litz_scalar min_val,
                                        litz_scalar max_val) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "min_val", min_val);
    litz_n += litz_ops_scalar(litz_args + litz_n, "max_val", max_val);
    return litz_ops_one(graph, "aten.hardtanh.default", litz_args, litz_n);
}

/* aten.hardtanh_.default(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor */
static inline litz_value litz_aten_hardtanh_(litz_graph *graph, litz_value self, litz_scalar min_val,
                                        litz_scalar max_val) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "min_val", min_val);
    litz_n += litz_ops_scalar(litz_args + litz_n, "max_val", max_val);
    return litz_ops_one(graph, "aten.hardtanh_.default", litz_args, litz_n);
}

/* aten.hardtanh_backward.default(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> Tensor */
static inline litz_value litz_aten_hardtanh_backward(litz_graph *graph, litz_value grad_output, litz_value self,
                                        litz_scalar min_val, litz_scalar max_val) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "min_val", min_val);
    litz_n += litz_ops_scalar(litz_args + litz_n, "max_val", max_val);
    return litz_ops_one(graph, "aten.hardtanh_backward.default", litz_args, litz_n);
}

/* aten.hash_tensor.default(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor */
static inline litz_value litz_aten_hash_tensor(litz_graph *graph, litz_value self, litz_ints dim, int32_t keepdim,
                                        int64_t mode) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "mode", LITZ_ARG_INT, mode);
    return litz_ops_one(graph, "aten.hash_tensor.default", litz_args, litz_n);
}

/* aten.heaviside.default(Tensor self, Tensor values) -> Tensor */
static inline litz_value litz_aten_heaviside(litz_graph *graph, litz_value self, litz_value values) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "values", values);
    return litz_ops_one(graph, "aten.heaviside.default", litz_args, litz_n);
}

/* aten.heaviside_.default(Tensor self, Tensor values) -> Tensor */
static inline litz_value litz_aten_heaviside_(litz_graph *graph, litz_value self, litz_value values) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "values", values);
    return litz_ops_one(graph, "aten.heaviside_.default", litz_args, litz_n);
}

/* aten.hinge_embedding_loss.default(Tensor self, Tensor target, float margin=1., int reduction=1) -> Tensor */
static inline litz_value litz_aten_hinge_embedding_loss(litz_graph *graph, litz_value self, litz_value target,
                                        double margin, int64_t reduction) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_float(litz_args + litz_n, "margin", margin);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    return litz_ops_one(graph, "aten.hinge_embedding_loss.default", litz_args, litz_n);
}

/* aten.histc.default(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor */
static inline litz_value litz_aten_histc(litz_graph *graph, litz_value self, int64_t bins, litz_scalar min,
                                        litz_scalar max) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "bins", LITZ_ARG_INT, bins);
    litz_n += litz_ops_scalar(litz_args + litz_n, "min", min);
    litz_n += litz_ops_scalar(litz_args + litz_n, "max", max);
    return litz_ops_one(graph, "aten.histc.default", litz_args, litz_n);
}

/* aten.histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges) */
static inline litz_value litz_aten_histogram_bin_ct(litz_graph *graph, litz_value self, int64_t bins,
                                        const double *range, size_t n_range, litz_value weight, int32_t density,
                                        litz_value outs[2]) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "bins", LITZ_ARG_INT, bins);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "range", range, n_range);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "density", LITZ_ARG_BOOL, density != 0);
    litz_ops_call(graph, "aten.histogram.bin_ct", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges) */
static inline litz_value litz_aten_histogram_bins_tensor(litz_graph *graph, litz_value self, litz_value bins,
                                        litz_value weight, int32_t density, litz_value outs[2]) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "bins", bins);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "density", LITZ_ARG_BOOL, density != 0);
    litz_ops_call(graph, "aten.histogram.bins_tensor", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.histogramdd.TensorList_bins(Tensor self, Tensor[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges) */
static inline litz_value litz_aten_histogramdd_TensorList_bins(litz_graph *graph, litz_value self,
                                        const litz_value *bins, size_t n_bins, const double *range, size_t n_range,
                                        litz_value weight, int32_t density, litz_value *outs, size_t outs_capacity,
                                        size_t *n_outs) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensors(litz_args + litz_n, "bins", bins, n_bins);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "range", range, n_range);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "density", LITZ_ARG_BOOL, density != 0);
    return litz_ops_list(graph, "aten.histogramdd.TensorList_bins", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.histogramdd.default(Tensor self, int[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges) */
static inline litz_value litz_aten_histogramdd(litz_graph *graph, litz_value self, litz_ints bins,
                                        const double *range, size_t n_range, litz_value weight, int32_t density,
                                        litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "bins", bins);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "range", range, n_range);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "density", LITZ_ARG_BOOL, density != 0);
    return litz_ops_list(graph, "aten.histogramdd.default", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.histogramdd.int_bins(Tensor self, int bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges) */
static inline litz_value litz_aten_histogramdd_int_bins(litz_graph *graph, litz_value self, int64_t bins,
                                        const double *range, size_t n_range, litz_value weight, int32_t density,
                                        litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "bins", LITZ_ARG_INT, bins);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "range", range, n_range);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "density", LITZ_ARG_BOOL, density != 0);
    return litz_ops_list(graph, "aten.histogramdd.int_bins", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.hsplit.array(Tensor self, int[] indices) -> Tensor[] */
static inline litz_value litz_aten_hsplit_array(litz_graph *graph, litz_value self, litz_ints indices,
                                        litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "indices", indices);
    return litz_ops_list(graph, "aten.hsplit.array", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.hsplit.int(Tensor self, int sections) -> Tensor[] */
static inline litz_value litz_aten_hsplit_int(litz_graph *graph, litz_value self, int64_t sections,
                                        litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "sections", LITZ_ARG_INT, sections);
    return litz_ops_list(graph, "aten.hsplit.int", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.hstack.default(Tensor[] tensors) -> Tensor */
static inline litz_value litz_aten_hstack(litz_graph *graph, const litz_value *tensors, size_t n_tensors) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    return litz_ops_one(graph, "aten.hstack.default", litz_args, litz_n);
}

/* aten.huber_loss.default(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor */
static inline litz_value litz_aten_huber_loss(litz_graph *graph, litz_value self, litz_value target,
                                        int64_t reduction, double delta) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    litz_n += litz_ops_float(litz_args + litz_n, "delta", delta);
    return litz_ops_one(graph, "aten.huber_loss.default", litz_args, litz_n);
}

/* aten.huber_loss_backward.default(Tensor grad_output, Tensor self, Tensor target, int reduction, float delta) -> Tensor */
static inline litz_value litz_aten_huber_loss_backward(litz_graph *graph, litz_value grad_output, litz_value self,
                                        litz_value target, int64_t reduction, double delta) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    litz_n += litz_ops_float(litz_args + litz_n, "delta", delta);
    return litz_ops_one(graph, "aten.huber_loss_backward.default", litz_args, litz_n);
}

/* aten.hypot.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_hypot(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.hypot.default", litz_args, litz_n);
}

/* aten.hypot_.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_hypot_(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.hypot_.default", litz_args, litz_n);
}

/* aten.i0.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_i0(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.i0.default", litz_args, litz_n);
}

/* aten.i0_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_i0_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.i0_.default", litz_args, litz_n);
}

/* aten.igamma.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_igamma(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.igamma.default", litz_args, litz_n);
}

/* aten.igamma_.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_igamma_(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.igamma_.default", litz_args, litz_n);
}

/* aten.igammac.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_igammac(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.igammac.default", litz_args, litz_n);
}

/* aten.igammac_.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_igammac_(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.igammac_.default", litz_args, litz_n);
}

/* aten.im2col.default(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor */
static inline litz_value litz_aten_im2col(litz_graph *graph, litz_value self, litz_ints kernel_size,
                                        litz_ints dilation, litz_ints padding, litz_ints stride) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_ints(litz_args + litz_n, "stride", stride);
    return litz_ops_one(graph, "aten.im2col.default", litz_args, litz_n);
}

/* aten.imag.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_imag(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.imag.default", litz_args, litz_n);
}

/* aten.index.Tensor(Tensor self, Tensor?[] indices) -> Tensor */
static inline litz_value litz_aten_index_Tensor(litz_graph *graph, litz_value self, const litz_value *indices,
                                        size_t n_indices) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensors(litz_args + litz_n, "indices", indices, n_indices);
    return litz_ops_one(graph, "aten.index.Tensor", litz_args, litz_n);
}

/* aten.index_add.default(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_index_add(litz_graph *graph, litz_value self, int64_t dim, litz_value index,
                                        litz_value source, litz_scalar alpha) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "source", source);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.index_add.default", litz_args, litz_n);
}

/* aten.index_add_.default(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_index_add_(litz_graph *graph, litz_value self, int64_t dim, litz_value index,
                                        litz_value source, litz_scalar alpha) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "source", source);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.index_add_.default", litz_args, litz_n);
}

/* aten.index_copy.default(Tensor self, int dim, Tensor index, Tensor source) -> Tensor */
static inline litz_value litz_aten_index_copy(litz_graph *graph, litz_value self, int64_t dim, litz_value index,
                                        litz_value source) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "source", source);
    return litz_ops_one(graph, "aten.index_copy.default", litz_args, litz_n);
}

/* aten.index_copy_.default(Tensor self, int dim, Tensor index, Tensor source) -> Tensor */
static inline litz_value litz_aten_index_copy_(litz_graph *graph, litz_value self, int64_t dim, litz_value index,
                                        litz_value source) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "source", source);
    return litz_ops_one(graph, "aten.index_copy_.default", litz_args, litz_n);
}

/* aten.index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor */
static inline litz_value litz_aten_index_fill_int_Scalar(litz_graph *graph, litz_value self, int64_t dim,
                                        litz_value index, litz_scalar value) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.index_fill.int_Scalar", litz_args, litz_n);
}

/* aten.index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor */
static inline litz_value litz_aten_index_fill_int_Tensor(litz_graph *graph, litz_value self, int64_t dim,
                                        litz_value index, litz_value value) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.index_fill.int_Tensor", litz_args, litz_n);
}

/* aten.index_fill_.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor */
static inline litz_value litz_aten_index_fill__int_Scalar(litz_graph *graph, litz_value self, int64_t dim,
                                        litz_value index, litz_scalar value) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.index_fill_.int_Scalar", litz_args, litz_n);
}

/* aten.index_fill_.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor */
static inline litz_value litz_aten_index_fill__int_Tensor(litz_graph *graph, litz_value self, int64_t dim,
                                        litz_value index, litz_value value) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.index_fill_.int_Tensor", litz_args, litz_n);
}

/* aten.index_put.default(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor */
static inline litz_value litz_aten_index_put(litz_graph *graph, litz_value self, const litz_value *indices,
                                        size_t n_indices, litz_value values, int32_t accumulate) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensors(litz_args + litz_n, "indices", indices, n_indices);
    litz_n += litz_ops_tensor(litz_args + litz_n, "values", values);
    litz_n += litz_ops_number(litz_args + litz_n, "accumulate", LITZ_ARG_BOOL, accumulate != 0);
    return litz_ops_one(graph, "aten.index_put.default", litz_args, litz_n);
}

/* aten.index_put_.default(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor */
static inline litz_value litz_aten_index_put_(litz_graph *graph, litz_value self, const litz_value *indices,
                                        size_t n_indices, litz_value values, int32_t accumulate) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensors(litz_args + litz_n, "indices", indices, n_indices);
    litz_n += litz_ops_tensor(litz_args + litz_n, "values", values);
    litz_n += litz_ops_number(litz_args + litz_n, "accumulate", LITZ_ARG_BOOL, accumulate != 0);
    return litz_ops_one(graph, "aten.index_put_.default", litz_args, litz_n);
}

/* aten.index_reduce.default(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor */
static inline litz_value litz_aten_index_reduce(litz_graph *graph, litz_value self, int64_t dim, litz_value index,
                                        litz_value source, const char *reduce, int32_t include_self) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "source", source);
    litz_n += litz_ops_string(litz_args + litz_n, "reduce", reduce);
    litz_n += litz_ops_number(litz_args + litz_n, "include_self", LITZ_ARG_BOOL, include_self != 0);
    return litz_ops_one(graph, "aten.index_reduce.default", litz_args, litz_n);
}

/* aten.index_reduce_.default(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor */
static inline litz_value litz_aten_index_reduce_(litz_graph *graph, litz_value self, int64_t dim, litz_value index,
                                        litz_value source, const char *reduce, int32_t include_self) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "source", source);
    litz_n += litz_ops_string(litz_args + litz_n, "reduce", reduce);
    litz_n += litz_ops_number(litz_args + litz_n, "include_self", LITZ_ARG_BOOL, include_self != 0);
    return litz_ops_one(graph, "aten.index_reduce_.default", litz_args, litz_n);
}

/* aten.index_select.default(Tensor self, int dim, Tensor index) -> Tensor */
static inline litz_value litz_aten_index_select(litz_graph *graph, litz_value self, int64_t dim, litz_value index) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    return litz_ops_one(graph, "aten.index_select.default", litz_args, litz_n);
}

/* aten.index_select_backward.default(Tensor grad, SymInt[] self_sizes, int dim, Tensor index) -> Tensor */
static inline litz_value litz_aten_index_select_backward(litz_graph *graph, litz_value grad, litz_ints self_sizes,
                                        int64_t dim, litz_value index) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad", grad);
    litz_n += litz_ops_ints(litz_args + litz_n, "self_sizes", self_sizes);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    return litz_ops_one(graph, "aten.index_select_backward.default", litz_args, litz_n);
}

/* aten.inner.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_inner(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.inner.default", litz_args, litz_n);
}

/* aten.instance_norm.default(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor */
static inline litz_value litz_aten_instance_norm(litz_graph *graph, litz_value input, litz_value weight,
                                        litz_value bias, litz_value running_mean, litz_value running_var,
                                        int32_t use_input_stats, double momentum, double eps, int32_t cudnn_enabled) {
    litz_arg litz_args[9];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "running_mean", running_mean);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "running_var", running_var);
    litz_n += litz_ops_number(litz_args + litz_n, "use_input_stats", LITZ_ARG_BOOL, use_input_stats != 0);
    litz_n += litz_ops_float(litz_args + litz_n, "momentum", momentum);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_n += litz_ops_number(litz_args + litz_n, "cudnn_enabled", LITZ_ARG_BOOL, cudnn_enabled != 0);
    return litz_ops_one(graph, "aten.instance_norm.default", litz_args, litz_n);
}

/* aten.inverse.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_inverse(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.inverse.default", litz_args, litz_n);
}

/* aten.isclose.default(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, bool equal_nan=False) -> Tensor */
static inline litz_value litz_aten_isclose(litz_graph *graph, litz_value self, litz_value other, double rtol,
                                        double atol, int32_t equal_nan) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_float(litz_args + litz_n, "rtol", rtol);
    litz_n += litz_ops_float(litz_args + litz_n, "atol", atol);
    litz_n += litz_ops_number(litz_args + litz_n, "equal_nan", LITZ_ARG_BOOL, equal_nan != 0);
    return litz_ops_one(graph, "aten.isclose.default", litz_args, litz_n);
}

/* aten.isfinite.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_isfinite(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.isfinite.default", litz_args, litz_n);
}

/* aten.isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor */
static inline litz_value litz_aten_isin_Scalar_Tensor(litz_graph *graph, litz_scalar element,
                                        litz_value test_elements, int32_t assume_unique, int32_t invert) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "element", element);
    litz_n += litz_ops_tensor(litz_args + litz_n, "test_elements", test_elements);
    litz_n += litz_ops_number(litz_args + litz_n, "assume_unique", LITZ_ARG_BOOL, assume_unique != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "invert", LITZ_ARG_BOOL, invert != 0);
    return litz_ops_one(graph, "aten.isin.Scalar_Tensor", litz_args, litz_n);
}

/* aten.isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor */
static inline litz_value litz_aten_isin_Tensor_Scalar(litz_graph *graph, litz_value elements,
                                        litz_scalar test_element, int32_t assume_unique, int32_t invert) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "elements", elements);
    litz_n += litz_ops_scalar(litz_args + litz_n, "test_element", test_element);
    litz_n += litz_ops_number(litz_args + litz_n, "assume_unique", LITZ_ARG_BOOL, assume_unique != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "invert", LITZ_ARG_BOOL, invert != 0);
    return litz_ops_one(graph, "aten.isin.Tensor_Scalar", litz_args, litz_n);
}

/* aten.isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor */
static inline litz_value litz_aten_isin_Tensor_Tensor(litz_graph *graph, litz_value elements,
                                        litz_value test_elements, int32_t assume_unique, int32_t invert) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "elements", elements);
    litz_n += litz_ops_tensor(litz_args + litz_n, "test_elements", test_elements);
    litz_n += litz_ops_number(litz_args + litz_n, "assume_unique", LITZ_ARG_BOOL, assume_unique != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "invert", LITZ_ARG_BOOL, invert != 0);
    return litz_ops_one(graph, "aten.isin.Tensor_Tensor", litz_args, litz_n);
}

/* aten.isinf.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_isinf(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.isinf.default", litz_args, litz_n);
}

/* aten.isnan.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_isnan(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.isnan.default", litz_args, litz_n);
}

/* aten.isneginf.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_isneginf(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.isneginf.default", litz_args, litz_n);
}

/* aten.isposinf.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_isposinf(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.isposinf.default", litz_args, litz_n);
}

/* aten.isreal.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_isreal(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.isreal.default", litz_args, litz_n);
}

/* aten.istft.default(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor */
static inline litz_value litz_aten_istft(litz_graph *graph, litz_value self, int64_t n_fft, litz_scalar hop_length,
                                        litz_scalar win_length, litz_value window, int32_t center,
                                        int32_t normalized, litz_scalar onesided, litz_scalar length,
                                        int32_t return_complex) {
    litz_arg litz_args[10];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "n_fft", LITZ_ARG_INT, n_fft);
    litz_n += litz_ops_scalar(litz_args + litz_n, "hop_length", hop_length);
    litz_n += litz_ops_scalar(litz_args + litz_n, "win_length", win_length);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "window", window);
    litz_n += litz_ops_number(litz_args + litz_n, "center", LITZ_ARG_BOOL, center != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "normalized", LITZ_ARG_BOOL, normalized != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "onesided", onesided);
    litz_n += litz_ops_scalar(litz_args + litz_n, "length", length);
    litz_n += litz_ops_number(litz_args + litz_n, "return_complex", LITZ_ARG_BOOL, return_complex != 0);
    return litz_ops_one(graph, "aten.istft.default", litz_args, litz_n);
}

/* aten.kaiser_window.beta(int window_length, bool periodic, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_kaiser_window_beta(litz_graph *graph, int64_t window_length, int32_t periodic,
                                        double beta, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "window_length", LITZ_ARG_INT, window_length);
    litz_n += litz_ops_number(litz_args + litz_n, "periodic", LITZ_ARG_BOOL, periodic != 0);
    litz_n += litz_ops_float(litz_args + litz_n, "beta", beta);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.kaiser_window.beta", litz_args, litz_n);
}

/* aten.kaiser_window.default(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_kaiser_window(litz_graph *graph, int64_t window_length, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "window_length", LITZ_ARG_INT, window_length);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.kaiser_window.default", litz_args, litz_n);
}

/* aten.kaiser_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_kaiser_window_periodic(litz_graph *graph, int64_t window_length,
                                        int32_t periodic, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "window_length", LITZ_ARG_INT, window_length);
    litz_n += litz_ops_number(litz_args + litz_n, "periodic", LITZ_ARG_BOOL, periodic != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.kaiser_window.periodic", litz_args, litz_n);
}

/* aten.kl_div.default(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) -> Tensor */
static inline litz_value litz_aten_kl_div(litz_graph *graph, litz_value self, litz_value target, int64_t reduction,
                                        int32_t log_target) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    litz_n += litz_ops_number(litz_args + litz_n, "log_target", LITZ_ARG_BOOL, log_target != 0);
    return litz_ops_one(graph, "aten.kl_div.default", litz_args, litz_n);
}

/* aten.kron.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_kron(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.kron.default", litz_args, litz_n);
}

/* aten.kthvalue.default(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices) */
static inline litz_value litz_aten_kthvalue(litz_graph *graph, litz_value self, litz_scalar k, int64_t dim,
                                        int32_t keepdim, litz_value outs[2]) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "k", k);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_ops_call(graph, "aten.kthvalue.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.l1_loss.default(Tensor self, Tensor target, int reduction=1) -> Tensor */
static inline litz_value litz_aten_l1_loss(litz_graph *graph, litz_value self, litz_value target, int64_t reduction) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    return litz_ops_one(graph, "aten.l1_loss.default", litz_args, litz_n);
}

/* aten.layer_norm.default(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-5, bool cudnn_enable=True) -> Tensor */
static inline litz_value litz_aten_layer_norm(litz_graph *graph, litz_value input, litz_ints normalized_shape,
                                        litz_value weight, litz_value bias, double eps, int32_t cudnn_enable) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_ints(litz_args + litz_n, "normalized_shape", normalized_shape);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_n += litz_ops_number(litz_args + litz_n, "cudnn_enable", LITZ_ARG_BOOL, cudnn_enable != 0);
    return litz_ops_one(graph, "aten.layer_norm.default", litz_args, litz_n);
}

/* aten.lcm.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_lcm(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.lcm.default", litz_args, litz_n);
}

/* aten.lcm_.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_lcm_(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.lcm_.default", litz_args, litz_n);
}

/* aten.ldexp.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_ldexp_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.ldexp.Tensor", litz_args, litz_n);
}

/* aten.ldexp_.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_ldexp_(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.ldexp_.default", litz_args, litz_n);
}

/* aten.le.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_le_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.le.Scalar", litz_args, litz_n);
}

/* aten.le.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_le_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.le.Tensor", litz_args, litz_n);
}

/* aten.le_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_le__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.le_.Scalar", litz_args, litz_n);
}

/* aten.le_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_le__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.le_.Tensor", litz_args, litz_n);
}

/* aten.leaky_relu.default(Tensor self, Scalar negative_slope=0.01) -> Tensor */
static inline litz_value litz_aten_leaky_relu(litz_graph *graph, litz_value self, litz_scalar negative_slope) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "negative_slope", negative_slope);
    return litz_ops_one(graph, "aten.leaky_relu.default", litz_args, litz_n);
}

/* aten.leaky_relu_.default(Tensor self, Scalar negative_slope=0.01) -> Tensor */
static inline litz_value litz_aten_leaky_relu_(litz_graph *graph, litz_value self, litz_scalar negative_slope) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "negative_slope", negative_slope);
    return litz_ops_one(graph, "aten.leaky_relu_.default", litz_args, litz_n);
}

/* aten.leaky_relu_backward.default(Tensor grad_output, Tensor self, Scalar negative_slope, bool self_is_result) -> Tensor */
static inline litz_value litz_aten_leaky_relu_backward(litz_graph *graph, litz_value grad_output, litz_value self,
                                        litz_scalar negative_slope, int32_t self_is_result) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "negative_slope", negative_slope);
    litz_n += litz_ops_number(litz_args + litz_n, "self_is_result", LITZ_ARG_BOOL, self_is_result != 0);
    return litz_ops_one(graph, "aten.leaky_relu_backward.default", litz_args, litz_n);
}

/* aten.lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor */
static inline litz_value litz_aten_lerp_Scalar(litz_graph *graph, litz_value self, litz_value end,
                                        litz_scalar weight) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "end", end);
    litz_n += litz_ops_scalar(litz_args + litz_n, "weight", weight);
    return litz_ops_one(graph, "aten.lerp.Scalar", litz_args, litz_n);
}

/* aten.lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor */
static inline litz_value litz_aten_lerp_Tensor(litz_graph *graph, litz_value self, litz_value end,
                                        litz_value weight) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "end", end);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    return litz_ops_one(graph, "aten.lerp.Tensor", litz_args, litz_n);
}

/* aten.lerp_.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor */
static inline litz_value litz_aten_lerp__Scalar(litz_graph *graph, litz_value self, litz_value end,
                                        litz_scalar weight) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "end", end);
    litz_n += litz_ops_scalar(litz_args + litz_n, "weight", weight);
    return litz_ops_one(graph, "aten.lerp_.Scalar", litz_args, litz_n);
}

/* aten.lerp_.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor */
static inline litz_value litz_aten_lerp__Tensor(litz_graph *graph, litz_value self, litz_value end,
                                        litz_value weight) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "end", end);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    return litz_ops_one(graph, "aten.lerp_.Tensor", litz_args, litz_n);
}

/* aten.less.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_less_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.less.Scalar", litz_args, litz_n);
}

/* aten.less.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_less_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.less.Tensor", litz_args, litz_n);
}

/* aten.less_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_less__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.less_.Scalar", litz_args, litz_n);
}

/* aten.less_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_less__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.less_.Tensor", litz_args, litz_n);
}

/* aten.less_equal.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_less_equal_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.less_equal.Scalar", litz_args, litz_n);
}

/* aten.less_equal.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_less_equal_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.less_equal.Tensor", litz_args, litz_n);
}

/* aten.less_equal_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_less_equal__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.less_equal_.Scalar", litz_args, litz_n);
}

/* aten.less_equal_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_less_equal__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.less_equal_.Tensor", litz_args, litz_n);
}

/* aten.lgamma.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_lgamma(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.lgamma.default", litz_args, litz_n);
}

/* aten.lgamma_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_lgamma_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.lgamma_.default", litz_args, litz_n);
}

/* aten.lift_fresh_copy.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_lift_fresh_copy(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.lift_fresh_copy.default", litz_args, litz_n);
}

/* aten.linalg_cholesky.default(Tensor self, *, bool upper=False) -> Tensor */
static inline litz_value litz_aten_linalg_cholesky(litz_graph *graph, litz_value self, int32_t upper) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "upper", LITZ_ARG_BOOL, upper != 0);
    return litz_ops_one(graph, "aten.linalg_cholesky.default", litz_args, litz_n);
}

/* aten.linalg_cholesky_ex.default(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info) */
static inline litz_value litz_aten_linalg_cholesky_ex(litz_graph *graph, litz_value self, int32_t upper,
                                        int32_t check_errors, litz_value outs[2]) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "upper", LITZ_ARG_BOOL, upper != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "check_errors", LITZ_ARG_BOOL, check_errors != 0);
    litz_ops_call(graph, "aten.linalg_cholesky_ex.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.linalg_cond.default(Tensor self, Scalar? p=None) -> Tensor */
static inline litz_value litz_aten_linalg_cond(litz_graph *graph, litz_value self, litz_scalar p) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "p", p);
    return litz_ops_one(graph, "aten.linalg_cond.default", litz_args, litz_n);
}

/* aten.linalg_cond.p_str(Tensor self, str p) -> Tensor */
static inline litz_value litz_aten_linalg_cond_p_str(litz_graph *graph, litz_value self, const char *p) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_string(litz_args + litz_n, "p", p);
    return litz_ops_one(graph, "aten.linalg_cond.p_str", litz_args, litz_n);
}

/* aten.linalg_cross.default(Tensor self, Tensor other, *, int dim=-1) -> Tensor */
static inline litz_value litz_aten_linalg_cross(litz_graph *graph, litz_value self, litz_value other, int64_t dim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.linalg_cross.default", litz_args, litz_n);
}

/* aten.linalg_det.default(Tensor A) -> Tensor */
static inline litz_value litz_aten_linalg_det(litz_graph *graph, litz_value A) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    return litz_ops_one(graph, "aten.linalg_det.default", litz_args, litz_n);
}

/* aten.linalg_diagonal.default(Tensor A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor */
static inline litz_value litz_aten_linalg_diagonal(litz_graph *graph, litz_value A, int64_t offset, int64_t dim1,
                                        int64_t dim2) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_n += litz_ops_number(litz_args + litz_n, "offset", LITZ_ARG_INT, offset);
    litz_n += litz_ops_number(litz_args + litz_n, "dim1", LITZ_ARG_INT, dim1);
    litz_n += litz_ops_number(litz_args + litz_n, "dim2", LITZ_ARG_INT, dim2);
    return litz_ops_one(graph, "aten.linalg_diagonal.default", litz_args, litz_n);
}

/* aten.linalg_eig.default(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors) */
static inline litz_value litz_aten_linalg_eig(litz_graph *graph, litz_value self, litz_value outs[2]) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_ops_call(graph, "aten.linalg_eig.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.linalg_eigh.default(Tensor self, str UPLO='L') -> (Tensor eigenvalues, Tensor eigenvectors) */
static inline litz_value litz_aten_linalg_eigh(litz_graph *graph, litz_value self, const char *UPLO,
                                        litz_value outs[2]) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_string(litz_args + litz_n, "UPLO", UPLO);
    litz_ops_call(graph, "aten.linalg_eigh.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.linalg_eigvals.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_linalg_eigvals(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.linalg_eigvals.default", litz_args, litz_n);
}

/* aten.linalg_eigvalsh.default(Tensor self, str UPLO='L') -> Tensor */
static inline litz_value litz_aten_linalg_eigvalsh(litz_graph *graph, litz_value self, const char *UPLO) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_string(litz_args + litz_n, "UPLO", UPLO);
    return litz_ops_one(graph, "aten.linalg_eigvalsh.default", litz_args, litz_n);
}

/* aten.linalg_householder_product.default(Tensor input, Tensor tau) -> Tensor */
static inline litz_value litz_aten_linalg_householder_product(litz_graph *graph, litz_value input, litz_value tau) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "tau", tau);
    return litz_ops_one(graph, "aten.linalg_householder_product.default", litz_args, litz_n);
}

/* aten.linalg_inv.default(Tensor A) -> Tensor */
static inline litz_value litz_aten_linalg_inv(litz_graph *graph, litz_value A) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    return litz_ops_one(graph, "aten.linalg_inv.default", litz_args, litz_n);
}

/* aten.linalg_inv_ex.default(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info) */
static inline litz_value litz_aten_linalg_inv_ex(litz_graph *graph, litz_value A, int32_t check_errors,
                                        litz_value outs[2]) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_n += litz_ops_number(litz_args + litz_n, "check_errors", LITZ_ARG_BOOL, check_errors != 0);
    litz_ops_call(graph, "aten.linalg_inv_ex.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.linalg_ldl_factor.default(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots) */
static inline litz_value litz_aten_linalg_ldl_factor(litz_graph *graph, litz_value self, int32_t hermitian,
                                        litz_value outs[2]) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "hermitian", LITZ_ARG_BOOL, hermitian != 0);
    litz_ops_call(graph, "aten.linalg_ldl_factor.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.linalg_ldl_factor_ex.default(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info) */
static inline litz_value litz_aten_linalg_ldl_factor_ex(litz_graph *graph, litz_value self, int32_t hermitian,
                                        int32_t check_errors, litz_value outs[3]) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "hermitian", LITZ_ARG_BOOL, hermitian != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "check_errors", LITZ_ARG_BOOL, check_errors != 0);
    litz_ops_call(graph, "aten.linalg_ldl_factor_ex.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.linalg_ldl_solve.default(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor */
static inline litz_value litz_aten_linalg_ldl_solve(litz_graph *graph, litz_value LD, litz_value pivots,
                                        litz_value B, int32_t hermitian) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "LD", LD);
    litz_n += litz_ops_tensor(litz_args + litz_n, "pivots", pivots);
    litz_n += litz_ops_tensor(litz_args + litz_n, "B", B);
    litz_n += litz_ops_number(litz_args + litz_n, "hermitian", LITZ_ARG_BOOL, hermitian != 0);
    return litz_ops_one(graph, "aten.linalg_ldl_solve.default", litz_args, litz_n);
}

/* aten.linalg_lstsq.default(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values) */
static inline litz_value litz_aten_linalg_lstsq(litz_graph *graph, litz_value self, litz_value b, litz_scalar rcond,
                                        const char *driver, litz_value outs[4]) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_value litz_outs[4];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "b", b);
    litz_n += litz_ops_scalar(litz_args + litz_n, "rcond", rcond);
    litz_n += litz_ops_string(litz_args + litz_n, "driver", driver);
    litz_ops_call(graph, "aten.linalg_lstsq.default", litz_args, litz_n, litz_outs, 4);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.linalg_lu.default(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U) */
static inline litz_value litz_aten_linalg_lu(litz_graph *graph, litz_value A, int32_t pivot, litz_value outs[3]) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_n += litz_ops_number(litz_args + litz_n, "pivot", LITZ_ARG_BOOL, pivot != 0);
    litz_ops_call(graph, "aten.linalg_lu.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.linalg_lu_factor.default(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots) */
static inline litz_value litz_aten_linalg_lu_factor(litz_graph *graph, litz_value A, int32_t pivot,
                                        litz_value outs[2]) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_n += litz_ops_number(litz_args + litz_n, "pivot", LITZ_ARG_BOOL, pivot != 0);
    litz_ops_call(graph, "aten.linalg_lu_factor.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.linalg_lu_factor_ex.default(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info) */
static inline litz_value litz_aten_linalg_lu_factor_ex(litz_graph *graph, litz_value A, int32_t pivot,
                                        int32_t check_errors, litz_value outs[3]) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_n += litz_ops_number(litz_args + litz_n, "pivot", LITZ_ARG_BOOL, pivot != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "check_errors", LITZ_ARG_BOOL, check_errors != 0);
    litz_ops_call(graph, "aten.linalg_lu_factor_ex.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.linalg_lu_solve.default(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor */
static inline litz_value litz_aten_linalg_lu_solve(litz_graph *graph, litz_value LU, litz_value pivots,
                                        litz_value B, int32_t left, int32_t adjoint) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "LU", LU);
    litz_n += litz_ops_tensor(litz_args + litz_n, "pivots", pivots);
    litz_n += litz_ops_tensor(litz_args + litz_n, "B", B);
    litz_n += litz_ops_number(litz_args + litz_n, "left", LITZ_ARG_BOOL, left != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "adjoint", LITZ_ARG_BOOL, adjoint != 0);
    return litz_ops_one(graph, "aten.linalg_lu_solve.default", litz_args, litz_n);
}

/* aten.linalg_matmul.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_linalg_matmul(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.linalg_matmul.default", litz_args, litz_n);
}

/* aten.linalg_matrix_exp.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_linalg_matrix_exp(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.linalg_matrix_exp.default", litz_args, litz_n);
}

/* aten.linalg_matrix_norm.default(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_linalg_matrix_norm(litz_graph *graph, litz_value self, litz_scalar ord,
                                        litz_ints dim, int32_t keepdim, int32_t dtype) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "ord", ord);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.linalg_matrix_norm.default", litz_args, litz_n);
}

/* aten.linalg_matrix_norm.str_ord(Tensor self, str ord='fro', int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_linalg_matrix_norm_str_ord(litz_graph *graph, litz_value self, const char *ord,
                                        litz_ints dim, int32_t keepdim, int32_t dtype) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_string(litz_args + litz_n, "ord", ord);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.linalg_matrix_norm.str_ord", litz_args, litz_n);
}

/* aten.linalg_matrix_power.default(Tensor self, int n) -> Tensor */
static inline litz_value litz_aten_linalg_matrix_power(litz_graph *graph, litz_value self, int64_t n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "n", LITZ_ARG_INT, n);
    return litz_ops_one(graph, "aten.linalg_matrix_power.default", litz_args, litz_n);
}

/* aten.linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor */
static inline litz_value litz_aten_linalg_matrix_rank_atol_rtol_float(litz_graph *graph, litz_value self,
                                        litz_scalar atol, litz_scalar rtol, int32_t hermitian) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "atol", atol);
    litz_n += litz_ops_scalar(litz_args + litz_n, "rtol", rtol);
    litz_n += litz_ops_number(litz_args + litz_n, "hermitian", LITZ_ARG_BOOL, hermitian != 0);
    return litz_ops_one(graph, "aten.linalg_matrix_rank.atol_rtol_float", litz_args, litz_n);
}

/* aten.linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor */
static inline litz_value litz_aten_linalg_matrix_rank_atol_rtol_tensor(litz_graph *graph, litz_value input,
                                        litz_value atol, litz_value rtol, int32_t hermitian) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "atol", atol);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "rtol", rtol);
    litz_n += litz_ops_number(litz_args + litz_n, "hermitian", LITZ_ARG_BOOL, hermitian != 0);
    return litz_ops_one(graph, "aten.linalg_matrix_rank.atol_rtol_tensor", litz_args, litz_n);
}

/* aten.linalg_matrix_rank.default(Tensor self, float tol, bool hermitian=False) -> Tensor */
static inline litz_value litz_aten_linalg_matrix_rank(litz_graph *graph, litz_value self, double tol,
                                        int32_t hermitian) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "tol", tol);
    litz_n += litz_ops_number(litz_args + litz_n, "hermitian", LITZ_ARG_BOOL, hermitian != 0);
    return litz_ops_one(graph, "aten.linalg_matrix_rank.default", litz_args, litz_n);
}

/* aten.linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor */
static inline litz_value litz_aten_linalg_matrix_rank_tol_tensor(litz_graph *graph, litz_value input,
                                        litz_value tol, int32_t hermitian) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "tol", tol);
    litz_n += litz_ops_number(litz_args + litz_n, "hermitian", LITZ_ARG_BOOL, hermitian != 0);
    return litz_ops_one(graph, "aten.linalg_matrix_rank.tol_tensor", litz_args, litz_n);
}

/* aten.linalg_matrix_sqrth.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_linalg_matrix_sqrth(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.linalg_matrix_sqrth.default", litz_args, litz_n);
}

/* aten.linalg_multi_dot.default(Tensor[] tensors) -> Tensor */
static inline litz_value litz_aten_linalg_multi_dot(litz_graph *graph, const litz_value *tensors, size_t n_tensors) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    return litz_ops_one(graph, "aten.linalg_multi_dot.default", litz_args, litz_n);
}

/* aten.linalg_norm.default(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_linalg_norm(litz_graph *graph, litz_value self, litz_scalar ord, litz_ints dim,
                                        int32_t keepdim, int32_t dtype) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "ord", ord);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.linalg_norm.default", litz_args, litz_n);
}

/* aten.linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_linalg_norm_ord_str(litz_graph *graph, litz_value self, const char *ord,
                                        litz_ints dim, int32_t keepdim, int32_t dtype) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_string(litz_args + litz_n, "ord", ord);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.linalg_norm.ord_str", litz_args, litz_n);
}

/* aten.linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor */
static inline litz_value litz_aten_linalg_pinv_atol_rtol_float(litz_graph *graph, litz_value self, litz_scalar atol,
                                        litz_scalar rtol, int32_t hermitian) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "atol", atol);
    litz_n += litz_ops_scalar(litz_args + litz_n, "rtol", rtol);
    litz_n += litz_ops_number(litz_args + litz_n, "hermitian", LITZ_ARG_BOOL, hermitian != 0);
    return litz_ops_one(graph, "aten.linalg_pinv.atol_rtol_float", litz_args, litz_n);
}

/* aten.linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor */
static inline litz_value litz_aten_linalg_pinv_atol_rtol_tensor(litz_graph *graph, litz_value self, litz_value atol,
                                        litz_value rtol, int32_t hermitian) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "atol", atol);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "rtol", rtol);
    litz_n += litz_ops_number(litz_args + litz_n, "hermitian", LITZ_ARG_BOOL, hermitian != 0);
    return litz_ops_one(graph, "aten.linalg_pinv.atol_rtol_tensor", litz_args, litz_n);
}

/* aten.linalg_pinv.default(Tensor self, float rcond, bool hermitian=False) -> Tensor */
static inline litz_value litz_aten_linalg_pinv(litz_graph *graph, litz_value self, double rcond, int32_t hermitian) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "rcond", rcond);
    litz_n += litz_ops_number(litz_args + litz_n, "hermitian", LITZ_ARG_BOOL, hermitian != 0);
    return litz_ops_one(graph, "aten.linalg_pinv.default", litz_args, litz_n);
}

/* aten.linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor */
static inline litz_value litz_aten_linalg_pinv_rcond_tensor(litz_graph *graph, litz_value self, litz_value rcond,
                                        int32_t hermitian) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "rcond", rcond);
    litz_n += litz_ops_number(litz_args + litz_n, "hermitian", LITZ_ARG_BOOL, hermitian != 0);
    return litz_ops_one(graph, "aten.linalg_pinv.rcond_tensor", litz_args, litz_n);
}

/* aten.linalg_polar.default(Tensor A) -> (Tensor U, Tensor H) */
static inline litz_value litz_aten_linalg_polar(litz_graph *graph, litz_value A, litz_value outs[2]) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_ops_call(graph, "aten.linalg_polar.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.linalg_qr.default(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R) */
static inline litz_value litz_aten_linalg_qr(litz_graph *graph, litz_value A, const char *mode, litz_value outs[2]) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_n += litz_ops_string(litz_args + litz_n, "mode", mode);
    litz_ops_call(graph, "aten.linalg_qr.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.linalg_slogdet.default(Tensor A) -> (Tensor sign, Tensor logabsdet) */
static inline litz_value litz_aten_linalg_slogdet(litz_graph *graph, litz_value A, litz_value outs[2]) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_ops_call(graph, "aten.linalg_slogdet.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.linalg_solve.default(Tensor A, Tensor B, *, bool left=True) -> Tensor */
static inline litz_value litz_aten_linalg_solve(litz_graph *graph, litz_value A, litz_value B, int32_t left) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_n += litz_ops_tensor(litz_args + litz_n, "B", B);
    litz_n += litz_ops_number(litz_args + litz_n, "left", LITZ_ARG_BOOL, left != 0);
    return litz_ops_one(graph, "aten.linalg_solve.default", litz_args, litz_n);
}

/* aten.linalg_solve_ex.default(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor info) */
static inline litz_value litz_aten_linalg_solve_ex(litz_graph *graph, litz_value A, litz_value B, int32_t left,
                                        int32_t check_errors, litz_value outs[2]) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_n += litz_ops_tensor(litz_args + litz_n, "B", B);
    litz_n += litz_ops_number(litz_args + litz_n, "left", LITZ_ARG_BOOL, left != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "check_errors", LITZ_ARG_BOOL, check_errors != 0);
    litz_ops_call(graph, "aten.linalg_solve_ex.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.linalg_solve_triangular.default(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor */
static inline litz_value litz_aten_linalg_solve_triangular(litz_graph *graph, litz_value self, litz_value B,
                                        int32_t upper, int32_t left, int32_t unitriangular) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "B", B);
    litz_n += litz_ops_number(litz_args + litz_n, "upper", LITZ_ARG_BOOL, upper != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "left", LITZ_ARG_BOOL, left != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "unitriangular", LITZ_ARG_BOOL, unitriangular != 0);
    return litz_ops_one(graph, "aten.linalg_solve_triangular.default", litz_args, litz_n);
}

/* aten.linalg_svd.default(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh) */
static inline litz_value litz_aten_linalg_svd(litz_graph *graph, litz_value A, int32_t full_matrices,
                                        const char *driver, litz_value outs[3]) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_n += litz_ops_number(litz_args + litz_n, "full_matrices", LITZ_ARG_BOOL, full_matrices != 0);
    litz_n += litz_ops_string(litz_args + litz_n, "driver", driver);
    litz_ops_call(graph, "aten.linalg_svd.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.linalg_svdvals.default(Tensor A, *, str? driver=None) -> Tensor */
static inline litz_value litz_aten_linalg_svdvals(litz_graph *graph, litz_value A, const char *driver) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_n += litz_ops_string(litz_args + litz_n, "driver", driver);
    return litz_ops_one(graph, "aten.linalg_svdvals.default", litz_args, litz_n);
}

/* aten.linalg_tensorinv.default(Tensor self, int ind=2) -> Tensor */
static inline litz_value litz_aten_linalg_tensorinv(litz_graph *graph, litz_value self, int64_t ind) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "ind", LITZ_ARG_INT, ind);
    return litz_ops_one(graph, "aten.linalg_tensorinv.default", litz_args, litz_n);
}

/* aten.linalg_tensorsolve.default(Tensor self, Tensor other, int[]? dims=None) -> Tensor */
static inline litz_value litz_aten_linalg_tensorsolve(litz_graph *graph, litz_value self, litz_value other,
                                        litz_ints dims) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dims", dims);
    return litz_ops_one(graph, "aten.linalg_tensorsolve.default", litz_args, litz_n);
}

/* aten.linalg_vander.default(Tensor x, *, SymInt? N=None) -> Tensor */
static inline litz_value litz_aten_linalg_vander(litz_graph *graph, litz_value x, litz_scalar N) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_scalar(litz_args + litz_n, "N", N);
    return litz_ops_one(graph, "aten.linalg_vander.default", litz_args, litz_n);
}

/* aten.linalg_vecdot.default(Tensor x, Tensor y, *, int dim=-1) -> Tensor */
static inline litz_value litz_aten_linalg_vecdot(litz_graph *graph, litz_value x, litz_value y, int64_t dim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "y", y);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.linalg_vecdot.default", litz_args, litz_n);
}

/* aten.linalg_vector_norm.default(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_linalg_vector_norm(litz_graph *graph, litz_value self, litz_scalar ord,
                                        litz_ints dim, int32_t keepdim, int32_t dtype) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "ord", ord);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.linalg_vector_norm.default", litz_args, litz_n);
}

/* aten.linear.default(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor */
static inline litz_value litz_aten_linear(litz_graph *graph, litz_value input, litz_value weight, litz_value bias) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    return litz_ops_one(graph, "aten.linear.default", litz_args, litz_n);
}

/* aten.linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_linspace_Scalar_Tensor(litz_graph *graph, litz_scalar start, litz_value end,
                                        int64_t steps, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "start", start);
    litz_n += litz_ops_tensor(litz_args + litz_n, "end", end);
    litz_n += litz_ops_number(litz_args + litz_n, "steps", LITZ_ARG_INT, steps);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.linspace.Scalar_Tensor", litz_args, litz_n);
}

/* aten.linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_linspace_Tensor_Scalar(litz_graph *graph, litz_value start, litz_scalar end,
                                        int64_t steps, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "start", start);
    litz_n += litz_ops_scalar(litz_args + litz_n, "end", end);
    litz_n += litz_ops_number(litz_args + litz_n, "steps", LITZ_ARG_INT, steps);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.linspace.Tensor_Scalar", litz_args, litz_n);
}

/* aten.linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_linspace_Tensor_Tensor(litz_graph *graph, litz_value start, litz_value end,
                                        int64_t steps, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "start", start);
    litz_n += litz_ops_tensor(litz_args + litz_n, "end", end);
    litz_n += litz_ops_number(litz_args + litz_n, "steps", LITZ_ARG_INT, steps);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.linspace.Tensor_Tensor", litz_args, litz_n);
}

/* aten.linspace.default(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_linspace(litz_graph *graph, litz_scalar start, litz_scalar end, int64_t steps,
                                        int32_t dtype, int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "start", start);
    litz_n += litz_ops_scalar(litz_args + litz_n, "end", end);
    litz_n += litz_ops_number(litz_args + litz_n, "steps", LITZ_ARG_INT, steps);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.linspace.default", litz_args, litz_n);
}

/* aten.log.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_log(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.log.default", litz_args, litz_n);
}

/* aten.log10.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_log10(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.log10.default", litz_args, litz_n);
}

/* aten.log10_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_log10_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.log10_.default", litz_args, litz_n);
}

/* aten.log1p.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_log1p(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.log1p.default", litz_args, litz_n);
}

/* aten.log1p_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_log1p_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.log1p_.default", litz_args, litz_n);
}

/* aten.log2.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_log2(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.log2.default", litz_args, litz_n);
}

/* aten.log2_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_log2_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.log2_.default", litz_args, litz_n);
}

/* aten.log_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_log_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.log_.default", litz_args, litz_n);
}

/* aten.log_normal.default(Tensor self, float mean=1., float std=2., *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_log_normal(litz_graph *graph, litz_value self, double mean, double std) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "mean", mean);
    litz_n += litz_ops_float(litz_args + litz_n, "std", std);
    return litz_ops_one(graph, "aten.log_normal.default", litz_args, litz_n);
}

/* aten.log_normal_.default(Tensor self, float mean=1., float std=2., *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_log_normal_(litz_graph *graph, litz_value self, double mean, double std) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "mean", mean);
    litz_n += litz_ops_float(litz_args + litz_n, "std", std);
    return litz_ops_one(graph, "aten.log_normal_.default", litz_args, litz_n);
}

/* aten.log_sigmoid.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_log_sigmoid(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.log_sigmoid.default", litz_args, litz_n);
}

/* aten.log_sigmoid_backward.default(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor */
static inline litz_value litz_aten_log_sigmoid_backward(litz_graph *graph, litz_value grad_output, litz_value self,
                                        litz_value buffer) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "buffer", buffer);
    return litz_ops_one(graph, "aten.log_sigmoid_backward.default", litz_args, litz_n);
}

/* aten.log_sigmoid_forward.default(Tensor self) -> (Tensor output, Tensor buffer) */
static inline litz_value litz_aten_log_sigmoid_forward(litz_graph *graph, litz_value self, litz_value outs[2]) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_ops_call(graph, "aten.log_sigmoid_forward.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_log_softmax_int(litz_graph *graph, litz_value self, int64_t dim, int32_t dtype) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.log_softmax.int", litz_args, litz_n);
}

/* aten.logaddexp.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_logaddexp(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.logaddexp.default", litz_args, litz_n);
}

/* aten.logaddexp2.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_logaddexp2(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.logaddexp2.default", litz_args, litz_n);
}

/* aten.logcumsumexp.default(Tensor self, int dim) -> Tensor */
static inline litz_value litz_aten_logcumsumexp(litz_graph *graph, litz_value self, int64_t dim) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.logcumsumexp.default", litz_args, litz_n);
}

/* aten.logdet.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_logdet(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.logdet.default", litz_args, litz_n);
}

/* aten.logical_and.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_logical_and(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.logical_and.default", litz_args, litz_n);
}

/* aten.logical_and_.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_logical_and_(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.logical_and_.default", litz_args, litz_n);
}

/* aten.logical_not.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_logical_not(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.logical_not.default", litz_args, litz_n);
}

/* aten.logical_not_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_logical_not_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.logical_not_.default", litz_args, litz_n);
}

/* aten.logical_or.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_logical_or(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.logical_or.default", litz_args, litz_n);
}

/* aten.logical_or_.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_logical_or_(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.logical_or_.default", litz_args, litz_n);
}

/* aten.logical_xor.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_logical_xor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.logical_xor.default", litz_args, litz_n);
}

/* aten.logical_xor_.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_logical_xor_(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.logical_xor_.default", litz_args, litz_n);
}

/* aten.logit.default(Tensor self, float? eps=None) -> Tensor */
static inline litz_value litz_aten_logit(litz_graph *graph, litz_value self, litz_scalar eps) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "eps", eps);
    return litz_ops_one(graph, "aten.logit.default", litz_args, litz_n);
}

/* aten.logit_.default(Tensor self, float? eps=None) -> Tensor */
static inline litz_value litz_aten_logit_(litz_graph *graph, litz_value self, litz_scalar eps) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "eps", eps);
    return litz_ops_one(graph, "aten.logit_.default", litz_args, litz_n);
}

/* aten.logit_backward.default(Tensor grad_output, Tensor self, float? eps=None) -> Tensor */
static inline litz_value litz_aten_logit_backward(litz_graph *graph, litz_value grad_output, litz_value self,
                                        litz_scalar eps) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "eps", eps);
    return litz_ops_one(graph, "aten.logit_backward.default", litz_args, litz_n);
}

/* aten.logspace.Scalar_Tensor(Scalar start, Tensor end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_logspace_Scalar_Tensor(litz_graph *graph, litz_scalar start, litz_value end,
                                        int64_t steps, double base, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "start", start);
    litz_n += litz_ops_tensor(litz_args + litz_n, "end", end);
    litz_n += litz_ops_number(litz_args + litz_n, "steps", LITZ_ARG_INT, steps);
    litz_n += litz_ops_float(litz_args + litz_n, "base", base);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.logspace.Scalar_Tensor", litz_args, litz_n);
}

/* aten.logspace.Tensor_Scalar(Tensor start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_logspace_Tensor_Scalar(litz_graph *graph, litz_value start, litz_scalar end,
                                        int64_t steps, double base, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "start", start);
    litz_n += litz_ops_scalar(litz_args + litz_n, "end", end);
    litz_n += litz_ops_number(litz_args + litz_n, "steps", LITZ_ARG_INT, steps);
    litz_n += litz_ops_float(litz_args + litz_n, "base", base);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.logspace.Tensor_Scalar", litz_args, litz_n);
}

/* aten.logspace.Tensor_Tensor(Tensor start, Tensor end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_logspace_Tensor_Tensor(litz_graph *graph, litz_value start, litz_value end,
                                        int64_t steps, double base, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "start", start);
    litz_n += litz_ops_tensor(litz_args + litz_n, "end", end);
    litz_n += litz_ops_number(litz_args + litz_n, "steps", LITZ_ARG_INT, steps);
    litz_n += litz_ops_float(litz_args + litz_n, "base", base);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.logspace.Tensor_Tensor", litz_args, litz_n);
}

/* aten.logspace.default(Scalar start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_logspace(litz_graph *graph, litz_scalar start, litz_scalar end, int64_t steps,
                                        double base, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "start", start);
    litz_n += litz_ops_scalar(litz_args + litz_n, "end", end);
    litz_n += litz_ops_number(litz_args + litz_n, "steps", LITZ_ARG_INT, steps);
    litz_n += litz_ops_float(litz_args + litz_n, "base", base);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.logspace.default", litz_args, litz_n);
}

/* aten.logsumexp.default(Tensor self, int[1] dim, bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_logsumexp(litz_graph *graph, litz_value self, litz_ints dim, int32_t keepdim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.logsumexp.default", litz_args, litz_n);
}

/* aten.lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor) */
static inline litz_value litz_aten_lstm_input(litz_graph *graph, litz_value input, const litz_value *hx,
                                        size_t n_hx, const litz_value *params, size_t n_params, int32_t has_biases,
                                        int64_t num_layers, double dropout, int32_t train, int32_t bidirectional,
                                        int32_t batch_first, litz_value outs[3]) {
    litz_arg litz_args[9];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensors(litz_args + litz_n, "hx", hx, n_hx);
    litz_n += litz_ops_tensors(litz_args + litz_n, "params", params, n_params);
    litz_n += litz_ops_number(litz_args + litz_n, "has_biases", LITZ_ARG_BOOL, has_biases != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "num_layers", LITZ_ARG_INT, num_layers);
    litz_n += litz_ops_float(litz_args + litz_n, "dropout", dropout);
    litz_n += litz_ops_number(litz_args + litz_n, "train", LITZ_ARG_BOOL, train != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "bidirectional", LITZ_ARG_BOOL, bidirectional != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "batch_first", LITZ_ARG_BOOL, batch_first != 0);
    litz_ops_call(graph, "aten.lstm.input", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.lstm_cell.default(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor) */
static inline litz_value litz_aten_lstm_cell(litz_graph *graph, litz_value input, const litz_value *hx, size_t n_hx,
                                        litz_value w_ih, litz_value w_hh, litz_value b_ih, litz_value b_hh,
                                        litz_value outs[2]) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensors(litz_args + litz_n, "hx", hx, n_hx);
    litz_n += litz_ops_tensor(litz_args + litz_n, "w_ih", w_ih);
    litz_n += litz_ops_tensor(litz_args + litz_n, "w_hh", w_hh);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "b_ih", b_ih);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "b_hh", b_hh);
    litz_ops_call(graph, "aten.lstm_cell.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.lt.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_lt_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.lt.Scalar", litz_args, litz_n);
}

/* aten.lt.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_lt_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.lt.Tensor", litz_args, litz_n);
}

/* aten.lt_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_lt__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.lt_.Scalar", litz_args, litz_n);
}

/* aten.lt_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_lt__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.lt_.Tensor", litz_args, litz_n);
}

/* aten.lu_solve.default(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor */
static inline litz_value litz_aten_lu_solve(litz_graph *graph, litz_value self, litz_value LU_data,
                                        litz_value LU_pivots) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "LU_data", LU_data);
    litz_n += litz_ops_tensor(litz_args + litz_n, "LU_pivots", LU_pivots);
    return litz_ops_one(graph, "aten.lu_solve.default", litz_args, litz_n);
}

/* aten.lu_unpack.default(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor P, Tensor L, Tensor U) */
static inline litz_value litz_aten_lu_unpack(litz_graph *graph, litz_value LU_data, litz_value LU_pivots,
                                        int32_t unpack_data, int32_t unpack_pivots, litz_value outs[3]) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "LU_data", LU_data);
    litz_n += litz_ops_tensor(litz_args + litz_n, "LU_pivots", LU_pivots);
    litz_n += litz_ops_number(litz_args + litz_n, "unpack_data", LITZ_ARG_BOOL, unpack_data != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "unpack_pivots", LITZ_ARG_BOOL, unpack_pivots != 0);
    litz_ops_call(graph, "aten.lu_unpack.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.mH.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_mH(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.mH.default", litz_args, litz_n);
}

/* aten.mT.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_mT(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.mT.default", litz_args, litz_n);
}

/* aten.margin_ranking_loss.default(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor */
static inline litz_value litz_aten_margin_ranking_loss(litz_graph *graph, litz_value input1, litz_value input2,
                                        litz_value target, double margin, int64_t reduction) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input1", input1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input2", input2);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_float(litz_args + litz_n, "margin", margin);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    return litz_ops_one(graph, "aten.margin_ranking_loss.default", litz_args, litz_n);
}

/* aten.masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor */
static inline litz_value litz_aten_masked_fill_Scalar(litz_graph *graph, litz_value self, litz_value mask,
                                        litz_scalar value) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mask", mask);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.masked_fill.Scalar", litz_args, litz_n);
}

/* aten.masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor */
static inline litz_value litz_aten_masked_fill_Tensor(litz_graph *graph, litz_value self, litz_value mask,
                                        litz_value value) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mask", mask);
    litz_n += litz_ops_tensor(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.masked_fill.Tensor", litz_args, litz_n);
}

/* aten.masked_fill_.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor */
static inline litz_value litz_aten_masked_fill__Scalar(litz_graph *graph, litz_value self, litz_value mask,
                                        litz_scalar value) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mask", mask);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.masked_fill_.Scalar", litz_args, litz_n);
}

/* aten.masked_fill_.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor */
static inline litz_value litz_aten_masked_fill__Tensor(litz_graph *graph, litz_value self, litz_value mask,
                                        litz_value value) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mask", mask);
    litz_n += litz_ops_tensor(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.masked_fill_.Tensor", litz_args, litz_n);
}

/* aten.masked_scatter.default(Tensor self, Tensor mask, Tensor source) -> Tensor */
static inline litz_value litz_aten_masked_scatter(litz_graph *graph, litz_value self, litz_value mask,
                                        litz_value source) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mask", mask);
    litz_n += litz_ops_tensor(litz_args + litz_n, "source", source);
    return litz_ops_one(graph, "aten.masked_scatter.default", litz_args, litz_n);
}

/* aten.masked_scatter_.default(Tensor self, Tensor mask, Tensor source) -> Tensor */
static inline litz_value litz_aten_masked_scatter_(litz_graph *graph, litz_value self, litz_value mask,
                                        litz_value source) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mask", mask);
    litz_n += litz_ops_tensor(litz_args + litz_n, "source", source);
    return litz_ops_one(graph, "aten.masked_scatter_.default", litz_args, litz_n);
}

/* aten.masked_select.default(Tensor self, Tensor mask) -> Tensor */
static inline litz_value litz_aten_masked_select(litz_graph *graph, litz_value self, litz_value mask) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mask", mask);
    return litz_ops_one(graph, "aten.masked_select.default", litz_args, litz_n);
}

/* aten.matmul.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_matmul(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.matmul.default", litz_args, litz_n);
}

/* aten.matrix_H.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_matrix_H(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.matrix_H.default", litz_args, litz_n);
}

/* aten.matrix_exp.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_matrix_exp(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.matrix_exp.default", litz_args, litz_n);
}

/* aten.matrix_power.default(Tensor self, int n) -> Tensor */
static inline litz_value litz_aten_matrix_power(litz_graph *graph, litz_value self, int64_t n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "n", LITZ_ARG_INT, n);
    return litz_ops_one(graph, "aten.matrix_power.default", litz_args, litz_n);
}

/* aten.max.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_max(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.max.default", litz_args, litz_n);
}

/* aten.max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices) */
static inline litz_value litz_aten_max_dim(litz_graph *graph, litz_value self, int64_t dim, int32_t keepdim,
                                        litz_value outs[2]) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_ops_call(graph, "aten.max.dim", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.max.other(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_max_other(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.max.other", litz_args, litz_n);
}

/* aten.max_pool1d.default(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> Tensor */
static inline litz_value litz_aten_max_pool1d(litz_graph *graph, litz_value self, litz_ints kernel_size,
                                        litz_ints stride, litz_ints padding, litz_ints dilation, int32_t ceil_mode) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_number(litz_args + litz_n, "ceil_mode", LITZ_ARG_BOOL, ceil_mode != 0);
    return litz_ops_one(graph, "aten.max_pool1d.default", litz_args, litz_n);
}

/* aten.max_pool1d_with_indices.default(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> (Tensor, Tensor) */
static inline litz_value litz_aten_max_pool1d_with_indices(litz_graph *graph, litz_value self,
                                        litz_ints kernel_size, litz_ints stride, litz_ints padding,
                                        litz_ints dilation, int32_t ceil_mode, litz_value outs[2]) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_number(litz_args + litz_n, "ceil_mode", LITZ_ARG_BOOL, ceil_mode != 0);
    litz_ops_call(graph, "aten.max_pool1d_with_indices.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.max_pool2d.default(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor */
static inline litz_value litz_aten_max_pool2d(litz_graph *graph, litz_value self, litz_ints kernel_size,
                                        litz_ints stride, litz_ints padding, litz_ints dilation, int32_t ceil_mode) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_number(litz_args + litz_n, "ceil_mode", LITZ_ARG_BOOL, ceil_mode != 0);
    return litz_ops_one(graph, "aten.max_pool2d.default", litz_args, litz_n);
}

/* aten.max_pool2d_with_indices.default(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor) */
static inline litz_value litz_aten_max_pool2d_with_indices(litz_graph *graph, litz_value self,
                                        litz_ints kernel_size, litz_ints stride, litz_ints padding,
                                        litz_ints dilation, int32_t ceil_mode, litz_value outs[2]) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_number(litz_args + litz_n, "ceil_mode", LITZ_ARG_BOOL, ceil_mode != 0);
    litz_ops_call(graph, "aten.max_pool2d_with_indices.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.max_pool2d_with_indices_backward.default(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor */
static inline litz_value litz_aten_max_pool2d_with_indices_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self, litz_ints kernel_size, litz_ints stride, litz_ints padding,
                                        litz_ints dilation, int32_t ceil_mode, litz_value indices) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_number(litz_args + litz_n, "ceil_mode", LITZ_ARG_BOOL, ceil_mode != 0);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    return litz_ops_one(graph, "aten.max_pool2d_with_indices_backward.default", litz_args, litz_n);
}

/* aten.max_pool3d.default(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor */
static inline litz_value litz_aten_max_pool3d(litz_graph *graph, litz_value self, litz_ints kernel_size,
                                        litz_ints stride, litz_ints padding, litz_ints dilation, int32_t ceil_mode) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_number(litz_args + litz_n, "ceil_mode", LITZ_ARG_BOOL, ceil_mode != 0);
    return litz_ops_one(graph, "aten.max_pool3d.default", litz_args, litz_n);
}

/* aten.max_pool3d_with_indices.default(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor) */
static inline litz_value litz_aten_max_pool3d_with_indices(litz_graph *graph, litz_value self,
                                        litz_ints kernel_size, litz_ints stride, litz_ints padding,
                                        litz_ints dilation, int32_t ceil_mode, litz_value outs[2]) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_number(litz_args + litz_n, "ceil_mode", LITZ_ARG_BOOL, ceil_mode != 0);
    litz_ops_call(graph, "aten.max_pool3d_with_indices.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.max_pool3d_with_indices_backward.default(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, int[3] dilation, bool ceil_mode, Tensor indices) -> Tensor */
static inline litz_value litz_aten_max_pool3d_with_indices_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self, litz_ints kernel_size, litz_ints stride, litz_ints padding,
                                        litz_ints dilation, int32_t ceil_mode, litz_value indices) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "kernel_size", kernel_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    litz_n += litz_ops_ints(litz_args + litz_n, "dilation", dilation);
    litz_n += litz_ops_number(litz_args + litz_n, "ceil_mode", LITZ_ARG_BOOL, ceil_mode != 0);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    return litz_ops_one(graph, "aten.max_pool3d_with_indices_backward.default", litz_args, litz_n);
}

/* aten.max_unpool2d.default(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor */
static inline litz_value litz_aten_max_unpool2d(litz_graph *graph, litz_value self, litz_value indices,
                                        litz_ints output_size) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    return litz_ops_one(graph, "aten.max_unpool2d.default", litz_args, litz_n);
}

/* aten.max_unpool3d.default(Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding) -> Tensor */
static inline litz_value litz_aten_max_unpool3d(litz_graph *graph, litz_value self, litz_value indices,
                                        litz_ints output_size, litz_ints stride, litz_ints padding) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    return litz_ops_one(graph, "aten.max_unpool3d.default", litz_args, litz_n);
}

/* aten.maximum.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_maximum(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.maximum.default", litz_args, litz_n);
}

/* aten.mean.default(Tensor self, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_mean(litz_graph *graph, litz_value self, int32_t dtype) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.mean.default", litz_args, litz_n);
}

/* aten.mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_mean_dim(litz_graph *graph, litz_value self, litz_ints dim, int32_t keepdim,
                                        int32_t dtype) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.mean.dim", litz_args, litz_n);
}

/* aten.median.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_median(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.median.default", litz_args, litz_n);
}

/* aten.median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices) */
static inline litz_value litz_aten_median_dim(litz_graph *graph, litz_value self, int64_t dim, int32_t keepdim,
                                        litz_value outs[2]) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_ops_call(graph, "aten.median.dim", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.meshgrid.default(Tensor[] tensors) -> Tensor[] */
static inline litz_value litz_aten_meshgrid(litz_graph *graph, const litz_value *tensors, size_t n_tensors,
                                        litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    return litz_ops_list(graph, "aten.meshgrid.default", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[] */
static inline litz_value litz_aten_meshgrid_indexing(litz_graph *graph, const litz_value *tensors, size_t n_tensors,
                                        const char *indexing, litz_value *outs, size_t outs_capacity,
                                        size_t *n_outs) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    litz_n += litz_ops_string(litz_args + litz_n, "indexing", indexing);
    return litz_ops_list(graph, "aten.meshgrid.indexing", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.min.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_min(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.min.default", litz_args, litz_n);
}

/* aten.min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices) */
static inline litz_value litz_aten_min_dim(litz_graph *graph, litz_value self, int64_t dim, int32_t keepdim,
                                        litz_value outs[2]) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_ops_call(graph, "aten.min.dim", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.min.other(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_min_other(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.min.other", litz_args, litz_n);
}

/* aten.minimum.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_minimum(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.minimum.default", litz_args, litz_n);
}

/* aten.mish.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_mish(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.mish.default", litz_args, litz_n);
}

/* aten.mish_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_mish_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.mish_.default", litz_args, litz_n);
}

/* aten.mish_backward.default(Tensor grad_output, Tensor self) -> Tensor */
static inline litz_value litz_aten_mish_backward(litz_graph *graph, litz_value grad_output, litz_value self) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.mish_backward.default", litz_args, litz_n);
}

/* aten.mm.default(Tensor self, Tensor mat2) -> Tensor */
static inline litz_value litz_aten_mm(litz_graph *graph, litz_value self, litz_value mat2) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mat2", mat2);
    return litz_ops_one(graph, "aten.mm.default", litz_args, litz_n);
}

/* aten.mode.default(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices) */
static inline litz_value litz_aten_mode(litz_graph *graph, litz_value self, int64_t dim, int32_t keepdim,
                                        litz_value outs[2]) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_ops_call(graph, "aten.mode.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.moveaxis.int(Tensor self, int source, int destination) -> Tensor */
static inline litz_value litz_aten_moveaxis_int(litz_graph *graph, litz_value self, int64_t source,
                                        int64_t destination) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "source", LITZ_ARG_INT, source);
    litz_n += litz_ops_number(litz_args + litz_n, "destination", LITZ_ARG_INT, destination);
    return litz_ops_one(graph, "aten.moveaxis.int", litz_args, litz_n);
}

/* aten.moveaxis.intlist(Tensor self, int[] source, int[] destination) -> Tensor */
static inline litz_value litz_aten_moveaxis_intlist(litz_graph *graph, litz_value self, litz_ints source,
                                        litz_ints destination) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "source", source);
    litz_n += litz_ops_ints(litz_args + litz_n, "destination", destination);
    return litz_ops_one(graph, "aten.moveaxis.intlist", litz_args, litz_n);
}

/* aten.movedim.int(Tensor self, int source, int destination) -> Tensor */
static inline litz_value litz_aten_movedim_int(litz_graph *graph, litz_value self, int64_t source,
                                        int64_t destination) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "source", LITZ_ARG_INT, source);
    litz_n += litz_ops_number(litz_args + litz_n, "destination", LITZ_ARG_INT, destination);
    return litz_ops_one(graph, "aten.movedim.int", litz_args, litz_n);
}

/* aten.movedim.intlist(Tensor self, int[] source, int[] destination) -> Tensor */
static inline litz_value litz_aten_movedim_intlist(litz_graph *graph, litz_value self, litz_ints source,
                                        litz_ints destination) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "source", source);
    litz_n += litz_ops_ints(litz_args + litz_n, "destination", destination);
    return litz_ops_one(graph, "aten.movedim.intlist", litz_args, litz_n);
}

/* aten.mse_loss.default(Tensor self, Tensor target, int reduction=1) -> Tensor */
static inline litz_value litz_aten_mse_loss(litz_graph *graph, litz_value self, litz_value target,
                                        int64_t reduction) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    return litz_ops_one(graph, "aten.mse_loss.default", litz_args, litz_n);
}

/* aten.mse_loss_backward.default(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor */
static inline litz_value litz_aten_mse_loss_backward(litz_graph *graph, litz_value grad_output, litz_value self,
                                        litz_value target, int64_t reduction) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    return litz_ops_one(graph, "aten.mse_loss_backward.default", litz_args, litz_n);
}

/* aten.msort.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_msort(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.msort.default", litz_args, litz_n);
}

/* aten.mul.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_mul_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.mul.Scalar", litz_args, litz_n);
}

/* aten.mul.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_mul_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.mul.Tensor", litz_args, litz_n);
}

/* aten.mul_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_mul__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.mul_.Scalar", litz_args, litz_n);
}

/* aten.mul_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_mul__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.mul_.Tensor", litz_args, litz_n);
}

/* aten.multi_margin_loss.default(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=1) -> Tensor */
static inline litz_value litz_aten_multi_margin_loss(litz_graph *graph, litz_value self, litz_value target,
                                        litz_scalar p, litz_scalar margin, litz_value weight, int64_t reduction) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_scalar(litz_args + litz_n, "p", p);
    litz_n += litz_ops_scalar(litz_args + litz_n, "margin", margin);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    return litz_ops_one(graph, "aten.multi_margin_loss.default", litz_args, litz_n);
}

/* aten.multilabel_margin_loss.default(Tensor self, Tensor target, int reduction=1) -> Tensor */
static inline litz_value litz_aten_multilabel_margin_loss(litz_graph *graph, litz_value self, litz_value target,
                                        int64_t reduction) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    return litz_ops_one(graph, "aten.multilabel_margin_loss.default", litz_args, litz_n);
}

/* aten.multinomial.default(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_multinomial(litz_graph *graph, litz_value self, litz_scalar num_samples,
                                        int32_t replacement) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "num_samples", num_samples);
    litz_n += litz_ops_number(litz_args + litz_n, "replacement", LITZ_ARG_BOOL, replacement != 0);
    return litz_ops_one(graph, "aten.multinomial.default", litz_args, litz_n);
}

/* aten.multiply.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_multiply_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.multiply.Scalar", litz_args, litz_n);
}

/* aten.multiply.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_multiply_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.multiply.Tensor", litz_args, litz_n);
}

/* aten.multiply_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_multiply__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.multiply_.Scalar", litz_args, litz_n);
}

/* aten.multiply_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_multiply__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.multiply_.Tensor", litz_args, litz_n);
}

/* aten.mv.default(Tensor self, Tensor vec) -> Tensor */
static inline litz_value litz_aten_mv(litz_graph *graph, litz_value self, litz_value vec) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "vec", vec);
    return litz_ops_one(graph, "aten.mv.default", litz_args, litz_n);
}

/* aten.mvlgamma.default(Tensor self, int p) -> Tensor */
static inline litz_value litz_aten_mvlgamma(litz_graph *graph, litz_value self, int64_t p) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "p", LITZ_ARG_INT, p);
    return litz_ops_one(graph, "aten.mvlgamma.default", litz_args, litz_n);
}

/* aten.mvlgamma_.default(Tensor self, int p) -> Tensor */
static inline litz_value litz_aten_mvlgamma_(litz_graph *graph, litz_value self, int64_t p) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "p", LITZ_ARG_INT, p);
    return litz_ops_one(graph, "aten.mvlgamma_.default", litz_args, litz_n);
}

/* aten.nan_to_num.default(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor */
static inline litz_value litz_aten_nan_to_num(litz_graph *graph, litz_value self, litz_scalar nan,
                                        litz_scalar posinf, litz_scalar neginf) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "nan", nan);
    litz_n += litz_ops_scalar(litz_args + litz_n, "posinf", posinf);
    litz_n += litz_ops_scalar(litz_args + litz_n, "neginf", neginf);
    return litz_ops_one(graph, "aten.nan_to_num.default", litz_args, litz_n);
}

/* aten.nan_to_num_.default(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor */
static inline litz_value litz_aten_nan_to_num_(litz_graph *graph, litz_value self, litz_scalar nan,
                                        litz_scalar posinf, litz_scalar neginf) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "nan", nan);
    litz_n += litz_ops_scalar(litz_args + litz_n, "posinf", posinf);
    litz_n += litz_ops_scalar(litz_args + litz_n, "neginf", neginf);
    return litz_ops_one(graph, "aten.nan_to_num_.default", litz_args, litz_n);
}

/* aten.nanmean.default(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_nanmean(litz_graph *graph, litz_value self, litz_ints dim, int32_t keepdim,
                                        int32_t dtype) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.nanmean.default", litz_args, litz_n);
}

/* aten.nanmedian.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_nanmedian(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.nanmedian.default", litz_args, litz_n);
}

/* aten.nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices) */
static inline litz_value litz_aten_nanmedian_dim(litz_graph *graph, litz_value self, int64_t dim, int32_t keepdim,
                                        litz_value outs[2]) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_ops_call(graph, "aten.nanmedian.dim", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.nanquantile.default(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor */
static inline litz_value litz_aten_nanquantile(litz_graph *graph, litz_value self, litz_value q, litz_scalar dim,
                                        int32_t keepdim, const char *interpolation) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "q", q);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_n += litz_ops_string(litz_args + litz_n, "interpolation", interpolation);
    return litz_ops_one(graph, "aten.nanquantile.default", litz_args, litz_n);
}

/* aten.nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor */
static inline litz_value litz_aten_nanquantile_scalar(litz_graph *graph, litz_value self, double q, litz_scalar dim,
                                        int32_t keepdim, const char *interpolation) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "q", q);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_n += litz_ops_string(litz_args + litz_n, "interpolation", interpolation);
    return litz_ops_one(graph, "aten.nanquantile.scalar", litz_args, litz_n);
}

/* aten.nansum.default(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_nansum(litz_graph *graph, litz_value self, litz_ints dim, int32_t keepdim,
                                        int32_t dtype) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.nansum.default", litz_args, litz_n);
}

/* aten.narrow.default(Tensor self, int dim, SymInt start, SymInt length) -> Tensor */
static inline litz_value litz_aten_narrow(litz_graph *graph, litz_value self, int64_t dim, litz_scalar start,
                                        litz_scalar length) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "start", start);
    litz_n += litz_ops_scalar(litz_args + litz_n, "length", length);
    return litz_ops_one(graph, "aten.narrow.default", litz_args, litz_n);
}

/* aten.narrow_copy.default(Tensor self, int dim, SymInt start, SymInt length) -> Tensor */
static inline litz_value litz_aten_narrow_copy(litz_graph *graph, litz_value self, int64_t dim, litz_scalar start,
                                        litz_scalar length) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "start", start);
    litz_n += litz_ops_scalar(litz_args + litz_n, "length", length);
    return litz_ops_one(graph, "aten.narrow_copy.default", litz_args, litz_n);
}

/* aten.native_batch_norm.default(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor) */
static inline litz_value litz_aten_native_batch_norm(litz_graph *graph, litz_value input, litz_value weight,
                                        litz_value bias, litz_value running_mean, litz_value running_var,
                                        int32_t training, double momentum, double eps, litz_value outs[3]) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "running_mean", running_mean);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "running_var", running_var);
    litz_n += litz_ops_number(litz_args + litz_n, "training", LITZ_ARG_BOOL, training != 0);
    litz_n += litz_ops_float(litz_args + litz_n, "momentum", momentum);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_ops_call(graph, "aten.native_batch_norm.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.native_batch_norm_backward.default(Tensor grad_out, Tensor input, Tensor? weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_invstd, bool train, float eps, bool[3] output_mask) -> (Tensor, Tensor, Tensor) */
static inline litz_value litz_aten_native_batch_norm_backward(litz_graph *graph, litz_value grad_out,
                                        litz_value input, litz_value weight, litz_value running_mean,
                                        litz_value running_var, litz_value save_mean, litz_value save_invstd,
                                        int32_t train, double eps, const int64_t *output_mask, size_t n_output_mask,
                                        litz_value outs[3]) {
    litz_arg litz_args[10];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_out", grad_out);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "running_mean", running_mean);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "running_var", running_var);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "save_mean", save_mean);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "save_invstd", save_invstd);
    litz_n += litz_ops_number(litz_args + litz_n, "train", LITZ_ARG_BOOL, train != 0);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_n += litz_ops_bools(litz_args + litz_n, "output_mask", output_mask, n_output_mask);
    litz_ops_call(graph, "aten.native_batch_norm_backward.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.native_channel_shuffle.default(Tensor self, SymInt groups) -> Tensor */
static inline litz_value litz_aten_native_channel_shuffle(litz_graph *graph, litz_value self, litz_scalar groups) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "groups", groups);
    return litz_ops_one(graph, "aten.native_channel_shuffle.default", litz_args, litz_n);
}

/* aten.native_dropout.default(Tensor input, float p, bool? train) -> (Tensor, Tensor) */
static inline litz_value litz_aten_native_dropout(litz_graph *graph, litz_value input, double p, litz_scalar train,
                                        litz_value outs[2]) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    litz_n += litz_ops_scalar(litz_args + litz_n, "train", train);
    litz_ops_call(graph, "aten.native_dropout.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.native_dropout_backward.default(Tensor grad_output, Tensor mask, float scale) -> Tensor */
static inline litz_value litz_aten_native_dropout_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value mask, double scale) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mask", mask);
    litz_n += litz_ops_float(litz_args + litz_n, "scale", scale);
    return litz_ops_one(graph, "aten.native_dropout_backward.default", litz_args, litz_n);
}

/* aten.native_group_norm.default(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor) */
static inline litz_value litz_aten_native_group_norm(litz_graph *graph, litz_value input, litz_value weight,
                                        litz_value bias, litz_scalar N, litz_scalar C, litz_scalar HxW,
                                        int64_t group, double eps, litz_value outs[3]) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_scalar(litz_args + litz_n, "N", N);
    litz_n += litz_ops_scalar(litz_args + litz_n, "C", C);
    litz_n += litz_ops_scalar(litz_args + litz_n, "HxW", HxW);
    litz_n += litz_ops_number(litz_args + litz_n, "group", LITZ_ARG_INT, group);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_ops_call(graph, "aten.native_group_norm.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.native_group_norm_backward.default(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, SymInt N, SymInt C, SymInt HxW, int group, bool[3] output_mask) -> (Tensor, Tensor, Tensor) */
static inline litz_value litz_aten_native_group_norm_backward(litz_graph *graph, litz_value grad_out,
                                        litz_value input, litz_value mean, litz_value rstd, litz_value weight,
                                        litz_scalar N, litz_scalar C, litz_scalar HxW, int64_t group,
                                        const int64_t *output_mask, size_t n_output_mask, litz_value outs[3]) {
    litz_arg litz_args[10];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_out", grad_out);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mean", mean);
    litz_n += litz_ops_tensor(litz_args + litz_n, "rstd", rstd);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_scalar(litz_args + litz_n, "N", N);
    litz_n += litz_ops_scalar(litz_args + litz_n, "C", C);
    litz_n += litz_ops_scalar(litz_args + litz_n, "HxW", HxW);
    litz_n += litz_ops_number(litz_args + litz_n, "group", LITZ_ARG_INT, group);
    litz_n += litz_ops_bools(litz_args + litz_n, "output_mask", output_mask, n_output_mask);
    litz_ops_call(graph, "aten.native_group_norm_backward.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.native_layer_norm.default(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor) */
static inline litz_value litz_aten_native_layer_norm(litz_graph *graph, litz_value input,
                                        litz_ints normalized_shape, litz_value weight, litz_value bias, double eps,
                                        litz_value outs[3]) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_ints(litz_args + litz_n, "normalized_shape", normalized_shape);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_ops_call(graph, "aten.native_layer_norm.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.native_layer_norm_backward.default(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, Tensor rstd, Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor) */
static inline litz_value litz_aten_native_layer_norm_backward(litz_graph *graph, litz_value grad_out,
                                        litz_value input, litz_ints normalized_shape, litz_value mean,
                                        litz_value rstd, litz_value weight, litz_value bias,
                                        const int64_t *output_mask, size_t n_output_mask, litz_value outs[3]) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_out", grad_out);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_ints(litz_args + litz_n, "normalized_shape", normalized_shape);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mean", mean);
    litz_n += litz_ops_tensor(litz_args + litz_n, "rstd", rstd);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_bools(litz_args + litz_n, "output_mask", output_mask, n_output_mask);
    litz_ops_call(graph, "aten.native_layer_norm_backward.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.ne.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_ne_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.ne.Scalar", litz_args, litz_n);
}

/* aten.ne.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_ne_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.ne.Tensor", litz_args, litz_n);
}

/* aten.ne_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_ne__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.ne_.Scalar", litz_args, litz_n);
}

/* aten.ne_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_ne__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.ne_.Tensor", litz_args, litz_n);
}

/* aten.neg.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_neg(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.neg.default", litz_args, litz_n);
}

/* aten.neg_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_neg_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.neg_.default", litz_args, litz_n);
}

/* aten.negative.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_negative(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.negative.default", litz_args, litz_n);
}

/* aten.negative_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_negative_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.negative_.default", litz_args, litz_n);
}

/* aten.new_empty.default(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_new_empty(litz_graph *graph, litz_value self, litz_ints size, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.new_empty.default", litz_args, litz_n);
}

/* aten.new_empty_strided.default(Tensor self, SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_new_empty_strided(litz_graph *graph, litz_value self, litz_ints size,
                                        litz_ints stride, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_ints(litz_args + litz_n, "stride", stride);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.new_empty_strided.default", litz_args, litz_n);
}

/* aten.new_full.default(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_new_full(litz_graph *graph, litz_value self, litz_ints size,
                                        litz_scalar fill_value, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_scalar(litz_args + litz_n, "fill_value", fill_value);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.new_full.default", litz_args, litz_n);
}

/* aten.new_ones.default(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_new_ones(litz_graph *graph, litz_value self, litz_ints size, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.new_ones.default", litz_args, litz_n);
}

/* aten.new_zeros.default(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_new_zeros(litz_graph *graph, litz_value self, litz_ints size, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.new_zeros.default", litz_args, litz_n);
}

/* aten.nextafter.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_nextafter(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.nextafter.default", litz_args, litz_n);
}

/* aten.nextafter_.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_nextafter_(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.nextafter_.default", litz_args, litz_n);
}

/* aten.nll_loss.default(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor */
static inline litz_value litz_aten_nll_loss(litz_graph *graph, litz_value self, litz_value target,
                                        litz_value weight, int64_t reduction, litz_scalar ignore_index) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    litz_n += litz_ops_scalar(litz_args + litz_n, "ignore_index", ignore_index);
    return litz_ops_one(graph, "aten.nll_loss.default", litz_args, litz_n);
}

/* aten.nll_loss2d.default(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor */
static inline litz_value litz_aten_nll_loss2d(litz_graph *graph, litz_value self, litz_value target,
                                        litz_value weight, int64_t reduction, litz_scalar ignore_index) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    litz_n += litz_ops_scalar(litz_args + litz_n, "ignore_index", ignore_index);
    return litz_ops_one(graph, "aten.nll_loss2d.default", litz_args, litz_n);
}

/* aten.nll_loss2d_backward.default(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor */
static inline litz_value litz_aten_nll_loss2d_backward(litz_graph *graph, litz_value grad_output, litz_value self,
                                        litz_value target, litz_value weight, int64_t reduction,
                                        litz_scalar ignore_index, litz_value total_weight) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    litz_n += litz_ops_scalar(litz_args + litz_n, "ignore_index", ignore_index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "total_weight", total_weight);
    return litz_ops_one(graph, "aten.nll_loss2d_backward.default", litz_args, litz_n);
}

/* aten.nll_loss2d_forward.default(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight) */
static inline litz_value litz_aten_nll_loss2d_forward(litz_graph *graph, litz_value self, litz_value target,
                                        litz_value weight, int64_t reduction, litz_scalar ignore_index,
                                        litz_value outs[2]) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    litz_n += litz_ops_scalar(litz_args + litz_n, "ignore_index", ignore_index);
    litz_ops_call(graph, "aten.nll_loss2d_forward.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.nll_loss_backward.default(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor */
static inline litz_value litz_aten_nll_loss_backward(litz_graph *graph, litz_value grad_output, litz_value self,
                                        litz_value target, litz_value weight, int64_t reduction,
                                        litz_scalar ignore_index, litz_value total_weight) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    litz_n += litz_ops_scalar(litz_args + litz_n, "ignore_index", ignore_index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "total_weight", total_weight);
    return litz_ops_one(graph, "aten.nll_loss_backward.default", litz_args, litz_n);
}

/* aten.nll_loss_forward.default(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight) */
static inline litz_value litz_aten_nll_loss_forward(litz_graph *graph, litz_value self, litz_value target,
                                        litz_value weight, int64_t reduction, litz_scalar ignore_index,
                                        litz_value outs[2]) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    litz_n += litz_ops_scalar(litz_args + litz_n, "ignore_index", ignore_index);
    litz_ops_call(graph, "aten.nll_loss_forward.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.nll_loss_nd.default(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor */
static inline litz_value litz_aten_nll_loss_nd(litz_graph *graph, litz_value self, litz_value target,
                                        litz_value weight, int64_t reduction, litz_scalar ignore_index) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    litz_n += litz_ops_scalar(litz_args + litz_n, "ignore_index", ignore_index);
    return litz_ops_one(graph, "aten.nll_loss_nd.default", litz_args, litz_n);
}

/* aten.nonzero.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_nonzero(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.nonzero.default", litz_args, litz_n);
}

/* aten.nonzero_numpy.default(Tensor self) -> Tensor[] */
static inline litz_value litz_aten_nonzero_numpy(litz_graph *graph, litz_value self, litz_value *outs,
                                        size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_list(graph, "aten.nonzero_numpy.default", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.nonzero_static.default(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor */
static inline litz_value litz_aten_nonzero_static(litz_graph *graph, litz_value self, litz_scalar size,
                                        int64_t fill_value) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "size", size);
    litz_n += litz_ops_number(litz_args + litz_n, "fill_value", LITZ_ARG_INT, fill_value);
    return litz_ops_one(graph, "aten.nonzero_static.default", litz_args, litz_n);
}

/* aten.norm.Scalar(Tensor self, Scalar p=2) -> Tensor */
static inline litz_value litz_aten_norm_Scalar(litz_graph *graph, litz_value self, litz_scalar p) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "p", p);
    return litz_ops_one(graph, "aten.norm.Scalar", litz_args, litz_n);
}

/* aten.norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_norm_ScalarOpt_dim(litz_graph *graph, litz_value self, litz_scalar p,
                                        litz_ints dim, int32_t keepdim) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "p", p);
    litz_n += litz_ops_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.norm.ScalarOpt_dim", litz_args, litz_n);
}

/* aten.norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor */
static inline litz_value litz_aten_norm_ScalarOpt_dim_dtype(litz_graph *graph, litz_value self, litz_scalar p,
                                        litz_ints dim, int32_t keepdim, int32_t dtype) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "p", p);
    litz_n += litz_ops_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.norm.ScalarOpt_dim_dtype", litz_args, litz_n);
}

/* aten.norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor */
static inline litz_value litz_aten_norm_ScalarOpt_dtype(litz_graph *graph, litz_value self, litz_scalar p,
                                        int32_t dtype) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "p", p);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.norm.ScalarOpt_dtype", litz_args, litz_n);
}

/* aten.norm_except_dim.default(Tensor v, int pow=2, int dim=0) -> Tensor */
static inline litz_value litz_aten_norm_except_dim(litz_graph *graph, litz_value v, int64_t pow, int64_t dim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "v", v);
    litz_n += litz_ops_number(litz_args + litz_n, "pow", LITZ_ARG_INT, pow);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.norm_except_dim.default", litz_args, litz_n);
}

/* aten.normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_normal_Tensor_Tensor(litz_graph *graph, litz_value mean, litz_value std) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "mean", mean);
    litz_n += litz_ops_tensor(litz_args + litz_n, "std", std);
    return litz_ops_one(graph, "aten.normal.Tensor_Tensor", litz_args, litz_n);
}

/* aten.normal.Tensor_float(Tensor mean, float std=1., *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_normal_Tensor_float(litz_graph *graph, litz_value mean, double std) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "mean", mean);
    litz_n += litz_ops_float(litz_args + litz_n, "std", std);
    return litz_ops_one(graph, "aten.normal.Tensor_float", litz_args, litz_n);
}

/* aten.normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_normal_float_Tensor(litz_graph *graph, double mean, litz_value std) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_float(litz_args + litz_n, "mean", mean);
    litz_n += litz_ops_tensor(litz_args + litz_n, "std", std);
    return litz_ops_one(graph, "aten.normal.float_Tensor", litz_args, litz_n);
}

/* aten.normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_normal_float_float(litz_graph *graph, double mean, double std, litz_ints size,
                                        int32_t dtype, int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_float(litz_args + litz_n, "mean", mean);
    litz_n += litz_ops_float(litz_args + litz_n, "std", std);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.normal.float_float", litz_args, litz_n);
}

/* aten.normal_.default(Tensor self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_normal_(litz_graph *graph, litz_value self, double mean, double std) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "mean", mean);
    litz_n += litz_ops_float(litz_args + litz_n, "std", std);
    return litz_ops_one(graph, "aten.normal_.default", litz_args, litz_n);
}

/* aten.normal_functional.default(Tensor self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_normal_functional(litz_graph *graph, litz_value self, double mean, double std) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "mean", mean);
    litz_n += litz_ops_float(litz_args + litz_n, "std", std);
    return litz_ops_one(graph, "aten.normal_functional.default", litz_args, litz_n);
}

/* aten.not_equal.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_not_equal_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.not_equal.Scalar", litz_args, litz_n);
}

/* aten.not_equal.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_not_equal_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.not_equal.Tensor", litz_args, litz_n);
}

/* aten.not_equal_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_not_equal__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.not_equal_.Scalar", litz_args, litz_n);
}

/* aten.not_equal_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_not_equal__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.not_equal_.Tensor", litz_args, litz_n);
}

/* aten.nuclear_norm.default(Tensor self, bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_nuclear_norm(litz_graph *graph, litz_value self, int32_t keepdim) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.nuclear_norm.default", litz_args, litz_n);
}

/* aten.nuclear_norm.dim(Tensor self, int[2] dim, bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_nuclear_norm_dim(litz_graph *graph, litz_value self, litz_ints dim,
                                        int32_t keepdim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.nuclear_norm.dim", litz_args, litz_n);
}

/* aten.numpy_T.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_numpy_T(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.numpy_T.default", litz_args, litz_n);
}

/* aten.one_hot.default(Tensor self, int num_classes=-1) -> Tensor */
static inline litz_value litz_aten_one_hot(litz_graph *graph, litz_value self, int64_t num_classes) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "num_classes", LITZ_ARG_INT, num_classes);
    return litz_ops_one(graph, "aten.one_hot.default", litz_args, litz_n);
}

/* aten.ones.default(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_ones(litz_graph *graph, litz_ints size, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.ones.default", litz_args, litz_n);
}

/* aten.ones_like.default(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_ones_like(litz_graph *graph, litz_value self, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory, int32_t memory_format) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.ones_like.default", litz_args, litz_n);
}

/* aten.orgqr.default(Tensor self, Tensor input2) -> Tensor */
static inline litz_value litz_aten_orgqr(litz_graph *graph, litz_value self, litz_value input2) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input2", input2);
    return litz_ops_one(graph, "aten.orgqr.default", litz_args, litz_n);
}

/* aten.ormqr.default(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor */
static inline litz_value litz_aten_ormqr(litz_graph *graph, litz_value self, litz_value input2, litz_value input3,
                                        int32_t left, int32_t transpose) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input2", input2);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input3", input3);
    litz_n += litz_ops_number(litz_args + litz_n, "left", LITZ_ARG_BOOL, left != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "transpose", LITZ_ARG_BOOL, transpose != 0);
    return litz_ops_one(graph, "aten.ormqr.default", litz_args, litz_n);
}

/* aten.outer.default(Tensor self, Tensor vec2) -> Tensor */
static inline litz_value litz_aten_outer(litz_graph *graph, litz_value self, litz_value vec2) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "vec2", vec2);
    return litz_ops_one(graph, "aten.outer.default", litz_args, litz_n);
}

/* aten.pad.default(Tensor self, SymInt[] pad, str mode="constant", float? value=None) -> Tensor */
static inline litz_value litz_aten_pad(litz_graph *graph, litz_value self, litz_ints pad, const char *mode,
                                       litz_scalar value) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "pad", pad);
    litz_n += litz_ops_string(litz_args + litz_n, "mode", mode);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.pad.default", litz_args, litz_n);
}

/* aten.pairwise_distance.default(Tensor x1, Tensor x2, float p=2., float eps=1e-6, bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_pairwise_distance(litz_graph *graph, litz_value x1, litz_value x2, double p,
                                        double eps, int32_t keepdim) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x1", x1);
    litz_n += litz_ops_tensor(litz_args + litz_n, "x2", x2);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.pairwise_distance.default", litz_args, litz_n);
}

/* aten.pdist.default(Tensor self, float p=2.) -> Tensor */
static inline litz_value litz_aten_pdist(litz_graph *graph, litz_value self, double p) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    return litz_ops_one(graph, "aten.pdist.default", litz_args, litz_n);
}

/* aten.permute.default(Tensor self, int[] dims) -> Tensor */
static inline litz_value litz_aten_permute(litz_graph *graph, litz_value self, litz_ints dims) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "dims", dims);
    return litz_ops_one(graph, "aten.permute.default", litz_args, litz_n);
}

/* aten.permute_copy.default(Tensor self, int[] dims) -> Tensor */
static inline litz_value litz_aten_permute_copy(litz_graph *graph, litz_value self, litz_ints dims) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "dims", dims);
    return litz_ops_one(graph, "aten.permute_copy.default", litz_args, litz_n);
}

/* aten.pinverse.default(Tensor self, float rcond=1e-15) -> Tensor */
static inline litz_value litz_aten_pinverse(litz_graph *graph, litz_value self, double rcond) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "rcond", rcond);
    return litz_ops_one(graph, "aten.pinverse.default", litz_args, litz_n);
}

/* aten.pixel_shuffle.default(Tensor self, int upscale_factor) -> Tensor */
static inline litz_value litz_aten_pixel_shuffle(litz_graph *graph, litz_value self, int64_t upscale_factor) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "upscale_factor", LITZ_ARG_INT, upscale_factor);
    return litz_ops_one(graph, "aten.pixel_shuffle.default", litz_args, litz_n);
}

/* aten.pixel_unshuffle.default(Tensor self, int downscale_factor) -> Tensor */
static inline litz_value litz_aten_pixel_unshuffle(litz_graph *graph, litz_value self, int64_t downscale_factor) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "downscale_factor", LITZ_ARG_INT, downscale_factor);
    return litz_ops_one(graph, "aten.pixel_unshuffle.default", litz_args, litz_n);
}

/* aten.poisson_nll_loss.default(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor */
static inline litz_value litz_aten_poisson_nll_loss(litz_graph *graph, litz_value input, litz_value target,
                                        int32_t log_input, int32_t full, double eps, int64_t reduction) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_number(litz_args + litz_n, "log_input", LITZ_ARG_BOOL, log_input != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "full", LITZ_ARG_BOOL, full != 0);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    return litz_ops_one(graph, "aten.poisson_nll_loss.default", litz_args, litz_n);
}

/* aten.polar.default(Tensor abs, Tensor angle) -> Tensor */
static inline litz_value litz_aten_polar(litz_graph *graph, litz_value abs, litz_value angle) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "abs", abs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "angle", angle);
    return litz_ops_one(graph, "aten.polar.default", litz_args, litz_n);
}

/* aten.polygamma.default(int n, Tensor self) -> Tensor */
static inline litz_value litz_aten_polygamma(litz_graph *graph, int64_t n, litz_value self) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "n", LITZ_ARG_INT, n);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.polygamma.default", litz_args, litz_n);
}

/* aten.positive.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_positive(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.positive.default", litz_args, litz_n);
}

/* aten.pow.Scalar(Scalar self, Tensor exponent) -> Tensor */
static inline litz_value litz_aten_pow_Scalar(litz_graph *graph, litz_scalar self, litz_value exponent) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "exponent", exponent);
    return litz_ops_one(graph, "aten.pow.Scalar", litz_args, litz_n);
}

/* aten.pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor */
static inline litz_value litz_aten_pow_Tensor_Scalar(litz_graph *graph, litz_value self, litz_scalar exponent) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "exponent", exponent);
    return litz_ops_one(graph, "aten.pow.Tensor_Scalar", litz_args, litz_n);
}

/* aten.pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor */
static inline litz_value litz_aten_pow_Tensor_Tensor(litz_graph *graph, litz_value self, litz_value exponent) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "exponent", exponent);
    return litz_ops_one(graph, "aten.pow.Tensor_Tensor", litz_args, litz_n);
}

/* aten.pow_.Scalar(Tensor self, Scalar exponent) -> Tensor */
static inline litz_value litz_aten_pow__Scalar(litz_graph *graph, litz_value self, litz_scalar exponent) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "exponent", exponent);
    return litz_ops_one(graph, "aten.pow_.Scalar", litz_args, litz_n);
}

/* aten.pow_.Tensor(Tensor self, Tensor exponent) -> Tensor */
static inline litz_value litz_aten_pow__Tensor(litz_graph *graph, litz_value self, litz_value exponent) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "exponent", exponent);
    return litz_ops_one(graph, "aten.pow_.Tensor", litz_args, litz_n);
}

/* aten.prelu.default(Tensor self, Tensor weight) -> Tensor */
static inline litz_value litz_aten_prelu(litz_graph *graph, litz_value self, litz_value weight) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    return litz_ops_one(graph, "aten.prelu.default", litz_args, litz_n);
}

/* aten.prod.default(Tensor self, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_prod(litz_graph *graph, litz_value self, int32_t dtype) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.prod.default", litz_args, litz_n);
}

/* aten.prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_prod_dim_int(litz_graph *graph, litz_value self, int64_t dim, int32_t keepdim,
                                        int32_t dtype) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.prod.dim_int", litz_args, litz_n);
}

/* aten.put.default(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor */
static inline litz_value litz_aten_put(litz_graph *graph, litz_value self, litz_value index, litz_value source,
                                       int32_t accumulate) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "source", source);
    litz_n += litz_ops_number(litz_args + litz_n, "accumulate", LITZ_ARG_BOOL, accumulate != 0);
    return litz_ops_one(graph, "aten.put.default", litz_args, litz_n);
}

/* aten.put_.default(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor */
static inline litz_value litz_aten_put_(litz_graph *graph, litz_value self, litz_value index, litz_value source,
                                        int32_t accumulate) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "source", source);
    litz_n += litz_ops_number(litz_args + litz_n, "accumulate", LITZ_ARG_BOOL, accumulate != 0);
    return litz_ops_one(graph, "aten.put_.default", litz_args, litz_n);
}

/* aten.qr.default(Tensor self, bool some=True) -> (Tensor Q, Tensor R) */
static inline litz_value litz_aten_qr(litz_graph *graph, litz_value self, int32_t some, litz_value outs[2]) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "some", LITZ_ARG_BOOL, some != 0);
    litz_ops_call(graph, "aten.qr.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.quantile.default(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor */
static inline litz_value litz_aten_quantile(litz_graph *graph, litz_value self, litz_value q, litz_scalar dim,
                                        int32_t keepdim, const char *interpolation) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "q", q);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_n += litz_ops_string(litz_args + litz_n, "interpolation", interpolation);
    return litz_ops_one(graph, "aten.quantile.default", litz_args, litz_n);
}

/* aten.quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor */
static inline litz_value litz_aten_quantile_scalar(litz_graph *graph, litz_value self, double q, litz_scalar dim,
                                        int32_t keepdim, const char *interpolation) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "q", q);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_n += litz_ops_string(litz_args + litz_n, "interpolation", interpolation);
    return litz_ops_one(graph, "aten.quantile.scalar", litz_args, litz_n);
}

/* aten.rad2deg.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_rad2deg(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.rad2deg.default", litz_args, litz_n);
}

/* aten.rad2deg_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_rad2deg_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.rad2deg_.default", litz_args, litz_n);
}

/* aten.rand.default(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_rand(litz_graph *graph, litz_ints size, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.rand.default", litz_args, litz_n);
}

/* aten.rand.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_rand_generator(litz_graph *graph, litz_ints size, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.rand.generator", litz_args, litz_n);
}

/* aten.rand_like.default(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_rand_like(litz_graph *graph, litz_value self, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory, int32_t memory_format) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.rand_like.default", litz_args, litz_n);
}

/* aten.rand_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_rand_like_generator(litz_graph *graph, litz_value self, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory,
                                        int32_t memory_format) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.rand_like.generator", litz_args, litz_n);
}

/* aten.randint.default(SymInt high, SymInt[] size, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_randint(litz_graph *graph, litz_scalar high, litz_ints size, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "high", high);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.randint.default", litz_args, litz_n);
}

/* aten.randint.generator(SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_randint_generator(litz_graph *graph, litz_scalar high, litz_ints size,
                                        int32_t dtype, int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "high", high);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.randint.generator", litz_args, litz_n);
}

/* aten.randint.low(SymInt low, SymInt high, SymInt[] size, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_randint_low(litz_graph *graph, litz_scalar low, litz_scalar high, litz_ints size,
                                        int32_t dtype, int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "low", low);
    litz_n += litz_ops_scalar(litz_args + litz_n, "high", high);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.randint.low", litz_args, litz_n);
}

/* aten.randint.low_generator(SymInt low, SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_randint_low_generator(litz_graph *graph, litz_scalar low, litz_scalar high,
                                        litz_ints size, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "low", low);
    litz_n += litz_ops_scalar(litz_args + litz_n, "high", high);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.randint.low_generator", litz_args, litz_n);
}

/* aten.randint_like.Tensor(Tensor self, Tensor high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_randint_like_Tensor(litz_graph *graph, litz_value self, litz_value high,
                                        int32_t dtype, int32_t layout, DLDevice device, litz_scalar pin_memory,
                                        int32_t memory_format) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "high", high);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.randint_like.Tensor", litz_args, litz_n);
}

/* aten.randint_like.Tensor_generator(Tensor self, Tensor high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_randint_like_Tensor_generator(litz_graph *graph, litz_value self,
                                        litz_value high, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory, int32_t memory_format) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "high", high);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.randint_like.Tensor_generator", litz_args, litz_n);
}

/* aten.randint_like.default(Tensor self, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_randint_like(litz_graph *graph, litz_value self, litz_scalar high, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory,
                                        int32_t memory_format) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "high", high);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.randint_like.default", litz_args, litz_n);
}

/* aten.randint_like.generator(Tensor self, SymInt high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_randint_like_generator(litz_graph *graph, litz_value self, litz_scalar high,
                                        int32_t dtype, int32_t layout, DLDevice device, litz_scalar pin_memory,
                                        int32_t memory_format) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "high", high);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.randint_like.generator", litz_args, litz_n);
}

/* aten.randint_like.low_dtype(Tensor self, SymInt low, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_randint_like_low_dtype(litz_graph *graph, litz_value self, litz_scalar low,
                                        litz_scalar high, int32_t dtype, int32_t layout, DLDevice device,
                                        litz_scalar pin_memory, int32_t memory_format) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "low", low);
    litz_n += litz_ops_scalar(litz_args + litz_n, "high", high);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.randint_like.low_dtype", litz_args, litz_n);
}

/* aten.randint_like.low_generator_dtype(Tensor self, SymInt low, SymInt high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_randint_like_low_generator_dtype(litz_graph *graph, litz_value self,
                                        litz_scalar low, litz_scalar high, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory, int32_t memory_format) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "low", low);
    litz_n += litz_ops_scalar(litz_args + litz_n, "high", high);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.randint_like.low_generator_dtype", litz_args, litz_n);
}

/* aten.randn.default(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_randn(litz_graph *graph, litz_ints size, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.randn.default", litz_args, litz_n);
}

/* aten.randn.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_randn_generator(litz_graph *graph, litz_ints size, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.randn.generator", litz_args, litz_n);
}

/* aten.randn_like.default(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_randn_like(litz_graph *graph, litz_value self, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory, int32_t memory_format) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.randn_like.default", litz_args, litz_n);
}

/* aten.randn_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_randn_like_generator(litz_graph *graph, litz_value self, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory,
                                        int32_t memory_format) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.randn_like.generator", litz_args, litz_n);
}

/* aten.random.default(Tensor self, *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_random(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.random.default", litz_args, litz_n);
}

/* aten.random.from(Tensor self, int from, int? to, *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_random_from(litz_graph *graph, litz_value self, int64_t from, litz_scalar to) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "from", LITZ_ARG_INT, from);
    litz_n += litz_ops_scalar(litz_args + litz_n, "to", to);
    return litz_ops_one(graph, "aten.random.from", litz_args, litz_n);
}

/* aten.random.to(Tensor self, int to, *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_random_to(litz_graph *graph, litz_value self, int64_t to) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "to", LITZ_ARG_INT, to);
    return litz_ops_one(graph, "aten.random.to", litz_args, litz_n);
}

/* aten.random_.default(Tensor self, *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_random_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.random_.default", litz_args, litz_n);
}

/* aten.random_.from(Tensor self, int from, int? to, *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_random__from(litz_graph *graph, litz_value self, int64_t from, litz_scalar to) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "from", LITZ_ARG_INT, from);
    litz_n += litz_ops_scalar(litz_args + litz_n, "to", to);
    return litz_ops_one(graph, "aten.random_.from", litz_args, litz_n);
}

/* aten.random_.to(Tensor self, int to, *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_random__to(litz_graph *graph, litz_value self, int64_t to) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "to", LITZ_ARG_INT, to);
    return litz_ops_one(graph, "aten.random_.to", litz_args, litz_n);
}

/* aten.randperm.default(SymInt n, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_randperm(litz_graph *graph, litz_scalar n, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.randperm.default", litz_args, litz_n);
}

/* aten.randperm.generator(SymInt n, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_randperm_generator(litz_graph *graph, litz_scalar n, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.randperm.generator", litz_args, litz_n);
}

/* aten.ravel.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_ravel(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.ravel.default", litz_args, litz_n);
}

/* aten.real.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_real(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.real.default", litz_args, litz_n);
}

/* aten.reciprocal.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_reciprocal(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.reciprocal.default", litz_args, litz_n);
}

/* aten.reciprocal_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_reciprocal_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.reciprocal_.default", litz_args, litz_n);
}

/* aten.reflection_pad1d.default(Tensor self, SymInt[2] padding) -> Tensor */
static inline litz_value litz_aten_reflection_pad1d(litz_graph *graph, litz_value self, litz_ints padding) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    return litz_ops_one(graph, "aten.reflection_pad1d.default", litz_args, litz_n);
}

/* aten.reflection_pad1d_backward.default(Tensor grad_output, Tensor self, SymInt[2] padding) -> Tensor */
static inline litz_value litz_aten_reflection_pad1d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self, litz_ints padding) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    return litz_ops_one(graph, "aten.reflection_pad1d_backward.default", litz_args, litz_n);
}

/* aten.reflection_pad2d.default(Tensor self, SymInt[4] padding) -> Tensor */
static inline litz_value litz_aten_reflection_pad2d(litz_graph *graph, litz_value self, litz_ints padding) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    return litz_ops_one(graph, "aten.reflection_pad2d.default", litz_args, litz_n);
}

/* aten.reflection_pad2d_backward.default(Tensor grad_output, Tensor self, SymInt[4] padding) -> Tensor */
static inline litz_value litz_aten_reflection_pad2d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self, litz_ints padding) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    return litz_ops_one(graph, "aten.reflection_pad2d_backward.default", litz_args, litz_n);
}

/* aten.reflection_pad3d.default(Tensor self, SymInt[6] padding) -> Tensor */
static inline litz_value litz_aten_reflection_pad3d(litz_graph *graph, litz_value self, litz_ints padding) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    return litz_ops_one(graph, "aten.reflection_pad3d.default", litz_args, litz_n);
}

/* aten.reflection_pad3d_backward.default(Tensor grad_output, Tensor self, SymInt[6] padding) -> Tensor */
static inline litz_value litz_aten_reflection_pad3d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self, litz_ints padding) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    return litz_ops_one(graph, "aten.reflection_pad3d_backward.default", litz_args, litz_n);
}

/* aten.relu.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_relu(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.relu.default", litz_args, litz_n);
}

/* aten.relu6.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_relu6(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.relu6.default", litz_args, litz_n);
}

/* aten.relu6_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_relu6_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.relu6_.default", litz_args, litz_n);
}

/* aten.relu_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_relu_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.relu_.default", litz_args, litz_n);
}

/* aten.remainder.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_remainder_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.remainder.Scalar", litz_args, litz_n);
}

/* aten.remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor */
static inline litz_value litz_aten_remainder_Scalar_Tensor(litz_graph *graph, litz_scalar self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.remainder.Scalar_Tensor", litz_args, litz_n);
}

/* aten.remainder.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_remainder_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.remainder.Tensor", litz_args, litz_n);
}

/* aten.remainder_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_remainder__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.remainder_.Scalar", litz_args, litz_n);
}

/* aten.remainder_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_remainder__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.remainder_.Tensor", litz_args, litz_n);
}

/* aten.renorm.default(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor */
static inline litz_value litz_aten_renorm(litz_graph *graph, litz_value self, litz_scalar p, int64_t dim,
                                        litz_scalar maxnorm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "p", p);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "maxnorm", maxnorm);
    return litz_ops_one(graph, "aten.renorm.default", litz_args, litz_n);
}

/* aten.renorm_.default(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor */
static inline litz_value litz_aten_renorm_(litz_graph *graph, litz_value self, litz_scalar p, int64_t dim,
                                        litz_scalar maxnorm) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "p", p);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "maxnorm", maxnorm);
    return litz_ops_one(graph, "aten.renorm_.default", litz_args, litz_n);
}

/* aten.repeat.default(Tensor self, SymInt[] repeats) -> Tensor */
static inline litz_value litz_aten_repeat(litz_graph *graph, litz_value self, litz_ints repeats) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "repeats", repeats);
    return litz_ops_one(graph, "aten.repeat.default", litz_args, litz_n);
}

/* aten.repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor */
static inline litz_value litz_aten_repeat_interleave_Tensor(litz_graph *graph, litz_value repeats,
                                        litz_scalar output_size) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "repeats", repeats);
    litz_n += litz_ops_scalar(litz_args + litz_n, "output_size", output_size);
    return litz_ops_one(graph, "aten.repeat_interleave.Tensor", litz_args, litz_n);
}

/* aten.repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor */
static inline litz_value litz_aten_repeat_interleave_self_Tensor(litz_graph *graph, litz_value self,
                                        litz_value repeats, litz_scalar dim, litz_scalar output_size) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "repeats", repeats);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "output_size", output_size);
    return litz_ops_one(graph, "aten.repeat_interleave.self_Tensor", litz_args, litz_n);
}

/* aten.repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor */
static inline litz_value litz_aten_repeat_interleave_self_int(litz_graph *graph, litz_value self,
                                        litz_scalar repeats, litz_scalar dim, litz_scalar output_size) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "repeats", repeats);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "output_size", output_size);
    return litz_ops_one(graph, "aten.repeat_interleave.self_int", litz_args, litz_n);
}

/* aten.replication_pad1d.default(Tensor self, SymInt[2] padding) -> Tensor */
static inline litz_value litz_aten_replication_pad1d(litz_graph *graph, litz_value self, litz_ints padding) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    return litz_ops_one(graph, "aten.replication_pad1d.default", litz_args, litz_n);
}

/* aten.replication_pad1d_backward.default(Tensor grad_output, Tensor self, SymInt[2] padding) -> Tensor */
static inline litz_value litz_aten_replication_pad1d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self, litz_ints padding) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    return litz_ops_one(graph, "aten.replication_pad1d_backward.default", litz_args, litz_n);
}

/* aten.replication_pad2d.default(Tensor self, SymInt[4] padding) -> Tensor */
static inline litz_value litz_aten_replication_pad2d(litz_graph *graph, litz_value self, litz_ints padding) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    return litz_ops_one(graph, "aten.replication_pad2d.default", litz_args, litz_n);
}

/* aten.replication_pad2d_backward.default(Tensor grad_output, Tensor self, SymInt[4] padding) -> Tensor */
static inline litz_value litz_aten_replication_pad2d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self, litz_ints padding) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    return litz_ops_one(graph, "aten.replication_pad2d_backward.default", litz_args, litz_n);
}

/* aten.replication_pad3d.default(Tensor self, SymInt[6] padding) -> Tensor */
static inline litz_value litz_aten_replication_pad3d(litz_graph *graph, litz_value self, litz_ints padding) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    return litz_ops_one(graph, "aten.replication_pad3d.default", litz_args, litz_n);
}

/* aten.replication_pad3d_backward.default(Tensor grad_output, Tensor self, SymInt[6] padding) -> Tensor */
static inline litz_value litz_aten_replication_pad3d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self, litz_ints padding) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "padding", padding);
    return litz_ops_one(graph, "aten.replication_pad3d_backward.default", litz_args, litz_n);
}

/* aten.reshape.default(Tensor self, SymInt[] shape) -> Tensor */
static inline litz_value litz_aten_reshape(litz_graph *graph, litz_value self, litz_ints shape) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "shape", shape);
    return litz_ops_one(graph, "aten.reshape.default", litz_args, litz_n);
}

/* aten.reshape_as.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_reshape_as(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.reshape_as.default", litz_args, litz_n);
}

/* aten.resize.default(Tensor self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_resize(litz_graph *graph, litz_value self, litz_ints size, int32_t memory_format) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.resize.default", litz_args, litz_n);
}

/* aten.resize_.default(Tensor self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_resize_(litz_graph *graph, litz_value self, litz_ints size,
                                        int32_t memory_format) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.resize_.default", litz_args, litz_n);
}

/* aten.resize_as.default(Tensor self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_resize_as(litz_graph *graph, litz_value self, litz_value the_template,
                                        int32_t memory_format) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "the_template", the_template);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.resize_as.default", litz_args, litz_n);
}

/* aten.resize_as_.default(Tensor self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_resize_as_(litz_graph *graph, litz_value self, litz_value the_template,
                                        int32_t memory_format) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "the_template", the_template);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.resize_as_.default", litz_args, litz_n);
}

/* aten.resolve_conj.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_resolve_conj(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.resolve_conj.default", litz_args, litz_n);
}

/* aten.resolve_neg.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_resolve_neg(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.resolve_neg.default", litz_args, litz_n);
}

/* aten.rms_norm.default(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor */
static inline litz_value litz_aten_rms_norm(litz_graph *graph, litz_value input, litz_ints normalized_shape,
                                        litz_value weight, litz_scalar eps) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_ints(litz_args + litz_n, "normalized_shape", normalized_shape);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_scalar(litz_args + litz_n, "eps", eps);
    return litz_ops_one(graph, "aten.rms_norm.default", litz_args, litz_n);
}

/* aten.rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor) */
static inline litz_value litz_aten_rnn_relu_input(litz_graph *graph, litz_value input, litz_value hx,
                                        const litz_value *params, size_t n_params, int32_t has_biases,
                                        int64_t num_layers, double dropout, int32_t train, int32_t bidirectional,
                                        int32_t batch_first, litz_value outs[2]) {
    litz_arg litz_args[9];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "hx", hx);
    litz_n += litz_ops_tensors(litz_args + litz_n, "params", params, n_params);
    litz_n += litz_ops_number(litz_args + litz_n, "has_biases", LITZ_ARG_BOOL, has_biases != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "num_layers", LITZ_ARG_INT, num_layers);
    litz_n += litz_ops_float(litz_args + litz_n, "dropout", dropout);
    litz_n += litz_ops_number(litz_args + litz_n, "train", LITZ_ARG_BOOL, train != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "bidirectional", LITZ_ARG_BOOL, bidirectional != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "batch_first", LITZ_ARG_BOOL, batch_first != 0);
    litz_ops_call(graph, "aten.rnn_relu.input", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.rnn_relu_cell.default(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor */
static inline litz_value litz_aten_rnn_relu_cell(litz_graph *graph, litz_value input, litz_value hx,
                                        litz_value w_ih, litz_value w_hh, litz_value b_ih, litz_value b_hh) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "hx", hx);
    litz_n += litz_ops_tensor(litz_args + litz_n, "w_ih", w_ih);
    litz_n += litz_ops_tensor(litz_args + litz_n, "w_hh", w_hh);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "b_ih", b_ih);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "b_hh", b_hh);
    return litz_ops_one(graph, "aten.rnn_relu_cell.default", litz_args, litz_n);
}

/* aten.rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor) */
static inline litz_value litz_aten_rnn_tanh_input(litz_graph *graph, litz_value input, litz_value hx,
                                        const litz_value *params, size_t n_params, int32_t has_biases,
                                        int64_t num_layers, double dropout, int32_t train, int32_t bidirectional,
                                        int32_t batch_first, litz_value outs[2]) {
    litz_arg litz_args[9];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "hx", hx);
    litz_n += litz_ops_tensors(litz_args + litz_n, "params", params, n_params);
    litz_n += litz_ops_number(litz_args + litz_n, "has_biases", LITZ_ARG_BOOL, has_biases != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "num_layers", LITZ_ARG_INT, num_layers);
    litz_n += litz_ops_float(litz_args + litz_n, "dropout", dropout);
    litz_n += litz_ops_number(litz_args + litz_n, "train", LITZ_ARG_BOOL, train != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "bidirectional", LITZ_ARG_BOOL, bidirectional != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "batch_first", LITZ_ARG_BOOL, batch_first != 0);
    litz_ops_call(graph, "aten.rnn_tanh.input", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.rnn_tanh_cell.default(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor */
static inline litz_value litz_aten_rnn_tanh_cell(litz_graph *graph, litz_value input, litz_value hx,
                                        litz_value w_ih, litz_value w_hh, litz_value b_ih, litz_value b_hh) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "hx", hx);
    litz_n += litz_ops_tensor(litz_args + litz_n, "w_ih", w_ih);
    litz_n += litz_ops_tensor(litz_args + litz_n, "w_hh", w_hh);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "b_ih", b_ih);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "b_hh", b_hh);
    return litz_ops_one(graph, "aten.rnn_tanh_cell.default", litz_args, litz_n);
}

/* aten.roll.default(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor */
static inline litz_value litz_aten_roll(litz_graph *graph, litz_value self, litz_ints shifts, litz_ints dims) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "shifts", shifts);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dims", dims);
    return litz_ops_one(graph, "aten.roll.default", litz_args, litz_n);
}

/* aten.rot90.default(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor */
static inline litz_value litz_aten_rot90(litz_graph *graph, litz_value self, int64_t k, litz_ints dims) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "k", LITZ_ARG_INT, k);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dims", dims);
    return litz_ops_one(graph, "aten.rot90.default", litz_args, litz_n);
}

/* aten.round.decimals(Tensor self, *, int decimals) -> Tensor */
static inline litz_value litz_aten_round_decimals(litz_graph *graph, litz_value self, int64_t decimals) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "decimals", LITZ_ARG_INT, decimals);
    return litz_ops_one(graph, "aten.round.decimals", litz_args, litz_n);
}

/* aten.round.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_round(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.round.default", litz_args, litz_n);
}

/* aten.round_.decimals(Tensor self, *, int decimals) -> Tensor */
static inline litz_value litz_aten_round__decimals(litz_graph *graph, litz_value self, int64_t decimals) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "decimals", LITZ_ARG_INT, decimals);
    return litz_ops_one(graph, "aten.round_.decimals", litz_args, litz_n);
}

/* aten.round_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_round_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.round_.default", litz_args, litz_n);
}

/* aten.row_stack.default(Tensor[] tensors) -> Tensor */
static inline litz_value litz_aten_row_stack(litz_graph *graph, const litz_value *tensors, size_t n_tensors) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    return litz_ops_one(graph, "aten.row_stack.default", litz_args, litz_n);
}

/* aten.rrelu.default(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_rrelu(litz_graph *graph, litz_value self, litz_scalar lower, litz_scalar upper,
                                        int32_t training) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "lower", lower);
    litz_n += litz_ops_scalar(litz_args + litz_n, "upper", upper);
    litz_n += litz_ops_number(litz_args + litz_n, "training", LITZ_ARG_BOOL, training != 0);
    return litz_ops_one(graph, "aten.rrelu.default", litz_args, litz_n);
}

/* aten.rrelu_.default(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_rrelu_(litz_graph *graph, litz_value self, litz_scalar lower, litz_scalar upper,
                                        int32_t training) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "lower", lower);
    litz_n += litz_ops_scalar(litz_args + litz_n, "upper", upper);
    litz_n += litz_ops_number(litz_args + litz_n, "training", LITZ_ARG_BOOL, training != 0);
    return litz_ops_one(graph, "aten.rrelu_.default", litz_args, litz_n);
}

/* aten.rrelu_with_noise.default(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_rrelu_with_noise(litz_graph *graph, litz_value self, litz_value noise,
                                        litz_scalar lower, litz_scalar upper, int32_t training) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "noise", noise);
    litz_n += litz_ops_scalar(litz_args + litz_n, "lower", lower);
    litz_n += litz_ops_scalar(litz_args + litz_n, "upper", upper);
    litz_n += litz_ops_number(litz_args + litz_n, "training", LITZ_ARG_BOOL, training != 0);
    return litz_ops_one(graph, "aten.rrelu_with_noise.default", litz_args, litz_n);
}

/* aten.rrelu_with_noise_.default(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_rrelu_with_noise_(litz_graph *graph, litz_value self, litz_value noise,
                                        litz_scalar lower, litz_scalar upper, int32_t training) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "noise", noise);
    litz_n += litz_ops_scalar(litz_args + litz_n, "lower", lower);
    litz_n += litz_ops_scalar(litz_args + litz_n, "upper", upper);
    litz_n += litz_ops_number(litz_args + litz_n, "training", LITZ_ARG_BOOL, training != 0);
    return litz_ops_one(graph, "aten.rrelu_with_noise_.default", litz_args, litz_n);
}

/* aten.rrelu_with_noise_functional.default(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> (Tensor, Tensor) */
static inline litz_value litz_aten_rrelu_with_noise_functional(litz_graph *graph, litz_value self, litz_value noise,
                                        litz_scalar lower, litz_scalar upper, int32_t training, litz_value outs[2]) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "noise", noise);
    litz_n += litz_ops_scalar(litz_args + litz_n, "lower", lower);
    litz_n += litz_ops_scalar(litz_args + litz_n, "upper", upper);
    litz_n += litz_ops_number(litz_args + litz_n, "training", LITZ_ARG_BOOL, training != 0);
    litz_ops_call(graph, "aten.rrelu_with_noise_functional.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.rsqrt.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_rsqrt(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.rsqrt.default", litz_args, litz_n);
}

/* aten.rsqrt_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_rsqrt_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.rsqrt_.default", litz_args, litz_n);
}

/* aten.rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_rsub_Scalar(litz_graph *graph, litz_value self, litz_scalar other,
                                        litz_scalar alpha) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.rsub.Scalar", litz_args, litz_n);
}

/* aten.rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_rsub_Tensor(litz_graph *graph, litz_value self, litz_value other,
                                        litz_scalar alpha) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.rsub.Tensor", litz_args, litz_n);
}

/* aten.scalar_tensor.default(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_scalar_tensor(litz_graph *graph, litz_scalar s, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "s", s);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.scalar_tensor.default", litz_args, litz_n);
}

/* aten.scaled_dot_product_attention.default(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor */
static inline litz_value litz_aten_scaled_dot_product_attention(litz_graph *graph, litz_value query, litz_value key,
                                        litz_value value, litz_value attn_mask, double dropout_p, int32_t is_causal,
                                        litz_scalar scale, int32_t enable_gqa) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "query", query);
    litz_n += litz_ops_tensor(litz_args + litz_n, "key", key);
    litz_n += litz_ops_tensor(litz_args + litz_n, "value", value);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "attn_mask", attn_mask);
    litz_n += litz_ops_float(litz_args + litz_n, "dropout_p", dropout_p);
    litz_n += litz_ops_number(litz_args + litz_n, "is_causal", LITZ_ARG_BOOL, is_causal != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scale", scale);
    litz_n += litz_ops_number(litz_args + litz_n, "enable_gqa", LITZ_ARG_BOOL, enable_gqa != 0);
    return litz_ops_one(graph, "aten.scaled_dot_product_attention.default", litz_args, litz_n);
}

/* aten.scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor */
static inline litz_value litz_aten_scatter_reduce(litz_graph *graph, litz_value self, int64_t dim, litz_value index,
                                        litz_value src, const char *reduce) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "src", src);
    litz_n += litz_ops_string(litz_args + litz_n, "reduce", reduce);
    return litz_ops_one(graph, "aten.scatter.reduce", litz_args, litz_n);
}

/* aten.scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor */
static inline litz_value litz_aten_scatter_src(litz_graph *graph, litz_value self, int64_t dim, litz_value index,
                                        litz_value src) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "src", src);
    return litz_ops_one(graph, "aten.scatter.src", litz_args, litz_n);
}

/* aten.scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor */
static inline litz_value litz_aten_scatter_value(litz_graph *graph, litz_value self, int64_t dim, litz_value index,
                                        litz_scalar value) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.scatter.value", litz_args, litz_n);
}

/* aten.scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor */
static inline litz_value litz_aten_scatter_value_reduce(litz_graph *graph, litz_value self, int64_t dim,
                                        litz_value index, litz_scalar value, const char *reduce) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    litz_n += litz_ops_string(litz_args + litz_n, "reduce", reduce);
    return litz_ops_one(graph, "aten.scatter.value_reduce", litz_args, litz_n);
}

/* aten.scatter_.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor */
static inline litz_value litz_aten_scatter__reduce(litz_graph *graph, litz_value self, int64_t dim,
                                        litz_value index, litz_value src, const char *reduce) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "src", src);
    litz_n += litz_ops_string(litz_args + litz_n, "reduce", reduce);
    return litz_ops_one(graph, "aten.scatter_.reduce", litz_args, litz_n);
}

/* aten.scatter_.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor */
static inline litz_value litz_aten_scatter__src(litz_graph *graph, litz_value self, int64_t dim, litz_value index,
                                        litz_value src) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "src", src);
    return litz_ops_one(graph, "aten.scatter_.src", litz_args, litz_n);
}

/* aten.scatter_.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor */
static inline litz_value litz_aten_scatter__value(litz_graph *graph, litz_value self, int64_t dim, litz_value index,
                                        litz_scalar value) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.scatter_.value", litz_args, litz_n);
}

/* aten.scatter_.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor */
static inline litz_value litz_aten_scatter__value_reduce(litz_graph *graph, litz_value self, int64_t dim,
                                        litz_value index, litz_scalar value, const char *reduce) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    litz_n += litz_ops_string(litz_args + litz_n, "reduce", reduce);
    return litz_ops_one(graph, "aten.scatter_.value_reduce", litz_args, litz_n);
}

/* aten.scatter_add.default(Tensor self, int dim, Tensor index, Tensor src) -> Tensor */
static inline litz_value litz_aten_scatter_add(litz_graph *graph, litz_value self, int64_t dim, litz_value index,
                                        litz_value src) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "src", src);
    return litz_ops_one(graph, "aten.scatter_add.default", litz_args, litz_n);
}

/* aten.scatter_add_.default(Tensor self, int dim, Tensor index, Tensor src) -> Tensor */
static inline litz_value litz_aten_scatter_add_(litz_graph *graph, litz_value self, int64_t dim, litz_value index,
                                        litz_value src) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "src", src);
    return litz_ops_one(graph, "aten.scatter_add_.default", litz_args, litz_n);
}

/* aten.scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor */
static inline litz_value litz_aten_scatter_reduce_two(litz_graph *graph, litz_value self, int64_t dim,
                                        litz_value index, litz_value src, const char *reduce, int32_t include_self) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "src", src);
    litz_n += litz_ops_string(litz_args + litz_n, "reduce", reduce);
    litz_n += litz_ops_number(litz_args + litz_n, "include_self", LITZ_ARG_BOOL, include_self != 0);
    return litz_ops_one(graph, "aten.scatter_reduce.two", litz_args, litz_n);
}

/* aten.scatter_reduce_.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor */
static inline litz_value litz_aten_scatter_reduce__two(litz_graph *graph, litz_value self, int64_t dim,
                                        litz_value index, litz_value src, const char *reduce, int32_t include_self) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    litz_n += litz_ops_tensor(litz_args + litz_n, "src", src);
    litz_n += litz_ops_string(litz_args + litz_n, "reduce", reduce);
    litz_n += litz_ops_number(litz_args + litz_n, "include_self", LITZ_ARG_BOOL, include_self != 0);
    return litz_ops_one(graph, "aten.scatter_reduce_.two", litz_args, litz_n);
}

/* aten.searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor */
static inline litz_value litz_aten_searchsorted_Scalar(litz_graph *graph, litz_value sorted_sequence,
                                        litz_scalar self, int32_t out_int32, int32_t right, const char *side,
                                        litz_value sorter) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "sorted_sequence", sorted_sequence);
    litz_n += litz_ops_scalar(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "out_int32", LITZ_ARG_BOOL, out_int32 != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "right", LITZ_ARG_BOOL, right != 0);
    litz_n += litz_ops_string(litz_args + litz_n, "side", side);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "sorter", sorter);
    return litz_ops_one(graph, "aten.searchsorted.Scalar", litz_args, litz_n);
}

/* aten.searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor */
static inline litz_value litz_aten_searchsorted_Tensor(litz_graph *graph, litz_value sorted_sequence,
                                        litz_value self, int32_t out_int32, int32_t right, const char *side,
                                        litz_value sorter) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "sorted_sequence", sorted_sequence);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "out_int32", LITZ_ARG_BOOL, out_int32 != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "right", LITZ_ARG_BOOL, right != 0);
    litz_n += litz_ops_string(litz_args + litz_n, "side", side);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "sorter", sorter);
    return litz_ops_one(graph, "aten.searchsorted.Tensor", litz_args, litz_n);
}

/* aten.segment_reduce.default(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor */
static inline litz_value litz_aten_segment_reduce(litz_graph *graph, litz_value data, const char *reduce,
                                        litz_value lengths, litz_value indices, litz_value offsets, int64_t axis,
                                        int32_t unsafe, litz_scalar initial) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "data", data);
    litz_n += litz_ops_string(litz_args + litz_n, "reduce", reduce);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "lengths", lengths);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "indices", indices);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "offsets", offsets);
    litz_n += litz_ops_number(litz_args + litz_n, "axis", LITZ_ARG_INT, axis);
    litz_n += litz_ops_number(litz_args + litz_n, "unsafe", LITZ_ARG_BOOL, unsafe != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "initial", initial);
    return litz_ops_one(graph, "aten.segment_reduce.default", litz_args, litz_n);
}

/* aten.select.int(Tensor self, int dim, SymInt index) -> Tensor */
static inline litz_value litz_aten_select_int(litz_graph *graph, litz_value self, int64_t dim, litz_scalar index) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "index", index);
    return litz_ops_one(graph, "aten.select.int", litz_args, litz_n);
}

/* aten.select_backward.default(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor */
static inline litz_value litz_aten_select_backward(litz_graph *graph, litz_value grad_output, litz_ints input_sizes,
                                        int64_t dim, litz_scalar index) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_ints(litz_args + litz_n, "input_sizes", input_sizes);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "index", index);
    return litz_ops_one(graph, "aten.select_backward.default", litz_args, litz_n);
}

/* aten.select_copy.int(Tensor self, int dim, SymInt index) -> Tensor */
static inline litz_value litz_aten_select_copy_int(litz_graph *graph, litz_value self, int64_t dim,
                                        litz_scalar index) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "index", index);
    return litz_ops_one(graph, "aten.select_copy.int", litz_args, litz_n);
}

/* aten.select_scatter.default(Tensor self, Tensor src, int dim, SymInt index) -> Tensor */
static inline litz_value litz_aten_select_scatter(litz_graph *graph, litz_value self, litz_value src, int64_t dim,
                                        litz_scalar index) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "src", src);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "index", index);
    return litz_ops_one(graph, "aten.select_scatter.default", litz_args, litz_n);
}

/* aten.selu.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_selu(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.selu.default", litz_args, litz_n);
}

/* aten.selu_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_selu_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.selu_.default", litz_args, litz_n);
}

/* aten.sgn.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_sgn(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.sgn.default", litz_args, litz_n);
}

/* aten.sgn_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_sgn_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.sgn_.default", litz_args, litz_n);
}

/* aten.sigmoid.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_sigmoid(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.sigmoid.default", litz_args, litz_n);
}

/* aten.sigmoid_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_sigmoid_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.sigmoid_.default", litz_args, litz_n);
}

/* aten.sigmoid_backward.default(Tensor grad_output, Tensor output) -> Tensor */
static inline litz_value litz_aten_sigmoid_backward(litz_graph *graph, litz_value grad_output, litz_value output) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "output", output);
    return litz_ops_one(graph, "aten.sigmoid_backward.default", litz_args, litz_n);
}

/* aten.sign.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_sign(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.sign.default", litz_args, litz_n);
}

/* aten.sign_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_sign_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.sign_.default", litz_args, litz_n);
}

/* aten.signbit.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_signbit(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.signbit.default", litz_args, litz_n);
}

/* aten.silu.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_silu(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.silu.default", litz_args, litz_n);
}

/* aten.silu_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_silu_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.silu_.default", litz_args, litz_n);
}

/* aten.silu_backward.default(Tensor grad_output, Tensor self) -> Tensor */
static inline litz_value litz_aten_silu_backward(litz_graph *graph, litz_value grad_output, litz_value self) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.silu_backward.default", litz_args, litz_n);
}

/* aten.sin.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_sin(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.sin.default", litz_args, litz_n);
}

/* aten.sin_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_sin_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.sin_.default", litz_args, litz_n);
}

/* aten.sinc.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_sinc(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.sinc.default", litz_args, litz_n);
}

/* aten.sinc_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_sinc_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.sinc_.default", litz_args, litz_n);
}

/* aten.sinh.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_sinh(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.sinh.default", litz_args, litz_n);
}

/* aten.sinh_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_sinh_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.sinh_.default", litz_args, litz_n);
}

/* aten.slice.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor */
static inline litz_value litz_aten_slice_Tensor(litz_graph *graph, litz_value self, int64_t dim, litz_scalar start,
                                        litz_scalar end, litz_scalar step) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "start", start);
    litz_n += litz_ops_scalar(litz_args + litz_n, "end", end);
    litz_n += litz_ops_scalar(litz_args + litz_n, "step", step);
    return litz_ops_one(graph, "aten.slice.Tensor", litz_args, litz_n);
}

/* aten.slice_backward.default(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt end, SymInt step) -> Tensor */
static inline litz_value litz_aten_slice_backward(litz_graph *graph, litz_value grad_output, litz_ints input_sizes,
                                        int64_t dim, litz_scalar start, litz_scalar end, litz_scalar step) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_ints(litz_args + litz_n, "input_sizes", input_sizes);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "start", start);
    litz_n += litz_ops_scalar(litz_args + litz_n, "end", end);
    litz_n += litz_ops_scalar(litz_args + litz_n, "step", step);
    return litz_ops_one(graph, "aten.slice_backward.default", litz_args, litz_n);
}

/* aten.slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor */
static inline litz_value litz_aten_slice_copy_Tensor(litz_graph *graph, litz_value self, int64_t dim,
                                        litz_scalar start, litz_scalar end, litz_scalar step) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "start", start);
    litz_n += litz_ops_scalar(litz_args + litz_n, "end", end);
    litz_n += litz_ops_scalar(litz_args + litz_n, "step", step);
    return litz_ops_one(graph, "aten.slice_copy.Tensor", litz_args, litz_n);
}

/* aten.slice_scatter.default(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor */
static inline litz_value litz_aten_slice_scatter(litz_graph *graph, litz_value self, litz_value src, int64_t dim,
                                        litz_scalar start, litz_scalar end, litz_scalar step) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "src", src);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "start", start);
    litz_n += litz_ops_scalar(litz_args + litz_n, "end", end);
    litz_n += litz_ops_scalar(litz_args + litz_n, "step", step);
    return litz_ops_one(graph, "aten.slice_scatter.default", litz_args, litz_n);
}

/* aten.slogdet.default(Tensor self) -> (Tensor sign, Tensor logabsdet) */
static inline litz_value litz_aten_slogdet(litz_graph *graph, litz_value self, litz_value outs[2]) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_ops_call(graph, "aten.slogdet.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.smooth_l1_loss.default(Tensor self, Tensor target, int reduction=1, float beta=1.) -> Tensor */
static inline litz_value litz_aten_smooth_l1_loss(litz_graph *graph, litz_value self, litz_value target,
                                        int64_t reduction, double beta) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    litz_n += litz_ops_float(litz_args + litz_n, "beta", beta);
    return litz_ops_one(graph, "aten.smooth_l1_loss.default", litz_args, litz_n);
}

/* aten.smooth_l1_loss_backward.default(Tensor grad_output, Tensor self, Tensor target, int reduction, float beta) -> Tensor */
static inline litz_value litz_aten_smooth_l1_loss_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self, litz_value target, int64_t reduction, double beta) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    litz_n += litz_ops_float(litz_args + litz_n, "beta", beta);
    return litz_ops_one(graph, "aten.smooth_l1_loss_backward.default", litz_args, litz_n);
}

/* aten.soft_margin_loss.default(Tensor self, Tensor target, int reduction=1) -> Tensor */
static inline litz_value litz_aten_soft_margin_loss(litz_graph *graph, litz_value self, litz_value target,
                                        int64_t reduction) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    return litz_ops_one(graph, "aten.soft_margin_loss.default", litz_args, litz_n);
}

/* aten.soft_margin_loss_backward.default(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor */
static inline litz_value litz_aten_soft_margin_loss_backward(litz_graph *graph, litz_value grad_output,
                                        litz_value self, litz_value target, int64_t reduction) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "target", target);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    return litz_ops_one(graph, "aten.soft_margin_loss_backward.default", litz_args, litz_n);
}

/* aten.softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_softmax_int(litz_graph *graph, litz_value self, int64_t dim, int32_t dtype) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.softmax.int", litz_args, litz_n);
}

/* aten.softplus.default(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor */
static inline litz_value litz_aten_softplus(litz_graph *graph, litz_value self, litz_scalar beta,
                                        litz_scalar threshold) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "beta", beta);
    litz_n += litz_ops_scalar(litz_args + litz_n, "threshold", threshold);
    return litz_ops_one(graph, "aten.softplus.default", litz_args, litz_n);
}

/* aten.softplus_backward.default(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor */
static inline litz_value litz_aten_softplus_backward(litz_graph *graph, litz_value grad_output, litz_value self,
                                        litz_scalar beta, litz_scalar threshold) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "beta", beta);
    litz_n += litz_ops_scalar(litz_args + litz_n, "threshold", threshold);
    return litz_ops_one(graph, "aten.softplus_backward.default", litz_args, litz_n);
}

/* aten.softshrink.default(Tensor self, Scalar lambd=0.5) -> Tensor */
static inline litz_value litz_aten_softshrink(litz_graph *graph, litz_value self, litz_scalar lambd) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "lambd", lambd);
    return litz_ops_one(graph, "aten.softshrink.default", litz_args, litz_n);
}

/* aten.softshrink_backward.default(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor */
static inline litz_value litz_aten_softshrink_backward(litz_graph *graph, litz_value grad_output, litz_value self,
                                        litz_scalar lambd) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "lambd", lambd);
    return litz_ops_one(graph, "aten.softshrink_backward.default", litz_args, litz_n);
}

/* aten.sort.default(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices) */
static inline litz_value litz_aten_sort(litz_graph *graph, litz_value self, int64_t dim, int32_t descending,
                                        litz_value outs[2]) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "descending", LITZ_ARG_BOOL, descending != 0);
    litz_ops_call(graph, "aten.sort.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices) */
static inline litz_value litz_aten_sort_stable(litz_graph *graph, litz_value self, litz_scalar stable, int64_t dim,
                                        int32_t descending, litz_value outs[2]) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "stable", stable);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "descending", LITZ_ARG_BOOL, descending != 0);
    litz_ops_call(graph, "aten.sort.stable", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.special_airy_ai.default(Tensor x) -> Tensor */
static inline litz_value litz_aten_special_airy_ai(litz_graph *graph, litz_value x) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    return litz_ops_one(graph, "aten.special_airy_ai.default", litz_args, litz_n);
}

/* aten.special_bessel_j0.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_bessel_j0(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_bessel_j0.default", litz_args, litz_n);
}

/* aten.special_bessel_j1.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_bessel_j1(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_bessel_j1.default", litz_args, litz_n);
}

/* aten.special_bessel_y0.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_bessel_y0(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_bessel_y0.default", litz_args, litz_n);
}

/* aten.special_bessel_y1.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_bessel_y1(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_bessel_y1.default", litz_args, litz_n);
}

/* aten.special_chebyshev_polynomial_t.default(Tensor x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_chebyshev_polynomial_t(litz_graph *graph, litz_value x, litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_chebyshev_polynomial_t.default", litz_args, litz_n);
}

/* aten.special_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor */
static inline litz_value litz_aten_special_chebyshev_polynomial_t_n_scalar(litz_graph *graph, litz_value x,
                                        litz_scalar n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_chebyshev_polynomial_t.n_scalar", litz_args, litz_n);
}

/* aten.special_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_chebyshev_polynomial_t_x_scalar(litz_graph *graph, litz_scalar x,
                                        litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_chebyshev_polynomial_t.x_scalar", litz_args, litz_n);
}

/* aten.special_chebyshev_polynomial_u.default(Tensor x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_chebyshev_polynomial_u(litz_graph *graph, litz_value x, litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_chebyshev_polynomial_u.default", litz_args, litz_n);
}

/* aten.special_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor */
static inline litz_value litz_aten_special_chebyshev_polynomial_u_n_scalar(litz_graph *graph, litz_value x,
                                        litz_scalar n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_chebyshev_polynomial_u.n_scalar", litz_args, litz_n);
}

/* aten.special_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_chebyshev_polynomial_u_x_scalar(litz_graph *graph, litz_scalar x,
                                        litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_chebyshev_polynomial_u.x_scalar", litz_args, litz_n);
}

/* aten.special_chebyshev_polynomial_v.default(Tensor x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_chebyshev_polynomial_v(litz_graph *graph, litz_value x, litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_chebyshev_polynomial_v.default", litz_args, litz_n);
}

/* aten.special_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor */
static inline litz_value litz_aten_special_chebyshev_polynomial_v_n_scalar(litz_graph *graph, litz_value x,
                                        litz_scalar n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_chebyshev_polynomial_v.n_scalar", litz_args, litz_n);
}

/* aten.special_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_chebyshev_polynomial_v_x_scalar(litz_graph *graph, litz_scalar x,
                                        litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_chebyshev_polynomial_v.x_scalar", litz_args, litz_n);
}

/* aten.special_chebyshev_polynomial_w.default(Tensor x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_chebyshev_polynomial_w(litz_graph *graph, litz_value x, litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_chebyshev_polynomial_w.default", litz_args, litz_n);
}

/* aten.special_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor */
static inline litz_value litz_aten_special_chebyshev_polynomial_w_n_scalar(litz_graph *graph, litz_value x,
                                        litz_scalar n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_chebyshev_polynomial_w.n_scalar", litz_args, litz_n);
}

/* aten.special_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_chebyshev_polynomial_w_x_scalar(litz_graph *graph, litz_scalar x,
                                        litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_chebyshev_polynomial_w.x_scalar", litz_args, litz_n);
}

/* aten.special_digamma.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_digamma(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_digamma.default", litz_args, litz_n);
}

/* aten.special_entr.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_entr(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_entr.default", litz_args, litz_n);
}

/* aten.special_erf.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_erf(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_erf.default", litz_args, litz_n);
}

/* aten.special_erfc.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_erfc(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_erfc.default", litz_args, litz_n);
}

/* aten.special_erfcx.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_erfcx(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_erfcx.default", litz_args, litz_n);
}

/* aten.special_erfinv.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_erfinv(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_erfinv.default", litz_args, litz_n);
}

/* aten.special_exp2.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_exp2(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_exp2.default", litz_args, litz_n);
}

/* aten.special_expit.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_expit(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_expit.default", litz_args, litz_n);
}

/* aten.special_expm1.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_expm1(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_expm1.default", litz_args, litz_n);
}

/* aten.special_gammainc.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_special_gammainc(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.special_gammainc.default", litz_args, litz_n);
}

/* aten.special_gammaincc.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_special_gammaincc(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.special_gammaincc.default", litz_args, litz_n);
}

/* aten.special_gammaln.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_gammaln(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_gammaln.default", litz_args, litz_n);
}

/* aten.special_hermite_polynomial_h.default(Tensor x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_hermite_polynomial_h(litz_graph *graph, litz_value x, litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_hermite_polynomial_h.default", litz_args, litz_n);
}

/* aten.special_hermite_polynomial_h.n_scalar(Tensor x, Scalar n) -> Tensor */
static inline litz_value litz_aten_special_hermite_polynomial_h_n_scalar(litz_graph *graph, litz_value x,
                                        litz_scalar n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_hermite_polynomial_h.n_scalar", litz_args, litz_n);
}

/* aten.special_hermite_polynomial_h.x_scalar(Scalar x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_hermite_polynomial_h_x_scalar(litz_graph *graph, litz_scalar x,
                                        litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_hermite_polynomial_h.x_scalar", litz_args, litz_n);
}

/* aten.special_hermite_polynomial_he.default(Tensor x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_hermite_polynomial_he(litz_graph *graph, litz_value x, litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_hermite_polynomial_he.default", litz_args, litz_n);
}

/* aten.special_hermite_polynomial_he.n_scalar(Tensor x, Scalar n) -> Tensor */
static inline litz_value litz_aten_special_hermite_polynomial_he_n_scalar(litz_graph *graph, litz_value x,
                                        litz_scalar n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_hermite_polynomial_he.n_scalar", litz_args, litz_n);
}

/* aten.special_hermite_polynomial_he.x_scalar(Scalar x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_hermite_polynomial_he_x_scalar(litz_graph *graph, litz_scalar x,
                                        litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_hermite_polynomial_he.x_scalar", litz_args, litz_n);
}

/* aten.special_i0.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_i0(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_i0.default", litz_args, litz_n);
}

/* aten.special_i0e.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_i0e(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_i0e.default", litz_args, litz_n);
}

/* aten.special_i1.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_i1(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_i1.default", litz_args, litz_n);
}

/* aten.special_i1e.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_i1e(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_i1e.default", litz_args, litz_n);
}

/* aten.special_laguerre_polynomial_l.default(Tensor x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_laguerre_polynomial_l(litz_graph *graph, litz_value x, litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_laguerre_polynomial_l.default", litz_args, litz_n);
}

/* aten.special_laguerre_polynomial_l.n_scalar(Tensor x, Scalar n) -> Tensor */
static inline litz_value litz_aten_special_laguerre_polynomial_l_n_scalar(litz_graph *graph, litz_value x,
                                        litz_scalar n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_laguerre_polynomial_l.n_scalar", litz_args, litz_n);
}

/* aten.special_laguerre_polynomial_l.x_scalar(Scalar x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_laguerre_polynomial_l_x_scalar(litz_graph *graph, litz_scalar x,
                                        litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_laguerre_polynomial_l.x_scalar", litz_args, litz_n);
}

/* aten.special_legendre_polynomial_p.default(Tensor x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_legendre_polynomial_p(litz_graph *graph, litz_value x, litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_legendre_polynomial_p.default", litz_args, litz_n);
}

/* aten.special_legendre_polynomial_p.n_scalar(Tensor x, Scalar n) -> Tensor */
static inline litz_value litz_aten_special_legendre_polynomial_p_n_scalar(litz_graph *graph, litz_value x,
                                        litz_scalar n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_legendre_polynomial_p.n_scalar", litz_args, litz_n);
}

/* aten.special_legendre_polynomial_p.x_scalar(Scalar x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_legendre_polynomial_p_x_scalar(litz_graph *graph, litz_scalar x,
                                        litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_legendre_polynomial_p.x_scalar", litz_args, litz_n);
}

/* aten.special_log1p.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_log1p(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_log1p.default", litz_args, litz_n);
}

/* aten.special_log_ndtr.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_log_ndtr(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_log_ndtr.default", litz_args, litz_n);
}

/* aten.special_log_softmax.default(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_special_log_softmax(litz_graph *graph, litz_value self, int64_t dim,
                                        int32_t dtype) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.special_log_softmax.default", litz_args, litz_n);
}

/* aten.special_logit.default(Tensor self, float? eps=None) -> Tensor */
static inline litz_value litz_aten_special_logit(litz_graph *graph, litz_value self, litz_scalar eps) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "eps", eps);
    return litz_ops_one(graph, "aten.special_logit.default", litz_args, litz_n);
}

/* aten.special_logsumexp.default(Tensor self, int[1] dim, bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_special_logsumexp(litz_graph *graph, litz_value self, litz_ints dim,
                                        int32_t keepdim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.special_logsumexp.default", litz_args, litz_n);
}

/* aten.special_modified_bessel_i0.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_modified_bessel_i0(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_modified_bessel_i0.default", litz_args, litz_n);
}

/* aten.special_modified_bessel_i1.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_modified_bessel_i1(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_modified_bessel_i1.default", litz_args, litz_n);
}

/* aten.special_modified_bessel_k0.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_modified_bessel_k0(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_modified_bessel_k0.default", litz_args, litz_n);
}

/* aten.special_modified_bessel_k1.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_modified_bessel_k1(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_modified_bessel_k1.default", litz_args, litz_n);
}

/* aten.special_multigammaln.default(Tensor self, int p) -> Tensor */
static inline litz_value litz_aten_special_multigammaln(litz_graph *graph, litz_value self, int64_t p) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "p", LITZ_ARG_INT, p);
    return litz_ops_one(graph, "aten.special_multigammaln.default", litz_args, litz_n);
}

/* aten.special_ndtr.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_ndtr(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_ndtr.default", litz_args, litz_n);
}

/* aten.special_ndtri.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_ndtri(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_ndtri.default", litz_args, litz_n);
}

/* aten.special_polygamma.default(int n, Tensor self) -> Tensor */
static inline litz_value litz_aten_special_polygamma(litz_graph *graph, int64_t n, litz_value self) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "n", LITZ_ARG_INT, n);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_polygamma.default", litz_args, litz_n);
}

/* aten.special_psi.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_psi(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_psi.default", litz_args, litz_n);
}

/* aten.special_scaled_modified_bessel_k0.default(Tensor x) -> Tensor */
static inline litz_value litz_aten_special_scaled_modified_bessel_k0(litz_graph *graph, litz_value x) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    return litz_ops_one(graph, "aten.special_scaled_modified_bessel_k0.default", litz_args, litz_n);
}

/* aten.special_scaled_modified_bessel_k1.default(Tensor x) -> Tensor */
static inline litz_value litz_aten_special_scaled_modified_bessel_k1(litz_graph *graph, litz_value x) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    return litz_ops_one(graph, "aten.special_scaled_modified_bessel_k1.default", litz_args, litz_n);
}

/* aten.special_shifted_chebyshev_polynomial_t.default(Tensor x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_shifted_chebyshev_polynomial_t(litz_graph *graph, litz_value x,
                                        litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_shifted_chebyshev_polynomial_t.default", litz_args, litz_n);
}

/* aten.special_shifted_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor */
static inline litz_value litz_aten_special_shifted_chebyshev_polynomial_t_n_scalar(litz_graph *graph, litz_value x,
                                        litz_scalar n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_shifted_chebyshev_polynomial_t.n_scalar", litz_args, litz_n);
}

/* aten.special_shifted_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_shifted_chebyshev_polynomial_t_x_scalar(litz_graph *graph, litz_scalar x,
                                        litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_shifted_chebyshev_polynomial_t.x_scalar", litz_args, litz_n);
}

/* aten.special_shifted_chebyshev_polynomial_u.default(Tensor x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_shifted_chebyshev_polynomial_u(litz_graph *graph, litz_value x,
                                        litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_shifted_chebyshev_polynomial_u.default", litz_args, litz_n);
}

/* aten.special_shifted_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor */
static inline litz_value litz_aten_special_shifted_chebyshev_polynomial_u_n_scalar(litz_graph *graph, litz_value x,
                                        litz_scalar n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_shifted_chebyshev_polynomial_u.n_scalar", litz_args, litz_n);
}

/* aten.special_shifted_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_shifted_chebyshev_polynomial_u_x_scalar(litz_graph *graph, litz_scalar x,
                                        litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_shifted_chebyshev_polynomial_u.x_scalar", litz_args, litz_n);
}

/* aten.special_shifted_chebyshev_polynomial_v.default(Tensor x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_shifted_chebyshev_polynomial_v(litz_graph *graph, litz_value x,
                                        litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_shifted_chebyshev_polynomial_v.default", litz_args, litz_n);
}

/* aten.special_shifted_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor */
static inline litz_value litz_aten_special_shifted_chebyshev_polynomial_v_n_scalar(litz_graph *graph, litz_value x,
                                        litz_scalar n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_shifted_chebyshev_polynomial_v.n_scalar", litz_args, litz_n);
}

/* aten.special_shifted_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_shifted_chebyshev_polynomial_v_x_scalar(litz_graph *graph, litz_scalar x,
                                        litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_shifted_chebyshev_polynomial_v.x_scalar", litz_args, litz_n);
}

/* aten.special_shifted_chebyshev_polynomial_w.default(Tensor x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_shifted_chebyshev_polynomial_w(litz_graph *graph, litz_value x,
                                        litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_shifted_chebyshev_polynomial_w.default", litz_args, litz_n);
}

/* aten.special_shifted_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor */
static inline litz_value litz_aten_special_shifted_chebyshev_polynomial_w_n_scalar(litz_graph *graph, litz_value x,
                                        litz_scalar n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_scalar(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_shifted_chebyshev_polynomial_w.n_scalar", litz_args, litz_n);
}

/* aten.special_shifted_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor */
static inline litz_value litz_aten_special_shifted_chebyshev_polynomial_w_x_scalar(litz_graph *graph, litz_scalar x,
                                        litz_value n) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "x", x);
    litz_n += litz_ops_tensor(litz_args + litz_n, "n", n);
    return litz_ops_one(graph, "aten.special_shifted_chebyshev_polynomial_w.x_scalar", litz_args, litz_n);
}

/* aten.special_sinc.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_special_sinc(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.special_sinc.default", litz_args, litz_n);
}

/* aten.special_softmax.default(Tensor self, int dim, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_special_softmax(litz_graph *graph, litz_value self, int64_t dim, int32_t dtype) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.special_softmax.default", litz_args, litz_n);
}

/* aten.special_spherical_bessel_j0.default(Tensor x) -> Tensor */
static inline litz_value litz_aten_special_spherical_bessel_j0(litz_graph *graph, litz_value x) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    return litz_ops_one(graph, "aten.special_spherical_bessel_j0.default", litz_args, litz_n);
}

/* aten.special_xlog1py.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_special_xlog1py(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.special_xlog1py.default", litz_args, litz_n);
}

/* aten.special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_special_xlog1py_other_scalar(litz_graph *graph, litz_value self,
                                        litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.special_xlog1py.other_scalar", litz_args, litz_n);
}

/* aten.special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor */
static inline litz_value litz_aten_special_xlog1py_self_scalar(litz_graph *graph, litz_scalar self,
                                        litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.special_xlog1py.self_scalar", litz_args, litz_n);
}

/* aten.special_xlogy.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_special_xlogy(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.special_xlogy.default", litz_args, litz_n);
}

/* aten.special_xlogy.other_scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_special_xlogy_other_scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.special_xlogy.other_scalar", litz_args, litz_n);
}

/* aten.special_xlogy.self_scalar(Scalar self, Tensor other) -> Tensor */
static inline litz_value litz_aten_special_xlogy_self_scalar(litz_graph *graph, litz_scalar self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.special_xlogy.self_scalar", litz_args, litz_n);
}

/* aten.special_zeta.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_special_zeta(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.special_zeta.default", litz_args, litz_n);
}

/* aten.special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_special_zeta_other_scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.special_zeta.other_scalar", litz_args, litz_n);
}

/* aten.special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor */
static inline litz_value litz_aten_special_zeta_self_scalar(litz_graph *graph, litz_scalar self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.special_zeta.self_scalar", litz_args, litz_n);
}

/* aten.split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[] */
static inline litz_value litz_aten_split_Tensor(litz_graph *graph, litz_value self, litz_scalar split_size,
                                        int64_t dim, litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "split_size", split_size);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_list(graph, "aten.split.Tensor", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.split.sizes(Tensor self, SymInt[] split_size, int dim=0) -> Tensor[] */
static inline litz_value litz_aten_split_sizes(litz_graph *graph, litz_value self, litz_ints split_size,
                                        int64_t dim, litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "split_size", split_size);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_list(graph, "aten.split.sizes", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[] */
static inline litz_value litz_aten_split_copy_Tensor(litz_graph *graph, litz_value self, litz_scalar split_size,
                                        int64_t dim, litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "split_size", split_size);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_list(graph, "aten.split_copy.Tensor", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.split_with_sizes.default(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[] */
static inline litz_value litz_aten_split_with_sizes(litz_graph *graph, litz_value self, litz_ints split_sizes,
                                        int64_t dim, litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "split_sizes", split_sizes);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_list(graph, "aten.split_with_sizes.default", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.split_with_sizes_copy.default(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[] */
static inline litz_value litz_aten_split_with_sizes_copy(litz_graph *graph, litz_value self, litz_ints split_sizes,
                                        int64_t dim, litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "split_sizes", split_sizes);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_list(graph, "aten.split_with_sizes_copy.default", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.sqrt.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_sqrt(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.sqrt.default", litz_args, litz_n);
}

/* aten.sqrt_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_sqrt_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.sqrt_.default", litz_args, litz_n);
}

/* aten.square.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_square(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.square.default", litz_args, litz_n);
}

/* aten.square_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_square_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.square_.default", litz_args, litz_n);
}

/* aten.squeeze.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_squeeze(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.squeeze.default", litz_args, litz_n);
}

/* aten.squeeze.dim(Tensor self, int dim) -> Tensor */
static inline litz_value litz_aten_squeeze_dim(litz_graph *graph, litz_value self, int64_t dim) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.squeeze.dim", litz_args, litz_n);
}

/* aten.squeeze.dims(Tensor self, int[] dim) -> Tensor */
static inline litz_value litz_aten_squeeze_dims(litz_graph *graph, litz_value self, litz_ints dim) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "dim", dim);
    return litz_ops_one(graph, "aten.squeeze.dims", litz_args, litz_n);
}

/* aten.squeeze_copy.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_squeeze_copy(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.squeeze_copy.default", litz_args, litz_n);
}

/* aten.squeeze_copy.dim(Tensor self, int dim) -> Tensor */
static inline litz_value litz_aten_squeeze_copy_dim(litz_graph *graph, litz_value self, int64_t dim) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.squeeze_copy.dim", litz_args, litz_n);
}

/* aten.squeeze_copy.dims(Tensor self, int[] dim) -> Tensor */
static inline litz_value litz_aten_squeeze_copy_dims(litz_graph *graph, litz_value self, litz_ints dim) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "dim", dim);
    return litz_ops_one(graph, "aten.squeeze_copy.dims", litz_args, litz_n);
}

/* aten.stack.default(Tensor[] tensors, int dim=0) -> Tensor */
static inline litz_value litz_aten_stack(litz_graph *graph, const litz_value *tensors, size_t n_tensors,
                                        int64_t dim) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.stack.default", litz_args, litz_n);
}

/* aten.std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_std_correction(litz_graph *graph, litz_value self, litz_ints dim,
                                        litz_scalar correction, int32_t keepdim) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "correction", correction);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.std.correction", litz_args, litz_n);
}

/* aten.std.default(Tensor self, bool unbiased=True) -> Tensor */
static inline litz_value litz_aten_std(litz_graph *graph, litz_value self, int32_t unbiased) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "unbiased", LITZ_ARG_BOOL, unbiased != 0);
    return litz_ops_one(graph, "aten.std.default", litz_args, litz_n);
}

/* aten.std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_std_dim(litz_graph *graph, litz_value self, litz_ints dim, int32_t unbiased,
                                        int32_t keepdim) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "unbiased", LITZ_ARG_BOOL, unbiased != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.std.dim", litz_args, litz_n);
}

/* aten.std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor) */
static inline litz_value litz_aten_std_mean_correction(litz_graph *graph, litz_value self, litz_ints dim,
                                        litz_scalar correction, int32_t keepdim, litz_value outs[2]) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "correction", correction);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_ops_call(graph, "aten.std_mean.correction", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.std_mean.default(Tensor self, bool unbiased=True) -> (Tensor, Tensor) */
static inline litz_value litz_aten_std_mean(litz_graph *graph, litz_value self, int32_t unbiased,
                                        litz_value outs[2]) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "unbiased", LITZ_ARG_BOOL, unbiased != 0);
    litz_ops_call(graph, "aten.std_mean.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor) */
static inline litz_value litz_aten_std_mean_dim(litz_graph *graph, litz_value self, litz_ints dim, int32_t unbiased,
                                        int32_t keepdim, litz_value outs[2]) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "unbiased", LITZ_ARG_BOOL, unbiased != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_ops_call(graph, "aten.std_mean.dim", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, str pad_mode='reflect', bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor */
static inline litz_value litz_aten_stft_center(litz_graph *graph, litz_value self, int64_t n_fft,
                                        litz_scalar hop_length, litz_scalar win_length, litz_value window,
                                        int32_t center, const char *pad_mode, int32_t normalized,
                                        litz_scalar onesided, litz_scalar return_complex,
                                        litz_scalar align_to_window) {
    litz_arg litz_args[11];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "n_fft", LITZ_ARG_INT, n_fft);
    litz_n += litz_ops_scalar(litz_args + litz_n, "hop_length", hop_length);
    litz_n += litz_ops_scalar(litz_args + litz_n, "win_length", win_length);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "window", window);
    litz_n += litz_ops_number(litz_args + litz_n, "center", LITZ_ARG_BOOL, center != 0);
    litz_n += litz_ops_string(litz_args + litz_n, "pad_mode", pad_mode);
    litz_n += litz_ops_number(litz_args + litz_n, "normalized", LITZ_ARG_BOOL, normalized != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "onesided", onesided);
    litz_n += litz_ops_scalar(litz_args + litz_n, "return_complex", return_complex);
    litz_n += litz_ops_scalar(litz_args + litz_n, "align_to_window", align_to_window);
    return litz_ops_one(graph, "aten.stft.center", litz_args, litz_n);
}

/* aten.stft.default(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor */
static inline litz_value litz_aten_stft(litz_graph *graph, litz_value self, int64_t n_fft, litz_scalar hop_length,
                                        litz_scalar win_length, litz_value window, int32_t normalized,
                                        litz_scalar onesided, litz_scalar return_complex,
                                        litz_scalar align_to_window) {
    litz_arg litz_args[9];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "n_fft", LITZ_ARG_INT, n_fft);
    litz_n += litz_ops_scalar(litz_args + litz_n, "hop_length", hop_length);
    litz_n += litz_ops_scalar(litz_args + litz_n, "win_length", win_length);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "window", window);
    litz_n += litz_ops_number(litz_args + litz_n, "normalized", LITZ_ARG_BOOL, normalized != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "onesided", onesided);
    litz_n += litz_ops_scalar(litz_args + litz_n, "return_complex", return_complex);
    litz_n += litz_ops_scalar(litz_args + litz_n, "align_to_window", align_to_window);
    return litz_ops_one(graph, "aten.stft.default", litz_args, litz_n);
}

/* aten.sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_sub_Scalar(litz_graph *graph, litz_value self, litz_scalar other,
                                        litz_scalar alpha) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.sub.Scalar", litz_args, litz_n);
}

/* aten.sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_sub_Tensor(litz_graph *graph, litz_value self, litz_value other,
                                        litz_scalar alpha) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.sub.Tensor", litz_args, litz_n);
}

/* aten.sub_.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_sub__Scalar(litz_graph *graph, litz_value self, litz_scalar other,
                                        litz_scalar alpha) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.sub_.Scalar", litz_args, litz_n);
}

/* aten.sub_.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_sub__Tensor(litz_graph *graph, litz_value self, litz_value other,
                                        litz_scalar alpha) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.sub_.Tensor", litz_args, litz_n);
}

/* aten.subtract.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_subtract_Scalar(litz_graph *graph, litz_value self, litz_scalar other,
                                        litz_scalar alpha) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.subtract.Scalar", litz_args, litz_n);
}

/* aten.subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_subtract_Tensor(litz_graph *graph, litz_value self, litz_value other,
                                        litz_scalar alpha) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.subtract.Tensor", litz_args, litz_n);
}

/* aten.subtract_.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_subtract__Scalar(litz_graph *graph, litz_value self, litz_scalar other,
                                        litz_scalar alpha) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.subtract_.Scalar", litz_args, litz_n);
}

/* aten.subtract_.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor */
static inline litz_value litz_aten_subtract__Tensor(litz_graph *graph, litz_value self, litz_value other,
                                        litz_scalar alpha) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_scalar(litz_args + litz_n, "alpha", alpha);
    return litz_ops_one(graph, "aten.subtract_.Tensor", litz_args, litz_n);
}

/* aten.sum.default(Tensor self, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_sum(litz_graph *graph, litz_value self, int32_t dtype) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.sum.default", litz_args, litz_n);
}

/* aten.sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor */
static inline litz_value litz_aten_sum_dim_IntList(litz_graph *graph, litz_value self, litz_ints dim,
                                        int32_t keepdim, int32_t dtype) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.sum.dim_IntList", litz_args, litz_n);
}

/* aten.sum_to_size.default(Tensor self, SymInt[] size) -> Tensor */
static inline litz_value litz_aten_sum_to_size(litz_graph *graph, litz_value self, litz_ints size) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    return litz_ops_one(graph, "aten.sum_to_size.default", litz_args, litz_n);
}

/* aten.svd.default(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V) */
static inline litz_value litz_aten_svd(litz_graph *graph, litz_value self, int32_t some, int32_t compute_uv,
                                       litz_value outs[3]) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "some", LITZ_ARG_BOOL, some != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "compute_uv", LITZ_ARG_BOOL, compute_uv != 0);
    litz_ops_call(graph, "aten.svd.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.swapaxes.default(Tensor self, int axis0, int axis1) -> Tensor */
static inline litz_value litz_aten_swapaxes(litz_graph *graph, litz_value self, int64_t axis0, int64_t axis1) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "axis0", LITZ_ARG_INT, axis0);
    litz_n += litz_ops_number(litz_args + litz_n, "axis1", LITZ_ARG_INT, axis1);
    return litz_ops_one(graph, "aten.swapaxes.default", litz_args, litz_n);
}

/* aten.swapdims.default(Tensor self, int dim0, int dim1) -> Tensor */
static inline litz_value litz_aten_swapdims(litz_graph *graph, litz_value self, int64_t dim0, int64_t dim1) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim0", LITZ_ARG_INT, dim0);
    litz_n += litz_ops_number(litz_args + litz_n, "dim1", LITZ_ARG_INT, dim1);
    return litz_ops_one(graph, "aten.swapdims.default", litz_args, litz_n);
}

/* aten.t.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_t(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.t.default", litz_args, litz_n);
}

/* aten.t_copy.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_t_copy(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.t_copy.default", litz_args, litz_n);
}

/* aten.take.default(Tensor self, Tensor index) -> Tensor */
static inline litz_value litz_aten_take(litz_graph *graph, litz_value self, litz_value index) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "index", index);
    return litz_ops_one(graph, "aten.take.default", litz_args, litz_n);
}

/* aten.take_along_dim.default(Tensor self, Tensor indices, int? dim=None) -> Tensor */
static inline litz_value litz_aten_take_along_dim(litz_graph *graph, litz_value self, litz_value indices,
                                        litz_scalar dim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dim", dim);
    return litz_ops_one(graph, "aten.take_along_dim.default", litz_args, litz_n);
}

/* aten.tan.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_tan(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.tan.default", litz_args, litz_n);
}

/* aten.tan_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_tan_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.tan_.default", litz_args, litz_n);
}

/* aten.tanh.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_tanh(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.tanh.default", litz_args, litz_n);
}

/* aten.tanh_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_tanh_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.tanh_.default", litz_args, litz_n);
}

/* aten.tanh_backward.default(Tensor grad_output, Tensor output) -> Tensor */
static inline litz_value litz_aten_tanh_backward(litz_graph *graph, litz_value grad_output, litz_value output) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "output", output);
    return litz_ops_one(graph, "aten.tanh_backward.default", litz_args, litz_n);
}

/* aten.tensor_split.indices(Tensor self, SymInt[] indices, int dim=0) -> Tensor[] */
static inline litz_value litz_aten_tensor_split_indices(litz_graph *graph, litz_value self, litz_ints indices,
                                        int64_t dim, litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "indices", indices);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_list(graph, "aten.tensor_split.indices", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.tensor_split.sections(Tensor self, SymInt sections, int dim=0) -> Tensor[] */
static inline litz_value litz_aten_tensor_split_sections(litz_graph *graph, litz_value self, litz_scalar sections,
                                        int64_t dim, litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "sections", sections);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_list(graph, "aten.tensor_split.sections", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.tensor_split.tensor_indices_or_sections(Tensor self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor[] */
static inline litz_value litz_aten_tensor_split_tensor_indices_or_sections(litz_graph *graph, litz_value self,
                                        litz_value tensor_indices_or_sections, int64_t dim, litz_value *outs,
                                        size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "tensor_indices_or_sections", tensor_indices_or_sections);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_list(graph, "aten.tensor_split.tensor_indices_or_sections", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.tensordot.default(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor */
static inline litz_value litz_aten_tensordot(litz_graph *graph, litz_value self, litz_value other,
                                        litz_ints dims_self, litz_ints dims_other) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_ints(litz_args + litz_n, "dims_self", dims_self);
    litz_n += litz_ops_ints(litz_args + litz_n, "dims_other", dims_other);
    return litz_ops_one(graph, "aten.tensordot.default", litz_args, litz_n);
}

/* aten.threshold.default(Tensor self, Scalar threshold, Scalar value) -> Tensor */
static inline litz_value litz_aten_threshold(litz_graph *graph, litz_value self, litz_scalar threshold,
                                        litz_scalar value) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "threshold", threshold);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.threshold.default", litz_args, litz_n);
}

/* aten.threshold_.default(Tensor self, Scalar threshold, Scalar value) -> Tensor */
static inline litz_value litz_aten_threshold_(litz_graph *graph, litz_value self, litz_scalar threshold,
                                        litz_scalar value) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "threshold", threshold);
    litz_n += litz_ops_scalar(litz_args + litz_n, "value", value);
    return litz_ops_one(graph, "aten.threshold_.default", litz_args, litz_n);
}

/* aten.threshold_backward.default(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor */
static inline litz_value litz_aten_threshold_backward(litz_graph *graph, litz_value grad_output, litz_value self,
                                        litz_scalar threshold) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "threshold", threshold);
    return litz_ops_one(graph, "aten.threshold_backward.default", litz_args, litz_n);
}

/* aten.tile.default(Tensor self, SymInt[] dims) -> Tensor */
static inline litz_value litz_aten_tile(litz_graph *graph, litz_value self, litz_ints dims) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "dims", dims);
    return litz_ops_one(graph, "aten.tile.default", litz_args, litz_n);
}

/* aten.to.device(Tensor self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_to_device(litz_graph *graph, litz_value self, DLDevice device, int32_t dtype,
                                        int32_t non_blocking, int32_t copy, int32_t memory_format) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_number(litz_args + litz_n, "non_blocking", LITZ_ARG_BOOL, non_blocking != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "copy", LITZ_ARG_BOOL, copy != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.to.device", litz_args, litz_n);
}

/* aten.to.dtype(Tensor self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_to_dtype(litz_graph *graph, litz_value self, int32_t dtype, int32_t non_blocking,
                                        int32_t copy, int32_t memory_format) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_number(litz_args + litz_n, "non_blocking", LITZ_ARG_BOOL, non_blocking != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "copy", LITZ_ARG_BOOL, copy != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.to.dtype", litz_args, litz_n);
}

/* aten.to.dtype_layout(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_to_dtype_layout(litz_graph *graph, litz_value self, int32_t dtype,
                                        int32_t layout, DLDevice device, litz_scalar pin_memory,
                                        int32_t non_blocking, int32_t copy, int32_t memory_format) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    litz_n += litz_ops_number(litz_args + litz_n, "non_blocking", LITZ_ARG_BOOL, non_blocking != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "copy", LITZ_ARG_BOOL, copy != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.to.dtype_layout", litz_args, litz_n);
}

/* aten.to.other(Tensor self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_to_other(litz_graph *graph, litz_value self, litz_value other,
                                        int32_t non_blocking, int32_t copy, int32_t memory_format) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    litz_n += litz_ops_number(litz_args + litz_n, "non_blocking", LITZ_ARG_BOOL, non_blocking != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "copy", LITZ_ARG_BOOL, copy != 0);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.to.other", litz_args, litz_n);
}

/* aten.topk.default(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices) */
static inline litz_value litz_aten_topk(litz_graph *graph, litz_value self, litz_scalar k, int64_t dim,
                                        int32_t largest, int32_t sorted, litz_value outs[2]) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "k", k);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "largest", LITZ_ARG_BOOL, largest != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "sorted", LITZ_ARG_BOOL, sorted != 0);
    litz_ops_call(graph, "aten.topk.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.trace.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_trace(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.trace.default", litz_args, litz_n);
}

/* aten.trace_backward.default(Tensor grad, SymInt[] sizes) -> Tensor */
static inline litz_value litz_aten_trace_backward(litz_graph *graph, litz_value grad, litz_ints sizes) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad", grad);
    litz_n += litz_ops_ints(litz_args + litz_n, "sizes", sizes);
    return litz_ops_one(graph, "aten.trace_backward.default", litz_args, litz_n);
}

/* aten.transpose.int(Tensor self, int dim0, int dim1) -> Tensor */
static inline litz_value litz_aten_transpose_int(litz_graph *graph, litz_value self, int64_t dim0, int64_t dim1) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim0", LITZ_ARG_INT, dim0);
    litz_n += litz_ops_number(litz_args + litz_n, "dim1", LITZ_ARG_INT, dim1);
    return litz_ops_one(graph, "aten.transpose.int", litz_args, litz_n);
}

/* aten.transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor */
static inline litz_value litz_aten_transpose_copy_int(litz_graph *graph, litz_value self, int64_t dim0,
                                        int64_t dim1) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim0", LITZ_ARG_INT, dim0);
    litz_n += litz_ops_number(litz_args + litz_n, "dim1", LITZ_ARG_INT, dim1);
    return litz_ops_one(graph, "aten.transpose_copy.int", litz_args, litz_n);
}

/* aten.trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor */
static inline litz_value litz_aten_trapezoid_dx(litz_graph *graph, litz_value y, litz_scalar dx, int64_t dim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "y", y);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dx", dx);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.trapezoid.dx", litz_args, litz_n);
}

/* aten.trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor */
static inline litz_value litz_aten_trapezoid_x(litz_graph *graph, litz_value y, litz_value x, int64_t dim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "y", y);
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.trapezoid.x", litz_args, litz_n);
}

/* aten.trapz.dx(Tensor y, *, float dx=1.0, int dim=-1) -> Tensor */
static inline litz_value litz_aten_trapz_dx(litz_graph *graph, litz_value y, double dx, int64_t dim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "y", y);
    litz_n += litz_ops_float(litz_args + litz_n, "dx", dx);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.trapz.dx", litz_args, litz_n);
}

/* aten.trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor */
static inline litz_value litz_aten_trapz_x(litz_graph *graph, litz_value y, litz_value x, int64_t dim) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "y", y);
    litz_n += litz_ops_tensor(litz_args + litz_n, "x", x);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.trapz.x", litz_args, litz_n);
}

/* aten.triangular_solve.default(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient) */
static inline litz_value litz_aten_triangular_solve(litz_graph *graph, litz_value self, litz_value A, int32_t upper,
                                        int32_t transpose, int32_t unitriangular, litz_value outs[2]) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "A", A);
    litz_n += litz_ops_number(litz_args + litz_n, "upper", LITZ_ARG_BOOL, upper != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "transpose", LITZ_ARG_BOOL, transpose != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "unitriangular", LITZ_ARG_BOOL, unitriangular != 0);
    litz_ops_call(graph, "aten.triangular_solve.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.tril.default(Tensor self, SymInt diagonal=0) -> Tensor */
static inline litz_value litz_aten_tril(litz_graph *graph, litz_value self, litz_scalar diagonal) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "diagonal", diagonal);
    return litz_ops_one(graph, "aten.tril.default", litz_args, litz_n);
}

/* aten.tril_.default(Tensor self, SymInt diagonal=0) -> Tensor */
static inline litz_value litz_aten_tril_(litz_graph *graph, litz_value self, litz_scalar diagonal) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "diagonal", diagonal);
    return litz_ops_one(graph, "aten.tril_.default", litz_args, litz_n);
}

/* aten.tril_indices.default(int row, int col, int offset=0, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_tril_indices(litz_graph *graph, int64_t row, int64_t col, int64_t offset,
                                        int32_t dtype, int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "row", LITZ_ARG_INT, row);
    litz_n += litz_ops_number(litz_args + litz_n, "col", LITZ_ARG_INT, col);
    litz_n += litz_ops_number(litz_args + litz_n, "offset", LITZ_ARG_INT, offset);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.tril_indices.default", litz_args, litz_n);
}

/* aten.triplet_margin_loss.default(Tensor anchor, Tensor positive, Tensor negative, float margin=1., float p=2., float eps=1e-6, bool swap=False, int reduction=1) -> Tensor */
static inline litz_value litz_aten_triplet_margin_loss(litz_graph *graph, litz_value anchor, litz_value positive,
                                        litz_value negative, double margin, double p, double eps, int32_t swap,
                                        int64_t reduction) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "anchor", anchor);
    litz_n += litz_ops_tensor(litz_args + litz_n, "positive", positive);
    litz_n += litz_ops_tensor(litz_args + litz_n, "negative", negative);
    litz_n += litz_ops_float(litz_args + litz_n, "margin", margin);
    litz_n += litz_ops_float(litz_args + litz_n, "p", p);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_n += litz_ops_number(litz_args + litz_n, "swap", LITZ_ARG_BOOL, swap != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "reduction", LITZ_ARG_INT, reduction);
    return litz_ops_one(graph, "aten.triplet_margin_loss.default", litz_args, litz_n);
}

/* aten.triu.default(Tensor self, SymInt diagonal=0) -> Tensor */
static inline litz_value litz_aten_triu(litz_graph *graph, litz_value self, litz_scalar diagonal) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "diagonal", diagonal);
    return litz_ops_one(graph, "aten.triu.default", litz_args, litz_n);
}

/* aten.triu_.default(Tensor self, SymInt diagonal=0) -> Tensor */
static inline litz_value litz_aten_triu_(litz_graph *graph, litz_value self, litz_scalar diagonal) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "diagonal", diagonal);
    return litz_ops_one(graph, "aten.triu_.default", litz_args, litz_n);
}

/* aten.triu_indices.default(int row, int col, int offset=0, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_triu_indices(litz_graph *graph, int64_t row, int64_t col, int64_t offset,
                                        int32_t dtype, int32_t layout, DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_number(litz_args + litz_n, "row", LITZ_ARG_INT, row);
    litz_n += litz_ops_number(litz_args + litz_n, "col", LITZ_ARG_INT, col);
    litz_n += litz_ops_number(litz_args + litz_n, "offset", LITZ_ARG_INT, offset);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.triu_indices.default", litz_args, litz_n);
}

/* aten.true_divide.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_true_divide_Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.true_divide.Scalar", litz_args, litz_n);
}

/* aten.true_divide.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_true_divide_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.true_divide.Tensor", litz_args, litz_n);
}

/* aten.true_divide_.Scalar(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_true_divide__Scalar(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.true_divide_.Scalar", litz_args, litz_n);
}

/* aten.true_divide_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_true_divide__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.true_divide_.Tensor", litz_args, litz_n);
}

/* aten.trunc.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_trunc(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.trunc.default", litz_args, litz_n);
}

/* aten.trunc_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_trunc_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.trunc_.default", litz_args, litz_n);
}

/* aten.type_as.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_type_as(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.type_as.default", litz_args, litz_n);
}

/* aten.unbind.int(Tensor self, int dim=0) -> Tensor[] */
static inline litz_value litz_aten_unbind_int(litz_graph *graph, litz_value self, int64_t dim, litz_value *outs,
                                        size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_list(graph, "aten.unbind.int", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.unbind_copy.int(Tensor self, int dim=0) -> Tensor[] */
static inline litz_value litz_aten_unbind_copy_int(litz_graph *graph, litz_value self, int64_t dim,
                                        litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_list(graph, "aten.unbind_copy.int", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.unflatten.int(Tensor self, int dim, SymInt[] sizes) -> Tensor */
static inline litz_value litz_aten_unflatten_int(litz_graph *graph, litz_value self, int64_t dim, litz_ints sizes) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_ints(litz_args + litz_n, "sizes", sizes);
    return litz_ops_one(graph, "aten.unflatten.int", litz_args, litz_n);
}

/* aten.unfold.default(Tensor self, int dimension, int size, int step) -> Tensor */
static inline litz_value litz_aten_unfold(litz_graph *graph, litz_value self, int64_t dimension, int64_t size,
                                        int64_t step) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dimension", LITZ_ARG_INT, dimension);
    litz_n += litz_ops_number(litz_args + litz_n, "size", LITZ_ARG_INT, size);
    litz_n += litz_ops_number(litz_args + litz_n, "step", LITZ_ARG_INT, step);
    return litz_ops_one(graph, "aten.unfold.default", litz_args, litz_n);
}

/* aten.unfold_backward.default(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> Tensor */
static inline litz_value litz_aten_unfold_backward(litz_graph *graph, litz_value grad_in, litz_ints input_sizes,
                                        int64_t dim, int64_t size, int64_t step) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_in", grad_in);
    litz_n += litz_ops_ints(litz_args + litz_n, "input_sizes", input_sizes);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "size", LITZ_ARG_INT, size);
    litz_n += litz_ops_number(litz_args + litz_n, "step", LITZ_ARG_INT, step);
    return litz_ops_one(graph, "aten.unfold_backward.default", litz_args, litz_n);
}

/* aten.unfold_copy.default(Tensor self, int dimension, int size, int step) -> Tensor */
static inline litz_value litz_aten_unfold_copy(litz_graph *graph, litz_value self, int64_t dimension, int64_t size,
                                        int64_t step) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dimension", LITZ_ARG_INT, dimension);
    litz_n += litz_ops_number(litz_args + litz_n, "size", LITZ_ARG_INT, size);
    litz_n += litz_ops_number(litz_args + litz_n, "step", LITZ_ARG_INT, step);
    return litz_ops_one(graph, "aten.unfold_copy.default", litz_args, litz_n);
}

/* aten.uniform.default(Tensor self, float from=0., float to=1., *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_uniform(litz_graph *graph, litz_value self, double from, double to) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "from", from);
    litz_n += litz_ops_float(litz_args + litz_n, "to", to);
    return litz_ops_one(graph, "aten.uniform.default", litz_args, litz_n);
}

/* aten.uniform_.default(Tensor self, float from=0., float to=1., *, Generator? generator=None) -> Tensor */
static inline litz_value litz_aten_uniform_(litz_graph *graph, litz_value self, double from, double to) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_float(litz_args + litz_n, "from", from);
    litz_n += litz_ops_float(litz_args + litz_n, "to", to);
    return litz_ops_one(graph, "aten.uniform_.default", litz_args, litz_n);
}

/* aten.unique_consecutive.default(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor) */
static inline litz_value litz_aten_unique_consecutive(litz_graph *graph, litz_value self, int32_t return_inverse,
                                        int32_t return_counts, litz_scalar dim, litz_value outs[3]) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "return_inverse", LITZ_ARG_BOOL, return_inverse != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "return_counts", LITZ_ARG_BOOL, return_counts != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dim", dim);
    litz_ops_call(graph, "aten.unique_consecutive.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.unique_dim.default(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor) */
static inline litz_value litz_aten_unique_dim(litz_graph *graph, litz_value self, int64_t dim, int32_t sorted,
                                        int32_t return_inverse, int32_t return_counts, litz_value outs[3]) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_value litz_outs[3];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_number(litz_args + litz_n, "sorted", LITZ_ARG_BOOL, sorted != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "return_inverse", LITZ_ARG_BOOL, return_inverse != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "return_counts", LITZ_ARG_BOOL, return_counts != 0);
    litz_ops_call(graph, "aten.unique_dim.default", litz_args, litz_n, litz_outs, 3);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.unsafe_chunk.default(Tensor self, int chunks, int dim=0) -> Tensor[] */
static inline litz_value litz_aten_unsafe_chunk(litz_graph *graph, litz_value self, int64_t chunks, int64_t dim,
                                        litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "chunks", LITZ_ARG_INT, chunks);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_list(graph, "aten.unsafe_chunk.default", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[] */
static inline litz_value litz_aten_unsafe_split_Tensor(litz_graph *graph, litz_value self, litz_scalar split_size,
                                        int64_t dim, litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "split_size", split_size);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_list(graph, "aten.unsafe_split.Tensor", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.unsafe_split_with_sizes.default(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[] */
static inline litz_value litz_aten_unsafe_split_with_sizes(litz_graph *graph, litz_value self,
                                        litz_ints split_sizes, int64_t dim, litz_value *outs, size_t outs_capacity,
                                        size_t *n_outs) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "split_sizes", split_sizes);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_list(graph, "aten.unsafe_split_with_sizes.default", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.unsqueeze.default(Tensor self, int dim) -> Tensor */
static inline litz_value litz_aten_unsqueeze(litz_graph *graph, litz_value self, int64_t dim) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.unsqueeze.default", litz_args, litz_n);
}

/* aten.unsqueeze_copy.default(Tensor self, int dim) -> Tensor */
static inline litz_value litz_aten_unsqueeze_copy(litz_graph *graph, litz_value self, int64_t dim) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    return litz_ops_one(graph, "aten.unsqueeze_copy.default", litz_args, litz_n);
}

/* aten.upsample_bicubic2d.default(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten_upsample_bicubic2d(litz_graph *graph, litz_value self, litz_ints output_size,
                                        int32_t align_corners, litz_scalar scales_h, litz_scalar scales_w) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten.upsample_bicubic2d.default", litz_args, litz_n);
}

/* aten.upsample_bicubic2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor */
static inline litz_value litz_aten_upsample_bicubic2d_vec(litz_graph *graph, litz_value input,
                                        litz_ints output_size, int32_t align_corners, const double *scale_factors,
                                        size_t n_scale_factors) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "scale_factors", scale_factors, n_scale_factors);
    return litz_ops_one(graph, "aten.upsample_bicubic2d.vec", litz_args, litz_n);
}

/* aten.upsample_bicubic2d_backward.default(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten_upsample_bicubic2d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_ints output_size, litz_ints input_size, int32_t align_corners,
                                        litz_scalar scales_h, litz_scalar scales_w) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "input_size", input_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten.upsample_bicubic2d_backward.default", litz_args, litz_n);
}

/* aten.upsample_bilinear2d.default(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten_upsample_bilinear2d(litz_graph *graph, litz_value self, litz_ints output_size,
                                        int32_t align_corners, litz_scalar scales_h, litz_scalar scales_w) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten.upsample_bilinear2d.default", litz_args, litz_n);
}

/* aten.upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor */
static inline litz_value litz_aten_upsample_bilinear2d_vec(litz_graph *graph, litz_value input,
                                        litz_ints output_size, int32_t align_corners, const double *scale_factors,
                                        size_t n_scale_factors) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "scale_factors", scale_factors, n_scale_factors);
    return litz_ops_one(graph, "aten.upsample_bilinear2d.vec", litz_args, litz_n);
}

/* aten.upsample_bilinear2d_backward.default(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten_upsample_bilinear2d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_ints output_size, litz_ints input_size, int32_t align_corners,
                                        litz_scalar scales_h, litz_scalar scales_w) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "input_size", input_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten.upsample_bilinear2d_backward.default", litz_args, litz_n);
}

/* aten.upsample_linear1d.default(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor */
static inline litz_value litz_aten_upsample_linear1d(litz_graph *graph, litz_value self, litz_ints output_size,
                                        int32_t align_corners, litz_scalar scales) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales", scales);
    return litz_ops_one(graph, "aten.upsample_linear1d.default", litz_args, litz_n);
}

/* aten.upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor */
static inline litz_value litz_aten_upsample_linear1d_vec(litz_graph *graph, litz_value input, litz_ints output_size,
                                        int32_t align_corners, const double *scale_factors, size_t n_scale_factors) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "scale_factors", scale_factors, n_scale_factors);
    return litz_ops_one(graph, "aten.upsample_linear1d.vec", litz_args, litz_n);
}

/* aten.upsample_linear1d_backward.default(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, bool align_corners, float? scales=None) -> Tensor */
static inline litz_value litz_aten_upsample_linear1d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_ints output_size, litz_ints input_size, int32_t align_corners,
                                        litz_scalar scales) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "input_size", input_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales", scales);
    return litz_ops_one(graph, "aten.upsample_linear1d_backward.default", litz_args, litz_n);
}

/* aten.upsample_nearest1d.default(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor */
static inline litz_value litz_aten_upsample_nearest1d(litz_graph *graph, litz_value self, litz_ints output_size,
                                        litz_scalar scales) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales", scales);
    return litz_ops_one(graph, "aten.upsample_nearest1d.default", litz_args, litz_n);
}

/* aten.upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor */
static inline litz_value litz_aten_upsample_nearest1d_vec(litz_graph *graph, litz_value input,
                                        litz_ints output_size, const double *scale_factors, size_t n_scale_factors) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "scale_factors", scale_factors, n_scale_factors);
    return litz_ops_one(graph, "aten.upsample_nearest1d.vec", litz_args, litz_n);
}

/* aten.upsample_nearest1d_backward.default(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, float? scales=None) -> Tensor */
static inline litz_value litz_aten_upsample_nearest1d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_ints output_size, litz_ints input_size, litz_scalar scales) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "input_size", input_size);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales", scales);
    return litz_ops_one(graph, "aten.upsample_nearest1d_backward.default", litz_args, litz_n);
}

/* aten.upsample_nearest2d.default(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten_upsample_nearest2d(litz_graph *graph, litz_value self, litz_ints output_size,
                                        litz_scalar scales_h, litz_scalar scales_w) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten.upsample_nearest2d.default", litz_args, litz_n);
}

/* aten.upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor */
static inline litz_value litz_aten_upsample_nearest2d_vec(litz_graph *graph, litz_value input,
                                        litz_ints output_size, const double *scale_factors, size_t n_scale_factors) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "scale_factors", scale_factors, n_scale_factors);
    return litz_ops_one(graph, "aten.upsample_nearest2d.vec", litz_args, litz_n);
}

/* aten.upsample_nearest2d_backward.default(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten_upsample_nearest2d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_ints output_size, litz_ints input_size, litz_scalar scales_h,
                                        litz_scalar scales_w) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "input_size", input_size);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten.upsample_nearest2d_backward.default", litz_args, litz_n);
}

/* aten.upsample_nearest3d.default(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten_upsample_nearest3d(litz_graph *graph, litz_value self, litz_ints output_size,
                                        litz_scalar scales_d, litz_scalar scales_h, litz_scalar scales_w) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_d", scales_d);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten.upsample_nearest3d.default", litz_args, litz_n);
}

/* aten.upsample_nearest3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor */
static inline litz_value litz_aten_upsample_nearest3d_vec(litz_graph *graph, litz_value input,
                                        litz_ints output_size, const double *scale_factors, size_t n_scale_factors) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "scale_factors", scale_factors, n_scale_factors);
    return litz_ops_one(graph, "aten.upsample_nearest3d.vec", litz_args, litz_n);
}

/* aten.upsample_nearest3d_backward.default(Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten_upsample_nearest3d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_ints output_size, litz_ints input_size, litz_scalar scales_d,
                                        litz_scalar scales_h, litz_scalar scales_w) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "input_size", input_size);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_d", scales_d);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten.upsample_nearest3d_backward.default", litz_args, litz_n);
}

/* aten.upsample_trilinear3d.default(Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten_upsample_trilinear3d(litz_graph *graph, litz_value self, litz_ints output_size,
                                        int32_t align_corners, litz_scalar scales_d, litz_scalar scales_h,
                                        litz_scalar scales_w) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_d", scales_d);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten.upsample_trilinear3d.default", litz_args, litz_n);
}

/* aten.upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor */
static inline litz_value litz_aten_upsample_trilinear3d_vec(litz_graph *graph, litz_value input,
                                        litz_ints output_size, int32_t align_corners, const double *scale_factors,
                                        size_t n_scale_factors) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_optional_floats(litz_args + litz_n, "scale_factors", scale_factors, n_scale_factors);
    return litz_ops_one(graph, "aten.upsample_trilinear3d.vec", litz_args, litz_n);
}

/* aten.upsample_trilinear3d_backward.default(Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline litz_value litz_aten_upsample_trilinear3d_backward(litz_graph *graph, litz_value grad_output,
                                        litz_ints output_size, litz_ints input_size, int32_t align_corners,
                                        litz_scalar scales_d, litz_scalar scales_h, litz_scalar scales_w) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad_output", grad_output);
    litz_n += litz_ops_ints(litz_args + litz_n, "output_size", output_size);
    litz_n += litz_ops_ints(litz_args + litz_n, "input_size", input_size);
    litz_n += litz_ops_number(litz_args + litz_n, "align_corners", LITZ_ARG_BOOL, align_corners != 0);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_d", scales_d);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_h", scales_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "scales_w", scales_w);
    return litz_ops_one(graph, "aten.upsample_trilinear3d_backward.default", litz_args, litz_n);
}

/* aten.value_selecting_reduction_backward.default(Tensor grad, int dim, Tensor indices, SymInt[] sizes, bool keepdim) -> Tensor */
static inline litz_value litz_aten_value_selecting_reduction_backward(litz_graph *graph, litz_value grad,
                                        int64_t dim, litz_value indices, litz_ints sizes, int32_t keepdim) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "grad", grad);
    litz_n += litz_ops_number(litz_args + litz_n, "dim", LITZ_ARG_INT, dim);
    litz_n += litz_ops_tensor(litz_args + litz_n, "indices", indices);
    litz_n += litz_ops_ints(litz_args + litz_n, "sizes", sizes);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.value_selecting_reduction_backward.default", litz_args, litz_n);
}

/* aten.var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_var_correction(litz_graph *graph, litz_value self, litz_ints dim,
                                        litz_scalar correction, int32_t keepdim) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "correction", correction);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.var.correction", litz_args, litz_n);
}

/* aten.var.default(Tensor self, bool unbiased=True) -> Tensor */
static inline litz_value litz_aten_var(litz_graph *graph, litz_value self, int32_t unbiased) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "unbiased", LITZ_ARG_BOOL, unbiased != 0);
    return litz_ops_one(graph, "aten.var.default", litz_args, litz_n);
}

/* aten.var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor */
static inline litz_value litz_aten_var_dim(litz_graph *graph, litz_value self, litz_ints dim, int32_t unbiased,
                                        int32_t keepdim) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "unbiased", LITZ_ARG_BOOL, unbiased != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    return litz_ops_one(graph, "aten.var.dim", litz_args, litz_n);
}

/* aten.var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor) */
static inline litz_value litz_aten_var_mean_correction(litz_graph *graph, litz_value self, litz_ints dim,
                                        litz_scalar correction, int32_t keepdim, litz_value outs[2]) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_scalar(litz_args + litz_n, "correction", correction);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_ops_call(graph, "aten.var_mean.correction", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.var_mean.default(Tensor self, bool unbiased=True) -> (Tensor, Tensor) */
static inline litz_value litz_aten_var_mean(litz_graph *graph, litz_value self, int32_t unbiased,
                                        litz_value outs[2]) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "unbiased", LITZ_ARG_BOOL, unbiased != 0);
    litz_ops_call(graph, "aten.var_mean.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor) */
static inline litz_value litz_aten_var_mean_dim(litz_graph *graph, litz_value self, litz_ints dim, int32_t unbiased,
                                        int32_t keepdim, litz_value outs[2]) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dim", dim);
    litz_n += litz_ops_number(litz_args + litz_n, "unbiased", LITZ_ARG_BOOL, unbiased != 0);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_ops_call(graph, "aten.var_mean.dim", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* aten.vdot.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_vdot(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.vdot.default", litz_args, litz_n);
}

/* aten.view.default(Tensor self, SymInt[] size) -> Tensor */
static inline litz_value litz_aten_view(litz_graph *graph, litz_value self, litz_ints size) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    return litz_ops_one(graph, "aten.view.default", litz_args, litz_n);
}

/* aten.view.dtype(Tensor self, ScalarType dtype) -> Tensor */
static inline litz_value litz_aten_view_dtype(litz_graph *graph, litz_value self, int32_t dtype) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.view.dtype", litz_args, litz_n);
}

/* aten.view_as.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_view_as(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.view_as.default", litz_args, litz_n);
}

/* aten.view_as_complex.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_view_as_complex(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.view_as_complex.default", litz_args, litz_n);
}

/* aten.view_as_complex_copy.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_view_as_complex_copy(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.view_as_complex_copy.default", litz_args, litz_n);
}

/* aten.view_as_real.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_view_as_real(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.view_as_real.default", litz_args, litz_n);
}

/* aten.view_as_real_copy.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_view_as_real_copy(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.view_as_real_copy.default", litz_args, litz_n);
}

/* aten.view_copy.default(Tensor self, SymInt[] size) -> Tensor */
static inline litz_value litz_aten_view_copy(litz_graph *graph, litz_value self, litz_ints size) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    return litz_ops_one(graph, "aten.view_copy.default", litz_args, litz_n);
}

/* aten.view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor */
static inline litz_value litz_aten_view_copy_dtype(litz_graph *graph, litz_value self, int32_t dtype) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "aten.view_copy.dtype", litz_args, litz_n);
}

/* aten.vsplit.array(Tensor self, int[] indices) -> Tensor[] */
static inline litz_value litz_aten_vsplit_array(litz_graph *graph, litz_value self, litz_ints indices,
                                        litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_ints(litz_args + litz_n, "indices", indices);
    return litz_ops_list(graph, "aten.vsplit.array", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.vsplit.int(Tensor self, int sections) -> Tensor[] */
static inline litz_value litz_aten_vsplit_int(litz_graph *graph, litz_value self, int64_t sections,
                                        litz_value *outs, size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_number(litz_args + litz_n, "sections", LITZ_ARG_INT, sections);
    return litz_ops_list(graph, "aten.vsplit.int", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.vstack.default(Tensor[] tensors) -> Tensor */
static inline litz_value litz_aten_vstack(litz_graph *graph, const litz_value *tensors, size_t n_tensors) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensors(litz_args + litz_n, "tensors", tensors, n_tensors);
    return litz_ops_one(graph, "aten.vstack.default", litz_args, litz_n);
}

/* aten.where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor */
static inline litz_value litz_aten_where_Scalar(litz_graph *graph, litz_value condition, litz_scalar self,
                                        litz_scalar other) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "condition", condition);
    litz_n += litz_ops_scalar(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.where.Scalar", litz_args, litz_n);
}

/* aten.where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_where_ScalarOther(litz_graph *graph, litz_value condition, litz_value self,
                                        litz_scalar other) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "condition", condition);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.where.ScalarOther", litz_args, litz_n);
}

/* aten.where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor */
static inline litz_value litz_aten_where_ScalarSelf(litz_graph *graph, litz_value condition, litz_scalar self,
                                        litz_value other) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "condition", condition);
    litz_n += litz_ops_scalar(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.where.ScalarSelf", litz_args, litz_n);
}

/* aten.where.default(Tensor condition) -> Tensor[] */
static inline litz_value litz_aten_where(litz_graph *graph, litz_value condition, litz_value *outs,
                                        size_t outs_capacity, size_t *n_outs) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "condition", condition);
    return litz_ops_list(graph, "aten.where.default", litz_args, litz_n, outs, outs_capacity, n_outs);
}

/* aten.where.self(Tensor condition, Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_where_self(litz_graph *graph, litz_value condition, litz_value self,
                                        litz_value other) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "condition", condition);
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.where.self", litz_args, litz_n);
}

/* aten.xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_xlogy_Scalar_Other(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.xlogy.Scalar_Other", litz_args, litz_n);
}

/* aten.xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor */
static inline litz_value litz_aten_xlogy_Scalar_Self(litz_graph *graph, litz_scalar self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.xlogy.Scalar_Self", litz_args, litz_n);
}

/* aten.xlogy.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_xlogy_Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.xlogy.Tensor", litz_args, litz_n);
}

/* aten.xlogy_.Scalar_Other(Tensor self, Scalar other) -> Tensor */
static inline litz_value litz_aten_xlogy__Scalar_Other(litz_graph *graph, litz_value self, litz_scalar other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_scalar(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.xlogy_.Scalar_Other", litz_args, litz_n);
}

/* aten.xlogy_.Tensor(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_aten_xlogy__Tensor(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "aten.xlogy_.Tensor", litz_args, litz_n);
}

/* aten.zero.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_zero(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.zero.default", litz_args, litz_n);
}

/* aten.zero_.default(Tensor self) -> Tensor */
static inline litz_value litz_aten_zero_(litz_graph *graph, litz_value self) {
    litz_arg litz_args[1];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    return litz_ops_one(graph, "aten.zero_.default", litz_args, litz_n);
}

/* aten.zeros.default(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline litz_value litz_aten_zeros(litz_graph *graph, litz_ints size, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_n += litz_ops_ints(litz_args + litz_n, "size", size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    return litz_ops_one(graph, "aten.zeros.default", litz_args, litz_n);
}

/* aten.zeros_like.default(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline litz_value litz_aten_zeros_like(litz_graph *graph, litz_value self, int32_t dtype, int32_t layout,
                                        DLDevice device, litz_scalar pin_memory, int32_t memory_format) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "layout", LITZ_ARG_LAYOUT, layout);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pin_memory", pin_memory);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "memory_format", LITZ_ARG_MEMORY_FORMAT, memory_format);
    return litz_ops_one(graph, "aten.zeros_like.default", litz_args, litz_n);
}

/* prims.amax.default(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor */
static inline litz_value litz_prims_amax(litz_graph *graph, litz_value inp, litz_ints dims, int32_t output_dtype) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "inp", inp);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dims", dims);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "output_dtype", LITZ_ARG_DTYPE, output_dtype);
    return litz_ops_one(graph, "prims.amax.default", litz_args, litz_n);
}

/* prims.amin.default(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor */
static inline litz_value litz_prims_amin(litz_graph *graph, litz_value inp, litz_ints dims, int32_t output_dtype) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "inp", inp);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dims", dims);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "output_dtype", LITZ_ARG_DTYPE, output_dtype);
    return litz_ops_one(graph, "prims.amin.default", litz_args, litz_n);
}

/* prims.broadcast_in_dim.default(Tensor a, SymInt[] shape, int[] broadcast_dimensions) -> Tensor */
static inline litz_value litz_prims_broadcast_in_dim(litz_graph *graph, litz_value a, litz_ints shape,
                                        litz_ints broadcast_dimensions) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "a", a);
    litz_n += litz_ops_ints(litz_args + litz_n, "shape", shape);
    litz_n += litz_ops_ints(litz_args + litz_n, "broadcast_dimensions", broadcast_dimensions);
    return litz_ops_one(graph, "prims.broadcast_in_dim.default", litz_args, litz_n);
}

/* prims.convert_element_type.default(Tensor a, ScalarType dtype) -> Tensor */
static inline litz_value litz_prims_convert_element_type(litz_graph *graph, litz_value a, int32_t dtype) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "a", a);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "prims.convert_element_type.default", litz_args, litz_n);
}

/* prims.div.default(Tensor self, Tensor other) -> Tensor */
static inline litz_value litz_prims_div(litz_graph *graph, litz_value self, litz_value other) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "self", self);
    litz_n += litz_ops_tensor(litz_args + litz_n, "other", other);
    return litz_ops_one(graph, "prims.div.default", litz_args, litz_n);
}

/* prims.iota.default(SymInt length, *, SymInt start, SymInt step, ScalarType dtype, Device device, bool requires_grad) -> Tensor */
static inline litz_value litz_prims_iota(litz_graph *graph, litz_scalar length, litz_scalar start, litz_scalar step,
                                        int32_t dtype, DLDevice device, int32_t requires_grad) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_scalar(litz_args + litz_n, "length", length);
    litz_n += litz_ops_scalar(litz_args + litz_n, "start", start);
    litz_n += litz_ops_scalar(litz_args + litz_n, "step", step);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_device(litz_args + litz_n, "device", device);
    litz_n += litz_ops_number(litz_args + litz_n, "requires_grad", LITZ_ARG_BOOL, requires_grad != 0);
    return litz_ops_one(graph, "prims.iota.default", litz_args, litz_n);
}

/* prims.prod.default(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor */
static inline litz_value litz_prims_prod(litz_graph *graph, litz_value inp, litz_ints dims, int32_t output_dtype) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "inp", inp);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dims", dims);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "output_dtype", LITZ_ARG_DTYPE, output_dtype);
    return litz_ops_one(graph, "prims.prod.default", litz_args, litz_n);
}

/* prims.sum.default(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor */
static inline litz_value litz_prims_sum(litz_graph *graph, litz_value inp, litz_ints dims, int32_t output_dtype) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "inp", inp);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dims", dims);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "output_dtype", LITZ_ARG_DTYPE, output_dtype);
    return litz_ops_one(graph, "prims.sum.default", litz_args, litz_n);
}

/* prims.var.default(Tensor inp, int[]? dims, float? correction=1, *, ScalarType? output_dtype=None) -> Tensor */
static inline litz_value litz_prims_var(litz_graph *graph, litz_value inp, litz_ints dims, litz_scalar correction,
                                        int32_t output_dtype) {
    litz_arg litz_args[4];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "inp", inp);
    litz_n += litz_ops_optional_ints(litz_args + litz_n, "dims", dims);
    litz_n += litz_ops_scalar(litz_args + litz_n, "correction", correction);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "output_dtype", LITZ_ARG_DTYPE, output_dtype);
    return litz_ops_one(graph, "prims.var.default", litz_args, litz_n);
}

/* quantized_decomposed.choose_qparams.tensor(Tensor input, int quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor) */
static inline litz_value litz_quantized_decomposed_choose_qparams_tensor(litz_graph *graph, litz_value input,
                                        int64_t quant_min, int64_t quant_max, double eps, int32_t dtype,
                                        litz_value outs[2]) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_min", LITZ_ARG_INT, quant_min);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_max", LITZ_ARG_INT, quant_max);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_ops_call(graph, "quantized_decomposed.choose_qparams.tensor", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* quantized_decomposed.choose_qparams_per_token.default(Tensor input, ScalarType dtype) -> (Tensor, Tensor) */
static inline litz_value litz_quantized_decomposed_choose_qparams_per_token(litz_graph *graph, litz_value input,
                                        int32_t dtype, litz_value outs[2]) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_ops_call(graph, "quantized_decomposed.choose_qparams_per_token.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* quantized_decomposed.choose_qparams_per_token_asymmetric.default(Tensor input, ScalarType dtype) -> (Tensor, Tensor) */
static inline litz_value litz_quantized_decomposed_choose_qparams_per_token_asymmetric(litz_graph *graph,
                                        litz_value input, int32_t dtype, litz_value outs[2]) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_ops_call(graph, "quantized_decomposed.choose_qparams_per_token_asymmetric.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* quantized_decomposed.choose_qparams_symmetric.tensor(Tensor input, int quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor) */
static inline litz_value litz_quantized_decomposed_choose_qparams_symmetric_tensor(litz_graph *graph,
                                        litz_value input, int64_t quant_min, int64_t quant_max, double eps,
                                        int32_t dtype, litz_value outs[2]) {
    litz_arg litz_args[5];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_min", LITZ_ARG_INT, quant_min);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_max", LITZ_ARG_INT, quant_max);
    litz_n += litz_ops_float(litz_args + litz_n, "eps", eps);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_ops_call(graph, "quantized_decomposed.choose_qparams_symmetric.tensor", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* quantized_decomposed.convert_element_type.no_fuse(Tensor input, ScalarType dtype) -> Tensor */
static inline litz_value litz_quantized_decomposed_convert_element_type_no_fuse(litz_graph *graph, litz_value input,
                                        int32_t dtype) {
    litz_arg litz_args[2];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "quantized_decomposed.convert_element_type.no_fuse", litz_args, litz_n);
}

/* quantized_decomposed.dequantize_per_channel.default(Tensor input, Tensor scales, Tensor? zero_points, int axis, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor */
static inline litz_value litz_quantized_decomposed_dequantize_per_channel(litz_graph *graph, litz_value input,
                                        litz_value scales, litz_value zero_points, int64_t axis, int64_t quant_min,
                                        int64_t quant_max, int32_t dtype, int32_t out_dtype) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "scales", scales);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "zero_points", zero_points);
    litz_n += litz_ops_number(litz_args + litz_n, "axis", LITZ_ARG_INT, axis);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_min", LITZ_ARG_INT, quant_min);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_max", LITZ_ARG_INT, quant_max);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "out_dtype", LITZ_ARG_DTYPE, out_dtype);
    return litz_ops_one(graph, "quantized_decomposed.dequantize_per_channel.default", litz_args, litz_n);
}

/* quantized_decomposed.dequantize_per_channel_group.default(Tensor input, Tensor scales, Tensor? zero_points, int quant_min, int quant_max, ScalarType dtype, int group_size, ScalarType output_dtype) -> Tensor */
static inline litz_value litz_quantized_decomposed_dequantize_per_channel_group(litz_graph *graph, litz_value input,
                                        litz_value scales, litz_value zero_points, int64_t quant_min,
                                        int64_t quant_max, int32_t dtype, int64_t group_size, int32_t output_dtype) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "scales", scales);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "zero_points", zero_points);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_min", LITZ_ARG_INT, quant_min);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_max", LITZ_ARG_INT, quant_max);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_number(litz_args + litz_n, "group_size", LITZ_ARG_INT, group_size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "output_dtype", LITZ_ARG_DTYPE, output_dtype);
    return litz_ops_one(graph, "quantized_decomposed.dequantize_per_channel_group.default", litz_args, litz_n);
}

/* quantized_decomposed.dequantize_per_tensor.default(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor */
static inline litz_value litz_quantized_decomposed_dequantize_per_tensor(litz_graph *graph, litz_value input,
                                        double scale, int64_t zero_point, int64_t quant_min, int64_t quant_max,
                                        int32_t dtype, int32_t out_dtype) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_float(litz_args + litz_n, "scale", scale);
    litz_n += litz_ops_number(litz_args + litz_n, "zero_point", LITZ_ARG_INT, zero_point);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_min", LITZ_ARG_INT, quant_min);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_max", LITZ_ARG_INT, quant_max);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "out_dtype", LITZ_ARG_DTYPE, out_dtype);
    return litz_ops_one(graph, "quantized_decomposed.dequantize_per_tensor.default", litz_args, litz_n);
}

/* quantized_decomposed.dequantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor */
static inline litz_value litz_quantized_decomposed_dequantize_per_tensor_tensor(litz_graph *graph, litz_value input,
                                        litz_value scale, litz_value zero_point, int64_t quant_min,
                                        int64_t quant_max, int32_t dtype, int32_t out_dtype) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "scale", scale);
    litz_n += litz_ops_tensor(litz_args + litz_n, "zero_point", zero_point);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_min", LITZ_ARG_INT, quant_min);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_max", LITZ_ARG_INT, quant_max);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "out_dtype", LITZ_ARG_DTYPE, out_dtype);
    return litz_ops_one(graph, "quantized_decomposed.dequantize_per_tensor.tensor", litz_args, litz_n);
}

/* quantized_decomposed.dequantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor */
static inline litz_value litz_quantized_decomposed_dequantize_per_tensor_tensor2(litz_graph *graph,
                                        litz_value input, litz_value scale, litz_value zero_point,
                                        litz_value quant_min, litz_value quant_max, int32_t dtype,
                                        int32_t out_dtype) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "scale", scale);
    litz_n += litz_ops_tensor(litz_args + litz_n, "zero_point", zero_point);
    litz_n += litz_ops_tensor(litz_args + litz_n, "quant_min", quant_min);
    litz_n += litz_ops_tensor(litz_args + litz_n, "quant_max", quant_max);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "out_dtype", LITZ_ARG_DTYPE, out_dtype);
    return litz_ops_one(graph, "quantized_decomposed.dequantize_per_tensor.tensor2", litz_args, litz_n);
}

/* quantized_decomposed.dequantize_per_token.default(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype, ScalarType output_dtype) -> Tensor */
static inline litz_value litz_quantized_decomposed_dequantize_per_token(litz_graph *graph, litz_value input,
                                        litz_value scales, litz_value zero_points, int64_t quant_min,
                                        int64_t quant_max, int32_t dtype, int32_t output_dtype) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "scales", scales);
    litz_n += litz_ops_tensor(litz_args + litz_n, "zero_points", zero_points);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_min", LITZ_ARG_INT, quant_min);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_max", LITZ_ARG_INT, quant_max);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "output_dtype", LITZ_ARG_DTYPE, output_dtype);
    return litz_ops_one(graph, "quantized_decomposed.dequantize_per_token.default", litz_args, litz_n);
}

/* quantized_decomposed.quantize_per_channel.default(Tensor input, Tensor scales, Tensor zero_points, int axis, int quant_min, int quant_max, ScalarType dtype) -> Tensor */
static inline litz_value litz_quantized_decomposed_quantize_per_channel(litz_graph *graph, litz_value input,
                                        litz_value scales, litz_value zero_points, int64_t axis, int64_t quant_min,
                                        int64_t quant_max, int32_t dtype) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "scales", scales);
    litz_n += litz_ops_tensor(litz_args + litz_n, "zero_points", zero_points);
    litz_n += litz_ops_number(litz_args + litz_n, "axis", LITZ_ARG_INT, axis);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_min", LITZ_ARG_INT, quant_min);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_max", LITZ_ARG_INT, quant_max);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "quantized_decomposed.quantize_per_channel.default", litz_args, litz_n);
}

/* quantized_decomposed.quantize_per_channel_group.default(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype, int group_size) -> Tensor */
static inline litz_value litz_quantized_decomposed_quantize_per_channel_group(litz_graph *graph, litz_value input,
                                        litz_value scales, litz_value zero_points, int64_t quant_min,
                                        int64_t quant_max, int32_t dtype, int64_t group_size) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "scales", scales);
    litz_n += litz_ops_tensor(litz_args + litz_n, "zero_points", zero_points);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_min", LITZ_ARG_INT, quant_min);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_max", LITZ_ARG_INT, quant_max);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    litz_n += litz_ops_number(litz_args + litz_n, "group_size", LITZ_ARG_INT, group_size);
    return litz_ops_one(graph, "quantized_decomposed.quantize_per_channel_group.default", litz_args, litz_n);
}

/* quantized_decomposed.quantize_per_tensor.default(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor */
static inline litz_value litz_quantized_decomposed_quantize_per_tensor(litz_graph *graph, litz_value input,
                                        double scale, int64_t zero_point, int64_t quant_min, int64_t quant_max,
                                        int32_t dtype) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_float(litz_args + litz_n, "scale", scale);
    litz_n += litz_ops_number(litz_args + litz_n, "zero_point", LITZ_ARG_INT, zero_point);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_min", LITZ_ARG_INT, quant_min);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_max", LITZ_ARG_INT, quant_max);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "quantized_decomposed.quantize_per_tensor.default", litz_args, litz_n);
}

/* quantized_decomposed.quantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor */
static inline litz_value litz_quantized_decomposed_quantize_per_tensor_tensor(litz_graph *graph, litz_value input,
                                        litz_value scale, litz_value zero_point, int64_t quant_min,
                                        int64_t quant_max, int32_t dtype) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "scale", scale);
    litz_n += litz_ops_tensor(litz_args + litz_n, "zero_point", zero_point);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_min", LITZ_ARG_INT, quant_min);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_max", LITZ_ARG_INT, quant_max);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "quantized_decomposed.quantize_per_tensor.tensor", litz_args, litz_n);
}

/* quantized_decomposed.quantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype) -> Tensor */
static inline litz_value litz_quantized_decomposed_quantize_per_tensor_tensor2(litz_graph *graph, litz_value input,
                                        litz_value scale, litz_value zero_point, litz_value quant_min,
                                        litz_value quant_max, int32_t dtype) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "scale", scale);
    litz_n += litz_ops_tensor(litz_args + litz_n, "zero_point", zero_point);
    litz_n += litz_ops_tensor(litz_args + litz_n, "quant_min", quant_min);
    litz_n += litz_ops_tensor(litz_args + litz_n, "quant_max", quant_max);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "quantized_decomposed.quantize_per_tensor.tensor2", litz_args, litz_n);
}

/* quantized_decomposed.quantize_per_token.default(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype) -> Tensor */
static inline litz_value litz_quantized_decomposed_quantize_per_token(litz_graph *graph, litz_value input,
                                        litz_value scales, litz_value zero_points, int64_t quant_min,
                                        int64_t quant_max, int32_t dtype) {
    litz_arg litz_args[6];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "scales", scales);
    litz_n += litz_ops_tensor(litz_args + litz_n, "zero_points", zero_points);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_min", LITZ_ARG_INT, quant_min);
    litz_n += litz_ops_number(litz_args + litz_n, "quant_max", LITZ_ARG_INT, quant_max);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "dtype", LITZ_ARG_DTYPE, dtype);
    return litz_ops_one(graph, "quantized_decomposed.quantize_per_token.default", litz_args, litz_n);
}

/* torchao.choose_qparams_affine.default(Tensor input, str mapping_type, SymInt[] block_size, ScalarType target_dtype, Scalar? quant_min=None, Scalar? quant_max=None, float? eps=None, ScalarType? scale_dtype=None, ScalarType? zero_point_dtype=None, bool keepdim=False) -> (Tensor, Tensor) */
static inline litz_value litz_torchao_choose_qparams_affine(litz_graph *graph, litz_value input,
                                        const char *mapping_type, litz_ints block_size, int32_t target_dtype,
                                        litz_scalar quant_min, litz_scalar quant_max, litz_scalar eps,
                                        int32_t scale_dtype, int32_t zero_point_dtype, int32_t keepdim,
                                        litz_value outs[2]) {
    litz_arg litz_args[10];
    size_t litz_n = 0;
    litz_value litz_outs[2];
    memset(litz_outs, 0, sizeof litz_outs);
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_string(litz_args + litz_n, "mapping_type", mapping_type);
    litz_n += litz_ops_ints(litz_args + litz_n, "block_size", block_size);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "target_dtype", LITZ_ARG_DTYPE, target_dtype);
    litz_n += litz_ops_scalar(litz_args + litz_n, "quant_min", quant_min);
    litz_n += litz_ops_scalar(litz_args + litz_n, "quant_max", quant_max);
    litz_n += litz_ops_scalar(litz_args + litz_n, "eps", eps);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "scale_dtype", LITZ_ARG_DTYPE, scale_dtype);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "zero_point_dtype", LITZ_ARG_DTYPE, zero_point_dtype);
    litz_n += litz_ops_number(litz_args + litz_n, "keepdim", LITZ_ARG_BOOL, keepdim != 0);
    litz_ops_call(graph, "torchao.choose_qparams_affine.default", litz_args, litz_n, litz_outs, 2);
    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);
    return litz_outs[0];
}

/* torchao.dequantize_affine.default(Tensor input, SymInt[] block_size, Tensor scale, Tensor? zero_point, ScalarType input_dtype, Scalar? quant_min=None, Scalar? quant_max=None, ScalarType? output_dtype=None) -> Tensor */
static inline litz_value litz_torchao_dequantize_affine(litz_graph *graph, litz_value input, litz_ints block_size,
                                        litz_value scale, litz_value zero_point, int32_t input_dtype,
                                        litz_scalar quant_min, litz_scalar quant_max, int32_t output_dtype) {
    litz_arg litz_args[8];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_ints(litz_args + litz_n, "block_size", block_size);
    litz_n += litz_ops_tensor(litz_args + litz_n, "scale", scale);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "zero_point", zero_point);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "input_dtype", LITZ_ARG_DTYPE, input_dtype);
    litz_n += litz_ops_scalar(litz_args + litz_n, "quant_min", quant_min);
    litz_n += litz_ops_scalar(litz_args + litz_n, "quant_max", quant_max);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "output_dtype", LITZ_ARG_DTYPE, output_dtype);
    return litz_ops_one(graph, "torchao.dequantize_affine.default", litz_args, litz_n);
}

/* torchao.quantize_affine.default(Tensor input, SymInt[] block_size, Tensor scale, Tensor? zero_point, ScalarType output_dtype, Scalar? quant_min=None, Scalar? quant_max=None) -> Tensor */
static inline litz_value litz_torchao_quantize_affine(litz_graph *graph, litz_value input, litz_ints block_size,
                                        litz_value scale, litz_value zero_point, int32_t output_dtype,
                                        litz_scalar quant_min, litz_scalar quant_max) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_ints(litz_args + litz_n, "block_size", block_size);
    litz_n += litz_ops_tensor(litz_args + litz_n, "scale", scale);
    litz_n += litz_ops_optional_tensor(litz_args + litz_n, "zero_point", zero_point);
    litz_n += litz_ops_optional_number(litz_args + litz_n, "output_dtype", LITZ_ARG_DTYPE, output_dtype);
    litz_n += litz_ops_scalar(litz_args + litz_n, "quant_min", quant_min);
    litz_n += litz_ops_scalar(litz_args + litz_n, "quant_max", quant_max);
    return litz_ops_one(graph, "torchao.quantize_affine.default", litz_args, litz_n);
}

/* torchvision.deform_conv2d.default(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor */
static inline litz_value litz_torchvision_deform_conv2d(litz_graph *graph, litz_value input, litz_value weight,
                                        litz_value offset, litz_value mask, litz_value bias, litz_scalar stride_h,
                                        litz_scalar stride_w, litz_scalar pad_h, litz_scalar pad_w,
                                        litz_scalar dilation_h, litz_scalar dilation_w, litz_scalar groups,
                                        litz_scalar offset_groups, int32_t use_mask) {
    litz_arg litz_args[14];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_tensor(litz_args + litz_n, "offset", offset);
    litz_n += litz_ops_tensor(litz_args + litz_n, "mask", mask);
    litz_n += litz_ops_tensor(litz_args + litz_n, "bias", bias);
    litz_n += litz_ops_scalar(litz_args + litz_n, "stride_h", stride_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "stride_w", stride_w);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pad_h", pad_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pad_w", pad_w);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dilation_h", dilation_h);
    litz_n += litz_ops_scalar(litz_args + litz_n, "dilation_w", dilation_w);
    litz_n += litz_ops_scalar(litz_args + litz_n, "groups", groups);
    litz_n += litz_ops_scalar(litz_args + litz_n, "offset_groups", offset_groups);
    litz_n += litz_ops_number(litz_args + litz_n, "use_mask", LITZ_ARG_BOOL, use_mask != 0);
    return litz_ops_one(graph, "torchvision.deform_conv2d.default", litz_args, litz_n);
}

/* torchvision.nms.default(Tensor dets, Tensor scores, float iou_threshold) -> Tensor */
static inline litz_value litz_torchvision_nms(litz_graph *graph, litz_value dets, litz_value scores,
                                        double iou_threshold) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "dets", dets);
    litz_n += litz_ops_tensor(litz_args + litz_n, "scores", scores);
    litz_n += litz_ops_float(litz_args + litz_n, "iou_threshold", iou_threshold);
    return litz_ops_one(graph, "torchvision.nms.default", litz_args, litz_n);
}

/* torchvision.roi_align.default(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor */
static inline litz_value litz_torchvision_roi_align(litz_graph *graph, litz_value input, litz_value rois,
                                        double spatial_scale, litz_scalar pooled_height, litz_scalar pooled_width,
                                        int64_t sampling_ratio, int32_t aligned) {
    litz_arg litz_args[7];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "rois", rois);
    litz_n += litz_ops_float(litz_args + litz_n, "spatial_scale", spatial_scale);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pooled_height", pooled_height);
    litz_n += litz_ops_scalar(litz_args + litz_n, "pooled_width", pooled_width);
    litz_n += litz_ops_number(litz_args + litz_n, "sampling_ratio", LITZ_ARG_INT, sampling_ratio);
    litz_n += litz_ops_number(litz_args + litz_n, "aligned", LITZ_ARG_BOOL, aligned != 0);
    return litz_ops_one(graph, "torchvision.roi_align.default", litz_args, litz_n);
}

/* transformers.grouped_mm_fallback.default(Tensor input, Tensor weight, Tensor offs) -> Tensor */
static inline litz_value litz_transformers_grouped_mm_fallback(litz_graph *graph, litz_value input,
                                        litz_value weight, litz_value offs) {
    litz_arg litz_args[3];
    size_t litz_n = 0;
    litz_n += litz_ops_tensor(litz_args + litz_n, "input", input);
    litz_n += litz_ops_tensor(litz_args + litz_n, "weight", weight);
    litz_n += litz_ops_tensor(litz_args + litz_n, "offs", offs);
    return litz_ops_one(graph, "transformers.grouped_mm_fallback.default", litz_args, litz_n);
}

#ifdef __cplusplus
}
#endif

#endif /* LITZ_OPS_H */
