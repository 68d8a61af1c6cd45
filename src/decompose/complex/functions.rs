//! Elementary functions of complex numbers, by real ones. Formulas are those that keep their digits and their sides of the branch cuts:
//! W. Kahan, "Branch cuts for complex elementary functions", 1987.

use super::Results;
use super::context::{Built, BuiltPair, Held, Pair, Split};
use crate::ir::Arg;

macro_rules! of_one {
    ($($(#[$doc:meta])* $name:ident = $function:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(cx: &mut Split<'_, '_>) -> Results {
            let pair = cx.pair("self")?;
            Ok(vec![$function(cx, pair)?.into()])
        }
    )*};
}

of_one! {
    square = squared;
    reciprocal = inverted;
    exp = exponential;
    expm1 = exponential_less_one;
    log = logarithm;
    log1p = logarithm_of_more;
    sin = sine;
    cos = cosine;
    tan = tangent;
    sinh = hyperbolic_sine;
    cosh = hyperbolic_cosine;
    tanh = hyperbolic_tangent;
    asin = arcsine;
    acos = arccosine;
    atan = arctangent;
    asinh = hyperbolic_arcsine;
    acosh = hyperbolic_arccosine;
    atanh = hyperbolic_arctangent;
    sqrt = root;
    rsqrt = inverted_root;
    sigmoid = logistic;
    silu = weighted_logistic;
    sinc = cardinal_sine;
    sgn = direction;
}

pub fn abs(cx: &mut Split<'_, '_>) -> Results {
    let pair = cx.pair("self")?;
    Ok(vec![Held::Whole(cx.magnitude(pair)?)])
}

pub fn angle(cx: &mut Split<'_, '_>) -> Results {
    let pair = cx.pair("self")?;
    Ok(vec![Held::Whole(argument(cx, pair)?)])
}

/// The angle, whose gradient at zero is zero.
pub(super) fn argument(cx: &mut Split<'_, '_>, z: Pair) -> Built {
    let (zero, sign) = (cx.is_zero(z)?, cx.sign_of(z.re)?);
    // The imaginary part keeps the sign of its zero, which decides the angle of a negative real zero.
    let flat = cx.unary("detach", z.im)?;
    let (re, im) = (cx.select(zero, sign, z.re)?, cx.select(zero, flat, z.im)?);
    cx.two("atan2", im, re)
}

/// `z / |z|`, zero for zero, where the gradient is zero, too.
fn direction(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let (zero, size, one) = (cx.is_zero(z)?, cx.magnitude(z)?, cx.number(1.0)?);
    let size = cx.select(zero, one, size)?;
    let unit = Pair { re: cx.div(z.re, size)?, im: cx.div(z.im, size)? };
    let none = cx.number(0.0)?;
    let none = Pair { re: none, im: none };
    cx.chosen(zero, none, unit)
}

fn squared(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    cx.times(z, z)
}

fn unit(cx: &mut Split<'_, '_>) -> BuiltPair {
    Ok(Pair { re: cx.number(1.0)?, im: cx.number(0.0)? })
}

fn inverted(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let one = unit(cx)?;
    cx.quotient(one, z)
}

/// `size * (cos angle + i sin angle)`
pub(super) fn turned_by(
    cx: &mut Split<'_, '_>,
    size: crate::ir::Value,
    angle: crate::ir::Value,
) -> BuiltPair {
    let (cos, sin) = (cx.unary("cos", angle)?, cx.unary("sin", angle)?);
    Ok(Pair { re: cx.mul(size, cos)?, im: cx.mul(size, sin)? })
}

fn exponential(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let size = cx.unary("exp", z.re)?;
    turned_by(cx, size, z.im)
}

pub fn exp2(cx: &mut Split<'_, '_>) -> Results {
    let pair = cx.pair("self")?;
    let size = cx.unary("exp2", pair.re)?;
    let angle = cx.mul(pair.im, std::f64::consts::LN_2)?;
    Ok(vec![turned_by(cx, size, angle)?.into()])
}

