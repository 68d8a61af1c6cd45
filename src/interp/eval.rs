//! Runs a [`Code`] over a space, a block of points at a time.

use super::InterpError;
use super::compile::{Bank, Code, Reg, Step};
use super::storage::Slot;
use crate::loops::arithmetic as f;
use crate::loops::{BinaryOp, UnaryOp};
use crate::types::{Dtype, Scalar, SymbolId};

/// Points computed at once: enough to hide the cost of choosing what to do, few enough to stay in the cache.
pub(super) const BLOCK: usize = 256;

/// The values of a register over a block.
#[derive(Clone, Copy)]
pub(super) enum Column<'a> {
    Float32(&'a [f32]),
    Float64(&'a [f64]),
    Integer(&'a [i64]),
}

/// A code with memory for its columns and the sizes of this run.
pub(super) struct Machine<'a> {
    code: &'a Code,
    slots: &'a [Slot<'a>],
    pub sizes: Vec<usize>,
    floats32: Vec<f32>,
    floats64: Vec<f64>,
    integers: Vec<i64>,
    offsets: Vec<i64>,
}

/// Two columns of one bank, and a third after them to write.
fn split<T>(bank: &mut [T], out: usize, n: usize) -> (&[T], &mut [T]) {
    let (before, rest) = bank.split_at_mut(out * BLOCK);
    (before, &mut rest[..n])
}
fn column<T>(bank: &[T], at: usize, n: usize) -> &[T] {
    &bank[at * BLOCK..at * BLOCK + n]
}
fn map1<A: Copy, T>(out: &mut [T], a: &[A], f: impl Fn(A) -> T) {
    out.iter_mut().zip(a).for_each(|(o, a)| *o = f(*a));
}
fn map2<A: Copy, T>(out: &mut [T], a: &[A], b: &[A], f: impl Fn(A, A) -> T) {
    out.iter_mut().zip(a.iter().zip(b)).for_each(|(o, (a, b))| *o = f(*a, *b));
}

