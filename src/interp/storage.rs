//! Elements in memory: buffers of this run as bytes, read and written in their dtype.

use super::eval::Column;
use crate::loops::BufferId;
use crate::types::Dtype;

/// A buffer to read, with its sizes and strides (elements) in this run; its bytes suffice for all its elements.
pub(super) struct Slot<'a> {
    pub buffer: BufferId,
    pub dtype: Dtype,
    pub sizes: Vec<i64>,
    pub strides: Vec<i64>,
    pub bytes: &'a [u8],
}

fn read<const N: usize>(bytes: &[u8], offset: i64) -> [u8; N] {
    let start = offset as usize * N;
    let mut out = [0; N];
    out.copy_from_slice(&bytes[start..start + N]);
    out
}

/// Elements at the offsets; a negative one is not read and gives zero.
fn gather<T: Default, const N: usize>(
    bytes: &[u8],
    offsets: &[i64],
    out: &mut [T],
    f: impl Fn([u8; N]) -> T,
) {
    for (o, offset) in out.iter_mut().zip(offsets) {
        *o = if *offset < 0 { T::default() } else { f(read(bytes, *offset)) };
    }
}

impl Slot<'_> {
    pub fn gather_f32(&self, offsets: &[i64], out: &mut [f32]) {
        match self.dtype {
            Dtype::Float16 => {
                gather(self.bytes, offsets, out, |b| half::f16::from_ne_bytes(b).to_f32());
            }
            Dtype::Bfloat16 => {
                gather(self.bytes, offsets, out, |b| half::bf16::from_ne_bytes(b).to_f32());
            }
            _ => gather(self.bytes, offsets, out, f32::from_ne_bytes),
        }
    }
    pub fn gather_f64(&self, offsets: &[i64], out: &mut [f64]) {
        gather(self.bytes, offsets, out, f64::from_ne_bytes);
    }
    pub fn gather_i64(&self, offsets: &[i64], out: &mut [i64]) {
        match self.dtype {
            Dtype::Bool => gather(self.bytes, offsets, out, |b: [u8; 1]| (b[0] != 0) as i64),
            Dtype::Uint8 => gather(self.bytes, offsets, out, |b: [u8; 1]| b[0] as i64),
            Dtype::Int8 => gather(self.bytes, offsets, out, |b: [u8; 1]| b[0] as i8 as i64),
            // Of halves, their bits.
            Dtype::Int16 | Dtype::Float16 | Dtype::Bfloat16 => {
                gather(self.bytes, offsets, out, |b| i16::from_ne_bytes(b) as i64);
            }
            Dtype::Uint16 => gather(self.bytes, offsets, out, |b| u16::from_ne_bytes(b) as i64),
            Dtype::Int32 => gather(self.bytes, offsets, out, |b| i32::from_ne_bytes(b) as i64),
            Dtype::Uint32 => gather(self.bytes, offsets, out, |b| u32::from_ne_bytes(b) as i64),
            _ => gather(self.bytes, offsets, out, i64::from_ne_bytes),
        }
    }
}

fn put<T: Copy, const N: usize>(bytes: &mut [u8], values: &[T], f: impl Fn(T) -> [u8; N]) {
    for (to, v) in bytes.chunks_exact_mut(N).zip(values) {
        to.copy_from_slice(&f(*v));
    }
}

/// Writes consecutive elements from number `start` on.
pub(super) fn store(bytes: &mut [u8], dtype: Dtype, start: usize, values: Column<'_>) {
    let bytes = &mut bytes[start * dtype.size()..];
    match values {
        Column::Float64(v) => put(bytes, v, f64::to_ne_bytes),
        Column::Float32(v) => match dtype {
            Dtype::Float16 => put(bytes, v, |x| half::f16::from_f32(x).to_ne_bytes()),
            Dtype::Bfloat16 => put(bytes, v, |x| half::bf16::from_f32(x).to_ne_bytes()),
            _ => put(bytes, v, f32::to_ne_bytes),
        },
        Column::Integer(v) => match dtype.size() {
            1 => put(bytes, v, |x| (x as u8).to_ne_bytes()),
            2 => put(bytes, v, |x| (x as u16).to_ne_bytes()),
            4 => put(bytes, v, |x| (x as u32).to_ne_bytes()),
            _ => put(bytes, v, i64::to_ne_bytes),
        },
    }
}

/// Values computed for a whole space.
#[derive(Clone, Debug)]
pub(super) enum Dense {
    Float32(Vec<f32>),
    Float64(Vec<f64>),
    Integer(Vec<i64>),
}

impl Dense {
    pub fn zeros(dtype: Dtype, count: usize) -> Dense {
        match super::compile::bank_of(dtype) {
            super::compile::Bank::Float32 => Dense::Float32(vec![0.0; count]),
            super::compile::Bank::Float64 => Dense::Float64(vec![0.0; count]),
            super::compile::Bank::Integer => Dense::Integer(vec![0; count]),
        }
    }
    pub fn set(&mut self, start: usize, values: Column<'_>) {
        match (self, values) {
            (Dense::Float32(to), Column::Float32(v)) => to[start..start + v.len()].copy_from_slice(v),
            (Dense::Float64(to), Column::Float64(v)) => to[start..start + v.len()].copy_from_slice(v),
            (Dense::Integer(to), Column::Integer(v)) => to[start..start + v.len()].copy_from_slice(v),
            // A dense's kind is that of the code's result, which is fixed when the code is made.
            _ => {}
        }
    }
    pub fn column(&self) -> Column<'_> {
        match self {
            Dense::Float32(v) => Column::Float32(v),
            Dense::Float64(v) => Column::Float64(v),
            Dense::Integer(v) => Column::Integer(v),
        }
    }
    /// As float64; exact for floats.
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            Dense::Float32(v) => v.iter().map(|x| *x as f64).collect(),
            Dense::Float64(v) => v.clone(),
            Dense::Integer(v) => v.iter().map(|x| *x as f64).collect(),
        }
    }
}

/// float64 results as a dtype holds them, rounded once.
pub(super) fn from_f64(dtype: Dtype, values: &[f64]) -> Dense {
    match dtype {
        Dtype::Float64 => Dense::Float64(values.to_vec()),
        _ => Dense::Float32(values.iter().map(|x| *x as f32).collect()),
    }
}
