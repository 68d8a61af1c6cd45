//! Arithmetic, comparisons and questions on complex numbers.

use super::context::{Held, Pair, Split};
use super::{DecomposeError, Results};
use crate::ir::{Arg, Value};

/// A factor such as `alpha`; none: it is one.
fn factor(cx: &mut Split<'_, '_>, name: &str) -> Result<Option<(Value, Option<Value>)>, DecomposeError> {
    if !cx.has(name) {
        return Ok(None);
    }
    let one = match cx.given(name) {
        Arg::Int(v) => cx.syms().as_const(*v) == Some(1),
        Arg::Float(v) => *v == 1.0,
        _ => false,
    };
    if one { Ok(None) } else { cx.operand(name).map(Some) }
}

/// Products in which a real operand has no imaginary part to multiply by.
fn multiplied(
    cx: &mut Split<'_, '_>,
    a: (Value, Option<Value>),
    b: (Value, Option<Value>),
) -> Result<(Value, Option<Value>), DecomposeError> {
    Ok(match (a, b) {
        ((re, Some(im)), (other, None)) | ((other, None), (re, Some(im))) => {
            let pair = cx.scaled(Pair { re, im }, other)?;
            (pair.re, Some(pair.im))
        }
        ((x, None), (y, None)) => (cx.mul(x, y)?, None),
        ((re, Some(im)), (other, Some(others))) => {
            let pair = cx.times(Pair { re, im }, Pair { re: other, im: others })?;
            (pair.re, Some(pair.im))
        }
    })
}

fn both(cx: &mut Split<'_, '_>, (re, im): (Value, Option<Value>)) -> Result<Pair, DecomposeError> {
    let im = match im {
        Some(im) => im,
        None => cx.zeros_like(re)?,
    };
    Ok(Pair { re, im })
}

fn product_of(cx: &mut Split<'_, '_>, names: [&str; 2]) -> Result<Pair, DecomposeError> {
    let (a, b) = (cx.operand(names[0])?, cx.operand(names[1])?);
    let product = multiplied(cx, a, b)?;
    both(cx, product)
}

fn other_scaled(cx: &mut Split<'_, '_>, name: &str) -> Result<Pair, DecomposeError> {
    let own = cx.operand(name)?;
    let scaled = match factor(cx, "alpha")? {
        Some(alpha) => multiplied(cx, own, alpha)?,
        None => own,
    };
    both(cx, scaled)
}

pub fn add(cx: &mut Split<'_, '_>) -> Results {
    let (a, b) = (cx.pair("self")?, other_scaled(cx, "other")?);
    Ok(vec![cx.plus(a, b)?.into()])
}

pub fn sub(cx: &mut Split<'_, '_>) -> Results {
    let (a, b) = (cx.pair("self")?, other_scaled(cx, "other")?);
    Ok(vec![cx.minus(a, b)?.into()])
}

pub fn rsub(cx: &mut Split<'_, '_>) -> Results {
    let (a, b) = (other_scaled(cx, "self")?, cx.pair("other")?);
    Ok(vec![cx.minus(b, a)?.into()])
}

pub fn mul(cx: &mut Split<'_, '_>) -> Results {
    Ok(vec![product_of(cx, ["self", "other"])?.into()])
}

fn divided(
    cx: &mut Split<'_, '_>,
    a: (Value, Option<Value>),
    b: (Value, Option<Value>),
) -> Result<Pair, DecomposeError> {
    let a = both(cx, a)?;
    match b {
        (by, None) => Ok(Pair { re: cx.div(a.re, by)?, im: cx.div(a.im, by)? }),
        (re, Some(im)) => cx.quotient(a, Pair { re, im }),
    }
}

pub fn div(cx: &mut Split<'_, '_>) -> Results {
    if cx.has("rounding_mode") && cx.string("rounding_mode").is_some() {
        return Err(cx.unsupported("complex numbers are not rounded"));
    }
    let (a, b) = (cx.operand("self")?, cx.operand("other")?);
    Ok(vec![divided(cx, a, b)?.into()])
}

fn added(cx: &mut Split<'_, '_>, term: (Value, Option<Value>)) -> Results {
    let term = match factor(cx, "value")? {
        Some(value) => multiplied(cx, term, value)?,
        None => term,
    };
    let (own, term) = (cx.pair("self")?, both(cx, term)?);
    Ok(vec![cx.plus(own, term)?.into()])
}

pub fn addcmul(cx: &mut Split<'_, '_>) -> Results {
    let (a, b) = (cx.operand("tensor1")?, cx.operand("tensor2")?);
    let product = multiplied(cx, a, b)?;
    added(cx, product)
}

pub fn addcdiv(cx: &mut Split<'_, '_>) -> Results {
    let (a, b) = (cx.operand("tensor1")?, cx.operand("tensor2")?);
    let quotient = divided(cx, a, b)?;
    added(cx, (quotient.re, Some(quotient.im)))
}

