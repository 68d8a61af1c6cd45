//! What is asked of every operator's operands, whatever its rule: a dtype that its kernels take ([`crate::ops::Takes`]),
//! and numbers that the dtype they are converted to can hold.
//!
//! A number that stands for an operand (`other` of `add`) is not converted so: it is a 0-d tensor, and wraps.
//!
//! Deliberately absent: numbers that data give, which wrap.

use super::{Infer, MetaError, ScalarArg, result_type};
use crate::base::Status;
use crate::ir::Arg;
use crate::ops::{ArgBase, Class, OpId, Takes};
use crate::types::{Dtype, Scalar, TensorMeta};

/// Scalars that are operands: they take part in promotion.
const OPERANDS: [&str; 7] = ["self", "other", "x", "n", "min", "max", "exponent"];
/// Scalars that a kernel converts to the dtype of its elements.
const STORED: [&str; 4] = ["value", "fill", "fill_value", "lambd"];
/// Scalars that a kernel converts to the dtype it computes in.
const COMPUTED: [&str; 10] =
    ["s", "alpha", "beta", "threshold", "negative_slope", "scale", "input_scale", "lower", "upper", "weight"];

pub(super) fn check(cx: &Infer<'_>, results: &[TensorMeta]) -> Result<(), MetaError> {
    dtype(cx, results)?;
    flags(cx)?;
    let Some(result) = results.first() else { return Ok(()) };
    for arg in cx.op.schema().args.iter().filter(|a| a.ty.base == ArgBase::Scalar && !a.ty.list) {
        let name = arg.name.as_str();
        // A float computed in float32 has room for what its own dtype has not.
        let converted = if STORED.contains(&name) && !(name == "value" && is_factor(cx)) {
            result.dtype
        } else if COMPUTED.contains(&name) || STORED.contains(&name) {
            result.dtype.compute()
        } else {
            continue;
        };
        if let Some(ScalarArg::Known(number)) = cx.scalar(name)
            && overflows(number, converted)
        {
            let message = format!("`{name}` is {}, which {converted} cannot hold", shown(number));
            return Err(cx.error(Status::InvalidArgument, message));
        }
    }
    Ok(())
}

/// A list of flags is as long as its schema says: one does not stand for several.
fn flags(cx: &Infer<'_>) -> Result<(), MetaError> {
    for (want, arg) in cx.op.schema().args.iter().zip(cx.args) {
        if let (Some(length), Arg::Bools(given)) = (want.ty.length, arg)
            && given.len() != length
        {
            let message = format!("`{}` has {} flags, not {length}", want.name, given.len());
            return Err(cx.error(Status::InvalidArgument, message));
        }
    }
    Ok(())
}

/// True where `value` scales a product: `addcmul` and `addcdiv`.
fn is_factor(cx: &Infer<'_>) -> bool {
    cx.op.schema().arg("tensor1").is_some()
}

/// The dtypes that are computed with must be ones that there is a kernel for.
fn dtype(cx: &Infer<'_>, results: &[TensorMeta]) -> Result<(), MetaError> {
    let takes = cx.op.row().takes;
    if takes != Takes::Any {
        common_dtype(cx, takes)?;
    }
    wide_unsigned(cx, results)
}

/// uint16, uint32 and uint64 are computed with where the row, or the graph, says so.
pub(super) fn wide_unsigned(cx: &Infer<'_>, results: &[TensorMeta]) -> Result<(), MetaError> {
    if cx.op.row().wide_unsigned || cx.graph.takes_wide_unsigned {
        return Ok(());
    }
    match computed_dtype(cx, results) {
        Some(dtype) if dtype.is_wide_unsigned() => {
            let message = format!("takes no {dtype}: there is no kernel for it, as in PyTorch");
            Err(cx.error(Status::Dtype, message))
        }
        _ => Ok(()),
    }
}

/// The operands' common dtype must be one that the row takes.
fn common_dtype(cx: &Infer<'_>, takes: Takes) -> Result<(), MetaError> {
    // Float8 numbers promote with nothing; few operators take them, whose rules look at the others.
    if cx.args.iter().flat_map(Arg::values).any(|v| cx.graph.meta(v).dtype.is_float8()) {
        return Ok(());
    }
    let common = promoted(cx).map_err(|m| cx.error(Status::Dtype, m))?;
    // Whether complex numbers are taken at all is asked before.
    if takes.has(if common.is_complex() { common.part() } else { common }) {
        return Ok(());
    }
    Err(cx.error(Status::Dtype, format!("takes {}, not {common}", takes.text())))
}

fn promoted(cx: &Infer<'_>) -> Result<Dtype, String> {
    let pointwise = cx.op.class() == Class::Pointwise;
    let schema = &cx.op.schema().args;
    let operands = schema.iter().zip(cx.args).filter(|(want, arg)| match arg {
        Arg::Value(_) => pointwise || !want.ty.optional,
        _ => OPERANDS.contains(&want.name.as_str()),
    });
    result_type(cx.graph, operands.map(|(_, arg)| arg))
}

/// The dtype that a kernel computes in; `None` where it computes in floats or copies. Only wide unsigned dtypes are told right.
fn computed_dtype(cx: &Infer<'_>, results: &[TensorMeta]) -> Option<Dtype> {
    let given = |name: &str| cx.op.schema().arg(name).map(|_| cx.arg(name));
    let of_result = || results.first().map(|r| r.dtype);
    let of_operands = || {
        let mut dtypes = cx.args.iter().flat_map(Arg::values).map(|v| cx.graph.meta(v).dtype);
        dtypes.find(|dtype| dtype.is_wide_unsigned())
    };
    match cx.op.class() {
        // Division without rounding is one of floats.
        Class::Pointwise if matches!(given("rounding_mode"), Some(Arg::None)) => None,
        // Numbers to the power of 0 are ones, and to that of 1 themselves.
        Class::Pointwise if cx.op == OpId::PowTensorScalar && is_zero_or_one(cx, "exponent") => None,
        Class::Pointwise => promoted(cx).ok(),
        Class::Composite if cx.args.iter().all(|a| !matches!(a, Arg::Values(_))) => {
            promoted(cx).ok().or_else(of_operands)
        }
        Class::Factory => of_result(),
        // Sums are in a dtype of their own.
        _ if given("dtype").is_some() => of_result(),
        _ => of_operands(),
    }
}

fn is_zero_or_one(cx: &Infer<'_>, name: &str) -> bool {
    matches!(cx.scalar(name), Some(ScalarArg::Known(v)) if matches!(v.as_f64(), 0.0 | 1.0))
}

/// True for a number that PyTorch does not convert: one outside the dtype's range. Negative numbers wrap to unsigned
/// dtypes as far as these reach, and every number becomes a bool.
pub(super) fn overflows(number: Scalar, dtype: Dtype) -> bool {
    match (number, dtype.integer_range()) {
        (Scalar::Bool(_), _) => false,
        (_, _) if dtype == Dtype::Bool => false,
        (Scalar::Int(v), Some((0, most))) => v > most || v < most.saturating_neg(),
        (Scalar::Int(v), Some((least, most))) => v < least || v > most,
        (Scalar::Float(v), Some((least, most))) => !(v >= least as f64 && v <= most as f64),
        (number, None) => {
            let (v, most) = (number.as_f64(), dtype.largest_float());
            v.is_finite() && v.abs() > most
        }
    }
}

fn shown(number: Scalar) -> String {
    match number {
        Scalar::Int(v) => v.to_string(),
        Scalar::Float(v) => v.to_string(),
        Scalar::Bool(v) => v.to_string(),
    }
}