/// `expm1(x) cos y - 2 sin²(y / 2) + i exp(x) sin y`
fn exponential_less_one(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let (cos, sin) = (cx.unary("cos", z.im)?, cx.unary("sin", z.im)?);
    let half = cx.mul(z.im, 0.5)?;
    let half = cx.unary("sin", half)?;
    let square = cx.mul(half, half)?;
    let square = cx.mul(square, 2.0)?;
    let size = cx.unary("expm1", z.re)?;
    let re = cx.mul(size, cos)?;
    let size = cx.unary("exp", z.re)?;
    Ok(Pair { re: cx.sub(re, square)?, im: cx.mul(size, sin)? })
}

fn logarithm(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let size = cx.two("hypot", z.re, z.im)?;
    Ok(Pair { re: cx.unary("log", size)?, im: cx.two("atan2", z.im, z.re)? })
}

fn logarithm_to(cx: &mut Split<'_, '_>, base: f64) -> Results {
    let pair = cx.pair("self")?;
    let log = logarithm(cx, pair)?;
    Ok(vec![cx.times_number(log, 1.0 / base.ln())?.into()])
}

pub fn log2(cx: &mut Split<'_, '_>) -> Results {
    logarithm_to(cx, 2.0)
}

pub fn log10(cx: &mut Split<'_, '_>) -> Results {
    logarithm_to(cx, 10.0)
}

/// Near zero by `log1p(x (2 + x) + y²) / 2`.
fn logarithm_of_more(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let more = cx.add(z.re, 1.0)?;
    let angle = cx.two("atan2", z.im, more)?;
    let size = cx.two("hypot", more, z.im)?;
    let far = cx.unary("log", size)?;
    let size = cx.two("hypot", z.re, z.im)?;
    let small = cx.compare("lt", size, 0.5)?;
    let none = cx.number(0.0)?;
    let (x, y) = (cx.select(small, z.re, none)?, cx.select(small, z.im, none)?);
    let sum = cx.add(x, 2.0)?;
    let (first, second) = (cx.mul(x, sum)?, cx.mul(y, y)?);
    let sum = cx.add(first, second)?;
    let near = cx.unary("log1p", sum)?;
    let near = cx.mul(near, 0.5)?;
    Ok(Pair { re: cx.select(small, near, far)?, im: angle })
}

/// The functions of both parts that four of the others are products of.
fn mixed(cx: &mut Split<'_, '_>, [a, b, c, d]: [(&str, crate::ir::Value); 4]) -> BuiltPair {
    let (a, b) = (cx.unary(a.0, a.1)?, cx.unary(b.0, b.1)?);
    let (c, d) = (cx.unary(c.0, c.1)?, cx.unary(d.0, d.1)?);
    Ok(Pair { re: cx.mul(a, b)?, im: cx.mul(c, d)? })
}

fn sine(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    mixed(cx, [("sin", z.re), ("cosh", z.im), ("cos", z.re), ("sinh", z.im)])
}

fn cosine(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let Pair { re, im } = mixed(cx, [("cos", z.re), ("cosh", z.im), ("sin", z.re), ("sinh", z.im)])?;
    Ok(Pair { re, im: cx.unary("neg", im)? })
}

fn hyperbolic_sine(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    mixed(cx, [("sinh", z.re), ("cos", z.im), ("cosh", z.re), ("sin", z.im)])
}

fn hyperbolic_cosine(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    mixed(cx, [("cosh", z.re), ("cos", z.im), ("sinh", z.re), ("sin", z.im)])
}

/// `(sinh x cosh x + i sin y cos y) / (sinh² x + cos² y)`; far from the imaginary axis `±1 + 4 i sin y cos y exp(-2 |x|)`.
fn hyperbolic_tangent(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    const FAR: f64 = 20.0;
    let size = cx.unary("abs", z.re)?;
    let far = cx.compare("gt", size, FAR)?;
    let none = cx.number(0.0)?;
    let x = cx.select(far, none, z.re)?;
    let (sinh, cosh) = (cx.unary("sinh", x)?, cx.unary("cosh", x)?);
    let (sin, cos) = (cx.unary("sin", z.im)?, cx.unary("cos", z.im)?);
    let (above, below) = (cx.mul(sinh, sinh)?, cx.mul(cos, cos)?);
    let norm = cx.add(above, below)?;
    let (re, turn) = (cx.mul(sinh, cosh)?, cx.mul(sin, cos)?);
    let near = Pair { re: cx.div(re, norm)?, im: cx.div(turn, norm)? };
    let decay = cx.mul(size, -2.0)?;
    let decay = cx.unary("exp", decay)?;
    let rest = cx.mul(turn, 4.0)?;
    let distant = Pair { re: cx.sign_of(z.re)?, im: cx.mul(rest, decay)? };
    cx.chosen(far, distant, near)
}

