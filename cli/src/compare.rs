//! Comparing tensors: PyTorch's rule, `|got - wanted| <= atol + rtol * |wanted|`, with NaN equal to NaN.

use crate::args::Tolerance;
use crate::output::Output;
use litz_api::{Dtype, Tensor};
use serde_json::{Value, json};

/// The elements as numbers; the parts of complex ones one after the other.
pub fn numbers(tensor: &Tensor) -> Result<Vec<f64>, litz_api::Error> {
    let bytes = tensor.bytes()?;
    macro_rules! of {
        ($ty:ty) => {
            bytes
                .chunks_exact(size_of::<$ty>())
                .map(|c| <$ty>::from_ne_bytes(c.try_into().unwrap()) as f64)
                .collect()
        };
    }
    Ok(match tensor.dtype() {
        Dtype::Uint8 | Dtype::Bool => of!(u8),
        Dtype::Int8 => of!(i8),
        Dtype::Uint16 => of!(u16),
        Dtype::Int16 => of!(i16),
        Dtype::Uint32 => of!(u32),
        Dtype::Int32 => of!(i32),
        Dtype::Uint64 => of!(u64),
        Dtype::Int64 => of!(i64),
        Dtype::Float32 | Dtype::Complex64 => of!(f32),
        Dtype::Float64 | Dtype::Complex128 => of!(f64),
        Dtype::Float16 => {
            bytes.chunks_exact(2).map(|c| half::f16::from_ne_bytes([c[0], c[1]]).to_f64()).collect()
        }
        Dtype::Bfloat16 => {
            bytes.chunks_exact(2).map(|c| half::bf16::from_ne_bytes([c[0], c[1]]).to_f64()).collect()
        }
        Dtype::Float8E4m3fn => bytes.iter().map(|b| eight_bits(*b, 4, 7, b & 0x7f == 0x7f, false)).collect(),
        Dtype::Float8E4m3fnuz => bytes.iter().map(|b| eight_bits(*b, 4, 8, *b == 0x80, false)).collect(),
        Dtype::Float8E5m2 => bytes.iter().map(|b| eight_bits(*b, 5, 15, b & 0x7f > 0x7c, true)).collect(),
        Dtype::Float8E5m2fnuz => bytes.iter().map(|b| eight_bits(*b, 5, 16, *b == 0x80, false)).collect(),
    })
}

/// A float of 8 bits.
fn eight_bits(bits: u8, exponent_bits: u32, bias: i32, nan: bool, has_infinity: bool) -> f64 {
    let fraction_bits = 7 - exponent_bits;
    let sign = if bits & 0x80 != 0 { -1.0 } else { 1.0 };
    let exponent = i32::from((bits & 0x7f) >> fraction_bits);
    let fraction = f64::from(bits & ((1 << fraction_bits) - 1)) / f64::from(1 << fraction_bits);
    match exponent {
        _ if nan => f64::NAN,
        _ if has_infinity && bits & 0x7f == 0x7c => sign * f64::INFINITY,
        0 => sign * fraction * f64::from(1 - bias).exp2(),
        _ => sign * (1.0 + fraction) * f64::from(exponent - bias).exp2(),
    }
}

/// PyTorch's tolerances of a dtype (assert_close).
fn usual(dtype: Dtype) -> (f64, f64) {
    match dtype {
        Dtype::Float16 => (1e-3, 1e-5),
        Dtype::Bfloat16 => (1.6e-2, 1e-5),
        Dtype::Float32 | Dtype::Complex64 => (1.3e-6, 1e-5),
        Dtype::Float64 | Dtype::Complex128 => (1e-7, 1e-7),
        Dtype::Float8E4m3fn | Dtype::Float8E5m2 | Dtype::Float8E4m3fnuz | Dtype::Float8E5m2fnuz => {
            (0.25, 1e-5)
        }
        _ => (0.0, 0.0),
    }
}

/// What two tensors have between them.
pub struct Comparison {
    pub name: String,
    pub equal: bool,
    json: Value,
    words: String,
}

