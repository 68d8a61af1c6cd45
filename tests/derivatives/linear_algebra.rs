//! Slopes of what the second library computes: factorisations of matrices, and Fourier transforms.

use super::{Slopes, common, compare, compare_modes, graph_of, loss};
use litz::ir::OutputValue;
use litz::session;

/// Calls on `%0` and `%1`: `%3` is a matrix of 2 x 2, and `%4` a positive definite one.
const LINEAR_ALGEBRA: &[&str] = &[
    "%2 = aten.linalg_inv.default(%4)",
    "%2 = aten.linalg_solve.default(%4, %0)",
    "%5 = aten.mT.default(%0)\n  %2 = aten.linalg_solve.default(%4, %5, left=false)",
    "%2 = aten.linalg_det.default(%3)",
    "%2 = aten.logdet.default(%4)",
    "%2 = aten.linalg_cholesky.default(%4)",
    "%2 = aten.linalg_cholesky.default(%4, upper=true)",
    "%5 = aten.tril.default(%4)\n  %2 = aten.cholesky_solve.default(%0, %5)",
    "%5 = aten.triu.default(%4)\n  %2 = aten.cholesky_solve.default(%0, %5, true)",
    "%5 = aten.tril.default(%4)\n  %2 = aten.cholesky_inverse.default(%5)",
    "%5 = aten.triu.default(%4)\n  %2 = aten.cholesky_inverse.default(%5, true)",
    "%2 = aten.linalg_solve_triangular.default(%4, %0, upper=true)",
    "%2 = aten.linalg_solve_triangular.default(%4, %0, upper=false, unitriangular=true)",
    "%5, %6, %2 = aten.linalg_lu.default(%4)",
    "%5, %2, %6 = aten.linalg_lu.default(%0)",
    "%5 = aten.mT.default(%0)\n  %6, %2, %7 = aten.linalg_lu.default(%5)",
    "%5, %6 = aten.linalg_lu_factor.default(%4)\n  %2 = aten.linalg_lu_solve.default(%5, %6, %0, adjoint=true)",
    "%2, %5 = aten.linalg_qr.default(%0)",
    "%5 = aten.mT.default(%0)\n  %6, %2 = aten.linalg_qr.default(%5)",
    "%5 = aten.mT.default(%0)\n  %6, %2, %7 = aten.linalg_svd.default(%5, false)",
    "%2 = aten.linalg_svdvals.default(%0)",
    "%5, %6, %7 = aten.linalg_svd.default(%0, false)\n  %2 = aten.matmul.default(%5, %7)",
    "%2 = aten.linalg_eigvalsh.default(%4)",
    "%5, %6 = aten.linalg_eigh.default(%4)\n  %7 = aten.abs.default(%6)\n  %2 = aten.mul.Tensor(%7, %5)",
    "%2, %5 = litz.eig.default(%3, false, false)",
    "%2, %5 = litz.eig.default(%3, false, true)",
    "%5, %6 = litz.eig.default(%3, false, true)\n  %7 = aten.mul.Tensor(%6, %6)\n  %2 = aten.sum.dim_IntList(%7, [-1])",
    "%7 = aten.stack.default([%3, %4], -1)\n  %2, %5 = litz.eig.default(%7, true, false)",
    "%7 = aten.stack.default([%3, %4], -1)\n  %5, %6 = litz.eig.default(%7, true, true)\n  %10 = aten.mul.Tensor(%6, %6)\n  %11 = aten.sum.dim_IntList(%10, [-1])\n  %12 = aten.sum.dim_IntList(%5, [-1])\n  %2 = aten.mul.Tensor(%11, %12)",
    "%2 = aten.linalg_matrix_sqrth.default(%4)",
    "%2, %5 = aten.linalg_polar.default(%3)",
    "%5 = aten.mT.default(%0)\n  %6, %2 = aten.linalg_polar.default(%5)",
    "%5 = aten.mT.default(%0)\n  %2, %6 = aten.linalg_polar.default(%5)",
    "%2, %5, %6, %7 = aten.linalg_lstsq.default(%4, %0)",
    "%5 = aten.mT.default(%0)\n  %6 = aten.mT.default(%1)\n  %2, %7, %10, %11 = aten.linalg_lstsq.default(%5, %6, driver=\"gels\")",
    "%5 = aten.mT.default(%0)\n  %6 = aten.mT.default(%1)\n  %7, %2, %10, %11 = aten.linalg_lstsq.default(%5, %6, driver=\"gelsd\")",
    "%2, %5, %6, %7 = aten.linalg_lstsq.default(%0, %3, driver=\"gels\")",
    "%2 = aten.linalg_matrix_exp.default(%3)",
    "%2 = aten.linalg_matrix_power.default(%4, -2)",
    "%2 = aten.linalg_matrix_power.default(%4, 0)",
    "%2 = aten.linalg_pinv.default(%0, 1e-10)",
    "%2 = aten.linalg_matrix_norm.str_ord(%0, \"nuc\")",
    "%2 = aten.linalg_matrix_norm.default(%0, -2)",
    "%2 = aten.linalg_cond.default(%4)",
    "%2 = aten.linalg_cond.default(%4, 1)",
];

