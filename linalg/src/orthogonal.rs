//! QR as LAPACK's `geqrf` gives it: `R` above, and below the vectors of reflections `I - tau v vᵀ`, whose product is `Q`.

use crate::memory::{Element, Item, Outcome, Work, filled, scratch};
use crate::routines::{Qr, Reflect};
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
