//! What each operation does to one pair of numbers. Float functions without an exact machine instruction are
//! computed in float64 and rounded once, so that the result for float32 is the nearest one or its neighbour.

use crate::loops::gamma::gamma_part;
use crate::loops::{BinaryOp, UnaryOp};
use crate::types::Dtype;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// A float function other than a predicate, in float64.
pub fn float_unary(op: UnaryOp, x: f64) -> f64 {
    use UnaryOp::*;
    match op {
        Neg => -x,
        Abs => x.abs(),
        Sign => ((x > 0.0) as i8 - (x < 0.0) as i8) as f64,
        Exp => x.exp(),
        Exp2 => x.exp2(),
        Expm1 => x.exp_m1(),
        Log => x.ln(),
        Log2 => x.log2(),
        Log10 => x.log10(),
        Log1p => x.ln_1p(),
        Sin => x.sin(),
        Cos => x.cos(),
        Tan => x.tan(),
        Asin => x.asin(),
        Acos => x.acos(),
        Atan => x.atan(),
        Sinh => x.sinh(),
        Cosh => x.cosh(),
        Tanh => x.tanh(),
        Asinh => libm::asinh(x),
        // libm's finds a number for some that are far below 1.
        Acosh => {
            if x < 1.0 {
                f64::NAN
            } else {
                libm::acosh(x)
            }
        }
        Atanh => libm::atanh(x),
        Erf => libm::erf(x),
        Erfc => libm::erfc(x),
        Erfinv => erfinv(x),
        Sqrt => x.sqrt(),
        Rsqrt => 1.0 / x.sqrt(),
        Reciprocal => 1.0 / x,
        Sigmoid => sigmoid(x),
        GeluTanh => x * sigmoid(2.0 * (FRAC_2_SQRT_PI * FRAC_1_SQRT_2) * (x + 0.044715 * x * x * x)),
        Floor => x.floor(),
        Ceil => x.ceil(),
        Trunc => x.trunc(),
        Round => x.round_ties_even(),
        Lgamma => lgamma(x),
        Digamma => digamma(x),
        LogicalNot | BitwiseNot | FromBits | ToBits | HalfFromBits | BfloatFromBits | IsNan | IsInf
        | Signbit => f64::NAN,
    }
}

/// `1 / (1 + exp(-x))` without losing the small values.
fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        let e = x.exp();
        e / (1.0 + e)
    }
}

fn lgamma(x: f64) -> f64 {
    if x == f64::NEG_INFINITY { f64::INFINITY } else { libm::lgamma(x) }
}

/// The logarithmic derivative of the gamma function: reflection, recurrence up to 10, asymptotic series
/// (Abramowitz and Stegun 6.3.18).
fn digamma(x: f64) -> f64 {
    if x == 0.0 {
        return f64::INFINITY.copysign(-x);
    }
    if x < 0.0 {
        if x == x.trunc() {
            return f64::NAN;
        }
        let fraction = x - x.trunc();
        return digamma(1.0 - x) - std::f64::consts::PI / (std::f64::consts::PI * fraction).tan();
    }
    let (mut x, mut shift) = (x, 0.0);
    while x < 10.0 {
        shift -= 1.0 / x;
        x += 1.0;
    }
    if x.is_infinite() {
        return x;
    }
    let z = 1.0 / (x * x);
    let series = z
        * (1.0 / 12.0
            - z * (1.0 / 120.0
                - z * (1.0 / 252.0
                    - z * (1.0 / 240.0 - z * (1.0 / 132.0 - z * (691.0 / 32760.0 - z / 12.0))))));
    shift + x.ln() - 0.5 / x - series
}

/// The inverse of `erf`: a rough start from the logarithm (Winitzki), then Halley's method on `erf` itself.
fn erfinv(y: f64) -> f64 {
    if !(-1.0..=1.0).contains(&y) {
        return f64::NAN;
    }
    if y.abs() == 1.0 {
        return f64::INFINITY.copysign(y);
    }
    if y == 0.0 {
        return y;
    }
    let magnitude = y.abs();
    let l = (-magnitude * magnitude).ln_1p();
    let a = 0.147;
    let t = 2.0 / (std::f64::consts::PI * a) + l / 2.0;
    let mut x = ((t * t - l / a).sqrt() - t).sqrt();
    for _ in 0..4 {
        // Near 1 the complement keeps the digits that the function itself loses.
        let error =
            if magnitude > 0.5 { (1.0 - magnitude) - libm::erfc(x) } else { libm::erf(x) - magnitude };
        let step = error / (std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp());
        if !step.is_finite() {
            break;
        }
        x -= step / (1.0 + x * step);
    }
    x.copysign(y)
}

