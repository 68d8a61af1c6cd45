//! The regularised incomplete gamma functions, as `codegen/native/gamma.h` has them: a series for `x < a + 1`, another one for the upper
//! part at small `x`, a continued fraction elsewhere (Lentz's method), and Temme's uniform expansion for large `a`
//! (DLMF 8.7.1, 8.9.2, 8.12.3).
//!
//! Invariant: both texts take the same steps, so that programs and the interpreter agree to a few units of the last place.
//!
//! Deliberately absent: derivatives in `a`.

use libm::{erfc, expm1, lgamma, log1p};
use std::f64::consts::PI;

/// Of Temme's expansion in `1 / a`, the first two terms as series in eta.
const NEAR: [f64; 12] = [
    -1.0 / 3.0,
    1.0 / 12.0,
    -0.014814814814814815,
    0.0011574074074074074,
    0.0003527336860670194,
    -0.0001787551440329218,
    3.919263178522438e-5,
    -2.1854485106799922e-6,
    -1.85406221071516e-6,
    8.296711340953086e-7,
    -1.7665952736826079e-7,
    6.707853543401498e-9,
];
const NEXT: [f64; 7] = [
    -0.001851851851851852,
    -0.003472222222222222,
    0.0026455026455026455,
    -0.0009902263374485596,
    0.00020576131687242798,
    -4.018775720164609e-7,
    -1.8098550334489978e-5,
];

/// `a >= 10^4`: further terms are below 10^-12 of the result.
fn far(a: f64, x: f64, upper: bool) -> f64 {
    let m = (x - a) / a;
    // m - log(1 + m), half the square of eta.
    let h = if m.abs() < 0.01 {
        m * m * (0.5 - m * (1.0 / 3.0 - m * (0.25 - m * (0.2 - m * (1.0 / 6.0 - m * (1.0 / 7.0 - m / 8.0))))))
    } else {
        m - log1p(m)
    };
    let eta = (2.0 * h).sqrt().copysign(m);
    let mut rest = (-a * h).exp();
    if rest > 0.0 {
        let series = |terms: &[f64]| terms.iter().rev().fold(0.0, |sum, term| sum * eta + term);
        rest *= (series(&NEAR) + series(&NEXT) / a) / (2.0 * PI * a).sqrt();
    }
    let away = eta * (a / 2.0).sqrt();
    if upper { 0.5 * erfc(away) + rest } else { 0.5 * erfc(-away) - rest }
}

/// `P(a, x)`, or `Q(a, x)` where `upper` is set.
pub fn gamma_part(a: f64, x: f64, upper: bool) -> f64 {
    let all = |whole: bool| f64::from(u8::from(whole));
    if a < 0.0 || x < 0.0 || a == 0.0 && x == 0.0 || a.is_infinite() && x.is_infinite() {
        return f64::NAN;
    }
    // One extreme decides, whatever the other is, as in PyTorch; but for a parameter 0.
    match (a == 0.0, x == 0.0, a.is_infinite(), x.is_infinite()) {
        (true, ..) if x > 0.0 => return all(!upper),
        (false, true, ..) | (false, _, true, _) => return all(upper),
        (false, _, _, true) => return all(!upper),
        _ if a == 0.0 || a.is_nan() || x.is_nan() => return f64::NAN,
        _ => {}
    }
    if a >= 1e4 {
        return far(a, x, upper);
    }
    let log_x = x.ln();
    if upper && x <= 1.1 && a <= (if x <= 0.5 { -0.4 / log_x } else { 0.75 * x }) {
        let (mut factor, mut sum) = (1.0, 0.0f64);
        for n in (1..2000).map(f64::from) {
            factor *= -x / n;
            let term: f64 = factor / (a + n);
            sum += term;
            if term.abs() <= 1e-17 * sum.abs() {
                break;
            }
        }
        return -expm1(a * log_x - lgamma(1.0 + a)) - (a * log_x - lgamma(a)).exp() * sum;
    }
    let scale = (a * log_x - x - lgamma(a)).exp();
    if x < a + 1.0 {
        let mut term = 1.0 / a;
        let mut sum = term;
        for n in (1..5000).map(f64::from) {
            term *= x / (a + n);
            sum += term;
            if term <= 1e-17 * sum {
                break;
            }
        }
        return if upper { 1.0 - scale * sum } else { scale * sum };
    }
    if scale == 0.0 {
        return all(!upper);
    }
    let (mut b, mut c) = (x + 1.0 - a, 1e300);
    let mut d = 1.0 / b;
    let mut fraction = d;
    for n in (1..5000).map(f64::from) {
        let step = n * (a - n);
        b += 2.0;
        d = 1.0 / (step * d + b);
        c = b + step / c;
        let change: f64 = c * d;
        fraction *= change;
        if (change - 1.0).abs() <= 2e-16 {
            break;
        }
    }
    if upper { scale * fraction } else { 1.0 - scale * fraction }
}

#[cfg(test)]
mod tests {
    use super::gamma_part;

    #[test]
    fn both_parts_match_known_values() {
        let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-11 * b.abs(), "{a} {b}");
        near(gamma_part(1.0, 1.0, false), 1.0 - (-1.0f64).exp());
        near(gamma_part(0.5, 2.0, true), 0.045_500_263_896_358_42);
        near(gamma_part(3.0, 30.0, true), 4.501_016_648_012_124e-11);
        near(gamma_part(20_000.0, 20_000.0, false), 0.500_940_316_233_749_3);
        assert!(gamma_part(-1.0, 1.0, false).is_nan() && gamma_part(0.0, 0.0, true).is_nan());
        assert_eq!(gamma_part(0.0, 2.0, false), 1.0);
        assert_eq!(gamma_part(2.0, f64::INFINITY, true), 0.0);
    }
}
