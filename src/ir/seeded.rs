//! Data of constants that a seed makes, as like the original as a few numbers say: for texts that leave large data out.
//!
//! Invariant: the same numbers give the same bytes, on every machine.

use crate::types::{Dtype, float_text};
use std::fmt;

/// How the elements of a constant are made: floats of a mean and a spread (standard deviation), whole numbers in a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seeded {
    Floats { seed: u64, mean: f64, spread: f64 },
    Integers { seed: u64, from: i64, to: i64 },
}

/// The most bytes that a seed stands for. One line of text must not exhaust the host's memory.
pub const MOST_BYTES: usize = 8 << 30;

impl Seeded {
    /// Made as these elements are.
    pub fn like(dtype: Dtype, bytes: &[u8], seed: u64) -> Seeded {
        let elements = bytes.chunks_exact(dtype.size().max(1));
        if !dtype.is_float() {
            let (mut from, mut to) = (i64::MAX, i64::MIN);
            for value in elements.map(|e| integer(dtype, e)) {
                (from, to) = (from.min(value), to.max(value));
            }
            return Seeded::Integers { seed, from: from.min(to), to };
        }
        let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for value in elements.map(|e| float(dtype, e)).filter(|v| v.is_finite()) {
            count += 1.0;
            sum += value;
            squares += value * value;
        }
        let mean = if count > 0.0 { sum / count } else { 0.0 };
        let spread = if count > 0.0 { (squares / count - mean * mean).max(0.0).sqrt() } else { 0.0 };
        let known = |v: f64| if v.is_finite() { v } else { 0.0 };
        Seeded::Floats { seed, mean: known(mean), spread: known(spread) }
    }

    /// So many bytes of elements; `None` for dtypes that are not computed with, and where there is no memory for them or they are
    /// more than [`MOST_BYTES`].
    pub fn bytes(&self, dtype: Dtype, bytes: usize) -> Option<Vec<u8>> {
        let size = dtype.size().max(1);
        let mut made = Vec::new();
        if bytes > MOST_BYTES || made.try_reserve_exact(bytes).is_err() {
            return None;
        }
        for k in 0..(bytes / size) as u64 {
            match *self {
                Seeded::Floats { seed, mean, spread } => {
                    // Uniform, with that standard deviation.
                    let value = mean + spread * 3f64.sqrt() * (2.0 * uniform(seed, k) - 1.0);
                    match dtype {
                        Dtype::Float64 => made.extend(value.to_le_bytes()),
                        Dtype::Float32 => made.extend((value as f32).to_le_bytes()),
                        Dtype::Float16 => made.extend(half::f16::from_f32(value as f32).to_le_bytes()),
                        Dtype::Bfloat16 => made.extend(half::bf16::from_f32(value as f32).to_le_bytes()),
                        _ => return None,
                    }
                }
                Seeded::Integers { seed, from, to } => {
                    let range = (i128::from(to) - i128::from(from) + 1).max(1);
                    let value = i128::from(from) + i128::from(word(seed, k)) % range;
                    if dtype.is_float() {
                        return None;
                    }
                    made.extend_from_slice(&(value as i64).to_le_bytes()[..size.min(8)]);
                }
            }
        }
        Some(made)
    }
}

/// As the text says it.
impl fmt::Display for Seeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Seeded::Floats { seed, mean, spread } => {
                write!(f, "seeded {seed} mean {} spread {}", float_text(*mean), float_text(*spread))
            }
            Seeded::Integers { seed, from, to } => write!(f, "seeded {seed} from {from} to {to}"),
        }
    }
}

/// The `k`-th of a sequence of words (splitmix64).
fn word(seed: u64, k: u64) -> u64 {
    let mut z =
        seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add((k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// From 0 to 1, without 1.
fn uniform(seed: u64, k: u64) -> f64 {
    (word(seed, k) >> 11) as f64 / (1u64 << 53) as f64
}

fn float(dtype: Dtype, bytes: &[u8]) -> f64 {
    match (dtype, bytes) {
        (Dtype::Float64, b) => b.try_into().map_or(f64::NAN, f64::from_le_bytes),
        (Dtype::Float32, b) => b.try_into().map_or(f64::NAN, |b| f32::from_le_bytes(b).into()),
        (Dtype::Float16, b) => b.try_into().map_or(f64::NAN, |b| half::f16::from_le_bytes(b).into()),
        (Dtype::Bfloat16, b) => b.try_into().map_or(f64::NAN, |b| half::bf16::from_le_bytes(b).into()),
        _ => f64::NAN,
    }
}

fn integer(dtype: Dtype, bytes: &[u8]) -> i64 {
    let mut word = [0u8; 8];
    let n = bytes.len().min(8);
    word[..n].copy_from_slice(&bytes[..n]);
    let shift = 64 - 8 * n as u32;
    let raw = i64::from_le_bytes(word);
    if dtype.is_signed() { (raw << shift) >> shift } else { raw }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_is_like_what_was() {
        let values: Vec<u8> =
            (0..1000).flat_map(|k| (3.0 + ((k * 37) % 100) as f32 / 50.0).to_le_bytes()).collect();
        let first = Seeded::like(Dtype::Float32, &values, 5);
        let again = Seeded::like(Dtype::Float32, &first.bytes(Dtype::Float32, 4000).unwrap(), 5);
        let (Seeded::Floats { mean: m1, spread: s1, .. }, Seeded::Floats { mean: m2, spread: s2, .. }) =
            (first, again)
        else {
            panic!("floats");
        };
        assert!((m1 - m2).abs() < 0.05 && (s1 - s2).abs() < 0.05, "{m1} {m2} {s1} {s2}");
        let bytes = [1u8, 255, 3];
        assert_eq!(Seeded::like(Dtype::Int8, &bytes, 0), Seeded::Integers { seed: 0, from: -1, to: 3 });
        let made = Seeded::Integers { seed: 9, from: 0, to: 1 }.bytes(Dtype::Bool, 100).unwrap();
        assert!(made.contains(&0) && made.contains(&1) && made.iter().all(|b| *b < 2));
        assert_ne!(Seeded::Integers { seed: 8, from: 0, to: 1 }.bytes(Dtype::Bool, 100).unwrap(), made);
    }

    #[test]
    fn a_line_takes_no_more_memory_than_there_may_be() {
        let refused = crate::meta::text::parse(
            "graph \"g\" {\n  parameter %0 \"w\": float32[1099511627776] = seeded 7 mean 0.0 spread 0.1\n}\n",
        );
        let message = refused.unwrap_err().to_string();
        assert!(message.contains("4398046511104 bytes"), "{message}");
    }
}