/// The float functions of two arguments that give a float, written once for both widths.
macro_rules! float_binary {
    ($name:ident, $t:ident, $nextafter:path) => {
        pub fn $name(op: BinaryOp, a: $t, b: $t) -> $t {
            use BinaryOp::*;
            match op {
                Add => a + b,
                Sub => a - b,
                Mul => a * b,
                Div => a / b,
                FloorDiv => {
                    if b == 0.0 {
                        return a / b;
                    }
                    // PyTorch's way of agreeing with Python where the quotient is not exact.
                    let rest = a % b;
                    let mut quotient = (a - rest) / b;
                    if rest != 0.0 && (b < 0.0) != (rest < 0.0) {
                        quotient -= 1.0;
                    }
                    if quotient == 0.0 {
                        return (0.0 as $t).copysign(a / b);
                    }
                    let floor = quotient.floor();
                    if quotient - floor > 0.5 { floor + 1.0 } else { floor }
                }
                TruncDiv => (a / b).trunc(),
                Remainder => {
                    let rest = a % b;
                    if rest != 0.0 && (b < 0.0) != (rest < 0.0) { rest + b } else { rest }
                }
                Fmod => a % b,
                Pow => (a as f64).powf(b as f64) as $t,
                Maximum => {
                    if a.is_nan() || a > b {
                        a
                    } else {
                        b
                    }
                }
                Minimum => {
                    if a.is_nan() || a < b {
                        a
                    } else {
                        b
                    }
                }
                Fmax => {
                    if b.is_nan() || a > b {
                        a
                    } else {
                        b
                    }
                }
                Fmin => {
                    if b.is_nan() || a < b {
                        a
                    } else {
                        b
                    }
                }
                Atan2 => (a as f64).atan2(b as f64) as $t,
                Copysign => a.copysign(b),
                Nextafter => $nextafter(a, b),
                Hypot => (a as f64).hypot(b as f64) as $t,
                Igamma => gamma_part(a as f64, b as f64, false) as $t,
                Igammac => gamma_part(a as f64, b as f64, true) as $t,
                _ => <$t>::NAN,
            }
        }
    };
}
float_binary!(float32_binary, f32, libm::nextafterf);
float_binary!(float64_binary, f64, libm::nextafter);

pub fn float_compare(op: BinaryOp, a: f64, b: f64) -> bool {
    use BinaryOp::*;
    match op {
        Eq => a == b,
        Ne => a != b,
        Lt => a < b,
        Le => a <= b,
        Gt => a > b,
        Ge => a >= b,
        LogicalAnd => a != 0.0 && b != 0.0,
        LogicalOr => a != 0.0 || b != 0.0,
        LogicalXor => (a != 0.0) != (b != 0.0),
        _ => false,
    }
}

/// An integer as its dtype holds it: two's complement, cut to its width. `uint64` keeps its bits in the `i64`.
pub fn wrap(dtype: Dtype, v: i64) -> i64 {
    match dtype {
        Dtype::Bool => (v != 0) as i64,
        Dtype::Uint8 => v as u8 as i64,
        Dtype::Int8 => v as i8 as i64,
        Dtype::Int16 => v as i16 as i64,
        Dtype::Uint16 => v as u16 as i64,
        Dtype::Int32 => v as i32 as i64,
        Dtype::Uint32 => v as u32 as i64,
        _ => v,
    }
}

/// Integer functions of one argument; the result is not yet cut to the dtype.
pub fn int_unary(op: UnaryOp, dtype: Dtype, x: i64) -> i64 {
    use UnaryOp::*;
    match op {
        Neg => x.wrapping_neg(),
        Abs if dtype == Dtype::Uint64 => x,
        Abs => x.wrapping_abs(),
        Sign if dtype == Dtype::Uint64 => (x != 0) as i64,
        Sign => x.signum(),
        LogicalNot => (x == 0) as i64,
        BitwiseNot if dtype == Dtype::Bool => (x == 0) as i64,
        BitwiseNot => !x,
        IsNan | IsInf | ToBits | FromBits | HalfFromBits | BfloatFromBits => 0,
        Signbit => (dtype != Dtype::Uint64 && x < 0) as i64,
        Floor | Ceil | Trunc | Round => x,
        // What has no meaning for integers is cast to a float before.
        _ => float_unary(op, int_to_f64(dtype, x)) as i64,
    }
}

