//! Pointwise operators: arithmetic, comparisons, logic, choices and conversions.
//!
//! A rule is a formula over its operands, which [`elementwise`] brings to one dtype and one index space first.

use crate::base::Status;
use crate::ir::Arg;
use crate::loops::lower::{Args, Lazy, Lower, LowerError, X, wrap};
use crate::loops::{BinaryOp, Control, ExprId, NodeKind, UnaryOp};
use crate::meta::result_type;
use crate::types::{Dtype, Scalar};
use std::cell::RefCell;

pub type Results = Result<Vec<Lazy>, LowerError>;

/// The dtype that operands are brought to before the formula.
#[derive(Clone, Copy, PartialEq)]
pub enum In {
    /// The result's.
    Result,
    /// The result's, and numbers are rounded to it, as PyTorch's kernels take them that are no plain arithmetic.
    Rounded,
    /// The operands' common one (comparisons).
    Common,
    /// Every operand keeps its own.
    Own,
}

/// One formula over broadcast operands, all of which must be given; see [`operands`] where some need not.
pub fn elementwise<const N: usize>(
    cx: &mut Lower<'_>,
    args: &Args<'_>,
    names: [&str; N],
    input: In,
    formula: impl for<'c> FnOnce([X<'c>; N]) -> X<'c>,
) -> Results {
    let mut ids = Vec::with_capacity(N);
    for (name, id) in names.iter().zip(operands(cx, args, &names, input)?) {
        ids.push(
            id.ok_or_else(|| cx.error(Status::InvalidArgument, format!("argument `{name}` must be given")))?,
        );
    }
    let result = cx.formula(|x| formula(std::array::from_fn(|k| x(ids[k]))));
    Ok(vec![finish(cx, args, 0, result)])
}

/// The value over result `k`'s index space, in its dtype.
pub fn finish(cx: &mut Lower<'_>, args: &Args<'_>, k: usize, expr: ExprId) -> Lazy {
    let meta = args.result(k);
    let expr = cx.program.exprs.cast(expr, meta.dtype);
    Lazy { sizes: meta.shape.clone(), expr }
}

/// Operands over the first result's index space, in the dtype that they are computed in.
pub fn operands(
    cx: &mut Lower<'_>,
    args: &Args<'_>,
    names: &[&str],
    input: In,
) -> Result<Vec<Option<ExprId>>, LowerError> {
    let out = args.result(0);
    let dtype = match input {
        In::Result | In::Rounded => Some(out.dtype),
        In::Common => Some(
            result_type(cx.graph, names.iter().map(|n| args.get(n)))
                .map_err(|m| cx.error(Status::Dtype, m))?,
        ),
        In::Own => None,
    };
    // A number compared with reduced floats is rounded to them; in arithmetic it keeps its precision.
    let round = matches!(input, In::Common | In::Rounded);
    names.iter().map(|name| operand(cx, args, name, dtype, round)).collect()
}

