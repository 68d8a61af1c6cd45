//! `include/litz/litz_ops.h`: one inline C function per operator.

use super::operators::{Kind, Operator, Parameter, Results};
use std::fmt::Write;

const HEAD: &str = r#"/*
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

"#;

const TAIL: &str = r#"#ifdef __cplusplus
}
#endif

#endif /* LITZ_OPS_H */
"#;

pub fn header(operators: &[Operator]) -> String {
    let mut text = String::from(HEAD);
    for op in operators {
        text.push_str(&function(op));
    }
    text.push_str(TAIL);
    text
}

/// `litz_aten_add_Tensor`
pub fn name(op: &Operator) -> String {
    format!("litz_{}_{}", op.namespace(), op.joined())
}

/// Whether a single number is given as a `litz_scalar`, which can say that it is left out.
fn is_scalar(p: &Parameter) -> bool {
    match p.kind {
        Kind::SymInt | Kind::Scalar => true,
        Kind::Int | Kind::Float | Kind::Bool => p.optional,
        _ => false,
    }
}

/// Type and name of what stands for a parameter in a C function's list.
pub fn declarations(p: &Parameter) -> Vec<(&'static str, String)> {
    let id = p.identifier();
    let counted = |ty: &'static str| vec![(ty, id.clone()), ("size_t", format!("n_{}", p.name))];
    match p.kind {
        _ if is_scalar(p) => vec![("litz_scalar", id)],
        Kind::Tensor => vec![("litz_value", id)],
        Kind::Tensors => counted("const litz_value *"),
        Kind::Int => vec![("int64_t", id)],
        Kind::Ints => vec![("litz_ints", id)],
        Kind::Float => vec![("double", id)],
        Kind::Floats => counted("const double *"),
        Kind::Bools => counted("const int64_t *"),
        Kind::Bool | Kind::Dtype | Kind::Layout | Kind::MemoryFormat => vec![("int32_t", id)],
        Kind::Str => vec![("const char *", id)],
        Kind::Device => vec![("DLDevice", id)],
        Kind::SymInt | Kind::Scalar => unreachable!("those are scalars"),
    }
}

/// The helper that fills the argument, and what it is given behind the name.
fn filling(p: &Parameter) -> (&'static str, String) {
    let id = p.identifier();
    let counted = format!("{id}, n_{}", p.name);
    let either = |required, optional| if p.omittable() { optional } else { required };
    match p.kind {
        _ if is_scalar(p) => ("scalar", id),
        Kind::Tensor => (either("tensor", "optional_tensor"), id),
        Kind::Tensors => (either("tensors", "optional_tensors"), counted),
        Kind::Int => ("number", format!("LITZ_ARG_INT, {id}")),
        Kind::Ints => (either("ints", "optional_ints"), id),
        Kind::Float => ("float", id),
        Kind::Floats => (either("floats", "optional_floats"), counted),
        Kind::Bool => ("number", format!("LITZ_ARG_BOOL, {id} != 0")),
        Kind::Bools => (either("bools", "optional_bools"), counted),
        Kind::Str => ("string", id),
        Kind::Dtype => ("optional_number", format!("LITZ_ARG_DTYPE, {id}")),
        Kind::Layout => ("optional_number", format!("LITZ_ARG_LAYOUT, {id}")),
        Kind::MemoryFormat => ("optional_number", format!("LITZ_ARG_MEMORY_FORMAT, {id}")),
        Kind::Device => ("device", id),
        Kind::SymInt | Kind::Scalar => unreachable!("those are scalars"),
    }
}

fn function(op: &Operator) -> String {
    let mut list = vec!["litz_graph *graph".to_string()];
    for (ty, id) in op.parameters.iter().flat_map(declarations) {
        list.push(if ty.ends_with('*') { format!("{ty}{id}") } else { format!("{ty} {id}") });
    }
    match op.results {
        Results::Fixed(n) => list.push(format!("litz_value outs[{n}]")),
        Results::List => {
            list.extend(["litz_value *outs", "size_t outs_capacity", "size_t *n_outs"].map(String::from));
        }
        Results::None | Results::One => {}
    }
    let result = if op.results == Results::None { "litz_status" } else { "litz_value" };
    let head = format!("static inline {result} {}(", name(op));
    let mut text = format!("/* {}{} */\n", op.name, op.schema);
    text.push_str(&wrapped(&head, &list, ") {\n"));
    let n = op.parameters.len();
    let (args, count) = if n == 0 { ("NULL", "0") } else { ("litz_args", "litz_n") };
    if n > 0 {
        let _ = writeln!(text, "    litz_arg litz_args[{n}];\n    size_t litz_n = 0;");
    }
    if let Results::Fixed(n) = op.results {
        let _ = writeln!(text, "    litz_value litz_outs[{n}];\n    memset(litz_outs, 0, sizeof litz_outs);");
    }
    for p in &op.parameters {
        let (helper, given) = filling(p);
        let _ =
            writeln!(text, "    litz_n += litz_ops_{helper}(litz_args + litz_n, \"{}\", {given});", p.name);
    }
    let call = format!("graph, \"{}\", {args}, {count}", op.name);
    let _ = match op.results {
        Results::None => writeln!(text, "    return litz_ops_none({call});"),
        Results::One => writeln!(text, "    return litz_ops_one({call});"),
        Results::List => {
            writeln!(text, "    return litz_ops_list({call}, outs, outs_capacity, n_outs);")
        }
        Results::Fixed(n) => writeln!(
            text,
            "    litz_ops_call({call}, litz_outs, {n});\n    if (outs) memcpy(outs, litz_outs, sizeof litz_outs);\n    \
             return litz_outs[0];"
        ),
    };
    text.push_str("}\n\n");
    text
}

/// A list behind a head, broken into lines of at most 120 characters.
pub fn wrapped(head: &str, list: &[String], tail: &str) -> String {
    let indent = " ".repeat(head.len().min(40));
    let mut text = head.to_string();
    let mut column = head.len();
    for (k, item) in list.iter().enumerate() {
        let comma = if k + 1 == list.len() { "" } else { "," };
        if k > 0 && column + item.len() + 2 > 116 {
            text.push_str(&format!("\n{indent}"));
            column = indent.len();
        } else if k > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(&format!("{item}{comma}"));
        column += item.len() + comma.len();
    }
    text.push_str(tail);
    text
}
