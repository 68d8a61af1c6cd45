//! Eigenvalues of matrices that need not be symmetric, with and without vectors. Results are complex numbers, as pairs of a real and an
//! imaginary part. Vectors have length 1, and the largest element of a complex one is real.

use crate::memory::{Element, Failure, Item, Outcome, Work, filled, is_finite, scratch};
use crate::routines::{Eig, GeneralEigenvalues};
use faer::diag::DiagMut;
use faer::dyn_stack::MemStack;
use faer::linalg::evd::{ComputeEigenvectors, EvdParams, evd_cplx, evd_real, evd_scratch};
use faer::traits::ComplexField;
use faer::{Auto, MatMut, MatRef, Par, Spec};
use rustfft::num_complex::Complex;

/// `matrix · vectors = vectors · diag(values)`
pub fn eig<T: Element>(a: &Eig, item: Item<'_>) -> Outcome {
    let n = a.n as usize;
    let (values, vectors) = (item.write(1, 2 * n), item.write(2, 2 * n * n));
    general::<T>(item, n, a.pairs != 0, values, Some(vectors))
}

pub fn eigenvalues<T: Element>(a: &GeneralEigenvalues, item: Item<'_>) -> Outcome {
    let n = a.n as usize;
    general::<T>(item, n, a.pairs != 0, item.write(1, 2 * n), None)
}

fn general<T: Element>(
    item: Item<'_>,
    n: usize,
    pairs: bool,
    values: &mut [T],
    vectors: Option<&mut [T]>,
) -> Outcome {
    if n == 0 {
        return Ok(());
    }
    let matrix = item.read::<T>(0, n * n * if pairs { 2 } else { 1 });
    if !is_finite(matrix) {
        return Err(Failure::NotFinite);
    }
    let wanted = if vectors.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    if pairs {
        of_pairs(matrix, n, wanted, values, vectors)
    } else {
        of_numbers(matrix, n, wanted, values, vectors)
    }
}

fn room<S: ComplexField>(
    n: usize,
    vectors: ComputeEigenvectors,
    parameters: Spec<EvdParams, S>,
) -> Result<faer::dyn_stack::MemBuffer, Failure> {
    scratch(evd_scratch::<S>(n, ComputeEigenvectors::No, vectors, Par::Seq, parameters))
}

/// Of a real matrix. For a pair of conjugate eigenvalues, `evd_real` gives the real part of the first vector in one column and its
/// imaginary part in the next; the second vector is its conjugate.
fn of_numbers<T: Element>(
    matrix: &[T],
    n: usize,
    wanted: ComputeEigenvectors,
    values: &mut [T],
    vectors: Option<&mut [T]>,
) -> Outcome {
    let work = Work::of(matrix, n, n)?;
    let (mut re, mut im) = (filled(T::ZERO, n)?, filled(T::ZERO, n)?);
    let mut columns = Work::<T>::zeros(n, if vectors.is_some() { n } else { 0 })?;
    let parameters = Spec::new(<EvdParams as Auto<T>>::auto());
    let mut room = room(n, wanted, parameters)?;
    evd_real(
        work.view(),
        DiagMut::from_slice_mut(&mut re),
        DiagMut::from_slice_mut(&mut im),
        None,
        vectors.is_some().then(|| columns.view_mut()),
        Par::Seq,
        MemStack::new(&mut room),
        parameters,
    )
    .map_err(|_| Failure::NoConvergence)?;
    for k in 0..n {
        (values[2 * k], values[2 * k + 1]) = (re[k], im[k]);
    }
    let Some(vectors) = vectors else { return Ok(()) };
    let mut vector = filled((T::ZERO, T::ZERO), n)?;
    let mut k = 0;
    while k < n {
        let complex = im[k] != T::ZERO && k + 1 < n;
        for (i, number) in vector.iter_mut().enumerate() {
            *number = (columns.at(i, k), if complex { columns.at(i, k + 1) } else { T::ZERO });
        }
        normalize(&mut vector, complex);
        for (i, (re, im)) in vector.iter().copied().enumerate() {
            let row = &mut vectors[2 * i * n..];
            (row[2 * k], row[2 * k + 1]) = (re, im);
            if complex {
                (row[2 * k + 2], row[2 * k + 3]) = (re, -im);
            }
        }
        k += if complex { 2 } else { 1 };
    }
    Ok(())
}

/// Of a complex matrix.
fn of_pairs<T: Element>(
    matrix: &[T],
    n: usize,
    wanted: ComputeEigenvectors,
    values: &mut [T],
    vectors: Option<&mut [T]>,
) -> Outcome {
    let zero = Complex { re: T::ZERO, im: T::ZERO };
    let mut work = filled(zero, n * n)?;
    for (k, pair) in matrix.chunks_exact(2).enumerate() {
        work[k % n * n + k / n] = Complex { re: pair[0], im: pair[1] };
    }
    let mut diagonal = filled(zero, n)?;
    let mut columns = filled(zero, if vectors.is_some() { n * n } else { 0 })?;
    let parameters = Spec::new(<EvdParams as Auto<Complex<T>>>::auto());
    let mut room = room(n, wanted, parameters)?;
    evd_cplx(
        MatRef::from_column_major_slice(&work, n, n),
        DiagMut::from_slice_mut(&mut diagonal),
        None,
        vectors.is_some().then(|| MatMut::from_column_major_slice_mut(&mut columns, n, n)),
        Par::Seq,
        MemStack::new(&mut room),
        parameters,
    )
    .map_err(|_| Failure::NoConvergence)?;
    for (pair, value) in values.chunks_exact_mut(2).zip(diagonal) {
        (pair[0], pair[1]) = (value.re, value.im);
    }
    let Some(vectors) = vectors else { return Ok(()) };
    let mut vector = filled((T::ZERO, T::ZERO), n)?;
    for (k, column) in columns.chunks_exact(n).enumerate() {
        for (number, v) in vector.iter_mut().zip(column) {
            *number = (v.re, v.im);
        }
        normalize(&mut vector, true);
        for (i, (re, im)) in vector.iter().copied().enumerate() {
            let place = 2 * (i * n + k);
            (vectors[place], vectors[place + 1]) = (re, im);
        }
    }
    Ok(())
}

/// Scales a vector to length 1, and rotates a complex one so that its largest element is real.
fn normalize<T: Element>(vector: &mut [(T, T)], complex: bool) {
    let size = |(re, im): (T, T)| re.to_f64().hypot(im.to_f64());
    let largest =
        vector.iter().copied().fold((T::ZERO, T::ZERO), |a, b| if size(b) > size(a) { b } else { a });
    let most = size(largest);
    if most == 0.0 || !most.is_finite() {
        return;
    }
    // Relative to the largest element, so that squares do not overflow.
    let norm = vector.iter().map(|v| (size(*v) / most).powi(2)).sum::<f64>().sqrt() * most;
    let (cos, sin) = match complex {
        true => (largest.0.to_f64() / most / norm, -largest.1.to_f64() / most / norm),
        false => (1.0 / norm, 0.0),
    };
    for (re, im) in vector.iter_mut() {
        let (x, y) = (re.to_f64(), im.to_f64());
        (*re, *im) = (T::from_f64(x * cos - y * sin), T::from_f64(x * sin + y * cos));
    }
}