/// One operand over the first result's index space: a tensor, or a number in its place.
pub fn operand(
    cx: &mut Lower<'_>,
    args: &Args<'_>,
    name: &str,
    dtype: Option<Dtype>,
    round_numbers: bool,
) -> Result<Option<ExprId>, LowerError> {
    let sizes = &args.result(0).shape;
    let given = match args.get(name) {
        Arg::Value(v) => {
            let lazy = cx.value(*v);
            let from = cx.program.exprs.dtype(lazy.expr);
            if !from.is_computable() {
                return Err(cx.unsupported(format!("argument `{name}` has dtype {from}")));
            }
            let expr = cx.broadcast(&lazy, sizes);
            let dtype = dtype.unwrap_or(from);
            // PyTorch converts operands to the common dtype first; a 0-d one keeps its precision.
            let keep = lazy.sizes.is_empty() && from.is_float() && !round_numbers;
            let expr = if keep { expr } else { cx.program.exprs.cast(expr, dtype) };
            return Ok(Some(cx.program.exprs.cast(expr, dtype.compute())));
        }
        Arg::Int(v) => match cx.syms().as_const(*v) {
            Some(c) => Scalar::Int(c),
            None => {
                let index = cx.program.exprs.index_value(*v, Dtype::Int64);
                let dtype = dtype.unwrap_or(Dtype::Int64);
                return Ok(Some(cx.program.exprs.cast(index, dtype.compute())));
            }
        },
        Arg::Float(v) => Scalar::Float(*v),
        Arg::SymFloat(bits) => {
            let float = cx.program.exprs.float_of_bits(*bits);
            let dtype = dtype.unwrap_or(Dtype::Float32);
            let float = if round_numbers { cx.program.exprs.cast(float, dtype) } else { float };
            return Ok(Some(cx.program.exprs.cast(float, dtype.compute())));
        }
        Arg::Bool(v) => Scalar::Bool(*v),
        _ => return Ok(None),
    };
    let dtype = dtype.unwrap_or(given.default_dtype());
    let value = if round_numbers { wrap(given, dtype) } else { given };
    let value = wrap(value, dtype.compute());
    Ok(Some(cx.program.exprs.constant(value, dtype.compute())))
}

impl Lower<'_> {
    /// Evaluates a formula in this program's arena; the argument turns handles into expressions.
    pub fn formula(&mut self, formula: impl for<'c> FnOnce(&dyn Fn(ExprId) -> X<'c>) -> X<'c>) -> ExprId {
        let arena = RefCell::new(std::mem::take(&mut self.program.exprs));
        let id = formula(&|id| X::new(&arena, id)).id;
        self.program.exprs = arena.into_inner();
        id
    }
}