impl<'a> Machine<'a> {
    pub fn new(
        code: &'a Code,
        slots: &'a [Slot<'a>],
        sizes: Vec<usize>,
        symbol: &dyn Fn(SymbolId) -> Option<i64>,
    ) -> Result<Machine<'a>, InterpError> {
        let mut machine = Machine {
            code,
            slots,
            sizes,
            floats32: vec![0.0; code.floats32 * BLOCK],
            floats64: vec![0.0; code.floats64 * BLOCK],
            integers: vec![0; code.integers * BLOCK],
            offsets: vec![0; BLOCK],
        };
        for (reg, value) in &code.constants {
            let range = reg.at * BLOCK..(reg.at + 1) * BLOCK;
            match reg.bank {
                Bank::Float32 => machine.floats32[range].fill(constant_f32(*value)),
                Bank::Float64 => machine.floats64[range].fill(value.as_f64()),
                Bank::Integer => machine.integers[range].fill(value.as_i64()),
            }
        }
        for (id, reg) in &code.symbols {
            let value = symbol(*id).ok_or_else(|| InterpError::internal("a symbol has no value"))?;
            machine.integers[reg.at * BLOCK..(reg.at + 1) * BLOCK].fill(value);
        }
        for step in &code.uniform {
            machine.step(step, BLOCK)?;
        }
        Ok(machine)
    }

    /// The number of points.
    pub fn count(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Computes all points in order; `each` gets the first point's number, the block's length and the columns.
    pub fn run(
        &mut self,
        each: &mut dyn FnMut(usize, usize, &Machine<'_>) -> Result<(), InterpError>,
    ) -> Result<(), InterpError> {
        let count = self.count();
        let mut start = 0;
        while start < count {
            let n = BLOCK.min(count - start);
            self.fill_variables(start, n);
            let code = self.code;
            for step in &code.steps {
                self.step(step, n)?;
            }
            each(start, n, self)?;
            start += n;
        }
        Ok(())
    }

    pub fn results(&self) -> usize {
        self.code.results.len()
    }
    /// The `k`-th result over the current block.
    pub fn result(&self, k: usize, n: usize) -> Column<'_> {
        let reg = self.code.results[k];
        match reg.bank {
            Bank::Float32 => Column::Float32(column(&self.floats32, reg.at, n)),
            Bank::Float64 => Column::Float64(column(&self.floats64, reg.at, n)),
            Bank::Integer => Column::Integer(column(&self.integers, reg.at, n)),
        }
    }

    fn fill_variables(&mut self, start: usize, n: usize) {
        for (dim, reg) in &self.code.variables {
            let inner: usize = self.sizes[dim + 1..].iter().product();
            let size = self.sizes[*dim];
            let out = &mut self.integers[reg.at * BLOCK..reg.at * BLOCK + n];
            let (mut value, mut left) = ((start / inner) % size, inner - start % inner);
            for o in out {
                *o = value as i64;
                left -= 1;
                if left == 0 {
                    left = inner;
                    value = if value + 1 == size { 0 } else { value + 1 };
                }
            }
        }
    }

    fn step(&mut self, step: &Step, n: usize) -> Result<(), InterpError> {
        match step {
            Step::Unary { op, dtype, a, out } => self.unary(*op, *dtype, *a, *out, n),
            Step::Binary { op, dtype, a, b, out } => self.binary(*op, *dtype, *a, *b, *out, n),
            Step::Select { condition, a, b, out } => self.select(*condition, *a, *b, *out, n),
            Step::Cast { from, to, a, out } => self.cast(*from, *to, *a, *out, n),
            Step::Load { slot, index, mask, out } => return self.load(*slot, index, *mask, *out, n),
            Step::Check { condition, mask, assertion } => {
                let condition = column(&self.integers, condition.at, n);
                let failed = match mask {
                    None => condition.contains(&0),
                    Some(m) => {
                        condition.iter().zip(column(&self.integers, m.at, n)).any(|(c, m)| *c == 0 && *m != 0)
                    }
                };
                if failed {
                    return Err(InterpError::Assertion(*assertion));
                }
            }
        }
        Ok(())
    }

    fn unary(&mut self, op: UnaryOp, dtype: Dtype, a: Reg, out: Reg, n: usize) {
        use UnaryOp::*;
        if matches!(op, ToBits | FromBits | HalfFromBits | BfloatFromBits) {
            return self.bits(op, dtype, a, out, n);
        }
        if a.bank == Bank::Integer {
            let result = if op.is_predicate() { Dtype::Bool } else { dtype };
            let (before, out) = split(&mut self.integers, out.at, n);
            return map1(out, column(before, a.at, n), |x| f::wrap(result, f::int_unary(op, dtype, x)));
        }
        if op.is_predicate() {
            let out = &mut self.integers[out.at * BLOCK..out.at * BLOCK + n];
            let predicate = |x: f64| match op {
                IsNan => x.is_nan() as i64,
                IsInf => x.is_infinite() as i64,
                Signbit => x.is_sign_negative() as i64,
                _ => (x == 0.0) as i64,
            };
            return match a.bank {
                Bank::Float64 => map1(out, column(&self.floats64, a.at, n), predicate),
                // Widening keeps the sign of a NaN as well.
                _ => map1(out, column(&self.floats32, a.at, n), |x: f32| predicate(x as f64)),
            };
        }
        match a.bank {
            Bank::Float64 => {
                let (before, out) = split(&mut self.floats64, out.at, n);
                map1(out, column(before, a.at, n), |x| f::float_unary(op, x));
            }
            _ => {
                let (before, out) = split(&mut self.floats32, out.at, n);
                map1(out, column(before, a.at, n), |x: f32| f::float_unary(op, x as f64) as f32);
            }
        }
    }

    /// Bits of floats as integers, and back.
    fn bits(&mut self, op: UnaryOp, dtype: Dtype, a: Reg, out: Reg, n: usize) {
        let from = |half: fn(u16) -> f32| move |x: i64| half(x as u16);
        let at = out.at * BLOCK..out.at * BLOCK + n;
        match (op, dtype) {
            (UnaryOp::ToBits, Dtype::Float64) => {
                let out = &mut self.integers[at];
                map1(out, column(&self.floats64, a.at, n), |x: f64| x.to_bits() as i64);
            }
            (UnaryOp::ToBits, _) => {
                let out = &mut self.integers[at];
                map1(out, column(&self.floats32, a.at, n), |x: f32| match dtype {
                    Dtype::Float16 => half::f16::from_f32(x).to_bits() as i16 as i64,
                    Dtype::Bfloat16 => half::bf16::from_f32(x).to_bits() as i16 as i64,
                    _ => x.to_bits() as i32 as i64,
                });
            }
            (UnaryOp::HalfFromBits, _) => {
                let out = &mut self.floats32[at];
                map1(out, column(&self.integers, a.at, n), from(|x| half::f16::from_bits(x).to_f32()));
            }
            (UnaryOp::BfloatFromBits, _) => {
                let out = &mut self.floats32[at];
                map1(out, column(&self.integers, a.at, n), from(|x| half::bf16::from_bits(x).to_f32()));
            }
            (_, Dtype::Int32) => {
                let out = &mut self.floats32[at];
                map1(out, column(&self.integers, a.at, n), |x| f32::from_bits(x as u32));
            }
            _ => {
                let out = &mut self.floats64[at];
                map1(out, column(&self.integers, a.at, n), |x| f64::from_bits(x as u64));
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, dtype: Dtype, a: Reg, b: Reg, out: Reg, n: usize) {
        use BinaryOp::*;
        match a.bank {
            Bank::Integer => {
                let result = if op.is_predicate() { Dtype::Bool } else { dtype };
                let (before, out) = split(&mut self.integers, out.at, n);
                let (a, b) = (column(before, a.at, n), column(before, b.at, n));
                match (op, result) {
                    (Add, Dtype::Int64) => map2(out, a, b, i64::wrapping_add),
                    (Mul, Dtype::Int64) => map2(out, a, b, i64::wrapping_mul),
                    _ => map2(out, a, b, |x, y| f::wrap(result, f::int_binary(op, dtype, x, y))),
                }
            }
            Bank::Float32 if op.is_predicate() => {
                let (a, b) = (column(&self.floats32, a.at, n), column(&self.floats32, b.at, n));
                let out = &mut self.integers[out.at * BLOCK..out.at * BLOCK + n];
                map2(out, a, b, |x, y| f::float_compare(op, x as f64, y as f64) as i64);
            }
            Bank::Float64 if op.is_predicate() => {
                let (a, b) = (column(&self.floats64, a.at, n), column(&self.floats64, b.at, n));
                let out = &mut self.integers[out.at * BLOCK..out.at * BLOCK + n];
                map2(out, a, b, |x, y| f::float_compare(op, x, y) as i64);
            }
            Bank::Float32 => {
                let (before, out) = split(&mut self.floats32, out.at, n);
                let (a, b) = (column(before, a.at, n), column(before, b.at, n));
                match op {
                    Add => map2(out, a, b, |x, y| x + y),
                    Sub => map2(out, a, b, |x, y| x - y),
                    Mul => map2(out, a, b, |x, y| x * y),
                    _ => map2(out, a, b, |x, y| f::float32_binary(op, x, y)),
                }
            }
            Bank::Float64 => {
                let (before, out) = split(&mut self.floats64, out.at, n);
                map2(out, column(before, a.at, n), column(before, b.at, n), |x, y| {
                    f::float64_binary(op, x, y)
                });
            }
        }
    }

    fn select(&mut self, condition: Reg, a: Reg, b: Reg, out: Reg, n: usize) {
        fn pick<T: Copy>(out: &mut [T], condition: &[i64], a: &[T], b: &[T]) {
            for (k, o) in out.iter_mut().enumerate() {
                *o = if condition[k] != 0 { a[k] } else { b[k] };
            }
        }
        match out.bank {
            Bank::Integer => {
                let (before, out) = split(&mut self.integers, out.at, n);
                let condition = column(before, condition.at, n);
                pick(out, condition, column(before, a.at, n), column(before, b.at, n));
            }
            Bank::Float32 => {
                let (before, out) = split(&mut self.floats32, out.at, n);
                let condition = column(&self.integers, condition.at, n);
                pick(out, condition, column(before, a.at, n), column(before, b.at, n));
            }
            Bank::Float64 => {
                let (before, out) = split(&mut self.floats64, out.at, n);
                let condition = column(&self.integers, condition.at, n);
                pick(out, condition, column(before, a.at, n), column(before, b.at, n));
            }
        }
    }

    fn cast(&mut self, from: Dtype, to: Dtype, a: Reg, out: Reg, n: usize) {
        let round = |x: f32| f::round_reduced(to, x);
        match (a.bank, out.bank) {
            (Bank::Integer, Bank::Integer) => {
                let (before, out) = split(&mut self.integers, out.at, n);
                map1(out, column(before, a.at, n), |x| f::wrap(to, x));
            }
            (Bank::Float32, Bank::Float32) => {
                let (before, out) = split(&mut self.floats32, out.at, n);
                map1(out, column(before, a.at, n), round);
            }
            (Bank::Float64, Bank::Float64) => {
                let (before, out) = split(&mut self.floats64, out.at, n);
                out.copy_from_slice(column(before, a.at, n));
            }
            (Bank::Integer, Bank::Float32) => {
                let out = &mut self.floats32[out.at * BLOCK..out.at * BLOCK + n];
                map1(out, column(&self.integers, a.at, n), |x| round(f::int_to_f32(from, x)));
            }
            (Bank::Integer, Bank::Float64) => {
                let out = &mut self.floats64[out.at * BLOCK..out.at * BLOCK + n];
                map1(out, column(&self.integers, a.at, n), |x| f::int_to_f64(from, x));
            }
            (Bank::Float32, Bank::Integer) => {
                let out = &mut self.integers[out.at * BLOCK..out.at * BLOCK + n];
                map1(out, column(&self.floats32, a.at, n), |x: f32| f::float_to_int(to, x as f64));
            }
            (Bank::Float64, Bank::Integer) => {
                let out = &mut self.integers[out.at * BLOCK..out.at * BLOCK + n];
                map1(out, column(&self.floats64, a.at, n), |x| f::float_to_int(to, x));
            }
            (Bank::Float32, Bank::Float64) => {
                let out = &mut self.floats64[out.at * BLOCK..out.at * BLOCK + n];
                map1(out, column(&self.floats32, a.at, n), |x: f32| x as f64);
            }
            // Reduced floats are reached through float32, as PyTorch's conversions are.
            (Bank::Float64, Bank::Float32) => {
                let out = &mut self.floats32[out.at * BLOCK..out.at * BLOCK + n];
                map1(out, column(&self.floats64, a.at, n), |x| round(x as f32));
            }
        }
    }

    fn load(
        &mut self,
        slot: usize,
        index: &[Reg],
        mask: Option<Reg>,
        out: Reg,
        n: usize,
    ) -> Result<(), InterpError> {
        let slot = &self.slots[slot];
        let offsets = &mut self.offsets[..n];
        offsets.fill(0);
        for ((reg, size), stride) in index.iter().zip(&slot.sizes).zip(&slot.strides) {
            let places = column(&self.integers, reg.at, n);
            for (k, (o, place)) in offsets.iter_mut().zip(places).enumerate() {
                // A wrong index poisons the offset for good: it stays negative.
                if *place < 0 || *place >= *size {
                    let read = mask.is_none_or(|m| self.integers[m.at * BLOCK + k] != 0);
                    if read {
                        return Err(InterpError::OutOfBounds {
                            buffer: slot.buffer,
                            index: *place,
                            size: *size,
                        });
                    }
                    *o = i64::MIN / 2;
                } else {
                    *o = o.saturating_add(*place * *stride);
                }
            }
        }
        if let Some(m) = mask {
            let mask = column(&self.integers, m.at, n);
            offsets.iter_mut().zip(mask).filter(|(_, m)| **m == 0).for_each(|(o, _)| *o = -1);
        }
        match out.bank {
            Bank::Float32 => slot.gather_f32(offsets, &mut self.floats32[out.at * BLOCK..out.at * BLOCK + n]),
            Bank::Float64 => slot.gather_f64(offsets, &mut self.floats64[out.at * BLOCK..out.at * BLOCK + n]),
            Bank::Integer => slot.gather_i64(offsets, &mut self.integers[out.at * BLOCK..out.at * BLOCK + n]),
        }
        Ok(())
    }
}

/// Straight from an integer where it is one: going through float64 would round twice.
fn constant_f32(value: Scalar) -> f32 {
    match value {
        Scalar::Int(v) => v as f32,
        other => other.as_f64() as f32,
    }
}