/// Integer functions of two arguments; the result is not yet cut to the dtype. A zero divisor gives 0: programs
/// exclude it with a check, and lanes that are masked out may still meet it.
pub fn int_binary(op: BinaryOp, dtype: Dtype, a: i64, b: i64) -> i64 {
    use BinaryOp::*;
    let unsigned = dtype == Dtype::Uint64;
    let (ua, ub) = (a as u64, b as u64);
    let less = if unsigned { ua < ub } else { a < b };
    let bits = dtype.size() as i64 * 8;
    match op {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        Div | FloorDiv | TruncDiv | Remainder | Fmod if b == 0 => 0,
        Div | FloorDiv | TruncDiv if unsigned => (ua / ub) as i64,
        Remainder | Fmod if unsigned => (ua % ub) as i64,
        Div | TruncDiv => a.wrapping_div(b),
        Fmod => a.wrapping_rem(b),
        FloorDiv => {
            let (q, r) = (a.wrapping_div(b), a.wrapping_rem(b));
            if r != 0 && (r < 0) != (b < 0) { q - 1 } else { q }
        }
        Remainder => {
            let r = a.wrapping_rem(b);
            if r != 0 && (r < 0) != (b < 0) { r + b } else { r }
        }
        Pow => int_pow(dtype, a, b),
        Maximum | Fmax => {
            if less {
                b
            } else {
                a
            }
        }
        Minimum | Fmin => {
            if less {
                a
            } else {
                b
            }
        }
        Eq => (a == b) as i64,
        Ne => (a != b) as i64,
        Lt => less as i64,
        Ge => !less as i64,
        Gt => (!less && a != b) as i64,
        Le => (less || a == b) as i64,
        LogicalAnd => (a != 0 && b != 0) as i64,
        LogicalOr => (a != 0 || b != 0) as i64,
        LogicalXor => ((a != 0) != (b != 0)) as i64,
        BitwiseAnd => a & b,
        BitwiseOr => a | b,
        BitwiseXor => a ^ b,
        // A distance outside the width shifts everything out, as in PyTorch.
        ShiftLeft if !(0..bits).contains(&b) => 0,
        ShiftLeft => a.wrapping_shl(b as u32),
        ShiftRight if unsigned && (0..bits).contains(&b) => (ua >> b) as i64,
        ShiftRight if unsigned => 0,
        ShiftRight if !(0..bits).contains(&b) => a >> 63,
        ShiftRight => a >> b,
        Philox => philox(a as u64, b as u64) as i64,
        Copysign | Atan2 | Nextafter | Hypot | Igamma | Igammac => {
            float64_binary(op, int_to_f64(dtype, a), int_to_f64(dtype, b)) as i64
        }
    }
}

