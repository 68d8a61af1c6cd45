//! Bounds: `clamp` and its kin.

use super::pointwise::{Out, elementwise, unary, unary_of_float};
use crate::base::Status;
use crate::ir::Arg;
use crate::meta::numbers::overflows;
use crate::meta::{Infer, MetaError, ScalarArg};
use crate::types::{Dtype, Scalar, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// Between bounds, of which one may be missing.
pub fn clamp(cx: &mut Infer<'_>) -> Metas {
    let given: Vec<&str> = ["min", "max"]
        .into_iter()
        .filter(|name| cx.op.schema().arg(name).is_some() && *cx.arg(name) != Arg::None)
        .collect();
    if given.is_empty() {
        return Err(cx.error(Status::InvalidArgument, "one of `min` and `max` must be given"));
    }
    let names: Vec<&str> = std::iter::once("self").chain(given.iter().copied()).collect();
    let meta = elementwise(cx, &names, Out::Common)?;
    if meta.dtype == Dtype::Bool && given.len() == 2 {
        return Err(cx.error(Status::Dtype, "bools have no two bounds"));
    }
    for name in given {
        within_reach(cx, name, name == "min", meta.dtype)?;
    }
    Ok(vec![meta])
}

/// `hardtanh`: of `self`'s dtype.
pub fn hardtanh(cx: &mut Infer<'_>) -> Metas {
    let dtype = cx.meta("self")?.dtype;
    within_reach(cx, "min_val", true, dtype)?;
    within_reach(cx, "max_val", false, dtype)?;
    unary(cx)
}

/// Refuses a number that no number of the dtype comes up to, as a lower (or upper) bound. One on the other side of the
/// range bounds nothing.
fn within_reach(cx: &mut Infer<'_>, name: &str, lower: bool, dtype: Dtype) -> Result<(), MetaError> {
    let wrong = |number: String| format!("`{name}` is {number}, which is outside the range of {dtype}");
    let Some(number) = cx.scalar(name) else { return Ok(()) };
    let (known, text) = match (number, dtype.integer_range()) {
        (ScalarArg::Known(Scalar::Int(v)), Some((least, most))) => {
            (if lower { v <= most } else { v >= least }, v.to_string())
        }
        (ScalarArg::Known(number), Some((least, most))) => {
            let v = number.as_f64();
            (if lower { v <= most as f64 } else { v >= least as f64 }, v.to_string())
        }
        (ScalarArg::Known(number), None) => (!overflows(number, dtype), number.as_f64().to_string()),
        (ScalarArg::Symbolic(v), Some((least, most))) => {
            let syms = cx.syms();
            let within =
                if lower { syms.le(v, syms.constant(most)) } else { syms.le(syms.constant(least), v) };
            return cx.require(within, wrong(syms.display(v)));
        }
        _ => return Ok(()),
    };
    if known {
        return Ok(());
    }
    Err(cx.error(Status::InvalidArgument, wrong(text)))
}

/// `softshrink`: of floats, towards zero by a distance.
pub fn softshrink(cx: &mut Infer<'_>) -> Metas {
    if matches!(cx.scalar("lambd"), Some(ScalarArg::Known(lambda)) if lambda.as_f64() < 0.0) {
        return Err(cx.error(Status::InvalidArgument, "`lambd` must not be negative"));
    }
    unary_of_float(cx)
}

/// `rrelu`: of floats, with slopes from an interval.
pub fn rrelu(cx: &mut Infer<'_>) -> Metas {
    if let (Some(ScalarArg::Known(lower)), Some(ScalarArg::Known(upper))) =
        (cx.scalar("lower"), cx.scalar("upper"))
        && lower.as_f64() > upper.as_f64()
    {
        return Err(cx.error(Status::InvalidArgument, "`lower` must not be above `upper`"));
    }
    unary_of_float(cx)
}

/// `celu`: of floats, divided by `alpha`.
pub fn celu(cx: &mut Infer<'_>) -> Metas {
    if matches!(cx.scalar("alpha"), Some(ScalarArg::Known(alpha)) if alpha.as_f64() == 0.0) {
        return Err(cx.error(Status::InvalidArgument, "`alpha` must not be 0"));
    }
    unary_of_float(cx)
}