/// Calls on complex matrices: `%10` is 2 x 2, `%13` positive definite and `%14` 2 x 3. Vectors count without their complex phases.
const COMPLEX: &[&str] = &[
    "%20 = aten.linalg_inv.default(%10)",
    "%20 = aten.linalg_solve.default(%13, %14)",
    "%15 = aten.mT.default(%14)\n  %20 = aten.linalg_solve.default(%10, %15, left=false)",
    "%20 = aten.linalg_det.default(%10)",
    "%20 = aten.logdet.default(%10)",
    "%20, %15 = aten.linalg_slogdet.default(%10)",
    "%20 = aten.linalg_cholesky.default(%13)",
    "%20 = aten.linalg_cholesky.default(%13, upper=true)",
    "%15 = aten.triu.default(%13)\n  %20 = aten.cholesky_solve.default(%14, %15, true)",
    "%15 = aten.tril.default(%13)\n  %20 = aten.cholesky_inverse.default(%15)",
    "%20 = aten.linalg_solve_triangular.default(%13, %14, upper=true)",
    "%15 = aten.mT.default(%14)\n  %20 = aten.linalg_solve_triangular.default(%13, %15, upper=false, left=false)",
    "%20, %15 = aten.linalg_lu_factor.default(%14)",
    "%15 = aten.mT.default(%14)\n  %20, %16 = aten.linalg_lu_factor.default(%15)",
    "%15, %16 = aten.linalg_lu_factor.default(%13)\n  %20 = aten.linalg_lu_solve.default(%15, %16, %14, adjoint=true)",
    "%15, %16 = aten.linalg_lu_factor.default(%13)\n  %17 = aten.mT.default(%14)\n  %20 = aten.linalg_lu_solve.default(%15, %16, %17, left=false, adjoint=true)",
    "%15, %20 = aten.linalg_qr.default(%10)",
    "%20, %15 = aten.linalg_qr.default(%14)",
    "%15, %20 = aten.linalg_qr.default(%14)",
    "%15 = aten.mT.default(%14)\n  %20, %16 = aten.linalg_qr.default(%15)",
    "%15 = aten.linalg_svdvals.default(%14)\n  %20 = aten.complex.default(%15, %15)",
    "%15, %16, %17 = aten.linalg_svd.default(%14, false)\n  %20 = aten.matmul.default(%15, %17)",
    "%15, %16, %17 = aten.linalg_svd.default(%10, false)\n  %18 = aten.abs.default(%15)\n  %19 = aten.abs.default(%17)\n  %20 = aten.complex.default(%18, %19)",
    "%15, %16 = aten.linalg_eigh.default(%13)\n  %17 = aten.abs.default(%16)\n  %20 = aten.mul.Tensor(%17, %15)",
    "%20 = aten.linalg_pinv.default(%14, 1e-10)",
    "%20 = aten.linalg_matrix_exp.default(%10)",
    "%20 = aten.linalg_cond.default(%10)",
];

const FOURIER: &[&str] = &[
    "%2 = litz.fourier_real.default(%0, 1, 1)",
    "%2 = litz.fourier_real.default(%0, 0, 2)",
    "%3 = aten.stack.default([%0, %1], -1)\n  %2 = litz.fourier.default(%3, 1, 1, true)",
    "%3 = aten.stack.default([%0, %1], -1)\n  %2 = litz.fourier.default(%3, 0, 2, false)",
    "%3 = aten.stack.default([%0, %1], -1)\n  %2 = litz.fourier_back.default(%3, 1, 4, 1)",
    "%3 = aten.stack.default([%0, %1], -1)\n  %2 = litz.fourier_back.default(%3, 1, 5, 2)",
];