/// From the nearer end, as PyTorch: `self + weight * (end - self)` or `end - (1 - weight) * (end - self)`.
pub fn lerp(cx: &mut Split<'_, '_>) -> Results {
    let (a, b, weight) = (cx.pair("self")?, cx.pair("end")?, cx.pair("weight")?);
    let way = cx.minus(b, a)?;
    let one = cx.number(1.0)?;
    let rest = Pair { re: cx.sub(one, weight.re)?, im: cx.unary("neg", weight.im)? };
    let (gone, left) = (cx.times(weight, way)?, cx.times(rest, way)?);
    let (near, far) = (cx.plus(a, gone)?, cx.minus(b, left)?);
    let size = cx.magnitude(weight)?;
    let first = cx.compare("lt", size, 0.5)?;
    Ok(vec![cx.chosen(first, near, far)?.into()])
}

fn compared(cx: &mut Split<'_, '_>, which: &str, joined: &str) -> Results {
    let (a, b) = (cx.pair("self")?, cx.pair("other")?);
    let (re, im) = (cx.compare(which, a.re, b.re)?, cx.compare(which, a.im, b.im)?);
    Ok(vec![Held::Whole(cx.two(joined, re, im)?)])
}

pub fn eq(cx: &mut Split<'_, '_>) -> Results {
    compared(cx, "eq", "logical_and")
}

pub fn ne(cx: &mut Split<'_, '_>) -> Results {
    compared(cx, "ne", "logical_or")
}

/// `|self - other| <= atol + rtol * |other|` of finite numbers; others must be equal.
pub fn isclose(cx: &mut Split<'_, '_>) -> Results {
    let (a, b) = (cx.pair("self")?, cx.pair("other")?);
    let (rtol, atol) = (cx.float("rtol").unwrap_or(1e-5), cx.float("atol").unwrap_or(1e-8));
    let (re, im) = (cx.compare("eq", a.re, b.re)?, cx.compare("eq", a.im, b.im)?);
    let mut close = cx.two("logical_and", re, im)?;
    if cx.bool("equal_nan") {
        let (x, y) = (nan(cx, a)?, nan(cx, b)?);
        let both = cx.two("logical_and", x, y)?;
        close = cx.two("logical_or", close, both)?;
    }
    if rtol == 0.0 && atol == 0.0 {
        return Ok(vec![Held::Whole(close)]);
    }
    let gap = cx.minus(a, b)?;
    let (gap, size) = (cx.two("hypot", gap.re, gap.im)?, cx.two("hypot", b.re, b.im)?);
    let room = cx.mul(size, rtol)?;
    let room = cx.add(room, atol)?;
    let within = cx.compare("le", gap, room)?;
    let finite = cx.unary("isfinite", gap)?;
    let within = cx.two("logical_and", within, finite)?;
    Ok(vec![Held::Whole(cx.two("logical_or", close, within)?)])
}

fn nan(cx: &mut Split<'_, '_>, a: Pair) -> Result<Value, DecomposeError> {
    let (re, im) = (cx.unary("isnan", a.re)?, cx.unary("isnan", a.im)?);
    cx.two("logical_or", re, im)
}

fn asked(cx: &mut Split<'_, '_>, question: &str, joined: &str) -> Results {
    let a = cx.pair("self")?;
    let (re, im) = (cx.unary(question, a.re)?, cx.unary(question, a.im)?);
    Ok(vec![Held::Whole(cx.two(joined, re, im)?)])
}

pub fn isnan(cx: &mut Split<'_, '_>) -> Results {
    asked(cx, "isnan", "logical_or")
}

pub fn isinf(cx: &mut Split<'_, '_>) -> Results {
    asked(cx, "isinf", "logical_or")
}

pub fn isfinite(cx: &mut Split<'_, '_>) -> Results {
    asked(cx, "isfinite", "logical_and")
}

pub fn isreal(cx: &mut Split<'_, '_>) -> Results {
    let a = cx.pair("self")?;
    Ok(vec![Held::Whole(cx.compare("eq", a.im, 0.0)?)])
}

/// Whether a number is other than zero.
pub fn truth(cx: &mut Split<'_, '_>, name: &str) -> Result<Value, DecomposeError> {
    let a = cx.pair(name)?;
    let (re, im) = (cx.compare("ne", a.re, 0.0)?, cx.compare("ne", a.im, 0.0)?);
    cx.two("logical_or", re, im)
}

pub fn logical_not(cx: &mut Split<'_, '_>) -> Results {
    let truth = truth(cx, "self")?;
    Ok(vec![Held::Whole(cx.unary("logical_not", truth)?)])
}

pub fn logical(cx: &mut Split<'_, '_>) -> Results {
    let (a, b) = (truth(cx, "self")?, truth(cx, "other")?);
    let name = cx.op.name();
    Ok(vec![Held::Whole(cx.call(name, vec![Arg::Value(a), Arg::Value(b)])?)])
}

pub fn nan_to_num(cx: &mut Split<'_, '_>) -> Results {
    let a = cx.pair("self")?;
    let mut part = |value: Value| {
        let args = [vec![Arg::Value(value)], cx.args[1..].to_vec()].concat();
        cx.call("aten.nan_to_num.default", args)
    };
    Ok(vec![Pair { re: part(a.re)?, im: part(a.im)? }.into()])
}
