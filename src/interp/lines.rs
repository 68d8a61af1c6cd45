//! What works on whole lines of a tensor: scans and sorts.

use super::InterpError;
use super::eval::Column;
use super::reduce::{Number, number};
use super::storage::{Dense, store};
use crate::base::StableSort;
use crate::loops::arithmetic as f;
use crate::loops::{BinaryOp, ScanOp};
use crate::types::Dtype;
use std::cmp::Ordering;

/// The lines of a dense value along one axis.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    outer: usize,
    length: usize,
    inner: usize,
}

impl Lanes {
    pub(super) fn new(sizes: &[usize], axis: usize) -> Result<Lanes, InterpError> {
        let length = *sizes.get(axis).ok_or_else(|| InterpError::internal("an axis outside of the space"))?;
        Ok(Lanes { outer: sizes[..axis].iter().product(), length, inner: sizes[axis + 1..].iter().product() })
    }
    /// The first element of each line; the next ones follow `inner` apart.
    fn starts(self) -> impl Iterator<Item = usize> {
        let step = self.length * self.inner;
        (0..self.outer).flat_map(move |o| (0..self.inner).map(move |i| o * step + i))
    }
}

pub(super) fn scan(
    mut values: Dense,
    lanes: Lanes,
    op: ScanOp,
    dtype: Dtype,
    dtypes: &[Dtype],
    outs: &mut [&mut [u8]],
) -> Result<(), InterpError> {
    let mut positions = vec![0i64; lanes.outer * lanes.length * lanes.inner];
    for start in lanes.starts() {
        let places = (0..lanes.length).map(|k| start + k * lanes.inner);
        match &mut values {
            Dense::Integer(v) => scan_integers(v, &mut positions, places, op, dtype),
            Dense::Float32(v) => {
                let mut line: Vec<f64> = places.clone().map(|p| v[p] as f64).collect();
                let at = scan_floats(&mut line, op);
                for (k, p) in places.enumerate() {
                    (v[p], positions[p]) = (line[k] as f32, at[k]);
                }
            }
            Dense::Float64(v) => {
                let mut line: Vec<f64> = places.clone().map(|p| v[p]).collect();
                let at = scan_floats(&mut line, op);
                for (k, p) in places.enumerate() {
                    (v[p], positions[p]) = (line[k], at[k]);
                }
            }
        }
    }
    store(outs[0], dtypes[0], 0, values.column());
    if let Some(out) = outs.get_mut(1) {
        store(out, dtypes[1], 0, Column::Integer(&positions));
    }
    Ok(())
}

/// Scans one line in place; gives the positions of the extremes.
fn scan_floats(line: &mut [f64], op: ScanOp) -> Vec<i64> {
    let mut positions = vec![0; line.len()];
    let Some(first) = line.first().copied() else { return positions };
    let (mut state, mut at) = (first, 0i64);
    for k in 1..line.len() {
        let x = line[k];
        match op {
            ScanOp::Sum => state += x,
            ScanOp::Product => state *= x,
            ScanOp::LogSumExp => state = log_add_exp(state, x),
            ScanOp::MaxWithIndex | ScanOp::MinWithIndex => {
                let wins = if op == ScanOp::MaxWithIndex { x >= state } else { x <= state };
                if x.is_nan() || !state.is_nan() && wins {
                    (state, at) = (x, k as i64);
                }
            }
        }
        (line[k], positions[k]) = (state, at);
    }
    positions
}

fn log_add_exp(a: f64, b: f64) -> f64 {
    let (high, low) = if a >= b { (a, b) } else { (b, a) };
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if high.is_infinite() {
        high
    } else {
        high + (low - high).exp().ln_1p()
    }
}

fn scan_integers(
    v: &mut [i64],
    positions: &mut [i64],
    places: impl Iterator<Item = usize>,
    op: ScanOp,
    dtype: Dtype,
) {
    let (mut state, mut at) = (0i64, 0i64);
    for (k, p) in places.enumerate() {
        let x = v[p];
        if k == 0 {
            state = x;
        } else {
            match op {
                ScanOp::Sum => state = f::wrap(dtype, state.wrapping_add(x)),
                ScanOp::Product => state = f::wrap(dtype, state.wrapping_mul(x)),
                ScanOp::LogSumExp => {}
                ScanOp::MaxWithIndex | ScanOp::MinWithIndex => {
                    let compare = if op == ScanOp::MaxWithIndex { BinaryOp::Ge } else { BinaryOp::Le };
                    if f::int_binary(compare, dtype, x, state) != 0 {
                        (state, at) = (x, k as i64);
                    }
                }
            }
        }
        (v[p], positions[p]) = (state, at);
    }
}

pub(super) fn sort(
    values: Dense,
    lanes: Lanes,
    (descending, kept): (bool, i64),
    dtype: Dtype,
    dtypes: &[Dtype],
    outs: &mut [&mut [u8]],
) -> Result<(), InterpError> {
    // Of each line as many places as are kept.
    let kept = (kept.max(0) as usize).min(lanes.length);
    let count = lanes.outer * kept * lanes.inner;
    let (mut sorted, mut positions) = (Dense::zeros(dtype, count), vec![0i64; count]);
    let column = values.column();
    // A descending order is not an ascending one from behind: equal elements keep their order in both.
    let before = |a: &usize, b: &usize| {
        let ascending = compare(dtype, number(column, *a), number(column, *b));
        if descending { ascending.reverse() } else { ascending }
    };
    // The places of a line's elements.
    let mut line: Vec<usize> = Vec::new();
    for (start, to) in lanes.starts().zip(Lanes { length: kept, ..lanes }.starts()) {
        line.clear();
        line.extend((0..lanes.length).map(|k| start + k * lanes.inner));
        line.stable_sort_by(&before);
        for (k, from) in line.iter().take(kept).enumerate() {
            let place = to + k * lanes.inner;
            positions[place] = ((from - start) / lanes.inner) as i64;
            match (&mut sorted, &values) {
                (Dense::Float32(to), Dense::Float32(v)) => to[place] = v[*from],
                (Dense::Float64(to), Dense::Float64(v)) => to[place] = v[*from],
                (Dense::Integer(to), Dense::Integer(v)) => to[place] = v[*from],
                _ => {}
            }
        }
    }
    store(outs[0], dtypes[0], 0, sorted.column());
    if let Some(out) = outs.get_mut(1) {
        store(out, dtypes[1], 0, Column::Integer(&positions));
    }
    Ok(())
}

/// The order of a sort: NaN is the largest, and all of them are equal.
fn compare(dtype: Dtype, a: Number, b: Number) -> Ordering {
    match (a, b) {
        (Number::Float(a), Number::Float(b)) => {
            a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
        }
        (Number::Integer(a), Number::Integer(b)) if dtype == Dtype::Uint64 => (a as u64).cmp(&(b as u64)),
        (Number::Integer(a), Number::Integer(b)) => a.cmp(&b),
        _ => Ordering::Equal,
    }
}