fn tangent(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let turned = cx.turned(z)?;
    let tanh = hyperbolic_tangent(cx, turned)?;
    cx.turned_back(tanh)
}

/// With `t = √((|z| + |x|) / 2)`: `t + i y / 2t` on the right, `|y| / 2t ± i t` on the left.
/// At zero `t` has no finite derivative, nor has the root.
fn root(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let (zero, one) = (cx.is_zero(z)?, cx.number(1.0)?);
    let (size, length) = (cx.magnitude(z)?, cx.unary("abs", z.re)?);
    let (half, other) = (cx.mul(size, 0.5)?, cx.mul(length, 0.5)?);
    let sum = cx.add(half, other)?;
    let t = cx.unary("sqrt", sum)?;
    let double = cx.mul(t, 2.0)?;
    let double = cx.select(zero, one, double)?;
    let share = cx.div(z.im, double)?;
    let sign = cx.sign_of(z.im)?;
    let right = cx.compare("ge", z.re, 0.0)?;
    let (turned, upright) = (cx.mul(share, sign)?, cx.mul(t, sign)?);
    Ok(Pair { re: cx.select(right, t, turned)?, im: cx.select(right, share, upright)? })
}

fn inverted_root(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let root = root(cx, z)?;
    inverted(cx, root)
}

/// `√(1 - z)` and `√(1 + z)`
fn roots_around(cx: &mut Split<'_, '_>, z: Pair) -> Result<(Pair, Pair), super::DecomposeError> {
    let one = cx.number(1.0)?;
    let less = Pair { re: cx.sub(one, z.re)?, im: cx.unary("neg", z.im)? };
    let more = Pair { re: cx.add(z.re, one)?, im: z.im };
    Ok((root(cx, less)?, root(cx, more)?))
}

/// Real part of `a b`, and imaginary part of `conj(a) b`.
fn crossed(cx: &mut Split<'_, '_>, a: Pair, b: Pair) -> BuiltPair {
    let (rr, ii) = (cx.mul(a.re, b.re)?, cx.mul(a.im, b.im)?);
    let (ri, ir) = (cx.mul(a.re, b.im)?, cx.mul(a.im, b.re)?);
    Ok(Pair { re: cx.sub(rr, ii)?, im: cx.sub(ri, ir)? })
}

fn arcsine(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let (less, more) = roots_around(cx, z)?;
    let Pair { re, im } = crossed(cx, less, more)?;
    Ok(Pair { re: cx.two("atan2", z.re, re)?, im: cx.unary("asinh", im)? })
}

fn arccosine(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let (less, more) = roots_around(cx, z)?;
    let half = cx.two("atan2", less.re, more.re)?;
    let crossed = crossed(cx, more, less)?;
    Ok(Pair { re: cx.mul(half, 2.0)?, im: cx.unary("asinh", crossed.im)? })
}

/// `asinh(Re(conj(√(z - 1)) √(z + 1))) + 2 i atan2(Im √(z - 1), Re √(z + 1))`
fn hyperbolic_arccosine(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let less = Pair { re: cx.sub(z.re, 1.0)?, im: z.im };
    let more = Pair { re: cx.add(z.re, 1.0)?, im: z.im };
    let (less, more) = (root(cx, less)?, root(cx, more)?);
    let (rr, ii) = (cx.mul(less.re, more.re)?, cx.mul(less.im, more.im)?);
    let re = cx.add(rr, ii)?;
    let half = cx.two("atan2", less.im, more.re)?;
    Ok(Pair { re: cx.unary("asinh", re)?, im: cx.mul(half, 2.0)? })
}

fn hyperbolic_arcsine(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let turned = cx.turned(z)?;
    let arc = arcsine(cx, turned)?;
    cx.turned_back(arc)
}