pub fn compare(
    name: &str,
    got: &Tensor,
    wanted: &Tensor,
    tolerance: Tolerance,
) -> Result<Comparison, litz_api::Error> {
    let different = |what: String| Comparison {
        name: name.to_string(),
        equal: false,
        json: json!({"name": name, "equal": false, "because": what}),
        words: what,
    };
    if got.dtype() != wanted.dtype() {
        return Ok(different(format!("the dtype is {}, not {}", got.dtype().name(), wanted.dtype().name())));
    }
    if got.shape() != wanted.shape() {
        return Ok(different(format!("the sizes are {:?}, not {:?}", got.shape(), wanted.shape())));
    }
    let (rtol, atol) = usual(got.dtype());
    let (rtol, atol) = (tolerance.rtol.unwrap_or(rtol), tolerance.atol.unwrap_or(atol));
    // Whole numbers are compared as they are: a double cannot hold those of 64 bits.
    let exact = rtol == 0.0 && atol == 0.0 && usual(got.dtype()) == (0.0, 0.0);
    let (a, b) = (numbers(got)?, numbers(wanted)?);
    let (got_bytes, wanted_bytes) = (got.bytes()?, wanted.bytes()?);
    let size = (got_bytes.len() / a.len().max(1)).max(1);
    let (mut wrong, mut worst, mut largest, mut relative) = (0u64, None, 0.0f64, 0.0f64);
    for (k, (x, y)) in a.iter().zip(&b).enumerate() {
        let same_bits = got_bytes[k * size..(k + 1) * size] == wanted_bytes[k * size..(k + 1) * size];
        if same_bits || (x.is_nan() && y.is_nan()) {
            continue;
        }
        let difference = if x == y { 0.0 } else { (x - y).abs() };
        // An infinity equals itself alone; the difference from one is no number within a tolerance.
        let is_equal = !exact && (x == y || (difference.is_finite() && difference <= atol + rtol * y.abs()));
        let severity = if difference.is_nan() { f64::INFINITY } else { difference };
        if severity > largest || worst.is_none() {
            worst = Some((k, *x, *y));
        }
        largest = largest.max(severity);
        if *y != 0.0 {
            relative = relative.max(severity / y.abs());
        }
        wrong += u64::from(!is_equal);
    }
    let worst = worst.filter(|_| largest > 0.0 || wrong > 0);
    let place = |k: usize| -> Vec<i64> {
        let mut left = (k / (a.len() / got.count().max(1)).max(1)) as i64;
        let mut index: Vec<i64> = got
            .shape()
            .iter()
            .rev()
            .map(|d| {
                let i = left % d;
                left /= d;
                i
            })
            .collect();
        index.reverse();
        index
    };
    let words = match worst {
        None => "the same".to_string(),
        Some((k, x, y)) if wrong == 0 => {
            format!("within tolerance; differs by at most {largest:.3e} (at {:?}: {x} for {y})", place(k))
        }
        Some((k, x, y)) => format!(
            "{wrong} of {} elements differ, by {largest:.3e} at most: at {:?} it is {x}, not {y} (rtol {rtol:e}, atol {atol:e})",
            a.len(),
            place(k)
        ),
    };
    let json = json!({
        "name": name, "equal": wrong == 0, "elements": a.len(), "mismatched": wrong,
        "largest_difference": largest.is_finite().then_some(largest),
        "largest_relative_difference": relative.is_finite().then_some(relative),
        "worst": worst.map(|(k, x, y)| json!({"index": place(k), "got": shown(x), "wanted": shown(y)})),
        "rtol": rtol, "atol": atol,
    });
    Ok(Comparison { name: name.to_string(), equal: wrong == 0, json, words })
}

/// JSON has no infinities.
fn shown(x: f64) -> Value {
    if x.is_finite() { x.into() } else { x.to_string().into() }
}

impl Comparison {
    pub fn json(&self) -> Value {
        self.json.clone()
    }
    pub fn say(&self, output: &Output) {
        let mark = if self.equal { output.good("equal") } else { output.bad("differs") };
        output.say(&format!("  {mark}  {}: {}", self.name, self.words));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(got: &Tensor, wanted: &Tensor, tolerance: Tolerance) -> (bool, String) {
        let c = compare("t", got, wanted, tolerance).unwrap();
        (c.equal, c.words)
    }

    #[test]
    fn numbers_are_compared_as_pytorch_does() {
        let of = |list: &[f32]| Tensor::from_slice(&[list.len() as i64], list).unwrap();
        let exact = Tolerance::default();
        assert!(equal(&of(&[1.0, f32::NAN]), &of(&[1.0, f32::NAN]), exact).0);
        assert!(equal(&of(&[1.000001]), &of(&[1.0]), exact).0);
        let (same, words) = equal(&of(&[1.0, 2.1]), &of(&[1.0, 2.0]), exact);
        assert!(!same && words.contains("1 of 2") && words.contains("[1]"), "{words}");
        assert!(!equal(&of(&[f32::INFINITY]), &of(&[1.0]), Tolerance { rtol: Some(1e9), atol: None }).0);
        assert!(!equal(&of(&[f32::NAN]), &of(&[1.0]), Tolerance { rtol: Some(1e9), atol: None }).0);
        assert!(!equal(&of(&[1.0]), &of(&[1.0, 1.0]), exact).0);
        let large = |n: i64| Tensor::from_slice(&[1], &[n]).unwrap();
        assert!(!equal(&large(i64::MAX), &large(i64::MAX - 1), exact).0);
        assert!(equal(&large(10), &large(9), Tolerance { rtol: None, atol: Some(1.0) }).0);
    }

    #[test]
    fn floats_of_8_bits_are_numbers() {
        let value = |dtype, bits| numbers(&Tensor::from_bytes(dtype, &[1], &[bits]).unwrap()).unwrap()[0];
        assert_eq!(value(Dtype::Float8E4m3fn, 0x38), 1.0);
        assert_eq!(value(Dtype::Float8E4m3fn, 0x7e), 448.0);
        assert_eq!(value(Dtype::Float8E5m2, 0xbc), -1.0);
        assert_eq!(value(Dtype::Float8E5m2, 0x7c), f64::INFINITY);
        assert_eq!(value(Dtype::Float8E4m3fnuz, 0x40), 1.0);
        assert!(value(Dtype::Float8E5m2fnuz, 0x80).is_nan());
    }
}
