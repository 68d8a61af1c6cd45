//! Products of matrices.

use super::super::call::{Cx, Results};
use crate::ir::{Arg, Value};

pub fn einsum(cx: &mut Cx<'_, '_>) -> Results {
    let equation = cx.string("equation", "")?;
    let values = cx.values()?.into_iter().map(Some).collect();
    let value = cx.call("einsum($0, $1)", &[Arg::Str(equation), Arg::Values(values)])?;
    cx.one(value)
}

/// `alpha * a @ b + beta * c`
pub fn gemm(cx: &mut Cx<'_, '_>) -> Results {
    let (mut a, mut b) = (cx.value(0)?, cx.value(1)?);
    let (alpha, beta) = (cx.float("alpha", 1.0), cx.float("beta", 1.0));
    let c = cx.optional(2)?;
    if cx.flag("transA") {
        a = cx.of("t($0)", &[a])?;
    }
    let dtype = cx.dtype(a);
    let plain = alpha == 1.0 && (beta == 1.0 || c.is_none());
    if plain && cx.flag("transB") && dtype.is_float() {
        let is_vector = match c {
            None => true,
            Some(c) => cx.rank(c) == 1 && cx.syms.known_eq(cx.size(c, 0)?, cx.size(b, 0)?),
        };
        if is_vector {
            let bias = c.map_or(Arg::None, Arg::Value);
            let value = cx.call("linear($0, $1, $2)", &[Arg::Value(a), Arg::Value(b), bias])?;
            return cx.one(value);
        }
    }
    if cx.flag("transB") {
        b = cx.of("t($0)", &[b])?;
    }
    let value = match c {
        Some(c) if dtype.is_float() => {
            let args = [Arg::Value(c), Arg::Value(a), Arg::Value(b), Arg::Float(beta), Arg::Float(alpha)];
            cx.call("addmm($0, $1, $2, beta=$3, alpha=$4)", &args)?
        }
        c => {
            let scaled = |cx: &mut Cx<'_, '_>, x: Value, factor: f64| match factor == 1.0 {
                true => Ok(x),
                false => cx.call("mul($0, $1)", &[Arg::Value(x), Arg::Float(factor)]),
            };
            let product = cx.of("mm($0, $1)", &[a, b])?;
            let mut value = scaled(cx, product, alpha)?;
            if let Some(c) = c {
                let c = scaled(cx, c, beta)?;
                value = cx.of("add($0, $1)", &[value, c])?;
            }
            cx.cast(value, dtype)?
        }
    };
    cx.one(value)
}