/// `log1p(4 x / ((1 - x)² + y²)) / 4 + i atan2(2 y, (1 - x)(1 + x) - y²) / 2` on the right, where nothing cancels; the left is its
/// mirror image.
fn hyperbolic_arctangent(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let (one, sign) = (cx.number(1.0)?, cx.sign_of(z.re)?);
    let x = cx.mul(z.re, sign)?;
    let (less, more) = (cx.sub(one, x)?, cx.add(x, one)?);
    let (square, high) = (cx.mul(less, less)?, cx.mul(z.im, z.im)?);
    let norm = cx.add(square, high)?;
    let four = cx.mul(x, 4.0)?;
    let ratio = cx.div(four, norm)?;
    let re = cx.unary("log1p", ratio)?;
    let re = cx.mul(re, sign)?;
    let across = cx.mul(less, more)?;
    let across = cx.sub(across, high)?;
    let double = cx.mul(z.im, 2.0)?;
    let angle = cx.two("atan2", double, across)?;
    Ok(Pair { re: cx.mul(re, 0.25)?, im: cx.mul(angle, 0.5)? })
}

fn arctangent(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let turned = cx.turned(z)?;
    let arc = hyperbolic_arctangent(cx, turned)?;
    cx.turned_back(arc)
}

fn logistic(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let back = cx.negated(z)?;
    let Pair { re, im } = exponential(cx, back)?;
    let sum = Pair { re: cx.add(re, 1.0)?, im };
    inverted(cx, sum)
}

fn weighted_logistic(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let back = cx.negated(z)?;
    let Pair { re, im } = exponential(cx, back)?;
    let sum = Pair { re: cx.add(re, 1.0)?, im };
    cx.quotient(z, sum)
}

/// `sin(π z) / π z`, one at zero.
fn cardinal_sine(cx: &mut Split<'_, '_>, z: Pair) -> BuiltPair {
    let one = unit(cx)?;
    let zero = cx.is_zero(z)?;
    let turn = cx.times_number(z, std::f64::consts::PI)?;
    let safe = cx.chosen(zero, one, turn)?;
    let sine = sine(cx, safe)?;
    let ratio = cx.quotient(sine, safe)?;
    cx.chosen(zero, one, ratio)
}

/// Known small whole powers are products; otherwise `exp(w log z)`, where powers of zero are those of C's `cpow`:
/// zero, but infinite or no number where the exponent's real part is not positive. A known exponent of zero gives one.
pub fn pow(cx: &mut Split<'_, '_>) -> Results {
    let base = cx.pair("self")?;
    let exponent = match cx.given("exponent") {
        Arg::Int(v) => cx.syms().as_const(*v).map(|v| v as f64),
        Arg::Float(v) => Some(*v),
        Arg::Complex([re, im]) if *im == 0.0 => Some(*re),
        _ => None,
    };
    if let Some(known) = exponent {
        if known == 0.5 {
            return Ok(vec![root(cx, base)?.into()]);
        }
        if known == -0.5 {
            return Ok(vec![inverted_root(cx, base)?.into()]);
        }
        if known.fract() == 0.0 && (1.0..=4.0).contains(&known.abs()) {
            let mut power = base;
            for _ in 1..known.abs() as usize {
                power = cx.times(power, base)?;
            }
            return Ok(vec![if known < 0.0 { inverted(cx, power)? } else { power }.into()]);
        }
    }
    let (re, im) = cx.operand("exponent")?;
    let zero = cx.is_zero(base)?;
    let one = unit(cx)?;
    let safe = cx.chosen(zero, one, base)?;
    let log = logarithm(cx, safe)?;
    let scaled = match im {
        Some(im) => cx.times(log, Pair { re, im })?,
        None => cx.scaled(log, re)?,
    };
    let power = exponential(cx, scaled)?;
    let of_zero = match exponent {
        Some(0.0) => one,
        _ => {
            let (none, missing, infinite) =
                (cx.number(0.0)?, cx.number(f64::NAN)?, cx.number(f64::INFINITY)?);
            let positive = cx.compare("gt", re, 0.0)?;
            let negative = cx.compare("lt", re, 0.0)?;
            let other = cx.select(negative, infinite, missing)?;
            Pair { re: cx.select(positive, none, other)?, im: cx.select(positive, none, missing)? }
        }
    };
    Ok(vec![cx.chosen(zero, of_zero, power)?.into()])
}
