//! The exponential of a matrix by scaling, a Padé approximant of degree 13 and squaring: Higham, The scaling and squaring
//! method for the matrix exponential revisited, 2005.

use crate::lu::decompose;
use crate::memory::{Element, Item, Outcome, Work, filled};
use crate::routines::Exponential;
use crate::triangular::in_place;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatRef, Par};

/// The approximant's coefficients.
const PADE: [f64; 14] = [
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
];
/// The largest 1-norm at which it is exact in float64.
const LARGEST: f64 = 5.371920351148152;

/// Float32 is computed in float64: the coefficients span more than its digits, and squaring adds errors up.
pub fn exponential<T: Element>(a: &Exponential, item: Item<'_>) -> Outcome {
    let n = a.n as usize;
    let (given, result) = (item.read::<T>(0, n * n), item.write::<T>(1, n * n));
    let mut matrix = filled(0.0, n * n)?;
    matrix.iter_mut().zip(given).for_each(|(to, from)| *to = from.to_f64());
    let made = compute(Work::of(&matrix, n, n)?, n)?;
    made.give(&mut matrix);
    result.iter_mut().zip(&matrix).for_each(|(to, from)| *to = T::from_f64(*from));
    Ok(())
}

fn compute(mut matrix: Work<f64>, n: usize) -> Result<Work<f64>, crate::memory::Failure> {
    let norm = (0..n).map(|j| (0..n).map(|i| matrix.at(i, j).abs()).sum()).fold(0.0, f64::max);
    let halvings = match norm {
        norm if !norm.is_finite() => 0,
        norm if norm > LARGEST => (norm / LARGEST).log2().ceil() as i32,
        _ => 0,
    };
    let scale = 0.5f64.powi(halvings);
    matrix.view_mut().col_iter_mut().flat_map(|c| c.iter_mut()).for_each(|v| *v *= scale);
    let product = |a: MatRef<'_, f64>, b: MatRef<'_, f64>| {
        let mut out = Work::zeros(n, n)?;
        matmul(out.view_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
        Ok::<_, crate::memory::Failure>(out)
    };
    let second = product(matrix.view(), matrix.view())?;
    let fourth = product(second.view(), second.view())?;
    let sixth = product(second.view(), fourth.view())?;
    let one = Work::identity(n)?;
    // A sum of even powers with coefficients, from the power 0 or 2 on.
    let sum = |factors: &[f64], powers: &[&Work<f64>]| {
        let mut out = Work::zeros(n, n)?;
        for (factor, power) in factors.iter().zip(powers) {
            let pairs = out.view_mut().col_iter_mut().zip(power.view().col_iter());
            pairs
                .flat_map(|(to, from)| to.iter_mut().zip(from.iter()))
                .for_each(|(to, from)| *to += factor * from);
        }
        Ok::<_, crate::memory::Failure>(out)
    };
    let [low, high] = [0, 1].map(|odd| {
        let inner = sum(&[PADE[8 + odd], PADE[10 + odd], PADE[12 + odd]], &[&second, &fourth, &sixth])?;
        let inner = product(sixth.view(), inner.view())?;
        let factors = [PADE[odd], PADE[2 + odd], PADE[4 + odd], PADE[6 + odd], 1.0];
        sum(&factors, &[&one, &second, &fourth, &sixth, &inner])
    });
    // With even part `v` and odd part `u`: the approximant is `(v - u)⁻¹ · (v + u)`.
    let (v, u) = (low?, product(matrix.view(), high?.view())?);
    let mut below = sum(&[1.0, -1.0], &[&v, &u])?;
    let above = sum(&[1.0, 1.0], &[&v, &u])?;
    let mut pivots = filled(0, n)?;
    decompose(below.view_mut(), &mut pivots, true);
    let mut result = above;
    for (k, pivot) in pivots.iter().enumerate() {
        crate::lu::exchange(result.view_mut(), k, *pivot as usize - 1);
    }
    in_place(below.view(), result.view_mut(), false, true);
    in_place(below.view(), result.view_mut(), true, false);
    for _ in 0..halvings {
        result = product(result.view(), result.view())?;
    }
    Ok(result)
}
