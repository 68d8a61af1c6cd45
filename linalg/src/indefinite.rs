//! Factors `L · D · Lᵀ` of symmetric matrices that need not be positive definite, as LAPACK's `sytrf` gives them: J. Bunch and L. Kaufman,
//! "Some stable methods for calculating inertia and solving symmetric linear systems", 1977. `D` has blocks of 1 and of 2.

use crate::memory::{Element, Failure, Item, Outcome};
use crate::routines::{Ldl, LdlSolve};

/// `(1 + √17) / 8`: pivots above this part of their column let the factors grow least.
const GROWTH: f64 = 0.6403882032022076;

/// A square matrix row by row.
struct Square<'a, T> {
    values: &'a mut [T],
    n: usize,
}

impl<T: Element> Square<'_, T> {
    fn at(&self, i: usize, j: usize) -> T {
        self.values[i * self.n + j]
    }
    fn put(&mut self, i: usize, j: usize, value: T) {
        self.values[i * self.n + j] = value;
    }
    fn swap(&mut self, a: (usize, usize), b: (usize, usize)) {
        self.values.swap(a.0 * self.n + a.1, b.0 * self.n + b.1);
    }
    /// The largest of some places, and where it is; a NaN in the first place stays.
    fn largest(&self, mut places: impl Iterator<Item = (usize, usize)>) -> (T, (usize, usize)) {
        let Some(first) = places.next() else { return (T::ZERO, (0, 0)) };
        let start = (self.at(first.0, first.1).magnitude(), first);
        places.fold(start, |most, (i, j)| {
            let size = self.at(i, j).magnitude();
            if size > most.0 { (size, (i, j)) } else { most }
        })
    }
    /// The pivot's place and the size of its block.
    fn pivot(&self, k: usize, growth: T) -> Option<(usize, usize)> {
        let own = self.at(k, k).magnitude();
        let (column, (row, _)) = self.largest((k + 1..self.n).map(|i| (i, k)));
        // A NaN is no pivot either.
        if !(own > T::ZERO || column > T::ZERO) || own.partial_cmp(&own).is_none() {
            return None;
        }
        if own >= growth * column {
            return Some((k, 1));
        }
        let (before, _) = self.largest((k..row).map(|j| (row, j)));
        let (after, _) = self.largest((row + 1..self.n).map(|i| (i, row)));
        let across = if after > before { after } else { before };
        if own >= growth * column * (column / across) {
            Some((k, 1))
        } else if self.at(row, row).magnitude() >= growth * across {
            Some((row, 1))
        } else {
            Some((row, 2))
        }
    }
    /// Exchanges a row and column with a later one in the lower triangle that is left.
    fn exchange(&mut self, a: usize, b: usize) {
        if a == b {
            return;
        }
        (b + 1..self.n).for_each(|i| self.swap((i, a), (i, b)));
        (a + 1..b).for_each(|j| self.swap((j, a), (b, j)));
        self.swap((a, a), (b, b));
    }
}