/// Rules that are one formula: `name [operands] dtype-of-operands |operands| formula`.
macro_rules! formula_rules {
    ($($(#[$doc:meta])* $name:ident [$($arg:literal),*] $input:ident |$($x:ident),*| $formula:expr;)*) => {
        $($(#[$doc])* pub fn $name(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
            elementwise(cx, args, [$($arg),*], In::$input, |[$($x),*]| $formula)
        })*
    };
}
pub(crate) use formula_rules;

/// Rules that are one function of `self`.
macro_rules! unary_rules {
    ($($name:ident $op:ident,)*) => {
        formula_rules! { $($name ["self"] Result |x| x.unary(UnaryOp::$op);)* }
    };
}

/// Functions that leave integers as they are.
macro_rules! rounding_rules {
    ($($name:ident $op:ident,)*) => {
        formula_rules! { $($name ["self"] Result |x| if x.is_float() { x.unary(UnaryOp::$op) } else { x };)* }
    };
}

/// Rules that are one function of `self` and `other`.
macro_rules! binary_rules {
    ($input:ident: $($name:ident $op:ident,)*) => {
        formula_rules! { $($name ["self", "other"] $input |a, b| a.binary(BinaryOp::$op, b);)* }
    };
}

unary_rules! {
    exp Exp, exp2 Exp2, expm1 Expm1, log Log, log2 Log2, log10 Log10, log1p Log1p, sin Sin, cos Cos, tan Tan,
    asin Asin, acos Acos, atan Atan, sinh Sinh, cosh Cosh, tanh Tanh, asinh Asinh, acosh Acosh, atanh Atanh,
    erf Erf, erfc Erfc, erfinv Erfinv, sqrt Sqrt, rsqrt Rsqrt, reciprocal Reciprocal, sigmoid Sigmoid,
    lgamma Lgamma, digamma Digamma, neg Neg,
}

rounding_rules! { floor Floor, ceil Ceil, trunc Trunc, round Round, }

binary_rules! {
    Common: eq Eq, ne Ne, lt Lt, le Le, gt Gt, ge Ge,
}
binary_rules! {
    Result: div Div, copysign Copysign, shift_left ShiftLeft, shift_right ShiftRight,
}
binary_rules! {
    Rounded: atan2 Atan2, hypot Hypot, igamma Igamma, igammac Igammac,
}

formula_rules! {
    identity ["self"] Own |x| x;
    mul ["self", "other"] Result |a, b| a * b;
    add ["self", "other", "alpha"] Result |a, b, alpha| a + b * alpha;
    sub ["self", "other", "alpha"] Result |a, b, alpha| a - b * alpha;
    rsub ["self", "other", "alpha"] Result |a, b, alpha| b - a * alpha;
    abs ["self"] Result |x| if x.dtype().is_signed() { x.abs() } else { x };
    sign ["self"] Result |x| if x.dtype() == Dtype::Bool { x } else { x.sign() };
    square ["self"] Result |x| x.square();
    frac ["self"] Result |x| x - x.trunc();
    deg2rad ["self"] Result |x| x * (std::f64::consts::PI / 180.0);
    rad2deg ["self"] Result |x| x * (180.0 / std::f64::consts::PI);
    relu ["self"] Result |x| if x.dtype().is_signed() { x.maximum(0) } else { x };

    maximum ["self", "other"] Result |a, b| if a.dtype() == Dtype::Bool { a.or(b) } else { a.maximum(b) };
    minimum ["self", "other"] Result |a, b| if a.dtype() == Dtype::Bool { a.and(b) } else { a.minimum(b) };
    // A number beside a NaN: the number.
    fmax ["self", "other"] Result |a, b| if a.is_float() { a.fmax(b) } else { a.maximum(b) };
    fmin ["self", "other"] Result |a, b| if a.is_float() { a.fmin(b) } else { a.minimum(b) };

    logical_not ["self"] Own |x| truth(x).logical_not();
    logical_and ["self", "other"] Own |a, b| truth(a).and(truth(b));
    logical_or ["self", "other"] Own |a, b| truth(a).or(truth(b));
    logical_xor ["self", "other"] Own |a, b| truth(a).xor(truth(b));
    bitwise_not ["self"] Result |x| if x.dtype() == Dtype::Bool { x.logical_not() } else { x.bitwise_not() };
    bitwise_and ["self", "other"] Result |a, b| if a.dtype() == Dtype::Bool { a.and(b) } else { a.bitwise_and(b) };
    bitwise_or ["self", "other"] Result |a, b| if a.dtype() == Dtype::Bool { a.or(b) } else { a.bitwise_or(b) };
    bitwise_xor ["self", "other"] Result |a, b| if a.dtype() == Dtype::Bool { a.xor(b) } else { a.bitwise_xor(b) };

    isnan ["self"] Own |x| x.is_nan();
    isinf ["self"] Own |x| x.is_inf();
    isfinite ["self"] Own |x| x.is_nan().or(x.is_inf()).logical_not();
    isposinf ["self"] Own |x| if x.is_float() { x.eq(f64::INFINITY) } else { x.bool(false) };
    isneginf ["self"] Own |x| if x.is_float() { x.eq(f64::NEG_INFINITY) } else { x.bool(false) };
    isreal ["self"] Own |x| x.bool(true);
    signbit ["self"] Own |x| if x.is_float() {
        x.signbit()
    } else if x.dtype().is_signed() {
        x.lt(0)
    } else {
        x.bool(false)
    };

    /// `self + value * tensor1 * tensor2`
    addcmul ["self", "tensor1", "tensor2", "value"] Result |x, a, b, value| x + a * value * b;
    /// `self + value * tensor1 / tensor2`
    addcdiv ["self", "tensor1", "tensor2", "value"] Result |x, a, b, value| x + a * value / b;
    /// Computed from the nearer end, so that both ends are met exactly.
    lerp ["self", "end", "weight"] Result |start, end, weight| {
        let difference = end - start;
        let near = start + weight * difference;
        weight.abs().lt(0.5).select(near, end - difference * (1.0 - weight))
    };
    xlogy ["self", "other"] Rounded |x, y| y.is_nan().select(y, x.eq(0.0).select(x.float(0.0), x * y.log()));
    xlog1py ["self", "other"] Rounded |x, y| y.is_nan().select(y, x.eq(0.0).select(x.float(0.0), x * y.log1p()));
    heaviside ["self", "values"] Result |x, at_zero| {
        let one_or_zero = x.gt(0).select(x.int(1), x.int(0));
        let below = if x.is_float() { x.is_nan().select(x.int(0), one_or_zero) } else { one_or_zero };
        x.eq(0).select(at_zero, below)
    };
    logaddexp ["self", "other"] Rounded |a, b| {
        let largest = a.maximum(b);
        let same = a.eq(b).and(a.is_inf());
        same.select(a, largest + (-(a - b).abs()).exp().log1p())
    };
    logaddexp2 ["self", "other"] Rounded |a, b| {
        let largest = a.maximum(b);
        let same = a.eq(b).and(a.is_inf());
        same.select(a, largest + (-(a - b).abs()).exp2().log1p() * std::f64::consts::LOG2_E)
    };
    float_power ["self", "exponent"] Result |base, exponent| power_of(base, exponent);
    ldexp ["self", "other"] Result |x, exponent| x * x.float(2.0).pow(exponent);
}

/// As a condition: nonzero.
fn truth(x: X<'_>) -> X<'_> {
    x.cast(Dtype::Bool)
}

/// `base` to a power; common powers known now are products and roots.
fn power_of<'c>(base: X<'c>, exponent: X<'c>) -> X<'c> {
    let known = exponent.known().map(|e| e.as_f64());
    match known {
        Some(0.0) => base.int(1),
        Some(1.0) => base,
        Some(2.0) => base * base,
        Some(3.0) => base * base * base,
        Some(4.0) if base.is_float() => base.square().square(),
        Some(0.5) if base.is_float() => base.sqrt(),
        Some(-0.5) if base.is_float() => base.rsqrt(),
        Some(-1.0) if base.is_float() => base.reciprocal(),
        Some(-2.0) if base.is_float() => base.square().reciprocal(),
        _ => base.pow(exponent),
    }
}

pub fn pow(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    elementwise(cx, args, ["self", "exponent"], In::Result, |[base, exponent]| power_of(base, exponent))
}

/// A quotient or remainder: integers check that the divisor is not zero, unless it is known not to be.
fn divided(
    cx: &mut Lower<'_>,
    args: &Args<'_>,
    input: In,
    formula: impl for<'c> FnOnce(X<'c>, X<'c>) -> X<'c>,
) -> Results {
    let assertion = if args.result(0).dtype.is_integral() {
        let message = format!("{}: ZeroDivisionError: an integer is divided by zero", args.node.op.name());
        Some(cx.assertion(message))
    } else {
        None
    };
    elementwise(cx, args, ["self", "other"], input, |[a, b]| {
        let value = formula(a, b);
        match (assertion, b.known()) {
            (None, _) => value,
            (Some(_), Some(known)) if known.as_f64() != 0.0 => value,
            (Some(assertion), _) => value.checked(b.ne(0), assertion),
        }
    })
}

/// Rounded towards minus infinity, as Python's `//`.
pub fn floor_divide(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    divided(cx, args, In::Result, |a, b| a.floor_div(b))
}
/// The sign of the divisor, as Python's `%`.
pub fn remainder(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    divided(cx, args, In::Rounded, |a, b| a.remainder(b))
}
/// The sign of the dividend, as C's.
pub fn fmod(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    divided(cx, args, In::Rounded, |a, b| a.fmod(b))
}
/// True division, or rounded as `rounding_mode` says.
pub fn div_mode(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    match args.string("rounding_mode") {
        Some("floor") => floor_divide(cx, args),
        Some("trunc") => {
            // The quotient is rounded to the dtype before it is cut off.
            let dtype = args.result(0).dtype;
            divided(cx, args, In::Result, |a, b| {
                if a.is_float() { (a / b).cast(dtype).cast(a.dtype()).trunc() } else { a.trunc_div(b) }
            })
        }
        _ => div(cx, args),
    }
}

/// `self` where the condition holds, `other` elsewhere.
pub fn where_rule(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let condition = operand(cx, args, "condition", Some(Dtype::Bool), false)?;
    let condition = condition.ok_or_else(|| cx.unsupported("the condition must be a tensor"))?;
    elementwise(cx, args, ["self", "other"], In::Result, |[a, b]| a.of(condition).select(a, b))
}

pub fn masked_fill(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let mask = operand(cx, args, "mask", Some(Dtype::Bool), false)?;
    let mask = mask.ok_or_else(|| cx.unsupported("the mask must be a tensor"))?;
    elementwise(cx, args, ["self", "value"], In::Result, |[x, value]| x.of(mask).select(value, x))
}

/// Bounds that are not given do not bound; NaN stays.
pub fn clamp(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    bounded(cx, args, "min", "max")
}
/// `clamp` by numbers.
pub fn hardtanh(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    bounded(cx, args, "min_val", "max_val")
}

fn bounded(cx: &mut Lower<'_>, args: &Args<'_>, min: &str, max: &str) -> Results {
    let x = operands(cx, args, &["self"], In::Result)?;
    let x = x[0].ok_or_else(|| cx.unsupported("argument `self` must be a tensor"))?;
    let (min, max) = (bound(cx, args, min)?, bound(cx, args, max)?);
    let expr = cx.formula(|of| {
        let mut x = of(x);
        if let Some(min) = min {
            x = x.maximum(of(min));
        }
        if let Some(max) = max {
            x = x.minimum(of(max));
        }
        x
    });
    Ok(vec![finish(cx, args, 0, expr)])
}

/// A bound in the result's dtype. A number outside an integer dtype's range becomes that range's end.
fn bound(cx: &mut Lower<'_>, args: &Args<'_>, name: &str) -> Result<Option<ExprId>, LowerError> {
    if args.node.op.schema().arg(name).is_none() {
        return Ok(None);
    }
    let dtype = args.result(0).dtype;
    let Some((least, most)) = dtype.integer_range() else {
        return operand(cx, args, name, Some(dtype), false);
    };
    let nearest = match args.get(name) {
        Arg::Int(v) => {
            let syms = cx.syms();
            syms.max(syms.min(*v, syms.constant(most)), syms.constant(least))
        }
        Arg::Float(v) => cx.syms().constant((*v as i64).clamp(least, most)),
        _ => return operand(cx, args, name, Some(dtype), false),
    };
    let value = cx.program.exprs.index_value(nearest, Dtype::Int64);
    Ok(Some(cx.program.exprs.cast(value, dtype)))
}

/// `self`'s shape, all `value` (nothing given: zero).
pub fn fill(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let dtype = args.result(0).dtype;
    let given = match args.node.op.schema().arg("value") {
        Some(_) => operand(cx, args, "value", Some(dtype), false)?,
        None => None,
    };
    let expr = given.unwrap_or_else(|| cx.program.exprs.constant(Scalar::Int(0), dtype.compute()));
    Ok(vec![finish(cx, args, 0, expr)])
}

/// `src` over `self`'s shape, in `self`'s dtype.
pub fn copy(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    elementwise(cx, args, ["src"], In::Own, |[x]| x)
}

/// The neighbour of `self` towards `other` in the result's dtype. Halves are computed in float32: a bit more than half a
/// unit of the last place is added, from where the neighbour is what the sum rounds to.
pub fn nextafter(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let dtype = args.result(0).dtype;
    let (epsilon, least) = match dtype {
        Dtype::Float16 => (2f64.powi(-10), 2f64.powi(-24)),
        Dtype::Bfloat16 => (2f64.powi(-7), 2f64.powi(-133)),
        _ => {
            return elementwise(cx, args, ["self", "other"], In::Result, |[a, b]| a.nextafter(b));
        }
    };
    elementwise(cx, args, ["self", "other"], In::Result, |[a, b]| {
        let step = (a.abs() * (0.625 * epsilon)).maximum(0.625 * least);
        let moved = b.gt(a).select(a + step, a - step);
        let largest = dtype.largest_float();
        let back = a.gt(0.0).select(a.float(largest), a.float(-largest));
        let next = a.is_inf().select(back, moved);
        a.eq(b).select(b, b.is_nan().select(b, a.is_nan().select(a, next)))
    })
}

/// A cast straight from the stored dtype.
pub fn convert(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let own = args.lazy(cx, &args.node.op.schema().args[0].name)?;
    let from = cx.program.exprs.dtype(own.expr);
    if !from.is_computable() {
        return Err(cx.unsupported(format!("conversion from {from}")));
    }
    Ok(vec![finish(cx, args, 0, own.expr)])
}

/// Rounded to so many decimals (negative: to tens, hundreds, …).
pub fn round_decimals(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let decimals = args.known_int("decimals")?;
    let power = 10f64.powi(decimals.unsigned_abs().min(400) as i32);
    elementwise(cx, args, ["self"], In::Result, |[x]| match decimals {
        _ if !x.is_float() => x,
        0 => x.round(),
        1.. => (x * power).round() / power,
        _ => (x / power).round() * power,
    })
}

/// NaN and the infinities replaced; by the dtype's largest numbers where nothing is given.
pub fn nan_to_num(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let largest = largest(args.result(0).dtype);
    let nan = args.float("nan").unwrap_or(0.0);
    let (posinf, neginf) =
        (args.float("posinf").unwrap_or(largest), args.float("neginf").unwrap_or(-largest));
    elementwise(cx, args, ["self"], In::Result, |[x]| {
        if !x.is_float() {
            return x;
        }
        let bounded = x.eq(f64::INFINITY).select(x.float(posinf), x);
        let bounded = x.eq(f64::NEG_INFINITY).select(x.float(neginf), bounded);
        x.is_nan().select(x.float(nan), bounded)
    })
}

fn largest(dtype: Dtype) -> f64 {
    match dtype {
        Dtype::Float16 => half::f16::MAX.to_f64(),
        Dtype::Bfloat16 => half::bf16::MAX.to_f64(),
        Dtype::Float64 => f64::MAX,
        _ => f32::MAX as f64,
    }
}

/// Nothing is left to compute: the operator was checked when the graph was built.
pub fn assert_async(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let lazy = args.lazy(cx, "self")?;
    let zero = vec![cx.syms().constant(0); lazy.sizes.len()];
    let element = cx.at(&lazy, &zero);
    let condition = cx.program.exprs.cast(element, Dtype::Bool);
    let message = args
        .node
        .arg("assert_msg")
        .and_then(|_| args.string("assert_msg"))
        .unwrap_or("an assertion of the program failed");
    let assertion = cx.assertion(message.to_string());
    let value = cx.program.exprs.int(1, Dtype::Bool);
    let expr = cx.program.exprs.check(condition, value, assertion);
    let out = cx.program.temporary(Dtype::Bool, &[]);
    cx.push(NodeKind::Pointwise { sizes: Vec::new(), value: expr, out });
    // Nobody reads it, but it must be computed.
    cx.program.pinned.insert(out);
    Ok(Vec::new())
}

/// A control node, which other control nodes and calls for an effect do not move past.
pub fn print(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let text = cx.message(args.string("s").unwrap_or_default().to_string());
    cx.steer(Control::Print { text });
    Ok(Vec::new())
}

pub fn nothing(_: &mut Lower<'_>, _: &Args<'_>) -> Results {
    Ok(Vec::new())
}
