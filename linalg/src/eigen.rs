//! Singular values and the eigenvalues of symmetric and of Hermitian matrices, with and without vectors.

use crate::memory::{Failure, Field, Item, Outcome, Work, filled, is_finite, scratch};
use crate::routines::{Eigenvalues, Eigh, SingularValues, Svd};
use faer::diag::DiagMut;
use faer::dyn_stack::MemStack;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::svd::{ComputeSvdVectors, svd as decompose, svd_scratch};
use faer::{Auto, Par, Spec};

/// `matrix = left · diag(values) · right`, values from the largest on.
pub fn svd<T: Field>(a: &Svd, item: Item<'_>) -> Outcome {
    let (m, n) = (a.rows as usize, a.columns as usize);
    let few = m.min(n);
    let (lefts, rights) = if a.full != 0 { (m, n) } else { (few, few) };
    let mut left = Work::<T>::zeros(m, lefts)?;
    let mut right = Work::zeros(n, rights)?;
    singular(item.read(0, m * n), m, n, item.write(2, few), Some((&mut left, &mut right)))?;
    left.give(item.write(1, m * lefts));
    // Columns of V one after the other are the rows of its transpose.
    let rows = item.write::<T>(3, rights * n);
    rows.iter_mut().zip(right.values()).for_each(|(to, v)| *to = v.conjugate());
    Ok(())
}

pub fn singular_values<T: Field>(a: &SingularValues, item: Item<'_>) -> Outcome {
    let (m, n) = (a.rows as usize, a.columns as usize);
    singular::<T>(item.read(0, m * n), m, n, item.write(1, m.min(n)), None)
}

fn singular<T: Field>(
    matrix: &[T],
    m: usize,
    n: usize,
    values: &mut [T::Part],
    vectors: Option<(&mut Work<T>, &mut Work<T>)>,
) -> Outcome {
    if !is_finite(matrix) {
        return Err(Failure::NotFinite);
    }
    if values.is_empty() {
        if let Some((left, right)) = vectors {
            left.view_mut().diagonal_mut().fill(T::ONE);
            right.view_mut().diagonal_mut().fill(T::ONE);
        }
        return Ok(());
    }
    let work = Work::of(matrix, m, n)?;
    let parameters = Spec::new(<_ as Auto<T>>::auto());
    let wanted = match &vectors {
        None => ComputeSvdVectors::No,
        Some(_) => ComputeSvdVectors::Full,
    };
    let mut room = scratch(svd_scratch::<T>(m, n, wanted, wanted, Par::Seq, parameters))?;
    let (left, right) = vectors.unzip();
    let mut found = filled(T::ZERO, values.len())?;
    decompose(
        work.view(),
        DiagMut::from_slice_mut(&mut found),
        left.map(Work::view_mut),
        right.map(Work::view_mut),
        Par::Seq,
        MemStack::new(&mut room),
        parameters,
    )
    .map_err(|_| Failure::NoConvergence)?;
    values.iter_mut().zip(found).for_each(|(to, v)| *to = v.part());
    Ok(())
}

/// `matrix = vectors · diag(values) · vectorsᴴ`, values from the least on; one triangle of the matrix is read.
pub fn eigh<T: Field>(a: &Eigh, item: Item<'_>) -> Outcome {
    let n = a.n as usize;
    let mut vectors = Work::<T>::zeros(n, n)?;
    symmetric(item.read(0, n * n), n, a.upper != 0, item.write(1, n), Some(&mut vectors))?;
    vectors.give(item.write(2, n * n));
    Ok(())
}

pub fn eigenvalues<T: Field>(a: &Eigenvalues, item: Item<'_>) -> Outcome {
    let n = a.n as usize;
    symmetric::<T>(item.read(0, n * n), n, a.upper != 0, item.write(1, n), None)
}

fn symmetric<T: Field>(
    matrix: &[T],
    n: usize,
    upper: bool,
    values: &mut [T::Part],
    vectors: Option<&mut Work<T>>,
) -> Outcome {
    if n == 0 {
        return Ok(());
    }
    let mut read = filled(T::ZERO, n * n)?;
    for i in 0..n {
        for j in 0..=i {
            // The lower triangle of a matrix column by column is the upper one row by row.
            read[j * n + i] = if upper { matrix[j * n + i].conjugate() } else { matrix[i * n + j] };
        }
        // The diagonal of a Hermitian matrix is real.
        read[i * n + i] = T::from_parts(read[i * n + i].parts().0, 0.0);
    }
    if !is_finite(&read) {
        return Err(Failure::NotFinite);
    }
    let parameters = Spec::new(<_ as Auto<T>>::auto());
    let wanted = if vectors.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let mut room = scratch(self_adjoint_evd_scratch::<T>(n, wanted, Par::Seq, parameters))?;
    let mut found = filled(T::ZERO, n)?;
    self_adjoint_evd(
        faer::MatRef::from_column_major_slice(&read, n, n),
        DiagMut::from_slice_mut(&mut found),
        vectors.map(Work::view_mut),
        Par::Seq,
        MemStack::new(&mut room),
        parameters,
    )
    .map_err(|_| Failure::NoConvergence)?;
    values.iter_mut().zip(found).for_each(|(to, v)| *to = v.part());
    Ok(())
}
