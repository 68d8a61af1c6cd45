//! Vectors of complex matrices, which are unique but for their phases: factorisations put together again.

use super::{BACKENDS, doubles, graph, run, tensor};

/// That the values of each pair of results are near.
fn equal(made: &[super::Tensor], pairs: &[(usize, usize)], what: &str) {
    for (a, b) in pairs {
        let (have, want) = (doubles(&made[*a]), doubles(&made[*b]));
        assert_eq!(have.len(), want.len(), "{what}");
        for (have, want) in have.iter().zip(&want) {
            assert!((have - want).abs() < 1e-12, "{what}: {have} and {want}");
        }
    }
}

#[test]
fn singular_vectors_of_complex_matrices_put_them_together_again() {
    for (shape, few) in [("3, 5", 3), ("5, 3", 3), ("4, 4", 4)] {
        let sizes: Vec<i64> = shape.split(", ").map(|n| n.parse().expect("a size")).collect();
        for full in [true, false] {
            let (left, right) = if full { (sizes[0], sizes[1]) } else { (few, few) };
            let lines = [
                "%1 = aten.view_as_complex.default(%0)".to_string(),
                format!("%2, %3, %4 = aten.linalg_svd.default(%1, {full})"),
                format!("%5 = aten.slice.Tensor(%2, 2, 0, {few})"),
                format!("%6 = aten.slice.Tensor(%4, 1, 0, {few})"),
                "%7 = aten.unsqueeze.default(%3, 1)".into(),
                "%8 = aten.mul.Tensor(%5, %7)".into(),
                "%9 = aten.matmul.default(%8, %6)".into(),
                "%10 = aten.mH.default(%2)".into(),
                "%11 = aten.matmul.default(%10, %2)".into(),
                "%12 = aten.mH.default(%4)".into(),
                "%13 = aten.matmul.default(%4, %12)".into(),
                format!("%14 = aten.eye.default({left}, dtype=complex128)"),
                format!("%15 = aten.expand.default(%14, [2, {left}, {left}])"),
                format!("%16 = aten.eye.default({right}, dtype=complex128)"),
                format!("%17 = aten.expand.default(%16, [2, {right}, {right}])"),
                "%20 = aten.view_as_real.default(%9)".into(),
                "%21 = aten.view_as_real.default(%11)".into(),
                "%22 = aten.view_as_real.default(%15)".into(),
                "%23 = aten.view_as_real.default(%13)".into(),
                "%24 = aten.view_as_real.default(%17)".into(),
            ];
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let text = graph(
                &[&format!("float64[2, {shape}, 2]")],
                &lines,
                &["%0", "%20", "%21", "%22", "%23", "%24"],
            );
            let count = 4 * sizes[0] * sizes[1];
            let given = tensor(&[2, sizes[0], sizes[1], 2], &super::numbers(count as usize, 7));
            for backend in BACKENDS {
                let made = run(&text, backend, &[&given]);
                equal(&made, &[(1, 0), (2, 3), (4, 5)], &format!("{backend}, {shape}, {full}"));
            }
        }
    }
}

/// Of one triangle: the other, and the imaginary part of the diagonal, are not read.
#[test]
fn eigenvectors_of_hermitian_matrices_put_them_together_again() {
    for (triangle, name) in [("L", "tril"), ("U", "triu")] {
        let lines = [
            "%1 = aten.view_as_complex.default(%0)".to_string(),
            format!("%2, %3 = aten.linalg_eigh.default(%1, \"{triangle}\")"),
            "%4 = aten.unsqueeze.default(%2, 1)".into(),
            "%5 = aten.mul.Tensor(%3, %4)".into(),
            "%6 = aten.mH.default(%3)".into(),
            "%7 = aten.matmul.default(%5, %6)".into(),
            format!("%8 = aten.{name}.default(%1, {})", if triangle == "L" { -1 } else { 1 }),
            "%9 = aten.mH.default(%8)".into(),
            "%10 = aten.add.Tensor(%8, %9)".into(),
            "%11 = aten.real.default(%1)".into(),
            "%12 = aten.eye.default(5, dtype=float64)".into(),
            "%13 = aten.mul.Tensor(%11, %12)".into(),
            "%14 = aten.add.Tensor(%10, %13)".into(),
            "%20 = aten.view_as_real.default(%7)".into(),
            "%21 = aten.view_as_real.default(%14)".into(),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let text = graph(&["float64[3, 5, 5, 2]"], &lines, &["%20", "%21"]);
        let given = tensor(&[3, 5, 5, 2], &super::numbers(150, 11));
        for backend in BACKENDS {
            equal(&run(&text, backend, &[&given]), &[(0, 1)], &format!("{backend}, {triangle}"));
        }
    }
}