/// Philox 4x32-10 (Salmon, Moraes, Dror and Shaw: Parallel random numbers: as easy as 1, 2, 3; 2011): word `place % 4` of
/// block `place / 4` under a key.
fn philox(key: u64, place: u64) -> u32 {
    let block = place / 4;
    let mut counter = [block as u32, (block >> 32) as u32, 0, 0];
    let mut key = [key as u32, (key >> 32) as u32];
    for _ in 0..10 {
        let wide = [0xD251_1F53u64, 0xCD9E_8D57];
        let products = [wide[0] * u64::from(counter[0]), wide[1] * u64::from(counter[2])];
        let [low, high] = [products.map(|p| p as u32), products.map(|p| (p >> 32) as u32)];
        counter = [high[1] ^ counter[1] ^ key[0], low[1], high[0] ^ counter[3] ^ key[1], low[0]];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    counter[(place % 4) as usize]
}

fn int_pow(dtype: Dtype, base: i64, exponent: i64) -> i64 {
    if exponent < 0 && dtype.is_signed() {
        return match base {
            1 => 1,
            -1 if exponent % 2 == 0 => 1,
            -1 => -1,
            _ => 0,
        };
    }
    let (mut result, mut square, mut left) = (1i64, base, exponent as u64);
    while left > 0 {
        if left & 1 == 1 {
            result = result.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        left >>= 1;
    }
    result
}

pub fn int_to_f64(dtype: Dtype, v: i64) -> f64 {
    if dtype == Dtype::Uint64 { v as u64 as f64 } else { v as f64 }
}
pub fn int_to_f32(dtype: Dtype, v: i64) -> f32 {
    if dtype == Dtype::Uint64 { v as u64 as f32 } else { v as f32 }
}

/// A float as an integer: truncated. What does not fit is undefined in C; here it is what x86 machines give.
pub fn float_to_int(dtype: Dtype, x: f64) -> i64 {
    let within = |min: f64, max: f64| x >= min && x < max;
    match dtype {
        Dtype::Bool => (x != 0.0) as i64,
        Dtype::Uint64 if x >= 0.0 => x as u64 as i64,
        Dtype::Int64 | Dtype::Uint32 | Dtype::Uint64 => {
            let all = if within(-(2f64.powi(63)), 2f64.powi(63)) { x as i64 } else { i64::MIN };
            wrap(dtype, all)
        }
        _ => {
            let narrow = if within(-2147483649.0, 2147483648.0) { x as i32 } else { i32::MIN };
            wrap(dtype, narrow as i64)
        }
    }
}

/// The value as the reduced float holds it, rounded to nearest, ties to even.
pub fn round_reduced(dtype: Dtype, x: f32) -> f32 {
    match dtype {
        Dtype::Float16 => half::f16::from_f32(x).to_f32(),
        Dtype::Bfloat16 => half::bf16::from_f32(x).to_f32(),
        _ => x,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_functions_match_known_values() {
        let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-13 * b.abs().max(1.0), "{a} {b}");
        near(digamma(1.0), -0.577_215_664_901_532_9);
        near(digamma(0.25), -4.227_453_533_376_265);
        near(digamma(-1.5), 0.703_156_640_645_243_2);
        near(erfinv(0.5), 0.476_936_276_204_469_9);
        near(erfinv(-0.999), -2.326_753_765_513_525);
        near(erfinv(1e-10), 8.862_269_254_527_58e-11);
        assert!(erfinv(1.5).is_nan() && erfinv(1.0).is_infinite());
        assert_eq!(digamma(0.0), f64::NEG_INFINITY);
    }

    /// The answers that the authors of Random123 publish, for counters whose upper half is 0.
    #[test]
    fn philox_gives_the_published_words() {
        let block = |key: u64, block: u64| [0, 1, 2, 3].map(|k| philox(key, 4 * block + k));
        assert_eq!(block(0, 0), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    }

    #[test]
    fn integers_wrap_and_divide_as_python() {
        assert_eq!(wrap(Dtype::Uint8, -1), 255);
        assert_eq!(int_binary(BinaryOp::FloorDiv, Dtype::Int64, -7, 2), -4);
        assert_eq!(int_binary(BinaryOp::Remainder, Dtype::Int64, -7, 2), 1);
        assert_eq!(int_binary(BinaryOp::TruncDiv, Dtype::Int64, -7, 2), -3);
        assert_eq!(int_binary(BinaryOp::Fmod, Dtype::Int64, -7, 2), -1);
        assert_eq!(int_binary(BinaryOp::TruncDiv, Dtype::Int64, i64::MIN, -1), i64::MIN);
        assert_eq!(int_binary(BinaryOp::Lt, Dtype::Uint64, 1, -1), 1);
        assert_eq!(int_binary(BinaryOp::Pow, Dtype::Int64, 2, -1), 0);
        assert_eq!(float32_binary(BinaryOp::FloorDiv, -7.0, 2.0), -4.0);
        assert_eq!(float32_binary(BinaryOp::Remainder, -7.0, 2.0), 1.0);
        assert_eq!(float_to_int(Dtype::Int32, 3e9), i32::MIN as i64);
        assert_eq!(float_to_int(Dtype::Uint8, -1.0), 255);
    }

    #[test]
    fn nan_wins_or_loses() {
        assert!(float32_binary(BinaryOp::Maximum, f32::NAN, 1.0).is_nan());
        assert!(float32_binary(BinaryOp::Maximum, 1.0, f32::NAN).is_nan());
        assert_eq!(float32_binary(BinaryOp::Fmax, f32::NAN, 1.0), 1.0);
        assert_eq!(float32_binary(BinaryOp::Fmin, 1.0, f32::NAN), 1.0);
    }
}
