//! Two results of one calculation: how far apart they are, and where most.
//!
//! Floats are compared with a tolerance of their dtype, relative to the element and to the typical size of the expected ones:
//! a sum of many terms is as exact as they are, not as itself. What is left where terms cancel out is as small as PyTorch's tests
//! allow. NaN equals NaN, and infinities their like. All else is compared exactly.

use crate::types::Dtype;
use crate::types::floats::float;

/// The element that is furthest from what it should be.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Its place among the elements.
    pub at: usize,
    pub found: String,
    pub expected: String,
    /// How many elements differ.
    pub count: usize,
    pub elements: usize,
}

/// What rounding of a dtype explains, relative.
pub fn tolerance(dtype: Dtype) -> f64 {
    match dtype {
        Dtype::Float64 => 1e-10,
        Dtype::Float32 => 1e-4,
        Dtype::Float16 => 5e-3,
        Dtype::Bfloat16 => 4e-2,
        _ => 0.0,
    }
}

/// Errors that are too small to count, whatever the elements are.
fn least(dtype: Dtype) -> f64 {
    if dtype == Dtype::Float64 { 1e-7 } else { 1e-5 }
}

/// Where two contiguous results differ by more than the tolerance; `None`: nowhere.
pub fn difference(dtype: Dtype, found: &[u8], expected: &[u8], tolerance: f64) -> Option<Difference> {
    let size = dtype.size().max(1);
    let elements = expected.len() / size;
    if found.len() != expected.len() {
        let said = |bytes: &[u8]| format!("{} elements", bytes.len() / size);
        return Some(Difference {
            at: 0,
            found: said(found),
            expected: said(expected),
            count: elements,
            elements,
        });
    }
    if !dtype.is_float() {
        let differs = |k: &usize| found[k * size..][..size] != expected[k * size..][..size];
        let mut places = (0..elements).filter(differs);
        let at = places.next()?;
        let said = |bytes: &[u8]| integer(dtype, &bytes[at * size..][..size]);
        let count = 1 + places.count();
        return Some(Difference { at, found: said(found), expected: said(expected), count, elements });
    }
    let float = |bytes: &[u8], k: usize| float(dtype, &bytes[k * size..][..size]);
    let (mut sum, mut finite) = (0.0, 0usize);
    for k in 0..elements {
        let e = float(expected, k);
        if e.is_finite() {
            sum += e * e;
            finite += 1;
        }
    }
    let typical = if finite > 0 && f64::is_finite(sum) { (sum / finite as f64).sqrt() } else { 0.0 };
    let (mut worst, mut count) = (None::<(f64, usize)>, 0);
    for k in 0..elements {
        let (f, e) = (float(found, k), float(expected, k));
        if f == e || (f.is_nan() && e.is_nan()) {
            continue;
        }
        let error = (f - e).abs();
        let excess = if error.is_finite() { error / (e.abs() + typical) } else { f64::INFINITY };
        if excess <= tolerance || error <= least(dtype) {
            continue;
        }
        count += 1;
        if worst.is_none_or(|(most, _)| excess > most) {
            worst = Some((excess, k));
        }
    }
    let (_, at) = worst?;
    let said = |bytes: &[u8]| format!("{}", float(bytes, at));
    Some(Difference { at, found: said(found), expected: said(expected), count, elements })
}

/// An element's index in a tensor of these sizes.
pub fn index_of(at: usize, shape: &[i64]) -> Vec<i64> {
    let (mut rest, mut index) = (at as i64, vec![0; shape.len()]);
    for (k, size) in shape.iter().enumerate().rev() {
        index[k] = rest % size.max(&1);
        rest /= size.max(&1);
    }
    index
}

fn integer(dtype: Dtype, bytes: &[u8]) -> String {
    let mut word = [0u8; 8];
    word[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
    let bits = 8 * dtype.size() as u32;
    let raw = u64::from_le_bytes(word);
    match dtype {
        Dtype::Bool => (raw != 0).to_string(),
        d if d.is_signed() => (((raw << (64 - bits)) as i64) >> (64 - bits)).to_string(),
        _ => raw.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_ne_bytes()).collect()
    }
    fn between(found: &[f32], expected: &[f32]) -> Option<Difference> {
        difference(Dtype::Float32, &floats(found), &floats(expected), tolerance(Dtype::Float32))
    }

    #[test]
    fn the_worst_element_is_told() {
        let found = between(&[1.0, 2.5, f32::NAN, 4.0, 9.0], &[1.0, 2.0, f32::NAN, 4.0, 5.0]).unwrap();
        assert_eq!((found.at, found.count, found.elements), (4, 2, 5));
        assert_eq!((found.found.as_str(), found.expected.as_str()), ("9", "5"));
        assert_eq!(index_of(4, &[1, 5]), [0, 4]);
        assert_eq!(index_of(5, &[2, 3]), [1, 2]);
    }

    #[test]
    fn rounding_is_no_difference() {
        assert_eq!(between(&[1.00001, 1e-6, f32::INFINITY], &[1.0, 0.0, f32::INFINITY]), None);
        assert_eq!(between(&[0.0], &[-0.0]), None);
        assert!(between(&[f32::INFINITY], &[f32::NEG_INFINITY]).is_some());
        assert!(between(&[f32::NAN], &[0.0]).is_some());
        assert!(between(&[1.0], &[0.0]).is_some());
    }

    #[test]
    fn integers_are_exact() {
        let found = difference(Dtype::Int8, &[1, 255], &[1, 254], 0.0).unwrap();
        assert_eq!((found.at, found.found.as_str(), found.expected.as_str()), (1, "-1", "-2"));
        let found = difference(Dtype::Bool, &[1], &[0], 0.0).unwrap();
        assert_eq!((found.found.as_str(), found.expected.as_str()), ("true", "false"));
        assert_eq!(difference(Dtype::Int64, &7i64.to_ne_bytes(), &7i64.to_ne_bytes(), 0.0), None);
    }
}
