//! QR as LAPACK's `geqrf` gives it: `R` above, and below the vectors of reflections `I - tau v vᵀ`, whose product is `Q`.

use crate::memory::{Element, Item, Outcome, Work, filled, scratch};
use crate::routines::{Qr, Reflect, ReflectGradient};
use faer::dyn_stack::MemStack;
use faer::linalg::householder as reflections;
use faer::linalg::qr::no_pivoting::factor::{qr_in_place, qr_in_place_scratch, recommended_block_size};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Auto, Conj, MatMut, Par, Spec};

/// Reflections that are applied together.
const BLOCK: usize = 32;

pub fn qr<T: Element>(a: &Qr, item: Item<'_>) -> Outcome {
    let (m, n) = (a.rows as usize, a.columns as usize);
    let few = m.min(n);
    let matrix = item.read::<T>(0, m * n);
    let (factors, tau) = (item.write::<T>(1, m * n), item.write::<T>(2, few));
    if few == 0 {
        return Ok(());
    }
    let mut work = Work::of(matrix, m, n)?;
    let block = recommended_block_size::<T>(m, n);
    let mut blocks = Work::<T>::zeros(block, few)?;
    let parameters = Spec::new(<_ as Auto<T>>::auto());
    let mut room = scratch(qr_in_place_scratch::<T>(m, n, block, Par::Seq, parameters))?;
    qr_in_place(work.view_mut(), blocks.view_mut(), Par::Seq, MemStack::new(&mut room), parameters);
    // The library's numbers are the reciprocals of LAPACK's, on the diagonals of the blocks.
    tau.iter_mut().enumerate().for_each(|(k, t)| *t = T::ONE / blocks.at(k % block, k));
    work.give(factors);
    Ok(())
}

/// `result = Q · other` or `Qᵀ · other`, where `Q` is the product of the first `reflections` columns' reflections.
pub fn reflect<T: Element>(a: &Reflect, item: Item<'_>) -> Outcome {
    let (m, stored, k, columns) =
        (a.rows as usize, a.stored as usize, a.reflections as usize, a.columns as usize);
    let (factors, tau, other) =
        (item.read::<T>(0, m * stored), item.read::<T>(1, k), item.read::<T>(2, m * columns));
    let result = item.write::<T>(3, m * columns);
    if k == 0 || result.is_empty() {
        result.copy_from_slice(other);
        return Ok(());
    }
    let basis = Work::of(factors, m, stored)?;
    let basis = basis.view().subcols(0, k);
    let block = BLOCK.min(k);
    let mut blocks = Work::<T>::zeros(block, k)?;
    let mut triangle = filled(T::ZERO, block * block)?;
    for begin in (0..k).step_by(block) {
        let n = block.min(k - begin);
        let mut own = MatMut::from_column_major_slice_mut(&mut triangle[..n * n], n, n);
        own.fill(T::ZERO);
        (0..n).for_each(|j| own[(j, j)] = T::ONE / tau[begin + j]);
        let vectors = basis.submatrix(begin, begin, m - begin, n);
        reflections::upgrade_householder_factor(own.rb_mut(), vectors, n, 1, Par::Seq);
        blocks.view_mut().submatrix_mut(0, begin, n, n).copy_from(own.rb());
    }
    let mut work = Work::of(other, m, columns)?;
    let mut room = scratch(reflections::apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(
        m, block, columns,
    ))?;
    let apply = if a.transposed != 0 {
        reflections::apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj::<T>
    } else {
        reflections::apply_block_householder_sequence_on_the_left_in_place_with_conj::<T>
    };
    apply(basis, blocks.view(), Conj::No, work.view_mut(), Par::Seq, MemStack::new(&mut room));
    work.give(result);
    Ok(())
}

/// The gradients by the vectors of reflections below the diagonal and by tau. Each reflection `C → C - tau v wᵀ` with `w = Cᵀ v` is undone
/// by the kept `w`, from the last that was applied on: with the gradient `G` of its result and `u = Gᵀ v`, tau has `-w · u`,
/// `v` has `-tau (G w + C u)`, and `C` has `G - tau v uᵀ`.
pub fn reflect_gradient<T: Element>(a: &ReflectGradient, item: Item<'_>) -> Outcome {
    let (m, stored, k, columns) =
        (a.rows as usize, a.stored as usize, a.reflections as usize, a.columns as usize);
    let (factors, tau) = (item.read::<T>(0, m * stored), item.read::<T>(1, k));
    let (by_factors, by_tau) = (item.write::<T>(4, m * stored), item.write::<T>(5, k));
    by_factors.fill(T::ZERO);
    by_tau.fill(T::ZERO);
    if k == 0 || columns == 0 {
        return Ok(());
    }
    let (mut value, mut grad) = (filled(T::ZERO, m * columns)?, filled(T::ZERO, m * columns)?);
    value.copy_from_slice(item.read(2, m * columns));
    grad.copy_from_slice(item.read(3, m * columns));
    let vector = |i: usize, row: usize| if row == i { T::ONE } else { factors[row * stored + i] };
    let project = |of: &[T], i: usize, to: &mut [T]| {
        to.fill(T::ZERO);
        for row in i..m {
            let v = vector(i, row);
            to.iter_mut().zip(&of[row * columns..]).for_each(|(t, x)| *t += v * *x);
        }
    };
    let more = |of: &mut [T], i: usize, by: &[T], scale: T| {
        for row in i..m {
            let v = vector(i, row) * scale;
            of[row * columns..].iter_mut().zip(by).for_each(|(x, w)| *x += v * *w);
        }
    };
    let dot = |a: &[T], b: &[T]| a.iter().zip(b).fold(T::ZERO, |sum, (x, y)| sum + *x * *y);
    let order: Vec<usize> = if a.transposed != 0 { (0..k).collect() } else { (0..k).rev().collect() };
    let minus = T::from_f64(-1.0);
    let (mut seen, mut u) = (filled(T::ZERO, k * columns)?, filled(T::ZERO, columns)?);
    for i in &order {
        let w = &mut seen[i * columns..][..columns];
        project(&value, *i, w);
        more(&mut value, *i, w, minus * tau[*i]);
    }
    for i in order.iter().rev() {
        let w = &seen[i * columns..][..columns];
        project(&grad, *i, &mut u);
        more(&mut value, *i, w, tau[*i]);
        by_tau[*i] = minus * dot(w, &u);
        for row in i + 1..m {
            let places = row * columns..(row + 1) * columns;
            let sum = dot(&grad[places.clone()], w) + dot(&value[places], &u);
            by_factors[row * stored + i] = minus * tau[*i] * sum;
        }
        more(&mut grad, *i, &u, minus * tau[*i]);
    }
    Ok(())
}
