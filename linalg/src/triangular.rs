//! Cholesky's factorisation and triangular systems.

use crate::memory::{Field, Item, Outcome, Work, conjugate, scratch};
use crate::routines::{Cholesky, TriangularSolve};
use faer::dyn_stack::MemStack;
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve as by;
use faer::{Auto, MatMut, MatRef, Par, Spec};

/// Reads one triangle. A matrix that is not positive definite gives the order of its first minor that is not, as LAPACK's
/// `potrf`.
pub fn cholesky<T: Field>(a: &Cholesky, item: Item<'_>) -> Outcome {
    let (n, upper) = (a.n as usize, a.upper != 0);
    let (matrix, factor, info) =
        (item.read::<T>(0, n * n), item.write::<T>(1, n * n), item.write::<i32>(2, 1));
    info[0] = 0;
    if n == 0 {
        return Ok(());
    }
    let mut work = Work::of(matrix, n, n)?;
    if upper {
        // The values of the adjoint matrix, whose lower triangle is what was asked for.
        let mut turned = Work::zeros(n, n)?;
        turned.view_mut().copy_from(work.view().adjoint());
        work = turned;
    }
    let parameters = Spec::new(<_ as Auto<T>>::auto());
    let mut room = scratch(cholesky_in_place_scratch::<T>(n, Par::Seq, parameters))?;
    let outcome = cholesky_in_place(
        work.view_mut(),
        Default::default(),
        Par::Seq,
        MemStack::new(&mut room),
        parameters,
    );
    if let Err(LltError::NonPositivePivot { index }) = outcome {
        info[0] = index as i32 + 1;
    }
    for i in 0..n {
        for j in 0..n {
            let (row, column) = if upper { (j, i) } else { (i, j) };
            factor[i * n + j] = if row >= column { work.at(row, column) } else { T::ZERO };
        }
    }
    if upper {
        conjugate(factor);
    }
    Ok(())
}

/// `result = op(matrix)⁻¹ · right`, where the other triangle of the matrix is not read.
pub fn solve<T: Field>(a: &TriangularSolve, item: Item<'_>) -> Outcome {
    let (n, columns) = (a.n as usize, a.columns as usize);
    let (matrix, right) = (item.read::<T>(0, n * n), item.read::<T>(1, n * columns));
    let result = item.write::<T>(2, n * columns);
    result.copy_from_slice(right);
    if result.is_empty() {
        return Ok(());
    }
    let matrix = MatRef::from_row_major_slice(matrix, n, n);
    let result = MatMut::from_row_major_slice_mut(result, n, columns);
    let (matrix, upper) =
        if a.transposed != 0 { (matrix.transpose(), a.upper == 0) } else { (matrix, a.upper != 0) };
    in_place(matrix, result, upper, a.unit != 0);
    Ok(())
}

/// Solves for what stands on the right.
pub fn in_place<T: Field>(matrix: MatRef<'_, T>, right: MatMut<'_, T>, upper: bool, unit: bool) {
    match (upper, unit) {
        (false, false) => by::solve_lower_triangular_in_place(matrix, right, Par::Seq),
        (false, true) => by::solve_unit_lower_triangular_in_place(matrix, right, Par::Seq),
        (true, false) => by::solve_upper_triangular_in_place(matrix, right, Par::Seq),
        (true, true) => by::solve_unit_upper_triangular_in_place(matrix, right, Par::Seq),
    }
}
