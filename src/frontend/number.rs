//! Symbolic numbers: Python's operators on sizes, evaluated while the graph is read.
//!
//! Integers and bools are symbolic integers. Of floats there are three forms: a known one; the quotient of a
//! symbolic integer and a known positive one, which is what `s / 2`, `float(s)` and `s * 1.5` are on the way to
//! `floor`, `ceil` and `int`, and which stays an integer expression there; and any other, which is calculated in
//! float64 as Python does (`types::Calculation`). A quotient by a power of two is exact in float64 for sizes below
//! 2^40, and so is everything done with it here; other quotients may only be rounded or compared with integers,
//! where float64 gives the same (a quotient that is no integer is at least `1/divisor` away from one).

use crate::types::{Calculation, SymArena, SymInt};

/// A number of Python's, as far as it is known before a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Int(SymInt),
    /// 0 or 1.
    Bool(SymInt),
    Float(f64),
    /// The float `numerator / denominator`, the denominator positive.
    Quotient(SymInt, i64),
    /// Any other float that is known only at run time: its bits.
    Bits(SymInt),
}

use Number::*;

/// The largest denominator and factor of quotients: keeps every product of a size and it exact in float64.
const LIMIT: i64 = 1 << 20;

/// Applies one of Python's operators, by the last part of its name (`floordiv`, `sym_max`, `trunc`, …).
/// The error says what is not supported.
pub fn evaluate(syms: &SymArena, operator: &str, args: &[Number]) -> Result<Number, String> {
    exactly(syms, operator, args).or_else(|why| calculated(syms, operator, args).ok_or(why))
}

/// The bits of a number as a float.
pub fn float_bits(syms: &SymArena, a: Number) -> SymInt {
    let of = |v| syms.calculate(Calculation::Float, &[v]);
    match a {
        Int(v) | Bool(v) => of(v),
        Float(v) => syms.float_constant(v),
        Quotient(n, 1) => of(n),
        Quotient(n, d) => syms.calculate(Calculation::Div, &[of(n), syms.float_constant(d as f64)]),
        Bits(v) => v,
    }
}

/// What float64 gives at run time, where an operand is a float or the result is one.
fn calculated(syms: &SymArena, operator: &str, args: &[Number]) -> Option<Number> {
    use Calculation as C;
    let name = operator.strip_prefix("sym_").or(operator.strip_prefix("_sym_")).unwrap_or(operator);
    let bits: Vec<SymInt> = args.iter().map(|a| float_bits(syms, *a)).collect();
    let float = |of: C| Some(Bits(syms.calculate(of, &bits)));
    let int = |of: C| Some(Int(syms.calculate(of, &bits)));
    let truth = |of: C, operands: [SymInt; 2]| syms.calculate(of, &operands);
    let whole = args.iter().all(|a| integer(*a).is_some());
    let by_zero = || known_float(syms, args[1]) == Some(0.0);
    match (name, &bits[..]) {
        ("truediv", [_, _]) if !by_zero() => float(C::Div),
        ("sqrt", [_]) => float(C::Sqrt),
        ("exp", [_]) => float(C::Exp),
        ("log", [_]) => float(C::Log),
        ("log2", [_]) => float(C::Log2),
        ("sin", [_]) => float(C::Sin),
        ("cos", [_]) => float(C::Cos),
        ("tan", [_]) => float(C::Tan),
        ("asin", [_]) => float(C::Asin),
        ("acos", [_]) => float(C::Acos),
        ("atan", [_]) => float(C::Atan),
        ("sinh", [_]) => float(C::Sinh),
        ("cosh", [_]) => float(C::Cosh),
        ("tanh", [_]) => float(C::Tanh),
        ("pow" | "pow_by_natural", [_, _]) if whole => {
            let (base, exponent) = (integer(args[0])?, integer(args[1])?);
            Some(Int(syms.calculate(C::IntPow, &[base, exponent])))
        }
        ("pow", [_, _]) => float(C::Pow),
        ("ite", [_, x, y]) => {
            let condition = self::truth(syms, args[0]).ok()?;
            Some(Bits(syms.calculate(C::Select, &[condition, *x, *y])))
        }
        // What is left is whole, and was refused for another reason.
        _ if whole => None,
        ("add" | "iadd", [_, _]) => float(C::Add),
        ("sub" | "isub", [_, _]) => float(C::Sub),
        ("mul" | "imul", [_, _]) => float(C::Mul),
        ("floordiv", [_, _]) if !by_zero() => float(C::FloorDiv),
        ("mod", [_, _]) if !by_zero() => float(C::Mod),
        ("abs" | "fabs", [_]) => float(C::Abs),
        ("neg", [x]) => Some(Bits(syms.calculate(C::Sub, &[syms.float_constant(-0.0), *x]))),
        ("max", [_, _]) => float(C::Max),
        ("min", [_, _]) => float(C::Min),
        ("max" | "min", [first, rest @ ..]) if !rest.is_empty() => {
            let of = if name == "max" { C::Max } else { C::Min };
            Some(Bits(rest.iter().fold(*first, |best, x| syms.calculate(of, &[best, *x]))))
        }
        ("sum", list) => {
            let start = syms.float_constant(0.0);
            Some(Bits(list.iter().fold(start, |sum, x| syms.calculate(C::Add, &[sum, *x]))))
        }
        ("float" | "pos", [x]) => Some(Bits(*x)),
        ("int" | "trunc", [_]) => int(C::Trunc),
        ("floor", [_]) => int(C::Floor),
        ("ceil", [_]) => int(C::Ceil),
        ("round", [_]) => int(C::Round),
        ("eq", [x, y]) => Some(Bool(truth(C::Eq, [*x, *y]))),
        ("ne", [x, y]) => Some(Bool(syms.not(truth(C::Eq, [*x, *y])))),
        ("lt", [x, y]) => Some(Bool(truth(C::Lt, [*x, *y]))),
        ("le", [x, y]) => Some(Bool(truth(C::Le, [*x, *y]))),
        ("gt", [x, y]) => Some(Bool(truth(C::Lt, [*y, *x]))),
        ("ge", [x, y]) => Some(Bool(truth(C::Le, [*y, *x]))),
        _ => None,
    }
}

