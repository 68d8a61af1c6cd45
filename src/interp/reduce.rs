//! Reductions: one accumulator for each point of the result, floats in float64.

use super::InterpError;
use super::eval::{Column, Machine};
use super::storage::{Dense, store};
use crate::loops::arithmetic as f;
use crate::loops::{BinaryOp, ReductionOp};
use crate::types::Dtype;

/// One value of a running reduction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Float(f64),
    Integer(i64),
}

/// The state of a reduction at one point: floats in float64 with the error of the sum, integers wrapped at the end.
#[derive(Clone, Copy)]
struct Accumulator {
    float: f64,
    error: f64,
    integer: i64,
    position: i64,
    count: i64,
}

impl Accumulator {
    fn new(op: ReductionOp, dtype: Dtype) -> Accumulator {
        use ReductionOp::*;
        let (float, integer) = match op {
            Sum | Xor => (0.0, 0),
            Product => (1.0, 1),
            Max | MaxWithIndex => (f64::NEG_INFINITY, smallest(dtype)),
            Min | MinWithIndex => (f64::INFINITY, largest(dtype)),
        };
        Accumulator { float, error: 0.0, integer, position: 0, count: 0 }
    }

    fn add(&mut self, op: ReductionOp, dtype: Dtype, value: Number) {
        use ReductionOp::*;
        match value {
            Number::Float(x) => match op {
                Sum => {
                    // Neumaier's compensated sum; its error term is only meant for finite sums.
                    let sum = self.float + x;
                    self.error += if self.float.abs() >= x.abs() {
                        (self.float - sum) + x
                    } else {
                        (x - sum) + self.float
                    };
                    self.float = sum;
                }
                Product => self.float *= x,
                Max | MaxWithIndex | Min | MinWithIndex => {
                    let wins = match op {
                        Max | MaxWithIndex => x > self.float,
                        _ => x < self.float,
                    };
                    if self.count == 0 || !self.float.is_nan() && (wins || x.is_nan()) {
                        (self.float, self.position) = (x, self.count);
                    }
                }
                Xor => {}
            },
            Number::Integer(x) => match op {
                Sum => self.integer = self.integer.wrapping_add(x),
                Product => self.integer = f::wrap(dtype, self.integer.wrapping_mul(x)),
                Xor => self.integer ^= x,
                Max | MaxWithIndex | Min | MinWithIndex => {
                    let compare = match op {
                        Max | MaxWithIndex => BinaryOp::Gt,
                        _ => BinaryOp::Lt,
                    };
                    if self.count == 0 || f::int_binary(compare, dtype, x, self.integer) != 0 {
                        (self.integer, self.position) = (x, self.count);
                    }
                }
            },
        }
        self.count += 1;
    }

    fn float(&self, op: ReductionOp) -> f64 {
        let corrected = self.float + self.error;
        if op == ReductionOp::Sum && corrected.is_finite() { corrected } else { self.float }
    }
}

fn smallest(dtype: Dtype) -> i64 {
    match dtype {
        Dtype::Int8 => i8::MIN as i64,
        Dtype::Int16 => i16::MIN as i64,
        Dtype::Int32 => i32::MIN as i64,
        Dtype::Int64 => i64::MIN,
        _ => 0,
    }
}
fn largest(dtype: Dtype) -> i64 {
    match dtype {
        Dtype::Bool => 1,
        Dtype::Uint64 => -1,
        Dtype::Int64 => i64::MAX,
        d if d.is_float() => 0,
        d if d.is_signed() => (1i64 << (d.size() * 8 - 1)) - 1,
        d => (1i64 << (d.size() * 8)) - 1,
    }
}

pub(super) fn number(column: Column<'_>, k: usize) -> Number {
    match column {
        Column::Float32(v) => Number::Float(v[k] as f64),
        Column::Float64(v) => Number::Float(v[k]),
        Column::Integer(v) => Number::Integer(v[k]),
    }
}

/// Reduces the dimensions from `outer` on: values, and positions where the operation gives them.
pub(super) fn reduce(
    m: &mut Machine<'_>,
    outer: usize,
    op: ReductionOp,
    dtype: Dtype,
    dtypes: &[Dtype],
    outs: &mut [&mut [u8]],
) -> Result<(), InterpError> {
    let points: usize = m.sizes[..outer].iter().product();
    let length: usize = m.sizes[outer..].iter().product();
    let mut all = vec![Accumulator::new(op, dtype); points];
    m.run(&mut |start, n, m| {
        let column = m.result(0, n);
        for k in 0..n {
            all[(start + k) / length].add(op, dtype, number(column, k));
        }
        Ok(())
    })?;
    let values = if dtype.is_float() {
        let floats: Vec<f64> = all.iter().map(|a| a.float(op)).collect();
        super::storage::from_f64(dtype, &floats)
    } else {
        Dense::Integer(all.iter().map(|a| f::wrap(dtype, a.integer)).collect())
    };
    store(outs[0], dtypes[0], 0, values.column());
    if let Some(positions) = outs.get_mut(1) {
        let list: Vec<i64> = all.iter().map(|a| a.position).collect();
        store(positions, dtypes[1], 0, Column::Integer(&list));
    }
    Ok(())
}
