//! Bytes of floats as numbers, and from one dtype to another.
//!
//! Deliberately absent: float8 and complex numbers, and kernels that convert (the compiler makes those).

use super::Dtype;

/// An element of 64, 32 or 16 bits as a number; NaN for another dtype.
pub fn float(dtype: Dtype, bytes: &[u8]) -> f64 {
    match (dtype, bytes) {
        (Dtype::Float64, b) => b.try_into().map_or(f64::NAN, f64::from_ne_bytes),
        (Dtype::Float32, b) => b.try_into().map_or(f64::NAN, |b| f32::from_ne_bytes(b).into()),
        (Dtype::Float16, b) => b.try_into().map_or(f64::NAN, |b| half::f16::from_ne_bytes(b).into()),
        (Dtype::Bfloat16, b) => b.try_into().map_or(f64::NAN, |b| half::bf16::from_ne_bytes(b).into()),
        _ => f64::NAN,
    }
}

/// Floats of one dtype as those of another; `None` where [`float`] does not read one of the two. From 64 bits to 16 the number is
/// rounded to 32 bits first, as PyTorch does it.
pub fn converted(from: Dtype, to: Dtype, bytes: &[u8]) -> Option<Vec<u8>> {
    let known = |dtype| matches!(dtype, Dtype::Float64 | Dtype::Float32 | Dtype::Float16 | Dtype::Bfloat16);
    if !known(from) {
        return None;
    }
    let each = bytes.chunks_exact(from.size()).map(|element| float(from, element));
    Some(match to {
        Dtype::Float64 => each.flat_map(f64::to_ne_bytes).collect(),
        Dtype::Float32 => each.flat_map(|n| (n as f32).to_ne_bytes()).collect(),
        Dtype::Float16 => each.flat_map(|n| half::f16::from_f32(n as f32).to_ne_bytes()).collect(),
        Dtype::Bfloat16 => each.flat_map(|n| half::bf16::from_f32(n as f32).to_ne_bytes()).collect(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_become_those_of_another_dtype_as_in_pytorch() {
        let as_ = |to, n: f64| {
            let bytes = converted(Dtype::Float64, to, &n.to_ne_bytes()).expect("a float");
            float(to, &bytes)
        };
        assert_eq!(as_(Dtype::Float32, 0.1), f64::from(0.1f32));
        // Between 1 and 1 + 2^-10, a little above the middle: as float32 it is the middle, which goes to the even one.
        assert_eq!(as_(Dtype::Float16, 1.0 + (0.5f64).powi(11) + (0.5f64).powi(40)), 1.0);
        assert_eq!(as_(Dtype::Float16, 1.0 + (0.5f64).powi(11) + (0.5f64).powi(20)), 1.0 + (0.5f64).powi(10));
        assert_eq!(as_(Dtype::Bfloat16, 257.0), 256.0);
        assert_eq!(as_(Dtype::Float16, 1e6), f64::INFINITY);
        assert!(as_(Dtype::Bfloat16, f64::NAN).is_nan());
        assert_eq!(converted(Dtype::Int32, Dtype::Float32, &[0; 4]), None);
        assert_eq!(converted(Dtype::Float32, Dtype::Complex64, &[0; 4]), None);
    }
}
