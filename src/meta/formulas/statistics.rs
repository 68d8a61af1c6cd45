//! Formulas of statistics.

use super::super::formula::Scope;
use super::{Built, Cx, Results, v};
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::types::Dtype;

/// `(x - mean) (w (x - mean))ᴴ / (Σw - correction Σ(w a) / Σw)` of rows of observations, with weights `w = frequencies × a`.
pub fn cov(cx: &mut Cx<'_, '_>) -> Results {
    let own = cx.value(0)?;
    Ok(vec![covariance(cx, own, cx.optional(2), cx.optional(3), cx.known(1)?)?])
}

fn covariance(
    cx: &mut Cx<'_, '_>,
    own: Value,
    frequencies: Option<Value>,
    reliabilities: Option<Value>,
    correction: i64,
) -> Built {
    if cx.rank(own) > 2 {
        return Err(
            cx.error(Status::Shape, format!("a tensor of {} dimensions, more than two", cx.rank(own)))
        );
    }
    if cx.dtype(own) == Dtype::Bool {
        return Err(cx.error(Status::Dtype, "bools have no covariance"));
    }
    let own = if cx.rank(own) < 2 { cx.of("view($0, [1, -1])", &[own])? } else { own };
    let observations = cx.shape(own)[1];
    for (weights, floats) in [(frequencies, false), (reliabilities, true)] {
        let Some(weights) = weights else { continue };
        if cx.rank(weights) > 1 || cx.dtype(weights).is_float() != floats {
            let kind = if floats { "`aweights` must be floats" } else { "`fweights` must be integers" };
            return Err(cx.wrong(format!("{kind} of at most one dimension")));
        }
        let count = cx.syms().product(&cx.shape(weights));
        if cx.syms().decide(cx.syms().eq(count, observations)) == Some(false) {
            let name = if floats { "aweights" } else { "fweights" };
            return Err(
                cx.error(Status::Shape, format!("`{name}` must have one element for each observation"))
            );
        }
    }
    let [frequencies, reliabilities] = [frequencies, reliabilities].map(|weights| {
        let Some(weights) = weights else { return Ok(None) };
        let condition = cx.of("ge.Scalar($0, 0)", &[weights])?;
        let args = [v(weights), v(condition), Arg::Str(format!("{}: a weight is negative", cx.name))];
        cx.call("litz.checked.default($0, $1, $2)", &args).map(Some)
    });
    let (frequencies, reliabilities) = (frequencies?, reliabilities?);
    let weights = match (frequencies, reliabilities) {
        (Some(a), Some(b)) => Some(cx.of("mul($0, $1)", &[a, b])?),
        (a, b) => a.or(b),
    };
    let (total, weighted) = match weights {
        Some(weights) => (cx.of("sum($0)", &[weights])?, cx.of("mul($0, $1)", &[own, weights])?),
        None => {
            let args = [Arg::Int(observations), Arg::Dtype(Dtype::Int64)];
            (cx.call("scalar_tensor($0, dtype=$1)", &args)?, own)
        }
    };
    let mean = cx.of("div(sum.dim_IntList($0, [1]), $1)", &[weighted, total])?;
    let correct = cx.int(correction);
    let norm = match (weights, reliabilities) {
        (Some(weights), Some(own)) if correction != 0 => {
            let args = [v(weights), v(own), v(total), correct];
            cx.call("sub($2, div(mul.Scalar(sum(mul($0, $1)), $3), $2))", &args)?
        }
        _ => cx.call("sub.Scalar($0, $1)", &[v(total), correct])?,
    };
    let norm = cx.of("clamp_min($0, 0)", &[norm])?;
    let centred = cx.of("sub($0, unsqueeze($1, 1))", &[own, mean])?;
    let weighted = match weights {
        Some(weights) => cx.of("mul($0, $1)", &[centred, weights])?,
        None => centred,
    };
    cx.of("squeeze(div(mm($0, conj(t($1))), $2))", &[centred, weighted, norm])
}

/// The covariance divided by both deviations.
pub fn corrcoef(cx: &mut Cx<'_, '_>) -> Results {
    let own = cx.value(0)?;
    let covariance = covariance(cx, own, None, None, 1)?;
    if cx.rank(covariance) == 0 {
        return Ok(vec![cx.of("div($0, $0)", &[covariance])?]);
    }
    let variances = cx.of("diag($0)", &[covariance])?;
    let is_complex = cx.dtype(covariance).is_complex();
    let variances = if is_complex { cx.of("real($0)", &[variances])? } else { variances };
    let deviations = cx.of("sqrt($0)", &[variances])?;
    let scaled = cx.of("div(div($0, view($1, [-1, 1])), view($1, [1, -1]))", &[covariance, deviations])?;
    Ok(vec![match is_complex {
        true => cx.of("complex(clamp(real($0), -1, 1), clamp(imag($0), -1, 1))", &[scaled])?,
        false => cx.of("clamp($0, -1, 1)", &[scaled])?,
    }])
}

/// Powers of the elements of a vector side by side, the highest first.
pub fn vander(cx: &mut Cx<'_, '_>) -> Results {
    let own = cx.value(0)?;
    if cx.rank(own) != 1 {
        return Err(cx.error(Status::Shape, format!("a tensor of {} dimensions, not one", cx.rank(own))));
    }
    let rows = cx.shape(own)[0];
    let columns = cx.args[1].int().unwrap_or(rows);
    if cx.syms().range(columns).max < 0 {
        return Err(cx.wrong("`N` is negative".into()));
    }
    let narrow = !cx.dtype(own).is_float() && !cx.dtype(own).is_complex();
    let own = if narrow { cx.cast(own, Dtype::Int64)? } else { own };
    // One column more than is wanted, so that no size is negative where none is wanted.
    let args = [v(own), Arg::Ints(vec![rows, columns])];
    let factors = cx.call("expand(unsqueeze($0, 1), $1)", &args)?;
    let one = cx.of("ones_like(unsqueeze($0, 1))", &[own])?;
    let args = [v(one), v(factors), Arg::Int(columns)];
    let powers = cx.call("narrow(cat([$0, cumprod($1, 1)], 1), 1, 0, $2)", &args)?;
    Ok(vec![if cx.flag(2) { powers } else { cx.of("flip($0, [1])", &[powers])? }])
}
