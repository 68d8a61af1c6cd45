//! LU with partial pivoting as LAPACK's `getrf` gives it: pivots are exchanges of rows in order, counted from 1, and a
//! pivot of zero is told but does not end the factorisation. The library underneath gives neither, so the panels are
//! factored here, and their products are the library's.

use crate::memory::{Element, Failure, Field, Item, Outcome, Work, conjugate};
use crate::routines::{Lu, LuSolve, Permutation};
use crate::triangular::in_place;
use faer::linalg::matmul::matmul;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par};

/// Columns that are factored before the rest of the matrix hears of it.
const PANEL: usize = 32;

pub fn factor<T: Field>(a: &Lu, item: Item<'_>) -> Outcome {
    let (m, n) = (a.rows as usize, a.columns as usize);
    let few = m.min(n);
    let matrix = item.read::<T>(0, m * n);
    let (factors, pivots, info) =
        (item.write::<T>(1, m * n), item.write::<i32>(2, few), item.write::<i32>(3, 1));
    let mut work = Work::of(matrix, m, n)?;
    info[0] = decompose(work.view_mut(), pivots, a.pivoting != 0);
    work.give(factors);
    Ok(())
}

/// Leaves `L` and `U` in the matrix. Gives the number of the first pivot that is zero, 0 where there is none.
pub fn decompose<T: Field>(mut matrix: MatMut<'_, T>, pivots: &mut [i32], pivoting: bool) -> i32 {
    let (m, n) = (matrix.nrows(), matrix.ncols());
    let few = m.min(n);
    let mut first = 0;
    for begin in (0..few).step_by(PANEL) {
        let end = (begin + PANEL).min(few);
        for k in begin..end {
            let column = matrix.rb().col(k);
            let mut largest = k;
            for i in if pivoting { k + 1..m } else { 0..0 } {
                // Comparisons with NaN are false, so one in the first place stays, as in LAPACK.
                if column[i].size() > column[largest].size() {
                    largest = i;
                }
            }
            pivots[k] = largest as i32 + 1;
            exchange(matrix.rb_mut(), k, largest);
            let pivot = matrix[(k, k)];
            if pivot == T::ZERO {
                first = if first == 0 { k as i32 + 1 } else { first };
                continue;
            }
            for i in k + 1..m {
                matrix[(i, k)] = matrix[(i, k)].over(pivot);
            }
            for j in k + 1..end {
                let factor = matrix[(k, j)];
                for i in k + 1..m {
                    matrix[(i, j)] = matrix[(i, j)] - matrix[(i, k)] * factor;
                }
            }
        }
        if end == n {
            continue;
        }
        let (left, mut right) = matrix.rb_mut().split_at_col_mut(end);
        let panel = left.rb().submatrix(begin, begin, m - begin, end - begin);
        let (diagonal, below) = panel.split_at_row(end - begin);
        let right = right.rb_mut().subrows_mut(begin, m - begin);
        let (mut top, rest) = right.split_at_row_mut(end - begin);
        in_place(diagonal, top.rb_mut(), false, true);
        matmul(rest, Accum::Add, below, top.rb(), T::from_parts(-1.0, 0.0), Par::Seq);
    }
    first
}

pub fn exchange<T: Field>(mut matrix: MatMut<'_, T>, a: usize, b: usize) {
    if a == b {
        return;
    }
    for j in 0..matrix.ncols() {
        let kept = matrix[(a, j)];
        matrix[(a, j)] = matrix[(b, j)];
        matrix[(b, j)] = kept;
    }
}

/// `result = A⁻¹ · right`, or with the transposed `A`, the conjugated one or the adjoint, by its factors.
pub fn solve<T: Field>(a: &LuSolve, item: Item<'_>) -> Outcome {
    let (n, columns) = (a.n as usize, a.columns as usize);
    let (factors, pivots, right) =
        (item.read::<T>(0, n * n), item.read::<i32>(1, n), item.read::<T>(2, n * columns));
    let result = item.write::<T>(3, n * columns);
    result.copy_from_slice(right);
    let known = |p: &i32| *p >= 1 && *p as usize <= n;
    if !pivots.iter().all(known) {
        return Err(Failure::Pivot);
    }
    if result.is_empty() {
        return Ok(());
    }
    if a.transposed & 2 != 0 {
        conjugate(result);
    }
    let factors = MatRef::from_row_major_slice(factors, n, n);
    solved(factors, pivots, MatMut::from_row_major_slice_mut(result, n, columns), a.transposed & 1 != 0);
    if a.transposed & 2 != 0 {
        conjugate(result);
    }
    Ok(())
}

fn solved<T: Field>(factors: MatRef<'_, T>, pivots: &[i32], mut result: MatMut<'_, T>, transposed: bool) {
    let n = pivots.len();
    if transposed {
        let factors = factors.transpose();
        in_place(factors, result.rb_mut(), false, false);
        in_place(factors, result.rb_mut(), true, true);
        (0..n).rev().for_each(|k| exchange(result.rb_mut(), k, pivots[k] as usize - 1));
    } else {
        (0..n).for_each(|k| exchange(result.rb_mut(), k, pivots[k] as usize - 1));
        in_place(factors, result.rb_mut(), false, true);
        in_place(factors, result.rb_mut(), true, false);
    }
}

/// The row of `A` that each row of `L · U` is.
pub fn permutation<T: Element>(a: &Permutation, item: Item<'_>) -> Outcome {
    let (rows, count) = (a.rows as usize, a.pivots as usize);
    let (pivots, order) = (item.read::<i32>(0, count), item.write::<i64>(1, rows));
    order.iter_mut().enumerate().for_each(|(k, row)| *row = k as i64);
    for (k, pivot) in pivots.iter().enumerate() {
        if *pivot < 1 || *pivot as usize > rows || k >= rows {
            return Err(Failure::Pivot);
        }
        order.swap(k, *pivot as usize - 1);
    }
    Ok(())
}
