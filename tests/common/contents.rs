//! What the elements of random tensors are.

use super::random::Random;
use litz::types::Dtype;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Content {
    /// Eighths from -1 to 1; integers from -8 to 8. Products and sums of a few are exact in any order.
    Small,
    /// Eighths from 1/8 to 2; integers from 1 to 8.
    Positive,
    /// Integers from 0, below this; now and then one outside of it.
    Index(i64),
    /// The ends of a dtype's range, and what is no number.
    Extreme,
    /// Ascending from 0.
    Ascending,
}

pub fn fill(dtype: Dtype, count: usize, content: Content, random: &mut Random) -> Vec<u8> {
    let outside = random.once_in(12);
    let mut bytes = Vec::with_capacity(count * dtype.size());
    let mut last = 0;
    for _ in 0..count {
        match content {
            Content::Small if dtype.is_float() => {
                push_float(dtype, random.within(-8, 9) as f64 / 8.0, &mut bytes);
            }
            Content::Positive if dtype.is_float() => {
                push_float(dtype, random.within(1, 17) as f64 / 8.0, &mut bytes);
            }
            Content::Small if dtype.is_signed() => push_int(dtype, random.within(-8, 9), &mut bytes),
            Content::Small | Content::Positive => push_int(dtype, random.within(1, 9), &mut bytes),
            Content::Index(bound) => {
                let index = match outside && random.once_in(6) {
                    true => random.of(&[bound, -1, -bound, -bound - 1, 1 << 40, i64::MAX, i64::MIN]),
                    false => random.within(0, bound.max(1)),
                };
                push_int(dtype, index, &mut bytes);
            }
            Content::Ascending => {
                push_int(dtype, last, &mut bytes);
                last += random.within(0, 3);
            }
            Content::Extreme => extreme(dtype, random, &mut bytes),
        }
    }
    bytes
}

fn extreme(dtype: Dtype, random: &mut Random, bytes: &mut Vec<u8>) {
    if dtype.is_float() {
        let values = [
            0.0,
            -0.0,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            1e-42,
            3.0e38,
            -3.0e38,
            65504.0,
            1.0,
            -1.0,
            0.5,
            2147483648.0,
            -9.3e18,
        ];
        return push_float(dtype, random.of(&values), bytes);
    }
    let values =
        [0, 1, -1, i64::MAX, i64::MIN, i32::MAX.into(), i32::MIN.into(), 127, -128, 255, 32767, 65535];
    push_int(dtype, random.of(&values), bytes);
}

fn push_float(dtype: Dtype, value: f64, bytes: &mut Vec<u8>) {
    match dtype {
        Dtype::Float64 => bytes.extend(value.to_le_bytes()),
        Dtype::Float32 => bytes.extend((value as f32).to_le_bytes()),
        Dtype::Float16 => bytes.extend(half::f16::from_f64(value).to_le_bytes()),
        Dtype::Bfloat16 => bytes.extend(half::bf16::from_f64(value).to_le_bytes()),
        other => bytes.extend(std::iter::repeat_n(0, other.size())),
    }
}

/// An integer in a dtype, wrapped; in a dtype of floats its value.
fn push_int(dtype: Dtype, value: i64, bytes: &mut Vec<u8>) {
    match dtype {
        Dtype::Bool => bytes.push(u8::from(value & 1 != 0)),
        d if d.is_integer() => bytes.extend(&value.to_le_bytes()[..d.size()]),
        d => push_float(d, value as f64, bytes),
    }
}

/// An element's value; integers beyond 2^53 lose digits.
pub fn number(dtype: Dtype, b: &[u8]) -> f64 {
    match dtype {
        Dtype::Float64 => f64::from_le_bytes(b.try_into().expect("eight bytes")),
        Dtype::Float32 => f32::from_le_bytes(b.try_into().expect("four bytes")).into(),
        Dtype::Float16 => half::f16::from_le_bytes(b.try_into().expect("two bytes")).into(),
        Dtype::Bfloat16 => half::bf16::from_le_bytes(b.try_into().expect("two bytes")).into(),
        d if d.is_signed() && d.is_integer() => {
            let fill = if b.last().is_some_and(|b| b & 0x80 != 0) { 0xff } else { 0 };
            let mut all = [fill; 8];
            all[..b.len()].copy_from_slice(b);
            i64::from_le_bytes(all) as f64
        }
        _ => {
            let mut all = [0; 8];
            all[..b.len().min(8)].copy_from_slice(&b[..b.len().min(8)]);
            u64::from_le_bytes(all) as f64
        }
    }
}