/// The calls that [`LINEAR_ALGEBRA`] has, with the matrices that they name.
fn linear_algebra() -> impl Iterator<Item = String> {
    let matrices = "%3 = aten.linear.default(%0, %1)\n  %8 = aten.linear.default(%3, %3)\n  \
         %9 = aten.eye.default(2, dtype=float64)\n  %4 = aten.add.Tensor(%8, %9)\n  ";
    LINEAR_ALGEBRA.iter().map(move |call| format!("{matrices}{call}"))
}

/// The calls that [`COMPLEX`] has, with the matrices that they name.
fn complex_linear_algebra() -> impl Iterator<Item = String> {
    let matrices = "%3 = aten.linear.default(%0, %1)\n  %4 = aten.linear.default(%0, %0)\n  %10 = aten.complex.default(%3, %4)\n  \
         %11 = aten.mH.default(%10)\n  %12 = aten.matmul.default(%10, %11)\n  %9 = aten.eye.default(2, dtype=float64)\n  \
         %13 = aten.add.Tensor(%12, %9)\n  %14 = aten.complex.default(%0, %1)\n  ";
    COMPLEX.iter().map(move |call| {
        let parts = if call.contains("cond") || call.contains("%20 = aten.mul") {
            "%2 = aten.alias.default(%20)"
        } else {
            "%2 = aten.view_as_real.default(%20)"
        };
        format!("{matrices}{call}\n  {parts}")
    })
}

#[test]
fn slopes_of_complex_linear_algebra_are_those_of_differences() {
    common::linear_algebra();
    compare(complex_linear_algebra());
    compare_modes(complex_linear_algebra());
}

#[test]
fn slopes_of_linear_algebra_are_those_of_differences() {
    common::linear_algebra();
    compare(linear_algebra());
}

#[test]
fn slopes_of_fourier_transforms_are_those_of_differences() {
    common::linear_algebra();
    compare(FOURIER.iter().map(|call| call.to_string()));
}

#[test]
fn slopes_of_reflections_are_those_of_differences() {
    common::linear_algebra();
    compare(reflections());
    compare_modes(reflections());
}

/// As many reflections as columns, and fewer.
fn reflections() -> impl Iterator<Item = String> {
    let operands = "%3 = aten.mT.default(%0)\n  %4 = aten.select.int(%1, 1, 0)\n  %5 = aten.slice.Tensor(%4, 0, 0, 1)\n  ";
    let calls = [
        "%2 = aten.linalg_householder_product.default(%3, %4)",
        "%2 = aten.linalg_householder_product.default(%3, %5)",
        "%2 = aten.ormqr.default(%3, %4, %3)",
        "%2 = aten.ormqr.default(%3, %4, %3, true, true)",
        "%2 = aten.ormqr.default(%3, %4, %0, false)",
        "%2 = aten.ormqr.default(%3, %4, %0, false, true)",
    ];
    calls.into_iter().map(move |call| format!("{operands}{call}"))
}

#[test]
fn forward_mode_of_linear_algebra_is_reverse_mode_along_a_direction() {
    common::linear_algebra();
    compare_modes(linear_algebra());
}

/// One triangle of the matrix is read, and both have the gradient.
#[test]
fn the_gradient_of_symmetric_vectors_is_symmetric() {
    common::linear_algebra();
    let call = "%4 = aten.linear.default(%0, %0)\n  %5, %6 = aten._linalg_eigh.default(%4)\n  %7 = aten.mul.Tensor(%6, %6)\n  \
         %8 = aten.linear.default(%1, %0)\n  %2 = aten.mul.Tensor(%7, %8)";
    let mut graph = graph_of(call);
    let matrix = graph.nodes[graph.order.first().expect("a node")].outputs[0];
    let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("a number") };
    let total = loss(&mut graph, z);
    let made = session::differentiate(&graph, &[total], None, &[matrix]).expect("a gradient");
    let numbers = |seed: f64| (0..6).map(|k| 0.15 + ((k as f64 + seed) * 0.618_034) % 0.7).collect();
    let found = Slopes::of(made.graph, total, &[made.gradients[0], None]).at(&[numbers(0.3), numbers(3.7)]);
    let slopes = &found[1];
    assert!(slopes[1].abs() > 1e-3 && (slopes[1] - slopes[2]).abs() < 1e-12, "{slopes:?}");
}
