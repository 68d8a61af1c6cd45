//! Special functions. Each is split into intervals on which a Chebyshev series, a recurrence or an asymptotic sum
//! converges; the choice between them is a select, so that a kernel stays free of branches.

use super::pointwise::{In, Results, elementwise, formula_rules};
use super::special_tables as table;
use crate::loops::lower::{Args, Lower, X};
use crate::types::Dtype;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI, FRAC_PI_4, PI};

/// The series' value at `t` in [-1, 1], by Clenshaw's recurrence.
fn chebyshev<'c>(t: X<'c>, coefficients: &[f64]) -> X<'c> {
    let (mut next, mut after) = (t.float(0.0), t.float(0.0));
    for c in coefficients.iter().skip(1).rev() {
        (next, after) = (t * 2.0 * next - after + *c, next);
    }
    t * next - after + coefficients[0]
}

/// `exp(-|x|) I0(x)`
fn i0_scaled(x: X<'_>) -> X<'_> {
    let a = x.abs();
    let small = chebyshev(a * 0.25 - 1.0, table::I0E_SMALL);
    let large = chebyshev(16.0 / a - 1.0, table::I0E_LARGE) / a.sqrt();
    a.le(8.0).select(small, large)
}
/// `exp(-|x|) I1(x)`
fn i1_scaled(x: X<'_>) -> X<'_> {
    let a = x.abs();
    let small = chebyshev(a * 0.25 - 1.0, table::I1E_SMALL) * a;
    let large = chebyshev(16.0 / a - 1.0, table::I1E_LARGE) / a.sqrt();
    let value = a.le(8.0).select(small, large);
    x.lt(0.0).select(-value, value)
}
/// `exp(x) K0(x)`
fn k0_scaled(x: X<'_>) -> X<'_> {
    let i0 = i0_scaled(x) * x.exp();
    let small = (chebyshev(x * x * 0.5 - 1.0, table::K0_SMALL) - (x * 0.5).log() * i0) * x.exp();
    let large = chebyshev(4.0 / x - 1.0, table::K0E_LARGE) / x.sqrt();
    at_zero_infinite(x, x.le(2.0).select(small, large))
}
/// `exp(x) K1(x)`
fn k1_scaled(x: X<'_>) -> X<'_> {
    let i1 = i1_scaled(x) * x.exp();
    let small = (chebyshev(x * x * 0.5 - 1.0, table::K1_SMALL) / x + (x * 0.5).log() * i1) * x.exp();
    let large = chebyshev(4.0 / x - 1.0, table::K1E_LARGE) / x.sqrt();
    at_zero_infinite(x, x.le(2.0).select(small, large))
}
fn at_zero_infinite<'c>(x: X<'c>, value: X<'c>) -> X<'c> {
    let value = x.eq(0.0).select(x.float(f64::INFINITY), value);
    x.lt(0.0).select(x.float(f64::NAN), value)
}

/// The quotient of two polynomials in `t`, their highest powers first.
fn quotient<'c>(t: X<'c>, above: &[f64], below: &[f64]) -> X<'c> {
    let polynomial =
        |coefficients: &[f64]| coefficients[1..].iter().fold(t.float(coefficients[0]), |sum, c| sum * t + *c);
    polynomial(above) / polynomial(below)
}

// The Bessel functions are Cephes' quotients as PyTorch has them, whose divisors lack their leading power for some:
// their errors of up to 1e-7 are part of what a float64 result is compared with.

/// `sqrt(2 / (pi x))` times the two phases of a Bessel function, for `x > 5`.
fn bessel_large<'c>(x: X<'c>, phase: f64, [p, q]: [[&[f64]; 2]; 2], second_kind: bool) -> X<'c> {
    let ratio = 5.0 / x;
    let t = ratio * ratio;
    let (p, q) = (quotient(t, p[0], p[1]), quotient(t, q[0], q[1]) * ratio);
    let (cos, sin) = ((x - phase).cos(), (x - phase).sin());
    let wave = if second_kind { p * sin + q * cos } else { p * cos - q * sin };
    wave * FRAC_2_PI.sqrt() / x.sqrt()
}
fn bessel_large_0(x: X<'_>, second_kind: bool) -> X<'_> {
    let tables = [[table::P0_ABOVE, table::P0_BELOW], [table::Q0_ABOVE, table::Q0_BELOW]];
    bessel_large(x, FRAC_PI_4, tables, second_kind)
}
fn bessel_large_1(x: X<'_>, second_kind: bool) -> X<'_> {
    let tables = [[table::P1_ABOVE, table::P1_BELOW], [table::Q1_ABOVE, table::Q1_BELOW]];
    bessel_large(x, 3.0 * FRAC_PI_4, tables, second_kind)
}
fn j0(x: X<'_>) -> X<'_> {
    let (a, t) = (x.abs(), x * x);
    let zeros = (t - 5.783185962946785) * (t - 30.471262343662087);
    let small = a.lt(1e-5).select(1.0 - t * 0.25, zeros * quotient(t, table::J0_ABOVE, table::J0_BELOW));
    a.le(5.0).select(small, bessel_large_0(a, false))
}
fn j1(x: X<'_>) -> X<'_> {
    let (a, t) = (x.abs(), x * x);
    let zeros = (t - 14.681970642123893) * (t - 49.2184563216946);
    let small = quotient(t, table::J1_ABOVE, table::J1_BELOW) * a * zeros;
    let value = a.le(5.0).select(small, bessel_large_1(a, false));
    x.lt(0.0).select(-value, value)
}
fn y0(x: X<'_>) -> X<'_> {
    let small = quotient(x * x, table::Y0_ABOVE, table::Y0_BELOW) + x.log() * FRAC_2_PI * j0(x);
    -at_zero_infinite(x, -x.le(5.0).select(small, bessel_large_0(x, true)))
}
fn y1(x: X<'_>) -> X<'_> {
    let singular = (x.log() * j1(x) - 1.0 / x) * FRAC_2_PI;
    let small = quotient(x * x, table::Y1_ABOVE, table::Y1_BELOW) * x + singular;
    -at_zero_infinite(x, -x.le(5.0).select(small, bessel_large_1(x, true)))
}

/// Airy's function: oscillating on the left, decaying on the right.
fn airy(x: X<'_>) -> X<'_> {
    let a = x.abs();
    let s = a * a.sqrt() * (2.0 / 3.0);
    let quarter = a.sqrt().sqrt();
    let right = chebyshev(32.0 / 3.0 / s - 1.0, table::AIRY_LARGE) * (-s).exp() / quarter * (0.5 / PI.sqrt());
    let ratio = 16.0 / 3.0 / s;
    let t = ratio * ratio * 2.0 - 1.0;
    let phase = s - FRAC_PI_4;
    let (p, q) = (chebyshev(t, table::AIRY_P), chebyshev(t, table::AIRY_Q) / s);
    let left = (p * phase.cos() + q * phase.sin()) / quarter / PI.sqrt();
    let middle = chebyshev(x * 0.25, table::AIRY_MIDDLE);
    a.le(4.0).select(middle, x.gt(0.0).select(right, left))
}

/// `exp(x^2) erfc(x)`
fn erfcx_of(x: X<'_>) -> X<'_> {
    let a = x.abs();
    let series = chebyshev((a - 3.75) / (a + 3.75), table::ERFCX) / (a * 2.0 + 1.0);
    // Infinity over infinity is where the function has vanished.
    let series = a.is_inf().select(x.float(0.0), series);
    x.lt(0.0).select((x * x).exp() * 2.0 - series, series)
}

/// The logarithm of the normal distribution's integral.
fn log_ndtr_of(x: X<'_>) -> X<'_> {
    let scaled = x * FRAC_1_SQRT_2;
    let left = (erfcx_of(-scaled) * 0.5).log() - scaled * scaled;
    let right = (-(scaled.erfc() * 0.5)).log1p();
    x.lt(-1.0).select(left, right)
}

/// The normal distribution's quantile: a guess from the tail, sharpened by Newton's steps on the logarithm.
fn ndtri_of(p: X<'_>) -> X<'_> {
    let upper = p.gt(0.5);
    let tail = upper.select(1.0 - p, p);
    let z = (tail.log() * -2.0).sqrt();
    let far = (z.log() + 0.918_938_533_204_672_7) / z - z;
    let near = (tail * 2.0 - 1.0).erfinv() * std::f64::consts::SQRT_2;
    let mut x = tail.lt(0.02).select(far, near);
    for _ in 0..4 {
        let log_density = x * x * -0.5 - 0.918_938_533_204_672_7;
        let value = log_ndtr_of(x);
        x = x - (value - tail.log()) * (value - log_density).exp();
    }
    let x = tail.eq(0.0).select(x.float(f64::NEG_INFINITY), tail.eq(0.5).select(x.float(0.0), x));
    let outside = p.lt(0.0).or(p.gt(1.0)).or(p.is_nan());
    outside.select(p.float(f64::NAN), upper.select(-x, x))
}

formula_rules! {
    i0 ["self"] Result |x| i0_scaled(x) * x.abs().exp();
    i0e ["self"] Result |x| i0_scaled(x);
    i1 ["self"] Result |x| i1_scaled(x) * x.abs().exp();
    i1e ["self"] Result |x| i1_scaled(x);
    modified_bessel_k0 ["self"] Result |x| k0_scaled(x) * (-x).exp();
    modified_bessel_k1 ["self"] Result |x| k1_scaled(x) * (-x).exp();
    scaled_modified_bessel_k0 ["x"] Result |x| k0_scaled(x);
    scaled_modified_bessel_k1 ["x"] Result |x| k1_scaled(x);
    bessel_j0 ["self"] Result |x| j0(x);
    bessel_j1 ["self"] Result |x| j1(x);
    bessel_y0 ["self"] Result |x| y0(x);
    bessel_y1 ["self"] Result |x| y1(x);
    /// `sin(x) / x`, by its series near zero.
    spherical_bessel_j0 ["x"] Result |x| {
        let s = x * x;
        let near = s.polynomial(&[-1.0 / 39_916_800.0, 1.0 / 362_880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0]);
        let far = x.is_inf().select(x.float(0.0), x.sin() / x);
        x.abs().lt(0.5).select(near, far)
    };
    airy_ai ["x"] Result |x| airy(x);
    erfcx ["self"] Result |x| erfcx_of(x);
    log_ndtr ["self"] Result |x| log_ndtr_of(x);
    ndtri ["self"] Result |x| ndtri_of(x);
    zeta ["self", "other"] Result |s, q| {
        let value = hurwitz(q, &|x| x.pow(-s), Order::Expression(s));
        // To the left of zero only whole orders are defined, and whole arguments are poles.
        let whole = s.floor().eq(s);
        let pole = q.le(0.0).and(q.floor().eq(q));
        let value = q.le(0.0).and(whole.logical_not()).select(s.float(f64::NAN), value);
        let value = pole.select(s.float(f64::INFINITY), value);
        let value = s.lt(1.0).select(s.float(f64::NAN), value);
        let value = s.eq(1.0).select(s.float(f64::INFINITY), value);
        s.is_nan().or(q.is_nan()).select(s.float(f64::NAN), value)
    };
}

/// The order of a zeta function.
#[derive(Clone, Copy)]
enum Order<'c> {
    Known(i32),
    Expression(X<'c>),
}

impl<'c> Order<'c> {
    /// The order plus a number, as an expression like `x`.
    fn plus(self, x: X<'c>, k: f64) -> X<'c> {
        match self {
            Order::Known(s) => x.float(s as f64 + k),
            Order::Expression(s) => s + k,
        }
    }
}

/// Hurwitz's zeta function of whole or real order above 1: `sum over k >= 0 of (q + k)^-s`, with `power(x)` giving
/// `x^-s`. For `q < 0` the finitely many terms left of zero are the difference of two such sums.
fn hurwitz<'c>(q: X<'c>, power: &dyn Fn(X<'c>) -> X<'c>, order: Order<'c>) -> X<'c> {
    let fraction = q - q.floor();
    let left = q.lt(0.0);
    let right = hurwitz_positive(left.select(fraction, q), power, order);
    let mirrored = hurwitz_positive(1.0 - fraction, power, order) - hurwitz_positive(1.0 - q, power, order);
    let mirrored = match order {
        Order::Known(s) if s % 2 != 0 => -mirrored,
        Order::Known(_) => mirrored,
        Order::Expression(s) => {
            let half = s * 0.5;
            half.floor().eq(half).select(mirrored, -mirrored)
        }
    };
    left.select(right + mirrored, right)
}

/// Ten terms, and the rest by Euler and Maclaurin's formula.
fn hurwitz_positive<'c>(q: X<'c>, power: &dyn Fn(X<'c>) -> X<'c>, order: Order<'c>) -> X<'c> {
    const TERMS: usize = 10;
    /// Bernoulli's numbers over factorials: `B(2j) / (2j)!`.
    const BERNOULLI: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 720.0,
        1.0 / 30_240.0,
        -1.0 / 1_209_600.0,
        1.0 / 47_900_160.0,
        -691.0 / 1_307_674_368_000.0,
        1.0 / 74_724_249_600.0,
        -3617.0 / 10_670_622_842_880_000.0,
    ];
    let mut sum = power(q);
    for k in 1..TERMS {
        sum = sum + power(q + k as f64);
    }
    let w = q + TERMS as f64;
    let last = power(w);
    sum = sum + last * w / order.plus(q, -1.0) + last * 0.5;
    let mut factor = last * order.plus(q, 0.0) / w;
    for (j, b) in BERNOULLI.iter().enumerate() {
        sum = sum + factor * *b;
        let next = (2 * j + 1) as f64;
        factor = factor * order.plus(q, next) * order.plus(q, next + 1.0) / (w * w);
    }
    sum
}

/// Derivative number `n` of digamma: `(-1)^(n+1) n! zeta(n + 1, x)`.
pub fn polygamma(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let n = args.known_int("n")?;
    if n == 0 {
        return elementwise(cx, args, ["self"], In::Result, |[x]| x.digamma());
    }
    // Past this the factorial leaves float64.
    if !(0..=150).contains(&n) {
        return Err(cx.unsupported(format!("the polygamma function of order {n}")));
    }
    if n == 1 {
        return elementwise(cx, args, ["self"], In::Result, |[x]| trigamma(x));
    }
    let order = n as i32 + 1;
    let mut factor = if n % 2 == 0 { -1.0 } else { 1.0 };
    for k in 1..=n {
        factor *= k as f64;
    }
    elementwise(cx, args, ["self"], In::Result, |[x]| {
        let value = hurwitz_whole(x, order) * factor;
        let pole = x.le(0.0).and(x.floor().eq(x));
        // At a pole the sum is infinite, whatever its other terms.
        pole.select(x.float(factor * f64::INFINITY), value)
    })
}

/// Digamma's derivative: reflected to the right half, six steps on, and then the asymptotic series.
fn trigamma(x: X<'_>) -> X<'_> {
    let left = x.lt(0.5);
    let sine = (x * PI).sin();
    let mut y = left.select(1.0 - x, x);
    let mut sum = left.select(-(PI * PI / (sine * sine)), x.float(0.0));
    for _ in 0..6 {
        sum = sum + 1.0 / (y * y);
        y = y + 1.0;
    }
    let square = 1.0 / (y * y);
    let series = square * (1.0 / 6.0 - square * (1.0 / 30.0 - square * (1.0 / 42.0)));
    sum = sum + (1.0 + 0.5 / y + series) / y;
    left.select(-sum, sum)
}

/// [`hurwitz`] of a known whole order.
fn hurwitz_whole<'c>(q: X<'c>, order: i32) -> X<'c> {
    hurwitz(q, &|x| whole_power(x, order).reciprocal(), Order::Known(order))
}

/// `x` to a known positive power by squaring.
fn whole_power(x: X<'_>, exponent: i32) -> X<'_> {
    let (mut result, mut square, mut left) = (None, x, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result = Some(match result {
                Some(r) => r * square,
                None => square,
            });
        }
        left >>= 1;
        if left > 0 {
            square = square * square;
        }
    }
    result.unwrap_or_else(|| x.float(1.0))
}

/// `log` of the gamma function of `p` dimensions.
pub fn mvlgamma(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    let p = args.known_int("p")?;
    let constant = (p * (p - 1)) as f64 / 4.0 * PI.ln();
    elementwise(cx, args, ["self"], In::Result, |[x]| {
        let terms = (0..p).map(|j| (x - j as f64 / 2.0).lgamma());
        terms.reduce(|a, b| a + b).unwrap_or(x) + constant
    })
}

/// The highest degree of an orthogonal polynomial that is computed; beyond it a run fails rather than be wrong.
const MAX_DEGREE: i64 = 40;

/// A family of orthogonal polynomials: the first one, and each from its two predecessors.
fn polynomials(
    cx: &mut Lower<'_>,
    args: &Args<'_>,
    first: impl for<'c> FnOnce(X<'c>) -> X<'c>,
    step: impl for<'c> Fn(X<'c>, f64, X<'c>, X<'c>) -> X<'c>,
) -> Results {
    let assertion =
        cx.assertion(format!("{}: a degree above {MAX_DEGREE} is not supported", args.node.op.name()));
    elementwise(cx, args, ["x", "n"], In::Result, |[x, n]| {
        let degree = n.trunc();
        let (mut before, mut current) = (x.float(1.0), first(x));
        let mut result = degree.eq(0.0).select(before, degree.eq(1.0).select(current, x.float(0.0)));
        for k in 1..MAX_DEGREE {
            (before, current) = (current, step(x, k as f64, current, before));
            result = degree.eq((k + 1) as f64).select(current, result);
        }
        result.checked(degree.le(MAX_DEGREE as f64), assertion)
    })
}

/// Chebyshev's four kinds differ in the first polynomial alone; `shifted` ones take `2x - 1`.
macro_rules! chebyshev_rules {
    ($($name:ident $shifted:ident |$y:ident| $first:expr;)*) => {
        $(pub fn $name(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
            polynomials(cx, args, |x| { let $y = chebyshev_argument(x, $shifted); $first },
                |x, _, p, before| chebyshev_argument(x, $shifted) * 2.0 * p - before)
        })*
    };
}
chebyshev_rules! {
    chebyshev_t false |y| y;
    chebyshev_u false |y| y * 2.0;
    chebyshev_v false |y| y * 2.0 - 1.0;
    chebyshev_w false |y| y * 2.0 + 1.0;
    shifted_chebyshev_t true |y| y;
    shifted_chebyshev_u true |y| y * 2.0;
    shifted_chebyshev_v true |y| y * 2.0 - 1.0;
    shifted_chebyshev_w true |y| y * 2.0 + 1.0;
}
fn chebyshev_argument(x: X<'_>, shifted: bool) -> X<'_> {
    if shifted { x * 2.0 - 1.0 } else { x }
}

pub fn hermite_h(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    polynomials(cx, args, |x| x * 2.0, |x, k, p, before| x * 2.0 * p - before * (2.0 * k))
}
pub fn hermite_he(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    polynomials(cx, args, |x| x, |x, k, p, before| x * p - before * k)
}
pub fn laguerre(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    polynomials(cx, args, |x| 1.0 - x, |x, k, p, before| ((2.0 * k + 1.0 - x) * p - before * k) / (k + 1.0))
}
pub fn legendre(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    polynomials(cx, args, |x| x, |x, k, p, before| (x * (2.0 * k + 1.0) * p - before * k) / (k + 1.0))
}

/// Whether each element is among the test elements.
pub fn isin(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    use super::pointwise::finish;
    use crate::loops::{NodeKind, ReductionOp};
    let has = |name: &str| args.node.op.schema().arg(name).is_some();
    let names = [
        if has("elements") { "elements" } else { "element" },
        if has("test_elements") { "test_elements" } else { "test_element" },
    ];
    let dtype = crate::meta::result_type(cx.graph, names.iter().map(|n| args.get(n)))
        .map_err(|m| cx.error(crate::base::Status::Dtype, m))?;
    let out = args.result(0);
    let invert = args.bool("invert");
    let side = |cx: &mut Lower<'_>, name: &str| -> Result<crate::loops::lower::Lazy, _> {
        if let Some(lazy) = args.optional_lazy(cx, name) {
            return Ok(lazy);
        }
        let number = args.number(cx, name, dtype.compute());
        let expr = number.ok_or_else(|| cx.unsupported(format!("argument `{name}` must be given")))?;
        Ok(crate::loops::lower::Lazy { sizes: Vec::new(), expr })
    };
    let (elements, tests) = (side(cx, names[0])?, side(cx, names[1])?);
    let all: Vec<_> = out.shape.iter().chain(&tests.sizes).copied().collect();
    let vars = cx.vars(&all);
    let (outer, inner) = vars.split_at(out.rank());
    let outer = if elements.sizes.is_empty() { &[] } else { outer };
    let (a, b) = (cx.at(&elements, outer), cx.at(&tests, inner));
    let expr = cx.formula(|of| {
        let bring = |x: X<'_>| x.cast(dtype).cast(dtype.compute()).id;
        of(bring(of(a))).eq(of(bring(of(b))))
    });
    let found = if tests.sizes.is_empty() {
        expr
    } else {
        let buffer = cx.program.temporary(Dtype::Bool, &out.shape);
        cx.push(NodeKind::Reduction {
            sizes: out.shape.clone(),
            reduced: tests.sizes.clone(),
            op: ReductionOp::Max,
            value: expr,
            outs: vec![buffer],
        });
        cx.load_all(buffer).expr
    };
    let expr = if invert { cx.formula(|of| of(found).logical_not()) } else { found };
    Ok(vec![finish(cx, args, 0, expr)])
}

/// Euclid's greatest common divisor in as many steps as the dtype's largest numbers may need.
fn gcd_of<'c>(a: X<'c>, b: X<'c>) -> X<'c> {
    // Fibonacci's numbers are the worst case: their ratio, 1.618, to the power of the steps reaches the range.
    let steps = (a.dtype().size() * 8) * 1441 / 1000 + 2;
    let size = |x: X<'c>| if x.dtype().is_signed() { x.abs() } else { x };
    let (mut a, mut b) = (size(a), size(b));
    for _ in 0..steps {
        let done = b.eq(0);
        let rest = a.fmod(done.select(b.int(1), b));
        (a, b) = (done.select(a, b), done.select(b, rest));
    }
    size(a)
}
formula_rules! {
    gcd ["self", "other"] Result |a, b| gcd_of(a, b);
    lcm ["self", "other"] Result |a, b| {
        let divisor = gcd_of(a, b);
        let none = divisor.eq(0);
        let product = a.trunc_div(none.select(a.int(1), divisor)) * b;
        none.select(a.int(0), if a.dtype().is_signed() { product.abs() } else { product })
    };
}

/// A mantissa in [0.5, 1) and a power of 2. Scaled by exact powers in two steps, so that neither leaves the range.
pub fn frexp(cx: &mut Lower<'_>, args: &Args<'_>) -> Results {
    use super::pointwise::finish;
    let own = args.lazy(cx, "self")?;
    let x = cx.compute(own.expr);
    let mantissa = cx.formula(|of| mantissa_and_exponent(of(x)).0);
    let exponent = cx.formula(|of| mantissa_and_exponent(of(x)).1);
    Ok(vec![finish(cx, args, 0, mantissa), finish(cx, args, 1, exponent)])
}
fn mantissa_and_exponent(x: X<'_>) -> (X<'_>, X<'_>) {
    let plain = x.eq(0.0).or(x.is_nan()).or(x.is_inf());
    let guess = plain.select(x.float(0.0), x.abs().log2().floor() + 1.0);
    let half = (guess * 0.5).floor();
    let scaled = x * (-half).exp2() * (half - guess).exp2();
    // The logarithm may be off by one next to a power of 2.
    let (over, under) = (scaled.abs().ge(1.0), scaled.abs().lt(0.5));
    let mantissa = over.select(scaled * 0.5, under.select(scaled * 2.0, scaled));
    let exponent = over.select(guess + 1.0, under.select(guess - 1.0, guess));
    (plain.select(x, mantissa), plain.select(x.float(0.0), exponent))
}