/// What integers and known floats give, without rounding.
fn exactly(syms: &SymArena, operator: &str, args: &[Number]) -> Result<Number, String> {
    let name = operator.strip_prefix("sym_").or(operator.strip_prefix("_sym_")).unwrap_or(operator);
    match (name, args) {
        ("add" | "iadd", [a, b]) => add(syms, *a, *b, 1),
        ("sub" | "isub", [a, b]) => add(syms, *a, *b, -1),
        ("mul" | "imul", [a, b]) => multiply(syms, *a, *b),
        ("floordiv", [a, b]) => floor_divide(syms, *a, *b),
        ("truediv", [a, b]) => divide(syms, *a, *b),
        ("mod", [a, b]) => modulo(syms, *a, *b),
        ("pow" | "pow_by_natural", [a, b]) => power(syms, *a, *b),
        ("lshift" | "ilshift" | "rshift" | "irshift", [a, b]) => shift(syms, name, *a, *b),
        ("neg", [a]) => negate(syms, *a),
        ("pos" | "index", [a]) => Ok(*a),
        ("abs" | "fabs", [a]) => absolute(syms, *a),
        ("eq" | "ne" | "lt" | "le" | "gt" | "ge", [a, b]) => compare(syms, name, *a, *b),
        ("max" | "min", [a, b]) => extreme(syms, name == "max", *a, *b),
        ("max" | "min", [a, rest @ ..]) if !rest.is_empty() => {
            rest.iter().try_fold(*a, |best, b| extreme(syms, name == "max", best, *b))
        }
        ("sum", list) => list.iter().try_fold(Int(syms.constant(0)), |sum, x| add(syms, sum, *x, 1)),
        ("not" | "not_", [a]) => Ok(Bool(syms.not(truth(syms, *a)?))),
        ("and" | "and_", [Bool(a), Bool(b)]) => Ok(Bool(syms.and(*a, *b))),
        ("or" | "or_", [Bool(a), Bool(b)]) => Ok(Bool(syms.or(*a, *b))),
        ("xor", [Bool(a), Bool(b)]) => Ok(Bool(syms.ne(*a, *b))),
        ("ite", [c, a, b]) => choose(syms, *c, *a, *b),
        ("float", [a]) => to_float(syms, *a),
        ("int" | "trunc", [a]) => round_to_int(syms, *a, Rounding::Zero),
        ("floor", [a]) => round_to_int(syms, *a, Rounding::Down),
        ("ceil", [a]) => round_to_int(syms, *a, Rounding::Up),
        ("round", [a]) => round_to_int(syms, *a, Rounding::HalfEven),
        ("truth" | "bool", [a]) => Ok(Bool(truth(syms, *a)?)),
        ("sqrt" | "log2" | "exp" | "log" | "sin" | "cos" | "tan" | "tanh", [a]) => {
            match known_float(syms, *a) {
                Some(v) => Ok(Float(match name {
                    "sqrt" => v.sqrt(),
                    "log2" => v.log2(),
                    "exp" => v.exp(),
                    "log" => v.ln(),
                    "sin" => v.sin(),
                    "cos" => v.cos(),
                    "tan" => v.tan(),
                    _ => v.tanh(),
                })),
                None => Err(format!(
                    "`{name}` of the symbolic number {} is a float known only at run time, which is not supported",
                    text(syms, *a)
                )),
            }
        }
        _ => {
            let args: Vec<String> = args.iter().map(|a| text(syms, *a)).collect();
            Err(format!(
                "`{operator}` of ({}) is not a supported operation on symbolic numbers",
                args.join(", ")
            ))
        }
    }
}