pub fn factor<T: Element>(a: &Ldl, item: Item<'_>) -> Outcome {
    let n = a.n as usize;
    let matrix = item.read::<T>(0, n * n);
    let (values, pivots, info) =
        (item.write::<T>(1, n * n), item.write::<i32>(2, n), item.write::<i32>(3, 1));
    for (place, (to, from)) in values.iter_mut().zip(matrix).enumerate() {
        *to = if place % n <= place / n { *from } else { T::ZERO };
    }
    let mut m = Square { values, n };
    info[0] = 0;
    let mut k = 0;
    while k < n {
        let Some((place, block)) = m.pivot(k, T::from_f64(GROWTH)) else {
            info[0] = if info[0] == 0 { k as i32 + 1 } else { info[0] };
            pivots[k] = k as i32 + 1;
            k += 1;
            continue;
        };
        let last = k + block - 1;
        m.exchange(last, place);
        if block == 2 && place != last {
            m.swap((last, k), (place, k));
        }
        if block == 1 {
            let inverse = T::ONE / m.at(k, k);
            for j in k + 1..n {
                let factor = m.at(j, k) * inverse;
                (j..n).for_each(|i| m.put(i, j, m.at(i, j) - m.at(i, k) * factor));
            }
            (k + 1..n).for_each(|i| m.put(i, k, m.at(i, k) * inverse));
            pivots[k] = place as i32 + 1;
        } else {
            let beside = m.at(k + 1, k);
            let (below, above) = (m.at(k + 1, k + 1) / beside, m.at(k, k) / beside);
            let scale = T::ONE / (below * above - T::ONE) / beside;
            for j in k + 2..n {
                let first = scale * (below * m.at(j, k) - m.at(j, k + 1));
                let second = scale * (above * m.at(j, k + 1) - m.at(j, k));
                for i in j..n {
                    m.put(i, j, m.at(i, j) - m.at(i, k) * first - m.at(i, k + 1) * second);
                }
                m.put(j, k, first);
                m.put(j, k + 1, second);
            }
            pivots[k] = -(place as i32 + 1);
            pivots[k + 1] = pivots[k];
        }
        k += block;
    }
    Ok(())
}

/// Right-hand sides row by row.
struct Sides<'a, T> {
    values: &'a mut [T],
    columns: usize,
}

impl<T: Element> Sides<'_, T> {
    /// Takes `factor` times row `from` off row `to`.
    fn less(&mut self, to: usize, from: usize, factor: T) {
        for c in 0..self.columns {
            let value = self.values[from * self.columns + c];
            let place = &mut self.values[to * self.columns + c];
            *place -= factor * value;
        }
    }
    fn exchange(&mut self, a: usize, b: usize) {
        (0..self.columns).for_each(|c| self.values.swap(a * self.columns + c, b * self.columns + c));
    }
}

pub fn solve<T: Element>(a: &LdlSolve, item: Item<'_>) -> Outcome {
    let (n, columns) = (a.n as usize, a.columns as usize);
    let (factors, pivots) = (item.read::<T>(0, n * n), item.read::<i32>(1, n));
    let result = item.write::<T>(3, n * columns);
    result.copy_from_slice(item.read(2, n * columns));
    let at = |i: usize, j: usize| factors[i * n + j];
    // The first row of each block, its size, and the row that its last one was exchanged with.
    let mut blocks = Vec::new();
    let mut k = 0;
    while k < n {
        let (size, place) = (if pivots[k] > 0 { 1 } else { 2 }, pivots[k].unsigned_abs() as usize);
        if place == 0 || place > n || place < k + size || k + size > n {
            return Err(Failure::Pivot);
        }
        blocks.push((k, size, place - 1));
        k += size;
    }
    let mut sides = Sides { values: result, columns };
    for (k, size, place) in &blocks {
        let last = k + size - 1;
        sides.exchange(last, *place);
        for i in last + 1..n {
            (*k..=last).for_each(|j| sides.less(i, j, at(i, j)));
        }
        for c in 0..columns {
            let first = sides.values[k * columns + c];
            if *size == 1 {
                sides.values[k * columns + c] = first / at(*k, *k);
                continue;
            }
            let beside = at(last, *k);
            let (above, below) = (at(*k, *k) / beside, at(last, last) / beside);
            let (first, second) = (first / beside, sides.values[last * columns + c] / beside);
            let scale = above * below - T::ONE;
            sides.values[k * columns + c] = (below * first - second) / scale;
            sides.values[last * columns + c] = (above * second - first) / scale;
        }
    }
    for (k, size, place) in blocks.iter().rev() {
        let last = k + size - 1;
        for i in last + 1..n {
            (*k..=last).for_each(|j| sides.less(j, i, at(i, j)));
        }
        sides.exchange(last, *place);
    }
    Ok(())
}
