//! QR of complex matrices as LAPACK's `geqrf` gives it: `R` above with a real diagonal, and below the vectors of reflections
//! `I - tau v vᴴ`, whose product is `Q`.
//!
//! Deliberately absent: blocks of reflections, which the library underneath has for Hermitian ones alone.

use crate::memory::{Field, Item, Outcome, conjugate};
use crate::routines::{Qr, Reflect};

/// Rows `k..` of a matrix, row by row, less `factor v (vᴴ x)`, where `vector` gives the elements of `v`.
fn mirror<T: Field>(
    matrix: &mut [T],
    (columns, from): (usize, usize),
    k: usize,
    vector: impl Fn(usize) -> T,
    factor: T,
) {
    let rows = matrix.len() / columns.max(1);
    for j in from..columns {
        let seen = (k..rows).fold(T::ZERO, |sum, i| sum + vector(i).conjugate() * matrix[i * columns + j]);
        let step = factor * seen;
        for i in k..rows {
            matrix[i * columns + j] -= step * vector(i);
        }
    }
}

/// The length of a vector, relative to its largest element so that squares do not overflow.
fn length<T: Field>(numbers: impl Iterator<Item = T> + Clone) -> f64 {
    let most = numbers.clone().fold(0.0, |most: f64, v| if v.size() > most { v.size() } else { most });
    if most == 0.0 || !most.is_finite() {
        return numbers.map(Field::size).sum();
    }
    let square = |v: T| {
        let (re, im) = v.parts();
        (re / most).powi(2) + (im / most).powi(2)
    };
    numbers.map(square).sum::<f64>().sqrt() * most
}

pub fn qr<T: Field>(a: &Qr, item: Item<'_>) -> Outcome {
    let (m, n) = (a.rows as usize, a.columns as usize);
    let few = m.min(n);
    let (factors, tau) = (item.write::<T>(1, m * n), item.write::<T>(2, few));
    factors.copy_from_slice(item.read(0, m * n));
    let mut vector = Vec::new();
    vector.try_reserve_exact(m).map_err(|_| crate::memory::Failure::Memory)?;
    for k in 0..few {
        let (re, im) = factors[k * n + k].parts();
        let below = length((k + 1..m).map(|i| factors[i * n + k]));
        tau[k] = T::ZERO;
        if below == 0.0 && im == 0.0 {
            continue;
        }
        let size = re.hypot(im).hypot(below);
        let beta = if re.is_sign_negative() { size } else { -size };
        tau[k] = T::from_parts((beta - re) / beta, -im / beta);
        let first = T::from_parts(re - beta, im);
        vector.clear();
        vector.extend((0..m).map(|i| match i {
            i if i < k => T::ZERO,
            i if i == k => T::ONE,
            i => factors[i * n + k].over(first),
        }));
        mirror(factors, (n, k + 1), k, |i| vector[i], tau[k].conjugate());
        factors[k * n + k] = T::from_parts(beta, 0.0);
        (k + 1..m).for_each(|i| factors[i * n + k] = vector[i]);
    }
    Ok(())
}

/// `result = Q · other` or `Qᴴ · other`, where `Q` is the product of the first `reflections` columns' reflections, or with `Q` conjugated.
pub fn reflect<T: Field>(a: &Reflect, item: Item<'_>) -> Outcome {
    let (m, stored, count, columns) =
        (a.rows as usize, a.stored as usize, a.reflections as usize, a.columns as usize);
    let (factors, tau) = (item.read::<T>(0, m * stored), item.read::<T>(1, count));
    let result = item.write::<T>(3, m * columns);
    result.copy_from_slice(item.read(2, m * columns));
    if a.transposed & 2 != 0 {
        conjugate(result);
    }
    let mut one = |k: usize, factor: T| {
        let vector = |i: usize| if i == k { T::ONE } else { factors[i * stored + k] };
        mirror(result, (columns, 0), k, vector, factor);
    };
    if a.transposed & 1 != 0 {
        (0..count).for_each(|k| one(k, tau[k].conjugate()));
    } else {
        (0..count).rev().for_each(|k| one(k, tau[k]));
    }
    if a.transposed & 2 != 0 {
        conjugate(result);
    }
    Ok(())
}