/// Python-like text for messages.
pub fn text(syms: &SymArena, a: Number) -> String {
    match a {
        Int(v) => syms.display(v),
        Bool(v) => format!("bool({})", syms.display(v)),
        Float(v) => format!("{v:?}"),
        Quotient(n, d) => format!("({}) / {d}", syms.display(n)),
        Bits(v) => syms.display(v),
    }
}

/// The 0/1 expression of a number's truth.
pub fn truth(syms: &SymArena, a: Number) -> Result<SymInt, String> {
    match a {
        Bool(v) => Ok(v),
        Int(v) | Quotient(v, _) => Ok(syms.ne(v, syms.constant(0))),
        Float(v) => Ok(syms.constant((v != 0.0) as i64)),
        Bits(v) => Ok(syms.not(syms.calculate(Calculation::Eq, &[v, syms.float_constant(0.0)]))),
    }
}

fn known_float(syms: &SymArena, a: Number) -> Option<f64> {
    match a {
        Int(v) | Bool(v) => syms.as_const(v).map(|v| v as f64),
        Float(v) => Some(v),
        Quotient(n, d) => syms.as_const(n).map(|n| n as f64 / d as f64),
        Bits(v) => syms.as_const(v).map(|bits| f64::from_bits(bits as u64)),
    }
}

/// As an integer, where Python has one.
fn integer(a: Number) -> Option<SymInt> {
    match a {
        Int(v) | Bool(v) => Some(v),
        _ => None,
    }
}

/// A known float as `numerator / 2^k`, when it is one with few bits.
fn dyadic(v: f64) -> Option<(i64, i64)> {
    let mut denominator = 1i64;
    let mut scaled = v;
    while scaled.fract() != 0.0 && denominator < LIMIT {
        scaled *= 2.0;
        denominator *= 2;
    }
    (scaled.is_finite() && scaled.fract() == 0.0 && scaled.abs() <= LIMIT as f64)
        .then_some((scaled as i64, denominator))
}

/// As an exact quotient; `None` for a float that is none.
fn quotient(syms: &SymArena, a: Number) -> Option<Fraction> {
    match a {
        Int(v) | Bool(v) => Some((v, 1)),
        Float(v) => dyadic(v).map(|(n, d)| (syms.constant(n), d)),
        Quotient(n, d) => Some((n, d)),
        Bits(_) => None,
    }
}

fn inexact(syms: &SymArena, what: &str, a: Number, b: Number) -> String {
    format!(
        "{} {what} {} is a float known only at run time, which is not supported",
        text(syms, a),
        text(syms, b)
    )
}

/// A numerator and a positive divisor.
type Fraction = (SymInt, i64);

/// Both as quotients by powers of two, on which arithmetic is exact.
fn exact_pair(syms: &SymArena, what: &str, a: Number, b: Number) -> Result<(Fraction, Fraction), String> {
    match (quotient(syms, a), quotient(syms, b)) {
        (Some(x), Some(y)) if (x.1 as u64).is_power_of_two() && (y.1 as u64).is_power_of_two() => Ok((x, y)),
        _ => Err(inexact(syms, what, a, b)),
    }
}

