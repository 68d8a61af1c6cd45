//! Fourier transforms along one dimension, by rustfft and realfft.
//!
//! An operand is `[outer, points, inner]`, row by row, with numbers or pairs of numbers. A line is the points at one outer and one inner
//! place; an element of the batch is a block of lines. Lines whose points are not neighbours are gathered, a few columns at a time,
//! so that each cache line is read once.
//!
//! Invariants: any length is exact to rounding; the imaginary parts that the spectrum of a real signal cannot have are ignored. Plans are
//! kept for the process, and all of them are dropped when they pass a bound.

use crate::memory::{Element, Failure, Item, Outcome, filled};
use crate::routines::Fourier;
use realfft::RealFftPlanner;
use rustfft::num_complex::Complex;
use rustfft::{FftDirection, FftNum, FftPlanner};
use std::collections::HashSet;
use std::sync::Mutex;

/// The sum of the lengths that plans are kept of: a plan has a few numbers for each point.
const KEPT_POINTS: usize = 1 << 22;

/// Columns that are gathered together: a cache line of single complex numbers.
const COLUMNS: usize = 8;

/// Plans of one type of numbers.
pub struct Plans<T: FftNum> {
    complex: FftPlanner<T>,
    real: RealFftPlanner<T>,
    lengths: HashSet<usize>,
    points: usize,
}

impl<T: FftNum> Plans<T> {
    fn new() -> Plans<T> {
        let (complex, real) = (FftPlanner::new(), RealFftPlanner::new());
        Plans { complex, real, lengths: HashSet::new(), points: 0 }
    }
}

/// A type of numbers, which has its plans.
pub trait Transformed: Element + FftNum {
    fn plans() -> &'static Mutex<Option<Plans<Self>>>;
}
macro_rules! transformed {
    ($($type:ident)*) => { $(
        impl Transformed for $type {
            fn plans() -> &'static Mutex<Option<Plans<$type>>> {
                static PLANS: Mutex<Option<Plans<$type>>> = Mutex::new(None);
                &PLANS
            }
        }
    )* };
}
transformed!(f32 f64);

/// Asks the plans for one of this length.
fn planned<T: Transformed, R>(n: usize, ask: impl FnOnce(&mut Plans<T>) -> R) -> R {
    // A panic elsewhere leaves plans as they were.
    let mut kept = T::plans().lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let plans = kept.get_or_insert_with(Plans::new);
    if !plans.lengths.contains(&n) {
        if plans.points.saturating_add(n) > KEPT_POINTS {
            *plans = Plans::new();
        }
        plans.lengths.insert(n);
        plans.points += n;
    }
    ask(plans)
}

/// The lines of one element of the batch.
struct Block {
    outer: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
    inner: usize,
    scale: f64,
}

impl Block {
    fn of(a: &Fourier, place: usize) -> Block {
        let [outer, inner, outers, columns] = [a.outer, a.inner, a.outers, a.columns].map(|v| v as usize);
        let beside = inner.div_ceil(columns);
        let (first, left) = (place / beside * outers, place % beside * columns);
        let scale = match a.normalization {
            0 => 1.0,
            1 => 1.0 / (a.n as f64).sqrt(),
            _ => 1.0 / a.n as f64,
        };
        let (outer, columns) = (first..(first + outers).min(outer), left..(left + columns).min(inner));
        Block { outer, columns, inner, scale }
    }

    /// Transforms lines of `from` points to lines of `to` points. `work` may destroy the copy of a line that it is given;
    /// `scaled` scales a point of the result.
    fn each<A: Copy + 'static, B: Copy + 'static>(
        &self,
        item: Item<'_>,
        (zero, from): (A, usize),
        (nil, to): (B, usize),
        scaled: impl Fn(B) -> B,
        mut work: impl FnMut(&mut [A], &mut [B]) -> Outcome,
    ) -> Outcome {
        if self.inner == 1 {
            let mut line = filled(zero, from)?;
            for outer in self.outer.clone() {
                line.copy_from_slice(item.read_at(0, outer * from, from));
                let result = item.write_at::<B>(1, outer * to, to);
                work(&mut line, result)?;
                if self.scale != 1.0 {
                    result.iter_mut().for_each(|v| *v = scaled(*v));
                }
            }
            return Ok(());
        }
        // Lines that start at equal places of a page share few cache lines of the first level.
        let (source, target) = (from + COLUMNS, to + COLUMNS);
        let width = COLUMNS.min(self.columns.len());
        let (mut gathered, mut made) = (filled(zero, width * source)?, filled(nil, width * target)?);
        for outer in self.outer.clone() {
            for left in self.columns.clone().step_by(COLUMNS) {
                let count = COLUMNS.min(self.columns.end - left);
                for k in 0..from {
                    let row = item.read_at::<A>(0, (outer * from + k) * self.inner + left, count);
                    row.iter().enumerate().for_each(|(c, v)| gathered[c * source + k] = *v);
                }
                for c in 0..count {
                    work(&mut gathered[c * source..][..from], &mut made[c * target..][..to])?;
                }
                for k in 0..to {
                    let row = item.write_at::<B>(1, (outer * to + k) * self.inner + left, count);
                    row.iter_mut().enumerate().for_each(|(c, v)| *v = scaled(made[c * target + k]));
                }
            }
        }
        Ok(())
    }
}

pub fn transform<T: Transformed>(a: &Fourier, item: Item<'_>) -> Outcome {
    let (n, half) = (a.n as usize, a.n as usize / 2 + 1);
    let block = Block::of(a, item.place());
    if n == 0 || block.outer.is_empty() || block.columns.is_empty() {
        return Ok(());
    }
    let zero = Complex::new(T::ZERO, T::ZERO);
    let factor = <T as Element>::from_f64(block.scale);
    let pair = |v: Complex<T>| v * factor;
    match a.kind {
        0 | 1 => {
            let direction = if a.kind == 0 { FftDirection::Forward } else { FftDirection::Inverse };
            let plan = planned::<T, _>(n, |plans| plans.complex.plan_fft(n, direction));
            let mut scratch = filled(zero, plan.get_immutable_scratch_len())?;
            if block.inner == 1 {
                let (first, points) = (block.outer.start * n, block.outer.len() * n);
                let result = item.write_at::<Complex<T>>(1, first, points);
                plan.process_immutable_with_scratch(item.read_at(0, first, points), result, &mut scratch);
                if block.scale != 1.0 {
                    result.iter_mut().for_each(|v| *v *= factor);
                }
                return Ok(());
            }
            block.each(item, (zero, n), (zero, n), pair, |from, to| {
                plan.process_immutable_with_scratch(from, to, &mut scratch);
                Ok(())
            })
        }
        2 => {
            let plan = planned::<T, _>(n, |plans| plans.real.plan_fft_forward(n));
            let mut scratch = filled(zero, plan.get_scratch_len())?;
            block.each(item, (T::ZERO, n), (zero, half), pair, |from, to| {
                plan.process_with_scratch(from, to, &mut scratch).map_err(|_| Failure::Panic)
            })
        }
        _ => {
            let plan = planned::<T, _>(n, |plans| plans.real.plan_fft_inverse(n));
            let mut scratch = filled(zero, plan.get_scratch_len())?;
            let number = |v: T| v * factor;
            block.each(item, (zero, half), (T::ZERO, n), number, |from, to| {
                from[0].im = T::ZERO;
                if n % 2 == 0 {
                    from[half - 1].im = T::ZERO;
                }
                plan.process_with_scratch(from, to, &mut scratch).map_err(|_| Failure::Panic)
            })
        }
    }
}
