//! Eigenvalues of matrices that need not be symmetric: the matrix times each vector is the vector times its value, and known spectra
//! are found.

use super::{BACKENDS, SIZES, graph, numbers, run, singles, tensor, try_run};
use crate::common::draws::{doubles, floats};
use litz::base::Status;
use litz::runtime::Tensor;
use litz::types::Dtype;

type Complex = (f64, f64);

const LINES: [&str; 3] = [
    "%1, %2 = aten.linalg_eig.default(%0)",
    "%3 = aten.linalg_eigvals.default(%0)",
    "%4 = aten._linalg_eigvals.default(%0)",
];

fn pairs(values: &[f64]) -> Vec<Complex> {
    values.chunks_exact(2).map(|v| (v[0], v[1])).collect()
}

fn times(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn gap(a: Complex, b: Complex) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

/// The matrix times each vector is the vector times its value, and vectors have length 1.
#[track_caller]
fn fits(matrix: &[Complex], values: &[Complex], vectors: &[Complex], near: f64) {
    let n = values.len();
    for k in 0..n {
        let vector: Vec<Complex> = (0..n).map(|i| vectors[i * n + k]).collect();
        let length = vector.iter().map(|v| v.0 * v.0 + v.1 * v.1).sum::<f64>();
        assert!((length - 1.0).abs() < near, "a vector of length {length}");
        for i in 0..n {
            let products = (0..n).map(|j| times(matrix[i * n + j], vector[j]));
            let moved = products.fold((0.0, 0.0), |s, v| (s.0 + v.0, s.1 + v.1));
            assert!(gap(moved, times(vector[i], values[k])) < near * n as f64, "value {k} of {values:?}");
        }
    }
}

/// The same numbers in any order.
#[track_caller]
fn same(have: &[Complex], want: &[Complex], near: f64) {
    let mut left = want.to_vec();
    for value in have {
        let nearest = (0..left.len()).min_by(|a, b| gap(left[*a], *value).total_cmp(&gap(left[*b], *value)));
        let nearest = left.swap_remove(nearest.expect("as many values"));
        assert!(gap(nearest, *value) < near, "{have:?} is not {want:?}");
    }
    assert!(left.is_empty());
}

#[test]
fn vectors_of_general_matrices_keep_their_direction() {
    for backend in BACKENDS {
        for n in SIZES {
            for (dtype, parts) in [(Dtype::Float64, 1), (Dtype::Complex128, 2)] {
                let given = numbers(2 * n * n * parts, 21);
                let shape = [2, n as i64, n as i64];
                let bytes: Vec<u8> = given.iter().flat_map(|v| v.to_le_bytes()).collect();
                let matrix = Tensor::from_bytes(dtype, &shape, &bytes).expect("memory");
                let text = graph(&[&format!("{dtype}[2, {n}, {n}]")], &LINES, &["%1", "%2", "%3", "%4"]);
                let got = run(&text, backend, &[&matrix]);
                assert!(got.iter().all(|t| t.dtype() == Dtype::Complex128));
                let got: Vec<Vec<Complex>> = got.iter().map(|t| pairs(&doubles(t))).collect();
                let matrix = match parts {
                    1 => given.iter().map(|v| (*v, 0.0)).collect(),
                    _ => pairs(&given),
                };
                for b in 0..2 {
                    let part = |k: usize, count: usize| &got[k][b * count..][..count];
                    fits(&matrix[b * n * n..][..n * n], part(0, n), part(1, n * n), 1e-11);
                    same(part(2, n), part(0, n), 1e-9);
                    same(part(3, n), part(0, n), 1e-9);
                }
            }
        }
    }
}

#[test]
fn single_precision_is_enough_for_its_own_digits() {
    let n = 33;
    let given: Vec<f32> = numbers(n * n, 22).iter().map(|v| *v as f32).collect();
    let matrix: Vec<Complex> = given.iter().map(|v| (f64::from(*v), 0.0)).collect();
    for backend in BACKENDS {
        let text = graph(&[&format!("float32[{n}, {n}]")], &LINES[..1], &["%1", "%2"]);
        let got = run(&text, backend, &[&singles(&[n as i64; 2], &given)]);
        assert!(got.iter().all(|t| t.dtype() == Dtype::Complex64));
        let wide = |t: &Tensor| pairs(&floats(t).iter().map(|v| f64::from(*v)).collect::<Vec<_>>());
        fits(&matrix, &wide(&got[0]), &wide(&got[1]), 1e-5);
    }
}

#[test]
fn known_spectra_are_found() {
    let cases: [(&str, &[f64], &[Complex]); 4] = [
        ("a turn", &[0.0, -1.0, 1.0, 0.0], &[(0.0, 1.0), (0.0, -1.0)]),
        ("a shear has one direction", &[1.0, 1.0, 0.0, 1.0], &[(1.0, 0.0), (1.0, 0.0)]),
        ("zeros", &[0.0; 4], &[(0.0, 0.0), (0.0, 0.0)]),
        (
            "a cycle",
            &[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0],
            &[(1.0, 0.0), (-0.5, 0.75f64.sqrt()), (-0.5, -(0.75f64.sqrt()))],
        ),
    ];
    for backend in BACKENDS {
        for (name, matrix, values) in &cases {
            let n = values.len();
            let text = graph(&[&format!("float64[{n}, {n}]")], &LINES, &["%1", "%2", "%3"]);
            let got = run(&text, backend, &[&tensor(&[n as i64; 2], matrix)]);
            let got: Vec<Vec<Complex>> = got.iter().map(|t| pairs(&doubles(t))).collect();
            println!("{backend}: {name}");
            same(&got[0], values, 1e-7);
            same(&got[2], values, 1e-7);
            let matrix: Vec<Complex> = matrix.iter().map(|v| (*v, 0.0)).collect();
            fits(&matrix, &got[0], &got[1], 1e-7);
        }
    }
}

#[test]
fn general_matrices_may_be_empty_and_must_be_finite() {
    for backend in BACKENDS {
        for shape in [[2, 0, 0], [0, 3, 3]] {
            for dtype in ["float64", "complex64"] {
                let text = graph(&[&format!("{dtype}{shape:?}")], &LINES, &["%1", "%2", "%3"]);
                let dtype = if dtype == "float64" { Dtype::Float64 } else { Dtype::Complex64 };
                let nothing = Tensor::from_bytes(dtype, &shape, &[]).expect("memory");
                let got = run(&text, backend, &[&nothing]);
                assert!(got.iter().all(|t| t.bytes().is_empty()));
                assert_eq!((got[0].shape(), got[1].shape()), (&shape[..2], &shape[..]));
            }
        }
        let text = graph(&["float64[2, 2]"], &LINES, &["%1"]);
        let error = try_run(&text, backend, &[&tensor(&[2, 2], &[1.0, f64::NAN, 0.0, 1.0])]);
        let error = error.expect_err("it is not finite");
        assert_eq!(error.status, Status::Assertion, "{}", error.message);
        assert!(error.message.contains("non-finite"), "{}", error.message);
    }
}

/// PyTorch has LU without pivots on GPUs alone. The interpreter computes what a GPU's program does, for graphs made on a GPU.
#[test]
fn lu_without_pivots_is_refused_on_a_cpu() {
    let matrix = [2.0, 1.0, 4.0, 5.0];
    let lines = [
        "%1, %2, %3 = aten.linalg_lu_factor_ex.default(%0, pivot=false)",
        "%4, %5, %6 = aten.linalg_lu.default(%0, pivot=false)",
    ];
    let text = graph(&["float64[2, 2]"], &lines, &["%1", "%2", "%3", "%4", "%5", "%6"]);
    let on_gpu = text.replacen("{\n", "{\n  gpu\n", 1);
    let got = run(&on_gpu, "interpreter", &[&tensor(&[2, 2], &matrix)]);
    assert_eq!(doubles(&got[0]), [2.0, 1.0, 2.0, 3.0]);
    assert_eq!((super::words(&got[1]), super::words(&got[2])), (vec![1, 2], vec![0]));
    assert!(got[3].bytes().is_empty());
    assert_eq!((doubles(&got[4]), doubles(&got[5])), (vec![1.0, 0.0, 2.0, 1.0], vec![2.0, 1.0, 0.0, 3.0]));
    let graph = litz::meta::text::parse(&text).expect("a graph");
    for backend in ["cpu", "interpreter"] {
        let mut options = litz::session::Options::default();
        options.set("backend", backend).expect("a backend");
        let error = litz::session::compile(&graph, &options).err().expect("it is refused").to_string();
        assert!(error.contains("LU without pivoting is not implemented on a CPU"), "{backend}: {error}");
    }
}