fn make_quotient(syms: &SymArena, numerator: SymInt, denominator: i64) -> Result<Number, String> {
    if denominator > LIMIT {
        return Err(format!("({}) / {denominator} has too large a divisor", syms.display(numerator)));
    }
    Ok(Quotient(numerator, denominator))
}

fn add(syms: &SymArena, a: Number, b: Number, sign: i64) -> Result<Number, String> {
    if let (Some(x), Some(y)) = (integer(a), integer(b)) {
        return Ok(Int(syms.add(x, syms.mul_const(y, sign))));
    }
    if let (Some(x), Some(y)) = (known_float(syms, a), known_float(syms, b)) {
        return Ok(Float(x + sign as f64 * y));
    }
    let ((n, d), (m, e)) = exact_pair(syms, if sign > 0 { "+" } else { "-" }, a, b)?;
    let common = d.max(e);
    let sum = syms.add(syms.mul_const(n, common / d), syms.mul_const(m, sign * (common / e)));
    make_quotient(syms, sum, common)
}

fn negate(syms: &SymArena, a: Number) -> Result<Number, String> {
    Ok(match a {
        Int(v) | Bool(v) => Int(syms.neg(v)),
        Float(v) => Float(-v),
        Quotient(n, d) => Quotient(syms.neg(n), d),
        Bits(_) => return Err("a float known only at run time".to_string()),
    })
}

fn absolute(syms: &SymArena, a: Number) -> Result<Number, String> {
    let of = |v| syms.max(v, syms.neg(v));
    Ok(match a {
        Int(v) | Bool(v) => Int(of(v)),
        Float(v) => Float(v.abs()),
        Quotient(n, d) => Quotient(of(n), d),
        Bits(_) => return Err("a float known only at run time".to_string()),
    })
}

fn multiply(syms: &SymArena, a: Number, b: Number) -> Result<Number, String> {
    if let (Some(x), Some(y)) = (integer(a), integer(b)) {
        return Ok(Int(syms.mul(x, y)));
    }
    if let (Some(x), Some(y)) = (known_float(syms, a), known_float(syms, b)) {
        return Ok(Float(x * y));
    }
    let ((n, d), (m, e)) = exact_pair(syms, "*", a, b)?;
    // One of the two must be known, or the product's size is not bounded by the sizes' own.
    if syms.as_const(n).is_none() && syms.as_const(m).is_none() {
        return Err(inexact(syms, "*", a, b));
    }
    make_quotient(syms, syms.mul(n, m), d.saturating_mul(e))
}

fn divide(syms: &SymArena, a: Number, b: Number) -> Result<Number, String> {
    if let (Some(x), Some(y)) = (known_float(syms, a), known_float(syms, b)) {
        return if y == 0.0 { Err("division by zero".to_string()) } else { Ok(Float(x / y)) };
    }
    let known = quotient(syms, b).and_then(|(m, e)| Some((syms.as_const(m)?, e)));
    let (Some((n, d)), Some((m, e))) = (quotient(syms, a), known) else {
        return Err(inexact(syms, "/", a, b));
    };
    let power_of_two = |v: i64| v.unsigned_abs().is_power_of_two();
    // An integer may be divided by any integer once; what was rounded already, by powers of two alone.
    let exact = power_of_two(d) && power_of_two(m) || d == 1 && e == 1 || power_of_two(m) && power_of_two(e);
    if m == 0 || !exact {
        return Err(inexact(syms, "/", a, b));
    }
    let numerator = syms.mul_const(n, e * m.signum());
    make_quotient(syms, numerator, d.saturating_mul(m.saturating_abs()))
}

fn floor_divide(syms: &SymArena, a: Number, b: Number) -> Result<Number, String> {
    match (integer(a), integer(b)) {
        (Some(x), Some(y)) if syms.as_const(y) != Some(0) => Ok(Int(syms.floordiv(x, y))),
        (Some(_), Some(_)) => Err("division by zero".to_string()),
        _ => match (known_float(syms, a), known_float(syms, b)) {
            (Some(x), Some(y)) if y != 0.0 => Ok(Float((x / y).floor())),
            _ => {
                let rounded = round_to_int(syms, divide(syms, a, b)?, Rounding::Down)?;
                to_float(syms, rounded)
            }
        },
    }
}

fn modulo(syms: &SymArena, a: Number, b: Number) -> Result<Number, String> {
    match (integer(a), integer(b)) {
        (Some(x), Some(y)) if syms.as_const(y) != Some(0) => Ok(Int(syms.modulo(x, y))),
        (Some(_), Some(_)) => Err("division by zero".to_string()),
        _ => Err(inexact(syms, "%", a, b)),
    }
}

fn power(syms: &SymArena, a: Number, b: Number) -> Result<Number, String> {
    if let (Some(x), Some(k)) = (integer(a), integer(b).and_then(|k| syms.as_const(k)))
        && (0..=16).contains(&k)
    {
        return Ok(Int(syms.product(&vec![x; k as usize])));
    }
    let both_int = integer(a).is_some() && integer(b).is_some();
    match (known_float(syms, a), known_float(syms, b)) {
        (Some(x), Some(y)) if both_int && y >= 0.0 => {
            let whole = integer(a).and_then(|v| syms.as_const(v)).and_then(|v| v.checked_pow(y as u32));
            whole.map(|v| Int(syms.constant(v))).ok_or_else(|| format!("{x} ** {y} overflows 64 bits"))
        }
        (Some(x), Some(y)) => Ok(Float(x.powf(y))),
        _ => Err(inexact(syms, "**", a, b)),
    }
}

/// `a << b` and `a >> b`, which Python has for integers alone: a multiplication by a power of two, or a division that rounds down.
fn shift(syms: &SymArena, name: &str, a: Number, b: Number) -> Result<Number, String> {
    let by = integer(b).filter(|b| integer(a).is_some() && syms.as_const(*b).is_none_or(|k| k >= 0));
    let by = by.ok_or_else(|| format!("`{name}` of {} by {}", text(syms, a), text(syms, b)))?;
    let power = evaluate(syms, "pow", &[Int(syms.constant(2)), Int(by)])?;
    if name.ends_with("lshift") { multiply(syms, a, power) } else { floor_divide(syms, a, power) }
}

fn compare(syms: &SymArena, name: &str, a: Number, b: Number) -> Result<Number, String> {
    let (x, y) = if let (Some(x), Some(y)) = (integer(a), integer(b)) {
        (x, y)
    } else if let (Some(x), Some(y)) = (known_float(syms, a), known_float(syms, b)) {
        let holds = match name {
            "eq" => x == y,
            "ne" => x != y,
            "lt" => x < y,
            "le" => x <= y,
            "gt" => x > y,
            _ => x >= y,
        };
        return Ok(Bool(syms.constant(holds as i64)));
    } else {
        let known = |v: Number| match v {
            Float(f) if f.is_nan() => None,
            // An infinity compares as a number beyond all sizes.
            Float(f) if f.is_infinite() => {
                Some((syms.constant(if f > 0.0 { i64::MAX } else { i64::MIN }), 0))
            }
            _ => quotient(syms, v),
        };
        let (Some((n, d)), Some((m, e))) = (known(a), known(b)) else {
            return Err(inexact(syms, name, a, b));
        };
        let power_of_two = |v: i64| v == 0 || (v as u64).is_power_of_two();
        if !(power_of_two(d) && power_of_two(e) || d == 1 || e == 1) {
            return Err(inexact(syms, name, a, b));
        }
        if d == 0 || e == 0 { (n, m) } else { (syms.mul_const(n, e), syms.mul_const(m, d)) }
    };
    Ok(Bool(match name {
        "eq" => syms.eq(x, y),
        "ne" => syms.ne(x, y),
        "lt" => syms.lt(x, y),
        "le" => syms.le(x, y),
        "gt" => syms.lt(y, x),
        _ => syms.le(y, x),
    }))
}

fn extreme(syms: &SymArena, largest: bool, a: Number, b: Number) -> Result<Number, String> {
    let of = |x, y| if largest { syms.max(x, y) } else { syms.min(x, y) };
    match (a, b) {
        (Bool(x), Bool(y)) => Ok(Bool(of(x, y))),
        (Int(x) | Bool(x), Int(y) | Bool(y)) => Ok(Int(of(x, y))),
        _ => match (known_float(syms, a), known_float(syms, b)) {
            (Some(x), Some(y)) => Ok(Float(if largest == (x >= y) { x } else { y })),
            _ => {
                let ((n, d), (m, e)) = exact_pair(syms, if largest { "max" } else { "min" }, a, b)?;
                let common = d.max(e);
                make_quotient(syms, of(syms.mul_const(n, common / d), syms.mul_const(m, common / e)), common)
            }
        },
    }
}

fn choose(syms: &SymArena, condition: Number, a: Number, b: Number) -> Result<Number, String> {
    let condition = truth(syms, condition)?;
    match (syms.decide(condition), a, b) {
        (Some(true), ..) => Ok(a),
        (Some(false), ..) => Ok(b),
        (_, Int(x), Int(y)) => Ok(Int(syms.select(condition, x, y))),
        (_, Bool(x), Bool(y)) => Ok(Bool(syms.select(condition, x, y))),
        _ if a == b => Ok(a),
        _ => Err(inexact(syms, "or", a, b)),
    }
}

fn to_float(syms: &SymArena, a: Number) -> Result<Number, String> {
    Ok(match a {
        Int(v) | Bool(v) => match syms.as_const(v) {
            Some(c) => Float(c as f64),
            None => Quotient(v, 1),
        },
        float => float,
    })
}

#[derive(Clone, Copy)]
enum Rounding {
    Down,
    Up,
    Zero,
    HalfEven,
}

fn round_to_int(syms: &SymArena, a: Number, how: Rounding) -> Result<Number, String> {
    let (n, d) = match a {
        Int(v) | Bool(v) => return Ok(Int(v)),
        Float(v) => {
            let rounded = match how {
                Rounding::Down => v.floor(),
                Rounding::Up => v.ceil(),
                Rounding::Zero => v.trunc(),
                Rounding::HalfEven => v.round_ties_even(),
            };
            if rounded.is_nan() || rounded.abs() >= i64::MAX as f64 {
                return Err(format!("{v} does not fit a 64-bit integer"));
            }
            return Ok(Int(syms.constant(rounded as i64)));
        }
        Quotient(n, d) => (n, d),
        Bits(_) => return Err("a float known only at run time".to_string()),
    };
    let divisor = syms.constant(d);
    let down = syms.floordiv(n, divisor);
    let up = syms.ceildiv(n, divisor);
    Ok(Int(match how {
        Rounding::Down => down,
        Rounding::Up => up,
        Rounding::Zero => syms.select(syms.lt(n, syms.constant(0)), up, down),
        Rounding::HalfEven => {
            let twice = syms.mul_const(syms.sub(n, syms.mul_const(down, d)), 2);
            let tie = syms.add(down, syms.modulo(down, syms.constant(2)));
            let above = syms.select(syms.lt(divisor, twice), syms.add_const(down, 1), tie);
            syms.select(syms.lt(twice, divisor), down, above)
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Range;

    fn value(syms: &SymArena, a: Number, s: i64) -> i64 {
        let e = integer(a).expect("an integer");
        let sources = syms.sources(e);
        syms.eval(e, &|id| sources.contains(&id).then_some(s)).expect("a value")
    }

    #[test]
    fn the_smallest_number_divides_a_symbol_in_a_run() {
        let syms = SymArena::new();
        let s = Int(syms.symbol("s", Range::new(-100, 100), None));
        let divided = evaluate(&syms, "truediv", &[s, Int(syms.constant(i64::MIN))]).unwrap();
        assert!(matches!(divided, Bits(_)), "{divided:?}");
    }

    #[test]
    fn rounds_quotients_as_python_does() {
        let syms = SymArena::new();
        let s = Int(syms.symbol("s", Range::new(-100, 100), None));
        let k = |v| Int(syms.constant(v));
        let third = evaluate(&syms, "truediv", &[s, k(3)]).unwrap();
        let scaled = evaluate(&syms, "mul", &[s, Float(1.5)]).unwrap();
        for v in -100i64..=100 {
            let check = |name: &str, of: Number, want: f64| {
                let got = value(&syms, evaluate(&syms, name, &[of]).unwrap(), v);
                assert_eq!(got, want as i64, "{name} at {v}");
            };
            for (of, float) in [(third, v as f64 / 3.0), (scaled, v as f64 * 1.5)] {
                check("floor", of, float.floor());
                check("ceil", of, float.ceil());
                check("trunc", of, float.trunc());
                check("round", of, float.round_ties_even());
            }
        }
    }

    #[test]
    fn shifts_are_powers_of_two() {
        let syms = SymArena::new();
        let s = Int(syms.symbol("s", Range::new(0, 20), None));
        let k = |v| Int(syms.constant(v));
        let of = |name: &str, args: &[Number]| evaluate(&syms, name, args);
        for v in 0..=20i64 {
            assert_eq!(value(&syms, of("lshift", &[s, k(20)]).unwrap(), v), v << 20);
            assert_eq!(value(&syms, of("lshift", &[k(3), s]).unwrap(), v), 3 << v);
            assert_eq!(value(&syms, of("rshift", &[s, k(2)]).unwrap(), v), v >> 2);
            assert_eq!(value(&syms, of("rshift", &[k(-1000), s]).unwrap(), v), -1000 >> v);
        }
        assert!(of("lshift", &[s, k(-1)]).unwrap_err().contains("`lshift` of s by -1"));
        assert!(of("rshift", &[Float(4.0), k(1)]).unwrap_err().contains("`rshift` of 4.0 by 1"));
    }

    #[test]
    fn what_float64_rounds_is_calculated_in_it() {
        let syms = SymArena::new();
        let s = Int(syms.symbol("s", Range::new(1, 100), None));
        let of = |name: &str, args: &[Number]| evaluate(&syms, name, args).unwrap();
        let third = of("truediv", &[s, Int(syms.constant(3))]);
        type Function = fn(f64) -> f64;
        let cases: [(Number, Function); 5] = [
            (of("mul", &[third, Float(3.0)]), |v| v / 3.0 * 3.0),
            (of("mul", &[s, Float(0.1)]), |v| v * 0.1),
            (of("sqrt", &[s]), f64::sqrt),
            (of("mod", &[of("mul", &[s, Float(0.7)]), Float(-2.5)]), |v| {
                if v * 0.7 % 2.5 == 0.0 { -0.0 } else { v * 0.7 % 2.5 - 2.5 }
            }),
            (of("neg", &[of("pow", &[s, Float(0.5)])]), |v| -v.powf(0.5)),
        ];
        for v in 1..=100 {
            for (k, (number, want)) in cases.iter().enumerate() {
                let Bits(bits) = number else { panic!("{number:?}") };
                let sources = syms.sources(*bits);
                let got = syms.eval(*bits, &|id| sources.contains(&id).then_some(v)).unwrap();
                let got = f64::from_bits(got as u64);
                assert!((got - want(v as f64)).abs() < 1e-9, "case {k} at {v}: {got}");
            }
            let root = of("trunc", &[of("sqrt", &[s])]);
            assert_eq!(value(&syms, root, v), (v as f64).sqrt() as i64);
            let far = of("gt", &[of("sqrt", &[s]), Float(5.0)]);
            assert_eq!(value(&syms, far, v), (v > 25) as i64);
        }
        let root = integer(of("trunc", &[of("sqrt", &[s])])).unwrap();
        assert_eq!(syms.range(root), Range::new(1, 10));
        assert_eq!(of("sqrt", &[s]), of("sqrt", &[s]));
        let s = Int(syms.symbol("s", Range::new(1, 100), None));
        assert!(evaluate(&syms, "matmul", &[s, s]).unwrap_err().contains("matmul"));
    }

    #[test]
    fn integers_stay_integers() {
        let syms = SymArena::new();
        let s = Int(syms.symbol("s", Range::new(1, 100), None));
        let k = |v| Int(syms.constant(v));
        let half = evaluate(&syms, "floordiv", &[s, k(2)]).unwrap();
        let most = evaluate(&syms, "sym_max", &[half, k(1)]).unwrap();
        assert_eq!(value(&syms, most, 7), 3);
        let odd = evaluate(&syms, "mod", &[s, k(2)]).unwrap();
        assert_eq!(value(&syms, evaluate(&syms, "pow", &[odd, k(3)]).unwrap(), 7), 1);
        assert!(evaluate(&syms, "floordiv", &[s, k(0)]).is_err());
    }
}
